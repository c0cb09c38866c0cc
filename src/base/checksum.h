// Checksums of PNG and zlib.
#ifndef SNI_CHECKSUM_H
#define SNI_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

uint32_t sni_crc32(const uint8_t *data, size_t size);    // of a chunk: its type and data
uint32_t sni_adler32(const uint8_t *data, size_t size);  // of what a zlib stream unpacks to

#endif
