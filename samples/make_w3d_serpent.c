// A serpent as The Battle for Middle-earth has its creatures: a skin of two bones per vertex, a shader material with a
// normal map and tangents, and an animation of motion channels of all three kinds. It lies along X, its head at +X.
#include <float.h>

#include "make_samples.h"
#include "w3d_maker.h"

enum { ROOT, BODY, TAIL, TIP, NECK, HEAD, BONES, FRAMES = 33 };

#define HALF 0.70710678f

// The tail's bones look backwards, and the neck is rolled over: none of these spaces is the model's.
// clang-format off
static const sample_bone bones[BONES] = {
    [ROOT] = { "ROOTTRANSFORM", -1, { 0, 0, 0 }, { 0, 0, 0, 1 } },
    [BODY] = { "B_BODY", ROOT, { 0, 0, 1 }, { 0, 0, 0, 1 } },
    [TAIL] = { "B_TAIL1", BODY, { -3, 0, 0 }, { 0, 0, 1, 0 } },
    [TIP] = { "B_TAIL2", TAIL, { 3, 0, -0.4f }, { 0, 0, 0, 1 } },
    [NECK] = { "B_NECK", BODY, { 3, 0, 0.2f }, { HALF, 0, 0, HALF } },
    [HEAD] = { "B_HEAD", NECK, { 3, 0.8f, 0 }, { -HALF, 0, 0, HALF } },
};
// clang-format on
static const sample_skeleton skeleton = { "SERPENT", bones, BONES, 48 };

// clang-format off
static const shape_ring rings[] = {
    { { -9.5f, 0, 0.45f }, 0.05f, 0.05f, { TIP }, 0 }, { { -8, 0, 0.5f }, 0.3f, 0.3f, { TIP }, 0 },
    { { -6.5f, 0, 0.6f }, 0.55f, 0.5f, { TIP, TAIL }, 25 },
    { { -6, 0, 0.65f }, 0.6f, 0.6f, { TAIL, TIP }, 50 }, { { -4.5f, 0, 0.9f }, 0.8f, 0.8f, { TAIL }, 0 },
    { { -3, 0, 1 }, 0.95f, 0.95f, { BODY, TAIL }, 50 },
    { { -1.5f, 0, 1 }, 1.05f, 1.0f, { BODY }, 0 }, { { 1.5f, 0, 1 }, 1.05f, 1.0f, { BODY }, 0 },
    { { 3, 0, 1.2f }, 0.9f, 0.9f, { BODY, NECK }, 50 },
    { { 4.5f, 0, 1.6f }, 0.7f, 0.7f, { NECK }, 0 }, { { 5.7f, 0, 1.9f }, 0.6f, 0.6f, { NECK, HEAD }, 25 },
    { { 6.3f, 0, 2.05f }, 0.8f, 0.6f, { HEAD, NECK }, 20 },
    { { 7.2f, 0, 2.1f }, 1.0f, 0.65f, { HEAD }, 0 }, { { 8.4f, 0, 1.95f }, 0.6f, 0.4f, { HEAD }, 0 },
    { { 8.9f, 0, 1.85f }, 0.3f, 0.2f, { HEAD }, 0 },
};
// clang-format on

static void put_shader_material(w3d_tree *tree)
{
    static const float bump[1] = { 1.0f }, exponent[1] = { 20.0f }, ambient[4] = { 0.3f, 0.3f, 0.3f, 1 },
                       diffuse[4] = { 1, 1, 1, 1 }, specular[4] = { 0.5f, 0.5f, 0.4f, 1 };
    w3d_open_chunk(tree, W3D_SHADER_MATERIALS);
    w3d_open_chunk(tree, W3D_SHADER_MATERIAL);
    w3d_open_chunk(tree, W3D_SHADER_MATERIAL_HEADER);
    w3d_put_u8(tree, 1);
    w3d_put_name(tree, "NormalMapped.fx", W3D_LONG_NAME_BYTES);
    w3d_put_u32(tree, 0);
    w3d_close_chunk(tree);
    w3d_put_texture_property(tree, "DiffuseTexture", "serpent.tga");
    w3d_put_texture_property(tree, "NormalMap", "serpent_n.tga");
    w3d_put_float_property(tree, "BumpScale", bump, 1);
    w3d_put_float_property(tree, "SpecularExponent", exponent, 1);
    w3d_put_float_property(tree, "AmbientColor", ambient, 4);
    w3d_put_float_property(tree, "DiffuseColor", diffuse, 4);
    w3d_put_float_property(tree, "SpecularColor", specular, 4);
    w3d_open_property(tree, W3D_BOOL, "AlphaTestEnable");
    w3d_put_u8(tree, 0);
    w3d_close_chunk(tree);
    w3d_close_chunk(tree);
    w3d_close_chunk(tree);
}

static void put_mesh(w3d_tree *tree)
{
    static const uint32_t zero = 0;
    shape body = { 0 };
    sample_mesh mesh = { .name = "SCALES",
                         .container = "SERPENT",
                         .version = 0x50000,
                         .attributes = W3D_GEOMETRY_SKIN,
                         .skin = &skeleton,
                         .has_two_bones = true,
                         .has_tangents = true };
    shape_tube(&body, 6, sni_vec3(0, 1, 0), sni_vec3(0, 0, 1), rings, (int)(sizeof rings / sizeof *rings));
    open_mesh(tree, &mesh, &body);
    put_material_info(tree, 1, 0, 0, 0);
    put_shader_material(tree);
    w3d_open_chunk(tree, W3D_PASS);
    put_ids(tree, W3D_SHADER_MATERIAL_IDS, &zero, 1);
    put_uvs(tree, &body);
    w3d_close_chunk(tree);
    w3d_close_chunk(tree);
}

// It sways: each joint a little later than the one before. The head looks down in keys and then holds, the body rises
// in deltas that end before the animation does.
static void put_sway(w3d_tree *tree)
{
    static const uint32_t keys[5] = { 0, 8, 16, 24, 32 }, looks[3] = { 0, 10, 20 };
    static const float tip[5] = { 0, -0.3f, 0, 0.3f, 0 }, look[3] = { 0, 0.15f, 0 };
    float tail[FRAMES], neck[FRAMES], rise[21];
    for (int i = 0; i < FRAMES; i++) {
        float u = (float)(i % 32) / 32.0f;
        tail[i] = 0.25f * wave(u);
        neck[i] = 0.25f * wave(u < 0.75f ? u + 0.25f : u - 0.75f);
    }
    for (int i = 0; i < 21; i++) rise[i] = 0.2f * smooth((float)(i < 10 ? i : 20 - i) / 10.0f);
    open_compressed(tree, "SERPENT_SWAY", "SERPENT", FRAMES, 0x10000, 0);
    put_turns(tree, (sample_motion){ W3D_MOTION_TIMECODED, TIP, 0, 5, keys, NULL }, sni_vec3(0, 0, 1), tip);
    put_turns(tree, (sample_motion){ W3D_MOTION_ADAPTIVE4, TAIL, 0, FRAMES, NULL, NULL }, sni_vec3(0, 0, 1), tail);
    put_turns(tree, (sample_motion){ W3D_MOTION_ADAPTIVE8, NECK, 0, FRAMES, NULL, NULL }, sni_vec3(0, 1, 0), neck);
    put_turns(tree, (sample_motion){ W3D_MOTION_TIMECODED, HEAD, 0, 3, looks, NULL }, sni_vec3(0, 1, 0), look);
    put_shifts(tree, (sample_motion){ W3D_MOTION_ADAPTIVE8, BODY, 0, 21, NULL, NULL }, W3D_Z, rise);
    w3d_close_chunk(tree);
}

static void paint_scales(int x, int y, uint8_t rgba[4])
{
    bool is_edge = (x + y / 2 % 2 * 2) % 4 == 0 || y % 2 == 0;
    rgba[0] = is_edge ? 30 : 60, rgba[1] = is_edge ? 70 : 130, rgba[2] = is_edge ? 40 : 70;
}

static void paint_bumps(int x, int y, uint8_t rgba[4])
{
    rgba[0] = (uint8_t)(x % 4 < 2 ? 108 : 148), rgba[1] = (uint8_t)(y % 2 ? 108 : 148), rgba[2] = 250;
}

bool make_serpent(const char *folder)
{
    static const sample_part parts[] = { { ROOT, "SERPENT.SCALES" } };
    sample_file file;
    w3d_tree *tree = sample_open(&file);
    put_hierarchy(tree, &skeleton);
    put_mesh(tree);
    open_hlod(tree, "SERPENT", "SERPENT", 1);
    put_parts(tree, W3D_LOD_ARRAY, FLT_MAX, parts, 1);
    w3d_close_chunk(tree);
    put_sway(tree);
    return sample_save(&file, folder, "serpent.w3d") && save_tga(folder, "serpent.tga", paint_scales) &&
           save_tga(folder, "serpent_n.tga", paint_bumps);
}
