// What glTF holds only by a detour comes back as it was. The models are those of hard.c; oracle/test_export_gltf.mjs
// lets the Khronos validator judge the same files.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check_model.h"
#include "check_saved.h"
#include "counting_heap.h"
#include "format/gltf/gltf_doc.h"
#include "hard_models.h"

typedef struct saving {
    saved_files files;
    char losses[2048];
} saving;

static bool take_file(void *user, const char *name, const void *data, size_t size)
{
    return saved_write(&((saving *)user)->files, name, data, size);
}

static void take_loss(void *user, const sn_warning *loss)
{
    saving *now = user;
    size_t used = strlen(now->losses);
    snprintf(now->losses + used, sizeof now->losses - used, "%s: %s\n", loss->path, loss->message);
}

static saving now;  // the last one

// Saved and loaded again, without warnings.
static sn_model *again(const sn_model *model, sn_save_opts opts)
{
    sn_error error;
    now = (saving){ .losses = "" };
    opts.write = take_file, opts.report = take_loss, opts.user = &now;
    if (sn_save_file(model, "x.glb", &opts, &error) != SN_OK) fail_msg("%s", error.message);
    sn_load_opts load = { .lint = true };
    sn_model *loaded = sn_load_memory(now.files.files[0].data, now.files.files[0].size, &load, &error);
    saved_free(&now.files);
    if (!loaded) fail_msg("%s", error.message);
    check_model(loaded);
    for (uint32_t i = 0; i < loaded->warning_count; i++)
        if (!strstr(loaded->warnings[i].message, "is kept, but not shown"))
            fail_msg("%s: %s", loaded->warnings[i].path, loaded->warnings[i].message);
    return loaded;
}

static sn_model *hard_again(const char *name) { return again(&hard_make(name)->model, (sn_save_opts){ 0 }); }

// glTF allows components from -1 to 1, models a length that is nearly 1.
static void rotations_stay_in_range(void **state)
{
    (void)state;
    sn_model *model = hard_again("long_rotations");
    for (uint32_t i = 0; i < model->node_count; i++) {
        const float *rotation = &model->nodes[i].rest.rotation.x;
        for (int k = 0; k < 4; k++) assert_true(fabsf(rotation[k]) == (k == (int)i));
    }
    sn_model_free(model);
}

static int32_t find(const sn_model *model, const char *name)
{
    int32_t node = sn_model_find_node(model, name);
    if (node < 0) fail_msg("no node \"%s\"", name);
    return node;
}

// check_saved compares every vertex that shows, at rest and within the clip, and that saving settles.
static void all_come_back(void **state)
{
    (void)state;
    for (const hard_model *at = hard_models; at->name; at++) {
        test_rig rig = *hard_make(at->name);
        bool is_known = false;
        sn_model_free(again(&rig.model, (sn_save_opts){ 0 }));
        is_known = at->loss ? strstr(now.losses, at->loss) != NULL : now.losses[0] == 0;
        if (!is_known) fail_msg("%s reports \"%s\"", at->name, now.losses);
        rig.model.up_axis = SN_Y_UP;
        check_saved(&rig.model, "x.glb", 0, false, UINT64_MAX);
        check_saved(&rig.model, "x.gltf", 0, false, UINT64_MAX);
    }
}

static int32_t root_of(const sn_model *model, int32_t node)
{
    while (model->nodes[node].parent >= 0) node = model->nodes[node].parent;
    return node;
}

static bool lists(const sn_model *model, uint32_t scene, int32_t root)
{
    for (uint32_t i = 0; i < model->scenes[scene].root_count; i++) {
        if (model->scenes[scene].roots[i] == root) return true;
    }
    return false;
}

static void joints_get_a_root_in_common(void **state)
{
    (void)state;
    sn_model *model = hard_again("two_roots");
    int32_t root = find(model, "root");
    assert_int_equal(model->nodes[find(model, "a")].parent, root);
    assert_int_equal(model->nodes[find(model, "b")].parent, root);
    assert_int_equal(model->nodes[find(model, "other")].parent, -1);  // nothing ties it to them
    assert_memory_equal(&model->nodes[root].rest, &trs_identity, sizeof trs_identity);
    sn_model_free(model);
}

static void scenes_hold_the_joints_of_what_they_show(void **state)
{
    (void)state;
    sn_model *model = hard_again("joints_in_another_scene");
    int32_t root = root_of(model, find(model, "a"));
    assert_int_equal(model->scene_count, 3);
    assert_int_equal(model->default_scene, 2);
    assert_true(lists(model, 0, root) && lists(model, 1, root) && lists(model, 2, root));
    assert_true(lists(model, 0, find(model, "skinned")) && lists(model, 0, find(model, "other")));
    assert_false(lists(model, 1, find(model, "skinned")) || lists(model, 1, find(model, "other")));
    assert_true(lists(model, 2, find(model, "other")));
    sn_model_free(model);
}

// The joints come into the scene; the triangles that they carry were in none and must not show.
static void what_was_in_no_scene_stays_hidden(void **state)
{
    (void)state;
    sn_model *model = hard_again("joints_in_no_scene");
    assert_true(lists(model, 0, root_of(model, find(model, "a"))));
    uint32_t hidden = 0;
    for (uint32_t i = 0; i < model->part_count; i++)
        hidden += (model->nodes[model->parts[i].node].flags & SN_NODE_HIDDEN) != 0;
    assert_int_equal(hidden, 2);
    sn_model_free(model);
}

// (x, y, z) becomes (y, z, x) in every scene, though they share roots: each of those has one turning node above it.
static void shared_roots_are_turned(void **state)
{
    (void)state;
    const test_rig *rig = hard_make("z_up");
    sn_model *model = again(&rig->model, (sn_save_opts){ 0 });
    sn_pose *before = sn_pose_create(&rig->model, NULL, NULL), *after = sn_pose_create(model, NULL, NULL);
    static const char *const names[3] = { "a", "b", "other" };
    for (int i = 0; i < 3; i++) {
        sn_mat34 a = sn_pose_world(before, sn_model_find_node(&rig->model, names[i]));
        sn_mat34 b = sn_pose_world(after, find(model, names[i]));
        assert_vec3(((sn_vec3){ b.m[0][3], b.m[1][3], b.m[2][3] }), a.m[1][3], a.m[2][3], a.m[0][3]);
    }
    assert_int_not_equal(root_of(model, find(model, "a")), root_of(model, find(model, "other")));
    assert_int_equal(root_of(model, find(model, "a")), root_of(model, find(model, "b")));
    assert_false(lists(model, 2, root_of(model, find(model, "a"))));
    sn_pose_free(before);
    sn_pose_free(after);
    sn_model_free(model);
}

static void a_joint_listed_twice_gets_a_twin(void **state)
{
    (void)state;
    sn_model *model = hard_again("joint_twice");
    const sn_skin *skin = &model->skins[0];
    int32_t twin = find(model, "a.twin");
    assert_int_equal(skin->joint_count, 3);
    assert_int_equal(skin->joints[0], find(model, "a"));
    assert_int_equal(skin->joints[2], twin);
    assert_int_equal(model->nodes[twin].parent, skin->joints[0]);
    assert_memory_equal(&model->nodes[twin].rest, &trs_identity, sizeof trs_identity);
    sn_model_free(model);
}

// The node itself is the inner one: it keeps its name, its children and what it bends.
static void shear_is_written_on_two_nodes(void **state)
{
    (void)state;
    sn_model *model = hard_again("sheared");
    for (uint32_t i = 0; i < model->node_count; i++) assert_null(model->nodes[i].matrix);
    int32_t node = find(model, "n0");
    assert_int_equal(model->nodes[node].parent, find(model, "n0.outer"));
    assert_int_equal(model->nodes[find(model, "n1.outer")].parent, node);
    assert_int_equal(model->skins[0].joints[1], node);
    assert_int_equal(sn_model_find_node(model, "n4.outer"), -1);  // nothing to take apart
    sn_model_free(model);
}

static uint32_t count_tracks(const sn_clip *clip, sn_channel channel)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < clip->track_count; i++) count += clip->tracks[i].channel == channel;
    return count;
}

// What saving adds for players without KHR_node_visibility is gone again: the same nodes, skins over the same joints.
static void joints_for_hidden_parts_are_undone(void **state)
{
    (void)state;
    test_rig rig = *hard_make("hidden_skinned");
    sn_model *model = again(&rig.model, (sn_save_opts){ 0 });
    assert_int_equal(model->node_count, rig.model.node_count + 5);  // each part gets a node of its own
    for (uint32_t i = 0; i < model->skin_count; i++) {
        assert_int_equal(model->skins[i].joint_count, 4);
        for (uint32_t j = 0; j < 4; j++)
            assert_string_equal(model->nodes[model->skins[i].joints[j]].name, rig.nodes[j].name);
    }
    assert_int_equal(model->skin_count, 4);  // as it is, and for each of three ways to be hidden
    for (uint32_t i = 0; i < model->clip_count; i++) {
        for (uint32_t t = 0; t < model->clips[i].track_count; t++) {
            const sn_track *track = &model->clips[i].tracks[t];
            if (track->channel == SN_CHANNEL_SCALE) assert_near(track->values[0], 1.0);  // for Assimp, at rest
        }
        assert_int_equal(count_tracks(&model->clips[i], SN_CHANNEL_ROTATION), 4);
    }
    assert_int_equal(count_tracks(&model->clips[0], SN_CHANNEL_VISIBILITY), 3);
    assert_int_equal(count_tracks(&model->clips[1], SN_CHANNEL_VISIBILITY), 0);
    sn_model_free(model);
}

static void hidden_parts_keep_their_joints_on_request(void **state)
{
    (void)state;
    test_rig rig = *hard_make("hidden_skinned");
    sn_model *model = again(&rig.model, (sn_save_opts){ .no_visibility_tricks = true });
    assert_int_equal(model->skin_count, 1);
    assert_non_null(strstr(now.losses, "KHR_node_visibility"));
    sn_model_free(model);
}

// A scale of 0 that only hides is visibility again; nothing else is left of it.
static void scales_that_hide_are_visibility_again(void **state)
{
    (void)state;
    sn_model *model = hard_again("hidden_rigid");
    int32_t child = find(model, "child");
    assert_true(model->nodes[child].flags & SN_NODE_HIDDEN);
    assert_string_equal(model->nodes[child].extras, "{\"a\":5}");
    assert_vec3(model->nodes[child].rest.scale, 1, 1, 1);
    assert_int_equal(model->nodes[find(model, "stretched")].parent, find(model, "stretched.switch"));
    assert_null(model->nodes[find(model, "stretched.switch")].extras);
    assert_int_equal(count_tracks(&model->clips[0], SN_CHANNEL_SCALE), 0);
    assert_int_equal(count_tracks(&model->clips[0], SN_CHANNEL_VISIBILITY), 3);
    sn_model_free(model);
}

static uint32_t maps_of(const sn_model *model, uint32_t part)
{
    uint32_t maps = 0;
    for (int i = 0; i < SN_MAP_COUNT; i++) {
        const sn_material *material = &model->materials[model->parts[part].material];
        if (material->layers[0].maps[i].image >= 0) maps |= 1u << i;
    }
    return maps;
}

static void only_maps_without_coordinates_go(void **state)
{
    (void)state;
    sn_model *model = hard_again("missing_sets");
    assert_int_equal(model->part_count, 4);
    assert_int_equal(model->material_count, 4);
    assert_int_equal(maps_of(model, 0), 1 << SN_MAP_COLOR | 1 << SN_MAP_OCCLUSION | 1 << SN_MAP_EMISSIVE);
    assert_int_equal(maps_of(model, 1), 1 << SN_MAP_OCCLUSION);
    assert_int_equal(maps_of(model, 2), 1 << SN_MAP_COLOR);
    assert_int_equal(maps_of(model, 3), 0);
    const sn_mesh *mesh = &model->meshes[model->parts[1].mesh];
    assert_int_equal(mesh->uv_count, 2);  // the gap below the second set was filled
    assert_true(mesh->uvs[1][1].x == 1.0f && mesh->uvs[0][1].x == 0.0f);
    sn_model_free(model);
}

static void every_variant_of_a_material_moves(void **state)
{
    (void)state;
    sn_model *model = hard_again("missing_sets");
    assert_int_equal(count_tracks(&model->clips[0], SN_CHANNEL_COLOR), 4);
    assert_int_equal(count_tracks(&model->clips[0], SN_CHANNEL_UV_OFFSET), 2);
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    sn_pose_sample(pose, 0, 0.5f, 0.0f);
    for (int32_t i = 0; i < 4; i++) {
        sn_vec4 color = sn_pose_layer(pose, i, 0).color;
        assert_near(color.x, 0.5);
        assert_near(color.z, 0.5);
    }
    sn_pose_free(pose);
    sn_model_free(model);
}

static void normal_maps_get_normals(void **state)
{
    (void)state;
    sn_model *model = hard_again("bare_normal_map");
    const sn_mesh *triangles = &model->meshes[model->parts[0].mesh], *points = &model->meshes[model->parts[1].mesh];
    assert_true(triangles->normals && triangles->tangents && triangles->morphs[0].normals);
    assert_int_equal(maps_of(model, 0), 1 << SN_MAP_NORMAL);
    assert_null(points->normals);
    assert_int_equal(maps_of(model, 1), 0);
    sn_model_free(model);
}

// Extras nested as deep as they load, and one level less, in each place that has any.
static void deep_extras_load_again(void **state)
{
    (void)state;
    static const char *const places[] = {
        "\"extras\":%s",
        "\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"extras\":%s}]",
        "\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"camera\":0}],\"cameras\":[{\"type\":\"perspective\","
        "\"perspective\":{\"yfov\":1,\"znear\":1},\"extras\":%s}]",
        "\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"extensions\":{\"KHR_lights_punctual\":{\"light\":0}}}],"
        "\"extensions\":{\"KHR_lights_punctual\":{\"lights\":[{\"type\":\"point\",\"extras\":%s}]}}",
    };
    char extras[160], text[800];
    for (size_t place = 0; place < sizeof places / sizeof *places; place++) {
        uint32_t loaded = 0;
        for (int depth = 56; depth <= 66; depth++) {
            sn_bytes bytes;
            snprintf(extras, sizeof extras, "%.*s\"\\\"[\"%.*s", depth,
                     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", depth,
                     "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
            int used = snprintf(text, sizeof text, "{\"asset\":{\"version\":\"2.0\"},");
            used += snprintf(text + used, sizeof text - (size_t)used, places[place], extras);
            used += snprintf(text + used, sizeof text - (size_t)used, "}");
            sn_model *model = sn_load_memory(text, (size_t)used, NULL, NULL);
            if (!model) continue;
            loaded++;
            assert_int_equal(sn_save_memory(model, "glb", NULL, &bytes, NULL), SN_OK);
            sn_model_free(model);
            model = sn_load_memory(bytes.data, bytes.size, NULL, NULL);
            assert_non_null(model);
            sn_model_free(model);
            sn_bytes_free(&bytes);
        }
        assert_in_range(loaded, 4, 8);
    }
}

static void extras_become_objects(void **state)
{
    (void)state;
    static const char *const wanted[6] = {
        "{\"value\":5}", "{\"value\":\"five\"}", "{\"value\":[5, {\"a\": 5}]}", "{\"value\":null}", "{ }", "{\"a\":5}"
    };
    static const char *const with_names[6] = { "{\"targetNames\":[\"lift\"],\"value\":5}",
                                               "{\"targetNames\":[\"lift\"],\"value\":\"five\"}",
                                               "{\"targetNames\":[\"lift\"],\"value\":[5, {\"a\": 5}]}",
                                               "{\"targetNames\":[\"lift\"],\"value\":null}",
                                               "{\"targetNames\":[\"lift\"]}",
                                               "{\"targetNames\":[\"lift\"],\"a\":5}" };
    sn_model *model = hard_again("extras");
    assert_string_equal(model->extras, "{\"value\":true}");
    for (uint32_t i = 0; i < 6; i++) {
        const sn_mesh *mesh = &model->meshes[model->parts[i].mesh];
        assert_string_equal(model->nodes[model->parts[i].node].extras, wanted[i]);
        assert_string_equal(mesh->extras, with_names[i]);
        assert_string_equal(mesh->morphs[0].name, "lift");
    }
    sn_model_free(model);
}

// Numbers of keys that pass 32 bits, times 3 for a spline and 2 for the weights: reported, and none of the keys is
// read.
static void tracks_too_long_for_an_accessor_are_lost(void **state)
{
    (void)state;
    test_rig rig = *hard_make("odd_morphs");
    static const uint32_t counts[2] = { 0x30000000, 0x60000000 };
    for (int i = 0; i < 2; i++) {
        sni_save save;
        now = (saving){ .losses = "" };
        sn_save_opts opts = { .write = take_file, .user = &now };
        rig.tracks[0].key_count = counts[i];
        rig.tracks[0].times = rig.tracks[0].values = NULL;
        rig.model.clips = &rig.clip, rig.model.nodes = rig.nodes, rig.model.parts = rig.parts,
        rig.model.meshes = rig.meshes;
        rig.clip.tracks = rig.tracks;
        sni_save_init(&save, "x.glb", 16 << 20, &opts);
        assert_true(gltf_save(&save, &rig.model));
        assert_non_null(save.diag.first);
        assert_non_null(strstr(save.diag.first->warning.message, "tracks"));
        sni_save_free(&save);
        saved_free(&now.files);
    }
}

static void clips_are_told_apart_by_name(void **state)
{
    (void)state;
    static const char *const wanted[6] = { "Stand", "Stand.2", "Stand.3", "", "Stand.4", "" };
    sn_model *model = hard_again("same_names");
    for (uint32_t i = 0; i < 6; i++) assert_string_equal(model->clips[i].name, wanted[i]);
    for (uint32_t i = 0; i < 2; i++) assert_string_equal(model->nodes[i].name, "a");  // nodes keep theirs
    assert_non_null(strstr(now.losses, "written as \"Stand.3\""));
    assert_non_null(strstr(now.losses, "written as \"Stand.4\""));
    sn_model_free(model);
}

static void colors_stay_between_0_and_1(void **state)
{
    (void)state;
    sn_model *model = hard_again("bright_colors");
    const sn_mesh *mesh = &model->meshes[0];
    static const sn_vec4 wanted[2] = { { 1, 0.5f, 0, 1 }, { 0, 1, 0.25f, 1 } }, white = { 1, 1, 1, 1 };
    assert_int_equal(mesh->color_count, 2);
    assert_memory_equal(&mesh->colors[0][0], &white, sizeof white);  // COLOR_0 multiplies: none is white
    assert_memory_equal(mesh->colors[1], wanted, sizeof wanted);
    sn_model_free(model);
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    for (const hard_model *at = hard_models; at->name; at++) {
        const sn_model *model = &hard_make(at->name)->model;
        for (uint64_t k = 1, calls = 1; k <= calls; k++) {
            for (int for_ever = 0; for_ever < 2; for_ever++) {
                counting_heap heap = { .fail_at = k, .fails_for_ever = for_ever };
                now = (saving){ .losses = "" };
                sn_save_opts opts = { .allocator = counting_allocator(&heap), .write = take_file, .user = &now };
                sn_status status = sn_save_file(model, "x.gltf", &opts, NULL);
                if (status != (heap.calls >= k ? SN_ERR_MEMORY : SN_OK) || heap.live_blocks != 0)
                    fail_msg("%s: allocation %d fails: status %d, %d blocks", at->name, (int)k, status,
                             (int)heap.live_blocks);
                if (heap.calls >= k) calls = k + 1;
                saved_free(&now.files);
            }
        }
    }
}

// glTF has no events and no attachments: what no extras hold is reported, each with its number.
static void lost_objects_are_reported(void **state)
{
    static const sn_event events[] = { { .name = "SNDXHFOO", .node = 0, .clip = -1, .period = 1.0f },
                                       { .name = "SNDXHBAR", .node = -1, .clip = -1, .period = 1.0f } };
    test_rig rig = *hard_make("z_up");
    (void)state;
    const sn_attachment attachments[] = { { rig.model.nodes[0].name, "", 0, -1 }, { "Ref", "sword.mdx", 0, -1 } };
    rig.model.events = events, rig.model.event_count = 2;
    rig.model.attachments = attachments, rig.model.attachment_count = 2;
    sn_model_free(again(&rig.model, (sn_save_opts){ 0 }));
    assert_non_null(strstr(now.losses, "events: left out"));
    assert_non_null(strstr(now.losses, "attachments: names and paths were left out"));
    rig.model.events = NULL, rig.model.event_count = 0;
    rig.model.attachment_count = 1;  // the node says it all
    sn_model_free(again(&rig.model, (sn_save_opts){ 0 }));
    assert_null(strstr(now.losses, "events"));
    assert_null(strstr(now.losses, "attachments"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_come_back),
        cmocka_unit_test(rotations_stay_in_range),
        cmocka_unit_test(joints_get_a_root_in_common),
        cmocka_unit_test(scenes_hold_the_joints_of_what_they_show),
        cmocka_unit_test(what_was_in_no_scene_stays_hidden),
        cmocka_unit_test(shared_roots_are_turned),
        cmocka_unit_test(a_joint_listed_twice_gets_a_twin),
        cmocka_unit_test(shear_is_written_on_two_nodes),
        cmocka_unit_test(joints_for_hidden_parts_are_undone),
        cmocka_unit_test(hidden_parts_keep_their_joints_on_request),
        cmocka_unit_test(lost_objects_are_reported),
        cmocka_unit_test(scales_that_hide_are_visibility_again),
        cmocka_unit_test(only_maps_without_coordinates_go),
        cmocka_unit_test(every_variant_of_a_material_moves),
        cmocka_unit_test(normal_maps_get_normals),
        cmocka_unit_test(deep_extras_load_again),
        cmocka_unit_test(extras_become_objects),
        cmocka_unit_test(tracks_too_long_for_an_accessor_are_lost),
        cmocka_unit_test(clips_are_told_apart_by_name),
        cmocka_unit_test(colors_stay_between_0_and_1),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
