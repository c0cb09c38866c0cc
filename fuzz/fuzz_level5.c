// Any bytes as a Level-5 file, its kind found as the loader finds it: parse, write back (same bytes), locate; then load
// it as a model, or a small model with it.
//
//     build/asan/fuzz_level5 -dict=fuzz/level5.dict -max_len=16384 CORPUS fuzz/seeds/level5 samples tests/regress
#include "base/text.h"
#include "check_level5.h"
#include "fuzz_load.h"

// A small Dark Cloud model (a root, an arm with a mesh, a hand, another mesh) whose other files are the fuzzed bytes.
typedef struct fuzzed_files {
    const uint8_t *data;
    size_t size;
    const char *endings;   // of the fuzzed files
    const uint8_t *model;  // bytes of the MDS, for .mds
    size_t model_size;
    uint64_t bytes_read;
} fuzzed_files;

static bool open_ref(void *user, const char *ref, const void **data, size_t *size)
{
    fuzzed_files *files = user;
    bool is_fuzzed = sni_has_ending(ref, files->endings), is_model = sni_has_ending(ref, "mds");
    if (!ref[0] || ref[0] == '/' || strpbrk(ref, "\\:") || strstr(ref, "//")) abort();
    if (!is_fuzzed && !is_model) return false;
    *data = is_fuzzed ? files->data : files->model;
    *size = is_fuzzed ? files->size : files->model_size;
    files->bytes_read += *size;
    return true;
}

// The MDS, made once.
static void make_model(fuzzed_files *files)
{
    static uint8_t bytes[4096];
    static size_t size;
    static const float positions[8][4] = { { 0, 0, 0, 1 }, { 1, 0, 0, 1 }, { 0, 1, 0, 1 }, { 1, 1, 0, 1 },
                                           { 0, 2, 0, 1 }, { 1, 2, 0, 1 }, { 0, 3, 0, 1 }, { 1, 3, 0, 1 } };
    static const float normals[1][4] = { { 0, 0, 1, 0 } };
    static const uint32_t corners[24] = { 0, 0, 0, 1, 0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5, 0, 5, 6, 0, 6, 7, 0, 7 };
    files->model = bytes;
    files->model_size = size;
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
    if (!level5_layout(&arena, &doc)) abort();
    level5_write(&doc, &out);
    if (out.failed || out.size > sizeof bytes) abort();
    memcpy(bytes, out.data, out.size);
    files->model_size = size = out.size;
    sni_writer_free(&out);
    sni_arena_free(&arena);
}

// The model with `data` as its files of these endings, by the rules of each game in turn.
static void load_beside(const uint8_t *data, size_t size, const char *endings)
{
    fuzzed_files files = { .data = data, .size = size, .endings = endings };
    make_model(&files);
    sn_load_opts opts = { .name = "arm.mds",
                          .open_ref = open_ref,
                          .user = &files,
                          .level5_game = (sn_level5_game)(size % 3),
                          .lint = size & 1 };
    fuzz_load_with(files.model, files.model_size, opts, &files.bytes_read);
}

// Opens the fuzzed bytes under a name; the MDS that they may refer to is the small model.
static void load_named(const uint8_t *data, size_t size, const char *name)
{
    fuzzed_files files = { .data = data, .size = size, .endings = "mot wgt bbp" };
    make_model(&files);
    sn_load_opts opts = {
        .name = name, .open_ref = open_ref, .user = &files, .level5_game = (sn_level5_game)(size % 3), .lint = size & 1
    };
    if (size > 0) fuzz_load_with(data, size, opts, &files.bytes_read);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    level5_kind kind = level5_find_kind((sni_bytes){ data, size }, NULL);
    if (kind == LEVEL5_UNKNOWN) kind = LEVEL5_KIND_CONFIG;
    check_level5_rewrites(kind, data, size);
    switch (kind) {
    case LEVEL5_KIND_MDS: load_named(data, size, "arm.mds"); break;
    case LEVEL5_KIND_PACK: load_named(data, size, "arm.chr"); break;
    case LEVEL5_KIND_IMG: load_beside(data, size, "img"); break;
    case LEVEL5_KIND_BINDS: load_beside(data, size, "bbp"); break;
    case LEVEL5_KIND_TRACKS: load_beside(data, size, data[size / 2] & 1 ? "wgt" : "mot"); break;
    default: load_named(data, size, "info.cfg"); break;
    }
    return 0;
}
