// Materials, textures and their animation; geoset animations.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hand_models.h"
#include "mdl_text.h"

#define TWO "Sequences 2 { Anim \"Stand\" { Interval { 0, 1000 }, } Anim \"Walk\" { Interval { 2000, 3000 }, } } "
#define TEXTURES                                                                                                       \
    "Textures 3 { Bitmap { Image \"Units\\Human\\Footman.blp\", WrapWidth, } Bitmap { Image \"\", ReplaceableId 1, } " \
    "Bitmap { Image \"\", ReplaceableId 2, WrapHeight, } } "

static const sn_track *find_track(const sn_model *model, uint32_t clip, sn_channel channel)
{
    for (uint32_t i = 0; i < model->clips[clip].track_count; i++)
        if (model->clips[clip].tracks[i].channel == channel) return &model->clips[clip].tracks[i];
    return NULL;
}

static float sampled(const sn_track *track, float seconds)
{
    float out[4] = { 0 };
    assert_non_null(track);
    sn_track_sample(track, seconds, 1, 0, out);
    return out[0];
}

static void test_layers(void **state)
{
    (void)state;
    static const char *const filters[] = { "None",     "Transparent", "Blend",     "Additive",
                                           "AddAlpha", "Modulate",    "Modulate2x" };
    static const sn_blend blends[] = { SN_BLEND_OPAQUE,    SN_BLEND_OPAQUE,   SN_BLEND_ALPHA,      SN_BLEND_ADD,
                                       SN_BLEND_ADD_ALPHA, SN_BLEND_MODULATE, SN_BLEND_MODULATE_2X };
    for (int i = 0; i < 7; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 TEXTURES "Materials 1 { Material { Layer { FilterMode None, static TextureID 1, } "
                          "Layer { FilterMode %s, Unshaded, TwoSided, SphereEnvMap, NoDepthTest, NoDepthSet, static "
                          "TextureID 0, CoordId 1, static Alpha 0.5, } } }",
                 filters[i]);
        sn_model *model = mdx_mdl_load(800, text, NULL);
        assert_int_equal(model->materials[0].layer_count, 2);
        assert_string_equal(model->materials[0].name, "Footman");
        const sn_layer *layer = &model->materials[0].layers[1];
        assert_int_equal(layer->blend, blends[i]);
        assert_near(layer->alpha_cutoff, i == 1 ? 0.75 : 0);
        assert_int_equal(layer->flags, SN_LAYER_UNLIT | SN_LAYER_TWO_SIDED | SN_LAYER_SPHERE_MAP |
                                           SN_LAYER_NO_DEPTH_TEST | SN_LAYER_NO_DEPTH_WRITE);
        assert_near(layer->color.w, 0.5);
        assert_int_equal(layer->maps[SN_MAP_COLOR].image, 0);
        assert_int_equal(layer->maps[SN_MAP_COLOR].uv_set, 1);
        assert_int_equal(layer->maps[SN_MAP_COLOR].wrap_u, SN_REPEAT);
        assert_int_equal(layer->maps[SN_MAP_COLOR].wrap_v, SN_CLAMP);
        assert_int_equal(model->materials[0].layers[0].maps[SN_MAP_COLOR].image, 1);
        sn_model_free(model);
    }
}

// The image of team 3 is 540081; a TGA has blue, green, red, alpha after its header of 18 bytes.
static void test_team_colors(void **state)
{
    (void)state;
    const sn_load_opts opts = { .team = 3 };
    const uint8_t purple[] = { 0x81, 0x00, 0x54, 0xFF };
    sn_model *model = mdx_mdl_load(800, TEXTURES, &opts);
    const sn_image *color = &model->images[1], *glow = &model->images[2];
    assert_string_equal(color->mime_type, "image/x-tga");
    assert_string_equal(color->name, "team color");
    assert_int_equal(color->size, 18 + 4);
    assert_memory_equal(color->data + 18, purple, 4);
    assert_int_equal(glow->size, 18 + 32 * 32 * 4);
    assert_int_equal(glow->data[18 + 3], 0);                             // a corner
    assert_in_range(glow->data[18 + 4 * (16 * 32 + 16) + 3], 250, 255);  // the centre
    assert_int_equal(mdx_mdl_warnings(model, "IMAGE_MISSING"), 1);       // the footman
    assert_string_equal(model->images[0].uri, "Units\\Human\\Footman.blp");
    assert_string_equal(model->images[0].name, "Footman");
    sn_model_free(model);
    model = mdx_mdl_load(800, TEXTURES, NULL);
    assert_int_equal(model->images[1].data[18 + 2], 0xFF);  // red
    sn_model_free(model);
}

static bool open_footman(void *user, const char *ref, const void **data, size_t *size)
{
    if (strcmp(ref, "Units/Human/Footman.blp") != 0) return false;
    (*(int *)user)++;
    *data = "BLP1";
    *size = 4;
    return true;
}

static void test_textures_are_opened(void **state)
{
    (void)state;
    int asked = 0;
    const sn_load_opts opts = { .open_ref = open_footman, .user = &asked };
    sn_model *model = mdx_mdl_load(800,
                                   "Textures 3 { Bitmap { Image \"Units\\Human\\Footman.blp\", } Bitmap { Image "
                                   "\"Units\\Human\\Footman.blp\", } "
                                   "Bitmap { Image \"war3.w3mod:_HD.w3mod:Units\\Human\\Footman.blp\", } } ",
                                   &opts);  // the archive in Reforged
    assert_int_equal(asked, 1);
    assert_ptr_equal(model->images[0].data, model->images[2].data);
    assert_int_equal(model->images[0].size, 4);
    assert_ptr_equal(model->images[0].data, model->images[1].data);
    assert_string_equal(model->images[0].mime_type, "image/x-blp");
    sn_model_free(model);
}

static void test_layer_tracks(void **state)
{
    (void)state;
    sn_model *model = mdx_mdl_load(800,
                                   TWO TEXTURES
                                   "Materials 1 { Material { Layer { FilterMode Blend, "
                                   "TextureID 2 { Linear, 0: 0, 500: 2, } Alpha 2 { Linear, 0: 1, 1000: 0, } } } }",
                                   NULL);
    const sn_track *image = find_track(model, 0, SN_CHANNEL_IMAGE), *alpha = find_track(model, 0, SN_CHANNEL_ALPHA);
    assert_near(sampled(image, 0.499f), 0);  // never a value between
    assert_near(sampled(image, 0.5f), 2);
    assert_near(sampled(alpha, 0.25f), 0.75);
    assert_int_equal(alpha->target_kind, SN_TARGET_LAYER);
    assert_int_equal(model->clips[1].track_count, 0);  // the layer's texture is the default
    sn_model_free(model);
}

#define MOVING(tracks)                                    \
    TWO TEXTURES "TextureAnims 1 { TVertexAnim { " tracks \
                 " } } Materials 1 { Material { Layer { FilterMode None, static TextureID 0, TVertexAnimId 0, } } }"

static sn_vec2 moved_uv(const sn_model *model, float seconds, sn_vec2 uv)
{
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    sn_pose_sample(pose, 0, seconds, 0);
    sn_uv_transform t = sn_pose_layer(pose, 0, 0).uv;
    sn_pose_free(pose);
    double c = cos((double)t.rotation), s = sin((double)t.rotation), x = (double)t.scale.x * (double)uv.x,
           y = (double)t.scale.y * (double)uv.y;
    return (sn_vec2){ (float)((double)t.offset.x + c * x - s * y), (float)((double)t.offset.y + s * x + c * y) };
}

static void assert_uv(sn_vec2 uv, double x, double y)
{
    assert_within(uv.x, x, 1e-5);
    assert_within(uv.y, y, 1e-5);
}

// uv + T, rotated about the centre, scaled about the centre.
static void test_texture_animations(void **state)
{
    (void)state;
    const sn_vec2 corner = { 0, 0 }, middle = { 0.5f, 0.5f }, right = { 1, 0.5f };
    sn_model *model = mdx_mdl_load(800, MOVING("Translation 2 { Linear, 0: { 0, 0, 0 }, 1000: { 1, 2, 0 }, }"), NULL);
    assert_uv(moved_uv(model, 0.5f, corner), 0.5, 1);
    assert_int_equal(model->clips[0].track_count, 1);
    assert_int_equal(find_track(model, 0, SN_CHANNEL_UV_OFFSET)->key_count, 2);  // the curve itself, not resampled
    sn_model_free(model);
    model = mdx_mdl_load(800, MOVING("Scaling 2 { Linear, 0: { 1, 1, 1 }, 1000: { 3, 2, 1 }, }"), NULL);
    assert_uv(moved_uv(model, 1, middle), 0.5, 0.5);
    assert_uv(moved_uv(model, 1, corner), 0.5 - 1.5, 0.5 - 1);
    assert_uv(moved_uv(model, 0.5f, corner), 0.5 - 1, 0.5 - 0.75);
    sn_model_free(model);
    model = mdx_mdl_load(800,
                         MOVING("Rotation 2 { Linear, 0: { 0, 0, 0, 1 }, 1000: { 0, 0, 0.707106781, 0.707106781 }, }"),
                         NULL);
    assert_uv(moved_uv(model, 1, middle), 0.5, 0.5);
    assert_uv(moved_uv(model, 1, right), 0.5, 1);
    assert_int_equal(mdx_mdl_warnings(model, "RESAMPLED"), 1);
    sn_model_free(model);
    model = mdx_mdl_load(800,
                         MOVING("Translation 1 { Linear, 0: { 0.5, 0, 0 }, } Scaling 1 { Linear, 0: { 2, 2, 1 }, }"),
                         NULL);
    assert_uv(moved_uv(model, 0.5f, corner), 0.5, 0.5 - 1);
    sn_model_free(model);
}

#define PART(anim)                                                                                               \
    TWO TEXTURES                                                                                                 \
        "Materials 1 { Material { Layer { FilterMode None, static TextureID 0, } } } Geoset { " MDX_MDL_TRIANGLE \
        " MaterialID 0, } GeosetAnim { " anim " GeosetId 0, }"

// MDL has blue, green, red in fields and in tracks.
static void test_colors_of_geosets(void **state)
{
    (void)state;
    sn_model *model = mdx_mdl_load(800, PART("static Color { 0.25, 0.5, 1 },"), NULL);
    assert_near(model->parts[0].color.x, 1);
    assert_near(model->parts[0].color.y, 0.5);
    assert_near(model->parts[0].color.z, 0.25);
    sn_model_free(model);
    model = mdx_mdl_load(800, PART("Color 1 { Linear, 0: { 0.25, 0.5, 1 }, }"), NULL);
    const sn_track *track = find_track(model, 0, SN_CHANNEL_COLOR);
    assert_non_null(track);
    assert_near(track->values[0], 1);
    assert_near(track->values[2], 0.25);
    assert_null(find_track(model, 1, SN_CHANNEL_COLOR));  // no key: white, as at rest
    sn_model_free(model);
}

static bool shows(const sn_model *model, int32_t clip, float seconds)
{
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    sn_pose_sample(pose, clip, seconds, 0);
    sn_pose_solve(pose, NULL);
    bool is_shown = sn_pose_shows(pose, 0);
    sn_pose_free(pose);
    return is_shown;
}

static void test_alpha_0_hides_a_part(void **state)
{
    (void)state;
    sn_model *model = mdx_mdl_load(800, PART("Alpha 2 { DontInterp, 0: 1, 500: 0, }"), NULL);
    assert_true(shows(model, 0, 0.4f));
    assert_false(shows(model, 0, 0.5f));
    assert_true(shows(model, 1, 0.5f));                // no key: opaque
    assert_int_equal(model->clips[0].track_count, 1);  // visibility and nothing else
    sn_model_free(model);
    model = mdx_mdl_load(800, PART("static Alpha 0,"), NULL);
    assert_false(shows(model, -1, 0));
    sn_model_free(model);
    model = mdx_mdl_load(800, PART("Alpha 1 { DontInterp, 0: 0, }"), NULL);
    assert_false(shows(model, 0, 0.5f));
    assert_true(shows(model, 1, 0.5f));
    sn_model_free(model);
}

// 0 at 0 ms, 0 at 400 ms, 1 at 800 ms, and back across the end.
static void test_fading_parts_are_visible(void **state)
{
    (void)state;
    sn_model *model = mdx_mdl_load(800, PART("Alpha 3 { Linear, 0: 0, 400: 0, 800: 1, }"), NULL);
    assert_false(shows(model, 0, 0.2f));
    assert_true(shows(model, 0, 0.6f));
    assert_true(shows(model, 0, 0.9f));
    assert_near(sampled(find_track(model, 0, SN_CHANNEL_ALPHA), 0.6f), 0.5);
    sn_model_free(model);
}

static void test_the_last_geoset_animation_wins(void **state)
{
    (void)state;
    sn_model *model = mdx_mdl_load(800,
                                   PART("static Alpha 0,") " GeosetAnim { static Alpha 0.5, GeosetId 0, } GeosetAnim { "
                                                           "static Alpha 0, GeosetId 7, }",
                                   NULL);
    assert_near(model->parts[0].color.w, 0.5);
    assert_true(shows(model, -1, 0));
    assert_int_equal(mdx_mdl_warnings(model, "REFERENCE"), 1);
    sn_model_free(model);
}

#define SIX                                                                                                            \
    "Textures 6 { Bitmap { Image \"d.blp\", } Bitmap { Image \"n.blp\", } Bitmap { Image \"o.blp\", } Bitmap { Image " \
    "\"e.blp\", } Bitmap { Image \"\", ReplaceableId 1, } Bitmap { Image \"env.blp\", } } "

static bool open_any(void *user, const char *ref, const void **data, size_t *size)
{
    (void)user, (void)ref;
    *data = "BLP1";
    *size = 4;
    return true;
}

static void test_six_textures_are_one_layer(void **state)
{
    (void)state;
    const sn_load_opts opts = { .open_ref = open_any };
    sn_model *model = mdx_mdl_load(
        1000,
        SIX "Materials 1 { Material { Shader \"Shader_HD_DefaultUnit\", Layer { FilterMode Transparent, static "
            "TextureID 0, EmissiveGain 2, } "
            "Layer { FilterMode None, static TextureID 1, } Layer { FilterMode None, static TextureID 2, } Layer "
            "{ FilterMode None, static TextureID 3, } "
            "Layer { FilterMode None, static TextureID 4, } Layer { FilterMode None, static TextureID 5, } } }",
        &opts);
    assert_int_equal(model->materials[0].layer_count, 1);
    const sn_layer *layer = &model->materials[0].layers[0];
    const int images[] = {
        [SN_MAP_COLOR] = 0, [SN_MAP_METAL_ROUGH] = 2, [SN_MAP_NORMAL] = 1, [SN_MAP_OCCLUSION] = 2, [SN_MAP_EMISSIVE] = 3
    };
    for (int i = 0; i < SN_MAP_COUNT; i++) assert_int_equal(layer->maps[i].image, images[i]);
    assert_near(layer->alpha_cutoff, 0.75);
    assert_near(layer->metallic, 1);
    assert_near(layer->emissive.y, 2);
    sn_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layers),
        cmocka_unit_test(test_team_colors),
        cmocka_unit_test(test_textures_are_opened),
        cmocka_unit_test(test_layer_tracks),
        cmocka_unit_test(test_texture_animations),
        cmocka_unit_test(test_colors_of_geosets),
        cmocka_unit_test(test_alpha_0_hides_a_part),
        cmocka_unit_test(test_fading_parts_are_visible),
        cmocka_unit_test(test_the_last_geoset_animation_wins),
        cmocka_unit_test(test_six_textures_are_one_layer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
