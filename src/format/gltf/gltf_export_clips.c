// Clips to animations. The tracks were fitted: step, linear or cubic spline, held at both ends.
#include "format/gltf/gltf_export.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/track.h"

typedef struct clip_writer {
    gltf_export *export;
    sni_list channels, samplers;
    uint64_t lost[SN_CHANNEL_COUNT];
    uint32_t number;  // of the clip, from 1 on
} clip_writer;

static uint64_t groups_of(const sn_track *track)
{
    return (uint64_t)track->key_count * (track->interpolation == SN_CUBIC_SPLINE ? 3 : 1);
}

// An accessor counts its numbers in 32 bits.
static bool has_plain_keys(const sn_track *track)
{
    bool is_countable = track->width > 0 && groups_of(track) <= UINT32_MAX / track->width;
    return track->period <= 0.0f && track->key_count > 0 && is_countable &&
           (track->interpolation == SN_STEP || track->interpolation == SN_LINEAR ||
            track->interpolation == SN_CUBIC_SPLINE);
}

static gltf_type type_of(const sn_track *track)
{
    static const gltf_type types[] = { GLTF_SCALAR, GLTF_SCALAR, GLTF_VEC2, GLTF_VEC3, GLTF_VEC4 };
    return track->channel == SN_CHANNEL_MORPHS ? GLTF_SCALAR : types[track->width <= 4 ? track->width : 0];
}

// Shown or not, as the bytes that glTF wants for a yes or no.
static int32_t write_flags(clip_writer *writer, const sn_track *track)
{
    uint8_t *flags = sni_new_raw(&writer->export->save->scratch, uint8_t, track->key_count);
    for (uint32_t i = 0; flags && i < track->key_count; i++) flags[i] = track->values[i] > 0.0f;
    return flags ? gltf_pack_integers(&writer->export->pack, GLTF_KEYS, flags, track->key_count, GLTF_SCALAR, GLTF_U8)
                 : -1;
}

static int32_t write_sampler(clip_writer *writer, const sn_track *track)
{
    gltf_pack *pack = &writer->export->pack;
    uint32_t groups = (uint32_t)groups_of(track);
    bool is_flat = track->channel == SN_CHANNEL_MORPHS;
    int32_t input = gltf_pack_floats(pack, GLTF_KEYS, track->times, track->key_count, GLTF_SCALAR, true);
    int32_t output = track->channel == SN_CHANNEL_VISIBILITY
                         ? write_flags(writer, track)
                         : gltf_pack_floats(pack, GLTF_KEYS, track->values, is_flat ? groups * track->width : groups,
                                            type_of(track), false);
    const gltf_sampler *known = writer->samplers.items;
    for (uint32_t i = writer->samplers.count; i-- > 0 && writer->samplers.count - i < 16;) {
        if (known[i].input == input && known[i].output == output && known[i].interpolation == track->interpolation)
            return (int32_t)i;
    }
    gltf_sampler *sampler = sni_push(&writer->export->save->scratch, &writer->samplers, gltf_sampler);
    if (!sampler || input < 0 || output < 0) return -1;
    *sampler = (gltf_sampler){ .input = input,
                               .output = output,
                               .interpolation = (sn_interpolation)track->interpolation };
    return (int32_t)writer->samplers.count - 1;
}

static bool write_channel(clip_writer *writer, int32_t sampler, int32_t node, gltf_path path)
{
    gltf_channel *channel = sni_push(&writer->export->save->scratch, &writer->channels, gltf_channel);
    if (!channel || sampler < 0) return false;
    *channel = (gltf_channel){ .sampler = sampler, .node = node, .path = path };
    return true;
}

// As many weights as the mesh has morphs: what the track does not drive stays as it is at rest.
static bool fit_weights(clip_writer *writer, const sn_track *track, const gltf_group *group, sn_track *fitted)
{
    const float *rest = writer->export->model->parts[group->first_part].morph_weights;
    uint64_t groups = groups_of(track);
    uint32_t count = group->morph_count;
    *fitted = *track;
    if (track->width == count) return true;
    float *values = sni_new(&writer->export->save->scratch, float, groups *count);
    if (!values) return false;
    for (uint64_t i = 0; i < groups; i++) {
        bool is_tangent = track->interpolation == SN_CUBIC_SPLINE && i % 3 != 1;
        for (uint32_t m = 0; m < count; m++)
            values[i * count + m] = m < track->width      ? track->values[i * track->width + m]
                                    : is_tangent || !rest ? 0.0f
                                                          : rest[m];
    }
    fitted->width = count;
    fitted->values = values;
    return true;
}

// Morph weights drive every mesh that the node shows, wherever its holder stands.
static bool write_morphs(clip_writer *writer, const sn_track *track)
{
    gltf_export *export = writer->export;
    bool is_lost = true;
    for (int32_t at = export->first_group[track->target]; at >= 0; at = export->groups[at].next) {
        const gltf_group *group = &export->groups[at];
        sn_track fitted;
        if (group->morph_count == 0 || groups_of(track) > UINT32_MAX / group->morph_count) continue;
        if (!fit_weights(writer, track, group, &fitted)) return false;
        if (!write_channel(writer, write_sampler(writer, &fitted), group->holder, GLTF_WEIGHTS)) return false;
        is_lost = false;
    }
    writer->lost[track->channel] += is_lost;
    return true;
}

static bool point_at(clip_writer *writer, int32_t sampler, const char *format, int32_t index)
{
    char text[160];
    snprintf(text, sizeof text, format, index);
    const char *pointer = sni_copy_text(&writer->export->save->scratch, text, strlen(text));
    if (!pointer || !write_channel(writer, sampler, -1, GLTF_POINTER)) return false;
    ((gltf_channel *)writer->channels.items)[writer->channels.count - 1].pointer = pointer;
    gltf_use_extension(writer->export, "KHR_animation_pointer");
    if (strstr(format, "/nodes/")) return true;  // hidden and shown: told where the node is written
    sni_diag *diag = &writer->export->save->diag;
    sni_enter(diag, "KHR_animation_pointer", -1);
    sni_warn(diag, SNI_WARN_LOST_CONTENT, 0, "what moves here stands still in players without KHR_animation_pointer");
    sni_leave(diag);
    return true;
}

static bool write_pointer(clip_writer *writer, const sn_track *track, const char *format, int32_t index)
{
    return point_at(writer, write_sampler(writer, track), format, index);
}

static int32_t write_scaled(clip_writer *writer, const sn_track *track, float factor)
{
    uint64_t count = groups_of(track) * track->width;
    float *values = sni_new_raw(&writer->export->save->scratch, float, count);
    if (!values) return -1;
    for (uint64_t i = 0; i < count; i++) values[i] = track->values[i] * factor;
    sn_track scaled = *track;
    scaled.values = values;
    return write_sampler(writer, &scaled);
}

// The tracks of one clip that drive colour and alpha of each material's first layer.
static void find_pairs(clip_writer *writer, const sn_clip *clip)
{
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sn_track *track = &clip->tracks[i];
        if (track->target_kind != SN_TARGET_LAYER || track->sub != 0) continue;
        gltf_pair *pair = &writer->export->pairs[track->target];
        if (pair->clip != writer->number) *pair = (gltf_pair){ .clip = writer->number };
        if (track->channel == SN_CHANNEL_COLOR) pair->color = track;
        if (track->channel == SN_CHANNEL_ALPHA) pair->alpha = track;
    }
}

// Colour and alpha are two tracks here, with the same keys, and one factor there. Where only one moves, the other is
// the layer's own.
static int32_t write_color(clip_writer *writer, const sn_track *track)
{
    const sn_layer *layer = &writer->export->model->materials[track->target].layers[0];
    const gltf_pair *pair = &writer->export->pairs[track->target];
    bool is_cubic = track->interpolation == SN_CUBIC_SPLINE;
    uint32_t groups = (uint32_t)groups_of(track);
    sn_vec4 *values = sni_new_raw(&writer->export->save->scratch, sn_vec4, groups);
    assert(!pair->color || !pair->alpha || groups_of(pair->color) == groups_of(pair->alpha));
    if (!values) return -1;
    for (uint32_t i = 0; i < groups; i++) {
        bool is_tangent = is_cubic && i % 3 != 1;
        values[i] = is_tangent ? (sn_vec4){ 0, 0, 0, 0 } : layer->color;
        if (pair->color) memcpy(&values[i], pair->color->values + (size_t)i * 3, 3 * sizeof(float));
        if (pair->alpha) values[i].w = pair->alpha->values[i];
    }
    sn_track both = *track;
    both.values = &values->x;
    both.width = 4;
    return write_sampler(writer, &both);
}

static gltf_material *variant_with(const gltf_export *export, int32_t at, bool needs_map)
{
    gltf_material *material = &export->doc->materials[((const gltf_variant *)export->variants.items)[at].written];
    return !needs_map || material->maps[SN_MAP_COLOR].texture >= 0 ? material : NULL;
}

// The same keys for every way that the material is written.
static bool point_at_variants(clip_writer *writer, const sn_track *track, int32_t sampler, const char *format,
                              bool needs_map)
{
    gltf_export *export = writer->export;
    const gltf_variant *variants = export->variants.items;
    for (int32_t at = export->first_variant[track->target]; at >= 0; at = variants[at].next) {
        gltf_material *material = variant_with(export, at, needs_map);
        if (!material) continue;
        if (needs_map) {
            material->maps[SN_MAP_COLOR].transform.is_given = true;
            gltf_use_extension(export, "KHR_texture_transform");
        }
        if (!point_at(writer, sampler, format, variants[at].written)) return false;
    }
    return true;
}

static bool has_variant(const gltf_export *export, int32_t material, bool needs_map)
{
    const gltf_variant *variants = export->variants.items;
    for (int32_t at = export->first_variant[material]; at >= 0; at = variants[at].next) {
        if (variant_with(export, at, needs_map)) return true;
    }
    return false;
}

#define COLOR_MAP "/materials/%d/pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform"

static bool write_layer_track(clip_writer *writer, const sn_track *track)
{
    static const char *const pointers[SN_CHANNEL_COUNT] = {
        [SN_CHANNEL_COLOR] = "/materials/%d/pbrMetallicRoughness/baseColorFactor",
        [SN_CHANNEL_ALPHA] = "/materials/%d/pbrMetallicRoughness/baseColorFactor",
        [SN_CHANNEL_EMISSIVE] = "/materials/%d/emissiveFactor",
        [SN_CHANNEL_UV_OFFSET] = COLOR_MAP "/offset",
        [SN_CHANNEL_UV_ROTATION] = COLOR_MAP "/rotation",
        [SN_CHANNEL_UV_SCALE] = COLOR_MAP "/scale",
    };
    const gltf_export *export = writer->export;
    const gltf_pair *pair = &export->pairs[track->target];
    bool is_color = track->channel == SN_CHANNEL_COLOR || track->channel == SN_CHANNEL_ALPHA;
    bool is_uv = track->channel >= SN_CHANNEL_UV_OFFSET && track->channel <= SN_CHANNEL_UV_SCALE;
    if (!pointers[track->channel] || track->sub != 0 || !has_variant(export, track->target, is_uv)) {
        writer->lost[track->channel]++;
        return true;
    }
    if (is_color && pair->color && track != pair->color) return true;  // written with its colour
    const gltf_variant *first = (const gltf_variant *)export->variants.items + export->first_variant[track->target];
    float strength = export->doc->materials[first->written].emissive_strength;
    int32_t sampler = is_color                                   ? write_color(writer, track)
                      : track->channel == SN_CHANNEL_EMISSIVE    ? write_scaled(writer, track, 1.0f / strength)
                      : track->channel == SN_CHANNEL_UV_ROTATION ? write_scaled(writer, track, -1.0f)
                                                                 : write_sampler(writer, track);
    return point_at_variants(writer, track, sampler, pointers[track->channel], is_uv);
}

static bool write_light_track(clip_writer *writer, const sn_track *track)
{
    int32_t light = writer->export->light_of[track->target];
    if (light >= 0 && track->channel == SN_CHANNEL_COLOR)
        return write_pointer(writer, track, "/extensions/KHR_lights_punctual/lights/%d/color", light);
    if (light >= 0 && track->channel == SN_CHANNEL_INTENSITY)
        return write_pointer(writer, track, "/extensions/KHR_lights_punctual/lights/%d/intensity", light);
    writer->lost[track->channel]++;
    return true;
}

#define VISIBLE "/nodes/%d/extensions/KHR_node_visibility/visible"

// Shown or not as a scale of 1 or 0, in steps.
static bool write_scale_switch(clip_writer *writer, const sn_track *track, int32_t node)
{
    sn_vec3 *scales = sni_new_raw(&writer->export->save->scratch, sn_vec3, track->key_count);
    if (!scales) return false;
    for (uint32_t i = 0; i < track->key_count; i++) {
        float scale = track->values[i] > 0.0f ? 1.0f : 0.0f;
        scales[i] = (sn_vec3){ scale, scale, scale };
    }
    sn_track scaled = *track;
    scaled.channel = SN_CHANNEL_SCALE;
    scaled.interpolation = SN_STEP;
    scaled.width = 3;
    scaled.values = &scales->x;
    return write_channel(writer, write_sampler(writer, &scaled), node, GLTF_SCALE);
}

// A node or part that a clip switches: noted here, written where nothing bends, gathered for holders at the clip's end.
static bool write_node_switch(clip_writer *writer, const sn_track *track)
{
    gltf_export *export = writer->export;
    export->node_switches[track->target] = (gltf_switch){ writer->number, track };
    if (export->switch_of[track->target] >= 0)
        return write_scale_switch(writer, track, export->switch_of[track->target]);
    for (int32_t at = export->first_group[track->target]; at >= 0; at = export->groups[at].next) {
        if (export->groups[at].holder == track->target && export->groups[at].skin >= 0)
            return true;  // is a holder itself
    }
    return write_pointer(writer, track, VISIBLE, track->target);
}

static bool write_part_track(clip_writer *writer, const sn_track *track)
{
    gltf_export *export = writer->export;
    const gltf_group *group = export->group_of_part[track->target] >= 0
                                  ? &export->groups[export->group_of_part[track->target]]
                                  : NULL;
    if (track->channel != SN_CHANNEL_VISIBILITY || !group || !group->is_switched) {
        writer->lost[track->channel]++;
        return true;
    }
    if (gltf_is_kept_hidden(export, &export->model->parts[track->target])) return true;
    export->part_switches[track->target] = (gltf_switch){ writer->number, track };
    return group->skin >= 0 || write_scale_switch(writer, track, group->holder);
}

static bool shows_at(const sn_track *track, float time)
{
    float value = 1.0f;
    sni_track_sample(track, time, 0.0f, 0.0f, &value);
    return value > 0.0f;
}

static int compare_times(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// Shown while all of them show: a key at each time at which one of them has one.
static bool join_switches(clip_writer *writer, const sn_track **switches, uint32_t count, sn_track *joint)
{
    sni_arena *arena = &writer->export->save->scratch;
    uint64_t total = 0;
    for (uint32_t i = 0; i < count; i++) total += switches[i]->key_count;
    float *times = sni_new_raw(arena, float, total), *values = sni_new_raw(arena, float, total);
    uint32_t used = 0, kept = 0;
    if (!times || !values) return false;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(times + used, switches[i]->times, switches[i]->key_count * sizeof *times);
        used += switches[i]->key_count;
    }
    qsort(times, used, sizeof *times, compare_times);
    for (uint32_t i = 0; i < used; i++) {
        if (kept > 0 && times[i] <= times[kept - 1]) continue;
        times[kept] = times[i];
        values[kept] = 1.0f;
        for (uint32_t k = 0; k < count; k++) values[kept] = shows_at(switches[k], times[kept]) ? values[kept] : 0.0f;
        kept++;
    }
    *joint = *switches[0];
    joint->times = times;
    joint->values = values;
    joint->key_count = kept;
    return true;
}

// Holders stand apart from the tree, so all that hides their part must reach them in one track. What is hidden at rest
// and not switched stays so. Looking up costs steps; a model that asks for millions of them loses the rest.
static bool write_holder_switch(clip_writer *writer, const gltf_group *group)
{
    gltf_export *export = writer->export;
    const sn_model *model = export->model;
    const sn_track *found[64];
    uint32_t count = 0;
    const gltf_switch *own = &export->part_switches[group->first_part];
    if (group->is_switched && own->clip == writer->number) found[count++] = own->track;
    else if (group->is_switched && model->parts[group->first_part].is_hidden) return true;
    for (int32_t at = group->node; at >= 0; at = model->nodes[at].parent) {
        bool has_track = export->node_switches[at].clip == writer->number;
        if (export->switch_budget == 0 || count == 64) {
            writer->lost[SN_CHANNEL_VISIBILITY]++;
            return true;
        }
        export->switch_budget--;
        if (has_track) found[count++] = export->node_switches[at].track;
        else if (model->nodes[at].flags & SN_NODE_HIDDEN) return true;
    }
    sn_track joint;
    uint64_t keys = 0;
    for (uint32_t i = 0; i < count; i++) keys += found[i]->key_count;
    if (count == 0) return true;
    if (count > 1 && keys * count > export->switch_budget) {
        writer->lost[SN_CHANNEL_VISIBILITY]++;
        return true;
    }
    if (count > 1) export->switch_budget -= keys * count;
    if (count > 1 && !join_switches(writer, found, count, &joint)) return false;
    return write_pointer(writer, count > 1 ? &joint : found[0], VISIBLE, group->holder);
}

static bool write_holder_switches(clip_writer *writer)
{
    gltf_export *export = writer->export;
    for (uint32_t i = 0; i < export->group_count; i++) {
        if (export->groups[i].skin >= 0 && !write_holder_switch(writer, &export->groups[i])) return false;
    }
    return true;
}

// Where the transform of a node is written on two, which of them a channel drives.
static int32_t mover_of(const gltf_export *export, int32_t node, uint8_t channel)
{
    bool is_inner = channel == SN_CHANNEL_ROTATION && (export->model->nodes[node].flags & SN_NODE_SCALE_PARENT_AXES);
    return export->outer_of[node] < 0 || is_inner ? node : export->outer_of[node];
}

static bool write_transform(clip_writer *writer, const sn_track *track)
{
    static const gltf_path paths[] = { [SN_CHANNEL_TRANSLATION] = GLTF_TRANSLATION,
                                       [SN_CHANNEL_ROTATION] = GLTF_ROTATION,
                                       [SN_CHANNEL_SCALE] = GLTF_SCALE };
    gltf_driven *driven = &writer->export->driven[track->target];
    if (driven->clip != writer->number) *driven = (gltf_driven){ .clip = writer->number };
    driven->channels |= 1u << track->channel;
    return write_channel(writer, write_sampler(writer, track), mover_of(writer->export, track->target, track->channel),
                         paths[track->channel]);
}

static sn_track held(int32_t node, sn_channel channel, uint32_t width, const float *value)
{
    static const float start = 0.0f;
    return (sn_track){
        .channel = (uint8_t)channel, .target = node, .key_count = 1, .width = width, .times = &start, .values = value
    };
}

// While a clip drives a node that has a matrix, what stood in the matrix counts no more: the rest is that of the node's
// translation, rotation and scale, and the second of the two nodes it is written on does nothing.
static bool replace_matrix(clip_writer *writer, int32_t node)
{
    static const float no_turn[4] = { 0, 0, 0, 1 };
    gltf_export *export = writer->export;
    const sn_trs *rest = &export->model->nodes[node].rest;
    const sn_track tracks[3] = { held(node, SN_CHANNEL_TRANSLATION, 3, &rest->translation.x),
                                 held(node, SN_CHANNEL_ROTATION, 4, &rest->rotation.x),
                                 held(node, SN_CHANNEL_SCALE, 3, &rest->scale.x) };
    uint32_t driven = export->driven[node].channels;
    for (int i = 0; i < 3; i++) {
        if (!(driven >> tracks[i].channel & 1) && !write_transform(writer, &tracks[i])) return false;
    }
    sn_track still = held(node, SN_CHANNEL_ROTATION, 4, no_turn);
    int32_t turner = mover_of(export, node, SN_CHANNEL_ROTATION);
    return write_channel(writer, write_sampler(writer, &still), turner == node ? export->outer_of[node] : node,
                         GLTF_ROTATION);
}

static bool replace_matrices(clip_writer *writer, const sn_clip *clip)
{
    const gltf_export *export = writer->export;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sn_track *track = &clip->tracks[i];
        if (track->target_kind != SN_TARGET_NODE || export->outer_of[track->target] < 0) continue;
        bool is_driven = export->driven[track->target].clip == writer->number &&
                         export->driven[track->target].channels != 0;
        if (!is_driven || !export->model->nodes[track->target].matrix) continue;
        if (!replace_matrix(writer, track->target)) return false;
        export->driven[track->target].channels = 0;
    }
    return true;
}

static bool write_node_track(clip_writer *writer, const sn_track *track)
{
    if (track->channel == SN_CHANNEL_MORPHS) return write_morphs(writer, track);
    if (track->channel <= SN_CHANNEL_SCALE) return write_transform(writer, track);
    if (track->channel == SN_CHANNEL_VISIBILITY) return write_node_switch(writer, track);
    writer->lost[track->channel]++;
    return true;
}

static bool write_track(clip_writer *writer, const sn_track *track)
{
    if (has_plain_keys(track)) {
        if (track->target_kind == SN_TARGET_NODE) return write_node_track(writer, track);
        if (track->target_kind == SN_TARGET_PART) return write_part_track(writer, track);
        if (track->target_kind == SN_TARGET_LAYER) return write_layer_track(writer, track);
        if (track->target_kind == SN_TARGET_LIGHT) return write_light_track(writer, track);
        if (track->target_kind == SN_TARGET_CAMERA && track->channel == SN_CHANNEL_FOV)
            return write_pointer(writer, track, "/cameras/%d/perspective/yfov", track->target);
    }
    writer->lost[track->channel]++;
    return true;
}

static void tell_lost(const clip_writer *writer, const sn_clip *clip)
{
    static const char *const names[SN_CHANNEL_COUNT] = {
        "translation", "rotation",  "scale",       "visibility", "morphs", "color",     "alpha",
        "emissive",    "uv_offset", "uv_rotation", "uv_scale",   "image",  "intensity", "fov",
    };
    sni_diag *diag = &writer->export->save->diag;
    sni_enter_named(diag, "clips", writer->number - 1, clip->name);
    for (int i = 0; i < SN_CHANNEL_COUNT; i++) {
        sni_enter(diag, names[i], -1);
        sni_warn_many(diag, SNI_WARN_LOST_CONTENT, writer->lost[i], 0, "tracks that glTF cannot hold");
        sni_leave(diag);
    }
    if (writer->channels.count == 0) sni_warn(diag, SNI_WARN_LOST_CONTENT, 0, "a clip without tracks was left out");
    sni_leave(diag);
}

// The first leaf of the first root that is shown.
static int32_t first_leaf(gltf_export *export)
{
    const gltf_indices *below = &export->doc->scenes[export->doc->scene].nodes;
    int32_t leaf = -1;
    for (; below->count > 0; below = &gltf_node_at(export, leaf)->children) leaf = below->items[0];
    return leaf;
}

// Assimp (5.2) takes a channel that names no node for one of the node it read first, which is that leaf, with whatever
// path came before; where the numbers do not fit, it refuses the file. The last channel counts there: so pointers come
// first, and behind them the leaf is told all it does.
static bool put_pointers_first(clip_writer *writer)
{
    static const gltf_path paths[] = { GLTF_TRANSLATION, GLTF_ROTATION, GLTF_SCALE };
    gltf_channel *channels = writer->channels.items;
    uint32_t count = writer->channels.count, pointers = 0, at = 0, driven = 0;
    int32_t leaf = first_leaf(writer->export);
    gltf_channel *sorted = sni_new_raw(&writer->export->save->scratch, gltf_channel, count);
    if (!sorted) return false;
    for (uint32_t i = 0; i < count; i++) {
        pointers += channels[i].path == GLTF_POINTER;
        if (channels[i].node == leaf) driven |= 1u << channels[i].path;
    }
    if (pointers == 0 || leaf < 0) return true;
    for (uint32_t i = 0; i < count; i++)
        sorted[channels[i].path == GLTF_POINTER ? at++ : pointers + i - at] = channels[i];
    memcpy(channels, sorted, count * sizeof *channels);
    const sn_trs *rest = &gltf_node_at(writer->export, leaf)->trs;
    const sn_track stills[] = { held(leaf, SN_CHANNEL_TRANSLATION, 3, &rest->translation.x),
                                held(leaf, SN_CHANNEL_ROTATION, 4, &rest->rotation.x),
                                held(leaf, SN_CHANNEL_SCALE, 3, &rest->scale.x) };
    for (int i = 0; i < 3; i++) {
        if (!(driven >> paths[i] & 1) && !write_channel(writer, write_sampler(writer, &stills[i]), leaf, paths[i]))
            return false;
    }
    return true;
}

static bool write_clip(clip_writer *writer, const sn_clip *clip)
{
    bool has_switches = false;
    find_pairs(writer, clip);
    for (uint32_t t = 0; t < clip->track_count; t++) {
        has_switches = has_switches || clip->tracks[t].channel == SN_CHANNEL_VISIBILITY;
        if (!write_track(writer, &clip->tracks[t])) return false;
    }
    return replace_matrices(writer, clip) && (!has_switches || write_holder_switches(writer)) &&
           put_pointers_first(writer);
}

bool gltf_export_clips(gltf_export *export)
{
    const sn_model *model = export->model;
    sni_list animations = { 0 };
    export->switch_budget = 1 << 26;
    export->node_switches = sni_new(&export->save->scratch, gltf_switch, model->node_count);
    export->part_switches = sni_new(&export->save->scratch, gltf_switch, model->part_count);
    export->pairs = sni_new(&export->save->scratch, gltf_pair, model->material_count);
    if (!export->node_switches || !export->part_switches || !export->pairs) return false;
    for (uint32_t i = 0; i < model->clip_count; i++) {
        const sn_clip *clip = &model->clips[i];
        clip_writer writer = { .export = export, .number = i + 1 };
        if (!write_clip(&writer, clip)) return false;
        tell_lost(&writer, clip);
        if (writer.channels.count == 0) continue;
        gltf_animation *animation = sni_push(&export->save->scratch, &animations, gltf_animation);
        if (!animation) return false;
        animation->object = (gltf_object){ .name = gltf_name_or_null(clip->name),
                                           .extras = gltf_extras(export, clip->extras) };
        animation->channels = writer.channels.items, animation->channel_count = writer.channels.count;
        animation->samplers = writer.samplers.items, animation->sampler_count = writer.samplers.count;
    }
    export->doc->animations = animations.items;
    export->doc->animation_count = animations.count;
    return gltf_part_names(export) && sni_save_ok(export->save);
}
