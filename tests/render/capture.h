// Skinned vertices from the GPU, captured with transform feedback from the same shader that draws.
#ifndef TEST_CAPTURE_H
#define TEST_CAPTURE_H

#include "render/render.h"

// The layout of the transform feedback.
typedef struct skinned_vertex {
    sn_vec3 position, normal;
    sn_vec4 tangent;
} skinned_vertex;

// A renderer with a debug context. Skips the test if there is no OpenGL.
sn_renderer *open_renderer(bool prefer_es);

// All instances of a batch, the vertices of each in order. `out` has room for batch->count * vertex_count.
void capture_batch(const sni_pass *pass, const sni_batch *batch, skinned_vertex *out);

// Draws the actor and compares every vertex of every visible part with sn_skin_part. Returns the number of parts.
uint32_t compare_with_skinning(sn_renderer *renderer, const sn_actor *actor);

#endif
