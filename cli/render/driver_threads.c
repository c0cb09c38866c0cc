// Mesa's software driver uses one thread per processor and wakes all of them at once. Linux tends to keep them on the
// processor that woke them, where they wait for each other: on two processors pictures took 1.8 times as long. The tool
// therefore pins each driver thread to a processor. The library does not, because it must not change its host process.
#define _GNU_SOURCE  // sched_setaffinity
#include "render.h"

#ifdef __linux__
#    include <sched.h>
#    include <stdlib.h>
#    include <string.h>

#    include "io/file.h"

static const char prefix[] = "llvmpipe-";
enum { THREADS_MAX = 1024, NAME_BYTES = 64 };

// The n-th processor in the set, modulo their number. False: fewer than two.
static bool pick_processor(const cpu_set_t *allowed, unsigned long n, cpu_set_t *one)
{
    int count = CPU_COUNT(allowed);
    if (count < 2) return false;
    unsigned long left = n % (unsigned long)count;
    for (size_t i = 0; i < CPU_SETSIZE; i++) {
        if (!CPU_ISSET(i, allowed) || left-- > 0) continue;
        CPU_ZERO(one);
        CPU_SET(i, one);
        return true;
    }
    return false;
}

// Driver threads are named llvmpipe-0, llvmpipe-1 and so on.
static void pin_thread(const char *task, const cpu_set_t *allowed, sni_arena *arena)
{
    char path[NAME_BYTES];
    sni_diag diag;
    sni_bytes name;
    cpu_set_t one;
    sni_diag_init(&diag, NULL);
    if (snprintf(path, sizeof path, "/proc/self/task/%s/comm", task) >= (int)sizeof path) return;
    if (!sni_file_read(path, NAME_BYTES, arena, &diag, &name) || name.size <= sizeof prefix) return;
    if (memcmp(name.data, prefix, sizeof prefix - 1) != 0) return;
    unsigned long number = 0;
    for (size_t i = sizeof prefix - 1; i < name.size && name.data[i] >= '0' && name.data[i] <= '9'; i++)
        number = number * 10 + (name.data[i] - (unsigned long)'0');
    if (pick_processor(allowed, number, &one)) sched_setaffinity((pid_t)atoi(task), sizeof one, &one);
}

void cli_pin_driver_threads(const sn_renderer *renderer)
{
    sni_diag diag;
    sni_heap heap;
    sni_arena arena;
    sni_list tasks = { 0 };
    cpu_set_t allowed;
    if (!strstr(sn_renderer_name(renderer), "llvmpipe")) return;
    sni_diag_init(&diag, NULL);
    sni_heap_init(&heap, NULL, UINT64_MAX);
    sni_arena_init(&arena, &heap);
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 &&
        sni_folder_list("/proc/self/task", THREADS_MAX, &arena, &diag, &tasks))
        for (uint32_t i = 0; i < tasks.count; i++)
            pin_thread(((const sni_folder_entry *)tasks.items)[i].name, &allowed, &arena);
    sni_arena_free(&arena);
}
#else
void cli_pin_driver_threads(const sn_renderer *renderer) { (void)renderer; }
#endif
