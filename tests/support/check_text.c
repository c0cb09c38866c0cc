#include "check_text.h"

#include <stdint.h>
#include <string.h>

enum { JSON_DEPTH = 1024 };

// Length of the sequence at s and its code, or 0. Decodes first, then refuses what has a shorter form.
static size_t utf8_decode(const uint8_t *s, size_t size, uint32_t *code)
{
    static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
    size_t length = s[0] < 0x80 ? 1 : s[0] >> 5 == 6 ? 2 : s[0] >> 4 == 14 ? 3 : s[0] >> 3 == 30 ? 4 : 0;
    if (length == 0 || length > size) return 0;
    *code = length == 1 ? s[0] : s[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (s[i] >> 6 != 2) return 0;
        *code = *code << 6 | (s[i] & 63u);
    }
    bool is_surrogate = *code >= 0xd800 && *code <= 0xdfff;
    return *code < smallest[length] || *code > 0x10ffff || is_surrogate ? 0 : length;
}

bool is_utf8(const char *text, size_t size)
{
    uint32_t code;
    for (size_t i = 0, length; i < size; i += length) {
        length = utf8_decode((const uint8_t *)text + i, size - i, &code);
        if (length == 0) return false;
    }
    return true;
}

bool is_plain_text(const char *text)
{
    uint32_t code = 0;
    size_t size = strlen(text);
    for (size_t i = 0, length; i < size; i += length) {
        length = utf8_decode((const uint8_t *)text + i, size - i, &code);
        if (length == 0 || code < 0x20 || (code >= 0x7f && code <= 0x9f)) return false;
    }
    return true;
}

typedef struct cursor {
    const char *at, *end;
} cursor;

static bool is_at(const cursor *c, char wanted) { return c->at < c->end && *c->at == wanted; }
static bool is_digit(const cursor *c) { return c->at < c->end && *c->at >= '0' && *c->at <= '9'; }

static void skip_space(cursor *c)
{
    while (c->at < c->end && memchr(" \t\n\r", *c->at, 4)) c->at++;
}

static bool take(cursor *c, char wanted)
{
    if (!is_at(c, wanted)) return false;
    c->at++;
    return true;
}

static bool take_word(cursor *c, const char *word)
{
    size_t size = strlen(word);
    if ((size_t)(c->end - c->at) < size || memcmp(c->at, word, size) != 0) return false;
    c->at += size;
    return true;
}

static bool take_digits(cursor *c)
{
    if (!is_digit(c)) return false;
    while (is_digit(c)) c->at++;
    return true;
}

static bool take_number(cursor *c)
{
    take(c, '-');
    if (!take(c, '0') && !take_digits(c)) return false;
    if (take(c, '.') && !take_digits(c)) return false;
    if (!take(c, 'e') && !take(c, 'E')) return true;
    if (!take(c, '+')) take(c, '-');
    return take_digits(c);
}

static bool take_string(cursor *c)
{
    if (!take(c, '"')) return false;
    while (c->at < c->end) {
        unsigned char byte = (unsigned char)*c->at++;
        if (byte == '"') return true;
        if (byte < 0x20) return false;
        if (byte != '\\') continue;
        if (c->at == c->end) return false;
        char escape = *c->at++;
        if (escape == 'u') {
            for (int i = 0; i < 4; i++, c->at++)
                if (c->at == c->end || *c->at == 0 || !strchr("0123456789abcdefABCDEF", *c->at)) return false;
        } else if (escape == 0 || !strchr("\"\\/bfnrt", escape)) {
            return false;
        }
    }
    return false;
}

static bool take_scalar(cursor *c)
{
    if (is_at(c, '"')) return take_string(c);
    return take_word(c, "true") || take_word(c, "false") || take_word(c, "null") || take_number(c);
}

static bool take_key(cursor *c)
{
    skip_space(c);
    if (!take_string(c)) return false;
    skip_space(c);
    return take(c, ':');
}

bool is_json(const char *text, size_t size)
{
    char closers[JSON_DEPTH];
    size_t depth = 0;
    cursor c = { text, text + size };
    for (;;) {
        skip_space(&c);
        bool is_open = false;
        if (is_at(&c, '[') || is_at(&c, '{')) {
            if (depth == JSON_DEPTH) return false;
            closers[depth++] = *c.at++ == '[' ? ']' : '}';
            skip_space(&c);
            is_open = !is_at(&c, closers[depth - 1]);
            if (is_open && closers[depth - 1] == '}' && !take_key(&c)) return false;
        } else if (!take_scalar(&c)) {
            return false;
        }
        if (is_open) continue;
        for (skip_space(&c); depth && take(&c, closers[depth - 1]); skip_space(&c)) depth--;
        if (depth == 0) return c.at == c.end;
        if (!take(&c, ',')) return false;
        if (closers[depth - 1] == '}' && !take_key(&c)) return false;
    }
}
