// Model to document: the opposite of mdx_build.h. The model was fitted: nodes rest at their pivots, one skin binds all
// parts (see convert/bind_pose.h).
#ifndef MDX_EXPORT_H
#define MDX_EXPORT_H

#include "base/json.h"
#include "base/map.h"
#include "base/mime.h"
#include "format/format.h"
#include "format/mdx/mdx_doc.h"
#include "model/track_index.h"

// Where a clip lies on the file's timeline, in milliseconds.
typedef struct mdx_interval {
    int32_t start, end;
} mdx_interval;

// Where a clip was on the timeline of the file that it came from.
typedef struct mdx_old_interval {
    mdx_interval at;
    uint32_t clip;
} mdx_old_interval;

// All clips lie on one timeline.
typedef struct mdx_timeline {
    mdx_interval *intervals;  // per clip
    bool is_kept;             // they are those of the file that the model came from
    mdx_old_interval *old;    // the intervals of that file, sorted
    uint32_t old_count;
    uint64_t lost_keys;  // of emitters and events, outside all old intervals
} mdx_timeline;

// Global sequences: clocks of their own.
typedef struct mdx_globals {
    sni_list periods;  // in milliseconds: uint32_t
    sni_map by_period;
    sni_list old_periods;  // of the file that the model came from, in milliseconds: float
    int64_t old_tracks;    // of that file's global sequences
    int64_t found_tracks;  // of those: restored, or changed meanwhile
    uint64_t lost_tracks;  // changed ones, which became keys of clips
} mdx_globals;

// What a node of the model is in the file.
typedef struct mdx_out_node {
    int32_t object;    // its id; -1: not an object
    int32_t shown_by;  // it or the nearest above it with a track of visibility; -1: none
    bool is_hidden;    // it or a node above it rests hidden
    bool is_shown;     // it rested shown before it went through glTF
} mdx_out_node;

typedef struct mdx_exporter {
    sni_save *save;
    sni_arena *arena;  // of the save
    const sn_model *model;
    mdx_doc *doc;
    bool is_own;            // the model came from Warcraft III, perhaps by way of glTF
    sni_track_index found;  // all tracks
    mdx_timeline timeline;
    mdx_globals globals;
    mdx_out_node *nodes;             // per node of the model
    sni_map texture_map;             // of the document's textures
    sni_list key_times, key_values;  // of the track being written; reused, to save memory: int32_t, float
    uint64_t lost_switches;          // clips of parts that more nodes hide than are looked at
} mdx_exporter;

// mdx_export_tracks.c
bool mdx_export_timeline(mdx_exporter *x);  // intervals, sequences, and the index of tracks

// What drives a track of the file: a channel of the model, in all clips.
typedef struct mdx_source {
    sn_target kind;
    int32_t target, sub;
    sn_channel channel;
    const float *subtract;  // from each value; NULL: nothing
    const float *rest;      // what a clip without keys shows; NULL: what the file shows without keys
    const float *idle;      // what the file shows without a track: one of nothing else is left out; NULL: it is kept
    const char *stored;     // extras with tracks of global sequences; may be NULL
} mdx_source;

// Adds a track to `tracks` where the channel is animated. False only when memory ran out.
bool mdx_export_track(mdx_exporter *x, const mdx_source *source, uint32_t tag, sni_list *tracks);

// The same from a list of tracks that the caller made, with rising clips; clips without one have no keys.
bool mdx_add_clip_track(mdx_exporter *x, uint32_t clip, const sn_track *track, sni_list *made);
bool mdx_export_clip_tracks(mdx_exporter *x, const sni_list *made, const float *subtract, uint32_t tag,
                            sni_list *tracks);

// The tracks of all clips that drive a channel, by clip.
const sni_found_track *mdx_find_tracks(const mdx_exporter *x, sn_target kind, int32_t target, int32_t sub,
                                       sn_channel channel, uint32_t *count);
const sn_track *mdx_find_clip_track(const mdx_exporter *x, uint32_t clip, sn_target kind, int32_t target, int32_t sub,
                                    sn_channel channel);
mdx_tracks mdx_tracks_of(const sni_list *tracks);

// A track as extras have it, with times on the old timeline.
typedef struct mdx_stored_curve {
    sn_interpolation interpolation;  // step, linear, Hermite or Bezier
    int64_t old_global;              // number of its global sequence in the old file; -1: none
    sni_list times;                  // int32_t
    sni_list values;                 // float: in, value, out, or the value
} mdx_stored_curve;
// Adds it to `tracks`, on the new timeline, without the keys outside all clips. Overwrites the curve.
bool mdx_store_curve(mdx_exporter *x, mdx_stored_curve *curve, uint32_t tag, int32_t global, sni_list *tracks);
bool mdx_map_time(mdx_timeline *timeline, int32_t old, int32_t *time);  // false: outside all clips, a lost key
int32_t mdx_global_sequence(mdx_exporter *x, float period);             // of that length; -1: out of memory
mdx_extent mdx_extent_of(const sn_bounds *bounds);

bool mdx_export_nodes(mdx_exporter *x);    // objects, pivots, the bind pose
bool mdx_export_geosets(mdx_exporter *x);  // and geoset animations
// Textures, materials, texture animations. Parts without a material have the one after those of the model.
bool mdx_export_materials(mdx_exporter *x);
bool mdx_add_texture(mdx_exporter *x, sni_str path, uint32_t replaceable, uint32_t flags, int32_t *index);

// mdx_export.c: extras
typedef struct mdx_extras {
    sni_diag diag;
    sni_json json;
} mdx_extras;
bool mdx_open_extras(mdx_exporter *x, const char *extras, mdx_extras *out);  // enters the object; false: none
bool mdx_read_settings(mdx_exporter *x, const char *extras, const mdx_flag_name *names, uint32_t *flags,
                       const char *number, int32_t *value);
// Fills the fields of an element that a node was, as far as extras have them; adds its tracks and flags of the node.
bool mdx_read_element(mdx_exporter *x, const char *extras, const mdx_kind *kind, mdx_object *element, sni_list *tracks,
                      uint32_t *flags);

sni_str mdx_name_text(mdx_exporter *x, const char *text, size_t most);  // cut at a letter; reports it

// A track of a global sequence that another format repeated in each clip, from extras (MDX_GLOBAL_TRACKS). *is_restored
// is false where there is none, or where a clip shows something else by now.
bool mdx_restore_global(mdx_exporter *x, const mdx_source *source, uint32_t tag, sni_list *tracks, bool *is_restored);
bool mdx_read_texture(mdx_exporter *x, sni_json *json, int32_t *index);
bool mdx_read_curve(mdx_exporter *x, sni_json *json, uint32_t tag, sni_list *tracks);

// The format's descriptor: what it holds, and saving a model that fits.
void mdx_fit(sni_save *save, const sn_model *model, sni_holds *holds);
bool mdx_save(sni_save *save, const sn_model *model);

#endif
