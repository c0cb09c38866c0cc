// Clips as formats hold them that have a value per frame and no scale: W3D.
#ifndef SNI_RIGID_CLIPS_H
#define SNI_RIGID_CLIPS_H

#include "convert/bind_pose.h"

// Samples the clips of `model` for the nodes of `fitted`, which sni_fit_rigid_bind_pose made of it: translation and
// rotation with a key at each frame for every node that moves, visibility and alpha of parts that change. Tracks of
// layers stay; others are dropped. Fills save->clip_frames. The rate is one at which all keys fall on frames where
// there is one up to `max_rate`, else the lowest of 30, 60 and 120 that is near enough. A model
// without clips that does not rest as it is bound gets one, "Stand". Reports how far vertices are
// from where the model has them, because of the frames and because scale is lost. False after a failure.
bool sni_fit_rigid_clips(sni_save *save, const sn_model *model, const sni_rigid_frames *frames, uint32_t max_rate,
                         sn_model *fitted);

#endif
