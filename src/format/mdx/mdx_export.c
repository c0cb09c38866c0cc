// Saving any model as MDX or MDL: the fitted model becomes a document, which is written like one that was loaded. What
// importing MDX kept in extras goes back: see mdx_build_extras.c, which writes what is read here.
#include "format/mdx/mdx_export.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "model/extras.h"
#include "model/sanitize.h"
#include "model/track.h"

sni_str mdx_name_text(mdx_exporter *x, const char *text, size_t most)
{
    const size_t whole = strlen(text);
    size_t size = whole;
    if (size >= most) {
        for (size = most - 1; size > 0 && ((uint8_t)text[size] & 0xC0) == 0x80;) size--;
        sni_enter(&x->save->diag, "names", -1);
        sni_warn(&x->save->diag, SNI_WARN_LOST_CONTENT, 0, "\"%.60s\" was cut to %u bytes", text, (unsigned)most - 1);
        sni_leave(&x->save->diag);
    }
    return sni_str_make(text, size);
}

// Extras

bool mdx_open_extras(mdx_exporter *x, const char *extras, mdx_extras *out)
{
    if (!extras) return false;
    sni_diag_init(&out->diag, NULL);
    out->json = sni_json_make(sni_str_make(extras, strlen(extras)), 0, 64, &out->diag, x->arena);
    if (sni_json_peek(&out->json) != SNI_JSON_OBJECT) return false;
    sni_json_enter_object(&out->json);
    return true;
}

// "emissionRate" is "EmissionRate" of MDL.
static bool is_key(sni_str key, const char *mdl_name)
{
    return mdl_name && key.size == strlen(mdl_name) && key.size > 0 && (key.at[0] | 32) == (mdl_name[0] | 32) &&
           memcmp(key.at + 1, mdl_name + 1, key.size - 1) == 0;
}

// Numbers (float), of arrays in arrays, too.
static bool read_numbers(mdx_exporter *x, sni_json *json, sni_list *out)
{
    uint32_t depth = 0;
    out->count = 0;
    do {
        const sni_json_kind kind = sni_json_peek(json);
        if (kind == SNI_JSON_ARRAY) {
            sni_json_enter_array(json);
            depth++;
        } else if (kind == SNI_JSON_NUMBER) {
            float *value = sni_push(x->arena, out, float);
            if (!value) return false;
            *value = sni_json_float(json);
            if (!isfinite(*value)) *value = 0.0f;
        } else {
            sni_json_skip(json);
        }
        while (depth > 0 && !sni_json_next_item(json)) depth--;
    } while (depth > 0 && sni_json_ok(json));
    return true;
}

static bool read_integers(mdx_exporter *x, sni_json *json, sni_list *out)
{
    out->count = 0;
    if (sni_json_peek(json) != SNI_JSON_ARRAY) sni_json_skip(json);
    else
        for (sni_json_enter_array(json); sni_json_next_item(json);) {
            int64_t value = 0;
            int32_t *slot = sni_push(x->arena, out, int32_t);
            if (!slot) return false;
            if (sni_json_peek(json) != SNI_JSON_NUMBER) sni_json_skip(json);
            else sni_json_integer(json, &value);
            *slot = value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : (int32_t)value;
        }
    return true;
}

static const char *read_text(sni_json *json)
{
    if (sni_json_peek(json) == SNI_JSON_STRING) return sni_json_string(json, NULL);
    sni_json_skip(json);
    return NULL;
}

static uint32_t read_choice(sni_json *json, const char *const *names, uint32_t count)
{
    const char *text = read_text(json);
    for (uint32_t i = 0; text && i < count; i++)
        if (strcmp(names[i], text) == 0) return i;
    return 0;
}

static void store_number(mdx_type type, float value, void *at)
{
    const double whole = fmin(fmax((double)value, -2147483648.0), 4294967295.0);
    if (type == MDX_U8) *(uint8_t *)at = (uint8_t)fmin(fmax(whole, 0.0), 255.0);
    else if (type == MDX_U32) *(uint32_t *)at = (uint32_t)(int64_t)whole;
    else if (type == MDX_I32) *(int32_t *)at = (int32_t)fmin(whole, INT32_MAX);
    else *(float *)at = value;
}

static bool read_field(mdx_exporter *x, sni_json *json, const mdx_field *field, void *element)
{
    char *at = (char *)element + field->offset;
    if (field->type == MDX_NAME || field->type == MDX_PATH) {
        const char *text = read_text(json);
        const size_t most = field->type == MDX_NAME ? MDX_NAME_BYTES : MDX_PATH_BYTES;
        if (text) *(sni_str *)(void *)at = mdx_name_text(x, text, most);
        return sni_save_ok(x->save);
    }
    const bool is_vector = field->type == MDX_VEC3 || field->type == MDX_COLOR;
    const mdx_type type = is_vector ? MDX_F32 : field->type;
    const uint32_t wanted = field->count * (is_vector ? 3u : 1u);
    sni_list numbers = { 0 };
    if (!read_numbers(x, json, &numbers)) return false;
    for (uint32_t i = 0; numbers.count == wanted && i < wanted; i++)
        store_number(type, ((const float *)numbers.items)[i], at + (type == MDX_U8 ? 1u : 4u) * (size_t)i);
    return true;
}

// What extras leave out: fields with their usual value.
static void set_usual(const mdx_field *fields, void *element)
{
    for (const mdx_field *field = fields; field->count; field++) {
        const bool is_number = field->type == MDX_U8 || field->type == MDX_U32 || field->type == MDX_I32 ||
                               field->type == MDX_F32;
        if (is_number && field->count == 1)
            store_number(field->type, field->default_value, (char *)element + field->offset);
    }
}

static int32_t new_global(mdx_exporter *x, int64_t old)
{
    const float *lengths = x->globals.old_periods.items;
    return old >= 0 && old < x->globals.old_periods.count ? mdx_global_sequence(x, lengths[old] / 1000.0f) : -1;
}

// False only when memory ran out.
static bool parse_curve(mdx_exporter *x, sni_json *json, mdx_stored_curve *out)
{
    sni_str key;
    *out = (mdx_stored_curve){ .old_global = -1 };
    if (sni_json_peek(json) != SNI_JSON_OBJECT) {
        sni_json_skip(json);
        return true;
    }
    for (sni_json_enter_object(json); sni_json_next_key(json, &key);) {
        if (sni_str_is(key, "interpolation"))
            out->interpolation = (sn_interpolation)read_choice(json, mdx_curve_kinds, 4);
        else if (sni_str_is(key, "times") ? !read_integers(x, json, &out->times)
                                          : sni_str_is(key, "values") && !read_numbers(x, json, &out->values))
            return false;
        else if (sni_str_is(key, "globalSequence") && sni_json_peek(json) == SNI_JSON_NUMBER)
            out->old_global = sni_json_index(json);
        else if (!sni_str_is(key, "times") && !sni_str_is(key, "values")) sni_json_skip(json);
    }
    return true;
}

bool mdx_read_curve(mdx_exporter *x, sni_json *json, uint32_t tag, sni_list *tracks)
{
    mdx_stored_curve curve;
    return parse_curve(x, json, &curve) && mdx_store_curve(x, &curve, tag, new_global(x, curve.old_global), tracks);
}

// Whether a clip's track, which was made by repeating `cycle`, still shows it at all of its keys.
static bool repeats(const mdx_exporter *x, const sn_track *track, const sn_track *cycle, const float *subtract)
{
    const bool is_length = track->target_kind == SN_TARGET_NODE && track->channel == SN_CHANNEL_TRANSLATION;
    const double tolerance = 2e-3 * (is_length ? fmax(x->save->clip_bounds[0].radius, 1e-6) : 1.0);
    for (uint32_t i = 0; i < track->key_count; i++) {
        const double rounds = track->times[i] / (double)cycle->period, near = floor(rounds + 0.5);
        const float *value = sni_track_key(track, i, SNI_KEY_VALUE);
        float wanted[4] = { 0 };
        double largest = 0.0, dot = 0.0;
        if (near > 0.0 && fabs(rounds - near) * cycle->period < 2e-3) continue;  // it may jump there
        sni_track_sample(cycle, track->times[i], cycle->period, track->times[i], wanted);
        for (uint32_t c = 0; c < track->width; c++) {
            largest = fmax(largest, fabs(value[c] - (subtract ? subtract[c] : 0.0f) - (double)wanted[c]));
            dot += (double)value[c] * wanted[c];
        }
        if (track->width == 4 ? 1.0 - fabs(dot) > tolerance * tolerance : largest > tolerance) return false;
    }
    return true;
}

bool mdx_restore_global(mdx_exporter *x, const mdx_source *source, uint32_t tag, sni_list *tracks, bool *is_restored)
{
    const mdx_track_kind *kind = mdx_find_track_kind(tag);
    char name[40];
    const char *all, *text;
    uint32_t count;
    mdx_stored_curve curve;
    sni_diag diag;
    *is_restored = false;
    const sni_found_track *found = mdx_find_tracks(x, source->kind, source->target, source->sub, source->channel,
                                                   &count);
    for (uint32_t i = 0; i < count; i++)
        if (found[i].track->period > 0.0f) return true;
    snprintf(name, sizeof name, "%s", kind->mdl_name);
    name[0] = (char)(name[0] | 32);
    if (!source->stored || count == 0 || !sni_extras_find_object(x->arena, source->stored, MDX_GLOBAL_TRACKS, &all) ||
        !sni_extras_find_object(x->arena, all, name, &text))
        return sni_save_ok(x->save);
    sni_diag_init(&diag, NULL);
    sni_json json = sni_json_make(sni_str_make(text, strlen(text)), 0, 64, &diag, x->arena);
    if (!parse_curve(x, &json, &curve)) return false;
    const int32_t global = new_global(x, curve.old_global);
    const uint32_t keys = curve.times.count, width = kind->type == MDX_QUAT ? 4 : kind->type == MDX_VEC3 ? 3 : 1;
    const uint32_t groups = curve.interpolation >= SN_HERMITE ? 3 : 1;
    if (sni_failed(&diag) || global < 0 || keys < 2 || curve.values.count != keys * groups * width) return true;
    float *times = sni_new_raw(x->arena, float, keys);
    if (!times) return false;
    for (uint32_t i = 0; i < keys; i++) times[i] = (float)(((const int32_t *)curve.times.items)[i] / 1000.0);
    const sn_track cycle = { .channel = (uint8_t)source->channel,
                             .interpolation = (uint8_t)curve.interpolation,
                             .wrap = SN_WRAP_CYCLE,
                             .period = (float)(((const uint32_t *)x->globals.periods.items)[global] / 1000.0),
                             .key_count = keys,
                             .width = width,
                             .times = times,
                             .values = curve.values.items };
    *is_restored = cycle.period > 0.0f && count == x->model->clip_count;
    for (uint32_t i = 0; i < count && *is_restored; i++)
        *is_restored = repeats(x, found[i].track, &cycle, source->subtract);
    x->globals.lost_tracks += !*is_restored;
    x->globals.found_tracks++;
    return !*is_restored || mdx_store_curve(x, &curve, tag, global, tracks);
}

static bool read_curves(mdx_exporter *x, sni_json *json, const mdx_kind *kind, sni_list *tracks)
{
    sni_str key;
    if (sni_json_peek(json) != SNI_JSON_OBJECT) {
        sni_json_skip(json);
        return true;
    }
    for (sni_json_enter_object(json); sni_json_next_key(json, &key);) {
        const uint32_t *tag = kind->tracks;
        while (*tag && !is_key(key, mdx_find_track_kind(*tag)->mdl_name)) tag++;
        if (!*tag) sni_json_skip(json);
        else if (!mdx_read_curve(x, json, *tag, tracks)) return false;
    }
    return true;
}

bool mdx_read_texture(mdx_exporter *x, sni_json *json, int32_t *index)
{
    mdx_texture texture = { .path = sni_str_make("", 0) };
    sni_str key;
    if (sni_json_peek(json) != SNI_JSON_OBJECT) {
        sni_json_skip(json);
        return true;
    }
    for (sni_json_enter_object(json); sni_json_next_key(json, &key);) {
        const char *path = sni_str_is(key, "path") ? read_text(json) : NULL;
        if (path) texture.path = mdx_name_text(x, path, MDX_PATH_BYTES);
        else if (sni_str_is(key, "replaceableId")) texture.replaceable = (uint32_t)sni_json_index(json);
        else if (sni_str_is(key, "flags")) texture.flags = (uint32_t)sni_json_index(json);
        else if (!sni_str_is(key, "path")) sni_json_skip(json);
    }
    return mdx_add_texture(x, texture.path, texture.replaceable, texture.flags, index);
}

static bool read_times(mdx_exporter *x, sni_json *json, mdx_event *event)
{
    sni_list times = { 0 };
    if (!read_integers(x, json, &times)) return false;
    uint8_t *data = sni_new_raw(x->arena, uint8_t, 4ull * times.count);
    if (!data) return false;
    event->times = (mdx_array){ data, times.count };
    event->has_times = true;
    if (times.count > 0) memcpy(data, times.items, 4 * (size_t)times.count);
    return true;
}

static bool read_values(mdx_exporter *x, sni_json *json, mdx_shape *shape)
{
    sni_list numbers = { 0 };
    if (!read_numbers(x, json, &numbers)) return false;
    uint8_t *data = sni_new_raw(x->arena, uint8_t, 4ull * numbers.count);
    if (!data) return false;
    for (uint32_t i = 0; i < numbers.count; i++) sni_store_f32(data + 4 * (size_t)i, ((const float *)numbers.items)[i]);
    shape->values = (mdx_array){ data, numbers.count };
    return true;
}

// As many numbers as its kind has: nothing else gives the size of a shape in the file.
static bool fit_shape(mdx_exporter *x, mdx_shape *shape)
{
    static const uint8_t sizes[] = { [MDX_BOX] = 6, [MDX_PLANE] = 6, [MDX_SPHERE] = 4, [MDX_CYLINDER] = 7 };
    const uint32_t wanted = sizes[shape->kind];
    if (shape->values.count == wanted) return true;
    uint8_t *data = sni_new(x->arena, uint8_t, 4ull * wanted);
    if (!data) return false;
    if (shape->values.count > 0)
        memcpy(data, shape->values.data, 4 * (size_t)(shape->values.count < wanted ? shape->values.count : wanted));
    shape->values = (mdx_array){ data, wanted };
    return true;
}

// What the fields of a kind do not have. *is_read: it was one of these.
static bool read_special(mdx_exporter *x, sni_json *json, sni_str key, const mdx_kind *kind, void *element,
                         bool *is_read)
{
    mdx_emitter2 *emitter = kind->tag == MDX_PRE2 ? element : NULL;
    mdx_event *event = kind->tag == MDX_EVTS ? element : NULL;
    mdx_shape *shape = kind->tag == MDX_CLID ? element : NULL;
    *is_read = true;
    if (emitter && sni_str_is(key, "filterMode")) emitter->filter = read_choice(json, mdx_particle_filters, 5);
    else if (emitter && sni_str_is(key, "particles")) emitter->head_or_tail = read_choice(json, mdx_particle_kinds, 3);
    else if (emitter && sni_str_is(key, "squirt")) emitter->squirt = 1, sni_json_skip(json);
    else if (emitter && sni_str_is(key, "texture")) return mdx_read_texture(x, json, &emitter->texture);
    else if (emitter && sni_str_is(key, "textureID")) sni_json_skip(json);
    else if (event && sni_str_is(key, "times")) return read_times(x, json, event);
    else if (event && sni_str_is(key, "globalSequence")) event->global_sequence = sni_json_index(json);
    else if (shape && sni_str_is(key, "shape")) shape->kind = read_choice(json, mdx_shape_kinds, 4);
    else if (shape && sni_str_is(key, "values")) return read_values(x, json, shape);
    else *is_read = false;
    return true;
}

bool mdx_read_element(mdx_exporter *x, const char *extras, const mdx_kind *kind, mdx_object *element, sni_list *tracks,
                      uint32_t *flags)
{
    mdx_extras in;
    sni_str key;
    const mdx_flag_name *names = mdx_node_flag_names(kind->tag, false);
    set_usual(kind->fields, element);
    mdx_event *event = kind->tag == MDX_EVTS ? (void *)element : NULL;
    mdx_emitter2 *emitter = kind->tag == MDX_PRE2 ? (void *)element : NULL;
    mdx_ribbon *ribbon = kind->tag == MDX_RIBB ? (void *)element : NULL;
    if (event) event->global_sequence = -1;
    if (emitter) emitter->texture = -1;
    const bool is_open = mdx_open_extras(x, extras, &in);
    while (is_open && sni_json_next_key(&in.json, &key)) {
        const mdx_field *field = kind->fields;
        const mdx_flag_name *flag = names;
        bool is_read = false;
        if (!read_special(x, &in.json, key, kind, element, &is_read)) return false;
        if (is_read) continue;
        while (field->count && !is_key(key, field->mdl_name)) field++;
        while (flag->name && !sni_str_is(key, flag->name)) flag++;
        if (sni_str_is(key, "tracks")) is_read = read_curves(x, &in.json, kind, tracks);
        else if (field->count) is_read = read_field(x, &in.json, field, element);
        else sni_json_skip(&in.json), is_read = true;
        if (!is_read) return false;
        *flags |= flag->bit;
    }
    if (event) event->global_sequence = new_global(x, event->global_sequence);
    if (kind->tag == MDX_CLID && !fit_shape(x, (mdx_shape *)(void *)element)) return false;
    if (ribbon && (uint32_t)ribbon->material >= x->doc->materials.count) ribbon->material = 0;
    const sni_str white = sni_str_make("Textures\\white.blp", 18);
    if (emitter && emitter->texture < 0 && !mdx_add_texture(x, white, 0, 0, &emitter->texture)) return false;
    return sni_save_ok(x->save);
}

// A sum of bits by their names, and numbers, of an element that is not a node.
bool mdx_read_settings(mdx_exporter *x, const char *extras, const mdx_flag_name *names, uint32_t *flags,
                       const char *number, int32_t *value)
{
    mdx_extras in;
    sni_str key;
    if (!mdx_open_extras(x, extras, &in)) return false;
    while (sni_json_next_key(&in.json, &key)) {
        const mdx_flag_name *flag = names;
        int64_t read = 0;
        while (flag->name && !sni_str_is(key, flag->name)) flag++;
        const sni_json_kind kind = sni_json_peek(&in.json);
        if (flag->name && kind == SNI_JSON_BOOL) *flags |= sni_json_bool(&in.json) ? flag->bit : 0;
        else if (!sni_str_is(key, number) || kind != SNI_JSON_NUMBER) sni_json_skip(&in.json);
        else if (sni_json_integer(&in.json, &read)) *value = (int32_t)read;
    }
    return sni_json_ok(&in.json);
}

// Of the model: is it from Warcraft III, how long are its global sequences.
static bool read_model(mdx_exporter *x)
{
    mdx_extras in;
    sni_str key;
    mdx_model *out = &x->doc->model;
    uint32_t blend_time = 0;
    out->blend_time = 150;
    if (!mdx_open_extras(x, x->model->extras, &in)) return true;
    while (sni_json_next_key(&in.json, &key)) {
        const char *path = sni_str_is(key, "animationFile") ? read_text(&in.json) : NULL;
        const char *name = sni_str_is(key, "name") ? read_text(&in.json) : NULL;
        if (path) out->animation_file = mdx_name_text(x, path, MDX_PATH_BYTES);
        else if (name) out->name = mdx_name_text(x, name, MDX_NAME_BYTES);
        else if (sni_str_is(key, "blendTime")) blend_time = (uint32_t)sni_json_index(&in.json), x->is_own = true;
        else if (sni_str_is(key, "globalSequences")) {
            if (!read_numbers(x, &in.json, &x->globals.old_periods)) return false;
        } else if (sni_str_is(key, MDX_GLOBAL_TRACKS)) {
            x->globals.old_tracks = sni_json_index(&in.json);
        } else if (!sni_str_is(key, "animationFile") && !sni_str_is(key, "name")) {
            x->is_own |= sni_str_is(key, "minimumExtent");
            sni_json_skip(&in.json);
        }
    }
    x->is_own |= strcmp(x->model->format, "mdx") == 0;
    if (x->is_own) out->blend_time = blend_time;
    return true;
}

// Saving

static uint32_t version_of(const sn_save_opts *opts)
{
    if (opts && opts->mdx_version) return opts->mdx_version;
    return opts && opts->game == SN_GAME_REFORGED ? 1000 : 800;
}

static bool check_version(sni_save *save, uint32_t version)
{
    if (version == 800 || version == 1000 || version == 1100 || version == 1200) return true;
    return sni_fail(&save->diag, SN_ERR_UNSUPPORTED, 0, "MDX version %u; sinew writes 800, 1000, 1100 and 1200",
                    version);
}

static bool store_globals(mdx_exporter *x)
{
    const sni_list *periods = &x->globals.periods;
    uint8_t *data = sni_new_raw(x->arena, uint8_t, 4ull * periods->count);
    if (!data) return false;
    for (uint32_t i = 0; i < periods->count; i++)
        sni_store_u32(data + 4 * (size_t)i, ((const uint32_t *)periods->items)[i]);
    x->doc->global_sequences = (mdx_array){ data, periods->count };
    return true;
}

static void report_losses(mdx_exporter *x)
{
    const mdx_globals *globals = &x->globals;
    const bool was_elsewhere = strcmp(x->model->format, "mdx") != 0 && globals->old_tracks > globals->found_tracks;
    sni_save_lose(x->save, "clips", was_elsewhere ? (uint64_t)(globals->old_tracks - globals->found_tracks) : 0,
                  "extras of global sequences are missing; their tracks keep the keys in each clip");
    sni_save_lose(x->save, "clips", globals->lost_tracks,
                  "tracks of global sequences were changed elsewhere; they keep the keys in each clip");
    sni_save_lose(x->save, "clips", x->timeline.lost_keys,
                  "keys of emitters and events outside all clips were left out");
}

// What is computed from large numbers may not be finite.

static bool has_finite_fields(const mdx_field *fields, uint32_t version, const void *element)
{
    for (const mdx_field *field = fields; field->count > 0; field++) {
        const bool is_float = field->type == MDX_F32 || field->type == MDX_VEC3 || field->type == MDX_COLOR ||
                              field->type == MDX_EXTENT;
        const float *at = (const float *)(const void *)((const char *)element + field->offset);
        if (is_float && !sni_all_finite(at, field->count * (mdx_type_bytes(field->type, version) / sizeof *at)))
            return false;
    }
    return true;
}

static bool has_finite_tracks(mdx_tracks tracks, uint32_t version)
{
    for (uint32_t i = 0; i < tracks.count; i++) {
        const mdx_track *track = &tracks.items[i];
        const size_t bytes = mdx_key_bytes(track, version);
        for (uint32_t k = 0; track->kind->type != MDX_U32 && k < track->keys.count; k++)
            if (!sni_all_words_finite(track->keys.data + k * bytes + 4, bytes / 4 - 1)) return false;
    }
    return true;
}

static bool has_finite_layers(const mdx_material *material, uint32_t version)
{
    for (uint32_t i = 0; i < material->layer_count; i++) {
        const mdx_layer *layer = &material->layers[i];
        if (!has_finite_fields(mdx_layer_fields, version, layer) || !has_finite_tracks(layer->item.tracks, version))
            return false;
    }
    return true;
}

static bool has_finite_arrays(const mdx_geoset *geoset)
{
    const struct {
        mdx_array array;
        uint32_t floats;
    } arrays[] = { { geoset->positions, 3 }, { geoset->normals, 3 }, { geoset->tangents, 4 }, { geoset->extents, 7 } };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (!sni_all_words_finite(arrays[i].array.data, (uint64_t)arrays[i].array.count * arrays[i].floats))
            return false;
    for (uint32_t i = 0; i < geoset->uv_count; i++)
        if (!sni_all_words_finite(geoset->uvs[i].data, 2ull * geoset->uvs[i].count)) return false;
    return true;
}

static bool is_finite_element(const mdx_kind *kind, uint32_t version, const void *element)
{
    const mdx_shape *shape = element;
    const mdx_object *object = element;
    if (kind->is_node && !has_finite_tracks(object->node.tracks, version)) return false;
    if (kind->tag == MDX_MTLS && !has_finite_layers(element, version)) return false;
    if (kind->tag == MDX_GEOS && !has_finite_arrays(element)) return false;
    if (kind->tag == MDX_CLID && !sni_all_words_finite(shape->values.data, shape->values.count)) return false;
    return has_finite_fields(kind->fields, version, element) &&
           has_finite_tracks(((const mdx_item *)element)->tracks, version);
}

static bool is_finite(const mdx_doc *doc)
{
    if (!has_finite_fields(mdx_model_fields, doc->version, &doc->model)) return false;
    for (uint32_t i = 0; i < doc->pivots.count; i++) {
        sn_vec3 pivot;
        sni_load_words(doc->pivots.data + 12 * (size_t)i, &pivot, 3);
        if (!mdx_is_pivot(pivot)) return false;
    }
    for (const mdx_kind *kind = mdx_kinds; kind->tag; kind++)
        for (uint32_t i = 0; i < mdx_element_count(doc, kind); i++)
            if (!is_finite_element(kind, doc->version, mdx_element_at(doc, kind, i))) return false;
    return true;
}

void mdx_fit(sni_save *save, const sn_model *model, sni_holds *holds)
{
    (void)model;
    static const char *const classic[] = { SNI_MIME_BLP, SNI_MIME_DDS, NULL };
    static const char *const reforged[] = { SNI_MIME_DDS, SNI_MIME_TGA, SNI_MIME_BLP, NULL };
    const bool has_weights = version_of(save->opts) >= 1000;
    *holds = (sni_holds){ .is_rebound = true,
                          .has_equal_weights = !has_weights,
                          .influences = has_weights ? 4 : 0,
                          .weight_steps = has_weights ? 255 : 0,
                          .has_tangents = has_weights,
                          .has_all_tangents = has_weights,
                          .images = has_weights ? reforged : classic,
                          .other_image = SNI_MIME_TGA,
                          .has_bc5 = has_weights };
}

bool mdx_save(sni_save *save, const sn_model *model)
{
    mdx_doc doc = { .version = version_of(save->opts) };
    mdx_exporter x = { .save = save, .arena = &save->scratch, .model = model, .doc = &doc };
    if (!check_version(save, doc.version)) return false;
    const uint32_t joints = model->skin_count > 0 ? model->skins[0].joint_count : 0;
    if (doc.version >= 1000 && joints > 256)
        return sni_fail(&save->diag, SN_ERR_UNSUPPORTED, 0,
                        "%u bones; version %u has at most 256, version 800 any number", joints, doc.version);
    doc.model.name = mdx_name_text(&x, model->name[0] ? model->name : "model", MDX_NAME_BYTES);
    doc.model.extent = mdx_extent_of(&save->clip_bounds[0]);
    sni_writer out;
    sni_writer_init(&out, &save->heap);
    bool is_saved = read_model(&x) && mdx_export_timeline(&x) && mdx_export_materials(&x) && mdx_export_nodes(&x) &&
                    mdx_export_geosets(&x) && store_globals(&x);
    report_losses(&x);
    if (is_saved && !is_finite(&doc))
        is_saved = sni_fail(&save->diag, SN_ERR_UNSUPPORTED, 0, "a number is too large for the format");
    if (is_saved) {
        const bool is_text = sni_save_has_ending(save, "mdl");
        (is_text ? mdx_mdl_write : mdx_write)(&doc, &out);
        is_saved = !out.failed && sni_save_emit(save, sni_last_name(save->path), out.data, out.size);
    }
    sni_writer_free(&out);
    return is_saved && sni_save_ok(save);
}
