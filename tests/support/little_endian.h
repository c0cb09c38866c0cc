// Arrays of the test as a file has them: little-endian.
#ifndef TEST_LITTLE_ENDIAN_H
#define TEST_LITTLE_ENDIAN_H

#include <stdlib.h>

#include "base/reader.h"

// `size` bytes of numbers that have `width` bytes each: the array itself, or on a big-endian processor a copy that is
// never freed.
static inline const uint8_t *little_endian(const void *numbers, size_t size, size_t width)
{
    if (sni_is_little_endian() || width == 1) return numbers;
    uint8_t *copy = malloc(size + width);
    if (!copy) abort();
    for (size_t i = 0; i < size; i++) copy[i] = ((const uint8_t *)numbers)[i / width * width + width - 1 - i % width];
    return copy;
}

// An array by its name. Rows and structs are of numbers with four bytes.
#define LITTLE_ENDIAN(array) little_endian(array, sizeof(array), sizeof *(array) < 4 ? sizeof *(array) : 4)

#endif
