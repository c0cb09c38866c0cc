// The values of MDL, written: numbers, lists, fields, tracks, and what is hidden from other programs.
#include "format/mdx/mdx_mdl_out.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void mdl_put(mdl_out *out, const char *text) { sni_write_text(out->to, text); }

void mdl_put_float(mdl_out *out, float value)
{
    char text[24];
    sni_write_bytes(out->to, text, sni_format_float(isfinite(value) ? value : 0, text));
}

void mdl_put_unsigned(mdl_out *out, uint32_t value)
{
    char text[16];
    snprintf(text, sizeof text, "%" PRIu32, value);
    mdl_put(out, text);
}

void mdl_put_signed(mdl_out *out, int32_t value)
{
    char text[16];
    snprintf(text, sizeof text, "%" PRId32, value);
    mdl_put(out, text);
}

// A string has no escapes: a quote becomes an apostrophe, line breaks a space. Tabs stay, the game's own models have
// them.
void mdl_put_string(mdl_out *out, sni_str text)
{
    sni_write_u8(out->to, '"');
    for (size_t i = 0; i < text.size && text.at[i]; i++) {
        char c = text.at[i];
        sni_write_u8(out->to, (uint8_t)(c == '"' ? '\'' : c == '\r' || c == '\n' ? ' ' : c));
    }
    sni_write_u8(out->to, '"');
}

void mdl_put_floats(mdl_out *out, const uint8_t *values, uint32_t count)
{
    mdl_put(out, "{ ");
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) mdl_put(out, ", ");
        mdl_put_float(out, sni_load_f32(values + 4 * (size_t)i));
    }
    mdl_put(out, " }");
}

void mdl_begin_line(mdl_out *out) { sni_write_fill(out->to, '\t', out->depth); }

void mdl_end_line(mdl_out *out) { mdl_put(out, ",\n"); }

void mdl_open(mdl_out *out, const char *word, const sni_str *name, int64_t count)
{
    mdl_begin_line(out);
    mdl_put(out, word);
    if (name) mdl_put(out, " "), mdl_put_string(out, *name);
    if (count >= 0) mdl_put(out, " "), mdl_put_unsigned(out, (uint32_t)count);
    mdl_put(out, " {\n");
    out->depth++;
    out->ends_hidden = false;
}

void mdl_close(mdl_out *out)
{
    out->depth--;
    mdl_begin_line(out);
    mdl_put(out, "}\n");
}

sni_writer *mdl_begin_hidden(mdl_out *out)
{
    sni_writer *before = out->to;
    if (out->is_inline) {
        mdl_begin_line(out);
        mdl_put(out, "//@ ");
        return before;
    }
    out->to = &out->later;
    if (!out->has_later) {
        mdl_put(out, "//@ Also ");
        mdl_put(out, out->kind->word);
        mdl_put(out, " ");
        mdl_put_unsigned(out, out->index);
        mdl_put(out, " { ");
        out->has_later = true;
    }
    return before;
}

void mdl_end_hidden(mdl_out *out, sni_writer *before)
{
    mdl_put(out, out->is_inline ? ",\n" : ", ");
    out->to = before;
}

void mdl_hide_number(mdl_out *out, const char *word, uint32_t value)
{
    sni_writer *before = mdl_begin_hidden(out);
    mdl_put(out, word);
    mdl_put(out, " ");
    mdl_put_unsigned(out, value);
    mdl_end_hidden(out, before);
}

static void put_vec3(mdl_out *out, sn_vec3 v)
{
    uint8_t bytes[12];
    sni_store_f32(bytes, v.x), sni_store_f32(bytes + 4, v.y), sni_store_f32(bytes + 8, v.z);
    mdl_put_floats(out, bytes, 3);
}

static void put_extent_corner(mdl_out *out, const char *word, const float *corner)
{
    mdl_begin_line(out);
    mdl_put(out, word);
    put_vec3(out, (sn_vec3){ corner[0], corner[1], corner[2] });
    mdl_end_line(out);
}

void mdl_put_extent(mdl_out *out, const mdx_extent *extent)
{
    put_extent_corner(out, "MinimumExtent ", extent->min);
    put_extent_corner(out, "MaximumExtent ", extent->max);
    mdl_begin_line(out);
    mdl_put(out, "BoundsRadius ");
    mdl_put_float(out, extent->radius);
    mdl_end_line(out);
}

void mdl_put_records(mdl_out *out, const char *word, mdx_array array, uint32_t width)
{
    mdl_open(out, word, NULL, array.count);
    for (uint32_t i = 0; i < array.count; i++) {
        mdl_begin_line(out);
        mdl_put_floats(out, array.data + 4 * (size_t)width * i, width);
        mdl_end_line(out);
    }
    mdl_close(out);
}

static uint32_t load_scalar(const uint8_t *data, uint32_t i, mdl_scalar scalar)
{
    if (scalar == MDL_U8) return data[i];
    return scalar == MDL_U16 ? sni_load_u16(data + 2 * (size_t)i) : sni_load_u32(data + 4 * (size_t)i);
}

void mdl_put_numbers(mdl_out *out, const char *word, mdx_array array, mdl_scalar scalar)
{
    mdl_put(out, word);
    mdl_put(out, "{ ");
    for (uint32_t i = 0; i < array.count; i++) {
        if (i > 0) mdl_put(out, ", ");
        if (scalar == MDL_F32) mdl_put_float(out, sni_load_f32(array.data + 4 * (size_t)i));
        else if (scalar == MDL_I32) mdl_put_signed(out, (int32_t)load_scalar(array.data, i, scalar));
        else mdl_put_unsigned(out, load_scalar(array.data, i, scalar));
    }
    mdl_put(out, " }");
}

static sn_vec3 text_vec3(const mdx_field *field, const sn_vec3 *value)
{
    return field->type == MDX_COLOR ? (sn_vec3){ value->z, value->y, value->x } : *value;
}

// SegmentColor { Color { b, g, r }, ... }
static void put_colors(mdl_out *out, const mdx_field *field, const sn_vec3 *colors)
{
    mdl_put(out, "{\n");
    out->depth++;
    for (uint32_t i = 0; i < field->count; i++) {
        mdl_begin_line(out);
        mdl_put(out, "Color ");
        put_vec3(out, text_vec3(field, &colors[i]));
        mdl_end_line(out);
    }
    out->depth--;
    mdl_begin_line(out);
    mdl_put(out, "}");
}

static void put_integer(mdl_out *out, const mdx_field *field, const void *value)
{
    int32_t number = *(const int32_t *)value;
    bool is_bone = out->kind && out->kind->tag == MDX_TAG('B', 'O', 'N', 'E') && number == -1;
    if (is_bone) mdl_put(out, strcmp(field->word, "GeosetId") == 0 ? "Multiple" : "None");
    else mdl_put_signed(out, number);
}

static void put_one(mdl_out *out, const mdx_field *field, const void *at, uint32_t i)
{
    switch (field->type) {
    case MDX_U8: mdl_put_unsigned(out, ((const uint8_t *)at)[i]); break;
    case MDX_U32: mdl_put_unsigned(out, ((const uint32_t *)at)[i]); break;
    case MDX_I32: put_integer(out, field, (const int32_t *)at + i); break;
    case MDX_F32: mdl_put_float(out, ((const float *)at)[i]); break;
    case MDX_VEC3:
    case MDX_COLOR: put_vec3(out, text_vec3(field, (const sn_vec3 *)at + i)); break;
    case MDX_NAME:
    case MDX_PATH: mdl_put_string(out, *(const sni_str *)at); break;
    case MDX_QUAT:
    case MDX_EXTENT: break;
    }
}

void mdl_put_field(mdl_out *out, const mdx_field *field, const void *element)
{
    const void *at = (const char *)element + field->offset;
    if (field->track) mdl_put(out, "static ");
    mdl_put(out, field->word);
    mdl_put(out, " ");
    if (field->count == 1) {
        put_one(out, field, at, 0);
    } else if (field->type == MDX_COLOR) {
        put_colors(out, field, at);
    } else {
        for (uint32_t i = 0; i < field->count; i++) {
            mdl_put(out, i == 0 ? "{ " : ", ");
            put_one(out, field, at, i);
        }
        mdl_put(out, " }");
    }
}

// As text says it: what is no number becomes 0.
static bool says_same(float value, float fallback)
{
    float said = isfinite(value) ? value : 0;
    return memcmp(&said, &fallback, sizeof said) == 0;
}

bool mdl_is_fallback(const mdx_field *field, const void *element)
{
    const void *at = (const char *)element + field->offset;
    const sn_vec3 *v = at;
    const sni_str *text = at;
    switch (field->type) {
    case MDX_U8: return field->count == 1 && *(const uint8_t *)at == 0;
    case MDX_U32: return field->count == 1 && *(const uint32_t *)at == 0;
    case MDX_I32: return field->count == 1 && *(const int32_t *)at == (int32_t)field->fallback;
    case MDX_F32: return field->count == 1 && says_same(*(const float *)at, field->fallback);
    case MDX_VEC3:
    case MDX_COLOR:
        return field->count == 1 && says_same(v->x, field->fallback) && says_same(v->y, field->fallback) &&
               says_same(v->z, field->fallback);
    case MDX_NAME:
    case MDX_PATH: return text->size == 0 || text->at[0] == 0;
    case MDX_QUAT:
    case MDX_EXTENT: break;
    }
    return false;
}

bool mdl_has_track(mdx_tracks tracks, uint32_t tag)
{
    for (uint32_t i = 0; i < tracks.count; i++)
        if (tracks.items[i].kind->tag == tag) return true;
    return false;
}

void mdl_put_still(mdl_out *out, const mdx_field *field, const void *element, mdx_tracks tracks, bool always)
{
    bool is_fallback = mdl_is_fallback(field, element), is_moved = field->track && mdl_has_track(tracks, field->track);
    if (is_fallback && (is_moved || !always)) return;
    mdl_begin_line(out);
    mdl_put_field(out, field, element);
    mdl_end_line(out);
}

static void put_key_value(mdl_out *out, mdx_type type, const uint8_t *at)
{
    if (type == MDX_U32) {
        mdl_put_unsigned(out, sni_load_u32(at));
    } else if (type == MDX_F32) {
        mdl_put_float(out, sni_load_f32(at));
    } else if (type == MDX_QUAT && mdx_is_alpha(out->doc)) {
        sn_quat q = mdx_unpack_quat(at);
        uint8_t bytes[16];
        sni_store_f32(bytes, q.x), sni_store_f32(bytes + 4, q.y), sni_store_f32(bytes + 8, q.z),
            sni_store_f32(bytes + 12, q.w);
        mdl_put_floats(out, bytes, 4);
    } else {
        mdl_put_floats(out, at, type == MDX_QUAT ? 4 : 3);
    }
}

static void put_tangent(mdl_out *out, const char *word, mdx_type type, const uint8_t *at)
{
    mdl_begin_line(out);
    mdl_put(out, word);
    put_key_value(out, type, at);
    mdl_end_line(out);
}

static void put_key(mdl_out *out, const mdx_track *track, const uint8_t *key)
{
    size_t bytes = mdx_type_bytes(track->kind->type, out->doc->version);
    mdl_begin_line(out);
    mdl_put_signed(out, (int32_t)sni_load_u32(key));
    mdl_put(out, ": ");
    put_key_value(out, track->kind->type, key + 4);
    mdl_end_line(out);
    if (track->interpolation <= MDX_LINEAR) return;
    out->depth++;
    put_tangent(out, "InTan ", track->kind->type, key + 4 + bytes);
    put_tangent(out, "OutTan ", track->kind->type, key + 4 + 2 * bytes);
    out->depth--;
}

void mdl_put_track(mdl_out *out, const mdx_track *track)
{
    bool was_inline = out->is_inline;
    size_t bytes = mdx_key_bytes(track, out->doc->version);
    mdl_open(out, track->kind->word, NULL, track->keys.count);
    out->is_inline = true;
    mdl_begin_line(out);
    mdl_put(out, mdl_interpolation_words[track->interpolation > MDX_BEZIER ? MDX_BEZIER : track->interpolation]);
    mdl_end_line(out);
    if (track->interpolation > MDX_BEZIER) mdl_hide_number(out, "Interpolation", track->interpolation);
    if (track->global_sequence != -1) {
        mdl_begin_line(out);
        mdl_put(out, "GlobalSeqId ");
        mdl_put_signed(out, track->global_sequence);
        mdl_end_line(out);
    }
    for (uint32_t i = 0; i < track->keys.count; i++) put_key(out, track, track->keys.data + bytes * i);
    out->is_inline = was_inline;
    mdl_close(out);
}

// The filter, the one number whose word stands behind another: layers without it are not read by everyone.
static uint32_t known_filter(uint32_t filter) { return filter <= MDX_FILTER_MODULATE_2X ? filter : MDX_FILTER_BLEND; }

// The words of an element's numbers; `said` is what the block says of the first without any word.
void mdl_put_words(mdl_out *out, uint32_t tag, const void *element, uint32_t said)
{
    for (const mdl_number *number = mdl_numbers_of(tag); number->raw; number++) {
        if (!mdl_has_number(number, out->doc->version)) continue;
        uint32_t value = *(const uint32_t *)(const void *)((const char *)element + number->offset);
        uint32_t shown = number->prefix ? known_filter(value) : value;
        for (const mdl_word *word = number->words; word->word; word++) {
            if ((shown & word->mask) != word->bits) continue;
            mdl_begin_line(out);
            if (number->prefix) mdl_put(out, number->prefix), mdl_put(out, " ");
            mdl_put(out, word->word);
            mdl_end_line(out);
            said = (said & ~word->mask) | word->bits;
        }
        if (said != value) mdl_hide_number(out, number->raw, value);
        said = 0;
    }
}
