// Shift-JIS text.
#ifndef SNI_SJIS_H
#define SNI_SJIS_H

#include "base/text.h"

// Shift-JIS (code page 932, with NEC and IBM characters) as a NUL-ended copy in UTF-8. Plain ASCII stays as it is,
// backslash and tilde too. Bad bytes and NULs become U+FFFD; `was_bad` (may be NULL) reports it. "" when memory ran
// out.
bool sni_sjis_is_lead(uint8_t byte);  // first byte of a two-byte character
const char *sni_text_from_sjis(sni_arena *arena, sni_str text, bool *was_bad);

// Unicode to Shift-JIS. A zeroed one fills itself when the first text needs it.
typedef struct sni_sjis_encoder {
    uint16_t *pairs;  // by code; 0: none
} sni_sjis_encoder;

// UTF-8 as Shift-JIS of at most `most` bytes, cut at a character, with a closing NUL behind. What Shift-JIS lacks
// becomes '_'. `is_whole` (may be NULL): nothing was replaced or cut. Empty when memory ran out.
sni_str sni_text_to_sjis(sni_sjis_encoder *encoder, sni_arena *arena, const char *text, size_t most, bool *is_whole);

#endif
