// What is saved and loaded again is the same model: every vertex of every part, posed at five times of every clip.
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check_model.h"
#include "counting_heap.h"
#include "random_model.h"
#include "sinew/sinew.h"

// Files in memory, in the order they were written.
typedef struct memory_files {
    struct {
        char name[64];
        uint8_t *data;
        size_t size;
    } items[4];
    int count;
} memory_files;

static bool write_file(void *user, const char *name, const void *data, size_t size)
{
    memory_files *files = user;
    assert_true(files->count < 4 && strlen(name) < sizeof files->items[0].name);
    strcpy(files->items[files->count].name, name);
    files->items[files->count].data = malloc(size + 1);
    memcpy(files->items[files->count].data, data, size);
    files->items[files->count++].size = size;
    return true;
}

static bool open_file(void *user, const char *ref, const void **data, size_t *size)
{
    const memory_files *files = user;
    for (int i = 0; i < files->count; i++) {
        if (strcmp(files->items[i].name, ref) != 0) continue;
        *data = files->items[i].data;
        *size = files->items[i].size;
        return true;
    }
    return false;
}

static void free_files(memory_files *files)
{
    for (int i = 0; i < files->count; i++) free(files->items[i].data);
    files->count = 0;
}

static sn_model *save_and_load(const sn_model *model, const char *path, sn_save_opts opts)
{
    memory_files files = { .count = 0 };
    sn_error error;
    opts.write = write_file;
    opts.user = &files;
    sn_status status = sn_save_file(model, path, &opts, &error);
    if (status != SN_OK) fail_msg("%s: %s", path, error.message);
    sn_load_opts load = { .name = path, .lint = true, .open_ref = open_file, .user = &files };
    const int last = files.count - 1;
    sn_model *again = sn_load_memory(files.items[last].data, files.items[last].size, &load, &error);
    if (!again) fail_msg("%s read again: %s", path, error.message);
    check_model(again);
    free_files(&files);
    return again;
}

static double size_of(const sn_model *model)
{
    sn_bounds bounds;
    assert_int_equal(sn_model_bounds(model, -1, NULL, &bounds), SN_OK);
    return fmax(bounds.radius, 1e-3);
}

// The largest distance between the posed vertices of two parts; infinite when they are not alike.
static double distance_of(const sn_pose *a, int32_t part_a, const sn_model *model_a, const sn_pose *b, int32_t part_b,
                          const sn_model *model_b)
{
    const sn_mesh *x = &model_a->meshes[model_a->parts[part_a].mesh],
                  *y = &model_b->meshes[model_b->parts[part_b].mesh];
    if (x->vertex_count != y->vertex_count || x->index_count != y->index_count || x->topology != y->topology)
        return INFINITY;
    if (memcmp(x->indices, y->indices, x->index_count * sizeof *x->indices) != 0) return INFINITY;
    sn_vec3 *p = malloc(x->vertex_count * sizeof *p), *q = malloc(x->vertex_count * sizeof *q);
    double worst = 0.0;
    sn_skin_part(a, part_a, p, NULL, NULL);
    sn_skin_part(b, part_b, q, NULL, NULL);
    for (uint32_t i = 0; i < x->vertex_count; i++) {
        worst = fmax(worst, fabs((double)p[i].x - q[i].x));
        worst = fmax(worst, fabs((double)p[i].y - q[i].y));
        worst = fmax(worst, fabs((double)p[i].z - q[i].z));
    }
    free(p);
    free(q);
    return worst;
}

static bool same_place(const sn_model *a, int32_t part_a, const sn_model *b, int32_t part_b)
{
    const sn_part *x = &a->parts[part_a], *y = &b->parts[part_b];
    return strcmp(a->meshes[x->mesh].name, b->meshes[y->mesh].name) == 0 &&
           strcmp(a->nodes[x->node].name, b->nodes[y->node].name) == 0;
}

static bool is_savable(const sn_model *model, uint32_t part)
{
    const sn_mesh *mesh = &model->meshes[model->parts[part].mesh];
    return mesh->vertex_count > 0 && mesh->index_count > 0 && model->parts[part].lod <= 0;
}

// Not shown, or shrunk to a point: what is hidden must be one or the other.
static bool is_gone(const sn_pose *pose, int32_t part, const sn_model *model)
{
    const sn_mesh *mesh = &model->meshes[model->parts[part].mesh];
    if (!sn_pose_shows(pose, part)) return true;
    sn_vec3 *p = malloc(mesh->vertex_count * sizeof *p);
    bool is_point = true;
    sn_skin_part(pose, part, p, NULL, NULL);
    for (uint32_t i = 1; i < mesh->vertex_count; i++) is_point = is_point && memcmp(&p[i], &p[0], sizeof *p) == 0;
    free(p);
    return is_point;
}

// Which part of b is which part of a: the same names, the same place at rest, taken once.
static void match_parts(const sn_model *a, const sn_pose *pa, const sn_model *b, const sn_pose *pb, double tolerance,
                        int32_t *match)
{
    bool *taken = calloc(b->part_count + 1, sizeof *taken);
    for (uint32_t i = 0; i < a->part_count; i++) {
        match[i] = -1;
        for (uint32_t j = 0; is_savable(a, i) && match[i] < 0 && j < b->part_count; j++) {
            if (taken[j] || !same_place(a, (int32_t)i, b, (int32_t)j)) continue;
            bool is_hidden = !sn_pose_shows(pa, (int32_t)i);
            if (!is_hidden && distance_of(pa, (int32_t)i, a, pb, (int32_t)j, b) > tolerance) continue;
            if (is_hidden && !is_gone(pb, (int32_t)j, b)) continue;
            match[i] = (int32_t)j;
            taken[j] = true;
        }
        if (is_savable(a, i) && match[i] < 0) fail_msg("part %u of %u is not there", i, a->part_count);
    }
    free(taken);
}

static const sn_clip *clip_named(const sn_model *model, uint32_t index, const sn_model *again, int32_t *found)
{
    const sn_clip *clip = &model->clips[index];
    *found = again->clip_count == model->clip_count ? (int32_t)index : sn_model_find_clip(again, clip->name);
    return clip;
}

// Tracks that move vertices; others may drive a material or light that nothing uses, and go with it.
static bool moves_something(const sn_clip *clip)
{
    for (uint32_t i = 0; i < clip->track_count; i++) {
        if (clip->tracks[i].target_kind == SN_TARGET_NODE) return true;
    }
    return false;
}

static void compare_models(const char *name, const sn_model *a, const sn_model *b)
{
    double tolerance = 1e-5 * size_of(a);
    int32_t *match = malloc((a->part_count + 1) * sizeof *match);
    sn_pose *pa = sn_pose_create(a, NULL, NULL), *pb = sn_pose_create(b, NULL, NULL);
    match_parts(a, pa, b, pb, tolerance, match);
    for (uint32_t c = 0; c < a->clip_count; c++) {
        int32_t other;
        const sn_clip *clip = clip_named(a, c, b, &other);
        if (!moves_something(clip)) continue;
        if (other < 0) fail_msg("%s: clip \"%s\" is not there", name, clip->name);
        for (int t = 0; t <= 4; t++) {
            float time = clip->duration * (float)t / 4.0f;
            sn_pose_sample(pa, (int32_t)c, time, 0.0f);
            sn_pose_sample(pb, other, time, 0.0f);
            sn_pose_solve(pa, NULL);
            sn_pose_solve(pb, NULL);
            for (uint32_t i = 0; i < a->part_count; i++) {
                if (match[i] < 0) continue;
                if (!sn_pose_shows(pa, (int32_t)i)) {
                    assert_true(is_gone(pb, match[i], b));
                    continue;
                }
                double distance = distance_of(pa, (int32_t)i, a, pb, match[i], b);
                if (distance > tolerance)
                    fail_msg("%s: part %u of clip \"%s\" at %g s is off by %g", name, i, clip->name, (double)time,
                             distance);
            }
        }
    }
    sn_pose_free(pa);
    sn_pose_free(pb);
    free(match);
}

static sn_model *load(const char *path)
{
    sn_error error;
    sn_model *model = sn_load_file(path, NULL, &error);
    if (!model) fail_msg("%s: %s", path, error.message);
    return model;
}

static void round_trip(const char *path, const char *target)
{
    sn_model *model = load(path), *again = save_and_load(model, target, (sn_save_opts){ 0 });
    compare_models(path, model, again);
    sn_model_free(model);
    sn_model_free(again);
}

static void samples_survive_as_glb(void **state)
{
    (void)state;
    round_trip(SINEW_SAMPLES "/arm.glb", "arm.glb");
    round_trip(SINEW_SAMPLES "/crane.gltf", "crane.glb");
    round_trip(SINEW_SAMPLES "/face.glb", "face.glb");
}

static void samples_survive_as_gltf(void **state)
{
    (void)state;
    round_trip(SINEW_SAMPLES "/arm.glb", "arm.gltf");
    round_trip(SINEW_SAMPLES "/crane.gltf", "crane.gltf");
    round_trip(SINEW_SAMPLES "/face.glb", "face.gltf");
}

// Saved twice, the bytes are equal; saved again from what was read, nothing changes any more.
static void bytes_are_deterministic(void **state)
{
    (void)state;
    static const char *const paths[] = { SINEW_SAMPLES "/arm.glb", SINEW_SAMPLES "/crane.gltf",
                                         SINEW_SAMPLES "/face.glb" };
    for (int i = 0; i < 3; i++) {
        memory_files first = { .count = 0 }, second = { .count = 0 };
        sn_model *model = load(paths[i]);
        sn_save_opts opts = { .write = write_file, .user = &first };
        assert_int_equal(sn_save_file(model, "x.glb", &opts, NULL), SN_OK);
        sn_model *again = sn_load_memory(first.items[0].data, first.items[0].size, NULL, NULL);
        opts.user = &second;
        assert_int_equal(sn_save_file(again, "x.glb", &opts, NULL), SN_OK);
        assert_int_equal(first.items[0].size, second.items[0].size);
        assert_memory_equal(first.items[0].data, second.items[0].data, first.items[0].size);
        sn_model_free(model);
        sn_model_free(again);
        free_files(&first);
        free_files(&second);
    }
}

// (x, y, z) must land at (y, z, x): the root node alone turns it.
static void z_up_is_turned_by_one_node(void **state)
{
    (void)state;
    sn_model *model = load(SINEW_SAMPLES "/crane.gltf");
    sn_model z_up = *model;
    z_up.up_axis = SN_Z_UP;
    sn_model *turned = save_and_load(&z_up, "z.glb", (sn_save_opts){ 0 });
    sn_model *kept = save_and_load(&z_up, "z.glb", (sn_save_opts){ .keep_axes = true });
    assert_int_equal(turned->node_count, model->node_count + 1);
    assert_int_equal(kept->node_count, model->node_count);
    sn_pose *before = sn_pose_create(model, NULL, NULL), *after = sn_pose_create(turned, NULL, NULL);
    sn_mat34 a = sn_pose_world(before, sn_model_find_node(model, "hook"));
    sn_mat34 b = sn_pose_world(after, sn_model_find_node(turned, "hook"));
    assert_float_equal(b.m[0][3], a.m[1][3], 1e-5);
    assert_float_equal(b.m[1][3], a.m[2][3], 1e-5);
    assert_float_equal(b.m[2][3], a.m[0][3], 1e-5);
    sn_pose_free(before);
    sn_pose_free(after);
    sn_model_free(model);
    sn_model_free(turned);
    sn_model_free(kept);
}

// A copy of the crane with parts and nodes that are hidden, at rest and by a clip. tests/oracle/test_export_gltf.mjs
// shows that a player that knows nothing of visibility does not show such parts.
static void what_is_hidden_stays_hidden(void **state)
{
    (void)state;
    sn_model *model = load(SINEW_SAMPLES "/crane.gltf");
    static const float times[3] = { 0.0f, 1.0f, 3.0f }, values[3] = { 1.0f, 0.0f, 1.0f };
    int32_t jib = sn_model_find_node(model, "jib"), mast = sn_model_find_node(model, "mast");
    sn_track tracks[2] = { { .target_kind = SN_TARGET_NODE, .channel = SN_CHANNEL_VISIBILITY, .target = jib },
                           { .target_kind = SN_TARGET_PART, .channel = SN_CHANNEL_VISIBILITY, .target = 0 } };
    for (int i = 0; i < 2; i++)
        tracks[i].key_count = 3, tracks[i].width = 1, tracks[i].times = times, tracks[i].values = values;
    sn_clip clip = { .name = "blink", .duration = 3.0f, .tracks = tracks, .track_count = 2 };
    sn_node *nodes = malloc(model->node_count * sizeof *nodes);
    memcpy(nodes, model->nodes, model->node_count * sizeof *nodes);
    nodes[mast].flags |= SN_NODE_HIDDEN;
    sn_model changed = *model;
    changed.nodes = nodes;
    changed.clips = &clip;
    changed.clip_count = 1;
    sn_model *again = save_and_load(&changed, "hidden.glb", (sn_save_opts){ 0 });
    int32_t mast_again = sn_model_find_node(again, "mast");
    assert_true(again->nodes[again->nodes[mast_again].parent].flags &
                SN_NODE_HIDDEN);  // mast.switch: mast is stretched
    for (uint32_t i = 0; i < again->clips[0].track_count; i++)
        assert_int_equal(again->clips[0].tracks[i].channel, SN_CHANNEL_VISIBILITY);
    compare_models("hidden", &changed, again);
    free(nodes);
    sn_model_free(model);
    sn_model_free(again);
}

static void unknown_endings_and_bad_folders_are_errors(void **state)
{
    (void)state;
    sn_error error;
    sn_model *model = load(SINEW_SAMPLES "/arm.glb");
    assert_int_equal(sn_save_file(model, "arm.obj", NULL, &error), SN_ERR_FORMAT);
    assert_int_equal(sn_save_file(model, "arm", NULL, &error), SN_ERR_FORMAT);
    assert_int_equal(sn_save_file(model, "/no/such/folder/arm.glb", NULL, &error), SN_ERR_IO);
    assert_true(error.message[0] != 0);
    sn_model_free(model);
}

typedef struct failing {
    uint64_t countdown, live;
    bool for_ever;
} failing;

static void *failing_alloc(void *user, size_t size)
{
    failing *f = user;
    bool fails = f->countdown <= 1;
    if (f->countdown > 1) f->countdown--;
    else if (!f->for_ever) f->countdown = UINT64_MAX;
    if (fails) return NULL;
    f->live++;
    return malloc(size);
}

static void failing_free(void *user, void *ptr, size_t size)
{
    (void)size;
    ((failing *)user)->live--;
    free(ptr);
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    sn_model *model = load(SINEW_SAMPLES "/face.glb");
    for (int for_ever = 0; for_ever < 2; for_ever++) {
        sn_status status = SN_ERR_MEMORY;
        for (uint64_t k = 1; status != SN_OK; k += random_step()) {
            memory_files files = { .count = 0 };
            failing f = { k, 0, for_ever };
            sn_save_opts opts = { .allocator = { failing_alloc, failing_free, &f },
                                  .write = write_file,
                                  .user = &files };
            sn_error error;
            status = sn_save_file(model, "face.gltf", &opts, &error);
            assert_true(status == SN_OK || status == SN_ERR_MEMORY);
            assert_int_equal(error.status, status);
            assert_int_equal(f.live, 0);
            assert_true(k < 10000);
            free_files(&files);
        }
    }
    sn_model_free(model);
}

static void memory_has_a_ceiling(void **state)
{
    (void)state;
    sn_model *model = load(SINEW_SAMPLES "/face.glb");
    sn_status status = SN_ERR_LIMIT;
    uint64_t limit = 1 << 10;
    for (; status != SN_OK; limit += limit / 2) {
        memory_files files = { .count = 0 };
        counting_heap heap = { 0 };
        sn_save_opts opts = {
            .allocator = counting_allocator(&heap), .memory_bytes = limit, .write = write_file, .user = &files
        };
        sn_error error;
        status = sn_save_file(model, "face.glb", &opts, &error);
        assert_true(status == SN_OK || status == SN_ERR_LIMIT);
        assert_true(heap.peak_bytes <= limit && heap.live_blocks == 0);
        assert_int_equal(files.count, status == SN_OK);
        free_files(&files);
    }
    assert_true(limit > 10 << 10 && limit < 16 << 20);
    sn_model_free(model);
}

static void find_limit(void *user, const sn_warning *loss)
{
    *(bool *)user |= strstr(loss->message, "the limit on added keys was reached") != NULL;
}

static bool count_bytes(void *user, const char *name, const void *data, size_t size)
{
    (void)user, (void)name, (void)data;
    return size < 16 << 20;
}

// A track of its own clock, short as it is, fills the clip that it runs in, and there are many clips. All of them
// together get 262,144 keys and twice their own 8,000; at 16 bytes a key that is less than 5 MB.
static void a_small_model_cannot_take_all_memory(void **state)
{
    (void)state;
    static const float times[2] = { 0.0f, 1e-4f }, values[6] = { 0, 0, 0, 1, 1, 1 };
    sn_model *model = load(SINEW_SAMPLES "/crane.gltf");
    sn_track track = { .channel = SN_CHANNEL_TRANSLATION,
                       .interpolation = SN_LINEAR,
                       .wrap = SN_WRAP_CYCLE,
                       .period = 1e-4f,
                       .key_count = 2,
                       .width = 3,
                       .times = times,
                       .values = values };
    static sn_clip clips[4000];
    for (int i = 0; i < 4000; i++)
        clips[i] = (sn_clip){ .name = "long", .duration = 1e3f, .tracks = &track, .track_count = 1 };
    sn_model changed = *model;
    changed.clips = clips;
    changed.clip_count = 4000;
    bool is_limited = false;
    counting_heap heap = { 0 };
    sn_save_opts opts = {
        .allocator = counting_allocator(&heap), .report = find_limit, .write = count_bytes, .user = &is_limited
    };
    sn_error error;
    assert_int_equal(sn_save_file(&changed, "x.glb", &opts, &error), SN_OK);
    assert_true(is_limited);
    assert_true(heap.peak_bytes < 64 << 20 && heap.live_blocks == 0);
    sn_model_free(model);
}

static int tried;

// Breadth first through the folders, without recursion.
static void corpus_survives(void **state)
{
    (void)state;
    enum { MOST = 4096 };
    static char *folders[MOST];
    int count = 0;
    folders[count++] = strdup(SINEW_SHARED "/corpus/gltf");
    for (int at = 0; at < count; at++) {
        DIR *folder = opendir(folders[at]);
        for (struct dirent *entry; folder && (entry = readdir(folder));) {
            char path[2048];
            size_t size = strlen(entry->d_name);
            if (entry->d_name[0] == '.' ||
                snprintf(path, sizeof path, "%s/%s", folders[at], entry->d_name) >= (int)sizeof path)
                continue;
            bool is_model = (size > 4 && strcmp(entry->d_name + size - 4, ".glb") == 0) ||
                            (size > 5 && strcmp(entry->d_name + size - 5, ".gltf") == 0);
            if (is_model) {
                if ((size + (unsigned char)entry->d_name[0]) % random_step() != 0) continue;
                sn_model *model = sn_load_file(path, NULL, NULL);
                if (!model) continue;
                sn_model *again = save_and_load(model, "x.glb", (sn_save_opts){ 0 });
                compare_models(path, model, again);
                sn_model_free(model);
                sn_model_free(again);
                tried++;
            } else if (count < MOST) {
                DIR *below = opendir(path);
                if (below) folders[count++] = strdup(path), closedir(below);
            }
        }
        if (folder) closedir(folder);
        free(folders[at]);
    }
    if (tried == 0) {
        print_message("skipped: " SINEW_SHARED "/corpus/gltf is not there\n");
        skip();
    }
    print_message("%d corpus models saved and read again\n", tried);
}

static void memory_gets_the_bytes_of_the_file(void **state)
{
    (void)state;
    sn_error error;
    sn_bytes bytes;
    memory_files files = { .count = 0 };
    sn_model *model = sn_load_file(SINEW_SAMPLES "/arm.glb", NULL, &error);
    assert_non_null(model);
    assert_int_equal(sn_save_file(model, "x.glb", &(sn_save_opts){ .write = write_file, .user = &files }, &error),
                     SN_OK);
    for (int dot = 0; dot < 2; dot++) {
        assert_int_equal(sn_save_memory(model, dot ? ".GLB" : "glb", NULL, &bytes, &error), SN_OK);
        assert_int_equal(bytes.size, files.items[0].size);
        assert_memory_equal(bytes.data, files.items[0].data, bytes.size);
        sn_bytes_free(&bytes);
        sn_bytes_free(&bytes);
    }
    free_files(&files);
    assert_int_equal(sn_save_memory(model, "gltf", NULL, &bytes, &error), SN_ERR_UNSUPPORTED);
    assert_null(bytes.data);
    assert_int_equal(sn_save_memory(model, "foo", NULL, &bytes, &error), SN_ERR_FORMAT);
    assert_non_null(strstr(error.message, "unknown output extension \".foo\"; sinew writes .gltf .glb"));
    bool is_done = false;
    for (uint64_t k = 1; !is_done; k++) {
        counting_heap counts = { .fail_at = k };
        sn_status status = sn_save_memory(model, "glb", &(sn_save_opts){ .allocator = counting_allocator(&counts) },
                                          &bytes, &error);
        is_done = counts.calls < k;
        assert_int_equal(status, is_done ? SN_OK : SN_ERR_MEMORY);
        sn_bytes_free(&bytes);
        assert_int_equal(counts.live_blocks, 0);
    }
    sn_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_gets_the_bytes_of_the_file),
        cmocka_unit_test(samples_survive_as_glb),
        cmocka_unit_test(samples_survive_as_gltf),
        cmocka_unit_test(bytes_are_deterministic),
        cmocka_unit_test(z_up_is_turned_by_one_node),
        cmocka_unit_test(what_is_hidden_stays_hidden),
        cmocka_unit_test(unknown_endings_and_bad_folders_are_errors),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(memory_has_a_ceiling),
        cmocka_unit_test(a_small_model_cannot_take_all_memory),
        cmocka_unit_test(corpus_survives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
