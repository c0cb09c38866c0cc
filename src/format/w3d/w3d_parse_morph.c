// Morph animations: which pose of which other animation is shown when, for the pivots of each channel.
#include "format/w3d/w3d_parse.h"

enum { HEADER_BYTES = 48, KEY_BYTES = 8 };

static void parse_channels(w3d_parser *p, w3d_morph *morph, uint32_t announced)
{
    uint32_t count = w3d_count(p, morph->chunk, W3D_MORPH_CHANNEL);
    if (count != announced)
        w3d_warn(p, morph->chunk, SNI_WARN_W3D_COUNT, "%u channels are announced, %u are there", announced, count);
    morph->channels = sni_new(p->arena, w3d_morph_channel, count);
    if (!morph->channels) return;
    for (int32_t child = w3d_find(p, morph->chunk, W3D_MORPH_CHANNEL); child >= 0; child = w3d_at(p, child)->next) {
        if (w3d_at(p, child)->id != W3D_MORPH_CHANNEL) continue;
        int32_t keys = w3d_find(p, child, W3D_MORPH_KEYS);
        w3d_morph_channel *channel = &morph->channels[morph->channel_count++];  // pivots name them by their numbers
        channel->chunk = child;
        channel->pose = w3d_text(p, w3d_find(p, child, W3D_MORPH_POSE));
        if (keys >= 0) channel->keys = w3d_take_all(p, keys, KEY_BYTES);
    }
}

void w3d_parse_morph(w3d_parser *p, int32_t chunk)
{
    sni_reader in;
    w3d_morph morph = { .chunk = chunk };
    int32_t pivots = w3d_find(p, chunk, W3D_MORPH_PIVOTS);
    if (!w3d_open_header(p, chunk, W3D_MORPH_HEADER, HEADER_BYTES, &in)) return;
    morph.version = sni_read_u32(&in);
    morph.name = w3d_read_str(&in, W3D_NAME_BYTES);
    morph.hierarchy = w3d_read_str(&in, W3D_NAME_BYTES);
    morph.frame_count = sni_read_u32(&in);
    morph.frame_rate = sni_read_f32(&in);
    parse_channels(p, &morph, sni_read_u32(&in));
    if (pivots >= 0) morph.pivots = w3d_take_all(p, pivots, 4);
    w3d_morph *slot = sni_push(p->arena, &p->morphs, w3d_morph);
    if (slot) *slot = morph;
}
