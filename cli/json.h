// JSON output of models, warnings and errors.
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include "base/arena.h"
#include "base/json.h"
#include "print.h"

void cli_json_text(sni_json_writer *json, const char *key, const char *text);
void cli_json_put_name(sni_json_writer *json, const char *name);  // cut when very long: it may come many times
void cli_json_name(sni_json_writer *json, const char *key, const char *name);
void cli_json_integer(sni_json_writer *json, const char *key, int64_t value);
void cli_json_float(sni_json_writer *json, const char *key, float value);
void cli_json_bool(sni_json_writer *json, const char *key, bool value);
void cli_json_floats(sni_json_writer *json, const char *key, const float *values, size_t count);
void cli_json_vec3(sni_json_writer *json, const char *key, sn_vec3 value);
void cli_json_list(sni_json_writer *json, const char *key);  // begins an array
void cli_json_flat_list(sni_json_writer *json, const char *key);
void cli_json_line(sni_json_writer *json, uint32_t line, uint32_t column);  // nothing for line 0
void cli_json_warnings(sni_json_writer *json, const char *key, const sn_warning *warnings, uint32_t count);
void cli_json_error(sni_json_writer *json, const sn_error *error, const char *file);  // file: it speaks of; may be NULL

// info_json.c: the members of sinew.info/2, without "schema" and "file". `out` is drained on the way; NULL: the writer
// keeps all.
void cli_info_json(sni_json_writer *json, sni_arena *arena, cli_out *out, const sn_model *model,
                   const sn_bounds *bounds);

#endif
