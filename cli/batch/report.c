// The report of convert: written at the end and now and then during the run, read again by --newer, and joined by
// "sinew report merge".
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "batch.h"

static const char SCHEMA[] = "sinew.convert/2";
static const uint64_t REPORT_BYTES = (uint64_t)4 << 30;

// The same on every machine. Four lanes, since each step waits for the one before.
uint64_t cli_hash(uint64_t hash, const void *data, size_t size)
{
    const char *at = data;
    uint64_t lanes[4] = { hash, ~hash, hash + 1, hash + 2 };
    size_t left = size;
    for (; left >= 32; left -= 32, at += 32)
        for (int i = 0; i < 4; i++) lanes[i] = sni_hash_mix(lanes[i], sni_load_eight(at + i * 8));
    for (; left >= 8; left -= 8, at += 8) lanes[0] = sni_hash_mix(lanes[0], sni_load_eight(at));
    for (; left > 0; left--, at++) lanes[0] = sni_hash_mix(lanes[0], (uint8_t)*at);
    return sni_hash_mix(sni_hash_mix(sni_hash_mix(sni_hash_mix(lanes[0], lanes[1]), lanes[2]), lanes[3]), size);
}

uint64_t cli_hash_text(uint64_t hash, const char *text)
{
    const size_t size = strlen(text);
    for (size_t i = 0; i < size; i++) hash = sni_hash_mix(hash, (uint8_t)text[i]);
    return sni_hash_mix(hash, size);
}

static bool changes_outputs(cli_option option)
{
    switch (option) {
    case CLI_OPTION_SHARD:
    case CLI_OPTION_SHARDS:
    case CLI_OPTION_FILES_FROM0:
    case CLI_OPTION_JOBS:
    case CLI_OPTION_NEWER:
    case CLI_OPTION_OUTPUT:
    case CLI_OPTION_REPORT:
    case CLI_OPTION_QUIET:
    case CLI_OPTION_JSON: return false;
    default: return true;
    }
}

uint64_t cli_args_hash(const cli_args *args)
{
    uint64_t hash = cli_hash_text(cli_hash_text(0, SN_VERSION), cli_verbs[args->verb].name);
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        if (!cli_options[i].value && cli_has(args, (cli_option)i) && changes_outputs((cli_option)i))
            hash = cli_hash_text(hash, cli_options[i].name);
    for (uint32_t i = 0; i < args->given_count; i++)
        if (changes_outputs(args->given[i].option))
            hash = cli_hash_text(cli_hash_text(hash, cli_options[args->given[i].option].name), args->given[i].value);
    return hash;
}

uint64_t cli_file_hash(const char *path, sn_error *error)
{
    sn_bytes bytes;
    if (sn_file_read(path, REPORT_BYTES, NULL, &bytes, error) != SN_OK) return 0;
    const uint64_t hash = cli_hash(0, bytes.data, bytes.size);
    sn_bytes_free(&bytes);
    return hash ? hash : 1;
}

// Writing

static void put_hash(sni_json_writer *json, const char *key, uint64_t hash)
{
    char text[17];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    cli_json_text(json, key, text);
}

static void put_item(sni_json_writer *json, const cli_item *item, cli_outcome outcome)
{
    const bool is_over = outcome != CLI_WAITING;
    sni_json_begin_object(json);
    cli_json_integer(json, "index", item->index);
    cli_json_text(json, "in", item->in);
    sni_json_key(json, "out");
    if (item->out && outcome != CLI_JOINED) sni_json_put_text(json, item->out);
    else sni_json_put_raw(json, "null");
    cli_json_text(json, "status", cli_outcome_name(outcome));
    if (outcome == CLI_JOINED) cli_json_text(json, "into", item->into);
    cli_json_error(json, is_over ? &item->error : &(sn_error){ .status = SN_OK }, item->culprit);
    cli_json_warnings(json, "warnings", item->warnings.items, is_over ? item->warnings.count : 0);
    cli_json_warnings(json, "losses", item->losses.items, is_over ? item->losses.count : 0);
    cli_json_integer(json, "bytes", is_over ? (int64_t)item->bytes : 0);
    if (is_over && item->input_hash) put_hash(json, "input_hash", item->input_hash);
    if (is_over && item->output_hash) put_hash(json, "output_hash", item->output_hash);
    sni_json_end(json);
}

// What all reports begin with; the shard is counted from 1.
static void put_head(sni_json_writer *json, cli_shard shard, uint32_t list_count, const char *list_hash,
                     const int64_t counts[CLI_OUTCOMES])
{
    sni_json_begin_object(json);
    cli_json_text(json, "schema", SCHEMA);
    cli_json_integer(json, "shard", (int64_t)shard.index + 1);
    cli_json_integer(json, "shard_count", shard.count ? shard.count : 1);
    cli_json_integer(json, "list_count", list_count);
    cli_json_text(json, "list_hash", list_hash);
    for (int i = CLI_WAITING; i < CLI_OUTCOMES; i++) {
        char key[32];
        snprintf(key, sizeof key, "%s_count", cli_outcome_name((cli_outcome)i));
        cli_json_integer(json, key, counts[i]);
    }
    cli_json_list(json, "files");
}

static void put_tail(sni_json_writer *json, sni_writer *out)
{
    sni_json_end(json);
    sni_json_end(json);
    sni_write_text(out, "\n");
}

// Before the end only those that this thread has reported: other threads change the rest.
static cli_outcome outcome_of(const cli_item *item, bool is_final)
{
    return is_final || item->is_reported ? item->outcome : CLI_WAITING;
}

void cli_plan_put_report(const cli_plan *plan, bool is_final, sni_writer *out)
{
    int64_t counts[CLI_OUTCOMES] = { 0 };
    char hash[17];
    sni_json_writer json = sni_json_writer_make(out, true);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)plan->list_hash);
    for (uint32_t i = 0; i < plan->items.count; i++) counts[outcome_of(&cli_plan_items(plan)[i], is_final)]++;
    put_head(&json, plan->session->shard, plan->list_count, hash, counts);
    for (uint32_t i = 0; i < plan->items.count; i++) {
        const cli_item *item = &cli_plan_items(plan)[i];
        put_item(&json, item, outcome_of(item, is_final));
    }
    put_tail(&json, out);
}

// A report that is the culprit of a failure was an input.
static bool is_read_from(const cli_plan *plan, const char *path)
{
    for (uint32_t i = 0; i < plan->items.count; i++) {
        const cli_item *item = &cli_plan_items(plan)[i];
        if (outcome_of(item, false) == CLI_FAILED && item->culprit == path) return true;
    }
    return false;
}

int cli_plan_write_report(const cli_plan *plan, bool is_final)
{
    const char *path = plan->args->values[CLI_OPTION_REPORT];
    if (!path || is_read_from(plan, path) || (!is_final && cli_is_dash(path))) return CLI_EXIT_OK;
    cli_worker scratch;
    sni_writer text;
    cli_worker_init(&scratch);
    sni_writer_init(&text, &scratch.heap);
    cli_plan_put_report(plan, is_final, &text);
    if (text.failed) sni_fail(&scratch.diag, SN_ERR_MEMORY, 0, "out of memory");
    cli_stop_begin_writing(&plan->session->stop, path);
    if (!text.failed) sn_file_write(path, text.data, text.size, &scratch.diag.error);
    cli_stop_end_writing(&plan->session->stop, path);
    if (sni_failed(&scratch.diag) && is_final) {
        const char *shown = cli_is_dash(path) ? "<stdout>" : cli_escape(&scratch.arena, path);
        cli_complain("%s: error: %s", shown ? shown : "", scratch.diag.error.message);
    }
    int code = cli_exit_of(scratch.diag.error.status);
    sni_writer_free(&text);
    sni_arena_free(&scratch.arena);
    return code;
}

// Reading

typedef struct report_file {
    int64_t index;
    const char *in, *out;  // out: NULL where there is none
    const char *input_hash, *output_hash;
    sni_str text;  // the whole object, as it is
} report_file;

typedef struct report {
    const char *path, *schema, *list_hash;
    int64_t shard, shard_count, list_count, counts[CLI_OUTCOMES];
    sni_list files;  // report_file
    sn_bytes bytes;
} report;

static int64_t read_integer(sni_json *json)
{
    int64_t value = -1;
    if (sni_json_peek(json) != SNI_JSON_NUMBER || !sni_json_integer(json, &value)) sni_json_skip(json);
    return value;
}

static const char *read_text(sni_json *json)
{
    if (sni_json_peek(json) == SNI_JSON_STRING) return sni_json_string(json, NULL);
    sni_json_skip(json);
    return NULL;
}

static void read_file(sni_json *json, report *r)
{
    report_file file = { .index = -1, .text = sni_json_raw(json) };
    sni_str key;
    sni_json own = sni_json_make(file.text, 0, 32, json->diag, json->arena);
    if (!sni_json_ok(json)) return;
    for (sni_json_enter_object(&own); sni_json_next_key(&own, &key);) {
        if (sni_str_is(key, "index")) file.index = read_integer(&own);
        else if (sni_str_is(key, "in")) file.in = read_text(&own);
        else if (sni_str_is(key, "out")) file.out = read_text(&own);
        else if (sni_str_is(key, "input_hash")) file.input_hash = read_text(&own);
        else if (sni_str_is(key, "output_hash")) file.output_hash = read_text(&own);
        else sni_json_skip(&own);
    }
    report_file *slot = sni_push(json->arena, &r->files, report_file);
    if (slot) *slot = file;
}

static bool read_count(sni_json *json, sni_str key, report *r)
{
    for (int i = CLI_WAITING; i < CLI_OUTCOMES; i++) {
        const char *name = cli_outcome_name((cli_outcome)i);
        const size_t size = strlen(name);
        if (key.size != size + 6 || memcmp(key.at, name, size) != 0 || memcmp(key.at + size, "_count", 6) != 0)
            continue;
        r->counts[i] = read_integer(json);
        return true;
    }
    return false;
}

// False: the error says why.
static bool read_report(report *r, sni_arena *arena, sn_error *error)
{
    sni_str key;
    sni_diag diag;
    if (sn_file_read(r->path, REPORT_BYTES, NULL, &r->bytes, error) != SN_OK) return false;
    sni_diag_init(&diag, NULL);
    sni_json json = sni_json_make(sni_str_make((const char *)r->bytes.data, r->bytes.size), 0, 32, &diag, arena);
    for (sni_json_enter_object(&json); sni_json_next_key(&json, &key);) {
        if (sni_str_is(key, "schema")) r->schema = read_text(&json);
        else if (sni_str_is(key, "list_hash")) r->list_hash = read_text(&json);
        else if (sni_str_is(key, "shard")) r->shard = read_integer(&json);
        else if (sni_str_is(key, "shard_count")) r->shard_count = read_integer(&json);
        else if (sni_str_is(key, "list_count")) r->list_count = read_integer(&json);
        else if (sni_str_is(key, "files") && sni_json_peek(&json) == SNI_JSON_ARRAY)
            for (sni_json_enter_array(&json); sni_json_next_item(&json);) read_file(&json, r);
        else if (!read_count(&json, key, r)) sni_json_skip(&json);
    }
    sni_json_finish(&json);
    *error = diag.error;
    if (sni_failed(&diag)) return false;
    const bool is_ours = r->schema && strcmp(r->schema, SCHEMA) == 0 && r->list_hash && r->shard >= 1 &&
                         r->shard <= r->shard_count && r->shard_count <= INT32_MAX && r->list_count >= 0 &&
                         r->list_count <= INT32_MAX;
    if (!is_ours) sni_fail(&diag, SN_ERR_FORMAT, 0, "is not a report of 'sinew convert --report'");
    *error = diag.error;
    return is_ours;
}

// What an earlier run made, by output

struct cli_records {
    sni_map map;
    sni_list files;  // report_file
};

// A file that is no report will be replaced by one.
bool cli_records_read(cli_plan *plan)
{
    report old = { .path = plan->args->values[CLI_OPTION_REPORT] };
    sn_error error;
    if (!old.path || cli_is_dash(old.path) || !cli_has(plan->args, CLI_OPTION_NEWER)) return true;
    cli_records *records = sni_new(plan->arena, cli_records, 1);
    if (records && read_report(&old, plan->arena, &error)) {
        records->files = old.files;
        for (uint32_t i = 0; i < old.files.count; i++) {
            const report_file *file = &((const report_file *)old.files.items)[i];
            if (file->out && file->input_hash && file->output_hash)
                sni_map_add(&records->map, plan->arena, sni_hash(file->out, strlen(file->out)), i);
        }
        plan->records = records;
    }
    sn_bytes_free(&old.bytes);
    return !sni_failed(plan->arena->heap->diag);
}

static uint64_t read_hash(const char *text) { return strtoull(text, NULL, 16); }

bool cli_record_is_same(const cli_plan *plan, const cli_item *item, bool *is_known)
{
    const cli_records *records = plan->records;
    *is_known = false;
    if (!records || !item->out) return false;
    for (sni_map_cursor at = sni_map_find(&records->map, sni_hash(item->out, strlen(item->out)));
         sni_map_next(&records->map, &at);) {
        const report_file *file = &((const report_file *)records->files.items)[at.item];
        if (strcmp(file->out, item->out) != 0) continue;
        *is_known = true;
        return item->input_hash && read_hash(file->input_hash) == item->input_hash &&
               read_hash(file->output_hash) == cli_file_hash(item->out, &(sn_error){ 0 });
    }
    return false;
}

// sinew report merge

typedef struct merging {
    sni_arena *arena;
    report *reports;
    uint32_t count;
    const report **owners;      // per file of the list
    const report_file **files;  // per file of the list
} merging;

static int refuse_report(const merging *m, const char *path, const char *why)
{
    const char *shown = cli_escape(m->arena, path);
    cli_complain("%s: error: %s", shown ? shown : "", why ? why : "out of memory");
    return CLI_EXIT_DAMAGED;
}

static const char *shown(const merging *m, const char *text)
{
    const char *safe = cli_escape(m->arena, text ? text : "");
    return safe ? safe : "";
}

// One of each shard, all of one list, and complete.
static int check_shards(const merging *m)
{
    const report *first = &m->reports[0];
    const report **by_shard = sni_new(m->arena, const report *, (uint64_t)first->shard_count);
    if (!by_shard) return cli_no_memory();
    for (uint32_t i = 0; i < m->count; i++) {
        const report *r = &m->reports[i];
        const int shard = (int)r->shard, of = (int)r->shard_count;
        if (r->shard_count != first->shard_count)
            return refuse_report(m, r->path,
                                 cli_format(m->arena, "is shard %d of %d, but %s is one of %d", shard, of,
                                            shown(m, first->path), (int)first->shard_count));
        if (strcmp(r->list_hash, first->list_hash) != 0 || r->list_count != first->list_count)
            return refuse_report(m, r->path,
                                 cli_format(m->arena, "has a different list of files or different options than %s",
                                            shown(m, first->path)));
        if (by_shard[shard - 1])
            return refuse_report(m, r->path,
                                 cli_format(m->arena, "is shard %d of %d, as is %s", shard, of,
                                            shown(m, by_shard[shard - 1]->path)));
        if (r->counts[CLI_WAITING] != 0)
            return refuse_report(m, r->path,
                                 cli_format(m->arena, "shard %d of %d is not finished: %d files to go", shard, of,
                                            (int)r->counts[CLI_WAITING]));
        by_shard[shard - 1] = r;
    }
    for (int i = 0; i < (int)first->shard_count; i++) {
        if (by_shard[i]) continue;
        cli_complain("error: the report of shard %d of %d is missing", i + 1, (int)first->shard_count);
        return CLI_EXIT_DAMAGED;
    }
    return CLI_EXIT_OK;
}

// Every file of the list exactly once.
static int place_files(merging *m)
{
    const int64_t count = m->reports[0].list_count;
    m->owners = sni_new(m->arena, const report *, (uint64_t)count);
    m->files = sni_new(m->arena, const report_file *, (uint64_t)count);
    if (!m->owners || !m->files) return cli_no_memory();
    for (uint32_t i = 0; i < m->count; i++) {
        const report *r = &m->reports[i];
        for (uint32_t k = 0; k < r->files.count; k++) {
            const report_file *file = &((const report_file *)r->files.items)[k];
            if (file->index < 0 || file->index >= count)
                return refuse_report(m, r->path, "has a file that is not in the list");
            if (m->owners[file->index])
                return refuse_report(m, r->path,
                                     cli_format(m->arena, "'%s' is also in %s", shown(m, file->in),
                                                shown(m, m->owners[file->index]->path)));
            m->owners[file->index] = r;
            m->files[file->index] = file;
        }
    }
    for (int64_t i = 0; i < count; i++) {
        if (m->owners[i]) continue;
        cli_complain("error: no report has file %lld of the list of %lld", (long long)i + 1, (long long)count);
        return CLI_EXIT_DAMAGED;
    }
    return CLI_EXIT_OK;
}

static int write_merged(const merging *m, const char *path, int64_t counts[CLI_OUTCOMES])
{
    const report *first = &m->reports[0];
    sn_error error = { .status = SN_OK };
    sni_writer text;
    sni_writer_init(&text, m->arena->heap);
    sni_json_writer json = sni_json_writer_make(&text, true);
    for (uint32_t i = 0; i < m->count; i++)
        for (int k = 0; k < CLI_OUTCOMES; k++) counts[k] += m->reports[i].counts[k];
    put_head(&json, (cli_shard){ 0, 1 }, (uint32_t)first->list_count, first->list_hash, counts);
    for (int64_t i = 0; i < first->list_count; i++) {
        const char *copy = sni_copy_text(m->arena, m->files[i]->text.at, m->files[i]->text.size);
        if (copy) sni_json_put_raw(&json, copy);
    }
    put_tail(&json, &text);
    int code = text.failed || sni_failed(m->arena->heap->diag) ? cli_no_memory() : CLI_EXIT_OK;
    if (code == CLI_EXIT_OK && sn_file_write(path, text.data, text.size, &error) != SN_OK) {
        cli_complain("%s: error: %s", shown(m, path), error.message);
        code = cli_exit_of(error.status);
    }
    sni_writer_free(&text);
    return code;
}

static int merge(merging *m, const char *target, char **paths)
{
    int code = CLI_EXIT_OK;
    int64_t counts[CLI_OUTCOMES] = { 0 };
    m->reports = sni_new(m->arena, report, m->count);
    if (!m->reports) return cli_no_memory();
    for (uint32_t i = 0; i < m->count && code == CLI_EXIT_OK; i++) {
        sn_error error;
        m->reports[i].path = paths[i];
        if (cli_is_same_file(target, paths[i]))
            code = refuse_report(m, paths[i], "is both the output and a report of a shard");
        else if (!read_report(&m->reports[i], m->arena, &error)) {
            const char *why = cli_error_text(m->arena, &error);
            cli_complain("%s: %s", shown(m, paths[i]), why ? why : "out of memory");
            code = cli_exit_of(error.status);
        }
    }
    if (code == CLI_EXIT_OK) code = check_shards(m);
    if (code == CLI_EXIT_OK) code = place_files(m);
    if (code == CLI_EXIT_OK) code = write_merged(m, target, counts);
    for (uint32_t i = 0; i < m->count; i++) sn_bytes_free(&m->reports[i].bytes);
    if (code != CLI_EXIT_OK) return code;
    fprintf(stderr, "%lld files of %u shards:", (long long)m->reports[0].list_count, m->count);
    bool is_first = true;
    for (int i = CLI_WAITING + 1; i < CLI_OUTCOMES; i++) {
        if (counts[i] == 0) continue;
        fprintf(stderr, "%s %lld %s", is_first ? "" : ",", (long long)counts[i], cli_outcome_name((cli_outcome)i));
        is_first = false;
    }
    fputc('\n', stderr);
    return counts[CLI_FAILED] + counts[CLI_EMPTY] > 0 ? CLI_EXIT_FINDINGS : CLI_EXIT_OK;
}

int cli_run_report(const cli_args *args, cli_out *out)
{
    cli_worker worker;
    (void)out;
    if (args->file_count < 3 || strcmp(args->files[0], "merge") != 0) {
        cli_complain("'sinew report' needs: merge OUT REPORT...");
        return CLI_EXIT_USAGE;
    }
    cli_worker_init(&worker);
    merging m = { .arena = &worker.arena, .count = (uint32_t)args->file_count - 2 };
    int code = merge(&m, args->files[1], args->files + 2);
    sni_arena_free(&worker.arena);
    return code;
}
