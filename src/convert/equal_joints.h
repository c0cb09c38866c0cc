// Joints that move alike count as one where a format limits the influences of a vertex.
#ifndef SNI_EQUAL_JOINTS_H
#define SNI_EQUAL_JOINTS_H

#include "io/save.h"

// The same model, in which weights of joints that follow another joint in all clips are added to the other's. Warcraft
// III models have such joints: a bone weighs more where copies of it are in the group. Nothing moves. `fitted` may be
// the model. False after a failure.
bool sni_merge_equal_joints(sni_save *save, const sn_model *model, sn_model *fitted);

#endif
