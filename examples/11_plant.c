// Keeps the feet of a walking soldier on uneven ground: 11_plant samples/soldier_skn.w3d
//
// Two-bone IK after the clip is sampled and solved. This skeleton has no feet: the sole is a point of the calf.
#include <math.h>
#include <sinew/runtime.h>
#include <stdio.h>

// Where the ground is. A game casts a ray here.
static float ground_height(sn_vec3 at) { return 0.4f + 0.1f * sinf(at.x); }

static sn_vec3 transform(sn_mat34 m, sn_vec3 p)
{
    sn_vec3 out = { m.m[0][0] * p.x + m.m[0][1] * p.y + m.m[0][2] * p.z + m.m[0][3],
                    m.m[1][0] * p.x + m.m[1][1] * p.y + m.m[1][2] * p.z + m.m[1][3],
                    m.m[2][0] * p.x + m.m[2][1] * p.y + m.m[2][2] * p.z + m.m[2][3] };
    return out;
}

int main(int argc, char **argv)
{
    sn_error error;
    sn_load_opts options = { .folder_clips = true };  // animations of the soldier are files of their own
    sn_model *model = argc > 1 ? sn_load_file(argv[1], &options, &error) : NULL;
    sn_pose *pose = model ? sn_pose_create(model, NULL, &error) : NULL;
    if (!pose) return fprintf(stderr, "%s\n", argc > 1 ? error.message : "usage: 11_plant FILE"), 1;

    const char *thighs[] = { "B_THIGHL", "B_THIGHR" }, *calves[] = { "B_CALFL", "B_CALFR" };
    const sn_vec3 sole = { 3.2f, 0, 0 };  // in the space of the calf, which points along X
    for (int i = 0; i < 8; i++) {
        float seconds = (float)i * 0.125f;
        sn_pose_sample(pose, sn_model_find_clip(model, "SOLDIER_WALK"), seconds, seconds);
        sn_pose_solve(pose, NULL);
        printf("%.3f s", (double)seconds);
        for (int leg = 0; leg < 2; leg++) {
            int32_t thigh = sn_model_find_node(model, thighs[leg]), calf = sn_model_find_node(model, calves[leg]);
            sn_vec3 foot = transform(sn_pose_world(pose, calf), sole), target = foot;
            target.z = fmaxf(foot.z, ground_height(foot));  // lifted feet stay in the air
            sn_vec3 hip = transform(sn_pose_world(pose, thigh), (sn_vec3){ 0, 0, 0 });
            sn_two_bone_ik ik = { .start = thigh,
                                  .middle = calf,
                                  .end = calf,
                                  .tip = sole,
                                  .target = target,
                                  .pole = { hip.x + 10, hip.y, hip.z },
                                  .has_pole = true,  // knees point forward
                                  .weight = 1 };
            bool reached = sn_pose_two_bone_ik(pose, &ik);
            sn_vec3 now = transform(sn_pose_world(pose, calf), sole);
            printf("   %c: %5.2f -> %5.2f, ground %5.2f%s", leg ? 'R' : 'L', (double)foot.z, (double)now.z,
                   (double)ground_height(foot), reached ? "" : ", out of reach");
        }
        printf("\n");
    }
    sn_pose_free(pose);
    sn_model_free(model);
    return 0;
}
