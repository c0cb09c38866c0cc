// Plays the clips of a model one after the other, with cross-fades: 06_play FILE
//
// Prints the first row of a joint's palette matrix, and events such as footsteps.
#include <sinew/runtime.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    sn_error error;
    sn_model *model = argc > 1 ? sn_load_file(argv[1], NULL, &error) : NULL;
    sn_motion *motion = model ? sn_motion_create(model, NULL, &error) : NULL;
    sn_pose *pose = motion ? sn_pose_create(model, NULL, &error) : NULL;
    if (!pose) return fprintf(stderr, "%s\n", argc > 1 ? error.message : "usage: 06_play FILE"), 1;

    sn_player player = { .clip = -1 };  // the rest pose
    for (int frame = 0; frame < 24; frame++) {
        if (model->clip_count && frame % 8 == 0)  // something happens in the game
            sn_player_play(&player, model, frame / 8 % (int32_t)model->clip_count, 0.3f);
        sn_player_advance(&player, model, 0.1f);

        sn_motion_layer layers[2];
        uint32_t layer_count = sn_player_layers(&player, layers);
        sn_motion_sample_layers(motion, pose, layers, layer_count, player.clock);
        sn_motion_solve(motion, pose, NULL);

        printf("%s at %.1f s", player.clip < 0 ? "rest" : model->clips[player.clip].name, (double)player.seconds);
        if (layer_count == 2) printf(", %.0f %%", (double)layers[0].weight * 100);
        if (model->skin_count) {
            uint32_t last = model->skins[0].joint_count - 1;
            const sn_mat34 *palette = sn_pose_palette(pose, 0);  // joint_count matrices to upload
            const sn_mat34 m = palette[last];
            printf(": palette of %s [%6.2f %6.2f %6.2f %6.2f]", model->nodes[model->skins[0].joints[last]].name,
                   (double)m.m[0][0], (double)m.m[0][1], (double)m.m[0][2], (double)m.m[0][3]);
        }
        uint32_t cursor = 0;
        for (const sn_event *event; (event = sn_event_next(model, player.clip, player.from, player.to, &cursor, NULL));)
            printf(", event %s", event->name);
        printf("\n");
    }
    sn_pose_free(pose);
    sn_motion_free(motion);
    sn_model_free(model);
    return 0;
}
