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
