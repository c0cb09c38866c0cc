// Animations to clips. Samplers are shared between channels: each is decoded once.
#include <math.h>

#include "format/gltf/gltf_build.h"

// A decoded sampler; `path` says for which use.
typedef struct keys { bool is_tried, is_good; gltf_path path; sn_track track; } keys;

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

static uint32_t width_of(gltf_path path, uint64_t values, uint64_t keys_and_tangents)
{
    if (path == GLTF_ROTATION) return 4;
    if (path != GLTF_WEIGHTS) return 3;
    return keys_and_tangents ? (uint32_t)(values / keys_and_tangents) : 0;
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

static bool decode_sampler(sni_load *load, const gltf_doc *doc, const gltf_sampler *sampler, float **times, keys *out)
{
    static const uint8_t channels[] = {
        [GLTF_TRANSLATION] = SN_CHANNEL_TRANSLATION, [GLTF_ROTATION] = SN_CHANNEL_ROTATION,
        [GLTF_SCALE] = SN_CHANNEL_SCALE, [GLTF_WEIGHTS] = SN_CHANNEL_MORPHS,
    };
    if (sampler->input < 0 || sampler->output < 0) return warn_sampler(load, sampler, "no input or output");
    const gltf_accessor *input = &doc->accessors[sampler->input], *output = &doc->accessors[sampler->output];
    if (input->type != GLTF_SCALAR || input->component_type != GLTF_F32)
        return warn_sampler(load, sampler, "its times are not floats");
    if (output->component_type == GLTF_U32 || (output->component_type != GLTF_F32 && !output->is_normalized))
        return warn_sampler(load, sampler, "its values are whole numbers that are not normalised");
    uint64_t groups = (uint64_t)input->count * (sampler->interpolation == SN_CUBIC_SPLINE ? 3 : 1);
    uint32_t present = gltf_components(output->type);
    sn_track *track = &out->track;
    *track = (sn_track){ .channel = channels[out->path], .interpolation = (uint8_t)sampler->interpolation };
    track->width = width_of(out->path, output->count, groups);
    track->key_count = input->count;
    bool fits = out->path == GLTF_WEIGHTS ? present == 1 && groups > 0 && output->count % groups == 0 && track->width > 0
                                          : present == track->width && output->count == groups;
    if (!fits) return warn_sampler(load, sampler, "times and values do not fit each other");
    float *values = sni_new_raw(&load->keep, float, (uint64_t)output->count * present);
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

static bool build_channel(sni_load *load, const gltf_doc *doc, const gltf_animation *animation, uint32_t index,
                          float **times, keys *decoded, sn_track *track)
{
    const gltf_channel *channel = &animation->channels[index];
    if (channel->path == GLTF_NO_PATH || channel->sampler < 0 || channel->node < 0) {
        sni_warn(&load->diag, SNI_WARN_TRACK_TARGET, channel->object.offset, "no node, path or sampler; ignored");
        return false;
    }
    keys *source = &decoded[channel->sampler];
    if (!source->is_tried || source->path != channel->path) {
        *source = (keys){ .is_tried = true, .path = channel->path };
        sni_leave(&load->diag);                      // from the channel to its sampler
        sni_enter(&load->diag, "samplers", channel->sampler);
        source->is_good = decode_sampler(load, doc, &animation->samplers[channel->sampler], times, source);
    }
    if (!source->is_good || source->track.key_count == 0) return false;
    if (channel->path == GLTF_WEIGHTS && morphs_of(doc, channel->node) != source->track.width) {
        sni_warn(&load->diag, SNI_WARN_MORPH_COUNT, channel->object.offset, "%u weights for %u morphs of node %d",
                 source->track.width, morphs_of(doc, channel->node), channel->node);
        return false;
    }
    *track = source->track;
    track->target_kind = SN_TARGET_NODE;
    track->target = channel->node;
    return true;
}

static bool build_clip(sni_load *load, const gltf_doc *doc, const gltf_animation *animation, float **times, sn_clip *clip)
{
    sn_track *tracks = sni_new(&load->keep, sn_track, animation->channel_count);
    keys *decoded = sni_new(&load->scratch, keys, animation->sampler_count);
    if (!tracks || !decoded) return false;
    *clip = (sn_clip){ .name = animation->object.name, .extras = animation->object.extras, .tracks = tracks };
    for (uint32_t i = 0; i < animation->channel_count && sni_load_ok(load); i++) {
        sn_track *track = &tracks[clip->track_count];
        sni_enter(&load->diag, "channels", i);
        bool is_good = build_channel(load, doc, animation, i, times, decoded, track);
        sni_leave(&load->diag);
        if (!is_good) continue;
        clip->track_count++;
        float last = track->times[track->key_count - 1];
        if (last > clip->duration) clip->duration = last;
    }
    return sni_load_ok(load);
}

bool gltf_build_clips(sni_load *load, const gltf_doc *doc, sn_model *model)
{
    sn_clip *clips = sni_new(&load->keep, sn_clip, doc->animation_count);
    float **times = sni_new(&load->scratch, float *, doc->accessor_count);
    if (!clips || !times) return false;
    for (uint32_t i = 0; i < doc->animation_count; i++) {
        sni_enter(&load->diag, "animations", i);
        bool is_good = build_clip(load, doc, &doc->animations[i], times, &clips[i]);
        sni_leave(&load->diag);
        if (!is_good) return false;
    }
    model->clips = clips;
    model->clip_count = doc->animation_count;
    return true;
}
