// Walks with the legs and waves with the arm: 07_blend samples/soldier_skn.w3d
//
// A mask has one factor per node. The upper body takes the second clip, the rest of the body the first.
#include <sinew/runtime.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    sn_error error;
    sn_load_opts options = { .folder_clips = true };  // animations of the soldier are files of their own
    sn_model *model = argc > 1 ? sn_load_file(argv[1], &options, &error) : NULL;
    sn_motion *motion = model ? sn_motion_create(model, NULL, &error) : NULL;
    sn_pose *pose = motion ? sn_pose_create(model, NULL, &error) : NULL;
    if (!pose) return fprintf(stderr, "%s\n", argc > 1 ? error.message : "usage: 07_blend FILE"), 1;

    float *upper = malloc(model->node_count * sizeof *upper), *lower = malloc(model->node_count * sizeof *lower);
    if (!upper || !lower) return 1;
    int32_t spine = sn_model_find_node(model, "B_SPINE");
    sn_mask_set(model, upper, -1, 0);     // nothing ...
    sn_mask_set(model, upper, spine, 1);  // ... but the spine and what is below it
    sn_mask_set(model, lower, -1, 1);
    sn_mask_set(model, lower, spine, 0);

    int32_t hand = sn_model_find_node(model, "B_FARML"), calf = sn_model_find_node(model, "B_CALFL");
    for (int i = 0; i < 8; i++) {
        float seconds = (float)i * 0.125f;
        sn_motion_layer layers[] = {
            { .clip = sn_model_find_clip(model, "SOLDIER_WALK"), .seconds = seconds, .weight = 1, .mask = lower },
            { .clip = sn_model_find_clip(model, "SOLDIER_WAVE"), .seconds = seconds, .weight = 1, .mask = upper },
        };
        sn_motion_sample_layers(motion, pose, layers, 2, seconds);
        sn_motion_solve(motion, pose, NULL);
        sn_mat34 at_hand = sn_pose_world(pose, hand), at_calf = sn_pose_world(pose, calf);
        printf("%.3f s: forearm at %5.2f %5.2f %5.2f, calf at %5.2f %5.2f %5.2f\n", (double)seconds,
               (double)at_hand.m[0][3], (double)at_hand.m[1][3], (double)at_hand.m[2][3], (double)at_calf.m[0][3],
               (double)at_calf.m[1][3], (double)at_calf.m[2][3]);
    }
    free(upper);
    free(lower);
    sn_pose_free(pose);
    sn_motion_free(motion);
    sn_model_free(model);
    return 0;
}
