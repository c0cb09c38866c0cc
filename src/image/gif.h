#ifndef SNI_GIF_H
#define SNI_GIF_H

#include "base/writer.h"

// Appends a GIF of frames of one size, which play for ever. All share one palette of at most 256 colours; alpha is all
// or nothing. Delays are in seconds: GIF counts hundredths, so each frame ends at the hundredth nearest to where it
// should, and none is shorter than two, which viewers would not honour. The same frames always give the same bytes.
// False after a failure.
bool sni_gif_write(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *frames, const float *delays,
                   uint32_t count);

#endif
