#include "convert/fit.h"

#include <string.h>

#include "convert/images.h"
#include "convert/influences.h"
#include "convert/normals.h"
#include "convert/reduce.h"
#include "convert/resample.h"
#include "convert/tangents.h"

// Linear rotations also lie in one hemisphere, for players that forget the shorter arc.
static bool fit_track(sni_save *save, const sn_clip *clip, const sn_track *in, sn_track *out, uint64_t *inexact)
{
    bool is_exact = true;
    if (!sni_fit_track(&save->scratch, in, clip->duration, 0.0, out, &is_exact)) return false;
    *inexact += is_exact ? 0 : 1;
    return out->channel != SN_CHANNEL_ROTATION || sni_align_rotations(&save->scratch, out, out);
}

// A glTF clip is as long as its last key: where all tracks end sooner, one is held until the clip's end.
static bool keep_duration(sni_save *save, const sn_clip *clip, sn_track *tracks)
{
    int32_t longest = -1;
    float last = 0.0f;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        float end = tracks[i].times[tracks[i].key_count - 1];
        bool is_paired = tracks[i].channel == SN_CHANNEL_COLOR || tracks[i].channel == SN_CHANNEL_ALPHA;   // must keep step
        if (is_paired || (longest >= 0 && end <= last)) continue;
        longest = (int32_t)i;
        last = end;
    }
    if (longest < 0 || last >= clip->duration) return true;
    return sni_hold_until(&save->scratch, &tracks[longest], clip->duration, &tracks[longest]);
}

static bool fit_clips(sni_save *save, const sn_model *model, sn_model *fitted)
{
    sn_clip *clips = sni_new(&save->scratch, sn_clip, model->clip_count);
    if (!clips) return false;
    for (uint32_t i = 0; i < model->clip_count; i++) {
        const sn_clip *clip = &model->clips[i];
        sn_track *tracks = sni_new(&save->scratch, sn_track, clip->track_count);
        uint64_t inexact = 0;
        if (!tracks) return false;
        for (uint32_t t = 0; t < clip->track_count; t++) {
            if (!fit_track(save, clip, &clip->tracks[t], &tracks[t], &inexact)) return false;
        }
        if (!keep_duration(save, clip, tracks)) return false;
        clips[i] = *clip;
        clips[i].tracks = tracks;
        sni_enter_named(&save->diag, "clips", i, clip->name);
        sni_warn_many(&save->diag, SNI_WARN_RESAMPLED, inexact, 0, "tracks were sampled to 0.001 rad");
        sni_leave(&save->diag);
    }
    fitted->clips = clips;
    return true;
}

bool sni_make_wanted_tangents(sni_arena *arena, const sn_model *model, sn_mesh *meshes)
{
    if (model->mesh_count > 0) memcpy(meshes, model->meshes, model->mesh_count * sizeof *meshes);
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_part *part = &model->parts[i];
        sn_mesh *mesh = &meshes[part->mesh];
        if (part->material < 0 || model->materials[part->material].layer_count == 0) continue;
        const sn_texture *map = &model->materials[part->material].layers[0].maps[SN_MAP_NORMAL];
        bool has_set = (uint32_t)map->uv_set < mesh->uv_count && mesh->uvs[map->uv_set];
        if (map->image < 0 || !has_set || (mesh->normals && mesh->tangents)) continue;
        if (!mesh->normals && !sni_make_flat_normals(arena, mesh, mesh)) return false;
        if (!sni_make_tangents(arena, mesh, (uint32_t)map->uv_set, mesh)) return false;
    }
    return true;
}

static bool reduce_influences(sni_save *save, uint32_t index, uint32_t most, sn_mesh *mesh)
{
    uint32_t count = sni_count_influences(mesh);
    if (count <= most) return true;
    sni_enter_named(&save->diag, "meshes", index, mesh->name);
    sni_warn(&save->diag, SNI_WARN_LOST_CONTENT, 0, "%u influences of a vertex became %u", count, most);
    sni_leave(&save->diag);
    return sni_reduce_influences(&save->scratch, mesh, most, mesh);
}

static bool fit_meshes(sni_save *save, const sn_model *model, sn_model *fitted)
{
    uint32_t most = save->opts ? save->opts->max_influences : 0;
    sn_mesh *meshes = sni_new_raw(&save->scratch, sn_mesh, model->mesh_count);
    if (!meshes || !sni_make_wanted_tangents(&save->scratch, model, meshes)) return false;
    for (uint32_t i = 0; most > 0 && i < model->mesh_count; i++) {
        if (!reduce_influences(save, i, most, &meshes[i])) return false;
    }
    fitted->meshes = meshes;
    return true;
}

bool sni_fit_model(sni_save *save, const sn_model *model, sn_model *fitted)
{
    *fitted = *model;
    return fit_meshes(save, model, fitted) && fit_clips(save, model, fitted) && sni_fit_images(save, model, fitted) &&
           sni_save_ok(save);
}
