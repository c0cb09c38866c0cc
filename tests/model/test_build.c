// sn_builder: models made by hand and edited ones.
#include <sinew/build.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "check_model.h"
#include "counting_heap.h"
#include "hand_models.h"

static const sn_vec3 corners[3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } };
static const uint32_t triangle[3] = { 0, 1, 2 };
static const uint16_t joints[3] = { 0, 1, 1 };
static const float weights[3] = { 1, 1, 1 };
static const float times[2] = { 0, 2 }, moves[6] = { 0, 0, 0, 4, 0, 0 };
static const sn_mat34 binds[2] = { { { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } },
                                   { { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } } };

static sn_mesh bent_triangle(void)
{
    return (sn_mesh){ .name = "skin",
                      .vertex_count = 3,
                      .index_count = 3,
                      .influence_count = 1,
                      .positions = corners,
                      .indices = triangle,
                      .vertex_joints = joints,
                      .vertex_weights = weights };
}

static sn_track slide(int32_t node)
{
    return (sn_track){ .target_kind = SN_TARGET_NODE,
                       .channel = SN_CHANNEL_TRANSLATION,
                       .interpolation = SN_LINEAR,
                       .target = node,
                       .key_count = 2,
                       .width = 3,
                       .times = times,
                       .values = moves };
}

// A child before its parent, a part before its mesh: hand (0) below arm (1).
static void fill(sn_builder *b)
{
    char name[] = "hand";  // copied: changed below
    int32_t hand = sn_builder_add_node(b, &(sn_node){ .name = name, .parent = 1, .id = 7, .rest = trs_move(1, 0, 0) });
    int32_t arm = sn_builder_add_node(b, &(sn_node){ .name = "arm", .parent = -1, .rest = sn_trs_identity() });
    memset(name, 'x', sizeof name - 1);
    sn_builder_add_part(b, &(sn_part){ .node = hand, .material = 0, .lod = 1, .color = { 1, 1, 1, 1 } });
    const sn_mesh mesh = bent_triangle();
    sn_builder_add_mesh(b, &mesh);
    const int32_t bones[2] = { arm, hand };
    sn_builder_add_skin(b, &(sn_skin){ "bones", bones, binds, 2 });
    sn_layer layer = sn_layer_default();
    layer.maps[SN_MAP_COLOR].image = 0;
    sn_builder_add_material(b, &(sn_material){ .name = "cloth", .layers = &layer, .layer_count = 1 });
    sn_builder_add_image(b, &(sn_image){ .name = "cloth.png", .uri = "cloth.png" });
    int32_t clip = sn_builder_add_clip(b, &(sn_clip){ .name = "wave", .duration = 2 });
    const sn_track track = slide(hand);
    sn_builder_add_track(b, clip, &track);
    const int32_t roots[1] = { arm };
    sn_builder_add_scene(b, &(sn_scene){ "all", roots, 1 });
    sn_builder_add_camera(b, &(sn_camera){ .name = "eye", .node = hand, .is_perspective = true, .fov_y = 1 });
    sn_builder_add_light(b, &(sn_light){ .name = "lamp", .node = hand, .intensity = 1 });
    sn_builder_add_event(b, &(sn_event){ .name = "late", .node = hand, .clip = clip, .time = 1.5f });
    sn_builder_add_event(b, &(sn_event){ .name = "early", .node = hand, .clip = clip, .time = 0.5f });
    sn_builder_add_shape(b, &(sn_shape){ .name = "hit", .node = hand, .kind = SN_SHAPE_SPHERE, .radius = 2 });
    sn_builder_add_attachment(b, &(sn_attachment){ .name = "sword", .node = hand, .id = -1 });
    sn_builder_set_name(b, "puppet");
}

static void expect_puppet(const sn_model *model)
{
    check_model(model);
    assert_ptr_equal(model->checked, model);
    assert_string_equal(model->name, "puppet");
    assert_string_equal(model->format, "built");
    assert_int_equal(model->node_count, 2);
    assert_string_equal(model->nodes[0].name, "arm");
    assert_string_equal(model->nodes[1].name, "hand");
    assert_int_equal(model->nodes[1].parent, 0);
    assert_int_equal(model->nodes[1].id, 7);
    assert_int_equal(model->nodes[1].flags, SN_NODE_JOINT);
    assert_int_equal(model->skins[0].joints[0], 0);
    assert_int_equal(model->skins[0].joints[1], 1);
    assert_int_equal(model->parts[0].node, 1);
    assert_int_equal(model->lod_count, 2);
    assert_int_equal(model->default_scene, 0);
    assert_int_equal(model->scenes[0].roots[0], 0);
    assert_int_equal(model->clips[0].tracks[0].target, 1);
    assert_int_equal(model->cameras[0].node, 1);
    assert_int_equal(model->lights[0].node, 1);
    assert_string_equal(model->events[0].name, "early");
    assert_string_equal(model->events[1].name, "late");
    assert_int_equal(model->events[1].node, 1);
    assert_int_equal(model->shapes[0].node, 1);
    assert_int_equal(model->attachments[0].node, 1);
    assert_string_equal(model->attachments[0].path, "");
    assert_ptr_not_equal(model->meshes[0].positions, corners);
}

static sn_model *finish(sn_builder *b)
{
    sn_error error;
    sn_model *model = sn_builder_finish(b, &error);
    if (!model) fail_msg("%s: %s", error.path, error.message);
    return model;
}

static sn_builder *begin(const sn_model *from)
{
    sn_error error;
    sn_builder *b = sn_builder_create(from, NULL, &error);
    if (!b) fail_msg("%s: %s", error.path, error.message);
    return b;
}

static void made_by_hand(void **state)
{
    (void)state;
    sn_builder *b = begin(NULL);
    fill(b);
    sn_model *model = finish(b);
    expect_puppet(model);
    exercise_model(model);
    sn_error error;
    sn_pose *pose = sn_pose_create(model, NULL, &error);
    sn_pose_sample(pose, 0, 1.0f, 0.0f);  // half way from 0 to 4
    assert_vec3(sn_pose_local(pose, 1).translation, 2, 0, 0);
    sn_pose_free(pose);
    sn_model_free(model);
}

static void nothing_is_a_model_too(void **state)
{
    (void)state;
    sn_model *model = finish(begin(NULL));
    check_model(model);
    assert_int_equal(model->node_count, 0);
    sn_model_free(model);
    sn_builder_free(NULL);
    sn_builder_free(begin(NULL));
}

// Loaded, taken over and finished without a change: the same content. With detach the source may go.
static void copies_are_equal(void **state)
{
    (void)state;
    static const char *const samples[] = { "arm.glb",     "face.glb",  "crane.gltf", "golem.mdx", "lantern.mdl",
                                           "serpent.w3d", "house.w3d", "tank.w3d",   "arm2.mds",  "rabbit.chr" };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        char path[512];
        sn_error error;
        snprintf(path, sizeof path, "%s/%s", SINEW_SAMPLES, samples[i]);
        sn_model *from = sn_load_file(path, NULL, &error);
        if (!from) fail_msg("%s: %s", samples[i], error.message);
        uint64_t hash = sn_model_hash(from);
        sn_model *shared = finish(begin(from));
        assert_int_equal(sn_model_hash(shared), hash);
        if (from->mesh_count > 0) assert_ptr_equal(shared->meshes[0].positions, from->meshes[0].positions);
        check_model(shared);
        sn_model_free(shared);
        sn_builder *b = sn_builder_create(from, &(sn_build_opts){ .detach = true }, &error);
        assert_non_null(b);
        sn_model_free(from);
        sn_model *detached = finish(b);
        assert_int_equal(sn_model_hash(detached), hash);
        exercise_model(detached);
        sn_model_free(detached);
    }
}

static void elements_are_replaced(void **state)
{
    (void)state;
    sn_builder *b = begin(NULL);
    fill(b);
    sn_node node = sn_builder_view(b)->nodes[0];
    node.name = "fist";
    assert_true(sn_builder_set_node(b, 0, &node));
    sn_clip clip = sn_builder_view(b)->clips[0];
    clip.duration = 3;
    assert_true(sn_builder_set_clip(b, 0, &clip));
    sn_track track = slide(1);
    assert_int_equal(sn_builder_add_track(b, 0, &track), 1);
    track.channel = SN_CHANNEL_SCALE;
    assert_true(sn_builder_set_track(b, 0, 1, &track));
    assert_true(sn_builder_remove_track(b, 0, 0));
    sn_model *model = finish(b);
    check_model(model);
    assert_string_equal(model->nodes[1].name, "fist");
    assert_near(model->clips[0].duration, 3);
    assert_int_equal(model->clips[0].track_count, 1);
    assert_int_equal(model->clips[0].tracks[0].channel, SN_CHANNEL_SCALE);
    assert_int_equal(model->clips[0].tracks[0].target, 0);
    sn_model_free(model);
}

// The hand is removed: what hangs on it goes or goes without, the skin must be removed with it.
static void removal_follows_the_header(void **state)
{
    (void)state;
    sn_error error;
    sn_builder *b = begin(NULL);
    fill(b);
    sn_builder_remove(b, SN_ELEMENT_NODE, 0);
    assert_null(sn_builder_finish(b, &error));
    assert_string_equal(error.path, "/skins/0 \"bones\"");
    assert_string_equal(error.message, "its joint 1, node 0, was removed");

    b = begin(NULL);
    fill(b);
    assert_true(sn_builder_remove(b, SN_ELEMENT_NODE, 0) && sn_builder_remove(b, SN_ELEMENT_SKIN, 0));
    sn_model *model = finish(b);
    check_model(model);
    assert_int_equal(model->node_count, 1);
    assert_int_equal(model->nodes[0].flags, 0);
    assert_int_equal(model->part_count, 0);
    assert_int_equal(model->clips[0].track_count, 0);
    assert_int_equal(model->cameras[0].node, -1);
    assert_int_equal(model->lights[0].node, -1);
    assert_int_equal(model->events[0].node, -1);
    assert_int_equal(model->shapes[0].node, -1);
    assert_int_equal(model->attachment_count, 0);
    assert_int_equal(model->scenes[0].roots[0], 0);
    sn_model_free(model);

    b = begin(NULL);
    fill(b);
    sn_builder_remove(b, SN_ELEMENT_NODE, 1);
    sn_builder_remove(b, SN_ELEMENT_SKIN, 0);
    assert_null(sn_builder_finish(b, &error));
    assert_string_equal(error.path, "/nodes/0 \"hand\"");
    assert_string_equal(error.message, "its parent, node 1, was removed");

    b = begin(NULL);
    fill(b);
    sn_builder_remove(b, SN_ELEMENT_MATERIAL, 0);
    sn_builder_remove(b, SN_ELEMENT_CLIP, 0);
    sn_builder_remove(b, SN_ELEMENT_SCENE, 0);
    model = finish(b);
    check_model(model);
    assert_int_equal(model->parts[0].material, -1);
    assert_int_equal(model->event_count, 0);
    assert_int_equal(model->default_scene, -1);
    sn_model_free(model);

    b = begin(NULL);
    fill(b);
    sn_builder_remove(b, SN_ELEMENT_MESH, 0);
    model = finish(b);
    assert_int_equal(model->part_count, 0);
    sn_model_free(model);
}

// Images 0, 1, 2; the middle one goes: maps and tracks that show image 2 show image 1 now.
static void image_tracks_are_renumbered(void **state)
{
    (void)state;
    static const float shown[3] = { 0, 1, 2 }, at[3] = { 0, 1, 2 };
    sn_builder *b = begin(NULL);
    for (int i = 0; i < 3; i++) sn_builder_add_image(b, &(sn_image){ .name = "i" });
    sn_layer layers[2] = { sn_layer_default(), sn_layer_default() };
    layers[0].maps[SN_MAP_COLOR].image = 2;
    layers[1].maps[SN_MAP_COLOR].image = 1;
    sn_builder_add_material(b, &(sn_material){ .layers = layers,
                                               .layer_count = 2,
                                               .extensions = "{}",
                                               .extension_maps = &layers[0].maps[SN_MAP_COLOR],
                                               .extension_map_count = 1 });
    const sn_track track = { .target_kind = SN_TARGET_LAYER,
                             .channel = SN_CHANNEL_IMAGE,
                             .key_count = 3,
                             .width = 1,
                             .times = at,
                             .values = shown };
    sn_builder_add_clip(b, &(sn_clip){ .duration = 2, .tracks = &track, .track_count = 1 });
    sn_builder_remove(b, SN_ELEMENT_IMAGE, 1);
    sn_model *model = finish(b);
    check_model(model);
    assert_int_equal(model->materials[0].layers[0].maps[SN_MAP_COLOR].image, 1);
    assert_int_equal(model->materials[0].layers[1].maps[SN_MAP_COLOR].image, -1);
    assert_int_equal(model->materials[0].extension_maps[0].image, 1);
    assert_string_equal(model->materials[0].extensions, "{}");
    const float *values = model->clips[0].tracks[0].values;
    assert_true(values[0] == 0 && values[1] == -1 && values[2] == 1);
    sn_model_free(model);
}

// What would be repaired in a file is an error here: each names its element.
#define ERRORS(X)                                                                                                     \
    X(sn_builder_add_node(b, &(sn_node){ .name = "x", .parent = 9, .rest = trs_identity }), "/nodes/2 \"x\"",         \
      "parent 9")                                                                                                     \
    X(sn_builder_add_node(b, &(sn_node){ .name = "x", .parent = 2, .rest = trs_identity }), "/nodes/2 \"x\"",         \
      "ancestor")                                                                                                     \
    X(sn_builder_add_node(b, &(sn_node){ .name = "x", .parent = -1 }), "/nodes/2 \"x\"", "unit length")               \
    X(sn_builder_add_node(b, &(sn_node){ .name = "\xff", .parent = -1, .rest = trs_identity }), "/nodes/2", "UTF-8")  \
    X(sn_builder_add_node(b, &(sn_node){ .parent = -1, .extras = "{", .rest = trs_identity }), "/nodes/2", "JSON")    \
    X(sn_builder_add_node(b, &(sn_node){ .parent = -1, .rest = trs_move(NAN, 0, 0) }), "/nodes/2", "finite")          \
    X(sn_builder_add_mesh(b, &(sn_mesh){ .name = "m", .vertex_count = 3 }), "/meshes/1 \"m\"", "3 positions at NULL") \
    X(mesh.indices = far; sn_builder_add_mesh(b, &mesh), "/meshes/1", "index 9 of 3")                                 \
    X(mesh.index_count = 2; sn_builder_add_mesh(b, &mesh), "/meshes/1", "2 indices")                                  \
    X(mesh.vertex_weights = heavy; sn_builder_add_mesh(b, &mesh), "/meshes/1", "sum to 3")                            \
    X(mesh.vertex_joints = beyond; sn_builder_set_mesh(b, 0, &mesh), "/parts/0", "skin 0 cannot bend")                \
    X(mesh.morph_count = 1; sn_builder_add_mesh(b, &mesh), "/meshes/1", "1 morphs at NULL")                           \
    X(track.target = 99; sn_builder_add_track(b, 0, &track), "/clips/0 \"wave\"/tracks/1", "target node 99 of 2")     \
    X(track.target = -3; sn_builder_add_track(b, 0, &track), "/clips/0 \"wave\"/tracks/1", "target node -3 of 2")     \
    X(track.target_kind = SN_TARGET_LAYER; track.target = 0; track.channel = SN_CHANNEL_COLOR; track.sub = 7;         \
      sn_builder_add_track(b, 0, &track), "/clips/0 \"wave\"/tracks/1", "target layer 7 of 1")                        \
    X(track.target_kind = SN_TARGET_PART;                                                                             \
      sn_builder_add_track(b, 0, &track), "/clips/0 \"wave\"/tracks/1", "channel 0 does not drive target kind 1")     \
    X(track.target = 0; sn_builder_add_track(b, 0, &track), "/clips/0 \"wave\"", "earlier one")                       \
    X(track.times = back; sn_builder_add_track(b, 0, &track), "/clips/0 \"wave\"/tracks/1", "key 1")                  \
    X(track.width = 4; sn_builder_add_track(b, 0, &track), "/clips/0 \"wave\"/tracks/1", "4 floats wide")             \
    X(track.interpolation = 9; sn_builder_add_track(b, 0, &track), "/clips/0 \"wave\"/tracks/1", "interpolation 9")   \
    X(track.key_count = 0; track.target = 1;                                                                          \
      sn_builder_add_track(b, 0, &track), "/clips/0 \"wave\"/tracks/1", "no keys")                                    \
    X(sn_builder_add_track(b, 5, &track), "", "clips: 5 of 1")                                                        \
    X(sn_builder_add_clip(b, &(sn_clip){ .name = "c", .duration = NAN }), "/clips/1 \"c\"", "duration")               \
    X(sn_builder_add_clip(b, &(sn_clip){ .name = "c", .track_count = 2 }), "/clips/1 \"c\"", "2 tracks at NULL")      \
    X(sn_builder_add_part(b, &(sn_part){ .mesh = 4, .skin = -1, .material = -1 }), "/parts/1", "mesh 4 of 1")         \
    X(sn_builder_add_part(b, &(sn_part){ .lod = -2, .skin = -1, .material = -1 }), "/parts/1", "level of detail -2")  \
    X(sn_builder_add_part(b, &(sn_part){ .mesh = 4, .morph_weights = weights }), "/parts/1", "not there yet")         \
    X(sn_builder_add_skin(b, &(sn_skin){ "s", NULL, binds, 1 }), "/skins/1 \"s\"", "1 joints at NULL")                \
    X(sn_builder_add_material(b, &(sn_material){ .name = "n", .layer_count = 1 }), "/materials/1 \"n\"", "at NULL")   \
    X(sn_builder_add_camera(b, &(sn_camera){ .name = "c", .node = 6 }), "/cameras/1 \"c\"", "node 6 of 2")            \
    X(sn_builder_add_camera(b, &(sn_camera){ .name = "c", .node = 0, .fov_y = NAN }), "/cameras/1 \"c\"",             \
      "not finite")                                                                                                   \
    X(sn_builder_add_light(b, &(sn_light){ .name = "l", .node = 0, .intensity = NAN }), "/lights/1 \"l\"",            \
      "not finite")                                                                                                   \
    X(sn_builder_add_event(b, &(sn_event){ .name = "e", .node = 6 }), "/events/2 \"e\"", "node 6 of 2")               \
    X(far_joint[0] = 6;                                                                                               \
      sn_builder_add_skin(b, &(sn_skin){ "s", far_joint, binds, 1 }), "/skins/1 \"s\"", "node 6 of 2")                \
    X(far_joint[0] = 6; sn_builder_add_scene(b, &(sn_scene){ "s", far_joint, 1 }), "/scenes/1 \"s\"", "node 6 of 2")  \
    X(layer.maps[2].image = 5;                                                                                        \
      sn_builder_add_material(b, &(sn_material){ .name = "n", .layers = &layer, .layer_count = 1 }),                  \
      "/materials/1 \"n\"/layers/0/maps/2", "image 5 of 1")                                                           \
    X(sn_builder_add_event(b, &(sn_event){ .name = "e", .clip = 3 }), "/events/2 \"e\"", "clip 3 of 1")               \
    X(sn_builder_add_event(b, &(sn_event){ .name = "e", .time = -1 }), "/events/2 \"e\"", "time -1")                  \
    X(sn_builder_add_shape(b, &(sn_shape){ .name = "s", .radius = -1 }), "/shapes/1 \"s\"", "radius -1")              \
    X(sn_builder_add_attachment(b, &(sn_attachment){ .name = "a", .node = -1 }), "/attachments/1 \"a\"",              \
      "node -1 of 2")                                                                                                 \
    X(sn_builder_set_default_scene(b, 4), "", "scene 4 of 1")                                                         \
    X(sn_builder_set_up_axis(b, (sn_axis)7), "", "up axis 7")                                                         \
    X(sn_builder_remove(b, SN_ELEMENT_NODE, 2), "", "nodes: 2 of 2")                                                  \
    X(sn_builder_set_node(b, -1, &(sn_node){ 0 }), "", "nodes: -1 of 2")

static void errors_name_the_element(void **state)
{
    (void)state;
    static const uint32_t far[3] = { 0, 1, 9 };
    static const float heavy[3] = { 1, 3, 1 }, back[2] = { 1, 0 };
    static const uint16_t beyond[3] = { 0, 2, 0 };
#define TRY(breaking, where, what)                                                          \
    {                                                                                       \
        sn_error error;                                                                     \
        sn_mesh mesh = bent_triangle();                                                     \
        sn_track track = slide(1);                                                          \
        sn_builder *b = begin(NULL);                                                        \
        sn_layer layer = sn_layer_default();                                                \
        int32_t far_joint[1] = { 0 };                                                       \
        (void)mesh, (void)track, (void)layer, (void)far_joint;                              \
        fill(b);                                                                            \
        breaking;                                                                           \
        if (sn_builder_finish(b, &error)) fail_msg("not seen: %s", #breaking);              \
        check_error(&error);                                                                \
        assert_int_equal(error.status, SN_ERR_INVALID);                                     \
        if (strncmp(error.path, where, strlen(where)) != 0 || !strstr(error.message, what)) \
            fail_msg("%s: %s (for %s)", error.path, error.message, #breaking);              \
    }
    ERRORS(TRY)
}

// Nearly right numbers are set right: a weight of 0.995, a rotation of length 1.004.
static void small_errors_are_normalised(void **state)
{
    (void)state;
    static const float nearly[3] = { 0.995f, 1, 1 };
    sn_builder *b = begin(NULL);
    fill(b);
    sn_mesh mesh = bent_triangle();
    mesh.vertex_weights = nearly;
    sn_builder_set_mesh(b, 0, &mesh);
    sn_node node = sn_builder_view(b)->nodes[1];
    node.rest.rotation.w = 1.004f;
    sn_builder_set_node(b, 1, &node);
    sn_model *model = finish(b);
    check_model(model);
    assert_near(model->meshes[0].vertex_weights[0], 1);
    assert_near(model->nodes[0].rest.rotation.w, 1);
    sn_model_free(model);
}

static void borrowed_arrays_are_not_copied(void **state)
{
    (void)state;
    static const float nearly[3] = { 0.995f, 1, 1 };
    sn_error error;
    sn_builder *b = sn_builder_create(NULL, &(sn_build_opts){ .borrow = true }, &error);
    int32_t node = sn_builder_add_node(b, &(sn_node){ .name = "n", .parent = -1, .rest = sn_trs_identity() });
    sn_mesh mesh = bent_triangle();
    mesh.influence_count = 0, mesh.vertex_joints = NULL, mesh.vertex_weights = NULL;
    sn_builder_add_mesh(b, &mesh);
    sn_track track = slide(node);
    sn_builder_add_clip(b, &(sn_clip){ .name = "c", .duration = 2, .tracks = &track, .track_count = 1 });
    sn_model *model = finish(b);
    check_model(model);
    assert_ptr_equal(model->meshes[0].positions, corners);
    assert_ptr_equal(model->meshes[0].indices, triangle);
    assert_ptr_equal(model->clips[0].tracks[0].values, moves);
    sn_model_free(model);

    b = sn_builder_create(NULL, &(sn_build_opts){ .borrow = true }, &error);
    mesh = bent_triangle();
    mesh.vertex_weights = nearly;  // must not be changed, so it is an error
    sn_builder_add_mesh(b, &mesh);
    assert_null(sn_builder_finish(b, &error));
    assert_string_equal(error.path, "/meshes/0 \"skin\"");
}

static void broken_sources_are_refused(void **state)
{
    (void)state;
    sn_error error;
    sn_model broken = { .name = "", .format = "x", .lod_count = 1, .default_scene = -1, .node_count = 2 };
    assert_null(sn_builder_create(&broken, NULL, &error));
    assert_int_equal(error.status, SN_ERR_INVALID);
    assert_string_equal(error.message, "2 nodes at NULL");
}

// Every allocation fails once, in building from nothing and from a model: an error, and nothing is left behind.
static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    sn_error error;
    sn_model *from = sn_load_file(SINEW_SAMPLES "/golem.mdx", NULL, &error);
    assert_non_null(from);
    for (int kind = 0; kind < 3; kind++) {
        bool is_done = false;
        for (uint64_t k = 1; !is_done; k++) {
            counting_heap heap = { .fail_at = k };
            sn_build_opts opts = { .allocator = counting_allocator(&heap), .detach = kind == 2 };
            sn_builder *b = sn_builder_create(kind ? from : NULL, &opts, &error);
            if (b) {
                if (kind == 0) fill(b);
                if (kind > 0) sn_builder_remove(b, SN_ELEMENT_PART, 0);
                sn_model *model = sn_builder_finish(b, &error);
                is_done = model && heap.calls < k;
                if (model) check_model(model);
                sn_model_free(model);
                b = NULL;
                if (!model) assert_int_equal(error.status, SN_ERR_MEMORY);
            } else {
                assert_int_equal(error.status, SN_ERR_MEMORY);
            }
            assert_int_equal(heap.live_blocks, 0);
            assert_in_range(k, 1, 10000);
        }
    }
    sn_model_free(from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_by_hand),
        cmocka_unit_test(nothing_is_a_model_too),
        cmocka_unit_test(copies_are_equal),
        cmocka_unit_test(elements_are_replaced),
        cmocka_unit_test(removal_follows_the_header),
        cmocka_unit_test(image_tracks_are_renumbered),
        cmocka_unit_test(errors_name_the_element),
        cmocka_unit_test(small_errors_are_normalised),
        cmocka_unit_test(borrowed_arrays_are_not_copied),
        cmocka_unit_test(broken_sources_are_refused),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
