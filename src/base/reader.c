#include "base/reader.h"

#include <string.h>

sni_reader sni_reader_make(const void *data, size_t size, sni_diag *diag, sni_arena *arena)
{
    static const uint8_t nothing[1];
    const uint8_t *start = data ? data : nothing;
    return (sni_reader){ .start = start, .at = start, .end = start + (data ? size : 0), .diag = diag, .arena = arena };
}

static bool fail_short(sni_reader *reader, uint64_t wanted)
{
    return sni_fail(reader->diag, SN_ERR_TRUNCATED, sni_offset(reader), "%llu bytes needed, %zu remain",
                    (unsigned long long)wanted, sni_rest(reader));
}

const uint8_t *sni_take(sni_reader *reader, uint64_t size)
{
    if (!sni_ok(reader)) return NULL;
    if (size > sni_rest(reader)) {
        fail_short(reader, size);
        return NULL;
    }
    const uint8_t *at = reader->at;
    reader->at += size;
    return at;
}

void sni_skip(sni_reader *reader, uint64_t size) { (void)sni_take(reader, size); }

void sni_seek(sni_reader *reader, uint64_t position)
{
    if (!sni_ok(reader)) return;
    uint64_t size = (uint64_t)(reader->end - reader->start);
    if (position > size) {
        sni_fail(reader->diag, SN_ERR_TRUNCATED, sni_offset(reader), "position %llu is past the end at %llu",
                 (unsigned long long)position, (unsigned long long)size);
        return;
    }
    reader->at = reader->start + position;
}

sni_reader sni_read_window(sni_reader *reader, uint64_t size)
{
    sni_reader child = *reader;
    child.origin = sni_offset(reader);
    const uint8_t *at = sni_take(reader, size);
    child.start = child.at = at ? at : reader->at;
    child.end = at ? at + size : reader->at;
    return child;
}

bool sni_has_items(sni_reader *reader, uint64_t count, size_t item_bytes)
{
    if (!sni_ok(reader)) return false;
    if (item_bytes == 0 || count <= sni_rest(reader) / item_bytes) return true;
    return sni_fail(reader->diag, SN_ERR_TRUNCATED, sni_offset(reader), "%llu items need %zu bytes each, %zu remain",
                    (unsigned long long)count, item_bytes, sni_rest(reader));
}

uint32_t sni_read_count(sni_reader *reader, size_t item_bytes)
{
    uint32_t count = sni_read_u32(reader);
    return sni_has_items(reader, count, item_bytes) ? count : 0;
}

uint32_t sni_rest_count(const sni_reader *reader, size_t item_bytes)
{
    if (!sni_ok(reader) || item_bytes == 0) return 0;
    size_t count = sni_rest(reader) / item_bytes;
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

uint8_t sni_read_u8(sni_reader *reader)
{
    const uint8_t *at = sni_take(reader, 1);
    return at ? at[0] : 0;
}

uint16_t sni_read_u16(sni_reader *reader)
{
    const uint8_t *at = sni_take(reader, 2);
    return at ? sni_load_u16(at) : 0;
}

uint32_t sni_read_u32(sni_reader *reader)
{
    const uint8_t *at = sni_take(reader, 4);
    return at ? sni_load_u32(at) : 0;
}

int32_t sni_read_i32(sni_reader *reader) { return (int32_t)sni_read_u32(reader); }

uint64_t sni_read_u64(sni_reader *reader)
{
    const uint8_t *at = sni_take(reader, 8);
    return at ? sni_load_u32(at) | (uint64_t)sni_load_u32(at + 4) << 32 : 0;
}

float sni_read_f32(sni_reader *reader)
{
    const uint8_t *at = sni_take(reader, 4);
    return at ? sni_load_f32(at) : 0.0f;
}

sn_vec3 sni_read_vec3(sni_reader *reader)
{
    sn_vec3 value = { 0 };
    const uint8_t *at = sni_take(reader, 12);
    if (at) value = (sn_vec3){ sni_load_f32(at), sni_load_f32(at + 4), sni_load_f32(at + 8) };
    return value;
}

void sni_load_words(const uint8_t *at, void *out, size_t count)
{
    if (sni_is_little_endian()) {
        if (count > 0) memcpy(out, at, 4 * count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t word = sni_load_u32(at + 4 * i);
        memcpy((uint8_t *)out + 4 * i, &word, sizeof word);
    }
}

void sni_read_words(sni_reader *reader, void *out, size_t count)
{
    if (!sni_has_items(reader, count, 4)) return;
    sni_load_words(sni_take(reader, 4 * (uint64_t)count), out, count);
}
