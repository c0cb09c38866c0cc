// W3D: bytes to document. The chunks are walked as the original engine does: what holds chunks is known by its id, what
// lies in a container is followed even where sizes say otherwise, and the walk only ever goes forward.
#include "format/w3d/w3d_parse.h"

enum { CHUNK_HEADER = 8 };

// What the walk meets is counted and told once, at the first place.
typedef enum fault_kind { PAST_FILE, PAST_PARENT, TOO_DEEP, STRAY, UNKNOWN, FAULT_COUNT } fault_kind;
typedef struct tally {
    uint64_t count;
    int32_t first;
} tally;

typedef struct level {
    int32_t chunk, last_child;
    size_t end;                         // moves on when a child passes it
    uint32_t seen[W3D_MOST_KINDS + 1];  // chunks of each kind so far
} level;

typedef struct walker {
    w3d_parser *p;
    sni_bytes bytes;
    size_t at;
    sni_list chunks;
    uint32_t depth, most_depth;
    tally tallies[FAULT_COUNT];
    level levels[W3D_MOST_DEPTH + 1];
} walker;

static void count_fault(walker *w, fault_kind fault, int32_t chunk)
{
    if (w->tallies[fault].count++ == 0) w->tallies[fault].first = chunk;
}

static void open_level(walker *w, uint32_t depth, int32_t chunk, size_t end)
{
    w->depth = depth;
    w->levels[depth] = (level){ .chunk = chunk, .last_child = W3D_NONE, .end = end };
}

static w3d_chunk *chunks_of(const walker *w) { return w->chunks.items; }

// Sizes of HLODs are often wrong; but these chunks lie nowhere else.
static bool belongs(uint32_t parent, uint32_t child)
{
    switch (parent) {
    case W3D_HLOD:
        return child == W3D_LOD_ARRAY || child == W3D_AGGREGATES || child == W3D_PROXIES || child == W3D_LIGHT_ARRAY;
    case W3D_LOD_ARRAY:
    case W3D_AGGREGATES:
    case W3D_PROXIES:
    case W3D_LIGHT_ARRAY: return child == W3D_SUB_OBJECT;
    default: return false;
    }
}

static bool has_next(const walker *w)
{
    const level *top = &w->levels[w->depth];
    if (top->end - w->at >= CHUNK_HEADER) return true;
    const uint8_t *header = w->bytes.data + w->at;
    size_t left = w->bytes.size - w->at;
    return top->chunk >= 0 && left >= CHUNK_HEADER && belongs(chunks_of(w)[top->chunk].id, sni_load_u32(header)) &&
           (sni_load_u32(header + 4) & W3D_SIZE_MASK) <= left - CHUNK_HEADER;
}

// A new chunk at the walk's place, tied into the tree.
static int32_t add_chunk(walker *w, uint32_t kind)
{
    level *top = &w->levels[w->depth];
    w3d_chunk *chunk = sni_push(w->p->arena, &w->chunks, w3d_chunk);
    if (!chunk) return W3D_NONE;
    int32_t index = (int32_t)(w->chunks.count - 1);
    const uint8_t *header = w->bytes.data + w->at;
    *chunk = (w3d_chunk){ .id = sni_load_u32(header),
                          .size = sni_load_u32(header + 4),
                          .offset = w->at,
                          .parent = top->chunk,
                          .first_child = W3D_NONE,
                          .next = W3D_NONE,
                          .ordinal = top->seen[kind]++ };
    if (top->last_child >= 0) chunks_of(w)[top->last_child].next = index;
    else if (top->chunk >= 0) chunks_of(w)[top->chunk].first_child = index;
    top->last_child = index;
    return index;
}

// Where the chunk ends: inside the file, and its parents end no sooner.
static size_t find_end(walker *w, int32_t index)
{
    size_t start = w->at + CHUNK_HEADER, size = chunks_of(w)[index].size & W3D_SIZE_MASK;
    if (size > w->bytes.size - start) {
        size = w->bytes.size - start;
        count_fault(w, PAST_FILE, index);
    }
    if (start + size > w->levels[w->depth].end) count_fault(w, PAST_PARENT, index);
    for (uint32_t i = 0; i <= w->depth; i++)
        if (w->levels[i].end < start + size) w->levels[i].end = start + size;
    return start + size;
}

static void read_chunk(walker *w)
{
    uint32_t kind = w3d_find_kind(sni_load_u32(w->bytes.data + w->at));
    int32_t index = add_chunk(w, kind);
    if (index < 0) return;
    size_t end = find_end(w, index);
    bool is_container = kind < w3d_kind_count && w3d_kinds[kind].is_container;
    if (kind == w3d_kind_count) count_fault(w, UNKNOWN, index);
    w->at += CHUNK_HEADER;
    if (is_container && w->depth < w->most_depth) {
        open_level(w, w->depth + 1, index, end);
        return;
    }
    if (is_container) count_fault(w, TOO_DEEP, index);
    chunks_of(w)[index].bytes = (w3d_array){ w->bytes.data + w->at, (uint32_t)(end - w->at) };
    w->at = end;
}

// False when it was the file's own.
static bool close_level(walker *w)
{
    const level *top = &w->levels[w->depth];
    w3d_array stray = { w->bytes.data + w->at, (uint32_t)(top->end - w->at) };
    if (stray.count > 0) count_fault(w, STRAY, top->chunk);
    w->at = top->end;
    if (w->depth == 0) {
        w->p->doc->stray = stray;
        return false;
    }
    chunks_of(w)[top->chunk].bytes = stray;
    w->depth--;
    return true;
}

static void tell_fault(const walker *w, fault_kind fault)
{
    sni_diag *diag = w->p->diag;
    const w3d_doc *doc = w->p->doc;
    int32_t first = w->tallies[fault].first;
    uint64_t count = w->tallies[fault].count;
    w3d_chunk file = { .offset = w->bytes.size - doc->stray.count, .bytes = doc->stray };
    const w3d_chunk *chunk = first >= 0 ? &doc->chunks[first] : &file;
    uint32_t size = chunk->size & W3D_SIZE_MASK;
    switch (fault) {
    case PAST_FILE:
        sni_warn_many(diag, SNI_WARN_W3D_SIZE, count, chunk->offset, "says %u bytes, the file has %zu more", size,
                      w->bytes.size - (size_t)chunk->offset - CHUNK_HEADER);
        break;
    case PAST_PARENT:
        sni_warn_many(diag, SNI_WARN_W3D_SIZE, count, chunk->offset,
                      "its %u bytes reach past the end of what it lies in", size);
        break;
    case TOO_DEEP:
        sni_warn_many(diag, SNI_WARN_W3D_DEPTH, count, chunk->offset, "inside %u others", w->most_depth);
        break;
    case STRAY:
        sni_warn_many(diag, SNI_WARN_W3D_LEFTOVER, count, chunk->offset, "%u bytes behind the last chunk",
                      chunk->bytes.count);
        break;
    default: sni_warn_many(diag, SNI_WARN_W3D_UNKNOWN, count, chunk->offset, "id 0x%x, %u bytes", chunk->id, size);
    }
}

static void tell_faults(const walker *w)
{
    for (int i = 0; i < FAULT_COUNT; i++) {
        if (w->tallies[i].count == 0) continue;
        w3d_enter(w->p->diag, w->p->doc, w->tallies[i].first);
        tell_fault(w, (fault_kind)i);
        w3d_leave(w->p->diag, w->p->doc, w->tallies[i].first);
    }
}

static bool walk(w3d_parser *p, const sn_limits *limits, sni_bytes bytes)
{
    walker w = { .p = p, .bytes = bytes };
    w.most_depth = limits->depth < W3D_MOST_DEPTH ? limits->depth : W3D_MOST_DEPTH;
    open_level(&w, 0, W3D_NONE, bytes.size);
    for (bool is_open = true; is_open && !sni_failed(p->diag);) {
        if (has_next(&w)) read_chunk(&w);
        else is_open = close_level(&w);
    }
    if (sni_failed(p->diag)) return false;
    p->doc->chunks = w.chunks.items;
    p->doc->chunk_count = w.chunks.count;
    tell_faults(&w);
    return true;
}

static void parse_top(w3d_parser *p, int32_t chunk)
{
    switch (w3d_at(p, chunk)->id) {
    case W3D_MESH: w3d_parse_mesh(p, chunk); break;
    case W3D_HIERARCHY: w3d_parse_hierarchy(p, chunk); break;
    case W3D_ANIMATION:
    case W3D_COMPRESSED: w3d_parse_animation(p, chunk); break;
    case W3D_MORPH_ANIMATION: w3d_parse_morph(p, chunk); break;
    case W3D_HMODEL:
    case W3D_HLOD: w3d_parse_hlod(p, chunk); break;
    case W3D_BOX: w3d_parse_box(p, chunk); break;
    case W3D_LIGHT: w3d_parse_light(p, chunk); break;
    default: w3d_parse_object(p, chunk);
    }
}

static void hand_over(const w3d_parser *p, w3d_doc *doc)
{
    doc->hierarchies = p->hierarchies.items, doc->hierarchy_count = p->hierarchies.count;
    doc->meshes = p->meshes.items, doc->mesh_count = p->meshes.count;
    doc->animations = p->animations.items, doc->animation_count = p->animations.count;
    doc->morphs = p->morphs.items, doc->morph_count = p->morphs.count;
    doc->hlods = p->hlods.items, doc->hlod_count = p->hlods.count;
    doc->boxes = p->boxes.items, doc->box_count = p->boxes.count;
    doc->lights = p->lights.items, doc->light_count = p->lights.count;
    doc->objects = p->objects.items, doc->object_count = p->objects.count;
}

bool w3d_parse(sni_load *load, sni_bytes bytes, w3d_doc *doc)
{
    w3d_parser p = { .diag = &load->diag, .arena = sni_load_document_arena(load), .doc = doc };
    if (!walk(&p, &load->limits, bytes)) return false;
    int32_t top = doc->chunk_count > 0 ? 0 : W3D_NONE;
    for (; top >= 0 && sni_load_ok(load); top = doc->chunks[top].next) parse_top(&p, top);
    hand_over(&p, doc);
    return sni_load_ok(load);
}
