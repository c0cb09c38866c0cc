// Affinity of the software driver's threads: the library leaves it alone, the tool pins each thread.
#define _GNU_SOURCE
#include "shoot.h"

#include "cli/render/render.h"

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

typedef struct affinity {
    int threads, pinned;
    cpu_set_t all;  // of all driver threads
} affinity;

static affinity read_affinity(void)
{
    affinity found = { 0 };
    cpu_set_t one;
    CPU_ZERO(&found.all);
    DIR *tasks = opendir("/proc/self/task");
    for (const struct dirent *entry; tasks && (entry = readdir(tasks));) {
        if (!is_drawing_thread(entry->d_name)) continue;
        assert_int_equal(sched_getaffinity(atoi(entry->d_name), sizeof one, &one), 0);
        CPU_OR(&found.all, &found.all, &one);
        found.threads++;
        found.pinned += CPU_COUNT(&one) == 1;
    }
    if (tasks) closedir(tasks);
    return found;
}

static sn_renderer *create_renderer(void)
{
    sn_error error;
    sn_renderer *renderer = sn_renderer_create(NULL, &error);
    if (!renderer) print_message("%s\n", error.message), skip();
    return renderer;
}

static void the_library_pins_no_thread(void **state)
{
    (void)state;
    cpu_set_t own;
    assert_int_equal(sched_getaffinity(0, sizeof own, &own), 0);
    sn_renderer *renderer = create_renderer();
    affinity found = read_affinity();
    if (found.threads > 0) assert_true(CPU_EQUAL(&found.all, &own));
    if (CPU_COUNT(&own) > 1) assert_int_equal(found.pinned, 0);
    sn_renderer_free(renderer);
}

static void the_tool_pins_each_driver_thread(void **state)
{
    (void)state;
    cpu_set_t before, after;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    sn_renderer *renderer = create_renderer();
    cli_pin_driver_threads(renderer);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after));  // the program's own threads are not pinned
    affinity found = read_affinity();
    int processors = CPU_COUNT(&before), expected = found.threads < processors ? found.threads : processors;
    if (processors > 1) {
        assert_int_equal(found.pinned, found.threads);
        assert_int_equal(CPU_COUNT(&found.all), expected);
    }
    if (found.threads == 0) print_message("skipped: not a software driver\n");
    sn_renderer_free(renderer);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_library_pins_no_thread),
                                        cmocka_unit_test(the_tool_pins_each_driver_thread) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) { return 0; }
#endif
