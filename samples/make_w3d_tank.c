// A tank of rigid parts: three levels of detail, a turret that turns and lifts its gun, recoil, and a flash that shows
// for three frames. Hierarchy, meshes, model and animation in one file, as Generals keeps vehicles.
#include <float.h>

#include "make_samples.h"
#include "w3d_maker.h"

enum { ROOT, CHASSIS, TURRET, TURRET_EL, BARREL, MUZZLE, DUST_L, BONES };

// clang-format off
static const sample_bone bones[BONES] = {
    [ROOT] = { "ROOTTRANSFORM", -1, { 0, 0, 0 }, { 0, 0, 0, 1 } },
    [CHASSIS] = { "CHASSIS", ROOT, { 0, 0, 1.2f }, { 0, 0, 0, 1 } },
    [TURRET] = { "TURRET", CHASSIS, { -0.5f, 0, 1.6f }, { 0, 0, 0, 1 } },
    [TURRET_EL] = { "TURRETEL", TURRET, { 1.6f, 0, 0.6f }, { 0, 0, 0, 1 } },
    [BARREL] = { "BARREL", TURRET_EL, { 0, 0, 0 }, { 0, 0, 0, 1 } },
    [MUZZLE] = { "MUZZLE01", BARREL, { 4.5f, 0, 0 }, { 0, 0, 0, 1 } },
    [DUST_L] = { "FXBONE01", CHASSIS, { -5, 2, -1 }, { 0, 0, 0.70710678f, 0.70710678f } },
};
// clang-format on
static const sample_skeleton skeleton = { "TANK", bones, BONES, 48 };

static const sample_material camouflage = { "Camouflage", "tank.tga", { 255, 255, 255 }, false, false, NULL, 0 };
static const sample_material rubber = { "Rubber", "tank.tga", { 90, 90, 90 },
                                        false,    false,      "UPerSec=0.5\r\nVPerSec=0\r\n",
                                        4 };
static const sample_material fire = { "Fire", NULL, { 255, 180, 40 }, true, false, NULL, 0 };

static void put_part(w3d_tree *tree, const char *name, uint32_t attributes, const shape *s,
                     const sample_material *material)
{
    sample_mesh mesh = {
        .name = name, .container = "TANK", .version = 0x40002, .attributes = attributes | W3D_CASTS_SHADOW
    };
    open_mesh(tree, &mesh, s);
    put_material(tree, s, material);
    w3d_close_chunk(tree);
}

// A block whose top is shorter by `slope` at the front and the back, and narrower by `lean` at both sides.
static void add_hull(shape *s, sn_vec3 min, sn_vec3 max, float slope, float lean)
{
    const sn_vec3 corners[8] = {
        { min.x, min.y, min.z },
        { max.x, min.y, min.z },
        { max.x, max.y, min.z },
        { min.x, max.y, min.z },
        { min.x + slope, min.y + lean, max.z },
        { max.x - slope, min.y + lean, max.z },
        { max.x - slope, max.y - lean, max.z },
        { min.x + slope, max.y - lean, max.z },
    };
    shape_block(s, corners);
}

static void put_hull(w3d_tree *tree)
{
    shape hull = { 0 }, tracks = { 0 };
    add_hull(&hull, sni_vec3(-5, -2, -0.6f), sni_vec3(5, 2, 0.8f), 0, 0);
    add_hull(&hull, sni_vec3(-5, -2.6f, 0.8f), sni_vec3(5, 2.6f, 1.6f), 1.2f, 0.3f);
    put_part(tree, "HULL", 0x20, &hull, &camouflage);
    for (int side = -1; side <= 1; side += 2) {
        float inner = 2.0f, outer = 3.0f;
        float low = side < 0 ? -outer : inner, high = side < 0 ? -inner : outer;
        const shape_ring wheels[2] = { { { -4.2f, low, -0.4f }, 0.8f, 0.8f, { 0 }, 0 },
                                       { { -4.2f, high, -0.4f }, 0.8f, 0.8f, { 0 }, 0 } };
        const shape_ring idlers[2] = { { { 4.2f, low, -0.4f }, 0.8f, 0.8f, { 0 }, 0 },
                                       { { 4.2f, high, -0.4f }, 0.8f, 0.8f, { 0 }, 0 } };
        shape_tube(&tracks, 6, sni_vec3(0, 0, 1), sni_vec3(1, 0, 0), wheels, 2);
        shape_tube(&tracks, 6, sni_vec3(0, 0, 1), sni_vec3(1, 0, 0), idlers, 2);
        shape_box(&tracks, sni_vec3(-4.2f, low, -1.2f), sni_vec3(4.2f, high, 0.4f));
    }
    put_part(tree, "TRACKS", 0, &tracks, &rubber);
}

static void put_turret(w3d_tree *tree)
{
    static const shape_ring barrel_rings[4] = {
        { { 0, 0, 0 }, 0.35f, 0.35f, { 0 }, 0 },
        { { 3.6f, 0, 0 }, 0.25f, 0.25f, { 0 }, 0 },
        { { 3.6f, 0, 0 }, 0.4f, 0.4f, { 0 }, 0 },
        { { 4.4f, 0, 0 }, 0.4f, 0.4f, { 0 }, 0 },
    };
    const sn_vec3 flash_a[4] = { { 0, -0.8f, 0 }, { 2, -0.8f, 0 }, { 2, 0.8f, 0 }, { 0, 0.8f, 0 } };
    const sn_vec3 flash_b[4] = { { 0, 0, -0.8f }, { 2, 0, -0.8f }, { 2, 0, 0.8f }, { 0, 0, 0.8f } };
    shape turret = { 0 }, barrel = { 0 }, flash = { 0 };
    add_hull(&turret, sni_vec3(-2, -1.7f, 0), sni_vec3(1.8f, 1.7f, 1.2f), 0.5f, 0.4f);
    shape_box(&turret, sni_vec3(-1.2f, 0.3f, 1.2f), sni_vec3(-0.4f, 1.1f, 1.4f));
    shape_tube(&barrel, 6, sni_vec3(0, 1, 0), sni_vec3(0, 0, 1), barrel_rings, 4);
    shape_quad(&flash, flash_a);
    shape_quad(&flash, flash_b);
    put_part(tree, "TURRET", 0x20, &turret, &camouflage);
    put_part(tree, "BARREL", 0, &barrel, &camouflage);
    put_part(tree, "FLASH", W3D_TWO_SIDED, &flash, &fire);
}

static void put_far_parts(w3d_tree *tree)
{
    shape hull = { 0 }, turret = { 0 }, lump = { 0 };
    add_hull(&hull, sni_vec3(-5, -3, -1.2f), sni_vec3(5, 3, 1.6f), 0.8f, 0.4f);
    shape_box(&turret, sni_vec3(-1.6f, -1.4f, 0), sni_vec3(1.6f, 1.4f, 1.1f));
    shape_box(&turret, sni_vec3(1.6f, -0.3f, 0.4f), sni_vec3(6, 0.3f, 0.9f));
    shape_box(&lump, sni_vec3(-5, -3, 0), sni_vec3(5, 3, 3.8f));
    put_part(tree, "HULL_MID", 0, &hull, &camouflage);
    put_part(tree, "TURRET_MID", 0, &turret, &camouflage);
    put_part(tree, "LUMP", 0, &lump, &camouflage);
}

static void put_model(w3d_tree *tree)
{
    static const sample_part low[] = { { ROOT, "TANK.LUMP" } },
                             mid[] = { { CHASSIS, "TANK.HULL_MID" }, { TURRET, "TANK.TURRET_MID" } };
    static const sample_part high[] = { { CHASSIS, "TANK.HULL" },  { CHASSIS, "TANK.TRACKS" },
                                        { TURRET, "TANK.TURRET" }, { BARREL, "TANK.BARREL" },
                                        { MUZZLE, "TANK.FLASH" },  { ROOT, "TANK.BOUNDINGBOX" } };
    static const sample_part extra[] = { { DUST_L, "TANKDUST" } }, crew[] = { { TURRET, "Commander" } };
    open_hlod(tree, "TANK", "TANK", 3);
    put_parts(tree, W3D_LOD_ARRAY, 50.0f, low, 1);
    put_parts(tree, W3D_LOD_ARRAY, 200.0f, mid, 2);
    put_parts(tree, W3D_LOD_ARRAY, FLT_MAX, high, 6);
    put_parts(tree, W3D_AGGREGATES, 0.0f, extra, 1);
    put_parts(tree, W3D_PROXIES, 0.0f, crew, 1);
    w3d_close_chunk(tree);
}

// 41 frames. The turret looks left and comes back; the gun is lifted from frame 10 to 30 only, and outside that range
// it lies as it was built; it kicks back from 20 to 26; the flash shows at 20, 21 and 23.
static void put_firing(w3d_tree *tree)
{
    static const float kick[7] = { 0, -0.9f, -0.8f, -0.6f, -0.4f, -0.2f, 0 }, flash[4] = { 1, 1, 0, 1 };
    float look[41], lift[21], bump[41];
    for (int i = 0; i < 41; i++) {
        float u = i < 20 ? (float)i / 20.0f : (float)(40 - i) / 20.0f;
        look[i] = 0.5f * smooth(u);
        bump[i] = i >= 20 && i < 30 ? 0.02f * (float)((i - 20) * (30 - i)) / 5.0f : 0.0f;
    }
    for (int i = 0; i < 21; i++) {
        float u = i < 10 ? (float)i / 10.0f : (float)(20 - i) / 10.0f;
        lift[i] = -0.12f * smooth(u);
    }
    open_animation(tree, "TANKFIRE", "TANK", 41);
    put_turns(tree, (sample_motion){ W3D_RAW, TURRET, 0, 41, NULL, NULL }, sni_vec3(0, 0, 1), look);
    put_turns(tree, (sample_motion){ W3D_RAW, TURRET_EL, 10, 21, NULL, NULL }, sni_vec3(0, 1, 0), lift);
    put_shifts(tree, (sample_motion){ W3D_RAW, BARREL, 20, 7, NULL, NULL }, W3D_X, kick);
    put_shifts(tree, (sample_motion){ W3D_RAW, CHASSIS, 0, 41, NULL, NULL }, W3D_Z, bump);
    put_bits(tree, (sample_motion){ W3D_RAW_BITS, MUZZLE, 20, 4, NULL, NULL }, 0, flash);
    w3d_close_chunk(tree);
}

static void paint_camouflage(int x, int y, uint8_t rgba[4])
{
    static const uint8_t colors[3][3] = { { 86, 102, 58 }, { 120, 110, 70 }, { 54, 66, 44 } };
    const uint8_t *color = colors[(x / 2 + y / 3 * 2 + x * y / 20) % 3];
    for (int i = 0; i < 3; i++) rgba[i] = color[i];
}

bool make_tank(const char *folder)
{
    sample_file file;
    w3d_tree *tree = sample_open(&file);
    put_hierarchy(tree, &skeleton);
    put_hull(tree);
    put_turret(tree);
    put_far_parts(tree);
    put_box(tree, "TANK.BOUNDINGBOX", 2, sni_vec3(0.5f, 0, 2), sni_vec3(5.5f, 3, 2));
    put_model(tree);
    put_firing(tree);
    return sample_save(&file, folder, "tank.w3d") && save_tga(folder, "tank.tga", paint_camouflage);
}
