// Models of other formats as Dark Cloud models: written, read again, posed.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "posed_corners.h"

static sn_model *load_sample(const char *sample, uint32_t max_influences)
{
    char path[512];
    sn_error error;
    snprintf(path, sizeof path, SINEW_SAMPLES "/%s", sample);
    sn_model *model = sn_load_file(path,
                                   &(sn_load_opts){
                                       .folder_clips = true, .continuous = true, .max_influences = max_influences },
                                   &error);
    if (!model) fail_msg("%s: %s", path, error.message);
    return model;
}

static sn_model *save_and_load(const sn_model *model, const char *extension, const sn_save_opts *opts)
{
    sn_error error;
    sn_bytes bytes;
    if (sn_save_memory(model, extension, opts, &bytes, &error) != SN_OK)
        fail_msg("%s.%s: %s", model->name, extension, error.message);
    sn_model *again = sn_load_memory(bytes.data, bytes.size, NULL, &error);
    if (!again) fail_msg("%s.%s: %s", model->name, extension, error.message);
    for (uint32_t i = 0; i < again->warning_count; i++)
        fail_msg("%s.%s: %s: %s", model->name, extension, again->warnings[i].path, again->warnings[i].message);
    sn_bytes_free(&bytes);
    return again;
}

// The largest error, where it is larger than that of a limit of the game: four bones per vertex in the second.
static double through(const char *sample, sn_game game)
{
    const sn_save_opts opts = { .game = game, .report = print_loss };
    if (getenv("SINEW_TEST_VERBOSE")) printf("%s %d\n", sample, game);
    sn_model *model = load_sample(sample, 0), *again = save_and_load(model, "chr", &opts),
             *limited = load_sample(sample, game == SN_GAME_DARK_CLOUD ? 0 : 4);
    const double largest = compare_corners(model, again, false).part,
                 allowed = compare_corners(model, limited, false).part;
    if (getenv("SINEW_TEST_VERBOSE")) printf("%s %d: %.6f\n", sample, game, largest);
    sn_model_free(limited);
    sn_model_free(again);
    sn_model_free(model);
    return largest > allowed ? largest : 0.0;
}

static const char *const samples[] = {
    "arm.glb",     "crane.gltf",      "golem.mdx",  "hound.mdx", "boar.mdx", "lantern.mdl", "tank.w3d", "house.w3d",
    "serpent.w3d", "soldier_skn.w3d", "rabbit.chr", "arm1.mds",  "arm2.mds", "toys.pak",    "face.glb",
};

static void test_samples(void **state)
{
    const double most = 1e-4;
    bool is_good = true;
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        for (int second = 0; second < 2; second++) {
            const double error = through(samples[i], second ? SN_GAME_DARK_CLOUD_2 : SN_GAME_DARK_CLOUD);
            if (error <= most) continue;
            print_error("%s for Dark Cloud %d: %.6f of its size\n", samples[i], second + 1, error);
            is_good = false;
        }
    assert_true(is_good);
}

// To glTF and back, the model has the nodes of the files in their order, and all that configurations say.
static void test_there_and_back(void **state)
{
    static const char *const natives[] = { "rabbit.chr", "arm1.mds", "arm2.mds" };
    (void)state;
    for (int i = 0; i < 3; i++) {
        const sn_save_opts opts = { .report = print_loss };
        sn_model *model = load_sample(natives[i], 0), *glb = save_and_load(model, "glb", &opts),
                 *again = save_and_load(glb, "chr", &opts);
        assert_int_equal(again->node_count, model->node_count);
        for (uint32_t k = 0; k < model->node_count; k++) {
            assert_string_equal(again->nodes[k].name, model->nodes[k].name);
            assert_int_equal(again->nodes[k].parent, model->nodes[k].parent);
            assert_int_equal(again->nodes[k].id, model->nodes[k].id);
            assert_int_equal(again->nodes[k].flags | SN_NODE_JOINT, model->nodes[k].flags | SN_NODE_JOINT);
        }
        assert_int_equal(again->clip_count, model->clip_count);
        for (uint32_t k = 0; k < model->clip_count; k++) {
            assert_string_equal(again->clips[k].name, model->clips[k].name);
            assert_string_equal(again->clips[k].extras, model->clips[k].extras);
        }
        const char *sequences = strstr(model->extras, "\"sequences\""), *size = strstr(model->extras, "\"bodySize\"");
        if (sequences) assert_non_null(strstr(again->extras, sequences));
        if (size) assert_non_null(strstr(again->extras, "\"bodySize\""));
        if (i != 2) assert_true(compare_corners(model, again, false).part <= 1e-4);  // five bones per vertex, for four
        sn_model_free(again);
        sn_model_free(glb);
        sn_model_free(model);
    }
}

// Nodes have the numbers of those of the same name; the skeleton's others are added.
static void test_skeleton(void **state)
{
    (void)state;
    sn_model *skeleton = load_sample("rabbit.chr", 0), *model = load_sample("golem.mdx", 0);
    const sn_save_opts opts = { .skeleton = skeleton, .game = SN_GAME_DARK_CLOUD_2 };
    sn_model *again = save_and_load(model, "chr", &opts);
    for (uint32_t i = 0; i < skeleton->node_count; i++) {
        const sn_node *node = &skeleton->nodes[i];
        const int32_t found = sn_model_find_node(again, node->name);
        assert_true(found >= 0);
        assert_int_equal(again->nodes[found].id, node->id);
    }
    assert_true(compare_corners(model, again, false).part <= 1e-4);
    sn_model_free(again);
    sn_model_free(model);
    sn_model_free(skeleton);
}

enum { BONES = 80, VERTICES = 3 * 1200 };

typedef struct strip {
    sn_model model;
    sn_node nodes[BONES];
    sn_mesh mesh;
    sn_part part;
    sn_skin skin;
    sn_clip clip;
    sn_track tracks[BONES];
    int32_t joints[BONES];
    sn_mat34 binds[BONES];
    sn_vec3 positions[VERTICES];
    uint32_t indices[VERTICES];
    uint16_t vertex_joints[VERTICES * 2];
    float vertex_weights[VERTICES * 2];
} strip;

// A chain of bones with triangles all along it, more than either game allows in one mesh; every bone turns by a half
// turn between two keys, over which the second game jumps, and is stretched, in an order that only the first has.
static strip *make_strip(void)
{
    static const float times[] = { 0, 1 }, turns[] = { 0, 0, 0, 1, 0, 0, 1, 0 },
                       stretches[] = { 1, 1, 1, 1.02f, 1, 0.97f };
    static char names[BONES][64];
    strip *s = calloc(1, sizeof *s);
    const sn_trs still = { { 0, 0, 0 }, { 0, 0, 0, 1 }, { 1, 1, 1 } };
    for (int i = 0; i < BONES; i++) {
        snprintf(names[i], sizeof names[i], "a bone__with a name that is too long %d", i);
        s->nodes[i] = (sn_node){ .name = names[i], .parent = i - 1, .id = i, .rest = still, .flags = SN_NODE_JOINT };
        s->nodes[i].rest.translation.x = i > 0 ? 1.0f : 0.0f;
        s->joints[i] = i;
        s->binds[i] = (sn_mat34){ { { 1, 0, 0, (float)-i }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };
        s->tracks[i] = (sn_track){ .target = i,
                                   .channel = SN_CHANNEL_ROTATION,
                                   .interpolation = SN_LINEAR,
                                   .key_count = 2,
                                   .width = 4,
                                   .times = times,
                                   .values = turns };
        if (i % 7 == 3)
            s->tracks[i].channel = SN_CHANNEL_SCALE, s->tracks[i].width = 3, s->tracks[i].values = stretches;
    }
    s->binds[9] = (sn_mat34){ { { 0, 0, 0, 1 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };        // flat
    s->binds[11] = (sn_mat34){ { { 2, 0, 0, -22 }, { 0.5f, 2, 0, 0 }, { 0, 0, 1, 0 } } };  // sheared
    for (int i = 0; i < VERTICES; i++) {
        const float along = (float)(i / 3) / (VERTICES / 3.0f) * (BONES - 2);
        s->positions[i] = (sn_vec3){ along + 0.3f * (float)(i % 3 == 1), 0.5f * (float)(i % 3 == 2),
                                     0.01f * (float)(i % 17) };
        s->indices[i] = (uint32_t)i;
        s->vertex_joints[2 * i] = (uint16_t)along, s->vertex_joints[2 * i + 1] = (uint16_t)((int)along + 1);
        s->vertex_weights[2 * i] = 1.0f - (along - floorf(along)), s->vertex_weights[2 * i + 1] = along - floorf(along);
    }
    s->mesh = (sn_mesh){ .name = "strip",
                         .vertex_count = VERTICES,
                         .index_count = VERTICES,
                         .influence_count = 2,
                         .positions = s->positions,
                         .indices = s->indices,
                         .vertex_joints = s->vertex_joints,
                         .vertex_weights = s->vertex_weights };
    s->part = (sn_part){ .material = -1, .lod = -1, .color = { 1, 1, 1, 1 } };
    s->skin = (sn_skin){ "", s->joints, s->binds, BONES };
    s->clip = (sn_clip){ .name = "turn", .duration = 1, .tracks = s->tracks, .track_count = BONES };
    s->model = (sn_model){ .name = "strip",
                           .format = "built",
                           .lod_count = 1,
                           .default_scene = -1,
                           .nodes = s->nodes,
                           .node_count = BONES,
                           .meshes = &s->mesh,
                           .mesh_count = 1,
                           .parts = &s->part,
                           .part_count = 1,
                           .skins = &s->skin,
                           .skin_count = 1,
                           .clips = &s->clip,
                           .clip_count = 1 };
    return s;
}

static void test_limits(void **state)
{
    (void)state;
    strip *s = make_strip();
    for (int second = 0; second < 2; second++) {
        const sn_save_opts opts = { .game = second ? SN_GAME_DARK_CLOUD_2 : SN_GAME_DARK_CLOUD, .report = print_loss };
        sn_model *again = save_and_load(&s->model, "chr", &opts);
        assert_true(again->part_count > 1);
        for (uint32_t i = 0; i < again->skin_count; i++)
            assert_true(second ? again->skins[i].joint_count <= 32 : again->meshes[i].vertex_count <= 3000);
        for (uint32_t i = 0; i < again->node_count; i++) {
            assert_true(strlen(again->nodes[i].name) <= 31);
            assert_null(strstr(again->nodes[i].name, "bone__"));
            bool is_mesh = false;
            for (uint32_t k = 0; k < again->part_count; k++) is_mesh |= again->parts[k].node == (int32_t)i;
            assert_true(is_mesh || sn_model_find_node(again, again->nodes[i].name) == (int32_t)i);
        }
        assert_true(compare_corners(&s->model, again, false).part <= 1e-4);
        sn_model_free(again);
    }
    free(s);
}

// Files beside an .mds; without a disk, the .mds is the one that is returned.
static void test_loose(void **state)
{
    sn_bytes bytes;
    sn_error error;
    (void)state;
    sn_model *model = load_sample("rabbit.chr", 0);
    assert_int_equal(sn_save_memory(model, "mds", NULL, &bytes, &error), SN_OK);
    assert_memory_equal(bytes.data, "MDS", 4);
    sn_bytes_free(&bytes);
    sn_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_samples), cmocka_unit_test(test_there_and_back),
                                        cmocka_unit_test(test_skeleton), cmocka_unit_test(test_limits),
                                        cmocka_unit_test(test_loose) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
