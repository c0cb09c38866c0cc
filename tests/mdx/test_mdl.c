// MDL: words, numbers, strings, comments, damage. Every text that parses must survive being written
// (mdx_mdl_case_parse).
#include "mdl_case.h"
#include "mdx_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define V(n) "Version { FormatVersion " #n ", }\n"

static void expect_text(sni_str text, const char *expected)
{
    assert_int_equal(text.size, strlen(expected));
    assert_memory_equal(text.at, expected, text.size);
}

// Pivots are the shortest block with a list of floats.
static void expect_floats(const char *list, uint32_t count, const float *expected, uint32_t warnings)
{
    mdx_mdl_case c;
    char text[512];
    snprintf(text, sizeof text, V(800) "PivotPoints { %s }", list);
    const mdx_doc *doc = mdx_mdl_case_parse(&c, text);
    assert_int_equal(doc->pivots.count * 3, count);
    for (uint32_t i = 0; i < count; i++) {
        float value = mdx_float_at(doc->pivots, i);
        if (memcmp(&value, &expected[i], 4) != 0) fail_msg("%s: [%u] is %.9g", list, i, (double)value);
    }
    assert_int_equal(mdx_mdl_case_warnings(&c, SNI_WARN_MDL_NUMBER), warnings);
    mdx_mdl_case_close(&c);
}

static void numbers(void **state)
{
    (void)state;
    expect_floats("{ 1, 2.5, -3 }", 3, (float[]){ 1, 2.5f, -3 }, 0);
    expect_floats("{ 1e-05, 1.5E+3, -2e2 }", 3, (float[]){ 1e-05f, 1500, -200 }, 0);
    expect_floats("{ +4, .5, 7. }", 3, (float[]){ 4, 0.5f, 7 }, 0);
    expect_floats("{ 007, -.25, -0 }", 3, (float[]){ 7, -0.25f, -0.0f }, 0);
    expect_floats("{ 0.1, 16777217, 1.17549435e-38 }", 3, (float[]){ 0.1f, 16777216, 1.17549435e-38f }, 0);
    expect_floats("{ -1.#IND, nan, inf }", 3, (float[]){ 0, 0, 0 }, 3);
    expect_floats("{ 1.#QNAN, -1.#INF, 1e999 }", 3, (float[]){ 0, 0, 0 }, 3);
    expect_floats("{ 1x, --2, \"3\" }", 3, (float[]){ 0, 0, 3 }, 2);  // a number in quotes is read
    expect_floats("{ 1,5, 2 }", 3, (float[]){ 1, 5, 2 }, 0);          // a decimal comma cannot be detected
}

static void separators_have_no_meaning(void **state)
{
    (void)state;
    expect_floats("{1,2,3}", 3, (float[]){ 1, 2, 3 }, 0);
    expect_floats(",,{ 1 2\t3 },,\r\n,", 3, (float[]){ 1, 2, 3 }, 0);
    expect_floats("{ 1, // the first, with a } and a \"\n 2 // and\n, 3, }, // end\n", 3, (float[]){ 1, 2, 3 }, 0);
    expect_floats("{1,2//x\n,3}", 3, (float[]){ 1, 2, 3 }, 0);
    expect_floats("1, 2, 3", 3, (float[]){ 1, 2, 3 }, 0);
    expect_floats("1, 2, 3, 4, 5, 6", 6, (float[]){ 1, 2, 3, 4, 5, 6 }, 0);
    expect_floats("", 0, NULL, 0);
}

static void uneven_groups(void **state)
{
    (void)state;
    mdx_mdl_case c;
    const mdx_doc *doc = mdx_mdl_case_parse(&c, V(800) "PivotPoints 3 { { 1, 2 }, { 3, 4, 5, 6 }, { 7, 8, 9 } }");
    static const float expected[] = { 1, 2, 0, 3, 4, 5, 7, 8, 9 };
    assert_int_equal(doc->pivots.count, 3);
    for (uint32_t i = 0; i < 9; i++) assert_true(mdx_float_at(doc->pivots, i) == expected[i]);
    assert_int_equal(mdx_mdl_case_warnings(&c, SNI_WARN_MDL_LIST), 2);
    mdx_mdl_case_close(&c);
}

static void wrong_counts_are_reported(void **state)
{
    (void)state;
    mdx_mdl_case c;
    const mdx_doc *doc = mdx_mdl_case_parse(
        &c, V(800) "PivotPoints 4294967295 { { 1, 2, 3 } }\nSequences 99 { Anim \"a\" { Interval { 0, 1 }, } }\n"
                   "Bone \"b\" { ObjectId 0, Translation 1000000 { Linear, 0: { 1, 2, 3 }, } }");
    assert_int_equal(doc->pivots.count, 1);
    assert_int_equal(doc->sequences.count, 1);
    assert_int_equal(((const mdx_bone *)doc->bones.items)->object.node.tracks.items[0].keys.count, 1);
    assert_int_equal(mdx_mdl_case_warnings(&c, SNI_WARN_MDL_COUNT), 2);
    assert_true(c.heap.peak < 1 << 20);
    mdx_mdl_case_close(&c);
}

static void strings(void **state)
{
    (void)state;
    mdx_mdl_case c;
    const mdx_doc *doc =
        mdx_mdl_case_parse(&c,
                           V(800) "Textures 4 { Bitmap { Image \"Textures\\new\\table.blp\", } Bitmap { Image \"\" }\n"
                                  "Bitmap { Image \"a\\\", } Bitmap { Image \"b // { } , c\" } }");
    const mdx_texture *textures = doc->textures.items;
    assert_int_equal(doc->textures.count, 4);
    expect_text(textures[0].path, "Textures\\new\\table.blp");  // no escapes
    expect_text(textures[1].path, "");
    expect_text(textures[2].path, "a\\");  // the quote closes
    expect_text(textures[3].path, "b // { } , c");
    mdx_mdl_case_close(&c);
}

static void names_with_quotes_and_breaks_are_made_safe(void **state)
{
    (void)state;
    mdx_mdl_case c, again;
    sni_writer text;
    memset(&again, 0, sizeof again);
    const sn_error *unused = mdx_mdl_case_refuse(&c, "");
    assert_int_equal(unused->status, SN_ERR_FORMAT);
    mdx_doc doc = { .version = 800, .model.name = { "a\"b\r\nc\t\6\0junk", 14 } };
    sni_writer_init(&text, &c.heap);
    mdx_mdl_write(&doc, &text);
    sni_write_u8(&text, 0);
    assert_non_null(strstr((const char *)text.data, "Model \"a'b  c\t\6\" {"));
    expect_text(mdx_mdl_case_parse_quietly(&again, (const char *)text.data)->model.name, "a'b  c\t\6");
    mdx_mdl_case_close(&again);
    sni_writer_free(&text);
    mdx_mdl_case_close(&c);
}

// A layer always has a FilterMode, which other programs need.
static void an_unknown_filter(void **state)
{
    (void)state;
    mdx_mdl_case c;
    sni_writer text;
    const mdx_doc *doc =
        mdx_mdl_case_parse_quietly(&c, "Materials 1 { Material { Layer { FilterMode None, //@ Filter 77,\n } } }");
    assert_int_equal(((const mdx_material *)doc->materials.items)->layers->filter, 77);
    sni_writer_init(&text, &c.heap);
    mdx_mdl_write(doc, &text);
    sni_write_u8(&text, 0);
    assert_non_null(strstr((const char *)text.data, "FilterMode Blend,"));
    sni_writer_free(&text);
    mdx_mdl_case_close(&c);
}

// A quote closes a string only at the end of a token.
static void a_quote_inside_a_name(void **state)
{
    (void)state;
    mdx_mdl_case c;
    const mdx_doc *doc = mdx_mdl_case_read(&c, V(800) "Bone \"the \"big\"one\" { ObjectId 4 }\nBone \"x\"{ObjectId 5}");
    expect_text(((const mdx_bone *)doc->bones.items)[0].object.node.name, "the \"big\"one");
    expect_text(((const mdx_bone *)doc->bones.items)[1].object.node.name, "x");
    mdx_mdl_case_close(&c);
}

static void words_of_any_case(void **state)
{
    (void)state;
    mdx_mdl_case c;
    const mdx_doc *doc = mdx_mdl_case_parse_quietly(
        &c,
        "VERSION { formatversion 900 }\nparticleemitter \"p\" { objectid 0, emitterusesMdl, STATIC emissionrate 3 }\n"
        "materials { material { shader \"s\" layer { filtermode ADDITIVE, static TextureId 2, unlit } } }");
    assert_int_equal(doc->version, 900);
    const mdx_emitter *emitter = doc->emitters.items;
    assert_int_equal(emitter->object.node.flags, 0x1000 | 0x8000);
    assert_true(emitter->emission_rate == 3);
    const mdx_material *material = doc->materials.items;
    expect_text(material->shader, "s");
    assert_int_equal(material->layers[0].filter, MDX_FILTER_ADDITIVE);
    assert_int_equal(material->layers[0].texture, 2);
    assert_int_equal(material->layers[0].flags, MDX_UNLIT);
    mdx_mdl_case_close(&c);
}

static void unknown_words_are_skipped(void **state)
{
    (void)state;
    mdx_mdl_case c;
    const mdx_doc *doc = mdx_mdl_case_parse(&c,
                                            V(800) "Toys 3 { Ball { a, { b } }, }\nHelper \"h\" {\n\tObjectId "
                                                   "7,\n\tWobble,\n\tSpin 3, 4,\n\tTwist { 1, { 2 } },\n"
                                                   "\tstatic Bend 2.5,\n\tKnot \"x\" 2 {\n\t\tDeep { }\n\t}\n\tParent "
                                                   "3,\n}\nHelper \"i\" { ObjectId 8 }");
    const mdx_helper *helpers = doc->helpers.items;
    assert_int_equal(doc->helpers.count, 2);
    assert_int_equal(helpers[0].object.node.id, 7);
    assert_int_equal(helpers[0].object.node.parent, 3);
    assert_int_equal(mdx_mdl_case_warnings(&c, SNI_WARN_MDL_WORD), 7);  // "4" after the comma counts too
    mdx_mdl_case_close(&c);
}

static void hidden_statements(void **state)
{
    (void)state;
    mdx_mdl_case c;
    const mdx_doc *doc = mdx_mdl_case_parse_quietly(&c, V(800) "// Bone \"no\" { }\nBone \"b\" { ObjectId 0, //@ Flags "
                                                               "3,\n }\n//@ Also Bone 0 { Flags 4194304, }\n");
    assert_int_equal(doc->bones.count, 1);
    assert_int_equal(((const mdx_bone *)doc->bones.items)->object.node.flags, 4194304);
    mdx_mdl_case_close(&c);
    mdx_mdl_case_parse(&c, V(800) "//@ Also Bone 1 { Flags 0, }\n//@ Also Toy 0 { }\nModel \"\" { }");
    assert_int_equal(mdx_mdl_case_warnings(&c, SNI_WARN_MDL_WORD), 2);
    mdx_mdl_case_close(&c);
}

static void versions(void **state)
{
    (void)state;
    mdx_mdl_case c;
    assert_int_equal(mdx_mdl_case_parse_quietly(&c, "Model \"m\" { }")->version, 800);
    mdx_mdl_case_close(&c);
    // It applies even when it comes last.
    const mdx_doc *doc =
        mdx_mdl_case_parse_quietly(&c, "\xEF\xBB\xBF// banner\nMaterials { Material { Shader \"s\", } }\n" V(900));
    assert_int_equal(doc->version, 900);
    expect_text(((const mdx_material *)doc->materials.items)->shader, "s");
    mdx_mdl_case_close(&c);
    assert_int_equal(mdx_mdl_case_refuse(&c, V(1500) "Model \"m\" { }")->status, SN_ERR_UNSUPPORTED);
    mdx_mdl_case_close(&c);
    mdx_mdl_case_parse(&c, V(850) "Model \"m\" { }");
    assert_int_equal(mdx_mdl_case_warnings(&c, SNI_WARN_MDX_VERSION), 1);
    mdx_mdl_case_close(&c);
}

static void truncated_text(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t line;
        const char *message;
    } cases[] = {
        { "", 1, "the text has no block of MDL" },
        { "hello world", 1, "the text has no block of MDL" },
        { V(800) "Model \"m\" {\n\tBlendTime 3,\n", 4, "the text ends inside a block, a } is missing" },
        { V(800) "Helper \"h\"", 2, "the text ends before a {" },
        { V(800) "Helper \"h\" 3 4 { }", 2, "a { is missing" },
        { V(800) "PivotPoints 1 {\n{ 1, 2, 3 }", 3, "the text ends inside a block, a } is missing" },
        { V(800) "Sequences 1 {\n\tAnim \"a\" { Interval { 0, 1 } }\n", 4,
          "the text ends inside a block, a } is missing" },
        { V(800) "Sequences 1 {\n\tAnim \"a\" { Interval { 0, ", 3, "the text ends inside a block, a } is missing" },
        { V(800) "Bone \"b\" { Rotation 1 { Linear, 0: { 0, 0,", 2, "the text ends inside a block, a } is missing" },
        { V(800) "Unknown {{{{", 2, "the text ends inside a block, a } is missing" },
        { V(800) "Textures { Bitmap { Image \"a } }\n", 2,
          "the text ends inside a string, its closing quote is missing" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mdx_mdl_case c;
        const sn_error *error = mdx_mdl_case_refuse(&c, cases[i].text);
        assert_string_equal(error->message, cases[i].message);
        assert_int_equal(error->line, cases[i].line);
        mdx_mdl_case_close(&c);
    }
}

static void warnings_say_where(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int32_t code;
        uint32_t line, column;
    } cases[] = {
        { V(800) "Model \"m\" {\n\tColour 3,\n}\n", SNI_WARN_MDL_WORD, 3, 2 },
        { V(800) "Model \"m\" {\n\tBlendTime 1x,\n}\n", SNI_WARN_MDL_NUMBER, 3, 12 },
        { V(800) "Bone \"b\" {\n\tObjectId -99999999999,\n}\n", SNI_WARN_VALUE_RANGE, 3, 11 },
        { V(800) "Model \"m\" {\n\tMinimumExtent { 1, 2 },\n}\n", SNI_WARN_MDL_LIST, 3, 16 },
        { V(800) "PivotPoints  2 {\n{ 1, 2, 3 },\n}\n", SNI_WARN_MDL_COUNT, 2, 14 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mdx_mdl_case c;
        mdx_mdl_case_read(&c, cases[i].text);
        const sni_warning_item *item = c.load.diag.first;
        while (item && item->warning.code != cases[i].code) item = item->next;
        assert_non_null(item);
        assert_int_equal(item->warning.line, cases[i].line);
        assert_int_equal(item->warning.column, cases[i].column);
        mdx_mdl_case_close(&c);
    }
}

static void long_names_are_cut(void **state)
{
    (void)state;
    mdx_mdl_case c;
    char text[512];
    snprintf(text, sizeof text, V(800) "Bone \"%0100d\" { ObjectId 0 }", 1);
    const mdx_doc *doc = mdx_mdl_case_parse(&c, text);
    assert_int_equal(((const mdx_bone *)doc->bones.items)->object.node.name.size, 80);
    assert_int_equal(mdx_mdl_case_warnings(&c, SNI_WARN_MDL_TEXT), 1);
    mdx_mdl_case_close(&c);
}

static void numbers_out_of_range(void **state)
{
    (void)state;
    mdx_mdl_case c;
    const mdx_doc *doc =
        mdx_mdl_case_parse(&c, V(800) "Geoset { VertexGroup { 0, 255, 256, -1 } Faces 1 3 { Triangles { { 0, 65535, "
                                      "65536 } } } MaterialID 4294967295, SelectionGroup -1, }\n"
                                      "Bone \"b\" { ObjectId 99999999999999999999, Parent 1e3, GeosetId 2.75 }");
    const mdx_geoset *geoset = doc->geosets.items;
    assert_memory_equal(geoset->groups.data, ((const uint8_t[]){ 0, 255, 255, 0 }), 4);
    assert_memory_equal(geoset->faces.data, ((const uint8_t[]){ 0, 0, 255, 255, 255, 255 }), 6);
    assert_int_equal(geoset->material, 0xFFFFFFFF);
    assert_int_equal(geoset->selection_group, 0xFFFFFFFF);
    const mdx_bone *bone = doc->bones.items;
    assert_int_equal(bone->object.node.parent, 1000);
    assert_int_equal(bone->geoset, 2);
    assert_int_equal(mdx_mdl_case_warnings(&c, SNI_WARN_VALUE_RANGE), 4);
    mdx_mdl_case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(separators_have_no_meaning),
        cmocka_unit_test(uneven_groups),
        cmocka_unit_test(wrong_counts_are_reported),
        cmocka_unit_test(strings),
        cmocka_unit_test(names_with_quotes_and_breaks_are_made_safe),
        cmocka_unit_test(an_unknown_filter),
        cmocka_unit_test(a_quote_inside_a_name),
        cmocka_unit_test(words_of_any_case),
        cmocka_unit_test(unknown_words_are_skipped),
        cmocka_unit_test(hidden_statements),
        cmocka_unit_test(versions),
        cmocka_unit_test(truncated_text),
        cmocka_unit_test(warnings_say_where),
        cmocka_unit_test(long_names_are_cut),
        cmocka_unit_test(numbers_out_of_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
