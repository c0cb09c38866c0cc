// What the steps of gltf_build share. Each adds its elements to the sni_builder.
#ifndef GLTF_BUILD_H
#define GLTF_BUILD_H

#include "format/gltf/gltf_doc.h"
#include "model/builder.h"

typedef struct gltf_range {
    uint32_t first, count;
} gltf_range;

// A camera or light of the document becomes one of the model for each node that refers to it: the first of them, then
// from each to the next; -1 ends.
typedef struct gltf_copies {
    int32_t *first, *next;
} gltf_copies;

// What the objects of the document became.
typedef struct gltf_built {
    gltf_range *meshes;    // of each glTF mesh: one mesh of the model per usable primitive
    int32_t *materials;    // of each mesh of the model
    gltf_range *shown_on;  // of each glTF node: the nodes that show its mesh, which are itself or its instances
    gltf_copies cameras, lights;
} gltf_built;

bool gltf_build_meshes(sni_load *load, const gltf_doc *doc, sni_builder *b, gltf_built *built);
bool gltf_build_materials(sni_load *load, const gltf_doc *doc, sni_builder *b);
bool gltf_build_clips(sni_load *load, const gltf_doc *doc, sni_builder *b, const gltf_built *built);

#endif
