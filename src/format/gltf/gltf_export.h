// A fitted model to a document: the inverse of the build.
#ifndef GLTF_EXPORT_H
#define GLTF_EXPORT_H

#include "format/gltf/gltf_pack.h"

// Parts that one node of the document shows together as one mesh: same node, same skin, as many morphs.
typedef struct gltf_group {
    int32_t  node, skin;           // of the model
    uint32_t morph_count;
    int32_t  first_part, last_part, next;      // a chain through gltf_export.next_part; the next group of the node
    int32_t  mesh, holder;         // of the document: what is shown, and the node that shows it
    bool     is_switched;          // one part alone, which is hidden or shown by itself
} gltf_group;

// Of a material, in the clip of that number.
typedef struct gltf_pair { uint32_t clip; const sn_track *color, *alpha; } gltf_pair;

// What hides and shows a node or part, in the clip of that number (from 1 on).
typedef struct gltf_switch { uint32_t clip; const sn_track *track; } gltf_switch;

typedef struct gltf_export {
    sni_save       *save;
    const sn_model *model;
    gltf_doc       *doc;
    gltf_pack       pack;
    gltf_group     *groups;        uint32_t group_count;
    int32_t        *next_part;     // of the same group
    int32_t        *first_group;   // of each node
    sni_list        nodes;         // of gltf_node: those of the model first, extra ones behind
    bool           *is_animated;   // nodes of the model whose transform some clip drives
    bool           *is_switched;   // nodes of the model that are hidden or shown with all below them
    bool           *has_switch;    // parts of the model that are hidden or shown by themselves
    bool           *is_bent;       // nodes of the model with a joint or a skinned part among them and all below
    int32_t        *switch_of;     // of each node: the extra node above it that hides it by a scale of 0, or -1
    int32_t        *material_of;   // materials of the document: with textures, and (later half) without
    int32_t        *light_of;      // lights of the document
    gltf_pair      *pairs;
    gltf_switch    *node_switches, *part_switches;
    int32_t        *group_of_part;
    uint64_t        switch_budget; // steps that looking for switches may still take
    sni_list        extensions;    // of const char *: what is used
} gltf_export;

void gltf_use_extension(gltf_export *export, const char *name);      // a literal

bool gltf_export_groups(gltf_export *export);
bool gltf_export_meshes(gltf_export *export);
bool gltf_export_looks(gltf_export *export);
bool gltf_export_nodes(gltf_export *export);      // nodes, scenes, skins, cameras
bool gltf_export_clips(gltf_export *export);

// Whether the mesh has all the coordinates that the material's textures ask for.
bool gltf_has_coordinates(const sn_mesh *mesh, const sn_material *material);

const char *gltf_name_or_null(const char *name);

#endif
