// Lists that a model keeps in its extras: the tracks or files of what is no model by itself, the models that a pack
// holds.
#include <string.h>

#include "info.h"

enum { LONGEST = 16 << 20, DEEPEST = 8, CELL_COLUMNS = 48 };

// Columns are the keys of the first row; what others have beyond them is left out.
typedef struct list_rows {
    cli_job *job;
    sni_list rows;
    const char *keys[CLI_COLUMNS];
    uint32_t key_count;
} list_rows;

static const char *read_cell(cli_job *job, sni_json *json)
{
    if (sni_json_peek(json) == SNI_JSON_STRING)
        return cli_shorten(&job->arena, sni_json_string(json, NULL), CELL_COLUMNS);
    sni_str raw = sni_json_raw(json);
    return raw.size <= CELL_COLUMNS ? sni_copy_text(&job->arena, raw.at, raw.size) : "…";
}

static uint32_t find_column(list_rows *list, sni_str key)
{
    for (uint32_t i = 0; i < list->key_count; i++)
        if (sni_str_is(key, list->keys[i])) return i;
    if (list->rows.count > 1 || list->key_count == CLI_COLUMNS) return CLI_COLUMNS;
    const char *copy = sni_copy_text(&list->job->arena, key.at, key.size);
    if (!copy) return CLI_COLUMNS;
    list->keys[list->key_count] = copy;
    return list->key_count++;
}

static void read_object(list_rows *list, sni_json *json, cli_row *row)
{
    sni_str key;
    sni_json_enter_object(json);
    while (sni_json_next_key(json, &key)) {
        uint32_t column = find_column(list, key);
        if (column < CLI_COLUMNS) row->cells[column] = read_cell(list->job, json);
        else sni_json_skip(json);
    }
}

static bool read_rows(list_rows *list, sni_json *json)
{
    sni_json_enter_array(json);
    while (sni_json_next_item(json)) {
        cli_row *row = sni_push(&list->job->arena, &list->rows, cli_row);
        if (!row) return false;
        if (sni_json_peek(json) == SNI_JSON_OBJECT) read_object(list, json, row);
        else row->cells[0] = read_cell(list->job, json);
    }
    return sni_json_ok(json);
}

static void print_list(cli_job *job, sni_json *json, const char *title)
{
    list_rows list = { .job = job };
    cli_row heading = { { NULL } };
    if (!read_rows(&list, json) || list.rows.count == 0) return;
    uint32_t shown = cli_info_rows(job, list.rows.count);
    cli_table table = cli_table_make(&job->arena, "lrrrrr", shown + 1);
    table.has_heading = list.key_count > 0;
    memcpy(heading.cells, list.keys, sizeof heading.cells);
    if (table.has_heading) cli_table_add(&table, heading);
    for (uint32_t i = 0; i < shown; i++) cli_table_add(&table, ((const cli_row *)list.rows.items)[i]);
    cli_info_section(job, title, &table, list.rows.count);
}

void cli_info_lists(cli_job *job)
{
    const sn_model *model = job->model;
    size_t size = model->extras ? strlen(model->extras) : 0;
    bool is_alone = model->node_count == 0;
    sni_diag diag;
    sni_str key;
    if (size == 0 || size > LONGEST) return;
    sni_diag_init(&diag, NULL);
    sni_json json = sni_json_make(sni_str_make(model->extras, size), 0, DEEPEST, &diag, &job->arena);
    if (sni_json_peek(&json) != SNI_JSON_OBJECT) return;
    sni_json_enter_object(&json);
    while (sni_json_next_key(&json, &key)) {
        bool is_list = sni_json_peek(&json) == SNI_JSON_ARRAY;
        if (is_list && is_alone && sni_str_is(key, "tracks")) print_list(job, &json, "Tracks");
        else if (is_list && is_alone && sni_str_is(key, "files")) print_list(job, &json, "Files");
        else if (is_list && sni_str_is(key, "models")) print_list(job, &json, "Models");
        else sni_json_skip(&json);
    }
}
