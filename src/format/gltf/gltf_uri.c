// URIs and buffers: data inside the JSON, files beside the model, the chunk of a .glb.
#include <string.h>

#include "format/gltf/gltf_doc.h"

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+') return 62;
    return c == '/' ? 63 : -1;
}

static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// With or without padding, white space ignored; anything else is refused.
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

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Percent signs decoded exactly once; one that starts no escape stands for itself.
static size_t decode_percent(sni_str text, uint8_t *out)
{
    size_t used = 0;
    for (size_t at = 0; at < text.size; at++) {
        int high = text.at[at] == '%' && text.size - at > 2 ? hex_digit(text.at[at + 1]) : -1;
        int low = high >= 0 ? hex_digit(text.at[at + 2]) : -1;
        if (low >= 0) {
            out[used++] = (uint8_t)(high << 4 | low);
            at += 2;
        } else {
            out[used++] = (uint8_t)text.at[at];
        }
    }
    return used;
}

static bool is_data_uri(const char *uri) { return sni_str_is_nocase(sni_str_make(uri, strnlen(uri, 5)), "data:"); }

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
    if (is_data_uri(uri)) return open_data(load, sni_str_make(uri + 5, size - 5), bytes, why);
    *why = "it does not name a file in the model's folder";
    if (size >= sizeof decoded) return false;
    size = decode_percent(sni_str_make(uri, size), (uint8_t *)decoded);
    if (!sni_ref_clean(sni_str_make(decoded, size), ref, sizeof ref)) {
        sni_warn(&load->diag, SNI_WARN_FILE_REFUSED, 0, "\"%.120s\" was not opened", uri);
        return false;
    }
    *why = "the file is not there";
    return sni_load_ref(load, ref, bytes);
}

static bool load_buffer(sni_load *load, const gltf_container *container, gltf_doc *doc, uint32_t index)
{
    gltf_buffer *buffer = &doc->buffers[index];
    const char *why = "";
    if (!buffer->uri) {
        buffer->has_data = index == 0 && container->has_bin;
        buffer->data = container->bin;
        if (!buffer->has_data) return true;  // an error only for who reads it
    } else {
        if (!gltf_open_uri(load, buffer->uri, &buffer->data, &why)) {
            buffer->why_not = why;  // likewise
            sni_warn(&load->diag, SNI_WARN_FILE_MISSING, buffer->object.offset, "%s", why);
            return sni_load_ok(load);
        }
        buffer->has_data = true;
    }
    if (buffer->data.size < buffer->byte_length) {
        return sni_fail(&load->diag, SN_ERR_TRUNCATED, buffer->object.offset, "%llu bytes are promised, %zu are there",
                        (unsigned long long)buffer->byte_length, buffer->data.size);
    }
    uint64_t extra = buffer->data.size - buffer->byte_length;
    if (buffer->uri ? extra > 0 && is_data_uri(buffer->uri) : extra > 3) {  // a chunk is padded, a file may be longer
        sni_warn(&load->diag, SNI_WARN_GLTF_BUFFER, buffer->object.offset, "%llu bytes too many",
                 (unsigned long long)extra);
    }
    buffer->data.size = (size_t)buffer->byte_length;
    return true;
}

bool gltf_load_buffers(sni_load *load, const gltf_container *container, gltf_doc *doc)
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
