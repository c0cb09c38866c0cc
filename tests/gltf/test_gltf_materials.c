// glTF materials, textures and images: defaults, codes, and pictures from three places.
#include "check_model.h"
#include "gltf_text.h"
#include "hand_models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char png[] = "\x89PNG\r\n\x1A\n....", jpeg[] = "\xFF\xD8\xFF\xE0....";

static sn_model *load_material(const char *members)
{
    char json[2048];
    snprintf(json, sizeof json,
             "{" ASSET ",'images':[{'uri':'data:;base64,iVBORw0KGgo='},{'uri':'data:;base64,"
             "iVBORw0KGgo='}],"
             "'samplers':[{}],'textures':[{'source':1},{'source':0,'sampler':0},{}],'materials':[{%s}]}",
             members);
    return load_json(json);
}

static void expect_vec4(sn_vec4 value, double x, double y, double z, double w)
{
    assert_vec3(((sn_vec3){ value.x, value.y, value.z }), x, y, z);
    assert_near(value.w, w);
}

static void a_material_of_defaults(void **state)
{
    (void)state;
    static const char *const empties[] = { "", "'pbrMetallicRoughness':{}" };
    for (int i = 0; i < 2; i++) {
        sn_model *model = load_material(empties[i]);
        assert_int_equal(model->materials[0].layer_count, 1);
        const sn_layer *layer = &model->materials[0].layers[0];
        expect_vec4(layer->color, 1, 1, 1, 1);
        assert_vec3(layer->emissive, 0, 0, 0);
        assert_near(layer->metallic, 1);
        assert_near(layer->roughness, 1);
        assert_near(layer->alpha_cutoff, 0);
        assert_int_equal(layer->blend, SN_BLEND_OPAQUE);
        assert_int_equal(layer->flags, 0);
        for (int map = 0; map < SN_MAP_COUNT; map++) {
            assert_int_equal(layer->maps[map].image, -1);
            assert_near(layer->maps[map].strength, 1);
            assert_near(layer->maps[map].transform.scale.y, 1);
        }
        assert_string_equal(model->materials[0].name, "");
        assert_int_equal(model->warning_count, 0);
        sn_model_free(model);
    }
}

static void everything_given(void **state)
{
    (void)state;
    sn_model *model = load_material(
        "'name':'skin','extras':[7],'pbrMetallicRoughness':{'baseColorFactor':[0.1,0.2,0.3,0.4],'metallicFactor':0.25,"
        "'roughnessFactor':0,'baseColorTexture':{'index':0},'metallicRoughnessTexture':{'index':1,'texCoord':1}},"
        "'normalTexture':{'index':0,'scale':0.5,'texCoord':2},'occlusionTexture':{'index':1,'strength':0.75},"
        "'emissiveTexture':{'index':0,'texCoord':3},'emissiveFactor':[1,0.5,0.25],'doubleSided':true");
    const sn_layer *layer = &model->materials[0].layers[0];
    expect_vec4(layer->color, 0.1, 0.2, 0.3, 0.4);
    assert_vec3(layer->emissive, 1, 0.5, 0.25);
    assert_near(layer->metallic, 0.25);
    assert_near(layer->roughness, 0);
    assert_int_equal(layer->flags, SN_LAYER_TWO_SIDED);
    static const struct {
        int32_t image, uv;
        double strength;
    } maps[SN_MAP_COUNT] = {
        [SN_MAP_COLOR] = { 1, 0, 1 },        [SN_MAP_METAL_ROUGH] = { 0, 1, 1 }, [SN_MAP_NORMAL] = { 1, 2, 0.5 },
        [SN_MAP_OCCLUSION] = { 0, 0, 0.75 }, [SN_MAP_EMISSIVE] = { 1, 3, 1 },
    };
    for (int i = 0; i < SN_MAP_COUNT; i++) {
        assert_int_equal(layer->maps[i].image, maps[i].image);
        assert_int_equal(layer->maps[i].uv_set, maps[i].uv);
        assert_near(layer->maps[i].strength, maps[i].strength);
    }
    assert_string_equal(model->materials[0].name, "skin");
    assert_string_equal(model->materials[0].extras, "[7]");
    sn_model_free(model);
}

static void alpha_modes(void **state)
{
    (void)state;
    static const struct {
        const char *members;
        sn_blend blend;
        double cutoff;
    } rows[] = {
        { "'alphaMode':'OPAQUE'", SN_BLEND_OPAQUE, 0 },
        { "'alphaMode':'OPAQUE','alphaCutoff':0.75", SN_BLEND_OPAQUE, 0 },
        { "'alphaCutoff':0.75", SN_BLEND_OPAQUE, 0 },
        { "'alphaMode':'MASK'", SN_BLEND_OPAQUE, 0.5 },
        { "'alphaMode':'MASK','alphaCutoff':0.25", SN_BLEND_OPAQUE, 0.25 },
        { "'alphaCutoff':0.25,'alphaMode':'MASK'", SN_BLEND_OPAQUE, 0.25 },
        { "'alphaMode':'BLEND'", SN_BLEND_ALPHA, 0 },
        { "'alphaMode':'BLEND','alphaCutoff':0.25", SN_BLEND_ALPHA, 0 },
        { "'alphaMode':'GLOW'", SN_BLEND_OPAQUE, 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sn_model *model = load_material(rows[i].members);
        assert_int_equal(model->materials[0].layers[0].blend, rows[i].blend);
        assert_near(model->materials[0].layers[0].alpha_cutoff, rows[i].cutoff);
        assert_int_equal(count_warnings(model, SNI_WARN_VALUE_RANGE), i == 8);
        sn_model_free(model);
    }
}

static void textures_that_are_not_there(void **state)
{
    (void)state;
    sn_model *model = load_material("'pbrMetallicRoughness':{'baseColorTexture':{'index':2},"
                                    "'metallicRoughnessTexture':{'index':99}},"
                                    "'normalTexture':{},'emissiveTexture':7");
    for (int i = 0; i < SN_MAP_COUNT; i++) assert_int_equal(model->materials[0].layers[0].maps[i].image, -1);
    assert_int_equal(count_warnings(model, SNI_WARN_REFERENCE), 1);
    assert_int_equal(count_warnings(model, SNI_WARN_JSON_TYPE), 1);
    sn_model_free(model);
}

static sn_texture sampled(const char *sampler)
{
    char json[1024];
    snprintf(json, sizeof json,
             "{" ASSET ",'images':[{'uri':'data:;base64,iVBORw0KGgo='}],'samplers':[{%s}],"
             "'textures':[{'source':0,'sampler':0}],"
             "'materials':[{'pbrMetallicRoughness':{'baseColorTexture':{'index':0}}}]}",
             sampler);
    sn_model *model = load_json(json);
    sn_texture texture = model->materials[0].layers[0].maps[SN_MAP_COLOR];
    assert_int_equal(texture.image, 0);
    sn_model_free(model);
    return texture;
}

static void sampler_codes(void **state)
{
    (void)state;
    static const struct {
        int code;
        sn_texture_wrap wrap;
    } wraps[] = { { 10497, SN_REPEAT }, { 33071, SN_CLAMP }, { 33648, SN_MIRROR } };
    static const struct {
        int code;
        sn_filter filter;
    } filters[] = { { 9728, SN_FILTER_NEAREST },
                    { 9729, SN_FILTER_LINEAR },
                    { 9984, SN_FILTER_NEAREST_MIP_NEAREST },
                    { 9985, SN_FILTER_LINEAR_MIP_NEAREST },
                    { 9986, SN_FILTER_NEAREST_MIP_LINEAR },
                    { 9987, SN_FILTER_LINEAR_MIP_LINEAR } };
    sn_texture texture = sampled("");
    assert_int_equal(texture.wrap_u, SN_REPEAT);
    assert_int_equal(texture.wrap_v, SN_REPEAT);
    assert_int_equal(texture.mag_filter, SN_FILTER_AUTO);
    assert_int_equal(texture.min_filter, SN_FILTER_AUTO);
    char text[96];
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "'wrapS':%d", wraps[i].code);
        assert_int_equal(sampled(text).wrap_u, wraps[i].wrap);
        assert_int_equal(sampled(text).wrap_v, SN_REPEAT);
        snprintf(text, sizeof text, "'wrapT':%d", wraps[i].code);
        assert_int_equal(sampled(text).wrap_u, SN_REPEAT);
        assert_int_equal(sampled(text).wrap_v, wraps[i].wrap);
    }
    for (int i = 0; i < 6; i++) {
        snprintf(text, sizeof text, "'minFilter':%d", filters[i].code);
        assert_int_equal(sampled(text).min_filter, filters[i].filter);
        assert_int_equal(sampled(text).mag_filter, SN_FILTER_AUTO);
        if (i > 1) continue;
        snprintf(text, sizeof text, "'magFilter':%d", filters[i].code);
        assert_int_equal(sampled(text).mag_filter, filters[i].filter);
    }
}

static void images_from_views(void **state)
{
    (void)state;
    gltf_draft *draft = draft_start();
    draft_view(draft, png, sizeof png - 1, "");
    draft_view(draft, jpeg, sizeof jpeg - 1, "");
    draft_view(draft, "what?", 5, "");
    sn_model *model = load_draft(draft, "'images':[{'bufferView':0,'mimeType':'image/png','name':'a'},{'bufferView':1,"
                                        "'mimeType':'image/jpeg'},"
                                        "{'bufferView':1,'mimeType':'image/png'},{'bufferView':2},{'bufferView':0}]");
    assert_int_equal(model->image_count, 5);
    assert_int_equal(model->images[0].size, sizeof png - 1);
    assert_memory_equal(model->images[0].data, png, sizeof png - 1);
    assert_string_equal(model->images[0].name, "a");
    static const char *const types[] = { "image/png", "image/jpeg", "image/jpeg", "", "image/png" };
    for (int i = 0; i < 5; i++) {
        assert_string_equal(model->images[i].mime_type, types[i]);
        assert_string_equal(model->images[i].uri, "");
    }
    assert_int_equal(count_warnings(model, SNI_WARN_IMAGE_TYPE), 1);
    assert_true(warns_at(model, SNI_WARN_IMAGE_TYPE, "/images/2"));
    sn_model_free(model);
}

static void an_image_past_the_buffer_is_no_image(void **state)
{
    (void)state;
    gltf_draft *draft = draft_start();
    draft_view(draft, png, sizeof png - 1, "");
    draft_close(draft, "'bufferViews':[{'buffer':0,'byteOffset':4,'byteLength':12}],'images':[{'bufferView':0}]");
    sn_error error;
    sn_model *model = sn_load_memory(draft->file.data, draft->file.size, NULL, &error);
    if (model) assert_null(model->images[0].data);
    else assert_int_equal(error.status, SN_ERR_CORRUPT);
    sn_model_free(model);
}

static void images_from_files(void **state)
{
    (void)state;
    test_shelf shelf = { .files = { { "tex/a b.png", png, sizeof png - 1 }, { "c.jpg", jpeg, sizeof jpeg - 1 } } };
    sn_load_opts opts = shelf_opts(&shelf);
    char json[512];
    quoted("{" ASSET ",'images':[{'uri':'tex/a%20b.png'},{'uri':'c.jpg','mimeType':'image/png'},{'uri':'gone.png',"
           "'name':'lost'},{},"
           "{'bufferView':9}],'textures':[{'source':2}],'materials':[{'emissiveTexture':{'index':0}}]}",
           json, sizeof json);
    sn_model *model = load_bytes(json, strlen(json), &opts);
    assert_memory_equal(model->images[0].data, png, sizeof png - 1);
    assert_string_equal(model->images[0].uri, "tex/a%20b.png");  // as the file says it
    assert_string_equal(model->images[1].mime_type, "image/jpeg");
    assert_true(warns_at(model, SNI_WARN_IMAGE_TYPE, "/images/1"));
    for (int i = 2; i < 5; i++) assert_null(model->images[i].data);
    assert_true(warns_at(model, SNI_WARN_IMAGE_MISSING, "/images/2"));
    assert_string_equal(model->images[2].uri, "gone.png");
    assert_string_equal(model->images[2].name, "lost");
    assert_int_equal(model->materials[0].layers[0].maps[SN_MAP_EMISSIVE].image, 2);  // its material keeps it
    sn_model_free(model);
}

static void images_from_data_uris(void **state)
{
    (void)state;
    sn_model *model = load_json("{" ASSET ",'images':[{'uri':'data:image/png;base64,iVBORw0KGgo='},"
                                "{'uri':'data:image/png;base64,/9j/4A==','mimeType':'image/jpeg'},"
                                "{'uri':'data:image/png;base64,/9j/4A'}]}");
    static const char *const types[] = { "image/png", "image/jpeg", "image/jpeg" };
    for (int i = 0; i < 3; i++) {
        assert_string_equal(model->images[i].mime_type, types[i]);
        assert_string_equal(model->images[i].uri, "");
    }
    assert_int_equal(model->images[0].size, 8);
    assert_int_equal(model->images[1].size, 4);
    assert_false(warns_at(model, SNI_WARN_IMAGE_TYPE, "/images/1"));
    sn_model_free(model);
}

static void wrong_numbers_in_materials(void **state)
{
    (void)state;
    sn_model *model = load_material("'pbrMetallicRoughness':{'baseColorFactor':[1,2,3],'metallicFactor':'a lot',"
                                    "'roughnessFactor':1e99,"
                                    "'baseColorTexture':{'index':0,'texCoord':-1}},'emissiveFactor':[1,null,1],"
                                    "'doubleSided':1");
    const sn_layer *layer = &model->materials[0].layers[0];
    expect_vec4(layer->color, 1, 1, 1, 1);
    assert_near(layer->metallic, 1);
    assert_near(layer->roughness, 1);
    assert_vec3(layer->emissive, 0, 0, 0);
    assert_int_equal(layer->flags, 0);
    assert_true(model->warning_count >= 6);
    sn_model_free(model);
}

// A triangle in the xy plane whose u runs along x and v (downwards, as glTF counts) against y: the tangent is +x, and
// cross(normal, tangent) is +y, which is up in the picture: w = 1.
static void tangents_are_made_when_asked_for(void **state)
{
    (void)state;
    gltf_draft *draft = draft_start();
    draft_floats(draft, "VEC3", 3, (const float[]){ 0, 0, 0, 1, 0, 0, 0, 1, 0 });
    draft_floats(draft, "VEC3", 3, (const float[]){ 0, 0, 1, 0, 0, 1, 0, 0, 1 });
    draft_floats(draft, "VEC2", 3, (const float[]){ 0, 1, 1, 1, 0, 0 });
    draft_close(draft,
                "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'NORMAL':1,'TEXCOORD_0':2},'material':0}]}],"
                "'materials':[{'normalTexture':{'index':0}}],'textures':[{'source':0}],"
                "'images':[{'uri':'data:;base64,iVBORw0KGgo='}],'nodes':[{'mesh':0}]");
    sn_model *plain = load_bytes(draft->file.data, draft->file.size, NULL);
    assert_null(plain->meshes[0].tangents);
    sn_model_free(plain);
    sn_model *model = load_bytes(draft->file.data, draft->file.size, &(sn_load_opts){ .tangents = true });
    assert_non_null(model->meshes[0].tangents);
    for (int i = 0; i < 3; i++) expect_vec4(model->meshes[0].tangents[i], 1, 0, 0, 1);
    sn_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_material_of_defaults),
        cmocka_unit_test(everything_given),
        cmocka_unit_test(alpha_modes),
        cmocka_unit_test(textures_that_are_not_there),
        cmocka_unit_test(sampler_codes),
        cmocka_unit_test(images_from_views),
        cmocka_unit_test(an_image_past_the_buffer_is_no_image),
        cmocka_unit_test(images_from_files),
        cmocka_unit_test(images_from_data_uris),
        cmocka_unit_test(wrong_numbers_in_materials),
        cmocka_unit_test(tangents_are_made_when_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
