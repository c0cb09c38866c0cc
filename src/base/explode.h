// Decompression of PKWARE's Data Compression Library ("implode"), which games of the nineties used.
#ifndef SNI_EXPLODE_H
#define SNI_EXPLODE_H

#include "base/text.h"

// Unpacks to the end of the stream, or until `out` is full. False: the stream is damaged or truncated; `written` bytes
// of `out` are set in any case.
bool sni_explode(sni_bytes stream, uint8_t *out, size_t capacity, size_t *written);

#endif
