// The values of MDL, written: numbers, lists, fields, tracks, and what is hidden from other programs.
#include "format/mdx/mdx_mdl_out.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void mdx_mdl_put(mdx_mdl_out *out, const char *text) { sni_write_text(out->to, text); }

void mdx_mdl_put_float(mdx_mdl_out *out, float value)
{
    char text[24];
    sni_write_bytes(out->to, text, sni_format_float(isfinite(value) ? value : 0, text));
}

void mdx_mdl_put_unsigned(mdx_mdl_out *out, uint32_t value)
{
    char text[16];
    snprintf(text, sizeof text, "%" PRIu32, value);
    mdx_mdl_put(out, text);
}

void mdx_mdl_put_signed(mdx_mdl_out *out, int32_t value)
{
    char text[16];
    snprintf(text, sizeof text, "%" PRId32, value);
    mdx_mdl_put(out, text);
}

// A string has no escapes: a quote becomes an apostrophe, line breaks a space. Tabs stay, the game's own models have
// them.
void mdx_mdl_put_string(mdx_mdl_out *out, sni_str text)
{
    sni_write_u8(out->to, '"');
    for (size_t i = 0; i < text.size && text.at[i]; i++) {
        char c = text.at[i];
        sni_write_u8(out->to, (uint8_t)(c == '"' ? '\'' : c == '\r' || c == '\n' ? ' ' : c));
    }
    sni_write_u8(out->to, '"');
}

void mdx_mdl_put_floats(mdx_mdl_out *out, const uint8_t *values, uint32_t count)
{
    mdx_mdl_put(out, "{ ");
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) mdx_mdl_put(out, ", ");
        mdx_mdl_put_float(out, sni_load_f32(values + 4 * (size_t)i));
    }
    mdx_mdl_put(out, " }");
}

void mdx_mdl_begin_line(mdx_mdl_out *out) { sni_write_fill(out->to, '\t', out->depth); }

void mdx_mdl_end_line(mdx_mdl_out *out) { mdx_mdl_put(out, ",\n"); }

void mdx_mdl_open(mdx_mdl_out *out, const char *word, const sni_str *name, int64_t count)
{
    mdx_mdl_begin_line(out);
    mdx_mdl_put(out, word);
    if (name) mdx_mdl_put(out, " "), mdx_mdl_put_string(out, *name);
    if (count >= 0) mdx_mdl_put(out, " "), mdx_mdl_put_unsigned(out, (uint32_t)count);
    mdx_mdl_put(out, " {\n");
    out->depth++;
    out->ends_hidden = false;
}

void mdx_mdl_close(mdx_mdl_out *out)
{
    out->depth--;
    mdx_mdl_begin_line(out);
    mdx_mdl_put(out, "}\n");
}

sni_writer *mdx_mdl_begin_hidden(mdx_mdl_out *out)
{
    sni_writer *before = out->to;
    if (out->is_inline) {
        mdx_mdl_begin_line(out);
        mdx_mdl_put(out, "//@ ");
        return before;
    }
    out->to = &out->later;
    if (!out->has_later) {
        mdx_mdl_put(out, "//@ Also ");
        mdx_mdl_put(out, out->kind->word);
        mdx_mdl_put(out, " ");
        mdx_mdl_put_unsigned(out, out->index);
        mdx_mdl_put(out, " { ");
        out->has_later = true;
    }
    return before;
}

void mdx_mdl_end_hidden(mdx_mdl_out *out, sni_writer *before)
{
    mdx_mdl_put(out, out->is_inline ? ",\n" : ", ");
    out->to = before;
}

void mdx_mdl_hide_number(mdx_mdl_out *out, const char *word, uint32_t value)
{
    sni_writer *before = mdx_mdl_begin_hidden(out);
    mdx_mdl_put(out, word);
    mdx_mdl_put(out, " ");
    mdx_mdl_put_unsigned(out, value);
    mdx_mdl_end_hidden(out, before);
}

static void put_vec3(mdx_mdl_out *out, sn_vec3 v)
{
    uint8_t bytes[12];
    sni_store_f32(bytes, v.x), sni_store_f32(bytes + 4, v.y), sni_store_f32(bytes + 8, v.z);
    mdx_mdl_put_floats(out, bytes, 3);
}

static void put_extent_corner(mdx_mdl_out *out, const char *word, const float *corner)
{
    mdx_mdl_begin_line(out);
    mdx_mdl_put(out, word);
    put_vec3(out, (sn_vec3){ corner[0], corner[1], corner[2] });
    mdx_mdl_end_line(out);
}

void mdx_mdl_put_extent(mdx_mdl_out *out, const mdx_extent *extent)
{
    put_extent_corner(out, "MinimumExtent ", extent->min);
    put_extent_corner(out, "MaximumExtent ", extent->max);
    mdx_mdl_begin_line(out);
    mdx_mdl_put(out, "BoundsRadius ");
    mdx_mdl_put_float(out, extent->radius);
    mdx_mdl_end_line(out);
}

void mdx_mdl_put_records(mdx_mdl_out *out, const char *word, mdx_array array, uint32_t width)
{
    mdx_mdl_open(out, word, NULL, array.count);
    for (uint32_t i = 0; i < array.count; i++) {
        mdx_mdl_begin_line(out);
        mdx_mdl_put_floats(out, array.data + 4 * (size_t)width * i, width);
        mdx_mdl_end_line(out);
    }
    mdx_mdl_close(out);
}

static uint32_t load_scalar(const uint8_t *data, uint32_t i, mdx_mdl_scalar scalar)
{
    if (scalar == MDX_MDL_U8) return data[i];
    return scalar == MDX_MDL_U16 ? sni_load_u16(data + 2 * (size_t)i) : sni_load_u32(data + 4 * (size_t)i);
}

void mdx_mdl_put_numbers(mdx_mdl_out *out, const char *word, mdx_array array, mdx_mdl_scalar scalar)
{
    mdx_mdl_put(out, word);
    mdx_mdl_put(out, "{ ");
    for (uint32_t i = 0; i < array.count; i++) {
        if (i > 0) mdx_mdl_put(out, ", ");
        if (scalar == MDX_MDL_F32) mdx_mdl_put_float(out, sni_load_f32(array.data + 4 * (size_t)i));
        else if (scalar == MDX_MDL_I32) mdx_mdl_put_signed(out, (int32_t)load_scalar(array.data, i, scalar));
        else mdx_mdl_put_unsigned(out, load_scalar(array.data, i, scalar));
    }
    mdx_mdl_put(out, " }");
}

static sn_vec3 text_vec3(const mdx_field *field, const sn_vec3 *value)
{
    return field->type == MDX_COLOR ? (sn_vec3){ value->z, value->y, value->x } : *value;
}

// SegmentColor { Color { b, g, r }, ... }
static void put_colors(mdx_mdl_out *out, const mdx_field *field, const sn_vec3 *colors)
{
    mdx_mdl_put(out, "{\n");
    out->depth++;
    for (uint32_t i = 0; i < field->count; i++) {
        mdx_mdl_begin_line(out);
        mdx_mdl_put(out, "Color ");
        put_vec3(out, text_vec3(field, &colors[i]));
        mdx_mdl_end_line(out);
    }
    out->depth--;
    mdx_mdl_begin_line(out);
    mdx_mdl_put(out, "}");
}

static void put_integer(mdx_mdl_out *out, const mdx_field *field, const void *value)
{
    int32_t number = *(const int32_t *)value;
    bool is_bone = out->kind && out->kind->tag == MDX_TAG('B', 'O', 'N', 'E') && number == -1;
    if (is_bone) mdx_mdl_put(out, strcmp(field->word, "GeosetId") == 0 ? "Multiple" : "None");
    else mdx_mdl_put_signed(out, number);
}

static void put_one(mdx_mdl_out *out, const mdx_field *field, const void *at, uint32_t i)
{
    switch (field->type) {
    case MDX_U8: mdx_mdl_put_unsigned(out, ((const uint8_t *)at)[i]); break;
    case MDX_U32: mdx_mdl_put_unsigned(out, ((const uint32_t *)at)[i]); break;
    case MDX_I32: put_integer(out, field, (const int32_t *)at + i); break;
    case MDX_F32: mdx_mdl_put_float(out, ((const float *)at)[i]); break;
    case MDX_VEC3:
    case MDX_COLOR: put_vec3(out, text_vec3(field, (const sn_vec3 *)at + i)); break;
    case MDX_NAME:
    case MDX_PATH: mdx_mdl_put_string(out, *(const sni_str *)at); break;
    case MDX_QUAT:
    case MDX_EXTENT: break;
    }
}

void mdx_mdl_put_field(mdx_mdl_out *out, const mdx_field *field, const void *element)
{
    const void *at = (const char *)element + field->offset;
    if (field->track) mdx_mdl_put(out, "static ");
    mdx_mdl_put(out, field->word);
    mdx_mdl_put(out, " ");
    if (field->count == 1) {
        put_one(out, field, at, 0);
    } else if (field->type == MDX_COLOR) {
        put_colors(out, field, at);
    } else {
        for (uint32_t i = 0; i < field->count; i++) {
            mdx_mdl_put(out, i == 0 ? "{ " : ", ");
            put_one(out, field, at, i);
        }
        mdx_mdl_put(out, " }");
    }
}

// As text says it: what is no number becomes 0.
static bool says_same(float value, float fallback)
{
    float said = isfinite(value) ? value : 0;
    return memcmp(&said, &fallback, sizeof said) == 0;
}

bool mdx_mdl_is_fallback(const mdx_field *field, const void *element)
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

bool mdx_mdl_has_track(mdx_tracks tracks, uint32_t tag)
{
    for (uint32_t i = 0; i < tracks.count; i++)
        if (tracks.items[i].kind->tag == tag) return true;
    return false;
}

void mdx_mdl_put_still(mdx_mdl_out *out, const mdx_field *field, const void *element, mdx_tracks tracks, bool always)
{
    bool is_fallback = mdx_mdl_is_fallback(field, element),
         is_moved = field->track && mdx_mdl_has_track(tracks, field->track);
    if (is_fallback && (is_moved || !always)) return;
    mdx_mdl_begin_line(out);
    mdx_mdl_put_field(out, field, element);
    mdx_mdl_end_line(out);
}

static void put_key_value(mdx_mdl_out *out, mdx_type type, const uint8_t *at)
{
    if (type == MDX_U32) {
        mdx_mdl_put_unsigned(out, sni_load_u32(at));
    } else if (type == MDX_F32) {
        mdx_mdl_put_float(out, sni_load_f32(at));
    } else if (type == MDX_QUAT && mdx_is_alpha(out->doc)) {
        sn_quat q = mdx_unpack_quat(at);
        uint8_t bytes[16];
        sni_store_f32(bytes, q.x), sni_store_f32(bytes + 4, q.y), sni_store_f32(bytes + 8, q.z),
            sni_store_f32(bytes + 12, q.w);
        mdx_mdl_put_floats(out, bytes, 4);
    } else {
        mdx_mdl_put_floats(out, at, type == MDX_QUAT ? 4 : 3);
    }
}

static void put_tangent(mdx_mdl_out *out, const char *word, mdx_type type, const uint8_t *at)
{
    mdx_mdl_begin_line(out);
    mdx_mdl_put(out, word);
    put_key_value(out, type, at);
    mdx_mdl_end_line(out);
}

static void put_key(mdx_mdl_out *out, const mdx_track *track, const uint8_t *key)
{
    size_t bytes = mdx_type_bytes(track->kind->type, out->doc->version);
    mdx_mdl_begin_line(out);
    mdx_mdl_put_signed(out, (int32_t)sni_load_u32(key));
    mdx_mdl_put(out, ": ");
    put_key_value(out, track->kind->type, key + 4);
    mdx_mdl_end_line(out);
    if (track->interpolation <= MDX_LINEAR) return;
    out->depth++;
    put_tangent(out, "InTan ", track->kind->type, key + 4 + bytes);
    put_tangent(out, "OutTan ", track->kind->type, key + 4 + 2 * bytes);
    out->depth--;
}

void mdx_mdl_put_track(mdx_mdl_out *out, const mdx_track *track)
{
    bool was_inline = out->is_inline;
    size_t bytes = mdx_key_bytes(track, out->doc->version);
    mdx_mdl_open(out, track->kind->word, NULL, track->keys.count);
    out->is_inline = true;
    mdx_mdl_begin_line(out);
    mdx_mdl_put(out,
                mdx_mdl_interpolation_words[track->interpolation > MDX_BEZIER ? MDX_BEZIER : track->interpolation]);
    mdx_mdl_end_line(out);
    if (track->interpolation > MDX_BEZIER) mdx_mdl_hide_number(out, "Interpolation", track->interpolation);
    if (track->global_sequence != -1) {
        mdx_mdl_begin_line(out);
        mdx_mdl_put(out, "GlobalSeqId ");
        mdx_mdl_put_signed(out, track->global_sequence);
        mdx_mdl_end_line(out);
    }
    for (uint32_t i = 0; i < track->keys.count; i++) put_key(out, track, track->keys.data + bytes * i);
    out->is_inline = was_inline;
    mdx_mdl_close(out);
}

// The filter, the one number whose word stands behind another: layers without it are not read by everyone.
static uint32_t known_filter(uint32_t filter) { return filter <= MDX_FILTER_MODULATE_2X ? filter : MDX_FILTER_BLEND; }

// The words of an element's numbers; `said` is what the block says of the first without any word.
void mdx_mdl_put_words(mdx_mdl_out *out, uint32_t tag, const void *element, uint32_t said)
{
    for (const mdx_mdl_number *number = mdx_mdl_numbers_of(tag); number->raw; number++) {
        if (!mdx_mdl_has_number(number, out->doc->version)) continue;
        uint32_t value = *(const uint32_t *)(const void *)((const char *)element + number->offset);
        uint32_t shown = number->prefix ? known_filter(value) : value;
        for (const mdx_mdl_word *word = number->words; word->word; word++) {
            if ((shown & word->mask) != word->bits) continue;
            mdx_mdl_begin_line(out);
            if (number->prefix) mdx_mdl_put(out, number->prefix), mdx_mdl_put(out, " ");
            mdx_mdl_put(out, word->word);
            mdx_mdl_end_line(out);
            said = (said & ~word->mask) | word->bits;
        }
        if (said != value) mdx_mdl_hide_number(out, number->raw, value);
        said = 0;
    }
}
