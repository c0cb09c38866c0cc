// Makes the bundled samples: small models whose every number can be worked out by hand.
//
//     make_samples FOLDER             samples/
//     make_samples --sweep FOLDER     tests/sweep_samples/, where the texts are that it reads
//
// Only + - * / and sqrt are used, so that every machine makes the same bytes.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "image/png.h"
#include "make_samples.h"
#include "make_sweep.h"
#include "maker.h"

static sn_quat turn_90(float x, float y, float z)
{
    float half = sqrtf(0.5f);
    return (sn_quat){ x * half, y * half, z * half, half };
}

// An arm of two bones along +Y, each of length 1. Seven rings of four corners; the weight moves from the upper to
// the lower bone between 0.75 and 1.25, half and half at the elbow.
enum { RINGS = 7, ARM_VERTICES = RINGS * 4 };

static void make_arm_skin(maker *m, gltf_primitive *primitive)
{
    static const float heights[RINGS] = { 0.0f, 0.5f, 0.75f, 1.0f, 1.25f, 1.5f, 2.0f };
    static const float lower[RINGS] = { 0.0f, 0.0f, 0.25f, 0.5f, 0.75f, 1.0f, 1.0f };
    sn_vec3 positions[ARM_VERTICES], normals[ARM_VERTICES];
    sn_vec4 weights[ARM_VERTICES] = { { 0 } };
    uint8_t joints[ARM_VERTICES][4] = { { 0 } };
    uint16_t indices[(RINGS - 1) * 4 * 6 + 2 * 6], count = 0;
    float side = sqrtf(0.5f);
    for (int i = 0; i < ARM_VERTICES; i++) {
        float x = i % 4 == 0 || i % 4 == 3 ? 1.0f : -1.0f, z = i % 4 < 2 ? 1.0f : -1.0f;
        positions[i] = (sn_vec3){ 0.15f * x, heights[i / 4], 0.15f * z };
        normals[i] = (sn_vec3){ side * x, 0.0f, side * z };
        weights[i] = (sn_vec4){ 1.0f - lower[i / 4], lower[i / 4], 0.0f, 0.0f };
        joints[i][1] = lower[i / 4] > 0.0f;
        if (lower[i / 4] == 1.0f) {  // one bone alone: in the first slot, so that no slot names a joint in vain
            weights[i] = (sn_vec4){ 1.0f, 0.0f, 0.0f, 0.0f };
            joints[i][0] = 1;
            joints[i][1] = 0;
        }
    }
    for (int ring = 0; ring < RINGS - 1; ring++) {
        for (int c = 0; c < 4; c++) {
            uint16_t a = (uint16_t)(ring * 4 + c), b = (uint16_t)(ring * 4 + (c + 1) % 4);
            uint16_t quad[6] = { a, (uint16_t)(a + 4), b, b, (uint16_t)(a + 4), (uint16_t)(b + 4) };
            memcpy(indices + count, quad, sizeof quad);
            count = (uint16_t)(count + 6);
        }
    }
    uint16_t top = ARM_VERTICES - 4;
    uint16_t caps[12] = {
        0, 1, 2, 0, 2, 3, (uint16_t)(top + 2), (uint16_t)(top + 1), top, (uint16_t)(top + 3), (uint16_t)(top + 2), top
    };
    memcpy(indices + count, caps, sizeof caps);
    count = (uint16_t)(count + 12);
    maker_attribute(m, &primitive->attributes, "POSITION",
                    maker_floats(m, &positions[0].x, ARM_VERTICES, GLTF_VEC3, GLTF_ARRAY_BUFFER, true));
    maker_attribute(m, &primitive->attributes, "NORMAL",
                    maker_floats(m, &normals[0].x, ARM_VERTICES, GLTF_VEC3, GLTF_ARRAY_BUFFER, false));
    maker_attribute(m, &primitive->attributes, "JOINTS_0", maker_joints(m, &joints[0][0], ARM_VERTICES));
    maker_attribute(m, &primitive->attributes, "WEIGHTS_0",
                    maker_floats(m, &weights[0].x, ARM_VERTICES, GLTF_VEC4, GLTF_ARRAY_BUFFER, false));
    primitive->indices = maker_u16(m, indices, count, GLTF_ELEMENT_BUFFER);
}

static void make_arm_clips(maker *m, int32_t upper, int32_t lower)
{
    static const float bend_times[3] = { 0.0f, 1.0f, 2.0f }, wave_times[2] = { 0.0f, 1.0f };
    sn_quat straight = { 0, 0, 0, 1 }, bent = turn_90(0, 0, 1), raised = turn_90(1, 0, 0);
    sn_quat bend[3] = { straight, bent, straight };
    // Cubic spline: in, value, out for each key. Without speed at the ends it eases in and out.
    sn_quat still = { 0, 0, 0, 0 }, wave[6] = { still, straight, still, still, raised, still };
    gltf_animation *animation = maker_animation(m, "bend");
    int32_t output = maker_floats(m, &bend[0].x, 3, GLTF_VEC4, 0, false);
    maker_channel(m, animation, lower, GLTF_ROTATION, GLTF_LINEAR_KEYS,
                  maker_floats(m, bend_times, 3, GLTF_SCALAR, 0, true), output);
    animation = maker_animation(m, "wave");
    output = maker_floats(m, &wave[0].x, 6, GLTF_VEC4, 0, false);
    maker_channel(m, animation, upper, GLTF_ROTATION, GLTF_CUBIC_KEYS,
                  maker_floats(m, wave_times, 2, GLTF_SCALAR, 0, true), output);
}

static bool make_arm(const char *folder)
{
    maker m;
    int32_t root, upper, lower, hand, body, mesh;
    maker_init(&m);
    maker_node(&m, "arm", &root);
    maker_node(&m, "upper", &upper);
    maker_node(&m, "lower", &lower)->trs.translation.y = 1.0f;
    maker_node(&m, "hand", &hand)->trs.translation.y = 1.0f;
    gltf_node *skinned = maker_node(&m, "body", &body);
    gltf_node *nodes = m.nodes.items;
    nodes[root].children = maker_list(&m, 1, &upper);
    nodes[upper].children = maker_list(&m, 1, &lower);
    nodes[lower].children = maker_list(&m, 1, &hand);

    gltf_primitive *primitive = maker_mesh(&m, "sleeve", &mesh);
    primitive->material = maker_material(&m, "cloth", (sn_vec4){ 0.8f, 0.45f, 0.2f, 1.0f }, 0.0f, 0.9f);
    make_arm_skin(&m, primitive);
    skinned->mesh = mesh;
    skinned->skin = 0;

    float binds[2][16] = { { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 },
                           { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1 } };
    gltf_skin *skin = sni_push(&m.arena, &m.skins, gltf_skin);
    *skin = (gltf_skin){ .object.name = "bones",
                         .joints = maker_list(&m, 2, (int32_t[]){ upper, lower }),
                         .skeleton = -1 };
    skin->inverse_binds = maker_floats(&m, &binds[0][0], 2, GLTF_MAT4, 0, false);
    make_arm_clips(&m, upper, lower);
    gltf_scene scene = { .nodes = maker_list(&m, 2, (int32_t[]){ root, body }) };
    m.doc.scenes = &scene;
    m.doc.scene_count = 1;
    bool is_saved = maker_save(&m, folder, "arm", true);
    maker_free(&m);
    return is_saved;
}

static void make_box(maker *m, gltf_primitive *primitive)
{
    sn_vec3 positions[24], normals[24];
    uint16_t indices[36];
    for (int face = 0; face < 6; face++) {
        int axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        float sign = face % 2 ? -1.0f : 1.0f;
        for (int corner = 0; corner < 4; corner++) {
            float position[3], normal[3] = { 0 };
            position[axis] = 0.5f * sign;
            position[u] = (corner == 1 || corner == 2 ? 0.5f : -0.5f) * sign;
            position[v] = corner < 2 ? -0.5f : 0.5f;
            normal[axis] = sign;
            memcpy(&positions[face * 4 + corner], position, sizeof position);
            memcpy(&normals[face * 4 + corner], normal, sizeof normal);
        }
        uint16_t first = (uint16_t)(face * 4);
        uint16_t quad[6] = { first, (uint16_t)(first + 1), (uint16_t)(first + 2),
                             first, (uint16_t)(first + 2), (uint16_t)(first + 3) };
        memcpy(indices + face * 6, quad, sizeof quad);
    }
    maker_attribute(m, &primitive->attributes, "POSITION",
                    maker_floats(m, &positions[0].x, 24, GLTF_VEC3, GLTF_ARRAY_BUFFER, true));
    maker_attribute(m, &primitive->attributes, "NORMAL",
                    maker_floats(m, &normals[0].x, 24, GLTF_VEC3, GLTF_ARRAY_BUFFER, false));
    primitive->indices = maker_u16(m, indices, 36, GLTF_ELEMENT_BUFFER);
}

static void make_crane_clip(maker *m, int32_t tower, int32_t trolley, int32_t hook)
{
    static const float slow[3] = { 0.0f, 2.0f, 4.0f }, steps[2] = { 0.0f, 2.0f };
    sn_quat turns[3] = { { 0, 0, 0, 1 }, turn_90(0, 1, 0), { 0, 1, 0, 0 } };
    sn_vec3 along[3] = { { 2, 0, 0 }, { 6, 0, 0 }, { 2, 0, 0 } };
    sn_vec3 drops[2] = { { 0, -1, 0 }, { 0, -3, 0 } };
    gltf_animation *animation = maker_animation(m, "swing");
    int32_t input = maker_floats(m, slow, 3, GLTF_SCALAR, 0, true);
    maker_channel(m, animation, tower, GLTF_ROTATION, GLTF_LINEAR_KEYS, input,
                  maker_floats(m, &turns[0].x, 3, GLTF_VEC4, 0, false));
    maker_channel(m, animation, trolley, GLTF_TRANSLATION, GLTF_LINEAR_KEYS, input,
                  maker_floats(m, &along[0].x, 3, GLTF_VEC3, 0, false));
    int32_t output = maker_floats(m, &drops[0].x, 2, GLTF_VEC3, 0, false);
    maker_channel(m, animation, hook, GLTF_TRANSLATION, GLTF_STEP_KEYS, maker_floats(m, steps, 2, GLTF_SCALAR, 0, true),
                  output);
}

// Rigid parts that share one box. Children are numbered before their parents, the jib's transform is a matrix, and
// the counterweight is mirrored.
static bool make_crane(const char *folder)
{
    enum { HOOK, TROLLEY, WEIGHT, JIB, BEAM, TOWER, MAST, BASE, EYE, NODES };
    static const char *const names[NODES] = { "hook",  "trolley", "counterweight", "jib", "beam",
                                              "tower", "mast",    "base",          "eye" };
    maker m;
    int32_t index, box;
    maker_init(&m);
    gltf_primitive *primitive = maker_mesh(&m, "box", &box);
    primitive->material = maker_material(&m, "yellow paint", (sn_vec4){ 0.9f, 0.7f, 0.1f, 1.0f }, 0.1f, 0.6f);
    make_box(&m, primitive);
    for (int i = 0; i < NODES; i++) maker_node(&m, names[i], &index);
    gltf_node *nodes = m.nodes.items;
    nodes[BASE].children = maker_list(&m, 1, (int32_t[]){ TOWER });
    nodes[TOWER].children = maker_list(&m, 2, (int32_t[]){ MAST, JIB });
    nodes[JIB].children = maker_list(&m, 3, (int32_t[]){ BEAM, TROLLEY, WEIGHT });
    nodes[TROLLEY].children = maker_list(&m, 1, (int32_t[]){ HOOK });
    nodes[BASE].mesh = nodes[MAST].mesh = nodes[BEAM].mesh = nodes[WEIGHT].mesh = nodes[HOOK].mesh = box;
    nodes[MAST].trs.translation = (sn_vec3){ 0, 4, 0 };
    nodes[MAST].trs.scale = (sn_vec3){ 0.5f, 8, 0.5f };
    nodes[BEAM].trs.translation = (sn_vec3){ 3, 0, 0 };
    nodes[BEAM].trs.scale = (sn_vec3){ 9, 0.4f, 0.4f };
    nodes[WEIGHT].trs.translation = (sn_vec3){ -1.5f, 0, 0 };
    nodes[WEIGHT].trs.scale = (sn_vec3){ -1, 1, 1 };
    nodes[TROLLEY].trs.translation = (sn_vec3){ 2, 0, 0 };
    nodes[HOOK].trs.translation = (sn_vec3){ 0, -1, 0 };
    nodes[HOOK].trs.scale = (sn_vec3){ 0.25f, 0.25f, 0.25f };
    nodes[JIB].has_matrix = true;
    memcpy(nodes[JIB].matrix, (float[16]){ 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 8, 0, 1 }, sizeof nodes[JIB].matrix);
    nodes[EYE].trs.translation = (sn_vec3){ 0, 5, 20 };
    nodes[EYE].camera = 0;
    gltf_camera *camera = sni_push(&m.arena, &m.cameras, gltf_camera);
    *camera = (gltf_camera){ .object.name = "eye",
                             .type = GLTF_PERSPECTIVE,
                             .perspective = { .object.is_given = true, .yfov = 0.8f, .znear = 0.1f } };
    make_crane_clip(&m, TOWER, TROLLEY, HOOK);
    gltf_scene scene = { .object.name = "yard", .nodes = maker_list(&m, 2, (int32_t[]){ BASE, EYE }) };
    m.doc.scenes = &scene;
    m.doc.scene_count = 1;
    bool is_saved = maker_save(&m, folder, "crane", false);
    maker_free(&m);
    return is_saved;
}

enum { GRID = 5, FACE_VERTICES = GRID * GRID };

static void make_face_grid(maker *m, gltf_primitive *primitive)
{
    sn_vec3 positions[FACE_VERTICES], normals[FACE_VERTICES];
    sn_vec2 uvs[FACE_VERTICES];
    uint16_t indices[(GRID - 1) * (GRID - 1) * 6], count = 0;
    for (int i = 0; i < FACE_VERTICES; i++) {
        float u = (float)(i % GRID) / (GRID - 1), v = (float)(i / GRID) / (GRID - 1);
        positions[i] = (sn_vec3){ 2.0f * u - 1.0f, 1.0f - 2.0f * v, 0.0f };
        normals[i] = (sn_vec3){ 0, 0, 1 };
        uvs[i] = (sn_vec2){ u, v };
    }
    for (uint16_t row = 0; row < GRID - 1; row++) {
        for (uint16_t column = 0; column < GRID - 1; column++) {
            uint16_t a = (uint16_t)(row * GRID + column), b = (uint16_t)(a + GRID);
            uint16_t quad[6] = { a, b, (uint16_t)(a + 1), (uint16_t)(a + 1), b, (uint16_t)(b + 1) };
            memcpy(indices + count, quad, sizeof quad);
            count = (uint16_t)(count + 6);
        }
    }
    maker_attribute(m, &primitive->attributes, "POSITION",
                    maker_floats(m, &positions[0].x, FACE_VERTICES, GLTF_VEC3, GLTF_ARRAY_BUFFER, true));
    maker_attribute(m, &primitive->attributes, "NORMAL",
                    maker_floats(m, &normals[0].x, FACE_VERTICES, GLTF_VEC3, GLTF_ARRAY_BUFFER, false));
    maker_attribute(m, &primitive->attributes, "TEXCOORD_0",
                    maker_floats(m, &uvs[0].x, FACE_VERTICES, GLTF_VEC2, GLTF_ARRAY_BUFFER, false));
    primitive->indices = maker_u16(m, indices, count, GLTF_ELEMENT_BUFFER);
}

// "smile" lifts the two corners of the mouth and pushes its middle down; sparse, as exporters write it. "puff" moves
// every vertex towards the viewer.
static void make_face_morphs(maker *m, gltf_primitive *primitive)
{
    static const uint16_t mouth[3] = { 3 * GRID + 1, 3 * GRID + 2, 3 * GRID + 3 };
    static const sn_vec3 moves[3] = { { -0.1f, 0.2f, 0.0f }, { 0.0f, -0.1f, 0.0f }, { 0.1f, 0.2f, 0.0f } };
    sn_vec3 puff[FACE_VERTICES];
    for (int i = 0; i < FACE_VERTICES; i++) puff[i] = (sn_vec3){ 0.0f, 0.0f, 0.5f };
    primitive->targets = sni_new(&m->arena, gltf_attributes, 2);
    primitive->target_count = 2;
    maker_attribute(m, &primitive->targets[0], "POSITION", maker_sparse(m, FACE_VERTICES, mouth, moves, 3));
    maker_attribute(m, &primitive->targets[1], "POSITION",
                    maker_floats(m, &puff[0].x, FACE_VERTICES, GLTF_VEC3, GLTF_ARRAY_BUFFER, true));
}

static int32_t make_face_texture(maker *m, gltf_image *image, gltf_texture *texture, gltf_texture_sampler *sampler)
{
    uint8_t pixels[8 * 8][4];
    for (int i = 0; i < 64; i++) {
        bool is_dark = (i % 8 + i / 8) % 2;
        memcpy(pixels[i], is_dark ? (uint8_t[4]){ 214, 160, 120, 255 } : (uint8_t[4]){ 244, 200, 160, 255 }, 4);
    }
    sni_writer png;
    sni_writer_init(&png, &m->heap);
    sni_png_write(&png, &m->arena, &m->diag, &(sn_pixels){ .width = 8, .height = 8, .rgba = pixels[0] });
    *image = (gltf_image){ .object.name = "freckles", .mime_type = "image/png" };
    image->view = maker_view(m, png.data, png.size, 0);
    sni_writer_free(&png);
    *sampler = (gltf_texture_sampler){
        .mag_filter = GLTF_NEAREST, .min_filter = GLTF_LINEAR_MIP_LINEAR, .wrap_s = GLTF_CLAMP, .wrap_t = GLTF_CLAMP
    };
    *texture = (gltf_texture){ .sampler = 0, .source = 0 };
    int32_t material = maker_material(m, "skin", (sn_vec4){ 1, 1, 1, 1 }, 0.0f, 0.8f);
    gltf_texture_info *map = &((gltf_material *)m->materials.items)[material].pbr.color_map;
    map->object.is_given = true;
    map->texture = 0;
    return material;
}

static bool make_face(const char *folder)
{
    static const float times[3] = { 0.0f, 0.5f, 1.5f };
    static const float weights[3][2] = { { 0, 0 }, { 1, 0 }, { 0.5f, 1 } };
    maker m;
    int32_t head, mesh;
    gltf_image image;
    gltf_texture texture;
    gltf_texture_sampler sampler;
    maker_init(&m);
    gltf_node *node = maker_node(&m, "head", &head);
    gltf_primitive *primitive = maker_mesh(&m, "face", &mesh);
    make_face_grid(&m, primitive);
    make_face_morphs(&m, primitive);
    primitive->material = make_face_texture(&m, &image, &texture, &sampler);
    gltf_mesh *face = m.meshes.items;
    face->weights = (gltf_floats){ (float[2]){ 0, 0 }, 2 };
    face->object.extras = "{\"targetNames\":[\"smile\",\"puff\"]}";
    node->mesh = mesh;
    gltf_animation *animation = maker_animation(&m, "smile");
    int32_t output = maker_floats(&m, &weights[0][0], 6, GLTF_SCALAR, 0, false);
    maker_channel(&m, animation, head, GLTF_WEIGHTS, GLTF_LINEAR_KEYS, maker_floats(&m, times, 3, GLTF_SCALAR, 0, true),
                  output);
    gltf_scene scene = { .nodes = maker_list(&m, 1, &head) };
    m.doc.scenes = &scene;
    m.doc.scene_count = 1;
    m.doc.images = &image, m.doc.image_count = 1;
    m.doc.textures = &texture, m.doc.texture_count = 1;
    m.doc.samplers = &sampler, m.doc.sampler_count = 1;
    bool is_saved = maker_save(&m, folder, "face", true);
    maker_free(&m);
    return is_saved;
}

int main(int argc, char **argv)
{
    bool is_sweep = argc == 3 && strcmp(argv[1], "--sweep") == 0;
    const char *folder = argv[argc - 1];
    if (argc != 2 && !is_sweep) {
        fprintf(stderr, "usage: make_samples [--sweep] FOLDER\n");
        return 2;
    }
    bool is_made = is_sweep
                       ? make_sweep_gltf(folder) && make_sweep_mdx(folder) && make_sweep_w3d(folder) &&
                             make_sweep_level5(folder) && make_sweep_archives(folder)
                       : make_arm(folder) && make_crane(folder) && make_face(folder) && make_beasts(folder) &&
                             make_golem(folder) && make_lantern(folder) && make_tank(folder) && make_soldier(folder) &&
                             make_serpent(folder) && make_house(folder) && make_disc(folder) && make_arms(folder) &&
                             make_toy(folder) && make_rabbit(folder) && make_kobold(folder);
    return is_made ? 0 : 3;
}
