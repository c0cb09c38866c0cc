#include "convert/layers.h"

#include <math.h>
#include <string.h>

#include "base/color.h"
#include "convert/fit.h"

typedef struct layering {
    sni_save *save;
    sni_texture_baker *baker;
    const sn_model *model;
    uint32_t blends;     // that the target has, as bits
    bool *is_shown;      // materials that a part shows
    uint32_t *starts;    // of each material: its first layer in `moving`
    uint32_t *moving;    // of each layer: its channels that some clip drives, as bits
    int32_t *kept;       // of each material: the layer that became its only one; -1: all stay
    bool *is_baked;      // materials whose layers were baked into one texture
    int32_t *placed_by;  // of those: the layer whose texture coordinates it uses
} layering;

enum { MOVING_UVS = 1 << SN_CHANNEL_UV_OFFSET | 1 << SN_CHANNEL_UV_ROTATION | 1 << SN_CHANNEL_UV_SCALE };

static bool collect(layering *l)
{
    const sn_model *model = l->model;
    sni_arena *arena = &l->save->scratch;
    uint64_t total = 0;
    l->is_shown = sni_new(arena, bool, model->material_count);
    l->is_baked = sni_new(arena, bool, model->material_count);
    l->placed_by = sni_new(arena, int32_t, model->material_count);
    l->kept = sni_new_raw(arena, int32_t, model->material_count);
    l->starts = sni_new_raw(arena, uint32_t, model->material_count);
    if (!l->is_shown || !l->is_baked || !l->placed_by || !l->kept || !l->starts) return false;
    for (uint32_t i = 0; i < model->material_count; i++) {
        l->starts[i] = (uint32_t)total;
        l->kept[i] = -1;
        total += model->materials[i].layer_count;
    }
    l->moving = sni_new(arena, uint32_t, total);
    if (!l->moving) return false;
    for (uint32_t i = 0; i < model->part_count; i++) {
        if (model->parts[i].material >= 0) l->is_shown[model->parts[i].material] = true;
    }
    for (uint32_t i = 0; i < model->clip_count; i++) {
        for (uint32_t t = 0; t < model->clips[i].track_count; t++) {
            const sn_track *track = &model->clips[i].tracks[t];
            if (track->target_kind == SN_TARGET_LAYER)
                l->moving[l->starts[track->target] + (uint32_t)track->sub] |= 1u << track->channel;
        }
    }
    return true;
}

// The layers of one material while they are joined.
typedef struct stack {
    layering *all;
    const sn_material *material;
    uint32_t number;
    uint32_t base;
    const sn_layer **taken;  // from the base on: what will be baked
    uint32_t taken_count;
    int32_t place;  // the layer whose coordinates they use; -1 while all are of one colour
} stack;

static bool all_blend(const sn_material *material)
{
    for (uint32_t i = 0; i < material->layer_count; i++) {
        if (material->layers[i].blend != SN_BLEND_ALPHA) return false;
    }
    return true;
}

// The lowest opaque layer; without one the highest that blends by alpha, or the lowest where all blend by
// alpha; without any, the highest that does not only multiply what is below it.
static uint32_t find_base(const sn_material *material)
{
    for (uint32_t i = 0; i < material->layer_count; i++) {
        if (material->layers[i].blend == SN_BLEND_OPAQUE) return i;
    }
    if (all_blend(material)) return 0;
    for (uint32_t i = material->layer_count; i-- > 0;) {
        if (material->layers[i].blend == SN_BLEND_ALPHA) return i;
    }
    for (uint32_t i = material->layer_count; i-- > 0;) {
        sn_blend blend = material->layers[i].blend;
        if (blend != SN_BLEND_MODULATE && blend != SN_BLEND_MODULATE_2X) return i;
    }
    return material->layer_count - 1;
}

static bool has_other_maps(const sn_layer *layer)
{
    for (int i = SN_MAP_COLOR + 1; i < SN_MAP_COUNT; i++) {
        if (layer->maps[i].image >= 0) return true;
    }
    return layer->emissive.x > 0.0f || layer->emissive.y > 0.0f || layer->emissive.z > 0.0f;
}

static bool same_place(const sn_texture *a, const sn_texture *b)
{
    const sn_uv_transform *s = &a->transform, *t = &b->transform;
    return a->uv_set == b->uv_set && s->offset.x == t->offset.x && s->offset.y == t->offset.y &&
           s->rotation == t->rotation && s->scale.x == t->scale.x && s->scale.y == t->scale.y;
}

static uint32_t moving_in(const stack *s, uint32_t layer) { return s->all->moving[s->all->starts[s->number] + layer]; }

// A texture may be animated as long as all others are of one colour.
static const char *obstacle_of_place(const stack *s, uint32_t index)
{
    const sn_layer *layers = s->material->layers;
    if (s->place < 0) return NULL;
    if ((moving_in(s, index) | moving_in(s, (uint32_t)s->place)) & MOVING_UVS)
        return "its texture or the one below it is animated";
    bool is_same = same_place(&layers[s->place].maps[SN_MAP_COLOR], &layers[index].maps[SN_MAP_COLOR]);
    return is_same ? NULL : "it uses other texture coordinates";
}

static bool is_plain(const uint32_t size[2]) { return size[0] == 1 && size[1] == 1; }

// Why a layer cannot be baked onto those that are taken; NULL: it can.
static const char *obstacle(const stack *s, uint32_t index, const uint32_t size[2])
{
    const sn_layer *layer = &s->material->layers[index], *base = &s->material->layers[s->base];
    if (index < s->base) return "it is below the layer that is kept";
    if (size[0] == 0) return "its image cannot be read";
    if (layer->flags & SN_LAYER_SPHERE_MAP) return "it is a sphere map";
    if (moving_in(s, index) & 1u << SN_CHANNEL_IMAGE) return "its image is animated";
    if (index == s->base) return layer->blend > SN_BLEND_ALPHA ? "it has no layer below to blend with" : NULL;
    if (base->blend == SN_BLEND_ALPHA && layer->blend > SN_BLEND_ALPHA) return "nothing opaque is below it";
    if (has_other_maps(layer)) return "it has maps other than colour";
    return is_plain(size) ? NULL : obstacle_of_place(s, index);
}

static void take(stack *s, uint32_t index, const uint32_t size[2])
{
    s->taken[s->taken_count++] = &s->material->layers[index];
    if (s->place < 0 && !is_plain(size)) s->place = (int32_t)index;
}

static void report_lost(const stack *s, uint32_t index, const char *why)
{
    sni_diag *diag = &s->all->save->diag;
    int32_t image = s->material->layers[index].maps[SN_MAP_COLOR].image;
    const sn_image *picture = image >= 0 ? &s->all->model->images[image] : NULL;
    sni_enter_named(diag, "layers", index, picture ? picture->name : "");
    sni_warn(diag, SNI_WARN_LOST_CONTENT, 0, "left out: %s", why);
    sni_leave(diag);
}

// The base comes first: when it cannot be baked itself, nothing is baked onto it.
static bool choose(stack *s)
{
    const char *unbakeable = NULL;
    for (uint32_t n = 0; n < s->material->layer_count; n++) {
        uint32_t index = n == 0 ? s->base : n <= s->base ? n - 1 : n, size[2];
        if (!sni_color_map_size(s->all->baker, &s->material->layers[index], size)) return false;
        const char *why = obstacle(s, index, size);
        if (index == s->base) {
            unbakeable = why;
            take(s, index, size);
            continue;
        }
        if (!why && unbakeable) why = "the layer below it cannot be baked";
        if (why) report_lost(s, index, why);
        else take(s, index, size);
    }
    return true;
}

// When baking fails, which was reported, the base alone is kept.
static bool bake(stack *s, sn_layer *only)
{
    layering *l = s->all;
    if (s->taken_count < 2) return true;
    int32_t image = sni_bake_layers(l->baker, s->taken, s->taken_count);
    if (!sni_save_ok(l->save)) return false;
    if (image < 0) {
        sni_warn(&l->save->diag, SNI_WARN_LOST_CONTENT, 0, "layers above \"%.80s\" were left out",
                 only->maps[SN_MAP_COLOR].image >= 0 ? l->model->images[only->maps[SN_MAP_COLOR].image].name : "");
        return true;
    }
    sni_warn(&l->save->diag, SNI_WARN_LAYERS_JOINED, 0, "%u layers were joined into one", s->taken_count);
    if (s->place >= 0) only->maps[SN_MAP_COLOR] = s->material->layers[s->place].maps[SN_MAP_COLOR];
    only->maps[SN_MAP_COLOR].image = image;
    only->color = (sn_vec4){ 1, 1, 1, 1 };
    l->is_baked[s->number] = true;
    l->placed_by[s->number] = s->place;
    return true;
}

// As sni_emulate_blend, of one colour: textures that are missing are drawn white. Light is its brightest channel as
// alpha; what multiplies removes as much as its darkest.
static void emulate_color(sn_layer *layer)
{
    const bool is_light = layer->blend == SN_BLEND_ADD || layer->blend == SN_BLEND_ADD_ALPHA ||
                          layer->blend == SN_BLEND_SCREEN;
    float color[3] = { layer->color.x, layer->color.y, layer->color.z }, kept[3], low = 1.0f, most = 0.0f;
    float glow[3] = { layer->emissive.x, layer->emissive.y, layer->emissive.z };
    for (int c = 0; c < 3; c++) {
        float shown = (float)sni_srgb_of(color[c]);
        kept[c] = layer->blend == SN_BLEND_SUBTRACT
                      ? 1.0f - shown
                      : fminf(layer->blend == SN_BLEND_MODULATE_2X ? 2 * shown : shown, 1);
        low = fminf(low, kept[c]);
        most = fmaxf(most, color[c] + glow[c]);
    }
    most = fminf(most, 1.0f);
    float alpha = is_light ? (float)sni_srgb_of(most) : 1.0f - low;
    for (int c = 0; c < 3; c++) {
        if (is_light) {
            color[c] = most > 0.0f ? color[c] / most : 0.0f;
            glow[c] = most > 0.0f ? glow[c] / most : 0.0f;
        } else {
            color[c] = alpha > 0.0f ? (float)sni_linear_of((kept[c] - low) / alpha) : 0.0f;
            glow[c] = 0.0f;
        }
    }
    layer->color = (sn_vec4){ color[0], color[1], color[2], layer->color.w * alpha };
    layer->emissive = (sn_vec3){ glow[0], glow[1], glow[2] };
}

static bool emulate_blend(layering *l, sn_layer *layer, uint32_t moving)
{
    const uint32_t colors = 1u << SN_CHANNEL_COLOR | 1u << SN_CHANNEL_ALPHA | 1u << SN_CHANNEL_EMISSIVE;
    uint32_t size[2];
    if (l->blends >> layer->blend & 1) return true;
    int32_t image = sni_emulate_blend(l->baker, layer);
    if (image >= 0) layer->maps[SN_MAP_COLOR].image = image;
    else if (!sni_color_map_size(l->baker, layer, size)) return false;
    else if ((size[0] == 0 || layer->maps[SN_MAP_COLOR].image < 0) && !(moving & colors)) emulate_color(layer);
    return sni_save_ok(l->save);
}

static bool fit_material(layering *l, uint32_t number, sn_material *out)
{
    const sn_material *material = &l->model->materials[number];
    sni_arena *arena = &l->save->scratch;
    stack s = { .all = l, .material = material, .number = number, .place = -1 };
    bool fits = material->layer_count == 1 && l->blends >> material->layers[0].blend & 1;
    if (material->layer_count == 0 || fits) return true;
    sn_layer *only = sni_new_raw(arena, sn_layer, 1);
    s.base = find_base(material);
    s.taken = sni_new_raw(arena, const sn_layer *, material->layer_count);
    if (!only || !s.taken) return false;
    *only = material->layers[s.base];
    if (material->layer_count > 1 && (!choose(&s) || !bake(&s, only))) return false;
    if (!emulate_blend(l, only, moving_in(&s, s.base))) return false;
    l->kept[number] = (int32_t)s.base;
    out->layers = only;
    out->layer_count = 1;
    return true;
}

static bool fit_materials(layering *l, sn_model *fitted)
{
    const sn_model *model = l->model;
    sn_material *materials = sni_new_raw(&l->save->scratch, sn_material, model->material_count);
    bool is_good = materials != NULL;
    for (uint32_t i = 0; i < model->material_count && is_good; i++) {
        materials[i] = model->materials[i];
        if (!l->is_shown[i]) continue;
        sni_enter_named(&l->save->diag, "materials", i, materials[i].name);
        is_good = fit_material(l, i, &materials[i]);
        sni_leave(&l->save->diag);
    }
    fitted->materials = materials;
    return is_good;
}

// Of a baked texture only the coordinates stay animated, and the emissive colour.
static bool survives(const layering *l, const sn_track *track)
{
    if (track->target_kind != SN_TARGET_LAYER || l->kept[track->target] < 0) return true;
    bool is_kept = track->sub == l->kept[track->target];
    if (!l->is_baked[track->target]) return is_kept;
    if (1u << track->channel & MOVING_UVS) return track->sub == l->placed_by[track->target];
    return is_kept && track->channel == SN_CHANNEL_EMISSIVE;
}

static void report_dropped_track(const layering *l, const sn_track *track)
{
    sni_diag *diag = &l->save->diag;
    sni_enter_named(diag, "materials", track->target, l->model->materials[track->target].name);
    sni_enter(diag, "layers", track->sub);
    sni_warn(diag, SNI_WARN_LOST_CONTENT, 0, "tracks were left out with their layer");
    sni_leave(diag);
    sni_leave(diag);
}

static bool fit_clip(void *user, const sn_clip *clip, sn_clip *out)
{
    const layering *l = user;
    sn_track *tracks = sni_new_raw(&l->save->scratch, sn_track, clip->track_count);
    if (!tracks) return false;
    *out = *clip;
    out->tracks = tracks;
    out->track_count = 0;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sn_track *track = &clip->tracks[i];
        if (!survives(l, track)) {
            report_dropped_track(l, track);
            continue;
        }
        sn_track *kept = &tracks[out->track_count++];
        *kept = *track;
        if (kept->target_kind == SN_TARGET_LAYER && l->kept[kept->target] >= 0) kept->sub = 0;
    }
    return true;
}

bool sni_fit_layers(sni_save *save, sni_texture_baker *baker, uint32_t blends, const sn_model *model, sn_model *fitted)
{
    layering l = { .save = save, .baker = baker, .model = model, .blends = blends | 1u << SN_BLEND_ALPHA | 1u };
    return collect(&l) && fit_materials(&l, fitted) && sni_fit_clips(save, model, fit_clip, &l, fitted);
}
