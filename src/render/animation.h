// Animated pictures: APNG and GIF.
#ifndef SNI_ANIMATION_H
#define SNI_ANIMATION_H

#include "image/png.h"
#include "sinew/render.h"

// The box of all pixels that differ between two frames of one size. One pixel if none differ: a frame may not be empty.
sni_pixel_box sni_changed_box(const sn_pixels *before, const sn_pixels *now);

// Both append frames of one size that loop forever. After the first frame only the box of changed pixels is stored.
// Delays are in seconds. The same frames always give the same bytes. False after a failure.

// Exact colours and alpha. A delay becomes a fraction of two 16-bit numbers.
bool sni_apng_write(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *frames, const float *delays,
                    uint32_t count);

// One palette of at most 256 colours for all frames; alpha is on or off. Each frame ends at the nearest hundredth of a
// second, and none is shorter than two hundredths, because viewers ignore shorter delays.
bool sni_gif_write(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *frames, const float *delays,
                   uint32_t count);

#endif
