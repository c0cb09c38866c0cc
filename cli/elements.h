// Elements of a model: lists by owner (parts by mesh, nodes by parent), counts and labels.
#ifndef CLI_ELEMENTS_H
#define CLI_ELEMENTS_H

#include "base/arena.h"

// Chains of items by owner: for (i = first[owner]; i >= 0; i = next[i]), in the items' order.
typedef struct cli_chains {
    int32_t *first, *next;
} cli_chains;

typedef int32_t (*cli_owner_of)(const sn_model *model, uint32_t item);  // -1: none

// Takes linear time. False: out of memory.
bool cli_chains_make(cli_chains *chains, sni_arena *arena, const sn_model *model, uint32_t owner_count,
                     uint32_t item_count, cli_owner_of owner_of);

int32_t cli_mesh_of_part(const sn_model *model, uint32_t part);
int32_t cli_node_of_part(const sn_model *model, uint32_t part);
int32_t cli_node_of_camera(const sn_model *model, uint32_t camera);
int32_t cli_node_of_light(const sn_model *model, uint32_t light);
int32_t cli_parent_of_node(const sn_model *model, uint32_t node);

// What a node is for: "role" or "kind" of its extras. NULL: neither.
const char *cli_node_role(sni_arena *arena, const sn_node *node);

// Triangles, lines or points.
uint32_t cli_mesh_primitives(const sn_mesh *mesh);
const char *cli_topology_name(sn_topology topology);  // "triangles"

int32_t cli_default_camera(const sn_model *model, const char *file);  // of a portrait model; -1: none

bool cli_can_show(const sn_model *model, sn_error *error);  // false: its parts repeat the meshes too often
// The common frame rate whose frames contain all keys of the clip, else 30.
float cli_clip_rate(const sn_clip *clip);

// Emitters and ribbons, which are not drawn.
uint32_t cli_count_effects(sni_arena *arena, const sn_model *model, const char **names);
// Why a model shows nothing; NULL: it shows something. A picture shows the bones of what has no meshes.
const char *cli_why_empty(sni_arena *arena, const sn_model *model, bool is_picture);
sn_pixels cli_image_size(sni_arena *arena, const sn_image *image);  // without pixels; 0 x 0 when it is unknown

// The name of an element, or its kind and index if it has none: "image 3".
const char *cli_image_label(sni_arena *arena, const sn_model *model, int32_t image);
const char *cli_name_or(sni_arena *arena, const char *name, const char *kind, uint32_t index);

#endif
