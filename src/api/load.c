// The front door of loading: choose a format by the first bytes, load, return the model with its memory.
#include <string.h>

#include "api/formats.h"
#include "convert/fit.h"

// A model and its memory. The public struct comes first, so that freeing it finds the rest.
typedef struct model_owner {
    sn_model model;
    sni_arena arena;
    sni_list maps;  // files whose pages hold arrays of the model
    sni_heap heap;
} model_owner;

static bool make_tangents(sni_load *load, sn_model *model)
{
    sn_mesh *meshes = sni_new_raw(&load->keep, sn_mesh, model->mesh_count);
    if (!meshes || !sni_make_wanted_tangents(&load->keep, model, meshes)) return false;
    model->meshes = meshes;
    return true;
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
    model->format = format->name;
    if (!format->load(load, bytes, model) || !sni_load_ok(load)) return false;
    return !load->opts || !load->opts->tangents || make_tangents(load, model);
}

static model_owner *create_owner(const sn_load_opts *opts, sn_error *error)
{
    sni_heap heap;
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    sni_heap_init(&heap, opts ? &opts->allocator : NULL, UINT64_MAX);
    heap.diag = &diag;
    model_owner *owner = sni_heap_alloc(&heap, sizeof *owner);
    if (!owner) {
        *error = diag.error;
        return NULL;
    }
    memset(owner, 0, sizeof *owner);
    owner->heap = heap;
    return owner;
}

static void free_owner(model_owner *owner)
{
    sni_heap heap = owner->heap;
    sni_load_unmap(&owner->maps);
    owner->arena.heap = &heap;
    sni_arena_free(&owner->arena);
    sni_heap_free(&heap, owner, sizeof *owner);
}

// Scratch is freed here; on success the model keeps its arena, on failure nothing is kept.
static sn_model *finish(sni_load *load, model_owner *owner, bool is_loaded, sn_error *error)
{
    *error = load->diag.error;
    sni_load_end(load);
    sni_arena_free(&load->scratch);
    owner->maps = load->maps;
    if (load->has_lent) {
        sni_arena_join(&load->keep, &load->files);
    } else {
        sni_arena_free(&load->files);
        sni_load_unmap(&owner->maps);
    }
    owner->arena = load->keep;
    owner->heap.diag = NULL;
    owner->heap.cancelled = NULL;
    if (is_loaded) return &owner->model;
    free_owner(owner);
    return NULL;
}

static model_owner *begin(sni_load *load, const sn_load_opts *opts, sn_error *error)
{
    memset(error, 0, sizeof *error);
    model_owner *owner = create_owner(opts, error);
    if (owner) sni_load_init(load, &owner->heap, opts);
    return owner;
}

sn_model *sn_load_memory(const void *data, size_t size, const sn_load_opts *opts, sn_error *error)
{
    sn_error ignored;
    sni_load load;
    if (!error) error = &ignored;
    model_owner *owner = begin(&load, opts, error);
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
    model_owner *owner = begin(&load, opts, error);
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
    model_owner *owner = begin(&load, opts, error);
    if (!owner) return NULL;
    bool is_loaded = sni_load_begin_archive(&load, archive, name, &bytes) && load_bytes(&load, bytes, &owner->model);
    return finish(&load, owner, is_loaded, error);
}

void sn_model_free(sn_model *model)
{
    if (model) free_owner((model_owner *)model);
}
