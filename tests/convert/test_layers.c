// Layers on their way to glTF, which has one. Pixels are worked out by hand, on bytes: over is (s a + d (255 - a)) /
// 255.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "glb_round_trip.h"

enum { MOST = 4 };

static const sn_vec3 corners[3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } };
static const sn_vec2 coordinates[2][3] = { { { 0, 0 }, { 1, 0 }, { 0, 1 } }, { { 0, 0 }, { 2, 0 }, { 0, 2 } } };
static const sn_vec2 *const sets[2] = { coordinates[0], coordinates[1] };

// A triangle with two sets of coordinates, and a material for it whose layers the test adds.
typedef struct given {
    test_rig rig;
    picture rooms[MOST];
    sn_image images[MOST];
    sn_layer layers[MOST];
    glb_round_trip again;
} given;

static given *start(void)
{
    static given g;
    memset(&g, 0, sizeof g);
    rig_init(&g.rig);
    rig_node(&g.rig, -1, trs_identity, 0);
    sn_mesh *mesh = rig_mesh(&g.rig, 3, corners);
    mesh->uv_count = 2;
    mesh->uvs = sets;
    g.rig.parts[rig_part(&g.rig, 0, 0, -1)].material = 0;
    g.rig.materials[0] = (sn_material){ .name = "m", .layers = g.layers };
    g.rig.model.material_count = 1;
    g.rig.model.images = g.images;
    g.rig.model.clip_count = 0;  // until something moves
    return &g;
}

static sn_layer *add(given *g, sn_blend blend, uint32_t width, uint32_t height, const uint32_t *pixels)
{
    static const char *const names[MOST] = { "zero", "one", "two", "three" };
    uint32_t number = g->rig.model.image_count++;
    g->images[number] = glb_image(&g->rooms[number], names[number], width, height, pixels);
    g->layers[number] = glb_layer((int32_t)number, blend);
    g->rig.materials[0].layer_count++;
    return &g->layers[number];
}

static const sn_layer *save(given *g)
{
    g->again = glb_save_and_load(&g->rig.model);
    assert_int_equal(g->again.model->materials[0].layer_count, 1);
    return &g->again.model->materials[0].layers[0];
}

static void expect_losses(const given *g, const char *wanted)
{
    if (strcmp(g->again.losses, wanted) != 0) fail_msg("reported:\n%swanted:\n%s", g->again.losses, wanted);
}

// Two layers become one opaque picture.
static void expect_baked(given *g, uint32_t width, uint32_t height, const uint32_t *wanted)
{
    const sn_layer *layer = save(g);
    expect_losses(g, "LAYERS_JOINED materials[0] \"m\": 2 layers were joined into one\n");
    assert_int_equal(layer->blend, SN_BLEND_OPAQUE);
    assert_int_equal(g->again.model->image_count, 1);
    glb_expect_image(g->again.model, 0, width, height, wanted);
    sn_model_free(g->again.model);
}

#define PIXELS(...) ((const uint32_t[]){ __VA_ARGS__ })

static void team_colour_shows_through_the_skin(void **state)
{
    (void)state;
    given *g = start();
    add(g, SN_BLEND_OPAQUE, 1, 1, PIXELS(0xFF0303FF));
    add(g, SN_BLEND_ALPHA, 3, 1, PIXELS(0x102030FF, 0x40608080, 0xFFFFFF00));
    expect_baked(g, 3, 1, PIXELS(0x102030FF, 0x9F3242FF, 0xFF0303FF));
}

static void the_larger_picture_gives_the_name(void **state)
{
    (void)state;
    given *g = start();
    add(g, SN_BLEND_OPAQUE, 1, 1, PIXELS(0xFF0303FF));
    add(g, SN_BLEND_ALPHA, 2, 1, PIXELS(0x102030FF, 0x40608080))->maps[SN_MAP_COLOR].wrap_u = SN_CLAMP;
    const sn_layer *layer = save(g);
    assert_string_equal(g->again.model->images[0].name, "one");
    assert_int_equal(layer->maps[SN_MAP_COLOR].wrap_u, SN_CLAMP);
    sn_model_free(g->again.model);
}

static void light_is_added(void **state)
{
    (void)state;
    given *g = start();
    add(g, SN_BLEND_OPAQUE, 2, 1, PIXELS(0x10203040, 0xF0F0F0FF));
    add(g, SN_BLEND_ADD, 2, 1, PIXELS(0x01020300, 0x20202020));
    expect_baked(g, 2, 1, PIXELS(0x112233FF, 0xFFFFFFFF));
    g = start();
    add(g, SN_BLEND_OPAQUE, 2, 1, PIXELS(0x101010FF, 0x101010FF));
    add(g, SN_BLEND_ADD_ALPHA, 2, 1, PIXELS(0x20202080, 0x20202000));
    expect_baked(g, 2, 1, PIXELS(0x202020FF, 0x101010FF));
    g = start();
    add(g, SN_BLEND_OPAQUE, 1, 2, PIXELS(0x101010FF, 0x202020FF));
    add(g, SN_BLEND_ADD, 1, 2, PIXELS(0x202020FF, 0x202020FF))->color.w = 0.5f;
    expect_baked(g, 1, 2, PIXELS(0x202020FF, 0x303030FF));
}

static void other_blends(void **state)
{
    (void)state;
    static const struct {
        sn_blend blend;
        uint32_t result;
    } cases[] = {
        { SN_BLEND_MODULATE, 0x404000FF },     // 128 * 128 / 255 is 64.25, 128 * 127 / 255 is 63.75
        { SN_BLEND_MODULATE_2X, 0x817F00FF },  // twice that: 128.502 and 127.498
        { SN_BLEND_SCREEN, 0xC0BF80FF },       // 128 + 128 - 64, 128 + 127 - 64
        { SN_BLEND_SUBTRACT, 0x000180FF },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        given *g = start();
        add(g, SN_BLEND_OPAQUE, 2, 1, PIXELS(0x808080FF, 0x808080FF));
        add(g, cases[i].blend, 2, 1, PIXELS(0x807F00FF, 0x807F00FF));
        expect_baked(g, 2, 1, PIXELS(cases[i].result, cases[i].result));
    }
}

static void alpha_tests_decide(void **state)
{
    (void)state;
    given *g = start();
    add(g, SN_BLEND_OPAQUE, 2, 1, PIXELS(0x010101FF, 0x020202FF));
    add(g, SN_BLEND_OPAQUE, 2, 1, PIXELS(0x808080C0, 0x909090BF))->alpha_cutoff = 0.75f;  // 191.25
    expect_baked(g, 2, 1, PIXELS(0x808080FF, 0x020202FF));
}

static void a_tested_base_keeps_its_holes(void **state)
{
    (void)state;
    given *g = start();
    add(g, SN_BLEND_OPAQUE, 2, 1, PIXELS(0x808080FF, 0x909090BF))->alpha_cutoff = 0.75f;
    add(g, SN_BLEND_ALPHA, 2, 1, PIXELS(0x00000000, 0x10203040));
    const sn_layer *layer = save(g);
    assert_near(layer->alpha_cutoff, 0.75f);
    glb_expect_image(g->again.model, 0, 2, 1, PIXELS(0x808080FF, 0x10203040));
    sn_model_free(g->again.model);
}

// The layer's colour is light: 0.21404114 is half as bright as it is shown.
static void colours_of_layers_are_baked(void **state)
{
    (void)state;
    given *g = start();
    add(g, SN_BLEND_OPAQUE, 2, 1, PIXELS(0xC8C8C8FF, 0x646464FF))->color = (sn_vec4){ 0.21404114f, 1, 0, 1 };
    add(g, SN_BLEND_ALPHA, 2, 1, PIXELS(0x00000000, 0xFFFFFFFF))->color.w = 0.2f;  // alpha 51
    expect_baked(g, 2, 1, PIXELS(0x64C800FF, 0x5B8333FF));
}

static void layers_that_blend_lie_on_each_other(void **state)
{
    (void)state;
    given *g = start();
    add(g, SN_BLEND_ALPHA, 3, 1, PIXELS(0xFF000080, 0xFF000000, 0x0A0B0C00));
    add(g, SN_BLEND_ALPHA, 3, 1, PIXELS(0x0000FF80, 0x0000FF40, 0x01020300));
    const sn_layer *layer = save(g);
    assert_int_equal(layer->blend, SN_BLEND_ALPHA);
    glb_expect_image(g->again.model, 0, 3, 1, PIXELS(0x5500AAC0, 0x0000FF40, 0x01020300));  // 128 and 64 of 192
    sn_model_free(g->again.model);
}

// Middles of the four pixels lie at -1/4, 1/4, 3/4 and 5/4 of the two texels.
static void smaller_pictures_are_stretched(void **state)
{
    (void)state;
    for (int clamps = 0; clamps < 2; clamps++) {
        given *g = start();
        add(g, SN_BLEND_OPAQUE, 2, 1, PIXELS(0x000000FF, 0xFFFFFFFF))->maps[SN_MAP_COLOR].wrap_u = clamps ? SN_CLAMP
                                                                                                          : SN_REPEAT;
        add(g, SN_BLEND_ALPHA, 4, 1, PIXELS(0, 0, 0, 0));
        if (clamps) expect_baked(g, 4, 1, PIXELS(0x000000FF, 0x404040FF, 0xBFBFBFFF, 0xFFFFFFFF));
        else expect_baked(g, 4, 1, PIXELS(0x404040FF, 0x404040FF, 0xBFBFBFFF, 0xBFBFBFFF));
    }
}

static void the_same_is_baked_once(void **state)
{
    (void)state;
    given *g = start();
    add(g, SN_BLEND_OPAQUE, 1, 1, PIXELS(0xFF0303FF));
    add(g, SN_BLEND_ALPHA, 2, 1, PIXELS(0x102030FF, 0x40608080));
    g->rig.materials[1] = g->rig.materials[0];
    g->rig.model.material_count = 2;
    g->rig.parts[rig_part(&g->rig, 0, 0, -1)].material = 1;
    save(g);
    assert_int_equal(g->again.model->material_count, 2);
    assert_int_equal(g->again.model->image_count, 1);
    sn_model_free(g->again.model);
}

static void what_does_not_fit_is_named(void **state)
{
    (void)state;
    given *g = start();
    add(g, SN_BLEND_OPAQUE, 2, 1, PIXELS(0x010101FF, 0x020202FF));
    add(g, SN_BLEND_ALPHA, 2, 1, PIXELS(0x102030FF, 0x40608080))->maps[SN_MAP_COLOR].uv_set = 1;
    add(g, SN_BLEND_ADD, 2, 1, PIXELS(0x102030FF, 0x40608080))->flags = SN_LAYER_SPHERE_MAP;
    add(g, SN_BLEND_ALPHA, 2, 1, PIXELS(0x102030FF, 0x40608080));
    g->images[3].size = 10;
    save(g);
    expect_losses(g, "LOST_CONTENT materials[0] \"m\"/layers[1] \"one\": left out: it uses other texture coordinates\n"
                     "LOST_CONTENT materials[0] \"m\"/layers[2] \"two\": left out: it is a sphere map\n"
                     "LOST_CONTENT materials[0] \"m\"/layers[3] \"three\": left out: its image cannot be read\n");
    glb_expect_image(g->again.model, 0, 2, 1, PIXELS(0x010101FF, 0x020202FF));
    sn_model_free(g->again.model);
}

static const float times[2] = { 0, 1 }, falling[2] = { 1, 0 }, moving[4] = { 0, 0, 1, 0.5f };

static sn_track *drive(given *g, int32_t layer, sn_channel channel, sn_track keys)
{
    sn_track *track = rig_track(&g->rig, SN_TARGET_LAYER, 0, channel, keys);
    track->sub = layer;
    g->rig.model.clip_count = 1;
    return track;
}

static void what_moves_is_baked_as_at_rest(void **state)
{
    (void)state;
    given *g = start();
    add(g, SN_BLEND_OPAQUE, 1, 1, PIXELS(0xFF0303FF));
    add(g, SN_BLEND_ALPHA, 2, 1, PIXELS(0x102030FF, 0x40608080));
    add(g, SN_BLEND_ADD, 2, 1, PIXELS(0x102030FF, 0x40608080));
    drive(g, 1, SN_CHANNEL_ALPHA, keys_of(SN_LINEAR, 2, 1, times, falling));
    drive(g, 2, SN_CHANNEL_IMAGE, keys_of(SN_STEP, 2, 1, times, falling));
    rig_track(&g->rig, SN_TARGET_NODE, 0, SN_CHANNEL_TRANSLATION, keys_of(SN_LINEAR, 1, 3, times, moving));
    save(g);
    expect_losses(g, "LOST_CONTENT materials[0] \"m\"/layers[2] \"two\": left out: its image is animated\n"
                     "LAYERS_JOINED materials[0] \"m\": 2 layers were joined into one\n"
                     "LOST_CONTENT clips[0]/materials[0] \"m\"/layers[1]: tracks were left out with their layer\n"
                     "LOST_CONTENT clips[0]/materials[0] \"m\"/layers[2]: tracks were left out with their layer\n");
    glb_expect_image(g->again.model, 0, 2, 1, PIXELS(0x102030FF, 0x9F3242FF));
    assert_int_equal(g->again.model->clips[0].track_count, 1);
    sn_model_free(g->again.model);
}

static void a_texture_may_move_over_one_colour(void **state)
{
    (void)state;
    given *g = start();
    add(g, SN_BLEND_OPAQUE, 1, 1, PIXELS(0xFF0303FF));
    add(g, SN_BLEND_ALPHA, 2, 1, PIXELS(0x102030FF, 0x40608080))->maps[SN_MAP_COLOR].uv_set = 1;
    drive(g, 1, SN_CHANNEL_UV_OFFSET, keys_of(SN_LINEAR, 2, 2, times, moving));
    const sn_layer *layer = save(g);
    assert_int_equal(layer->maps[SN_MAP_COLOR].uv_set, 1);
    glb_expect_image(g->again.model, 0, 2, 1, PIXELS(0x102030FF, 0x9F3242FF));
    assert_memory_equal(glb_track(g->again.model, SN_TARGET_LAYER, 0, SN_CHANNEL_UV_OFFSET)->values, moving,
                        sizeof moving);
    sn_model_free(g->again.model);
}

static void without_anything_opaque_the_highest_that_blends_stays(void **state)
{
    (void)state;
    given *g = start();
    add(g, SN_BLEND_ADD, 2, 1, PIXELS(0x010101FF, 0x020202FF));
    add(g, SN_BLEND_ALPHA, 2, 1, PIXELS(0x102030FF, 0x40608080));
    add(g, SN_BLEND_ADD, 2, 1, PIXELS(0x010101FF, 0x020202FF));
    drive(g, 1, SN_CHANNEL_ALPHA, keys_of(SN_LINEAR, 2, 1, times, falling));
    drive(g, 0, SN_CHANNEL_ALPHA, keys_of(SN_LINEAR, 2, 1, times, falling));
    const sn_layer *layer = save(g);
    expect_losses(g,
                  "LOST_CONTENT materials[0] \"m\"/layers[0] \"zero\": left out: it is below the layer that is kept\n"
                  "LOST_CONTENT materials[0] \"m\"/layers[2] \"two\": left out: nothing opaque is below it\n"
                  "LOST_CONTENT clips[0]/materials[0] \"m\"/layers[0]: tracks were left out with their layer\n"
                  "LOST_CONTENT clips: some properties are animated only in players with KHR_animation_pointer\n");
    assert_int_equal(layer->blend, SN_BLEND_ALPHA);
    glb_expect_image(g->again.model, 0, 2, 1, PIXELS(0x102030FF, 0x40608080));
    assert_memory_equal(glb_track(g->again.model, SN_TARGET_LAYER, 0, SN_CHANNEL_ALPHA)->values, falling,
                        sizeof falling);
    sn_model_free(g->again.model);
}

// A detail texture of W3D over one that adds light.
static void what_multiplies_is_not_kept_alone(void **state)
{
    (void)state;
    given *g = start();
    add(g, SN_BLEND_ADD, 1, 1, PIXELS(0xFF0000FF));
    add(g, SN_BLEND_MODULATE_2X, 1, 1, PIXELS(0x808080FF));
    save(g);
    assert_non_null(strstr(g->again.losses, "layers[1] \"one\": left out"));
    assert_non_null(strstr(g->again.losses, "\"add\" became alpha blending"));
    glb_expect_image(g->again.model, 0, 1, 1, PIXELS(0xFF0000FF));
    sn_model_free(g->again.model);
}

// What covers is as much as is bright; the colour makes up for it: 255 * 128 / 255 is the light that was there.
static void single_blends_become_alpha(void **state)
{
    (void)state;
    static const struct {
        sn_blend blend;
        const char *name;
        uint32_t pixels[2], wanted[2];
    } cases[] = {
        { SN_BLEND_ADD, "add", { 0x80400000, 0x00000000 }, { 0xFF800080, 0xFF800000 } },
        { SN_BLEND_ADD_ALPHA, "add alpha", { 0xFF804080, 0xFFFFFF00 }, { 0xFF804080, 0xFF804000 } },
        { SN_BLEND_MODULATE, "modulate", { 0x404040FF, 0xC08040FF }, { 0x000000BF, 0xAB5500BF } },
        { SN_BLEND_MODULATE_2X, "modulate 2x", { 0x202020FF, 0x808080FF }, { 0x000000BF, 0x00000000 } },
        { SN_BLEND_SCREEN, "screen", { 0x80400000, 0x808080FF }, { 0xFF800080, 0xFFFFFF80 } },
        { SN_BLEND_SUBTRACT, "subtract", { 0xBFBFBFFF, 0x000000FF }, { 0x000000BF, 0x00000000 } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char loss[96], extras[64];
        given *g = start();
        add(g, cases[i].blend, 2, 1, cases[i].pixels);
        g->rig.materials[0].extras = "{\"shader\":1}";
        const sn_layer *layer = save(g);
        snprintf(loss, sizeof loss, "LOST_CONTENT materials[0] \"m\": blend mode \"%s\" became alpha blending\n",
                 cases[i].name);
        snprintf(extras, sizeof extras, "{\"blend\":\"%s\",\"shader\":1}", cases[i].name);
        expect_losses(g, loss);
        assert_string_equal(g->again.model->materials[0].extras, extras);
        assert_int_equal(layer->blend, SN_BLEND_ALPHA);
        glb_expect_image(g->again.model, 0, 2, 1, cases[i].wanted);
        sn_model_free(g->again.model);
    }
}

// Without a picture, or where it is missing, the same for one colour. 0.5 as shown is 0.21404 of the light.
static void blends_of_one_colour_become_alpha(void **state)
{
    (void)state;
    const float half = 0.21404114f;
    const struct {
        sn_blend blend;
        sn_vec4 color;
        sn_vec3 glow;
        sn_vec4 wanted;
        sn_vec3 wanted_glow;
    } cases[] = {
        { SN_BLEND_ADD, { 1, 1, 1, 1 }, { 0, 0, 0 }, { 1, 1, 1, 1 }, { 0, 0, 0 } },
        { SN_BLEND_ADD, { half, 0, half / 2, 0.5f }, { 0, 0, 0 }, { 1, 0, 0.5f, 0.25f }, { 0, 0, 0 } },
        { SN_BLEND_ADD, { 0, 0, 0, 1 }, { half, half / 4, 0 }, { 0, 0, 0, 0.5f }, { 1, 0.25f, 0 } },
        { SN_BLEND_ADD, { 0, 0, 0, 1 }, { 0, 0, 0 }, { 0, 0, 0, 0 }, { 0, 0, 0 } },
        { SN_BLEND_ADD, { 1, half, 0, 1 }, { 1, half, 0 }, { 1, half, 0, 1 }, { 1, half, 0 } },
        { SN_BLEND_MODULATE, { 1, 1, 1, 1 }, { 0, 0, 0 }, { 0, 0, 0, 0 }, { 0, 0, 0 } },
        { SN_BLEND_MODULATE, { half, half, half, 1 }, { 0, 0, 0 }, { 0, 0, 0, 0.5f }, { 0, 0, 0 } },
        { SN_BLEND_MODULATE, { half, half, 1, 1 }, { 0, 0, 0 }, { 0, 0, 1, 0.5f }, { 0, 0, 0 } },
        { SN_BLEND_MODULATE_2X, { half, half, half, 1 }, { 0, 0, 0 }, { 0, 0, 0, 0 }, { 0, 0, 0 } },
        { SN_BLEND_SUBTRACT, { half, half, half, 1 }, { 0, 0, 0 }, { 0, 0, 0, 0.5f }, { 0, 0, 0 } },
    };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        given *g = start();
        sn_layer *given_layer = add(g, cases[i / 2].blend, 1, 1, PIXELS(0xFFFFFFFF));
        given_layer->color = cases[i / 2].color;
        given_layer->emissive = cases[i / 2].glow;
        if (i % 2 == 0) given_layer->maps[SN_MAP_COLOR].image = -1;
        else g->images[0].data = NULL, g->images[0].size = 0;
        const sn_layer *layer = save(g);
        assert_int_equal(layer->blend, SN_BLEND_ALPHA);
        const float *color = &layer->color.x, *wanted = &cases[i / 2].wanted.x;
        for (int c = 0; c < 4; c++) assert_within(color[c], wanted[c], 1e-5);
        assert_within(layer->emissive.x, cases[i / 2].wanted_glow.x, 1e-5);
        assert_within(layer->emissive.y, cases[i / 2].wanted_glow.y, 1e-5);
        sn_model_free(g->again.model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(team_colour_shows_through_the_skin),
        cmocka_unit_test(the_larger_picture_gives_the_name),
        cmocka_unit_test(light_is_added),
        cmocka_unit_test(other_blends),
        cmocka_unit_test(alpha_tests_decide),
        cmocka_unit_test(a_tested_base_keeps_its_holes),
        cmocka_unit_test(colours_of_layers_are_baked),
        cmocka_unit_test(layers_that_blend_lie_on_each_other),
        cmocka_unit_test(smaller_pictures_are_stretched),
        cmocka_unit_test(the_same_is_baked_once),
        cmocka_unit_test(what_does_not_fit_is_named),
        cmocka_unit_test(what_moves_is_baked_as_at_rest),
        cmocka_unit_test(a_texture_may_move_over_one_colour),
        cmocka_unit_test(without_anything_opaque_the_highest_that_blends_stays),
        cmocka_unit_test(what_multiplies_is_not_kept_alone),
        cmocka_unit_test(single_blends_become_alpha),
        cmocka_unit_test(blends_of_one_colour_become_alpha),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
