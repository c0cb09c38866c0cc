// Where the parts of a model are while a clip plays.
#ifndef SNI_BOUNDS_H
#define SNI_BOUNDS_H

#include "sinew/sinew.h"

// sn_model_bounds of the rest pose, then of the first clips. `parts`: the same of each part in each of them, the box
// over the same poses with the sphere about it, or 0 where the part is never shown; may be NULL. Clips of a model that
// has too many of them for its nodes are posed at fewer times; those that are not posed at all are `left_out`, and have
// the bounds of the rest pose and parts that are never shown.
sn_status sni_clip_bounds(const sn_model *model, uint32_t clip_count, const sn_allocator *allocator, sn_bounds *bounds,
                          sn_bounds *parts, uint32_t *left_out);

#endif
