// Shared by the parts of w3d_build. Each part adds its elements to the sni_builder.
#ifndef W3D_BUILD_H
#define W3D_BUILD_H

#include "base/json.h"
#include "base/map.h"
#include "format/w3d/w3d_doc.h"
#include "model/builder.h"
#include "model/extras.h"

typedef struct w3d_mat {
    double m[3][4];
} w3d_mat;

// A hierarchy in its base pose. Pivot 0 is the root, which is placed by the game.
typedef struct w3d_skeleton {
    const w3d_hierarchy *source;  // NULL: a root without anything else
    sni_str name;
    uint32_t pivot_count, shift;  // shift: 1 where the file has no root pivot and one was added
    int32_t *parents;
    sn_trs *base;     // local
    w3d_mat *worlds;  // of base
    double reach;     // largest coordinate of a pivot in worlds
} w3d_skeleton;

// A file that belongs to the model; the first is the model itself.
typedef struct w3d_source_file {
    const char *name;
    const w3d_doc *doc;
    bool is_explicit;  // named by the user, not found by name
} w3d_source_file;

// A hierarchy of any of the files.
typedef struct w3d_hierarchy_ref {
    const w3d_hierarchy *source;
    uint32_t file;
    const w3d_skeleton *skeleton;  // NULL: not built yet
    bool is_used;
} w3d_hierarchy_ref;

// An animation of any of the files, for morph animations that show its poses.
typedef struct w3d_animation_ref {
    const w3d_doc *doc;
    const w3d_animation *animation;
} w3d_animation_ref;

// A part or node attached to a pivot.
typedef struct w3d_attached {
    int32_t next, index;
    bool is_part;
} w3d_attached;

// The model's meshes that a mesh of the file became.
typedef struct w3d_mesh_range {
    uint32_t first, count;
    int32_t owner;  // 0: not built; 1: any instance; else 2 + the instance that it is skinned to
} w3d_mesh_range;

// An HLOD on its hierarchy, or everything in a file without HLOD. Each becomes a scene.
typedef struct w3d_instance {
    const w3d_hlod *hlod;  // NULL: the file has none
    const w3d_skeleton *skeleton;
    sni_str name, hierarchy;   // hierarchy: its name as the HLOD has it; animations may use it, too
    bool is_skeleton_missing;  // it has a name but was not found
    uint32_t first_node;       // node of pivot 0
    int32_t skin;              // -1: none yet
    uint32_t joint_count;
    int32_t *joint_of, *joints;  // joint of a pivot, or -1; pivot of a joint
    int32_t *first_attached;     // by pivot, or -1
} w3d_instance;

typedef struct w3d_builder {
    sni_load *load;
    const w3d_doc *doc;
    sni_builder core;    // the elements so far
    uint32_t lod_count;  // largest of all instances

    // The files and what is in them, with lookups by name.
    sni_list files, hierarchies, animations;  // w3d_source_file, w3d_hierarchy_ref, w3d_animation_ref
    sni_nocase_names searched_files, hierarchy_names, animation_names;
    int32_t forced_hierarchy;  // the user's choice for all instances, or -1

    sni_list instances, attached;  // w3d_instance, w3d_attached
    w3d_mesh_range *mesh_ranges;   // by mesh of the file

    sni_list mesh_materials;  // int32_t, by mesh of the model
    sni_list uv_tracks;       // sn_track, of mappers
    sni_nocase_names image_names;
    sni_map material_map;
    float linear[256];  // of sRGB bytes
} w3d_builder;

#define w3d_items(type, list) ((type *)(list).items)

// Text of the file as valid UTF-8: for the model, or for messages only (in scratch).
const char *w3d_clean_text(w3d_builder *b, sni_str text);
const char *w3d_label(w3d_builder *b, sni_str text);
sni_str w3d_full_name(w3d_builder *b, sni_str container, sni_str name);  // "TANK.TURRET"
sni_str w3d_after_dot(sni_str name);  // "TURRET" of "TANK.TURRET"; all of a name without a dot
uint64_t w3d_offset(const w3d_doc *doc, int32_t chunk);
sn_vec3 w3d_linear_color(const w3d_builder *b, const uint8_t rgb[3]);

void w3d_extras_put_text(sni_extras *extras, w3d_builder *b, const char *key, sni_str text);  // unless it is empty
void w3d_extras_put_collision(sni_extras *extras, uint32_t attributes);

// Names to all of their numbers, in order. Numbers are below a fixed count.
typedef struct w3d_name_lists {
    sni_nocase_names first;
    int32_t *next, *last;  // next: -1 at the end; last: by the first number of a name
} w3d_name_lists;
bool w3d_name_lists_init(sni_arena *arena, w3d_name_lists *lists, uint64_t count);
bool w3d_name_lists_add(sni_arena *arena, w3d_name_lists *lists, sni_str name, int32_t number);

// w3d_build_files.c: the files of a model.
bool w3d_open_files(w3d_builder *b);            // those that the user named
bool w3d_find_animation_files(w3d_builder *b);  // with folder_clips: files with animations for a hierarchy in use
bool w3d_find_pose_files(w3d_builder *b);       // files with animations that morph animations name
int32_t w3d_find_hierarchy(w3d_builder *b, sni_str name);  // opens NAME.w3d if needed; -1 with a warning: none
const w3d_animation_ref *w3d_find_animation(const w3d_builder *b, sni_str full_name);  // NULL: none

// w3d_build_nodes.c: skeletons, instances, and the nodes of everything that is not a mesh.
bool w3d_build_instances(w3d_builder *b);
sn_node *w3d_add_node(w3d_builder *b, const w3d_instance *instance, uint32_t pivot, const char *name,
                      const char *extras);  // below a pivot
bool w3d_attach(w3d_builder *b, w3d_instance *instance, uint32_t pivot, bool is_part, int32_t index);
bool w3d_build_reference(w3d_builder *b, w3d_instance *instance, uint32_t pivot, sni_str name, const char *kind);
bool w3d_build_box(w3d_builder *b, w3d_instance *instance, uint32_t pivot, const w3d_box *box);
bool w3d_build_object(w3d_builder *b, w3d_instance *instance, uint32_t pivot, const w3d_object *object);
bool w3d_build_lights(w3d_builder *b);
bool w3d_build_skins(w3d_builder *b);
bool w3d_build_scenes(w3d_builder *b);

// The arrays of a mesh before it is split by material.
enum { W3D_MAX_UVS = W3D_MAX_PASSES * W3D_MAX_STAGES + 1 };
typedef struct w3d_geometry {
    const w3d_mesh *mesh;
    const w3d_material_set *materials;  // NULL: none
    uint32_t vertex_count, triangle_count;
    const sn_vec3 *positions, *normals;
    const sn_vec4 *tangents;
    const sn_vec2 *uvs[W3D_MAX_UVS];
    int32_t uv_sets[W3D_MAX_PASSES][W3D_MAX_STAGES];  // index into uvs, or -1
    const sn_vec4 *colors[W3D_MAX_PASSES];
    uint32_t uv_count, color_count, influence_count;
    uint16_t *joints;
    float *weights;
} w3d_geometry;

// w3d_build_mesh.c
bool w3d_is_skin(const w3d_mesh *mesh);
uint32_t w3d_geometry_type(const w3d_mesh *mesh);  // one of W3D_GEOMETRY_...
uint32_t w3d_pass_count(const w3d_material_set *materials);
bool w3d_build_mesh(w3d_builder *b, int32_t mesh, w3d_instance *instance, w3d_mesh_range *range);

// w3d_build_materials.c. What a triangle uses in each pass: indices into the mesh's arrays, or -1.
typedef struct w3d_pass_ids {
    int32_t shader, vertex_material, shader_material, textures[W3D_MAX_STAGES];
} w3d_pass_ids;
typedef struct w3d_material_ids {
    int32_t material3;
    w3d_pass_ids passes[W3D_MAX_PASSES];
} w3d_material_ids;
int32_t w3d_build_material(w3d_builder *b, const w3d_geometry *geometry,
                           const w3d_material_ids *ids);  // -1: none, or the load has failed

// w3d_build_clips.c
bool w3d_build_clips(w3d_builder *b);

#endif
