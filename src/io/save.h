// What one save shares: scratch memory, the diagnostics (warnings are losses), the options, the way out.
#ifndef SNI_SAVE_H
#define SNI_SAVE_H

#include "base/map.h"
#include "io/transaction.h"

// Of a clip that was sampled at a fixed rate.
typedef struct sni_clip_frames {
    uint32_t rate, count;
    const bool *const *jumps;  // per node, then frame: the frame before holds until this one; NULL: nowhere
} sni_clip_frames;

// A track that was exported with other keys: sampled, or moved to times that the format has.
typedef struct sni_changed_track {
    uint32_t clip;
    bool moves_node;  // a track of the fitted model, for translation, rotation or scale
    sn_track before, after;
} sni_changed_track;

typedef struct sni_save {
    sni_diag diag;
    sni_heap heap;
    sni_arena scratch;
    const sn_save_opts *opts;  // may be NULL
    const sn_model *source;    // before it was fitted, with the same parts and, as far as they existed, nodes
    const char *path;
    sni_transaction files;               // what was emitted to disk
    sni_list written;                    // private
    sni_owned *memory;                   // of sn_save_memory: takes the one file instead; else NULL
    sni_bytes emitted;                   // in it
    uint64_t keys_left;                  // that fitting tracks may still add
    const sn_bounds *clip_bounds;        // of the rest pose; then of each clip, for formats that store them
    const sn_bounds *part_bounds;        // the same of each part: part_count for the rest pose, then for each clip
    const sni_clip_frames *clip_frames;  // per clip, for formats with a value per frame
    sni_list changed_tracks;             // sni_changed_track, from the export: the posed error is reported after it
} sni_save;

// Pictures come packed and are written from pixels: the default ceiling rises with what they take meanwhile.
void sni_save_count_pixels(sni_save *save, const sn_pixels *pixels);

void sni_save_init(sni_save *save, const char *path, uint64_t memory_limit, const sn_save_opts *opts);
void sni_save_free(sni_save *save);

bool sni_save_has_ending(const sni_save *save, const char *ending);  // "glb", whatever the case
const char *sni_save_name(sni_save *save, const char *ending);       // the path's last name, with another ending

// One file of the output, beside the path by its name. Files appear together, at sni_save_end.
bool sni_save_emit(sni_save *save, const char *name, const void *data, size_t size);
bool sni_save_end(sni_save *save, bool is_saved);

// For a file that the path's own refers to, before it is emitted: the path's name with that ending unless such a file
// exists with other contents, else one with a hash in it. `is_there`: it exists and needs no emitting. NULL: failed.
const char *sni_save_choose_name(sni_save *save, const char *ending, const void *data, size_t size, bool *is_there);

// Writes an encoded image beside the path: "model.stone.tga", or "stone.tga" where is_short; `used` are the names so
// far. The ending is that of its type: BLP, DDS or TGA; NULL: another. Returns the file's name, NULL after a failure.
void sni_save_image_name(const sn_image *image, uint32_t index, char out[48]);  // letters, digits, '_' and '-'
const char *sni_save_image_ending(const sn_image *image);
const char *sni_save_emit_image(sni_save *save, sni_nocase_names *used, const sn_image *image, uint32_t index,
                                bool is_short);

// A file of that name is the path's own, which refers to it by `reference`: see sni_transaction_own. Without data it is
// one that exists.
bool sni_save_own(sni_save *save, const char *name, const char *reference, const void *data, size_t size);

// A loss of the whole model, LOST_CONTENT. `part` names what it is of.
static inline void sni_save_lose(sni_save *save, const char *part, uint64_t count, const char *text)
{
    sni_enter(&save->diag, part, -1);
    sni_warn_many(&save->diag, SNI_WARN_LOST_CONTENT, count, 0, "%s", text);
    sni_leave(&save->diag);
}

// The same for what a repair did to follow the rules of a game, REPAIRED.
static inline void sni_save_report_repair(sni_save *save, const char *part, uint64_t count, const char *text)
{
    sni_enter(&save->diag, part, -1);
    sni_warn_many(&save->diag, SNI_WARN_REPAIRED, count, 0, "%s", text);
    sni_leave(&save->diag);
}

static inline bool sni_save_is_to_disk(const sni_save *save)
{
    return !save->memory && !(save->opts && save->opts->write);
}

static inline bool sni_save_ok(const sni_save *save) { return !sni_failed(&save->diag); }

#endif
