#include "compare_posed.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TIMES = 5, POSES = 6 };

typedef struct triangles {
    sn_vec3 (*at)[3];
    uint32_t count;
} triangles;

static bool is_same_place(sn_vec3 a, sn_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static bool is_shown(const sn_model *model, const sn_part *part)
{
    const sn_scene *scene = model->scene_count > 1 ? &model->scenes[model->default_scene] : NULL;
    int32_t root = part->node;
    if (part->lod > 0 || model->meshes[part->mesh].topology != SN_TRIANGLES) return false;
    while (model->nodes[root].parent >= 0) root = model->nodes[root].parent;
    for (uint32_t i = 0; scene && i < scene->root_count; i++)
        if (scene->roots[i] == root) return true;
    return !scene;
}

// All triangles of all parts that are exported; Z up becomes Y up: what faces +X faces +Z. The viewer is in front.
static triangles pose_triangles(const sn_model *model, int32_t clip, float time)
{
    static const sn_view z_up = { { 0, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 0 } };
    static const sn_view y_up = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    triangles out = { NULL, 0 };
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    assert_non_null(pose);
    sn_pose_sample(pose, clip, time, time);
    sn_pose_solve(pose, model->up_axis == SN_Z_UP ? &z_up : &y_up);
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_mesh *mesh = &model->meshes[model->parts[i].mesh];
        if (!is_shown(model, &model->parts[i])) continue;
        sn_vec3 *places = calloc(mesh->vertex_count + 1, sizeof *places);
        sn_skin_part(pose, (int32_t)i, places, NULL, NULL);
        out.at = realloc(out.at, (out.count + mesh->index_count / 3 + 1) * sizeof *out.at);
        for (uint32_t k = 0; k + 2 < mesh->index_count; k += 3) {
            const uint32_t *corners = mesh->indices + k;
            const sn_vec3 a = mesh->positions[corners[0]], b = mesh->positions[corners[1]],
                          c = mesh->positions[corners[2]];
            if (is_same_place(a, b) || is_same_place(b, c) || is_same_place(a, c)) continue;  // nothing to see
            for (int n = 0; n < 3; n++) {
                const sn_vec3 v = places[corners[n]];
                out.at[out.count][n] = model->up_axis == SN_Z_UP ? (sn_vec3){ v.y, v.z, v.x } : v;
            }
            out.count++;
        }
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

// The largest distance of two corners, with the corners in one of six orders.
static double apart(const sn_vec3 a[3], const sn_vec3 b[3], int order)
{
    static const int orders[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 0, 2, 1 }, { 2, 1, 0 }, { 1, 0, 2 } };
    double largest = 0.0;
    for (int i = 0; i < 3; i++) largest = fmax(largest, distance(a[i], b[orders[order][i]]));
    return largest;
}

typedef struct match {
    uint32_t triangle;
    int order;
} match;

// For each triangle of the first model the nearest of the second that no other has.
static match *find_matches(const triangles one[POSES], const triangles two[POSES])
{
    const uint32_t count = one[0].count;
    match *matches = calloc(count + 1, sizeof *matches);
    bool *is_taken = calloc(count + 1, sizeof *is_taken);
    for (uint32_t i = 0; i < count; i++) {
        double best = HUGE_VAL;
        for (uint32_t k = 0; k < count; k++) {
            if (is_taken[k]) continue;
            for (int order = 0; order < 6; order++) {
                double far = 0.0;
                for (int p = 0; p < POSES && far < best; p++) far = fmax(far, apart(one[p].at[i], two[p].at[k], order));
                if (far < best) best = far, matches[i] = (match){ k, order };
            }
            if (best == 0.0) break;
        }
        is_taken[matches[i].triangle] = true;
    }
    free(is_taken);
    return matches;
}

static float time_of(const sn_clip *clip, int i) { return clip->duration * (float)(2 * i + 1) / (2 * TIMES); }

// The largest distance of two corners, as a part of the model's size.
double compare_posed(const sn_model *a, const sn_model *b)
{
    double largest = 0.0;
    triangles one[POSES], two[POSES];
    const int32_t last = (int32_t)a->clip_count - 1;
    assert_int_equal(a->clip_count, b->clip_count);
    for (int p = 0; p < POSES; p++) {
        const int32_t clip = last < 0 ? -1 : p * (last + 1) / POSES;
        const float time = clip < 0 ? 0.0f : time_of(&a->clips[clip], p % TIMES);
        one[p] = pose_triangles(a, clip, time);
        two[p] = pose_triangles(b, clip, time);
        assert_int_equal(one[p].count, two[p].count);
    }
    match *matches = find_matches(one, two);
    for (int32_t clip = last < 0 ? -1 : 0; clip <= last; clip++) {
        sn_bounds bounds;
        assert_int_equal(sn_model_bounds(a, clip, NULL, &bounds), SN_OK);
        if (clip >= 0) assert_true(fabs((double)a->clips[clip].duration - b->clips[clip].duration) < 1e-5);
        for (int i = 0; i < TIMES; i++) {
            const float time = clip < 0 ? 0.0f : time_of(&a->clips[clip], i);
            triangles was = pose_triangles(a, clip, time), is = pose_triangles(b, clip, time);
            for (uint32_t k = 0; k < was.count; k++)
                largest = fmax(largest,
                               apart(was.at[k], is.at[matches[k].triangle], matches[k].order) / (2.0 * bounds.radius));
            free(was.at);
            free(is.at);
        }
    }
    free(matches);
    for (int p = 0; p < POSES; p++) free(one[p].at), free(two[p].at);
    return largest;
}
