// Models of other formats as W3D: written, read again, posed.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check_saved.h"
#include "posed_corners.h"

static sn_model *load_sample(const char *sample)
{
    char path[512];
    sn_error error;
    snprintf(path, sizeof path, SINEW_SAMPLES "/%s", sample);
    sn_model *model = sn_load_file(path, &(sn_load_opts){ .folder_clips = true }, &error);
    if (!model) fail_msg("%s: %s", path, error.message);
    return model;
}

static sn_model *through_w3d(const sn_model *model, const sn_save_opts *opts, const char *label)
{
    sn_error error;
    sn_bytes bytes;
    if (sn_save_memory(model, "w3d", opts, &bytes, &error) != SN_OK) fail_msg("%s: %s", label, error.message);
    sn_model *again = sn_load_memory(bytes.data, bytes.size, NULL, &error);
    if (!again) fail_msg("%s.w3d: %s", label, error.message);
    for (uint32_t i = 0; i < again->warning_count; i++) {
        const sn_warning *warning = &again->warnings[i];
        if (strcmp(sn_warning_name(warning->code), "IMAGE_MISSING") != 0)
            fail_msg("%s.w3d: %s %s", label, warning->path, warning->message);
    }
    sn_bytes_free(&bytes);
    return again;
}

// The largest error, as a part of the size. No error is larger than what was reported.
static double through(const char *sample, sn_game game, sn_w3d_animation animation)
{
    double stated = 0.0;
    const sn_save_opts opts = { .game = game, .w3d_animation = animation, .report = add_stated_error, .user = &stated };
    sn_model *model = load_sample(sample), *again = through_w3d(model, &opts, sample);
    const corner_error error = compare_corners(model, again, true);
    if (getenv("SINEW_TEST_VERBOSE"))
        printf("%s %d %d: %.6f, %g of %g\n", sample, game, animation, error.part, error.distance, stated);
    if (error.part > 1e-4 && error.distance > 1.01 * stated)
        fail_msg("%s: off by %g, reported %g", sample, error.distance, stated);
    sn_model_free(again);
    sn_model_free(model);
    return error.part;
}

typedef struct wanted {
    const char *sample;
    bool is_exact_in_generals, is_exact_in_bfme;
} wanted;

// Not exact: weights of several bones, scale that moves, morphs.
static const wanted table[] = {
    { "arm.glb", false, true },     { "crane.gltf", true, true },      { "golem.mdx", false, false },
    { "hound.mdx", false, false },  { "boar.mdx", false, false },      { "lantern.mdl", false, false },
    { "tank.w3d", true, true },     { "house.w3d", true, true },       { "serpent.w3d", false, true },
    { "rabbit.chr", false, false }, { "soldier_skn.w3d", true, true }, { "arm1.mds", false, false },
    { "arm2.mds", false, false },   { "face.glb", false, false },
};
enum { COUNT = sizeof table / sizeof *table };

static void test_generals(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        const double error = through(table[i].sample, SN_GAME_GENERALS, SN_W3D_RAW);
        if (table[i].is_exact_in_generals && error > 1e-4) fail_msg("%s: %g", table[i].sample, error);
    }
}

static void test_bfme(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        const double error = through(table[i].sample, SN_GAME_BFME, SN_W3D_TIMECODED);
        if (table[i].is_exact_in_bfme && error > 1e-4) fail_msg("%s: %g", table[i].sample, error);
    }
}

// What a file says that a model has no place for goes through glTF and comes back

static sn_model *resave(const sn_model *model, const char *name, sn_game game, saved_files *files)
{
    sn_error error;
    const sn_save_opts opts = { .game = game, .write = saved_write, .user = files };
    *files = (saved_files){ .count = 0 };
    if (sn_save_file(model, name, &opts, &error) != SN_OK) fail_msg("%s: %s", name, error.message);
    const saved_file *last = &files->files[files->count - 1];
    sn_model *again = sn_load_memory(last->data, last->size, &(sn_load_opts){ .open_ref = saved_open, .user = files },
                                     &error);
    if (!again) fail_msg("%s: %s", name, error.message);
    return again;
}

static void same_text(const char *what, const char *a, const char *b)
{
    if ((a != NULL) != (b != NULL) || (a && strcmp(a, b) != 0))
        fail_msg("%s: %s became %s", what, a ? a : "nothing", b ? b : "nothing");
}

static const sn_mesh *find_mesh(const sn_model *model, const char *name)
{
    for (uint32_t i = 0; i < model->mesh_count; i++)
        if (strcmp(model->meshes[i].name, name) == 0) return &model->meshes[i];
    return NULL;
}

static void compare_metadata(const sn_model *a, const sn_model *b, uint32_t least_meshes)
{
    uint32_t found = 0;
    assert_int_equal(a->node_count, b->node_count);
    for (uint32_t i = 0; i < a->node_count; i++) {
        same_text("node", a->nodes[i].name, b->nodes[i].name);
        same_text(a->nodes[i].name, a->nodes[i].extras, b->nodes[i].extras);
        assert_int_equal(a->nodes[i].parent, b->nodes[i].parent);
        assert_int_equal(a->nodes[i].id, b->nodes[i].id);
    }
    for (uint32_t i = 0; i < b->mesh_count; i++) {
        const sn_mesh *mesh = find_mesh(a, b->meshes[i].name);
        if (!mesh) continue;
        same_text(mesh->name, mesh->extras, b->meshes[i].extras);
        found++;
    }
    assert_true(found >= least_meshes);
    for (uint32_t i = 0; i < b->part_count; i++) {
        const sn_material *material = &b->materials[b->parts[i].material];
        bool is_known = false;
        for (uint32_t k = 0; k < a->material_count && !is_known; k++)
            is_known = strcmp(a->materials[k].name, material->name) == 0 &&
                       strcmp(a->materials[k].extras, material->extras) == 0;
        if (!is_known) fail_msg("material %s has %s", material->name, material->extras);
    }
    assert_int_equal(a->clip_count, b->clip_count);
    for (uint32_t i = 0; i < a->clip_count; i++) {
        same_text("clip", a->clips[i].name, b->clips[i].name);
        same_text(a->clips[i].name, a->clips[i].extras, b->clips[i].extras);
    }
    assert_int_equal(a->shape_count, b->shape_count);
    for (uint32_t i = 0; i < a->shape_count; i++)
        assert_memory_equal(&a->shapes[i].extents, &b->shapes[i].extents, sizeof(sn_vec3));
    assert_int_equal(a->attachment_count, b->attachment_count);
}

static void test_metadata_through_gltf(void **state)
{
    static const struct {
        const char *sample, *name;
        sn_game game;
        uint32_t meshes;
    } cases[] = { { "tank.w3d", "TANK.w3d", SN_GAME_GENERALS, 4 }, { "serpent.w3d", "SERPENT.w3d", SN_GAME_BFME, 1 } };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        saved_files glb, w3d;
        sn_model *model = load_sample(cases[i].sample);
        sn_model *middle = resave(model, "x.glb", SN_GAME_AUTO, &glb);
        sn_model *again = resave(middle, cases[i].name, cases[i].game, &w3d);
        compare_metadata(model, again, cases[i].meshes);
        sn_model_free(again);
        sn_model_free(middle);
        sn_model_free(model);
        saved_free(&glb);
        saved_free(&w3d);
    }
}

// Directly, nothing is lost: the model is the same, but for what the format keeps in other places.
static void test_w3d_to_w3d(void **state)
{
    saved_files w3d;
    (void)state;
    sn_model *model = load_sample("tank.w3d"), *again = resave(model, "TANK.w3d", SN_GAME_GENERALS, &w3d);
    compare_metadata(model, again, 8);
    assert_int_equal(again->lod_count, model->lod_count);
    assert_int_equal(again->part_count, model->part_count);
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_part *a = &model->parts[i], *b = &again->parts[i];
        assert_int_equal(a->lod, b->lod);
        assert_int_equal(a->node, b->node);
        assert_int_equal(a->is_hidden, b->is_hidden);
        same_text("mesh", model->meshes[a->mesh].name, again->meshes[b->mesh].name);
    }
    sn_model_free(again);
    sn_model_free(model);
    saved_free(&w3d);
}

static void find_billboards(void *user, const sn_warning *loss)
{
    if (strstr(loss->message, "billboards")) *(uint32_t *)user += loss->count;
}

// A joint that faces the viewer cannot do so in a skin.
static void test_skinned_billboards_are_reported(void **state)
{
    (void)state;
    sn_model *arm = load_sample("arm.glb");
    sn_node *nodes = calloc(arm->node_count, sizeof *nodes);
    memcpy(nodes, arm->nodes, arm->node_count * sizeof *nodes);
    sn_model edited = *arm;
    edited.nodes = nodes;
    edited.checked = NULL;
    uint32_t lost = 0;
    const sn_save_opts opts = { .game = SN_GAME_BFME, .report = find_billboards, .user = &lost };
    sn_model_free(through_w3d(&edited, &opts, "arm"));
    assert_int_equal(lost, 0);
    nodes[arm->skins[0].joints[arm->skins[0].joint_count - 1]].flags |= SN_NODE_BILLBOARD;
    sn_model_free(through_w3d(&edited, &opts, "arm"));
    assert_int_equal(lost, 1);
    free(nodes);
    sn_model_free(arm);
}

static void find_colors(void *user, const sn_warning *loss)
{
    if (strstr(loss->message, "colour tracks of parts")) *(uint32_t *)user += loss->count;
}

// Colours of parts have no channel.
static void test_part_colors_are_reported(void **state)
{
    static const float start = 0.0f, red[] = { 1, 0, 0 };
    (void)state;
    sn_model *arm = load_sample("arm.glb");
    const sn_track track = { .target_kind = SN_TARGET_PART,
                             .channel = SN_CHANNEL_COLOR,
                             .interpolation = SN_LINEAR,
                             .key_count = 1,
                             .width = 3,
                             .times = &start,
                             .values = red };
    const sn_clip clip = { .name = "red", .duration = 1.0f, .tracks = &track, .track_count = 1 };
    sn_model edited = *arm;
    edited.clips = &clip, edited.clip_count = 1;
    edited.checked = NULL;
    uint32_t lost = 0;
    const sn_save_opts opts = { .game = SN_GAME_GENERALS, .report = find_colors, .user = &lost };
    sn_model_free(through_w3d(&edited, &opts, "arm"));
    assert_int_equal(lost, 1);
    sn_model_free(arm);
}

// BFME's effects have no switch for light: such layers are passes.
static void test_unlit(void **state)
{
    static const sn_game games[] = { SN_GAME_GENERALS, SN_GAME_BFME };
    (void)state;
    for (int g = 0; g < 2; g++) {
        const sn_save_opts opts = { .game = games[g] };
        sn_model *model = load_sample("arm.glb");
        sn_material *materials = calloc(model->material_count, sizeof *materials);
        sn_layer layer = model->materials[0].layers[0];
        memcpy(materials, model->materials, model->material_count * sizeof *materials);
        layer.flags |= SN_LAYER_UNLIT;
        materials[0].layers = &layer;
        sn_model edited = *model;
        edited.materials = materials;
        edited.checked = NULL;
        sn_model *again = through_w3d(&edited, &opts, "arm");
        bool is_unlit = false;
        for (uint32_t i = 0; i < again->material_count; i++)
            is_unlit |= (again->materials[i].layers[0].flags & SN_LAYER_UNLIT) != 0;
        assert_true(is_unlit);
        sn_model_free(again), sn_model_free(model);
        free(materials);
    }
}

// The container is the name of the file.
static const char *behind_container(const char *extras)
{
    const char *comma = extras ? strchr(extras, ',') : NULL;
    return comma ? comma : "";
}

// Meshes of one pivot share a mesh in a .glb, and keep their names, attributes and texts.
static void test_names_through_glb(void **state)
{
    static const char *const samples[] = { "tank.w3d", "house.w3d", "soldier_skn.w3d" };
    (void)state;
    for (int i = 0; i < 3; i++) {
        sn_error error;
        sn_bytes bytes;
        sn_model *model = load_sample(samples[i]);
        assert_int_equal(sn_save_memory(model, "glb", NULL, &bytes, &error), SN_OK);
        sn_model *glb = sn_load_memory(bytes.data, bytes.size, NULL, &error);
        assert_non_null(glb);
        sn_model *again = through_w3d(glb, NULL, samples[i]);
        uint32_t found = 0;
        for (uint32_t k = 0; k < model->part_count; k++) {
            const sn_mesh *old = &model->meshes[model->parts[k].mesh];
            if (model->parts[k].lod > 0) continue;  // coarser levels of detail are lost, and reported
            for (uint32_t m = 0; m < again->mesh_count; m++) {
                if (strcmp(again->meshes[m].name, old->name) != 0) continue;
                const char *kept = behind_container(again->meshes[m].extras);  // perhaps without "prelit", the last
                assert_memory_equal(kept, behind_container(old->extras), strlen(kept) - (kept[0] != 0));
                found++;
                break;
            }
        }
        assert_int_equal(found, again->part_count);
        sn_bytes_free(&bytes);
        sn_model_free(again);
        sn_model_free(glb);
        sn_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_generals),
                                        cmocka_unit_test(test_bfme),
                                        cmocka_unit_test(test_metadata_through_gltf),
                                        cmocka_unit_test(test_w3d_to_w3d),
                                        cmocka_unit_test(test_skinned_billboards_are_reported),
                                        cmocka_unit_test(test_unlit),
                                        cmocka_unit_test(test_part_colors_are_reported),
                                        cmocka_unit_test(test_names_through_glb) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
