// Image decoding. Each image type is one decoder in a table, chosen by content, never by name.
#ifndef SNI_IMAGE_H
#define SNI_IMAGE_H

#include "base/mime.h"
#include "base/reader.h"
#include "base/writer.h"

// The state of one decoding.
typedef struct sni_decode {
    sni_reader in;               // all bytes; its arena is scratch
    const sn_decode_opts *opts;  // never NULL
    uint64_t most_pixels;
    sni_heap *heap;
    sni_diag *diag;
    sn_pixels *pixels;
} sni_decode;

// Fails for an empty size or one above the limit. Call it before unpacking anything of that size.
bool sni_decode_fits(sni_decode *decode, uint64_t width, uint64_t height);

// The same, then allocates the pixels, not zeroed. Returns false without a failure when only the size was requested.
// Call it once, after all cheap checks and before decoding.
bool sni_decode_begin(sni_decode *decode, uint64_t width, uint64_t height);

// Fails: the requested mip level is past the last.
bool sni_decode_fail_mip(sni_decode *decode, uint32_t count);

static inline uint32_t sni_mip_side(uint32_t side, uint32_t mip)
{
    uint32_t small = mip < 32 ? side >> mip : 0;
    return small > 0 ? small : 1;
}

// All images of a model: which of them are the same, and how many pixels may still be decoded for them together. A few
// bytes can ask for millions of pixels, and many images can point at the same bytes.
typedef struct sni_image_set {
    uint32_t count;
    uint32_t *first;  // per image: the first one with the same bytes
    uint64_t pixels_left;
} sni_image_set;

// `pixels`: the budget. 0: 128 M, and 64 for each byte of the images, every byte counted once.
bool sni_image_set_make(sni_arena *arena, const sn_image *images, uint32_t count, uint64_t pixels, sni_image_set *set);

// sn_image_decode within the set's budget; over it the status is SN_ERR_LIMIT.
sn_status sni_image_set_decode(sni_image_set *set, const sn_image *image, const sn_decode_opts *opts, sn_pixels *pixels,
                               sn_error *error);

// Expands the lowest five bits to eight.
static inline uint8_t sni_widen_five(uint32_t value)
{
    value &= 31;
    return (uint8_t)(value << 3 | value >> 2);
}

// The same PNG or WebP without colour profile, gamma, pixel aspect and animation: glTF ignores them. Whatever has none,
// and any other kind, comes back as it is. False only when the arena failed.
bool sni_image_strip(sni_arena *arena, sni_bytes in, sni_bytes *out);

// Undoes premultiplied alpha.
void sni_straighten(sn_pixels *pixels);

// Each fills decode->pixels, or returns false after a failure.
bool sni_png_decode(sni_decode *decode);
bool sni_blp_decode(sni_decode *decode);
bool sni_dds_decode(sni_decode *decode);
bool sni_tga_decode(sni_decode *decode);
bool sni_tim2_decode(sni_decode *decode);
bool sni_jpeg_decode(sni_decode *decode);
bool sni_webp_decode(sni_decode *decode);

bool sni_pixels_have_alpha(const sn_pixels *pixels);  // some are not opaque

// Level 0 has sides that are powers of two, `least` or more, and may be the pixels themselves; each other is half as
// large, down to 1 x 1.
enum { SNI_MIP_LEVELS = 16 };
typedef struct sni_mips {
    uint32_t count;
    sn_pixels levels[SNI_MIP_LEVELS];
} sni_mips;
bool sni_mips_make(sni_arena *scratch, sni_diag *diag, const sn_pixels *pixels, uint32_t least, sni_mips *mips);

// Uncompressed, rows from the bottom, alpha only where it is needed: every reader of TGA takes that.
bool sni_tga_write(sni_writer *out, sni_diag *diag, const sn_pixels *pixels);

// With mip levels; sides become powers of two. `error`: the largest difference of a channel, of 255. Equal pixels give
// equal bytes. BLP1 has a palette or JPEGs of blue, green, red and alpha. DDS has BC1, or BC3 if a pixel is not opaque;
// `is_normal_map`: BC5, which has red and green only, unless a pixel is not opaque.
bool sni_blp_write(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *pixels, uint32_t *error);
bool sni_blp_write_jpeg(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *pixels, uint32_t *error);
bool sni_dds_write(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *pixels, bool is_normal_map,
                   uint32_t *error);

// A baseline JPEG in two parts: start marker and tables, then one image with components blue, green, red, alpha.
// Returns the largest difference of a channel.
void sni_jpeg_write_tables(sni_writer *out);
uint32_t sni_jpeg_write_raw(sni_writer *out, const sn_pixels *pixels);

// For the JPEG inside a BLP1: components unconverted (blue, green, red, alpha).
bool sni_jpeg_decode_raw(sni_decode *decode, sni_bytes bytes, bool has_alpha);

#endif
