// Streams of meshopt: attributes of versions 0 and 1, triangles, indices. Written from the text of
// KHR_meshopt_compression. It allows only version 1 of both kinds of indices; version 0, which meshoptimizer still
// writes unless told otherwise, is read too.
#include "meshopt/meshopt.h"

#include <string.h>

typedef struct stream {
    const uint8_t *at, *end;
    bool is_short;  // sticky
} stream;

static size_t rest(const stream *s) { return (size_t)(s->end - s->at); }

static const uint8_t *take(stream *s, size_t size)
{
    if (rest(s) < size) {
        s->is_short = true;
        return NULL;
    }
    s->at += size;
    return s->at - size;
}

// Attributes: elements in blocks; in a block each byte of the element by itself, as differences in groups of 16

enum { GROUP = 16, BLOCK_MAX = 256, CHANNEL = 4 };

// How a byte of the elements is stored. Version 0 has one way only.
typedef enum control { SMALL, LARGE, ZEROS, LITERAL, VERSION_0 } control;

// `bits` for each difference; those with all bits set follow as bytes.
static void read_group(stream *s, uint32_t bits, uint8_t out[GROUP])
{
    const uint8_t *packed = take(s, bits * GROUP / 8);
    if (!packed || bits == 0) {
        memset(out, 0, GROUP);
        return;
    }
    if (bits == 8) {
        memcpy(out, packed, GROUP);
        return;
    }
    const uint32_t sentinel = (1u << bits) - 1;
    for (uint32_t i = 0; i < GROUP; i++) {
        uint32_t at = i * bits, shift = bits == 1 ? at % 8 : 8 - bits - at % 8;
        uint32_t value = (uint32_t)packed[at / 8] >> shift & sentinel;
        if (value == sentinel) {
            const uint8_t *full = take(s, 1);
            value = full ? *full : 0;
        }
        out[i] = (uint8_t)value;
    }
}

static void read_plane(stream *s, control mode, uint32_t count, uint8_t out[BLOCK_MAX])
{
    static const uint8_t widths[][4] = {
        [SMALL] = { 0, 1, 2, 4 }, [LARGE] = { 1, 2, 4, 8 }, [VERSION_0] = { 0, 2, 4, 8 }
    };
    const uint8_t *literal = mode == LITERAL ? take(s, count) : NULL;
    if (literal) memcpy(out, literal, count);
    if (mode == ZEROS || (mode == LITERAL && !literal)) memset(out, 0, count);
    if (mode == ZEROS || mode == LITERAL) return;

    uint32_t groups = (count + GROUP - 1) / GROUP;
    const uint8_t *heads = take(s, (groups + 3) / 4);
    for (uint32_t g = 0; g < groups && !s->is_short; g++)
        read_group(s, widths[mode][heads[g / 4] >> g % 4 * 2 & 3], out + (size_t)g * GROUP);
}

static uint32_t unzigzag(uint32_t value) { return value >> 1 ^ (0 - (value & 1)); }

// Differences to values, for four bytes of `count` elements. `before` is the element before the first.
static void add_differences(uint8_t channel, const uint8_t planes[CHANNEL][BLOCK_MAX], uint32_t count, uint32_t stride,
                            uint8_t before[CHANNEL], uint8_t *out)
{
    uint32_t mode = channel & 15, turn = channel >> 4, last = sni_load_u32(before);
    for (uint32_t i = 0; i < count; i++, out += stride) {
        uint32_t stored = 0, value = 0;
        for (uint32_t b = 0; b < CHANNEL; b++) stored |= (uint32_t)planes[b][i] << 8 * b;
        if (mode == 2) {
            value = (stored >> turn | stored << ((32 - turn) & 31)) ^ last;
        } else {
            uint32_t bits = mode == 1 ? 16 : 8, mask = (1u << bits) - 1;
            for (uint32_t shift = 0; shift < 32; shift += bits)
                value |= (((last >> shift) + unzigzag(stored >> shift & mask)) & mask) << shift;
        }
        for (uint32_t b = 0; b < CHANNEL; b++) out[b] = (uint8_t)(value >> 8 * b);
        last = value;
    }
    for (uint32_t b = 0; b < CHANNEL; b++) before[b] = (uint8_t)(last >> 8 * b);
}

bool sni_meshopt_attributes(sni_bytes in, uint32_t count, uint32_t stride, uint8_t *out)
{
    const uint32_t channels = stride / CHANNEL;
    uint8_t last[SNI_MESHOPT_STRIDE_MAX];
    if (in.size == 0 || (in.data[0] != 0xA0 && in.data[0] != 0xA1)) return false;
    bool is_new = in.data[0] == 0xA1;

    // The tail has the element before the first and the kinds of differences; it is padded in front.
    size_t tail = stride + (is_new ? channels : 0), padded = is_new ? 24 : 32;
    if (padded < tail) padded = tail;
    if (in.size - 1 < padded) return false;
    const uint8_t *first = in.data + in.size - tail, *kinds = first + stride;
    memcpy(last, first, stride);
    for (uint32_t c = 0; c < channels && is_new; c++)
        if (kinds[c] > 1 && (kinds[c] & 15) != 2) return false;

    stream s = { .at = in.data + 1, .end = in.data + in.size - padded };
    uint32_t most = 8192 / stride & ~15u;
    if (most > BLOCK_MAX) most = BLOCK_MAX;
    for (uint32_t done = 0, now; done < count && !s.is_short; done += now) {
        now = count - done < most ? count - done : most;
        const uint8_t *controls = is_new ? take(&s, channels) : NULL;
        for (uint32_t c = 0; c < channels && !s.is_short; c++) {
            uint8_t planes[CHANNEL][BLOCK_MAX];
            for (uint32_t b = 0; b < CHANNEL; b++)
                read_plane(&s, is_new ? (control)(controls[c] >> 2 * b & 3) : VERSION_0, now, planes[b]);
            if (!s.is_short)
                add_differences(is_new ? kinds[c] : 0, planes, now, stride, last + (size_t)c * CHANNEL,
                                out + (size_t)done * stride + (size_t)c * CHANNEL);
        }
    }
    return !s.is_short && s.at == s.end;
}

// Indices

static void put_index(uint8_t *out, uint32_t at, uint32_t stride, uint32_t index)
{
    out += (size_t)at * stride;
    for (uint32_t b = 0; b < stride; b++) out[b] = (uint8_t)(index >> 8 * b);
}

// Seven bits in each byte, the lowest first; the top bit: more follow.
static uint32_t read_varint(stream *s)
{
    uint32_t value = 0;
    for (uint32_t shift = 0; shift < 35; shift += 7) {
        const uint8_t *byte = take(s, 1);
        if (!byte) return 0;
        value |= (uint32_t)(*byte & 127) << shift;
        if (*byte < 128) return value;
    }
    s->is_short = true;
    return 0;
}

bool sni_meshopt_indices(sni_bytes in, uint32_t count, uint32_t stride, uint8_t *out)
{
    enum { TAIL = 4 };
    if (in.size < 1 + TAIL || in.data[0] >> 1 != 0xD0 >> 1) return false;
    stream s = { .at = in.data + 1, .end = in.data + in.size - TAIL };
    uint32_t last[2] = { 0, 0 };
    for (uint32_t i = 0; i < count && !s.is_short; i++) {
        uint32_t value = read_varint(&s);
        last[value & 1] += unzigzag(value >> 1);
        put_index(out, i, stride, last[value & 1]);
    }
    return !s.is_short && s.at == s.end;
}

// Triangles: most share an edge and a vertex with recent ones

enum { RECENT = 16 };

typedef struct triangles {
    stream data;
    uint32_t next, last;  // the first index that was not used, the last that was stored
    uint32_t edges[RECENT][2], vertices[RECENT];
    uint32_t edge_count, vertex_count;  // ever added
    bool has_steps;                     // version 1: codes for the neighbours of the last index
    bool is_bad;                        // an entry that nobody has written was read
} triangles;

static void add_edge(triangles *t, uint32_t a, uint32_t b)
{
    uint32_t *edge = t->edges[t->edge_count++ % RECENT];
    edge[0] = a, edge[1] = b;
}

static void add_vertex(triangles *t, uint32_t vertex) { t->vertices[t->vertex_count++ % RECENT] = vertex; }

static uint32_t recent_vertex(triangles *t, uint32_t age)
{
    t->is_bad = t->is_bad || age >= t->vertex_count;
    return t->vertices[(t->vertex_count - 1 - age) % RECENT];
}

static uint32_t read_index(triangles *t) { return t->last += unzigzag(read_varint(&t->data)); }

// Four bits choose: the next index, a recent one, or one that is stored.
static uint32_t find_corner(triangles *t, uint32_t code)
{
    return code == 0 ? t->next++ : code < 15 ? recent_vertex(t, code - 1) : read_index(t);
}

// Across a recent edge.
static void read_neighbor(triangles *t, uint32_t code, uint32_t corners[3])
{
    uint32_t age = code >> 4, how = code & 15;
    t->is_bad = t->is_bad || age >= t->edge_count;
    const uint32_t *edge = t->edges[(t->edge_count - 1 - age) % RECENT];
    uint32_t a = edge[0], b = edge[1], c;
    bool is_recent = how > 0 && how < (t->has_steps ? 13u : 15u);
    if (is_recent) c = recent_vertex(t, how);
    else if (how == 0) c = t->next++;
    else if (how == 15) c = read_index(t);
    else c = how == 13 ? --t->last : ++t->last;
    if (!is_recent) add_vertex(t, c);
    add_edge(t, c, b);
    add_edge(t, a, c);
    corners[0] = a, corners[1] = b, corners[2] = c;
}

// With edges of its own. The two corners after the first are in a table of common ones, or in a byte.
static void read_free(triangles *t, uint32_t code, const uint8_t *table, uint32_t corners[3])
{
    bool is_stored = code >= 0xFE;
    const uint8_t *byte = is_stored ? take(&t->data, 1) : &table[code & 15];
    uint32_t how = byte ? *byte : 0;
    if (is_stored && how == 0) t->next = 0;
    uint32_t a = find_corner(t, code == 0xFF ? 15 : 0), b = find_corner(t, how >> 4), c = find_corner(t, how & 15);
    add_vertex(t, a);
    if (how >> 4 == 0 || how >> 4 == 15) add_vertex(t, b);
    if ((how & 15) == 0 || (how & 15) == 15) add_vertex(t, c);
    add_edge(t, b, a);
    add_edge(t, c, b);
    add_edge(t, a, c);
    corners[0] = a, corners[1] = b, corners[2] = c;
}

bool sni_meshopt_triangles(sni_bytes in, uint32_t count, uint32_t stride, uint8_t *out)
{
    enum { TAIL = 16 };
    const uint32_t triangle_count = count / 3;
    if (in.size < 1 + TAIL || in.data[0] >> 1 != 0xE0 >> 1 || in.size - 1 - TAIL < triangle_count) return false;
    const uint8_t *codes = in.data + 1, *table = in.data + in.size - TAIL;
    triangles t = { .data = { .at = codes + triangle_count, .end = table }, .has_steps = in.data[0] & 1 };
    for (uint32_t i = 0; i < triangle_count && !t.data.is_short && !t.is_bad; i++) {
        uint32_t corners[3];
        if (codes[i] < 0xF0) read_neighbor(&t, codes[i], corners);
        else read_free(&t, codes[i], table, corners);
        for (uint32_t c = 0; c < 3; c++) put_index(out, i * 3 + c, stride, corners[c]);
    }
    return !t.is_bad && !t.data.is_short && t.data.at == t.data.end;
}
