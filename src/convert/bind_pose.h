// A model as formats without a rest rotation hold it: Warcraft III keeps a pivot per node and nothing else.
#ifndef SNI_BIND_POSE_H
#define SNI_BIND_POSE_H

#include "io/save.h"

// The same model with Z up, in which nodes rest unrotated and unscaled at their pivots, one skin binds every part in
// this pose, and each part has a mesh of its own; parts that moved with a node are bound to it. Clips show what they
// showed: keys are moved into the new frames, and where the old rest pose is not the bind pose, clips get keys that
// hold it. A model without clips gets one, "Stand". Morphs are applied as they rest.
// Reports what cannot be held: morphs, scale along other axes than the model's, frames that are sheared. False after a
// failure.
bool sni_fit_bind_pose(sni_save *save, const sn_model *model, sn_model *fitted);

// How nodes of the new model move: world' = root * world * from_new.
typedef struct sni_rigid_frames {
    sn_mat34 root;
    sn_mat34 *from_new;  // per node of the new model
    int32_t *parents;    // of the old node that an added one moves with; -1: it is the old node of the same index
} sni_rigid_frames;

// The same for formats whose nodes rest rotated but never scaled: W3D. Clips stay those of the old model; see
// convert/rigid_clips.h.
bool sni_fit_rigid_bind_pose(sni_save *save, const sn_model *model, sn_model *fitted, sni_rigid_frames *frames);

#endif
