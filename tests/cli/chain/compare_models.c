// compare_models COUNT: prints the first COUNT names on standard input that are models with triangles.
// compare_models BEFORE AFTER LOSSES: a model file, what a conversion made of it, and the lines that the conversion
// printed. Both are posed at five times of each clip. Fails when corners are farther apart than the losses state,
// 1e-4 of the size where they state nothing, or when clips, triangles, materials, attachments or what shows are not
// the same and no loss says so. Prints one line: distance and stated distance, as parts of the size; then what is
// wrong.
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sinew/sinew.h"

enum { TIMES = 5, MATCH_POSES = 6, MOST_LOSSES = 4096, LINE = 1024 };

typedef struct triangle {
    sn_vec3 at[3];
    uint32_t part;
} triangle;

// All triangles of the finest level of detail, in one pose; Y up.
typedef struct posed {
    triangle *triangles;
    uint32_t count;
    bool *shows, *is_transparent;  // of parts
} posed;

static char losses[MOST_LOSSES][LINE];
static uint32_t loss_count, problems;

static void *new_memory(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory) abort();
    return memory;
}

static void fail(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fputs(problems++ ? "; " : " FAILED ", stdout);
    vprintf(format, list);
    va_end(list);
}

// Losses

static void read_losses(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file) abort();
    while (loss_count < MOST_LOSSES && fgets(losses[loss_count], LINE, file))
        if (strstr(losses[loss_count], ": loss ")) loss_count++;
    fclose(file);
}

// Some loss has one of the words, which are separated by '|'.
static bool is_reported(const char *words)
{
    char one[64];
    for (const char *at = words; *at; at += strcspn(at, "|"), at += *at == '|') {
        snprintf(one, sizeof one, "%.*s", (int)strcspn(at, "|"), at);
        for (uint32_t i = 0; i < loss_count; i++)
            if (strstr(losses[i], one)) return true;
    }
    return false;
}

static double number_after(const char *line, const char *words)
{
    const char *at = strstr(line, words);
    return at ? strtod(at + strlen(words), NULL) : 0.0;
}

// Losses add up at worst. A track that is sampled to an angle moves what is a model's size away by that part of the
// size, and each bone of a chain adds to it.
static double stated_distance(double size, double chain)
{
    double whole = 0.0, clips[4096] = { 0 }, most = 0.0;
    for (uint32_t i = 0; i < loss_count; i++) {
        const char *clip = strstr(losses[i], " in clips[");
        const long index = clip ? strtol(clip + strlen(" in clips["), NULL, 10) : -1;
        double far = number_after(losses[i], "off by up to ");
        if (strstr(losses[i], " rad") || strstr(losses[i], "curves were resampled"))
            far += number_after(losses[i], "resampled to within ") * size * chain;
        if (index >= 0 && index < 4096) clips[index] += far;
        else whole += far;
    }
    for (int i = 0; i < 4096; i++) most = fmax(most, clips[i]);
    return whole + most;
}

// Poses

static bool is_place(sn_vec3 a, sn_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static bool is_in_scene(const sn_model *model, const sn_part *part)
{
    const sn_scene *scene = model->scene_count > 1 ? &model->scenes[model->default_scene] : NULL;
    int32_t root = part->node;
    if (part->lod > 0 || model->meshes[part->mesh].topology != SN_TRIANGLES) return false;
    while (model->nodes[root].parent >= 0) root = model->nodes[root].parent;
    for (uint32_t i = 0; scene && i < scene->root_count; i++)
        if (scene->roots[i] == root) return true;
    return !scene;
}

static bool is_transparent(const sn_model *model, const sn_pose *pose, int32_t index)
{
    const float alpha = sn_pose_color(pose, index).w, least = 8.0f / 255.0f;
    const int32_t material = model->parts[index].material;
    float most = material < 0 || model->materials[material].layer_count == 0 ? 1.0f : 0.0f;
    for (uint32_t i = 0; material >= 0 && i < model->materials[material].layer_count; i++)
        most = fmaxf(most, sn_pose_layer(pose, material, (int32_t)i).color.w);
    return alpha * most < least;
}

static posed pose_model(const sn_model *model, int32_t clip, float time)
{
    static const sn_view z_up = { { 0, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 0 } };
    static const sn_view y_up = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    uint32_t most = 0, vertices = 0;
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_mesh *mesh = &model->meshes[model->parts[i].mesh];
        most += mesh->index_count / 3;
        vertices = mesh->vertex_count > vertices ? mesh->vertex_count : vertices;
    }
    posed out = { new_memory(most, sizeof *out.triangles), 0, new_memory(model->part_count, sizeof *out.shows),
                  new_memory(model->part_count, sizeof *out.is_transparent) };
    sn_vec3 *places = new_memory(vertices, sizeof *places);
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    if (!pose) abort();
    sn_pose_sample(pose, clip, time, time);
    sn_pose_solve(pose, model->up_axis == SN_Z_UP ? &z_up : &y_up);
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_mesh *mesh = &model->meshes[model->parts[i].mesh];
        if (!is_in_scene(model, &model->parts[i])) continue;
        out.shows[i] = sn_pose_shows(pose, (int32_t)i);
        out.is_transparent[i] = is_transparent(model, pose, (int32_t)i);
        sn_skin_part(pose, (int32_t)i, places, NULL, NULL);
        for (uint32_t k = 0; k + 2 < mesh->index_count; k += 3) {
            const uint32_t *c = mesh->indices + k;
            const sn_vec3 *p = mesh->positions;
            if (is_place(p[c[0]], p[c[1]]) || is_place(p[c[1]], p[c[2]]) || is_place(p[c[0]], p[c[2]])) continue;
            triangle *t = &out.triangles[out.count++];
            t->part = i;
            for (int n = 0; n < 3; n++) {
                const sn_vec3 v = places[c[n]];
                t->at[n] = model->up_axis == SN_Z_UP ? (sn_vec3){ v.y, v.z, v.x } : v;
            }
        }
    }
    sn_pose_free(pose);
    free(places);
    return out;
}

static void free_posed(posed *p) { free(p->triangles), free(p->shows), free(p->is_transparent); }

// Which triangle is which: by texture coordinates, which no format changes, then by place in several poses.

typedef struct keyed {
    uint64_t key;
    uint32_t triangle;
} keyed;
typedef struct match {
    uint32_t triangle;
    int order;
} match;

static int compare_keys(const void *a, const void *b)
{
    const keyed *one = a, *two = b;
    if (one->key != two->key) return one->key < two->key ? -1 : 1;
    return one->triangle < two->triangle ? -1 : one->triangle > two->triangle;
}

// The same for all orders of the corners.
static keyed *make_keys(const sn_model *model, uint32_t count)
{
    keyed *keys = new_memory(count, sizeof *keys);
    uint32_t at = 0;
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_mesh *mesh = &model->meshes[model->parts[i].mesh];
        if (!is_in_scene(model, &model->parts[i])) continue;
        for (uint32_t k = 0; k + 2 < mesh->index_count; k += 3) {
            const uint32_t *c = mesh->indices + k;
            const sn_vec3 *p = mesh->positions;
            if (is_place(p[c[0]], p[c[1]]) || is_place(p[c[1]], p[c[2]]) || is_place(p[c[0]], p[c[2]])) continue;
            uint64_t key = 0;
            for (int n = 0; n < 3 && mesh->uv_count > 0 && mesh->uvs[0]; n++) {
                const sn_vec2 uv = mesh->uvs[0][c[n]];
                const int64_t u = llrint(fmin(fmax(uv.x * 2048.0 + 0.13, -1e9), 1e9)),
                              v = llrint(fmin(fmax(uv.y * 2048.0 + 0.13, -1e9), 1e9));
                key += ((uint64_t)u * 0x9E3779B97F4A7C15u ^ (uint64_t)v * 0xC2B2AE3D27D4EB4Fu) * 0xD6E8FEB86659FD93u;
            }
            keys[at] = (keyed){ key, at };
            at++;
        }
    }
    qsort(keys, count, sizeof *keys, compare_keys);
    return keys;
}

static double distance(sn_vec3 a, sn_vec3 b)
{
    const double x = (double)a.x - b.x, y = (double)a.y - b.y, z = (double)a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

// With the corners in one of six orders.
static double apart(const triangle *a, const triangle *b, int order)
{
    static const int orders[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 0, 2, 1 }, { 2, 1, 0 }, { 1, 0, 2 } };
    double largest = 0.0;
    for (int i = 0; i < 3; i++) largest = fmax(largest, distance(a->at[i], b->at[orders[order][i]]));
    return largest;
}

// The diagonal of the box around it.
static double size_of(const posed *p)
{
    sn_vec3 least = { FLT_MAX, FLT_MAX, FLT_MAX }, most = { -FLT_MAX, -FLT_MAX, -FLT_MAX };
    for (uint32_t i = 0; i < p->count; i++)
        for (int n = 0; n < 3; n++) {
            const sn_vec3 v = p->triangles[i].at[n];
            least = (sn_vec3){ fminf(least.x, v.x), fminf(least.y, v.y), fminf(least.z, v.z) };
            most = (sn_vec3){ fmaxf(most.x, v.x), fmaxf(most.y, v.y), fmaxf(most.z, v.z) };
        }
    const double size = p->count > 0 ? distance(least, most) : 0.0;
    return size > 0.0 ? size : 1.0;
}

// What is a point does not show: a scale of 0 hides in every player.
static bool shows(const posed *p, const triangle *t)
{
    return p->shows[t->part] && !p->is_transparent[t->part] &&
           distance(t->at[0], t->at[1]) + distance(t->at[0], t->at[2]) > 1e-5;
}

static void find_nearest(const posed *one, const posed *two, const keyed *ones, uint32_t one_count, const keyed *twos,
                         uint32_t two_count, match *matches, bool *has_match, bool *is_taken)
{
    const double unlike = 1e-3 * size_of(&one[0]);  // one shows, the other does not
    uint32_t begin = 0;                             // in the order of the file the next is nearly always right
    for (uint32_t i = 0; i < one_count; i++) {
        double best = HUGE_VAL;
        const uint32_t a = ones[i].triangle;
        if (has_match[a]) continue;
        for (uint32_t k = 0; k < two_count && best > 0.0; k++) {
            const uint32_t b = twos[(begin + k) % two_count].triangle;
            if (is_taken[b]) continue;
            for (int order = 0; order < 6; order++) {
                double far = 0.0;
                for (int p = 0; p < MATCH_POSES && far < best; p++) {
                    const triangle *x = &one[p].triangles[a], *y = &two[p].triangles[b];
                    if (shows(&two[p], y) || !two[p].shows[y->part]) far = fmax(far, apart(x, y, order));
                    if (shows(&one[p], x) != shows(&two[p], y)) far = fmax(far, unlike);
                }
                if (far < best) best = far, matches[a] = (match){ b, order };
            }
        }
        if (best == HUGE_VAL) continue;
        has_match[a] = is_taken[matches[a].triangle] = true;
        begin = (begin + 1) % two_count;
    }
}

static match *find_matches(const sn_model *before, const sn_model *after, const posed *one, const posed *two)
{
    const uint32_t count = one[0].count;
    match *matches = new_memory(count, sizeof *matches);
    bool *has_match = new_memory(count, 1), *is_taken = new_memory(count, 1);
    keyed *ones = make_keys(before, count), *twos = make_keys(after, count);
    for (uint32_t i = 0, k = 0; i < count;) {
        uint32_t end = i, other = k;
        while (end < count && ones[end].key == ones[i].key) end++;
        while (k < count && twos[k].key < ones[i].key) k++;
        for (other = k; other < count && twos[other].key == ones[i].key;) other++;
        if (other > k) find_nearest(one, two, ones + i, end - i, twos + k, other - k, matches, has_match, is_taken);
        i = end, k = other;
    }
    find_nearest(one, two, ones, count, twos, count, matches, has_match, is_taken);
    free(ones), free(twos), free(has_match), free(is_taken);
    return matches;
}

// Clips

static int32_t find_clip(const sn_model *before, uint32_t clip, const sn_model *after)
{
    if (before->clip_count == after->clip_count) return (int32_t)clip;
    for (uint32_t i = 0; i < after->clip_count; i++)
        if (strcmp(after->clips[i].name, before->clips[clip].name) == 0) return (int32_t)i;
    return -1;
}

// Not at round times, where keys are that switch.
static float time_of(const sn_clip *clip, int i) { return clip->duration * ((float)(2 * i + 1) / (2 * TIMES) + 3e-4f); }

typedef struct clip_time {
    int32_t before, after;  // clips
    float seconds, after_seconds;
} clip_time;

static uint32_t list_clip_times(const sn_model *before, const sn_model *after, clip_time *clip_times)
{
    uint32_t count = 0, missing = 0;
    for (uint32_t i = 0; i < before->clip_count; i++) {
        const int32_t other = find_clip(before, i, after);
        missing += other < 0;
        // In MDX the end moves to a whole millisecond, and nothing else does.
        const bool is_rounded = strcmp(after->format, "mdx") == 0;
        for (int k = 0; k < TIMES && other >= 0; k++)
            clip_times[count++] = (clip_time){ (int32_t)i, other, time_of(&before->clips[i], k),
                                               is_rounded ? time_of(&before->clips[i], k)
                                                          : time_of(&after->clips[other], k) };
    }
    if (missing > 0 && !is_reported("the clip was left out|clips")) fail("%u clips are missing", missing);
    // Saving may add a clip that shows the rest pose.
    if (count == 0)
        clip_times[count++] = (clip_time){ -1, before->clip_count == 0 && after->clip_count == 1 ? 0 : -1, 0, 0 };
    return count;
}

// As far as every format shows it; some have the colour of a part in its material.
static bool looks_alike(const sn_model *model, const sn_part *one, const sn_part *two)
{
    static const sn_material plain;
    const sn_material *a = one->material >= 0 ? &model->materials[one->material] : &plain;
    const sn_material *b = two->material >= 0 ? &model->materials[two->material] : &plain;
    if (a->layer_count != b->layer_count || memcmp(&one->color, &two->color, sizeof one->color) != 0) return false;
    for (uint32_t i = 0; i < a->layer_count; i++) {
        const sn_layer *x = &a->layers[i], *y = &b->layers[i];
        if (x->maps[SN_MAP_COLOR].image != y->maps[SN_MAP_COLOR].image || x->blend != y->blend ||
            x->flags != y->flags || memcmp(&x->color, &y->color, sizeof x->color) != 0)
            return false;
    }
    return true;
}

// Files may have one material many times.
static uint32_t count_materials(const sn_model *model)
{
    uint32_t count = 0, k;
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_part *part = &model->parts[i];
        if (!is_in_scene(model, part)) continue;
        for (k = 0; k < i; k++)
            if (is_in_scene(model, &model->parts[k]) && looks_alike(model, part, &model->parts[k])) break;
        count += k == i;
    }
    return count;
}

static double longest_chain(const sn_model *model)
{
    int *depth = new_memory(model->node_count, sizeof *depth), most = 1;
    for (uint32_t i = 0; i < model->node_count; i++) {
        depth[i] = model->nodes[i].parent >= 0 ? depth[model->nodes[i].parent] + 1 : 1;
        if (depth[i] > most) most = depth[i];
    }
    free(depth);
    return most;
}

static bool has_name(const char *node, const char *name)
{
    return strncasecmp(node + (strncmp(node, "func_", 5) == 0 ? 5 : 0), name, 12) == 0;
}

// An attachment point is there when a node has its name, which W3D cuts to 15 bytes and Level-5 puts behind "func_".
static uint32_t count_lost_attachments(const sn_model *before, const sn_model *after)
{
    uint32_t lost = 0;
    for (uint32_t i = 0; i < before->attachment_count; i++) {
        const char *name = before->nodes[before->attachments[i].node].name;
        uint32_t k = 0;
        while (k < after->node_count && !has_name(after->nodes[k].name, name)) k++;
        lost += k == after->node_count;
    }
    return lost;
}

typedef struct found_error {
    double largest;
    uint32_t worst;          // index of its clip time
    uint32_t hidden, shown;  // triangles that show before and not after, and the other way around
} found_error;

static found_error find_error(const sn_model *before, const sn_model *after, const clip_time *clip_times,
                              uint32_t count, const match *matches)
{
    found_error found = { 0 };
    for (uint32_t i = 0; i < count; i++) {
        const clip_time *m = &clip_times[i];
        posed a = pose_model(before, m->before, m->seconds), b = pose_model(after, m->after, m->after_seconds);
        for (uint32_t k = 0; k < a.count; k++) {
            const triangle *x = &a.triangles[k], *y = &b.triangles[matches[k].triangle];
            const bool a_shows = a.shows[x->part], b_shows = b.shows[y->part];
            if (a_shows && b_shows) {
                const double d = apart(x, y, matches[k].order);
                if (d > found.largest && !a.is_transparent[x->part]) found.largest = d, found.worst = i;
            } else if (a_shows && !a.is_transparent[x->part]) {
                found.hidden++;
            } else if (!a_shows && shows(&b, y)) {
                found.shown++;
            }
        }
        free_posed(&a), free_posed(&b);
    }
    return found;
}

static void compare(const sn_model *before, const sn_model *after)
{
    clip_time *clip_times = new_memory((size_t)before->clip_count * TIMES + 1, sizeof *clip_times);
    const uint32_t clip_time_count = list_clip_times(before, after, clip_times);
    const uint32_t materials = count_materials(before), kept = count_materials(after);
    if (kept < materials && !is_reported("materials|layers|parts|textures that cannot be read|was not found"))
        fail("%u of %u materials", kept, materials);
    const uint32_t lost = count_lost_attachments(before, after);
    if (lost > 0 && !is_reported("attachment|names"))
        fail("%u of %u attachments are missing", lost, before->attachment_count);

    posed one[MATCH_POSES], two[MATCH_POSES];
    for (int p = 0; p < MATCH_POSES; p++) {
        const clip_time *m = &clip_times[(uint32_t)p * clip_time_count / MATCH_POSES];
        one[p] = pose_model(before, m->before, m->seconds), two[p] = pose_model(after, m->after, m->after_seconds);
    }
    const double size = size_of(&one[0]), stated = stated_distance(size, longest_chain(before));
    found_error found = { 0 };
    if (one[0].count != two[0].count) {
        if (!is_reported("parts|triangles")) fail("%u triangles became %u", one[0].count, two[0].count);
    } else if (one[0].count > 0) {
        // In the order of the file, unless that is not the order of the other.
        match *matches = new_memory(one[0].count, sizeof *matches);
        for (uint32_t i = 0; i < one[0].count; i++) matches[i].triangle = i;
        found = find_error(before, after, clip_times, clip_time_count, matches);
        if (found.largest > fmax(1e-4 * size, 1.05 * stated)) {
            free(matches);
            matches = find_matches(before, after, one, two);
            found = find_error(before, after, clip_times, clip_time_count, matches);
        }
        free(matches);
    }
    for (int p = 0; p < MATCH_POSES; p++) free_posed(&one[p]), free_posed(&two[p]);
    printf("%.3g %.3g ", found.largest / size, stated / size);
    if (found.hidden > 0 && !is_reported("scale tracks")) fail("%u triangles are hidden that show", found.hidden);
    if (found.shown > 0 && !is_reported("transparen|visib|hide"))
        fail("%u triangles show that are hidden", found.shown);
    const clip_time *worst = &clip_times[found.worst];
    if (found.largest > fmax(1e-4 * size, 1.05 * stated) && !is_reported("in morphs|billboards"))
        fail("off by %.3g, stated are %.3g, at %.3f s of clip %d \"%s\"", found.largest, stated, worst->seconds,
             worst->before, worst->before >= 0 ? before->clips[worst->before].name : "");
    free(clip_times);
}

static int choose(long count)
{
    char name[4096];
    while (fgets(name, sizeof name, stdin)) {
        if (count == 0) continue;  // who writes the names need not know
        name[strcspn(name, "\n")] = '\0';
        sn_model *model = sn_load_file(name, NULL, NULL);
        bool is_usable = false;
        for (uint32_t i = 0; model && i < model->part_count; i++)
            is_usable |= is_in_scene(model, &model->parts[i]) && model->meshes[model->parts[i].mesh].index_count > 0;
        if (is_usable) puts(name), count--;
        sn_model_free(model);
    }
    return 0;
}

int main(int count, char **words)
{
    sn_error error;
    if (count == 2) return choose(atol(words[1]));
    if (count != 4) return 2;
    const sn_load_opts opts = { .continuous = true };  // as `sinew convert` loads it
    sn_model *before = sn_load_file(words[1], &opts, &error);
    sn_model *after = before ? sn_load_file(words[2], NULL, &error) : NULL;
    read_losses(words[3]);
    if (after) compare(before, after);
    else fail("%s: %s", before ? words[2] : words[1], error.message);
    putchar('\n');
    sn_model_free(before);
    sn_model_free(after);
    return problems > 0;
}
