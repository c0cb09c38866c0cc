// Dragon Quest VIII's MOT: bones, each with up to three channels of 16-bit keys.
#include "format/level5/level5_parse.h"

enum {
    BONE_BYTES = 16,
    CHANNEL_BYTES = 32,
    BONE_COUNT = 7,
    FIRST_BONE = 8,
    ROTATION = 1,
    TRANSLATION = 3,
    SCALE = 6,
    MOST_NODES = 1 << 16
};

static uint32_t count_channels(const uint8_t *bone)
{
    uint32_t flags = sni_load_u16(bone + 12);
    return (flags & 1) + (flags >> 1 & 1) + (flags >> 2 & 1);
}

static bool is_kind(uint32_t kind) { return kind == ROTATION || kind == TRANSLATION || kind == SCALE; }

// A bone that says how long it is, for a node that there may be, and channels of known kinds.
static bool is_bone(const uint8_t *at, uint64_t room)
{
    uint32_t next = room >= BONE_BYTES ? sni_load_u32(at) : 0, channels = next >= BONE_BYTES ? count_channels(at) : 0;
    if (channels == 0 || next < BONE_BYTES + 8 * channels || next > room || sni_load_u32(at + 4) >= MOST_NODES)
        return false;
    for (uint32_t i = 0; i < channels; i++)
        if (!is_kind(sni_load_u32(at + BONE_BYTES + 8 * i)) || sni_load_u32(at + BONE_BYTES + 8 * i + 4) > next)
            return false;
    return true;
}

bool level5_is_dq8_mot(sni_bytes bytes)
{
    if (bytes.size < LEVEL5_DQ8_MOT_BYTES) return false;
    uint32_t count = sni_load_u32(bytes.data + 4 * BONE_COUNT), first = sni_load_u32(bytes.data + 4 * FIRST_BONE);
    if (count == 0 || count > MOST_NODES || first < LEVEL5_DQ8_MOT_BYTES || first > bytes.size) return false;
    return is_bone(bytes.data + first, bytes.size - first);
}

static bool parse_channel(const level5_dq8_bone *bone, uint32_t at, level5_dq8_channel *channel)
{
    if (at > bone->bytes.count || bone->bytes.count - at < CHANNEL_BYTES) return false;
    const uint8_t *head = bone->bytes.data + at;
    uint32_t room = bone->bytes.count - at, count = sni_load_u16(head + 6), frames = sni_load_u16(head + 8),
             values = sni_load_u16(head + 12);
    uint32_t value_bytes = channel->kind == ROTATION ? 8 : 6;
    sni_load_words(head + 16, channel->scale, 4);
    bool has_frames = frames <= room && 2 * count <= room - frames,
         has_values = values <= room && value_bytes * count <= room - values;
    if (!has_frames || !has_values || count == 0) return false;
    if (frames != 0) channel->frames = (level5_array){ head + frames, count };
    channel->values = (level5_array){ head + values, count };
    return true;
}

static void parse_bone(level5_parser *p, level5_dq8_bone *bone)
{
    const uint8_t *at = bone->bytes.data;
    uint32_t count = count_channels(at), bad = 0;
    bone->node = (int32_t)sni_load_u32(at + 4);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *entry = at + BONE_BYTES + 8 * i;
        level5_dq8_channel channel = { .kind = sni_load_u32(entry) };
        bool is_good = is_kind(channel.kind) && parse_channel(bone, sni_load_u32(entry + 4), &channel);
        if (is_good) bone->channels[bone->channel_count++] = channel;
        bad += !is_good;
    }
    sni_warn_many(p->diag, SNI_WARN_LEVEL5_SECTION, bad, bone->offset,
                  "channels of unknown kinds, without keys or outside their bone");
}

bool level5_parse_dq8_mot(level5_parser *p, level5_dq8_mot *mot)
{
    mot->size = p->bytes.size;
    sni_load_words(p->bytes.data, mot->header, 16);
    level5_claim(p, 0, LEVEL5_DQ8_MOT_BYTES);
    uint32_t count = mot->header[BONE_COUNT];
    uint64_t at = mot->header[FIRST_BONE];
    if (count > p->bytes.size / BONE_BYTES)
        return sni_fail(p->diag, SN_ERR_TRUNCATED, 4 * BONE_COUNT, "%u bones need %u bytes each, the file has %zu",
                        count, BONE_BYTES, p->bytes.size);
    mot->bones = sni_new(p->arena, level5_dq8_bone, count);
    for (uint32_t i = 0; i < count && sni_load_ok(p->load); i++) {
        uint64_t room = at <= p->bytes.size ? p->bytes.size - at : 0;
        uint32_t own = room >= BONE_BYTES ? sni_load_u32(p->bytes.data + at) : 0;
        if (own == 0 && i + 1 == count) own = (uint32_t)room;
        sni_enter(p->diag, "BONE", i);
        if (own < BONE_BYTES || own > room || own < BONE_BYTES + 8 * count_channels(p->bytes.data + at)) {
            sni_warn(p->diag, SNI_WARN_LEVEL5_SIZE, at, "a bone of %u bytes, %llu remain; %u of %u were read", own,
                     (unsigned long long)room, i, count);
            count = i;
        } else {
            mot->bones[i] = (level5_dq8_bone){ .offset = at, .bytes = { p->bytes.data + at, own } };
            level5_claim(p, at, own);
            parse_bone(p, &mot->bones[i]);
            mot->bone_count = i + 1;
            at += own;
        }
        sni_leave(p->diag);
    }
    return sni_load_ok(p->load) && level5_keep_gaps(p, &mot->gaps, &mot->gap_count);
}
