// The descriptor of a format; registry.c lists them.
#ifndef SNI_FORMAT_H
#define SNI_FORMAT_H

#include "base/writer.h"
#include "io/load.h"
#include "io/save.h"

// What a format can hold; src/convert brings a model within it. All zero: what glTF holds.
typedef struct sni_holds {
    bool is_rebound;         // nodes rest unrotated at a pivot, Z is up, layers and flags of nodes are kept
    bool is_rigid;           // and rebound: nodes rest rotated, nothing scales, clips have a value per frame
    uint32_t max_rate;       // frames per second where is_rigid
    uint32_t weight_steps;   // weights are multiples of 1 / steps; 0: any
    bool has_all_tangents;   // made for every mesh with texture coordinates
    bool has_equal_weights;  // all bones of a vertex weigh the same
    bool has_tangents;       // made where a normal map needs them
    bool is_linear;          // keys step or are linear, a material has one layer with a colour map, meshes have normals
    uint32_t blends;         // of such layers, besides opaque and alpha: bits of sn_blend
    bool has_billboards;     // nodes that face the viewer, fully or about Y, in models with Y up
    uint32_t influences;     // per vertex; 0: any number
    const char *const *images;  // MIME types, NULL-ended; the first is what others become. NULL: those of glTF
    const char *other_image;    // one more, only where it is asked for (sn_save_opts.textures); may be NULL
    bool has_bc5;               // DDS of normal maps
} sni_holds;

typedef struct sni_format {
    const char *name;        // "gltf": sn_model.format
    const char *title;       // "glTF 2.0"
    const char *extensions;  // "gltf glb": the extension decides between equal scores
    bool has_exact_refs;     // other files by exact path (sni_load_ref); else they are searched (sni_load_find)
    // How sure it is that these are its files, by content: 100 a signature, 70 to 90 a plausible structure, below 50 a
    // guess. `bytes` is the whole file or its beginning.
    int (*probe)(sni_bytes bytes);
    const char *(*ending)(sni_bytes bytes);  // which of `extensions` suit these bytes; NULL: all of them
    bool (*load)(sni_load *load, sni_bytes bytes, sn_model *model);  // parse, build, sni_builder_finish
    bool (*save)(sni_save *save, const sn_model *model);             // exports a fitted model; NULL: not supported
    // What the format holds of this model, with these options; NULL: what glTF holds.
    void (*holds)(sni_save *save, const sn_model *model, sni_holds *holds);

    // For formats that keep a document (model->document). write: its bytes, in the form that `ending` of `extensions`
    // names (NULL: the original form). locate: the part of the file at an offset, as in errors: "GEOS[3]/VRTX".
    bool (*write)(sni_save *save, const void *document, const char *ending, sni_writer *out);
    bool (*keeps)(const void *document, const char *ending);  // whether `write` has all of it; NULL: it does
    void (*locate)(const void *document, sni_bytes bytes, uint64_t offset, char path[112]);

    // For games whose rules the format knows; games: bits of sn_game. check_game warns where the document that `load`
    // stored in load->document breaks them, with a place; repair makes a document that follows those it can follow
    // without loss, and reports what it did (sni_save_report_repair).
    uint32_t games;
    bool has_extents;  // states the bounds of clips: check_game compares them with load->clip_bounds
    bool (*check_game)(sni_load *load, const void *document, sn_game game);
    bool (*repair)(sni_save *save, const void *document, sn_game game, const void **repaired);

    const sni_labeller *part_names;  // names that tie the files of one model together, see sn_part_names; NULL: none
} sni_format;

static inline bool sni_format_has_rules(const sni_format *format, sn_game game)
{
    return (unsigned)game < 32 && format->games >> game & 1;
}

extern const sni_format *const sni_formats[];  // NULL-ended

#endif
