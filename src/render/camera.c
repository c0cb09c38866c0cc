// Cameras: matrices, cameras of a model, and positions from which a box fills the picture.
#include "render/render.h"

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

static sni_mat44 mat44_mul(const sni_mat44 *a, const sni_mat44 *b)
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
    return mat44_mul(&projection, &view);
}

sn_view sni_view_from(float yaw, float pitch)
{
    float cy = cosf(yaw), sy = sinf(yaw), cp = cosf(pitch), sp = sinf(pitch);
    return (sn_view){ .right = { cy, 0, -sy }, .up = { -sy * sp, cp, -cy * sp }, .back = { sy * cp, sp, cy * cp } };
}

sn_render_camera sn_render_camera_fit(const sn_bounds *bounds, float yaw, float pitch, float aspect)
{
    sn_framing framing = sn_framing_begin(yaw, pitch, aspect);
    for (int i = 0; i < 8; i++) {
        sn_vec3 corner = sni_box_corner(bounds->min, bounds->max, i);
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
    sn_render_camera camera = { .view = sni_view_from(yaw, pitch) };
    sn_vec3 center = sni_scale(sni_add(seen.min, seen.max), 0.5f);
    float wide = 0, high = 0;
    for (int i = 0; i < 8; i++) {
        sn_vec3 corner = sni_sub(sni_box_corner(seen.min, seen.max, i), center);
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
