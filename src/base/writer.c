#include "base/writer.h"

#include "base/reader.h"

void sni_writer_init(sni_writer *writer, sni_heap *heap) { *writer = (sni_writer){ .heap = heap }; }

void sni_writer_free(sni_writer *writer)
{
    sni_heap_free(writer->heap, writer->data, writer->capacity);
    sni_writer_init(writer, writer->heap);
}

static bool reserve(sni_writer *writer, size_t size)
{
    if (writer->failed) return false;
    if (size <= writer->capacity - writer->size) return true;
    size_t wanted = writer->capacity ? writer->capacity : 4096;
    while (wanted - writer->size < size && wanted <= SIZE_MAX / 2) wanted *= 2;
    uint8_t *grown = wanted - writer->size >= size ? sni_heap_alloc(writer->heap, wanted) : NULL;
    if (!grown) {
        writer->failed = true;
        return false;
    }
    if (writer->size > 0) memcpy(grown, writer->data, writer->size);
    sni_heap_free(writer->heap, writer->data, writer->capacity);
    writer->data = grown;
    writer->capacity = wanted;
    return true;
}

uint8_t *sni_write_room(sni_writer *writer, size_t size)
{
    return reserve(writer, size) ? writer->data + writer->size : NULL;
}

void sni_write_bytes(sni_writer *writer, const void *data, size_t size)
{
    if (size == 0 || !reserve(writer, size)) return;
    memcpy(writer->data + writer->size, data, size);
    writer->size += size;
}

void sni_write_text(sni_writer *writer, const char *text) { sni_write_bytes(writer, text, strlen(text)); }

void sni_write_fill(sni_writer *writer, uint8_t byte, size_t count)
{
    if (count == 0 || !reserve(writer, count)) return;
    memset(writer->data + writer->size, byte, count);
    writer->size += count;
}

void sni_write_align(sni_writer *writer, size_t alignment, uint8_t byte)
{
    size_t over = writer->size % alignment;
    if (over) sni_write_fill(writer, byte, alignment - over);
}

void sni_write_u8(sni_writer *writer, uint8_t value) { sni_write_bytes(writer, &value, 1); }

void sni_write_u16(sni_writer *writer, uint16_t value)
{
    uint8_t bytes[2] = { (uint8_t)value, (uint8_t)(value >> 8) };
    sni_write_bytes(writer, bytes, sizeof bytes);
}

void sni_write_u32(sni_writer *writer, uint32_t value)
{
    uint8_t bytes[4];
    sni_store_u32(bytes, value);
    sni_write_bytes(writer, bytes, sizeof bytes);
}

void sni_write_f32(sni_writer *writer, float value)
{
    uint8_t bytes[4];
    sni_store_f32(bytes, value);
    sni_write_bytes(writer, bytes, sizeof bytes);
}

void sni_write_words(sni_writer *writer, const void *values, size_t count)
{
    if (sni_is_little_endian()) {
        sni_write_bytes(writer, values, count * 4);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, (const uint8_t *)values + 4 * i, sizeof word);
        sni_write_u32(writer, word);
    }
}

void sni_patch_u32(sni_writer *writer, size_t at, uint32_t value)
{
    if (!writer->failed && at <= writer->size && writer->size - at >= 4) sni_store_u32(writer->data + at, value);
}

void sni_patch_bytes(sni_writer *writer, size_t at, const void *data, size_t size)
{
    if (!writer->failed && size > 0 && at <= writer->size && writer->size - at >= size)
        memcpy(writer->data + at, data, size);
}
