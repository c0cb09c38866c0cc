// Clips to animations. The tracks were fitted before: step, linear or cubic spline, held at both ends.
#include "format/gltf/gltf_export.h"

#include "model/track.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// What a clip does with a node, part or material. An entry counts only for the clip with its number.
typedef struct node_use {
    uint32_t clip;
    uint32_t driven;  // bits of translation, rotation and scale, by channel
    const sn_track *visibility;
} node_use;
typedef struct part_use {
    uint32_t clip;
    const sn_track *visibility;
} part_use;
typedef struct material_use {
    uint32_t clip;
    const sn_track *color, *alpha;  // of its first layer
} material_use;

typedef struct clip_writer {
    gltf_export *export;
    sni_arena *arena;
    node_use *nodes;
    part_use *parts;
    material_use *materials;
    uint64_t step_budget;  // for looking up what hides a part
    // Of the clip that is being written:
    uint32_t number;  // from 1 on
    sni_list channels, samplers;
    uint64_t lost[SN_CHANNEL_COUNT];
    sn_track *holders;  // of each part group: what hides its skinned mesh; without keys where nothing does
    bool *is_hidden;    // of each hider: throughout the clip
} clip_writer;

static node_use *use_node(clip_writer *writer, int32_t node)
{
    node_use *use = &writer->nodes[node];
    if (use->clip != writer->number) *use = (node_use){ .clip = writer->number };
    return use;
}

// A key of a cubic spline is three values: one between two tangents.
static uint64_t count_values(const sn_track *track)
{
    return (uint64_t)track->key_count * (track->interpolation == SN_CUBIC_SPLINE ? 3 : 1);
}

// An accessor counts its numbers in 32 bits.
static bool has_plain_keys(const sn_track *track)
{
    bool is_countable = track->width > 0 && count_values(track) <= UINT32_MAX / track->width;
    return track->period <= 0.0f && track->key_count > 0 && is_countable &&
           (track->interpolation == SN_STEP || track->interpolation == SN_LINEAR ||
            track->interpolation == SN_CUBIC_SPLINE);
}

// Samplers and channels. Each function returns a number, or -1 after a failure; or whether it worked.

static int32_t write_sampler(clip_writer *writer, const sn_track *track)
{
    static const gltf_type types[] = { GLTF_SCALAR, GLTF_SCALAR, GLTF_VEC2, GLTF_VEC3, GLTF_VEC4 };
    static const gltf_interpolation interpolations[] = {
        [SN_STEP] = GLTF_STEP_KEYS, [SN_LINEAR] = GLTF_LINEAR_KEYS, [SN_CUBIC_SPLINE] = GLTF_CUBIC_KEYS
    };
    gltf_pack *pack = &writer->export->pack;
    gltf_sampler sampler = { .interpolation = interpolations[track->interpolation] };
    uint32_t count = (uint32_t)count_values(track);
    sampler.input = gltf_pack_floats(pack, GLTF_KEYS, track->times, track->key_count, GLTF_SCALAR, true);
    if (track->channel == SN_CHANNEL_VISIBILITY) {  // glTF stores a bool as a byte
        uint8_t *flags = sni_new_raw(writer->arena, uint8_t, track->key_count);
        if (!flags) return -1;
        for (uint32_t i = 0; i < track->key_count; i++) flags[i] = track->values[i] > 0.0f;
        sampler.output = gltf_pack_integers(pack, GLTF_KEYS, flags, track->key_count, GLTF_SCALAR, GLTF_U8);
    } else if (track->channel == SN_CHANNEL_MORPHS) {
        sampler.output = gltf_pack_floats(pack, GLTF_KEYS, track->values, count * track->width, GLTF_SCALAR, false);
    } else {
        gltf_type type = types[track->width <= 4 ? track->width : 0];
        sampler.output = gltf_pack_floats(pack, GLTF_KEYS, track->values, count, type, false);
    }
    const gltf_sampler *known = writer->samplers.items;
    for (uint32_t i = writer->samplers.count; i-- > 0 && writer->samplers.count - i < 16;) {
        if (known[i].input == sampler.input && known[i].output == sampler.output &&
            known[i].interpolation == sampler.interpolation)
            return (int32_t)i;
    }
    gltf_sampler *item = sni_push(writer->arena, &writer->samplers, gltf_sampler);
    if (!item || sampler.input < 0 || sampler.output < 0) return -1;
    *item = sampler;
    return (int32_t)writer->samplers.count - 1;
}

static gltf_channel *add_channel(clip_writer *writer, int32_t sampler, gltf_path path)
{
    gltf_channel *channel = sni_push(writer->arena, &writer->channels, gltf_channel);
    if (!channel || sampler < 0) return NULL;
    *channel = gltf_default_channel;
    channel->sampler = sampler;
    channel->target.path = path;
    return channel;
}

static bool write_channel(clip_writer *writer, const sn_track *track, int32_t node, gltf_path path)
{
    gltf_channel *channel = add_channel(writer, write_sampler(writer, track), path);
    if (channel) channel->target.node = node;
    return channel != NULL;
}

// KHR_animation_pointer. `format` has a %d for the index.
static bool write_pointer(clip_writer *writer, int32_t sampler, const char *format, int32_t index)
{
    char text[160];
    snprintf(text, sizeof text, format, index);
    const char *pointer = sni_copy_text(writer->arena, text, strlen(text));
    gltf_channel *channel = pointer ? add_channel(writer, sampler, GLTF_POINTER) : NULL;
    if (!channel) return false;
    channel->target.animation = (gltf_animation_pointer){ .object.is_given = true, .pointer = pointer };
    gltf_use_extension(writer->export, "KHR_animation_pointer");
    if (strstr(format, "/nodes/")) return true;  // visibility: reported where the node is written
    sni_diag *diag = &writer->export->save->diag;
    sni_enter(diag, "clips", -1);
    sni_warn(diag, SNI_WARN_LOST_CONTENT, 0, "some properties are animated only in players with KHR_animation_pointer");
    sni_leave(diag);
    return true;
}

// A track with one key at time 0.
static sn_track constant_track(sn_channel channel, uint32_t width, const float *value)
{
    static const float start = 0.0f;
    return (sn_track){ .channel = (uint8_t)channel, .key_count = 1, .width = width, .times = &start, .values = value };
}

// Nodes: transforms and morphs.

// Which of two nodes a channel drives where the transform is split over them.
static bool drives_outer(const gltf_export *export, int32_t node, uint8_t channel)
{
    bool is_inner = channel == SN_CHANNEL_ROTATION && (export->model->nodes[node].flags & SN_NODE_SCALE_PARENT_AXES);
    return export->split_of[node] >= 0 && !is_inner;
}

// A channel of the node, or of the node above it that has part of its transform, and of its copies that show.
static bool write_to_copies(clip_writer *writer, const sn_track *track, int32_t node, bool to_outer, gltf_path path)
{
    const gltf_export *export = writer->export;
    const gltf_node_copy *copies = export->copies.items;
    if (!write_channel(writer, track, to_outer ? export->split_of[node] : node, path)) return false;
    for (int32_t at = export->first_copy[node]; at >= 0; at = copies[at].next) {
        if (writer->is_hidden[copies[at].hider]) continue;
        if (!write_channel(writer, track, to_outer ? copies[at].outer : copies[at].node, path)) return false;
    }
    return true;
}

static bool write_transform(clip_writer *writer, const sn_track *track, int32_t node)
{
    static const gltf_path paths[] = { [SN_CHANNEL_TRANSLATION] = GLTF_TRANSLATION,
                                       [SN_CHANNEL_ROTATION] = GLTF_ROTATION,
                                       [SN_CHANNEL_SCALE] = GLTF_SCALE };
    use_node(writer, node)->driven |= 1u << track->channel;
    bool to_outer = drives_outer(writer->export, node, track->channel);
    return write_to_copies(writer, track, node, to_outer, paths[track->channel]);
}

// A clip that drives a node with a matrix replaces the matrix: what the clip does not drive comes from the node's
// translation, rotation and scale, and the second of the two nodes does nothing.
static bool replace_matrices(clip_writer *writer, const sn_clip *clip)
{
    static const float no_rotation[4] = { 0, 0, 0, 1 };
    const gltf_export *export = writer->export;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        int32_t node = clip->tracks[i].target;
        if (clip->tracks[i].target_kind != SN_TARGET_NODE || export->split_of[node] < 0) continue;
        node_use *use = use_node(writer, node);
        uint32_t driven = use->driven;
        if (driven == 0 || !export->model->nodes[node].matrix) continue;
        const sn_trs *rest = &export->model->nodes[node].rest;
        const sn_track tracks[3] = { constant_track(SN_CHANNEL_TRANSLATION, 3, &rest->translation.x),
                                     constant_track(SN_CHANNEL_ROTATION, 4, &rest->rotation.x),
                                     constant_track(SN_CHANNEL_SCALE, 3, &rest->scale.x) };
        for (int t = 0; t < 3; t++) {
            if (!(driven >> tracks[t].channel & 1) && !write_transform(writer, &tracks[t], node)) return false;
        }
        sn_track still = constant_track(SN_CHANNEL_ROTATION, 4, no_rotation);
        bool to_outer = !drives_outer(export, node, SN_CHANNEL_ROTATION);
        if (!write_to_copies(writer, &still, node, to_outer, GLTF_ROTATION)) return false;
        use->driven = 0;  // once for each node
    }
    return true;
}

// As many weights as the mesh has morphs: those that the track does not drive keep their rest value.
static bool fit_weights(clip_writer *writer, const gltf_part_group *group, sn_track *track)
{
    const float *rest = writer->export->model->parts[group->first_part].morph_weights;
    uint64_t total = count_values(track);
    uint32_t count = group->morph_count;
    if (track->width == count) return true;
    float *values = sni_new(writer->arena, float, total *count);
    if (!values) return false;
    for (uint64_t i = 0; i < total; i++) {
        bool is_tangent = track->interpolation == SN_CUBIC_SPLINE && i % 3 != 1;
        for (uint32_t m = 0; m < count; m++)
            values[i * count + m] = m < track->width      ? track->values[i * track->width + m]
                                    : is_tangent || !rest ? 0.0f
                                                          : rest[m];
    }
    track->width = count;
    track->values = values;
    return true;
}

// Morph weights drive every mesh that the node shows, wherever its holder is.
static bool write_morphs(clip_writer *writer, const sn_track *track)
{
    const gltf_export *export = writer->export;
    bool is_lost = true;
    for (int32_t at = export->groups.first[track->target]; at >= 0; at = export->groups.items[at].next) {
        const gltf_part_group *group = &export->groups.items[at];
        sn_track fitted = *track;
        if (group->morph_count == 0 || count_values(track) > UINT32_MAX / group->morph_count) continue;
        if (!fit_weights(writer, group, &fitted)) return false;
        if (!write_channel(writer, &fitted, group->holder, GLTF_WEIGHTS)) return false;
        is_lost = false;
    }
    writer->lost[track->channel] += is_lost;
    return true;
}

// Visibility. Where no joint is below, a scale of 0 hides; otherwise KHR_node_visibility does, and the hiders of
// skinned parts.

#define VISIBLE "/nodes/%d/extensions/KHR_node_visibility/visible"

static bool write_scale_switch(clip_writer *writer, const sn_track *track, int32_t node)
{
    sn_vec3 *scales = sni_new_raw(writer->arena, sn_vec3, track->key_count);
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
    return write_channel(writer, &scaled, node, GLTF_SCALE);
}

static bool write_node_visibility(clip_writer *writer, const sn_track *track)
{
    const gltf_export *export = writer->export;
    int32_t node = track->target;
    if (export->switch_of[node] >= 0) return write_scale_switch(writer, track, export->switch_of[node]);
    for (int32_t at = export->groups.first[node]; at >= 0; at = export->groups.items[at].next) {
        if (export->groups.items[at].holder == node && export->groups.items[at].skin >= 0)
            return true;  // see write_holders
    }
    return write_pointer(writer, write_sampler(writer, track), VISIBLE, node);
}

static bool write_part_track(clip_writer *writer, const sn_track *track)
{
    const gltf_export *export = writer->export;
    int32_t part = track->target, at = export->groups.of_part[part];
    const gltf_part_group *group = at >= 0 ? &export->groups.items[at] : NULL;
    if (track->channel != SN_CHANNEL_VISIBILITY || !group || !group->is_switched) {
        writer->lost[track->channel]++;
        return true;
    }
    if (gltf_is_hidden_root_part(export, &export->model->parts[part])) return true;
    return group->skin >= 0 || write_scale_switch(writer, track, group->holder);
}

// Visible while all of them are: a key at each time at which one of them has one.
static bool join_visibility(clip_writer *writer, const sn_track **tracks, uint32_t count, sn_track *joined)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < count; i++) total += tracks[i]->key_count;
    float *times = sni_new_raw(writer->arena, float, total), *values = sni_new_raw(writer->arena, float, total);
    uint32_t used = 0;
    if (!times || !values) return false;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(times + used, tracks[i]->times, tracks[i]->key_count * sizeof *times);
        used += tracks[i]->key_count;
    }
    uint32_t kept = sni_merge_key_times(times, used);
    for (uint32_t i = 0; i < kept; i++) {
        values[i] = 1.0f;
        for (uint32_t k = 0; k < count; k++) {
            float value = 1.0f;
            sni_track_sample(tracks[k], times[i], 0.0f, 0.0f, &value);
            if (!(value > 0.0f)) values[i] = 0.0f;
        }
    }
    *joined = *tracks[0];
    joined->times = times;
    joined->values = values;
    joined->key_count = kept;
    return true;
}

// The holder of a skinned mesh is not in the tree: all that hides its part must reach it in one track. What is hidden
// at rest and not driven stays hidden. A model that needs too many steps for this loses the rest.
static bool find_holder_track(clip_writer *writer, const gltf_part_group *group, sn_track *track)
{
    const sn_model *model = writer->export->model;
    const part_use *own = &writer->parts[group->first_part];
    const sn_track *found[64];
    uint32_t count = 0;
    uint64_t keys = 0;
    *track = (sn_track){ .key_count = 0 };
    if (group->is_switched && own->clip == writer->number) found[count++] = own->visibility;
    else if (group->is_switched && model->parts[group->first_part].is_hidden) return true;
    for (int32_t at = group->node; at >= 0; at = model->nodes[at].parent) {
        const node_use *use = &writer->nodes[at];
        if (writer->step_budget == 0 || count == 64) {
            writer->lost[SN_CHANNEL_VISIBILITY]++;
            return true;
        }
        writer->step_budget--;
        if (use->clip == writer->number && use->visibility) found[count++] = use->visibility;
        else if (model->nodes[at].flags & SN_NODE_HIDDEN) return true;
    }
    if (count == 1) *track = *found[0];
    if (count <= 1) return true;
    for (uint32_t i = 0; i < count; i++) keys += found[i]->key_count;
    if (keys * count > writer->step_budget) {
        writer->lost[SN_CHANNEL_VISIBILITY]++;
        return true;
    }
    writer->step_budget -= keys * count;
    return join_visibility(writer, found, count, track);
}

// What hides each skinned mesh in this clip. Comes before transforms: copies of joints need none while they are hidden.
static bool find_holder_tracks(clip_writer *writer, const sn_clip *clip)
{
    const gltf_export *export = writer->export;
    const gltf_hider *hiders = export->hiders.items;
    bool has_visibility = false;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sn_track *track = &clip->tracks[i];
        if (track->channel != SN_CHANNEL_VISIBILITY || !has_plain_keys(track)) continue;
        has_visibility = true;
        if (track->target_kind == SN_TARGET_NODE) use_node(writer, track->target)->visibility = track;
        else writer->parts[track->target] = (part_use){ writer->number, track };
    }
    for (uint32_t i = 0; i < export->groups.count; i++) {
        writer->holders[i] = (sn_track){ .key_count = 0 };
        if (has_visibility && export->groups.items[i].skin >= 0 &&
            !find_holder_track(writer, &export->groups.items[i], &writer->holders[i]))
            return false;
    }
    for (uint32_t i = 0; i < export->hiders.count; i++) {
        const sn_track *track = &writer->holders[hiders[i].group];
        bool is_hidden = track->key_count > 0 || hiders[i].is_hidden;
        for (uint32_t k = 0; k < track->key_count && is_hidden; k++) is_hidden = !(track->values[k] > 0.0f);
        writer->is_hidden[i] = is_hidden;
    }
    return true;
}

static bool write_holders(clip_writer *writer)
{
    const gltf_export *export = writer->export;
    const gltf_hider *hiders = export->hiders.items;
    for (uint32_t i = 0; i < export->groups.count; i++) {
        const gltf_part_group *group = &export->groups.items[i];
        const sn_track *track = &writer->holders[i];
        if (track->key_count > 0 && !write_pointer(writer, write_sampler(writer, track), VISIBLE, group->holder))
            return false;
    }
    for (uint32_t i = 0; i < export->hiders.count; i++) {
        const sn_track *track = &writer->holders[hiders[i].group];
        bool is_needed = false;  // else it is as at rest
        for (uint32_t k = 0; k < track->key_count; k++)
            is_needed = is_needed || (track->values[k] > 0.0f) == hiders[i].is_hidden;
        if (hiders[i].joints && is_needed && !write_scale_switch(writer, track, hiders[i].node)) return false;
    }
    return true;
}

// Materials.

static void find_color_tracks(clip_writer *writer, const sn_clip *clip)
{
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sn_track *track = &clip->tracks[i];
        if (track->target_kind != SN_TARGET_LAYER || track->sub != 0) continue;
        material_use *use = &writer->materials[track->target];
        if (use->clip != writer->number) *use = (material_use){ .clip = writer->number };
        if (track->channel == SN_CHANNEL_COLOR) use->color = track;
        if (track->channel == SN_CHANNEL_ALPHA) use->alpha = track;
    }
}

// Colour and alpha are two tracks with the same keys in a model, and one factor in glTF. Where only one moves, the
// other is that of the layer.
static int32_t write_color_sampler(clip_writer *writer, const sn_track *track)
{
    const sn_layer *layer = &writer->export->model->materials[track->target].layers[0];
    const material_use *use = &writer->materials[track->target];
    bool is_cubic = track->interpolation == SN_CUBIC_SPLINE;
    uint32_t count = (uint32_t)count_values(track);
    sn_vec4 *values = sni_new_raw(writer->arena, sn_vec4, count);
    assert(!use->color || !use->alpha || count_values(use->color) == count_values(use->alpha));
    if (!values) return -1;
    for (uint32_t i = 0; i < count; i++) {
        bool is_tangent = is_cubic && i % 3 != 1;
        values[i] = is_tangent ? (sn_vec4){ 0, 0, 0, 0 } : layer->color;
        if (use->color) memcpy(&values[i], use->color->values + (size_t)i * 3, 3 * sizeof(float));
        if (use->alpha) values[i].w = use->alpha->values[i];
    }
    sn_track both = *track;
    both.values = &values->x;
    both.width = 4;
    return write_sampler(writer, &both);
}

static int32_t write_scaled_sampler(clip_writer *writer, const sn_track *track, float factor)
{
    uint64_t count = count_values(track) * track->width;
    float *values = sni_new_raw(writer->arena, float, count);
    if (!values) return -1;
    for (uint64_t i = 0; i < count; i++) values[i] = track->values[i] * factor;
    sn_track scaled = *track;
    scaled.values = values;
    return write_sampler(writer, &scaled);
}

#define COLOR_MAP "/materials/%d/pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform"

// The same keys drive every variant of the material; of texture transforms, those with the texture.
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
    gltf_export *export = writer->export;
    const gltf_variant *variants = export->variants.list.items;
    gltf_material *materials = export->doc->materials;
    const material_use *use = &writer->materials[track->target];
    int32_t first = export->variants.first[track->target], sampler = -1;
    bool is_color = track->channel == SN_CHANNEL_COLOR || track->channel == SN_CHANNEL_ALPHA;
    bool is_uv = track->channel >= SN_CHANNEL_UV_OFFSET && track->channel <= SN_CHANNEL_UV_SCALE;
    bool is_lost = true;
    for (int32_t at = first; at >= 0 && pointers[track->channel] && track->sub == 0; at = variants[at].next)
        is_lost = is_lost && is_uv && materials[variants[at].written].pbr.color_map.texture < 0;
    if (is_lost) {
        writer->lost[track->channel]++;
        return true;
    }
    if (is_color && use->color && track != use->color) return true;  // written with its colour
    float strength = materials[variants[first].written].emissive_strength.value;
    if (is_color) sampler = write_color_sampler(writer, track);
    else if (track->channel == SN_CHANNEL_EMISSIVE) sampler = write_scaled_sampler(writer, track, 1.0f / strength);
    else if (track->channel == SN_CHANNEL_UV_ROTATION) sampler = write_scaled_sampler(writer, track, -1.0f);
    else sampler = write_sampler(writer, track);
    for (int32_t at = first; at >= 0; at = variants[at].next) {
        gltf_texture_info *map = &materials[variants[at].written].pbr.color_map;
        if (is_uv && map->texture < 0) continue;
        if (is_uv) {
            map->transform.object.is_given = true;
            gltf_use_extension(export, "KHR_texture_transform");
        }
        if (!write_pointer(writer, sampler, pointers[track->channel], variants[at].written)) return false;
    }
    return true;
}

// Clips.

static bool write_track(clip_writer *writer, const sn_track *track)
{
    const char *pointer = NULL;
    int32_t index = track->target;
    uint8_t kind = track->target_kind, channel = track->channel;
    if (has_plain_keys(track)) {
        if (kind == SN_TARGET_NODE && channel == SN_CHANNEL_MORPHS) return write_morphs(writer, track);
        if (kind == SN_TARGET_NODE && channel <= SN_CHANNEL_SCALE) return write_transform(writer, track, index);
        if (kind == SN_TARGET_NODE && channel == SN_CHANNEL_VISIBILITY) return write_node_visibility(writer, track);
        if (kind == SN_TARGET_PART) return write_part_track(writer, track);
        if (kind == SN_TARGET_LAYER) return write_layer_track(writer, track);
        if (kind == SN_TARGET_CAMERA && channel == SN_CHANNEL_FOV) pointer = "/cameras/%d/perspective/yfov";
        if (kind == SN_TARGET_LIGHT) {
            index = writer->export->light_of[track->target];
            if (channel == SN_CHANNEL_COLOR) pointer = "/extensions/KHR_lights_punctual/lights/%d/color";
            if (channel == SN_CHANNEL_INTENSITY) pointer = "/extensions/KHR_lights_punctual/lights/%d/intensity";
        }
    }
    if (pointer && index >= 0) return write_pointer(writer, write_sampler(writer, track), pointer, index);
    writer->lost[channel]++;
    return true;
}

// Assimp (5.2) takes a channel without a node for one of the node that it read first, the first leaf of the first root,
// with the path of the channel before it; where the numbers do not fit, it refuses the file. The last channel counts
// there: so pointers come first, and behind them the leaf gets channels for all of its transform. They last as long as
// the clip: players that do not know the pointers keep its duration.
static bool put_pointers_first(clip_writer *writer, const sn_clip *clip)
{
    static const gltf_path paths[] = { GLTF_TRANSLATION, GLTF_ROTATION, GLTF_SCALE };
    gltf_export *export = writer->export;
    gltf_channel *channels = writer->channels.items;
    uint32_t count = writer->channels.count, pointers = 0, at = 0, driven = 0;
    int32_t leaf = -1;
    const gltf_indices *below = &export->doc->scenes[export->doc->scene].nodes;
    for (; below->count > 0; below = &gltf_node_at(export, leaf)->children) leaf = below->items[0];
    for (uint32_t i = 0; i < count; i++) {
        pointers += channels[i].target.path == GLTF_POINTER;
        if (channels[i].target.node == leaf) driven |= 1u << channels[i].target.path;
    }
    if (pointers == 0 || leaf < 0) return true;
    gltf_channel *sorted = sni_new_raw(writer->arena, gltf_channel, count);
    if (!sorted) return false;
    for (uint32_t i = 0; i < count; i++)
        sorted[channels[i].target.path == GLTF_POINTER ? at++ : pointers + i - at] = channels[i];
    memcpy(channels, sorted, count * sizeof *channels);
    const sn_trs *rest = &gltf_node_at(export, leaf)->trs;
    sn_track stills[] = { constant_track(SN_CHANNEL_TRANSLATION, 3, &rest->translation.x),
                          constant_track(SN_CHANNEL_ROTATION, 4, &rest->rotation.x),
                          constant_track(SN_CHANNEL_SCALE, 3, &rest->scale.x) };
    for (int i = 0; i < 3; i++) {
        if (driven >> paths[i] & 1) continue;
        if (!sni_track_hold_until(writer->arena, &stills[i], clip->duration, &stills[i]) ||
            !write_channel(writer, &stills[i], leaf, paths[i]))
            return false;
    }
    return true;
}

static bool write_clip(clip_writer *writer, const sn_clip *clip)
{
    writer->channels = writer->samplers = (sni_list){ 0 };
    memset(writer->lost, 0, sizeof writer->lost);
    find_color_tracks(writer, clip);
    if (!find_holder_tracks(writer, clip)) return false;
    for (uint32_t t = 0; t < clip->track_count; t++) {
        if (!write_track(writer, &clip->tracks[t])) return false;
    }
    return replace_matrices(writer, clip) && write_holders(writer) && put_pointers_first(writer, clip);
}

static void report_losses(const clip_writer *writer, const sn_clip *clip)
{
    static const char *const names[SN_CHANNEL_COUNT] = {
        "translation", "rotation",  "scale",       "visibility", "morphs", "color",     "alpha",
        "emissive",    "uv_offset", "uv_rotation", "uv_scale",   "image",  "intensity", "fov",
    };
    sni_diag *diag = &writer->export->save->diag;
    sni_enter_named(diag, "clips", writer->number - 1, clip->name);
    for (int i = 0; i < SN_CHANNEL_COUNT; i++) {
        sni_enter(diag, names[i], -1);
        sni_warn_many(diag, SNI_WARN_LOST_CONTENT, writer->lost[i], 0, "tracks were left out: glTF cannot store them");
        sni_leave(diag);
    }
    if (writer->channels.count == 0)
        sni_warn(diag, SNI_WARN_LOST_CONTENT, 0, "the clip was left out: it has no tracks");
    sni_leave(diag);
}

static int32_t find_animation(const gltf_doc *doc, const sni_map *map, const char *name)
{
    for (sni_map_cursor at = sni_map_find(map, sni_hash(name, strlen(name))); sni_map_next(map, &at);) {
        if (strcmp(doc->animations[at.item].object.name, name) == 0) return (int32_t)at.item;
    }
    return -1;
}

// Players choose clips by name: a duplicate becomes NAME.2, NAME.3 and so on. Nodes keep their names, since glTF refers
// to them by index.
static bool make_names_unique(gltf_export *export)
{
    gltf_doc *doc = export->doc;
    sni_diag *diag = &export->save->diag;
    sni_arena *arena = &export->save->scratch;
    sni_map map = { 0 };
    const char **unique = sni_new_raw(arena, const char *, doc->animation_count);
    uint32_t *numbers = sni_new(arena, uint32_t, doc->animation_count);  // the last number of the first of a name
    if (!unique || !numbers) return false;
    for (uint32_t i = 0; i < doc->animation_count; i++) {
        const char *name = unique[i] = doc->animations[i].object.name;
        if (name && !sni_map_add(&map, arena, sni_hash(name, strlen(name)), i)) return false;
    }
    for (uint32_t i = 0; i < doc->animation_count; i++) {
        const char *name = unique[i];
        int32_t first = name ? find_animation(doc, &map, name) : (int32_t)i;
        if (first == (int32_t)i) continue;
        size_t room = strlen(name) + 12;
        char *numbered = sni_new_raw(arena, char, room);
        if (!numbered) return false;
        do snprintf(numbered, room, "%s.%u", name, 2 + numbers[first]++);
        while (find_animation(doc, &map, numbered) >= 0);
        unique[i] = numbered;
        sni_enter_named(diag, "animations", i, name);
        sni_warn(diag, SNI_WARN_RENAMED, 0, "a duplicate name, written as \"%.100s\"", numbered);
        sni_leave(diag);
    }
    for (uint32_t i = 0; i < doc->animation_count; i++) doc->animations[i].object.name = unique[i];
    return true;
}

bool gltf_export_clips(gltf_export *export)
{
    const sn_model *model = export->model;
    sni_arena *arena = &export->save->scratch;
    sni_list animations = { 0 };
    clip_writer writer = { .export = export, .arena = arena, .step_budget = 1 << 26 };
    writer.nodes = sni_new(arena, node_use, model->node_count);
    writer.parts = sni_new(arena, part_use, model->part_count);
    writer.materials = sni_new(arena, material_use, model->material_count);
    writer.holders = sni_new_raw(arena, sn_track, export->groups.count);
    writer.is_hidden = sni_new_raw(arena, bool, export->hiders.count);
    if (!writer.nodes || !writer.parts || !writer.materials || !writer.holders || !writer.is_hidden) return false;
    for (uint32_t i = 0; i < model->clip_count; i++) {
        const sn_clip *clip = &model->clips[i];
        writer.number = i + 1;
        if (!write_clip(&writer, clip)) return false;
        report_losses(&writer, clip);
        if (writer.channels.count == 0) continue;
        gltf_animation *animation = sni_push(arena, &animations, gltf_animation);
        if (!animation) return false;
        animation->object.name = gltf_name_or_null(clip->name);
        animation->object.extras = gltf_export_extras(export, clip->extras, GLTF_AROUND_ELEMENT);
        animation->channels = writer.channels.items;
        animation->channel_count = writer.channels.count;
        animation->samplers = writer.samplers.items;
        animation->sampler_count = writer.samplers.count;
    }
    export->doc->animations = animations.items;
    export->doc->animation_count = animations.count;
    return make_names_unique(export) && sni_save_ok(export->save);
}
