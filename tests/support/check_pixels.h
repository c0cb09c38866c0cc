// Decodes any bytes and checks the promises of sinew.h; a broken promise aborts.
#ifndef TEST_CHECK_PIXELS_H
#define TEST_CHECK_PIXELS_H

#include "counting_heap.h"

enum { CHECKED_PIXELS = 1 << 18 };  // the pixel limit it decodes with

// Returns whether they are an image. `heap` may be set to fail; `options` selects level, alpha and size only.
bool check_decode(const uint8_t *data, size_t size, unsigned options, counting_heap *heap, sn_status *status);

#endif
