// A soldier as Generals splits them: skin and helmet in one file, the skeleton in another, and three animations, each
// in its own file and kind: raw frames, time-coded keys, adaptive deltas. He stands facing +X with his arms out to the
// sides.
#include <float.h>

#include "make_samples.h"
#include "w3d_maker.h"

enum { ROOT, PELVIS, SPINE, HEAD, ARM_L, FOREARM_L, ARM_R, FOREARM_R, THIGH_L, CALF_L, THIGH_R, CALF_R, BONES };

#define HALF 0.70710678f

// Limbs lie along the X of their bones, so that bone space is no space one could mistake for the model's.
// clang-format off
static const sample_bone bones[BONES] = {
    [ROOT] = { "ROOTTRANSFORM", -1, { 0, 0, 0 }, { 0, 0, 0, 1 } },
    [PELVIS] = { "B_PELVIS", ROOT, { 0, 0, 6 }, { 0, 0, 0, 1 } },
    [SPINE] = { "B_SPINE", PELVIS, { 0, 0, 1 }, { 0, 0, 0, 1 } },
    [HEAD] = { "B_HEAD", SPINE, { 0, 0, 3.2f }, { 0, 0, 0, 1 } },
    [ARM_L] = { "B_UARML", SPINE, { 0, 1.4f, 2.5f }, { 0, 0, HALF, HALF } },
    [FOREARM_L] = { "B_FARML", ARM_L, { 2, 0, 0 }, { 0, 0, 0, 1 } },
    [ARM_R] = { "B_UARMR", SPINE, { 0, -1.4f, 2.5f }, { 0, 0, -HALF, HALF } },
    [FOREARM_R] = { "B_FARMR", ARM_R, { 2, 0, 0 }, { 0, 0, 0, 1 } },
    [THIGH_L] = { "B_THIGHL", PELVIS, { 0, 0.7f, 0 }, { 0, HALF, 0, HALF } },
    [CALF_L] = { "B_CALFL", THIGH_L, { 2.8f, 0, 0 }, { 0, 0, 0, 1 } },
    [THIGH_R] = { "B_THIGHR", PELVIS, { 0, -0.7f, 0 }, { 0, HALF, 0, HALF } },
    [CALF_R] = { "B_CALFR", THIGH_R, { 2.8f, 0, 0 }, { 0, 0, 0, 1 } },
};
// clang-format on
static const sample_skeleton skeleton = { "SOLDIER_SKL", bones, BONES, 48 };

static const sample_material uniform = { "Uniform", "soldier.tga", { 255, 255, 255 }, false, false, NULL, 0 };
static const sample_material steel = { "Steel", NULL, { 70, 80, 60 }, false, false, NULL, 0 };

static void add_body(shape *s)
{
    static const shape_ring torso[] = {
        { { 0, 0, 5.4f }, 0.9f, 1.4f, { PELVIS }, 0 }, { { 0, 0, 6.4f }, 1.0f, 1.5f, { PELVIS }, 0 },
        { { 0, 0, 7.2f }, 0.9f, 1.3f, { SPINE }, 0 },  { { 0, 0, 8.8f }, 1.2f, 1.9f, { SPINE }, 0 },
        { { 0, 0, 9.9f }, 0.9f, 1.7f, { SPINE }, 0 },
    };
    static const shape_ring head[] = {
        { { 0, 0, 9.8f }, 0.5f, 0.5f, { SPINE }, 0 },    { { 0, 0, 10.3f }, 0.5f, 0.5f, { HEAD }, 0 },
        { { 0.1f, 0, 10.8f }, 0.9f, 0.8f, { HEAD }, 0 }, { { 0.1f, 0, 11.8f }, 0.9f, 0.8f, { HEAD }, 0 },
        { { 0, 0, 12.2f }, 0.5f, 0.4f, { HEAD }, 0 },
    };
    shape_tube(s, 6, sni_vec3(1, 0, 0), sni_vec3(0, 1, 0), torso, 5);
    shape_tube(s, 6, sni_vec3(1, 0, 0), sni_vec3(0, 1, 0), head, 5);
}

// The ring at the elbow or knee follows the lower bone, the one above it the upper.
static void add_arm(shape *s, float side, uint16_t upper, uint16_t lower)
{
    const shape_ring arm[] = {
        { { 0, side * 1.2f, 9.5f }, 0.6f, 0.6f, { upper }, 0 },
        { { 0, side * 3.0f, 9.5f }, 0.5f, 0.5f, { upper }, 0 },
        { { 0, side * 3.8f, 9.5f }, 0.45f, 0.45f, { lower }, 0 },
        { { 0, side * 5.2f, 9.5f }, 0.35f, 0.35f, { lower }, 0 },
        { { 0, side * 6.0f, 9.5f }, 0.4f, 0.2f, { lower }, 0 },
    };
    shape_tube(s, 4, sni_vec3(0, 0, side), sni_vec3(1, 0, 0), arm, 5);
}

static void add_leg(shape *s, float side, uint16_t upper, uint16_t lower)
{
    const shape_ring leg[] = {
        { { 0, side * 0.7f, 6.0f }, 0.75f, 0.75f, { upper }, 0 },
        { { 0, side * 0.7f, 3.8f }, 0.65f, 0.65f, { upper }, 0 },
        { { 0, side * 0.7f, 2.8f }, 0.55f, 0.55f, { lower }, 0 },
        { { 0, side * 0.7f, 0.9f }, 0.45f, 0.45f, { lower }, 0 },
        { { 0.4f, side * 0.7f, 0.5f }, 0.5f, 1.0f, { lower }, 0 },
        { { 0.4f, side * 0.7f, 0.0f }, 0.5f, 1.0f, { lower }, 0 },
    };
    shape_tube(s, 4, sni_vec3(0, 1, 0), sni_vec3(1, 0, 0), leg, 6);
}

static void put_meshes(w3d_tree *tree)
{
    static const shape_ring helmet[] = { { { 0.1f, 0, 1.3f }, 1.1f, 1.0f, { 0 }, 0 },
                                         { { 0.1f, 0, 1.7f }, 1.0f, 0.9f, { 0 }, 0 },
                                         { { 0, 0, 2.2f }, 0.5f, 0.4f, { 0 }, 0 } };
    shape body = { 0 }, hat = { 0 };
    sample_mesh skin = { .name = "SKIN",
                         .container = "SOLDIER_SKN",
                         .version = 0x40002,
                         .attributes = W3D_GEOMETRY_SKIN | W3D_CASTS_SHADOW,
                         .skin = &skeleton };
    sample_mesh rigid = { .name = "HELMET", .container = "SOLDIER_SKN", .version = 0x40002 };
    add_body(&body);
    add_arm(&body, 1.0f, ARM_L, FOREARM_L);
    add_arm(&body, -1.0f, ARM_R, FOREARM_R);
    add_leg(&body, 1.0f, THIGH_L, CALF_L);
    add_leg(&body, -1.0f, THIGH_R, CALF_R);
    open_mesh(tree, &skin, &body);
    put_material(tree, &body, &uniform);
    w3d_close_chunk(tree);
    shape_tube(&hat, 6, sni_vec3(1, 0, 0), sni_vec3(0, 1, 0), helmet, 3);
    open_mesh(tree, &rigid, &hat);
    put_material(tree, &hat, &steel);
    w3d_close_chunk(tree);
}

static bool make_skin(const char *folder)
{
    static const sample_part parts[] = { { ROOT, "SOLDIER_SKN.SKIN" },
                                         { HEAD, "SOLDIER_SKN.HELMET" },
                                         { ROOT, "SOLDIER_SKN.BOUNDINGBOX" } };
    sample_file file;
    w3d_tree *tree = sample_open(&file);
    put_meshes(tree);
    put_box(tree, "SOLDIER_SKN.BOUNDINGBOX", 2, sni_vec3(0, 0, 6.1f), sni_vec3(1.4f, 6, 6.1f));
    open_hlod(tree, "SOLDIER_SKN", "SOLDIER_SKL", 1);
    put_parts(tree, W3D_LOD_ARRAY, FLT_MAX, parts, 3);
    w3d_close_chunk(tree);
    return sample_save(&file, folder, "soldier_skn.w3d");
}

static bool make_skeleton(const char *folder)
{
    sample_file file;
    put_hierarchy(sample_open(&file), &skeleton);
    return sample_save(&file, folder, "soldier_skl.w3d");
}

// Raw: the left arm comes up from frame 0 to 10, the forearm waves from 10 to 30 only. 41 frames.
static bool make_wave(const char *folder)
{
    sample_file file;
    float raise[41], shake[21];
    for (int i = 0; i < 41; i++)
        raise[i] = -0.6f * smooth(i < 10 ? (float)i / 10.0f : i > 30 ? (float)(40 - i) / 10.0f : 1.0f);
    for (int i = 0; i < 21; i++) shake[i] = 0.5f * wave((float)(i % 10) / 10.0f);
    w3d_tree *tree = sample_open(&file);
    put_hierarchy(tree, &skeleton);  // most animation files carry a copy
    open_animation(tree, "SOLDIER_WAVE", "SOLDIER_SKL", 41);
    put_turns(tree, (sample_motion){ W3D_RAW, ARM_L, 0, 41, NULL, NULL }, sni_vec3(0, 1, 0), raise);
    put_turns(tree, (sample_motion){ W3D_RAW, FOREARM_L, 10, 21, NULL, NULL }, sni_vec3(0, 1, 0), shake);
    w3d_close_chunk(tree);
    return sample_save(&file, folder, "soldier_wave.w3d");
}

// Time-coded: one step with each leg in 31 frames, the last like the first. The head glances aside in one jump, with
// the helmet off.
static bool make_walk(const char *folder)
{
    static const uint32_t frames[5] = { 0, 8, 15, 23, 30 }, steps[3] = { 0, 12, 24 };
    static const float ahead[5] = { 0, 0.3f, 0, -0.3f, 0 }, behind[5] = { 0, -0.3f, 0, 0.3f, 0 },
                       bend[5] = { 0, 0.05f, 0.5f, 0.1f, 0 }, bend_late[5] = { 0.5f, 0.1f, 0, 0.05f, 0.5f };
    static const float glance[3] = { 0, 0.4f, 0 }, bob[5] = { 0, 0.2f, 0, 0.2f, 0 }, shown[3] = { 1, 0, 1 };
    static const float hang[5] = { 0.8f, 0.8f, 0.8f, 0.8f, 0.8f };
    static const bool jumps[3] = { false, true, false };
    sample_file file;
    w3d_tree *tree = sample_open(&file);
    open_compressed(tree, "SOLDIER_WALK", "SOLDIER_SKL", 31, 1, 0);
    put_turns(tree, (sample_motion){ W3D_TIMECODED, THIGH_L, 0, 5, frames, NULL }, sni_vec3(0, 1, 0), ahead);
    put_turns(tree, (sample_motion){ W3D_TIMECODED, THIGH_R, 0, 5, frames, NULL }, sni_vec3(0, 1, 0), behind);
    put_turns(tree, (sample_motion){ W3D_TIMECODED, CALF_L, 0, 5, frames, NULL }, sni_vec3(0, 1, 0), bend_late);
    put_turns(tree, (sample_motion){ W3D_TIMECODED, CALF_R, 0, 5, frames, NULL }, sni_vec3(0, 1, 0), bend);
    put_turns(tree, (sample_motion){ W3D_TIMECODED, ARM_L, 0, 5, frames, NULL }, sni_vec3(0, 1, 0), hang);
    put_turns(tree, (sample_motion){ W3D_TIMECODED, ARM_R, 0, 5, frames, NULL }, sni_vec3(0, 1, 0), hang);
    put_turns(tree, (sample_motion){ W3D_TIMECODED, HEAD, 0, 3, steps, jumps }, sni_vec3(0, 0, 1), glance);
    put_shifts(tree, (sample_motion){ W3D_TIMECODED, PELVIS, 0, 5, frames, NULL }, W3D_Z, bob);
    put_bits(tree, (sample_motion){ W3D_TIMECODED_BITS, HEAD, 0, 3, steps, NULL }, 1, shown);
    w3d_close_chunk(tree);
    return sample_save(&file, folder, "soldier_walk.w3d");
}

// Adaptive deltas: he bows and comes up again in 37 frames.
static bool make_bow(const char *folder)
{
    sample_file file;
    float bow[37], nod[37], down[37];
    for (int i = 0; i < 37; i++) {
        float u = smooth(i < 18 ? (float)i / 18.0f : (float)(36 - i) / 18.0f);
        bow[i] = 0.45f * u;
        nod[i] = 0.2f * u;
        down[i] = -0.3f * u;
    }
    w3d_tree *tree = sample_open(&file);
    open_compressed(tree, "SOLDIER_BOW", "SOLDIER_SKL", 37, 1, 1);
    put_turns(tree, (sample_motion){ W3D_ADAPTIVE4, SPINE, 0, 37, NULL, NULL }, sni_vec3(0, 1, 0), bow);
    put_turns(tree, (sample_motion){ W3D_ADAPTIVE4, HEAD, 0, 37, NULL, NULL }, sni_vec3(0, 1, 0), nod);
    put_shifts(tree, (sample_motion){ W3D_ADAPTIVE4, PELVIS, 0, 37, NULL, NULL }, W3D_X, down);
    w3d_close_chunk(tree);
    return sample_save(&file, folder, "soldier_bow.w3d");
}

static void paint_uniform(int x, int y, uint8_t rgba[4])
{
    static const uint8_t cloth[2][3] = { { 124, 116, 82 }, { 108, 100, 70 } }, belt[3] = { 60, 44, 30 };
    const uint8_t *color = y == 3 ? belt : cloth[(x + y) % 2];
    for (int i = 0; i < 3; i++) rgba[i] = color[i];
}

bool make_soldier(const char *folder)
{
    return make_skin(folder) && make_skeleton(folder) && make_wave(folder) && make_walk(folder) && make_bow(folder) &&
           save_tga(folder, "soldier.tga", paint_uniform);
}
