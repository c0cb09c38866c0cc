#include "hard_models.h"
#include "base/math.h"

#include <stddef.h>
#include <string.h>

static const sn_vec3 corners[3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 2, 0.5f } };
static const uint16_t corner_joints[6] = { 0, 1, 0, 1, 1, 0 };
static const float corner_weights[6] = { 0.75f, 0.25f, 0.5f, 0.5f, 1.0f, 0.0f };
static const sn_mat34 binds[4] = { { { { 1, 0, 0, 1 }, { 0, 1, 0, 2 }, { 0, 0, 1, 3 } } },
                                   { { { 0, 1, 0, 0 }, { -1, 0, 0, 0 }, { 0, 0, 1, 0 } } },
                                   { { { 1, 0, 0, -1 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } },
                                   { { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } } };

static int32_t triangle(test_rig *rig)
{
    sn_mesh *mesh = rig_mesh(rig, 3, corners);
    mesh->topology = SN_TRIANGLES;
    return (int32_t)rig->model.mesh_count - 1;
}

static int32_t bent_triangle(test_rig *rig)
{
    int32_t mesh = triangle(rig);
    rig->meshes[mesh].influence_count = 2;
    rig->meshes[mesh].vertex_joints = corner_joints;
    rig->meshes[mesh].vertex_weights = corner_weights;
    return mesh;
}

static int32_t named(test_rig *rig, const char *name, int32_t parent, sn_trs rest, uint32_t flags)
{
    int32_t node = rig_node(rig, parent, rest, flags);
    rig->nodes[node].name = name;
    return node;
}

static int32_t joint(test_rig *rig, const char *name, int32_t parent, float x)
{
    return named(rig, name, parent, trs_move(x, 1, 0), SN_NODE_JOINT);
}

// Roots a and b, each a joint with a rigid triangle; what they bend is carried by a third root. A fourth has a triangle
// too.
static void make_roots(test_rig *rig)
{
    static const int32_t joints[2] = { 0, 1 };
    joint(rig, "a", -1, 1);
    joint(rig, "b", -1, 2);
    named(rig, "skinned", -1, trs_move(9, 9, 9), 0);
    named(rig, "other", -1, trs_move(-3, 0, 0), 0);
    int32_t skin = rig_skin(rig, 2, joints, binds), rigid = triangle(rig);
    rig_part(rig, bent_triangle(rig), 2, skin);
    rig_part(rig, rigid, 0, -1);
    rig_part(rig, rigid, 1, -1);
    rig_part(rig, rigid, 3, -1);
    rig->model.clip_count = 0;
}

static void make_two_roots(test_rig *rig)
{
    static const int32_t all[4] = { 0, 1, 2, 3 };
    make_roots(rig);
    rig_scene(rig, 4, all);
    rig->model.default_scene = 0;
}

static void make_joints_in_no_scene(test_rig *rig)
{
    static const int32_t shown[2] = { 2, 3 };
    make_roots(rig);
    rig_scene(rig, 2, shown);
    rig->model.default_scene = 0;
}

// One of the joints also carries a light, which shines nowhere.
static void make_light_in_no_scene(test_rig *rig)
{
    static const sn_light light = {
        .name = "lamp", .node = 0, .kind = SN_LIGHT_POINT, .color = { 1, 1, 1 }, .intensity = 1
    };
    make_joints_in_no_scene(rig);
    rig->model.lights = &light;
    rig->model.light_count = 1;
}

static void make_joints_in_another_scene(test_rig *rig)
{
    static const int32_t first[2] = { 2, 3 }, second[1] = { 0 }, third[2] = { 1, 3 };
    make_roots(rig);
    rig_scene(rig, 2, first);
    rig_scene(rig, 1, second);
    rig_scene(rig, 2, third);
    rig->model.default_scene = 2;
}

// The skinned part itself is in no scene, its joints are.
static void make_part_in_no_scene(test_rig *rig)
{
    static const int32_t roots[2] = { 0, 1 };
    make_roots(rig);
    rig_scene(rig, 2, roots);
    rig->model.default_scene = 0;
}

static void make_z_up(test_rig *rig)
{
    static const int32_t first[3] = { 0, 1, 2 }, second[2] = { 2, 3 }, third[1] = { 3 };
    make_roots(rig);
    rig->model.up_axis = SN_Z_UP;
    rig_scene(rig, 3, first);
    rig_scene(rig, 2, second);
    rig_scene(rig, 1, third);
    rig->model.default_scene = 0;
}

static void make_joint_twice(test_rig *rig)
{
    static const int32_t joints[3] = { 0, 1, 0 };
    static const uint16_t vertex_joints[6] = { 0, 1, 2, 1, 0, 2 };
    joint(rig, "a", -1, 1);
    joint(rig, "b", 0, 2);
    named(rig, "skinned", -1, trs_identity, 0);
    int32_t mesh = bent_triangle(rig);
    rig->meshes[mesh].vertex_joints = vertex_joints;
    rig_part(rig, mesh, 2, rig_skin(rig, 3, joints, binds));
    rig->model.clip_count = 0;
}

static const float clip_times[2] = { 0.0f, 1.0f };
static const float places[6] = { 0, 0, 0, 3, 2, 1 };
static const float sizes[6] = { 1, 1, 1, 3, 0.5f, 2 };
static const float turns[8] = { 0, 0, 0, 1, 0.6f, 0, 0, 0.8f };

static int32_t with_matrix(test_rig *rig, const char *name, int32_t parent, const sn_mat34 *matrix, uint32_t flags)
{
    int32_t node = named(rig, name, parent, sni_mat34_decompose(matrix), flags);
    rig->nodes[node].matrix = matrix;
    return node;
}

// With shear: mirrored too, then without height, then without width and height, then nothing at all. Each carries a
// triangle.
static void make_sheared(test_rig *rig)
{
    static const sn_mat34 matrices[5] = { { { { 1, 2, 0, 5 }, { 0, 1, 0, 6 }, { 0, 0.5f, 3, 7 } } },
                                          { { { -1, 2, 0, 0 }, { 1, 1, 0.25f, 1 }, { 0, 0, 2, 0 } } },
                                          { { { 1, 1, 0, 0 }, { 0, 0, 0, 1 }, { 1, 0, 2, 0 } } },
                                          { { { 1, 2, 3, 0 }, { 2, 4, 6, 0 }, { 0.5f, 1, 1.5f, 4 } } },
                                          { { { 0, 0, 0, 1 }, { 0, 0, 0, 2 }, { 0, 0, 0, 3 } } } };
    static const int32_t joints[2] = { 1, 0 };
    static const char *const names[5] = { "n0", "n1", "n2", "n3", "n4" };
    int32_t mesh = triangle(rig);
    for (int i = 0; i < 5; i++) {
        int32_t parent = i == 1 ? 0 : -1;
        rig_part(rig, mesh, with_matrix(rig, names[i], parent, &matrices[i], i < 2 ? SN_NODE_JOINT : 0), -1);
    }
    rig_part(rig, bent_triangle(rig), named(rig, "skinned", -1, trs_identity, 0), rig_skin(rig, 2, joints, binds));
    rig->nodes[2].flags |= SN_NODE_HIDDEN;
    rig->model.clip_count = 0;
}

// A clip that drives one channel of a node replaces its whole matrix; the other clip leaves it alone.
static void make_sheared_moving(test_rig *rig)
{
    static const sn_mat34 matrix = { { { 1, 2, 0, 5 }, { 0, 1, 0, 6 }, { 0, 0.5f, 3, 7 } } };
    static sn_clip clips[2];
    int32_t node = with_matrix(rig, "n", -1, &matrix, 0), child = named(rig, "child", node, trs_move(1, 0, 0), 0);
    rig_part(rig, triangle(rig), child, -1);
    rig_track(rig, SN_TARGET_NODE, node, SN_CHANNEL_SCALE, keys_of(SN_LINEAR, 2, 3, clip_times, sizes));
    rig_track(rig, SN_TARGET_NODE, child, SN_CHANNEL_TRANSLATION, keys_of(SN_LINEAR, 2, 3, clip_times, places));
    for (uint32_t i = 0; i < 2; i++)
        clips[i] = (sn_clip){
            .name = i ? "below" : "itself", .duration = 1.0f, .tracks = rig->tracks + i, .track_count = 1
        };
    rig->model.clips = clips;
    rig->model.clip_count = 2;
}

// Translation * scale * rotation, as Dark Cloud 2 has it.
static void make_scale_across(test_rig *rig)
{
    sn_trs rest = { { 1, 2, 3 }, quat_about((sn_vec3){ 0, 0, 1 }, 0.7), { 1, 2, 4 } };
    int32_t still = named(rig, "still", -1, rest, SN_NODE_SCALE_PARENT_AXES);
    int32_t moving = named(rig, "moving", still, trs_identity, SN_NODE_SCALE_PARENT_AXES), mesh = triangle(rig);
    rig_part(rig, mesh, still, -1);
    rig_part(rig, mesh, moving, -1);
    rig_track(rig, SN_TARGET_NODE, moving, SN_CHANNEL_SCALE, keys_of(SN_LINEAR, 2, 3, clip_times, sizes));
    rig_track(rig, SN_TARGET_NODE, moving, SN_CHANNEL_ROTATION, keys_of(SN_LINEAR, 2, 4, clip_times, turns));
    rig->clip.name = "stretch";
}

// The same where the rest is a matrix: scale along the node's own axes, until a clip drives it.
static void make_scale_across_matrix(test_rig *rig)
{
    static const sn_mat34 matrix = { { { 0, -2, 0, 1 }, { 1, 0, 0, 2 }, { 0, 0, 4, 3 } } };
    int32_t node = with_matrix(rig, "n", -1, &matrix, SN_NODE_SCALE_PARENT_AXES);
    rig_part(rig, triangle(rig), node, -1);
    rig_track(rig, SN_TARGET_NODE, node, SN_CHANNEL_SCALE, keys_of(SN_LINEAR, 2, 3, clip_times, sizes));
    rig->clip.name = "stretch";
}

static const uint8_t dot[69] = {
    // a PNG of one pixel
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00,
    0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00, 0x00, 0x90, 0x77, 0x53, 0xde, 0x00, 0x00, 0x00,
    0x0c, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0x68, 0x68, 0xf8, 0x0f, 0x00, 0x03, 0x83, 0x02, 0x00, 0x00,
    0xa5, 0xfb, 0x89, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
};

static const sn_vec2 uvs[3] = { { 0, 0 }, { 1, 0 }, { 0, 1 } };
static const sn_image images[1] = {
    { .name = "dot", .uri = "", .mime_type = "image/png", .data = dot, .size = sizeof dot }
};

static void set_map(sn_layer *layer, sn_map map, int32_t uv_set)
{
    layer->maps[map] = (sn_texture){
        .image = 0, .uv_set = uv_set, .strength = 1.0f, .transform = { { 0, 0 }, 0, { 1, 1 } }
    };
}

static sn_layer *one_layer(test_rig *rig)
{
    static sn_layer layer;
    layer = (sn_layer){ .color = { 1, 0.5f, 0.25f, 1 }, .roughness = 1.0f };
    for (int i = 0; i < SN_MAP_COUNT; i++) layer.maps[i].image = -1;
    rig->materials[0] = (sn_material){ .name = "paint", .layers = &layer, .layer_count = 1 };
    rig->model.material_count = 1;
    rig->model.images = images;
    rig->model.image_count = 1;
    return &layer;
}

static void show(test_rig *rig, int32_t mesh, const sn_vec2 *const *sets, uint32_t set_count)
{
    rig->meshes[mesh].uvs = sets;
    rig->meshes[mesh].uv_count = set_count;
    rig->parts[rig_part(rig, mesh, named(rig, "shown", -1, trs_move((float)mesh * 2.0f, 0, 0), 0), -1)].material = 0;
}

// One material with maps by three sets of coordinates; meshes that have all, the second alone, the first alone, none.
static void make_missing_sets(test_rig *rig)
{
    static const sn_vec2 *const all[3] = { uvs, uvs, uvs }, *const second[2] = { NULL, uvs };
    static const float colors[6] = { 1, 0, 0, 0, 0, 1 };
    sn_layer *layer = one_layer(rig);
    set_map(layer, SN_MAP_COLOR, 0);
    set_map(layer, SN_MAP_OCCLUSION, 1);
    set_map(layer, SN_MAP_EMISSIVE, 2);
    show(rig, triangle(rig), all, 3);
    show(rig, triangle(rig), second, 2);
    show(rig, triangle(rig), all, 1);
    show(rig, triangle(rig), NULL, 0);
    rig_track(rig, SN_TARGET_LAYER, 0, SN_CHANNEL_COLOR, keys_of(SN_LINEAR, 2, 3, clip_times, colors));
    rig_track(rig, SN_TARGET_LAYER, 0, SN_CHANNEL_UV_OFFSET, keys_of(SN_LINEAR, 2, 2, clip_times, places));
    rig->clip.name = "glow";
}

// A normal map on triangles and on points, both without normals; the triangles share an edge and have a morph.
static void make_bare_normal_map(test_rig *rig)
{
    static const sn_vec3 roof[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 0, 1 } };
    static const sn_vec3 lifts[4] = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 1 }, { 0, 1, 0 } };
    static const sn_vec2 square[4] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } }, *const sets[1] = { square };
    static const uint32_t faces[6] = { 0, 1, 2, 0, 3, 1 };
    static const sn_morph morph = { .name = "lift", .positions = lifts };
    static const float weight = 0.25f;
    set_map(one_layer(rig), SN_MAP_NORMAL, 0);
    sn_mesh *mesh = rig_mesh(rig, 4, roof);
    mesh->topology = SN_TRIANGLES, mesh->indices = faces, mesh->index_count = 6;
    mesh->morphs = &morph, mesh->morph_count = 1;
    show(rig, 0, sets, 1);
    rig->parts[0].morph_weights = &weight;
    rig_mesh(rig, 4, roof);
    show(rig, 1, sets, 1);
    rig->model.clip_count = 0;
}

// Extensions that no file had: values out of range, unknown properties, maps that there are not, each twice.
static void make_odd_extensions(test_rig *rig)
{
    static const sn_vec2 *const sets[1] = { uvs };
    sn_layer *layer = one_layer(rig);
    rig->materials[0].extensions = "{\"KHR_materials_clearcoat\":{\"clearcoatFactor\":7,\"clearcoatTexture\":9,"
                                   "\"clearcoatNormalTexture\":\"x\",\"shine\":[1]},"
                                   "\"KHR_materials_ior\":{\"ior\":2,\"ior\":3},\"KHR_materials_ior\":{\"ior\":4},"
                                   "\"KHR_materials_sheen\":5,\"EXT_other\":{}}";
    set_map(layer, SN_MAP_COLOR, 0);
    show(rig, triangle(rig), sets, 1);
    rig->model.clip_count = 0;
}

// Extras of every kind of JSON, on a mesh with names for its morphs too.
static void make_extras(test_rig *rig)
{
    static const char *const values[6] = { "5", "\"five\"", "[5, {\"a\": 5}]", "null", "{ }", "{\"a\":5}" };
    static const char *const names[6] = { "n0", "n1", "n2", "n3", "n4", "n5" };
    static const sn_morph morph = { .name = "lift", .positions = corners };
    static const float weight = 0.0f;
    for (int i = 0; i < 6; i++) {
        int32_t node = named(rig, names[i], -1, trs_identity, 0), mesh = triangle(rig);
        rig->nodes[node].extras = rig->meshes[mesh].extras = values[i];
        rig->meshes[mesh].morphs = &morph;
        rig->meshes[mesh].morph_count = 1;
        rig->parts[rig_part(rig, mesh, node, -1)].morph_weights = &weight;
    }
    rig->model.extras = "true";
    rig->model.clip_count = 0;
}

// One node shows meshes with two morphs and with none; its track drives both.
static void make_odd_morphs(test_rig *rig)
{
    static const sn_vec3 lift[3] = { { 0, 0, 1 }, { 0, 0, 1 }, { 0, 0, 1 } },
                         pull[3] = { { 1, 0, 0 }, { 2, 0, 0 }, { 0, 0, 0 } };
    static const sn_morph morphs[3] = { { .name = "", .positions = lift },
                                        { .name = "", .positions = pull },
                                        { .name = "", .positions = corners } };
    static const float at_rest[3] = { 0.5f, 0.25f, 0.75f }, keys[12] = { 0, 0, 0, 0, 1, 1, 0, 0, 1, 0.5f, 0, 0 };
    static const uint32_t counts[3] = { 2, 2, 0 };
    int32_t node = named(rig, "face", -1, trs_identity, 0);
    for (int i = 0; i < 3; i++) {
        int32_t mesh = triangle(rig);
        rig->meshes[mesh].morphs = morphs;
        rig->meshes[mesh].morph_count = counts[i];
        rig->parts[rig_part(rig, mesh, node, -1)].morph_weights = counts[i] ? at_rest : NULL;
    }
    rig_track(rig, SN_TARGET_NODE, node, SN_CHANNEL_MORPHS, keys_of(SN_CUBIC_SPLINE, 2, 2, clip_times, keys));
    rig->clip.name = "talk";
}

static void make_same_names(test_rig *rig)
{
    static const char *const names[6] = { "Stand", "Stand.2", "Stand", "", "Stand", "" };
    static sn_clip clips[6];
    int32_t node = named(rig, "a", -1, trs_identity, 0);
    rig_part(rig, triangle(rig), named(rig, "a", node, trs_identity, 0), -1);
    rig_track(rig, SN_TARGET_NODE, node, SN_CHANNEL_TRANSLATION, keys_of(SN_LINEAR, 2, 3, clip_times, places));
    for (int i = 0; i < 6; i++)
        clips[i] = (sn_clip){ .name = names[i], .duration = 1.0f, .tracks = rig->tracks, .track_count = 1 };
    rig->model.clips = clips;
    rig->model.clip_count = 6;
}

// Colours of vertices brighter than white and darker than black, above a set that is missing.
static void make_bright_colors(test_rig *rig)
{
    static const sn_vec4 bright[3] = { { 2, 0.5f, -1, 1 }, { 0, 1, 0.25f, 1 }, { 1, 1, 1, 0.5f } };
    static const sn_vec4 *const sets[2] = { NULL, bright };
    int32_t mesh = triangle(rig);
    rig->meshes[mesh].colors = sets;
    rig->meshes[mesh].color_count = 2;
    rig_part(rig, mesh, named(rig, "shown", -1, trs_identity, 0), -1);
    rig->model.clip_count = 0;
}

// A PNG that ends behind its signature, a JPEG behind its first marker.
static void make_broken_images(test_rig *rig)
{
    static const uint8_t jpeg[20] = { 0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10, 'J', 'F', 'I', 'F' };
    static const sn_image broken[2] = {
        { .name = "png", .uri = "", .mime_type = "image/png", .data = dot, .size = 8 },
        { .name = "jpeg", .uri = "", .mime_type = "image/jpeg", .data = jpeg, .size = sizeof jpeg }
    };
    static const sn_vec2 *const sets[1] = { uvs };
    sn_layer *layer = one_layer(rig);
    set_map(layer, SN_MAP_COLOR, 0);
    set_map(layer, SN_MAP_EMISSIVE, 0);
    layer->maps[SN_MAP_EMISSIVE].image = 1;
    rig->model.images = broken;
    rig->model.image_count = 2;
    show(rig, triangle(rig), sets, 1);
    rig->model.clip_count = 0;
}

// A PNG with linear gamma and pixels twice as high as wide, which glTF ignores and validators warn of.
static void make_odd_image(test_rig *rig)
{
    enum { HEADER = 33 };
    static const uint8_t odd[] = { 0x00, 0x00, 0x00, 0x04, 0x67, 0x41, 0x4d, 0x41, 0x00, 0x01, 0x86, 0xa0, 0x31,
                                   0xe8, 0x96, 0x5f, 0x00, 0x00, 0x00, 0x09, 0x70, 0x48, 0x59, 0x73, 0x00, 0x00,
                                   0x00, 0x01, 0x00, 0x00, 0x00, 0x02, 0x00, 0x64, 0x08, 0x97, 0x15 };
    static uint8_t png[sizeof dot + sizeof odd];
    static const sn_image image[1] = {
        { .name = "odd", .uri = "", .mime_type = "image/png", .data = png, .size = sizeof png }
    };
    static const sn_vec2 *const sets[1] = { uvs };
    memcpy(png, dot, HEADER);
    memcpy(png + HEADER, odd, sizeof odd);
    memcpy(png + HEADER + sizeof odd, dot + HEADER, sizeof dot - HEADER);
    set_map(one_layer(rig), SN_MAP_COLOR, 0);
    rig->model.images = image;
    show(rig, triangle(rig), sets, 1);
    rig->model.clip_count = 0;
}

static const float thirds[3] = { 0.0f, 0.4f, 0.7f }, late[3] = { 0, 1, 0 }, early[3] = { 1, 0, 1 };

static void hide(test_rig *rig, sn_target kind, int32_t target, const float *values)
{
    rig_track(rig, kind, target, SN_CHANNEL_VISIBILITY, keys_of(SN_STEP, 3, 1, thirds, values));
}

static void move_joint(test_rig *rig, int32_t node)
{
    rig_track(rig, SN_TARGET_NODE, node, SN_CHANNEL_TRANSLATION, keys_of(SN_LINEAR, 2, 3, clip_times, places));
    rig_track(rig, SN_TARGET_NODE, node, SN_CHANNEL_ROTATION, keys_of(SN_LINEAR, 2, 4, clip_times, turns));
}

static int32_t bent_by(test_rig *rig, const uint16_t *vertex_joints, int32_t node, int32_t skin)
{
    int32_t mesh = bent_triangle(rig);
    rig->meshes[mesh].vertex_joints = vertex_joints;
    return rig_part(rig, mesh, node, skin);
}

// Skinned parts of one skin. Two are hidden at the same times, by several joints and by one; one is hidden at rest and
// shown by a clip, by joints of two limbs; one is never shown. The second clip moves joints and hides nothing.
static void make_hidden_skinned(test_rig *rig)
{
    static const int32_t joints[4] = { 0, 1, 2, 3 };
    static const uint16_t arm[6] = { 1, 2, 2, 1, 1, 2 }, hand[6] = { 2, 2, 2, 2, 2, 2 },
                          limbs[6] = { 1, 3, 3, 1, 1, 0 };
    static const float whole[6] = { 1, 0, 1, 0, 1, 0 };
    static sn_clip clips[2];
    joint(rig, "hip", -1, 1);
    joint(rig, "arm", 0, 2);
    joint(rig, "hand", 1, 1);
    joint(rig, "leg", 0, -2);
    int32_t node = named(rig, "skinned", -1, trs_identity, 0), skin = rig_skin(rig, 4, joints, binds);
    rig_part(rig, bent_triangle(rig), node, skin);
    hide(rig, SN_TARGET_PART, bent_by(rig, arm, node, skin), early);
    int32_t held = bent_by(rig, hand, node, skin);
    rig->meshes[rig->parts[held].mesh].vertex_weights = whole;
    hide(rig, SN_TARGET_PART, held, early);
    int32_t other = bent_by(rig, limbs, node, skin), never = bent_by(rig, arm, node, skin);
    rig->parts[other].is_hidden = rig->parts[never].is_hidden = true;
    hide(rig, SN_TARGET_PART, other, late);
    for (int32_t i = 0; i < 4; i++) move_joint(rig, i);
    for (uint32_t i = 0; i < 2; i++)
        clips[i] = (sn_clip){ .name = i ? "walk" : "fight",
                              .duration = 1.0f,
                              .tracks = rig->tracks + i * 3,
                              .track_count = rig->clip.track_count - i * 3 };
    rig->model.clips = clips;
    rig->model.clip_count = 2;
}

// As a unit of Warcraft III, which rests as it stands: its first part is hidden then, and its hand scaled to 0.
static void make_rests_standing(test_rig *rig)
{
    static const float start[1] = { 0 }, nothing[3] = { 0, 0, 0 };
    static sn_clip clips[2];
    make_hidden_skinned(rig);
    hide(rig, SN_TARGET_PART, 0, late);
    rig_track(rig, SN_TARGET_NODE, 2, SN_CHANNEL_SCALE, keys_of(SN_STEP, 1, 3, start, nothing));
    memcpy(clips, rig->model.clips, sizeof clips);
    clips[0].name = "Stand";
    clips[0].track_count = rig->clip.track_count;
    rig->model.clips = clips;
    rig->model.format = "mdx";
}

// Joints that have nothing in common but the scene; one of them is listed twice.
static void make_hidden_roots(test_rig *rig)
{
    static const int32_t joints[3] = { 0, 1, 0 };
    static const uint16_t vertex_joints[6] = { 0, 1, 2, 1, 0, 2 };
    joint(rig, "a", -1, 1);
    joint(rig, "b", -1, 2);
    int32_t node = named(rig, "skinned", -1, trs_identity, 0), skin = rig_skin(rig, 3, joints, binds);
    hide(rig, SN_TARGET_PART, bent_by(rig, vertex_joints, node, skin), early);
    move_joint(rig, 0), move_joint(rig, 1);
    rig->clip.name = "blink";
}

// Hidden with their node: a part whose joints are elsewhere, and scale along the axes of their parents.
static void make_hidden_above(test_rig *rig)
{
    static const int32_t joints[2] = { 1, 0 };
    sn_trs rest = { { 1, 2, 3 }, quat_about((sn_vec3){ 0, 0, 1 }, 0.7), { 1, 2, 4 } };
    named(rig, "still", -1, rest, SN_NODE_SCALE_PARENT_AXES | SN_NODE_JOINT);
    named(rig, "moving", 0, rest, SN_NODE_SCALE_PARENT_AXES | SN_NODE_JOINT);
    int32_t above = named(rig, "above", -1, trs_move(1, 0, 0), 0), node = named(rig, "skinned", above, trs_identity, 0);
    hide(rig, SN_TARGET_PART, rig_part(rig, bent_triangle(rig), node, rig_skin(rig, 2, joints, binds)), early);
    hide(rig, SN_TARGET_NODE, above, late);
    rig->nodes[above].flags |= SN_NODE_HIDDEN;
    rig_track(rig, SN_TARGET_NODE, 1, SN_CHANNEL_SCALE, keys_of(SN_LINEAR, 2, 3, clip_times, sizes));
    move_joint(rig, 1);
    rig->clip.name = "blink";
}

// Rotations of unit length as far as a model must have it, with a component above 1.
static void make_long_rotations(test_rig *rig)
{
    const float above = 1.000002f, none = 0.0f;
    for (int i = 0; i < 4; i++) {
        sn_trs rest = trs_move((float)i, 0, 0);
        rest.rotation = (sn_quat){ none, none, none, none };
        (&rest.rotation.x)[i] = i % 2 ? -above : above;
        rig_part(rig, triangle(rig), named(rig, "long", -1, rest, 0), -1);
    }
    rig->model.clip_count = 0;
}

// Rigid parts, on nodes whose scale is free to hide them and on one where it is not.
static void make_hidden_rigid(test_rig *rig)
{
    int32_t mesh = triangle(rig), node = named(rig, "stretched", -1, trs_stretch(1, 2, 3), 0);
    int32_t child = named(rig, "child", node, trs_move(1, 0, 0), SN_NODE_HIDDEN);
    rig_part(rig, mesh, node, -1);
    rig_part(rig, mesh, child, -1);
    rig->nodes[child].extras = "{\"a\":5}";
    hide(rig, SN_TARGET_PART, rig_part(rig, mesh, child, -1), early);
    hide(rig, SN_TARGET_NODE, node, early);
    hide(rig, SN_TARGET_NODE, child, early);
    rig_track(rig, SN_TARGET_NODE, child, SN_CHANNEL_TRANSLATION, keys_of(SN_LINEAR, 2, 3, clip_times, places));
    rig->clip.name = "blink";
}

// clang-format off
const hard_model hard_models[] = {
    { "two_roots", make_two_roots, NULL },
    { "joints_in_no_scene", make_joints_in_no_scene, NULL },
    { "light_in_no_scene", make_light_in_no_scene, "lights[0] \"lamp\"" },
    { "joints_in_another_scene", make_joints_in_another_scene, "also show" },
    { "part_in_no_scene", make_part_in_no_scene, NULL },
    { "z_up", make_z_up, "also show" },
    { "joint_twice", make_joint_twice, NULL },
    { "sheared", make_sheared, NULL },
    { "sheared_moving", make_sheared_moving, NULL },
    { "scale_across", make_scale_across, NULL },
    { "scale_across_matrix", make_scale_across_matrix, NULL },
    { "missing_sets", make_missing_sets, "lacks texture coordinates" },
    { "bare_normal_map", make_bare_normal_map, "normals or tangents" },
    { "odd_extensions", make_odd_extensions, "values that glTF does not allow" },
    { "extras", make_extras, NULL },
    { "odd_morphs", make_odd_morphs, NULL },
    { "same_names", make_same_names, "written as" },
    { "bright_colors", make_bright_colors, "vertex colours were clamped" },
    { "broken_images", make_broken_images, "truncated before its pixels" },
    { "odd_image", make_odd_image, NULL },
    { "hidden_skinned", make_hidden_skinned, NULL },
    { "rests_standing", make_rests_standing, NULL },
    { "hidden_roots", make_hidden_roots, NULL },
    { "hidden_above", make_hidden_above, NULL },
    { "hidden_rigid", make_hidden_rigid, NULL },
    { "long_rotations", make_long_rotations, NULL },
    { 0 },
};
// clang-format on

const test_rig *hard_make(const char *name)
{
    static test_rig rig;
    for (const hard_model *at = hard_models; at->name; at++) {
        if (strcmp(at->name, name) != 0) continue;
        rig_init(&rig);
        at->make(&rig);
        return &rig;
    }
    return NULL;
}
