#include "load_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *grow(text *out, size_t more)
{
    if (out->failed) return NULL;
    if (out->capacity - out->size < more) {
        size_t capacity = 2 * (out->size + more) + 4096;
        char *grown = realloc(out->data, capacity);
        out->failed = grown == NULL;
        if (!grown) return NULL;
        out->data = grown;
        out->capacity = capacity;
    }
    return out->data + out->size;
}

void text_bytes(text *out, const void *data, size_t size)
{
    void *at = grow(out, size);
    if (!at) return;
    memcpy(at, data, size);
    out->size += size;
}

void text_put(text *out, const char *format, ...)
{
    enum { LONGEST = 512 };
    char *at = grow(out, LONGEST);
    if (!at) return;
    va_list args;
    va_start(args, format);
    int size = vsnprintf(at, LONGEST, format, args);
    va_end(args);
    out->failed = size < 0 || size >= LONGEST;
    if (!out->failed) out->size += (size_t)size;
}

void text_floats(text *out, const float *values, uint32_t count) { text_bytes(out, values, count * sizeof *values); }

bool text_write(const char *path, const text *parts, int count)
{
    FILE *file = fopen(path, "wb");
    bool is_good = file != NULL;
    for (int i = 0; is_good && i < count; i++)
        is_good = !parts[i].failed && fwrite(parts[i].data, 1, parts[i].size, file) == parts[i].size;
    if (file && fclose(file) != 0) is_good = false;
    return is_good;
}

void text_u32(text *out, uint32_t value)
{
    const uint8_t bytes[] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24) };
    text_bytes(out, bytes, sizeof bytes);
}

bool text_write_glb(const char *path, text *json, text *bin)
{
    while (json->size % 4 && !json->failed) text_bytes(json, " ", 1);
    while (bin->size % 4 && !bin->failed) text_bytes(bin, "\0", 1);
    text head = { 0 }, between = { 0 };
    text_u32(&head, 0x46546C67);
    text_u32(&head, 2);
    text_u32(&head, (uint32_t)(28 + json->size + bin->size));
    text_u32(&head, (uint32_t)json->size);
    text_u32(&head, 0x4E4F534A);
    text_u32(&between, (uint32_t)bin->size);
    text_u32(&between, 0x004E4942);
    bool is_written = text_write(path, (text[]){ head, *json, between, *bin }, 4);
    free(head.data);
    free(between.data);
    return is_written;
}

// splitmix64.
uint64_t seed_draw(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

float seed_float(uint64_t *state, float low, float high)
{
    return low + (high - low) * (float)(seed_draw(state) >> 40) / (float)(1 << 24);
}

void seed_unit(uint64_t *state, float *values, int count)
{
    float square = 0.0f;
    for (int i = 0; i < count; i++) values[i] = seed_float(state, -1.0f, 1.0f), square += values[i] * values[i];
    if (square < 1e-3f) values[0] = square = 1.0f;
    for (int i = 0; i < count; i++) values[i] /= sqrtf(square);
}
