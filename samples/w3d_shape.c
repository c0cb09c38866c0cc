#include "w3d_maker.h"

#include <math.h>
#include <stdlib.h>

static const sn_vec3 up = { 0, 0, 1 };

static uint32_t add_vertex(shape *s, sn_vec3 position, sn_vec3 normal, float u, float v)
{
    uint32_t i = s->vertex_count++;
    if (i >= SHAPE_VERTICES) abort();
    s->positions[i] = position;
    s->normals[i] = normal;
    s->uvs[i][0] = u;
    s->uvs[i][1] = v;
    s->percents[i][0] = 100;
    return i;
}

static void add_triangle(shape *s, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *triangle = s->triangles[s->triangle_count++];
    if (s->triangle_count > SHAPE_TRIANGLES) abort();
    triangle[0] = a, triangle[1] = b, triangle[2] = c;
}

static void add_quad(shape *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    add_triangle(s, a, b, c);
    add_triangle(s, a, c, d);
}

void shape_quad(shape *s, const sn_vec3 corners[4])
{
    static const float uvs[4][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } };
    sn_vec3 normal = sni_unit(sni_cross(sni_sub(corners[2], corners[0]), sni_sub(corners[3], corners[1])), up);
    uint32_t first = s->vertex_count;
    for (int i = 0; i < 4; i++) add_vertex(s, corners[i], normal, uvs[i][0], uvs[i][1]);
    add_quad(s, first, first + 1, first + 2, first + 3);
}

void shape_block(shape *s, const sn_vec3 corners[8])
{
    static const int sides[6][4] = { { 3, 2, 1, 0 }, { 4, 5, 6, 7 }, { 0, 1, 5, 4 },
                                     { 1, 2, 6, 5 }, { 2, 3, 7, 6 }, { 3, 0, 4, 7 } };
    for (int side = 0; side < 6; side++) {
        sn_vec3 quad[4];
        for (int i = 0; i < 4; i++) quad[i] = corners[sides[side][i]];
        shape_quad(s, quad);
    }
}

void shape_box(shape *s, sn_vec3 min, sn_vec3 max)
{
    sn_vec3 corners[8];
    for (int i = 0; i < 8; i++)
        corners[i] = sni_vec3(i % 4 == 1 || i % 4 == 2 ? max.x : min.x, i % 4 >= 2 ? max.y : min.y,
                              i < 4 ? min.z : max.z);
    shape_block(s, corners);
}

// Corner i of a regular shape of 4, 6 or 8 sides, counter-clockwise; that of four stands square.
static void find_corner(int sides, int i, float out[2])
{
    float half = sqrtf(0.5f), tall = sqrtf(0.75f);
    const float four[4][2] = { { half, half }, { -half, half }, { -half, -half }, { half, -half } };
    const float six[6][2] = { { 1, 0 }, { 0.5f, tall }, { -0.5f, tall }, { -1, 0 }, { -0.5f, -tall }, { 0.5f, -tall } };
    const float eight[8][2] = { { 1, 0 },  { half, half },   { 0, 1 },  { -half, half },
                                { -1, 0 }, { -half, -half }, { 0, -1 }, { half, -half } };
    const float *corner = sides == 4 ? four[i % 4] : sides == 6 ? six[i % 6] : eight[i % 8];
    out[0] = corner[0];
    out[1] = corner[1];
}

static void add_ring(shape *s, int sides, sn_vec3 u, sn_vec3 v, const shape_ring *ring, float height)
{
    for (int i = 0; i <= sides; i++) {  // the seam twice, for the texture's sake
        float corner[2];
        find_corner(sides, i, corner);
        sn_vec3 outward = sni_add(sni_scale(u, corner[0]), sni_scale(v, corner[1]));
        sn_vec3 offset = sni_add(sni_scale(u, corner[0] * ring->a), sni_scale(v, corner[1] * ring->b));
        uint32_t at = add_vertex(s, sni_add(ring->center, offset), outward, (float)i / (float)sides, height);
        s->tangents[at] = sni_cross(sni_cross(u, v), outward);
        s->bitangents[at] = sni_cross(u, v);
        for (int k = 0; k < 2; k++) s->bones[at][k] = ring->bones[k];
        s->percents[at][0] = (uint16_t)(100 - ring->percent);
        s->percents[at][1] = ring->percent;
    }
}

void shape_tube(shape *s, int sides, sn_vec3 u, sn_vec3 v, const shape_ring *rings, int count)
{
    uint32_t first = s->vertex_count, step = (uint32_t)sides + 1, last = first + step * (uint32_t)(count - 1);
    for (int i = 0; i < count; i++) add_ring(s, sides, u, v, &rings[i], (float)i / (float)(count - 1));
    for (uint32_t at = first; at < last; at++) {
        if ((at - first) % step == step - 1) continue;
        add_quad(s, at, at + 1, at + 1 + step, at + step);
    }
    for (uint32_t i = 1; i + 1 < (uint32_t)sides; i++) {
        add_triangle(s, first, first + i + 1, first + i);
        add_triangle(s, last, last + i, last + i + 1);
    }
}
