// PNG writing, and what reader and writer share.
#ifndef SNI_PNG_H
#define SNI_PNG_H

#include "base/writer.h"

enum { PNG_GREY = 0, PNG_RGB = 2, PNG_INDEXED = 3, PNG_GREY_ALPHA = 4, PNG_RGBA = 6 };

// The Paeth predictor, without unpredictable branches.
static inline uint8_t png_paeth(int left, int up, int corner)
{
    int of_left = up - corner, of_up = left - corner, of_corner = of_left + of_up;
    of_left = of_left < 0 ? -of_left : of_left;
    of_up = of_up < 0 ? -of_up : of_up;
    of_corner = of_corner < 0 ? -of_corner : of_corner;
    int of_rest = of_up <= of_corner ? up : corner;
    return (uint8_t)(of_left <= of_up && of_left <= of_corner ? left : of_rest);
}

// Appends a whole PNG to `out`, in the smallest colour type that is exact: indexed, grey, RGB, with
// alpha only where a pixel is not opaque. The same pixels always give the same bytes. Returns false after a failure.
bool sni_png_write(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *pixels);

// The same for frames of one size, which play for ever (APNG). Frames behind the first hold only the box of what
// changed. Each is shown for its delay in seconds, to within what a fraction of two 16-bit numbers can say.
bool sni_apng_write(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *frames, const float *delays,
                    uint32_t count);

#endif
