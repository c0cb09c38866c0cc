// Draco streams: what decodes keeps its promises, with the counts that it has, and not with others.
//
//     build/asan/fuzz_draco -max_len=4096 CORPUS fuzz/seeds/draco
#include <stdlib.h>

#include "draco/draco.h"

static sni_draco_result decode(const uint8_t *data, size_t size, sni_draco_limits limits, sni_arena *arena,
                               sni_draco_mesh *mesh)
{
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    arena->heap->diag = &diag;
    sni_reader reader = sni_reader_make(data, size, &diag, arena);
    sni_draco_result result = sni_draco_decode(&reader, &limits, arena, mesh);
    arena->heap->diag = NULL;
    if (sni_failed(&diag) != (result == SNI_DRACO_FAILED)) abort();
    return result;
}

static void check_mesh(const sni_draco_mesh *mesh, sni_arena *arena)
{
    static const sni_draco_type types[] = { SNI_DRACO_INT8,  SNI_DRACO_UINT8,  SNI_DRACO_INT16,  SNI_DRACO_UINT16,
                                            SNI_DRACO_INT32, SNI_DRACO_UINT32, SNI_DRACO_FLOAT32 };
    for (uint64_t i = 0; i < (uint64_t)mesh->face_count * 3; i++)
        if (mesh->indices[i] >= mesh->point_count) abort();
    void *out = sni_alloc(arena, 64, mesh->point_count);
    for (uint32_t id = 0; id < 8 && out; id++)
        for (uint32_t width = 1; width <= 4; width++)
            for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) sni_draco_read(mesh, id, types[i], width, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const sni_draco_limits open = { UINT32_MAX, UINT32_MAX, 64 << 20 };
    sni_heap heap;
    sni_arena arena;
    sni_draco_mesh mesh, again;
    sni_heap_init(&heap, NULL, (16u << 20) + 32 * (uint64_t)size);
    sni_arena_init(&arena, &heap);
    if (decode(data, size, open, &arena, &mesh) == SNI_DRACO_OK) {
        check_mesh(&mesh, &arena);
        sni_draco_limits limits = { mesh.point_count, mesh.face_count, open.work_bytes };
        sni_arena_free(&arena);
        if (decode(data, size, limits, &arena, &again) != SNI_DRACO_OK) abort();
        limits.point_count++;
        if (decode(data, size, limits, &arena, &again) != SNI_DRACO_DISAGREES) abort();
        limits.point_count--;
        limits.face_count++;
        if (decode(data, size, limits, &arena, &again) != SNI_DRACO_DISAGREES) abort();
    }
    sni_arena_free(&arena);
    if (heap.used != 0) abort();
    return 0;
}
