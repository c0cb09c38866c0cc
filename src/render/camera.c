// Cameras: matrices, and positions from which a box, a set of points or a posed model fills the picture.
#include "render/render.h"

static const float default_fov = 0.6f, margin = 1.06f;

sn_mat34 sn_model_upright(const sn_model *model)
{
    const sn_mat34 y_up = { { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };
    const sn_mat34 z_up = { { { 0, 1, 0, 0 }, { 0, 0, 1, 0 }, { 1, 0, 0, 0 } } };  // models of these games face +X
    return model->up_axis == SN_Z_UP ? z_up : y_up;
}

sn_bounds sn_bounds_transform(const sn_bounds *bounds, const sn_mat34 *by)
{
    float low[3], high[3];
    const float from[2][3] = { { bounds->min.x, bounds->min.y, bounds->min.z },
                               { bounds->max.x, bounds->max.y, bounds->max.z } };
    for (int r = 0; r < 3; r++) {
        low[r] = high[r] = by->m[r][3];
        for (int c = 0; c < 3; c++) {
            float a = by->m[r][c] * from[0][c], b = by->m[r][c] * from[1][c];
            low[r] += fminf(a, b);
            high[r] += fmaxf(a, b);
        }
    }
    float stretch = 0;
    for (int c = 0; c < 3; c++) stretch = fmaxf(stretch, (float)sni_length(sni_mat34_column(by, c)));
    return (sn_bounds){ .min = { low[0], low[1], low[2] },
                        .max = { high[0], high[1], high[2] },
                        .center = sni_mat34_point(by, bounds->center),
                        .radius = bounds->radius * stretch };
}

sni_mat44 sni_mat44_mul(const sni_mat44 *a, const sni_mat44 *b)
{
    sni_mat44 out;
    for (int c = 0; c < 4; c++)
        for (int r = 0; r < 4; r++) {
            float sum = 0;
            for (int k = 0; k < 4; k++) sum += a->m[k * 4 + r] * b->m[c * 4 + k];
            out.m[c * 4 + r] = sum;
        }
    return out;
}

sn_vec4 sni_mat44_point(const sni_mat44 *a, sn_vec3 p)
{
    float out[4];
    for (int r = 0; r < 4; r++) out[r] = a->m[r] * p.x + a->m[4 + r] * p.y + a->m[8 + r] * p.z + a->m[12 + r];
    return (sn_vec4){ out[0], out[1], out[2], out[3] };
}

static sni_mat44 view_matrix(const sn_view *view)
{
    const sn_vec3 rows[3] = { view->right, view->up, view->back };
    sni_mat44 out = { { 0 } };
    for (int r = 0; r < 3; r++) {
        out.m[r] = rows[r].x;
        out.m[4 + r] = rows[r].y;
        out.m[8 + r] = rows[r].z;
        out.m[12 + r] = -sni_dot(rows[r], view->position);
    }
    out.m[15] = 1;
    return out;
}

static sni_mat44 projection_matrix(const sn_render_camera *camera, float aspect)
{
    float near = camera->near_plane, far = camera->far_plane, depth = far - near;
    sni_mat44 out = { { 0 } };
    if (camera->fov_y > 0) {
        out.m[5] = 1.0f / tanf(camera->fov_y * 0.5f);
        out.m[0] = out.m[5] / aspect;
        out.m[10] = -(far + near) / depth;
        out.m[14] = -2.0f * far * near / depth;
        out.m[11] = -1;
    } else {
        out.m[5] = 1.0f / camera->half_height;
        out.m[0] = out.m[5] / aspect;
        out.m[10] = -2.0f / depth;
        out.m[14] = -(far + near) / depth;
        out.m[15] = 1;
    }
    return out;
}

sni_mat44 sni_camera_clip(const sn_render_camera *camera, float aspect)
{
    sni_mat44 view = view_matrix(&camera->view), projection = projection_matrix(camera, aspect);
    return sni_mat44_mul(&projection, &view);
}

static sn_view view_from(float yaw, float pitch)
{
    float cy = cosf(yaw), sy = sinf(yaw), cp = cosf(pitch), sp = sinf(pitch);
    return (sn_view){ .right = { cy, 0, -sy }, .up = { -sy * sp, cp, -cy * sp }, .back = { sy * cp, sp, cy * cp } };
}

static sn_vec3 corner_of(const sn_bounds *bounds, int index)
{
    return sni_vec3(index & 1 ? bounds->max.x : bounds->min.x, index & 2 ? bounds->max.y : bounds->min.y,
                    index & 4 ? bounds->max.z : bounds->min.z);
}

// Along one picture axis the frustum planes of a lens of half-width t have slope t: one passes outside all x + t*z, the
// other outside all x - t*z. Their intersection is the camera's distance and centre on this axis. The axis with room to
// spare is centred for the narrower lens that it would fill, so several slopes are tracked.
sn_framing sn_framing_begin(float yaw, float pitch, float aspect)
{
    sn_framing framing = { .view = view_from(yaw, pitch),
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

void sn_framing_add(sn_framing *framing, const sn_vec3 *points, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        sn_vec3 p = points[i], *low = &framing->min, *high = &framing->max;
        *low = sni_vec3(fminf(low->x, p.x), fminf(low->y, p.y), fminf(low->z, p.z));
        *high = sni_vec3(fmaxf(high->x, p.x), fmaxf(high->y, p.y), fmaxf(high->z, p.z));
        float back = sni_dot(points[i], framing->view.back);
        const float across[2] = { sni_dot(points[i], framing->view.right), sni_dot(points[i], framing->view.up) };
        for (int axis = 0; axis < 2; axis++)
            for (int k = 0; k < SN_FRAMING_SLOPES; k++) {
                float shift = back * framing->slope[axis][k];
                framing->upper[axis][k] = fmaxf(framing->upper[axis][k], across[axis] + shift);
                framing->lower[axis][k] = fminf(framing->lower[axis][k], across[axis] - shift);
            }
        framing->nearest = fmaxf(framing->nearest, back);
        framing->farthest = fminf(framing->farthest, back);
    }
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

sn_render_camera sn_render_camera_fit(const sn_bounds *bounds, float yaw, float pitch, float aspect)
{
    sn_framing framing = sn_framing_begin(yaw, pitch, aspect);
    for (int i = 0; i < 8; i++) {
        sn_vec3 corner = corner_of(bounds, i);
        sn_framing_add(&framing, &corner, 1);
    }
    return sn_framing_end(&framing);
}

// A depth range around the sphere, with room for overlays and the ground.
static void set_depth(sn_render_camera *camera, const sn_bounds *bounds, float distance)
{
    float reach = fmaxf(bounds->radius, (float)sni_length(sni_sub(bounds->max, bounds->min)) * 0.5f);
    reach = fmaxf(reach * 4.0f, distance * 1e-3f);
    camera->far_plane = distance + reach;
    camera->near_plane = fmaxf(distance - reach, camera->fov_y > 0 ? distance * 0.02f : distance - reach);
}

static sn_bounds non_empty(const sn_bounds *bounds)
{
    sn_bounds out = *bounds;
    float size = (float)sni_length(sni_sub(out.max, out.min));
    if (isfinite(size) && size > 1e-12f && size < 1e18f) return out;
    out = (sn_bounds){ .min = { -1, -1, -1 }, .max = { 1, 1, 1 }, .radius = 1.8f };
    return out;
}

sn_render_camera sn_render_camera_fit_parallel(const sn_bounds *bounds, float yaw, float pitch, float aspect)
{
    sn_bounds seen = non_empty(bounds);
    sn_render_camera camera = { .view = view_from(yaw, pitch) };
    sn_vec3 center = sni_scale(sni_add(seen.min, seen.max), 0.5f);
    float wide = 0, high = 0;
    for (int i = 0; i < 8; i++) {
        sn_vec3 corner = sni_sub(corner_of(&seen, i), center);
        wide = fmaxf(wide, fabsf(sni_dot(corner, camera.view.right)));
        high = fmaxf(high, fabsf(sni_dot(corner, camera.view.up)));
    }
    camera.half_height = fmaxf(high, wide / aspect) * 1.06f;
    float distance = (float)sni_length(sni_sub(seen.max, seen.min));
    camera.view.position = sni_add(center, sni_scale(camera.view.back, distance));
    set_depth(&camera, &seen, distance);
    return camera;
}

bool sn_render_camera_from_model(const sn_model *model, const sn_pose *pose, int32_t index, const sn_bounds *bounds,
                                 sn_render_camera *out)
{
    if (index < 0 || (uint32_t)index >= model->camera_count) return false;
    const sn_camera *camera = &model->cameras[index];
    sn_mat34 upright = sn_model_upright(model), world = camera->node >= 0 ? sn_pose_world(pose, camera->node) : upright;
    sn_trs at = sni_mat34_decompose(&world);
    sn_mat34 axes = sni_quat_matrix(at.rotation);
    *out = (sn_render_camera){ .view = { at.translation, sni_mat34_column(&axes, 0), sni_mat34_column(&axes, 1),
                                         sni_mat34_column(&axes, 2) } };
    if (camera->is_perspective) out->fov_y = fminf(fmaxf(sn_pose_fov(pose, index), 0.01f), 3.0f);
    else out->half_height = fmaxf(camera->half_height, 1e-6f);
    sn_bounds seen = non_empty(bounds);
    set_depth(out, &seen, (float)sni_length(sni_sub(at.translation, seen.center)));
    return true;
}

sn_status sn_framing_add_pose(sn_framing *framing, const sn_pose *pose, const sn_model *model,
                              const sn_allocator *allocator)
{
    sni_heap heap;
    sni_heap_init(&heap, allocator, UINT64_MAX);
    for (uint32_t i = 0; i < model->part_count; i++) {
        if (!sn_pose_shows(pose, (int32_t)i)) continue;
        uint32_t count = model->meshes[model->parts[i].mesh].vertex_count;
        sn_vec3 *positions = sni_heap_alloc(&heap, count * sizeof *positions);
        if (!positions) return SN_ERR_MEMORY;
        sn_skin_part(pose, (int32_t)i, positions, NULL, NULL);
        sn_framing_add(framing, positions, count);
        sni_heap_free(&heap, positions, count * sizeof *positions);
    }
    return SN_OK;
}
