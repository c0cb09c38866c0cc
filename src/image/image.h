// Bytes to pixels. Each kind of image is one decoder in a table; it is found by the bytes, never by a name.
#ifndef SNI_IMAGE_H
#define SNI_IMAGE_H

#include "base/mime.h"
#include "base/reader.h"

// One decoding: what a decoder reads, asks and fills.
typedef struct sni_decode {
    sni_reader in;               // all bytes; its arena is scratch
    const sn_decode_opts *opts;  // never NULL
    uint64_t most_pixels;
    sni_heap *heap;
    sni_diag *diag;
    sn_pixels *pixels;
} sni_decode;

// Not empty and within the limit, or a failure. To be asked before anything of that size is unpacked.
bool sni_decode_fits(sni_decode *decode, uint64_t width, uint64_t height);

// Asks the same, then makes room for the picture, not zeroed; false without a failure where only the size was wanted.
// Once per decoding: after all that can be refused at a glance, before any real work.
bool sni_decode_begin(sni_decode *decode, uint64_t width, uint64_t height);

// The failure of asking for a level past the last.
bool sni_decode_fail_mip(sni_decode *decode, uint32_t count);

static inline uint32_t sni_mip_side(uint32_t side, uint32_t mip)
{
    uint32_t small = mip < 32 ? side >> mip : 0;
    return small > 0 ? small : 1;
}

// The lowest five bits as eight.
static inline uint8_t sni_widen_five(uint32_t value)
{
    value &= 31;
    return (uint8_t)(value << 3 | value >> 2);
}

// Colours that were multiplied by their alpha, divided again.
void sni_straighten(sn_pixels *pixels);

// Each fills decode->pixels, or answers false after a failure.
bool sni_png_decode(sni_decode *decode);
bool sni_blp_decode(sni_decode *decode);
bool sni_dds_decode(sni_decode *decode);
bool sni_tga_decode(sni_decode *decode);
bool sni_tim2_decode(sni_decode *decode);
bool sni_jpeg_decode(sni_decode *decode);

// What the JPEG inside a BLP1 wants: the components as they are (blue, green, red, alpha).
bool sni_jpeg_decode_raw(sni_decode *decode, sni_bytes bytes, bool has_alpha);

#endif
