// Animations to clips. Samplers are shared between channels: each is decoded once.
#include <math.h>
#include <string.h>

#include "format/gltf/gltf_build.h"

// A decoded sampler; `path` says for which use.
typedef struct keys {
    bool is_tried, is_good;
    gltf_path path;
    sn_track track;
} keys;

// One animation on its way to a clip.
typedef struct clip_builder {
    sni_load *load;
    const gltf_doc *doc;
    const gltf_parts *built;
    const gltf_animation *animation;
    float **times;  // by accessor: decoded already, or NULL
    keys *decoded;  // by sampler
    sni_list tracks;
} clip_builder;

static bool warn_sampler(sni_load *load, const gltf_sampler *sampler, const char *what)
{
    sni_warn(&load->diag, SNI_WARN_GLTF_ANIMATION, sampler->object.offset, "%s", what);
    return false;
}

// Times are shared by most samplers of a file: decoded once per accessor.
static float *read_times(sni_load *load, const gltf_doc *doc, int32_t accessor, float **cache)
{
    if (cache[accessor]) return cache[accessor];
    float *times = sni_new_raw(&load->keep, float, doc->accessors[accessor].count);
    if (!times || !gltf_read_floats(load, doc, accessor, 1, times)) return NULL;
    return cache[accessor] = times;
}

static bool times_rise(const float *times, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!isfinite(times[i]) || (i > 0 && times[i] <= times[i - 1])) return false;
    }
    return true;
}

// Keys that must be dropped would move times that other samplers share: such a track gets a copy.
static const float *own_times(sni_load *load, const float *times, uint32_t count)
{
    if (times_rise(times, count)) return times;
    float *copy = sni_new_raw(&load->keep, float, count);
    for (uint32_t i = 0; copy && i < count; i++) copy[i] = times[i];
    return copy;
}

// Truth is written as whole numbers, everything else as floats or what is normalised to them.
static bool has_fit_values(const gltf_accessor *output, gltf_use use)
{
    if (output->component_type == GLTF_F32) return true;
    return use.channel == SN_CHANNEL_VISIBILITY || (output->component_type != GLTF_U32 && output->is_normalized);
}

bool gltf_decode_sampler(sni_load *load, const gltf_doc *doc, const gltf_sampler *sampler, float **times, gltf_use use,
                         sn_track *track)
{
    if (sampler->input < 0 || sampler->output < 0) return warn_sampler(load, sampler, "no input or output");
    const gltf_accessor *input = &doc->accessors[sampler->input], *output = &doc->accessors[sampler->output];
    if (input->type != GLTF_SCALAR || input->component_type != GLTF_F32)
        return warn_sampler(load, sampler, "its times are not floats");
    if (!has_fit_values(output, use))
        return warn_sampler(load, sampler, "its values are whole numbers that are not normalised");
    uint64_t groups = (uint64_t)input->count * (sampler->interpolation == SN_CUBIC_SPLINE ? 3 : 1);
    uint32_t present = gltf_components(output->type);
    *track = (sn_track){ .channel = use.channel, .interpolation = (uint8_t)sampler->interpolation };
    track->width = use.width ? use.width : groups ? (uint32_t)(output->count / groups) : 0;
    track->key_count = input->count;
    bool fits = use.width == 0 ? present == 1 && groups > 0 && output->count % groups == 0 && track->width > 0
                               : present == track->width && output->count == groups;
    if (!fits) return warn_sampler(load, sampler, "times and values do not fit each other");
    float *values = sni_new_raw(&load->keep, float, (uint64_t)output->count *present);
    const float *shared = values ? read_times(load, doc, sampler->input, times) : NULL;
    if (!shared || !gltf_read_floats(load, doc, sampler->output, present, values)) return false;
    track->times = own_times(load, shared, input->count);
    track->values = values;
    return track->times && sni_finish_keys(load, track, sampler->object.offset);
}

static uint32_t morphs_of(const gltf_doc *doc, int32_t node)
{
    int32_t mesh = doc->nodes[node].mesh;
    uint32_t most = 0;
    for (uint32_t i = 0; mesh >= 0 && i < doc->meshes[mesh].primitive_count; i++) {
        uint32_t count = doc->meshes[mesh].primitives[i].target_count;
        most = count > most ? count : most;
    }
    return most;
}

static void add_track(clip_builder *builder, const sn_track *keys_of, uint8_t kind, int32_t target)
{
    sn_track *track = sni_push(&builder->load->scratch, &builder->tracks, sn_track);
    if (!track) return;
    *track = *keys_of;
    track->target_kind = kind;
    track->target = target;
}

// From the channel to its sampler, which is where its faults are.
static const gltf_sampler *enter_sampler(const clip_builder *builder, int32_t sampler)
{
    sni_leave(&builder->load->diag);
    sni_enter(&builder->load->diag, "samplers", sampler);
    return &builder->animation->samplers[sampler];
}

static void build_node_channel(clip_builder *builder, const gltf_channel *channel, int32_t node, gltf_path path)
{
    static const gltf_use uses[] = {
        [GLTF_TRANSLATION] = { SN_CHANNEL_TRANSLATION, 3 },
        [GLTF_ROTATION] = { SN_CHANNEL_ROTATION, 4 },
        [GLTF_SCALE] = { SN_CHANNEL_SCALE, 3 },
        [GLTF_WEIGHTS] = { SN_CHANNEL_MORPHS, 0 },
    };
    keys *source = &builder->decoded[channel->sampler];
    if (!source->is_tried || source->path != path) {
        *source = (keys){ .is_tried = true, .path = path };
        const gltf_sampler *sampler = enter_sampler(builder, channel->sampler);
        source->is_good = gltf_decode_sampler(builder->load, builder->doc, sampler, builder->times, uses[path],
                                              &source->track);
    }
    if (!source->is_good || source->track.key_count == 0) return;
    uint32_t morph_count = path == GLTF_WEIGHTS ? morphs_of(builder->doc, node) : 0;
    if (path == GLTF_WEIGHTS && morph_count != source->track.width) {
        sni_warn(&builder->load->diag, SNI_WARN_MORPH_COUNT, channel->object.offset,
                 "%u weights for %u morphs of node %d", source->track.width, morph_count, node);
        return;
    }
    const gltf_instances *instances = builder->built->instances ? &builder->built->instances[node] : NULL;
    if (path != GLTF_WEIGHTS || !instances || !instances->is_used) {
        add_track(builder, &source->track, SN_TARGET_NODE, node);
        return;
    }
    for (uint32_t i = 0; i < instances->nodes.count && sni_load_ok(builder->load); i++)  // they carry the mesh
        add_track(builder, &source->track, SN_TARGET_NODE, (int32_t)(instances->nodes.first + i));
}

// Numbers `from` to `from + width` of each group of numbers, times the factor, as a track of their own.
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

// The model's cameras and lights that are made from the one the pointer names: each gets the track.
static void add_carried(clip_builder *builder, const sn_track *track, const gltf_aim *aim)
{
    const gltf_carried *carried = aim->kind == SN_TARGET_CAMERA ? &builder->built->cameras : &builder->built->lights;
    for (int32_t i = carried->first[aim->target]; i >= 0 && sni_load_ok(builder->load); i = carried->next[i])
        add_track(builder, track, aim->kind, i);
}

static void build_pointer_channel(clip_builder *builder, const gltf_channel *channel, const gltf_aim *aim)
{
    sni_load *load = builder->load;
    sn_track track, alpha;
    const gltf_sampler *sampler = enter_sampler(builder, channel->sampler);
    const gltf_use use = { aim->channel, aim->width };
    if (!gltf_decode_sampler(load, builder->doc, sampler, builder->times, use, &track) || track.key_count == 0) return;
    if (aim->channel == SN_CHANNEL_VISIBILITY) track.interpolation = SN_STEP;
    if (aim->width == 4) {
        if (!take_columns(load, &track, 3, 1, 1.0f, &alpha)) return;
        alpha.channel = SN_CHANNEL_ALPHA;
        add_track(builder, &alpha, aim->kind, aim->target);
    }
    uint32_t width = aim->width == 4 ? 3 : aim->width;
    if ((width != aim->width || aim->factor != 1.0f) && !take_columns(load, &track, 0, width, aim->factor, &track))
        return;
    if (!sni_finish_keys(load, &track, sampler->object.offset)) return;
    if (aim->kind == SN_TARGET_CAMERA || aim->kind == SN_TARGET_LIGHT) add_carried(builder, &track, aim);
    else add_track(builder, &track, aim->kind, aim->target);
}

static void build_channel(clip_builder *builder, const gltf_channel *channel)
{
    sni_diag *diag = &builder->load->diag;
    gltf_aim aim;
    bool is_pointer = channel->path == GLTF_POINTER && channel->pointer && channel->sampler >= 0;
    if (!is_pointer &&
        (channel->path == GLTF_NO_PATH || channel->path == GLTF_POINTER || channel->sampler < 0 || channel->node < 0)) {
        sni_warn(diag, SNI_WARN_TRACK_TARGET, channel->object.offset, "no node, path or sampler; ignored");
    } else if (!is_pointer) {
        build_node_channel(builder, channel, channel->node, channel->path);
    } else if (!gltf_find_aim(builder->doc, channel->pointer, &aim)) {
        sni_warn(diag, SNI_WARN_TRACK_TARGET, channel->object.offset, "%.120s is nothing that moves here",
                 channel->pointer);
    } else if (aim.path != GLTF_POINTER) {
        build_node_channel(builder, channel, aim.target, aim.path);
    } else {
        build_pointer_channel(builder, channel, &aim);
    }
}

static bool build_clip(clip_builder *builder, sn_clip *clip)
{
    sni_load *load = builder->load;
    const gltf_animation *animation = builder->animation;
    builder->decoded = sni_new(&load->scratch, keys, animation->sampler_count);
    if (!builder->decoded) return false;
    builder->tracks = (sni_list){ 0 };
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

bool gltf_build_clips(sni_load *load, const gltf_doc *doc, sn_model *model, const gltf_parts *built)
{
    clip_builder builder = { .load = load, .doc = doc, .built = built };
    sn_clip *clips = sni_new(&load->keep, sn_clip, doc->animation_count);
    builder.times = sni_new(&load->scratch, float *, doc->accessor_count);
    if (!clips || !builder.times) return false;
    for (uint32_t i = 0; i < doc->animation_count; i++) {
        builder.animation = &doc->animations[i];
        sni_enter(&load->diag, "animations", i);
        bool is_good = build_clip(&builder, &clips[i]);
        sni_leave(&load->diag);
        if (!is_good) return false;
    }
    model->clips = clips;
    model->clip_count = doc->animation_count;
    return true;
}
