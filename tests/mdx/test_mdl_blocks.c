// MDL: every block and the values it must give. Every text must survive being written.
#include "hand_models.h"
#include "mdl_case.h"
#include "mdx_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define V(n) "Version { FormatVersion " #n ", }\n"

static void expect_text(sni_str text, const char *expected)
{
    assert_int_equal(text.size, strlen(expected));
    assert_memory_equal(text.at, expected, text.size);
}

static void expect_numbers(mdx_array array, uint32_t count, const uint32_t *expected)
{
    assert_int_equal(array.count, count);
    for (uint32_t i = 0; i < count; i++) assert_int_equal(mdx_u32_at(array, i), expected[i]);
}

static void expect_floats(mdx_array array, uint32_t width, uint32_t count, const float *expected)
{
    assert_int_equal(array.count * width, count);
    for (uint32_t i = 0; i < count; i++) assert_true(mdx_float_at(array, i) == expected[i]);
}

#define NUMBERS(array, ...) expect_numbers(array, sizeof((uint32_t[]){ __VA_ARGS__ }) / 4, (uint32_t[]){ __VA_ARGS__ })
#define FLOATS(array, width, ...) \
    expect_floats(array, width, sizeof((float[]){ __VA_ARGS__ }) / 4, (float[]){ __VA_ARGS__ })

static void expect_track(const mdx_track *track, const char *tag, uint32_t interpolation, int32_t global, uint32_t keys)
{
    assert_int_equal(track->kind->tag, MDX_TAG(tag[0], tag[1], tag[2], tag[3]));
    assert_int_equal(track->interpolation, interpolation);
    assert_int_equal(track->global_sequence, global);
    assert_int_equal(track->keys.count, keys);
}

static void model_and_sequences(void **state)
{
    (void)state;
    mdx_mdl_case c;
    const mdx_doc *doc = mdx_mdl_case_parse_quietly(
        &c, V(800) "Model \"Footman\" {\n NumGeosets 3,\n NumBones 12,\n BlendTime 150,\n MinimumExtent { -1, -2, -3 "
                   "},\n MaximumExtent { 4, 5, 6 },\n BoundsRadius 7,\n AnimationFile \"x.mda\",\n}\n"
                   "Sequences 2 {\n Anim \"Stand - 1\" { Interval { 100, 200 }, NonLooping, MoveSpeed 270, Rarity 2.5, "
                   "SyncPoint 9, BoundsRadius 3, MinimumExtent { 1, 2, 3 }, }\n"
                   " Anim \"Walk\" { Interval { 4294967295, 5 }, }\n}\nGlobalSequences 2 {\n Duration 1000,\n Duration "
                   "0,\n}\n");
    expect_text(doc->model.name, "Footman");
    expect_text(doc->model.animation_file, "x.mda");
    assert_int_equal(doc->model.blend_time, 150);
    assert_true(doc->model.extent.radius == 7 && doc->model.extent.min[2] == -3 && doc->model.extent.max[0] == 4);
    const mdx_sequence *s = doc->sequences.items;
    assert_int_equal(doc->sequences.count, 2);
    expect_text(s[0].name, "Stand - 1");
    assert_true(s[0].start == 100 && s[0].end == 200 && s[0].flags == MDX_NON_LOOPING && s[0].move_speed == 270 &&
                s[0].rarity == 2.5f);
    assert_true(s[0].sync_point == 9 && s[0].extent.radius == 3 && s[0].extent.min[1] == 2);
    assert_true(s[1].start == 0xFFFFFFFF && s[1].end == 5 && s[1].flags == 0);
    NUMBERS(doc->global_sequences, 1000, 0);
    mdx_mdl_case_close(&c);
}

// A brace in the place of a duration once looped for ever.
static void durations_with_unknown_words(void **state)
{
    (void)state;
    mdx_mdl_case c;
    const mdx_doc *doc = mdx_mdl_case_parse(&c,
                                            V(800) "GlobalSequences 3 {\n Duration 1000,\n { 5, }\n \"x\" 7,\n 300,\n "
                                                   "Duration { 3 },\n 4 }\n");
    NUMBERS(doc->global_sequences, 1000, 300, 0, 4);
    assert_int_equal(mdx_mdl_case_warnings(&c, SNI_WARN_MDL_WORD), 3);
    mdx_mdl_case_close(&c);
}

static void textures_and_materials(void **state)
{
    (void)state;
    mdx_mdl_case c;
    const mdx_doc *doc = mdx_mdl_case_parse_quietly(
        &c, V(1000) "Textures 2 { Bitmap { Image \"a.blp\", WrapWidth, WrapHeight, } Bitmap { Image \"\", "
                    "ReplaceableId 1, WrapHeight } }\n"
                    "Materials 2 {\n Material { ConstantColor, SortPrimsFarZ, FullResolution, TwoSided, PriorityPlane "
                    "-3, Shader \"Shader_HD_DefaultUnit\",\n"
                    "  Layer { FilterMode AddAlpha, Unshaded, SphereEnvMap, Unfogged, NoDepthTest, NoDepthSet, "
                    "TwoSided, Unlit, TVertexAnimId 4, CoordId 1,\n"
                    "   static TextureID 7, static Alpha 0.5, static EmissiveGain 2, static FresnelColor { 0.1, 0.2, "
                    "0.3 }, static FresnelAlpha 0.25, static FresnelTeamColor 0.75, }\n"
                    "  Layer { FilterMode None, TextureID 2 { DontInterp, 0: 3, 100: 4, } Alpha 1 { Linear, "
                    "GlobalSeqId 1, 5: 0.25, } }\n }\n Material { Layer { } } }");
    const mdx_texture *t = doc->textures.items;
    assert_true(t[0].flags == 3 && t[1].flags == MDX_WRAP_V && t[1].replaceable == 1);
    const mdx_material *m = doc->materials.items;
    assert_int_equal(m[0].flags, 0x1 | 0x2 | 0x10 | 0x20);
    assert_int_equal(m[0].priority_plane, -3);
    expect_text(m[0].shader, "Shader_HD_DefaultUnit");
    assert_int_equal(m[0].layer_count, 2);
    const mdx_layer *l = m[0].layers;
    assert_int_equal(l[0].filter, MDX_FILTER_ADD_ALPHA);
    assert_int_equal(l[0].flags, 0x1 | 0x2 | 0x10 | 0x20 | 0x40 | 0x80 | 0x100);
    assert_true(l[0].texture == 7 && l[0].texture_anim == 4 && l[0].coord == 1 && l[0].alpha == 0.5f &&
                l[0].emissive_gain == 2);
    assert_vec3(l[0].fresnel_color, 0.1, 0.2, 0.3);  // the only colour that is R,G,B in MDL
    assert_true(l[0].fresnel_opacity == 0.25f && l[0].fresnel_team_color == 0.75f);
    assert_int_equal(l[1].item.tracks.count, 2);
    expect_track(&l[1].item.tracks.items[0], "KMTF", MDX_STEP, -1, 2);
    NUMBERS(((mdx_array){ l[1].item.tracks.items[0].keys.data, 4 }), 0, 3, 100, 4);
    expect_track(&l[1].item.tracks.items[1], "KMTA", MDX_LINEAR, 1, 1);
    assert_true(l[1].alpha == 1 && l[1].emissive_gain == 1);
    assert_true(m[1].layers[0].filter == 0 && m[1].layers[0].texture_anim == -1);
    mdx_mdl_case_close(&c);
}

static void texture_slots(void **state)
{
    (void)state;
    mdx_mdl_case c;
    // 1100: slots of one layer.
    const mdx_doc *doc = mdx_mdl_case_parse_quietly(
        &c, V(1100) "Materials 2 { Material { Layer { FilterMode None, Shader "
                    "\"Shader_HD_DefaultUnit\", static TextureID 5 <= 0, static TextureID 3 <= 2,\n"
                    " TextureID 1 { DontInterp, 10: 6, } static TextureID 9, static Alpha 0.5, } }\n"
                    " Material { Layer { static TextureID 8, } Layer { static NormalTextureID 2, "
                    "static ORMTextureID 4, } } }");
    const mdx_material *m = doc->materials.items;
    const mdx_layer *l = m[0].layers;
    assert_int_equal(l->shader_type, 1);
    assert_int_equal(l->slot_count, 4);
    assert_true(l->slots[0].texture == 5 && l->slots[0].slot == 0);
    assert_true(l->slots[1].texture == 3 && l->slots[1].slot == 2);
    assert_int_equal(l->slots[2].slot, 2);
    expect_track(&l->slots[2].tracks.items[0], "KMTF", MDX_STEP, -1, 1);
    assert_true(l->slots[3].texture == 9 && l->slots[3].slot == 3);
    assert_true(l->alpha == 0.5f && l->item.tracks.count == 0);
    assert_true(m[1].layers[0].slot_count == 1 && m[1].layers[0].slots[0].texture == 8 &&
                m[1].layers[0].shader_type == 0);
    assert_true(m[1].layers[1].slots[0].slot == 1 && m[1].layers[1].slots[1].slot == 2);
    mdx_mdl_case_close(&c);
    // Drafts of 900 write the layers of their materials like this.
    doc = mdx_mdl_case_parse_quietly(&c,
                                     V(900) "Materials 1 { Material { Shader \"Shader_HD_DefaultUnit\", Layer { "
                                            "FilterMode "
                                            "Blend, TwoSided, static TextureID 7 <= 0, static TextureID 8 <= 1, } } }");
    m = doc->materials.items;
    assert_int_equal(m->layer_count, 2);
    assert_true(m->layers[0].texture == 7 && m->layers[1].texture == 8 && m->layers[1].filter == MDX_FILTER_BLEND &&
                m->layers[1].flags == MDX_LAYER_TWO_SIDED);
    mdx_mdl_case_close(&c);
}

// Words of other tools, some older than the official ones.
static void words_of_other_tools(void **state)
{
    (void)state;
    mdx_mdl_case c;
    const mdx_doc *doc = mdx_mdl_case_parse_quietly(
        &c, V(1100) "Materials 1 { Material { RenderMode 17, Layer { FilterMode None, SphereEnvironmentMap, "
                    "ShaderTypeId 1, static TextureID 0, } } }\n"
                    "Geoset { Vertices 1 { { 0, 0, 0 }, } LevelOfDetail 2, LevelOfDetailName \"far\", Faces 2 6 { "
                    "Triangles { { 0, 1, 2 }, } Triangles { { 3, 4, 5 }, } } }\n"
                    "Helper \"h\" { ObjectId 0, BillboardLockX, BillboardLockY, BillboardLockZ, }\n"
                    "PopcornFxEmitter \"p\" { ObjectId 1, Path \"p.pkb\", FlagString \"Always=on\", }\n"
                    "BindPose 2 { Matrix { { 1, 4, 7, 10 }, { 2, 5, 8, 11 }, { 3, 6, 9, 12 }, }\n Matrix { { 1, 0, 0, "
                    "7 }, { 0, 1, 0, 8 }, { 0, 0, 1, 9 }, } }");
    const mdx_material *m = doc->materials.items;
    assert_int_equal(m->flags, MDX_CONSTANT_COLOR | MDX_SORT_FAR);
    assert_true(m->layers->shader_type == 1 && m->layers->flags == MDX_SPHERE_MAP);
    const mdx_geoset *g = doc->geosets.items;
    expect_text(g->lod_name, "far");
    assert_int_equal(g->faces.count, 6);
    assert_true(g->faces.data[4] == 2 && g->faces.data[6] == 3 && g->faces.data[10] == 5);
    NUMBERS(g->face_counts, 6);
    assert_int_equal(((const mdx_object *)doc->helpers.items)->node.flags,
                     MDX_NODE_BILLBOARD_X | MDX_NODE_BILLBOARD_Y | MDX_NODE_BILLBOARD_Z);
    expect_text(((const mdx_popcorn *)doc->popcorns.items)->visibility_guide, "Always=on");
    assert_int_equal(doc->bind_pose.count, 2);
    FLOATS(doc->bind_pose, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1, 0, 0, 0, 1, 0, 0, 0, 1, 7, 8, 9);
    mdx_mdl_case_close(&c);
}

static void texture_animations(void **state)
{
    (void)state;
    mdx_mdl_case c;
    const mdx_doc *doc = mdx_mdl_case_parse_quietly(
        &c, V(800) "TextureAnims 1 { TVertexAnim { Translation 1 { Linear, 0: { 1, 2, 3 }, } Rotation 1 { Hermite, 5: "
                   "{ 0, 0, 0, 1 }, InTan { 1, 0, 0, 0 }, OutTan { 0, 1, 0, 0 }, } Scaling 0 { DontInterp, } } }");
    const mdx_texture_anim *anim = doc->texture_anims.items;
    assert_int_equal(anim->item.tracks.count, 3);
    expect_track(&anim->item.tracks.items[0], "KTAT", MDX_LINEAR, -1, 1);
    expect_track(&anim->item.tracks.items[1], "KTAR", MDX_HERMITE, -1, 1);
    FLOATS(((mdx_array){ anim->item.tracks.items[1].keys.data + 4, 12 }), 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0);
    expect_track(&anim->item.tracks.items[2], "KTAS", MDX_STEP, -1, 0);
    mdx_mdl_case_close(&c);
}

static void geosets(void **state)
{
    (void)state;
    mdx_mdl_case c;
    const mdx_doc *doc = mdx_mdl_case_parse_quietly(
        &c, V(900) "Geoset {\n Vertices 2 { { 1, 2, 3 }, { 4, 5, 6 }, }\n Normals 2 { { 0, 0, 1 }, { 0, 1, 0 }, }\n "
                   "TVertices 2 { { 0, 1 }, { 0.5, 0.25 }, }\n TVertices 2 { { 1, 1 }, { 2, 2 }, }\n"
                   " Tangents 2 { { 1, 0, 0, 1 }, { 0, 1, 0, -1 }, }\n VertexGroup { 0, 1, }\n Faces 2 6 { Triangles { "
                   "{ 0, 1, 0 }, { 1, 0, 1 }, } }\n"
                   " Groups 3 4 { Matrices { 5 }, Matrices { 1, 2, 3 }, Matrices { }, }\n MinimumExtent { 1, 2, 3 }, "
                   "MaximumExtent { 4, 5, 6 }, BoundsRadius 7,\n"
                   " Anim { MinimumExtent { 11, 12, 13 }, MaximumExtent { 14, 15, 16 }, BoundsRadius 17, }\n Anim { "
                   "}\n MaterialID 3, SelectionGroup 2, Unselectable, LevelOfDetail 1, Name \"lod\",\n}\n");
    const mdx_geoset *g = doc->geosets.items;
    FLOATS(g->positions, 3, 1, 2, 3, 4, 5, 6);
    FLOATS(g->normals, 3, 0, 0, 1, 0, 1, 0);
    assert_int_equal(g->uv_count, 2);
    FLOATS(g->uvs[0], 2, 0, 1, 0.5f, 0.25f);
    FLOATS(g->uvs[1], 2, 1, 1, 2, 2);
    FLOATS(g->tangents, 4, 1, 0, 0, 1, 0, 1, 0, -1);
    assert_memory_equal(g->groups.data, ((const uint8_t[]){ 0, 1 }), 2);
    assert_memory_equal(g->faces.data, ((const uint8_t[]){ 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0 }), 12);
    NUMBERS(g->face_types, 4);
    NUMBERS(g->face_counts, 6);
    NUMBERS(g->group_sizes, 1, 3, 0);
    NUMBERS(g->matrices, 5, 1, 2, 3);
    assert_true(g->extent.radius == 7 && g->extent.min[0] == 1 && g->extent.max[2] == 6);
    FLOATS(g->extents, 7, 17, 11, 12, 13, 14, 15, 16, 0, 0, 0, 0, 0, 0, 0);
    assert_true(g->material == 3 && g->selection_group == 2 && g->selection_flags == MDX_UNSELECTABLE && g->lod == 1);
    expect_text(g->lod_name, "lod");
    assert_null(g->skin.data);
    mdx_mdl_case_close(&c);
}

// Reading takes linear time in the number of blocks.
static void many_blocks_of_triangles(void **state)
{
    (void)state;
    enum { BLOCKS = 4000 };
    static const char block[] = "Triangles { { 0, 1, 2 } }\n";
    static char text[BLOCKS * sizeof block + 100];
    size_t size = (size_t)snprintf(text, sizeof text, "%s", V(800) "Geoset { Faces 1 3 {\n");
    for (int i = 0; i < BLOCKS; i++, size += sizeof block - 1) memcpy(text + size, block, sizeof block);
    snprintf(text + size, sizeof text - size, "} }\n");
    mdx_mdl_case c;
    const mdx_doc *doc = mdx_mdl_case_read(&c, text);
    assert_int_equal(((const mdx_geoset *)doc->geosets.items)->faces.count, 3 * BLOCKS);
    assert_true(c.counts.peak_bytes < 16 * sizeof text);
    mdx_mdl_case_close(&c);
}

static void skin_weights_in_four_dialects(void **state)
{
    (void)state;
    static const uint8_t expected[] = { 1, 2, 3, 4, 100, 100, 50, 5, 6, 0, 0, 0, 255, 0, 0, 0 };
    static const char *const texts[] = {
        "SkinWeights 2 { 1, 2, 3, 4, 100, 100, 50, 5, 6, 0, 0, 0, 255, 0, 0, 0 }",
        "SkinWeights { 1, 2, 3, 4, 100, 100, 50, 5, 6, 0, 0, 0, 255, 0, 0, 0, }",
        "SkinWeights 2 { { 1, 2, 3, 4, 100, 100, 50, 5 }, { 6, 0, 0, 0, 255, 0, 0, 0 }, }",
        "SkinWeights { { 1, 2, 3, 4, 100, 100, 50, 5 } { 6, 0, 0, 0, 255, 0, 0, 0 } }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        mdx_mdl_case c;
        char text[256];
        snprintf(text, sizeof text, V(900) "Geoset { %s }", texts[i]);
        const mdx_geoset *geoset = mdx_mdl_case_parse_quietly(&c, text)->geosets.items;
        assert_int_equal(geoset->skin.count, sizeof expected);
        assert_memory_equal(geoset->skin.data, expected, sizeof expected);
        mdx_mdl_case_close(&c);
    }
}

static void words_of_another_version(void **state)
{
    (void)state;
    mdx_mdl_case c;
    mdx_mdl_case_parse_quietly(&c, V(800) "Geoset { LevelOfDetail 0, Name \"x\", }");
    mdx_mdl_case_close(&c);
    mdx_mdl_case_parse(&c, V(800) "Materials { Material { Shader \"s\", Layer { static EmissiveGain 2, } } }");
    assert_int_equal(mdx_mdl_case_warnings(&c, SNI_WARN_MDL_WORD), 2);
    mdx_mdl_case_close(&c);
}

static void geoset_animations(void **state)
{
    (void)state;
    mdx_mdl_case c;
    const mdx_doc
        *doc = mdx_mdl_case_parse_quietly(&c, V(800) "GeosetAnim { DropShadow, static Alpha 0.5, static Color { 0.1, "
                                                     "0.2, 0.3 }, GeosetId 4, }\n"
                                                     "GeosetAnim { Alpha 1 { DontInterp, 0: 0, } Color 1 { Linear, "
                                                     "0: { 0.1, 0.2, 0.3 }, } GeosetId 5 }\nGeosetAnim { }\n"
                                                     "GeosetAnim { static Alpha 0.5, Alpha 1 { Linear, 0: 1 } }\n");
    const mdx_geoset_anim *a = doc->geoset_anims.items;
    assert_int_equal(doc->geoset_anims.count, 4);
    assert_true(a[0].alpha == 0.5f && a[0].geoset == 4 && a[0].flags == (MDX_DROP_SHADOW | MDX_USE_COLOR));
    assert_vec3(a[0].color, 0.3, 0.2, 0.1);  // blue first in MDL, red first in MDX
    assert_true(a[1].alpha == 1 && a[1].geoset == 5 && a[1].flags == MDX_USE_COLOR && a[1].color.x == 1);
    expect_track(&a[1].item.tracks.items[0], "KGAO", MDX_STEP, -1, 1);
    expect_track(&a[1].item.tracks.items[1], "KGAC", MDX_LINEAR, -1, 1);
    FLOATS(((mdx_array){ a[1].item.tracks.items[1].keys.data + 4, 3 }), 1, 0.1f, 0.2f,
           0.3f);  // keys are the same in both
    assert_true(a[2].flags == 0 && a[2].geoset == -1 && a[2].alpha == 1);
    assert_true(a[3].alpha == 0.5f && a[3].item.tracks.count == 1);
    mdx_mdl_case_close(&c);
}

static void nodes(void **state)
{
    (void)state;
    mdx_mdl_case c;
    const mdx_doc *doc = mdx_mdl_case_parse_quietly(
        &c, V(800) "Bone \"root\" { ObjectId 0, GeosetId Multiple, GeosetAnimId None, BillboardedLockZ, "
                   "BillboardedLockY, BillboardedLockX, Billboarded, CameraAnchored, }\n"
                   "Bone \"arm\" { ObjectId 1, Parent 0,\t// \"root\"\n GeosetId 2, GeosetAnimId 3, DontInherit { "
                   "Rotation, Translation, Scaling },\n"
                   " Translation 2 { Bezier, GlobalSeqId 0, -5: { 1, 2, 3 }, InTan { 4, 5, 6 }, OutTan { 7, 8, 9 }, 10 "
                   ": { 1, 1, 1 }, InTan { 2, 2, 2 }, OutTan { 3, 3, 3 }, }\n"
                   " Rotation 1 { Linear, 33:{ 0, 0, 0.5, 1 } } Scaling 1 { DontInterp, 0: { 1, 2, 1 }, } }\n"
                   "Helper \"h\" { ObjectId 3, Parent 1, DontInherit { Scaling }, DontInherit { Rotation }, }\n");
    const mdx_bone *b = doc->bones.items;
    assert_int_equal(b[0].object.node.flags, 0x100 | 0x8 | 0x10 | 0x20 | 0x40 | 0x80);
    assert_true(b[0].geoset == -1 && b[0].geoset_anim == -1 && b[0].object.node.parent == -1);
    assert_int_equal(b[1].object.node.flags, 0x100 | 0x1 | 0x2 | 0x4);
    assert_true(b[1].geoset == 2 && b[1].geoset_anim == 3 && b[1].object.node.parent == 0);
    const mdx_tracks *tracks = &b[1].object.node.tracks;
    assert_int_equal(tracks->count, 3);
    expect_track(&tracks->items[0], "KGTR", MDX_BEZIER, 0, 2);
    assert_int_equal(mdx_u32_at(tracks->items[0].keys, 0), (uint32_t)-5);
    FLOATS(((mdx_array){ tracks->items[0].keys.data + 4, 9 }), 1, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    expect_track(&tracks->items[1], "KGRT", MDX_LINEAR, -1, 1);
    FLOATS(((mdx_array){ tracks->items[1].keys.data + 4, 4 }), 1, 0, 0, 0.5f, 1);
    expect_track(&tracks->items[2], "KGSC", MDX_STEP, -1, 1);
    const mdx_helper *h = doc->helpers.items;
    assert_int_equal(h->object.node.flags, 0x2 | 0x4);
    mdx_mdl_case_close(&c);
}

static void lights_and_attachments(void **state)
{
    (void)state;
    mdx_mdl_case c;
    const mdx_doc *doc = mdx_mdl_case_parse_quietly(
        &c, V(1200) "Light \"sun\" { ObjectId 0, Directional, static AttenuationStart 80, AttenuationEnd 1 { Linear, "
                    "0: 200.5, } static Intensity 5, static Color { 0.1, 0.2, 0.3 },\n"
                    " static AmbIntensity 2, static AmbColor { 0.4, 0.5, 0.6 }, static ShadowIntensity 0.7, Visibility "
                    "1 { DontInterp, 0: 0, } }\n"
                    "Light \"lamp\" { ObjectId 1, Omnidirectional, }\nLight \"all\" { ObjectId 2, Ambient, }\n"
                    "Attachment \"Hand Ref\" { ObjectId 3, Parent 0, AttachmentID 4, Path \"a\\b.mdl\", Visibility 1 { "
                    "Linear, 7: 1, } }\n");
    const mdx_light *l = doc->lights.items;
    assert_true(l[0].kind == 1 && l[0].attenuation_start == 80 && l[0].attenuation_end == 0 && l[0].intensity == 5 &&
                l[0].ambient_intensity == 2);
    assert_vec3(l[0].color, 0.3, 0.2, 0.1);
    assert_vec3(l[0].ambient_color, 0.6, 0.5, 0.4);
    assert_true(l[0].shadow_intensity == 0.7f && l[1].shadow_intensity == 0.4f && l[1].kind == 0 && l[2].kind == 2);
    assert_int_equal(l[0].object.node.flags, 0x200);
    expect_track(&l[0].object.item.tracks.items[0], "KLAE", MDX_LINEAR, -1, 1);
    expect_track(&l[0].object.item.tracks.items[1], "KLAV", MDX_STEP, -1, 1);
    const mdx_attachment *a = doc->attachments.items;
    expect_text(a->path, "a\\b.mdl");
    assert_int_equal(a->attachment_id, 4);
    assert_int_equal(a->object.node.flags, 0x800);
    expect_track(&a->object.item.tracks.items[0], "KATV", MDX_LINEAR, -1, 1);
    mdx_mdl_case_close(&c);
}

static void emitters(void **state)
{
    (void)state;
    mdx_mdl_case c;
    const mdx_doc *doc = mdx_mdl_case_parse_quietly(
        &c, V(800) "ParticleEmitter \"old\" { ObjectId 0, EmitterUsesTGA, EmissionRate 1 { Linear, 0: 10, } static "
                   "Gravity 2, static Longitude 3, static Latitude 4, Visibility 1 { DontInterp, 0: 1, }\n"
                   " Particle { LifeSpan 1 { Linear, 0: 5, } static InitVelocity 6, Path \"p.mdl\", } }\n"
                   "ParticleEmitter2 \"new\" { ObjectId 1, SortPrimsFarZ, Unshaded, LineEmitter, Unfogged, ModelSpace, "
                   "XYQuad, Squirt, static Speed 1, static Variation 2, static Latitude 3, static Gravity 4,\n"
                   " LifeSpan 5, EmissionRate 1 { Linear, 0: 6, } static Width 7, Length 1 { Linear, 0: 8, } AlphaKey, "
                   "Rows 9, Columns 10, Both, TailLength 11, Time 0.5,\n"
                   " SegmentColor { Color { 0.1, 0.2, 0.3 }, Color { 0.4, 0.5, 0.6 }, Color { 0.7, 0.8, 0.9 }, },\n "
                   "Alpha { 255, 128, 0 }, ParticleScaling { 12, 13, 14 }, LifeSpanUVAnim { 1, 2, 3 },\n"
                   " DecayUVAnim { 4, 5, 6 }, TailUVAnim { 7, 8, 9 }, TailDecayUVAnim { 10, 11, 12 }, TextureID 15, "
                   "ReplaceableId 16, PriorityPlane -17, Visibility 1 { DontInterp, 0: 0, } }\n");
    const mdx_emitter *old = doc->emitters.items;
    assert_int_equal(old->object.node.flags, 0x1000 | 0x10000);
    assert_true(old->emission_rate == 0 && old->gravity == 2 && old->longitude == 3 && old->latitude == 4 &&
                old->life_span == 0 && old->speed == 6);
    expect_text(old->path, "p.mdl");
    assert_int_equal(old->object.item.tracks.count, 3);
    expect_track(&old->object.item.tracks.items[0], "KPEE", MDX_LINEAR, -1, 1);
    expect_track(&old->object.item.tracks.items[1], "KPEV", MDX_STEP, -1, 1);
    expect_track(&old->object.item.tracks.items[2], "KPEL", MDX_LINEAR, -1, 1);
    const mdx_emitter2 *e = doc->emitters2.items;
    assert_int_equal(e->object.node.flags, 0x1000 | 0x8000 | 0x10000 | 0x20000 | 0x40000 | 0x80000 | 0x100000);
    assert_true(e->squirt == 1 && e->speed == 1 && e->variation == 2 && e->latitude == 3 && e->gravity == 4 &&
                e->life_span == 5 && e->emission_rate == 0);
    assert_true(e->width == 7 && e->length == 0 && e->filter == 4 && e->rows == 9 && e->columns == 10 &&
                e->head_or_tail == 2 && e->tail_length == 11 && e->middle_time == 0.5f);
    assert_vec3(e->colors[0], 0.3, 0.2, 0.1);
    assert_vec3(e->colors[2], 0.9, 0.8, 0.7);
    assert_memory_equal(e->alphas, ((const uint8_t[]){ 255, 128, 0 }), 3);
    assert_vec3(e->scales, 12, 13, 14);
    for (uint32_t i = 0; i < 12; i++) assert_int_equal(e->uv_anims[i / 3][i % 3], i + 1);
    assert_true(e->texture == 15 && e->replaceable == 16 && e->priority_plane == -17);
    expect_track(&e->object.item.tracks.items[0], "KP2E", MDX_LINEAR, -1, 1);
    expect_track(&e->object.item.tracks.items[1], "KP2N", MDX_LINEAR, -1, 1);
    expect_track(&e->object.item.tracks.items[2], "KP2V", MDX_STEP, -1, 1);
    mdx_mdl_case_close(&c);
}

static void popcorn_and_ribbons(void **state)
{
    (void)state;
    mdx_mdl_case c;
    const mdx_doc *doc = mdx_mdl_case_parse_quietly(
        &c,
        V(900) "ParticleEmitterPopcorn \"pop\" { ObjectId 0, SortPrimsFarZ, PopcornScaling, static LifeSpan 1, static "
               "EmissionRate 2, static Speed 3, static Color { 0.1, 0.2, 0.3 }, static Alpha 0.5,\n"
               " Visibility 1 { DontInterp, 0: 1, } ReplaceableId 4, Path \"p.pkfx\", AnimVisibilityGuide "
               "\"Always=on\", }\n"
               "RibbonEmitter \"trail\" { ObjectId 1, static HeightAbove 1, HeightBelow 1 { Linear, 0: 2, } static "
               "Alpha 0.5, static Color { 0.1, 0.2, 0.3 }, TextureSlot 6, EmissionRate 7, LifeSpan 8,\n"
               " Gravity 9, Rows 10, Columns 11, MaterialID 12, Visibility 1 { DontInterp, 0: 1, } }\nRibbonEmitter "
               "\"r\" { ObjectId 2, static TextureSlot 3, Color 1 { Linear, 0: { 1, 2, 3 }, } }\n");
    const mdx_popcorn *p = doc->popcorns.items;
    assert_int_equal(p->object.node.flags, 0x1000 | 0x10000 | 0x40000);
    assert_true(p->life_span == 1 && p->emission_rate == 2 && p->speed == 3 && p->alpha == 0.5f && p->replaceable == 4);
    assert_vec3(p->color, 0.3, 0.2, 0.1);
    expect_text(p->path, "p.pkfx");
    expect_text(p->visibility_guide, "Always=on");
    expect_track(&p->object.item.tracks.items[0], "KPPV", MDX_STEP, -1, 1);
    const mdx_ribbon *r = doc->ribbons.items;
    assert_int_equal(r[0].object.node.flags, 0x4000);
    assert_true(r[0].height_above == 1 && r[0].alpha == 0.5f && r[0].texture_slot == 6 && r[0].emission_rate == 7 &&
                r[0].life_span == 8 && r[0].gravity == 9);
    assert_true(r[0].rows == 10 && r[0].columns == 11 && r[0].material == 12 && r[1].texture_slot == 3);
    assert_vec3(r[0].color, 0.3, 0.2, 0.1);
    expect_track(&r[0].object.item.tracks.items[0], "KRHB", MDX_LINEAR, -1, 1);
    expect_track(&r[1].object.item.tracks.items[0], "KRCO", MDX_LINEAR, -1, 1);
    mdx_mdl_case_close(&c);
}

static void events_cameras_shapes(void **state)
{
    (void)state;
    mdx_mdl_case c;
    const mdx_doc *doc = mdx_mdl_case_parse_quietly(
        &c, V(800) "EventObject \"SNDxABCD\" { ObjectId 0, EventTrack 3 { GlobalSeqId 2, 500, -1, 100, } "
                   "}\nEventObject \"none\" { ObjectId 1 }\nEventObject \"empty\" { ObjectId 2, EventTrack 0 { } }\n"
                   "Camera \"cam\" { Position { 1, 2, 3 }, Translation 1 { Linear, 0: { 4, 5, 6 }, } Rotation 1 { "
                   "Linear, 0: 0.5, } FieldOfView 0.75, FarClip 100, NearClip 8,\n"
                   " Target { Position { 7, 8, 9 }, Translation 1 { Linear, 0: { 1, 1, 1 }, } } }\n"
                   "CollisionShape \"box\" { ObjectId 3, Box, Vertices 2 { { 1, 2, 3 }, { 4, 5, 6 }, } "
                   "}\nCollisionShape \"ball\" { ObjectId 4, BoundsRadius 5, Vertices 1 { { 1, 2, 3 }, } Sphere, }\n"
                   "CollisionShape \"plane\" { ObjectId 5, Plane, Vertices 2 { { 1, 2, 3 }, { 4, 5, 6 }, } "
                   "}\nCollisionShape \"can\" { ObjectId 6, Cylinder, Vertices 2 { { 1, 2, 3 }, { 4, 5, 6 }, } "
                   "BoundsRadius 7, }\n");
    const mdx_event *e = doc->events.items;
    assert_int_equal(e[0].global_sequence, 2);
    NUMBERS(e[0].times, 500, (uint32_t)-1, 100);
    assert_true(e[0].has_times && !e[1].has_times && e[2].has_times && e[2].times.count == 0 &&
                e[0].object.node.flags == 0x400);
    const mdx_camera *camera = doc->cameras.items;
    expect_text(camera->name, "cam");
    assert_vec3(camera->position, 1, 2, 3);
    assert_vec3(camera->target, 7, 8, 9);
    assert_true(camera->fov == 0.75f && camera->far_clip == 100 && camera->near_clip == 8);
    expect_track(&camera->item.tracks.items[0], "KCTR", MDX_LINEAR, -1, 1);
    expect_track(&camera->item.tracks.items[1], "KCRL", MDX_LINEAR, -1, 1);  // one float here, a quaternion elsewhere
    expect_track(&camera->item.tracks.items[2], "KTTR", MDX_LINEAR, -1, 1);
    const mdx_shape *s = doc->shapes.items;
    assert_true(s[0].kind == MDX_BOX && s[1].kind == MDX_SPHERE && s[2].kind == MDX_PLANE &&
                s[3].kind == MDX_CYLINDER && s[0].object.node.flags == 0x2000);
    FLOATS(s[0].values, 1, 1, 2, 3, 4, 5, 6);
    FLOATS(s[1].values, 1, 1, 2, 3, 5);
    FLOATS(s[3].values, 1, 1, 2, 3, 4, 5, 6, 7);
    mdx_mdl_case_close(&c);
}

static void face_fx_bind_pose_pivots(void **state)
{
    (void)state;
    mdx_mdl_case c;
    const mdx_doc *doc =
        mdx_mdl_case_parse_quietly(&c,
                                   V(1000) "PivotPoints 1 { { 1, 2, 3 }, }\nFaceFX \"node\" { Path \"x.facefx\", "
                                           "}\nBindPose { Matrices 1 { { 1, 0, 0, 0, 1, 0, 0, 0, 1, 7, 8, 9 }, } }\n");
    FLOATS(doc->pivots, 3, 1, 2, 3);
    FLOATS(doc->bind_pose, 12, 1, 0, 0, 0, 1, 0, 0, 0, 1, 7, 8, 9);
    const mdx_face_fx *fx = doc->face_fx.items;
    expect_text(fx->name, "node");
    expect_text(fx->path, "x.facefx");
    mdx_mdl_case_close(&c);
}

static void nodes_without_ids(void **state)
{
    (void)state;
    mdx_mdl_case c;
    const mdx_doc
        *doc = mdx_mdl_case_parse(&c, V(800) "Bone \"a\" { ObjectId 0 }\nParticleEmitter2 \"p\" { }\nHelper \"h\" { "
                                             "ObjectId 2 }\nRibbonEmitter \"r\" { }\nBone \"b\" { ObjectId -1 }");
    assert_int_equal(((const mdx_emitter2 *)doc->emitters2.items)->object.node.id, 1);
    assert_int_equal(((const mdx_ribbon *)doc->ribbons.items)->object.node.id, 3);
    assert_int_equal(((const mdx_bone *)doc->bones.items)[1].object.node.id, -1);
    assert_int_equal(mdx_mdl_case_warnings(&c, SNI_WARN_MDL_ID), 2);
    mdx_mdl_case_close(&c);
}

static void missing_and_unexpected_tangents(void **state)
{
    (void)state;
    mdx_mdl_case c;
    const mdx_doc *doc = mdx_mdl_case_parse(&c,
                                            V(800) "Bone \"a\" { ObjectId 0, Translation 1 { Hermite, 0: { 1, 2, 3 }, "
                                                   "} Scaling 1 { Bezier, 0: { 1, 2, 3 }, OutTan { 4, 5, 6 }, } "
                                                   "Rotation 1 { Linear, 0: { 0, 0, 0, 1 }, InTan { 1, 1, 1, 1 }, } }");
    const mdx_tracks *t = &((const mdx_bone *)doc->bones.items)->object.node.tracks;
    FLOATS(((mdx_array){ t->items[0].keys.data + 4, 9 }), 1, 1, 2, 3, 0, 0, 0, 0, 0, 0);
    FLOATS(((mdx_array){ t->items[1].keys.data + 4, 9 }), 1, 1, 2, 3, 1, 2, 3, 4, 5, 6);
    assert_int_equal(t->items[2].keys.count, 1);
    assert_int_equal(mdx_mdl_case_warnings(&c, SNI_WARN_MDL_TRACK), 1);
    mdx_mdl_case_close(&c);
}

static void rotations_of_1300_are_packed(void **state)
{
    (void)state;
    mdx_mdl_case c;
    const mdx_doc *doc = mdx_mdl_case_parse_quietly(
        &c, V(1300) "Bone \"a\" { ObjectId 0, Rotation 1 { Linear, 7: { 0.5, -0.5, 0.5, 0.5 }, } }\nLight \"l\" { "
                    "ObjectId 1, Omnidirectional, Visibility 1 { DontInterp, 0: 1, } }\n"
                    "HitTestShape \"h\" { ObjectId 2, Cylinder, Values { 1, 2, 3, 4, 5 }, }\nCollisionMesh { Vertices "
                    "1 { { 1, 2, 3 }, } Triangles { 0, 0, 0 }, Normals 1 { { 0, 0, 1 }, } }");
    const mdx_track *track = &((const mdx_bone *)doc->bones.items)->object.node.tracks.items[0];
    assert_int_equal(mdx_key_bytes(track, 1300), 12);
    sn_quat q = mdx_unpack_quat(track->keys.data + 4);
    assert_quat(q, 0.5, -0.5, 0.5, 0.5);
    assert_int_equal(((const mdx_light *)doc->lights.items)->object.item.tracks.items[0].kind->tag, MDX_KVIS);
    const mdx_shape *hit = doc->hit_tests.items;
    assert_int_equal(hit->kind, 1);
    FLOATS(hit->values, 1, 1, 2, 3, 4, 5);
    assert_int_equal(doc->collision_faces.count, 3);
    mdx_mdl_case_close(&c);
}

// MDX has as many numbers as the kind says, and nothing else.
static void hit_tests_have_the_numbers_of_their_kind(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t count, warnings;
        float values[6];
    } rows[] = {
        { "Cylinder, Values { 1, 2, 3, 4, 5 },", 5, 0, { 1, 2, 3, 4, 5 } },
        { "Bezier, Values { 1, 2, 3, 4, 5 },", 6, 1, { 1, 2, 3, 4, 5, 0 } },  // a box
        { "Plane, Values { 1, 2, 3 },", 2, 1, { 1, 2 } },
        { "Sphere,", 4, 0, { 0, 0, 0, 0 } },
        { "Cylinder, Vertices 2 { { 1, 2, 3 }, { 4, 5, 6 } }, BoundsRadius 7,", 5, 0, { 1, 2, 3, 4, 5 } },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256];
        mdx_mdl_case c;
        snprintf(text, sizeof text, V(1300) "HitTestShape \"h\" { ObjectId 0, %s }", rows[i].text);
        const mdx_shape *hit = mdx_mdl_case_parse(&c, text)->hit_tests.items;
        expect_floats(hit->values, 1, rows[i].count, rows[i].values);
        assert_int_equal(mdx_mdl_case_warnings(&c, SNI_WARN_MDL_LIST), rows[i].warnings);
        mdx_mdl_case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(model_and_sequences),
        cmocka_unit_test(durations_with_unknown_words),
        cmocka_unit_test(textures_and_materials),
        cmocka_unit_test(texture_slots),
        cmocka_unit_test(words_of_other_tools),
        cmocka_unit_test(texture_animations),
        cmocka_unit_test(geosets),
        cmocka_unit_test(many_blocks_of_triangles),
        cmocka_unit_test(skin_weights_in_four_dialects),
        cmocka_unit_test(words_of_another_version),
        cmocka_unit_test(geoset_animations),
        cmocka_unit_test(nodes),
        cmocka_unit_test(lights_and_attachments),
        cmocka_unit_test(emitters),
        cmocka_unit_test(popcorn_and_ribbons),
        cmocka_unit_test(events_cameras_shapes),
        cmocka_unit_test(face_fx_bind_pose_pivots),
        cmocka_unit_test(nodes_without_ids),
        cmocka_unit_test(missing_and_unexpected_tangents),
        cmocka_unit_test(rotations_of_1300_are_packed),
        cmocka_unit_test(hit_tests_have_the_numbers_of_their_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
