// Values out of predictions and residuals. Arithmetic on what a stream says wraps around, as it would in the encoder.
#include <math.h>

#include "draco/draco_decoder.h"

enum { DIFFERENCE = 0, PARALLELOGRAM = 1, MULTI_PARALLELOGRAM = 4, TEXCOORDS = 5, GEOMETRIC_NORMAL = 6 };
enum { MOST_PARALLELOGRAMS = 4 };

typedef struct predictor {
    draco_decoder *decoder;
    sni_arena *scratch;
    const draco_sequence *sequence;
    uint32_t width;
    int32_t *values;
    bool is_octahedron;
    int32_t lowest, highest;  // wrap: the range of all values
    int32_t center;           // octahedron: coordinates are 0 to 2 * center
    // Positions as the integers of the stream, and which of them belongs to each value.
    const int32_t *positions;
    uint32_t *position_of_value;
} predictor;

static uint32_t value_of(const predictor *p, uint32_t corner)
{
    return p->sequence->value_of_point[p->decoder->mesh->indices[corner]];
}

static uint32_t find_across(const predictor *p, uint32_t corner)
{
    return draco_across(p->decoder, p->sequence->table, corner);
}

// The next corner around a vertex: to the left until the border or the start, then from the start to the right.
// DRACO_NONE: these are all.
static uint32_t find_next_around(const predictor *p, uint32_t start, uint32_t corner, bool *is_left)
{
    if (*is_left) {
        uint32_t across = find_across(p, draco_next(corner));
        if (across != DRACO_NONE) return draco_next(across) == start ? DRACO_NONE : draco_next(across);
        *is_left = false;
        corner = start;
    }
    uint32_t across = find_across(p, draco_previous(corner));
    return across == DRACO_NONE ? DRACO_NONE : draco_previous(across);
}

static int32_t add(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }
static int32_t subtract(int32_t a, int32_t b) { return (int32_t)((uint32_t)a - (uint32_t)b); }
static uint32_t magnitude(int32_t a) { return a < 0 ? 0 - (uint32_t)a : (uint32_t)a; }
static uint64_t magnitude64(int64_t a) { return a < 0 ? 0 - (uint64_t)a : (uint64_t)a; }

// Transforms

// Sums that leave the range of the values come back in at its other end.
static void unwrap(const predictor *p, const int32_t *predicted, int32_t *value)
{
    int32_t span = 1 + (p->highest - p->lowest);
    for (uint32_t i = 0; i < p->width; i++) {
        int32_t clamped = predicted[i] > p->highest ? p->highest : predicted[i] < p->lowest ? p->lowest : predicted[i];
        int32_t sum = add(clamped, value[i]);
        value[i] = sum > p->highest ? subtract(sum, span) : sum < p->lowest ? add(sum, span) : sum;
    }
}

// A normal is a point of an octahedron that is unfolded to a square: one half is the diamond inside, the other half is
// in the corners. This mirrors a point at the side of the diamond that is next to it.
static void mirror_at_diamond(int32_t center, int32_t point[2])
{
    bool is_positive[2] = { point[0] > 0, point[1] > 0 };
    if (point[0] >= 0 && point[1] >= 0) is_positive[0] = is_positive[1] = true;
    int32_t corner[2] = { is_positive[0] ? center : -center, is_positive[1] ? center : -center };
    int32_t s = subtract(add(point[0], point[0]), corner[0]), t = subtract(add(point[1], point[1]), corner[1]);
    bool is_same = is_positive[0] == is_positive[1];
    point[0] = add(is_same ? subtract(0, t) : t, corner[0]) / 2;
    point[1] = add(is_same ? subtract(0, s) : s, corner[1]) / 2;
}

static void turn(uint32_t quarters, int32_t point[2])
{
    for (; quarters > 0; quarters--) {
        int32_t s = point[0];
        point[0] = point[1];
        point[1] = subtract(0, s);
    }
}

// How often to turn a point until it is at the lower left.
static uint32_t count_quarters(const int32_t point[2])
{
    if (point[0] == 0) return point[1] == 0 ? 0 : point[1] > 0 ? 3 : 1;
    return point[0] > 0 ? point[1] >= 0 ? 2 : 1 : point[1] <= 0 ? 0 : 3;
}

// The residual is relative to a prediction that was moved into the diamond and turned to the lower left.
static void unfold(const predictor *p, const int32_t *predicted, int32_t *value)
{
    int32_t center = p->center, largest = 2 * center + 1;
    int32_t point[2] = { subtract(predicted[0], center), subtract(predicted[1], center) };
    bool is_outside = (uint64_t)magnitude(point[0]) + magnitude(point[1]) > (uint32_t)center;
    if (is_outside) mirror_at_diamond(center, point);
    uint32_t quarters = count_quarters(point);
    turn(quarters, point);
    for (uint32_t i = 0; i < 2; i++) {
        int32_t sum = add(point[i], value[i]);
        point[i] = sum > center ? sum - largest : sum < -center ? sum + largest : sum;
    }
    turn((4 - quarters) % 4, point);
    if (is_outside) mirror_at_diamond(center, point);
    value[0] = add(point[0], center);
    value[1] = add(point[1], center);
}

static bool read_transform(predictor *p)
{
    sni_reader *in = p->decoder->in;
    if (p->is_octahedron) {
        uint32_t largest = sni_read_u32(in);
        sni_skip(in, 4);  // the center, which is known
        if (largest % 2 == 0 || largest < 3 || largest >= 1u << 30)
            return sni_ok(in) && sni_draco_corrupt(p->decoder, "normals of an unknown size");
        while (largest & (largest + 1)) largest |= largest >> 1;  // all bits below the highest one
        p->center = (int32_t)(largest - 1) / 2;
        return true;
    }
    p->lowest = sni_read_i32(in);
    p->highest = sni_read_i32(in);
    bool is_range = p->lowest <= p->highest && (int64_t)p->highest - p->lowest < INT32_MAX;
    return sni_ok(in) && (is_range || sni_draco_corrupt(p->decoder, "a range that cannot be"));
}

static void restore(const predictor *p, const int32_t *predicted, int32_t *value)
{
    if (p->is_octahedron) unfold(p, predicted, value);
    else unwrap(p, predicted, value);
}

// Schemes

// Each value from the one before.
static bool restore_differences(const predictor *p)
{
    const int32_t zeros[DRACO_WIDTH] = { 0 };
    for (uint32_t i = 0; i < p->sequence->value_count; i++) {
        int32_t *value = p->values + (size_t)i * p->width;
        restore(p, i > 0 ? value - p->width : zeros, value);
    }
    return true;
}

// The fourth corner of a parallelogram over the edge opposite to the corner. False: not all others are known.
static inline bool predict_parallelogram(const predictor *p, uint32_t index, uint32_t corner, int32_t *predicted)
{
    uint32_t across = find_across(p, corner);
    if (across == DRACO_NONE) return false;
    uint32_t far = value_of(p, across);
    uint32_t next = value_of(p, draco_next(across)), previous = value_of(p, draco_previous(across));
    if (far >= index || next >= index || previous >= index) return false;
    const int32_t *f = p->values + (size_t)far * p->width, *n = p->values + (size_t)next * p->width;
    const int32_t *q = p->values + (size_t)previous * p->width;
    for (uint32_t i = 0; i < p->width; i++) predicted[i] = subtract(add(n[i], q[i]), f[i]);
    return true;
}

static bool restore_parallelograms(const predictor *p)
{
    int32_t predicted[DRACO_WIDTH] = { 0 };
    for (uint32_t i = 0; i < p->sequence->value_count; i++) {
        int32_t *value = p->values + (size_t)i * p->width;
        bool has_any = i == 0 || predict_parallelogram(p, i, p->sequence->corner_of_value[i], predicted);
        restore(p, has_any ? predicted : value - p->width, value);
    }
    return true;
}

// The parallelograms around a vertex, at most four.
static uint32_t list_parallelograms(const predictor *p, uint32_t index, int32_t predicted[][DRACO_WIDTH])
{
    uint32_t start = p->sequence->corner_of_value[index], count = 0;
    bool is_left = true;
    for (uint32_t c = start; c != DRACO_NONE && count < MOST_PARALLELOGRAMS;
         c = find_next_around(p, start, c, &is_left))
        count += predict_parallelogram(p, index, c, predicted[count]);
    return count;
}

// The average of the parallelograms that are not across a crease. Flags say which; each number of parallelograms has
// flags of its own.
typedef struct crease_flags {
    draco_flags flags[MOST_PARALLELOGRAMS];
    uint32_t counts[MOST_PARALLELOGRAMS];
} crease_flags;

static bool read_creases(predictor *p, crease_flags *creases)
{
    for (uint32_t i = 0; i < MOST_PARALLELOGRAMS; i++) {
        creases->counts[i] = sni_draco_read_varint32(p->decoder->in);
        if (creases->counts[i] > (uint64_t)p->sequence->value_count * (i + 1))
            return sni_draco_corrupt(p->decoder, "more creases than parallelograms");
        if (creases->counts[i] > 0 && !sni_draco_open_flags(p->decoder, &creases->flags[i])) return false;
    }
    return true;
}

static bool restore_multi_parallelograms(const predictor *p, crease_flags *creases)
{
    int32_t predicted[MOST_PARALLELOGRAMS][DRACO_WIDTH] = { { 0 } };
    for (uint32_t i = 0; i < p->sequence->value_count; i++) {
        int32_t *value = p->values + (size_t)i * p->width, sum[DRACO_WIDTH] = { 0 };
        uint32_t count = i > 0 ? list_parallelograms(p, i, predicted) : 0;
        int32_t used = 0;
        for (uint32_t k = 0; k < count; k++) {
            if (creases->counts[count - 1]-- == 0) return sni_draco_corrupt(p->decoder, "creases are missing");
            if (draco_take_flag(&creases->flags[count - 1])) continue;
            for (uint32_t c = 0; c < p->width; c++) sum[c] = add(sum[c], predicted[k][c]);
            used++;
        }
        for (uint32_t c = 0; c < p->width && used > 0; c++) sum[c] /= used;
        restore(p, i == 0 || used > 0 ? sum : value - p->width, value);
    }
    return true;
}

// Schemes that use positions

static bool find_positions(predictor *p, const sni_draco_attribute *positions)
{
    if (!positions) return sni_draco_corrupt(p->decoder, "a prediction from positions that are not there");
    const draco_sequence *from = positions->sequence, *to = p->sequence;
    p->positions = positions->values;
    p->position_of_value = draco_new(p->decoder, p->scratch, uint32_t, to->value_count);
    if (!p->position_of_value) return false;
    for (uint32_t i = 0; i < to->value_count; i++)
        p->position_of_value[i] = from->value_of_point[p->decoder->mesh->indices[to->corner_of_value[i]]];
    return true;
}

static const int32_t *position_of(const predictor *p, uint32_t value)
{
    return p->positions + (size_t)p->position_of_value[value] * 3;
}

static int64_t dot(const int64_t a[3], const int64_t b[3])
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 3; i++) sum += (uint64_t)a[i] * (uint64_t)b[i];
    return (int64_t)sum;
}

static uint64_t square_root(uint64_t number)
{
    uint64_t root = (uint64_t)sqrt((double)number);
    if (root > UINT32_MAX) root = UINT32_MAX;
    while (root * root > number) root--;
    while (root < UINT32_MAX && (root + 1) * (root + 1) <= number) root++;
    return root;
}

typedef struct orientation_flags {
    uint8_t *is_positive;  // taken from the end
    uint32_t count;
} orientation_flags;

static bool read_orientations(predictor *p, orientation_flags *orientations)
{
    draco_flags flags;
    uint32_t count = sni_read_u32(p->decoder->in);
    if (count > p->sequence->value_count) return sni_draco_corrupt(p->decoder, "more orientations than values");
    if (!sni_draco_open_flags(p->decoder, &flags)) return false;
    orientations->count = count;
    orientations->is_positive = draco_new(p->decoder, p->scratch, uint8_t, count);
    if (!orientations->is_positive) return false;
    bool is_positive = true;
    for (uint32_t i = 0; i < count; i++) {
        if (!draco_take_flag(&flags)) is_positive = !is_positive;
        orientations->is_positive[i] = is_positive;
    }
    return true;
}

// Two texture coordinates of a triangle and its shape give the third, up to its side of the edge. All lengths are times
// the square of the edge, to stay with integers.
static const char *predict_from_edge(const predictor *p, uint32_t index, uint32_t next, uint32_t previous,
                                     orientation_flags *orientations, int32_t predicted[2])
{
    const int32_t *n = p->values + (size_t)next * 2, *q = p->values + (size_t)previous * 2;
    const int32_t *tip = position_of(p, index), *from = position_of(p, next), *to = position_of(p, previous);
    int64_t edge[3], side[3], edge_uv[2];
    uint64_t longest = 1, longest_uv = 1;  // the callers have edges of some length
    for (uint32_t i = 0; i < 3; i++) {
        edge[i] = (int64_t)to[i] - from[i];
        side[i] = (int64_t)tip[i] - from[i];
        if (magnitude64(edge[i]) > longest) longest = magnitude64(edge[i]);
    }
    for (uint32_t i = 0; i < 2; i++) {
        edge_uv[i] = (int64_t)q[i] - n[i];
        if (magnitude64(edge_uv[i]) > longest_uv) longest_uv = magnitude64(edge_uv[i]);
    }
    int64_t squared = dot(edge, edge), along = dot(side, edge);
    uint64_t most = magnitude(n[0]) > magnitude(n[1]) ? magnitude(n[0]) : magnitude(n[1]);
    if (squared <= 0 || most > (uint64_t)(INT64_MAX / squared) || magnitude64(along) > INT64_MAX / longest_uv ||
        magnitude64(along) > INT64_MAX / longest)
        return "positions too large to predict from";

    int64_t height[3];  // from the edge to the tip
    for (uint32_t i = 0; i < 3; i++) height[i] = side[i] - along * edge[i] / squared;
    uint64_t length = square_root((uint64_t)dot(height, height) * (uint64_t)squared);
    if (orientations->count == 0) return "orientations are missing";
    bool is_positive = orientations->is_positive[--orientations->count];
    const int64_t across[2] = { edge_uv[1], -edge_uv[0] };
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t foot = (uint64_t)n[i] * (uint64_t)squared + (uint64_t)along * (uint64_t)edge_uv[i];
        uint64_t rise = (uint64_t)across[i] * length;
        int64_t sum = (int64_t)(is_positive ? foot + rise : foot - rise);
        predicted[i] = (int32_t)(uint32_t)(uint64_t)(sum / squared);
    }
    return NULL;
}

static bool restore_texcoords(const predictor *p, orientation_flags *orientations)
{
    for (uint32_t i = 0; i < p->sequence->value_count; i++) {
        int32_t *value = p->values + (size_t)i * 2, predicted[2] = { 0, 0 };
        uint32_t corner = p->sequence->corner_of_value[i];
        uint32_t next = value_of(p, draco_next(corner)), previous = value_of(p, draco_previous(corner));
        const int32_t *n = next < i ? p->values + (size_t)next * 2 : NULL;
        const int32_t *q = n && previous < i ? p->values + (size_t)previous * 2 : NULL;
        const char *fault = NULL;
        if (q && n[0] == q[0] && n[1] == q[1]) memcpy(predicted, q, sizeof predicted);
        else if (q && memcmp(position_of(p, next), position_of(p, previous), 3 * sizeof(int32_t)) != 0)
            fault = predict_from_edge(p, i, next, previous, orientations, predicted);
        else if (i > 0) memcpy(predicted, n ? n : value - 2, sizeof predicted);
        if (fault) return sni_draco_corrupt(p->decoder, fault);
        unwrap(p, predicted, value);
    }
    return true;
}

// Normals from the faces around a vertex, weighted by their areas.
static void predict_normal(const predictor *p, uint32_t start, int32_t normal[3])
{
    const int32_t *center = position_of(p, value_of(p, start));
    uint64_t sum[3] = { 0 };
    bool is_left = true;
    for (uint32_t c = start; c != DRACO_NONE; c = find_next_around(p, start, c, &is_left)) {
        const int32_t *n = position_of(p, value_of(p, draco_next(c)));
        const int32_t *q = position_of(p, value_of(p, draco_previous(c)));
        uint64_t a[3], b[3];
        for (uint32_t i = 0; i < 3; i++) {
            a[i] = (uint64_t)((int64_t)n[i] - center[i]);
            b[i] = (uint64_t)((int64_t)q[i] - center[i]);
        }
        for (uint32_t i = 0; i < 3; i++) sum[i] += a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    }
    const uint64_t most = 1 << 29;
    uint64_t total = 0;
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t size = magnitude64((int64_t)sum[i]);
        total = size > INT64_MAX - total ? INT64_MAX : total + size;
    }
    int64_t divisor = total > most ? (int64_t)(total / most) : 1;
    for (uint32_t i = 0; i < 3; i++) normal[i] = (int32_t)(uint32_t)(uint64_t)((int64_t)sum[i] / divisor);
}

// Scales a vector to the octahedron and unfolds that. The border of the square is there twice: one of both is used.
static void find_octahedral(int32_t center, bool is_flipped, int32_t normal[3], int32_t point[2])
{
    int64_t sum = (int64_t)magnitude(normal[0]) + magnitude(normal[1]) + magnitude(normal[2]);
    int32_t x = sum == 0 ? center : (int32_t)((int64_t)normal[0] * center / sum);
    int32_t y = sum == 0 ? 0 : (int32_t)((int64_t)normal[1] * center / sum);
    int32_t z = center - (int32_t)magnitude(x) - (int32_t)magnitude(y);
    if (normal[2] < 0) z = -z;
    if (is_flipped) x = -x, y = -y, z = -z;

    int32_t most = 2 * center, s = y + center, t = z + center;
    if (x < 0) {
        s = y < 0 ? (int32_t)magnitude(z) : most - (int32_t)magnitude(z);
        t = z < 0 ? (int32_t)magnitude(y) : most - (int32_t)magnitude(y);
    }
    if ((s == 0 && (t == 0 || t == most)) || (s == most && t == 0)) s = t = most;
    else if ((s == 0 && t > center) || (s == most && t < center)) t = most - t;
    else if ((t == most && s < center) || (t == 0 && s > center)) s = most - s;
    point[0] = s;
    point[1] = t;
}

static bool restore_normals(const predictor *p, draco_flags *flips)
{
    for (uint32_t i = 0; i < p->sequence->value_count; i++) {
        int32_t normal[3], point[2];
        predict_normal(p, p->sequence->corner_of_value[i], normal);
        find_octahedral(p->center, draco_take_flag(flips), normal, point);
        unfold(p, point, p->values + (size_t)i * 2);
    }
    return true;
}

bool sni_draco_predict(draco_decoder *decoder, sni_arena *scratch, const draco_sequence *sequence, int8_t scheme,
                       int8_t transform, const sni_draco_attribute *positions, uint32_t width, int32_t *values)
{
    predictor p = { .decoder = decoder, .scratch = scratch, .sequence = sequence, .width = width, .values = values };
    p.is_octahedron = transform == DRACO_OCTAHEDRON;
    if (!sequence->table) scheme = DIFFERENCE;  // a sequential mesh has no neighbours
    crease_flags creases = { 0 };
    orientation_flags orientations = { 0 };
    draco_flags flips;
    bool is_for_normals = scheme == GEOMETRIC_NORMAL;
    if (scheme != DIFFERENCE && (is_for_normals != p.is_octahedron || (scheme == TEXCOORDS && width != 2)))
        return sni_draco_corrupt(decoder, "a prediction of other values");
    switch (scheme) {
    case DIFFERENCE: return read_transform(&p) && restore_differences(&p);
    case PARALLELOGRAM: return read_transform(&p) && restore_parallelograms(&p);
    case MULTI_PARALLELOGRAM:
        return read_creases(&p, &creases) && read_transform(&p) && restore_multi_parallelograms(&p, &creases);
    case TEXCOORDS:
        return find_positions(&p, positions) && read_orientations(&p, &orientations) && read_transform(&p) &&
               restore_texcoords(&p, &orientations);
    case GEOMETRIC_NORMAL:
        return find_positions(&p, positions) && read_transform(&p) && sni_draco_open_flags(decoder, &flips) &&
               restore_normals(&p, &flips);
    default: return sni_draco_corrupt(decoder, "an unknown prediction");
    }
}
