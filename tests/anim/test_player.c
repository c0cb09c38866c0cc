// Players, root motion, events.
#include "hand_models.h"
#include "random_model.h"
#include "sinew/runtime.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { WALK, DIE };
static const sn_vec3 Z = { 0, 0, 1 };

// "walk" loops and takes 2 s, "die" takes 1 s.
typedef struct two_clips {
    test_rig rig;
    sn_clip clips[2];
} two_clips;

static void two_clips_init(two_clips *t)
{
    rig_init(&t->rig);
    rig_node(&t->rig, -1, trs_identity, 0);
    t->clips[WALK] = (sn_clip){ .name = "walk", .duration = 2, .loops = true };
    t->clips[DIE] = (sn_clip){ .name = "die", .duration = 1 };
    t->rig.model.clips = t->clips;
    t->rig.model.clip_count = 2;
}

static void assert_layer(const sn_motion_layer *layer, int32_t clip, double seconds, double weight)
{
    assert_int_equal(layer->clip, clip);
    assert_near(layer->seconds, seconds);
    assert_near(layer->weight, weight);
    assert_false(layer->is_additive);
    assert_null(layer->mask);
}

static void test_loops_and_ends(void **state)
{
    (void)state;
    two_clips t;
    two_clips_init(&t);
    const sn_model *model = &t.rig.model;
    sn_motion_layer layers[2];
    sn_player player = { 0 };
    sn_player_advance(&player, model, 1.5f);
    assert_int_equal(sn_player_layers(&player, layers), 1);
    assert_layer(&layers[0], WALK, 1.5, 1);
    assert_true(player.from < 0 && player.from > -1e-30f);  // events at 0 happen
    assert_near(player.to, 1.5);
    sn_player_advance(&player, model, 1);
    assert_near(player.seconds, 0.5);
    assert_near(player.from, 1.5);
    assert_near(player.to, 2.5);
    sn_player_advance(&player, model, 7);
    assert_near(player.seconds, 1.5);
    assert_near(player.clock, 9.5);
    sn_player_advance(&player, model, 0);  // a pause
    assert_true(player.from == player.to);
    assert_near(player.seconds, 1.5);

    sn_player_play(&player, model, DIE, 0);
    assert_int_equal(sn_player_layers(&player, layers), 1);
    assert_layer(&layers[0], DIE, 0, 1);
    sn_player_advance(&player, model, 0.75f);
    sn_player_advance(&player, model, 0.75f);
    assert_near(player.seconds, 1);
    assert_near(player.to, 1);
    sn_player_advance(&player, model, 0.75f);
    assert_near(player.from, 1);  // nothing more happens
    assert_near(player.to, 1);
    assert_near(player.clock, 11.75);
}

static void test_speed(void **state)
{
    (void)state;
    two_clips t;
    two_clips_init(&t);
    const sn_model *model = &t.rig.model;
    sn_player player = { .clip = WALK, .speed = 2 };
    sn_player_advance(&player, model, 0.25f);
    assert_near(player.seconds, 0.5);
    assert_near(player.clock, 0.25);
    player.speed = -1;
    sn_player_advance(&player, model, 1);
    assert_near(player.seconds, 1.5);
    assert_near(player.from, 0.5);
    assert_near(player.to, -0.5);
    sn_player_play(&player, model, DIE, 0);  // backwards from its end
    assert_near(player.seconds, 1);
    sn_player_advance(&player, model, 0.25f);
    assert_true(player.from > 1 && player.from < 1.0001f);
    assert_near(player.seconds, 0.75);
    sn_player_advance(&player, model, 3);
    assert_near(player.seconds, 0);
    assert_near(player.to, 0);
}

static void test_cross_fade(void **state)
{
    (void)state;
    two_clips t;
    two_clips_init(&t);
    const sn_model *model = &t.rig.model;
    sn_motion_layer layers[2];
    sn_player player = { .clip = WALK };
    sn_player_advance(&player, model, 1.75f);
    sn_player_play(&player, model, DIE, 0.5f);
    assert_int_equal(sn_player_layers(&player, layers), 2);
    assert_layer(&layers[0], DIE, 0, 0);
    assert_layer(&layers[1], WALK, 1.75, 1);
    sn_player_advance(&player, model, 0.375f);
    assert_int_equal(sn_player_layers(&player, layers), 2);
    assert_layer(&layers[0], DIE, 0.375, 0.75);
    assert_layer(&layers[1], WALK, 0.125, 0.25);  // still walks, around the loop
    sn_player_advance(&player, model, 0.125f);
    assert_int_equal(sn_player_layers(&player, layers), 1);
    assert_layer(&layers[0], DIE, 0.5, 1);

    sn_player_play(&player, model, -1, 1);  // to the rest pose
    sn_player_advance(&player, model, 0.25f);
    assert_int_equal(sn_player_layers(&player, layers), 2);
    assert_layer(&layers[0], -1, 0, 0.25);
    assert_layer(&layers[1], DIE, 0.75, 0.75);
    sn_player_play(&player, model, WALK, 1);  // cut short: the one that shows more goes on
    assert_int_equal(sn_player_layers(&player, layers), 2);
    assert_layer(&layers[1], DIE, 0.75, 1);
    sn_player_advance(&player, model, 0.75f);
    sn_player_play(&player, model, DIE, 1);
    sn_player_layers(&player, layers);
    assert_layer(&layers[1], WALK, 0.75, 1);
}

// The same time in steps of any size ends in the same place, and the intervals join without gap or overlap.
static void test_steps(void **state)
{
    (void)state;
    two_clips t;
    two_clips_init(&t);
    uint32_t seed = 1;
    for (int round = 0; round < 50; round++) {
        sn_player player = { .clip = WALK };
        double sum = 0;
        float last = 0;
        for (int i = 0; i < 200; i++) {
            seed = seed * 1664525u + 1013904223u;
            float step = (float)(seed >> 8) / 16777216.0f;
            sn_player_advance(&player, &t.rig.model, step);
            if (i > 0) assert_true(player.from == last);
            last = player.seconds;
            assert_true(fabsf(player.to - player.seconds) < 1e-6f || fabsf(player.to - player.seconds - 2) < 1e-6f);
            sum += step;
        }
        assert_within(remainder(player.seconds - sum, 2), 0, 1e-4);
    }
}

static void test_hostile_player(void **state)
{
    (void)state;
    two_clips t;
    two_clips_init(&t);
    t.clips[DIE].duration = 0;
    t.clips[DIE].loops = true;
    const sn_model *model = &t.rig.model;
    sn_motion_layer layers[2];
    const float odd[] = { NAN, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, -1, 1e-45f };
    for (int i = 0; i < 7; i++)
        for (int32_t clip = -2; clip <= 3; clip++) {
            sn_player player = { .clip = clip, .speed = odd[i] };
            sn_player_advance(&player, model, odd[i]);
            sn_player_advance(&player, model, 0.5f);
            sn_player_play(&player, model, clip + 1, odd[i]);
            sn_player_advance(&player, model, odd[i]);
            sn_player_advance(&player, model, 0.1f);
            uint32_t count = sn_player_layers(&player, layers);
            for (uint32_t k = 0; k < count; k++)
                assert_true(isfinite(layers[k].seconds) && layers[k].weight >= 0 && layers[k].weight <= 1);
        }
}

// Root motion

// Two seconds: forward along its own X, which turns by a quarter about Z; four loops walk around a square.
typedef struct walker {
    two_clips t;
    float times[3], places[9], turns[12];
    sn_motion *motion;
} walker;

static void walker_init(walker *w)
{
    two_clips_init(&w->t);
    const float times[3] = { 0, 1, 2 }, places[9] = { 5, 0, 0, 6, 0, 0, 7, 0, 0 };
    const sn_quat eighth = quat_about(Z, PI / 4), quarter = quat_about(Z, PI / 2);
    const float turns[12] = { 0, 0, 0, 1, 0, 0, eighth.z, eighth.w, 0, 0, quarter.z, quarter.w };
    memcpy(w->times, times, sizeof times);
    memcpy(w->places, places, sizeof places);
    memcpy(w->turns, turns, sizeof turns);
    rig_track(&w->t.rig, SN_TARGET_NODE, 0, SN_CHANNEL_TRANSLATION, keys_of(SN_LINEAR, 3, 3, w->times, w->places));
    rig_track(&w->t.rig, SN_TARGET_NODE, 0, SN_CHANNEL_ROTATION, keys_of(SN_LINEAR, 3, 4, w->times, w->turns));
    for (int i = 0; i < 2; i++) {
        w->t.clips[i].tracks = w->t.rig.tracks;
        w->t.clips[i].track_count = 2;
    }
    w->motion = sn_motion_create(&w->t.rig.model, NULL, NULL);
    assert_non_null(w->motion);
}

static sn_trs delta(const walker *w, int32_t clip, float from, float to)
{
    return sn_motion_root_delta(w->motion, clip, 0, from, to);
}

static void test_root_delta(void **state)
{
    (void)state;
    walker w;
    walker_init(&w);
    const double h = sqrt(0.5);
    sn_trs d = delta(&w, WALK, 0, 1);
    assert_vec3(d.translation, 1, 0, 0);
    assert_quat(d.rotation, 0, 0, sin(PI / 8), cos(PI / 8));
    d = delta(&w, WALK, 1, 2);
    assert_vec3(d.translation, h, -h, 0);          // one along X, seen after an eighth of a turn
    d = delta(&w, WALK, 1, 3);                     // then one more, forward again
    assert_vec3(d.translation, h + h, -h + h, 0);  // (h,-h), then (1,0) seen from a quarter turn less an eighth: (h,h)
    assert_quat(d.rotation, 0, 0, sin(PI / 4), cos(PI / 4));
    d = delta(&w, WALK, 0, 4);
    assert_vec3(d.translation, 2, 2, 0);
    assert_quat(d.rotation, 0, 0, 1, 0);
    d = delta(&w, WALK, 0, 8);  // around the square
    assert_vec3(d.translation, 0, 0, 0);
    assert_within(fabsf(d.rotation.w), 1, 1e-6);
    d = delta(&w, WALK, -2, 0);
    assert_vec3(d.translation, 2, 0, 0);
    d = delta(&w, WALK, 2, 0);
    assert_vec3(d.translation, 0, 2, 0);  // back: two behind, seen after the quarter turn
    d = delta(&w, WALK, 800000, 800002);
    assert_vec3(d.translation, 2, 0, 0);
    d = delta(&w, DIE, -5, 0.5f);  // does not loop: clamped
    assert_vec3(d.translation, 0.5, 0, 0);
    d = delta(&w, DIE, 1, 9);
    assert_vec3(d.translation, 0, 0, 0);
    sn_motion_free(w.motion);
}

static sn_vec3 rotated(sn_quat q, sn_vec3 v)
{
    double tx = 2 * ((double)q.y * v.z - (double)q.z * v.y), ty = 2 * ((double)q.z * v.x - (double)q.x * v.z),
           tz = 2 * ((double)q.x * v.y - (double)q.y * v.x);
    return (sn_vec3){ (float)(v.x + q.w * tx + q.y * tz - q.z * ty), (float)(v.y + q.w * ty + q.z * tx - q.x * tz),
                      (float)(v.z + q.w * tz + q.x * ty - q.y * tx) };
}

// Steps of any size, forward and back, add up to the delta over the whole.
static void test_root_deltas_add_up(void **state)
{
    (void)state;
    walker w;
    walker_init(&w);
    uint32_t seed = 3;
    for (int round = 0; round < 50; round++) {
        double x = 0, y = 0, angle = 0;
        float at = 0.3f;
        for (int i = 0; i < 40; i++) {
            seed = seed * 1664525u + 1013904223u;
            float to = at + ((float)(seed >> 8) / 16777216.0f - 0.3f) * 3;
            sn_trs d = delta(&w, WALK, at, to);
            x += cos(angle) * d.translation.x - sin(angle) * d.translation.y;
            y += sin(angle) * d.translation.x + cos(angle) * d.translation.y;
            angle += 2 * atan2(d.rotation.z, d.rotation.w);
            at = to;
        }
        sn_trs whole = delta(&w, WALK, 0.3f, at);
        assert_vec3(whole.translation, x, y, 0);
        assert_within(remainder(2 * atan2(whole.rotation.z, whole.rotation.w) - angle, 2 * PI), 0, 1e-4);
        sn_trs back = delta(&w, WALK, at, 0.3f);
        sn_vec3 undone = rotated(whole.rotation, back.translation);
        assert_vec3(undone, -whole.translation.x, -whole.translation.y, 0);
    }
    sn_motion_free(w.motion);
}

// Of every kind of track, and for every compiled form: from one sampled transform to the other.
static void test_root_delta_of_random_clips(void **state)
{
    (void)state;
    uint32_t seed = 4;
    for (uint32_t round = 0; round < 60; round++) {
        sn_model *model = random_model(round, &(random_opts){ .nodes = 20, .clips = 2, .keys = 12 });
        sn_motion_opts options = { .nlerp = round % 3 == 1, .quantize = round % 3 == 2 };
        sn_motion *motion = sn_motion_create(model, &options, NULL);
        sn_pose *pose = sn_pose_create(model, NULL, NULL);
        for (int32_t node = 0; node < 20; node++) {
            int32_t clip = (int32_t)(random_next(&seed) >> 8) % 2;
            bool has_period = false;
            for (uint32_t i = 0; i < model->clips[clip].track_count; i++) {
                const sn_track *track = &model->clips[clip].tracks[i];
                if (track->target_kind == SN_TARGET_NODE && track->target == node && track->period > 0)
                    has_period = true;
            }
            if (has_period) continue;
            float from = random_float(&seed, 0, model->clips[clip].duration);
            float to = random_float(&seed, 0, model->clips[clip].duration);
            sn_motion_sample(motion, pose, clip, from, 0);
            sn_trs a = sn_pose_local(pose, node);
            sn_motion_sample(motion, pose, clip, to, 0);
            sn_trs b = sn_pose_local(pose, node), d = sn_motion_root_delta(motion, clip, node, from, to);
            float s[3] = { a.scale.x, a.scale.y, a.scale.z };
            if (!(fabsf(s[0]) > 0.01f && fabsf(s[1]) > 0.01f && fabsf(s[2]) > 0.01f)) continue;
            sn_vec3 moved = rotated(a.rotation, (sn_vec3){ s[0] * d.translation.x, s[1] * d.translation.y,
                                                           s[2] * d.translation.z });
            double size = 1 + fabs(b.translation.x) + fabs(b.translation.y) + fabs(b.translation.z) +
                          fabs(a.translation.x) + fabs(a.translation.y) + fabs(a.translation.z);
            assert_within(a.translation.x + moved.x, b.translation.x, 1e-5 * size);
            assert_within(a.translation.y + moved.y, b.translation.y, 1e-5 * size);
            assert_within(a.translation.z + moved.z, b.translation.z, 1e-5 * size);
            sn_vec3 x = rotated(a.rotation, rotated(d.rotation, (sn_vec3){ 1, 0, 0 }));
            sn_vec3 wanted = rotated(b.rotation, (sn_vec3){ 1, 0, 0 });
            assert_vec3(x, wanted.x, wanted.y, wanted.z);
            assert_within(d.scale.x * s[0], b.scale.x, 1e-5 * (1 + fabs(b.scale.x)));
        }
        sn_pose_free(pose);
        sn_motion_free(motion);
        random_model_free(model);
    }
}

static void test_hostile_root_delta(void **state)
{
    (void)state;
    walker w;
    walker_init(&w);
    const float odd[] = { NAN, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, 0, 1e-45f };
    for (int32_t clip = -1; clip <= 2; clip++)
        for (int i = 0; i < 49; i++) {
            sn_trs d = delta(&w, clip, odd[i / 7], odd[i % 7]);
            sn_trs none = sn_motion_root_delta(w.motion, clip, 1, odd[i / 7], odd[i % 7]);
            assert_true(isfinite(d.translation.x) && isfinite(d.rotation.w) && isfinite(d.scale.x));
            assert_memory_equal(&none, &trs_identity, sizeof none);
            if (clip < 0 || clip > 1) assert_memory_equal(&d, &trs_identity, sizeof d);
        }
    sn_motion_free(w.motion);
}

// Events

static const sn_event events[] = { { "spark", -1, -1, 0.5f, 0.75f }, { "drip", -1, -1, 2, 3 },
                                   { "never", -1, -1, 9, 3 },        { "left", -1, WALK, 0, 0 },
                                   { "right", -1, WALK, 1, 0 },      { "past", -1, WALK, 2.5f, 0 },
                                   { "fall", -1, DIE, 0.5f, 0 },     { "thud", -1, DIE, 1, 0 } };

static void events_init(two_clips *t)
{
    two_clips_init(t);
    t->rig.model.events = events;
    t->rig.model.event_count = 8;
}

// "left 0 right 1 left 2"
static const char *heard(const sn_model *model, int32_t clip, float from, float to)
{
    static char text[512];
    size_t at = 0;
    uint32_t cursor = 0;
    float time;
    text[0] = 0;
    for (const sn_event *event; (event = sn_event_next(model, clip, from, to, &cursor, &time)) && at < 400;)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s %g", at ? " " : "", event->name, (double)time);
    return text;
}

static void test_events(void **state)
{
    (void)state;
    two_clips t;
    events_init(&t);
    const sn_model *m = &t.rig.model;
    assert_string_equal(heard(m, WALK, 0, 0.5f), "");
    assert_string_equal(heard(m, WALK, -FLT_MIN, 0.5f), "left 0");
    assert_string_equal(heard(m, WALK, 0.5f, 1), "right 1");
    assert_string_equal(heard(m, WALK, 1, 2), "left 2");
    assert_string_equal(heard(m, WALK, 1.5f, 5.5f), "left 2 right 3 left 4 right 5");
    assert_string_equal(heard(m, WALK, -3.5f, 0.5f), "right -3 left -2 right -1 left 0");
    assert_string_equal(heard(m, WALK, 5.5f, 1), "right 5 left 4 right 3 left 2 right 1");
    assert_string_equal(heard(m, WALK, 1, 0.5f), "");
    assert_string_equal(heard(m, DIE, 0, 10), "fall 0.5 thud 1");
    assert_string_equal(heard(m, DIE, 0.5f, 1), "thud 1");
    assert_string_equal(heard(m, DIE, 1, 1), "");
    assert_string_equal(heard(m, DIE, 2, 0), "thud 1 fall 0.5");
    assert_string_equal(heard(m, -1, 0, 3), "spark 0.5 spark 1.25 spark 2 spark 2.75 drip 2");
    assert_string_equal(heard(m, -1, 2, 1.25f), "spark 1.25");
    assert_string_equal(heard(m, 2, 0, 3), "");
    assert_string_equal(heard(m, -2, 0, 3), "");
    uint32_t cursor = 0;
    assert_string_equal(sn_event_next(m, DIE, 0, 10, &cursor, NULL)->name, "fall");
}

// Each event is heard once per loop, whatever the steps.
static void test_events_of_a_player(void **state)
{
    (void)state;
    two_clips t;
    events_init(&t);
    uint32_t seed = 5;
    for (int round = 0; round < 100; round++) {
        sn_player player = { .clip = WALK };
        int left = 0, right = 0;
        double total = 0;
        for (int i = 0; i < 300; i++) {
            seed = seed * 1664525u + 1013904223u;
            float step = round % 2 ? 0.1f : (float)(seed >> 8) / 16777216.0f * 0.7f;
            uint32_t cursor = 0;
            sn_player_advance(&player, &t.rig.model, step);
            total += player.to - fmaxf(player.from, 0);
            for (const sn_event *e; (e = sn_event_next(&t.rig.model, WALK, player.from, player.to, &cursor, NULL));) {
                left += strcmp(e->name, "left") == 0;
                right += strcmp(e->name, "right") == 0;
            }
            if (fabs(remainder(total, 1)) < 1e-3) continue;  // rounding decides whether it was crossed
            assert_int_equal(left, (int)floor(total / 2) + 1);
            assert_int_equal(right, (int)floor((total + 1) / 2));
        }
    }
}

static void test_hostile_events(void **state)
{
    (void)state;
    two_clips t;
    events_init(&t);
    const float odd[] = { NAN, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, 0, 1e-45f, 1e20f };
    for (int32_t clip = -1; clip <= 2; clip++)
        for (int i = 0; i < 64; i++) {
            uint32_t cursor = 0;
            for (int n = 0; n < 10 && sn_event_next(&t.rig.model, clip, odd[i / 8], odd[i % 8], &cursor, NULL);) n++;
        }
    t.clips[WALK].duration = 0;
    assert_string_equal(heard(&t.rig.model, WALK, -1, 5), "left 0");
    t.clips[WALK].duration = 1e-45f;
    uint32_t cursor = UINT32_MAX;
    assert_null(sn_event_next(&t.rig.model, WALK, 0, 1, &cursor, NULL));
    assert_string_equal(heard(&t.rig.model, WALK, 0, 1), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loops_and_ends),     cmocka_unit_test(test_speed),
        cmocka_unit_test(test_cross_fade),         cmocka_unit_test(test_steps),
        cmocka_unit_test(test_hostile_player),     cmocka_unit_test(test_root_delta),
        cmocka_unit_test(test_root_deltas_add_up), cmocka_unit_test(test_root_delta_of_random_clips),
        cmocka_unit_test(test_hostile_root_delta), cmocka_unit_test(test_events),
        cmocka_unit_test(test_events_of_a_player), cmocka_unit_test(test_hostile_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
