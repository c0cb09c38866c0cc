// nlerp, 16 bits and fewer keys: how much memory they save and how far off they are.
#include "random_model.h"
#include "sinew/runtime.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { NODES = 37, KEYS = 151 };

// Limbs of four bones of 0.3 m that swing about as a walking person's do, 30 keys per second for 5 s.
typedef struct walker {
    sn_model model;
    sn_node nodes[NODES];
    sn_clip clip;
    sn_track tracks[NODES * 3];
    float times[KEYS], values[NODES][10 * KEYS];
} walker;

static walker *make_walker(void)
{
    walker *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->model = (sn_model){ .name = "", .format = "built", .lod_count = 1, .default_scene = -1 };
    w->model.nodes = w->nodes, w->model.node_count = NODES, w->model.clips = &w->clip, w->model.clip_count = 1;
    for (int k = 0; k < KEYS; k++) w->times[k] = (float)k / 30.0f;
    w->clip = (sn_clip){ .name = "", .duration = w->times[KEYS - 1], .tracks = w->tracks, .track_count = NODES * 3 };
    for (int i = 0; i < NODES; i++) {
        w->nodes[i] = (sn_node){ .name = "",
                                 .parent = i % 4 == 1 ? 0 : i - 1,
                                 .rest = { { 0, 0.3f, 0 }, { 0, 0, 0, 1 }, { 1, 1, 1 } } };
        float *t = w->values[i], *r = t + 3 * KEYS, *s = r + 4 * KEYS;
        double speed = 0.3 + 0.07 * (i % 7), phase = i * 0.7, axis = i * 1.3;
        for (int k = 0; k < KEYS; k++) {
            double wave = sin(6.28318530718 * speed * w->times[k] + phase), angle = 0.15 * wave;
            for (int c = 0; c < 3; c++)
                t[k * 3 + c] = (float)((c == 1 ? 0.3 : 0) + 0.01 * wave * (c + 1)), s[k * 3 + c] = 1;
            r[k * 4] = (float)(sin(axis) * sin(angle)), r[k * 4 + 1] = 0;
            r[k * 4 + 2] = (float)(cos(axis) * sin(angle)), r[k * 4 + 3] = (float)cos(angle);
        }
        const float *values[3] = { t, r, s };
        for (int c = 0; c < 3; c++)
            w->tracks[i * 3 + c] = (sn_track){ .target_kind = SN_TARGET_NODE,
                                               .channel = (uint8_t)c,
                                               .interpolation = SN_LINEAR,
                                               .target = i,
                                               .key_count = KEYS,
                                               .width = c == 1 ? 4 : 3,
                                               .times = w->times,
                                               .values = values[c] };
    }
    return w;
}

// The farthest that a node is from its exact place, at times that have nothing to do with keys.
static double farthest(const sn_model *model, const sn_motion *motion)
{
    sn_pose *plain = sn_pose_create(model, NULL, NULL), *fast = sn_pose_create(model, NULL, NULL);
    double most = 0;
    for (uint32_t i = 0; i < 1000; i += random_step()) {
        float time = model->clips[0].duration * (float)i / 997.0f;
        sn_pose_sample(plain, 0, time, 0), sn_pose_solve(plain, NULL);
        sn_motion_sample_solve(motion, fast, 0, time, 0, NULL);
        for (int32_t k = 0; k < NODES; k++) {
            sn_mat34 a = sn_pose_world(plain, k), b = sn_pose_world(fast, k);
            double x = a.m[0][3] - b.m[0][3], y = a.m[1][3] - b.m[1][3], z = a.m[2][3] - b.m[2][3];
            most = fmax(most, sqrt(x * x + y * y + z * z));
        }
    }
    sn_pose_free(plain), sn_pose_free(fast);
    return most;
}

typedef struct outcome {
    sn_motion_info info;
    double farthest;
} outcome;

static outcome compile(const sn_model *model, sn_motion_opts opts)
{
    sn_error error;
    sn_motion *motion = sn_motion_create(model, &opts, &error);
    assert_non_null(motion);
    outcome out = { sn_motion_get_info(motion), farthest(model, motion) };
    sn_motion_free(motion);
    return out;
}

static void test_options(void **state)
{
    (void)state;
    walker *w = make_walker();
    for (int simd = SN_SIMD_SCALAR; simd < SN_SIMD_COUNT; simd++) {
        sn_simd set = (sn_simd)simd;
        if (!sn_simd_is_supported(set) || (random_step() > 1 && set != SN_SIMD_SCALAR)) continue;
        outcome exact = compile(&w->model, (sn_motion_opts){ .simd = set });
        assert_true(exact.info.max_error == 0 && exact.farthest < 1e-5);

        // Keys are at most 0.15 * 2 pi * 0.72 / 30 = 0.023 apart; nlerp is off by less than angle^3 / 70.
        outcome nlerp = compile(&w->model, (sn_motion_opts){ .simd = set, .nlerp = true });
        assert_true(nlerp.farthest < 5e-5 && nlerp.info.bytes == exact.info.bytes);

        // A step of a rotation is 2 / 65534, which four bones of 0.3 m add up to less than 0.2 mm.
        outcome small = compile(&w->model, (sn_motion_opts){ .simd = set, .quantize = true });
        assert_true(small.info.bytes < exact.info.bytes / 10 * 6);
        assert_true(small.farthest < 2e-4 && small.info.max_error > 0);
        assert_true(small.farthest <= small.info.max_error * 1.25f + 1e-6f);

        const float limits[3] = { 0.01f, 0.001f, 0.0001f };
        uint64_t before = 0;
        for (int i = 0; i < 3; i++)
            for (int quantize = 0; quantize < 2; quantize++) {
                sn_motion_opts opts = { .simd = set, .max_error = limits[i], .quantize = quantize, .nlerp = i == 1 };
                if (quantize && i == 2) continue;  // finer than 16 bits
                outcome fewer = compile(&w->model, opts);
                assert_true(fewer.info.max_error <= limits[i]);
                assert_true(fewer.farthest <= fewer.info.max_error * 1.25f + 1e-6f);
                assert_true(fewer.info.bytes > before || quantize);
                if (!quantize) before = fewer.info.bytes;
                if (i == 0) assert_true(fewer.info.bytes < exact.info.bytes / (quantize ? 4 : 2));
                if (simd == SN_SIMD_SCALAR)
                    print_message("within %g%s: %.0f bytes per node and second, off by %.3g\n", (double)limits[i],
                                  quantize ? ", 16 bits" : "", (double)fewer.info.bytes_per_node_second,
                                  fewer.farthest);
            }
        if (simd == SN_SIMD_SCALAR)
            print_message("exact %.0f, 16 bits %.0f (off by %.3g), nlerp off by %.3g\n",
                          (double)exact.info.bytes_per_node_second, (double)small.info.bytes_per_node_second,
                          small.farthest, nlerp.farthest);
    }
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_options) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
