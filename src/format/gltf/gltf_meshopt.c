// EXT_meshopt_compression and KHR_meshopt_compression: views are unpacked once, into scratch. The library's decoders
// stay inside the bytes they are given; that these are enough, and the layout one they accept, is checked here.
#include "format/gltf/gltf_doc.h"

#ifdef SINEW_HAS_MESHOPT
#    include <meshoptimizer.h>

static bool is_corrupt(sni_load *load, const gltf_view *view, const char *what)
{
    const gltf_meshopt *packed = &view->meshopt;
    return sni_fail(&load->diag, SN_ERR_CORRUPT, view->object.offset, "%s: %u elements of %u bytes in %llu", what,
                    packed->count, packed->stride, (unsigned long long)packed->byte_length);
}

// The least that any stream of the kind takes: of 64 bytes of attributes 1 (newer codec: of 1024), of a triangle or
// a lone index 1. So no count is believed without the bytes for it.
static uint64_t least_bytes(const gltf_meshopt *packed, uint8_t header)
{
    uint64_t size = (uint64_t)packed->count * packed->stride;
    if (packed->mode == GLTF_ATTRIBUTES) return 1 + size / (header == 0xA0 ? 64 : 1024);
    return 1 + (packed->mode == GLTF_INDICES ? packed->count : packed->count / 3);
}

static bool fits_filter(const gltf_meshopt *packed)
{
    switch (packed->filter) {
    case GLTF_OCTAHEDRAL: return packed->stride == 4 || packed->stride == 8;
    case GLTF_QUATERNION: return packed->stride == 8;
    default: return true;
    }
}

static bool check_layout(sni_load *load, const gltf_view *view, sni_bytes bytes)
{
    const gltf_meshopt *packed = &view->meshopt;
    bool is_index = packed->stride == 2 || packed->stride == 4;
    if (packed->mode == GLTF_NO_PACKING) return is_corrupt(load, view, "no mode that is known");
    if (packed->count == 0 || bytes.size == 0) return is_corrupt(load, view, "nothing is packed here");
    if (packed->mode == GLTF_ATTRIBUTES && (packed->stride == 0 || packed->stride > 256 || packed->stride % 4))
        return is_corrupt(load, view, "the stride must be a multiple of 4 up to 256");
    if (packed->mode != GLTF_ATTRIBUTES && !is_index) return is_corrupt(load, view, "indices have 2 or 4 bytes");
    if (packed->mode == GLTF_TRIANGLE_INDICES && packed->count % 3)
        return is_corrupt(load, view, "not a whole number of triangles");
    if (packed->filter != GLTF_NO_FILTER && (packed->mode != GLTF_ATTRIBUTES || !fits_filter(packed)))
        return is_corrupt(load, view, "the filter does not fit the mode or the stride");
    if (packed->count > load->limits.elements) {
        return sni_fail(&load->diag, SN_ERR_LIMIT, view->object.offset, "%u elements, the limit is %u", packed->count,
                        load->limits.elements);
    }
    return bytes.size >= least_bytes(packed, bytes.data[0]) || is_corrupt(load, view, "too few bytes");
}

static bool decode(const gltf_meshopt *packed, sni_bytes bytes, void *out)
{
    size_t count = packed->count, stride = packed->stride;
    switch (packed->mode) {
    case GLTF_ATTRIBUTES: return meshopt_decodeVertexBuffer(out, count, stride, bytes.data, bytes.size) == 0;
    case GLTF_TRIANGLE_INDICES: return meshopt_decodeIndexBuffer(out, count, stride, bytes.data, bytes.size) == 0;
    default: return meshopt_decodeIndexSequence(out, count, stride, bytes.data, bytes.size) == 0;
    }
}

static void apply_filter(const gltf_meshopt *packed, void *out)
{
    size_t count = packed->count, stride = packed->stride;
    if (packed->filter == GLTF_OCTAHEDRAL) meshopt_decodeFilterOct(out, count, stride);
    if (packed->filter == GLTF_QUATERNION) meshopt_decodeFilterQuat(out, count, stride);
    if (packed->filter == GLTF_EXPONENTIAL) meshopt_decodeFilterExp(out, count, stride);
}

// The first byte says kind and version. KHR_meshopt_compression has attributes of version 1, which meshoptimizer
// reads since 0.23.
static bool is_newer(const gltf_meshopt *packed, uint8_t header)
{
    switch (packed->mode) {
    case GLTF_ATTRIBUTES: return header > 0xA0 && header <= 0xAF;
    case GLTF_TRIANGLE_INDICES: return header > 0xE1 && header <= 0xEF;
    default: return header > 0xD1 && header <= 0xDF;
    }
}

// A plain twin of what cannot be unpacked is as good.
static bool use_plain(sni_load *load, const gltf_doc *doc, const gltf_view *view, const char *what)
{
    uint64_t offset = view->object.offset;
    if (view->buffer < 0 || !doc->buffers[view->buffer].has_data)
        return sni_fail(&load->diag, SN_ERR_UNSUPPORTED, offset, "%s is not read by this build of sinew", what);
    sni_warn(&load->diag, SNI_WARN_GLTF_EXTENSION, offset, "%s is not read; its fallback is", what);
    return true;
}

static bool unpack_view(sni_load *load, const gltf_doc *doc, gltf_view *view)
{
    const gltf_meshopt *packed = &view->meshopt;
    sni_bytes bytes = { (const uint8_t *)"", 0 };
    if (packed->filter >= GLTF_COLOR) return use_plain(load, doc, view, "this filter of KHR_meshopt_compression");
    if (!gltf_buffer_bytes(load, doc, packed->buffer, packed->byte_offset, packed->byte_length, view->object.offset,
                           &bytes))
        return sni_load_ok(load) ? is_corrupt(load, view, "the packed bytes are not there") : false;
    if (!check_layout(load, view, bytes)) return false;
    uint8_t *out = sni_alloc_raw(&load->scratch, packed->stride, packed->count);
    if (!out) return false;
    if (!decode(packed, bytes, out)) {
        if (is_newer(packed, bytes.data[0]))
            return use_plain(load, doc, view, "the codec of this version (meshoptimizer 0.23 and newer have it)");
        return is_corrupt(load, view, "damaged");
    }
    apply_filter(packed, out);
    view->unpacked = (sni_bytes){ out, (size_t)packed->count * packed->stride };
    return true;
}

bool gltf_unpack_views(sni_load *load, gltf_doc *doc)
{
    bool is_good = true;
    for (uint32_t i = 0; i < doc->view_count && is_good; i++) {
        if (!doc->views[i].meshopt.extension) continue;
        sni_enter(&load->diag, "bufferViews", i);
        sni_enter(&load->diag, "extensions", -1);
        sni_enter(&load->diag, doc->views[i].meshopt.extension, -1);
        is_good = unpack_view(load, doc, &doc->views[i]);
        sni_leave(&load->diag);
        sni_leave(&load->diag);
        sni_leave(&load->diag);
    }
    return is_good;
}

#else

// Who reads a packed view without a fallback is told by gltf_view_bytes.
bool gltf_unpack_views(sni_load *load, gltf_doc *doc)
{
    (void)doc;
    return sni_load_ok(load);
}

#endif
