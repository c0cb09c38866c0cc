// Compiled clips against the plain functions, over the files of the corpus.
#include "check_motion.h"
#include "random_model.h"
#include "sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static int compared;
static uint32_t seen;

static void compare_file(const char *path)
{
    enum { MOST_NODES = 2000 };
    if (seen++ % random_step() != 0) return;
    sn_model *model = sn_load_file(path, NULL, NULL);
    if (model && model->clip_count && model->node_count < MOST_NODES) {
        check_motion(model, path, 4);
        compared++;
    }
    sn_model_free(model);
}

static void test_corpus(void **state)
{
    (void)state;
    const char *shared = getenv("SINEW_SHARED");
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/corpus", shared ? shared : SINEW_SHARED);
    sweep_tree(folder, "glb gltf mdx mdl w3d", compare_file);
    if (!compared) skip();
    print_message("%d files; largest differences: rotation %.3g, position %.3g of the size\n", compared,
                  motion_worst_rotation, motion_worst_position);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_corpus) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
