#include "options.h"

#define CLI_OF(verb) (1u << CLI_##verb)
#define CLI_OF_MODELS \
    (CLI_OF(INFO) | CLI_OF(TREE) | CLI_OF(POSE) | CLI_OF(CHECK) | CLI_OF(CONVERT) | CLI_OF(RENDER) | CLI_OF(VIEW))
#define CLI_OF_ARCHIVES (CLI_OF_MODELS | CLI_OF(EXTRACT))
#define CLI_OF_PICTURES (CLI_OF(RENDER) | CLI_OF(VIEW))
#define CLI_OF_REPORTS  (CLI_OF_ARCHIVES & ~CLI_OF_PICTURES)
#define CLI_OF_BATCHES  (CLI_OF_ARCHIVES & ~CLI_OF(VIEW))
#define CLI_OF_ALL      (CLI_OF_ARCHIVES | CLI_OF(BENCH) | CLI_OF(REPORT) | CLI_OF(CONFIG) | CLI_OF(HELP))

// clang-format off
const cli_verb_row cli_verbs[CLI_VERB_COUNT] = {
    [CLI_INFO] = {
        "info", "FILE...", "show what a model contains",
        "Shows what a model contains: counts, size, meshes and the nodes that use them, materials and their\n"
        "textures, skins, clips, and repairs. For a folder, shows all models in it. For an archive, lists its\n"
        "models. With --all, does not shorten long lists, and lists every file of an archive.",
        { "sinew info samples/arm.glb",
          "sinew info --all samples/crane.gltf samples/face.glb",
          "sinew info --json - < samples/arm.glb" },
    },
    [CLI_TREE] = {
        "tree", "FILE...", "show the node tree",
        "Shows the nodes of a model as a tree, with the meshes, cameras and lights of each node. Marks joints,\n"
        "attachments and billboards. If there are several scenes, also lists the roots of each.",
        { "sinew tree samples/arm.glb",
          "sinew tree --rest samples/crane.gltf",
          "sinew tree --ascii samples/crane.gltf samples/face.glb" },
    },
    [CLI_POSE] = {
        "pose", "FILE...", "pose a model at a time in a clip",
        "Poses a model at a given time of a clip, or in its rest pose if there is no --clip. Prints the position of\n"
        "each node in the axes of the file. With --json, also prints all posed vertices.",
        { "sinew pose samples/arm.glb",
          "sinew pose --clip swing --time 0.5 --json samples/crane.gltf",
          "sinew pose --clip bend --time 0.5 --obj - samples/arm.glb" },
    },
    [CLI_CHECK] = {
        "check", "FILE...", "report what is wrong with a model, and where",
        "Reports everything that is wrong with a model and its textures, and where: the element, its byte offset\n"
        "and, in text files, its line and column. For a folder or archive, checks all models in it. Also checks\n"
        "single images. The exit code is 0 if there are no findings.",
        { "sinew check samples/arm.glb",
          "sinew check samples/ --ignore IMAGE_MISSING --fail-on error",
          "sinew check --format sarif samples/face.glb samples/crane.gltf" },
    },
    [CLI_CONVERT] = {
        "convert", "FILE...",
        "convert models to .glb, .gltf, .mdx, .mdl, .w3d, .mds or .chr, and images to .png or .tga",
        "Converts models to .glb, or to .gltf with a .bin beside it: geometry, skins, all clips, materials and\n"
        "textures, with Y up. Also converts models for games (see --target): to .mdx, .mdl, .w3d, .mds with the other\n"
        "files of Dark Cloud beside it, or .chr, which packs these files into one. Reports what is lost. Converts W3D\n"
        "to text (.w3d.json) and back, and images (BLP, DDS, TGA, TIM2, PNG, JPEG, WebP) to PNG or TGA.\n"
        "For a folder or archive, converts all models in it and keeps the folder structure in the output folder.\n"
        "With --to png or tga, converts all images in a folder. A FILE with * or ? selects models in archives.\n"
        "If a file is damaged, the others are still converted. After a failure the old output is unchanged. Inputs\n"
        "are never overwritten. With -o -, writes a .glb to standard output.",
        { "sinew convert samples/arm.glb -o arm.gltf",
          "sinew convert samples/ -o converted/ -j 2 --newer --report report.json",
          "sinew convert samples/crane.gltf --target reforged -o crane.mdx" },
    },
    [CLI_RENDER] = {
        "render", "FILE...", "draw pictures; needs no display",
        "Draws a model at a given time of a clip, or at the start of its idle clip, and writes a PNG. Needs neither a\n"
        "display nor a graphics card. Without --view, the camera is at the model's front left; the whole clip fits\n"
        "into the picture. For several files, a folder or an archive, writes one picture per model to the output\n"
        "folder or, with --sheet, one contact sheet of all clips.",
        { "sinew render samples/hound.mdx --clip Walk --time 0.5 --background transparent -o hound.png",
          "sinew render samples/ --sheet --skeleton --grid -o all.png",
          "sinew render samples/rabbit.chr --clip hop --apng --size 160 -o hop.png" },
    },
    [CLI_EXTRACT] = {
        "extract", "FILE... [NAME]...", "copy the files of an archive, or the textures of models, into a folder",
        "Copies files from archives into the output folder and keeps the folder structure. Each NAME is a file, a\n"
        "folder or a pattern with * or ?, ignoring case. Without a NAME, copies all files. If several archives\n"
        "contain a file, the first archive is used. Existing files are kept unless --force is given. With\n"
        "--textures, decodes images and writes them as PNG or TGA; FILE may then also be a model, a pack or a folder\n"
        "of models, whose textures are extracted.",
        { "sinew extract -q samples/disc.hd3 -o disc/",
          "sinew extract -q --textures png samples/arm.glb samples/face.glb -o textures/",
          "sinew extract -q --json --archive samples/disc.hd3 chara/arm.glb -o disc/" },
    },
    [CLI_BENCH] = {
        "bench", "[RESULT.json]", "measure how fast this machine plays models",
        "Times sampling, blending, solving, skinning and crowds with generated models. For comparison, also times the\n"
        "reference functions, and memset or memcpy of the same bytes. Checks every result against double precision.\n"
        "The environment variable SINEW_SIMD selects the instruction set: scalar, sse2, avx2, neon or wasm. Given a\n"
        "RESULT.json, the saved output of --json, shows that result and measures nothing.",
        { "sinew bench --quick --rows B3",
          "sinew bench --quick --rows B1n,B3p --json",
          "sinew bench --quick --rows B2-B3 --svg" },
    },
    [CLI_REPORT] = {
        "report", "merge OUT REPORT...", "merge the reports of all shards into one",
        "Merges the reports of convert --shard K/N --report, given in any order, into the report that a single run\n"
        "without --shard would have written. Fails if a shard is missing, given twice or not finished, or was run\n"
        "with other files or options. If OUT is -, writes to standard output.",
        { "sinew report merge all.json shard1.json shard2.json",
          "sinew report merge - shard1.json shard2.json",
          "sinew report merge all.json shard*.json" },
    },
    [CLI_CONFIG] = {
        "config", "[game [NAME [DIR]]]", "remember where base games are",
        "Remembers the folder of a base game. sinew then searches it for files that a model of that game refers to\n"
        "and that are not in the mod. Without DIR, prints the folder; without NAME, lists all games. An empty DIR\n"
        "removes the entry. NAME is war3, generals, zerohour, bfme, bfme2, rotwk, renegade, darkcloud or darkcloud2.",
        { "sinew config",
          "sinew config game",
          "sinew config game war3" },
    },
    [CLI_VIEW] = {
        "view", "[FILE]...", "show models in a window",
        "Opens a window and plays the clips of a model, or shows a texture. A folder or an archive is listed with\n"
        "thumbnails. Page Up and Page Down step through the files. You can also drop files on the window. Click a\n"
        "bone in the picture or in the node tree to select it. H shows all keys. Window size, position, overlays\n"
        "and panels are saved.",
        { "sinew view samples/hound.mdx",
          "sinew view samples/ --skeleton",
          "sinew view --watch samples/tank.w3d" },
    },
    [CLI_HELP] = {
        "help", "[COMMAND]", "explain a command",
        "Explains a command, or lists all commands.",
        { "sinew help",
          "sinew help pose",
          "sinew help check" },
    },
};

const char *const cli_groups[CLI_HIDDEN] = {
    [CLI_OWN]      = "Options",
    [CLI_FINDING]  = "Finding files",
    [CLI_WARCRAFT] = "Warcraft III",
    [CLI_W3D]      = "W3D",
    [CLI_LEVEL5]   = "Level-5",
    [CLI_BATCH]    = "Many files and machines",
    [CLI_GENERAL]  = "General",
};

const cli_option_row cli_options[CLI_OPTION_COUNT] = {
    [CLI_OPTION_ALL]   = { 'a', "all", 0, 0, CLI_OF(INFO), CLI_OWN, "do not shorten long lists" },
    [CLI_OPTION_LIST_CLIPS] = { 0, "list-clips", 0, 0, CLI_OF(INFO), CLI_HIDDEN, "print only the names of the clips" },
    [CLI_OPTION_ASCII] = { 0, "ascii", 0, 0, CLI_OF(TREE), CLI_OWN, "draw with ASCII characters" },
    [CLI_OPTION_REST]  = { 'r', "rest", 0, 0, CLI_OF(TREE), CLI_OWN,
                           "also print translation, rotation (quaternion) and scale of the rest pose" },
    [CLI_OPTION_CLIP]  = { 'c', "clip", "NAME|INDEX", 0, CLI_OF(POSE) | CLI_OF_PICTURES, CLI_OWN,
                           "clip, by name or by index from 0; rest means the rest pose" },
    [CLI_OPTION_TIME]  = { 't', "time", "SECONDS", 0, CLI_OF(POSE) | CLI_OF_PICTURES, CLI_OWN,
                           "time in the clip, default 0" },
    [CLI_OPTION_OBJ]   = { 0, "obj", "FILE", 0, CLI_OF(POSE), CLI_OWN, "write the visible parts as Wavefront OBJ" },
    [CLI_OPTION_OUTPUT]    = { 'o', "output", "FILE", 0, CLI_OF(CONVERT) | CLI_OF(RENDER) | CLI_OF(EXTRACT), CLI_OWN,
                               "output file or folder, created if missing; the extension sets the format" },
    [CLI_OPTION_SIZE]       = { 0, "size", "WxH", 0, CLI_OF_PICTURES, CLI_OWN,
                                "size in pixels, default 512x512, or the last size of the window" },
    [CLI_OPTION_VIEW]       = { 0, "view", "VIEW", 0, CLI_OF_PICTURES, CLI_OWN,
                                "front, back, left, right, top, bottom, threequarter, or YAW,PITCH in degrees" },
    [CLI_OPTION_BACKGROUND] = { 0, "background", "COLOR", 0, CLI_OF_PICTURES, CLI_OWN,
                                "transparent, black, white, grey or a hex colour such as 30a0ff" },
    [CLI_OPTION_NO_TEXTURE] = { 0, "no-texture", 0, 0, CLI_OF_PICTURES, CLI_OWN, "draw without textures" },
    [CLI_OPTION_SKELETON]   = { 0, "skeleton", 0, 0, CLI_OF_PICTURES, CLI_OWN, "draw the skeleton over the model" },
    [CLI_OPTION_NAMES]      = { 0, "names", 0, 0, CLI_OF_PICTURES, CLI_OWN, "draw bone names" },
    [CLI_OPTION_AXES]       = { 0, "axes", 0, 0, CLI_OF_PICTURES, CLI_OWN,
                                "draw the axes of each bone, x red, y green, z blue" },
    [CLI_OPTION_ATTACHMENTS] = { 0, "attachments", 0, 0, CLI_OF_PICTURES, CLI_OWN,
                                 "mark attachment points for weapons, riders and effects" },
    [CLI_OPTION_BOUNDS]     = { 0, "bounds", 0, 0, CLI_OF_PICTURES, CLI_OWN,
                                "draw the bounding box and sphere of the pose" },
    [CLI_OPTION_NORMALS]    = { 0, "normals", 0, 0, CLI_OF_PICTURES, CLI_OWN, "draw vertex normals" },
    [CLI_OPTION_WEIGHTS]    = { 0, "weights", "BONE", 0, CLI_OF_PICTURES, CLI_OWN,
                                "show the skin weights of this bone, from blue to red" },
    [CLI_OPTION_WIRE]       = { 0, "wire", 0, 0, CLI_OF_PICTURES, CLI_OWN, "draw a wireframe" },
    [CLI_OPTION_GRID]       = { 0, "grid", 0, 0, CLI_OF_PICTURES, CLI_OWN, "draw a ground grid" },
    [CLI_OPTION_LIGHTS]     = { 0, "lights", 0, 0, CLI_OF_PICTURES, CLI_OWN, "use the lights of the model" },
    [CLI_OPTION_CAMERA]     = { 0, "camera", "NAME|INDEX", 0, CLI_OF_PICTURES, CLI_OWN, "use a camera of the model" },
    [CLI_OPTION_SHADOW]     = { 0, "shadow", 0, 0, CLI_OF_PICTURES, CLI_OWN, "draw shadows" },
    [CLI_OPTION_FRAMES]     = { 0, "frames", "N", 0, CLI_OF(RENDER), CLI_OWN,
                                "write N numbered pictures of the clip, from start to end" },
    [CLI_OPTION_TURNTABLE]  = { 0, "turntable", "N", 0, CLI_OF(RENDER), CLI_OWN,
                                "write N numbered pictures from all sides" },
    [CLI_OPTION_APNG]       = { 0, "apng", 0, 0, CLI_OF(RENDER), CLI_OWN,
                                "animated PNG of the clip or turntable, with exact times and alpha; also -o x.apng" },
    [CLI_OPTION_GIF]        = { 0, "gif", 0, 0, CLI_OF(RENDER), CLI_OWN,
                                "the same as a GIF, with 256 colours and delays in 1/100 s; also -o x.gif" },
    [CLI_OPTION_SHEET]      = { 0, "sheet", 0, 0, CLI_OF(RENDER), CLI_OWN,
                                "one contact sheet of all clips of all files; --frames per clip, --size of each" },
    [CLI_OPTION_LOD]        = { 0, "lod", "N", 0, CLI_OF_PICTURES, CLI_OWN, "level of detail; 0 is the most detailed" },
    [CLI_OPTION_WATCH]      = { 0, "watch", 0, 0, CLI_OF(VIEW), CLI_OWN, "reload files when they change" },
    [CLI_OPTION_TO]        = { 0, "to", "FORMAT", "glb gltf mdx mdl w3d w3d.json mds chr png tga", CLI_OF(CONVERT),
                               CLI_OWN,
                               "format of the files in an output folder; default glb" },
    [CLI_OPTION_TARGET]    = { 0, "target", "GAME", "war3 reforged generals bfme dark-cloud dark-cloud-2",
                               CLI_OF(CONVERT) | CLI_OF(CHECK), CLI_OWN,
                               "game that the file is for; convert defaults to war3, generals or the game it is from" },
    [CLI_OPTION_KEEP_SKELETON] = { 0, "skeleton", "FILE", 0, CLI_OF(CONVERT), CLI_LEVEL5,
                               "number and name the nodes of an .mds or .chr as in this model from the game" },
    [CLI_OPTION_MDX_VERSION] = { 0, "mdx-version", "N", "800 1000 1100 1200", CLI_OF(CONVERT), CLI_WARCRAFT,
                                 "version of an .mdx or .mdl; default 800, or 1000 for Reforged" },
    [CLI_OPTION_W3D_ANIMATION] = { 0, "w3d-animation", "KIND", "raw timecoded adaptive", CLI_OF(CONVERT), CLI_W3D,
                                   "how a .w3d stores clips, as frames, keys or 4-bit differences; default raw" },
    [CLI_OPTION_SPLIT]     = { 0, "split", 0, 0, CLI_OF(CONVERT), CLI_W3D,
                               "write x_skn.w3d, x_skl.w3d and a .w3d for each clip, as the games do" },
    [CLI_OPTION_TEXTURE_FORMAT] = { 0, "textures", "KIND", "blp blp-jpeg dds tga png", CLI_OF(CONVERT), CLI_OWN,
                                    "texture format; default blp in .mdx, dds for Reforged, tga in .w3d, png in .glb" },
    [CLI_OPTION_STRICT]    = { 0, "strict", 0, 0, CLI_OF(CONVERT), CLI_OWN,
                               "fail if anything is lost; nothing is written, and the exit code is 1" },
    [CLI_OPTION_KEEP_AXES] = { 0, "keep-axes", 0, 0, CLI_OF(CONVERT), CLI_OWN,
                               "keep Z up instead of rotating to Y up" },
    [CLI_OPTION_NO_VISIBILITY_TRICKS] = { 0, "no-visibility-tricks", 0, 0, CLI_OF(CONVERT), CLI_OWN,
                                          "hide skinned parts only with KHR_node_visibility, not with scaled joints" },
    [CLI_OPTION_ROUND_TRIP] = { 0, "round-trip", 0, 0, CLI_OF(CHECK), CLI_OWN,
                               "also write the file back and compare the bytes" },
    [CLI_OPTION_FIX]       = { 0, "fix", 0, 0, CLI_OF(CHECK), CLI_OWN,
                               "with --target, change the file to fix what can be fixed without loss; print each fix" },
    [CLI_OPTION_SCALE]     = { 0, "scale", "FACTOR", 0, CLI_OF(CONVERT), CLI_OWN, "multiply all lengths" },
    [CLI_OPTION_UNITS]     = { 0, "units", "UNIT", "m cm mm in ft yd", CLI_OF(CONVERT), CLI_OWN,
                               "what one unit of the model is; converts lengths to metres, the unit of glTF" },
    [CLI_OPTION_IGNORE]    = { 0, "ignore", "CODE", 0, CLI_OF(CHECK), CLI_OWN,
                               "ignore a warning, by code or name; may be given several times" },
    [CLI_OPTION_FAIL_ON]   = { 0, "fail-on", "LEVEL", "note warning error never", CLI_OF(CHECK), CLI_OWN,
                               "lowest level of findings that makes the exit code nonzero, or never; default note" },
    [CLI_OPTION_FORMAT]    = { 0, "format", "FORMAT", "text sarif junit", CLI_OF(CHECK), CLI_OWN,
                               "print text, SARIF 2.1.0 or JUnit XML; default text" },
    [CLI_OPTION_MAX_INFLUENCES] = { 0, "max-influences", "N", 0, CLI_OF(CONVERT), CLI_OWN,
                                    "keep the N largest joint weights of each vertex" },
    [CLI_OPTION_JOBS]      = { 'j', "jobs", "N", 0, CLI_OF(CHECK) | CLI_OF(CONVERT) | CLI_OF(RENDER), CLI_BATCH,
                               "number of files to process at the same time, default one per processor" },
    [CLI_OPTION_SHARD]     = { 0, "shard", "K/N", 0, CLI_OF_BATCHES, CLI_BATCH,
                               "only part K of N of the files; auto in Slurm arrays or, with --shards, in Kubernetes" },
    [CLI_OPTION_SHARDS]    = { 0, "shards", "N", 0, CLI_OF_BATCHES, CLI_BATCH,
                               "number of shards for --shard auto" },
    [CLI_OPTION_FILES_FROM0] = { 0, "files-from0", "FILE", 0, CLI_OF_BATCHES, CLI_BATCH,
                                 "also process the files in this list, each followed by a NUL; - is standard input" },
    [CLI_OPTION_NEWER]     = { 0, "newer", 0, 0, CLI_OF(CONVERT), CLI_BATCH,
                               "skip files whose inputs have not changed, by hash with --report, else by time" },
    [CLI_OPTION_REPORT]    = { 0, "report", "FILE", 0, CLI_OF(CONVERT), CLI_BATCH,
                               "write the result of each file as JSON; updated from time to time during the run" },
    [CLI_OPTION_QUIET]     = { 'q', "quiet", 0, 0, CLI_OF(CONVERT) | CLI_OF(RENDER) | CLI_OF(EXTRACT), CLI_GENERAL,
                               "report errors only" },
    [CLI_OPTION_FORCE]     = { 'f', "force", 0, 0, CLI_OF(EXTRACT), CLI_OWN, "replace existing files" },
    [CLI_OPTION_TEXTURES]  = { 0, "textures", "FORMAT", "png tga", CLI_OF(EXTRACT), CLI_OWN,
                               "write only textures, as PNG or TGA; FILE may also be a model or a folder of models" },
    [CLI_OPTION_CONTINUOUS] = { 0, "continuous", 0, 0, CLI_OF(POSE) | CLI_OF_PICTURES, CLI_OWN,
                                "interpolate across the loop seam instead of reproducing the pop in the game" },
    [CLI_OPTION_SEARCH]  = { 0, "search", "DIR", 0, CLI_OF_MODELS, CLI_FINDING,
                             "also search this folder for textures and W3D skeletons; may be given several times" },
    [CLI_OPTION_ARCHIVE] = { 0, "archive", "FILE", 0, CLI_OF_ARCHIVES, CLI_FINDING,
                             "also search this archive; may be given several times, the first match is used" },
    [CLI_OPTION_GAME]    = { 0, "game", "DIR", 0, CLI_OF_MODELS, CLI_FINDING,
                             "folder or archive of the base game, searched last; may be given several times" },
    [CLI_OPTION_NO_LAYOUT] = { 0, "no-layout", 0, 0, CLI_OF_MODELS, CLI_FINDING,
                               "do not look for the root folder of a game or mod above the model" },
    [CLI_OPTION_TEAM]    = { 0, "team", "N", 0, CLI_OF_MODELS, CLI_WARCRAFT,
                             "player number for the team colour of Warcraft III models, 0 to 23, default 0" },
    [CLI_OPTION_MAX_MEMORY] = { 0, "max-memory", "MIB", 0, CLI_OF_MODELS, CLI_GENERAL,
                                "memory limit of a model (default 16 + 32 x file size) and its images (default 512)" },
    [CLI_OPTION_MAX_SECONDS] = { 0, "max-seconds", "N", 0, CLI_OF(RENDER), CLI_GENERAL,
                                 "processor time limit per picture; default 3, or more for large models and pictures" },
    [CLI_OPTION_ANIM]      = { 0, "anim", "FILE", 0, CLI_OF_MODELS, CLI_W3D,
                               "add the animations in this W3D file; may be given several times" },
    [CLI_OPTION_WITH_ANIMS] = { 0, "with-anims", 0, 0, CLI_OF_MODELS, CLI_W3D,
                                "accepted for compatibility; W3D animations are added by default" },
    [CLI_OPTION_NO_ANIMS] = { 0, "no-anims", 0, 0, CLI_OF_MODELS, CLI_W3D,
                              "do not add animations from other W3D files with the same hierarchy" },
    [CLI_OPTION_KEEP_PARTS] = { 0, "keep-parts", 0, 0, CLI_OF(CONVERT) | CLI_OF(RENDER), CLI_W3D,
                                "also write files that are parts of other models, such as W3D skeletons" },
    [CLI_OPTION_HIERARCHY] = { 0, "hierarchy", "NAME", 0, CLI_OF_MODELS, CLI_W3D,
                               "use this W3D hierarchy, a name or a file, instead of the one that the model names" },
    [CLI_OPTION_LEVEL5_GAME] = { 0, "level5-game", "GAME", "dc1 dc2", CLI_OF_MODELS, CLI_LEVEL5,
                                 "read Level-5 files as Dark Cloud 1 or 2; detected by default" },
    [CLI_OPTION_QUICK] = { 0, "quick", 0, 0, CLI_OF(BENCH), CLI_OWN, "run fewer rounds; takes less than a minute" },
    [CLI_OPTION_ROWS]  = { 0, "rows", "ROWS", 0, CLI_OF(BENCH), CLI_OWN,
                           "run only these rows, such as B1,B3p or B1-B6" },
    [CLI_OPTION_SVG]   = { 0, "svg", 0, 0, CLI_OF(BENCH), CLI_OWN, "print the results as an SVG picture" },
    [CLI_OPTION_JSON]  = { 0, "json", 0, 0, CLI_OF_REPORTS | CLI_OF(BENCH), CLI_OWN,
                           "print JSON, one document per file; convert, extract and bench print one in all" },
    [CLI_OPTION_MAN]   = { 0, "man", 0, 0, CLI_OF(HELP), CLI_HIDDEN, "print the man page" },
    [CLI_OPTION_COMPLETION] = { 0, "completion", "SHELL", "bash zsh fish", CLI_OF(HELP), CLI_HIDDEN,
                                "print the completion script for a shell" },
    [CLI_OPTION_HELP]    = { 'h', "help", 0, 0, CLI_OF_ALL, CLI_GENERAL, "explain the command" },
    [CLI_OPTION_VERSION] = { 'V', "version", 0, 0, CLI_OF_ALL, CLI_GENERAL, "print the version" },
};

const char *const cli_offered[CLI_OPTION_COUNT] = {
    [CLI_OPTION_VIEW]       = "front back left right top bottom threequarter",
    [CLI_OPTION_BACKGROUND] = "transparent black white grey",
    [CLI_OPTION_SHARD]      = "auto",
};

const char *const cli_exit_texts[CLI_EXIT_COUNT] = {
    [CLI_EXIT_OK]          = "success",
    [CLI_EXIT_FINDINGS]    = "check has findings, --strict finds a loss, or some of several files fail or show nothing",
    [CLI_EXIT_USAGE]       = "invalid command line",
    [CLI_EXIT_IO]          = "a file cannot be read or written, or memory ran out",
    [CLI_EXIT_FORMAT]      = "unknown format",
    [CLI_EXIT_DAMAGED]     = "damaged file, or a feature that sinew does not support",
    [CLI_EXIT_NO_GRAPHICS] = "no OpenGL or no display",
};
// clang-format on

const char *const cli_examples[CLI_EXAMPLE_COUNT] = {
    "sinew info samples/arm.glb",
    "sinew tree --rest samples/crane.gltf",
    "sinew pose --clip bend --time 0.5 samples/arm.glb",
};
