// What a format tells the rest of sinew about itself; one line each in registry.c.
#ifndef SNI_FORMAT_H
#define SNI_FORMAT_H

#include "base/writer.h"
#include "io/load.h"
#include "io/save.h"

typedef struct sni_format {
    const char *name;               // "gltf": sn_model.format
    const char *title;              // for people
    const char *extensions;         // "gltf glb": breaks ties between equal scores
    bool has_exact_refs;            // it names other files to the letter; else sni_load_find is for it
    int (*probe)(sni_bytes bytes);  // 0..100 from the first bytes
    bool (*load)(sni_load *load, sni_bytes bytes, sn_model *model);  // parse, build, sni_model_finish
    bool (*save)(sni_save *save, const sn_model *model);             // a fitted model; NULL: not written

    // Formats whose load leaves a document, when it is asked for: as bytes, in the form that an ending of `extensions`
    // names (NULL: the one it came in), and in which part of the file a byte lies, as errors say it: "GEOS[3]/VRTX".
    bool (*write)(sni_save *save, const void *document, const char *ending, sni_writer *out);
    void (*locate)(const void *document, sni_bytes bytes, uint64_t offset, char path[112]);
} sni_format;

extern const sni_format *const sni_formats[];  // NULL-ended

#endif
