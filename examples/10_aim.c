// Aims the gun of a tank: 10_aim samples/tank.w3d
//
// The turret turns about its own Z, the gun on it about its own Y. Neither is faster than 90 degrees per second.
#include <math.h>
#include <sinew/runtime.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    sn_error error;
    sn_model *model = argc > 1 ? sn_load_file(argv[1], NULL, &error) : NULL;
    sn_pose *pose = model ? sn_pose_create(model, NULL, &error) : NULL;
    if (!pose) return fprintf(stderr, "%s\n", argc > 1 ? error.message : "usage: 10_aim FILE"), 1;

    const float step = 0.1f, degrees = 57.29578f;
    sn_vec3 target = { 0, 40, 20 };
    sn_aim turret = { .node = sn_model_find_node(model, "TURRET"),
                      .axis = { 1, 0, 0 },
                      .hinge = { 0, 0, 1 },
                      .target = target,
                      .max_angle = step * 90 / degrees,
                      .weight = 1 };
    sn_aim gun = turret;
    gun.node = sn_model_find_node(model, "TURRETEL");
    gun.hinge = (sn_vec3){ 0, 1, 0 };

    for (int i = 0; i < 14; i++) {  // nothing is sampled in between: the turret goes on from where it is
        sn_pose_aim(pose, &turret);
        sn_pose_aim(pose, &gun);  // sees the turned turret

        sn_mat34 m = sn_pose_world(pose, gun.node);
        sn_vec3 ahead = { m.m[0][0], m.m[1][0], m.m[2][0] };
        sn_vec3 to = { target.x - m.m[0][3], target.y - m.m[1][3], target.z - m.m[2][3] };
        float along = ahead.x * to.x + ahead.y * to.y + ahead.z * to.z;
        float distance = sqrtf(to.x * to.x + to.y * to.y + to.z * to.z);
        printf("%.1f s: turned %5.1f, raised %5.1f, off by %5.1f degrees\n", (double)(step * (float)i),
               (double)(degrees * atan2f(ahead.y, ahead.x)), (double)(degrees * asinf(ahead.z)),
               (double)(degrees * acosf(fminf(along / distance, 1))));
    }
    sn_pose_free(pose);
    sn_model_free(model);
    return 0;
}
