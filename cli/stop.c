#include "stop.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

void cli_stop_init(cli_stop *stop)
{
    *stop = (cli_stop){ .has_watcher = false };
    pthread_rwlock_init(&stop->writing, NULL);
    sigemptyset(&stop->signals);
}

// Whether the batch has ended by itself. A model on a pipe may never come: it has a few seconds.
static bool await_batch(cli_stop *stop)
{
    const struct timespec tick = { 0, 10000000 };
    for (int i = 0; i < 300 && atomic_load(&stop->is_batch) && !atomic_load(&stop->is_over); i++)
        nanosleep(&tick, NULL);
    return atomic_load(&stop->is_batch) && atomic_load(&stop->is_over);
}

// SIGUSR1 ends the watcher itself when all is done. A second signal ends the process at once.
static void *watch(void *user)
{
    cli_stop *stop = user;
    sigset_t fatal = stop->signals;
    int number;
    if (sigwait(&stop->signals, &number) != 0 || atomic_load(&stop->is_over)) return NULL;
    atomic_store(&stop->number, number);
    atomic_store(&stop->is_stopping, true);
    sigdelset(&fatal, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &fatal, NULL);
    if (await_batch(stop)) return NULL;
    atomic_store(&stop->is_ending, true);
    pthread_rwlock_wrlock(&stop->writing);
    raise(number);
    return NULL;
}

// A signal that the caller ignores, as nohup does, stays ignored. Without a watcher signals end the process as usual.
void cli_stop_watch(cli_stop *stop)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction action;
    for (int i = 0; i < 3; i++)
        if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler == SIG_DFL)
            sigaddset(&stop->signals, numbers[i]);
    sigaddset(&stop->signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &stop->signals, NULL);
    stop->has_watcher = pthread_create(&stop->watcher, NULL, watch, stop) == 0;
    if (!stop->has_watcher) pthread_sigmask(SIG_UNBLOCK, &stop->signals, NULL);
}

int cli_stop_free(cli_stop *stop)
{
    if (stop->has_watcher) {
        atomic_store(&stop->is_over, true);
        if (!atomic_load(&stop->is_stopping)) pthread_kill(stop->watcher, SIGUSR1);
        pthread_join(stop->watcher, NULL);
        sigdelset(&stop->signals, SIGUSR1);
        pthread_sigmask(SIG_UNBLOCK, &stop->signals, NULL);
    }
    pthread_rwlock_destroy(&stop->writing);
    return atomic_load(&stop->number);
}

void cli_stop_begin_writing(cli_stop *stop, const char *path)
{
    if (strcmp(path, "-") == 0) return;
    while (atomic_load(&stop->is_ending)) pause();  // readers must not keep the watcher waiting
    pthread_rwlock_rdlock(&stop->writing);
}

void cli_stop_end_writing(cli_stop *stop, const char *path)
{
    if (strcmp(path, "-") != 0) pthread_rwlock_unlock(&stop->writing);
}
