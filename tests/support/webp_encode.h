// WebP files for tests, made by libwebp; without it there are none.
#ifndef TEST_WEBP_ENCODE_H
#define TEST_WEBP_ENCODE_H

#include "image_files.h"

bool webp_can_encode(void);

// Appends a WebP of width * height pixels with alpha.
void webp_encode(picture *out, const uint8_t *rgba, int width, int height, bool is_lossless);

#endif
