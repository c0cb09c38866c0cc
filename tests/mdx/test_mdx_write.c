// Writing MDX: the same bytes for a parsed file, the usual order of chunks for a new document.
#include "mdx_bytes.h"
#include "sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void put_helper(mdx_bytes *b, const char *name, int32_t id)
{
    mb_node(b, name, id, -1, 0);
    mb_end(b);
}

static void put_model(mdx_bytes *b)
{
    mb_chunk(b, "MODL"), mb_text(b, "m", 80), mb_text(b, "", 260), mb_extent(b, 0), mb_u32(b, 150), mb_end(b);
}

static void bytes_after_a_nul_stay(void **state)
{
    (void)state;
    mdx_case c;
    mdx_bytes *b = mdx_case_begin(&c, 800);
    char junk[260];
    memset(junk, 0xCD, sizeof junk);
    memcpy(junk, "a.blp", 6);
    mb_chunk(b, "TEXS"), mb_u32(b, 0), mb_raw(b, junk, 260), mb_u32(b, 3), mb_end(b);
    mb_chunk(b, "HELP"), mb_sized(b), mb_raw(b, junk + 100, 80), MB_U32S(b, 0, 1, 2), mb_end(b), mb_end(b);
    mdx_case_parse(&c);
    assert_int_equal(c.load.diag.warning_count, 0);
    mdx_case_close(&c);
}

static void any_order_of_chunks_stays(void **state)
{
    (void)state;
    mdx_case c;
    mdx_bytes *b = mdx_case_begin(&c, 0);
    mb_chunk(b, "PIVT"), mb_counting(b, 3, 1), mb_end(b);
    mb_chunk(b, "HELP"), put_helper(b, "a", 0), mb_end(b);
    put_model(b);
    mb_chunk(b, "VERS"), mb_u32(b, 1000), mb_end(b);  // last, but still applied
    mb_chunk(b, "MTLS"), mb_sized(b), MB_U32S(b, 0, 0), mb_text(b, "s", 80), mb_tag(b, "LAYS"), mb_u32(b, 0), mb_end(b),
        mb_end(b);
    assert_int_equal(mdx_case_parse(&c)->version, 1000);
    assert_int_equal(c.doc.materials.count, 1);
    assert_int_equal(c.load.diag.warning_count, 0);
    mdx_case_close(&c);
}

static void empty_chunks_stay(void **state)
{
    (void)state;
    static const char tags[][5] = { "SEQS", "GLBS", "MTLS", "TEXS", "TXAN", "GEOS", "GEOA",
                                    "BONE", "LITE", "HELP", "ATCH", "PIVT", "PREM", "PRE2",
                                    "CORN", "RIBB", "CAMS", "EVTS", "CLID", "FAFX", "HTST" };
    for (uint32_t version = 800; version <= 1300; version += 500) {
        mdx_case c;
        mdx_bytes *b = mdx_case_begin(&c, version);
        for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) mb_chunk(b, tags[i]), mb_end(b);
        mdx_case_parse(&c);
        assert_int_equal(c.doc.chunks.count, 1 + sizeof tags / sizeof *tags);
        mdx_case_close(&c);
    }
}

// 1300: a count of 0 differs from a missing count.
static void zero_counts_stay(void **state)
{
    (void)state;
    mdx_case c;
    mdx_bytes *b = mdx_case_begin(&c, 1300);
    mb_chunk(b, "BONE"), mb_u32(b, 0), mb_end(b);
    mb_chunk(b, "BONE"), mb_end(b);
    mb_chunk(b, "MTLS"), MB_U32S(b, 0, 3), mb_end(b);
    mb_chunk(b, "MTLS"), mb_u32(b, 0), mb_end(b);
    mb_chunk(b, "BONE"), mb_u16(b, 0), mb_end(b);
    mdx_case_parse(&c);
    assert_int_equal(c.load.diag.warning_count, 2);  // four bytes of MTLS, two of BONE
    mdx_case_close(&c);
}

static void unknown_chunks_stay(void **state)
{
    (void)state;
    mdx_case c;
    mdx_bytes *b = mdx_case_begin(&c, 800);
    mb_chunk(b, "MDVI"), mb_raw(b, "anything", 8), mb_end(b);
    mb_chunk(b, "HTST"), mb_u32(b, 5), mb_end(b);  // only in 1300
    put_model(b);
    mb_chunk(b, "\0\1\2\3"), mb_end(b);
    mdx_case_parse(&c);
    assert_true(mdx_case_warns(&c, SNI_WARN_MDX_UNKNOWN, "MDVI"));
    assert_true(mdx_case_warns(&c, SNI_WARN_MDX_UNKNOWN, "HTST"));
    assert_true(mdx_case_warns(&c, SNI_WARN_MDX_UNKNOWN, "????"));
    mdx_case_close(&c);
}

// Elements are numbered across chunks; of duplicate single chunks the first is used.
static void duplicate_chunks_stay(void **state)
{
    (void)state;
    mdx_case c;
    mdx_bytes *b = mdx_case_begin(&c, 800);
    for (int32_t i = 0; i < 3; i++) {
        mb_chunk(b, "HELP"), put_helper(b, "a", 2 * i), put_helper(b, "b", 2 * i + 1), mb_end(b);
        mb_chunk(b, "PIVT"), mb_counting(b, 3, (float)i), mb_end(b);
        mb_chunk(b, "VERS"), mb_u32(b, 1000), mb_end(b);
        put_model(b);
    }
    const mdx_doc *doc = mdx_case_parse(&c);
    assert_int_equal(doc->version, 800);
    assert_int_equal(doc->helpers.count, 6);
    for (int32_t i = 0; i < 6; i++) assert_int_equal(((const mdx_helper *)doc->helpers.items)[i].object.node.id, i);
    assert_true(doc->pivots.count == 1 && mdx_float_at(doc->pivots, 0) == 0);
    assert_true(mdx_case_warns(&c, SNI_WARN_MDX_CHUNK, "PIVT") && mdx_case_warns(&c, SNI_WARN_MDX_CHUNK, "MODL"));
    mdx_case_close(&c);
}

static void trailing_bytes_of_elements_stay(void **state)
{
    (void)state;
    mdx_case c;
    mdx_bytes *b = mdx_case_begin(&c, 800);
    mb_chunk(b, "VERS"), mb_u16(b, 1), mb_end(b);  // too short, and a duplicate
    mb_chunk(b, "GLBS"), mb_u32(b, 5), mb_raw(b, "abc", 3), mb_end(b);
    mb_chunk(b, "TEXS"), mb_u32(b, 0), mb_text(b, "a", 260), mb_u32(b, 0), mb_raw(b, "half a texture", 14), mb_end(b);
    mb_chunk(b, "GEOA"), mb_sized(b), mb_counting(b, 6, 1), mb_track(b, "KGAO", 0, 0, -1), mb_tag(b, "KXYZ"),
        MB_U32S(b, 1, 2, 3), mb_end(b);
    mb_sized(b), mb_counting(b, 6, 1), mb_raw(b, "x", 1), mb_end(b), mb_raw(b, "yz", 2), mb_end(b);
    mb_chunk(b, "HELP"), mb_node(b, "a", 0, -1, 0), mb_track(b, "KGAO", 0, 0, -1), mb_end(b), mb_raw(b, "tail", 4),
        mb_end(b);
    mb_chunk(b, "MTLS"), mb_sized(b), MB_U32S(b, 0, 0), mb_tag(b, "LAYX"), mb_end(b), mb_end(b);
    mb_raw(b, "1234567", 7);
    const mdx_doc *doc = mdx_case_parse(&c);
    const mdx_geoset_anim *anims = doc->geoset_anims.items;
    assert_true(anims[0].item.tracks.count == 1 && anims[0].item.trailing.count == 16 &&
                anims[1].item.trailing.count == 1);
    assert_int_equal(((const mdx_helper *)doc->helpers.items)->object.node.trailing.count, 16);
    assert_int_equal(doc->trailing.count, 7);
    assert_true(mdx_case_warns(&c, SNI_WARN_MDX_LEFTOVER, "GEOA[0]") &&
                mdx_case_warns(&c, SNI_WARN_MDX_LEFTOVER, "GEOA"));
    assert_true(mdx_case_warns(&c, SNI_WARN_MDX_LEFTOVER, "GLBS") &&
                mdx_case_warns(&c, SNI_WARN_MDX_LEFTOVER, "HELP[0]"));
    assert_true(mdx_case_warns(&c, SNI_WARN_MDX_LEFTOVER, "MTLS[0]") && mdx_case_warns(&c, SNI_WARN_MDX_LEFTOVER, ""));
    mdx_case_close(&c);
}

static void trailing_bytes_of_the_file_stay(void **state)
{
    (void)state;
    for (size_t size = 0; size <= 8; size++) {
        mdx_case c;
        mdx_bytes *b = mdx_case_begin(&c, 800);
        mb_raw(b, "stray...", size);
        assert_int_equal(mdx_case_parse(&c)->trailing.count, size);
        mdx_case_close(&c);
    }
    mdx_case c;
    mb_raw(mdx_case_begin(&c, 800), "stray....", 9);
    assert_int_equal(mdx_case_refuse(&c)->status, SN_ERR_TRUNCATED);
    mdx_case_close(&c);
}

// Floats keep their bits, signalling NaNs too.
static void numbers_keep_their_bits(void **state)
{
    (void)state;
    mdx_case c;
    mdx_bytes *b = mdx_case_begin(&c, 800);
    mb_chunk(b, "GEOA"), mb_sized(b), MB_U32S(b, 0x7F800001, 0xFFFFFFFF, 0xFFC00000, 0x80000000, 1, 0xFFFFFFFF),
        mb_end(b), mb_end(b);
    mdx_case_parse(&c);
    mdx_case_close(&c);
}

// A new document: the usual chunks in the usual order, texts cut or filled to their fields.
static void new_documents(void **state)
{
    (void)state;
    static const uint8_t pivots[24] = { 0 };
    static const char long_name[] =
        "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789";
    mdx_case made, wanted;
    mdx_case_begin(&made, 0);
    mdx_bone bone = { .object.node = { .name = sni_str_make(long_name, 100), .id = 0, .parent = -1, .flags = 0x100 },
                      .geoset = -1,
                      .geoset_anim = -1 };
    mdx_event event = { .object.node = { .name = sni_str_make("SNDxABCD", 8), .id = 1, .parent = 0 } };
    mdx_geoset geoset = { .material = 2 };
    mdx_doc doc = { .version = 800,
                    .model = { .name = sni_str_make("m", 1), .blend_time = 150 },
                    .pivots = { pivots, 2 },
                    .bones = { &bone, 1, 1 },
                    .events = { &event, 1, 1 },
                    .geosets = { &geoset, 1, 1 } };
    sni_heap_init(&made.heap, NULL, UINT64_MAX);
    sni_writer_init(&made.again, &made.heap);
    mdx_write(&doc, &made.again);

    mdx_bytes *b = mdx_case_begin(&wanted, 800);
    mb_chunk(b, "MODL"), mb_text(b, "m", 340), mb_counting(b, 7, 0);
    memset(b->data + b->size - 28, 0, 28), mb_u32(b, 150), mb_end(b);
    mb_chunk(b, "GEOS"), mb_sized(b);
    for (int i = 0; i < 8; i++) mb_tag(b, &"VRTX\0NRMS\0PTYP\0PCNT\0PVTX\0GNDX\0MTGC\0MATS"[5 * i]), mb_u32(b, 0);
    MB_U32S(b, 2, 0, 0), mb_text(b, "", 28), mb_u32(b, 0), mb_tag(b, "UVAS"), mb_u32(b, 0), mb_end(b), mb_end(b);
    mb_chunk(b, "BONE"), mb_sized(b), mb_raw(b, long_name, 80), MB_U32S(b, 0, 0xFFFFFFFF, 0x100), mb_end(b),
        MB_U32S(b, 0xFFFFFFFF, 0xFFFFFFFF), mb_end(b);
    mb_chunk(b, "PIVT"), mb_text(b, "", 24), mb_end(b);
    mb_chunk(b, "EVTS"), mb_node(b, "SNDxABCD", 1, 0, 0), mb_end(b), mb_end(b);
    assert_int_equal(made.again.size, b->size);
    assert_memory_equal(made.again.data, b->data, b->size);
    sni_writer_free(&made.again);
    mdx_case_parse(&wanted);
    mdx_case_close(&wanted);
}

// Emitters of 1300 get their leading size, and every vertex its pair in each uv set.
static void new_documents_of_1300(void **state)
{
    (void)state;
    static const uint8_t zeros[64] = { 0 };
    mdx_emitter2 emitter = { .spline = { zeros, 2 } };
    mdx_ribbon ribbon = { .rows = 1 };
    mdx_array sets[2] = { { zeros, 1 }, { zeros, 3 } };
    mdx_geoset geoset = { .positions = { zeros, 2 }, .uvs = sets, .uv_count = 2 };
    mdx_doc doc = {
        .version = 1300, .emitters2 = { &emitter, 1, 1 }, .ribbons = { &ribbon, 1, 1 }, .geosets = { &geoset, 1, 1 }
    };
    mdx_case c;
    mdx_case_begin(&c, 0);
    sni_heap_init(&c.heap, NULL, UINT64_MAX);
    sni_writer_init(&c.again, &c.heap);
    mdx_write(&doc, &c.again);
    c.bytes.size = 0;
    mb_raw(&c.bytes, c.again.data, c.again.size);
    sni_writer_free(&c.again);
    const mdx_doc *again = mdx_case_parse(&c);
    assert_int_equal(((const mdx_emitter2 *)again->emitters2.items)->emitter_bytes,
                     4 + 4 + 40 + 12 + 8 + 36 + 3 + 12 + 48 + 16 + 520 + 84 + 4 + 24 + 4);
    assert_int_equal(((const mdx_ribbon *)again->ribbons.items)->emitter_bytes, 4 + 52);
    const mdx_geoset *shape = again->geosets.items;
    assert_true(shape->uv_count == 2 && shape->uvs[0].count == 2 && shape->uvs[1].count == 2);
    mdx_case_close(&c);
}

static int files_same, files_refused;

// Files with a deliberately wrong count fail, all others give the same bytes.
static void rewrite_file(const char *path)
{
    static mdx_case c;
    mdx_case_begin(&c, 0);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    c.bytes.size = fread(c.bytes.data, 1, MB_ROOM, file);
    fclose(file);
    assert_true(c.bytes.size < MB_ROOM);
    if (strstr(path, "_overflow_")) {
        mdx_case_refuse(&c);
        files_refused++;
    } else {
        mdx_case_parse(&c);
        assert_int_equal(c.load.diag.warning_count, 0);
        files_same++;
    }
    mdx_case_close(&c);
}

static void corpus_round_trip(void **state)
{
    (void)state;
    static const char *const folders[] = { "mdx-m3-viewer", "hivewe/mdx", "hivewe/mdx_from_mdl" };
    const char *shared = getenv("SINEW_SHARED");
    int found = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/corpus/mdx/%s", shared ? shared : SINEW_SHARED, folders[i]);
        found += sweep_folder(path, "mdx", rewrite_file);
    }
    if (found == 0) {
        print_message("skipped: no corpus in %s\n", shared ? shared : SINEW_SHARED);
        skip();
    }
    print_message("%d files are the same, %d refused\n", files_same, files_refused);
    assert_int_equal(files_same + files_refused, found);
}

static void samples_round_trip(void **state)
{
    (void)state;
    assert_true(sweep_folder(SINEW_SAMPLES, "mdx", rewrite_file) >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_after_a_nul_stay),
        cmocka_unit_test(any_order_of_chunks_stays),
        cmocka_unit_test(empty_chunks_stay),
        cmocka_unit_test(zero_counts_stay),
        cmocka_unit_test(unknown_chunks_stay),
        cmocka_unit_test(duplicate_chunks_stay),
        cmocka_unit_test(trailing_bytes_of_elements_stay),
        cmocka_unit_test(trailing_bytes_of_the_file_stay),
        cmocka_unit_test(numbers_keep_their_bits),
        cmocka_unit_test(new_documents),
        cmocka_unit_test(new_documents_of_1300),
        cmocka_unit_test(corpus_round_trip),
        cmocka_unit_test(samples_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
