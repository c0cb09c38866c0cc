// Where the parts of a model are while a clip plays.
#ifndef SNI_BOUNDS_H
#define SNI_BOUNDS_H

#include "sinew/sinew.h"

// sn_model_bounds of each part: the box over the same poses, with the sphere about it. Where a part is never shown its
// bounds are 0.
sn_status sni_part_bounds(const sn_model *model, int32_t clip, const sn_allocator *allocator, sn_bounds *bounds);

#endif
