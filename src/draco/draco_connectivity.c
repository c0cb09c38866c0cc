// Faces of a Draco mesh: indices as they are, or edgebreaker, which builds the mesh face by face out of five symbols.
#include "draco/draco_decoder.h"

static sni_draco_result check(const draco_decoder *decoder, bool is_good)
{
    return is_good && sni_ok(decoder->in) ? SNI_DRACO_OK : SNI_DRACO_FAILED;
}

static uint32_t *new_corners(draco_decoder *decoder, sni_arena *arena)
{
    uint64_t count = (uint64_t)decoder->mesh->face_count * 3;
    uint32_t *corners = draco_new(decoder, arena, uint32_t, count);
    if (corners) memset(corners, 0xFF, (size_t)count * sizeof *corners);
    return corners;
}

static uint32_t *new_indices(draco_decoder *decoder)
{
    decoder->mesh->indices = sni_new_raw(decoder->keep, uint32_t, (uint64_t)decoder->mesh->face_count * 3);
    return decoder->mesh->indices;
}

// Sequential

// Each index as its difference from the one before, the sign in the lowest bit.
static bool read_compressed_indices(draco_decoder *decoder, uint32_t *indices, uint64_t count)
{
    if (!sni_draco_read_symbols(decoder, count, 1, indices)) return false;
    uint32_t last = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t change = indices[i] >> 1;
        last = indices[i] & 1 ? last - change : last + change;
        indices[i] = last;
    }
    return true;
}

static void read_plain_indices(sni_reader *in, uint32_t point_count, uint32_t *indices, uint64_t count)
{
    uint32_t size = point_count < 1 << 8 ? 1 : point_count < 1 << 16 ? 2 : point_count < 1 << 21 ? 0 : 4;
    const uint8_t *at = size > 0 ? sni_take(in, count * size) : NULL;
    for (uint64_t i = 0; i < count && sni_ok(in); i++) {
        indices[i] = size == 1   ? at[i]
                     : size == 2 ? sni_load_u16(at + i * 2)
                     : size == 4 ? sni_load_u32(at + i * 4)
                                 : sni_draco_read_varint32(in);
    }
}

sni_draco_result sni_draco_read_sequential(draco_decoder *decoder)
{
    enum { COMPRESSED };
    sni_draco_mesh *mesh = decoder->mesh;
    const sni_draco_limits *limits = decoder->limits;
    mesh->face_count = sni_draco_read_varint32(decoder->in);
    mesh->point_count = sni_draco_read_varint32(decoder->in);
    uint8_t coding = sni_read_u8(decoder->in);
    if (!sni_ok(decoder->in)) return SNI_DRACO_FAILED;
    if (limits->face_count != UINT32_MAX && mesh->face_count != limits->face_count) return SNI_DRACO_DISAGREES;
    if (limits->point_count != UINT32_MAX && mesh->point_count != limits->point_count) return SNI_DRACO_DISAGREES;

    uint64_t count = (uint64_t)mesh->face_count * 3;
    uint32_t *indices = new_indices(decoder);
    if (!indices) return SNI_DRACO_FAILED;
    if (coding != COMPRESSED) read_plain_indices(decoder->in, mesh->point_count, indices, count);
    else if (!read_compressed_indices(decoder, indices, count)) return SNI_DRACO_FAILED;
    bool is_good = sni_ok(decoder->in);
    for (uint64_t i = 0; i < count && is_good; i++)
        is_good = indices[i] < mesh->point_count || sni_draco_corrupt(decoder, "an index past the points");
    return check(decoder, is_good);
}

// Edgebreaker
//
// The symbols are decoded in reverse: each adds a face at the active edge of an open mesh. Corner 0 of the new face is
// opposite to the next active edge. Vertices have the corners around them in one row, from right to left; a vertex
// inside the mesh has them in a circle. Each link of two edges joins the rows of equal vertices, so that this stays
// true: `join` is the only place that links, and find_vertex the only one that knows of merged vertices.

typedef enum topology { TOPOLOGY_C, TOPOLOGY_S, TOPOLOGY_L, TOPOLOGY_R, TOPOLOGY_E, TOPOLOGY_NONE } topology;

enum { LOWEST_VALENCE = 2, CONTEXTS = 6 };

// The active edge of symbol `split` is beside the face of symbol `source`; both count from the end.
typedef struct split_event {
    uint32_t source, split;
    bool is_right;
} split_event;

typedef struct edgebreaker {
    draco_decoder *decoder;
    sni_arena building;           // what is needed until all faces are there
    sni_arena scratch;            // what is needed until the tables are there
    uint32_t *opposite, *vertex;  // by corner; vertices of positions
    uint32_t *leftmost;           // by vertex: its last corner to the left
    uint32_t *merged_into;        // by vertex: itself, or another
    uint32_t vertex_count, vertex_capacity, face_count, symbol_count;
    uint32_t *merged;  // vertices that were merged into others, in order
    uint32_t merged_count, merged_capacity;
    split_event *events;
    uint32_t event_count;
    uint32_t *split_corner;  // by symbol
    uint32_t *stack;         // active edges, as the corners opposite to them
    uint32_t depth;
    // Symbols: bits, or one list for each valence of the vertex to the right, taken from the end.
    bool has_valences;
    draco_bits bits;
    uint32_t *context_symbols[CONTEXTS], context_counts[CONTEXTS];
    uint32_t *valence;  // by vertex
    topology last;
    draco_flags inner_starts;
    draco_flags *seam_flags;
    uint32_t **seam_vertex;  // by table and corner; NULL: a table without seams
    uint8_t *is_open;        // by vertex: on a border, or on a seam of the table that is published
} edgebreaker;

static uint32_t find_vertex(edgebreaker *e, uint32_t corner)
{
    uint32_t *into = e->merged_into, vertex = e->vertex[corner];
    while (into[vertex] != vertex) vertex = into[vertex] = into[into[vertex]];
    return vertex;
}

static void join(edgebreaker *e, uint32_t a, uint32_t b)
{
    e->opposite[a] = b;
    e->opposite[b] = a;
}

// The other border edge at a vertex, as the corner opposite to it: left of its leftmost corner.
static uint32_t find_left_edge(const edgebreaker *e, uint32_t vertex) { return draco_next(e->leftmost[vertex]); }

static bool is_border(const edgebreaker *e, uint32_t corner) { return e->opposite[corner] == DRACO_NONE; }

static uint32_t add_vertex(edgebreaker *e, uint32_t corner)
{
    uint32_t vertex = e->vertex_count++;
    e->vertex[corner] = vertex;
    e->leftmost[vertex] = corner;
    e->merged_into[vertex] = vertex;
    return vertex;
}

static topology take_topology(edgebreaker *e)
{
    static const topology by_bits[4] = { TOPOLOGY_S, TOPOLOGY_L, TOPOLOGY_R, TOPOLOGY_E };
    if (!e->has_valences) return draco_take_bits(&e->bits, 1) ? by_bits[draco_take_bits(&e->bits, 2)] : TOPOLOGY_C;
    if (e->last == TOPOLOGY_NONE) return TOPOLOGY_E;
    uint32_t valence = e->valence[find_vertex(e, draco_next(e->stack[e->depth - 1]))];
    uint32_t context = valence < LOWEST_VALENCE ? 0 : valence - LOWEST_VALENCE;
    if (context >= CONTEXTS) context = CONTEXTS - 1;
    if (e->context_counts[context] == 0) return TOPOLOGY_NONE;
    uint32_t symbol = e->context_symbols[context][--e->context_counts[context]];
    return symbol < TOPOLOGY_NONE ? (topology)symbol : TOPOLOGY_NONE;
}

// Two border edges that meet at a vertex get a face: the vertex is inside from now on.
static const char *add_closing_face(edgebreaker *e, uint32_t corner)
{
    uint32_t a = e->stack[e->depth - 1], inside = find_vertex(e, draco_next(a)), b = find_left_edge(e, inside);
    if (a == b || !is_border(e, a) || !is_border(e, b)) return "a vertex that cannot be closed";
    uint32_t left = find_vertex(e, draco_previous(a)), right = find_vertex(e, draco_next(b));
    if (inside == left || inside == right) return "a face with the same vertex twice";
    join(e, a, corner + 1);
    join(e, b, corner + 2);
    e->vertex[corner] = inside;
    e->vertex[corner + 1] = right;
    e->vertex[corner + 2] = left;
    e->leftmost[left] = corner + 2;
    return NULL;
}

// One border edge gets a face with a new vertex, which is the new active edge's left (R) or right (L) end.
static const char *add_side_face(edgebreaker *e, uint32_t corner, bool is_right)
{
    uint32_t a = e->stack[e->depth - 1], tip = corner + (is_right ? 2 : 1);
    if (!is_border(e, a)) return "an edge with three faces";
    uint32_t left = find_vertex(e, draco_previous(a)), right = find_vertex(e, draco_next(a));
    join(e, a, tip);
    add_vertex(e, tip);
    e->vertex[draco_next(tip)] = left;
    e->leftmost[left] = draco_next(tip);
    e->vertex[draco_previous(tip)] = right;
    return NULL;
}

// A face between the two topmost active edges; the vertices where they meet become one.
static const char *add_splitting_face(edgebreaker *e, uint32_t corner, uint32_t symbol)
{
    uint32_t b = e->stack[--e->depth];
    if (e->split_corner && e->split_corner[symbol] != DRACO_NONE) e->stack[e->depth++] = e->split_corner[symbol];
    if (e->depth == 0) return "a split without a second edge";
    uint32_t a = e->stack[e->depth - 1];
    if (a == b || !is_border(e, a) || !is_border(e, b)) return "an edge with three faces";
    uint32_t kept = find_vertex(e, draco_previous(a)), gone = find_vertex(e, draco_next(b));
    uint32_t right = find_vertex(e, draco_next(a)), left = find_vertex(e, draco_previous(b));
    if (kept == gone) return "a split at one vertex";
    if (e->merged_count == e->merged_capacity) return "too many splits";
    join(e, a, corner + 2);
    join(e, b, corner + 1);
    e->vertex[corner] = kept;
    e->vertex[corner + 1] = right;
    e->vertex[corner + 2] = left;
    e->leftmost[left] = corner + 2;
    e->leftmost[kept] = e->leftmost[gone];
    e->leftmost[gone] = DRACO_NONE;
    e->merged_into[gone] = kept;
    e->merged[e->merged_count++] = gone;
    if (e->has_valences) e->valence[kept] += e->valence[gone];
    return NULL;
}

// Edges that a later split needs are left or right of the new face.
static const char *note_splits(edgebreaker *e, uint32_t symbol)
{
    uint32_t from_end = e->symbol_count - symbol - 1;
    for (; e->event_count > 0 && e->events[e->event_count - 1].source >= from_end; e->event_count--) {
        const split_event *event = &e->events[e->event_count - 1];
        if (event->source > from_end) return "a split at a face that cannot have one";
        uint32_t active = e->stack[e->depth - 1];
        e->split_corner[e->symbol_count - event->split - 1] = event->is_right ? draco_next(active)
                                                                              : draco_previous(active);
    }
    return NULL;
}

static void count_valences(edgebreaker *e, uint32_t corner, topology kind)
{
    static const uint8_t added[TOPOLOGY_NONE][3] = {
        [TOPOLOGY_C] = { 0, 1, 1 }, [TOPOLOGY_S] = { 0, 1, 1 }, [TOPOLOGY_L] = { 1, 2, 1 },
        [TOPOLOGY_R] = { 1, 1, 2 }, [TOPOLOGY_E] = { 2, 2, 2 },
    };
    for (uint32_t i = 0; i < 3; i++) e->valence[find_vertex(e, corner + i)] += added[kind][i];
}

static const char *add_face(edgebreaker *e, uint32_t symbol)
{
    topology kind = take_topology(e);
    uint32_t corner = symbol * 3, room = e->vertex_capacity - e->vertex_count;
    const char *fault = NULL;
    if (kind == TOPOLOGY_NONE) return "an unknown symbol";
    if (kind != TOPOLOGY_E && e->depth == 0) return "a face beside nothing";
    if (room < (kind == TOPOLOGY_E ? 3u : kind == TOPOLOGY_L || kind == TOPOLOGY_R)) return "too many vertices";
    switch (kind) {
    case TOPOLOGY_C: fault = add_closing_face(e, corner); break;
    case TOPOLOGY_S: fault = add_splitting_face(e, corner, symbol); break;
    case TOPOLOGY_E:
        for (uint32_t i = 0; i < 3; i++) add_vertex(e, corner + i);
        e->depth++;
        break;
    default: fault = add_side_face(e, corner, kind == TOPOLOGY_R); break;
    }
    if (fault) return fault;
    e->stack[e->depth - 1] = corner;
    e->last = kind;
    if (e->has_valences) count_valences(e, corner, kind);
    return kind == TOPOLOGY_C || kind == TOPOLOGY_S ? NULL : note_splits(e, symbol);
}

// The first face of a component, which has no symbol, fills a hole of three edges.
static const char *add_start_face(edgebreaker *e, uint32_t a, uint32_t corner)
{
    uint32_t right = find_vertex(e, draco_next(a)), b = find_left_edge(e, right);
    uint32_t far = find_vertex(e, draco_next(b)), c = find_left_edge(e, far);
    if (a == b || b == c || c == a || find_vertex(e, draco_next(c)) != find_vertex(e, draco_previous(a)))
        return "a first face that does not fit";
    if (!is_border(e, a) || !is_border(e, b) || !is_border(e, c)) return "an edge with three faces";
    join(e, a, corner);
    join(e, b, corner + 1);
    join(e, c, corner + 2);
    e->vertex[corner] = far;
    e->vertex[corner + 1] = find_vertex(e, draco_next(c));
    e->vertex[corner + 2] = right;
    return NULL;
}

static bool build_faces(edgebreaker *e)
{
    const char *fault = NULL;
    for (uint32_t i = 0; i < e->symbol_count && !fault; i++) fault = add_face(e, i);
    if (!fault && e->bits.is_short) fault = "symbols are missing";
    uint32_t count = e->symbol_count;
    while (e->depth > 0 && !fault) {
        uint32_t active = e->stack[--e->depth];
        if (!draco_take_flag(&e->inner_starts)) continue;
        fault = count < e->face_count ? add_start_face(e, active, count * 3) : "too many faces";
        count++;
    }
    if (!fault && count != e->face_count) fault = "too few faces";
    if (fault) return sni_draco_corrupt(e->decoder, fault);
    for (uint64_t c = 0; c < (uint64_t)e->face_count * 3; c++) e->vertex[c] = find_vertex(e, (uint32_t)c);
    return true;
}

// Reading

static bool read_split_events(edgebreaker *e)
{
    sni_reader *in = e->decoder->in;
    e->event_count = sni_draco_read_varint32(in);
    if (e->event_count == 0 || !sni_has_items(in, e->event_count, 2)) return sni_ok(in);
    e->events = draco_new(e->decoder, &e->building, split_event, e->event_count);
    e->split_corner = draco_new(e->decoder, &e->building, uint32_t, e->symbol_count);
    if (!e->events || !e->split_corner) return false;
    memset(e->split_corner, 0xFF, e->symbol_count * sizeof *e->split_corner);
    uint64_t source = 0;
    for (uint32_t i = 0; i < e->event_count; i++) {
        source += sni_draco_read_varint32(in);
        uint32_t back = sni_draco_read_varint32(in);
        if (source >= e->symbol_count || back > source) return sni_draco_corrupt(e->decoder, "a split of no face");
        e->events[i] = (split_event){ .source = (uint32_t)source, .split = (uint32_t)source - back };
    }
    uint32_t size = e->event_count / 8 + (e->event_count % 8 > 0);
    draco_bits bits = { .at = sni_take(in, size) };
    if (!bits.at) return false;
    bits.end = bits.at + size;
    for (uint32_t i = 0; i < e->event_count; i++) e->events[i].is_right = draco_take_bits(&bits, 1);
    return true;
}

static bool read_flag_streams(edgebreaker *e)
{
    draco_decoder *decoder = e->decoder;
    if (!sni_draco_open_flags(decoder, &e->inner_starts)) return false;
    e->seam_flags = draco_new(decoder, &e->scratch, draco_flags, decoder->seam_count);
    for (uint32_t i = 0; i < decoder->seam_count; i++)
        if (!e->seam_flags || !sni_draco_open_flags(decoder, &e->seam_flags[i])) return false;
    return e->seam_flags != NULL;
}

static bool read_symbol_bits(edgebreaker *e)
{
    uint64_t size = sni_draco_read_varint(e->decoder->in);
    e->bits.at = sni_take(e->decoder->in, size);
    if (!e->bits.at) return false;
    e->bits.end = e->bits.at + size;
    return true;
}

static bool read_valence_contexts(edgebreaker *e)
{
    uint32_t left = e->symbol_count;
    e->valence = draco_new(e->decoder, &e->building, uint32_t, e->vertex_capacity);
    uint32_t *symbols = draco_new(e->decoder, &e->building, uint32_t, left);
    if (!e->valence || !symbols) return false;
    memset(e->valence, 0, e->vertex_capacity * sizeof *e->valence);
    for (uint32_t i = 0; i < CONTEXTS; i++) {
        uint32_t count = sni_draco_read_varint32(e->decoder->in);
        if (count > left) return sni_draco_corrupt(e->decoder, "more symbols than faces");
        if (!sni_draco_read_symbols(e->decoder, count, 1, symbols)) return false;
        e->context_symbols[i] = symbols;
        e->context_counts[i] = count;
        symbols += count;
        left -= count;
    }
    return true;
}

static bool allocate(edgebreaker *e)
{
    draco_decoder *decoder = e->decoder;
    e->opposite = decoder->opposite = new_corners(decoder, &decoder->tables);
    e->vertex = new_corners(decoder, &e->scratch);
    e->leftmost = draco_new(decoder, &e->scratch, uint32_t, e->vertex_capacity);
    e->merged_into = draco_new(decoder, &e->building, uint32_t, e->vertex_capacity);
    e->merged = draco_new(decoder, &e->scratch, uint32_t, e->merged_capacity);
    e->stack = draco_new(decoder, &e->building, uint32_t, (uint64_t)e->symbol_count + 1);
    return e->opposite && e->vertex && e->leftmost && e->merged_into && e->merged && e->stack;
}

// Seams and points

// Each edge between two faces has a flag for each table, in the face that comes first.
static bool read_seams(edgebreaker *e, uint8_t **is_seam)
{
    draco_decoder *decoder = e->decoder;
    uint32_t corner_count = e->face_count * 3;
    if (!sni_draco_charge(decoder, decoder->seam_count, corner_count)) return false;
    for (uint32_t c = 0; c < corner_count; c++) {
        uint32_t across = e->opposite[c];
        if (across == DRACO_NONE || across / 3 < c / 3) continue;
        for (uint32_t i = 0; i < decoder->seam_count; i++) {
            if (!draco_take_flag(&e->seam_flags[i])) continue;
            if (!is_seam[i]) {
                is_seam[i] = draco_new(decoder, &decoder->tables, uint8_t, corner_count);
                if (!is_seam[i]) return false;
                memset(is_seam[i], 0, corner_count);
                decoder->seams[i].is_seam = is_seam[i];
            }
            is_seam[i][c] = is_seam[i][across] = true;
        }
    }
    return true;
}

// The first corner to the left of which is a seam or a border; any where there is neither.
static uint32_t find_left_end(const edgebreaker *e, const draco_table *table, uint32_t vertex)
{
    uint32_t first = e->leftmost[vertex];
    for (uint32_t c = first; table->is_seam && !table->is_seam[draco_next(c)]; first = c) {
        c = draco_swing_left(e->opposite, c);
        if (c == DRACO_NONE || c == e->leftmost[vertex]) return first;
    }
    return first;
}

// Numbers the vertices of a table: those of positions, split at its seams.
static bool split_vertices(edgebreaker *e, draco_table *table, uint32_t **vertex_of_corner)
{
    uint32_t *vertex = *vertex_of_corner = new_corners(e->decoder, &e->scratch);
    if (!vertex) return false;
    table->vertex_count = 0;
    for (uint32_t v = 0; v < e->vertex_count; v++) {
        if (e->leftmost[v] == DRACO_NONE) continue;
        uint32_t first = find_left_end(e, table, v);
        uint32_t c = first;
        do {
            if (c == first || table->is_seam[draco_next(c)]) table->vertex_count++;
            vertex[c] = table->vertex_count - 1;
            c = draco_swing_right(e->opposite, c);
        } while (c != DRACO_NONE && c != first);
    }
    return true;
}

// Where to begin to number the points around a vertex inside the mesh: behind a seam, if it has one.
static uint32_t find_first_corner(const edgebreaker *e, uint32_t leftmost)
{
    for (uint32_t i = 0; i < e->decoder->seam_count; i++) {
        const uint32_t *vertex = e->seam_vertex[i];
        uint32_t c = leftmost;
        while (vertex) {
            if (vertex[c] != vertex[leftmost]) return c;
            c = draco_swing_right(e->opposite, c);
            if (c == leftmost || c == DRACO_NONE) break;
        }
    }
    return leftmost;
}

static bool is_same_point(const edgebreaker *e, uint32_t a, uint32_t b)
{
    bool is_same = true;
    for (uint32_t i = 0; i < e->decoder->seam_count && is_same; i++)
        is_same = !e->seam_vertex[i] || e->seam_vertex[i][a] == e->seam_vertex[i][b];
    return is_same;
}

// A point is a vertex with one value of each attribute.
static bool number_points(edgebreaker *e)
{
    draco_decoder *decoder = e->decoder;
    uint32_t *indices = new_indices(decoder), count = 0, left = e->face_count * 3;
    uint32_t capacity = left < decoder->limits->point_count ? left : decoder->limits->point_count;
    uint32_t *corner_of_point = draco_new(decoder, &decoder->tables, uint32_t, capacity);
    if (!indices || !corner_of_point) return false;
    for (uint32_t v = 0; v < e->vertex_count; v++) {
        uint32_t leftmost = e->leftmost[v];
        if (leftmost == DRACO_NONE) continue;
        bool is_open = is_border(e, draco_next(leftmost));
        uint32_t first = is_open ? leftmost : find_first_corner(e, leftmost), last = first, c = first;
        do {
            if (left-- == 0) return sni_draco_corrupt(decoder, "a corner at two vertices");
            if (c == first || !is_same_point(e, c, last)) {
                if (count < capacity) corner_of_point[count] = c;
                count++;
            }
            indices[c] = count - 1;
            last = c;
            c = draco_swing_right(e->opposite, c);
        } while (c != DRACO_NONE && c != first);
    }
    decoder->corner_of_point = corner_of_point;
    decoder->mesh->point_count = count;
    return left == 0 || sni_draco_corrupt(decoder, "a corner without a vertex");
}

// Without tables for attributes points are vertices. The last ones take the numbers of those that were merged.
static bool number_points_as_vertices(edgebreaker *e)
{
    draco_decoder *decoder = e->decoder;
    uint32_t *indices = new_indices(decoder), count = e->vertex_count;
    uint32_t *point_of_vertex = draco_new(decoder, &e->scratch, uint32_t, count);
    uint32_t *slots = draco_new(decoder, &decoder->tables, uint32_t, count);
    if (!indices || !point_of_vertex || !slots) return false;
    for (uint32_t v = 0; v < count; v++) slots[v] = e->leftmost[v];
    for (uint32_t i = 0; i < e->merged_count; i++) {
        while (count > 0 && slots[count - 1] == DRACO_NONE) count--;
        if (count <= e->merged[i]) continue;
        slots[e->merged[i]] = slots[--count];
        slots[count] = DRACO_NONE;
    }
    while (count > 0 && slots[count - 1] == DRACO_NONE) count--;
    for (uint32_t p = 0; p < count; p++) point_of_vertex[e->vertex[slots[p]]] = p;
    for (uint64_t c = 0; c < (uint64_t)e->face_count * 3; c++) indices[c] = point_of_vertex[e->vertex[c]];
    decoder->corner_of_point = slots;
    decoder->mesh->point_count = count;
    return true;
}

// From vertices of corners to vertices of points.
static bool publish_table(edgebreaker *e, draco_table *table, const uint32_t *vertex)
{
    draco_decoder *decoder = e->decoder;
    uint32_t count = decoder->mesh->point_count;
    table->vertex_of_point = draco_new(decoder, &decoder->tables, uint32_t, count);
    table->is_open = draco_new(decoder, &decoder->tables, uint8_t, count);
    if (!table->vertex_of_point || !table->is_open) return false;
    for (uint32_t v = 0; v < e->vertex_count; v++) {
        if (e->leftmost[v] == DRACO_NONE) continue;
        uint32_t edge = draco_next(find_left_end(e, table, v));
        e->is_open[v] = is_border(e, edge) || (table->is_seam && table->is_seam[edge]);
    }
    for (uint32_t p = 0; p < count; p++) {
        uint32_t corner = decoder->corner_of_point[p];
        table->vertex_of_point[p] = vertex[corner];
        table->is_open[p] = e->is_open[e->vertex[corner]];
    }
    return true;
}

static sni_draco_result publish_tables(edgebreaker *e)
{
    draco_decoder *decoder = e->decoder;
    uint32_t count = decoder->seam_count;
    uint8_t **is_seam = draco_new(decoder, &e->scratch, uint8_t *, count);
    e->seam_vertex = draco_new(decoder, &e->scratch, uint32_t *, count);
    e->is_open = draco_new(decoder, &e->scratch, uint8_t, e->vertex_count);
    decoder->seams = draco_new(decoder, &decoder->tables, draco_table, count);
    if (!is_seam || !e->seam_vertex || !e->is_open || !decoder->seams) return SNI_DRACO_FAILED;
    for (uint32_t i = 0; i < count; i++) {
        is_seam[i] = NULL;
        e->seam_vertex[i] = NULL;
        decoder->seams[i] = (draco_table){ 0 };
    }
    bool is_good = count == 0 || read_seams(e, is_seam);
    for (uint32_t i = 0; i < count && is_good; i++)
        is_good = !is_seam[i] || split_vertices(e, &decoder->seams[i], &e->seam_vertex[i]);
    is_good = is_good && (count == 0 ? number_points_as_vertices(e) : number_points(e));
    if (!is_good) return SNI_DRACO_FAILED;
    uint32_t declared = decoder->limits->point_count;
    if (declared != UINT32_MAX && decoder->mesh->point_count != declared) return SNI_DRACO_DISAGREES;

    decoder->positions.vertex_count = e->vertex_count;
    is_good = publish_table(e, &decoder->positions, e->vertex);
    for (uint32_t i = 0; i < count && is_good; i++) {
        if (is_seam[i]) is_good = publish_table(e, &decoder->seams[i], e->seam_vertex[i]);
        else decoder->seams[i] = decoder->positions;
    }
    return is_good ? SNI_DRACO_OK : SNI_DRACO_FAILED;
}

sni_draco_result sni_draco_read_edgebreaker(draco_decoder *decoder)
{
    enum { STANDARD = 0, VALENCE = 2 };
    sni_reader *in = decoder->in;
    const sni_draco_limits *limits = decoder->limits;
    uint8_t traversal = sni_read_u8(in);
    uint32_t vertex_count = sni_draco_read_varint32(in), face_count = sni_draco_read_varint32(in);
    decoder->seam_count = sni_read_u8(in);
    uint32_t symbol_count = sni_draco_read_varint32(in), split_count = sni_draco_read_varint32(in);
    if (!sni_ok(in)) return SNI_DRACO_FAILED;
    if (traversal != STANDARD && traversal != VALENCE)
        return check(decoder, sni_draco_corrupt(decoder, "an unknown traversal"));
    if (limits->face_count != UINT32_MAX && face_count != limits->face_count) return SNI_DRACO_DISAGREES;

    // Each component has at most one face without a symbol, and three with one.
    if (face_count > UINT32_MAX / 8 || symbol_count > face_count || face_count - symbol_count > symbol_count / 3 ||
        split_count > symbol_count || vertex_count > face_count * 3)
        return check(decoder, sni_draco_corrupt(decoder, "counts that cannot be"));
    decoder->mesh->face_count = face_count;
    edgebreaker e = {
        .decoder = decoder,
        .face_count = face_count,
        .symbol_count = symbol_count,
        .vertex_capacity = vertex_count + split_count,
        .merged_capacity = split_count,
        .has_valences = traversal == VALENCE,
        .last = TOPOLOGY_NONE,
    };
    sni_arena_init(&e.building, in->arena->heap);
    sni_arena_init(&e.scratch, in->arena->heap);
    bool is_good = allocate(&e) && read_split_events(&e) && (e.has_valences || read_symbol_bits(&e)) &&
                   read_flag_streams(&e) && (!e.has_valences || read_valence_contexts(&e)) && build_faces(&e);
    sni_arena_free(&e.building);
    sni_draco_result result = is_good ? publish_tables(&e) : SNI_DRACO_FAILED;
    sni_arena_free(&e.scratch);
    return result;
}
