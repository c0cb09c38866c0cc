// PNG: constants and filters that reader and writer share, and the writer.
#ifndef SNI_PNG_H
#define SNI_PNG_H

#include "base/writer.h"

enum { PNG_GREY = 0, PNG_RGB = 2, PNG_INDEXED = 3, PNG_GREY_ALPHA = 4, PNG_RGBA = 6 };

// The Paeth predictor: whichever of three neighbours is nearest to left + up - corner. Written without branches.
static inline uint8_t png_paeth(int left, int up, int corner)
{
    int of_left = up - corner, of_up = left - corner, of_corner = of_left + of_up;
    of_left = of_left < 0 ? -of_left : of_left;
    of_up = of_up < 0 ? -of_up : of_up;
    of_corner = of_corner < 0 ? -of_corner : of_corner;
    int of_rest = of_up <= of_corner ? up : corner;
    return (uint8_t)(of_left <= of_up && of_left <= of_corner ? left : of_rest);
}

// Appends a complete PNG to `out` in the smallest kind that holds the picture exactly: indexed, grey or RGB, with alpha
// only if a pixel is not opaque. The same pixels always give the same bytes. False after a failure.
bool sni_png_write(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *pixels);

// The writer in pieces, for APNG.
typedef struct sni_pixel_box {
    uint32_t x, y, width, height;
} sni_pixel_box;

typedef struct sni_png_encoding {
    uint8_t color, depth, channels;
    struct sni_png_palette *palette;  // in scratch memory
} sni_png_encoding;

// Signature and IHDR. The encoding holds all frames, which have one size.
bool sni_png_begin(sni_writer *out, sni_arena *scratch, const sn_pixels *frames, uint32_t count, sni_png_encoding *how);
void sni_png_write_palette(sni_writer *out, const sni_png_encoding *how);  // PLTE and tRNS, if the encoding is indexed
// The filtered and compressed rows of a box, without a chunk around them.
bool sni_png_write_pixels(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sni_png_encoding *how,
                          const sn_pixels *pixels, sni_pixel_box box);
size_t sni_png_chunk_begin(sni_writer *out, const char *type);
void sni_png_chunk_end(sni_writer *out, size_t start);
void sni_png_write_u32(sni_writer *out, uint32_t value);  // big endian

#endif
