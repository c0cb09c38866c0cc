// Words and numbers for people, kept in an arena.
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"
#include "print.h"

typedef struct code_range {
    uint32_t first, last;
} code_range;

// Combining marks, in the blocks that names in games use. A missing one only costs alignment.
// clang-format off
static const code_range zero_width[] = {
    { 0x0300, 0x036F }, { 0x0483, 0x0489 }, { 0x0591, 0x05BD }, { 0x0610, 0x061A }, { 0x064B, 0x065F },
    { 0x0E31, 0x0E31 }, { 0x0E34, 0x0E3A }, { 0x0E47, 0x0E4E }, { 0x1AB0, 0x1AFF }, { 0x1DC0, 0x1DFF },
    { 0x200B, 0x200D }, { 0x20D0, 0x20FF }, { 0x3099, 0x309A }, { 0xFE00, 0xFE0F }, { 0xFE20, 0xFE2F },
    { 0xE0100, 0xE01EF },
};

static const code_range double_width[] = {
    { 0x1100, 0x115F }, { 0x2E80, 0x303E }, { 0x3041, 0x33FF }, { 0x3400, 0x4DBF }, { 0x4E00, 0x9FFF },
    { 0xA000, 0xA4CF }, { 0xA960, 0xA97F }, { 0xAC00, 0xD7A3 }, { 0xF900, 0xFAFF }, { 0xFE30, 0xFE6F },
    { 0xFF00, 0xFF60 }, { 0xFFE0, 0xFFE6 }, { 0x1F300, 0x1F64F }, { 0x1F680, 0x1F6FF }, { 0x1F900, 0x1F9FF },
    { 0x20000, 0x3FFFD },
};
// clang-format on

static bool is_in(uint32_t code, const code_range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (code >= ranges[i].first && code <= ranges[i].last) return true;
    return false;
}

static uint32_t code_columns(uint32_t code)
{
    if (code < 0x300) return 1;
    if (is_in(code, zero_width, sizeof zero_width / sizeof zero_width[0])) return 0;
    return is_in(code, double_width, sizeof double_width / sizeof double_width[0]) ? 2 : 1;
}

size_t cli_step(const char *text, uint32_t *columns)
{
    const uint8_t *at = (const uint8_t *)text;
    size_t size = at[0] < 0x80 ? 1 : sni_utf8_length(at, strnlen(text, 4));
    static const uint8_t first_mask[5] = { 0, 0x7F, 0x1F, 0x0F, 0x07 };
    uint32_t code = at[0] & first_mask[size];
    for (size_t i = 1; i < size; i++) code = code << 6 | (at[i] & 0x3Fu);
    *columns = size ? code_columns(code) : 1;
    return size ? size : 1;
}

uint32_t cli_width(const char *text)
{
    uint32_t width = 0, columns;
    while (*text) {
        text += cli_step(text, &columns);
        width += columns;
    }
    return width;
}

const char *cli_format(sni_arena *arena, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int size = vsnprintf(NULL, 0, format, list);
    char *text = size >= 0 ? sni_new_raw(arena, char, (uint64_t)size + 1) : NULL;
    if (text) vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    va_end(list);
    return text;
}

const char *cli_escape(sni_arena *arena, const char *text)
{
    char small[1];
    size_t size = sni_text_printable(text, small, sizeof small);
    char *out = sni_new_raw(arena, char, (uint64_t)size + 1);
    if (out) sni_text_printable(text, out, size + 1);
    return out;
}

size_t cli_cut(const char *text, size_t limit)
{
    size_t size = strnlen(text, limit);
    if (text[size] == 0) return size;
    while (size > 0 && ((uint8_t)text[size] & 0xC0) == 0x80) size--;
    return size;
}

// Bytes of the beginning of safe text that take at most `columns`.
static size_t fit(const char *safe, uint32_t columns)
{
    size_t size = 0;
    for (uint32_t width = 0, step; safe[size];) {
        size_t next = cli_step(safe + size, &step);
        if (width + step > columns) break;
        width += step;
        size += next;
    }
    return size;
}

// Names can be megabytes long: only the beginning is used.
const char *cli_shorten(sni_arena *arena, const char *text, uint32_t columns)
{
    size_t kept = cli_cut(text, (size_t)columns * 8);
    const char *begin = text[kept] ? cli_format(arena, "%.*s…", (int)kept, text) : text;
    const char *safe = begin ? cli_escape(arena, begin) : NULL;
    if (!safe || cli_width(safe) <= columns) return safe;
    return cli_format(arena, "%.*s…", (int)fit(safe, columns - 1), safe);
}

// The end of a path says more than its beginning: it gets two thirds.
const char *cli_shorten_path(sni_arena *arena, const char *text, uint32_t columns)
{
    const size_t most = (size_t)columns * 8, size = strlen(text);
    const char *end = size > most ? text + size - most : text;
    while (((uint8_t)*end & 0xC0) == 0x80) end++;
    const char *head = cli_format(arena, "%.*s", (int)cli_cut(text, most), text), *tail = cli_escape(arena, end);
    head = head ? cli_escape(arena, head) : NULL;
    if (!head || !tail) return NULL;
    if (end == text && cli_width(tail) <= columns) return tail;
    uint32_t front = (columns - 1) / 3, back = columns - 1 - front, step;
    while (cli_width(tail) > back) tail += cli_step(tail, &step);
    return cli_format(arena, "%.*s…%s", (int)fit(head, front), head, tail);
}

const char *cli_count(sni_arena *arena, uint64_t count, const char *one, const char *many)
{
    return cli_format(arena, "%llu %s", (unsigned long long)count, count == 1 ? one : many);
}

const char *cli_join(sni_arena *arena, const char *a, const char *separator, const char *b)
{
    if (!a || !b) return NULL;
    if (!a[0]) return b;
    return b[0] ? cli_format(arena, "%s%s%s", a, separator, b) : a;
}

const char *cli_number(sni_arena *arena, float value)
{
    double size = fabs((double)value);
    if (size == 0) return "0";
    if (size >= 10000 && size < 1e9) return cli_format(arena, "%.0f", (double)value);
    return cli_format(arena, "%.4g", (double)value);
}
