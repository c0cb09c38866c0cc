#include "random_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint32_t random_step(void)
{
    const char *text = getenv("SINEW_SEED_STEP");
    int step = text ? atoi(text) : 1;
    return step > 0 ? (uint32_t)step : 1;
}

uint32_t random_next(uint32_t *seed)
{
    *seed ^= *seed << 13, *seed ^= *seed >> 17, *seed ^= *seed << 5;
    return *seed;
}

float random_float(uint32_t *seed, float low, float high)
{
    return low + (high - low) * ((float)(random_next(seed) >> 8) / 16777216.0f);
}

static uint32_t below(uint32_t *seed, uint32_t count) { return (random_next(seed) >> 8) % count; }

// All memory of a model, so that it can be freed: blocks in a list that starts before the model.
typedef struct block {
    struct block *next;
    max_align_t data[];
} block;

static void *get(block *owner, size_t count, size_t size)
{
    block *b = calloc(1, sizeof *b + (count + 1) * size);
    if (!b) abort();
    b->next = owner->next;
    owner->next = b;
    return b->data;
}

static void random_unit(uint32_t *seed, float q[4])
{
    double length = 0;
    while (length < 0.1) {
        length = 0;
        for (int i = 0; i < 4; i++) q[i] = random_float(seed, -1, 1), length += (double)q[i] * q[i];
    }
    for (int i = 0; i < 4; i++) q[i] = (float)(q[i] / sqrt(length));
}

static sn_quat random_quat(uint32_t *seed)
{
    float q[4];
    random_unit(seed, q);
    return (sn_quat){ q[0], q[1], q[2], q[3] };
}

static void random_nodes(uint32_t *seed, const random_opts *opts, block *owner, sn_model *model)
{
    static const uint32_t flags[] = { SN_NODE_BILLBOARD,       SN_NODE_BILLBOARD_X,  SN_NODE_BILLBOARD_Y,
                                      SN_NODE_BILLBOARD_Z,     SN_NODE_OWN_ROTATION, SN_NODE_OWN_SCALE,
                                      SN_NODE_OWN_TRANSLATION, SN_NODE_HIDDEN,       SN_NODE_SCALE_PARENT_AXES };
    sn_node *nodes = get(owner, opts->nodes, sizeof *nodes);
    bool has_flags = !opts->only_plain && below(seed, 2), all_axes = !opts->only_plain && below(seed, 4) == 0;
    for (uint32_t i = 0; i < opts->nodes; i++) {
        sn_node *node = &nodes[i];
        node->name = "";
        node->parent = i == 0 || below(seed, 12) == 0 ? -1 : (int32_t)(below(seed, 2) ? i - 1 : below(seed, i));
        node->rest.translation = (sn_vec3){ random_float(seed, -1, 1), random_float(seed, -1, 1),
                                            random_float(seed, -1, 1) };
        node->rest.rotation = random_quat(seed);
        node->rest.scale = (sn_vec3){ 1, 1, 1 };
        if (below(seed, 4) == 0)
            node->rest.scale = (sn_vec3){ random_float(seed, 0.7f, 1.4f), 1, random_float(seed, 0.7f, 1.4f) };
        if (all_axes) node->flags |= SN_NODE_SCALE_PARENT_AXES;
        if (has_flags && below(seed, 8) == 0) node->flags |= flags[below(seed, sizeof flags / sizeof *flags)];
        if (has_flags && below(seed, 12) == 0) {
            sn_mat34 *matrix = get(owner, 1, sizeof *matrix);
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 4; c++) matrix->m[r][c] = random_float(seed, -1, 1) + (r == c);
            node->matrix = matrix;
        }
    }
    model->nodes = nodes;
    model->node_count = opts->nodes;
}

// Rising times, some before 0 and some past the end; often those of the track before.
static void random_times(uint32_t *seed, const random_opts *opts, block *owner, float duration, sn_track *track,
                         const sn_track *before)
{
    if (before && !opts->own_times && below(seed, 3) > 0) {
        track->times = before->times;
        track->key_count = before->key_count;
        return;
    }
    uint32_t count = below(seed, 4) == 0 ? 1 + below(seed, 2) : 1 + below(seed, opts->keys);
    float *times = get(owner, count, sizeof *times);
    float step = duration / (float)(count > 1 ? count - 1 : 1) * random_float(seed, 0.5f, 1.3f);
    float at = below(seed, 3) == 0 ? random_float(seed, -0.3f, 0.5f) * duration : 0.0f;
    bool is_even = below(seed, 2);
    for (uint32_t i = 0; i < count; i++) {
        times[i] = at;
        at += is_even ? step : random_float(seed, 0.01f, 2.0f) * step;
        if (!(at > times[i])) at = nextafterf(times[i], INFINITY);
    }
    track->times = times;
    track->key_count = count;
}

static void random_values(uint32_t *seed, block *owner, sn_track *track)
{
    uint32_t groups = track->interpolation >= SN_HERMITE ? 3 : 1;
    float *values = get(owner, (size_t)track->key_count * groups * track->width, sizeof *values);
    bool is_still = below(seed, 5) == 0, is_gentle = below(seed, 2), is_zero = below(seed, 4) == 0;
    for (uint32_t i = 0; i < track->key_count * groups; i++) {
        float *value = values + (size_t)i * track->width, *first = values + (groups == 3 ? track->width : 0);
        bool is_value = groups == 1 || i % 3 == 1;
        if (track->channel == SN_CHANNEL_ROTATION) {
            random_unit(seed, value);
            if (is_gentle && i > 0) {  // a little away from the key before, with any sign
                const float *last = value - track->width * groups;
                if (i >= groups)
                    for (int k = 0; k < 4; k++) value[k] = last[k] + 0.05f * value[k];
                double length = sqrt((double)value[0] * value[0] + (double)value[1] * value[1] +
                                     (double)value[2] * value[2] + (double)value[3] * value[3]);
                float sign = below(seed, 2) ? 1.0f : -1.0f;
                for (int k = 0; k < 4; k++) value[k] = sign * (float)(value[k] / length);
            }
            // Splines of opposite signs pass near zero, where the direction is noise.
            if (is_value && track->interpolation == SN_CUBIC_SPLINE && i > groups) {
                const float *last = value - track->width * groups;
                float dot = last[0] * value[0] + last[1] * value[1] + last[2] * value[2] + last[3] * value[3];
                for (int k = 0; k < 4 && dot < 0.3f; k++) value[k] = last[k];
            }
            if (!is_value && track->interpolation == SN_CUBIC_SPLINE)
                for (int k = 0; k < 4; k++) value[k] *= is_zero ? 0.0f : 0.3f;
            else if (!is_value && is_zero)
                for (int k = 0; k < 4; k++) value[k] = 0.0f;
        } else {
            float low = track->channel == SN_CHANNEL_SCALE ? 0.6f : -1.0f,
                  high = track->channel == SN_CHANNEL_SCALE ? 1.5f : 1.0f;
            if (track->channel == SN_CHANNEL_IMAGE) low = 0, high = 3;
            for (uint32_t k = 0; k < track->width; k++) value[k] = random_float(seed, low, high);
        }
        if (is_still && is_value && i > 1) memcpy(value, first, track->width * sizeof *value);
    }
    track->values = values;
}

static sn_track random_track(uint32_t *seed, const random_opts *opts, block *owner, const sn_clip *clip, uint32_t kind,
                             int32_t target, uint32_t channel, uint32_t width, const sn_track *before)
{
    sn_track track = { .target_kind = (uint8_t)kind, .channel = (uint8_t)channel, .target = target, .width = width };
    track.interpolation = (uint8_t)(below(seed, 3) ? SN_LINEAR : below(seed, 5));
    track.wrap = (uint8_t)(below(seed, 2) ? SN_WRAP_HOLD : below(seed, 3));
    if (below(seed, 10) == 0) track.period = below(seed, 2) ? 0.7f : random_float(seed, 0.1f, 3.0f);
    if (opts->only_smooth) track.interpolation = SN_LINEAR, track.wrap = SN_WRAP_HOLD, track.period = 0;
    random_times(seed, opts, owner, clip->duration, &track, before);
    random_values(seed, owner, &track);
    return track;
}

static void random_clip(uint32_t *seed, const random_opts *opts, block *owner, const sn_model *model, sn_clip *clip)
{
    clip->name = "";
    clip->duration = below(seed, 10) == 0 ? 0.0f : random_float(seed, 0.2f, 5.0f);
    clip->loops = below(seed, 2);
    sn_track *tracks = get(owner, (size_t)model->node_count * 4 + 16, sizeof *tracks);
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->node_count; i++)
        for (uint32_t channel = SN_CHANNEL_TRANSLATION; channel <= SN_CHANNEL_VISIBILITY; channel++) {
            static const uint32_t widths[4] = { 3, 4, 3, 1 };
            if (below(seed, 3) == 0 || (channel == SN_CHANNEL_VISIBILITY && below(seed, 6))) continue;
            tracks[count] = random_track(seed, opts, owner, clip, SN_TARGET_NODE, (int32_t)i, channel, widths[channel],
                                         count ? &tracks[count - 1] : NULL);
            count++;
        }
    static const struct {
        uint8_t kind, channel, width;
    } others[] = { { SN_TARGET_NODE, SN_CHANNEL_MORPHS, 2 },       { SN_TARGET_PART, SN_CHANNEL_VISIBILITY, 1 },
                   { SN_TARGET_PART, SN_CHANNEL_COLOR, 3 },        { SN_TARGET_PART, SN_CHANNEL_ALPHA, 1 },
                   { SN_TARGET_LAYER, SN_CHANNEL_COLOR, 3 },       { SN_TARGET_LAYER, SN_CHANNEL_ALPHA, 1 },
                   { SN_TARGET_LAYER, SN_CHANNEL_EMISSIVE, 3 },    { SN_TARGET_LAYER, SN_CHANNEL_UV_OFFSET, 2 },
                   { SN_TARGET_LAYER, SN_CHANNEL_UV_ROTATION, 1 }, { SN_TARGET_LAYER, SN_CHANNEL_UV_SCALE, 2 },
                   { SN_TARGET_LAYER, SN_CHANNEL_IMAGE, 1 },       { SN_TARGET_LIGHT, SN_CHANNEL_COLOR, 3 },
                   { SN_TARGET_LIGHT, SN_CHANNEL_INTENSITY, 1 },   { SN_TARGET_CAMERA, SN_CHANNEL_FOV, 1 } };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (below(seed, 2)) continue;
        tracks[count] = random_track(seed, opts, owner, clip, others[i].kind, 0, others[i].channel, others[i].width,
                                     count ? &tracks[count - 1] : NULL);
        count++;
    }
    clip->tracks = tracks;
    clip->track_count = count;
}

sn_model *random_model(uint32_t seed, const random_opts *opts)
{
    block *owner = calloc(1, sizeof *owner + sizeof(sn_model) + 64);
    if (!owner) abort();
    sn_model *model = (sn_model *)(void *)owner->data;
    seed = seed * 2654435761u + 12345;
    if (!seed) seed = 1;
    *model = (sn_model){ .name = "", .format = "built", .lod_count = 1, .default_scene = -1 };
    model->up_axis = below(&seed, 2) ? SN_Y_UP : SN_Z_UP;
    random_nodes(&seed, opts, owner, model);

    // A mesh with two morphs, a part, a skin of all nodes in another order, a material, a light, a camera.
    static const sn_vec3 origin = { 0, 0, 0 };
    static const uint32_t index = 0;
    static const sn_morph morphs[2] = { { .name = "" }, { .name = "" } };
    static const float weights[2] = { 0.25f, 0.5f };
    static const sn_image images[2] = { { .name = "", .uri = "", .mime_type = "" },
                                        { .name = "", .uri = "", .mime_type = "" } };
    sn_mesh *mesh = get(owner, 1, sizeof *mesh);
    *mesh = (sn_mesh){ .name = "", .topology = SN_POINTS, .vertex_count = 1, .index_count = 1, .morph_count = 2 };
    mesh->positions = &origin, mesh->indices = &index, mesh->morphs = morphs;
    sn_part *part = get(owner, 1, sizeof *part);
    *part = (sn_part){ .skin = -1, .material = 0, .lod = -1, .color = { 1, 1, 1, 1 }, .morph_weights = weights };
    sn_layer *layer = get(owner, 1, sizeof *layer);
    *layer = (sn_layer){ .color = { 1, 1, 1, 1 } };
    for (int i = 0; i < SN_MAP_COUNT; i++)
        layer->maps[i].image = -1, layer->maps[i].transform.scale = (sn_vec2){ 1, 1 };
    sn_material *material = get(owner, 1, sizeof *material);
    *material = (sn_material){ .name = "", .layers = layer, .layer_count = 1 };
    sn_light *light = get(owner, 1, sizeof *light);
    *light = (sn_light){ .name = "", .node = (int32_t)opts->nodes - 1, .color = { 1, 1, 1 }, .intensity = 2 };
    sn_camera *camera = get(owner, 1, sizeof *camera);
    *camera = (sn_camera){ .name = "", .node = -1, .is_perspective = true, .fov_y = 0.7f, .near_plane = 0.1f };
    int32_t *joints = get(owner, opts->nodes, sizeof *joints);
    sn_mat34 *inverse = get(owner, opts->nodes, sizeof *inverse);
    uint32_t shift = below(&seed, opts->nodes);
    for (uint32_t i = 0; i < opts->nodes; i++) {
        joints[i] = (int32_t)((i + shift) % opts->nodes);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 4; c++) inverse[i].m[r][c] = random_float(&seed, -1, 1) + (r == c);
        ((sn_node *)(uintptr_t)&model->nodes[i])->flags |= SN_NODE_JOINT;
    }
    sn_skin *skin = get(owner, 1, sizeof *skin);
    *skin = (sn_skin){ .name = "", .joints = joints, .inverse_bind = inverse, .joint_count = opts->nodes };
    model->meshes = mesh, model->mesh_count = 1, model->parts = part, model->part_count = 1;
    model->skins = skin, model->skin_count = 1, model->materials = material, model->material_count = 1;
    model->lights = light, model->light_count = 1, model->cameras = camera, model->camera_count = 1;
    model->images = images, model->image_count = 2;

    sn_clip *clips = get(owner, opts->clips, sizeof *clips);
    for (uint32_t i = 0; i < opts->clips; i++) random_clip(&seed, opts, owner, model, &clips[i]);
    model->clips = clips, model->clip_count = opts->clips;
    return model;
}

void random_model_free(sn_model *model)
{
    block *b = (block *)(void *)((char *)model - offsetof(block, data));
    while (b) {
        block *next = b->next;
        free(b);
        b = next;
    }
}
