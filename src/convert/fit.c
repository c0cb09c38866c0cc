#include "convert/fit.h"

#include <string.h>

#include "convert/bind_pose.h"
#include "convert/bounds.h"
#include "convert/equal_joints.h"
#include "convert/images.h"
#include "convert/influences.h"
#include "convert/inheritance.h"
#include "convert/layers.h"
#include "convert/normals.h"
#include "convert/part_colors.h"
#include "convert/posed_error.h"
#include "convert/rest_visibility.h"
#include "convert/rigid_clips.h"
#include "convert/tangents.h"
#include "convert/weight_groups.h"
#include "model/builder.h"
#include "model/extensions.h"
#include "model/track.h"

// Tracks of a clip that are not exact.
typedef struct fit_counts {
    uint64_t resampled;     // curves of rotations
    uint64_t approximated;  // jumps, loop seams, tangents that are too large
    uint64_t cut;
} fit_counts;

// Linear rotations are kept in one hemisphere, for players that ignore the shorter arc.
static bool fit_track(sni_save *save, const sn_clip *clip, const sn_track *in, double tolerance, sn_track *out,
                      fit_counts *counts)
{
    sni_exactness exactness;
    if (!sni_track_fit(&save->scratch, in, clip->duration, tolerance, &save->keys_left, out, &exactness)) return false;
    if (exactness == SNI_CUT) counts->cut++;
    else if (exactness == SNI_SAMPLED && sni_track_is_rotation(in) && sni_track_has_tangents(in)) counts->resampled++;
    else if (exactness == SNI_SAMPLED) counts->approximated++;
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

static bool fit_clips(sni_save *save, double tolerance, const sn_model *model, sn_model *fitted)
{
    sn_clip *clips = sni_new(&save->scratch, sn_clip, model->clip_count);
    if (!clips) return false;
    for (uint32_t i = 0; i < model->clip_count; i++) {
        const sn_clip *clip = &model->clips[i];
        sn_track *tracks = sni_new(&save->scratch, sn_track, clip->track_count);
        fit_counts counts = { 0 };
        if (!tracks) return false;
        for (uint32_t t = 0; t < clip->track_count; t++) {
            if (!fit_track(save, clip, &clip->tracks[t], tolerance, &tracks[t], &counts)) return false;
        }
        clips[i] = *clip;
        clips[i].tracks = tracks;
        sni_enter_named(&save->diag, "clips", i, clip->name);
        sni_warn_many(&save->diag, SNI_WARN_RESAMPLED, counts.resampled, 0,
                      "rotation tracks were resampled to within %g rad", tolerance);
        sni_warn_many(&save->diag, SNI_WARN_RESAMPLED, counts.approximated, 0,
                      "tracks were approximated where they jump or loop");
        sni_warn_many(&save->diag, SNI_WARN_LOST_CONTENT, counts.cut, 0,
                      "tracks with too many keys were simplified or cut short");
        sni_leave(&save->diag);
    }
    if (save->keys_left == 0)
        sni_warn(&save->diag, SNI_WARN_LOST_CONTENT, 0,
                 "the limit on added keys was reached, so some tracks are less precise");
    fitted->clips = clips;
    return true;
}

bool sni_fit_clips(sni_save *save, const sn_model *model, sni_fit_clip *fit_clip, void *user, sn_model *fitted)
{
    sn_clip *clips = sni_new_raw(&save->scratch, sn_clip, model->clip_count);
    bool is_good = clips != NULL;
    for (uint32_t i = 0; i < model->clip_count && is_good; i++) {
        sni_enter_named(&save->diag, "clips", i, model->clips[i].name);
        is_good = fit_clip(user, &model->clips[i], &clips[i]);
        sni_leave(&save->diag);
    }
    fitted->clips = clips;
    return is_good;
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

// Fewer weights per vertex, or rounded ones; reports how far they move vertices.
static bool fit_weights(sni_save *save, const sni_holds *holds, const sn_model *model, sn_model *fitted)
{
    const sn_model before = *model;
    const uint32_t most = most_influences(save, holds), steps = holds->weight_steps;
    double distance, size;
    uint32_t needed = 0;
    bool is_changed = false;
    sn_mesh *meshes = sni_new_raw(&save->scratch, sn_mesh, before.mesh_count);
    if (!meshes) return false;
    for (uint32_t i = 0; i < before.mesh_count; i++) {
        meshes[i] = before.meshes[i];
        const uint32_t count = sni_count_influences(&meshes[i]);
        needed = count > needed ? count : needed;
        if (most > 0 && (count > 1 || meshes[i].influence_count > most) &&
            !sni_reduce_influences(&save->scratch, &meshes[i], most, &meshes[i]))
            return false;
        is_changed |= (most > 0 && count > most) || (steps > 0 && count > 1);
        if (steps > 0 && count > 1 && !sni_round_weights(&save->scratch, &meshes[i], steps)) return false;
    }
    *fitted = before;
    fitted->meshes = meshes;
    if (!is_changed) return true;
    if (!sni_find_posed_error(save, &before, fitted, &distance, &size)) return false;
    char off[96];
    sni_enter(&save->diag, "weights", -1);
    if (most > 0 && needed > most)
        sni_warn(&save->diag, SNI_WARN_LOST_CONTENT, 0, "at most %u %s per vertex instead of %u%s", most,
                 most == 1 ? "bone" : "bones", needed, sni_print_posed_error(off, distance, size));
    else if (distance > 1e-5 * size)
        sni_warn(&save->diag, SNI_WARN_LOST_CONTENT, 0, "rounded to multiples of 1/%u%s", steps,
                 sni_print_posed_error(off, distance, size));
    sni_leave(&save->diag);
    return true;
}

static bool fit_meshes(sni_save *save, const sni_holds *holds, const sn_model *model, sn_model *fitted)
{
    sn_mesh *meshes = sni_new_raw(&save->scratch, sn_mesh, model->mesh_count);
    if (!meshes || !sni_make_wanted_tangents(&save->scratch, model, meshes)) return false;
    fitted->meshes = meshes;
    return fit_weights(save, holds, fitted, fitted);
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

// The bounds of the rest pose and of the first clips, whole and of each part.
static bool find_bounds(sni_save *save, const sn_model *model, uint32_t clip_count)
{
    enum { MOST_PART_BOUNDS = 1 << 21 };
    const uint64_t part_bounds = ((uint64_t)clip_count + 1) * model->part_count;
    sn_bounds *bounds = sni_new(&save->scratch, sn_bounds, (uint64_t)clip_count + 1);
    sn_model posed = *model;
    sn_error error;
    uint32_t left_out = 0;
    if (part_bounds > MOST_PART_BOUNDS)
        return sni_fail(&save->diag, SN_ERR_UNSUPPORTED, 0, "%u clips of %u parts are too many for the format",
                        clip_count, model->part_count);
    sn_bounds *parts = sni_new(&save->scratch, sn_bounds, part_bounds);
    if (!bounds || !parts) return false;
    sn_status status = sn_model_check(model, &error);
    posed.checked = &posed;
    if (status == SN_OK) status = sni_clip_bounds(&posed, clip_count, &save->heap.allocator, bounds, parts, &left_out);
    if (status == SN_ERR_MEMORY) return sni_fail(&save->diag, status, 0, "out of memory");
    if (status != SN_OK) return sni_fail(&save->diag, SN_ERR_UNSUPPORTED, 0, "the model is too large for the format");
    sni_save_lose(save, "clips", left_out, "too many clips: the extents of some are those of the rest pose");
    save->clip_bounds = bounds;
    save->part_bounds = parts;
    return true;
}

// Normals for all meshes, tangents for those with texture coordinates.
static bool complete_meshes(sni_save *save, const sni_holds *holds, sn_mesh *meshes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        sn_mesh *mesh = &meshes[i];
        if (mesh->topology != SN_TRIANGLES) continue;
        if (!mesh->normals && !sni_make_flat_normals(&save->scratch, mesh, mesh)) return false;
        const bool has_uvs = mesh->uv_count > 0 && mesh->uvs[0];
        if (holds->has_all_tangents && has_uvs && !mesh->tangents && !sni_make_tangents(&save->scratch, mesh, 0, mesh))
            return false;
    }
    return true;
}

static bool fit_rigid(sni_save *save, const sni_holds *holds, const sn_model *model, sn_model *fitted)
{
    const sn_model before = *model;
    sni_rigid_frames frames;
    return sni_fit_rigid_bind_pose(save, &before, fitted, &frames) &&
           sni_fit_rigid_clips(save, &before, &frames, holds->max_rate, fitted) &&
           fit_weights(save, holds, fitted, fitted);
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
    if ((holds->is_rigid || holds->has_all_tangents) && !complete_meshes(save, holds, meshes, model->mesh_count))
        return false;
    if (holds->is_rigid) {
        if (!fit_rigid(save, holds, fitted, fitted)) return false;
    } else if (!sni_fit_bind_pose(save, fitted, fitted) || !sni_restore_inheritance(save, fitted, fitted) ||
               !fit_weights(save, holds, fitted, fitted)) {
        return false;
    }
    if (holds->has_equal_weights && !sni_fit_weight_groups(save, fitted, fitted)) return false;
    return sni_image_set_make(&save->scratch, model->images, model->image_count,
                              save->opts ? save->opts->image_pixels : 0, &set) &&
           sni_fit_images(save, holds, &set, fitted, fitted) &&
           find_bounds(save, fitted, holds->is_rigid ? 0 : fitted->clip_count);
}

// Maps that the target ignores need no pixels.
static bool keep_color_maps(sni_save *save, sn_model *fitted)
{
    sn_material *materials = sni_new_raw(&save->scratch, sn_material, fitted->material_count);
    uint64_t lost = 0;
    if (!materials) return false;
    for (uint32_t i = 0; i < fitted->material_count; i++) {
        sn_layer *layers = sni_new_raw(&save->scratch, sn_layer, fitted->materials[i].layer_count);
        if (!layers) return false;
        materials[i] = fitted->materials[i];
        for (uint32_t k = 0; k < materials[i].layer_count; k++) {
            layers[k] = materials[i].layers[k];
            for (int map = SN_MAP_METAL_ROUGH; map < SN_MAP_COUNT; map++) {
                lost += layers[k].maps[map].image >= 0;
                layers[k].maps[map].image = -1;
            }
        }
        materials[i].layers = layers;
        lost += materials[i].extension_map_count;
        materials[i].extension_map_count = 0;
    }
    sni_enter(&save->diag, "materials", -1);
    sni_warn_many(&save->diag, SNI_WARN_LOST_CONTENT, lost, 0, "texture maps other than colour were left out");
    sni_leave(&save->diag);
    fitted->materials = materials;
    return true;
}

// Curves become lines that stay within `tolerance`: radians and parts of 1, and of the model's size.
static bool make_linear(sni_save *save, double tolerance, double size, sn_model *fitted)
{
    sn_clip *clips = sni_new_raw(&save->scratch, sn_clip, fitted->clip_count);
    if (!clips) return false;
    for (uint32_t i = 0; i < fitted->clip_count; i++) {
        sn_track *tracks = sni_new_raw(&save->scratch, sn_track, fitted->clips[i].track_count);
        uint64_t curves = 0;
        if (!tracks) return false;
        clips[i] = fitted->clips[i];
        for (uint32_t t = 0; t < clips[i].track_count; t++) {
            const sn_track *in = &clips[i].tracks[t];
            const bool is_length = in->target_kind == SN_TARGET_NODE && in->channel == SN_CHANNEL_TRANSLATION;
            tracks[t] = *in;
            if (!sni_track_has_tangents(in)) continue;
            curves++;
            if (!sni_track_make_linear(&save->scratch, in, clips[i].duration, is_length ? tolerance * size : tolerance,
                                       &save->keys_left, &tracks[t]))
                return false;
        }
        clips[i].tracks = tracks;
        sni_enter_named(&save->diag, "clips", i, clips[i].name);
        sni_warn_many(&save->diag, SNI_WARN_RESAMPLED, curves, 0,
                      "curves were resampled to within %g, translations to within %g of the model's size", tolerance,
                      tolerance);
        sni_leave(&save->diag);
    }
    fitted->clips = clips;
    return true;
}

// Billboards that the target has are not baked.
static bool fit_inheritance(sni_save *save, const sni_holds *holds, sn_model *fitted)
{
    const uint32_t held = holds->has_billboards && fitted->up_axis == SN_Y_UP ? SN_NODE_BILLBOARD | SN_NODE_BILLBOARD_Y
                                                                              : 0;
    const sn_node *before = fitted->nodes;
    sn_node *nodes = sni_new_raw(&save->scratch, sn_node, fitted->node_count);
    if (!nodes) return false;
    for (uint32_t i = 0; i < fitted->node_count; i++) {
        nodes[i] = before[i];
        nodes[i].flags &= ~held;
    }
    fitted->nodes = nodes;
    if (!sni_fit_inheritance(save, fitted, fitted)) return false;
    for (uint32_t i = 0; i < fitted->node_count; i++) sni_mut(sn_node, fitted->nodes)[i].flags = before[i].flags;
    return true;
}

static bool make_normals(sni_save *save, sn_model *fitted)
{
    sn_mesh *meshes = sni_new_raw(&save->scratch, sn_mesh, fitted->mesh_count);
    if (!meshes) return false;
    for (uint32_t i = 0; i < fitted->mesh_count; i++) {
        meshes[i] = fitted->meshes[i];
        if (!meshes[i].normals && !sni_make_flat_normals(&save->scratch, &fitted->meshes[i], &meshes[i])) return false;
    }
    fitted->meshes = meshes;
    return true;
}

// For games without curves: materials of one layer, lines between keys, normals, nodes that inherit everything.
static bool fit_linear(sni_save *save, const sni_holds *holds, const sn_model *model, sn_model *fitted)
{
    const double tolerance = 1e-4;
    sni_texture_baker baker;
    sn_bounds bounds;
    *fitted = *model;
    if (!sni_texture_baker_init(&baker, save, model) || !sni_fit_layers(save, &baker, holds->blends, fitted, fitted) ||
        !keep_color_maps(save, fitted) || !make_normals(save, fitted) || !fit_weights(save, holds, fitted, fitted))
        return false;
    const sn_status status = sn_model_bounds(model, -1, &save->heap.allocator, &bounds);
    if (status == SN_ERR_MEMORY) return sni_fail(&save->diag, status, 0, "out of memory");
    const double size = status == SN_OK && bounds.radius > 0.0f ? 2.0 * bounds.radius : 1.0;
    if (!fit_clips(save, tolerance, fitted, fitted) || !make_linear(save, tolerance, size, fitted) ||
        !fit_inheritance(save, holds, fitted))
        return false;
    fitted->images = baker.images.items;
    fitted->image_count = baker.images.count;
    return sni_fit_images(save, holds, &baker.set, fitted, fitted);
}

// Layers before meshes, which need tangents for the layer that is kept; part colours after tracks are fitted.
bool sni_fit_model(sni_save *save, const sni_holds *holds, const sn_model *model, sn_model *fitted)
{
    sni_texture_baker baker;
    sn_model merged;
    save->source = model;
    allow_keys(save, model);
    if (most_influences(save, holds) > 0) {
        if (!sni_merge_equal_joints(save, model, &merged)) return false;
        model = &merged;
    }
    if (holds->is_rebound) return fit_for_game(save, holds, model, fitted) && sni_save_ok(save);
    if (holds->is_linear) return fit_linear(save, holds, model, fitted) && sni_save_ok(save);
    if (!sni_fit_rest_visibility(save, model, fitted)) return false;
    if (!sni_texture_baker_init(&baker, save, model) || !sni_fit_layers(save, &baker, 0, fitted, fitted)) return false;
    if (!fit_meshes(save, holds, fitted, fitted) || !fit_clips(save, 1e-3, fitted, fitted)) return false;
    if (!sni_fit_inheritance(save, fitted, fitted)) return false;
    if (!sni_fit_part_colors(save, &baker, fitted, fitted) || !keep_durations(save, fitted)) return false;
    fitted->images = baker.images.items;
    fitted->image_count = baker.images.count;
    return sni_fit_images(save, holds, &baker.set, fitted, fitted) && sni_save_ok(save);
}
