// JPEG files for tests, made and judged by libjpeg; without it there are none.
#ifndef TEST_JPEG_ENCODE_H
#define TEST_JPEG_ENCODE_H

#include "image_files.h"

typedef struct jpeg_wish {
    int components;  // 1, 3 or 4
    bool is_raw;     // stored as they are; else grey, RGB to YCbCr, CMYK with Adobe's marker
    bool is_other;   // RGB stays RGB, CMYK becomes YCCK
    bool is_progressive, is_arithmetic;
    bool is_separate;  // one scan for each component
    int quality;
    int sampling[4];  // horizontal * 16 + vertical; 0: 1 by 1
    unsigned restart_interval;
} jpeg_wish;

bool jpeg_can_encode(void);

// Appends a JPEG of width * height * components samples.
void jpeg_encode(picture *out, const uint8_t *samples, uint32_t width, uint32_t height, jpeg_wish wish);

// Decodes with libjpeg: width * height * components samples of grey, RGB or CMYK, or as stored. False: it refused or
// warned.
bool jpeg_judge(const uint8_t *data, size_t size, bool is_raw, uint8_t *samples);

#endif
