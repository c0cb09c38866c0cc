// Skinners of the corpus compute what sn_skin_part computes.
#include "random_model.h"
#include "skin_models.h"
#include "sweep.h"

static int checked;
static uint32_t seen;

static void visit(const char *path)
{
    if (seen++ % random_step() != 0) return;
    sn_model *model = sn_load_file(path, NULL, NULL);
    if (model) check_skinned_model(model), checked++;
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
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_model) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
