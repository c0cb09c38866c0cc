// Motions to and from memory and files that outlive them.
#include <string.h>

#include "anim/motion.h"
#include "io/file.h"
#include "sinew/runtime.h"

sn_status sn_motion_save_memory(const sn_motion *motion, const sn_allocator *allocator, sn_bytes *bytes,
                                sn_error *error)
{
    sni_writer out;
    sni_bytes content = { NULL, 0 };
    sni_owned *owned = sni_owned_begin(allocator, UINT64_MAX, bytes, error);
    if (!owned) return SN_ERR_MEMORY;
    sni_writer_init(&out, &owned->heap);
    bool is_written = sni_motion_write(motion, &out, &owned->diag);
    uint8_t *copy = is_written ? sni_new_raw(&owned->arena, uint8_t, out.size) : NULL;
    if (copy) {
        memcpy(copy, out.data, out.size);
        content = (sni_bytes){ copy, out.size };
    }
    sni_writer_free(&out);
    return sni_owned_end(owned, copy != NULL, content, bytes, error);
}

// With the motion's allocator.
sn_status sn_motion_save_file(const sn_motion *motion, const char *path, sn_error *error)
{
    sni_heap heap;
    sni_diag diag;
    sni_writer out;
    sni_heap_init(&heap, &motion->heap.allocator, UINT64_MAX);
    sni_diag_init(&diag, NULL);
    heap.diag = &diag;
    sni_writer_init(&out, &heap);
    if (sni_motion_write(motion, &out, &diag)) sni_file_write(path, out.data, out.size, &diag);
    sni_writer_free(&out);
    if (error) *error = diag.error;
    return diag.error.status;
}

sn_motion *sn_motion_load_file(const char *path, const sn_model *model, const sn_motion_opts *opts, sn_error *error)
{
    sni_heap heap;
    sni_arena arena;
    sni_diag diag;
    sni_bytes bytes;
    sn_motion *motion = NULL;
    sni_heap_init(&heap, opts ? &opts->allocator : NULL, UINT64_MAX);
    sni_arena_init(&arena, &heap);
    sni_diag_init(&diag, NULL);
    heap.diag = &diag;
    if (sni_file_read(path, 1 << 30, &arena, &diag, &bytes))
        motion = sn_motion_load_memory(bytes.data, bytes.size, model, opts, &diag.error);
    sni_arena_free(&arena);
    if (error) *error = diag.error;
    return motion;
}
