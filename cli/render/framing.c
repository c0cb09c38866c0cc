// Cameras that see a whole clip, or one time of it.
#include "cli/render/framing.h"

#include <math.h>

// A clip is sampled at this many times. The margin of the framing covers movement in between.
enum { FRAMING_SAMPLES = 16 };

// Nodes with any of the flags; 0: all nodes.
static void add_nodes(const sn_model *model, const sn_pose *pose, uint32_t flags, sn_framing *framing)
{
    for (uint32_t i = 0; i < model->node_count; i++) {
        if (flags && !(model->nodes[i].flags & flags)) continue;
        sn_mat34 world = sn_pose_world(pose, (int32_t)i);
        sn_vec3 at = { world.m[0][3], world.m[1][3], world.m[2][3] };
        sn_framing_add(framing, &at, 1);
    }
}

sn_bounds cli_framing_bounds(const sn_framing *framing)
{
    sn_bounds bounds = { .min = framing->min, .max = framing->max };
    if (!(bounds.min.x <= bounds.max.x)) return (sn_bounds){ 0 };
    float x = (bounds.max.x - bounds.min.x) / 2, y = (bounds.max.y - bounds.min.y) / 2,
          z = (bounds.max.z - bounds.min.z) / 2;
    bounds.center = (sn_vec3){ bounds.min.x + x, bounds.min.y + y, bounds.min.z + z };
    bounds.radius = sqrtf(x * x + y * y + z * z);
    return bounds;
}

static void add_bounds(const sn_pose *pose, sn_framing *framing)
{
    sn_bounds b = sn_pose_bounds(pose);
    const sn_vec3 c = b.center;
    const sn_vec3 points[] = { b.min,
                               b.max,
                               { b.min.x, b.min.y, b.max.z },
                               { b.min.x, b.max.y, b.min.z },
                               { b.max.x, b.min.y, b.min.z },
                               { b.max.x, b.max.y, b.min.z },
                               { b.max.x, b.min.y, b.max.z },
                               { b.min.x, b.max.y, b.max.z },
                               { c.x - b.radius, c.y, c.z },
                               { c.x + b.radius, c.y, c.z },
                               { c.x, c.y - b.radius, c.z },
                               { c.x, c.y + b.radius, c.z },
                               { c.x, c.y, c.z - b.radius },
                               { c.x, c.y, c.z + b.radius } };
    sn_framing_add(framing, points, sizeof points / sizeof *points);
}

static bool add_time(const sn_model *model, sn_pose *pose, int32_t clip, float seconds, uint32_t show,
                     sn_framing *framing)
{
    sn_pose_sample(pose, clip, seconds, seconds);
    sn_pose_solve(pose, &framing->view);
    if (sn_framing_add_pose(framing, pose, model, NULL) != SN_OK) return false;
    if (model->part_count == 0) add_nodes(model, pose, 0, framing);
    if (show & SN_SHOW_ATTACHMENTS) add_nodes(model, pose, SN_NODE_ATTACHMENT, framing);
    if (show & SN_SHOW_BOUNDS) add_bounds(pose, framing);
    return true;
}

bool cli_framing_add_clip(const sn_model *model, sn_pose *pose, int32_t clip, uint32_t show, sn_framing *framing)
{
    int samples = clip < 0 ? 1 : FRAMING_SAMPLES;
    for (int i = 0; i < samples; i++) {
        float seconds = clip < 0 ? 0 : model->clips[clip].duration * (float)i / (float)(samples - 1);
        if (!add_time(model, pose, clip, seconds, show, framing)) return false;
    }
    return true;
}

bool cli_frame_time(const sn_model *model, sn_pose *pose, int32_t clip, float seconds, uint32_t show,
                    sn_framing *framing, sn_bounds *bounds, sn_render_camera *camera)
{
    if (!add_time(model, pose, clip, seconds, show, framing)) return false;
    *camera = sn_framing_end(framing);
    *bounds = cli_framing_bounds(framing);
    return true;
}

bool cli_frame_clip(const sn_model *model, sn_pose *pose, int32_t clip, uint32_t show, sn_framing *framing,
                    sn_bounds *bounds, sn_render_camera *camera)
{
    if (!cli_framing_add_clip(model, pose, clip, show, framing)) return false;
    *camera = sn_framing_end(framing);
    *bounds = cli_framing_bounds(framing);
    return true;
}
