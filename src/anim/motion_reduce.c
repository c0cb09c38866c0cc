// Fewer keys and bits for a stated error, and how large the error is.
#include "anim/motion.h"
#include "base/math.h"

// Dropping frames

static sn_quat rotation_at(const float *rows, uint32_t lane)
{
    return sni_quat(rows[lane], rows[SNI_LANES + lane], rows[2 * SNI_LANES + lane], rows[3 * SNI_LANES + lane]);
}

// Whether the frame `middle` is near enough to what interpolation from `from` to `to` gives.
static bool is_given_back(const sni_frames_draft *frames, uint32_t from, uint32_t middle, uint32_t to,
                          const sni_tolerance *tolerances, uint32_t lanes, uint32_t channel)
{
    uint32_t width = channel == SN_CHANNEL_ROTATION ? 4 : 3;
    size_t size = (size_t)width * SNI_LANES;
    const float *rows = frames->rows, *a = rows + from * size, *b = rows + middle * size, *d = rows + to * size;
    double start = frames->times[from], u = (frames->times[middle] - start) / (frames->times[to] - start);
    for (uint32_t i = 0; i < SNI_LANES; i++) {
        if (!(lanes >> i & 1)) continue;
        if (channel == SN_CHANNEL_ROTATION) {
            sn_quat x = rotation_at(a, i), y = rotation_at(d, i);
            if (fabs(sni_quat_dot(x, y)) < 0.8) return false;  // too far apart to be one turn
            if (sni_rotation_angle(sni_quat_slerp(x, y, (float)u), rotation_at(b, i)) > (double)tolerances[i].angle)
                return false;
            continue;
        }
        double square = 0.0, most = channel == SN_CHANNEL_SCALE ? tolerances[i].scale : tolerances[i].translation;
        for (uint32_t k = i; k < size; k += SNI_LANES) {
            double off = a[k] + ((double)d[k] - a[k]) * u - b[k];
            square += off * off;
        }
        if (sqrt(square) > most) return false;
    }
    return true;
}

// Greedy: from each kept frame on to the last one from which all between are given back.
void sni_frames_reduce(sni_frames_draft *frames, const sni_tolerance *tolerances, uint32_t lanes, uint32_t channel)
{
    enum { LONGEST = 64 };  // frames that one segment may replace, so that the work is bounded
    size_t size = (channel == SN_CHANNEL_ROTATION ? 4u : 3u) * (size_t)SNI_LANES;
    uint32_t kept = 1, from = 0;
    float *rows = frames->rows;
    while (from + 1 < frames->count) {
        uint32_t to = from + 1;
        while (to + 1 < frames->count && to + 1 - from < LONGEST) {
            bool is_near = frames->times[to] > frames->times[from] && frames->times[to + 1] > frames->times[to];
            for (uint32_t k = from + 1; k <= to && is_near; k++)
                is_near = is_given_back(frames, from, k, to + 1, tolerances, lanes, channel);
            if (!is_near) break;
            to++;
        }
        // Frames move down. That never overwrites one that is still compared: those are `from` and after it.
        frames->times[kept] = frames->times[to];
        memmove(rows + kept * size, rows + to * size, size * sizeof(float));
        kept++;
        from = to;
    }
    frames->count = kept;
}

// Measuring

static void *heap_alloc(void *user, size_t size) { return sni_heap_alloc(user, size); }

static void heap_free(void *user, void *ptr, size_t size) { sni_heap_free(user, ptr, size); }

// The largest distance of a node from where the plain functions place it.
static double distance_at(const sn_motion *motion, sn_pose *plain, sn_pose *fast, int32_t clip, float time)
{
    double most = 0.0;
    sn_pose_sample(plain, clip, time, time);
    sn_pose_solve(plain, NULL);
    sn_motion_sample(motion, fast, clip, time, time);
    sn_pose_solve(fast, NULL);
    for (uint32_t i = 0; i < motion->model->node_count; i++) {
        double distance = sni_length(
            sni_sub(sni_mat34_column(&plain->worlds[i], 3), sni_mat34_column(&fast->worlds[i], 3)));
        if (distance > most) most = distance;
    }
    return most;
}

// At the keys of each track and between them.
static double measure(sn_motion *motion, sn_pose *plain, sn_pose *fast, int32_t clip, const float *times,
                      uint32_t count)
{
    const sni_motion_kernels *kernels = motion->kernels;
    double most = 0.0;
    motion->kernels = &sni_motion_kernels_scalar;  // so that the result does not depend on the processor
    for (uint32_t i = 0; i < count; i++) {
        double at = distance_at(motion, plain, fast, clip, times[i]), between = 0.0;
        if (i + 1 < count)
            between = distance_at(motion, plain, fast, clip, times[i] + (times[i + 1] - times[i]) * 0.5f);
        most = fmax(most, fmax(at, between));
    }
    motion->kernels = kernels;
    return most;
}

// How far the nodes below a node are from it at rest, but at least the length of its own bone and a part of the model:
// vertices and attachments turn with nodes that have nothing below.
static void fill_reaches(const sn_model *model, const sn_pose *rest, float *reaches)
{
    double size = 0.0;
    for (uint32_t i = 0; i < model->node_count; i++) {
        int32_t parent = model->nodes[i].parent;
        sn_vec3 own = sni_mat34_column(&rest->worlds[i], 3);
        size = fmax(size, sni_length(sni_sub(own, sni_mat34_column(&rest->worlds[0], 3))));
        reaches[i] = parent < 0 ? 0.0f : (float)sni_length(sni_sub(own, sni_mat34_column(&rest->worlds[parent], 3)));
    }
    for (uint32_t i = 0; i < model->node_count; i++) {
        sn_vec3 own = sni_mat34_column(&rest->worlds[i], 3);
        for (int32_t above = model->nodes[i].parent; above >= 0; above = model->nodes[above].parent) {
            float reach = (float)sni_length(sni_sub(own, sni_mat34_column(&rest->worlds[above], 3)));
            if (reach > reaches[above]) reaches[above] = reach;
        }
        reaches[i] = fmaxf(reaches[i], (float)(0.05 * size));
    }
}

static void fill_tolerances(const sn_model *model, const sn_pose *rest, const float *reaches, double error,
                            sni_tolerance *tolerances)
{
    for (uint32_t i = 0; i < model->node_count; i++) {
        int32_t parent = model->nodes[i].parent;
        const sn_mat34 *above = parent < 0 ? &rest->root : &rest->worlds[parent];
        double scale = 0.0;
        for (int c = 0; c < 3; c++) scale = fmax(scale, sni_length(sni_mat34_column(above, c)));
        tolerances[i].translation = scale > 0.0 ? (float)(error / scale) : 0.0f;
        tolerances[i].angle = tolerances[i].scale = reaches[i] > 0.0f ? (float)(error / reaches[i]) : 0.0f;
    }
}

typedef struct reducer {
    sn_motion *motion;
    const sn_motion_opts *opts;
    int32_t clip;
    sn_pose *plain, *fast;
    float *times, *reaches;
    uint32_t time_count;
    sni_tolerance *tolerances;
} reducer;

// Compiles with tolerances for an error of a node's own and measures what comes of it. The memory is in `arena`, which
// takes the place of the motion's meanwhile.
static bool attempt(reducer *r, double own_error, sni_arena *arena, double *error)
{
    sn_motion *motion = r->motion;
    sni_arena kept = motion->arena;
    sni_motion_clip empty = { 0 };
    motion->clips[r->clip] = empty;
    sni_arena_init(arena, &motion->heap);
    motion->arena = *arena;
    fill_tolerances(motion->model, r->plain, r->reaches, own_error, r->tolerances);
    bool is_done = sni_motion_compile_within(motion, r->clip, r->opts, own_error > 0.0 ? r->tolerances : NULL);
    *arena = motion->arena;
    motion->arena = kept;
    if (is_done) *error = measure(motion, r->plain, r->fast, r->clip, r->times, r->time_count);
    sn_pose_sample(r->plain, -1, 0.0f, 0.0f);
    sn_pose_solve(r->plain, NULL);
    return is_done;
}

// The error of a node is that of all above it together; how that adds up is found by trying. The best attempt is the
// one with the largest tolerance whose error is within the limit.
static bool reduce(reducer *r)
{
    enum { ATTEMPTS = 7 };
    sn_motion *motion = r->motion;
    double limit = r->opts->max_error > 0.0f ? r->opts->max_error : 0.0, own = limit, best = 0.0, error = 0.0;
    uint64_t bytes = motion->info.bytes;
    sni_arena arena;
    double worst = limit > 0.0 ? INFINITY : 0.0;  // the smallest tolerance that was too large
    for (int i = 0; i < ATTEMPTS && limit > 0.0; i++) {
        motion->info.bytes = bytes;
        bool is_done = attempt(r, own, &arena, &error);
        sni_arena_free(&arena);
        if (!is_done) return false;
        if (error <= limit && own > best) best = own;
        if (error > limit && own < worst) worst = own;
        double guess = error > 0.0 ? own * fmin(4.0, 0.9 * limit / error) : own * 4.0;
        own = isfinite(worst) && best > 0.0 ? 0.5 * (best + worst) : guess;
    }
    motion->info.bytes = bytes;
    bool is_done = attempt(r, best, &arena, &error);
    if (!is_done) {
        sni_arena_free(&arena);
        return false;
    }
    sni_arena_join(&motion->arena, &arena);
    if ((float)error > motion->info.max_error) motion->info.max_error = (float)error;
    return true;
}

static bool collect_times(reducer *r, sni_arena *scratch)
{
    const sn_clip *clip = &r->motion->model->clips[r->clip];
    uint64_t room = 2;
    for (uint32_t i = 0; i < clip->track_count; i++)
        if (sni_track_is_local(&clip->tracks[i])) room += clip->tracks[i].key_count;
    if (room > UINT32_MAX) return sni_fail(r->motion->heap.diag, SN_ERR_LIMIT, 0, "a clip has too many keys");
    r->times = sni_new_raw(scratch, float, room);
    if (!r->times) return false;
    r->times[r->time_count++] = 0.0f;
    r->times[r->time_count++] = clip->duration;
    for (uint32_t i = 0; i < clip->track_count; i++)
        for (uint32_t k = 0; sni_track_is_local(&clip->tracks[i]) && k < clip->tracks[i].key_count; k++) {
            float time = clip->tracks[i].times[k];
            if (time > 0.0f && time < clip->duration) r->times[r->time_count++] = time;
        }
    r->time_count = sni_merge_key_times(r->times, r->time_count);
    return true;
}

bool sni_motion_reduce_clip(sn_motion *motion, int32_t clip, const sn_motion_opts *opts)
{
    const sn_model *model = motion->model;
    const sn_allocator allocator = { heap_alloc, heap_free, &motion->heap };
    reducer r = { .motion = motion, .opts = opts, .clip = clip };
    sni_arena scratch;
    sni_arena_init(&scratch, &motion->heap);
    r.reaches = sni_new(&scratch, float, model->node_count);
    r.tolerances = sni_new(&scratch, sni_tolerance, (uint64_t)motion->block_count * SNI_LANES);
    r.plain = sn_pose_create(model, &allocator, NULL);
    r.fast = sn_pose_create(model, &allocator, NULL);
    bool is_done = r.reaches && r.tolerances && r.plain && r.fast && collect_times(&r, &scratch);
    if (is_done) {
        fill_reaches(model, r.plain, r.reaches);
        is_done = reduce(&r);
    }
    sn_pose_free(r.plain);
    sn_pose_free(r.fast);
    sni_arena_free(&scratch);
    return is_done;
}
