// glTF extensions: what each becomes in the model, and that a document written again says the same.
#include "check_model.h"
#include "gltf_text.h"
#include "hand_models.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/gltf/gltf_doc.h"

#define PNG  "'data:image/png;base64,iVBORw0KGgo='"
#define WEBP "'data:image/webp;base64,UklGRhwAAABXRUJQVlA4TA=='"

static const float ramp[6] = { 0, 1, 2, 3, 4, 5 };

// A triangle with one morph: accessors 0 (positions) and 1 (deltas), mesh 0 of what follows.
#define TRIANGLE "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'targets':[{'POSITION':1}]}]}]"
static gltf_draft *start_triangle(void)
{
    static const float corners[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 }, deltas[9] = { 0, 0, 1, 0, 0, 1, 0, 0, 1 };
    gltf_draft *draft = draft_start();
    assert_int_equal(draft_floats(draft, "VEC3", 3, corners), 0);
    assert_int_equal(draft_floats(draft, "VEC3", 3, deltas), 1);
    return draft;
}

static sn_vec2 transform_uv(const sn_uv_transform *transform, double u, double v)
{
    // As sinew.h says it: scale, then turn u towards v, then move.
    double x = u * transform->scale.x, y = v * transform->scale.y, c = cos(transform->rotation),
           s = sin(transform->rotation);
    return (sn_vec2){ (float)(transform->offset.x + c * x - s * y), (float)(transform->offset.y + s * x + c * y) };
}

static void expect_uv(sn_vec2 value, double u, double v)
{
    assert_near(value.x, u);
    assert_near(value.y, v);
}

// The extension's own example: the lower left quarter of the picture (v counts down), turned clockwise by 90 degrees.
static void texture_transform_turns_as_specified(void **state)
{
    (void)state;
    sn_model *model = load_json(
        "{" ASSET ",'extensionsUsed':['KHR_texture_transform'],'images':[{'uri':" PNG "}],"
        "'textures':[{'source':0}],'materials':[{'emissiveTexture':{'index':0,'extensions':"
        "{'KHR_texture_transform':{'offset':[0,1],'rotation':1.57079632679,'scale':[0.5,0.5]}}}}]}");
    const sn_texture *map = &model->materials[0].layers[0].maps[SN_MAP_EMISSIVE];
    assert_int_equal(map->image, 0);
    expect_uv(transform_uv(&map->transform, 0, 0), 0, 1);
    expect_uv(transform_uv(&map->transform, 1, 0), 0, 0.5);
    expect_uv(transform_uv(&map->transform, 0, 1), 0.5, 1);
    expect_uv(transform_uv(&map->transform, 1, 1), 0.5, 0.5);
    assert_int_equal(model->warning_count, 0);
    sn_model_free(model);
}

static void texture_transform_of_each_map(void **state)
{
    (void)state;
    sn_model *model = load_json(
        "{" ASSET ",'images':[{'uri':" PNG "}],'textures':[{'source':0}],'materials':[{'pbrMetallicRoughness':{"
        "'baseColorTexture':{'index':0,'texCoord':1,'extensions':{'KHR_texture_transform':{'texCoord':0,'scale':[2,-3]}"
        "}},"
        "'metallicRoughnessTexture':{'index':0,'texCoord':1,'extensions':{'KHR_texture_transform':{}}}},"
        "'normalTexture':{'index':0,'scale':0.25,'extensions':{'KHR_texture_transform':{'texCoord':2}}}}]}");
    const sn_texture *maps = model->materials[0].layers[0].maps;
    assert_int_equal(maps[SN_MAP_COLOR].uv_set, 0);
    assert_near(maps[SN_MAP_COLOR].transform.scale.x, 2);
    assert_near(maps[SN_MAP_COLOR].transform.scale.y, -3);
    assert_int_equal(maps[SN_MAP_METAL_ROUGH].uv_set, 1);
    assert_near(maps[SN_MAP_METAL_ROUGH].transform.scale.x, 1);
    assert_int_equal(maps[SN_MAP_NORMAL].uv_set, 2);
    assert_near(maps[SN_MAP_NORMAL].strength, 0.25);
    assert_int_equal(maps[SN_MAP_OCCLUSION].image, -1);
    assert_near(maps[SN_MAP_OCCLUSION].transform.scale.y, 1);
    sn_model_free(model);
}

static void looks_that_are_read(void **state)
{
    (void)state;
    sn_model *model = load_json(
        "{" ASSET ",'images':[{'uri':" PNG "},{'uri':" PNG "}],'textures':[{'source':1},{'source':0}],'materials':["
        "{'extensions':{'KHR_materials_unlit':{}}},"
        "{'emissiveFactor':[1,0.5,0],'extensions':{'KHR_materials_emissive_strength':{'emissiveStrength':4}}},"
        "{'pbrMetallicRoughness':{'baseColorFactor':[0,0,0,1],'baseColorTexture':{'index':1},'metallicRoughnessTexture'"
        ":"
        "{'index':1}},'extensions':{'KHR_materials_pbrSpecularGlossiness':{'diffuseFactor':[0.5,0.25,1,0.75],"
        "'diffuseTexture':{'index':0,'texCoord':1},'glossinessFactor':0.75}}},"
        "{'extensions':{'KHR_materials_pbrSpecularGlossiness':{'specularGlossinessTexture':{'index':0}}}}]}");
    assert_int_equal(model->materials[0].layers[0].flags, SN_LAYER_UNLIT);
    assert_vec3(model->materials[1].layers[0].emissive, 4, 2, 0);
    const sn_layer *gloss = &model->materials[2].layers[0];
    assert_near(gloss->color.x, 0.5);
    assert_near(gloss->color.w, 0.75);
    assert_near(gloss->metallic, 0);
    assert_near(gloss->roughness, 0.25);
    assert_int_equal(gloss->maps[SN_MAP_COLOR].image, 1);
    assert_int_equal(gloss->maps[SN_MAP_COLOR].uv_set, 1);
    assert_int_equal(gloss->maps[SN_MAP_METAL_ROUGH].image, -1);
    assert_near(model->materials[3].layers[0].roughness, 0);
    assert_true(warns_at(model, SNI_WARN_LOST_CONTENT, "/materials/3"));
    sn_model_free(model);
}

static void pictures_of_other_kinds(void **state)
{
    (void)state;
    sn_model *model = load_json(
        "{" ASSET
        ",'extensionsUsed':['EXT_texture_webp','KHR_texture_basisu'],'extensionsRequired':['EXT_texture_webp'],"
        "'images':[{'uri':" PNG "},{'uri':" WEBP
        "}],'textures':[{'source':0,'extensions':{'EXT_texture_webp':{'source':1}}},"
        "{'extensions':{'EXT_texture_webp':{'source':1}}},{'extensions':{'KHR_texture_basisu':{'source':0}}},"
        "{'extensions':{'EXT_texture_webp':{'source':7}}}],'materials':[{'emissiveTexture':{'index':0}},"
        "{'emissiveTexture':{'index':1}},{'emissiveTexture':{'index':2}},{'emissiveTexture':{'index':3}}]}");
    static const int expected[4] = { 0, 1, 0, -1 };
    for (int i = 0; i < 4; i++)
        assert_int_equal(model->materials[i].layers[0].maps[SN_MAP_EMISSIVE].image, expected[i]);
    assert_string_equal(model->images[1].mime_type, "image/webp");
    assert_true(warns_at(model, SNI_WARN_REFERENCE, "/textures/3/extensions/EXT_texture_webp/source"));
    sn_model_free(model);
}

static void lights_stand_on_nodes(void **state)
{
    (void)state;
    sn_model *model = load_json(
        "{" ASSET ",'nodes':[{'children':[1],'extensions':{'KHR_lights_punctual':{'light':1}}},"
        "{'extensions':{'KHR_lights_punctual':{'light':1}}},{'extensions':{'KHR_lights_punctual':{'light':9}}}],"
        "'extensions':{'KHR_lights_punctual':{'lights':[{'name':'sun','type':'directional','color':[1,0.5,0],"
        "'intensity':3,'range':7,'extras':{'a':1}},{'type':'spot','range':5,'spot':{'innerConeAngle':0.25}},"
        "{'type':'lava'}]}}}");
    assert_int_equal(model->light_count, 4);
    const sn_light *spot = &model->lights[0], *sun = &model->lights[2], *lava = &model->lights[3];
    assert_int_equal(spot->kind, SN_LIGHT_SPOT);
    assert_int_equal(spot->node, 0);
    assert_int_equal(model->lights[1].node, 1);
    assert_near(spot->inner_angle, 0.25);
    assert_near(spot->outer_angle, PI / 4);
    assert_near(spot->range, 5);
    assert_near(spot->intensity, 1);
    assert_vec3(spot->color, 1, 1, 1);
    assert_int_equal(sun->kind, SN_LIGHT_DIRECTIONAL);
    assert_int_equal(sun->node, -1);
    assert_string_equal(sun->name, "sun");
    assert_string_equal(sun->extras, "{\"a\":1}");
    assert_vec3(sun->color, 1, 0.5, 0);
    assert_near(sun->intensity, 3);
    assert_near(sun->range, 0);
    assert_int_equal(lava->node, -1);
    assert_true(warns_at(model, SNI_WARN_VALUE_RANGE, "/extensions/KHR_lights_punctual/lights/2/type"));
    assert_true(warns_at(model, SNI_WARN_REFERENCE, "/nodes/2/light"));
    sn_model_free(model);
}

static void hidden_nodes(void **state)
{
    (void)state;
    sn_model
        *model = load_draft(start_triangle(), TRIANGLE
                            ",'nodes':[{'children':[1],'mesh':0,'extensions':"
                            "{'KHR_node_visibility':{'visible':false}}},{'mesh':0},{'mesh':0,'extensions':"
                            "{'KHR_node_visibility':{'visible':true}}},{'extensions':{'KHR_node_visibility':{}}}]");
    assert_int_equal(model->nodes[0].flags, SN_NODE_HIDDEN);
    for (int i = 1; i < 4; i++) assert_int_equal(model->nodes[i].flags, 0);
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    sn_pose_sample(pose, -1, 0, 0);
    sn_pose_solve(pose, NULL);
    assert_false(sn_pose_shows(pose, 0));
    assert_false(sn_pose_shows(pose, 1));
    assert_true(sn_pose_shows(pose, 2));
    sn_pose_free(pose);
    sn_model_free(model);
}

static void instances_are_nodes(void **state)
{
    (void)state;
    static const float moves[6] = { 1, 2, 3, 4, 5, 6 }, sizes[6] = { 1, 1, 1, 2, 3, 4 };
    static const int8_t turns[8] = { 0, 0, 0, 127, 0, 0, 127, 0 };
    gltf_draft *draft = start_triangle();
    draft_floats(draft, "VEC3", 2, moves);
    draft_floats(draft, "VEC3", 2, sizes);
    draft_accessor(draft, draft_view(draft, turns, sizeof turns, ""), I8, "VEC4", 2, ",'normalized':true");
    sn_model
        *model = load_draft(draft, TRIANGLE
                            ",'nodes':[{'name':'rock','mesh':0,'translation':[10,0,0],'weights':[0.5],"
                            "'children':[1],'extensions':{'EXT_mesh_gpu_instancing':{'attributes':{'TRANSLATION':2,"
                            "'SCALE':3,'ROTATION':4,'_ID':2}}}},{'name':'moss'}]");
    assert_int_equal(model->node_count, 4);
    assert_int_equal(model->part_count, 2);
    assert_int_equal(model->mesh_count, 1);
    for (int i = 0; i < 2; i++) {
        const sn_node *node = &model->nodes[model->parts[i].node];
        assert_int_equal(node->parent, 0);
        assert_int_equal(node->id, 0);
        assert_string_equal(node->name, i ? "rock.1" : "rock.0");
        assert_near(model->parts[i].morph_weights[0], 0.5);
    }
    const sn_trs *second = &model->nodes[model->parts[1].node].rest;
    assert_vec3(second->translation, 4, 5, 6);
    assert_vec3(second->scale, 2, 3, 4);
    assert_quat(second->rotation, 0, 0, 1, 0);
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    sn_pose_sample(pose, -1, 0, 0);
    sn_pose_solve(pose, NULL);
    sn_vec3 corners[3];
    sn_skin_part(pose, 1, corners, NULL, NULL);
    assert_vec3(corners[1], 12, 5, 8);  // (1,0,0.5) * (2,3,4), half a turn, moved, and the node's own 10
    sn_pose_free(pose);
    sn_model_free(model);
}

static void instances_that_do_not_fit(void **state)
{
    (void)state;
    static const char *const attributes[] = { "'TRANSLATION':2,'SCALE':3", "'TRANSLATION':3,'ROTATION':2", "'SCALE':99",
                                              "" };
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        gltf_draft *draft = start_triangle();
        draft_floats(draft, "VEC3", 2, ramp);
        draft_floats(draft, "VEC3", 1, ramp);
        sn_model *model = load_draft(draft,
                                     TRIANGLE ",'nodes':[{'mesh':0,'extensions':{'EXT_mesh_gpu_instancing':"
                                              "{'attributes':{%s}}}}]",
                                     attributes[i]);
        assert_int_equal(model->node_count, 1);
        assert_int_equal(model->part_count, 1);
        assert_true(warns_at(model, SNI_WARN_GLTF_NODE, "/nodes/0"));
        sn_model_free(model);
    }
    gltf_draft *draft = start_triangle();
    draft_accessor(draft, -1, F32, "VEC3", 16000000, "");  // zeros: a few bytes that ask for gigabytes
    refuse_draft(draft, SN_ERR_LIMIT,
                 TRIANGLE ",'nodes':[{'mesh':0,'extensions':{'EXT_mesh_gpu_instancing':"
                          "{'attributes':{'TRANSLATION':2}}}}]");
}

// One clip whose channels point; accessor 2 is the times 0 and 1.
#define POINT(sampler, pointer)                                        \
    "{'sampler':" #sampler ",'target':{'path':'pointer','extensions':" \
    "{'KHR_animation_pointer':{'pointer':'" pointer "'}}}}"
static const float two_times[2] = { 0, 1 };

static const sn_track *find_track(const sn_model *model, sn_target kind, int32_t target, sn_channel channel)
{
    for (uint32_t i = 0; i < model->clips[0].track_count; i++) {
        const sn_track *track = &model->clips[0].tracks[i];
        if (track->target_kind == kind && track->target == target && track->channel == channel) return track;
    }
    fail_msg("no track drives channel %d of %d", (int)channel, (int)target);
    return NULL;
}

static void expect_values(const sn_track *track, uint32_t width, const double *values)
{
    assert_int_equal(track->width, width);
    uint32_t groups = track->key_count * (track->interpolation == SN_CUBIC_SPLINE ? 3 : 1);
    for (uint32_t i = 0; i < groups * width; i++) assert_near(track->values[i], values[i]);
}

static void pointers_to_nodes(void **state)
{
    (void)state;
    static const float turns[8] = { 0, 0, 0, 1, 0, 0, 1, 0 };
    static const uint8_t shown[2] = { 0, 1 };
    gltf_draft *draft = start_triangle();
    draft_floats(draft, "SCALAR", 2, two_times);
    draft_floats(draft, "VEC3", 2, ramp);
    draft_floats(draft, "VEC4", 2, turns);
    draft_floats(draft, "SCALAR", 2, two_times);
    draft_u8(draft, "SCALAR", 2, shown, "");
    sn_model *model = load_draft(
        draft, TRIANGLE
        ",'nodes':[{'children':[1]},{'mesh':0}],'animations':[{'samplers':["
        "{'input':2,'output':3},{'input':2,'output':4},{'input':2,'output':5},{'input':2,'output':6}],"
        "'channels':[" POINT(0, "/nodes/1/translation") "," POINT(0, "/nodes/0/scale") "," POINT(
            1, "/nodes/1/rotation") "," POINT(2, "/nodes/1/weights") "," POINT(3, "/nodes/0/extensions/"
                                                                                  "KHR_node_visibility/visible") "]}]");
    assert_int_equal(model->warning_count, 0);
    assert_int_equal(model->clips[0].track_count, 5);
    expect_values(find_track(model, SN_TARGET_NODE, 1, SN_CHANNEL_TRANSLATION), 3, (double[]){ 0, 1, 2, 3, 4, 5 });
    expect_values(find_track(model, SN_TARGET_NODE, 0, SN_CHANNEL_SCALE), 3, (double[]){ 0, 1, 2, 3, 4, 5 });
    expect_values(find_track(model, SN_TARGET_NODE, 1, SN_CHANNEL_ROTATION), 4, (double[]){ 0, 0, 0, 1, 0, 0, 1, 0 });
    expect_values(find_track(model, SN_TARGET_NODE, 1, SN_CHANNEL_MORPHS), 1, (double[]){ 0, 1 });
    const sn_track *visible = find_track(model, SN_TARGET_NODE, 0, SN_CHANNEL_VISIBILITY);
    assert_int_equal(visible->interpolation, SN_STEP);
    expect_values(visible, 1, (double[]){ 0, 1 });
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        sn_pose_sample(pose, 0, i ? 1.0f : 0.5f, 0);
        sn_pose_solve(pose, NULL);
        assert_int_equal(sn_pose_shows(pose, 0), i);
    }
    sn_pose_free(pose);
    sn_model_free(model);
}

#define COLOR_MAP "/materials/0/pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform/"
static void pointers_to_materials(void **state)
{
    (void)state;
    static const float colors[24] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                      12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23 };
    gltf_draft *draft = draft_start();
    draft_floats(draft, "SCALAR", 2, two_times);
    draft_floats(draft, "VEC4", 6, colors);
    draft_floats(draft, "VEC3", 2, ramp);
    draft_floats(draft, "VEC2", 2, ramp);
    // clang-format off
    sn_model *model = load_draft(
        draft,
        "'materials':[{'emissiveFactor':[1,1,1],'extensions':{'KHR_materials_emissive_strength':{'emissiveStrength':10}"
        "}}],"
        "'animations':[{'samplers':[{'input':0,'output':1,'interpolation':'CUBICSPLINE'},{'input':0,'output':2},"
        "{'input':0,'output':3},{'input':0,'output':0}],'channels':["
        POINT(0, "/materials/0/pbrMetallicRoughness/baseColorFactor") ","
        POINT(1, "/materials/0/emissiveFactor") ","
        POINT(2, COLOR_MAP "offset") ","
        POINT(2, COLOR_MAP "scale") ","
        POINT(3, COLOR_MAP "rotation") "]}]");
    // clang-format on
    assert_int_equal(model->warning_count, 0);
    assert_int_equal(model->clips[0].track_count, 6);
    const sn_track *color = find_track(model, SN_TARGET_LAYER, 0, SN_CHANNEL_COLOR);
    assert_int_equal(color->interpolation, SN_CUBIC_SPLINE);
    expect_values(color, 3, (double[]){ 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 16, 17, 18, 20, 21, 22 });
    expect_values(find_track(model, SN_TARGET_LAYER, 0, SN_CHANNEL_ALPHA), 1, (double[]){ 3, 7, 11, 15, 19, 23 });
    expect_values(find_track(model, SN_TARGET_LAYER, 0, SN_CHANNEL_EMISSIVE), 3, (double[]){ 0, 10, 20, 30, 40, 50 });
    expect_values(find_track(model, SN_TARGET_LAYER, 0, SN_CHANNEL_UV_OFFSET), 2, (double[]){ 0, 1, 2, 3 });
    expect_values(find_track(model, SN_TARGET_LAYER, 0, SN_CHANNEL_UV_SCALE), 2, (double[]){ 0, 1, 2, 3 });
    expect_values(find_track(model, SN_TARGET_LAYER, 0, SN_CHANNEL_UV_ROTATION), 1, (double[]){ 0, -1 });
    sn_model_free(model);
}

static void pointers_to_cameras_and_lights(void **state)
{
    (void)state;
    gltf_draft *draft = draft_start();
    draft_floats(draft, "SCALAR", 2, two_times);
    draft_floats(draft, "VEC3", 2, ramp);
    sn_model *model =
        load_draft(draft,
                   "'cameras':[{'type':'perspective','perspective':{'yfov':1,'znear':1}}],'nodes':[{'camera':0},"
                   "{'camera':0},"
                   "{'extensions':{'KHR_lights_punctual':{'light':0}}}],'extensions':{'KHR_lights_punctual':{'"
                   "lights':[{'type':'point'}]}},"
                   "'animations':[{'samplers':[{'input':0,'output':0},{'input':0,'output':1}],'channels':"
                   "[" POINT(0, "/cameras/0/perspective/yfov") "," POINT(
                       1, "/extensions/KHR_lights_punctual/"
                          "lights/0/color") "," POINT(0, "/extensions/KHR_lights_punctual/lights/0/intensity") "]}]");
    assert_int_equal(model->warning_count, 0);
    assert_int_equal(model->clips[0].track_count, 4);
    for (int i = 0; i < 2; i++)
        expect_values(find_track(model, SN_TARGET_CAMERA, i, SN_CHANNEL_FOV), 1, (double[]){ 0, 1 });
    expect_values(find_track(model, SN_TARGET_LIGHT, 0, SN_CHANNEL_COLOR), 3, (double[]){ 0, 1, 2, 3, 4, 5 });
    expect_values(find_track(model, SN_TARGET_LIGHT, 0, SN_CHANNEL_INTENSITY), 1, (double[]){ 0, 1 });
    sn_model_free(model);
}

static void pointers_to_nothing_are_named(void **state)
{
    (void)state;
    static const char *const pointers[] = {
        "/nodes/1/translation",
        "/nodes/00/translation",
        "/nodes/0/translationX",
        "/nodes/-1/scale",
        "nodes/0/scale",
        "/nodes/0",
        "/nodes/99999999999999999999/scale",
        "",
        "/",
        "/materials/0/alphaCutoff",
        "/cameras/0/perspective/yfov",
        "/extensions/KHR_lights_punctual/lights/0/color",
    };
    for (size_t i = 0; i < sizeof pointers / sizeof *pointers; i++) {
        gltf_draft *draft = draft_start();
        draft_floats(draft, "SCALAR", 2, two_times);
        draft_floats(draft, "VEC3", 2, ramp);
        sn_model *model =
            load_draft(draft,
                       "'materials':[{}],'nodes':[{}],'animations':[{'samplers':[{'input':0,'output':1}],"
                       "'channels':[{'sampler':0,'target':{'path':'pointer','extensions':{'KHR_animation_pointer':"
                       "{'pointer':'%s'}}}}]}]",
                       pointers[i]);
        assert_int_equal(model->clips[0].track_count, 0);
        assert_int_equal(model->warning_count, 1);
        assert_int_equal(model->warnings[0].code, SNI_WARN_TRACK_TARGET);
        assert_non_null(strstr(model->warnings[0].message, pointers[i]));
        sn_model_free(model);
    }
}

static void weights_of_instances_move(void **state)
{
    (void)state;
    gltf_draft *draft = start_triangle();
    draft_floats(draft, "SCALAR", 2, two_times);
    draft_floats(draft, "VEC3", 2, ramp);
    sn_model *model =
        load_draft(draft, TRIANGLE
                   ",'nodes':[{'mesh':0,'extensions':{'EXT_mesh_gpu_instancing':{'attributes':"
                   "{'TRANSLATION':3}}}}],'animations':[{'samplers':[{'input':2,'output':2},{'input':2,'output':3}],"
                   "'channels':[{'sampler':0,'target':{'node':0,'path':'weights'}},"
                   "{'sampler':1,'target':{'node':0,'path':'translation'}}]}]");
    assert_int_equal(model->clips[0].track_count, 3);
    for (uint32_t i = 0; i < 2; i++) find_track(model, SN_TARGET_NODE, model->parts[i].node, SN_CHANNEL_MORPHS);
    find_track(model, SN_TARGET_NODE, 0, SN_CHANNEL_TRANSLATION);
    sn_model_free(model);
}

static void looks_that_are_required_load_with_a_word(void **state)
{
    (void)state;
    sn_model *model = load_json("{" ASSET ",'extensionsUsed':['KHR_materials_transmission','KHR_materials_variants'],"
                                "'extensionsRequired':['KHR_materials_transmission'],'materials':[{'extensions':"
                                "{'KHR_materials_transmission':{'transmissionFactor':1}}},{'extensions':"
                                "{'KHR_materials_transmission':{},'EXT_own':{}}}]}");
    assert_true(warns_at(model, SNI_WARN_GLTF_EXTENSION, "/extensionsRequired/0"));
    assert_true(warns_at(model, SNI_WARN_GLTF_EXTENSION, "/extensionsUsed/1"));
    assert_int_equal(count_warnings(model, SNI_WARN_LOST_CONTENT), 1);
    assert_true(warns_at(model, SNI_WARN_GLTF_EXTENSION, "/KHR_materials_transmission"));  // kept, but not shown
    assert_true(warns_at(model, SNI_WARN_LOST_CONTENT, "/EXT_own"));
    assert_string_equal(model->materials[0].extensions, "{\"KHR_materials_transmission\":{\"transmissionFactor\":1}}");
    sn_model_free(model);
}

// The JSON of a saved model, as text.
static const char *saved_json(const sn_model *model)
{
    static char text[8192];
    sn_bytes bytes;
    sn_error error;
    if (sn_save_memory(model, "glb", NULL, &bytes, &error) != SN_OK) fail_msg("%s", error.message);
    uint32_t size = sni_load_u32(bytes.data + 12);
    assert_in_range(size, 1, sizeof text - 1);
    memcpy(text, bytes.data + 20, size);
    text[size] = 0;
    sn_bytes_free(&bytes);
    return text;
}

// Extensions that are not drawn come out as they went in: with other numbers for their textures, which the first (a
// PNG that nothing else uses) and the third of the file are; without what the extensions do not allow.
static void looks_are_kept(void **state)
{
    (void)state;
    static const float corners[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 }, uvs[6] = { 0, 0, 1, 0, 0, 1 };
    static const char dot[] =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNoaPgPAAODAgCl+4kAAAAASUVORK5CYII=";
    gltf_draft *draft = draft_start();
    int positions = draft_floats(draft, "VEC3", 3, corners), set = draft_floats(draft, "VEC2", 3, uvs);
    sn_model *model = load_draft(
        draft,
        "'images':[{'uri':'data:;base64,%s','name':'a'},{'uri':'data:;base64,%s','name':'b'},"
        "{'uri':'data:;base64,%s','name':'c'}],'textures':[{'source':2},{'source':0},{'source':1}],"
        "'materials':[{'pbrMetallicRoughness':{'baseColorTexture':{'index':2}},'extensions':{"
        "'KHR_materials_clearcoat':{'clearcoatFactor':0.5,'clearcoatRoughnessFactor':7,"
        "'clearcoatTexture':{'index':0,'extensions':{'KHR_texture_transform':{'offset':[0.5,0.25],'rotation':1}}},"
        "'clearcoatNormalTexture':{'index':0,'scale':0.5},'clearcoatRoughnessTexture':{'index':1,'texCoord':3},"
        "'mystery':{'deep':[1]}},'KHR_materials_ior':{'ior':0,'ior':2},"
        "'KHR_materials_sheen':{'sheenColorFactor':[1,0.5,0.25],'sheenColorTexture':{'index':99}}}}],"
        "'nodes':[{'mesh':0}],'scenes':[{'nodes':[0]}],"
        "'meshes':[{'primitives':[{'material':0,'attributes':{'POSITION':%d,'TEXCOORD_0':%d}}]}]",
        dot, dot, dot, positions, set);
    assert_int_equal(model->materials[0].extension_map_count, 3);
    assert_int_equal(model->materials[0].extension_maps[0].image, 2);
    const char *json = saved_json(model);
    static const char *const wanted[] = {
        "\"baseColorTexture\":{\"index\":0}",
        "\"KHR_materials_clearcoat\":{\"clearcoatFactor\":0.5,\"clearcoatTexture\":{\"index\":1,\"extensions\":"
        "{\"KHR_texture_transform\":{\"offset\":[0.5,0.25],\"rotation\":1,\"scale\":[1,1]}}},"
        "\"clearcoatNormalTexture\":{\"index\":1,\"scale\":0.5}}",
        "\"KHR_materials_ior\":{\"ior\":0}",
        "\"KHR_materials_sheen\":{\"sheenColorFactor\":[1,0.5,0.25]}",
        "\"textures\":[{\"source\":0},{\"source\":1}]",
        "\"images\":[{\"name\":\"b\"",
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (!strstr(json, wanted[i])) fail_msg("no %s in %s", wanted[i], json);
    assert_null(strstr(json, "mystery"));
    assert_null(strstr(json, "clearcoatRoughness"));
    sn_model_free(model);
}

static char losses[2048];

static void take_loss(void *user, const sn_warning *loss)
{
    (void)user;
    size_t used = strlen(losses);
    snprintf(losses + used, sizeof losses - used, "%s: %s\n", loss->path, loss->message);
}

// Saves a square of four corners in the plane z = 0 with this material and loads it again. u grows along y, so the
// tangent is the y axis. `is_bare`: it has no texture coordinates.
static sn_model *save_square(const char *material, bool is_bare)
{
    static const float corners[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0 }, uvs[8] = { 0, 0, 0, 1, 1, 0, 1, 1 };
    static const char dot[] =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNoaPgPAAODAgCl+4kAAAAASUVORK5CYII=";
    gltf_draft *draft = draft_start();
    int positions = draft_floats(draft, "VEC3", 4, corners), set = draft_floats(draft, "VEC2", 4, uvs);
    char attributes[64] = "";
    if (!is_bare) snprintf(attributes, sizeof attributes, ",'TEXCOORD_0':%d,'TEXCOORD_1':%d", set, set);
    sn_model *model = load_draft(draft,
                                 "'images':[{'uri':'data:;base64,%s'}],'textures':[{'source':0}],'materials':[{%s}],"
                                 "'nodes':[{'mesh':0}],'scenes':[{'nodes':[0]}],'meshes':[{'primitives':[{'mode':5,"
                                 "'material':0,'attributes':{'POSITION':%d%s}}]}]",
                                 dot, material, positions, attributes);
    sn_bytes bytes;
    sn_error error;
    losses[0] = 0;
    if (sn_save_memory(model, "glb", &(sn_save_opts){ .report = take_loss }, &bytes, &error) != SN_OK)
        fail_msg("%s", error.message);
    sn_model_free(model);
    model = sn_load_memory(bytes.data, bytes.size, NULL, &error);
    if (!model) fail_msg("%s", error.message);
    sn_bytes_free(&bytes);
    check_model(model);
    return model;
}

// Directions in tangent space need tangents; they are made as for a normal map.
static void extensions_with_directions_get_tangents(void **state)
{
    (void)state;
    static const char *const materials[] = {
        "'extensions':{'KHR_materials_anisotropy':{'anisotropyStrength':1}}",
        "'extensions':{'KHR_materials_anisotropy':{'anisotropyTexture':{'index':0,'texCoord':1}}}",
        "'extensions':{'KHR_materials_clearcoat':{'clearcoatNormalTexture':{'index':0}}}",
    };
    for (size_t i = 0; i < sizeof materials / sizeof *materials; i++) {
        sn_model *model = save_square(materials[i], false);
        assert_string_equal(losses, "");
        assert_non_null(model->materials[0].extensions);
        assert_int_equal(model->materials[0].extension_map_count, i > 0);
        const sn_mesh *mesh = &model->meshes[0];
        assert_non_null(mesh->tangents);
        for (uint32_t v = 0; v < mesh->vertex_count; v++) {
            assert_true(fabsf(mesh->tangents[v].x) < 1e-6f && fabsf(mesh->tangents[v].y - 1.0f) < 1e-6f);
            assert_true(mesh->normals[v].z == 1.0f);
        }
        sn_model_free(model);
    }
}

// What the extension needs is not there: it is left out, and that is reported.
static void extensions_without_what_they_need(void **state)
{
    (void)state;
    static const struct {
        const char *material, *loss, *kept;
        bool is_bare;
    } cases[] = {
        { "'extensions':{'KHR_materials_anisotropy':{'anisotropyStrength':1}}", "no tangents", NULL, true },
        { "'extensions':{'KHR_materials_anisotropy':{'anisotropyTexture':{'index':0}}}", "no tangents", NULL, true },
        { "'normalTexture':{'index':0},'extensions':{'KHR_materials_anisotropy':"
          "{'anisotropyTexture':{'index':0,'texCoord':1}}}",
          "KHR_materials_anisotropy: left out: it and the normal map", NULL, false },
        { "'normalTexture':{'index':0},'extensions':{'KHR_materials_clearcoat':"
          "{'clearcoatFactor':1,'clearcoatNormalTexture':{'index':0,'texCoord':1}}}",
          "clearcoatNormalTexture", "{\"KHR_materials_clearcoat\":{\"clearcoatFactor\":1}}", false },
        { "'extensions':{'KHR_materials_clearcoat':{'clearcoatFactor':1,'clearcoatNormalTexture':{'index':0}}}",
          "lacks texture coordinates", "{\"KHR_materials_clearcoat\":{\"clearcoatFactor\":1}}", true },
        { "'extensions':{'KHR_materials_volume':{'thicknessFactor':1},'KHR_materials_dispersion':{'dispersion':1},"
          "'KHR_materials_volume_scatter':{}}",
          "KHR_materials_volume: left out: nothing lets light into it\n"
          "materials[0]/extensions/KHR_materials_dispersion: left out: there is no volume\n"
          "materials[0]/extensions/KHR_materials_volume_scatter: left out: there is no volume",
          NULL, false },
        { "'extensions':{'KHR_materials_volume_scatter':{},'KHR_materials_ior':{'ior':2}}", "there is no volume",
          "{\"KHR_materials_ior\":{\"ior\":2}}", false },
        { "'emissiveFactor':[1,1,1],'extensions':{'KHR_materials_unlit':{},'KHR_materials_ior':{'ior':2},"
          "'KHR_materials_emissive_strength':{'emissiveStrength':4}}",
          "the material is unlit", NULL, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sn_model *model = save_square(cases[i].material, cases[i].is_bare);
        const char *kept = model->materials[0].extensions;
        if (!strstr(losses, cases[i].loss)) fail_msg("%zu reports \"%s\"", i, losses);
        if (cases[i].kept ? !kept || strcmp(kept, cases[i].kept) != 0 : kept != NULL)
            fail_msg("%zu keeps %s", i, kept ? kept : "nothing");
        sn_model_free(model);
    }
}

// doubleSided has no effect on the surface of a volume. Without thickness the material is no volume.
static void volumes_have_one_side(void **state)
{
    (void)state;
    static const char *const thickness[2] = { "0", "0.5" };
    for (int i = 0; i < 2; i++) {
        char material[256];
        snprintf(material, sizeof material,
                 "'doubleSided':true,'extensions':{'KHR_materials_transmission':{'transmissionFactor':1},"
                 "'KHR_materials_volume':{'thicknessFactor':%s}}",
                 thickness[i]);
        sn_model *model = save_square(material, false);
        assert_int_equal(!(model->materials[0].layers[0].flags & SN_LAYER_TWO_SIDED), i);
        assert_non_null(strstr(model->materials[0].extensions, "KHR_materials_volume"));
        assert_int_equal(strstr(losses, "doubleSided: left out") != NULL, i);
        sn_model_free(model);
    }
}

static void extensions_of_the_wrong_type(void **state)
{
    (void)state;
    sn_model *model = load_json(
        "{" ASSET ",'extensions':{'KHR_lights_punctual':[]},'nodes':[{'extensions':{'KHR_lights_punctual':3,"
        "'KHR_node_visibility':{'visible':0},'EXT_mesh_gpu_instancing':{'attributes':[]}}},{'extensions':[]}],"
        "'materials':[{'extensions':{'KHR_materials_emissive_strength':{'emissiveStrength':'4'},"
        "'KHR_materials_pbrSpecularGlossiness':{'diffuseFactor':[1],'diffuseTexture':[]}}},"
        "{'normalTexture':{'extensions':{'KHR_texture_transform':{'offset':1,'texCoord':-1,'rotation':1e99}}}}],"
        "'animations':[{'channels':[{'target':{'path':'pointer','extensions':{'KHR_animation_pointer':{'pointer':5}}}}]"
        "}]}");
    assert_int_equal(model->light_count, 0);
    assert_int_equal(model->nodes[0].flags, 0);
    assert_near(model->materials[0].layers[0].color.y, 1);
    sn_model_free(model);
}

static void a_node_in_two_scenes(void **state)
{
    (void)state;
    sn_model
        *model = load_draft(start_triangle(), TRIANGLE
                            ",'scene':1,'scenes':[{'nodes':[0]},{'nodes':[1,0]}],"
                            "'nodes':[{'name':'','mesh':0},{'name':'\\u001b[31m','mesh':0},{'name':'\\u001b[31m'}]");
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    for (int scene = 0; scene < 2; scene++) {
        sn_pose_set_scene(pose, scene);
        sn_pose_sample(pose, -1, 0, 0);
        sn_pose_solve(pose, NULL);
        assert_true(sn_pose_shows(pose, 0));
        assert_int_equal(sn_pose_shows(pose, 1), scene);
    }
    assert_int_equal(sn_model_find_node(model, "\x1b[31m"), 1);
    sn_pose_free(pose);
    sn_model_free(model);
}

// The joint hangs in no scene; it bends the mesh all the same.
static void joints_outside_the_scene(void **state)
{
    (void)state;
    static const uint8_t joints[12] = { 0 };
    static const float weights[12] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
    gltf_draft *draft = start_triangle();
    draft_u8(draft, "VEC4", 3, joints, "");
    draft_floats(draft, "VEC4", 3, weights);
    sn_model *model =
        load_draft(draft, "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':2,'WEIGHTS_0':3}}]}],"
                          "'skins':[{'joints':[2]}],'scene':0,'scenes':[{'nodes':[0]}],'nodes':[{'mesh':0,'skin':0},"
                          "{'translation':[0,0,5],'children':[2]},{'translation':[0,2,0]}]");
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    sn_pose_sample(pose, -1, 0, 0);
    sn_pose_solve(pose, NULL);
    sn_vec3 corners[3];
    assert_true(sn_pose_shows(pose, 0));
    sn_skin_part(pose, 0, corners, NULL, NULL);
    assert_vec3(corners[1], 1, 2, 5);
    sn_pose_free(pose);
    sn_model_free(model);
}

// Parses the text and writes the document again; free() the answer.
static char *write_again(const char *json)
{
    sni_heap heap;
    sni_load load;
    gltf_container container;
    gltf_doc doc = { 0 };
    sni_writer out;
    const sn_allocator usual = { 0 };
    sni_heap_init(&heap, &usual, 0);
    sni_load_init(&load, &heap, NULL);
    sni_writer_init(&out, &heap);
    assert_true(gltf_parse_container(&load, (sni_bytes){ (const uint8_t *)json, strlen(json) }, &container));
    assert_true(gltf_parse_json(&load, &container, &doc));
    gltf_resolve(&load, &doc);
    gltf_write_json(&doc, &out, false);
    char *text = malloc(out.size + 1);
    memcpy(text, out.data, out.size);
    text[out.size] = 0;
    sni_writer_free(&out);
    sni_arena_free(&load.scratch);
    sni_arena_free(&load.keep);
    return text;
}

static void written_again_says_the_same(void **state)
{
    (void)state;
    static const char *const said[] = {
        "'extensions':{'KHR_lights_punctual':{'light':0},'KHR_node_visibility':{'visible':false},"
        "'EXT_mesh_gpu_instancing':{'attributes':{'TRANSLATION':0}},'EXT_own':{'b': [1, 2]}}",
        "'baseColorTexture':{'index':0,'extensions':{'KHR_texture_transform':{'offset':[0.5,0],'rotation':0.25,'scale':"
        "[2,2],"
        "'texCoord':0}}},'extensions':{'EXT_own':{}}",
        "'extensions':{'KHR_materials_unlit':{},'KHR_materials_emissive_strength':{'emissiveStrength':3},"
        "'KHR_materials_ior':{'ior':1.4}}",
        "'extensions':{'KHR_materials_pbrSpecularGlossiness':{'diffuseFactor':[1,0,0,1],'diffuseTexture':{'index':0},"
        "'specularFactor':[0,0,0],'glossinessFactor':0.5}}",
        "'extensions':{'EXT_texture_webp':{'source':0},'KHR_texture_basisu':{'source':0}}",
        "'target':{'path':'pointer','extensions':{'KHR_animation_pointer':{'pointer':'/nodes/0/scale'},'EXT_own':{}}}",
        "'extensions':{'KHR_lights_punctual':{'lights':[{'name':'lamp','type':'spot','color':[1,0,0],'intensity':2,'"
        "range':4,"
        "'spot':{'innerConeAngle':0.5,'outerConeAngle':1}}]},'EXT_own':{'top':true}}",
    };
    char text[8192], quoted_said[512];
    snprintf(text, sizeof text,
             "{" ASSET ",'nodes':[{%s}],'materials':[{'pbrMetallicRoughness':{%s},%s},{%s}],'textures':[{%s}],"
             "'images':[{'uri':" PNG "}],'accessors':[{'componentType':5126,'count':1,'type':'VEC3'}],"
             "'animations':[{'samplers':[],'channels':[{%s}]}],%s}",
             said[0], said[1], said[2], said[3], said[4], said[5], said[6]);
    char json[8192];
    char *once = write_again(quoted(text, json, sizeof json)), *twice = write_again(once);
    assert_string_equal(once, twice);
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        if (!strstr(once, quoted(said[i], quoted_said, sizeof quoted_said)))
            fail_msg("%s\nis not in\n%s", quoted_said, once);
    }
    sn_model *first = load_raw(json), *second = load_raw(once);
    assert_true(sn_model_hash(first) == sn_model_hash(second));
    sn_model_free(first);
    sn_model_free(second);
    free(once);
    free(twice);
}

static void check_says_what_breaks_the_rules(void **state)
{
    (void)state;
    char json[4096];
    quoted("{" ASSET ",'extensionsUsed':['KHR_lights_punctual','KHR_materials_unlit'],'extensions':{'KHR_lights_"
           "punctual':{'lights':"
           "[{'type':'spot'},{'type':'spot','spot':{'innerConeAngle':1,'outerConeAngle':0.5}},{'type':'point','"
           "intensity':-1},{}]},"
           "'KHR_materials_unlit':{}},'images':[{'uri':" WEBP "}],'textures':[{'source':0}],"
           "'materials':[{'extensions':{'KHR_materials_emissive_strength':{'emissiveStrength':-1}}}]}",
           json, sizeof json);
    const sn_load_opts opts = { .lint = true };
    sn_model *model = load_bytes(json, strlen(json), &opts);
    assert_true(warns_at(model, SNI_WARN_JSON_MISSING, "/extensions/KHR_lights_punctual/lights/0/spot"));
    assert_true(warns_at(model, SNI_WARN_VALUE_RANGE, "/extensions/KHR_lights_punctual/lights/1/spot"));
    assert_true(warns_at(model, SNI_WARN_VALUE_RANGE, "/extensions/KHR_lights_punctual/lights/2/intensity"));
    assert_true(warns_at(model, SNI_WARN_JSON_MISSING, "/extensions/KHR_lights_punctual/lights/3/type"));
    assert_true(warns_at(model, SNI_WARN_GLTF_EXTENSION, "/extensions/KHR_materials_unlit"));  // not of the document
    assert_true(warns_at(model, SNI_WARN_IMAGE_TYPE, "/images/0/mimeType"));
    assert_true(warns_at(model, SNI_WARN_IMAGE_TYPE, "/textures/0/source"));
    assert_true(warns_at(model, SNI_WARN_VALUE_RANGE, "/materials/0/emissiveStrength"));
    sn_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texture_transform_turns_as_specified),
        cmocka_unit_test(texture_transform_of_each_map),
        cmocka_unit_test(looks_that_are_read),
        cmocka_unit_test(pictures_of_other_kinds),
        cmocka_unit_test(lights_stand_on_nodes),
        cmocka_unit_test(hidden_nodes),
        cmocka_unit_test(instances_are_nodes),
        cmocka_unit_test(instances_that_do_not_fit),
        cmocka_unit_test(pointers_to_nodes),
        cmocka_unit_test(pointers_to_materials),
        cmocka_unit_test(pointers_to_cameras_and_lights),
        cmocka_unit_test(pointers_to_nothing_are_named),
        cmocka_unit_test(weights_of_instances_move),
        cmocka_unit_test(looks_that_are_required_load_with_a_word),
        cmocka_unit_test(looks_are_kept),
        cmocka_unit_test(extensions_with_directions_get_tangents),
        cmocka_unit_test(extensions_without_what_they_need),
        cmocka_unit_test(volumes_have_one_side),
        cmocka_unit_test(extensions_of_the_wrong_type),
        cmocka_unit_test(a_node_in_two_scenes),
        cmocka_unit_test(joints_outside_the_scene),
        cmocka_unit_test(written_again_says_the_same),
        cmocka_unit_test(check_says_what_breaks_the_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
