#include "draco_shapes.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct corner {
    float position[3], normal[3], texcoord[2];
} corner;

static uint32_t face_count;
static float positions[DRACO_SHAPE_FACES * 3][3], normals[DRACO_SHAPE_FACES * 3][3],
    texcoords[DRACO_SHAPE_FACES * 3][2];
static uint8_t colors[DRACO_SHAPE_FACES * 3][4];
static uint16_t joints[DRACO_SHAPE_FACES * 3][4];
static float weights[DRACO_SHAPE_FACES * 3][4];

static void add_face(corner a, corner b, corner c)
{
    const corner corners[3] = { a, b, c };
    assert(face_count < DRACO_SHAPE_FACES);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t at = face_count * 3 + i;
        const float *p = corners[i].position;
        memcpy(positions[at], p, sizeof positions[at]);
        memcpy(normals[at], corners[i].normal, sizeof normals[at]);
        memcpy(texcoords[at], corners[i].texcoord, sizeof texcoords[at]);
        float height = (p[2] + 2.0f) / 4.0f;
        memcpy(colors[at], (uint8_t[4]){ (uint8_t)(p[0] * 20.0f + 100.0f), (uint8_t)(face_count / 40 * 9), 7, 255 }, 4);
        memcpy(joints[at], (uint16_t[4]){ (uint16_t)(p[1] * 3.0f + 30.0f), (uint16_t)(300 + i / 4), 0, 1 },
               sizeof joints[at]);
        memcpy(weights[at], (float[4]){ height, 1.0f - height, 0, 0 }, sizeof weights[at]);
    }
    face_count++;
}

typedef corner surface(float u, float v);

// A sheet of columns x rows quads over a surface; `hole`: every so many quads one is left out.
static void add_sheet(surface *at, int columns, int rows, int hole)
{
    for (int y = 0; y < rows; y++) {
        for (int x = 0; x < columns; x++) {
            if (hole > 0 && (y * columns + x) % hole == hole - 1) continue;
            float u0 = (float)x / (float)columns, u1 = (float)(x + 1) / (float)columns;
            float v0 = (float)y / (float)rows, v1 = (float)(y + 1) / (float)rows;
            corner a = at(u0, v0), b = at(u1, v0), c = at(u0, v1), d = at(u1, v1);
            add_face(a, b, c);
            add_face(c, b, d);
        }
    }
}

// Numbers are rounded, so that both ends of a closed surface have the same positions.
static float rounded(float value) { return roundf(value * 4096.0f) / 4096.0f; }

static corner make_corner(float x, float y, float z, float nx, float ny, float nz, float u, float v)
{
    float length = sqrtf(nx * nx + ny * ny + nz * nz);
    if (length < 1e-6f) length = 1.0f;
    return (corner){ { rounded(x), rounded(y), rounded(z) },
                     { rounded(nx / length), rounded(ny / length), rounded(nz / length) },
                     { u, v } };
}

static const float turn = 6.2831853f;

static corner wave(float u, float v)
{
    float slope = cosf(u * turn) * 0.4f;
    return make_corner(u * 4, v * 3, sinf(u * turn) * 0.3f + v * v, -slope, -2 * v, 1, u, v);
}

static corner plane(float u, float v) { return make_corner(u, v, 0, 0, 0, 1, u, v); }
static corner plane_aside(float u, float v) { return make_corner(u + 3, v, 0.5f, 0, 0, 1, v, u); }

static corner torus(float u, float v)
{
    float a = u * turn, b = v * turn, r = 1.0f + 0.4f * cosf(b);
    return make_corner(r * cosf(a), r * sinf(a), 0.4f * sinf(b), cosf(b) * cosf(a), cosf(b) * sinf(a), sinf(b), u, v);
}

static corner torus_aside(float u, float v)
{
    corner c = torus(v, u);
    c.position[0] += 4.0f;
    return c;
}

// The poles make faces with two equal corners.
static corner sphere(float u, float v)
{
    float a = u * turn, b = v * turn / 2, r = sinf(b);
    return make_corner(r * cosf(a), r * sinf(a), cosf(b), r * cosf(a), r * sinf(a), cosf(b), u, v);
}

static corner moebius(float u, float v)
{
    float a = u * turn, w = v - 0.5f, r = 1.0f + w * cosf(a / 2);
    return make_corner(r * cosf(a), r * sinf(a), w * sinf(a / 2), cosf(a), sinf(a), 1, u, v);
}

// Flat shading: each face has its own normal, so that every edge is a seam.
static void flatten_normals(void)
{
    for (uint32_t f = 0; f < face_count; f++)
        for (uint32_t i = 0; i < 3; i++) memcpy(normals[f * 3 + i], normals[f * 3], sizeof normals[0]);
}

static void add_cube(void)
{
    for (int axis = 0; axis < 3; axis++) {
        for (int side = -1; side <= 1; side += 2) {
            corner c[4];
            for (int i = 0; i < 4; i++) {
                memset(&c[i], 0, sizeof c[i]);
                float s = i % 2 ? 1.0f : -1.0f, t = i / 2 ? 1.0f : -1.0f;
                c[i].position[axis] = c[i].normal[axis] = (float)side;
                c[i].position[(axis + 1) % 3] = s * (float)side;
                c[i].position[(axis + 2) % 3] = t;
                c[i].texcoord[0] = (s + 1) / 2, c[i].texcoord[1] = (t + 1) / 2;
            }
            add_face(c[0], c[1], c[2]);
            add_face(c[2], c[1], c[3]);
        }
    }
}

// Three faces at one edge, two fans that touch at a point, a face twice, and one the other way around.
static void add_bad_faces(void)
{
    corner o = plane(0, 0), x = plane(1, 0), y = plane(0, 1), z = make_corner(0, 0, 1, 1, 0, 0, 0, 0);
    corner far = make_corner(0, 0, -1, 1, 0, 0, 1, 1), side = make_corner(-1, -1, 0, 0, 0, 1, 0, 1);
    add_face(o, x, y);
    add_face(o, x, z);
    add_face(o, x, far);
    add_face(o, side, make_corner(-1, -2, 0, 0, 0, 1, 0, 1));
    add_face(o, x, y);
    add_face(y, x, o);
    add_face(o, o, x);
}

static void add_noise(void)
{
    uint32_t state = 1;
    for (int i = 0; i < 150; i++) {
        corner c[3];
        for (int k = 0; k < 3; k++) {
            state = state * 1664525u + 1013904223u;
            c[k] = make_corner((float)(state >> 8 & 3), (float)(state >> 12 & 3), (float)(state >> 16 & 3),
                               (float)(state >> 20 & 3), 1, (float)(state >> 24 & 1), (float)(state >> 25 & 3), 0);
        }
        add_face(c[0], c[1], c[2]);
    }
}

static const char *const names[DRACO_SHAPES + 1] = {
    "triangle", "quad",    "cube", "wave",  "holes",      "sphere",     "torus",       "two tori",
    "planes",   "moebius", "bad",  "noise", "flat torus", "everything", "large torus",
};

const char *draco_shape_name(int shape) { return names[shape]; }

draco_soup draco_shape(int shape, bool has_all_attributes)
{
    face_count = 0;
    switch (shape) {
    case 0: add_face(plane(0, 0), plane(1, 0), plane(0, 1)); break;
    case 1: add_sheet(plane, 1, 1, 0); break;
    case 2: add_cube(); break;
    case 3: add_sheet(wave, 17, 13, 0); break;
    case 4: add_sheet(wave, 8, 9, 7); break;
    case 5: add_sheet(sphere, 8, 5, 0); break;
    case 6: add_sheet(torus, 8, 6, 0); break;
    case 7: add_sheet(torus, 12, 9, 5), add_sheet(torus_aside, 13, 8, 0); break;
    case 8: add_sheet(plane, 5, 7, 0), add_sheet(plane_aside, 6, 3, 0); break;
    case 9: add_sheet(moebius, 10, 2, 0); break;
    case 10: add_bad_faces(); break;
    case 11: add_noise(); break;
    case 12: add_sheet(torus, 5, 4, 0), flatten_normals(); break;
    case DRACO_LARGE_SHAPE: add_sheet(torus, 110, 100, 0); break;
    default: add_bad_faces(), add_cube(), add_sheet(sphere, 9, 7, 11), add_sheet(torus_aside, 14, 9, 6), add_noise();
    }
    draco_soup soup = { .face_count = face_count, .positions = positions[0] };
    if (has_all_attributes) {
        soup.normals = normals[0];
        soup.texcoords = texcoords[0];
        soup.colors = colors[0];
        soup.joints = joints[0];
        soup.weights = weights[0];
    }
    return soup;
}
