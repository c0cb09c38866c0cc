// The parts of gltf_build: each fills its arrays of the model, in the document's own numbering.
#ifndef GLTF_BUILD_H
#define GLTF_BUILD_H

#include "format/gltf/gltf_doc.h"
#include "model/builder.h"

typedef struct gltf_range {
    uint32_t first, count;
} gltf_range;

// The instances of one node: nodes of ours, behind those of the document. Not used: it shows its mesh itself.
typedef struct gltf_instances {
    bool is_used;
    gltf_range nodes;
} gltf_instances;

// Things of the document that several nodes may carry: for each the first of ours, then one after the other; -1 ends.
typedef struct gltf_carried {
    int32_t *first, *next;
} gltf_carried;

// What became what.
typedef struct gltf_parts {
    gltf_range *meshes;         // a glTF mesh is several of ours, one per usable primitive, side by side
    int32_t *materials;         // of each of our meshes
    gltf_instances *instances;  // one per node of the document; NULL: there are none at all
    gltf_carried cameras, lights;
} gltf_parts;

bool gltf_count_instances(sni_load *load, const gltf_doc *doc, gltf_parts *built, uint64_t *node_count);
bool gltf_build_instances(sni_load *load, const gltf_doc *doc, const gltf_parts *built, sn_node *nodes);
bool gltf_build_meshes(sni_load *load, const gltf_doc *doc, sn_model *model, gltf_range *ranges, int32_t **materials);
bool gltf_build_looks(sni_load *load, const gltf_doc *doc, sn_model *model);
bool gltf_build_carried(sni_load *load, const gltf_doc *doc, sn_model *model, gltf_parts *built);
bool gltf_build_clips(sni_load *load, const gltf_doc *doc, sn_model *model, const gltf_parts *built);

// The keys of a sampler for a use. Width 0: as many numbers per key as there are (morph weights).
typedef struct gltf_use {
    uint8_t channel;
    uint32_t width;
} gltf_use;
bool gltf_decode_sampler(sni_load *load, const gltf_doc *doc, const gltf_sampler *sampler, float **times, gltf_use use,
                         sn_track *track);

// What a JSON pointer aims at.
typedef struct gltf_aim {
    gltf_path path;         // a node's own property: like any other channel; GLTF_POINTER: the rest says it
    int32_t target;         // in the document
    uint8_t kind, channel;  // sn_target, sn_channel
    uint32_t width;         // a base colour has 4: colour and alpha
    float factor;           // of the values, on their way into the model
} gltf_aim;
bool gltf_find_aim(const gltf_doc *doc, const char *pointer, gltf_aim *aim);

#endif
