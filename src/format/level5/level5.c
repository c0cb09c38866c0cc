// The Level-5 format: recognise a file, load it, and name the part of the file that a byte belongs to.
#include "format/format.h"
#include "format/level5/level5_build.h"
#include "format/level5/level5_check.h"
#include "format/level5/level5_export.h"
#include "format/level5/level5_parse.h"
#include "io/level5_pack.h"

#include <stdio.h>

// --- Recognising files: only MDS and image archives have a magic, the others have a recognisable structure ---

enum { MOST_PADDING = 16, TEXT_BYTES = 4096, PACK_SCORE = 60 };

static bool has_magic(sni_bytes bytes, const char *magic)
{
    return bytes.size >= 16 && memcmp(bytes.data, magic, 4) == 0;
}

static bool is_track(const uint8_t *head)
{
    int32_t type = (int32_t)sni_load_u32(head + 8);
    return sni_load_u32(head + 12) == LEVEL5_TRACK_BYTES && sni_load_u32(head) < LEVEL5_MOST_NODES &&
           (level5_track_width(type) > 0 || type == LEVEL5_WEIGHTS || type == LEVEL5_WEIGHTS_AVERAGED ||
            type == LEVEL5_IGNORED);
}

// A chain of tracks that ends with the file, give or take some padding.
static bool are_tracks(sni_bytes bytes)
{
    size_t at = 0;
    while (bytes.size - at >= LEVEL5_TRACK_BYTES) {
        const uint8_t *head = bytes.data + at;
        uint32_t count = sni_load_u32(head + 16), next = sni_load_u32(head + 20);
        if (!is_track(head) || count > (bytes.size - at - LEVEL5_TRACK_BYTES) / LEVEL5_KEY_BYTES) return false;
        at += LEVEL5_TRACK_BYTES + (size_t)count * LEVEL5_KEY_BYTES;
        if (next == 0) break;
    }
    return at > 0 && bytes.size - at <= MOST_PADDING;
}

// Nothing but affine matrices with moderate values and zero matrices, at least one of them not zero.
static bool are_binds(sni_bytes bytes)
{
    uint32_t used = 0;
    if (bytes.size == 0 || bytes.size % LEVEL5_MATRIX_BYTES != 0) return false;
    for (size_t at = 0; at < bytes.size; at += LEVEL5_MATRIX_BYTES) {
        float m[16], largest = 0;
        sni_load_words(bytes.data + at, m, 16);
        for (int i = 0; i < 16; i++) {
            float size = m[i] < 0 ? -m[i] : m[i];
            if (!(size < 1e6f)) return false;
            if (size > largest) largest = size;
        }
        if (largest != 0 && (m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1)) return false;
        used += sni_load_u32(bytes.data + at + 60) != 0;
    }
    return used > 0;
}

// Quoted names of model files, which other text formats with similar words do not have.
static bool names_files(sni_bytes bytes)
{
    size_t size = bytes.size < TEXT_BYTES ? bytes.size : TEXT_BYTES;
    for (size_t i = 0; i + 5 <= size; i++) {
        sni_str ending = sni_str_make((const char *)bytes.data + i, 5);
        if (sni_str_is_nocase(ending, ".mds\"") || sni_str_is_nocase(ending, ".img\"") ||
            sni_str_is_nocase(ending, ".mot\""))
            return true;
    }
    return false;
}

typedef struct identity {
    level5_kind kind;
    int score;
} identity;

// The last two accept damaged files by their beginning, so that loading them reports what is wrong.
static identity identify(sni_bytes bytes)
{
    if (has_magic(bytes, "MDS")) return (identity){ LEVEL5_KIND_MDS, 100 };
    if (has_magic(bytes, "IMG") || has_magic(bytes, "IM2") || has_magic(bytes, "IM3"))
        return (identity){ LEVEL5_KIND_IMG, 90 };
    if (sni_level5_pack_is(bytes)) return (identity){ LEVEL5_KIND_PACK, PACK_SCORE };
    if (are_tracks(bytes) || level5_is_dq8_mot(bytes)) return (identity){ LEVEL5_KIND_TRACKS, 50 };
    if (are_binds(bytes)) return (identity){ LEVEL5_KIND_BINDS, 30 };
    if (level5_is_compiled_config(bytes)) return (identity){ LEVEL5_KIND_CONFIG, 30 };
    if (level5_is_text_config((sni_bytes){ bytes.data, bytes.size < TEXT_BYTES ? bytes.size : TEXT_BYTES }))
        return (identity){ LEVEL5_KIND_CONFIG, names_files(bytes) ? 65 : 15 };
    if (sni_level5_pack_begins(bytes)) return (identity){ LEVEL5_KIND_PACK, 12 };
    if (bytes.size >= LEVEL5_TRACK_BYTES && is_track(bytes.data)) return (identity){ LEVEL5_KIND_TRACKS, 10 };
    return (identity){ LEVEL5_UNKNOWN, 0 };
}

int level5_probe(sni_bytes bytes) { return identify(bytes).score; }

level5_kind level5_find_kind(sni_bytes bytes, const char *name)
{
    identity found = identify(bytes);
    bool is_certain = found.kind == LEVEL5_KIND_MDS || found.kind == LEVEL5_KIND_IMG ||
                      (found.kind == LEVEL5_KIND_PACK && found.score == PACK_SCORE);
    if (is_certain || !name) return found.kind;
    if (sni_has_ending(name, "wgt mot")) return LEVEL5_KIND_TRACKS;
    if (sni_has_ending(name, "bbp")) return LEVEL5_KIND_BINDS;
    if (sni_has_ending(name, "cfg")) return LEVEL5_KIND_CONFIG;
    return found.kind;
}

// --- Loading ---

static bool build(sni_load *load, level5_doc *opened, sn_model *model)
{
    level5_builder b = { .load = load, .core = sni_builder_of_load(load) };
    const level5_doc *doc = level5_translate(load, opened);
    b.materials.pixels_left = load->limits.image_pixels;
    model->up_axis = SN_Y_UP;
    if (!doc || !level5_collect_files(&b, doc)) return false;
    if (b.mds) {
        if (!level5_make_bones(&b) || !level5_choose_game(&b) || !level5_find_weights(&b) ||
            !level5_read_timelines(&b) || !level5_index_pictures(&b) || !level5_build_nodes(&b) ||
            !level5_build_cameras(&b) || !level5_build_meshes(&b) || !level5_build_clips(&b))
            return false;
        model->extras = level5_model_extras(&b);
    } else {
        if (!level5_build_standalone(&b, doc)) return false;
        model->extras = level5_standalone_extras(&b, doc);
    }
    model->name = b.title;
    if (!level5_list_model(&b, opened)) return false;
    return sni_builder_finish(&b.core, model);
}

static bool level5_load(sni_load *load, sni_bytes bytes, sn_model *model)
{
    level5_doc *doc = sni_new(sni_load_document_arena(load), level5_doc, 1);
    if (!doc || !level5_parse(load, level5_find_kind(bytes, load->name), bytes, doc)) return false;
    load->document = doc;
    if (load->opts && load->opts->keep_document) model->document = doc;
    return build(load, doc, model);
}

static bool level5_write_document(sni_save *save, const void *document, const char *ending, sni_writer *out)
{
    (void)save, (void)ending;
    level5_write(document, out);
    return !out->failed;
}

// --- Locating bytes ---

enum { PATH_BYTES = 112 };

static bool is_in(uint64_t offset, uint64_t start, uint64_t size) { return offset >= start && offset - start < size; }

static void put_named(char path[PATH_BYTES], const char *kind, uint32_t index, sni_str name)
{
    snprintf(path, PATH_BYTES, name.size > 0 ? "%s[%u] \"%.*s\"" : "%s[%u]", kind, index, (int)name.size, name.at);
    sni_text_clean_fixed(path, PATH_BYTES);
}

static void locate_in_mds(const level5_mds *mds, uint64_t offset, char path[PATH_BYTES])
{
    for (uint32_t i = 0; i < mds->node_count; i++)
        if (is_in(offset, mds->nodes[i].offset, LEVEL5_NODE_BYTES)) put_named(path, "NODE", i, mds->nodes[i].name);
    uint32_t count = mds->mesh_count;
    while (count > 0 && mds->meshes[count - 1].offset > offset) count--;
    if (count == 0) return;
    const level5_mesh *mesh = &mds->meshes[count - 1];
    snprintf(path, PATH_BYTES, "MDT[%u]", count - 1);
    for (uint32_t i = 0; i < LEVEL5_SECTIONS; i++) {
        const level5_section *section = &level5_sections[i];
        uint64_t bytes = (uint64_t)level5_section_array(mesh, section)->count * section->item_bytes;
        if (is_in(offset, mesh->offset + mesh->header[section->word + 1], bytes))
            snprintf(path, PATH_BYTES, "MDT[%u]/%s", count - 1, section->name);
    }
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

void level5_locate(const level5_doc *doc, uint64_t offset, char path[PATH_BYTES])
{
    const level5_config *config = &doc->as.config;
    const level5_pack *pack = &doc->as.pack;
    const level5_img *img = &doc->as.img;
    const level5_dq8_mot *mot = &doc->as.dq8_mot;
    uint32_t command = 0;
    path[0] = 0;
    switch (doc->kind) {
    case LEVEL5_KIND_MDS: locate_in_mds(&doc->as.mds, offset, path); break;
    case LEVEL5_KIND_TRACKS: locate_in_tracks(&doc->as.tracks, offset, path); break;
    case LEVEL5_KIND_DQ8_MDS: locate_in_dq8_mds(&doc->as.dq8_mds, offset, path); break;
    case LEVEL5_KIND_BINDS:
        if (offset / LEVEL5_MATRIX_BYTES < doc->as.binds.matrices.count)
            snprintf(path, PATH_BYTES, "MATRIX[%u]", (uint32_t)(offset / LEVEL5_MATRIX_BYTES));
        break;
    case LEVEL5_KIND_CONFIG:
        while (command < config->command_count && config->commands[command].offset <= offset) command++;
        if (command > 0) put_named(path, "COMMAND", command - 1, config->commands[command - 1].tag);
        break;
    case LEVEL5_KIND_PACK:
        for (uint32_t i = 0; i < pack->entry_count; i++) {
            const level5_entry *entry = &pack->entries[i];
            if (is_in(offset, entry->offset, LEVEL5_PACK_ENTRY_BYTES) ||
                is_in(offset, entry->data_offset, entry->data.count))
                put_named(path, "ENTRY", i, entry->name);
        }
        break;
    case LEVEL5_KIND_IMG:
        for (uint32_t i = 0; i < img->picture_count; i++) {
            const level5_picture *picture = &img->pictures[i];
            if (is_in(offset, picture->offset, picture->head.count) ||
                is_in(offset, level5_picture_data_offset(img->kind, picture), picture->data.count))
                put_named(path, "PICTURE", i, picture->name);
        }
        break;
    case LEVEL5_KIND_DQ8_MOT:
        for (uint32_t i = 0; i < mot->bone_count; i++)
            if (is_in(offset, mot->bones[i].offset, mot->bones[i].bytes.count))
                snprintf(path, PATH_BYTES, "BONE[%u]", i);
        break;
    default: break;
    }
}

static void level5_locate_byte(const void *document, sni_bytes bytes, uint64_t offset, char path[PATH_BYTES])
{
    (void)bytes;
    level5_locate(document, offset, path);
}

// Companions open too, by their bytes.
static const char *level5_ending(sni_bytes bytes)
{
    (void)bytes;
    return "mds chr pak mpk pcp efp sky pac cfg img mot wgt bbp";
}

const sni_format sni_format_level5 = {
    .name = "level5",
    .title = "Level-5 model (Dark Cloud)",
    .extensions = "mds chr pak mpk pcp efp sky pac",
    .probe = level5_probe,
    .ending = level5_ending,
    .load = level5_load,
    .save = level5_save,
    .holds = level5_fit,
    .write = level5_write_document,
    .keeps = level5_keeps,
    .locate = level5_locate_byte,
    .games = 1u << SN_GAME_DARK_CLOUD | 1u << SN_GAME_DARK_CLOUD_2,
    .check_game = level5_check_game,
    .repair = level5_repair,
};
