// A .glb of any size: a skeleton, skinned parts with morph targets and materials, clips, pictures. Each accessor has a
// view of its own, as exporters write them.
#include "load_workloads.h"

#include "load_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct scene {
    text views, accessors, bin;
    uint32_t view_count, accessor_count;
    uint64_t seed;
} scene;

static uint32_t add_view(scene *out, size_t start)
{
    text_put(&out->views, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", out->view_count ? "," : "", start,
             out->bin.size - start);
    while (out->bin.size % 4 && !out->bin.failed) text_bytes(&out->bin, "\0", 1);
    return out->view_count++;
}

// Of the bytes from `start` to the end of the buffer.
static uint32_t add_accessor(scene *out, size_t start, uint32_t count, uint32_t component, const char *type,
                             const char *bounds)
{
    uint32_t view = add_view(out, start);
    text_put(&out->accessors, "%s{\"bufferView\":%u,\"componentType\":%u,\"count\":%u,\"type\":\"%s\"%s}",
             out->accessor_count ? "," : "", view, component, count, type, bounds);
    return out->accessor_count++;
}

static void put_u16(text *out, uint32_t value)
{
    text_bytes(out, (const uint8_t[]){ (uint8_t)value, (uint8_t)(value >> 8) }, 2);
}

enum { F32 = 5126, U16 = 5123 };

static uint32_t add_offsets(scene *out, uint32_t count)
{
    size_t start = out->bin.size;
    float low = 1.0f, high = -1.0f;
    char bounds[96];
    for (uint32_t i = 0; i < count; i++) {
        float value = seed_float(&out->seed, -0.1f, 0.1f);
        low = value < low ? value : low, high = value > high ? value : high;
        text_floats(&out->bin, (float[]){ 0, value, 0 }, 3);
    }
    snprintf(bounds, sizeof bounds, ",\"min\":[0,%.9g,0],\"max\":[0,%.9g,0]", (double)low, (double)high);
    return add_accessor(out, start, count, F32, "VEC3", bounds);
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

// Every vertex between two joints.
static void put_part(scene *out, text *json, const load_scene *of, uint32_t part)
{
    const uint32_t vertices = of->vertices, triangles = vertices / 3;
    size_t start = out->bin.size;
    for (uint32_t i = 0; i < vertices; i++)
        text_floats(&out->bin, (float[]){ (float)(i % 7), (float)(i % 11), (float)(i % 13) }, 3);
    char bounds[64];
    snprintf(bounds, sizeof bounds, ",\"min\":[0,0,0],\"max\":[%u,%u,%u]", least(vertices - 1, 6),
             least(vertices - 1, 10), least(vertices - 1, 12));
    uint32_t positions = add_accessor(out, start, vertices, F32, "VEC3", bounds);
    start = out->bin.size;
    for (uint32_t i = 0; i < vertices; i++) {
        float normal[3];
        seed_unit(&out->seed, normal, 3);
        text_floats(&out->bin, normal, 3);
    }
    uint32_t normals = add_accessor(out, start, vertices, F32, "VEC3", "");
    start = out->bin.size;
    for (uint32_t i = 0; i < vertices; i++)
        text_floats(&out->bin, (float[]){ (float)(i % 7) / 7.0f, (float)(i % 11) / 11.0f }, 2);
    uint32_t uvs = add_accessor(out, start, vertices, F32, "VEC2", "");
    start = out->bin.size;
    for (uint32_t i = 0; i < vertices; i++) {
        put_u16(&out->bin, (i + part) % of->nodes), put_u16(&out->bin, (i + part + 1) % of->nodes);
        text_u32(&out->bin, 0);
    }
    uint32_t joints = add_accessor(out, start, vertices, U16, "VEC4", "");
    start = out->bin.size;
    const bool is_single = of->nodes == 1;
    for (uint32_t i = 0; i < vertices; i++)
        text_floats(&out->bin, (float[]){ is_single ? 1.0f : 0.75f, is_single ? 0.0f : 0.25f, 0, 0 }, 4);
    uint32_t weights = add_accessor(out, start, vertices, F32, "VEC4", "");
    start = out->bin.size;
    for (uint32_t i = 0; i < 3 * triangles; i++) put_u16(&out->bin, i);
    uint32_t indices = add_accessor(out, start, 3 * triangles, U16, "SCALAR", "");
    text_put(json,
             "%s{\"attributes\":{\"POSITION\":%u,\"NORMAL\":%u,\"TEXCOORD_0\":%u,\"JOINTS_0\":%u,\"WEIGHTS_0\":%u}",
             part ? "," : "", positions, normals, uvs, joints, weights);
    text_put(json, ",\"indices\":%u", indices);
    if (of->materials > 0) text_put(json, ",\"material\":%u", part % of->materials);
    for (uint32_t i = 0; i < of->morphs; i++)
        text_put(json, "%s{\"POSITION\":%u}", i ? "," : ",\"targets\":[", add_offsets(out, vertices));
    text_put(json, "%s}", of->morphs ? "]" : "");
}

static void put_clip(scene *out, text *json, const load_scene *of, uint32_t clip)
{
    text channels = { 0 };
    size_t start = out->bin.size;
    char bounds[64];
    for (uint32_t i = 0; i < of->keys; i++) text_floats(&out->bin, (float[]){ (float)i / 30.0f }, 1);
    snprintf(bounds, sizeof bounds, ",\"min\":[0],\"max\":[%.9g]", (double)((float)(of->keys - 1) / 30.0f));
    uint32_t input = add_accessor(out, start, of->keys, F32, "SCALAR", bounds);
    text_put(json, "%s{\"name\":\"clip_%02u\",\"samplers\":[", clip ? "," : "", clip);
    for (uint32_t j = 0; j < of->nodes; j++) {
        float turn[4];
        start = out->bin.size;
        for (uint32_t i = 0; i < of->keys; i++) {
            float move[3] = { seed_float(&out->seed, -1.0f, 1.0f), seed_float(&out->seed, -1.0f, 1.0f), 0 };
            text_floats(&out->bin, move, 3);
        }
        uint32_t moves = add_accessor(out, start, of->keys, F32, "VEC3", "");
        start = out->bin.size;
        for (uint32_t i = 0; i < of->keys; i++) seed_unit(&out->seed, turn, 4), text_floats(&out->bin, turn, 4);
        uint32_t turns = add_accessor(out, start, of->keys, F32, "VEC4", "");
        const char *comma = j ? "," : "";
        text_put(json, "%s{\"input\":%u,\"output\":%u,\"interpolation\":\"LINEAR\"},", comma, input, moves);
        text_put(json, "{\"input\":%u,\"output\":%u,\"interpolation\":\"LINEAR\"}", input, turns);
        text_put(&channels, "%s{\"sampler\":%u,\"target\":{\"node\":%u,\"path\":\"translation\"}},", comma, 2 * j,
                 j + 1);
        text_put(&channels, "{\"sampler\":%u,\"target\":{\"node\":%u,\"path\":\"rotation\"}}", 2 * j + 1, j + 1);
    }
    text_put(json, "],\"channels\":[");
    text_bytes(json, channels.data, channels.size);
    text_put(json, "]}");
    json->failed = json->failed || channels.failed;
    free(channels.data);
}

// The body, joints as a binary tree, and what holds both.
static void put_nodes(scene *out, text *json, uint32_t joints)
{
    text_put(json, "\"nodes\":[{\"name\":\"body\",\"mesh\":0,\"skin\":0}");
    for (uint32_t i = 0; i < joints; i++) {
        text_put(json, ",{\"name\":\"joint_%02u\",\"translation\":[0,%.9g,0]", i,
                 (double)seed_float(&out->seed, 0.05f, 0.15f));
        for (uint32_t child = 2 * i + 1; child <= 2 * i + 2 && child < joints; child++)
            text_put(json, "%s%u", child == 2 * i + 1 ? ",\"children\":[" : ",", child + 1);
        text_put(json, 2 * i + 1 < joints ? "]}" : "}");
    }
    size_t start = out->bin.size;
    for (uint32_t i = 0; i < joints; i++)
        for (int c = 0; c < 16; c++) text_floats(&out->bin, (float[]){ c % 5 == 0 ? 1.0f : 0.0f }, 1);
    uint32_t binds = add_accessor(out, start, joints, F32, "MAT4", "");
    text_put(json, ",{\"name\":\"character\",\"children\":[0,1]}],\"skins\":[{\"inverseBindMatrices\":%u,\"joints\":[1",
             binds);
    for (uint32_t i = 1; i < joints; i++) text_put(json, ",%u", i + 1);
    text_put(json, "]}],");
}

// A PNG's beginning, then noise: readers that do not decode pictures see no difference.
static void put_pictures(scene *out, text *json, const load_scene *of)
{
    static const uint8_t head[33] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n', 0,    0,    0,
                                      13,   'I', 'H', 'D', 'R',  0,    0,    4,    0,    0,    0,
                                      4,    0,   8,   2,   0,    0,    0,    0xF0, 0x7F, 0xBC, 0xD4 };
    text_put(json, "\"images\":[");
    for (uint32_t i = 0; i < of->pictures; i++) {
        size_t start = out->bin.size;
        text_bytes(&out->bin, head, sizeof head);
        for (uint32_t at = sizeof head; at < of->picture_bytes; at += 8)
            text_bytes(&out->bin, (uint64_t[]){ seed_draw(&out->seed) }, 8);
        text_put(json, "%s{\"name\":\"picture_%u\",\"mimeType\":\"image/png\",\"bufferView\":%u}", i ? "," : "", i,
                 add_view(out, start));
    }
    text_put(json, "],\"textures\":[");
    for (uint32_t i = 0; i < of->pictures; i++) text_put(json, "%s{\"source\":%u}", i ? "," : "", i);
    text_put(json, "],");
}

static void put_materials(scene *out, text *json, const load_scene *of)
{
    text_put(json, "\"materials\":[");
    for (uint32_t i = 0; i < of->materials; i++) {
        text_put(json, "%s{\"name\":\"material_%02u\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[1,%.9g,1,1]",
                 i ? "," : "", i, (double)seed_float(&out->seed, 0.0f, 1.0f));
        if (of->pictures > 0) text_put(json, ",\"baseColorTexture\":{\"index\":%u}", i % of->pictures);
        text_put(json, ",\"metallicFactor\":0}}");
    }
    text_put(json, "],");
}

bool write_scene(const char *path, const load_scene *of, load_counts *counts)
{
    scene out = { .seed = of->seed };
    text json = { 0 };
    text_put(&json, "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[%u]}],", of->nodes + 1);
    put_nodes(&out, &json, of->nodes);
    if (of->pictures > 0) put_pictures(&out, &json, of);
    if (of->materials > 0) put_materials(&out, &json, of);
    text_put(&json, "\"meshes\":[{\"primitives\":[");
    for (uint32_t i = 0; i < of->parts; i++) put_part(&out, &json, of, i);
    text_put(&json, "]}],");
    for (uint32_t i = 0; i < of->clips; i++) {
        if (i == 0) text_put(&json, "\"animations\":[");
        put_clip(&out, &json, of, i);
    }
    text_put(&json, "%s\"buffers\":[{\"byteLength\":%zu}],\"bufferViews\":[", of->clips ? "]," : "", out.bin.size);
    text_bytes(&json, out.views.data, out.views.size);
    text_put(&json, "],\"accessors\":[");
    text_bytes(&json, out.accessors.data, out.accessors.size);
    text_put(&json, "]}");
    *counts = (load_counts){ of->nodes + 2, (uint64_t)of->parts * of->vertices, of->clips };
    bool is_written = !out.views.failed && !out.accessors.failed && text_write_glb(path, &json, &out.bin);
    free(json.data);
    free(out.views.data);
    free(out.accessors.data);
    free(out.bin.data);
    return is_written;
}

bool write_clip_heavy(const char *path, bool small, load_counts *counts)
{
    const load_scene of = {
        .seed = 3, .nodes = small ? 6 : 60, .parts = 1, .vertices = 1200, .clips = small ? 4 : 70, .keys = 12
    };
    return write_scene(path, &of, counts);
}

// Pictures are nine tenths of it, like in most models that a game engine imports.
bool write_pictures(const char *path, bool small, load_counts *counts)
{
    const load_scene of = { .seed = 5,
                            .nodes = 4,
                            .parts = 2,
                            .vertices = small ? 30 : 3000,
                            .materials = 2,
                            .pictures = small ? 2 : 5,
                            .picture_bytes = small ? 1 << 10 : 3 << 18 };
    return write_scene(path, &of, counts);
}

// 1 to 50 KB: from a few triangles to a small animated model.
bool write_small_glb(const char *path, uint32_t number, load_counts *counts)
{
    uint64_t seed = 1000 + number;
    load_scene of = { .seed = seed, .parts = 1, .materials = 1 };
    of.nodes = 1 + (uint32_t)(seed_draw(&seed) % 12);
    of.vertices = 6 + (uint32_t)(seed_draw(&seed) % (number % 4 == 0 ? 400 : 60));
    of.parts = 1 + (uint32_t)(seed_draw(&seed) % 2);
    of.clips = number % 2;
    of.keys = 2 + (uint32_t)(seed_draw(&seed) % 20);
    return write_scene(path, &of, counts);
}
