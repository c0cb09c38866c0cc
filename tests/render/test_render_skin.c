// The vertex shader skins vertices as sn_skin_part does: any number of influences, joints, morphs and instances.
#include "hand_models.h"
#include "shoot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void compare_clips(sn_renderer *renderer, const sn_model *model)
{
    sn_actor actor = make_actor(renderer, model);
    for (int32_t clip = -1; clip < (int32_t)model->clip_count; clip++) {
        for (int i = 0; i < (clip < 0 ? 1 : 3); i++) {
            pose_actor(&actor, clip, clip < 0 ? 0 : model->clips[clip].duration * (0.1f + 0.3f * (float)i), NULL);
            compare_with_skinning(renderer, &actor);
        }
    }
    for (uint32_t lod = 1; lod < model->lod_count; lod++) {
        sn_pose_set_lod((sn_pose *)(uintptr_t)actor.pose, (int32_t)lod);
        compare_with_skinning(renderer, &actor);
    }
    free_actor(&actor);
}

static const char *const samples[] = { "arm.glb",     "face.glb",        "crane.gltf",  "boar.mdx",
                                       "golem.mdx",   "hound.mdx",       "lantern.mdl", "house.w3d",
                                       "serpent.w3d", "soldier_skn.w3d", "tank.w3d" };

static void compare_samples(bool prefer_es)
{
    sn_renderer *renderer = open_renderer(prefer_es);
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        sn_model *model = load_sample(samples[i]);
        compare_clips(renderer, model);
        sn_model_free(model);
    }
    sn_renderer_free(renderer);
}

static void test_samples(void **state)
{
    (void)state;
    compare_samples(false);
}

static void test_samples_with_opengl_es(void **state)
{
    (void)state;
    compare_samples(true);
}

enum { JOINTS = 1000, RING = 3, LINKS = JOINTS * RING, MANY = 9 };

// A chain of a thousand joints, each slightly rotated; every vertex is skinned by nine of them.
typedef struct chain {
    sn_node nodes[JOINTS];
    int32_t joints[JOINTS];
    sn_mat34 inverse_bind[JOINTS];
    sn_vec3 positions[LINKS], normals[LINKS];
    uint32_t indices[LINKS];
    uint16_t vertex_joints[LINKS * MANY];
    float vertex_weights[LINKS * MANY];
    sn_skin skin;
    sn_mesh mesh;
    sn_part part;
    sn_model model;
} chain;

static void fill_chain_vertex(chain *c, int joint, int corner)
{
    int vertex = joint * RING + corner;
    float angle = (float)corner * 2.0943951f;
    c->normals[vertex] = (sn_vec3){ cosf(angle), 0, sinf(angle) };
    c->positions[vertex] = (sn_vec3){ 0.2f * cosf(angle), 0.05f * (float)joint, 0.2f * sinf(angle) };
    c->indices[vertex] = (uint32_t)vertex;
    for (int i = 0; i < MANY; i++) {
        c->vertex_joints[vertex * MANY + i] = (uint16_t)((joint + i * 7) % JOINTS);
        c->vertex_weights[vertex * MANY + i] = i == 0 ? 0.6f : 0.05f;
    }
}

static chain *make_chain(void)
{
    chain *c = calloc(1, sizeof *c);
    assert_non_null(c);
    for (int i = 0; i < JOINTS; i++) {
        c->nodes[i] = (sn_node){
            .name = "", .parent = i - 1, .flags = SN_NODE_JOINT, .rest = trs_move(0, i > 0 ? 0.05f : 0, 0)
        };
        c->joints[i] = i;
        c->inverse_bind[i] = mat34_move(0, -0.05f * (float)i, 0);
        for (int k = 0; k < RING; k++) fill_chain_vertex(c, i, k);
    }
    c->skin = (sn_skin){ "", c->joints, c->inverse_bind, JOINTS };
    c->mesh = (sn_mesh){ .name = "",
                         .vertex_count = LINKS,
                         .index_count = LINKS,
                         .influence_count = MANY,
                         .positions = c->positions,
                         .normals = c->normals,
                         .indices = c->indices,
                         .vertex_joints = c->vertex_joints,
                         .vertex_weights = c->vertex_weights };
    c->part = (sn_part){ .material = -1, .color = { 1, 1, 1, 1 } };
    c->model = (sn_model){ .name = "",
                           .format = "test",
                           .lod_count = 1,
                           .default_scene = -1,
                           .nodes = c->nodes,
                           .node_count = JOINTS,
                           .meshes = &c->mesh,
                           .mesh_count = 1,
                           .parts = &c->part,
                           .part_count = 1,
                           .skins = &c->skin,
                           .skin_count = 1 };
    return c;
}

static void test_thousand_joints_nine_influences(void **state)
{
    (void)state;
    sn_renderer *renderer = open_renderer(false);
    chain *c = make_chain();
    sn_actor actor = make_actor(renderer, &c->model);
    for (int i = 1; i < JOINTS; i++) {
        sn_trs turned = trs_turn((sn_vec3){ 0, 0.6f, 0.8f }, 0.02);
        turned.translation = (sn_vec3){ 0, 0.05f, 0 };
        sn_pose_set_local((sn_pose *)(uintptr_t)actor.pose, i, turned);
    }
    sn_pose_solve((sn_pose *)(uintptr_t)actor.pose, NULL);
    assert_int_equal(compare_with_skinning(renderer, &actor), 1);
    free_actor(&actor);
    free(c);
    sn_renderer_free(renderer);
}

enum { COPIES = 1000 };

static const sn_vec3 triangle[3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } },
                     triangle_normals[3] = { { 0, 0, 1 }, { 0, 0, 1 }, { 0, 0, 1 } };
static const uint32_t triangle_indices[3] = { 0, 1, 2 };

// A thousand nodes with one mesh, every third of them mirrored.
static void test_thousand_instances(void **state)
{
    (void)state;
    sn_renderer *renderer = open_renderer(false);
    static sn_node nodes[COPIES];
    static sn_part parts[COPIES];
    sn_mesh mesh = { .name = "",
                     .vertex_count = 3,
                     .index_count = 3,
                     .positions = triangle,
                     .normals = triangle_normals,
                     .indices = triangle_indices };
    for (int i = 0; i < COPIES; i++) {
        sn_trs rest = trs_turn((sn_vec3){ 0, 1, 0 }, 0.01 * i);
        rest.translation = (sn_vec3){ (float)(i % 10) * 2, (float)(i / 10 % 10) * 2, (float)(i / 100) * 2 };
        if (i % 3 == 0) rest.scale.x = -1;
        nodes[i] = (sn_node){ .name = "", .parent = -1, .rest = rest };
        parts[i] = (sn_part){ .node = i, .skin = -1, .material = -1, .color = { 1, 1, 1, 1 } };
    }
    sn_model model = { .name = "",
                       .format = "test",
                       .lod_count = 1,
                       .default_scene = -1,
                       .nodes = nodes,
                       .node_count = COPIES,
                       .meshes = &mesh,
                       .mesh_count = 1,
                       .parts = parts,
                       .part_count = COPIES };
    sn_actor actor = make_actor(renderer, &model);
    assert_int_equal(compare_with_skinning(renderer, &actor), COPIES);
    assert_int_equal(sni_batch_count(renderer), 2);  // mirrored and not mirrored
    free_actor(&actor);
    sn_renderer_free(renderer);
}

static void test_actor_transform_is_applied_last(void **state)
{
    (void)state;
    sn_renderer *renderer = open_renderer(false);
    sn_error error;
    const sn_mat34 transform = { { { 0, 0, -2, 3 }, { 0, 2, 0, -1 }, { 2, 0, 0, 0.5f } } };
    sn_model *model = sn_load_file(SINEW_SAMPLES "/arm.glb", NULL, &error);
    assert_non_null(model);
    sn_actor actor = make_actor(renderer, model);
    sn_vec3 *at = calloc(model->meshes[0].vertex_count, sizeof *at);
    skinned_vertex *skinned = calloc(model->meshes[0].vertex_count, sizeof *skinned);
    actor.transform = &transform;
    sn_bounds bounds = { { -9, -9, -9 }, { 9, 9, 9 }, { 0, 0, 0 }, 16 };
    sn_frame frame = {
        .width = 8, .height = 8, .actors = &actor, .actor_count = 1, .camera = sn_render_camera_fit(&bounds, 0, 0, 1)
    };
    sni_pass pass = { .renderer = renderer, .frame = &frame, .clip = sni_camera_clip(&frame.camera, 1) };
    assert_int_equal(sn_render_draw(renderer, &frame, &error), SN_OK);
    capture_batch(&pass, sni_batches(renderer), skinned);
    sn_skin_part(actor.pose, 0, at, NULL, NULL);
    for (uint32_t i = 0; i < model->meshes[0].vertex_count; i++)
        assert_vec3(skinned[i].position, 3 - 2 * at[i].z, 2 * at[i].y - 1, 2 * at[i].x + 0.5f);
    free(at);
    free(skinned);
    free_actor(&actor);
    sn_model_free(model);
    sn_renderer_free(renderer);
}

// Two morphs at once, one with positions only, below a node with non-uniform scale.
static void test_morphs_of_all_kinds(void **state)
{
    (void)state;
    sn_renderer *renderer = open_renderer(false);
    static const sn_vec3 moves[3] = { { 0.5f, 0, 0.25f }, { 0, 0.5f, 0 }, { -0.25f, 0, 1 } };
    static const sn_vec3 leans[3] = { { 0.3f, 0, 0 }, { 0, 0.4f, 0 }, { 0, -0.2f, 0.1f } };
    static const sn_vec4 tangents[3] = { { 1, 0, 0, 1 }, { 0, 1, 0, -1 }, { 1, 0, 0, 1 } };
    const sn_morph morphs[3] = { { "", moves, NULL, NULL }, { "", moves, leans, leans }, { "", moves, leans, NULL } };
    const float weights[3] = { 0.75f, -0.5f, 0 };
    sn_mesh mesh = { .name = "",
                     .vertex_count = 3,
                     .index_count = 3,
                     .positions = triangle,
                     .normals = triangle_normals,
                     .tangents = tangents,
                     .indices = triangle_indices,
                     .morphs = morphs,
                     .morph_count = 3 };
    sn_node node = { .name = "", .parent = -1, .rest = trs_stretch(1, 3, -0.5f) };
    sn_part part = { .skin = -1, .material = -1, .color = { 1, 1, 1, 1 }, .morph_weights = weights };
    sn_model model = { .name = "",
                       .format = "test",
                       .lod_count = 1,
                       .default_scene = -1,
                       .nodes = &node,
                       .node_count = 1,
                       .meshes = &mesh,
                       .mesh_count = 1,
                       .parts = &part,
                       .part_count = 1 };
    sn_actor actor = make_actor(renderer, &model);
    assert_int_equal(compare_with_skinning(renderer, &actor), 1);
    free_actor(&actor);
    sn_renderer_free(renderer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_samples_with_opengl_es),
        cmocka_unit_test(test_thousand_joints_nine_influences),
        cmocka_unit_test(test_thousand_instances),
        cmocka_unit_test(test_actor_transform_is_applied_last),
        cmocka_unit_test(test_morphs_of_all_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
