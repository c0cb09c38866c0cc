// Clips to animations. The tracks were fitted: step, linear or cubic spline, held at both ends.
#include "format/gltf/gltf_export.h"

typedef struct clip_writer {
    gltf_export *export;
    sni_list     channels, samplers;
    uint64_t     lost;
} clip_writer;

static bool is_written(const sn_track *track)
{
    return track->target_kind == SN_TARGET_NODE && track->period <= 0.0f && track->key_count > 0 &&
           (track->channel <= SN_CHANNEL_SCALE || track->channel == SN_CHANNEL_MORPHS) &&
           (track->interpolation == SN_STEP || track->interpolation == SN_LINEAR || track->interpolation == SN_CUBIC_SPLINE);
}

static int32_t write_sampler(clip_writer *writer, const sn_track *track)
{
    gltf_pack *pack = &writer->export->pack;
    uint32_t groups = track->key_count * (track->interpolation == SN_CUBIC_SPLINE ? 3 : 1);
    bool is_flat = track->channel == SN_CHANNEL_MORPHS;
    gltf_type type = is_flat ? GLTF_SCALAR : track->width == 4 ? GLTF_VEC4 : GLTF_VEC3;
    int32_t input = gltf_pack_floats(pack, GLTF_KEYS, track->times, track->key_count, GLTF_SCALAR, true);
    int32_t output = gltf_pack_floats(pack, GLTF_KEYS, track->values, is_flat ? groups * track->width : groups, type, false);
    const gltf_sampler *known = writer->samplers.items;
    for (uint32_t i = writer->samplers.count; i-- > 0 && writer->samplers.count - i < 16;) {
        if (known[i].input == input && known[i].output == output && known[i].interpolation == track->interpolation)
            return (int32_t)i;
    }
    gltf_sampler *sampler = sni_push(&writer->export->save->scratch, &writer->samplers, gltf_sampler);
    if (!sampler || input < 0 || output < 0) return -1;
    *sampler = (gltf_sampler){ .input = input, .output = output, .interpolation = (sn_interpolation)track->interpolation };
    return (int32_t)writer->samplers.count - 1;
}

static bool write_channel(clip_writer *writer, int32_t sampler, int32_t node, gltf_path path)
{
    gltf_channel *channel = sni_push(&writer->export->save->scratch, &writer->channels, gltf_channel);
    if (!channel || sampler < 0) return false;
    *channel = (gltf_channel){ .sampler = sampler, .node = node, .path = path };
    return true;
}

// Morph weights drive every mesh that the node shows, wherever its holder stands.
static bool write_morphs(clip_writer *writer, const sn_track *track)
{
    gltf_export *export = writer->export;
    for (int32_t at = export->first_group[track->target]; at >= 0; at = export->groups[at].next) {
        const gltf_group *group = &export->groups[at];
        if (group->morph_count != track->width) continue;
        if (!write_channel(writer, write_sampler(writer, track), group->holder, GLTF_WEIGHTS)) return false;
    }
    return true;
}

static bool write_track(clip_writer *writer, const sn_track *track)
{
    static const gltf_path paths[] = { [SN_CHANNEL_TRANSLATION] = GLTF_TRANSLATION, [SN_CHANNEL_ROTATION] = GLTF_ROTATION,
                                       [SN_CHANNEL_SCALE] = GLTF_SCALE };
    if (!is_written(track)) {
        writer->lost++;
        return true;
    }
    if (track->channel == SN_CHANNEL_MORPHS) return write_morphs(writer, track);
    return write_channel(writer, write_sampler(writer, track), track->target, paths[track->channel]);
}

bool gltf_export_clips(gltf_export *export)
{
    const sn_model *model = export->model;
    sni_diag *diag = &export->save->diag;
    sni_list animations = { 0 };
    for (uint32_t i = 0; i < model->clip_count; i++) {
        const sn_clip *clip = &model->clips[i];
        clip_writer writer = { .export = export };
        for (uint32_t t = 0; t < clip->track_count; t++) {
            if (!write_track(&writer, &clip->tracks[t])) return false;
        }
        sni_enter_named(diag, "clips", i, clip->name);
        sni_warn_many(diag, SNI_WARN_LOST_CONTENT, writer.lost, 0, "tracks that glTF cannot hold");
        if (writer.channels.count == 0) sni_warn(diag, SNI_WARN_LOST_CONTENT, 0, "a clip without tracks was left out");
        sni_leave(diag);
        if (writer.channels.count == 0) continue;
        gltf_animation *animation = sni_push(&export->save->scratch, &animations, gltf_animation);
        if (!animation) return false;
        animation->object = (gltf_object){ .name = gltf_name_or_null(clip->name), .extras = clip->extras };
        animation->channels = writer.channels.items, animation->channel_count = writer.channels.count;
        animation->samplers = writer.samplers.items, animation->sampler_count = writer.samplers.count;
    }
    export->doc->animations = animations.items;
    export->doc->animation_count = animations.count;
    return sni_save_ok(export->save);
}
