// Bytes to documents: the choice of a parser, and the formats that are simple lists: packs, image archives (IMG, IM2,
// IM3), tracks (MOT, WGT) and bind matrices (BBP).
#include "format/level5/level5_parse.h"
#include "io/level5_pack.h"

#include <stdio.h>
#include <stdlib.h>

// --- Claims and gaps ---

typedef struct claim {
    uint64_t start, end;
} claim;

void level5_claim(level5_parser *p, uint64_t offset, uint64_t size)
{
    claim *last = p->claims.count > 0 ? (claim *)p->claims.items + p->claims.count - 1 : NULL;
    if (size == 0) return;
    if (last && last->end == offset) {
        last->end += size;
        return;
    }
    claim *slot = sni_push(&p->load->scratch, &p->claims, claim);
    if (slot) *slot = (claim){ offset, offset + size };
}

static int compare_claims(const void *left, const void *right)
{
    const claim *a = left, *b = right;
    return a->start != b->start ? (a->start < b->start ? -1 : 1) : (a->end > b->end) - (a->end < b->end);
}

bool level5_find_gaps(level5_parser *p, level5_span **gaps, uint32_t *count)
{
    const claim *claims = p->claims.items;
    uint64_t at = 0;
    if (!sni_load_ok(p->load)) return false;
    if (p->claims.count > 1) qsort(p->claims.items, p->claims.count, sizeof *claims, compare_claims);
    level5_span *spans = sni_new(p->arena, level5_span, (uint64_t)p->claims.count + 1);
    if (!spans) return false;
    *gaps = spans;
    *count = 0;
    for (uint32_t i = 0; i <= p->claims.count; i++) {
        uint64_t start = i < p->claims.count ? claims[i].start : p->bytes.size;
        if (start > at) spans[(*count)++] = (level5_span){ at, { p->bytes.data + at, (uint32_t)(start - at) } };
        if (i < p->claims.count && claims[i].end > at) at = claims[i].end;
    }
    return true;
}

// --- Values ---

sni_str level5_until_nul(const uint8_t *at, size_t size)
{
    const uint8_t *nul = size > 0 ? memchr(at, 0, size) : NULL;
    return sni_str_make((const char *)at, nul ? (size_t)(nul - at) : size);
}

int level5_compare_u32(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

sn_vec4 level5_read_vector(level5_array array, uint32_t index)
{
    const uint8_t *at = array.data + (size_t)index * LEVEL5_VECTOR_BYTES;
    return (sn_vec4){ sni_load_f32(at), sni_load_f32(at + 4), sni_load_f32(at + 8), sni_load_f32(at + 12) };
}

void level5_read_matrix(level5_array matrices, uint32_t index, float out[16])
{
    sni_load_words(matrices.data + (size_t)index * LEVEL5_MATRIX_BYTES, out, 16);
}

level5_key level5_read_key(const level5_track *track, uint32_t index)
{
    const uint8_t *at = track->keys.data + (size_t)index * LEVEL5_KEY_BYTES;
    level5_key key = { .frame = sni_load_u32(at) };
    sni_load_words(at + 16, key.value, 4);
    return key;
}

uint32_t level5_track_width(int32_t type)
{
    switch (type) {
    case LEVEL5_ROTATION: return 4;
    case LEVEL5_SCALE:
    case LEVEL5_TRANSLATION:
    case LEVEL5_VERTEX:
    case LEVEL5_CAMERA_POSITION:
    case LEVEL5_CAMERA_TARGET:
    case LEVEL5_MATERIAL_COLOR: return 3;
    case LEVEL5_CAMERA_ROLL:
    case LEVEL5_CAMERA_FOV:
    case LEVEL5_MATERIAL_ALPHA:
    case LEVEL5_VISIBLE_SELF:
    case LEVEL5_VISIBLE_TREE: return 1;
    default: return 0;
    }
}

// --- Packs: one level of them; members are parsed when they are opened ---

static void check_entry(level5_parser *p, const sni_level5_pack_entry *entry, uint32_t index)
{
    char label[SNI_LEVEL5_PACK_NAME_BYTES + 1];
    const uint32_t distance = sni_load_u32(p->bytes.data + entry->offset + 72);
    bool is_truncated = entry->size < entry->stated,
         ends_chain = entry->next == p->bytes.size && distance != 0 && distance < SNI_LEVEL5_PACK_ENTRY_BYTES;
    if (!is_truncated && !ends_chain) return;
    snprintf(label, sizeof label, "%.*s", (int)entry->name.size, entry->name.at);
    sni_enter_named(p->diag, "ENTRY", index, label);
    if (is_truncated)
        sni_warn(p->diag, SNI_WARN_LEVEL5_SIZE, entry->offset + 68, "stated size is %u bytes, only %llu are present",
                 entry->stated, (unsigned long long)entry->size);
    else
        sni_warn(p->diag, SNI_WARN_LEVEL5_SIZE, entry->offset + 72,
                 "distance to the next entry is %u bytes, less than an entry; no further entries are read", distance);
    sni_leave(p->diag);
}

static bool parse_pack(level5_parser *p, level5_pack *pack)
{
    sni_list list = { 0 };
    sni_level5_pack_entry from = { 0 };
    pack->size = p->bytes.size;
    while (sni_load_ok(p->load) && sni_level5_pack_next(p->bytes, &from)) {
        level5_entry *entry = sni_push(p->arena, &list, level5_entry);
        if (!entry) return false;
        *entry = (level5_entry){
            .offset = from.offset,
            .head = { p->bytes.data + from.offset, LEVEL5_PACK_ENTRY_BYTES },
            .name = from.name,
            .data = { p->bytes.data + from.data, (uint32_t)from.size },
            .data_offset = from.data,
        };
        level5_claim(p, from.offset, LEVEL5_PACK_ENTRY_BYTES);
        level5_claim(p, from.data, from.size);
        check_entry(p, &from, list.count - 1);
    }
    pack->entries = list.items;
    pack->entry_count = list.count;
    return level5_find_gaps(p, &pack->gaps, &pack->gap_count);
}

// --- Image archives ---

enum { IMG_HEADER = 16 };

// The wrap mode is two bits of the GS register CLAMP: 0 repeats, the others clamp.
static void read_picture(sni_reader *in, level5_img_kind kind, level5_picture *picture)
{
    picture->offset = sni_offset(in);
    const uint8_t *at = sni_take(in, level5_picture_bytes(kind));
    if (!at) return;
    picture->head = (level5_array){ at, level5_picture_bytes(kind) };
    picture->name = level5_until_nul(at, LEVEL5_NAME_BYTES);
    picture->is_swizzled = kind == LEVEL5_IM2;
    picture->wrap_u = picture->wrap_v = SN_CLAMP;
    if (kind != LEVEL5_IM3) return;
    uint32_t clamp = sni_load_u32(at + 56);
    picture->is_script = at[0] == '#';
    picture->is_empty = sni_load_u16(at + 48) != 0;
    picture->is_swizzled = sni_load_u32(at + 40) != 0;
    if ((clamp & 3) == 0) picture->wrap_u = SN_REPEAT;
    if ((clamp >> 2 & 3) == 0) picture->wrap_v = SN_REPEAT;
}

// Only IM3 stores sizes. In the older archives a picture ends where the next one begins.
static void find_data(level5_parser *p, const level5_img *img, level5_picture *picture, const uint32_t *offsets)
{
    uint32_t offset = level5_picture_data_offset(img->kind, picture), file_size = (uint32_t)p->bytes.size;
    uint32_t end = file_size;
    if (picture->is_empty) return;
    if (img->kind != LEVEL5_IM3) {
        uint32_t low = 0, high = img->picture_count;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (offsets[middle] <= offset) low = middle + 1;
            else high = middle;
        }
        if (low < img->picture_count && offsets[low] < file_size) end = offsets[low];
    }
    uint32_t room = offset <= end ? end - offset : 0,
             stated = img->kind == LEVEL5_IM3 ? sni_load_u32(picture->head.data + 52) : room;
    if (offset >= file_size || stated > room)
        sni_warn(p->diag, SNI_WARN_LEVEL5_SIZE, picture->offset,
                 "its %u bytes at offset %u reach past the end of the file at %u", stated, offset, file_size);
    if (offset >= file_size) return;
    picture->data = (level5_array){ p->bytes.data + offset, stated < room ? stated : room };
    level5_claim(p, offset, picture->data.count);
}

static bool parse_img(level5_parser *p, level5_img *img)
{
    sni_reader in = sni_reader_make(p->bytes.data, p->bytes.size, p->diag, p->arena);
    img->size = p->bytes.size;
    sni_read_words(&in, img->header, 4);
    if (!sni_ok(&in)) return false;
    for (img->kind = LEVEL5_IMG; img->header[0] != level5_img_magic(img->kind); img->kind++)
        if (img->kind == LEVEL5_IM3) return sni_fail(p->diag, SN_ERR_FORMAT, 0, "does not begin with IMG, IM2 or IM3");

    uint32_t count = img->header[img->kind == LEVEL5_IM3 ? 2 : 1];
    if (!sni_has_items(&in, count, level5_picture_bytes(img->kind))) return false;
    img->pictures = sni_new(p->arena, level5_picture, count);
    uint32_t *offsets = sni_new_raw(&p->load->scratch, uint32_t, count);
    if (!img->pictures || !offsets) return false;
    img->picture_count = count;
    level5_claim(p, 0, IMG_HEADER + (uint64_t)count * level5_picture_bytes(img->kind));
    for (uint32_t i = 0; i < count; i++) {
        read_picture(&in, img->kind, &img->pictures[i]);
        if (!sni_ok(&in)) return false;  // the claim has no memory
        offsets[i] = level5_picture_data_offset(img->kind, &img->pictures[i]);
    }

    if (count > 1) qsort(offsets, count, sizeof *offsets, level5_compare_u32);
    for (uint32_t i = 0; i < count; i++) {
        sni_enter(p->diag, "PICTURE", i);
        find_data(p, img, &img->pictures[i], offsets);
        sni_leave(p->diag);
    }
    return level5_find_gaps(p, &img->gaps, &img->gap_count);
}

// --- Tracks ---

// The number of keys that are present: the stated count or, if that leads past the end of the file, as many as fit
// before the next track.
static uint32_t count_keys(const sni_reader *in, const level5_track *track)
{
    uint32_t room = sni_rest_count(in, LEVEL5_KEY_BYTES);
    if (track->count <= room) return track->count;
    if (track->next >= LEVEL5_TRACK_BYTES && track->next - LEVEL5_TRACK_BYTES <= sni_rest(in)) {
        sni_warn(in->diag, SNI_WARN_LEVEL5_SIZE, track->offset + 16,
                 "%u keys stated, the file has room for %u; using the distance of %u bytes to the next track",
                 track->count, room, track->next);
        return (track->next - LEVEL5_TRACK_BYTES) / LEVEL5_KEY_BYTES;
    }
    sni_fail(in->diag, SN_ERR_TRUNCATED, track->offset, "%u keys need %u bytes each, %zu remain", track->count,
             LEVEL5_KEY_BYTES, sni_rest(in));
    return 0;
}

static void parse_track(level5_parser *p, sni_reader *in, level5_track *track)
{
    track->offset = sni_offset(in);
    track->node = sni_read_i32(in);
    track->target = sni_read_i32(in);
    track->type = sni_read_i32(in);
    sni_skip(in, 4);  // size of the header, checked by the caller
    track->count = sni_read_u32(in);
    track->next = sni_read_u32(in);
    sni_read_words(in, track->unused, 2);
    uint32_t count = count_keys(in, track);
    uint64_t bytes = LEVEL5_TRACK_BYTES + (uint64_t)count * LEVEL5_KEY_BYTES;
    level5_claim(p, track->offset, bytes);
    track->keys = (level5_array){ sni_take(in, (uint64_t)count * LEVEL5_KEY_BYTES), count };
    if (count != track->count) sni_skip(in, track->next - bytes);
    else if (track->next != 0 && track->next != bytes)
        sni_warn(p->diag, SNI_WARN_LEVEL5_SIZE, track->offset + 20,
                 "distance to the next track is %u bytes, but the %u keys end after %llu", track->next, count,
                 (unsigned long long)bytes);
}

static bool parse_tracks(level5_parser *p, level5_tracks *tracks)
{
    sni_list list = { 0 };
    bool is_last = false;
    sni_reader in = sni_reader_make(p->bytes.data, p->bytes.size, p->diag, p->arena);
    tracks->size = p->bytes.size;
    while (sni_ok(&in) && !is_last && sni_rest(&in) >= LEVEL5_TRACK_BYTES &&
           sni_load_u32(in.at + 12) == LEVEL5_TRACK_BYTES) {
        level5_track *track = sni_push(p->arena, &list, level5_track);
        if (!track) break;
        sni_enter(p->diag, "TRACK", list.count - 1);
        parse_track(p, &in, track);
        sni_leave(p->diag);
        is_last = track->next == 0;
    }
    if (!is_last && sni_rest(&in) >= LEVEL5_TRACK_BYTES && list.count == 0)
        return sni_fail(p->diag, SN_ERR_FORMAT, 12, "track header of %u bytes; expected %u", sni_load_u32(in.at + 12),
                        LEVEL5_TRACK_BYTES);
    if (sni_rest(&in) >= LEVEL5_TRACK_BYTES)
        sni_warn(p->diag, SNI_WARN_LEVEL5_LEFTOVER, sni_offset(&in), "%zu bytes after the last track", sni_rest(&in));
    tracks->tracks = list.items;
    tracks->track_count = list.count;
    return sni_ok(&in) && level5_find_gaps(p, &tracks->gaps, &tracks->gap_count);
}

// --- Bind matrices ---

static bool parse_binds(level5_parser *p, level5_binds *binds)
{
    uint32_t count = (uint32_t)(p->bytes.size / LEVEL5_MATRIX_BYTES),
             over = (uint32_t)(p->bytes.size % LEVEL5_MATRIX_BYTES);
    binds->matrices = (level5_array){ p->bytes.data, count };
    binds->trailing = (level5_array){ p->bytes.data + p->bytes.size - over, over };
    if (over > 0)
        sni_warn(p->diag, SNI_WARN_LEVEL5_LEFTOVER, p->bytes.size - over, "%u bytes after %u matrices", over, count);
    return sni_load_ok(p->load);
}

// --- All kinds ---

bool level5_parse(sni_load *load, level5_kind kind, sni_bytes bytes, level5_doc *doc)
{
    level5_parser p = { .load = load, .diag = &load->diag, .arena = sni_load_document_arena(load), .bytes = bytes };
    doc->kind = kind;
    if (kind == LEVEL5_KIND_MDS && level5_is_dq8_mds(bytes)) doc->kind = LEVEL5_KIND_DQ8_MDS;
    if (kind == LEVEL5_KIND_TRACKS && level5_is_dq8_mot(bytes)) doc->kind = LEVEL5_KIND_DQ8_MOT;
    if (bytes.size > UINT32_MAX)
        return sni_fail(&load->diag, SN_ERR_LIMIT, 0, "%zu bytes; offsets are limited to %u", bytes.size, UINT32_MAX);
    switch (doc->kind) {
    case LEVEL5_KIND_MDS: return level5_parse_mds(&p, &doc->as.mds);
    case LEVEL5_KIND_TRACKS: return parse_tracks(&p, &doc->as.tracks);
    case LEVEL5_KIND_BINDS: return parse_binds(&p, &doc->as.binds);
    case LEVEL5_KIND_CONFIG: return level5_parse_config(&p, &doc->as.config);
    case LEVEL5_KIND_PACK: return parse_pack(&p, &doc->as.pack);
    case LEVEL5_KIND_IMG: return parse_img(&p, &doc->as.img);
    case LEVEL5_KIND_DQ8_MDS: return level5_parse_dq8_mds(&p, &doc->as.dq8_mds);
    case LEVEL5_KIND_DQ8_MOT: return level5_parse_dq8_mot(&p, &doc->as.dq8_mot);
    default: return sni_fail(&load->diag, SN_ERR_FORMAT, 0, "not a file of a Level-5 game");
    }
}
