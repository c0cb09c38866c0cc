// Deflate compression (RFC 1951).
#ifndef SNI_DEFLATE_H
#define SNI_DEFLATE_H

#include "base/writer.h"

enum { SNI_DEFLATE_MOST_BYTES = 0x7FFFFFFF };

// Appends the stream to `out`. At most SNI_DEFLATE_MOST_BYTES; the same bytes always give the same stream.
// Returns false when out of memory.
bool sni_deflate(sni_writer *out, sni_arena *scratch, const uint8_t *data, size_t size);

#endif
