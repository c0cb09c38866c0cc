// Parsing of hierarchies, channels and other objects, valid and damaged.
#include "hand_models.h"
#include "w3d_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void objects_without_header_are_left_out(void **state)
{
    (void)state;
    static const uint32_t ids[] = { W3D_MESH,      W3D_HIERARCHY,  W3D_ANIMATION, W3D_COMPRESSED,
                                    W3D_HMODEL,    W3D_HLOD,       W3D_LIGHT,     W3D_EMITTER,
                                    W3D_AGGREGATE, W3D_COLLECTION, W3D_LODMODEL,  W3D_SOUND,
                                    W3D_DAZZLE,    W3D_SPHERE,     W3D_RING,      W3D_MORPH_ANIMATION,
                                    W3D_SHDMESH };
    w3d_file *file = w3d_file_open();
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) w3d_put_chunk(&file->tree, ids[i], "", 0);
    w3d_put_chunk(&file->tree, W3D_BOX, "", 0);
    w3d_put_chunk(&file->tree, W3D_NULL, "", 0);
    const w3d_doc *doc = w3d_file_parse(file);
    assert_int_equal(doc->mesh_count + doc->hierarchy_count + doc->animation_count + doc->hlod_count +
                         doc->light_count + doc->box_count + doc->object_count,
                     0);
    assert_int_equal(w3d_file_warnings(file, SNI_WARN_W3D_CHUNK), sizeof ids / sizeof *ids + 2);
    w3d_file_close(file);
}

// Hierarchies

static w3d_file *open_hierarchy(uint32_t pivots, size_t pivot_bytes, size_t fixup_bytes)
{
    w3d_file *file = w3d_file_open();
    w3d_open_chunk(&file->tree, W3D_HIERARCHY);
    w3d_open_chunk(&file->tree, W3D_HIERARCHY_HEADER);
    w3d_put_u32(&file->tree, 0x40001);
    w3d_put_name(&file->tree, "SIXTEEN_LETTERS_", 16);
    w3d_put_u32(&file->tree, pivots);
    for (int i = 0; i < 3; i++) w3d_put_f32(&file->tree, 0);
    w3d_close_chunk(&file->tree);
    w3d_open_chunk(&file->tree, W3D_PIVOTS);
    for (size_t at = 0; at < pivot_bytes; at += 60) {
        static const float numbers[10] = { 1, 2, 3, 4, 5, 6, 0.5f, -0.5f, 0.5f, 0.5f };
        w3d_put_name(&file->tree, at == 0 ? "ROOTTRANSFORM" : "B_SIXTEEN_LETTER", 16);
        w3d_put_u32(&file->tree, at == 0 ? 0xFFFFFFFF : 0);
        w3d_put_floats(&file->tree, numbers, 10);
    }
    file->out.size -= (60 - pivot_bytes % 60) % 60;
    w3d_close_chunk(&file->tree);
    if (fixup_bytes) w3d_put_numbers(&file->tree, W3D_FIXUPS, fixup_bytes);
    w3d_close_chunk(&file->tree);
    return file;
}

static void pivots_of_a_hierarchy(void **state)
{
    (void)state;
    w3d_file *file = open_hierarchy(2, 120, 96);
    const w3d_hierarchy *hierarchy = w3d_file_parse(file)->hierarchies;
    assert_int_equal(file->doc.hierarchy_count, 1);
    assert_int_equal(hierarchy->version, 0x40001);
    assert_true(str_is(hierarchy->name, "SIXTEEN_LETTERS_"));
    assert_int_equal(hierarchy->pivots.count, 2);
    assert_int_equal(hierarchy->fixup_bytes, 48);
    assert_int_equal(hierarchy->fixups.count, 2);
    w3d_pivot root = w3d_read_pivot(hierarchy, 0), pivot = w3d_read_pivot(hierarchy, 1);
    assert_true(str_is(root.name, "ROOTTRANSFORM"));
    assert_int_equal(root.parent, -1);
    assert_true(str_is(pivot.name, "B_SIXTEEN_LETTER"));
    assert_int_equal(pivot.parent, 0);
    assert_vec3(pivot.translation, 1, 2, 3);
    assert_vec3(pivot.euler, 4, 5, 6);
    assert_quat(pivot.rotation, 0.5, -0.5, 0.5, 0.5);
    assert_null(file->load.diag.first);
    w3d_file_close(file);
}

static void fixups_by_their_size(void **state)
{
    (void)state;
    static const uint32_t sizes[][3] = { { 24, 12, 2 }, { 96, 48, 2 }, { 95, 48, 0 }, { 97, 48, 2 }, { 12, 48, 0 } };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        w3d_file *file = open_hierarchy(2, 120, sizes[i][0]);
        const w3d_hierarchy *hierarchy = w3d_file_parse(file)->hierarchies;
        assert_int_equal(hierarchy->fixup_bytes, sizes[i][1]);
        assert_int_equal(hierarchy->fixups.count, sizes[i][2]);
        w3d_file_close(file);
    }
}

static void too_few_pivots_are_an_error(void **state)
{
    (void)state;
    static const uint32_t counts[] = { 3, 0xFFFFFFFF };
    for (int i = 0; i < 2; i++) {
        w3d_file *file = open_hierarchy(counts[i], 120, 0);
        sn_error error = w3d_file_refuse(file, SN_ERR_CORRUPT);
        assert_string_equal(error.path, "HIERARCHY[0]/PIVOTS");
        w3d_file_close(file);
    }
    w3d_file *file = open_hierarchy(2, 119, 0);
    w3d_file_refuse(file, SN_ERR_CORRUPT);
    w3d_file_close(file);
}

// Damaged channels

typedef struct broken {
    uint32_t id, flavor;
    size_t size;
    uint8_t bytes[40];
    const char *path;
} broken;

// Paths of the channels.
#define RAW    "ANIMATION[0]/ANIMATION_CHANNEL[0]"
#define BITS   "ANIMATION[0]/BIT_CHANNEL[0]"
#define CODED  "COMPRESSED_ANIMATION[0]/COMPRESSED_ANIMATION_CHANNEL[0]"
#define SWITCH "COMPRESSED_ANIMATION[0]/COMPRESSED_BIT_CHANNEL[0]"
#define MOTION "COMPRESSED_ANIMATION[0]/COMPRESSED_ANIMATION_MOTION_CHANNEL[0]"

// clang-format off
static const broken channels[] = {
    { W3D_CHANNEL, 0, 16, { 5, 0, 4, 0, 1, 0, 0, 0, 1, 0 }, RAW },  // last before first
    { W3D_CHANNEL, 0, 16, { 0, 0, 0, 0, 0, 0, 0, 0, 1, 0 }, RAW },  // no components
    { W3D_CHANNEL, 0, 40, { 0, 0, 0, 0, 3, 0, 0, 0, 1, 0 }, RAW },  // three components
    { W3D_CHANNEL, 0, 40, { 0, 0, 0, 0, 1, 0, 6, 0, 1, 0 }, RAW },  // a quaternion with one component
    { W3D_CHANNEL, 0, 40, { 0, 0, 0, 0, 255, 255, 6, 0, 1, 0 }, RAW },
    { W3D_CHANNEL, 0, 15, { 0, 0, 0, 0, 1, 0, 0, 0, 1, 0 }, RAW },  // a byte short
    { W3D_CHANNEL, 0, 40, { 0, 0, 255, 255, 1, 0, 0, 0, 1, 0 }, RAW },  // 65536 frames
    { W3D_BIT_CHANNEL, 0, 9, { 0, 0, 0, 0, 0, 0, 1, 0, 1 }, BITS },
    { W3D_BIT_CHANNEL, 0, 10, { 0, 0, 8, 0, 0, 0, 1, 0, 1 }, BITS },
    { W3D_BIT_CHANNEL, 0, 40, { 9, 0, 8, 0, 0, 0, 1, 0, 1 }, BITS },
    { W3D_COMPRESSED_CHANNEL, 0, 16, { 255, 255, 255, 255, 1, 0, 1, 0 }, CODED },
    { W3D_COMPRESSED_CHANNEL, 0, 8, { 0, 0, 0, 0, 1, 0, 1, 0 }, CODED },
    { W3D_COMPRESSED_CHANNEL, 0, 15, { 1, 0, 0, 0, 1, 0, 1, 0 }, CODED },
    { W3D_COMPRESSED_CHANNEL, 0, 40, { 1, 0, 0, 0, 1, 0, 200, 0 }, CODED },
    { W3D_COMPRESSED_CHANNEL, 2, 40, { 1, 0, 0, 0, 1, 0, 1, 0 }, CODED },  // flavor 2
    { W3D_COMPRESSED_CHANNEL, 1, 15, { 1, 0, 0, 0, 1, 0, 1, 0 }, CODED },
    { W3D_COMPRESSED_CHANNEL, 1, 24, { 2, 0, 0, 0, 1, 0, 1, 0 }, CODED },
    { W3D_COMPRESSED_CHANNEL, 1, 40, { 255, 255, 255, 255, 1, 0, 1, 0 }, CODED },
    { W3D_COMPRESSED_BITS, 0, 11, { 1, 0, 0, 0, 1, 0, 0, 0 }, SWITCH },
    { W3D_COMPRESSED_BITS, 0, 40, { 255, 255, 255, 255, 1, 0, 0, 0 }, SWITCH },
    { W3D_MOTION_CHANNEL, 0, 40, { 0, 3, 1, 0, 1, 0, 0, 0 }, MOTION },  // kind 3
    { W3D_MOTION_CHANNEL, 0, 15, { 0, 0, 1, 0, 1, 0, 0, 0 }, MOTION },  // no padding
    { W3D_MOTION_CHANNEL, 0, 24, { 0, 1, 1, 0, 2, 0, 0, 0 }, MOTION },
    { W3D_MOTION_CHANNEL, 0, 32, { 0, 2, 1, 0, 2, 0, 0, 0 }, MOTION },
};
// clang-format on

static void put_animation_header(w3d_tree *tree, bool is_compressed, uint32_t flavor)
{
    w3d_open_chunk(tree, is_compressed ? W3D_COMPRESSED_HEADER : W3D_ANIMATION_HEADER);
    w3d_put_u32(tree, 1);
    w3d_put_name(tree, "A", W3D_NAME_BYTES);
    w3d_put_name(tree, "B", W3D_NAME_BYTES);
    w3d_put_u32(tree, 0xFFFFFFFF);
    w3d_put_u32(tree, 30 | flavor << 16);
    w3d_close_chunk(tree);
}

static void broken_channels_are_left_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof channels / sizeof *channels; i++) {
        const broken *channel = &channels[i];
        bool is_compressed = channel->id >= W3D_COMPRESSED;
        w3d_file *file = w3d_file_open();
        w3d_open_chunk(&file->tree, is_compressed ? W3D_COMPRESSED : W3D_ANIMATION);
        put_animation_header(&file->tree, is_compressed, channel->flavor);
        w3d_put_chunk(&file->tree, channel->id, channel->bytes, channel->size);
        w3d_put_numbers(&file->tree, channel->id, 3);  // shorter than the fixed fields
        w3d_close_chunk(&file->tree);
        const w3d_doc *doc = w3d_file_parse(file);
        assert_int_equal(doc->animation_count, 1);
        assert_int_equal(doc->animations[0].channel_count, 0);
        assert_true(w3d_file_warns(file, SNI_WARN_W3D_CHANNEL, channel->path));
        w3d_file_close(file);
    }
}

// The minimum size: frame 0 needs no block, frames 1 to 16 need one.
static void adaptive_channels_of_minimum_size(void **state)
{
    (void)state;
    static const uint32_t counts[][2] = { { 1, 16 }, { 2, 25 }, { 17, 25 }, { 18, 34 } };
    for (int i = 0; i < 4; i++) {
        for (uint32_t missing = 0; missing < 2; missing++) {
            w3d_file *file = w3d_file_open();
            w3d_open_chunk(&file->tree, W3D_COMPRESSED);
            put_animation_header(&file->tree, true, 1);
            w3d_open_chunk(&file->tree, W3D_COMPRESSED_CHANNEL);
            w3d_put_u32(&file->tree, counts[i][0]);
            w3d_put_u32(&file->tree, 1 << 16);
            sni_write_fill(&file->out, 0, counts[i][1] - 8 - missing);
            w3d_close_chunk(&file->tree);
            w3d_close_chunk(&file->tree);
            assert_int_equal(w3d_file_parse(file)->animations[0].channel_count, 1 - missing);
            w3d_file_close(file);
        }
    }
}

// Objects

static void objects_are_counted_as_present(void **state)
{
    (void)state;
    static const uint32_t counts[][3] = { { 2, 3, 2 }, { 3, 2, 2 }, { 0xFFFFFFFF, 3, 3 }, { 0, 3, 0 } };
    for (int i = 0; i < 4; i++) {
        w3d_file *file = w3d_file_open();
        w3d_open_chunk(&file->tree, W3D_HLOD);
        w3d_open_chunk(&file->tree, W3D_HLOD_HEADER);
        w3d_put_u32(&file->tree, 0x10000);
        w3d_put_u32(&file->tree, 2);
        w3d_put_name(&file->tree, "TANK", W3D_NAME_BYTES);
        w3d_put_name(&file->tree, "TANK_SKL", W3D_NAME_BYTES);
        w3d_close_chunk(&file->tree);
        w3d_put_hlod_array(&file->tree, W3D_LOD_ARRAY, 1, 1);
        w3d_put_hlod_array(&file->tree, W3D_LOD_ARRAY, counts[i][0], counts[i][1]);
        w3d_close_chunk(&file->tree);
        const w3d_hlod *hlod = w3d_file_parse(file)->hlods;
        assert_true(str_is(hlod->name, "TANK"));
        assert_true(str_is(hlod->hierarchy, "TANK_SKL"));
        assert_false(hlod->is_hmodel);
        assert_int_equal(hlod->lod_count, 2);
        assert_true(hlod->lods[1].max_screen_size == 100);
        assert_int_equal(hlod->lods[1].object_count, counts[i][2]);
        assert_true(w3d_file_warns(file, SNI_WARN_W3D_COUNT, "HLOD[0]/HLOD_LOD_ARRAY[1]"));
        w3d_file_close(file);
    }
}

static void hmodels_have_one_level(void **state)
{
    (void)state;
    w3d_file *file = w3d_file_open();
    w3d_open_chunk(&file->tree, W3D_HMODEL);
    w3d_open_chunk(&file->tree, W3D_HMODEL_HEADER);
    w3d_put_u32(&file->tree, 0x40002);
    w3d_put_name(&file->tree, "WAY", W3D_NAME_BYTES);
    w3d_put_name(&file->tree, "WAY", W3D_NAME_BYTES);
    w3d_put_u16(&file->tree, 2);
    w3d_close_chunk(&file->tree);
    static const uint32_t ids[] = { W3D_HMODEL_NODE, W3D_HMODEL_SKIN, W3D_HMODEL_COLLISION };
    for (uint16_t i = 0; i < 3; i++) {
        w3d_open_chunk(&file->tree, ids[i]);
        w3d_put_name(&file->tree, "PART", W3D_NAME_BYTES);
        w3d_put_u16(&file->tree, (uint16_t)(i + 5));
        w3d_close_chunk(&file->tree);
    }
    w3d_close_chunk(&file->tree);
    const w3d_hlod *model = w3d_file_parse(file)->hlods;
    assert_true(model->is_hmodel);
    assert_int_equal(model->lod_count, 1);
    assert_int_equal(model->lods[0].object_count, 3);
    assert_int_equal(model->lods[0].objects[2].bone, 7);
    assert_true(str_is(model->lods[0].objects[1].name, "PART"));
    assert_null(file->load.diag.first);
    w3d_file_close(file);
}

static void put_named(w3d_tree *tree, uint32_t id, uint32_t header, const char *name)
{
    w3d_open_chunk(tree, id);
    w3d_open_chunk(tree, header);
    w3d_put_u32(tree, 0x10000);
    w3d_put_name(tree, name, W3D_NAME_BYTES);
    if (id == W3D_SOUND) w3d_put_u32(tree, 1);
    w3d_close_chunk(tree);
}

static void put_other_objects(w3d_tree *tree)
{
    w3d_open_chunk(tree, W3D_NULL);
    for (uint32_t i = 0; i < 4; i++) w3d_put_u32(tree, i + 1);
    w3d_put_name(tree, "TEST.NULL", W3D_LONG_NAME_BYTES);
    w3d_close_chunk(tree);
    w3d_open_chunk(tree, W3D_DAZZLE);
    w3d_put_text_chunk(tree, W3D_DAZZLE_NAME, "TEST.SHINE");
    w3d_put_text_chunk(tree, W3D_DAZZLE_TYPE, "SUN");
    w3d_close_chunk(tree);
    put_named(tree, W3D_EMITTER, W3D_EMITTER_HEADER, "SMOKE");
    w3d_open_chunk(tree, W3D_EMITTER_INFO);
    w3d_put_name(tree, "smoke.tga", 260);
    w3d_put_name(tree, "", 72);
    w3d_close_chunk(tree);
    w3d_close_chunk(tree);
    put_named(tree, W3D_SOUND, W3D_SOUND_HEADER, "HUM");
    w3d_close_chunk(tree);
    put_named(tree, W3D_COLLECTION, W3D_COLLECTION_HEADER, "CROWD");
    w3d_put_text_chunk(tree, W3D_COLLECTION_OBJECT, "ONE");
    w3d_put_text_chunk(tree, W3D_COLLECTION_OBJECT, "TWO");
    w3d_close_chunk(tree);
    put_named(tree, W3D_AGGREGATE, W3D_AGGREGATE_HEADER, "BOTH");
    w3d_open_chunk(tree, W3D_AGGREGATE_INFO);
    w3d_put_name(tree, "BASE", 32);
    w3d_put_u32(tree, 5);  // one is present
    w3d_put_name(tree, "FLAME", 32);
    w3d_put_name(tree, "B_CHIMNEY", 32);
    w3d_close_chunk(tree);
    w3d_close_chunk(tree);
    put_named(tree, W3D_LODMODEL, W3D_LODMODEL_HEADER, "FAR");
    w3d_open_chunk(tree, W3D_LODMODEL_LOD);
    w3d_put_name(tree, "NEAR", 32);
    w3d_put_f32(tree, 1), w3d_put_f32(tree, 2);
    w3d_close_chunk(tree);
    w3d_close_chunk(tree);
    w3d_open_chunk(tree, W3D_SPHERE);
    w3d_open_chunk(tree, 1);
    w3d_put_u32(tree, 2), w3d_put_u32(tree, 3);
    w3d_put_name(tree, "BALL", 32);
    w3d_close_chunk(tree);
    w3d_put_numbers(tree, 2, 30);  // its colours are data, not vertices
    w3d_close_chunk(tree);
}

static void objects_have_their_names(void **state)
{
    (void)state;
    static const struct {
        uint32_t id;
        const char *name, *detail;
        uint32_t members;
    } expected[] = {
        { W3D_NULL, "TEST.NULL", "", 0 },         { W3D_DAZZLE, "TEST.SHINE", "SUN", 0 },
        { W3D_EMITTER, "SMOKE", "smoke.tga", 0 }, { W3D_SOUND, "HUM", "", 0 },
        { W3D_COLLECTION, "CROWD", "", 2 },       { W3D_AGGREGATE, "BOTH", "BASE", 1 },
        { W3D_LODMODEL, "FAR", "", 1 },           { W3D_SPHERE, "BALL", "", 0 },
    };
    w3d_file *file = w3d_file_open();
    put_other_objects(&file->tree);
    const w3d_doc *doc = w3d_file_parse(file);
    assert_int_equal(doc->object_count, 8);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(doc->objects[i].id, expected[i].id);
        assert_true(str_is(doc->objects[i].name, expected[i].name));
        assert_true(str_is(doc->objects[i].detail, expected[i].detail));
        assert_int_equal(doc->objects[i].member_count, expected[i].members);
    }
    assert_int_equal(doc->objects[0].attributes, 2);
    assert_int_equal(doc->objects[3].attributes, 1);
    assert_true(str_is(doc->objects[4].members[1].name, "TWO"));
    assert_true(str_is(doc->objects[5].members[0].bone, "B_CHIMNEY"));
    assert_true(doc->objects[6].members[0].range_max == 2);
    assert_int_equal(w3d_file_warnings(file, SNI_WARN_W3D_COUNT), 1);
    w3d_file_close(file);
}

static void boxes_and_lights(void **state)
{
    (void)state;
    w3d_file *file = w3d_file_open();
    w3d_tree *tree = &file->tree;
    w3d_open_chunk(tree, W3D_BOX);
    w3d_put_u32(tree, 0x10000), w3d_put_u32(tree, 2);
    w3d_put_name(tree, "TEST.BOUNDINGBOX", W3D_LONG_NAME_BYTES);
    w3d_put_rgb(tree, 1, 2, 3);
    for (int i = 1; i <= 6; i++) w3d_put_f32(tree, (float)i);
    w3d_close_chunk(tree);
    w3d_open_chunk(tree, W3D_LIGHT);
    w3d_open_chunk(tree, W3D_LIGHT_INFO);
    w3d_put_u32(tree, 3), w3d_put_u32(tree, 0);
    w3d_put_rgb(tree, 1, 1, 1), w3d_put_rgb(tree, 2, 2, 2), w3d_put_rgb(tree, 3, 3, 3);
    w3d_put_f32(tree, 0.5f);
    w3d_close_chunk(tree);
    w3d_open_chunk(tree, W3D_LIGHT_SPOT);
    for (int i = 1; i <= 5; i++) w3d_put_f32(tree, (float)i);
    w3d_close_chunk(tree);
    w3d_open_chunk(tree, W3D_LIGHT_FAR);
    w3d_put_f32(tree, 10), w3d_put_f32(tree, 20);
    w3d_close_chunk(tree);
    w3d_close_chunk(tree);
    const w3d_doc *doc = w3d_file_parse(file);
    assert_int_equal(doc->box_count, 1);
    assert_true(str_is(doc->boxes[0].name, "TEST.BOUNDINGBOX"));
    assert_vec3(doc->boxes[0].center, 1, 2, 3);
    assert_vec3(doc->boxes[0].extent, 4, 5, 6);
    const w3d_light *light = doc->lights;
    assert_int_equal(doc->light_count, 1);
    assert_int_equal(light->attributes, 3);
    assert_int_equal(light->diffuse[0], 2);
    assert_true(light->has_spot && light->has_far && light->intensity == 0.5f);
    assert_vec3(light->direction, 1, 2, 3);
    assert_true(light->angle == 4 && light->exponent == 5 && light->far_start == 10 && light->far_end == 20);
    w3d_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_without_header_are_left_out),
        cmocka_unit_test(pivots_of_a_hierarchy),
        cmocka_unit_test(fixups_by_their_size),
        cmocka_unit_test(too_few_pivots_are_an_error),
        cmocka_unit_test(broken_channels_are_left_out),
        cmocka_unit_test(adaptive_channels_of_minimum_size),
        cmocka_unit_test(objects_are_counted_as_present),
        cmocka_unit_test(hmodels_have_one_level),
        cmocka_unit_test(objects_have_their_names),
        cmocka_unit_test(boxes_and_lights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
