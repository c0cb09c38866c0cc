#include "convert/scale.h"

#include <string.h>

#include "model/track.h"

static sn_vec3 scaled(sn_vec3 v, float s) { return (sn_vec3){ v.x * s, v.y * s, v.z * s }; }

static sn_mat34 move_scaled(sn_mat34 m, float s)
{
    for (int r = 0; r < 3; r++) m.m[r][3] *= s;
    return m;
}

// NULL stays NULL. False: out of memory.
static bool scale_points(sni_arena *arena, const sn_vec3 **points, uint32_t count, float s)
{
    if (!*points) return true;
    sn_vec3 *out = sni_new_raw(arena, sn_vec3, count);
    for (uint32_t i = 0; out && i < count; i++) out[i] = scaled((*points)[i], s);
    *points = out;
    return out != NULL;
}

static bool scale_floats(sni_arena *arena, sn_track *track, float s)
{
    const uint64_t count = (uint64_t)track->key_count * sni_track_floats_per_key(track);
    float *out = sni_new_raw(arena, float, count);
    for (uint64_t i = 0; out && i < count; i++) out[i] = track->values[i] * s;
    track->values = out;
    return out != NULL;
}

// An array of the model that is about to change.
static void *copy_items(sni_arena *arena, const void *items, size_t size, uint32_t count)
{
    void *copy = sni_alloc_raw(arena, size, count);
    if (copy && count > 0) memcpy(copy, items, size * count);
    return copy;
}
#define COPY(arena, type, items, count) ((type *)copy_items(arena, items, sizeof(type), count))

static bool scale_nodes(sni_arena *arena, const sn_model *model, float s, sn_model *out)
{
    sn_node *nodes = COPY(arena, sn_node, model->nodes, model->node_count);
    for (uint32_t i = 0; nodes && i < model->node_count; i++) {
        nodes[i].rest.translation = scaled(nodes[i].rest.translation, s);
        if (!nodes[i].matrix) continue;
        sn_mat34 *matrix = sni_new_raw(arena, sn_mat34, 1);
        if (!matrix) return false;
        *matrix = move_scaled(*nodes[i].matrix, s);
        nodes[i].matrix = matrix;
    }
    out->nodes = nodes;
    return nodes != NULL;
}

static bool scale_meshes(sni_arena *arena, const sn_model *model, float s, sn_model *out)
{
    sn_mesh *meshes = COPY(arena, sn_mesh, model->meshes, model->mesh_count);
    for (uint32_t i = 0; meshes && i < model->mesh_count; i++) {
        sn_mesh *mesh = &meshes[i];
        sn_morph *morphs = COPY(arena, sn_morph, mesh->morphs, mesh->morph_count);
        if (!morphs || !scale_points(arena, &mesh->positions, mesh->vertex_count, s)) return false;
        for (uint32_t k = 0; k < mesh->morph_count; k++)
            if (!scale_points(arena, &morphs[k].positions, mesh->vertex_count, s)) return false;
        mesh->morphs = morphs;
    }
    out->meshes = meshes;
    return meshes != NULL;
}

static bool scale_skins(sni_arena *arena, const sn_model *model, float s, sn_model *out)
{
    sn_skin *skins = COPY(arena, sn_skin, model->skins, model->skin_count);
    for (uint32_t i = 0; skins && i < model->skin_count; i++) {
        sn_mat34 *binds = sni_new_raw(arena, sn_mat34, skins[i].joint_count);
        if (!binds) return false;
        for (uint32_t k = 0; k < skins[i].joint_count; k++) binds[k] = move_scaled(skins[i].inverse_bind[k], s);
        skins[i].inverse_bind = binds;
    }
    out->skins = skins;
    return skins != NULL;
}

// Point and spot lights fall off with the square of the distance: scaled with it they look the same.
static float intensity_scale(const sn_light *light, float s)
{
    return light->kind == SN_LIGHT_POINT || light->kind == SN_LIGHT_SPOT ? s * s : 1.0f;
}

static bool scale_clips(sni_arena *arena, const sn_model *model, float s, sn_model *out)
{
    sn_clip *clips = COPY(arena, sn_clip, model->clips, model->clip_count);
    for (uint32_t i = 0; clips && i < model->clip_count; i++) {
        sn_track *tracks = COPY(arena, sn_track, clips[i].tracks, clips[i].track_count);
        if (!tracks) return false;
        for (uint32_t k = 0; k < clips[i].track_count; k++) {
            sn_track *track = &tracks[k];
            float factor = track->channel == SN_CHANNEL_TRANSLATION ? s
                           : track->channel == SN_CHANNEL_INTENSITY ? intensity_scale(&model->lights[track->target], s)
                                                                    : 1.0f;
            if (factor != 1.0f && !scale_floats(arena, track, factor)) return false;
        }
        clips[i].tracks = tracks;
    }
    out->clips = clips;
    return clips != NULL;
}

static bool scale_rest(sni_arena *arena, const sn_model *model, float s, sn_model *out)
{
    sn_camera *cameras = COPY(arena, sn_camera, model->cameras, model->camera_count);
    sn_light *lights = COPY(arena, sn_light, model->lights, model->light_count);
    sn_shape *shapes = COPY(arena, sn_shape, model->shapes, model->shape_count);
    if (!cameras || !lights || !shapes) return false;
    for (uint32_t i = 0; i < model->camera_count; i++) {
        cameras[i].half_width *= s, cameras[i].half_height *= s;
        cameras[i].near_plane *= s, cameras[i].far_plane *= s;
    }
    for (uint32_t i = 0; i < model->light_count; i++) {
        lights[i].intensity *= intensity_scale(&lights[i], s);
        lights[i].range *= s;
    }
    for (uint32_t i = 0; i < model->shape_count; i++) {
        shapes[i].center = scaled(shapes[i].center, s), shapes[i].extents = scaled(shapes[i].extents, s);
        shapes[i].radius *= s;
    }
    out->cameras = cameras;
    out->lights = lights;
    out->shapes = shapes;
    return true;
}

bool sni_scale_model(sni_arena *arena, const sn_model *model, float scale, sn_model *out)
{
    *out = *model;
    return scale_nodes(arena, model, scale, out) && scale_meshes(arena, model, scale, out) &&
           scale_skins(arena, model, scale, out) && scale_clips(arena, model, scale, out) &&
           scale_rest(arena, model, scale, out);
}
