// Every mesh that libdraco encodes decodes to the same points, faces and values as libdraco says.
#include "draco/draco.h"
#include "draco_judge.h"
#include "draco_shapes.h"
#include "random_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef SINEW_HAS_DRACO_JUDGE

enum { ROOM = 4 << 20 };

static uint8_t packed[ROOM], expected[ROOM], values[ROOM];
static uint32_t indices[ROOM / 4];

static void compare(const sni_draco_mesh *mesh, const draco_judged *judged, const char *title)
{
    if (mesh->point_count != draco_judge_points(judged) || mesh->face_count != draco_judge_faces(judged))
        fail_msg("%s: %u points and %u faces, not %u and %u", title, mesh->point_count, mesh->face_count,
                 draco_judge_points(judged), draco_judge_faces(judged));
    draco_judge_indices(judged, indices);
    if (memcmp(indices, mesh->indices, mesh->face_count * 3 * sizeof *indices) != 0) fail_msg("%s: indices", title);
    assert_int_equal(mesh->attribute_count, draco_judge_attributes(judged));
    for (uint32_t i = 0; i < mesh->attribute_count; i++) {
        uint32_t id, type, width;
        size_t size = draco_judge_values(judged, i, &id, &type, &width, expected, sizeof expected);
        assert_in_range(size, 1, sizeof expected);
        if (!sni_draco_read(mesh, id, (sni_draco_type)type, width, values)) fail_msg("%s: attribute %u", title, i);
        for (size_t k = 0; k < size; k++)
            if (values[k] != expected[k]) fail_msg("%s: attribute %u, byte %zu of %zu", title, i, k, size);
    }
}

// Returns false for streams that libdraco cannot decode.
static bool judge_stream(size_t size, const char *title, bool is_exact)
{
    draco_judged *judged = draco_judge_decode(packed, size);
    if (!judged) return false;
    sni_heap heap;
    sni_arena arena;
    sni_diag diag;
    sni_draco_mesh mesh;
    sni_heap_init(&heap, NULL, 64 << 20);
    sni_arena_init(&arena, &heap);
    sni_diag_init(&diag, NULL);
    heap.diag = &diag;
    sni_reader reader = sni_reader_make(packed, size, &diag, &arena);
    sni_draco_limits limits = { draco_judge_points(judged), draco_judge_faces(judged), UINT64_MAX };
    sni_draco_result result = sni_draco_decode(&reader, &limits, &arena, &mesh);
    if (result != SNI_DRACO_OK) fail_msg("%s: result %d: %s", title, (int)result, diag.error.message);
    if (is_exact && sni_rest(&reader) != 0) fail_msg("%s: %zu bytes are left", title, sni_rest(&reader));
    compare(&mesh, judged, title);
    sni_arena_free(&arena);
    draco_judge_free(judged);
    return true;
}

static void judge(const draco_soup *soup, const draco_options *options, const char *name)
{
    char title[200];
    snprintf(title, sizeof title, "%s, level %d, %d bits, %s%s%s%s%s%s", name, options->level, options->bits,
             soup->normals ? "all" : "positions", options->is_sequential ? ", sequential" : "",
             options->splits_at_seams ? ", split" : "", options->is_order_kept ? ", not merged" : "",
             options->has_plain_entropy ? ", plain" : "", options->traversal == 2 ? ", valences" : "");
    size_t size = draco_judge_encode(soup, options, packed, sizeof packed);
    if (size == 0 || !judge_stream(size, title, true)) fail_msg("%s: libdraco fails", title);
}

static void all_levels(void **state)
{
    (void)state;
    static const int bits[] = { 0, 5, 11, 16 };
    for (int shape = 0; shape < DRACO_SHAPES; shape++) {
        for (int level = 0; level <= 10; level++) {
            for (int i = (shape + level) % (int)random_step(); i < 8; i += (int)random_step()) {
                draco_soup soup = draco_shape(shape, i >= 4);
                judge(&soup, &(draco_options){ .level = level, .bits = bits[i % 4] }, draco_shape_name(shape));
            }
        }
    }
}

static void all_options(void **state)
{
    (void)state;
    for (int shape = 0; shape < DRACO_SHAPES; shape++) {
        for (int i = 0; i < 64; i += (int)random_step()) {
            draco_soup soup = draco_shape(shape, i & 1);
            draco_options options = {
                .level = i & 2 ? 7 : 3,
                .bits = 12,
                .is_sequential = i & 4,
                .splits_at_seams = i & 8,
                .is_order_kept = i & 16,
                .has_plain_entropy = i & 32,
                .has_metadata = i % 3 == 0,
                .has_packed_indices = i & 16,
                .traversal = i & 4 ? 0 : i % 3,
            };
            judge(&soup, &options, draco_shape_name(shape));
        }
    }
}

// More points than 16 bits can number, and tables for symbols that pay off.
static void large_mesh(void **state)
{
    (void)state;
    static const draco_options options[] = {
        { .level = 0, .bits = 16, .is_order_kept = true, .is_sequential = true },
        { .level = 7, .bits = 16, .traversal = 1 },
        { .level = 10, .bits = 20, .traversal = 2 },
    };
    draco_soup soup = draco_shape(DRACO_LARGE_SHAPE, true);
    for (int i = 0; i < 3; i++) judge(&soup, &options[i], draco_shape_name(DRACO_LARGE_SHAPE));
}

// The streams of the corpus, where it is; they begin somewhere in a buffer.
static void corpus_streams(void **state)
{
    (void)state;
    static const char *const names[] = {
        "gltf-transform/0.bin",
        "gltf-transform/DracoSparseMesh.bin",
        "sample-assets/Box/glTF-Draco/Box.bin",
        "sample-assets/RiggedSimple/glTF-Draco/RiggedSimple0.bin",
        "sample-assets/MorphPrimitivesTest/glTF-Draco/MorphPrimitivesTest.bin",
    };
    static uint8_t buffer[ROOM];
    const char *shared = getenv("SINEW_SHARED");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/corpus/gltf/%s", shared ? shared : SINEW_SHARED, names[i]);
        FILE *file = fopen(path, "rb");
        if (!file) skip();
        size_t size = fread(buffer, 1, sizeof buffer, file), streams = 0;
        fclose(file);
        for (size_t at = 0; at + 5 < size; at++) {
            if (memcmp(buffer + at, "DRACO", 5) != 0) continue;
            memcpy(packed, buffer + at, size - at);
            streams += judge_stream(size - at, names[i], false);
        }
        assert_true(streams > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_levels),
        cmocka_unit_test(all_options),
        cmocka_unit_test(large_mesh),
        cmocka_unit_test(corpus_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    printf("libdraco was not found (Debian: libdraco-dev)\n");
    return 77;
}

#endif
