// The inside of a pose: what sampling sets, what solving derives from it. One block of memory holds it all.
#ifndef SNI_POSE_H
#define SNI_POSE_H

#include "base/arena.h"
#include "model/track.h"

enum {
    SNI_NODE_SHOWN = 1 << 0,    // by itself; its parents may still hide it
    SNI_NODE_REPLACED = 1 << 1  // a track or the user moved it: sn_node.matrix no longer counts
};

// Rotation and scale accumulated from the root down to a node, separately, as Warcraft III does: a matrix does not
// distinguish a mirrored axis from half a turn.
typedef struct sni_accumulated {
    sn_quat rotation;
    sn_vec3 scale;
} sni_accumulated;

// The local transforms of eight nodes, in the order of the model: one register of eight floats per component. Lanes
// past the last node hold the identity.
enum { SNI_LANES = 8 };

typedef union sni_trs8 {
    struct {
        float t[3][SNI_LANES], r[4][SNI_LANES], s[3][SNI_LANES];
    };
    float rows[10 * SNI_LANES];
} sni_trs8;

static inline uint32_t sni_block_count(uint32_t node_count)
{
    return node_count / SNI_LANES + (node_count % SNI_LANES > 0);
}

// The keys around a time of eight tracks that have times of their own (see sni_lane_entry): valid while
// since <= time < until.
typedef struct sni_lane_cache {
    float since[SNI_LANES], until[SNI_LANES];
    uint32_t at[SNI_LANES];
    float from[4][SNI_LANES], to[4][SNI_LANES];
} sni_lane_cache;

// Those of a compiled clip, kept from one sample to the next.
typedef struct sni_key_cache {
    uint64_t keys_id;       // of the clip, see sni_motion_clip; 0: of none
    float time;             // of the last sample
    uint32_t next_event;    // the first that is later
    sni_lane_cache *lanes;  // for one lane entry per channel of eight nodes
} sni_key_cache;

struct sn_pose {
    const sn_model *model;
    sni_heap heap;
    size_t size;  // of the block that starts here
    uint32_t block_count;
    sn_mat34 root;
    int32_t scene;  // -1: everything
    int32_t lod;

    // Sampled state. Lies together, so that it can be copied as one.
    uint8_t *state;
    size_t state_size;
    sni_trs8 *locals;      // of all nodes
    uint8_t *node_flags;   // per node, up to a whole block
    sn_vec4 *part_colors;  // per part
    uint8_t *part_is_shown;
    float *morphs;           // of all parts; those of one start at morph_starts[part]
    sn_layer_state *layers;  // of all materials, likewise
    sn_light_state *lights;  // per light
    float *fovs;             // per camera

    // What sampling need not write again. rest_id names the compiled clip (sni_motion_clip.id) that the state shows:
    // all that the clip does not move is in place. 0: unknown; whoever writes to the state otherwise sets that.
    uint64_t rest_id;
    uint64_t flags_id, shown_id;  // while rest_id is not 0: those of the clip, see sni_motion_clip
    bool others_are_rest;         // all but locals and flags of nodes is as in the rest pose
    bool shown_is_solved;         // node_is_shown agrees with node_flags

    sni_key_cache keys;  // for sampling motions; lanes is NULL where nothing is kept

    // Room to work in for layers: a pose that has sampled state only, and per node, up to a whole block, the sum of the
    // weights so far.
    sn_pose *layer;
    float *layer_weights;

    // Solved state.
    sn_mat34 *worlds;        // per node
    uint8_t *node_is_shown;  // it and all above it
    uint8_t *node_in_scene;
    sn_mat34 *palettes;  // of all skins
    sn_view view;        // for whom billboards were turned, if has_view
    bool has_view;
    sni_accumulated *accumulated;  // per node; NULL when all nodes inherit everything

    // Fixed at creation.
    size_t *morph_starts, *layer_starts, *palette_starts;
    int32_t *first_parts;     // per node: its first part or -1
    int32_t *next_parts;      // per part: the next of the same node or -1
    sn_vec3 *rest_positions;  // per node, in model space; NULL when no node asks for it

    uint8_t *marks;  // per node: room to work in for those who solve a part of the nodes
};

// Flags of nodes that do not simply follow their parents.
enum {
    SNI_AXIS_LOCKS = SN_NODE_BILLBOARD_X | SN_NODE_BILLBOARD_Y | SN_NODE_BILLBOARD_Z,
    SNI_NOT_INHERITED = SNI_AXIS_LOCKS | SN_NODE_BILLBOARD | SN_NODE_OWN_TRANSLATION | SN_NODE_OWN_ROTATION |
                        SN_NODE_OWN_SCALE
};

static inline bool sni_has(uint32_t count, int32_t index) { return index >= 0 && (uint32_t)index < count; }

static inline uint32_t sni_morph_count(const sn_model *model, const sn_part *part)
{
    return model->meshes[part->mesh].morph_count;
}

static inline sn_trs sni_trs8_get(const sni_trs8 *blocks, uint32_t node)
{
    const sni_trs8 *b = &blocks[node / SNI_LANES];
    uint32_t i = node % SNI_LANES;
    sn_trs local = { { b->t[0][i], b->t[1][i], b->t[2][i] },
                     { b->r[0][i], b->r[1][i], b->r[2][i], b->r[3][i] },
                     { b->s[0][i], b->s[1][i], b->s[2][i] } };
    return local;
}

static inline void sni_trs8_set(sni_trs8 *blocks, uint32_t node, const sn_trs *local)
{
    sni_trs8 *b = &blocks[node / SNI_LANES];
    uint32_t i = node % SNI_LANES;
    b->t[0][i] = local->translation.x, b->t[1][i] = local->translation.y, b->t[2][i] = local->translation.z;
    b->r[0][i] = local->rotation.x, b->r[1][i] = local->rotation.y;
    b->r[2][i] = local->rotation.z, b->r[3][i] = local->rotation.w;
    b->s[0][i] = local->scale.x, b->s[1][i] = local->scale.y, b->s[2][i] = local->scale.z;
}

static inline sn_trs sni_pose_get_local(const sn_pose *pose, uint32_t node) { return sni_trs8_get(pose->locals, node); }

static inline void sni_pose_set_local(sn_pose *pose, uint32_t node, const sn_trs *local)
{
    sni_trs8_set(pose->locals, node, local);
    pose->rest_id = 0;
}

void sni_pose_reset(sn_pose *pose);                             // sampled state back to rest
void sni_pose_copy_others(sn_pose *pose, const sn_pose *from);  // all sampled state but that of nodes
void sni_pose_reset_others(sn_pose *pose);                      // the same, but locals and flags of nodes stay

// A time of a clip brought into 0..duration. The end of a looping clip is still its end; only what lies past it starts
// again.
float sni_clip_time(const sn_clip *clip, float seconds);

// Sets what a track drives, except translation, rotation and scale of a node.
void sni_pose_sample_other(sn_pose *pose, const sn_track *track, const sni_span *span);

// The world matrix of one node the exact way; its parent's is solved. `root` is that of the pose, accumulated.
sni_accumulated sni_accumulated_of(const sn_mat34 *matrix);
void sni_pose_solve_node(sn_pose *pose, uint32_t index, const sni_accumulated *root, const sn_view *view);
void sni_pose_solve_shown(sn_pose *pose);                           // node_is_shown of all nodes
void sni_pose_solve_palettes(sn_pose *pose, const uint8_t *marks);  // of joints that are marked; NULL: of all

// The local transform which, multiplied with the parent's world matrix, gives the node's: differs from sn_pose_local
// where flags say that the node does not inherit everything.
sn_trs sni_pose_inherited_local(const sn_pose *pose, uint32_t index, const sni_accumulated *root, const sn_view *view);

// Every solve of the whole pose keeps its view, for those who solve a part of it again.
static inline void sni_pose_set_view(sn_pose *pose, const sn_view *view)
{
    pose->has_view = view != NULL;
    if (view) pose->view = *view;
}

#endif
