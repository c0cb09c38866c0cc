#include "convert/fit.h"

#include <string.h>

#include "convert/bind_pose.h"
#include "convert/images.h"
#include "convert/influences.h"
#include "convert/inheritance.h"
#include "convert/layers.h"
#include "convert/normals.h"
#include "convert/part_colors.h"
#include "convert/rest_visibility.h"
#include "convert/tangents.h"
#include "convert/weight_groups.h"
#include "model/extensions.h"
#include "model/track.h"

// Linear rotations are kept in one hemisphere, for players that ignore the shorter arc.
static bool fit_track(sni_save *save, const sn_clip *clip, const sn_track *in, sn_track *out, uint64_t *inexact)
{
    bool is_exact = true;
    if (!sni_track_fit(&save->scratch, in, clip->duration, 0.0, &save->keys_left, out, &is_exact)) return false;
    *inexact += is_exact ? 0 : 1;
    return out->channel != SN_CHANNEL_ROTATION || sni_track_align_rotations(&save->scratch, out, out);
}

static bool is_paired(const sn_track *track)
{
    return track->channel == SN_CHANNEL_COLOR || track->channel == SN_CHANNEL_ALPHA;
}

static float end_of(const sn_track *track) { return track->times[track->key_count - 1]; }

// The track that ends last; colour and alpha tracks only when there is no other: both must keep the same keys.
static int32_t longest_of(const sn_track *tracks, uint32_t count)
{
    int32_t longest = -1;
    for (uint32_t i = 0; i < count; i++) {
        const sn_track *best = longest >= 0 ? &tracks[longest] : NULL;
        if (best && is_paired(&tracks[i]) && !is_paired(best)) continue;
        bool is_better = !best || (is_paired(best) && !is_paired(&tracks[i])) || end_of(&tracks[i]) > end_of(best);
        if (is_better) longest = (int32_t)i;
    }
    return longest;
}

// A glTF clip is as long as its last key: where all tracks end sooner, one is held until the clip's end.
static bool keep_duration(sni_save *save, sn_clip *clip)
{
    int32_t longest = longest_of(clip->tracks, clip->track_count);
    if (longest < 0 || end_of(&clip->tracks[longest]) >= clip->duration) return true;
    sn_track *tracks = sni_new_raw(&save->scratch, sn_track, clip->track_count);
    if (!tracks) return false;
    memcpy(tracks, clip->tracks, clip->track_count * sizeof *tracks);
    clip->tracks = tracks;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        bool is_twin = is_paired(&tracks[longest]) && is_paired(&tracks[i]) &&
                       tracks[i].target_kind == tracks[longest].target_kind &&
                       tracks[i].target == tracks[longest].target;
        if ((is_twin || (int32_t)i == longest) &&
            !sni_track_hold_until(&save->scratch, &tracks[i], clip->duration, &tracks[i]))
            return false;
    }
    return true;
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
        clips[i] = *clip;
        clips[i].tracks = tracks;
        sni_enter_named(&save->diag, "clips", i, clip->name);
        sni_warn_many(&save->diag, SNI_WARN_RESAMPLED, inexact, 0, "tracks were sampled to 0.001 rad");
        sni_leave(&save->diag);
    }
    if (save->keys_left == 0)
        sni_warn(&save->diag, SNI_WARN_LOST_CONTENT, 0, "the limit of added keys is reached: tracks are less exact");
    fitted->clips = clips;
    return true;
}

// The sets of texture coordinates that a material's tangents can be made from, the best first; -1: none.
typedef struct tangent_sets {
    int32_t sets[4];
} tangent_sets;

static int32_t set_of(const sn_texture *map) { return map->image >= 0 ? map->uv_set : -1; }

// A normal map decides; then textures of extensions that hold directions. Anisotropy needs tangents without a texture,
// too.
static tangent_sets find_tangent_sets(const sn_material *material, sni_arena *scratch)
{
    tangent_sets found = { { -1, -1, -1, -1 } };
    const int directions[] = { SNI_PROPERTY_anisotropyTexture, SNI_PROPERTY_clearcoatNormalTexture };
    if (material->layer_count > 0) found.sets[0] = set_of(&material->layers[0].maps[SN_MAP_NORMAL]);
    if (!material->extensions) return found;
    sni_extensions extensions;
    sni_extensions_read_text(&extensions, material->extensions, scratch);
    for (int i = 0; i < 2; i++) {
        uint32_t map = extensions.has[directions[i]] ? (uint32_t)extensions.values[directions[i]].map : UINT32_MAX;
        if (map < material->extension_map_count) found.sets[1 + i] = set_of(&material->extension_maps[map]);
    }
    if (extensions.present >> SNI_ANISOTROPY & 1) found.sets[3] = 0;
    return found;
}

static int32_t choose_set(const tangent_sets *wanted, const sn_mesh *mesh)
{
    for (int i = 0; i < 4; i++) {
        int32_t set = wanted->sets[i];
        if (set >= 0 && (uint32_t)set < mesh->uv_count && mesh->uvs[set]) return set;
    }
    return -1;
}

bool sni_make_wanted_tangents(sni_arena *arena, const sn_model *model, sn_mesh *meshes)
{
    sni_arena scratch;
    sni_arena_init(&scratch, arena->heap);
    tangent_sets *wanted = sni_new_raw(&scratch, tangent_sets, model->material_count);
    bool is_done = wanted;
    for (uint32_t i = 0; is_done && i < model->material_count; i++)
        wanted[i] = find_tangent_sets(&model->materials[i], &scratch);
    if (model->mesh_count > 0) memcpy(meshes, model->meshes, model->mesh_count * sizeof *meshes);
    for (uint32_t i = 0; is_done && i < model->part_count; i++) {
        const sn_part *part = &model->parts[i];
        sn_mesh *mesh = &meshes[part->mesh];
        int32_t set = part->material >= 0 ? choose_set(&wanted[part->material], mesh) : -1;
        if (set < 0 || (mesh->normals && mesh->tangents)) continue;
        is_done = (mesh->normals || sni_make_flat_normals(arena, mesh, mesh)) &&
                  sni_make_tangents(arena, mesh, (uint32_t)set, mesh);
    }
    sni_arena_free(&scratch);
    return is_done;
}

static uint32_t most_influences(const sni_save *save, const sni_holds *holds)
{
    const uint32_t asked = save->opts ? save->opts->max_influences : 0;
    return holds->influences == 0 || (asked > 0 && asked < holds->influences) ? asked : holds->influences;
}

static bool fit_meshes(sni_save *save, const sni_holds *holds, const sn_model *model, sn_model *fitted)
{
    const uint32_t most = most_influences(save, holds);
    sn_mesh *meshes = sni_new_raw(&save->scratch, sn_mesh, model->mesh_count);
    if (!meshes || !sni_make_wanted_tangents(&save->scratch, model, meshes)) return false;
    fitted->meshes = meshes;
    return sni_limit_influences(&save->scratch, meshes, model->mesh_count, most, &save->diag);
}

static bool keep_durations(sni_save *save, sn_model *fitted)
{
    sn_clip *clips = sni_new_raw(&save->scratch, sn_clip, fitted->clip_count);
    if (!clips) return false;
    for (uint32_t i = 0; i < fitted->clip_count; i++) {
        clips[i] = fitted->clips[i];
        if (!keep_duration(save, &clips[i])) return false;
    }
    fitted->clips = clips;
    return true;
}

// A track of two keys can ask for thousands. All tracks together may add 262,144 and twice their own.
static void allow_keys(sni_save *save, const sn_model *model)
{
    save->keys_left = 1 << 18;
    for (uint32_t i = 0; i < model->clip_count; i++)
        for (uint32_t t = 0; t < model->clips[i].track_count; t++)
            save->keys_left += 2 * (uint64_t)model->clips[i].tracks[t].key_count;
}

// The bounds of the rest pose and of each clip. The model is checked once for all of them.
static bool find_bounds(sni_save *save, const sn_model *model)
{
    sn_bounds *bounds = sni_new(&save->scratch, sn_bounds, (uint64_t)model->clip_count + 1);
    sn_model posed = *model;
    sn_error error;
    if (!bounds) return false;
    const sn_status checked = sn_model_check(model, &error);
    posed.checked = &posed;
    for (uint32_t i = 0; i <= model->clip_count; i++) {
        const sn_status status = checked != SN_OK
                                     ? checked
                                     : sn_model_bounds(&posed, (int32_t)i - 1, &save->heap.allocator, &bounds[i]);
        if (status == SN_ERR_MEMORY) return sni_fail(&save->diag, status, 0, "out of memory");
        if (status != SN_OK)
            return sni_fail(&save->diag, SN_ERR_UNSUPPORTED, 0, "the model is too large for the format");
    }
    save->clip_bounds = bounds;
    return true;
}

// For formats of games: layers, flags of nodes and curves stay.
static bool fit_for_game(sni_save *save, const sni_holds *holds, const sn_model *model, sn_model *fitted)
{
    sni_image_set set;
    sn_mesh *meshes = sni_new_raw(&save->scratch, sn_mesh, model->mesh_count);
    *fitted = *model;
    if (!meshes) return false;
    if (model->mesh_count > 0) memcpy(meshes, model->meshes, model->mesh_count * sizeof *meshes);
    if (holds->has_tangents && !sni_make_wanted_tangents(&save->scratch, model, meshes)) return false;
    fitted->meshes = meshes;
    if (!sni_limit_influences(&save->scratch, meshes, model->mesh_count, most_influences(save, holds), &save->diag) ||
        !sni_fit_bind_pose(save, fitted, fitted) || !sni_restore_inheritance(save, fitted, fitted))
        return false;
    if (holds->has_equal_weights && !sni_fit_weight_groups(save, fitted, fitted)) return false;
    return sni_image_set_make(&save->scratch, model->images, model->image_count,
                              save->opts ? save->opts->image_pixels : 0, &set) &&
           sni_fit_images(save, holds->images, &set, fitted, fitted) && find_bounds(save, fitted);
}

// Layers before meshes, which need tangents for the layer that is kept; part colours after tracks are fitted.
bool sni_fit_model(sni_save *save, const sni_holds *holds, const sn_model *model, sn_model *fitted)
{
    sni_texture_baker baker;
    save->source = model;
    allow_keys(save, model);
    if (holds->is_rebound) return fit_for_game(save, holds, model, fitted) && sni_save_ok(save);
    if (!sni_fit_rest_visibility(save, model, fitted)) return false;
    if (!sni_texture_baker_init(&baker, save, model) || !sni_fit_layers(save, &baker, fitted, fitted)) return false;
    if (!fit_meshes(save, holds, fitted, fitted) || !fit_clips(save, fitted, fitted)) return false;
    if (!sni_fit_inheritance(save, fitted, fitted)) return false;
    if (!sni_fit_part_colors(save, &baker, fitted, fitted) || !keep_durations(save, fitted)) return false;
    fitted->images = baker.images.items;
    fitted->image_count = baker.images.count;
    return sni_fit_images(save, NULL, &baker.set, fitted, fitted) && sni_save_ok(save);
}
