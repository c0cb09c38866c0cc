// Models of the corpus as Dark Cloud models: written, read again, posed.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "posed_corners.h"
#include "random_model.h"
#include "sweep.h"

static uint32_t seen, compared, excused;
static int wrong;
static double worst;

// What poses may differ by: morphs of skinned meshes, sheared matrices of nodes that move.
static void note_loss(void *user, const sn_warning *loss)
{
    bool *is_excused = user;
    if (strcmp(loss->path, "morphs") == 0 || strstr(loss->message, "shear of animated nodes")) *is_excused = true;
}

static bool is_small(const sn_model *model)
{
    uint64_t corners = 0;
    for (uint32_t i = 0; i < model->part_count; i++) corners += model->meshes[model->parts[i].mesh].index_count;
    return corners < 9000 && model->clip_count < 40;
}

static void compare_file(const char *path)
{
    const sn_load_opts whole = { .continuous = true }, limited = { .continuous = true, .max_influences = 4 };
    const bool is_first = seen / corpus_step() % 2 == 0;
    bool is_excused = false;
    sn_bytes bytes;
    sn_error error;
    if (seen++ % corpus_step() != 0) return;
    sn_model *model = sn_load_file(path, &whole, NULL);
    if (!model || !is_small(model)) {
        sn_model_free(model);
        return;
    }
    const sn_save_opts opts = { .game = is_first ? SN_GAME_DARK_CLOUD : SN_GAME_DARK_CLOUD_2,
                                .report = note_loss,
                                .user = &is_excused };
    if (sn_save_memory(model, "chr", &opts, &bytes, &error) != SN_OK) fail_msg("%s: %s", path, error.message);
    sn_model *again = sn_load_memory(bytes.data, bytes.size, NULL, &error);
    if (!again) fail_msg("%s: %s", path, error.message);
    sn_model *wanted = sn_load_file(path, is_first ? &whole : &limited, NULL);
    const double distance = compare_corners(wanted, again, false).part;
    if (distance > 1e-4 && !is_excused) print_error("%s: %.6f of its size\n", path, distance);
    wrong += distance > 1e-4 && !is_excused;
    excused += is_excused;
    if (!is_excused && distance > worst) worst = distance;
    compared++;
    sn_model_free(wanted);
    sn_model_free(again);
    sn_model_free(model);
    sn_bytes_free(&bytes);
}

static void test_corpus(void **state)
{
    (void)state;
    const char *shared = getenv("SINEW_SHARED");
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/corpus", shared ? shared : SINEW_SHARED);
    sweep_tree(folder, "glb gltf mdx mdl w3d", compare_file);
    if (!compared) skip();
    print_message("%u files, largest distance %.2g of the size; %u with stated losses\n", compared, worst, excused);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_corpus) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
