// The rules of Dark Cloud and Dark Cloud 2, each by the smallest change to a pack that follows all of them; and
// repairs, which show the same model.
#include "level5_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check_saved.h"

typedef enum fault {
    NO_FAULT,
    NODE_SIZE,
    TRACK_END,
    PACK_END,
    LONG_NODE,
    LONG_TWINS,
    LONG_LOST,
    LONG_MESH,
    SAME_NODES,
    BAD_TEXT,
    TWO_ROOTS,
    LATE_PARENT,
    MANY_VERTICES,
    FAN,
    BAD_MATERIAL,
    TRACK_NODE,
    WEIGHT_VERTEX,
    KEY_ORDER,
    FRAME_0,
    NO_CHAIN,
    LITTLE_WEIGHT,
    FIVE_BONES,
    FEW_BINDS,
    ZERO_BIND,
    NOT_LISTED,
    OTHER_GRAMMAR,
    IMAGE_SLOT,
    LATE_MODEL,
    BACKWARD_CLIP,
    OTHER_WEIGHTS,
    OTHER_ARCHIVE,
    ALIGNED_PICTURE
} fault;

enum { ROOT, SKIN, UPPER, LOWER, FINGERS, NODES = FINGERS + 3, MOST_VERTICES = 3001 };

static void put_model(level5_scene *s, fault f)
{
    static float positions[MOST_VERTICES][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 12, 0 } };
    const float normal[3] = { 0, 0, 1 }, uv[2] = { 0, 0 };
    const uint32_t faces[] = { f == FAN ? 5 : 3, 3, f == BAD_MATERIAL ? 4 : 0, 0, 0, 0, 1, 0, 0, 2, 0, 0 };
    const level5_scene_material material = { { 1, 1, 1, 1 }, "wood" };
    level5_scene_node nodes[NODES] = {
        { "root", -1, -1, level5_scene_moved(0, 0, 0) },      { "skin", ROOT, 0, level5_scene_moved(0, 0, 0) },
        { "upper", ROOT, -1, level5_scene_moved(0, 0, 0) },   { "lower", UPPER, -1, level5_scene_moved(0, 10, 0) },
        { "thumb", LOWER, -1, level5_scene_moved(0, 0, 0) },  { "ring", LOWER, -1, level5_scene_moved(1, 0, 0) },
        { "little", LOWER, -1, level5_scene_moved(0, 2, 0) },
    };
    if (f == LONG_NODE || f == LONG_TWINS || f == LONG_LOST) nodes[UPPER].name = "a_name_of_exactly_32_characters_";
    if (f == LONG_TWINS) nodes[LOWER].name = "a_name_of_exactly_32_characters2";
    if (f == LONG_MESH) nodes[SKIN].name = "a_name_of_exactly_32_characters_";
    if (f == SAME_NODES) nodes[LOWER].name = "Upper";
    if (f == BAD_TEXT) nodes[LOWER].name = "\x82 ";
    if (f == TWO_ROOTS) nodes[NODES - 1].parent = -1;
    if (f == LATE_PARENT) nodes[LOWER].parent = FINGERS, nodes[FINGERS].parent = UPPER;
    const level5_scene_mesh mesh = { .position_count = f == MANY_VERTICES ? MOST_VERTICES : 3,
                                     .normal_count = 1,
                                     .uv_count = 1,
                                     .material_count = 1,
                                     .positions = positions[0],
                                     .normals = normal,
                                     .uvs = uv,
                                     .faces = faces,
                                     .face_words = sizeof faces / 4,
                                     .primitive_count = 1,
                                     .materials = &material };
    level5_scene_mds(s, "arm.mds", nodes, NODES, &mesh, 1);
    if (f == NODE_SIZE) level5_scene_patch(s, 16 + 112 * UPPER + 4, 100);
    if (f == LONG_LOST) level5_scene_patch(s, 16 + 112 * UPPER + 40, 20);  // no mesh is there
}

static void put_weights(level5_scene *s, fault f)
{
    const float all = f == LITTLE_WEIGHT ? 80 : 100;
    const level5_scene_key upper[] = { { 0, all, 0, 0, 0 }, { 1, 50, 0, 0, 0 } };
    const level5_scene_key lower[] = { { 1, 50, 0, 0, 0 },
                                       { f == WEIGHT_VERTEX ? 7 : 2, f == FIVE_BONES ? 20 : 100, 0, 0, 0 } };
    const level5_scene_key more[] = { { 2, f == FIVE_BONES ? 20 : 0, 0, 0, 0 } }, half = { 2, 20, 0, 0, 0 };
    level5_scene_begin(s, "arm.wgt");
    if (f != NO_CHAIN) level5_scene_track(s, SKIN, ROOT, 20, NULL, 0, false);
    level5_scene_track(s, SKIN, UPPER, 20, upper, 2, false);
    if (f == FIVE_BONES) level5_scene_track(s, SKIN, UPPER, 20, &half, 1, false);
    level5_scene_track(s, SKIN, LOWER, 20, lower, 2, false);
    for (int i = 0; i < 3; i++) level5_scene_track(s, SKIN, FINGERS + i, 20, more, f == FIVE_BONES, i == 2);
}

static void put_binds(level5_scene *s, fault f, bool is_second)
{
    level5_scene_matrix binds[NODES];
    for (int i = 0; i < NODES; i++)
        binds[i] = level5_scene_moved(0, i == LOWER || (is_second && i > LOWER) ? 10 : 0, 0);
    binds[FINGERS + 1].m[12] = 1;
    binds[FINGERS + 2].m[13] += 2;
    if (f == ZERO_BIND) memset(&binds[LOWER], 0, sizeof binds[LOWER]);
    level5_scene_matrices(s, "arm.bbp", binds, f == FEW_BINDS ? LOWER : NODES);
}

static void put_motion(level5_scene *s, fault f)
{
    const sn_vec3 z = { 0, 0, 1 };
    const level5_scene_key keys[] = { level5_scene_turn_key(f == FRAME_0 ? 0 : 1, z, 0.0),
                                      level5_scene_turn_key(5, z, 0.5),
                                      level5_scene_turn_key(f == KEY_ORDER ? 4 : 9, z, 0.0) };
    level5_scene_begin(s, "arm.mot");
    level5_scene_track(s, f == TRACK_NODE ? 70 : LOWER, 0, 0, keys, 3, f != TRACK_END);
}

static void put_config(level5_scene *s, fault f, bool is_second)
{
    static char text[512];
    const bool has_marks = is_second != (f == OTHER_GRAMMAR);
    const char *end = has_marks ? ";" : "";
    const char *model = "MODEL \"arm.mds\"";
    size_t size = (size_t)snprintf(text, sizeof text, "IMG %d, \"arm.img\"%s\r\nIMG_END%s\r\n", f == IMAGE_SLOT ? 7 : 0,
                                   end, end);
    if (f != NOT_LISTED)
        size += (size_t)snprintf(text + size, sizeof text - size, "%s \"skin\"%s\r\n",
                                 has_marks ? "VERTEX_ANIME" : "ALLOC_DBUFF", end);
    if (f != LATE_MODEL) size += (size_t)snprintf(text + size, sizeof text - size, "%s%s\r\n", model, end);
    size += (size_t)snprintf(text + size, sizeof text - size,
                             "MOTION 0, \"arm.mot\", \"arm.bbp\", \"%s\"%s\r\nKEY_START%s%s\r\n",
                             f == OTHER_WEIGHTS ? "leg.wgt" : "arm.wgt", end, has_marks ? "" : " 0", end);
    size += (size_t)snprintf(text + size, sizeof text - size, "KEY %s%s, 0.5%s\r\nKEY_END%s\r\nMOTION_END%s\r\n",
                             has_marks ? "\"bend\", " : "", f == BACKWARD_CLIP ? "9, 1" : "1, 9", end, end, end);
    if (f == LATE_MODEL) snprintf(text + size, sizeof text - size, "%s%s\r\n", model, end);
    level5_scene_config(s, "info.cfg", text);
}

static level5_scene *make(fault f, bool is_second)
{
    static const char *const members[] = { "info.cfg", "arm.mds", "arm.wgt", "arm.bbp", "arm.mot", "arm.img" };
    const level5_scene_picture picture = { "wood", 16, 16, 8, false, 128 };
    level5_scene *s = level5_scene_open();
    put_model(s, f);
    put_weights(s, f);
    put_binds(s, f, is_second);
    put_motion(s, f);
    level5_scene_archive(s, "arm.img", is_second || f == OTHER_ARCHIVE ? "IM3" : "IMG", &picture, 1);
    if (f == ALIGNED_PICTURE) level5_scene_patch(s, 16 + (is_second ? 64 : 48) + 4, 4 | 1 << 8 | 1 << 16);
    put_config(s, f, is_second);
    level5_scene_pack(s, "arm.chr", members, 6);
    if (f == PACK_END) s->files[s->file_count - 1].size -= 80;
    return s;
}

// game: 1, 2, or 0 for both.
static const struct {
    fault fault;
    const char *name, *path;
    bool is_fixed;
    int game;
} rules[] = {
    { NODE_SIZE, "DARK_CLOUD_LAYOUT", "FILE \"arm.mds\"", true, 0 },
    { TRACK_END, "DARK_CLOUD_LAYOUT", "FILE \"arm.mot\"", true, 0 },
    { PACK_END, "DARK_CLOUD_LAYOUT", "", true, 0 },
    { LONG_NODE, "DARK_CLOUD_NAME", "FILE \"arm.mds\"/NODE[2]", true, 0 },
    { LONG_TWINS, "DARK_CLOUD_NAME", "FILE \"arm.mds\"/NODE[2]", false, 0 },  // one of the two
    { LONG_LOST, "DARK_CLOUD_NAME", "FILE \"arm.mds\"/NODE[2]", true, 0 },
    { LONG_MESH, "DARK_CLOUD_NAME", "FILE \"arm.mds\"/NODE[1]", false, 0 },
    { SAME_NODES, "DARK_CLOUD_NAME_TWICE", "FILE \"arm.mds\"/NODE[3]", false, 0 },
    { BAD_TEXT, "DARK_CLOUD_ENCODING", "FILE \"arm.mds\"/NODE[3]", false, 0 },
    { TWO_ROOTS, "DARK_CLOUD_ROOT", "FILE \"arm.mds\"/NODE[6]", false, 0 },
    { LATE_PARENT, "DARK_CLOUD_PARENT", "FILE \"arm.mds\"/NODE[3]", false, 0 },
    { MANY_VERTICES, "DARK_CLOUD_VERTICES", "NODE[1] \"skin\"", false, 1 },
    { FAN, "DARK_CLOUD_FACES", "FILE \"arm.mds\"/MDT[0]", false, 0 },
    { BAD_MATERIAL, "DARK_CLOUD_MATERIAL", "FILE \"arm.mds\"/MDT[0]", false, 0 },
    { TRACK_NODE, "DARK_CLOUD_TRACK", "FILE \"arm.mot\"/TRACK[0]", false, 0 },
    { WEIGHT_VERTEX, "DARK_CLOUD_TRACK", "FILE \"arm.wgt\"/TRACK[2]", false, 0 },
    { KEY_ORDER, "DARK_CLOUD_KEY_ORDER", "FILE \"arm.mot\"/TRACK[0]", false, 0 },
    { FRAME_0, "DARK_CLOUD_FRAME", "FILE \"arm.mot\"", false, 0 },
    { NO_CHAIN, "DARK_CLOUD_CHAIN", "TRACK[0]", true, 1 },
    { LITTLE_WEIGHT, "DARK_CLOUD_WEIGHTS", "NODE[1] \"skin\"", false, 0 },
    { FIVE_BONES, "DARK_CLOUD_INFLUENCES", "NODE[1] \"skin\"", false, 2 },
    { FEW_BINDS, "DARK_CLOUD_BINDS", "", true, 0 },
    { ZERO_BIND, "DARK_CLOUD_BINDS", "", true, 0 },
    { NOT_LISTED, "DARK_CLOUD_SKIN_LIST", "NODE[1] \"skin\"", false, 0 },
    { OTHER_GRAMMAR, "DARK_CLOUD_CONFIG", "FILE \"info.cfg\"", false, 0 },
    { IMAGE_SLOT, "DARK_CLOUD_CONFIG", "FILE \"info.cfg\"/COMMAND[0] \"IMG\"", false, 0 },
    { LATE_MODEL, "DARK_CLOUD_CONFIG", "FILE \"info.cfg\"/COMMAND[3] \"MOTION\"", false, 0 },
    { BACKWARD_CLIP, "DARK_CLOUD_CLIP", "FILE \"info.cfg\"/COMMAND[6] \"KEY\"", false, 0 },
    { OTHER_WEIGHTS, "DARK_CLOUD_WEIGHT_FILE", "FILE \"info.cfg\"/COMMAND[4] \"MOTION\"", false, 2 },
    { OTHER_ARCHIVE, "DARK_CLOUD_IMAGE", "FILE \"arm.img\"", false, 1 },
    { ALIGNED_PICTURE, "DARK_CLOUD_IMAGE", "FILE \"arm.img\"/PICTURE[0]", false, 0 },
};

static const sn_warning *find(const sn_model *model, const char *name)
{
    for (uint32_t i = 0; i < model->warning_count; i++)
        if (strcmp(sn_warning_name(model->warnings[i].code), name) == 0) return &model->warnings[i];
    return NULL;
}

static sn_load_opts options(bool is_second)
{
    return (sn_load_opts){ .name = "arm.chr",
                           .keep_document = true,
                           .game = is_second ? SN_GAME_DARK_CLOUD_2 : SN_GAME_DARK_CLOUD };
}

static void test_good(void **state)
{
    (void)state;
    for (int second = 0; second < 2; second++) {
        level5_scene *s = make(NO_FAULT, second);
        const sn_load_opts opts = options(second);
        sn_model *model = level5_scene_load(s, "arm.chr", &opts);
        for (uint32_t i = 0; i < model->warning_count; i++)
            if (strncmp(sn_warning_name(model->warnings[i].code), "DARK_", 5) == 0)
                fail_msg("game %d: %s: %s: %s", second + 1, sn_warning_name(model->warnings[i].code),
                         model->warnings[i].path, model->warnings[i].message);
        check_repaired(model, "arm.chr", true);
        sn_model_free(model);
        level5_scene_close(s);
    }
}

static void check_rule(size_t i, bool is_second)
{
    const sn_load_opts opts = options(is_second);
    const sn_save_opts repairs = { .game = opts.game, .repairs = true };
    sn_bytes bytes;
    sn_error error;
    level5_scene *s = make(rules[i].fault, is_second);
    sn_model *model = level5_scene_load(s, "arm.chr", &opts);
    const sn_warning *found = find(model, rules[i].name);
    if (!found) fail_msg("fault %d of game %d: %s is not found", rules[i].fault, is_second + 1, rules[i].name);
    if (strncmp(found->path, rules[i].path, strlen(rules[i].path)) != 0)
        fail_msg("fault %d: %s at \"%s\", not at \"%s\"", rules[i].fault, rules[i].name, found->path, rules[i].path);
    check_repaired(model, "arm.chr", true);
    if (rules[i].is_fixed) check_repair_failures(model);
    assert_int_equal(sn_save_memory(model, "chr", &repairs, &bytes, &error), SN_OK);
    sn_model *fixed = sn_load_memory(bytes.data, bytes.size, &opts, &error);
    assert_non_null(fixed);
    if ((find(fixed, rules[i].name) == NULL) != rules[i].is_fixed)
        fail_msg("fault %d of game %d: %s is %s", rules[i].fault, is_second + 1, rules[i].name,
                 rules[i].is_fixed ? "not fixed" : "gone");
    sn_model_free(fixed);
    sn_bytes_free(&bytes);
    sn_model_free(model);
    level5_scene_close(s);
}

static void test_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        for (int second = 0; second < 2; second++)
            if (rules[i].game == 0 || rules[i].game == second + 1) check_rule(i, second);
}

// A companion by itself keeps its ending: what does not need the model is repaired there, too.
static void test_companion(void **state)
{
    (void)state;
    const sn_load_opts opts = { .name = "arm.mot", .keep_document = true, .game = SN_GAME_DARK_CLOUD };
    const sn_save_opts repairs = { .game = SN_GAME_DARK_CLOUD, .repairs = true };
    sn_bytes bytes;
    sn_error error;
    level5_scene *s = level5_scene_open();
    put_motion(s, TRACK_END);
    sn_model *model = level5_scene_load(s, "arm.mot", &opts);
    assert_non_null(find(model, "DARK_CLOUD_LAYOUT"));
    assert_int_equal(sn_save_memory(model, "mot", &repairs, &bytes, &error), SN_OK);
    assert_int_equal(bytes.size, s->size);
    assert_int_equal(((const uint8_t *)bytes.data)[20], 0);  // the distance to the next track
    sn_bytes_free(&bytes);
    sn_model_free(model);
    level5_scene_close(s);
}

// A rule without a file that breaks it proves nothing. DARK_CLOUD_FORMAT has a test of its own in test_level5_dq8.c.
static void test_each_rule_is_broken(void **state)
{
    sn_warning_kind kind;
    (void)state;
    for (uint32_t k = 0; sn_warning_at(k, &kind); k++) {
        size_t i = 0;
        if (strncmp(kind.name, "DARK_CLOUD_", 11) != 0 || strcmp(kind.name, "DARK_CLOUD_FORMAT") == 0) continue;
        while (i < sizeof rules / sizeof *rules && strcmp(rules[i].name, kind.name) != 0) i++;
        if (i == sizeof rules / sizeof *rules) fail_msg("no file breaks %s", kind.name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_good), cmocka_unit_test(test_each_rule_is_broken),
                                        cmocka_unit_test(test_rules), cmocka_unit_test(test_companion) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
