// Decodes any bytes and asserts what sinew.h promises of it: a broken promise aborts.
#ifndef TEST_CHECK_PIXELS_H
#define TEST_CHECK_PIXELS_H

#include "counting_heap.h"

enum { CHECKED_PIXELS = 1 << 18 };  // the limit under which it decodes

// True when they are an image. `heap` may be told to fail; `options` chooses level, alpha and whether only the size is
// asked.
bool check_decode(const uint8_t *data, size_t size, unsigned options, counting_heap *heap, sn_status *status);

#endif
