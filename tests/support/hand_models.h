// Small models built by hand in fixed arrays. Nothing to free.
#ifndef TEST_HAND_MODELS_H
#define TEST_HAND_MODELS_H

#include "sinew/sinew.h"

enum { RIG_NODES = 128, RIG_FEW = 8, RIG_TRACKS = 16, RIG_VERTICES = 64 };

typedef struct test_rig {
    sn_model model;
    sn_node nodes[RIG_NODES];
    sn_mesh meshes[RIG_FEW];
    uint32_t indices[RIG_VERTICES];
    sn_part parts[RIG_FEW];
    sn_skin skins[RIG_FEW];
    sn_clip clip;
    sn_track tracks[RIG_TRACKS];
    sn_material materials[RIG_FEW];
    sn_scene scenes[RIG_FEW];
} test_rig;

extern const sn_trs trs_identity;
extern const sn_mat34 mat34_identity;

#define PI 3.14159265358979323846

sn_trs trs_move(float x, float y, float z);
sn_trs trs_turn(sn_vec3 axis, double radians);
sn_trs trs_stretch(float x, float y, float z);
sn_quat quat_about(sn_vec3 axis, double radians);
sn_mat34 mat34_move(float x, float y, float z);

void rig_init(test_rig *rig);  // no nodes, Y up, one clip of 1 s without tracks
int32_t rig_node(test_rig *rig, int32_t parent, sn_trs rest, uint32_t flags);
sn_mesh *rig_mesh(test_rig *rig, uint32_t vertex_count, const sn_vec3 *positions);  // points, all used
int32_t rig_part(test_rig *rig, int32_t mesh, int32_t node, int32_t skin);
int32_t rig_skin(test_rig *rig, uint32_t joint_count, const int32_t *joints, const sn_mat34 *inverse_bind);
void rig_scene(test_rig *rig, uint32_t root_count, const int32_t *roots);
sn_track *rig_track(test_rig *rig, sn_target kind, int32_t target, sn_channel channel, sn_track keys);

// Keys of a track; the arrays stay the caller's.
sn_track keys_of(sn_interpolation interpolation, uint32_t key_count, uint32_t width, const float *times,
                 const float *values);

// cmocka's assert_float_equal with file and line in the message; fails for NaN.
void expect_near(double value, double expected, double tolerance, const char *file, int line);
void expect_vec3(sn_vec3 value, double x, double y, double z, double tolerance, const char *file, int line);
void expect_quat(sn_quat value, double x, double y, double z, double w, const char *file, int line);

#define assert_near(value, expected)              expect_near((value), (expected), 1e-6, __FILE__, __LINE__)
#define assert_within(value, expected, tolerance) expect_near((value), (expected), (tolerance), __FILE__, __LINE__)
#define assert_vec3(value, x, y, z)               expect_vec3((value), (x), (y), (z), 1e-5, __FILE__, __LINE__)
#define assert_quat(value, x, y, z, w)            expect_quat((value), (x), (y), (z), (w), __FILE__, __LINE__)

#endif
