// Tracks: which two keys a time falls between, and the value there.
#ifndef SNI_TRACK_H
#define SNI_TRACK_H

#include "sinew/sinew.h"

// From one key on to another. u is 0 at `from` and 1 at `to`; Warcraft III's wrap makes it as low as -1.
typedef struct sni_span {
    uint32_t from, to;
    float u;
    float length;  // seconds between the two
} sni_span;

// A time brought into 0..period; 0 when it is no number or there is no period.
float sni_wrap_time(float seconds, float period);

// The track must have a key. Any time is allowed; NaN counts as 0.
sni_span sni_track_span(const sn_track *track, float seconds, float duration, float clock);
float sni_track_value(const sn_track *track, const sni_span *span, uint32_t component);
sn_quat sni_track_rotation(const sn_track *track, const sni_span *span);  // unit length

#endif
