// The kobold: skeleton, clips, events and attachments, saved in every format that sinew writes.
#include "kobold.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/math.h"
#include "image/png.h"
#include "make_samples.h"

// clang-format off
const kobold_bone kobold_bones[KOBOLD_BONES] = {
    [ROOT]       = { "root",        -1,         { 0, 0, 0 } },
    [HIPS]       = { "hips",        ROOT,       { 0, 0.26f, 0 } },
    [SPINE]      = { "spine",       HIPS,       { 0, 0.34f, 0 } },
    [CHEST]      = { "chest",       SPINE,      { 0, 0.43f, 0 } },
    [NECK]       = { "neck",        CHEST,      { 0, 0.53f, 0 } },
    [HEAD]       = { "head",        NECK,       { 0, 0.60f, 0 } },
    [JAW]        = { "jaw",         HEAD,       { 0, 0.65f, 0.060f } },
    [EAR_L]      = { "ear_l",       HEAD,       { 0.14f, 0.78f, -0.015f } },
    [EAR_TIP_L]  = { "ear_tip_l",   EAR_L,      { 0.23f, 0.82f, -0.030f } },
    [EAR_R]      = { "ear_r",       HEAD,       { -0.14f, 0.78f, -0.015f } },
    [EAR_TIP_R]  = { "ear_tip_r",   EAR_R,      { -0.23f, 0.82f, -0.030f } },
    [ARM_L]      = { "arm_l",       CHEST,      { 0.10f, 0.46f, 0 } },
    [FOREARM_L]  = { "forearm_l",   ARM_L,      { 0.19f, 0.39f, 0.010f } },
    [HAND_L]     = { "hand_l",      FOREARM_L,  { 0.27f, 0.325f, 0.030f } },
    [ARM_R]      = { "arm_r",       CHEST,      { -0.10f, 0.46f, 0 } },
    [FOREARM_R]  = { "forearm_r",   ARM_R,      { -0.19f, 0.39f, 0.010f } },
    [HAND_R]     = { "hand_r",      FOREARM_R,  { -0.27f, 0.325f, 0.030f } },
    [LEG_L]      = { "leg_l",       HIPS,       { 0.07f, 0.22f, 0 } },
    [SHIN_L]     = { "shin_l",      LEG_L,      { 0.085f, 0.13f, 0.010f } },
    [FOOT_L]     = { "foot_l",      SHIN_L,     { 0.09f, 0.05f, -0.005f } },
    [LEG_R]      = { "leg_r",       HIPS,       { -0.07f, 0.22f, 0 } },
    [SHIN_R]     = { "shin_r",      LEG_R,      { -0.085f, 0.13f, 0.010f } },
    [FOOT_R]     = { "foot_r",      SHIN_R,     { -0.09f, 0.05f, -0.005f } },
    [TAIL_1]     = { "tail_1",      HIPS,       { 0, 0.25f, -0.080f } },
    [TAIL_2]     = { "tail_2",      TAIL_1,     { 0, 0.215f, -0.160f } },
    [TAIL_3]     = { "tail_3",      TAIL_2,     { 0, 0.21f, -0.260f } },
    [TAIL_4]     = { "tail_4",      TAIL_3,     { 0, 0.26f, -0.350f } },
    [HAT]        = { "hat",         HEAD,       { 0, 0.845f, -0.020f } },
    [SWORD]      = { "sword",       HAND_R,     { -0.295f, 0.30f, 0.045f } },
    [HAND_REF]     = { "Hand Left Ref",  HAND_L, { 0.295f, 0.30f, 0.045f } },
    [OVERHEAD_REF] = { "Overhead Ref",   ROOT,   { 0, 1.25f, 0 } },
    [ORIGIN_REF]   = { "Origin Ref",     ROOT,   { 0, 0, 0 } },
};
// clang-format on

// The sine of so many turns. Only + - * / are used: every machine makes the same bytes.
static float wave(float turns)
{
    double t = turns - (double)(int)turns;
    if (t < 0) t += 1;
    const double sign = t < 0.5 ? 1 : -1;
    t = t < 0.5 ? t : t - 0.5;
    const double x = (t < 0.25 ? t : 0.5 - t) * 6.283185307179586, square = x * x;
    return (float)(sign * x *
                   (1 - square / 6 *
                            (1 - square / 20 *
                                     (1 - square / 42 * (1 - square / 72 * (1 - square / 110 * (1 - square / 156)))))));
}

// Degrees about X, then Y, then Z.
static sn_quat turned(sn_vec3 degrees)
{
    const float x = degrees.x / 720, y = degrees.y / 720, z = degrees.z / 720;
    const sn_quat about_x = { wave(x), 0, 0, wave(x + 0.25f) }, about_y = { 0, wave(y), 0, wave(y + 0.25f) };
    const sn_quat about_z = { 0, 0, wave(z), wave(z + 0.25f) };
    return sni_quat_mul(about_z, sni_quat_mul(about_y, about_x));
}

// Rotations that the hat and the sword have at rest: the one sits askew, the other points ahead.
static sn_quat rest_rotation(int bone)
{
    if (bone == HAT) return turned((sn_vec3){ -6, 0, -9 });
    if (bone == SWORD) return turned((sn_vec3){ 62, 0, 12 });
    return (sn_quat){ 0, 0, 0, 1 };
}

// Clips

typedef struct kobold_pose {
    sn_vec3 degrees[KOBOLD_BONES];
    sn_vec3 moved;  // of the hips
} kobold_pose;

// From 0 at `from` to 1 at `to`, starting and ending gently.
static float ease(float t, float from, float to)
{
    const float u = t <= from ? 0 : t >= to ? 1 : (t - from) / (to - from);
    return u * u * (3 - 2 * u);
}

static void wag(kobold_pose *pose, float turns, float degrees)
{
    for (int i = 0; i < 4; i++) pose->degrees[TAIL_1 + i].y = degrees * wave(turns - 0.12f * (float)i);
}

// t runs from 0 to 1 over the clip.
static void stand(float t, kobold_pose *pose)
{
    const float twitch = ease(t, 0.60f, 0.65f) - ease(t, 0.65f, 0.75f);
    pose->moved.y = 0.006f * wave(2 * t) - 0.006f;
    pose->degrees[SPINE].x = 2.5f * wave(2 * t + 0.1f);
    pose->degrees[CHEST].x = 2 * wave(2 * t);
    pose->degrees[HEAD] = (sn_vec3){ -3 * wave(2 * t + 0.1f), 12 * wave(t), 4 * wave(t + 0.2f) };
    pose->degrees[EAR_L].z = 4 * wave(2 * t), pose->degrees[EAR_R].z = -4 * wave(2 * t) - 14 * twitch;
    pose->degrees[EAR_TIP_R].z = -22 * twitch;
    pose->degrees[ARM_L] = (sn_vec3){ 6 * wave(2 * t + 0.3f), 0, -14 };
    pose->degrees[ARM_R] = (sn_vec3){ -16 + 6 * wave(2 * t + 0.3f), 0, 10 };
    pose->degrees[FOREARM_L].x = -14, pose->degrees[FOREARM_R].x = -24;
    wag(pose, t, 16);
}

static void walk(float t, kobold_pose *pose)
{
    for (int side = 0; side < 2; side++) {
        const float phase = t + 0.5f * (float)side, swing = wave(phase);
        const int leg = side ? LEG_R : LEG_L, arm = side ? ARM_R : ARM_L;
        pose->degrees[leg].x = -34 * swing;
        pose->degrees[leg + 1].x = 26 + 24 * wave(phase + 0.3f);
        pose->degrees[leg + 2].x = 8 - 22 * wave(phase + 0.2f);
        pose->degrees[arm] = (sn_vec3){ 30 * swing - 8, 0, side ? 8 : -8 };
        pose->degrees[arm + 1].x = -30 + 14 * swing;
    }
    pose->moved.y = 0.018f * wave(2 * t + 0.35f) - 0.01f;
    pose->degrees[HIPS] = (sn_vec3){ 4, 8 * wave(t), 4 * wave(t) };
    pose->degrees[SPINE].y = -7 * wave(t), pose->degrees[CHEST].y = -7 * wave(t);
    pose->degrees[HEAD] = (sn_vec3){ -6 + 3 * wave(2 * t + 0.2f), 4 * wave(t), 3 * wave(t + 0.25f) };
    pose->degrees[EAR_L].z = 9 * wave(2 * t), pose->degrees[EAR_R].z = -9 * wave(2 * t);
    pose->degrees[EAR_TIP_L].z = 14 * wave(2 * t - 0.15f), pose->degrees[EAR_TIP_R].z = -14 * wave(2 * t - 0.15f);
    wag(pose, t, 20);
}

static void attack(float t, kobold_pose *pose)
{
    const float back = ease(t, 0, 0.35f) - ease(t, 0.4f, 0.5f), hit = ease(t, 0.4f, 0.5f) - ease(t, 0.65f, 1);
    pose->moved = (sn_vec3){ 0, -0.02f * back - 0.025f * hit, -0.03f * back + 0.07f * hit };
    pose->degrees[HIPS].y = 18 * back - 14 * hit;
    pose->degrees[CHEST] = (sn_vec3){ -8 * back + 18 * hit, 22 * back - 26 * hit, 0 };
    pose->degrees[HEAD] = (sn_vec3){ 4 * back - 10 * hit, -30 * back + 30 * hit, 0 };
    pose->degrees[JAW].x = 10 * back + 22 * hit;
    pose->degrees[ARM_R] = (sn_vec3){ -150 * back - 58 * hit, 0, -20 * back + 26 * hit };
    pose->degrees[FOREARM_R].x = -46 * back - 6 * hit;
    pose->degrees[ARM_L] = (sn_vec3){ 24 * back + 40 * hit, 0, 22 * back + 16 * hit };
    pose->degrees[FOREARM_L].x = -40 * back - 30 * hit;
    pose->degrees[LEG_L].x = -10 * back - 26 * hit, pose->degrees[SHIN_L].x = 14 * back + 26 * hit;
    pose->degrees[LEG_R].x = 6 * back + 26 * hit, pose->degrees[SHIN_R].x = 10 * back + 4 * hit;
    pose->degrees[EAR_L].y = 20 * back - 14 * hit, pose->degrees[EAR_R].y = -20 * back + 14 * hit;
    wag(pose, 0.25f, 18 * (back - hit));
}

static void death(float t, kobold_pose *pose)
{
    const float fall = ease(t, 0.1f, 0.6f), bounce = ease(t, 0.6f, 0.7f) - ease(t, 0.7f, 0.85f);
    pose->moved = (sn_vec3){ 0, -0.145f * fall + 0.02f * bounce, -0.12f * fall };
    pose->degrees[HIPS].x = -84 * fall + 6 * bounce;
    pose->degrees[SPINE].x = 8 * fall, pose->degrees[NECK].x = -6 * fall - 8 * bounce;
    pose->degrees[HEAD] = (sn_vec3){ -12 * fall, 24 * fall, 0 };
    pose->degrees[JAW].x = 16 * fall;
    for (int side = 0; side < 2; side++) {
        const float out = side ? -1.0f : 1.0f;
        pose->degrees[side ? ARM_R : ARM_L] = (sn_vec3){ 30 * fall, 0, out * (24 * fall + 10 * bounce) };
        pose->degrees[side ? LEG_R : LEG_L] = (sn_vec3){ -20 * fall - 30 * bounce, 0, out * 14 * fall };
        pose->degrees[side ? SHIN_R : SHIN_L].x = 24 * fall;
        pose->degrees[side ? EAR_R : EAR_L].z = -out * 22 * fall;
    }
    for (int i = 0; i < 4; i++) pose->degrees[TAIL_1 + i].x = 24 * fall;
}

// Keys are 0.1 s apart: whole milliseconds, and whole frames at 10, 20, 30 and 60 frames per second.
enum { MOST_KEYS = 21 };
static const struct {
    const char *name;
    int steps;
    bool loops;
    void (*pose)(float t, kobold_pose *pose);
} clips[] = { { "Stand", 20, true, stand },
              { "Walk", 8, true, walk },
              { "Attack", 10, false, attack },
              { "Death", 15, false, death } };
enum { CLIPS = sizeof clips / sizeof *clips };

static void add_track(sn_builder *b, int32_t clip, int bone, sn_channel channel, uint32_t keys, const float *values)
{
    float times[MOST_KEYS];
    const uint32_t width = channel == SN_CHANNEL_ROTATION ? 4 : 3;
    bool moves = false;
    for (uint32_t i = 0; i < keys; i++) times[i] = (float)i / 10;
    for (uint32_t i = width; i < keys * width; i++) moves |= values[i] != values[i - width];
    for (uint32_t i = 0; i < width; i++) moves |= values[i] != (i == 3 ? 1.0f : 0.0f);
    if (!moves) return;
    sn_builder_add_track(b, clip,
                         &(sn_track){ .target_kind = SN_TARGET_NODE,
                                      .target = bone,
                                      .channel = (uint8_t)channel,
                                      .interpolation = SN_LINEAR,
                                      .key_count = keys,
                                      .width = width,
                                      .times = times,
                                      .values = values });
}

static void add_clip(sn_builder *b, int index)
{
    static sn_quat rotations[KOBOLD_JOINTS][MOST_KEYS];
    sn_vec3 moves[MOST_KEYS];
    const uint32_t keys = (uint32_t)clips[index].steps + 1;
    for (uint32_t i = 0; i < keys; i++) {
        kobold_pose pose = { .moved = { 0 } };
        clips[index].pose((float)i / (float)clips[index].steps, &pose);
        for (int bone = 0; bone < KOBOLD_JOINTS; bone++) rotations[bone][i] = turned(pose.degrees[bone]);
        const sn_vec3 from = kobold_bones[ROOT].at, at = kobold_bones[HIPS].at;
        moves[i] = (sn_vec3){ at.x - from.x + pose.moved.x, at.y - from.y + pose.moved.y,
                              at.z - from.z + pose.moved.z };
    }
    const int32_t clip = sn_builder_add_clip(b, &(sn_clip){ .name = clips[index].name,
                                                            .duration = (float)clips[index].steps / 10,
                                                            .loops = clips[index].loops });
    add_track(b, clip, HIPS, SN_CHANNEL_TRANSLATION, keys, &moves[0].x);
    for (int bone = 0; bone < KOBOLD_JOINTS; bone++)
        add_track(b, clip, bone, SN_CHANNEL_ROTATION, keys, &rotations[bone][0].x);
}

// The model

static void add_skeleton(sn_builder *b)
{
    for (int i = 0; i < KOBOLD_BONES; i++) {
        const int parent = kobold_bones[i].parent;
        const sn_vec3 at = kobold_bones[i].at, from = parent >= 0 ? kobold_bones[parent].at : (sn_vec3){ 0, 0, 0 };
        sn_builder_add_node(b, &(sn_node){ .name = kobold_bones[i].name,
                                           .parent = parent,
                                           .id = i,
                                           .flags = i > SWORD ? SN_NODE_ATTACHMENT : 0,
                                           .rest = { .translation = { at.x - from.x, at.y - from.y, at.z - from.z },
                                                     .rotation = rest_rotation(i),
                                                     .scale = { 1, 1, 1 } } });
    }
    for (int i = HAND_REF; i <= ORIGIN_REF; i++)
        sn_builder_add_attachment(b, &(sn_attachment){
                                         .name = kobold_bones[i].name, .path = "", .node = i, .id = i - HAND_REF });
}

static int32_t add_skin(sn_builder *b)
{
    int32_t joints[KOBOLD_JOINTS];
    sn_mat34 inverse_bind[KOBOLD_JOINTS];
    for (int i = 0; i < KOBOLD_JOINTS; i++) {
        const sn_vec3 at = kobold_bones[i].at;
        joints[i] = i;
        inverse_bind[i] = (sn_mat34){ { { 1, 0, 0, -at.x }, { 0, 1, 0, -at.y }, { 0, 0, 1, -at.z } } };
    }
    return sn_builder_add_skin(b, &(sn_skin){ "kobold", joints, inverse_bind, KOBOLD_JOINTS });
}

static int32_t add_material(sn_builder *b)
{
    static uint8_t rgba[KOBOLD_TEXTURE][KOBOLD_TEXTURE][4];
    sni_diag diag;
    sni_heap heap;
    sni_arena arena;
    sni_writer png;
    sni_diag_init(&diag, NULL);
    sni_heap_init(&heap, NULL, UINT64_MAX);
    sni_arena_init(&arena, &heap);
    sni_writer_init(&png, &heap);
    kobold_paint(rgba);
    sni_png_write(&png, &arena, &diag,
                  &(sn_pixels){ .width = KOBOLD_TEXTURE, .height = KOBOLD_TEXTURE, .rgba = &rgba[0][0][0] });
    sn_layer layer = sn_layer_default();
    layer.maps[SN_MAP_COLOR].image = sn_builder_add_image(b, &(sn_image){ .name = "kobold",
                                                                          .uri = "",
                                                                          .mime_type = "image/png",
                                                                          .data = png.data,
                                                                          .size = png.size });
    sni_writer_free(&png);
    sni_arena_free(&arena);
    return sn_builder_add_material(b, &(sn_material){ .name = "kobold", .layers = &layer, .layer_count = 1 });
}

typedef struct kobold_part {
    const char *name;
    int bone;
    int32_t skin, material, lod;
} kobold_part;

static void add_part(sn_builder *b, const kobold_mesh *mesh, kobold_part part)
{
    const sn_vec2 *uvs[1] = { mesh->uvs };
    const int32_t index = sn_builder_add_mesh(b, &(sn_mesh){ .name = part.name,
                                                             .vertex_count = mesh->vertex_count,
                                                             .index_count = mesh->index_count,
                                                             .uv_count = 1,
                                                             .influence_count = part.skin >= 0 ? 4 : 0,
                                                             .positions = mesh->positions,
                                                             .normals = mesh->normals,
                                                             .uvs = uvs,
                                                             .indices = mesh->indices,
                                                             .vertex_joints = mesh->joints[0],
                                                             .vertex_weights = mesh->weights[0] });
    sn_builder_add_part(b, &(sn_part){ .mesh = index,
                                       .node = part.bone,
                                       .skin = part.skin,
                                       .material = part.material,
                                       .lod = part.lod,
                                       .color = { 1, 1, 1, 1 } });
}

static void add_events(sn_builder *b)
{
    sn_builder_add_event(b, &(sn_event){ .name = "SNDXKSTP", .node = FOOT_L, .clip = 1, .time = 0.2f });
    sn_builder_add_event(b, &(sn_event){ .name = "SNDXKSTP", .node = FOOT_R, .clip = 1, .time = 0.6f });
    sn_builder_add_event(b, &(sn_event){ .name = "SNDXKHIT", .node = SWORD, .clip = 2, .time = 0.5f });
}

static sn_model *build(sn_error *error)
{
    static kobold_mesh mesh;
    sn_builder *b = sn_builder_create(NULL, NULL, error);
    if (!b) return NULL;
    sn_builder_set_name(b, "kobold");
    add_skeleton(b);
    const int32_t skin = add_skin(b), material = add_material(b);
    kobold_make_body(&mesh, 0.040f);
    add_part(b, &mesh, (kobold_part){ "body", ROOT, skin, material, 0 });
    kobold_make_body(&mesh, 0.055f);
    add_part(b, &mesh, (kobold_part){ "body_far", ROOT, skin, material, 1 });
    kobold_make_hat(&mesh);
    add_part(b, &mesh, (kobold_part){ "hat", HAT, -1, material, -1 });
    kobold_make_sword(&mesh);
    add_part(b, &mesh, (kobold_part){ "sword", SWORD, -1, material, -1 });
    for (int i = 0; i < CLIPS; i++) add_clip(b, i);
    add_events(b);
    return sn_builder_finish(b, error);
}

// In the formats of all games; the last is split into files as the games have it.
bool make_kobold(const char *folder)
{
    static const struct {
        const char *name;
        sn_save_opts opts;
    } files[] = { { "kobold.glb", { .game = SN_GAME_AUTO } },
                  { "kobold.mdx", { .game = SN_GAME_WARCRAFT_3 } },
                  { "kobold.mdl", { .game = SN_GAME_WARCRAFT_3 } },
                  { "kobold.w3d", { .game = SN_GAME_BFME, .w3d_animation = SN_W3D_TIMECODED } },
                  { "kobold.chr", { .game = SN_GAME_DARK_CLOUD_2 } },
                  { "split/kobold.w3d", { .game = SN_GAME_GENERALS, .w3d_split = true } } };
    char path[1024];
    sn_error error = { 0 };
    sn_model *model = build(&error);
    bool is_saved = model != NULL;
    snprintf(path, sizeof path, "%s/kobold", folder);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/kobold/split", folder);
    mkdir(path, 0777);
    for (size_t i = 0; is_saved && i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/kobold/%s", folder, files[i].name);
        is_saved = sn_save_file(model, path, &files[i].opts, &error) == SN_OK;
    }
    if (!is_saved) fprintf(stderr, "%s: %s: %s\n", path, error.path, error.message);
    sn_model_free(model);
    return is_saved;
}
