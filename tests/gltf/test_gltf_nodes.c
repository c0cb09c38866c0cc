// glTF nodes, scenes and cameras: transforms, order, loops, and where things end up when posed.
#include "check_model.h"
#include "gltf_text.h"
#include "hand_models.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static const double half_root = 0.70710678118654752;

static sn_pose *solved(const sn_model *model)
{
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    assert_non_null(pose);
    sn_pose_sample(pose, -1, 0, 0);
    sn_pose_solve(pose, NULL);
    return pose;
}

static sn_vec3 transform(const sn_mat34 *matrix, double x, double y, double z)
{
    double out[3];
    for (int r = 0; r < 3; r++)
        out[r] = matrix->m[r][0] * x + matrix->m[r][1] * y + matrix->m[r][2] * z + matrix->m[r][3];
    return (sn_vec3){ (float)out[0], (float)out[1], (float)out[2] };
}

// The world matrix of a single node, by columns as glTF writes it.
static void expect_world(const sn_model *model, int32_t node, const double columns[16])
{
    sn_pose *pose = solved(model);
    sn_mat34 world = sn_pose_world(pose, node);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 4; c++) assert_within(world.m[r][c], columns[c * 4 + r], 1e-5);
    }
    sn_pose_free(pose);
}

static sn_model *load_matrix(const double m[16])
{
    char json[1024] = "{" ASSET ",'nodes':[{'matrix':[";
    for (int i = 0; i < 16; i++)
        snprintf(json + strlen(json), sizeof json - strlen(json), "%s%.9g", i ? "," : "", m[i]);
    strcat(json, "]}]}");
    return load_json(json);
}

static void nothing_given_is_identity(void **state)
{
    (void)state;
    sn_model *model = load_json("{" ASSET ",'nodes':[{}]}");
    const sn_node *node = &model->nodes[0];
    assert_vec3(node->rest.translation, 0, 0, 0);
    assert_quat(node->rest.rotation, 0, 0, 0, 1);
    assert_vec3(node->rest.scale, 1, 1, 1);
    assert_string_equal(node->name, "");
    assert_null(node->matrix);
    assert_int_equal(node->parent, -1);
    assert_int_equal(model->warning_count, 0);
    sn_model_free(model);
}

static void scale_then_rotation_then_translation(void **state)
{
    (void)state;
    sn_model *model = load_json("{" ASSET ",'nodes':[{'translation':[1,2,3],'rotation':[0,0,0.70710678,0.70710678],"
                                "'scale':[2,3,4]}]}");
    assert_quat(model->nodes[0].rest.rotation, 0, 0, half_root, half_root);
    sn_pose *pose = solved(model);
    sn_mat34 world = sn_pose_world(pose, 0);
    assert_vec3(transform(&world, 1, 0, 0), 1, 4, 3);  // x*2, turned to y, moved
    assert_vec3(transform(&world, 0, 1, 0), -2, 2, 3);
    assert_vec3(transform(&world, 0, 0, 1), 1, 2, 7);
    sn_pose_free(pose);
    sn_model_free(model);
}

static void world_is_parent_times_local(void **state)
{
    (void)state;
    sn_model *model = load_json("{" ASSET ",'nodes':[{'children':[1],'translation':[10,0,0],"
                                "'rotation':[0,0,0.70710678,0.70710678],'scale':[2,2,2]},{'translation':[1,0,0]}]}");
    sn_pose *pose = solved(model);
    sn_mat34 world = sn_pose_world(pose, 1);
    assert_vec3(transform(&world, 0, 0, 0), 10, 2, 0);
    assert_vec3(transform(&world, 0, 1, 0), 8, 2, 0);
    sn_pose_free(pose);
    sn_model_free(model);
}

static void rotations_are_made_unit(void **state)
{
    (void)state;
    sn_model *model = load_json("{" ASSET ",'nodes':[{'rotation':[0,0,0,2]},{'rotation':[0,0,0,0]},{'rotation':[0,0,3,"
                                "3]},"
                                "{'rotation':[0,0,0,1.001]},{'rotation':[0,1e-30,0,0]}]}");
    assert_quat(model->nodes[0].rest.rotation, 0, 0, 0, 1);
    assert_quat(model->nodes[1].rest.rotation, 0, 0, 0, 1);
    assert_quat(model->nodes[2].rest.rotation, 0, 0, half_root, half_root);
    assert_quat(model->nodes[3].rest.rotation, 0, 0, 0, 1);
    assert_quat(model->nodes[4].rest.rotation, 0, 0, 0, 1);  // too short to have a direction
    assert_true(warns_at(model, SNI_WARN_ROTATION_LENGTH, "/nodes/1"));
    sn_model_free(model);
}

static void numbers_too_large_for_a_float(void **state)
{
    (void)state;
    sn_model *model = load_json("{" ASSET ",'nodes':[{'translation':[1e39,0,0],'scale':[1,-1e400,1]},"
                                "{'translation':[3.4e38,0,0]}]}");
    assert_vec3(model->nodes[0].rest.translation, 0, 0, 0);
    assert_vec3(model->nodes[0].rest.scale, 1, 1, 1);
    assert_int_equal(count_warnings(model, SNI_WARN_VALUE_RANGE), 2);
    assert_true(model->nodes[1].rest.translation.x == 3.4e38f);
    sn_model_free(model);
}

// Its columns are longer than the largest float.
static void matrix_of_large_numbers(void **state)
{
    (void)state;
    const double m[16] = { 3e38, 3e38, 3e38, 0, 3e38, -3e38, 1, 0, 0, 0, 1, 0, 1, 2, 3, 1 };
    sn_model *model = load_matrix(m);
    assert_non_null(model->nodes[0].matrix);
    assert_true(model->nodes[0].matrix->m[0][0] == 3e38f);
    assert_int_equal(count_warnings(model, SNI_WARN_NOT_FINITE), 0);
    sn_model_free(model);
}

static void matrix_that_is_a_product(void **state)
{
    (void)state;
    const double m[16] = { 0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 4, 0, 1, 2, 3, 1 };  // a quarter about z, scale 2 3 4
    sn_model *model = load_matrix(m);
    assert_null(model->nodes[0].matrix);
    assert_vec3(model->nodes[0].rest.translation, 1, 2, 3);
    assert_quat(model->nodes[0].rest.rotation, 0, 0, half_root, half_root);
    assert_vec3(model->nodes[0].rest.scale, 2, 3, 4);
    expect_world(model, 0, m);
    sn_model_free(model);
}

static void matrix_of_half_turns(void **state)
{
    (void)state;
    for (int axis = 0; axis < 3; axis++) {
        double m[16] = { -1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0, 5, 6, 7, 1 };
        m[axis * 5] = 1;
        sn_model *model = load_matrix(m);
        const float *rotation = &model->nodes[0].rest.rotation.x;
        assert_null(model->nodes[0].matrix);
        for (int i = 0; i < 4; i++) assert_near(fabs(rotation[i]), i == axis);
        assert_vec3(model->nodes[0].rest.scale, 1, 1, 1);
        expect_world(model, 0, m);
        sn_model_free(model);
    }
}

static void matrix_that_mirrors(void **state)
{
    (void)state;
    static const double mirrors[][16] = {
        { -2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 1, 2, 3, 1 },
        { 2, 0, 0, 0, 0, -3, 0, 0, 0, 0, 4, 0, 0, 0, 0, 1 },
        { -1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1 },
        { 0, 2, 0, 0, 3, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 1 },  // x and y change places
    };
    for (size_t i = 0; i < sizeof mirrors / sizeof mirrors[0]; i++) {
        sn_model *model = load_matrix(mirrors[i]);
        const sn_vec3 scale = model->nodes[0].rest.scale;
        assert_null(model->nodes[0].matrix);
        assert_within(scale.x * scale.y * scale.z, i == 2 ? -1 : -24, 1e-4);
        expect_world(model, 0, mirrors[i]);
        sn_model_free(model);
    }
}

static void matrix_that_no_product_can_say(void **state)
{
    (void)state;
    static const double kept[][16] = {
        { 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1 },      // sheared
        { 1, 0, 0, 0, 0, 1, 0.001, 0, 0, 0, 1, 0, 0, 0, 0, 1 },  // a little
        { 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 4, 5, 6, 1 },      // flat
        { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 8, 9, 1 },      // gone
        { 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 },      // two axes alike
    };
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        sn_model *model = load_matrix(kept[i]);
        const sn_mat34 *matrix = model->nodes[0].matrix;
        assert_non_null(matrix);
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 4; c++) assert_true(matrix->m[r][c] == (float)kept[i][c * 4 + r]);
        }
        expect_world(model, 0, kept[i]);
        sn_model_free(model);
    }
}

static void zero_scale_is_a_scale(void **state)
{
    (void)state;
    sn_model *model = load_json("{" ASSET ",'nodes':[{'scale':[0,0,0],'translation':[1,2,3],'children':[1]},"
                                "{'translation':[9,9,9]}]}");
    assert_vec3(model->nodes[0].rest.scale, 0, 0, 0);
    expect_world(model, 1, (const double[16]){ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 1 });
    sn_model_free(model);
}

static void matrix_beside_trs(void **state)
{
    (void)state;
    char json[512];
    quoted("{" ASSET ",'nodes':[{'translation':[9,9,9],'matrix':[1,0,0,0,0,1,0,0,0,0,1,0,1,2,3,1],'scale':[5,5,5]}]}",
           json, sizeof json);
    sn_load_opts lint = { .lint = true };
    sn_model *model = load_bytes(json, strlen(json), &lint);
    assert_vec3(model->nodes[0].rest.translation, 1, 2, 3);
    assert_vec3(model->nodes[0].rest.scale, 1, 1, 1);
    assert_true(warns_at(model, SNI_WARN_GLTF_NODE, "/nodes/0/matrix"));
    sn_model_free(model);
}

static const char *parent_name(const sn_model *model, const char *name)
{
    int32_t node = sn_model_find_node(model, name);
    assert_true(node >= 0);
    int32_t parent = model->nodes[node].parent;
    return parent < 0 ? "" : model->nodes[parent].name;
}

static void children_before_parents_are_sorted(void **state)
{
    (void)state;
    sn_model *model = load_json("{" ASSET ",'nodes':[{'name':'leaf'},{'name':'root','children':[2,3]},{'name':'mid',"
                                "'children':[0]},"
                                "{'name':'twig'}],'scenes':[{'nodes':[1]}],'scene':0}");
    assert_string_equal(parent_name(model, "leaf"), "mid");
    assert_string_equal(parent_name(model, "mid"), "root");
    assert_string_equal(parent_name(model, "twig"), "root");
    assert_string_equal(parent_name(model, "root"), "");
    assert_int_equal(model->nodes[sn_model_find_node(model, "leaf")].id, 0);
    assert_int_equal(model->nodes[sn_model_find_node(model, "twig")].id, 3);
    assert_int_equal(model->scenes[0].roots[0], sn_model_find_node(model, "root"));
    assert_int_equal(model->warning_count, 0);
    sn_model_free(model);
}

static void a_sorted_file_keeps_its_order(void **state)
{
    (void)state;
    sn_model *model = load_json("{" ASSET ",'nodes':[{'children':[2]},{'children':[3]},{},{},{}]}");
    for (int32_t i = 0; i < 5; i++) assert_int_equal(model->nodes[i].id, i);
    assert_int_equal(model->nodes[3].parent, 1);
    sn_model_free(model);
}

static void loops_are_cut(void **state)
{
    (void)state;
    static const struct {
        const char *nodes;
        uint32_t count;
    } rows[] = {
        { "{'children':[0]}", 1 },
        { "{'children':[1]},{'children':[0]}", 2 },
        { "{'children':[1]},{'children':[2]},{'children':[0,3]},{}", 4 },
        { "{'children':[3]},{'children':[2]},{'children':[1]},{'children':[4]},{'children':[3]}", 5 },
        { "{},{'children':[2,0]},{'children':[3]},{'children':[1]}", 4 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char json[512];
        snprintf(json, sizeof json, "{" ASSET ",'nodes':[%s],'scenes':[{'nodes':[0]}],'scene':0}", rows[i].nodes);
        sn_model *model = load_json(json);
        assert_int_equal(model->node_count, rows[i].count);
        assert_true(count_warnings(model, SNI_WARN_NODE_CYCLE) + count_warnings(model, SNI_WARN_NODE_TWO_PARENTS) > 0);
        sn_model_free(model);
    }
}

static void the_first_of_two_parents_keeps_the_child(void **state)
{
    (void)state;
    sn_model *model = load_json("{" ASSET ",'nodes':[{'name':'child'},{'name':'a','children':[0,0]},{'name':'b',"
                                "'children':[0,99]}]}");
    assert_string_equal(parent_name(model, "child"), "a");
    assert_int_equal(count_warnings(model, SNI_WARN_NODE_TWO_PARENTS), 2);
    assert_true(warns_at(model, SNI_WARN_NODE_TWO_PARENTS, "/nodes/1"));
    assert_true(warns_at(model, SNI_WARN_NODE_TWO_PARENTS, "/nodes/2"));
    assert_int_equal(count_warnings(model, SNI_WARN_REFERENCE), 1);
    sn_model_free(model);
}

static void scene_choice(void **state)
{
    (void)state;
    static const struct {
        const char *members;
        int32_t chosen;
        uint32_t scenes;
        bool is_wrong;
    } rows[] = {
        { "'scenes':[{'name':'a'},{'name':'b'}],'scene':1", 1, 2, false },
        { "'scene':0,'scenes':[{'name':'a'},{'name':'b'}]", 0, 2, false },
        { "'scenes':[{'name':'a'}],'scene':7", 0, 1, true },
        { "'nodes':[{}]", -1, 0, false },
        { "'scene':0", -1, 0, true },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char json[256];
        snprintf(json, sizeof json, "{" ASSET ",%s}", rows[i].members);
        sn_model *model = load_json(json);
        assert_int_equal(model->default_scene, rows[i].chosen);
        assert_int_equal(model->scene_count, rows[i].scenes);
        assert_int_equal(count_warnings(model, SNI_WARN_REFERENCE), rows[i].is_wrong);
        sn_model_free(model);
    }
}

static void no_default_scene_shows_the_first_and_says_so(void **state)
{
    (void)state;
    sn_model *model = load_json("{" ASSET ",'nodes':[{},{}],'scenes':[{'nodes':[1]},{'nodes':[0]}]}");
    assert_int_equal(model->default_scene, 0);
    uint32_t said = count_warnings(model, SNI_WARN_SCENE_NONE);
    sn_model_free(model);
    assert_int_equal(said, 1);
}

#define TWO_POINTS                                                  \
    "'accessors':[{'componentType':5126,'type':'VEC3','count':1}]," \
    "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'mode':0}]}],"

static void a_scene_shows_what_hangs_below_its_roots(void **state)
{
    (void)state;
    sn_model *model = load_json("{" ASSET "," TWO_POINTS "'nodes':[{'children':[1]},{'mesh':0},{'mesh':0}],"
                                "'scenes':[{'nodes':[0]},{'nodes':[2,0]},{}],'scene':0}");
    sn_pose *pose = solved(model);
    static const bool shown[3][2] = { { true, false }, { true, true }, { false, false } };
    for (int32_t scene = 0; scene < 3; scene++) {
        sn_pose_set_scene(pose, scene);
        sn_pose_solve(pose, NULL);
        for (int32_t part = 0; part < 2; part++) assert_int_equal(sn_pose_shows(pose, part), shown[scene][part]);
    }
    sn_pose_free(pose);
    sn_model_free(model);
}

static void a_root_that_is_a_child_is_told(void **state)
{
    (void)state;
    sn_model *model = load_json("{" ASSET "," TWO_POINTS "'nodes':[{'children':[1]},{'mesh':0}],'scenes':[{'nodes':[0,"
                                "1]}],'scene':0}");
    assert_int_equal(count_warnings(model, SNI_WARN_SCENE_ROOT), 1);
    assert_int_equal(model->part_count, 1);
    sn_pose *pose = solved(model);
    assert_true(sn_pose_shows(pose, 0));
    sn_pose_free(pose);
    sn_model_free(model);
}

// Accepted and drawn below its parent, though the parent is not listed.
static void a_root_that_is_a_child_is_shown(void **state)
{
    (void)state;
    sn_model *model = load_json("{" ASSET "," TWO_POINTS "'nodes':[{'translation':[5,0,0],'children':[1]},{'mesh':0}],"
                                "'scenes':[{'nodes':[1]}],'scene':0}");
    sn_pose *pose = solved(model);
    bool is_shown = sn_pose_shows(pose, 0);
    sn_vec3 position;
    sn_skin_part(pose, 0, &position, NULL, NULL);
    assert_vec3(position, 5, 0, 0);
    sn_pose_free(pose);
    sn_model_free(model);
    assert_true(is_shown);
}

// A scene that names the children of a hundred roots, and some roots twice, lists each root once.
static void roots_are_listed_once_each(void **state)
{
    (void)state;
    enum { ROOTS = 100 };
    static char json[ROOTS * 64];
    size_t used = (size_t)sprintf(json, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[");
    for (int i = 0; i < ROOTS; i++)
        used += (size_t)sprintf(json + used, "%s{\"children\":[%d]},{}", i ? "," : "", 2 * i + 1);
    used += (size_t)sprintf(json + used, "],\"scenes\":[{\"nodes\":[");
    for (int i = 0; i < ROOTS; i++)
        used += (size_t)sprintf(json + used, "%s%d,%d", i ? "," : "", 2 * i + 1, 2 * (i % 10));
    strcpy(json + used, "]}],\"scene\":0}");
    sn_model *model = load_raw(json);
    assert_int_equal(model->scenes[0].root_count, ROOTS);
    assert_int_equal(count_warnings(model, SNI_WARN_SCENE_ROOT), ROOTS);
    for (uint32_t i = 0; i < ROOTS; i++) assert_int_equal(model->nodes[model->scenes[0].roots[i]].parent, -1);
    sn_model_free(model);
}

static char *chain(int count, bool is_reversed)
{
    char *json = malloc((size_t)count * 64 + 64), *at = json;
    assert_non_null(json);
    at += sprintf(at, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[");
    for (int i = 0; i < count; i++) {
        const int child = is_reversed ? i - 1 : i + 1;
        at += sprintf(at, "%s{\"translation\":[1,0,0]", i ? "," : "");
        if (child >= 0 && child < count) at += sprintf(at, ",\"children\":[%d]", child);
        *at++ = '}';
    }
    strcpy(at, "]}");
    return json;
}

static char *chain_up(int count) { return chain(count, true); }
static char *chain_down(int count) { return chain(count, false); }

static char *nodes_with_faults(int count)
{
    char *json = malloc((size_t)count * 48 + 64), *at = json;
    assert_non_null(json);
    at += sprintf(at, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[");
    for (int i = 0; i < count; i++)
        at += sprintf(at, "%s{\"children\":[%d,%d,0,99999]}", i ? "," : "", (i + 1) % count, i);
    strcpy(at, "]}");
    return json;
}

// The least of several loads.
static double load_seconds(char *(*make)(int), int count, int loads)
{
    char *json = make(count);
    double least = INFINITY;
    for (int i = 0; i < loads; i++) {
        const clock_t start = clock();
        sn_model *model = load_raw(json);
        least = fmin(least, (double)(clock() - start) / CLOCKS_PER_SEC);
        assert_int_equal(model->node_count, count);
        sn_model_free(model);
    }
    free(json);
    return least;
}

// Eight times as many nodes take about eight times as long. Were loading quadratic, it would be 64.
static void nothing_is_quadratic(void **state)
{
    (void)state;
    char *(*const makers[])(int) = { chain_up, chain_down, nodes_with_faults };
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
        const double few = load_seconds(makers[i], 1000, 8), many = load_seconds(makers[i], 8000, 2);
        if (many > 32 * few) fail_msg("%zu: %.4f s and %.4f s", i, few, many);
    }
}

static void deep_chains_load(void **state)
{
    (void)state;
    enum { DEEP = 100000 };
    for (int reversed = 0; reversed < 2; reversed++) {
        char *json = chain(DEEP, reversed);
        sn_model *model = load_raw(json);
        check_model(model);
        sn_pose *pose = solved(model);
        sn_mat34 world = sn_pose_world(pose, DEEP - 1);
        assert_true(world.m[0][3] == (float)DEEP);
        assert_int_equal(model->nodes[DEEP - 1].id, reversed ? 0 : DEEP - 1);
        sn_pose_free(pose);
        sn_model_free(model);
        free(json);
    }
}

static void many_faults_are_repaired(void **state)
{
    (void)state;
    char *json = nodes_with_faults(60000);
    sn_model *model = load_raw(json);
    check_model(model);
    assert_int_equal(model->node_count, 60000);
    sn_model_free(model);
    free(json);
}

static void names_are_no_identifiers(void **state)
{
    (void)state;
    sn_model *model = load_json("{" ASSET ",'nodes':[{},{'name':'twin'},{'name':'twin'},{'name':''},"
                                "{'name':'%s%n../\\u001b[0m'}]}");
    assert_int_equal(sn_model_find_node(model, "twin"), 1);
    assert_int_equal(sn_model_find_node(model, ""), 0);
    assert_int_equal(sn_model_find_node(model, "none"), -1);
    assert_string_equal(model->nodes[4].name, "%s%n../\x1b[0m");
    sn_model_free(model);
}

static void cameras(void **state)
{
    (void)state;
    sn_model *model = load_json(
        "{" ASSET ",'cameras':[{'name':'eye','type':'perspective','perspective':{'yfov':0.75,'znear':0.25,'zfar':100,"
        "'aspectRatio':1.5},"
        "'extras':{'a':1}},{'type':'perspective','perspective':{'yfov':1,'znear':0.5}},"
        "{'name':'plan','type':'orthographic','orthographic':{'xmag':2,'ymag':3,'znear':0,'zfar':10}}],"
        "'nodes':[{'camera':2},{'name':'holder','camera':0,'children':[0]},{'camera':0}]}");
    assert_int_equal(model->camera_count, 4);  // carried twice, once, and by nobody
    uint32_t eyes = 0, plans = 0, lost = 0;
    for (uint32_t i = 0; i < model->camera_count; i++) {
        const sn_camera *camera = &model->cameras[i];
        if (strcmp(camera->name, "eye") == 0) {
            eyes++;
            assert_true(camera->is_perspective);
            assert_near(camera->fov_y, 0.75);
            assert_near(camera->aspect, 1.5);
            assert_near(camera->near_plane, 0.25);
            assert_near(camera->far_plane, 100);
            assert_string_equal(camera->extras, "{\"a\":1}");
            assert_true(model->nodes[camera->node].id == 1 || model->nodes[camera->node].id == 2);
        } else if (strcmp(camera->name, "plan") == 0) {
            plans++;
            assert_false(camera->is_perspective);
            assert_near(camera->half_width, 2);
            assert_near(camera->half_height, 3);
            assert_near(camera->far_plane, 10);
            assert_int_equal(model->nodes[camera->node].id, 0);
        } else {
            lost++;
            assert_int_equal(camera->node, -1);
            assert_near(camera->aspect, 0);
            assert_near(camera->far_plane, 0);
            assert_near(camera->near_plane, 0.5);
        }
    }
    assert_true(eyes == 2 && plans == 1 && lost == 1);
    sn_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_given_is_identity),
        cmocka_unit_test(scale_then_rotation_then_translation),
        cmocka_unit_test(world_is_parent_times_local),
        cmocka_unit_test(rotations_are_made_unit),
        cmocka_unit_test(numbers_too_large_for_a_float),
        cmocka_unit_test(matrix_of_large_numbers),
        cmocka_unit_test(matrix_that_is_a_product),
        cmocka_unit_test(matrix_of_half_turns),
        cmocka_unit_test(matrix_that_mirrors),
        cmocka_unit_test(matrix_that_no_product_can_say),
        cmocka_unit_test(zero_scale_is_a_scale),
        cmocka_unit_test(matrix_beside_trs),
        cmocka_unit_test(children_before_parents_are_sorted),
        cmocka_unit_test(a_sorted_file_keeps_its_order),
        cmocka_unit_test(loops_are_cut),
        cmocka_unit_test(the_first_of_two_parents_keeps_the_child),
        cmocka_unit_test(scene_choice),
        cmocka_unit_test(no_default_scene_shows_the_first_and_says_so),
        cmocka_unit_test(a_scene_shows_what_hangs_below_its_roots),
        cmocka_unit_test(a_root_that_is_a_child_is_told),
        cmocka_unit_test(a_root_that_is_a_child_is_shown),
        cmocka_unit_test(roots_are_listed_once_each),
        cmocka_unit_test(deep_chains_load),
        cmocka_unit_test(nothing_is_quadratic),
        cmocka_unit_test(many_faults_are_repaired),
        cmocka_unit_test(names_are_no_identifiers),
        cmocka_unit_test(cameras),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
