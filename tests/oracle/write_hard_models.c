// write_hard_models FOLDER: the models of support/hard_models.c as .glb. Read by test_export_gltf.mjs.
#include "hard_models.h"

#include <stdio.h>

int main(int count, char **arguments)
{
    for (const hard_model *at = hard_models; count == 2 && at->name; at++) {
        char path[1024];
        sn_error error;
        snprintf(path, sizeof path, "%s/%s.glb", arguments[1], at->name);
        if (sn_save_file(&hard_make(at->name)->model, path, NULL, &error) == SN_OK) continue;
        fprintf(stderr, "%s: %s\n", path, error.message);
        return 1;
    }
    return count == 2 ? 0 : 2;
}
