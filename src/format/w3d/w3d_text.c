// Documents to text, and the layouts of chunks that both directions share.
#include "format/w3d/w3d_text.h"

#include <math.h>
#include <stdio.h>

typedef struct layout_line {
    uint32_t id;
    const char *text;  // "name:type name:type3 *type": '*' starts the records, a number counts values, '@' is `width`
} layout_line;

// Sorted by id.
// clang-format off
static const layout_line layouts[] = {
    { 0x0002, "*f3" },
    { 0x0003, "*f3" },
    { 0x0004, "*f3" },
    { 0x0005, "*f2" },
    { 0x000C, "s" },
    { 0x000D, "*b4" },
    { 0x000E, "*h4" },
    { 0x0017, "s" },
    { 0x0018, "attributes:x diffuse:b4 specular:b4 emissive:b4 ambientCoefficient:b4 diffuseCoefficient:b4 "
              "specularCoefficient:b4 shininess:f opacity:f translucency:f fog:f" },
    { 0x001A, "s" },
    { 0x001B, "mapping:h frames:h rate:f" },
    { 0x001F, "version:v attributes:x name:n container:n triangles:u vertices:u materials:u damageStages:u sortLevel:i "
              "prelitVersion:x reserved:u vertexChannels:x faceChannels:x min:f3 max:f3 center:f3 radius:f" },
    { 0x0020, "*u3 u f3 f" },
    { 0x0021, "*h" },
    { 0x0022, "*u" },
    { 0x0028, "passes:u vertexMaterials:u shaders:u textures:u" },
    { 0x0029, "*b16" },
    { 0x002C, "s" },
    { 0x002D, "attributes:x ambient:b4 diffuse:b4 specular:b4 emissive:b4 shininess:f opacity:f translucency:f" },
    { 0x002E, "s" },
    { 0x002F, "s" },
    { 0x0032, "s" },
    { 0x0033, "attributes:h animation:h frames:u rate:f" },
    { 0x0039, "*u" },
    { 0x003A, "*u" },
    { 0x003B, "*b4" },
    { 0x003C, "*b4" },
    { 0x003E, "*b4" },
    { 0x003F, "*u" },
    { 0x0049, "*i" },
    { 0x004A, "*f2" },
    { 0x004B, "*u3" },
    { 0x0052, "version:b effect:N technique:u" },
    { 0x0053, "type:u name:c texture:c" },
    { 0x0053, "type:u name:c flag:b" },
    { 0x0053, "type:u name:c integer:i" },
    { 0x0053, "type:u name:c floats:*f" },
    { 0x0058, "sets:u alphaPasses:u reserved:u3" },
    { 0x0060, "*f3" },
    { 0x0061, "*f3" },
    { 0x0080, "*b12" },
    { 0x0091, "nodes:u polygons:u reserved:u6" },
    { 0x0092, "*u" },
    { 0x0093, "*f3 f3 x u" },
    { 0x0101, "version:v name:n pivots:u center:f3" },
    { 0x0102, "*n i f3 f3 f4" },
    { 0x0103, "*f12" },
    { 0x0201, "version:v name:n hierarchy:n frames:u rate:u" },
    { 0x0202, "first:h last:h width:h type:h pivot:h padding:h values:*f@" },
    { 0x0203, "first:h last:h type:h pivot:h default:b bits:*B8" },
    { 0x0281, "version:v name:n hierarchy:n frames:u rate:h flavor:h" },
    { 0x0282, "count:u pivot:h width:b type:b keys:*u f@" },
    { 0x0282, "count:u pivot:h width:b type:b scale:f start:f@ packets:*B9" },
    { 0x0283, "count:u pivot:h type:b default:b keys:*x" },
    { 0x0284, "padding:b kind:b width:b type:b count:h pivot:h words:*B4" },
    { 0x0284, "padding:b kind:b width:b type:b count:h pivot:h scale:f start:f@ packets:*B9" },
    { 0x0284, "padding:b kind:b width:b type:b count:h pivot:h scale:f start:f@ widePackets:*B17" },
    { 0x02C1, "version:v name:n hierarchy:n frames:u rate:f channels:u" },
    { 0x02C3, "s" },
    { 0x02C4, "*u2" },
    { 0x02C5, "*u" },
    { 0x0301, "version:v name:n hierarchy:n connections:h" },
    { 0x0302, "name:n pivot:h" },
    { 0x0303, "name:n pivot:h" },
    { 0x0304, "name:n pivot:h" },
    { 0x0306, "name:n pivot:h" },
    { 0x0401, "version:v name:n levels:h" },
    { 0x0402, "name:N min:f max:f" },
    { 0x0421, "version:v name:n objects:u reserved:u2" },
    { 0x0422, "s" },
    { 0x0423, "version:v transform:f12 name:c" },
    { 0x0424, "version:v transform:f12 name:c" },
    { 0x0440, "*f3" },
    { 0x0461, "attributes:x reserved:u ambient:b4 diffuse:b4 specular:b4 intensity:f" },
    { 0x0462, "direction:f3 angle:f exponent:f" },
    { 0x0463, "start:f end:f" },
    { 0x0464, "start:f end:f" },
    { 0x0501, "version:v name:n" },
    { 0x0503, "texture:p startSize:f endSize:f lifetime:f emissionRate:f maxEmissions:f velocityRandom:f "
              "positionRandom:f fadeTime:f gravity:f elasticity:f velocity:f3 acceleration:f3 startColor:b4 "
              "endColor:b4" },
    { 0x0504, "burst:u volumeClass:u volume:f3 volumeReserved:u4 velocityClass:u velocity:f3 velocityReserved:u4 "
              "outward:f inherited:f shader:b16 renderMode:u frameMode:u reserved:u6" },
    { 0x0505, "colorKeys:u opacityKeys:u sizeKeys:u colorRandom:b4 opacityRandom:f sizeRandom:f reserved:u4 "
              "words:*B4" },
    { 0x0509, "flags:x subdivision:u values:f5 reserved:u9" },
    { 0x050A, "count:u random:f orientationRandom:f reserved:u keys:*f2" },
    { 0x050B, "count:u random:f reserved:u2 keys:*f2" },
    { 0x050C, "count:u random:f reserved:u keys:*f2" },
    { 0x050D, "futureStart:f reserved:u9" },
    { 0x0601, "version:v name:n" },
    { 0x0602, "base:N count:u members:*N N" },
    { 0x0604, "class:u flags:x reserved:u3" },
    { 0x0701, "version:v levels:u name:n hierarchy:n" },
    { 0x0703, "objects:u maxScreenSize:f" },
    { 0x0704, "bone:u name:N" },
    { 0x0740, "version:v attributes:x name:N color:b4 center:f3 extent:f3" },
    { 0x0750, "version:v attributes:x reserved:u2 name:N" },
    { 0x0802, "*f4" },
    { 0x0901, "s" },
    { 0x0902, "s" },
    { 0x0A01, "version:v name:n flags:x reserved:u8" },
    { 0x0B01, "s" },
    { 0x0B03, "s" },
    { 0x0B43, "*f3" },
    { 0x0B44, "*f3" },
    { 0x0B45, "*h3" },
    { 0x0B46, "*u" },
    { 0x0B47, "*f2" },
    { 0x0B48, "*f2" },
    { 0x0B49, "*f3" },
    { 0x0B4A, "*f3" },
    { 0x0B4B, "*f3" },
    { 0x0B4C, "*b4" },
    { 0x0B4D, "*b" },
    { 0x0C00, "*f3" },
    { 0x0C01, "*f3" },
    { 0x0C02, "*f2" },
    { 0x0C03, "*h4 h3" },
};
// clang-format on
enum { LAYOUTS = sizeof layouts / sizeof *layouts, HEX_LINE = 32 };

// One field: "name:*type12".
static void add_field(w3d_text_layout *layout, sni_str text)
{
    w3d_text_field *field = &layout->fields[layout->count];
    const char *colon = memchr(text.at, ':', text.size), *end = text.at + text.size;
    *field = (w3d_text_field){ .name = colon ? sni_str_make(text.at, (size_t)(colon - text.at)) : (sni_str){ "", 0 } };
    const char *at = colon ? colon + 1 : text.at;
    if (*at == '*') layout->tail = layout->count, at++;
    field->type = *at++;
    field->count = at == end ? 1 : 0;
    for (; at < end && *at != '@'; at++) field->count = 10 * field->count + (uint32_t)(*at - '0');
    layout->count++;
}

bool w3d_text_find_layout(uint32_t id, uint32_t index, w3d_text_layout *layout)
{
    uint32_t first = 0, end = LAYOUTS;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (layouts[middle].id < id) first = middle + 1;
        else end = middle;
    }
    first += index;
    if (first >= LAYOUTS || layouts[first].id != id) return false;
    *layout = (w3d_text_layout){ .tail = W3D_TEXT_FIELDS };
    for (const char *at = layouts[first].text; *at; at += strspn(at, " ")) {
        const size_t size = strcspn(at, " ");
        add_field(layout, sni_str_make(at, size));
        at += size;
    }
    if (layout->tail > layout->count) layout->tail = layout->count;
    return true;
}

bool w3d_text_probe(sni_bytes bytes)
{
    const char *at = (const char *)bytes.data, *end = at + bytes.size;
    if (bytes.size >= 3 && memcmp(at, "\xEF\xBB\xBF", 3) == 0) at += 3;
    while (at < end && strchr(" \t\r\n", *at) && *at) at++;
    if (at == end || *at++ != '{') return false;
    while (at < end && strchr(" \t\r\n", *at) && *at) at++;
    return end - at >= 5 && memcmp(at, "\"w3d\"", 5) == 0;
}

// Values to JSON

typedef struct text_writer {
    sni_json_writer json;
    const uint8_t *at, *end;
    uint32_t width;  // the last field of that name
    bool failed;     // the layout does not suit the bytes
} text_writer;

static const uint8_t *take(text_writer *w, size_t size)
{
    if ((size_t)(w->end - w->at) < size) {
        w->failed = true;
        return NULL;
    }
    w->at += size;
    return w->at - size;
}

static void put_hex(sni_json_writer *json, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    char text[2 * HEX_LINE + 1];
    size_t used = 0;
    for (size_t i = 0; i < size && i < HEX_LINE; i++) {
        text[used++] = digits[bytes[i] >> 4];
        text[used++] = digits[bytes[i] & 15];
    }
    text[used] = 0;
    sni_json_put_text(json, text);
}

static void put_hex_lines(sni_json_writer *json, const uint8_t *bytes, size_t size)
{
    sni_json_begin_array(json);
    for (size_t at = 0; at < size; at += HEX_LINE)
        put_hex(json, bytes + at, size - at < HEX_LINE ? size - at : HEX_LINE);
    sni_json_end(json);
}

// Text up to a NUL. Bytes after that which are not expected, leftovers of the tool that wrote the file, come with it:
// ["text", "hex"].
static void put_text(text_writer *w, size_t room, bool is_fixed)
{
    char text[261];
    const uint8_t *at = take(w, room), *nul = at && room > 0 ? memchr(at, 0, room) : NULL;
    const size_t size = nul ? (size_t)(nul - at) : room, after = nul ? room - size - 1 : 0;
    bool is_plain = is_fixed || after == 0;
    for (size_t i = 0; is_fixed && i < after; i++) is_plain = is_plain && nul[1 + i] == 0;
    if (!at || (!is_fixed && !nul) || (is_fixed && size >= sizeof text) || (!is_plain && after > HEX_LINE)) {
        w->failed = true;
        return;
    }
    if (!is_plain) sni_json_begin_flat_array(&w->json);
    if (nul) {
        sni_json_put_text(&w->json, (const char *)at);
    } else {
        memcpy(text, at, size);
        text[size] = 0;
        sni_json_put_text(&w->json, text);
    }
    if (!is_plain) {
        put_hex(&w->json, nul + 1, after);
        sni_json_end(&w->json);
    }
}

static void put_number(text_writer *w, char type)
{
    char text[24];
    const uint8_t *at = take(w, type == 'b' ? 1 : type == 'h' ? 2 : 4);
    if (!at) return;
    const uint32_t value = type == 'b' ? *at : type == 'h' ? (uint32_t)(at[0] | at[1] << 8) : sni_load_u32(at);
    float number;
    memcpy(&number, &value, sizeof number);
    if (type == 'i') sni_json_put_integer(&w->json, (int32_t)value);
    else if (type == 'f' && isfinite(number)) sni_json_put_float(&w->json, number);
    else if (type == 'x' || type == 'f') {
        snprintf(text, sizeof text, "0x%X", value);
        sni_json_put_text(&w->json, text);
    } else if (type == 'v') {
        snprintf(text, sizeof text, "%u.%u", value >> 16, value & 0xFFFF);
        sni_json_put_text(&w->json, text);
    } else {
        sni_json_put_integer(&w->json, value);
    }
}

static void put_value(text_writer *w, const w3d_text_field *field)
{
    const size_t rest = (size_t)(w->end - w->at);
    switch (field->type) {
    case 'n': put_text(w, W3D_NAME_BYTES, true); break;
    case 'N': put_text(w, W3D_LONG_NAME_BYTES, true); break;
    case 'p': put_text(w, 260, true); break;
    case 's': put_text(w, rest, false); break;
    case 'c': {
        const uint8_t *size = take(w, 4);
        if (size) put_text(w, sni_load_u32(size), false);
        break;
    }
    case 'B': {
        const size_t size = field->count < rest ? field->count : rest;
        put_hex(&w->json, take(w, size), size);
        break;
    }
    default: put_number(w, field->type);
    }
}

static uint32_t values_of(const text_writer *w, const w3d_text_field *field)
{
    return field->type == 'B' ? 1 : field->count ? field->count : w->width;
}

// Several values of a field are a list.
static void put_field(text_writer *w, const w3d_text_field *field)
{
    const uint32_t count = values_of(w, field);
    const uint8_t *start = w->at;
    if (count != 1) sni_json_begin_flat_array(&w->json);
    for (uint32_t i = 0; i < count && !w->failed; i++) put_value(w, field);
    if (count != 1) sni_json_end(&w->json);
    if (sni_str_is(field->name, "width") && !w->failed)
        w->width = field->type == 'b' ? *start : (uint32_t)(start[0] | start[1] << 8);
}

// A record per line: its values one after the other.
static void put_records(text_writer *w, const w3d_text_layout *layout)
{
    sni_json_begin_array(&w->json);
    while (w->at < w->end && !w->failed) {
        uint32_t values = 0;
        const uint8_t *start = w->at;
        for (uint32_t i = layout->tail; i < layout->count; i++) values += values_of(w, &layout->fields[i]);
        if (values != 1) sni_json_begin_flat_array(&w->json);
        for (uint32_t i = layout->tail; i < layout->count; i++) {
            const uint32_t count = values_of(w, &layout->fields[i]);
            for (uint32_t k = 0; k < count && !w->failed; k++) put_value(w, &layout->fields[i]);
        }
        if (values != 1) sni_json_end(&w->json);
        if (w->at == start) w->failed = true;
    }
    sni_json_end(&w->json);
}

static void put_name(sni_json_writer *json, sni_str name)
{
    char text[32];
    snprintf(text, sizeof text, "%.*s", (int)name.size, name.at);
    sni_json_key(json, text);
}

// A list of records, a single text, or an object of fields.
static void put_layout(text_writer *w, const w3d_text_layout *layout)
{
    const bool is_list = layout->tail == 0, is_text = layout->fields[0].type == 's';
    if (is_list) put_records(w, layout);
    else if (is_text) put_value(w, &layout->fields[0]);
    if (is_list || is_text) return;
    sni_json_begin_object(&w->json);
    for (uint32_t i = 0; i < layout->tail && !w->failed; i++) {
        put_name(&w->json, layout->fields[i].name);
        put_field(w, &layout->fields[i]);
    }
    if (layout->tail < layout->count) {
        put_name(&w->json, layout->fields[layout->tail].name);
        put_records(w, layout);
    } else if (w->at < w->end && !w->failed) {
        sni_json_key(&w->json, "rest");
        put_hex_lines(&w->json, w->at, (size_t)(w->end - w->at));
        w->at = w->end;
    }
    sni_json_end(&w->json);
}

// Chunks

typedef struct doc_writer {
    const w3d_doc *doc;
    sni_arena *scratch;
    sni_json_writer json;
} doc_writer;

// Whether reading the text gives the bytes back.
static bool is_faithful(const doc_writer *d, uint32_t id, const uint8_t *text, size_t size, w3d_array bytes)
{
    sni_diag diag;
    sni_writer out;
    sni_arena arena;
    sni_diag_init(&diag, NULL);
    sni_arena_init(&arena, d->scratch->heap);
    sni_writer_init(&out, d->scratch->heap);
    sni_json json = sni_json_make(sni_str_make((const char *)text, size), 0, 64, &diag, &arena);
    const bool is_same = w3d_text_read_leaf(&json, id, &out) && !out.failed && out.size == bytes.count &&
                         (out.size == 0 || memcmp(out.data, bytes.data, out.size) == 0);
    sni_writer_free(&out);
    sni_arena_free(&arena);
    return is_same;
}

// The layouts of a property and of a channel depend on what they hold.
static bool suits(const doc_writer *d, int32_t chunk, uint32_t index)
{
    const w3d_chunk *c = &d->doc->chunks[chunk];
    const uint32_t first = c->bytes.count >= 4 ? sni_load_u32(c->bytes.data) : 0;
    if (c->id == W3D_SHADER_MATERIAL_PROPERTY) {
        const uint32_t wanted = first == W3D_TEXTURE_PROPERTY ? 0 : first == W3D_BOOL ? 1 : first == W3D_INT ? 2 : 3;
        return index == wanted;
    }
    if (c->id == W3D_MOTION_CHANNEL) return index == (first >> 8 & 0xFF);
    if (c->id != W3D_COMPRESSED_CHANNEL) return true;
    const int32_t header = c->parent >= 0 ? d->doc->chunks[c->parent].first_child : -1;
    const w3d_array bytes = header >= 0 ? d->doc->chunks[header].bytes : (w3d_array){ NULL, 0 };
    return index == (bytes.count >= 44 && bytes.data[42] == 1);
}

// Writes a leaf and takes it back where it would not be read as it was.
static void put_leaf(doc_writer *d, int32_t chunk)
{
    const w3d_chunk *c = &d->doc->chunks[chunk];
    sni_writer *out = d->json.out;
    w3d_text_layout layout;
    for (uint32_t i = 0; w3d_text_find_layout(c->id, i, &layout); i++) {
        const size_t start = out->size;
        if (!suits(d, chunk, i)) continue;
        text_writer w = { .json = d->json, .at = c->bytes.data, .end = c->bytes.data + c->bytes.count };
        put_layout(&w, &layout);
        if (out->failed) return;
        if (!w.failed && w.at == w.end && is_faithful(d, c->id, out->data + start, out->size - start, c->bytes)) {
            d->json.after_key = false;
            return;
        }
        out->size = start;
    }
    sni_json_begin_object(&d->json);
    sni_json_key(&d->json, "hex");
    put_hex_lines(&d->json, c->bytes.data, c->bytes.count);
    sni_json_end(&d->json);
}

static uint32_t natural_size(const w3d_doc *doc, int32_t chunk, const uint64_t *sizes)
{
    const bool is_container = w3d_is_container(doc->chunks[chunk].id);
    return (uint32_t)(sizes[chunk] & W3D_SIZE_MASK) | (is_container ? 0x80000000u : 0);
}

static void begin_chunk(doc_writer *d, const w3d_chunk *chunk)
{
    char number[16];
    const bool is_known = w3d_find_kind(chunk->id) < w3d_kind_count;
    snprintf(number, sizeof number, "0x%X", chunk->id);
    sni_json_begin_object(&d->json);
    sni_json_key(&d->json, is_known ? w3d_chunk_name(chunk->id) : number);
}

// What the tree alone does not say: a size that is not that of the contents, bytes after the last child.
static void end_chunk(doc_writer *d, int32_t at, const uint64_t *sizes)
{
    const w3d_chunk *chunk = &d->doc->chunks[at];
    if (w3d_is_container(chunk->id)) {
        sni_json_end(&d->json);
        if (chunk->bytes.count > 0) {
            sni_json_key(&d->json, "stray");
            put_hex_lines(&d->json, chunk->bytes.data, chunk->bytes.count);
        }
    }
    if (chunk->size != natural_size(d->doc, at, sizes)) {
        sni_json_key(&d->json, "size");
        sni_json_put_integer(&d->json, chunk->size);
    }
    sni_json_end(&d->json);
}

void w3d_text_write(const w3d_doc *doc, sni_arena *scratch, sni_writer *out)
{
    doc_writer d = { .doc = doc, .scratch = scratch, .json = sni_json_writer_make(out, true) };
    uint64_t *sizes = sni_new(scratch, uint64_t, doc->chunk_count);  // of what each holds; children come after parents
    if (!sizes) {
        out->failed = true;
        return;
    }
    for (uint32_t i = doc->chunk_count; i-- > 0;) {
        sizes[i] += doc->chunks[i].bytes.count;
        if (doc->chunks[i].parent >= 0) sizes[doc->chunks[i].parent] += sizes[i] + W3D_CHUNK_HEADER_BYTES;
    }
    sni_json_begin_object(&d.json);
    sni_json_key(&d.json, "w3d");
    sni_json_put_integer(&d.json, 1);
    sni_json_key(&d.json, "chunks");
    sni_json_begin_array(&d.json);
    for (int32_t at = doc->chunk_count > 0 ? 0 : W3D_NONE; at >= 0 && !out->failed;) {
        const w3d_chunk *chunk = &doc->chunks[at];
        begin_chunk(&d, chunk);
        if (w3d_is_container(chunk->id)) sni_json_begin_array(&d.json);
        else put_leaf(&d, at);
        if (chunk->first_child >= 0) {
            at = chunk->first_child;
            continue;
        }
        end_chunk(&d, at, sizes);
        while (doc->chunks[at].next < 0 && doc->chunks[at].parent >= 0) {
            at = doc->chunks[at].parent;
            end_chunk(&d, at, sizes);
        }
        at = doc->chunks[at].next;
    }
    sni_json_end(&d.json);
    if (doc->stray.count > 0) {
        sni_json_key(&d.json, "stray");
        put_hex_lines(&d.json, doc->stray.data, doc->stray.count);
    }
    sni_json_end(&d.json);
    sni_write_u8(out, '\n');
}
