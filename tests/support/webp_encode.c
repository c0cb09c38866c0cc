#include "webp_encode.h"

#ifdef SINEW_HAS_WEBP
#    include <webp/encode.h>

#    include <stdlib.h>

bool webp_can_encode(void) { return true; }

void webp_encode(picture *out, const uint8_t *rgba, int width, int height, bool is_lossless)
{
    uint8_t *data = NULL;
    size_t size = is_lossless ? WebPEncodeLosslessRGBA(rgba, width, height, width * 4, &data)
                              : WebPEncodeRGBA(rgba, width, height, width * 4, 30, &data);
    if (size == 0) abort();
    picture_bytes(out, data, size);
    WebPFree(data);
}

#else

bool webp_can_encode(void) { return false; }

void webp_encode(picture *out, const uint8_t *rgba, int width, int height, bool is_lossless)
{
    (void)out, (void)rgba, (void)width, (void)height, (void)is_lossless;
}

#endif
