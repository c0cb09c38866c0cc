// Rules of the format that do no harm when broken. Only `sinew check` and sn_load_opts.lint ask for them.
#include <math.h>
#include <string.h>

#include "format/gltf/gltf_doc.h"
#include "model/trs.h"

// Extensions.

static bool has_text(const gltf_texts *list, const char *text)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i], text) == 0) return true;
    }
    return false;
}

static void lint_extension_list(sni_load *load, const char *property, const gltf_texts *list)
{
    for (uint32_t i = 1; i < list->count && i < 1000; i++) {
        const gltf_texts before = { list->items, i };
        if (!has_text(&before, list->items[i])) continue;
        gltf_warn(load, property, SNI_WARN_GLTF_EXTENSION, 0, "a duplicate name");
        return;
    }
}

static void lint_extensions(sni_load *load, const gltf_doc *doc)
{
    const char *quantization = "KHR_mesh_quantization";
    const gltf_texts *used = &doc->extensions_used, *required = &doc->extensions_required;
    for (uint32_t i = 0; i < doc->extensions_found.count; i++) {
        const char *name = doc->extensions_found.items[i];
        if (!has_text(used, name))
            sni_warn(&load->diag, SNI_WARN_GLTF_UNDECLARED, 0, "%s is not in extensionsUsed", name);
        if (strcmp(name, quantization) == 0)
            sni_warn(&load->diag, SNI_WARN_GLTF_EXTENSION, 0, "%s does not define an object", name);
    }
    lint_extension_list(load, "extensionsUsed", used);
    lint_extension_list(load, "extensionsRequired", required);
    for (uint32_t i = 0; i < required->count; i++) {
        if (!has_text(used, required->items[i]))
            gltf_warn(load, "extensionsRequired", SNI_WARN_GLTF_UNDECLARED, 0, "not all are in extensionsUsed");
    }
    if (has_text(used, quantization) && !has_text(required, quantization))
        gltf_warn(load, "extensionsUsed", SNI_WARN_GLTF_EXTENSION, 0, "KHR_mesh_quantization must also be required");
}

// Buffers, views, accessors.

static void lint_buffer(sni_load *load, const gltf_doc *doc, const gltf_buffer *buffer)
{
    (void)doc;
    uint64_t offset = buffer->object.offset;
    if (buffer->byte_length == 0) gltf_warn(load, "byteLength", SNI_WARN_JSON_MISSING, offset, "missing or zero");
    if (!buffer->uri || !gltf_is_data_uri(buffer->uri)) return;
    const char *start = buffer->uri + 5, *end = start + strcspn(start, ";,");
    sni_str mime_type = sni_str_make(start, (size_t)(end - start));
    if (!sni_str_is_nocase(mime_type, "application/octet-stream") &&
        !sni_str_is_nocase(mime_type, "application/gltf-buffer"))
        gltf_warn(load, "uri", SNI_WARN_GLTF_URI, offset, "not the media type of a buffer");
    if (end[0] == ';' && end[1] == ';') gltf_warn(load, "uri", SNI_WARN_GLTF_URI, offset, "an empty parameter");
}

static void lint_view(sni_load *load, const gltf_doc *doc, const gltf_view *view)
{
    uint64_t offset = view->object.offset;
    const char *extension;
    const gltf_meshopt *packed = gltf_find_meshopt(view, &extension);
    if (view->buffer < 0) gltf_warn(load, "buffer", SNI_WARN_JSON_MISSING, offset, "missing");
    if (view->byte_length == 0) gltf_warn(load, "byteLength", SNI_WARN_JSON_MISSING, offset, "missing or zero");
    if (view->buffer >= 0) {
        uint64_t size = doc->buffers[view->buffer].byte_length;
        if (view->byte_offset > size || view->byte_length > size - view->byte_offset)
            gltf_warn(load, "byteLength", SNI_WARN_GLTF_VIEW, offset, "past the end of the buffer");
    }
    if (view->target != 0 && view->target != GLTF_ARRAY_BUFFER && view->target != GLTF_ELEMENT_BUFFER)
        gltf_warn(load, "target", SNI_WARN_VALUE_RANGE, offset, "an unknown target");
    if (packed && view->byte_length != (uint64_t)packed->count * packed->stride)
        gltf_warn(load, "byteLength", SNI_WARN_GLTF_VIEW, offset, "not the size of the decompressed data");
    if (packed && view->stride && view->stride != packed->stride)
        gltf_warn(load, "byteStride", SNI_WARN_GLTF_VIEW, offset, "not the stride of the decompressed data");
    if (view->stride == 0) return;
    if (view->stride < 4 || view->stride > 252 || view->stride % 4)
        gltf_warn(load, "byteStride", SNI_WARN_GLTF_VIEW, offset, "not a multiple of 4 from 4 to 252");
    if (view->target == GLTF_ELEMENT_BUFFER)
        gltf_warn(load, "byteStride", SNI_WARN_GLTF_VIEW, offset, "indices have no stride");
    if (view->stride > view->byte_length)
        gltf_warn(load, "byteStride", SNI_WARN_GLTF_VIEW, offset, "longer than the view");
}

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
    const gltf_sparse_array *indices = &sparse->indices, *values = &sparse->values;
    uint64_t offset = accessor->object.offset, size = gltf_element_bytes(accessor);
    uint32_t index_bytes = gltf_component_bytes(indices->component_type);
    if (sparse->count == 0) return true;
    if (sparse->count > accessor->count)
        gltf_warn(load, "sparse", SNI_WARN_GLTF_ACCESSOR, offset, "more elements than the accessor has");
    if (indices->view < 0 || values->view < 0) {
        gltf_warn(load, "sparse", SNI_WARN_JSON_MISSING, offset, "indices or values are missing");
        return false;
    }
    if (doc->views[indices->view].stride || doc->views[values->view].stride)
        gltf_warn(load, "sparse", SNI_WARN_GLTF_VIEW, offset, "its views must not have a stride");
    bool fits = fits_view(doc, indices->view, indices->byte_offset, sparse->count, index_bytes, index_bytes) &&
                fits_view(doc, values->view, values->byte_offset, sparse->count, size, size);
    if (!fits) gltf_warn(load, "sparse", SNI_WARN_GLTF_ACCESSOR, offset, "past the end of its view");
    return fits && sparse->count <= accessor->count && view_has_bytes(doc, indices->view) &&
           view_has_bytes(doc, values->view);
}

// True when the data can be read without failing the load.
static bool lint_layout(sni_load *load, const gltf_doc *doc, const gltf_accessor *accessor)
{
    uint64_t offset = accessor->object.offset, size = gltf_element_bytes(accessor);
    uint32_t component = gltf_component_bytes(accessor->component_type), width = gltf_components(accessor->type);
    if (accessor->type == GLTF_NO_TYPE) gltf_warn(load, "type", SNI_WARN_JSON_MISSING, offset, "missing or unknown");
    if (component == 0) gltf_warn(load, "componentType", SNI_WARN_JSON_MISSING, offset, "missing or unknown");
    if (accessor->count == 0) gltf_warn(load, "count", SNI_WARN_JSON_MISSING, offset, "missing or zero");
    if (accessor->type == GLTF_NO_TYPE || component == 0 || accessor->count == 0) return false;
    if (accessor->is_normalized && (accessor->component_type == GLTF_F32 || accessor->component_type == GLTF_U32))
        gltf_warn(load, "normalized", SNI_WARN_GLTF_ACCESSOR, offset,
                  "only integers of 8 or 16 bits can be normalized");
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

// Readers that round twice, to double and then to float, may get the neighbouring float.
static bool is_same(float value, float stated) { return nextafterf(value, stated) == stated; }

// min and max are those of the numbers as stored, before normalization.
static void lint_values(sni_load *load, const gltf_doc *doc, const gltf_accessor *accessor, sni_arena *arena)
{
    uint32_t width = gltf_components(accessor->type);
    uint64_t count = (uint64_t)accessor->count * width, not_finite = 0;
    float *values = sni_new_raw(arena, float, count), min[16] = { 0 }, max[16] = { 0 };
    gltf_accessor raw = *accessor;
    gltf_doc alone = *doc;
    raw.is_normalized = false;
    alone.accessors = &raw;
    alone.accessor_count = 1;
    if (count == 0 || !values || !gltf_read_floats(load, &alone, 0, width, values)) return;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t c = i % width;
        not_finite += isfinite(values[i]) ? 0 : 1;
        if (i < width || values[i] < min[c]) min[c] = values[i];
        if (i < width || values[i] > max[c]) max[c] = values[i];
    }
    bool is_off = false, has_min = accessor->min.count == width, has_max = accessor->max.count == width;
    for (uint32_t c = 0; c < width; c++) {
        is_off = is_off || (has_min && !is_same(min[c], accessor->min.items[c])) ||
                 (has_max && !is_same(max[c], accessor->max.items[c]));
    }
    sni_warn_many(&load->diag, SNI_WARN_NOT_FINITE, not_finite, accessor->object.offset, "NaN or infinite numbers");
    if (is_off)
        gltf_warn(load, "min", SNI_WARN_GLTF_BOUNDS, accessor->object.offset, "min or max does not match the data");
}

static void lint_accessor(sni_load *load, const gltf_doc *doc, const gltf_accessor *accessor)
{
    bool has_values = accessor->view >= 0 || accessor->sparse.count > 0;
    sni_arena arena;  // freed after each accessor: many may share the same bytes
    if (!sni_load_ok(load)) return;
    sni_arena_init(&arena, load->heap);
    if (lint_layout(load, doc, accessor) && has_values) lint_values(load, doc, accessor, &arena);
    sni_arena_free(&arena);
}

// Nodes and skins.

static void lint_node(sni_load *load, const gltf_doc *doc, const gltf_node *node)
{
    (void)doc;
    uint64_t offset = node->object.offset;
    const float *m = node->matrix;
    if (node->has_matrix && node->has_trs)
        gltf_warn(load, "matrix", SNI_WARN_GLTF_NODE, offset,
                  "besides translation, rotation or scale; the matrix is used");
    if (node->has_matrix) {
        sn_mat34 matrix = sni_mat34_from_columns(m);
        sn_trs trs;
        bool is_affine = m[3] == 0 && m[7] == 0 && m[11] == 0 && m[15] == 1;
        if (!is_affine || !sni_trs_from_mat34(&matrix, &trs))
            gltf_warn(load, "matrix", SNI_WARN_GLTF_NODE, offset, "not a product of translation, rotation and scale");
    }
    if (node->mesh < 0 && node->skin >= 0) gltf_warn(load, "skin", SNI_WARN_GLTF_NODE, offset, "without a mesh");
    if (node->mesh < 0 && node->weights.count > 0)
        gltf_warn(load, "weights", SNI_WARN_GLTF_NODE, offset, "without a mesh");
    for (uint32_t i = 0; i < node->children.count && i < 64; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (node->children.items[i] == node->children.items[j])
                gltf_warn(load, "children", SNI_WARN_GLTF_NODE, offset, "a duplicate child");
        }
    }
}

// The parent of each node, the first that lists it; -1 at a root.
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

static void lint_skin(sni_load *load, const gltf_skin *skin, const int32_t *parents)
{
    uint64_t offset = skin->object.offset;
    uint32_t budget = 1 << 20;  // steps up the tree: ends loops and long walks
    int32_t root = -1;
    bool has_root = false, has_many_roots = false, is_off_skeleton = false;
    if (skin->joints.count == 0) gltf_warn(load, "joints", SNI_WARN_JSON_MISSING, offset, "missing or empty");
    for (uint32_t i = 0; i < skin->joints.count && budget > 0; i++) {
        bool passes_skeleton = false;
        int32_t above = -1;
        if (skin->joints.items[i] < 0) continue;
        for (int32_t at = skin->joints.items[i]; at >= 0 && budget > 0; at = parents[at], budget--) {
            passes_skeleton = passes_skeleton || at == skin->skeleton;
            above = at;
        }
        has_many_roots = has_many_roots || (has_root && above != root);
        is_off_skeleton = is_off_skeleton || !passes_skeleton;
        has_root = true;
        root = above;
    }
    if (budget == 0) return;
    if (has_many_roots) gltf_warn(load, "joints", SNI_WARN_GLTF_SKIN, offset, "no common root");
    if (skin->skeleton >= 0 && is_off_skeleton)
        gltf_warn(load, "skeleton", SNI_WARN_GLTF_SKIN, offset, "not an ancestor of all joints");
}

static void lint_skins(sni_load *load, const gltf_doc *doc)
{
    int32_t *parents = find_parents(load, doc);
    for (uint32_t i = 0; parents && i < doc->skin_count; i++) {
        sni_enter(&load->diag, "skins", i);
        lint_skin(load, &doc->skins[i], parents);
        sni_leave(&load->diag);
    }
}

// Meshes and animations.

static bool is_known_attribute(const char *name, bool is_target)
{
    static const char *const plain[] = { "POSITION", "NORMAL", "TANGENT" };
    static const char *const numbered[] = { "TEXCOORD_", "COLOR_", "JOINTS_", "WEIGHTS_" };
    if (name[0] == '_') return true;
    for (int i = 0; i < 3; i++) {
        if (strcmp(name, plain[i]) == 0) return true;
    }
    for (int i = 0; i < (is_target ? 2 : 4); i++) {
        size_t size = strlen(numbered[i]);
        if (strncmp(name, numbered[i], size) != 0) continue;
        size_t digits = strspn(name + size, "0123456789");
        return digits > 0 && name[size + digits] == 0 && !(digits > 1 && name[size] == '0');
    }
    return false;
}

static void lint_attributes(sni_load *load, const gltf_doc *doc, const gltf_attributes *attributes, bool is_target)
{
    for (uint32_t i = 0; i < attributes->count; i++) {
        const char *name = attributes->items[i].name;
        int32_t index = attributes->items[i].accessor;
        if (!is_known_attribute(name, is_target))
            sni_warn(&load->diag, SNI_WARN_GLTF_ATTRIBUTE, 0, "%s is not an attribute of glTF", name);
        if (strcmp(name, "POSITION") != 0 || index < 0) continue;
        if (doc->accessors[index].min.count != 3 || doc->accessors[index].max.count != 3)
            gltf_warn(load, "POSITION", SNI_WARN_GLTF_BOUNDS, doc->accessors[index].object.offset,
                      "min and max are missing");
    }
}

static void lint_primitive(sni_load *load, const gltf_doc *doc, const gltf_mesh *mesh, const gltf_primitive *primitive)
{
    if (primitive->attributes.count == 0)
        gltf_warn(load, "attributes", SNI_WARN_JSON_MISSING, primitive->object.offset, "missing or empty");
    lint_attributes(load, doc, &primitive->attributes, false);
    for (uint32_t i = 0; i < primitive->target_count; i++) {
        sni_enter(&load->diag, "targets", i);
        lint_attributes(load, doc, &primitive->targets[i], true);
        sni_leave(&load->diag);
    }
    if (primitive->target_count != mesh->primitives[0].target_count)
        gltf_warn(load, "targets", SNI_WARN_MORPH_COUNT, primitive->object.offset,
                  "not as many as in the first primitive");
    if (primitive->indices < 0) return;
    const gltf_accessor *indices = &doc->accessors[primitive->indices];
    if (indices->type != GLTF_SCALAR || !gltf_is_unsigned(indices->component_type) || indices->is_normalized)
        gltf_warn(load, "indices", SNI_WARN_GLTF_ACCESSOR, indices->object.offset, "not plain unsigned integers");
    if (indices->view >= 0 && doc->views[indices->view].stride)
        gltf_warn(load, "indices", SNI_WARN_GLTF_VIEW, indices->object.offset, "indices have no stride");
}

static void lint_mesh(sni_load *load, const gltf_doc *doc, const gltf_mesh *mesh)
{
    if (mesh->primitive_count == 0)
        gltf_warn(load, "primitives", SNI_WARN_JSON_MISSING, mesh->object.offset, "missing or empty");
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        sni_enter(&load->diag, "primitives", i);
        lint_primitive(load, doc, mesh, &mesh->primitives[i]);
        sni_leave(&load->diag);
    }
    if (mesh->weights.count > 0 && mesh->primitive_count > 0 && mesh->weights.count != mesh->primitives[0].target_count)
        gltf_warn(load, "weights", SNI_WARN_MORPH_COUNT, mesh->object.offset, "not one for each morph target");
}

static void lint_animation(sni_load *load, const gltf_doc *doc, const gltf_animation *animation)
{
    for (uint32_t i = 0; i < animation->channel_count; i++) {
        const gltf_target *target = &animation->channels[i].target;
        uint64_t offset = animation->channels[i].object.offset;
        bool has_pointer = target->animation.pointer != NULL;
        sni_enter(&load->diag, "channels", i);
        if (target->node >= 0 && target->path != GLTF_WEIGHTS && doc->nodes[target->node].has_matrix)
            gltf_warn(load, "target", SNI_WARN_GLTF_ANIMATION, offset, "its node has a matrix");
        if (has_pointer && target->node >= 0)
            gltf_warn(load, "target", SNI_WARN_GLTF_ANIMATION, offset, "a node besides a pointer");
        if (has_pointer && target->path != GLTF_POINTER)
            gltf_warn(load, "target", SNI_WARN_GLTF_ANIMATION, offset, "a pointer, but another path");
        sni_leave(&load->diag);
    }
    for (uint32_t i = 0; i < animation->sampler_count; i++) {
        const gltf_sampler *sampler = &animation->samplers[i];
        if (sampler->input < 0) continue;
        const gltf_accessor *input = &doc->accessors[sampler->input];
        sni_enter(&load->diag, "samplers", i);
        if (input->min.count != 1 || input->max.count != 1)
            gltf_warn(load, "input", SNI_WARN_GLTF_BOUNDS, input->object.offset, "min and max are missing");
        else if (input->min.items[0] < 0.0f)
            gltf_warn(load, "input", SNI_WARN_GLTF_ANIMATION, input->object.offset, "negative times");
        sni_leave(&load->diag);
    }
}

// Cameras and lights.

static void lint_camera(sni_load *load, const gltf_doc *doc, const gltf_camera *camera)
{
    (void)doc;
    uint64_t offset = camera->object.offset;
    bool is_perspective = camera->type == GLTF_PERSPECTIVE, is_orthographic = camera->type == GLTF_ORTHOGRAPHIC;
    const gltf_lens *lens = is_perspective ? &camera->perspective : &camera->orthographic;
    if (!is_perspective && !is_orthographic)
        gltf_warn(load, "type", SNI_WARN_GLTF_CAMERA, offset, "missing or unknown");
    if (is_perspective && (!(lens->yfov > 0.0f) || lens->yfov >= 3.14159265f))
        gltf_warn(load, "yfov", SNI_WARN_GLTF_CAMERA, offset, "missing or out of range");
    if (is_perspective && !(lens->znear > 0.0f))
        gltf_warn(load, "znear", SNI_WARN_GLTF_CAMERA, offset, "missing or not positive");
    if (is_orthographic && (!(lens->xmag > 0.0f) || !(lens->ymag > 0.0f)))
        gltf_warn(load, "xmag", SNI_WARN_GLTF_CAMERA, offset, "missing or not positive");
    if ((is_orthographic || lens->zfar != 0.0f) && lens->zfar <= lens->znear)
        gltf_warn(load, "zfar", SNI_WARN_GLTF_CAMERA, offset, "missing or not beyond znear");
}

static void lint_factor(sni_load *load, uint64_t offset, float factor)
{
    if (factor >= 0.0f && factor <= 1.0f) return;
    sni_warn(&load->diag, SNI_WARN_VALUE_RANGE, offset, "a factor of %g, not 0 to 1", (double)factor);
}

static void lint_color(sni_load *load, uint64_t offset, float red, float green, float blue)
{
    lint_factor(load, offset, red);
    lint_factor(load, offset, green);
    lint_factor(load, offset, blue);
}

static void lint_light(sni_load *load, const gltf_doc *doc, const gltf_light *light)
{
    (void)doc;
    uint64_t offset = light->object.offset;
    const gltf_spot *spot = &light->spot;
    if (light->type == GLTF_NO_LIGHT_TYPE) gltf_warn(load, "type", SNI_WARN_JSON_MISSING, offset, "missing or unknown");
    if (light->type == GLTF_SPOT && !spot->object.is_given)
        gltf_warn(load, "spot", SNI_WARN_JSON_MISSING, offset, "missing");
    if (spot->object.is_given &&
        !(spot->inner_angle >= 0.0f && spot->inner_angle < spot->outer_angle && spot->outer_angle <= 1.57079637f))
        gltf_warn(load, "spot", SNI_WARN_VALUE_RANGE, offset, "not 0 <= inner < outer <= pi/2");
    if (light->intensity < 0.0f) gltf_warn(load, "intensity", SNI_WARN_VALUE_RANGE, offset, "negative");
    if (light->range < 0.0f) gltf_warn(load, "range", SNI_WARN_VALUE_RANGE, offset, "negative");
    sni_enter(&load->diag, "color", -1);
    lint_color(load, offset, light->color.x, light->color.y, light->color.z);
    sni_leave(&load->diag);
}

// Materials, textures, images.

static void lint_material(sni_load *load, const gltf_doc *doc, const gltf_material *material)
{
    (void)doc;
    uint64_t offset = material->object.offset;
    const gltf_gloss *gloss = &material->gloss;
    const sn_vec3 *emissive = &material->emissive;
    lint_color(load, offset, material->pbr.color.x, material->pbr.color.y, material->pbr.color.z);
    lint_factor(load, offset, material->pbr.color.w);
    lint_factor(load, offset, material->pbr.metallic);
    lint_factor(load, offset, material->pbr.roughness);
    lint_color(load, offset, emissive->x, emissive->y, emissive->z);
    lint_color(load, offset, gloss->diffuse.x, gloss->diffuse.y, gloss->diffuse.z);
    lint_factor(load, offset, gloss->diffuse.w);
    lint_color(load, offset, gloss->specular.x, gloss->specular.y, gloss->specular.z);
    lint_factor(load, offset, gloss->glossiness);
    if (material->has_cutoff && material->alpha_mode != GLTF_ALPHA_MASK)
        gltf_warn(load, "alphaCutoff", SNI_WARN_GLTF_MATERIAL, offset, "only with alphaMode MASK");
    if (material->emissive_strength.value == 1.0f) return;
    if (material->emissive_strength.value < 0.0f)
        gltf_warn(load, "emissiveStrength", SNI_WARN_VALUE_RANGE, offset, "negative");
    if (emissive->x == 0.0f && emissive->y == 0.0f && emissive->z == 0.0f)
        gltf_warn(load, "emissiveStrength", SNI_WARN_GLTF_MATERIAL, offset, "the emissive factor is zero");
}

// The declared type of an image: its mimeType, or that of its data URI. Empty: none.
static sni_str image_type(const gltf_image *image)
{
    if (image->mime_type) return sni_str_make(image->mime_type, strlen(image->mime_type));
    if (!image->uri || !gltf_is_data_uri(image->uri)) return sni_str_make("", 0);
    return sni_str_make(image->uri + 5, strcspn(image->uri + 5, ";,"));
}

static void lint_texture(sni_load *load, const gltf_doc *doc, const gltf_texture *texture)
{
    const struct {
        int32_t source;
        const char *type, *other;
    } images[] = {
        { texture->source, "image/png", "image/jpeg" },
        { texture->webp.source, "image/webp", NULL },
        { texture->basisu.source, "image/ktx2", NULL },
    };
    for (int i = 0; i < 3; i++) {
        if (images[i].source < 0) continue;
        sni_str type = image_type(&doc->images[images[i].source]);
        bool is_good = type.size == 0 || sni_str_is(type, images[i].type) ||
                       (images[i].other && sni_str_is(type, images[i].other));
        if (!is_good)
            gltf_warn(load, "source", SNI_WARN_IMAGE_TYPE, texture->object.offset,
                      "an image of a type that is not allowed here");
    }
}

static void lint_image(sni_load *load, const gltf_doc *doc, const gltf_image *image)
{
    uint64_t offset = image->object.offset;
    sni_str type = image_type(image);
    bool is_good = type.size == 0 || sni_str_is(type, "image/png") || sni_str_is(type, "image/jpeg") ||
                   (sni_str_is(type, "image/webp") && has_text(&doc->extensions_used, "EXT_texture_webp")) ||
                   (sni_str_is(type, "image/ktx2") && has_text(&doc->extensions_used, "KHR_texture_basisu"));
    if ((image->uri != NULL) == (image->view >= 0))
        gltf_warn(load, "uri", SNI_WARN_GLTF_MATERIAL, offset, "an image has either a uri or a bufferView");
    if (image->view >= 0 && !image->mime_type) gltf_warn(load, "mimeType", SNI_WARN_JSON_MISSING, offset, "missing");
    if (!is_good) gltf_warn(load, "mimeType", SNI_WARN_IMAGE_TYPE, offset, "neither PNG nor JPEG");
}

static void lint_texture_sampler(sni_load *load, const gltf_doc *doc, const gltf_texture_sampler *sampler)
{
    (void)doc;
    uint64_t offset = sampler->object.offset;
    const uint32_t wraps[2] = { sampler->wrap_s, sampler->wrap_t };
    for (int i = 0; i < 2; i++) {
        if (wraps[i] != GLTF_REPEAT && wraps[i] != GLTF_CLAMP && wraps[i] != GLTF_MIRROR)
            gltf_warn(load, i ? "wrapT" : "wrapS", SNI_WARN_GLTF_MATERIAL, offset, "an unknown wrap mode");
    }
    uint32_t mag = sampler->mag_filter, min = sampler->min_filter;
    if (mag && mag != GLTF_NEAREST && mag != GLTF_LINEAR)
        gltf_warn(load, "magFilter", SNI_WARN_GLTF_MATERIAL, offset, "an unknown filter");
    if (min && min != GLTF_NEAREST && min != GLTF_LINEAR &&
        (min < GLTF_NEAREST_MIP_NEAREST || min > GLTF_LINEAR_MIP_LINEAR))
        gltf_warn(load, "minFilter", SNI_WARN_GLTF_MATERIAL, offset, "an unknown filter");
}

void gltf_lint(sni_load *load, const gltf_doc *doc)
{
    lint_extensions(load, doc);
#define LINT_EACH(text, array, total, call)     \
    for (uint32_t i = 0; i < doc->total; i++) { \
        sni_enter(&load->diag, text, i);        \
        call(load, doc, &doc->array[i]);        \
        sni_leave(&load->diag);                 \
    }
    LINT_EACH("buffers", buffers, buffer_count, lint_buffer)
    LINT_EACH("nodes", nodes, node_count, lint_node)
    LINT_EACH("bufferViews", views, view_count, lint_view)
    LINT_EACH("meshes", meshes, mesh_count, lint_mesh)
    LINT_EACH("animations", animations, animation_count, lint_animation)
    LINT_EACH("accessors", accessors, accessor_count, lint_accessor)
    lint_skins(load, doc);
    LINT_EACH("cameras", cameras, camera_count, lint_camera)
    LINT_EACH("materials", materials, material_count, lint_material)
    LINT_EACH("images", images, image_count, lint_image)
    LINT_EACH("samplers", samplers, sampler_count, lint_texture_sampler)
    LINT_EACH("textures", textures, texture_count, lint_texture)
    LINT_EACH("extensions/KHR_lights_punctual/lights", lights.items, lights.count, lint_light)
#undef LINT_EACH
}
