// Pictures of models, through WebGL 2. JavaScript makes the context and makes it current before web_renderer_open.
#include "sinew_web.h"

#include <string.h>

#include "cli/elements.h"
#include "cli/render/framing.h"
#include "cli/view/camera.h"

enum { IMAGE_PIXELS = 128 << 20, ANIMATION_FRAMES = 999, ANIMATION_BYTES = 384 << 20 };

// A model on the graphics card, posed and seen by an orbit camera.
typedef struct web_scene {
    sn_drawable *drawable;
    sn_pose *pose;  // upright
    sn_bounds bounds;
    cli_orbit orbit;
    int32_t clip, lod, selected, camera;
    uint32_t show;  // sn_show
    sn_vec4 background;
} web_scene;

static struct {
    sn_renderer *renderer;
} web;

WEB_EXPORT bool web_renderer_open(void)
{
    sn_error error;
    if (!web.renderer)
        web.renderer = sn_renderer_create(&(sn_render_opts){ .fonts = "", .image_pixels = IMAGE_PIXELS }, &error);
    return web.renderer || web_fail(&error);
}

WEB_EXPORT const char *web_renderer_name(void) { return web.renderer ? sn_renderer_name(web.renderer) : ""; }

void web_scene_free(web_scene *scene)
{
    if (!scene) return;
    sn_pose_free(scene->pose);
    sn_drawable_free(scene->drawable);
    web_release(scene, sizeof *scene);
}

static bool open_scene(web_scene *scene, const sn_model *model)
{
    sn_error error;
    if (!cli_can_show(model, &error)) return web_fail(&error);
    scene->drawable = sn_drawable_create(web.renderer, model, &error);
    scene->pose = scene->drawable ? sn_pose_create(model, NULL, &error) : NULL;
    if (!scene->pose) return web_fail(&error);
    const sn_mat34 upright = sn_model_upright(model);
    sn_pose_set_root(scene->pose, &upright);
    scene->selected = -1;
    scene->clip = sn_model_default_clip(model);
    return true;
}

WEB_EXPORT bool web_scene_open(web_model *of, const char *name)
{
    if (of->scene) return true;
    of->scene = web_allocate(sizeof *of->scene);
    if (!of->scene) return false;
    of->scene->camera = cli_default_camera(of->model, name);
    if (open_scene(of->scene, of->model)) return true;
    web_scene_free(of->scene);
    of->scene = NULL;
    return false;
}

WEB_EXPORT float web_clip_rate(const web_model *of, uint32_t clip) { return cli_clip_rate(&of->model->clips[clip]); }
WEB_EXPORT int32_t web_scene_camera(const web_model *of) { return of->scene->camera; }

static int32_t index_or_none(int32_t index, uint32_t count)
{
    return index >= 0 && (uint32_t)index < count ? index : -1;
}

// What is shown: the clip (-1: the rest pose), overlays (sn_show), the selected node, a camera of the model (-1:
// orbit). Indices that the model does not have are none: the page may still refer to the previous model.
WEB_EXPORT void web_scene_set(web_model *of, int32_t clip, int32_t lod, uint32_t show, int32_t selected, int32_t camera)
{
    web_scene *scene = of->scene;
    scene->clip = index_or_none(clip, of->model->clip_count);
    scene->lod = index_or_none(lod, of->model->lod_count) < 0 ? 0 : lod;
    scene->show = show | (of->model->part_count == 0 ? (uint32_t)SN_SHOW_SKELETON : 0);
    scene->selected = index_or_none(selected, of->model->node_count);
    scene->camera = index_or_none(camera, of->model->camera_count);
    sn_pose_set_lod(scene->pose, scene->lod);
}

WEB_EXPORT void web_scene_background(web_model *of, float red, float green, float blue, float alpha)
{
    of->scene->background = (sn_vec4){ red, green, blue, alpha };
}

// Fits the camera to the clip, or to one time of it; a negative time: to all of it. The model stays below `top`, a
// fraction of the picture: something covers what is above.
WEB_EXPORT bool web_scene_frame(web_model *of, float yaw, float pitch, float aspect, float top, float seconds)
{
    web_scene *scene = of->scene;
    sn_render_camera camera;
    sn_framing framing = sn_framing_begin(yaw, pitch, aspect / (1 - top));
    const bool is_good = seconds < 0 ? cli_frame_clip(of->model, scene->pose, scene->clip, scene->show, &framing,
                                                      &scene->bounds, &camera)
                                     : cli_frame_time(of->model, scene->pose, scene->clip, seconds, scene->show,
                                                      &framing, &scene->bounds, &camera);
    if (!is_good) return web_fail_memory();
    scene->orbit = cli_orbit_from_camera(&camera, yaw, pitch, &scene->bounds);
    if (top > 0) cli_orbit_fit_box(&scene->orbit, 0, top, 1, 1 - top, aspect);
    return true;
}

// Centre x, y, z, then yaw, pitch, distance and field of view; JavaScript may change them.
WEB_EXPORT cli_orbit *web_orbit(web_model *of) { return &of->scene->orbit; }
WEB_EXPORT void web_orbit_rotate(web_model *of, float yaw, float pitch)
{
    cli_orbit_rotate(&of->scene->orbit, yaw, pitch);
}
WEB_EXPORT void web_orbit_pan(web_model *of, float right, float down) { cli_orbit_pan(&of->scene->orbit, right, down); }
WEB_EXPORT void web_orbit_zoom(web_model *of, float steps)
{
    cli_orbit_zoom(&of->scene->orbit, steps, &of->scene->bounds);
}

static sn_render_camera pose_scene(const web_model *of, float seconds, float clock)
{
    const web_scene *scene = of->scene;
    sn_render_camera camera = cli_orbit_camera(&scene->orbit, &scene->bounds);
    sn_pose_sample(scene->pose, scene->clip, seconds, clock);
    sn_pose_solve(scene->pose, &camera.view);
    if (sn_render_camera_from_model(of->model, scene->pose, scene->camera, &scene->bounds, &camera))
        sn_pose_solve(scene->pose, &camera.view);
    return camera;
}

static bool draw(const web_scene *scene, const sn_render_camera *camera, uint32_t width, uint32_t height)
{
    sn_error error = { 0 };
    const sn_actor actor = { .drawable = scene->drawable, .pose = scene->pose };
    const sn_frame frame = { .width = width,
                             .height = height,
                             .camera = *camera,
                             .background = scene->background,
                             .actors = &actor,
                             .actor_count = 1,
                             .show = scene->show,
                             .selected_node = scene->selected,
                             .scene_bounds = scene->bounds,
                             .cancelled = web_is_late };
    return sn_render_draw(web.renderer, &frame, &error) == SN_OK || web_fail(&error);
}

// Into the renderer's own framebuffer: then web_present or web_read.
WEB_EXPORT bool web_draw(web_model *of, float seconds, float clock, uint32_t width, uint32_t height)
{
    const sn_render_camera camera = pose_scene(of, seconds, clock);
    return draw(of->scene, &camera, width, height);
}

WEB_EXPORT void web_present(void) { sn_render_present(web.renderer, 0); }

// Width and height as 32-bit numbers, then RGBA.
WEB_EXPORT const void *web_read(void)
{
    sn_pixels pixels;
    sn_error error;
    if (sn_render_read(web.renderer, &pixels, &error) != SN_OK) return web_fail(&error), NULL;
    const size_t size = (size_t)pixels.width * pixels.height * 4;
    uint32_t *out = web_room(size + 8);
    if (out) out[0] = pixels.width, out[1] = pixels.height, memcpy(out + 2, pixels.rgba, size);
    sn_pixels_free(&pixels);
    return out;
}

// The start of the default clip, with a transparent background, through the default camera.
WEB_EXPORT const void *web_thumbnail(web_model *of, uint32_t side)
{
    web_scene *scene = of->scene;
    sn_render_camera camera;
    sn_framing framing = sn_framing_begin(SN_VIEW_YAW, SN_VIEW_PITCH, 1);
    web_scene_set(of, scene->clip, 0, 0, -1, scene->camera);
    if (!cli_frame_time(of->model, scene->pose, scene->clip, 0, 0, &framing, &scene->bounds, &camera))
        return web_fail_memory(), NULL;
    sn_pose_solve(scene->pose, &camera.view);
    if (sn_render_camera_from_model(of->model, scene->pose, scene->camera, &scene->bounds, &camera))
        sn_pose_solve(scene->pose, &camera.view);
    return draw(scene, &camera, side, side) ? web_read() : NULL;
}

// The last picture as a PNG, in a file.
WEB_EXPORT bool web_save_png(const char *path)
{
    sn_pixels pixels;
    sn_error error;
    bool is_good = sn_render_read(web.renderer, &pixels, &error) == SN_OK;
    is_good = is_good && sn_pixels_save(&pixels, path, &error) == SN_OK;
    sn_pixels_free(&pixels);
    return is_good || web_fail(&error);
}

// The clip as an animation, in a file. A looping clip ends one step before its first frame.
WEB_EXPORT bool web_save_animation(web_model *of, const char *path, bool is_gif, float rate, uint32_t width,
                                   uint32_t height)
{
    const web_scene *scene = of->scene;
    const sn_clip *clip = scene->clip >= 0 ? &of->model->clips[scene->clip] : NULL;
    const float wanted = clip ? clip->duration * rate + 0.5f : 1;
    uint32_t count = wanted < 1 ? 1 : wanted > ANIMATION_FRAMES ? ANIMATION_FRAMES : (uint32_t)wanted, drawn = 0;
    sn_error error = { 0 };
    if ((uint64_t)width * height * 4 * count > ANIMATION_BYTES)
        return web_fail(&(sn_error){ .status = SN_ERR_LIMIT, .message = "too many pixels: choose a smaller picture" });
    const float steps = !clip || clip->loops || count == 1 ? (float)count : (float)(count - 1),
                step = clip ? clip->duration / steps : 1;
    sn_pixels *frames = web_allocate(count * sizeof *frames);
    float *seconds = web_allocate(count * sizeof *seconds);
    bool is_good = frames && seconds;
    for (; is_good && drawn < count; drawn++) {
        seconds[drawn] = step;
        is_good = web_draw(of, step * (float)drawn, step * (float)drawn, width, height);
        if (is_good && sn_render_read(web.renderer, &frames[drawn], &error) != SN_OK) is_good = web_fail(&error);
    }
    if (is_good && (is_gif ? sn_pixels_save_gif : sn_pixels_save_apng)(frames, seconds, count, path, &error) != SN_OK)
        is_good = web_fail(&error);
    for (uint32_t i = 0; i < drawn; i++) sn_pixels_free(&frames[i]);
    web_release(frames, count * sizeof *frames);
    web_release(seconds, count * sizeof *seconds);
    return is_good;
}

// The bone at a pixel of the last picture: one that is drawn, else that of the surface; -1: none.
WEB_EXPORT int32_t web_pick(web_model *of, float x, float y, float width, float height)
{
    const web_scene *scene = of->scene;
    cli_viewport viewport = { cli_orbit_camera(&scene->orbit, &scene->bounds), width, height };
    sn_render_camera_from_model(of->model, scene->pose, scene->camera, &scene->bounds, &viewport.camera);
    const bool has_bones = scene->show & SN_SHOW_SKELETON;
    int32_t node = has_bones ? cli_pick_bone(&viewport, of->model, scene->pose, (sn_vec2){ x, y }, 8) : -1;
    if (node >= 0) return node;
    const cli_ray ray = cli_viewport_ray(&viewport, (sn_vec2){ x, y });
    return cli_pick_surface(of->model, scene->pose, &ray, NULL);
}
