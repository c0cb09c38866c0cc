// Ctrl-C: a run ends when the files that it is just writing are whole, so that it leaves no unfinished ones.
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct cli_stop {
    pthread_rwlock_t writing;  // held by all who write
    atomic_bool is_stopping, is_over;
    sigset_t signals;  // those that end the process; blocked in all its threads
    pthread_t watcher;
    bool has_watcher;
} cli_stop;

void cli_stop_init(cli_stop *stop);   // before any other thread is created
void cli_stop_watch(cli_stop *stop);  // from now on
void cli_stop_free(cli_stop *stop);

// Around each file that is written; not for "-", whose reader may never read. `begin` does not return when the run is
// ending.
void cli_stop_begin_writing(cli_stop *stop, const char *path);
void cli_stop_end_writing(cli_stop *stop, const char *path);

#endif
