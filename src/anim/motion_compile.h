// Shared by motion_compile.c and motion_frames.c.
#ifndef SNI_MOTION_COMPILE_H
#define SNI_MOTION_COMPILE_H

#include "anim/motion.h"

// One of the eight tracks of a channel in a block.
typedef struct sni_lane_source {
    const sn_track *source;  // NULL: at rest
    sn_track track;          // the same on the line of its own times: period and keys past it are gone
    float period, end;
    bool moves;
} sni_lane_source;

// The lanes of a channel that one entry holds.
typedef struct sni_entry_source {
    const sni_lane_source *lanes;     // eight
    uint32_t members;                 // a bit for each lane that moves; the others are at `rest`
    uint32_t channel;                 // SN_CHANNEL_TRANSLATION, ROTATION or SCALE
    const float *rest;                // its rows
    const sni_tolerance *tolerances;  // of the lanes; NULL: no key is dropped
    sni_motion_kind kind;             // of curves and steps
    bool has_curves, is_stepped;      // any lane is a curve; all are stepped
    bool nlerp;
} sni_entry_source;

void sni_lane_init(sni_lane_source *lane, const sn_track *source, float duration);
void sni_lane_value(const sni_lane_source *lane, float time, float out[4]);
bool sni_lane_find_whether_moves(sni_lane_source *lane, sni_arena *scratch);

static inline uint32_t sni_channel_rows(uint32_t channel) { return channel == SN_CHANNEL_ROTATION ? 4 : 3; }

// How many times the frames of an entry have before any are dropped. False after a failure.
bool sni_frames_count(const sni_entry_source *entry, sni_arena *scratch, uint32_t *count);
bool sni_frames_make(const sni_entry_source *entry, sni_arena *scratch, sni_frames_draft *out);

// Values as 16 bits, where there are any: rotations as they are, vectors between the least and the largest of their
// lane and component. `out->rows` and `out->kind` change; `ranges` becomes those of SNI_LERP_I16 or NULL.
bool sni_frames_quantize(sni_arena *scratch, bool nlerp, sni_frames_draft *out, float **ranges);

#endif
