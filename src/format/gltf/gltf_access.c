// Accessors as numbers: every byte that is read here was proven to exist first.
#include <string.h>

#include "format/gltf/gltf_doc.h"

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

// Columns of small matrices are padded to four bytes.
uint32_t gltf_element_bytes(const gltf_accessor *accessor)
{
    uint32_t bytes = gltf_component_bytes(accessor->component_type);
    if (accessor->type == GLTF_MAT2 && bytes == 1) return 8;
    if (accessor->type == GLTF_MAT3 && bytes <= 2) return 12 * bytes;
    return gltf_components(accessor->type) * bytes;
}

// A buffer without uri and chunk may be a placeholder: warned of. One whose file cannot be had is an error.
static bool has_data(sni_load *load, const gltf_doc *doc, int32_t index, uint64_t at)
{
    const gltf_buffer *buffer = index >= 0 ? &doc->buffers[index] : NULL;
    if (buffer && buffer->has_data) return true;
    if (buffer && buffer->why_not) {
        return sni_fail(&load->diag, SN_ERR_IO, buffer->object.offset, "cannot open \"%.80s\": %s", buffer->uri,
                        buffer->why_not);
    }
    sni_warn(&load->diag, SNI_WARN_GLTF_VIEW, at, "its buffer has no data");
    return false;
}

bool gltf_buffer_bytes(sni_load *load, const gltf_doc *doc, int32_t buffer, uint64_t offset, uint64_t size, uint64_t at,
                       sni_bytes *bytes)
{
    if (!has_data(load, doc, buffer, at)) return false;
    sni_bytes data = doc->buffers[buffer].data;
    if (offset > data.size || size > data.size - offset) {
        return sni_fail(&load->diag, SN_ERR_CORRUPT, at, "bytes %llu to %llu, the buffer has %zu",
                        (unsigned long long)offset, (unsigned long long)(offset + size), data.size);
    }
    *bytes = (sni_bytes){ data.data + offset, (size_t)size };
    return true;
}

bool gltf_view_bytes(sni_load *load, const gltf_doc *doc, int32_t index, sni_bytes *bytes)
{
    const gltf_view *view = &doc->views[index];
    *bytes = view->unpacked;
    if (view->unpacked.data) return true;
    *bytes = (sni_bytes){ (const uint8_t *)"", 0 };
    sni_enter(&load->diag, "bufferViews", index);
    bool is_plain = view->buffer >= 0 && doc->buffers[view->buffer].has_data;
    bool is_good = !view->meshopt.extension || is_plain;
    if (!is_good)
        sni_fail(&load->diag, SN_ERR_UNSUPPORTED, view->object.offset, "this build of sinew does not read %s",
                 view->meshopt.extension);
    is_good = is_good && gltf_buffer_bytes(load, doc, view->buffer, view->byte_offset, view->byte_length,
                                           view->object.offset, bytes);
    sni_leave(&load->diag);
    return is_good;
}

// `count` elements of `size` bytes, `stride` apart, from `offset` on in the view.
static bool take_elements(sni_load *load, const gltf_doc *doc, int32_t view, uint64_t offset, uint64_t count,
                          uint64_t stride, uint64_t size, const uint8_t **at)
{
    sni_bytes bytes;
    if (!gltf_view_bytes(load, doc, view, &bytes)) return false;
    // count < 2^32 and stride < 2^32: the product fits 64 bits with room for the rest.
    uint64_t needed = count ? stride * (count - 1) + size : 0;
    if (offset > bytes.size || needed > bytes.size - offset) {
        return sni_fail(&load->diag, SN_ERR_CORRUPT, doc->views[view].object.offset,
                        "%llu elements need %llu bytes from %llu on, the view has %zu", (unsigned long long)count,
                        (unsigned long long)needed, (unsigned long long)offset, bytes.size);
    }
    *at = bytes.data + offset;
    return true;
}

static bool check_sparse(sni_load *load, const gltf_doc *doc, const gltf_accessor *accessor)
{
    const gltf_sparse *sparse = &accessor->sparse;
    uint32_t index_bytes = gltf_component_bytes(sparse->index_type), size = gltf_element_bytes(accessor);
    const uint8_t *at = NULL;
    bool is_unsigned = sparse->index_type == GLTF_U8 || sparse->index_type == GLTF_U16 ||
                       sparse->index_type == GLTF_U32;
    if (sparse->index_view < 0 || sparse->value_view < 0 || !is_unsigned || sparse->count > accessor->count) {
        sni_warn(&load->diag, SNI_WARN_GLTF_ACCESSOR, accessor->object.offset, "its sparse part is not usable");
        return false;
    }
    return take_elements(load, doc, sparse->index_view, sparse->index_offset, sparse->count, index_bytes, index_bytes,
                         &at) &&
           take_elements(load, doc, sparse->value_view, sparse->value_offset, sparse->count, size, size, &at);
}

static uint64_t stride_of(const gltf_doc *doc, const gltf_accessor *accessor)
{
    uint32_t stride = accessor->view >= 0 ? doc->views[accessor->view].stride : 0;
    return stride ? stride : gltf_element_bytes(accessor);
}

bool gltf_check_accessor(sni_load *load, const gltf_doc *doc, int32_t index)
{
    if (index < 0) return false;
    const gltf_accessor *accessor = &doc->accessors[index];
    const uint8_t *at = NULL;
    bool is_good = false;
    sni_enter(&load->diag, "accessors", index);
    if (accessor->type == GLTF_NO_TYPE || gltf_component_bytes(accessor->component_type) == 0) {
        sni_warn(&load->diag, SNI_WARN_GLTF_ACCESSOR, accessor->object.offset, "not usable: its type is %u of %u",
                 accessor->type, accessor->component_type);
    } else if (accessor->count > load->limits.elements) {
        sni_fail(&load->diag, SN_ERR_LIMIT, accessor->object.offset, "%u elements, the limit is %u", accessor->count,
                 load->limits.elements);
    } else {
        is_good = accessor->unpacked.data || accessor->view < 0 ||
                  take_elements(load, doc, accessor->view, accessor->byte_offset, accessor->count,
                                stride_of(doc, accessor), gltf_element_bytes(accessor), &at);
        if (is_good && accessor->sparse.count > 0) is_good = check_sparse(load, doc, accessor);
    }
    sni_leave(&load->diag);
    return is_good;
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

static uint32_t integer_at(const uint8_t *at, uint32_t type)
{
    switch (type) {
    case GLTF_U8: return at[0];
    case GLTF_U16: return sni_load_u16(at);
    case GLTF_U32: return sni_load_u32(at);
    case GLTF_I8: return at[0] < 0x80 ? at[0] : UINT32_MAX;
    case GLTF_I16: return sni_load_u16(at) < 0x8000 ? sni_load_u16(at) : UINT32_MAX;
    default: {
        float value = sni_load_f32(at);
        return value >= 0.0f && value < 4294967296.0f ? (uint32_t)value : UINT32_MAX;
    }
    }
}

// Where component c of an element starts: columns of small matrices are padded.
static uint32_t component_offset(const gltf_accessor *accessor, uint32_t c)
{
    uint32_t bytes = gltf_component_bytes(accessor->component_type);
    if (accessor->type == GLTF_MAT2 && bytes == 1) return c / 2 * 4 + c % 2;
    if (accessor->type == GLTF_MAT3 && bytes <= 2) return c / 3 * 4 * bytes + c % 3 * bytes;
    return c * bytes;
}

static void copy_float_element(const gltf_accessor *accessor, const uint8_t *at, uint32_t width, float *out)
{
    for (uint32_t c = 0; c < width; c++)
        out[c] = float_at(at + component_offset(accessor, c), accessor->component_type, accessor->is_normalized);
}

static void copy_integer_element(const gltf_accessor *accessor, const uint8_t *at, uint32_t width, uint32_t *out)
{
    for (uint32_t c = 0; c < width; c++)
        out[c] = integer_at(at + component_offset(accessor, c), accessor->component_type);
}

// Both kinds of output are 4 bytes wide, so that one walk serves both.
static void copy_element(const gltf_accessor *accessor, const uint8_t *at, uint32_t width, void *out, bool to_float)
{
    if (to_float) copy_float_element(accessor, at, width, out);
    else copy_integer_element(accessor, at, width, out);
}

// Indices and joints of small types, packed: a loop without a choice in it. False: not of that kind.
static bool widen_packed(const gltf_accessor *accessor, const uint8_t *at, uint64_t stride, uint32_t width,
                         uint32_t *out)
{
    size_t count = (size_t)accessor->count * width;
    if (accessor->type > GLTF_VEC4 || stride != (uint64_t)width * gltf_component_bytes(accessor->component_type))
        return false;
    if (accessor->component_type == GLTF_U16) {
        for (size_t i = 0; i < count; i++) out[i] = sni_load_u16(at + 2 * i);
    } else if (accessor->component_type == GLTF_U8) {
        for (size_t i = 0; i < count; i++) out[i] = at[i];
    } else {
        return false;
    }
    return true;
}

static bool is_little_endian(void)
{
    const uint16_t probe = 1;
    return *(const uint8_t *)&probe == 1;
}

static void copy_dense(const gltf_accessor *accessor, const uint8_t *at, uint64_t stride, uint32_t width, uint8_t *out,
                       bool to_float)
{
    bool is_plain = is_little_endian() &&
                    (to_float ? accessor->component_type == GLTF_F32 : accessor->component_type == GLTF_U32);
    if (is_plain && stride == 4u * width) {
        memcpy(out, at, (size_t)(stride * accessor->count));
        return;
    }
    if (!to_float && widen_packed(accessor, at, stride, width, (void *)out)) return;
    for (uint32_t i = 0; i < accessor->count; i++)
        copy_element(accessor, at + i * stride, width, out + (size_t)i * width * 4, to_float);
}

static bool copy_sparse(sni_load *load, const gltf_doc *doc, const gltf_accessor *accessor, uint32_t width,
                        uint8_t *out, bool to_float)
{
    const gltf_sparse *sparse = &accessor->sparse;
    uint32_t index_bytes = gltf_component_bytes(sparse->index_type), size = gltf_element_bytes(accessor);
    const uint8_t *indices = NULL, *values = NULL;
    if (!take_elements(load, doc, sparse->index_view, sparse->index_offset, sparse->count, index_bytes, index_bytes,
                       &indices) ||
        !take_elements(load, doc, sparse->value_view, sparse->value_offset, sparse->count, size, size, &values))
        return false;
    for (uint32_t i = 0; i < sparse->count; i++) {
        uint32_t index = integer_at(indices + (size_t)i * index_bytes, sparse->index_type);
        if (index >= accessor->count) {
            return sni_fail(&load->diag, SN_ERR_CORRUPT, accessor->object.offset, "sparse index %u of %u", index,
                            accessor->count);
        }
        copy_element(accessor, values + (size_t)i * size, width, out + (size_t)index * width * 4, to_float);
    }
    return true;
}

static bool read_elements(sni_load *load, const gltf_doc *doc, int32_t index, uint32_t width, void *out, bool to_float)
{
    const gltf_accessor *accessor = &doc->accessors[index];
    const uint8_t *at = NULL;
    uint64_t stride = stride_of(doc, accessor);
    uint32_t present = gltf_components(accessor->type);
    if (!gltf_check_accessor(load, doc, index) || width > present) return false;
    sni_enter(&load->diag, "accessors", index);
    bool is_good = true;
    if (accessor->unpacked.data) {
        copy_dense(accessor, accessor->unpacked.data, gltf_element_bytes(accessor), width, out, to_float);
    } else if (accessor->view < 0) {
        memset(out, 0, (size_t)accessor->count * width * 4);
    } else {
        is_good = take_elements(load, doc, accessor->view, accessor->byte_offset, accessor->count, stride,
                                gltf_element_bytes(accessor), &at);
        if (is_good) copy_dense(accessor, at, stride, width, out, to_float);
    }
    if (is_good && accessor->sparse.count > 0) is_good = copy_sparse(load, doc, accessor, width, out, to_float);
    sni_leave(&load->diag);
    return is_good;
}

// The elements where they lie in the file: packed, aligned, of the very type. NULL: they must be copied.
static const void *lend_elements(sni_load *load, const gltf_doc *doc, int32_t index, uint32_t width, uint32_t type)
{
    const gltf_accessor *accessor = &doc->accessors[index];
    const uint8_t *at = NULL;
    if (!is_little_endian() || accessor->component_type != type || gltf_components(accessor->type) != width)
        return NULL;
    if (accessor->unpacked.data || accessor->view < 0 || accessor->sparse.count > 0) return NULL;
    if (stride_of(doc, accessor) != 4u * width) return NULL;
    if (!take_elements(load, doc, accessor->view, accessor->byte_offset, accessor->count, 4u * width, 4u * width, &at))
        return NULL;
    return (uintptr_t)at % 4 == 0 && sni_load_lend(load, at, 4ull * width * accessor->count) ? at : NULL;
}

static const void *give_elements(sni_load *load, const gltf_doc *doc, int32_t index, uint32_t width, bool to_float)
{
    if (!gltf_check_accessor(load, doc, index)) return NULL;
    const void *lent = lend_elements(load, doc, index, width, to_float ? GLTF_F32 : GLTF_U32);
    if (lent) return lent;
    void *copy = sni_alloc_raw(&load->keep, 4u * width, doc->accessors[index].count);
    return copy && read_elements(load, doc, index, width, copy, to_float) ? copy : NULL;
}

const float *gltf_give_floats(sni_load *load, const gltf_doc *doc, int32_t accessor, uint32_t width)
{
    return give_elements(load, doc, accessor, width, true);
}

const uint32_t *gltf_give_integers(sni_load *load, const gltf_doc *doc, int32_t accessor, uint32_t width)
{
    return give_elements(load, doc, accessor, width, false);
}

bool gltf_read_floats(sni_load *load, const gltf_doc *doc, int32_t accessor, uint32_t width, float *out)
{
    return read_elements(load, doc, accessor, width, out, true);
}

bool gltf_read_integers(sni_load *load, const gltf_doc *doc, int32_t accessor, uint32_t width, uint32_t *out)
{
    return read_elements(load, doc, accessor, width, out, false);
}
