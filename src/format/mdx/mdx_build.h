// The parts of mdx_build: each fills its arrays of the model and tells which tracks drive them.
#ifndef MDX_BUILD_H
#define MDX_BUILD_H

#include "base/json.h"
#include "format/mdx/mdx_doc.h"
#include "model/builder.h"
#include "model/extras.h"

#define mdx_items(type, list) ((const type *)(list).items)

// An object of the file on its way to a node. Sorted by id, so that a node's number is its id in files that count from
// 0.
typedef struct mdx_source {
    const mdx_kind *kind;
    const mdx_object *object;
    int64_t id;       // -1: it has none, and no other object can name it
    uint32_t order;   // among all objects, as the file has them
    uint32_t number;  // among those of its kind
    int32_t node;     // of the model
} mdx_source;

// The keys of a track as numbers of the model, sorted by time; of several at one time the first and the last, which
// are a jump. What lies in the clip that is being built is a slice of them.
typedef struct mdx_curve {
    uint8_t interpolation;  // sn_interpolation
    uint32_t width, key_count;
    int32_t *times;  // milliseconds on the file's timeline
    float *values;   // as in sn_track
    float period;    // seconds; 0: the keys lie in sequences
    bool is_global;
    uint32_t clip, first, count;  // the clip that the slice is of, from 1 on
    const float *clip_times;
} mdx_curve;

typedef struct mdx_clips mdx_clips;
typedef struct mdx_drive mdx_drive;

// Something that a track moves. `emit` adds its tracks to the clip that is being built.
struct mdx_drive {
    void (*emit)(mdx_clips *clips, const mdx_drive *drive);
    mdx_curve *curve;
    void *baked;  // for emitters that make tracks of several curves
    uint8_t target_kind, channel;
    int32_t target, sub;
    const float *fallback;  // where no key lies in the clip; NULL: what the model has at rest
};

struct mdx_clips {
    struct mdx_builder *builder;
    uint32_t number;     // from 1 on
    int64_t start, end;  // milliseconds
    float duration;
    sni_list tracks;  // of the clip
};

typedef struct mdx_builder {
    sni_load *load;
    const mdx_doc *doc;
    sn_model *model;
    mdx_source *sources;
    uint32_t source_count;
    uint32_t id_count;  // sources that have an id: the first ones
    sn_node *nodes;     // the model's
    sn_vec3 *places;    // of each node: where it stands at rest
    int32_t carrier;    // the node that shows all parts, and holds vertices that no bone moves
    int32_t *camera_nodes;
    const uint8_t **image_bytes;  // of each image: the file's bytes that it was copied from
    struct mdx_uv *uvs;           // of each texture animation
    int32_t *geoset_anims;        // of each geoset: the last that names it, or -1
    sni_list drives;              // of mdx_drive
    uint8_t wrap;                 // sn_track_wrap of all tracks
    const float *zero, *one;      // in the model: the time of tracks that stand still; what is wholly there
    uint64_t bad_globals;         // tracks that name a global sequence which is not there
} mdx_builder;

// Text of the file up to its NUL, clean, in the model's arena.
const char *mdx_text(mdx_builder *b, sni_str text, uint64_t offset);
sni_str mdx_cut(sni_str text);                                            // up to the NUL, as it stands
sn_vec3 mdx_vec3_at(mdx_array array, uint32_t index);                     // of three floats each
const mdx_track *mdx_find_owned(const mdx_tracks *tracks, uint32_t tag);  // the last with keys, or NULL

// Nodes; a node by the id that the file gives it, or -1.
bool mdx_build_nodes(mdx_builder *b);
int32_t mdx_find_node(const mdx_builder *b, int64_t id);
sn_trs mdx_camera_rest(const mdx_camera *camera);

bool mdx_build_geosets(mdx_builder *b);       // meshes, the skin, parts
bool mdx_build_geoset_anims(mdx_builder *b);  // what moves colour and alpha of parts
bool mdx_build_influences(mdx_builder *b, const mdx_geoset *geoset, const int32_t *joint_of, uint32_t no_joint,
                          sn_mesh *mesh);
void mdx_mark_joints(const mdx_builder *b, const mdx_geoset *geoset,
                     int32_t *joint_of);  // what moves it; the carrier, for what nothing does
bool mdx_build_looks(mdx_builder *b);     // images, materials
bool mdx_build_image(mdx_builder *b, const mdx_texture *texture, uint32_t index, sn_image *image);
bool mdx_build_uvs(mdx_builder *b);  // texture animations
bool mdx_drive_uvs(mdx_builder *b, int32_t anim, int32_t material, int32_t layer);
bool mdx_build_carried(mdx_builder *b);  // lights, cameras
bool mdx_build_clips(mdx_builder *b);

// Tracks. NULL: no keys, or the load has failed.
mdx_curve *mdx_decode_track(mdx_builder *b, const mdx_track *track);
void mdx_curve_move(mdx_curve *curve, const float *by);   // adds to all values
void mdx_curve_narrow(mdx_curve *curve, uint32_t width);  // keeps the first numbers of each value
bool mdx_curve_spread(mdx_builder *b, mdx_curve *curve, uint32_t width, float factor);  // one number becomes several
mdx_drive *mdx_add_drive(mdx_builder *b, mdx_curve *curve, sn_target kind, int32_t target, sn_channel channel);
bool mdx_drive_fallback(mdx_builder *b, mdx_drive *drive, const float *fallback, const float *rest, uint32_t width);

// While a clip is built: the curve's slice, as a track that aims nowhere yet; without keys where it has none.
sn_track mdx_clip_slice(mdx_clips *clips, mdx_curve *curve);
void mdx_clip_push(mdx_clips *clips, const mdx_drive *drive, const sn_track *track);
sn_track mdx_constant(const mdx_builder *b, uint32_t width, const float *value);

// Tracks of several curves together have keys where any of them has one, and some between.
typedef struct mdx_bake {
    const sn_track *tracks;  // slices; those without keys are left out
    uint32_t count;          // of tracks
    float *times;            // the keys, from 0 to the end
    uint32_t key_count;
    float period;  // that all of them have; 0: the clip's time
} mdx_bake;
bool mdx_bake_times(mdx_clips *clips, mdx_bake *bake);
void mdx_bake_sample(const mdx_clips *clips, const sn_track *track, float time,
                     float *out);  // leaves out alone without keys
sn_track mdx_baked(const mdx_bake *bake, sn_channel channel, uint32_t width, const float *values);

// Extras: JSON text in the model's arena, NULL where there is nothing to say.
const char *mdx_node_extras(mdx_builder *b, const mdx_source *source);
const char *mdx_model_extras(mdx_builder *b);
const char *mdx_sequence_extras(mdx_builder *b, const mdx_sequence *sequence);
const char *mdx_material_extras(mdx_builder *b, const mdx_material *material);
const char *mdx_geoset_extras(mdx_builder *b, const mdx_geoset *geoset, const mdx_geoset_anim *anim);
const char *mdx_camera_extras(mdx_builder *b, const mdx_camera *camera);

#endif
