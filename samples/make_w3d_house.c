// A house and its garden gate: two models with a hierarchy each in one file. The walls are lit in four ways, the roof
// has painted corners and a second pass, a sun faces the camera; and around them everything that only has a name and a
// place.
#include <float.h>

#include "make_samples.h"
#include "w3d_maker.h"

enum { ROOT, HOUSE, DOOR, SMOKE, LAMP, SKY, HOUSE_BONES };
enum { LEAF_L = 1, LEAF_R, GATE_BONES };

// clang-format off
static const sample_bone house_bones[HOUSE_BONES] = {
    [ROOT] = { "ROOTTRANSFORM", -1, { 0, 0, 0 }, { 0, 0, 0, 1 } },
    [HOUSE] = { "HOUSE01", ROOT, { 0, 0, 0 }, { 0, 0, 0, 1 } },
    [DOOR] = { "DOOR01", HOUSE, { 4, -0.75f, 0 }, { 0, 0, 0, 1 } },
    [SMOKE] = { "SMOKE01", HOUSE, { -2, 1.5f, 8 }, { 0, 0, 0, 1 } },
    [LAMP] = { "FXLAMP", DOOR, { 0.4f, -0.8f, 3 }, { 0, 0, 0, 1 } },
    [SKY] = { "SUN01", ROOT, { -6, -8, 10 }, { 0, 0, 0, 1 } },
};
// clang-format on
static const sample_bone gate_bones[GATE_BONES] = {
    [ROOT] = { "ROOTTRANSFORM", -1, { 0, 0, 0 }, { 0, 0, 0, 1 } },
    [LEAF_L] = { "GATEL", ROOT, { 8, 2, 0 }, { 0, 0, 0, 1 } },
    [LEAF_R] = { "GATER", ROOT, { 8, -2, 0 }, { 0, 0, 0, 1 } },
};
static const sample_skeleton house = { "HOUSE", house_bones, HOUSE_BONES, 48 },
                             gate = { "GATE", gate_bones, GATE_BONES, 12 };

static const sample_material plaster = { "Plaster", "house.tga", { 255, 255, 255 }, false, false, NULL, 0 };
static const sample_material light = { "Light", "light.tga", { 255, 255, 255 }, true, false, NULL, 0 };
static const sample_material wood = { "Wood", "house.tga", { 140, 90, 50 }, false, false, NULL, 0 };
static const sample_material bars = { "Bars", "gate.tga", { 60, 60, 70 }, false, true, NULL, 0 };
static const sample_material glow = { "Glow", NULL, { 255, 230, 120 }, true, false, NULL, 0 };

static sample_mesh mesh_of(const char *container, const char *name, uint32_t attributes)
{
    return (sample_mesh){ .name = name, .container = container, .version = 0x40002, .attributes = attributes };
}

// Everything has white corners but for the two nearest the ground, which are darker: light that was worked out
// beforehand.
static void put_corner_colors(w3d_tree *tree, uint32_t id, const shape *s, uint8_t low, uint8_t high)
{
    w3d_open_chunk(tree, id);
    for (uint32_t i = 0; i < s->vertex_count; i++) {
        uint8_t value = s->positions[i].z < 0.1f ? low : high;
        const uint8_t rgba[4] = { value, value, value, 255 };
        w3d_put(tree, rgba, 4);
    }
    w3d_close_chunk(tree);
}

static void put_stage(w3d_tree *tree, const shape *s, const uint32_t *ids, uint32_t count)
{
    w3d_open_chunk(tree, W3D_STAGE);
    put_ids(tree, W3D_TEXTURE_IDS, ids, count);
    put_uvs(tree, s);
    w3d_close_chunk(tree);
}

static void open_pass(w3d_tree *tree, uint32_t material, uint32_t shader)
{
    w3d_open_chunk(tree, W3D_PASS);
    put_ids(tree, W3D_VERTEX_MATERIAL_IDS, &material, 1);
    put_ids(tree, W3D_SHADER_IDS, &shader, 1);
}

// The same walls four times over: without light, with lit corners, with a map of light in a second pass, and in a
// second stage. Each triangle has its own texture: the gables have wood.
static void put_prelit(w3d_tree *tree, uint32_t id, const shape *s)
{
    static const char *const textures[3] = { "house.tga", "wood.tga", "light.tga" };
    static const uint32_t map = 2;
    const sample_material materials[2] = { plaster, light };
    bool has_pass = id == W3D_PRELIT_MULTI_PASS, has_stage = id == W3D_PRELIT_MULTI_TEXTURE;
    uint32_t ids[SHAPE_TRIANGLES];
    for (uint32_t i = 0; i < s->triangle_count; i++) ids[i] = i / 2 % 2;
    w3d_open_chunk(tree, id);
    put_material_info(tree, has_pass ? 2 : 1, 2, 2, 3);
    put_vertex_materials(tree, materials, 2);
    put_shaders(tree, materials, 2);
    put_textures(tree, textures, 3);
    open_pass(tree, 0, 0);
    if (id == W3D_PRELIT_VERTEX) put_corner_colors(tree, W3D_DCG, s, 90, 255);
    put_stage(tree, s, ids, s->triangle_count);
    if (has_stage) put_stage(tree, s, &map, 1);
    w3d_close_chunk(tree);
    if (has_pass) {
        open_pass(tree, 1, 1);
        put_stage(tree, s, &map, 1);
        w3d_close_chunk(tree);
    }
    w3d_close_chunk(tree);
}

// One leaf that holds all triangles.
static void put_tree_of_boxes(w3d_tree *tree, const shape *s)
{
    const uint32_t header[8] = { 1, s->triangle_count };
    const float box[6] = { -4, -3, 0, 4, 3, 5 };
    w3d_open_chunk(tree, W3D_AABTREE);
    put_ids(tree, 0x0091, header, 8);
    w3d_open_chunk(tree, 0x0092);
    for (uint32_t i = 0; i < s->triangle_count; i++) w3d_put_u32(tree, i);
    w3d_close_chunk(tree);
    w3d_open_chunk(tree, 0x0093);
    w3d_put_floats(tree, box, 6);
    w3d_put_u32(tree, 0x80000000u);
    w3d_put_u32(tree, s->triangle_count);
    w3d_close_chunk(tree);
    w3d_close_chunk(tree);
}

static void put_walls(w3d_tree *tree)
{
    shape walls = { 0 };
    sample_mesh mesh = mesh_of("HOUSE", "WALLS", 0x0F000000u | 0x30);
    mesh.user_text = "material=stone\r\n";
    shape_box(&walls, sni_vec3(-4, -3, 0), sni_vec3(4, 3, 5));
    open_mesh(tree, &mesh, &walls);
    for (uint32_t id = W3D_PRELIT_UNLIT; id <= W3D_PRELIT_MULTI_TEXTURE; id++) put_prelit(tree, id, &walls);
    put_tree_of_boxes(tree, &walls);
    w3d_close_chunk(tree);
}

// Painted corners under the tiles, and a pass of moving light over them.
static void put_roof(w3d_tree *tree)
{
    static const sn_vec3 corners[8] = {
        { -4.5f, -3.5f, 5 }, { 4.5f, -3.5f, 5 }, { 4.5f, 3.5f, 5 }, { -4.5f, 3.5f, 5 },
        { -4.5f, -0.1f, 8 }, { 4.5f, -0.1f, 8 }, { 4.5f, 0.1f, 8 }, { -4.5f, 0.1f, 8 }
    };
    static const char *const textures[2] = { "wood.tga", "light.tga" };
    static const uint32_t first = 0, second = 1;
    sample_material materials[2] = { wood, light };
    materials[1].mapper = 1;
    materials[1].mapper_args = "UScale=1\r\nVScale=1\r\n";
    sample_mesh mesh = mesh_of("HOUSE", "ROOF", 0);
    shape roof = { 0 };
    shape_block(&roof, corners);
    shape_box(&roof, sni_vec3(-2.4f, 1.1f, 6), sni_vec3(-1.6f, 1.9f, 8));
    open_mesh(tree, &mesh, &roof);
    put_material_info(tree, 2, 2, 2, 2);
    put_vertex_materials(tree, materials, 2);
    put_shaders(tree, materials, 2);
    put_textures(tree, textures, 2);
    open_pass(tree, 0, 0);
    put_corner_colors(tree, W3D_DCG, &roof, 255, 220);
    put_corner_colors(tree, W3D_DIG, &roof, 255, 250);
    put_stage(tree, &roof, &first, 1);
    w3d_close_chunk(tree);
    open_pass(tree, 1, 1);
    w3d_open_chunk(tree, W3D_STAGE);  // the mapper makes the coordinates
    put_ids(tree, W3D_TEXTURE_IDS, &second, 1);
    w3d_close_chunk(tree);
    w3d_close_chunk(tree);
    w3d_close_chunk(tree);
}

static void put_simple(w3d_tree *tree, sample_mesh mesh, const shape *s, const sample_material *material)
{
    open_mesh(tree, &mesh, s);
    put_material(tree, s, material);
    w3d_close_chunk(tree);
}

static void put_small_parts(w3d_tree *tree)
{
    static const sn_vec3 sun[4] = { { 0, -1.5f, -1.5f }, { 0, 1.5f, -1.5f }, { 0, 1.5f, 1.5f }, { 0, -1.5f, 1.5f } };
    static const sn_vec3 left[4] = { { 0, -2, 0 }, { 0, 0, 0 }, { 0, 0, 2 }, { 0, -2, 2 } },
                         right[4] = { { 0, 0, 0 }, { 0, 2, 0 }, { 0, 2, 2 }, { 0, 0, 2 } };
    shape door = { 0 }, disc = { 0 }, solid = { 0 }, leaves[2] = { { 0 } };
    shape_box(&door, sni_vec3(-0.1f, 0, 0), sni_vec3(0.1f, 1.5f, 3));
    shape_quad(&disc, sun);
    shape_box(&solid, sni_vec3(-4, -3, 0), sni_vec3(4, 3, 8));
    shape_quad(&leaves[0], left);
    shape_quad(&leaves[1], right);
    sample_mesh cut_out = mesh_of("GATE", "LEAF_L", W3D_TWO_SIDED);
    cut_out.sort_level = 2;
    put_simple(tree, mesh_of("HOUSE", "DOOR", 0), &door, &wood);
    put_simple(tree, mesh_of("HOUSE", "SUN", W3D_GEOMETRY_CAMERA_ALIGNED), &disc, &glow);
    put_simple(tree, mesh_of("HOUSE", "SOLID", W3D_HIDDEN | 0x10), &solid, &wood);
    put_simple(tree, cut_out, &leaves[0], &bars);
    cut_out.name = "LEAF_R";
    put_simple(tree, cut_out, &leaves[1], &bars);
}

static void put_models(w3d_tree *tree)
{
    static const sample_part house_parts[] = { { HOUSE, "HOUSE.WALLS" },   { HOUSE, "HOUSE.ROOF" },
                                               { DOOR, "HOUSE.DOOR" },     { SKY, "HOUSE.SUN" },
                                               { HOUSE, "HOUSE.SOLID" },   { LAMP, "HOUSE.SHINE" },
                                               { SMOKE, "HOUSE.CHIMNEY" }, { ROOT, "HOUSE.BOUNDINGBOX" } };
    static const sample_part smoke[] = { { SMOKE, "HOUSESMOKE" } }, guests[] = { { DOOR, "Cat" } };
    static const sample_part leaves[] = { { LEAF_L, "GATE.LEAF_L" }, { LEAF_R, "GATE.LEAF_R" } };
    open_hlod(tree, "HOUSE", "HOUSE", 1);
    put_parts(tree, W3D_LOD_ARRAY, FLT_MAX, house_parts, 8);
    put_parts(tree, W3D_AGGREGATES, 0.0f, smoke, 1);
    put_parts(tree, W3D_PROXIES, 0.0f, guests, 1);
    w3d_close_chunk(tree);
    open_hlod(tree, "GATE", "GATE", 1);
    put_parts(tree, W3D_LOD_ARRAY, FLT_MAX, leaves, 2);
    w3d_close_chunk(tree);
}

// 21 frames: the leaves open, and the left one is gone for the last three.
static void put_opening(w3d_tree *tree)
{
    static const float gone[3] = { 0, 0, 0 };
    float opening[21], other[21];
    for (int i = 0; i < 21; i++) {
        opening[i] = 0.8f * smooth((float)i / 20.0f);
        other[i] = -opening[i];
    }
    open_animation(tree, "GATEOPEN", "GATE", 21);
    put_turns(tree, (sample_motion){ W3D_RAW, LEAF_L, 0, 21, NULL, NULL }, sni_vec3(0, 0, 1), opening);
    put_turns(tree, (sample_motion){ W3D_RAW, LEAF_R, 0, 21, NULL, NULL }, sni_vec3(0, 0, 1), other);
    put_bits(tree, (sample_motion){ W3D_RAW_BITS, LEAF_L, 18, 3, NULL, NULL }, 1, gone);
    w3d_close_chunk(tree);
}

static void put_lamp(w3d_tree *tree)
{
    static const uint8_t colors[3][3] = { { 20, 20, 10 }, { 255, 240, 200 }, { 255, 255, 255 } };
    put_spot_light(tree, colors);
    w3d_open_chunk(tree, W3D_DAZZLE);
    w3d_put_text_chunk(tree, W3D_DAZZLE_NAME, "HOUSE.SHINE");
    w3d_put_text_chunk(tree, W3D_DAZZLE_TYPE, "DEFAULT");
    w3d_close_chunk(tree);
}

static void put_named_things(w3d_tree *tree)
{
    static const float point[3] = { 10, 0, 0 };
    put_smoke(tree, "HOUSESMOKE", "light.tga", "HOUSE_LIVED_IN", "HOUSE", "SMOKE01");
    put_lamp(tree);
    w3d_open_chunk(tree, W3D_NULL);
    w3d_put_u32(tree, 0x10000);
    w3d_put_name(tree, "", 12);
    w3d_put_name(tree, "HOUSE.CHIMNEY", W3D_LONG_NAME_BYTES);
    w3d_close_chunk(tree);
    open_named(tree, W3D_SOUND, W3D_SOUND_HEADER, 0x10000, "HOUSEHUM");
    w3d_close_chunk(tree);
    open_named(tree, W3D_COLLECTION, W3D_COLLECTION_HEADER, 0x40002, "GARDEN");
    w3d_put_text_chunk(tree, W3D_COLLECTION_OBJECT, "HOUSE");
    w3d_put_text_chunk(tree, W3D_COLLECTION_OBJECT, "GATE");
    w3d_close_chunk(tree);
    w3d_open_chunk(tree, W3D_POINTS);
    w3d_put_floats(tree, point, 3);
    w3d_close_chunk(tree);
    put_box(tree, "HOUSE.BOUNDINGBOX", 2, sni_vec3(0, 0, 4), sni_vec3(4.5f, 3.5f, 4));
}

static void paint_bricks(int x, int y, uint8_t rgba[4])
{
    bool is_gap = y % 2 == 0 || (x + y / 2 % 2 * 2) % 4 == 0;
    rgba[0] = is_gap ? 200 : 170, rgba[1] = is_gap ? 195 : 110, rgba[2] = is_gap ? 185 : 90;
}

static void paint_planks(int x, int y, uint8_t rgba[4])
{
    rgba[0] = (uint8_t)(x % 4 == 0 ? 80 : 150 + y % 3 * 5), rgba[1] = x % 4 == 0 ? 50 : 100,
    rgba[2] = x % 4 == 0 ? 30 : 60;
}

static void paint_light(int x, int y, uint8_t rgba[4])
{
    int far = (x - 4) * (x - 4) + (y - 4) * (y - 4);
    rgba[0] = rgba[1] = rgba[2] = rgba[3] = (uint8_t)(far < 16 ? 255 - 12 * far : 40);
}

static void paint_bars(int x, int y, uint8_t rgba[4])
{
    rgba[0] = rgba[1] = rgba[2] = 160;
    rgba[3] = x % 4 == 0 || y == 1 || y == 6 ? 255 : 0;
}

bool make_house(const char *folder)
{
    sample_file file;
    w3d_tree *tree = sample_open(&file);
    put_hierarchy(tree, &house);
    put_hierarchy(tree, &gate);
    put_walls(tree);
    put_roof(tree);
    put_small_parts(tree);
    put_named_things(tree);
    put_models(tree);
    put_opening(tree);
    return sample_save(&file, folder, "house.w3d") && save_tga(folder, "house.tga", paint_bricks) &&
           save_tga(folder, "wood.tga", paint_planks) && save_tga(folder, "light.tga", paint_light) &&
           save_tga(folder, "gate.tga", paint_bars);
}
