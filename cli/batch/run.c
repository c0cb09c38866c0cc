// Runs a plan: threads take items from a queue, the main thread reports them in order.
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
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
        if (item->outcome == CLI_EMPTY && plan->is_batch && code == CLI_EXIT_OK) code = CLI_EXIT_FINDINGS;
        if (item->outcome != CLI_FAILED) continue;
        if (item->code == CLI_EXIT_MEMORY || item->code == CLI_EXIT_NO_GRAPHICS) return item->code;
        code = plan->is_batch ? CLI_EXIT_FINDINGS : item->code;
    }
    return code;
}

// Parts: a W3D skeleton or animation that a model of the batch has opened needs no output of its own.

typedef struct part {
    const sn_archive *archive;  // NULL: on disk
    const char *name;
    const cli_item *into;  // the first in the list
    bool has_clips;        // its animations are in the other model, too
} part;

static void parts_init(cli_parts *parts)
{
    *parts = (cli_parts){ .items = { 0 } };
    pthread_mutex_init(&parts->mutex, NULL);
    sni_diag_init(&parts->diag, NULL);
    sni_heap_init(&parts->heap, NULL, UINT64_MAX);
    parts->heap.diag = &parts->diag;
    sni_arena_init(&parts->arena, &parts->heap);
}

static void parts_free(cli_parts *parts)
{
    sni_arena_free(&parts->arena);
    pthread_mutex_destroy(&parts->mutex);
}

static part *parts_find(const cli_parts *parts, uint32_t hash, const sn_archive *archive, const char *name)
{
    for (sni_map_cursor at = sni_map_find(&parts->map, hash); sni_map_next(&parts->map, &at);) {
        part *found = &((part *)parts->items.items)[at.item];
        if (found->archive == archive && strcmp(found->name, name) == 0) return found;
    }
    return NULL;
}

static void parts_add(cli_parts *parts, const cli_joined *joined, const cli_item *into, bool has_clips)
{
    const uint32_t hash = sni_hash(joined->name, strlen(joined->name));
    part *known = parts_find(parts, hash, joined->archive, joined->name);
    if (known && (has_clips > known->has_clips || (has_clips == known->has_clips && into < known->into)))
        known->has_clips = has_clips, known->into = into;
    if (known) return;
    const char *name = sni_copy_text(&parts->arena, joined->name, strlen(joined->name));
    part *added = name ? sni_push(&parts->arena, &parts->items, part) : NULL;
    if (!added) return;
    *added = (part){ joined->archive, name, into, has_clips };
    sni_map_add(&parts->map, &parts->arena, hash, parts->items.count - 1);
}

bool cli_item_is_done(const cli_plan *plan, cli_item *item)
{
    char real[PATH_MAX];
    if (item->outcome != CLI_WAITING) return true;
    if (plan->pass == 0 || !plan->parts) return false;
    const char *name = item->input.archive ? item->input.name : realpath(item->input.path, real);
    pthread_mutex_lock(&plan->parts->mutex);
    const part *found = name ? parts_find(plan->parts, sni_hash(name, strlen(name)), item->input.archive, name) : NULL;
    const bool is_joined = found && (found->has_clips || plan->pass == CLI_PASSES - 1);
    if (is_joined) item->into = found->into->in;
    pthread_mutex_unlock(&plan->parts->mutex);
    if (is_joined) item->outcome = CLI_JOINED;
    return is_joined || item->pass != plan->pass;
}

void cli_item_keep_note(cli_worker *worker, sni_list *list, const sn_warning *note)
{
    sn_warning *kept = sni_push(&worker->arena, list, sn_warning);
    const char *path = sni_copy_text(&worker->arena, note->path, strlen(note->path));
    const char *message = sni_copy_text(&worker->arena, note->message, strlen(note->message));
    if (!kept) return;
    *kept = *note;
    kept->path = path ? path : "";
    kept->message = message ? message : "";
}

bool cli_item_waits(const cli_plan *plan, cli_item *item, cli_job *job, cli_worker *worker)
{
    const sn_model *model = job->model;
    if (plan->parts && strcmp(model->format, "w3d") == 0)
        item->pass = model->part_count > 0 ? 0 : model->clip_count > 0 ? 1 : 2;
    if (item->pass > plan->pass) return true;
    if (plan->parts && sni_has_ending(item->in, "w3d")) {  // for others --shard would have to look into every file
        const bool has_clips = plan->pass == 0 && !cli_has(plan->args, CLI_OPTION_NO_ANIMS);
        pthread_mutex_lock(&plan->parts->mutex);
        for (uint32_t i = 0; i < job->joined.count; i++)
            parts_add(plan->parts, &((const cli_joined *)job->joined.items)[i], item, has_clips);
        pthread_mutex_unlock(&plan->parts->mutex);
    }
    for (uint32_t i = 0; i < model->warning_count; i++)
        cli_item_keep_note(worker, &item->warnings, &model->warnings[i]);
    const char *why = cli_job_why_empty(job);
    if (why)
        cli_item_keep_note(worker, &item->warnings,
                           &(sn_warning){ .code = SNI_WARN_EMPTY, .count = 1, .path = "", .message = why });
    item->is_empty = why != NULL;
    return false;
}

const char *cli_outcome_name(cli_outcome outcome)
{
    static const char *const names[CLI_OUTCOMES] = {
        "not_started", "converted", "skipped", "failed", "empty", "joined"
    };
    return names[outcome];
}

static const char *shown_path(sni_arena *arena, const char *path, const char *for_dash)
{
    const char *shown = cli_is_dash(path) ? for_dash : cli_escape(arena, path);
    return shown ? shown : "";
}

// Of a batch only those with `batch_code`. Escaped text is freed here, so that a long batch does not collect it.
static bool report_notes(const char *path, const char *for_dash, const char *kind, const sni_list *notes, bool is_batch,
                         int32_t batch_code)
{
    bool is_complete = true;
    cli_worker scratch;
    cli_worker_init(&scratch);
    const char *file = shown_path(&scratch.arena, path, for_dash);
    for (uint32_t i = 0; i < notes->count; i++) {
        const sn_warning *note = &((const sn_warning *)notes->items)[i];
        if (is_batch && note->code != batch_code) continue;
        const char *where = cli_escape(&scratch.arena, note->path),
                   *message = cli_escape(&scratch.arena, note->message);
        const char *times = note->count > 1 ? cli_format(&scratch.arena, " (%u times)", note->count) : "";
        is_complete = file[0] && where && message && times;
        if (!is_complete) break;
        cli_complain("%s: %s %d %s%s%s: %s%s", file, kind, note->code, sn_warning_name(note->code),
                     where[0] ? " in " : "", where, message, times);
    }
    sni_arena_free(&scratch.arena);
    return is_complete;
}

static bool has_note(const sni_list *notes, int32_t code)
{
    for (uint32_t i = 0; i < notes->count; i++)
        if (((const sn_warning *)notes->items)[i].code == code) return true;
    return false;
}

// A batch reports why models show nothing, and skeletons without which meshes are left out.
bool cli_item_report(const cli_plan *plan, const cli_item *item)
{
    if (cli_has(plan->args, CLI_OPTION_QUIET) || item->outcome == CLI_SKIPPED) return true;
    const bool lacks_skeleton = has_note(&item->warnings, SNI_WARN_W3D_SKELETON) && !item->is_empty;
    return report_notes(item->in, "<stdin>", "warning", &item->warnings, plan->is_batch,
                        lacks_skeleton ? SNI_WARN_FILE_MISSING : SNI_WARN_EMPTY) &&
           report_notes(item->out ? item->out : "", "<stdout>", "loss", &item->losses, plan->is_batch, 0);
}

cli_tally cli_plan_tally(const cli_plan *plan)
{
    cli_tally tally = { 0 };
    for (uint32_t i = 0; i < plan->items.count; i++) {
        const cli_item *item = &cli_plan_items(plan)[i];
        tally.outcomes[item->outcome]++;
        tally.warnings += item->warnings.count;
        tally.losses += item->losses.count;
    }
    return tally;
}

void cli_plan_summarize(const cli_plan *plan, const char *made)
{
    const cli_tally tally = cli_plan_tally(plan);
    const char *warnings = tally.warnings ? cli_count(plan->arena, tally.warnings, "warning", "warnings") : "";
    const char *losses = tally.losses ? cli_count(plan->arena, tally.losses, "loss", "losses") : "";
    const char *notes = cli_join(plan->arena, warnings, ", ", losses);
    const bool has_report = cli_has(plan->args, CLI_OPTION_REPORT) || cli_has(plan->args, CLI_OPTION_JSON) ||
                            plan->args->verb != CLI_CONVERT;
    if (!plan->is_batch || cli_has(plan->args, CLI_OPTION_QUIET)) return;
    fprintf(stderr, "%u %s, %u skipped, %u failed", tally.outcomes[CLI_CONVERTED], made, tally.outcomes[CLI_SKIPPED],
            tally.outcomes[CLI_FAILED]);
    if (tally.outcomes[CLI_EMPTY]) fprintf(stderr, ", %u empty", tally.outcomes[CLI_EMPTY]);
    if (tally.outcomes[CLI_JOINED]) fprintf(stderr, ", %u joined to others", tally.outcomes[CLI_JOINED]);
    if (tally.outcomes[CLI_WAITING]) fprintf(stderr, ", %u not started", tally.outcomes[CLI_WAITING]);
    fprintf(stderr, "%s%s%s\n", notes && notes[0] ? "; " : "", notes ? notes : "",
            notes && notes[0] && !has_report ? "; --report FILE lists them" : "");
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

// Items that wait for a later pass are reported then.
static void report(cli_item *item, cli_finished finished, void *user)
{
    if (item->is_reported || item->outcome == CLI_WAITING) return;
    item->is_reported = true;
    finished(user, item);
}

static void report_in_order(cli_queue *queue, cli_progress *progress, cli_finished finished, void *user)
{
    for (uint32_t i = 0; i < queue->plan->items.count; i++) {
        pthread_mutex_lock(&queue->mutex);
        await(queue, i, progress);
        bool is_done = queue->is_done[i];
        pthread_mutex_unlock(&queue->mutex);
        if (is_done) report(&cli_plan_items(queue->plan)[i], finished, user);
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
        report(&cli_plan_items(plan)[i], finished, user);
    }
}

static void run_pass(const cli_plan *plan, cli_worker *workers, cli_progress *progress, cli_finished finished,
                     void *user)
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

static bool has_waiting(const cli_plan *plan)
{
    for (uint32_t i = 0; i < plan->items.count; i++)
        if (cli_plan_items(plan)[i].outcome == CLI_WAITING) return true;
    return false;
}

void cli_plan_run(cli_plan *plan, cli_worker *workers, cli_progress *progress, cli_finished finished, void *user)
{
    cli_parts parts;
    bool has_parts = plan->is_batch && !cli_has(plan->args, CLI_OPTION_KEEP_PARTS);
    if (has_parts) parts_init(&parts);
    plan->parts = has_parts ? &parts : NULL;
    for (plan->pass = 0; plan->pass < CLI_PASSES && (plan->pass == 0 || has_waiting(plan)); plan->pass++)
        run_pass(plan, workers, progress, finished, user);
    plan->parts = NULL;
    if (has_parts) parts_free(&parts);
}
