// Channels to numbers. Their bytes were proven to exist when they were parsed.
#include "format/w3d/w3d_doc.h"

enum { BLOCK = 16, PACKET4_BYTES = 9, PACKET8_BYTES = 17 };
static const uint32_t TOP_BIT = 0x80000000u;

static void decode_floats(const uint8_t *at, uint64_t count, float *values)
{
    for (uint64_t i = 0; i < count; i++) values[i] = sni_load_f32(at + 4 * i);
}

static void decode_bits(const w3d_channel *channel, float *values)
{
    for (uint32_t i = 0; i < channel->count; i++) values[i] = (float)(channel->data.data[i >> 3] >> (i & 7) & 1);
}

static void decode_timecoded(const w3d_channel *channel, w3d_keys *keys)
{
    uint32_t width = channel->width;
    const uint8_t *at = channel->data.data;
    for (uint32_t i = 0; i < channel->count; i++, at += 4 + 4 * width) {
        uint32_t code = sni_load_u32(at);
        keys->frames[i] = code & ~TOP_BIT;
        keys->is_jump[i] = (code & TOP_BIT) != 0;
        decode_floats(at + 4, width, keys->values + (size_t)i * width);
    }
}

static void decode_timecoded_bits(const w3d_channel *channel, w3d_keys *keys)
{
    for (uint32_t i = 0; i < channel->count; i++) {
        uint32_t code = sni_load_u32(channel->data.data + 4 * (size_t)i);
        keys->frames[i] = code & ~TOP_BIT;
        keys->values[i] = code & TOP_BIT ? 1.0f : 0.0f;
        keys->is_jump[i] = true;
    }
}

// All frame numbers first, an even number of them, then all values.
static void decode_motion_keys(const w3d_channel *channel, w3d_keys *keys)
{
    const uint8_t *at = channel->data.data;
    size_t count = channel->count;
    for (size_t i = 0; i < count; i++) {
        keys->frames[i] = sni_load_u16(at + 2 * i);
        keys->is_jump[i] = false;
    }
    decode_floats(at + 2 * (count + count % 2), (uint64_t)count * channel->width, keys->values);
}

// Nibbles from the low one on, in two's complement.
static float delta4(const uint8_t *packet, uint32_t i)
{
    int nibble = packet[1 + i / 2] >> 4 * (i % 2) & 15;
    return (float)(nibble < 8 ? nibble : nibble - 16);
}

// Bytes that stand for sixteenths, 128 for nothing.
static float delta8(const uint8_t *packet, uint32_t i) { return (float)((int)packet[1 + i] - 128) / 16.0f; }

// Each frame is the one before and a delta; each component has its own packet for every 16 frames. Summed up in
// float32, as the games do, so that all errors are theirs.
static void decode_adaptive(const w3d_channel *channel, float *values)
{
    bool is_wide = channel->kind == W3D_MOTION_ADAPTIVE8;
    size_t width = channel->width, packet_bytes = is_wide ? PACKET8_BYTES : PACKET4_BYTES;
    const uint8_t *packets = channel->data.data + 4 * width;
    decode_floats(channel->data.data, width, values);
    for (uint32_t frame = 1; frame < channel->count; frame++) {
        uint32_t block = (frame - 1) / BLOCK, i = (frame - 1) % BLOCK;
        for (size_t v = 0; v < width; v++) {
            const uint8_t *packet = packets + packet_bytes * (block * width + v);
            float step = w3d_delta_table[packet[0]] * channel->scale;
            float delta = (is_wide ? delta8 : delta4)(packet, i) * step;
            values[frame * width + v] = values[(frame - 1) * width + v] + delta;
        }
    }
}

static bool has_keys(const w3d_channel *channel)
{
    return channel->kind == W3D_TIMECODED || channel->kind == W3D_TIMECODED_BITS ||
           channel->kind == W3D_MOTION_TIMECODED;
}

bool w3d_decode_channel(sni_load *load, const w3d_channel *channel, w3d_keys *keys)
{
    uint64_t count = channel->count, total = count * channel->width;
    bool is_keyed = has_keys(channel);
    *keys = (w3d_keys){ .count = channel->count, .first_frame = channel->first_frame };
    keys->values = sni_new_raw(&load->scratch, float, total);
    keys->frames = is_keyed ? sni_new_raw(&load->scratch, uint32_t, count) : NULL;
    keys->is_jump = is_keyed ? sni_new_raw(&load->scratch, bool, count) : NULL;
    if (!sni_load_ok(load)) return false;
    switch (channel->kind) {
    case W3D_RAW: decode_floats(channel->data.data, total, keys->values); break;
    case W3D_RAW_BITS: decode_bits(channel, keys->values); break;
    case W3D_TIMECODED: decode_timecoded(channel, keys); break;
    case W3D_TIMECODED_BITS: decode_timecoded_bits(channel, keys); break;
    case W3D_MOTION_TIMECODED: decode_motion_keys(channel, keys); break;
    default: decode_adaptive(channel, keys->values);
    }
    return true;
}
