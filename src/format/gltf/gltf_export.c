// The document as a whole, and which parts are shown together.
#include "format/gltf/gltf_export.h"

#include <string.h>

const char *gltf_name_or_null(const char *name) { return name && name[0] ? name : NULL; }

void gltf_use_extension(gltf_export *export, const char *name)
{
    const char **names = export->extensions.items;
    for (uint32_t i = 0; i < export->extensions.count; i++) {
        if (strcmp(names[i], name) == 0) return;
    }
    const char **item = sni_push(&export->save->scratch, &export->extensions, const char *);
    if (item) *item = name;
}

static bool has_weights_of(const gltf_export *export, const gltf_group *group, const sn_part *part)
{
    const float *a = export->model->parts[group->first_part].morph_weights, *b = part->morph_weights;
    for (uint32_t i = 0; a != b && i < group->morph_count; i++) {
        if ((a ? a[i] : 0.0f) != (b ? b[i] : 0.0f)) return false;
    }
    return true;
}

static int32_t find_group(const gltf_export *export, const sn_part *part, uint32_t morph_count)
{
    for (int32_t at = export->first_group[part->node]; at >= 0; at = export->groups[at].next) {
        const gltf_group *group = &export->groups[at];
        bool is_like = !group->is_switched && group->skin == part->skin && group->morph_count == morph_count;
        if (is_like && has_weights_of(export, group, part)) return at;
    }
    return -1;
}

bool gltf_is_shown(const gltf_export *export, const sn_part *part)
{
    const sn_mesh *mesh = &export->model->meshes[part->mesh];
    return part->lod <= 0 && mesh->vertex_count > 0 && mesh->index_count > 0;
}

bool gltf_is_kept_hidden(const gltf_export *export, const sn_part *part)
{
    return part->skin < 0 && export->clans.is_drawn_in[export->clans.root_of[part->node]];
}

// Groups in the order of their first part, so that reading it again gives the parts in nearly the same order.
bool gltf_export_groups(gltf_export *export)
{
    const sn_model *model = export->model;
    sni_arena *arena = &export->save->scratch;
    uint64_t left_out = 0;
    export->groups = sni_new(arena, gltf_group, model->part_count);
    export->next_part = sni_new_raw(arena, int32_t, model->part_count);
    export->group_of_part = sni_new_raw(arena, int32_t, model->part_count);
    export->first_group = sni_new_raw(arena, int32_t, model->node_count);
    if (!export->groups || !export->next_part || !export->first_group || !export->group_of_part) return false;
    for (uint32_t i = 0; i < model->node_count; i++) export->first_group[i] = -1;
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_part *part = &model->parts[i];
        uint32_t morph_count = model->meshes[part->mesh].morph_count;
        export->next_part[i] = export->group_of_part[i] = -1;
        left_out += part->lod > 0;
        if (!gltf_is_shown(export, part)) continue;
        int32_t at = export->has_switch[i] ? -1 : find_group(export, part, morph_count);
        if (at >= 0) {
            gltf_group *group = &export->groups[at];
            export->group_of_part[i] = at;
            export->next_part[group->last_part] = (int32_t)i;
            group->last_part = (int32_t)i;
            continue;
        }
        at = (int32_t) export->group_count++;
        export->group_of_part[i] = at;
        export->groups[at] = (gltf_group){ part->node, part->skin, morph_count,
                                           (int32_t)i, (int32_t)i, export->first_group[part->node],
                                           -1,         -1,         export->has_switch[i] };
        export->first_group[part->node] = at;
    }
    sni_enter(&export->save->diag, "parts", -1);
    sni_warn_many(&export->save->diag, SNI_WARN_LOST_CONTENT, left_out, 0, "parts of coarser levels of detail");
    sni_leave(&export->save->diag);
    return sni_save_ok(export->save);
}

static void note_track(gltf_export *export, const sn_track *track)
{
    bool is_switch = track->channel == SN_CHANNEL_VISIBILITY;
    if (track->target_kind == SN_TARGET_PART && is_switch) export->has_switch[track->target] = true;
    if (track->target_kind != SN_TARGET_NODE) return;
    if (is_switch) export->is_switched[track->target] = true;
    if (track->channel <= SN_CHANNEL_SCALE) export->is_animated[track->target] = true;
}

// Bottom up: a node is bent when a joint or a skinned part is found at it or below it.
static void find_bent(gltf_export *export)
{
    const sn_model *model = export->model;
    for (uint32_t i = 0; i < model->part_count; i++) {
        if (model->parts[i].skin >= 0) export->is_bent[model->parts[i].node] = true;
    }
    for (uint32_t i = model->node_count; i-- > 0;) {
        const sn_node *node = &model->nodes[i];
        if (node->flags & SN_NODE_JOINT) export->is_bent[i] = true;
        if (export->is_bent[i] && node->parent >= 0) export->is_bent[node->parent] = true;
    }
}

static bool find_animated(gltf_export *export)
{
    const sn_model *model = export->model;
    sni_arena *arena = &export->save->scratch;
    export->is_animated = sni_new(arena, bool, model->node_count);
    export->is_switched = sni_new(arena, bool, model->node_count);
    export->is_bent = sni_new(arena, bool, model->node_count);
    export->has_switch = sni_new(arena, bool, model->part_count);
    if (!export->is_animated || !export->is_switched || !export->is_bent || !export->has_switch) return false;
    for (uint32_t i = 0; i < model->node_count; i++) export->is_switched[i] = model->nodes[i].flags & SN_NODE_HIDDEN;
    for (uint32_t i = 0; i < model->part_count; i++)
        export->has_switch[i] = model->parts[i].is_hidden || gltf_is_kept_hidden(export, &model->parts[i]);
    find_bent(export);
    for (uint32_t i = 0; i < model->clip_count; i++) {
        for (uint32_t t = 0; t < model->clips[i].track_count; t++) note_track(export, &model->clips[i].tracks[t]);
    }
    return true;
}

// A file's name as a URI: what is not plain in one ("a b", "100%", "#1") is written as its bytes.
static const char *name_as_uri(sni_save *save, const char *name)
{
    static const char digits[] = "0123456789ABCDEF";
    char *uri = sni_new_raw(&save->scratch, char, (uint64_t)strlen(name) * 3 + 1);
    size_t used = 0;
    for (; uri && *name; name++) {
        uint8_t byte = (uint8_t)*name;
        bool is_letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
        if (is_letter || (byte >= '0' && byte <= '9') || strchr("-._~", *name)) {
            uri[used++] = *name;
            continue;
        }
        uri[used++] = '%';
        uri[used++] = digits[byte >> 4];
        uri[used++] = digits[byte & 15];
    }
    if (uri) uri[used] = 0;
    return uri;
}

static bool write_files(gltf_export *export, sni_writer *bin)
{
    sni_save *save = export->save;
    gltf_doc *doc = export->doc;
    bool as_glb = sni_save_has_ending(save, "glb"), is_written = false;
    sni_writer out;
    sni_writer_init(&out, &save->heap);
    if (bin->size > 0) {
        gltf_buffer *buffer = sni_new(&save->scratch, gltf_buffer, 1);
        if (!buffer) return false;
        *buffer = (gltf_buffer){ .byte_length = bin->size, .data = { bin->data, bin->size } };
        if (!as_glb) buffer->uri = name_as_uri(save, sni_save_name(save, "bin"));
        if (!as_glb && !buffer->uri) return false;
        doc->buffers = buffer;
        doc->buffer_count = 1;
    }
    doc->extensions_used = (gltf_texts){ export->extensions.items, export->extensions.count };
    if (as_glb) gltf_write_glb(doc, &out);
    else gltf_write_json(doc, &out, true);
    if (as_glb && out.size > UINT32_MAX) sni_fail(&save->diag, SN_ERR_LIMIT, 0, "more than 4 GiB do not fit a .glb");
    if (!out.failed && sni_save_ok(save)) {
        is_written = as_glb || bin->size == 0 || sni_save_emit(save, sni_save_name(save, "bin"), bin->data, bin->size);
        is_written = is_written &&
                     sni_save_emit(save, sni_save_name(save, as_glb ? "glb" : "gltf"), out.data, out.size);
    }
    sni_writer_free(&out);
    return is_written;
}

static bool export_all(gltf_export *export, sni_writer *bin)
{
    return gltf_export_clans(export) && find_animated(export) && gltf_export_groups(export) &&
           gltf_export_looks(export) && gltf_export_meshes(export) && gltf_export_nodes(export) &&
           gltf_export_clips(export) && gltf_pack_close(&export->pack, export->doc, bin) && write_files(export, bin);
}

bool gltf_save(sni_save *save, const sn_model *model)
{
    gltf_doc doc = { .asset = { .version = "2.0", .generator = "sinew " SN_VERSION }, .scene = -1 };
    gltf_export export = { .save = save, .model = model, .doc = &doc };
    sni_writer bin;
    sni_writer_init(&bin, &save->heap);
    gltf_pack_init(&export.pack, save);
    doc.extras = gltf_extras(&export, model->extras);
    bool is_saved = export_all(&export, &bin);
    gltf_pack_free(&export.pack);
    sni_writer_free(&bin);
    return is_saved;
}
