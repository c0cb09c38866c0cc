// Grids as Level-5's games keep them: arrays of four floats, and strips whose corners name each of them.
#include "load_workloads.h"

#include "load_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESHES = 16, HEADER_BYTES = 16, NODE_BYTES = 112, MDT_BYTES = 64, MATERIAL_BYTES = 96 };

static void put_node(text *out, uint32_t index, uint32_t mesh_offset)
{
    const float identity[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
    char name[32] = { 0 };
    snprintf(name, sizeof name, "grid%02u", index % 100);
    text_u32(out, index);
    text_u32(out, NODE_BYTES);
    text_bytes(out, name, sizeof name);
    text_u32(out, mesh_offset);
    text_u32(out, index > 0 ? 0 : UINT32_MAX);
    text_floats(out, identity, 16);
}

// One strip for each row: the corners below and above in turn, each with the normal and the texture coordinates of its
// number.
static void put_strips(text *out, uint32_t side)
{
    for (uint32_t row = 0; row + 1 < side; row++) {
        const uint32_t header[3] = { 4, side * 2, 0 };
        for (int i = 0; i < 3; i++) text_u32(out, header[i]);
        for (uint32_t i = 0; i < side * 2; i++) {
            uint32_t corner = (row + i % 2) * side + i / 2;
            for (int k = 0; k < 3; k++) text_u32(out, corner);
        }
    }
}

static uint32_t face_bytes(uint32_t side) { return HEADER_BYTES + (side - 1) * (12 + side * 2 * 12); }

static uint32_t align16(uint32_t size) { return (size + 15) & ~15u; }

static uint32_t mesh_bytes(uint32_t side)
{
    return MDT_BYTES + side * side * 48 + align16(face_bytes(side)) + MATERIAL_BYTES;
}

static void put_header(text *out, uint32_t side)
{
    uint32_t count = side * side, array = count * 16, faces = MDT_BYTES + array * 3,
             materials = faces + align16(face_bytes(side));
    const uint32_t words[16] = { 'M' | 'D' << 8 | 'T' << 16,
                                 MDT_BYTES,
                                 mesh_bytes(side),
                                 count,
                                 MDT_BYTES,
                                 count,
                                 MDT_BYTES + array,
                                 0,
                                 0,
                                 face_bytes(side),
                                 faces,
                                 count,
                                 MDT_BYTES + array * 2,
                                 1,
                                 materials,
                                 0 };
    for (int i = 0; i < 16; i++) text_u32(out, words[i]);
}

static void put_mesh(text *out, uint64_t *seed, uint32_t side)
{
    static const float material[24] = { 1, 1, 1, 1 };
    put_header(out, side);
    for (uint32_t i = 0; i < side * side; i++)
        text_floats(out, (float[]){ (float)(i % side), (float)(i / side), seed_float(seed, 0.0f, 1.0f), 1 }, 4);
    for (uint32_t i = 0; i < side * side; i++) {
        float normal[4] = { 0, 0, 0, 0 };
        seed_unit(seed, normal, 3);
        text_floats(out, normal, 4);
    }
    for (uint32_t i = 0; i < side * side; i++)
        text_floats(out, (float[]){ (float)(i % side) / (float)side, (float)(i / side) / (float)side, 1, 0 }, 4);
    const uint32_t faces[4] = { 0, HEADER_BYTES, side - 1, 0 };
    for (int i = 0; i < 4; i++) text_u32(out, faces[i]);
    put_strips(out, side);
    for (uint32_t at = face_bytes(side); at < align16(face_bytes(side)); at += 4) text_u32(out, 0);
    text_floats(out, material, 24);
}

bool write_mds_heavy(const char *path, bool small, load_counts *counts)
{
    uint32_t side = small ? 8 : 250;
    uint64_t seed = 5;
    text out = { 0 };
    const uint32_t header[4] = { 'M' | 'D' << 8 | 'S' << 16, 1, MESHES, HEADER_BYTES };
    for (int i = 0; i < 4; i++) text_u32(&out, header[i]);
    for (uint32_t i = 0; i < MESHES; i++) put_node(&out, i, HEADER_BYTES + MESHES * NODE_BYTES + i * mesh_bytes(side));
    for (uint32_t i = 0; i < MESHES; i++) put_mesh(&out, &seed, side);
    *counts = (load_counts){ .nodes = MESHES, .vertices = (uint64_t)MESHES * side * side };
    bool is_written = text_write(path, &out, 1);
    free(out.data);
    return is_written;
}
