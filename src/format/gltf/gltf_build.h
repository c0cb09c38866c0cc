// The parts of gltf_build: each fills its arrays of the model, in the document's own numbering.
#ifndef GLTF_BUILD_H
#define GLTF_BUILD_H

#include "format/gltf/gltf_doc.h"
#include "model/builder.h"

// A glTF mesh is several of ours, one per usable primitive, side by side from `first` on.
typedef struct gltf_mesh_range { uint32_t first, count; } gltf_mesh_range;

// ranges: one per glTF mesh; materials: the material of each of our meshes.
bool gltf_build_meshes(sni_load *load, const gltf_doc *doc, sn_model *model, gltf_mesh_range *ranges,
                       int32_t **materials);
bool gltf_build_clips(sni_load *load, const gltf_doc *doc, sn_model *model);
bool gltf_build_looks(sni_load *load, const gltf_doc *doc, sn_model *model);

#endif
