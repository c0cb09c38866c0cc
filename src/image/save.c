#include "base/file.h"
#include "image/png.h"

sn_status sn_pixels_save(const sn_pixels *pixels, const char *path, sn_error *error)
{
    sni_diag diag;
    sni_heap heap;
    sni_arena scratch;
    sni_writer png;
    sni_diag_init(&diag, NULL);
    sni_heap_init(&heap, &pixels->allocator, UINT64_MAX);
    heap.diag = &diag;
    sni_arena_init(&scratch, &heap);
    sni_writer_init(&png, &heap);
    if (sni_png_write(&png, &scratch, &diag, pixels)) sni_file_write(path, png.data, png.size, &diag);
    sni_writer_free(&png);
    sni_arena_free(&scratch);
    if (error) *error = diag.error;
    return diag.error.status;
}
