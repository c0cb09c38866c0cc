#include "check_motion.h"

#include "random_model.h"
#include "sinew/runtime.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST_TIMES = 96 };

double motion_worst_rotation, motion_worst_position;
static const char *compared = "";

static void differ(const char *what, int32_t clip, double time, uint32_t index, double difference, double allowed)
{
    fprintf(stderr, "%s: clip %d at %.9g: %s %u differs by %g, allowed %g\n", compared, (int)clip, time, what,
            (unsigned)index, difference, allowed);
    fail();
}

static void normalise(const sn_quat *q, double out[4])
{
    const double v[4] = { q->x, q->y, q->z, q->w };
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
    for (int i = 0; i < 4; i++) out[i] = v[i] / length;
}

// The largest difference of any component, whichever sign the rotations have.
static double rotation_distance(sn_quat a, sn_quat b)
{
    double x[4], y[4], same = 0, opposite = 0;
    normalise(&a, x), normalise(&b, y);
    for (int i = 0; i < 4; i++) same = fmax(same, fabs(x[i] - y[i])), opposite = fmax(opposite, fabs(x[i] + y[i]));
    return fmin(same, opposite);
}

static double vec3_distance(sn_vec3 a, sn_vec3 b)
{
    return fmax(fabs((double)a.x - b.x), fmax(fabs((double)a.y - b.y), fabs((double)a.z - b.z)));
}

static double vec3_size(sn_vec3 a) { return fmax(fabs((double)a.x), fmax(fabs((double)a.y), fabs((double)a.z))); }

// The farthest that any node is moved from its parent, at rest or at any key.
static double local_size(const sn_model *model, int32_t clip)
{
    double size = 0;
    for (uint32_t i = 0; i < model->node_count; i++) size = fmax(size, vec3_size(model->nodes[i].rest.translation));
    for (uint32_t i = 0; clip >= 0 && i < model->clips[clip].track_count; i++) {
        const sn_track *track = &model->clips[clip].tracks[i];
        uint32_t groups = track->interpolation >= SN_HERMITE ? 3 : 1;
        if (track->target_kind != SN_TARGET_NODE || track->channel != SN_CHANNEL_TRANSLATION) continue;
        for (uint64_t k = 0; k < (uint64_t)track->key_count * groups * 3; k++)
            size = fmax(size, fabs((double)track->values[k]));
    }
    return size;
}

static void expect_same_locals(const sn_model *model, const sn_pose *plain, const sn_pose *fast, int32_t clip,
                               double time)
{
    double size = local_size(model, clip);
    for (uint32_t i = 0; i < model->node_count; i++) {
        sn_trs a = sn_pose_local(plain, (int32_t)i), b = sn_pose_local(fast, (int32_t)i);
        double turned = rotation_distance(a.rotation, b.rotation), moved = vec3_distance(a.translation, b.translation);
        double scaled = vec3_distance(a.scale, b.scale), scale = 2e-6 * (1 + vec3_size(a.scale));
        motion_worst_rotation = fmax(motion_worst_rotation, turned);
        if (!(turned <= 2e-6)) differ("rotation", clip, time, i, turned, 2e-6);
        double extent = fmax(size, vec3_size(a.translation));  // curves go past their keys
        if (!(moved <= 5e-6 * extent + 1e-30)) differ("translation", clip, time, i, moved, 5e-6 * extent);
        if (!(scaled <= scale)) differ("scale", clip, time, i, scaled, scale);
    }
}

static double matrix_size(const sn_mat34 *m)
{
    double size = 0;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) size = fmax(size, fabs((double)m->m[r][c]));
    return size;
}

static void expect_same_matrix(const char *what, const sn_mat34 *a, const sn_mat34 *b, double size, double turned,
                               int32_t clip, double time, uint32_t index)
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++) {
            double difference = fabs((double)a->m[r][c] - b->m[r][c]),
                   allowed = 1e-5 * (c == 3 ? size : turned) + 1e-30;
            if (c == 3 && size > 0) motion_worst_position = fmax(motion_worst_position, difference / size);
            if (!(difference <= allowed)) differ(what, clip, time, index, difference, allowed);
        }
}

// World matrices and palettes. The model's size is the largest coordinate of any node, or of any joint's bind pose.
static void expect_same_worlds(const sn_model *model, const sn_pose *plain, const sn_pose *fast, int32_t clip,
                               double time)
{
    double size = local_size(model, clip);
    for (uint32_t i = 0; i < model->node_count; i++) {
        sn_mat34 world = sn_pose_world(plain, (int32_t)i);
        for (int r = 0; r < 3; r++) size = fmax(size, fabs((double)world.m[r][3]));
        if (!isfinite(matrix_size(&world)) || !isfinite(size)) return;  // numbers too large for any arithmetic
    }
    for (uint32_t i = 0; i < model->node_count; i++) {
        sn_mat34 a = sn_pose_world(plain, (int32_t)i), b = sn_pose_world(fast, (int32_t)i);
        int32_t parent = model->nodes[i].parent;  // a scale may be passing through 0
        sn_mat34 above = parent < 0 ? b : sn_pose_world(plain, parent);
        expect_same_matrix("world", &a, &b, size, fmax(matrix_size(&a), parent < 0 ? 1 : matrix_size(&above)), clip,
                           time, i);
    }
    for (uint32_t s = 0; s < model->skin_count; s++) {
        const sn_mat34 *a = sn_pose_palette(plain, (int32_t)s), *b = sn_pose_palette(fast, (int32_t)s);
        for (uint32_t i = 0; i < model->skins[s].joint_count; i++) {
            const sn_mat34 *bind = &model->skins[s].inverse_bind[i];
            sn_mat34 world = sn_pose_world(plain, model->skins[s].joints[i]);
            double extent = size;
            for (int r = 0; r < 3; r++) extent = fmax(extent, matrix_size(&world) * fabs((double)bind->m[r][3]));
            expect_same_matrix("palette", &a[i], &b[i], extent,
                               fmax(matrix_size(&a[i]), matrix_size(&world) * matrix_size(bind)), clip, time, i);
        }
    }
}

// What the fast functions compute by the plain arithmetic is equal to the last bit.
static void expect_same_others(const sn_model *model, const sn_pose *plain, const sn_pose *fast)
{
    for (uint32_t i = 0; i < model->part_count; i++) {
        uint32_t morphs = model->meshes[model->parts[i].mesh].morph_count;
        sn_vec4 a = sn_pose_color(plain, (int32_t)i), b = sn_pose_color(fast, (int32_t)i);
        assert_memory_equal(&a, &b, sizeof a);
        assert_int_equal(sn_pose_shows(plain, (int32_t)i), sn_pose_shows(fast, (int32_t)i));
        if (morphs)
            assert_memory_equal(sn_pose_morphs(plain, (int32_t)i), sn_pose_morphs(fast, (int32_t)i),
                                morphs * sizeof(float));
    }
    for (uint32_t i = 0; i < model->material_count; i++)
        for (uint32_t k = 0; k < model->materials[i].layer_count; k++) {
            sn_layer_state a = sn_pose_layer(plain, (int32_t)i, (int32_t)k),
                           b = sn_pose_layer(fast, (int32_t)i, (int32_t)k);
            assert_memory_equal(&a, &b, sizeof a);
        }
    for (uint32_t i = 0; i < model->light_count; i++) {
        sn_light_state a = sn_pose_light(plain, (int32_t)i), b = sn_pose_light(fast, (int32_t)i);
        assert_memory_equal(&a, &b, sizeof a);
    }
    for (uint32_t i = 0; i < model->camera_count; i++)
        assert_true(sn_pose_fov(plain, (int32_t)i) == sn_pose_fov(fast, (int32_t)i));
}

// Keys, between keys, just beside keys, before, after and anywhere.
static uint32_t clip_times(const sn_clip *clip, uint32_t *seed, float *times)
{
    float d = clip->duration;
    const float fixed[] = {
        0, d, d * 0.5f, -0.1f * d, d * 1.25f, -3.7f * d, nextafterf(d, 0), nextafterf(d, INFINITY)
    };
    uint32_t count = 0;
    for (; count < sizeof fixed / sizeof *fixed; count++) times[count] = fixed[count];
    while (count + 4 < MOST_TIMES / 2 && clip->track_count) {
        const sn_track *track = &clip->tracks[random_next(seed) % clip->track_count];
        if (track->key_count == 0) break;
        uint32_t key = random_next(seed) % track->key_count, next = key + 1 < track->key_count ? key + 1 : key;
        times[count++] = track->times[key];
        times[count++] = nextafterf(track->times[key], -INFINITY);
        times[count++] = nextafterf(track->times[key], INFINITY);
        times[count++] = track->times[key] + (track->times[next] - track->times[key]) * random_float(seed, 0, 1);
    }
    while (count < MOST_TIMES) times[count++] = random_float(seed, -0.5f, 1.5f) * d;
    return count;
}

static const sn_view view = { { 3, 4, 5 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 0 } };

static int compare_floats(const void *a, const void *b)
{
    const float *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void compare_clip(const sn_model *model, const sn_motion *motion, sn_pose *plain, sn_pose *fast, int32_t clip,
                         uint32_t *seed)
{
    static const sn_clip rest = { .duration = 1 };
    float times[MOST_TIMES];
    uint32_t count = clip_times(clip < 0 ? &rest : &model->clips[clip], seed, times);
    for (uint32_t i = 0; i < count; i++) {
        float clock = i % 3 == 0 ? times[i] : random_float(seed, -2, 20);
        const sn_view *seen = i % 2 ? &view : NULL;
        sn_pose_sample(plain, clip, times[i], clock);
        if (i % 4 == 3) {
            sn_motion_sample_solve(motion, fast, clip, times[i], clock, seen);
        } else {
            sn_motion_sample(motion, fast, clip, times[i], clock);
            sn_motion_solve(motion, fast, seen);
        }
        sn_pose_solve(plain, seen);
        expect_same_locals(model, plain, fast, clip, times[i]);
        expect_same_worlds(model, plain, fast, clip, times[i]);
        expect_same_others(model, plain, fast);
    }
    qsort(times, count, sizeof *times, compare_floats);  // playing forward goes on from the keys of the last sample
    for (uint32_t i = 0; i < count; i++) {
        sn_pose_sample(plain, clip, times[i], times[i]);
        sn_motion_sample(motion, fast, clip, times[i], times[i]);
        expect_same_locals(model, plain, fast, clip, times[i]);
    }
}

void check_motion(const sn_model *model, const char *name, uint32_t most_clips)
{
    compared = name;
    sn_error error = { 0 };
    sn_mat34 root = { { { 0, -2, 0, 1 }, { 2, 0, 0, 2 }, { 0, 0, 2, 3 } } };
    for (int simd = SN_SIMD_SCALAR; simd < SN_SIMD_COUNT; simd++) {
        if (!sn_simd_is_supported((sn_simd)simd)) continue;
        sn_motion_opts opts = { .simd = (sn_simd)simd };
        sn_motion *motion = sn_motion_create(model, &opts, &error);
        if (!motion) fprintf(stderr, "%s: %s: %s\n", compared, error.path, error.message);
        assert_non_null(motion);
        assert_int_equal(sn_motion_get_info(motion).simd, simd);
        sn_pose *plain = sn_pose_create(model, NULL, NULL), *fast = sn_pose_create(model, NULL, NULL);
        uint32_t seed = 77 + (uint32_t)simd;
        for (int32_t clip = -1; clip < (int32_t)model->clip_count && clip < (int32_t)most_clips; clip++) {
            sn_pose_set_root(plain, clip % 2 ? NULL : &root), sn_pose_set_root(fast, clip % 2 ? NULL : &root);
            compare_clip(model, motion, plain, fast, clip, &seed);
        }
        sn_pose_free(plain), sn_pose_free(fast);
        sn_motion_free(motion);
    }
}
