// A fitted model to a document: the inverse of the build.
#ifndef GLTF_EXPORT_H
#define GLTF_EXPORT_H

#include "format/gltf/gltf_pack.h"

// Parts that one node of the document shows together as one mesh: same node, same skin, as many morphs, the same
// weights.
typedef struct gltf_group {
    int32_t node, skin;  // of the model
    uint32_t morph_count;
    int32_t first_part, last_part, next;  // a chain through gltf_export.next_part; the next group of the node
    int32_t mesh, holder;                 // of the document: what is shown, and the node that shows it
    bool is_switched;                     // one part alone, which is hidden or shown by itself
} gltf_group;

// A material with those of its maps (bits) that a mesh can show; written: its number in the document.
typedef struct gltf_variant {
    uint32_t maps;
    int32_t written, next;
} gltf_variant;

// Of a material, in the clip of that number.
typedef struct gltf_pair {
    uint32_t clip;
    const sn_track *color, *alpha;
} gltf_pair;

// What hides and shows a node or part, in the clip of that number (from 1 on).
typedef struct gltf_switch {
    uint32_t clip;
    const sn_track *track;
} gltf_switch;

// Roots that are written below one node and listed by scenes as a whole.
typedef struct gltf_clans {
    const sn_scene *scenes;
    uint32_t scene_count;  // at least one
    int32_t *root_of;      // of each node of the model
    int32_t *clan_of;      // of each root; -1 of what is none
    uint32_t clan_count;
    gltf_indices *listed;  // of each scene: its clans
    bool *is_listed;       // roots that some scene lists
    bool *is_drawn_in;     // roots that no scene lists, but that came along with their clan
} gltf_clans;

typedef struct gltf_link {
    int32_t parent, child;
} gltf_link;

// Which of translation, rotation and scale (bits by channel) the clip of that number drives.
typedef struct gltf_driven {
    uint32_t clip, channels;
} gltf_driven;

typedef struct gltf_export {
    sni_save *save;
    const sn_model *model;
    gltf_doc *doc;
    gltf_pack pack;
    gltf_clans clans;
    bool turns;  // Z up becomes Y up
    gltf_group *groups;
    uint32_t group_count;
    int32_t *next_part;      // of the same group
    int32_t *first_group;    // of each node
    sni_list nodes;          // of gltf_node: those of the model first, extra ones behind
    sni_list links;          // of gltf_link: who hangs below whom
    bool *is_moved;          // nodes of the model that hold a skinned mesh and became roots themselves
    bool *is_animated;       // nodes of the model whose transform some clip drives
    bool *is_switched;       // nodes of the model that are hidden or shown with all below them
    bool *has_switch;        // parts of the model that are hidden or shown by themselves
    bool *is_bent;           // nodes of the model with a joint or a skinned part among them and all below
    int32_t *outer_of;       // of each node: the extra node above it that has part of its transform, or -1
    gltf_driven *driven;     // of each node
    int32_t *switch_of;      // of each node: the extra node above it that hides it by a scale of 0, or -1
    sni_list variants;       // of gltf_variant
    int32_t *first_variant;  // of each material; -1: nothing uses it
    int32_t *variant_of;     // of each part, or -1
    int32_t *light_of;       // lights of the document
    gltf_pair *pairs;
    gltf_switch *node_switches, *part_switches;
    int32_t *group_of_part;
    uint64_t switch_budget;  // steps that looking for switches may still take
    sni_list extensions;     // of const char *: what is used
} gltf_export;

void gltf_use_extension(gltf_export *export, const char *name);  // a literal

bool gltf_export_clans(gltf_export *export);
bool gltf_export_groups(gltf_export *export);
bool gltf_export_looks(gltf_export *export);
bool gltf_export_meshes(gltf_export *export);
bool gltf_export_nodes(gltf_export *export);  // with those below
bool gltf_place_outers(gltf_export *export);
bool gltf_export_skins(gltf_export *export);
bool gltf_export_scenes(gltf_export *export);
bool gltf_export_cameras(gltf_export *export);
bool gltf_export_lights(gltf_export *export);
bool gltf_export_clips(gltf_export *export);
bool gltf_part_names(gltf_export *export);  // of clips that have the same

// Nodes of the document. A new one is alone and does nothing; -1 after a failure. Pointers last until the next one.
gltf_node *gltf_node_at(gltf_export *export, int32_t index);
int32_t gltf_new_node(gltf_export *export, const char *name);
int32_t gltf_new_helper(gltf_export *export, int32_t node, const char *ending);  // named after a node of the model
bool gltf_hang(gltf_export *export, int32_t child, int32_t parent);
int32_t gltf_place_of(const gltf_export *export,
                      int32_t node);  // what stands in the tree for it: the topmost helper, or itself

bool gltf_is_shown(const gltf_export *export, const sn_part *part);  // has something to show
bool gltf_is_kept_hidden(const gltf_export *export,
                         const sn_part *part);  // no scene lists it, but one comes to hold it

// Extras as an object: anything else becomes the "value" of one. NULL where there are none.
const char *gltf_extras(gltf_export *export, const char *extras);
const char *gltf_material_extras(gltf_export *export,
                                 const sn_material *material);  // with "blend", where glTF has no word for it
const char *gltf_blend_name(sn_blend blend);
const char *gltf_mesh_extras(gltf_export *export, const sn_mesh *mesh);  // with the names of the morphs

const char *gltf_name_or_null(const char *name);

#endif
