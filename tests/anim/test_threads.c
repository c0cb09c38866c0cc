// A model may be read by any number of threads, a load shares nothing with another.
#include "check_model.h"
#include "sweep.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 8, LOADS = 1000, MOST_FILES = 32, TIMES = 25 };

typedef struct file {
    char path[512];
    uint8_t *data;
    size_t size;
    uint64_t hash;
} file;

static file files[MOST_FILES];
static int file_count;

static void add_file(const char *path)
{
    file *f = &files[file_count];
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    f->size = (size_t)ftell(in);
    rewind(in);
    f->data = malloc(f->size);
    assert_non_null(f->data);
    assert_int_equal(fread(f->data, 1, f->size, in), f->size);
    fclose(in);
    snprintf(f->path, sizeof f->path, "%s", path);
    sn_model *model = sn_load_file(path, NULL, NULL);
    assert_non_null(model);
    f->hash = sn_model_hash(model);
    sn_model_free(model);
    if (f->size < 64 << 10 && file_count + 1 < MOST_FILES) file_count++;
    else free(f->data);
}

static int find_files(void **state)
{
    (void)state;
    return sweep_folder(SINEW_SAMPLES, "gltf glb", add_file) > 0 && file_count > 0 ? 0 : -1;
}

static int free_files(void **state)
{
    (void)state;
    for (int i = 0; i < file_count; i++) free(files[i].data);
    return 0;
}

// Half by path, half from memory that all threads share, one in three of it cut short.
static void *load_many(void *user)
{
    intptr_t number = (intptr_t)user, wrong = 0;
    for (int i = 0; i < LOADS; i++) {
        const file *f = &files[(i + number) % file_count];
        sn_error error;
        if (i % 3 == 0) {
            sn_model *cut = sn_load_memory(f->data, f->size / 2, NULL, &error);
            wrong += !cut && error.status == SN_OK;
            sn_model_free(cut);
        }
        sn_model *model = sn_load_file(f->path, NULL, &error);
        wrong += !model || sn_model_hash(model) != f->hash;
        sn_model_free(model);
    }
    return (void *)wrong;
}

static void run_threads(void *(*work)(void *), void *const users[THREADS])
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, work, users[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        void *wrong = NULL;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_int_equal((intptr_t)wrong, 0);
    }
}

static void loads_do_not_meet(void **state)
{
    (void)state;
    void *users[THREADS];
    for (intptr_t i = 0; i < THREADS; i++) users[i] = (void *)i;
    run_threads(load_many, users);
}

typedef struct posing {
    const sn_model *model;
    int first;
    uint64_t sums[TIMES];
} posing;

static uint64_t sum_bytes(uint64_t sum, const void *data, size_t size)
{
    for (size_t i = 0; i < size; i++) sum = (sum ^ ((const uint8_t *)data)[i]) * 1099511628211u;
    return sum;
}

static uint64_t pose_sum(const sn_model *model, sn_pose *pose, int time)
{
    uint64_t sum = 14695981039346656037u;
    for (int32_t clip = -1; clip < (int32_t)model->clip_count; clip++) {
        sn_pose_sample(pose, clip, 0.1f * (float)time, 0.3f * (float)time);
        sn_pose_solve(pose, NULL);
        for (uint32_t i = 0; i < model->part_count; i++) {
            uint32_t count = model->meshes[model->parts[i].mesh].vertex_count;
            sn_vec3 *positions = malloc((count + 1) * sizeof *positions);
            if (!positions) abort();
            sn_skin_part(pose, (int32_t)i, positions, NULL, NULL);
            sum = sum_bytes(sum, positions, count * sizeof *positions);
            free(positions);
        }
    }
    return sum;
}

// The times in another order for each thread: what came before must not matter.
static void *pose_many(void *user)
{
    posing *p = user;
    sn_pose *pose = sn_pose_create(p->model, NULL, NULL);
    if (!pose) return (void *)1;
    for (int i = 0; i < TIMES; i++) {
        int time = (p->first + i * 7) % TIMES;
        p->sums[time] = pose_sum(p->model, pose, time);
    }
    sn_pose_free(pose);
    return NULL;
}

static void one_model_is_posed_by_many(void **state)
{
    (void)state;
    for (int f = 0; f < file_count; f++) {
        sn_model *model = sn_load_file(files[f].path, NULL, NULL);
        assert_non_null(model);
        posing serial = { model, 0, { 0 } }, parallel[THREADS];
        assert_null(pose_many(&serial));
        void *users[THREADS];
        for (int i = 0; i < THREADS; i++) parallel[i] = (posing){ model, i, { 0 } }, users[i] = &parallel[i];
        run_threads(pose_many, users);
        for (int i = 0; i < THREADS; i++) assert_memory_equal(parallel[i].sums, serial.sums, sizeof serial.sums);
        sn_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_do_not_meet),
        cmocka_unit_test(one_model_is_posed_by_many),
    };
    return cmocka_run_group_tests(tests, find_files, free_files);
}
