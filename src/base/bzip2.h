// Decompression of bzip2 streams.
#ifndef SNI_BZIP2_H
#define SNI_BZIP2_H

#include "base/text.h"

// Words of working memory for at most `capacity` bytes of output.
size_t sni_bzip2_words(size_t capacity);

// Unpacks the whole stream. False: it is damaged, truncated, or has more than `capacity` bytes; `written` bytes of
// `out` are set in any case.
bool sni_bzip2(sni_bytes stream, uint8_t *out, size_t capacity, uint32_t *work, size_t *written);

#endif
