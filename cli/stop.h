// Runs that end early. Ctrl-C: a batch takes no more files, writes its summary and report, and ends by the signal; any
// other run ends when the files that it is just writing are whole. Neither leaves unfinished files. A full disk ends a
// batch too.
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct cli_stop {
    pthread_rwlock_t writing;  // held by all who write
    atomic_bool is_stopping;   // a signal came
    atomic_bool is_batch;      // the run ends by itself then, within seconds
    atomic_bool is_ending;     // the process ends by the signal when all files are whole
    atomic_bool is_over;
    atomic_bool is_full;  // nothing more can be written
    atomic_int number;    // the signal
    sigset_t signals;     // those that end the process; blocked in all its threads
    pthread_t watcher;
    bool has_watcher;
} cli_stop;

void cli_stop_init(cli_stop *stop);   // before any other thread is created
void cli_stop_watch(cli_stop *stop);  // from now on
int cli_stop_free(cli_stop *stop);    // the signal that stopped the batch, which the caller raises; or 0

// Whether a batch should take another file.
static inline bool cli_stop_wanted(cli_stop *stop)
{
    return atomic_load(&stop->is_stopping) || atomic_load(&stop->is_full);
}

// Around each file that is written; not for "-", whose reader may never read. `begin` does not return when the process
// is ending.
void cli_stop_begin_writing(cli_stop *stop, const char *path);
void cli_stop_end_writing(cli_stop *stop, const char *path);

#endif
