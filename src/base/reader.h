// A window on untrusted bytes with a sticky failure: after the first failure every read returns zero and
// moves nothing, so parsers stay straight lines. A child window cannot see past its parent.
#ifndef SNI_READER_H
#define SNI_READER_H

#include "base/arena.h"
#include "base/text.h"

typedef struct sni_reader {
    const uint8_t *start, *at, *end;
    uint64_t origin;  // offset of start in the file
    sni_diag *diag;
    sni_arena *arena;  // where parsed items go
} sni_reader;

sni_reader sni_reader_make(const void *data, size_t size, sni_diag *diag, sni_arena *arena);

static inline bool sni_ok(const sni_reader *reader) { return !sni_failed(reader->diag); }
static inline size_t sni_rest(const sni_reader *reader) { return (size_t)(reader->end - reader->at); }
static inline uint64_t sni_offset(const sni_reader *reader)
{
    return reader->origin + (uint64_t)(reader->at - reader->start);
}

// `size` bytes as a pointer into the window; NULL and a failure when fewer remain.
const uint8_t *sni_take(sni_reader *reader, uint64_t size);
void sni_skip(sni_reader *reader, uint64_t size);
void sni_seek(sni_reader *reader, uint64_t position);  // from the window's start

// A window on the next `size` bytes, which the parent steps over.
sni_reader sni_read_window(sni_reader *reader, uint64_t size);

// Counts come only with the proof that the bytes for them exist.
uint32_t sni_read_count(sni_reader *reader, size_t item_bytes);        // a u32, then room for that many
uint32_t sni_rest_count(const sni_reader *reader, size_t item_bytes);  // whole items in what remains
bool sni_has_items(sni_reader *reader, uint64_t count, size_t item_bytes);

uint8_t sni_read_u8(sni_reader *reader);
uint16_t sni_read_u16(sni_reader *reader);
uint32_t sni_read_u32(sni_reader *reader);
int32_t sni_read_i32(sni_reader *reader);
uint64_t sni_read_u64(sni_reader *reader);
float sni_read_f32(sni_reader *reader);
sn_vec3 sni_read_vec3(sni_reader *reader);
void sni_read_words(sni_reader *reader, void *out, size_t count);  // numbers of four bytes, of any type

// Numbers are in memory as they are in files.
static inline bool sni_is_little_endian(void)
{
    const uint16_t probe = 1;
    return *(const uint8_t *)&probe == 1;
}

// Little-endian values at a pointer whose bytes were proven to exist.
static inline uint16_t sni_load_u16(const uint8_t *at) { return (uint16_t)(at[0] | at[1] << 8); }
static inline uint32_t sni_load_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
static inline float sni_load_f32(const uint8_t *at)
{
    uint32_t bits = sni_load_u32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
// The same for big-endian values.
static inline uint16_t sni_load_big_u16(const uint8_t *at) { return (uint16_t)(at[0] << 8 | at[1]); }
static inline uint32_t sni_load_big_u32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

void sni_load_words(const uint8_t *at, void *out, size_t count);  // numbers of four bytes, of any type

#endif
