// Tracks that are made of several curves: sampled where any of them has a key, and between.
#include <math.h>
#include <stdlib.h>

#include "format/mdx/mdx_build.h"
#include "model/track.h"

enum { BETWEEN = 4 };  // pieces that the time between two keys is cut into

static int compare_times(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

// A period that all of them share is kept; otherwise they are shown as the first round of the clip has them.
static float common_period(const mdx_bake *bake)
{
    float period = -1.0f;
    for (uint32_t i = 0; i < bake->count; i++) {
        const sn_track *track = &bake->tracks[i];
        if (track->key_count < 2) continue;
        if (period >= 0.0f && period != track->period) return 0.0f;
        period = track->period;
    }
    return period > 0.0f ? period : 0.0f;
}

static uint32_t sort_times(float *times, uint32_t count)
{
    uint32_t kept = 0;
    qsort(times, count, sizeof *times, compare_times);
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || times[i] > times[kept - 1]) times[kept++] = times[i];
    return kept;
}

bool mdx_bake_times(mdx_clips *clips, mdx_bake *bake)
{
    sni_load *load = clips->builder->load;
    uint64_t total = 2;
    for (uint32_t i = 0; i < bake->count; i++) total += bake->tracks[i].key_count;
    bake->period = common_period(bake);
    float end = bake->period > 0.0f ? bake->period : clips->duration;
    float *keys = sni_new_raw(&load->scratch, float, total);
    bake->times = sni_new_raw(&load->keep, float, total *BETWEEN);
    if (!keys || !bake->times) return false;
    uint32_t count = 0;
    keys[count++] = 0.0f;
    keys[count++] = end;
    for (uint32_t i = 0; i < bake->count; i++) {
        const sn_track *track = &bake->tracks[i];
        for (uint32_t k = 0; k < track->key_count; k++)
            if (track->times[k] <= end) keys[count++] = track->times[k];
    }
    count = sort_times(keys, count);
    for (uint32_t i = 0; i + 1 < count; i++)
        for (int part = 0; part < BETWEEN; part++)
            bake->times[bake->key_count++] = keys[i] + (keys[i + 1] - keys[i]) * (float)part / BETWEEN;
    bake->times[bake->key_count++] = keys[count - 1];
    bake->key_count = sort_times(bake->times, bake->key_count);
    return true;
}

void mdx_bake_sample(const mdx_clips *clips, const sn_track *track, float time, float *out)
{
    if (track->key_count == 0) return;
    if (track->period > 0.0f && time == track->period) time = nextafterf(time, 0.0f);  // its end is not yet its start
    sni_track_sample(track, time, clips->duration, time, out);
}

sn_track mdx_baked(const mdx_bake *bake, sn_channel channel, uint32_t width, const float *values)
{
    return (sn_track){ .channel = (uint8_t)channel,
                       .interpolation = SN_LINEAR,
                       .wrap = SN_WRAP_HOLD,
                       .period = bake->period,
                       .key_count = bake->key_count,
                       .width = width,
                       .times = bake->times,
                       .values = values };
}
