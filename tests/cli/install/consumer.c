// A stranger's program: knows the installed header and library only.
#include <sinew/sinew.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    sn_error error;
    sn_model *model = argc > 1 ? sn_load_file(argv[1], NULL, &error) : NULL;
    sn_pose *pose = model ? sn_pose_create(model, NULL, NULL) : NULL;
    if (!pose) return 1;
    sn_pose_sample(pose, -1, 0.0f, 0.0f);
    sn_pose_solve(pose, NULL);
    printf("%u nodes, radius %.3f\n", model->node_count, (double)sn_pose_bounds(pose).radius);
    sn_pose_free(pose);
    sn_model_free(model);
    return 0;
}
