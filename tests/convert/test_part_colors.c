// Colours of parts on their way to glTF, where materials have them. Part colours multiply what is shown: half as bright
// is 0.21404114 of the light, by the definition of sRGB.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "glb_round_trip.h"

static const float HALF = 0.21404114f;
static const sn_vec3 corners[3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } };
static const sn_vec2 coordinates[3] = { { 0, 0 }, { 1, 0 }, { 0, 1 } };
static const sn_vec2 *const sets[1] = { coordinates };

#define POINTER "LOST_CONTENT clips: some properties are animated only in players with KHR_animation_pointer\n"
#define SAMPLED "RESAMPLED clips[0]/materials[0] \"m\": colour tracks were resampled to within 0.001\n"

// One part with one material whose layer is half red.
typedef struct given {
    test_rig rig;
    sn_layer layer;
    picture room;
    sn_image image;
    glb_round_trip again;
} given;

static given *start(void)
{
    static given g;
    memset(&g, 0, sizeof g);
    rig_init(&g.rig);
    rig_node(&g.rig, -1, trs_identity, 0);
    sn_mesh *mesh = rig_mesh(&g.rig, 3, corners);
    mesh->uv_count = 1;
    mesh->uvs = sets;
    g.layer = glb_layer(-1, SN_BLEND_OPAQUE);
    g.layer.color.x = 0.5f;
    g.rig.parts[rig_part(&g.rig, 0, 0, -1)].material = 0;
    g.rig.materials[0] = (sn_material){ .name = "m", .layers = &g.layer, .layer_count = 1 };
    g.rig.model.material_count = 1;
    g.rig.model.images = &g.image;
    g.rig.model.clip_count = 0;  // until something moves
    return &g;
}

static sn_track *drive(given *g, sn_target kind, sn_channel channel, sn_track keys)
{
    g->rig.model.clip_count = 1;
    return rig_track(&g->rig, kind, 0, channel, keys);
}

static const sn_model *save(given *g, const char *losses)
{
    g->again = glb_save_and_load(&g->rig.model);
    if (strcmp(g->again.losses, losses) != 0) fail_msg("reported:\n%swanted:\n%s", g->again.losses, losses);
    return g->again.model;
}

static void expect_color(const sn_model *model, int32_t part, double x, double y, double z, double w)
{
    sn_vec4 color = model->materials[model->parts[part].material].layers[0].color;
    assert_near(color.x, x);
    assert_near(color.y, y);
    assert_near(color.z, z);
    assert_near(color.w, w);
}

static double sample(const sn_model *model, sn_channel channel, float time)
{
    float value[3];
    sn_track_sample(glb_track(model, SN_TARGET_LAYER, 0, channel), time, 1.0f, 0.0f, value);
    return value[0];
}

static void colours_that_are_the_same_share_a_material(void **state)
{
    (void)state;
    given *g = start();
    for (int i = 0; i < 3; i++) g->rig.parts[rig_part(&g->rig, 0, 0, -1)].material = 0;
    g->rig.parts[0].color = g->rig.parts[2].color = (sn_vec4){ 0.5f, 0.5f, 0, 1 };
    g->rig.parts[3].color = (sn_vec4){ 1, 0.5f, 0, 1 };
    const sn_model *model = save(g, "");
    assert_int_equal(model->material_count, 3);
    assert_int_equal(model->parts[0].material, model->parts[2].material);
    expect_color(model, 0, 0.5 * HALF, HALF, 0, 1);
    expect_color(model, 1, 0.5, 1, 1, 1);
    expect_color(model, 3, 0.5, HALF, 0, 1);
    for (uint32_t i = 0; i < 3; i++) {
        assert_string_equal(model->materials[i].name, "m");
        assert_int_equal(model->materials[i].layers[0].blend, SN_BLEND_OPAQUE);
    }
    sn_model_free(g->again.model);
}

static void without_a_material_there_is_one(void **state)
{
    (void)state;
    given *g = start();
    g->rig.parts[0].material = -1;
    g->rig.parts[0].color.y = 0.5f;
    const sn_model *model = save(g, "");
    assert_int_equal(model->material_count, 1);
    expect_color(model, 0, 1, HALF, 1, 1);
    sn_model_free(g->again.model);
}

// An opaque material never showed its picture's alpha, and must not begin to.
static void what_lets_through_blends(void **state)
{
    (void)state;
    static const uint32_t pixels[2] = { 0x10203040, 0x506070BF }, solid[2] = { 0x102030FF, 0x506070FF },
                          tested[2] = { 0x10203000, 0x506070FF };
    for (int tests = 0; tests < 2; tests++) {
        given *g = start();
        g->image = glb_image(&g->room, "skin", 2, 1, pixels);
        g->rig.model.image_count = 1;
        g->layer.maps[SN_MAP_COLOR].image = 0;
        g->layer.alpha_cutoff = tests ? 0.5f : 0.0f;
        g->rig.parts[0].color.w = 0.25f;
        g->layer.color.w = 0.5f;
        const sn_model *model = save(g, "");
        assert_int_equal(model->materials[0].layers[0].blend, SN_BLEND_ALPHA);
        expect_color(model, 0, 0.5, 1, 1, 0.125);
        glb_expect_image(model, 0, 2, 1, tests ? tested : solid);
        sn_model_free(g->again.model);
    }
}

static const float ends[2] = { 0, 1 }, falling[2] = { 1, 0 }, late[2] = { 0.25f, 0.75f };

static void alpha_of_a_part_keeps_its_keys(void **state)
{
    (void)state;
    given *g = start();
    g->layer.color.w = 0.5f;
    drive(g, SN_TARGET_PART, SN_CHANNEL_ALPHA, keys_of(SN_LINEAR, 2, 1, ends, falling));
    const sn_model *model = save(g, POINTER);
    const sn_track *alpha = glb_track(model, SN_TARGET_LAYER, 0, SN_CHANNEL_ALPHA);
    assert_int_equal(model->materials[0].layers[0].blend, SN_BLEND_ALPHA);
    assert_int_equal(alpha->key_count, 2);
    assert_near(alpha->values[0], 0.5);
    assert_near(alpha->values[1], 0);
    assert_near(sample(model, SN_CHANNEL_COLOR, 0.5f), 0.5);  // the layer's own red
    sn_model_free(g->again.model);
}

// Blending would show the inner faces of a model that is opaque as it stands.
static void models_of_games_that_fade_keep_their_depth(void **state)
{
    (void)state;
    static const uint32_t pixels[2] = { 0x10203040, 0x506070BF }, solid[2] = { 0x102030FF, 0x506070FF },
                          tested[2] = { 0x10203000, 0x506070FF };
    for (int i = 0; i < 3; i++) {  // opaque, with an alpha test, half transparent at rest
        given *g = start();
        g->rig.model.format = "mdx";
        g->image = glb_image(&g->room, "skin", 2, 1, pixels);
        g->rig.model.image_count = 1;
        g->layer.maps[SN_MAP_COLOR].image = 0;
        g->layer.alpha_cutoff = i == 1 ? 0.7f : 0.0f;
        g->rig.parts[0].color.w = i == 2 ? 0.5f : 1.0f;
        drive(g, SN_TARGET_PART, SN_CHANNEL_ALPHA, keys_of(SN_LINEAR, 2, 1, ends, falling));
        const sn_model *model =
            save(g, i == 2 ? POINTER
                           : "LOST_CONTENT materials[0] \"m\": opaque at rest: instead of fading, it disappears at "
                             "half alpha\n" POINTER);
        const sn_layer *layer = &model->materials[0].layers[0];
        assert_int_equal(layer->blend, i == 2 ? SN_BLEND_ALPHA : SN_BLEND_OPAQUE);
        assert_near(layer->alpha_cutoff, i == 2 ? 0 : 0.5);
        assert_near(sample(model, SN_CHANNEL_ALPHA, 0.25f), 0.75);
        glb_expect_image(model, 0, 2, 1, i == 1 ? tested : solid);
        sn_model_free(g->again.model);
    }
}

static void two_alphas_are_multiplied(void **state)
{
    (void)state;
    given *g = start();
    drive(g, SN_TARGET_PART, SN_CHANNEL_ALPHA, keys_of(SN_LINEAR, 2, 1, ends, falling));
    drive(g, SN_TARGET_LAYER, SN_CHANNEL_ALPHA, keys_of(SN_LINEAR, 2, 1, ends, falling));
    const sn_model *model = save(g, SAMPLED POINTER);
    for (int i = 0; i <= 40; i++) {
        double t = i / 40.0;
        assert_within(sample(model, SN_CHANNEL_ALPHA, (float)t), (1 - t) * (1 - t), 0.001 + 1e-6);
    }
    assert_in_range(glb_track(model, SN_TARGET_LAYER, 0, SN_CHANNEL_ALPHA)->key_count, 10, 40);
    sn_model_free(g->again.model);
}

static void colours_that_move_become_light(void **state)
{
    (void)state;
    static const float colors[6] = { 0, 0, 0, 1, 1, 1 };
    given *g = start();
    drive(g, SN_TARGET_PART, SN_CHANNEL_COLOR, keys_of(SN_LINEAR, 2, 3, ends, colors));
    const sn_model *model = save(g, SAMPLED POINTER);
    assert_within(sample(model, SN_CHANNEL_COLOR, 0.5f), 0.5 * HALF, 0.001);
    assert_within(sample(model, SN_CHANNEL_COLOR, 0.04045f), 0.5 * 0.0031308, 0.001);
    assert_within(sample(model, SN_CHANNEL_COLOR, 1), 0.5, 1e-6);
    assert_int_equal(model->materials[0].layers[0].blend, SN_BLEND_OPAQUE);  // no alpha moves
    sn_model_free(g->again.model);
}

static void steps_stay_steps(void **state)
{
    (void)state;
    static const float colors[6] = { 0.5f, 1, 1, 1, 1, 1 };
    given *g = start();
    drive(g, SN_TARGET_PART, SN_CHANNEL_COLOR, keys_of(SN_STEP, 2, 3, ends, colors));
    drive(g, SN_TARGET_LAYER, SN_CHANNEL_ALPHA, keys_of(SN_STEP, 2, 1, late, falling));
    const sn_model *model = save(g, POINTER);
    const sn_track *color = glb_track(model, SN_TARGET_LAYER, 0, SN_CHANNEL_COLOR);
    assert_int_equal(color->interpolation, SN_STEP);
    assert_int_equal(color->key_count, 3);  // 0, 3/4, 1; at 1/4 nothing changes
    assert_near(sample(model, SN_CHANNEL_COLOR, 0.9f), 0.5 * HALF);
    assert_near(sample(model, SN_CHANNEL_COLOR, 1.0f), 0.5);
    assert_near(sample(model, SN_CHANNEL_ALPHA, 0.7f), 1);
    assert_near(sample(model, SN_CHANNEL_ALPHA, 0.76f), 0);
    sn_model_free(g->again.model);
}

// Between steps a curve goes on; the step itself is no ramp.
static void steps_cut_curves(void **state)
{
    (void)state;
    static const float middle[2] = { 0, 0.5f };
    given *g = start();
    drive(g, SN_TARGET_PART, SN_CHANNEL_ALPHA, keys_of(SN_STEP, 2, 1, middle, falling));
    drive(g, SN_TARGET_LAYER, SN_CHANNEL_ALPHA, keys_of(SN_LINEAR, 2, 1, ends, falling));
    const sn_model *model = save(g, SAMPLED POINTER);
    assert_within(sample(model, SN_CHANNEL_ALPHA, 0.25f), 0.75, 0.001);
    assert_within(sample(model, SN_CHANNEL_ALPHA, 0.4999f), 0.5001, 0.001);
    assert_within(sample(model, SN_CHANNEL_ALPHA, 0.5f), 0, 1e-6);
    assert_within(sample(model, SN_CHANNEL_ALPHA, 0.75f), 0, 1e-6);
    sn_model_free(g->again.model);
}

static void colour_and_alpha_come_to_have_the_same_keys(void **state)
{
    (void)state;
    static const float colors[6] = { 1, 1, 1, 0, 0, 0 };
    given *g = start();
    g->layer.blend = SN_BLEND_ALPHA;
    drive(g, SN_TARGET_LAYER, SN_CHANNEL_COLOR, keys_of(SN_LINEAR, 2, 3, ends, colors));
    drive(g, SN_TARGET_LAYER, SN_CHANNEL_ALPHA, keys_of(SN_LINEAR, 2, 1, late, falling));
    const sn_model *model = save(g, SAMPLED POINTER);
    assert_within(sample(model, SN_CHANNEL_COLOR, 0.1f), 0.9, 0.001);
    assert_within(sample(model, SN_CHANNEL_ALPHA, 0.1f), 1, 0.001);
    assert_within(sample(model, SN_CHANNEL_ALPHA, 0.5f), 0.5, 0.001);
    assert_within(sample(model, SN_CHANNEL_ALPHA, 0.9f), 0, 0.001);
    sn_model_free(g->again.model);
}

// Each part that moves has its own; what moves the layer moves it for both.
static void parts_move_by_themselves(void **state)
{
    (void)state;
    static const float offsets[4] = { 0, 0, 1, 0 };
    static const uint32_t pixels[1] = { 0x102030FF };
    given *g = start();
    g->image = glb_image(&g->room, "skin", 1, 1, pixels);
    g->rig.model.image_count = 1;
    g->layer.maps[SN_MAP_COLOR].image = 0;
    g->rig.parts[rig_part(&g->rig, 0, 0, -1)].material = 0;
    drive(g, SN_TARGET_PART, SN_CHANNEL_ALPHA, keys_of(SN_LINEAR, 2, 1, ends, falling));
    drive(g, SN_TARGET_LAYER, SN_CHANNEL_UV_OFFSET, keys_of(SN_LINEAR, 2, 2, ends, offsets));
    const sn_model *model = save(g, POINTER);
    assert_int_equal(model->material_count, 2);
    assert_int_equal(model->materials[model->parts[1].material].layers[0].blend, SN_BLEND_OPAQUE);
    for (int32_t i = 0; i < 2; i++) glb_track(model, SN_TARGET_LAYER, i, SN_CHANNEL_UV_OFFSET);
    glb_track(model, SN_TARGET_LAYER, model->parts[0].material, SN_CHANNEL_ALPHA);
    assert_int_equal(model->clips[0].track_count,
                     4 + 3);                  // the factor reads as two; the node gets a constant track
    assert_int_equal(model->image_count, 1);  // which is opaque already
    sn_model_free(g->again.model);
}

static void a_clip_of_colours_is_as_long_as_it_was(void **state)
{
    (void)state;
    given *g = start();
    g->rig.clip.duration = 3.0f;
    drive(g, SN_TARGET_PART, SN_CHANNEL_ALPHA, keys_of(SN_LINEAR, 2, 1, ends, falling));
    const sn_model *model = save(g, POINTER);
    assert_near(model->clips[0].duration, 3);
    assert_near(sample(model, SN_CHANNEL_ALPHA, 2), 0);
    assert_near(sample(model, SN_CHANNEL_ALPHA, 0.5f), 0.5);
    sn_model_free(g->again.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_that_are_the_same_share_a_material),
        cmocka_unit_test(without_a_material_there_is_one),
        cmocka_unit_test(what_lets_through_blends),
        cmocka_unit_test(alpha_of_a_part_keeps_its_keys),
        cmocka_unit_test(models_of_games_that_fade_keep_their_depth),
        cmocka_unit_test(two_alphas_are_multiplied),
        cmocka_unit_test(colours_that_move_become_light),
        cmocka_unit_test(steps_stay_steps),
        cmocka_unit_test(steps_cut_curves),
        cmocka_unit_test(colour_and_alpha_come_to_have_the_same_keys),
        cmocka_unit_test(parts_move_by_themselves),
        cmocka_unit_test(a_clip_of_colours_is_as_long_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
