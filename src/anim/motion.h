// The inside of a motion: how compiled clips lie in memory.
//
// The nodes of a model form blocks of eight, as in a pose. A channel of a block (the translation, rotation or scale of
// eight nodes) that moves in a clip is an entry. Its eight tracks are merged: it has a row of eight floats per
// component at every time at which one of them has a key. Entries with equal times share a timeline:
//
//     timeline   times     0      0.1     0.3 ...
//                frames  [row...][row...][row...]        frame_size bytes each, so two neighbours are read in one go
//                         |
//                         entry 0, entry 1, ...          sorted by kind; each knows where it goes in the locals
//
// A frame holds values at its time (lerp, slerp), or what describes the curve from its time to the next (cubic, squad).
// Where a value jumps, two frames have the same time: the limit from the left, then from the right.
//
// All else is done when compiling. Wraps are keys at 0 and at the end. Rotations have unit length, and signs such that
// neighbours are less than half a turn apart; where they are too far apart for the polynomial, a frame is inserted.
// Lanes without a track, or with one that does not move, repeat their value. Channels in which nothing moves are no
// entries: their values are in `rest`. What is no transform (visibility, morphs, colours, ...) keeps its tracks.
//
// Tracks with a period have timelines of their own. Where one entry cannot hold all eight lanes (other periods, or
// cubic splines beside slerps), the lanes that are left form entries of overlays: timelines that are sampled after the
// others and write only some lanes.
//
// Where the keys of the eight tracks have little in common, merging would multiply them. Such an entry is a lane entry:
// its lanes keep keys of their own, which are searched one by one and then interpolated together.
#ifndef SNI_MOTION_H
#define SNI_MOTION_H

#include "anim/motion_kernels.h"
#include "anim/pose.h"
#include "base/simd.h"
#include "base/writer.h"

#include <string.h>

// The rows of an entry's frame. Rows are eight floats, or eight int16_t where the name says so.
typedef enum sni_motion_kind {
    SNI_LERP,     // 3 rows: translation or scale
    SNI_CUBIC,    // 12: four coefficients of a polynomial in 0..1 for each component
    SNI_SLERP_2,  // 4: rotation; by a polynomial of degree 2, which is exact up to an angle (slerp_limits)
    SNI_SLERP_4,
    SNI_SLERP_8,
    SNI_NLERP_2,  // 4: the same for normalised linear interpolation
    SNI_NLERP,
    SNI_CUBIC_ROTATION,  // 16: like SNI_CUBIC, then normalised
    SNI_SQUAD,           // 18: four rotations, then where in the curve the frame begins and how much of it it has
    SNI_STEP,            // 3: holds until the next frame
    SNI_STEP_ROTATION,   // 4
    SNI_LERP_I16,        // 3
    SNI_SLERP_I16,       // 4
    SNI_NLERP_I16,       // 4
    SNI_KIND_COUNT
} sni_motion_kind;

enum { SNI_SQUAD_ROWS = 18, SNI_MOST_ROWS = 18, SNI_TIME_PADS = 2 };

// Up to which 1 - cos(angle) a polynomial of degree 2, 4 and 8 is exact to 5e-8: the first term left out.
static const float sni_slerp_limits[3] = { 0.0096f, 0.085f, 0.35f };

// A lerp of 16 bits has `rows` rows of factors, then as many of offsets: value = factor * stored + offset.
enum { SNI_RANGE_FLOATS = 2 * 3 * SNI_LANES };

typedef struct sni_timeline {
    float period;     // > 0: runs on the clock instead of the clip's time
    float end;        // the period, or the clip's duration
    bool is_overlay;  // writes only `lanes`
    uint32_t frame_count;
    uint32_t frame_size;    // bytes, a multiple of 16
    const float *times;     // from 0, rising; then SNI_TIME_PADS that are infinite
    const uint8_t *frames;  // aligned to 64 bytes

    // Finds a time: bucket i is a part of 0..end, and bucket_starts[i] frames are in buckets before it. There are as
    // many as frames.
    float buckets_per_second;
    const uint32_t *bucket_starts;  // frame_count + 1

    uint32_t counts[SNI_KIND_COUNT];  // how many entries of each kind
    uint32_t kinds;                   // a bit for each kind that has any
    const uint32_t *places;           // per entry: its first row in the locals, counted in floats
    const uint8_t *lanes;             // per entry: a bit per lane; NULL unless is_overlay
    const float *ranges;              // SNI_RANGE_FLOATS per SNI_LERP_I16; NULL where there is none
} sni_timeline;

// One track of a lane entry. SNI_TIME_PADS infinite times follow its times; one more value, equal to the last, follows
// its values.
typedef struct sni_lane {
    const float *times;
    const void *values;      // sni_lane_bytes(kind) for each key
    const uint32_t *starts;  // as sni_timeline.bucket_starts, with as many buckets as keys
    float buckets_per_second;
    uint32_t key_count;
    float period;  // > 0: runs on the clock
} sni_lane;

// Eight tracks with keys of their own.
typedef struct sni_lane_entry {
    uint32_t place;
    uint8_t kind;
    uint8_t lanes;  // a bit for each lane that is written
    bool has_periods;
    const float *ranges;  // of SNI_LERP_I16
    sni_lane tracks[SNI_LANES];
} sni_lane_entry;

// A key of a lane: a value of four floats or int16_t (a vector has three), or the curve to the next key.
static inline uint32_t sni_lane_bytes(uint32_t kind)
{
    return kind == SNI_SQUAD            ? 80
           : kind == SNI_CUBIC_ROTATION ? 64
           : kind == SNI_CUBIC          ? 48
           : kind >= SNI_LERP_I16       ? 8
                                        : 16;
}

// A lane of a lane entry comes to its next key: what changes in its cache. The value that it goes to becomes the one
// that it comes from.
typedef struct sni_key_event {
    float time, until;
    uint32_t lane;  // SNI_LANES * entry + lane
    float to[4];
} sni_key_event;

static inline bool sni_is_curve(uint32_t kind)
{
    return kind == SNI_CUBIC || kind == SNI_CUBIC_ROTATION || kind == SNI_SQUAD;
}

// Whether the keys of an entry that writes all lanes are in the events of its clip.
static inline bool sni_has_events(const sni_lane_entry *entry)
{
    return !sni_is_curve(entry->kind) && entry->kind < SNI_LERP_I16 && !entry->has_periods;
}

typedef struct sni_motion_clip {
    uint64_t id;                  // names what the clip leaves at rest, see sn_pose.rest_id; never 0
    uint64_t flags_id, shown_id;  // name node_flags, and SNI_NODE_SHOWN of them; 0 where visibility has tracks
    uint64_t keys_id;             // names the keys of cached lane entries, never 0
    float duration;
    bool loops;
    bool is_compiled;               // else it is at rest
    bool has_visibility;            // of nodes
    bool has_others;                // other tracks than visibility of nodes
    const sni_timeline *timelines;  // overlays last
    uint32_t timeline_count;
    const sni_lane_entry
        *lane_entries;  // sampled after timelines that are no overlays; those that write all lanes first
    uint32_t lane_entry_count;
    uint32_t cached_count;        // lane entries that a pose caches: those that write all lanes
    const sni_key_event *events;  // by time, see sni_has_events; NULL where memory is to be saved
    uint32_t event_count;
    const sni_trs8 *rest;         // all blocks: what does not move, and any valid value where something moves
    const sni_trs8 *first;        // all blocks at time and clock 0
    const uint8_t *node_flags;    // per node, up to a whole block
    const uint32_t *rest_places;  // the channels that are in no entry: their first rows, counted in floats
    uint32_t rest_count;
    const sn_track *others;  // tracks that do not move nodes, in the model's order
    uint32_t other_count;
} sni_motion_clip;

struct sn_motion {
    const sn_model *model;
    sni_heap heap;
    sni_arena arena;  // all arrays
    const sni_motion_kernels *kernels;
    sn_motion_info info;
    bool nlerp;
    bool saves_memory;       // was made with sn_motion_opts.quantize or max_error
    sni_motion_clip *clips;  // one per clip of the model
    sni_motion_clip rest;    // clip -1
    uint32_t block_count;
    uint8_t *node_moves;  // per node: 1 where any clip moves it

    // For solving.
    int32_t *parents;      // per node
    uint8_t *exact_lanes;  // per block: nodes that are solved by sni_pose_solve_node
    uint8_t *parent_axes;  // per block: 1 where all nodes have SN_NODE_SCALE_PARENT_AXES
    // Joints of all skins, one after the other, by node.
    int32_t *first_joints;         // per node; -1: none
    int32_t *next_joints;          // per joint: the next of the same node
    const sn_mat34 **joint_binds;  // per joint
    // For crowds: where a node's matrix is kept until its last child is solved. Without children: not at all, -1.
    int32_t *world_slots;
    uint32_t world_slot_count;
    bool has_exact;     // there is any such node
    bool has_matrices;  // a node has a matrix
};

// Blocks as one array of floats.
static inline float *sni_trs8_floats(const sni_trs8 *blocks) { return (float *)(uintptr_t)blocks; }

// Where in the locals the channels of a block begin, in floats.
enum { SNI_BLOCK_FLOATS = sizeof(sni_trs8) / sizeof(float) };
static inline uint32_t sni_channel_place(uint32_t block, uint32_t channel)
{
    static const uint8_t starts[3] = { 0, 3 * SNI_LANES, 7 * SNI_LANES };
    return block * SNI_BLOCK_FLOATS + starts[channel];
}

// The number of a channel, three per block, by its place.
static inline uint32_t sni_place_channel(uint32_t place)
{
    uint32_t at = place % SNI_BLOCK_FLOATS;
    return place / SNI_BLOCK_FLOATS * 3 + (at == 0 ? 0u : at == 3 * SNI_LANES ? 1u : 2u);
}

static inline uint32_t sni_kind_rows(uint32_t kind)
{
    static const uint8_t rows[SNI_KIND_COUNT] = { 3, 12, 4, 4, 4, 4, 4, 16, SNI_SQUAD_ROWS, 3, 4, 3, 4, 4 };
    return rows[kind];
}

static inline uint32_t sni_kind_bytes(uint32_t kind)  // of an entry in a frame
{
    return sni_kind_rows(kind) * SNI_LANES * (kind >= SNI_LERP_I16 ? 2u : 4u);
}

// The frames around a time: `from` and the one after it, which is the same at the end.
typedef struct sni_frames {
    const uint8_t *from, *to;
    float u;
} sni_frames;

// How many of the times are at or before a time.
static inline uint32_t sni_count_until(const float *times, uint32_t low, uint32_t high, float time)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (times[middle] <= time) low = middle + 1;
        else high = middle;
    }
    return low;
}

// The last of some times at or before a time, or the first. Buckets mostly have two times or fewer: those need no
// branch.
static inline uint32_t sni_find_time(const float *times, const uint32_t *starts, uint32_t count, float per_second,
                                     float time)
{
    uint32_t bucket = (uint32_t)(time * per_second);
    if (bucket >= count) bucket = count - 1;
    uint32_t low = starts[bucket], high = starts[bucket + 1];
    if (high - low <= 2) low += (uint32_t)(times[low] <= time) + (uint32_t)(times[low + 1] <= time);
    else low = sni_count_until(times, low, high, time);
    return low > 0 ? low - 1 : 0;
}

static inline sni_frames sni_timeline_find(const sni_timeline *line, float time)
{
    uint32_t at = sni_find_time(line->times, line->bucket_starts, line->frame_count, line->buckets_per_second, time);
    float start = line->times[at];  // after the last comes infinity
    sni_frames found = { line->frames + (size_t)at * line->frame_size, NULL, 0.0f };
    found.to = found.from + (at + 1 < line->frame_count ? line->frame_size : 0);
    found.u = (time - start) / (line->times[at + 1] - start);
    return found;
}

static inline uint32_t sni_lane_find(const sni_lane *lane, float time)
{
    return sni_find_time(lane->times, lane->starts, lane->key_count, lane->buckets_per_second, time);
}

// The clip, or that of the rest pose.
static inline const sni_motion_clip *sni_motion_clip_at(const sn_motion *motion, int32_t clip)
{
    if (clip < 0 || (uint32_t)clip >= motion->model->clip_count || !motion->clips[clip].is_compiled)
        return &motion->rest;
    return &motion->clips[clip];
}

static inline float sni_motion_clip_time(const sni_motion_clip *clip, float seconds)
{
    if (seconds >= 0.0f && seconds <= clip->duration) return seconds;
    sn_clip times = { .duration = clip->duration, .loops = clip->loops };
    return sni_clip_time(&times, seconds);
}

// sn_motion_sample without what is no transform.
void sni_motion_sample_locals(const sn_motion *motion, sn_pose *pose, int32_t clip, float seconds, float clock);

// The local transforms of a clip in blocks of the caller's: constants, then sni_motion_kernels.sample.
void sni_motion_write_rest(const sni_motion_clip *clip, sni_trs8 *locals);

// Compiling. Each returns false after a failure, which the heap's diagnostics have.
bool sni_motion_compile_clip(sn_motion *motion, int32_t clip, const sn_motion_opts *opts);  // -1: the rest pose

// How far a key may be from what interpolation of its neighbours gives, per node; NULL: no key is dropped.
typedef struct sni_tolerance {
    float translation, angle, scale;
} sni_tolerance;
bool sni_motion_compile_within(sn_motion *motion, int32_t clip, const sn_motion_opts *opts,
                               const sni_tolerance *tolerances);

// Rows of eight floats at each of some times, and what they are made to.
typedef struct sni_frames_draft {
    float *times;
    uint32_t count;
    void *rows;  // [frame][row][lane] of floats; of int16_t where the kind says so
    sni_motion_kind kind;
} sni_frames_draft;

// Drops frames of values that interpolation gives back. `tolerances` are those of the block's first node on.
void sni_frames_reduce(sni_frames_draft *frames, const sni_tolerance *tolerances, uint32_t lanes, uint32_t channel);

// The same with sn_motion_opts.quantize and max_error, and measures the error. Compiles again until that is small
// enough.
bool sni_motion_reduce_clip(sn_motion *motion, int32_t clip, const sn_motion_opts *opts);

// Parts of a motion that follow from others, for motions that are loaded. Each adds to info.bytes.
sn_motion *sni_motion_start(const sn_model *model, const sn_motion_opts *opts, uint64_t memory_bytes, sni_diag *diag);
bool sni_motion_finish_timeline(sn_motion *motion, sni_timeline *line);  // kinds, buckets
// Sets all of a lane but the values, which the caller gets to set: those of all keys and one more.
void *sni_motion_start_lane(sn_motion *motion, sni_lane *lane, uint32_t kind, const float *times, uint32_t count);
bool sni_motion_finish_clip(sn_motion *motion, sni_motion_clip *clip);  // rest_places, first, id
void sni_motion_finish(sn_motion *motion);                              // info
float *sni_motion_alloc_times(sn_motion *motion, uint32_t count);       // with pads
void *sni_motion_alloc(sn_motion *motion, uint64_t size);               // aligned to 64 bytes
uint64_t sni_motion_hash(uint64_t hash, const void *data, size_t size);

// The bytes of a motion's file. Values that the file cannot hold are a failure: SN_ERR_INVALID.
bool sni_motion_write(const sn_motion *motion, sni_writer *out, sni_diag *diag);

#endif
