// Texture animations: moved, then turned about the middle of the picture, then scaled about it. A layer's transform
// scales and turns about the corner, and then moves.
#include <math.h>

#include "format/mdx/mdx_build.h"
#include "model/sanitize.h"

struct mdx_uv {
    mdx_curve *move, *turn, *size;  // NULL: never
    mdx_curve *centre;              // what scaling about the middle moves the corner by; with size alone
    uint32_t clip;                  // that the tracks are of, from 1 on
    sn_track offset, rotation, scale;
};

// Half of what is lost in size: 0.5 - 0.5 * scale, for values and control points; for differences without the first
// half.
static mdx_curve *centre_of(mdx_builder *b, const mdx_curve *size)
{
    const float half[] = { 0.5f, 0.5f };
    size_t count = (size_t)size->key_count * size->width * (size->interpolation >= SN_HERMITE ? 3 : 1);
    mdx_curve *centre = sni_new(&b->load->scratch, mdx_curve, 1);
    float *values = sni_new_raw(&b->load->keep, float, count);
    if (!centre || !values) return NULL;
    *centre = *size;
    centre->values = values;
    for (size_t i = 0; i < count; i++) values[i] = -0.5f * size->values[i];
    mdx_curve_move(centre, half);
    return centre;
}

bool mdx_build_uvs(mdx_builder *b)
{
    const mdx_texture_anim *anims = b->doc->texture_anims.items;
    b->uvs = sni_new(&b->load->scratch, struct mdx_uv, b->doc->texture_anims.count);
    if (!b->uvs) return false;
    for (uint32_t i = 0; i < b->doc->texture_anims.count; i++) {
        const mdx_tracks *tracks = &anims[i].item.tracks;
        struct mdx_uv *uv = &b->uvs[i];
        sni_enter(&b->load->diag, "TXAN", i);
        uv->move = mdx_decode_track(b, mdx_find_owned(tracks, MDX_TAG('K', 'T', 'A', 'T')));
        uv->turn = mdx_decode_track(b, mdx_find_owned(tracks, MDX_TAG('K', 'T', 'A', 'R')));
        uv->size = mdx_decode_track(b, mdx_find_owned(tracks, MDX_TAG('K', 'T', 'A', 'S')));
        if (uv->move) mdx_curve_narrow(uv->move, 2);
        if (uv->size) mdx_curve_narrow(uv->size, 2);
        if (uv->size) uv->centre = centre_of(b, uv->size);
        sni_leave(&b->load->diag);
    }
    return sni_load_ok(b->load);
}

// The turn nearest to the one before, so that what lies between is turned the short way.
static float angle_of(const float turn[4], float before)
{
    const double full = 6.283185307179586;
    double angle = 2.0 * atan2(turn[2], turn[3]);
    return (float)(angle + full * floor((before - angle) / full + 0.5));
}

static bool bake(mdx_clips *clips, struct mdx_uv *uv, const sn_track tracks[3])
{
    sni_load *load = clips->builder->load;
    mdx_bake bake = { .tracks = tracks, .count = 3 };
    if (!mdx_bake_times(clips, &bake)) return false;
    sn_vec2 *offsets = sni_new_raw(&load->keep, sn_vec2, bake.key_count);
    sn_vec2 *scales = sni_new_raw(&load->keep, sn_vec2, bake.key_count);
    float *angles = sni_new_raw(&load->keep, float, bake.key_count), before = 0.0f;
    if (!offsets || !scales || !angles) return false;
    for (uint32_t i = 0; i < bake.key_count; i++) {
        float move[2] = { 0, 0 }, turn[4] = { 0, 0, 0, 1 }, size[2] = { 1, 1 };
        mdx_bake_sample(clips, &tracks[0], bake.times[i], move);
        mdx_bake_sample(clips, &tracks[1], bake.times[i], turn);
        mdx_bake_sample(clips, &tracks[2], bake.times[i], size);
        before = angles[i] = angle_of(turn, before);
        float c = (float)cos(before), s = (float)sin(before), x = move[0] - 0.5f, y = move[1] - 0.5f;
        scales[i] = (sn_vec2){ size[0], size[1] };
        offsets[i] = (sn_vec2){ size[0] * (c * x - s * y) + 0.5f, size[1] * (s * x + c * y) + 0.5f };
    }
    sni_sanitize fixes = { 0 };
    sni_sanitize_floats(&fixes, &offsets->x, 2ull * bake.key_count);
    sni_sanitize_floats(&fixes, &scales->x, 2ull * bake.key_count);
    uv->offset = mdx_baked(&bake, SN_CHANNEL_UV_OFFSET, 2, &offsets->x);
    uv->rotation = mdx_baked(&bake, SN_CHANNEL_UV_ROTATION, 1, angles);
    uv->scale = mdx_baked(&bake, SN_CHANNEL_UV_SCALE, 2, &scales->x);
    sni_warn(&load->diag, SNI_WARN_RESAMPLED, 0, "a texture turns, or moves and grows at once: it was sampled");
    return true;
}

// Moving alone and growing alone are the very curves; the rest is sampled.
static void make_tracks(mdx_clips *clips, struct mdx_uv *uv)
{
    sn_track tracks[] = { mdx_clip_slice(clips, uv->move), mdx_clip_slice(clips, uv->turn),
                          mdx_clip_slice(clips, uv->size) };
    const sn_track none = { 0 };
    tracks[1].channel = SN_CHANNEL_ROTATION;
    uv->clip = clips->number;
    uv->offset = uv->rotation = uv->scale = none;
    bool is_plain = tracks[1].key_count == 0 && (tracks[0].key_count == 0 || tracks[2].key_count == 0);
    if (!is_plain) {
        bake(clips, uv, tracks);
        return;
    }
    uv->scale = tracks[2];
    uv->offset = uv->scale.key_count > 0 ? mdx_clip_slice(clips, uv->centre) : tracks[0];
}

static void emit_uvs(mdx_clips *clips, const mdx_drive *drive)
{
    struct mdx_uv *uv = drive->baked;
    mdx_drive aim = *drive;
    if (uv->clip != clips->number) make_tracks(clips, uv);
    aim.channel = SN_CHANNEL_UV_OFFSET;
    mdx_clip_push(clips, &aim, &uv->offset);
    aim.channel = SN_CHANNEL_UV_ROTATION;
    mdx_clip_push(clips, &aim, &uv->rotation);
    aim.channel = SN_CHANNEL_UV_SCALE;
    mdx_clip_push(clips, &aim, &uv->scale);
}

bool mdx_drive_uvs(mdx_builder *b, int32_t anim, int32_t material, int32_t layer)
{
    if (anim == -1) return sni_load_ok(b->load);
    if (anim < 0 || (uint32_t)anim >= b->doc->texture_anims.count) {
        sni_warn(&b->load->diag, SNI_WARN_REFERENCE, 0, "texture animation %d of %u", anim,
                 b->doc->texture_anims.count);
        return sni_load_ok(b->load);
    }
    struct mdx_uv *uv = &b->uvs[anim];
    mdx_curve *any = uv->move ? uv->move : uv->turn ? uv->turn : uv->size;
    mdx_drive *drive = mdx_add_drive(b, any, SN_TARGET_LAYER, material, SN_CHANNEL_UV_OFFSET);
    if (!drive) return sni_load_ok(b->load);
    drive->emit = emit_uvs;
    drive->baked = uv;
    drive->sub = layer;
    return true;
}
