// Nodes that stretch along other axes than those of a format without rest rotations.
#ifndef SNI_UNEVEN_SCALE_H
#define SNI_UNEVEN_SCALE_H

#include "io/save.h"

// A node whose clips scale it unevenly, along its parent's axes or along turned axes of its own, becomes two: its
// split parent moves and scales (and rotates, unless the scale is along the parent's axes), below it is the node
// itself, with whatever hangs on it. Together they show the same; the split parent may rest in any frame.
// *is_split_parent, per node of `out`, is NULL where nothing was split. False after a failure.
bool sni_split_uneven_scale(sni_save *save, const sn_model *model, sn_model *out, bool **is_split_parent);

#endif
