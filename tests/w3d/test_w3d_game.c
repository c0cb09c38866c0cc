// The rules of Generals and The Battle for Middle-earth, each by the smallest change to a file that follows all of
// them; and repairs, which show the same model.
#include "w3d_scene.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check_saved.h"

typedef enum fault {
    NO_FAULT,
    LONG_PIVOT,
    LONG_MESH,
    LONG_CONTAINER,
    SAME_PIVOTS,
    HEADER_SECOND,
    OLD_VERSION,
    TWO_ROOTS,
    MOVED_ROOT,
    ROOT_NAME,
    LATE_PARENT,
    LOD_COUNT,
    LOD_PLACE,
    LOD_SIZE,
    LOD_ORDER,
    SKIN_ON_BONE,
    BONE_RANGE,
    TWO_BONES,
    BAD_WEIGHTS,
    SHADER_MATERIAL,
    MANY_VERTICES,
    MANY_PASSES,
    MATERIAL_COUNTS,
    NO_MATERIAL_INFO,
    BLENDED_PASSES,
    EMPTY_BOX,
    SMALL_SPHERE,
    SKIN_BOX,
    NO_SHADE_INDICES,
    NO_FIXUPS,
    TEXTURE_RANGE,
    SKIN_TYPE,
    CHANNEL_PIVOT,
    EULER_CHANNEL,
    FADE_CHANNEL,
    VISIBILITY,
    NO_FRAMES,
    TEXTURE_FOLDER,
    TEXTURE_ENDING,
    NO_TANGENTS,
    BAD_TREE
} fault;

static const sn_quat identity = { 0, 0, 0, 1 };

static void put_fixed_hierarchy(w3d_tree *t, fault f)
{
    scene_pivot pivots[] = { { "ROOTTRANSFORM", -1, { 0, 0, 0 }, identity },
                             { "ARM", 0, { 5, 0, 0 }, identity },
                             { "HAND", 1, { 0, 2, 0 }, identity } };
    if (f == LONG_PIVOT) pivots[2].name = "HAND_OF_THE_GIANT";  // the field has 16 bytes
    if (f == SAME_PIVOTS) pivots[2].name = "arm";
    if (f == TWO_ROOTS) pivots[2].parent = -1;
    if (f == MOVED_ROOT) pivots[0].translation.z = 3;
    if (f == ROOT_NAME) pivots[0].name = "SCENE";
    if (f == LATE_PARENT) pivots[1].parent = 2, pivots[2].parent = 0;
    open_hierarchy(t, "M", f == OLD_VERSION ? 0x30000 : 0x40001, pivots, 3);
    if (f != NO_FIXUPS) w3d_put_numbers(t, W3D_FIXUPS, 3 * 48);
    w3d_close_chunk(t);
}

static void put_animation(w3d_tree *t, fault f)
{
    const float moves[3] = { 0, 1, 2 };
    const uint8_t shown = 7;
    open_animation(t, "WALK", "M", f == NO_FRAMES ? 0 : 3, 30);
    put_raw(t, f == CHANNEL_PIVOT ? 9 : 1, f == EULER_CHANNEL ? W3D_EULER_X : W3D_X, 0, 2, moves);
    if (f == FADE_CHANNEL) put_raw(t, 1, W3D_FADE, 0, 2, moves);
    put_bits(t, 2, 0, 2, f == VISIBILITY ? 255 : 1, &shown);
    w3d_close_chunk(t);
}

static void put_mesh_header(w3d_tree *t, const char *name, fault f, bool is_skin)
{
    const uint32_t vertices = f == MANY_VERTICES && !is_skin ? 65537 : 3;
    const float far = is_skin ? 6.0f : 1.0f, from = is_skin ? 5.0f : 0.0f;
    const bool is_empty = f == (is_skin ? SKIN_BOX : EMPTY_BOX);
    const float box[6] = { from, 0, 0, far, 1, 0 }, none[6] = { 0 };
    w3d_open_chunk(t, W3D_MESH_HEADER3);
    w3d_put_u32(t, 0x40002);
    w3d_put_u32(t, is_skin && f != SKIN_TYPE ? W3D_GEOMETRY_SKIN : 0);
    w3d_put_name(t, f == LONG_MESH && !is_skin ? "A_WALL_OF_16_CHRS" : name, W3D_NAME_BYTES);
    w3d_put_name(t, f == LONG_CONTAINER ? "MODEL_OF_16_CHARS" : "M", W3D_NAME_BYTES);
    const uint32_t counts[9] = { 1, vertices, 1, 0, 0, 0, 0, 3, 1 };
    for (int i = 0; i < 9; i++) w3d_put_u32(t, counts[i]);
    w3d_put_floats(t, is_empty ? none : box, 6);
    w3d_put_floats(t, (const float[]){ (from + far) / 2, 0.5f, 0 }, 3);
    w3d_put_f32(t, f == SMALL_SPHERE ? 0.1f : 0.75f);
    w3d_close_chunk(t);
}

static void put_points(w3d_tree *t, uint32_t id, const float *points, uint32_t count)
{
    w3d_open_chunk(t, id);
    for (uint32_t i = 0; i < count; i++) w3d_put_floats(t, points + (i < 3 ? 3 * i : 0), 3);
    w3d_close_chunk(t);
}

static void put_materials(w3d_tree *t, fault f)
{
    const uint8_t shader[16] = { 3, 1, 0, f == BLENDED_PASSES ? 5 : 0, 0, 1, 0, 1, 1 };
    const uint32_t passes = f == BLENDED_PASSES ? 2 : f == MANY_PASSES ? 5 : 1, zero = 0;
    const uint32_t texture = f == TEXTURE_RANGE ? 4 : 0;
    if (f != NO_MATERIAL_INFO) put_material_info(t, passes, 1, f == MATERIAL_COUNTS ? 3 : 1, 1);
    w3d_put_chunk(t, W3D_SHADERS, shader, sizeof shader);
    w3d_open_chunk(t, W3D_VERTEX_MATERIALS);
    w3d_open_chunk(t, W3D_VERTEX_MATERIAL);
    w3d_put_text_chunk(t, W3D_VERTEX_MATERIAL_NAME, "V");
    w3d_close_chunk(t);
    w3d_close_chunk(t);
    w3d_open_chunk(t, W3D_TEXTURES);
    w3d_open_chunk(t, W3D_TEXTURE);
    w3d_put_text_chunk(t, W3D_TEXTURE_NAME,
                       f == TEXTURE_FOLDER   ? "art\\T.tga"
                       : f == TEXTURE_ENDING ? "T.png"
                                             : "T.tga");
    w3d_close_chunk(t);
    w3d_close_chunk(t);
    if (f == NO_TANGENTS || f == SHADER_MATERIAL) {
        w3d_open_chunk(t, W3D_SHADER_MATERIALS);
        w3d_open_chunk(t, W3D_SHADER_MATERIAL);
        w3d_open_chunk(t, W3D_SHADER_MATERIAL_HEADER);
        w3d_put_u8(t, 1);
        w3d_put_name(t, "NormalMapped.fx", 32);
        w3d_put_u32(t, 0);
        w3d_close_chunk(t);
        w3d_put_texture_property(t, "NormalMap", "N.tga");
        w3d_close_chunk(t);
        w3d_close_chunk(t);
    }
    for (uint32_t i = 0; i < passes; i++) {
        w3d_open_chunk(t, W3D_PASS);
        put_words(t, W3D_VERTEX_MATERIAL_IDS, &zero, 1);
        put_words(t, W3D_SHADER_IDS, &zero, 1);
        w3d_open_chunk(t, W3D_STAGE);
        put_words(t, W3D_TEXTURE_IDS, &texture, 1);
        w3d_close_chunk(t);
        w3d_close_chunk(t);
    }
}

// A leaf with one triangle.
static void put_tree(w3d_tree *t, fault f)
{
    const uint32_t header[8] = { 1, 1 }, triangle = f == BAD_TREE ? 7 : 0;
    const uint32_t node[8] = { 0, 0, 0, 0, 0, 0, 0x80000000u, 1 };
    w3d_open_chunk(t, W3D_AABTREE);
    put_words(t, 0x91, header, 8);
    put_words(t, 0x92, &triangle, 1);
    put_words(t, 0x93, node, 8);
    w3d_close_chunk(t);
}

static void put_one_mesh(w3d_tree *t, const char *name, fault f, bool is_skin)
{
    static const float points[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 }, up[9] = { 0, 0, 1, 0, 0, 1, 0, 0, 1 };
    const uint32_t corner[8] = { 0, 1, 2, 13, 0, 0, 0x3F800000, 0 };
    const uint32_t vertices = f == MANY_VERTICES && !is_skin ? 65537 : 3;
    w3d_open_chunk(t, W3D_MESH);
    if (f != HEADER_SECOND) put_mesh_header(t, name, f, is_skin);
    put_points(t, W3D_VERTICES, points, vertices);
    if (f == HEADER_SECOND) put_mesh_header(t, name, f, is_skin);
    if (is_skin && f == TWO_BONES) put_points(t, W3D_VERTICES2, points, 3);
    put_points(t, W3D_NORMALS, up, vertices);
    put_words(t, W3D_TRIANGLES, corner, 8);
    if (is_skin) {
        w3d_open_chunk(t, W3D_INFLUENCES);
        for (int i = 0; i < 3; i++) {
            w3d_put_u16(t, 1);
            w3d_put_u16(t, f == TWO_BONES ? 1 : 0);
            w3d_put_u16(t, f == TWO_BONES ? 50 : f == BAD_WEIGHTS ? 70 : 0);
            w3d_put_u16(t, f == TWO_BONES ? 50 : 0);
        }
        w3d_close_chunk(t);
    }
    if (f != NO_SHADE_INDICES) w3d_put_numbers(t, W3D_SHADE_INDICES, 4 * (size_t)vertices);
    put_materials(t, f);
    put_tree(t, f);
    w3d_close_chunk(t);
}

static void put_level(w3d_tree *t, float size, const scene_object *objects, uint32_t count)
{
    w3d_open_chunk(t, W3D_LOD_ARRAY);
    w3d_open_chunk(t, W3D_ARRAY_HEADER);
    w3d_put_u32(t, count);
    w3d_put_f32(t, size);
    w3d_close_chunk(t);
    for (uint32_t i = 0; i < count; i++) {
        w3d_open_chunk(t, W3D_SUB_OBJECT);
        w3d_put_u32(t, objects[i].bone);
        w3d_put_name(t, objects[i].name, W3D_LONG_NAME_BYTES);
        w3d_close_chunk(t);
    }
    w3d_close_chunk(t);
}

static void put_file(w3d_tree *t, fault f)
{
    const char *wall = f == LONG_MESH        ? "M.A_WALL_OF_16_CHR"
                       : f == LONG_CONTAINER ? "MODEL_OF_16_CHAR.WALL"
                                             : "M.WALL",
               *skin = f == LONG_CONTAINER ? "MODEL_OF_16_CHAR.SKIN" : "M.SKIN";
    const scene_object fine[] = { { f == BONE_RANGE ? 8 : 2, wall }, { f == SKIN_ON_BONE ? 1 : 0, skin } };
    put_fixed_hierarchy(t, f);
    put_animation(t, f);
    put_one_mesh(t, "WALL", f, false);
    put_one_mesh(t, "SKIN", f, true);
    open_hlod(t, "M", "M", f == LOD_COUNT ? 1 : 2);
    if (f == LOD_PLACE) put_lod(t, W3D_PROXIES, NULL, 0);
    put_level(t, f == LOD_ORDER ? FLT_MAX : 0.5f, fine, 1);
    put_level(t, f == LOD_SIZE ? 2.0f : FLT_MAX, fine, 2);
    w3d_close_chunk(t);
}

static const struct {
    fault fault;
    const char *name, *path;
    bool is_fixed, is_bfme;
} rules[] = {
    { LONG_PIVOT, "SAGE_NAME", "HIERARCHY[0]/PIVOTS", true, false },
    { LONG_MESH, "SAGE_NAME", "MESH[0]/MESH_HEADER3", true, false },
    { LONG_CONTAINER, "SAGE_NAME", "MESH[0]/MESH_HEADER3", false, false },
    { SAME_PIVOTS, "SAGE_BONE_TWICE", "HIERARCHY[0]/PIVOTS", false, false },
    { HEADER_SECOND, "SAGE_HEADER_FIRST", "MESH[0]/MESH_HEADER3", true, false },
    { OLD_VERSION, "SAGE_VERSION", "HIERARCHY[0]/HIERARCHY_HEADER", false, false },
    { TWO_ROOTS, "SAGE_ROOT", "HIERARCHY[0]/PIVOTS", true, false },
    { MOVED_ROOT, "SAGE_ROOT_PLACE", "HIERARCHY[0]/PIVOTS", true, false },
    { ROOT_NAME, "SAGE_ROOT_PLACE", "HIERARCHY[0]/PIVOTS", false, false },
    { LATE_PARENT, "SAGE_PARENT", "HIERARCHY[0]/PIVOTS", false, false },
    { LOD_COUNT, "SAGE_LOD_COUNT", "HLOD[0]", true, false },
    { LOD_PLACE, "SAGE_LOD_COUNT", "HLOD[0]", true, false },
    { LOD_SIZE, "SAGE_LOD_SIZE", "HLOD[0]/HLOD_LOD_ARRAY[1]", true, false },
    { LOD_ORDER, "SAGE_LOD_SIZE", "HLOD[0]/HLOD_LOD_ARRAY[1]", false, false },
    { SKIN_ON_BONE, "SAGE_OBJECT_BONE", "HLOD[0]/HLOD_LOD_ARRAY[1]", true, false },
    { BONE_RANGE, "SAGE_OBJECT_BONE", "HLOD[0]/HLOD_LOD_ARRAY[0]", true, false },
    { TWO_BONES, "SAGE_TWO_BONES", "MESH[1]/VERTEX_INFLUENCES", false, false },
    { BAD_WEIGHTS, "SAGE_WEIGHTS", "MESH[1]/VERTEX_INFLUENCES", false, true },
    { SHADER_MATERIAL, "SAGE_BFME_ONLY", "MESH[0]/SHADER_MATERIALS", false, false },
    { FADE_CHANNEL, "SAGE_BFME_ONLY", "ANIMATION[0]", false, false },
    { MANY_VERTICES, "SAGE_VERTICES", "MESH[0]/MESH_HEADER3", false, false },
    { MANY_PASSES, "SAGE_PASSES", "MESH[0]", false, false },
    { MATERIAL_COUNTS, "SAGE_MATERIAL_INFO", "MESH[0]/MATERIAL_INFO", true, false },
    { NO_MATERIAL_INFO, "SAGE_MATERIAL_INFO", "MESH[0]", true, false },
    { BLENDED_PASSES, "SAGE_BLENDED_PASSES", "MESH[0]", false, false },
    { EMPTY_BOX, "SAGE_BOUNDS", "MESH[0]/MESH_HEADER3", true, false },
    { SMALL_SPHERE, "SAGE_BOUNDS", "MESH[0]/MESH_HEADER3", true, false },
    { SKIN_BOX, "SAGE_BOUNDS", "MESH[1]/MESH_HEADER3", true, false },
    { NO_SHADE_INDICES, "SAGE_CHUNKS", "MESH[0]", true, false },
    { NO_FIXUPS, "SAGE_CHUNKS", "HIERARCHY[0]", true, false },
    { TEXTURE_RANGE, "SAGE_REFERENCE", "MESH[0]", false, false },
    { SKIN_TYPE, "SAGE_SKIN_TYPE", "MESH[1]/MESH_HEADER3", true, false },
    { CHANNEL_PIVOT, "SAGE_CHANNEL", "ANIMATION[0]", false, false },
    { EULER_CHANNEL, "SAGE_CHANNEL", "ANIMATION[0]", false, false },
    { VISIBILITY, "SAGE_VISIBILITY", "ANIMATION[0]", true, false },
    { NO_FRAMES, "SAGE_ANIMATION", "ANIMATION[0]/ANIMATION_HEADER", false, false },
    { TEXTURE_FOLDER, "SAGE_TEXTURE", "MESH[0]/TEXTURES/TEXTURE[0]", true, false },
    { TEXTURE_ENDING, "SAGE_TEXTURE", "MESH[0]/TEXTURES/TEXTURE[0]", false, false },
    { NO_TANGENTS, "SAGE_TANGENTS", "MESH[0]", false, true },
    { BAD_TREE, "SAGE_TREE", "MESH[0]/AABTREE", true, false },
};

static const sn_warning *find(const sn_model *model, const char *name)
{
    for (uint32_t i = 0; i < model->warning_count; i++)
        if (strcmp(sn_warning_name(model->warnings[i].code), name) == 0) return &model->warnings[i];
    return NULL;
}

static sn_model *load(const void *data, size_t size, sn_game game, const char *name)
{
    sn_error error;
    const sn_load_opts opts = { .name = name, .game = game, .keep_document = true };
    sn_model *model = sn_load_memory(data, size, &opts, &error);
    if (!model) fail_msg("%s: %s", error.path, error.message);
    return model;
}

static void test_good(void **state)
{
    (void)state;
    for (int bfme = 0; bfme < 2; bfme++) {
        w3d_file *file = w3d_file_open();
        put_file(&file->tree, NO_FAULT);
        sn_model *model = load(file->out.data, file->out.size, bfme ? SN_GAME_BFME : SN_GAME_GENERALS, "m.w3d");
        for (uint32_t i = 0; i < model->warning_count; i++)
            if (strncmp(sn_warning_name(model->warnings[i].code), "SAGE_", 5) == 0)
                fail_msg("%s: %s: %s", sn_warning_name(model->warnings[i].code), model->warnings[i].path,
                         model->warnings[i].message);
        check_repaired(model, NULL, true);
        sn_model_free(model);
        w3d_file_close(file);
    }
}

static void test_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const sn_game game = rules[i].is_bfme ? SN_GAME_BFME : SN_GAME_GENERALS;
        const sn_save_opts opts = { .game = game, .repairs = true };
        sn_bytes bytes;
        sn_error error;
        w3d_file *file = w3d_file_open();
        put_file(&file->tree, rules[i].fault);
        sn_model *model = load(file->out.data, file->out.size, game, "m.w3d");
        const sn_warning *found = find(model, rules[i].name);
        if (!found) fail_msg("fault %d: %s is not found", rules[i].fault, rules[i].name);
        if (strncmp(found->path, rules[i].path, strlen(rules[i].path)) != 0)
            fail_msg("fault %d: %s at \"%s\", not at \"%s\"", rules[i].fault, rules[i].name, found->path,
                     rules[i].path);
        check_repaired(model, NULL, true);
        if (rules[i].fault != MANY_VERTICES) check_repair_failures(model);
        assert_int_equal(sn_save_memory(model, "w3d", &opts, &bytes, &error), SN_OK);
        sn_model *fixed = load(bytes.data, bytes.size, game, "m.w3d");
        if ((find(fixed, rules[i].name) == NULL) != rules[i].is_fixed)
            fail_msg("fault %d: %s is %s", rules[i].fault, rules[i].name, rules[i].is_fixed ? "not fixed" : "gone");
        sn_model_free(fixed);
        sn_bytes_free(&bytes);
        sn_model_free(model);
        w3d_file_close(file);
    }
}

// The game opens "x.w3d" and looks for X in it.
static void test_file_name(void **state)
{
    (void)state;
    w3d_file *file = w3d_file_open();
    put_file(&file->tree, NO_FAULT);
    sn_model *model = load(file->out.data, file->out.size, SN_GAME_GENERALS, "other.w3d");
    assert_non_null(find(model, "SAGE_FILE_NAME"));
    sn_model_free(model);
    w3d_file_close(file);
}

// The box of a triangle from (0, 0) to (1, 1): its middle and half of its diagonal.
static void test_bounds(void **state)
{
    (void)state;
    const sn_save_opts opts = { .game = SN_GAME_GENERALS, .repairs = true };
    sn_bytes bytes;
    sn_error error;
    w3d_file *file = w3d_file_open();
    put_one_mesh(&file->tree, "WALL", EMPTY_BOX, false);
    sn_model *model = load(file->out.data, file->out.size, SN_GAME_GENERALS, "m.w3d");
    assert_int_equal(sn_save_memory(model, "w3d", &opts, &bytes, &error), SN_OK);
    float values[10];
    sni_load_words((const uint8_t *)bytes.data + 16 + 76, values, 10);
    const float expected[10] = { 0, 0, 0, 1, 1, 0, 0.5f, 0.5f, 0, sqrtf(0.5f) };
    for (int i = 0; i < 10; i++) assert_true(fabsf(values[i] - expected[i]) < 1e-6f);
    sn_bytes_free(&bytes);
    sn_model_free(model);
    w3d_file_close(file);
}

// A rule without a file that breaks it proves nothing. SAGE_FILE_NAME has a test of its own.
static void test_each_rule_is_broken(void **state)
{
    sn_warning_kind kind;
    (void)state;
    for (uint32_t k = 0; sn_warning_at(k, &kind); k++) {
        size_t i = 0;
        if (strncmp(kind.name, "SAGE_", 5) != 0 || strcmp(kind.name, "SAGE_FILE_NAME") == 0) continue;
        while (i < sizeof rules / sizeof *rules && strcmp(rules[i].name, kind.name) != 0) i++;
        if (i == sizeof rules / sizeof *rules) fail_msg("no file breaks %s", kind.name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_good), cmocka_unit_test(test_each_rule_is_broken),
                                        cmocka_unit_test(test_rules), cmocka_unit_test(test_file_name),
                                        cmocka_unit_test(test_bounds) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
