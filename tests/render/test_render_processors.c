// Threads of the software driver: each draws on a processor of its own.
#define _GNU_SOURCE
#include "shoot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef __linux__
#    include <dirent.h>
#    include <sched.h>

static bool is_drawing_thread(const char *task)
{
    char path[64], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%.20s/comm", task);
    FILE *file = fopen(path, "r");
    bool is_read = file && fgets(name, sizeof name, file);
    if (file) fclose(file);
    return is_read && strncmp(name, "llvmpipe-", 9) == 0;
}

static void each_thread_has_its_processor(void **state)
{
    (void)state;
    sn_error error;
    cpu_set_t before, after, all, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    sn_renderer *renderer = sn_renderer_create(NULL, &error);
    if (!renderer) fail_msg("%s", error.message);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after));  // the program's own threads go where they like
    DIR *tasks = opendir("/proc/self/task");
    int found = 0;
    CPU_ZERO(&all);
    for (const struct dirent *entry; tasks && (entry = readdir(tasks));) {
        if (!is_drawing_thread(entry->d_name)) continue;
        assert_int_equal(sched_getaffinity(atoi(entry->d_name), sizeof one, &one), 0);
        if (CPU_COUNT(&before) > 1) assert_int_equal(CPU_COUNT(&one), 1);
        CPU_OR(&all, &all, &one);
        found++;
    }
    if (tasks) closedir(tasks);
    int processors = CPU_COUNT(&before), wanted = found < processors ? found : processors;
    if (CPU_COUNT(&before) > 1) assert_int_equal(CPU_COUNT(&all), wanted);
    if (found == 0) print_message("skipped: this driver does not draw in software\n");
    sn_renderer_free(renderer);
}
#else
static void each_thread_has_its_processor(void **state) { (void)state; }
#endif

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_thread_has_its_processor) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
