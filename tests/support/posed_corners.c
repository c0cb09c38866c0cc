#include "posed_corners.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TIMES = 5 };

typedef struct corners {
    sn_vec3 *at;
    uint32_t count;
} corners;

// All corners of all parts, in order; front faces counter-clockwise. Y up becomes Z up: what faces +Z faces +X.
static corners pose(const sn_model *model, int32_t clip, float time)
{
    corners out = { NULL, 0 };
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

static void compare_at(const sn_model *a, int32_t clip_a, float time_a, const sn_model *b, int32_t clip_b, float time_b,
                       double size, corner_error *largest)
{
    corners one = pose(a, clip_a, time_a), two = pose(b, clip_b, time_b);
    assert_int_equal(one.count, two.count);
    for (uint32_t k = 0; k < one.count; k++) {
        const double d = distance(one.at[k], two.at[k]);
        largest->distance = fmax(largest->distance, d);
        if (size > 0.0) largest->part = fmax(largest->part, d / size);
    }
    free(one.at);
    free(two.at);
}

corner_error compare_corners(const sn_model *a, const sn_model *b, bool is_stretched)
{
    corner_error largest = { 0.0, 0.0 };
    sn_bounds bounds;
    if (a->clip_count == 0) {  // saving may add a clip that shows the rest pose
        assert_true(b->clip_count <= 1);
        assert_int_equal(sn_model_bounds(a, -1, NULL, &bounds), SN_OK);
        compare_at(a, -1, 0.0f, b, (int32_t)b->clip_count - 1, 0.0f, 2.0 * bounds.radius, &largest);
        return largest;
    }
    assert_int_equal(a->clip_count, b->clip_count);
    for (uint32_t clip = 0; clip < a->clip_count; clip++) {
        assert_int_equal(sn_model_bounds(a, (int32_t)clip, NULL, &bounds), SN_OK);
        for (int i = 0; i < TIMES; i++) {
            const float part = (float)(2 * i + 1) / (2 * TIMES), ends = (is_stretched ? b : a)->clips[clip].duration;
            compare_at(a, (int32_t)clip, a->clips[clip].duration * part, b, (int32_t)clip, ends * part,
                       2.0 * bounds.radius, &largest);
        }
    }
    return largest;
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
