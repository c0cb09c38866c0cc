// The front door of loading: choose a format by the first bytes, load, return the model with its memory.
#include <string.h>

#include "api/formats.h"
#include "convert/bounds.h"
#include "convert/fit.h"
#include "convert/influences.h"
#include "model/builder.h"
#include "model/check.h"

// What the options ask of meshes; they are in the model's arena or in a file, so those that change are new.
static bool prepare_meshes(sni_load *load, sn_model *model)
{
    const sn_load_opts *opts = load->opts;
    if (!opts || (!opts->tangents && opts->max_influences == 0)) return true;
    sn_mesh *meshes = sni_new_raw(&load->keep, sn_mesh, model->mesh_count);
    if (!meshes) return false;
    if (model->mesh_count > 0) memcpy(meshes, model->meshes, model->mesh_count * sizeof *meshes);
    if (!sni_limit_influences(&load->keep, meshes, model->mesh_count, opts->max_influences)) return false;
    model->meshes = meshes;
    if (!opts->tangents) return true;
    sn_mesh *with_tangents = sni_new_raw(&load->keep, sn_mesh, model->mesh_count);
    if (!with_tangents || !sni_make_wanted_tangents(&load->keep, model, with_tangents)) return false;
    model->meshes = with_tangents;
    return true;
}

// Other programs choose the format by the extension.
static void check_name(sni_load *load, const sni_format *format, sni_bytes bytes)
{
    const char *name = sni_last_name(load->name), *suited = format->ending ? format->ending(bytes) : format->extensions;
    if (!strchr(name, '.') || sni_has_ending(name, suited)) return;
    sni_warn(&load->diag, SNI_WARN_FILE_NAME, 0, "\"%.80s\" is a %s, which ends in .%.*s", name, format->title,
             (int)strcspn(suited, " "), suited);
}

// Games of that time want sides that are powers of two.
static bool check_image_sizes(sni_load *load, const sn_model *model)
{
    const sn_decode_opts opts = { .size_only = true, .allocator = load->heap->allocator };
    for (uint32_t i = 0; i < model->image_count; i++) {
        const sn_image *image = &model->images[i];
        sn_pixels size;
        const sn_status status = image->data ? sn_image_decode(image, &opts, &size, NULL) : SN_ERR_FORMAT;
        if (status == SN_ERR_MEMORY) return sni_fail(&load->diag, status, 0, "out of memory");
        if (status != SN_OK) continue;
        sni_enter_named(&load->diag, "images", i, image->uri[0] ? image->uri : image->name);
        if (size.width & (size.width - 1) || size.height & (size.height - 1))
            sni_warn(&load->diag, SNI_WARN_GAME_IMAGE_SIZE, 0, "%u x %u pixels", size.width, size.height);
        sni_leave(&load->diag);
    }
    return true;
}

static bool find_clip_bounds(sni_load *load, const sn_model *model)
{
    sn_model posed = *model;
    sn_bounds *bounds = sni_new_raw(&load->scratch, sn_bounds, (uint64_t)model->clip_count + 1);
    uint32_t left_out;
    if (!bounds) return false;
    sni_model_seal(&posed);
    const sn_status status = sni_clip_bounds(&posed, model->clip_count, &load->heap->allocator, bounds, NULL,
                                             &left_out);
    if (status == SN_ERR_MEMORY) return sni_fail(&load->diag, status, 0, "out of memory");
    if (status != SN_OK || left_out > 0) return true;
    load->clip_bounds = bounds + 1;
    load->clip_count = model->clip_count;
    return true;
}

static bool check_game(sni_load *load, const sni_format *format, sn_model *model)
{
    const sn_game game = load->opts ? load->opts->game : SN_GAME_AUTO;
    if (game == SN_GAME_AUTO) return true;
    if (!sni_format_has_rules(format, game)) {
        sni_warn(&load->diag, SNI_WARN_GAME_FORMAT, 0, "the game does not use this format: %s", format->title);
    } else {
        if (format->has_extents && !find_clip_bounds(load, model)) return false;
        if (!format->check_game(load, load->document, game) || !check_image_sizes(load, model)) return false;
    }
    sni_publish_warnings(&load->diag, &load->keep, model);
    return sni_load_ok(load);
}

static bool load_bytes(sni_load *load, sni_bytes bytes, sn_model *model)
{
    if (bytes.size > load->limits.file_bytes)
        return sni_fail(&load->diag, SN_ERR_LIMIT, 0, "%zu bytes, the limit is %llu", bytes.size,
                        (unsigned long long)load->limits.file_bytes);
    sni_load_count_input(load, bytes.size);
    const sni_format *format = sni_format_choose(bytes, load->name);
    if (!format) {
        return sni_fail(&load->diag, SN_ERR_FORMAT, 0,
                        bytes.size ? "not a model in any format sinew reads" : "the file is empty");
    }
    model->format = load->format = format->name;
    if (load->lint) check_name(load, format, bytes);
    if (!format->load(load, bytes, model) || !sni_load_ok(load) || !check_game(load, format, model)) return false;
    return prepare_meshes(load, model);
}

// Scratch is freed here; on success the model keeps its arena, on failure nothing is kept.
static sn_model *finish(sni_load *load, sni_model_owner *owner, bool is_loaded, sn_error *error)
{
    *error = load->diag.error;
    sni_load_end(load);
    sni_arena_free(&load->scratch);
    owner->maps = load->maps;
    owner->unmap = sni_load_unmap;
    if (load->has_lent) {
        sni_arena_join(&load->keep, &load->files);
    } else {
        sni_arena_free(&load->files);
        sni_load_unmap(&owner->maps);
    }
    owner->arena = load->keep;
    owner->heap.diag = NULL;
    owner->heap.cancelled = NULL;
    if (is_loaded) {
        sni_model_seal(&owner->model);
        return &owner->model;
    }
    sni_model_owner_free(owner);
    return NULL;
}

static sni_model_owner *begin(sni_load *load, const sn_load_opts *opts, sn_error *error)
{
    memset(error, 0, sizeof *error);
    sni_model_owner *owner = sni_model_owner_create(opts ? &opts->allocator : NULL, error);
    if (owner) sni_load_init(load, &owner->heap, opts);
    return owner;
}

sn_model *sn_load_memory(const void *data, size_t size, const sn_load_opts *opts, sn_error *error)
{
    sn_error ignored;
    sni_load load;
    if (!error) error = &ignored;
    sni_model_owner *owner = begin(&load, opts, error);
    if (!owner) return NULL;
    sni_bytes bytes = { data ? data : (const uint8_t *)"", data ? size : 0 };
    return finish(&load, owner, load_bytes(&load, bytes, &owner->model), error);
}

sn_model *sn_load_file(const char *path, const sn_load_opts *opts, sn_error *error)
{
    sn_error ignored;
    sni_load load;
    sni_bytes bytes;
    if (!error) error = &ignored;
    sni_model_owner *owner = begin(&load, opts, error);
    if (!owner) return NULL;
    bool is_loaded = sni_load_begin_file(&load, path, &bytes) && load_bytes(&load, bytes, &owner->model);
    return finish(&load, owner, is_loaded, error);
}

sn_model *sn_load_archive(const sn_archive *archive, const char *name, const sn_load_opts *opts, sn_error *error)
{
    sn_error ignored;
    sni_load load;
    sni_bytes bytes;
    if (!error) error = &ignored;
    sni_model_owner *owner = begin(&load, opts, error);
    if (!owner) return NULL;
    bool is_loaded = sni_load_begin_archive(&load, archive, name, &bytes) && load_bytes(&load, bytes, &owner->model);
    return finish(&load, owner, is_loaded, error);
}
