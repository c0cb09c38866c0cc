// Mesa's software driver uses one thread per processor and wakes all of them at once. Linux tends to keep them on the
// processor that woke them, where they wait for each other: on two processors pictures took 1.8 times as long. The tool
// therefore pins each driver thread to a processor. The library does not, because it must not change its host process.
#define _GNU_SOURCE  // sched_setaffinity
#include "render.h"

#ifdef __linux__
#    include <dirent.h>
#    include <sched.h>
#    include <stdlib.h>
#    include <string.h>

static const char prefix[] = "llvmpipe-";
enum { NAME_BYTES = 64 };

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
static void pin_thread(const char *task, const cpu_set_t *allowed)
{
    char path[NAME_BYTES];
    sn_bytes name;
    cpu_set_t one;
    if (snprintf(path, sizeof path, "/proc/self/task/%s/comm", task) >= (int)sizeof path) return;
    if (sn_file_read(path, NAME_BYTES, NULL, &name, NULL) != SN_OK) return;
    if (name.size > sizeof prefix && memcmp(name.data, prefix, sizeof prefix - 1) == 0) {
        unsigned long number = 0;
        for (size_t i = sizeof prefix - 1; i < name.size && name.data[i] >= '0' && name.data[i] <= '9'; i++)
            number = number * 10 + (name.data[i] - (unsigned long)'0');
        if (pick_processor(allowed, number, &one)) sched_setaffinity((pid_t)atoi(task), sizeof one, &one);
    }
    sn_bytes_free(&name);
}

void cli_pin_driver_threads(const sn_renderer *renderer)
{
    cpu_set_t allowed;
    if (!strstr(sn_renderer_name(renderer), "llvmpipe")) return;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks && (task = readdir(tasks));) pin_thread(task->d_name, &allowed);
    if (tasks) closedir(tasks);
}
#else
void cli_pin_driver_threads(const sn_renderer *renderer) { (void)renderer; }
#endif
