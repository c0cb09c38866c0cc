// Malformed MDX: each fault is reported with its place and its numbers.
#include "mdx_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

typedef void (*put)(mdx_bytes *b);

// The error's path and a part of its message.
static void expect_error(uint32_t version, put build, sn_status status, const char *path, const char *piece)
{
    mdx_case c;
    build(mdx_case_begin(&c, version));
    const sn_error *error = mdx_case_refuse(&c);
    if (error->status != status || strcmp(error->path, path) != 0 || !strstr(error->message, piece))
        fail_msg("expected %s in \"%s\": ...%s..., got %s in \"%s\": %s", sn_status_name(status), path, piece,
                 sn_status_name(error->status), error->path, error->message);
    mdx_case_close(&c);
}

static void put_key_count(mdx_bytes *b)
{
    mb_chunk(b, "BONE"), mb_node(b, "a", 0, -1, 0), mb_end(b), MB_U32S(b, 0, 0);
    mb_node(b, "b", 1, -1, 0), mb_track(b, "KGRT", 0xFFFFFFFF, 2, -1), mb_counting(b, 13, 0), mb_end(b),
        MB_U32S(b, 0, 0), mb_end(b);
}

static void put_own_key_count(mdx_bytes *b)
{
    mb_chunk(b, "GEOA"), mb_sized(b), mb_counting(b, 6, 0), mb_track(b, "KGAO", 0x20000000, 0, -1), mb_end(b),
        mb_end(b);
}

static void put_event_count(mdx_bytes *b)
{
    mb_chunk(b, "EVTS"), mb_node(b, "e", 0, -1, 0), mb_end(b), mb_tag(b, "KEVT"), MB_U32S(b, 0x40000001, 0, 0),
        mb_end(b);
}

static void put_bind_pose(mdx_bytes *b)
{
    mb_chunk(b, "BPOS"), mb_u32(b, 0x05555556), mb_counting(b, 12, 0), mb_end(b);
}

static void put_layer_count(mdx_bytes *b)
{
    mb_chunk(b, "MTLS"), mb_sized(b), MB_U32S(b, 0, 0), mb_tag(b, "LAYS"), mb_u32(b, 0xFFFFFFFF), mb_end(b), mb_end(b);
}

static void put_layer_size(mdx_bytes *b)
{
    mb_chunk(b, "MTLS"), mb_sized(b), MB_U32S(b, 0, 0), mb_tag(b, "LAYS"), MB_U32S(b, 1, 0xFFFFFFFF),
        mb_counting(b, 8, 0), mb_end(b), mb_end(b);
}

static void put_slot_count(mdx_bytes *b)
{
    mb_chunk(b, "MTLS"), mb_sized(b), MB_U32S(b, 0, 0), mb_tag(b, "LAYS"), mb_u32(b, 1);
    mb_sized(b), mb_counting(b, 12, 0), MB_U32S(b, 1, 0x20000001, 0, 0), mb_end(b), mb_end(b), mb_end(b);
}

static void put_geoset(mdx_bytes *b, const char *tag, uint32_t count)
{
    mb_chunk(b, "GEOS"), mb_sized(b), mb_tag(b, "VRTX"), mb_u32(b, 1), mb_counting(b, 3, 0);
    if (tag) mb_tag(b, tag), mb_u32(b, count);
}

static void end_geoset(mdx_bytes *b) { mb_counting(b, 10, 0), mb_end(b), mb_end(b); }

static void put_normal_count(mdx_bytes *b) { put_geoset(b, "NRMS", 0xFFFFFFFF), end_geoset(b); }
static void put_index_count(mdx_bytes *b) { put_geoset(b, "PVTX", 0x80000000), end_geoset(b); }
static void put_misplaced(mdx_bytes *b) { put_geoset(b, "MATS", 0), mb_tag(b, "PVTX"), mb_u32(b, 0), end_geoset(b); }
static void put_extent_count(mdx_bytes *b)
{
    put_geoset(b, NULL, 0), mb_counting(b, 10, 0), mb_u32(b, 0x09249250), mb_end(b), mb_end(b);
}
static void put_uv_sets(mdx_bytes *b)
{
    put_geoset(b, NULL, 0), mb_counting(b, 10, 0), mb_u32(b, 0), mb_tag(b, "UVAS"), mb_u32(b, 0xFFFFFFFF), mb_end(b),
        mb_end(b);
}
static void put_uv_tag(mdx_bytes *b)
{
    put_geoset(b, NULL, 0), mb_counting(b, 10, 0), mb_u32(b, 0), mb_tag(b, "UVAS"), MB_U32S(b, 1, 1, 2), mb_end(b),
        mb_end(b);
}

static void put_uv_count(mdx_bytes *b)
{
    put_geoset(b, NULL, 0), mb_counting(b, 10, 0), mb_u32(b, 0), mb_tag(b, "UVAS"), mb_u32(b, 1), mb_tag(b, "UVBS"),
        mb_u32(b, 0x20000000), mb_end(b), mb_end(b);
}

static void put_element_size(mdx_bytes *b) { mb_chunk(b, "GEOA"), MB_U32S(b, 4000, 1, 2, 3), mb_end(b); }
static void put_zero_size(mdx_bytes *b) { mb_chunk(b, "TXAN"), mb_sized(b), mb_end(b), MB_U32S(b, 0, 0), mb_end(b); }
static void put_short_element(mdx_bytes *b)
{
    mb_chunk(b, "CAMS"), mb_sized(b), mb_text(b, "c", 80), mb_end(b), mb_end(b);
}
static void put_node_size(mdx_bytes *b) { mb_chunk(b, "HELP"), mb_u32(b, 0xFFFFFFFF), mb_text(b, "h", 96), mb_end(b); }
static void put_small_node(mdx_bytes *b) { mb_chunk(b, "HELP"), mb_u32(b, 40), mb_text(b, "h", 96), mb_end(b); }
static void put_half_bone(mdx_bytes *b)
{
    mb_chunk(b, "BONE"), mb_node(b, "b", 0, -1, 0), mb_end(b), mb_u32(b, 0), mb_end(b);
}
static void put_sphere(mdx_bytes *b)
{
    mb_chunk(b, "CLID"), mb_node(b, "s", 0, -1, 0), mb_end(b), mb_u32(b, 2), mb_counting(b, 2, 0), mb_end(b);
}
static void put_plane(mdx_bytes *b)
{
    mb_chunk(b, "CLID"), mb_node(b, "s", 0, -1, 0), mb_end(b), mb_u32(b, 3), mb_u32(b, 0), mb_end(b);
}
static void put_chunk_size(mdx_bytes *b) { mb_tag(b, "GEOS"), MB_U32S(b, 0xFFFFFFFF, 0, 0); }
static void put_unknown_size(mdx_bytes *b) { mb_tag(b, "MDVI"), MB_U32S(b, 9, 0, 0); }

static void wrong_counts_and_sizes(void **state)
{
    (void)state;
    expect_error(800, put_key_count, SN_ERR_TRUNCATED, "BONE[1]/KGRT",
                 "4294967295 items need 52 bytes each, 52 remain");
    expect_error(800, put_own_key_count, SN_ERR_TRUNCATED, "GEOA[0]/KGAO",
                 "536870912 items need 8 bytes each, 0 remain");
    expect_error(800, put_event_count, SN_ERR_TRUNCATED, "EVTS[0]/KEVT",
                 "1073741825 items need 4 bytes each, 4 remain");
    expect_error(900, put_bind_pose, SN_ERR_TRUNCATED, "BPOS", "89478486 items need 48 bytes each, 48 remain");
    expect_error(800, put_layer_count, SN_ERR_TRUNCATED, "MTLS[0]/LAYS", "4294967295 items");
    expect_error(800, put_layer_size, SN_ERR_TRUNCATED, "MTLS[0]/LAYS[0]", "a size of 4294967295 bytes, 36 remain");
    expect_error(1100, put_slot_count, SN_ERR_TRUNCATED, "MTLS[0]/LAYS[0]",
                 "536870913 items need 8 bytes each, 8 remain");
    expect_error(800, put_normal_count, SN_ERR_TRUNCATED, "GEOS[0]/NRMS",
                 "4294967295 items need 12 bytes each, 40 remain");
    expect_error(800, put_index_count, SN_ERR_TRUNCATED, "GEOS[0]/PVTX", "2147483648 items need 2 bytes each");
    expect_error(800, put_misplaced, SN_ERR_CORRUPT, "GEOS[0]", "PVTX is in the place");
    expect_error(800, put_extent_count, SN_ERR_TRUNCATED, "GEOS[0]/extents",
                 "153391696 items need 28 bytes each, 0 remain");
    expect_error(800, put_uv_sets, SN_ERR_TRUNCATED, "GEOS[0]/UVAS", "4294967295 items");
    expect_error(800, put_uv_tag, SN_ERR_CORRUPT, "GEOS[0]/UVAS/UVBS[0]", "8 bytes without that tag");
    expect_error(800, put_uv_count, SN_ERR_TRUNCATED, "GEOS[0]/UVAS/UVBS[0]",
                 "536870912 items need 8 bytes each, 0 remain");
    expect_error(800, put_element_size, SN_ERR_TRUNCATED, "GEOA[0]", "a size of 4000 bytes, 16 remain");
    expect_error(800, put_zero_size, SN_ERR_CORRUPT, "TXAN[1]", "a size of 0 bytes");
    expect_error(800, put_short_element, SN_ERR_TRUNCATED, "CAMS[0]", "0 remain");
    expect_error(800, put_node_size, SN_ERR_TRUNCATED, "HELP[0]/node", "a size of 4294967295 bytes, 100 remain");
    expect_error(800, put_small_node, SN_ERR_TRUNCATED, "HELP[0]/node", "80 bytes needed, 36 remain");
    expect_error(800, put_half_bone, SN_ERR_TRUNCATED, "BONE[0]", "0 remain");
    expect_error(800, put_sphere, SN_ERR_TRUNCATED, "CLID[0]", "4 items need 4 bytes each, 8 remain");
    expect_error(800, put_plane, SN_ERR_TRUNCATED, "CLID[0]", "2 items need 4 bytes each, 4 remain");
    expect_error(800, put_chunk_size, SN_ERR_TRUNCATED, "GEOS", "the chunk has 4294967295 bytes, 8 remain");
    expect_error(800, put_unknown_size, SN_ERR_TRUNCATED, "MDVI", "the chunk has 9 bytes, 8 remain");
}

static void put_bone_count(mdx_bytes *b)
{
    mb_chunk(b, "BONE"), mb_u32(b, 0xFFFFFFFF), mb_node(b, "a", 0, -1, 0), mb_end(b), mb_end(b);
}
static void put_one_too_many(mdx_bytes *b)
{
    mb_chunk(b, "TXAN"), mb_u32(b, 2), mb_sized(b), mb_u32(b, 0), mb_end(b), mb_end(b);
}
static void put_alpha_uvs(mdx_bytes *b)
{
    mb_chunk(b, "GEOS"), mb_u32(b, 1), mb_sized(b), mb_tag(b, "VRTX"), mb_u32(b, 2), mb_counting(b, 6, 0),
        mb_tag(b, "UVAS"), mb_u32(b, 0x10000000), end_geoset(b);
}
static void put_no_vertices(mdx_bytes *b)
{
    mb_chunk(b, "GEOS"), mb_u32(b, 1), mb_sized(b), mb_tag(b, "UVAS"), mb_u32(b, 0xFFFFFFFF), end_geoset(b);
}
static void put_faces(mdx_bytes *b)
{
    mb_chunk(b, "CLID"), mb_tag(b, "TRI "), mb_u32(b, 0x80000001), mb_u16(b, 0), mb_end(b);
}
static void put_hit_test(mdx_bytes *b)
{
    mb_chunk(b, "HTST"), mb_u32(b, 1), mb_sized(b), mb_node(b, "h", 0, -1, 0), mb_end(b), mb_u8(b, 1),
        mb_counting(b, 4, 0), mb_end(b), mb_end(b);
}

static void wrong_counts_of_1300(void **state)
{
    (void)state;
    expect_error(1300, put_bone_count, SN_ERR_TRUNCATED, "BONE", "4294967295 items need 96 bytes each, 96 remain");
    expect_error(1300, put_one_too_many, SN_ERR_TRUNCATED, "TXAN[1]", "4 bytes needed, 0 remain");
    expect_error(1300, put_alpha_uvs, SN_ERR_TRUNCATED, "GEOS[0]/UVAS", "268435456 items need 16 bytes each");
    expect_error(1300, put_no_vertices, SN_ERR_TRUNCATED, "GEOS[0]/UVAS", "4294967295 items");
    expect_error(1300, put_faces, SN_ERR_TRUNCATED, "CLID/TRI", "2147483649 items need 2 bytes each, 2 remain");
    expect_error(1300, put_hit_test, SN_ERR_TRUNCATED, "HTST[0]", "5 items need 4 bytes each, 16 remain");
}

static void put_nothing(mdx_bytes *b) { (void)b; }

static void versions(void **state)
{
    (void)state;
    static const uint32_t refused[] = { 1301, 1399, 1401, 1499, 1501, 1600, 0xFFFFFFFF };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char number[16];
        snprintf(number, sizeof number, "version %u", refused[i]);
        expect_error(refused[i], put_nothing, SN_ERR_UNSUPPORTED, "", number);
    }
    static const uint32_t odd[] = { 1, 799, 801, 1050, 1201, 1299 };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        mdx_case c;
        mdx_case_begin(&c, odd[i]);
        assert_int_equal(mdx_case_parse(&c)->version, odd[i]);
        assert_true(mdx_case_warns(&c, SNI_WARN_MDX_VERSION, ""));
        mdx_case_close(&c);
    }
    mdx_case c;
    mdx_bytes *b = mdx_case_begin(&c, 0);
    mb_chunk(b, "GLBS"), mb_end(b);
    assert_int_equal(mdx_case_parse(&c)->version, 800);
    assert_true(mdx_case_warns(&c, SNI_WARN_MDX_CHUNK, ""));
    mdx_case_close(&c);
    expect_error(0, put_nothing, SN_ERR_TRUNCATED, "", "the file has no chunks");
}

// Thousands of chunks with one element each, and of tracks without keys, take little time and memory.
static void many_small_chunks_are_cheap(void **state)
{
    (void)state;
    enum { CHUNKS = 60000 };
    size_t size = 4 + CHUNKS * 12u;
    uint8_t *data = malloc(size);
    assert_non_null(data);
    memcpy(data, "MDLX", 4);
    for (size_t i = 0; i < CHUNKS; i++) memcpy(data + 4 + 12 * i, "TXAN\4\0\0\0\4\0\0\0", 12);
    counting_heap counts = { 0 };
    sn_error error;
    sn_load_opts opts = { .allocator = counting_allocator(&counts) };
    clock_t start = clock();
    sn_model *model = sn_load_memory(data, size, &opts, &error);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 1);
    assert_true(counts.peak_bytes <= (16u << 20) + 32 * size);
    sn_model_free(model);
    assert_int_equal(counts.live_blocks, 0);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_counts_and_sizes),
        cmocka_unit_test(wrong_counts_of_1300),
        cmocka_unit_test(versions),
        cmocka_unit_test(many_small_chunks_are_cheap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
