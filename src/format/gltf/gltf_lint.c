// Rules of the format that do no harm when broken: extensions, buffers, views, nodes, meshes, animations.
#include <string.h>

#include "format/gltf/gltf_doc.h"
#include "model/trs.h"

bool gltf_lists(const gltf_texts *list, const char *name)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i], name) == 0) return true;
    }
    return false;
}

static bool has_twins(const gltf_texts *list)
{
    for (uint32_t i = 1; i < list->count && i < 1000; i++) {
        const gltf_texts before = { list->items, i };
        if (gltf_lists(&before, list->items[i])) return true;
    }
    return false;
}

void gltf_warn(sni_load *load, const char *property, int32_t code, uint64_t offset, const char *message)
{
    sni_enter(&load->diag, property, -1);
    sni_warn(&load->diag, code, offset, "%s", message);
    sni_leave(&load->diag);
}

static void lint_extensions(sni_load *load, const gltf_doc *doc)
{
    const char *quantization = "KHR_mesh_quantization";
    for (uint32_t i = 0; i < doc->extensions_found.count; i++) {
        const char *name = doc->extensions_found.items[i];
        if (!gltf_lists(&doc->extensions_used, name))
            sni_warn(&load->diag, SNI_WARN_GLTF_UNDECLARED, 0, "%s is not in extensionsUsed", name);
        if (strcmp(name, quantization) == 0)
            sni_warn(&load->diag, SNI_WARN_GLTF_EXTENSION, 0, "%s has no object of its own", name);
    }
    if (has_twins(&doc->extensions_used)) gltf_warn(load, "extensionsUsed", SNI_WARN_GLTF_EXTENSION, 0, "a name twice");
    if (has_twins(&doc->extensions_required))
        gltf_warn(load, "extensionsRequired", SNI_WARN_GLTF_EXTENSION, 0, "a name twice");
    for (uint32_t i = 0; i < doc->extensions_required.count; i++) {
        const char *name = doc->extensions_required.items[i];
        if (!gltf_lists(&doc->extensions_used, name))
            gltf_warn(load, "extensionsRequired", SNI_WARN_GLTF_UNDECLARED, 0, "not all are in extensionsUsed");
    }
    if (gltf_lists(&doc->extensions_used, quantization) && !gltf_lists(&doc->extensions_required, quantization))
        gltf_warn(load, "extensionsUsed", SNI_WARN_GLTF_EXTENSION, 0, "KHR_mesh_quantization must be required too");
}

static void lint_data_uri(sni_load *load, const gltf_buffer *buffer)
{
    static const char *const mime_types[] = { "application/octet-stream", "application/gltf-buffer", NULL };
    const char *start = buffer->uri + 5, *end = strpbrk(start, ";,");
    sni_str mime_type = sni_str_make(start, end ? (size_t)(end - start) : strlen(start));
    bool is_usual = false;
    for (int i = 0; mime_types[i]; i++) is_usual = is_usual || sni_str_is_nocase(mime_type, mime_types[i]);
    if (!is_usual) gltf_warn(load, "uri", SNI_WARN_GLTF_URI, buffer->object.offset, "not the media type of a buffer");
    if (end && end[0] == ';' && end[1] == ';')
        gltf_warn(load, "uri", SNI_WARN_GLTF_URI, buffer->object.offset, "an empty parameter");
}

static void lint_buffers(sni_load *load, const gltf_doc *doc)
{
    for (uint32_t i = 0; i < doc->buffer_count; i++) {
        const gltf_buffer *buffer = &doc->buffers[i];
        sni_enter(&load->diag, "buffers", i);
        if (buffer->byte_length == 0)
            gltf_warn(load, "byteLength", SNI_WARN_JSON_MISSING, buffer->object.offset, "missing or zero");
        if (buffer->uri && sni_str_is_nocase(sni_str_make(buffer->uri, strnlen(buffer->uri, 5)), "data:"))
            lint_data_uri(load, buffer);
        sni_leave(&load->diag);
    }
}

static void lint_view(sni_load *load, const gltf_doc *doc, const gltf_view *view)
{
    uint64_t offset = view->object.offset;
    if (view->buffer < 0) gltf_warn(load, "buffer", SNI_WARN_JSON_MISSING, offset, "missing");
    if (view->byte_length == 0) gltf_warn(load, "byteLength", SNI_WARN_JSON_MISSING, offset, "missing or zero");
    if (view->buffer >= 0) {
        uint64_t size = doc->buffers[view->buffer].byte_length;
        if (view->byte_offset > size || view->byte_length > size - view->byte_offset)
            gltf_warn(load, "byteLength", SNI_WARN_GLTF_VIEW, offset, "past the end of the buffer");
    }
    if (view->target != 0 && view->target != GLTF_ARRAY_BUFFER && view->target != GLTF_ELEMENT_BUFFER)
        gltf_warn(load, "target", SNI_WARN_VALUE_RANGE, offset, "an unknown target");
    const gltf_meshopt *packed = &view->meshopt;
    if (packed->extension && view->byte_length != (uint64_t)packed->count * packed->stride)
        gltf_warn(load, "byteLength", SNI_WARN_GLTF_VIEW, offset, "not the size of what is packed in it");
    if (packed->extension && view->stride && view->stride != packed->stride)
        gltf_warn(load, "byteStride", SNI_WARN_GLTF_VIEW, offset, "not the stride of what is packed in it");
    if (view->stride == 0) return;
    if (view->stride < 4 || view->stride > 252 || view->stride % 4)
        gltf_warn(load, "byteStride", SNI_WARN_GLTF_VIEW, offset, "not a multiple of 4 from 4 to 252");
    if (view->target == GLTF_ELEMENT_BUFFER)
        gltf_warn(load, "byteStride", SNI_WARN_GLTF_VIEW, offset, "indices have no stride");
    if (view->stride > view->byte_length)
        gltf_warn(load, "byteStride", SNI_WARN_GLTF_VIEW, offset, "longer than the view");
}

static void lint_node(sni_load *load, const gltf_node *node)
{
    uint64_t offset = node->object.offset;
    if (node->has_matrix && node->has_trs)
        gltf_warn(load, "matrix", SNI_WARN_GLTF_NODE, offset,
                  "besides translation, rotation or scale; the matrix wins");
    if (node->has_matrix) {
        sn_mat34 matrix = sni_mat34_from_columns(node->matrix);
        sn_trs trs;
        bool is_affine = node->matrix[3] == 0 && node->matrix[7] == 0 && node->matrix[11] == 0 && node->matrix[15] == 1;
        if (!is_affine || !sni_trs_from_mat34(&matrix, &trs))
            gltf_warn(load, "matrix", SNI_WARN_GLTF_NODE, offset, "not a product of translation, rotation and scale");
    }
    if (node->mesh < 0 && node->skin >= 0) gltf_warn(load, "skin", SNI_WARN_GLTF_NODE, offset, "without a mesh");
    if (node->mesh < 0 && node->weights.count > 0)
        gltf_warn(load, "weights", SNI_WARN_GLTF_NODE, offset, "without a mesh");
    for (uint32_t i = 0; i < node->children.count && i < 4096; i++) {
        for (uint32_t j = 0; j < i && i < 64; j++) {
            if (node->children.items[i] == node->children.items[j])
                gltf_warn(load, "children", SNI_WARN_GLTF_NODE, offset, "the same child twice");
        }
    }
}

static bool is_known_attribute(const char *name, bool is_target)
{
    static const char *const plain[] = { "POSITION", "NORMAL", "TANGENT", NULL };
    static const char *const numbered[] = { "TEXCOORD_", "COLOR_", "JOINTS_", "WEIGHTS_", NULL };
    if (name[0] == '_') return true;
    for (int i = 0; plain[i]; i++) {
        if (strcmp(name, plain[i]) == 0) return true;
    }
    for (int i = 0; numbered[i] && !(is_target && i >= 2); i++) {
        size_t size = strlen(numbered[i]),
               digits = strspn(name + (strncmp(name, numbered[i], size) == 0 ? size : 0), "0123456789");
        if (strncmp(name, numbered[i], size) != 0) continue;
        return digits > 0 && name[size + digits] == 0 && !(digits > 1 && name[size] == '0');
    }
    return false;
}

static void lint_position(sni_load *load, const gltf_doc *doc, int32_t accessor)
{
    if (accessor < 0 || (doc->accessors[accessor].min.count == 3 && doc->accessors[accessor].max.count == 3)) return;
    gltf_warn(load, "POSITION", SNI_WARN_GLTF_BOUNDS, doc->accessors[accessor].object.offset,
              "min and max are missing");
}

static void lint_attributes(sni_load *load, const gltf_doc *doc, const gltf_attributes *attributes, bool is_target)
{
    for (uint32_t i = 0; i < attributes->count; i++) {
        const gltf_attribute *attribute = &attributes->items[i];
        if (!is_known_attribute(attribute->name, is_target))
            sni_warn(&load->diag, SNI_WARN_GLTF_ATTRIBUTE, 0, "%s is no attribute of glTF", attribute->name);
        if (strcmp(attribute->name, "POSITION") == 0) lint_position(load, doc, attribute->accessor);
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
                  "not as many as the first primitive has");
    if (primitive->indices >= 0) {
        const gltf_accessor *indices = &doc->accessors[primitive->indices];
        bool is_unsigned = indices->component_type == GLTF_U8 || indices->component_type == GLTF_U16 ||
                           indices->component_type == GLTF_U32;
        if (indices->type != GLTF_SCALAR || !is_unsigned || indices->is_normalized)
            gltf_warn(load, "indices", SNI_WARN_GLTF_ACCESSOR, indices->object.offset, "not plain unsigned numbers");
        if (indices->view >= 0 && doc->views[indices->view].stride)
            gltf_warn(load, "indices", SNI_WARN_GLTF_VIEW, indices->object.offset, "indices have no stride");
    }
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
        const gltf_channel *channel = &animation->channels[i];
        sni_enter(&load->diag, "channels", i);
        if (channel->node >= 0 && channel->path != GLTF_WEIGHTS && doc->nodes[channel->node].has_matrix)
            gltf_warn(load, "target", SNI_WARN_GLTF_ANIMATION, channel->object.offset, "its node has a matrix");
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

void gltf_lint(sni_load *load, const gltf_doc *doc)
{
    sni_diag *diag = &load->diag;
    lint_extensions(load, doc);
    lint_buffers(load, doc);
#define GLTF_EACH(text, array, total, call)     \
    for (uint32_t i = 0; i < doc->total; i++) { \
        sni_enter(diag, text, i);               \
        call(load, doc, &doc->array[i]);        \
        sni_leave(diag);                        \
    }
    for (uint32_t i = 0; i < doc->node_count; i++) {
        sni_enter(diag, "nodes", i);
        lint_node(load, &doc->nodes[i]);
        sni_leave(diag);
    }
    GLTF_EACH("bufferViews", views, view_count, lint_view)
    GLTF_EACH("meshes", meshes, mesh_count, lint_mesh)
    GLTF_EACH("animations", animations, animation_count, lint_animation)
#undef GLTF_EACH
    gltf_lint_accessors(load, doc);
    gltf_lint_skins(load, doc);
    gltf_lint_looks(load, doc);
    gltf_lint_extensions(load, doc);
}
