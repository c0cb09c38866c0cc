// Writes fuzz/seeds/motion: make_motion_seeds FOLDER. A file for each clip of the model, with every option in turn.
#include "check_motion_file.h"
#include "random_model.h"
#include "sinew/runtime.h"

int main(int count, char **arguments)
{
    sn_model *model = motion_file_model();
    if (count != 2) return 2;
    for (int32_t clip = 0; clip < (int32_t)model->clip_count; clip++)
        for (int kind = 0; kind < 3; kind++) {
            static const char *const names[] = { "exact", "nlerp", "quantized" };
            sn_motion_opts opts = { .clips = &clip, .clip_count = 1, .nlerp = kind == 1, .quantize = kind == 2 };
            sn_error error = { 0 };
            char path[512];
            sn_motion *motion = sn_motion_create(model, &opts, &error);
            snprintf(path, sizeof path, "%s/%s_%d.snm", arguments[1], names[kind], (int)clip);
            if (!motion || sn_motion_save_file(motion, path, &error) != SN_OK) {
                fprintf(stderr, "%s: %s\n", path, error.message);
                return 1;
            }
            sn_motion_free(motion);
        }
    random_model_free(model);
    return 0;
}
