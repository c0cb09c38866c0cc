// Tracks brought to what glTF holds. Each fitted curve is sampled beside its original at 1000 times; tangents and key
// counts are worked out by hand.
#include "base/arena.h"
#include "hand_models.h"
#include "model/track.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "arena_fixture.h"

static sn_track fit_within(void **state, const sn_track *in, float duration, double tolerance, sni_exactness *exactness)
{
    sn_track out;
    uint64_t keys_left = UINT64_MAX;
    assert_true(sni_track_fit(&((arena_fixture *)*state)->arena, in, duration, tolerance, &keys_left, &out, exactness));
    assert_int_equal(out.wrap, SN_WRAP_HOLD);
    assert_true(out.period == 0.0f);
    assert_true(out.key_count > 0 && out.times[0] >= 0.0f && out.times[out.key_count - 1] <= duration);
    for (uint32_t i = 1; i < out.key_count; i++) assert_true(out.times[i] > out.times[i - 1]);
    size_t groups = out.interpolation == SN_CUBIC_SPLINE ? 3 : 1;
    assert_true(out.interpolation == SN_STEP || out.interpolation == SN_LINEAR || out.interpolation == SN_CUBIC_SPLINE);
    for (size_t i = 0; i < out.key_count * groups * out.width; i++) assert_true(isfinite(out.values[i]));
    return out;
}

static sn_track fit(void **state, const sn_track *in, float duration, sni_exactness expected)
{
    sni_exactness exactness;
    sn_track out = fit_within(state, in, duration, 0.0, &exactness);
    assert_int_equal(exactness, expected);
    return out;
}

static sn_quat quat_from(const float *v) { return (sn_quat){ v[0], v[1], v[2], v[3] }; }

static double difference(const sn_track *track, const float *a, const float *b)
{
    double most = 0.0, near = 0.0, far = 0.0;
    for (int i = 0; i < 4 && track->channel == SN_CHANNEL_ROTATION; i++) {
        near += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
        far += ((double)a[i] + b[i]) * ((double)a[i] + b[i]);
    }
    if (track->channel == SN_CHANNEL_ROTATION) return 4.0 * asin(fmin(sqrt(fmin(near, far)) / 2.0, 1.0));
    for (uint32_t i = 0; i < track->width; i++) most = fmax(most, fabs((double)a[i] - b[i]));
    return most;
}

// Near jumps, which `every` tells the period of (0: none), the two differ by nature.
static void assert_alike_between(const sn_track *in, const sn_track *out, float duration, double tolerance,
                                 double every)
{
    assert_true(in->width <= 4);
    for (int i = 0; i <= 1000; i++) {
        float time = duration * ((float)i / 1000.0f), a[4], b[4];
        double to_jump = every > 0.0 ? fabs(remainder(time, every)) : 1.0;
        if (to_jump < 2e-5) continue;
        sn_track_sample(in, time, duration, time, a);
        sn_track_sample(out, time, duration, 0.0f, b);
        if (difference(in, a, b) <= tolerance) continue;
        print_error("at %g s: %.9g is not %.9g\n", (double)time, (double)b[0], (double)a[0]);
        fail();
    }
}

static void assert_alike(const sn_track *in, const sn_track *out, float duration, double tolerance)
{
    assert_alike_between(in, out, duration, tolerance, 0.0);
}

static sn_track rotation_keys(sn_interpolation interpolation, uint32_t count, const float *times, const sn_quat *quats)
{
    sn_track track = keys_of(interpolation, count, 4, times, &quats->x);
    track.channel = SN_CHANNEL_ROTATION;
    return track;
}

static const float four_times[4] = { 0.5f, 1, 3, 3.25f };

static void test_what_gltf_holds_keeps_its_pointers(void **state)
{
    const float values[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
    const sn_interpolation kinds[3] = { SN_STEP, SN_LINEAR, SN_CUBIC_SPLINE };
    for (int i = 0; i < 3; i++) {
        sn_track in = keys_of(kinds[i], 4, 1, four_times, values), out = fit(state, &in, 4, SNI_EXACT);
        assert_int_equal(out.interpolation, kinds[i]);
        assert_ptr_equal(out.times, in.times);
        assert_ptr_equal(out.values, in.values);
        assert_int_equal(out.key_count, 4);
    }
}

static void test_cycle_from_end_to_end_keeps_its_pointers(void **state)
{
    const float times[2] = { 0, 2 }, values[2] = { 1, 5 };
    sn_track in = keys_of(SN_LINEAR, 2, 1, times, values);
    in.wrap = SN_WRAP_CYCLE_GAME;
    sn_track out = fit(state, &in, 2, SNI_EXACT);
    assert_ptr_equal(out.values, in.values);
}

static void test_what_the_runtime_steps_becomes_stepped(void **state)
{
    const float values[4] = { 1, 0, 1, 0 };
    sn_track in = keys_of(SN_LINEAR, 4, 1, four_times, values);
    in.channel = SN_CHANNEL_VISIBILITY;
    sn_track out = fit(state, &in, 4, SNI_EXACT);
    assert_int_equal(out.interpolation, SN_STEP);
    assert_ptr_equal(out.values, in.values);
    const float curved[12] = { 9, 1, 9, 9, 0, 9, 9, 1, 9, 9, 0, 9 };
    in = keys_of(SN_HERMITE, 4, 1, four_times, curved);
    in.channel = SN_CHANNEL_VISIBILITY;
    out = fit(state, &in, 4, SNI_EXACT);
    assert_int_equal(out.interpolation, SN_STEP);
    assert_int_equal(out.key_count, 4);
    assert_alike(&in, &out, 4, 0.0);
}

static void test_hermite_divides_by_its_segments(void **state)
{
    // Segments of 2 s and 0.25 s: the middle key leaves by the second and arrives by the first.
    const float values[9] = { 77, 1, 4, 6, 2, 3, 5, 7, 88 };
    sn_track in = keys_of(SN_HERMITE, 3, 1, four_times + 1, values), out = fit(state, &in, 4, SNI_EXACT);
    const float expected[9] = { 0, 1, 2, 3, 2, 12, 20, 7, 0 };
    assert_int_equal(out.interpolation, SN_CUBIC_SPLINE);
    assert_int_equal(out.key_count, 3);
    for (int i = 0; i < 9; i++) assert_near(out.values[i], expected[i]);
    assert_alike(&in, &out, 4, 1e-5);
}

static void test_bezier_triples_the_way_to_its_controls(void **state)
{
    const float values[6] = { 77, 1, 2, 5, 7, 88 };  // controls 2 and 5 between 1 and 7, over 2 s
    sn_track in = keys_of(SN_BEZIER, 2, 1, four_times + 1, values), out = fit(state, &in, 4, SNI_EXACT);
    assert_int_equal(out.key_count, 2);
    assert_near(out.values[2], 3.0 * (2 - 1) / 2);
    assert_near(out.values[3], 3.0 * (7 - 5) / 2);
    assert_alike(&in, &out, 4, 1e-5);
}

static void test_one_curved_key_is_one_linear_key(void **state)
{
    const float values[3] = { 5, 6, 7 };
    const sn_interpolation kinds[3] = { SN_HERMITE, SN_BEZIER, SN_CUBIC_SPLINE };
    for (int i = 0; i < 3; i++) {
        sn_track in = keys_of(kinds[i], 1, 1, four_times, values), out = fit(state, &in, 4, SNI_EXACT);
        assert_int_equal(out.interpolation, SN_LINEAR);
        assert_int_equal(out.key_count, 1);
        assert_near(out.values[0], 6);
    }
}

static void test_keys_outside_the_clip_are_cut(void **state)
{
    const float times[3] = { -1, 1, 5 }, values[3] = { 0, 8, 0 }, curved[9] = { 0, 0, 3, 1, 8, -2, 5, 0, 0 };
    sn_track in = keys_of(SN_LINEAR, 3, 1, times, values), out = fit(state, &in, 2, SNI_EXACT);
    assert_int_equal(out.key_count, 3);
    assert_near(out.values[0], 4);
    assert_near(out.values[2], 6);
    assert_alike(&in, &out, 2, 1e-6);
    for (int kind = SN_HERMITE; kind <= SN_CUBIC_SPLINE; kind++) {
        in = keys_of((sn_interpolation)kind, 3, 1, times, curved);
        out = fit(state, &in, 2, SNI_EXACT);
        assert_int_equal(out.interpolation, SN_CUBIC_SPLINE);
        assert_alike(&in, &out, 2, 1e-5);
    }
}

static void test_keys_all_outside_the_clip(void **state)
{
    const float early[2] = { -3, -1 }, late[2] = { 7, 9 }, values[2] = { 4, 6 };
    sn_track in = keys_of(SN_LINEAR, 2, 1, early, values), out = fit(state, &in, 2, SNI_EXACT);
    assert_int_equal(out.key_count, 1);
    assert_near(out.values[0], 6);
    in.times = late;
    out = fit(state, &in, 2, SNI_EXACT);
    assert_int_equal(out.key_count, 1);
    assert_near(out.values[0], 4);
}

static void test_cycle_of_keys_before_the_clip(void **state)
{
    // From -0.5 on to -2 + 4 through 2.5 s, then nothing more: the runtime stops at the first key.
    const float times[2] = { -2, -0.5f }, values[6] = { 3, 1, 5, -4, 2, 6 };
    for (int kind = SN_STEP; kind <= SN_CUBIC_SPLINE; kind++) {
        sn_track in = keys_of((sn_interpolation)kind, 2, 1, times, values);
        in.wrap = SN_WRAP_CYCLE;
        sn_track out = fit(state, &in, 4, SNI_EXACT);
        assert_alike(&in, &out, 4, 2e-5);
    }
}

static void test_cycle_gets_keys_at_both_ends(void **state)
{
    // Keys at 1 and 3 of 4 s: one second from the last to the end, one on to the first, so both ends are halfway.
    const float times[2] = { 1, 3 }, values[2] = { 10, 20 };
    sn_track in = keys_of(SN_LINEAR, 2, 1, times, values);
    in.wrap = SN_WRAP_CYCLE;
    sn_track out = fit(state, &in, 4, SNI_EXACT);
    const float expected_times[4] = { 0, 1, 3, 4 }, expected[4] = { 15, 10, 20, 15 };
    assert_int_equal(out.key_count, 4);
    for (int i = 0; i < 4; i++) assert_near(out.times[i], expected_times[i]);
    for (int i = 0; i < 4; i++) assert_near(out.values[i], expected[i]);
    assert_alike(&in, &out, 4, 1e-5);
}

static void test_curves_cycle_exactly(void **state)
{
    const float times[3] = { 0.3f, 1, 1.7f }, values[9] = { 2, 1, 3, -4, 2, 5, 1, -3, 6 };
    for (int kind = SN_HERMITE; kind <= SN_CUBIC_SPLINE; kind++) {
        sn_track in = keys_of((sn_interpolation)kind, 3, 1, times, values);
        in.wrap = SN_WRAP_CYCLE;
        sn_track out = fit(state, &in, 2, SNI_EXACT);
        assert_int_equal(out.interpolation, SN_CUBIC_SPLINE);
        assert_int_equal(out.key_count, 5);
        assert_alike(&in, &out, 2, 2e-5);
    }
}

static void test_steps_cycle(void **state)
{
    const float times[2] = { 1, 3 }, values[2] = { 10, 20 };
    sn_track in = keys_of(SN_STEP, 2, 1, times, values);
    in.wrap = SN_WRAP_CYCLE_GAME;
    sn_track out = fit(state, &in, 4, SNI_EXACT);
    assert_int_equal(out.interpolation, SN_STEP);
    assert_alike(&in, &out, 4, 0.0);
    out = fit(state, &in, 3, SNI_EXACT);  // the last key is the end of the clip
    assert_alike(&in, &out, 3, 0.0);
}

static void test_the_games_cycle_becomes_the_continuous_one(void **state)
{
    const float times[2] = { 1, 3 }, values[2] = { 10, 20 };
    sn_track in = keys_of(SN_LINEAR, 2, 1, times, values);
    in.wrap = SN_WRAP_CYCLE_GAME;
    sn_track out = fit(state, &in, 4, SNI_SAMPLED);
    in.wrap = SN_WRAP_CYCLE;
    assert_alike(&in, &out, 4, 1e-5);
}

static void test_linear_rotations_cycle_exactly(void **state)
{
    const sn_vec3 up = { 0, 0, 1 }, side = { 1, 0, 0 };
    const sn_quat quats[3] = { quat_about(up, 0.4), quat_about(side, 2.5), quat_about(up, 3.0) };
    const float times[3] = { 0.25f, 1, 1.5f };
    sn_track in = rotation_keys(SN_LINEAR, 3, times, quats);
    in.wrap = SN_WRAP_CYCLE;
    sn_track out = fit(state, &in, 2, SNI_EXACT);
    assert_int_equal(out.interpolation, SN_LINEAR);
    assert_int_equal(out.key_count, 5);
    assert_alike(&in, &out, 2, 2e-6);
}

static void test_period_is_unrolled(void **state)
{
    const float times[2] = { 0, 0.6f }, values[2] = { 10, 20 };
    sn_track in = keys_of(SN_LINEAR, 2, 1, times, values);
    in.period = 0.8f;
    in.wrap = SN_WRAP_CYCLE;
    sn_track out = fit(state, &in, 3, SNI_EXACT);
    assert_int_equal(out.key_count, 8);  // 0 .6 .8 1.4 1.6 2.2 2.4 3.0
    assert_alike(&in, &out, 3, 2e-4);
}

static void test_jump_at_the_wrap_is_two_keys(void **state)
{
    const float times[2] = { 0, 0.5f }, values[2] = { 10, 20 }, curved[6] = { 0, 10, 3, 4, 20, 0 };
    sn_track in = keys_of(SN_LINEAR, 2, 1, times, values);
    in.period = 0.5f;
    sn_track out = fit(state, &in, 2, SNI_SAMPLED);
    assert_int_equal(out.key_count, 8);
    assert_within(out.times[1], 0.5, 2e-5);
    assert_true(out.times[1] < 0.5f);
    assert_near(out.times[2], 0.5);
    assert_within(out.values[1], 20, 1e-3);
    assert_near(out.values[2], 10);
    assert_near(out.values[7], 20);
    assert_alike_between(&in, &out, 2, 1e-3, 0.5);
    in = keys_of(SN_HERMITE, 2, 1, times, curved);
    in.period = 0.5f;
    out = fit(state, &in, 2, SNI_SAMPLED);
    assert_alike_between(&in, &out, 2, 1e-3, 0.5);
}

static void test_curves_with_a_period(void **state)
{
    const float times[3] = { 0.1f, 0.3f, 0.6f }, values[9] = { 2, 1, 3, -4, 2, 5, 1, -3, 6 };
    for (int kind = SN_HERMITE; kind <= SN_CUBIC_SPLINE; kind++) {
        sn_track in = keys_of((sn_interpolation)kind, 3, 1, times, values);
        in.wrap = SN_WRAP_CYCLE;
        in.period = 0.7f;
        sn_track out = fit(state, &in, 5, SNI_EXACT);
        assert_alike(&in, &out, 5, 1e-4);
    }
}

static void test_steps_with_a_period(void **state)
{
    const float times[2] = { 0, 0.25f }, values[2] = { 1, 0 };
    sn_track in = keys_of(SN_STEP, 2, 1, times, values);
    in.period = 0.5f;
    sn_track out = fit(state, &in, 1.75f, SNI_EXACT);
    assert_int_equal(out.interpolation, SN_STEP);
    assert_int_equal(out.key_count, 7);
    for (uint32_t i = 0; i < 7; i++)
        assert_true(out.times[i] == (float)i * 0.25f && out.values[i] == (float)(i % 2 == 0));
}

static void test_short_periods_are_bounded(void **state)
{
    const float times[3] = { 0, 1e-5f, 2e-5f }, values[3] = { 0, 1, 0 };
    sn_track in = keys_of(SN_LINEAR, 3, 1, times, values);
    in.period = 2e-5f;
    sn_track out = fit(state, &in, 1000, SNI_CUT);
    assert_true(out.key_count > 1000 && out.key_count <= 4096 + 2);
    in.period = FLT_TRUE_MIN;
    out = fit(state, &in, FLT_MAX, SNI_EXACT);
    assert_int_equal(out.key_count, 1);
}

static void fill_squad(sn_quat quats[], uint32_t count, double swing)
{
    for (uint32_t i = 0; i < count * 3; i++) {
        sn_vec3 axis = { i % 2 ? 0.6f : 0.0f, i % 2 ? 0.8f : 0.0f, i % 2 ? 0.0f : 1.0f };
        quats[i] = quat_about(axis, swing * sin(i * 1.7) + 0.1 * i);
    }
}

static void test_squad_stays_within_the_tolerance(void **state)
{
    sn_quat quats[18];
    float times[6] = { 0, 0.2f, 0.5f, 1.3f, 1.4f, 2 };
    fill_squad(quats, 6, 0.5);
    const double tolerances[3] = { 1e-2, 1e-3, 0.0 };
    uint32_t counts[3];
    for (int i = 0; i < 3; i++) {
        sni_exactness exactness;
        sn_track in = rotation_keys(SN_HERMITE, 6, times, quats);
        sn_track out = fit_within(state, &in, 2.5f, tolerances[i], &exactness);
        assert_int_equal(exactness, SNI_SAMPLED);
        assert_int_equal(out.interpolation, SN_LINEAR);
        assert_near(out.times[out.key_count - 1], 2);
        for (uint32_t k = 1; k < out.key_count; k++) {
            sn_quat a = quat_from(out.values + (k - 1) * 4), b = quat_from(out.values + k * 4);
            assert_true(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w >= 0.0f);
        }
        assert_alike(&in, &out, 2.5f, tolerances[i] > 0.0 ? tolerances[i] : 1e-3);
        counts[i] = out.key_count;
    }
    assert_true(counts[0] < counts[1] && counts[1] == counts[2] && counts[1] < 250);
}

// Without any keys left, a curve that needs none is not cut.
static void test_only_curves_that_need_keys_are_cut(void **state)
{
    sn_quat bent[6], still[6];
    const float times[2] = { 0, 2 };
    fill_squad(bent, 2, 0.5);
    for (int i = 0; i < 6; i++) still[i] = bent[0];
    for (int is_bent = 0; is_bent < 2; is_bent++) {
        uint64_t keys_left = 0;
        sni_exactness exactness;
        sn_track in = rotation_keys(SN_HERMITE, 2, times, is_bent ? bent : still), out;
        assert_true(sni_track_fit(&((arena_fixture *)*state)->arena, &in, 2, 0.0, &keys_left, &out, &exactness));
        assert_int_equal(exactness, is_bent ? SNI_CUT : SNI_SAMPLED);
    }
}

// From arcs that are nearly straight to arcs of half a turn.
static void test_arcs_of_every_length(void **state)
{
    sn_quat quats[18];
    float times[6] = { 0, 0.2f, 0.5f, 1.3f, 1.4f, 2 };
    for (double swing = 0.001; swing < 3.2; swing *= 1.5) {
        sni_exactness exactness;
        fill_squad(quats, 6, swing);
        sn_track in = rotation_keys(SN_HERMITE, 6, times, quats);
        sn_track out = fit_within(state, &in, 2.5f, 1e-4, &exactness);
        assert_alike(&in, &out, 2.5f, 1e-4);
    }
}

static void test_squad_and_cubic_rotations_cycle_and_repeat(void **state)
{
    sn_quat quats[18];
    float times[6] = { 0.1f, 0.2f, 0.5f, 1.3f, 1.4f, 2 };
    fill_squad(quats, 6, 0.4);
    const sn_interpolation kinds[3] = { SN_HERMITE, SN_BEZIER, SN_CUBIC_SPLINE };
    for (int i = 0; i < 3; i++) {
        sn_track in = rotation_keys(kinds[i], 6, times, quats);
        in.wrap = SN_WRAP_CYCLE;
        sn_track out = fit(state, &in, 2.2f, SNI_SAMPLED);
        assert_alike(&in, &out, 2.2f, 1e-3);
        in.period = 2.2f;
        out = fit(state, &in, 5, SNI_SAMPLED);
        assert_alike(&in, &out, 5, 1.2e-3);
        in.wrap = SN_WRAP_HOLD;  // jumps from the last key back to the first
        out = fit(state, &in, 5, SNI_SAMPLED);
        assert_alike_between(&in, &out, 5, 1.2e-3, 2.2f);
    }
}

static void test_broken_squad_is_bounded(void **state)
{
    // Inner points opposite to the ends make the curve jump: no number of keys follows it.
    const sn_quat quats[6] = { { 0, 0, 0, 1 }, { 0, 0, 0, 1 }, { 1, 0, 0, 0 },
                               { 0, 1, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, 0, 1 } };
    const float times[2] = { 0, 1 };
    sn_track in = rotation_keys(SN_HERMITE, 2, times, quats);
    sn_track out = fit(state, &in, 1, SNI_SAMPLED);
    assert_true(out.key_count < 2000);
}

static void test_extreme_numbers_stay_finite(void **state)
{
    const float times[3] = { 0, FLT_MIN, FLT_MAX };
    const float values[9] = { FLT_MAX, -FLT_MAX, FLT_MAX, -FLT_MAX, FLT_MAX, FLT_MAX, -FLT_MAX, FLT_MAX, 1 };
    for (int kind = SN_STEP; kind <= SN_CUBIC_SPLINE; kind++) {
        for (int wrap = 0; wrap < 3; wrap++) {
            for (int lap = 0; lap < 3; lap++) {
                sni_exactness exactness;
                sn_track in = keys_of((sn_interpolation)kind, 3, 1, times, values);
                in.wrap = (uint8_t)wrap;
                in.period = lap == 0 ? 0.0f : lap == 1 ? FLT_MIN * 3 : 1e30f;
                fit_within(state, &in, FLT_MAX, 0.0, &exactness);
                fit_within(state, &in, 1, 0.0, &exactness);
                fit_within(state, &in, 0, 0.0, &exactness);
            }
        }
    }
}

static sn_track reduce(void **state, const sn_track *in, double tolerance)
{
    sn_track out;
    assert_true(sni_track_reduce(&((arena_fixture *)*state)->arena, in, tolerance, &out));
    assert_true(out.times[0] == in->times[0]);
    assert_true(out.times[out.key_count - 1] == in->times[in->key_count - 1]);
    return out;
}

static void test_straight_keys_go(void **state)
{
    const float times[6] = { 0, 1, 2, 3, 4, 6 }, values[6] = { 0, 2, 4, 3, 2, 0 };
    sn_track in = keys_of(SN_LINEAR, 6, 1, times, values), out = reduce(state, &in, 1e-6);
    assert_int_equal(out.key_count, 3);
    assert_near(out.times[1], 2);
    assert_alike(&in, &out, 6, 1e-6);
    out = reduce(state, &in, 10.0);
    assert_int_equal(out.key_count, 2);
}

static void test_many_keys_of_a_sine(void **state)
{
    enum { COUNT = 5000 };
    static float times[COUNT], values[COUNT];
    for (int i = 0; i < COUNT; i++) {
        times[i] = (float)i * 0.001f;
        values[i] = (float)sin(times[i] * 3.0);
    }
    sn_track in = keys_of(SN_LINEAR, COUNT, 1, times, values), out = reduce(state, &in, 1e-3);
    // A chord of length h leaves k*h*h/8 of a curve with k = 9 at most: 15 s / 0.03 s and twice that for good measure.
    assert_true(out.key_count > 50 && out.key_count < 340);
    assert_alike(&in, &out, 4.999f, 1e-3);
    out = reduce(state, &in, 0.0);
    assert_alike(&in, &out, 4.999f, 0.0);
}

static void test_whole_turns_survive(void **state)
{
    enum { COUNT = 37 };
    sn_quat quats[COUNT];
    float times[COUNT];
    for (int i = 0; i < COUNT; i++) {  // three turns at one speed
        quats[i] = quat_about((sn_vec3){ 0, 1, 0 }, i * PI / 6);
        times[i] = (float)i;
    }
    sn_track in = rotation_keys(SN_LINEAR, COUNT, times, quats), out = reduce(state, &in, 1e-3);
    assert_int_equal(out.key_count, 9);  // five twelfths at a time
    assert_alike(&in, &out, 36, 1.5e-3);
}

static void test_steps_stay_steps(void **state)
{
    const float times[6] = { 0, 1, 2, 3, 4, 5 }, values[6] = { 1, 1, 2, 3, 3, 3 };
    sn_track in = keys_of(SN_STEP, 6, 1, times, values), out = reduce(state, &in, 100.0);
    assert_int_equal(out.interpolation, SN_STEP);
    assert_int_equal(out.key_count, 4);
    assert_alike(&in, &out, 5, 0.0);
}

static void test_what_is_not_reduced(void **state)
{
    const float times[3] = { 0, 1, 2 }, values[9] = { 0 };
    sn_track in = keys_of(SN_CUBIC_SPLINE, 3, 1, times, values), out = reduce(state, &in, 1.0);
    assert_ptr_equal(out.values, in.values);
    in = keys_of(SN_LINEAR, 3, 1, times, values);
    in.wrap = SN_WRAP_CYCLE;
    out = reduce(state, &in, 1.0);
    assert_int_equal(out.key_count, 3);
}

static void test_hold_until_the_end(void **state)
{
    sni_arena *arena = &((arena_fixture *)*state)->arena;
    const float times[2] = { 0, 1 }, linear[2] = { 3, 4 }, cubic[6] = { 9, 3, 1, 2, 4, 9 };
    sn_track in = keys_of(SN_LINEAR, 2, 1, times, linear), out;
    assert_true(sni_track_hold_until(arena, &in, 1, &out));
    assert_ptr_equal(out.times, in.times);
    assert_true(sni_track_hold_until(arena, &in, 3, &out));
    assert_int_equal(out.key_count, 3);
    assert_near(out.times[2], 3);
    assert_near(out.values[2], 4);
    in = keys_of(SN_CUBIC_SPLINE, 2, 1, times, cubic);
    assert_true(sni_track_hold_until(arena, &in, 3, &out));
    assert_int_equal(out.key_count, 3);
    assert_alike(&in, &out, 3, 1e-6);
}

static void test_rotations_share_a_hemisphere(void **state)
{
    const sn_quat quats[4] = { { 0, 0, 0, 1 }, { 0, 0, -0.6f, -0.8f }, { 0, 0, 0.8f, 0.6f }, { 0, 0, -1, 0 } };
    sn_track in = rotation_keys(SN_LINEAR, 4, four_times, quats), out;
    assert_true(sni_track_align_rotations(&((arena_fixture *)*state)->arena, &in, &out));
    for (int i = 0; i < 4; i++) {
        sn_quat q = quat_from(out.values + i * 4);
        assert_true(q.z >= 0.0f && q.w >= 0.0f);
    }
    const sn_quat halves[3] = { { 0, 0, -1, 0 },
                                { 0, 0, 1, 0 },
                                { 1, 0, 0, 0 } };  // half a turn: both ways are as short
    in = rotation_keys(SN_LINEAR, 3, four_times, halves);
    assert_true(sni_track_align_rotations(&((arena_fixture *)*state)->arena, &in, &out));
    assert_alike(&in, &out, four_times[2], 1e-6);
    in.interpolation = SN_CUBIC_SPLINE;  // its tangents would have to turn too, and then it is another curve
    in.key_count = 1;
    assert_true(sni_track_align_rotations(&((arena_fixture *)*state)->arena, &in, &out));
    assert_ptr_equal(out.values, in.values);
}

static void test_angles_near_zero_are_exact(void **state)
{
    (void)state;
    sn_quat a = quat_about((sn_vec3){ 1, 0, 0 }, 0.7), b = quat_about((sn_vec3){ 1, 0, 0 }, 0.7 + 1e-5);
    assert_within(sni_rotation_angle(a, b), 1e-5, 3e-7);
    assert_within(sni_rotation_angle(a, (sn_quat){ -b.x, -b.y, -b.z, -b.w }), 1e-5, 3e-7);
    assert_within(sni_rotation_angle((sn_quat){ 0, 0, 0, 1 }, (sn_quat){ 0, 1, 0, 0 }), PI, 1e-6);
}

static void test_memory_failures_are_told(void **state)
{
    (void)state;
    const float times[2] = { 1, 2 }, values[6] = { 0, 1, 2, 3, 4, 5 };
    sni_heap heap;
    sni_arena arena;
    sni_heap_init(&heap, NULL, 0);
    sni_arena_init(&arena, &heap);
    sn_track in = keys_of(SN_HERMITE, 2, 1, times, values), out;
    sni_exactness exactness;
    uint64_t keys_left = UINT64_MAX;
    assert_false(sni_track_fit(&arena, &in, 3, 0.0, &keys_left, &out, &exactness));
    in.interpolation = SN_LINEAR;
    assert_false(sni_track_hold_until(&arena, &in, 3, &out));
    sni_arena_free(&arena);
}

// A parabola: the distance of a chord is a quarter of the square of half its length, here (length / 2)^2 * 4.
static void test_curves_become_lines(void **state)
{
    static const float times[] = { 0, 1 }, values[] = { 0, 0, 4, -4, 0, 0 };  // 4 t (1 - t)
    const sn_track in = keys_of(SN_CUBIC_SPLINE, 2, 1, times, values);
    sn_track out;
    uint64_t keys_left = 1000;
    assert_true(sni_track_make_linear(&((arena_fixture *)*state)->arena, &in, 1.0f, 1e-3, &keys_left, &out));
    assert_int_equal(out.interpolation, SN_LINEAR);
    assert_alike(&in, &out, 1.0f, 1.01e-3);
    assert_int_equal(out.key_count, 33);  // (1 / 32 / 2)^2 * 4 = 0.00098
    assert_int_equal(keys_left, 1000 - 31);
    const sn_track line = keys_of(SN_LINEAR, 2, 1, times, values);
    assert_true(sni_track_make_linear(&((arena_fixture *)*state)->arena, &line, 1.0f, 1e-3, &keys_left, &out));
    assert_ptr_equal(out.values, values);
}

#define with_room(test) cmocka_unit_test_setup_teardown(test, arena_fixture_open, arena_fixture_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_room(test_what_gltf_holds_keeps_its_pointers),
        with_room(test_cycle_from_end_to_end_keeps_its_pointers),
        with_room(test_what_the_runtime_steps_becomes_stepped),
        with_room(test_hermite_divides_by_its_segments),
        with_room(test_bezier_triples_the_way_to_its_controls),
        with_room(test_one_curved_key_is_one_linear_key),
        with_room(test_keys_outside_the_clip_are_cut),
        with_room(test_keys_all_outside_the_clip),
        with_room(test_cycle_of_keys_before_the_clip),
        with_room(test_cycle_gets_keys_at_both_ends),
        with_room(test_curves_cycle_exactly),
        with_room(test_steps_cycle),
        with_room(test_the_games_cycle_becomes_the_continuous_one),
        with_room(test_linear_rotations_cycle_exactly),
        with_room(test_period_is_unrolled),
        with_room(test_jump_at_the_wrap_is_two_keys),
        with_room(test_curves_with_a_period),
        with_room(test_steps_with_a_period),
        with_room(test_short_periods_are_bounded),
        with_room(test_squad_stays_within_the_tolerance),
        with_room(test_only_curves_that_need_keys_are_cut),
        with_room(test_arcs_of_every_length),
        with_room(test_squad_and_cubic_rotations_cycle_and_repeat),
        with_room(test_broken_squad_is_bounded),
        with_room(test_extreme_numbers_stay_finite),
        with_room(test_straight_keys_go),
        with_room(test_many_keys_of_a_sine),
        with_room(test_whole_turns_survive),
        with_room(test_steps_stay_steps),
        with_room(test_what_is_not_reduced),
        with_room(test_hold_until_the_end),
        with_room(test_rotations_share_a_hemisphere),
        cmocka_unit_test(test_angles_near_zero_are_exact),
        with_room(test_curves_become_lines),
        cmocka_unit_test(test_memory_failures_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
