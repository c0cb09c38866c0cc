// Small, and a file of its own: it includes the generated table.
#include "base/sjis.h"

#include "base/sjis_table.h"

enum { TRAILS = sizeof two_byte_codes[0] / sizeof two_byte_codes[0][0], BAD = 0xFFFD };

bool sni_sjis_is_lead(uint8_t byte) { return (byte >= 0x81 && byte <= 0x9F) || (byte >= 0xE0 && byte <= 0xFC); }

// The code of two bytes, 0 when they have none. 0xF0 to 0xF9 are for users: Unicode's private codes, in order.
static uint32_t code_of(uint8_t lead, uint8_t trail)
{
    if (trail < 0x40 || trail == 0x7F || trail > 0xFC) return 0;
    uint32_t column = trail - (trail < 0x7F ? 0x40u : 0x41u);
    if (lead >= 0xF0 && lead <= 0xF9) return 0xE000 + (lead - 0xF0u) * TRAILS + column;
    uint32_t row = lead < 0xA0 ? lead - 0x81u : lead < 0xF0 ? lead - 0xE0u + 31 : lead - 0xFAu + 47;
    return two_byte_codes[row][column];
}

// Length and code of the character at `at`. In a bad pair the second byte is kept if it is ASCII: it may end a name or
// a line.
static size_t read_sign(const uint8_t *at, const uint8_t *end, uint32_t *code)
{
    uint8_t lead = at[0];
    *code = lead > 0 && lead < 0x80 ? lead : lead >= 0xA1 && lead <= 0xDF ? 0xFF61u + (lead - 0xA1u) : 0;
    if (*code || !sni_sjis_is_lead(lead) || end - at < 2) return 1;
    *code = code_of(lead, at[1]);
    return *code || at[1] >= 0x80 ? 2 : 1;
}

static size_t ascii_length(const uint8_t *at, size_t size)
{
    size_t length = 0;
    while (length < size && (uint8_t)(at[length] - 1) < 0x7F) length++;
    return length;
}

const char *sni_text_from_sjis(sni_arena *arena, sni_str text, bool *was_bad)
{
    const uint8_t *at = (const uint8_t *)(text.at ? text.at : ""), *end = at + text.size;
    size_t used = ascii_length(at, text.size);
    if (was_bad) *was_bad = false;
    char *out = sni_new_raw(arena, char,
                            (uint64_t)text.size + 2 * (uint64_t)(text.size - used) + 1);  // a byte is three at most
    if (!out) return "";
    if (used > 0) memcpy(out, at, used);
    for (at += used; at < end;) {
        uint32_t code;
        at += read_sign(at, end, &code);
        if (was_bad && code == 0) *was_bad = true;
        used += sni_utf8_encode(code ? code : BAD, out + used);
    }
    out[used] = 0;
    return out;
}

// Of valid UTF-8.
static uint32_t read_utf8(const char **text, const char *end)
{
    const uint8_t *at = (const uint8_t *)*text;
    const size_t length = sni_utf8_length(at, (size_t)(end - *text));
    *text += length > 0 ? length : 1;
    if (length < 2) return length ? at[0] : BAD;
    uint32_t code = at[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) code = code << 6 | (at[i] & 0x3Fu);
    return code;
}

static bool fill_encoder(sni_sjis_encoder *encoder, sni_arena *arena)
{
    if (encoder->pairs) return true;
    encoder->pairs = sni_new(arena, uint16_t, 0x10000);
    if (!encoder->pairs) return false;
    for (uint32_t lead = 0xFC; lead >= 0x81; lead--)  // of several pairs for one code the first is usual
        for (uint32_t trail = 0xFC; trail >= 0x40; trail--) {
            const uint32_t code = sni_sjis_is_lead((uint8_t)lead) ? code_of((uint8_t)lead, (uint8_t)trail) : 0;
            if (code) encoder->pairs[code] = (uint16_t)(lead << 8 | trail);
        }
    return true;
}

sni_str sni_text_to_sjis(sni_sjis_encoder *encoder, sni_arena *arena, const char *text, size_t most, bool *is_whole)
{
    const char *end = text + strlen(text);
    char *out = sni_new_raw(arena, char, most + 1);
    size_t used = 0;
    bool is_good = true;
    if (!out) return sni_str_make("", 0);
    while (text < end) {
        const uint32_t code = read_utf8(&text, end);
        const bool is_katakana = code >= 0xFF61 && code <= 0xFF9F, is_single = code < 0x80 || is_katakana;
        if (!is_single && !fill_encoder(encoder, arena)) return sni_str_make("", 0);
        const uint32_t pair = !is_single && code < 0x10000 ? encoder->pairs[code] : 0;
        const bool is_pair = pair != 0;
        if (used + (is_pair ? 2 : 1) > most) {
            is_good = false;
            break;
        }
        is_good &= is_single || is_pair;
        if (is_pair) out[used++] = (char)(pair >> 8), out[used++] = (char)pair;
        else out[used++] = is_katakana ? (char)(code - 0xFF61 + 0xA1) : is_single ? (char)code : '_';
    }
    out[used] = 0;
    if (is_whole) *is_whole = is_good;
    return sni_str_make(out, used);
}
