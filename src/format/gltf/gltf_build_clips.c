// Animations to clips, including what KHR_animation_pointer drives.
#include <math.h>
#include <string.h>

#include "format/gltf/gltf_build.h"
#include "model/sanitize.h"

// A decoded sampler. Channels of one path share it.
typedef struct decoded_sampler {
    bool is_tried, is_good;
    gltf_path path;
    sn_track track;
} decoded_sampler;

typedef struct key_times {
    float *items;  // NULL: not decoded yet
    bool are_rising;
} key_times;

typedef struct clip_builder {
    sni_load *load;
    const gltf_doc *doc;
    const gltf_built *built;
    const gltf_animation *animation;
    key_times *times;          // by accessor
    decoded_sampler *decoded;  // by sampler
    sni_list tracks;
} clip_builder;

static bool warn_sampler(sni_load *load, const gltf_sampler *sampler, const char *what)
{
    sni_warn(&load->diag, SNI_WARN_GLTF_ANIMATION, sampler->object.offset, "%s", what);
    return false;
}

// Most samplers of a file share their times, which are decoded once per accessor. Times that do not rise are copied:
// keys will be dropped from them, which must not move those of other samplers.
static const float *read_times(clip_builder *builder, int32_t accessor)
{
    sni_load *load = builder->load;
    const uint32_t count = builder->doc->accessors[accessor].count;
    key_times *times = &builder->times[accessor];
    if (!times->items) {
        float *items = sni_new_raw(&load->keep, float, count);
        if (!items || !gltf_read_floats(load, builder->doc, accessor, 1, items)) return NULL;
        times->items = items;
        times->are_rising = count == 0 || isfinite(items[0]);
        for (uint32_t i = 1; i < count && times->are_rising; i++)
            times->are_rising = isfinite(items[i]) && items[i] > items[i - 1];
    }
    if (times->are_rising) return times->items;
    float *copy = sni_new_raw(&load->keep, float, count);
    for (uint32_t i = 0; copy && i < count; i++) copy[i] = times->items[i];
    return copy;
}

// The keys of a sampler for a channel. Width 0: as many numbers per key as there are (morph weights).
static bool decode_sampler(clip_builder *builder, const gltf_sampler *sampler, uint8_t channel, uint32_t width,
                           sn_track *track)
{
    static const sn_interpolation interpolations[] = {
        [GLTF_LINEAR_KEYS] = SN_LINEAR, [GLTF_STEP_KEYS] = SN_STEP, [GLTF_CUBIC_KEYS] = SN_CUBIC_SPLINE
    };
    sni_load *load = builder->load;
    const gltf_doc *doc = builder->doc;
    if (sampler->input < 0 || sampler->output < 0) return warn_sampler(load, sampler, "no input or output");
    const gltf_accessor *input = &doc->accessors[sampler->input], *output = &doc->accessors[sampler->output];
    if (input->type != GLTF_SCALAR || input->component_type != GLTF_F32)
        return warn_sampler(load, sampler, "its times are not floats");

    // Visibility is stored as integers, everything else as floats or normalized integers.
    bool is_float = output->component_type == GLTF_F32 || (output->component_type != GLTF_U32 && output->is_normalized);
    if (!is_float && channel != SN_CHANNEL_VISIBILITY)
        return warn_sampler(load, sampler, "its values are integers that are not normalized");

    uint64_t groups = (uint64_t)input->count * (sampler->interpolation == GLTF_CUBIC_KEYS ? 3 : 1);
    uint32_t present = gltf_components(output->type);
    *track = (sn_track){ .channel = channel, .interpolation = (uint8_t)interpolations[sampler->interpolation] };
    track->width = width ? width : groups ? (uint32_t)(output->count / groups) : 0;
    track->key_count = input->count;
    bool fits = width == 0 ? present == 1 && groups > 0 && output->count % groups == 0 && track->width > 0
                           : present == width && output->count == groups;
    if (!fits) return warn_sampler(load, sampler, "the numbers of times and values do not match");
    float *values = sni_new_raw(&load->keep, float, (uint64_t)output->count *present);
    track->times = values ? read_times(builder, sampler->input) : NULL;
    track->values = values;
    if (!track->times || !gltf_read_floats(load, doc, sampler->output, present, values)) return false;
    return builder->times[sampler->input].are_rising ? sni_sanitize_values(&load->diag, track, sampler->object.offset)
                                                     : sni_sanitize_keys(&load->diag, track, sampler->object.offset);
}

static void add_track(clip_builder *builder, const sn_track *keys, uint8_t kind, int32_t target)
{
    if (kind == SN_TARGET_NODE && target < (int32_t)builder->doc->node_count && builder->doc->nodes[target].is_left_out)
        return;
    sn_track *track = sni_push(&builder->load->scratch, &builder->tracks, sn_track);
    if (!track) return;
    *track = *keys;
    track->target_kind = kind;
    track->target = target;
}

// From the path of the channel to that of its sampler, which is where the errors are.
static const gltf_sampler *enter_sampler(const clip_builder *builder, int32_t sampler)
{
    sni_leave(&builder->load->diag);
    sni_enter(&builder->load->diag, "samplers", sampler);
    return &builder->animation->samplers[sampler];
}

// Numbers `from` to `from + width` of each key, times the factor, as a separate track.
static bool take_columns(sni_load *load, const sn_track *source, uint32_t from, uint32_t width, float factor,
                         sn_track *out)
{
    size_t groups = (size_t)source->key_count * (source->interpolation >= SN_HERMITE ? 3 : 1);
    float *values = sni_new_raw(&load->keep, float, (uint64_t)groups *width);
    if (!values) return false;
    for (size_t i = 0; i < groups; i++) {
        for (uint32_t c = 0; c < width; c++)
            values[i * width + c] = source->values[i * source->width + from + c] * factor;
    }
    *out = *source;
    out->values = values;
    out->width = width;
    return true;
}

static void build_node_channel(clip_builder *builder, const gltf_channel *channel, int32_t node, gltf_path path)
{
    static const struct {
        uint8_t channel, width;
    } uses[] = {
        [GLTF_TRANSLATION] = { SN_CHANNEL_TRANSLATION, 3 },
        [GLTF_ROTATION] = { SN_CHANNEL_ROTATION, 4 },
        [GLTF_SCALE] = { SN_CHANNEL_SCALE, 3 },
        [GLTF_WEIGHTS] = { SN_CHANNEL_MORPHS, 0 },
    };
    decoded_sampler *decoded = &builder->decoded[channel->sampler];
    if (!decoded->is_tried || decoded->path != path) {
        *decoded = (decoded_sampler){ .is_tried = true, .path = path };
        const gltf_sampler *sampler = enter_sampler(builder, channel->sampler);
        decoded->is_good = decode_sampler(builder, sampler, uses[path].channel, uses[path].width, &decoded->track);
    }
    if (!decoded->is_good || decoded->track.key_count == 0) return;
    if (path == GLTF_SCALE && builder->doc->nodes[node].is_switch && decoded->track.interpolation == SN_STEP) {
        sn_track visibility;
        if (!take_columns(builder->load, &decoded->track, 0, 1, 1.0f, &visibility)) return;
        visibility.channel = SN_CHANNEL_VISIBILITY;
        add_track(builder, &visibility, SN_TARGET_NODE, node);
        return;
    }
    if (path != GLTF_WEIGHTS) {
        add_track(builder, &decoded->track, SN_TARGET_NODE, node);
        return;
    }

    // Morph weights drive the nodes that show the mesh.
    int32_t mesh = builder->doc->nodes[node].mesh;
    uint32_t morph_count = 0;
    for (uint32_t i = 0; mesh >= 0 && i < builder->doc->meshes[mesh].primitive_count; i++) {
        uint32_t count = builder->doc->meshes[mesh].primitives[i].target_count;
        morph_count = count > morph_count ? count : morph_count;
    }
    if (morph_count != decoded->track.width) {
        sni_warn(&builder->load->diag, SNI_WARN_MORPH_COUNT, channel->object.offset,
                 "%u weights for the %u morphs of node %d", decoded->track.width, morph_count, node);
        return;
    }
    gltf_range shown_on = builder->built->shown_on[node];
    for (uint32_t i = 0; i < shown_on.count && sni_load_ok(builder->load); i++)
        add_track(builder, &decoded->track, SN_TARGET_NODE, (int32_t)(shown_on.first + i));
}

// KHR_animation_pointer: a JSON pointer to what it drives.

typedef struct pointer_target {
    gltf_path path;         // a node's own property, as for other channels; GLTF_POINTER: see the fields below
    int32_t index;          // in the document
    uint8_t kind, channel;  // sn_target, sn_channel
    uint8_t width;          // a base colour has 4: colour and alpha
    float factor;           // for the values
} pointer_target;

// The pointer behind the index, and what it drives.
typedef struct pointer_row {
    const char *rest;
    gltf_path path;
    uint8_t channel, width;
    float factor;
} pointer_row;

#define COLOR_MAP "/pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform"
static const pointer_row node_rows[] = {
    { "/translation", GLTF_TRANSLATION, 0, 3, 1 },
    { "/rotation", GLTF_ROTATION, 0, 4, 1 },
    { "/scale", GLTF_SCALE, 0, 3, 1 },
    { "/weights", GLTF_WEIGHTS, 0, 0, 1 },
    { "/extensions/KHR_node_visibility/visible", GLTF_POINTER, SN_CHANNEL_VISIBILITY, 1, 1 },
    { 0 },
};
static const pointer_row material_rows[] = {
    { "/emissiveFactor", GLTF_POINTER, SN_CHANNEL_EMISSIVE, 3, 1 },
    { "/pbrMetallicRoughness/baseColorFactor", GLTF_POINTER, SN_CHANNEL_COLOR, 4, 1 },
    { COLOR_MAP "/offset", GLTF_POINTER, SN_CHANNEL_UV_OFFSET, 2, 1 },
    { COLOR_MAP "/rotation", GLTF_POINTER, SN_CHANNEL_UV_ROTATION, 1, -1 },  // as in build_texture
    { COLOR_MAP "/scale", GLTF_POINTER, SN_CHANNEL_UV_SCALE, 2, 1 },
    { 0 },
};
static const pointer_row camera_rows[] = {
    { "/perspective/yfov", GLTF_POINTER, SN_CHANNEL_FOV, 1, 1 },
    { 0 },
};
static const pointer_row light_rows[] = {
    { "/color", GLTF_POINTER, SN_CHANNEL_COLOR, 3, 1 },
    { "/intensity", GLTF_POINTER, SN_CHANNEL_INTENSITY, 1, 1 },
    { 0 },
};
#undef COLOR_MAP

// A number below count, without leading zeros.
static bool take_index(const char **at, uint32_t count, int32_t *index)
{
    const char *start = *at;
    uint64_t number = 0;
    for (; **at >= '0' && **at <= '9' && *at - start < 10; (*at)++) number = number * 10 + (uint64_t)(**at - '0');
    if (*at == start || (start[0] == '0' && *at - start > 1) || number >= count || number > INT32_MAX) return false;
    *index = (int32_t)number;
    return true;
}

static bool find_pointer_target(const gltf_doc *doc, const char *pointer, pointer_target *target)
{
    const struct {
        const char *start;
        uint32_t count;
        uint8_t kind;
        const pointer_row *rows;
    } tables[] = {
        { "/nodes/", doc->node_count, SN_TARGET_NODE, node_rows },
        { "/materials/", doc->material_count, SN_TARGET_LAYER, material_rows },
        { "/cameras/", doc->camera_count, SN_TARGET_CAMERA, camera_rows },
        { "/extensions/KHR_lights_punctual/lights/", doc->lights.count, SN_TARGET_LIGHT, light_rows },
    };
    int table = 0;
    while (table < 4 && strncmp(pointer, tables[table].start, strlen(tables[table].start)) != 0) table++;
    if (table == 4) return false;
    const char *rest = pointer + strlen(tables[table].start);
    if (!take_index(&rest, tables[table].count, &target->index)) return false;
    const pointer_row *row = tables[table].rows;
    while (row->rest && strcmp(row->rest, rest) != 0) row++;
    if (!row->rest) return false;
    target->kind = tables[table].kind;
    target->path = row->path;
    target->channel = row->channel;
    target->width = row->width;
    target->factor = row->factor;
    if (target->kind == SN_TARGET_CAMERA) return doc->cameras[target->index].type == GLTF_PERSPECTIVE;
    if (target->kind != SN_TARGET_LAYER) return true;
    const gltf_material *material = &doc->materials[target->index];
    if (target->channel != SN_CHANNEL_EMISSIVE) return !material->gloss.object.is_given;  // which replaces the rest
    target->factor = material->emissive_strength.value;
    return true;
}

static void build_pointer_channel(clip_builder *builder, const gltf_channel *channel, const pointer_target *target)
{
    sni_load *load = builder->load;
    sn_track track, alpha;
    const gltf_sampler *sampler = enter_sampler(builder, channel->sampler);
    if (!decode_sampler(builder, sampler, target->channel, target->width, &track) || track.key_count == 0) return;
    if (target->channel == SN_CHANNEL_VISIBILITY) track.interpolation = SN_STEP;

    // A base colour becomes two tracks: colour and alpha.
    uint32_t width = target->width == 4 ? 3 : target->width;
    if (target->width == 4) {
        if (!take_columns(load, &track, 3, 1, 1.0f, &alpha)) return;
        alpha.channel = SN_CHANNEL_ALPHA;
        add_track(builder, &alpha, target->kind, target->index);
    }
    if ((width != target->width || target->factor != 1.0f) &&
        !take_columns(load, &track, 0, width, target->factor, &track))
        return;
    if (!sni_sanitize_keys(&load->diag, &track, sampler->object.offset)) return;
    if (target->kind != SN_TARGET_CAMERA && target->kind != SN_TARGET_LIGHT) {
        add_track(builder, &track, target->kind, target->index);
        return;
    }
    bool is_camera = target->kind == SN_TARGET_CAMERA;
    const gltf_copies *copies = is_camera ? &builder->built->cameras : &builder->built->lights;
    for (int32_t i = copies->first[target->index]; i >= 0 && sni_load_ok(load); i = copies->next[i])
        add_track(builder, &track, target->kind, i);
}

static void build_channel(clip_builder *builder, const gltf_channel *channel)
{
    sni_diag *diag = &builder->load->diag;
    const gltf_target *target = &channel->target;
    const char *pointer = target->animation.pointer;
    pointer_target found = { 0 };
    bool has_target = target->path == GLTF_POINTER ? pointer != NULL
                                                   : target->path != GLTF_NO_PATH && target->node >= 0;
    if (!has_target || channel->sampler < 0) {
        sni_warn(diag, SNI_WARN_TRACK_TARGET, channel->object.offset, "no node, path or sampler; ignored");
    } else if (target->path != GLTF_POINTER) {
        build_node_channel(builder, channel, target->node, target->path);
    } else if (!find_pointer_target(builder->doc, pointer, &found)) {
        sni_warn(diag, SNI_WARN_TRACK_TARGET, channel->object.offset, "\"%.120s\" cannot be animated", pointer);
    } else if (found.path != GLTF_POINTER) {
        build_node_channel(builder, channel, found.index, found.path);
    } else {
        build_pointer_channel(builder, channel, &found);
    }
}

static bool build_clip(clip_builder *builder, sn_clip *clip)
{
    sni_load *load = builder->load;
    const gltf_animation *animation = builder->animation;
    builder->decoded = sni_new(&load->scratch, decoded_sampler, animation->sampler_count);
    builder->tracks = (sni_list){ 0 };
    if (!builder->decoded) return false;
    for (uint32_t i = 0; i < animation->channel_count && sni_load_ok(load); i++) {
        sni_enter(&load->diag, "channels", i);
        build_channel(builder, &animation->channels[i]);
        sni_leave(&load->diag);
    }
    uint32_t count = builder->tracks.count;
    sn_track *tracks = sni_load_ok(load) ? sni_new_raw(&load->keep, sn_track, count) : NULL;
    if (!tracks) return false;
    if (count > 0) memcpy(tracks, builder->tracks.items, count * sizeof *tracks);
    *clip = (sn_clip){ .name = animation->object.name, .extras = animation->object.extras, .tracks = tracks };
    clip->track_count = count;
    for (uint32_t i = 0; i < count; i++) {
        float last = tracks[i].times[tracks[i].key_count - 1];
        if (last > clip->duration) clip->duration = last;
    }
    return true;
}

bool gltf_build_clips(sni_load *load, const gltf_doc *doc, sni_builder *b, const gltf_built *built)
{
    clip_builder builder = { .load = load, .doc = doc, .built = built };
    sn_clip *clips = sni_builder_clips(b, doc->animation_count);
    builder.times = sni_new(&load->scratch, key_times, doc->accessor_count);
    if (!clips || !builder.times) return false;
    for (uint32_t i = 0; i < doc->animation_count; i++) {
        builder.animation = &doc->animations[i];
        sni_enter(&load->diag, "animations", i);
        bool is_good = build_clip(&builder, &clips[i]);
        sni_leave(&load->diag);
        if (!is_good) return false;
    }
    return true;
}
