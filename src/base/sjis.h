// Shift-JIS text.
#ifndef SNI_SJIS_H
#define SNI_SJIS_H

#include "base/text.h"

// Shift-JIS (code page 932, with NEC and IBM characters) as a NUL-ended copy in UTF-8. Plain ASCII stays as it is,
// backslash and tilde too. Bad bytes and NULs become U+FFFD; `was_bad` (may be NULL) reports it. "" when memory ran
// out.
bool sni_sjis_is_lead(uint8_t byte);  // first byte of a two-byte character
const char *sni_text_from_sjis(sni_arena *arena, sni_str text, bool *was_bad);

#endif
