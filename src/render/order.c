// Triangles of a clear part from far to near, as the pose bends them: on the processor, which is quick for as many as
// clear parts have. Light that is added or multiplied needs no order.
#include "render/render.h"

#include <stdlib.h>

enum { MOST_TRIANGLES = 1 << 14 };

typedef struct place {
    float depth;
    uint32_t triangle;
} place;

static int compare_places(const void *left, const void *right)
{
    const place *a = left, *b = right;
    if (a->depth != b->depth) return a->depth > b->depth ? -1 : 1;
    return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

// In front of the eye is far: three times as much as the middle of the triangle.
static void find_places(const sni_pass *pass, const sni_job *job, const sn_mesh *mesh, const sn_vec3 *positions,
                        place *places)
{
    sn_vec3 back = pass->frame->eye.view.back;
    const sn_mat34 *moved = job->actor->place;
    if (moved)
        back = (sn_vec3){ sni_dot(back, sni_mat34_column(moved, 0)), sni_dot(back, sni_mat34_column(moved, 1)),
                          sni_dot(back, sni_mat34_column(moved, 2)) };
    for (uint32_t i = 0; i < mesh->index_count / 3; i++) {
        const uint32_t *corners = mesh->indices + (size_t)i * 3;
        sn_vec3 sum = sni_add(positions[corners[0]], sni_add(positions[corners[1]], positions[corners[2]]));
        places[i] = (place){ -sni_dot(back, sum), i };
    }
}

static bool upload_order(const sni_pass *pass, const sni_job *job, const sn_mesh *mesh, sni_arena *scratch)
{
    uint32_t count = mesh->index_count / 3;
    sn_vec3 *positions = sni_new_raw(scratch, sn_vec3, mesh->vertex_count);
    place *places = sni_new_raw(scratch, place, count);
    uint32_t *indices = sni_new_raw(scratch, uint32_t, (uint64_t)count * 3), *at = indices;
    if (!positions || !places || !indices) return false;
    sn_skin_part(job->actor->pose, job->part, positions, NULL, NULL);
    find_places(pass, job, mesh, positions, places);
    qsort(places, count, sizeof *places, compare_places);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < 3; k++) *at++ = mesh->indices[(size_t)places[i].triangle * 3 + k];
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)((size_t)count * 3 * sizeof *indices), indices, GL_STREAM_DRAW);
    return true;
}

bool sni_order_triangles(const sni_pass *pass, const sni_job *job)
{
    sn_renderer *renderer = pass->renderer;
    const sn_model *model = job->actor->drawable->model;
    const sn_mesh *mesh = &model->meshes[model->parts[job->part].mesh];
    if (!job->is_clear || mesh->topology != SN_TRIANGLES || mesh->index_count < 6 ||
        mesh->index_count / 3 > MOST_TRIANGLES)
        return false;
    if (!renderer->order_buffer) glGenBuffers(1, &renderer->order_buffer);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, renderer->order_buffer);
    if (renderer->ordered == job) return true;
    sni_arena scratch;
    sni_arena_init(&scratch, &renderer->heap);
    bool is_good = upload_order(pass, job, mesh, &scratch);
    sni_arena_free(&scratch);
    renderer->ordered = is_good ? job : NULL;
    return is_good;
}
