// Sweep samples: Level-5. A square skinned to two bones, for Dark Cloud and for Dark Cloud 2, and a pack with all
// kinds of motion.
#include "level5_maker.h"
#include "make_sweep.h"

enum { ROOT, SKIN, UPPER, LOWER, LAMP };

static const level5_maker_material cloth = { "cloth", { 1, 1, 1, 1 } };
static const sni_tim2_color colors[16] = { { 176, 92, 60, 255 }, { 196, 116, 76, 128 } };

static uint8_t paint(int x, int y) { return (uint8_t)((x + y) % 2); }

static void make_quad(shape *s)
{
    static const sn_vec3 corners[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 } };
    memset(s, 0, sizeof *s);
    shape_quad(s, corners);
    s->vertex_count = 4, s->triangle_count = 2;  // only the front
    for (int i = 0; i < 4; i++) {
        s->bones[i][0] = UPPER, s->bones[i][1] = LOWER;
        s->percents[i][0] = (uint16_t)(100 - 25 * i), s->percents[i][1] = (uint16_t)(25 * i);
    }
}

static bool make_model(const char *folder, bool is_first)
{
    static const uint32_t frames[2] = { 0, 10 };
    static const float turns[2] = { 0, 0.4f };
    static const sn_vec3 places[2] = { { 0, 1, 0 }, { 0, 2, 0 } };
    level5_maker m;
    shape s;
    level5_maker_begin(&m, is_first);
    level5_maker_node(&m, "root", -1, sni_vec3(0, 0, 0));
    level5_maker_node(&m, "skin", ROOT, sni_vec3(5, 0, 0));
    level5_maker_node(&m, "upper", ROOT, sni_vec3(0, 0, 0));
    level5_maker_node(&m, "lower", UPPER, sni_vec3(0, 1, 0));
    make_quad(&s);
    level5_maker_mesh(&m, SKIN, &s, &cloth);
    level5_maker_weights(&m, SKIN, &s);
    level5_maker_rotations(&m, LOWER, sni_vec3(0, 0, 1), frames, turns, 2);
    level5_maker_vectors(&m, UPPER, LEVEL5_TRANSLATION, frames, places, 2);
    level5_maker_vectors(&m, UPPER, LEVEL5_SCALE, frames, places, 2);
    level5_maker_picture(&m, "cloth", 8, is_first ? 4 : 8, colors, paint);
    level5_maker_picture(&m, "other", 8, 4, colors, paint);
    level5_maker_add_mds(&m, is_first ? "first.mds" : "second.mds");
    level5_maker_add_binds(&m, is_first ? "first.bbp" : "second.bbp");
    level5_maker_add_tracks(&m, is_first ? "first.wgt" : "second.wgt", &m.weights, is_first ? 16 : 0);
    level5_maker_add_tracks(&m, is_first ? "first.mot" : "second.mot", &m.moves, 0);
    level5_maker_add_pictures(&m, is_first ? "first.img" : "second.img", is_first ? LEVEL5_IM2 : LEVEL5_IM3);
    if (is_first)
        level5_maker_add_text(&m, "first.cfg",
                              "IMG 0,\"first.img\"\r\nIMG_END\r\nALLOC_DBUFF \"skin\"\r\nMODEL \"first.mds\"\r\nMOTION "
                              "0,\"first.mot\",\"first.bbp\",\"first.wgt\"\r\nKEY_START 0\r\n"
                              "KEY 0,10,0.5 // bend\r\nKEY 5,5,1.0\r\nKEY_END\r\nMOTION_END\r\n");
    else
        level5_maker_add_text(&m, "second.cfg",
                              "V2;\nIMG 0, \"second.img\";\nIMG_END;\nVERTEX_ANIME \"skin\";\nMODEL "
                              "\"second.mds\";\nMOTION "
                              "0, \"second.mot\", \"second.bbp\", \"second.wgt\";\nKEY_START;\n"
                              "KEY \"bend\", 0, 10, 1.00;\nKEY_END;\nMOTION_END;\n");
    bool is_saved = level5_maker_save(&m, folder);
    level5_maker_end(&m);
    return is_saved;
}

static level5_array words(level5_maker *m, const uint32_t *values, uint32_t count, uint32_t corners)
{
    uint8_t *data = sni_new(&m->arena, uint8_t, (uint64_t)count * 4);
    for (uint32_t i = 0; i < count; i++) sni_store_u32(data + (size_t)4 * i, values[i]);
    return (level5_array){ data, corners };
}

// The square again as a list, as a strip with colours, and with positions only.
static void add_faces(level5_maker *m, level5_mesh *mesh)
{
    static const uint32_t list[] = { 0, 0, 0, 1, 0, 1, 2, 0, 2 }, bare[] = { 0, 1, 2 },
                          colored[] = { 0, 0, 0, 0, 1, 0, 1, 1, 2, 0, 2, 0 }, flat[] = { 0, 0, 1, 1, 2, 2 };
    const level5_primitive kinds[4] = {
        { .flags = 3, .corner_count = 3, .corners = words(m, list, 9, 3) },
        { .flags = 0x104, .corner_count = 3, .material = -1, .corners = words(m, colored, 12, 3) },
        { .flags = 0x213, .corner_count = 3, .corners = words(m, bare, 3, 3) },
        { .flags = 0x204, .corner_count = 3, .corners = words(m, flat, 6, 3) },
    };
    uint8_t *rgba = sni_new(&m->arena, uint8_t, 2 * 16);
    for (int i = 0; i < 8; i++) sni_store_f32(rgba + 4 * (size_t)i, i < 4 ? 1.0f : 0.5f);
    mesh->colors = (level5_array){ rgba, 2 };
    mesh->primitives = sni_new(&m->arena, level5_primitive, 4);
    mesh->primitive_count = 4;
    memcpy(mesh->primitives, kinds, sizeof kinds);
}

// A nested pack.
static bool make_pack(const char *folder)
{
    static const level5_key fade[2] = { { 0, { 0, 0, 0, 0 } }, { 10, { 0.8f, 0, 0, 0 } } },
                            tint[2] = { { 0, { 1, 0.85f, 0.3f, 0 } }, { 10, { 1, 0.3f, 0.3f, 0 } } },
                            hide[2] = { { 0, { 1, 0, 0, 0 } }, { 5, { 0, 0, 0, 0 } } },
                            move[2] = { { 0, { 0, 0, 0, 1 } }, { 10, { 0, 1, 0, 1 } } };
    level5_maker m;
    shape s;
    level5_maker_begin(&m, false);
    level5_maker_node(&m, "toy", -1, sni_vec3(0, 0, 0));
    level5_maker_node(&m, "lamp__c", 0, sni_vec3(4, 1, 0));
    level5_maker_node(&m, "func_hook", 1, sni_vec3(0, -2, 0));
    make_quad(&s);
    add_faces(&m, level5_maker_mesh(&m, 1, &s, &cloth));
    level5_maker_track(&m, &m.moves, 1, 0, LEVEL5_MATERIAL_ALPHA, fade, 2);
    level5_maker_track(&m, &m.moves, 1, 0, LEVEL5_MATERIAL_COLOR, tint, 2);
    level5_maker_track(&m, &m.moves, 1, 0, LEVEL5_VISIBLE_SELF, hide, 2);
    level5_maker_track(&m, &m.moves, 1, 1, LEVEL5_VERTEX, move, 2);
    level5_maker_track(&m, &m.moves, 1, 0, (level5_track_type)77, fade, 2);  // unknown
    level5_maker_add_mds(&m, "TOY.MDS");
    level5_maker_add_tracks(&m, "TOY.MOT", &m.moves, 0);
    level5_maker_add_text(&m, "INFO.CFG",
                          "V2;\nVERTEX_ANIME \"lamp__c\";\nSHAPE_ANIME 1;\nMODEL \"toy.mds\";\nMOTION 0, \"toy.mot\", "
                          "\"\", "
                          "\"\";\nKEY_START;\nKEY \"play\", 0, 10, 0.50;\nKEY_END;\nMOTION_END;\n");
    level5_maker_add_pack(&m, "TOY.CHR", false);
    level5_maker_add_pack(&m, "packed.pak", true);
    bool is_saved = level5_maker_save(&m, folder);
    level5_maker_end(&m);
    return is_saved;
}

bool make_sweep_level5(const char *folder)
{
    return make_model(folder, true) && make_model(folder, false) && make_pack(folder);
}
