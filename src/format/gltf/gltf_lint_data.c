// Rules of the format that do no harm when broken: accessors and what is in them, skins, materials, cameras.
#include <math.h>
#include <string.h>

#include "format/gltf/gltf_doc.h"

// Whether `count` elements fit the view, without failing the load as reading them would.
static bool fits_view(const gltf_doc *doc, int32_t view, uint64_t offset, uint64_t count, uint64_t stride,
                      uint64_t size)
{
    if (view < 0 || count == 0) return true;
    uint64_t length = doc->views[view].byte_length, needed = stride * (count - 1) + size;
    return offset <= length && needed <= length - offset;
}

static bool view_has_bytes(const gltf_doc *doc, int32_t index)
{
    if (index < 0) return true;
    const gltf_view *view = &doc->views[index];
    if (view->unpacked.data) return view->byte_length <= view->unpacked.size;
    if (view->buffer < 0 || !doc->buffers[view->buffer].has_data) return false;
    uint64_t size = doc->buffers[view->buffer].data.size;
    return view->byte_offset <= size && view->byte_length <= size - view->byte_offset;
}

static bool lint_sparse(sni_load *load, const gltf_doc *doc, const gltf_accessor *accessor)
{
    const gltf_sparse *sparse = &accessor->sparse;
    uint64_t offset = accessor->object.offset, size = gltf_element_bytes(accessor);
    uint32_t index_bytes = gltf_component_bytes(sparse->index_type);
    if (sparse->count == 0) return true;
    if (sparse->count > accessor->count)
        gltf_warn(load, "sparse", SNI_WARN_GLTF_ACCESSOR, offset, "more than the accessor has");
    if (sparse->index_view < 0 || sparse->value_view < 0) {
        gltf_warn(load, "sparse", SNI_WARN_JSON_MISSING, offset, "indices or values are missing");
        return false;
    }
    if (doc->views[sparse->index_view].stride || doc->views[sparse->value_view].stride)
        gltf_warn(load, "sparse", SNI_WARN_GLTF_VIEW, offset, "its views must not have a stride");
    bool fits = fits_view(doc, sparse->index_view, sparse->index_offset, sparse->count, index_bytes, index_bytes) &&
                fits_view(doc, sparse->value_view, sparse->value_offset, sparse->count, size, size);
    if (!fits) gltf_warn(load, "sparse", SNI_WARN_GLTF_ACCESSOR, offset, "past the end of its view");
    return fits && sparse->count <= accessor->count && view_has_bytes(doc, sparse->index_view) &&
           view_has_bytes(doc, sparse->value_view);
}

// True when the data can be read without failing the load.
static bool lint_layout(sni_load *load, const gltf_doc *doc, const gltf_accessor *accessor)
{
    uint64_t offset = accessor->object.offset, size = gltf_element_bytes(accessor);
    uint32_t component = gltf_component_bytes(accessor->component_type);
    if (accessor->type == GLTF_NO_TYPE) gltf_warn(load, "type", SNI_WARN_JSON_MISSING, offset, "missing or unknown");
    if (component == 0) gltf_warn(load, "componentType", SNI_WARN_JSON_MISSING, offset, "missing or unknown");
    if (accessor->count == 0) gltf_warn(load, "count", SNI_WARN_JSON_MISSING, offset, "missing or zero");
    if (accessor->type == GLTF_NO_TYPE || component == 0 || accessor->count == 0) return false;
    if (accessor->is_normalized && (accessor->component_type == GLTF_F32 || accessor->component_type == GLTF_U32))
        gltf_warn(load, "normalized", SNI_WARN_GLTF_ACCESSOR, offset, "only small whole numbers can be normalised");
    uint32_t width = gltf_components(accessor->type);
    if ((accessor->min.count && accessor->min.count != width) || (accessor->max.count && accessor->max.count != width))
        gltf_warn(load, "min", SNI_WARN_GLTF_BOUNDS, offset, "min or max of the wrong length");
    if (accessor->view < 0) return lint_sparse(load, doc, accessor);
    const gltf_view *view = &doc->views[accessor->view];
    uint64_t stride = view->stride ? view->stride : size;
    if (accessor->byte_offset % component || (view->byte_offset + accessor->byte_offset) % component ||
        stride % component)
        gltf_warn(load, "byteOffset", SNI_WARN_GLTF_ACCESSOR, offset, "not aligned to its component");
    if (view->stride && view->stride < size)
        gltf_warn(load, "bufferView", SNI_WARN_GLTF_ACCESSOR, offset, "elements overlap");
    bool fits = fits_view(doc, accessor->view, accessor->byte_offset, accessor->count, stride, size);
    if (!fits) gltf_warn(load, "byteOffset", SNI_WARN_GLTF_ACCESSOR, offset, "past the end of its view");
    return lint_sparse(load, doc, accessor) && fits && view_has_bytes(doc, accessor->view);
}

// Readers that round twice, to double and then to float, may end up at the neighbour.
static bool is_same(float value, float stated) { return nextafterf(value, stated) == stated; }

// min and max are stated for the numbers as stored, before normalising.
static void lint_values(sni_load *load, const gltf_doc *doc, int32_t index, sni_arena *block)
{
    const gltf_accessor *accessor = &doc->accessors[index];
    uint32_t width = gltf_components(accessor->type);
    float *values = sni_new_raw(block, float, (uint64_t)accessor->count *width);
    gltf_accessor raw = *accessor;
    gltf_doc alone = *doc;
    raw.is_normalized = false;
    alone.accessors = &raw;
    alone.accessor_count = 1;
    if (!values || !gltf_read_floats(load, &alone, 0, width, values)) return;
    uint64_t not_finite = 0;
    bool has_min = accessor->min.count == width, has_max = accessor->max.count == width;
    float min[16], max[16];
    for (uint64_t i = 0; i < (uint64_t)accessor->count * width; i++) {
        uint64_t c = i % width;
        not_finite += isfinite(values[i]) ? 0 : 1;
        if (i < width || values[i] < min[c]) min[c] = values[i];
        if (i < width || values[i] > max[c]) max[c] = values[i];
    }
    bool is_off = false;
    for (uint32_t c = 0; c < width; c++) {
        is_off = is_off || (has_min && !is_same(min[c], accessor->min.items[c])) ||
                 (has_max && !is_same(max[c], accessor->max.items[c]));
    }
    sni_warn_many(&load->diag, SNI_WARN_NOT_FINITE, not_finite, accessor->object.offset, "NaN or infinite numbers");
    if (is_off)
        gltf_warn(load, "min", SNI_WARN_GLTF_BOUNDS, accessor->object.offset, "min or max is not that of the data");
}

void gltf_lint_accessors(sni_load *load, const gltf_doc *doc)
{
    for (uint32_t i = 0; i < doc->accessor_count && sni_load_ok(load); i++) {
        bool has_values = doc->accessors[i].view >= 0 || doc->accessors[i].sparse.count > 0;
        sni_arena block;  // given back after each: many may lie over the same bytes
        sni_arena_init(&block, load->heap);
        sni_enter(&load->diag, "accessors", i);
        if (lint_layout(load, doc, &doc->accessors[i]) && has_values) lint_values(load, doc, (int32_t)i, &block);
        sni_leave(&load->diag);
        sni_arena_free(&block);
    }
}

// The parent of each node, the first that claims it; -1 at a root.
static int32_t *find_parents(sni_load *load, const gltf_doc *doc)
{
    int32_t *parents = sni_new_raw(&load->scratch, int32_t, doc->node_count);
    for (uint32_t i = 0; parents && i < doc->node_count; i++) parents[i] = -1;
    for (uint32_t i = 0; parents && i < doc->node_count; i++) {
        for (uint32_t c = 0; c < doc->nodes[i].children.count; c++) {
            int32_t *parent = &parents[doc->nodes[i].children.items[c]];
            if (*parent < 0) *parent = (int32_t)i;
        }
    }
    return parents;
}

// The root above a node, and whether `passing` lies on the way. The budget ends loops and long walks.
static int32_t climb(const int32_t *parents, int32_t node, int32_t passing, bool *passed, uint32_t *budget)
{
    *passed = false;
    while (*budget > 0) {
        (*budget)--;
        if (node == passing) *passed = true;
        if (parents[node] < 0) return node;
        node = parents[node];
    }
    return -1;
}

static void lint_skin(sni_load *load, const gltf_skin *skin, const int32_t *parents)
{
    uint64_t offset = skin->object.offset;
    uint32_t budget = 1 << 20, joints = 0, off_skeleton = 0;
    int32_t root = -1;
    bool has_many_roots = false;
    for (uint32_t i = 0; i < skin->joints.count && budget > 0; i++) {
        bool passed;
        if (skin->joints.items[i] < 0) continue;
        int32_t above = climb(parents, skin->joints.items[i], skin->skeleton, &passed, &budget);
        has_many_roots = has_many_roots || (joints++ > 0 && above != root);
        off_skeleton += !passed;
        root = above;
    }
    if (skin->joints.count == 0) gltf_warn(load, "joints", SNI_WARN_JSON_MISSING, offset, "missing or empty");
    if (budget == 0) return;
    if (has_many_roots) gltf_warn(load, "joints", SNI_WARN_GLTF_SKIN, offset, "no common root");
    if (skin->skeleton >= 0 && off_skeleton)
        gltf_warn(load, "skeleton", SNI_WARN_GLTF_SKIN, offset, "not above all joints");
}

void gltf_lint_skins(sni_load *load, const gltf_doc *doc)
{
    int32_t *parents = find_parents(load, doc);
    for (uint32_t i = 0; parents && i < doc->skin_count; i++) {
        sni_enter(&load->diag, "skins", i);
        lint_skin(load, &doc->skins[i], parents);
        sni_leave(&load->diag);
    }
}

static void lint_camera(sni_load *load, const gltf_camera *camera)
{
    uint64_t offset = camera->object.offset;
    if (!camera->is_perspective && !camera->is_orthographic)
        gltf_warn(load, "type", SNI_WARN_GLTF_CAMERA, offset, "missing or unknown");
    if (camera->is_perspective && (!(camera->yfov > 0.0f) || camera->yfov >= 3.14159265f))
        gltf_warn(load, "yfov", SNI_WARN_GLTF_CAMERA, offset, "missing or out of range");
    if (camera->is_perspective && !(camera->znear > 0.0f))
        gltf_warn(load, "znear", SNI_WARN_GLTF_CAMERA, offset, "missing or not positive");
    if (camera->is_orthographic && (!(camera->xmag > 0.0f) || !(camera->ymag > 0.0f)))
        gltf_warn(load, "xmag", SNI_WARN_GLTF_CAMERA, offset, "missing or not positive");
    bool needs_far = camera->is_orthographic || camera->zfar != 0.0f;
    if (needs_far && camera->zfar <= camera->znear)
        gltf_warn(load, "zfar", SNI_WARN_GLTF_CAMERA, offset, "missing or not beyond znear");
}

static void lint_material(sni_load *load, const gltf_material *material)
{
    const float factors[] = { material->color.x,    material->color.y,    material->color.z,
                              material->color.w,    material->metallic,   material->roughness,
                              material->emissive.x, material->emissive.y, material->emissive.z };
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
        if (!(factors[i] >= 0.0f && factors[i] <= 1.0f))
            sni_warn(&load->diag, SNI_WARN_VALUE_RANGE, material->object.offset, "a factor of %g", (double)factors[i]);
    }
    if (material->has_cutoff && !material->is_masked)
        gltf_warn(load, "alphaCutoff", SNI_WARN_GLTF_MATERIAL, material->object.offset, "only with alphaMode MASK");
}

static void lint_image(sni_load *load, const gltf_image *image)
{
    uint64_t offset = image->object.offset;
    if ((image->uri != NULL) == (image->view >= 0))
        gltf_warn(load, "uri", SNI_WARN_GLTF_MATERIAL, offset, "an image has either a uri or a bufferView");
    if (image->view >= 0 && !image->mime_type) gltf_warn(load, "mimeType", SNI_WARN_JSON_MISSING, offset, "missing");
}

static void lint_sampler(sni_load *load, const gltf_texture_sampler *sampler)
{
    uint64_t offset = sampler->object.offset;
    const uint32_t wraps[2] = { sampler->wrap_s, sampler->wrap_t };
    for (int i = 0; i < 2; i++) {
        if (wraps[i] != 10497 && wraps[i] != 33071 && wraps[i] != 33648)
            gltf_warn(load, i ? "wrapT" : "wrapS", SNI_WARN_GLTF_MATERIAL, offset, "an unknown wrap mode");
    }
    uint32_t mag = sampler->mag_filter, min = sampler->min_filter;
    if (mag && mag != 9728 && mag != 9729)
        gltf_warn(load, "magFilter", SNI_WARN_GLTF_MATERIAL, offset, "an unknown filter");
    if (min && min != 9728 && min != 9729 && (min < 9984 || min > 9987))
        gltf_warn(load, "minFilter", SNI_WARN_GLTF_MATERIAL, offset, "an unknown filter");
}

void gltf_lint_looks(sni_load *load, const gltf_doc *doc)
{
    sni_diag *diag = &load->diag;
#define GLTF_EACH(text, array, total, call)     \
    for (uint32_t i = 0; i < doc->total; i++) { \
        sni_enter(diag, text, i);               \
        call(load, &doc->array[i]);             \
        sni_leave(diag);                        \
    }
    GLTF_EACH("cameras", cameras, camera_count, lint_camera)
    GLTF_EACH("materials", materials, material_count, lint_material)
    GLTF_EACH("images", images, image_count, lint_image)
    GLTF_EACH("samplers", samplers, sampler_count, lint_sampler)
#undef GLTF_EACH
}
