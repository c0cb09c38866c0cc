// Animations and their channels, still encoded: each has the bytes for all that it announces.
#include "format/w3d/w3d_parse.h"

enum { HEADER_BYTES = 44, RAW_HEAD = 12, RAW_BITS_HEAD = 9, HEAD = 8, ADAPTIVE_BLOCK = 16 };

// A quaternion has four components, all else one.
static bool has_fitting_width(const w3d_channel *channel)
{
    return channel->width == (channel->type == W3D_QUATERNION ? 4 : 1);
}

// Deltas lead from the first frame to each other one, in blocks that begin at frame 1.
static uint64_t adaptive_bytes(const w3d_channel *channel, uint32_t packet_bytes)
{
    uint64_t blocks = ((uint64_t)channel->count - 1 + ADAPTIVE_BLOCK - 1) / ADAPTIVE_BLOCK;
    return channel->width * (4 + blocks * packet_bytes);
}

static uint64_t data_bytes(const w3d_channel *channel)
{
    uint64_t count = channel->count, width = channel->width;
    switch (channel->kind) {
    case W3D_RAW: return 4 * count * width;
    case W3D_RAW_BITS: return (count + 7) / 8;
    case W3D_TIMECODED: return count * (4 + 4 * width);
    case W3D_TIMECODED_BITS: return 4 * count;
    case W3D_MOTION_TIMECODED: return 2 * (count + count % 2) + 4 * count * width;
    case W3D_MOTION_ADAPTIVE8: return adaptive_bytes(channel, 17);
    default: return adaptive_bytes(channel, 9);
    }
}

static bool is_adaptive(const w3d_channel *channel)
{
    return channel->kind == W3D_ADAPTIVE4 || channel->kind == W3D_MOTION_ADAPTIVE4 ||
           channel->kind == W3D_MOTION_ADAPTIVE8;
}

static void read_raw(sni_reader *in, w3d_channel *channel)
{
    channel->first_frame = sni_read_u16(in);
    channel->last_frame = sni_read_u16(in);
    if (channel->kind == W3D_RAW) channel->width = sni_read_u16(in);
    channel->type = sni_read_u16(in);
    channel->pivot = sni_read_u16(in);
    if (channel->kind == W3D_RAW) sni_skip(in, 2);  // never set: anything may stand there
    else channel->fallback = sni_read_u8(in);
    if (channel->last_frame >= channel->first_frame) channel->count = channel->last_frame - channel->first_frame + 1;
}

static void read_compressed(sni_reader *in, w3d_channel *channel)
{
    channel->count = sni_read_u32(in);
    channel->pivot = sni_read_u16(in);
    if (channel->kind == W3D_TIMECODED_BITS) {
        channel->type = sni_read_u8(in);
        channel->fallback = sni_read_u8(in);
    } else {
        channel->width = sni_read_u8(in);
        channel->type = sni_read_u8(in);
    }
}

static void read_motion(sni_reader *in, w3d_channel *channel)
{
    sni_skip(in, 2);
    channel->width = sni_read_u8(in);
    channel->type = sni_read_u8(in);
    channel->count = sni_read_u16(in);
    channel->pivot = sni_read_u16(in);
}

static void read_head(sni_reader *in, w3d_channel *channel)
{
    channel->width = 1;
    if (channel->kind == W3D_RAW || channel->kind == W3D_RAW_BITS) read_raw(in, channel);
    else if (channel->kind >= W3D_MOTION_TIMECODED) read_motion(in, channel);
    else read_compressed(in, channel);
}

// Which kind the chunk is of; false where that is not known.
static bool find_kind(const w3d_chunk *chunk, const w3d_animation *animation, w3d_channel_kind *kind)
{
    uint32_t variant = chunk->id == W3D_MOTION_CHANNEL && chunk->bytes.count > 1 ? chunk->bytes.data[1]
                                                                                 : animation->flavor;
    switch (chunk->id) {
    case W3D_CHANNEL: *kind = W3D_RAW; return true;
    case W3D_BIT_CHANNEL: *kind = W3D_RAW_BITS; return true;
    case W3D_COMPRESSED_BITS: *kind = W3D_TIMECODED_BITS; return true;
    case W3D_COMPRESSED_CHANNEL: *kind = variant == 0 ? W3D_TIMECODED : W3D_ADAPTIVE4; return variant < 2;
    default: *kind = (w3d_channel_kind)(W3D_MOTION_TIMECODED + variant % 3); return variant < 3;
    }
}

static bool is_usable(w3d_parser *p, const w3d_channel *channel, uint64_t rest)
{
    if (channel->count == 0) {
        w3d_warn(p, channel->chunk, SNI_WARN_W3D_CHANNEL, "it has no frames (%u to %u)", channel->first_frame,
                 channel->last_frame);
    } else if (!has_fitting_width(channel)) {
        w3d_warn(p, channel->chunk, SNI_WARN_W3D_CHANNEL, "values of type %u do not have %u components", channel->type,
                 channel->width);
    } else if (data_bytes(channel) > rest) {
        w3d_warn(p, channel->chunk, SNI_WARN_W3D_CHANNEL, "%u frames or keys need %llu bytes, %llu are there",
                 channel->count, (unsigned long long)data_bytes(channel), (unsigned long long)rest);
    } else {
        return true;
    }
    return false;
}

static bool parse_channel(w3d_parser *p, int32_t chunk, const w3d_animation *animation, w3d_channel *channel)
{
    sni_reader in;
    *channel = (w3d_channel){ .chunk = chunk };
    if (!find_kind(w3d_at(p, chunk), animation, &channel->kind)) {
        w3d_warn(p, chunk, SNI_WARN_W3D_CHANNEL, "a channel of a kind that is not known");
        return false;
    }
    uint32_t least = channel->kind == W3D_RAW        ? RAW_HEAD
                     : channel->kind == W3D_RAW_BITS ? RAW_BITS_HEAD
                     : is_adaptive(channel)          ? HEAD + 4
                                                     : HEAD;
    if (!w3d_open(p, chunk, least, &in)) return false;
    read_head(&in, channel);
    if (is_adaptive(channel)) channel->scale = sni_read_f32(&in);
    if (!is_usable(p, channel, sni_rest(&in))) return false;
    channel->data = (w3d_array){ in.at, (uint32_t)data_bytes(channel) };
    return true;
}

static bool is_channel(const w3d_chunk *chunk, bool is_compressed)
{
    if (is_compressed) return chunk->id >= W3D_COMPRESSED_CHANNEL && chunk->id <= W3D_MOTION_CHANNEL;
    return chunk->id == W3D_CHANNEL || chunk->id == W3D_BIT_CHANNEL;
}

static void parse_channels(w3d_parser *p, w3d_animation *animation)
{
    uint32_t count = 0;
    int32_t first = w3d_at(p, animation->chunk)->first_child;
    for (int32_t child = first; child >= 0; child = w3d_at(p, child)->next)
        count += is_channel(w3d_at(p, child), animation->is_compressed);
    animation->channels = sni_new(p->arena, w3d_channel, count);
    for (int32_t child = first; child >= 0 && animation->channels; child = w3d_at(p, child)->next) {
        if (!is_channel(w3d_at(p, child), animation->is_compressed)) continue;
        bool is_kept = parse_channel(p, child, animation, &animation->channels[animation->channel_count]);
        animation->channel_count += is_kept;
    }
}

void w3d_parse_animation(w3d_parser *p, int32_t chunk)
{
    sni_reader in;
    w3d_animation animation = { .chunk = chunk, .is_compressed = w3d_at(p, chunk)->id == W3D_COMPRESSED };
    uint32_t header = animation.is_compressed ? W3D_COMPRESSED_HEADER : W3D_ANIMATION_HEADER;
    if (!w3d_open_header(p, chunk, header, HEADER_BYTES, &in)) return;
    animation.version = sni_read_u32(&in);
    animation.name = w3d_read_str(&in, W3D_NAME_BYTES);
    animation.hierarchy = w3d_read_str(&in, W3D_NAME_BYTES);
    animation.frame_count = sni_read_u32(&in);
    animation.frame_rate = animation.is_compressed ? sni_read_u16(&in) : sni_read_u32(&in);
    if (animation.is_compressed) animation.flavor = sni_read_u16(&in);
    parse_channels(p, &animation);
    w3d_animation *slot = sni_push(p->arena, &p->animations, w3d_animation);
    if (slot) *slot = animation;
}
