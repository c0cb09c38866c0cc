// Geoset animations: the colour of a part, how much of it shines through, and whether it is drawn at all.
#include "format/mdx/mdx_build.h"

static float value_at(const sn_track *alpha, uint32_t key)
{
    return alpha->values[alpha->interpolation >= SN_HERMITE ? 3 * key + 1 : key];
}

// Between keys of nothing there is nothing; a curve may leave it all the same.
static bool shows_after(const sn_track *alpha, uint32_t key)
{
    uint32_t next = key + 1 < alpha->key_count ? key + 1 : 0;
    if (value_at(alpha, key) > 0.0f) return true;
    if (alpha->interpolation == SN_STEP) return false;
    if (value_at(alpha, next) > 0.0f) return true;
    return alpha->interpolation >= SN_HERMITE &&
           (alpha->values[3 * key + 2] != 0.0f || alpha->values[3 * next] != 0.0f);
}

static bool is_switch(const sn_track *alpha)
{
    bool is_plain = alpha->interpolation == SN_STEP;
    for (uint32_t i = 0; i < alpha->key_count && is_plain; i++)
        is_plain = alpha->values[i] == 0.0f || alpha->values[i] == 1.0f;
    return is_plain;
}

static bool hides(const sn_track *alpha)
{
    for (uint32_t i = 0; i < alpha->key_count; i++)
        if (!shows_after(alpha, i)) return true;
    return false;
}

// Stepped alpha says it itself: shown is what is above 0.
static sn_track switch_of(mdx_clips *clips, const sn_track *alpha)
{
    sn_track track = *alpha;
    track.interpolation = SN_STEP;
    if (alpha->interpolation == SN_STEP) return track;
    float *values = sni_new_raw(&clips->builder->load->keep, float, alpha->key_count);
    if (!values) track.key_count = 0;
    for (uint32_t i = 0; i < track.key_count; i++) values[i] = shows_after(alpha, i) ? 1.0f : 0.0f;
    track.values = values;
    return track;
}

// What is not drawn is hidden, so that whoever knows no alpha of parts leaves it out too.
static void emit_alpha(mdx_clips *clips, const mdx_drive *drive)
{
    mdx_builder *b = clips->builder;
    const sn_part *part = &b->model->parts[drive->target];
    sn_track alpha = mdx_clip_slice(clips, drive->curve), shown;
    mdx_drive aim = *drive;
    aim.channel = SN_CHANNEL_VISIBILITY;
    if (alpha.key_count == 0) alpha = mdx_constant(b, 1, b->one);
    if (part->is_hidden || hides(&alpha)) {
        shown = switch_of(clips, &alpha);
        mdx_clip_push(clips, &aim, &shown);
    }
    bool is_rest = alpha.key_count == 1 && alpha.values[alpha.interpolation >= SN_HERMITE] == part->color.w;
    if (!is_rest && (!is_switch(&alpha) || part->color.w != 1.0f)) mdx_clip_push(clips, drive, &alpha);
}

static void drive_part(mdx_builder *b, const mdx_geoset_anim *anim, int32_t index)
{
    const sn_part *part = &b->model->parts[index];
    const sn_vec3 white = { 1, 1, 1 };
    mdx_curve *alpha = mdx_decode_track(b, mdx_find_owned(&anim->item.tracks, MDX_TAG('K', 'G', 'A', 'O')));
    mdx_drive *drive = mdx_add_drive(b, alpha, SN_TARGET_PART, index, SN_CHANNEL_ALPHA);
    if (drive) drive->emit = emit_alpha;
    if (!(anim->flags & (mdx_is_alpha(b->doc) ? 1 : MDX_USE_COLOR))) return;
    mdx_curve *color = mdx_decode_track(b, mdx_find_owned(&anim->item.tracks, MDX_TAG('K', 'G', 'A', 'C')));
    drive = mdx_add_drive(b, color, SN_TARGET_PART, index, SN_CHANNEL_COLOR);
    mdx_drive_fallback(b, drive, &white.x, &part->color.x, 3);
}

bool mdx_build_geoset_anims(mdx_builder *b)
{
    const mdx_geoset_anim *anims = b->doc->geoset_anims.items;
    for (uint32_t i = 0; i < b->doc->geosets.count && sni_load_ok(b->load); i++) {
        if (b->geoset_anims[i] < 0) continue;
        sni_enter(&b->load->diag, "GEOA", b->geoset_anims[i]);
        drive_part(b, &anims[b->geoset_anims[i]], (int32_t)i);
        sni_leave(&b->load->diag);
    }
    return sni_load_ok(b->load);
}
