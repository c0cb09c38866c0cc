// The names that formats still use, for what takes an sni_builder. Goes when they fill one themselves.
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

struct sni_sanitize;
void sni_sanitize_report(sni_load *load, const struct sni_sanitize *fixes, uint64_t offset);
bool sni_finish_mesh(sni_load *load, sn_mesh *mesh, uint32_t joint_count, uint64_t offset);
bool sni_finish_keys(sni_load *load, sn_track *track, uint64_t offset);
bool sni_finish_nodes(sni_load *load, sn_model *model);
bool sni_model_finish(sni_load *load, sn_model *model);

#endif
