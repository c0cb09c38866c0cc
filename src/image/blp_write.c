// BLP1 of Warcraft III with a palette of 256 colours, eight bits of alpha and all mip levels.
#include <string.h>

#include "image/image.h"

enum { COLORS = 256, SIDE = 32, BINS = SIDE * SIDE * SIDE, LEVELS = 16, HEADER = 156, LARGEST = 1 << 15, SLOTS = 1024 };

// Pixels whose colours share the upper five bits of each channel.
typedef struct bin {
    uint32_t count;
    uint64_t sums[3];
} bin;

// Bins of the histogram, in an array that boxes share: those of a box are adjacent.
typedef struct box {
    uint32_t first, count;  // of bins
    uint64_t pixels;
    double spread;  // sum of the squared distances from the mean, along `axis`
    int axis;       // the one with the most
} box;

typedef struct quantizer {
    bin *bins;
    uint16_t *order;  // numbers of used bins
    box boxes[COLORS];
    uint32_t box_count;
    uint8_t palette[COLORS][3];  // red, green, blue
    int16_t *nearest;            // per bin: a colour of the palette, -1: not known yet
    int16_t slots[SLOTS];        // of a hash table of the palette, while all colours are in it
} quantizer;

static uint32_t bin_of(const uint8_t *rgb)
{
    return (uint32_t)(rgb[0] >> 3) << 10 | (uint32_t)(rgb[1] >> 3) << 5 | (uint32_t)(rgb[2] >> 3);
}

static double mean_of(const bin *b, int axis) { return (double)b->sums[axis] / b->count; }

static void measure(const quantizer *q, box *b)
{
    double sums[3] = { 0 }, squares[3] = { 0 };
    b->pixels = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        const bin *one = &q->bins[q->order[b->first + i]];
        b->pixels += one->count;
        for (int c = 0; c < 3; c++) {
            sums[c] += (double)one->sums[c];
            squares[c] += mean_of(one, c) * mean_of(one, c) * one->count;
        }
    }
    b->spread = -1.0;
    for (int c = 0; c < 3; c++) {
        const double spread = squares[c] - sums[c] * sums[c] / (double)b->pixels;
        if (spread > b->spread) b->spread = spread, b->axis = c;
    }
}

// Splits at the mean of its widest axis; false: all its bins are on one side.
static bool split(quantizer *q, uint32_t index)
{
    box *b = &q->boxes[index], *more = &q->boxes[q->box_count];
    double sum = 0.0;
    for (uint32_t i = 0; i < b->count; i++) sum += (double)q->bins[q->order[b->first + i]].sums[b->axis];
    const double middle = sum / (double)b->pixels;
    uint32_t low = b->first, high = b->first + b->count;
    while (low < high) {
        const uint16_t at = q->order[low];
        if (mean_of(&q->bins[at], b->axis) <= middle) {
            low++;
        } else {
            q->order[low] = q->order[--high];
            q->order[high] = at;
        }
    }
    const uint32_t left = low - b->first, right = b->count - left;
    if (left == 0 || right == 0) return false;
    *more = (box){ .first = low, .count = right };
    b->count = left;
    measure(q, b);
    measure(q, more);
    q->box_count++;
    return true;
}

// Variance-based median cut: the box that spreads most is split until there are 256.
static void cut(quantizer *q, uint32_t used)
{
    q->boxes[0] = (box){ .count = used };
    q->box_count = 1;
    measure(q, &q->boxes[0]);
    while (q->box_count < COLORS) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < q->box_count; i++)
            if (q->boxes[i].spread > q->boxes[best].spread) best = i;
        if (!(q->boxes[best].spread > 0.0)) break;
        if (!split(q, best)) q->boxes[best].spread = 0.0;
    }
    for (uint32_t i = 0; i < q->box_count; i++) {
        const box *b = &q->boxes[i];
        uint64_t sums[3] = { 0 };
        for (uint32_t k = 0; k < b->count; k++)
            for (int c = 0; c < 3; c++) sums[c] += q->bins[q->order[b->first + k]].sums[c];
        for (int c = 0; c < 3; c++) q->palette[i][c] = (uint8_t)((sums[c] + b->pixels / 2) / b->pixels);
    }
}

static int16_t *slot_of(quantizer *q, const uint8_t *rgb)
{
    uint32_t at = (rgb[0] * 31u + rgb[1] * 257u + rgb[2] * 7919u) % SLOTS;
    while (q->slots[at] >= 0 && memcmp(q->palette[q->slots[at]], rgb, 3) != 0) at = (at + 1) % SLOTS;
    return &q->slots[at];
}

// An image of at most 256 colours keeps them as they are.
static bool take_exact(quantizer *q, const sn_pixels *pixels)
{
    memset(q->slots, -1, sizeof q->slots);
    for (uint64_t i = 0; i < (uint64_t)pixels->width * pixels->height; i++) {
        const uint8_t *rgb = pixels->rgba + 4 * i;
        int16_t *slot = slot_of(q, rgb);
        if (*slot >= 0) continue;
        if (q->box_count == COLORS) return false;
        *slot = (int16_t)q->box_count;
        memcpy(q->palette[q->box_count++], rgb, 3);
    }
    return true;
}

static bool make_palette(quantizer *q, sni_arena *scratch, const sn_pixels *pixels)
{
    uint32_t used = 0;
    q->nearest = sni_new_raw(scratch, int16_t, BINS);
    if (!q->nearest) return false;
    memset(q->nearest, -1, BINS * sizeof *q->nearest);
    if (take_exact(q, pixels)) return true;
    q->bins = sni_new(scratch, bin, BINS);
    q->order = sni_new_raw(scratch, uint16_t, BINS);
    if (!q->bins || !q->order) return false;
    for (uint64_t i = 0; i < (uint64_t)pixels->width * pixels->height; i++) {
        const uint8_t *rgb = pixels->rgba + 4 * i;
        bin *b = &q->bins[bin_of(rgb)];
        b->count++;
        for (int c = 0; c < 3; c++) b->sums[c] += rgb[c];
    }
    for (uint32_t i = 0; i < BINS; i++)
        if (q->bins[i].count > 0) q->order[used++] = (uint16_t)i;
    cut(q, used);
    return true;
}

static uint32_t distance(const uint8_t *a, const uint8_t *b)
{
    uint32_t sum = 0;
    for (int c = 0; c < 3; c++) sum += (uint32_t)((a[c] - b[c]) * (a[c] - b[c]));
    return sum;
}

// The colour nearest to this one, or to another one of its bin.
static uint8_t index_of(quantizer *q, const uint8_t *rgb)
{
    int16_t *known = &q->nearest[bin_of(rgb)];
    const int16_t exact = q->bins ? -1 : *slot_of(q, rgb);
    if (exact >= 0) return (uint8_t)exact;
    if (*known >= 0) return (uint8_t)*known;
    uint32_t best = 0;
    for (uint32_t i = 1; i < q->box_count; i++)
        if (distance(q->palette[i], rgb) < distance(q->palette[best], rgb)) best = i;
    *known = (int16_t)best;
    return (uint8_t)best;
}

// Half as large. Colours weigh as much as they show, so that what is transparent does not bleed in.
static void halve(const uint8_t *from, uint32_t width, uint32_t height, uint8_t *to)
{
    const uint32_t w = sni_mip_side(width, 1), h = sni_mip_side(height, 1);
    for (uint32_t y = 0; y < h; y++)
        for (uint32_t x = 0; x < w; x++, to += 4) {
            uint32_t sums[3] = { 0 }, plain[3] = { 0 }, alpha = 0;
            for (uint32_t k = 0; k < 4; k++) {
                const uint32_t fx = width > 1 ? 2 * x + (k & 1) : 0, fy = height > 1 ? 2 * y + (k >> 1) : 0;
                const uint8_t *at = from + 4 * ((size_t)fy * width + fx);
                for (int c = 0; c < 3; c++) sums[c] += (uint32_t)at[c] * at[3], plain[c] += at[c];
                alpha += at[3];
            }
            for (int c = 0; c < 3; c++)
                to[c] = (uint8_t)(alpha > 0 ? (sums[c] + alpha / 2) / alpha : (plain[c] + 2) / 4);
            to[3] = (uint8_t)((alpha + 2) / 4);
        }
}

static uint32_t power_above(uint32_t side)
{
    uint32_t power = 1;
    while (power < side) power *= 2;
    return power;
}

// Bilinear, edges held.
static uint8_t *stretch(sni_arena *scratch, const sn_pixels *pixels, uint32_t width, uint32_t height)
{
    uint8_t *out = sni_new_raw(scratch, uint8_t, 4ull * width * height), *to = out;
    for (uint32_t y = 0; out && y < height; y++)
        for (uint32_t x = 0; x < width; x++, to += 4) {
            const double px = (x + 0.5) * pixels->width / width - 0.5, py = (y + 0.5) * pixels->height / height - 0.5;
            const uint32_t x0 = px > 0 ? (uint32_t)px : 0, y0 = py > 0 ? (uint32_t)py : 0;
            const uint32_t x1 = x0 + 1 < pixels->width ? x0 + 1 : x0, y1 = y0 + 1 < pixels->height ? y0 + 1 : y0;
            const double u = px > x0 ? px - x0 : 0.0, v = py > y0 ? py - y0 : 0.0;
            const uint8_t *rows[2] = { pixels->rgba + 4 * (size_t)y0 * pixels->width,
                                       pixels->rgba + 4 * (size_t)y1 * pixels->width };
            for (uint32_t c = 0; c < 4; c++) {
                const double top = rows[0][4 * x0 + c] * (1 - u) + rows[0][4 * x1 + c] * u,
                             low = rows[1][4 * x0 + c] * (1 - u) + rows[1][4 * x1 + c] * u;
                to[c] = (uint8_t)(top * (1 - v) + low * v + 0.5);
            }
        }
    return out;
}

static void write_header(sni_writer *out, uint32_t width, uint32_t height, const quantizer *q)
{
    enum { MAGIC = 'B' | 'L' << 8 | 'P' << 16 | '1' << 24, PALETTE = 1, ALPHA_BITS = 8, WITH_ALPHA = 4 };
    const uint32_t head[7] = { MAGIC, PALETTE, ALPHA_BITS, width, height, WITH_ALPHA, 1 };
    uint32_t offsets[LEVELS] = { 0 }, sizes[LEVELS] = { 0 }, at = HEADER + 4 * COLORS;
    for (uint32_t i = 0; i < LEVELS; i++) {
        offsets[i] = at;
        sizes[i] = 2 * sni_mip_side(width, i) * sni_mip_side(height, i);
        at += sizes[i];
        if (sni_mip_side(width, i) == 1 && sni_mip_side(height, i) == 1) break;
    }
    sni_write_words(out, head, 7);
    sni_write_words(out, offsets, LEVELS);
    sni_write_words(out, sizes, LEVELS);
    for (uint32_t i = 0; i < COLORS; i++) {
        const uint8_t *rgb = q->palette[i];
        sni_write_u32(out, i < q->box_count ? rgb[2] | (uint32_t)rgb[1] << 8 | (uint32_t)rgb[0] << 16 : 0);
    }
}

bool sni_blp_write(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *pixels, uint32_t *error)
{
    quantizer *q = sni_new(scratch, quantizer, 1);
    uint32_t width = power_above(pixels->width), height = power_above(pixels->height);
    if (pixels->width > LARGEST || pixels->height > LARGEST)
        return sni_fail(diag, SN_ERR_LIMIT, 0, "%u x %u pixels are too many for a BLP", pixels->width, pixels->height);
    sn_pixels whole = { .width = width, .height = height, .rgba = pixels->rgba };
    if (width != pixels->width || height != pixels->height) whole.rgba = stretch(scratch, pixels, width, height);
    if (!q || !whole.rgba || !make_palette(q, scratch, &whole)) return false;
    uint8_t *half = sni_new_raw(scratch, uint8_t, 4ull * sni_mip_side(width, 1) * sni_mip_side(height, 1));
    uint8_t *quarter = sni_new_raw(scratch, uint8_t, 4ull * sni_mip_side(width, 2) * sni_mip_side(height, 2));
    if (!half || !quarter) return false;
    write_header(out, width, height, q);
    *error = 0;
    for (const uint8_t *level = whole.rgba;; width = sni_mip_side(width, 1), height = sni_mip_side(height, 1)) {
        const size_t count = (size_t)width * height;
        uint8_t *at = sni_write_room(out, 2 * count);
        if (!at) return false;
        for (size_t i = 0; i < count; i++) {
            at[i] = index_of(q, level + 4 * i);
            at[count + i] = level[4 * i + 3];
            for (size_t c = 0; level == whole.rgba && c < 3; c++) {
                const int off = level[4 * i + c] - q->palette[at[i]][c];
                if ((uint32_t)(off < 0 ? -off : off) > *error) *error = (uint32_t)(off < 0 ? -off : off);
            }
        }
        out->size += 2 * count;
        if (width == 1 && height == 1) return true;
        uint8_t *next = level == half ? quarter : half;
        halve(level, width, height, next);
        level = next;
    }
}
