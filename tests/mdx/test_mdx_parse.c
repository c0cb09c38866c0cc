// MDX: model, sequences, textures, materials, geosets and tracks at every version, from hand-made bytes. Each document
// is written again and must give the same bytes (mdx_case_parse).
#include "mdx_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define expect_text(str, text) assert_string_equal((str).at, text)  // fields of text end with NULs here

static void expect_extent(mdx_extent extent, float first)
{
    assert_true(extent.radius == first);
    for (int i = 0; i < 3; i++)
        assert_true(extent.min[i] == first + 1 + (float)i && extent.max[i] == first + 4 + (float)i);
}

static void model_level_chunks(void **state)
{
    (void)state;
    static const uint32_t versions[] = { 800, 900, 1000, 1100, 1200, 1300, 1400 };
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        mdx_case c;
        mdx_bytes *b = mdx_case_begin(&c, versions[i]);
        bool is_alpha = versions[i] >= 1300;
        mb_chunk(b, "MODL"), mb_text(b, "Beast", 80), mb_text(b, "a.mda", 260), mb_extent(b, 1), mb_u32(b, 150);
        if (is_alpha) mb_u8(b, 5);
        mb_end(b);
        mb_chunk(b, "GLBS"), MB_U32S(b, 1000, 0, 0xFFFFFFFF), mb_end(b);
        mb_chunk(b, "PIVT"), mb_counting(b, 6, 10), mb_end(b);
        mb_chunk(b, "TEXS"), mb_u32(b, 1), mb_text(b, "", 260), mb_u32(b, 0);
        mb_u32(b, 0), mb_text(b, "Textures\\skin.blp", 260), mb_u32(b, 3), mb_end(b);
        const mdx_doc *doc = mdx_case_parse(&c);
        assert_int_equal(doc->version, versions[i]);
        expect_text(doc->model.name, "Beast");
        expect_text(doc->model.animation_file, "a.mda");
        expect_extent(doc->model.extent, 1);
        assert_int_equal(doc->model.blend_time, 150);
        assert_int_equal(doc->model.flags, is_alpha ? 5 : 0);
        assert_int_equal(doc->global_sequences.count, 3);
        assert_int_equal(mdx_u32_at(doc->global_sequences, 0), 1000);
        assert_int_equal(mdx_u32_at(doc->global_sequences, 1), 0);
        assert_int_equal(doc->pivots.count, 2);
        assert_true(mdx_float_at(doc->pivots, 5) == 15);
        assert_int_equal(doc->textures.count, 2);
        const mdx_texture *textures = doc->textures.items;
        assert_int_equal(textures[0].replaceable, 1);
        expect_text(textures[1].path, "Textures\\skin.blp");
        assert_int_equal(textures[1].flags, MDX_WRAP_U | MDX_WRAP_V);
        assert_int_equal(c.load.diag.warning_count, 0);
        mdx_case_close(&c);
    }
}

static void sequences_of_800(void **state)
{
    (void)state;
    mdx_case c;
    mdx_bytes *b = mdx_case_begin(&c, 800);
    mb_chunk(b, "SEQS");
    for (uint32_t i = 0; i < 2; i++)
        mb_text(b, i ? "Walk" : "Stand", 80), MB_U32S(b, 100 * i, 100 * i + 50), mb_f32(b, 270), mb_u32(b, i),
            mb_f32(b, 2.5f), mb_u32(b, 7), mb_extent(b, 3);
    mb_end(b);
    const mdx_sequence *walk = (const mdx_sequence *)mdx_case_parse(&c)->sequences.items + 1;
    assert_int_equal(c.doc.sequences.count, 2);
    expect_text(walk->name, "Walk");
    assert_true(walk->start == 100 && walk->end == 150 && walk->move_speed == 270 && walk->flags == MDX_NON_LOOPING);
    assert_true(walk->rarity == 2.5f && walk->sync_point == 7);
    expect_extent(walk->extent, 3);
    assert_int_equal(walk->item.offset, 4 + 12 + 8 + 132);
    mdx_case_close(&c);
}

static void sequences_of_1300(void **state)
{
    (void)state;
    mdx_case c;
    mdx_bytes *b = mdx_case_begin(&c, 1300);
    mb_chunk(b, "SEQS"), mb_u32(b, 1);
    mb_text(b, "Stand", 80), MB_U32S(b, 0, 3333), mb_f32(b, 7), mb_u32(b, 0), mb_extent(b, 3), mb_f32(b, 0.75f),
        MB_U32S(b, 1, 2, 14593), mb_end(b);
    const mdx_sequence *stand = mdx_case_parse(&c)->sequences.items;
    assert_int_equal(c.doc.sequences.count, 1);
    assert_true(stand->end == 3333 && stand->move_speed == 7 && stand->rarity == 0.75f);
    assert_true(stand->replay_min == 1 && stand->replay_max == 2 && stand->blend_time == 14593);
    expect_extent(stand->extent, 3);
    mdx_case_close(&c);
}

// Filter 2, unshaded and two sided, texture 3, animation 4, set 1, alpha 0.5.
static void put_layer(mdx_bytes *b)
{
    MB_U32S(b, 2, 0x11, 3, 4, 1);
    mb_f32(b, 0.5f);
}

static const mdx_layer *expect_layer(const mdx_doc *doc, uint32_t layers)
{
    assert_int_equal(doc->materials.count, 1);
    const mdx_material *material = doc->materials.items;
    assert_int_equal(material->priority_plane, -2);
    assert_true(material->has_layers);
    assert_int_equal(material->layer_count, layers);
    const mdx_layer *layer = material->layers;
    assert_true(layer->filter == MDX_FILTER_BLEND && layer->flags == (MDX_UNSHADED | MDX_LAYER_TWO_SIDED));
    assert_true(layer->texture == 3 && layer->texture_anim == 4 && layer->coord == 1 && layer->alpha == 0.5f);
    assert_int_equal(layer->item.trailing.count, 0);
    return layer;
}

static void materials_of_800(void **state)
{
    (void)state;
    mdx_case c;
    mdx_bytes *b = mdx_case_begin(&c, 800);
    mb_chunk(b, "MTLS"), mb_sized(b), MB_U32S(b, (uint32_t)-2, 0x21), mb_tag(b, "LAYS"), mb_u32(b, 2);
    mb_sized(b), put_layer(b), mb_track(b, "KMTF", 2, 0, 1), MB_U32S(b, 10, 5, 20, 6), mb_track(b, "KMTA", 1, 1, -1),
        mb_u32(b, 7), mb_f32(b, 0.25f), mb_end(b);
    mb_sized(b), put_layer(b), mb_end(b);
    mb_end(b), mb_end(b);
    const mdx_layer *layer = expect_layer(mdx_case_parse(&c), 2);
    assert_int_equal(((const mdx_material *)c.doc.materials.items)->flags, MDX_CONSTANT_COLOR | MDX_FULL_RESOLUTION);
    assert_int_equal(layer->item.tracks.count, 2);
    const mdx_track *ids = &layer->item.tracks.items[0], *alpha = &layer->item.tracks.items[1];
    assert_string_equal(ids->kind->mdl_name, "TextureID");
    assert_true(ids->global_sequence == 1 && ids->interpolation == MDX_STEP && ids->keys.count == 2);
    assert_int_equal(mdx_u32_at(ids->keys, 3), 6);
    assert_string_equal(alpha->kind->mdl_name, "Alpha");
    assert_true(alpha->interpolation == MDX_LINEAR && mdx_float_at(alpha->keys, 1) == 0.25f);
    assert_int_equal(layer[1].item.tracks.count, 0);
    mdx_case_close(&c);
}

// 900 with and without the fresnel fields, with and without tracks after them; 1000 with them.
static void layers_of_900_and_1000(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        bool is_short = i % 3 == 0, has_track = i >= 3;
        mdx_case c;
        mdx_bytes *b = mdx_case_begin(&c, i % 3 == 2 ? 1000 : 900);
        mb_chunk(b, "MTLS"), mb_sized(b), MB_U32S(b, (uint32_t)-2, 2), mb_text(b, "Shader_HD_DefaultUnit", 80),
            mb_tag(b, "LAYS"), mb_u32(b, 1);
        mb_sized(b), put_layer(b), mb_f32(b, 1.5f);
        if (!is_short) mb_counting(b, 5, 2);
        if (has_track) mb_track(b, "KMTE", 1, 0, -1), mb_u32(b, 0), mb_f32(b, 9);
        mb_end(b), mb_end(b), mb_end(b);
        const mdx_layer *layer = expect_layer(mdx_case_parse(&c), 1);
        expect_text(((const mdx_material *)c.doc.materials.items)->shader, "Shader_HD_DefaultUnit");
        assert_true(layer->emissive_gain == 1.5f);
        assert_int_equal(layer->is_short, is_short);
        if (!is_short) {
            assert_true(layer->fresnel_color.x == 2 && layer->fresnel_color.z == 4);
            assert_true(layer->fresnel_opacity == 5 && layer->fresnel_team_color == 6);
        }
        assert_int_equal(layer->item.tracks.count, has_track);
        if (has_track) assert_string_equal(layer->item.tracks.items[0].kind->mdl_name, "EmissiveGain");
        assert_int_equal(c.load.diag.warning_count, 0);
        mdx_case_close(&c);
    }
}

static void layers_of_1100_and_1200(void **state)
{
    (void)state;
    for (uint32_t version = 1100; version <= 1200; version += 100) {
        mdx_case c;
        mdx_bytes *b = mdx_case_begin(&c, version);
        mb_chunk(b, "MTLS"), mb_sized(b), MB_U32S(b, (uint32_t)-2, 2), mb_tag(b, "LAYS"), mb_u32(b, 1);
        mb_sized(b), put_layer(b), mb_f32(b, 1.5f), mb_counting(b, 5, 2), MB_U32S(b, 1, 3);
        MB_U32S(b, 10, 0);
        MB_U32S(b, 11, 1), mb_track(b, "KMTF", 2, 0, -1), MB_U32S(b, 0, 11, 100, 12);
        MB_U32S(b, 13, 2), mb_track(b, "KFC3", 1, 1, -1), mb_u32(b, 0), mb_counting(b, 3, 0);
        mb_end(b), mb_end(b), mb_end(b);
        const mdx_layer *layer = expect_layer(mdx_case_parse(&c), 1);
        assert_true(layer->shader_type == 1 && layer->slot_count == 3 && layer->fresnel_team_color == 6);
        assert_true(layer->slots[0].texture == 10 && layer->slots[0].slot == 0 && layer->slots[0].tracks.count == 0);
        assert_true(layer->slots[1].texture == 11 && layer->slots[1].slot == 1 && layer->slots[1].tracks.count == 1);
        assert_int_equal(mdx_u32_at(layer->slots[1].tracks.items[0].keys, 3), 12);
        assert_true(layer->slots[2].texture == 13 && layer->slots[2].tracks.count == 0);
        assert_int_equal(layer->item.tracks.count, 1);
        assert_string_equal(layer->item.tracks.items[0].kind->mdl_name, "FresnelColor");
        mdx_case_close(&c);
    }
}

// A count and an unused word, no flags, no LAYS; KMTF has no interpolation.
static void materials_of_1300(void **state)
{
    (void)state;
    mdx_case c;
    mdx_bytes *b = mdx_case_begin(&c, 1300);
    mb_chunk(b, "MTLS"), MB_U32S(b, 1, 0xABCD), mb_sized(b), MB_U32S(b, (uint32_t)-2, 1);
    mb_sized(b), put_layer(b), mb_tag(b, "KMTF"), MB_U32S(b, 2, 0, 10, 5, 20, 6), mb_track(b, "KMTA", 1, 0, -1),
        mb_u32(b, 7), mb_f32(b, 0.25f), mb_end(b);
    mb_end(b), mb_end(b);
    const mdx_layer *layer = expect_layer(mdx_case_parse(&c), 1);
    assert_int_equal(((const mdx_chunk *)c.doc.chunks.items)[1].unused, 0xABCD);
    assert_int_equal(layer->item.tracks.count, 2);
    const mdx_track *ids = &layer->item.tracks.items[0];
    assert_true(ids->keys.count == 2 && ids->global_sequence == 0 && ids->interpolation == MDX_STEP);
    assert_int_equal(mdx_u32_at(ids->keys, 3), 6);
    mdx_case_close(&c);
}

static void texture_and_geoset_animations(void **state)
{
    (void)state;
    for (int is_alpha = 0; is_alpha < 2; is_alpha++) {
        mdx_case c;
        mdx_bytes *b = mdx_case_begin(&c, is_alpha ? 1300 : 800);
        mb_chunk(b, "TXAN");
        if (is_alpha) mb_u32(b, 2);
        mb_sized(b), mb_track(b, "KTAT", 1, 2, -1), mb_u32(b, 0), mb_counting(b, 9, 1), mb_end(b);
        mb_sized(b), mb_end(b), mb_end(b);
        mb_chunk(b, "GEOA");
        if (is_alpha) mb_u32(b, 1);
        mb_sized(b);
        if (is_alpha) mb_u32(b, 7);
        mb_f32(b, 0.5f);
        if (!is_alpha) mb_u32(b, 3);
        mb_counting(b, 3, 1), mb_u32(b, is_alpha ? 3 : 7);
        mb_track(b, "KGAO", 1, 0, -1), mb_u32(b, 0), mb_f32(b, 0);
        mb_track(b, "KGAC", 1, 3, -1), mb_u32(b, 0xFFFFFFFF), mb_counting(b, 9, 1), mb_end(b), mb_end(b);
        const mdx_doc *doc = mdx_case_parse(&c);
        assert_int_equal(doc->texture_anims.count, 2);
        const mdx_texture_anim *anims = doc->texture_anims.items;
        assert_true(anims[0].item.tracks.count == 1 && anims[1].item.tracks.count == 0);
        assert_true(anims[0].item.tracks.items[0].interpolation == MDX_HERMITE);
        assert_true(mdx_float_at(anims[0].item.tracks.items[0].keys, 9) == 9);
        const mdx_geoset_anim *shown = doc->geoset_anims.items;
        assert_true(shown->alpha == 0.5f && shown->flags == 3 && shown->color.y == 2 && shown->geoset == 7);
        assert_int_equal(shown->item.tracks.count, 2);
        assert_int_equal((int32_t)mdx_u32_at(shown->item.tracks.items[1].keys, 0), -1);  // times are signed
        mdx_case_close(&c);
    }
}

static void put_array(mdx_bytes *b, const char *tag, uint32_t count)
{
    mb_tag(b, tag);
    mb_u32(b, count);
}

static void put_geoset_arrays(mdx_bytes *b)
{
    put_array(b, "PCNT", 1), mb_u32(b, 3);
    put_array(b, "PVTX", 3), mb_u16(b, 0), mb_u16(b, 1), mb_u16(b, 2);
    put_array(b, "GNDX", 3), mb_raw(b, "\0\1\1", 3);
    put_array(b, "MTGC", 2), MB_U32S(b, 1, 2);
    put_array(b, "MATS", 3), MB_U32S(b, 4, 5, 6);
}

static void put_vertices(mdx_bytes *b)
{
    put_array(b, "VRTX", 3), mb_counting(b, 9, 100);
    put_array(b, "NRMS", 3), mb_counting(b, 9, 200);
}

static const mdx_geoset *expect_geoset(const mdx_doc *doc)
{
    assert_int_equal(doc->geosets.count, 1);
    const mdx_geoset *geoset = doc->geosets.items;
    assert_true(geoset->positions.count == 3 && mdx_float_at(geoset->positions, 8) == 108);
    assert_true(geoset->normals.count == 3 && mdx_float_at(geoset->normals, 0) == 200);
    assert_true(geoset->face_types.count == 1 && geoset->face_types.data[0] == 4);
    assert_true(geoset->face_counts.count == 1 && mdx_u32_at(geoset->face_counts, 0) == 3);
    assert_true(geoset->faces.count == 3 && sni_load_u16(geoset->faces.data + 4) == 2);
    assert_true(geoset->groups.count == 3 && geoset->groups.data[2] == 1);
    assert_true(geoset->group_sizes.count == 2 && mdx_u32_at(geoset->group_sizes, 1) == 2);
    assert_true(geoset->matrices.count == 3 && mdx_u32_at(geoset->matrices, 2) == 6);
    assert_true(geoset->material == 8 && geoset->selection_group == 9 && geoset->selection_flags == MDX_UNSELECTABLE);
    expect_extent(geoset->extent, 20);
    assert_true(geoset->extents.count == 2 && mdx_float_at(geoset->extents, 7) == 40);
    assert_int_equal(geoset->item.trailing.count, 0);
    return geoset;
}

// 800, then 900 to 1200 with tangents before and after the skin.
static void geosets_to_1200(void **state)
{
    (void)state;
    for (uint32_t version = 800; version <= 1200; version += 100) {
        bool is_new = version > 800, skin_first = version % 200 == 0;
        mdx_case c;
        mdx_bytes *b = mdx_case_begin(&c, version);
        mb_chunk(b, "GEOS"), mb_sized(b), put_vertices(b), put_array(b, "PTYP", 1), mb_u32(b, 4), put_geoset_arrays(b),
            MB_U32S(b, 8, 9, 4);
        if (is_new) mb_u32(b, 2), mb_text(b, "body", 80);
        mb_extent(b, 20), mb_u32(b, 2), mb_extent(b, 30), mb_extent(b, 40);
        if (is_new && skin_first) put_array(b, "SKIN", 24), mb_counting(b, 6, 1);
        if (is_new) put_array(b, "TANG", 3), mb_counting(b, 12, 1);
        if (is_new && !skin_first) put_array(b, "SKIN", 24), mb_counting(b, 6, 1);
        put_array(b, "UVAS", 2), put_array(b, "UVBS", 3), mb_counting(b, 6, 50), put_array(b, "UVBS", 0), mb_end(b),
            mb_end(b);
        const mdx_geoset *geoset = expect_geoset(mdx_case_parse(&c));
        if (is_new) {
            assert_int_equal(geoset->lod, 2);
            expect_text(geoset->lod_name, "body");
            assert_true(geoset->tangents.count == 3 && mdx_float_at(geoset->tangents, 11) == 12);
            assert_true(geoset->skin.count == 24 && mdx_float_at(geoset->skin, 5) == 6);
        }
        assert_true(!geoset->tangents.data == !is_new && !geoset->skin.data == !is_new);
        assert_true(geoset->has_uvs && geoset->uv_count == 2 && geoset->uvs[0].count == 3 && geoset->uvs[1].count == 0);
        assert_true(mdx_float_at(geoset->uvs[0], 5) == 55);
        assert_int_equal(c.load.diag.warning_count, 0);
        mdx_case_close(&c);
    }
}

// Texture coordinates without tags between normals and types, types of one byte, BIDX and BWGT.
static void geosets_of_1300(void **state)
{
    (void)state;
    mdx_case c;
    mdx_bytes *b = mdx_case_begin(&c, 1300);
    mb_chunk(b, "GEOS"), mb_u32(b, 1), mb_sized(b), put_vertices(b), put_array(b, "UVAS", 2), mb_counting(b, 12, 50);
    put_array(b, "PTYP", 1), mb_u8(b, 4), put_geoset_arrays(b);
    put_array(b, "BIDX", 3), MB_U32S(b, 7, 8, 9), put_array(b, "BWGT", 3), MB_U32S(b, 0xFF000000, 1, 2),
        MB_U32S(b, 8, 9, 4);
    mb_extent(b, 20), mb_u32(b, 2), mb_extent(b, 30), mb_extent(b, 40), mb_end(b), mb_end(b);
    const mdx_geoset *geoset = expect_geoset(mdx_case_parse(&c));
    assert_true(geoset->uv_count == 2 && geoset->uvs[1].count == 3 && mdx_float_at(geoset->uvs[1], 5) == 61);
    assert_true(mdx_u32_at(geoset->bone_indices, 2) == 9 && mdx_u32_at(geoset->bone_weights, 0) == 0xFF000000);
    mdx_case_close(&c);
}

// Missing arrays are missing again when written; a geoset without vertices is reported.
static void geosets_without_some_arrays(void **state)
{
    (void)state;
    mdx_case c;
    mdx_bytes *b = mdx_case_begin(&c, 800);
    mb_chunk(b, "GEOS"), mb_sized(b), put_array(b, "NRMS", 0), put_array(b, "MATS", 0), MB_U32S(b, 8, 9, 4),
        mb_extent(b, 20), mb_u32(b, 0), mb_end(b), mb_end(b);
    const mdx_geoset *geoset = mdx_case_parse(&c)->geosets.items;
    assert_true(!geoset->positions.data && geoset->normals.data && geoset->normals.count == 0 && !geoset->has_uvs);
    assert_true(mdx_case_warns(&c, SNI_WARN_MDX_SECTION, "GEOS[0]"));
    mdx_case_close(&c);
}

static void bind_pose_and_face_fx(void **state)
{
    (void)state;
    mdx_case c;
    mdx_bytes *b = mdx_case_begin(&c, 1000);
    mb_chunk(b, "BPOS"), mb_u32(b, 2), mb_counting(b, 24, 0), mb_end(b);
    mb_chunk(b, "FAFX"), mb_text(b, "Node", 80), mb_text(b, "face.facefx_ingame", 260), mb_end(b);
    const mdx_doc *doc = mdx_case_parse(&c);
    assert_true(doc->bind_pose.count == 2 && mdx_float_at(doc->bind_pose, 23) == 23);
    assert_int_equal(doc->face_fx.count, 1);
    expect_text(((const mdx_face_fx *)doc->face_fx.items)->path, "face.facefx_ingame");
    mdx_case_close(&c);
}

// Every interpolation; an unknown one is kept, with tangents as for every number above 1.
static void tracks_of_every_interpolation(void **state)
{
    (void)state;
    mdx_case c;
    mdx_bytes *b = mdx_case_begin(&c, 800);
    mb_chunk(b, "HELP"), mb_node(b, "h", 0, -1, 0);
    mb_track(b, "KGSC", 1, 0, 3), mb_u32(b, 5), mb_counting(b, 3, 1);
    mb_track(b, "KGRT", 2, 1, -1), mb_u32(b, 5), mb_counting(b, 4, 1), mb_u32(b, 6), mb_counting(b, 4, 5);
    mb_track(b, "KGTR", 1, 3, -1), mb_u32(b, 5), mb_counting(b, 9, 1);
    mb_track(b, "KGTR", 1, 77, -1), mb_u32(b, 5), mb_counting(b, 9, 1);
    mb_track(b, "KGRT", 0, 2, -1);
    mb_end(b), mb_end(b);
    const mdx_helper *helper = mdx_case_parse(&c)->helpers.items;
    const mdx_track *tracks = helper->object.node.tracks.items;
    assert_int_equal(helper->object.node.tracks.count, 5);
    assert_true(tracks[0].kind->tag == MDX_KGSC && tracks[0].global_sequence == 3 &&
                mdx_key_bytes(&tracks[0], 800) == 16);
    assert_true(tracks[1].keys.count == 2 && mdx_key_bytes(&tracks[1], 800) == 20 &&
                mdx_float_at(tracks[1].keys, 9) == 8);
    assert_true(tracks[2].interpolation == MDX_BEZIER && mdx_key_bytes(&tracks[2], 800) == 40);
    assert_true(tracks[3].interpolation == 77 && mdx_key_bytes(&tracks[3], 800) == 40 && tracks[4].keys.count == 0);
    mdx_case_close(&c);
}

// x in 22 bits over 2^21, y and z in 21 over 2^20, all signed; w completes the unit length.
static void rotations_of_1300_are_packed(void **state)
{
    (void)state;
    static const struct {
        uint64_t packed;
        sn_quat rotation;
    } cases[] = {
        { 0, { 0, 0, 0, 1 } },
        { (uint64_t)1 << 62, { 0.5f, 0, 0, 0.8660254f } },   // 2^20 of 2^21
        { (uint64_t)3 << 62, { -0.5f, 0, 0, 0.8660254f } },  // -2^20: bits 42 to 63 are 11 and twenty zeros
        { (uint64_t)1 << 40, { 0, 0.5f, 0, 0.8660254f } },   // 2^19 of 2^20
        { (uint64_t)3 << 40, { 0, -0.5f, 0, 0.8660254f } },
        { 0x80000, { 0, 0, 0.5f, 0.8660254f } },
        { 0x180000, { 0, 0, -0.5f, 0.8660254f } },  // z's sign is bit 20
        { 0x100000, { 0, 0, -1, 0 } },
        { (uint64_t)1 << 62 | (uint64_t)3 << 40 | 0x80000, { 0.5f, -0.5f, 0.5f, 0.5f } },
    };
    mdx_case c;
    mdx_bytes *b = mdx_case_begin(&c, 1300);
    enum { COUNT = sizeof cases / sizeof *cases };
    mb_chunk(b, "HELP"), mb_u32(b, 1), mb_node(b, "h", 0, -1, 0), mb_track(b, "KGRT", COUNT, 1, -1);
    for (uint32_t i = 0; i < COUNT; i++) MB_U32S(b, i, (uint32_t)cases[i].packed, (uint32_t)(cases[i].packed >> 32));
    mb_end(b), mb_end(b);
    const mdx_track *track = ((const mdx_helper *)mdx_case_parse(&c)->helpers.items)->object.node.tracks.items;
    assert_int_equal(mdx_key_bytes(track, 1300), 12);
    for (uint32_t i = 0; i < COUNT; i++) {
        sn_quat q = mdx_unpack_quat(track->keys.data + 12 * i + 4);
        const float *got = &q.x, *wanted = &cases[i].rotation.x;
        for (int k = 0; k < 4; k++) assert_float_equal(got[k], wanted[k], 1e-6f);
        if (cases[i].rotation.w > 0) assert_true(mdx_pack_quat(cases[i].rotation) == cases[i].packed);
    }
    assert_true(mdx_pack_quat((sn_quat){ 0.5f, -0.5f, 0.5f, -0.5f }) ==
                mdx_pack_quat((sn_quat){ -0.5f, 0.5f, -0.5f, 0.5f }));
    mdx_case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(model_level_chunks),
        cmocka_unit_test(sequences_of_800),
        cmocka_unit_test(sequences_of_1300),
        cmocka_unit_test(materials_of_800),
        cmocka_unit_test(layers_of_900_and_1000),
        cmocka_unit_test(layers_of_1100_and_1200),
        cmocka_unit_test(materials_of_1300),
        cmocka_unit_test(texture_and_geoset_animations),
        cmocka_unit_test(geosets_to_1200),
        cmocka_unit_test(geosets_of_1300),
        cmocka_unit_test(geosets_without_some_arrays),
        cmocka_unit_test(bind_pose_and_face_fx),
        cmocka_unit_test(tracks_of_every_interpolation),
        cmocka_unit_test(rotations_of_1300_are_packed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
