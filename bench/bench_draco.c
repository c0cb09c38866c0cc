// bench_draco [ROUNDS]: decodes Draco streams with sinew and with libdraco in turn; the best time of each.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "draco/draco.h"
#include "draco_judge.h"
#include "draco_shapes.h"

enum { ROOM = 4 << 20 };

static uint8_t stream[ROOM], values[ROOM];
static uint32_t indices[DRACO_SHAPE_FACES * 3];

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double time_libdraco(size_t size)
{
    double start = seconds();
    draco_judged *mesh = draco_judge_decode(stream, size);
    if (!mesh) exit(1);
    draco_judge_indices(mesh, indices);
    for (uint32_t i = 0, id, type, width; i < draco_judge_attributes(mesh); i++)
        draco_judge_values(mesh, i, &id, &type, &width, values, sizeof values);
    draco_judge_free(mesh);
    return seconds() - start;
}

static double time_sinew(size_t size)
{
    static const uint32_t widths[] = { 3, 3, 2 };
    double start = seconds();
    sni_heap heap;
    sni_arena arena;
    sni_diag diag;
    sni_draco_mesh mesh;
    sni_draco_limits limits = { UINT32_MAX, UINT32_MAX, UINT64_MAX };
    sni_heap_init(&heap, NULL, 1 << 30);
    sni_arena_init(&arena, &heap);
    sni_diag_init(&diag, NULL);
    sni_reader reader = sni_reader_make(stream, size, &diag, &arena);
    if (sni_draco_decode(&reader, &limits, &arena, &mesh) != SNI_DRACO_OK) exit(1);
    for (uint32_t i = 0; i < 3; i++)
        if (!sni_draco_read(&mesh, i, SNI_DRACO_FLOAT32, widths[i], values)) exit(1);
    sni_arena_free(&arena);
    return seconds() - start;
}

int main(int count, char **args)
{
    int rounds = count > 1 ? atoi(args[1]) : 20;
    draco_soup soup = draco_shape(DRACO_LARGE_SHAPE, true);
    soup.colors = NULL, soup.joints = NULL, soup.weights = NULL;
    for (int level = 0; level <= 10; level++) {
        size_t size = draco_judge_encode(&soup, &(draco_options){ .level = level, .bits = 12 }, stream, sizeof stream);
        double best[2] = { 1e9, 1e9 };
        for (int i = 0; i < rounds * 2; i++) {
            double time = i % 2 ? time_sinew(size) : time_libdraco(size);
            if (time < best[i % 2]) best[i % 2] = time;
        }
        printf("level %2d: %6zu bytes, libdraco %5.2f ms, sinew %5.2f ms: %.2f\n", level, size, best[0] * 1e3,
               best[1] * 1e3, best[1] / best[0]);
    }
    return 0;
}
