// The inside of a pose: what sampling sets, what solving derives from it. One block of memory holds it all.
#ifndef SNI_POSE_H
#define SNI_POSE_H

#include "base/arena.h"

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

struct sn_pose {
    const sn_model *model;
    sni_heap heap;
    size_t size;  // of the block that starts here
    sn_mat34 root;
    int32_t scene;  // -1: everything
    int32_t lod;

    // Sampled state. Lies together, so that it can be copied as one.
    uint8_t *state;
    size_t state_size;
    sn_trs *locals;  // per node
    uint8_t *node_flags;
    sn_vec4 *part_colors;  // per part
    uint8_t *part_is_shown;
    float *morphs;           // of all parts; those of one start at morph_starts[part]
    sn_layer_state *layers;  // of all materials, likewise
    sn_light_state *lights;  // per light
    float *fovs;             // per camera

    // Solved state.
    sn_mat34 *worlds;        // per node
    uint8_t *node_is_shown;  // it and all above it
    uint8_t *node_in_scene;
    sn_mat34 *palettes;            // of all skins
    sni_accumulated *accumulated;  // per node; NULL when all nodes inherit everything

    // Fixed at creation.
    size_t *morph_starts, *layer_starts, *palette_starts;
    int32_t *first_parts;     // per node: its first part or -1
    int32_t *next_parts;      // per part: the next of the same node or -1
    sn_vec3 *rest_positions;  // per node, in model space; NULL when no node asks for it
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

void sni_pose_reset(sn_pose *pose);  // sampled state back to rest

#endif
