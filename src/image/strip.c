// What glTF readers must ignore in images, and validators warn of, is left out; the pixels stay as they are.
#include <string.h>

#include "image/image.h"

// Colour profiles, gamma and primaries other than those of sRGB, pixels that are not square, animation.
static bool is_dropped_png(const uint8_t *chunk, uint32_t size)
{
    static const uint32_t primaries[8] = { 31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000 };
    const char *type = (const char *)chunk + 4;
    const uint8_t *body = chunk + 8;
    if (memcmp(type, "iCCP", 4) == 0 || memcmp(type, "acTL", 4) == 0 || memcmp(type, "fcTL", 4) == 0 ||
        memcmp(type, "fdAT", 4) == 0)
        return true;
    if (memcmp(type, "gAMA", 4) == 0) return size != 4 || sni_load_big_u32(body) != 45455;
    if (memcmp(type, "pHYs", 4) == 0) return size != 9 || sni_load_big_u32(body) != sni_load_big_u32(body + 4);
    if (memcmp(type, "cHRM", 4) != 0) return false;
    bool is_other = size != 32;
    for (uint32_t i = 0; i < 8 && !is_other; i++) is_other = sni_load_big_u32(body + (size_t)i * 4) != primaries[i];
    return is_other;
}

// `out` is NULL to count only. Damaged ends are copied as they are.
static size_t strip_png(sni_bytes in, uint8_t *out)
{
    size_t at = 8, kept = 8;
    if (out) memcpy(out, in.data, 8);
    while (at < in.size) {
        size_t rest = in.size - at, size = rest;
        bool is_whole = rest >= 12 && sni_load_big_u32(in.data + at) <= rest - 12;
        if (is_whole) size = (size_t)sni_load_big_u32(in.data + at) + 12;
        if (!is_whole || !is_dropped_png(in.data + at, (uint32_t)(size - 12))) {
            if (out) memcpy(out + kept, in.data + at, size);
            kept += size;
        }
        at += size;
    }
    return kept;
}

static size_t strip_webp(sni_bytes in, uint8_t *out)
{
    enum { HEADER = 12, HAS_PROFILE = 0x20 };
    size_t at = HEADER, kept = HEADER;
    if (out) memcpy(out, in.data, HEADER);
    while (at < in.size) {
        size_t rest = in.size - at, size = rest;
        if (rest >= 8 && sni_load_u32(in.data + at + 4) <= rest - 8) {
            size = (size_t)sni_load_u32(in.data + at + 4) + 8;
            size += size & 1 && size < rest;  // a byte of padding
        }
        if (rest < 8 || memcmp(in.data + at, "ICCP", 4) != 0) {
            if (out) memcpy(out + kept, in.data + at, size);
            if (out && size >= 18 && memcmp(in.data + at, "VP8X", 4) == 0) out[kept + 8] &= (uint8_t)~HAS_PROFILE;
            kept += size;
        }
        at += size;
    }
    for (int i = 0; out && i < 4; i++) out[4 + i] = (uint8_t)((kept - 8) >> (8 * i));
    return kept;
}

bool sni_image_strip(sni_arena *arena, sni_bytes in, sni_bytes *out)
{
    const char *mime_type = sni_mime_type(in);
    size_t (*strip)(sni_bytes, uint8_t *) = strcmp(mime_type, SNI_MIME_PNG) == 0    ? strip_png
                                            : strcmp(mime_type, SNI_MIME_WEBP) == 0 ? strip_webp
                                                                                    : NULL;
    *out = in;
    size_t size = strip ? strip(in, NULL) : in.size;
    if (size == in.size) return true;
    uint8_t *data = sni_new_raw(arena, uint8_t, size);
    if (!data) return false;
    strip(in, data);
    *out = (sni_bytes){ data, size };
    return true;
}
