#include "load_workloads.h"

#include "load_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_vector(text *out, const char *name, const float *values, int count)
{
    text_put(out, ",\n      \"%s\": [\n", name);
    for (int i = 0; i < count; i++) text_put(out, "        %.9g%s\n", (double)values[i], i + 1 < count ? "," : "");
    text_put(out, "      ]");
}

// Children stand before their parents, as Blender writes them: node n - 1 is the root of a tree of fours.
static void put_node(text *out, uint64_t *seed, uint32_t index, uint32_t count)
{
    uint32_t rank = count - 1 - index;
    float translation[3], rotation[4], scale[3];
    for (int i = 0; i < 3; i++)
        translation[i] = seed_float(seed, -100.0f, 100.0f), scale[i] = seed_float(seed, 0.5f, 2.0f);
    seed_unit(seed, rotation, 4);
    text_put(out, "    {\n      \"name\": \"Object.%05" PRIu32 "\"", index);
    put_vector(out, "translation", translation, 3);
    put_vector(out, "rotation", rotation, 4);
    if (rank % 2 == 0) put_vector(out, "scale", scale, 3);
    for (uint32_t child = 4 * rank + 1; child <= 4 * rank + 4 && child < count; child++)
        text_put(out, "%s        %" PRIu32, child % 4 == 1 ? ",\n      \"children\": [\n" : ",\n", count - 1 - child);
    if (4 * rank + 1 < count) text_put(out, "\n      ]");
    text_put(out, "\n    }%s\n", index + 1 < count ? "," : "");
}

bool write_json_heavy(const char *path, bool small, load_counts *counts)
{
    uint32_t count = small ? 500 : 50000;
    uint64_t seed = 1;
    text out = { 0 };
    text_put(&out,
             "{\n  \"asset\": {\n    \"version\": \"2.0\",\n    \"generator\": \"bench_load\"\n  },\n  \"scene\": 0,\n"
             "  \"scenes\": [\n    {\n      \"nodes\": [\n        %" PRIu32 "\n      ]\n    }\n  ],\n  \"nodes\": [\n",
             count - 1);
    for (uint32_t i = 0; i < count; i++) put_node(&out, &seed, i, count);
    text_put(&out, "  ]\n}\n");
    *counts = (load_counts){ .nodes = count };
    bool is_written = text_write(path, &out, 1);
    free(out.data);
    return is_written;
}

static void put_grid(text *bin, uint32_t side)
{
    uint64_t seed = 2;
    for (uint32_t i = 0; i < side * side; i++) {
        float height = seed_float(&seed, 0.0f, 1.0f);
        text_floats(bin, (float[]){ (float)(i % side), height, (float)(i / side) }, 3);
    }
    for (uint32_t i = 0; i < side * side; i++) {
        float normal[3];
        seed_unit(&seed, normal, 3);
        text_floats(bin, normal, 3);
    }
    for (uint32_t i = 0; i < side * side; i++)
        text_floats(bin, (float[]){ (float)(i % side) / (float)side, (float)(i / side) / (float)side }, 2);
    for (uint32_t i = 0; i < (side - 1) * (side - 1); i++) {
        uint32_t a = i / (side - 1) * side + i % (side - 1),
                 corners[] = { a, a + side, a + 1, a + 1, a + side, a + side + 1 };
        for (int c = 0; c < 6; c++) text_u32(bin, corners[c]);
    }
}

bool write_mesh_heavy(const char *path, bool small, load_counts *counts)
{
    uint32_t side = small ? 32 : 1000, count = side * side, indices = (side - 1) * (side - 1) * 6;
    text json = { 0 }, bin = { 0 };
    put_grid(&bin, side);
    text_put(&json,
             "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],"
             "\"buffers\":[{\"byteLength\":%zu}],\"bufferViews\":[",
             bin.size);
    text_put(&json, "{\"buffer\":0,\"byteOffset\":0,\"byteLength\":%u},", count * 12);
    text_put(&json, "{\"buffer\":0,\"byteOffset\":%u,\"byteLength\":%u},", count * 12, count * 12);
    text_put(&json, "{\"buffer\":0,\"byteOffset\":%u,\"byteLength\":%u},", count * 24, count * 8);
    text_put(&json, "{\"buffer\":0,\"byteOffset\":%u,\"byteLength\":%u}],\"accessors\":[", count * 32, indices * 4);
    text_put(&json,
             "{\"bufferView\":0,\"componentType\":5126,\"count\":%u,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[%u,1,%u]"
             "},",
             count, side - 1, side - 1);
    text_put(&json, "{\"bufferView\":1,\"componentType\":5126,\"count\":%u,\"type\":\"VEC3\"},", count);
    text_put(&json, "{\"bufferView\":2,\"componentType\":5126,\"count\":%u,\"type\":\"VEC2\"},", count);
    text_put(&json, "{\"bufferView\":3,\"componentType\":5125,\"count\":%u,\"type\":\"SCALAR\"}],", indices);
    text_put(&json, "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"NORMAL\":1,\"TEXCOORD_0\":2},"
                    "\"indices\":3}]}]}");
    *counts = (load_counts){ .nodes = 1, .vertices = count };
    bool is_written = text_write_glb(path, &json, &bin);
    free(json.data);
    free(bin.data);
    return is_written;
}

// W3D: chunks whose sizes are filled in when they are closed.
static size_t open_chunk(text *out, uint32_t id)
{
    text_u32(out, id);
    text_u32(out, 0);
    return out->size;
}

static void close_chunk(text *out, size_t start, bool is_container)
{
    uint32_t size = (uint32_t)(out->size - start) | (is_container ? 0x80000000u : 0u);
    if (!out->failed) memcpy(out->data + start - 4, &size, sizeof size);
}

static void put_chunk(text *out, uint32_t id, const void *data, size_t size)
{
    size_t start = open_chunk(out, id);
    text_bytes(out, data, size);
    close_chunk(out, start, false);
}

static void put_w3d_header(text *out, uint32_t number, uint32_t vertices, uint32_t triangles)
{
    char names[32] = { 0 };
    snprintf(names, 16, "GRID%02u", number % 100);
    memcpy(names + 16, "BENCH", 5);
    size_t start = open_chunk(out, 0x1F);
    text_u32(out, 0x40002);
    text_u32(out, 0);
    text_bytes(out, names, sizeof names);
    const uint32_t rest[9] = { triangles, vertices, 1, 0, 0, 0, 0, 3, 1 };
    for (int i = 0; i < 9; i++) text_u32(out, rest[i]);
    text_floats(out, (float[10]){ 0 }, 10);
    close_chunk(out, start, false);
}

// Names of odd lengths: what follows does not lie at multiples of four, as in files of the games.
static void put_w3d_materials(text *out, uint32_t number, uint32_t side)
{
    static const uint8_t shader[16] = { 3, 1, 0, 0, 0, 1, 0, 1, 1 };
    const uint32_t info[4] = { 1, 1, 1, 1 }, zero = 0,
                   material[8] = { 0, 0xFFFFFF, 0xFFFFFF, 0, 0, 0x3F800000, 0x3F800000, 0 };
    char name[24];
    int size = snprintf(name, sizeof name, "ground_%.*s.tga", (int)(number % 5), "abcde") + 1;
    put_chunk(out, 0x28, info, sizeof info);
    put_chunk(out, 0x29, shader, sizeof shader);
    size_t outer = open_chunk(out, 0x2A), inner = open_chunk(out, 0x2B);
    put_chunk(out, 0x2C, name, (size_t)size);
    put_chunk(out, 0x2D, material, sizeof material);
    close_chunk(out, inner, true);
    close_chunk(out, outer, true);
    size_t pass = open_chunk(out, 0x38);
    put_chunk(out, 0x39, &zero, 4);
    put_chunk(out, 0x3A, &zero, 4);
    size_t stage = open_chunk(out, 0x48), uvs = open_chunk(out, 0x4A);
    for (uint32_t i = 0; i < side * side; i++)
        text_floats(out, (float[]){ (float)(i % side) / (float)side, (float)(i / side) / (float)side }, 2);
    close_chunk(out, uvs, false);
    close_chunk(out, stage, true);
    close_chunk(out, pass, true);
}

static void put_w3d_grid(text *out, uint64_t *seed, uint32_t number, uint32_t side)
{
    uint32_t vertices = side * side, quads = (side - 1) * (side - 1);
    size_t mesh = open_chunk(out, 0x00);
    put_w3d_header(out, number, vertices, quads * 2);
    size_t start = open_chunk(out, 0x02);
    for (uint32_t i = 0; i < vertices; i++)
        text_floats(out, (float[]){ (float)(i % side), (float)(i / side), seed_float(seed, 0.0f, 1.0f) }, 3);
    close_chunk(out, start, false);
    start = open_chunk(out, 0x03);
    for (uint32_t i = 0; i < vertices; i++) {
        float normal[3];
        seed_unit(seed, normal, 3);
        text_floats(out, normal, 3);
    }
    close_chunk(out, start, false);
    start = open_chunk(out, 0x20);
    for (uint32_t i = 0; i < quads * 2; i++) {
        uint32_t quad = i / 2, a = quad / (side - 1) * side + quad % (side - 1), b = a + side;
        const uint32_t corners[2][4] = { { a, a + 1, b, 13 }, { a + 1, b + 1, b, 13 } };
        for (int c = 0; c < 4; c++) text_u32(out, corners[i % 2][c]);
        text_floats(out, (float[]){ 0, 0, 1, 0 }, 4);
    }
    close_chunk(out, start, false);
    start = open_chunk(out, 0x22);
    for (uint32_t i = 0; i < vertices; i++) text_u32(out, i);
    close_chunk(out, start, false);
    put_w3d_materials(out, number, side);
    close_chunk(out, mesh, true);
}

bool write_w3d_heavy(const char *path, bool small, load_counts *counts)
{
    uint32_t side = small ? 8 : 250, meshes = 16;
    uint64_t seed = 4;
    text out = { 0 };
    for (uint32_t i = 0; i < meshes; i++) put_w3d_grid(&out, &seed, i, side);
    *counts = (load_counts){ .nodes = 1, .vertices = (uint64_t)meshes * side * side };
    bool is_written = text_write(path, &out, 1);
    free(out.data);
    return is_written;
}
