// The parts of w3d_build: each adds to the lists of the model what it knows about.
#ifndef W3D_BUILD_H
#define W3D_BUILD_H

#include "base/json.h"
#include "base/map.h"
#include "format/w3d/w3d_doc.h"
#include "model/builder.h"
#include "model/extras.h"

// A hierarchy in its base pose, as the engine sees it: pivot 0 is the object's.
typedef struct w3d_mat {
    double m[3][4];
} w3d_mat;
typedef struct w3d_skeleton {
    const w3d_hierarchy *source;  // NULL: one pivot that stands still
    sni_str name;
    uint32_t pivot_count, shift;  // shift: 1 where files before version 3 lack the root
    int32_t *parents;
    sn_trs *base;  // local
    w3d_mat *worlds;
} w3d_skeleton;

// What of which file may be used. The model's own file comes first.
typedef struct w3d_source {
    const char *name;
    const w3d_doc *doc;
    bool is_asked;
} w3d_source;
typedef struct w3d_known {
    const w3d_hierarchy *source;
    uint32_t file;
    const w3d_skeleton *skeleton;
    bool is_shown;
} w3d_known;

// An animation by its full name, and what its chunks lie in.
typedef struct w3d_pose {
    const w3d_doc *doc;
    const w3d_animation *animation;
} w3d_pose;

// What hangs on a pivot: a part, or a node of its own.
typedef struct w3d_carried {
    int32_t next, index;
    bool is_part;
} w3d_carried;

// Meshes of ours that one of the file has become, side by side.
typedef struct w3d_range {
    uint32_t first, count;
    int32_t figure;
} w3d_range;

// Something shown as a whole: an HLOD on its hierarchy, or what a file without one has. Each is a scene.
typedef struct w3d_figure {
    const w3d_hlod *hlod;  // NULL: none says what is shown
    const w3d_skeleton *skeleton;
    sni_str name, hierarchy;  // hierarchy: the name that animations may use too
    bool lacks_skeleton;      // named, but nowhere to be found
    uint32_t first_node;      // of its pivots
    int32_t skin;             // -1: none yet
    uint32_t joint_count;
    int32_t *joint_of, *joints;  // by pivot, or -1; by joint, its pivot
    int32_t *first_carried;      // by pivot, or -1
} w3d_figure;

typedef struct w3d_builder {
    sni_load *load;
    const w3d_doc *doc;
    sn_model *model;
    sni_list files, known, figures;      // w3d_source, w3d_known, w3d_figure
    sni_names hierarchies, found_files;  // of known; files that were looked for and are there
    sni_list poses;                      // w3d_pose: what morph animations show
    sni_names pose_names;
    int32_t chosen;                    // known that the user wants for all; -1: what is named
    sni_names full_names, part_names;  // of meshes, then boxes, then objects
    int32_t *next_alike;               // by such number: the next of the same full name
    struct w3d_mention *mentions;      // of the first of each name
    sni_list nodes, parts, meshes, mesh_materials, materials, images, lights, skins, clips;  // as in the model
    sni_list carried, uv_tracks;                                                             // w3d_carried, sn_track
    w3d_range *ranges;                                                                       // by mesh
    sni_names image_names;
    uint32_t *material_slots, material_slot_count;  // by what they look like
    float linear[256];                              // of sRGB bytes
} w3d_builder;

#define w3d_items(type, list) ((type *)(list).items)

// Text of the file, clean, in the model's arena; in scratch for messages.
const char *w3d_clean(w3d_builder *b, sni_str text);
const char *w3d_label(w3d_builder *b, sni_str text);
uint64_t w3d_offset(const w3d_doc *doc, int32_t chunk);
sni_str w3d_full_name(w3d_builder *b, sni_str container, sni_str name);  // "TANK" and "TURRET" are "TANK.TURRET"
sni_str w3d_after_dot(sni_str name);  // "TANK.TURRET" is "TURRET"; without a dot the whole

// Extras that need words of the file, or of W3D.
void w3d_say_text(sni_extras *extras, w3d_builder *b, const char *key, sni_str text);  // only where there is any
void w3d_say_collision(sni_extras *extras, uint32_t attributes);

// Files beside the model's own, and their hierarchies.
bool w3d_gather_files(w3d_builder *b);
bool w3d_gather_folder(w3d_builder *b);  // those whose animations name a skeleton that is shown
bool w3d_gather_poses(w3d_builder *b);   // those that morph animations name
const w3d_pose *w3d_find_pose(const w3d_builder *b, sni_str name);   // NULL: there is none
int32_t w3d_find_hierarchy(w3d_builder *b, sni_str name);            // number among known, or -1: warned of
const w3d_skeleton *w3d_skeleton_of(w3d_builder *b, int32_t known);  // -1: one pivot

// Figures: what is shown, with the nodes of their pivots.
bool w3d_build_figures(w3d_builder *b);
sn_node *w3d_add_node(w3d_builder *b, const w3d_figure *figure, uint32_t pivot, const char *name,
                      const char *extras);  // below a pivot
bool w3d_carry(w3d_builder *b, w3d_figure *figure, uint32_t pivot, bool is_part, int32_t index);
const char *w3d_pivot_role(sni_str name, bool *is_attachment);  // NULL: none

// What figures show.
bool w3d_build_shown(w3d_builder *b);
bool w3d_build_object(w3d_builder *b, w3d_figure *figure, uint32_t pivot, int32_t number);  // anything but a mesh
bool w3d_build_lights(w3d_builder *b);
bool w3d_build_mesh(w3d_builder *b, int32_t mesh, w3d_figure *figure, w3d_range *range);

// The arrays of a mesh before it is split by its looks.
enum { W3D_MOST_UVS = W3D_MOST_PASSES * W3D_MOST_STAGES + 1 };
typedef struct w3d_shape {
    const w3d_mesh *mesh;
    const w3d_materials *looks;  // the set that is shown; NULL: none
    uint32_t vertex_count, triangle_count;
    const sn_vec3 *positions, *normals;
    const sn_vec4 *tangents;
    const sn_vec2 *uvs[W3D_MOST_UVS];
    int32_t uv_of[W3D_MOST_PASSES][W3D_MOST_STAGES];
    const sn_vec4 *colors[W3D_MOST_PASSES];
    uint32_t uv_count, color_count, influence_count;
    uint16_t *joints;
    float *weights;
} w3d_shape;

bool w3d_is_skin(const w3d_mesh *mesh);
uint32_t w3d_geometry_type(const w3d_mesh *mesh);  // one of W3D_GEOMETRY_...
uint32_t w3d_pass_count(const w3d_materials *looks);
bool w3d_can_bend(const w3d_figure *figure, const w3d_mesh *mesh);
bool w3d_bend_shape(w3d_builder *b, w3d_figure *figure, w3d_shape *shape);
bool w3d_split_shape(w3d_builder *b, const w3d_shape *shape, uint32_t joint_count, w3d_range *range);

// The looks of one triangle, and so of its group: what it names in each pass, -1 for nothing.
typedef struct w3d_pass_ids {
    int32_t shader, vertex_material, shader_material, textures[W3D_MOST_STAGES];
} w3d_pass_ids;
typedef struct w3d_look {
    w3d_pass_ids passes[W3D_MOST_PASSES];
    int32_t material3;
} w3d_look;
int32_t w3d_build_material(w3d_builder *b, const w3d_shape *shape,
                           const w3d_look *look);  // -1: none, or the load has failed
int32_t w3d_build_image(w3d_builder *b, sni_str name, uint64_t offset);

// Texture coordinates that a mapper moves: what stays goes into the texture, what moves becomes tracks on their own
// clock.
typedef struct w3d_mapper {
    uint32_t kind;
    sni_str args;
} w3d_mapper;
void w3d_place_mapper(const w3d_mapper *mapper, sn_uv_transform *transform, uint32_t *layer_flags);
bool w3d_move_mapper(w3d_builder *b, const w3d_mapper *mapper, const sn_uv_transform *rest, int32_t material,
                     int32_t layer);
const char *w3d_mapper_name(uint32_t kind);

// A colour of the file as light.
sn_vec3 w3d_color(const w3d_builder *b, const uint8_t rgb[3]);

// A channel as keys at rising frames, held before the first and behind the last. No frames: one for each from 0 on.
typedef struct w3d_curve {
    uint32_t count, width;
    const uint32_t *frames;
    const float *values;
    const bool *is_jump;  // the value before holds right up to this key; NULL: nowhere
} w3d_curve;

// Up to the last frame of the animation. What a raw channel leaves out is `outside`, width floats.
bool w3d_make_curve(w3d_builder *b, const w3d_animation *animation, const w3d_channel *channel, const float *outside,
                    w3d_curve *curve);
// The same at other moments: keys of the frame, and of the frame of the curve whose value it has then; up to frame
// `end`.
bool w3d_retime_curve(w3d_builder *b, w3d_array keys, uint32_t end, w3d_curve *curve);
// Of bits: a key wherever the value changes.
bool w3d_make_switch(w3d_builder *b, const w3d_animation *animation, const w3d_channel *channel, w3d_curve *curve);

// Curves of one number each, some of which may be missing (no keys), joined into keys of all.
typedef struct w3d_joined {
    uint32_t count;
    uint32_t *frames;
    bool *is_before;
    float *values;
} w3d_joined;  // is_before: just before that frame
bool w3d_join_curves(w3d_builder *b, const w3d_curve *curves, uint32_t curve_count, w3d_joined *joined);

bool w3d_build_clips(w3d_builder *b);

#endif
