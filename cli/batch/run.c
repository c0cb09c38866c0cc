// Runs a plan: threads take items from a queue, the main thread reports them in order.
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "batch.h"

enum { BAR_COLUMNS = 30, BAR_LEAST = 4, TICK_NS = 100000000, PATIENCE_NS = 500000000, SECOND_NS = 1000000000 };

typedef struct cli_queue {
    const cli_plan *plan;
    pthread_mutex_t mutex;  // guards what follows
    pthread_cond_t finished;
    uint32_t next, done, working;  // working: threads that may still take items
    bool *is_done;                 // per item
} cli_queue;

typedef struct cli_thread {
    cli_queue *queue;
    cli_worker *worker;
    pthread_t thread;
} cli_thread;

void cli_worker_init(cli_worker *worker)
{
    worker->user = NULL;
    sni_diag_init(&worker->diag, NULL);
    sni_heap_init(&worker->heap, NULL, UINT64_MAX);
    worker->heap.diag = &worker->diag;
    sni_arena_init(&worker->arena, &worker->heap);
}

void cli_item_fail(cli_item *item, const char *culprit, const sn_error *error)
{
    item->outcome = CLI_FAILED;
    item->culprit = culprit;
    item->error = *error;
    item->code = cli_exit_of(error->status);
}

bool cli_is_disk_full(const sn_error *error)
{
    const int reason = error->status == SN_ERR_IO ? error->os_error : 0;
    return reason == ENOSPC || reason == EDQUOT || reason == EROFS || reason == EFBIG;
}

// Several files give 1 when any failed, unless memory ran out or there is no OpenGL, which is not about those files.
int cli_plan_exit_code(const cli_plan *plan)
{
    int code = CLI_EXIT_OK;
    for (uint32_t i = 0; i < plan->items.count; i++) {
        const cli_item *item = &cli_plan_items(plan)[i];
        if (item->outcome != CLI_FAILED) continue;
        if (item->code == CLI_EXIT_MEMORY || item->code == CLI_EXIT_NO_GRAPHICS) return item->code;
        code = plan->is_batch ? CLI_EXIT_FINDINGS : item->code;
    }
    return code;
}

static void *work(void *user)
{
    cli_thread *thread = user;
    cli_queue *queue = thread->queue;
    pthread_mutex_lock(&queue->mutex);
    while (queue->next < queue->plan->items.count && !cli_stop_wanted(&queue->plan->session->stop)) {
        uint32_t index = queue->next++;
        pthread_mutex_unlock(&queue->mutex);
        queue->plan->work(queue->plan, &cli_plan_items(queue->plan)[index], thread->worker);
        pthread_mutex_lock(&queue->mutex);
        queue->is_done[index] = true;
        queue->done++;
        pthread_cond_signal(&queue->finished);
    }
    queue->working--;
    pthread_cond_signal(&queue->finished);
    pthread_mutex_unlock(&queue->mutex);
    return NULL;
}

static struct timespec now(void)
{
    struct timespec time = { 0 };
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time;
}

static struct timespec later(struct timespec time, long nanoseconds)
{
    time.tv_nsec += nanoseconds;
    time.tv_sec += time.tv_nsec / SECOND_NS;
    time.tv_nsec %= SECOND_NS;
    return time;
}

void cli_progress_init(cli_progress *progress, bool is_enabled)
{
    *progress = (cli_progress){ now(), is_enabled && cli_can_erase(), false };
}

// A line that is too long cannot be erased. One column is left free: some terminals wrap when the last one is written.
static int terminal_columns(void)
{
    struct winsize size = { 0 };
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void cli_progress_show(cli_progress *progress, uint32_t done, uint32_t count)
{
    if (!progress->is_enabled || cli_is_later(later(progress->start, PATIENCE_NS), now())) return;
    char text[48], bar[BAR_COLUMNS + 1];
    int size = snprintf(text, sizeof text, "%u of %u", done, count), room = terminal_columns() - size - 4;
    int columns = room < BAR_COLUMNS ? room : BAR_COLUMNS;
    if (columns < BAR_LEAST) columns = 0;
    memset(bar, '.', sizeof bar);
    memset(bar, '#', (size_t)((uint64_t)done * (uint64_t)columns / (count ? count : 1)));
    if (columns > 0) fprintf(stderr, "\r\x1b[K[%.*s] %s", columns, bar, text);
    else fprintf(stderr, "\r\x1b[K%s", text);
    fflush(stderr);
    progress->is_shown = true;
}

void cli_progress_clear(cli_progress *progress)
{
    if (progress->is_shown) fputs("\r\x1b[K", stderr);
    progress->is_shown = false;
}

// Waits for item `index`, with the mutex held. It may stay undone when the run ends early.
static void await(cli_queue *queue, uint32_t index, cli_progress *progress)
{
    while (!queue->is_done[index] && queue->working > 0) {
        struct timespec tick = later(now(), TICK_NS);
        pthread_cond_timedwait(&queue->finished, &queue->mutex, &tick);
        cli_progress_show(progress, queue->done, queue->plan->items.count);
    }
}

static void report_in_order(cli_queue *queue, cli_progress *progress, cli_finished finished, void *user)
{
    for (uint32_t i = 0; i < queue->plan->items.count; i++) {
        pthread_mutex_lock(&queue->mutex);
        await(queue, i, progress);
        bool is_done = queue->is_done[i];
        pthread_mutex_unlock(&queue->mutex);
        if (is_done) finished(user, &cli_plan_items(queue->plan)[i]);
    }
    cli_progress_clear(progress);
}

static void queue_init(cli_queue *queue, const cli_plan *plan, bool *is_done)
{
    pthread_condattr_t attributes;
    *queue = (cli_queue){ .plan = plan, .is_done = is_done };
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->finished, &attributes);
    pthread_condattr_destroy(&attributes);
}

// When no thread can be created, or there is no memory for them, this thread does the work.
static void run_alone(const cli_plan *plan, cli_worker *worker, cli_finished finished, void *user)
{
    for (uint32_t i = 0; i < plan->items.count && !cli_stop_wanted(&plan->session->stop); i++) {
        plan->work(plan, &cli_plan_items(plan)[i], worker);
        finished(user, &cli_plan_items(plan)[i]);
    }
}

void cli_plan_run(const cli_plan *plan, cli_worker *workers, cli_progress *progress, cli_finished finished, void *user)
{
    bool *is_done = sni_new(plan->arena, bool, plan->items.count);
    cli_thread *threads = sni_new(plan->arena, cli_thread, plan->jobs);
    uint32_t started = 0;
    cli_queue queue;
    queue_init(&queue, plan, is_done);
    atomic_store(&plan->session->stop.is_batch, plan->is_batch);
    for (uint32_t i = 0; is_done && threads && plan->is_batch && i < plan->jobs && i < plan->items.count; i++) {
        threads[started] = (cli_thread){ .queue = &queue, .worker = &workers[i] };
        pthread_mutex_lock(&queue.mutex);
        if (pthread_create(&threads[started].thread, NULL, work, &threads[started]) == 0) started++, queue.working++;
        pthread_mutex_unlock(&queue.mutex);
    }
    if (started > 0) report_in_order(&queue, progress, finished, user);
    else run_alone(plan, &workers[0], finished, user);
    for (uint32_t i = 0; i < started; i++) pthread_join(threads[i].thread, NULL);
    pthread_cond_destroy(&queue.finished);
    pthread_mutex_destroy(&queue.mutex);
}
