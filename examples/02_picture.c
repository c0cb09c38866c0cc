// A picture of a model, half a second into its first clip: 02_picture knight.glb picture.png
#include <sinew/render.h>
#include <stdio.h>

static int fail(const sn_error *error) { return fprintf(stderr, "%s\n", error->message), 1; }

int main(int argc, char **argv)
{
    if (argc < 2) return fprintf(stderr, "usage: 02_picture FILE [PICTURE]\n"), 2;

    sn_error error;
    sn_model *model = sn_load_file(argv[1], NULL, &error);
    sn_renderer *renderer = model ? sn_renderer_create(NULL, &error) : NULL;
    sn_drawable *drawable = renderer ? sn_drawable_create(renderer, model, &error) : NULL;
    sn_pose *pose = drawable ? sn_pose_create(model, NULL, &error) : NULL;
    if (!pose) return fail(&error);

    sn_mat34 upright = sn_model_upright(model);
    sn_pose_set_root(pose, &upright);
    sn_pose_sample(pose, model->clip_count ? 0 : -1, 0.5f, 0.0f);
    sn_pose_solve(pose, NULL);

    sn_bounds bounds = sn_pose_bounds(pose);
    sn_actor actor = { .drawable = drawable, .pose = pose };
    sn_frame frame = {
        .width = 512, .height = 512, .actors = &actor, .actor_count = 1, .show = SN_SHOW_GRID | SN_SHOW_SHADOW
    };
    frame.camera = sn_render_camera_fit(&bounds, SN_VIEW_YAW, SN_VIEW_PITCH, 1.0f);
    sn_pixels pixels;
    if (sn_render_draw(renderer, &frame, &error) != SN_OK || sn_render_read(renderer, &pixels, &error) != SN_OK)
        return fail(&error);
    if (sn_pixels_save(&pixels, argc > 2 ? argv[2] : "picture.png", &error) != SN_OK) return fail(&error);
    sn_pixels_free(&pixels);
    sn_pose_free(pose);
    sn_drawable_free(drawable);
    sn_renderer_free(renderer);
    sn_model_free(model);
    return 0;
}
