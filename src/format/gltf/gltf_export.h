// What the parts of the exporter share. The order of the steps is in gltf_save (gltf.c).
#ifndef GLTF_EXPORT_H
#define GLTF_EXPORT_H

#include "base/map.h"
#include "format/gltf/gltf_doc.h"

// Numbers go to one buffer with a view for each role (gltf_write.c). A view must not serve two roles; within a role of
// vertices all elements have the same stride.
typedef enum gltf_role {
    GLTF_VERTEX_4,
    GLTF_VERTEX_8,
    GLTF_VERTEX_12,
    GLTF_VERTEX_16,
    GLTF_INDICES_16,
    GLTF_INDICES_32,
    GLTF_BINDS,
    GLTF_KEYS,
    GLTF_IMAGES,  // a view for each
    GLTF_ROLES
} gltf_role;

// What the buffer will hold: arrays are not copied before all sizes are known. They must stay until then.
typedef struct gltf_pack {
    sni_save *save;
    sni_list pieces[GLTF_ROLES];  // private
    uint64_t starts[GLTF_ROLES], sizes[GLTF_ROLES], size;
    sni_list accessors, image_views;
    sni_map seen;  // numbers of packed: arrays that are packed again share the accessor
    sni_list packed;
} gltf_pack;

// Each returns an accessor, the same one for the same array; -1 after a failure.
int32_t gltf_pack_floats(gltf_pack *pack, gltf_role role, const float *values, uint32_t count, gltf_type type,
                         bool has_bounds);
int32_t gltf_pack_indices(gltf_pack *pack, const uint32_t *indices, uint32_t count, uint32_t vertex_count);
int32_t gltf_pack_integers(gltf_pack *pack, gltf_role role, const void *values, uint32_t count, gltf_type type,
                           uint32_t component_type);
int32_t gltf_pack_image(gltf_pack *pack, const uint8_t *data, size_t size);  // returns a view

// Places the roles one after the other and hands views and accessors to the document.
bool gltf_pack_close(gltf_pack *pack, gltf_doc *doc);
void gltf_pack_write(const gltf_pack *pack, uint8_t *to);  // pack->size bytes; at a multiple of 4

// Root nodes that are written below one node, and that scenes list together. The joints of a skin must have a common
// root, so the roots of all joints of a skin are one group.
typedef struct gltf_root_groups {
    const sn_scene *scenes;
    uint32_t scene_count;  // at least one
    int32_t *root_of;      // the root of each node of the model
    int32_t *group_of;     // the group of each root; -1 for other nodes
    uint32_t count;
    gltf_indices *listed;  // the groups of each scene
    bool *must_hide;       // roots that no scene lists, but that are in a group that some scene lists
} gltf_root_groups;

// Parts that one node of the document shows together as one mesh: of the same node and skin, with as many morphs and
// the same morph weights.
typedef struct gltf_part_group {
    int32_t node, skin;  // of the model
    uint32_t morph_count;
    int32_t first_part, last_part;  // a chain through gltf_part_groups.next_part
    int32_t next;                   // the next group of the node
    int32_t mesh, holder;           // of the document: the mesh, and the node that shows it
    int32_t hider;                  // what hides it in every player; -1: nothing does
    bool is_switched;               // a single part that is hidden or shown by itself
} gltf_part_group;

typedef struct gltf_part_groups {
    gltf_part_group *items;
    uint32_t count;
    int32_t *next_part;  // of each part: the next of the same group
    int32_t *first;      // of each node
    int32_t *of_part;    // -1: not written
} gltf_part_groups;

// Hides skinned parts in players without KHR_node_visibility: they get joints of their own, all below one node that has
// a scale of 0 while they are hidden. See gltf_hidden_parts.c.
typedef struct gltf_hider {
    int32_t skin, group;   // of the model; the first part group
    int32_t node, parent;  // the node that scales; its parent in the model, -1: the top of the root group
    int32_t *joints;       // of the document, as many as the skin has; NULL: not made
    int32_t written;       // the skin in the document
    bool is_hidden;        // at rest
} gltf_hider;

// A copy of a node of the model below a hider.
typedef struct gltf_node_copy {
    int32_t node, outer;  // of the document; outer: see gltf_export.split_of
    int32_t hider, next;  // the next copy of the same node
} gltf_node_copy;

typedef struct gltf_node_link {
    int32_t parent, child;
} gltf_node_link;

// A material with those of its maps (bits: of the layer, then of extensions) that a mesh can show.
typedef struct gltf_variant {
    uint64_t maps;
    int32_t written;  // its number in the document
    int32_t next;     // the next variant of the material
} gltf_variant;

typedef struct gltf_variants {
    sni_list list;     // gltf_variant
    int32_t *first;    // of each material; -1: unused
    int32_t *of_part;  // -1: none
} gltf_variants;

typedef struct gltf_export {
    sni_save *save;
    const sn_model *model, *source;  // source: before it was fitted
    gltf_doc *doc;
    gltf_pack pack;
    sni_list extensions, required;  // names of used and of required extensions

    gltf_root_groups roots;
    gltf_part_groups groups;
    gltf_variants variants;
    int32_t *light_of;  // the light of the document for each light; -1: not written

    sni_list nodes;       // gltf_node: those of the model first, extra ones behind them
    sni_list links;       // gltf_node_link: they become lists of children at the end
    int32_t *split_of;    // of each node: the extra node above it that has part of its transform; -1: none
    int32_t *switch_of;   // of each node: what hides it by a scale of 0, a node above it or itself; -1: nothing
    sni_list hiders;      // gltf_hider
    sni_list copies;      // gltf_node_copy: below hiders
    int32_t *first_copy;  // of each node
} gltf_export;

// gltf_export_nodes.c
bool gltf_find_root_groups(gltf_export *export);
bool gltf_export_nodes(gltf_export *export);                  // with scenes, skins, cameras and lights
gltf_node *gltf_node_at(gltf_export *export, int32_t index);  // valid until a node is added
int32_t gltf_add_node(gltf_export *export, const char *name);
int32_t gltf_add_helper(gltf_export *export, int32_t node, const char *ending);  // named after a node of the model
bool gltf_link_nodes(gltf_export *export, int32_t parent, int32_t child);
bool gltf_is_hidden_root_part(const gltf_export *export, const sn_part *part);  // see gltf_root_groups.must_hide

// gltf_hidden_parts.c. Both arrays say of each node of the model what holds for it or a node above it.
bool gltf_place_hiders(gltf_export *export, const bool *is_switched, const bool *is_hidden);

// gltf_export_mesh.c
bool gltf_group_parts(gltf_export *export);
bool gltf_export_meshes(gltf_export *export);
bool gltf_export_skins(gltf_export *export);                         // once the nodes have their holders and hiders
bool gltf_is_drawn(const gltf_export *export, const sn_part *part);  // has geometry, of the finest level of detail

bool gltf_export_materials(gltf_export *export);
bool gltf_export_clips(gltf_export *export);

// gltf_write.c: small things that several parts need.
void gltf_use_extension(gltf_export *export, const char *name);      // the name stays valid
void gltf_require_extension(gltf_export *export, const char *name);  // uses it, too
const char *gltf_name_or_null(const char *name);
void gltf_report_visibility(gltf_export *export);  // something is hidden by KHR_node_visibility alone
void gltf_report_loss(gltf_export *export, const char *kind, uint32_t index, const char *name, const char *what);

// Extras as an object: any other value becomes its "value". NULL: none.
// `around`: how many objects and arrays they are in.
enum {
    GLTF_DEPTH = 64,
    GLTF_AROUND_MODEL = 1,
    GLTF_AROUND_ELEMENT = 3,
    GLTF_AROUND_PRIMITIVE = 5,
    GLTF_AROUND_LIGHT = 5
};
const char *gltf_export_extras(gltf_export *export, const char *extras, uint32_t around);
// With one more member, unless there is one of that name: a text, or `count` texts as an array.
const char *gltf_extend_extras(gltf_export *export, const char *extras, const char *key, const char *const *texts,
                               uint32_t count, bool as_array);

#endif
