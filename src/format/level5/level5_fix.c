// Repairs of a document that lose nothing: the rules of level5_check.c that a program can follow by itself. In a pack
// they see all files of the model, in a single file only that.
#include "base/map.h"
#include "base/math.h"
#include "base/sjis.h"
#include "format/level5/level5_check.h"
#include "format/level5/level5_parse.h"

typedef struct fixer {
    sni_save *save;
    sni_arena *arena;
    const level5_model *model;
    bool is_first;
    uint64_t layouts, names, links, binds;
} fixer;

// Adds the tracks without weights that Dark Cloud needs.
static bool fix_chains(fixer *f, level5_tracks *tracks, bool *is_changed)
{
    sni_list links = { 0 };
    if (!level5_find_links(f->arena, f->model->mds, tracks, &links)) return false;
    const level5_link *items = links.items;
    uint32_t count = 0, next = 0, missing = 0;
    for (uint32_t i = 0; i < links.count; i++) missing += items[i].bone >= 0;
    if (missing == 0) return true;
    level5_track *all = sni_new_raw(f->arena, level5_track, (uint64_t)tracks->track_count + missing);
    if (!all) return false;
    for (uint32_t i = 0; i < tracks->track_count; i++) {
        for (; next < links.count && items[next].before == i; next++) {
            if (items[next].bone < 0) continue;
            if (!level5_make_track(f->arena, items[next].mesh, items[next].bone, LEVEL5_WEIGHTS, NULL, 0,
                                   &all[count++]))
                return false;
            f->links++;
        }
        all[count++] = tracks->tracks[i];
    }
    tracks->tracks = all;
    tracks->track_count = count;
    *is_changed = true;
    return true;
}

// A bind matrix that is missing is that of the rest pose: of Dark Cloud relative to the parent, else in the model.
static bool fix_binds(fixer *f, level5_binds *binds, bool *is_changed)
{
    const level5_mds *mds = f->model->mds;
    const uint32_t nodes = mds->node_count, old = binds->matrices.count, count = old > nodes ? old : nodes;
    const bool *is_bone = level5_list_bones(f->arena, f->model);
    uint8_t *data = sni_new(f->arena, uint8_t, (uint64_t)LEVEL5_MATRIX_BYTES * count);
    sn_mat34 *worlds = sni_new_raw(f->arena, sn_mat34, nodes);
    if (!is_bone || !data || !worlds) return false;
    if (old > 0) memcpy(data, binds->matrices.data, (size_t)LEVEL5_MATRIX_BYTES * old);
    for (uint32_t i = 0; i < nodes; i++) {
        const float *m = mds->nodes[i].matrix;
        const int32_t parent = mds->nodes[i].parent;
        sn_mat34 local;
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < 4; k++) local.m[r][k] = m[4 * k + r];
        if (parent >= (int32_t)i) return true;  // reported; the rest pose is not known
        worlds[i] = parent < 0 ? local : sni_mat34_mul(&worlds[parent], &local);
        if (!level5_needs_bind(f->model, is_bone, i)) continue;
        level5_store_matrix(data + (size_t)LEVEL5_MATRIX_BYTES * i, f->is_first ? &local : &worlds[i]);
        f->binds++;
        *is_changed = true;
    }
    if (*is_changed) binds->matrices = (level5_array){ data, count };
    if (*is_changed) binds->trailing = (level5_array){ 0 };
    return true;
}

// A name that fills its field and that nothing refers to is cut, unless that would cut a character or give the name of
// another node.
static bool fix_names(fixer *f, level5_mds *mds, bool *is_changed)
{
    level5_node *nodes = sni_new_raw(f->arena, level5_node, mds->node_count);
    sni_nocase_names names = { 0 };
    if (!nodes) return false;
    if (mds->node_count > 0) memcpy(nodes, mds->nodes, mds->node_count * sizeof *nodes);
    for (uint32_t i = 0; i < mds->node_count; i++)
        if (!sni_nocase_names_add(f->arena, &names, nodes[i].name, (int32_t)i)) return false;
    for (uint32_t i = 0; i < mds->node_count; i++) {
        const sni_str cut = sni_str_make(nodes[i].name.at, LEVEL5_NAME_BYTES - 1);
        if (nodes[i].name.size < LEVEL5_NAME_BYTES || nodes[i].mesh >= 0 ||
            sni_sjis_is_lead((uint8_t)cut.at[cut.size - 1]) || sni_nocase_names_find(&names, cut) >= 0)
            continue;
        uint8_t *field = sni_new(f->arena, uint8_t, LEVEL5_NAME_BYTES);
        if (!field || !sni_nocase_names_add(f->arena, &names, cut, (int32_t)i)) return false;
        memcpy(field, cut.at, cut.size);
        nodes[i].name_field = (level5_array){ field, LEVEL5_NAME_BYTES };
        f->names++;
        *is_changed = true;
    }
    mds->nodes = nodes;  // also for level5_layout, which changes them
    return true;
}

// A copy that is laid out anew has no bytes between its records.
static bool lay_out(fixer *f, level5_doc *doc)
{
    level5_mds *mds = &doc->as.mds;
    level5_tracks *tracks = &doc->as.tracks;
    switch (doc->kind) {
    case LEVEL5_KIND_MDS: {
        level5_mesh *meshes = sni_new_raw(f->arena, level5_mesh, mds->mesh_count);
        if (!meshes) return false;
        if (mds->mesh_count > 0) memcpy(meshes, mds->meshes, mds->mesh_count * sizeof *meshes);
        mds->meshes = meshes;
        mds->gap_count = 0;
        break;
    }
    case LEVEL5_KIND_TRACKS: {
        level5_track *copy = sni_new_raw(f->arena, level5_track, tracks->track_count);
        if (!copy) return false;
        if (tracks->track_count > 0) memcpy(copy, tracks->tracks, tracks->track_count * sizeof *copy);
        tracks->tracks = copy;
        tracks->gap_count = 0;
        break;
    }
    case LEVEL5_KIND_PACK: doc->as.pack.gap_count = 0; break;
    default: break;
    }
    return level5_layout(f->arena, doc);
}

// One file that is no pack; `out` is a copy of it.
static bool fix_file(fixer *f, const level5_doc *doc, level5_doc *out, bool *is_changed)
{
    const level5_model *model = f->model;
    char why[96];
    bool is_moved = !level5_is_laid_out(doc, why);
    *out = *doc;
    f->layouts += is_moved;
    *is_changed |= is_moved;
    if (doc->kind == LEVEL5_KIND_MDS && !fix_names(f, &out->as.mds, is_changed)) return false;
    const bool has_model = model->mds && !model->mds->weights;
    if (has_model && f->is_first && doc->kind == LEVEL5_KIND_TRACKS && &doc->as.tracks == model->weights) {
        bool is_longer = false;
        if (!fix_chains(f, &out->as.tracks, &is_longer)) return false;
        is_moved |= is_longer;
        *is_changed |= is_longer;
    }
    if (has_model && doc->kind == LEVEL5_KIND_BINDS && &doc->as.binds == model->binds &&
        !fix_binds(f, &out->as.binds, is_changed))
        return false;
    return !is_moved || lay_out(f, out);
}

// Members that changed are written into new entries; the others stay as they are.
static bool fix_pack(fixer *f, level5_doc *doc)
{
    level5_pack *pack = &doc->as.pack;
    char why[96];
    bool is_changed = !level5_is_laid_out(doc, why);
    f->layouts += is_changed;
    level5_entry *entries = sni_new_raw(f->arena, level5_entry, pack->entry_count);
    if (!entries) return false;
    for (uint32_t i = 0; i < pack->entry_count; i++) {
        const level5_doc *member = i < f->model->file_count ? f->model->files[i].doc : NULL;
        level5_doc fixed;
        bool is_new = false;
        entries[i] = pack->entries[i];
        if (!member || member->kind == LEVEL5_KIND_PACK) continue;
        if (!fix_file(f, member, &fixed, &is_new)) return false;
        if (!is_new) continue;
        sni_writer out;
        sni_writer_init(&out, &f->save->heap);
        level5_write(&fixed, &out);
        uint8_t *data = out.failed ? NULL : sni_new_raw(f->arena, uint8_t, out.size);
        if (data && out.size > 0) memcpy(data, out.data, out.size);
        entries[i].data = (level5_array){ data, (uint32_t)out.size };
        sni_writer_free(&out);
        if (!data) return false;
        is_changed = true;
    }
    if (!is_changed) return true;
    pack->entries = entries;
    return lay_out(f, doc);
}

bool level5_repair(sni_save *save, const void *document, sn_game game, const void **repaired)
{
    const level5_doc *doc = document;
    level5_doc *copy = sni_new_raw(&save->scratch, level5_doc, 1);
    fixer f = { .save = save, .arena = &save->scratch, .model = doc->model, .is_first = game == SN_GAME_DARK_CLOUD };
    bool is_changed = false;
    if (!copy) return false;
    *copy = *doc;
    if (doc->kind == LEVEL5_KIND_PACK ? !fix_pack(&f, copy) : !fix_file(&f, doc, copy, &is_changed)) return false;
    sni_save_report_repair(save, "layout", f.layouts, "offsets, sizes and end markers were rewritten");
    sni_save_report_repair(save, "names", f.names, "names of nodes were cut to 31 bytes");
    sni_save_report_repair(save, "weights", f.links, "weight tracks from parent to bone were added");
    sni_save_report_repair(save, "bind matrices", f.binds, "bind matrices of the rest pose were added");
    *repaired = copy;
    return true;
}
