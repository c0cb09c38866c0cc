// sinew/runtime.h: play models in a game. Clips compiled for speed, layers, IK, crowds, skinning on the CPU.
//
//     sn_motion *motion = sn_motion_create(model, NULL, &error);        // once per model, shared by all threads
//     sn_pose *pose = sn_pose_create(model, NULL, &error);              // one per character
//     sn_motion_sample(motion, pose, clip, seconds, clock);             // every frame
//     sn_motion_solve(motion, pose, NULL);
//     const sn_mat34 *palette = sn_pose_palette(pose, 0);               // for the GPU
//
// sn_pose_sample, sn_pose_blend, sn_pose_solve and sn_skin_part of sinew.h are the reference: plain, and equal on every
// machine to the last bit. The functions here give the same result with vector instructions, to within rounding:
// rotations within 2e-6, positions within 1e-5 of the model's size. Both work on the same poses and may be mixed.
//
// Functions that play (sample, solve, layers, IK, crowds, skinning) do not allocate and do not check their arguments
// beyond what each says. Arrays need no alignment.
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
SN_API bool        sn_simd_find(const char *name, sn_simd *simd);  // false: no set has this name


// Motion: the clips of a model, compiled

typedef struct sn_motion sn_motion;

typedef struct sn_motion_opts {
    sn_allocator   allocator;
    uint64_t       memory_bytes;     // limit [64 MiB + 32 x bytes of the tracks, at most 2 GiB]
    sn_simd        simd;             // SN_ERR_UNSUPPORTED where this is not supported
    const int32_t *clips;            // the clips to compile; the others stay at rest [all]
    uint32_t       clip_count;
    bool           nlerp;            // rotations by normalised linear interpolation: faster, and near enough where keys
                                     // are close together
    bool           quantize;         // 16 bits per value: half the memory
    float          max_error;        // > 0: drop keys while no node moves farther than this, in the model's units
} sn_motion_opts;

// The model must outlive the motion. Returns NULL on failure.
SN_API sn_motion *sn_motion_create(const sn_model *model, const sn_motion_opts *opts, sn_error *error);
SN_API void       sn_motion_free(sn_motion *motion);

typedef struct sn_motion_info {
    sn_simd  simd;                       // in use
    uint64_t bytes;                      // of all compiled clips
    float    bytes_per_node_second;      // over nodes that move in any clip
    float    max_error;                  // the largest distance of any node from its exact place, at the keys and
                                         // between them; 0 unless quantize or max_error was set
} sn_motion_info;
SN_API sn_motion_info sn_motion_get_info(const sn_motion *motion);

// A motion as a small file, so that a game ships it instead of the tracks (docs/formats/motion.md). The file is
// untrusted input like any other. `model` must have the hierarchy, parts, materials, lights, cameras and clip durations
// of the model that the motion was made from, else SN_ERR_INVALID; it needs no tracks. Of the options only allocator,
// memory_bytes [64 MiB + 32 x size + 1 KiB per clip and eight nodes, at most 2 GiB] and simd are used. Saving a file
// uses the motion's allocator. SN_ERR_INVALID when saving: values too large for any arithmetic.
SN_API sn_status  sn_motion_save_memory(const sn_motion *motion, const sn_allocator *allocator, sn_bytes *bytes,
                                        sn_error *error);
SN_API sn_motion *sn_motion_load_memory(const void *data, size_t size, const sn_model *model,
                                        const sn_motion_opts *opts, sn_error *error);
SN_API sn_status  sn_motion_save_file(const sn_motion *motion, const char *path, sn_error *error);
SN_API sn_motion *sn_motion_load_file(const char *path, const sn_model *model, const sn_motion_opts *opts,
                                      sn_error *error);

// The pose must be one of the motion's model. Arguments mean what they mean for sn_pose_sample and sn_pose_solve.
SN_API void sn_motion_sample(const sn_motion *motion, sn_pose *pose, int32_t clip, float seconds, float clock);
SN_API void sn_motion_solve(const sn_motion *motion, sn_pose *pose, const sn_view *view);
// Both, one after the other.
SN_API void sn_motion_sample_solve(const sn_motion *motion, sn_pose *pose, int32_t clip, float seconds, float clock,
                                   const sn_view *view);


// Layers

// Layers are mixed by weight: the result of a node is the sum of weight * mask * transform over the sum of
// weight * mask; a node on which no layer has weight is at rest. Rotations are mixed as quaternions, each with the sign
// that brings it nearer to the sum of those before it, and normalised. Morph weights, colours, lights and cameras are
// mixed in the same way, with the mask of the node that they belong to; materials without a mask. What cannot be mixed
// (visibility, images) is taken from the layer with the largest weight * mask, the first of equal ones.
//
// Additive layers come after all others, in order. They add the difference between the clip and its first frame (at
// clock 0) to transforms, and to nothing else: translation and scale plus weight * mask * difference; rotation times
// the difference in the node's own axes, of which nlerp from no rotation takes the part weight * mask.
//
// Layers whose weight is not above 0 are ignored; additive ones may have any weight.
typedef struct sn_motion_layer {
    int32_t      clip;               // -1: the rest pose
    float        seconds;
    float        weight;
    bool         is_additive;
    const float *mask;               // a factor from 0 up per node; NULL: 1 everywhere
} sn_motion_layer;

SN_API void sn_motion_sample_layers(const sn_motion *motion, sn_pose *pose, const sn_motion_layer *layers,
                                    uint32_t count, float clock);

// The same for poses: sampled elsewhere, changed by IK or by hand. All poses have the motion's model; `pose` may be one
// of them. An additive layer adds the difference between its pose and the rest pose.
typedef struct sn_blend_layer {
    const sn_pose *pose;
    float          weight;
    bool           is_additive;
    const float   *mask;
} sn_blend_layer;

SN_API void sn_motion_blend(const sn_motion *motion, sn_pose *pose, const sn_blend_layer *layers, uint32_t count);

// Sets the factor of a node and everything below it in a mask of node_count floats; node -1: of all nodes.
SN_API void sn_mask_set(const sn_model *model, float *mask, int32_t node, float factor);


// Playing clips one after the other, with cross-fades. A plain struct: zeroed it plays the first clip.
//
//     sn_player player = { .clip = idle };
//     sn_player_play(&player, model, walk, 0.2f);                        // when something happens
//     sn_player_advance(&player, model, frame_seconds);                  // every frame
//     uint32_t count = sn_player_layers(&player, layers);
//     sn_motion_sample_layers(motion, pose, layers, count, player.clock);

typedef struct sn_player {
    int32_t clip;                    // -1: the rest pose
    float   seconds;                 // in the clip: wrapped if it loops, else it stays at the end
    float   speed;                   // of the clips, < 0: backwards [1]; to pause, advance by 0 seconds
    float   from, to;                // what the last advance played of the clip, for sn_motion_root_delta and
                                     // sn_event_next. Not wrapped: `to` may lie outside the clip. `from` is just below
                                     // 0 where a clip starts, so that its events at 0 are found
    int32_t previous;                // fades out while fade < fade_seconds
    float   previous_seconds;
    float   fade, fade_seconds;
    float   clock;                   // the sum of all advances, whatever the speed; drives tracks with a period
    bool    has_started;             // `clip` was advanced
} sn_player;

// Plays a clip from its start (its end, if the speed is < 0). A cross-fade that is still running is cut short: of its
// two clips the one with more weight fades out.
SN_API void     sn_player_play(sn_player *player, const sn_model *model, int32_t clip, float fade_seconds);
SN_API void     sn_player_advance(sn_player *player, const sn_model *model, float seconds);
SN_API uint32_t sn_player_layers(const sn_player *player, sn_motion_layer layers[2]);    // 1, or 2 during a cross-fade

// How a node moves relative to its parent from one time of a clip to another: its local transform at `from`, times this
// one on the right, is that at `to`. Times may lie outside the clip: if it loops, each loop between them counts, also
// backwards, so that a walk goes on instead of jumping back; else they are clamped. Exact where the node scales equally
// along its axes. Tracks with a period do not count.
SN_API sn_trs   sn_motion_root_delta(const sn_motion *motion, int32_t clip, int32_t node, float from, float to);

// The events of a clip in (from, to], in order; if it loops, each loop between them counts, and its end is the start of
// the next loop. Backwards, with from > to, those in [to, from), last first. Start with *cursor = 0; returns NULL past
// the last. `time` receives the event's time on the same line as `from` and `to`; may be NULL. With clip -1, `from` and
// `to` are clock times, and the events are those on their own clock: one after the other, each in order.
//
//     uint32_t cursor = 0;
//     for (const sn_event *event; (event = sn_event_next(model, clip, from, to, &cursor, NULL));) play_sound(event);
SN_API const sn_event *sn_event_next(const sn_model *model, int32_t clip, float from, float to, uint32_t *cursor,
                                     float *time);


// Changing a solved pose. Positions are in model space, with the transform of sn_pose_set_root. Aiming and IK change
// local rotations, never lengths, and solve again what is below them, for the view of the last solve. They work below
// any scale, also mirrored or different along the axes. `weight` 0 changes nothing, not even rounding; 1 goes all the
// way. Nothing changes where a node is out of range or not an ancestor as stated, where a number is not finite, where a
// node faces the viewer (a billboard), or where a scale of 0 leaves no direction.

// Solves a node and everything below it, after sn_pose_set_local; the nodes above are those of the last solve.
SN_API void     sn_pose_solve_below(sn_pose *pose, int32_t node);

// Hangs a pose on a node of another, solved pose: a sword in a hand, a rider on a horse. Sets the transform of
// sn_pose_set_root to the node's world matrix times `offset` (may be NULL); solve `pose` afterwards.
SN_API void     sn_pose_attach(sn_pose *pose, const sn_pose *to, int32_t node, const sn_mat34 *offset);
SN_API int32_t  sn_model_find_attachment(const sn_model *model, const char *name);   // the first of that name, or -1
SN_API sn_mat34 sn_pose_attachment(const sn_pose *pose, int32_t attachment);         // the world matrix of its node

// Turns a node so that `axis`, a direction in the node's own space, points at the target.
typedef struct sn_aim {
    int32_t node;
    sn_vec3 axis;
    sn_vec3 hinge;                   // turn about this axis of the node only: a turret [0: about any]
    sn_vec3 target;
    float   max_angle;               // the farthest that one call turns, in radians [0: no limit]
    float   weight;
} sn_aim;
SN_API void     sn_pose_aim(sn_pose *pose, const sn_aim *aim);

// Two-bone IK: thigh, shin and foot. Bends `middle` and turns `start` so that `end` reaches the target. Stretches the
// limb straight towards a target too far away. Returns whether the target is within reach.
typedef struct sn_two_bone_ik {
    int32_t start, middle, end;      // each an ancestor of the next
    sn_vec3 tip;                     // the point in the space of `end` that reaches the target [its origin]. With a
                                     // tip `end` may be `middle`: skeletons that have no foot
    sn_vec3 target;
    sn_vec3 pole;                    // a position on the side of the knee; ignored unless has_pole
    bool    has_pole;                // else the knee stays in the plane in which it is. A straight limb needs a pole
    bool    keep_end_rotation;       // `end` keeps its rotation in model space: a foot flat on the ground
    float   weight;
} sn_two_bone_ik;
SN_API bool     sn_pose_two_bone_ik(sn_pose *pose, const sn_two_bone_ik *ik);

// A chain of any length (tail, tentacle, spine) by cyclic coordinate descent. Returns the distance from the tip to the
// target that is left; infinity where nothing could be done.
typedef struct sn_chain_ik {
    int32_t  start, end;             // start is an ancestor of end, or end itself with a tip
    sn_vec3  tip;                    // the point in the space of `end` that reaches the target [its origin]
    sn_vec3  target;
    uint32_t iterations;             // [8]
    float    tolerance;              // stops when the tip is this near
    float    weight;                 // the tip goes this part of the straight way to the target
} sn_chain_ik;
SN_API float    sn_pose_chain_ik(sn_pose *pose, const sn_chain_ik *ik);


// Crowds: many instances of one model, eight at a time

// Each instance's state is this struct and belongs to the caller: 20 bytes.
typedef struct sn_crowd_instance {
    int32_t clip, previous;          // previous: fading out, or -1
    float   seconds, previous_seconds;
    float   fade;                    // 0: only `previous`, 1: only `clip`
} sn_crowd_instance;

typedef struct sn_crowd sn_crowd;

// A crowd is memory to work in: `workers` threads may call sn_crowd_palettes at the same time, each with its own
// number, from 0. The motion must outlive the crowd.
SN_API sn_crowd *sn_crowd_create(const sn_motion *motion, uint32_t workers, const sn_allocator *allocator,
                                 sn_error *error);
SN_API void      sn_crowd_free(sn_crowd *crowd);

typedef struct sn_crowd_output {
    sn_mat34       *palettes;        // the matrices of all skins, in order, instance after instance; may be NULL
    uint32_t        palette_stride;  // matrices from one instance to the next [the joints of all skins]
    const int32_t  *nodes;           // also write the world matrices of these nodes (attachment points)
    uint32_t        node_count;
    sn_mat34       *node_worlds;     // node_count per instance
    const sn_mat34 *roots;           // the transform above each instance's roots; NULL: identity
    const uint8_t  *culled;          // one per instance: not 0 leaves its output unchanged; may be NULL
} sn_crowd_output;

// Samples, cross-fades and solves instances. To split the work, give each thread a range: pointers to its first
// instance in `instances` and in all arrays of `output`. `clock` drives tracks with a period. Billboards do not turn.
SN_API void sn_crowd_palettes(sn_crowd *crowd, uint32_t worker, const sn_crowd_instance *instances, uint32_t count,
                              float clock, const sn_crowd_output *output);


// Skinning on the CPU

// A mesh compiled for skinning, eight vertices at a time. Immutable, shared between threads. The result is that of
// sn_skin_part: positions within 1e-5 of the model's size, normals and tangents within 1e-5.
typedef struct sn_skinner sn_skinner;

typedef struct sn_skinner_opts {
    sn_allocator allocator;
    sn_simd      simd;               // SN_ERR_UNSUPPORTED where this is not supported
    bool         dual_quaternions;   // blend rotations and translations without loss of volume; what is left of each
                                     // joint's matrix (scale, shear) is blended linearly, before the rotation
} sn_skinner_opts;

// The model must outlive the skinner. Returns NULL on failure.
SN_API sn_skinner *sn_skinner_create(const sn_model *model, int32_t mesh, const sn_skinner_opts *opts, sn_error *error);
SN_API void        sn_skinner_free(sn_skinner *skinner);

// Where results go, in the order of the mesh's vertices. NULL: not computed; normals and tangents are written only if
// the mesh has them. Strides are in bytes, multiples of 4 [12 for positions and normals, 16 for tangents], so that an
// interleaved vertex buffer can be written in place: nothing between the results is touched.
typedef struct sn_skin_output {
    void  *positions, *normals, *tangents;
    size_t position_stride, normal_stride, tangent_stride;
} sn_skin_output;

// `part` is an instance of the skinner's mesh in the pose's model.
SN_API void      sn_skinner_run(const sn_skinner *skinner, const sn_pose *pose, int32_t part,
                                const sn_skin_output *output);
// The same from a palette (of a crowd, say): one matrix per joint of the skin, or one matrix for a mesh without
// influences. `morph_weights` has one weight per morph; NULL: none.
SN_API void      sn_skinner_run_palette(const sn_skinner *skinner, const sn_mat34 *palette, const float *morph_weights,
                                        const sn_skin_output *output);
// A box and a sphere that contain the skinned mesh, from one box per joint: no vertex is touched. Not tight: edges are
// about 1.05 times as long as they must be on average, 1.2 times with dual quaternions. Zero for a mesh without
// vertices.
SN_API sn_bounds sn_skinner_bounds(const sn_skinner *skinner, const sn_mat34 *palette, const float *morph_weights);

// clang-format on
#ifdef __cplusplus
}
#endif
#endif
