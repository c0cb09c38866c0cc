// Arrays that stay where they lie in the file: the same model as from memory, whoever shares the bytes.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/reader.h"
#include "check_model.h"
#include "counting_heap.h"
#include "gltf_text.h"

enum { VERTICES = 2000, INDICES = 6000 };  // 24 KB each: large enough to be lent

// One array serves as positions and as normals, one list of indices for two primitives, and both have faults that are
// fixed for one use and must not reach the other.
static gltf_draft *draft_shared(bool is_damaged)
{
    static float vectors[VERTICES][3];
    static uint32_t indices[INDICES];
    gltf_draft *draft = draft_start();
    for (int i = 0; i < VERTICES; i++) {
        float angle = (float)i * 0.01f;
        vectors[i][0] = cosf(angle);
        vectors[i][1] = sinf(angle);
        vectors[i][2] = 0;
    }
    for (uint32_t i = 0; i < INDICES; i++) indices[i] = i % VERTICES;
    if (is_damaged) vectors[7][0] = 3.0f, vectors[9][1] = NAN, indices[4] = VERTICES, indices[5990] = 1u << 30;
    int vector = draft_accessor(draft, draft_view(draft, vectors, sizeof vectors, ""), F32, "VEC3", VERTICES, "");
    int index = draft_accessor(draft, draft_view(draft, indices, sizeof indices, ""), U32, "SCALAR", INDICES, "");
    draft_close(draft,
                "'nodes':[{'mesh':0}],'meshes':[{'primitives':["
                "{'attributes':{'POSITION':%d,'NORMAL':%d},'indices':%d},{'attributes':{'POSITION':%d},'indices':%d}]}"
                "]",
                vector, vector, index, vector, index);
    return draft;
}

static void write_file(const gltf_draft *draft, char *path)
{
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, draft->file.data, draft->file.size), draft->file.size);
    close(file);
}

static void test_same_model_however_it_is_read(void **state)
{
    (void)state;
    for (int damaged = 0; damaged < 2; damaged++) {
        char path[] = "/tmp/sinew-lend-XXXXXX";
        gltf_draft *draft = draft_shared(damaged);
        sn_load_opts mapped = { .map_files = true };
        sn_error error;
        write_file(draft, path);
        sn_model *copied = load_bytes(draft->file.data, draft->file.size, NULL);
        sn_model *lent = sn_load_file(path, NULL, &error), *seen = sn_load_file(path, &mapped, &error);
        unlink(path);
        assert_non_null(lent);
        assert_non_null(seen);
        check_model(lent);
        check_model(seen);
        assert_true(sn_model_hash(lent) == sn_model_hash(copied));
        assert_true(sn_model_hash(seen) == sn_model_hash(copied));
        assert_int_equal(lent->warning_count, copied->warning_count);
        for (uint32_t i = 0; i < lent->warning_count; i++)
            assert_int_equal(lent->warnings[i].count, copied->warnings[i].count);
        // Without a fault the two uses are the very same bytes; a position of length 3 stays, its normal does not.
        // Bytes in another order than the processor's are always copied.
        assert_int_equal((const void *)seen->meshes[0].positions == (const void *)seen->meshes[0].normals,
                         !damaged && sni_is_little_endian());
        if (damaged) assert_float_equal(seen->meshes[0].positions[7].x, 3.0, 0);
        if (damaged)
            assert_float_equal(seen->meshes[0].normals[7].x, 3.0f / sqrtf(9.0f + sinf(0.07f) * sinf(0.07f)), 1e-6f);
        sn_model_free(copied);
        sn_model_free(lent);
        sn_model_free(seen);
    }
}

static void test_every_failing_allocation(void **state)
{
    (void)state;
    char path[] = "/tmp/sinew-lend-XXXXXX";
    write_file(draft_shared(true), path);
    for (int map = 0; map < 2; map++) {
        for (uint64_t k = 1;; k++) {
            counting_heap heap = { .fail_at = k };
            sn_load_opts opts = { .allocator = counting_allocator(&heap), .map_files = map };
            sn_model *model = sn_load_file(path, &opts, NULL);
            bool was_reached = heap.calls >= k;
            sn_model_free(model);
            assert_int_equal(heap.live_blocks, 0);
            if (!was_reached) break;
            assert_null(model);
        }
    }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_model_however_it_is_read),
        cmocka_unit_test(test_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
