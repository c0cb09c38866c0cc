// Cameras that see a whole clip, or one time of it. The web module uses them too.
#ifndef CLI_RENDER_FRAMING_H
#define CLI_RENDER_FRAMING_H

#include "sinew/render.h"

// A camera that sees everything the clip moves through (-1: the rest pose) with the overlays of `show`, and the bounds
// of all that. `framing` has been begun. False: out of memory.
bool cli_frame_clip(const sn_model *model, sn_pose *pose, int32_t clip, uint32_t show, sn_framing *framing,
                    sn_bounds *bounds, sn_render_camera *camera);

// The same for one time of a clip.
bool cli_frame_time(const sn_model *model, sn_pose *pose, int32_t clip, float seconds, uint32_t show,
                    sn_framing *framing, sn_bounds *bounds, sn_render_camera *camera);

// The steps of these, for several clips.
bool cli_framing_add_clip(const sn_model *model, sn_pose *pose, int32_t clip, uint32_t show, sn_framing *framing);
sn_bounds cli_framing_bounds(const sn_framing *framing);

#endif
