// Encodes animation channels of every kind: the inverse of w3d_decode_channel.
#include <math.h>

#include "format/w3d/w3d_doc.h"

enum { BLOCK = 16, MAX_FRAME = 0xFFFF, SLACK_BYTES = 3, UNIT_STEP = 16 };  // w3d_delta_table[UNIT_STEP] is 1
static const uint32_t TOP_BIT = 0x80000000u;

static void put_raw(w3d_tree *tree, const w3d_channel *channel, const w3d_keys *keys)
{
    uint32_t last = keys->first_frame + keys->count - 1;
    bool is_bits = channel->kind == W3D_RAW_BITS;
    if (keys->count == 0 || keys->count > MAX_FRAME + 1 || last > MAX_FRAME) tree->out->failed = true;
    w3d_put_u16(tree, (uint16_t)keys->first_frame);
    w3d_put_u16(tree, (uint16_t)last);
    if (!is_bits) w3d_put_u16(tree, (uint16_t)channel->width);
    w3d_put_u16(tree, (uint16_t)channel->type);
    w3d_put_u16(tree, (uint16_t)channel->pivot);
    if (is_bits) {
        w3d_put_u8(tree, channel->fallback);
        for (uint32_t i = 0; i < keys->count; i += 8) {
            uint32_t byte = 0;
            for (uint32_t k = i; k < i + 8 && k < keys->count; k++)
                byte |= (uint32_t)(keys->values[k] != 0.0f) << (k - i);
            w3d_put_u8(tree, (uint8_t)byte);
        }
    } else {
        w3d_put_u16(tree, 0);
        w3d_put_floats(tree, keys->values, (size_t)keys->count * channel->width);
    }
}

static void put_timecoded(w3d_tree *tree, const w3d_channel *channel, const w3d_keys *keys)
{
    bool is_bits = channel->kind == W3D_TIMECODED_BITS;
    w3d_put_u32(tree, keys->count);
    w3d_put_u16(tree, (uint16_t)channel->pivot);
    w3d_put_u8(tree, (uint8_t)(is_bits ? channel->type : channel->width));
    w3d_put_u8(tree, is_bits ? channel->fallback : (uint8_t)channel->type);
    for (uint32_t i = 0; i < keys->count; i++) {
        bool has_top_bit = is_bits ? keys->values[i] != 0.0f : keys->is_jump && keys->is_jump[i];
        w3d_put_u32(tree, (keys->frames[i] & ~TOP_BIT) | (has_top_bit ? TOP_BIT : 0));
        if (!is_bits) w3d_put_floats(tree, keys->values + (size_t)i * channel->width, channel->width);
    }
}

static void put_motion_header(w3d_tree *tree, const w3d_channel *channel, const w3d_keys *keys)
{
    if (keys->count > MAX_FRAME) tree->out->failed = true;
    w3d_put_u8(tree, 0);
    w3d_put_u8(tree, (uint8_t)(channel->kind - W3D_MOTION_TIMECODED));
    w3d_put_u8(tree, (uint8_t)channel->width);
    w3d_put_u8(tree, (uint8_t)channel->type);
    w3d_put_u16(tree, (uint16_t)keys->count);
    w3d_put_u16(tree, (uint16_t)channel->pivot);
}

static void put_motion_timecoded(w3d_tree *tree, const w3d_channel *channel, const w3d_keys *keys)
{
    put_motion_header(tree, channel, keys);
    for (uint32_t i = 0; i < keys->count; i++) {
        if (keys->frames[i] > MAX_FRAME) tree->out->failed = true;
        w3d_put_u16(tree, (uint16_t)keys->frames[i]);
    }
    if (keys->count % 2) w3d_put_u16(tree, 0);
    w3d_put_floats(tree, keys->values, (size_t)keys->count * channel->width);
}

// Adaptive deltas

// Seven steps make the largest delta, so a delta plus the error left by the previous one always fits.
float w3d_adaptive_scale(const w3d_channel *channel, const w3d_keys *keys)
{
    float largest = 0.0f;
    for (size_t i = channel->width; i < (size_t)keys->count * channel->width; i++) {
        float delta = fabsf(keys->values[i] - keys->values[i - channel->width]);
        if (delta > largest) largest = delta;
    }
    return largest / 7.0f;
}

float w3d_adaptive_error(const w3d_channel *channel, float scale)
{
    return channel->kind == W3D_MOTION_ADAPTIVE8 ? scale / 32.0f : scale / 2.0f;
}

typedef struct adaptive {
    const w3d_channel *channel;
    const w3d_keys *keys;
    float scale;
    int units, min, max;  // deltas are counted in 1/units of a step
    float last[4];        // value of each component that a decoder has so far
} adaptive;

// One component over one block.
typedef struct delta_packet {
    uint8_t table_index;
    int8_t deltas[BLOCK];
    float error, last;
} delta_packet;

static int nearest_delta(const adaptive *a, float wanted, float step)
{
    if (step == 0.0f) return 0;
    float units = wanted / step * (float)a->units;
    if (units >= (float)a->max) return a->max;
    if (!(units > (float)a->min)) return a->min;
    return (int)(units < 0.0f ? units - 0.5f : units + 0.5f);
}

static delta_packet make_packet(const adaptive *a, uint32_t block, uint32_t v, uint32_t table_index)
{
    delta_packet result = { .table_index = (uint8_t)table_index, .last = a->last[v] };
    float step = w3d_delta_table[table_index] * a->scale;
    for (uint32_t i = 0; i < BLOCK && block * BLOCK + i + 1 < a->keys->count; i++) {
        float wanted = a->keys->values[(size_t)(block * BLOCK + i + 1) * a->channel->width + v];
        int delta = nearest_delta(a, wanted - result.last, step);
        result.deltas[i] = (int8_t)delta;
        result.last += (float)delta / (float)a->units * step;
        float error = fabsf(wanted - result.last);
        if (error > result.error) result.error = error;
    }
    return result;
}

// Tries every step size and keeps the one with the smallest maximum error; of equals the unit step, then the first.
static delta_packet find_packet(const adaptive *a, uint32_t block, uint32_t v)
{
    delta_packet best = make_packet(a, block, v, UNIT_STEP);
    for (uint32_t k = 0; k < 256; k++) {
        delta_packet other = make_packet(a, block, v, k);
        if (other.error < best.error) best = other;
    }
    return best;
}

static void put_packets(w3d_tree *tree, const w3d_channel *channel, const w3d_keys *keys)
{
    bool is_wide = channel->kind == W3D_MOTION_ADAPTIVE8;
    adaptive a = { .channel = channel,
                   .keys = keys,
                   .scale = w3d_adaptive_scale(channel, keys),
                   .units = is_wide ? 16 : 1,
                   .min = is_wide ? -128 : -8,
                   .max = is_wide ? 127 : 7 };
    if (keys->count == 0 || channel->width > 4) tree->out->failed = true;
    if (tree->out->failed) return;
    w3d_put_f32(tree, a.scale);
    w3d_put_floats(tree, keys->values, channel->width);
    memcpy(a.last, keys->values, channel->width * sizeof *a.last);
    for (uint32_t block = 0; block < (keys->count + BLOCK - 1) / BLOCK; block++) {
        for (uint32_t v = 0; v < channel->width; v++) {
            delta_packet packet = find_packet(&a, block, v);
            a.last[v] = packet.last;
            w3d_put_u8(tree, packet.table_index);
            for (int i = 0; is_wide && i < BLOCK; i++) w3d_put_u8(tree, (uint8_t)(packet.deltas[i] + 128));
            for (int i = 0; !is_wide && i < BLOCK; i += 2)
                w3d_put_u8(tree, (uint8_t)((packet.deltas[i] & 15) | (packet.deltas[i + 1] & 15) << 4));
        }
    }
}

static void put_adaptive(w3d_tree *tree, const w3d_channel *channel, const w3d_keys *keys)
{
    static const uint8_t slack[SLACK_BYTES] = { 0 };
    if (channel->kind != W3D_ADAPTIVE4) {
        put_motion_header(tree, channel, keys);
        put_packets(tree, channel, keys);
        return;
    }
    w3d_put_u32(tree, keys->count);
    w3d_put_u16(tree, (uint16_t)channel->pivot);
    w3d_put_u8(tree, (uint8_t)channel->width);
    w3d_put_u8(tree, (uint8_t)channel->type);
    put_packets(tree, channel, keys);
    w3d_put(tree, slack, sizeof slack);  // as the games' exporter does
}

static uint32_t channel_chunk_id(w3d_channel_kind kind)
{
    switch (kind) {
    case W3D_RAW: return W3D_CHANNEL;
    case W3D_RAW_BITS: return W3D_BIT_CHANNEL;
    case W3D_TIMECODED:
    case W3D_ADAPTIVE4: return W3D_COMPRESSED_CHANNEL;
    case W3D_TIMECODED_BITS: return W3D_COMPRESSED_BITS;
    default: return W3D_MOTION_CHANNEL;
    }
}

void w3d_put_channel(w3d_tree *tree, const w3d_channel *channel, const w3d_keys *keys)
{
    w3d_open_chunk(tree, channel_chunk_id(channel->kind));
    switch (channel->kind) {
    case W3D_RAW:
    case W3D_RAW_BITS: put_raw(tree, channel, keys); break;
    case W3D_TIMECODED:
    case W3D_TIMECODED_BITS: put_timecoded(tree, channel, keys); break;
    case W3D_MOTION_TIMECODED: put_motion_timecoded(tree, channel, keys); break;
    default: put_adaptive(tree, channel, keys);
    }
    w3d_close_chunk(tree);
}
