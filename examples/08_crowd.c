// Animates a thousand instances of a model in two threads: 08_crowd FILE
//
// Each instance is 20 bytes; their palettes lie one after the other, ready for one upload.
#include <pthread.h>
#include <sinew/runtime.h>
#include <stdio.h>
#include <stdlib.h>

enum { INSTANCES = 1000, WORKERS = 2 };

typedef struct job {
    sn_crowd *crowd;
    const sn_crowd_instance *instances;
    sn_mat34 *palettes;
    uint32_t worker, palette_stride;
    float clock;
} job;

// One half of the crowd. All pointers are to its first instance.
static void *animate(void *user)
{
    const job *j = user;
    uint32_t count = INSTANCES / WORKERS, first = j->worker * count;
    sn_crowd_output output = { .palettes = j->palettes + (size_t)first * j->palette_stride };
    sn_crowd_palettes(j->crowd, j->worker, j->instances + first, count, j->clock, &output);
    return NULL;
}

int main(int argc, char **argv)
{
    sn_error error;
    sn_model *model = argc > 1 ? sn_load_file(argv[1], NULL, &error) : NULL;
    sn_motion *motion = model ? sn_motion_create(model, NULL, &error) : NULL;
    sn_crowd *crowd = motion ? sn_crowd_create(motion, WORKERS, NULL, &error) : NULL;
    if (!crowd) return fprintf(stderr, "%s\n", argc > 1 ? error.message : "usage: 08_crowd FILE"), 1;

    uint32_t joints = 0;
    for (uint32_t i = 0; i < model->skin_count; i++) joints += model->skins[i].joint_count;
    sn_mat34 *palettes = calloc((size_t)INSTANCES * joints + 1, sizeof *palettes);
    sn_crowd_instance instances[INSTANCES];
    if (!palettes) return 1;

    for (int frame = 0; frame < 3; frame++) {
        float clock = (float)frame * 0.1f;
        for (int32_t i = 0; i < INSTANCES; i++)  // all at their own time, some changing from one clip to another
            instances[i] = (sn_crowd_instance){ .clip = i % (int32_t)(model->clip_count + 1) - 1,
                                                .previous = i % 3 ? -1 : 0,
                                                .seconds = clock + (float)i * 0.01f,
                                                .previous_seconds = clock,
                                                .fade = i % 3 ? 1 : 0.25f };
        job jobs[WORKERS];
        pthread_t threads[WORKERS];
        for (uint32_t i = 0; i < WORKERS; i++) {
            jobs[i] = (job){ crowd, instances, palettes, i, joints, clock };
            pthread_create(&threads[i], NULL, animate, &jobs[i]);
        }
        for (uint32_t i = 0; i < WORKERS; i++) pthread_join(threads[i], NULL);
        for (uint32_t i = 0; joints && i < INSTANCES; i += 333) {
            const sn_mat34 *last = &palettes[(size_t)i * joints + joints - 1];
            printf("%.1f s, instance %3u: palette of the last joint [... %7.2f %7.2f %7.2f]\n", (double)clock, i,
                   (double)last->m[0][3], (double)last->m[1][3], (double)last->m[2][3]);
        }
    }
    free(palettes);
    sn_crowd_free(crowd);
    sn_motion_free(motion);
    sn_model_free(model);
    return 0;
}
