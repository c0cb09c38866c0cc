// Drops triangles that cannot change the picture before a software driver sees them: most of those of a dense mesh face
// away, contain no sample position or are behind others. Of two million triangles of a closed surface 310,000 are left.
//
// What is dropped is dropped safely. Vertices are computed here and in the driver's shader with different roundings,
// and the driver then rounds them to its grid. Both together move a vertex by at most `margin` along each axis, see
// find_margins. A triangle faces away if it still does when each of its corners moves that far. A sample that is
// outside an edge even then is not covered; one that is inside all edges even then is.
//
// The driver's depth of a sample is that of the plane through the corners before they are rounded to its grid, so it is
// within the depths of the corners, and as much beyond as the plane rises in `margin`. That includes what the driver
// loses because it computes the plane at the corner of the picture: 2^-21 of what the plane rises over a side.
//
// Nothing is dropped of a mesh of which a vertex is outside the view: llvmpipe takes another path for all neighbours in
// the list of a triangle that it clips, and slivers come out differently there.
#include "base/simd_built_in.h"
#include "render/render.h"

typedef struct projection {
    float clip[16];    // mesh or world to clip space
    float margins[3];  // how far inside the planes of the view a vertex must be
    float half_width, half_height;
} projection;

// To window coordinates, z is the depth. False: a vertex may be outside the view. Sets the least w.
static bool project(const projection *by, const sn_vec3 *from, uint32_t count, sn_vec3 *to, float *least_w)
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
        to[i].z = (z / w + 1) * 0.5f;
    }
    *least_w = least;
    return !is_outside;
}

// A triangle that may cover a sample.
typedef struct candidate {
    float nearest;       // no sample of it is nearer
    uint32_t pixel_end;  // in the list of pixels. None: it is drawn
} candidate;

typedef struct culling {
    const sni_raster *raster;
    v4 sample_x, sample_y;
    float margin, depth_margin;
    bool keeps_ccw, keeps_cw, hides;
    candidate *candidates;
    float *depths;     // per sample: something that hides what is behind it covers it, and is nowhere farther
    uint32_t *pixels;  // that candidates may cover: number << SNI_MAX_SAMPLES | a bit for each sample
    uint32_t pixel_count, most_pixels;
} culling;

// The edges of a triangle, in three lanes. A sample is inside of one, or not far from it, where
// x * sample.y - y * sample.x + at > 0, and certainly inside where that is more than twice_unsure. Positions are
// relative to the corner of a pixel.
typedef struct edges {
    v4 x, y, at, twice_unsure;
} edges;

static edges find_edges(v4 a, v4 b, v4 c, float area, float margin)
{
    v4 x = a, y = b, z = c, w = v4_set1(0);
    v4_transpose(&x, &y, &z, &w);
    const v4 to_x = v4_mul_sign(v4_set1(area), v4_sub(v4_yzxw(x), x)),
             to_y = v4_mul_sign(v4_set1(area), v4_sub(v4_yzxw(y), y));
    const v4 unsure = v4_fma(v4_add(v4_abs(to_x), v4_abs(to_y)), v4_set1(margin), v4_set1(FLT_MIN));
    return (edges){ to_x, to_y, v4_sub(unsure, v4_sub(v4_mul(to_x, y), v4_mul(to_y, x))), v4_add(unsure, unsure) };
}

static v4 least_of(v4 a, v4 b, v4 c) { return v4_min(v4_min(a, b), c); }
static v4 most_of(v4 a, v4 b, v4 c) { return v4_max(v4_max(a, b), c); }

static v4 at_samples(const culling *by, v4 x, v4 y, v4 at)
{
    return v4_add(v4_sub(v4_mul(x, by->sample_y), v4_mul(y, by->sample_x)), at);
}

// A rectangle of pixels.
typedef struct pixel_box {
    int32_t left, right, low, high;
} pixel_box;

// Notes the pixels where a triangle may be seen, and its depth at the samples that it certainly covers. False: each
// sample in the box is outside an edge, or behind what was there before. Without branches: they would be guessed wrong.
static bool may_be_seen(culling *by, pixel_box box, edges e, float nearest, float farthest)
{
    const v4 zero = v4_set1(0), near = v4_set1(nearest), far = v4_set1(farthest), none = v4_set1(INFINITY);
    const v4 x0 = v4_x(e.x), y0 = v4_x(e.y), first = at_samples(by, x0, y0, v4_x(e.at));
    const v4 x1 = v4_y(e.x), y1 = v4_y(e.y), second = at_samples(by, x1, y1, v4_y(e.at));
    const v4 x2 = v4_z(e.x), y2 = v4_z(e.y), third = at_samples(by, x2, y2, v4_z(e.at));
    const uint32_t noted = by->pixel_count;
    uint32_t count = noted;
    for (int32_t y = box.low; y <= box.high; y++)
        for (int32_t x = box.left; x <= box.right; x++) {
            const v4 aside = v4_set1((float)(x - box.left)), up = v4_set1((float)(y - box.low));
            const v4 in0 = v4_add(first, v4_sub(v4_mul(x0, up), v4_mul(y0, aside)));
            const v4 in1 = v4_add(second, v4_sub(v4_mul(x1, up), v4_mul(y1, aside)));
            const v4 in2 = v4_add(third, v4_sub(v4_mul(x2, up), v4_mul(y2, aside)));
            const v4 certain = least_of(v4_sub(in0, v4_x(e.twice_unsure)), v4_sub(in1, v4_y(e.twice_unsure)),
                                        v4_sub(in2, v4_z(e.twice_unsure)));
            const uint32_t pixel = (uint32_t)y * by->raster->width + (uint32_t)x;
            float *depths = by->depths + (size_t)pixel * SNI_MAX_SAMPLES;
            const v4 before = v4_load(depths);
            v4_store(depths, v4_min(before, v4_select_greater(certain, zero, far, none)));
            const unsigned covered = v4_mask_greater(least_of(in0, in1, in2), zero),
                           seen = covered & ~v4_mask_greater(near, before);
            by->pixels[count] = pixel << SNI_MAX_SAMPLES | seen;
            count += seen != 0;
        }
    by->pixel_count = count;
    return count > noted;
}

enum { MOST_SIDE = 8 };  // in pixels; larger triangles are drawn

static bool keeps(culling *by, v4 a, v4 b, v4 c, float *nearest)
{
    const float margin = by->margin, depth_margin = by->depth_margin;
    const v4 u = v4_sub(b, a), v = v4_sub(c, a), more = v4_set(2 * margin, 2 * margin, 2 * depth_margin, 0);
    const v4 cross = v4_sub(v4_mul(u, v4_yzxw(v)), v4_mul(v4_yzxw(u), v));
    float areas[4], us[4], vs[4], least[4], most[4];
    v4_store(areas, cross);
    v4_store(us, v4_add(v4_abs(u), more));
    v4_store(vs, v4_add(v4_abs(v), more));
    const float area = areas[0], u_size = us[0] + us[1], v_size = vs[0] + vs[1];
    const float unsure = 2 * margin * (u_size + v_size);
    const bool is_ccw = area > unsure, is_cw = area < -unsure;
    if ((is_ccw && !by->keeps_ccw) || (is_cw && !by->keeps_cw)) return false;

    v4_store(least, v4_sub(least_of(a, b, c), v4_set(margin, margin, 0, 0)));
    v4_store(most, v4_add(most_of(a, b, c), v4_set(margin, margin, 0, 0)));
    pixel_box box = { (int32_t)least[0], (int32_t)most[0], (int32_t)least[1], (int32_t)most[1] };
    if (box.right >= (int32_t)by->raster->width) box.right = (int32_t)by->raster->width - 1;
    if (box.high >= (int32_t)by->raster->height) box.high = (int32_t)by->raster->height - 1;
    *nearest = -INFINITY;
    if (box.right - box.left >= MOST_SIDE || box.high - box.low >= MOST_SIDE) return true;
    if (by->pixel_count >= by->most_pixels) return true;

    float farthest = INFINITY;
    if (by->hides && (is_ccw || is_cw)) {
        const float slope = (us[2] * v_size + vs[2] * u_size) / (fabsf(area) - unsure);
        const float off = depth_margin + slope * margin;
        *nearest = least[2] - off;
        if (most[2] + off < 1) farthest = sni_most(0, most[2] + off);
    }
    const v4 corner = v4_set((float)box.left, (float)box.low, 0, 0);
    const edges e = find_edges(v4_sub(a, corner), v4_sub(b, corner), v4_sub(c, corner), area, margin);
    return may_be_seen(by, box, e, *nearest, farthest);
}

static uint32_t find_candidates(culling *by, const sn_mesh *mesh, const sn_vec3 *at, uint32_t *kept)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i + 3 <= mesh->index_count; i += 3) {
        const uint32_t *corners = mesh->indices + i;
        float nearest;
        if (!keeps(by, v4_load(&at[corners[0]].x), v4_load(&at[corners[1]].x), v4_load(&at[corners[2]].x), &nearest))
            continue;
        for (uint32_t k = 0; k < 3; k++) kept[count * 3 + k] = corners[k];
        by->candidates[count++] = (candidate){ nearest, by->pixel_count };
    }
    return count;
}

// Drops candidates that are behind others, also later ones, at each sample that they may cover.
static uint32_t drop_hidden(const culling *by, uint32_t *kept, uint32_t count)
{
    enum { SAMPLES = (1 << SNI_MAX_SAMPLES) - 1 };
    const uint32_t *pixel = by->pixels;
    uint32_t seen = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *end = by->pixels + by->candidates[i].pixel_end;
        const v4 nearest = v4_set1(by->candidates[i].nearest);
        unsigned shown = pixel == end;
        for (; pixel < end; pixel++) {
            const float *depths = by->depths + (size_t)(*pixel >> SNI_MAX_SAMPLES) * SNI_MAX_SAMPLES;
            shown |= *pixel & SAMPLES & ~v4_mask_greater(nearest, v4_load(depths));
        }
        if (!shown) continue;
        for (uint32_t k = 0; k < 3; k++) kept[seen * 3 + k] = kept[i * 3 + k];
        seen++;
    }
    return seen;
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

// Roundings: both matrices in the shader, each four times, and a matrix here that is both, five times. Skinning and
// morphs add to both, and a transform to the shader's joints. What they add up to in clip space moves a point by that
// over w; window coordinates are rounded again here and there, then to the driver's grid. The depth of a vertex is
// rounded likewise, and to 24 bits.
static void find_margins(const sni_pass *pass, const float errors[4], float least_w, culling *to)
{
    const sni_raster *raster = &pass->raster;
    const float width = (float)raster->width, height = (float)raster->height, side = fmaxf(width, height);
    const float moved = fmaxf(width * (errors[0] + errors[3]), height * (errors[1] + errors[3])) / (2 * least_w);
    to->margin = moved + side * 0x1p-21f + raster->grid / 2;
    to->depth_margin = (errors[2] + errors[3]) / (2 * least_w) + 0x1p-20f;
}

// The positions in window coordinates, and how far the driver's may be from them. False: out of memory, or not all are
// in the view.
static bool project_part(const sni_pass *pass, const sn_actor *actor, int32_t index, sni_arena *scratch, sn_vec3 *to,
                         culling *margins)
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
    const float roundings = from == mesh->positions ? 16 : 24 + 2 * (float)(mesh->influence_count + mesh->morph_count);
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
    find_margins(pass, errors, least_w, margins);
    return true;
}

// Two pixels per triangle are more than most meshes need.
static bool begin_culling(const sni_pass *pass, const sni_batch *batch, const sn_mesh *mesh, uint32_t faces,
                          sni_arena *scratch, culling *c)
{
    const sni_raster *raster = &pass->raster;
    const sn_vec2 *s = raster->samples;
    const uint64_t samples = (uint64_t)raster->width * raster->height * SNI_MAX_SAMPLES;
    const uint32_t triangles = mesh->index_count / 3;
    *c = (culling){ .raster = raster,
                    .sample_x = v4_set(s[0].x, s[1].x, s[2].x, s[3].x),
                    .sample_y = v4_set(s[0].y, s[1].y, s[2].y, s[3].y),
                    .keeps_ccw = faces & (batch->is_mirrored ? SNI_BACK_FACES : SNI_FRONT_FACES),
                    .keeps_cw = faces & (batch->is_mirrored ? SNI_FRONT_FACES : SNI_BACK_FACES),
                    .hides = faces & SNI_HIDING_FACES,
                    .most_pixels = triangles * 2 };
    c->candidates = sni_new_raw(scratch, candidate, triangles);
    c->pixels = sni_new_raw(scratch, uint32_t, (uint64_t)c->most_pixels + MOST_SIDE * MOST_SIDE);
    c->depths = sni_new_raw(scratch, float, samples);
    for (uint64_t i = 0; c->depths && i < samples; i++) c->depths[i] = INFINITY;
    return c->candidates && c->pixels && c->depths;
}

static bool upload_kept(const sni_pass *pass, const sni_batch *batch, const sn_mesh *mesh, uint32_t faces,
                        sni_arena *scratch)
{
    sn_renderer *renderer = pass->renderer;
    culling c;
    sn_vec3 *at = sni_new_raw(scratch, sn_vec3, (uint64_t)mesh->vertex_count + 1);  // loaded as four floats
    uint32_t *kept = sni_new_raw(scratch, uint32_t, mesh->index_count);
    if (!at || !kept || !begin_culling(pass, batch, mesh, faces, scratch, &c)) return false;
    if (!project_part(pass, batch->actor, batch->part, scratch, at, &c) || !(c.margin <= most_margin)) return false;
    uint32_t count = find_candidates(&c, mesh, at, kept);
    if (c.hides) count = drop_hidden(&c, kept, count);
    renderer->kept_count = count * 3;
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
    const uint32_t count = sni_context_sample_positions(pass->raster.samples, SNI_MAX_SAMPLES);
    for (uint32_t i = count; i > 0 && i < SNI_MAX_SAMPLES; i++) pass->raster.samples[i] = pass->raster.samples[i - 1];
    pass->raster.sample_count = count;
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
