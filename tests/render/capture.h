// Vertices as the graphics side bends them, taken with transform feedback from the very shader that draws.
#ifndef TEST_CAPTURE_H
#define TEST_CAPTURE_H

#include "render/render.h"

// As OpenGL writes it.
typedef struct bent_vertex {
    sn_vec3 position, normal;
    sn_vec4 tangent;
} bent_vertex;

// A renderer that counts what OpenGL complains of; skips the test where there is no OpenGL.
sn_renderer *open_renderer(bool prefer_es);

// All instances of a job, the vertices of each in order. `out` has room for job->count * vertex_count.
void capture_job(const sni_pass *pass, const sni_job *job, bent_vertex *out);

// Draws the actor and compares every vertex of every part that it shows with what sn_skin_part says. Answers how many
// parts.
uint32_t compare_with_skinning(sn_renderer *renderer, const sn_actor *actor);

#endif
