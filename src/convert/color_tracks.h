// The product of a layer's colour and a part's, over time.
#ifndef SNI_COLOR_TRACKS_H
#define SNI_COLOR_TRACKS_H

#include "model/track.h"

// What drives each factor; NULL: nothing does, it is as at rest. Tracks are fitted: step, linear or cubic spline, held.
typedef struct sni_color_tracks {
    const sn_track *layer_color, *layer_alpha;  // light
    const sn_track *part_color, *part_alpha;    // as shown (sRGB), alpha as it is
    sn_vec4 layer, part;                        // at rest
} sni_color_tracks;

// At rest, between 0 and 1.
sn_vec4 sni_color_at_rest(const sni_color_tracks *factors);

// Tracks of colour and alpha; those that nothing drives have no keys. With keys, both have the same times. target_kind,
// target and sub are the caller's. Sampled keys stay within 0.001. False when the arena failed.
bool sni_make_color_tracks(sni_arena *arena, const sni_color_tracks *factors, uint64_t *keys_left, sn_track *color,
                           sn_track *alpha, sni_exactness *exactness);

#endif
