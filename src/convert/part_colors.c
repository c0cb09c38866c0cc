#include "convert/part_colors.h"

#include <string.h>

#include "convert/color_tracks.h"
#include "convert/fit.h"
#include "convert/rest_visibility.h"
#include "model/builder.h"

// A material as parts of one colour show it, or one part whose colour is animated.
typedef struct variant {
    sn_vec4 color;
    int32_t part, source, material, next;
} variant;  // part: -1: all of that colour

typedef struct pair {
    const sn_track *color, *alpha;
} pair;

typedef struct part_coloring {
    sni_save *save;
    sni_texture_baker *baker;
    const sn_model *model;
    bool stays_opaque;  // what is opaque at rest
    uint32_t *moving;   // of each part: its channels that some clip drives, as bits
    sni_list variants;
    int32_t *first_variant;  // of each material, and of none
    sni_list materials;      // of sn_material: those of the model, then more
    sn_part *parts;
    pair *part_pairs, *layer_pairs;  // of the current clip
} part_coloring;

static const sn_vec4 white = { 1, 1, 1, 1 };

static bool is_color(const sn_track *track)
{
    bool has_one = track->target_kind == SN_TARGET_PART || (track->target_kind == SN_TARGET_LAYER && track->sub == 0);
    return has_one && (track->channel == SN_CHANNEL_COLOR || track->channel == SN_CHANNEL_ALPHA);
}

static variant *variant_at(const part_coloring *t, int32_t index) { return (variant *)t->variants.items + index; }

static bool collect(part_coloring *t)
{
    const sn_model *model = t->model;
    sni_arena *arena = &t->save->scratch;
    t->moving = sni_new(arena, uint32_t, model->part_count);
    t->parts = sni_new_raw(arena, sn_part, model->part_count);
    t->part_pairs = sni_new(arena, pair, model->part_count);
    t->layer_pairs = sni_new(arena, pair, model->material_count);
    t->first_variant = sni_new_raw(arena, int32_t, (uint64_t)model->material_count + 1);
    if (!t->moving || !t->parts || !t->part_pairs || !t->layer_pairs || !t->first_variant) return false;
    for (uint32_t i = 0; i <= model->material_count; i++) t->first_variant[i] = -1;
    for (uint32_t i = 0; i < model->material_count; i++) {
        sn_material *material = sni_push(arena, &t->materials, sn_material);
        if (!material) return false;
        *material = model->materials[i];
    }
    for (uint32_t i = 0; i < model->clip_count; i++) {
        for (uint32_t k = 0; k < model->clips[i].track_count; k++) {
            const sn_track *track = &model->clips[i].tracks[k];
            if (track->target_kind == SN_TARGET_PART && is_color(track))
                t->moving[track->target] |= 1u << track->channel;
        }
    }
    return true;
}

static sn_layer layer_of(const part_coloring *t, int32_t material)
{
    bool has_layer = material >= 0 && t->model->materials[material].layer_count > 0;
    return has_layer ? t->model->materials[material].layers[0] : sni_layer_default();
}

// When an opaque material becomes blended, its texture must be opaque; one with an alpha test is transparent where the
// test fails.
static bool make_transparent(part_coloring *t, sn_layer *layer)
{
    if (layer->blend != SN_BLEND_OPAQUE) return true;
    int32_t image = sni_bake_opaque(t->baker, layer);
    if (image >= 0) layer->maps[SN_MAP_COLOR].image = image;
    layer->blend = SN_BLEND_ALPHA;
    layer->alpha_cutoff = 0.0f;
    return sni_save_ok(t->save);
}

// Most players draw what blends without depth, so its inner and back faces show. That is too much for a fade which few
// of them play: what is opaque as the model stands stays so, and fades cut it off at half.
static bool make_cutout(part_coloring *t, const variant *l, sn_layer *layer)
{
    int32_t image = sni_bake_opaque(t->baker, layer);
    if (image >= 0) layer->maps[SN_MAP_COLOR].image = image;
    layer->alpha_cutoff = 0.5f;
    sni_enter_named(&t->save->diag, "materials", l->material, t->model->materials[l->source].name);
    sni_warn(&t->save->diag, SNI_WARN_LOST_CONTENT, 0,
             "opaque at rest: instead of fading, it disappears at half alpha");
    sni_leave(&t->save->diag);
    return sni_save_ok(t->save);
}

static bool make_material(part_coloring *t, const variant *l, sn_material *out)
{
    sn_layer *layer = sni_new_raw(&t->save->scratch, sn_layer, 1);
    if (!layer) return false;
    *layer = layer_of(t, l->source);
    layer->color = sni_color_at_rest(&(sni_color_tracks){ .layer = layer->color, .part = l->color });
    *out = l->source >= 0 ? t->model->materials[l->source] : (sn_material){ .name = "" };
    out->layers = layer;
    out->layer_count = 1;
    bool is_transparent = l->color.w < 1.0f, fades = l->part >= 0 && t->moving[l->part] & 1u << SN_CHANNEL_ALPHA;
    if (fades && layer->blend == SN_BLEND_OPAQUE && layer->color.w >= 1.0f && l->source >= 0 && t->stays_opaque)
        return make_cutout(t, l, layer);
    is_transparent = is_transparent || fades;
    return !is_transparent || make_transparent(t, layer);
}

static bool same_color(sn_vec4 a, sn_vec4 b) { return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w; }

// The first variant of a material replaces it, the others are appended.
static int32_t add_variant(part_coloring *t, variant wanted)
{
    int32_t *first = &t->first_variant[wanted.source >= 0 ? wanted.source : (int32_t)t->model->material_count];
    bool is_unchanged = same_color(wanted.color, white) && wanted.part < 0;
    wanted.material = wanted.source;
    wanted.next = *first;
    if (*first >= 0 || wanted.source < 0) {
        if (!sni_push(&t->save->scratch, &t->materials, sn_material)) return -1;
        wanted.material = (int32_t)t->materials.count - 1;
    }
    sn_material *material = (sn_material *)t->materials.items + wanted.material;
    if (is_unchanged) *material = t->model->materials[wanted.source];
    else if (!make_material(t, &wanted, material)) return -1;
    variant *added = sni_push(&t->save->scratch, &t->variants, variant);
    if (!added) return -1;
    *added = wanted;
    return *first = (int32_t)t->variants.count - 1;
}

// Only the newest 64 are searched: a material with more colours than that gets duplicates.
static int32_t find_variant(const part_coloring *t, const variant *wanted)
{
    int32_t at = t->first_variant[wanted->source >= 0 ? wanted->source : (int32_t)t->model->material_count];
    for (int tries = 0; wanted->part < 0 && at >= 0 && tries < 64; at = variant_at(t, at)->next, tries++) {
        if (variant_at(t, at)->part < 0 && same_color(variant_at(t, at)->color, wanted->color)) return at;
    }
    return -1;
}

static bool fit_parts(part_coloring *t)
{
    for (uint32_t i = 0; i < t->model->part_count; i++) {
        sn_part *part = &t->parts[i];
        *part = t->model->parts[i];
        variant wanted = { part->color, t->moving[i] ? (int32_t)i : -1, part->material, -1, -1 };
        part->color = white;
        if (wanted.source < 0 && wanted.part < 0 && same_color(wanted.color, white)) continue;
        int32_t at = find_variant(t, &wanted);
        if (at < 0) at = add_variant(t, wanted);
        if (at < 0) return false;
        part->material = variant_at(t, at)->material;
    }
    return true;
}

static bool push_track(part_coloring *t, sni_list *tracks, const sn_track *track, int32_t target)
{
    sn_track *added = sni_push(&t->save->scratch, tracks, sn_track);
    if (!added) return false;
    *added = *track;
    added->target = target;
    return true;
}

// Colour tracks are set aside; other tracks of a material drive all its variants.
static bool sort_track(part_coloring *t, const sn_track *track, sni_list *tracks)
{
    bool is_of_layer = track->target_kind == SN_TARGET_LAYER;
    int32_t at = is_of_layer ? t->first_variant[track->target] : -1;
    if (is_color(track) && (at >= 0 || !is_of_layer)) {
        pair *p = is_of_layer ? &t->layer_pairs[track->target] : &t->part_pairs[track->target];
        if (track->channel == SN_CHANNEL_COLOR) p->color = track;
        else p->alpha = track;
        return true;
    }
    if (at < 0) return push_track(t, tracks, track, track->target);
    for (; at >= 0; at = variant_at(t, at)->next) {
        if (!push_track(t, tracks, track, variant_at(t, at)->material)) return false;
    }
    return true;
}

static void report_sampled(const part_coloring *t, const variant *l, sni_exactness exactness)
{
    sni_diag *diag = &t->save->diag;
    sni_enter_named(diag, "materials", l->material, ((const sn_material *)t->materials.items)[l->material].name);
    if (exactness == SNI_SAMPLED) sni_warn(diag, SNI_WARN_RESAMPLED, 0, "colour tracks were resampled to within 0.001");
    else
        sni_warn(diag, SNI_WARN_LOST_CONTENT, 0,
                 "the limit on added keys was reached, so some colour tracks are less precise");
    sni_leave(diag);
}

static bool drive_variant(part_coloring *t, const variant *l, sni_list *tracks)
{
    static const pair none;
    pair of_layer = l->source >= 0 ? t->layer_pairs[l->source] : none,
         of_part = l->part >= 0 ? t->part_pairs[l->part] : none;
    sni_color_tracks factors = {
        of_layer.color, of_layer.alpha, of_part.color, of_part.alpha, layer_of(t, l->source).color, l->color
    };
    sn_track made[2];
    sni_exactness exactness;
    if (!of_layer.color && !of_layer.alpha && !of_part.color && !of_part.alpha) return true;
    if (!sni_make_color_tracks(&t->save->scratch, &factors, &t->save->keys_left, &made[0], &made[1], &exactness))
        return false;
    if (exactness != SNI_EXACT) report_sampled(t, l, exactness);
    for (int i = 0; i < 2; i++) {
        made[i].target_kind = SN_TARGET_LAYER;
        made[i].sub = 0;
        if (made[i].key_count > 0 && !push_track(t, tracks, &made[i], l->material)) return false;
    }
    return true;
}

static void clear_pairs(part_coloring *t, const sn_clip *clip)
{
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sn_track *track = &clip->tracks[i];
        if (is_color(track))
            *(track->target_kind == SN_TARGET_PART ? &t->part_pairs[track->target]
                                                   : &t->layer_pairs[track->target]) = (pair){ 0 };
    }
}

static bool fit_clip(void *user, const sn_clip *clip, sn_clip *out)
{
    part_coloring *t = user;
    sni_list tracks = { 0 };
    bool has_colors = false;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        has_colors = has_colors || is_color(&clip->tracks[i]);
        if (!sort_track(t, &clip->tracks[i], &tracks)) return false;
    }
    for (uint32_t i = 0; i < t->variants.count && has_colors; i++) {
        if (!drive_variant(t, variant_at(t, (int32_t)i), &tracks)) return false;
    }
    clear_pairs(t, clip);
    *out = *clip;
    out->tracks = tracks.items;
    out->track_count = tracks.count;
    return true;
}

bool sni_fit_part_colors(sni_save *save, sni_texture_baker *baker, const sn_model *model, sn_model *fitted)
{
    part_coloring t = { .save = save, .baker = baker, .model = model, .stays_opaque = sni_rests_standing(save, model) };
    if (!collect(&t) || !fit_parts(&t) || !sni_fit_clips(save, model, fit_clip, &t, fitted)) return false;
    fitted->parts = t.parts;
    fitted->materials = t.materials.items;
    fitted->material_count = t.materials.count;
    return true;
}
