// The files of a Dark Cloud model: beside it, named by a configuration, in packs and nested packs; and files without a
// model.
#include "hand_models.h"
#include "level5_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"

static const uint32_t one_triangle[] = { 0x203, 3, 0, 0, 0, 1, 1, 2, 2 };
static const float corners[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 }, uvs[6] = { 0, 0, 1, 0, 0, 1 };

static void add_model(level5_scene *s, const char *name, const char *bone)
{
    static const level5_scene_material material = { { 1, 1, 1, 1 }, "cloth" };
    const level5_scene_mesh mesh = { .position_count = 3,
                                     .positions = corners,
                                     .uv_count = 3,
                                     .uvs = uvs,
                                     .faces = one_triangle,
                                     .face_words = 9,
                                     .primitive_count = 1,
                                     .materials = &material,
                                     .material_count = 1 };
    const level5_scene_node nodes[] = { { "root", -1, -1, level5_scene_moved(0, 0, 0) },
                                        { "skin", 0, 0, level5_scene_moved(0, 0, 0) },
                                        { bone, 0, -1, level5_scene_moved(0, 1, 0) } };
    level5_scene_mds(s, name, nodes, 3, &mesh, 1);
}

static void add_weights(level5_scene *s, const char *name)
{
    const level5_scene_key all[] = { { 0, 100, 0, 0, 0 }, { 1, 60, 0, 0, 0 }, { 2, 30.5f, 0, 0, 0 } };
    level5_scene_begin(s, name);
    level5_scene_track(s, 1, 0, 20, NULL, 0, false);
    level5_scene_track(s, 1, 2, 20, all, 3, true);
}

static void add_motion(level5_scene *s, const char *name)
{
    const level5_scene_key keys[] = { { 0, 0, 1, 0, 0 }, { 30, 0, 4, 0, 0 } };
    level5_scene_begin(s, name);
    level5_scene_track(s, 2, 0, 2, keys, 2, true);
}

static void add_binds(level5_scene *s, const char *name)
{
    const level5_scene_matrix binds[] = { level5_scene_moved(0, 0, 0), level5_scene_moved(0, 0, 0),
                                          level5_scene_moved(0, 1, 0) };
    level5_scene_matrices(s, name, binds, 3);
}

static void add_pictures(level5_scene *s, const char *name)
{
    const level5_scene_picture picture = { "cloth", 16, 16, 8, true, 128 };
    level5_scene_archive(s, name, "IM3", &picture, 1);
}

static void check_complete(const sn_model *model, const char *bone)
{
    assert_int_equal(model->node_count, 3);
    assert_true(sn_model_find_node(model, bone) == 2);
    assert_int_equal(model->skin_count, 1);
    assert_int_equal(model->clip_count, 1);
    assert_int_equal(model->image_count, 1);
    assert_true(model->images[0].size > 0);
}

static void files_with_the_models_name_are_used(void **state)
{
    (void)state;
    level5_scene *s = level5_scene_open();
    add_model(s, "cat.mds", "tail");
    add_weights(s, "cat.wgt");
    add_motion(s, "cat.mot");
    add_binds(s, "cat.bbp");
    add_pictures(s, "cat.img");
    sn_model *model = level5_scene_load(s, "cat.mds", NULL);
    check_complete(model, "tail");
    assert_string_equal(model->name, "cat");
    assert_string_equal(model->clips[0].name, "all");
    assert_int_equal(model->warning_count, 0);
    sn_model_free(model);
    level5_scene_close(s);
}

static void missing_files_are_only_reported(void **state)
{
    (void)state;
    level5_scene *s = level5_scene_open();
    add_model(s, "cat.mds", "tail");
    level5_scene_config(s, "cat.cfg",
                        "V2;\nIMG 0, \"cat.img\";\nMODEL \"cat.mds\";\nMOTION 0, \"cat.mot\", \"cat.bbp\", "
                        "\"cat.wgt\";\nKEY_START;\nKEY \"walk\", 0, 30, 1.0;\nKEY_END;\n");
    level5_scene_begin(s, "cat.bbp");
    level5_scene_text(s, "no matrix", 0);
    sn_model *model = level5_scene_load(s, "cat.mds", NULL);
    assert_int_equal(model->node_count, 3);
    assert_int_equal(model->clip_count, 1);
    assert_int_equal(model->clips[0].track_count, 0);
    assert_near(model->clips[0].duration, 1.0);
    assert_int_equal(count_warnings(model, SNI_WARN_FILE_MISSING), 3);  // pictures, motion, weights
    assert_int_equal(count_warnings(model, SNI_WARN_IMAGE_MISSING), 1);
    sn_model_free(model);
    level5_scene_close(s);
}

static const char cat_config[] =
    "V2;\nIMG 0, \"cat.img\";\nIMG_END;\nVERTEX_ANIME \"skin\";\nMODEL \"cat.mds\";\nMOTION 0, \"cat.mot\", "
    "\"cat.bbp\", \"cat.wgt\";\n"
    "KEY_START;\nKEY \"walk\", 0, 30, 0.50;\nKEY_END;\nMOTION_END;\nBODY_SIZE 10.0, 4.0, 4.5;\n";

// As extraction tools leave them. A picture that is not TIM2 has no TIM2 header to look at (found by valgrind).
static void pictures_may_be_files_of_their_own(void **state)
{
    (void)state;
    static const uint8_t tga[18 + 4] = { 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 32, 8, 10, 20, 30, 255 };
    level5_scene *s = level5_scene_open();
    add_model(s, "x.mds", "arm");
    level5_scene_begin(s, "cloth.tga");
    level5_scene_bytes(s, tga, sizeof tga);
    sn_model *model = level5_scene_load(s, "x.mds", NULL);
    assert_int_equal(model->image_count, 1);
    assert_int_equal(model->images[0].size, sizeof tga);
    assert_memory_equal(model->images[0].data, tga, sizeof tga);
    sn_model_free(model);
    level5_scene_close(s);
}

static void add_cat(level5_scene *s, const char *config)
{
    add_model(s, "CAT.MDS", "tail");
    add_weights(s, "CAT.WGT");
    add_motion(s, "CAT.MOT");
    add_binds(s, "CAT.BBP");
    add_pictures(s, "CAT.IMG");
    level5_scene_config(s, config, cat_config);
}

// Names are in capitals in the pack and in lower case in the configuration.
static void a_pack_opens_as_its_model(void **state)
{
    (void)state;
    static const char *const members[] = { "CAT.IMG", "INFO.CFG", "CAT.WGT", "CAT.MOT", "CAT.BBP", "CAT.MDS" };
    level5_scene *s = level5_scene_open();
    add_cat(s, "INFO.CFG");
    level5_scene_pack(s, "cat.chr", members, 6);
    sn_model *model = level5_scene_load(s, "cat.chr", NULL);
    check_complete(model, "tail");
    assert_string_equal(model->clips[0].name, "walk");
    assert_near(model->clips[0].duration, 2.0);
    assert_int_equal(model->warning_count, 0);
    assert_non_null(strstr(model->extras, "\"bodySize\":[10,4,4.5]"));
    sn_model_free(model);
    level5_scene_close(s);
}

static void packs_may_be_nested(void **state)
{
    (void)state;
    static const char *const cat[] = { "CAT.IMG", "INFO.CFG", "CAT.WGT", "CAT.MOT", "CAT.BBP", "CAT.MDS" },
                             *const all[] = { "readme.txt", "cat.chr" }, *const outer[] = { "town.pak" };
    level5_scene *s = level5_scene_open();
    add_cat(s, "INFO.CFG");
    level5_scene_config(s, "readme.txt", "no configuration");
    level5_scene_pack(s, "cat.chr", cat, 6);
    level5_scene_pack(s, "town.pak", all, 2);
    level5_scene_pack(s, "world.pak", outer, 1);
    sn_model *model = level5_scene_load(s, "world.pak", NULL);
    check_complete(model, "tail");
    assert_non_null(strstr(model->extras, "town.pak/cat.chr/CAT.MDS"));
    sn_model_free(model);
    level5_scene_close(s);
}

static void the_first_of_several_models_is_loaded(void **state)
{
    (void)state;
    static const char *const members[] = { "cat.cfg", "dog.cfg", "dog.mds", "CAT.MDS",
                                           "CAT.IMG", "CAT.WGT", "CAT.MOT", "CAT.BBP" };
    level5_scene *s = level5_scene_open();
    add_cat(s, "cat.cfg");
    add_model(s, "dog.mds", "paw");
    level5_scene_config(s, "dog.cfg", "V2;\nMODEL \"dog.mds\";\n");
    level5_scene_pack(s, "pets.pak", members, 8);
    sn_model *model = level5_scene_load(s, "pets.pak", NULL);
    check_complete(model, "tail");
    assert_int_equal(count_warnings(model, SNI_WARN_LEVEL5_MODELS), 1);
    assert_non_null(strstr(model->extras, "\"models\":[\"cat.cfg\",\"dog.cfg\"]"));
    sn_model_free(model);
    level5_scene_close(s);
}

static void a_pack_without_configuration_uses_names(void **state)
{
    (void)state;
    static const char *const members[] = { "cat.wgt", "any.img", "cat.mds", "cat.mot" }, *const none[] = { "any.img",
                                                                                                           "cat.mot" };
    level5_scene *s = level5_scene_open();
    add_model(s, "cat.mds", "tail");
    add_weights(s, "cat.wgt");
    add_motion(s, "cat.mot");
    add_pictures(s, "any.img");
    level5_scene_pack(s, "cat.pak", members, 4);
    level5_scene_pack(s, "parts.pak", none, 2);
    sn_model *model = level5_scene_load(s, "cat.pak", NULL);
    check_complete(model, "tail");
    sn_model_free(model);
    model = level5_scene_load(s, "parts.pak", NULL);
    assert_int_equal(model->node_count, 0);
    assert_int_equal(model->image_count, 1);
    assert_int_equal(count_warnings(model, SNI_WARN_LEVEL5_ALONE), 1);
    sn_model_free(model);
    level5_scene_close(s);
}

// Every track header of a WGT, with the sum of its weights, and the model that the file belongs to.
static void weights_without_a_model_are_listed(void **state)
{
    (void)state;
    level5_scene *s = level5_scene_open();
    add_weights(s, "cat.wgt");
    sn_model *model = level5_scene_load(s, "cat.wgt", NULL);
    assert_int_equal(model->node_count + model->mesh_count + model->clip_count, 0);
    assert_string_equal(model->extras, "{\"kind\":\"weights\",\"tracks\":[{\"node\":1,\"bone\":0,\"count\":0,\"sum\":0}"
                                       ",{\"node\":1,\"bone\":2,\"count\":3,\"sum\":190.5}]}");
    assert_int_equal(model->warning_count, 1);
    assert_string_equal(model->warnings[0].message, "weights without a model; its model cat.mds was not found");
    sn_model_free(model);
    add_model(s, "cat.mds", "tail");
    model = level5_scene_load(s, "cat.wgt", NULL);
    assert_string_equal(model->warnings[0].message, "weights without a model; open its model cat.mds");
    sn_model_free(model);
    level5_scene_close(s);
}

static void other_files_without_a_model_are_listed(void **state)
{
    (void)state;
    level5_scene *s = level5_scene_open();
    add_motion(s, "cat.mot");
    add_binds(s, "cat.bbp");
    add_pictures(s, "cat.img");
    level5_scene_config(s, "cat.cfg", cat_config);
    sn_model *model = level5_scene_load(s, "cat.mot", NULL);
    assert_string_equal(model->extras, "{\"kind\":\"motion\",\"tracks\":[{\"node\":2,\"type\":2,\"target\":0,\"count\":"
                                       "2,\"first\":0,\"last\":30}]}");
    sn_model_free(model);
    model = level5_scene_load(s, "cat.bbp", NULL);
    assert_string_equal(model->extras, "{\"kind\":\"binds\",\"matrices\":3}");
    sn_model_free(model);
    model = level5_scene_load(s, "cat.img", NULL);
    assert_int_equal(model->image_count, 1);
    assert_int_equal(model->warning_count, 0);
    sn_model_free(model);
    model = level5_scene_load(s, "cat.cfg", NULL);
    assert_int_equal(model->node_count, 0);
    assert_int_equal(count_warnings(model, SNI_WARN_LEVEL5_ALONE), 1);
    sn_model_free(model);
    level5_scene_close(s);
}

static void japanese_names_become_utf8(void **state)
{
    (void)state;
    level5_scene *s = level5_scene_open();
    const level5_scene_node node = { "\x93\xAA", -1, -1, level5_scene_moved(0, 0, 0) };  // the head
    level5_scene_mds(s, "a.mds", &node, 1, NULL, 0);
    sn_model *model = level5_scene_load(s, "a.mds", NULL);
    assert_string_equal(model->nodes[0].name, "\xE9\xA0\xAD");
    assert_int_equal(model->warning_count, 0);
    sn_model_free(model);
    level5_scene_close(s);
}

// The second byte of the katakana "so" in Shift-JIS is a backslash. On disk the names are UTF-8.
static void japanese_names_are_found_on_disk(void **state)
{
    (void)state;
    static const char config[] = "V2;\nMODEL \"chara\\\x83\x5C.mds\";\nMOTION 0, \"\x83\x5C.mot\", \"\", "
                                 "\"\";\nKEY_START;\nKEY \"walk\", 0, 30, 0.50;\nKEY_END;\n";
    static const char *const opened[] = { "info.cfg", "\xE3\x82\xBD.mds" };
    for (int i = 0; i < 2; i++) {
        level5_scene *s = level5_scene_open();
        add_model(s, "\xE3\x82\xBD.mds", "tail");
        add_weights(s, "\xE3\x82\xBD.wgt");
        add_motion(s, "\xE3\x82\xBD.mot");
        level5_scene_config(s, "info.cfg", config);
        sn_model *model = level5_scene_load(s, opened[i], NULL);
        assert_int_equal(model->node_count, 3);
        assert_string_equal(model->name, "\xE3\x82\xBD");
        assert_int_equal(model->skin_count, 1);
        assert_string_equal(model->clips[0].name, "walk");
        assert_int_equal(model->clips[0].track_count, 1);
        assert_int_equal(count_warnings(model, SNI_WARN_FILE_MISSING), 0);
        sn_model_free(model);
        level5_scene_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_with_the_models_name_are_used),
        cmocka_unit_test(missing_files_are_only_reported),
        cmocka_unit_test(pictures_may_be_files_of_their_own),
        cmocka_unit_test(a_pack_opens_as_its_model),
        cmocka_unit_test(packs_may_be_nested),
        cmocka_unit_test(the_first_of_several_models_is_loaded),
        cmocka_unit_test(a_pack_without_configuration_uses_names),
        cmocka_unit_test(weights_without_a_model_are_listed),
        cmocka_unit_test(other_files_without_a_model_are_listed),
        cmocka_unit_test(japanese_names_become_utf8),
        cmocka_unit_test(japanese_names_are_found_on_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
