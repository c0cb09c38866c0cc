// Where to look from: all that a clip moves through fills the picture.
#include "render.h"

#include <math.h>

// A clip is looked at in this many places; what moves farther in between has the margin.
enum { AIM_SAMPLES = 16 };

// Of a skeleton by itself all nodes; else those with a flag.
static void add_nodes(const sn_model *model, const sn_pose *pose, uint32_t flags, sn_framing *framing)
{
    for (uint32_t i = 0; i < model->node_count; i++) {
        if (flags && !(model->nodes[i].flags & flags)) continue;
        sn_mat34 world = sn_pose_world(pose, (int32_t)i);
        sn_vec3 at = { world.m[0][3], world.m[1][3], world.m[2][3] };
        sn_framing_add(framing, &at, 1);
    }
}

static sn_bounds stage_of(const sn_framing *framing)
{
    sn_bounds stage = { .min = framing->min, .max = framing->max };
    if (!(stage.min.x <= stage.max.x)) return (sn_bounds){ 0 };
    float x = (stage.max.x - stage.min.x) / 2, y = (stage.max.y - stage.min.y) / 2, z = (stage.max.z - stage.min.z) / 2;
    stage.center = (sn_vec3){ stage.min.x + x, stage.min.y + y, stage.min.z + z };
    stage.radius = sqrtf(x * x + y * y + z * z);
    return stage;
}

// Box and sphere of the pose, where they are shown too.
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

bool cli_aim(const sn_model *model, sn_pose *pose, int32_t clip, uint32_t show, sn_framing *framing, sn_bounds *stage,
             sn_eye *eye)
{
    int samples = clip < 0 ? 1 : AIM_SAMPLES;
    for (int i = 0; i < samples; i++) {
        float seconds = clip < 0 ? 0 : model->clips[clip].duration * (float)i / (float)(samples - 1);
        sn_pose_sample(pose, clip, seconds, seconds);
        sn_pose_solve(pose, &framing->view);
        if (sn_framing_add_pose(framing, pose, model, NULL) != SN_OK) return false;
        if (model->part_count == 0) add_nodes(model, pose, 0, framing);
        if (show & SN_SHOW_ATTACHMENTS) add_nodes(model, pose, SN_NODE_ATTACHMENT, framing);
        if (show & SN_SHOW_BOUNDS) add_bounds(pose, framing);
    }
    *eye = sn_framing_end(framing);
    *stage = stage_of(framing);
    return true;
}
