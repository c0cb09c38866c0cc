#include "anim/pose.h"
#include "base/math.h"
#include "model/builder.h"
#include "model/track.h"

static sn_layer_state layer_at_rest(const sn_layer *layer)
{
    const sn_texture *texture = &layer->maps[SN_MAP_COLOR];
    sn_layer_state state = { layer->color, layer->emissive, texture->transform, texture->image };
    return state;
}

static void reset_nodes(sn_pose *pose)
{
    const sn_model *model = pose->model;
    pose->rest_id = 0;
    pose->shown_is_solved = false;
    for (uint32_t i = model->node_count; i < pose->block_count * SNI_LANES; i++)
        sni_trs8_set(pose->locals, i, &sni_trs_identity);
    for (uint32_t i = 0; i < model->node_count; i++) {
        sni_trs8_set(pose->locals, i, &model->nodes[i].rest);
        pose->node_flags[i] = model->nodes[i].flags & SN_NODE_HIDDEN ? 0 : SNI_NODE_SHOWN;
    }
}

static void reset_parts(sn_pose *pose)
{
    const sn_model *model = pose->model;
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_part *part = &model->parts[i];
        float *morphs = pose->morphs + pose->morph_starts[i];
        pose->part_colors[i] = part->color;
        pose->part_is_shown[i] = !part->is_hidden;
        for (uint32_t k = 0; k < sni_morph_count(model, part); k++)
            morphs[k] = part->morph_weights ? part->morph_weights[k] : 0.0f;
    }
}

static void reset_layers(sn_pose *pose)
{
    const sn_model *model = pose->model;
    for (uint32_t i = 0; i < model->material_count; i++) {
        sn_layer_state *layers = pose->layers + pose->layer_starts[i];
        for (uint32_t k = 0; k < model->materials[i].layer_count; k++)
            layers[k] = layer_at_rest(&model->materials[i].layers[k]);
    }
}

static void reset_cameras_lights(sn_pose *pose)
{
    const sn_model *model = pose->model;
    for (uint32_t i = 0; i < model->light_count; i++)
        pose->lights[i] = (sn_light_state){ model->lights[i].color, model->lights[i].intensity };
    for (uint32_t i = 0; i < model->camera_count; i++) pose->fovs[i] = model->cameras[i].fov_y;
}

void sni_pose_reset_others(sn_pose *pose)
{
    pose->rest_id = 0;
    if (pose->others_are_rest) return;
    reset_parts(pose);
    reset_layers(pose);
    reset_cameras_lights(pose);
    pose->others_are_rest = true;
}

void sni_pose_reset(sn_pose *pose)
{
    reset_nodes(pose);
    sni_pose_reset_others(pose);
}

static sn_vec3 track_vec3(const sn_track *track, const sni_span *span)
{
    return sni_vec3(sni_track_value(track, span, 0), sni_track_value(track, span, 1), sni_track_value(track, span, 2));
}

static sn_vec2 track_vec2(const sn_track *track, const sni_span *span)
{
    sn_vec2 v = { sni_track_value(track, span, 0), sni_track_value(track, span, 1) };
    return v;
}

static void set_rgb(sn_vec4 *color, sn_vec3 rgb)
{
    color->x = rgb.x;
    color->y = rgb.y;
    color->z = rgb.z;
}

static void sample_morphs(sn_pose *pose, const sn_track *track, const sni_span *span)
{
    for (int32_t part = pose->first_parts[track->target]; part >= 0; part = pose->next_parts[part]) {
        uint32_t count = sni_morph_count(pose->model, &pose->model->parts[part]);
        float *morphs = pose->morphs + pose->morph_starts[part];
        for (uint32_t i = 0; i < count && i < track->width; i++) morphs[i] = sni_track_value(track, span, i);
    }
}

static void sample_local(sn_pose *pose, const sn_track *track, const sni_span *span)
{
    uint32_t node = (uint32_t)track->target;
    sn_trs local = sni_pose_get_local(pose, node);
    if (track->channel == SN_CHANNEL_TRANSLATION) local.translation = track_vec3(track, span);
    else if (track->channel == SN_CHANNEL_ROTATION) local.rotation = sni_track_rotation(track, span);
    else local.scale = track_vec3(track, span);
    sni_pose_set_local(pose, node, &local);
    pose->node_flags[node] |= SNI_NODE_REPLACED;
}

static void sample_node(sn_pose *pose, const sn_track *track, const sni_span *span)
{
    uint8_t *flags = &pose->node_flags[track->target];
    if (track->channel == SN_CHANNEL_MORPHS) sample_morphs(pose, track, span);
    if (track->channel != SN_CHANNEL_VISIBILITY) return;
    *flags = (uint8_t)(*flags & ~SNI_NODE_SHOWN);
    if (sni_track_value(track, span, 0) > 0.0f) *flags |= SNI_NODE_SHOWN;
}

static void sample_part(sn_pose *pose, const sn_track *track, const sni_span *span)
{
    sn_vec4 *color = &pose->part_colors[track->target];
    switch (track->channel) {
    case SN_CHANNEL_VISIBILITY: pose->part_is_shown[track->target] = sni_track_value(track, span, 0) > 0.0f; break;
    case SN_CHANNEL_COLOR: set_rgb(color, track_vec3(track, span)); break;
    case SN_CHANNEL_ALPHA: color->w = sni_track_value(track, span, 0); break;
    default: break;
    }
}

// Numbers of images travel as floats; one that names no image is none.
static int32_t image_number(const sn_model *model, float value)
{
    return value >= 0.0f && value < (float)model->image_count ? (int32_t)value : -1;
}

static void sample_layer(sn_pose *pose, const sn_track *track, const sni_span *span)
{
    sn_layer_state *layer = &pose->layers[pose->layer_starts[track->target] + (size_t)track->sub];
    switch (track->channel) {
    case SN_CHANNEL_COLOR: set_rgb(&layer->color, track_vec3(track, span)); break;
    case SN_CHANNEL_ALPHA: layer->color.w = sni_track_value(track, span, 0); break;
    case SN_CHANNEL_EMISSIVE: layer->emissive = track_vec3(track, span); break;
    case SN_CHANNEL_UV_OFFSET: layer->uv.offset = track_vec2(track, span); break;
    case SN_CHANNEL_UV_ROTATION: layer->uv.rotation = sni_track_value(track, span, 0); break;
    case SN_CHANNEL_UV_SCALE: layer->uv.scale = track_vec2(track, span); break;
    case SN_CHANNEL_IMAGE: layer->image = image_number(pose->model, sni_track_value(track, span, 0)); break;
    default: break;
    }
}

static void sample_light(sn_pose *pose, const sn_track *track, const sni_span *span)
{
    sn_light_state *light = &pose->lights[track->target];
    if (track->channel == SN_CHANNEL_COLOR) light->color = track_vec3(track, span);
    if (track->channel == SN_CHANNEL_INTENSITY) light->intensity = sni_track_value(track, span, 0);
}

void sni_pose_sample_other(sn_pose *pose, const sn_track *track, const sni_span *span)
{
    bool is_of_node = track->target_kind == SN_TARGET_NODE && track->channel == SN_CHANNEL_VISIBILITY;
    if (!is_of_node) pose->others_are_rest = false;
    switch (track->target_kind) {
    case SN_TARGET_NODE: sample_node(pose, track, span); break;
    case SN_TARGET_PART: sample_part(pose, track, span); break;
    case SN_TARGET_LAYER: sample_layer(pose, track, span); break;
    case SN_TARGET_LIGHT: sample_light(pose, track, span); break;
    case SN_TARGET_CAMERA:
        if (track->channel == SN_CHANNEL_FOV) pose->fovs[track->target] = sni_track_value(track, span, 0);
        break;
    default: break;
    }
}

float sni_clip_time(const sn_clip *clip, float seconds)
{
    if (seconds >= 0.0f && seconds <= clip->duration) return seconds;
    if (clip->loops) return sni_wrap_time(seconds, clip->duration);
    return seconds > clip->duration ? clip->duration : 0.0f;
}

void sn_pose_sample(sn_pose *pose, int32_t clip, float seconds, float clock)
{
    sni_pose_reset(pose);
    if (!sni_has(pose->model->clip_count, clip)) return;
    const sn_clip *played = &pose->model->clips[clip];
    float time = sni_clip_time(played, seconds);
    for (uint32_t i = 0; i < played->track_count; i++) {
        const sn_track *track = &played->tracks[i];
        if (track->key_count == 0) continue;
        sni_span span = sni_track_span(track, time, played->duration, clock);
        if (sni_track_is_local(track)) sample_local(pose, track, &span);
        else sni_pose_sample_other(pose, track, &span);
    }
}
