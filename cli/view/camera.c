#include "camera.h"

#include <math.h>

#include "base/arena.h"
#include "base/math.h"

static const float upright = 1.5707963f, full_turn = 6.2831853f;

// The orbit centre is in front of the camera, at the depth of the scene centre.
cli_orbit cli_orbit_from_camera(const sn_render_camera *camera, float yaw, float pitch, const sn_bounds *scene)
{
    cli_orbit orbit = { .yaw = yaw, .pitch = pitch, .fov = camera->fov_y };
    orbit.distance = sni_dot(sni_sub(camera->view.position, scene->center), camera->view.back);
    orbit.center = sni_sub(camera->view.position, sni_scale(camera->view.back, orbit.distance));
    return orbit;
}

void cli_orbit_rotate(cli_orbit *orbit, float yaw, float pitch)
{
    orbit->yaw = fmodf(orbit->yaw + yaw, full_turn);
    orbit->pitch = fminf(fmaxf(orbit->pitch + pitch, -upright), upright);
}

static float half_height(const cli_orbit *orbit) { return orbit->distance * tanf(orbit->fov / 2); }

void cli_orbit_pan(cli_orbit *orbit, float right, float down)
{
    sn_view view = sn_framing_begin(orbit->yaw, orbit->pitch, 1).view;
    float high = 2 * half_height(orbit);
    orbit->center = sni_add(orbit->center,
                            sni_add(sni_scale(view.right, -right * high), sni_scale(view.up, down * high)));
}

void cli_orbit_zoom(cli_orbit *orbit, float steps, const sn_bounds *scene)
{
    float size = scene->radius > 0 ? scene->radius : 1;
    orbit->distance = fminf(fmaxf(orbit->distance * powf(0.88f, steps), size * 0.01f), size * 200);
}

void cli_orbit_fit_box(cli_orbit *orbit, float left, float top, float width, float height, float aspect)
{
    orbit->distance /= height;
    cli_orbit_pan(orbit, (left + width / 2 - 0.5f) * aspect, top + height / 2 - 0.5f);
}

sn_render_camera cli_orbit_camera(const cli_orbit *orbit, const sn_bounds *scene)
{
    sn_render_camera camera = { .view = sn_framing_begin(orbit->yaw, orbit->pitch, 1).view, .fov_y = orbit->fov };
    camera.view.position = sni_add(orbit->center, sni_scale(camera.view.back, orbit->distance));
    float reach = (scene->radius > 0 ? scene->radius : 1) * 5 +
                  (float)sni_length(sni_sub(orbit->center, scene->center));
    camera.far_plane = orbit->distance + reach;
    camera.near_plane = fmaxf(orbit->distance - reach, orbit->distance * 0.02f);
    return camera;
}

static float pixels_per_slope(const cli_viewport *viewport)
{
    const sn_render_camera *camera = &viewport->camera;
    return viewport->height / 2 / (camera->fov_y > 0 ? tanf(camera->fov_y / 2) : camera->half_height);
}

bool cli_viewport_project(const cli_viewport *viewport, sn_vec3 at, sn_vec2 *pixel, float *depth)
{
    const sn_view *view = &viewport->camera.view;
    sn_vec3 from = sni_sub(at, view->position);
    bool is_parallel = !(viewport->camera.fov_y > 0);
    *depth = -sni_dot(from, view->back);
    if (!is_parallel && !(*depth > viewport->camera.near_plane * 0.01f)) return false;
    float scale = pixels_per_slope(viewport) / (is_parallel ? 1 : *depth);
    *pixel = (sn_vec2){ viewport->width / 2 + sni_dot(from, view->right) * scale,
                        viewport->height / 2 - sni_dot(from, view->up) * scale };
    return true;
}

cli_ray cli_viewport_ray(const cli_viewport *viewport, sn_vec2 pixel)
{
    const sn_view *view = &viewport->camera.view;
    float scale = 1 / pixels_per_slope(viewport), x = (pixel.x - viewport->width / 2) * scale,
          y = (viewport->height / 2 - pixel.y) * scale;
    sn_vec3 aside = sni_add(sni_scale(view->right, x), sni_scale(view->up, y)), ahead = sni_scale(view->back, -1);
    if (!(viewport->camera.fov_y > 0)) return (cli_ray){ sni_add(view->position, aside), ahead };
    return (cli_ray){ view->position, sni_unit(sni_add(ahead, aside), ahead) };
}

static sn_vec3 place_of(const sn_pose *pose, int32_t node)
{
    sn_mat34 world = sn_pose_world(pose, node);
    return sni_mat34_column(&world, 3);
}

static bool has_joints(const sn_model *model)
{
    for (uint32_t i = 0; i < model->node_count; i++)
        if (model->nodes[i].flags & SN_NODE_JOINT) return true;
    return false;
}

static float distance_to_segment(sn_vec2 a, sn_vec2 b, sn_vec2 p)
{
    float x = b.x - a.x, y = b.y - a.y, square = x * x + y * y;
    float part = square > 0 ? fminf(fmaxf(((p.x - a.x) * x + (p.y - a.y) * y) / square, 0), 1) : 0;
    return hypotf(p.x - a.x - x * part, p.y - a.y - y * part);
}

// The best so far. Joints win over bones, because they are smaller; then the nearest to the pixel.
typedef struct candidate {
    int32_t node;
    float distance;
} candidate;

static void consider(candidate *best, int32_t node, float distance, float radius)
{
    if (distance < best->distance && distance < radius * 2) *best = (candidate){ node, distance };
}

int32_t cli_pick_bone(const cli_viewport *viewport, const sn_model *model, const sn_pose *pose, sn_vec2 pixel,
                      float radius)
{
    bool joints_only = has_joints(model);
    candidate best = { -1, INFINITY };
    for (int32_t i = 0; i < (int32_t)model->node_count; i++) {
        sn_vec2 at, parent_at;
        float depth;
        int32_t parent = model->nodes[i].parent;
        if (joints_only && !(model->nodes[i].flags & SN_NODE_JOINT)) continue;
        if (!cli_viewport_project(viewport, place_of(pose, i), &at, &depth)) continue;
        float from_joint = hypotf(pixel.x - at.x, pixel.y - at.y);
        if (from_joint < radius) consider(&best, i, from_joint, radius);
        bool has_bone = parent >= 0 && (!joints_only || (model->nodes[parent].flags & SN_NODE_JOINT));
        if (!has_bone || !cli_viewport_project(viewport, place_of(pose, parent), &parent_at, &depth)) continue;
        float from_bone = distance_to_segment(parent_at, at, pixel);
        if (from_bone < radius) consider(&best, parent, radius + from_bone, radius);
    }
    return best.node;
}

typedef struct hit {
    float distance;
    int32_t part;
    uint32_t triangle;
} hit;

// Distance along the ray to a triangle, from either side (Moeller-Trumbore); negative: no hit.
static float intersect(const cli_ray *ray, sn_vec3 a, sn_vec3 b, sn_vec3 c)
{
    sn_vec3 ab = sni_sub(b, a), ac = sni_sub(c, a), across = sni_cross(ray->along, ac), from = sni_sub(ray->from, a);
    float det = sni_dot(ab, across);
    if (det == 0) return -1;
    float u = sni_dot(from, across) / det;
    sn_vec3 other = sni_cross(from, ab);
    float v = sni_dot(ray->along, other) / det;
    return u >= 0 && v >= 0 && u + v <= 1 ? sni_dot(ac, other) / det : -1;
}

static bool intersect_part(const sn_model *model, const sn_pose *pose, int32_t part, const cli_ray *ray, sni_heap *heap,
                           hit *first)
{
    const sn_mesh *mesh = &model->meshes[model->parts[part].mesh];
    size_t bytes = (size_t)mesh->vertex_count * sizeof(sn_vec3);
    if (mesh->topology != SN_TRIANGLES || bytes == 0) return true;
    sn_vec3 *at = sni_heap_alloc(heap, bytes);
    if (!at) return false;
    sn_skin_part(pose, part, at, NULL, NULL);
    for (uint32_t i = 0; i + 2 < mesh->index_count; i += 3) {
        float distance = intersect(ray, at[mesh->indices[i]], at[mesh->indices[i + 1]], at[mesh->indices[i + 2]]);
        if (distance > 0 && distance < first->distance) *first = (hit){ distance, part, i };
    }
    sni_heap_free(heap, at, bytes);
    return true;
}

// The joint with the largest sum of weights over the three vertices.
static int32_t heaviest_joint(const sn_mesh *mesh, const sn_skin *skin, uint32_t triangle)
{
    int32_t best = -1;
    float most = 0;
    uint32_t count = mesh->influence_count;
    for (uint32_t i = 0; i < 3 * count; i++) {
        uint16_t joint = mesh->vertex_joints[(size_t)mesh->indices[triangle + i / count] * count + i % count];
        float sum = 0;
        for (uint32_t k = 0; k < 3 * count; k++) {
            size_t at = (size_t)mesh->indices[triangle + k / count] * count + k % count;
            if (mesh->vertex_joints[at] == joint) sum += mesh->vertex_weights[at];
        }
        if (sum > most) most = sum, best = skin->joints[joint];
    }
    return best;
}

int32_t cli_pick_surface(const sn_model *model, const sn_pose *pose, const cli_ray *ray, const sn_allocator *allocator)
{
    sni_heap heap;
    hit first = { INFINITY, -1, 0 };
    sni_heap_init(&heap, allocator, UINT64_MAX);
    for (int32_t i = 0; i < (int32_t)model->part_count; i++)
        if (sn_pose_shows(pose, i) && !intersect_part(model, pose, i, ray, &heap, &first)) return -1;
    if (first.part < 0) return -1;
    const sn_part *part = &model->parts[first.part];
    const sn_mesh *mesh = &model->meshes[part->mesh];
    if (part->skin < 0 || mesh->influence_count == 0) return part->node;
    return heaviest_joint(mesh, &model->skins[part->skin], first.triangle);
}
