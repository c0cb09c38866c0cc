#include "posed_corners.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

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

corner_error compare_corners(const sn_model *a, const sn_model *b, bool is_stretched)
{
    corner_error largest = { 0.0, 0.0 };
    assert_int_equal(a->clip_count, b->clip_count);
    for (uint32_t clip = 0; clip < a->clip_count; clip++) {
        sn_bounds bounds;
        assert_int_equal(sn_model_bounds(a, (int32_t)clip, NULL, &bounds), SN_OK);
        for (int i = 0; i < TIMES; i++) {
            const float part = (float)(2 * i + 1) / (2 * TIMES);
            corners one = pose(a, (int32_t)clip, a->clips[clip].duration * part),
                    two = pose(b, (int32_t)clip, (is_stretched ? b : a)->clips[clip].duration * part);
            assert_int_equal(one.count, two.count);
            for (uint32_t k = 0; k < one.count; k++) {
                const double d = distance(one.at[k], two.at[k]);
                largest.distance = fmax(largest.distance, d);
                largest.part = fmax(largest.part, d / (2.0 * bounds.radius));
            }
            free(one.at);
            free(two.at);
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
