// JSON output of the commands, and of the web module.
#include "cli/json.h"

#include <stdio.h>

#include "print.h"

void cli_json_text(sni_json_writer *json, const char *key, const char *text)
{
    sni_json_key(json, key);
    sni_json_put_text(json, text);
}

// A hostile file can let thousands of elements share one name of a megabyte.
void cli_json_put_name(sni_json_writer *json, const char *name)
{
    char text[1024 + 4];
    size_t size = cli_cut(name, 1024);
    snprintf(text, sizeof text, "%.*s%s", (int)size, name, name[size] ? "…" : "");
    sni_json_put_text(json, text);
}

void cli_json_name(sni_json_writer *json, const char *key, const char *name)
{
    sni_json_key(json, key);
    cli_json_put_name(json, name);
}

void cli_json_integer(sni_json_writer *json, const char *key, int64_t value)
{
    sni_json_key(json, key);
    sni_json_put_integer(json, value);
}

void cli_json_float(sni_json_writer *json, const char *key, float value)
{
    sni_json_key(json, key);
    sni_json_put_float(json, value);
}

void cli_json_bool(sni_json_writer *json, const char *key, bool value)
{
    sni_json_key(json, key);
    sni_json_put_bool(json, value);
}

void cli_json_list(sni_json_writer *json, const char *key)
{
    sni_json_key(json, key);
    sni_json_begin_array(json);
}

void cli_json_flat_list(sni_json_writer *json, const char *key)
{
    sni_json_key(json, key);
    sni_json_begin_flat_array(json);
}

void cli_json_floats(sni_json_writer *json, const char *key, const float *values, size_t count)
{
    cli_json_flat_list(json, key);
    for (size_t i = 0; i < count; i++) sni_json_put_float(json, values[i]);
    sni_json_end(json);
}

void cli_json_vec3(sni_json_writer *json, const char *key, sn_vec3 value)
{
    const float values[3] = { value.x, value.y, value.z };
    cli_json_floats(json, key, values, 3);
}

void cli_json_line(sni_json_writer *json, uint32_t line, uint32_t column)
{
    if (line == 0) return;
    cli_json_integer(json, "line", line);
    cli_json_integer(json, "column", column);
}

static bool is_note(int32_t code)
{
    sn_warning_kind kind;
    for (uint32_t i = 0; sn_warning_at(i, &kind); i++)
        if (kind.code == code) return kind.is_note;
    return false;
}

void cli_json_warnings(sni_json_writer *json, const char *key, const sn_warning *warnings, uint32_t count)
{
    cli_json_list(json, key);
    for (uint32_t i = 0; i < count; i++) {
        const sn_warning *warning = &warnings[i];
        sni_json_begin_object(json);
        cli_json_integer(json, "code", warning->code);
        cli_json_text(json, "name", sn_warning_name(warning->code));
        cli_json_text(json, "level", is_note(warning->code) ? "note" : "warning");
        cli_json_integer(json, "count", warning->count);
        cli_json_integer(json, "offset", (int64_t)warning->offset);
        cli_json_line(json, warning->line, warning->column);
        cli_json_text(json, "path", warning->path);
        cli_json_text(json, "message", warning->message);
        sni_json_end(json);
    }
    sni_json_end(json);
}

void cli_json_error(sni_json_writer *json, const sn_error *error, const char *file)
{
    sni_json_key(json, "error");
    if (error->status == SN_OK) {
        sni_json_put_raw(json, "null");
        return;
    }
    sni_json_begin_object(json);
    cli_json_text(json, "status", sn_status_name(error->status));
    cli_json_integer(json, "offset", (int64_t)error->offset);
    cli_json_line(json, error->line, error->column);
    cli_json_text(json, "path", error->path);
    cli_json_text(json, "message", error->message);
    if (file) cli_json_text(json, "file", file);
    sni_json_end(json);
}
