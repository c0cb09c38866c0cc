// Document to model. The builder holds what several steps share; each level5_build_*.c adds its elements to the
// sni_builder in it.
#ifndef LEVEL5_BUILD_H
#define LEVEL5_BUILD_H

#include "base/map.h"
#include "format/level5/level5_doc.h"
#include "model/builder.h"
#include "model/extras.h"

#define level5_items(type, list) ((type *)(list).items)

typedef enum level5_game { LEVEL5_DC1 = 1, LEVEL5_DC2 } level5_game;  // same values as sn_level5_game

// A MOTION command with its KEY commands: a timeline and the clips that are cut out of it.
typedef struct level5_motion {
    int32_t set;
    sni_str mot, bbp, wgt;        // file names; empty: none
    uint32_t first, end;          // range of commands with the KEYs
    const level5_tracks *tracks;  // NULL: none
    struct level5_timeline *timeline;
} level5_motion;

// Draw state from the letters after "__" in a node's name.
typedef struct level5_codes {
    bool is_unlit, no_depth_write, no_depth_test, is_one_sided, is_hidden, is_opaque;
    char billboard;     // 'Y', 'A'; 0: none
    int32_t alpha_ref;  // of the alpha test, 128 is 1.0; -1: none
    sn_blend blend;     // SN_BLEND_OPAQUE: not specified
} level5_codes;

// The nodes that the tracks of a bone drive. `mover` gets translation and scale; it is the same node unless the bone's
// matrix needed a parent node of its own.
typedef struct level5_targets {
    uint32_t node, mover;
} level5_targets;

// A copy of a bone below the node of a skinned mesh; next: another copy of the same bone, -1: none.
typedef struct level5_bone_copy {
    level5_targets targets;
    int32_t next;
} level5_bone_copy;

// A node of the MDS; every node can be a bone.
typedef struct level5_bone {
    const level5_node *source;
    int32_t parent;  // without cycles
    level5_codes codes;
    sn_mat34 local, world;  // rest pose of the MDS
    sn_mat34 bind;          // from the BBP
    bool has_bind;
    bool is_rotated, is_scaled, is_translated, has_uneven_scale;  // in any timeline
    bool leaves_rest;                                             // in any timeline: not always as in the MDS
    level5_targets targets;
    int32_t first_copy;  // into level5_builder.bone_copies; -1: none
    uint32_t first_part, part_count;
    int32_t morphs;  // into level5_builder.morph_sets; -1: none
    int32_t camera;  // into level5_builder.core.cameras; -1: none
} level5_bone;

// Vertex animation: the shape of a mesh at some frame, as offsets from the positions of the MDS.
typedef struct level5_morph {
    const char *name;
    const sn_vec3 *offsets;
} level5_morph;
typedef struct level5_morph_set {
    const level5_morph *morphs;
    uint32_t count;
} level5_morph_set;

typedef enum level5_alpha { LEVEL5_ALPHA_OPAQUE, LEVEL5_ALPHA_BINARY, LEVEL5_ALPHA_BLENDED } level5_alpha;
typedef struct level5_image_info {
    sn_vec2 uv_scale;
    level5_alpha alpha;
    uint8_t wrap_u, wrap_v;
    uint32_t width, height;
} level5_image_info;

typedef struct level5_materials {
    sni_nocase_names pictures;  // of all archives, numbered in order
    sni_nocase_names images;    // of the model
    sni_list info;              // level5_image_info, by image
    uint64_t pixels_left;       // that may still be scanned for their alpha
    sni_map map;                // of materials, by name and layer
} level5_materials;

// All files found so far (level5_build_files.c).
typedef struct level5_files level5_files;

typedef struct level5_builder {
    sni_load *load;
    sni_builder core;  // the elements so far

    // Files
    level5_files *files;
    const char *title;             // of the model: the name of its file without extension
    const level5_mds *mds;         // NULL: no model
    const level5_config *config;   // NULL: none
    const level5_tracks *weights;  // NULL: none
    const level5_binds *binds;     // NULL: none
    sni_list archives;             // const level5_img *
    sni_list motions;              // level5_motion
    sni_nocase_names skinned;      // meshes that the configuration allows to be skinned; empty: all
    bool has_shape_anime;          // the configuration has SHAPE_ANIME: vertex animation instead of skinning
    level5_game game;
    const char *game_reason;

    // Per node of the MDS
    level5_bone *bones;
    uint32_t bone_count;
    sni_list bone_copies;  // level5_bone_copy
    sni_list morph_sets;   // level5_morph_set

    // Meshes and materials
    sni_list mesh_materials;  // int32_t, by mesh: index in the MDT, -1 for none
    level5_materials materials;
} level5_builder;

// --- level5_build_files.c ---

// Finds the files of the model. b->mds stays NULL if there is no model among them. False only after a failure.
bool level5_collect_files(level5_builder *b, const level5_doc *doc);
bool level5_find_weights(level5_builder *b);  // once the game is known

bool level5_list_model(level5_builder *b, level5_doc *doc);  // doc->model

bool level5_lists_skins(const level5_command *command);

sni_str level5_text_argument(const level5_command *command, uint32_t index);  // empty if it is not text

// Shift-JIS text as UTF-8: in the model, with a warning for bad bytes; in scratch, for messages.
const char *level5_text(level5_builder *b, sni_str text);
const char *level5_label(level5_builder *b, sni_str text);
const char *level5_joined_name(level5_builder *b, sni_str name, const char *part);  // "name.part"
sni_str level5_file_name(sni_str path);                                             // after the last slash of any kind
sni_str level5_text_before(sni_str text, const char *mark);                         // all of it without the mark

// --- level5_build_nodes.c ---
bool level5_make_bones(level5_builder *b);
bool level5_choose_game(level5_builder *b);
bool level5_build_nodes(level5_builder *b);
bool level5_is_uniform(sn_vec3 scale);

// Copies of bones below one node that holds a skinned mesh.
typedef struct level5_copied_bones {
    uint32_t mesh;     // node of the mesh
    int32_t root;      // node that the copies hang on; -1: none yet
    int32_t *copy_of;  // by bone: node of the copy; -1: none
} level5_copied_bones;
bool level5_copy_bone(level5_builder *b, level5_copied_bones *copies, uint32_t bone, int32_t *out);  // -1: cannot

// --- level5_build_mesh.c ---
bool level5_build_meshes(level5_builder *b);

// --- level5_build_skin.c ---
typedef struct level5_weight_index {
    int32_t *first, *next;  // first weight track of a node's mesh; next track of the same mesh, by track; -1: none
    int32_t *joint_of, *copy_of;  // scratch, by bone; all -1 between meshes
} level5_weight_index;
typedef struct level5_mesh_weights {
    int32_t skin;  // -1: not skinned
    uint32_t joint_count;
    uint32_t influence_count, stride;  // per position; `stride` is the allocated width
    uint16_t *joints;
    float *weights;
} level5_mesh_weights;
bool level5_index_weights(level5_builder *b, level5_weight_index *index);
bool level5_build_skin(level5_builder *b, level5_weight_index *index, uint32_t node, level5_mesh_weights *out);

// --- level5_build_materials.c ---
bool level5_index_pictures(level5_builder *b);
bool level5_add_all_images(level5_builder *b);
int32_t level5_find_image(level5_builder *b, sni_str name);  // -1: none
bool level5_build_material(level5_builder *b, uint32_t node, const level5_mesh *mesh, int32_t index, sn_part *part);

// What codes and a TIM2 picture mean for a material, for the exporter too.
level5_codes level5_read_codes(sni_str name);
void level5_set_blend(const level5_codes *codes, level5_alpha alpha, bool is_transparent, sn_layer *layer);
uint32_t level5_layer_flags(const level5_codes *codes);
bool level5_read_picture(level5_array data, uint64_t *pixels_left, level5_image_info *info);  // false: not a TIM2

// --- level5_build_timelines.c ---
typedef struct level5_curve {
    const level5_track *source;
    uint32_t count, width;
    double *frames;  // rising
    float *values;
    int32_t next;  // vertex curves: another one of the same mesh; -1: none
} level5_curve;
typedef struct level5_material_curve {
    int32_t material, curve;
    int32_t next;  // another one of the same bone; -1: none
    int32_t part;  // that shows the material; -1: none
    bool is_alpha;
} level5_material_curve;
typedef struct level5_bone_curves {  // indices of curves; -1: none
    int32_t rotation, scale, translation, visible_self, visible_tree;
    int32_t camera[4];  // position, target, roll, field of view
    int32_t first_vertex;
    int32_t first_material;  // into material_curves
    uint32_t material_count;
} level5_bone_curves;
typedef struct level5_morph_keys {
    uint32_t node, count;
    double *frames;
    int32_t *morphs;  // -1: the positions of the MDS
} level5_morph_keys;
typedef struct level5_timeline {
    level5_bone_curves *bones;
    sni_list curves, material_curves, morph_keys;
    sni_list animated;   // uint32_t: bones that clips have to look at
    double first, last;  // frames with keys
} level5_timeline;

bool level5_read_timelines(level5_builder *b);
void level5_sample(const level5_curve *curve, double frame, float *out);  // holds the first and last key
void level5_find_material_tracks(const level5_builder *b, uint32_t node, int32_t material, bool *has_alpha,
                                 bool *has_color);
static inline uint32_t level5_key_before(const double *frames, uint32_t count, double frame)  // 0 if there is none
{
    uint32_t low = 0, high = count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (frames[middle] <= frame) low = middle;
        else high = middle;
    }
    return low;
}

// --- level5_build_clips.c ---
bool level5_build_cameras(level5_builder *b);
bool level5_build_clips(level5_builder *b);

// --- Extras, level5_build_files.c ---
const char *level5_model_extras(level5_builder *b);

// A file without a model: its images, and extras that describe it.
bool level5_build_standalone(level5_builder *b, const level5_doc *doc);
const char *level5_standalone_extras(level5_builder *b, const level5_doc *doc);

#endif
