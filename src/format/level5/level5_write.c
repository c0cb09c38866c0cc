// Document to bytes. Everything has its place, so the file is laid down as zeros and then filled in.
#include "format/level5/level5_parse.h"

typedef struct sheet {
    sni_writer *out;
    size_t start;
} sheet;

static sheet lay_sheet(sni_writer *out, uint64_t size)
{
    sheet s = { out, out->size };
    sni_write_fill(out, 0, (size_t)size);
    return s;
}

static void put(sheet s, uint64_t offset, const void *data, uint64_t size)
{
    if (data) sni_patch_bytes(s.out, s.start + (size_t)offset, data, (size_t)size);
}

static void put_u32(sheet s, uint64_t offset, uint32_t value) { sni_patch_u32(s.out, s.start + (size_t)offset, value); }

static void put_words(sheet s, uint64_t offset, const void *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, (const char *)words + 4 * (size_t)i, sizeof word);
        put_u32(s, offset + 4 * (uint64_t)i, word);
    }
}

static void put_gaps(sheet s, const level5_span *gaps, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) put(s, gaps[i].offset, gaps[i].bytes.data, gaps[i].bytes.count);
}

static void put_node(sheet s, const level5_node *node)
{
    put_u32(s, node->offset, node->index);
    put_u32(s, node->offset + 4, node->record_bytes);
    put(s, node->offset + 8, node->name_field.data, node->name_field.count);
    put_u32(s, node->offset + 40, node->mesh_offset);
    put_u32(s, node->offset + 44, (uint32_t)node->parent);
    put_words(s, node->offset + 48, node->matrix, 16);
}

static void put_mesh(sheet s, const level5_mesh *mesh)
{
    put_words(s, mesh->offset, mesh->header, 16);
    for (uint32_t i = 0; i < LEVEL5_SECTIONS; i++) {
        level5_array array = level5_section_array(mesh, &level5_sections[i]);
        put(s, mesh->offset + mesh->header[level5_sections[i].word + 1], array.data,
            (uint64_t)array.count * level5_sections[i].item_bytes);
    }
}

static void write_mds(const level5_mds *mds, sni_writer *out)
{
    sheet s = lay_sheet(out, mds->size);
    put(s, 0, "MDS", 4);
    put_words(s, 4, (const uint32_t[]){ mds->version, mds->node_count, mds->first_node }, 3);
    put_gaps(s, mds->gaps, mds->gap_count);
    for (uint32_t i = 0; i < mds->node_count; i++) put_node(s, &mds->nodes[i]);
    for (uint32_t i = 0; i < mds->mesh_count; i++) put_mesh(s, &mds->meshes[i]);
}

static void write_tracks(const level5_tracks *tracks, sni_writer *out)
{
    sheet s = lay_sheet(out, tracks->size);
    put_gaps(s, tracks->gaps, tracks->gap_count);
    for (uint32_t i = 0; i < tracks->track_count; i++) {
        const level5_track *track = &tracks->tracks[i];
        put_words(s, track->offset,
                  (const uint32_t[]){ (uint32_t)track->node, (uint32_t)track->target, (uint32_t)track->type,
                                      LEVEL5_TRACK_BYTES, track->count, track->next, track->junk[0], track->junk[1] },
                  8);
        put(s, track->offset + LEVEL5_TRACK_BYTES, track->keys.data, (uint64_t)track->keys.count * LEVEL5_KEY_BYTES);
    }
}

static void write_binds(const level5_binds *binds, sni_writer *out)
{
    sni_write_bytes(out, binds->matrices.data, (size_t)binds->matrices.count * LEVEL5_MATRIX_BYTES);
    sni_write_bytes(out, binds->stray.data, binds->stray.count);
}

static void write_pack(const level5_pack *pack, sni_writer *out)
{
    sheet s = lay_sheet(out, pack->size);
    put_gaps(s, pack->gaps, pack->gap_count);
    for (uint32_t i = 0; i < pack->entry_count; i++) {
        const level5_entry *entry = &pack->entries[i];
        put(s, entry->data_offset, entry->data.data, entry->data.count);
        put(s, entry->offset, entry->head.data, entry->head.count);
    }
}

static void write_img(const level5_img *img, sni_writer *out)
{
    sheet s = lay_sheet(out, img->size);
    put_gaps(s, img->gaps, img->gap_count);
    for (uint32_t i = 0; i < img->picture_count; i++) {
        const level5_picture *picture = &img->pictures[i];
        put(s, sni_load_u32(picture->head.data + level5_picture_place(img->kind)), picture->data.data,
            picture->data.count);
        put(s, picture->offset, picture->head.data, picture->head.count);
    }
    put_words(s, 0, img->header, 4);
}

static void write_dq8_mds(const level5_dq8_mds *mds, sni_writer *out)
{
    sheet s = lay_sheet(out, mds->size);
    put_gaps(s, mds->gaps, mds->gap_count);
    put(s, mds->header[LEVEL5_DQ8_NODES], mds->nodes.data, (uint64_t)mds->nodes.count * LEVEL5_DQ8_NODE_BYTES);
    put(s, mds->header[LEVEL5_DQ8_MATERIALS], mds->materials.data,
        (uint64_t)mds->materials.count * LEVEL5_MATERIAL_BYTES);
    put(s, mds->header[LEVEL5_DQ8_NAMES], mds->names.data, mds->names.count);
    for (uint32_t i = 0; i < mds->mesh_count; i++)
        put(s, mds->meshes[i].offset, mds->meshes[i].bytes.data, mds->meshes[i].bytes.count);
    put_words(s, 0, mds->header, 20);
}

static void write_dq8_mot(const level5_dq8_mot *mot, sni_writer *out)
{
    sheet s = lay_sheet(out, mot->size);
    put_gaps(s, mot->gaps, mot->gap_count);
    for (uint32_t i = 0; i < mot->bone_count; i++)
        put(s, mot->bones[i].offset, mot->bones[i].bytes.data, mot->bones[i].bytes.count);
    put_words(s, 0, mot->header, 16);
}

void level5_write(const level5_doc *doc, sni_writer *out)
{
    switch (doc->kind) {
    case LEVEL5_KIND_MDS: write_mds(&doc->as.mds, out); break;
    case LEVEL5_KIND_TRACKS: write_tracks(&doc->as.tracks, out); break;
    case LEVEL5_KIND_BINDS: write_binds(&doc->as.binds, out); break;
    case LEVEL5_KIND_CONFIG: level5_write_config(&doc->as.config, out); break;
    case LEVEL5_KIND_PACK: write_pack(&doc->as.pack, out); break;
    case LEVEL5_KIND_IMG: write_img(&doc->as.img, out); break;
    case LEVEL5_KIND_DQ8_MDS: write_dq8_mds(&doc->as.dq8_mds, out); break;
    case LEVEL5_KIND_DQ8_MOT: write_dq8_mot(&doc->as.dq8_mot, out); break;
    default: break;
    }
}
