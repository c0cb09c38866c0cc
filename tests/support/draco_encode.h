// Draco's encoder for tests, behind C: triangles with positions (id 0) and colours (id 1).
#ifndef TEST_DRACO_ENCODE_H
#define TEST_DRACO_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Answers the size, 0 when it fails. Nothing is quantised; edgebreaker numbers the points anew.
size_t encode_draco(bool is_edgebreaker, uint32_t vertex_count, const float *positions, const uint8_t *colors,
                    uint32_t face_count, const uint32_t *indices, uint8_t *out, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
