// Channels of every kind: data worked out by hand, bit by bit, and the error bounds of the encoders.
#include "hand_models.h"
#include "w3d_file.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void delta_table_matches_the_formula(void **state)
{
    (void)state;
    for (int k = 0; k < 16; k++) assert_within(w3d_delta_table[k] / pow(10, k - 8), 1, 6e-8);
    for (int k = 0; k < 240; k++) {
        double expected = 1 - sin(PI / 2 * k / 240);
        assert_within(w3d_delta_table[16 + k], expected, expected * 6e-8 + 1e-16);
    }
    assert_true(w3d_delta_table[8] == 1.0f && w3d_delta_table[16] == 1.0f);
}

// Opens an animation of this flavor; the caller writes its one channel.
static w3d_file *open_animation(uint32_t flavor, bool is_compressed)
{
    w3d_file *file = w3d_file_open();
    w3d_open_chunk(&file->tree, is_compressed ? W3D_COMPRESSED : W3D_ANIMATION);
    w3d_open_chunk(&file->tree, is_compressed ? W3D_COMPRESSED_HEADER : W3D_ANIMATION_HEADER);
    w3d_put_u32(&file->tree, 0x40001);
    w3d_put_name(&file->tree, "WALK", W3D_NAME_BYTES);
    w3d_put_name(&file->tree, "SIXTEEN_LETTERS_", W3D_NAME_BYTES);
    w3d_put_u32(&file->tree, 33);
    w3d_put_u32(&file->tree, is_compressed ? 30 | flavor << 16 : 30);
    w3d_close_chunk(&file->tree);
    return file;
}

static const w3d_channel *parse_channel(w3d_file *file, w3d_keys *keys)
{
    w3d_close_chunk(&file->tree);
    const w3d_doc *doc = w3d_file_parse(file);
    assert_int_equal(doc->animation_count, 1);
    assert_int_equal(doc->animations[0].channel_count, 1);
    assert_true(str_is(doc->animations[0].name, "WALK"));
    assert_true(str_is(doc->animations[0].hierarchy, "SIXTEEN_LETTERS_"));
    assert_int_equal(doc->animations[0].frame_count, 33);
    assert_int_equal(doc->animations[0].frame_rate, 30);
    assert_true(w3d_decode_channel(&file->load, &doc->animations[0].channels[0], keys));
    assert_null(file->load.diag.first);
    return &doc->animations[0].channels[0];
}

static void put_u16s(w3d_tree *tree, const uint16_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) w3d_put_u16(tree, values[i]);
}

// Frames 3 to 5 of the Y of pivot 7. The padding and values past the range are ignored.
static void raw_frames(void **state)
{
    (void)state;
    static const uint16_t head[6] = { 3, 5, 1, W3D_Y, 7, 0xBEEF };
    static const float values[5] = { 1.5f, -2, 0.25f, 99, 98 };
    w3d_keys keys;
    w3d_file *file = open_animation(0, false);
    w3d_open_chunk(&file->tree, W3D_CHANNEL);
    put_u16s(&file->tree, head, 6);
    w3d_put_floats(&file->tree, values, 5);
    w3d_close_chunk(&file->tree);
    const w3d_channel *channel = parse_channel(file, &keys);
    assert_int_equal(channel->kind, W3D_RAW);
    assert_int_equal(channel->pivot, 7);
    assert_int_equal(channel->type, W3D_Y);
    assert_int_equal(channel->first_frame, 3);
    assert_int_equal(channel->last_frame, 5);
    assert_int_equal(keys.count, 3);
    assert_int_equal(keys.first_frame, 3);
    assert_memory_equal(keys.values, values, 12);
    assert_null(keys.frames);
    w3d_file_close(file);
}

// 0xA5 is 1 0 1 0 0 1 0 1 from the lowest bit, then 0x02 is 0 1.
static void raw_bits(void **state)
{
    (void)state;
    static const uint16_t head[4] = { 2, 11, 0, 9 };
    static const uint8_t bits[3] = { 255, 0xA5, 0x02 };
    static const float expected[10] = { 1, 0, 1, 0, 0, 1, 0, 1, 0, 1 };
    w3d_keys keys;
    w3d_file *file = open_animation(0, false);
    w3d_open_chunk(&file->tree, W3D_BIT_CHANNEL);
    put_u16s(&file->tree, head, 4);
    w3d_put(&file->tree, bits, 3);
    w3d_close_chunk(&file->tree);
    const w3d_channel *channel = parse_channel(file, &keys);
    assert_int_equal(channel->kind, W3D_RAW_BITS);
    assert_int_equal(channel->pivot, 9);
    assert_int_equal(channel->fallback, 255);
    assert_int_equal(keys.count, 10);
    assert_int_equal(keys.first_frame, 2);
    assert_memory_equal(keys.values, expected, sizeof expected);
    w3d_file_close(file);
}

static void put_compressed_head(w3d_tree *tree, uint32_t count, uint16_t pivot, uint8_t third, uint8_t fourth)
{
    w3d_put_u32(tree, count);
    w3d_put_u16(tree, pivot);
    w3d_put_u8(tree, third);
    w3d_put_u8(tree, fourth);
}

// The flag is on the key that the value jumps to.
static void timecoded_keys(void **state)
{
    (void)state;
    static const uint32_t codes[3] = { 0, 0x8000000A, 20 };
    static const float values[3] = { 4, 5, -6 };
    w3d_keys keys;
    w3d_file *file = open_animation(0, true);
    w3d_open_chunk(&file->tree, W3D_COMPRESSED_CHANNEL);
    put_compressed_head(&file->tree, 3, 2, 1, W3D_Z);
    for (int i = 0; i < 3; i++) w3d_put_u32(&file->tree, codes[i]), w3d_put_f32(&file->tree, values[i]);
    w3d_close_chunk(&file->tree);
    const w3d_channel *channel = parse_channel(file, &keys);
    assert_int_equal(channel->kind, W3D_TIMECODED);
    assert_int_equal(keys.count, 3);
    assert_memory_equal(keys.values, values, sizeof values);
    for (int i = 0; i < 3; i++) assert_int_equal(keys.frames[i], i * 10);
    assert_false(keys.is_jump[0]);
    assert_true(keys.is_jump[1]);
    assert_false(keys.is_jump[2]);
    w3d_file_close(file);
}

static void timecoded_bits(void **state)
{
    (void)state;
    w3d_keys keys;
    w3d_file *file = open_animation(0, true);
    w3d_open_chunk(&file->tree, W3D_COMPRESSED_BITS);
    put_compressed_head(&file->tree, 3, 2, 0, 1);
    w3d_put_u32(&file->tree, 0x80000000u);
    w3d_put_u32(&file->tree, 12);
    w3d_put_u32(&file->tree, 0x80000000u | 30);
    w3d_close_chunk(&file->tree);
    const w3d_channel *channel = parse_channel(file, &keys);
    assert_int_equal(channel->kind, W3D_TIMECODED_BITS);
    assert_int_equal(channel->fallback, 1);
    static const float expected[3] = { 1, 0, 1 };
    static const uint32_t frames[3] = { 0, 12, 30 };
    assert_memory_equal(keys.values, expected, sizeof expected);
    assert_memory_equal(keys.frames, frames, sizeof frames);
    w3d_file_close(file);
}

// Scale 0.5; index 16 is a step of 1, index 7 a step of 0.1. Nibbles, the low one first:
// 0x71 is 1, 7; 0x8F is -1, -8; 0x20 is 0, 2; then only 0. Frame 17 is the first of the second block: 0x03 is 3.
static const uint8_t block_a[9] = { 16, 0x71, 0x8F, 0x20, 0, 0, 0, 0, 0 };
static const uint8_t block_b[9] = { 7, 0x03, 0, 0, 0, 0, 0, 0, 0 };

static void check_hand_worked(const w3d_keys *keys, uint32_t count)
{
    static const float expected[8] = { 10, 10.5f, 14, 13.5f, 9.5f, 9.5f, 10.5f, 10.5f };
    assert_int_equal(keys->count, count);
    assert_memory_equal(keys->values, expected, sizeof expected);
    for (int i = 8; i < 17; i++) assert_true(keys->values[i] == 10.5f);
    float tenth = 0.1f * 0.5f;
    assert_true(keys->values[17] == 10.5f + 3.0f * tenth);
    for (uint32_t i = 18; i < count; i++) assert_true(keys->values[i] == keys->values[17]);
}

static void put_adaptive_body(w3d_tree *tree)
{
    w3d_put_f32(tree, 0.5f);
    w3d_put_f32(tree, 10.0f);
    w3d_put(tree, block_a, 9);
    w3d_put(tree, block_b, 9);
}

static void adaptive_deltas_by_hand(void **state)
{
    (void)state;
    w3d_keys keys;
    w3d_file *file = open_animation(1, true);
    w3d_open_chunk(&file->tree, W3D_COMPRESSED_CHANNEL);
    put_compressed_head(&file->tree, 20, 5, 1, W3D_X);
    put_adaptive_body(&file->tree);
    w3d_put(&file->tree, "\1\2\3", 3);  // slack
    w3d_close_chunk(&file->tree);
    const w3d_channel *channel = parse_channel(file, &keys);
    assert_int_equal(channel->kind, W3D_ADAPTIVE4);
    assert_int_equal(channel->pivot, 5);
    check_hand_worked(&keys, 20);
    w3d_file_close(file);
}

static void put_motion_head(w3d_tree *tree, uint8_t kind, uint8_t width, uint8_t type, uint16_t count, uint16_t pivot)
{
    const uint8_t head[4] = { 0, kind, width, type };
    w3d_put(tree, head, 4);
    w3d_put_u16(tree, count);
    w3d_put_u16(tree, pivot);
}

static void motion_deltas_of_four_bits(void **state)
{
    (void)state;
    w3d_keys keys;
    w3d_file *file = open_animation(0, true);
    w3d_open_chunk(&file->tree, W3D_MOTION_CHANNEL);
    put_motion_head(&file->tree, 1, 1, W3D_X, 20, 5);
    put_adaptive_body(&file->tree);
    w3d_close_chunk(&file->tree);
    const w3d_channel *channel = parse_channel(file, &keys);
    assert_int_equal(channel->kind, W3D_MOTION_ADAPTIVE4);
    assert_int_equal(channel->pivot, 5);
    check_hand_worked(&keys, 20);
    w3d_file_close(file);
}

// 128 is no step, 144 is one, 0 is minus eight, 255 is 7 15/16. The packets of a quaternion's components alternate.
static void motion_deltas_of_eight_bits(void **state)
{
    (void)state;
    static const float first[4] = { 0, 0, 0, 1 };
    w3d_keys keys;
    w3d_file *file = open_animation(0, true);
    w3d_open_chunk(&file->tree, W3D_MOTION_CHANNEL);
    put_motion_head(&file->tree, 2, 4, W3D_QUATERNION, 4, 1);
    w3d_put_f32(&file->tree, 0.0625f);
    w3d_put_floats(&file->tree, first, 4);
    static const uint8_t deltas[4][3] = { { 144, 128, 0 }, { 129, 255, 128 }, { 128, 128, 128 }, { 112, 136, 144 } };
    for (int v = 0; v < 4; v++) {
        w3d_put_u8(&file->tree, v == 3 ? 7 : 16);
        w3d_put(&file->tree, deltas[v], 3);
        for (int i = 3; i < 16; i++) w3d_put_u8(&file->tree, 128);
    }
    w3d_close_chunk(&file->tree);
    const w3d_channel *channel = parse_channel(file, &keys);
    assert_int_equal(channel->kind, W3D_MOTION_ADAPTIVE8);
    float tenth = 0.1f * 0.0625f;
    const float expected[4][4] = {
        { 0, 0, 0, 1 },
        { 0.0625f, 0.0625f / 16, 0, 1 - tenth },
        { 0.0625f, 0.0625f / 16 + 127.0f / 256, 0, (1 - tenth) + 0.5f * tenth },
        { 0.0625f - 0.5f, 0.0625f / 16 + 127.0f / 256, 0, ((1 - tenth) + 0.5f * tenth) + tenth },
    };
    assert_int_equal(keys.count, 4);
    assert_memory_equal(keys.values, expected, sizeof expected);
    w3d_file_close(file);
}

// Three keys: the frame numbers are padded to an even count.
static void motion_keys(void **state)
{
    (void)state;
    static const uint16_t frames[4] = { 0, 7, 300, 0xFFFF };
    static const float values[3] = { 1, 2, 3 };
    w3d_keys keys;
    w3d_file *file = open_animation(0, true);
    w3d_open_chunk(&file->tree, W3D_MOTION_CHANNEL);
    put_motion_head(&file->tree, 0, 1, W3D_Y, 3, 4);
    put_u16s(&file->tree, frames, 4);
    w3d_put_floats(&file->tree, values, 3);
    w3d_close_chunk(&file->tree);
    const w3d_channel *channel = parse_channel(file, &keys);
    assert_int_equal(channel->kind, W3D_MOTION_TIMECODED);
    for (int i = 0; i < 3; i++) assert_int_equal(keys.frames[i], frames[i]);
    for (int i = 0; i < 3; i++) assert_false(keys.is_jump[i]);
    assert_memory_equal(keys.values, values, sizeof values);
    w3d_file_close(file);
}

// Encoders

enum { MOST_FRAMES = 400, MOST_VALUES = MOST_FRAMES * 4 };
static float given[MOST_VALUES];
static uint32_t given_frames[MOST_FRAMES];
static bool given_jumps[MOST_FRAMES];

static float noise(uint32_t *random)
{
    return (float)((int32_t)(*random = *random * 1664525 + 1013904223) >> 8) / (float)(1 << 23);
}

// A rotation with jitter, or a path with jumps: `count` frames or keys.
static w3d_keys make_keys(const w3d_channel *channel, uint32_t count, uint32_t seed)
{
    uint32_t random = seed * 2654435761u + 1;
    for (uint32_t i = 0; i < count; i++) {
        double angle = 0.02 * i + 0.01 * noise(&random);
        float quat[4] = { (float)sin(angle), 0.001f * noise(&random), 0, (float)cos(angle) };
        for (uint32_t v = 0; v < channel->width; v++)
            given[i * channel->width + v] = channel->width == 4 ? quat[v]
                                                                : 20 * noise(&random) + (i % 50 == 49 ? 500.0f : 0.0f);
        if (channel->kind == W3D_RAW_BITS || channel->kind == W3D_TIMECODED_BITS)
            given[i] = noise(&random) > 0 ? 1.0f : 0.0f;
        given_frames[i] = i * 3;
        given_jumps[i] = noise(&random) > 0;
    }
    return (w3d_keys){ .count = count, .values = given, .frames = given_frames, .is_jump = given_jumps };
}

static bool is_adaptive(w3d_channel_kind kind)
{
    return kind == W3D_ADAPTIVE4 || kind == W3D_MOTION_ADAPTIVE4 || kind == W3D_MOTION_ADAPTIVE8;
}

static void check_decoded(const w3d_channel *channel, const w3d_keys *expected, const w3d_keys *keys)
{
    float scale = w3d_adaptive_scale(channel, expected), largest = 0;
    size_t total = (size_t)expected->count * channel->width;
    assert_int_equal(keys->count, expected->count);
    for (size_t i = 0; i < total; i++)
        if (fabsf(given[i]) > largest) largest = fabsf(given[i]);
    // Half a step, plus the rounding of the sums.
    double bound = is_adaptive(channel->kind) ? w3d_adaptive_error(channel, scale) * 1.0001 + 8 * largest * FLT_EPSILON
                                              : 0;
    for (size_t i = 0; i < total; i++) assert_within(keys->values[i], given[i], bound);
    for (uint32_t i = 0; keys->frames && i < keys->count; i++) {
        assert_int_equal(keys->frames[i], given_frames[i]);
        if (channel->kind == W3D_TIMECODED) assert_int_equal(keys->is_jump[i], given_jumps[i]);
    }
}

static void round_trip(w3d_channel_kind kind, uint32_t width, uint32_t count)
{
    w3d_keys keys;
    w3d_channel channel = {
        .kind = kind, .pivot = 3, .type = width == 4 ? W3D_QUATERNION : W3D_X, .width = width, .fallback = 1
    };
    w3d_keys expected = make_keys(&channel, count, count);
    w3d_file *file = open_animation(kind == W3D_ADAPTIVE4, kind > W3D_RAW_BITS);
    if (kind <= W3D_RAW_BITS) expected.first_frame = 5;
    w3d_put_channel(&file->tree, &channel, &expected);
    const w3d_channel *parsed = parse_channel(file, &keys);
    assert_int_equal(parsed->kind, kind);
    assert_int_equal(parsed->pivot, 3);
    assert_int_equal(parsed->type, channel.type);
    assert_int_equal(parsed->width, width);
    assert_int_equal(keys.first_frame, expected.first_frame);
    check_decoded(&channel, &expected, &keys);
    w3d_file_close(file);
}

static void encoder_errors_are_within_bounds(void **state)
{
    (void)state;
    static const uint32_t counts[] = { 1, 2, 7, 8, 9, 15, 16, 17, 18, 32, 33, 34, 100, MOST_FRAMES };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (int kind = W3D_RAW; kind <= W3D_MOTION_ADAPTIVE8; kind++) {
            bool is_bits = kind == W3D_RAW_BITS || kind == W3D_TIMECODED_BITS;
            round_trip((w3d_channel_kind)kind, 1, counts[i]);
            if (!is_bits) round_trip((w3d_channel_kind)kind, 4, counts[i]);
        }
    }
}

static void encoded_sizes_match_the_format(void **state)
{
    (void)state;
    static const struct {
        w3d_channel_kind kind;
        size_t size;
    } expected[] = {
        { W3D_RAW, 12 + 4 * 4 * 33 },
        { W3D_TIMECODED, 8 + 20 * 33 },
        { W3D_ADAPTIVE4, 12 + 16 + 9 * 3 * 4 + 3 },
        { W3D_MOTION_TIMECODED, 8 + 2 * 34 + 16 * 33 },
        { W3D_MOTION_ADAPTIVE4, 12 + 16 + 9 * 3 * 4 },
        { W3D_MOTION_ADAPTIVE8, 12 + 16 + 17 * 3 * 4 },
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        w3d_channel channel = { .kind = expected[i].kind, .type = W3D_QUATERNION, .width = 4 };
        w3d_keys keys = make_keys(&channel, 33, 1);
        w3d_file *file = w3d_file_open();
        w3d_put_channel(&file->tree, &channel, &keys);
        assert_int_equal(file->out.size, 8 + expected[i].size);
        w3d_file_close(file);
    }
}

static void constant_channels_stay_constant(void **state)
{
    (void)state;
    w3d_channel channel = { .kind = W3D_MOTION_ADAPTIVE4, .type = W3D_X, .width = 1 };
    float still[20];
    for (int i = 0; i < 20; i++) still[i] = 1e30f;
    w3d_keys keys, expected = { .count = 20, .values = still };
    w3d_file *file = open_animation(0, true);
    w3d_put_channel(&file->tree, &channel, &expected);
    parse_channel(file, &keys);
    assert_memory_equal(keys.values, still, sizeof still);
    w3d_file_close(file);
}

static void frames_out_of_range_fail_the_writer(void **state)
{
    (void)state;
    static uint32_t frames[2] = { 0, 65536 };
    static float values[2] = { 0, 1 };
    w3d_channel motion = { .kind = W3D_MOTION_TIMECODED, .width = 1 }, raw = { .kind = W3D_RAW, .width = 1 },
                adaptive = { .kind = W3D_ADAPTIVE4, .width = 1 };
    const struct {
        const w3d_channel *channel;
        w3d_keys keys;
    } cases[] = {
        { &motion, { .count = 2, .values = values, .frames = frames } },
        { &raw, { .count = 0, .values = values } },
        { &raw, { .count = 2, .first_frame = 65535, .values = values } },
        { &adaptive, { .count = 0, .values = values } },
    };
    for (size_t i = 0; i < 4; i++) {
        w3d_file *file = w3d_file_open();
        w3d_put_channel(&file->tree, cases[i].channel, &cases[i].keys);
        assert_true(file->out.failed);
        w3d_file_close(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delta_table_matches_the_formula),
        cmocka_unit_test(raw_frames),
        cmocka_unit_test(raw_bits),
        cmocka_unit_test(timecoded_keys),
        cmocka_unit_test(timecoded_bits),
        cmocka_unit_test(adaptive_deltas_by_hand),
        cmocka_unit_test(motion_deltas_of_four_bits),
        cmocka_unit_test(motion_deltas_of_eight_bits),
        cmocka_unit_test(motion_keys),
        cmocka_unit_test(encoder_errors_are_within_bounds),
        cmocka_unit_test(encoded_sizes_match_the_format),
        cmocka_unit_test(constant_channels_stay_constant),
        cmocka_unit_test(frames_out_of_range_fail_the_writer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
