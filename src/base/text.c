#include "base/text.h"

#include <string.h>

bool sni_str_equal_nocase(sni_str a, sni_str b)
{
    if (a.size != b.size) return false;
    for (size_t i = 0; i < a.size; i++)
        if (sni_lower(a.at[i]) != sni_lower(b.at[i])) return false;
    return true;
}

bool sni_str_is_nocase(sni_str str, const char *literal)
{
    for (size_t i = 0; i < str.size; i++)
        if (!literal[i] || sni_lower(str.at[i]) != sni_lower(literal[i])) return false;
    return !literal[str.size];
}

int sni_text_compare_nocase(const char *a, const char *b)
{
    while (*a && sni_lower(*a) == sni_lower(*b)) a++, b++;
    return (int)(uint8_t)sni_lower(*a) - (int)(uint8_t)sni_lower(*b);
}

const char *sni_last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool sni_has_ending(const char *path, const char *endings)
{
    const char *name = sni_last_name(path);
    const size_t length = strlen(name);
    for (const char *at = endings; *at;) {
        const size_t size = strcspn(at, " ");
        const char *own = length > size ? name + length - size : NULL;
        if (own && own[-1] == '.' && sni_str_is_nocase(sni_str_make(at, size), own)) return true;
        at += size + (at[size] == ' ');
    }
    return false;
}

size_t sni_stem_size(const char *name)
{
    const char *dot = strrchr(name, '.');
    if (sni_has_ending(name, "w3d.json")) return strlen(name) - strlen(".w3d.json");
    return dot ? (size_t)(dot - name) : strlen(name);
}

bool sni_str_starts(sni_str str, const char *literal)
{
    size_t size = strlen(literal);
    return str.size >= size && memcmp(str.at, literal, size) == 0;
}

static bool is_tail(uint8_t byte) { return (byte & 0xC0) == 0x80; }

size_t sni_utf8_length(const uint8_t *at, size_t size)
{
    if (size == 0) return 0;
    if (at[0] < 0x80) return 1;
    if (at[0] >= 0xC2 && at[0] <= 0xDF) return size >= 2 && is_tail(at[1]) ? 2 : 0;
    if (at[0] >= 0xE0 && at[0] <= 0xEF) {
        if (size < 3 || !is_tail(at[1]) || !is_tail(at[2])) return 0;
        if (at[0] == 0xE0 && at[1] < 0xA0) return 0;    // overlong
        return at[0] == 0xED && at[1] >= 0xA0 ? 0 : 3;  // a surrogate
    }
    if (at[0] >= 0xF0 && at[0] <= 0xF4) {
        if (size < 4 || !is_tail(at[1]) || !is_tail(at[2]) || !is_tail(at[3])) return 0;
        if (at[0] == 0xF0 && at[1] < 0x90) return 0;
        return at[0] == 0xF4 && at[1] >= 0x90 ? 0 : 4;  // beyond U+10FFFF
    }
    return 0;
}

size_t sni_utf8_encode(uint32_t code, char out[4])
{
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) code = 0xFFFD;
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    static const uint8_t lead[] = { 0, 0, 0xC0, 0xE0, 0xF0 };
    out[0] = (char)(lead[size] | code);
    return size;
}

const char *sni_text_clean(sni_arena *arena, sni_str text, bool *was_bad)
{
    const uint8_t *at = (const uint8_t *)(text.at ? text.at : ""), *end = at + text.size, *scan = at;
    size_t bad = 0;
    while (scan < end && (uint8_t)(*scan - 1) < 0x7F) scan++;  // plain ASCII, as most names are
    while (scan < end) {
        size_t size = *scan ? sni_utf8_length(scan, (size_t)(end - scan)) : 0;
        bad += size == 0;
        scan += size ? size : 1;
    }
    if (was_bad) *was_bad = bad > 0;
    if (bad == 0) {
        char *copy = sni_copy_text(arena, text.at, text.size);
        return copy ? copy : "";
    }
    char *out = sni_new_raw(arena, char, (uint64_t)text.size + 2 * bad + 1);
    if (!out) return "";
    size_t used = 0;
    while (at < end) {
        size_t size = *at ? sni_utf8_length(at, (size_t)(end - at)) : 0;
        if (size) memcpy(out + used, at, size), used += size;
        else used += sni_utf8_encode(0xFFFD, out + used);
        at += size ? size : 1;
    }
    out[used] = 0;
    return out;
}

void sni_text_clean_fixed(char *text, size_t capacity)
{
    text[capacity - 1] = 0;
    uint8_t *at = (uint8_t *)text;
    size_t rest = strlen(text);
    while (rest > 0) {
        size_t size = sni_utf8_length(at, rest);
        bool is_c1 = size == 2 && at[0] == 0xC2 && at[1] < 0xA0;
        if (size == 0 || is_c1 || (size == 1 && (at[0] < 0x20 || at[0] == 0x7F))) {
            at[0] = '?';
            size = 1;
        }
        at += size;
        rest -= size;
    }
}

static uint32_t decode(const uint8_t *at, size_t size)
{
    static const uint8_t masks[] = { 0, 0x7F, 0x1F, 0x0F, 0x07 };
    uint32_t code = at[0] & masks[size];
    for (size_t i = 1; i < size; i++) code = code << 6 | (at[i] & 0x3F);
    return code;
}

// Control characters, line and paragraph separators, and direction overrides.
static bool is_harmful(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || code == 0x200E || code == 0x200F ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

static size_t print_escape(uint32_t code, size_t size, char out[16])
{
    static const char digits[] = "0123456789abcdef";
    size_t used = 0;
    out[used++] = '\\';
    if (size <= 1) {
        out[used++] = 'x';
        out[used++] = digits[code >> 4 & 15];
        out[used++] = digits[code & 15];
        return used;
    }
    out[used++] = 'u';
    for (int shift = 12; shift >= 0; shift -= 4) out[used++] = digits[code >> shift & 15];
    return used;
}

size_t sni_text_printable(const char *text, char *out, size_t capacity)
{
    const uint8_t *at = (const uint8_t *)text;
    size_t rest = strlen(text), needed = 0, written = 0;
    bool is_full = capacity == 0;
    while (rest > 0) {
        char escape[16];
        size_t size = sni_utf8_length(at, rest);
        uint32_t code = size ? decode(at, size) : at[0];
        bool is_bad = size == 0 || is_harmful(code);
        size_t step = size ? size : 1;
        size_t length = is_bad ? print_escape(code, size, escape) : step;
        needed += length;
        is_full = is_full || length >= capacity - written;
        if (!is_full) {
            memcpy(out + written, is_bad ? escape : (const char *)at, length);
            written += length;
        }
        at += step;
        rest -= step;
    }
    if (capacity > 0) out[written] = 0;
    return needed;
}

// `drive`: a ':' is one, because it ends a drive, a scheme, a stream.
static bool has_harmful_byte(sni_str ref, bool drive)
{
    for (size_t i = 0; i < ref.size; i++) {
        uint8_t byte = (uint8_t)ref.at[i];
        if (byte == 0xEF && ref.size - i >= 3 && memcmp(ref.at + i, "\xEF\xBF\xBD", 3) == 0)
            return true;  // was no text
        if (byte < 0x20 || byte == 0x7F || (drive && byte == ':')) return true;
    }
    return false;
}

bool sni_ref_clean(sni_str ref, char *out, size_t capacity)
{
    size_t used = 0;
    bool is_good = ref.size > 0 && ref.size < capacity && ref.at[0] != '/' && ref.at[0] != '\\' &&
                   !has_harmful_byte(ref, true);
    for (size_t at = 0; is_good && at < ref.size;) {
        size_t end = at;
        while (end < ref.size && ref.at[end] != '/' && ref.at[end] != '\\') end++;
        sni_str name = sni_str_make(ref.at + at, end - at);
        is_good = !sni_str_is(name, "..") && !(used == 0 && sni_str_starts(name, "~"));
        if (is_good && name.size > 0 && !sni_str_is(name, ".")) {
            if (used > 0) out[used++] = '/';
            memcpy(out + used, name.at, name.size);
            used += name.size;
        }
        at = end + 1;
    }
    if (!is_good) used = 0;
    out[used] = 0;
    return used > 0;
}

bool sni_ref_clean_last(sni_str ref, char *out, size_t capacity)
{
    size_t at = ref.size;
    while (at > 0 && ref.at[at - 1] != '/' && ref.at[at - 1] != '\\' && ref.at[at - 1] != ':') at--;
    if (has_harmful_byte(ref, false)) at = ref.size;
    return sni_ref_clean(sni_str_make(ref.at + at, ref.size - at), out, capacity);
}

bool sni_ref_is_above(sni_str ref)
{
    if (ref.size == 0 || ref.at[0] == '/' || ref.at[0] == '~' || has_harmful_byte(ref, true)) return false;
    return !memchr(ref.at, '\\', ref.size);
}
