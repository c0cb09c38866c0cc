// Deflate decompression (RFC 1951).
#ifndef SNI_INFLATE_H
#define SNI_INFLATE_H

#include "base/text.h"

typedef enum sni_inflate_end {
    SNI_INFLATE_DONE,   // the stream ended, perhaps before `out` was full
    SNI_INFLATE_FULL,   // `out` is full; the stream may go on
    SNI_INFLATE_SHORT,  // the bytes ended first
    SNI_INFLATE_CORRUPT
} sni_inflate_end;

typedef struct sni_inflated {
    sni_inflate_end end;
    size_t written, read;  // bytes of `out`; bytes of the stream, counting a partly used one
} sni_inflated;

sni_inflated sni_inflate(sni_bytes stream, uint8_t *out, size_t capacity);

#endif
