// Drops triangles that cannot change the picture before a software driver sees them: most of those of a dense mesh face
// away or contain no sample position. Two million triangles of a grid are 300,000 that may contain one.
//
// What is dropped is dropped safely. Vertices are computed here and in the driver's shader with different roundings,
// and the driver then rounds them to its grid. Both together move a vertex by at most `margin` along each axis, see
// find_margin. A triangle faces away if it still does when each of its corners moves that far, and does not contain a
// sample that is outside an edge even then. Nothing is dropped of a mesh of which a vertex is outside the view:
// llvmpipe takes another path for all neighbours in the list of a triangle that it clips, and slivers come out
// differently there.
#include "render/render.h"

typedef struct projection {
    float clip[16];    // mesh or world to clip space
    float margins[3];  // how far inside the planes of the view a vertex must be
    float half_width, half_height;
} projection;

// To window coordinates. False: a vertex may be outside the view. Sets the least w.
static bool project(const projection *by, const sn_vec3 *from, uint32_t count, sn_vec2 *to, float *least_w)
{
    const projection p = *by;
    const float *m = p.clip;
    float least = INFINITY;
    int32_t is_outside = 0;
    for (uint32_t i = 0; i < count; i++) {
        const sn_vec3 at = from[i];
        const float x = m[0] * at.x + m[4] * at.y + m[8] * at.z + m[12];
        const float y = m[1] * at.x + m[5] * at.y + m[9] * at.z + m[13];
        const float z = m[2] * at.x + m[6] * at.y + m[10] * at.z + m[14];
        const float w = m[3] * at.x + m[7] * at.y + m[11] * at.z + m[15];
        const int32_t in_x = fabsf(x) < w - p.margins[0], in_y = fabsf(y) < w - p.margins[1],
                      in_z = fabsf(z) < w - p.margins[2];
        is_outside |= 1 ^ (in_x & in_y & in_z);
        least = sni_least(least, w);
        to[i].x = (x / w + 1) * p.half_width;
        to[i].y = (y / w + 1) * p.half_height;
    }
    *least_w = least;
    return !is_outside;
}

typedef struct culling {
    const sni_raster *raster;
    float margin;
    bool keeps_ccw, keeps_cw;
} culling;

// Triangles in window coordinates: loops over one of these arrays are compiled to vector instructions.
enum { BLOCK = 128 };
typedef struct block {
    float x[3][BLOCK], y[3][BLOCK];                                  // corners
    float low_x[BLOCK], low_y[BLOCK], high_x[BLOCK], high_y[BLOCK];  // with the margin
    int32_t turn[BLOCK];        // 1: counter-clockwise, -1: clockwise, 0: it may be either
    int32_t has_sample[BLOCK];  // in its box
} block;

static void load_block(block *t, const sn_vec2 *at, const uint32_t *indices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            const sn_vec2 corner = at[*indices++];
            t->x[k][i] = corner.x, t->y[k][i] = corner.y;
        }
}

static void find_boxes(const culling *by, block *t)
{
    const float margin = by->margin;
    const int32_t ccw = by->keeps_ccw, cw = by->keeps_cw;
    for (int i = 0; i < BLOCK; i++) {
        const float x0 = t->x[0][i], x1 = t->x[1][i], x2 = t->x[2][i];
        const float y0 = t->y[0][i], y1 = t->y[1][i], y2 = t->y[2][i];
        const float ux = x1 - x0, uy = y1 - y0, vx = x2 - x0, vy = y2 - y0;
        const float area = ux * vy - uy * vx;
        const float unsure = 2 * margin * (fabsf(ux) + fabsf(uy) + fabsf(vx) + fabsf(vy) + 4 * margin);
        const int32_t is_ccw = area > unsure, is_cw = area < -unsure, is_dropped = (is_ccw & !ccw) | (is_cw & !cw);
        t->turn[i] = is_ccw - is_cw;
        t->low_x[i] = sni_least(sni_least(x0, x1), x2) - margin;
        t->low_y[i] = sni_least(sni_least(y0, y1), y2) - margin;
        t->high_x[i] = is_dropped ? -1 : sni_most(sni_most(x0, x1), x2) + margin;
        t->high_y[i] = sni_most(sni_most(y0, y1), y2) + margin;
        t->has_sample[i] = 0;
    }
}

// The first position offset, offset + 1, ... from `from` on.
static inline float first_sample(float from, float offset)
{
    float at = (float)(int)(from - offset) + offset;
    return at + (at < from ? 1.0f : 0.0f);
}

static void find_samples(const sni_raster *raster, block *t)
{
    for (uint32_t k = 0; k < raster->sample_count; k++) {
        const sn_vec2 offset = raster->samples[k];
        for (int i = 0; i < BLOCK; i++) {
            const int32_t in_x = first_sample(t->low_x[i], offset.x) <= t->high_x[i];
            const int32_t in_y = first_sample(t->low_y[i], offset.y) <= t->high_y[i];
            t->has_sample[i] |= in_x & in_y;
        }
    }
}

// The sample is to the left of the edge, or not far from it.
static inline bool is_left(sn_vec2 from, sn_vec2 to, sn_vec2 sample, float margin)
{
    float x = to.x - from.x, y = to.y - from.y;
    return x * (sample.y - from.y) - y * (sample.x - from.x) >= -margin * (fabsf(x) + fabsf(y));
}

// False: each sample in the box is outside an edge.
static bool may_cover(const culling *by, const block *t, uint32_t i)
{
    const float margin = by->margin;
    if (t->turn[i] == 0 || (t->high_x[i] - t->low_x[i] > 3 && t->high_y[i] - t->low_y[i] > 3)) return true;
    const int second = t->turn[i] > 0 ? 1 : 2, third = 3 - second;
    const sn_vec2 a = { t->x[0][i], t->y[0][i] }, b = { t->x[second][i], t->y[second][i] },
                  c = { t->x[third][i], t->y[third][i] };
    for (uint32_t k = 0; k < by->raster->sample_count; k++) {
        const sn_vec2 offset = by->raster->samples[k];
        const float first = first_sample(t->low_x[i], offset.x);
        sn_vec2 at;
        for (at.y = first_sample(t->low_y[i], offset.y); at.y <= t->high_y[i]; at.y++)
            for (at.x = first; at.x <= t->high_x[i]; at.x++)
                if (is_left(a, b, at, margin) && is_left(b, c, at, margin) && is_left(c, a, at, margin)) return true;
    }
    return false;
}

static uint32_t keep_triangles(const culling *by, const sn_mesh *mesh, const sn_vec2 *at, uint32_t *kept)
{
    const uint32_t triangles = mesh->index_count / 3;
    block t = { 0 };
    uint32_t count = 0;
    for (uint32_t first = 0, some; first < triangles; first += some) {
        const uint32_t *indices = mesh->indices + (size_t)first * 3;
        some = triangles - first < BLOCK ? triangles - first : BLOCK;
        load_block(&t, at, indices, some);
        find_boxes(by, &t);
        find_samples(by->raster, &t);
        for (uint32_t i = 0; i < some; i++) {
            if (!t.has_sample[i] || !may_cover(by, &t, i)) continue;
            for (uint32_t k = 0; k < 3; k++) kept[count++] = indices[(size_t)i * 3 + k];
        }
    }
    return count;
}

// Bounds of what is summed for a coordinate of a vertex in world space, whatever its sign: roundings are relative to
// that.
static sn_vec3 add_reach(sn_vec3 most, const sn_mat34 *by, const sni_box *box, float more)
{
    const float x = fmaxf(-box->min.x, box->max.x) + more, y = fmaxf(-box->min.y, box->max.y) + more,
                z = fmaxf(-box->min.z, box->max.z) + more;
    float reach[3];
    for (int r = 0; r < 3; r++)
        reach[r] = fabsf(by->m[r][0]) * x + fabsf(by->m[r][1]) * y + fabsf(by->m[r][2]) * z + fabsf(by->m[r][3]);
    return sni_vec3(fmaxf(most.x, reach[0]), fmaxf(most.y, reach[1]), fmaxf(most.z, reach[2]));
}

static sn_vec3 reach_of(const sn_actor *actor, int32_t index)
{
    const sn_part *part = &actor->drawable->model->parts[index];
    const sn_mesh *mesh = &actor->drawable->model->meshes[part->mesh];
    const sni_mesh_boxes *boxes = &actor->drawable->mesh_bounds[part->mesh].boxes;
    const float *weights = sn_pose_morphs(actor->pose, index);
    sn_vec3 reach = { 0, 0, 0 };
    float more = 0;
    for (uint32_t i = 0; weights && i < mesh->morph_count; i++) more += fabsf(weights[i]) * boxes->morphs[i].distance;
    if (mesh->influence_count == 0) {
        sn_mat34 world = sn_pose_world(actor->pose, part->node);
        reach = add_reach(reach, &world, &boxes->all, more);
    } else {
        const sn_mat34 *palette = sn_pose_palette(actor->pose, part->skin);
        for (uint32_t i = 0; i < boxes->joint_count; i++)
            if (!sni_box_is_empty(&boxes->joints[i])) reach = add_reach(reach, &palette[i], &boxes->joints[i], more);
    }
    const sni_box all = { { -reach.x, -reach.y, -reach.z }, reach };
    return actor->transform ? add_reach(sni_vec3(0, 0, 0), actor->transform, &all, 0) : reach;
}

// The largest error of a row of clip coordinates: so many roundings of what is summed.
static float row_error(const sni_mat44 *clip, int row, sn_vec3 reach, float roundings)
{
    const float *m = clip->m + row;
    float sum = fabsf(m[0]) * reach.x + fabsf(m[4]) * reach.y + fabsf(m[8]) * reach.z + fabsf(m[12]);
    return sum * roundings * 0x1p-24f;
}

static const float most_margin = 0.1f;  // in pixels; beyond it hardly anything would be dropped

// Roundings: skinning, morphs and both matrices in the shader, and the same here. What they add up to in clip space
// moves a point by that over w; window coordinates are rounded again here and there, then to the driver's grid.
static float find_margin(const sni_pass *pass, const float errors[4], float least_w)
{
    const sni_raster *raster = &pass->raster;
    const float width = (float)raster->width, height = (float)raster->height, side = fmaxf(width, height);
    const float moved = fmaxf(width * (errors[0] + errors[3]), height * (errors[1] + errors[3])) / (2 * least_w);
    return moved + side * 0x1p-20f + raster->grid;
}

// The positions in window coordinates, and how far the driver's may be from them. False: out of memory, or not all are
// in the view.
static bool project_part(const sni_pass *pass, const sn_actor *actor, int32_t index, sni_arena *scratch, sn_vec2 *to,
                         float *margin)
{
    const sn_model *model = actor->drawable->model;
    const sn_part *part = &model->parts[index];
    const sn_mesh *mesh = &model->meshes[part->mesh];
    const sn_vec3 *from = mesh->positions;
    sn_mat34 world = { { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };
    if (mesh->influence_count > 0 || sn_pose_morphs(actor->pose, index)) {
        sn_vec3 *posed = sni_new_raw(scratch, sn_vec3, mesh->vertex_count);
        if (!posed) return false;
        sn_skin_part(actor->pose, index, posed, NULL, NULL);
        from = posed;
    } else {
        world = sn_pose_world(actor->pose, part->node);
    }
    if (actor->transform) world = sni_mat34_mul(actor->transform, &world);

    const sn_vec3 reach = reach_of(actor, index);
    const float roundings = 32 + 2 * (float)(mesh->influence_count + mesh->morph_count);
    float errors[4];
    for (int r = 0; r < 4; r++) errors[r] = row_error(&pass->clip, r, reach, roundings);
    projection by = { .half_width = (float)pass->raster.width / 2, .half_height = (float)pass->raster.height / 2 };
    for (int r = 0; r < 3; r++) by.margins[r] = errors[r] + errors[3];
    for (int c = 0; c < 4; c++)
        for (int r = 0; r < 4; r++) {
            double sum = c == 3 ? (double)pass->clip.m[12 + r] : 0.0;
            for (int k = 0; k < 3; k++) sum += (double)pass->clip.m[k * 4 + r] * (double)world.m[k][c];
            by.clip[c * 4 + r] = (float)sum;
        }
    float least_w;
    if (!project(&by, from, mesh->vertex_count, to, &least_w)) return false;
    *margin = find_margin(pass, errors, least_w);
    return true;
}

static bool upload_kept(const sni_pass *pass, const sni_batch *batch, const sn_mesh *mesh, uint32_t faces,
                        sni_arena *scratch)
{
    sn_renderer *renderer = pass->renderer;
    culling c = { .raster = &pass->raster,
                  .keeps_ccw = faces & (batch->is_mirrored ? SNI_BACK_FACES : SNI_FRONT_FACES),
                  .keeps_cw = faces & (batch->is_mirrored ? SNI_FRONT_FACES : SNI_BACK_FACES) };
    sn_vec2 *at = sni_new_raw(scratch, sn_vec2, mesh->vertex_count);
    uint32_t *kept = sni_new_raw(scratch, uint32_t, mesh->index_count);
    if (!at || !kept || !project_part(pass, batch->actor, batch->part, scratch, at, &c.margin)) return false;
    if (!(c.margin <= most_margin)) return false;
    renderer->kept_count = keep_triangles(&c, mesh, at, kept);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)((size_t)renderer->kept_count * sizeof *kept), kept,
                 GL_STREAM_DRAW);
    return true;
}

void sni_raster_find(sni_pass *pass, uint32_t width, uint32_t height)
{
    GLint bits = 4;
    pass->renderer->kept_batch = NULL;
    pass->raster = (sni_raster){ .width = width, .height = height };
    if (!(pass->renderer->culled_density < INFINITY)) return;
    glGetIntegerv(GL_SUBPIXEL_BITS, &bits);
    pass->raster.grid = ldexpf(1, -bits);
    pass->raster.sample_count = sni_context_sample_positions(pass->raster.samples, SNI_MAX_SAMPLES);
}

bool sni_cull_triangles(const sni_pass *pass, const sni_batch *batch, uint32_t faces)
{
    sn_renderer *renderer = pass->renderer;
    const sn_model *model = batch->actor->drawable->model;
    const sn_mesh *mesh = &model->meshes[model->parts[batch->part].mesh];
    const float pixels = (float)pass->raster.width * (float)pass->raster.height;
    if (mesh->topology != SN_TRIANGLES || batch->count != 1 || pass->raster.sample_count == 0 ||
        !((float)(mesh->index_count / 3) >= renderer->culled_density * pixels))
        return false;
    if (!renderer->kept_buffer) glGenBuffers(1, &renderer->kept_buffer);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, renderer->kept_buffer);
    if (renderer->kept_batch == batch && renderer->kept_faces == faces) return true;
    sni_arena scratch;
    sni_arena_init(&scratch, &renderer->heap);
    bool is_good = upload_kept(pass, batch, mesh, faces, &scratch);
    sni_arena_free(&scratch);
    renderer->kept_batch = is_good ? batch : NULL;
    renderer->kept_faces = faces;
    return is_good;
}
