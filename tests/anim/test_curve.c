// Tracks: every interpolation, every way to leave the keys. All expected values are worked out by hand.
#include "hand_models.h"
#include "model/track.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static float value_at(const sn_track *track, float seconds, float duration)
{
    float out = NAN;
    sn_track_sample(track, seconds, duration, 0.0f, &out);
    return out;
}

static float value_on_clock(const sn_track *track, float clock)
{
    float out = NAN;
    sn_track_sample(track, 1e9f, 2.0f, clock, &out);
    return out;
}

static sn_quat rotation_at(const sn_track *track, float seconds)
{
    float v[4];
    sn_track_sample(track, seconds, 100.0f, 0.0f, v);
    return (sn_quat){ v[0], v[1], v[2], v[3] };
}

// Turned by so many degrees about Z.
static void assert_turn(sn_quat q, double degrees)
{
    double half = degrees * PI / 360;
    assert_quat(q, 0, 0, sin(half), cos(half));
}

// From 1 s to 3 s: a segment that is not one second long tells tangents per segment from tangents per second.
static const float two_times[2] = { 1, 3 };
static const float two_curved[6] = { 99, 0, 4, 8, 2, 77 };  // in, value, out; 99 and 77 are never used

static void test_step_switches_at_the_key(void **state)
{
    (void)state;
    const float values[2] = { 10, 20 };
    sn_track track = keys_of(SN_STEP, 2, 1, two_times, values);
    assert_near(value_at(&track, 1.0f, 4), 10);
    assert_near(value_at(&track, 1.5f, 4), 10);
    assert_near(value_at(&track, 2.999f, 4), 10);
    assert_near(value_at(&track, 3.0f, 4), 20);
}

static void test_linear(void **state)
{
    (void)state;
    const float values[2] = { 10, 20 };
    sn_track track = keys_of(SN_LINEAR, 2, 1, two_times, values);
    assert_near(value_at(&track, 1.0f, 4), 10);
    assert_near(value_at(&track, 1.5f, 4), 12.5);
    assert_near(value_at(&track, 2.0f, 4), 15);
    assert_near(value_at(&track, 3.0f, 4), 20);
}

// Weights at 1/4: 27/32, 9/64, -3/64, 5/32; at 1/2: 1/2, 1/8, -1/8, 1/2.
static void test_hermite_tangents_span_the_segment(void **state)
{
    (void)state;
    sn_track track = keys_of(SN_HERMITE, 2, 1, two_times, two_curved);
    assert_near(value_at(&track, 1.0f, 4), 0);
    assert_near(value_at(&track, 1.5f, 4), 4 * 9 / 64.0 - 8 * 3 / 64.0 + 2 * 5 / 32.0);
    assert_near(value_at(&track, 2.0f, 4), 0.5);
    assert_near(value_at(&track, 3.0f, 4), 2);
}

static void test_bezier_tangents_are_points(void **state)
{
    (void)state;
    sn_track track = keys_of(SN_BEZIER, 2, 1, two_times, two_curved);
    assert_near(value_at(&track, 1.0f, 4), 0);
    assert_near(value_at(&track, 1.5f, 4), 2.84375);  // 3*4*9/64 + 3*8*3/64 + 2/64
    assert_near(value_at(&track, 2.0f, 4), 4.75);     // (3*4 + 3*8 + 2) / 8
    assert_near(value_at(&track, 3.0f, 4), 2);
}

static void test_cubic_tangents_are_per_second(void **state)
{
    (void)state;
    sn_track track = keys_of(SN_CUBIC_SPLINE, 2, 1, two_times, two_curved);
    assert_near(value_at(&track, 1.0f, 4), 0);
    assert_near(value_at(&track, 1.5f, 4), 2 * (4 * 9 / 64.0 - 8 * 3 / 64.0) + 2 * 5 / 32.0);
    assert_near(value_at(&track, 2.0f, 4), 0);  // 2*(4 - 8)/8 + 2/2
    assert_near(value_at(&track, 3.0f, 4), 2);
}

static void test_groups_hold_all_components(void **state)
{
    (void)state;
    const float values[12] = { 9, 9, 1, 2, 4, 8, -4, -8, 3, 6, 9, 9 };  // in, value, out of two floats each
    float out[2];
    sn_track track = keys_of(SN_HERMITE, 2, 2, two_times, values);
    sn_track_sample(&track, 2.0f, 4.0f, 0.0f, out);
    assert_near(out[0], 0.5 * (1 + 3) + (4 + 4) / 8.0);
    assert_near(out[1], 0.5 * (2 + 6) + (8 + 8) / 8.0);
}

static void test_keys_are_met_exactly(void **state)
{
    (void)state;
    float times[20], values[60];
    for (int i = 0; i < 20; i++) times[i] = 0.1f * (float)i + 0.033f;
    for (int i = 0; i < 60; i++) values[i] = sinf((float)i) * 1234.567f;
    for (int kind = SN_STEP; kind <= SN_CUBIC_SPLINE; kind++) {
        sn_track track = keys_of((sn_interpolation)kind, 20, 1, times, values);
        for (int i = 0; i < 20; i++) {
            float found = value_at(&track, times[i], 10), wanted = values[kind >= SN_HERMITE ? i * 3 + 1 : i];
            assert_memory_equal(&found, &wanted, sizeof found);
        }
    }
}

static sn_track rotations(sn_interpolation interpolation, const float *values)
{
    sn_track track = keys_of(interpolation, 2, 4, two_times, values);
    track.channel = SN_CHANNEL_ROTATION;
    return track;
}

static void put_turn(float *out, double degrees)
{
    sn_quat q = quat_about((sn_vec3){ 0, 0, 1 }, degrees * PI / 180);
    memcpy(out, &q, sizeof q);
}

static void test_slerp_turns_evenly(void **state)
{
    (void)state;
    float values[8];
    put_turn(values, 0), put_turn(values + 4, 120);
    sn_track track = rotations(SN_LINEAR, values);
    assert_turn(rotation_at(&track, 1.0f), 0);
    assert_turn(rotation_at(&track, 1.5f), 30);
    assert_turn(rotation_at(&track, 2.0f), 60);
    assert_turn(rotation_at(&track, 3.0f), 120);
}

static void test_slerp_takes_the_shorter_arc(void **state)
{
    (void)state;
    float values[8];
    put_turn(values, 10), put_turn(values + 4, 350);  // the quaternions have a negative dot product
    sn_track track = rotations(SN_LINEAR, values);
    assert_turn(rotation_at(&track, 1.5f), 5);
    assert_turn(rotation_at(&track, 2.0f), 0);
    assert_turn(rotation_at(&track, 3.0f), 350);  // at a key its very value, sign and all
}

static void test_slerp_of_nearly_equal_keys(void **state)
{
    (void)state;
    float values[8];
    put_turn(values, 0), put_turn(values + 4, 0.05);
    sn_track track = rotations(SN_LINEAR, values);
    assert_within(rotation_at(&track, 2.0f).z, sin(0.0125 * PI / 180), 1e-10);
    put_turn(values + 4, 0);
    assert_turn(rotation_at(&track, 2.0f), 0);
}

static void test_rotations_come_out_unit(void **state)
{
    (void)state;
    const float values[8] = { 0, 0, 0, 2, 0, 0, 0, 0 };
    sn_track track = rotations(SN_STEP, values);
    assert_quat(rotation_at(&track, 1.0f), 0, 0, 0, 1);
    assert_quat(rotation_at(&track, 3.0f), 0, 0, 0, 1);
    track.interpolation = SN_LINEAR;
    assert_quat(rotation_at(&track, 2.0f), 0, 0, 0, 1);
}

// All four about one axis, so that each slerp is a mix of angles: (90u) and (30 + 70u) by 2u(1-u).
static void test_squad_for_hermite_and_bezier(void **state)
{
    (void)state;
    float values[24];
    put_turn(values, 200), put_turn(values + 4, 0), put_turn(values + 8, 30);
    put_turn(values + 12, 100), put_turn(values + 16, 90), put_turn(values + 20, 200);
    for (int kind = SN_HERMITE; kind <= SN_BEZIER; kind++) {
        sn_track track = rotations((sn_interpolation)kind, values);
        assert_turn(rotation_at(&track, 1.0f), 0);
        assert_turn(rotation_at(&track, 1.5f), 22.5 + (47.5 - 22.5) * 0.375);
        assert_turn(rotation_at(&track, 2.0f), 45 + (65 - 45) * 0.5);
        assert_turn(rotation_at(&track, 3.0f), 90);
    }
}

// slerp(q, 0, t) is q times a factor, whatever t: the curve is then the plain arc.
static void test_squad_with_tangents_of_zeros(void **state)
{
    (void)state;
    sn_quat end = quat_about((sn_vec3){ 0, 0, 1 }, PI / 2), third = quat_about((sn_vec3){ 0, 0, 1 }, PI / 6);
    const float times[] = { 0, 3 };
    const float values[] = { 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, end.x, end.y, end.z, end.w, 0, 0, 0, 0 };
    sn_track track = keys_of(SN_HERMITE, 2, 4, times, values);
    track.channel = SN_CHANNEL_ROTATION;
    float out[4];
    sn_track_sample(&track, 1, 3, 0, out);
    assert_quat(((sn_quat){ out[0], out[1], out[2], out[3] }), third.x, third.y, third.z, third.w);
}

static void test_cubic_rotation_mixes_components(void **state)
{
    (void)state;
    const float half_second[2] = { 0, 0.5f };
    const float values[24] = { 9, 9, 9, 9, 0, 0, 0, 1, 0, 0, 4, 0, 0, 0, 0, -2, 0, 0, 1, 0, 9, 9, 9, 9 };
    sn_track track = rotations(SN_CUBIC_SPLINE, values);
    track.times = half_second;
    double z = 0.5 + 0.5 * 4 / 8.0, w = 0.5 + 0.5 * 2 / 8.0, length = sqrt(z * z + w * w);
    assert_quat(rotation_at(&track, 0.25f), 0, 0, z / length, w / length);
}

static void test_cubic_rotation_does_not_flip(void **state)
{
    (void)state;
    const float values[24] = { 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -0.6f, -0.8f, 0, 0, 0, 0 };
    sn_track track = rotations(SN_CUBIC_SPLINE, values);
    assert_quat(rotation_at(&track, 2.0f), 0, 0, -0.3 / sqrt(0.1), 0.1 / sqrt(0.1));
}

static void test_rotation_keys_are_met_exactly(void **state)
{
    (void)state;
    float values[24];
    for (int i = 0; i < 6; i++) put_turn(values + i * 4, 13.7 * i + 1);
    for (int i = 0; i < 24; i++) values[i] *= 1.000002f;  // unit length only as far as files go
    for (int kind = SN_STEP; kind <= SN_CUBIC_SPLINE; kind++) {
        sn_track track = rotations((sn_interpolation)kind, values);
        for (int key = 0; key < 2; key++) {
            sn_quat found = rotation_at(&track, two_times[key]);
            assert_memory_equal(&found, values + (kind >= SN_HERMITE ? key * 3 + 1 : key) * 4, sizeof found);
        }
    }
}

static void test_one_key_is_constant(void **state)
{
    (void)state;
    const float time = 5, values[3] = { 1, 7, 3 };
    sn_track track = keys_of(SN_CUBIC_SPLINE, 1, 1, &time, values);
    for (int wrap = SN_WRAP_HOLD; wrap <= SN_WRAP_CYCLE_GAME; wrap++) {
        track.wrap = (uint8_t)wrap;
        assert_near(value_at(&track, 0, 10), 7);
        assert_near(value_at(&track, 5, 10), 7);
        assert_near(value_at(&track, 9, 10), 7);
    }
}

static const float late_times[2] = { 2, 6 };
static const float late_values[2] = { 0, 4 };

static void test_hold(void **state)
{
    (void)state;
    sn_track track = keys_of(SN_LINEAR, 2, 1, late_times, late_values);
    assert_near(value_at(&track, 0, 10), 0);
    assert_near(value_at(&track, 1.9f, 10), 0);
    assert_near(value_at(&track, 6.1f, 10), 4);
    assert_near(value_at(&track, 10, 10), 4);
}

// The gap between last and first key is 10 - (6 - 2) = 6 seconds.
static void test_cycle_runs_through_the_end(void **state)
{
    (void)state;
    sn_track track = keys_of(SN_LINEAR, 2, 1, late_times, late_values);
    track.wrap = SN_WRAP_CYCLE;
    assert_near(value_at(&track, 6, 10), 4);
    assert_near(value_at(&track, 8, 10), 4 - 4 * 2 / 6.0);
    assert_near(value_at(&track, 10, 10), 4 - 4 * 4 / 6.0);
    assert_near(value_at(&track, 0, 10), 4 - 4 * 4 / 6.0);
    assert_near(value_at(&track, 1, 10), 4 - 4 * 5 / 6.0);
    assert_near(value_at(&track, 2, 10), 0);
}

static void test_cycle_as_the_game_does_it(void **state)
{
    (void)state;
    sn_track track = keys_of(SN_LINEAR, 2, 1, late_times, late_values);
    track.wrap = SN_WRAP_CYCLE_GAME;
    assert_near(value_at(&track, 8, 10), 4 - 4 * 2 / 6.0);
    assert_near(value_at(&track, 0, 10), 4 + 4 * 2 / 6.0);  // u = (0 - 2) / 6
    assert_near(value_at(&track, 1, 10), 4 + 4 * 1 / 6.0);
    assert_near(value_at(&track, 2, 10), 0);
    track.interpolation = SN_STEP;
    assert_near(value_at(&track, 1, 10), 4);
    assert_near(value_at(&track, 9, 10), 4);
}

static void test_cycle_without_a_gap(void **state)
{
    (void)state;
    sn_track track = keys_of(SN_LINEAR, 2, 1, late_times, late_values);
    for (int wrap = SN_WRAP_CYCLE; wrap <= SN_WRAP_CYCLE_GAME; wrap++) {
        track.wrap = (uint8_t)wrap;
        assert_near(value_at(&track, 9, 4), 4);
        assert_near(value_at(&track, 9, 0), 4);
    }
}

static void test_cycle_of_curves(void **state)
{
    (void)state;
    const float values[6] = { 2, 0, 50, 60, 4, 1 };  // leaves the last with 1, reaches the first with 2
    sn_track track = keys_of(SN_HERMITE, 2, 1, late_times, values);
    track.wrap = SN_WRAP_CYCLE;
    assert_near(value_at(&track, 9, 10), 4 / 2.0 + 1 / 8.0 - 2 / 8.0);
    track.interpolation = SN_CUBIC_SPLINE;
    assert_near(value_at(&track, 9, 10), 4 / 2.0 + 6 * (1 / 8.0 - 2 / 8.0));
}

static void test_period_runs_on_the_clock(void **state)
{
    (void)state;
    const float times[3] = { 0, 2, 6 }, values[3] = { 0, 10, 99 };
    sn_track track = keys_of(SN_LINEAR, 3, 1, times, values);
    track.period = 4;
    assert_near(value_on_clock(&track, 1), 5);
    assert_near(value_on_clock(&track, 3), 10);  // the key at 6 is beyond the period
    assert_near(value_on_clock(&track, 401), 5);
    assert_near(value_on_clock(&track, -3), 5);
    track.wrap = SN_WRAP_CYCLE;
    assert_near(value_on_clock(&track, 3), 5);
}

static void test_period_with_few_keys_inside(void **state)
{
    (void)state;
    const float values[2] = { 7, 20 }, one_inside[2] = { 1, 9 }, none_inside[2] = { 5, 6 };
    sn_track track = keys_of(SN_LINEAR, 2, 1, one_inside, values);
    track.period = 4;
    for (int wrap = SN_WRAP_HOLD; wrap <= SN_WRAP_CYCLE_GAME; wrap++) {
        track.wrap = (uint8_t)wrap;
        track.times = one_inside;
        assert_near(value_on_clock(&track, 0), 7);
        assert_near(value_on_clock(&track, 3), 7);
        track.times = none_inside;
        assert_near(value_on_clock(&track, 3), 7);
    }
}

static void test_what_has_no_middle_is_stepped(void **state)
{
    (void)state;
    const float values[2] = { 1, 2 };
    sn_track track = keys_of(SN_LINEAR, 2, 1, two_times, values);
    track.channel = SN_CHANNEL_VISIBILITY;
    assert_near(value_at(&track, 2.9f, 4), 1);
    track.channel = SN_CHANNEL_IMAGE;
    assert_near(value_at(&track, 2.9f, 4), 1);
}

static void test_any_time_is_safe(void **state)
{
    (void)state;
    const float odd[] = { NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-45f };
    float values[24];
    for (int i = 0; i < 6; i++) put_turn(values + i * 4, 40.0 * i);
    for (int kind = SN_STEP; kind <= SN_CUBIC_SPLINE; kind++) {
        for (int i = 0; i < 18; i++) {
            sn_track track = rotations((sn_interpolation)kind, values);
            track.wrap = (uint8_t)(i / 6);
            sn_quat q = rotation_at(&track, odd[i % 6]);
            assert_near(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w, 1);
            track.period = 2.5f;
            float v[4];
            sn_track_sample(&track, 0.0f, 1.0f, odd[i % 6], v);
            assert_near(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3], 1);
        }
    }
    sn_track track = keys_of(SN_LINEAR, 2, 1, late_times, late_values);
    assert_near(value_at(&track, NAN, 10), 0);
    assert_near(value_at(&track, INFINITY, 10), 4);
    assert_near(value_at(&track, -INFINITY, 10), 0);
}

static void test_key_times_merge(void **state)
{
    (void)state;
    float times[] = { 2, 0.5f, 2, -1, 0.5f, 3 };
    const float expected[] = { -1, 0.5f, 2, 3 };
    assert_int_equal(sni_merge_key_times(times, 6), 4);
    assert_memory_equal(times, expected, sizeof expected);
    assert_int_equal(sni_merge_key_times(times, 1), 1);
    assert_int_equal(sni_merge_key_times(NULL, 0), 0);
}

static void test_keys_by_part(void **state)
{
    (void)state;
    const float times[] = { 0, 1 }, values[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
    sn_track track = keys_of(SN_BEZIER, 2, 2, times, values);
    assert_int_equal(sni_track_floats_per_key(&track), 6);
    assert_near(sni_track_key(&track, 1, SNI_KEY_IN)[0], 6);
    assert_near(sni_track_key(&track, 1, SNI_KEY_VALUE)[1], 9);
    assert_near(sni_track_key(&track, 1, SNI_KEY_OUT)[0], 10);
    track.interpolation = SN_LINEAR;
    assert_int_equal(sni_track_floats_per_key(&track), 2);
    assert_near(sni_track_key(&track, 1, SNI_KEY_VALUE)[0], 2);
    assert_int_equal(sni_channel_width(SN_CHANNEL_ROTATION), 4);
    assert_int_equal(sni_channel_width(SN_CHANNEL_MORPHS), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step_switches_at_the_key),
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_hermite_tangents_span_the_segment),
        cmocka_unit_test(test_bezier_tangents_are_points),
        cmocka_unit_test(test_cubic_tangents_are_per_second),
        cmocka_unit_test(test_groups_hold_all_components),
        cmocka_unit_test(test_keys_are_met_exactly),
        cmocka_unit_test(test_slerp_turns_evenly),
        cmocka_unit_test(test_slerp_takes_the_shorter_arc),
        cmocka_unit_test(test_slerp_of_nearly_equal_keys),
        cmocka_unit_test(test_rotations_come_out_unit),
        cmocka_unit_test(test_squad_for_hermite_and_bezier),
        cmocka_unit_test(test_squad_with_tangents_of_zeros),
        cmocka_unit_test(test_cubic_rotation_mixes_components),
        cmocka_unit_test(test_cubic_rotation_does_not_flip),
        cmocka_unit_test(test_rotation_keys_are_met_exactly),
        cmocka_unit_test(test_one_key_is_constant),
        cmocka_unit_test(test_hold),
        cmocka_unit_test(test_cycle_runs_through_the_end),
        cmocka_unit_test(test_cycle_as_the_game_does_it),
        cmocka_unit_test(test_cycle_without_a_gap),
        cmocka_unit_test(test_cycle_of_curves),
        cmocka_unit_test(test_period_runs_on_the_clock),
        cmocka_unit_test(test_period_with_few_keys_inside),
        cmocka_unit_test(test_what_has_no_middle_is_stepped),
        cmocka_unit_test(test_any_time_is_safe),
        cmocka_unit_test(test_key_times_merge),
        cmocka_unit_test(test_keys_by_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
