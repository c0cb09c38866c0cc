// Japanese text as old games keep it.
#ifndef SNI_SJIS_H
#define SNI_SJIS_H

#include "base/text.h"

// Shift-JIS (code page 932, with NEC's and IBM's signs) as a NUL-ended copy in UTF-8. Plain ASCII stays as it is,
// backslash and tilde too. Bad bytes and NULs become U+FFFD; `was_bad` (may be NULL) tells. "" when memory ran out.
bool sni_sjis_is_lead(uint8_t byte);  // the first of a sign's two bytes
const char *sni_text_from_sjis(sni_arena *arena, sni_str text, bool *was_bad);

#endif
