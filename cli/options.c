#include "options.h"

#define CLI_OF(verb) (1u << CLI_##verb)
#define CLI_OF_MODELS (CLI_OF(INFO) | CLI_OF(TREE) | CLI_OF(POSE) | CLI_OF(CHECK))
#define CLI_OF_ALL (CLI_OF_MODELS | CLI_OF(HELP))

const cli_verb_row cli_verbs[CLI_VERB_COUNT] = {
    [CLI_INFO] = {
        "info", "FILE...", "say what is inside, in one screen",
        "Says what a model holds: counts, size, meshes with the nodes that show them, materials with\n"
        "their textures, skins, clips, and what had to be repaired. Long lists are cut; --all shows them.",
        { "sinew info samples/arm.glb",
          "sinew info --all samples/crane.gltf samples/face.glb",
          "sinew info --json - < samples/arm.glb" },
    },
    [CLI_TREE] = {
        "tree", "FILE...", "draw the tree of nodes and bones",
        "Draws the nodes of a model as a tree, with what hangs on each: meshes, cameras, lights; which are\n"
        "joints, attachments or billboards; and, where there are several scenes, which roots they show.",
        { "sinew tree samples/arm.glb",
          "sinew tree --rest samples/crane.gltf",
          "sinew tree --ascii samples/crane.gltf samples/face.glb" },
    },
    [CLI_POSE] = {
        "pose", "FILE...", "pose the model at a moment of a clip",
        "Poses a model at a moment of a clip, or at rest, in the file's own axes: where each node is, or\n"
        "with --json also all posed vertices, or with --obj a mesh file of what is shown.",
        { "sinew pose samples/arm.glb",
          "sinew pose --clip swing --time 0.5 --json samples/crane.gltf",
          "sinew pose --clip bend --time 0.5 --obj - samples/arm.glb" },
    },
    [CLI_CHECK] = {
        "check", "FILE...", "say what is wrong with it, and where",
        "Says everything that is wrong with a model, with its place in the file. The exit code is 0 for a\n"
        "file without findings.",
        { "sinew check samples/arm.glb",
          "sinew check samples/arm.glb samples/crane.gltf samples/face.glb",
          "sinew check --json samples/face.glb" },
    },
    [CLI_HELP] = {
        "help", "[COMMAND]", "explain a command",
        "Explains a command, or sinew as a whole.",
        { "sinew help",
          "sinew help pose",
          "sinew help check" },
    },
};

const cli_option_row cli_options[CLI_OPTION_COUNT] = {
    [CLI_OPTION_ALL]   = { 'a', "all", 0, 0, CLI_OF(INFO), false, "show long lists whole" },
    [CLI_OPTION_ASCII] = { 0, "ascii", 0, 0, CLI_OF(TREE), false, "draw with plain characters" },
    [CLI_OPTION_REST]  = { 'r', "rest", 0, 0, CLI_OF(TREE), false,
                           "add translation, rotation (quaternion) and scale at rest" },
    [CLI_OPTION_CLIP]  = { 'c', "clip", "NAME|INDEX", 0, CLI_OF(POSE), false, "the clip, by name or number from 0" },
    [CLI_OPTION_TIME]  = { 't', "time", "SECONDS", 0, CLI_OF(POSE), false, "the moment in the clip, 0 when not given" },
    [CLI_OPTION_OBJ]   = { 0, "obj", "FILE", 0, CLI_OF(POSE), false, "write what is shown as Wavefront OBJ" },
    [CLI_OPTION_JSON]  = { 'j', "json", 0, 0, CLI_OF_MODELS, false, "print JSON, one document per file" },
    [CLI_OPTION_MAN]   = { 0, "man", 0, 0, CLI_OF(HELP), true, "print the man page" },
    [CLI_OPTION_COMPLETION] = { 0, "completion", "SHELL", "bash zsh fish", CLI_OF(HELP), true,
                                "print the completion script of a shell" },
    [CLI_OPTION_HELP]    = { 'h', "help", 0, 0, CLI_OF_ALL, false, "explain the command" },
    [CLI_OPTION_VERSION] = { 'V', "version", 0, 0, CLI_OF_ALL, false, "print the version" },
};

const char *const cli_exit_texts[CLI_EXIT_COUNT] = {
    [CLI_EXIT_OK]          = "all went well",
    [CLI_EXIT_FINDINGS]    = "there are findings, or some of several files failed",
    [CLI_EXIT_USAGE]       = "the command line is wrong",
    [CLI_EXIT_IO]          = "a file cannot be read or written",
    [CLI_EXIT_FORMAT]      = "not a format that sinew knows",
    [CLI_EXIT_DAMAGED]     = "the file is damaged, or uses what sinew does not read",
    [CLI_EXIT_NO_GRAPHICS] = "no graphics",
};

const char *const cli_examples[CLI_EXAMPLE_COUNT] = {
    "sinew info samples/arm.glb",
    "sinew tree --rest samples/crane.gltf",
    "sinew pose --clip bend --time 0.5 samples/arm.glb",
};
