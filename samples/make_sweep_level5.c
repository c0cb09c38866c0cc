// Sweep samples: Level-5. A square that two bones bend, by the rules of Dark Cloud and of Dark Cloud 2, and a pack with
// motions of every kind.
#include "level5_maker.h"
#include "make_sweep.h"

enum { ROOT, SKIN, UPPER, LOWER, LAMP };

static const cloud_look cloth = { "cloth", { 1, 1, 1, 1 } };
static const tim2_color colors[16] = { { 176, 92, 60, 255 }, { 196, 116, 76, 128 } };

static uint8_t paint(int x, int y) { return (uint8_t)((x + y) % 2); }

static void make_quad(shape *s)
{
    static const sn_vec3 corners[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 } };
    memset(s, 0, sizeof *s);
    shape_quad(s, corners);
    s->vertex_count = 4, s->triangle_count = 2;  // the front alone
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
    cloud_maker m;
    shape s;
    cloud_begin(&m, is_first);
    cloud_node(&m, "root", -1, sni_vec3(0, 0, 0));
    cloud_node(&m, "skin", ROOT, sni_vec3(5, 0, 0));
    cloud_node(&m, "upper", ROOT, sni_vec3(0, 0, 0));
    cloud_node(&m, "lower", UPPER, sni_vec3(0, 1, 0));
    make_quad(&s);
    cloud_mesh(&m, SKIN, &s, &cloth);
    cloud_weights(&m, SKIN, &s);
    cloud_turns(&m, LOWER, sni_vec3(0, 0, 1), frames, turns, 2);
    cloud_shifts(&m, UPPER, LEVEL5_TRANSLATION, frames, places, 2);
    cloud_shifts(&m, UPPER, LEVEL5_SCALE, frames, places, 2);
    cloud_picture(&m, "cloth", 8, is_first ? 4 : 8, colors, paint);
    cloud_picture(&m, "other", 8, 4, colors, paint);
    cloud_keep_mds(&m, is_first ? "first.mds" : "second.mds");
    cloud_keep_binds(&m, is_first ? "first.bbp" : "second.bbp");
    cloud_keep_tracks(&m, is_first ? "first.wgt" : "second.wgt", &m.weights, is_first ? 16 : 0);
    cloud_keep_tracks(&m, is_first ? "first.mot" : "second.mot", &m.moves, 0);
    cloud_keep_pictures(&m, is_first ? "first.img" : "second.img", is_first ? LEVEL5_IM2 : LEVEL5_IM3);
    if (is_first)
        cloud_keep_text(&m, "first.cfg",
                        "IMG 0,\"first.img\"\r\nIMG_END\r\nALLOC_DBUFF \"skin\"\r\nMODEL \"first.mds\"\r\nMOTION "
                        "0,\"first.mot\",\"first.bbp\",\"first.wgt\"\r\nKEY_START 0\r\n"
                        "KEY 0,10,0.5 // bend\r\nKEY 5,5,1.0\r\nKEY_END\r\nMOTION_END\r\n");
    else
        cloud_keep_text(&m, "second.cfg",
                        "V2;\nIMG 0, \"second.img\";\nIMG_END;\nVERTEX_ANIME \"skin\";\nMODEL \"second.mds\";\nMOTION "
                        "0, \"second.mot\", \"second.bbp\", \"second.wgt\";\nKEY_START;\n"
                        "KEY \"bend\", 0, 10, 1.00;\nKEY_END;\nMOTION_END;\n");
    bool is_saved = cloud_save(&m, folder);
    cloud_end(&m);
    return is_saved;
}

static level5_array words(cloud_maker *m, const uint32_t *values, uint32_t count, uint32_t corners)
{
    uint8_t *data = sni_new(&m->arena, uint8_t, (uint64_t)count * 4);
    for (uint32_t i = 0; i < count; i++) sni_store_u32(data + (size_t)4 * i, values[i]);
    return (level5_array){ data, corners };
}

// The square again as a list, as a strip with colours, and with corners of a position alone.
static void add_faces(cloud_maker *m, level5_mesh *mesh)
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

// A pack in a pack.
static bool make_pack(const char *folder)
{
    static const level5_key fade[2] = { { 0, { 0, 0, 0, 0 } }, { 10, { 0.8f, 0, 0, 0 } } },
                            tint[2] = { { 0, { 1, 0.85f, 0.3f, 0 } }, { 10, { 1, 0.3f, 0.3f, 0 } } },
                            hide[2] = { { 0, { 1, 0, 0, 0 } }, { 5, { 0, 0, 0, 0 } } },
                            move[2] = { { 0, { 0, 0, 0, 1 } }, { 10, { 0, 1, 0, 1 } } };
    cloud_maker m;
    shape s;
    cloud_begin(&m, false);
    cloud_node(&m, "toy", -1, sni_vec3(0, 0, 0));
    cloud_node(&m, "lamp__c", 0, sni_vec3(4, 1, 0));
    cloud_node(&m, "func_hook", 1, sni_vec3(0, -2, 0));
    make_quad(&s);
    add_faces(&m, cloud_mesh(&m, 1, &s, &cloth));
    cloud_track(&m, &m.moves, 1, 0, LEVEL5_MATERIAL_ALPHA, fade, 2);
    cloud_track(&m, &m.moves, 1, 0, LEVEL5_MATERIAL_COLOR, tint, 2);
    cloud_track(&m, &m.moves, 1, 0, LEVEL5_VISIBLE_SELF, hide, 2);
    cloud_track(&m, &m.moves, 1, 1, LEVEL5_VERTEX, move, 2);
    cloud_track(&m, &m.moves, 1, 0, (level5_track_type)77, fade, 2);  // unknown
    cloud_keep_mds(&m, "TOY.MDS");
    cloud_keep_tracks(&m, "TOY.MOT", &m.moves, 0);
    cloud_keep_text(&m, "INFO.CFG",
                    "V2;\nVERTEX_ANIME \"lamp__c\";\nSHAPE_ANIME 1;\nMODEL \"toy.mds\";\nMOTION 0, \"toy.mot\", \"\", "
                    "\"\";\nKEY_START;\nKEY \"play\", 0, 10, 0.50;\nKEY_END;\nMOTION_END;\n");
    cloud_keep_pack(&m, "TOY.CHR", false);
    cloud_keep_pack(&m, "packed.pak", true);
    bool is_saved = cloud_save(&m, folder);
    cloud_end(&m);
    return is_saved;
}

bool make_sweep_level5(const char *folder)
{
    return make_model(folder, true) && make_model(folder, false) && make_pack(folder);
}
