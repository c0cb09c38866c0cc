#include "convert/bounds.h"

#include "anim/pose.h"
#include "base/math.h"
#include "model/track.h"
#include "skin/skin.h"

#include <float.h>
#include <string.h>

// A clip is sampled at no more than this many of its key times, thinned evenly, and halfway between them. This bounds
// the work for hostile and very long clips; motion between two samples is not seen.
enum { MOST_KEY_TIMES = 128 };

enum { WINDOW = 1 << 16, CHUNK = 256 };  // vertices: marked at a time, posed at a time

// A mesh may be shown by thousands of nodes. So many vertices are posed one by one, and those of all meshes twice for
// each pose; further parts count as the box of their mesh.
enum { POSED_VERTICES = 16 << 20, BOXES_KEPT = 256 };

typedef struct point {
    double x, y, z;
} point;

typedef struct gathered {
    bool any;
    sn_vec3 min, max;
    sn_vec3 extremes[6];  // the points that set min x, max x, min y, ...
    point grown_center;   // Ritter's sphere while it grows
    double grown_radius;
    sn_vec3 box_center, sphere_center;  // as returned; radii are measured from here
    double box_radius_sq, sphere_radius_sq;
} gathered;

typedef void visit_fn(gathered *all, sn_vec3 p);

static point point_of(sn_vec3 p)
{
    point out = { p.x, p.y, p.z };
    return out;
}

static sn_vec3 rounded(point p) { return sni_vec3((float)p.x, (float)p.y, (float)p.z); }

static double distance_sq(point a, point b)
{
    double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return x * x + y * y + z * z;
}

static point halfway(point a, point b)
{
    point out = { (a.x + b.x) / 2, (a.y + b.y) / 2, (a.z + b.z) / 2 };
    return out;
}

static void visit_box(gathered *all, sn_vec3 p)
{
    if (!all->any) {
        all->any = true;
        all->min = all->max = p;
        for (int i = 0; i < 6; i++) all->extremes[i] = p;
    }
    if (p.x < all->min.x) all->min.x = p.x, all->extremes[0] = p;
    if (p.x > all->max.x) all->max.x = p.x, all->extremes[1] = p;
    if (p.y < all->min.y) all->min.y = p.y, all->extremes[2] = p;
    if (p.y > all->max.y) all->max.y = p.y, all->extremes[3] = p;
    if (p.z < all->min.z) all->min.z = p.z, all->extremes[4] = p;
    if (p.z > all->max.z) all->max.z = p.z, all->extremes[5] = p;
}

// Ritter starts from the pair of extremes that lie furthest apart.
static void start_spheres(gathered *all)
{
    all->box_center = rounded(halfway(point_of(all->min), point_of(all->max)));
    for (int i = 0; i < 6; i += 2) {
        point a = point_of(all->extremes[i]), b = point_of(all->extremes[i + 1]);
        double radius = sqrt(distance_sq(a, b)) / 2;
        if (i > 0 && radius <= all->grown_radius) continue;
        all->grown_radius = radius;
        all->grown_center = halfway(a, b);
    }
}

// A point outside Ritter's sphere pulls it over just far enough to touch both it and the sphere's far side.
static void visit_spheres(gathered *all, sn_vec3 v)
{
    point p = point_of(v), *c = &all->grown_center;
    all->box_radius_sq = fmax(all->box_radius_sq, distance_sq(p, point_of(all->box_center)));
    double distance = sqrt(distance_sq(p, *c));
    if (distance <= all->grown_radius) return;
    double radius = (all->grown_radius + distance) / 2, step = (distance - radius) / distance;
    c->x += (p.x - c->x) * step;
    c->y += (p.y - c->y) * step;
    c->z += (p.z - c->z) * step;
    all->grown_radius = radius;
}

static void visit_check(gathered *all, sn_vec3 p)
{
    all->sphere_radius_sq = fmax(all->sphere_radius_sq, distance_sq(point_of(p), point_of(all->sphere_center)));
}

static void mark_window(const sn_mesh *mesh, uint32_t start, uint32_t count, uint8_t marks[WINDOW / 8])
{
    memset(marks, 0, count / 8 + 1 < WINDOW / 8 ? count / 8 + 1 : WINDOW / 8);
    for (uint32_t i = 0; i < mesh->index_count; i++) {
        uint32_t at = mesh->indices[i] - start;  // wraps below the window, to what lies past it
        if (at < count) marks[at / 8] |= (uint8_t)(1u << at % 8);
    }
}

typedef struct box {
    sn_vec3 min, max;
} box;

typedef struct kept_box {
    int32_t number;  // of the mesh or skin, and 1; 0: not filled
    box box;
} kept_box;

// What the passes over all poses share.
typedef struct posing {
    uint64_t vertices_left;
    kept_box meshes[BOXES_KEPT];
    kept_box skins[BOXES_KEPT];  // of this pose: where any mesh can be
    bool has_all;
    box all_meshes;
} posing;

static void visit_window(const sn_pose *pose, int32_t part, uint32_t start, uint32_t count, visit_fn *visit,
                         gathered *all)
{
    uint8_t marks[WINDOW / 8];
    sn_vec3 posed[CHUNK];
    sni_vertices out = { .positions = posed };
    mark_window(&pose->model->meshes[pose->model->parts[part].mesh], start, count, marks);
    for (uint32_t done = 0; done < count; done += CHUNK) {
        uint32_t some = count - done < CHUNK ? count - done : CHUNK;
        sni_skin_range(pose, part, start + done, some, out);
        for (uint32_t i = 0; i < some; i++) {
            uint32_t at = done + i;
            // Positions that overflowed are left out.
            if (marks[at / 8] >> at % 8 & 1 && sni_vec3_is_finite(posed[i])) visit(all, posed[i]);
        }
    }
}

// A mesh with the same skin is in the same place, whichever node shows it. Searching a few parts back finds the copies
// that instancing makes.
static bool is_copy(const sn_pose *pose, uint32_t index)
{
    const sn_part *parts = pose->model->parts, *part = &parts[index];
    if (part->skin < 0 || pose->model->meshes[part->mesh].morph_count > 0) return false;
    for (uint32_t back = 1; back <= 32 && back <= index; back++) {
        const sn_part *earlier = &parts[index - back];
        if (earlier->mesh == part->mesh && earlier->skin == part->skin && sn_pose_shows(pose, (int32_t)(index - back)))
            return true;
    }
    return false;
}

static box mesh_box(posing *p, const sn_model *model, int32_t index)
{
    kept_box *kept = &p->meshes[index % BOXES_KEPT];
    if (kept->number == index + 1) return kept->box;
    const sn_mesh *mesh = &model->meshes[index];
    gathered all = { 0 };
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        if (sni_vec3_is_finite(mesh->positions[i])) visit_box(&all, mesh->positions[i]);
    *kept = (kept_box){ index + 1, { all.min, all.max } };
    return kept->box;
}

static void add_corners(gathered *all, box b, const sn_mat34 *matrix, visit_fn *visit)
{
    for (int i = 0; i < 8; i++) {
        sn_vec3 corner = sni_mat34_point(matrix, sni_box_corner(b.min, b.max, i));
        if (sni_vec3_is_finite(corner)) visit(all, corner);
    }
}

// A skinned vertex is between the places where its joints take it, so the box of all meshes, moved by all joints, holds
// every mesh with this skin.
static box skin_box(posing *p, const sn_pose *pose, int32_t skin)
{
    static const sn_mat34 identity = { { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };
    const sn_model *model = pose->model;
    if (!p->has_all) {
        gathered all = { 0 };
        for (uint32_t i = 0; i < model->mesh_count; i++)
            add_corners(&all, mesh_box(p, model, (int32_t)i), &identity, visit_box);
        p->has_all = true;
        p->all_meshes = (box){ all.min, all.max };
    }
    kept_box *kept = &p->skins[skin % BOXES_KEPT];
    if (kept->number == skin + 1) return kept->box;
    const sn_mat34 *palette = sn_pose_palette(pose, skin);
    gathered all = { 0 };
    for (uint32_t i = 0; i < model->skins[skin].joint_count; i++)
        add_corners(&all, p->all_meshes, &palette[i], visit_box);
    *kept = (kept_box){ skin + 1, { all.min, all.max } };
    return kept->box;
}

// Morphs are left out.
static void visit_part_box(posing *p, const sn_pose *pose, const sn_part *part, visit_fn *visit, gathered *all)
{
    const sn_mesh *mesh = &pose->model->meshes[part->mesh];
    if (mesh->influence_count > 0) {
        box b = skin_box(p, pose, part->skin);
        for (int i = 0; i < 8; i++) visit(all, sni_box_corner(b.min, b.max, i));
    } else if (mesh->vertex_count > 0) {
        sn_mat34 world = sn_pose_world(pose, part->node);
        add_corners(all, mesh_box(p, pose->model, part->mesh), &world, visit);
    }
}

// Vertices that no face uses are not shown and do not count. Nothing is allocated: a window of vertices at a time
// is marked on the stack. With `parts` each part is gathered for itself, also a copy of another.
static void visit_pose(posing *p, const sn_pose *pose, visit_fn *visit, gathered *all, gathered *parts)
{
    const sn_model *model = pose->model;
    memset(p->skins, 0, sizeof p->skins);
    for (uint32_t i = 0; i < model->part_count; i++) {
        if (!sn_pose_shows(pose, (int32_t)i) || (!parts && is_copy(pose, i))) continue;
        gathered *into = parts ? &parts[i] : all;
        const sn_mesh *mesh = &model->meshes[model->parts[i].mesh];
        uint64_t cost = (uint64_t)mesh->vertex_count * (1 + mesh->morph_count) + mesh->index_count;
        if (cost > p->vertices_left) {
            visit_part_box(p, pose, &model->parts[i], visit, into);
            continue;
        }
        p->vertices_left -= cost;
        for (uint32_t start = 0; start < mesh->vertex_count;) {
            uint32_t count = mesh->vertex_count - start < WINDOW ? mesh->vertex_count - start : WINDOW;
            visit_window(pose, (int32_t)i, start, count, visit, into);
            start += count;
        }
    }
}

// Where poses come from: one that is solved, or one that is sampled at the times of a clip.
typedef struct pose_source {
    const sn_pose *solved;
    sn_pose *moving;
    int32_t clip;
    const float *times;
    uint32_t time_count;
    gathered *parts;  // where each part is gathered; NULL: all together
} pose_source;

static void visit_at(const pose_source *source, posing *p, float seconds, visit_fn *visit, gathered *all)
{
    sn_pose_sample(source->moving, source->clip, seconds, seconds);
    sn_pose_solve(source->moving, NULL);
    visit_pose(p, source->moving, visit, all, source->parts);
}

// All passes pose the same vertices.
static uint64_t vertices_allowed(const pose_source *source)
{
    const sn_model *model = source->solved ? source->solved->model : source->moving->model;
    uint64_t total = 0, poses = source->solved ? 1 : 2 * (uint64_t)source->time_count;
    for (uint32_t i = 0; i < model->mesh_count; i++)
        total += (uint64_t)model->meshes[i].vertex_count + model->meshes[i].index_count;
    return POSED_VERTICES + 2 * poses * total;
}

static void visit_poses(const pose_source *source, visit_fn *visit, gathered *all)
{
    posing p = { .vertices_left = vertices_allowed(source) };
    if (source->solved) visit_pose(&p, source->solved, visit, all, source->parts);
    for (uint32_t i = 0; i < source->time_count; i++) {
        visit_at(source, &p, source->times[i], visit, all);
        if (i + 1 < source->time_count)
            visit_at(source, &p, source->times[i] / 2 + source->times[i + 1] / 2, visit, all);
    }
}

// Up to the next float, so that no point ends up outside by rounding.
static float radius_of(double radius_sq)
{
    double radius = sqrt(radius_sq);
    if (radius == 0.0) return 0.0f;
    return radius < FLT_MAX / 2 ? nextafterf((float)radius, FLT_MAX) : FLT_MAX;
}

// Three passes: the box, then both spheres, then the exact radius of Ritter's sphere. The smaller sphere wins.
static sn_bounds bounds_of(const pose_source *source)
{
    sn_bounds bounds = { 0 };
    gathered all = { 0 };
    visit_poses(source, visit_box, &all);
    if (!all.any) return bounds;
    start_spheres(&all);
    visit_poses(source, visit_spheres, &all);
    all.sphere_center = rounded(all.grown_center);
    visit_poses(source, visit_check, &all);
    bool is_sphere_smaller = all.sphere_radius_sq < all.box_radius_sq;
    bounds.min = all.min;
    bounds.max = all.max;
    bounds.center = is_sphere_smaller ? all.sphere_center : all.box_center;
    bounds.radius = radius_of(is_sphere_smaller ? all.sphere_radius_sq : all.box_radius_sq);
    return bounds;
}

sn_bounds sn_pose_bounds(const sn_pose *pose)
{
    pose_source still = { .solved = pose };
    return bounds_of(&still);
}

static uint32_t kept_of(uint32_t count) { return count < MOST_KEY_TIMES ? count : MOST_KEY_TIMES; }

// Of `count` times those that are kept, evenly: the first and the last always stay.
static uint32_t kept_index(uint32_t count, uint32_t kept, uint32_t i)
{
    return kept < 2 ? 0 : (uint32_t)((uint64_t)i * (count - 1) / (kept - 1));
}

static uint64_t count_times(const sn_clip *clip)
{
    uint64_t total = 2;  // start and end
    for (uint32_t i = 0; i < clip->track_count; i++) total += kept_of(clip->tracks[i].key_count);
    return total;
}

// Tracks with a period are sampled over all of it, even where the clip is shorter.
static float clip_end(const sn_clip *clip)
{
    float end = clip->duration;
    for (uint32_t i = 0; i < clip->track_count; i++) end = fmaxf(end, clip->tracks[i].period);
    return end;
}

// Sorted, without repeats, at most `most`; returns how many.
static uint32_t gather_times(const sn_clip *clip, uint32_t most, float *times)
{
    size_t total = 0;
    float end = clip_end(clip);
    times[total++] = 0.0f;
    times[total++] = end;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sn_track *track = &clip->tracks[i];
        for (uint32_t k = 0; k < kept_of(track->key_count); k++) {
            float time = track->times[kept_index(track->key_count, kept_of(track->key_count), k)];
            if (time > 0.0f && time < end) times[total++] = time;
        }
    }
    uint32_t distinct = sni_merge_key_times(times, (uint32_t)total);
    uint32_t kept = distinct < most ? distinct : most;
    for (uint32_t i = 0; i < kept; i++) times[i] = times[kept_index(distinct, kept, i)];
    return kept;
}

static sn_bounds bounds_of_box(const gathered *all)
{
    sn_bounds bounds = { .min = all->min, .max = all->max };
    const point low = point_of(bounds.min), high = point_of(bounds.max);
    bounds.center = rounded(halfway(low, high));
    bounds.radius = all->any ? radius_of(distance_sq(low, high) / 4) : 0.0f;
    return bounds;
}

// The box of all parts together from the box of each.
static sn_bounds find_part_bounds(const pose_source *source, uint32_t part_count, sn_bounds *bounds)
{
    gathered all = { 0 };
    memset(source->parts, 0, part_count * sizeof *source->parts);
    visit_poses(source, visit_box, NULL);
    for (uint32_t i = 0; i < part_count; i++) {
        bounds[i] = bounds_of_box(&source->parts[i]);
        if (!source->parts[i].any) continue;
        visit_box(&all, bounds[i].min);
        visit_box(&all, bounds[i].max);
    }
    return bounds_of_box(&all);
}

// The key times of a clip, in memory of their own.
typedef struct clip_times {
    float *times;
    size_t size;
    uint32_t count;
} clip_times;

static bool make_times(sni_heap *heap, const sn_clip *clip, uint32_t most, clip_times *out)
{
    const uint64_t count = count_times(clip);
    *out = (clip_times){ .size = (size_t)count * sizeof(float) };
    if (count > UINT32_MAX / sizeof(float) || !(out->times = sni_heap_alloc(heap, out->size))) return false;
    out->count = gather_times(clip, most, out->times);
    return true;
}

static sn_status bounds_of_clip(sni_heap *heap, sn_pose *pose, int32_t clip, sn_bounds *bounds)
{
    clip_times times;
    if (!make_times(heap, &pose->model->clips[clip], MOST_KEY_TIMES, &times)) return SN_ERR_MEMORY;
    const pose_source source = { .moving = pose, .clip = clip, .times = times.times, .time_count = times.count };
    *bounds = bounds_of(&source);
    sni_heap_free(heap, times.times, times.size);
    return SN_OK;
}

sn_status sn_model_bounds(const sn_model *model, int32_t clip, const sn_allocator *allocator, sn_bounds *bounds)
{
    sn_error error;
    memset(bounds, 0, sizeof *bounds);
    sn_pose *pose = sn_pose_create(model, allocator, &error);
    if (!pose) return error.status;
    sni_heap heap;
    sni_heap_init(&heap, allocator, UINT64_MAX);
    sn_status status = SN_OK;
    if (sni_has(model->clip_count, clip)) status = bounds_of_clip(&heap, pose, clip, bounds);
    else *bounds = sn_pose_bounds(pose);
    sn_pose_free(pose);
    return status;
}

// What one pose costs, in nodes or vertices that are posed.
static uint64_t steps_of_pose(const sn_model *model)
{
    enum { STEPS_OF_PART = 8, INDICES_OF_STEP = 16 };
    uint64_t steps = model->node_count + STEPS_OF_PART * (uint64_t)model->part_count + 1, vertices = 0;
    for (uint32_t i = 0; i < model->skin_count; i++) steps += model->skins[i].joint_count;
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_mesh *mesh = &model->meshes[model->parts[i].mesh];
        vertices += (uint64_t)mesh->vertex_count * (1 + mesh->morph_count) + mesh->index_count / INDICES_OF_STEP;
    }
    return steps + (vertices < POSED_VERTICES ? vertices : POSED_VERTICES);
}

// For all clips together: enough for one with many keys, whatever the size of the model, and more where keys ask for
// it.
static bool count_steps(sni_heap *heap, const sn_model *model, uint64_t *steps)
{
    enum { STEPS = 1 << 25, POSES = 512, STEPS_OF_KEY = 512 };
    uint64_t vertices = 0, keys;
    sni_arena arena;
    sni_arena_init(&arena, heap);
    const bool is_counted = sni_count_own_keys(&arena, model, &keys);
    sni_arena_free(&arena);
    for (uint32_t i = 0; i < model->mesh_count; i++) vertices += model->meshes[i].vertex_count;
    *steps = STEPS + POSES * (model->node_count + vertices) + STEPS_OF_KEY * keys;
    return is_counted;
}

static sn_status bounds_of_clips(sni_heap *heap, sn_pose *pose, uint32_t count, gathered *gathered_parts,
                                 sn_bounds *bounds, sn_bounds *parts, uint32_t *left_out)
{
    const sn_model *model = pose->model;
    const pose_source still = { .solved = pose, .parts = gathered_parts };
    const uint64_t steps_of_one = steps_of_pose(model) * (parts ? 1 : 3);
    uint64_t steps_left;
    if (!count_steps(heap, model, &steps_left)) return SN_ERR_MEMORY;
    bounds[0] = sn_pose_bounds(pose);
    if (parts) find_part_bounds(&still, model->part_count, parts);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t poses = steps_left / (count - i) / steps_of_one;  // a clip's share of what is left
        const uint32_t most = poses < 2 * MOST_KEY_TIMES ? (uint32_t)(poses + 1) / 2 : MOST_KEY_TIMES;
        clip_times times;
        bounds[i + 1] = bounds[0];
        if (most == 0) {
            ++*left_out;
            continue;
        }
        if (!make_times(heap, &model->clips[i], most, &times)) return SN_ERR_MEMORY;
        const pose_source source = {
            .moving = pose, .clip = (int32_t)i, .times = times.times, .time_count = times.count, .parts = gathered_parts
        };
        if (parts)
            bounds[i + 1] = find_part_bounds(&source, model->part_count, parts + (i + 1) * (size_t)model->part_count);
        else bounds[i + 1] = bounds_of(&source);
        steps_left -= steps_of_one * (2 * (uint64_t)times.count - 1);
        sni_heap_free(heap, times.times, times.size);
    }
    return SN_OK;
}

sn_status sni_clip_bounds(const sn_model *model, uint32_t clip_count, const sn_allocator *allocator, sn_bounds *bounds,
                          sn_bounds *parts, uint32_t *left_out)
{
    sn_error error;
    sn_pose *pose = sn_pose_create(model, allocator, &error);
    if (!pose) return error.status;
    sni_heap heap;
    sni_heap_init(&heap, allocator, UINT64_MAX);
    const size_t size = model->part_count * sizeof(gathered);
    sn_bounds *wanted = size > 0 ? parts : NULL;
    gathered *gathered_parts = wanted ? sni_heap_alloc(&heap, size) : NULL;
    *left_out = 0;
    if (wanted) memset(wanted, 0, ((size_t)clip_count + 1) * model->part_count * sizeof *wanted);
    sn_status status = wanted && !gathered_parts ? SN_ERR_MEMORY : SN_OK;
    if (status == SN_OK) status = bounds_of_clips(&heap, pose, clip_count, gathered_parts, bounds, wanted, left_out);
    if (gathered_parts) sni_heap_free(&heap, gathered_parts, size);
    sn_pose_free(pose);
    return status;
}
