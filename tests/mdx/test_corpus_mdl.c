// MDL files of the corpus: each one loads and survives being written; faults of the text are reported.
#include "mdl_case.h"
#include "sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// All other files are correct MDL; the build reports bad references.
static const struct {
    const char *name;
    int32_t warning;
    sn_status status;
} faults[] = {
    { "truncated_after_helper_v800", 0, SN_ERR_TRUNCATED },
    { "huge_vertex_count_v800", SNI_WARN_MDL_COUNT, SN_OK },
    { "emitter_no_objectid_v800", SNI_WARN_MDL_ID, SN_OK },
};

static char *read_text(const char *path)
{
    enum { MOST = 1 << 20 };
    FILE *file = fopen(path, "rb");
    char *text = calloc(MOST, 1);
    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, MOST - 1, file) < MOST - 1);
    fclose(file);
    return text;
}

static void check_file(const char *path)
{
    mdx_mdl_case c;
    char *text = read_text(path);
    size_t fault = 0, count = sizeof faults / sizeof *faults;
    while (fault < count && !strstr(path, faults[fault].name)) fault++;
    if (fault == count) {
        mdx_mdl_case_parse_quietly(&c, text);
    } else if (faults[fault].status == SN_OK) {
        mdx_mdl_case_parse(&c, text);
        assert_int_equal(mdx_mdl_case_warnings(&c, faults[fault].warning), 1);
    } else {
        assert_int_equal(mdx_mdl_case_refuse(&c, text)->status, faults[fault].status);
    }
    mdx_mdl_case_close(&c);
    free(text);
}

static void every_text(void **state)
{
    (void)state;
    const char *shared = getenv("SINEW_SHARED");
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/corpus/mdx/hivewe/mdl", shared ? shared : SINEW_SHARED);
    int found = sweep_folder(folder, "mdl", check_file);
    if (found == 0) {
        print_message("skipped: no corpus in %s\n", shared ? shared : SINEW_SHARED);
        skip();
    }
    print_message("%d texts\n", found);
}

static void every_sample(void **state)
{
    (void)state;
    assert_true(sweep_folder(SINEW_SAMPLES, "mdl", check_file) >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_text), cmocka_unit_test(every_sample) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
