// Geosets and materials, written as MDL.
#include "format/mdx/mdx_mdl_out.h"

static uint32_t load_type(const mdx_mdl_out *out, mdx_array types, uint32_t i)
{
    return mdx_is_alpha(out->doc) ? types.data[i] : sni_load_u32(types.data + 4 * (size_t)i);
}

static void hide_numbers(mdx_mdl_out *out, const char *word, mdx_array array, mdx_mdl_scalar scalar)
{
    sni_writer *before = mdx_mdl_begin_hidden(out);
    mdx_mdl_put_numbers(out, word, array, scalar);
    mdx_mdl_end_hidden(out, before);
}

// MDL has one group of triangles; other programs must not see more.
static void put_faces(mdx_mdl_out *out, const mdx_geoset *geoset)
{
    enum { TRIANGLES = 4 };
    mdx_array types = geoset->face_types, counts = geoset->face_counts;
    if (types.count == 0 && counts.count == 0 && geoset->faces.count == 0) return;
    mdx_mdl_begin_line(out);
    mdx_mdl_put(out, "Faces 1 ");
    mdx_mdl_put_unsigned(out, geoset->faces.count);
    mdx_mdl_put(out, " {\n");
    out->depth++;
    mdx_mdl_open(out, "Triangles", NULL, -1);
    mdx_mdl_begin_line(out);
    mdx_mdl_put_numbers(out, "", geoset->faces, MDX_MDL_U16);
    mdx_mdl_end_line(out);
    mdx_mdl_close(out);
    mdx_mdl_close(out);
    if (types.count != 1 || load_type(out, types, 0) != TRIANGLES)
        hide_numbers(out, "FaceTypes ", types, mdx_is_alpha(out->doc) ? MDX_MDL_U8 : MDX_MDL_U32);
    if (counts.count != 1 || sni_load_u32(counts.data) != geoset->faces.count)
        hide_numbers(out, "FaceCounts ", counts, MDX_MDL_U32);
}

static void put_vertex_groups(mdx_mdl_out *out, const mdx_geoset *geoset)
{
    if (geoset->groups.count == 0) return;
    mdx_mdl_open(out, "VertexGroup", NULL, -1);
    for (uint32_t i = 0; i < geoset->groups.count; i++) {
        mdx_mdl_begin_line(out);
        mdx_mdl_put_unsigned(out, geoset->groups.data[i]);
        mdx_mdl_end_line(out);
    }
    mdx_mdl_close(out);
}

// Sizes that do not add up to the list of nodes are told in full.
static void put_groups(mdx_mdl_out *out, const mdx_geoset *geoset)
{
    mdx_array sizes = geoset->group_sizes, nodes = geoset->matrices;
    uint32_t at = 0;
    bool is_sound = true;
    if (sizes.count == 0 && nodes.count == 0) return;
    mdx_mdl_begin_line(out);
    mdx_mdl_put(out, "Groups ");
    mdx_mdl_put_unsigned(out, sizes.count);
    mdx_mdl_put(out, " ");
    mdx_mdl_put_unsigned(out, nodes.count);
    mdx_mdl_put(out, " {\n");
    out->depth++;
    for (uint32_t i = 0; i < sizes.count; i++) {
        uint32_t wanted = sni_load_u32(sizes.data + 4 * (size_t)i),
                 count = wanted <= nodes.count - at ? wanted : nodes.count - at;
        is_sound = is_sound && count == wanted;
        mdx_mdl_begin_line(out);
        mdx_mdl_put_numbers(out, "Matrices ", (mdx_array){ count > 0 ? nodes.data + 4 * (size_t)at : NULL, count },
                            MDX_MDL_U32);
        mdx_mdl_end_line(out);
        at += count;
    }
    mdx_mdl_close(out);
    if (is_sound && at == nodes.count) return;
    hide_numbers(out, "GroupSizes ", sizes, MDX_MDL_U32);
    hide_numbers(out, "MatrixList ", nodes, MDX_MDL_U32);
}

static void put_skin(mdx_mdl_out *out, const mdx_geoset *geoset)
{
    enum { VERTEX_BYTES = 8 };
    uint32_t vertices = geoset->skin.count / VERTEX_BYTES;
    if (!geoset->skin.data) return;
    mdx_mdl_open(out, "SkinWeights", NULL, vertices);
    for (uint32_t i = 0; i < vertices; i++) {
        const uint8_t *at = geoset->skin.data + VERTEX_BYTES * (size_t)i;
        mdx_mdl_begin_line(out);
        for (uint32_t k = 0; k < VERTEX_BYTES; k++) {
            if (k > 0) mdx_mdl_put(out, ", ");
            mdx_mdl_put_unsigned(out, at[k]);
        }
        mdx_mdl_end_line(out);
    }
    mdx_mdl_close(out);
}

static void put_sequence_extents(mdx_mdl_out *out, const mdx_geoset *geoset)
{
    for (uint32_t i = 0; i < geoset->extents.count; i++) {
        const uint8_t *at = geoset->extents.data + mdx_type_bytes(MDX_EXTENT, out->doc->version) * i;
        mdx_extent extent = { .radius = sni_load_f32(at) };
        for (int k = 0; k < 3; k++)
            extent.min[k] = sni_load_f32(at + 4 + 4 * k), extent.max[k] = sni_load_f32(at + 16 + 4 * k);
        mdx_mdl_open(out, "Anim", NULL, -1);
        mdx_mdl_put_extent(out, &extent);
        mdx_mdl_close(out);
    }
}

void mdx_mdl_put_geoset(mdx_mdl_out *out, const mdx_geoset *geoset)
{
    mdx_mdl_put_records(out, "Vertices", geoset->positions, 3);
    mdx_mdl_put_records(out, "Normals", geoset->normals, 3);
    for (uint32_t i = 0; i < geoset->uv_count; i++) mdx_mdl_put_records(out, "TVertices", geoset->uvs[i], 2);
    if (geoset->tangents.data) mdx_mdl_put_records(out, "Tangents", geoset->tangents, 4);
    put_vertex_groups(out, geoset);
    put_skin(out, geoset);
    put_faces(out, geoset);
    put_groups(out, geoset);
    if (geoset->bone_indices.count > 0) hide_numbers(out, "BoneIndices ", geoset->bone_indices, MDX_MDL_U32);
    if (geoset->bone_weights.count > 0) hide_numbers(out, "BoneWeights ", geoset->bone_weights, MDX_MDL_U32);
    mdx_mdl_put_extent(out, &geoset->extent);
    put_sequence_extents(out, geoset);
    for (const mdx_field *field = mdx_geoset_fields; field->count; field++)
        if (field->word && mdx_has_field(field, out->doc->version))
            mdx_mdl_put_still(out, field, geoset, (mdx_tracks){ NULL, 0 }, field->type != MDX_NAME);
    mdx_mdl_put_words(out, out->kind->tag, geoset, 0);
}

static void put_slot(mdx_mdl_out *out, const mdx_layer *layer, uint32_t i)
{
    const mdx_texture_slot *slot = &layer->slots[i];
    for (uint32_t k = 0; k < slot->tracks.count; k++) mdx_mdl_put_track(out, &slot->tracks.items[k]);
    if (slot->tracks.count > 0) {
        if (slot->slot != i) mdx_mdl_hide_number(out, "Slot", slot->slot);
        if (slot->texture != 0) mdx_mdl_hide_number(out, "SlotTexture", slot->texture);
        return;
    }
    mdx_mdl_begin_line(out);
    mdx_mdl_put(out, "static TextureID ");
    mdx_mdl_put_unsigned(out, slot->texture);
    if (layer->slot_count > 1 || slot->slot != 0) mdx_mdl_put(out, " <= "), mdx_mdl_put_unsigned(out, slot->slot);
    mdx_mdl_end_line(out);
}

static void put_slots(mdx_mdl_out *out, const mdx_layer *layer)
{
    if (layer->shader_type == 1) {
        mdx_mdl_begin_line(out);
        mdx_mdl_put(out, "Shader \"Shader_HD_DefaultUnit\"");
        mdx_mdl_end_line(out);
    } else if (layer->shader_type > 1) {
        mdx_mdl_hide_number(out, "ShaderType", layer->shader_type);
    }
    for (uint32_t i = 0; i < layer->slot_count; i++) put_slot(out, layer, i);
    if (layer->texture != 0) mdx_mdl_hide_number(out, "Texture", (uint32_t)layer->texture);
}

static void put_layer(mdx_mdl_out *out, const mdx_layer *layer)
{
    bool has_slots = out->doc->version >= 1100 && !mdx_is_alpha(out->doc);
    mdx_mdl_open(out, "Layer", NULL, -1);
    out->is_inline = true;
    mdx_mdl_put_words(out, MDX_MDL_LAYER, layer, 0);
    if (has_slots) put_slots(out, layer);
    if (layer->is_short) mdx_mdl_hide_number(out, "Short", 1);
    for (const mdx_field *field = mdx_layer_fields; field->count; field++) {
        bool is_texture = field->offset == offsetof(mdx_layer, texture);
        bool is_cut = layer->is_short && field->offset >= offsetof(mdx_layer, fresnel_color);
        if (!field->word || !mdx_has_field(field, out->doc->version) || (is_texture && has_slots) || is_cut) continue;
        mdx_mdl_put_still(out, field, layer, layer->item.tracks, is_texture);
    }
    for (uint32_t i = 0; i < layer->item.tracks.count; i++) mdx_mdl_put_track(out, &layer->item.tracks.items[i]);
    out->is_inline = false;
    mdx_mdl_close(out);
}

void mdx_mdl_put_material(mdx_mdl_out *out, const mdx_material *material)
{
    mdx_mdl_put_words(out, out->kind->tag, material, 0);
    for (const mdx_field *field = mdx_mdl_fields_of(out->kind, out->doc->version); field->count; field++)
        if (field->word && mdx_has_field(field, out->doc->version))
            mdx_mdl_put_still(out, field, material, (mdx_tracks){ NULL, 0 }, false);
    for (uint32_t i = 0; i < material->layer_count; i++) put_layer(out, &material->layers[i]);
}
