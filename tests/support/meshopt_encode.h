// Version 1 of meshopt attributes, after the text of KHR_meshopt_compression. It does not compress well: every control
// and channel mode comes up, by chance.
#ifndef TEST_MESHOPT_ENCODE_H
#define TEST_MESHOPT_ENCODE_H

#include <stddef.h>
#include <stdint.h>

// Returns the size; `out` needs room for twice the elements.
size_t meshopt_encode(uint8_t *out, const uint8_t *plain, uint32_t count, uint32_t stride, uint32_t *seed);

uint32_t meshopt_chance(uint32_t *seed, uint32_t below);

#endif
