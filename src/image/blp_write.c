// BLP1 of Warcraft III with all mip levels: a palette of 256 colours and eight bits of alpha, or JPEG.
#include <string.h>

#include "image/image.h"

enum { COLORS = 256, SIDE = 32, BINS = SIDE * SIDE * SIDE, OFFSETS = 28, SIZES = 92, HEADER = 156, SLOTS = 1024 };

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

// Up to the palette or the header of the JPEGs. Offsets and sizes of the levels follow when they are known.
static void write_header(sni_writer *out, bool has_palette, uint32_t alpha_bits, const sn_pixels *largest)
{
    enum { MAGIC = 'B' | 'L' << 8 | 'P' << 16 | '1' << 24, WITH_ALPHA = 4, NO_ALPHA = 5 };
    const uint32_t head[7] = {
        MAGIC, has_palette, alpha_bits, largest->width, largest->height, alpha_bits > 0 ? WITH_ALPHA : NO_ALPHA, 1
    };
    sni_write_words(out, head, 7);
    sni_write_fill(out, 0, HEADER - sizeof head);
}

static void patch_level(sni_writer *out, uint32_t level, size_t start)
{
    sni_patch_u32(out, OFFSETS + 4 * (size_t)level, (uint32_t)start);
    sni_patch_u32(out, SIZES + 4 * (size_t)level, (uint32_t)(out->size - start));
}

bool sni_blp_write(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *pixels, uint32_t *error)
{
    sni_mips mips;
    quantizer *q = sni_new(scratch, quantizer, 1);
    if (!q || !sni_mips_make(scratch, diag, pixels, 1, &mips) || !make_palette(q, scratch, &mips.levels[0]))
        return false;
    write_header(out, true, 8, &mips.levels[0]);
    for (uint32_t i = 0; i < COLORS; i++) {
        const uint8_t *rgb = q->palette[i];
        sni_write_u32(out, i < q->box_count ? rgb[2] | (uint32_t)rgb[1] << 8 | (uint32_t)rgb[0] << 16 : 0);
    }
    *error = 0;
    for (uint32_t level = 0; level < mips.count; level++) {
        const uint8_t *rgba = mips.levels[level].rgba;
        const size_t start = out->size, count = (size_t)mips.levels[level].width * mips.levels[level].height;
        uint8_t *at = sni_write_room(out, 2 * count);
        if (!at) return false;
        for (size_t i = 0; i < count; i++) {
            at[i] = index_of(q, rgba + 4 * i);
            at[count + i] = rgba[4 * i + 3];
            for (size_t c = 0; level == 0 && c < 3; c++) {
                const int off = rgba[4 * i + c] - q->palette[at[i]][c];
                if ((uint32_t)(off < 0 ? -off : off) > *error) *error = (uint32_t)(off < 0 ? -off : off);
            }
        }
        out->size += 2 * count;
        patch_level(out, level, start);
    }
    return true;
}

// The tables of the JPEGs are their shared header: the game puts it before each level.
bool sni_blp_write_jpeg(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *pixels, uint32_t *error)
{
    sni_mips mips;
    if (!sni_mips_make(scratch, diag, pixels, 1, &mips)) return false;
    write_header(out, false, sni_pixels_have_alpha(pixels) ? 8 : 0, &mips.levels[0]);
    const size_t tables = out->size;
    sni_write_u32(out, 0);
    sni_jpeg_write_tables(out);
    sni_patch_u32(out, tables, (uint32_t)(out->size - tables - 4));
    *error = 0;
    for (uint32_t level = 0; level < mips.count && !out->failed; level++) {
        const size_t start = out->size;
        const uint32_t worst = sni_jpeg_write_raw(out, &mips.levels[level]);
        if (level == 0) *error = worst;
        patch_level(out, level, start);
    }
    return !out->failed;
}
