#include "model/builder.h"

const sn_trs sni_trs_identity = { { 0, 0, 0 }, { 0, 0, 0, 1 }, { 1, 1, 1 } };
const sn_mat34 sni_mat34_identity = { { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };

sn_texture sni_texture_none(void) { return (sn_texture){ .image = -1, .strength = 1.0f, .transform.scale = { 1, 1 } }; }

sn_layer sni_layer_default(void)
{
    sn_layer layer = { .color = { 1, 1, 1, 1 }, .roughness = 1.0f };
    for (int map = 0; map < SN_MAP_COUNT; map++) layer.maps[map] = sni_texture_none();
    return layer;
}

static void finish_warnings(sni_load *load, sn_model *model)
{
    sn_warning *warnings = sni_new(&load->keep, sn_warning, load->diag.warning_count);
    if (!warnings) return;
    uint32_t count = 0;
    for (const sni_warning_item *item = load->diag.first; item; item = item->next) warnings[count++] = item->warning;
    model->warnings = warnings;
    model->warning_count = count;
}

bool sni_model_finish(sni_load *load, sn_model *model)
{
    if (!sni_load_ok(load)) return false;
    if (!model->name) model->name = "";
    if (model->lod_count == 0) model->lod_count = 1;
    if (!sni_finish_nodes(load, model) || !sni_finish_parts(load, model) || !sni_finish_clips(load, model))
        return false;
    finish_warnings(load, model);
    return sni_load_ok(load);
}
