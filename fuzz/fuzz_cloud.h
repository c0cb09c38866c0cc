// A small model of Dark Cloud whose other files are any bytes: a root, an arm with a mesh, a hand, and another mesh.
#ifndef FUZZ_CLOUD_H
#define FUZZ_CLOUD_H

#include "base/text.h"
#include "check_level5.h"
#include "fuzz_load.h"

typedef struct fuzz_cloud {
    const uint8_t *data;
    size_t size;
    const char *endings;   // of the files that are these bytes
    const uint8_t *model;  // bytes of the MDS, for .mds
    size_t model_size;
    uint64_t bytes_read;
} fuzz_cloud;

static inline bool fuzz_cloud_open(void *user, const char *ref, const void **data, size_t *size)
{
    fuzz_cloud *cloud = user;
    bool is_fuzzed = sni_has_ending(ref, cloud->endings), is_model = sni_has_ending(ref, "mds");
    if (!ref[0] || ref[0] == '/' || strpbrk(ref, "\\:") || strstr(ref, "//")) abort();
    if (!is_fuzzed && !is_model) return false;
    *data = is_fuzzed ? cloud->data : cloud->model;
    *size = is_fuzzed ? cloud->size : cloud->model_size;
    cloud->bytes_read += *size;
    return true;
}

// The same bytes for every run.
static inline void fuzz_cloud_model(fuzz_cloud *cloud)
{
    static uint8_t bytes[4096];
    static size_t size;
    static const float positions[8][4] = { { 0, 0, 0, 1 }, { 1, 0, 0, 1 }, { 0, 1, 0, 1 }, { 1, 1, 0, 1 },
                                           { 0, 2, 0, 1 }, { 1, 2, 0, 1 }, { 0, 3, 0, 1 }, { 1, 3, 0, 1 } };
    static const float normals[1][4] = { { 0, 0, 1, 0 } };
    static const uint32_t corners[24] = { 0, 0, 0, 1, 0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5, 0, 5, 6, 0, 6, 7, 0, 7 };
    cloud->model = bytes;
    cloud->model_size = size;
    if (size > 0) return;
    uint8_t materials[2][96] = { { 0 } };
    for (int i = 0; i < 2; i++) memcpy(materials[i] + 52, i ? "cloth" : "skin", 5);
    sni_heap heap;
    sni_arena arena;
    sni_writer out;
    level5_primitive strip[2] = {
        { .flags = 4, .corner_count = 8, .corners = { (const uint8_t *)corners, 8 } },
        { .flags = 3, .corner_count = 6, .material = 1, .corners = { (const uint8_t *)corners, 6 } }
    };
    level5_mesh meshes[2] = { { .positions = { (const uint8_t *)positions, 8 },
                                .normals = { (const uint8_t *)normals, 1 },
                                .uvs = { (const uint8_t *)positions, 8 },
                                .materials = { materials[0], 2 },
                                .primitives = &strip[0],
                                .primitive_count = 1 } };
    meshes[1] = meshes[0];
    meshes[1].primitives = &strip[1];
    level5_node nodes[4] = { { .name = sni_str_make("root", 4), .parent = -1, .mesh = -1 },
                             { .name = sni_str_make("arm", 3), .mesh = 0 },
                             { .name = sni_str_make("hand", 4), .parent = 1, .mesh = -1 },
                             { .name = sni_str_make("cap__s", 6), .parent = 2, .mesh = 1 } };
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) nodes[i].matrix[5 * k] = 1, nodes[i].matrix[13] = (float)i;
    level5_doc doc = { .kind = LEVEL5_KIND_MDS,
                       .as.mds = { .nodes = nodes, .node_count = 4, .meshes = meshes, .mesh_count = 2 } };
    sni_heap_init(&heap, NULL, UINT64_MAX);
    sni_arena_init(&arena, &heap);
    sni_writer_init(&out, &heap);
    if (!level5_lay_out(&arena, &doc)) abort();
    level5_write(&doc, &out);
    if (out.failed || out.size > sizeof bytes) abort();
    memcpy(bytes, out.data, out.size);
    cloud->model_size = size = out.size;
    sni_writer_free(&out);
    sni_arena_free(&arena);
}

// The model with files of these endings being `data`, by the rules of each game in turn.
static inline void fuzz_cloud_load(const uint8_t *data, size_t size, const char *endings)
{
    fuzz_cloud cloud = { .data = data, .size = size, .endings = endings };
    fuzz_cloud_model(&cloud);
    sn_load_opts opts = { .name = "arm.mds",
                          .open_ref = fuzz_cloud_open,
                          .user = &cloud,
                          .level5_game = (sn_level5_game)(size % 3),
                          .lint = size & 1 };
    fuzz_load_with(cloud.model, cloud.model_size, opts, &cloud.bytes_read);
}

// The bytes themselves, opened by that name; the MDS is the small model.
static inline void fuzz_cloud_load_named(const uint8_t *data, size_t size, const char *name)
{
    fuzz_cloud cloud = { .data = data, .size = size, .endings = "mot wgt bbp" };
    fuzz_cloud_model(&cloud);
    sn_load_opts opts = { .name = name,
                          .open_ref = fuzz_cloud_open,
                          .user = &cloud,
                          .level5_game = (sn_level5_game)(size % 3),
                          .lint = size & 1 };
    if (size > 0) fuzz_load_with(data, size, opts, &cloud.bytes_read);
}

#endif
