// W3D: hierarchies become nodes, HLODs become instances; models in several files.
#include "w3d_scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

// clang-format off
#define QUARTER_Z { 0, 0, 0.70710678f, 0.70710678f }
#define STILL { 0, 0, 0, 1 }
#define LENGTH(array) ((uint32_t)(sizeof(array) / sizeof *(array)))
// clang-format on

static const scene_pivot arm[] = {
    { "ROOTTRANSFORM", -1, { 7, 7, 7 }, QUARTER_Z },  // ignored: the game places the root
    { "B_ARM", 0, { 10, 0, 0 }, QUARTER_Z },
    { "WEAPONA01", 1, { 1, 0, 0 }, STILL },
};

static sn_vec3 place(const sn_model *model, const char *node)
{
    sn_mat34 world = world_at(model, node, -1, 0);
    return (sn_vec3){ world.m[0][3], world.m[1][3], world.m[2][3] };
}

static void pivots_become_nodes(void **state)
{
    (void)state;
    w3d_file *file = w3d_file_open();
    put_hierarchy(&file->tree, "SKL", 0x40001, arm, 3);
    sn_model *model = load_scene(file, NULL, NULL);
    assert_int_equal(model->warning_count, 0);
    assert_int_equal(model->node_count, 3);
    assert_int_equal(model->scene_count, 1);
    assert_string_equal(model->name, "SKL");
    assert_int_equal(model->nodes[2].id, 2);
    assert_int_equal(model->nodes[2].parent, 1);
    assert_near(place(model, "ROOTTRANSFORM"), 0, 0, 0, 0);
    assert_near(place(model, "B_ARM"), 10, 0, 0, 0);
    assert_near(place(model, "WEAPONA01"), 10, 1, 0, 1e-6f);
    assert_string_equal(model->nodes[0].extras, "{\"role\":\"root\"}");
    assert_string_equal(model->nodes[1].extras, "{\"role\":\"bone\"}");
    assert_string_equal(model->nodes[2].extras, "{\"role\":\"weapon\"}");
    assert_int_equal(model->nodes[1].flags, 0);
    assert_int_equal(model->nodes[2].flags, SN_NODE_ATTACHMENT);
    sn_model_free(model);
}

static void parents_after_children_and_several_roots(void **state)
{
    (void)state;
    const scene_pivot pivots[] = { { "R", -1, { 0, 0, 0 }, STILL },
                                   { "A", 2, { 1, 0, 0 }, STILL },
                                   { "B", 0, { 0, 5, 0 }, QUARTER_Z },
                                   { "LOOSE", -1, { 0, 0, 3 }, STILL } };
    w3d_file *file = w3d_file_open();
    put_hierarchy(&file->tree, "SKL", 0x40001, pivots, 4);
    sn_model *model = load_scene(file, NULL, NULL);
    assert_int_equal(model->warning_count, 0);
    assert_near(place(model, "A"), 0, 6, 0, 1e-6f);
    assert_near(place(model, "LOOSE"), 0, 0, 3, 0);
    assert_int_equal(model->scenes[0].root_count, 2);
    assert_int_equal(model->nodes[sn_model_find_node(model, "A")].id, 1);
    sn_model_free(model);
}

static void cycles_and_bad_parents_are_cut(void **state)
{
    (void)state;
    const scene_pivot pivots[] = { { "R", -1, { 0, 0, 0 }, STILL },
                                   { "A", 2, { 1, 0, 0 }, STILL },
                                   { "B", 1, { 0, 5, 0 }, STILL },
                                   { "C", 77, { 0, 0, 3 }, STILL } };
    w3d_file *file = w3d_file_open();
    put_hierarchy(&file->tree, "SKL", 0x40001, pivots, 4);
    sn_model *model = load_scene(file, NULL, NULL);
    assert_int_equal(count_warnings(model, SNI_WARN_NODE_CYCLE), 1);
    assert_int_equal(count_warnings(model, SNI_WARN_NODE_PARENT), 1);
    assert_int_equal(model->node_count, 4);
    assert_near(place(model, "B"), 0, 5, 0, 0);
    assert_near(place(model, "A"), 1, 5, 0, 0);
    sn_model_free(model);
}

// Before version 3 files have no root, and all pivot numbers are one less.
static void old_hierarchies_get_a_root(void **state)
{
    (void)state;
    const scene_pivot pivots[] = { { "HIP", -1, { 1, 0, 0 }, STILL }, { "KNEE", 0, { 0, 2, 0 }, STILL } };
    w3d_file *file = w3d_file_open();
    put_hierarchy(&file->tree, "OLD", 0x20000, pivots, 2);
    sn_model *model = load_scene(file, NULL, NULL);
    assert_int_equal(model->node_count, 3);
    assert_int_equal(model->nodes[0].id, -1);
    assert_string_equal(model->nodes[1].name, "HIP");
    assert_int_equal(model->nodes[1].id, 0);
    assert_int_equal(model->nodes[1].parent, 0);
    assert_near(place(model, "KNEE"), 1, 2, 0, 0);
    sn_model_free(model);
}

// Matrices have no effect. Vectors move the pivot along its own axes: B_ARM's x axis points along y.
static void only_fixup_vectors_move_pivots(void **state)
{
    (void)state;
    static const float matrices[36] = { 1, 0, 0, 0, 1, 0,    0, 0, 1, 0, 0, 0, 0, 1, 0, -1, 0, 0,
                                        0, 0, 1, 0, 0, 0.5f, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0,  0, 0 };
    static const float vectors[9] = { 9, 9, 9, 2, 0, 0, 0, 0, 0 };
    w3d_file *file = w3d_file_open();
    open_hierarchy(&file->tree, "SKL", 0x40001, arm, 3);
    put_float_chunk(&file->tree, W3D_FIXUPS, matrices, 36);
    w3d_close_chunk(&file->tree);
    sn_model *model = load_scene(file, NULL, NULL);
    assert_near(place(model, "B_ARM"), 10, 0, 0, 0);
    assert_string_equal(model->nodes[0].extras, "{\"role\":\"root\"}");
    assert_string_equal(model->nodes[1].extras, "{\"role\":\"bone\",\"fixup\":[0,1,0,-1,0,0,0,0,1,0,0,0.5]}");
    sn_model_free(model);
    file = w3d_file_open();
    open_hierarchy(&file->tree, "SKL", 0x40001, arm, 3);
    put_float_chunk(&file->tree, W3D_FIXUPS, vectors, 9);
    w3d_close_chunk(&file->tree);
    model = load_scene(file, NULL, NULL);
    assert_near(place(model, "B_ARM"), 10, 2, 0, 1e-6f);
    assert_near(place(model, "WEAPONA01"), 10, 3, 0, 1e-6f);
    assert_string_equal(model->nodes[1].extras, "{\"role\":\"bone\",\"fixup\":[2,0,0]}");
    sn_model_free(model);
}

static void objects_are_on_their_bones(void **state)
{
    (void)state;
    const scene_object objects[] = { { 1, "tank.turret" }, { 99, "TANK.HULL" } };
    w3d_file *file = w3d_file_open();
    put_triangle(&file->tree, "TANK", "HULL");
    put_triangle(&file->tree, "TANK", "TURRET");
    put_triangle(&file->tree, "TANK", "UNLISTED");
    put_hierarchy(&file->tree, "SKL", 0x40001, arm, 3);
    put_hlod(&file->tree, "TANK", "skl", objects, 2);
    sn_model *model = load_scene(file, NULL, NULL);
    sn_vec3 at[3];
    assert_int_equal(model->warning_count, 0);
    assert_int_equal(model->part_count, 2);
    assert_int_equal(model->mesh_count, 2);
    skin_at(model, 0, -1, 0, at);
    assert_near(at[1], 10, 1, 0, 1e-6f);
    skin_at(model, 1, -1, 0, at);  // no such bone: the root
    assert_near(at[1], 1, 0, 0, 0);
    assert_string_equal(model->meshes[model->parts[0].mesh].name, "TURRET");
    sn_model_free(model);
}

// The file has the coarsest level first; level 0 of the model is the finest.
static void levels_of_detail_are_reversed(void **state)
{
    (void)state;
    const scene_object low = { 0, "T.LOW" }, middle = { 0, "T.MIDDLE" }, high[] = { { 0, "T.HIGH" }, { 0, "T.LOW" } };
    w3d_file *file = w3d_file_open();
    put_triangle(&file->tree, "T", "LOW");
    put_triangle(&file->tree, "T", "MIDDLE");
    put_triangle(&file->tree, "T", "HIGH");
    open_hlod(&file->tree, "T", "", 3);
    put_lod(&file->tree, W3D_LOD_ARRAY, &low, 1);
    put_lod(&file->tree, W3D_LOD_ARRAY, &middle, 1);
    put_lod(&file->tree, W3D_LOD_ARRAY, high, 2);
    w3d_close_chunk(&file->tree);
    sn_model *model = load_scene(file, NULL, NULL);
    const int32_t lods[] = { 2, 1, 0, 0 };
    const char *const names[] = { "LOW", "MIDDLE", "HIGH", "LOW" };
    assert_int_equal(model->lod_count, 3);
    assert_int_equal(model->part_count, 4);
    assert_int_equal(model->mesh_count, 3);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(model->parts[i].lod, lods[i]);
        assert_string_equal(model->meshes[model->parts[i].mesh].name, names[i]);
    }
    sn_model_free(model);
}

static void each_hlod_has_its_own_hierarchy_and_scene(void **state)
{
    (void)state;
    const scene_pivot first[] = { { "R", -1, { 0, 0, 0 }, STILL }, { "B", 0, { 1, 0, 0 }, STILL } };
    const scene_pivot second[] = { { "R", -1, { 0, 0, 0 }, STILL }, { "B", 0, { 2, 0, 0 }, STILL } };
    const scene_object object = { 1, "M.T" };
    sn_vec3 at[3];
    w3d_file *file = w3d_file_open();
    put_hierarchy(&file->tree, "ONE", 0x40001, first, 2);
    put_hierarchy(&file->tree, "TWO", 0x40001, second, 2);
    put_hierarchy(&file->tree, "BARE", 0x40001, first, 2);
    put_triangle(&file->tree, "M", "T");
    put_hlod(&file->tree, "SECOND", "two", &object, 1);
    put_hlod(&file->tree, "FIRST", "One", &object, 1);
    sn_model *model = load_scene(file, NULL, NULL);
    assert_int_equal(model->warning_count, 0);
    assert_int_equal(model->scene_count, 3);
    assert_int_equal(model->default_scene, 0);
    assert_string_equal(model->scenes[0].name, "SECOND");
    assert_string_equal(model->scenes[1].name, "FIRST");
    assert_string_equal(model->scenes[2].name, "BARE");
    assert_int_equal(model->node_count, 6);
    assert_int_equal(model->mesh_count, 1);
    skin_at(model, 0, -1, 0, at);
    assert_near(at[0], 2, 0, 0, 0);
    skin_at(model, 1, -1, 0, at);
    assert_near(at[0], 1, 0, 0, 0);
    assert_true(scene_shows(model, 0, -1, 0));
    assert_false(scene_shows(model, 1, -1, 0));
    sn_model_free(model);
}

static void hierarchies_are_found_in_other_files(void **state)
{
    (void)state;
    const scene_object object = { 2, "TANK.GUN" };
    sn_vec3 at[3];
    size_t size;
    w3d_file *file = w3d_file_open();
    put_hierarchy(&file->tree, "TANK_SKL", 0x40001, arm, 3);
    void *skeleton = copy_scene(file, &size);
    put_triangle(&file->tree, "TANK", "GUN");
    put_hlod(&file->tree, "TANK", "TANK_SKL", &object, 1);
    sn_model *model = load_scene(file, (const scene_ref[]){ { "TANK_SKL.w3d", skeleton, size }, { 0 } }, NULL);
    assert_int_equal(model->warning_count, 0);
    skin_at(model, 0, -1, 0, at);
    assert_near(at[0], 10, 1, 0, 1e-6f);
    sn_model_free(model);
    free(skeleton);
}

static void meshes_are_drawn_without_their_hierarchy(void **state)
{
    (void)state;
    const scene_object object = { 2, "TANK.GUN" };
    w3d_file *file = w3d_file_open();
    put_triangle(&file->tree, "TANK", "GUN");
    put_hlod(&file->tree, "TANK", "TANK_SKL", &object, 1);
    sn_model *model = load_scene(file, NULL, NULL);
    assert_int_equal(model->warning_count, 1);
    assert_int_equal(model->warnings[0].code, SNI_WARN_FILE_MISSING);
    assert_non_null(strstr(model->warnings[0].message, "TANK_SKL"));
    assert_int_equal(model->part_count, 1);
    sn_model_free(model);
}

// Three HLODs need it: the file that lacks it is read and reported once.
static void a_file_without_the_hierarchy_is_read_once(void **state)
{
    (void)state;
    size_t size;
    w3d_file *file = w3d_file_open();
    put_hierarchy(&file->tree, "OTHER", 0x40001, arm, 3);
    w3d_put_numbers(&file->tree, 0x7777, 4);
    void *skeleton = copy_scene(file, &size);
    for (int i = 0; i < 3; i++) put_hlod(&file->tree, "TANK", "TANK_SKL", NULL, 0);
    sn_model *model = load_scene(file, (const scene_ref[]){ { "TANK_SKL.w3d", skeleton, size }, { 0 } }, NULL);
    assert_int_equal(count_warnings(model, SNI_WARN_FILE_MISSING), 3);
    assert_int_equal(count_warnings(model, SNI_WARN_W3D_UNKNOWN), 1);
    sn_model_free(model);
    free(skeleton);
}

// A companion file that cannot be read does not fail the load.
static void broken_companion_files_are_reported(void **state)
{
    (void)state;
    const scene_object object = { 2, "TANK.GUN" };
    static const char junk[] = "this is not a model, only text..";
    w3d_file *file = w3d_file_open();
    put_triangle(&file->tree, "TANK", "GUN");
    put_hlod(&file->tree, "TANK", "SKL", &object, 1);
    sn_model *model = load_scene(file, (const scene_ref[]){ { "SKL.w3d", junk, sizeof junk }, { 0 } }, NULL);
    assert_true(count_warnings(model, SNI_WARN_FILE_MISSING) >= 1);
    assert_int_equal(model->part_count, 1);
    sn_model_free(model);
}

static void hierarchy_option_selects_another(void **state)
{
    (void)state;
    const scene_pivot other[] = { { "R", -1, { 0, 0, 0 }, STILL }, { "B", 0, { 0, 0, 4 }, STILL } };
    const scene_object object = { 1, "TANK.GUN" };
    sn_vec3 at[3];
    w3d_file *file = w3d_file_open();
    put_hierarchy(&file->tree, "SKL", 0x40001, arm, 3);
    put_hierarchy(&file->tree, "OTHER", 0x40001, other, 2);
    put_triangle(&file->tree, "TANK", "GUN");
    put_hlod(&file->tree, "TANK", "SKL", &object, 1);
    sn_model *model = load_scene(file, NULL, &(sn_load_opts){ .hierarchy = "other" });
    skin_at(model, 0, -1, 0, at);
    assert_near(at[0], 0, 0, 4, 0);
    sn_model_free(model);
}

static void hierarchy_option_fails_if_not_found(void **state)
{
    (void)state;
    sn_error error;
    w3d_file *file = w3d_file_open();
    put_hierarchy(&file->tree, "SKL", 0x40001, arm, 3);
    assert_null(sn_load_memory(file->out.data, file->out.size, &(sn_load_opts){ .hierarchy = "nobody" }, &error));
    assert_int_equal(error.status, SN_ERR_IO);
    assert_non_null(strstr(error.message, "nobody"));
    w3d_file_close(file);
}

// Without HLOD every mesh is drawn; if the file has one hierarchy, on the pivot of its name.
static void all_meshes_are_drawn_without_hlod(void **state)
{
    (void)state;
    sn_vec3 at[3];
    w3d_file *file = w3d_file_open();
    put_triangle(&file->tree, "", "ONE");
    put_triangle(&file->tree, "", "b_arm");
    put_hierarchy(&file->tree, "SKL", 0x40001, arm, 3);
    sn_model *model = load_scene(file, NULL, NULL);
    assert_int_equal(model->scene_count, 1);
    assert_int_equal(model->part_count, 2);
    skin_at(model, 0, -1, 0, at);
    assert_near(at[0], 0, 0, 0, 0);
    skin_at(model, 1, -1, 0, at);
    assert_near(at[0], 10, 0, 0, 0);
    sn_model_free(model);
}

static void equal_names_take_turns(void **state)
{
    (void)state;
    static const float second[9] = { 5, 0, 0, 6, 0, 0, 5, 1, 0 };
    const scene_object objects[] = { { 0, "T.M" }, { 0, "T.M" }, { 0, "T.M" } };
    sn_vec3 at[3];
    w3d_file *file = w3d_file_open();
    put_triangle(&file->tree, "T", "M");
    put_mesh(&file->tree,
             &(scene_mesh){
                 .name = "M", .container = "T", .vertex_count = 3, .triangle_count = 1, .positions = second });
    put_hlod(&file->tree, "T", "", objects, 3);
    sn_model *model = load_scene(file, NULL, NULL);
    const float x[] = { 0, 5, 0 };
    assert_int_equal(model->part_count, 3);
    for (int i = 0; i < 3; i++) {
        skin_at(model, i, -1, 0, at);
        assert_near(at[0], x[i], 0, 0, 0);
    }
    sn_model_free(model);
}

static void put_box(w3d_tree *tree, const char *name, uint32_t attributes, const float numbers[6])
{
    w3d_open_chunk(tree, W3D_BOX);
    w3d_put_u32(tree, 0x10000);
    w3d_put_u32(tree, attributes);
    w3d_put_name(tree, name, W3D_LONG_NAME_BYTES);
    w3d_put_u32(tree, 0);
    w3d_put_floats(tree, numbers, 6);
    w3d_close_chunk(tree);
}

static void objects_without_geometry_become_nodes(void **state)
{
    (void)state;
    const scene_object objects[] = { { 1, "T.BOUNDINGBOX" }, { 2, "SMOKE" }, { 2, "ELSEWHERE" } },
                       aggregate = { 2, "FLAG" }, proxy = { 1, "SPAWN" };
    w3d_file *file = w3d_file_open();
    put_box(&file->tree, "T.BOUNDINGBOX", 0x11, (const float[6]){ 1, 2, 3, 4, 5, 6 });
    w3d_open_chunk(&file->tree, W3D_DAZZLE);
    w3d_put_text_chunk(&file->tree, W3D_DAZZLE_NAME, "SMOKE");
    w3d_put_text_chunk(&file->tree, W3D_DAZZLE_TYPE, "HALO");
    w3d_close_chunk(&file->tree);
    put_hierarchy(&file->tree, "SKL", 0x40001, arm, 3);
    open_hlod(&file->tree, "T", "SKL", 1);
    put_lod(&file->tree, W3D_LOD_ARRAY, objects, 3);
    put_lod(&file->tree, W3D_AGGREGATES, &aggregate, 1);
    put_lod(&file->tree, W3D_PROXIES, &proxy, 1);
    w3d_close_chunk(&file->tree);
    sn_model *model = load_scene(file, NULL, NULL);
    static const struct {
        const char *name, *extras;
        int32_t parent;
    } expected[] = {
        { "BOUNDINGBOX",
          "{\"kind\":\"box\",\"center\":[1,2,3],\"extent\":[4,5,6],\"oriented\":true,\"collision\":[\"physical\"]}",
          1 },
        { "SMOKE", "{\"kind\":\"dazzle\",\"detail\":\"HALO\"}", 2 },
        { "ELSEWHERE", "{\"kind\":\"external\",\"object\":\"ELSEWHERE\"}", 2 },
        { "FLAG", "{\"kind\":\"aggregate\",\"object\":\"FLAG\"}", 2 },
        { "SPAWN", "{\"kind\":\"proxy\",\"object\":\"SPAWN\"}", 1 },
    };
    assert_int_equal(model->warning_count, 0);
    assert_int_equal(model->part_count, 0);
    for (uint32_t i = 0; i < LENGTH(expected); i++) {
        int32_t node = sn_model_find_node(model, expected[i].name);
        assert_true(node >= 3);
        assert_string_equal(model->nodes[node].extras, expected[i].extras);
        assert_int_equal(model->nodes[node].parent, expected[i].parent);
        assert_int_equal(model->nodes[node].flags, SN_NODE_ATTACHMENT);
    }
    sn_model_free(model);
}

static void put_null(w3d_tree *tree, const char *name)
{
    w3d_open_chunk(tree, W3D_NULL);
    w3d_put_u32(tree, 0x10000);
    w3d_put_u32(tree, 0);
    w3d_put_u32(tree, 0);
    w3d_put_u32(tree, 0);
    w3d_put_name(tree, name, W3D_LONG_NAME_BYTES);
    w3d_close_chunk(tree);
}

// The weapon comes before its parent in the file, so that nodes are renumbered.
static void boxes_are_shapes_and_other_objects_attachments(void **state)
{
    (void)state;
    const scene_pivot pivots[] = { { "R", -1, { 0, 0, 0 }, STILL },
                                   { "WEAPONA01", 2, { 1, 0, 0 }, STILL },
                                   { "B_ARM", 0, { 10, 0, 0 }, QUARTER_Z } };
    const scene_object objects[] = { { 2, "T.ORIENTED" }, { 1, "T.ALIGNED" }, { 1, "T.PLACE" } },
                       aggregate = { 2, "FLAG" }, proxy = { 1, "BASE.SPAWN" };
    w3d_file *file = w3d_file_open();
    put_box(&file->tree, "T.ORIENTED", 0x11, (const float[6]){ 1, 2, 3, 4, 5, 6 });
    put_box(&file->tree, "T.ALIGNED", 0x12, (const float[6]){ -1, 0, 0.5f, 2, -3, 0.25f });
    put_null(&file->tree, "T.PLACE");
    put_hierarchy(&file->tree, "SKL", 0x40001, pivots, 3);
    open_hlod(&file->tree, "T", "SKL", 1);
    put_lod(&file->tree, W3D_LOD_ARRAY, objects, 3);
    put_lod(&file->tree, W3D_AGGREGATES, &aggregate, 1);
    put_lod(&file->tree, W3D_PROXIES, &proxy, 1);
    w3d_close_chunk(&file->tree);
    sn_model *model = load_scene(file, NULL, NULL);
    assert_int_equal(model->warning_count, 0);

    static const sn_shape shapes[] = {
        { .name = "ORIENTED", .center = { 1, 2, 3 }, .extents = { 4, 5, 6 } },
        { .name = "ALIGNED", .keeps_axes = true, .center = { -1, 0, 0.5f }, .extents = { 2, 3, 0.25f } },
    };
    assert_int_equal(model->shape_count, LENGTH(shapes));
    for (uint32_t i = 0; i < LENGTH(shapes); i++) {
        const sn_shape *shape = &model->shapes[i];
        assert_string_equal(shape->name, shapes[i].name);
        assert_int_equal(shape->node, sn_model_find_node(model, shapes[i].name));
        assert_int_equal(shape->kind, SN_SHAPE_BOX);
        assert_int_equal(shape->keeps_axes, shapes[i].keeps_axes);
        assert_near(shape->center, shapes[i].center.x, shapes[i].center.y, shapes[i].center.z, 0);
        assert_near(shape->extents, shapes[i].extents.x, shapes[i].extents.y, shapes[i].extents.z, 0);
        assert_float_equal(shape->radius, 0, 0);
    }
    assert_near(place(model, "ORIENTED"), 10, 0, 0, 0);
    assert_near(place(model, "ALIGNED"), 10, 1, 0, 1e-6f);

    static const struct {
        const char *name, *path, *parent;
    } attachments[] = {
        { "WEAPONA01", "", "B_ARM" },
        { "PLACE", "", "WEAPONA01" },
        { "FLAG", "FLAG", "B_ARM" },
        { "SPAWN", "BASE.SPAWN", "WEAPONA01" },
    };
    assert_int_equal(model->attachment_count, LENGTH(attachments));
    for (uint32_t i = 0; i < LENGTH(attachments); i++) {
        const sn_attachment *attachment = &model->attachments[i];
        assert_string_equal(attachment->name, attachments[i].name);
        assert_string_equal(attachment->path, attachments[i].path);
        assert_int_equal(attachment->node, sn_model_find_node(model, attachments[i].name));
        assert_int_equal(model->nodes[attachment->node].parent, sn_model_find_node(model, attachments[i].parent));
        assert_int_equal(attachment->id, -1);
    }
    sn_model_free(model);
}

// Aggregates are usually in other files; one in this file is used. Emitters have their parameters in the extras.
static void aggregates_of_this_file_are_found(void **state)
{
    (void)state;
    static const float numbers[16] = { 0.5f, 2, 3, 8, 100, 0.25f, 0.125f, 2.5f, -1, 0.75f, 0, 0, 2, 0.5f, 0, 0 };
    const scene_object smoke = { 2, "SMOKE" };
    w3d_file *file = w3d_file_open();
    w3d_open_chunk(&file->tree, W3D_EMITTER);
    w3d_open_chunk(&file->tree, W3D_EMITTER_HEADER);
    w3d_put_u32(&file->tree, 0x20000);
    w3d_put_name(&file->tree, "SMOKE", W3D_NAME_BYTES);
    w3d_close_chunk(&file->tree);
    w3d_open_chunk(&file->tree, W3D_EMITTER_INFO);
    w3d_put_name(&file->tree, "puff.tga", 260);
    w3d_put_floats(&file->tree, numbers, 16);
    w3d_put_u32(&file->tree, 0xFF000000);
    w3d_put_u32(&file->tree, 0x00FF00FF);
    w3d_close_chunk(&file->tree);
    w3d_close_chunk(&file->tree);
    put_hierarchy(&file->tree, "SKL", 0x40001, arm, 3);
    open_hlod(&file->tree, "T", "SKL", 0);
    put_lod(&file->tree, W3D_AGGREGATES, &smoke, 1);
    w3d_close_chunk(&file->tree);
    sn_model *model = load_scene(file, NULL, NULL);
    int32_t node = sn_model_find_node(model, "SMOKE");
    assert_true(node >= 3);
    assert_int_equal(model->nodes[node].parent, 2);
    assert_string_equal(model->nodes[node].extras,
                        "{\"kind\":\"emitter\",\"detail\":\"puff.tga\",\"startSize\":0.5,\"endSize\":2,"
                        "\"lifetime\":3,\"emissionRate\":8,\"maxEmissions\":100,\"velocityRandom\":0.25,"
                        "\"positionRandom\":0.125,\"fadeTime\":2.5,"
                        "\"gravity\":-1,\"elasticity\":0.75,\"velocity\":[0,0,2],\"acceleration\":[0.5,0,0],"
                        "\"startColor\":[0,0,0,1],\"endColor\":[1,0,1,0]}");
    sn_model_free(model);
}

static void put_connection(w3d_tree *tree, uint32_t id, const char *name, uint16_t pivot)
{
    w3d_open_chunk(tree, id);
    w3d_put_name(tree, name, W3D_NAME_BYTES);
    w3d_put_u16(tree, pivot);
    w3d_close_chunk(tree);
}

static void old_models_are_hlods_of_one_level(void **state)
{
    (void)state;
    sn_vec3 at[3];
    w3d_file *file = w3d_file_open();
    put_triangle(&file->tree, "OTHER", "GUN");
    put_triangle(&file->tree, "TANK", "GUN");
    put_hierarchy(&file->tree, "SKL", 0x40001, arm, 3);
    w3d_open_chunk(&file->tree, W3D_HMODEL);
    w3d_open_chunk(&file->tree, W3D_HMODEL_HEADER);
    w3d_put_u32(&file->tree, 0x40002);
    w3d_put_name(&file->tree, "TANK", W3D_NAME_BYTES);
    w3d_put_name(&file->tree, "SKL", W3D_NAME_BYTES);
    w3d_put_u32(&file->tree, 1);
    w3d_close_chunk(&file->tree);
    put_connection(&file->tree, W3D_HMODEL_NODE, "GUN", 1);
    w3d_close_chunk(&file->tree);
    sn_model *model = load_scene(file, NULL, NULL);
    assert_int_equal(model->part_count, 1);
    skin_at(model, 0, -1, 0, at);
    assert_near(at[0], 10, 0, 0, 0);
    assert_non_null(strstr(model->meshes[0].extras, "\"container\":\"TANK\""));
    sn_model_free(model);
}

static void hidden_and_camera_facing_meshes(void **state)
{
    (void)state;
    static const float positions[9] = { 0, 0, 0, 0, 1, 0, 0, 0, 1 };
    const scene_object objects[] = { { 1, "T.HIDDEN" }, { 1, "T.FACING" }, { 1, "T.POST" } };
    scene_mesh mesh = { .name = "HIDDEN",
                        .container = "T",
                        .attributes = W3D_HIDDEN | 0x30,
                        .vertex_count = 3,
                        .triangle_count = 1,
                        .positions = positions };
    w3d_file *file = w3d_file_open();
    put_mesh(&file->tree, &mesh);
    mesh.name = "FACING", mesh.attributes = W3D_GEOMETRY_CAMERA_ORIENTED;  // includes the bit of a skin, but is not one
    put_mesh(&file->tree, &mesh);
    mesh.name = "POST", mesh.attributes = W3D_GEOMETRY_CAMERA_Z;
    put_mesh(&file->tree, &mesh);
    put_hierarchy(&file->tree, "SKL", 0x40001, arm, 3);
    put_hlod(&file->tree, "T", "SKL", objects, 3);
    sn_model *model = load_scene(file, NULL, NULL);
    assert_true(model->parts[0].is_hidden);
    assert_false(model->parts[1].is_hidden);
    assert_non_null(strstr(model->meshes[0].extras, "\"collision\":[\"physical\",\"projectile\"]"));
    assert_int_equal(model->nodes[model->parts[1].node].flags, SN_NODE_BILLBOARD);
    assert_int_equal(model->nodes[model->parts[1].node].parent, 1);
    assert_int_equal(model->nodes[model->parts[2].node].flags, SN_NODE_BILLBOARD_Z);
    assert_int_equal(model->parts[0].node, 1);
    sn_model_free(model);
}

// Their INI files name them; other parts of turrets and barrels are always drawn.
static void what_the_games_switch_is_hidden(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool is_hidden;
    } meshes[] = { { "MUZZLEFX01", true }, { "MuzzleAKFX", true },    { "BARRELUP02FX01", true },
                   { "TURRETFX", true },   { "FORGED_BLADE2", true }, { "TURRET01", false },
                   { "BARREL_F", false },  { "FXBONE03", false },     { "SWORD_FORGED", false } };
    enum { COUNT = sizeof meshes / sizeof *meshes };
    static const float positions[9] = { 0, 0, 0, 0, 1, 0, 0, 0, 1 };
    scene_object objects[COUNT];
    char names[COUNT][32];
    w3d_file *file = w3d_file_open();
    for (int i = 0; i < COUNT; i++) {
        scene_mesh mesh = {
            .name = meshes[i].name, .container = "T", .vertex_count = 3, .triangle_count = 1, .positions = positions
        };
        put_mesh(&file->tree, &mesh);
        snprintf(names[i], sizeof names[i], "T.%s", meshes[i].name);
        objects[i] = (scene_object){ 1, names[i] };
    }
    put_hierarchy(&file->tree, "SKL", 0x40001, arm, 3);
    put_hlod(&file->tree, "T", "SKL", objects, COUNT);
    sn_model *model = load_scene(file, NULL, NULL);
    assert_int_equal(model->part_count, COUNT);
    for (int i = 0; i < COUNT; i++) {
        assert_string_equal(model->meshes[model->parts[i].mesh].name, meshes[i].name);
        assert_int_equal(model->parts[i].is_hidden, meshes[i].is_hidden);
    }
    sn_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pivots_become_nodes),
        cmocka_unit_test(parents_after_children_and_several_roots),
        cmocka_unit_test(cycles_and_bad_parents_are_cut),
        cmocka_unit_test(old_hierarchies_get_a_root),
        cmocka_unit_test(only_fixup_vectors_move_pivots),
        cmocka_unit_test(objects_are_on_their_bones),
        cmocka_unit_test(levels_of_detail_are_reversed),
        cmocka_unit_test(each_hlod_has_its_own_hierarchy_and_scene),
        cmocka_unit_test(hierarchies_are_found_in_other_files),
        cmocka_unit_test(meshes_are_drawn_without_their_hierarchy),
        cmocka_unit_test(a_file_without_the_hierarchy_is_read_once),
        cmocka_unit_test(broken_companion_files_are_reported),
        cmocka_unit_test(hierarchy_option_selects_another),
        cmocka_unit_test(hierarchy_option_fails_if_not_found),
        cmocka_unit_test(all_meshes_are_drawn_without_hlod),
        cmocka_unit_test(equal_names_take_turns),
        cmocka_unit_test(objects_without_geometry_become_nodes),
        cmocka_unit_test(boxes_are_shapes_and_other_objects_attachments),
        cmocka_unit_test(aggregates_of_this_file_are_found),
        cmocka_unit_test(old_models_are_hlods_of_one_level),
        cmocka_unit_test(hidden_and_camera_facing_meshes),
        cmocka_unit_test(what_the_games_switch_is_hidden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
