// The same arm for Dark Cloud 1 and for Dark Cloud 2, with all kinds of weights: on one bone, on two, on five, sums
// below and above 100, none.
#include "level5_maker.h"
#include "make_samples.h"

enum { ROOT, SKIN, UPPER, LOWER, FINGERS, NODES = FINGERS + 3 };
enum { RINGS = 8, ELBOW = 10 };

static const level5_maker_material cloth = { "cloth", { 1, 1, 1, 1 } };

static const sni_tim2_color weave[16] = {
    { 176, 92, 60, 255 }, { 196, 116, 76, 255 }, { 236, 204, 148, 255 }, { 120, 56, 44, 255 }
};

static uint8_t paint_weave(int x, int y) { return (uint8_t)(y % 16 < 2 ? 2 : x % 16 == 0 ? 3 : (x / 2 + y / 2) % 2); }

// The weights of each ring, on the upper and the lower bone and on each finger.
static const struct {
    float height, upper, lower, finger;
} rings[RINGS] = {
    { 0, 0, 0, 0 },    { 3, 100, 0, 0 },  { 7, 100, 0, 0 },  { 9, 30, 30, 0 },
    { 10, 50, 50, 0 }, { 11, 60, 60, 0 }, { 16, 0, 100, 0 }, { 20, 10, 60, 10 },
};

static void add_nodes(level5_maker *m)
{
    static const char *const fingers[3] = { "thumb", "ring", "little" };
    level5_maker_node(m, "arm", -1, sni_vec3(0, 0, 0));
    level5_maker_node(m, "skin", ROOT, sni_vec3(5, 0, 0));
    level5_maker_node(m, "upper", ROOT, sni_vec3(0, 0, 0));
    level5_maker_node(m, "lower", UPPER, sni_vec3(0, ELBOW, 0));
    for (int i = 0; i < 3; i++) level5_maker_node(m, fingers[i], LOWER, sni_vec3((float)i - 1.0f, 10, 0));
}

static void add_ring_weights(level5_maker *m, const level5_mesh *mesh, int32_t bone)
{
    level5_key keys[RINGS * 8];
    uint32_t count = 0;
    for (uint32_t i = 0; i < mesh->positions.count; i++) {
        float height = level5_read_vector(mesh->positions, i).y, percent = 0.0f;
        for (int r = 0; r < RINGS; r++)
            if (rings[r].height == height)
                percent = bone == UPPER ? rings[r].upper : bone == LOWER ? rings[r].lower : rings[r].finger;
        if (percent > 0.0f) keys[count++] = (level5_key){ i, { percent, 0, 0, 0 } };
    }
    level5_maker_track(m, &m->weights, SKIN, bone, LEVEL5_WEIGHTS, keys, count);
}

static void add_sleeve(level5_maker *m)
{
    shape_ring tube[RINGS];
    shape s = { 0 };
    for (int i = 0; i < RINGS; i++)
        tube[i] = (shape_ring){
            { 0, rings[i].height, 0 }, 2.0f - 0.05f * rings[i].height, 2.0f - 0.05f * rings[i].height, { 0 }, 0
        };
    shape_tube(&s, 6, sni_vec3(0, 0, -1), sni_vec3(-1, 0, 0), tube, RINGS);
    const level5_mesh *mesh = level5_maker_mesh(m, SKIN, &s, &cloth);
    if (m->is_first) level5_maker_track(m, &m->weights, SKIN, ROOT, LEVEL5_WEIGHTS, NULL, 0);
    for (int32_t bone = UPPER; bone < NODES; bone++) add_ring_weights(m, mesh, bone);
}

// Frames 0 to 40: the elbow bends by 90 degrees and straightens. 50 to 80: the shoulder swings.
static void add_motion(level5_maker *m)
{
    static const uint32_t bend[] = { 0, 20, 40, 50 }, swing[] = { 40, 50, 58, 72, 80 };
    const float right = 0.41421356f, bends[] = { 0, right, 0, 0 }, swings[] = { 0, 0, 0.3f, -0.3f, 0 };
    level5_maker_rotations(m, LOWER, sni_vec3(0, 0, 1), bend, bends, 4);
    level5_maker_rotations(m, UPPER, sni_vec3(1, 0, 0), swing, swings, 5);
}

static bool make_arm_of(const char *folder, bool is_first)
{
    level5_maker m;
    level5_maker_begin(&m, is_first);
    add_nodes(&m);
    add_sleeve(&m);
    add_motion(&m);
    level5_maker_picture(&m, "cloth", 32, 8, weave, paint_weave);
    level5_maker_add_mds(&m, is_first ? "arm1.mds" : "arm2.mds");
    level5_maker_add_binds(&m, is_first ? "arm1.bbp" : "arm2.bbp");
    level5_maker_add_tracks(&m, is_first ? "arm1.wgt" : "arm2.wgt", &m.weights, is_first ? 16 : 0);
    level5_maker_add_tracks(&m, is_first ? "arm1.mot" : "arm2.mot", &m.moves, 0);
    level5_maker_add_pictures(&m, is_first ? "arm1.img" : "arm2.img", is_first ? LEVEL5_IM2 : LEVEL5_IM3);
    if (is_first)
        level5_maker_add_text(&m, "arm1.cfg",
                              "IMG 0,\"arm1.img\"\r\nIMG_END\r\nALLOC_DBUFF \"skin\"\r\nMODEL \"arm1.mds\"\r\nMOTION "
                              "0,\"arm1.mot\",\"arm1.bbp\",\"arm1.wgt\"\r\nKEY_START 0\r\n"
                              "KEY 0,40,0.5 // bend\r\nKEY 50,80,0.5 // swing\r\nKEY "
                              "20,20,1.0\r\nKEY_END\r\nMOTION_END\r\n");
    else
        level5_maker_add_text(&m, "arm2.cfg",
                              "V2;\nIMG 0, \"arm2.img\";\nIMG_END;\nVERTEX_ANIME \"skin\";\nMODEL "
                              "\"arm2.mds\";\nMOTION 0, "
                              "\"arm2.mot\", \"arm2.bbp\", \"arm2.wgt\";\nKEY_START;\n"
                              "KEY \"bend\", 0, 40, 1.00;\nKEY \"swing\", 50, 80, 1.00;\nKEY \"bent\", 20, 20, "
                              "1.00;\nKEY_END;\nMOTION_END;\n");
    bool is_saved = level5_maker_save(&m, folder);
    level5_maker_end(&m);
    return is_saved;
}

bool make_arms(const char *folder) { return make_arm_of(folder, true) && make_arm_of(folder, false); }
