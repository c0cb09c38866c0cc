// The decoder's own interface: numbers in other types, limits, failing allocations. tests/draco/make_draco_seeds.c has
// the values of the streams.
#include "counting_heap.h"
#include "draco/draco.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 7, POINTS = SIDE * SIDE, FACES = (SIDE - 1) * (SIDE - 1) * 2, POSITION = 0, COLOR = 1 };

typedef struct decoded {
    uint8_t stream[4096];
    size_t size;
    counting_heap counted;
    sni_heap heap;
    sni_arena arena;
    sni_diag diag;
    sni_draco_limits limits;
    sni_draco_mesh mesh;
} decoded;

static void read_stream(decoded *d, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/../fuzz/seeds/draco/%s.drc", SINEW_TESTS_DIR, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    d->size = fread(d->stream, 1, sizeof d->stream, file);
    fclose(file);
    d->limits = (sni_draco_limits){ UINT32_MAX, UINT32_MAX, UINT64_MAX };
    d->counted = (counting_heap){ 0 };
}

static sni_draco_result decode(decoded *d)
{
    sn_allocator allocator = { counting_alloc, counting_free, &d->counted };
    sni_heap_init(&d->heap, &allocator, 64 << 20);
    sni_arena_init(&d->arena, &d->heap);
    sni_diag_init(&d->diag, NULL);
    d->heap.diag = &d->diag;
    sni_reader reader = sni_reader_make(d->stream, d->size, &d->diag, &d->arena);
    return sni_draco_decode(&reader, &d->limits, &d->arena, &d->mesh);
}

static void release(decoded *d)
{
    sni_arena_free(&d->arena);
    assert_int_equal(d->counted.live_blocks, 0);
}

static void numbers_in_other_types(void **state)
{
    (void)state;
    static decoded d;
    static uint8_t bytes[POINTS][16];
    read_stream(&d, "sheet_edgebreaker");
    assert_int_equal(decode(&d), SNI_DRACO_OK);
    assert_int_equal(d.mesh.point_count, POINTS);
    assert_int_equal(d.mesh.face_count, FACES);

    // Positions are (x, y, xy / 4); as integers they lose their fractions.
    static uint8_t floats[POINTS][12], words[POINTS][6];
    assert_true(sni_draco_read(&d.mesh, POSITION, SNI_DRACO_FLOAT32, 3, floats));
    assert_true(sni_draco_read(&d.mesh, POSITION, SNI_DRACO_INT16, 3, words));
    for (uint32_t i = 0; i < POINTS; i++) {
        float x = sni_load_f32(floats[i]), y = sni_load_f32(floats[i] + 4);
        assert_true(sni_load_f32(floats[i] + 8) == x * y / 4);
        assert_int_equal(sni_load_u16(words[i]), (int)x);
        assert_int_equal(sni_load_u16(words[i] + 4), (int)(x * y / 4));
    }

    // Colours are (20 x, 20 y, 7 y + x, 255), normalized bytes.
    assert_true(sni_draco_read(&d.mesh, COLOR, SNI_DRACO_FLOAT32, 4, bytes));
    assert_true(sni_draco_read(&d.mesh, COLOR, SNI_DRACO_UINT16, 4, floats));  // 8 bytes each
    for (uint32_t i = 0; i < POINTS; i++) {
        const uint8_t *color = (const uint8_t *)floats + (size_t)i * 8;
        uint32_t at = sni_load_u16(color + 4);
        assert_int_equal(sni_load_u16(color), at % SIDE * 20);
        assert_int_equal(sni_load_u16(color + 2), at / SIDE * 20);
        assert_true(sni_load_f32(bytes[i]) == (float)(at % SIDE * 20) / 255.0f);
        assert_true(sni_load_f32(bytes[i] + 12) == 1.0f);
    }
    assert_false(sni_draco_read(&d.mesh, COLOR, SNI_DRACO_INT8, 4, bytes));  // 255 is not one
    assert_false(sni_draco_read(&d.mesh, COLOR, SNI_DRACO_UINT8, 3, bytes));
    assert_false(sni_draco_read(&d.mesh, 2, SNI_DRACO_UINT8, 4, bytes));
    release(&d);
}

static void counts_must_agree(void **state)
{
    (void)state;
    static decoded d;
    for (int i = 0; i < 2; i++) {
        read_stream(&d, i ? "sheet_edgebreaker" : "sheet_sequential");
        d.limits = (sni_draco_limits){ POINTS, FACES, UINT64_MAX };
        assert_int_equal(decode(&d), SNI_DRACO_OK);
        release(&d);
        static const uint32_t others[][2] = {
            { POINTS - 1, FACES }, { POINTS + 1, FACES }, { POINTS, FACES - 1 }, { POINTS, FACES + 1 }, { 0, 0 }
        };
        for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
            d.limits = (sni_draco_limits){ others[k][0], others[k][1], UINT64_MAX };
            assert_int_equal(decode(&d), SNI_DRACO_DISAGREES);
            assert_false(sni_failed(&d.diag));
            release(&d);
        }
    }
}

static void other_versions(void **state)
{
    (void)state;
    static decoded d;
    static const uint8_t headers[][4] = {
        { 2, 1, 1, 1 }, { 2, 3, 1, 1 }, { 1, 2, 1, 1 }, { 2, 2, 0, 1 }, { 2, 2, 1, 2 }
    };
    read_stream(&d, "cube_texcoords");
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        memcpy(d.stream + 5, headers[i], 4);
        assert_int_equal(decode(&d), SNI_DRACO_UNKNOWN);
        assert_int_equal(d.mesh.version[0], headers[i][0]);
        assert_int_equal(d.mesh.version[1], headers[i][1]);
        release(&d);
    }
}

// Less than what a stream needs is an error, exactly that is enough.
static void work_is_limited(void **state)
{
    (void)state;
    static decoded d;
    read_stream(&d, "moebius_valence");
    assert_int_equal(decode(&d), SNI_DRACO_OK);
    release(&d);
    uint64_t needed = UINT64_MAX - d.limits.work_bytes;
    for (uint64_t i = 0; i <= needed; i += i < needed - 8 ? needed / 50 : 1) {
        d.limits.work_bytes = i;
        sni_draco_result result = decode(&d);
        assert_int_equal(result, i < needed ? SNI_DRACO_FAILED : SNI_DRACO_OK);
        if (i < needed) assert_int_equal(d.diag.error.status, SN_ERR_LIMIT);
        release(&d);
    }
}

static void every_allocation_fails(void **state)
{
    (void)state;
    static const char *const names[] = { "bad_packed", "sheet_edgebreaker", "sphere_split", "torus_flat" };
    static decoded d;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        sni_draco_result result = SNI_DRACO_FAILED;
        for (uint64_t call = 1; result != SNI_DRACO_OK; call++) {
            read_stream(&d, names[i]);
            d.counted.fail_at = call;
            result = decode(&d);
            if (d.counted.calls >= call) assert_int_equal(d.diag.error.status, SN_ERR_MEMORY);
            assert_int_equal(result, d.counted.calls >= call ? SNI_DRACO_FAILED : SNI_DRACO_OK);
            release(&d);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_in_other_types), cmocka_unit_test(counts_must_agree),
        cmocka_unit_test(other_versions),         cmocka_unit_test(work_is_limited),
        cmocka_unit_test(every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
