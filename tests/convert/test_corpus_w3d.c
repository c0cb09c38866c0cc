// Models of the corpus as W3D: read again, their vertices are where they were, or as far away as was reported.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "posed_corners.h"
#include "random_model.h"
#include "sweep.h"

static int checked, failures;
static uint32_t seen;

static bool has_billboards(const sn_model *model)
{
    for (uint32_t i = 0; i < model->node_count; i++)
        if (model->nodes[i].flags &
            (SN_NODE_BILLBOARD | SN_NODE_BILLBOARD_X | SN_NODE_BILLBOARD_Y | SN_NODE_BILLBOARD_Z))
            return true;
    return false;
}

// A bind that is no rigid transform leaves open which side of a face is the front.
static bool has_odd_skin(const sn_model *model)
{
    for (uint32_t i = 0; i < model->warning_count; i++)
        if (strcmp(sn_warning_name(model->warnings[i].code), "GLTF_SKIN") == 0) return true;
    return false;
}

static void check_model_as(const char *path, const sn_model *model, sn_game game)
{
    double stated = 0.0;
    sn_error error;
    sn_bytes bytes;
    const sn_save_opts opts = { .game = game, .report = add_stated_error, .user = &stated };
    if (sn_save_memory(model, "w3d", &opts, &bytes, &error) != SN_OK) fail_msg("%s: %s", path, error.message);
    sn_model *again = sn_load_memory(bytes.data, bytes.size, NULL, &error);
    if (!again) fail_msg("%s: %s", path, error.message);
    const corner_error off = compare_corners(model, again, true);
    if (off.part > 1e-4 && off.distance > 1.01 * stated && !has_billboards(model))
        print_error("%s: off by %g, %g of the size; reported %g\n", path, off.distance, off.part, stated), failures++;
    sn_bytes_free(&bytes);
    sn_model_free(again);
}

static void visit(const char *path)
{
    if (seen++ % corpus_step() != 0) return;
    sn_model *model = sn_load_file(path, &(sn_load_opts){ .folder_clips = false }, NULL);
    if (!model || model->part_count > 256 || has_odd_skin(model)) {
        sn_model_free(model);
        return;
    }
    check_model_as(path, model, seen % 2 ? SN_GAME_GENERALS : SN_GAME_BFME);
    checked++;
    sn_model_free(model);
}

static void every_model(void **state)
{
    (void)state;
    const char *shared = getenv("SINEW_SHARED");
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/corpus", shared ? shared : SINEW_SHARED);
    sweep_tree(folder, "glb gltf mdx mdl w3d", visit);
    if (checked == 0) {
        print_message("skipped: no corpus in %s\n", shared ? shared : SINEW_SHARED);
        skip();
    }
    print_message("%d models\n", checked);
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_model) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
