// Encoders of BC1, BC3 and BC5. The decoder decides: every candidate is measured by the values that it makes of it. All
// arithmetic is exact, so equal pixels give equal blocks everywhere.
#include <string.h>

#include "base/writer.h"
#include "image/bc.h"

enum { PIXELS = 16 };

static const int widths[3] = { 5, 6, 5 };  // bits of red, green, blue

static int expand(int value, int bits) { return value << (8 - bits) | value >> (2 * bits - 8); }

static int clamp(int value, int most) { return value < 0 ? 0 : value > most ? most : value; }

static int64_t divide_rounded(int64_t value, int64_t by)
{
    return value < 0 ? -((-value + by / 2) / by) : (value + by / 2) / by;
}

// Colours

// Channel by channel, for vector instructions. The floats here hold whole numbers below 2^24: they are exact.
typedef struct color_block {
    float rgb[3][PIXELS];
} color_block;

// Two end points of 5, 6 and 5 bits, and where each pixel lies between them, in steps: three, or two for the kind of
// block that has a single colour in between.
typedef struct color_fit {
    int ends[2][3];
    int steps;
    float positions[PIXELS];
    float error;  // sum of squared differences
} color_fit;

// Finds positions and error for the end points.
static void measure_colors(const color_block *in, color_fit *fit)
{
    float colors[4][3], errors[PIXELS];
    for (int c = 0; c < 3; c++) {
        const int a = expand(fit->ends[0][c], widths[c]), b = expand(fit->ends[1][c], widths[c]), n = fit->steps;
        for (int k = 0; k < 4; k++) colors[k][c] = (float)(k < n ? ((n - k) * a + k * b + 1) / n : b);
    }
    for (int i = 0; i < PIXELS; i++) {
        float best = 1e9f, position = 0.0f;
        for (int k = 0; k < 4; k++) {
            const float r = in->rgb[0][i] - colors[k][0], g = in->rgb[1][i] - colors[k][1],
                        b = in->rgb[2][i] - colors[k][2], error = r * r + g * g + b * b;
            position = error < best ? (float)k : position;
            best = error < best ? error : best;
        }
        fit->positions[i] = position;
        errors[i] = best;
    }
    fit->error = 0.0f;
    for (int i = 0; i < PIXELS; i++) fit->error += errors[i];
}

// Least squares: the end points that suit the positions best. False: all pixels are in one place.
static bool solve_ends(const color_block *in, color_fit *fit)
{
    float sum = 0.0f, squares = 0.0f;
    for (int i = 0; i < PIXELS; i++) sum += fit->positions[i], squares += fit->positions[i] * fit->positions[i];
    const int64_t n = fit->steps, s = (int64_t)sum, bb = (int64_t)squares, ab = n * s - bb,
                  aa = n * n * PIXELS - 2 * n * s + bb, determinant = aa * bb - ab * ab;
    if (determinant == 0) return false;
    for (int c = 0; c < 3; c++) {
        float whole = 0.0f, weighted = 0.0f;
        for (int i = 0; i < PIXELS; i++) whole += in->rgb[c][i], weighted += in->rgb[c][i] * fit->positions[i];
        const int most = (1 << widths[c]) - 1;
        const int64_t b = (int64_t)weighted, a = n * (int64_t)whole - b;
        fit->ends[0][c] = clamp((int)divide_rounded(n * (bb * a - ab * b) * most, determinant * 255), most);
        fit->ends[1][c] = clamp((int)divide_rounded(n * (aa * b - ab * a) * most, determinant * 255), most);
    }
    return true;
}

// Projections on the principal axis, by power iteration on the covariance.
static void project(const color_block *in, int along[PIXELS])
{
    int64_t sums[3] = { 0 }, covariance[3][3] = { { 0 } }, axis[3];
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < PIXELS; i++) sums[c] += (int)in->rgb[c][i];
    for (int c = 0; c < 3; c++)
        for (int d = 0; d < 3; d++) {
            float products = 0.0f;
            for (int i = 0; i < PIXELS; i++) products += in->rgb[c][i] * in->rgb[d][i];
            covariance[c][d] = PIXELS * (int64_t)products - sums[c] * sums[d];
        }
    int widest = 0;
    for (int c = 1; c < 3; c++)
        if (covariance[c][c] > covariance[widest][widest]) widest = c;
    memcpy(axis, covariance[widest], sizeof axis);
    for (int round = 0;; round++) {
        int64_t next[3] = { 0 }, largest = 1;
        for (int c = 0; c < 3; c++) {
            const int64_t size = axis[c] < 0 ? -axis[c] : axis[c];
            if (size > largest) largest = size;
        }
        for (int c = 0; c < 3; c++) axis[c] = axis[c] * 1024 / largest;
        if (round == 6) break;
        for (int c = 0; c < 3; c++)
            for (int d = 0; d < 3; d++) next[c] += covariance[c][d] * axis[d];
        memcpy(axis, next, sizeof axis);
    }
    for (int i = 0; i < PIXELS; i++) {
        along[i] = 0;
        for (int c = 0; c < 3; c++) along[i] += (int)axis[c] * (int)in->rgb[c][i];
    }
}

// Positions on the axis between the lowest and the highest pixel, each end moved inwards by so many 64ths of the range.
static void place_on_axis(const int along[PIXELS], const int cuts[2], color_fit *fit)
{
    int low = along[0], high = along[0];
    for (int i = 1; i < PIXELS; i++) {
        if (along[i] < low) low = along[i];
        if (along[i] > high) high = along[i];
    }
    const int range = high - low, start = low + range / 64 * cuts[0], length = range / 64 * (64 - cuts[0] - cuts[1]);
    for (int i = 0; i < PIXELS; i++) {
        const int64_t step = length > 0 ? divide_rounded((int64_t)(along[i] - start) * fit->steps, length) : 0;
        fit->positions[i] = (float)clamp((int)step, fit->steps);
    }
}

// Positions and end points improve each other until neither changes anything.
static void iterate(const color_block *in, color_fit *fit, color_fit *best)
{
    float last = 1e9f;
    for (int round = 0; round < 8 && solve_ends(in, fit); round++) {
        measure_colors(in, fit);
        if (fit->error < best->error) *best = *fit;
        if (fit->error >= last) break;
        last = fit->error;
    }
}

// Moves an end point, or both, by one step of a channel as long as that helps.
static void polish(const color_block *in, color_fit *best)
{
    static const int moves[6][2] = { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 }, { 1, 1 }, { -1, -1 } };
    for (bool is_better = true; is_better && best->error > 0.0f;) {
        is_better = false;
        for (int c = 0; c < 3; c++)
            for (int m = 0; m < 6; m++) {
                color_fit fit = { .steps = best->steps };
                memcpy(fit.ends, best->ends, sizeof fit.ends);
                for (int end = 0; end < 2; end++)
                    fit.ends[end][c] = clamp(fit.ends[end][c] + moves[m][end], (1 << widths[c]) - 1);
                measure_colors(in, &fit);
                if (fit.error < best->error) *best = fit, is_better = true;
            }
    }
}

// Ends whose first colour in between is nearest to a value, rounded as here or down as elsewhere; of equal ones those
// that are closest to each other.
static void fit_value(int value, int bits, int *first, int *second)
{
    const int most = (1 << bits) - 1;
    int best = INT32_MAX;
    for (int a = 0; a <= most; a++) {
        const int nearest = (int)divide_rounded((3 * value - 2 * expand(a, bits)) * most, 255);
        for (int b = clamp(nearest - 1, most); b <= clamp(nearest + 1, most); b++) {
            const int sum = 2 * expand(a, bits) + expand(b, bits), off = (sum + 1) / 3 - value, other = sum / 3 - value;
            const int cost = (off * off + other * other) * 256 + (a > b ? a - b : b - a);
            if (cost < best) best = cost, *first = a, *second = b;
        }
    }
}

static void fit_colors(const color_block *in, bool may_have_two_steps, color_fit *best)
{
    static const int cuts[][2] = { { 0, 0 },   { 4, 4 },   { 8, 8 },  { 12, 12 }, { -64, -64 },
                                   { -32, 0 }, { 0, -32 }, { 0, 32 }, { 32, 0 } };
    int along[PIXELS];
    bool is_solid = true;
    for (int c = 0; c < 3; c++)
        for (int i = 1; i < PIXELS; i++) is_solid = is_solid && in->rgb[c][i] == in->rgb[c][0];
    *best = (color_fit){ .steps = 3, .error = 1e9f };
    if (is_solid) {
        for (int c = 0; c < 3; c++) fit_value((int)in->rgb[c][0], widths[c], &best->ends[0][c], &best->ends[1][c]);
        for (int i = 0; i < PIXELS; i++) best->positions[i] = 1.0f;
        return;
    }
    project(in, along);
    for (int steps = 3; steps >= (may_have_two_steps ? 2 : 3); steps--)
        for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
            color_fit fit = { .steps = steps };
            place_on_axis(along, cuts[i], &fit);
            iterate(in, &fit, best);
        }
    polish(in, best);
}

// The order of the two numbers says how many colours are in between.
static void write_colors(const color_fit *fit, uint8_t block[8])
{
    static const uint8_t indices[2][4] = { { 0, 2, 1 }, { 0, 2, 3, 1 } };  // by position; of two steps and of three
    uint32_t ends[2], bits = 0;
    for (int end = 0; end < 2; end++)
        ends[end] = (uint32_t)(fit->ends[end][0] << 11 | fit->ends[end][1] << 5 | fit->ends[end][2]);
    const bool is_swapped = fit->steps == 3 ? ends[0] < ends[1] : ends[0] > ends[1];
    const bool is_flat = ends[0] == ends[1];  // every position is the first colour, which both kinds of block have
    for (int i = PIXELS; i-- > 0;) {
        const int position = is_flat ? 0 : is_swapped ? fit->steps - (int)fit->positions[i] : (int)fit->positions[i];
        bits = bits << 2 | indices[fit->steps - 2][position];
    }
    sni_store_u32(block, is_swapped ? ends[1] | ends[0] << 16 : ends[0] | ends[1] << 16);
    sni_store_u32(block + 4, bits);
}

// One channel

typedef struct value_fit {
    int ends[2];  // with steps 7: from the larger to the smaller; with 5: 0 and 255 are there, too
    int steps;
    uint8_t indices[PIXELS];
    int32_t error;
} value_fit;

static void measure_values(const int values[PIXELS], value_fit *fit)
{
    int ramp[8];
    ramp[6] = 0, ramp[7] = 255;
    for (int k = 0; k <= fit->steps; k++) {
        const int sum = (fit->steps - k) * fit->ends[0] + k * fit->ends[1];
        ramp[k == 0 ? 0 : k == fit->steps ? 1 : k + 1] = (sum * 2 + fit->steps) / (2 * fit->steps);
    }
    fit->error = 0;
    for (int i = 0; i < PIXELS; i++) {
        int32_t best = INT32_MAX;
        for (uint8_t k = 0; k < 8; k++) {
            const int32_t error = (values[i] - ramp[k]) * (values[i] - ramp[k]);
            if (error < best) best = error, fit->indices[i] = k;
        }
        fit->error += best;
    }
}

// From the range of the values, moves the ends as long as that helps.
static void fit_values(const int values[PIXELS], int steps, value_fit *best)
{
    static const int moves[6][2] = { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 }, { 1, -1 }, { -1, 1 } };
    int low = 255, high = 0;
    for (int i = 0; i < PIXELS; i++) {
        if (steps == 5 && (values[i] == 0 || values[i] == 255)) continue;
        if (values[i] < low) low = values[i];
        if (values[i] > high) high = values[i];
    }
    if (low > high) low = high = 0;  // only 0 and 255
    if (steps == 7 && low == high) {
        if (low > 0) low--;
        else high++;
    }
    *best = (value_fit){ .ends = { steps == 7 ? high : low, steps == 7 ? low : high }, .steps = steps };
    measure_values(values, best);
    for (bool is_better = true; is_better && best->error > 0;) {
        is_better = false;
        for (int m = 0; m < 6; m++) {
            value_fit fit = *best;
            for (int end = 0; end < 2; end++) fit.ends[end] = clamp(fit.ends[end] + moves[m][end], 255);
            if (steps == 7 ? fit.ends[0] <= fit.ends[1] : fit.ends[0] > fit.ends[1]) continue;
            measure_values(values, &fit);
            if (fit.error < best->error) *best = fit, is_better = true;
        }
    }
}

static void encode_values(const uint8_t rgba[64], int channel, uint8_t block[8])
{
    int values[PIXELS];
    value_fit best, five;
    for (int i = 0; i < PIXELS; i++) values[i] = rgba[4 * i + channel];
    fit_values(values, 7, &best);
    if (best.error > 0) {
        fit_values(values, 5, &five);
        if (five.error < best.error) best = five;
    }
    uint64_t bits = 0;
    for (int i = PIXELS; i-- > 0;) bits = bits << 3 | best.indices[i];
    block[0] = (uint8_t)best.ends[0], block[1] = (uint8_t)best.ends[1];
    for (int i = 0; i < 6; i++) block[2 + i] = (uint8_t)(bits >> 8 * i);
}

static void encode_colors(const uint8_t rgba[64], bool may_have_two_steps, uint8_t block[8])
{
    color_block in;
    color_fit fit;
    for (int i = 0; i < PIXELS; i++)
        for (int c = 0; c < 3; c++) in.rgb[c][i] = rgba[4 * i + c];
    fit_colors(&in, may_have_two_steps, &fit);
    write_colors(&fit, block);
}

void sni_bc_encode(sni_bc kind, const uint8_t *rgba, uint32_t width, uint32_t height, uint8_t *blocks)
{
    for (uint32_t y = 0; y < height; y += 4)
        for (uint32_t x = 0; x < width; x += 4, blocks += sni_bc_block_bytes(kind)) {
            uint8_t pixels[64];
            for (uint32_t k = 0; k < PIXELS; k++) {  // edges are held
                const uint32_t px = x + k % 4 < width ? x + k % 4 : width - 1,
                               py = y + k / 4 < height ? y + k / 4 : height - 1;
                memcpy(pixels + 4 * (size_t)k, rgba + 4 * ((size_t)py * width + px), 4);
            }
            switch (kind) {
            case SNI_BC3:
                encode_values(pixels, 3, blocks);
                encode_colors(pixels, false, blocks + 8);
                break;
            case SNI_BC5:
                encode_values(pixels, 0, blocks);
                encode_values(pixels, 1, blocks + 8);
                break;
            default: encode_colors(pixels, true, blocks); break;
            }
        }
}
