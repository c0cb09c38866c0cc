// Vertices interleaved for a vertex buffer, with strides and offsets of the caller's choice.
#include <string.h>

#include "convert/influences.h"

enum { MOST_INFLUENCES = 16 };

static uint32_t component_bytes(sn_component component)
{
    return component == SN_COMPONENT_F32 ? 4 : component == SN_COMPONENT_U16 ? 2 : 1;
}

// Components per vertex; 0: the attribute does not have this format.
static uint32_t component_count(const sn_vertex_attribute *attribute, uint32_t influences)
{
    bool is_float = attribute->component == SN_COMPONENT_F32, is_byte = attribute->component == SN_COMPONENT_U8;
    switch (attribute->attribute) {
    case SN_ATTRIBUTE_POSITION:
    case SN_ATTRIBUTE_NORMAL: return is_float ? 3 : 0;
    case SN_ATTRIBUTE_TANGENT: return is_float ? 4 : 0;
    case SN_ATTRIBUTE_UV: return is_float ? 2 : 0;
    case SN_ATTRIBUTE_COLOR: return is_float || is_byte ? 4 : 0;
    case SN_ATTRIBUTE_JOINTS: return is_byte || attribute->component == SN_COMPONENT_U16 ? influences : 0;
    case SN_ATTRIBUTE_WEIGHTS: return is_float || is_byte ? influences : 0;
    default: return 0;
    }
}

static bool check_layout(const sn_vertex_layout *layout, uint32_t influences, sni_diag *diag)
{
    if (influences > MOST_INFLUENCES)
        return sni_fail(diag, SN_ERR_INVALID, 0, "%u influences, the most are %d", influences, MOST_INFLUENCES);
    for (uint32_t i = 0; i < layout->attribute_count; i++) {
        const sn_vertex_attribute *at = &layout->attributes[i];
        uint32_t size = component_count(at, influences) * component_bytes(at->component);
        sni_enter(diag, "attributes", i);
        if (size == 0)
            return sni_fail(diag, SN_ERR_INVALID, 0, "attribute %u does not have format %u", (unsigned)at->attribute,
                            (unsigned)at->component);
        if (at->offset > layout->stride || size > layout->stride - at->offset)
            return sni_fail(diag, SN_ERR_INVALID, 0, "%u bytes at %u reach past the stride of %u", size, at->offset,
                            layout->stride);
        sni_leave(diag);
    }
    return true;
}

static uint8_t byte_of(float value) { return (uint8_t)(value > 0.0f ? value < 1.0f ? value * 255.0f + 0.5f : 255 : 0); }

static void pack_influences(const sn_vertex_attribute *at, const sni_influence *kept, uint32_t count, uint8_t *out)
{
    bool is_byte = at->component == SN_COMPONENT_U8;
    if (at->attribute == SN_ATTRIBUTE_JOINTS) {
        for (uint32_t i = 0; i < count; i++) {
            uint8_t joint = (uint8_t)kept[i].joint;
            if (is_byte) out[i] = joint;
            else memcpy(out + 2 * (size_t)i, &kept[i].joint, 2);
        }
        return;
    }
    int32_t left = 255;  // what rounding leaves goes to the heaviest
    for (uint32_t i = 0; i < count; i++) {
        if (is_byte) left -= out[i] = byte_of(kept[i].weight);
        else memcpy(out + 4 * (size_t)i, &kept[i].weight, 4);
    }
    if (is_byte) out[0] = (uint8_t)(out[0] + left);
}

static void pack_floats(const sn_mesh *mesh, const sn_vertex_attribute *at, uint32_t vertex, uint8_t *out)
{
    static const float up[3] = { 0, 0, 1 }, along[4] = { 1, 0, 0, 1 }, corner[2] = { 0, 0 }, white[4] = { 1, 1, 1, 1 };
    bool has_uv = at->set < mesh->uv_count && mesh->uvs[at->set];
    bool has_color = at->set < mesh->color_count && mesh->colors[at->set];
    const float *values;
    size_t count;
    switch (at->attribute) {
    case SN_ATTRIBUTE_POSITION: values = &mesh->positions[vertex].x, count = 3; break;
    case SN_ATTRIBUTE_NORMAL: values = mesh->normals ? &mesh->normals[vertex].x : up, count = 3; break;
    case SN_ATTRIBUTE_TANGENT: values = mesh->tangents ? &mesh->tangents[vertex].x : along, count = 4; break;
    case SN_ATTRIBUTE_UV: values = has_uv ? &mesh->uvs[at->set][vertex].x : corner, count = 2; break;
    default: values = has_color ? &mesh->colors[at->set][vertex].x : white, count = 4; break;
    }
    if (at->component == SN_COMPONENT_F32) memcpy(out, values, count * sizeof(float));
    else
        for (size_t i = 0; i < count; i++) out[i] = byte_of(values[i]);
}

static bool pack(const sn_mesh *mesh, const sn_vertex_layout *layout, uint8_t *out, sni_diag *diag)
{
    uint32_t influences = layout->influence_count ? layout->influence_count : 4;
    bool has_influences = false, has_bytes = false;
    if (!check_layout(layout, influences, diag)) return false;
    for (uint32_t i = 0; i < layout->attribute_count; i++) {
        const sn_vertex_attribute *at = &layout->attributes[i];
        has_influences = has_influences || at->attribute >= SN_ATTRIBUTE_JOINTS;
        has_bytes = has_bytes || (at->attribute == SN_ATTRIBUTE_JOINTS && at->component == SN_COMPONENT_U8);
    }
    for (uint32_t vertex = 0; vertex < mesh->vertex_count; vertex++, out += layout->stride) {
        sni_influence kept[MOST_INFLUENCES] = { { 0, 1.0f } };
        if (has_influences && mesh->influence_count > 0) {
            uint32_t count = sni_pick_influences(mesh, vertex, kept, influences);
            for (uint32_t i = 0; has_bytes && i < count; i++)
                if (kept[i].joint > UINT8_MAX)
                    return sni_fail(diag, SN_ERR_LIMIT, 0, "vertex %u: joint %u does not fit a byte", vertex,
                                    kept[i].joint);
        }
        for (uint32_t i = 0; i < layout->attribute_count; i++) {
            const sn_vertex_attribute *at = &layout->attributes[i];
            if (at->attribute >= SN_ATTRIBUTE_JOINTS) pack_influences(at, kept, influences, out + at->offset);
            else pack_floats(mesh, at, vertex, out + at->offset);
        }
    }
    return true;
}

sn_status sn_mesh_pack_vertices(const sn_mesh *mesh, const sn_vertex_layout *layout, void *out, sn_error *error)
{
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    diag.json_paths = true;
    pack(mesh, layout, out, &diag);
    if (error) *error = diag.error;
    return diag.error.status;
}
