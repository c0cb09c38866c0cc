// Extras: what a file holds and the model has no place for, as a JSON object beside what it belongs to.
#ifndef SNI_EXTRAS_H
#define SNI_EXTRAS_H

#include "base/json.h"

typedef struct sni_extras {
    sni_writer out;
    sni_json_writer json;
} sni_extras;

void sni_extras_begin(sni_arena *arena, sni_extras *extras);
const char *sni_extras_end(sni_arena *arena, sni_extras *extras);  // in the arena; NULL when nothing was put

void sni_extras_put_text(sni_extras *extras, const char *key, const char *text);
void sni_extras_put_integer(sni_extras *extras, const char *key, int64_t value);
void sni_extras_put_float(sni_extras *extras, const char *key, float value);
void sni_extras_put_floats(sni_extras *extras, const char *key, const float *values,
                           uint32_t count);                                 // a single one is no array
void sni_extras_put_flag(sni_extras *extras, const char *key, bool value);  // only where it is true

// Reading them back. False where there is no such key, or its value is of another kind. Text is in the arena.
bool sni_extras_find_text(sni_arena *arena, const char *extras, const char *key, const char **text);
bool sni_extras_find_float(sni_arena *arena, const char *extras, const char *key, float *value);
bool sni_extras_find_floats(sni_arena *arena, const char *extras, const char *key, float *values, uint32_t count);
bool sni_extras_find_flag(sni_arena *arena, const char *extras, const char *key, bool *value);
bool sni_extras_find_object(sni_arena *arena, const char *extras, const char *key, const char **text);  // as JSON

// Enters an array: sni_json_next_item goes from item to item. `diag` is for the reading alone.
bool sni_extras_open_array(sni_arena *arena, const char *extras, const char *key, sni_json *json, sni_diag *diag);

// A mark in the extras of a node that follows its parent in all ways only since it was saved as glTF: what it did
// before, as an array of these names.
#define SNI_BAKED_MARK "sinew_baked"
typedef struct sni_flag_name {
    uint32_t flag;
    const char *name;
} sni_flag_name;
extern const sni_flag_name sni_inheritance_names[8];  // ended by a name of NULL

#endif
