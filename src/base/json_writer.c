#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"

sni_json_writer sni_json_writer_make(sni_writer *out, bool indent)
{
    return (sni_json_writer){ .out = out, .indent = indent };
}

static void new_line(sni_json_writer *json, uint32_t depth)
{
    sni_write_u8(json->out, '\n');
    sni_write_fill(json->out, ' ', 2 * (size_t)depth);
}

// The comma, and the line break when indenting, before a value or key.
static void separate(sni_json_writer *json)
{
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (json->depth == 0) return;
    bool is_flat = json->is_flat[json->depth - 1];
    if (json->state[json->depth - 1] & 1) sni_write_u8(json->out, ',');
    if (json->indent && !is_flat) new_line(json, json->depth);
    else if (json->indent && (json->state[json->depth - 1] & 1)) sni_write_u8(json->out, ' ');
    json->state[json->depth - 1] |= 1;
}

enum { HAS_ELEMENTS = 1, IS_ARRAY = 2 };

static void begin(sni_json_writer *json, char bracket, bool is_flat)
{
    separate(json);
    assert(json->depth < sizeof json->state);
    sni_write_u8(json->out, (uint8_t)bracket);
    bool inherits = json->depth > 0 && json->is_flat[json->depth - 1];
    json->state[json->depth] = bracket == '[' ? IS_ARRAY : 0;
    json->is_flat[json->depth++] = is_flat || inherits;
}

void sni_json_begin_object(sni_json_writer *json) { begin(json, '{', false); }
void sni_json_begin_array(sni_json_writer *json) { begin(json, '[', false); }
void sni_json_begin_flat_array(sni_json_writer *json) { begin(json, '[', true); }

void sni_json_end(sni_json_writer *json)
{
    assert(json->depth > 0);
    json->depth--;
    uint8_t state = json->state[json->depth];
    if (json->indent && (state & HAS_ELEMENTS) && !json->is_flat[json->depth]) new_line(json, json->depth);
    sni_write_u8(json->out, state & IS_ARRAY ? ']' : '}');
}

static void put_string(sni_json_writer *json, const char *text)
{
    sni_write_u8(json->out, '"');
    const uint8_t *at = (const uint8_t *)text, *end = at + strlen(text);
    for (;;) {
        const uint8_t *plain = at;
        while (at < end && *at >= 0x20 && *at < 0x7F && *at != '"' && *at != '\\') at++;
        sni_write_bytes(json->out, plain, (size_t)(at - plain));
        if (at == end) break;
        size_t size = sni_utf8_length(at, (size_t)(end - at));
        char escape[8];
        // Also escapes DEL, C1 controls and the line separators that JavaScript rejects.
        bool is_c1 = size == 2 && at[0] == 0xC2 && at[1] < 0xA0;
        bool is_separator = size == 3 && at[0] == 0xE2 && at[1] == 0x80 && (at[2] == 0xA8 || at[2] == 0xA9);
        if (size == 0) {
            sni_write_text(json->out, "\\ufffd");
        } else if (*at == '"' || *at == '\\') {
            sni_write_u8(json->out, '\\');
            sni_write_u8(json->out, *at);
        } else if (*at < 0x20 || *at == 0x7F || is_c1) {
            snprintf(escape, sizeof escape, "\\u%04x", is_c1 ? at[1] : *at);
            sni_write_text(json->out, escape);
        } else if (is_separator) {
            sni_write_text(json->out, at[2] == 0xA8 ? "\\u2028" : "\\u2029");
        } else {
            sni_write_bytes(json->out, at, size);
        }
        at += size ? size : 1;
    }
    sni_write_u8(json->out, '"');
}

void sni_json_key(sni_json_writer *json, const char *key)
{
    separate(json);
    put_string(json, key);
    sni_write_text(json->out, json->indent ? ": " : ":");
    json->after_key = true;
}

void sni_json_put_text(sni_json_writer *json, const char *text)
{
    separate(json);
    put_string(json, text ? text : "");
}

void sni_json_put_raw(sni_json_writer *json, const char *text)
{
    separate(json);
    sni_write_text(json->out, text);
}

void sni_json_put_members(sni_json_writer *json, const char *text)
{
    size_t size = strlen(text);
    assert(size >= 2 && text[0] == '{' && text[size - 1] == '}');
    if (size == 2) return;
    separate(json);
    sni_write_bytes(json->out, text + 1, size - 2);
}

void sni_json_put_integer(sni_json_writer *json, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    sni_json_put_raw(json, text);
}

void sni_json_put_float(sni_json_writer *json, float value)
{
    char text[24];
    if (!isfinite(value)) {
        sni_json_put_raw(json, "null");
        return;
    }
    sni_format_float(value, text);
    sni_json_put_raw(json, text);
}

void sni_json_put_bool(sni_json_writer *json, bool value) { sni_json_put_raw(json, value ? "true" : "false"); }
