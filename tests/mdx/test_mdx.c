// The MDX descriptor: probing, loading, writing documents, locating bytes.
#include "format/format.h"
#include "mdx_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

extern const sni_format sni_format_mdx;

static int probe(const char *text) { return sni_format_mdx.probe((sni_bytes){ (const uint8_t *)text, strlen(text) }); }

static void probing(void **state)
{
    (void)state;
    assert_int_equal(probe("MDLX"), 100);
    static const char *const texts[] = { "Version {\n\tFormatVersion 800,\n}",
                                         "// banner\r\n// more\r\n\r\nVersion{",
                                         "\xEF\xBB\xBFversion {",
                                         "  MODEL \"x\" {",
                                         "Sequences 3 {",
                                         "ParticleEmitter2 \"a\" {",
                                         "Geoset {",
                                         "//x\nVersion" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_int_equal(probe(texts[i]), 60);
    static const char *const others[] = {
        "",          "MDL",           "MDLY",  "IDST\1\2", "{}", "// only a comment", "Versions {", "Version of this",
        "Model = 3", "Light-hearted", "<xml/>"
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) assert_int_equal(probe(others[i]), 0);
}

static void loading(void **state)
{
    (void)state;
    mdx_case c;
    mdx_bytes *b = mdx_case_begin(&c, 800);
    sn_error error;
    sn_model *model = sn_load_memory(b->data, b->size, NULL, &error);
    assert_non_null(model);
    assert_string_equal(model->format, "mdx");
    sn_model_free(model);
    assert_null(sn_load_memory(b->data, b->size - 1, NULL, &error));
    assert_int_equal(error.status, SN_ERR_TRUNCATED);
    assert_string_equal(error.path, "VERS");
}

static sn_model *load_kept(const mdx_case *c)
{
    sn_error error;
    sn_model *model = sn_load_memory(c->bytes.data, c->bytes.size, &(sn_load_opts){ .keep_document = true }, &error);
    assert_non_null(model);
    assert_non_null(model->document);
    return model;
}

static void documents_are_written_through_the_descriptor(void **state)
{
    (void)state;
    static const char *const endings[] = { NULL, "mdx", "mdl" };
    mdx_case c;
    mdx_case_begin(&c, 1000);
    sn_model *model = load_kept(&c);
    for (int i = 0; i < 3; i++) {
        sni_save save;
        sni_writer out;
        sni_save_init(&save, "x", UINT64_MAX, NULL);
        sni_writer_init(&out, &save.heap);
        assert_true(sni_format_mdx.write(&save, model->document, endings[i], &out));
        if (i < 2) assert_int_equal(out.size, c.bytes.size);
        if (i < 2) assert_memory_equal(out.data, c.bytes.data, out.size);
        else assert_int_equal(sni_format_mdx.probe((sni_bytes){ out.data, out.size }), 60);
        sni_writer_free(&out);
        sni_save_free(&save);
    }
    sn_model_free(model);
}

typedef struct losses {
    char text[400];
} losses;

static void take_loss(void *user, const sn_warning *loss)
{
    losses *all = user;
    size_t used = strlen(all->text);
    snprintf(all->text + used, sizeof all->text - used, "%s: %s\n", loss->path, loss->message);
}

// An unknown chunk stays in MDX; MDL has no place for it, which is reported.
static void unknown_chunks_are_reported_as_lost(void **state)
{
    (void)state;
    mdx_case c;
    mdx_bytes *b = mdx_case_begin(&c, 800);
    mb_chunk(b, "MINE"), MB_U32S(b, 1, 2, 3), mb_end(b);
    sn_model *model = load_kept(&c);
    for (int is_text = 0; is_text < 2; is_text++) {
        losses all = { "" };
        sn_bytes bytes;
        sn_save_opts opts = { .report = take_loss, .user = &all };
        assert_int_equal(sn_save_memory(model, is_text ? "mdl" : "mdx", &opts, &bytes, NULL), SN_OK);
        assert_string_equal(all.text, is_text ? "MINE: 12 bytes were left out: MDL cannot store them\n" : "");
        sn_bytes_free(&bytes);
    }
    sn_model_free(model);
}

static const sn_model *located;

static void expect_path(const mdx_case *c, uint64_t offset, const char *wanted)
{
    char path[112];
    memset(path, 'x', sizeof path);
    sni_format_mdx.locate(located->document, (sni_bytes){ c->bytes.data, c->bytes.size }, offset, path);
    assert_string_equal(path, wanted);
}

static void locating_bytes(void **state)
{
    (void)state;
    mdx_case c;
    mdx_bytes *b = mdx_case_begin(&c, 800);
    size_t materials = b->size;
    mb_chunk(b, "MTLS"), mb_sized(b), MB_U32S(b, 0, 0), mb_tag(b, "LAYS"), mb_u32(b, 2), mb_sized(b),
        mb_counting(b, 6, 0), mb_end(b);
    size_t layer = b->size;
    mb_sized(b), mb_counting(b, 6, 0);
    size_t alpha = b->size;
    mb_track(b, "KMTA", 1, 0, -1), MB_U32S(b, 0, 0), mb_end(b), mb_end(b), mb_end(b);
    size_t geosets = b->size;
    mb_chunk(b, "GEOS"), mb_sized(b), mb_tag(b, "VRTX"), mb_u32(b, 1), mb_counting(b, 3, 0);
    size_t normals = b->size;
    mb_tag(b, "NRMS"), mb_u32(b, 1), mb_counting(b, 3, 0);
    size_t fields = b->size;
    mb_counting(b, 10, 0), mb_u32(b, 0), mb_tag(b, "UVAS"), mb_u32(b, 1), mb_tag(b, "UVBS"), mb_u32(b, 1),
        MB_U32S(b, 0, 0), mb_end(b), mb_end(b);
    size_t attachments = b->size;
    mb_chunk(b, "ATCH");
    for (int i = 0; i < 2; i++)
        mb_sized(b), mb_node(b, "a", i, -1, 0), mb_track(b, "KGTR", 0, 0, -1), mb_end(b), mb_text(b, "", 264),
            mb_end(b);
    mb_raw(b, "x", 1), mb_end(b);
    size_t events = b->size;
    mb_chunk(b, "EVTS"), mb_node(b, "e", 0, -1, 0), mb_end(b), mb_tag(b, "KEVT"), MB_U32S(b, 1, 0, 0), mb_end(b);
    mb_raw(b, "stray", 5);

    sn_model *model = load_kept(&c);
    located = model;
    expect_path(&c, 0, "");
    expect_path(&c, 4, "VERS");
    expect_path(&c, materials, "MTLS");
    expect_path(&c, materials + 8, "MTLS[0]");
    expect_path(&c, layer - 1, "MTLS[0]/LAYS[0]");
    expect_path(&c, layer, "MTLS[0]/LAYS[1]");
    expect_path(&c, alpha + 20, "MTLS[0]/LAYS[1]/KMTA");
    expect_path(&c, geosets + 8, "GEOS[0]");
    expect_path(&c, normals - 1, "GEOS[0]/VRTX");
    expect_path(&c, normals, "GEOS[0]/NRMS");
    expect_path(&c, fields - 1, "GEOS[0]/NRMS");
    expect_path(&c, fields, "GEOS[0]");
    expect_path(&c, attachments - 1, "GEOS[0]/UVBS");
    expect_path(&c, attachments + 7, "ATCH");
    expect_path(&c, attachments + 8 + 4 + 95, "ATCH[0]");
    expect_path(&c, attachments + 8 + 4 + 96, "ATCH[0]/KGTR");
    expect_path(&c, attachments + 8 + 4 + 112, "ATCH[0]");
    expect_path(&c, attachments + 8 + 380 + 4 + 96, "ATCH[1]/KGTR");
    expect_path(&c, attachments + 8 + 760, "ATCH");
    expect_path(&c, events + 8 + 96, "EVTS[0]/KEVT");
    expect_path(&c, b->size - 1, "");
    sn_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probing),
        cmocka_unit_test(loading),
        cmocka_unit_test(documents_are_written_through_the_descriptor),
        cmocka_unit_test(unknown_chunks_are_reported_as_lost),
        cmocka_unit_test(locating_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
