// The front door of saving: choose a format by the path's extension, fit the model to it, write, report the losses.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "convert/fit.h"
#include "convert/posed_error.h"
#include "convert/scale.h"
#include "format/format.h"
#include "model/builder.h"
#include "model/check.h"
#include "model/track.h"

// The ending of `format` that the path has; false: none of them.
static bool find_ending(const sni_save *save, const sni_format *format, char ending[16])
{
    for (const char *at = format->extensions; *at;) {
        size_t size = strcspn(at, " ");
        memset(ending, 0, 16);
        if (size < 16) memcpy(ending, at, size);
        if (sni_save_has_ending(save, ending)) return true;
        at += size + (at[size] == ' ');
    }
    return false;
}

static const sni_format *choose_format(const sni_save *save, char ending[16])
{
    for (int i = 0; sni_formats[i]; i++)
        if (find_ending(save, sni_formats[i], ending)) return sni_formats[i];
    return NULL;
}

static bool save_document(sni_save *save, const sni_format *format, const void *document, const char *ending)
{
    sni_writer out;
    sni_writer_init(&out, &save->heap);
    bool is_saved = format->write(save, document, ending, &out) && !out.failed &&
                    sni_save_emit(save, ending ? sni_save_name(save, ending) : sni_last_name(save->path), out.data,
                                  out.size);
    sni_writer_free(&out);
    return is_saved;
}

static void list_extensions(char *list, size_t capacity, bool is_saved)
{
    for (int i = 0; sni_formats[i]; i++) {
        if (is_saved ? !sni_formats[i]->save : sni_formats[i]->save || !sni_formats[i]->write) continue;
        for (const char *at = sni_formats[i]->extensions; *at; at += strspn(at, " ")) {
            size_t used = strlen(list), size = strcspn(at, " ");
            snprintf(list + used, capacity - used, " .%.*s", (int)size, at);
            at += size;
        }
    }
}

// `unknown output extension ".foo"; sinew writes .gltf .glb; models with a document also .mdx .mdl`
static bool fail_extension(sni_save *save)
{
    char saved[96] = "", documents[80] = "";
    const char *name = sni_last_name(save->path), *dot = strrchr(name, '.');
    list_extensions(saved, sizeof saved, true);
    list_extensions(documents, sizeof documents, false);
    return sni_fail(&save->diag, SN_ERR_FORMAT, 0,
                    "unknown output extension \"%.16s\"; sinew writes%s; models with a document also%s", dot ? dot : "",
                    saved, documents);
}

// The format of the model's own document, if that is to be repaired.
static const sni_format *find_repairer(const sni_save *save, const sn_model *model)
{
    if (!save->opts || !save->opts->repairs || !model->document || !sni_model_is_sealed(model)) return NULL;
    for (int i = 0; sni_formats[i]; i++)
        if (strcmp(sni_formats[i]->name, model->format) == 0) return sni_formats[i]->repair ? sni_formats[i] : NULL;
    return NULL;
}

// In the form that the path's ending names; companions of a model, which have other endings, as they are.
static bool save_repaired(sni_save *save, const sni_format *format, const void *document)
{
    char ending[16];
    const void *repaired = NULL;
    const bool has_ending = find_ending(save, format, ending);
    if (!sni_format_has_rules(format, save->opts->game))
        return sni_fail(&save->diag, SN_ERR_UNSUPPORTED, 0, "the game does not use this format: %s", format->title);
    return format->repair(save, document, save->opts->game, &repaired) &&
           save_document(save, format, repaired, has_ending ? ending : NULL);
}

static bool save_model(sni_save *save, const sn_model *model)
{
    char ending[16];
    sn_model fitted, scaled;
    const float scale = save->opts && save->opts->scale != 0 ? save->opts->scale : 1.0f;
    const sni_format *repairer = find_repairer(save, model), *format = choose_format(save, ending);
    if (repairer) return save_repaired(save, repairer, model->document);
    if (!format) return fail_extension(save);
    if (save->opts && save->opts->game != SN_GAME_AUTO && !sni_format_has_rules(format, save->opts->game))
        return sni_fail(&save->diag, SN_ERR_UNSUPPORTED, 0, "that game does not use .%s", ending);
    if (!(scale > 0.0f) || !isfinite(scale))
        return sni_fail(&save->diag, SN_ERR_INVALID, 0, "the scale must be greater than 0");
    const sn_save_opts *opts = save->opts;
    const bool is_for_game = opts && (opts->game || opts->mdx_version || opts->w3d_animation || opts->w3d_split ||
                                      opts->textures);
    const bool has_document = model->document && sni_model_is_sealed(model) && format->write &&
                              strcmp(model->format, format->name) == 0 &&
                              (!format->keeps || format->keeps(model->document, ending));
    if (has_document && !is_for_game) {
        if (scale != 1.0f) return sni_fail(&save->diag, SN_ERR_UNSUPPORTED, 0, "a .%s cannot be scaled", ending);
        return save_document(save, format, model->document, ending);
    }
    if (!format->save) {
        return sni_fail(&save->diag, SN_ERR_FORMAT, 0, "only models loaded as %s can be saved as .%s", format->title,
                        ending);
    }
    if (scale != 1.0f) {
        if (!sni_scale_model(&save->scratch, model, scale, &scaled)) return false;
        if (sni_model_require(&scaled, &save->diag.error) != SN_OK) return false;  // it may be too large now
    }
    sni_holds holds = { 0 };
    if (format->holds) format->holds(save, model, &holds);
    return sni_fit_model(save, &holds, scale != 1.0f ? &scaled : model, &fitted) && format->save(save, &fitted) &&
           sni_report_changed_tracks(save, &fitted);
}

static double text_bytes(const char *text) { return text ? (double)strlen(text) : 0.0; }

static double mesh_bytes(const sn_mesh *mesh)
{
    double floats = 3.0 + (mesh->normals ? 3.0 : 0.0) + (mesh->tangents ? 4.0 : 0.0) + 2.0 * mesh->uv_count +
                    4.0 * mesh->color_count + 2.0 * mesh->influence_count + 9.0 * mesh->morph_count;
    return sizeof *mesh + 4.0 * (floats * mesh->vertex_count + mesh->index_count) + text_bytes(mesh->name) +
           text_bytes(mesh->extras);
}

static double clip_bytes(const sn_clip *clip)
{
    double bytes = sizeof *clip + text_bytes(clip->name) + text_bytes(clip->extras);
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sn_track *track = &clip->tracks[i];
        bytes += sizeof *track + 4.0 * track->key_count * (1.0 + (double)sni_track_floats_per_key(track));
    }
    return bytes;
}

// What the model holds; arrays that it shares count each time, and meshes once more for each part: formats of games
// have them so.
static double model_bytes(const sn_model *model)
{
    double bytes = sizeof *model + text_bytes(model->extras);
    for (uint32_t i = 0; i < model->node_count; i++)
        bytes += sizeof *model->nodes + text_bytes(model->nodes[i].name) + text_bytes(model->nodes[i].extras);
    for (uint32_t i = 0; i < model->mesh_count; i++) bytes += mesh_bytes(&model->meshes[i]);
    for (uint32_t i = 0; i < model->skin_count; i++)
        bytes += sizeof *model->skins + (4.0 + sizeof(sn_mat34)) * model->skins[i].joint_count;
    for (uint32_t i = 0; i < model->clip_count; i++) bytes += clip_bytes(&model->clips[i]);
    for (uint32_t i = 0; i < model->image_count; i++) bytes += sizeof *model->images + (double)model->images[i].size;
    for (uint32_t i = 0; i < model->scene_count; i++)
        bytes += sizeof *model->scenes + 4.0 * model->scenes[i].root_count;
    for (uint32_t i = 0; i < model->material_count; i++)
        bytes += (double)sizeof(sn_layer) * model->materials[i].layer_count + text_bytes(model->materials[i].extras);
    for (uint32_t i = 0; i < model->part_count; i++) bytes += mesh_bytes(&model->meshes[model->parts[i].mesh]);
    return bytes + (double)sizeof(sn_part) * model->part_count + (double)sizeof(sn_light) * model->light_count +
           (double)sizeof(sn_camera) * model->camera_count;
}

// A small file can share arrays so often that this is much more than the memory that the model takes: 640 MiB for the
// first 8 MiB of that, without its images, and 64 times what is beyond.
static double most_memory(const sn_model *model)
{
    const double mebibyte = 1 << 20;
    double images = 0.0;
    if (!sni_model_is_sealed(model)) return 2048 * mebibyte;
    for (uint32_t i = 0; i < model->image_count; i++) images += (double)model->images[i].size;
    const double taken = (double)((const sni_model_owner *)model)->heap.used - images;
    const double most = 640 * mebibyte + 32 * images + 64 * fmax(taken - 8 * mebibyte, 0.0);
    return fmin(most, 2048 * mebibyte);
}

static uint64_t memory_limit(const sn_model *model, const sn_save_opts *opts)
{
    if (opts && opts->memory_bytes) return opts->memory_bytes;
    return (uint64_t)fmin(256.0 * (1 << 20) + 32 * model_bytes(model), most_memory(model));
}

static void report_losses(const sni_save *save)
{
    if (!save->opts || !save->opts->report) return;
    for (const sni_warning_item *item = save->diag.first; item; item = item->next)
        save->opts->report(save->opts->user, &item->warning);
}

// Repairs that were asked for are no losses.
static bool fail_losses(sni_save *save)
{
    const sn_warning *first = NULL;
    uint32_t count = 0;
    for (const sni_warning_item *item = save->diag.first; item; item = item->next) {
        if (item->warning.code == SNI_WARN_REPAIRED) continue;
        if (count++ == 0) first = &item->warning;
    }
    if (!first) return true;
    sni_enter(&save->diag, first->path, -1);
    sni_fail(&save->diag, SN_ERR_LOSSY, 0, "loss 1 of %u: %s", count, first->message);
    sni_leave(&save->diag);
    return false;
}

static bool run_save(sni_save *save, const sn_model *model)
{
    bool is_made = save_model(save, model);
    if (is_made && save->opts && save->opts->strict) is_made = fail_losses(save);
    const bool is_saved = sni_save_end(save, is_made);
    if (!is_saved && sni_save_ok(save)) sni_fail(&save->diag, SN_ERR_MEMORY, 0, "out of memory");
    if (is_saved || save->diag.error.status == SN_ERR_LOSSY) report_losses(save);
    return is_saved;
}

sn_status sn_save_file(const sn_model *model, const char *path, const sn_save_opts *opts, sn_error *error)
{
    sni_save save;
    sn_status status = sni_model_require(model, error);
    if (status != SN_OK) return status;
    sni_save_init(&save, path, memory_limit(model, opts), opts);
    run_save(&save, model);
    status = save.diag.error.status;
    if (error) *error = save.diag.error;
    sni_save_free(&save);
    return status;
}

sn_status sn_save_memory(const sn_model *model, const char *extension, const sn_save_opts *opts, sn_bytes *bytes,
                         sn_error *error)
{
    char path[32];
    sni_save save;
    *bytes = (sn_bytes){ 0 };
    if (sni_model_require(model, error) != SN_OK) return SN_ERR_INVALID;
    sni_owned *memory = sni_owned_begin(opts ? &opts->allocator : NULL, memory_limit(model, opts), bytes, error);
    if (!memory) return SN_ERR_MEMORY;
    snprintf(path, sizeof path, "model.%.16s", extension[0] == '.' ? extension + 1 : extension);
    sni_save_init(&save, path, memory_limit(model, opts), opts);
    save.memory = memory;
    bool is_saved = run_save(&save, model);
    if (!is_saved) memory->diag.error = save.diag.error;
    sn_status status = sni_owned_end(memory, is_saved, save.emitted, bytes, error);
    sni_save_free(&save);
    return status;
}
