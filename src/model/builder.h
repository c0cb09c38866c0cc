// The shape every format fills. A format allocates the arrays of an sn_model in load->keep, writes them in the
// file's own numbering and order, and hands it over: nodes are sorted, loops cut, numbers mended, promises kept.
#ifndef SNI_BUILDER_H
#define SNI_BUILDER_H

#include "io/load.h"

// The arrays of a model are const for its readers; while it is built they are ours.
#define sni_mut(type, pointer) ((type *)(uintptr_t)(const void *)(pointer))

extern const sn_trs sni_trs_identity;
extern const sn_mat34 sni_mat34_identity;
sn_texture sni_texture_none(void);
sn_layer sni_layer_default(void);  // white, opaque, rough, no maps

// One mesh, while the diagnostics' path still says where it comes from: numbers finite, normals of unit length, faces
// within the vertices, weights summing to 1 over joints below joint_count (of the largest skin that bends it; 0: none
// does, and the weights go). False when the load has failed; a mesh may end up without vertices or indices.
bool sni_finish_mesh(sni_load *load, sn_mesh *mesh, uint32_t joint_count, uint64_t offset);

// The keys of one track, likewise: finite, rising, rotations of unit length. May end up with no keys.
bool sni_finish_keys(sni_load *load, sn_track *track, uint64_t offset);

// The whole, when every mesh and track was finished. After this every promise of sinew.h holds, or the load has failed.
bool sni_model_finish(sni_load *load, sn_model *model);

// Its steps, in the order they run.
bool sni_finish_nodes(sni_load *load, sn_model *model);  // parents first; all references to nodes follow
bool sni_finish_parts(sni_load *load, sn_model *model);  // skins, parts, materials, cameras, lights, scenes
bool sni_finish_clips(sni_load *load, sn_model *model);

#endif
