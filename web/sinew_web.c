// Loading, information, poses, skinning, conversion and archives. Files are those of emscripten's file system.
#include "sinew_web.h"

#include <emscripten.h>
#include <string.h>

#include "cli/elements.h"
#include "cli/json.h"

enum { MEMORY_MAX = 768 << 20, PIXELS_MAX = 64 << 20 };  // of one model, of its images: the module has 2 GiB

// What a caller can ask of a load.
enum {
    WEB_KEEP_DOCUMENT = 1 << 0,
    WEB_CONTINUOUS = 1 << 1,
    WEB_TANGENTS = 1 << 2,
    WEB_NO_LAYOUT = 1 << 3,
    WEB_NO_FOLDER_CLIPS = 1 << 4,
    WEB_LINT = 1 << 5
};

typedef struct web_file {
    char *name;
    uint8_t *data;
    size_t size;
} web_file;

static struct {
    bool is_open;
    sni_heap heap;
    sni_diag diag;
    sni_writer result;
    sni_arena outputs;  // of the last conversion
    sni_list files;     // web_file
    sni_list losses;    // sn_warning
    sn_search *search;
    sn_error error;
    double deadline;  // milliseconds of emscripten_get_now; 0: none
} web;

static void open_state(void)
{
    if (web.is_open) return;
    web.is_open = true;
    sni_diag_init(&web.diag, NULL);
    sni_heap_init(&web.heap, NULL, UINT64_MAX);
    web.heap.diag = &web.diag;
    sni_writer_init(&web.result, &web.heap);
    sni_arena_init(&web.outputs, &web.heap);
}

static void reset_errors(void)
{
    open_state();
    sni_diag_init(&web.diag, NULL);
    web.result.failed = false;
    web.result.size = 0;
}

sni_json_writer web_text_begin(void)
{
    reset_errors();
    return sni_json_writer_make(&web.result, false);
}

const char *web_text_end(void)
{
    sni_write_u8(&web.result, 0);
    return web.result.failed ? "null" : (const char *)web.result.data;
}

void *web_room(size_t size)
{
    reset_errors();
    void *room = sni_write_room(&web.result, size > 0 ? size : 1);
    if (!room) web_fail_memory();
    return room;
}

bool web_fail(const sn_error *error)
{
    web.error = *error;
    return false;
}

bool web_fail_memory(void) { return web_fail(&(sn_error){ .status = SN_ERR_MEMORY, .message = "out of memory" }); }

void *web_allocate(size_t size)
{
    reset_errors();
    void *memory = sni_heap_alloc(&web.heap, size);
    if (memory) memset(memory, 0, size);
    else web_fail_memory();
    return memory;
}

void web_release(void *memory, size_t size)
{
    if (memory) sni_heap_free(&web.heap, memory, size);
}

bool web_is_late(void *user)
{
    (void)user;
    return web.deadline > 0 && emscripten_get_now() > web.deadline;
}

// Loading, saving and drawing end with an error this many milliseconds from now. 0: never.
WEB_EXPORT void web_set_deadline(double milliseconds)
{
    web.deadline = milliseconds > 0 ? emscripten_get_now() + milliseconds : 0;
}

// Memory for JavaScript to write texts and bytes to.
WEB_EXPORT void *web_alloc(size_t size) { return web_allocate(size); }
WEB_EXPORT void web_free(void *memory, size_t size) { web_release(memory, size); }

WEB_EXPORT const char *web_version(void) { return SN_VERSION; }

static void explain_deadline(sn_error *error)
{
    if (error->status != SN_ERR_CANCELLED) return;
    error->status = SN_ERR_LIMIT;
    strcpy(error->message, "it takes too long");
}

WEB_EXPORT const char *web_error(void)
{
    sni_json_writer json = web_text_begin();
    explain_deadline(&web.error);
    sni_json_begin_object(&json);
    cli_json_error(&json, &web.error, NULL);
    sni_json_end(&json);
    return web_text_end();
}

static void put_format(sni_json_writer *json, const char *name, const char *title, const char *extensions,
                       bool is_saved)
{
    sni_json_begin_object(json);
    if (name) cli_json_text(json, "name", name);
    cli_json_text(json, "title", title);
    cli_json_text(json, "extensions", extensions);
    cli_json_bool(json, "is_saved", is_saved);
    sni_json_end(json);
}

// Formats of models, archives and images; every kind of warning.
WEB_EXPORT const char *web_formats(void)
{
    sn_format model;
    sn_archive_format archive;
    sn_image_format image;
    sn_warning_kind kind;
    sni_json_writer json = web_text_begin();
    sni_json_begin_object(&json);
    cli_json_list(&json, "models");
    for (uint32_t i = 0; sn_format_at(i, &model); i++)
        put_format(&json, model.name, model.title, model.extensions, model.is_saved);
    sni_json_end(&json);
    cli_json_list(&json, "archives");
    for (uint32_t i = 0; sn_archive_format_at(i, &archive); i++)
        put_format(&json, NULL, archive.title, archive.extensions, archive.is_model);
    sni_json_end(&json);
    cli_json_list(&json, "images");
    for (uint32_t i = 0; sn_image_format_at(i, &image); i++)
        put_format(&json, NULL, image.name, image.extensions, image.is_saved);
    sni_json_end(&json);
    cli_json_list(&json, "warnings");
    for (uint32_t i = 0; sn_warning_at(i, &kind); i++) {
        sni_json_begin_object(&json);
        cli_json_integer(&json, "code", kind.code);
        cli_json_text(&json, "name", kind.name);
        cli_json_text(&json, "meaning", kind.meaning);
        cli_json_text(&json, "advice", kind.advice);
        cli_json_bool(&json, "is_note", kind.is_note);
        sni_json_end(&json);
    }
    sni_json_end(&json);
    sni_json_end(&json);
    return web_text_end();
}

WEB_EXPORT bool web_is_model_name(const char *name) { return sn_is_model_name(name); }

// Archives, and where models find other files

WEB_EXPORT sn_archive *web_archive_open(const char *path)
{
    sn_error error;
    sn_archive *archive = sn_archive_open(path, NULL, &error);
    if (!archive) web_fail(&error);
    return archive;
}

WEB_EXPORT void web_archive_close(sn_archive *archive) { sn_archive_close(archive); }

WEB_EXPORT const char *web_archive_list(const sn_archive *archive)
{
    const sn_archive_info info = sn_archive_describe(archive);
    sn_archive_entry entry;
    sni_json_writer json = web_text_begin();
    sni_json_begin_object(&json);
    cli_json_text(&json, "title", info.title);
    cli_json_text(&json, "detail", info.detail ? info.detail : "");
    cli_json_text(&json, "partner", info.partner ? info.partner : "");
    cli_json_integer(&json, "damaged_count", info.damaged_count);
    cli_json_list(&json, "files");
    for (uint32_t i = 0; sn_archive_at(archive, i, &entry); i++) {
        sni_json_begin_object(&json);
        cli_json_text(&json, "name", entry.name);
        cli_json_integer(&json, "bytes", (int64_t)entry.size);
        cli_json_bool(&json, "is_model", sn_is_model_name(entry.name));
        sni_json_end(&json);
    }
    sni_json_end(&json);
    sni_json_end(&json);
    return web_text_end();
}

// The bytes of a file in an archive: the size, then web_result. -1: failed.
WEB_EXPORT double web_archive_read(const sn_archive *archive, const char *name)
{
    sn_bytes bytes;
    sn_error error;
    if (sn_archive_read(archive, name, &bytes, &error) != SN_OK) return web_fail(&error), -1;
    void *room = web_room(bytes.size);
    if (room) memcpy(room, bytes.data, bytes.size), web.result.size = bytes.size;
    const double size = (double)bytes.size;
    sn_bytes_free(&bytes);
    return room ? size : -1;
}

WEB_EXPORT const void *web_result(void) { return web.result.data; }

// Forgets all places, then each folder and archive is added.
WEB_EXPORT void web_search_clear(void)
{
    sn_search_free(web.search);
    web.search = NULL;
}

// A folder, or where that is "" an archive.
WEB_EXPORT bool web_search_add(const char *folder, const sn_archive *archive)
{
    sn_error error;
    if (!web.search) web.search = sn_search_create(NULL);
    if (!web.search) return web_fail_memory();
    const sn_status status = folder[0] ? sn_search_add_folder(web.search, folder, &error)
                                       : sn_search_add_archive(web.search, archive, &error);
    return status == SN_OK || web_fail(&error);
}

// Models

WEB_EXPORT void web_model_free(web_model *of)
{
    if (!of) return;
    web_scene_free(of->scene);
    sn_pose_free(of->pose);
    sn_model_free(of->model);
    web_release(of, sizeof *of);
}

// From the file system, or with an archive from that. `root`: a folder around the model, or "".
WEB_EXPORT web_model *web_load(const sn_archive *archive, const char *path, const char *root, uint32_t flags,
                               uint32_t team)
{
    sn_error error;
    const sn_load_opts opts = { .name = path,
                                .lint = flags & WEB_LINT,
                                .search = web.search,
                                .root = root[0] ? root : NULL,
                                .find_layout = !(flags & WEB_NO_LAYOUT),
                                .folder_clips = !(flags & WEB_NO_FOLDER_CLIPS),
                                .keep_document = flags & WEB_KEEP_DOCUMENT,
                                .continuous = flags & WEB_CONTINUOUS,
                                .tangents = flags & WEB_TANGENTS,
                                .team = team,
                                .limits = { .memory_bytes = MEMORY_MAX, .image_pixels = PIXELS_MAX },
                                .cancelled = web_is_late };
    web_model *of = web_allocate(sizeof *of);
    if (!of) return NULL;
    of->model = archive ? sn_load_archive(archive, path, &opts, &error) : sn_load_file(path, &opts, &error);
    if (of->model) return of;
    web_fail(&error);
    web_model_free(of);
    return NULL;
}

static sn_pose *pose_of(web_model *of)
{
    sn_error error;
    if (!of->pose) of->pose = sn_pose_create(of->model, NULL, &error);
    if (!of->pose) web_fail(&error);
    return of->pose;
}

static void put_layers(sni_json_writer *json, const sn_material *material)
{
    static const char *const blends[] = { "opaque",   "alpha",       "add",    "add alpha",
                                          "modulate", "modulate 2x", "screen", "subtract" };
    static const char *const maps[SN_MAP_COUNT] = { "color", "metal and roughness", "normal", "occlusion", "emissive" };
    static const char *const flags[] = { "unlit", "two-sided", "no depth test", "no depth write", "sphere map" };
    cli_json_list(json, "layers");
    for (uint32_t i = 0; i < material->layer_count; i++) {
        const sn_layer *layer = &material->layers[i];
        sni_json_begin_object(json);
        cli_json_text(json, "blend", blends[layer->blend]);
        cli_json_float(json, "alpha_cutoff", layer->alpha_cutoff);
        cli_json_list(json, "flags");
        for (uint32_t k = 0; k < sizeof flags / sizeof *flags; k++)
            if (layer->flags >> k & 1u) sni_json_put_text(json, flags[k]);
        sni_json_end(json);
        cli_json_list(json, "maps");
        for (uint32_t k = 0; k < SN_MAP_COUNT; k++) {
            if (layer->maps[k].image < 0) continue;
            sni_json_begin_object(json);
            cli_json_text(json, "map", maps[k]);
            cli_json_integer(json, "image", layer->maps[k].image);
            sni_json_end(json);
        }
        sni_json_end(json);
        sni_json_end(json);
    }
    sni_json_end(json);
}

// What a viewer needs besides sinew.info/2.
static void put_outline(sni_json_writer *json, const sn_model *model)
{
    cli_json_integer(json, "default_clip", sn_model_default_clip(model));
    cli_json_list(json, "nodes");
    for (uint32_t i = 0; i < model->node_count; i++) {
        sni_json_begin_object(json);
        cli_json_name(json, "name", model->nodes[i].name);
        cli_json_integer(json, "parent", model->nodes[i].parent);
        cli_json_integer(json, "flags", model->nodes[i].flags);
        sni_json_end(json);
    }
    sni_json_end(json);
    cli_json_list(json, "parts");
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_part *part = &model->parts[i];
        sni_json_begin_object(json);
        cli_json_integer(json, "mesh", part->mesh);
        cli_json_integer(json, "node", part->node);
        cli_json_integer(json, "skin", part->skin);
        cli_json_integer(json, "material", part->material);
        cli_json_integer(json, "lod", part->lod);
        sni_json_end(json);
    }
    sni_json_end(json);
    cli_json_list(json, "surfaces");
    for (uint32_t i = 0; i < model->material_count; i++) {
        sni_json_begin_object(json);
        cli_json_name(json, "name", model->materials[i].name);
        put_layers(json, &model->materials[i]);
        sni_json_end(json);
    }
    sni_json_end(json);
}

// sinew.info/2 (docs/json.md); with `has_outline` also nodes, parts and layers.
WEB_EXPORT const char *web_info(web_model *of, const char *file, bool has_outline)
{
    const sn_model *model = of->model;
    sn_pose *pose = pose_of(of);
    if (!pose) return "null";
    sn_pose_sample(pose, -1, 0, 0);
    sn_pose_solve(pose, NULL);
    const sn_bounds bounds = sn_pose_bounds(pose);
    sni_json_writer json = web_text_begin();
    sni_arena arena;
    sni_arena_init(&arena, &web.heap);
    sni_json_begin_object(&json);
    cli_json_text(&json, "schema", "sinew.info/2");
    cli_json_text(&json, "file", file);
    cli_info_json(&json, &arena, NULL, model, &bounds);
    if (has_outline) put_outline(&json, model);
    sni_json_end(&json);
    sni_arena_free(&arena);
    return web_text_end();
}

// Poses and skinning. Matrices are three rows of four, in the model's own axes.

WEB_EXPORT bool web_pose(web_model *of, int32_t clip, float seconds, float clock, int32_t lod)
{
    sn_pose *pose = pose_of(of);
    if (!pose) return false;
    sn_pose_set_lod(pose, lod);
    sn_pose_sample(pose, clip, seconds, clock);
    sn_pose_solve(pose, NULL);
    return true;
}

WEB_EXPORT bool web_is_posed(const web_model *of) { return of->pose != NULL; }

WEB_EXPORT const sn_mat34 *web_pose_world(web_model *of)
{
    const uint32_t count = of->model->node_count;
    sn_mat34 *out = web_room(count * sizeof *out);
    for (uint32_t i = 0; out && i < count; i++) out[i] = sn_pose_world(of->pose, (int32_t)i);
    return out;
}

WEB_EXPORT const sn_mat34 *web_pose_palette(web_model *of, int32_t skin) { return sn_pose_palette(of->pose, skin); }
WEB_EXPORT bool web_pose_shows(web_model *of, int32_t part) { return sn_pose_shows(of->pose, part); }

// Positions, then normals where the mesh has them.
WEB_EXPORT const sn_vec3 *web_skin(web_model *of, int32_t part)
{
    const sn_mesh *mesh = &of->model->meshes[of->model->parts[part].mesh];
    sn_vec3 *out = web_room((size_t)mesh->vertex_count * 2 * sizeof *out);
    if (out) sn_skin_part(of->pose, part, out, mesh->normals ? out + mesh->vertex_count : NULL, NULL);
    return out;
}

typedef enum web_array { WEB_POSITIONS, WEB_NORMALS, WEB_UVS, WEB_INDICES, WEB_JOINTS, WEB_WEIGHTS } web_array;

// An array of a mesh; NULL: the mesh has none.
WEB_EXPORT const void *web_mesh_array(const web_model *of, uint32_t index, web_array array)
{
    const sn_mesh *mesh = &of->model->meshes[index];
    const bool is_skinned = mesh->influence_count > 0;
    switch (array) {
    case WEB_POSITIONS: return mesh->positions;
    case WEB_NORMALS: return mesh->normals;
    case WEB_UVS: return mesh->uv_count > 0 ? mesh->uvs[0] : NULL;
    case WEB_INDICES: return mesh->indices;
    case WEB_JOINTS: return is_skinned ? mesh->vertex_joints : NULL;
    case WEB_WEIGHTS: return is_skinned ? mesh->vertex_weights : NULL;
    }
    return NULL;
}

WEB_EXPORT const int32_t *web_skin_joints(const web_model *of, uint32_t skin) { return of->model->skins[skin].joints; }

// Images

// The pixels of an image: width and height as 32-bit numbers, then RGBA. NULL: see web_error.
WEB_EXPORT const void *web_image(const web_model *of, uint32_t index)
{
    sn_pixels pixels;
    sn_error error;
    const sn_decode_opts opts = { .limits = { .image_pixels = PIXELS_MAX, .memory_bytes = MEMORY_MAX } };
    if (index >= of->model->image_count)
        return web_fail(&(sn_error){ .status = SN_ERR_INVALID, .message = "the model has no such image" }), NULL;
    if (sn_image_decode(&of->model->images[index], &opts, &pixels, &error) != SN_OK) return web_fail(&error), NULL;
    const size_t size = (size_t)pixels.width * pixels.height * 4;
    uint32_t *out = web_room(size + 8);
    if (out) out[0] = pixels.width, out[1] = pixels.height, memcpy(out + 2, pixels.rgba, size);
    sn_pixels_free(&pixels);
    return out;
}

// Its encoded bytes; their number is in the information.
WEB_EXPORT const void *web_image_data(const web_model *of, uint32_t index) { return of->model->images[index].data; }

// Conversion

static void keep_loss(void *user, const sn_warning *loss)
{
    (void)user;
    sn_warning *kept = sni_push(&web.outputs, &web.losses, sn_warning);
    if (!kept) return;
    *kept = *loss;
    kept->path = sni_copy_text(&web.outputs, loss->path, strlen(loss->path));
    kept->message = sni_copy_text(&web.outputs, loss->message, strlen(loss->message));
    if (!kept->path || !kept->message) web.losses.count--;
}

static bool keep_file(void *user, const char *name, const void *data, size_t size)
{
    (void)user;
    web_file *file = sni_push(&web.outputs, &web.files, web_file);
    if (!file) return false;
    *file = (web_file){ sni_copy_text(&web.outputs, name, strlen(name)), sni_new_raw(&web.outputs, uint8_t, size),
                        size };
    if (!file->name || !file->data) return false;
    memcpy(file->data, data, size);
    return true;
}

static void drop_outputs(void)
{
    reset_errors();
    sni_arena_free(&web.outputs);
    sni_arena_init(&web.outputs, &web.heap);
    web.files = web.losses = (sni_list){ 0 };
}

// Frees what the last conversion made.
WEB_EXPORT void web_convert_end(void) { drop_outputs(); }

// To the format of the extension of `name`. The result has "files" with name, size and address in memory, valid until
// web_convert_end, and "losses". NULL: see web_error.
WEB_EXPORT const char *web_convert(const web_model *of, const char *name, sn_game game)
{
    sn_error error = { 0 };
    drop_outputs();
    const sn_save_opts opts = {
        .game = game, .memory_bytes = MEMORY_MAX, .report = keep_loss, .write = keep_file, .cancelled = web_is_late
    };
    if (sn_save_file(of->model, name, &opts, &error) != SN_OK) return web_fail(&error), NULL;
    if (sni_failed(&web.diag)) return web_fail_memory(), NULL;
    sni_json_writer json = web_text_begin();
    sni_json_begin_object(&json);
    cli_json_list(&json, "files");
    for (uint32_t i = 0; i < web.files.count; i++) {
        const web_file *file = &((const web_file *)web.files.items)[i];
        sni_json_begin_object(&json);
        cli_json_text(&json, "name", file->name);
        cli_json_integer(&json, "address", (int64_t)(uintptr_t)file->data);
        cli_json_integer(&json, "bytes", (int64_t)file->size);
        sni_json_end(&json);
    }
    sni_json_end(&json);
    cli_json_warnings(&json, "losses", web.losses.items, web.losses.count);
    sni_json_end(&json);
    return web_text_end();
}
