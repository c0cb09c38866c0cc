// Model to document: the opposite of mdx_build.h. The model was fitted: nodes rest at their pivots, one skin binds all
// parts (see convert/bind_pose.h).
#ifndef MDX_EXPORT_H
#define MDX_EXPORT_H

#include "base/mime.h"
#include "format/format.h"
#include "format/mdx/mdx_doc.h"
#include "model/track_index.h"

// Where a clip lies on the file's timeline, in milliseconds.
typedef struct mdx_interval {
    int32_t start, end;
} mdx_interval;

typedef struct mdx_exporter {
    sni_save *save;
    sni_arena *arena;  // of the save
    const sn_model *model;
    mdx_doc *doc;
    mdx_interval *intervals;  // per clip
    bool keeps_timeline;      // the intervals are those of the file that the model came from
    sni_track_index found;    // all tracks
    sni_list periods;         // of global sequences, in milliseconds: uint32_t
    int32_t *bone_ids;        // per joint of the skin
    int32_t *object_ids;      // per node; -1: not an object
    bool has_skins;           // four weights per vertex
    uint32_t plain_material;  // of parts without one
    double corner_errors[2];  // how far a track may be from its keys: lengths, rotations
    uint64_t inexact;         // tracks that were sampled or moved to whole milliseconds
    uint64_t lost_images, lost_uvs, lost_blends, lost_maps, lost_colors;
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
} mdx_source;

// Adds a track to `tracks` where the channel is animated. False only when memory ran out.
bool mdx_export_track(mdx_exporter *x, const mdx_source *source, uint32_t tag, sni_list *tracks);

// The same from tracks made by the caller, one per clip; key_count 0: none.
bool mdx_export_made_track(mdx_exporter *x, const sn_track *clips, uint32_t tag, const float *subtract,
                           sni_list *tracks);
const sn_track *mdx_find_clip_track(const mdx_exporter *x, uint32_t clip, sn_target kind, int32_t target, int32_t sub,
                                    sn_channel channel);
mdx_tracks mdx_tracks_of(const sni_list *tracks);
int32_t mdx_global_sequence(mdx_exporter *x, float period);  // of that length; -1: out of memory
mdx_extent mdx_extent_of(const sn_bounds *bounds);

bool mdx_export_nodes(mdx_exporter *x);    // objects, pivots, the bind pose
bool mdx_export_geosets(mdx_exporter *x);  // and geoset animations
bool mdx_export_geoset_anim(mdx_exporter *x, int32_t part, int32_t geoset);
bool mdx_export_materials(mdx_exporter *x);  // textures, materials, texture animations

sni_str mdx_name_text(mdx_exporter *x, const char *text, size_t most);  // cut at a letter; reports it

// The format's descriptor: what it holds, and saving a model that fits.
void mdx_fit(sni_save *save, const sn_model *model, sni_holds *holds);
bool mdx_save(sni_save *save, const sn_model *model);

#endif
