// What the files of the Draco decoder share.
#ifndef SNI_DRACO_DECODER_H
#define SNI_DRACO_DECODER_H

#include "draco/draco.h"

// Corners are numbered 3 * face + 0, 1, 2. The edge opposite to a corner joins the next and the previous one.
#define DRACO_NONE UINT32_MAX
enum { DRACO_WIDTH = 16 };  // numbers in a value

static inline uint32_t draco_next(uint32_t corner) { return corner % 3 == 2 ? corner - 2 : corner + 1; }
static inline uint32_t draco_previous(uint32_t corner) { return corner % 3 == 0 ? corner + 2 : corner - 1; }

// Connectivity of positions, or of attributes whose values differ on the two sides of some edges (seams). Corners know
// their point, points the vertex: a corner of a vertex of positions is at one of one or more vertices of attributes.
typedef struct draco_table {
    const uint8_t *is_seam;     // by corner, of the edge opposite to it; NULL: there are none
    uint32_t *vertex_of_point;  // numbered from 0 in each table
    uint8_t *is_open;           // by point: its vertex is on a border or a seam
    uint32_t vertex_count;
} draco_table;

// The order in which the values of a group of attributes are in the stream.
typedef struct draco_sequence {
    const draco_table *table;   // NULL: of a sequential mesh, whose points are the values
    uint32_t *corner_of_value;  // the first corner that uses it; while the group is decoded
    uint32_t *value_of_point;
    uint32_t value_count;
} draco_sequence;

typedef enum draco_coding { DRACO_PLAIN, DRACO_INTEGER, DRACO_QUANTIZED, DRACO_NORMAL, DRACO_CODINGS } draco_coding;

struct sni_draco_attribute {
    uint8_t kind, type, width;  // as in the stream
    bool is_normalized;
    uint32_t id;
    draco_coding coding;
    const draco_sequence *sequence;
    const uint8_t *bytes;  // DRACO_PLAIN
    int32_t *values;       // others: `width` for each value, 2 for DRACO_NORMAL
    uint8_t bits;          // DRACO_QUANTIZED, DRACO_NORMAL
    float lowest[DRACO_WIDTH], range;
};

typedef struct draco_decoder {
    sni_reader *in;  // its arena has what reading the attributes needs
    sni_draco_limits *limits;
    sni_arena *keep;
    sni_arena tables;  // connectivity, until all is decoded
    sni_draco_mesh *mesh;
    // By corner: the corner on the other side of its edge, DRACO_NONE at borders. It pairs corners, so that swinging
    // around a vertex is a permutation: it ends at a border or where it began.
    uint32_t *opposite;
    uint32_t *corner_of_point;
    draco_table positions;
    draco_table *seams;  // connectivity of attributes
    uint32_t seam_count;
} draco_decoder;

static inline uint32_t draco_swing_left(const uint32_t *opposite, uint32_t corner)
{
    uint32_t across = opposite[draco_next(corner)];
    return across == DRACO_NONE ? DRACO_NONE : draco_next(across);
}

static inline uint32_t draco_swing_right(const uint32_t *opposite, uint32_t corner)
{
    uint32_t across = opposite[draco_previous(corner)];
    return across == DRACO_NONE ? DRACO_NONE : draco_previous(across);
}

// The corner on the other side of an edge, DRACO_NONE at borders and at seams of the table.
static inline uint32_t draco_across(const draco_decoder *decoder, const draco_table *table, uint32_t corner)
{
    return table->is_seam && table->is_seam[corner] ? DRACO_NONE : decoder->opposite[corner];
}

// Arrays of the decoder, not zeroed. All of its work is linear in their size, or is charged by itself.
bool sni_draco_charge(draco_decoder *decoder, size_t size, uint64_t count);
void *sni_draco_alloc(draco_decoder *decoder, sni_arena *arena, size_t size, uint64_t count);
#define draco_new(decoder, arena, type, count) ((type *)sni_draco_alloc((decoder), (arena), sizeof(type), (count)))
bool sni_draco_corrupt(draco_decoder *decoder, const char *what);

// draco_entropy.c

// Bits, the lowest first.
typedef struct draco_bits {
    const uint8_t *at, *end;
    uint64_t hold;
    uint32_t count;
    bool is_short;  // bits past the end are 0
} draco_bits;

static inline uint32_t draco_take_bits(draco_bits *bits, uint32_t count)
{
    while (bits->count < count) {
        if (bits->at < bits->end) bits->hold |= (uint64_t)*bits->at++ << bits->count;
        else bits->is_short = true;
        bits->count += 8;
    }
    uint32_t value = (uint32_t)(bits->hold & ((1ull << count) - 1));
    bits->hold >>= count;
    bits->count -= count;
    return value;
}

// An entropy coder (asymmetric numeral systems), which reads its bytes from the end.
typedef struct draco_ans {
    const uint8_t *start, *at;
    uint32_t state;
} draco_ans;

// The same for bits of one probability.
typedef struct draco_flags {
    draco_ans ans;
    uint32_t one;  // probability of a 1 in 256
} draco_flags;

enum { DRACO_FLAG_BASE = 4096 };

static inline void draco_ans_refill(draco_ans *ans, uint32_t base)
{
    while (ans->state < base && ans->at > ans->start) ans->state = ans->state << 8 | *--ans->at;
}

static inline bool draco_take_flag(draco_flags *flags)
{
    draco_ans_refill(&flags->ans, DRACO_FLAG_BASE);
    uint32_t state = flags->ans.state, scaled = (state >> 8) * flags->one, low = state & 255;
    bool is_set = low < flags->one;
    flags->ans.state = is_set ? scaled + low : state - scaled - flags->one;
    return is_set;
}

uint64_t sni_draco_read_varint(sni_reader *in);
uint32_t sni_draco_read_varint32(sni_reader *in);
bool sni_draco_open_flags(draco_decoder *decoder, draco_flags *flags);

// `count` values in groups of `width`.
bool sni_draco_read_symbols(draco_decoder *decoder, uint64_t count, uint32_t width, uint32_t *out);

// draco_connectivity.c: faces and points. Positions and seams are filled, seam_count is 0 for a sequential mesh.
sni_draco_result sni_draco_read_sequential(draco_decoder *decoder);
sni_draco_result sni_draco_read_edgebreaker(draco_decoder *decoder);

// draco_attributes.c: the rest of the stream.
bool sni_draco_read_attributes(draco_decoder *decoder, bool is_edgebreaker);

// draco_prediction.c: turns residuals, `width` for each value of the sequence, into values. What the scheme needs is
// read from the stream. `positions`: NULL where they are not decoded yet.
enum { DRACO_WRAP = 1, DRACO_OCTAHEDRON = 3 };
bool sni_draco_predict(draco_decoder *decoder, sni_arena *scratch, const draco_sequence *sequence, int8_t scheme,
                       int8_t transform, const sni_draco_attribute *positions, uint32_t width, int32_t *values);

#endif
