// A rabbit for Dark Cloud 2: skin, scarf, bones, textures and four named clips, in one pack. It faces +Z.
#include "level5_maker.h"
#include "make_samples.h"

enum { ROOT, SKIN, HIP, CHEST, HEAD, EAR_L, TIP_L, EAR_R, TIP_R, ARM_L, ARM_R, LEG_L, LEG_R, TAIL, SCARF, HAND };

static const level5_maker_material fur = { "fur", { 1, 1, 1, 1 } }, wool = { "wool", { 1, 1, 1, 1 } };

// The picture has four quarters: fur, face, ear, feet. Rows run upwards.
enum { WHITE, CREAM, SHADE, PINK, ROSE, BLACK, GLINT, BROWN, DARK };
static const sni_tim2_color colors[16] = {
    [WHITE] = { 250, 246, 238, 255 }, [CREAM] = { 244, 236, 222, 255 }, [SHADE] = { 236, 224, 206, 255 },
    [PINK] = { 244, 180, 176, 255 },  [ROSE] = { 226, 130, 136, 255 },  [BLACK] = { 40, 32, 44, 255 },
    [GLINT] = { 255, 255, 255, 255 }, [BROWN] = { 150, 108, 78, 255 },  [DARK] = { 116, 80, 60, 255 }
};

static uint8_t paint_hair(int x, int y)
{
    return (uint8_t)((x * 7 + y * 5) % 11 < 2 ? SHADE : (x + y * 3) % 5 == 0 ? CREAM : WHITE);
}

static uint8_t paint_face(int x, int y)
{
    int side = x < 16 ? 15 - x : x - 16, eye_x = side - 5, eye_y = y - 17, cheek_x = side - 7, cheek_y = y - 11;
    if (eye_x == 1 && eye_y == 1 && x >= 16) return GLINT;
    if (eye_x == 0 && eye_y == 1 && x < 16) return GLINT;
    if (eye_x * eye_x * 2 + eye_y * eye_y <= 6) return BLACK;
    if (cheek_x * cheek_x + cheek_y * cheek_y * 2 <= 4) return PINK;
    if (side == 0 && y >= 12 && y <= 13) return ROSE;
    if ((side == 0 && y == 11) || (side == 1 && y == 10) || (side == 2 && y == 10)) return BROWN;
    return paint_hair(x, y);
}

static uint8_t paint_fur(int x, int y)
{
    bool is_right = x >= 32, is_upper = y >= 32;
    int cx = x % 32, cy = y % 32;
    if (!is_upper) return is_right ? paint_face(cx, cy) : paint_hair(cx, cy);
    if (!is_right)
        return (uint8_t)(cx > 9 && cx < 22 && cy < 26 ? (cx + cy) % 7 == 0 ? ROSE : PINK : paint_hair(cx, cy));
    return (uint8_t)(cy < 8 ? BROWN : cy < 10 ? DARK : paint_hair(cx, cy));
}

static const sni_tim2_color yarns[16] = {
    { 204, 60, 60, 255 }, { 176, 44, 52, 255 }, { 240, 214, 120, 255 }, { 0, 0, 0, 0 }
};

// A fringe with holes at its lower end.
static uint8_t paint_wool(int x, int y) { return (uint8_t)(y < 4 && x % 4 == 3 ? 3 : y % 8 >= 6 ? 2 : (x + y) % 2); }

static void place_uvs(shape *s, uint32_t from, float u, float v)
{
    for (uint32_t i = from; i < s->vertex_count; i++) {
        s->uvs[i][0] = u + 0.5f * (0.02f + 0.96f * s->uvs[i][0]);
        s->uvs[i][1] = v + 0.5f * (0.02f + 0.96f * s->uvs[i][1]);
    }
}

// Rings around a vertical axis; the middle of the texture is in front.
static void add_tube(shape *s, int sides, const shape_ring *rings, int count, float u, float v)
{
    uint32_t from = s->vertex_count;
    shape_tube(s, sides, sni_vec3(0, 0, -1), sni_vec3(-1, 0, 0), rings, count);
    place_uvs(s, from, u, v);
}

// The face fills its quarter of the picture from ear to ear; the back of the head has the colour at its edge.
static void add_head(shape *s)
{
    static const shape_ring head[] = {
        { { 0, 9.0f, 0.2f }, 1.4f, 1.6f, { HEAD }, 0 },   { { 0, 10.2f, 0.3f }, 2.9f, 3.3f, { HEAD }, 0 },
        { { 0, 12.0f, 0.3f }, 3.3f, 3.7f, { HEAD }, 0 },  { { 0, 13.8f, 0.1f }, 2.9f, 3.2f, { HEAD }, 0 },
        { { 0, 15.2f, -0.1f }, 1.6f, 1.8f, { HEAD }, 0 }, { { 0, 15.6f, -0.2f }, 0.5f, 0.6f, { HEAD }, 0 }
    };
    uint32_t from = s->vertex_count;
    shape_tube(s, 8, sni_vec3(0, 0, -1), sni_vec3(-1, 0, 0), head, 6);
    for (uint32_t i = from; i < s->vertex_count; i++) {
        float u = 2.0f * s->uvs[i][0] - 0.5f;
        s->uvs[i][0] = u < 0.0f ? 0.0f : u > 1.0f ? 1.0f : u;
    }
    place_uvs(s, from, 0.5f, 0);
}

static void add_trunk(shape *s)
{
    static const shape_ring body[] = {
        { { 0, 2.2f, 0 }, 1.6f, 1.8f, { HIP }, 0 },         { { 0, 3.6f, 0 }, 2.7f, 2.9f, { HIP }, 0 },
        { { 0, 5.4f, 0 }, 2.8f, 3.0f, { HIP, CHEST }, 30 }, { { 0, 7.4f, 0 }, 2.2f, 2.4f, { HIP, CHEST }, 80 },
        { { 0, 8.8f, 0 }, 1.5f, 1.7f, { CHEST }, 0 },       { { 0, 9.6f, 0 }, 1.1f, 1.2f, { CHEST, HEAD }, 50 }
    };
    static const shape_ring tail[] = { { { 0, 2.8f, -3.2f }, 0.5f, 0.5f, { TAIL }, 0 },
                                       { { 0, 3.6f, -3.5f }, 1.1f, 1.1f, { TAIL }, 0 },
                                       { { 0, 4.5f, -3.5f }, 0.6f, 0.6f, { TAIL }, 0 } };
    add_tube(s, 8, body, 6, 0, 0);
    add_head(s);
    add_tube(s, 6, tail, 3, 0, 0);
}

static void add_limbs(shape *s, float side, uint16_t ear, uint16_t tip, uint16_t arm, uint16_t leg)
{
    const shape_ring ears[] = { { { side * 1.3f, 14.6f, -0.2f }, 0.5f, 0.8f, { HEAD, ear }, 40 },
                                { { side * 1.6f, 17.0f, -0.3f }, 0.5f, 1.2f, { ear }, 0 },
                                { { side * 1.8f, 19.2f, -0.4f }, 0.45f, 1.1f, { ear, tip }, 50 },
                                { { side * 2.0f, 21.4f, -0.5f }, 0.35f, 0.8f, { tip }, 0 },
                                { { side * 2.1f, 22.6f, -0.5f }, 0.15f, 0.25f, { tip }, 0 } };
    const shape_ring arms[] = { { { side * 3.5f, 3.9f, 0.6f }, 0.4f, 0.4f, { arm }, 0 },
                                { { side * 3.3f, 4.6f, 0.5f }, 0.8f, 0.8f, { arm }, 0 },
                                { { side * 2.6f, 6.6f, 0.3f }, 0.65f, 0.65f, { arm }, 0 },
                                { { side * 1.7f, 8.4f, 0.1f }, 0.6f, 0.6f, { CHEST, arm }, 50 } };
    const shape_ring legs[] = { { { side * 1.6f, 0, 0.9f }, 1.7f, 0.9f, { leg }, 0 },
                                { { side * 1.6f, 0.8f, 0.8f }, 1.6f, 0.95f, { leg }, 0 },
                                { { side * 1.6f, 1.5f, 0.2f }, 1.0f, 0.9f, { leg }, 0 },
                                { { side * 1.5f, 3.4f, 0 }, 1.1f, 1.1f, { HIP, leg }, 40 } };
    add_tube(s, 6, ears, 5, 0, 0.5f);
    add_tube(s, 6, arms, 4, 0.5f, 0.5f);
    add_tube(s, 6, legs, 4, 0.5f, 0.5f);
}

// Rigid, attached to the chest: a ring around the neck and a two-sided end that hangs down in front.
static void add_scarf(level5_maker *m)
{
    static const shape_ring ring[] = { { { 0, 8.6f, 0 }, 1.95f, 2.15f, { 0 }, 0 },
                                       { { 0, 9.2f, 0.1f }, 2.1f, 2.3f, { 0 }, 0 },
                                       { { 0, 9.7f, 0.1f }, 1.9f, 2.1f, { 0 }, 0 } };
    static const sn_vec3 end[4] = {
        { 0.4f, 5.4f, 3.4f }, { 2.0f, 5.6f, 3.1f }, { 1.7f, 9.0f, 2.0f }, { 0.4f, 9.0f, 2.2f }
    };
    shape s = { 0 };
    shape_tube(&s, 8, sni_vec3(0, 0, -1), sni_vec3(-1, 0, 0), ring, 3);
    for (uint32_t i = 0; i < s.vertex_count; i++) s.uvs[i][0] *= 4.0f, s.uvs[i][1] = 0.3f + 0.6f * s.uvs[i][1];
    shape_quad(&s, end);
    level5_maker_mesh(m, SCARF, &s, &wool);
}

static void add_nodes(level5_maker *m)
{
    level5_maker_node(m, "rabbit", -1, sni_vec3(0, 0, 0));
    level5_maker_node(m, "skin", ROOT, sni_vec3(0, 4, 0));
    level5_maker_node(m, "hip", ROOT, sni_vec3(0, 4, 0));
    level5_maker_node(m, "chest", HIP, sni_vec3(0, 3, 0));
    level5_maker_node(m, "head", CHEST, sni_vec3(0, 2.6f, 0.1f));
    level5_maker_node(m, "ear_l", HEAD, sni_vec3(1.4f, 5.0f, -0.3f));
    level5_maker_node(m, "tip_l", EAR_L, sni_vec3(0.4f, 4.4f, -0.2f));
    level5_maker_node(m, "ear_r", HEAD, sni_vec3(-1.4f, 5.0f, -0.3f));
    level5_maker_node(m, "tip_r", EAR_R, sni_vec3(-0.4f, 4.4f, -0.2f));
    level5_maker_node(m, "arm_l", CHEST, sni_vec3(1.7f, 1.2f, 0.1f));
    level5_maker_node(m, "arm_r", CHEST, sni_vec3(-1.7f, 1.2f, 0.1f));
    level5_maker_node(m, "leg_l", HIP, sni_vec3(1.5f, -0.8f, 0));
    level5_maker_node(m, "leg_r", HIP, sni_vec3(-1.5f, -0.8f, 0));
    level5_maker_node(m, "tail", HIP, sni_vec3(0, -0.4f, -2.6f));
    level5_maker_node(m, "scarf__a40", CHEST, sni_vec3(0, 2, 0));
    level5_maker_node(m, "func_hand", ARM_R, sni_vec3(-1.6f, -4.2f, 0.5f));
}

static void add_skin(level5_maker *m)
{
    shape s = { 0 };
    add_trunk(&s);
    add_limbs(&s, 1, EAR_L, TIP_L, ARM_L, LEG_L);
    add_limbs(&s, -1, EAR_R, TIP_R, ARM_R, LEG_R);
    level5_maker_mesh(m, SKIN, &s, &fur);
    level5_maker_weights(m, SKIN, &s);
}

// One timeline. stand 0-40: it breathes and an ear twitches. hop 50-70: down, up with a stretch, down. wave 80-120: the
// right arm. listen 130-170: the head turns, the ears follow.
static void add_motion(level5_maker *m)
{
    static const uint32_t breath[] = { 0, 20, 40, 50, 54, 60, 68, 70, 80, 100, 120, 130, 140, 160, 170 };
    static const float chest[] = { 0, 0.03f, 0, 0, 0.2f, -0.08f, 0.1f, 0, 0, -0.05f, 0, 0, 0.08f, 0.08f, 0 };
    static const uint32_t hop[] = { 40, 50, 54, 60, 66, 68, 70 };
    static const sn_vec3 height[] = { { 0, 4, 0 },    { 0, 4, 0 },    { 0, 3.2f, 0 }, { 0, 9, 0 },
                                      { 0, 4.6f, 0 }, { 0, 3.2f, 0 }, { 0, 4, 0 } };
    static const sn_vec3 squash[] = { { 1, 1, 1 },
                                      { 1, 1, 1 },
                                      { 1.12f, 0.82f, 1.12f },
                                      { 0.92f, 1.15f, 0.92f },
                                      { 0.98f, 1.05f, 0.98f },
                                      { 1.12f, 0.82f, 1.12f },
                                      { 1, 1, 1 } };
    static const uint32_t lean[] = { 50, 54, 60, 68, 70 }, swing[] = { 50, 54, 60, 66, 70 },
                          arm[] = { 80, 88, 94, 100, 106, 112, 120 }, turn[] = { 120, 130, 140, 160, 170 };
    static const float leans[] = { 0, 0.15f, -0.1f, 0.15f, 0 }, kick[] = { 0, -0.3f, 0.4f, -0.1f, 0 },
                       raise[] = { 0, -1.0f, -0.7f, -1.1f, -0.7f, -1.0f, 0 }, turns[] = { 0, 0, 0.35f, 0.35f, 0 };
    static const uint32_t ear_frames[] = { 0, 14, 17, 20, 50, 54, 60, 68, 70, 130, 136, 145, 160, 170 };
    static const float left[] = { 0, 0, 0.25f, 0, 0, -0.2f, 0.5f, -0.25f, 0, 0, -0.1f, 0.2f, 0.1f, 0 },
                       right[] = { 0, 0, 0, 0, 0, -0.2f, 0.5f, -0.25f, 0, 0, 0.45f, 0.5f, 0.4f, 0 };
    level5_maker_rotations(m, CHEST, sni_vec3(1, 0, 0), breath, chest, 15);
    level5_maker_vectors(m, HIP, LEVEL5_TRANSLATION, hop, height, 7);
    level5_maker_vectors(m, HIP, LEVEL5_SCALE, hop, squash, 7);
    level5_maker_rotations(m, HIP, sni_vec3(1, 0, 0), lean, leans, 5);
    level5_maker_rotations(m, LEG_L, sni_vec3(1, 0, 0), swing, kick, 5);
    level5_maker_rotations(m, LEG_R, sni_vec3(1, 0, 0), swing, kick, 5);
    level5_maker_rotations(m, ARM_R, sni_vec3(0, 0, 1), arm, raise, 7);
    level5_maker_rotations(m, HEAD, sni_vec3(0, 1, 0), turn, turns, 5);
    level5_maker_rotations(m, EAR_L, sni_vec3(1, 0, 0), ear_frames, left, 14);
    level5_maker_rotations(m, EAR_R, sni_vec3(1, 0, 0), ear_frames, right, 14);
    level5_maker_rotations(m, TIP_L, sni_vec3(1, 0, 0), ear_frames, left, 14);
    level5_maker_rotations(m, TIP_R, sni_vec3(1, 0, 0), ear_frames, right, 14);
}

static const char config[] =
    "V2;\n// a rabbit\nIMG 0, \"rabbit.img\";\nIMG_END;\nVERTEX_ANIME \"skin\";\nMODEL \"rabbit.mds\";\nMOTION 0, "
    "\"rabbit.mot\", \"rabbit.bbp\", \"rabbit.wgt\";\nKEY_START;\n"
    "KEY \"stand\", 0, 40, 0.50;\nKEY \"hop\", 50, 70, 0.80;\nKEY \"wave\", 80, 120, 0.80;\nKEY \"listen\", 130, 170, "
    "0.60;\nKEY_END;\nMOTION_END;\n"
    "SEQ_START \"greet\";\nSEQ \"listen\", 0.5;\nSEQ \"wave\", 0.5, 0, 2;\nSEQ_END;\nBODY_SIZE 22.6, 7.0, 7.0;\n";

bool make_rabbit(const char *folder)
{
    level5_maker m;
    level5_maker_begin(&m, false);
    add_nodes(&m);
    add_skin(&m);
    add_scarf(&m);
    add_motion(&m);
    level5_maker_picture(&m, "fur", 64, 8, colors, paint_fur);
    level5_maker_picture(&m, "wool", 16, 4, yarns, paint_wool);
    level5_maker_script(&m, "TEX_ANIME 0;\n");
    level5_maker_add_text(&m, "info.cfg", config);
    level5_maker_add_mds(&m, "rabbit.mds");
    level5_maker_add_binds(&m, "rabbit.bbp");
    level5_maker_add_tracks(&m, "rabbit.wgt", &m.weights, 0);
    level5_maker_add_tracks(&m, "rabbit.mot", &m.moves, 0);
    level5_maker_add_pictures(&m, "rabbit.img", LEVEL5_IM3);
    level5_maker_add_pack(&m, "rabbit.chr", false);
    bool is_saved = level5_maker_save(&m, folder);
    level5_maker_end(&m);
    return is_saved;
}
