// Motion files: the bytes, what is refused, and that a loaded motion plays what the saved one plays.
#include "hand_models.h"
#include "random_model.h"
#include "sinew/runtime.h"
#include "sweep.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static sn_bytes save(const sn_motion *motion)
{
    sn_bytes bytes;
    sn_error error = { 0 };
    sn_status status = sn_motion_save_memory(motion, NULL, &bytes, &error);
    if (status != SN_OK) fprintf(stderr, "%s: %s\n", error.path, error.message);
    assert_int_equal(status, SN_OK);
    return bytes;
}

static sn_motion *load(sn_bytes bytes, const sn_model *model, sn_simd simd)
{
    sn_motion_opts opts = { .simd = simd };
    sn_error error = { 0 };
    sn_motion *motion = sn_motion_load_memory(bytes.data, bytes.size, model, &opts, &error);
    if (!motion) fprintf(stderr, "%s at %llu: %s\n", error.path, (unsigned long long)error.offset, error.message);
    assert_non_null(motion);
    assert_int_equal(error.status, SN_OK);
    return motion;
}

static void assert_same_bytes(sn_bytes a, sn_bytes b)
{
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
}

// Playing

static void expect_same_pose(const sn_model *model, const sn_pose *a, const sn_pose *b)
{
    for (uint32_t i = 0; i < model->node_count; i++) {
        sn_trs x = sn_pose_local(a, (int32_t)i), y = sn_pose_local(b, (int32_t)i);
        sn_mat34 m = sn_pose_world(a, (int32_t)i), n = sn_pose_world(b, (int32_t)i);
        assert_memory_equal(&x, &y, sizeof x);
        assert_memory_equal(&m, &n, sizeof m);
    }
    for (uint32_t i = 0; i < model->skin_count; i++)
        assert_memory_equal(sn_pose_palette(a, (int32_t)i), sn_pose_palette(b, (int32_t)i),
                            model->skins[i].joint_count * sizeof(sn_mat34));
    for (uint32_t i = 0; i < model->part_count; i++) {
        sn_vec4 x = sn_pose_color(a, (int32_t)i), y = sn_pose_color(b, (int32_t)i);
        uint32_t morphs = model->meshes[model->parts[i].mesh].morph_count;
        assert_memory_equal(&x, &y, sizeof x);
        assert_int_equal(sn_pose_shows(a, (int32_t)i), sn_pose_shows(b, (int32_t)i));
        if (morphs)
            assert_memory_equal(sn_pose_morphs(a, (int32_t)i), sn_pose_morphs(b, (int32_t)i), morphs * sizeof(float));
    }
    for (uint32_t i = 0; i < model->material_count; i++)
        for (uint32_t k = 0; k < model->materials[i].layer_count; k++) {
            sn_layer_state x = sn_pose_layer(a, (int32_t)i, (int32_t)k), y = sn_pose_layer(b, (int32_t)i, (int32_t)k);
            assert_memory_equal(&x, &y, sizeof x);
        }
    for (uint32_t i = 0; i < model->light_count; i++) {
        sn_light_state x = sn_pose_light(a, (int32_t)i), y = sn_pose_light(b, (int32_t)i);
        assert_memory_equal(&x, &y, sizeof x);
    }
    for (uint32_t i = 0; i < model->camera_count; i++)
        assert_true(sn_pose_fov(a, (int32_t)i) == sn_pose_fov(b, (int32_t)i));
}

static void expect_same_play(const sn_model *model, const sn_motion *made, const sn_motion *loaded)
{
    sn_pose *a = sn_pose_create(model, NULL, NULL), *b = sn_pose_create(model, NULL, NULL);
    uint32_t seed = 5;
    for (int32_t clip = -1; clip < (int32_t)model->clip_count && clip < 20; clip++) {
        float duration = clip < 0 ? 1.0f : model->clips[clip].duration;
        for (int i = 0; i < 12; i++) {
            float time = i == 0 ? 0.0f : i == 1 ? duration : random_float(&seed, -0.5f, 1.5f) * duration;
            float clock = random_float(&seed, 0, 10);
            sn_motion_sample_solve(made, a, clip, time, clock, NULL);
            sn_motion_sample_solve(loaded, b, clip, time, clock, NULL);
            expect_same_pose(model, a, b);
        }
        sn_motion_layer layers[2] = { { .clip = -1, .weight = 0.5f },
                                      { .clip = clip, .seconds = 0.6f * duration, .weight = 1, .is_additive = true } };
        sn_motion_sample_layers(made, a, layers, 2, 0.5f), sn_motion_sample_layers(loaded, b, layers, 2, 0.5f);
        sn_motion_solve(made, a, NULL), sn_motion_solve(loaded, b, NULL);
        expect_same_pose(model, a, b);
    }
    sn_pose_free(a), sn_pose_free(b);
}

static void expect_round_trip(const sn_model *model, sn_motion_opts opts)
{
    sn_bytes first = { 0 };
    for (int simd = SN_SIMD_SCALAR; simd < SN_SIMD_COUNT; simd++) {
        if (!sn_simd_is_supported((sn_simd)simd)) continue;
        opts.simd = (sn_simd)simd;
        sn_motion *made = sn_motion_create(model, &opts, NULL);
        assert_non_null(made);
        sn_bytes bytes = save(made);
        sn_motion *loaded = load(bytes, model, (sn_simd)simd);
        sn_bytes again = save(loaded);
        assert_same_bytes(bytes, again);
        sn_motion_info a = sn_motion_get_info(made), b = sn_motion_get_info(loaded);
        assert_int_equal(a.simd, b.simd);
        assert_int_equal(a.bytes, b.bytes);
        assert_true(a.bytes_per_node_second == b.bytes_per_node_second && a.max_error == b.max_error);
        expect_same_play(model, made, loaded);
        if (first.data) assert_same_bytes(first, bytes);  // the file does not depend on the processor
        else first = bytes, bytes = (sn_bytes){ 0 };
        sn_bytes_free(&bytes), sn_bytes_free(&again);
        sn_motion_free(made), sn_motion_free(loaded);
    }
    sn_bytes_free(&first);
}

static void expect_round_trips(const sn_model *model, bool is_reduced)
{
    expect_round_trip(model, (sn_motion_opts){ .nlerp = false });
    expect_round_trip(model, (sn_motion_opts){ .nlerp = true });
    expect_round_trip(model, (sn_motion_opts){ .quantize = true });
    if (is_reduced) expect_round_trip(model, (sn_motion_opts){ .max_error = 0.01f });
}

static int file_count;

static void round_trip_file(const char *path)
{
    sn_model *model = sn_load_file(path, NULL, NULL);
    if (!model) return;  // a part of another model
    expect_round_trips(model, true);
    file_count++;
    sn_model_free(model);
}

static void test_samples(void **state)
{
    (void)state;
    sweep_folder(SINEW_SAMPLES, "glb gltf mdx mdl w3d chr mds", round_trip_file);
    sweep_folder(SINEW_TESTS_DIR "/sweep_samples", "glb gltf mdx mdl w3d mds", round_trip_file);
    assert_true(file_count > 20);
}

static void test_random_models(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 40; seed += random_step()) {
        random_opts opts = { .nodes = 1 + seed % 37, .clips = 3, .keys = 2 + seed % 13, .own_times = seed % 2 };
        sn_model *model = random_model(seed, &opts);
        expect_round_trips(model, seed % 4 == 0);
        random_model_free(model);
    }
}

static void test_some_clips(void **state)
{
    (void)state;
    const int32_t clips[] = { 2, 0 };
    random_opts opts = { .nodes = 12, .clips = 4, .keys = 6 };
    sn_model *model = random_model(8, &opts);
    expect_round_trip(model, (sn_motion_opts){ .clips = clips, .clip_count = 2 });
    expect_round_trip(model, (sn_motion_opts){ .clips = clips, .clip_count = 0 });
    random_model_free(model);
}

static void test_empty_model(void **state)
{
    (void)state;
    static test_rig rig;
    rig_init(&rig);
    expect_round_trip(&rig.model, (sn_motion_opts){ 0 });
    rig.model.clip_count = 0;
    expect_round_trip(&rig.model, (sn_motion_opts){ 0 });
}

// The bytes, written down by hand as docs/formats/motion.md describes them

typedef struct draft {
    uint8_t bytes[1024];
    size_t size;
} draft;

static void put(draft *d, uint32_t word)
{
    for (int i = 0; i < 4; i++) d->bytes[d->size++] = (uint8_t)(word >> 8 * i);
}

static void put_float(draft *d, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(d, bits);
}

static void put_row(draft *d, float node, float others)
{
    put_float(d, node);
    for (int i = 1; i < 8; i++) put_float(d, others);
}

static uint64_t fnv(uint64_t hash, uint32_t word)
{
    for (int i = 0; i < 4; i++) hash = (hash ^ (word >> 8 * i & 255)) * 0x100000001b3u;
    return hash;
}

enum {
    FLAGS = 24,
    CONSTANTS = 44,
    TIMELINES = 148,
    PERIOD = 152,
    OVERLAY = 156,
    FRAMES = 160,
    ENTRIES = 164,
    CHANNEL = 168,
    KIND = 172,
    TIMES = 176,
    VALUES = 184,
    TRACKS = 376,
    END = 416,
    HALF_RANGES = 84,
    HALF_FRAMES = HALF_RANGES + 6 * 32 + 8
};

// Of a model with one node and one clip of two seconds that loops.
static void put_header(draft *d)
{
    // Nodes: parent, flags, no matrix. No parts, materials, lights, cameras. One clip of 2 s that loops.
    const uint32_t facts[] = { 1, 0xffffffff, 0, 0, 0, 0, 0, 0, 1, 0x40000000, 1 };
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) hash = fnv(hash, facts[i]);

    *d = (draft){ .size = 0 };
    put(d, 0x4f4d4e53);  // "SNMO"
    put(d, 2);           // version
    put(d, (uint32_t)hash), put(d, (uint32_t)(hash >> 32));
    put(d, 1), put(d, 1);  // nodes, clips
    put(d, 0);             // flags
    put_float(d, 0);       // largest error
    put(d, 1);             // nodes that move
}

// One node that moves along x from 1 to 5 within the two seconds of its clip; scaled by 2, hidden.
static void make_slide(test_rig *rig, draft *d)
{
    static const float times[] = { 0, 2 }, values[] = { 1, 0, 0, 5, 0, 0 }, scale[] = { 2, 2, 2 }, zero[] = { 0 };
    rig_init(rig);
    rig_node(rig, -1, trs_identity, 0);
    rig->clip.duration = 2;
    rig->clip.loops = true;
    rig_track(rig, SN_TARGET_NODE, 0, SN_CHANNEL_TRANSLATION, keys_of(SN_LINEAR, 2, 3, times, values));
    rig_track(rig, SN_TARGET_NODE, 0, SN_CHANNEL_SCALE, keys_of(SN_LINEAR, 1, 3, times, scale));
    rig_track(rig, SN_TARGET_NODE, 0, SN_CHANNEL_VISIBILITY, keys_of(SN_STEP, 1, 1, times, zero));

    put_header(d);
    put(d, 1);  // the clip is compiled
    put(d, 1);  // nodes that it replaces
    assert_int_equal(d->size, CONSTANTS);
    put(d, 1), put(d, 2);  // one constant: the scales of the first block
    for (int i = 0; i < 3; i++) put_row(d, 2, 1);
    assert_int_equal(d->size, TIMELINES);
    put(d, 1);
    put_float(d, 0);               // period
    put(d, 0), put(d, 2);          // no overlay, two frames
    put(d, 1);                     // one entry:
    put(d, 0), put(d, 255u << 8);  // the translations of the first block by lerp, all lanes
    put_float(d, 0), put_float(d, 2);
    assert_int_equal(d->size, VALUES);
    put_row(d, 1, 0), put_row(d, 0, 0), put_row(d, 0, 0);
    put_row(d, 5, 0), put_row(d, 0, 0), put_row(d, 0, 0);
    assert_int_equal(d->size, TRACKS);
    put(d, 0);  // no lane entries
    put(d, 1);
    put(d, 3u << 8);       // visibility of a node, stepped, held
    put(d, 0), put(d, 0);  // node, sub
    put_float(d, 0);       // period
    put(d, 1), put(d, 1);  // width, keys
    put_float(d, 0), put_float(d, 0);
    assert_int_equal(d->size, END);
}

static void test_bytes(void **state)
{
    (void)state;
    static test_rig rig;
    draft d;
    make_slide(&rig, &d);
    sn_motion *motion = sn_motion_create(&rig.model, NULL, NULL);
    sn_bytes bytes = save(motion);
    sn_motion_free(motion);
    assert_same_bytes(bytes, (sn_bytes){ d.bytes, d.size, NULL });
    sn_bytes_free(&bytes);

    rig.clip.track_count = 0;  // the file replaces the tracks
    motion = load((sn_bytes){ d.bytes, d.size, NULL }, &rig.model, SN_SIMD_AUTO);
    sn_pose *pose = sn_pose_create(&rig.model, NULL, NULL);
    sn_motion_sample(motion, pose, 0, 2.5f, 0);  // half a second into the second round
    sn_trs local = sn_pose_local(pose, 0);
    assert_vec3(local.translation, 2, 0, 0);
    assert_vec3(local.scale, 2, 2, 2);
    sn_pose_free(pose);
    sn_motion_free(motion);
}

// Values of 16 bits: a translation in steps of a half from 10 on, and a turn about z.
static void make_halves(test_rig *rig, draft *d)
{
    rig_init(rig);
    rig_node(rig, -1, trs_identity, 0);
    rig->clip.duration = 2;
    rig->clip.loops = true;
    put_header(d);
    put(d, 1), put(d, 1), put(d, 0);        // compiled, replaced, constants
    put(d, 1), put_float(d, 0), put(d, 0);  // timelines, period, overlay
    put(d, 2), put(d, 2);                   // frames, entries
    put(d, 0), put(d, 255u << 8 | 11);      // translations
    put(d, 1), put(d, 255u << 8 | 12);      // rotations
    assert_int_equal(d->size, HALF_RANGES);
    put_row(d, 0.5f, 0), put_row(d, 0, 0), put_row(d, 0, 0);
    put_row(d, 10, 0), put_row(d, 0, 0), put_row(d, 0, 0);
    put_float(d, 0), put_float(d, 2);
    assert_int_equal(d->size, HALF_FRAMES);
    for (uint32_t frame = 0; frame < 2; frame++) {
        const uint16_t x = (uint16_t)(frame ? 100 : -20), z = frame ? 19660 : 0, w = frame ? 26214 : 32767;
        for (int row = 0; row < 7; row++)
            for (int pair = 0; pair < 4; pair++) {
                uint32_t low = row == 0 ? x : row == 5 ? z : row == 6 ? w : 0, rest = row == 6 ? 32767 : 0;
                put(d, (pair == 0 ? low : rest) | rest << 16);
            }
    }
    put(d, 0), put(d, 0);  // lane entries, tracks
}

static void test_halves(void **state)
{
    (void)state;
    static test_rig rig;
    draft d;
    make_halves(&rig, &d);
    for (int simd = SN_SIMD_SCALAR; simd < SN_SIMD_COUNT; simd++) {
        if (!sn_simd_is_supported((sn_simd)simd)) continue;
        sn_motion *motion = load((sn_bytes){ d.bytes, d.size, NULL }, &rig.model, (sn_simd)simd);
        sn_bytes bytes = save(motion);
        assert_same_bytes(bytes, (sn_bytes){ d.bytes, d.size, NULL });
        sn_pose *pose = sn_pose_create(&rig.model, NULL, NULL);
        sn_motion_sample(motion, pose, 0, 1, 0);
        sn_trs local = sn_pose_local(pose, 0);
        assert_vec3(local.translation, 30, 0, 0);
        assert_within(local.rotation.z, sin(asin(0.6) / 2), 1e-4);
        assert_within(local.rotation.w, cos(asin(0.6) / 2), 1e-4);
        sn_pose_free(pose);
        sn_bytes_free(&bytes);
        sn_motion_free(motion);
    }
}

// Refusing

static sn_error refuse(const sn_model *model, const void *data, size_t size)
{
    sn_error error = { 0 };
    assert_null(sn_motion_load_memory(data, size, model, NULL, &error));
    assert_true(error.message[0]);
    return error;
}

static void test_other_models(void **state)
{
    (void)state;
    static test_rig rig, other;
    draft d;
    make_slide(&rig, &d);
    for (int i = 0; i < 8; i++) {
        sn_light light = { .name = "", .node = 0, .intensity = 1 };
        sn_vec3 origin = { 0 };
        draft ignored;
        make_slide(&other, &ignored);
        if (i == 0) rig_node(&other, -1, trs_identity, 0);
        if (i == 1) other.nodes[0].flags = SN_NODE_HIDDEN;
        if (i == 2) other.nodes[0].matrix = &mat34_identity;
        if (i == 3) other.clip.duration = 2.5f;
        if (i == 4) other.clip.loops = false;
        if (i == 5) other.model.clip_count = 0;
        if (i == 6) other.model.lights = &light, other.model.light_count = 1;
        if (i == 7) rig_mesh(&other, 1, &origin), rig_part(&other, 0, 0, -1);
        sn_error error = refuse(&other.model, d.bytes, d.size);
        assert_int_equal(error.status, SN_ERR_INVALID);
        assert_non_null(strstr(error.message, "the motion is of a"));
    }
    other = rig;  // the rest pose is the model's own
    make_slide(&other, &d);
    other.nodes[0].rest.translation.y = 3;
    sn_motion_free(load((sn_bytes){ d.bytes, d.size, NULL }, &other.model, SN_SIMD_AUTO));
}

static void test_refusals(void **state)
{
    (void)state;
    static test_rig rig;
    draft good;
    make_slide(&rig, &good);
    const uint32_t nan = 0x7fc00000, inf = 0x7f800000, minus = 0xbf800000, huge = 0x7f000000;
    const struct {
        size_t at;
        uint32_t word;
        sn_status status;
    } damages[] = { { 0, 0, SN_ERR_FORMAT },
                    { 4, 1, SN_ERR_UNSUPPORTED },
                    { 8, 0, SN_ERR_INVALID },
                    { 16, 2, SN_ERR_INVALID },
                    { 20, 2, SN_ERR_INVALID },
                    { FLAGS, 4, SN_ERR_CORRUPT },
                    { 28, nan, SN_ERR_CORRUPT },
                    { 32, 2, SN_ERR_CORRUPT },  // a second node moves
                    { 36, 2, SN_ERR_CORRUPT },
                    { 40, 3, SN_ERR_CORRUPT },
                    { CONSTANTS, 0x10000000, SN_ERR_TRUNCATED },
                    { CONSTANTS + 4, 3, SN_ERR_CORRUPT },  // the first channel of a second block
                    { CONSTANTS + 8, inf, SN_ERR_CORRUPT },
                    { PERIOD, minus, SN_ERR_CORRUPT },
                    { PERIOD, nan, SN_ERR_CORRUPT },
                    { PERIOD, 0x3f800000, SN_ERR_CORRUPT },  // one second: the last key is after its end
                    { OVERLAY, 1, SN_ERR_CORRUPT },
                    { OVERLAY, 2, SN_ERR_CORRUPT },
                    { FRAMES, 0, SN_ERR_CORRUPT },
                    { FRAMES, 0x7fffffff, SN_ERR_TRUNCATED },
                    { ENTRIES, 0, SN_ERR_CORRUPT },
                    { ENTRIES, 0xffffffff, SN_ERR_TRUNCATED },
                    { CHANNEL, 1, SN_ERR_CORRUPT },  // rotations cannot be lerped
                    { CHANNEL, 3, SN_ERR_CORRUPT },
                    { KIND, 255u << 8 | 2, SN_ERR_CORRUPT },
                    { KIND, 255u << 8 | 200, SN_ERR_CORRUPT },
                    { KIND, 1u << 8, SN_ERR_CORRUPT },  // one lane only
                    { KIND, 1u << 16 | 255u << 8, SN_ERR_CORRUPT },
                    { TIMES, 0x3f800000, SN_ERR_CORRUPT },
                    { TIMES + 4, nan, SN_ERR_CORRUPT },
                    { TIMES + 4, minus, SN_ERR_CORRUPT },
                    { TIMES + 4, 0x40800000, SN_ERR_CORRUPT },
                    { VALUES, nan, SN_ERR_CORRUPT },
                    { VALUES, huge, SN_ERR_CORRUPT },
                    { END - 36, 2, SN_ERR_TRUNCATED },      // tracks
                    { END - 32, 1u << 8, SN_ERR_CORRUPT },  // the rotation of a node, which is not compiled
                    { END - 32, 200u << 8, SN_ERR_CORRUPT },
                    { END - 32, 3u << 8 | 9, SN_ERR_CORRUPT },
                    { END - 28, 1, SN_ERR_CORRUPT },  // node
                    { END - 28, 0xffffffff, SN_ERR_CORRUPT },
                    { END - 24, 1, SN_ERR_CORRUPT },
                    { END - 20, nan, SN_ERR_CORRUPT },
                    { END - 16, 2, SN_ERR_TRUNCATED },  // width
                    { END - 16, 0, SN_ERR_CORRUPT },
                    { END - 12, 0, SN_ERR_CORRUPT },  // keys
                    { END - 8, nan, SN_ERR_CORRUPT },
                    { END - 4, inf, SN_ERR_CORRUPT } };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        draft d = good;
        d.size = damages[i].at;
        put(&d, damages[i].word);
        sn_error error = refuse(&rig.model, d.bytes, good.size);
        if (error.status != damages[i].status)
            fprintf(stderr, "%08x at %zu: %s: %s\n", damages[i].word, damages[i].at, error.path, error.message);
        assert_int_equal(error.status, damages[i].status);
    }
    const struct {
        size_t at;
        uint32_t word;
    } halves[] = { { HALF_RANGES, 0x77000000 },  // a factor of 2.6e33, times 32768
                   { HALF_RANGES, nan },
                   { HALF_RANGES + 96, inf },
                   { HALF_FRAMES + 48 + 48, 0 },             // a rotation without length
                   { HALF_FRAMES + 48 + 48, 0x7fff8001 } };  // the two keys are half a turn apart
    draft halves_file;
    static test_rig halves_rig;
    make_halves(&halves_rig, &halves_file);
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
        draft d = halves_file;
        d.size = halves[i].at;
        put(&d, halves[i].word);
        assert_int_equal(refuse(&halves_rig.model, d.bytes, halves_file.size).status, SN_ERR_CORRUPT);
    }
    assert_int_equal(refuse(&rig.model, good.bytes, good.size + 1).status, SN_ERR_CORRUPT);
    assert_int_equal(refuse(&rig.model, good.bytes, good.size - 1).status, SN_ERR_TRUNCATED);
    assert_int_equal(refuse(&rig.model, "", 0).status, SN_ERR_FORMAT);
    assert_int_equal(refuse(&rig.model, NULL, 0).status, SN_ERR_FORMAT);
    assert_int_equal(refuse(NULL, good.bytes, good.size).status, SN_ERR_INVALID);
}

// Tracks with key times of their own: entries of all eight lanes come first, then those that write some again.
static void test_order_of_lane_entries(void **state)
{
    (void)state;
    static test_rig rig;
    draft d;
    make_slide(&rig, &d);
    for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
        put_header(&d);
        put(&d, 1), put(&d, 1), put(&d, 0), put(&d, 0);  // compiled, replaced, constants, timelines
        put(&d, 3);
        for (int entry = 0; entry < 3; entry++) {
            const bool is_some = entry == (is_wrong ? 1 : 2);
            put(&d, entry == 0 || is_some ? 0 : 2);  // translations or scales
            put(&d, (is_some ? 1u : 255u) << 8);
            for (int lane = 0; lane < 8; lane++) {
                put_float(&d, 0);  // period
                put(&d, 1), put_float(&d, 0);
                for (int row = 0; row < 3; row++) put_float(&d, 1);
            }
        }
        put(&d, 0);  // tracks
        sn_error error = { 0 };
        sn_motion *motion = sn_motion_load_memory(d.bytes, d.size, &rig.model, NULL, &error);
        if ((motion == NULL) != is_wrong) fail_msg("%s: %s", error.path, error.message);
        if (is_wrong) assert_non_null(strstr(error.message, "all lanes after one of some"));
        sn_motion_free(motion);
    }
}

static void test_options(void **state)
{
    (void)state;
    static test_rig rig;
    draft d;
    sn_error error = { 0 };
    make_slide(&rig, &d);
    sn_motion_opts opts = { .memory_bytes = 1000 };
    assert_null(sn_motion_load_memory(d.bytes, d.size, &rig.model, &opts, &error));
    assert_int_equal(error.status, SN_ERR_LIMIT);
    opts = (sn_motion_opts){ .simd = sn_simd_is_supported(SN_SIMD_NEON) ? SN_SIMD_AVX2 : SN_SIMD_NEON };
    assert_null(sn_motion_load_memory(d.bytes, d.size, &rig.model, &opts, &error));
    assert_int_equal(error.status, SN_ERR_UNSUPPORTED);
    assert_null(sn_motion_load_memory(d.bytes, d.size, &rig.model, &opts, NULL));
}

// A model may hold numbers that no sum can; its motion plays, but is not saved.
static void test_values_too_large(void **state)
{
    (void)state;
    static test_rig rig;
    static const float times[] = { 0, 1 }, values[] = { 0, 0, 0, 3e38f, 0, 0 };
    sn_bytes bytes;
    sn_error error = { 0 };
    rig_init(&rig);
    rig_node(&rig, -1, trs_identity, 0);
    rig_track(&rig, SN_TARGET_NODE, 0, SN_CHANNEL_TRANSLATION, keys_of(SN_LINEAR, 2, 3, times, values));
    sn_motion *motion = sn_motion_create(&rig.model, NULL, NULL);
    assert_non_null(motion);
    assert_int_equal(sn_motion_save_memory(motion, NULL, &bytes, &error), SN_ERR_INVALID);
    assert_null(bytes.data);
    assert_non_null(strstr(error.message, "out of range"));
    sn_motion_free(motion);
}

static void test_files(void **state)
{
    (void)state;
    static test_rig rig;
    draft d;
    uint8_t bytes[1024];
    sn_error error = { 0 };
    static const char path[] = "test_motion_file.snm";
    make_slide(&rig, &d);
    sn_motion *motion = load((sn_bytes){ d.bytes, d.size, NULL }, &rig.model, SN_SIMD_AUTO);
    assert_int_equal(sn_motion_save_file(motion, path, &error), SN_OK);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), d.size);
    fclose(file);
    assert_memory_equal(bytes, d.bytes, d.size);
    sn_motion *loaded = sn_motion_load_file(path, &rig.model, NULL, &error);
    assert_non_null(loaded);
    expect_same_play(&rig.model, motion, loaded);
    sn_motion_free(loaded);
    remove(path);
    assert_null(sn_motion_load_file(path, &rig.model, NULL, &error));
    assert_int_equal(error.status, SN_ERR_IO);
    assert_null(sn_motion_load_file(path, &rig.model, NULL, NULL));
    assert_int_equal(sn_motion_save_file(motion, "no/such/folder/x.snm", &error), SN_ERR_IO);
    sn_motion_free(motion);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_random_models),
        cmocka_unit_test(test_some_clips),
        cmocka_unit_test(test_empty_model),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_other_models),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_order_of_lane_entries),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_values_too_large),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
