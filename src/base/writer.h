// Bytes out: a growing buffer with a sticky failure.
#ifndef SNI_WRITER_H
#define SNI_WRITER_H

#include <string.h>

#include "base/arena.h"

typedef struct sni_writer {
    sni_heap *heap;
    uint8_t *data;
    size_t size, capacity;
    bool failed;
} sni_writer;

void sni_writer_init(sni_writer *writer, sni_heap *heap);
void sni_writer_free(sni_writer *writer);

// Room for so many bytes behind those written; the caller fills it and adds to writer->size. NULL after a failure.
uint8_t *sni_write_room(sni_writer *writer, size_t size);

void sni_write_bytes(sni_writer *writer, const void *data, size_t size);
void sni_write_text(sni_writer *writer, const char *text);
void sni_write_fill(sni_writer *writer, uint8_t byte, size_t count);
void sni_write_align(sni_writer *writer, size_t alignment, uint8_t byte);
void sni_write_u8(sni_writer *writer, uint8_t value);
void sni_write_u16(sni_writer *writer, uint16_t value);
void sni_write_u32(sni_writer *writer, uint32_t value);
void sni_write_f32(sni_writer *writer, float value);
void sni_write_words(sni_writer *writer, const void *values, size_t count);  // numbers of four bytes, of any type
void sni_patch_u32(sni_writer *writer, size_t at, uint32_t value);
void sni_patch_bytes(sni_writer *writer, size_t at, const void *data,
                     size_t size);  // within the bytes already written

// Little-endian, at a pointer with room for it.
static inline void sni_store_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> 8 * i);
}
static inline void sni_store_f32(uint8_t *at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    sni_store_u32(at, bits);
}

#endif
