// Buffers, and accessors as numbers. A buffer is inside the JSON, in a file beside the model, or the BIN chunk of a
// .glb. Every byte that is read here was checked to exist first.
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

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Decodes once. A percent sign that starts no escape is an ordinary character.
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

uint32_t gltf_components(gltf_type type)
{
    static const uint8_t counts[] = { 0, 1, 2, 3, 4, 4, 9, 16 };
    return counts[type];
}

uint32_t gltf_component_bytes(uint32_t component_type)
{
    switch (component_type) {
    case GLTF_I8:
    case GLTF_U8: return 1;
    case GLTF_I16:
    case GLTF_U16: return 2;
    case GLTF_U32:
    case GLTF_F32: return 4;
    default: return 0;
    }
}

bool gltf_is_unsigned(uint32_t component_type)
{
    return component_type == GLTF_U8 || component_type == GLTF_U16 || component_type == GLTF_U32;
}

// The columns of matrices with small components are padded to four bytes.
uint32_t gltf_element_bytes(const gltf_accessor *accessor)
{
    uint32_t bytes = gltf_component_bytes(accessor->component_type);
    if (accessor->type == GLTF_MAT2 && bytes == 1) return 8;
    if (accessor->type == GLTF_MAT3 && bytes <= 2) return 12 * bytes;
    return gltf_components(accessor->type) * bytes;
}

static uint32_t component_offset(const gltf_accessor *accessor, uint32_t component)
{
    uint32_t bytes = gltf_component_bytes(accessor->component_type);
    if (accessor->type == GLTF_MAT2 && bytes == 1) return component / 2 * 4 + component % 2;
    if (accessor->type == GLTF_MAT3 && bytes <= 2) return component / 3 * 4 * bytes + component % 3 * bytes;
    return component * bytes;
}

bool gltf_buffer_bytes(sni_load *load, const gltf_doc *doc, int32_t index, uint64_t offset, uint64_t size, uint64_t at,
                       sni_bytes *bytes)
{
    const gltf_buffer *buffer = index >= 0 ? &doc->buffers[index] : NULL;
    if (buffer && buffer->why_not) {
        return sni_fail(&load->diag, SN_ERR_IO, buffer->object.offset, "cannot open \"%.80s\": %s", buffer->uri,
                        buffer->why_not);
    }
    if (!buffer || !buffer->has_data) {  // without uri and chunk it may be a placeholder
        sni_warn(&load->diag, SNI_WARN_GLTF_VIEW, at, "its buffer has no data");
        return false;
    }
    if (offset > buffer->data.size || size > buffer->data.size - offset) {
        return sni_fail(&load->diag, SN_ERR_CORRUPT, at, "bytes %llu to %llu, but the buffer has %zu",
                        (unsigned long long)offset, (unsigned long long)(offset + size), buffer->data.size);
    }
    *bytes = (sni_bytes){ buffer->data.data + offset, (size_t)size };
    return true;
}

bool gltf_view_bytes(sni_load *load, const gltf_doc *doc, int32_t index, sni_bytes *bytes)
{
    const gltf_view *view = &doc->views[index];
    const char *extension;
    *bytes = view->unpacked;
    if (view->unpacked.data) return true;
    *bytes = (sni_bytes){ (const uint8_t *)"", 0 };
    sni_enter(&load->diag, "bufferViews", index);
    bool has_plain = view->buffer >= 0 && doc->buffers[view->buffer].has_data;
    bool is_good = false;
    if (gltf_find_meshopt(view, &extension) && !has_plain)
        sni_fail(&load->diag, SN_ERR_UNSUPPORTED, view->object.offset, "this build of sinew cannot decode %s",
                 extension);
    else
        is_good = gltf_buffer_bytes(load, doc, view->buffer, view->byte_offset, view->byte_length, view->object.offset,
                                    bytes);
    sni_leave(&load->diag);
    return is_good;
}

// `count` elements of `size` bytes, `stride` apart, from `offset` in the view.
static bool find_in_view(sni_load *load, const gltf_doc *doc, int32_t view, uint64_t offset, uint64_t count,
                         uint64_t stride, uint64_t size, const uint8_t **at)
{
    sni_bytes bytes;
    if (!gltf_view_bytes(load, doc, view, &bytes)) return false;
    // count < 2^32 and stride < 2^32: the product fits 64 bits with room for the rest.
    uint64_t needed = count ? stride * (count - 1) + size : 0;
    if (offset > bytes.size || needed > bytes.size - offset) {
        return sni_fail(&load->diag, SN_ERR_CORRUPT, doc->views[view].object.offset,
                        "%llu elements need %llu bytes at %llu, but the view has %zu", (unsigned long long)count,
                        (unsigned long long)needed, (unsigned long long)offset, bytes.size);
    }
    *at = bytes.data + offset;
    return true;
}

// Where the elements of an accessor are.
typedef struct elements {
    const uint8_t *at;  // NULL: zeros
    uint64_t stride;
    const uint8_t *sparse_indices, *sparse_values;
} elements;

static bool find_sparse(sni_load *load, const gltf_doc *doc, const gltf_accessor *accessor, elements *found)
{
    const gltf_sparse *sparse = &accessor->sparse;
    const gltf_sparse_array *indices = &sparse->indices, *values = &sparse->values;
    uint32_t index_bytes = gltf_component_bytes(indices->component_type), size = gltf_element_bytes(accessor);
    if (indices->view < 0 || values->view < 0 || !gltf_is_unsigned(indices->component_type) ||
        sparse->count > accessor->count) {
        sni_warn(&load->diag, SNI_WARN_GLTF_ACCESSOR, accessor->object.offset, "its sparse data is not usable");
        return false;
    }
    return find_in_view(load, doc, indices->view, indices->byte_offset, sparse->count, index_bytes, index_bytes,
                        &found->sparse_indices) &&
           find_in_view(load, doc, values->view, values->byte_offset, sparse->count, size, size, &found->sparse_values);
}

static bool find_elements(sni_load *load, const gltf_doc *doc, int32_t index, elements *found)
{
    const gltf_accessor *accessor = &doc->accessors[index];
    uint64_t offset = accessor->object.offset;
    bool is_good = false;
    *found = (elements){ accessor->unpacked.data, gltf_element_bytes(accessor), NULL, NULL };
    sni_enter(&load->diag, "accessors", index);
    if (accessor->type == GLTF_NO_TYPE || gltf_component_bytes(accessor->component_type) == 0) {
        sni_warn(&load->diag, SNI_WARN_GLTF_ACCESSOR, offset, "not usable: type %u, componentType %u", accessor->type,
                 accessor->component_type);
    } else if (accessor->count > load->limits.elements) {
        sni_fail(&load->diag, SN_ERR_LIMIT, offset, "%u elements; the limit is %u", accessor->count,
                 load->limits.elements);
    } else if (accessor->unpacked.data || accessor->view < 0) {
        is_good = true;
    } else {
        uint32_t stride = doc->views[accessor->view].stride;
        if (stride) found->stride = stride;
        is_good = find_in_view(load, doc, accessor->view, accessor->byte_offset, accessor->count, found->stride,
                               gltf_element_bytes(accessor), &found->at);
    }
    if (is_good && accessor->sparse.count > 0) is_good = find_sparse(load, doc, accessor, found);
    sni_leave(&load->diag);
    return is_good;
}

bool gltf_check_accessor(sni_load *load, const gltf_doc *doc, int32_t index)
{
    elements ignored;
    return index >= 0 && find_elements(load, doc, index, &ignored);
}

static float float_at(const uint8_t *at, uint32_t type, bool is_normalized)
{
    float value;
    switch (type) {
    case GLTF_I8:
        value = (float)(int8_t)at[0];
        return !is_normalized ? value : value < -127.0f ? -1.0f : value / 127.0f;
    case GLTF_U8: return is_normalized ? (float)at[0] / 255.0f : (float)at[0];
    case GLTF_I16:
        value = (float)(int16_t)sni_load_u16(at);
        return !is_normalized ? value : value < -32767.0f ? -1.0f : value / 32767.0f;
    case GLTF_U16: return is_normalized ? (float)sni_load_u16(at) / 65535.0f : (float)sni_load_u16(at);
    case GLTF_U32: return (float)sni_load_u32(at);
    default: return sni_load_f32(at);
    }
}

// UINT32_MAX for negative numbers and those that are too large.
static uint32_t integer_at(const uint8_t *at, uint32_t type)
{
    float value;
    switch (type) {
    case GLTF_U8: return at[0];
    case GLTF_U16: return sni_load_u16(at);
    case GLTF_U32: return sni_load_u32(at);
    case GLTF_I8: return at[0] < 0x80 ? at[0] : UINT32_MAX;
    case GLTF_I16: return sni_load_u16(at) < 0x8000 ? sni_load_u16(at) : UINT32_MAX;
    default: value = sni_load_f32(at); return value >= 0.0f && value < 4294967296.0f ? (uint32_t)value : UINT32_MAX;
    }
}

// Floats or integers: both are 4 bytes wide, so that one walk serves both.
static void copy_element(const gltf_accessor *accessor, const uint8_t *at, uint32_t width, void *out, bool to_float)
{
    float *floats = out;
    uint32_t *integers = out;
    for (uint32_t c = 0; c < width; c++) {
        const uint8_t *component = at + component_offset(accessor, c);
        if (to_float) floats[c] = float_at(component, accessor->component_type, accessor->is_normalized);
        else integers[c] = integer_at(component, accessor->component_type);
    }
}

static void copy_dense(const gltf_accessor *accessor, const elements *found, uint32_t width, void *out, bool to_float)
{
    const uint8_t *at = found->at;
    uint32_t type = accessor->component_type, *integers = out;
    size_t count = (size_t)accessor->count * width;
    bool is_tight = found->stride == (uint64_t)width * gltf_component_bytes(type) && accessor->type <= GLTF_VEC4;

    // The usual layouts, by loops without branches.
    if (sni_is_little_endian() && type == (to_float ? GLTF_F32 : GLTF_U32) && found->stride == 4u * width) {
        memcpy(out, at, count * 4);
        return;
    }
    if (!to_float && is_tight && type == GLTF_U16) {
        for (size_t i = 0; i < count; i++) integers[i] = sni_load_u16(at + 2 * i);
        return;
    }
    if (!to_float && is_tight && type == GLTF_U8) {
        for (size_t i = 0; i < count; i++) integers[i] = at[i];
        return;
    }
    for (uint32_t i = 0; i < accessor->count; i++)
        copy_element(accessor, at + i * found->stride, width, integers + (size_t)i * width, to_float);
}

static bool copy_elements(sni_load *load, const gltf_accessor *accessor, const elements *found, uint32_t width,
                          void *out, bool to_float)
{
    uint32_t index_type = accessor->sparse.indices.component_type, index_bytes = gltf_component_bytes(index_type);
    if (width > gltf_components(accessor->type)) return false;
    if (found->at) copy_dense(accessor, found, width, out, to_float);
    else memset(out, 0, (size_t)accessor->count * width * 4);
    for (uint32_t i = 0; i < accessor->sparse.count; i++) {
        uint32_t index = integer_at(found->sparse_indices + (size_t)i * index_bytes, index_type);
        if (index >= accessor->count) {
            return sni_fail(&load->diag, SN_ERR_CORRUPT, accessor->object.offset, "sparse index %u of %u elements",
                            index, accessor->count);
        }
        copy_element(accessor, found->sparse_values + (size_t)i * gltf_element_bytes(accessor), width,
                     (uint8_t *)out + (size_t)index * width * 4, to_float);
    }
    return true;
}

static bool read_elements(sni_load *load, const gltf_doc *doc, int32_t index, uint32_t width, void *out, bool to_float)
{
    elements found;
    if (!find_elements(load, doc, index, &found)) return false;
    sni_enter(&load->diag, "accessors", index);
    bool is_good = copy_elements(load, &doc->accessors[index], &found, width, out, to_float);
    sni_leave(&load->diag);
    return is_good;
}

bool gltf_read_floats(sni_load *load, const gltf_doc *doc, int32_t accessor, uint32_t width, float *out)
{
    return read_elements(load, doc, accessor, width, out, true);
}

bool gltf_read_integers(sni_load *load, const gltf_doc *doc, int32_t accessor, uint32_t width, uint32_t *out)
{
    return read_elements(load, doc, accessor, width, out, false);
}

// Elements that are tightly packed, aligned and of the right type are used where they are in the file; others are
// copied.
static const void *take_elements(sni_load *load, const gltf_doc *doc, int32_t index, uint32_t width, bool to_float)
{
    elements found;
    if (index < 0 || !find_elements(load, doc, index, &found)) return NULL;
    const gltf_accessor *accessor = &doc->accessors[index];
    bool is_usable = sni_is_little_endian() && accessor->component_type == (to_float ? GLTF_F32 : GLTF_U32) &&
                     gltf_components(accessor->type) == width && found.stride == 4u * width && found.at &&
                     !accessor->unpacked.data && accessor->sparse.count == 0 && (uintptr_t)found.at % 4 == 0;
    if (is_usable && sni_load_lend(load, found.at, 4ull * width * accessor->count)) return found.at;
    void *copy = sni_alloc_raw(&load->keep, 4u * width, accessor->count);
    return copy && read_elements(load, doc, index, width, copy, to_float) ? copy : NULL;
}

const float *gltf_take_floats(sni_load *load, const gltf_doc *doc, int32_t accessor, uint32_t width)
{
    return take_elements(load, doc, accessor, width, true);
}

const uint32_t *gltf_take_integers(sni_load *load, const gltf_doc *doc, int32_t accessor, uint32_t width)
{
    return take_elements(load, doc, accessor, width, false);
}
