#include "hand_models.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

const sn_trs trs_identity = { { 0, 0, 0 }, { 0, 0, 0, 1 }, { 1, 1, 1 } };
const sn_mat34 mat34_identity = { { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };

sn_trs trs_move(float x, float y, float z)
{
    sn_trs trs = trs_identity;
    trs.translation = (sn_vec3){ x, y, z };
    return trs;
}

sn_quat quat_about(sn_vec3 axis, double radians)
{
    double s = sin(radians / 2);
    return (sn_quat){ (float)(axis.x * s), (float)(axis.y * s), (float)(axis.z * s), (float)cos(radians / 2) };
}

sn_trs trs_turn(sn_vec3 axis, double radians)
{
    sn_trs trs = trs_identity;
    trs.rotation = quat_about(axis, radians);
    return trs;
}

sn_trs trs_stretch(float x, float y, float z)
{
    sn_trs trs = trs_identity;
    trs.scale = (sn_vec3){ x, y, z };
    return trs;
}

sn_mat34 mat34_move(float x, float y, float z)
{
    return (sn_mat34){ { { 1, 0, 0, x }, { 0, 1, 0, y }, { 0, 0, 1, z } } };
}

void rig_init(test_rig *rig)
{
    memset(rig, 0, sizeof *rig);
    sn_model *model = &rig->model;
    model->name = "";
    model->format = "test";
    model->lod_count = 1;
    model->default_scene = -1;
    model->nodes = rig->nodes;
    model->meshes = rig->meshes;
    model->parts = rig->parts;
    model->skins = rig->skins;
    model->materials = rig->materials;
    model->scenes = rig->scenes;
    model->clips = &rig->clip;
    model->clip_count = 1;
    rig->clip = (sn_clip){ .name = "", .duration = 1.0f, .tracks = rig->tracks };
    for (uint32_t i = 0; i < RIG_VERTICES; i++) rig->indices[i] = i;
}

int32_t rig_node(test_rig *rig, int32_t parent, sn_trs rest, uint32_t flags)
{
    assert_true(rig->model.node_count < RIG_NODES);
    int32_t index = (int32_t)rig->model.node_count++;
    rig->nodes[index] = (sn_node){ .name = "", .parent = parent, .flags = flags, .rest = rest };
    return index;
}

sn_mesh *rig_mesh(test_rig *rig, uint32_t vertex_count, const sn_vec3 *positions)
{
    assert_true(rig->model.mesh_count < RIG_FEW && vertex_count <= RIG_VERTICES);
    sn_mesh *mesh = &rig->meshes[rig->model.mesh_count++];
    *mesh = (sn_mesh){ .name = "",
                       .topology = SN_POINTS,
                       .vertex_count = vertex_count,
                       .index_count = vertex_count,
                       .positions = positions,
                       .indices = rig->indices };
    return mesh;
}

int32_t rig_part(test_rig *rig, int32_t mesh, int32_t node, int32_t skin)
{
    assert_true(rig->model.part_count < RIG_FEW);
    int32_t index = (int32_t)rig->model.part_count++;
    rig->parts[index] = (sn_part){ .mesh = mesh, .node = node, .skin = skin, .material = -1, .color = { 1, 1, 1, 1 } };
    return index;
}

int32_t rig_skin(test_rig *rig, uint32_t joint_count, const int32_t *joints, const sn_mat34 *inverse_bind)
{
    assert_true(rig->model.skin_count < RIG_FEW);
    int32_t index = (int32_t)rig->model.skin_count++;
    sn_skin skin = { .name = "", .joints = joints, .inverse_bind = inverse_bind, .joint_count = joint_count };
    rig->skins[index] = skin;
    for (uint32_t i = 0; i < joint_count; i++) rig->nodes[joints[i]].flags |= SN_NODE_JOINT;
    return index;
}

void rig_scene(test_rig *rig, uint32_t root_count, const int32_t *roots)
{
    assert_true(rig->model.scene_count < RIG_FEW);
    if (rig->model.scene_count == 0) rig->model.default_scene = 0;
    rig->scenes[rig->model.scene_count++] = (sn_scene){ .name = "", .roots = roots, .root_count = root_count };
}

sn_track *rig_track(test_rig *rig, sn_target kind, int32_t target, sn_channel channel, sn_track keys)
{
    assert_true(rig->clip.track_count < RIG_TRACKS);
    sn_track *track = &rig->tracks[rig->clip.track_count++];
    *track = keys;
    track->target_kind = (uint8_t)kind;
    track->target = target;
    track->channel = (uint8_t)channel;
    return track;
}

sn_track keys_of(sn_interpolation interpolation, uint32_t key_count, uint32_t width, const float *times,
                 const float *values)
{
    return (sn_track){ .channel = SN_CHANNEL_INTENSITY,
                       .interpolation = (uint8_t)interpolation,
                       .key_count = key_count,
                       .width = width,
                       .times = times,
                       .values = values };
}

void expect_near(double value, double expected, double tolerance, const char *file, int line)
{
    if (fabs(value - expected) <= tolerance) return;
    print_error("%.9g is not %.9g, to %g\n", value, expected, tolerance);
    _fail(file, line);
}

void expect_vec3(sn_vec3 value, double x, double y, double z, double tolerance, const char *file, int line)
{
    double off = fmax(fmax(fabs(value.x - x), fabs(value.y - y)), fabs(value.z - z));
    bool is_number = !isnan(value.x) && !isnan(value.y) && !isnan(value.z);
    if (is_number && off <= tolerance) return;
    print_error("(%.9g, %.9g, %.9g) is not (%.9g, %.9g, %.9g), to %g\n", value.x, value.y, value.z, x, y, z, tolerance);
    _fail(file, line);
}

void expect_quat(sn_quat value, double x, double y, double z, double w, const char *file, int line)
{
    double off = fabs(value.x - x) + fabs(value.y - y) + fabs(value.z - z) + fabs(value.w - w);
    if (off <= 1e-6) return;
    print_error("(%.9g, %.9g, %.9g, %.9g) is not (%.9g, %.9g, %.9g, %.9g)\n", value.x, value.y, value.z, value.w, x, y,
                z, w);
    _fail(file, line);
}
