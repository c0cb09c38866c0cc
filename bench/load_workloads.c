#include "load_workloads.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct text { char *data; size_t size, capacity; bool failed; } text;

static void *grow(text *out, size_t more)
{
    if (out->failed) return NULL;
    if (out->capacity - out->size < more) {
        size_t capacity = 2 * (out->size + more) + 4096;
        char *grown = realloc(out->data, capacity);
        out->failed = grown == NULL;
        if (!grown) return NULL;
        out->data = grown;
        out->capacity = capacity;
    }
    return out->data + out->size;
}

static void put_bytes(text *out, const void *data, size_t size)
{
    void *at = grow(out, size);
    if (!at) return;
    memcpy(at, data, size);
    out->size += size;
}

__attribute__((format(printf, 2, 3))) static void put(text *out, const char *format, ...)
{
    enum { LONGEST = 512 };
    char *at = grow(out, LONGEST);
    if (!at) return;
    va_list args;
    va_start(args, format);
    int size = vsnprintf(at, LONGEST, format, args);
    va_end(args);
    out->failed = size < 0 || size >= LONGEST;
    if (!out->failed) out->size += (size_t)size;
}

static void put_floats(text *out, const float *values, uint32_t count)
{
    put_bytes(out, values, count * sizeof *values);
}

static bool write_file(const char *path, const text *parts, int count)
{
    FILE *file = fopen(path, "wb");
    bool is_good = file != NULL;
    for (int i = 0; is_good && i < count; i++)
        is_good = !parts[i].failed && fwrite(parts[i].data, 1, parts[i].size, file) == parts[i].size;
    if (file && fclose(file) != 0) is_good = false;
    return is_good;
}

static void put_u32(text *out, uint32_t value)
{
    const uint8_t bytes[] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24) };
    put_bytes(out, bytes, sizeof bytes);
}

static bool write_glb(const char *path, text *json, text *bin)
{
    while (json->size % 4 && !json->failed) put_bytes(json, " ", 1);
    while (bin->size % 4 && !bin->failed) put_bytes(bin, "\0", 1);
    text head = { 0 }, between = { 0 };
    put_u32(&head, 0x46546C67);
    put_u32(&head, 2);
    put_u32(&head, (uint32_t)(28 + json->size + bin->size));
    put_u32(&head, (uint32_t)json->size);
    put_u32(&head, 0x4E4F534A);
    put_u32(&between, (uint32_t)bin->size);
    put_u32(&between, 0x004E4942);
    bool is_written = write_file(path, (text[]){ head, *json, between, *bin }, 4);
    free(head.data);
    free(between.data);
    return is_written;
}

// Seeded: splitmix64.
static uint64_t draw(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static float draw_float(uint64_t *state, float low, float high)
{
    return low + (high - low) * (float)(draw(state) >> 40) / (float)(1 << 24);
}

static void draw_unit(uint64_t *state, float *values, int count)
{
    float square = 0.0f;
    for (int i = 0; i < count; i++) values[i] = draw_float(state, -1.0f, 1.0f), square += values[i] * values[i];
    if (square < 1e-3f) values[0] = square = 1.0f;
    for (int i = 0; i < count; i++) values[i] /= sqrtf(square);
}

static void put_vector(text *out, const char *name, const float *values, int count)
{
    put(out, ",\n      \"%s\": [\n", name);
    for (int i = 0; i < count; i++) put(out, "        %.9g%s\n", (double)values[i], i + 1 < count ? "," : "");
    put(out, "      ]");
}

// Children stand before their parents, as Blender writes them: node n - 1 is the root of a tree of fours.
static void put_node(text *out, uint64_t *seed, uint32_t index, uint32_t count)
{
    uint32_t rank = count - 1 - index;
    float translation[3], rotation[4], scale[3];
    for (int i = 0; i < 3; i++) translation[i] = draw_float(seed, -100.0f, 100.0f), scale[i] = draw_float(seed, 0.5f, 2.0f);
    draw_unit(seed, rotation, 4);
    put(out, "    {\n      \"name\": \"Object.%05" PRIu32 "\"", index);
    put_vector(out, "translation", translation, 3);
    put_vector(out, "rotation", rotation, 4);
    if (rank % 2 == 0) put_vector(out, "scale", scale, 3);
    for (uint32_t child = 4 * rank + 1; child <= 4 * rank + 4 && child < count; child++)
        put(out, "%s        %" PRIu32, child % 4 == 1 ? ",\n      \"children\": [\n" : ",\n", count - 1 - child);
    if (4 * rank + 1 < count) put(out, "\n      ]");
    put(out, "\n    }%s\n", index + 1 < count ? "," : "");
}

bool write_json_heavy(const char *path, bool small, load_counts *counts)
{
    uint32_t count = small ? 500 : 50000;
    uint64_t seed = 1;
    text out = { 0 };
    put(&out, "{\n  \"asset\": {\n    \"version\": \"2.0\",\n    \"generator\": \"bench_load\"\n  },\n  \"scene\": 0,\n"
              "  \"scenes\": [\n    {\n      \"nodes\": [\n        %" PRIu32 "\n      ]\n    }\n  ],\n  \"nodes\": [\n",
        count - 1);
    for (uint32_t i = 0; i < count; i++) put_node(&out, &seed, i, count);
    put(&out, "  ]\n}\n");
    *counts = (load_counts){ .nodes = count };
    bool is_written = write_file(path, &out, 1);
    free(out.data);
    return is_written;
}

static void put_grid(text *bin, uint32_t side)
{
    uint64_t seed = 2;
    for (uint32_t i = 0; i < side * side; i++) {
        float height = draw_float(&seed, 0.0f, 1.0f);
        put_floats(bin, (float[]){ (float)(i % side), height, (float)(i / side) }, 3);
    }
    for (uint32_t i = 0; i < side * side; i++) {
        float normal[3];
        draw_unit(&seed, normal, 3);
        put_floats(bin, normal, 3);
    }
    for (uint32_t i = 0; i < side * side; i++)
        put_floats(bin, (float[]){ (float)(i % side) / (float)side, (float)(i / side) / (float)side }, 2);
    for (uint32_t i = 0; i < (side - 1) * (side - 1); i++) {
        uint32_t a = i / (side - 1) * side + i % (side - 1), corners[] = { a, a + side, a + 1, a + 1, a + side, a + side + 1 };
        for (int c = 0; c < 6; c++) put_u32(bin, corners[c]);
    }
}

bool write_mesh_heavy(const char *path, bool small, load_counts *counts)
{
    uint32_t side = small ? 32 : 1000, count = side * side, indices = (side - 1) * (side - 1) * 6;
    text json = { 0 }, bin = { 0 };
    put_grid(&bin, side);
    put(&json, "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],"
               "\"buffers\":[{\"byteLength\":%zu}],\"bufferViews\":[",
        bin.size);
    put(&json, "{\"buffer\":0,\"byteOffset\":0,\"byteLength\":%u},", count * 12);
    put(&json, "{\"buffer\":0,\"byteOffset\":%u,\"byteLength\":%u},", count * 12, count * 12);
    put(&json, "{\"buffer\":0,\"byteOffset\":%u,\"byteLength\":%u},", count * 24, count * 8);
    put(&json, "{\"buffer\":0,\"byteOffset\":%u,\"byteLength\":%u}],\"accessors\":[", count * 32, indices * 4);
    put(&json, "{\"bufferView\":0,\"componentType\":5126,\"count\":%u,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[%u,1,%u]},",
        count, side - 1, side - 1);
    put(&json, "{\"bufferView\":1,\"componentType\":5126,\"count\":%u,\"type\":\"VEC3\"},", count);
    put(&json, "{\"bufferView\":2,\"componentType\":5126,\"count\":%u,\"type\":\"VEC2\"},", count);
    put(&json, "{\"bufferView\":3,\"componentType\":5125,\"count\":%u,\"type\":\"SCALAR\"}],", indices);
    put(&json, "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"NORMAL\":1,\"TEXCOORD_0\":2},\"indices\":3}]}]}");
    *counts = (load_counts){ .nodes = 1, .vertices = count };
    bool is_written = write_glb(path, &json, &bin);
    free(json.data);
    free(bin.data);
    return is_written;
}

// A .glb that grows view by view: each accessor has a view of its own, as exporters write them.
typedef struct scene { text views, accessors, bin; uint32_t view_count; } scene;

static uint32_t add_accessor(scene *out, const void *data, uint32_t count, uint32_t bytes, uint32_t component,
                             const char *type, const char *bounds)
{
    const char *comma = out->view_count ? "," : "";
    put(&out->views, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%u}", comma, out->bin.size, count * bytes);
    put(&out->accessors, "%s{\"bufferView\":%u,\"componentType\":%u,\"count\":%u,\"type\":\"%s\"%s}", comma, out->view_count,
        component, count, type, bounds);
    put_bytes(&out->bin, data, (size_t)count * bytes);
    return out->view_count++;
}

enum { KEYS = 12, MOST_JOINTS = 60, SKIN_VERTICES = 1200 };

// Every vertex between two joints of the chain.
static void add_skinned_mesh(scene *out, uint32_t joints)
{
    static float positions[SKIN_VERTICES][3], weights[SKIN_VERTICES][4], binds[MOST_JOINTS][16];
    static uint8_t bones[SKIN_VERTICES][4];
    static uint16_t indices[SKIN_VERTICES];
    for (uint32_t i = 0; i < SKIN_VERTICES; i++) {
        positions[i][0] = (float)(i % 7), positions[i][1] = (float)(i % 11), positions[i][2] = (float)i / SKIN_VERTICES;
        weights[i][0] = 0.75f, weights[i][1] = 0.25f;
        bones[i][0] = (uint8_t)(i % joints), bones[i][1] = (uint8_t)((i + 1) % joints);
        indices[i] = (uint16_t)i;
    }
    for (uint32_t i = 0; i < joints; i++)
        for (int c = 0; c < 16; c++) binds[i][c] = c % 5 == 0 ? 1.0f : 0.0f;
    char bounds[96];
    snprintf(bounds, sizeof bounds, ",\"min\":[0,0,0],\"max\":[6,10,%.9g]", (double)positions[SKIN_VERTICES - 1][2]);
    add_accessor(out, positions, SKIN_VERTICES, 12, 5126, "VEC3", bounds);
    add_accessor(out, bones, SKIN_VERTICES, 4, 5121, "VEC4", "");
    add_accessor(out, weights, SKIN_VERTICES, 16, 5126, "VEC4", "");
    add_accessor(out, indices, SKIN_VERTICES, 2, 5123, "SCALAR", "");
    add_accessor(out, binds, joints, 64, 5126, "MAT4", "");
}

static void add_clip(scene *out, text *json, uint64_t *seed, uint32_t clip, uint32_t joints)
{
    float times[KEYS], moves[KEYS][3], turns[KEYS][4];
    text channels = { 0 };
    for (int i = 0; i < KEYS; i++) times[i] = (float)i / 30.0f;
    char bounds[64];
    snprintf(bounds, sizeof bounds, ",\"min\":[0],\"max\":[%.9g]", (double)times[KEYS - 1]);
    uint32_t input = add_accessor(out, times, KEYS, 4, 5126, "SCALAR", bounds);
    put(json, "%s{\"name\":\"clip_%02u\",\"samplers\":[", clip ? "," : "", clip);
    for (uint32_t j = 0; j < joints; j++) {
        for (int i = 0; i < KEYS; i++) {
            for (int c = 0; c < 3; c++) moves[i][c] = draw_float(seed, -1.0f, 1.0f);
            draw_unit(seed, turns[i], 4);
        }
        uint32_t move = add_accessor(out, moves, KEYS, 12, 5126, "VEC3", "");
        uint32_t turn = add_accessor(out, turns, KEYS, 16, 5126, "VEC4", "");
        const char *comma = j ? "," : "";
        put(json, "%s{\"input\":%u,\"output\":%u,\"interpolation\":\"LINEAR\"},", comma, input, move);
        put(json, "{\"input\":%u,\"output\":%u,\"interpolation\":\"LINEAR\"}", input, turn);
        put(&channels, "%s{\"sampler\":%u,\"target\":{\"node\":%u,\"path\":\"translation\"}},", comma, 2 * j, j + 1);
        put(&channels, "{\"sampler\":%u,\"target\":{\"node\":%u,\"path\":\"rotation\"}}", 2 * j + 1, j + 1);
    }
    put(json, "],\"channels\":[");
    put_bytes(json, channels.data, channels.size);
    put(json, "]}");
    json->failed = json->failed || channels.failed;
    free(channels.data);
}

static void put_chain(text *json, uint32_t joints)
{
    put(json, "\"nodes\":[{\"name\":\"body\",\"mesh\":0,\"skin\":0}");
    for (uint32_t i = 0; i < joints; i++) {
        put(json, ",{\"name\":\"joint_%02u\",\"translation\":[0,0.1,0]", i);
        if (i + 1 < joints) put(json, ",\"children\":[%u]", i + 2);
        put(json, "}");
    }
    put(json, ",{\"name\":\"character\",\"children\":[0,1]}],\"skins\":[{\"inverseBindMatrices\":4,\"joints\":[1");
    for (uint32_t i = 1; i < joints; i++) put(json, ",%u", i + 1);
    put(json, "]}],");
}

bool write_clip_heavy(const char *path, bool small, load_counts *counts)
{
    uint32_t joints = small ? 6 : MOST_JOINTS, clips = small ? 4 : 70;
    uint64_t seed = 3;
    scene out = { 0 };
    text json = { 0 };
    add_skinned_mesh(&out, joints);
    put(&json, "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[%u]}],", joints + 1);
    put_chain(&json, joints);
    put(&json, "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2},"
               "\"indices\":3}]}],\"animations\":[");
    for (uint32_t i = 0; i < clips; i++) add_clip(&out, &json, &seed, i, joints);
    put(&json, "],\"buffers\":[{\"byteLength\":%zu}],\"bufferViews\":[", out.bin.size);
    put_bytes(&json, out.views.data, out.views.size);
    put(&json, "],\"accessors\":[");
    put_bytes(&json, out.accessors.data, out.accessors.size);
    put(&json, "]}");
    *counts = (load_counts){ .nodes = joints + 2, .vertices = SKIN_VERTICES, .clips = clips };
    bool is_written = !out.views.failed && !out.accessors.failed && write_glb(path, &json, &out.bin);
    free(json.data);
    free(out.views.data);
    free(out.accessors.data);
    free(out.bin.data);
    return is_written;
}

// W3D: chunks whose sizes are filled in when they are closed.
static size_t open_chunk(text *out, uint32_t id)
{
    put_u32(out, id);
    put_u32(out, 0);
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
    put_bytes(out, data, size);
    close_chunk(out, start, false);
}

static void put_w3d_header(text *out, uint32_t number, uint32_t vertices, uint32_t triangles)
{
    char names[32] = { 0 };
    snprintf(names, 16, "GRID%02u", number % 100);
    memcpy(names + 16, "BENCH", 5);
    size_t start = open_chunk(out, 0x1F);
    put_u32(out, 0x40002);
    put_u32(out, 0);
    put_bytes(out, names, sizeof names);
    const uint32_t rest[9] = { triangles, vertices, 1, 0, 0, 0, 0, 3, 1 };
    for (int i = 0; i < 9; i++) put_u32(out, rest[i]);
    put_floats(out, (float[10]){ 0 }, 10);
    close_chunk(out, start, false);
}

// Names of odd lengths: what follows does not lie at multiples of four, as in files of the games.
static void put_w3d_looks(text *out, uint32_t number, uint32_t side)
{
    static const uint8_t shader[16] = { 3, 1, 0, 0, 0, 1, 0, 1, 1 };
    const uint32_t info[4] = { 1, 1, 1, 1 }, zero = 0, material[8] = { 0, 0xFFFFFF, 0xFFFFFF, 0, 0, 0x3F800000, 0x3F800000, 0 };
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
    for (uint32_t i = 0; i < side * side; i++) put_floats(out, (float[]){ (float)(i % side) / (float)side, (float)(i / side) / (float)side }, 2);
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
    for (uint32_t i = 0; i < vertices; i++) put_floats(out, (float[]){ (float)(i % side), (float)(i / side), draw_float(seed, 0.0f, 1.0f) }, 3);
    close_chunk(out, start, false);
    start = open_chunk(out, 0x03);
    for (uint32_t i = 0; i < vertices; i++) {
        float normal[3];
        draw_unit(seed, normal, 3);
        put_floats(out, normal, 3);
    }
    close_chunk(out, start, false);
    start = open_chunk(out, 0x20);
    for (uint32_t i = 0; i < quads * 2; i++) {
        uint32_t quad = i / 2, a = quad / (side - 1) * side + quad % (side - 1), b = a + side;
        const uint32_t corners[2][4] = { { a, a + 1, b, 13 }, { a + 1, b + 1, b, 13 } };
        for (int c = 0; c < 4; c++) put_u32(out, corners[i % 2][c]);
        put_floats(out, (float[]){ 0, 0, 1, 0 }, 4);
    }
    close_chunk(out, start, false);
    start = open_chunk(out, 0x22);
    for (uint32_t i = 0; i < vertices; i++) put_u32(out, i);
    close_chunk(out, start, false);
    put_w3d_looks(out, number, side);
    close_chunk(out, mesh, true);
}

bool write_w3d_heavy(const char *path, bool small, load_counts *counts)
{
    uint32_t side = small ? 8 : 250, meshes = 16;
    uint64_t seed = 4;
    text out = { 0 };
    for (uint32_t i = 0; i < meshes; i++) put_w3d_grid(&out, &seed, i, side);
    *counts = (load_counts){ .nodes = 1, .vertices = (uint64_t)meshes * side * side };
    bool is_written = write_file(path, &out, 1);
    free(out.data);
    return is_written;
}
