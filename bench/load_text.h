// Files put together in memory, and numbers that are the same on every run.
#ifndef BENCH_LOAD_TEXT_H
#define BENCH_LOAD_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct text {
    char *data;
    size_t size, capacity;
    bool failed;
} text;

void text_bytes(text *out, const void *data, size_t size);
void text_put(text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));  // at most 511 bytes
void text_floats(text *out, const float *values, uint32_t count);
void text_u32(text *out, uint32_t value);
bool text_write(const char *path, const text *parts, int count);
bool text_write_glb(const char *path, text *json, text *bin);  // pads both

uint64_t seed_draw(uint64_t *state);
float seed_float(uint64_t *state, float low, float high);
void seed_unit(uint64_t *state, float *values, int count);  // of length 1

#endif
