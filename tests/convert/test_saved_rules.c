// What the games require of a file, line by line: which rule of `sinew check --target` says so. No sample that is saved
// for a game breaks any of them. Lines that no rule can see have a test of their own, which is named.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sinew/sinew.h"

static const char *const sources[] = {
    "kobold/kobold.glb", "kobold/kobold.mdx", "kobold/kobold.w3d", "kobold/kobold.chr", "arm.glb",     "crane.gltf",
    "face.glb",          "hound.mdx",         "boar.mdx",          "golem.mdx",         "lantern.mdl", "tank.w3d",
    "house.w3d",         "serpent.w3d",       "soldier_skn.w3d",   "arm1.mds",          "arm2.mds",    "rabbit.chr",
};

static const struct {
    const char *ending;
    sn_game game;
} targets[] = {
    { "mdx", SN_GAME_WARCRAFT_3 },   { "mdl", SN_GAME_WARCRAFT_3 }, { "mdx", SN_GAME_REFORGED },
    { "w3d", SN_GAME_GENERALS },     { "w3d", SN_GAME_BFME },       { "chr", SN_GAME_DARK_CLOUD },
    { "chr", SN_GAME_DARK_CLOUD_2 },
};

// A line is a rule, or a test: FILE.
static const struct {
    const char *requirement, *rules;
} lines[] = {
    // Warcraft III and Reforged
    { "ids are dense and unique", "WAR3_IDS" },
    { "bones come first", "WAR3_BONES_FIRST" },
    { "one pivot per object", "WAR3_PIVOTS" },
    { "parents exist, no cycles", "WAR3_PARENT" },
    { "vertices follow bones only", "WAR3_NOT_A_BONE WAR3_UNATTACHED" },
    { "bones name a geoset, a geoset animation or none", "WAR3_REFERENCE WAR3_INVISIBLE" },
    { "at most 255 groups", "WAR3_GROUPS" },
    { "vertices of a geoset", "WAR3_VERTICES" },
    { "weights that are not equal: the groups with the least posed error", "tests/convert/test_save_mdx.c" },
    { "weights sum to 255, 256 bones", "WAR3_WEIGHTS" },
    { "the bind pose has nodes + 1 matrices", "WAR3_BIND_POSE" },
    { "version 900 is refused", "WAR3_VERSION" },
    { "tangents, slots, shaders and the light field of each version", "tests/oracle/test_mdx_saved.mjs" },
    { "sequences rise and do not overlap", "WAR3_SEQUENCE_ORDER WAR3_SEQUENCE_TIME" },
    { "one extent per geoset and sequence, each the box of the sequence", "WAR3_EXTENTS WAR3_EXTENT_BOX" },
    { "names of sequences", "WAR3_SEQUENCE_NAME tests/convert/test_mdx_through_glb.c" },
    { "a unit needs Stand and Death", "WAR3_UNIT" },
    { "Origin Ref", "WAR3_ORIGIN" },
    { "key times rise", "WAR3_KEY_ORDER WAR3_KEY_TWICE" },
    { "a key at the start of a sequence", "WAR3_KEY_AT_START WAR3_KEY_OUTSIDE" },
    { "visibility is stepped", "WAR3_VISIBILITY" },
    { "endings of textures, replaceable ids", "WAR3_TEXTURE WAR3_TEXTURE_BOTH" },
    { "at least one layer, known filters", "WAR3_MATERIAL" },
    { "event objects", "WAR3_EVENT WAR3_EVENT_NAME" },
    { "a portrait camera needs a Portrait sequence", "WAR3_CAMERA" },
    { "rows and columns of particles", "WAR3_EMITTER_GRID WAR3_EMITTER" },
    { "names of 80 bytes, paths of 260", "WAR3_NAME WAR3_PATH" },
    { "collision shapes", "WAR3_SHAPE" },
    // Generals and BFME
    { "names of 15 characters", "SAGE_NAME" },
    { "names of bones are unique", "SAGE_BONE_TWICE" },
    { "the file is called as what is in it", "SAGE_FILE_NAME tests/oracle/test_w3d_saved.mjs" },
    { "the header comes first", "SAGE_HEADER_FIRST" },
    { "versions", "SAGE_VERSION" },
    { "pivot 0 is the only root, ROOTTRANSFORM", "SAGE_ROOT SAGE_ROOT_PLACE SAGE_PARENT" },
    { "LodCount arrays after the header, coarse to fine, the finest without a limit", "SAGE_LOD_COUNT SAGE_LOD_SIZE" },
    { "skins hang on bone 0", "SAGE_OBJECT_BONE SAGE_SKIN_TYPE" },
    { "Generals: one bone per vertex", "SAGE_TWO_BONES SAGE_BFME_ONLY" },
    { "vertices in bone space; V runs upwards", "tests/oracle/test_w3d_saved.mjs" },
    { "indices of 16 bits", "SAGE_VERTICES" },
    { "4 passes of 2 stages", "SAGE_PASSES" },
    { "materials share the pass count", "SAGE_MATERIAL_INFO SAGE_REFERENCE" },
    { "no transparency in several passes", "SAGE_BLENDED_PASSES" },
    { "BFME: two bones, tangents", "SAGE_WEIGHTS SAGE_TANGENTS" },
    { "the hierarchy of an animation, its channels", "SAGE_ANIMATION SAGE_CHANNEL SAGE_VISIBILITY" },
    { "PIVOT_FIXUPS, VERTEX_SHADE_INDICES, MATERIAL_INFO", "SAGE_CHUNKS SAGE_MATERIAL_INFO" },
    { "textures without folders", "SAGE_TEXTURE" },
    // Dark Cloud
    { "records of 112 bytes, vectors of 16", "DARK_CLOUD_FORMAT DARK_CLOUD_LAYOUT" },
    { "names of 32 bytes", "DARK_CLOUD_NAME DARK_CLOUD_NAME_TWICE" },
    { "frames count from 1", "DARK_CLOUD_FRAME DARK_CLOUD_KEY_ORDER" },
    { "weights in percent", "DARK_CLOUD_WEIGHTS" },
    { "names are Shift-JIS", "DARK_CLOUD_ENCODING" },
    { "the order of an original skeleton", "tests/convert/test_save_level5.c" },
};

static bool find_kind(const char *name, size_t size, sn_warning_kind *kind)
{
    for (uint32_t k = 0; sn_warning_at(k, kind); k++)
        if (strlen(kind->name) == size && memcmp(kind->name, name, size) == 0) return true;
    return false;
}

// A rule that is renamed or removed must not leave its line without one; nor a test.
static void test_each_line_has_a_rule(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        for (const char *at = lines[i].rules; *at; at += strspn(at, " ")) {
            const size_t size = strcspn(at, " ");
            sn_warning_kind kind;
            char path[512];
            FILE *file = NULL;
            snprintf(path, sizeof path, SINEW_TESTS_DIR "/../%.*s", (int)size, at);
            if (strncmp(at, "tests/", 6) == 0) file = fopen(path, "r");
            if (!file && !find_kind(at, size, &kind)) fail_msg("\"%s\": no %.*s", lines[i].requirement, (int)size, at);
            if (file) fclose(file);
            at += size;
        }
}

static bool is_rule(const char *name)
{
    return strncmp(name, "WAR3_", 5) == 0 || strncmp(name, "SAGE_", 5) == 0 || strncmp(name, "DARK_CLOUD_", 11) == 0;
}

// Which sequences a model has is up to its maker.
static void check_saved(const char *source, size_t target, const sn_model *model)
{
    sn_error error;
    sn_bytes bytes;
    const sn_save_opts opts = { .game = targets[target].game };
    const sn_load_opts again_opts = { .game = targets[target].game };
    if (sn_save_memory(model, targets[target].ending, &opts, &bytes, &error) != SN_OK)
        fail_msg("%s: %s", source, error.message);
    sn_model *again = sn_load_memory(bytes.data, bytes.size, &again_opts, &error);
    assert_non_null(again);
    for (uint32_t i = 0; i < again->warning_count; i++) {
        const sn_warning *warning = &again->warnings[i];
        const char *name = sn_warning_name(warning->code);
        sn_warning_kind kind;
        if (!is_rule(name) || strcmp(name, "WAR3_UNIT") == 0 || !find_kind(name, strlen(name), &kind)) continue;
        if (!kind.is_note)
            fail_msg("%s for game %d: %s in %s: %s", source, (int)targets[target].game, name, warning->path,
                     warning->message);
        if (getenv("SINEW_TEST_VERBOSE")) printf("    %s: %s %s\n", source, name, warning->message);
    }
    sn_model_free(again);
    sn_bytes_free(&bytes);
}

static void test_saved_samples_follow_the_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        char path[512];
        sn_error error;
        snprintf(path, sizeof path, SINEW_SAMPLES "/%s", sources[i]);
        sn_model *model = sn_load_file(path, &(sn_load_opts){ .folder_clips = true }, &error);
        if (!model) fail_msg("%s: %s", path, error.message);
        for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) check_saved(sources[i], t, model);
        sn_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_each_line_has_a_rule),
                                        cmocka_unit_test(test_saved_samples_follow_the_rules) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
