// In which part of the file a byte lies, as errors say it.
#include "format/level5/level5_parse.h"

#include <stdio.h>

enum { PATH_BYTES = 112 };

static bool is_in(uint64_t offset, uint64_t start, uint64_t size) { return offset >= start && offset - start < size; }

static void print_named(char path[PATH_BYTES], const char *kind, uint32_t index, sni_str name)
{
    snprintf(path, PATH_BYTES, name.size > 0 ? "%s[%u] \"%.*s\"" : "%s[%u]", kind, index, (int)name.size, name.at);
    sni_text_clean_fixed(path, PATH_BYTES);
}

static void locate_in_mesh(const level5_mesh *mesh, uint32_t index, uint64_t offset, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "MDT[%u]", index);
    for (uint32_t i = 0; i < LEVEL5_SECTIONS; i++) {
        const level5_section *section = &level5_sections[i];
        level5_array array = level5_section_array(mesh, section);
        if (is_in(offset, mesh->offset + mesh->header[section->word + 1], (uint64_t)array.count * section->item_bytes))
            snprintf(path, PATH_BYTES, "MDT[%u]/%s", index, section->name);
    }
}

static void locate_in_mds(const level5_mds *mds, uint64_t offset, char path[PATH_BYTES])
{
    for (uint32_t i = 0; i < mds->node_count; i++)
        if (is_in(offset, mds->nodes[i].offset, LEVEL5_NODE_BYTES)) print_named(path, "NODE", i, mds->nodes[i].name);
    uint32_t mesh = mds->mesh_count;
    while (mesh > 0 && mds->meshes[mesh - 1].offset > offset) mesh--;
    if (mesh > 0) locate_in_mesh(&mds->meshes[mesh - 1], mesh - 1, offset, path);
}

static void locate_in_tracks(const level5_tracks *tracks, uint64_t offset, char path[PATH_BYTES])
{
    for (uint32_t i = 0; i < tracks->track_count; i++) {
        const level5_track *track = &tracks->tracks[i];
        uint64_t keys = track->offset + LEVEL5_TRACK_BYTES;
        if (is_in(offset, track->offset, LEVEL5_TRACK_BYTES)) snprintf(path, PATH_BYTES, "TRACK[%u]", i);
        if (is_in(offset, keys, (uint64_t)track->keys.count * LEVEL5_KEY_BYTES))
            snprintf(path, PATH_BYTES, "TRACK[%u]/KEY[%u]", i, (uint32_t)((offset - keys) / LEVEL5_KEY_BYTES));
    }
}

static void locate_in_config(const level5_config *config, uint64_t offset, char path[PATH_BYTES])
{
    uint32_t at = config->command_count;
    while (at > 0 && config->commands[at - 1].offset > offset) at--;
    if (at > 0) print_named(path, "COMMAND", at - 1, config->commands[at - 1].tag);
}

static void locate_in_pack(const level5_pack *pack, uint64_t offset, char path[PATH_BYTES])
{
    for (uint32_t i = 0; i < pack->entry_count; i++) {
        const level5_entry *entry = &pack->entries[i];
        if (is_in(offset, entry->offset, LEVEL5_PACK_ENTRY_BYTES) ||
            is_in(offset, entry->data_offset, entry->data.count))
            print_named(path, "ENTRY", i, entry->name);
    }
}

static void locate_in_img(const level5_img *img, uint64_t offset, char path[PATH_BYTES])
{
    for (uint32_t i = 0; i < img->picture_count; i++) {
        const level5_picture *picture = &img->pictures[i];
        uint64_t data = sni_load_u32(picture->head.data + level5_picture_place(img->kind));
        if (is_in(offset, picture->offset, picture->head.count) || is_in(offset, data, picture->data.count))
            print_named(path, "PICTURE", i, picture->name);
    }
}

static void locate_in_dq8_mds(const level5_dq8_mds *mds, uint64_t offset, char path[PATH_BYTES])
{
    uint64_t nodes = mds->header[LEVEL5_DQ8_NODES], materials = mds->header[LEVEL5_DQ8_MATERIALS];
    if (is_in(offset, nodes, (uint64_t)mds->nodes.count * LEVEL5_DQ8_NODE_BYTES))
        snprintf(path, PATH_BYTES, "NODE[%u]", (uint32_t)((offset - nodes) / LEVEL5_DQ8_NODE_BYTES));
    if (is_in(offset, materials, (uint64_t)mds->materials.count * LEVEL5_MATERIAL_BYTES))
        snprintf(path, PATH_BYTES, "MATERIAL[%u]", (uint32_t)((offset - materials) / LEVEL5_MATERIAL_BYTES));
    if (is_in(offset, mds->header[LEVEL5_DQ8_NAMES], mds->names.count)) snprintf(path, PATH_BYTES, "NAMES");
    for (uint32_t i = 0; i < mds->mesh_count; i++)
        if (is_in(offset, mds->meshes[i].offset, mds->meshes[i].bytes.count)) snprintf(path, PATH_BYTES, "MDT[%u]", i);
}

static void locate_in_dq8_mot(const level5_dq8_mot *mot, uint64_t offset, char path[PATH_BYTES])
{
    for (uint32_t i = 0; i < mot->bone_count; i++)
        if (is_in(offset, mot->bones[i].offset, mot->bones[i].bytes.count)) snprintf(path, PATH_BYTES, "BONE[%u]", i);
}

void level5_locate(const level5_doc *doc, uint64_t offset, char path[PATH_BYTES])
{
    path[0] = 0;
    switch (doc->kind) {
    case LEVEL5_KIND_MDS: locate_in_mds(&doc->as.mds, offset, path); break;
    case LEVEL5_KIND_TRACKS: locate_in_tracks(&doc->as.tracks, offset, path); break;
    case LEVEL5_KIND_BINDS:
        if (offset / LEVEL5_MATRIX_BYTES < doc->as.binds.matrices.count)
            snprintf(path, PATH_BYTES, "MATRIX[%u]", (uint32_t)(offset / LEVEL5_MATRIX_BYTES));
        break;
    case LEVEL5_KIND_CONFIG: locate_in_config(&doc->as.config, offset, path); break;
    case LEVEL5_KIND_PACK: locate_in_pack(&doc->as.pack, offset, path); break;
    case LEVEL5_KIND_IMG: locate_in_img(&doc->as.img, offset, path); break;
    case LEVEL5_KIND_DQ8_MDS: locate_in_dq8_mds(&doc->as.dq8_mds, offset, path); break;
    case LEVEL5_KIND_DQ8_MOT: locate_in_dq8_mot(&doc->as.dq8_mot, offset, path); break;
    default: break;
    }
}
