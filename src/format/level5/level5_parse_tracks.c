// MOT and WGT: lists of tracks. BBP: matrices.
#include "format/level5/level5_parse.h"

// How many of its keys are there: as many as it counts or, where those lead out of the file, as reach to the next
// track.
static uint32_t count_keys(const sni_reader *in, const level5_track *track)
{
    uint32_t room = sni_rest_count(in, LEVEL5_KEY_BYTES);
    if (track->count <= room) return track->count;
    bool has_next = track->next >= LEVEL5_TRACK_BYTES && track->next - LEVEL5_TRACK_BYTES <= sni_rest(in);
    if (has_next) {
        sni_warn(in->diag, SNI_WARN_LEVEL5_SIZE, track->offset + 16,
                 "%u keys, room for %u; the next track is %u bytes on", track->count, room, track->next);
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
    sni_skip(in, 4);  // the header's size, which the caller has seen
    track->count = sni_read_u32(in);
    track->next = sni_read_u32(in);
    sni_read_words(in, track->junk, 2);
    uint32_t count = count_keys(in, track);
    level5_claim(p, track->offset, LEVEL5_TRACK_BYTES + (uint64_t)count * LEVEL5_KEY_BYTES);
    track->keys = (level5_array){ sni_take(in, (uint64_t)count * LEVEL5_KEY_BYTES), count };
    uint64_t own = LEVEL5_TRACK_BYTES + (uint64_t)count * LEVEL5_KEY_BYTES;
    if (count != track->count) sni_skip(in, track->next - own);
    else if (track->next != 0 && track->next != own)
        sni_warn(p->diag, SNI_WARN_LEVEL5_SIZE, track->offset + 20,
                 "the next track should lie %u bytes on; %u keys end after %llu", track->next, count,
                 (unsigned long long)own);
}

static bool has_track(const sni_reader *in)
{
    return sni_rest(in) >= LEVEL5_TRACK_BYTES && sni_load_u32(in->at + 12) == LEVEL5_TRACK_BYTES;
}

bool level5_parse_tracks(level5_parser *p, level5_tracks *tracks)
{
    sni_list list = { 0 };
    bool is_last = false;
    sni_reader in = sni_reader_make(p->bytes.data, p->bytes.size, p->diag, p->arena);
    tracks->size = p->bytes.size;
    while (sni_ok(&in) && !is_last && has_track(&in)) {
        level5_track *track = sni_push(p->arena, &list, level5_track);
        if (!track) break;
        sni_enter(p->diag, "TRACK", list.count - 1);
        parse_track(p, &in, track);
        sni_leave(p->diag);
        is_last = track->next == 0;
    }
    if (!is_last && sni_rest(&in) >= LEVEL5_TRACK_BYTES && list.count == 0)
        return sni_fail(p->diag, SN_ERR_FORMAT, 12, "a track's header has %u bytes, not %u", LEVEL5_TRACK_BYTES,
                        sni_load_u32(in.at + 12));
    if (sni_rest(&in) >= LEVEL5_TRACK_BYTES)
        sni_warn(p->diag, SNI_WARN_LEVEL5_LEFTOVER, sni_offset(&in), "%zu bytes behind the last track", sni_rest(&in));
    tracks->tracks = list.items;
    tracks->track_count = list.count;
    return sni_ok(&in) && level5_keep_gaps(p, &tracks->gaps, &tracks->gap_count);
}

level5_key level5_read_key(const level5_track *track, uint32_t index)
{
    const uint8_t *at = track->keys.data + (size_t)index * LEVEL5_KEY_BYTES;
    level5_key key = { .frame = sni_load_u32(at) };
    sni_load_words(at + 16, key.value, 4);
    return key;
}

bool level5_parse_binds(level5_parser *p, level5_binds *binds)
{
    uint32_t count = (uint32_t)(p->bytes.size / LEVEL5_MATRIX_BYTES),
             over = (uint32_t)(p->bytes.size % LEVEL5_MATRIX_BYTES);
    binds->matrices = (level5_array){ p->bytes.data, count };
    binds->stray = (level5_array){ p->bytes.data + p->bytes.size - over, over };
    if (over > 0)
        sni_warn(p->diag, SNI_WARN_LEVEL5_LEFTOVER, p->bytes.size - over, "%u bytes behind %u matrices", over, count);
    return sni_load_ok(p->load);
}
