#include "model/track_index.h"

#include <stdlib.h>

uint64_t sni_drives(sn_target kind, int32_t target, int32_t sub, sn_channel channel)
{
    return (uint64_t)kind << 56 | (uint64_t)(uint32_t)target << 24 | (uint64_t)((uint32_t)sub & 0xFFFF) << 8 | channel;
}

static int compare_found(const void *left, const void *right)
{
    const sni_found_track *a = left, *b = right;
    if (a->drives != b->drives) return a->drives < b->drives ? -1 : 1;
    return a->clip < b->clip ? -1 : a->clip > b->clip;
}

bool sni_track_index_make(sni_arena *arena, const sn_model *model, sni_track_index *index)
{
    uint64_t total = 0;
    *index = (sni_track_index){ NULL, 0 };
    for (uint32_t i = 0; i < model->clip_count; i++) total += model->clips[i].track_count;
    sni_found_track *found = total <= UINT32_MAX ? sni_new_raw(arena, sni_found_track, total) : NULL;
    if (!found) return false;
    for (uint32_t i = 0; i < model->clip_count; i++)
        for (uint32_t k = 0; k < model->clips[i].track_count; k++) {
            const sn_track *track = &model->clips[i].tracks[k];
            if (track->key_count == 0) continue;
            const uint64_t drives = sni_drives((sn_target)track->target_kind, track->target, track->sub,
                                               (sn_channel)track->channel);
            found[index->count++] = (sni_found_track){ drives, i, track };
        }
    if (index->count > 1) qsort(found, index->count, sizeof *found, compare_found);
    index->tracks = found;
    return true;
}

uint32_t sni_track_index_first(const sni_track_index *index, uint64_t drives, uint32_t clip)
{
    const sni_found_track key = { drives, clip, NULL };
    uint32_t low = 0, high = index->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (compare_found(&index->tracks[middle], &key) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

bool sni_track_index_has(const sni_track_index *index, uint64_t drives)
{
    const uint32_t at = sni_track_index_first(index, drives, 0);
    return at < index->count && index->tracks[at].drives == drives;
}

const sn_track *sni_track_index_find(const sni_track_index *index, uint64_t drives, uint32_t clip)
{
    const uint32_t at = sni_track_index_first(index, drives, clip);
    const bool is_found = at < index->count && index->tracks[at].drives == drives && index->tracks[at].clip == clip;
    return is_found ? index->tracks[at].track : NULL;
}
