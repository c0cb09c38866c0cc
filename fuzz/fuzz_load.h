// Any bytes: load, check every promise, sample, skin, save, load again, compare, save again, free. References are
// answered with a piece of the input; two bytes of it choose how it is loaded and saved.
#ifndef FUZZ_LOAD_H
#define FUZZ_LOAD_H

#include "check_model.h"
#include "check_runtime.h"
#include "check_saved.h"
#include "counting_heap.h"

#include <string.h>

typedef struct fuzz_input {
    const uint8_t *data;
    size_t size;
    uint64_t bytes_read;
} fuzz_input;

static inline bool fuzz_open_ref(void *user, const char *ref, const void **data, size_t *size)
{
    fuzz_input *in = user;
    if (!ref[0] || ref[0] == '/' || strpbrk(ref, "\\:") || strstr(ref, "//")) abort();
    if (ref[0] == 'm') return false;  // some files are missing
    size_t start = strlen(ref) % 4 * in->size / 4;
    *data = in->data + start, *size = in->size - start;
    in->bytes_read += *size;
    return true;
}

static inline void fuzz_save(const sn_model *model, bool lint, uint8_t choice)
{
    if (choice % 8 == 2)
        check_saved_level5(model, choice % 16 == 2 ? "x.mds" : "x.chr",
                           choice % 32 < 16 ? SN_GAME_DARK_CLOUD : SN_GAME_DARK_CLOUD_2, 6000);
    if (choice % 8 == 5)
        check_saved_mdx(model, choice % 16 == 5 ? "x.mdl" : "x.mdx", choice % 32 < 16 ? 800 : 1100, 6000);
    if (choice % 8 == 6) check_saved_w3d(model, choice / 8 % 12, 6000);
    check_saved(model, choice % 4 == 3 ? "a b%.gltf" : "x.glb", choice % 16 == 9 ? 2 : 0, lint, 6000);
}

// In its own format, of a model loaded with keep_document. Other formats refuse.
static inline void fuzz_save_document(const sn_model *model, const char *name)
{
    static const char *const extensions[] = { "mdx", "mdl", "w3d" };
    for (int i = 0; i < 3; i++) {
        sn_bytes bytes;
        sn_error error;
        sn_status status = sn_save_memory(model, extensions[i], NULL, &bytes, &error);
        if (status != error.status || (status == SN_OK) != (bytes.data != NULL)) abort();
        sn_bytes_free(&bytes);
    }
    check_repaired(model, name, false);
}

// A model with files of its own: `opts` says how they are opened, `bytes_read` counts them.
static inline void fuzz_load_with(const uint8_t *data, size_t size, sn_load_opts opts, const uint64_t *bytes_read)
{
    counting_heap heap = { 0 };
    sn_error error;
    opts.allocator = counting_allocator(&heap);
    opts.limits.elements = 1 << 20;
    uint8_t choice = size > 0 ? data[size / 3] : 0;
    opts.tangents = choice & 1, opts.continuous = choice & 2, opts.keep_document = choice & 4;
    opts.max_influences = choice & 8 ? 2 : 0;
    opts.game = (sn_game)(choice / 16 % (SN_GAME_DARK_CLOUD_2 + 1));
    sn_model *model = sn_load_memory(data, size, &opts, &error);
    if (heap.peak_bytes > (16u << 20) + 32 * (size + *bytes_read)) abort();
    if (!model) {
        check_error(&error);
    } else {
        check_model(model);
        exercise_model_within(model, NULL, 20000);
        if (data[size / 2] % 4 == 1) check_runtime(model, data[size / 4], 6000);
        fuzz_save(model, opts.lint, data[size / 2]);
        if (opts.keep_document) fuzz_save_document(model, opts.name);
        sn_model_free(model);
    }
    if (heap.live_blocks != 0) abort();
}

static inline void fuzz_load(const uint8_t *data, size_t size, bool lint)
{
    fuzz_input in = { data, size, 0 };
    fuzz_load_with(data, size, (sn_load_opts){ .lint = lint, .open_ref = fuzz_open_ref, .user = &in }, &in.bytes_read);
}

#endif
