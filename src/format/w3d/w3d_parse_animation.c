// Animations: headers, channels of every kind and their decoding, morph animations.
//
// Parsing checks that a channel has all the bytes it needs; decoding relies on that.
#include "format/w3d/w3d_parse.h"

enum { ANIMATION_HEADER_BYTES = 44, MORPH_HEADER_BYTES = 48, MORPH_KEY_BYTES = 8 };
enum { RAW_BYTES = 12, RAW_BITS_BYTES = 9, COMPRESSED_BYTES = 8 };          // fixed fields of channels
enum { ADAPTIVE_BLOCK = 16, ADAPTIVE4_PACKET = 9, ADAPTIVE8_PACKET = 17 };  // frames, bytes per component and block
static const uint32_t TOP_BIT = 0x80000000u;

static bool is_adaptive(const w3d_channel *channel)
{
    return channel->kind == W3D_ADAPTIVE4 || channel->kind == W3D_MOTION_ADAPTIVE4 ||
           channel->kind == W3D_MOTION_ADAPTIVE8;
}

static uint64_t data_bytes(const w3d_channel *channel)
{
    uint64_t count = channel->count, width = channel->width;
    uint64_t blocks = (count - 1 + ADAPTIVE_BLOCK - 1) / ADAPTIVE_BLOCK;  // deltas start at frame 1
    switch (channel->kind) {
    case W3D_RAW: return 4 * count * width;
    case W3D_RAW_BITS: return (count + 7) / 8;
    case W3D_TIMECODED: return count * (4 + 4 * width);
    case W3D_TIMECODED_BITS: return 4 * count;
    case W3D_MOTION_TIMECODED: return 2 * (count + count % 2) + 4 * count * width;
    case W3D_MOTION_ADAPTIVE8: return width * (4 + blocks * ADAPTIVE8_PACKET);
    default: return width * (4 + blocks * ADAPTIVE4_PACKET);
    }
}

// Returns false for an unknown kind.
static bool find_channel_kind(const w3d_chunk *chunk, const w3d_animation *animation, w3d_channel_kind *kind)
{
    bool has_variant = chunk->id == W3D_MOTION_CHANNEL && chunk->bytes.count > 1;
    uint32_t variant = has_variant ? chunk->bytes.data[1] : animation->flavor;
    switch (chunk->id) {
    case W3D_CHANNEL: *kind = W3D_RAW; return true;
    case W3D_BIT_CHANNEL: *kind = W3D_RAW_BITS; return true;
    case W3D_COMPRESSED_BITS: *kind = W3D_TIMECODED_BITS; return true;
    case W3D_COMPRESSED_CHANNEL: *kind = variant == 0 ? W3D_TIMECODED : W3D_ADAPTIVE4; return variant < 2;
    default: *kind = (w3d_channel_kind)(W3D_MOTION_TIMECODED + variant % 3); return variant < 3;
    }
}

static void read_channel_fields(sni_reader *in, w3d_channel *channel)
{
    channel->width = 1;
    switch (channel->kind) {
    case W3D_RAW:
    case W3D_RAW_BITS:
        channel->first_frame = sni_read_u16(in);
        channel->last_frame = sni_read_u16(in);
        if (channel->kind == W3D_RAW) channel->width = sni_read_u16(in);
        channel->type = sni_read_u16(in);
        channel->pivot = sni_read_u16(in);
        if (channel->kind == W3D_RAW) sni_skip(in, 2);  // padding with arbitrary content
        else channel->fallback = sni_read_u8(in);
        if (channel->last_frame >= channel->first_frame)
            channel->count = channel->last_frame - channel->first_frame + 1;
        break;
    case W3D_TIMECODED_BITS:
        channel->count = sni_read_u32(in);
        channel->pivot = sni_read_u16(in);
        channel->type = sni_read_u8(in);
        channel->fallback = sni_read_u8(in);
        break;
    case W3D_TIMECODED:
    case W3D_ADAPTIVE4:
        channel->count = sni_read_u32(in);
        channel->pivot = sni_read_u16(in);
        channel->width = sni_read_u8(in);
        channel->type = sni_read_u8(in);
        break;
    default:  // motion channels
        sni_skip(in, 2);
        channel->width = sni_read_u8(in);
        channel->type = sni_read_u8(in);
        channel->count = sni_read_u16(in);
        channel->pivot = sni_read_u16(in);
    }
    if (is_adaptive(channel)) channel->scale = sni_read_f32(in);
}

// Returns false, with a warning, for a channel that is not usable.
static bool parse_channel(w3d_parser *p, int32_t chunk, const w3d_animation *animation, w3d_channel *channel)
{
    sni_reader in;
    *channel = (w3d_channel){ .chunk = chunk };
    if (!find_channel_kind(w3d_at(p, chunk), animation, &channel->kind)) {
        w3d_warn(p, chunk, SNI_WARN_W3D_CHANNEL, "unknown channel kind");
        return false;
    }
    uint32_t min_bytes = channel->kind == W3D_RAW        ? RAW_BYTES
                         : channel->kind == W3D_RAW_BITS ? RAW_BITS_BYTES
                                                         : COMPRESSED_BYTES + 4u * is_adaptive(channel);
    if (!w3d_open(p, chunk, min_bytes, &in)) return false;
    read_channel_fields(&in, channel);

    uint64_t found = sni_rest(&in);
    if (channel->count == 0) {
        w3d_warn(p, chunk, SNI_WARN_W3D_CHANNEL, "no frames (%u to %u)", channel->first_frame, channel->last_frame);
    } else if (channel->width != (channel->type == W3D_QUATERNION ? 4 : 1)) {
        w3d_warn(p, chunk, SNI_WARN_W3D_CHANNEL, "%u components do not match type %u", channel->width, channel->type);
    } else if (data_bytes(channel) > found) {
        w3d_warn(p, chunk, SNI_WARN_W3D_CHANNEL, "%u frames or keys need %llu bytes, found %llu", channel->count,
                 (unsigned long long)data_bytes(channel), (unsigned long long)found);
    } else {
        channel->data = (w3d_array){ in.at, (uint32_t)data_bytes(channel) };
        return true;
    }
    return false;
}

static bool is_channel(const w3d_chunk *chunk, bool is_compressed)
{
    if (is_compressed) return chunk->id >= W3D_COMPRESSED_CHANNEL && chunk->id <= W3D_MOTION_CHANNEL;
    return chunk->id == W3D_CHANNEL || chunk->id == W3D_BIT_CHANNEL;
}

void w3d_parse_animation(w3d_parser *p, int32_t chunk)
{
    sni_reader in;
    w3d_animation animation = { .chunk = chunk, .is_compressed = w3d_at(p, chunk)->id == W3D_COMPRESSED };
    uint32_t header = animation.is_compressed ? W3D_COMPRESSED_HEADER : W3D_ANIMATION_HEADER;
    if (!w3d_open_header(p, chunk, header, ANIMATION_HEADER_BYTES, &in)) return;
    animation.version = sni_read_u32(&in);
    animation.name = w3d_read_str(&in, W3D_NAME_BYTES);
    animation.hierarchy = w3d_read_str(&in, W3D_NAME_BYTES);
    animation.frame_count = sni_read_u32(&in);
    animation.frame_rate = animation.is_compressed ? sni_read_u16(&in) : sni_read_u32(&in);
    if (animation.is_compressed) animation.flavor = sni_read_u16(&in);

    uint32_t count = 0;
    int32_t first = w3d_at(p, chunk)->first_child;
    for (int32_t child = first; child >= 0; child = w3d_at(p, child)->next)
        count += is_channel(w3d_at(p, child), animation.is_compressed);
    animation.channels = sni_new(p->arena, w3d_channel, count);
    for (int32_t child = first; child >= 0 && animation.channels; child = w3d_at(p, child)->next)
        if (is_channel(w3d_at(p, child), animation.is_compressed) &&
            parse_channel(p, child, &animation, &animation.channels[animation.channel_count]))
            animation.channel_count++;
    w3d_animation *slot = sni_push(p->arena, &p->animations, w3d_animation);
    if (slot) *slot = animation;
}

// Morph animations

void w3d_parse_morph(w3d_parser *p, int32_t chunk)
{
    sni_reader in;
    w3d_morph morph = { .chunk = chunk };
    int32_t pivots = w3d_find(p, chunk, W3D_MORPH_PIVOTS);
    if (!w3d_open_header(p, chunk, W3D_MORPH_HEADER, MORPH_HEADER_BYTES, &in)) return;
    morph.version = sni_read_u32(&in);
    morph.name = w3d_read_str(&in, W3D_NAME_BYTES);
    morph.hierarchy = w3d_read_str(&in, W3D_NAME_BYTES);
    morph.frame_count = sni_read_u32(&in);
    morph.frame_rate = sni_read_f32(&in);

    uint32_t count = sni_read_u32(&in), found = w3d_count(p, chunk, W3D_MORPH_CHANNEL);
    if (count != found) w3d_warn(p, chunk, SNI_WARN_W3D_COUNT, "the header lists %u channels, found %u", count, found);
    morph.channels = sni_new(p->arena, w3d_morph_channel, found);
    if (!morph.channels) return;
    for (int32_t at = w3d_find(p, chunk, W3D_MORPH_CHANNEL); at >= 0; at = w3d_find_next(p, at)) {
        int32_t keys = w3d_find(p, at, W3D_MORPH_KEYS);
        w3d_morph_channel *channel = &morph.channels[morph.channel_count++];
        channel->chunk = at;
        channel->pose = w3d_text(p, w3d_find(p, at, W3D_MORPH_POSE));
        if (keys >= 0) channel->keys = w3d_take_all(p, keys, MORPH_KEY_BYTES);
    }
    if (pivots >= 0) morph.pivots = w3d_take_all(p, pivots, 4);
    w3d_morph *slot = sni_push(p->arena, &p->morphs, w3d_morph);
    if (slot) *slot = morph;
}

// Decoding

static void decode_timecoded(const w3d_channel *channel, w3d_keys *keys)
{
    uint32_t width = channel->width;
    const uint8_t *at = channel->data.data;
    for (uint32_t i = 0; i < channel->count; i++, at += 4 + 4 * width) {
        uint32_t code = sni_load_u32(at);
        keys->frames[i] = code & ~TOP_BIT;
        keys->is_jump[i] = (code & TOP_BIT) != 0;
        sni_load_words(at + 4, keys->values + (size_t)i * width, width);
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

// All frame numbers, padded to an even count, then all values.
static void decode_motion_timecoded(const w3d_channel *channel, w3d_keys *keys)
{
    const uint8_t *at = channel->data.data;
    size_t count = channel->count;
    for (size_t i = 0; i < count; i++) {
        keys->frames[i] = sni_load_u16(at + 2 * i);
        keys->is_jump[i] = false;
    }
    sni_load_words(at + 2 * (count + count % 2), keys->values, count * channel->width);
}

// Nibbles in two's complement, the low one first.
static float delta4(const uint8_t *packet, uint32_t i)
{
    int nibble = packet[1 + i / 2] >> 4 * (i % 2) & 15;
    return (float)(nibble < 8 ? nibble : nibble - 16);
}

// Bytes in sixteenths; 128 is zero.
static float delta8(const uint8_t *packet, uint32_t i) { return (float)((int)packet[1 + i] - 128) / 16.0f; }

// Each frame is the previous one plus a delta. Each component has a packet per 16 frames. Sums are in float32 to
// accumulate the same rounding errors as the games.
static void decode_adaptive(const w3d_channel *channel, float *values)
{
    bool is_wide = channel->kind == W3D_MOTION_ADAPTIVE8;
    size_t width = channel->width, packet_bytes = is_wide ? ADAPTIVE8_PACKET : ADAPTIVE4_PACKET;
    const uint8_t *packets = channel->data.data + 4 * width;
    sni_load_words(channel->data.data, values, width);
    for (uint32_t frame = 1; frame < channel->count; frame++) {
        uint32_t block = (frame - 1) / ADAPTIVE_BLOCK, i = (frame - 1) % ADAPTIVE_BLOCK;
        for (size_t v = 0; v < width; v++) {
            const uint8_t *packet = packets + packet_bytes * (block * width + v);
            float step = w3d_delta_table[packet[0]] * channel->scale;
            float delta = (is_wide ? delta8 : delta4)(packet, i) * step;
            values[frame * width + v] = values[(frame - 1) * width + v] + delta;
        }
    }
}

bool w3d_decode_channel(sni_load *load, const w3d_channel *channel, w3d_keys *keys)
{
    uint64_t count = channel->count, total = count * channel->width;
    const uint8_t *data = channel->data.data;
    bool has_frames = channel->kind == W3D_TIMECODED || channel->kind == W3D_TIMECODED_BITS ||
                      channel->kind == W3D_MOTION_TIMECODED;
    *keys = (w3d_keys){ .count = channel->count, .first_frame = channel->first_frame };
    keys->values = sni_new_raw(&load->scratch, float, total);
    keys->frames = has_frames ? sni_new_raw(&load->scratch, uint32_t, count) : NULL;
    keys->is_jump = has_frames ? sni_new_raw(&load->scratch, bool, count) : NULL;
    if (!sni_load_ok(load)) return false;
    switch (channel->kind) {
    case W3D_RAW: sni_load_words(data, keys->values, (size_t)total); break;
    case W3D_RAW_BITS:
        for (uint32_t i = 0; i < count; i++) keys->values[i] = (float)(data[i >> 3] >> (i & 7) & 1);
        break;
    case W3D_TIMECODED: decode_timecoded(channel, keys); break;
    case W3D_TIMECODED_BITS: decode_timecoded_bits(channel, keys); break;
    case W3D_MOTION_TIMECODED: decode_motion_timecoded(channel, keys); break;
    default: decode_adaptive(channel, keys->values);
    }
    return true;
}

// Step sizes of adaptive deltas: 10^(k - 8) for k from 0 to 15, then 1 - sin(90 degrees * k / 240) for k from 0 to 239,
// rounded to the nearest float32. A table, so that every machine decodes the same bits.
const float w3d_delta_table[256] = {
    1e-8f,          1e-7f,          1e-6f,         1e-5f,         0.0001f,       0.001f,        0.01f,
    0.1f,           1.0f,           1e1f,          1e2f,          1e3f,          1e4f,          1e5f,
    1e6f,           1e7f,           1.0f,          0.99345505f,   0.9869104f,    0.9803663f,    0.9738231f,
    0.9672809f,     0.9607402f,     0.95420116f,   0.947664f,     0.9411292f,    0.9345969f,    0.9280673f,
    0.9215409f,     0.91501784f,    0.9084984f,    0.90198284f,   0.8954715f,    0.8889647f,    0.8824626f,
    0.87596554f,    0.8694738f,     0.86298764f,   0.85650736f,   0.8500332f,    0.8435655f,    0.8371045f,
    0.8306505f,     0.8242037f,     0.81776446f,   0.81133306f,   0.8049097f,    0.7984947f,    0.7920883f,
    0.78569084f,    0.77930254f,    0.7729237f,    0.76655465f,   0.76019555f,   0.7538467f,    0.7475084f,
    0.74118096f,    0.7348646f,     0.72855955f,   0.72226614f,   0.71598464f,   0.7097153f,    0.7034584f,
    0.69721425f,    0.690983f,      0.68476504f,   0.67856055f,   0.67236984f,   0.6661931f,    0.6600308f,
    0.6538829f,     0.64774996f,    0.6416321f,    0.6355295f,    0.6294426f,    0.6233715f,    0.61731654f,
    0.61127806f,    0.60525614f,    0.59925115f,   0.5932633f,    0.58729297f,   0.58134025f,   0.5754055f,
    0.5694889f,     0.56359076f,    0.5577113f,    0.5518508f,    0.5460095f,    0.54018766f,   0.5343855f,
    0.52860326f,    0.5228412f,     0.5170997f,    0.51137877f,   0.5056788f,    0.5f,          0.49434263f,
    0.48870692f,    0.4830931f,     0.47750142f,   0.47193214f,   0.46638548f,   0.46086168f,   0.45536098f,
    0.44988358f,    0.44442976f,    0.43899974f,   0.43359375f,   0.42821205f,   0.4228548f,    0.4175223f,
    0.41221476f,    0.40693238f,    0.4016754f,    0.39644405f,   0.39123857f,   0.38605917f,   0.38090605f,
    0.37577945f,    0.37067962f,    0.36560673f,   0.36056098f,   0.35554266f,   0.35055196f,   0.34558904f,
    0.3406542f,     0.33574757f,    0.3308694f,    0.32601988f,   0.32119927f,   0.3164077f,    0.31164542f,
    0.30691263f,    0.30220953f,    0.29753634f,   0.29289323f,   0.2882804f,    0.28369805f,   0.2791464f,
    0.27462563f,    0.27013594f,    0.26567748f,   0.2612505f,    0.25685516f,   0.25249168f,   0.2481602f,
    0.24386092f,    0.23959403f,    0.23535973f,   0.23115817f,   0.22698955f,   0.22285403f,   0.21875182f,
    0.21468307f,    0.21064796f,    0.20664667f,   0.20267935f,   0.19874619f,   0.19484735f,   0.19098301f,
    0.18715331f,    0.18335845f,    0.17959855f,   0.17587382f,   0.17218436f,   0.16853039f,   0.16491203f,
    0.16132943f,    0.15778276f,    0.15427218f,   0.15079781f,   0.14735983f,   0.14395837f,   0.14059359f,
    0.13726561f,    0.1339746f,     0.13072067f,   0.12750399f,   0.12432469f,   0.12118289f,   0.11807874f,
    0.11501236f,    0.1119839f,     0.10899348f,   0.10604122f,   0.103127256f,  0.10025172f,   0.09741472f,
    0.094616376f,   0.09185683f,    0.089136176f,  0.08645454f,   0.08381204f,   0.08120879f,   0.078644894f,
    0.076120466f,   0.073635615f,   0.07119045f,   0.068785064f,  0.06641957f,   0.064094074f,  0.061808664f,
    0.059563443f,   0.057358507f,   0.055193953f,  0.05306987f,   0.05098635f,   0.048943482f,  0.046941355f,
    0.044980057f,   0.043059666f,   0.041180264f,  0.039341938f,  0.037544765f,  0.035788815f,  0.034074172f,
    0.032400906f,   0.030769091f,   0.02917879f,   0.02763008f,   0.02612302f,   0.02465768f,   0.023234118f,
    0.0218524f,     0.02051258f,    0.01921472f,   0.017958872f,  0.016745092f,  0.015573432f,  0.0144439405f,
    0.013356668f,   0.01231166f,    0.011308961f,  0.010348613f,  0.00943066f,   0.0085551385f, 0.0077220877f,
    0.006931543f,   0.006183538f,   0.0054781046f, 0.0048152735f, 0.004195072f,  0.0036175286f, 0.0030826663f,
    0.0025905087f,  0.0021410768f,  0.0017343898f, 0.0013704653f, 0.0010493186f, 0.0007709638f, 0.0005354125f,
    0.00034267502f, 0.00019275951f, 8.567243e-5f,  2.1418336e-5f,
};
