// Images to textures, materials to layers, texture coordinates that move to texture animations.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/mime.h"
#include "format/mdx/mdx_export.h"
#include "model/extras.h"
#include "model/track.h"

enum { TEAM_COLOR = 1, TEAM_GLOW = 2, HD_LAYERS = 6 };

// Textures

typedef struct material_writer {
    mdx_exporter *x;
    sni_str *paths;         // per image: its file, as the model names it
    uint32_t *replaceable;  // per image
    uint64_t lost_uvs, lost_blends, lost_maps;
    uint64_t joined_layers;  // that have their old textures again
} material_writer;

static sni_str text_of(const char *text) { return sni_str_make(text, strlen(text)); }

// An image without data keeps its name, with an ending that the game loads.
static bool name_missing(material_writer *w, uint32_t index)
{
    char name[48], full[64];
    const sn_image *image = &w->x->model->images[index];
    if (sni_has_ending(image->uri, "blp tga dds tif")) return true;
    sni_save_image_name(image, index, name);
    snprintf(full, sizeof full, "%s.blp", name);
    const char *kept = sni_copy_text(w->x->arena, full, strlen(full));
    if (kept) w->paths[index] = text_of(kept);
    return kept != NULL;
}

// "Units\Footman.blp": what the game finds by itself, unless textures of another kind are asked for.
static bool is_game_path(const mdx_exporter *x, const sn_image *image)
{
    const sn_model *model = x->model;
    if (image->data && x->save->opts && x->save->opts->textures) return false;
    return image->uri[0] && strcmp(model->format, "mdx") == 0 && sni_has_ending(image->uri, "blp tga dds tif");
}

// A file with a name of its own for each image; the ones of Warcraft III keep the path that the game knows.
static bool name_images(material_writer *w)
{
    mdx_exporter *x = w->x;
    const sn_model *model = x->model;
    uint64_t missing = 0, unwritten = 0;
    sni_nocase_names used = { 0 };
    for (uint32_t i = 0; i < model->image_count; i++) {
        const sn_image *image = &model->images[i];
        w->paths[i] = mdx_name_text(x, image->uri, MDX_PATH_BYTES);
        const bool is_team = !image->uri[0] && x->is_own;
        if (is_team && strcmp(image->name, "team color") == 0) w->replaceable[i] = TEAM_COLOR;
        else if (is_team && strcmp(image->name, "team glow") == 0) w->replaceable[i] = TEAM_GLOW;
        else if (is_game_path(x, image)) continue;
        else if (image->data && sni_save_image_ending(image) && !x->save->memory) {
            const char *file = sni_save_emit_image(x->save, &used, image, i, false);
            if (!file) return false;
            w->paths[i] = mdx_name_text(x, file, MDX_PATH_BYTES);
        } else {
            missing += !image->data || !sni_save_image_ending(image);
            unwritten += image->data && sni_save_image_ending(image);
            if (!name_missing(w, i)) return false;
        }
    }
    sni_save_lose(x->save, "images", missing,
                  "textures that cannot be read were not written; only their names are kept");
    sni_save_lose(x->save, "images", unwritten, "textures were left out: only the model is saved to memory");
    return true;
}

bool mdx_add_texture(mdx_exporter *x, sni_str path, uint32_t replaceable, uint32_t flags, int32_t *index)
{
    const uint32_t numbers[] = { replaceable, flags };
    const uint32_t hash = sni_hash_more(sni_hash(numbers, sizeof numbers), path.at, path.size);
    for (sni_map_cursor at = sni_map_find(&x->texture_map, hash); sni_map_next(&x->texture_map, &at);) {
        const mdx_texture *known = (const mdx_texture *)x->doc->textures.items + at.item;
        *index = (int32_t)at.item;
        if (known->replaceable == replaceable && known->flags == flags && known->path.size == path.size &&
            memcmp(known->path.at, path.at, path.size) == 0)
            return true;
    }
    mdx_texture *added = sni_push(x->arena, &x->doc->textures, mdx_texture);
    if (!added || !sni_map_add(&x->texture_map, x->arena, hash, x->doc->textures.count - 1)) return false;
    *index = (int32_t)x->doc->textures.count - 1;
    added->path = path, added->replaceable = replaceable, added->flags = flags;
    return true;
}

static uint32_t wrap_flags(const sn_texture *map)
{
    return (map->wrap_u != SN_CLAMP ? MDX_WRAP_U : 0) | (map->wrap_v != SN_CLAMP ? MDX_WRAP_V : 0);
}

// `fallback` is a file of the game.
static bool texture_of(material_writer *w, const sn_texture *map, const char *fallback, int32_t *index)
{
    if (map->image < 0) return mdx_add_texture(w->x, text_of(fallback), 0, 0, index);
    const uint32_t replaceable = w->replaceable[map->image];
    const sni_str path = replaceable ? text_of("") : w->paths[map->image];
    if (path.size == 0 && !replaceable) return mdx_add_texture(w->x, text_of(fallback), 0, 0, index);
    return mdx_add_texture(w->x, path, replaceable, wrap_flags(map), index);
}

// Images of a track become textures.
static bool map_images(material_writer *w, const sn_texture *map, const sn_track *in, sn_track *out)
{
    float *values = sni_new_raw(w->x->arena, float, in->key_count);
    if (!values) return false;
    for (uint32_t i = 0; i < in->key_count; i++) {
        sn_texture other = *map;
        int32_t index;
        const float value = *sni_track_key(in, i, SNI_KEY_VALUE);
        other.image = value >= 0.0f && value < (float)w->x->model->image_count ? (int32_t)value : map->image;
        if (!texture_of(w, &other, "Textures\\white.blp", &index)) return false;
        values[i] = (float)index;
    }
    *out = *in;
    out->values = values;
    out->interpolation = SN_STEP;
    return true;
}

static bool export_images(material_writer *w, int32_t material, int32_t layer, const sn_texture *map, sni_list *tracks)
{
    mdx_exporter *x = w->x;
    uint32_t count;
    sni_list images = { 0 };
    const sni_found_track *found = mdx_find_tracks(x, SN_TARGET_LAYER, material, layer, SN_CHANNEL_IMAGE, &count);
    for (uint32_t i = 0; i < count; i++) {
        sn_track made;
        if (!map_images(w, map, found[i].track, &made) || !mdx_add_clip_track(x, found[i].clip, &made, &images))
            return false;
    }
    return count == 0 || mdx_export_clip_tracks(x, &images, NULL, MDX_KMTF, tracks);
}

// Texture coordinates

static bool has_track(const mdx_exporter *x, int32_t material, int32_t layer, sn_channel channel)
{
    uint32_t count;
    mdx_find_tracks(x, SN_TARGET_LAYER, material, layer, channel, &count);
    return count > 0;
}

// Two components become three.
static bool widen(mdx_exporter *x, const sn_track *in, float third, sn_track *out)
{
    const uint64_t groups = (uint64_t)in->key_count * sni_track_groups(in);
    float *values = sni_new_raw(x->arena, float, groups * 3);
    if (!values) return false;
    for (uint64_t i = 0; i < groups; i++) {
        const bool is_difference = sni_track_groups(in) == 3 && i % 3 != 1 && in->interpolation != SN_BEZIER;
        values[3 * i] = in->values[2 * i], values[3 * i + 1] = in->values[2 * i + 1];
        values[3 * i + 2] = is_difference ? 0.0f : third;
    }
    *out = *in;
    out->values = values;
    out->width = 3;
    return true;
}

// What the extras of a material have of a layer; NULL: nothing.
static const char *layer_extras(mdx_exporter *x, int32_t material, int32_t layer)
{
    sni_json json;
    sni_diag diag;
    const char *extras = material >= 0 ? x->model->materials[material].extras : NULL;
    if (!sni_extras_open_array(x->arena, extras, "layers", &json, &diag)) return NULL;
    for (int32_t i = 0; sni_json_next_item(&json); i++) {
        const sni_str raw = sni_json_raw(&json);
        if (i == layer) return sni_json_ok(&json) ? sni_copy_text(x->arena, raw.at, raw.size) : NULL;
    }
    return NULL;
}

static bool export_uv_channel(mdx_exporter *x, int32_t material, int32_t layer, sn_channel channel, uint32_t tag,
                              sni_list *tracks)
{
    const mdx_source source = { .kind = SN_TARGET_LAYER,
                                .target = material,
                                .sub = layer,
                                .channel = channel,
                                .stored = layer_extras(x, material, layer) };
    bool is_restored;
    if (!mdx_restore_global(x, &source, tag, tracks, &is_restored) || is_restored) return is_restored;
    uint32_t count;
    const sni_found_track *found = mdx_find_tracks(x, SN_TARGET_LAYER, material, layer, channel, &count);
    sn_track made = { 0 };
    sni_list widened = { 0 };
    for (uint32_t i = 0; i < count; i++) {
        const sn_track *in = found[i].track, *before = i > 0 ? found[i - 1].track : NULL;
        // The same track on its own clock stays one.
        const bool is_same = before && in->period > 0.0f && sni_track_has_same_keys(in, before);
        if (!is_same && !widen(x, in, channel == SN_CHANNEL_UV_SCALE ? 1.0f : 0.0f, &made)) return false;
        if (!mdx_add_clip_track(x, found[i].clip, &made, &widened)) return false;
    }
    return mdx_export_clip_tracks(x, &widened, NULL, tag, tracks);
}

// The file moves, then turns and scales about the centre of the texture; the model scales and turns about its corner,
// then moves.
typedef struct uv_state {
    float offset[2], angle, scale[2];
} uv_state;

typedef struct uv_keys {
    uint32_t count;
    float *times;
    float *moves, *turns, *scales;  // 3, 4 and 3 floats per key
} uv_keys;

static uv_state uv_at_rest(const sn_uv_transform *uv)
{
    return (uv_state){ { uv->offset.x, uv->offset.y }, uv->rotation, { uv->scale.x, uv->scale.y } };
}

// False: what is turned and scaled unevenly has no form in the file.
static bool store_uv_key(const uv_state *state, uv_keys *out)
{
    const uint32_t at = out->count++;
    const double c = cos(state->angle), s = sin(state->angle);
    const double x = (state->offset[0] - 0.5) / (state->scale[0] != 0.0f ? state->scale[0] : 1.0),
                 y = (state->offset[1] - 0.5) / (state->scale[1] != 0.0f ? state->scale[1] : 1.0);
    const float move[3] = { (float)(c * x + s * y + 0.5), (float)(c * y - s * x + 0.5), 0.0f };
    const float turn[4] = { 0, 0, (float)sin(state->angle / 2.0), (float)cos(state->angle / 2.0) };
    const float scale[3] = { state->scale[0], state->scale[1], 1.0f };
    memcpy(out->moves + 3 * (size_t)at, move, sizeof move);
    memcpy(out->turns + 4 * (size_t)at, turn, sizeof turn);
    memcpy(out->scales + 3 * (size_t)at, scale, sizeof scale);
    return fabs(s) < 1e-4 || fabsf(state->scale[0] - state->scale[1]) < 1e-4f * fabsf(state->scale[0]);
}

enum { UV_TRACKS = 3, UV_RATE = 30, UV_STEPS = 4096 };

// Key times of the three tracks, and thirty a second between them where more than one of them changes.
static float *uv_times(mdx_exporter *x, const sn_track *const tracks[UV_TRACKS], float duration, uint32_t *count)
{
    uint64_t total = 2;
    int moving = 0;
    for (int i = 0; i < UV_TRACKS; i++) {
        total += tracks[i] ? tracks[i]->key_count : 0;
        moving += tracks[i] && tracks[i]->key_count > 1;
    }
    const double most = moving > 1 || (tracks[1] && tracks[1]->key_count > 1) ? ceil((double)duration * UV_RATE) : 0.0;
    const uint32_t steps = most < UV_STEPS ? (uint32_t)most : UV_STEPS;
    float *times = sni_new_raw(x->arena, float, total + steps);
    uint32_t used = 0;
    if (!times) return NULL;
    times[used++] = 0.0f;
    times[used++] = duration;
    for (int i = 0; i < UV_TRACKS; i++)
        for (uint32_t k = 0; tracks[i] && k < tracks[i]->key_count; k++)
            if (tracks[i]->times[k] >= 0.0f && tracks[i]->times[k] <= duration) times[used++] = tracks[i]->times[k];
    for (uint32_t i = 1; i < steps; i++) times[used++] = duration * (float)i / (float)steps;
    *count = sni_merge_key_times(times, used);
    return times;
}

// *is_exact: the file can hold all keys.
static bool sample_uvs(mdx_exporter *x, const sn_track *const tracks[UV_TRACKS], const sn_uv_transform *rest,
                       float duration, uv_keys *out, bool *is_exact)
{
    uint32_t count = 0;
    *out = (uv_keys){ .times = uv_times(x, tracks, duration, &count) };
    out->moves = sni_new_raw(x->arena, float, 3ull * count);
    out->turns = sni_new_raw(x->arena, float, 4ull * count);
    out->scales = sni_new_raw(x->arena, float, 3ull * count);
    if (!out->times || !out->moves || !out->turns || !out->scales) return false;
    *is_exact = true;
    for (uint32_t i = 0; i < count; i++) {
        uv_state state = uv_at_rest(rest);
        const float time = out->times[i];
        if (tracks[0]) sni_track_sample(tracks[0], time, duration, time, state.offset);
        if (tracks[1]) sni_track_sample(tracks[1], time, duration, time, &state.angle);
        if (tracks[2]) sni_track_sample(tracks[2], time, duration, time, state.scale);
        *is_exact &= store_uv_key(&state, out);
    }
    return true;
}

static sn_track uv_track(const uv_keys *keys, const float *values, uint32_t width, bool steps)
{
    return (sn_track){ .channel = width == 4 ? SN_CHANNEL_ROTATION : SN_CHANNEL_TRANSLATION,
                       .interpolation = steps ? SN_STEP : SN_LINEAR,
                       .key_count = keys->count,
                       .width = width,
                       .times = keys->times,
                       .values = values };
}

// Whether all values are the one that needs no track.
static bool is_uv_idle(const float *values, uint32_t count, const float *idle, uint32_t width)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < width; c++)
            if (fabsf(values[i * width + c] - idle[c]) > 1e-5f) return false;
    return true;
}

// One of the three tracks of the file, from the sampled keys of all clips; left out where nothing moves.
static bool export_uv_values(mdx_exporter *x, const uv_keys *keys, uint32_t which, bool steps, sni_list *tracks)
{
    static const uint32_t tags[] = { MDX_KTAT, MDX_KTAR, MDX_KTAS }, widths[] = { 3, 4, 3 };
    static const float idle[UV_TRACKS][4] = { { 0, 0, 0, 0 }, { 0, 0, 0, 1 }, { 1, 1, 1, 1 } };
    bool is_idle = true;
    sni_list reduced = { 0 };
    for (uint32_t i = 0; i < x->model->clip_count; i++) {
        const float *values[] = { keys[i].moves, keys[i].turns, keys[i].scales };
        is_idle &= is_uv_idle(values[which], keys[i].count, idle[which], widths[which]);
    }
    for (uint32_t i = 0; !is_idle && i < x->model->clip_count; i++) {
        const float *values[] = { keys[i].moves, keys[i].turns, keys[i].scales };
        sn_track made = uv_track(&keys[i], values[which], widths[which], steps);
        if (!sni_track_reduce(x->arena, &made, 1e-5, &made) || !mdx_add_clip_track(x, i, &made, &reduced)) return false;
    }
    return is_idle || mdx_export_clip_tracks(x, &reduced, NULL, tags[which], tracks);
}

static bool export_sampled_uvs(material_writer *w, int32_t material, int32_t layer, const sn_uv_transform *rest,
                               sni_list *out)
{
    mdx_exporter *x = w->x;
    static const sn_channel channels[] = { SN_CHANNEL_UV_OFFSET, SN_CHANNEL_UV_ROTATION, SN_CHANNEL_UV_SCALE };
    uv_keys *keys = sni_new(x->arena, uv_keys, x->model->clip_count);
    bool steps = true;
    if (!keys) return false;
    for (uint32_t i = 0; i < x->model->clip_count; i++) {
        const sn_track *tracks[UV_TRACKS];
        for (int c = 0; c < UV_TRACKS; c++) {
            tracks[c] = mdx_find_clip_track(x, i, SN_TARGET_LAYER, material, layer, channels[c]);
            steps &= !tracks[c] || tracks[c]->interpolation == SN_STEP || tracks[c]->key_count == 1;
        }
        bool is_exact;
        if (!sample_uvs(x, tracks, rest, x->model->clips[i].duration, &keys[i], &is_exact)) return false;
        w->lost_uvs += !is_exact;
    }
    for (uint32_t which = 0; which < UV_TRACKS; which++)
        if (!export_uv_values(x, keys, which, steps, out)) return false;
    return true;
}

static bool is_plain(const sn_uv_transform *uv)
{
    return uv->offset.x == 0.0f && uv->offset.y == 0.0f && uv->rotation == 0.0f && uv->scale.x == 1.0f &&
           uv->scale.y == 1.0f;
}

// Movement alone keeps its curve; everything else is sampled. A transform that does not move is a key in each clip.
static bool export_uv_anim(material_writer *w, int32_t material, int32_t layer, const sn_uv_transform *rest,
                           int32_t *anim)
{
    mdx_exporter *x = w->x;
    sni_list tracks = { 0 };
    const bool moves = has_track(x, material, layer, SN_CHANNEL_UV_OFFSET),
               turns = has_track(x, material, layer, SN_CHANNEL_UV_ROTATION),
               scales = has_track(x, material, layer, SN_CHANNEL_UV_SCALE);
    *anim = -1;
    if (!moves && !turns && !scales && is_plain(rest)) return true;
    const bool is_kept = moves && !turns && !scales && rest->rotation == 0.0f && rest->scale.x == 1.0f &&
                         rest->scale.y == 1.0f;
    if (is_kept ? !export_uv_channel(x, material, layer, SN_CHANNEL_UV_OFFSET, MDX_KTAT, &tracks)
                : !export_sampled_uvs(w, material, layer, rest, &tracks))
        return false;
    if (tracks.count == 0) return true;
    mdx_texture_anim *added = sni_push(x->arena, &x->doc->texture_anims, mdx_texture_anim);
    if (!added) return false;
    added->item.tracks = mdx_tracks_of(&tracks);
    *anim = (int32_t)x->doc->texture_anims.count - 1;
    return true;
}

// Layers

static uint32_t filter_of(material_writer *w, const sn_layer *layer)
{
    static const uint8_t filters[] = { MDX_FILTER_NONE,      MDX_FILTER_BLEND,    MDX_FILTER_ADDITIVE,
                                       MDX_FILTER_ADD_ALPHA, MDX_FILTER_MODULATE, MDX_FILTER_MODULATE_2X,
                                       MDX_FILTER_ADDITIVE,  MDX_FILTER_MODULATE };
    w->lost_blends += layer->blend >= SN_BLEND_SCREEN;
    return layer->blend == SN_BLEND_OPAQUE && layer->alpha_cutoff > 0.0f ? MDX_FILTER_TRANSPARENT
                                                                         : filters[layer->blend];
}

static uint32_t shading_of(const sn_layer *layer)
{
    static const struct {
        uint32_t flag, bit;
    } table[] = { { SN_LAYER_UNLIT, MDX_UNSHADED },
                  { SN_LAYER_SPHERE_MAP, MDX_SPHERE_MAP },
                  { SN_LAYER_TWO_SIDED, MDX_LAYER_TWO_SIDED },
                  { SN_LAYER_NO_DEPTH_TEST, MDX_NO_DEPTH_TEST },
                  { SN_LAYER_NO_DEPTH_WRITE, MDX_NO_DEPTH_SET } };
    uint32_t bits = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (layer->flags & table[i].flag) bits |= table[i].bit;
    return bits;
}

static bool export_layer(material_writer *w, int32_t material, int32_t index, const sn_layer *layer, mdx_layer *out)
{
    mdx_exporter *x = w->x;
    const mdx_source alpha = { SN_TARGET_LAYER,
                               material,
                               index,
                               SN_CHANNEL_ALPHA,
                               NULL,
                               &layer->color.w,
                               NULL,
                               layer_extras(x, material, index) };
    const sn_uv_transform *uv = &layer->maps[SN_MAP_COLOR].transform;
    sni_list tracks = { 0 }, images = { 0 };
    out->filter = filter_of(w, layer);
    out->flags = shading_of(layer);
    out->coord = layer->maps[SN_MAP_COLOR].uv_set;
    out->alpha = layer->color.w;
    out->emissive_gain = 1.0f;
    out->fresnel_color = (sn_vec3){ 1, 1, 1 };
    if (!texture_of(w, &layer->maps[SN_MAP_COLOR], "Textures\\white.blp", &out->texture) ||
        !export_images(w, material, index, &layer->maps[SN_MAP_COLOR], &images) ||
        !mdx_export_track(x, &alpha, MDX_KMTA, &tracks) || !export_uv_anim(w, material, index, uv, &out->texture_anim))
        return false;
    if (!mdx_has_slots(x->doc)) {
        mdx_track *image = images.count > 0 ? sni_push(x->arena, &tracks, mdx_track) : NULL;
        if (images.count > 0 && !image) return false;
        if (image) *image = *(const mdx_track *)images.items;
    } else if ((out->slots = sni_new(x->arena, mdx_texture_slot, 1))) {
        out->slots[0] = (mdx_texture_slot){ (uint32_t)out->texture, 0, mdx_tracks_of(&images) };
        out->slot_count = 1;
    } else {
        return false;
    }
    out->item.tracks = mdx_tracks_of(&tracks);
    return true;
}

// Reforged: colour, normals, occlusion + roughness + metal, light, team colour, surroundings.
static bool hd_textures(material_writer *w, const sn_layer *layer, int32_t out[HD_LAYERS])
{
    return texture_of(w, &layer->maps[SN_MAP_COLOR], "Textures\\white.dds", &out[0]) &&
           texture_of(w, &layer->maps[SN_MAP_NORMAL], "Textures\\normal.dds", &out[1]) &&
           texture_of(w, &layer->maps[SN_MAP_METAL_ROUGH], "Textures\\orm.dds", &out[2]) &&
           texture_of(w, &layer->maps[SN_MAP_EMISSIVE], "Textures\\Black32.dds", &out[3]) &&
           mdx_add_texture(w->x, text_of(""), TEAM_COLOR, 0, &out[4]) &&
           mdx_add_texture(w->x, text_of("ReplaceableTextures\\EnvironmentMap.dds"), 0, 0, &out[5]);
}

static bool is_hd(const mdx_exporter *x, const sn_material *material)
{
    const sn_layer *first = material->layers;
    return x->doc->version >= 1000 && material->layer_count == 1 &&
           (first->maps[SN_MAP_NORMAL].image >= 0 || first->maps[SN_MAP_METAL_ROUGH].image >= 0);
}

static bool export_hd(material_writer *w, int32_t index, const sn_material *material, mdx_material *out)
{
    mdx_exporter *x = w->x;
    const sn_layer *layer = material->layers;
    int32_t maps[HD_LAYERS];
    const bool has_slots = mdx_has_slots(x->doc);
    if (!hd_textures(w, layer, maps) || !export_layer(w, index, 0, layer, &out->layers[0])) return false;
    if (has_slots && !(out->layers[0].slots = sni_new(x->arena, mdx_texture_slot, HD_LAYERS))) return false;
    if (!has_slots) out->shader = text_of("Shader_HD_DefaultUnit");
    out->layer_count = has_slots ? 1 : HD_LAYERS;
    out->layers[0].texture = maps[0];
    out->layers[0].shader_type = 1;
    for (uint32_t i = 0; i < HD_LAYERS; i++) {
        if (has_slots) out->layers[0].slots[i] = (mdx_texture_slot){ (uint32_t)maps[i], i, { NULL, 0 } };
        else if (i > 0)
            out->layers[i] = (mdx_layer){ .texture = maps[i],
                                          .texture_anim = -1,
                                          .alpha = 1.0f,
                                          .emissive_gain = 1.0f,
                                          .fresnel_color = { 1, 1, 1 } };
    }
    if (has_slots) out->layers[0].slot_count = HD_LAYERS;
    mdx_read_settings(x, material->extras, mdx_material_flag_names, &out->flags, "priorityPlane", &out->priority_plane);
    return true;
}

typedef struct old_layer {
    mdx_layer layer;
    sni_list tracks, uv_tracks;
} old_layer;

static bool read_global_tracks(mdx_exporter *x, sni_json *json, old_layer *old)
{
    sni_str key;
    for (sni_json_enter_object(json); sni_json_next_key(json, &key);) {
        if (sni_str_is(key, "alpha")
                ? !mdx_read_curve(x, json, MDX_KMTA, &old->tracks)
                : sni_str_is(key, "translation") && !mdx_read_curve(x, json, MDX_KTAT, &old->uv_tracks))
            return false;
        if (!sni_str_is(key, "alpha") && !sni_str_is(key, "translation")) sni_json_skip(json);
    }
    return true;
}

// One layer of the extras: filter, fog, and where layers were joined all that makes a layer.
static bool read_layer(mdx_exporter *x, sni_json *json, old_layer *old)
{
    sni_str key;
    mdx_layer *out = &old->layer;
    *out = (mdx_layer){ .filter = MDX_FILTER_COUNT,
                        .texture = -1,
                        .texture_anim = -1,
                        .alpha = 1.0f,
                        .emissive_gain = 1.0f,
                        .fresnel_color = { 1, 1, 1 } };
    if (sni_json_peek(json) != SNI_JSON_OBJECT) {
        sni_json_skip(json);
        return true;
    }
    for (sni_json_enter_object(json); sni_json_next_key(json, &key);) {
        const sni_json_kind kind = sni_json_peek(json);
        if (sni_str_is(key, "filterMode") && kind == SNI_JSON_STRING) {
            const int32_t filter = sni_json_word(json, mdx_layer_filters, MDX_FILTER_COUNT);
            if (filter >= 0) out->filter = (uint32_t)filter;
        } else if (sni_str_is(key, "texture")) {
            if (!mdx_read_texture(x, json, &out->texture)) return false;
        } else if (sni_str_is(key, MDX_GLOBAL_TRACKS) && kind == SNI_JSON_OBJECT) {
            if (!read_global_tracks(x, json, old)) return false;
        } else if (sni_str_is(key, "unfogged")) {
            out->flags |= MDX_UNFOGGED;
            sni_json_skip(json);
        } else if (sni_str_is(key, "shading") && kind == SNI_JSON_NUMBER) {
            out->flags |= (uint32_t)sni_json_index(json);
        } else if (sni_str_is(key, "coordId") && kind == SNI_JSON_NUMBER) {
            out->coord = sni_json_index(json);
        } else if (sni_str_is(key, "alpha") && kind == SNI_JSON_NUMBER) {
            out->alpha = sni_json_float(json);
        } else {
            sni_json_skip(json);
        }
    }
    return true;
}

// Layers that glTF joined are apart again.
static bool part_layers(material_writer *w, const sni_list *layers, mdx_material *out)
{
    mdx_exporter *x = w->x;
    const old_layer *old = layers->items;
    out->layers = sni_new(x->arena, mdx_layer, layers->count);
    if (!out->layers) return false;
    out->layer_count = layers->count;
    w->joined_layers += layers->count;
    for (uint32_t i = 0; i < layers->count; i++) {
        mdx_layer *layer = &out->layers[i];
        *layer = old[i].layer;
        layer->item.tracks = mdx_tracks_of(&old[i].tracks);
        x->globals.found_tracks += old[i].tracks.count + old[i].uv_tracks.count;
        if (old[i].uv_tracks.count == 0) continue;
        mdx_texture_anim *anim = sni_push(x->arena, &x->doc->texture_anims, mdx_texture_anim);
        if (!anim) return false;
        anim->item.tracks = mdx_tracks_of(&old[i].uv_tracks);
        layer->texture_anim = (int32_t)x->doc->texture_anims.count - 1;
    }
    return true;
}

// What layers were in Warcraft III: their filters, where glTF shows them as plain blending, and fog.
static bool restore_layers(material_writer *w, sni_json *json, mdx_material *out)
{
    mdx_exporter *x = w->x;
    sni_list layers = { 0 };
    bool has_textures = x->doc->version < 900;
    if (sni_json_peek(json) != SNI_JSON_ARRAY) {
        sni_json_skip(json);
        return true;
    }
    for (sni_json_enter_array(json); sni_json_next_item(json);) {
        old_layer *old = sni_push(x->arena, &layers, old_layer);
        if (!old || !read_layer(x, json, old)) return false;
        has_textures &= old->layer.texture >= 0 && old->layer.filter < MDX_FILTER_COUNT;
    }
    if (layers.count > out->layer_count && has_textures) return part_layers(w, &layers, out);
    for (uint32_t i = 0; i < layers.count && i < out->layer_count; i++) {
        const mdx_layer *old = &((const old_layer *)layers.items)[i].layer;
        mdx_layer *layer = &out->layers[i];
        const bool is_emulated = old->filter >= MDX_FILTER_ADDITIVE && old->filter < MDX_FILTER_COUNT;
        if (is_emulated && layer->filter == MDX_FILTER_BLEND) layer->filter = old->filter;
        layer->flags |= old->flags & MDX_UNFOGGED;
    }
    return true;
}

// Sorting and priority, which the model has no members for.
static bool restore_material(material_writer *w, const char *extras, mdx_material *out)
{
    mdx_exporter *x = w->x;
    mdx_extras in;
    sni_str key;
    mdx_read_settings(x, extras, mdx_material_flag_names, &out->flags, "priorityPlane", &out->priority_plane);
    if (!mdx_open_extras(x, extras, &in)) return sni_save_ok(x->save);
    while (sni_json_next_key(&in.json, &key)) {
        if (!sni_str_is(key, "layers")) sni_json_skip(&in.json);
        else if (!restore_layers(w, &in.json, out)) return false;
    }
    return true;
}

static bool export_material(material_writer *w, int32_t index, const sn_material *material)
{
    static const sn_layer plain = { .maps = { { .image = -1, .transform = { .scale = { 1, 1 } } } },
                                    .color = { 1, 1, 1, 1 } };
    mdx_exporter *x = w->x;
    mdx_material *out = sni_push(x->arena, &x->doc->materials, mdx_material);
    const uint32_t count = material && material->layer_count > 0 ? material->layer_count : 1;
    if (!out) return false;
    out->has_layers = true;
    out->layers = sni_new(x->arena, mdx_layer, count > HD_LAYERS ? count : HD_LAYERS);
    out->layer_count = count;
    if (!out->layers) return false;
    if (material && material->layer_count > 0 && is_hd(x, material)) return export_hd(w, index, material, out);
    for (uint32_t i = 0; i < count; i++) {
        const sn_layer *layer = material && material->layer_count > 0 ? &material->layers[i] : &plain;
        if (!export_layer(w, index, (int32_t)i, layer, &out->layers[i])) return false;
        for (int map = SN_MAP_METAL_ROUGH; layer != &plain && map < SN_MAP_COUNT; map++)
            w->lost_maps += layer->maps[map].image >= 0;
    }
    return !material || restore_material(w, material->extras, out);
}

bool mdx_export_materials(mdx_exporter *x)
{
    const sn_model *model = x->model;
    material_writer w = { .x = x };
    w.paths = sni_new(x->arena, sni_str, model->image_count);
    w.replaceable = sni_new(x->arena, uint32_t, model->image_count);
    if (!w.paths || !w.replaceable || !name_images(&w)) return false;
    bool needs_plain = false;
    for (uint32_t i = 0; i < model->part_count; i++) needs_plain |= model->parts[i].material < 0;
    for (uint32_t i = 0; i < model->material_count; i++)
        if (!export_material(&w, (int32_t)i, &model->materials[i])) return false;
    if (needs_plain && !export_material(&w, -1, NULL)) return false;
    sni_save_lose(x->save, "materials", w.lost_blends, "blend modes that the format does not support were replaced");
    sni_save_lose(x->save, "materials", w.lost_maps, "texture maps other than colour were left out");
    sni_save_lose(x->save, "materials", w.lost_uvs,
                  "texture transforms that rotate and scale unevenly were approximated");
    sni_save_lose(x->save, "materials", w.joined_layers,
                  "layers joined for glTF were separated again; only the names of their textures are written");
    return true;
}
