#include "posed_corners.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TIMES = 5 };

enum { MOST_PARTS = 256 };

typedef struct corners {
    sn_vec3 *at;
    uint32_t count, part_count;
    uint32_t starts[MOST_PARTS + 1];  // of parts; the last is the end
} corners;

// All corners of all parts, in order; front faces counter-clockwise. Y up becomes Z up: what faces +Z faces +X.
static corners pose(const sn_model *model, int32_t clip, float time)
{
    corners out = { .at = NULL };
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    assert_non_null(pose);
    sn_pose_sample(pose, clip, time, time);
    sn_pose_solve(pose, NULL);
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_mesh *mesh = &model->meshes[model->parts[i].mesh];
        if (model->parts[i].lod > 0 || mesh->topology != SN_TRIANGLES) continue;
        sn_vec3 *places = calloc(mesh->vertex_count + 1, sizeof *places);
        sn_skin_part(pose, (int32_t)i, places, NULL, NULL);
        out.at = realloc(out.at, (out.count + mesh->index_count + 1) * sizeof *out.at);
        for (uint32_t k = 0; k < mesh->index_count; k++) {
            const bool swaps = sn_pose_mirrors(pose, (int32_t)i);
            const uint32_t corner = !swaps || k % 3 == 0 ? k : k % 3 == 1 ? k + 1 : k - 1;
            const sn_vec3 v = places[mesh->indices[corner]];
            out.at[out.count++] = model->up_axis == SN_Y_UP ? (sn_vec3){ v.z, v.x, v.y } : v;
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

static uint32_t part_size(const corners *c, uint32_t part) { return c->starts[part + 1] - c->starts[part]; }

static double part_distance(const corners *a, uint32_t i, const corners *b, uint32_t k)
{
    double largest = 0.0;
    for (uint32_t c = 0; c < part_size(a, i); c++)
        largest = fmax(largest, distance(a->at[a->starts[i] + c], b->at[b->starts[k] + c]));
    return largest;
}

// Formats may change the order of parts: each part of `a` gets the nearest part of `b` of its size. False: some have
// none, as when parts were split.
static bool match_parts(const corners *a, const corners *b, uint32_t match[MOST_PARTS])
{
    bool is_taken[MOST_PARTS] = { false };
    if (a->part_count != b->part_count) return false;
    for (uint32_t i = 0; i < a->part_count; i++) {
        double best = INFINITY;
        for (uint32_t k = 0; k < b->part_count; k++) {
            if (is_taken[k] || part_size(a, i) != part_size(b, k)) continue;
            const double d = part_distance(a, i, b, k);
            if (d < best) best = d, match[i] = k;
        }
        if (best == INFINITY) return false;
        is_taken[match[i]] = true;
    }
    return true;
}

static double compare_pose(const corners *a, const corners *b, const uint32_t *match)
{
    double largest = 0.0;
    if (a->count != b->count) return INFINITY;
    for (uint32_t i = 0; match && i < a->part_count; i++) largest = fmax(largest, part_distance(a, i, b, match[i]));
    for (uint32_t k = 0; !match && k < a->count; k++) largest = fmax(largest, distance(a->at[k], b->at[k]));
    return largest;
}

// One pose of each. Parts are matched in the first, `match` NULL: by their order.
typedef struct comparison {
    uint32_t match[MOST_PARTS];
    bool is_begun, is_matched;
    corner_error largest;
} comparison;

static void compare_at(comparison *c, corners one, corners two, double size)
{
    if (!c->is_begun) c->is_matched = match_parts(&one, &two, c->match);
    c->is_begun = true;
    const double d = compare_pose(&one, &two, c->is_matched ? c->match : NULL);
    c->largest.distance = fmax(c->largest.distance, d);
    if (size > 0.0) c->largest.part = fmax(c->largest.part, d / size);
    free(one.at);
    free(two.at);
}

corner_error compare_corners(const sn_model *a, const sn_model *b, bool is_stretched)
{
    comparison c = { .is_begun = false };
    const bool is_static = a->clip_count == 0 && b->clip_count <= 1;  // saving may add a clip that shows the rest pose
    sn_bounds bounds;
    if (is_static) {
        assert_int_equal(sn_model_bounds(a, -1, NULL, &bounds), SN_OK);
        compare_at(&c, pose(a, -1, 0.0f), pose(b, (int32_t)b->clip_count - 1, 0.0f), 2.0 * bounds.radius);
        return c.largest;
    }
    if (a->clip_count != b->clip_count) return (corner_error){ INFINITY, INFINITY };
    for (uint32_t clip = 0; clip < a->clip_count; clip++) {
        const float end = a->clips[clip].duration, other = (is_stretched ? b : a)->clips[clip].duration;
        assert_int_equal(sn_model_bounds(a, (int32_t)clip, NULL, &bounds), SN_OK);
        for (int i = 0; i < TIMES; i++) {
            const float part = (float)(2 * i + 1) / (2 * TIMES);
            compare_at(&c, pose(a, (int32_t)clip, end * part), pose(b, (int32_t)clip, other * part),
                       2.0 * bounds.radius);
        }
    }
    return c.largest;
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
