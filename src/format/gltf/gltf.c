// The front door of glTF 2.0: probing, the .glb container, buffers, loading and saving.
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "format/format.h"
#include "format/gltf/gltf_export.h"
#include "model/extras.h"

// A .glb has a signature. JSON could be anything: it must open an object and then soon name a key.
static int gltf_probe(sni_bytes bytes)
{
    const uint8_t *at = bytes.data, *end = at + bytes.size;
    if (bytes.size >= 4 && sni_load_u32(at) == GLTF_GLB_MAGIC) return 100;
    if (bytes.size >= 3 && at[0] == 0xEF && at[1] == 0xBB && at[2] == 0xBF) at += 3;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) at++;
    if (at == end || *at != '{') return 0;
    for (at++; at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'); at++) {}
    return at == end || *at == '"' || *at == '}' ? 60 : 0;
}

static const char *gltf_ending(sni_bytes bytes)
{
    return bytes.size >= 4 && sni_load_u32(bytes.data) == GLTF_GLB_MAGIC ? "glb" : "gltf";
}

static bool parse_chunk(sni_load *load, sni_reader *file, uint32_t index, gltf_container *container)
{
    sni_diag *diag = &load->diag;
    uint64_t offset = sni_offset(file);
    uint32_t size = sni_read_u32(file), type = sni_read_u32(file);
    sni_reader chunk = sni_read_window(file, size);
    if (!sni_ok(file)) return false;
    if (size % 4) sni_warn(diag, SNI_WARN_GLB_CHUNK, offset, "its size of %u bytes is not a multiple of 4", size);
    if (index == 0) {
        if (type != GLTF_CHUNK_JSON)
            return sni_fail(diag, SN_ERR_CORRUPT, offset, "the first chunk is 0x%08X, not JSON", type);
        container->json = sni_str_make((const char *)chunk.at, size);
        container->json_offset = chunk.origin;
    } else if (type == GLTF_CHUNK_JSON) {
        sni_warn(diag, SNI_WARN_GLB_CHUNK, offset, "a second JSON chunk was ignored");
    } else if (type == GLTF_CHUNK_BIN) {
        if (container->has_bin) sni_warn(diag, SNI_WARN_GLB_CHUNK, offset, "a second BIN chunk was ignored");
        else if (index != 1) sni_warn(diag, SNI_WARN_GLB_CHUNK, offset, "BIN is chunk %u, not the second", index);
        if (!container->has_bin) container->bin = (sni_bytes){ chunk.at, size };
        container->has_bin = true;
        if (size == 0 && load->lint) sni_warn(diag, SNI_WARN_GLB_CHUNK, offset, "the BIN chunk is empty");
    }
    return true;
}

static bool parse_glb(sni_load *load, sni_bytes bytes, gltf_container *container)
{
    sni_diag *diag = &load->diag;
    sni_reader file = sni_reader_make(bytes.data, bytes.size, diag, &load->scratch);
    sni_skip(&file, 4);
    uint32_t version = sni_read_u32(&file), length = sni_read_u32(&file);
    if (!sni_ok(&file)) return false;
    if (version == 1) return sni_fail(diag, SN_ERR_UNSUPPORTED, 4, "glTF 1.0 is not supported");
    if (version != 2)
        return sni_fail(diag, SN_ERR_UNSUPPORTED, 4, "GLB container version %u is not supported", version);
    if (length < 20) return sni_fail(diag, SN_ERR_CORRUPT, 8, "a length of %u leaves no room for a chunk", length);
    if (length > bytes.size)
        return sni_fail(diag, SN_ERR_TRUNCATED, 8, "the header gives %u bytes, the file has %zu", length, bytes.size);
    if (length < bytes.size)
        sni_warn(diag, SNI_WARN_GLB_LENGTH, 8, "%zu bytes follow the %u of the header", bytes.size - length, length);
    file.end = file.start + length;
    for (uint32_t i = 0; sni_rest(&file) > 0; i++) {
        sni_enter(diag, "chunk", i);
        bool is_good = parse_chunk(load, &file, i, container);
        sni_leave(diag);
        if (!is_good) return false;
    }
    return true;
}

bool gltf_parse_container(sni_load *load, sni_bytes bytes, gltf_container *container)
{
    *container = (gltf_container){ .bin = { (const uint8_t *)"", 0 } };
    container->is_glb = bytes.size >= 4 && sni_load_u32(bytes.data) == GLTF_GLB_MAGIC;
    if (!container->is_glb) container->json = sni_str_make((const char *)bytes.data, bytes.size);
    else if (!parse_glb(load, bytes, container)) return false;
    if (sni_str_starts(container->json, "\xEF\xBB\xBF")) {
        sni_warn(&load->diag, SNI_WARN_JSON_BOM, container->json_offset, "a byte order mark before the JSON");
        container->json.at += 3;
        container->json.size -= 3;
        container->json_offset += 3;
    }
    return true;
}

// Buffers: inside the JSON, in a file beside the model, or the BIN chunk of a .glb.

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+') return 62;
    return c == '/' ? 63 : -1;
}

static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// With or without padding; white space is ignored, anything else is an error.
static bool decode_base64(sni_str text, uint8_t *out, size_t *size)
{
    uint32_t bits = 0, count = 0;
    size_t used = 0, at = 0;
    for (; at < text.size && text.at[at] != '='; at++) {
        if (is_space(text.at[at])) continue;
        int digit = base64_digit(text.at[at]);
        if (digit < 0) return false;
        bits = bits << 6 | (uint32_t)digit;
        if (++count % 4 == 0) {
            out[used++] = (uint8_t)(bits >> 16);
            out[used++] = (uint8_t)(bits >> 8);
            out[used++] = (uint8_t)bits;
        }
    }
    for (; at < text.size; at++) {
        if (text.at[at] != '=' && !is_space(text.at[at])) return false;
    }
    if (count % 4 == 1) return false;
    if (count % 4 >= 2) out[used++] = (uint8_t)(count % 4 == 2 ? bits >> 4 : bits >> 10);
    if (count % 4 == 3) out[used++] = (uint8_t)(bits >> 2);
    *size = used;
    return true;
}

// Decodes once. A percent sign that starts no escape is an ordinary character.
static size_t decode_percent(sni_str text, uint8_t *out)
{
    size_t used = 0;
    for (size_t at = 0; at < text.size; at++) {
        int high = text.at[at] == '%' && text.size - at > 2 ? sni_hex_digit(text.at[at + 1]) : -1;
        int low = high >= 0 ? sni_hex_digit(text.at[at + 2]) : -1;
        if (low >= 0) {
            out[used++] = (uint8_t)(high << 4 | low);
            at += 2;
        } else {
            out[used++] = (uint8_t)text.at[at];
        }
    }
    return used;
}

bool gltf_is_data_uri(const char *uri) { return sni_str_is_nocase(sni_str_make(uri, strnlen(uri, 5)), "data:"); }

static bool open_data(sni_load *load, sni_str uri, sni_bytes *bytes, const char **why)
{
    const char *comma = memchr(uri.at, ',', uri.size);
    *why = "a data URI without a comma";
    if (!comma) return false;
    sni_str head = sni_str_make(uri.at, (size_t)(comma - uri.at));
    sni_str body = sni_str_make(comma + 1, uri.size - head.size - 1);
    bool is_base64 = head.size >= 7 && sni_str_is_nocase(sni_str_make(comma - 7, 7), ";base64");
    uint8_t *data = sni_new_raw(&load->scratch, uint8_t, is_base64 ? body.size / 4 * 3 + 3 : body.size);
    *why = "out of memory";
    if (!data) return false;
    *why = "not base64";
    bytes->data = data;
    if (is_base64) return decode_base64(body, data, &bytes->size);
    bytes->size = decode_percent(body, data);
    return true;
}

bool gltf_open_uri(sni_load *load, const char *uri, sni_bytes *bytes, const char **why)
{
    char decoded[4096], ref[4096];
    size_t size = strlen(uri);
    *bytes = (sni_bytes){ (const uint8_t *)"", 0 };
    if (gltf_is_data_uri(uri)) return open_data(load, sni_str_make(uri + 5, size - 5), bytes, why);
    *why = "it is not the name of a file in the model's folder";
    if (size >= sizeof decoded) return false;
    size = decode_percent(sni_str_make(uri, size), (uint8_t *)decoded);
    if (!sni_ref_clean(sni_str_make(decoded, size), ref, sizeof ref)) {
        decoded[size] = 0;
        if (sni_ref_is_above(sni_str_make(decoded, size)) && sni_load_ref_above(load, decoded, bytes)) return true;
        sni_warn(&load->diag, SNI_WARN_FILE_REFUSED, 0, "\"%.120s\" was not opened", uri);
        return false;
    }
    *why = "the file was not found";
    return sni_load_ref(load, ref, bytes);
}

static bool load_buffer(sni_load *load, const gltf_container *container, gltf_doc *doc, uint32_t index)
{
    gltf_buffer *buffer = &doc->buffers[index];
    const char *why = "";
    if (!buffer->uri) {
        buffer->has_data = index == 0 && container->has_bin;
        buffer->data = container->bin;
        if (!buffer->has_data) return true;  // an error only when something reads it
    } else {
        if (!gltf_open_uri(load, buffer->uri, &buffer->data, &why)) {
            buffer->why_not = why;  // likewise
            sni_warn(&load->diag, SNI_WARN_FILE_MISSING, buffer->object.offset, "%s", why);
            return sni_load_ok(load);
        }
        buffer->has_data = true;
    }
    if (buffer->data.size < buffer->byte_length) {
        return sni_fail(&load->diag, SN_ERR_TRUNCATED, buffer->object.offset,
                        "byteLength is %llu, but only %zu bytes exist", (unsigned long long)buffer->byte_length,
                        buffer->data.size);
    }
    uint64_t extra = buffer->data.size - buffer->byte_length;
    bool is_too_long = buffer->uri ? extra > 0 && gltf_is_data_uri(buffer->uri) : extra > 3;  // a chunk is padded
    if (is_too_long) {
        sni_warn(&load->diag, SNI_WARN_GLTF_BUFFER, buffer->object.offset, "%llu bytes more than byteLength",
                 (unsigned long long)extra);
    }
    buffer->data.size = (size_t)buffer->byte_length;
    return true;
}

static bool load_buffers(sni_load *load, const gltf_container *container, gltf_doc *doc)
{
    for (uint32_t i = 0; i < doc->buffer_count; i++) {
        sni_enter(&load->diag, "buffers", i);
        bool is_good = load_buffer(load, container, doc, i);
        sni_leave(&load->diag);
        if (!is_good) return false;
    }
    if (container->bin.size > 0 && (doc->buffer_count == 0 || doc->buffers[0].uri))
        sni_warn(&load->diag, SNI_WARN_GLB_CHUNK, 0, "no buffer uses the BIN chunk");
    return sni_load_ok(load);
}

static bool gltf_load(sni_load *load, sni_bytes bytes, sn_model *model)
{
    gltf_container container;
    gltf_doc *doc = sni_new(&load->scratch, gltf_doc, 1);
    load->diag.json_paths = true;
    if (!doc || !gltf_parse_container(load, bytes, &container) || !gltf_parse_json(load, &container, doc)) return false;
    gltf_resolve(load, doc);
    if (!load_buffers(load, &container, doc) || !gltf_unpack_views(load, doc)) return false;
    if (load->lint) gltf_lint(load, doc);
    return gltf_unpack_primitives(load, doc) && gltf_undo_switches(load, doc) && gltf_build(load, doc, model);
}

// A file name as a URI: characters that are not plain in one ("a b", "100%", "#1") are percent-encoded.
static const char *encode_uri(sni_save *save, const char *name)
{
    static const char digits[] = "0123456789ABCDEF";
    char *uri = sni_new_raw(&save->scratch, char, (uint64_t)strlen(name) * 3 + 1);
    size_t used = 0;
    if (!uri) return NULL;
    for (; *name; name++) {
        uint8_t byte = (uint8_t)*name;
        bool is_letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
        if (is_letter || (byte >= '0' && byte <= '9') || strchr("-._~", *name)) {
            uri[used++] = *name;
            continue;
        }
        uri[used++] = '%';
        uri[used++] = digits[byte >> 4];
        uri[used++] = digits[byte & 15];
    }
    uri[used] = 0;
    return uri;
}

// What is needed of a .gltf that will be replaced.
typedef struct gltf_previous {
    const char *generator, *uri;
    uint32_t buffer_count;
} gltf_previous;

static const char *read_member(sni_json *json, const char *name)
{
    const char *text = NULL;
    sni_str key;
    bool was_bad;
    if (sni_json_peek(json) != SNI_JSON_OBJECT) sni_json_skip(json);
    else
        for (sni_json_enter_object(json); sni_json_next_key(json, &key);) {
            if (sni_str_is(key, name) && sni_json_peek(json) == SNI_JSON_STRING) text = sni_json_string(json, &was_bad);
            else sni_json_skip(json);
        }
    return text;
}

static gltf_previous read_previous(sni_bytes bytes, sni_diag *diag, sni_arena *arena)
{
    gltf_previous previous = { 0 };
    sni_json json = sni_json_make(sni_str_make((const char *)bytes.data, bytes.size), 0, SNI_JSON_MAX_DEPTH, diag,
                                  arena);
    sni_str key;
    for (sni_json_enter_object(&json); sni_json_next_key(&json, &key);) {
        if (sni_str_is(key, "asset")) {
            previous.generator = read_member(&json, "generator");
        } else if (sni_str_is(key, "buffers") && sni_json_peek(&json) == SNI_JSON_ARRAY) {
            for (sni_json_enter_array(&json); sni_json_next_item(&json); previous.buffer_count++)
                previous.uri = read_member(&json, "uri");
        } else {
            sni_json_skip(&json);
        }
    }
    return previous;
}

// ".bin", "-1f3a9c20.bin" or "-1f3a9c20-2.bin": the endings of sni_save_choose_name.
static bool is_buffer_ending(const char *text)
{
    if (text[0] == '-') {
        if (strspn(text + 1, "0123456789abcdef") != 8) return false;
        text += 9;
        if (text[0] == '-') text += 1 + strspn(text + 1, "0123456789");
    }
    return strcmp(text, ".bin") == 0;
}

// The buffer of a .gltf that sinew has written before is not needed after it. Returns false only after a failure.
static bool own_previous(sni_save *save)
{
    enum { LARGEST = 64 << 20 };
    sni_diag diag;
    sni_arena arena;
    sni_bytes bytes;
    uint64_t size;
    const char *plain = sni_save_name(save, "bin"), *encoded = encode_uri(save, plain);
    const size_t stem = encoded ? strlen(encoded) - strlen(".bin") : 0;
    if (!encoded) return false;
    sni_diag_init(&diag, NULL);
    sni_arena_init(&arena, &save->heap);
    gltf_previous previous = { 0 };
    if (sni_save_is_to_disk(save) && sni_file_size(save->path, &size, &diag) &&
        sni_file_read(save->path, LARGEST, &arena, &diag, &bytes))
        previous = read_previous(bytes, &diag, &arena);
    bool is_good = sni_save_ok(save) && diag.error.status != SN_ERR_MEMORY;
    bool is_ours = is_good && !sni_failed(&diag) && previous.buffer_count == 1 && previous.uri && previous.generator &&
                   strncmp(previous.generator, "sinew ", 6) == 0 && strncmp(previous.uri, encoded, stem) == 0 &&
                   is_buffer_ending(previous.uri + stem);
    if (is_ours) {
        size_t start = strlen(plain) - strlen(".bin"), ending = strlen(previous.uri + stem);
        char *name = sni_new_raw(&save->scratch, char, (uint64_t)start + ending + 1);
        if (name) memcpy(name, plain, start), memcpy(name + start, previous.uri + stem, ending + 1);
        is_good = name && sni_save_own(save, name, previous.uri, NULL, 0);
    }
    sni_arena_free(&arena);
    return is_good;
}

// The JSON, then all of the file in one block of just its size.
static bool write_glb(sni_save *save, const gltf_doc *doc, const gltf_pack *pack)
{
    const uint64_t bin_size = (pack->size + 3) / 4 * 4;
    bool is_written = false;
    sni_writer head;
    sni_writer_init(&head, &save->heap);
    gltf_write_glb_head(doc, bin_size, &head);
    const uint64_t size = head.size + bin_size;
    if (size > UINT32_MAX) sni_fail(&save->diag, SN_ERR_LIMIT, 0, "a .glb cannot exceed 4 GiB");
    uint8_t *file = !head.failed && sni_save_ok(save) ? sni_heap_alloc(&save->heap, (size_t)size) : NULL;
    if (file) {
        memcpy(file, head.data, head.size);
        gltf_pack_write(pack, file + head.size);
        memset(file + head.size + pack->size, 0, (size_t)(bin_size - pack->size));
        is_written = sni_save_emit(save, sni_save_name(save, "glb"), file, (size_t)size);
        sni_heap_free(&save->heap, file, (size_t)size);
    }
    sni_writer_free(&head);
    return is_written;
}

// The .gltf on disk always loads with the buffer that it names: the new one never replaces a buffer that is there.
static bool write_gltf(sni_save *save, gltf_doc *doc, const uint8_t *bin, size_t size, gltf_buffer *buffer)
{
    bool is_there = true;
    const char *name = NULL;
    if (size > 0) {
        name = sni_save_choose_name(save, "bin", bin, size, &is_there);
        buffer->uri = name ? encode_uri(save, name) : NULL;
        if (!buffer->uri) return false;
    }
    sni_writer out;
    sni_writer_init(&out, &save->heap);
    gltf_write_json(doc, &out, true);
    bool is_written = !out.failed && own_previous(save);
    if (is_written && !is_there)
        is_written = sni_save_own(save, name, buffer->uri, bin, size) && sni_save_emit(save, name, bin, size);
    is_written = is_written && sni_save_emit(save, sni_save_name(save, "gltf"), out.data, out.size);
    sni_writer_free(&out);
    return is_written;
}

static bool write_files(sni_save *save, gltf_doc *doc, const gltf_pack *pack, gltf_buffer *buffer)
{
    buffer->byte_length = pack->size;
    if (pack->size > 0) doc->buffers = buffer, doc->buffer_count = 1;
    if (sni_save_has_ending(save, "glb")) return write_glb(save, doc, pack);
    uint8_t *bin = pack->size <= SIZE_MAX ? sni_heap_alloc(&save->heap, (size_t)pack->size + 1) : NULL;
    if (!bin) return false;
    gltf_pack_write(pack, bin);
    bool is_written = write_gltf(save, doc, bin, (size_t)pack->size, buffer);
    sni_heap_free(&save->heap, bin, (size_t)pack->size + 1);
    return is_written;
}

// How many nodes have the mark: another program may drop those of nodes.
static void mark_baked_count(gltf_export *export)
{
    char text[12];
    const char *number = text;
    uint32_t count = 0;
    for (uint32_t i = 0; i < export->model->node_count; i++)
        for (const sni_flag_name *flag = sni_inheritance_names; flag->name; flag++)
            if (export->model->nodes[i].flags & flag->flag) {
                count++;
                break;
            }
    snprintf(text, sizeof text, "%u", count);
    if (count > 0)
        export->doc->object.extras = gltf_extend_extras(export, export->doc->object.extras, SNI_BAKED_MARK, &number, 1,
                                                        false);
}

bool gltf_save(sni_save *save, const sn_model *model)
{
    gltf_doc doc = gltf_default_doc;
    gltf_buffer buffer = { 0 };
    gltf_export export = { .save = save, .model = model, .source = save->source ? save->source : model, .doc = &doc };
    export.pack.save = save;
    doc.asset.version = "2.0";
    doc.asset.generator = "sinew " SN_VERSION;
    doc.object.extras = gltf_export_extras(&export, model->extras, GLTF_AROUND_MODEL);
    bool is_exported = gltf_find_root_groups(&export) && gltf_group_parts(&export) && gltf_export_materials(&export) &&
                       gltf_export_meshes(&export) && gltf_export_nodes(&export) && gltf_export_clips(&export) &&
                       gltf_pack_close(&export.pack, &doc);
    if (is_exported) mark_baked_count(&export);
    doc.extensions_used = (gltf_texts){ export.extensions.items, export.extensions.count };
    doc.extensions_required = (gltf_texts){ export.required.items, export.required.count };
    return is_exported && write_files(save, &doc, &export.pack, &buffer);
}

const sni_format sni_format_gltf = {
    .name = "gltf",
    .title = "glTF 2.0",
    .extensions = "gltf glb",
    .has_exact_refs = true,
    .probe = gltf_probe,
    .ending = gltf_ending,
    .load = gltf_load,
    .save = gltf_save,
};
