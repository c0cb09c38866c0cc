// Framing: the tightest camera that sees a set of points, without what is parked far away from the rest.
#include "render/render.h"

static const float default_fov = 0.6f, margin = 1.06f;

// Along one picture axis the frustum planes of a lens of half-width t have slope t: one passes outside all x + t*z, the
// other outside all x - t*z. Their intersection is the camera's distance and centre on this axis. The axis with room to
// spare is centred for the narrower lens that it would fill, so several slopes are tracked.
sn_framing sn_framing_begin(float yaw, float pitch, float aspect)
{
    sn_framing framing = { .view = sni_view_from(yaw, pitch),
                           .nearest = -INFINITY,
                           .farthest = INFINITY,
                           .min = { INFINITY, INFINITY, INFINITY },
                           .max = { -INFINITY, -INFINITY, -INFINITY } };
    float half = tanf(default_fov * 0.5f) / margin;
    for (int i = 0; i < SN_FRAMING_SLOPES; i++, half *= 0.7f) {
        framing.slope[0][i] = half * aspect;
        framing.slope[1][i] = half;
        for (int axis = 0; axis < 2; axis++) framing.upper[axis][i] = -INFINITY, framing.lower[axis][i] = INFINITY;
    }
    return framing;
}

static void add_point(sn_framing *f, sn_vec3 p)
{
    const float back = sni_dot(p, f->view.back);
    const float across[2] = { sni_dot(p, f->view.right), sni_dot(p, f->view.up) };
    for (int axis = 0; axis < 2; axis++)
        for (int k = 0; k < SN_FRAMING_SLOPES; k++) {
            float shift = back * f->slope[axis][k];
            f->upper[axis][k] = sni_most(f->upper[axis][k], across[axis] + shift);
            f->lower[axis][k] = sni_least(f->lower[axis][k], across[axis] - shift);
        }
}

// False: no point of the box, in view space, changes the framing.
static bool box_matters(const sn_framing *f, const sni_box *box)
{
    const float least[2] = { box->min.x, box->min.y }, most[2] = { box->max.x, box->max.y };
    bool matters = false;
    for (int axis = 0; axis < 2; axis++)
        for (int k = 0; k < SN_FRAMING_SLOPES; k++) {
            float shift = box->max.z * f->slope[axis][k];
            matters |= most[axis] + shift > f->upper[axis][k] || least[axis] - shift < f->lower[axis][k];
        }
    return matters;
}

enum { BLOCK = 64 };  // points that are looked at together: most are inside of what others need

void sn_framing_add(sn_framing *framing, const sn_vec3 *points, uint32_t count)
{
    sn_framing f = *framing;
    for (uint32_t i = 0; i < count; i += BLOCK) add_point(&f, points[i]);
    for (uint32_t i = 0; i < count;) {
        const uint32_t first = i, end = count - i < BLOCK ? count : i + BLOCK;
        sni_box seen = sni_box_empty, all = { f.min, f.max };
        for (; i < end; i++) {
            const sn_vec3 p = points[i];
            sni_box_add(&all, p);
            sni_box_add(&seen, sni_vec3(sni_dot(p, f.view.right), sni_dot(p, f.view.up), sni_dot(p, f.view.back)));
        }
        f.min = all.min, f.max = all.max;
        f.nearest = sni_most(f.nearest, seen.max.z);
        f.farthest = sni_least(f.farthest, seen.min.z);
        if (!box_matters(&f, &seen)) continue;
        for (i = first; i < end; i++) add_point(&f, points[i]);
    }
    *framing = f;
}

static float distance_for(const sn_framing *framing, int axis, int slope)
{
    return (framing->upper[axis][slope] - framing->lower[axis][slope]) / (2 * framing->slope[axis][slope]);
}

static float center_for(const sn_framing *framing, int axis, int slope)
{
    return (framing->upper[axis][slope] + framing->lower[axis][slope]) * 0.5f;
}

// A single point is seen from a small distance.
static float distance_of(const sn_framing *framing)
{
    float distance = fmaxf(distance_for(framing, 0, 0), distance_for(framing, 1, 0)), size = fabsf(framing->nearest);
    for (int i = 0; i < 2; i++) size = fmaxf(size, fabsf(framing->upper[i][0] + framing->lower[i][0]));
    float least = fmaxf(size * 1e-4f, 1e-6f);
    return distance - framing->nearest > least ? distance : framing->nearest + (size > 0 ? size : 1.0f);
}

// Interpolates between the two slopes whose distances enclose the camera's.
static float center_of(const sn_framing *framing, int axis, float distance)
{
    int i = 0;
    while (i + 1 < SN_FRAMING_SLOPES && distance_for(framing, axis, i + 1) < distance) i++;
    if (i + 1 == SN_FRAMING_SLOPES) return center_for(framing, axis, i);
    float near = distance_for(framing, axis, i), far = distance_for(framing, axis, i + 1);
    float part = far > near ? fminf(fmaxf((distance - near) / (far - near), 0), 1) : 0;
    return sni_lerp(center_for(framing, axis, i), center_for(framing, axis, i + 1), part);
}

// The depth range leaves room for overlays and the ground.
sn_render_camera sn_framing_end(const sn_framing *from)
{
    sn_framing framing = *from;
    const sn_vec3 origin = { 0, 0, 0 };
    if (!(framing.upper[0][0] >= framing.lower[0][0])) sn_framing_add(&framing, &origin, 1);
    sn_render_camera camera = { .view = framing.view, .fov_y = default_fov };
    float distance = distance_of(&framing), nearest = distance - framing.nearest,
          depth = framing.nearest - framing.farthest;
    sn_vec3 aside = sni_scale(framing.view.right, center_of(&framing, 0, distance));
    aside = sni_add(aside, sni_scale(framing.view.up, center_of(&framing, 1, distance)));
    camera.view.position = sni_add(aside, sni_scale(framing.view.back, distance));
    camera.near_plane = nearest * 0.25f;
    camera.far_plane = (nearest + depth) * 3.0f;
    return camera;
}

// Some models park props that are not in use far away. The axes are searched for gaps that no primitive crosses: what
// is beyond one is left out if the gap is larger than `gap_sizes` times the rest, and the rest has most of the
// primitives.
enum { BUCKETS = 64, SUSPICIOUS = BUCKETS / 8, ROUNDS = 4 };
enum { SAMPLED = 16 };  // one of so many vertices is looked at first

static const float gap_sizes = 3;

// The posed vertices of a model: those of part i start at first[i]. Hidden parts have none.
typedef struct posed {
    const sn_model *model;
    sn_vec3 *at;
    uint32_t *first;        // part_count + 1
    float low[3], high[3];  // what is kept
} posed;

static const float *coordinates(const posed *all, uint32_t vertex) { return &all->at[vertex].x; }

static inline bool is_kept(const posed *all, uint32_t vertex)
{
    const sn_vec3 at = all->at[vertex];
    const float *low = all->low, *high = all->high;
    return (at.x >= low[0]) & (at.x <= high[0]) & (at.y >= low[1]) & (at.y <= high[1]) & (at.z >= low[2]) &
           (at.z <= high[2]);
}

static uint32_t vertex_count(const posed *all) { return all->first[all->model->part_count]; }

// The box of the kept vertices whose coordinate on `axis` is from `from` to `to`.
static void measure(const posed *all, int axis, float from, float to, float low[3], float high[3])
{
    sni_box box = sni_box_empty;
    for (uint32_t v = 0; v < vertex_count(all); v++) {
        const float at = coordinates(all, v)[axis];
        if (is_kept(all, v) && at >= from && at <= to) sni_box_add(&box, all->at[v]);
    }
    low[0] = box.min.x, low[1] = box.min.y, low[2] = box.min.z;
    high[0] = box.max.x, high[1] = box.max.y, high[2] = box.max.z;
}

// Equal steps of one axis. `count` is of primitives that start here, `depth` of those that cover it.
typedef struct histogram {
    float low, step;
    int32_t count[BUCKETS], depth[BUCKETS + 1];
} histogram;

static int bucket_of(const histogram *of, float at)
{
    float bucket = (at - of->low) / of->step;
    return bucket < 0 ? 0 : bucket >= BUCKETS ? BUCKETS - 1 : (int)bucket;
}

static int longest_gap(const histogram *of)
{
    int longest = 0, run = 0;
    for (int i = 0; i < BUCKETS; i++) {
        run = of->count[i] ? 0 : run + 1;
        if (run > longest) longest = run;
    }
    return longest;
}

// Vertices alone, which is much faster than primitives, show whether there may be a gap, and mostly some of them do.
static bool may_have_gap(const posed *all, int axis, histogram *of)
{
    for (uint32_t first = 0; first < SAMPLED; first++) {
        for (uint32_t v = first; v < vertex_count(all); v += SAMPLED)
            if (is_kept(all, v)) of->count[bucket_of(of, coordinates(all, v)[axis])]++;
        if (longest_gap(of) < SUSPICIOUS) return false;
    }
    return true;
}

static void add_primitives(const posed *all, uint32_t part, int axis, histogram *to)
{
    const sn_mesh *mesh = &all->model->meshes[all->model->parts[part].mesh];
    const uint32_t corners = mesh->topology == SN_TRIANGLES ? 3 : mesh->topology == SN_LINES ? 2 : 1;
    if (all->first[part] == all->first[part + 1]) return;
    for (uint32_t i = 0; i + corners <= mesh->index_count; i += corners) {
        float low = INFINITY, high = -INFINITY;
        bool is_in = true;
        for (uint32_t k = 0; k < corners; k++) {
            uint32_t vertex = all->first[part] + mesh->indices[i + k];
            float at = coordinates(all, vertex)[axis];
            is_in = is_in && is_kept(all, vertex);
            low = sni_least(low, at), high = sni_most(high, at);
        }
        if (!is_in) continue;
        int begin = bucket_of(to, low), end = bucket_of(to, high);
        to->count[begin]++;
        to->depth[begin]++;
        to->depth[end + 1]--;
    }
}

// A run of covered buckets, from `begin` up to `end`.
typedef struct cluster {
    int begin, end;
    int64_t count;
} cluster;

static int find_clusters(const histogram *of, cluster clusters[BUCKETS])
{
    int found = 0, depth = 0;
    bool was_covered = false;
    for (int i = 0; i < BUCKETS; i++) {
        depth += of->depth[i];
        if (depth > 0 && !was_covered) clusters[found++] = (cluster){ i, i, 0 };
        was_covered = depth > 0;
        if (was_covered) clusters[found - 1].end = i + 1, clusters[found - 1].count += of->count[i];
    }
    return found;
}

// Leaves out what is far away on this axis, of a model whose kept vertices are from `least` to `most` on it. True:
// something was.
static bool cut_axis(posed *all, int axis, float least, float most)
{
    float low[3], high[3];
    histogram of = { .low = least, .step = (most - least) / BUCKETS }, empty = of;
    if (!(of.step > 0) || !isfinite(of.step) || !may_have_gap(all, axis, &of)) return false;
    of = empty;
    for (uint32_t i = 0; i < all->model->part_count; i++) add_primitives(all, i, axis, &of);
    cluster clusters[BUCKETS];
    int count = find_clusters(&of, clusters), main = 0;
    int64_t total = 0, kept = 0;
    for (int i = 0; i < count; i++) {
        total += clusters[i].count;
        if (clusters[i].count > clusters[main].count) main = i;
    }
    if (count < 2) return false;

    float from = of.low + (float)clusters[main].begin * of.step, to = of.low + (float)clusters[main].end * of.step;
    measure(all, axis, from, to, low, high);
    float size = (float)sni_length(sni_vec3(high[0] - low[0], high[1] - low[1], high[2] - low[2]));
    int first = main, last = main;
    while (first > 0 && (float)(clusters[first].begin - clusters[first - 1].end) * of.step <= size * gap_sizes) first--;
    while (last + 1 < count && (float)(clusters[last + 1].begin - clusters[last].end) * of.step <= size * gap_sizes)
        last++;
    for (int i = first; i <= last; i++) kept += clusters[i].count;
    if (total - kept >= kept || (first == 0 && last == count - 1)) return false;
    if (first > 0) all->low[axis] = of.low + (float)clusters[first].begin * of.step - of.step / 2;
    if (last < count - 1) all->high[axis] = of.low + (float)clusters[last].end * of.step + of.step / 2;
    return true;
}

// Axis by axis, as long as something is left out.
static void cut_far(posed *all)
{
    float low[3], high[3];
    bool has_cut = true;
    measure(all, 0, -INFINITY, INFINITY, low, high);
    for (int round = 0; round < ROUNDS && has_cut; round++) {
        has_cut = false;
        for (int axis = 0; axis < 3; axis++) {
            if (!cut_axis(all, axis, low[axis], high[axis])) continue;
            has_cut = true;
            measure(all, 0, -INFINITY, INFINITY, low, high);
        }
    }
}

static void add_kept(sn_framing *framing, posed *all)
{
    uint32_t kept = 0;
    for (uint32_t v = 0; v < vertex_count(all); v++)
        if (is_kept(all, v)) all->at[kept++] = all->at[v];
    sn_framing_add(framing, all->at, kept);
}

sn_status sn_framing_add_pose(sn_framing *framing, const sn_pose *pose, const sn_model *model,
                              const sn_allocator *allocator)
{
    sni_heap heap;
    posed all = { .model = model };
    uint64_t count = 0;
    sni_heap_init(&heap, allocator, UINT64_MAX);
    size_t first_bytes = ((size_t)model->part_count + 1) * sizeof *all.first;
    all.first = sni_heap_alloc(&heap, first_bytes);
    for (uint32_t i = 0; all.first && i <= model->part_count; i++) {
        all.first[i] = (uint32_t)count;
        if (i < model->part_count && sn_pose_shows(pose, (int32_t)i))
            count += model->meshes[model->parts[i].mesh].vertex_count;
    }
    bool fits = all.first && count < UINT32_MAX;
    all.at = fits ? sni_heap_alloc(&heap, (size_t)count * sizeof *all.at) : NULL;
    if (all.at) {
        for (uint32_t i = 0; i < model->part_count; i++)
            if (all.first[i + 1] > all.first[i]) sn_skin_part(pose, (int32_t)i, all.at + all.first[i], NULL, NULL);
        for (int axis = 0; axis < 3; axis++) all.low[axis] = -INFINITY, all.high[axis] = INFINITY;
        cut_far(&all);
        add_kept(framing, &all);
    }
    bool is_good = all.at != NULL || (all.first && count == 0);
    sni_heap_free(&heap, all.at, (size_t)count * sizeof *all.at);
    sni_heap_free(&heap, all.first, first_bytes);
    return is_good ? SN_OK : SN_ERR_MEMORY;
}
