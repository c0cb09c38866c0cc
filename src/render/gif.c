// Animated GIF: one palette by median cut, LZW.
#include "render/animation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 1 << 15, COLORS = 256, TRANSPARENT = COLORS - 1, OPAQUE_FROM = 128 };

// The palette, by median cut: colours are counted in bins of five bits per channel, the bins are split into boxes, and
// each box becomes its mean colour.

typedef struct bin {
    uint32_t count;
    uint64_t sum[3];
} bin;
// A range of the list of used bins.
typedef struct cut {
    uint32_t first, count;
    uint64_t pixels;
} cut;

typedef struct palette {
    uint8_t colors[COLORS][3];
    uint32_t count;
    bool has_holes;  // some pixel is transparent: the last index is reserved
    uint8_t index_of[BINS];
} palette;

static uint32_t bin_of(const uint8_t *rgba)
{
    return (uint32_t)(rgba[0] >> 3) << 10 | (uint32_t)(rgba[1] >> 3) << 5 | rgba[2] >> 3;
}

static uint32_t channel_of(uint32_t bin_number, int channel) { return bin_number >> (10 - 5 * channel) & 31; }

static void count_colors(const sn_pixels *frame, bin *bins, bool *has_holes)
{
    const uint8_t *end = frame->rgba + (size_t)frame->width * frame->height * 4;
    for (const uint8_t *at = frame->rgba; at < end; at += 4) {
        if (at[3] < OPAQUE_FROM) {
            *has_holes = true;
            continue;
        }
        bin *b = &bins[bin_of(at)];
        b->count++;
        for (int c = 0; c < 3; c++) b->sum[c] += at[c];
    }
}

// A total order, so that qsort gives the same list on every system.
static int compare_bins(const void *a, const void *b, int channel)
{
    uint16_t x = *(const uint16_t *)a, y = *(const uint16_t *)b;
    int order = (int)channel_of(x, channel) - (int)channel_of(y, channel);
    return order ? order : (int)x - (int)y;
}
static int by_red(const void *a, const void *b) { return compare_bins(a, b, 0); }
static int by_green(const void *a, const void *b) { return compare_bins(a, b, 1); }
static int by_blue(const void *a, const void *b) { return compare_bins(a, b, 2); }

static int widest_channel(const uint16_t *used, const cut *box, uint32_t *width)
{
    int widest = 0;
    *width = 0;
    for (int c = 0; c < 3; c++) {
        uint32_t least = 31, most = 0;
        for (uint32_t i = 0; i < box->count; i++) {
            uint32_t value = channel_of(used[box->first + i], c);
            least = value < least ? value : least;
            most = value > most ? value : most;
        }
        if (most - least <= *width) continue;
        *width = most - least;
        widest = c;
    }
    return widest;
}

// The widest and most populated box. -1: none can be split.
static int32_t find_box_to_cut(const uint16_t *used, const cut *boxes, uint32_t count)
{
    int32_t best = -1;
    double most = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t width;
        widest_channel(used, &boxes[i], &width);
        double worth = (double)width * width * sqrt((double)boxes[i].pixels);
        if (boxes[i].count < 2 || worth <= most) continue;
        most = worth;
        best = (int32_t)i;
    }
    return best;
}

// Splits a box at the median pixel of its widest channel.
static void cut_box(uint16_t *used, const bin *bins, cut *box, cut *other)
{
    int (*const orders[3])(const void *, const void *) = { by_red, by_green, by_blue };
    uint32_t width, half = 0;
    uint64_t seen = 0;
    qsort(used + box->first, box->count, sizeof *used, orders[widest_channel(used, box, &width)]);
    while (half + 1 < box->count && (half == 0 || seen + bins[used[box->first + half]].count <= box->pixels / 2))
        seen += bins[used[box->first + half++]].count;
    *other = (cut){ box->first + half, box->count - half, box->pixels - seen };
    *box = (cut){ box->first, half, seen };
}

static void average_box(const uint16_t *used, const bin *bins, const cut *box, uint8_t color[3])
{
    uint64_t sum[3] = { 0 };
    for (uint32_t i = 0; i < box->count; i++)
        for (int c = 0; c < 3; c++) sum[c] += bins[used[box->first + i]].sum[c];
    for (int c = 0; c < 3; c++) color[c] = (uint8_t)((sum[c] + box->pixels / 2) / box->pixels);
}

static uint8_t nearest_color(const palette *p, const bin *b)
{
    uint32_t best = 0;
    int64_t least = INT64_MAX;
    int32_t mean[3];
    for (int c = 0; c < 3; c++) mean[c] = (int32_t)(b->sum[c] / b->count);
    for (uint32_t i = 0; i < p->count; i++) {
        int32_t r = mean[0] - p->colors[i][0], g = mean[1] - p->colors[i][1], bl = mean[2] - p->colors[i][2];
        int64_t distance = 3 * (int64_t)r * r + 6 * (int64_t)g * g +
                           (int64_t)bl * bl;  // weighted by perceived brightness
        if (distance >= least) continue;
        least = distance;
        best = i;
    }
    return (uint8_t)best;
}

static palette *make_palette(sni_arena *scratch, const sn_pixels *frames, uint32_t frame_count)
{
    palette *p = sni_new(scratch, palette, 1);
    bin *bins = sni_new(scratch, bin, BINS);
    uint16_t *used = sni_new_raw(scratch, uint16_t, BINS);
    cut boxes[COLORS];
    uint32_t count = 0;
    if (!p || !bins || !used) return NULL;
    for (uint32_t i = 0; i < frame_count; i++) count_colors(&frames[i], bins, &p->has_holes);
    boxes[0] = (cut){ 0 };
    for (uint32_t i = 0; i < BINS; i++) {
        if (bins[i].count == 0) continue;
        used[boxes[0].count++] = (uint16_t)i;
        boxes[0].pixels += bins[i].count;
    }
    uint32_t most = p->has_holes ? COLORS - 1 : COLORS;
    for (count = boxes[0].count > 0; count > 0 && count < most; count++) {
        int32_t chosen = find_box_to_cut(used, boxes, count);
        if (chosen < 0) break;
        cut_box(used, bins, &boxes[chosen], &boxes[count]);
    }
    p->count = count;
    for (uint32_t i = 0; i < count; i++) average_box(used, bins, &boxes[i], p->colors[i]);
    for (uint32_t i = 0; i < BINS; i++)
        if (bins[i].count > 0) p->index_of[i] = nearest_color(p, &bins[i]);
    return p;
}

// LZW. A string is its last index and the code of the string before it, in a hash table.

enum { CLEAR = 256, END = 257, FIRST_CODE = 258, MOST_CODES = 4096, SLOTS = 1 << 13 };

typedef struct packer {
    sni_writer *out;
    uint32_t keys[SLOTS];  // 1 + (string << 8 | index); 0: empty
    uint16_t codes[SLOTS];
    uint32_t next, width;      // the next free code, bits per code
    uint32_t bits, bit_count;  // not yet written
    uint8_t block[255];
    uint32_t used;
} packer;

static void flush_block(packer *p)
{
    if (p->used == 0) return;
    sni_write_u8(p->out, (uint8_t)p->used);
    sni_write_bytes(p->out, p->block, p->used);
    p->used = 0;
}

static void put_byte(packer *p)
{
    p->block[p->used++] = (uint8_t)p->bits;
    if (p->used == sizeof p->block) flush_block(p);
}

static void put_code(packer *p, uint32_t code)
{
    p->bits |= code << p->bit_count;
    for (p->bit_count += p->width; p->bit_count >= 8; p->bit_count -= 8, p->bits >>= 8) put_byte(p);
}

static void reset_codes(packer *p)
{
    put_code(p, CLEAR);
    memset(p->keys, 0, sizeof p->keys);
    p->next = FIRST_CODE;
    p->width = 9;
}

static uint32_t find_slot(const packer *p, uint32_t key)
{
    uint32_t slot = key * 0x9E3779B1u >> 19;
    while (p->keys[slot] && p->keys[slot] != key) slot = (slot + 1) % SLOTS;
    return slot;
}

static void add_string(packer *p, uint32_t slot, uint32_t key)
{
    if (p->next == MOST_CODES) {
        reset_codes(p);
        return;
    }
    p->keys[slot] = key;
    p->codes[slot] = (uint16_t)p->next;
    if (p->next++ == 1u << p->width) p->width++;
}

static uint32_t index_at(const palette *colors, const uint8_t *rgba)
{
    return rgba[3] < OPAQUE_FROM ? TRANSPARENT : colors->index_of[bin_of(rgba)];
}

static void pack_pixels(packer *p, const palette *colors, const sn_pixels *frame, sni_pixel_box of)
{
    uint32_t string = UINT32_MAX;
    sni_write_u8(p->out, 8);  // bits per index
    p->width = 9;
    reset_codes(p);
    for (uint32_t y = 0; y < of.height; y++) {
        const uint8_t *at = frame->rgba + ((size_t)(of.y + y) * frame->width + of.x) * 4;
        for (uint32_t x = 0; x < of.width; x++, at += 4) {
            uint32_t index = index_at(colors, at), key = 1 + (string << 8 | index), slot = find_slot(p, key);
            if (string == UINT32_MAX) {
                string = index;
            } else if (p->keys[slot]) {
                string = p->codes[slot];
            } else {
                put_code(p, string);
                add_string(p, slot, key);
                string = index;
            }
        }
    }
    put_code(p, string);
    if (p->next == 1u << p->width && p->width < 12) p->width++;  // the decoder has added a code by now
    put_code(p, END);
    if (p->bit_count > 0) put_byte(p);
    flush_block(p);
    sni_write_u8(p->out, 0);
}

static void write_screen(sni_writer *out, const palette *colors, const sn_pixels *frame)
{
    sni_write_text(out, "GIF89a");
    sni_write_u16(out, (uint16_t)frame->width);
    sni_write_u16(out, (uint16_t)frame->height);
    sni_write_bytes(out, (const uint8_t[]){ 0xF7, TRANSPARENT, 0 }, 3);  // global palette of 256 colours
    sni_write_bytes(out, colors->colors, sizeof colors->colors);
    sni_write_bytes(out, "\x21\xFF\x0BNETSCAPE2.0\x03\x01\0\0\0", 19);  // loop forever
}

// With transparent pixels each frame is cleared before the next; otherwise only changed pixels are drawn.
static void write_frame_head(sni_writer *out, const palette *colors, sni_pixel_box of, uint32_t hundredths)
{
    sni_write_bytes(out, (const uint8_t[]){ 0x21, 0xF9, 4, colors->has_holes ? 2 << 2 | 1 : 1 << 2 }, 4);
    sni_write_u16(out, (uint16_t)hundredths);
    sni_write_bytes(out, (const uint8_t[]){ TRANSPARENT, 0, 0x2C }, 3);
    sni_write_u16(out, (uint16_t)of.x), sni_write_u16(out, (uint16_t)of.y);
    sni_write_u16(out, (uint16_t)of.width), sni_write_u16(out, (uint16_t)of.height);
    sni_write_u8(out, 0);
}

static uint32_t hundredths_until(double seconds) { return (uint32_t)floor(seconds * 100.0 + 0.5); }

bool sni_gif_write(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *frames, const float *delays,
                   uint32_t count)
{
    if (frames->width > UINT16_MAX || frames->height > UINT16_MAX)
        return sni_fail(diag, SN_ERR_LIMIT, 0, "%u x %u pixels are too many for a GIF", frames->width, frames->height);
    palette *colors = make_palette(scratch, frames, count);
    packer *p = sni_new(scratch, packer, 1);
    double time = 0.0;
    uint32_t shown = 0;
    if (!colors || !p) return false;
    p->out = out;
    write_screen(out, colors, frames);
    for (uint32_t i = 0; i < count && !out->failed; i++) {
        bool is_whole = i == 0 || colors->has_holes;
        sni_pixel_box of = is_whole ? (sni_pixel_box){ 0, 0, frames->width, frames->height }
                                    : sni_changed_box(&frames[i - 1], &frames[i]);
        time += delays[i] > 0.0f && delays[i] < 600.0f ? (double)delays[i] : 0.0;
        uint32_t until = hundredths_until(time), delay = until > shown + 2 ? until - shown : 2;
        shown += delay;
        write_frame_head(out, colors, of, delay < UINT16_MAX ? delay : UINT16_MAX);
        pack_pixels(p, colors, &frames[i], of);
        p->bits = p->bit_count = 0;
    }
    sni_write_u8(out, 0x3B);
    return !out->failed;
}
