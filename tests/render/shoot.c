#include "shoot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

sn_model *load_sample(const char *name)
{
    char path[512];
    sn_error error;
    sn_load_opts opts = { .tangents = true, .folder_clips = true };
    snprintf(path, sizeof path, "%s/%s", SINEW_SAMPLES, name);
    sn_model *model = sn_load_file(path, &opts, &error);
    if (!model) fail_msg("%s: %s", path, error.message);
    return model;
}

sn_actor make_actor(sn_renderer *renderer, const sn_model *model)
{
    sn_error error;
    sn_drawable *drawable = sn_drawable_create(renderer, model, &error);
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    sn_mat34 upright = sn_model_upright(model);
    assert_non_null(drawable);
    assert_non_null(pose);
    sn_pose_set_root(pose, &upright);
    sn_pose_solve(pose, NULL);
    return (sn_actor){ .drawable = drawable, .pose = pose };
}

void free_actor(const sn_actor *actor)
{
    sn_drawable_free((sn_drawable *)(uintptr_t)actor->drawable);
    sn_pose_free((sn_pose *)(uintptr_t)actor->pose);
}

void pose_actor(const sn_actor *actor, int32_t clip, float seconds, const sn_view *view)
{
    sn_pose *pose = (sn_pose *)(uintptr_t)actor->pose;
    sn_pose_sample(pose, clip, seconds, seconds);
    sn_pose_solve(pose, view);
}

sn_pixels shoot(sn_renderer *renderer, const sn_frame *frame)
{
    sn_error error;
    sn_pixels pixels;
    if (sn_render_draw(renderer, frame, &error) != SN_OK) fail_msg("%s", error.message);
    if (sn_render_read(renderer, &pixels, &error) != SN_OK) fail_msg("%s", error.message);
    assert_int_equal(pixels.width, frame->width);
    assert_int_equal(pixels.height, frame->height);
    return pixels;
}

rgba pixel_at(const sn_pixels *pixels, int x, int y)
{
    assert_in_range(x, 0, pixels->width - 1);
    assert_in_range(y, 0, pixels->height - 1);
    const uint8_t *at = pixels->rgba + ((size_t)y * pixels->width + (size_t)x) * 4;
    return (rgba){ at[0], at[1], at[2], at[3] };
}

void expect_pixel(const sn_pixels *pixels, int x, int y, rgba e, const char *file, int line)
{
    rgba p = pixel_at(pixels, x, y);
    bool is_near = abs(p.r - e.r) <= 1 && abs(p.g - e.g) <= 1 && abs(p.b - e.b) <= 1 && abs(p.a - e.a) <= 1;
    if (is_near) return;
    print_error("pixel %d,%d is %d %d %d %d, not %d %d %d %d\n", x, y, p.r, p.g, p.b, p.a, e.r, e.g, e.b, e.a);
    _fail(file, line);
}
