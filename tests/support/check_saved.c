#include "check_saved.h"
#include "check_model.h"
#include "counting_heap.h"

#define DEMAND_NAME "saved"
#include "demand.h"

#include <math.h>
#include <string.h>

enum { MOST_POSES = 4, MOST_PARTS = 256, MOST_BYTES = 8 << 20, MOST_SAVINGS = 6 };

// Products of larger numbers lose more digits than a comparison allows.
static const double most_extent = 1e6;

// Files in memory

bool saved_write(void *user, const char *name, const void *data, size_t size)
{
    saved_files *files = user;
    size_t sum = size;
    for (int i = 0; i < files->count; i++) sum += files->files[i].size;
    if (++files->calls == files->refuse_at || (files->most && sum > files->most)) return false;
    demand(files->count < SAVED_FILES && strlen(name) < SAVED_NAME && !strpbrk(name, "/\\"), "writes \"%.80s\"", name);
    saved_file *file = &files->files[files->count++];
    strcpy(file->name, name);
    file->data = malloc(size ? size : 1);
    if (!file->data) abort();
    memcpy(file->data, data, size);
    file->size = size;
    return true;
}

bool saved_open(void *user, const char *ref, const void **data, size_t *size)
{
    const saved_files *files = user;
    for (int i = 0; i < files->count; i++) {
        if (strcmp(files->files[i].name, ref) != 0) continue;
        *data = files->files[i].data, *size = files->files[i].size;
        return true;
    }
    return false;
}

void saved_free(saved_files *files)
{
    for (int i = 0; i < files->count; i++) free(files->files[i].data);
    files->count = 0;
}

// What is compared: for each part its vertices in several poses, one after the other, and whether it shows there

typedef struct shown {
    const sn_mesh *mesh;
    int32_t part;
    sn_vec3 *positions;
    bool shows[MOST_POSES], is_transparent[MOST_POSES], is_taken;
} shown;
typedef struct clip_time {
    int32_t clip;
    float seconds;
} clip_time;
typedef struct showing {
    shown parts[MOST_PARTS];
    uint32_t count;
    int clip_time_count;
} showing;

static bool has_geometry(const sn_model *model, uint32_t part)
{
    const sn_mesh *mesh = &model->meshes[model->parts[part].mesh];
    return mesh->vertex_count > 0 && mesh->index_count > 0 && model->parts[part].lod <= 0;
}

// Saving may hide what is transparent. It looks at curves in a few places only, so this allows a little more.
static bool is_transparent(const sn_model *model, const sn_pose *pose, int32_t index)
{
    const sn_part *part = &model->parts[index];
    const float alpha = fabsf(sn_pose_color(pose, index).w), least = 8.0f / 255.0f;
    if (alpha < least) return true;
    const sn_material *material = part->material >= 0 ? &model->materials[part->material] : NULL;
    for (uint32_t i = 0; material && i < material->layer_count; i++) {
        const sn_layer *layer = &material->layers[i];
        const float own = fabsf(sn_pose_layer(pose, part->material, (int32_t)i).color.w);
        if (layer->blend == SN_BLEND_MODULATE || layer->blend == SN_BLEND_MODULATE_2X) return false;
        if (layer->blend == SN_BLEND_OPAQUE ? own >= 4 * layer->alpha_cutoff : own * alpha >= least) return false;
    }
    return material && material->layer_count > 0;
}

static void show(const sn_model *model, const clip_time *clip_times, showing *all)
{
    const sn_mat34 y_up = { { { 0, 1, 0, 0 }, { 0, 0, 1, 0 }, { 1, 0, 0, 0 } } };
    static const sn_view front = { .right = { 1, 0, 0 }, .up = { 0, 1, 0 }, .back = { 0, 0, 1 } };
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    demand(pose, "no pose");
    if (model->up_axis == SN_Z_UP) sn_pose_set_root(pose, &y_up);  // as saving turns it
    all->count = 0;
    for (uint32_t i = 0; i < model->part_count; i++) {
        if (!has_geometry(model, i)) continue;
        demand(all->count < MOST_PARTS, "more than %d parts after saving", MOST_PARTS);
        const sn_mesh *mesh = &model->meshes[model->parts[i].mesh];
        sn_vec3 *positions = malloc((size_t)mesh->vertex_count * (size_t)all->clip_time_count * sizeof *positions);
        if (!positions) abort();
        all->parts[all->count++] = (shown){ .mesh = mesh, .part = (int32_t)i, .positions = positions };
    }
    for (int k = 0; k < all->clip_time_count; k++) {
        sn_pose_sample(pose, clip_times[k].clip, clip_times[k].seconds, clip_times[k].seconds);
        sn_pose_solve(pose, &front);  // as saving turns billboards
        for (shown *part = all->parts; part < all->parts + all->count; part++) {
            sn_skin_part(pose, part->part, part->positions + (size_t)k * part->mesh->vertex_count, NULL, NULL);
            part->shows[k] = sn_pose_shows(pose, part->part);
            part->is_transparent[k] = is_transparent(model, pose, part->part);
        }
    }
    sn_pose_free(pose);
}

static void free_showing(showing *all)
{
    for (uint32_t i = 0; i < all->count; i++) free(all->parts[i].positions);
}

static double distance_between(sn_vec3 p, sn_vec3 q)
{
    return fmax(fabs((double)p.x - (double)q.x),
                fmax(fabs((double)p.y - (double)q.y), fabs((double)p.z - (double)q.z)));
}

static double size_of(const showing *all)
{
    double largest = 0;
    for (uint32_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < (size_t)all->parts[i].mesh->vertex_count * (size_t)all->clip_time_count; k++)
            largest = fmax(largest, distance_between(all->parts[i].positions[k], (sn_vec3){ 0, 0, 0 }));
    return largest;
}

static const sn_vec3 *corner(const shown *part, int k, uint32_t at)
{
    return &part->positions[(size_t)k * part->mesh->vertex_count + part->mesh->indices[at]];
}

// What is hidden may also have become a point: a scale of 0 hides in every player.
static double distance_at(const shown *a, const shown *b, int k)
{
    double worst = 0;
    if ((!a->shows[k] || a->is_transparent[k]) && !b->shows[k]) return 0;
    for (uint32_t i = 0; i < a->mesh->index_count; i++) {
        const sn_vec3 *wanted = a->shows[k] ? corner(a, k, i) : corner(b, k, 0),
                      *got = b->shows[k] ? corner(b, k, i) : corner(a, k, 0);
        worst = fmax(worst, distance_between(*wanted, *got));
    }
    return worst;
}

// Infinite when they are not alike. Corner by corner: tangents made for a normal map may have split vertices.
static double distance_of(const shown *a, const shown *b, int clip_time_count)
{
    if (a->mesh->index_count != b->mesh->index_count || a->mesh->topology != b->mesh->topology) return INFINITY;
    double worst = 0;
    for (int k = 0; k < clip_time_count; k++) worst = fmax(worst, distance_at(a, b, k));
    return worst;
}

static int32_t find_only(const sn_model *model, const char *name)
{
    int32_t found = -1;
    for (uint32_t i = 0; i < model->clip_count; i++)
        if (strcmp(model->clips[i].name, name) == 0) {
            if (found >= 0) return -1;
            found = (int32_t)i;
        }
    return found;
}

// Clips that keep no track are not written, and names need not be unique: where it is unclear which is which, -1.
static int32_t find_twin(const sn_model *a, uint32_t clip, const sn_model *b)
{
    if (a->clip_count == b->clip_count) return (int32_t)clip;
    const char *name = a->clips[clip].name;
    return find_only(a, name) >= 0 ? find_only(b, name) : -1;
}

static bool is_ever_shown(const shown *part, int clip_time_count)
{
    for (int k = 0; k < clip_time_count; k++)
        if (part->shows[k]) return true;
    return false;
}

static bool is_ever_opaque(const shown *part, int clip_time_count)
{
    for (int k = 0; k < clip_time_count; k++)
        if (part->shows[k] && !part->is_transparent[k]) return true;
    return false;
}

// Each part of x takes one of y, if possible one that shows as it does: a transparent part could also be a hidden one.
// So transparent parts come after opaque ones, and those that never show last: any other hidden one is as good for
// them.
static void match(const showing *x, showing *y, double tolerance)
{
    for (int rank = 2; rank >= 0; rank--)
        for (uint32_t i = 0; i < x->count; i++) {
            const bool shows = is_ever_shown(&x->parts[i], x->clip_time_count);
            if (shows + is_ever_opaque(&x->parts[i], x->clip_time_count) != rank) continue;
            double nearest = INFINITY;
            uint32_t best = 0;
            for (uint32_t j = 0; j < 2 * y->count && !(nearest <= tolerance); j++) {
                const shown *part = &y->parts[j % y->count];
                const bool shows_alike = is_ever_shown(part, y->clip_time_count) == shows;
                if (part->is_taken || shows_alike != (j < y->count)) continue;
                const double distance = distance_of(&x->parts[i], part, x->clip_time_count);
                if (distance < nearest) nearest = distance, best = j % y->count;
            }
            demand(nearest <= tolerance, "part %d is off by %g, %g are the most", x->parts[i].part, nearest, tolerance);
            y->parts[best].is_taken = true;
        }
}

// Warcraft III's jump before the first key is saved as a smooth way.
static bool jumps(const sn_clip *clip)
{
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sn_track *track = &clip->tracks[i];
        if (track->wrap == SN_WRAP_CYCLE_GAME && track->key_count > 1 && track->times[0] > 0) return true;
    }
    return false;
}

// The games of these formats play a clip if there is one: a model is saved so that it rests as it stands.
static bool may_rest_otherwise(const sn_model *model)
{
    if (strcmp(model->format, "gltf") == 0 || strcmp(model->format, "built") == 0) return false;
    for (uint32_t i = 0; i < model->clip_count; i++)
        for (uint32_t t = 0; t < model->clips[i].track_count; t++) {
            uint8_t channel = model->clips[i].tracks[t].channel;
            if (channel == SN_CHANNEL_VISIBILITY || channel == SN_CHANNEL_SCALE || channel == SN_CHANNEL_ALPHA)
                return true;
        }
    return false;
}

// Where tracks were lost, only the rest pose is the same; where turns were sampled, they are near.
static void compare(const sn_model *a, const sn_model *b, bool lost_tracks, bool was_sampled)
{
    bool has_clips = !lost_tracks;
    clip_time of_a[MOST_POSES] = { { -1, 0 } }, of_b[MOST_POSES] = { { -1, 0 } };
    static showing x, y;
    x.clip_time_count = may_rest_otherwise(a) ? 0 : 1;
    for (uint32_t i = 0; i < a->clip_count && has_clips && x.clip_time_count < MOST_POSES; i++) {
        int32_t twin = find_twin(a, i, b);
        if (twin < 0 || jumps(&a->clips[i])) continue;
        of_a[x.clip_time_count] = (clip_time){ (int32_t)i, a->clips[i].duration * 0.37f };
        of_b[x.clip_time_count++] = (clip_time){ twin, a->clips[i].duration * 0.37f };
    }
    y.clip_time_count = x.clip_time_count;
    double extent = model_extent(a);
    show(a, of_a, &x), show(b, of_b, &y);
    demand(x.count == y.count, "%u parts with geometry, %u after saving", x.count, y.count);
    if (extent < most_extent) match(&x, &y, (was_sampled ? 1e-2 : 1e-4) * size_of(&x) + 1e-6 * extent);
    free_showing(&x), free_showing(&y);
}

// Saving and loading

typedef struct saving {
    saved_files files;
    bool lost_tracks, was_sampled, shows_more;
} saving;

static bool write(void *user, const char *name, const void *data, size_t size)
{
    return saved_write(&((saving *)user)->files, name, data, size);
}

// The message of a loss says which comparisons still hold: without the tracks only those of the rest pose, and none
// where scenes also show other objects.
static void report(void *user, const sn_warning *loss)
{
    demand(loss->count > 0 && loss->message[0] && sn_warning_name(loss->code)[0], "a loss without a word");
    bool was_sampled = strcmp(sn_warning_name(loss->code), "RESAMPLED") == 0;
    if (was_sampled) ((saving *)user)->was_sampled = true;
    else if (strstr(loss->message, "tracks")) ((saving *)user)->lost_tracks = true;
    if (strstr(loss->message, "also show")) ((saving *)user)->shows_more = true;
}

static sn_status save(const sn_model *model, const char *name, uint32_t max_influences, saving *now)
{
    counting_heap heap = { 0 };
    sn_error error;
    *now = (saving){ .files.most = MOST_BYTES };
    sn_save_opts opts = { .allocator = counting_allocator(&heap),
                          .max_influences = max_influences,
                          .report = report,
                          .write = write,
                          .user = now };
    sn_status status = sn_save_file(model, name, &opts, &error);
    demand(error.status == status, "status %d, the error says %d", status, error.status);
    demand(heap.live_blocks == 0, "%llu blocks live after saving", (unsigned long long)heap.live_blocks);
    demand(status == SN_OK || status == SN_ERR_CANCELLED, "status %d: %s", status, error.message);
    return status;
}

static bool has_warning(const sn_model *model, int32_t code)
{
    for (uint32_t i = 0; i < model->warning_count; i++)
        if (model->warnings[i].code == code) return true;
    return false;
}

// What was saved needs no repair that the original did not need. The finer rules (lint) hold only for models that broke
// none: repairing one fault, a cycle for example, may leave another, joints without a common root.
static sn_model *load(saved_files *files, const char *name, const sn_model *original, bool lint)
{
    sn_error error;
    const saved_file *last = &files->files[files->count - 1];
    demand(strcmp(last->name, name) == 0, "the last file is \"%s\"", last->name);
    sn_load_opts opts = { .name = name, .lint = lint, .open_ref = saved_open, .user = files };
    sn_model *model = sn_load_memory(last->data, last->size, &opts, &error);
    demand(model, "cannot be loaded: %s: %s", error.path, error.message);
    check_model(model);
    for (uint32_t i = 0; i < model->warning_count; i++) {
        const sn_warning *warning = &model->warnings[i];
        bool is_kept = strstr(warning->message, "is kept, but not shown") != NULL;  // a material extension
        bool is_known = has_warning(original, warning->code) || is_kept || (lint && original->warning_count > 0);
        demand(is_known, "a warning: %s %s: %s", sn_warning_name(warning->code), warning->path, warning->message);
    }
    return model;
}

static bool same_files(const saved_files *a, const saved_files *b)
{
    bool is_same = a->count == b->count;
    for (int i = 0; is_same && i < a->count; i++) {
        const saved_file *x = &a->files[i], *y = &b->files[i];
        is_same = x->size == y->size && memcmp(x->data, y->data, x->size) == 0;
    }
    return is_same;
}

// Nodes that saving adds stand last in the file and, above others, come first once loaded. The order of nodes then sets
// that of the meshes in the next file, meshes that of the materials: a few savings later nothing changes any more.
static void check_settles(const sn_model *model, const char *name, uint32_t max_influences, bool lint,
                          const saving *first)
{
    saving before = { .files.count = 0 }, now = { .files.count = 0 };
    const sn_model *last = model;
    sn_model *loaded = NULL;
    for (int i = 0; i <= MOST_SAVINGS; i++) {
        demand(i < MOST_SAVINGS, "each saving gives other bytes");
        if (save(last, name, max_influences, &now) != SN_OK ||
            same_files(i == 0 ? &first->files : &before.files, &now.files))
            break;
        sn_model *next = load(&now.files, name, last, lint);
        if (!now.shows_more) compare(last, next, now.lost_tracks, now.was_sampled);
        sn_model_free(loaded);
        last = loaded = next;
        saved_free(&before.files);
        before = now;
        now = (saving){ .files.count = 0 };
    }
    sn_model_free(loaded);
    saved_free(&before.files), saved_free(&now.files);
}

static uint64_t work_of(const sn_model *model)
{
    uint64_t work = model->node_count + model->image_count + model->material_count;
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_mesh *mesh = &model->meshes[model->parts[i].mesh];
        work += 1 + mesh->index_count + (uint64_t)mesh->vertex_count * (1 + mesh->morph_count + mesh->influence_count);
    }
    for (uint32_t i = 0; i < model->clip_count; i++)
        for (uint32_t k = 0; k < model->clips[i].track_count; k++)
            work += 1 + (uint64_t)model->clips[i].tracks[k].key_count * model->clips[i].tracks[k].width;
    return work;
}

void check_saved(const sn_model *model, const char *name, uint32_t max_influences, bool lint, uint64_t work)
{
    if (work_of(model) > work || model->part_count > MOST_PARTS) return;
    saving first;
    if (save(model, name, max_influences, &first) == SN_OK) {
        sn_model *again = load(&first.files, name, model, lint);
        if (max_influences == 0 && !first.shows_more) compare(model, again, first.lost_tracks, first.was_sampled);
        check_settles(again, name, max_influences, lint, &first);
        sn_model_free(again);
    }
    saved_free(&first.files);
}

// Saves it with the options, loads it again and checks every promise. `quiet`: loading gives no warnings but of images.
static void check_saved_as(const sn_model *model, const char *name, sn_save_opts opts, uint64_t work, bool quiet)
{
    saving now = { .files.most = MOST_BYTES };
    counting_heap heap = { 0 };
    sn_error error;
    if (work_of(model) > work || model->part_count > MOST_PARTS) return;
    opts.allocator = counting_allocator(&heap);
    opts.report = report, opts.write = write, opts.user = &now;
    sn_model undocumented = *model;
    undocumented.document = undocumented.checked = NULL;
    const sn_status status = sn_save_file(&undocumented, name, &opts, &error);
    demand(heap.live_blocks == 0, "%llu blocks live after saving", (unsigned long long)heap.live_blocks);
    demand(status == SN_OK || status == SN_ERR_CANCELLED || status == SN_ERR_UNSUPPORTED, "status %d: %s", status,
           error.message);
    if (status == SN_OK) {
        const saved_file *last = &now.files.files[now.files.count - 1];
        demand(opts.w3d_split || strcmp(last->name, name) == 0, "the last file is \"%s\"", last->name);
        const sn_load_opts how = { .name = last->name, .open_ref = saved_open, .user = &now.files };
        sn_model *again = sn_load_memory(last->data, last->size, &how, &error);
        demand(again, "cannot be loaded: %s: %s", error.path, error.message);
        check_model(again);
        const bool is_near = quiet && model_extent(model) < most_extent;  // farther away boxes are lost in rounding
        for (uint32_t i = 0; is_near && i < again->warning_count; i++)
            demand(strcmp(sn_warning_name(again->warnings[i].code), "IMAGE_MISSING") == 0 ||
                       strcmp(sn_warning_name(again->warnings[i].code), "FILE_REFUSED") == 0,
                   "a warning: %s %s: %s", sn_warning_name(again->warnings[i].code), again->warnings[i].path,
                   again->warnings[i].message);
        if (opts.game >= SN_GAME_DARK_CLOUD && strstr(name, ".chr")) {
            demand(again->clip_count == model->clip_count, "%u clips became %u", model->clip_count, again->clip_count);
            demand(again->node_count >= model->node_count, "%u nodes became %u", model->node_count, again->node_count);
        }
        sn_model_free(again);
    }
    saved_free(&now.files);
}

void check_saved_mdx(const sn_model *model, const char *name, uint32_t version, uint64_t work)
{
    sn_save_opts opts = { .mdx_version = version };
    if (model->node_count % 2 == 1) opts.textures = version == 800 ? SN_TEXTURES_BLP_JPEG : SN_TEXTURES_BLP;
    check_saved_as(model, name, opts, work, false);
}

void check_saved_w3d(const sn_model *model, uint32_t kind, uint64_t work)
{
    const sn_save_opts opts = { .game = kind & 1 ? SN_GAME_BFME : SN_GAME_GENERALS,
                                .w3d_animation = (sn_w3d_animation)(kind / 2 % 3),
                                .w3d_split = kind / 6 % 2,
                                .textures = kind & 1 ? SN_TEXTURES_DDS : SN_TEXTURES_AUTO };
    check_saved_as(model, "x.w3d", opts, work, true);
}

void check_saved_level5(const sn_model *model, const char *name, sn_game game, uint64_t work)
{
    check_saved_as(model, name, (sn_save_opts){ .game = game }, work, false);
}

static void count_repair(void *user, const sn_warning *repair)
{
    if (strcmp(sn_warning_name(repair->code), "REPAIRED") == 0) ++*(uint32_t *)user;
}

// Saves it repaired, loads it again and repairs that: nothing is left to do.
static void check_repaired_as(const sn_model *model, const char *name, const char *extension, sn_game game,
                              bool is_same)
{
    counting_heap heap = { 0 };
    uint32_t repairs = 0;
    sn_save_opts opts = { .allocator = counting_allocator(&heap), .game = game, .repairs = true };
    sn_bytes bytes, twice;
    sn_error error;
    opts.report = count_repair;
    opts.user = &repairs;
    if (sn_save_memory(model, extension, &opts, &bytes, &error) != SN_OK) {
        demand(error.status == SN_ERR_UNSUPPORTED, "status %d: %s", error.status, error.message);
        return;
    }
    const sn_load_opts load = { .name = name, .keep_document = true, .game = game, .lint = true };
    sn_model *again = sn_load_memory(bytes.data, bytes.size, &load, &error);
    demand(again, "repaired: cannot be loaded: %s: %s", error.path, error.message);
    check_model(again);
    if (is_same) compare(model, again, false, false);
    repairs = 0;
    demand(sn_save_memory(again, extension, &opts, &twice, &error) == SN_OK, "repaired: %s", error.message);
    demand(repairs == 0, "%u repairs of what was repaired", repairs);
    sn_bytes_free(&twice);
    sn_model_free(again);
    sn_bytes_free(&bytes);
    demand(heap.live_blocks == 0, "%llu blocks live after repairing", (unsigned long long)heap.live_blocks);
}

// The forms and games of a format that has rules.
static const struct {
    const char *format, *extension;
    sn_game game;
} repaired_forms[] = {
    { "mdx", "mdx", SN_GAME_WARCRAFT_3 },    { "mdx", "mdl", SN_GAME_WARCRAFT_3 },
    { "w3d", "w3d", SN_GAME_GENERALS },      { "w3d", "w3d.json", SN_GAME_BFME },
    { "level5", "chr", SN_GAME_DARK_CLOUD }, { "level5", "chr", SN_GAME_DARK_CLOUD_2 },
};
enum { REPAIRED_FORMS = sizeof repaired_forms / sizeof *repaired_forms };

void check_repaired(const sn_model *model, const char *name, bool is_same)
{
    for (size_t i = 0; i < REPAIRED_FORMS; i++)
        if (model->document && strcmp(model->format, repaired_forms[i].format) == 0)
            check_repaired_as(model, name, repaired_forms[i].extension, repaired_forms[i].game, is_same);
}

void check_repair_failures(const sn_model *model)
{
    for (size_t i = 0; i < REPAIRED_FORMS; i++) {
        if (!model->document || strcmp(model->format, repaired_forms[i].format) != 0) continue;
        sn_status status = SN_ERR_MEMORY;
        for (uint64_t k = 1; status == SN_ERR_MEMORY; k++) {
            counting_heap heap = { .fail_at = k };
            const sn_save_opts opts = { .allocator = counting_allocator(&heap),
                                        .game = repaired_forms[i].game,
                                        .repairs = true };
            sn_bytes bytes;
            sn_error error;
            status = sn_save_memory(model, repaired_forms[i].extension, &opts, &bytes, &error);
            demand(status == SN_OK || status == SN_ERR_MEMORY, "status %d: %s", status, error.message);
            sn_bytes_free(&bytes);
            demand(heap.live_blocks == 0, "%llu blocks live", (unsigned long long)heap.live_blocks);
        }
    }
}
