// Buffer views and accessors as numbers, plain or compressed: EXT_ and KHR_meshopt_compression of views,
// KHR_draco_mesh_compression of primitives. Where a codec cannot decode, the uncompressed fallback is used, if there is
// one. Every byte that is read here was checked to exist first.
#include <string.h>

#include "draco/draco.h"
#include "format/gltf/gltf_doc.h"
#include "meshopt/meshopt.h"

uint32_t gltf_components(gltf_type type)
{
    static const uint8_t counts[] = { 0, 1, 2, 3, 4, 4, 9, 16 };
    return counts[type];
}

static inline uint32_t component_bytes(uint32_t component_type)
{
    static const uint8_t bytes[] = { 1, 1, 2, 2, 0, 4, 4 };  // from GLTF_I8 to GLTF_F32
    const uint32_t number = component_type - GLTF_I8;
    return number < sizeof bytes ? bytes[number] : 0;
}

uint32_t gltf_component_bytes(uint32_t component_type) { return component_bytes(component_type); }

bool gltf_is_unsigned(uint32_t component_type)
{
    return component_type == GLTF_U8 || component_type == GLTF_U16 || component_type == GLTF_U32;
}

// The columns of matrices with small components are padded to four bytes.
uint32_t gltf_element_bytes(const gltf_accessor *accessor)
{
    uint32_t bytes = component_bytes(accessor->component_type);
    if (accessor->type == GLTF_MAT2 && bytes == 1) return 8;
    if (accessor->type == GLTF_MAT3 && bytes <= 2) return 12 * bytes;
    return gltf_components(accessor->type) * bytes;
}

static uint32_t component_offset(const gltf_accessor *accessor, uint32_t component)
{
    uint32_t bytes = component_bytes(accessor->component_type);
    if (accessor->type == GLTF_MAT2 && bytes == 1) return component / 2 * 4 + component % 2;
    if (accessor->type == GLTF_MAT3 && bytes <= 2) return component / 3 * 4 * bytes + component % 3 * bytes;
    return component * bytes;
}

static bool buffer_bytes(sni_load *load, const gltf_doc *doc, int32_t index, uint64_t offset, uint64_t size,
                         uint64_t at, sni_bytes *bytes)
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
    *bytes = view->unpacked;
    if (view->unpacked.data) return true;
    *bytes = (sni_bytes){ (const uint8_t *)"", 0 };
    sni_enter(&load->diag, "bufferViews", index);
    bool is_good = buffer_bytes(load, doc, view->buffer, view->byte_offset, view->byte_length, view->object.offset,
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
    if (accessor->type == GLTF_NO_TYPE || component_bytes(accessor->component_type) == 0) {
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

// The elements of an accessor that is as most are: `element_bytes` each, without gaps, in a buffer. NULL: any other,
// for find_elements, which also says what is wrong with it.
static inline const uint8_t *find_plain(const sni_load *load, const gltf_doc *doc, const gltf_accessor *accessor,
                                        uint32_t element_bytes)
{
    const uint64_t size = (uint64_t)accessor->count * element_bytes, offset = accessor->byte_offset;
    if (accessor->view < 0 || accessor->unpacked.data || accessor->sparse.count > 0 ||
        accessor->count > load->limits.elements)
        return NULL;
    const gltf_view *view = &doc->views[accessor->view];
    if (view->buffer < 0 || view->unpacked.data || (view->stride != 0 && view->stride != element_bytes)) return NULL;
    const gltf_buffer *buffer = &doc->buffers[view->buffer];
    if (!buffer->has_data || view->byte_offset > buffer->data.size ||
        view->byte_length > buffer->data.size - view->byte_offset)
        return NULL;
    if (offset > view->byte_length || size > view->byte_length - offset) return NULL;
    return buffer->data.data + view->byte_offset + offset;
}

// The same for floats, or whole numbers of four bytes: what needs no conversion.
static inline const uint8_t *find_plain_words(const sni_load *load, const gltf_doc *doc, const gltf_accessor *accessor,
                                              uint32_t width, bool to_float)
{
    bool is_plain = sni_is_little_endian() && accessor->component_type == (to_float ? GLTF_F32 : GLTF_U32) &&
                    gltf_components(accessor->type) == width;
    return is_plain ? find_plain(load, doc, accessor, 4 * width) : NULL;
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
        memcpy(out, at, count * 4);  // from a view that was unpacked, or under sparse elements
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
    const uint32_t index_type = accessor->sparse.indices.component_type, index_bytes = component_bytes(index_type);
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

static bool read_found(sni_load *load, const gltf_doc *doc, int32_t index, const elements *found, uint32_t width,
                       void *out, bool to_float)
{
    sni_enter(&load->diag, "accessors", index);
    bool is_good = copy_elements(load, &doc->accessors[index], found, width, out, to_float);
    sni_leave(&load->diag);
    return is_good;
}

bool gltf_read_floats(sni_load *load, const gltf_doc *doc, int32_t accessor, uint32_t width, float *out)
{
    const uint8_t *plain = find_plain_words(load, doc, &doc->accessors[accessor], width, true);
    elements found;
    if (!plain)
        return find_elements(load, doc, accessor, &found) && read_found(load, doc, accessor, &found, width, out, true);
    memcpy(out, plain, (size_t)doc->accessors[accessor].count * width * 4);
    return true;
}

bool gltf_read_joints(sni_load *load, const gltf_doc *doc, int32_t index, uint16_t *out)
{
    const gltf_accessor *accessor = &doc->accessors[index];
    const size_t count = (size_t)accessor->count * 4;
    bool is_plain = sni_is_little_endian() && accessor->type == GLTF_VEC4 && accessor->component_type == GLTF_U16;
    const uint8_t *plain = is_plain ? find_plain(load, doc, accessor, 4 * sizeof *out) : NULL;
    elements found = { .at = plain, .stride = 4 * sizeof *out };
    if (!plain && !find_elements(load, doc, index, &found)) return false;
    if (is_plain && found.at && found.stride == 4 * sizeof *out && accessor->sparse.count == 0) {
        memcpy(out, found.at, count * sizeof *out);
        return true;
    }
    uint32_t *numbers = sni_new_raw(&load->scratch, uint32_t, count);
    if (!numbers || !read_found(load, doc, index, &found, 4, numbers, false)) return false;
    for (size_t i = 0; i < count; i++) out[i] = (uint16_t)(numbers[i] < UINT16_MAX ? numbers[i] : UINT16_MAX);
    return true;
}

// Elements that are tightly packed, aligned and of the right type are used where they are in the file; others are
// copied.
static const void *take_elements(sni_load *load, const gltf_doc *doc, int32_t index, uint32_t width, bool to_float)
{
    if (index < 0) return NULL;
    const gltf_accessor *accessor = &doc->accessors[index];
    const uint8_t *plain = find_plain_words(load, doc, accessor, width, to_float);
    if (plain && (uintptr_t)plain % 4 == 0 && sni_load_lend(load, plain, 4ull * width * accessor->count)) return plain;

    elements found;
    if (!plain && !find_elements(load, doc, index, &found)) return NULL;
    void *copy = sni_alloc_raw(&load->keep, 4u * width, accessor->count);
    if (copy && plain) memcpy(copy, plain, 4u * width * (size_t)accessor->count);
    return copy && (plain || read_found(load, doc, index, &found, width, copy, to_float)) ? copy : NULL;
}

const float *gltf_take_floats(sni_load *load, const gltf_doc *doc, int32_t accessor, uint32_t width)
{
    return take_elements(load, doc, accessor, width, true);
}

const uint32_t *gltf_take_integers(sni_load *load, const gltf_doc *doc, int32_t accessor, uint32_t width)
{
    return take_elements(load, doc, accessor, width, false);
}

// Codecs

const gltf_meshopt *gltf_find_meshopt(const gltf_view *view, const char **extension)
{
    *extension = view->ext_meshopt.object.is_given ? GLTF_EXT_MESHOPT : GLTF_KHR_MESHOPT;
    if (view->ext_meshopt.object.is_given) return &view->ext_meshopt;
    return view->khr_meshopt.object.is_given ? &view->khr_meshopt : NULL;
}

static bool fail_view(sni_load *load, const gltf_view *view, const gltf_meshopt *packed, const char *what)
{
    return sni_fail(&load->diag, SN_ERR_CORRUPT, view->object.offset, "%s (%u elements of %u bytes in %llu bytes)",
                    what, packed->count, packed->stride, (unsigned long long)packed->byte_length);
}

// The decoders stay within the bytes they are given. That a layout is one they accept is checked here, and that no
// count is believed without the bytes for it.
static const char *find_layout_error(const gltf_meshopt *packed, sni_bytes bytes)
{
    bool is_index = packed->stride == 2 || packed->stride == 4;
    if (packed->mode == GLTF_NO_PACKING) return "no known mode";
    if (packed->count == 0 || bytes.size == 0) return "empty";
    if (packed->mode == GLTF_ATTRIBUTES &&
        (packed->stride == 0 || packed->stride > SNI_MESHOPT_STRIDE_MAX || packed->stride % 4))
        return "the stride must be a multiple of 4 up to 256";
    if (packed->mode != GLTF_ATTRIBUTES && !is_index) return "the stride of indices must be 2 or 4";
    if (packed->mode == GLTF_TRIANGLE_INDICES && packed->count % 3)
        return "the number of indices is not divisible by 3";
    if (packed->filter != GLTF_NO_FILTER) {
        bool fits = packed->filter == GLTF_EXPONENTIAL || packed->stride == 8 ||
                    (packed->filter != GLTF_QUATERNION && packed->stride == 4);
        if (packed->mode != GLTF_ATTRIBUTES || !fits) return "the filter does not fit the mode or the stride";
    }

    // The smallest streams: 1 byte for 64 bytes of attributes (newer codec: 1024), for a triangle, for a lone index.
    uint64_t size = (uint64_t)packed->count * packed->stride, least = packed->count;
    if (packed->mode == GLTF_ATTRIBUTES) least = size / (bytes.data[0] == 0xA0 ? 64 : 1024);
    if (packed->mode == GLTF_TRIANGLE_INDICES) least = packed->count / 3;
    return bytes.size > least ? NULL : "too few bytes";
}

static bool decode_view(const gltf_meshopt *packed, sni_bytes bytes, uint8_t *out)
{
    uint32_t count = packed->count, stride = packed->stride;
    switch (packed->mode) {
    case GLTF_TRIANGLE_INDICES: return sni_meshopt_triangles(bytes, count, stride, out);
    case GLTF_ATTRIBUTES: break;
    default: return sni_meshopt_indices(bytes, count, stride, out);
    }
    if (!sni_meshopt_attributes(bytes, count, stride, out)) return false;
    if (packed->filter == GLTF_OCTAHEDRAL) sni_meshopt_octahedral(out, count, stride);
    if (packed->filter == GLTF_QUATERNION) sni_meshopt_quaternion(out, count);
    if (packed->filter == GLTF_EXPONENTIAL) sni_meshopt_exponential(out, count, stride);
    if (packed->filter == GLTF_COLOR) sni_meshopt_color(out, count, stride);
    return true;
}

// The first byte holds kind and version.
static bool is_newer_version(const gltf_meshopt *packed, uint8_t header)
{
    switch (packed->mode) {
    case GLTF_ATTRIBUTES: return header > 0xA1 && header <= 0xAF;
    case GLTF_TRIANGLE_INDICES: return header > 0xE1 && header <= 0xEF;
    default: return header > 0xD1 && header <= 0xDF;
    }
}

static bool use_plain_view(sni_load *load, const gltf_doc *doc, const gltf_view *view, const char *what)
{
    uint64_t offset = view->object.offset;
    if (view->buffer < 0 || !doc->buffers[view->buffer].has_data)
        return sni_fail(&load->diag, SN_ERR_UNSUPPORTED, offset, "sinew cannot decode %s", what);
    sni_warn(&load->diag, SNI_WARN_GLTF_EXTENSION, offset, "cannot decode %s; its fallback is used", what);
    return true;
}

static bool unpack_view(sni_load *load, const gltf_doc *doc, gltf_view *view, const gltf_meshopt *packed)
{
    uint64_t offset = view->object.offset;
    sni_bytes bytes = { (const uint8_t *)"", 0 };
    if (packed->filter == GLTF_UNKNOWN_FILTER)
        return use_plain_view(load, doc, view, "this filter of KHR_meshopt_compression");
    if (!buffer_bytes(load, doc, packed->buffer, packed->byte_offset, packed->byte_length, offset, &bytes))
        return sni_load_ok(load) && fail_view(load, view, packed, "the compressed bytes are missing");
    if (packed->count > load->limits.elements) {
        return sni_fail(&load->diag, SN_ERR_LIMIT, offset, "%u elements; the limit is %u", packed->count,
                        load->limits.elements);
    }
    const char *error = find_layout_error(packed, bytes);
    if (error) return fail_view(load, view, packed, error);
    uint8_t *out = sni_alloc_raw(&load->scratch, packed->stride, packed->count);
    if (!out) return false;
    if (!decode_view(packed, bytes, out)) {
        if (is_newer_version(packed, bytes.data[0]))
            return use_plain_view(load, doc, view, "this version of the codec");
        return fail_view(load, view, packed, "corrupt");
    }
    view->unpacked = (sni_bytes){ out, (size_t)packed->count * packed->stride };
    return true;
}

bool gltf_unpack_views(sni_load *load, gltf_doc *doc)
{
    bool is_good = true;
    for (uint32_t i = 0; i < doc->view_count && is_good; i++) {
        const char *extension;
        const gltf_meshopt *packed = gltf_find_meshopt(&doc->views[i], &extension);
        if (!packed) continue;
        sni_enter(&load->diag, "bufferViews", i);
        sni_enter(&load->diag, "extensions", -1);
        sni_enter(&load->diag, extension, -1);
        is_good = unpack_view(load, doc, &doc->views[i], packed);
        sni_leave(&load->diag);
        sni_leave(&load->diag);
        sni_leave(&load->diag);
    }
    return is_good;
}

// Draco. A compressed primitive gets new accessors for the decoded numbers.

static bool use_plain_primitive(sni_load *load, const gltf_doc *doc, gltf_primitive *primitive,
                                const uint8_t version[2])
{
    bool has_plain = primitive->indices < 0 || doc->accessors[primitive->indices].view >= 0;
    for (uint32_t i = 0; i < primitive->attributes.count; i++) {
        int32_t accessor = primitive->attributes.items[i].accessor;
        has_plain = has_plain && (accessor < 0 || doc->accessors[accessor].view >= 0);
    }
    primitive->draco.object.is_given = false;
    return has_plain ||
           sni_fail(&load->diag, SN_ERR_UNSUPPORTED, primitive->object.offset,
                    "Draco version %u.%u, or not a mesh; sinew decodes meshes of version 2.2", version[0], version[1]);
}

static gltf_attribute *find_attribute(const gltf_attributes *attributes, const char *name)
{
    for (uint32_t i = 0; i < attributes->count; i++) {
        if (strcmp(attributes->items[i].name, name) == 0) return &attributes->items[i];
    }
    return NULL;
}

// A copy of the accessor for the decoded numbers. There is room: add_accessor_room counted.
static void add_accessor(gltf_doc *doc, gltf_accessor accessor, void *data, int32_t *index)
{
    accessor.view = -1;
    accessor.byte_offset = 0;
    accessor.unpacked = (sni_bytes){ data, (size_t)gltf_element_bytes(&accessor) * accessor.count };
    doc->accessors[doc->accessor_count] = accessor;
    *index = (int32_t)doc->accessor_count++;
}

static bool add_accessor_room(sni_load *load, gltf_doc *doc)
{
    uint64_t added = 0;
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        for (uint32_t p = 0; p < doc->meshes[i].primitive_count; p++) {
            const gltf_draco *draco = &doc->meshes[i].primitives[p].draco;
            if (draco->object.is_given) added += (uint64_t)draco->attributes.count + 1;
        }
    }
    if (added == 0) return true;
    gltf_accessor *accessors = sni_new(&load->scratch, gltf_accessor, doc->accessor_count + added);
    if (!accessors) return false;
    if (doc->accessor_count > 0) memcpy(accessors, doc->accessors, doc->accessor_count * sizeof *accessors);
    doc->accessors = accessors;
    return true;
}

static sni_draco_type draco_type(uint32_t component_type)
{
    switch (component_type) {
    case GLTF_I8: return SNI_DRACO_INT8;
    case GLTF_U8: return SNI_DRACO_UINT8;
    case GLTF_I16: return SNI_DRACO_INT16;
    case GLTF_U16: return SNI_DRACO_UINT16;
    case GLTF_U32: return SNI_DRACO_UINT32;
    default: return SNI_DRACO_FLOAT32;
    }
}

// False: the accessor does not fit the stream, or the load has failed.
static bool unpack_attribute(sni_load *load, gltf_doc *doc, const sni_draco_mesh *mesh, const gltf_attribute *packed,
                             int32_t *index)
{
    if (*index < 0 || packed->accessor < 0) return false;
    gltf_accessor accessor = doc->accessors[*index];
    uint32_t width = gltf_components(accessor.type), bytes = gltf_component_bytes(accessor.component_type);
    if (accessor.count != mesh->point_count || accessor.type > GLTF_VEC4 || width == 0 || bytes == 0) return false;
    void *data = sni_alloc_raw(&load->scratch, (size_t)width * bytes, accessor.count);
    if (!data || !sni_draco_read(mesh, (uint32_t)packed->accessor, draco_type(accessor.component_type), width, data))
        return false;
    add_accessor(doc, accessor, data, index);
    return true;
}

// A Draco stream holds triangle lists, also for a primitive that is a strip.
static void unpack_indices(gltf_doc *doc, const sni_draco_mesh *mesh, gltf_primitive *primitive)
{
    gltf_accessor accessor = { 0 };
    if (primitive->indices >= 0) accessor = doc->accessors[primitive->indices];
    accessor.type = GLTF_SCALAR;
    accessor.count = mesh->face_count * 3;
    accessor.component_type = GLTF_U32;
    accessor.sparse.count = 0;
    if (!sni_is_little_endian()) sni_load_words((const uint8_t *)mesh->indices, mesh->indices, accessor.count);
    add_accessor(doc, accessor, mesh->indices, &primitive->indices);
    primitive->mode = GLTF_TRIANGLES;
}

// Why the primitive cannot use the decoded mesh; NULL when it does.
static const char *unpack_mesh(sni_load *load, gltf_doc *doc, gltf_primitive *primitive, const sni_draco_mesh *mesh)
{
    for (uint32_t i = 0; i < primitive->draco.attributes.count; i++) {
        const gltf_attribute *packed = &primitive->draco.attributes.items[i];
        gltf_attribute *attribute = find_attribute(&primitive->attributes, packed->name);
        if (attribute && !unpack_attribute(load, doc, mesh, packed, &attribute->accessor))
            return "an accessor does not fit the decoded data";
    }
    unpack_indices(doc, mesh, primitive);
    return NULL;
}

// What the accessors say that the mesh has. False: no mesh has that.
static bool find_counts(const gltf_doc *doc, const gltf_primitive *primitive, sni_draco_limits *limits)
{
    const gltf_attribute *positions = find_attribute(&primitive->attributes, "POSITION");
    limits->point_count = limits->face_count = UINT32_MAX;
    if (positions && positions->accessor >= 0) limits->point_count = doc->accessors[positions->accessor].count;
    if (primitive->indices < 0) return true;
    const gltf_accessor *indices = &doc->accessors[primitive->indices];
    bool is_list = primitive->mode == GLTF_TRIANGLES;
    if (is_list) limits->face_count = indices->count / 3;
    return indices->type == GLTF_SCALAR && (!is_list || indices->count % 3 == 0);
}

// The decoder's diagnostics count from the start of the stream.
static const char *decode_primitive(sni_load *load, gltf_doc *doc, gltf_primitive *primitive, sni_bytes bytes,
                                    sni_draco_limits *limits)
{
    sni_arena work;
    sni_diag diag;
    sni_draco_mesh mesh;
    const char *fault = NULL;
    sni_arena_init(&work, load->heap);
    sni_diag_init(&diag, NULL);
    sni_reader stream = sni_reader_make(bytes.data, bytes.size, &diag, &work);
    switch (sni_draco_decode(&stream, limits, &load->scratch, &mesh)) {
    case SNI_DRACO_OK: fault = unpack_mesh(load, doc, primitive, &mesh); break;
    case SNI_DRACO_UNKNOWN: use_plain_primitive(load, doc, primitive, mesh.version); break;
    case SNI_DRACO_DISAGREES: fault = "its accessors do not fit the compressed data"; break;
    default:
        if (!sni_failed(&diag)) break;  // the heap has reported it
        sni_fail(&load->diag, diag.error.status, primitive->object.offset, "byte %llu of %zu: %s",
                 (unsigned long long)diag.error.offset, bytes.size, diag.error.message);
    }
    sni_arena_free(&work);
    return fault;
}

// is_unusable: views that did not fit their primitive, which are not decoded again.
static bool unpack_primitive(sni_load *load, gltf_doc *doc, gltf_primitive *primitive, sni_draco_limits *limits,
                             bool *is_unusable)
{
    const gltf_draco *draco = &primitive->draco;
    uint64_t offset = primitive->object.offset;
    bool is_triangles = primitive->mode == GLTF_TRIANGLES || primitive->mode == GLTF_TRIANGLE_STRIP;
    const char *fault = NULL;
    sni_bytes bytes;
    if (draco->view < 0) return sni_fail(&load->diag, SN_ERR_CORRUPT, offset, "no bufferView");
    if (is_unusable[draco->view]) fault = "its view fits no primitive";
    else if (!is_triangles || !find_attribute(&draco->attributes, "POSITION")) fault = "not triangles with positions";
    else if (!find_counts(doc, primitive, limits)) fault = "its indices are not triangles";
    else if (!gltf_view_bytes(load, doc, draco->view, &bytes)) fault = "its view has no bytes";
    else fault = decode_primitive(load, doc, primitive, bytes, limits);
    if (!fault || !sni_load_ok(load)) return sni_load_ok(load);
    sni_warn(&load->diag, SNI_WARN_GLTF_PRIMITIVE, offset, "%s; left out", fault);
    is_unusable[draco->view] = true;
    primitive->is_left_out = true;
    return true;
}

bool gltf_unpack_primitives(sni_load *load, gltf_doc *doc)
{
    bool *is_unusable = sni_new(&load->scratch, bool, doc->view_count);
    if (!is_unusable || !add_accessor_room(load, doc)) return false;
    sni_draco_limits limits = { .work_bytes = load->heap->limit > UINT64_MAX / 4 ? UINT64_MAX : load->heap->limit * 4 };
    bool is_good = true;
    for (uint32_t i = 0; i < doc->mesh_count; i++) {
        sni_enter(&load->diag, "meshes", i);
        for (uint32_t p = 0; p < doc->meshes[i].primitive_count && is_good; p++) {
            gltf_primitive *primitive = &doc->meshes[i].primitives[p];
            if (!primitive->draco.object.is_given) continue;
            sni_enter(&load->diag, "primitives", p);
            sni_enter(&load->diag, "extensions", -1);
            sni_enter(&load->diag, GLTF_DRACO, -1);
            is_good = unpack_primitive(load, doc, primitive, &limits, is_unusable);
            sni_leave(&load->diag);
            sni_leave(&load->diag);
            sni_leave(&load->diag);
        }
        sni_leave(&load->diag);
    }
    return is_good && sni_load_ok(load);
}
