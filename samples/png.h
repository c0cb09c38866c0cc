// The smallest PNG writer: 8-bit RGBA, stored without compression.
#ifndef PNG_H
#define PNG_H

#include "base/writer.h"

void png_write(sni_writer *out, const uint8_t *rgba, uint32_t width, uint32_t height);

#endif
