// Writes fuzz/seeds/motion: make_motion_seeds FOLDER. Small files, each with one clip of the model, that have
// everything that a motion can hold.
#include "check_motion_file.h"
#include "random_model.h"
#include "sinew/runtime.h"

static const struct {
    const char *name;
    int32_t clip;
    sn_motion_opts opts;
} seeds[] = {
    { "linear", 0, { .nlerp = false } },
    { "slerps", 1, { .nlerp = false } },
    { "curves", 2, { .nlerp = false } },
    { "period", 4, { .nlerp = false } },
    { "lanes_lerp", 6, { .nlerp = false } },
    { "lanes_cubic", 7, { .nlerp = false } },
    { "lanes_slerp", 8, { .nlerp = false } },
    { "lanes_squad", 9, { .nlerp = false } },
    { "lanes_spline", 10, { .nlerp = false } },
    { "lanes_period", 11, { .nlerp = false } },
    { "lanes_step", 12, { .nlerp = false } },
    { "lanes_step_rotation", 13, { .nlerp = false } },
    { "lanes_quantized", 6, { .quantize = true } },
    { "lanes_quantized_slerp", 8, { .quantize = true } },
    { "lanes_quantized_nlerp", 8, { .quantize = true, .nlerp = true } },
    { "nlerp", 0, { .nlerp = true } },
    { "lanes_nlerp", 8, { .nlerp = true } },
    { "quantized", 0, { .quantize = true } },
    { "quantized_nlerp", 0, { .quantize = true, .nlerp = true, .max_error = 0.1f } },
};

int main(int count, char **arguments)
{
    sn_model *model = motion_file_model();
    if (count != 2) return 2;
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        sn_motion_opts opts = seeds[i].opts;
        sn_error error = { 0 };
        char path[512];
        opts.clips = &seeds[i].clip, opts.clip_count = 1;
        sn_motion *motion = sn_motion_create(model, &opts, &error);
        snprintf(path, sizeof path, "%s/%s.snm", arguments[1], seeds[i].name);
        if (!motion || sn_motion_save_file(motion, path, &error) != SN_OK) {
            fprintf(stderr, "%s: %s\n", path, error.message);
            return 1;
        }
        sn_motion_free(motion);
    }
    random_model_free(model);
    return 0;
}
