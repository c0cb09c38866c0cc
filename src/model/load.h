// The builder of a format: it uses the arenas and diagnostics of its load, and copies arrays in files before it
// changes them.
#ifndef SNI_MODEL_LOAD_H
#define SNI_MODEL_LOAD_H

#include "io/load.h"
#include "model/builder.h"

static inline void *sni_load_own_array(void *load, const void *items, size_t size, uint64_t count)
{
    return sni_load_own(load, items, size, count);
}

static inline sni_builder sni_builder_of_load(sni_load *load)
{
    return (sni_builder){
        .diag = &load->diag, .keep = &load->keep, .scratch = &load->scratch, .own = sni_load_own_array, .own_user = load
    };
}

#endif
