// What the formats of moving pictures share.
#ifndef SNI_FRAMES_H
#define SNI_FRAMES_H

#include "sinew/sinew.h"

typedef struct sni_box {
    uint32_t x, y, width, height;
} sni_box;

// What differs between two frames of one size; a single pixel where nothing does, because a frame may not be empty.
sni_box sni_changed_box(const sn_pixels *before, const sn_pixels *now);

#endif
