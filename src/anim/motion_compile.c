// Tracks to timelines. motion.h says what comes out.
#include "anim/motion_compile.h"
#include "base/math.h"
#include "model/builder.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry_draft {
    struct entry_draft *next;  // of the same timeline
    sni_motion_kind kind;
    uint32_t place;
    uint8_t lanes;
    const void *rows;  // [frame][row][lane] of floats or int16_t, as the kind says
    float *ranges;     // of SNI_LERP_I16
} entry_draft;

typedef struct timeline_draft {
    struct timeline_draft *next;
    float period, end;
    bool is_overlay;
    uint32_t frame_count, entry_count;
    uint64_t hash;
    float *times;
    entry_draft *first, **last;
} timeline_draft;

typedef struct compiler {
    sn_motion *motion;
    const sn_motion_opts *opts;
    const sn_clip *clip;
    sni_motion_clip *out;
    sni_arena *scratch;
    sni_trs8 *rest;
    const sn_track **tracks;  // three per node: the last track of each channel
    timeline_draft *first, **last;
    uint32_t timeline_count;
    sni_list lane_entries;  // of sni_lane_entry
    const sni_tolerance *tolerances;
} compiler;

uint64_t sni_motion_hash(uint64_t hash, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

// Puts an entry on the timeline that has its times.
static bool add_entry(compiler *c, const sni_lane_source *any, bool is_overlay, uint32_t place, uint32_t members,
                      sni_frames_draft *made)
{
    const float *times = made->times;
    uint32_t count = made->count;
    uint64_t hash = sni_motion_hash(14695981039346656037u, times, count * sizeof *times);
    timeline_draft *line = c->first;
    for (; line; line = line->next)
        if (line->hash == hash && line->frame_count == count && line->period == any->period &&
            line->is_overlay == is_overlay && memcmp(line->times, times, count * sizeof *times) == 0)
            break;
    entry_draft *kept = sni_new(c->scratch, entry_draft, 1);
    if (!kept) return false;
    float *ranges = NULL;
    if (c->opts->quantize && !sni_frames_quantize(c->scratch, c->opts->nlerp, made, &ranges)) return false;
    *kept = (entry_draft){ NULL, made->kind, place, (uint8_t)members, made->rows, ranges };
    if (!line) {
        line = sni_new(c->scratch, timeline_draft, 1);
        float *copy = sni_new_raw(c->scratch, float, count);
        if (!line || !copy) return false;
        memcpy(copy, times, count * sizeof *times);
        *line = (timeline_draft){ .period = any->period, .end = any->end, .is_overlay = is_overlay, .hash = hash };
        line->frame_count = count;
        line->times = copy;
        line->last = &line->first;
        *c->last = line;
        c->last = &line->next;
        c->timeline_count++;
    }
    *line->last = kept;
    line->last = &kept->next;
    line->entry_count++;
    return true;
}

// Buckets of equal length, one for each time: how many times are in buckets before each, and before the end. Returns
// how many buckets a second has.
static float fill_buckets(const float *times, uint32_t count, uint32_t *starts)
{
    uint32_t at = 0;
    float per_second = times[count - 1] > 0.0f ? (float)(count - 1) / times[count - 1] : 0.0f;
    if (!isfinite(per_second)) per_second = 0.0f;
    for (uint32_t bucket = 0; bucket < count; bucket++) {
        starts[bucket] = at;
        while (at < count) {
            uint32_t own = (uint32_t)(times[at] * per_second);
            if (own >= count) own = count - 1;
            if (own != bucket) break;
            at++;
        }
    }
    starts[count] = count;
    return per_second;
}

// Lane entries

// Whether the lanes have so little in common that merging would cost more than searching each.
static bool are_apart(const sni_entry_source *entry, uint32_t merged)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < SNI_LANES; i++)
        if (entry->members >> i & 1 && entry->lanes[i].track.key_count > most) most = entry->lanes[i].track.key_count;
    return merged > 8 && merged / 2 > most + 6;
}

float *sni_motion_alloc_times(sn_motion *motion, uint32_t count)
{
    float *times = sni_new_raw(&motion->arena, float, (uint64_t)count + SNI_TIME_PADS);
    for (uint32_t i = 0; i < SNI_TIME_PADS && times; i++) times[count + i] = INFINITY;
    motion->info.bytes += ((uint64_t)count + SNI_TIME_PADS) * sizeof *times;
    return times;
}

void *sni_motion_start_lane(sn_motion *motion, sni_lane *lane, uint32_t kind, const float *times, uint32_t count)
{
    uint64_t bytes = ((uint64_t)count + 1) * sni_lane_bytes(kind);
    float *kept = sni_motion_alloc_times(motion, count);
    uint32_t *starts = sni_new_raw(&motion->arena, uint32_t, (uint64_t)count + 1);
    uint8_t *values = sni_motion_alloc(motion, bytes + SNI_LANES * sizeof(float));  // loads may read past the last
    if (!kept || !starts || !values) return NULL;
    memcpy(kept, times, count * sizeof *kept);
    memset(values, 0, (size_t)bytes + SNI_LANES * sizeof(float));
    *lane = (sni_lane){ .times = kept, .values = values, .starts = starts, .key_count = count };
    lane->buckets_per_second = fill_buckets(times, count, starts);
    motion->info.bytes += bytes + ((uint64_t)count + 1) * sizeof *starts;
    return values;
}

// Takes lane i out of frames.
static bool keep_lane(sn_motion *motion, const sni_frames_draft *made, uint32_t i, sni_lane *out)
{
    uint32_t rows = sni_kind_rows(made->kind), width = made->kind >= SNI_LERP_I16 ? sizeof(int16_t) : sizeof(float);
    uint8_t *values = sni_motion_start_lane(motion, out, made->kind, made->times, made->count);
    for (uint32_t f = 0; f <= made->count && values; f++, values += sni_lane_bytes(made->kind)) {
        const uint8_t *frame = made->rows;
        frame += (size_t)(f < made->count ? f : made->count - 1) * rows * SNI_LANES * width;
        for (uint32_t k = 0; k < rows; k++) memcpy(values + k * width, frame + (k * SNI_LANES + i) * width, width);
    }
    return values != NULL;
}

// The frames of one lane alone, in memory that the next lane uses again.
static bool make_lane(compiler *c, const sni_entry_source *entry, uint32_t i, sni_arena *scratch,
                      sni_frames_draft *made, float **ranges)
{
    static float zero = 0.0f;
    sni_entry_source one = *entry;
    one.members &= 1u << i;
    *ranges = NULL;
    if (one.members) {
        if (!sni_frames_make(&one, scratch, made)) return false;
    } else {  // at rest
        uint32_t width = sni_channel_rows(entry->channel), step = entry->has_curves && entry->kind != SNI_SQUAD ? 4 : 1;
        uint32_t copies = entry->has_curves && entry->kind == SNI_SQUAD ? 4 : 1;
        float *rows = sni_new(scratch, float, SNI_MOST_ROWS *SNI_LANES);
        if (!rows) return false;
        for (uint32_t k = 0; k < width * copies; k++)
            rows[k * step * SNI_LANES + i] = entry->rest[k % width * SNI_LANES + i];
        sni_motion_kind plain = entry->channel == SN_CHANNEL_ROTATION ? SNI_SLERP_2 : SNI_LERP;
        *made = (sni_frames_draft){ &zero, 1, rows, entry->has_curves || entry->is_stepped ? entry->kind : plain };
    }
    return !c->opts->quantize || sni_frames_quantize(scratch, c->opts->nlerp, made, ranges);
}

// Bytes of the keys of all lanes.
static bool measure_lanes(compiler *c, const sni_entry_source *entry, uint64_t *bytes)
{
    bool is_done = true;
    *bytes = 0;
    for (uint32_t i = 0; i < SNI_LANES && is_done; i++) {
        sni_frames_draft made = { 0 };
        float *ranges;
        sni_arena own;
        sni_arena_init(&own, &c->motion->heap);
        is_done = make_lane(c, entry, i, &own, &made, &ranges);
        *bytes += (uint64_t)made.count * (sni_lane_bytes(made.kind) + sizeof *made.times + sizeof(uint32_t));
        sni_arena_free(&own);
    }
    return is_done;
}

static bool build_lanes(compiler *c, const sni_entry_source *entry, uint32_t place, bool is_overlay)
{
    sni_lane_entry *kept = sni_push(c->scratch, &c->lane_entries, sni_lane_entry);
    float *all_ranges = c->opts->quantize ? sni_new(&c->motion->arena, float, SNI_RANGE_FLOATS) : NULL;
    bool is_done = kept && (all_ranges || !c->opts->quantize);
    if (!is_done) return false;
    *kept = (sni_lane_entry){ .place = place, .lanes = is_overlay ? (uint8_t)entry->members : 255 };
    for (uint32_t i = 0; i < SNI_LANES && is_done; i++) {
        sni_frames_draft made;
        float *ranges;
        sni_arena own;
        sni_arena_init(&own, &c->motion->heap);
        is_done = make_lane(c, entry, i, &own, &made, &ranges) && keep_lane(c->motion, &made, i, &kept->tracks[i]);
        if (is_done && entry->members >> i & 1) kept->tracks[i].period = entry->lanes[i].period;
        if (is_done && made.kind > kept->kind) kept->kind = (uint8_t)made.kind;  // the highest degree serves all
        if (is_done && kept->tracks[i].period > 0.0f) kept->has_periods = true;
        for (uint32_t k = i; k < SNI_RANGE_FLOATS && is_done && ranges; k += SNI_LANES) {
            all_ranges[k] = ranges[k];
            kept->ranges = all_ranges;
        }
        sni_arena_free(&own);
    }
    c->motion->info.bytes += sizeof *kept + (kept->ranges ? SNI_RANGE_FLOATS * sizeof(float) : 0);
    return is_done;
}

static bool build_entry(compiler *c, const sni_entry_source *entry, const sni_lane_source *any, uint32_t place,
                        bool is_overlay)
{
    uint32_t merged;
    sni_frames_draft made;
    if (!entry->tolerances || entry->has_curves || entry->is_stepped) {
        if (!sni_frames_count(entry, c->scratch, &merged)) return false;
        if (are_apart(entry, merged)) return build_lanes(c, entry, place, is_overlay);
        return sni_frames_make(entry, c->scratch, &made) && add_entry(c, any, is_overlay, place, entry->members, &made);
    }
    // Where keys are dropped, whatever takes less memory.
    uint64_t lane_bytes;
    if (!sni_frames_make(entry, c->scratch, &made) || !measure_lanes(c, entry, &lane_bytes)) return false;
    uint64_t frame_bytes = (uint64_t)made.count * sni_kind_bytes(made.kind) / (c->opts->quantize ? 2 : 1);
    return lane_bytes < frame_bytes ? build_lanes(c, entry, place, is_overlay)
                                    : add_entry(c, any, is_overlay, place, entry->members, &made);
}

static bool is_spline(const sni_lane_source *l) { return l->track.interpolation == SN_CUBIC_SPLINE; }

// One channel of a block: the lanes that one entry can hold, then what is left in overlays.
static bool build_channel(compiler *c, uint32_t block, uint32_t channel)
{
    sni_lane_source lanes[SNI_LANES];
    uint32_t moving = 0, node_count = c->motion->model->node_count, width = sni_channel_rows(channel);
    float *rest = sni_trs8_floats(c->rest) + sni_channel_place(block, channel);
    for (uint32_t i = 0; i < SNI_LANES; i++) {
        uint32_t node = block * SNI_LANES + i;
        float value[4];
        sni_lane_init(&lanes[i], node < node_count ? c->tracks[(size_t)node * 3 + channel] : NULL, c->clip->duration);
        if (!sni_lane_find_whether_moves(&lanes[i], c->scratch)) return false;
        if (!lanes[i].source) continue;
        if (lanes[i].moves) {
            moving |= 1u << i;
            c->motion->node_moves[node] = 1;
        }
        sni_lane_value(&lanes[i], 0.0f, value);
        for (uint32_t k = 0; k < width; k++) rest[k * SNI_LANES + i] = value[k];
    }
    for (bool is_overlay = false; moving; is_overlay = true) {
        const sni_lane_source *any = NULL;
        sni_entry_source entry = { .lanes = lanes, .channel = channel, .rest = rest, .is_stepped = true };
        for (uint32_t i = 0; i < SNI_LANES; i++) {
            const sni_lane_source *l = &lanes[i];
            if (!(moving >> i & 1)) continue;
            if (!any) any = l;
            if (l->period != any->period) continue;
            if (channel == SN_CHANNEL_ROTATION && is_spline(l) != is_spline(any)) continue;
            entry.members |= 1u << i;
            entry.has_curves = entry.has_curves || sni_track_has_tangents(&l->track);
            entry.is_stepped = entry.is_stepped && sni_track_is_stepped(&l->track);
        }
        bool is_rotation = channel == SN_CHANNEL_ROTATION;
        entry.kind = !is_rotation ? SNI_CUBIC : is_spline(any) ? SNI_CUBIC_ROTATION : SNI_SQUAD;
        if (entry.is_stepped) entry.kind = is_rotation ? SNI_STEP_ROTATION : SNI_STEP;
        if (c->tolerances) entry.tolerances = c->tolerances + (size_t)block * SNI_LANES;
        entry.nlerp = c->opts->nlerp;
        if (!build_entry(c, &entry, any, sni_channel_place(block, channel), is_overlay)) return false;
        moving &= ~entry.members;
    }
    return true;
}

// Timelines

bool sni_motion_finish_timeline(sn_motion *motion, sni_timeline *line)
{
    uint32_t *starts = sni_new_raw(&motion->arena, uint32_t, (uint64_t)line->frame_count + 1);
    if (!starts) return false;
    for (uint32_t kind = 0; kind < SNI_KIND_COUNT; kind++)
        if (line->counts[kind]) line->kinds |= 1u << kind;
    line->buckets_per_second = fill_buckets(line->times, line->frame_count, starts);
    line->bucket_starts = starts;
    motion->info.bytes += sizeof *line + (line->frame_count + 1) * sizeof *starts;
    return true;
}

// Memory for vectors.
void *sni_motion_alloc(sn_motion *motion, uint64_t size)
{
    enum { LINE = 64 };
    if (size > SIZE_MAX - LINE) return sni_alloc(&motion->arena, SIZE_MAX, 2);
    uint8_t *block = sni_new_raw(&motion->arena, uint8_t, size + LINE);
    return block ? block + (LINE - (uintptr_t)block % LINE) % LINE : NULL;
}

static bool assemble(compiler *c, const timeline_draft *draft, sni_timeline *line)
{
    sn_motion *motion = c->motion;
    uint64_t frame_size = 0;
    for (entry_draft *e = draft->first; e; e = e->next) frame_size += sni_kind_bytes(e->kind);
    if (frame_size > UINT32_MAX) return sni_fail(motion->heap.diag, SN_ERR_LIMIT, 0, "a clip moves too many nodes");
    *line = (sni_timeline){ .period = draft->period,
                            .end = draft->end,
                            .is_overlay = draft->is_overlay,
                            .frame_count = draft->frame_count,
                            .frame_size = (uint32_t)frame_size };
    uint8_t *frames = sni_motion_alloc(motion, frame_size * draft->frame_count);
    float *times = sni_motion_alloc_times(motion, draft->frame_count);
    uint32_t *places = sni_new_raw(&motion->arena, uint32_t, draft->entry_count), at = 0;
    uint8_t *lanes = sni_new_raw(&motion->arena, uint8_t, draft->is_overlay ? draft->entry_count : 0);
    if (!frames || !times || !places || !lanes) return false;
    memcpy(times, draft->times, draft->frame_count * sizeof *times);
    float *ranges = NULL, *range = NULL;
    for (entry_draft *e = draft->first; e; e = e->next) line->counts[e->kind]++;
    if (line->counts[SNI_LERP_I16]) {
        uint64_t count = (uint64_t)line->counts[SNI_LERP_I16] * SNI_RANGE_FLOATS;
        ranges = range = sni_new_raw(&motion->arena, float, count);
        if (!ranges) return false;
        motion->info.bytes += count * sizeof *ranges;
    }
    uint8_t *column = frames;
    for (uint32_t kind = 0; kind < SNI_KIND_COUNT; kind++) {
        for (entry_draft *e = draft->first; e; e = e->next) {
            size_t size = sni_kind_bytes(kind);
            if (e->kind != kind) continue;
            for (uint32_t f = 0; f < draft->frame_count; f++)
                memcpy(column + (size_t)f * frame_size, (const uint8_t *)e->rows + f * size, size);
            if (draft->is_overlay) lanes[at] = e->lanes;
            places[at++] = e->place;
            if (e->ranges) {
                memcpy(range, e->ranges, SNI_RANGE_FLOATS * sizeof *range);
                range += SNI_RANGE_FLOATS;
            }
            column += size;
        }
    }
    line->frames = frames;
    line->times = times;
    line->places = places;
    line->ranges = ranges;
    line->lanes = draft->is_overlay ? lanes : NULL;
    motion->info.bytes += frame_size * draft->frame_count;
    motion->info.bytes += draft->entry_count * (sizeof *places + (draft->is_overlay ? 1 : 0));
    return sni_motion_finish_timeline(motion, line);
}

static bool assemble_all(compiler *c)
{
    sni_timeline *lines = sni_new(&c->motion->arena, sni_timeline, c->timeline_count);
    if (!lines) return false;
    uint32_t at = 0;
    for (int overlays = 0; overlays < 2; overlays++)
        for (timeline_draft *draft = c->first; draft; draft = draft->next)
            if (draft->is_overlay == (overlays == 1) && !assemble(c, draft, &lines[at++])) return false;
    c->out->timelines = lines;
    c->out->timeline_count = c->timeline_count;
    sni_lane_entry *entries = sni_new_raw(&c->motion->arena, sni_lane_entry, c->lane_entries.count);
    if (!entries) return false;
    at = 0;
    for (int overlays = 0; overlays < 2; overlays++) {
        const sni_lane_entry *made = c->lane_entries.items;
        for (uint32_t i = 0; i < c->lane_entries.count; i++)
            if ((made[i].lanes != 255) == (overlays == 1)) entries[at++] = made[i];
    }
    c->out->lane_entries = entries;
    c->out->lane_entry_count = c->lane_entries.count;
    return true;
}

// Clips

// Tracks that do not move nodes, and the last of those that move the same.
static bool sort_tracks(compiler *c, uint8_t *node_flags)
{
    const sn_clip *clip = c->clip;
    sn_track *others = sni_new(&c->motion->arena, sn_track, clip->track_count);
    if (!others) return false;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sn_track *track = &clip->tracks[i];
        if (track->key_count == 0) continue;
        if (sni_track_is_local(track)) {
            c->tracks[(size_t)track->target * 3 + track->channel] = track;
            node_flags[track->target] |= SNI_NODE_REPLACED;
            continue;
        }
        others[c->out->other_count++] = *track;
        bool is_visibility = track->target_kind == SN_TARGET_NODE && track->channel == SN_CHANNEL_VISIBILITY;
        if (is_visibility) c->out->has_visibility = true;
        else c->out->has_others = true;
        c->motion->info.bytes += (uint64_t)track->key_count * 4 * (1 + sni_track_floats_per_key(track));
    }
    c->out->others = others;
    return true;
}

// Blocks and flags of the nodes at rest.
static bool start_clip(sn_motion *motion, sni_motion_clip *clip, sni_trs8 **rest, uint8_t **node_flags)
{
    const sn_model *model = motion->model;
    *rest = sni_motion_alloc(motion, (uint64_t)motion->block_count * sizeof **rest);
    *node_flags = sni_new(&motion->arena, uint8_t, (uint64_t)motion->block_count * SNI_LANES);
    if (!*rest || !*node_flags) return false;
    for (uint32_t i = 0; i < motion->block_count * SNI_LANES; i++) {
        bool is_node = i < model->node_count;
        sni_trs8_set(*rest, i, is_node ? &model->nodes[i].rest : &sni_trs_identity);
        if (is_node && !(model->nodes[i].flags & SN_NODE_HIDDEN)) (*node_flags)[i] = SNI_NODE_SHOWN;
    }
    clip->rest = *rest;
    clip->node_flags = *node_flags;
    clip->is_compiled = true;
    return true;
}

static void finish_flags(const sn_motion *motion, sni_motion_clip *clip)
{
    const uint64_t start = 14695981039346656037u;
    clip->flags_id = clip->shown_id = start;
    for (uint32_t i = 0; i < motion->block_count * SNI_LANES; i++) {
        uint8_t shown = clip->node_flags[i] & SNI_NODE_SHOWN;
        clip->flags_id = sni_motion_hash(clip->flags_id, &clip->node_flags[i], 1);
        clip->shown_id = sni_motion_hash(clip->shown_id, &shown, 1);
    }
    if (clip->has_visibility) clip->flags_id = clip->shown_id = 0;
}

// By time, then by lane; of two keys of a lane at one time, the one that lasts no time comes first.
static int compare_events(const void *a, const void *b)
{
    const sni_key_event *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    if (x->lane != y->lane) return x->lane < y->lane ? -1 : 1;
    return x->until < y->until ? -1 : x->until > y->until;
}

// What poses need to keep keys: which entries, when their lanes come to the next key, and a name for all of it.
static bool finish_keys(sn_motion *motion, sni_motion_clip *clip)
{
    uint64_t count = 0, hash = 14695981039346656037u;
    const sni_lane_entry *entries = clip->lane_entries;
    clip->cached_count = 0;
    while (clip->cached_count < clip->lane_entry_count && entries[clip->cached_count].lanes == 255)
        clip->cached_count++;
    for (uint32_t i = 0; i < clip->cached_count * SNI_LANES; i++) {
        const sni_lane_entry *entry = &entries[i / SNI_LANES];
        const sni_lane *lane = &entry->tracks[i % SNI_LANES];
        const uint32_t head[2] = { entry->place, entry->kind };
        hash = sni_motion_hash(hash, head, sizeof head);
        hash = sni_motion_hash(hash, lane->times, lane->key_count * sizeof *lane->times);
        hash = sni_motion_hash(hash, lane->values, lane->key_count * (size_t)sni_lane_bytes(entry->kind));
        count += lane->key_count - 1;
    }
    clip->keys_id = hash ? hash : 1;
    if (count == 0 || motion->saves_memory || count > UINT32_MAX) return true;
    sni_key_event *events = sni_new_raw(&motion->arena, sni_key_event, count);
    if (!events) return false;
    for (uint32_t i = 0; i < clip->cached_count * SNI_LANES; i++) {
        const sni_lane_entry *entry = &entries[i / SNI_LANES];
        const sni_lane *lane = &entry->tracks[i % SNI_LANES];
        for (uint32_t k = 1; k < lane->key_count && sni_has_events(entry); k++) {
            sni_key_event *event = &events[clip->event_count++];
            *event = (sni_key_event){ lane->times[k], lane->times[k + 1], i, { 0 } };
            memcpy(event->to, (const float *)lane->values + ((size_t)k + 1) * 4, sizeof event->to);
        }
    }
    qsort(events, clip->event_count, sizeof *events, compare_events);
    clip->events = events;
    motion->info.bytes += clip->event_count * sizeof *events;
    return true;
}

bool sni_motion_finish_clip(sn_motion *motion, sni_motion_clip *clip)
{
    uint32_t channel_count = motion->block_count * 3;
    uint8_t *is_moved = sni_new(&motion->arena, uint8_t, channel_count);
    uint32_t *places = sni_new_raw(&motion->arena, uint32_t, channel_count);
    sni_trs8 *first = sni_motion_alloc(motion, (uint64_t)motion->block_count * sizeof *first);
    if (!is_moved || !places || !first) return false;
    for (uint32_t i = 0; i < clip->timeline_count; i++) {
        const sni_timeline *line = &clip->timelines[i];
        uint32_t entry_count = 0;
        for (uint32_t kind = 0; kind < SNI_KIND_COUNT; kind++) entry_count += line->counts[kind];
        for (uint32_t k = 0; k < entry_count; k++) is_moved[sni_place_channel(line->places[k])] = 1;
    }
    for (uint32_t i = 0; i < clip->lane_entry_count; i++) is_moved[sni_place_channel(clip->lane_entries[i].place)] = 1;
    clip->rest_count = 0;
    clip->id = 14695981039346656037u;
    for (uint32_t i = 0; i < channel_count; i++) {
        if (is_moved[i]) continue;
        uint32_t place = sni_channel_place(i / 3, i % 3);
        places[clip->rest_count++] = place;
        clip->id = sni_motion_hash(clip->id, &place, sizeof place);
        clip->id = sni_motion_hash(clip->id, sni_trs8_floats(clip->rest) + place,
                                   sni_channel_rows(i % 3) * SNI_LANES * sizeof(float));
    }
    clip->id = sni_motion_hash(clip->id, clip->node_flags, (size_t)motion->block_count * SNI_LANES);
    finish_flags(motion, clip);
    for (uint32_t i = 0; i < clip->other_count; i++) {
        const sn_track *track = &clip->others[i];
        const int32_t target[5] = { track->target_kind, track->channel, track->target, track->sub,
                                    (int32_t)track->width };
        clip->id = sni_motion_hash(clip->id, target, sizeof target);
    }
    if (clip->id == 0) clip->id = 1;
    if (!finish_keys(motion, clip)) return false;
    clip->rest_places = places;
    memcpy(first, clip->rest, (size_t)motion->block_count * sizeof *first);
    motion->kernels->sample(clip, 0.0f, 0.0f, NULL, first);
    clip->first = first;
    motion->info.bytes += (uint64_t)motion->block_count * (2 * sizeof *first + SNI_LANES) + sizeof *clip;
    motion->info.bytes += (uint64_t)clip->rest_count * sizeof *places;
    return true;
}

static bool compile(compiler *c)
{
    sn_motion *motion = c->motion;
    uint8_t *node_flags;
    if (!start_clip(motion, c->out, &c->rest, &node_flags)) return false;
    if (c->clip) {
        c->tracks = sni_new(c->scratch, const sn_track *, (uint64_t)motion->model->node_count * 3);
        if (!c->tracks || !sort_tracks(c, node_flags)) return false;
        for (uint32_t i = 0; i < motion->block_count * 3; i++)
            if (!build_channel(c, i / 3, i % 3)) return false;
        if (!assemble_all(c)) return false;
    }
    return sni_motion_finish_clip(motion, c->out);
}

bool sni_motion_compile_clip(sn_motion *motion, int32_t clip, const sn_motion_opts *opts)
{
    return sni_motion_compile_within(motion, clip, opts, NULL);
}

bool sni_motion_compile_within(sn_motion *motion, int32_t clip, const sn_motion_opts *opts,
                               const sni_tolerance *tolerances)
{
    const sn_clip *played = clip >= 0 ? &motion->model->clips[clip] : NULL;
    sni_motion_clip *out = clip >= 0 ? &motion->clips[clip] : &motion->rest;
    sni_arena scratch;
    sni_arena_init(&scratch, &motion->heap);
    compiler c = { .motion = motion, .opts = opts, .clip = played, .out = out, .scratch = &scratch };
    c.last = &c.first;
    c.tolerances = tolerances;
    if (played) out->duration = played->duration, out->loops = played->loops;
    bool is_done = compile(&c);
    sni_arena_free(&scratch);
    return is_done;
}
