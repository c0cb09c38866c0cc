// Nodes that stretch along other axes than those of a format without rest rotations.
#ifndef SNI_UNEVEN_SCALE_H
#define SNI_UNEVEN_SCALE_H

#include "io/save.h"

// A node whose clips scale it unevenly, along its parent's axes or along turned axes of its own, becomes two: the outer
// moves and scales (and rotates, unless the scale is along the parent's axes), the inner is the node itself, with
// whatever hangs on it. Together they show the same; the outer may rest in any frame. *is_outer, per node of `out`, is
// NULL where nothing was split. False after a failure.
bool sni_split_uneven_scale(sni_save *save, const sn_model *model, sn_model *out, bool **is_outer);

#endif
