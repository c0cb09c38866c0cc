// A toy with all kinds of motion: a rotation about each axis, a lamp that fades, a box that shows either itself or its
// contents, a balloon with vertex animation; on a board with all kinds of faces. Stored in a nested pack.
#include "level5_maker.h"
#include "make_samples.h"

enum { ROOT, BOARD, HAND_X, HAND_Y, HAND_Z, LAMP, BOX, JACK, BALLOON, HOOK };
enum { SQUARES = 5 };

static const level5_maker_material red = { "", { 0.9f, 0.25f, 0.2f, 1 } }, green = { "", { 0.3f, 0.75f, 0.3f, 1 } },
                                   blue = { "", { 0.25f, 0.4f, 0.9f, 1 } };
static const level5_maker_material yellow = { "", { 1, 0.85f, 0.3f, 1 } }, wood = { "", { 0.6f, 0.4f, 0.25f, 1 } };

static level5_array words(level5_maker *m, const uint32_t *values, uint32_t count, uint32_t corners)
{
    uint8_t *data = sni_new(&m->arena, uint8_t, (uint64_t)count * 4);
    for (uint32_t i = 0; i < count; i++) sni_store_u32(data + (size_t)4 * i, values[i]);
    return (level5_array){ data, corners };
}

static level5_array vectors(level5_maker *m, const float (*values)[4], uint32_t count)
{
    uint8_t *data = sni_new(&m->arena, uint8_t, (uint64_t)count * 16);
    for (uint32_t i = 0; i < count * 4; i++) sni_store_f32(data + (size_t)4 * i, values[i / 4][i % 4]);
    return (level5_array){ data, count };
}

// Five squares side by side: a list, strips with and without colours, positions only, one without normals. One
// primitive reuses the previous material, one normal index does not exist.
static void add_board(level5_maker *m)
{
    static const uint32_t list[] = { 0, 0, 0, 1, 0, 1, 2, 0, 2, 0, 0, 0, 2, 0, 2, 3, 0, 3 },
                          strip[] = { 4, 0, 0, 5, 0, 1, 7, 0, 3, 6, 99, 2 };
    static const uint32_t tinted[] = { 8, 0, 0, 0, 9, 0, 1, 1, 11, 0, 3, 0, 10, 0, 2, 1 },
                          bare[] = { 12, 13, 14, 12, 14, 15 }, flat[] = { 16, 0, 17, 1, 19, 3, 18, 2 };
    static const float up[1][4] = { { 0, 1, 0, 1 } },
                       uvs[4][4] = { { 0, 0, 1, 0 }, { 1, 0, 1, 0 }, { 1, 1, 1, 0 }, { 0, 1, 1, 0 } },
                       colors[2][4] = { { 1.5f, 1.25f, 1, 1 }, { 0.5f, 0.6f, 1, 1 } };
    static const float corner[4][2] = { { 0, 3 }, { 3, 3 }, { 3, 0 }, { 0, 0 } };
    float positions[SQUARES * 4][4];
    for (int i = 0; i < SQUARES * 4; i++) {
        const float place[4] = { (float)(i / 4) * 4.0f - 9.5f + corner[i % 4][0], 0, corner[i % 4][1] - 1.5f, 1 };
        for (int k = 0; k < 4; k++) positions[i][k] = place[k];
    }
    const level5_primitive kinds[SQUARES] = {
        { .flags = 3, .corner_count = 6, .corners = words(m, list, 18, 6) },
        { .flags = 4, .corner_count = 4, .material = -1, .corners = words(m, strip, 12, 4) },
        { .flags = 0x104, .corner_count = 4, .corners = words(m, tinted, 16, 4) },
        { .flags = 0x213, .corner_count = 6, .material = 1, .corners = words(m, bare, 6, 6) },
        { .flags = 0x204, .corner_count = 4, .material = 0, .corners = words(m, flat, 8, 4) }
    };
    shape none = { 0 };
    level5_mesh *mesh = level5_maker_mesh(m, BOARD, &none, &wood);
    uint8_t *materials = sni_new(&m->arena, uint8_t, 2 * LEVEL5_MATERIAL_BYTES);
    memcpy(materials, mesh->materials.data, LEVEL5_MATERIAL_BYTES);
    for (int i = 0; i < 4; i++) sni_store_f32(materials + LEVEL5_MATERIAL_BYTES + 4 * i, yellow.diffuse[i]);
    mesh->materials = (level5_array){ materials, 2 };
    mesh->positions = vectors(m, positions, SQUARES * 4);
    mesh->normals = vectors(m, up, 1);
    mesh->uvs = vectors(m, uvs, 4);
    mesh->colors = vectors(m, colors, 2);
    mesh->primitives = sni_new(&m->arena, level5_primitive, SQUARES);
    mesh->primitive_count = SQUARES;
    memcpy(mesh->primitives, kinds, sizeof kinds);
}

static void add_box(level5_maker *m, int32_t node, sn_vec3 low, sn_vec3 high, const level5_maker_material *material)
{
    shape s = { 0 };
    sn_vec3 at = level5_maker_world_position(m, node);
    shape_box(&s, sni_add(at, low), sni_add(at, high));
    level5_maker_mesh(m, node, &s, material);
}

static void add_nodes(level5_maker *m)
{
    level5_maker_node(m, "toy", -1, sni_vec3(0, 0, 0));
    level5_maker_node(m, "board", ROOT, sni_vec3(0, 0, 0));
    level5_maker_node(m, "hand_x", ROOT, sni_vec3(-8, 3, 0));
    level5_maker_node(m, "hand_y", ROOT, sni_vec3(-4, 3, 0));
    level5_maker_node(m, "hand_z", ROOT, sni_vec3(0, 3, 0));
    level5_maker_node(m, "lamp__c", ROOT, sni_vec3(4, 1, 0));
    level5_maker_node(m, "box__s", ROOT, sni_vec3(8, 1, 0));
    level5_maker_node(m, "jack", BOX, sni_vec3(0, 1, 0));
    level5_maker_node(m, "balloon", ROOT, sni_vec3(0, 8, 0));
    level5_maker_node(m, "func_hook", BALLOON, sni_vec3(0, -2, 0));
    add_board(m);
    add_box(m, HAND_X, sni_vec3(-0.3f, -0.3f, -0.3f), sni_vec3(0.3f, 3, 0.3f), &red);  // points up, turns to the front
    add_box(m, HAND_Y, sni_vec3(-0.3f, -0.3f, -0.3f), sni_vec3(0.3f, 0.3f, 3),
            &green);  // points to the front, turns to x
    add_box(m, HAND_Z, sni_vec3(-0.3f, -0.3f, -0.3f), sni_vec3(3, 0.3f, 0.3f), &blue);  // points along x, turns up
    add_box(m, LAMP, sni_vec3(-1, -1, -1), sni_vec3(1, 1, 1), &yellow);
    add_box(m, BOX, sni_vec3(-1, -1, -1), sni_vec3(1, 1, 1), &wood);
    add_box(m, JACK, sni_vec3(-0.5f, -1, -0.5f), sni_vec3(0.5f, 2, 0.5f), &red);
}

// The upper half of the balloon rises at frame 20, its sides widen at 30, each vertex with separate keys.
static void add_balloon(level5_maker *m)
{
    static const shape_ring ball[] = { { { 0, 6.2f, 0 }, 0.4f, 0.4f, { 0 }, 0 },
                                       { { 0, 7, 0 }, 1.5f, 1.5f, { 0 }, 0 },
                                       { { 0, 9, 0 }, 1.5f, 1.5f, { 0 }, 0 },
                                       { { 0, 9.8f, 0 }, 0.4f, 0.4f, { 0 }, 0 } };
    shape s = { 0 };
    shape_tube(&s, 6, sni_vec3(0, 0, -1), sni_vec3(-1, 0, 0), ball, 4);
    const level5_mesh *mesh = level5_maker_mesh(m, BALLOON, &s, &red);
    for (uint32_t i = 0; i < mesh->positions.count; i++) {
        sn_vec4 p = level5_read_vector(mesh->positions, i);
        const level5_key rising[] = { { 0, { p.x, p.y, p.z, 1 } },
                                      { 20, { p.x, p.y + 1.5f, p.z, 1 } },
                                      { 40, { p.x, p.y, p.z, 1 } } };
        const level5_key widening[] = { { 0, { p.x, p.y, p.z, 1 } },
                                        { 30, { p.x * 1.6f, p.y, p.z * 1.6f, 1 } },
                                        { 40, { p.x, p.y, p.z, 1 } } };
        level5_maker_track(m, &m->moves, BALLOON, (int32_t)i + 1, LEVEL5_VERTEX, p.y > 0.0f ? rising : widening, 3);
    }
}

static void add_motion(level5_maker *m)
{
    static const uint32_t quarter[] = { 0, 10, 40 };
    static const level5_key fade[] = { { 0, { 0, 0, 0, 0 } }, { 20, { 0.8f, 0, 0, 0 } }, { 40, { 0, 0, 0, 0 } } },
                            tint[] = { { 0, { 1, 0.85f, 0.3f, 0 } }, { 40, { 1, 0.3f, 0.3f, 0 } } };
    static const level5_key jump[] = { { 0, { 1, 0, 0, 0 } }, { 15, { 0, 0, 0, 0 } }, { 30, { 1, 0, 0, 0 } } };
    const float turns[] = { 0, 0.41421356f, 0 };
    for (int i = 0; i < 3; i++)
        level5_maker_rotations(m, HAND_X + i, sni_vec3(i == 0, i == 1, i == 2), quarter, turns, 3);
    level5_maker_track(m, &m->moves, LAMP, 0, LEVEL5_MATERIAL_ALPHA, fade, 3);
    level5_maker_track(m, &m->moves, LAMP, 0, LEVEL5_MATERIAL_COLOR, tint, 2);
    level5_maker_track(m, &m->moves, BOX, 0, LEVEL5_VISIBLE_SELF, jump, 3);
    add_balloon(m);
}

bool make_toy(const char *folder)
{
    level5_maker m;
    level5_maker_begin(&m, false);
    add_nodes(&m);
    add_motion(&m);
    level5_maker_add_mds(&m, "TOY.MDS");
    level5_maker_add_tracks(&m, "TOY.MOT", &m.moves, 0);
    level5_maker_add_text(&m, "INFO.CFG",
                          "V2;\nVERTEX_ANIME \"balloon\";\nSHAPE_ANIME 1;\nMODEL \"toy.mds\";\nMOTION 0, \"toy.mot\", "
                          "\"\", "
                          "\"\";\nKEY_START;\nKEY \"play\", 0, 40, 0.50;\nKEY_END;\nMOTION_END;\n");
    level5_maker_add_pack(&m, "TOY.CHR", false);
    level5_maker_add_pack(&m, "toys.pak", true);
    bool is_saved = level5_maker_save(&m, folder);
    level5_maker_end(&m);
    return is_saved;
}
