// Grids of 40,000 vertices, as many geosets as it takes: 65,536 is the most that one can count.
#include "load_workloads.h"

#include "load_text.h"

#include <math.h>
#include <stdio.h>
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

static void put_sequence(text *out)
{
    put_tag(out, "SEQS", 132), put_field(out, "Stand", 80), text_u32(out, 0), text_u32(out, 1000);
    for (int i = 0; i < 4; i++) text_u32(out, 0);
    put_extent(out);
}

static void put_material(text *out, uint32_t texture)
{
    text_u32(out, 48), text_u32(out, 0), text_u32(out, 0), put_tag(out, "LAYS", 1);
    const uint32_t layer[6] = { 28, 0, 0, texture, UINT32_MAX, 0 };
    for (int i = 0; i < 6; i++) text_u32(out, layer[i]);
    text_floats(out, (const float[]){ 1 }, 1);
}

static bool write_mdx(const char *path, grid g, load_counts *counts)
{
    text head = { 0 }, geosets = { 0 }, tail = { 0 };
    text_bytes(&head, "MDLX", 4);
    put_tag(&head, "VERS", 4), text_u32(&head, 800);
    put_tag(&head, "MODL", 372), put_field(&head, "Grids", 80), put_field(&head, "", 260), put_extent(&head),
        text_u32(&head, 150);
    put_sequence(&head);
    put_tag(&head, "MTLS", 48), put_material(&head, 0);
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

// Sizes of 2,003 models of maps: 0.9 KB at least, then the deciles and quarters below.
static uint32_t draw_size(uint64_t *seed)
{
    static const struct {
        float share, bytes;
    } sizes[] = { { 0, 900 },       { 0.1f, 2500 },   { 0.25f, 5600 }, { 0.5f, 19600 },
                  { 0.75f, 91700 }, { 0.9f, 256700 }, { 1, 1e6f } };
    float share = seed_float(seed, 0.0f, 1.0f);
    int at = 1;
    while (share > sizes[at].share) at++;
    float part = (share - sizes[at - 1].share) / (sizes[at].share - sizes[at - 1].share);
    return (uint32_t)(sizes[at - 1].bytes * powf(sizes[at].bytes / sizes[at - 1].bytes, part));
}

static void put_track(text *out, uint64_t *seed, const char *tag, uint32_t keys, int width)
{
    put_tag(out, tag, keys), text_u32(out, 1), text_u32(out, UINT32_MAX);
    for (uint32_t i = 0; i < keys; i++) {
        float value[4];
        seed_unit(seed, value, width);
        text_u32(out, i * 1000 / keys);
        text_floats(out, value, (uint32_t)width);
    }
}

static void put_bone(text *out, uint64_t *seed, uint32_t number, uint32_t keys)
{
    char name[16];
    snprintf(name, sizeof name, "Bone_%02u", number);
    uint32_t moves = keys ? 16 + 16 * keys : 0, turns = keys ? 16 + 20 * keys : 0;
    text_u32(out, 96 + moves + turns), put_field(out, name, 80), text_u32(out, number);
    text_u32(out, number ? (number - 1) / 2 : UINT32_MAX), text_u32(out, 256);
    if (keys) put_track(out, seed, "KGTR", keys, 3), put_track(out, seed, "KGRT", keys, 4);
    text_u32(out, UINT32_MAX), text_u32(out, UINT32_MAX);
}

bool write_real_mdx(const char *path, uint32_t number, const char *texture, load_counts *counts)
{
    const char *const textures[] = { texture, "Textures\\Missing\\Armor.blp", "SHARED.BLP" };
    uint64_t seed = 5000 + number;
    const uint32_t size = draw_size(&seed), bones = 1 + size / 8000 % 60;
    const uint32_t keys = size / 2 / bones / 36;
    grid g = { .side = 2, .geosets = 1 + number % 3 };
    while (g.geosets * 46 * (g.side + 1) * (g.side + 1) < size / 2 && g.side < 200) g.side++;
    g.vertices = g.side * g.side, g.indices = 6 * (g.side - 1) * (g.side - 1);
    text out = { 0 }, geosets = { 0 }, tail = { 0 };
    text_bytes(&out, "MDLX", 4);
    put_tag(&out, "VERS", 4), text_u32(&out, 800);
    put_tag(&out, "MODL", 372), put_field(&out, "Real", 80), put_field(&out, "", 260), put_extent(&out);
    text_u32(&out, 150);
    put_sequence(&out);
    put_tag(&out, "MTLS", 3 * 48);
    for (uint32_t i = 0; i < 3; i++) put_material(&out, i);
    put_tag(&out, "TEXS", 3 * 268);
    for (uint32_t i = 0; i < 3; i++) text_u32(&out, 0), put_field(&out, textures[i], 260), text_u32(&out, 0);
    for (uint32_t i = 0; i < g.geosets; i++) put_geoset(&geosets, &g, i);
    put_tag(&out, "GEOS", (uint32_t)geosets.size);
    for (uint32_t i = 0; i < bones; i++) put_bone(&tail, &seed, i, keys);
    text bone_head = { 0 };
    put_tag(&bone_head, "BONE", (uint32_t)tail.size);
    put_tag(&tail, "PIVT", 12 * bones);
    for (uint32_t i = 0; i < bones; i++) text_floats(&tail, (const float[]){ 0, 0, (float)i }, 3);
    *counts = (load_counts){ bones + 1, (uint64_t)g.geosets * g.vertices, 1 };
    bool is_written = text_write(path, (text[]){ out, geosets, bone_head, tail }, 4);
    free(out.data), free(geosets.data), free(bone_head.data), free(tail.data);
    return is_written;
}

static void put_mdl_vectors(text *out, const grid *g, uint32_t geoset, const char *word, int width)
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

static void put_mdl_geoset(text *out, const grid *g, uint32_t geoset)
{
    text_put(out, "Geoset {\n");
    put_mdl_vectors(out, g, geoset, "Vertices", 3);
    put_mdl_vectors(out, g, geoset, "Normals", 3);
    put_mdl_vectors(out, g, geoset, "TVertices", 2);
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
    for (uint32_t i = 0; i < g.geosets; i++) put_mdl_geoset(&out, &g, i);
    text_put(&out, "Bone \"Root\" {\n\tObjectId 0,\n}\nPivotPoints 1 {\n\t{ 0, 0, 0 },\n}\n");
    *counts = (load_counts){ NODES, (uint64_t)g.geosets * g.vertices, 1 };
    bool is_written = text_write(path, &out, 1);
    free(out.data);
    return is_written;
}
