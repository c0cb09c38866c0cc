// A document to JSON text and to the head of a .glb, and the buffer that goes with it. Properties with default values
// are left out; the order is that of gltf_schema.c.
#include <string.h>

#include "format/gltf/gltf_export.h"
#include "format/gltf/gltf_schema.h"

// JSON. The functions call each other; the depth is that of the schema.

static void write_object(sni_json_writer *json, const gltf_schema *schema, const uint8_t *item);

static void write_attributes(sni_json_writer *json, const gltf_attributes *attributes)
{
    sni_json_begin_object(json);
    for (uint32_t i = 0; i < attributes->count; i++) {
        if (attributes->items[i].accessor < 0) continue;
        sni_json_key(json, attributes->items[i].name);
        sni_json_put_integer(json, attributes->items[i].accessor);
    }
    sni_json_end(json);
}

static void write_list(sni_json_writer *json, const gltf_property *property, const void *at)
{
    uint32_t count;
    const void *items = gltf_get_list(at, &count);
    bool is_flat = property->kind <= GLTF_KIND_TEXT_LIST;
    if (is_flat) sni_json_begin_flat_array(json);
    else sni_json_begin_array(json);
    for (uint32_t i = 0; i < count; i++) {
        switch (property->kind) {
        case GLTF_KIND_INDEX_LIST: sni_json_put_integer(json, ((const int32_t *)items)[i]); break;
        case GLTF_KIND_FLOAT_LIST: sni_json_put_float(json, ((const float *)items)[i]); break;
        case GLTF_KIND_TEXT_LIST: sni_json_put_text(json, ((const char *const *)items)[i]); break;
        case GLTF_KIND_ATTRIBUTES_LIST: write_attributes(json, (const gltf_attributes *)items + i); break;
        default: write_object(json, property->objects, (const uint8_t *)items + (size_t)i * property->objects->size);
        }
    }
    sni_json_end(json);
}

static bool is_default(const gltf_property *property, const void *at, const void *usual)
{
    uint32_t number;
    switch (property->kind) {
    case GLTF_KIND_INDEX: return *(const int32_t *)at < 0;
    case GLTF_KIND_U32: return *(const uint32_t *)at == *(const uint32_t *)usual;
    case GLTF_KIND_U64: return *(const uint64_t *)at == *(const uint64_t *)usual;
    case GLTF_KIND_FLOAT: return *(const float *)at == *(const float *)usual;
    case GLTF_KIND_VECTOR: return memcmp(at, usual, property->count * sizeof(float)) == 0;
    case GLTF_KIND_BOOL: return *(const bool *)at == *(const bool *)usual;
    case GLTF_KIND_TEXT: return *(const char *const *)at == NULL;
    case GLTF_KIND_WORD:
        number = *(const uint32_t *)at;
        return number == *(const uint32_t *)usual || !property->words[number].text;
    case GLTF_KIND_OBJECT: return !*(const bool *)at;  // is_given
    default: gltf_get_list(at, &number); return number == 0;
    }
}

static void write_property(sni_json_writer *json, const gltf_property *property, const uint8_t *item)
{
    const void *at = item + property->offset;
    const float *floats = at;
    sni_json_key(json, property->name);
    switch (property->kind) {
    case GLTF_KIND_INDEX: sni_json_put_integer(json, *(const int32_t *)at); break;
    case GLTF_KIND_U32: sni_json_put_integer(json, *(const uint32_t *)at); break;
    case GLTF_KIND_U64: sni_json_put_integer(json, (int64_t) * (const uint64_t *)at); break;
    case GLTF_KIND_FLOAT: sni_json_put_float(json, *floats); break;
    case GLTF_KIND_VECTOR:
        sni_json_begin_flat_array(json);
        for (uint32_t i = 0; i < property->count; i++) sni_json_put_float(json, floats[i]);
        sni_json_end(json);
        break;
    case GLTF_KIND_BOOL: sni_json_put_bool(json, *(const bool *)at); break;
    case GLTF_KIND_TEXT: sni_json_put_text(json, *(const char *const *)at); break;
    case GLTF_KIND_WORD: sni_json_put_text(json, property->words[*(const uint32_t *)at].text); break;
    case GLTF_KIND_ATTRIBUTES: write_attributes(json, at); break;
    case GLTF_KIND_OBJECT: write_object(json, property->objects, at); break;
    default: write_list(json, property, at);
    }
}

static void write_object(sni_json_writer *json, const gltf_schema *schema, const uint8_t *item)
{
    static const gltf_object none;
    const gltf_object *object = schema->is_small ? &none : (const gltf_object *)(const void *)item;
    const uint8_t *defaults = schema->defaults;
    bool has_extensions = false;
    sni_json_begin_object(json);
    for (const gltf_property *at = schema->properties; at->name; at++) {
        if (at->flags & GLTF_ALWAYS || !is_default(at, item + at->offset, defaults + at->offset))
            write_property(json, at, item);
    }

    // Extensions that were read, then those that were kept as text.
    for (const gltf_property *at = schema->extensions; at && at->name; at++) {
        if (is_default(at, item + at->offset, defaults + at->offset)) continue;
        if (!has_extensions) {
            sni_json_key(json, "extensions");
            sni_json_begin_object(json);
            has_extensions = true;
        }
        write_property(json, at, item);
    }
    if (has_extensions) {
        if (object->extensions) sni_json_put_members(json, object->extensions);
        sni_json_end(json);
    } else if (object->extensions) {
        sni_json_key(json, "extensions");
        sni_json_put_raw(json, object->extensions);
    }
    if (object->extras) {
        sni_json_key(json, "extras");
        sni_json_put_raw(json, object->extras);
    }
    sni_json_end(json);
}

void gltf_write_json(const gltf_doc *doc, sni_writer *out, bool indent)
{
    sni_json_writer json = sni_json_writer_make(out, indent);
    write_object(&json, &gltf_doc_schema, (const uint8_t *)doc);
}

void gltf_write_glb_head(const gltf_doc *doc, uint64_t bin_size, sni_writer *out)
{
    sni_write_u32(out, GLTF_GLB_MAGIC);
    sni_write_u32(out, 2);
    sni_write_u32(out, 0);  // the length of the file, known at the end
    sni_write_u32(out, 0);  // the length of the JSON
    sni_write_u32(out, GLTF_CHUNK_JSON);
    size_t json = out->size;
    gltf_write_json(doc, out, false);
    sni_write_align(out, 4, ' ');
    sni_patch_u32(out, json - 8, (uint32_t)(out->size - json));
    if (bin_size > 0) {
        sni_write_u32(out, (uint32_t)bin_size);
        sni_write_u32(out, GLTF_CHUNK_BIN);
    }
    sni_patch_u32(out, 8, (uint32_t)(out->size + bin_size));
}

// The buffer.

typedef enum piece_kind { BYTES, HALVES, WORDS, NARROWED } piece_kind;  // NARROWED: u32, written as u16

typedef struct piece {
    const void *data;
    uint64_t offset, count;  // in its role
    piece_kind kind;
} piece;

static uint64_t aligned(uint64_t size) { return (size + 3) / 4 * 4; }

static bool add_piece(gltf_pack *pack, gltf_role role, const void *data, uint64_t count, piece_kind kind)
{
    static const uint8_t widths[] = { [BYTES] = 1, [HALVES] = 2, [WORDS] = 4, [NARROWED] = 2 };
    piece *added = sni_push(&pack->save->scratch, &pack->pieces[role], piece);
    if (!added) return false;
    *added = (piece){ data, aligned(pack->sizes[role]), count, kind };
    pack->sizes[role] = added->offset + count * widths[kind];
    return true;
}

static uint8_t *write_piece(const piece *from, uint8_t *to)
{
    const uint16_t *halves = from->data;
    const uint32_t *words = from->data;
    if (from->kind == NARROWED && sni_is_little_endian()) {
        uint16_t *narrow = (uint16_t *)(void *)to;
        for (uint64_t i = 0; i < from->count; i++) narrow[i] = (uint16_t)words[i];
        return to + from->count * 2;
    }
    if (from->kind == BYTES || sni_is_little_endian()) {
        const size_t size = (size_t)from->count << (from->kind == WORDS ? 2 : from->kind == HALVES ? 1 : 0);
        if (size > 0) memcpy(to, from->data, size);
        return to + size;
    }
    for (uint64_t i = 0; i < from->count; i++) {
        uint32_t value = from->kind == HALVES ? halves[i] : words[i];
        for (int k = 0; k < (from->kind == WORDS ? 4 : 2); k++) *to++ = (uint8_t)(value >> 8 * k);
    }
    return to;
}

void gltf_pack_write(const gltf_pack *pack, uint8_t *to)
{
    uint8_t *at = to;
    for (int role = 0; role < GLTF_ROLES; role++) {
        const piece *pieces = pack->pieces[role].items;
        for (uint32_t i = 0; i < pack->pieces[role].count; i++) {
            uint8_t *start = to + pack->starts[role] + pieces[i].offset;
            while (at < start) *at++ = 0;
            at = write_piece(&pieces[i], at);
        }
    }
    while (at < to + pack->size) *at++ = 0;
}

typedef struct packed_key {
    const void *data;
    uint32_t count, kind;
} packed_key;

typedef struct packed_array {
    packed_key key;
    int32_t accessor;
} packed_array;

// The entry of an array in one use; its accessor is -1 if it was not packed before. NULL after a failure.
static packed_array *find_packed(gltf_pack *pack, const void *data, uint32_t count, uint32_t kind)
{
    packed_key key = { data, count, kind };
    packed_array *packed = pack->packed.items;
    uint32_t hash = sni_hash(&key, sizeof key);
    for (sni_map_cursor at = sni_map_find(&pack->seen, hash); sni_map_next(&pack->seen, &at);) {
        const packed_key *other = &packed[at.item].key;
        if (other->data == data && other->count == count && other->kind == kind) return &packed[at.item];
    }
    sni_arena *arena = &pack->save->scratch;
    packed = sni_push(arena, &pack->packed, packed_array);
    if (!packed || !sni_map_add(&pack->seen, arena, hash, pack->packed.count - 1)) return NULL;
    *packed = (packed_array){ key, -1 };
    return packed;
}

static gltf_accessor *new_accessor(gltf_pack *pack, gltf_role role, uint32_t count, gltf_type type,
                                   uint32_t component_type)
{
    gltf_accessor *accessor = sni_push(&pack->save->scratch, &pack->accessors, gltf_accessor);
    if (!accessor) return NULL;
    *accessor = gltf_default_accessor;
    accessor->view = (int32_t)role;  // until the views are numbered
    accessor->byte_offset = aligned(pack->sizes[role]);
    accessor->count = count;
    accessor->type = type;
    accessor->component_type = component_type;
    return accessor;
}

static inline void find_bounds(const float *values, uint64_t count, uint32_t width, float *min, float *max)
{
    float low[3], high[3];
    for (uint32_t c = 0; c < width; c++) low[c] = high[c] = values[c];
    for (uint64_t i = 1; i < count; i++) {
        for (uint32_t c = 0; c < width; c++) {
            float value = values[i * width + c];
            low[c] = value < low[c] ? value : low[c];
            high[c] = value > high[c] ? value : high[c];
        }
    }
    memcpy(min, low, width * sizeof *min);
    memcpy(max, high, width * sizeof *max);
}

// Only times and positions have bounds.
static void set_bounds(gltf_pack *pack, gltf_accessor *accessor, const float *values, uint64_t count, uint32_t width)
{
    float *min = sni_new(&pack->save->scratch, float, width), *max = sni_new(&pack->save->scratch, float, width);
    if (!min || !max) return;
    if (count > 0 && width == 1) find_bounds(values, count, 1, min, max);
    if (count > 0 && width == 3) find_bounds(values, count, 3, min, max);
    accessor->min = (gltf_floats){ min, width };
    accessor->max = (gltf_floats){ max, width };
}

int32_t gltf_pack_floats(gltf_pack *pack, gltf_role role, const float *values, uint32_t count, gltf_type type,
                         bool has_bounds)
{
    packed_array *seen = find_packed(pack, values, count, (uint32_t)role << 8 | (uint32_t)type << 1 | has_bounds);
    if (!seen || seen->accessor >= 0) return seen ? seen->accessor : -1;
    uint32_t width = gltf_components(type);
    gltf_accessor *accessor = new_accessor(pack, role, count, type, GLTF_F32);
    if (!accessor || !add_piece(pack, role, values, (uint64_t)count * width, WORDS)) return -1;
    if (has_bounds) set_bounds(pack, accessor, values, count, width);
    return seen->accessor = (int32_t)pack->accessors.count - 1;
}

// An index of 65535 would restart the primitive: 16 bits are enough for up to 65,535 vertices.
int32_t gltf_pack_indices(gltf_pack *pack, const uint32_t *indices, uint32_t count, uint32_t vertex_count)
{
    bool is_small = vertex_count <= UINT16_MAX;
    gltf_role role = is_small ? GLTF_INDICES_16 : GLTF_INDICES_32;
    packed_array *seen = find_packed(pack, indices, count, (uint32_t)role << 8);
    if (!seen || seen->accessor >= 0) return seen ? seen->accessor : -1;
    if (!new_accessor(pack, role, count, GLTF_SCALAR, is_small ? GLTF_U16 : GLTF_U32) ||
        !add_piece(pack, role, indices, count, is_small ? NARROWED : WORDS))
        return -1;
    return seen->accessor = (int32_t)pack->accessors.count - 1;
}

int32_t gltf_pack_integers(gltf_pack *pack, gltf_role role, const void *values, uint32_t count, gltf_type type,
                           uint32_t component_type)
{
    uint64_t total = (uint64_t)count * gltf_components(type);
    if (!new_accessor(pack, role, count, type, component_type) ||
        !add_piece(pack, role, values, total, component_type == GLTF_U8 ? BYTES : HALVES))
        return -1;
    return (int32_t)pack->accessors.count - 1;
}

int32_t gltf_pack_image(gltf_pack *pack, const uint8_t *data, size_t size)
{
    gltf_view *view = sni_push(&pack->save->scratch, &pack->image_views, gltf_view);
    if (!view) return -1;
    *view = gltf_default_view;
    view->buffer = 0;
    view->byte_offset = aligned(pack->sizes[GLTF_IMAGES]);
    view->byte_length = size;
    if (!add_piece(pack, GLTF_IMAGES, data, size, BYTES)) return -1;
    return (int32_t)pack->image_views.count - 1;
}

bool gltf_pack_close(gltf_pack *pack, gltf_doc *doc)
{
    static const uint8_t strides[GLTF_ROLES] = { 4, 8, 12, 16 };
    int32_t view_of[GLTF_ROLES];
    gltf_view *views = sni_new(&pack->save->scratch, gltf_view, (uint64_t)GLTF_ROLES + pack->image_views.count);
    uint32_t count = 0;
    if (!views) return false;
    for (int i = 0; i < GLTF_IMAGES; i++) {
        view_of[i] = -1;
        if (pack->sizes[i] == 0) continue;
        view_of[i] = (int32_t)count;
        gltf_view *view = &views[count++];
        *view = gltf_default_view;
        view->buffer = 0;
        view->byte_offset = pack->starts[i] = pack->size;
        view->byte_length = pack->sizes[i];
        view->stride = strides[i];
        if (i <= GLTF_VERTEX_16) view->target = GLTF_ARRAY_BUFFER;
        else if (i <= GLTF_INDICES_32) view->target = GLTF_ELEMENT_BUFFER;
        pack->size = aligned(pack->size + pack->sizes[i]);
    }
    gltf_accessor *accessors = pack->accessors.items;
    for (uint32_t i = 0; i < pack->accessors.count; i++) accessors[i].view = view_of[accessors[i].view];

    // Images come last, each with a view.
    pack->starts[GLTF_IMAGES] = pack->size;
    for (uint32_t i = 0; i < pack->image_views.count; i++) {
        views[count + i] = ((gltf_view *)pack->image_views.items)[i];
        views[count + i].byte_offset += pack->size;
    }
    for (uint32_t i = 0; i < doc->image_count; i++) {
        if (doc->images[i].view >= 0) doc->images[i].view += (int32_t)count;
    }
    pack->size += pack->sizes[GLTF_IMAGES];
    doc->views = views;
    doc->view_count = count + pack->image_views.count;
    doc->accessors = accessors;
    doc->accessor_count = pack->accessors.count;
    return sni_save_ok(pack->save);
}

// What several parts of the exporter need.

const char *gltf_name_or_null(const char *name) { return name && name[0] ? name : NULL; }

static void add_name(gltf_export *export, sni_list *list, const char *name)
{
    const char **names = list->items;
    for (uint32_t i = 0; i < list->count; i++) {
        if (strcmp(names[i], name) == 0) return;
    }
    const char **item = sni_push(&export->save->scratch, list, const char *);
    if (item) *item = name;
}

void gltf_use_extension(gltf_export *export, const char *name) { add_name(export, &export->extensions, name); }

void gltf_require_extension(gltf_export *export, const char *name)
{
    gltf_use_extension(export, name);
    add_name(export, &export->required, name);
}

void gltf_report_visibility(gltf_export *export)
{
    sni_enter(&export->save->diag, "KHR_node_visibility", -1);
    sni_warn(&export->save->diag, SNI_WARN_LOST_CONTENT, 0,
             "hidden objects are visible in players without KHR_node_visibility");
    sni_leave(&export->save->diag);
}

void gltf_report_loss(gltf_export *export, const char *kind, uint32_t index, const char *name, const char *what)
{
    sni_enter_named(&export->save->diag, kind, index, name);
    sni_warn(&export->save->diag, SNI_WARN_LOST_CONTENT, 0, "%s", what);
    sni_leave(&export->save->diag);
}

static const char *finish_text(gltf_export *export, sni_writer *text)
{
    const char *copy = NULL;
    if (!text->failed) copy = sni_copy_text(&export->save->scratch, (const char *)text->data, text->size);
    sni_writer_free(text);
    return copy;
}

static uint32_t nesting_of(const char *json)
{
    uint32_t depth = 0, deepest = 0;
    bool is_text = false;
    for (; *json; json++) {
        if (is_text && *json == '\\' && json[1]) json++;
        else if (*json == '"') is_text = !is_text;
        else if (!is_text && (*json == '{' || *json == '[') && ++depth > deepest) deepest = depth;
        else if (!is_text && (*json == '}' || *json == ']')) depth--;
    }
    return deepest;
}

// What is saved must load again, so extras that are too deep for an object around them get none.
const char *gltf_export_extras(gltf_export *export, const char *extras, uint32_t around)
{
    const uint32_t depth = extras ? around + nesting_of(extras) : 0;
    if (depth > GLTF_DEPTH) {
        sni_warn(&export->save->diag, SNI_WARN_LOST_CONTENT, 0, "extras: JSON nested deeper than %d", GLTF_DEPTH);
        return NULL;
    }
    if (!extras || extras[0] == '{' || depth == GLTF_DEPTH) return extras;
    sni_writer text;
    sni_writer_init(&text, &export->save->heap);
    sni_json_writer json = sni_json_writer_make(&text, false);
    sni_json_begin_object(&json);
    sni_json_key(&json, "value");
    sni_json_put_raw(&json, extras);
    sni_json_end(&json);
    return finish_text(export, &text);
}

const char *gltf_extend_extras(gltf_export *export, const char *extras, const char *key, const char *const *texts,
                               uint32_t count, bool as_array)
{
    const char *object = gltf_export_extras(export, extras, GLTF_AROUND_ELEMENT);
    bool has_members = false;
    sni_diag diag;
    sni_str name;

    // Extras that are not valid JSON, or have such a member already, stay as they are.
    if (object) {
        sni_diag_init(&diag, NULL);
        sni_json json = sni_json_make(sni_str_make(object, strlen(object)), 0, SNI_JSON_MAX_DEPTH, &diag,
                                      &export->save->scratch);
        for (sni_json_enter_object(&json); sni_json_next_key(&json, &name); sni_json_skip(&json)) {
            if (sni_str_is(name, key)) return object;
            has_members = true;
        }
        if (sni_failed(&diag)) return object;
    }
    sni_writer text;
    sni_writer_init(&text, &export->save->heap);
    sni_json_writer json = sni_json_writer_make(&text, false);
    sni_json_begin_object(&json);
    sni_json_key(&json, key);
    if (as_array) sni_json_begin_array(&json);
    for (uint32_t i = 0; i < count; i++) sni_json_put_text(&json, texts[i]);
    if (as_array) sni_json_end(&json);
    if (has_members) sni_json_put_members(&json, object);
    sni_json_end(&json);
    return finish_text(export, &text);
}
