// Documents to bytes. A document that was read is written back exactly: every record at its own offset, the gaps
// between them. level5_layout assigns the offsets of documents that were made in memory.
#include "format/level5/level5_parse.h"
#include "io/level5_pack.h"

#include <stdio.h>

enum { HEADER = 16 };

// --- Records ---

void level5_store_vector(uint8_t *at, float x, float y, float z, float w)
{
    sni_store_f32(at, x);
    sni_store_f32(at + 4, y);
    sni_store_f32(at + 8, z);
    sni_store_f32(at + 12, w);
}

void level5_store_matrix(uint8_t *at, const sn_mat34 *matrix)
{
    for (int c = 0; c < 4; c++)
        level5_store_vector(at + 16 * c, matrix->m[0][c], matrix->m[1][c], matrix->m[2][c], c == 3 ? 1.0f : 0.0f);
}

// Unused words are as the games' tools leave them.
bool level5_make_track(sni_arena *arena, int32_t node, int32_t target, level5_track_type type, const level5_key *keys,
                       uint32_t count, level5_track *track)
{
    uint8_t *data = sni_new_raw(arena, uint8_t, (uint64_t)count * LEVEL5_KEY_BYTES);
    if (!data) return false;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *at = data + (size_t)i * LEVEL5_KEY_BYTES;
        sni_store_u32(at, keys[i].frame);
        memset(at + 4, 0xCD, 12);
        level5_store_vector(at + 16, keys[i].value[0], keys[i].value[1], keys[i].value[2], keys[i].value[3]);
    }
    *track = (level5_track){ .node = node,
                             .target = target,
                             .type = (int32_t)type,
                             .keys = { data, count },
                             .unused = { 0xACE63701, 0xB0F0FC77 } };
    return true;
}

// --- Layout: headers first, everything aligned to 16 bytes, as the games' tools do ---

static uint64_t align16(uint64_t size) { return (size + 15) & ~(uint64_t)15; }

// Into a zeroed field, truncated so that a NUL fits.
static void store_name(uint8_t *field, uint32_t bytes, sni_str name)
{
    if (name.size > 0) memcpy(field, name.at, name.size < bytes ? name.size : bytes - 1);
}

// The face section from the primitives, whose corners must match their flags.
static bool layout_faces(sni_arena *arena, level5_mesh *mesh)
{
    uint64_t size = LEVEL5_FACES_HEADER;
    if (mesh->face_format == LEVEL5_FACES_UNKNOWN) mesh->face_format = LEVEL5_FACES_DC2;
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        level5_primitive *primitive = &mesh->primitives[i];
        level5_set_corner(primitive, mesh->face_format, mesh->colors.count > 0);
        size += LEVEL5_PRIMITIVE_BYTES + 4 * (uint64_t)primitive->stride * primitive->corner_count;
    }
    uint8_t *faces = sni_new(arena, uint8_t, size);
    if (!faces) return false;
    uint8_t *at = faces + LEVEL5_FACES_HEADER;
    sni_store_u32(faces + 4, LEVEL5_FACES_HEADER);
    sni_store_u32(faces + 8, mesh->primitive_count);
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        const level5_primitive *primitive = &mesh->primitives[i];
        size_t bytes = 4 * (size_t)primitive->stride * primitive->corner_count;
        sni_store_u32(at, primitive->flags);
        sni_store_u32(at + 4, primitive->corner_count);
        sni_store_u32(at + 8, (uint32_t)primitive->material);
        if (bytes > 0) memcpy(at + LEVEL5_PRIMITIVE_BYTES, primitive->corners.data, bytes);
        at += LEVEL5_PRIMITIVE_BYTES + bytes;
    }
    mesh->faces = (level5_array){ faces, (uint32_t)size };
    return true;
}

static bool layout_mds(sni_arena *arena, level5_mds *mds)
{
    uint64_t at = HEADER + (uint64_t)mds->node_count * LEVEL5_NODE_BYTES;
    mds->version = 1;
    mds->first_node = HEADER;
    for (uint32_t i = 0; i < mds->mesh_count; i++) {
        level5_mesh *mesh = &mds->meshes[i];
        uint64_t end = LEVEL5_MDT_BYTES;
        if (!mesh->faces.data && !layout_faces(arena, mesh)) return false;
        mesh->offset = at;
        mesh->header[0] = LEVEL5_MDT_MAGIC;
        mesh->header[1] = LEVEL5_MDT_BYTES;
        for (uint32_t k = 0; k < LEVEL5_SECTIONS; k++) {
            const level5_section *section = &level5_sections[k];
            uint32_t count = level5_section_array(mesh, section)->count;
            mesh->header[section->word] = count;
            mesh->header[section->word + 1] = count > 0 ? (uint32_t)end : 0;
            end = align16(end + (uint64_t)count * section->item_bytes);
        }
        mesh->header[2] = (uint32_t)end;
        at += end;
    }
    mds->size = at;
    for (uint32_t i = 0; i < mds->node_count; i++) {
        level5_node *node = &mds->nodes[i];
        node->offset = HEADER + (uint64_t)i * LEVEL5_NODE_BYTES;
        node->index = i;
        node->record_bytes = LEVEL5_NODE_BYTES;
        node->mesh_offset = node->mesh >= 0 ? (uint32_t)mds->meshes[node->mesh].offset : 0;
        if (node->name_field.data) continue;
        uint8_t *field = sni_new(arena, uint8_t, LEVEL5_NAME_BYTES);
        if (!field) return false;
        store_name(field, LEVEL5_NAME_BYTES, node->name);
        node->name_field = (level5_array){ field, LEVEL5_NAME_BYTES };
    }
    return true;
}

static bool layout_tracks(level5_tracks *tracks)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < tracks->track_count; i++) {
        level5_track *track = &tracks->tracks[i];
        uint64_t bytes = LEVEL5_TRACK_BYTES + (uint64_t)track->keys.count * LEVEL5_KEY_BYTES;
        track->offset = at;
        track->count = track->keys.count;
        track->next = i + 1 < tracks->track_count ? (uint32_t)bytes : 0;
        at += bytes;
    }
    tracks->size = at;
    return true;
}

// The end mark is an entry of zeros.
static bool layout_pack(sni_arena *arena, level5_pack *pack)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < pack->entry_count; i++) {
        level5_entry *entry = &pack->entries[i];
        uint64_t bytes = LEVEL5_PACK_ENTRY_BYTES + align16(entry->data.count);
        uint8_t *head = sni_new(arena, uint8_t, LEVEL5_PACK_ENTRY_BYTES);
        if (!head) return false;
        store_name(head, SNI_LEVEL5_PACK_NAME_BYTES, entry->name);
        sni_store_u32(head + 64, LEVEL5_PACK_ENTRY_BYTES);
        sni_store_u32(head + 68, entry->data.count);
        sni_store_u32(head + 72, (uint32_t)bytes);
        entry->head = (level5_array){ head, LEVEL5_PACK_ENTRY_BYTES };
        entry->offset = at;
        entry->data_offset = at + LEVEL5_PACK_ENTRY_BYTES;
        at += bytes;
    }
    pack->size = at + LEVEL5_PACK_ENTRY_BYTES;
    return true;
}

static bool layout_img(sni_arena *arena, level5_img *img)
{
    uint32_t bytes = level5_picture_bytes(img->kind);
    uint64_t at = HEADER + (uint64_t)img->picture_count * bytes;
    img->header[0] = level5_img_magic(img->kind);
    img->header[img->kind == LEVEL5_IM3 ? 2 : 1] = img->picture_count;
    for (uint32_t i = 0; i < img->picture_count; i++) {
        level5_picture *picture = &img->pictures[i];
        uint8_t *head = sni_new(arena, uint8_t, bytes);
        if (!head) return false;
        store_name(head, LEVEL5_NAME_BYTES, picture->name);
        sni_store_u32(head + level5_picture_offset_at(img->kind), (uint32_t)at);
        if (img->kind == LEVEL5_IM3) {
            bool clamps_u = picture->wrap_u != SN_REPEAT, clamps_v = picture->wrap_v != SN_REPEAT;
            sni_store_u32(head + 32, bytes);
            sni_store_u32(head + 40, picture->is_swizzled);
            sni_store_u32(head + 48, picture->is_empty);
            sni_store_u32(head + 52, picture->data.count);
            sni_store_u32(head + 56, (clamps_u ? 1u : 0u) | (clamps_v ? 4u : 0u));
        }
        picture->head = (level5_array){ head, bytes };
        picture->offset = HEADER + (uint64_t)i * bytes;
        at = align16(at + picture->data.count);
    }
    img->size = at;
    return true;
}

bool level5_layout(sni_arena *arena, level5_doc *doc)
{
    switch (doc->kind) {
    case LEVEL5_KIND_MDS: return layout_mds(arena, &doc->as.mds);
    case LEVEL5_KIND_TRACKS: return layout_tracks(&doc->as.tracks);
    case LEVEL5_KIND_PACK: return layout_pack(arena, &doc->as.pack);
    case LEVEL5_KIND_IMG: return layout_img(arena, &doc->as.img);
    default: return true;
    }
}

// --- Binary files: written as zeros, then records and gaps are filled in at their offsets ---

typedef struct output {
    sni_writer *out;
    size_t start;
} output;

static void put_bytes(output o, uint64_t offset, const void *data, uint64_t size)
{
    if (data) sni_patch_bytes(o.out, o.start + (size_t)offset, data, (size_t)size);
}

static void put_words(output o, uint64_t offset, const void *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, (const char *)words + 4 * (size_t)i, sizeof word);
        sni_patch_u32(o.out, o.start + (size_t)offset + 4 * (size_t)i, word);
    }
}

static output begin_file(sni_writer *out, uint64_t size, const level5_span *gaps, uint32_t gap_count)
{
    output o = { out, out->size };
    sni_write_fill(out, 0, (size_t)size);
    for (uint32_t i = 0; i < gap_count; i++) put_bytes(o, gaps[i].offset, gaps[i].bytes.data, gaps[i].bytes.count);
    return o;
}

static void write_mds(const level5_mds *mds, sni_writer *out)
{
    output o = begin_file(out, mds->size, mds->gaps, mds->gap_count);
    put_words(o, 0, (const uint32_t[]){ LEVEL5_MDS_MAGIC, mds->version, mds->node_count, mds->first_node }, 4);
    for (uint32_t i = 0; i < mds->node_count; i++) {
        const level5_node *node = &mds->nodes[i];
        put_words(o, node->offset, (const uint32_t[]){ node->index, node->record_bytes }, 2);
        put_bytes(o, node->offset + 8, node->name_field.data, node->name_field.count);
        put_words(o, node->offset + 40, (const uint32_t[]){ node->mesh_offset, (uint32_t)node->parent }, 2);
        put_words(o, node->offset + 48, node->matrix, 16);
    }
    for (uint32_t i = 0; i < mds->mesh_count; i++) {
        const level5_mesh *mesh = &mds->meshes[i];
        put_words(o, mesh->offset, mesh->header, 16);
        for (uint32_t k = 0; k < LEVEL5_SECTIONS; k++) {
            const level5_section *section = &level5_sections[k];
            level5_array array = *level5_section_array(mesh, section);
            put_bytes(o, mesh->offset + mesh->header[section->word + 1], array.data,
                      (uint64_t)array.count * section->item_bytes);
        }
    }
}

static void write_tracks(const level5_tracks *tracks, sni_writer *out)
{
    output o = begin_file(out, tracks->size, tracks->gaps, tracks->gap_count);
    for (uint32_t i = 0; i < tracks->track_count; i++) {
        const level5_track *track = &tracks->tracks[i];
        put_words(o, track->offset,
                  (const uint32_t[]){ (uint32_t)track->node, (uint32_t)track->target, (uint32_t)track->type,
                                      LEVEL5_TRACK_BYTES, track->count, track->next, track->unused[0],
                                      track->unused[1] },
                  8);
        put_bytes(o, track->offset + LEVEL5_TRACK_BYTES, track->keys.data,
                  (uint64_t)track->keys.count * LEVEL5_KEY_BYTES);
    }
}

static void write_pack(const level5_pack *pack, sni_writer *out)
{
    output o = begin_file(out, pack->size, pack->gaps, pack->gap_count);
    for (uint32_t i = 0; i < pack->entry_count; i++) {
        const level5_entry *entry = &pack->entries[i];
        put_bytes(o, entry->data_offset, entry->data.data, entry->data.count);
        put_bytes(o, entry->offset, entry->head.data, entry->head.count);
    }
}

static void write_img(const level5_img *img, sni_writer *out)
{
    output o = begin_file(out, img->size, img->gaps, img->gap_count);
    for (uint32_t i = 0; i < img->picture_count; i++) {
        const level5_picture *picture = &img->pictures[i];
        put_bytes(o, level5_picture_data_offset(img->kind, picture), picture->data.data, picture->data.count);
        put_bytes(o, picture->offset, picture->head.data, picture->head.count);
    }
    put_words(o, 0, img->header, 4);
}

static void write_dq8_mds(const level5_dq8_mds *mds, sni_writer *out)
{
    output o = begin_file(out, mds->size, mds->gaps, mds->gap_count);
    put_bytes(o, mds->header[LEVEL5_DQ8_NODES], mds->nodes.data, (uint64_t)mds->nodes.count * LEVEL5_DQ8_NODE_BYTES);
    put_bytes(o, mds->header[LEVEL5_DQ8_MATERIALS], mds->materials.data,
              (uint64_t)mds->materials.count * LEVEL5_MATERIAL_BYTES);
    put_bytes(o, mds->header[LEVEL5_DQ8_NAMES], mds->names.data, mds->names.count);
    for (uint32_t i = 0; i < mds->mesh_count; i++)
        put_bytes(o, mds->meshes[i].offset, mds->meshes[i].bytes.data, mds->meshes[i].bytes.count);
    put_words(o, 0, mds->header, 20);
}

static void write_dq8_mot(const level5_dq8_mot *mot, sni_writer *out)
{
    output o = begin_file(out, mot->size, mot->gaps, mot->gap_count);
    for (uint32_t i = 0; i < mot->bone_count; i++)
        put_bytes(o, mot->bones[i].offset, mot->bones[i].bytes.data, mot->bones[i].bytes.count);
    put_words(o, 0, mot->header, 16);
}

// --- Configurations: commands from a file keep their source, others are formatted ---

// The games do not parse exponents, and recognise a float by its point.
static void write_float(float value, sni_writer *out)
{
    char text[64];
    size_t size = sni_format_float(value, text);
    if (memchr(text, 'e', size)) {
        size = (size_t)snprintf(text, sizeof text, "%.9f", (double)value);
        text[size - 10] = '.';  // in any locale
    }
    sni_write_bytes(out, text, size);
    if (!memchr(text, '.', size)) sni_write_text(out, ".0");
}

static void write_value(const level5_value *value, sni_writer *out)
{
    char number[16];
    if (value->kind == LEVEL5_FLOAT) {
        write_float(value->real, out);
    } else if (value->kind == LEVEL5_INT) {
        snprintf(number, sizeof number, "%d", value->number);
        sni_write_text(out, number);
    } else {
        sni_write_u8(out, '"');
        for (size_t i = 0; i < value->text.size; i++) {
            if (value->text.at[i] == '"') sni_write_u8(out, '\\');
            sni_write_u8(out, (uint8_t)value->text.at[i]);
        }
        sni_write_u8(out, '"');
    }
}

static void write_command(const level5_command *command, bool has_semicolons, sni_writer *out)
{
    sni_write_bytes(out, command->tag.at, command->tag.size);
    for (uint32_t i = 0; i < command->arg_count; i++) {
        sni_write_text(out, i == 0 ? " " : ", ");
        write_value(&command->args[i], out);
    }
    if (has_semicolons) sni_write_text(out, ";");
    if (command->comment.size > 0) {
        sni_write_text(out, " // ");
        sni_write_bytes(out, command->comment.at, command->comment.size);
    }
    sni_write_text(out, "\r\n");
}

static uint16_t tag_number(sni_str tag)
{
    for (int32_t i = 0; level5_tag_at(i); i++)
        if (sni_str_is_nocase(tag, level5_tag_at(i))) return (uint16_t)i;
    uint16_t number = 0;
    for (size_t i = 1; i < tag.size && tag.at[i] >= '0' && tag.at[i] <= '9'; i++)
        number = (uint16_t)(number * 10 + (tag.at[i] - '0'));
    return number;
}

static void write_compiled(const level5_command *command, sni_writer *out)
{
    static const uint8_t types[] = { [LEVEL5_INT] = 1, [LEVEL5_FLOAT] = 2, [LEVEL5_TEXT] = 3 };
    sni_write_u16(out, tag_number(command->tag));
    sni_write_u16(out, (uint16_t)command->arg_count);
    for (uint32_t i = 0; i < command->arg_count; i++) sni_write_u8(out, types[command->args[i].kind]);
    sni_write_align(out, 4, 0);
    for (uint32_t i = 0; i < command->arg_count; i++) {
        const level5_value *value = &command->args[i];
        if (value->kind == LEVEL5_INT) sni_write_u32(out, (uint32_t)value->number);
        if (value->kind == LEVEL5_FLOAT) sni_write_f32(out, value->real);
        if (value->kind != LEVEL5_TEXT) continue;
        sni_write_bytes(out, value->text.at, value->text.size);
        sni_write_u8(out, 0);
        sni_write_align(out, 4, 0);
    }
}

static void write_config(const level5_config *config, sni_writer *out)
{
    bool is_new = config->command_count > 0 && !config->commands[0].source.at;
    if (config->is_compiled && is_new) sni_write_bytes(out, "BIN", 4);
    for (uint32_t i = 0; i < config->command_count; i++) {
        const level5_command *command = &config->commands[i];
        if (command->source.at) sni_write_bytes(out, command->source.at, command->source.size);
        else if (config->is_compiled) write_compiled(command, out);
        else write_command(command, config->has_semicolons, out);
    }
    sni_write_bytes(out, config->rest.at, config->rest.size);
}

void level5_write(const level5_doc *doc, sni_writer *out)
{
    const level5_binds *binds = &doc->as.binds;
    switch (doc->kind) {
    case LEVEL5_KIND_MDS: write_mds(&doc->as.mds, out); break;
    case LEVEL5_KIND_TRACKS: write_tracks(&doc->as.tracks, out); break;
    case LEVEL5_KIND_BINDS:
        sni_write_bytes(out, binds->matrices.data, (size_t)binds->matrices.count * LEVEL5_MATRIX_BYTES);
        sni_write_bytes(out, binds->trailing.data, binds->trailing.count);
        break;
    case LEVEL5_KIND_CONFIG: write_config(&doc->as.config, out); break;
    case LEVEL5_KIND_PACK: write_pack(&doc->as.pack, out); break;
    case LEVEL5_KIND_IMG: write_img(&doc->as.img, out); break;
    case LEVEL5_KIND_DQ8_MDS: write_dq8_mds(&doc->as.dq8_mds, out); break;
    case LEVEL5_KIND_DQ8_MOT: write_dq8_mot(&doc->as.dq8_mot, out); break;
    default: break;
    }
}
