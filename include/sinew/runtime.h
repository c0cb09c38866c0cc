// Plays models in a game: clips compiled for speed, layers, IK, crowds, and skinning on the CPU.
//
//     sn_motion *motion = sn_motion_create(model, NULL, &error);        // once per model, shared by all threads
//     sn_pose *pose = sn_pose_create(model, NULL, &error);              // one per character
//     sn_motion_sample(motion, pose, clip, seconds, clock);             // every frame
//     sn_motion_solve(motion, pose, NULL);
//     const sn_mat34 *palette = sn_pose_palette(pose, 0);               // for the GPU
//
// sn_pose_sample, sn_pose_blend, sn_pose_solve and sn_skin_part of sinew.h are the reference: simple, and bit-identical
// on every machine. The functions here compute the same results with vector instructions, except for rounding:
// rotations within 2e-6, positions within 1e-5 of the model's size. Both work on the same poses and may be mixed.
//
// The functions that run every frame (sample, solve, layers, IK, crowds, skinning) do not allocate, and check their
// arguments only where stated. Arrays need no alignment.
#ifndef SINEW_RUNTIME_H
#define SINEW_RUNTIME_H

#include "sinew/sinew.h"

#ifdef __cplusplus
extern "C" {
#endif
// clang-format off

// Vector instructions

typedef enum sn_simd {
    SN_SIMD_AUTO,            // the best that this build and this processor have
    SN_SIMD_SCALAR,
    SN_SIMD_SSE2,
    SN_SIMD_AVX2,            // with FMA
    SN_SIMD_NEON,
    SN_SIMD_WASM,
    SN_SIMD_COUNT
} sn_simd;

SN_API bool        sn_simd_is_supported(sn_simd simd);    // by this build and this processor
SN_API const char *sn_simd_name(sn_simd simd);            // "avx2"
SN_API bool        sn_simd_find(const char *name, sn_simd *simd);  // false if there is no such name


// Motion: the clips of a model, compiled

typedef struct sn_motion sn_motion;

typedef struct sn_motion_opts {
    sn_allocator   allocator;
    uint64_t       memory_bytes;     // limit [64 MiB + 32 x bytes of the tracks, at most 2 GiB]
    sn_simd        simd;             // SN_ERR_UNSUPPORTED if this is not supported
    const int32_t *clips;            // the clips to compile; the others play as the rest pose [all]
    uint32_t       clip_count;
    bool           nlerp;            // interpolate rotations by nlerp: faster, and accurate enough if keys are close
                                     // together
    bool           quantize;         // 16 bits per value: half the memory
    float          max_error;        // > 0: drop keys as long as no node moves by more than this, in model units
} sn_motion_opts;

// The model must outlive the motion. Returns NULL on failure.
SN_API sn_motion *sn_motion_create(const sn_model *model, const sn_motion_opts *opts, sn_error *error);
SN_API void       sn_motion_free(sn_motion *motion);

typedef struct sn_motion_info {
    sn_simd  simd;                       // in use
    uint64_t bytes;                      // of all compiled clips
    float    bytes_per_node_second;      // counting nodes that move in any clip
    float    max_error;                  // the largest distance of any node from its exact position, at the keys and
                                         // between them; 0 unless quantize or max_error was set
} sn_motion_info;
SN_API sn_motion_info sn_motion_get_info(const sn_motion *motion);

// Saves a motion as a small file, which a game can ship instead of the tracks (docs/formats/motion.md). Such a file is
// untrusted input, like a model file. When loading, `model` must have the same hierarchy, parts, materials, lights,
// cameras and clip durations as the model that the motion was made from, else SN_ERR_INVALID; it needs no tracks.
// Loading uses only these options: allocator, memory_bytes [64 MiB + 32 x size + 1 KiB per clip and eight nodes, at
// most 2 GiB] and simd. sn_motion_save_file uses the motion's allocator. Saving returns SN_ERR_INVALID if a value is
// too large to compute with.
SN_API sn_status  sn_motion_save_memory(const sn_motion *motion, const sn_allocator *allocator, sn_bytes *bytes,
                                        sn_error *error);
SN_API sn_motion *sn_motion_load_memory(const void *data, size_t size, const sn_model *model,
                                        const sn_motion_opts *opts, sn_error *error);
SN_API sn_status  sn_motion_save_file(const sn_motion *motion, const char *path, sn_error *error);
SN_API sn_motion *sn_motion_load_file(const char *path, const sn_model *model, const sn_motion_opts *opts,
                                      sn_error *error);

// The pose must belong to the motion's model. The arguments are those of sn_pose_sample and sn_pose_solve.
SN_API void sn_motion_sample(const sn_motion *motion, sn_pose *pose, int32_t clip, float seconds, float clock);
SN_API void sn_motion_solve(const sn_motion *motion, sn_pose *pose, const sn_view *view);
// Samples, then solves.
SN_API void sn_motion_sample_solve(const sn_motion *motion, sn_pose *pose, int32_t clip, float seconds, float clock,
                                   const sn_view *view);


// Layers

// Layers are blended by weight: a node's transform is the sum of weight * mask * transform, divided by the sum of
// weight * mask. A node to which no layer applies is at rest. Rotations are blended as quaternions: each is negated if
// that brings it nearer to the sum of those before it, and the result is normalised. Morph weights, colours, lights and
// cameras are blended in the same way, with the mask of their node; materials are blended without a mask. Visibility
// and images cannot be blended: they come from the layer with the largest weight * mask, or the first of equal ones.
//
// Additive layers are applied after all others, in order. They add the difference between the clip and its first frame
// (at clock 0), to transforms only: translation and scale plus weight * mask * difference; rotation times
// nlerp(identity, difference, weight * mask), with the difference in the node's own axes.
//
// Other layers are ignored unless their weight is above 0; additive layers may have any weight.
typedef struct sn_motion_layer {
    int32_t      clip;               // -1: the rest pose
    float        seconds;
    float        weight;
    bool         is_additive;
    const float *mask;               // one factor per node, at least 0; NULL: 1 for all nodes
} sn_motion_layer;

SN_API void sn_motion_sample_layers(const sn_motion *motion, sn_pose *pose, const sn_motion_layer *layers,
                                    uint32_t count, float clock);

// The same for poses, which IK or your program may have changed. All poses must belong to the motion's model; `pose`
// may be one of them. An additive layer adds the difference between its pose and the rest pose.
typedef struct sn_blend_layer {
    const sn_pose *pose;
    float          weight;
    bool           is_additive;
    const float   *mask;
} sn_blend_layer;

SN_API void sn_motion_blend(const sn_motion *motion, sn_pose *pose, const sn_blend_layer *layers, uint32_t count);

// In a mask of node_count floats, sets the factor of a node and of everything below it; node -1: of all nodes.
SN_API void sn_mask_set(const sn_model *model, float *mask, int32_t node, float factor);


// Plays clips one after the other, with cross-fades. A plain struct; a zeroed one plays the first clip.
//
//     sn_player player = { .clip = idle };
//     sn_player_play(&player, model, walk, 0.2f);                        // when something happens
//     sn_player_advance(&player, model, frame_seconds);                  // every frame
//     uint32_t count = sn_player_layers(&player, layers);
//     sn_motion_sample_layers(motion, pose, layers, count, player.clock);

typedef struct sn_player {
    int32_t clip;                    // -1: the rest pose
    float   seconds;                 // time in the clip: wraps if the clip loops, else stops at its end
    float   speed;                   // of the clips, < 0: backwards [1]; to pause, advance by 0 seconds
    float   from, to;                // the time range that the last advance played, for sn_motion_root_delta and
                                     // sn_event_next. Not wrapped: `to` may be outside the clip. When a clip starts,
                                     // `from` is just below 0, so that events at 0 are found
    int32_t previous;                // fades out while fade < fade_seconds
    float   previous_seconds;
    float   fade, fade_seconds;
    float   clock;                   // the sum of all advances, without `speed`; drives tracks with a period
    bool    has_started;             // `clip` was advanced
} sn_player;

// Plays a clip from its start (from its end if the speed is < 0). This ends a cross-fade that is still running: of its
// two clips, the one with the larger weight fades out.
SN_API void     sn_player_play(sn_player *player, const sn_model *model, int32_t clip, float fade_seconds);
SN_API void     sn_player_advance(sn_player *player, const sn_model *model, float seconds);
SN_API uint32_t sn_player_layers(const sn_player *player, sn_motion_layer layers[2]);    // 1, or 2 during a cross-fade

// Returns how a node moves relative to its parent between two times of a clip: local(to) = local(from) * delta. Times
// may be outside the clip. If it loops, every loop between the two times counts, also backwards, so that a walk
// continues instead of jumping back; else times are clamped. Exact if the node's scale is uniform. Ignores tracks with
// a period.
SN_API sn_trs   sn_motion_root_delta(const sn_motion *motion, int32_t clip, int32_t node, float from, float to);

// Returns the events of a clip in (from, to], in order. If the clip loops, every loop between them counts, and its end
// is the start of the next loop. If from > to, returns those in [to, from), last first. Start with *cursor = 0; returns
// NULL past the end. `time` receives the event's time, unwrapped like `from` and `to`; may be NULL. With clip -1,
// `from` and `to` are clock times, and the events are those with a period: all times of one event, then of the next.
//
//     uint32_t cursor = 0;
//     for (const sn_event *event; (event = sn_event_next(model, clip, from, to, &cursor, NULL));) play_sound(event);
SN_API const sn_event *sn_event_next(const sn_model *model, int32_t clip, float from, float to, uint32_t *cursor,
                                     float *time);


// Changes a solved pose. Positions are in model space, with the transform of sn_pose_set_root. Aiming and IK change
// local rotations, never lengths, and then solve all nodes below, with the view of the last solve. Nodes above may have
// any scale, including mirrored and non-uniform scale. `weight` 0 changes nothing, not even by rounding; 1 is the full
// effect. Nothing changes if a node is out of range or not an ancestor as stated, if a number is not finite, if a node
// is a billboard, or if a scale of 0 leaves no direction.

// Solves a node and everything below it, after sn_pose_set_local. Nodes above keep the result of the last solve.
SN_API void     sn_pose_solve_below(sn_pose *pose, int32_t node);

// Attaches a pose to a node of another, solved pose: a sword to a hand, a rider to a horse. Sets the transform of
// sn_pose_set_root to the node's world matrix times `offset` (may be NULL); solve `pose` afterwards.
SN_API void     sn_pose_attach(sn_pose *pose, const sn_pose *to, int32_t node, const sn_mat34 *offset);
SN_API int32_t  sn_model_find_attachment(const sn_model *model, const char *name);   // the first of that name, or -1
SN_API sn_mat34 sn_pose_attachment(const sn_pose *pose, int32_t attachment);         // the world matrix of its node

// Turns a node so that `axis`, a direction in the node's own space, points at the target.
typedef struct sn_aim {
    int32_t node;
    sn_vec3 axis;
    sn_vec3 hinge;                   // turn only about this axis of the node, like a turret [any axis]
    sn_vec3 target;
    float   max_angle;               // the largest turn of one call, in radians [no limit]
    float   weight;
} sn_aim;
SN_API void     sn_pose_aim(sn_pose *pose, const sn_aim *aim);

// Two-bone IK: thigh, shin and foot. Bends `middle` and turns `start` so that `end` reaches the target. If the target
// is too far away, the limb points straight at it. Returns whether the target is within reach.
typedef struct sn_two_bone_ik {
    int32_t start, middle, end;      // each an ancestor of the next
    sn_vec3 tip;                     // the point in the space of `end` that reaches the target [its origin]. With a
                                     // tip, `end` may be `middle`, for skeletons without feet
    sn_vec3 target;
    sn_vec3 pole;                    // a position on the side of the knee; ignored unless has_pole
    bool    has_pole;                // else the knee stays in its current plane. A straight limb needs a pole
    bool    keep_end_rotation;       // keep the model-space rotation of `end`: a foot flat on the ground
    float   weight;
} sn_two_bone_ik;
SN_API bool     sn_pose_two_bone_ik(sn_pose *pose, const sn_two_bone_ik *ik);

// IK for a chain of any length (tail, tentacle, spine) by cyclic coordinate descent. Returns the remaining distance
// from the tip to the target, or infinity if nothing could be done.
typedef struct sn_chain_ik {
    int32_t  start, end;             // start is an ancestor of end, or end itself with a tip
    sn_vec3  tip;                    // the point in the space of `end` that reaches the target [its origin]
    sn_vec3  target;
    uint32_t iterations;             // [8]
    float    tolerance;              // stop when the tip is this close
    float    weight;                 // move the tip by this fraction of the straight line to the target
} sn_chain_ik;
SN_API float    sn_pose_chain_ik(sn_pose *pose, const sn_chain_ik *ik);


// Crowds: many instances of one model, eight at a time

// The state of one instance: 20 bytes, owned by the caller.
typedef struct sn_crowd_instance {
    int32_t clip, previous;          // `previous` fades out; -1: none
    float   seconds, previous_seconds;
    float   fade;                    // 0: only `previous`, 1: only `clip`
} sn_crowd_instance;

typedef struct sn_crowd sn_crowd;

// Working memory for `workers` threads, which may call sn_crowd_palettes at the same time, each with its own `worker`
// index from 0. The motion must outlive the crowd.
SN_API sn_crowd *sn_crowd_create(const sn_motion *motion, uint32_t workers, const sn_allocator *allocator,
                                 sn_error *error);
SN_API void      sn_crowd_free(sn_crowd *crowd);

typedef struct sn_crowd_output {
    sn_mat34       *palettes;        // the matrices of all skins, in order, instance after instance; may be NULL
    uint32_t        palette_stride;  // matrices from one instance to the next [the joints of all skins]
    const int32_t  *nodes;           // also write the world matrices of these nodes, such as attachment points
    uint32_t        node_count;
    sn_mat34       *node_worlds;     // node_count per instance
    const sn_mat34 *roots;           // one per instance: the parent transform of its root nodes; NULL: identity
    const uint8_t  *culled;          // one per instance: if nonzero, its output is not written; may be NULL
} sn_crowd_output;

// Samples, cross-fades and solves instances. To split the work, give each thread a range: pointers to its first
// instance in `instances` and in all arrays of `output`. `clock` drives tracks with a period. Billboards are not
// turned.
SN_API void sn_crowd_palettes(sn_crowd *crowd, uint32_t worker, const sn_crowd_instance *instances, uint32_t count,
                              float clock, const sn_crowd_output *output);


// Skinning on the CPU

// A mesh compiled for skinning, eight vertices at a time. Immutable; threads may share it. Results equal those of
// sn_skin_part: positions within 1e-5 of the model's size, normals and tangents within 1e-5.
typedef struct sn_skinner sn_skinner;

typedef struct sn_skinner_opts {
    sn_allocator allocator;
    sn_simd      simd;               // SN_ERR_UNSUPPORTED if this is not supported
    bool         dual_quaternions;   // blend rotations and translations without losing volume; the rest of each joint
                                     // matrix (scale, shear) is blended linearly and applied before the rotation
} sn_skinner_opts;

// The model must outlive the skinner. Returns NULL on failure.
SN_API sn_skinner *sn_skinner_create(const sn_model *model, int32_t mesh, const sn_skinner_opts *opts, sn_error *error);
SN_API void        sn_skinner_free(sn_skinner *skinner);

// Where results are written, in the order of the mesh's vertices. NULL outputs are not computed; normals and tangents
// are written only if the mesh has them. Strides are in bytes, multiples of 4 [12 for positions and normals, 16 for
// tangents]. Bytes between the results are not touched, so an interleaved vertex buffer can be written in place.
typedef struct sn_skin_output {
    void  *positions, *normals, *tangents;
    size_t position_stride, normal_stride, tangent_stride;
} sn_skin_output;

// `part` is an instance of the skinner's mesh in the pose's model.
SN_API void      sn_skinner_run(const sn_skinner *skinner, const sn_pose *pose, int32_t part,
                                const sn_skin_output *output);
// The same from a palette, for example one from a crowd: one matrix per joint of the skin, or one matrix for a mesh
// without influences. `morph_weights` has one weight per morph; NULL: none.
SN_API void      sn_skinner_run_palette(const sn_skinner *skinner, const sn_mat34 *palette, const float *morph_weights,
                                        const sn_skin_output *output);
// A box and a sphere that contain the skinned mesh, computed from one box per joint without reading vertices. Not
// tight: on average, edges are about 1.05 times as long as necessary, or 1.2 times with dual quaternions. Zero for a
// mesh without vertices.
SN_API sn_bounds sn_skinner_bounds(const sn_skinner *skinner, const sn_mat34 *palette, const float *morph_weights);

// clang-format on
#ifdef __cplusplus
}
#endif
#endif
