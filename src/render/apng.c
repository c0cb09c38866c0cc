// Animated PNG, and saving of animations.
#include "render/animation.h"

#include <math.h>
#include <string.h>

#include "io/file.h"

sni_pixel_box sni_changed_box(const sn_pixels *before, const sn_pixels *now)
{
    uint32_t left = now->width, right = 0, top = now->height, bottom = 0;
    for (uint32_t y = 0; y < now->height; y++) {
        size_t row = (size_t)y * now->width * 4;
        if (memcmp(before->rgba + row, now->rgba + row, (size_t)now->width * 4) == 0) continue;
        uint32_t first = 0, last = now->width - 1;
        while (memcmp(before->rgba + row + 4 * (size_t)first, now->rgba + row + 4 * (size_t)first, 4) == 0) first++;
        while (memcmp(before->rgba + row + 4 * (size_t)last, now->rgba + row + 4 * (size_t)last, 4) == 0) last--;
        left = first < left ? first : left;
        right = last > right ? last : right;
        top = y < top ? y : top;
        bottom = y;
    }
    return top == now->height ? (sni_pixel_box){ 0, 0, 1, 1 }
                              : (sni_pixel_box){ left, top, right - left + 1, bottom - top + 1 };
}

// The best fraction of two 16-bit numbers for a delay, by continued fractions: 1/30 stays 1/30.
static void split_delay(double seconds, uint16_t *numerator, uint16_t *denominator)
{
    const double most = 65535.0;
    double rest = seconds > 0.0 ? seconds : 0.0, n0 = 0.0, n1 = 1.0, d0 = 1.0, d1 = 0.0;
    if (rest > most) rest = most;
    for (int step = 0; step < 24; step++) {
        double digit = floor(rest), n = digit * n1 + n0, d = digit * d1 + d0;
        if (n > most || d > most) break;
        n0 = n1, n1 = n, d0 = d1, d1 = d;
        if (rest - digit < 1e-6 || fabs(n1 / d1 - seconds) < 1e-9) break;
        rest = 1.0 / (rest - digit);
    }
    *numerator = (uint16_t)n1;
    *denominator = (uint16_t)d1;
}

static void write_big16(sni_writer *out, uint16_t value)
{
    sni_write_u8(out, (uint8_t)(value >> 8));
    sni_write_u8(out, (uint8_t)value);
}

static void write_frame_control(sni_writer *out, uint32_t number, sni_pixel_box of, float delay)
{
    uint16_t numerator, denominator;
    size_t start = sni_png_chunk_begin(out, "fcTL");
    split_delay(delay, &numerator, &denominator);
    sni_png_write_u32(out, number);
    const uint32_t box[4] = { of.width, of.height, of.x, of.y };
    for (int i = 0; i < 4; i++) sni_png_write_u32(out, box[i]);
    write_big16(out, numerator), write_big16(out, denominator);
    write_big16(out, 0);  // dispose none, blend source: the next frame overwrites its box
    sni_png_chunk_end(out, start);
}

static bool write_frame(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sni_png_encoding *how,
                        const sn_pixels *frame, sni_pixel_box of, uint32_t number)
{
    sni_arena rows;
    sni_arena_init(&rows, scratch->heap);
    size_t start = sni_png_chunk_begin(out, number ? "fdAT" : "IDAT");
    if (number) sni_png_write_u32(out, number);
    bool is_written = sni_png_write_pixels(out, &rows, diag, how, frame, of);
    sni_png_chunk_end(out, start);
    sni_arena_free(&rows);
    return is_written;
}

bool sni_apng_write(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *frames, const float *delays,
                    uint32_t count)
{
    sni_png_encoding how;
    uint32_t number = 0;
    if (!sni_png_begin(out, scratch, frames, count, &how)) return false;
    size_t start = sni_png_chunk_begin(out, "acTL");
    sni_png_write_u32(out, count), sni_png_write_u32(out, 0);  // 0: loops forever
    sni_png_chunk_end(out, start);
    sni_png_write_palette(out, &how);
    for (uint32_t i = 0; i < count; i++) {
        sni_pixel_box of = i ? sni_changed_box(&frames[i - 1], &frames[i])
                             : (sni_pixel_box){ 0, 0, frames->width, frames->height };
        write_frame_control(out, number++, of, delays[i]);
        if (!write_frame(out, scratch, diag, &how, &frames[i], of, i ? number++ : 0)) return false;
    }
    sni_png_chunk_end(out, sni_png_chunk_begin(out, "IEND"));
    return !out->failed;
}

typedef bool frames_encoder(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *frames,
                            const float *delays, uint32_t count);

// Encodes in memory, then writes the file.
static sn_status save_frames(frames_encoder *encode, const sn_pixels *frames, const float *delays, uint32_t count,
                             const char *path, sn_error *error)
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
    if (encode(&out, &scratch, &diag, frames, delays, count)) sni_file_write(path, out.data, out.size, &diag);
    sni_writer_free(&out);
    sni_arena_free(&scratch);
    if (error) *error = diag.error;
    return diag.error.status;
}

sn_status sn_pixels_save_apng(const sn_pixels *frames, const float *seconds, uint32_t count, const char *path,
                              sn_error *error)
{
    return save_frames(sni_apng_write, frames, seconds, count, path, error);
}

sn_status sn_pixels_save_gif(const sn_pixels *frames, const float *seconds, uint32_t count, const char *path,
                             sn_error *error)
{
    return save_frames(sni_gif_write, frames, seconds, count, path, error);
}
