// JPEG files for tests, made by libjpeg; without it there are none.
#ifndef TEST_JPEG_ENCODE_H
#define TEST_JPEG_ENCODE_H

#include "image_files.h"

typedef struct jpeg_wish {
    int components;  // 1, 3 or 4
    bool is_raw;     // stored as they are; else grey, RGB to YCbCr, CMYK with Adobe's marker
    bool is_progressive, is_arithmetic;
    int quality;
} jpeg_wish;

bool jpeg_can_encode(void);

// Appends a JPEG of width * height * components samples.
void jpeg_encode(picture *out, const uint8_t *samples, uint32_t width, uint32_t height, jpeg_wish wish);

#endif
