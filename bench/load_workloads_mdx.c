// Grids of 40,000 vertices, as many geosets as it takes: 65,536 is the most that one can count.
#include "load_workloads.h"

#include "load_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FULL_SIDE = 200, SMALL_SIDE = 8, NODES = 2 };  // the model and its bone

typedef struct grid {
    uint32_t side, vertices, indices, geosets;
} grid;

static grid make_grid(bool small, uint32_t geosets)
{
    uint32_t side = small ? SMALL_SIDE : FULL_SIDE;
    return (grid){ side, side * side, 6 * (side - 1) * (side - 1), small ? 2 : geosets };
}

static void position_of(const grid *g, uint32_t geoset, uint32_t i, float out[3])
{
    out[0] = 1.37f * (float)(i % g->side);
    out[1] = 1.37f * (float)(i / g->side);
    out[2] = 10.0f * sinf(0.11f * out[0]) * cosf(0.07f * out[1]) + 30.0f * (float)geoset;
}

static void index_of(const grid *g, uint32_t face, uint32_t out[6])
{
    uint32_t row = face / (g->side - 1), column = face % (g->side - 1), at = row * g->side + column;
    const uint32_t corners[6] = { at, at + 1, at + g->side, at + 1, at + g->side + 1, at + g->side };
    memcpy(out, corners, sizeof corners);
}

static void put_tag(text *out, const char *tag, uint32_t value)
{
    text_bytes(out, tag, 4);
    text_u32(out, value);
}

static void put_field(text *out, const char *name, size_t size)
{
    static const char zeros[512];
    text_bytes(out, name, strlen(name));
    text_bytes(out, zeros, size - strlen(name));
}

static void put_extent(text *out) { text_floats(out, (const float[]){ 500, 0, 0, -10, 300, 300, 800 }, 7); }

static void put_geoset(text *out, const grid *g, uint32_t geoset)
{
    uint32_t size = 4 + 11 * 8 + 4 * 4 + 12 + 28 + 4 + 33 * g->vertices + 2 * g->indices - 8;
    float v[3];
    text_u32(out, size);
    put_tag(out, "VRTX", g->vertices);
    for (uint32_t i = 0; i < g->vertices; i++) position_of(g, geoset, i, v), text_floats(out, v, 3);
    put_tag(out, "NRMS", g->vertices);
    for (uint32_t i = 0; i < g->vertices; i++) text_floats(out, (const float[]){ 0, 0.6f, 0.8f }, 3);
    put_tag(out, "PTYP", 1), text_u32(out, 4);
    put_tag(out, "PCNT", 1), text_u32(out, g->indices);
    put_tag(out, "PVTX", g->indices);
    for (uint32_t face = 0; face < g->indices / 6; face++) {
        uint32_t corners[6];
        index_of(g, face, corners);
        for (int k = 0; k < 6; k++)
            text_bytes(out, (const uint8_t[]){ (uint8_t)corners[k], (uint8_t)(corners[k] >> 8) }, 2);
    }
    put_tag(out, "GNDX", g->vertices);
    for (uint32_t i = 0; i < g->vertices; i++) text_bytes(out, "\0", 1);
    put_tag(out, "MTGC", 1), text_u32(out, 1);
    put_tag(out, "MATS", 1), text_u32(out, 0);
    text_u32(out, 0), text_u32(out, 0), text_u32(out, 0);
    put_extent(out);
    text_u32(out, 0);
    put_tag(out, "UVAS", 1);
    put_tag(out, "UVBS", g->vertices);
    for (uint32_t i = 0; i < g->vertices; i++) position_of(g, geoset, i, v), text_floats(out, v, 2);
}

static bool write_mdx(const char *path, grid g, load_counts *counts)
{
    text head = { 0 }, geosets = { 0 }, tail = { 0 };
    text_bytes(&head, "MDLX", 4);
    put_tag(&head, "VERS", 4), text_u32(&head, 800);
    put_tag(&head, "MODL", 372), put_field(&head, "Grids", 80), put_field(&head, "", 260), put_extent(&head),
        text_u32(&head, 150);
    put_tag(&head, "SEQS", 132), put_field(&head, "Stand", 80), text_u32(&head, 0), text_u32(&head, 1000);
    for (int i = 0; i < 4; i++) text_u32(&head, 0);
    put_extent(&head);
    put_tag(&head, "MTLS", 48), text_u32(&head, 48), text_u32(&head, 0), text_u32(&head, 0), put_tag(&head, "LAYS", 1);
    for (int i = 0; i < 6; i++) text_u32(&head, i == 0 ? 28 : i == 4 ? UINT32_MAX : 0);
    text_floats(&head, (const float[]){ 1 }, 1);
    put_tag(&head, "TEXS", 268), text_u32(&head, 1), put_field(&head, "", 260), text_u32(&head, 0);
    for (uint32_t i = 0; i < g.geosets; i++) put_geoset(&geosets, &g, i);
    put_tag(&head, "GEOS", (uint32_t)geosets.size);
    put_tag(&tail, "BONE", 104), text_u32(&tail, 96), put_field(&tail, "Root", 80), text_u32(&tail, 0),
        text_u32(&tail, UINT32_MAX);
    text_u32(&tail, 256), text_u32(&tail, UINT32_MAX), text_u32(&tail, UINT32_MAX);
    put_tag(&tail, "PIVT", 12), text_floats(&tail, (const float[]){ 0, 0, 0 }, 3);
    *counts = (load_counts){ NODES, (uint64_t)g.geosets * g.vertices, 1 };
    bool is_written = text_write(path, (text[]){ head, geosets, tail }, 3);
    free(head.data), free(geosets.data), free(tail.data);
    return is_written;
}

bool write_mdx_heavy(const char *path, bool small, load_counts *counts)
{
    return write_mdx(path, make_grid(small, 1), counts);
}

bool write_mdx_huge(const char *path, bool small, load_counts *counts)
{
    return write_mdx(path, make_grid(small, 25), counts);
}

static void say_vectors(text *out, const grid *g, uint32_t geoset, const char *word, int width)
{
    float v[3];
    text_put(out, "\t%s %u {\n", word, g->vertices);
    for (uint32_t i = 0; i < g->vertices; i++) {
        position_of(g, geoset, i, v);
        if (width == 3) text_put(out, "\t\t{ %.6g, %.6g, %.6g },\n", (double)v[0], (double)v[1], (double)v[2]);
        else text_put(out, "\t\t{ %.6g, %.6g },\n", (double)v[0], (double)v[1]);
    }
    text_put(out, "\t}\n");
}

static void say_geoset(text *out, const grid *g, uint32_t geoset)
{
    text_put(out, "Geoset {\n");
    say_vectors(out, g, geoset, "Vertices", 3);
    say_vectors(out, g, geoset, "Normals", 3);
    say_vectors(out, g, geoset, "TVertices", 2);
    text_put(out, "\tVertexGroup {\n");
    for (uint32_t i = 0; i < g->vertices; i++) text_put(out, "\t\t0,\n");
    text_put(out, "\t}\n\tFaces 1 %u {\n\t\tTriangles {\n\t\t\t{ ", g->indices);
    for (uint32_t face = 0; face < g->indices / 6; face++) {
        uint32_t corners[6];
        index_of(g, face, corners);
        for (int k = 0; k < 6; k++) text_put(out, "%s%u", face + (uint32_t)k > 0 ? ", " : "", corners[k]);
    }
    text_put(out,
             " },\n\t\t}\n\t}\n\tGroups 1 1 {\n\t\tMatrices { 0 },\n\t}\n\tMaterialID 0,\n\tSelectionGroup 0,\n}\n");
}

bool write_mdl_heavy(const char *path, bool small, load_counts *counts)
{
    grid g = make_grid(small, 5);
    text out = { 0 };
    text_put(&out, "Version {\n\tFormatVersion 800,\n}\nModel \"Grids\" {\n\tBlendTime 150,\n}\nSequences 1 {\n\tAnim "
                   "\"Stand\" {\n\t\tInterval { 0, 1000 },\n\t}\n}\n");
    text_put(&out, "Textures 1 {\n\tBitmap {\n\t\tImage \"\",\n\t\tReplaceableId 1,\n\t}\n}\nMaterials 1 {\n\tMaterial "
                   "{\n\t\tLayer {\n\t\t\tFilterMode None,\n\t\t\tstatic TextureID 0,\n\t\t}\n\t}\n}\n");
    for (uint32_t i = 0; i < g.geosets; i++) say_geoset(&out, &g, i);
    text_put(&out, "Bone \"Root\" {\n\tObjectId 0,\n}\nPivotPoints 1 {\n\t{ 0, 0, 0 },\n}\n");
    *counts = (load_counts){ NODES, (uint64_t)g.geosets * g.vertices, 1 };
    bool is_written = text_write(path, &out, 1);
    free(out.data);
    return is_written;
}
