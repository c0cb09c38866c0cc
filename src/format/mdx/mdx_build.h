// Document to model. Each mdx_build_* step adds its elements to the sni_builder and binds the curves that animate them;
// mdx_build_clips cuts the curves into one set of tracks per sequence.
#ifndef MDX_BUILD_H
#define MDX_BUILD_H

#include "format/mdx/mdx_doc.h"
#include "model/builder.h"

// An object of the file and the node it becomes. Sorted by id: in files that count from 0, a node's index is its id.
typedef struct mdx_node_source {
    const mdx_kind *kind;
    const mdx_object *object;
    int64_t id;       // -1: none
    uint32_t order;   // among all objects, in file order
    uint32_t number;  // among those of its kind
    int32_t node;     // index in the model
} mdx_node_source;

// A decoded track: keys sorted by time, values in the model's conventions. Of several keys at one time the first and
// the last remain, which makes a jump. `first`, `count` and `clip_times` are the slice of the clip being built.
typedef struct mdx_curve {
    uint8_t interpolation;  // sn_interpolation
    uint32_t width, key_count;
    int32_t *times;  // milliseconds on the file's timeline
    float *values;   // as in sn_track
    bool is_global;  // on the clock of a global sequence
    float period;    // of that sequence, in seconds; 0: none
    uint32_t clip;   // number of the clip that the slice belongs to
    uint32_t first, count;
    const float *clip_times;
} mdx_curve;

typedef struct mdx_binding mdx_binding;

typedef struct mdx_builder {
    sni_load *load;
    const mdx_doc *doc;
    sni_builder core;  // the elements so far
    const char *name;  // of the model
    uint32_t lod_count;
    mdx_node_source *sources;
    uint32_t source_count;
    uint32_t id_count;        // sources with an id: the first ones
    sn_vec3 *rest_positions;  // of each node, in model space
    int32_t geoset_node;      // owns all parts, and moves vertices that no bone moves; -1: no geosets
    int32_t *camera_nodes;
    sni_list bindings;       // mdx_binding
    uint8_t wrap;            // sn_track_wrap of all tracks
    uint32_t global_tracks;  // in extras of nodes and layers
    uint64_t bad_globals;    // tracks whose global sequence does not exist
} mdx_builder;

typedef struct mdx_clip_builder {
    mdx_builder *builder;
    uint32_t number;     // from 1
    int64_t start, end;  // milliseconds
    float duration;
    sni_list tracks;  // sn_track
} mdx_clip_builder;

// An animated channel of the model. `add_tracks` adds its tracks to the clip being built.
struct mdx_binding {
    void (*add_tracks)(mdx_clip_builder *clip, const mdx_binding *binding);
    mdx_curve *curve;
    void *data;  // for channels that are computed from several curves
    uint8_t target_kind, channel;
    int32_t target, sub;
    bool has_default;
    float default_value[3];  // in clips without keys
};

// The steps, in the order they run.
bool mdx_build_nodes(mdx_builder *b);
bool mdx_build_materials(mdx_builder *b);  // images, materials, texture animations
bool mdx_build_geosets(mdx_builder *b);    // meshes, the skin, parts, geoset animations
bool mdx_build_lights(mdx_builder *b);
bool mdx_build_cameras(mdx_builder *b);
bool mdx_build_clips(mdx_builder *b);
bool mdx_build_events(mdx_builder *b);
bool mdx_build_shapes(mdx_builder *b);
bool mdx_build_attachments(mdx_builder *b);

// mdx_build_nodes.c
uint32_t mdx_find_source(const mdx_builder *b, int64_t id);  // the first with at least that id, or id_count
const char *mdx_clean_text(mdx_builder *b, sni_str text, uint64_t offset);  // up to its NUL, valid UTF-8, kept

// mdx_build_clips.c: curves. NULL: no keys, or the load has failed.
const mdx_track *mdx_find_track(const mdx_tracks *tracks, uint32_t tag);  // the last with keys
mdx_curve *mdx_decode_track(mdx_builder *b, const mdx_track *track);
mdx_curve *mdx_find_curve(mdx_builder *b, const mdx_tracks *tracks, uint32_t tag);
uint32_t mdx_values_per_key(const mdx_curve *curve);                      // 3 with tangents: in, value, out
void mdx_curve_add(mdx_curve *curve, const float *offset);                // to all values
void mdx_curve_set_width(mdx_curve *curve, uint32_t width);               // drops the last components
bool mdx_curve_repeat(mdx_builder *b, mdx_curve *curve, uint32_t width);  // one component becomes several equal ones

// Bindings. NULL for a NULL curve, or when the load has failed; mdx_bind_default ignores a NULL binding.
mdx_binding *mdx_bind(mdx_builder *b, mdx_curve *curve, sn_target kind, int32_t target, int32_t sub,
                      sn_channel channel);
void mdx_bind_default(mdx_binding *binding, const float *value, const float *rest);  // none when both are equal

// While a clip is built.
sn_track mdx_slice_curve(mdx_clip_builder *clip, mdx_curve *curve);  // without target; no keys when none are inside
sn_track mdx_constant_track(mdx_builder *b, uint32_t width, const float *value);
void mdx_push_track(mdx_clip_builder *clip, const mdx_binding *binding, sn_channel channel, const sn_track *track);

// Resampling, for tracks that depend on several curves: keys at all key times of these, and between them.
typedef struct mdx_resample {
    const sn_track *tracks;  // slices
    uint32_t track_count;
    float *times;  // 0 to the end
    uint32_t key_count;
    float period;  // common to all tracks; 0: the clip's time
} mdx_resample;

bool mdx_resample_begin(mdx_clip_builder *clip, mdx_resample *resample);
void mdx_resample_at(const mdx_clip_builder *clip, const sn_track *track, float time, float *out);  // if it has keys
sn_track mdx_resampled_track(const mdx_resample *resample, uint32_t width, const float *values);

sn_trs mdx_camera_rest(const mdx_camera *camera);

// mdx_build_extras.c: JSON text in the model's arena, NULL when there is nothing to store.
const char *mdx_node_extras(mdx_builder *b, const mdx_node_source *source);
const char *mdx_model_extras(mdx_builder *b);
const char *mdx_sequence_extras(mdx_builder *b, const mdx_sequence *sequence);
const char *mdx_material_extras(mdx_builder *b, const mdx_material *material);
const char *mdx_geoset_extras(mdx_builder *b, const mdx_geoset *geoset, const mdx_geoset_anim *anim);
const char *mdx_camera_extras(mdx_builder *b, const mdx_camera *camera);

#endif
