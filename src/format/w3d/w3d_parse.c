// W3D: bytes to document. First the chunk tree, then the objects in it: hierarchies, levels of detail, boxes, lights,
// and objects of which only the name is used. Meshes and animations have their own files.
//
// The tree is walked the way the original engine does: containers are known by their id, and a child that passes the
// end of its parent moves that end. The walk only ever goes forward.
#include "format/w3d/w3d_parse.h"

// Chunks

int32_t w3d_find(const w3d_parser *p, int32_t parent, uint32_t id)
{
    int32_t chunk = parent >= 0 ? w3d_at(p, parent)->first_child : W3D_NONE;
    while (chunk >= 0 && w3d_at(p, chunk)->id != id) chunk = w3d_at(p, chunk)->next;
    return chunk;
}

int32_t w3d_find_next(const w3d_parser *p, int32_t chunk)
{
    uint32_t id = w3d_at(p, chunk)->id;
    do chunk = w3d_at(p, chunk)->next;
    while (chunk >= 0 && w3d_at(p, chunk)->id != id);
    return chunk;
}

uint32_t w3d_count(const w3d_parser *p, int32_t parent, uint32_t id)
{
    uint32_t count = 0;
    for (int32_t chunk = w3d_find(p, parent, id); chunk >= 0; chunk = w3d_find_next(p, chunk)) count++;
    return count;
}

bool w3d_open(w3d_parser *p, int32_t chunk, uint32_t min_bytes, sni_reader *in)
{
    if (chunk < 0) return false;
    const w3d_chunk *at = w3d_at(p, chunk);
    if (at->bytes.count < min_bytes) {
        w3d_warn(p, chunk, SNI_WARN_W3D_CHUNK, "needs %u bytes, has %u", min_bytes, at->bytes.count);
        return false;
    }
    *in = sni_reader_make(at->bytes.data, at->bytes.count, p->diag, p->arena);
    in->origin = at->offset + W3D_CHUNK_HEADER_BYTES;
    return true;
}

bool w3d_open_header(w3d_parser *p, int32_t parent, uint32_t id, uint32_t min_bytes, sni_reader *in)
{
    int32_t chunk = w3d_find(p, parent, id);
    if (chunk < 0) w3d_warn(p, parent, SNI_WARN_W3D_CHUNK, "%s is missing", w3d_chunk_name(id));
    return w3d_open(p, chunk, min_bytes, in);
}

sni_str w3d_read_str(sni_reader *in, size_t size)
{
    const uint8_t *at = sni_take(in, size);
    return at ? sni_str_until_nul(at, size) : sni_str_make("", 0);
}

sni_str w3d_text(const w3d_parser *p, int32_t chunk)
{
    if (chunk < 0) return sni_str_make("", 0);
    return sni_str_until_nul(w3d_at(p, chunk)->bytes.data, w3d_at(p, chunk)->bytes.count);
}

void w3d_read_rgb(sni_reader *in, uint8_t rgb[3])
{
    for (int i = 0; i < 3; i++) rgb[i] = sni_read_u8(in);
    sni_skip(in, 1);
}

w3d_array w3d_take(w3d_parser *p, int32_t chunk, uint32_t count, uint32_t record_bytes)
{
    w3d_array bytes = w3d_at(p, chunk)->bytes;
    if (bytes.count / record_bytes < count) {
        w3d_warn(p, chunk, SNI_WARN_W3D_COUNT, "expected %u records of %u bytes, found %u bytes", count, record_bytes,
                 bytes.count);
        return (w3d_array){ 0 };
    }
    uint32_t extra = bytes.count - count * record_bytes;
    if (extra > 0) w3d_warn(p, chunk, SNI_WARN_W3D_LEFTOVER, "%u extra bytes after %u records", extra, count);
    return (w3d_array){ bytes.data, count };
}

w3d_array w3d_need(w3d_parser *p, int32_t chunk, uint32_t count, uint32_t record_bytes)
{
    const w3d_chunk *at = w3d_at(p, chunk);
    if (at->bytes.count / record_bytes >= count) return w3d_take(p, chunk, count, record_bytes);
    bool is_truncated = (at->size & W3D_SIZE_MASK) > at->bytes.count;
    w3d_enter(p->diag, p->doc, chunk);
    sni_fail(p->diag, is_truncated ? SN_ERR_TRUNCATED : SN_ERR_CORRUPT, at->offset,
             "%u records need %llu bytes, found %u", count, (unsigned long long)count * record_bytes, at->bytes.count);
    return (w3d_array){ 0 };
}

w3d_array w3d_take_all(w3d_parser *p, int32_t chunk, uint32_t record_bytes)
{
    return w3d_take(p, chunk, w3d_at(p, chunk)->bytes.count / record_bytes, record_bytes);
}

// The chunk tree

// Faults of each kind are counted and reported once, at the first chunk that has it.
typedef enum fault_kind { PAST_FILE, PAST_PARENT, TOO_DEEP, STRAY, UNKNOWN, FAULT_COUNT } fault_kind;
typedef struct fault {
    uint64_t count;
    int32_t first;
} fault;

typedef struct level {
    int32_t chunk, last_child;
    size_t end;                        // grows when a child passes it
    uint32_t seen[W3D_MAX_KINDS + 1];  // children of each kind so far
} level;

typedef struct walker {
    w3d_parser *p;
    sni_bytes bytes;
    size_t at;
    sni_list chunks;
    uint32_t depth, max_depth;
    fault faults[FAULT_COUNT];
    level levels[W3D_MAX_DEPTH + 1];
} walker;

static void count_fault(walker *w, fault_kind kind, int32_t chunk)
{
    if (w->faults[kind].count++ == 0) w->faults[kind].first = chunk;
}

static w3d_chunk *chunks_of(const walker *w) { return w->chunks.items; }

// Stored sizes of HLODs are often too small, but these chunks occur nowhere else.
static bool is_hlod_child(uint32_t parent, uint32_t child)
{
    bool is_array = child == W3D_LOD_ARRAY || child == W3D_AGGREGATES || child == W3D_PROXIES ||
                    child == W3D_LIGHT_ARRAY;
    switch (parent) {
    case W3D_HLOD: return is_array;
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
    if (top->end - w->at >= W3D_CHUNK_HEADER_BYTES) return true;
    const uint8_t *header = w->bytes.data + w->at;
    size_t rest = w->bytes.size - w->at;
    return top->chunk >= 0 && rest >= W3D_CHUNK_HEADER_BYTES &&
           is_hlod_child(chunks_of(w)[top->chunk].id, sni_load_u32(header)) &&
           (sni_load_u32(header + 4) & W3D_SIZE_MASK) <= rest - W3D_CHUNK_HEADER_BYTES;
}

static void open_level(walker *w, uint32_t depth, int32_t chunk, size_t end)
{
    w->depth = depth;
    w->levels[depth] = (level){ .chunk = chunk, .last_child = W3D_NONE, .end = end };
}

static void read_chunk(walker *w)
{
    const uint8_t *header = w->bytes.data + w->at;
    uint32_t id = sni_load_u32(header), kind = w3d_find_kind(id);
    level *top = &w->levels[w->depth];

    // Link it into the tree.
    int32_t index = (int32_t)w->chunks.count;
    w3d_chunk *chunk = sni_push(w->p->arena, &w->chunks, w3d_chunk);
    if (!chunk) return;
    *chunk = (w3d_chunk){ .id = id,
                          .size = sni_load_u32(header + 4),
                          .offset = w->at,
                          .parent = top->chunk,
                          .first_child = W3D_NONE,
                          .next = W3D_NONE,
                          .ordinal = top->seen[kind]++ };
    if (top->last_child >= 0) chunks_of(w)[top->last_child].next = index;
    else if (top->chunk >= 0) chunks_of(w)[top->chunk].first_child = index;
    top->last_child = index;
    if (kind == w3d_kind_count) count_fault(w, UNKNOWN, index);

    // Its end is inside the file, and no parent ends before it.
    w->at += W3D_CHUNK_HEADER_BYTES;
    size_t size = chunk->size & W3D_SIZE_MASK;
    if (size > w->bytes.size - w->at) {
        size = w->bytes.size - w->at;
        count_fault(w, PAST_FILE, index);
    }
    size_t end = w->at + size;
    if (end > top->end) count_fault(w, PAST_PARENT, index);
    for (uint32_t i = 0; i <= w->depth; i++)
        if (w->levels[i].end < end) w->levels[i].end = end;

    // Containers are entered, everything else is skipped.
    bool is_container = kind < w3d_kind_count && w3d_kinds[kind].is_container;
    if (is_container && w->depth < w->max_depth) {
        open_level(w, w->depth + 1, index, end);
        return;
    }
    if (is_container) count_fault(w, TOO_DEEP, index);
    chunk->bytes = (w3d_array){ w->bytes.data + w->at, (uint32_t)size };
    w->at = end;
}

// Returns false for the level of the file itself.
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

static void report_fault(const walker *w, fault_kind kind)
{
    sni_diag *diag = w->p->diag;
    const w3d_doc *doc = w->p->doc;
    uint64_t count = w->faults[kind].count;
    int32_t first = w->faults[kind].first;
    if (count == 0) return;
    w3d_chunk file = { .offset = w->bytes.size - doc->stray.count, .bytes = doc->stray };
    const w3d_chunk *chunk = first >= 0 ? &doc->chunks[first] : &file;
    uint32_t size = chunk->size & W3D_SIZE_MASK;
    w3d_enter(diag, doc, first);
    switch (kind) {
    case PAST_FILE:
        sni_warn_many(diag, SNI_WARN_W3D_SIZE, count, chunk->offset, "size is %u bytes, only %zu remain in the file",
                      size, w->bytes.size - (size_t)chunk->offset - W3D_CHUNK_HEADER_BYTES);
        break;
    case PAST_PARENT:
        sni_warn_many(diag, SNI_WARN_W3D_SIZE, count, chunk->offset, "its %u bytes extend past the end of its parent",
                      size);
        break;
    case TOO_DEEP:
        sni_warn_many(diag, SNI_WARN_W3D_DEPTH, count, chunk->offset, "nested in %u other chunks", w->max_depth);
        break;
    case STRAY:
        sni_warn_many(diag, SNI_WARN_W3D_LEFTOVER, count, chunk->offset, "%u bytes after the last chunk",
                      chunk->bytes.count);
        break;
    default: sni_warn_many(diag, SNI_WARN_W3D_UNKNOWN, count, chunk->offset, "id 0x%x, %u bytes", chunk->id, size);
    }
    w3d_leave(diag, doc, first);
}

static bool parse_tree(w3d_parser *p, uint32_t depth, sni_bytes bytes)
{
    walker w = { .p = p, .bytes = bytes };
    w.max_depth = depth < W3D_MAX_DEPTH ? depth : W3D_MAX_DEPTH;
    open_level(&w, 0, W3D_NONE, bytes.size);
    for (bool is_open = true; is_open && !sni_failed(p->diag);) {
        if (has_next(&w)) read_chunk(&w);
        else is_open = close_level(&w);
    }
    if (sni_failed(p->diag)) return false;
    p->doc->chunks = w.chunks.items;
    p->doc->chunk_count = w.chunks.count;
    for (int i = 0; i < FAULT_COUNT; i++) report_fault(&w, (fault_kind)i);
    return true;
}

// Hierarchies

enum { HIERARCHY_BYTES = 36, PIVOT_BYTES = 60, FIXUP_MATRIX_BYTES = 48, FIXUP_VECTOR_BYTES = 12 };

static void parse_hierarchy(w3d_parser *p, int32_t chunk)
{
    sni_reader in;
    w3d_hierarchy hierarchy = { .chunk = chunk };
    if (!w3d_open_header(p, chunk, W3D_HIERARCHY_HEADER, HIERARCHY_BYTES, &in)) return;
    hierarchy.version = sni_read_u32(&in);
    hierarchy.name = w3d_read_str(&in, W3D_NAME_BYTES);
    uint32_t count = sni_read_u32(&in);
    int32_t pivots = w3d_find(p, chunk, W3D_PIVOTS), fixups = w3d_find(p, chunk, W3D_FIXUPS);
    if (pivots >= 0) hierarchy.pivots = w3d_need(p, pivots, count, PIVOT_BYTES);
    else w3d_warn(p, chunk, SNI_WARN_W3D_CHUNK, "the header lists %u pivots, but PIVOTS is missing", count);
    if (fixups >= 0 && hierarchy.pivots.count > 0) {
        // Games write a matrix per pivot, one published description has a vector: the size decides.
        uint32_t size = w3d_at(p, fixups)->bytes.count;
        bool is_vectors = size / FIXUP_VECTOR_BYTES == hierarchy.pivots.count && size % FIXUP_VECTOR_BYTES == 0;
        hierarchy.fixup_bytes = is_vectors ? FIXUP_VECTOR_BYTES : FIXUP_MATRIX_BYTES;
        hierarchy.fixups = w3d_take(p, fixups, hierarchy.pivots.count, hierarchy.fixup_bytes);
    }
    w3d_hierarchy *slot = sni_push(p->arena, &p->hierarchies, w3d_hierarchy);
    if (slot) *slot = hierarchy;
}

w3d_pivot w3d_read_pivot(const w3d_hierarchy *hierarchy, uint32_t index)
{
    const uint8_t *at = hierarchy->pivots.data + (size_t)index * PIVOT_BYTES;
    float values[10];
    sni_load_words(at + 20, values, 10);
    return (w3d_pivot){ .name = sni_str_until_nul(at, W3D_NAME_BYTES),
                        .parent = (int32_t)sni_load_u32(at + 16),
                        .translation = { values[0], values[1], values[2] },
                        .euler = { values[3], values[4], values[5] },
                        .rotation = { values[6], values[7], values[8], values[9] } };
}

// Levels of detail

enum { HLOD_BYTES = 40, HMODEL_BYTES = 38, LOD_HEADER_BYTES = 8, SUB_OBJECT_BYTES = 36, HMODEL_NODE_BYTES = 18 };

static void parse_lod(w3d_parser *p, int32_t chunk, w3d_lod *lod)
{
    sni_reader in;
    if (chunk < 0 || !w3d_open_header(p, chunk, W3D_ARRAY_HEADER, LOD_HEADER_BYTES, &in)) return;
    uint32_t count = sni_read_u32(&in), found = w3d_count(p, chunk, W3D_SUB_OBJECT);
    lod->max_screen_size = sni_read_f32(&in);
    if (count != found) w3d_warn(p, chunk, SNI_WARN_W3D_COUNT, "the header lists %u objects, found %u", count, found);
    lod->objects = sni_new(p->arena, w3d_sub_object, count < found ? count : found);
    if (!lod->objects) return;
    int32_t child = w3d_find(p, chunk, W3D_SUB_OBJECT);
    for (; child >= 0 && count > 0; child = w3d_find_next(p, child), count--) {
        if (!w3d_open(p, child, SUB_OBJECT_BYTES, &in)) continue;
        w3d_sub_object *object = &lod->objects[lod->object_count++];
        object->bone = sni_read_u32(&in);
        object->name = w3d_read_str(&in, W3D_LONG_NAME_BYTES);
    }
}

static void parse_lods(w3d_parser *p, w3d_hlod *hlod, uint32_t count)
{
    hlod->lods = sni_new(p->arena, w3d_lod, w3d_count(p, hlod->chunk, W3D_LOD_ARRAY));
    if (!hlod->lods) return;
    for (int32_t child = w3d_find(p, hlod->chunk, W3D_LOD_ARRAY); child >= 0; child = w3d_find_next(p, child))
        parse_lod(p, child, &hlod->lods[hlod->lod_count++]);
    parse_lod(p, w3d_find(p, hlod->chunk, W3D_AGGREGATES), &hlod->aggregates);
    parse_lod(p, w3d_find(p, hlod->chunk, W3D_PROXIES), &hlod->proxies);
    if (count != hlod->lod_count)
        w3d_warn(p, hlod->chunk, SNI_WARN_W3D_COUNT, "the header lists %u levels of detail, found %u", count,
                 hlod->lod_count);
}

static bool is_hmodel_node(uint32_t id)
{
    return id == W3D_HMODEL_NODE || id == W3D_HMODEL_COLLISION || id == W3D_HMODEL_SKIN;
}

static void parse_hmodel_nodes(w3d_parser *p, w3d_hlod *hlod)
{
    sni_reader in;
    uint32_t count = 0;
    int32_t first = w3d_at(p, hlod->chunk)->first_child;
    for (int32_t child = first; child >= 0; child = w3d_at(p, child)->next)
        count += is_hmodel_node(w3d_at(p, child)->id);
    hlod->lods = sni_new(p->arena, w3d_lod, 1);
    w3d_sub_object *objects = sni_new(p->arena, w3d_sub_object, count);
    if (!hlod->lods || !objects) return;
    hlod->lod_count = 1;
    hlod->lods[0].objects = objects;
    for (int32_t child = first; child >= 0; child = w3d_at(p, child)->next) {
        if (!is_hmodel_node(w3d_at(p, child)->id) || !w3d_open(p, child, HMODEL_NODE_BYTES, &in)) continue;
        w3d_sub_object *object = &objects[hlod->lods[0].object_count++];
        object->name = w3d_read_str(&in, W3D_NAME_BYTES);
        object->bone = sni_read_u16(&in);
    }
}

static void parse_hlod(w3d_parser *p, int32_t chunk)
{
    sni_reader in;
    w3d_hlod hlod = { .chunk = chunk, .is_hmodel = w3d_at(p, chunk)->id == W3D_HMODEL };
    uint32_t header = hlod.is_hmodel ? W3D_HMODEL_HEADER : W3D_HLOD_HEADER;
    if (!w3d_open_header(p, chunk, header, hlod.is_hmodel ? HMODEL_BYTES : HLOD_BYTES, &in)) return;
    hlod.version = sni_read_u32(&in);
    uint32_t lod_count = hlod.is_hmodel ? 0 : sni_read_u32(&in);
    hlod.name = w3d_read_str(&in, W3D_NAME_BYTES);
    hlod.hierarchy = w3d_read_str(&in, W3D_NAME_BYTES);
    if (hlod.is_hmodel) parse_hmodel_nodes(p, &hlod);
    else parse_lods(p, &hlod, lod_count);
    w3d_hlod *slot = sni_push(p->arena, &p->hlods, w3d_hlod);
    if (slot) *slot = hlod;
}

// Boxes and lights

enum { BOX_BYTES = 68, LIGHT_BYTES = 24, SPOT_BYTES = 20, ATTENUATION_BYTES = 8 };

static void parse_box(w3d_parser *p, int32_t chunk)
{
    sni_reader in;
    if (!w3d_open(p, chunk, BOX_BYTES, &in)) return;
    w3d_box *box = sni_push(p->arena, &p->boxes, w3d_box);
    if (!box) return;
    box->chunk = chunk;
    box->version = sni_read_u32(&in);
    box->attributes = sni_read_u32(&in);
    box->name = w3d_read_str(&in, W3D_LONG_NAME_BYTES);
    w3d_read_rgb(&in, box->color);
    box->center = sni_read_vec3(&in);
    box->extent = sni_read_vec3(&in);
}

static void parse_light(w3d_parser *p, int32_t chunk)
{
    sni_reader in;
    if (!w3d_open_header(p, chunk, W3D_LIGHT_INFO, LIGHT_BYTES, &in)) return;
    w3d_light *light = sni_push(p->arena, &p->lights, w3d_light);
    if (!light) return;
    light->chunk = chunk;
    light->attributes = sni_read_u32(&in);
    sni_skip(&in, 4);
    w3d_read_rgb(&in, light->ambient);
    w3d_read_rgb(&in, light->diffuse);
    w3d_read_rgb(&in, light->specular);
    light->intensity = sni_read_f32(&in);
    light->has_spot = w3d_open(p, w3d_find(p, chunk, W3D_LIGHT_SPOT), SPOT_BYTES, &in);
    if (light->has_spot) {
        light->direction = sni_read_vec3(&in);
        light->angle = sni_read_f32(&in);
        light->exponent = sni_read_f32(&in);
    }
    light->has_far = w3d_open(p, w3d_find(p, chunk, W3D_LIGHT_FAR), ATTENUATION_BYTES, &in);
    if (light->has_far) {
        light->far_start = sni_read_f32(&in);
        light->far_end = sni_read_f32(&in);
    }
}

// Other objects

enum { EMITTER_TEXTURE_BYTES = 260 };

static void parse_aggregate(w3d_parser *p, w3d_object *object)
{
    sni_reader in;
    if (!w3d_open(p, w3d_find(p, object->chunk, W3D_AGGREGATE_INFO), W3D_LONG_NAME_BYTES + 4, &in)) return;
    object->detail = w3d_read_str(&in, W3D_LONG_NAME_BYTES);
    uint32_t count = sni_read_u32(&in), found = sni_rest_count(&in, 2 * W3D_LONG_NAME_BYTES);
    if (count > found) {
        w3d_warn(p, object->chunk, SNI_WARN_W3D_COUNT, "the header lists %u objects, found %u", count, found);
        count = found;
    }
    object->members = sni_new(p->arena, w3d_member, count);
    for (; object->members && object->member_count < count; object->member_count++) {
        w3d_member *member = &object->members[object->member_count];
        member->name = w3d_read_str(&in, W3D_LONG_NAME_BYTES);
        member->bone = w3d_read_str(&in, W3D_LONG_NAME_BYTES);
    }
}

static void parse_collection(w3d_parser *p, w3d_object *object)
{
    object->members = sni_new(p->arena, w3d_member, w3d_count(p, object->chunk, W3D_COLLECTION_OBJECT));
    if (!object->members) return;
    int32_t child = w3d_find(p, object->chunk, W3D_COLLECTION_OBJECT);
    for (; child >= 0; child = w3d_find_next(p, child))
        object->members[object->member_count++].name = w3d_text(p, child);
}

static void parse_lod_model(w3d_parser *p, w3d_object *object)
{
    sni_reader in;
    object->members = sni_new(p->arena, w3d_member, w3d_count(p, object->chunk, W3D_LODMODEL_LOD));
    if (!object->members) return;
    for (int32_t child = w3d_find(p, object->chunk, W3D_LODMODEL_LOD); child >= 0; child = w3d_find_next(p, child)) {
        if (!w3d_open(p, child, W3D_LONG_NAME_BYTES + 8, &in)) continue;
        w3d_member *member = &object->members[object->member_count++];
        member->name = w3d_read_str(&in, W3D_LONG_NAME_BYTES);
        member->range_min = sni_read_f32(&in);
        member->range_max = sni_read_f32(&in);
    }
}

static void parse_emitter(w3d_parser *p, w3d_object *object)
{
    sni_reader in;
    if (!w3d_open(p, w3d_find(p, object->chunk, W3D_EMITTER_INFO), EMITTER_TEXTURE_BYTES, &in)) return;
    object->detail = w3d_read_str(&in, EMITTER_TEXTURE_BYTES);
    if (sni_rest(&in) >= W3D_EMISSION_BYTES) object->emission = (w3d_array){ sni_take(&in, W3D_EMISSION_BYTES), 1 };
}

// Where an object has its name: the child (or the object itself), what precedes it, its length (0: to the end).
#define ITSELF     UINT32_MAX
#define DEFINITION 1u  // first child of spheres and rings
typedef struct name_field {
    uint32_t id, child, name_bytes;
    bool has_version, has_attributes;
    uint32_t gap;
} name_field;

static const name_field name_fields[] = {
    { W3D_NULL, ITSELF, W3D_LONG_NAME_BYTES, true, true, 8 },
    { W3D_SPHERE, DEFINITION, W3D_LONG_NAME_BYTES, true, true, 0 },
    { W3D_RING, DEFINITION, W3D_LONG_NAME_BYTES, true, true, 0 },
    { W3D_EMITTER, W3D_EMITTER_HEADER, W3D_NAME_BYTES, true, false, 0 },
    { W3D_AGGREGATE, W3D_AGGREGATE_HEADER, W3D_NAME_BYTES, true, false, 0 },
    { W3D_SOUND, W3D_SOUND_HEADER, W3D_NAME_BYTES, true, false, 0 },
    { W3D_COLLECTION, W3D_COLLECTION_HEADER, W3D_NAME_BYTES, true, false, 0 },
    { W3D_LODMODEL, W3D_LODMODEL_HEADER, W3D_NAME_BYTES, true, false, 0 },
    { W3D_DAZZLE, W3D_DAZZLE_NAME, 0, false, false, 0 },
    { W3D_SHDMESH, W3D_SHDMESH_NAME, 0, false, false, 0 },
};
enum { NAME_FIELD_COUNT = sizeof name_fields / sizeof *name_fields };

static void parse_object(w3d_parser *p, int32_t chunk)
{
    sni_reader in;
    w3d_object object = { .chunk = chunk, .id = w3d_at(p, chunk)->id, .detail = sni_str_make("", 0) };
    size_t i = 0;
    while (i < NAME_FIELD_COUNT && name_fields[i].id != object.id) i++;
    if (i == NAME_FIELD_COUNT) return;

    const name_field *field = &name_fields[i];
    uint32_t min_bytes = 4u * field->has_version + 4u * field->has_attributes + field->gap + field->name_bytes;
    bool is_open = field->child == ITSELF ? w3d_open(p, chunk, min_bytes, &in)
                                          : w3d_open_header(p, chunk, field->child, min_bytes, &in);
    if (!is_open) return;
    if (field->has_version) object.version = sni_read_u32(&in);
    if (field->has_attributes) object.attributes = sni_read_u32(&in);
    sni_skip(&in, field->gap);
    object.name = w3d_read_str(&in, field->name_bytes ? field->name_bytes : sni_rest(&in));

    switch (object.id) {
    case W3D_AGGREGATE: parse_aggregate(p, &object); break;
    case W3D_COLLECTION: parse_collection(p, &object); break;
    case W3D_LODMODEL: parse_lod_model(p, &object); break;
    case W3D_DAZZLE: object.detail = w3d_text(p, w3d_find(p, chunk, W3D_DAZZLE_TYPE)); break;
    case W3D_EMITTER: parse_emitter(p, &object); break;
    case W3D_SOUND:
        if (sni_rest(&in) >= 4) object.attributes = sni_read_u32(&in);
        break;
    default: break;
    }
    w3d_object *slot = sni_push(p->arena, &p->objects, w3d_object);
    if (slot) *slot = object;
}

// The document

static void publish_arrays(const w3d_parser *p, w3d_doc *doc)
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

bool w3d_parse_chunks(sni_diag *diag, sni_arena *arena, sni_bytes bytes, w3d_doc *doc)
{
    w3d_parser p = { .diag = diag, .arena = arena, .doc = doc };
    return parse_tree(&p, W3D_MAX_DEPTH, bytes);
}

bool w3d_parse(sni_load *load, sni_bytes bytes, w3d_doc *doc)
{
    w3d_parser p = { .diag = &load->diag, .arena = sni_load_document_arena(load), .doc = doc };
    if (!parse_tree(&p, load->limits.depth, bytes)) return false;
    int32_t top = doc->chunk_count > 0 ? 0 : W3D_NONE;
    for (; top >= 0 && sni_load_ok(load); top = doc->chunks[top].next) {
        switch (doc->chunks[top].id) {
        case W3D_MESH: w3d_parse_mesh(&p, top); break;
        case W3D_HIERARCHY: parse_hierarchy(&p, top); break;
        case W3D_ANIMATION:
        case W3D_COMPRESSED: w3d_parse_animation(&p, top); break;
        case W3D_MORPH_ANIMATION: w3d_parse_morph(&p, top); break;
        case W3D_HMODEL:
        case W3D_HLOD: parse_hlod(&p, top); break;
        case W3D_BOX: parse_box(&p, top); break;
        case W3D_LIGHT: parse_light(&p, top); break;
        default: parse_object(&p, top);
        }
    }
    publish_arrays(&p, doc);
    return sni_load_ok(load);
}
