// Text to the bytes of a W3D file. Keys may come in any order.
#include <stdlib.h>

#include "format/w3d/w3d_text.h"

static bool fail(sni_json *json, const char *what)
{
    return sni_fail(json->diag, SN_ERR_CORRUPT, sni_json_offset(json), "W3D text: %s", what);
}

// Values

static bool read_hex_text(sni_json *json, sni_writer *out)
{
    const char *text = sni_json_peek(json) == SNI_JSON_STRING ? sni_json_string(json, NULL) : NULL;
    if (!text) return fail(json, "expected bytes as hex");
    for (; text[0]; text += 2) {
        const int high = sni_hex_digit(text[0]), low = high < 0 ? -1 : sni_hex_digit(text[1]);
        if (low < 0) return fail(json, "bytes are pairs of hex digits");
        sni_write_u8(out, (uint8_t)(high << 4 | low));
    }
    return sni_json_ok(json);
}

static bool read_hex_lines(sni_json *json, sni_writer *out)
{
    if (sni_json_peek(json) != SNI_JSON_ARRAY) return fail(json, "expected a list of bytes as hex");
    for (sni_json_enter_array(json); sni_json_next_item(json);)
        if (!read_hex_text(json, out)) return false;
    return sni_json_ok(json);
}

// "0x1F".
static bool read_hex_number(sni_json *json, uint32_t *value)
{
    const char *text = sni_json_string(json, NULL);
    *value = 0;
    if (text[0] != '0' || text[1] != 'x' || !text[2] || strlen(text) > 10) return fail(json, "expected \"0x...\"");
    for (text += 2; *text; text++) {
        if (sni_hex_digit(*text) < 0) return fail(json, "expected \"0x...\"");
        *value = *value << 4 | (uint32_t)sni_hex_digit(*text);
    }
    return sni_json_ok(json);
}

// "4.2".
static bool read_version(sni_json *json, sni_writer *out)
{
    const char *text = sni_json_peek(json) == SNI_JSON_STRING ? sni_json_string(json, NULL) : "";
    char *end;
    const unsigned long major = text[0] >= '0' && text[0] <= '9' ? strtoul(text, &end, 10) : 65536;
    if (major > 65535 || *end != '.' || end[1] < '0' || end[1] > '9') return fail(json, "a version is like \"4.2\"");
    const unsigned long minor = strtoul(end + 1, &end, 10);
    if (minor > 65535 || *end) return fail(json, "a version is like \"4.2\"");
    sni_write_u32(out, (uint32_t)(major << 16 | minor));
    return true;
}

// "text", or ["text", "hex of what follows its NUL"]. Returns false after a failure; the NUL is not written.
static bool read_text(sni_json *json, sni_writer *out, sni_writer *after)
{
    const bool has_more = sni_json_peek(json) == SNI_JSON_ARRAY;
    if (has_more) {
        sni_json_enter_array(json);
        if (!sni_json_next_item(json)) return fail(json, "expected a text");
    }
    if (sni_json_peek(json) != SNI_JSON_STRING) return fail(json, "expected a text");
    sni_write_text(out, sni_json_string(json, NULL));
    if (!has_more) return sni_json_ok(json);
    if (!sni_json_next_item(json) || !read_hex_text(json, after) || sni_json_next_item(json))
        return fail(json, "expected [\"text\", \"hex\"]");
    return sni_json_ok(json);
}

// room: of a field of fixed size; 0: as large as it is, with its size before it where has_size.
static bool read_name(sni_json *json, size_t room, bool has_size, sni_writer *out)
{
    sni_writer after;
    const size_t start = out->size + (has_size ? 4 : 0);
    sni_writer_init(&after, out->heap);
    if (has_size) sni_write_u32(out, 0);
    bool is_read = read_text(json, out, &after);
    const size_t size = out->size - start, least = size + (after.size > 0 ? 1 + after.size : 0);
    if (is_read && room > 0 && (size > room || (after.size > 0 && least != room)))
        is_read = fail(json, "a text does not fit its field");
    if (is_read) {
        if (room == 0 || after.size > 0) sni_write_u8(out, 0);
        sni_write_bytes(out, after.data, after.size);
        if (room > 0 && after.size == 0) sni_write_fill(out, 0, room - size);
        if (has_size && !out->failed) sni_patch_u32(out, start - 4, (uint32_t)(out->size - start));
    }
    if (after.failed) out->failed = true;
    sni_writer_free(&after);
    return is_read && !out->failed;
}

static bool read_number(sni_json *json, char type, sni_writer *out)
{
    const int64_t most = type == 'b' ? 0xFF : type == 'h' ? 0xFFFF : type == 'i' ? INT32_MAX : UINT32_MAX;
    const int64_t least = type == 'i' ? INT32_MIN : 0;
    const bool is_text = sni_json_peek(json) == SNI_JSON_STRING;
    int64_t whole;
    uint32_t bits;
    if (is_text && (type == 'f' || type == 'x')) {
        if (!read_hex_number(json, &bits)) return false;
        sni_write_u32(out, bits);
        return true;
    }
    if (sni_json_peek(json) != SNI_JSON_NUMBER) return fail(json, "expected a number");
    if (type == 'f') {
        sni_write_f32(out, sni_json_float(json));
        return sni_json_ok(json);
    }
    if (!sni_json_integer(json, &whole) || whole < least || whole > most)
        return fail(json, "expected a whole number that fits its field");
    if (type == 'b') sni_write_u8(out, (uint8_t)whole);
    else if (type == 'h') sni_write_u16(out, (uint16_t)whole);
    else sni_write_u32(out, (uint32_t)whole);
    return true;
}

static bool read_value(sni_json *json, char type, sni_writer *out)
{
    switch (type) {
    case 'v': return read_version(json, out);
    case 'n': return read_name(json, W3D_NAME_BYTES, false, out);
    case 'N': return read_name(json, W3D_LONG_NAME_BYTES, false, out);
    case 'p': return read_name(json, 260, false, out);
    case 's': return read_name(json, 0, false, out);
    case 'c': return read_name(json, 0, true, out);
    case 'B': return read_hex_text(json, out);
    default: return read_number(json, type, out);
    }
}

// Fields and records

typedef struct leaf {
    sni_json *json;
    sni_writer *out;
    uint32_t width;
} leaf;

static uint32_t values_of(const leaf *l, const w3d_text_field *field)
{
    return field->type == 'B' ? 1 : field->count ? field->count : l->width;
}

static bool read_field(leaf *l, sni_json *json, const w3d_text_field *field)
{
    const uint32_t count = values_of(l, field);
    const size_t start = l->out->size;
    if (count == 1) {
        if (!read_value(json, field->type, l->out)) return false;
    } else {
        uint32_t read = 0;
        if (sni_json_peek(json) != SNI_JSON_ARRAY) return fail(json, "expected a list");
        for (sni_json_enter_array(json); sni_json_next_item(json); read++)
            if (read == count || !read_value(json, field->type, l->out)) return fail(json, "a list is too long");
        if (read != count) return fail(json, "a list is too short");
    }
    if (sni_str_is(field->name, "width") && !l->out->failed)
        l->width = field->type == 'b' ? l->out->data[start] : sni_load_u16(l->out->data + start);
    return sni_json_ok(json);
}

static bool read_record(leaf *l, sni_json *json, const w3d_text_layout *layout, uint32_t values)
{
    uint32_t field = layout->tail, left = values_of(l, &layout->fields[field]), read = 0;
    for (sni_json_enter_array(json); sni_json_next_item(json); read++) {
        while (left == 0 && field + 1 < layout->count) left = values_of(l, &layout->fields[++field]);
        if (left == 0) return fail(json, "a record is too long");
        if (!read_value(json, layout->fields[field].type, l->out)) return false;
        left--;
    }
    if (read != values) return fail(json, "a record is too short");
    return sni_json_ok(json);
}

static bool read_records(leaf *l, sni_json *json, const w3d_text_layout *layout)
{
    uint32_t values = 0;
    for (uint32_t i = layout->tail; i < layout->count; i++) values += values_of(l, &layout->fields[i]);
    if (sni_json_peek(json) != SNI_JSON_ARRAY) return fail(json, "expected a list of records");
    for (sni_json_enter_array(json); sni_json_next_item(json);) {
        const bool is_list = values != 1;
        if (is_list && sni_json_peek(json) != SNI_JSON_ARRAY) return fail(json, "expected a record");
        if (!(is_list ? read_record(l, json, layout, values)
                      : read_value(json, layout->fields[layout->tail].type, l->out)))
            return false;
    }
    return sni_json_ok(json);
}

// An object, read into the texts of its values.
typedef struct members {
    sni_str keys[W3D_TEXT_FIELDS], values[W3D_TEXT_FIELDS];
    uint64_t offsets[W3D_TEXT_FIELDS];
    uint32_t count;
} members;

static bool read_members(sni_json *json, members *m)
{
    sni_str key;
    m->count = 0;
    for (sni_json_enter_object(json); sni_json_next_key(json, &key);) {
        if (m->count == W3D_TEXT_FIELDS) return fail(json, "a chunk has too many fields");
        m->keys[m->count] = key;
        sni_json_peek(json);
        m->offsets[m->count] = sni_json_offset(json);
        m->values[m->count++] = sni_json_raw(json);
    }
    return sni_json_ok(json);
}

static bool find_member(const leaf *l, const members *m, sni_str name, sni_json *out)
{
    for (uint32_t i = 0; i < m->count; i++) {
        const bool is_it = m->keys[i].size == name.size && memcmp(m->keys[i].at, name.at, name.size) == 0;
        if (!is_it) continue;
        *out = sni_json_make(m->values[i], m->offsets[i], 8, l->json->diag, l->json->arena);
        return true;
    }
    return false;
}

static bool read_object(leaf *l, const members *m, const w3d_text_layout *layout)
{
    sni_json json;
    const uint32_t named = layout->tail < layout->count ? layout->tail + 1 : layout->count;
    const bool has_rest = find_member(l, m, sni_str_make("rest", 4), &json) && named == layout->count;
    if (m->count != named + has_rest) return fail(l->json, "a chunk has other fields than its kind");
    for (uint32_t i = 0; i < named; i++) {
        if (!find_member(l, m, layout->fields[i].name, &json)) return fail(l->json, "a field is missing");
        if (!(i == layout->tail ? read_records(l, &json, layout) : read_field(l, &json, &layout->fields[i])))
            return false;
    }
    return !has_rest || (find_member(l, m, sni_str_make("rest", 4), &json) && read_hex_lines(&json, l->out));
}

bool w3d_text_read_leaf(sni_json *json, uint32_t id, sni_writer *out)
{
    leaf l = { .json = json, .out = out };
    w3d_text_layout layout;
    members m;
    sni_json value;
    const sni_json_kind kind = sni_json_peek(json);
    if (kind == SNI_JSON_OBJECT) {
        if (!read_members(json, &m)) return false;
        if (m.count == 1 && find_member(&l, &m, sni_str_make("hex", 3), &value)) return read_hex_lines(&value, out);
        for (uint32_t i = 0; w3d_text_find_layout(id, i, &layout); i++) {
            const uint32_t last = layout.tail < layout.count ? layout.tail : layout.count - 1;
            if (find_member(&l, &m, layout.fields[last].name, &value)) return read_object(&l, &m, &layout);
        }
        return fail(json, "a chunk has other fields than its kind");
    }
    if (!w3d_text_find_layout(id, 0, &layout)) return fail(json, "an unknown chunk is {\"hex\": [...]}");
    if (kind == SNI_JSON_ARRAY && layout.tail == 0) return read_records(&l, json, &layout);
    if ((kind == SNI_JSON_STRING || kind == SNI_JSON_ARRAY) && layout.fields[0].type == 's')
        return read_value(json, 's', out);
    return fail(json, "expected what a chunk of this kind holds");
}

// The tree

typedef struct open_chunk {
    size_t start;  // of its header in the output
    uint32_t id;
    bool has_contents, has_size, has_stray, is_inside;  // is_inside: among its children
    uint32_t size;
    sni_str stray;
    uint64_t stray_offset;
} open_chunk;

typedef struct tree_reader {
    sni_json json;
    sni_writer *out;
    open_chunk open[W3D_MAX_DEPTH + 1];
    uint32_t depth;
} tree_reader;

static bool find_id(sni_str name, uint32_t *id)
{
    for (uint32_t i = 0; i < w3d_kind_count; i++)
        if (sni_str_is(name, w3d_kinds[i].name)) {
            *id = w3d_kinds[i].id;
            return true;
        }
    if (name.size < 3 || name.size > 10 || name.at[0] != '0' || name.at[1] != 'x') return false;
    *id = 0;
    for (size_t i = 2; i < name.size; i++) {
        if (sni_hex_digit(name.at[i]) < 0) return false;
        *id = *id << 4 | (uint32_t)sni_hex_digit(name.at[i]);
    }
    return true;
}

static bool begin_chunk(tree_reader *t)
{
    if (t->depth > W3D_MAX_DEPTH) return fail(&t->json, "chunks are nested too deeply");
    if (sni_json_peek(&t->json) != SNI_JSON_OBJECT) return fail(&t->json, "expected a chunk");
    t->open[t->depth++] = (open_chunk){ .start = t->out->size };
    sni_write_u32(t->out, 0);
    sni_write_u32(t->out, 0);
    sni_json_enter_object(&t->json);
    return true;
}

static bool end_chunk(tree_reader *t)
{
    const open_chunk *chunk = &t->open[--t->depth];
    if (!chunk->has_contents) return fail(&t->json, "a chunk has no contents");
    if (chunk->has_stray) {
        sni_json json = sni_json_make(chunk->stray, chunk->stray_offset, 8, t->json.diag, t->json.arena);
        if (!read_hex_lines(&json, t->out)) return false;
    }
    if (t->out->failed) return false;
    const size_t size = t->out->size - chunk->start - W3D_CHUNK_HEADER_BYTES;
    if (size > W3D_SIZE_MASK) return fail(&t->json, "a chunk is too large");
    sni_patch_u32(t->out, chunk->start, chunk->id);
    const uint32_t natural = (uint32_t)size | (w3d_is_container(chunk->id) ? 0x80000000u : 0);
    sni_patch_u32(t->out, chunk->start + 4, chunk->has_size ? chunk->size : natural);
    return true;
}

static bool read_key(tree_reader *t, sni_str key)
{
    open_chunk *chunk = &t->open[t->depth - 1];
    sni_json *json = &t->json;
    int64_t size;
    if (sni_str_is(key, "size")) {
        if (sni_json_peek(json) != SNI_JSON_NUMBER || !sni_json_integer(json, &size) || size < 0 || size > UINT32_MAX)
            return fail(json, "a size is a whole number of 32 bits");
        chunk->has_size = true;
        chunk->size = (uint32_t)size;
        return true;
    }
    if (sni_str_is(key, "stray")) {
        chunk->has_stray = true;
        sni_json_peek(json);
        chunk->stray_offset = sni_json_offset(json);
        chunk->stray = sni_json_raw(json);
        return sni_json_ok(json);
    }
    if (chunk->has_contents || !find_id(key, &chunk->id)) return fail(json, "no chunk has this name");
    chunk->has_contents = true;
    if (!w3d_is_container(chunk->id)) return w3d_text_read_leaf(json, chunk->id, t->out);
    if (sni_json_peek(json) != SNI_JSON_ARRAY) return fail(json, "expected a list of chunks");
    sni_json_enter_array(json);
    chunk->is_inside = true;
    return true;
}

// Into the chunk that comes next, or out of the one that ends.
static bool read_chunks(tree_reader *t)
{
    sni_str key;
    if (sni_json_peek(&t->json) != SNI_JSON_ARRAY) return fail(&t->json, "expected a list of chunks");
    sni_json_enter_array(&t->json);
    while (sni_json_ok(&t->json) && !t->out->failed) {
        open_chunk *chunk = t->depth > 0 ? &t->open[t->depth - 1] : NULL;
        if (!chunk || chunk->is_inside) {
            if (sni_json_next_item(&t->json)) {
                if (!begin_chunk(t)) return false;
            } else if (chunk) {
                chunk->is_inside = false;
            } else {
                break;
            }
        } else if (sni_json_next_key(&t->json, &key)) {
            if (!read_key(t, key)) return false;
        } else if (!end_chunk(t)) {
            return false;
        }
    }
    return sni_json_ok(&t->json) && !t->out->failed;
}

static bool read_file(sni_json *json, sni_writer *out)
{
    tree_reader t = { .json = *json, .out = out };
    sni_str key, stray = { NULL, 0 };
    uint64_t stray_offset = 0;
    bool is_read = true, has_chunks = false;
    if (sni_json_peek(&t.json) != SNI_JSON_OBJECT) return fail(&t.json, "expected {\"w3d\": 1, \"chunks\": [...]}");
    for (sni_json_enter_object(&t.json); is_read && sni_json_next_key(&t.json, &key);) {
        int64_t version;
        if (sni_str_is(key, "chunks") && !has_chunks) {
            has_chunks = true;
            is_read = read_chunks(&t);
        } else if (sni_str_is(key, "stray")) {
            sni_json_peek(&t.json);
            stray_offset = sni_json_offset(&t.json);
            stray = sni_json_raw(&t.json);
        } else if (!sni_str_is(key, "w3d") || sni_json_peek(&t.json) != SNI_JSON_NUMBER ||
                   !sni_json_integer(&t.json, &version) || version != 1) {
            is_read = fail(&t.json, "expected {\"w3d\": 1, \"chunks\": [...]}");
        }
    }
    if (is_read && !has_chunks && sni_json_ok(&t.json)) is_read = fail(&t.json, "there are no chunks");
    if (is_read && sni_json_ok(&t.json)) sni_json_finish(&t.json);
    if (is_read && stray.at) {
        sni_json bytes = sni_json_make(stray, stray_offset, 8, json->diag, json->arena);
        is_read = read_hex_lines(&bytes, out);
    }
    return is_read && sni_json_ok(&t.json) && !out->failed;
}

bool w3d_text_parse(sni_load *load, sni_bytes text, sni_arena *arena, sni_bytes *bytes)
{
    sni_writer out;
    sni_arena names;
    if (text.size >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0) text.data += 3, text.size -= 3;
    sni_diag_set_text(&load->diag, (const char *)text.data, text.size);
    sni_arena_init(&names, load->heap);
    sni_writer_init(&out, load->heap);
    sni_json json = sni_json_make(sni_str_make((const char *)text.data, text.size), 0, 2 * W3D_MAX_DEPTH + 16,
                                  &load->diag, &names);
    const char *copy = read_file(&json, &out) ? sni_copy_text(arena, (const char *)out.data, out.size) : NULL;
    *bytes = (sni_bytes){ (const uint8_t *)copy, copy ? out.size : 0 };
    sni_writer_free(&out);
    sni_arena_free(&names);
    sni_diag_set_text(&load->diag, NULL, 0);
    return copy && sni_load_ok(load);
}
