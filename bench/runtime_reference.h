// What the runtime should compute, in double precision and written from the descriptions in sinew.h and runtime.h
// alone.
#ifndef BENCH_RUNTIME_REFERENCE_H
#define BENCH_RUNTIME_REFERENCE_H

#include <sinew/runtime.h>

typedef struct ref_trs {
    double translation[3], rotation[4], scale[3];
} ref_trs;

typedef struct ref_mat34 {
    double m[3][4];
} ref_mat34;

// All nodes at a time in a clip. Tracks hold outside their keys.
void ref_sample(const sn_model *model, int32_t clip, float seconds, bool is_nlerp, ref_trs *locals);

// Layers as sn_motion_blend mixes them; none is additive. locals[layer][node].
void ref_blend(const sn_model *model, const ref_trs *const *locals, const sn_blend_layer *layers, uint32_t count,
               ref_trs *out);

void ref_from_trs(const sn_trs *trs, ref_trs *out);
void ref_local(const sn_pose *pose, int32_t node, ref_trs *local);  // as the pose has it
void ref_worlds(const sn_model *model, const ref_trs *locals, ref_mat34 *worlds);
ref_mat34 ref_mul(const ref_mat34 *a, const ref_mat34 *b);
ref_mat34 ref_of(const sn_mat34 *matrix);
ref_mat34 ref_inverse(const ref_mat34 *a);

typedef struct ref_vertex {
    double position[3], normal[3], tangent[3];
} ref_vertex;
ref_vertex ref_skin(const sn_mesh *mesh, const sn_mat34 *palette, uint32_t vertex);

// Largest differences. Rotations: of a component, either sign of the quaternion. Lengths: as they are.
typedef struct ref_error {
    double rotation, length;
} ref_error;
void ref_compare_local(ref_error *error, const ref_trs *expected, const sn_trs *actual);
void ref_compare_matrix(ref_error *error, const ref_mat34 *expected, const sn_mat34 *actual);
void ref_compare_vector(ref_error *error, const double expected[3], sn_vec3 actual);

#endif
