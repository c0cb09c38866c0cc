// Nodes that do not follow their parents in all ways, for targets in which every node does.
#ifndef SNI_INHERITANCE_H
#define SNI_INHERITANCE_H

#include "io/save.h"

// Billboards, and nodes that do not inherit translation, rotation or scale, get the rest transform and the tracks that
// give the same result below a parent that is inherited. Billboards face the front of the model: +X where Z is up, else
// +Z. Tracks have keys where the node or a node above it has any, and between them as many as keep the error below
// 0.0001 rad, and 0.0001 of the size of the skeleton: RESAMPLED. Flags of nodes stay.
//
// Takes a model whose tracks were fitted. Fills nodes and clips of `fitted`. False after a failure.
bool sni_fit_inheritance(sni_save *save, const sn_model *model, sn_model *fitted);

// Undoes it by the marks that saving as glTF left in extras (SNI_BAKED_MARK), for a model whose nodes rest unrotated
// with Z up. Nodes get back their flags, and tracks that show the same with them.
bool sni_restore_inheritance(sni_save *save, const sn_model *model, sn_model *fitted);

#endif
