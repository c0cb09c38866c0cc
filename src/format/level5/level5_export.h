// Model to documents: the opposite of level5_build.h. The model was fitted: tracks step or are linear, a material has
// one layer, all meshes have normals.
#ifndef LEVEL5_EXPORT_H
#define LEVEL5_EXPORT_H

#include "base/map.h"
#include "base/sjis.h"
#include "format/format.h"
#include "format/level5/level5_build.h"
#include "model/track_index.h"

// A node of the file.
typedef struct level5_out_node {
    sni_str name;  // with codes
    int32_t parent;
    sn_mat34 local;  // at rest
    sn_mat34 world;  // DC2: in the model; DC1: in the space of the first node, which skinned meshes hang on
    sn_mat34 bind;   // in the same space; if it has one
    bool has_bind;
    bool is_moved, is_turned;  // by a track; by a rotation track
    int32_t mesh;              // into meshes; -1: none
    int32_t id;                // of the node of the model; -1: added
} level5_out_node;

// The nodes of the file that get the tracks of a node of the model. `node` is the innermost: what hangs on the model's
// node hangs on it.
typedef struct level5_out_targets {
    int32_t node, translation, rotation, scale;  // -1: no track
} level5_out_targets;

// A skin of the model that parts use.
typedef struct level5_out_skin {
    bool is_placed;
    sn_mat34 to_bind;  // from the space of its meshes to the bind pose
    int32_t *bones;    // per joint: node of the file
} level5_out_skin;

// Where a vertex of a mesh in the file comes from.
typedef struct level5_out_vertex {
    int32_t part;
    uint32_t vertex;
} level5_out_vertex;

typedef struct level5_out_mesh {
    int32_t node;                // of the file
    int32_t skin;                // of the model; -1: rigid
    int32_t shared;              // an earlier mesh that has the same MDT; -1: its own
    level5_mesh mesh;            // of the document
    level5_out_vertex *sources;  // per position
    int32_t *parts;              // per material: the part that it colours
} level5_out_mesh;

// Where a clip is on the timeline of its set.
typedef struct level5_interval {
    uint32_t start, end;
    double rate;  // frames per second; 0: a still pose
    float speed;
    int32_t set;
    uint32_t order;  // of the clip on the timeline, from the first
} level5_interval;

typedef struct level5_clip_order {
    uint32_t start, clip;
} level5_clip_order;

typedef struct level5_motion_out {
    int32_t set;
    level5_clip_order *clips;  // sorted
    uint32_t clip_count;
    bool overlaps;    // clips share frames
    sni_list tracks;  // level5_track
} level5_motion_out;

// A node of the file that is shown while all of these are: parts and nodes of the model.
typedef struct level5_vanishing {
    int32_t node;
    int32_t part;   // -1: none
    int32_t above;  // node of the model, with all above it; -1: none
} level5_vanishing;

// Images by their names in the file, and what is lost of materials (level5_export_materials.c).
typedef struct level5_out_materials level5_out_materials;

typedef struct level5_exporter {
    sni_save *save;
    sni_arena *arena;  // of the save
    const sn_model *model;
    level5_game game;
    bool is_native;  // the model is from Level-5 files: names of nodes have their codes

    sni_sjis_encoder encoder;
    uint64_t changed_names;
    const char *changed_name;  // one of them

    sni_list nodes;               // level5_out_node
    level5_out_targets *targets;  // per node of the model
    int32_t *switches;       // per node of the model: it, or the first above it, that hides or is switched; -1: none
    int32_t *numbers;        // per node of the file: its number, where a skeleton orders them; NULL: its own
    level5_out_skin *skins;  // per skin of the model
    sni_list meshes;         // level5_out_mesh
    sni_list vanishing;      // level5_vanishing: nodes of the file that parts are hidden with
    level5_out_materials *materials;
    sni_list pictures;  // level5_picture

    sni_track_index found;       // all tracks
    level5_interval *intervals;  // per clip
    sni_list motions;            // level5_motion_out
    bool has_morphs;             // shapes are animated
} level5_exporter;

static inline level5_out_node *level5_out_node_at(const level5_exporter *x, int32_t index)
{
    return &level5_items(level5_out_node, x->nodes)[index];
}

static inline int32_t level5_number(const level5_exporter *x, int32_t node)
{
    return x->numbers && node >= 0 ? x->numbers[node] : node;
}

// --- level5_export.c ---

// Text of at most `most` bytes; counts what had to be changed.
sni_str level5_export_name(level5_exporter *x, const char *text, size_t most);

// --- level5_export_nodes.c ---
bool level5_export_nodes(level5_exporter *x);
bool level5_order_nodes(level5_exporter *x);  // as in the skeleton, if there is one

// A node below `parent`; its name has `codes` behind "__". -1 after a failure.
int32_t level5_add_node(level5_exporter *x, const char *name, const char *codes, int32_t parent, const sn_mat34 *local);
// Adds codes to the name of a node, where they are missing.
bool level5_add_codes(level5_exporter *x, int32_t node, const char *codes);

// --- level5_export_skin.c ---
bool level5_place_skins(level5_exporter *x);
bool level5_export_weights(level5_exporter *x, sni_list *tracks);
bool level5_export_binds(level5_exporter *x, level5_binds *binds);

// --- level5_export_mesh.c ---
bool level5_export_meshes(level5_exporter *x);
int32_t level5_switch_above(const level5_exporter *x, int32_t node);  // the next one up from a node of `switches`; -1

// --- level5_export_materials.c ---

enum { LEVEL5_TEXTURE_AT = 52 };  // in the record of a material

// The codes that a node needs so that its parts with this material look as they should.
typedef struct level5_code_text {
    char text[16];
} level5_code_text;
bool level5_index_images(level5_exporter *x);
void level5_material_codes(level5_exporter *x, const sn_part *part, level5_code_text *codes);
bool level5_codes_suffice(const level5_exporter *x, const sn_part *part, sni_str name);  // those in the name
sn_vec4 level5_diffuse(const level5_exporter *x, const sn_part *part);
bool level5_export_material(level5_exporter *x, const sn_part *part, uint8_t *record);
sn_vec2 level5_place_uv(const level5_exporter *x, const sn_part *part, sn_vec2 uv);
int32_t level5_uv_set(const level5_exporter *x, const sn_part *part);
// DC1 does not repeat textures: counts parts whose texture should repeat and whose coordinates need it.
void level5_check_wraps(level5_exporter *x, const sn_part *part, const sn_vec2 *uvs, uint32_t count);
void level5_report_materials(const level5_exporter *x);  // what was lost

// --- level5_export_clips.c ---
bool level5_has_track(const level5_exporter *x, sn_target kind, int32_t target, int32_t sub, sn_channel channel);
bool level5_export_timelines(level5_exporter *x);

// The format's descriptor: what it holds, and saving a model that fits.
void level5_fit(sni_save *save, const sn_model *model, sni_holds *holds);
bool level5_save(sni_save *save, const sn_model *model);
bool level5_keeps(const void *document, const char *ending);

#endif
