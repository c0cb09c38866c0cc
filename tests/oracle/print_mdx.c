// Prints the document of MDX and MDL files for the judges: as JSON, one line for each file, or as MDL.
//
//     print_mdx [--mdl] FILE...
//
// It walks the tables of the format and knows nothing of models. Colours stand as the binary form has them.
#include "base/json.h"
#include "format/mdx/mdx_mdl.h"

#include <stdio.h>
#include <string.h>

typedef struct printer {
    sni_json_writer *json;
    mdx_doc *doc;
    sni_arena *arena;
} printer;

static void put_text(const printer *p, sni_str text)
{
    size_t size = 0;
    while (size < text.size && text.at[size]) size++;
    sni_json_put_text(p->json, sni_text_clean(p->arena, sni_str_make(text.at, size), NULL));
}

static void put_floats(const printer *p, const uint8_t *at, uint32_t count)
{
    sni_json_begin_flat_array(p->json);
    for (uint32_t i = 0; i < count; i++) sni_json_put_float(p->json, sni_load_f32(at + 4 * (size_t)i));
    sni_json_end(p->json);
}

static void put_numbers(const printer *p, const char *key, mdx_array array, uint32_t bytes)
{
    sni_json_key(p->json, key);
    sni_json_begin_flat_array(p->json);
    for (uint32_t i = 0; i < array.count; i++) {
        const uint8_t *at = array.data + (size_t)bytes * i;
        sni_json_put_integer(p->json, bytes == 1 ? at[0] : bytes == 2 ? sni_load_u16(at) : sni_load_u32(at));
    }
    sni_json_end(p->json);
}

static void put_records(const printer *p, const char *key, mdx_array array, uint32_t width)
{
    sni_json_key(p->json, key);
    put_floats(p, array.data, array.count * width);
}

static void put_value(const printer *p, mdx_type type, const void *at)
{
    const float *f = at;
    uint8_t bytes[28];
    switch (type) {
    case MDX_U8: sni_json_put_integer(p->json, *(const uint8_t *)at); break;
    case MDX_U32: sni_json_put_integer(p->json, *(const uint32_t *)at); break;
    case MDX_I32: sni_json_put_integer(p->json, *(const int32_t *)at); break;
    case MDX_F32: sni_json_put_float(p->json, *f); break;
    case MDX_VEC3:
    case MDX_COLOR:
    case MDX_EXTENT:
        for (int i = 0; i < (type == MDX_EXTENT ? 7 : 3); i++) sni_store_f32(bytes + 4 * i, f[i]);
        put_floats(p, bytes, type == MDX_EXTENT ? 7 : 3);
        break;
    case MDX_NAME:
    case MDX_PATH: put_text(p, *(const sni_str *)at); break;
    case MDX_QUAT: break;
    }
}

static size_t struct_bytes(mdx_type type)
{
    return type == MDX_NAME || type == MDX_PATH ? sizeof(sni_str) : mdx_type_bytes(type, 0);
}

static void put_fields(const printer *p, const mdx_field *fields, const void *element)
{
    for (const mdx_field *field = fields; field->count; field++) {
        if (!mdx_has_field(field, p->doc->version)) continue;
        const char *key = field->mdl_name             ? field->mdl_name
                          : field->type == MDX_EXTENT ? "Extent"
                          : field->type == MDX_NAME   ? "Name"
                                                      : NULL;
        if (!key) continue;
        sni_json_key(p->json, key);
        if (field->count > 1) sni_json_begin_flat_array(p->json);
        for (uint32_t i = 0; i < field->count; i++)
            put_value(p, field->type, (const char *)element + field->offset + i * struct_bytes(field->type));
        if (field->count > 1) sni_json_end(p->json);
    }
}

static void put_words(const printer *p, uint32_t tag, const void *element)
{
    for (const mdx_mdl_keyword_field *field = mdx_mdl_keyword_fields(tag); field->raw_name; field++) {
        if (!mdx_mdl_has_keyword_field(field, p->doc->version)) continue;
        sni_json_key(p->json, field->raw_name);
        sni_json_put_integer(p->json, *(const uint32_t *)(const void *)((const char *)element + field->offset));
    }
}

static void put_key_value(const printer *p, mdx_type type, const uint8_t *at)
{
    uint8_t bytes[16];
    if (type == MDX_U32) {
        sni_json_begin_flat_array(p->json);
        sni_json_put_integer(p->json, sni_load_u32(at));
        sni_json_end(p->json);
    } else if (type == MDX_QUAT && mdx_is_wow(p->doc)) {
        sn_quat q = mdx_unpack_quat(at);
        sni_store_f32(bytes, q.x), sni_store_f32(bytes + 4, q.y), sni_store_f32(bytes + 8, q.z),
            sni_store_f32(bytes + 12, q.w);
        put_floats(p, bytes, 4);
    } else {
        put_floats(p, at, type == MDX_F32 ? 1 : type == MDX_QUAT ? 4 : 3);
    }
}

static void put_tracks(const printer *p, mdx_tracks tracks)
{
    for (uint32_t i = 0; i < tracks.count; i++) {
        const mdx_track *track = &tracks.items[i];
        size_t value = mdx_type_bytes(track->kind->type, p->doc->version),
               bytes = mdx_key_bytes(track, p->doc->version);
        char tag[5] = { 0 };
        for (int k = 0; k < 4; k++) tag[k] = (char)(track->kind->tag >> 8 * k);
        sni_json_key(p->json, tag);
        sni_json_begin_object(p->json);
        sni_json_key(p->json, "line"), sni_json_put_integer(p->json, track->interpolation);
        sni_json_key(p->json, "global"), sni_json_put_integer(p->json, track->global_sequence);
        sni_json_key(p->json, "keys"), sni_json_begin_array(p->json);
        for (uint32_t k = 0; k < track->keys.count; k++) {
            const uint8_t *key = track->keys.data + bytes * k;
            sni_json_begin_flat_array(p->json);
            sni_json_put_integer(p->json, (int32_t)sni_load_u32(key));
            for (size_t at = 4; at < bytes; at += value) put_key_value(p, track->kind->type, key + at);
            sni_json_end(p->json);
        }
        sni_json_end(p->json), sni_json_end(p->json);
    }
}

static void put_geoset(const printer *p, const mdx_geoset *g)
{
    put_records(p, "Vertices", g->positions, 3);
    put_records(p, "Normals", g->normals, 3);
    put_numbers(p, "FaceTypes", g->face_types, mdx_is_wow(p->doc) ? 1 : 4);
    put_numbers(p, "FaceCounts", g->face_counts, 4);
    put_numbers(p, "Faces", g->faces, 2);
    put_numbers(p, "VertexGroup", g->groups, 1);
    put_numbers(p, "GroupSizes", g->group_sizes, 4);
    put_numbers(p, "Matrices", g->matrices, 4);
    put_records(p, "Tangents", g->tangents, 4);
    put_numbers(p, "SkinWeights", g->skin, 1);
    put_records(p, "Extents", g->extents, 7);
    sni_json_key(p->json, "TVertices"), sni_json_begin_array(p->json);
    for (uint32_t i = 0; i < g->uv_count; i++) put_floats(p, g->uvs[i].data, 2 * g->uvs[i].count);
    sni_json_end(p->json);
}

static void put_layers(const printer *p, const mdx_material *material)
{
    sni_json_key(p->json, "Layers"), sni_json_begin_array(p->json);
    for (uint32_t i = 0; i < material->layer_count; i++) {
        const mdx_layer *layer = &material->layers[i];
        sni_json_begin_object(p->json);
        put_fields(p, mdx_layer_fields, layer);
        put_words(p, MDX_LAYS, layer);
        sni_json_key(p->json, "ShaderType"), sni_json_put_integer(p->json, layer->shader_type);
        sni_json_key(p->json, "Slots"), sni_json_begin_array(p->json);
        for (uint32_t k = 0; k < layer->slot_count; k++) {
            sni_json_begin_object(p->json);
            sni_json_key(p->json, "texture"), sni_json_put_integer(p->json, layer->slots[k].texture);
            sni_json_key(p->json, "slot"), sni_json_put_integer(p->json, layer->slots[k].slot);
            put_tracks(p, layer->slots[k].tracks);
            sni_json_end(p->json);
        }
        sni_json_end(p->json);
        put_tracks(p, layer->item.tracks);
        sni_json_end(p->json);
    }
    sni_json_end(p->json);
}

static void put_special(const printer *p, const mdx_kind *kind, const void *element)
{
    const mdx_sequence *sequence = element;
    const mdx_event *event = element;
    const mdx_camera *camera = element;
    switch (kind->tag) {
    case MDX_SEQS:
        sni_json_key(p->json, "Start"), sni_json_put_integer(p->json, sequence->start);
        sni_json_key(p->json, "End"), sni_json_put_integer(p->json, sequence->end);
        break;
    case MDX_MTLS: put_layers(p, element); break;
    case MDX_GEOS: put_geoset(p, element); break;
    case MDX_EVTS:
        sni_json_key(p->json, "GlobalSeqId"), sni_json_put_integer(p->json, event->global_sequence);
        put_numbers(p, "EventTrack", event->times, 4);
        break;
    case MDX_CLID:
    case MDX_HTST: put_records(p, "Values", ((const mdx_shape *)element)->values, 1); break;
    case MDX_CAMS:
        sni_json_key(p->json, "Target");
        put_value(p, MDX_VEC3, &camera->target);
        break;
    default: break;
    }
}

static void put_element(const printer *p, const mdx_kind *kind, const void *element)
{
    const mdx_node *node = kind->is_node ? &((const mdx_object *)element)->node : NULL;
    sni_json_begin_object(p->json);
    if (node) {
        sni_json_key(p->json, "Name"), put_text(p, node->name);
        sni_json_key(p->json, "ObjectId"), sni_json_put_integer(p->json, node->id);
        sni_json_key(p->json, "Parent"), sni_json_put_integer(p->json, node->parent);
        put_tracks(p, node->tracks);
    }
    put_fields(p, mdx_fields_of(kind, p->doc->version), element);
    put_words(p, kind->tag, element);
    put_special(p, kind, element);
    put_tracks(p, ((const mdx_item *)element)->tracks);
    sni_json_end(p->json);
}

static void put_document(const printer *p)
{
    sni_json_begin_object(p->json);
    sni_json_key(p->json, "Version"), sni_json_put_integer(p->json, p->doc->version);
    sni_json_key(p->json, "Model"), sni_json_begin_object(p->json);
    put_fields(p, mdx_model_fields, &p->doc->model);
    sni_json_end(p->json);
    for (const mdx_kind *kind = mdx_kinds; kind->tag; kind++) {
        const mdx_list *list = mdx_list_of(p->doc, kind);
        sni_json_key(p->json, kind->mdl_name), sni_json_begin_array(p->json);
        for (uint32_t i = 0; i < list->count; i++)
            put_element(p, kind, (const char *)list->items + i * kind->item_bytes);
        sni_json_end(p->json);
    }
    put_numbers(p, "GlobalSequences", p->doc->global_sequences, 4);
    put_records(p, "PivotPoints", p->doc->pivots, 3);
    put_records(p, "BindPose", p->doc->bind_pose, 12);
    sni_json_end(p->json);
}

static void print_file(const char *path, bool as_text)
{
    sni_heap heap;
    sni_load load;
    sni_bytes bytes;
    sni_writer text;
    mdx_doc doc = { 0 };
    sni_heap_init(&heap, NULL, UINT64_MAX);
    sni_load_init(&load, &heap, NULL);
    heap.limit = UINT64_MAX;
    sni_writer_init(&text, &heap);
    sni_json_writer json = sni_json_writer_make(&text, false);
    printer p = { &json, &doc, &load.scratch };
    bool is_read = sni_load_path(&load, path, &bytes);
    bool is_binary = is_read && bytes.size >= 4 && sni_load_u32(bytes.data) == MDX_MDLX;
    if (is_read && (is_binary ? mdx_parse : mdx_mdl_parse)(&load, bytes, &doc)) {
        if (as_text) mdx_mdl_write(&doc, &text);
        else put_document(&p);
    } else {
        sni_json_begin_object(&json);
        sni_json_key(&json, "error"), sni_json_put_text(&json, load.diag.error.message);
        sni_json_end(&json);
    }
    fwrite(text.data, 1, text.size, stdout);
    if (!as_text) putchar('\n');
    sni_writer_free(&text);
    sni_arena_free(&load.scratch);
    sni_arena_free(&load.keep);
}

int main(int count, char **paths)
{
    bool as_text = count > 1 && strcmp(paths[1], "--mdl") == 0;
    for (int i = as_text ? 2 : 1; i < count; i++) print_file(paths[i], as_text);
    return 0;
}
