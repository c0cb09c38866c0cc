// Decompression of meshopt streams, as EXT_meshopt_compression and KHR_meshopt_compression of glTF specify them: three
// kinds of streams, and filters for decoded attributes.
#ifndef SNI_MESHOPT_H
#define SNI_MESHOPT_H

#include "base/reader.h"

enum { SNI_MESHOPT_STRIDE_MAX = 256 };

// Each decodes `count` elements of `stride` bytes to `out`, or returns false: the stream is damaged, or `in` is not
// exactly its bytes. Strides of attributes are multiples of 4 up to SNI_MESHOPT_STRIDE_MAX, those of indices 2 or 4;
// triangles have three indices each.
bool sni_meshopt_attributes(sni_bytes in, uint32_t count, uint32_t stride, uint8_t *out);
bool sni_meshopt_triangles(sni_bytes in, uint32_t count, uint32_t stride, uint8_t *out);
bool sni_meshopt_indices(sni_bytes in, uint32_t count, uint32_t stride, uint8_t *out);

// In place. Octahedral and color: strides 4 and 8; quaternion: 8; exponential: any.
void sni_meshopt_octahedral(uint8_t *data, uint32_t count, uint32_t stride);
void sni_meshopt_quaternion(uint8_t *data, uint32_t count);
void sni_meshopt_exponential(uint8_t *data, uint32_t count, uint32_t stride);
void sni_meshopt_color(uint8_t *data, uint32_t count, uint32_t stride);

#endif
