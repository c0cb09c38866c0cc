#include "check_motion_file.h"

#include "check_model.h"
#include "random_model.h"
#include "sinew/runtime.h"

#define DEMAND_NAME "motion"
#include "demand.h"

#include <math.h>
#include <string.h>

enum { RANDOM_CLIPS = 6, OWN_CLIPS = 8, OWN_NODES = 8, MOST_KEYS = 6, MOST_FLOATS = 3 * 4 * MOST_KEYS };

// Tracks of the first eight nodes, each with keys at times of its own.
static const struct {
    uint8_t channel, interpolation, keys, in_period;  // in_period: how many of the nodes run on the clock
} own_clips[OWN_CLIPS] = {
    { SN_CHANNEL_TRANSLATION, SN_LINEAR, 3, 0 },
    { SN_CHANNEL_SCALE, SN_HERMITE, 3, 0 },
    { SN_CHANNEL_ROTATION, SN_LINEAR, 3, 0 },
    { SN_CHANNEL_ROTATION, SN_HERMITE, 3, 0 },
    { SN_CHANNEL_ROTATION, SN_CUBIC_SPLINE, 3, 0 },
    { SN_CHANNEL_TRANSLATION, SN_LINEAR, 6, 4 },
    { SN_CHANNEL_SCALE, SN_STEP, 3, 0 },
    { SN_CHANNEL_ROTATION, SN_STEP, 3, 0 },
};

static void fill_own_clip(sn_clip *clip, uint32_t number)
{
    static const float turns[5][4] = {
        { 0, 0, 0.6f, 0.8f }, { 0, 0, 0.28f, 0.96f }, { 0.36f, 0.48f, 0, 0.8f }, { 0, 0.6f, 0, 0.8f }, { 0, 0, 0, 1 }
    };
    static float times[OWN_CLIPS][OWN_NODES][MOST_KEYS], values[OWN_CLIPS][OWN_NODES][MOST_FLOATS];
    static sn_track tracks[OWN_CLIPS][OWN_NODES];
    uint32_t key_count = own_clips[number].keys, groups = own_clips[number].interpolation >= SN_HERMITE ? 3 : 1;
    bool is_rotation = own_clips[number].channel == SN_CHANNEL_ROTATION;
    uint32_t width = is_rotation ? 4 : 3;
    for (uint32_t node = 0; node < OWN_NODES; node++) {
        float *value = values[number][node];
        for (uint32_t key = 0; key < key_count; key++) times[number][node][key] = (float)(key * 8 + node + 1) / 64.0f;
        for (uint32_t i = 0; i < key_count * groups; i++)
            for (uint32_t k = 0; k < width; k++)
                *value++ = is_rotation ? turns[(node + i / groups) % 5][k] : (float)((node + i + k) % 7) / 4.0f;
        tracks[number][node] = (sn_track){ .target_kind = SN_TARGET_NODE,
                                           .channel = own_clips[number].channel,
                                           .interpolation = own_clips[number].interpolation,
                                           .target = (int32_t)node,
                                           .key_count = key_count,
                                           .width = width,
                                           .times = times[number][node],
                                           .values = values[number][node] };
        if (node < own_clips[number].in_period) tracks[number][node].period = 0.75f;
    }
    *clip = (sn_clip){ .name = "", .duration = 1, .loops = true, .tracks = tracks[number], .track_count = OWN_NODES };
}

sn_model *motion_file_model(void)
{
    static sn_clip clips[RANDOM_CLIPS + OWN_CLIPS];
    random_opts opts = { .nodes = 10, .clips = RANDOM_CLIPS, .keys = 4 };
    sn_model *model = random_model(3, &opts);
    memcpy(clips, model->clips, RANDOM_CLIPS * sizeof *clips);
    for (uint32_t i = 0; i < OWN_CLIPS; i++) fill_own_clip(&clips[RANDOM_CLIPS + i], i);
    model->clips = clips;
    model->clip_count = RANDOM_CLIPS + OWN_CLIPS;
    return model;
}

static volatile float sink;  // what is read here was written

static void read_floats(const void *values, size_t count)
{
    const float *at = values;
    for (size_t i = 0; i < count; i++) sink = at[i];
}

// Local transforms are finite and rotations of unit length; everything else can be read.
static void read_pose(const sn_model *model, const sn_pose *pose)
{
    for (uint32_t i = 0; i < model->node_count; i++) {
        sn_trs local = sn_pose_local(pose, (int32_t)i);
        sn_mat34 world = sn_pose_world(pose, (int32_t)i);
        float values[10];
        double square = 0;
        memcpy(values, &local, sizeof values);
        for (int k = 0; k < 10; k++) demand(isfinite(values[k]), "node %u: value %d is %g", i, k, (double)values[k]);
        for (int k = 3; k < 7; k++) square += (double)values[k] * values[k];
        demand(square > 0.95 && square < 1.05, "node %u: the square of the rotation is %g", i, square);
        read_floats(&world, 12);
    }
    for (uint32_t i = 0; i < model->skin_count; i++)
        read_floats(sn_pose_palette(pose, (int32_t)i), (size_t)model->skins[i].joint_count * 12);
    for (uint32_t i = 0; i < model->part_count; i++) {
        sn_vec4 color = sn_pose_color(pose, (int32_t)i);
        read_floats(&color, 4);
        sink = sn_pose_shows(pose, (int32_t)i);
        read_floats(sn_pose_morphs(pose, (int32_t)i), model->meshes[model->parts[i].mesh].morph_count);
    }
    for (uint32_t i = 0; i < model->material_count; i++)
        for (uint32_t k = 0; k < model->materials[i].layer_count; k++) {
            sn_layer_state state = sn_pose_layer(pose, (int32_t)i, (int32_t)k);
            read_floats(&state, sizeof state / sizeof(float));
        }
    for (uint32_t i = 0; i < model->light_count; i++) sink = sn_pose_light(pose, (int32_t)i).intensity;
    for (uint32_t i = 0; i < model->camera_count; i++) sink = sn_pose_fov(pose, (int32_t)i);
}

static void play(const sn_model *model, const sn_motion *motion)
{
    static const float parts[] = { 0.0f, 0.1f, 0.37f, 0.5f, 0.9f, 1.0f, 1.3f, -0.4f };
    static const float odd[] = { NAN, INFINITY, -1e30f };
    const uint32_t count = sizeof parts / sizeof *parts, odd_count = sizeof odd / sizeof *odd;
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    for (int32_t clip = -1; clip < (int32_t)model->clip_count; clip++) {
        float duration = clip < 0 ? 1.0f : model->clips[clip].duration;
        for (uint32_t i = 0; i < count + odd_count; i++) {
            float time = i < count ? parts[i] * duration : odd[i - count], clock = 0.7f * time + 0.2f;
            if (i % 2) sn_motion_sample_solve(motion, pose, clip, time, clock, NULL);
            else sn_motion_sample(motion, pose, clip, time, clock), sn_motion_solve(motion, pose, NULL);
            read_pose(model, pose);
        }
        sn_motion_layer layers[2] = { { .clip = clip, .seconds = 0.3f * duration, .weight = 1 },
                                      { .clip = clip, .seconds = 0.6f * duration, .weight = 1, .is_additive = true } };
        sn_motion_sample_layers(motion, pose, layers, 2, 0.5f);
        sn_motion_solve(motion, pose, NULL);
    }
    sn_pose_free(pose);
}

// What was loaded is saved, loaded and saved again, with equal bytes.
static void save_again(const sn_model *model, const sn_motion *motion)
{
    sn_bytes first, second;
    sn_error error = { 0 };
    demand(sn_motion_save_memory(motion, NULL, &first, &error) == SN_OK, "loaded, but not saved: %s", error.message);
    sn_motion *again = sn_motion_load_memory(first.data, first.size, model, NULL, &error);
    demand(again, "loaded and saved, but not loaded again: %s", error.message);
    demand(sn_motion_save_memory(again, NULL, &second, NULL) == SN_OK, "not saved again");
    demand(first.size == second.size && memcmp(first.data, second.data, first.size) == 0, "saved differently");
    sn_bytes_free(&first), sn_bytes_free(&second);
    sn_motion_free(again);
}

bool check_motion_file(const sn_model *model, const uint8_t *data, size_t size, counting_heap *heap, sn_status *status)
{
    sn_error error;
    memset(&error, 0xa5, sizeof error);
    sn_motion_opts opts = { .allocator = counting_allocator(heap) };
    sn_motion *motion = sn_motion_load_memory(data, size, model, &opts, &error);
    *status = error.status;
    uint64_t ceiling = (1u << 20) + 32 * (uint64_t)size;
    demand(heap->peak_bytes <= ceiling, "%llu bytes of memory", (unsigned long long)heap->peak_bytes);
    if (motion) {
        demand(error.status == SN_OK, "loaded with status %d", (int)error.status);
        play(model, motion);
        save_again(model, motion);
        sn_motion_free(motion);
    } else {
        check_error(&error);
    }
    demand(heap->live_blocks == 0, "%llu blocks live", (unsigned long long)heap->live_blocks);
    return motion != NULL;
}
