// The kobold's surface. The body is a union of rounded cones, one or more per bone, with smooth transitions. Its
// surface becomes a mesh (one vertex per cell that it crosses), its distances from the bones become weights, and the
// texture is painted onto it from the front and from behind.
#include "kobold.h"

#include <math.h>
#include <string.h>

typedef struct cone {
    int bone;
    bool is_pair;  // a second one on the other side belongs to `bone + mirror`
    sn_vec3 a, b;
    float radius_a, radius_b;
} cone;

// clang-format off
static const cone cones[] = {
    { HIPS,      false, { 0, 0.24f, 0 },             { 0, 0.31f, 0.010f },          0.115f, 0.115f },
    { SPINE,     false, { 0, 0.33f, 0.010f },        { 0, 0.40f, 0.005f },          0.110f, 0.100f },
    { CHEST,     false, { 0, 0.42f, 0 },             { 0, 0.48f, 0 },               0.095f, 0.080f },
    { NECK,      false, { 0, 0.52f, 0 },             { 0, 0.58f, 0 },               0.060f, 0.060f },
    { HEAD,      false, { 0, 0.70f, -0.005f },       { 0, 0.74f, -0.010f },         0.175f, 0.165f },
    { HEAD,      false, { 0, 0.68f, 0.100f },        { 0, 0.675f, 0.195f },         0.085f, 0.055f },
    { JAW,       false, { 0, 0.63f, 0.080f },        { 0, 0.625f, 0.165f },         0.070f, 0.042f },
    { EAR_L,     true,  { 0.12f, 0.77f, -0.010f },   { 0.23f, 0.82f, -0.030f },     0.055f, 0.052f },
    { EAR_TIP_L, true,  { 0.23f, 0.82f, -0.030f },   { 0.36f, 0.895f, -0.060f },    0.050f, 0.026f },
    { ARM_L,     true,  { 0.10f, 0.46f, 0 },         { 0.19f, 0.39f, 0.010f },      0.042f, 0.035f },
    { FOREARM_L, true,  { 0.19f, 0.39f, 0.010f },    { 0.27f, 0.325f, 0.030f },     0.035f, 0.032f },
    { HAND_L,    true,  { 0.28f, 0.315f, 0.035f },   { 0.30f, 0.295f, 0.045f },     0.044f, 0.038f },
    { LEG_L,     true,  { 0.07f, 0.22f, 0 },         { 0.085f, 0.13f, 0.010f },     0.066f, 0.052f },
    { SHIN_L,    true,  { 0.085f, 0.13f, 0.010f },   { 0.09f, 0.06f, -0.005f },     0.050f, 0.043f },
    { FOOT_L,    true,  { 0.09f, 0.043f, -0.010f },  { 0.10f, 0.038f, 0.090f },     0.043f, 0.038f },
    { TAIL_1,    false, { 0, 0.25f, -0.070f },       { 0, 0.215f, -0.160f },        0.066f, 0.054f },
    { TAIL_2,    false, { 0, 0.215f, -0.160f },      { 0, 0.21f, -0.260f },         0.054f, 0.042f },
    { TAIL_3,    false, { 0, 0.21f, -0.260f },       { 0, 0.26f, -0.350f },         0.042f, 0.030f },
    { TAIL_4,    false, { 0, 0.26f, -0.350f },       { 0, 0.35f, -0.400f },         0.030f, 0.012f },
};
// clang-format on

static const float SMOOTHNESS = 0.035f;              // how far transitions between cones reach
static const float WEIGHT_REACH = 0.045f;            // bones this much farther away than the nearest have no weight
static const sn_vec3 LEAST = { 0, -0.03f, -0.47f };  // a box around it, half of it left of x = 0
static const sn_vec3 SIZE = { 0.9f, 1.0f, 0.78f };

static sn_vec3 minus(sn_vec3 a, sn_vec3 b) { return (sn_vec3){ a.x - b.x, a.y - b.y, a.z - b.z }; }
static float dot(sn_vec3 a, sn_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static sn_vec3 along(sn_vec3 a, float t, sn_vec3 d) { return (sn_vec3){ a.x + t * d.x, a.y + t * d.y, a.z + t * d.z }; }
static float limit(float v, float low, float high) { return v < low ? low : v > high ? high : v; }

static sn_vec3 unit(sn_vec3 v)
{
    const float length = sqrtf(dot(v, v));
    return length > 0 ? (sn_vec3){ v.x / length, v.y / length, v.z / length } : (sn_vec3){ 0, 1, 0 };
}

static sn_vec3 cross(sn_vec3 a, sn_vec3 b)
{
    return (sn_vec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

// How far a point is from the surface of a cone; negative inside.
static float cone_distance(const cone *c, sn_vec3 p)
{
    const sn_vec3 axis = minus(c->b, c->a), from = minus(p, c->a);
    const float t = limit(dot(from, axis) / dot(axis, axis), 0, 1);
    const sn_vec3 off = minus(from, along((sn_vec3){ 0 }, t, axis));
    return sqrtf(dot(off, off)) - (c->radius_a + t * (c->radius_b - c->radius_a));
}

// The bone on the other side: pairs of ears have two bones, arms and legs three.
static int mirrored(int bone) { return bone + (bone <= EAR_TIP_L ? 2 : 3); }

static float smooth_least(float a, float b)
{
    const float near = limit(1 - fabsf(a - b) / SMOOTHNESS, 0, 1);
    return (a < b ? a : b) - near * near * SMOOTHNESS / 4;
}

// The distance from the body, and in `bones`, unless it is NULL, from what belongs to each bone.
static float distance(sn_vec3 p, float bones[KOBOLD_JOINTS])
{
    float least = 10;
    for (int i = 0; bones && i < KOBOLD_JOINTS; i++) bones[i] = 10;
    for (size_t i = 0; i < sizeof cones / sizeof *cones; i++) {
        for (int side = 0; side <= cones[i].is_pair; side++) {
            const int bone = side ? mirrored(cones[i].bone) : cones[i].bone;
            const float d = cone_distance(&cones[i], (sn_vec3){ side ? -p.x : p.x, p.y, p.z });
            least = smooth_least(least, d);
            if (bones && d < bones[bone]) bones[bone] = d;
        }
    }
    return least;
}

static sn_vec3 gradient(sn_vec3 p)
{
    const float e = 0.002f;
    return unit(
        (sn_vec3){ distance((sn_vec3){ p.x + e, p.y, p.z }, NULL) - distance((sn_vec3){ p.x - e, p.y, p.z }, NULL),
                   distance((sn_vec3){ p.x, p.y + e, p.z }, NULL) - distance((sn_vec3){ p.x, p.y - e, p.z }, NULL),
                   distance((sn_vec3){ p.x, p.y, p.z + e }, NULL) - distance((sn_vec3){ p.x, p.y, p.z - e }, NULL) });
}

// The four heaviest bones, in fifths: groups of equal weights, percents and bytes all hold them exactly.
static void find_weights(sn_vec3 p, uint16_t joints[4], float weights[4])
{
    float bones[KOBOLD_JOINTS], least = 10, sum = 0;
    distance(p, bones);
    for (int i = 0; i < KOBOLD_JOINTS; i++) least = bones[i] < least ? bones[i] : least;
    for (int i = 0; i < KOBOLD_JOINTS; i++) {
        const float near = limit(1 - (bones[i] - least) / WEIGHT_REACH, 0, 1);
        bones[i] = near * near;
    }
    for (int k = 0; k < 4; k++) {
        int best = 0;
        for (int i = 1; i < KOBOLD_JOINTS; i++) best = bones[i] > bones[best] ? i : best;
        joints[k] = (uint16_t)(bones[best] > 0 ? best : 0), weights[k] = bones[best];
        sum += bones[best];
        bones[best] = 0;
    }
    int left = 5;
    for (int k = 3; k >= 0; k--) {
        const int fifths = k == 0 ? left : (int)(5 * weights[k] / sum + 0.5f);
        left -= fifths;
        weights[k] = (float)fifths / 5;
        if (fifths == 0) joints[k] = 0;
    }
}

static uint32_t add_vertex(kobold_mesh *mesh, sn_vec3 position, sn_vec3 normal, sn_vec2 uv)
{
    const uint32_t at = mesh->vertex_count++;
    mesh->positions[at] = position, mesh->normals[at] = normal, mesh->uvs[at] = uv;
    memset(mesh->joints[at], 0, sizeof mesh->joints[at]);
    memset(mesh->weights[at], 0, sizeof mesh->weights[at]);
    mesh->weights[at][0] = 1;
    return at;
}

static void add_triangle(kobold_mesh *mesh, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t corners[3] = { a, b, c };
    memcpy(mesh->indices + mesh->index_count, corners, sizeof corners);
    mesh->index_count += 3;
}

// Painting

// The texture has the body from the front in its left half, from behind in the right one, and above them four squares
// for eyes, hat, sword and the inside of the hat.
static const float LEFTMOST = -0.42f, HIGHEST = 0.97f, WIDTH = 0.84f, HEIGHT = 0.99f, SQUARE = 1.0f / 8;

static sn_vec2 body_uv(sn_vec3 p, bool is_front)
{
    const float u = (p.x - LEFTMOST) / WIDTH;
    return (sn_vec2){ is_front ? u / 2 : 1 - u / 2, SQUARE + (HIGHEST - p.y) / HEIGHT * (1 - SQUARE) };
}

static sn_vec2 square_uv(int square, float u, float v)
{
    return (sn_vec2){ ((float)square + 0.04f + 0.92f * u) * SQUARE, (0.04f + 0.92f * v) * SQUARE };
}

// 1 inside a disc, 0 outside, with a soft edge.
static float disc(float x, float y, float radius, float edge)
{
    return limit((radius - sqrtf(x * x + y * y)) / edge + 0.5f, 0, 1);
}

static float stroke(float x, float y, sn_vec2 a, sn_vec2 b, float radius, float edge)
{
    const sn_vec2 axis = { b.x - a.x, b.y - a.y };
    const float t = limit(((x - a.x) * axis.x + (y - a.y) * axis.y) / (axis.x * axis.x + axis.y * axis.y), 0, 1);
    return disc(x - a.x - t * axis.x, y - a.y - t * axis.y, radius, edge);
}

static sn_vec3 mix(sn_vec3 a, sn_vec3 b, float t)
{
    return (sn_vec3){ a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z) };
}

static const sn_vec3 SKIN = { 0.36f, 0.62f, 0.46f }, DARK = { 0.20f, 0.42f, 0.36f }, CREAM = { 0.95f, 0.88f, 0.68f },
                     PINK = { 0.94f, 0.55f, 0.50f }, INK = { 0.22f, 0.12f, 0.14f };

static sn_vec3 front_color(float x, float y)
{
    const float side = fabsf(x);
    sn_vec3 color = mix(SKIN, DARK, limit((side - 0.24f) / 0.12f, 0, 0.8f));
    color = mix(color, CREAM, disc(x / 0.085f, (y - 0.34f) / 0.15f, 1, 0.3f));
    color = mix(color, CREAM, disc(x / 0.095f, (y - 0.645f) / 0.055f, 1, 0.3f));
    color = mix(color, PINK, 0.7f * disc((side - 0.125f) / 0.035f, (y - 0.665f) / 0.028f, 1, 0.9f));
    color = mix(color, PINK, stroke(side, y, (sn_vec2){ 0.18f, 0.80f }, (sn_vec2){ 0.31f, 0.868f }, 0.022f, 0.02f));
    color = mix(color, INK, disc((side - 0.022f) / 0.009f, (y - 0.697f) / 0.007f, 1, 0.6f));
    const float smile = 0.630f + 5.5f * side * side;
    color = mix(color, INK, limit((0.0065f - fabsf(y - smile)) / 0.003f, 0, 1) * (side < 0.062f));
    for (int i = 0; i < 3; i++)  // claws
        color = mix(color, CREAM, disc((side - 0.075f - 0.025f * (float)i) / 0.009f, (y - 0.018f) / 0.016f, 1, 0.4f));
    return color;
}

static sn_vec3 back_color(float x, float y)
{
    const float side = fabsf(x);
    sn_vec3 color = mix(SKIN, DARK, limit((side - 0.24f) / 0.12f, 0, 0.8f));
    for (int i = 0; i < 7; i++) {  // stripes, from the tail to the top of the head
        const float height = 0.20f + 0.095f * (float)i;
        color = mix(color, DARK, 0.9f * disc(side / 0.10f, (y - height) / 0.022f, 1, 0.5f));
    }
    return color;
}

static sn_vec3 eye_color(float x, float y)
{
    sn_vec3 color = { 0.98f, 0.97f, 0.92f };
    color = mix(color, (sn_vec3){ 0.86f, 0.56f, 0.14f }, disc(x, y + 0.02f, 0.66f, 0.1f));
    color = mix(color, INK, disc(x, y + 0.02f, 0.42f, 0.1f));
    return mix(color, (sn_vec3){ 1, 1, 1 }, disc(x + 0.2f, y - 0.24f, 0.17f, 0.08f));
}

// v runs from the tip of the hat to its brim.
static sn_vec3 hat_color(float u, float v)
{
    const sn_vec3 felt = mix((sn_vec3){ 0.50f, 0.22f, 0.42f }, (sn_vec3){ 0.36f, 0.14f, 0.34f }, v);
    const float across = u * 8 - (float)(int)(u * 8) - 0.5f;
    sn_vec3 color = mix(felt, (sn_vec3){ 0.95f, 0.74f, 0.26f }, disc(across, (v - 0.38f) * 4, 0.2f, 0.1f));
    return mix(color, (sn_vec3){ 0.95f, 0.74f, 0.26f }, v > 0.66f && v < 0.78f ? 1 : 0);
}

static sn_vec3 sword_color(float u, float v)
{
    const float grain = v * 5 - (float)(int)(v * 5);
    const sn_vec3 wood = mix((sn_vec3){ 0.80f, 0.60f, 0.36f }, (sn_vec3){ 0.66f, 0.46f, 0.26f }, grain * grain);
    return u > 0.5f ? mix((sn_vec3){ 0.52f, 0.24f, 0.16f }, INK, grain > 0.6f ? 0.5f : 0) : wood;
}

static sn_vec3 color_at(float u, float v)
{
    if (v < SQUARE) {
        const float x = u / SQUARE, y = v / SQUARE;
        const float s = limit((x - (float)(int)x - 0.04f) / 0.92f, 0, 1), t = limit((y - 0.04f) / 0.92f, 0, 1);
        return x < 1 ? eye_color(2 * s - 1, 1 - 2 * t) : x < 2 ? hat_color(s, t) : x < 3 ? sword_color(s, t) : INK;
    }
    const float y = HIGHEST - (v - SQUARE) / (1 - SQUARE) * HEIGHT, across = u < 0.5f ? 2 * u : 2 - 2 * u;
    const float x = LEFTMOST + across * WIDTH;
    const sn_vec3 color = u < 0.5f ? front_color(x, y) : back_color(x, y);
    return mix(color, (sn_vec3){ 0, 0, 0 }, limit(0.18f - 0.25f * y, 0, 1));
}

void kobold_paint(uint8_t rgba[KOBOLD_TEXTURE][KOBOLD_TEXTURE][4])
{
    for (int y = 0; y < KOBOLD_TEXTURE; y++) {
        for (int x = 0; x < KOBOLD_TEXTURE; x++) {
            const sn_vec3 c = color_at(((float)x + 0.5f) / KOBOLD_TEXTURE, ((float)y + 0.5f) / KOBOLD_TEXTURE);
            const float parts[3] = { c.x, c.y, c.z };
            for (int i = 0; i < 3; i++) rgba[y][x][i] = (uint8_t)((int)(limit(parts[i], 0, 1) * 31 + 0.5f) * 255 / 31);
            rgba[y][x][3] = 255;
        }
    }
}

// The body

enum { MOST_CELLS = 64 };

// The grid of one mesh: the distance at each corner, and the vertices of each cell, seen from the front and from
// behind.
static float corner[MOST_CELLS + 1][MOST_CELLS + 1][MOST_CELLS + 1];
static sn_vec3 in_cell[MOST_CELLS][MOST_CELLS][MOST_CELLS];
static uint32_t cell_vertex[MOST_CELLS][MOST_CELLS][MOST_CELLS][2];  // the index + 1; 0: none yet

static sn_vec3 grid_point(float cell, int x, int y, int z)
{
    const float half = (float)(int)(SIZE.x / cell) / 2;
    return (sn_vec3){ LEAST.x + ((float)x - half) * cell, LEAST.y + (float)y * cell, LEAST.z + (float)z * cell };
}

// Where the surface crosses the edges of a cell, on average, moved onto the surface.
static sn_vec3 surface_in(float cell, int x, int y, int z)
{
    sn_vec3 sum = { 0 };
    int count = 0;
    for (int edge = 0; edge < 12; edge++) {
        const int axis = edge / 4, u = edge % 2, v = edge / 2 % 2;
        int a[3] = { x, y, z }, b[3];
        a[(axis + 1) % 3] += u, a[(axis + 2) % 3] += v;
        memcpy(b, a, sizeof b);
        b[axis]++;
        const float da = corner[a[0]][a[1]][a[2]], db = corner[b[0]][b[1]][b[2]];
        if ((da < 0) == (db < 0)) continue;
        const sn_vec3 from = grid_point(cell, a[0], a[1], a[2]), to = grid_point(cell, b[0], b[1], b[2]);
        const sn_vec3 hit = along(from, da / (da - db), minus(to, from));
        sum = along(sum, 1, hit), count++;
    }
    sn_vec3 p = { sum.x / (float)count, sum.y / (float)count, sum.z / (float)count };
    for (int i = 0; i < 3; i++) p = along(p, -distance(p, NULL), gradient(p));
    return p;
}

static uint32_t body_vertex(kobold_mesh *mesh, const int at[3], bool is_front)
{
    uint32_t *known = &cell_vertex[at[0]][at[1]][at[2]][is_front];
    if (*known == 0) {
        const sn_vec3 p = in_cell[at[0]][at[1]][at[2]];
        const uint32_t vertex = add_vertex(mesh, p, gradient(p), body_uv(p, is_front));
        find_weights(p, mesh->joints[vertex], mesh->weights[vertex]);
        *known = vertex + 1;
    }
    return *known - 1;
}

// A quad of the four cells around an edge that the surface crosses, as two triangles, each seen from one side.
static void add_quad(kobold_mesh *mesh, const int at[3], int axis, bool is_flipped)
{
    int cells[4][3];
    for (int i = 0; i < 4; i++) {
        memcpy(cells[i], at, sizeof cells[i]);
        cells[i][(axis + 1) % 3] -= i == 1 || i == 2;
        cells[i][(axis + 2) % 3] -= i >= 2;
    }
    for (int half = 0; half < 2; half++) {
        const int order[3] = { 0, is_flipped ? 2 + half : 1 + half, is_flipped ? 1 + half : 2 + half };
        sn_vec3 p[3];
        for (int i = 0; i < 3; i++) p[i] = in_cell[cells[order[i]][0]][cells[order[i]][1]][cells[order[i]][2]];
        const bool is_tail = p[0].z < -0.125f;  // its tip would be painted like the belly
        const bool is_front = !is_tail && cross(minus(p[1], p[0]), minus(p[2], p[0])).z >= 0;
        uint32_t v[3];
        for (int i = 0; i < 3; i++) v[i] = body_vertex(mesh, cells[order[i]], is_front);
        add_triangle(mesh, v[0], v[1], v[2]);
    }
}

// A ball with its texture projected from the front.
static void add_eye(kobold_mesh *mesh, sn_vec3 center, float radius, int steps)
{
    static const float circle[17] = { 0,  0.38268343f,  0.70710678f,  0.92387953f,
                                      1,  0.92387953f,  0.70710678f,  0.38268343f,
                                      0,  -0.38268343f, -0.70710678f, -0.92387953f,
                                      -1, -0.92387953f, -0.70710678f, -0.38268343f,
                                      0 };
    const int skip = 8 / steps;  // of `circle`, a sine in steps of a sixteenth of a turn
    const uint32_t first = mesh->vertex_count;
    for (int ring = 0; ring <= steps; ring++) {
        for (int k = 0; k < 2 * steps; k++) {
            const float s = circle[ring * skip], c = circle[(ring * skip + 4) % 16];
            const sn_vec3 n = { s * circle[(k * skip + 4) % 16], s * circle[k * skip], c };
            const uint32_t v = add_vertex(mesh, along(center, radius, n), n,
                                          square_uv(0, 0.5f + n.x / 2, 0.5f - n.y / 2));
            mesh->joints[v][0] = HEAD;
        }
    }
    for (int ring = 0; ring < steps; ring++) {
        for (int k = 0; k < 2 * steps; k++) {
            const uint32_t width = 2 * (uint32_t)steps, next = (uint32_t)(k + 1) % width;
            const uint32_t a = first + (uint32_t)ring * width + (uint32_t)k, b = first + (uint32_t)ring * width + next;
            if (ring < steps - 1) add_triangle(mesh, a, a + width, b + width);
            if (ring > 0) add_triangle(mesh, a, b + width, b);
        }
    }
}

void kobold_make_body(kobold_mesh *mesh, float cell)
{
    const int nx = (int)(SIZE.x / cell), ny = (int)(SIZE.y / cell), nz = (int)(SIZE.z / cell);
    mesh->vertex_count = mesh->index_count = 0;
    memset(cell_vertex, 0, sizeof cell_vertex);
    for (int x = 0; x <= nx; x++)
        for (int y = 0; y <= ny; y++)
            for (int z = 0; z <= nz; z++) corner[x][y][z] = distance(grid_point(cell, x, y, z), NULL);
    for (int x = 0; x < nx; x++) {
        for (int y = 0; y < ny; y++) {
            for (int z = 0; z < nz; z++) {
                int inside = 0;
                for (int i = 0; i < 8; i++) inside += corner[x + (i & 1)][y + (i >> 1 & 1)][z + (i >> 2)] < 0;
                if (inside > 0 && inside < 8) in_cell[x][y][z] = surface_in(cell, x, y, z);
            }
        }
    }
    for (int x = 1; x < nx; x++) {
        for (int y = 1; y < ny; y++) {
            for (int z = 1; z < nz; z++) {
                const int at[3] = { x, y, z };
                const bool is_inside = corner[x][y][z] < 0;
                if (is_inside != (corner[x + 1][y][z] < 0)) add_quad(mesh, at, 0, !is_inside);
                if (is_inside != (corner[x][y + 1][z] < 0)) add_quad(mesh, at, 1, !is_inside);
                if (is_inside != (corner[x][y][z + 1] < 0)) add_quad(mesh, at, 2, !is_inside);
            }
        }
    }
    for (int side = -1; side <= 1; side += 2)
        add_eye(mesh, (sn_vec3){ 0.082f * (float)side, 0.745f, 0.118f }, 0.054f, cell < 0.04f ? 8 : 4);
}

// The hat and the sword

static const sn_vec2 twelfths[12] = { { 0.9659258f, 0.2588190f },   { 0.7071068f, 0.7071068f },
                                      { 0.2588190f, 0.9659258f },   { -0.2588190f, 0.9659258f },
                                      { -0.7071068f, 0.7071068f },  { -0.9659258f, 0.2588190f },
                                      { -0.9659258f, -0.2588190f }, { -0.7071068f, -0.7071068f },
                                      { -0.2588190f, -0.9659258f }, { 0.2588190f, -0.9659258f },
                                      { 0.7071068f, -0.7071068f },  { 0.9659258f, -0.2588190f } };

// Rings from the inside over the brim to the tip, which hangs to the back.
void kobold_make_hat(kobold_mesh *mesh)
{
    static const struct {
        float radius, height, back, v;
        bool is_inside;
    } rings[] = { { 0.02f, 0.03f, 0, 0.9f, true },
                  { 0.19f, -0.012f, 0, 0.98f, true },
                  { 0.19f, 0, 0, 1, false },
                  { 0.115f, 0.025f, 0, 0.8f, false },
                  { 0.105f, 0.06f, 0, 0.66f, false },
                  { 0.078f, 0.13f, 0.005f, 0.45f, false },
                  { 0.048f, 0.20f, 0.03f, 0.25f, false },
                  { 0.022f, 0.25f, 0.075f, 0.1f, false },
                  { 0.002f, 0.262f, 0.12f, 0, false } };
    enum { RINGS = sizeof rings / sizeof *rings, SIDES = 13 };  // the first side again, with u = 1
    mesh->vertex_count = mesh->index_count = 0;
    for (int r = 0; r < RINGS; r++) {
        for (int k = 0; k < SIDES; k++) {
            const int other = r + 1 < RINGS ? r + 1 : r, from = r + 1 < RINGS ? r : r - 1;
            const sn_vec2 at = twelfths[k % 12];
            const float slope = rings[other].height - rings[from].height, in = rings[from].radius - rings[other].radius;
            const sn_vec3 normal = unit((sn_vec3){ slope * at.x, in, slope * at.y });
            add_vertex(mesh,
                       (sn_vec3){ rings[r].radius * at.x, rings[r].height, rings[r].radius * at.y - rings[r].back },
                       normal, square_uv(rings[r].is_inside ? 3 : 1, (float)k / 12, rings[r].v));
        }
    }
    for (uint32_t r = 0; r + 1 < RINGS; r++) {
        for (uint32_t k = 0; k + 1 < SIDES; k++) {
            const uint32_t a = r * SIDES + k, b = a + SIDES;
            add_triangle(mesh, a, b, b + 1);
            add_triangle(mesh, a, b + 1, a + 1);
        }
    }
}

// A box whose top may be narrower.
static void add_box(kobold_mesh *mesh, sn_vec3 least, sn_vec3 most, float narrow, bool is_grip)
{
    const sn_vec3 center = { (least.x + most.x) / 2, (least.y + most.y) / 2, (least.z + most.z) / 2 };
    const float half[3] = { (most.x - least.x) / 2, (most.y - least.y) / 2, (most.z - least.z) / 2 };
    for (int face = 0; face < 6; face++) {
        const int axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        const float sign = face % 2 ? -1.0f : 1.0f;
        const uint32_t first = mesh->vertex_count;
        for (int i = 0; i < 4; i++) {
            float at[3], normal[3] = { 0 };
            at[axis] = sign, at[u] = (i == 1 || i == 2 ? 1.0f : -1.0f) * sign, at[v] = i >= 2 ? 1.0f : -1.0f;
            const float scale = at[1] > 0 ? narrow : 1;
            normal[axis] = sign;
            add_vertex(mesh,
                       (sn_vec3){ center.x + at[0] * half[0] * scale, center.y + at[1] * half[1],
                                  center.z + at[2] * half[2] * scale },
                       (sn_vec3){ normal[0], normal[1], normal[2] },
                       square_uv(2, is_grip ? 0.75f + at[0] * 0.2f : 0.25f + at[0] * 0.2f, 0.5f + at[1] * 0.45f));
        }
        add_triangle(mesh, first, first + 1, first + 2);
        add_triangle(mesh, first, first + 2, first + 3);
    }
}

void kobold_make_sword(kobold_mesh *mesh)
{
    mesh->vertex_count = mesh->index_count = 0;
    add_box(mesh, (sn_vec3){ -0.014f, -0.07f, -0.014f }, (sn_vec3){ 0.014f, 0.055f, 0.014f }, 1, true);
    add_box(mesh, (sn_vec3){ -0.065f, 0.055f, -0.018f }, (sn_vec3){ 0.065f, 0.085f, 0.018f }, 0.9f, true);
    add_box(mesh, (sn_vec3){ -0.030f, 0.085f, -0.009f }, (sn_vec3){ 0.030f, 0.33f, 0.009f }, 0.9f, false);
    add_box(mesh, (sn_vec3){ -0.027f, 0.33f, -0.0081f }, (sn_vec3){ 0.027f, 0.40f, 0.0081f }, 0.1f, false);
}
