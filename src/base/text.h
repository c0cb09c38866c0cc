// Text: spans, UTF-8 cleaning, numbers without locale.
#ifndef SNI_TEXT_H
#define SNI_TEXT_H

#include <string.h>

#include "base/arena.h"

// A string with its length, not NUL-terminated.
typedef struct sni_str {
    const char *at;
    size_t size;
} sni_str;

typedef struct sni_bytes {
    const uint8_t *data;
    size_t size;
} sni_bytes;

static inline sni_str sni_str_make(const char *at, size_t size)
{
    sni_str str = { at, size };
    return str;
}

// What comes before the first NUL, or all of it.
static inline sni_str sni_str_until_nul(const void *at, size_t size)
{
    const char *nul = size > 0 ? memchr(at, 0, size) : NULL;
    return sni_str_make(at, nul ? (size_t)(nul - (const char *)at) : size);
}

static inline char sni_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

// -1: not a hexadecimal digit.
static inline int sni_hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static inline bool sni_str_is(sni_str str, const char *literal)
{
    size_t size = strlen(literal);  // known at compile time where it matters
    return str.size == size && memcmp(str.at, literal, size) == 0;
}

bool sni_str_equal_nocase(sni_str a, sni_str b);  // ignores the case of ASCII letters, as the next two do
bool sni_str_is_nocase(sni_str str, const char *literal);
int sni_text_compare_nocase(const char *a, const char *b);   // ordered as by strcmp
bool sni_has_ending(const char *path, const char *endings);  // one of them: "gltf glb w3d.json", ignoring case
size_t sni_stem_size(const char *name);                      // without the ending: "a" of "a.glb" and "a.w3d.json"
const char *sni_last_name(const char *path);                 // the part after the last slash
bool sni_str_starts(sni_str str, const char *literal);

// Cleans a reference found inside a file: '\' becomes '/', "." and empty names go. Returns false (and writes "")
// for what must not be opened: absolute, a drive, UNC, any "scheme:", "..", "~", control characters, too long.
bool sni_ref_clean(sni_str ref, char *out, size_t capacity);
// The last name of a reference that leads elsewhere, cleaned. False also for what is no text.
bool sni_ref_clean_last(sni_str ref, char *out, size_t capacity);
bool sni_ref_is_above(sni_str ref);  // relative and clean but for ".."

// Eight bytes of text as one number, the first byte lowest: one load where the processor is little-endian.
static inline uint64_t sni_load_eight(const char *at)
{
    const uint8_t *b = (const uint8_t *)at;
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 | (uint64_t)b[4] << 32 |
           (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
}

// How many bytes precede the lowest marked one. Marks are top bits of bytes; 8 when there are none.
static inline uint32_t sni_bytes_below(uint64_t marks)
{
#ifdef __GNUC__
    return marks ? (uint32_t)__builtin_ctzll(marks) / 8 : 8;
#else
    const uint64_t ones = 0x0101010101010101u;
    uint64_t below = ((marks & (0 - marks)) >> 7) - 1;  // all bits of those bytes
    return (uint32_t)((below & ones) * ones >> 56);
#endif
}

// Length of the valid UTF-8 sequence at `at` (1..4), or 0 when there is none.
size_t sni_utf8_length(const uint8_t *at, size_t size);
size_t sni_utf8_encode(uint32_t code, char out[4]);  // returns the length; bad codes become U+FFFD

// A NUL-ended copy in valid UTF-8: bad sequences and NULs become U+FFFD. `was_bad` (may be NULL) reports it.
const char *sni_text_clean(sni_arena *arena, sni_str text, bool *was_bad);

// Cleans in place within `capacity` bytes, NUL included, for text of fixed size: control characters become '?'.
void sni_text_clean_fixed(char *text, size_t capacity);

// Escapes what could harm a terminal: control characters, line separators, direction overrides. Returns the length
// needed; writes at most capacity - 1 bytes and a NUL.
size_t sni_text_printable(const char *text, char *out, size_t capacity);

// Decimal to float32, correctly rounded, independent of the locale: digits * 10^exponent with any number of digits.
// The text is a JSON number (already checked); overflow gives infinity.
float sni_parse_float(const char *at, size_t size);

// The JSON number at `at`: its value, and where it ends; NULL when there is none.
const char *sni_scan_float(const char *at, const char *end, float *value);

// The shortest decimal that reads back as the same float; at most 16 bytes, returns the length. Finite values only.
size_t sni_format_float(float value, char out[24]);

#endif
