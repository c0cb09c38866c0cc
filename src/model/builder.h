// The shape every format fills. A format allocates the arrays of an sn_model in load->keep, writes them in the
// file's own numbering and order, and hands it over: nodes are sorted, loops cut, numbers mended, promises kept.
#ifndef SNI_BUILDER_H
#define SNI_BUILDER_H

#include "base/load.h"

// The arrays of a model are const for its readers; while it is built they are ours.
#define sni_mut(type, pointer) ((type *)(uintptr_t)(const void *)(pointer))

extern const sn_trs    sni_trs_identity;
extern const sn_mat34  sni_mat34_identity;
sn_texture             sni_texture_none(void);
sn_layer               sni_layer_default(void);    // white, opaque, rough, no maps

// After this every promise of sinew.h holds, or the load has failed. What was mended is warned of.
bool sni_model_finish(sni_load *load, sn_model *model);

// The parts of it, in the order they run.
bool sni_finish_nodes(sni_load *load, sn_model *model);     // parents first; all references to nodes follow
bool sni_finish_meshes(sni_load *load, sn_model *model);
bool sni_finish_skins(sni_load *load, sn_model *model);
bool sni_finish_clips(sni_load *load, sn_model *model);
bool sni_finish_rest(sni_load *load, sn_model *model);      // parts, materials, cameras, lights, scenes, text

#endif
