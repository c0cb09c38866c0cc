#include "posed_corners.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TIMES = 5, MATCH_POSES = 6, MOST_PARTS = 256 };

typedef struct triangles {
    sn_vec3 (*at)[3];
    uint32_t count, part_count;
    uint32_t starts[MOST_PARTS + 1];  // of parts; the last is the end
} triangles;

// Which triangle of the other model it is, and which of its corners is the first.
typedef struct match {
    uint32_t triangle;
    int order;
} match;

static bool is_place(sn_vec3 a, sn_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static bool counts(const sn_model *model, const sn_part *part, bool of_all_scenes)
{
    const sn_scene *scene = model->scene_count > 1 && !of_all_scenes ? &model->scenes[model->default_scene] : NULL;
    int32_t root = part->node;
    if (part->lod > 0 || model->meshes[part->mesh].topology != SN_TRIANGLES) return false;
    while (model->nodes[root].parent >= 0) root = model->nodes[root].parent;
    for (uint32_t i = 0; scene && i < scene->root_count; i++)
        if (scene->roots[i] == root) return true;
    return !scene;
}

// Front faces are counter-clockwise. What faces +X where Z is up faces +Z where Y is up.
static triangles pose_triangles(const sn_model *model, int32_t clip, float time, bool of_all_scenes)
{
    static const sn_view z_up = { { 0, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 0 } };
    static const sn_view y_up = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    triangles out = { .at = NULL };
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    assert_non_null(pose);
    sn_pose_sample(pose, clip, time, time);
    sn_pose_solve(pose, model->up_axis == SN_Z_UP ? &z_up : &y_up);
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_mesh *mesh = &model->meshes[model->parts[i].mesh];
        if (!counts(model, &model->parts[i], of_all_scenes)) continue;
        const bool swaps = sn_pose_mirrors(pose, (int32_t)i);
        sn_vec3 *places = calloc(mesh->vertex_count + 1, sizeof *places);
        sn_skin_part(pose, (int32_t)i, places, NULL, NULL);
        out.at = realloc(out.at, (out.count + mesh->index_count / 3 + 1) * sizeof *out.at);
        for (uint32_t k = 0; k + 2 < mesh->index_count; k += 3) {
            const uint32_t *c = mesh->indices + k;
            const sn_vec3 *p = mesh->positions;
            if (is_place(p[c[0]], p[c[1]]) || is_place(p[c[1]], p[c[2]]) || is_place(p[c[0]], p[c[2]])) continue;
            for (int n = 0; n < 3; n++) {
                const sn_vec3 v = places[c[swaps ? (3 - n) % 3 : n]];
                out.at[out.count][n] = model->up_axis == SN_Z_UP ? (sn_vec3){ v.y, v.z, v.x } : v;
            }
            out.count++;
        }
        assert_true(out.part_count < MOST_PARTS);
        out.starts[++out.part_count] = out.count;
        free(places);
    }
    sn_pose_free(pose);
    return out;
}

static double distance(sn_vec3 a, sn_vec3 b)
{
    const double x = (double)a.x - b.x, y = (double)a.y - b.y, z = (double)a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

static double apart(const sn_vec3 a[3], const sn_vec3 b[3], int order)
{
    static const int orders[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 0, 2, 1 }, { 2, 1, 0 }, { 1, 0, 2 } };
    double largest = 0.0;
    for (int i = 0; i < 3; i++) largest = fmax(largest, distance(a[i], b[orders[order][i]]));
    return largest;
}

static uint32_t part_size(const triangles *t, uint32_t part) { return t->starts[part + 1] - t->starts[part]; }

static double part_distance(const triangles *a, uint32_t i, const triangles *b, uint32_t k)
{
    double largest = 0.0;
    for (uint32_t n = 0; n < part_size(a, i); n++)
        largest = fmax(largest, apart(a->at[a->starts[i] + n], b->at[b->starts[k] + n], 0));
    return largest;
}

// Formats may change the order of parts: each gets the nearest of its size. False: some have none.
static bool match_parts(const triangles *a, const triangles *b, match *matches)
{
    bool is_taken[MOST_PARTS] = { false };
    if (a->part_count != b->part_count) return false;
    for (uint32_t i = 0; i < a->part_count; i++) {
        double best = INFINITY;
        uint32_t found = 0;
        for (uint32_t k = 0; k < b->part_count; k++) {
            if (is_taken[k] || part_size(a, i) != part_size(b, k)) continue;
            const double d = part_distance(a, i, b, k);
            if (d < best) best = d, found = k;
        }
        if (best == INFINITY) return false;
        is_taken[found] = true;
        for (uint32_t n = 0; n < part_size(a, i); n++) matches[a->starts[i] + n] = (match){ b->starts[found] + n, 0 };
    }
    return true;
}

// For each triangle the nearest that no other has.
static void match_triangles(const triangles *one, const triangles *two, match *matches)
{
    const uint32_t count = one[0].count;
    bool *is_taken = calloc(count + 1, sizeof *is_taken);
    for (uint32_t i = 0; i < count; i++) {
        double best = HUGE_VAL;
        for (uint32_t k = 0; k < count && best > 0.0; k++) {
            for (int order = 0; order < 6 && !is_taken[k]; order++) {
                double far = 0.0;
                for (int p = 0; p < MATCH_POSES && far < best; p++)
                    far = fmax(far, apart(one[p].at[i], two[p].at[k], order));
                if (far < best) best = far, matches[i] = (match){ k, order };
            }
        }
        is_taken[matches[i].triangle] = true;
    }
    free(is_taken);
}

// NULL: not as many triangles.
static match *find_matches(const triangles *one, const triangles *two)
{
    if (one[0].count != two[0].count) return NULL;
    match *matches = calloc(one[0].count + 1, sizeof *matches);
    if (!match_parts(&one[0], &two[0], matches)) match_triangles(one, two, matches);
    return matches;
}

typedef struct clip_time {
    int32_t clip, other_clip;
    float time, other_time;
} clip_time;

static clip_time clip_time_of(const sn_model *a, const sn_model *b, bool is_stretched, int32_t clip, int i)
{
    const float part = (float)(2 * i + 1) / (2 * TIMES);
    if (clip < 0)
        return (clip_time){ -1, (int32_t)b->clip_count - 1, 0.0f, 0.0f };  // saving may add a clip of the rest
    return (clip_time){ clip, clip, a->clips[clip].duration * part,
                        (is_stretched ? b : a)->clips[clip].duration * part };
}

static corner_error compare(const sn_model *a, const sn_model *b, bool is_stretched, bool of_all_scenes)
{
    const int32_t last = (int32_t)a->clip_count - 1;
    triangles one[MATCH_POSES], two[MATCH_POSES];
    corner_error largest = { 0 };
    if (last < 0 ? b->clip_count > 1 : a->clip_count != b->clip_count) return (corner_error){ INFINITY, INFINITY };
    for (int p = 0; p < MATCH_POSES; p++) {
        const clip_time m = clip_time_of(a, b, is_stretched, last < 0 ? -1 : p * (last + 1) / MATCH_POSES, p % TIMES);
        one[p] = pose_triangles(a, m.clip, m.time, of_all_scenes),
        two[p] = pose_triangles(b, m.other_clip, m.other_time, of_all_scenes);
    }
    match *matches = find_matches(one, two);
    if (!matches) largest = (corner_error){ INFINITY, INFINITY };
    for (int32_t clip = last < 0 ? -1 : 0; matches && clip <= last; clip++) {
        sn_bounds bounds;
        assert_int_equal(sn_model_bounds(a, clip, NULL, &bounds), SN_OK);
        for (int i = 0; i < (clip < 0 ? 1 : TIMES); i++) {
            const clip_time m = clip_time_of(a, b, is_stretched, clip, i);
            triangles was = pose_triangles(a, m.clip, m.time, of_all_scenes),
                      is = pose_triangles(b, m.other_clip, m.other_time, of_all_scenes);
            for (uint32_t k = 0; k < was.count; k++) {
                const double far = apart(was.at[k], is.at[matches[k].triangle], matches[k].order);
                largest.distance = fmax(largest.distance, far);
                if (bounds.radius > 0.0f) largest.part = fmax(largest.part, far / (2.0 * bounds.radius));
            }
            free(was.at), free(is.at);
        }
    }
    free(matches);
    for (int p = 0; p < MATCH_POSES; p++) free(one[p].at), free(two[p].at);
    return largest;
}

// Formats with one scene have the default one, or all in one.
corner_error compare_corners(const sn_model *a, const sn_model *b, bool is_stretched)
{
    const corner_error found = compare(a, b, is_stretched, false);
    return isinf(found.part) ? compare(a, b, is_stretched, true) : found;
}

void print_loss(void *user, const sn_warning *loss)
{
    (void)user;
    if (getenv("SINEW_TEST_VERBOSE"))
        printf("    %s %s: %s (%u)\n", sn_warning_name(loss->code), loss->path, loss->message, loss->count);
}

void add_stated_error(void *user, const sn_warning *loss)
{
    static const char words[] = "off by up to ";
    const char *at = strstr(loss->message, words);
    if (at) *(double *)user += strtod(at + strlen(words), NULL);
    print_loss(NULL, loss);
}
