// Sweep samples: W3D. Every chunk once, on meshes of two triangles.
#include <float.h>
#include <string.h>

#include "format/w3d/w3d_text.h"
#include "make_sweep.h"
#include "w3d_maker.h"

static const sample_bone bones[3] = {
    { "ROOTTRANSFORM", -1, { 0, 0, 0 }, { 0, 0, 0, 1 } },
    { "HULL", 0, { 0, 0, 1 }, { 0, 0, 0, 1 } },
    { "GUN", 1, { 1, 0, 0 }, { 0, 0, 0.6f, 0.8f } },
};
static const sample_skeleton skeleton = { "S", bones, 3, 12 };

static void make_quad(shape *s)
{
    static const sn_vec3 corners[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 } };
    memset(s, 0, sizeof *s);
    shape_quad(s, corners);
    s->vertex_count = 4, s->triangle_count = 2;  // the front alone
    for (int i = 0; i < 4; i++) s->bones[i][0] = 1, s->bones[i][1] = 2, s->percents[i][1] = (uint16_t)(25 * i);
    for (int i = 0; i < 4; i++) s->percents[i][0] = (uint16_t)(100 - 25 * i);
}

static void put_colors(w3d_tree *tree, uint32_t id)
{
    w3d_open_chunk(tree, id);
    for (uint32_t i = 0; i < 4; i++) put_rgb(tree, 255, 200, (uint8_t)(60 * i));
    w3d_close_chunk(tree);
}

static void open_pass(w3d_tree *tree)
{
    static const uint32_t zero = 0;
    w3d_open_chunk(tree, W3D_PASS);
    put_ids(tree, W3D_VERTEX_MATERIAL_IDS, &zero, 1);
    put_ids(tree, W3D_SHADER_IDS, &zero, 1);
}

static void put_stage(w3d_tree *tree, const shape *s)
{
    static const uint32_t each[2] = { 0, 0 };
    w3d_open_chunk(tree, W3D_STAGE);
    put_ids(tree, W3D_TEXTURE_IDS, each, 2);
    put_uvs(tree, s);
    w3d_close_chunk(tree);
}

static void put_materials(w3d_tree *tree, const shape *s, bool has_two_passes)
{
    static const char *const textures[1] = { "quad.tga" };
    static const sample_material material = { "Paint", "quad.tga", { 255, 255, 255 }, true, true, "UScale=1\r\n", 1 };
    put_material_info(tree, has_two_passes ? 2 : 1, 1, 1, 1);
    put_vertex_materials(tree, &material, 1);
    put_shaders(tree, &material, 1);
    put_textures(tree, textures, 1);
    open_pass(tree);
    put_colors(tree, W3D_DCG);
    put_colors(tree, W3D_DIG);
    put_stage(tree, s);
    put_stage(tree, s);
    w3d_close_chunk(tree);
    if (!has_two_passes) return;
    open_pass(tree);
    w3d_close_chunk(tree);
}

static void put_box_tree(w3d_tree *tree)
{
    static const uint32_t header[8] = { 1, 2 }, triangles[2] = { 0, 1 };
    static const float box[6] = { 0, 0, 0, 1, 1, 1 };
    w3d_open_chunk(tree, W3D_AABTREE);
    put_ids(tree, 0x0091, header, 8);
    put_ids(tree, 0x0092, triangles, 2);
    w3d_open_chunk(tree, 0x0093);
    w3d_put_floats(tree, box, 6);
    w3d_put_u32(tree, 0x80000000u);
    w3d_put_u32(tree, 2);
    w3d_close_chunk(tree);
    w3d_close_chunk(tree);
}

static void put_shader_material(w3d_tree *tree, const shape *s)
{
    static const float color[4] = { 1, 0.5f, 0.25f, 1 };
    static const uint32_t zero = 0;
    w3d_open_chunk(tree, W3D_SHADER_MATERIALS);
    w3d_open_chunk(tree, W3D_SHADER_MATERIAL);
    w3d_open_chunk(tree, W3D_SHADER_MATERIAL_HEADER);
    w3d_put_u8(tree, 1);
    w3d_put_name(tree, "NormalMapped.fx", W3D_LONG_NAME_BYTES);
    w3d_put_u32(tree, 0);
    w3d_close_chunk(tree);
    w3d_open_property(tree, W3D_TEXTURE_PROPERTY, "DiffuseTexture");
    w3d_put_u32(tree, 9);
    w3d_put_text(tree, "quad.tga");
    w3d_close_chunk(tree);
    for (uint32_t count = 1; count <= 4; count += 3) {
        w3d_open_property(tree, W3D_FLOAT + count - 1, count == 1 ? "BumpScale" : "DiffuseColor");
        w3d_put_floats(tree, color, count);
        w3d_close_chunk(tree);
    }
    w3d_open_property(tree, W3D_INT, "NumTextures");
    w3d_put_u32(tree, 1);
    w3d_close_chunk(tree);
    w3d_open_property(tree, W3D_BOOL, "AlphaTestEnable");
    w3d_put_u8(tree, 1);
    w3d_close_chunk(tree);
    w3d_close_chunk(tree);
    w3d_close_chunk(tree);
    w3d_open_chunk(tree, W3D_PASS);
    put_ids(tree, W3D_SHADER_MATERIAL_IDS, &zero, 1);
    put_uvs(tree, s);
    w3d_close_chunk(tree);
}

static void put_model(w3d_tree *tree, const sample_part *parts, uint32_t count)
{
    static const sample_part extra[1] = { { 1, "SMOKE" } };
    open_hlod(tree, "S", "S", 2);
    put_parts(tree, W3D_LOD_ARRAY, 50.0f, parts, 1);
    put_parts(tree, W3D_LOD_ARRAY, FLT_MAX, parts, count);
    put_parts(tree, W3D_AGGREGATES, 0.0f, extra, 1);
    put_parts(tree, W3D_PROXIES, 0.0f, extra, 1);
    w3d_close_chunk(tree);
}

// A rigid mesh with materials of its own and lit in one way, and a skinned one with a shader.
static bool make_meshes(const char *folder)
{
    static const sample_part parts[2] = { { 1, "S.RIGID" }, { 0, "S.SKIN" } };
    sample_mesh rigid = { .name = "RIGID",
                          .container = "S",
                          .user_text = "a=b\r\n",
                          .version = 0x40002,
                          .sort_level = 2 },
                skin = { .name = "SKIN",
                         .container = "S",
                         .version = 0x50000,
                         .attributes = W3D_GEOMETRY_SKIN,
                         .skin = &skeleton,
                         .has_two_bones = true,
                         .has_tangents = true };
    shape quad;
    sample_file file;
    w3d_tree *tree = sample_open(&file);
    make_quad(&quad);
    put_hierarchy(tree, &skeleton);
    open_mesh(tree, &rigid, &quad);
    put_materials(tree, &quad, true);
    w3d_open_chunk(tree, W3D_PRELIT_VERTEX);
    put_materials(tree, &quad, false);
    w3d_close_chunk(tree);
    put_box_tree(tree);
    w3d_close_chunk(tree);
    open_mesh(tree, &skin, &quad);
    put_material_info(tree, 1, 0, 0, 0);
    put_shader_material(tree, &quad);
    w3d_close_chunk(tree);
    put_model(tree, parts, 2);
    return sample_save(&file, folder, "mesh.w3d");
}

// Everything that only has a name and a place.
static bool make_objects(const char *folder)
{
    static const float point[3] = { 10, 0, 0 };
    static const uint8_t colors[3][3] = { { 255, 240, 200 }, { 255, 240, 200 }, { 255, 240, 200 } };
    static const sample_part parts[3] = { { 1, "S.SHINE" }, { 0, "S.BOX" }, { 2, "S.NULL" } };
    sample_file file;
    w3d_tree *tree = sample_open(&file);
    put_hierarchy(tree, &skeleton);
    put_smoke(tree, "SMOKE", "quad.tga", "S_SMOKES", "S", "HULL");
    put_spot_light(tree, colors);
    w3d_open_chunk(tree, W3D_DAZZLE);
    w3d_put_text_chunk(tree, W3D_DAZZLE_NAME, "S.SHINE");
    w3d_put_text_chunk(tree, W3D_DAZZLE_TYPE, "DEFAULT");
    w3d_close_chunk(tree);
    w3d_open_chunk(tree, W3D_NULL);
    w3d_put_u32(tree, 0x10000);
    w3d_put_name(tree, "", 12);
    w3d_put_name(tree, "S.NULL", W3D_LONG_NAME_BYTES);
    w3d_close_chunk(tree);
    open_named(tree, W3D_SOUND, W3D_SOUND_HEADER, 0x10000, "HUM");
    w3d_close_chunk(tree);
    open_named(tree, W3D_COLLECTION, W3D_COLLECTION_HEADER, 0x40002, "ALL");
    w3d_put_text_chunk(tree, W3D_COLLECTION_OBJECT, "S");
    w3d_put_text_chunk(tree, W3D_COLLECTION_OBJECT, "SMOKE");
    w3d_close_chunk(tree);
    w3d_open_chunk(tree, W3D_POINTS);
    w3d_put_floats(tree, point, 3);
    w3d_close_chunk(tree);
    put_model(tree, parts, 3);
    put_box(tree, "S.BOX", 2, sni_vec3(0, 0, 4), sni_vec3(1, 2, 3));
    return sample_save(&file, folder, "objects.w3d");
}

// A channel of every kind, each kind of animation once.
static bool make_motion(const char *folder)
{
    static const uint32_t frames[3] = { 0, 2, 4 };
    static const bool jumps[3] = { false, true, false };
    static const sample_part parts[2] = { { 1, "S.BOX" }, { 2, "S.BOX" } };
    static const float turns[5] = { 0, 0.1f, 0.2f, 0.1f, 0 }, shown[3] = { 1, 0, 1 };
    const sn_vec3 z = { 0, 0, 1 };
    sample_file file;
    w3d_tree *tree = sample_open(&file);
    put_hierarchy(tree, &skeleton);
    put_box(tree, "S.BOX", 2, sni_vec3(0, 0, 4), sni_vec3(1, 2, 3));
    put_model(tree, parts, 2);
    open_animation(tree, "RAW", "S", 5);
    put_turns(tree, (sample_motion){ W3D_RAW, 1, 0, 5, NULL, NULL }, z, turns);
    put_shifts(tree, (sample_motion){ W3D_RAW, 2, 1, 3, NULL, NULL }, W3D_X, turns);
    put_bits(tree, (sample_motion){ W3D_RAW_BITS, 1, 1, 3, NULL, NULL }, 1, shown);
    w3d_close_chunk(tree);
    open_compressed(tree, "TIMED", "S", 5, 1, 0);
    put_turns(tree, (sample_motion){ W3D_TIMECODED, 1, 0, 3, frames, jumps }, z, turns);
    put_shifts(tree, (sample_motion){ W3D_TIMECODED, 2, 0, 3, frames, NULL }, W3D_Y, turns);
    put_bits(tree, (sample_motion){ W3D_TIMECODED_BITS, 2, 0, 3, frames, NULL }, 1, shown);
    w3d_close_chunk(tree);
    open_compressed(tree, "DELTA", "S", 5, 1, 1);
    put_turns(tree, (sample_motion){ W3D_ADAPTIVE4, 1, 0, 5, NULL, NULL }, z, turns);
    put_shifts(tree, (sample_motion){ W3D_ADAPTIVE4, 2, 0, 5, NULL, NULL }, W3D_Z, turns);
    w3d_close_chunk(tree);
    open_compressed(tree, "MOTION", "S", 5, 0x10000, 0);
    put_turns(tree, (sample_motion){ W3D_MOTION_TIMECODED, 1, 0, 3, frames, NULL }, z, turns);
    put_turns(tree, (sample_motion){ W3D_MOTION_ADAPTIVE4, 2, 0, 5, NULL, NULL }, z, turns);
    put_shifts(tree, (sample_motion){ W3D_MOTION_ADAPTIVE8, 2, 0, 5, NULL, NULL }, W3D_X, turns);
    w3d_close_chunk(tree);
    return sample_save(&file, folder, "motion.w3d");
}

// Text with every kind of field: numbers of all sizes, versions, names, counted text, bytes, lists and records.
static bool make_text(const char *folder)
{
    static const uint32_t frames[2] = { 0, 2 };
    static const float turns[3] = { 0, 0.1f, 0.2f };
    static const uint8_t odd[4] = { 1, 2, 3, 4 };
    const sn_vec3 z = { 0, 0, 1 };
    sample_file file, text;
    w3d_tree *tree = sample_open(&file);
    w3d_doc doc = { 0 };
    put_hierarchy(tree, &skeleton);
    open_animation(tree, "RAW", "S", 3);
    put_turns(tree, (sample_motion){ W3D_RAW, 1, 0, 3, NULL, NULL }, z, turns);
    put_bits(tree, (sample_motion){ W3D_RAW_BITS, 1, 1, 2, NULL, NULL }, 1, turns);
    w3d_close_chunk(tree);
    open_compressed(tree, "TIMED", "S", 3, 1, 0);
    put_shifts(tree, (sample_motion){ W3D_TIMECODED, 2, 0, 2, frames, NULL }, W3D_Y, turns);
    w3d_close_chunk(tree);
    w3d_open_chunk(tree, W3D_DAZZLE);
    w3d_put_text_chunk(tree, W3D_DAZZLE_NAME, "S.DAZZLE");
    w3d_put_chunk(tree, 0x7777, odd, sizeof odd);
    w3d_close_chunk(tree);
    w3d_open_chunk(tree, W3D_SHADER_MATERIAL_PROPERTY);
    w3d_put_u32(tree, W3D_BOOL);
    w3d_put_u32(tree, 3);
    w3d_put_text(tree, "on");
    w3d_put_u8(tree, 1);
    w3d_close_chunk(tree);
    sample_open(&text);
    sni_arena arena;
    sni_arena_init(&arena, &file.heap);
    if (w3d_parse_chunks(&file.diag, &arena, (sni_bytes){ file.out.data, file.out.size }, &doc))
        w3d_text_write(&doc, &arena, &text.out);
    sni_arena_free(&arena);
    sni_writer_free(&file.out);
    return sample_save(&text, folder, "text.w3d.json");
}

static void paint(int x, int y, uint8_t rgba[4])
{
    rgba[0] = (uint8_t)(32 * x), rgba[1] = (uint8_t)(32 * y), rgba[3] = x == y ? 0 : 255;
}

bool make_sweep_w3d(const char *folder)
{
    return make_meshes(folder) && make_objects(folder) && make_motion(folder) && save_tga(folder, "quad.tga", paint) &&
           make_text(folder);
}
