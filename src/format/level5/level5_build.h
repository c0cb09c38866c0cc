// The parts of level5_build: each adds to the lists of the model what it knows about.
#ifndef LEVEL5_BUILD_H
#define LEVEL5_BUILD_H

#include "base/json.h"
#include "base/map.h"
#include "format/level5/level5_doc.h"
#include "model/builder.h"
#include "model/extras.h"

typedef enum level5_game { LEVEL5_DC1 = 1, LEVEL5_DC2 } level5_game;  // as sn_load_opts.level5_game counts them

// A file of the model: a member of a pack, or one found beside it.
typedef struct level5_file {
    const char *name;  // for people, with the packs around it: "town.pak/cat.chr"
    sni_str last;      // as stored, without folders
    sni_bytes bytes;
    level5_kind kind;
    int32_t pack;           // the file that it is a member of; -1: it is no member
    uint32_t depth;         // of packs around it
    const level5_doc *doc;  // NULL until it is opened
    bool is_bad;            // it was, to no avail
} level5_file;

// A MOTION command with the KEYs behind it: a timeline and the clips that are cut out of it.
typedef struct level5_motion {
    int32_t set;
    sni_str mot, bbp, wgt;             // names of files; empty: none
    uint32_t first, end;               // commands of the configuration, KEYs among them
    const level5_tracks *tracks;       // NULL: none
    struct level5_timeline *timeline;  // what moves, see level5_build_curves.c
} level5_motion;

// What stands behind "__" in the name of a node: how the games draw it.
typedef struct level5_codes {
    bool is_unlit, keeps_depth, ignores_depth, is_one_sided, is_hidden, is_opaque;
    char billboard;     // 'Y', 'A'; 0: none
    int32_t alpha_ref;  // of the alpha test, 128 is opaque; -1: none
    sn_blend blend;     // SN_BLEND_OPAQUE: nothing is said
} level5_codes;

// The node that is a bone, and the one that translation and scale move: the same, but where the bone's matrix has a
// node for itself.
typedef struct level5_shown {
    uint32_t node, mover;
} level5_shown;
typedef struct level5_double {
    level5_shown shown;
    int32_t next;
} level5_double;  // a bone once more, in another place; next: of the same bone

typedef struct level5_bone {
    const level5_node *source;
    int32_t parent;  // loops are cut
    level5_codes codes;
    sn_mat34 local, world;  // at rest, as the MDS has them
    sn_mat34 bind;          // of the BBP
    bool has_bind;
    bool is_stretched;                      // in some timeline: scaled, and not alike along all axes
    bool is_turned, is_scaled, is_carried;  // in some timeline: rotation, scale, translation
    bool leaves_rest;                       // in some timeline it is not where the MDS has it
    level5_shown shown;                     // by the nodes of its own
    int32_t first_double;                   // number among level5_builder.doubles; -1: none
    uint32_t first_part, part_count;
    int32_t shapes;  // number among level5_builder.shapes; -1: its mesh does not change
    int32_t camera;  // number of its camera; -1: none
} level5_bone;

// What a mesh with moving vertices looks like at some frame: differences from the MDS, one per position.
typedef struct level5_form {
    const char *name;
    const sn_vec3 *moves;
} level5_form;
typedef struct level5_shapes {
    const level5_form *forms;
    uint32_t count;
} level5_shapes;

// Parts of our model that one MDT has become. mesh_materials has which of its materials each of them shows.
typedef struct level5_range {
    uint32_t first, count;
    int32_t skin;
    bool is_built;
} level5_range;

typedef struct level5_builder {
    sni_load *load;
    sn_model *model;
    sni_list files;        // level5_file
    sni_names file_names;  // by last name
    const char *name;      // of the model's own file, for people
    sni_str stem;          // of its name, up to the first dot
    const char *title;     // the same in UTF-8
    const level5_mds *mds;
    const level5_config *config;   // NULL: none
    const level5_tracks *weights;  // NULL: none
    const level5_binds *binds;     // NULL: none
    sni_list archives;             // const level5_img *
    sni_list motions;              // level5_motion
    sni_names bent;                // meshes that the configuration lets be bent; empty: all
    bool has_shapes;               // SHAPE_ANIME: they change by their vertices instead
    level5_game game;
    const char *game_reason;
    uint32_t bone_count;
    level5_bone *bones;                     // by node of the MDS
    sni_list shapes;                        // level5_shapes
    sni_list models;                        // uint32_t: files that could be the model
    int32_t *first_weights, *next_weights;  // tracks of a mesh, by node; the next of the same, by track
    int32_t *joint_of;                      // by bone, of the mesh that is being bent; -1
    int32_t *double_of;                     // by bone, of the mesh that is being bent: its node; -1
    int32_t carrier;                        // of the mesh that is being bent: the node that all its doubles hang on; -1
    sni_list doubles;                       // level5_double
    sni_list nodes, parts, meshes, materials, images, skins, clips, cameras;  // as in the model
    sni_list mesh_materials;                        // int32_t, by mesh: number in the MDT, -1 for none
    sni_list image_facts;                           // level5_image, by image
    uint64_t pixels_left;                           // that may still be looked at for their alpha
    sni_names image_names, picture_names;           // images; pictures of all archives
    uint32_t *material_slots, material_slot_count;  // by what they look like
} level5_builder;

#define level5_items(type, list) ((type *)(list).items)

// Text of the files (Shift-JIS), clean, in the model's arena; in scratch for messages.
const char *level5_clean(level5_builder *b, sni_str text);
const char *level5_label(level5_builder *b, sni_str text);
const char *level5_name_part(level5_builder *b, sni_str name, const char *part);  // "name.part"
sni_str level5_last_name(sni_str path);                 // behind the last slash of either kind
sni_str level5_before(sni_str name, const char *mark);  // up to the first mark, or the whole

// The files that make the model. False only after a failure; b->mds is NULL where there is no model among them.
bool level5_gather(level5_builder *b, const level5_doc *doc);
bool level5_gather_weights(level5_builder *b);                                             // once the game is known
bool level5_add_archive(level5_builder *b, const level5_doc *doc);                         // of pictures; NULL is none
const level5_doc *level5_open_file(level5_builder *b, uint32_t file);                      // NULL: not usable
const level5_doc *level5_find_file(level5_builder *b, sni_str name, level5_kind kind);     // NULL: none, or not usable
int32_t level5_find_command(const level5_config *config, uint32_t from, const char *tag);  // -1: none
sni_str level5_text_argument(const level5_command *command, uint32_t index);               // empty where it is none
const char *level5_model_extras(level5_builder *b);
bool level5_build_alone(level5_builder *b, const level5_doc *doc);  // a file without a model

bool level5_choose_game(level5_builder *b);

// Bones, and the nodes that show them.
bool level5_make_bones(level5_builder *b);
bool level5_build_nodes(level5_builder *b);
level5_codes level5_read_codes(sni_str name);

// The node that moves as `bone` does in the space of the parent of the mesh's node, wherever that node carries it; -1:
// none can.
bool level5_double_bone(level5_builder *b, uint32_t mesh, uint32_t bone, int32_t *out);
bool level5_add_double(level5_builder *b, uint32_t bone, const char *name, int32_t parent, int32_t *out);

// Meshes: one of ours for each material that its faces have, with the parts that show them.
bool level5_build_meshes(level5_builder *b);

// Weights of one mesh, by position: influence_count of `stride` are used. skin -1: it is rigid.
typedef struct level5_bend {
    int32_t skin;
    uint32_t influence_count, stride, joint_count;
    uint16_t *joints;
    float *weights;
} level5_bend;
bool level5_index_weights(level5_builder *b);
bool level5_bend_mesh(level5_builder *b, uint32_t node, const level5_mesh *mesh, level5_bend *bend);

// Looks.
typedef enum level5_alpha {
    LEVEL5_ALPHA_NONE,
    LEVEL5_ALPHA_HOLES,
    LEVEL5_ALPHA_SHADES
} level5_alpha;  // holes: all or nothing
typedef struct level5_image {
    sn_vec2 uv_scale;
    level5_alpha alpha;
    uint8_t wrap_u, wrap_v;
} level5_image;
bool level5_index_images(level5_builder *b);
int32_t level5_find_image(level5_builder *b, sni_str name);  // -1: none
bool level5_keep_all_images(level5_builder *b);
bool level5_build_looks(level5_builder *b, uint32_t node, const level5_mesh *mesh, int32_t material, sn_part *part);

// Timelines: tracks as curves in our own terms, at rising frames.
typedef struct level5_curve {
    const level5_track *source;
    uint32_t count, width;
    double *frames;
    float *values;
    int32_t next;
} level5_curve;
typedef struct level5_moves {  // of one bone: numbers of curves, -1 for none
    int32_t rotation, scale, translation, self, tree, camera[4];
    int32_t first_vertex;  // of a chain through level5_curve.next
    int32_t first_fader;
    uint32_t fader_count;
} level5_moves;
typedef struct level5_fader {
    int32_t material, curve, next, part;
    bool is_alpha;
} level5_fader;  // next: of the same bone
typedef struct level5_forms {
    uint32_t node, count;
    double *frames;
    int32_t *morphs;
} level5_forms;  // which morph at which frame, -1: none
typedef struct level5_timeline {
    level5_moves *moves;             // by bone
    sni_list curves, faders, forms;  // level5_curve, level5_fader, level5_forms
    sni_list movers;                 // uint32_t: bones that move or are shown and hidden
    double first, last;              // frames with keys
} level5_timeline;
typedef struct level5_fading {
    bool has_alpha, has_color;
} level5_fading;

bool level5_read_timelines(level5_builder *b);
bool level5_build_shapes(level5_builder *b);
void level5_sample(const level5_curve *curve, double frame, float *out);  // held outside its keys
level5_fading level5_find_fading(const level5_builder *b, uint32_t node, int32_t material);

bool level5_build_clips(level5_builder *b);

// Cameras: nodes of their own that look where the timelines say.
bool level5_build_cameras(level5_builder *b);
sn_trs level5_camera_at(const level5_timeline *line, uint32_t bone, double frame);
float level5_fov_of(float degrees);

#endif
