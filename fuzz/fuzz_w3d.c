// Any bytes as W3D: parsed, whatever they look like, every channel decoded, written again (the same bytes, also through
// text) and located; then all that any model goes through, and some once more with themselves as the file of their
// animations.
//
//     build/asan/fuzz_w3d -dict=fuzz/w3d.dict -max_len=16384 CORPUS fuzz/seeds/w3d samples tests/regress
#include "check_w3d_text.h"
#include "format/w3d/w3d_doc.h"
#include "fuzz_load.h"

#include <stdlib.h>

static void decode_all(sni_load *load, const w3d_doc *doc)
{
    for (uint32_t i = 0; i < doc->animation_count; i++) {
        const w3d_animation *animation = &doc->animations[i];
        w3d_keys keys;
        for (uint32_t k = 0; k < animation->channel_count; k++)
            if (!w3d_decode_channel(load, &animation->channels[k], &keys)) return;
    }
}

static void write_again(sni_heap *heap, const w3d_doc *doc, const uint8_t *data, size_t size)
{
    sni_writer out;
    sni_writer_init(&out, heap);
    w3d_write(doc, &out);
    if (!out.failed && (out.size != size || (size > 0 && memcmp(out.data, data, size) != 0))) abort();
    sni_writer_free(&out);
}

static void parse_once(const uint8_t *data, size_t size)
{
    counting_heap counts = { 0 };
    sni_heap heap;
    sni_load load;
    w3d_doc doc = { 0 };
    char path[112];
    sn_allocator allocator = counting_allocator(&counts);
    sni_heap_init(&heap, &allocator, UINT64_MAX);
    sni_load_init(&load, &heap, NULL);
    sni_load_count_input(&load, size);
    if (w3d_parse(&load, (sni_bytes){ data, size }, &doc)) {
        if (load.diag.depth != 0) abort();
        for (size_t at = 0; at < size; at += 1 + size / 16) w3d_locate(&doc, at, path);
        write_again(&heap, &doc, data, size);
        decode_all(&load, &doc);
    } else {
        check_error(&load.diag.error);
    }
    sni_arena_free(&load.scratch);
    sni_arena_free(&load.keep);
    if (counts.live_blocks != 0) abort();
}

static void join_once(const uint8_t *data, size_t size)
{
    counting_heap heap = { 0 };
    fuzz_input in = { data, size, 0 };
    sn_error error;
    size_t start = size / 2 & ~(size_t)7;
    const sn_companion companions[2] = { { "same.w3d", data, size }, { "half.w3d", data + start, size - start } };
    sn_load_opts opts = { .allocator = counting_allocator(&heap),
                          .limits = { .elements = 1 << 20 },
                          .companions = companions,
                          .companion_count = size % 8 ? 1 : 2,
                          .open_ref = fuzz_open_ref,
                          .user = &in };
    sn_model *model = sn_load_memory(data, size, &opts, &error);
    if (heap.peak_bytes > (16u << 20) + 32 * (3 * (uint64_t)size + in.bytes_read)) abort();
    if (!model) {
        check_error(&error);
    } else {
        check_model(model);
        exercise_model_within(model, NULL, 20000);
        fuzz_save(model, false, data[size / 2]);
        sn_model_free(model);
    }
    if (heap.live_blocks != 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    parse_once(data, size);
    fuzz_load(data, size, size & 1);
    if (size % 4 == 0) join_once(data, size);
    if (size % 4 == 1) check_w3d_text(data, size);
    return 0;
}
