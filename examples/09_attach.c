// Puts a sword into a hand: 09_attach samples/rabbit.chr
//
// The sword is a model of its own, with a pose of its own, below a node of the holder.
#include <sinew/build.h>
#include <sinew/runtime.h>
#include <stdio.h>

// Two nodes are enough here; a game loads a file.
static sn_model *make_sword(sn_error *error)
{
    sn_builder *b = sn_builder_create(NULL, NULL, error);
    if (!b) return NULL;
    sn_node node = { .name = "hilt", .parent = -1, .rest = sn_trs_identity() };
    node.parent = sn_builder_add_node(b, &node);
    node.name = "point";
    node.rest.translation.z = 5;
    sn_builder_add_node(b, &node);
    return sn_builder_finish(b, error);
}

static void print_place(const char *name, sn_mat34 world)
{
    printf("  %s %6.2f %6.2f %6.2f", name, (double)world.m[0][3], (double)world.m[1][3], (double)world.m[2][3]);
}

int main(int argc, char **argv)
{
    sn_error error;
    sn_model *model = argc > 1 ? sn_load_file(argv[1], NULL, &error) : NULL, *sword = make_sword(&error);
    sn_pose *pose = model ? sn_pose_create(model, NULL, &error) : NULL;
    sn_pose *sword_pose = sword ? sn_pose_create(sword, NULL, &error) : NULL;
    if (!pose || !sword_pose) return fprintf(stderr, "%s\n", argc > 1 ? error.message : "usage: 09_attach FILE"), 1;

    int32_t hand = sn_model_find_node(model, "func_hand");  // in other formats see sn_model_find_attachment
    for (int i = 0; i < 6; i++) {
        float seconds = (float)i * 0.25f;
        sn_pose_sample(pose, sn_model_find_clip(model, "wave"), seconds, seconds);
        sn_pose_solve(pose, NULL);  // first the holder, then what is held
        sn_pose_attach(sword_pose, pose, hand, NULL);
        sn_pose_solve(sword_pose, NULL);
        printf("%.2f s", (double)seconds);
        print_place("hand", sn_pose_world(pose, hand));
        print_place("point", sn_pose_world(sword_pose, 1));
        printf("\n");
    }
    sn_pose_free(sword_pose);
    sn_pose_free(pose);
    sn_model_free(sword);
    sn_model_free(model);
    return 0;
}
