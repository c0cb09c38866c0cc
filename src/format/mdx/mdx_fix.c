// Repairs of a document that lose nothing: the rules of mdx_check.c that a program can follow by itself.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/math.h"
#include "format/mdx/mdx_check.h"
#include "model/track.h"

typedef struct fixer {
    sni_save *save;
    sni_arena *arena;
    mdx_doc *doc;    // a copy; what it points at is copied before it changes
    bool *overlaps;  // per sequence: with another
    uint64_t sorted, started, stepped, cut, weights, extents, grids, shapes;
} fixer;

static bool copy_list(fixer *f, mdx_list *list, size_t bytes)
{
    void *items = sni_new_raw(f->arena, uint8_t, (uint64_t)bytes * list->count);
    if (!items) return false;
    if (list->count > 0) memcpy(items, list->items, bytes * list->count);
    list->items = items;
    return true;
}

// An array for writing; what the file does not have stays away. NULL only after a failure.
static uint8_t *copy_bytes(fixer *f, mdx_array *array, size_t bytes)
{
    uint8_t *data = sni_new_raw(f->arena, uint8_t, (uint64_t)bytes * array->count);
    if (data && array->count > 0) memcpy(data, array->data, bytes * array->count);
    if (data && array->data) array->data = data;
    return data;
}

// Tracks

static int32_t time_at(const mdx_track *track, size_t bytes, uint32_t key)
{
    return (int32_t)sni_load_u32(track->keys.data + bytes * key);
}

typedef struct sorted_key {
    int32_t time;
    uint32_t index;
} sorted_key;

static int compare_keys(const void *left, const void *right)
{
    const sorted_key *a = left, *b = right;
    if (a->time != b->time) return a->time < b->time ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static bool sort_keys(fixer *f, mdx_array *keys, size_t bytes)
{
    bool is_sorted = true;
    for (uint32_t i = 1; i < keys->count; i++)
        is_sorted &= (int32_t)sni_load_u32(keys->data + bytes * i) >=
                     (int32_t)sni_load_u32(keys->data + bytes * (i - 1));
    if (is_sorted) return true;
    sorted_key *order = sni_new_raw(f->arena, sorted_key, keys->count);
    uint8_t *data = sni_new_raw(f->arena, uint8_t, (uint64_t)bytes * keys->count);
    if (!order || !data) return false;
    for (uint32_t i = 0; i < keys->count; i++)
        order[i] = (sorted_key){ (int32_t)sni_load_u32(keys->data + bytes * i), i };
    qsort(order, keys->count, sizeof *order, compare_keys);
    for (uint32_t i = 0; i < keys->count; i++) memcpy(data + bytes * i, keys->data + bytes * order[i].index, bytes);
    keys->data = data;
    f->sorted++;
    return true;
}

// The game steps visibility whatever the file says: without tangents the keys are the same.
static bool step_visibility(fixer *f, mdx_track *track)
{
    const bool is_visibility = track->kind->is_stepped && track->kind->type == MDX_F32;
    if (!is_visibility || track->interpolation == MDX_STEP) return true;
    const size_t bytes = mdx_key_bytes(track, f->doc->version);
    uint8_t *data = sni_new_raw(f->arena, uint8_t, 8ull * track->keys.count);
    if (!data) return false;
    for (uint32_t i = 0; i < track->keys.count; i++) memcpy(data + 8 * (size_t)i, track->keys.data + bytes * i, 8);
    track->keys.data = data;
    track->interpolation = MDX_STEP;
    f->stepped++;
    return true;
}

static uint32_t first_at(const mdx_track *track, size_t bytes, int64_t time)
{
    uint32_t low = 0, high = track->keys.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (time_at(track, bytes, middle) < time) low = middle + 1;
        else high = middle;
    }
    return low;
}

// Where a value of the file is in a key: the value, the tangent in, the tangent out.
enum { VALUE, IN, OUT };

static uint8_t *part_of(uint8_t *key, uint32_t width, uint32_t part) { return key + 4 + 4 * (size_t)width * part; }

// MDL has no NaN: both forms of the file get the same keys.
static float load_finite(const uint8_t *at)
{
    const float value = sni_load_f32(at);
    return isfinite(value) ? value : 0.0f;
}

static double mix(double a, double b, double u) { return a + (b - a) * u; }

// One component of a key at `start`, and the tangents of its neighbours.
typedef struct split_key {
    float value, in, out, leave, arrive;
} split_key;

// Cuts the way from a to d at u, so that both halves together have its shape: de Casteljau's points for Bezier; for
// Hermite the slope, and all tangents in parts of their new segments.
static split_key cut_way(uint32_t interpolation, double u, double a, double b, double c, double d)
{
    if (interpolation < MDX_HERMITE) return (split_key){ .value = (float)mix(a, d, u) };
    if (interpolation == MDX_BEZIER) {
        const double middle = mix(b, c, u), leave = mix(a, b, u), arrive = mix(c, d, u);
        const double in = mix(leave, middle, u), out = mix(middle, arrive, u);
        return (split_key){ (float)mix(in, out, u), (float)in, (float)out, (float)leave, (float)arrive };
    }
    const double slope = 6.0 * u * (1.0 - u) * (d - a) + b * (3.0 * u * u - 4.0 * u + 1.0) +
                         c * (3.0 * u * u - 2.0 * u);
    const double value = a * (1.0 + 2.0 * u) * (1.0 - u) * (1.0 - u) + b * u * (1.0 - u) * (1.0 - u) -
                         c * u * u * (1.0 - u) + d * u * u * (3.0 - 2.0 * u);
    return (split_key){ (float)value, (float)(slope * u), (float)(slope * (1.0 - u)), (float)(b * u),
                        (float)(c * (1.0 - u)) };
}

static bool is_finite(const split_key *key)
{
    return isfinite(key->value) && isfinite(key->in) && isfinite(key->out) && isfinite(key->leave) &&
           isfinite(key->arrive);
}

static uint8_t *add_key(fixer *f, sni_list *added, size_t bytes, int32_t time)
{
    const uint32_t first = added->count;
    for (size_t k = 0; k < bytes; k++)
        if (!sni_push(f->arena, added, uint8_t)) return NULL;
    uint8_t *key = (uint8_t *)added->items + first;
    sni_store_u32(key, (uint32_t)time);
    return key;
}

// Inner points of a squad that are the value itself: the way to the next such key is an arc.
static void store_arc_key(uint8_t *key, const float value[4], bool has_tangents)
{
    for (uint32_t i = 0; i < (has_tangents ? 12 : 4); i++) sni_store_f32(key + 4 + 4 * (size_t)i, value[i % 4]);
}

// Rotations: an arc is cut exactly. A squad has no exact cut; the way around becomes arcs that stay within 2e-4 rad.
static bool split_rotation(fixer *f, const mdx_track *track, size_t bytes, const int32_t times[4], uint8_t *from,
                           uint8_t *to, sni_list *added)
{
    enum { LAST, END, START, FIRST };
    const bool has_tangents = track->interpolation >= MDX_HERMITE;
    const int64_t before = (int64_t)times[END] - times[LAST], whole = before + times[FIRST] - times[START];
    float a[12], d[12];
    for (uint32_t i = 0; i < (has_tangents ? 12 : 4); i++) {
        static const uint32_t order[] = { 1, 0, 2 };  // a track of the model has in, value, out
        const uint32_t at = has_tangents ? 4 * order[i / 4] + i % 4 : i;
        a[at] = load_finite(from + 4 + 4 * (size_t)i), d[at] = load_finite(to + 4 + 4 * (size_t)i);
    }
    f->started++;
    const float cut = (float)before / 1000.0f, length = (float)whole / 1000.0f;
    sn_track way;
    if (!sni_track_rotation_way(f->arena, has_tangents ? SN_HERMITE : SN_LINEAR, a, d, length, cut, 2e-4,
                                &f->save->keys_left, &way))
        return false;
    int64_t latest = 0;
    for (uint32_t i = 0; i < way.key_count; i++) {
        const bool is_start = way.times[i] == cut;
        const int64_t at = is_start ? before : (int64_t)floor((double)way.times[i] * 1000.0 + 0.5);
        if (!is_start && (at <= latest || at == before || at >= whole)) continue;
        const int64_t time = at < before ? times[LAST] + at : times[START] + (at - before);
        uint8_t *key = add_key(f, added, bytes, (int32_t)time);
        if (!key) return false;
        store_arc_key(key, sni_track_key(&way, i, SNI_KEY_VALUE), has_tangents);
        latest = at;
    }
    if (!has_tangents) return true;
    if (before > 0) memcpy(from + 4 + 32, from + 4, 16);
    memcpy(to + 4 + 16, to + 4, 16);
    return true;
}

// Keys at the start of an interval: what a cycle from the last key to the first shows there; none where
// numbers overflow. `track` has keys of its own, which may change.
static bool add_start(fixer *f, mdx_track *track, size_t bytes, int32_t start, int32_t end, sni_list *added)
{
    const uint32_t width = track->kind->type == MDX_QUAT ? 4 : track->kind->type == MDX_F32 ? 1 : 3;
    const uint32_t first = first_at(track, bytes, start), after = first_at(track, bytes, (int64_t)end + 1);
    if (after < first + 2 || time_at(track, bytes, first) == start) return true;
    uint8_t *keys = (uint8_t *)(uintptr_t)track->keys.data, *to = keys + bytes * first,
            *from = keys + bytes * (after - 1);
    const int32_t times[] = { time_at(track, bytes, after - 1), end, start, time_at(track, bytes, first) };
    if (bytes < 4 + 4 * (size_t)width || memcmp(to + 4, from + 4, 4 * (size_t)width) == 0) return true;
    if (width == 4) return split_rotation(f, track, bytes, times, from, to, added);
    const double before = (double)end - times[0], whole = before + times[3] - start, u = before / whole;
    const bool has_tangents = track->interpolation >= MDX_HERMITE;
    split_key cuts[3];
    for (uint32_t i = 0; i < width; i++) {
        const size_t at = 4 * (size_t)i;
        const double leave = has_tangents ? load_finite(part_of(from, width, OUT) + at) : 0.0,
                     arrive = has_tangents ? load_finite(part_of(to, width, IN) + at) : 0.0;
        cuts[i] = cut_way(track->interpolation, u, load_finite(part_of(from, width, VALUE) + at), leave, arrive,
                          load_finite(part_of(to, width, VALUE) + at));
        if (!is_finite(&cuts[i])) return true;
    }
    uint8_t *key = add_key(f, added, bytes, start);
    if (!key) return false;
    f->started++;
    for (uint32_t i = 0; i < width; i++) {
        const size_t at = 4 * (size_t)i;
        sni_store_f32(part_of(key, width, VALUE) + at, cuts[i].value);
        if (!has_tangents) continue;
        sni_store_f32(part_of(key, width, IN) + at, cuts[i].in);
        sni_store_f32(part_of(key, width, OUT) + at, cuts[i].out);
        if (u > 0.0) sni_store_f32(part_of(from, width, OUT) + at, cuts[i].leave);
        sni_store_f32(part_of(to, width, IN) + at, cuts[i].arrive);
    }
    return true;
}

static int compare_starts(const void *left, const void *right)
{
    const mdx_sequence *a = *(const mdx_sequence *const *)left, *b = *(const mdx_sequence *const *)right;
    const int32_t x = (int32_t)a->start, y = (int32_t)b->start;
    return x != y ? (x < y ? -1 : 1) : (a > b) - (a < b);
}

// Sequences that share a stretch of the timeline share keys there: one cannot get a key without changing the other.
static bool find_overlaps(fixer *f)
{
    const mdx_sequence *sequences = f->doc->sequences.items, *widest = NULL;
    const uint32_t count = f->doc->sequences.count;
    const mdx_sequence **order = sni_new_raw(f->arena, const mdx_sequence *, count);
    f->overlaps = sni_new(f->arena, bool, count);
    if (!order || !f->overlaps) return false;
    for (uint32_t i = 0; i < count; i++) order[i] = &sequences[i];
    if (count > 1) qsort(order, count, sizeof *order, compare_starts);
    for (uint32_t i = 0; i < count; i++) {
        if (widest && (int32_t)order[i]->start < (int32_t)widest->end)
            f->overlaps[order[i] - sequences] = f->overlaps[widest - sequences] = true;
        if (!widest || (int32_t)order[i]->end > (int32_t)widest->end) widest = order[i];
    }
    return true;
}

static bool add_starts(fixer *f, mdx_track *track)
{
    const size_t bytes = mdx_key_bytes(track, f->doc->version);
    const mdx_sequence *sequences = f->doc->sequences.items;
    const bool is_global = track->global_sequence >= 0;
    const uint32_t count = is_global ? 1 : f->doc->sequences.count;
    sni_list added = { 0 };  // uint8_t
    if (track->interpolation == MDX_STEP || track->kind->type == MDX_U32 || track->keys.count < 2) return true;
    if (is_global && (uint32_t)track->global_sequence >= f->doc->global_sequences.count) return true;
    uint8_t *own = sni_new_raw(f->arena, uint8_t, (uint64_t)bytes * track->keys.count);
    if (!own) return false;
    memcpy(own, track->keys.data, bytes * track->keys.count);
    mdx_track changed = *track;
    changed.keys.data = own;
    for (uint32_t i = 0; i < count; i++) {
        const int32_t start = is_global ? 0 : (int32_t)sequences[i].start;
        const int32_t end = is_global ? (int32_t)sni_load_u32(f->doc->global_sequences.data +
                                                              4 * (size_t)track->global_sequence)
                                      : (int32_t)sequences[i].end;
        if (!is_global && f->overlaps[i]) continue;
        if (!add_start(f, &changed, bytes, start, end, &added)) return false;
    }
    if (added.count == 0) return true;
    const uint32_t more = added.count / (uint32_t)bytes;
    uint8_t *data = sni_new_raw(f->arena, uint8_t, (uint64_t)bytes * (track->keys.count + (uint64_t)more));
    if (!data) return false;
    memcpy(data, own, bytes * track->keys.count);
    memcpy(data + bytes * track->keys.count, added.items, added.count);
    track->keys = (mdx_array){ data, track->keys.count + more };
    const uint64_t sorted = f->sorted;
    const bool is_good = sort_keys(f, &track->keys, bytes);
    f->sorted = sorted;
    return is_good;
}

static bool fix_tracks(fixer *f, mdx_tracks *tracks)
{
    mdx_track *items = sni_new_raw(f->arena, mdx_track, tracks->count);
    if (!items) return false;
    for (uint32_t i = 0; i < tracks->count; i++) {
        items[i] = tracks->items[i];
        if (!sort_keys(f, &items[i].keys, mdx_key_bytes(&items[i], f->doc->version)) ||
            !step_visibility(f, &items[i]) || !add_starts(f, &items[i]))
            return false;
    }
    tracks->items = items;
    return true;
}

// Names, grids, layers

static void cut_text(fixer *f, sni_str *text, size_t most)
{
    size_t size = 0;
    while (size < text->size && text->at[size]) size++;
    if (size < most) return;
    for (size = most - 1; size > 0 && ((uint8_t)text->at[size] & 0xC0) == 0x80;) size--;
    *text = sni_str_make(text->at, size);
    f->cut++;
}

static void cut_fields(fixer *f, const mdx_kind *kind, void *element)
{
    for (const mdx_field *field = mdx_fields_of(kind, f->doc->version); field->count; field++) {
        if (!mdx_has_field(field, f->doc->version)) continue;
        sni_str *text = (void *)((char *)element + field->offset);
        if (field->type == MDX_NAME) cut_text(f, text, MDX_NAME_BYTES);
        if (field->type == MDX_PATH) cut_text(f, text, MDX_PATH_BYTES);
    }
}

static bool fix_layers(fixer *f, mdx_material *material)
{
    mdx_layer *layers = sni_new_raw(f->arena, mdx_layer, material->layer_count);
    if (!layers) return false;
    for (uint32_t i = 0; i < material->layer_count; i++) {
        layers[i] = material->layers[i];
        mdx_texture_slot *slots = sni_new_raw(f->arena, mdx_texture_slot, layers[i].slot_count);
        if (!slots || !fix_tracks(f, &layers[i].item.tracks)) return false;
        for (uint32_t k = 0; k < layers[i].slot_count; k++) {
            slots[k] = layers[i].slots[k];
            if (!fix_tracks(f, &slots[k].tracks)) return false;
        }
        layers[i].slots = slots;
    }
    material->layers = layers;
    return true;
}

// A shape from MDL may have any number of values: missing ones are 0. Planes and cylinders have two more forms.
static bool fix_shape(fixer *f, mdx_shape *shape)
{
    const uint32_t count = shape->values.count;
    const bool is_other_form = shape->kind == MDX_PLANE      ? count == 5 || count == 2
                               : shape->kind == MDX_CYLINDER ? count == 6 || count == 2
                                                             : false;
    const uint32_t wanted = shape->kind == MDX_SPHERE ? 4 : shape->kind == MDX_CYLINDER ? 7 : 6;
    if (shape->kind > MDX_CYLINDER || count == wanted || is_other_form) return true;
    uint8_t *data = sni_new(f->arena, uint8_t, 4ull * wanted);
    if (!data) return false;
    if (count > 0) memcpy(data, shape->values.data, 4 * (size_t)(count < wanted ? count : wanted));
    shape->values = (mdx_array){ data, wanted };
    f->shapes++;
    return true;
}

static bool fix_elements(fixer *f)
{
    for (const mdx_kind *kind = mdx_kinds; kind->tag; kind++) {
        mdx_list *list = mdx_list_of(f->doc, kind);
        if (!copy_list(f, list, kind->item_bytes)) return false;
        for (uint32_t i = 0; i < list->count; i++) {
            void *element = mdx_element_at(f->doc, kind, i);
            mdx_item *item = element;
            cut_fields(f, kind, element);
            if (!fix_tracks(f, &item->tracks)) return false;
            if (kind->is_node) {
                mdx_node *node = &((mdx_object *)element)->node;
                cut_text(f, &node->name, MDX_NAME_BYTES);
                if (!fix_tracks(f, &node->tracks)) return false;
            }
            if (kind->tag == MDX_MTLS && !fix_layers(f, element)) return false;
            if (kind->tag == MDX_EVTS && !sort_keys(f, &((mdx_event *)element)->times, 4)) return false;
            if (kind->tag == MDX_CLID && !fix_shape(f, element)) return false;
            mdx_emitter2 *emitter = kind->tag == MDX_PRE2 ? element : NULL;
            if (emitter && (emitter->rows == 0 || emitter->columns == 0)) {
                emitter->rows += emitter->rows == 0;
                emitter->columns += emitter->columns == 0;
                f->grids++;
            }
        }
    }
    cut_text(f, &f->doc->model.name, MDX_NAME_BYTES);
    return true;
}

// Geosets

static mdx_extent extent_of(const mdx_geoset *geoset)
{
    mdx_extent out = { 0 };
    bool has_value[3] = { false };
    for (uint32_t i = 0; i < geoset->positions.count; i++)
        for (int k = 0; k < 3; k++) {
            const float v = sni_load_f32(geoset->positions.data + 12 * (size_t)i + 4 * (size_t)k);
            if (!isfinite(v)) continue;
            if (!has_value[k] || v < out.min[k]) out.min[k] = v;
            if (!has_value[k] || v > out.max[k]) out.max[k] = v;
            has_value[k] = true;
        }
    double far = 0.0;
    for (int k = 0; k < 3; k++) far += pow(fmax(fabs((double)out.min[k]), fabs((double)out.max[k])), 2.0);
    out.radius = (float)fmin(sqrt(far), FLT_MAX);
    return out;
}

static void store_extent(const mdx_extent *extent, uint8_t *out)
{
    const float values[7] = { extent->radius, extent->min[0], extent->min[1], extent->min[2],
                              extent->max[0], extent->max[1], extent->max[2] };
    for (size_t i = 0; i < 7; i++) sni_store_f32(out + 4 * i, values[i]);
}

// Missing ones are those of the whole geoset.
static bool fix_extents(fixer *f, mdx_geoset *geoset)
{
    const uint32_t wanted = f->doc->version == 800 ? f->doc->sequences.count : geoset->extents.count;
    const mdx_extent box = extent_of(geoset);
    bool is_changed = !mdx_is_extent(&geoset->extent) || wanted != geoset->extents.count;
    if (!mdx_is_extent(&geoset->extent)) geoset->extent = box;
    uint8_t *data = sni_new_raw(f->arena, uint8_t, 28ull * wanted);
    if (!data) return false;
    for (uint32_t i = 0; i < wanted; i++) {
        mdx_extent extent = i < geoset->extents.count ? mdx_load_extent(geoset->extents.data + 28 * (size_t)i)
                                                      : geoset->extent;
        if (!mdx_is_extent(&extent)) extent = geoset->extent, is_changed = true;
        store_extent(&extent, data + 28 * (size_t)i);
    }
    if (is_changed) geoset->extents = (mdx_array){ data, wanted };
    f->extents += is_changed;
    return true;
}

// The largest weight takes what is missing or too much, where that is little; else all are scaled.
static bool fix_weights(fixer *f, mdx_geoset *geoset)
{
    uint8_t *data = NULL;
    for (uint32_t i = 0; i < geoset->skin.count / MDX_SKIN_BYTES; i++) {
        const uint8_t *old = geoset->skin.data + MDX_SKIN_BYTES * (size_t)i + 4;
        uint32_t sum = 0, left = 255, best = 0;
        for (uint32_t k = 0; k < 4; k++) sum += old[k], best = old[k] > old[best] ? k : best;
        if (sum == 0 || sum == 255) continue;
        if (!data && !(data = copy_bytes(f, &geoset->skin, 1))) return false;
        uint8_t *weights = data + MDX_SKIN_BYTES * (size_t)i + 4;
        for (uint32_t k = 0; k < 4; k++) {
            weights[k] = (uint8_t)(weights[k] * 255u / sum);
            left -= weights[k];
        }
        weights[best] = (uint8_t)(weights[best] + left);
        f->weights++;
    }
    return true;
}

static bool fix_geosets(fixer *f)
{
    mdx_geoset *geosets = f->doc->geosets.items;
    mdx_sequence *sequences = f->doc->sequences.items;
    for (uint32_t i = 0; i < f->doc->geosets.count; i++)
        if (!fix_extents(f, &geosets[i]) || !fix_weights(f, &geosets[i])) return false;
    mdx_extent all = { 0 };
    for (uint32_t i = 0; i < f->doc->geosets.count; i++)
        for (int k = 0; k < 3; k++) {
            const mdx_extent *one = &geosets[i].extent;
            if (i == 0 || one->min[k] < all.min[k]) all.min[k] = one->min[k];
            if (i == 0 || one->max[k] > all.max[k]) all.max[k] = one->max[k];
            all.radius = fmaxf(all.radius, one->radius);
        }
    if (!mdx_is_extent(&f->doc->model.extent)) f->doc->model.extent = all, f->extents++;
    for (uint32_t i = 0; i < f->doc->sequences.count; i++)
        if (!mdx_is_extent(&sequences[i].extent)) sequences[i].extent = f->doc->model.extent, f->extents++;
    return true;
}

// Sequences

typedef struct sorted_sequence {
    mdx_sequence sequence;
    uint32_t index;
} sorted_sequence;

static int compare_sequences(const void *left, const void *right)
{
    const sorted_sequence *a = left, *b = right;
    const int32_t x = (int32_t)a->sequence.start, y = (int32_t)b->sequence.start;
    return x != y ? (x < y ? -1 : 1) : a->index < b->index ? -1 : 1;
}

// Sorted by time where that keeps them apart; the extents of geosets follow.
static bool sort_sequences(fixer *f)
{
    const uint32_t count = f->doc->sequences.count;
    mdx_sequence *sequences = f->doc->sequences.items;
    mdx_geoset *geosets = f->doc->geosets.items;
    sorted_sequence *order = sni_new_raw(f->arena, sorted_sequence, count);
    bool is_sorted = true;
    if (!order) return false;
    for (uint32_t i = 0; i < count; i++) {
        order[i] = (sorted_sequence){ sequences[i], i };
        if (i > 0) is_sorted &= (int32_t)sequences[i].start >= (int32_t)sequences[i - 1].start;
    }
    if (is_sorted || f->doc->version != 800) return true;
    qsort(order, count, sizeof *order, compare_sequences);
    for (uint32_t i = 1; i < count; i++)
        if ((int32_t)order[i].sequence.start < (int32_t)order[i - 1].sequence.end ||
            order[i].sequence.start == order[i - 1].sequence.start)
            return true;
    for (uint32_t i = 0; i < count; i++) sequences[i] = order[i].sequence;
    for (uint32_t g = 0; g < f->doc->geosets.count; g++) {
        mdx_array *extents = &geosets[g].extents;
        const uint8_t *old = extents->data;
        if (extents->count != count) continue;
        uint8_t *data = copy_bytes(f, extents, 28);
        if (!data) return false;
        for (uint32_t i = 0; i < count; i++) memcpy(data + 28 * (size_t)i, old + 28 * (size_t)order[i].index, 28);
    }
    sni_save_report_repair(f->save, "SEQS", 1, "sequences were sorted by time");
    return true;
}

// Ids

static bool add_pivot_chunk(fixer *f)
{
    const mdx_chunk *chunks = f->doc->chunks.items;
    for (uint32_t i = 0; i < f->doc->chunks.count; i++)
        if (chunks[i].tag == MDX_PIVT) return true;
    if (f->doc->chunks.count == 0) return true;
    mdx_chunk *copy = sni_new(f->arena, mdx_chunk, (uint64_t)f->doc->chunks.count + 1);
    if (!copy) return false;
    memcpy(copy, chunks, f->doc->chunks.count * sizeof *copy);
    copy[f->doc->chunks.count] = (mdx_chunk){ .tag = MDX_PIVT, .count = 1 };
    f->doc->chunks = (sni_list){ .items = copy, .count = f->doc->chunks.count + 1 };
    return true;
}

// The ids that objects had, and a map of them; of equal ones the first object has it.
typedef struct numbering {
    sni_map map;
    int32_t *old_ids;  // per object
    uint32_t count;
} numbering;

static bool make_numbering(fixer *f, const mdx_objects *objects, numbering *n)
{
    *n = (numbering){ .old_ids = sni_new_raw(f->arena, int32_t, objects->count), .count = objects->count };
    if (!n->old_ids) return false;
    for (uint32_t i = 0; i < n->count; i++) {
        const int32_t id = n->old_ids[i] = objects->items[i]->node.id;
        if (!sni_map_add(&n->map, f->arena, sni_hash(&id, sizeof id), i)) return false;
    }
    return true;
}

// The new id of what had this one; the same where nothing had it.
static int32_t new_id(const numbering *n, int32_t old)
{
    for (sni_map_cursor at = sni_map_find(&n->map, sni_hash(&old, sizeof old)); sni_map_next(&n->map, &at);)
        if (n->old_ids[at.item] == old) return (int32_t)at.item;
    return old;
}

static bool renumber_geoset(fixer *f, const numbering *n, mdx_geoset *geoset)
{
    uint8_t *matrices = copy_bytes(f, &geoset->matrices, 4), *skin = copy_bytes(f, &geoset->skin, 1);
    if (!matrices || !skin) return false;
    for (uint32_t i = 0; i < geoset->matrices.count; i++) {
        uint8_t *at = matrices + 4 * (size_t)i;
        sni_store_u32(at, (uint32_t)new_id(n, (int32_t)sni_load_u32(at)));
    }
    for (uint32_t i = 0; i < geoset->skin.count; i++) {
        if (i % MDX_SKIN_BYTES >= 4) continue;  // weights
        const int32_t id = new_id(n, skin[i]);
        if (id >= 0 && id < 256) skin[i] = (uint8_t)id;
    }
    return true;
}

static bool renumber_bind_pose(fixer *f, const numbering *n)
{
    const uint8_t *old = f->doc->bind_pose.data;
    if (f->doc->bind_pose.count <= n->count) return true;
    uint8_t *data = copy_bytes(f, &f->doc->bind_pose, 48);
    if (!data) return false;
    for (uint32_t i = 0; i < n->count; i++)
        if (n->old_ids[i] >= 0 && (uint32_t)n->old_ids[i] < n->count)
            memcpy(data + 48 * (size_t)i, old + 48 * (size_t)n->old_ids[i], 48);
    return true;
}

// Each object's own pivot; `by_id`: where its id says.
static bool number_pivots(fixer *f, const mdx_objects *objects, bool by_id)
{
    uint8_t *pivots = sni_new(f->arena, uint8_t, 12ull * objects->count);
    if (!pivots) return false;
    for (uint32_t i = 0; i < objects->count; i++) {
        const int64_t old = by_id ? objects->items[i]->node.id : (int64_t)i;
        if (old >= 0 && old < f->doc->pivots.count)
            memcpy(pivots + 12 * (size_t)i, f->doc->pivots.data + 12 * (size_t)old, 12);
    }
    sni_save_report_repair(f->save, "PIVT", f->doc->pivots.count != objects->count,
                           "pivots were added or removed, to one per object");
    if (!add_pivot_chunk(f)) return false;
    f->doc->pivots = (mdx_array){ pivots, objects->count };
    return true;
}

// Objects in the order of their chunks, bones first; what refers to an id follows.
static bool number_objects(fixer *f)
{
    mdx_objects objects;
    numbering n;
    if (!mdx_list_objects(f->arena, f->doc, &objects)) return false;
    const bool is_needed = objects.has_bad_ids || objects.has_late_bones;
    if (!is_needed && f->doc->pivots.count == objects.count) return true;
    if (!number_pivots(f, &objects, is_needed)) return false;
    if (!is_needed) return true;
    if (!make_numbering(f, &objects, &n)) return false;
    for (uint32_t i = 0; i < objects.count; i++) {
        mdx_node *node = &objects.items[i]->node;
        if (node->parent != -1) node->parent = new_id(&n, node->parent);
        node->id = (int32_t)i;
        node->lacks_id = false;
    }
    mdx_geoset *geosets = f->doc->geosets.items;
    for (uint32_t i = 0; i < f->doc->geosets.count; i++)
        if (!renumber_geoset(f, &n, &geosets[i])) return false;
    if (!renumber_bind_pose(f, &n)) return false;
    sni_save_report_repair(f->save, "ids", 1, "objects were renumbered, bones first");
    return true;
}

bool mdx_repair(sni_save *save, const void *document, sn_game game, const void **repaired)
{
    mdx_doc *doc = sni_new_raw(&save->scratch, mdx_doc, 1);
    fixer f = { .save = save, .arena = &save->scratch, .doc = doc };
    (void)game;
    if (!doc) return false;
    *doc = *(const mdx_doc *)document;
    *repaired = doc;
    if (mdx_is_wow(doc)) return true;
    save->keys_left = 1 << 18;
    if (!find_overlaps(&f) || !fix_elements(&f) || !fix_geosets(&f) || !sort_sequences(&f) || !number_objects(&f))
        return false;
    sni_save_report_repair(save, "key order", f.sorted, "keys of tracks were sorted");
    sni_save_report_repair(save, "keys", f.started, "keys were added where a sequence starts");
    sni_save_report_repair(save, "visibility", f.stepped, "visibility tracks became stepped, as the game plays them");
    sni_save_report_repair(save, "names", f.cut, "names and paths were shortened to fit their fields");
    sni_save_report_repair(save, "weights", f.weights, "vertex weights were changed to sum to 255");
    sni_save_report_repair(save, "extents", f.extents, "extents were recomputed");
    sni_save_report_repair(save, "CLID", f.shapes, "collision shapes were completed; missing numbers are 0");
    sni_save_report_repair(save, "PRE2", f.grids, "rows and columns of particle textures were raised to 1");
    return sni_save_ok(save);
}
