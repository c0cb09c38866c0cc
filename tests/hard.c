#include "hard.h"

#include <stddef.h>
#include <string.h>

static const sn_vec3  corners[3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 2, 0.5f } };
static const uint16_t corner_joints[6] = { 0, 1, 0, 1, 1, 0 };
static const float    corner_weights[6] = { 0.75f, 0.25f, 0.5f, 0.5f, 1.0f, 0.0f };
static const sn_mat34 binds[4] = { { { { 1, 0, 0, 1 }, { 0, 1, 0, 2 }, { 0, 0, 1, 3 } } },
                                   { { { 0, 1, 0, 0 }, { -1, 0, 0, 0 }, { 0, 0, 1, 0 } } },
                                   { { { 1, 0, 0, -1 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } },
                                   { { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } } };

static int32_t triangle(test_rig *rig)
{
    sn_mesh *mesh = rig_mesh(rig, 3, corners);
    mesh->topology = SN_TRIANGLES;
    return (int32_t)rig->model.mesh_count - 1;
}

static int32_t bent_triangle(test_rig *rig)
{
    int32_t mesh = triangle(rig);
    rig->meshes[mesh].influence_count = 2;
    rig->meshes[mesh].vertex_joints = corner_joints;
    rig->meshes[mesh].vertex_weights = corner_weights;
    return mesh;
}

static int32_t named(test_rig *rig, const char *name, int32_t parent, sn_trs rest, uint32_t flags)
{
    int32_t node = rig_node(rig, parent, rest, flags);
    rig->nodes[node].name = name;
    return node;
}

static int32_t joint(test_rig *rig, const char *name, int32_t parent, float x)
{
    return named(rig, name, parent, trs_move(x, 1, 0), SN_NODE_JOINT);
}

// Roots a and b, each a joint with a rigid triangle; what they bend is carried by a third root. A fourth has a triangle too.
static void make_roots(test_rig *rig)
{
    static const int32_t joints[2] = { 0, 1 };
    joint(rig, "a", -1, 1);
    joint(rig, "b", -1, 2);
    named(rig, "skinned", -1, trs_move(9, 9, 9), 0);
    named(rig, "other", -1, trs_move(-3, 0, 0), 0);
    int32_t skin = rig_skin(rig, 2, joints, binds), rigid = triangle(rig);
    rig_part(rig, bent_triangle(rig), 2, skin);
    rig_part(rig, rigid, 0, -1);
    rig_part(rig, rigid, 1, -1);
    rig_part(rig, rigid, 3, -1);
    rig->model.clip_count = 0;
}

static void make_two_roots(test_rig *rig)
{
    static const int32_t all[4] = { 0, 1, 2, 3 };
    make_roots(rig);
    rig_scene(rig, 4, all);
    rig->model.default_scene = 0;
}

static void make_joints_in_no_scene(test_rig *rig)
{
    static const int32_t shown[2] = { 2, 3 };
    make_roots(rig);
    rig_scene(rig, 2, shown);
    rig->model.default_scene = 0;
}

static void make_joints_in_another_scene(test_rig *rig)
{
    static const int32_t first[2] = { 2, 3 }, second[1] = { 0 }, third[2] = { 1, 3 };
    make_roots(rig);
    rig_scene(rig, 2, first);
    rig_scene(rig, 1, second);
    rig_scene(rig, 2, third);
    rig->model.default_scene = 2;
}

// The skinned part itself is in no scene, its joints are.
static void make_part_in_no_scene(test_rig *rig)
{
    static const int32_t roots[2] = { 0, 1 };
    make_roots(rig);
    rig_scene(rig, 2, roots);
    rig->model.default_scene = 0;
}

static void make_z_up(test_rig *rig)
{
    static const int32_t first[3] = { 0, 1, 2 }, second[2] = { 2, 3 }, third[1] = { 3 };
    make_roots(rig);
    rig->model.up_axis = SN_Z_UP;
    rig_scene(rig, 3, first);
    rig_scene(rig, 2, second);
    rig_scene(rig, 1, third);
    rig->model.default_scene = 0;
}

static void make_joint_twice(test_rig *rig)
{
    static const int32_t joints[3] = { 0, 1, 0 };
    static const uint16_t vertex_joints[6] = { 0, 1, 2, 1, 0, 2 };
    joint(rig, "a", -1, 1);
    joint(rig, "b", 0, 2);
    named(rig, "skinned", -1, trs_identity, 0);
    int32_t mesh = bent_triangle(rig);
    rig->meshes[mesh].vertex_joints = vertex_joints;
    rig_part(rig, mesh, 2, rig_skin(rig, 3, joints, binds));
    rig->model.clip_count = 0;
}

const hard_model hard_models[] = {
    { "two_roots", make_two_roots, NULL },
    { "joints_in_no_scene", make_joints_in_no_scene, NULL },
    { "joints_in_another_scene", make_joints_in_another_scene, "also show" },
    { "part_in_no_scene", make_part_in_no_scene, NULL },
    { "z_up", make_z_up, "also show" },
    { "joint_twice", make_joint_twice, NULL },
    { 0 },
};

const test_rig *hard_make(const char *name)
{
    static test_rig rig;
    for (const hard_model *at = hard_models; at->name; at++) {
        if (strcmp(at->name, name) != 0) continue;
        rig_init(&rig);
        at->make(&rig);
        return &rig;
    }
    return NULL;
}
