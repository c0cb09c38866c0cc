// Vertices as the graphics side bends them, taken with transform feedback from the very shader that draws.
#ifndef TEST_CAPTURE_H
#define TEST_CAPTURE_H

#include "render/render.h"

// As OpenGL writes it.
typedef struct skinned_vertex {
    sn_vec3 position, normal;
    sn_vec4 tangent;
} skinned_vertex;

// A renderer that counts what OpenGL complains of; skips the test where there is no OpenGL.
sn_renderer *open_renderer(bool prefer_es);

// All instances of a batch, the vertices of each in order. `out` has room for batch->count * vertex_count.
void capture_batch(const sni_pass *pass, const sni_batch *batch, skinned_vertex *out);

// Draws the actor and compares every vertex of every part that it shows with what sn_skin_part says. Answers how many
// parts.
uint32_t compare_with_skinning(sn_renderer *renderer, const sn_actor *actor);

#endif
