// Skinners of the corpus compute what sn_skin_part computes.
#include "random_model.h"
#include "skin_models.h"

#include <ftw.h>

static int checked;
static uint32_t seen;

static int visit(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info, (void)where;
    const char *ending = strrchr(path, '.');
    if (type != FTW_F || !ending || !strstr(".glb.gltf.mdx.mdl.w3d", ending)) return 0;
    if (seen++ % random_step() != 0) return 0;
    sn_model *model = sn_load_file(path, NULL, NULL);
    if (model) check_skinned_model(model), checked++;
    sn_model_free(model);
    return 0;
}

static void every_model(void **state)
{
    (void)state;
    const char *shared = getenv("SINEW_SHARED");
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/corpus", shared ? shared : SINEW_SHARED);
    nftw(folder, visit, 16, FTW_PHYS);
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
