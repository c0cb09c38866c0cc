// Attributes of a Draco mesh: in which order their values are in the stream, and the values as integers.
#include "draco/draco_decoder.h"

// Order of values

typedef struct traversal {
    const draco_decoder *decoder;
    const draco_table *table;
    draco_sequence *sequence;
    uint32_t *value_of_vertex;
    uint8_t *is_visited;  // by face
    uint32_t *stack;
} traversal;

static uint32_t find_vertex(const traversal *t, uint32_t corner)
{
    return t->table->vertex_of_point[t->decoder->mesh->indices[corner]];
}

// True when the vertex of the corner is visited for the first time.
static bool visit_vertex(traversal *t, uint32_t corner)
{
    draco_sequence *sequence = t->sequence;
    uint32_t *value = &t->value_of_vertex[find_vertex(t, corner)];
    if (*value != DRACO_NONE) return false;
    *value = sequence->value_count;
    sequence->corner_of_value[sequence->value_count++] = corner;
    return true;
}

static bool is_unvisited(const traversal *t, uint32_t corner)
{
    return corner != DRACO_NONE && !t->is_visited[corner / 3];
}

static uint32_t find_right(const traversal *t, uint32_t corner)
{
    return draco_across(t->decoder, t->table, draco_next(corner));
}

static uint32_t find_left(const traversal *t, uint32_t corner)
{
    return draco_across(t->decoder, t->table, draco_previous(corner));
}

// From face to face over the edge to the right, the left one later.
static void walk_depth_first(traversal *t, uint32_t start)
{
    uint32_t depth = 0;
    if (!is_unvisited(t, start)) return;
    t->stack[depth++] = start;
    visit_vertex(t, draco_next(start));
    visit_vertex(t, draco_previous(start));
    while (depth > 0) {
        uint32_t corner = t->stack[depth - 1];
        if (!is_unvisited(t, corner)) {
            depth--;
            continue;
        }
        for (;;) {
            t->is_visited[corner / 3] = true;
            uint32_t right = find_right(t, corner), left = find_left(t, corner);
            bool is_inside = visit_vertex(t, corner) && !t->table->is_open[t->decoder->mesh->indices[corner]];
            if (is_inside && right != DRACO_NONE) {
                corner = right;
                continue;
            }
            bool goes_right = is_unvisited(t, right), goes_left = is_unvisited(t, left);
            if (goes_right != goes_left) {
                corner = goes_right ? right : left;
                continue;
            }
            depth--;
            if (goes_right) {
                t->stack[depth++] = left;
                t->stack[depth++] = right;
            }
            break;
        }
    }
}

// First the faces whose third vertex is known, then those whose third vertex has two known neighbours, then the rest.
// A corner is stacked at most once: the face behind its edge, which stacks it, is visited once.
typedef struct priority_stacks {
    uint32_t top[3], best;
    uint32_t *below;   // by corner
    uint32_t *degree;  // by vertex
} priority_stacks;

static uint32_t find_priority(const traversal *t, priority_stacks *stacks, uint32_t corner)
{
    uint32_t vertex = find_vertex(t, corner);
    if (t->value_of_vertex[vertex] != DRACO_NONE) return 0;
    return ++stacks->degree[vertex] > 1 ? 1 : 2;
}

static void push(priority_stacks *stacks, uint32_t corner, uint32_t priority)
{
    stacks->below[corner] = stacks->top[priority];
    stacks->top[priority] = corner;
    if (priority < stacks->best) stacks->best = priority;
}

static uint32_t pop(priority_stacks *stacks)
{
    for (uint32_t i = stacks->best; i < 3; i++) {
        uint32_t corner = stacks->top[i];
        if (corner == DRACO_NONE) continue;
        stacks->top[i] = stacks->below[corner];
        stacks->best = i;
        return corner;
    }
    return DRACO_NONE;
}

static void walk_by_degree(traversal *t, priority_stacks *stacks, uint32_t start)
{
    if (!is_unvisited(t, start)) return;
    push(stacks, start, 0);
    visit_vertex(t, draco_next(start));
    visit_vertex(t, draco_previous(start));
    visit_vertex(t, start);
    for (uint32_t corner; (corner = pop(stacks)) != DRACO_NONE;) {
        while (is_unvisited(t, corner)) {
            t->is_visited[corner / 3] = true;
            visit_vertex(t, corner);
            uint32_t right = find_right(t, corner), left = find_left(t, corner), ahead = DRACO_NONE;
            bool goes_right = is_unvisited(t, right);
            if (is_unvisited(t, left)) {
                uint32_t priority = find_priority(t, stacks, left);
                if (!goes_right && priority <= stacks->best) ahead = left;
                else push(stacks, left, priority);
            }
            if (goes_right) {
                uint32_t priority = find_priority(t, stacks, right);
                if (priority <= stacks->best) ahead = right;
                else push(stacks, right, priority);
            }
            corner = ahead;
        }
    }
}

static bool walk_faces(draco_decoder *decoder, sni_arena *scratch, bool is_by_degree, draco_sequence *sequence)
{
    const draco_table *table = sequence->table;
    uint32_t face_count = decoder->mesh->face_count, vertex_count = table->vertex_count;
    traversal t = {
        .decoder = decoder,
        .table = table,
        .sequence = sequence,
        .value_of_vertex = draco_new(decoder, scratch, uint32_t, vertex_count),
        .is_visited = draco_new(decoder, scratch, uint8_t, face_count),
        .stack = draco_new(decoder, scratch, uint32_t, is_by_degree ? face_count * 3ull : face_count + 1ull),
    };
    priority_stacks stacks = { .top = { DRACO_NONE, DRACO_NONE, DRACO_NONE }, .below = t.stack };
    stacks.degree = is_by_degree ? draco_new(decoder, scratch, uint32_t, vertex_count) : t.stack;
    if (!t.value_of_vertex || !t.is_visited || !t.stack || !stacks.degree) return false;
    memset(t.value_of_vertex, 0xFF, vertex_count * sizeof(uint32_t));
    memset(t.is_visited, 0, face_count);
    if (is_by_degree) memset(stacks.degree, 0, vertex_count * sizeof(uint32_t));
    for (uint32_t f = 0; f < face_count; f++) {
        stacks.best = 0;
        if (is_by_degree) walk_by_degree(&t, &stacks, f * 3);
        else walk_depth_first(&t, f * 3);
    }
    for (uint32_t p = 0; p < decoder->mesh->point_count; p++) {
        sequence->value_of_point[p] = t.value_of_vertex[table->vertex_of_point[p]];
        if (sequence->value_of_point[p] == DRACO_NONE) return sni_draco_corrupt(decoder, "a vertex without a value");
    }
    return true;
}

static bool find_order(draco_decoder *decoder, sni_arena *scratch, bool is_by_degree, draco_sequence *sequence)
{
    sequence->corner_of_value = draco_new(decoder, scratch, uint32_t, sequence->table->vertex_count);
    sequence->value_of_point = draco_new(decoder, decoder->in->arena, uint32_t, decoder->mesh->point_count);
    if (!sequence->corner_of_value || !sequence->value_of_point) return false;
    sni_arena walk;
    sni_arena_init(&walk, scratch->heap);
    bool is_good = walk_faces(decoder, &walk, is_by_degree, sequence);
    sni_arena_free(&walk);
    return is_good;
}

// Values

static const uint8_t type_bytes[] = { 0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 1 };

static bool read_integers(draco_decoder *decoder, uint64_t count, uint32_t width, int32_t *values)
{
    sni_reader *in = decoder->in;
    if (sni_read_u8(in) != 0) return sni_draco_read_symbols(decoder, count, width, (uint32_t *)values);
    uint8_t size = sni_read_u8(in);
    if (size < 1 || size > 4) return sni_draco_corrupt(decoder, "integers of no size or more than 4 bytes");
    const uint8_t *at = sni_take(in, count * size);
    for (uint64_t i = 0; i < count && at; i++) {
        uint32_t value = 0;
        for (uint32_t b = 0; b < size; b++) value |= (uint32_t)*at++ << (8 * b);
        values[i] = (int32_t)value;
    }
    return at != NULL;
}

static const sni_draco_attribute *find_positions(const sni_draco_attribute *attributes, uint32_t count)
{
    enum { POSITION };
    uint32_t i = 0;
    while (i < count && attributes[i].kind != POSITION) i++;
    return i < count && attributes[i].values && attributes[i].width == 3 ? &attributes[i] : NULL;
}

static bool read_values(draco_decoder *decoder, sni_arena *scratch, sni_draco_attribute *attributes, uint32_t count,
                        uint32_t index)
{
    enum { NO_PREDICTION = -2 };
    sni_reader *in = decoder->in;
    sni_draco_attribute *attribute = &attributes[index];
    const draco_sequence *sequence = attribute->sequence;
    uint32_t width = attribute->coding == DRACO_NORMAL ? 2 : attribute->width;
    uint64_t number_count = (uint64_t)sequence->value_count * width;
    if (attribute->coding == DRACO_PLAIN) {
        attribute->bytes = sni_take(in, number_count * type_bytes[attribute->type]);
        return attribute->bytes != NULL;
    }
    int8_t scheme = (int8_t)sni_read_u8(in);
    int8_t transform = scheme == NO_PREDICTION ? 0 : (int8_t)sni_read_u8(in);
    int32_t *values = draco_new(decoder, in->arena, int32_t, number_count);
    if (!values || !read_integers(decoder, number_count, width, values)) return false;
    if (transform != DRACO_OCTAHEDRON) {
        for (uint64_t i = 0; i < number_count; i++) {  // the sign is the lowest bit
            uint32_t value = (uint32_t)values[i];
            values[i] = (int32_t)(value >> 1 ^ (0 - (value & 1)));
        }
    }
    const sni_draco_attribute *positions = find_positions(attributes, count);
    bool has_transform = transform == (attribute->coding == DRACO_NORMAL ? DRACO_OCTAHEDRON : DRACO_WRAP);
    if (scheme != NO_PREDICTION && !has_transform) return sni_draco_corrupt(decoder, "an unknown transform");
    if (scheme != NO_PREDICTION &&
        !sni_draco_predict(decoder, scratch, sequence, scheme, transform, positions, width, values))
        return false;
    attribute->values = values;
    return sni_ok(in);
}

static bool read_scale(draco_decoder *decoder, sni_draco_attribute *attribute)
{
    sni_reader *in = decoder->in;
    if (attribute->coding == DRACO_QUANTIZED) {
        sni_read_words(in, attribute->lowest, attribute->width);
        attribute->range = sni_read_f32(in);
    }
    if (attribute->coding != DRACO_QUANTIZED && attribute->coding != DRACO_NORMAL) return true;
    attribute->bits = sni_read_u8(in);
    bool is_good = attribute->bits >= (attribute->coding == DRACO_NORMAL ? 2 : 1) && attribute->bits <= 30;
    return is_good || (sni_ok(in) && sni_draco_corrupt(decoder, "an unknown quantization"));
}

// Attributes of one group have one connectivity and one order.

typedef struct group {
    draco_sequence sequence;
    bool is_by_degree;
    uint32_t first, count;  // attributes
} group;

static bool read_group(draco_decoder *decoder, group *g)
{
    enum { OF_VERTICES, OF_CORNERS };
    enum { DEPTH_FIRST, BY_DEGREE };
    uint8_t seams = sni_read_u8(decoder->in), owner = sni_read_u8(decoder->in), order = sni_read_u8(decoder->in);
    bool has_seams = seams < 128;
    if (has_seams && seams >= decoder->seam_count) return sni_draco_corrupt(decoder, "seams that are not there");
    if (order > BY_DEGREE || (owner != OF_VERTICES && (order == BY_DEGREE || !has_seams)))
        return sni_draco_corrupt(decoder, "an unknown order of values");
    g->is_by_degree = order == BY_DEGREE;
    g->sequence.table = owner == OF_VERTICES ? &decoder->positions : &decoder->seams[seams];
    return sni_ok(decoder->in);
}

static bool read_descriptions(draco_decoder *decoder, group *g, sni_list *attributes)
{
    sni_reader *in = decoder->in;
    g->first = attributes->count;
    g->count = sni_draco_read_varint32(in);
    if (!sni_has_items(in, g->count, 6)) return false;
    for (uint32_t i = 0; i < g->count; i++) {
        sni_draco_attribute *attribute = sni_push(in->arena, attributes, sni_draco_attribute);
        if (!attribute) return false;
        attribute->kind = sni_read_u8(in);
        attribute->type = sni_read_u8(in);
        attribute->width = sni_read_u8(in);
        attribute->is_normalized = sni_read_u8(in) != 0;
        attribute->id = sni_draco_read_varint32(in);
        attribute->sequence = &g->sequence;
    }
    for (uint32_t i = 0; i < g->count; i++) {
        sni_draco_attribute *attribute = (sni_draco_attribute *)attributes->items + g->first + i;
        uint8_t coding = sni_read_u8(in);
        bool is_float = attribute->type == SNI_DRACO_FLOAT32;
        bool is_integer = attribute->type >= SNI_DRACO_INT8 && attribute->type <= SNI_DRACO_UINT32;
        if (!sni_ok(in)) return false;
        if (attribute->type == 0 || attribute->type >= sizeof type_bytes || attribute->width == 0 ||
            attribute->width > DRACO_WIDTH || coding >= DRACO_CODINGS || (coding == DRACO_INTEGER && !is_integer) ||
            (coding >= DRACO_QUANTIZED && !is_float) || (coding == DRACO_NORMAL && attribute->width != 3))
            return sni_draco_corrupt(decoder, "an unknown kind of attribute");
        attribute->coding = (draco_coding)coding;
    }
    return true;
}

static bool read_group_values(draco_decoder *decoder, bool is_edgebreaker, group *g, const sni_list *list)
{
    sni_draco_attribute *attributes = list->items;
    g->sequence.value_count = is_edgebreaker ? 0 : decoder->mesh->point_count;
    sni_arena scratch;
    sni_arena_init(&scratch, decoder->in->arena->heap);
    bool is_good = !is_edgebreaker || find_order(decoder, &scratch, g->is_by_degree, &g->sequence);
    for (uint32_t i = 0; i < g->count && is_good; i++)
        is_good = read_values(decoder, &scratch, attributes, list->count, g->first + i);
    for (uint32_t i = 0; i < g->count && is_good; i++) is_good = read_scale(decoder, &attributes[g->first + i]);
    sni_arena_free(&scratch);
    return is_good && sni_ok(decoder->in);
}

bool sni_draco_read_attributes(draco_decoder *decoder, bool is_edgebreaker)
{
    uint32_t count = sni_read_u8(decoder->in);
    group *groups = sni_new(decoder->in->arena, group, count);
    sni_list attributes = { 0 };
    bool is_good = groups && sni_ok(decoder->in);
    for (uint32_t i = 0; i < count && is_edgebreaker && is_good; i++) is_good = read_group(decoder, &groups[i]);
    for (uint32_t i = 0; i < count && is_good; i++) is_good = read_descriptions(decoder, &groups[i], &attributes);
    for (uint32_t i = 0; i < count && is_good; i++)
        is_good = read_group_values(decoder, is_edgebreaker, &groups[i], &attributes);
    decoder->mesh->attributes = attributes.items;
    decoder->mesh->attribute_count = attributes.count;
    return is_good;
}
