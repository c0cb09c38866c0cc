#include "image/gif.h"
#include "image/png.h"
#include "io/file.h"

typedef bool write_film(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *frames,
                        const float *delays, uint32_t count);

static bool write_still(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *frames,
                        const float *delays, uint32_t count)
{
    (void)delays, (void)count;
    return sni_png_write(out, scratch, diag, frames);
}

static sn_status save(write_film *write, const sn_pixels *frames, const float *delays, uint32_t count, const char *path,
                      sn_error *error)
{
    sni_diag diag;
    sni_heap heap;
    sni_arena scratch;
    sni_writer out;
    sni_diag_init(&diag, NULL);
    sni_heap_init(&heap, &frames->allocator, UINT64_MAX);
    heap.diag = &diag;
    sni_arena_init(&scratch, &heap);
    sni_writer_init(&out, &heap);
    if (write(&out, &scratch, &diag, frames, delays, count)) sni_file_write(path, out.data, out.size, &diag);
    sni_writer_free(&out);
    sni_arena_free(&scratch);
    if (error) *error = diag.error;
    return diag.error.status;
}

sn_status sn_pixels_save(const sn_pixels *pixels, const char *path, sn_error *error)
{
    return save(write_still, pixels, NULL, 1, path, error);
}

sn_status sn_pixels_save_apng(const sn_pixels *frames, const float *seconds, uint32_t count, const char *path,
                              sn_error *error)
{
    return save(sni_apng_write, frames, seconds, count, path, error);
}

sn_status sn_pixels_save_gif(const sn_pixels *frames, const float *seconds, uint32_t count, const char *path,
                             sn_error *error)
{
    return save(sni_gif_write, frames, seconds, count, path, error);
}
