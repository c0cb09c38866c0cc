// Mesa's software driver draws with one thread for each processor and wakes them all at once. Linux then likes to keep
// them together on the processor that woke them, where they wait for each other: measured on two processors, pictures
// took 1.8 times as long.
#define _GNU_SOURCE  // threads on processors
#include "render/render.h"

#ifdef __linux__
#    include <sched.h>
#    include <stdio.h>
#    include <stdlib.h>
#    include <string.h>

#    include "io/file.h"

static const char prefix[] = "llvmpipe-";
enum { THREADS_MAX = 1024, NAME_MAX_BYTES = 64 };

// The n-th processor that this process may use, counted around; false: none, or only one.
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

static void place_thread(const char *task, const cpu_set_t *allowed, sni_arena *arena)
{
    char path[NAME_MAX_BYTES];
    sni_diag diag;
    sni_bytes name;
    cpu_set_t one;
    sni_diag_init(&diag, NULL);
    if (snprintf(path, sizeof path, "/proc/self/task/%s/comm", task) >= (int)sizeof path) return;
    if (!sni_file_read(path, NAME_MAX_BYTES, arena, &diag, &name) || name.size <= sizeof prefix) return;
    if (memcmp(name.data, prefix, sizeof prefix - 1) != 0) return;
    unsigned long number = (unsigned long)(name.data[sizeof prefix - 1] - '0');
    for (size_t i = sizeof prefix; i < name.size && name.data[i] >= '0' && name.data[i] <= '9'; i++)
        number = number * 10 + (name.data[i] - (unsigned long)'0');
    if (pick_processor(allowed, number, &one)) sched_setaffinity((pid_t)atoi(task), sizeof one, &one);
}

void sni_spread_threads(sni_heap *heap)
{
    sni_diag diag;
    sni_arena arena;
    sni_list tasks = { 0 };
    cpu_set_t allowed;
    sni_diag_init(&diag, NULL);
    sni_arena_init(&arena, heap);
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 &&
        sni_folder_list("/proc/self/task", THREADS_MAX, &arena, &diag, &tasks))
        for (uint32_t i = 0; i < tasks.count; i++)
            place_thread(((const sni_folder_entry *)tasks.items)[i].name, &allowed, &arena);
    sni_arena_free(&arena);
}
#else
void sni_spread_threads(sni_heap *heap) { (void)heap; }
#endif
