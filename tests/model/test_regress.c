// Every file in tests/regress once broke something. It may load or fail; it may not break a promise.
#include "check_model.h"
#include "check_runtime.h"
#include "check_saved.h"
#include "sweep.h"

#include <stdio.h>

static void load_one(const char *path)
{
    for (int lint = 0; lint < 2; lint++) {
        sn_load_opts opts = { .lint = lint, .keep_document = true };
        sn_error error;
        sn_model *model = sn_load_file(path, &opts, &error);
        if (!model) {
            check_error(&error);
            if (!lint) printf("%s: %s: %s\n", path, sn_status_name(error.status), error.message);
            continue;
        }
        check_model(model);
        exercise_model(model);
        for (uint32_t choice = 0; choice < 256; choice += 51) check_runtime(model, (uint8_t)choice, 1 << 20);
        check_saved(model, "x.glb", 0, lint, 1 << 20);
        check_repaired(model, path, false);
        if (!lint) printf("%s: loads, %u warnings\n", path, model->warning_count);
        sn_model_free(model);
    }
}

int main(void)
{
    int count = sweep_folder(SINEW_TESTS_DIR "/regress", "gltf glb bin mdx mdl w3d mds mot", load_one);
    printf("%d passed, 0 failed\n", count);
    return count > 0 ? 0 : 1;
}
