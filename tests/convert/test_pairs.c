// Every sample as every format: saved, loaded again, posed and compared. docs/conversion.md has the results; this test
// makes the page and compares it. SINEW_WRITE_DOCS=1 writes it anew.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "folders.h"
#include "posed_corners.h"

static const char *const sources[] = {
    "kobold/kobold.glb", "kobold/kobold.mdx", "kobold/kobold.w3d", "kobold/kobold.chr", "kobold/split/kobold_skn.w3d",
    "arm.glb",           "crane.gltf",        "face.glb",          "hound.mdx",         "boar.mdx",
    "golem.mdx",         "lantern.mdl",       "tank.w3d",          "house.w3d",         "serpent.w3d",
    "soldier_skn.w3d",   "arm1.mds",          "arm2.mds",          "rabbit.chr",
};

typedef struct target {
    const char *title, *ending;
    sn_game game;
    double most;  // of the kobold, in percents of its size; 0: reported only
} target;

static const target targets[] = {
    { "glTF", "glb", SN_GAME_AUTO, 0.01 },
    { "Warcraft III", "mdx", SN_GAME_WARCRAFT_3, 0.5 },
    { "Reforged", "mdx", SN_GAME_REFORGED, 0.1 },
    { "Generals", "w3d", SN_GAME_GENERALS, 0 },
    { "BFME", "w3d", SN_GAME_BFME, 0 },
    { "Dark Cloud", "chr", SN_GAME_DARK_CLOUD, 0.01 },
    { "Dark Cloud 2", "chr", SN_GAME_DARK_CLOUD_2, 0.01 },
};
enum { SOURCES = sizeof sources / sizeof *sources, TARGETS = sizeof targets / sizeof *targets };

static void write_loss(void *user, const sn_warning *loss)
{
    FILE *out = user;
    fprintf(out, "  - %s%s", loss->path, loss->path[0] ? ": " : "");
    for (const char *at = loss->message; *at; at++) fputc(*at == '\n' ? ' ' : *at, out);
    if (loss->count > 1) fprintf(out, " (%u times)", loss->count);
    fputc('\n', out);
}

// The largest error in percents of the size. Losses go to `losses`.
static double convert(const char *source, const target *to, FILE *losses)
{
    char path[512], folder[] = "/tmp/test_pairs.XXXXXX";
    sn_error error;
    const sn_save_opts opts = { .game = to->game, .report = write_loss, .user = losses };
    if (getenv("SINEW_TEST_VERBOSE")) printf("%s for %s\n", source, to->title);
    snprintf(path, sizeof path, SINEW_SAMPLES "/%s", source);
    sn_model *model = sn_load_file(path, &(sn_load_opts){ .folder_clips = true }, &error);
    if (!model) fail_msg("%s: %s", path, error.message);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/saved.%s", folder, to->ending);
    if (sn_save_file(model, path, &opts, &error) != SN_OK)
        fail_msg("%s for %s: %s: %s", source, to->title, error.path, error.message);
    sn_model *again = sn_load_file(path, NULL, &error);
    if (!again) fail_msg("%s for %s: %s: %s", source, to->title, error.path, error.message);
    const double largest = 100.0 * compare_corners(model, again, true).part;
    sn_model_free(again);
    sn_model_free(model);
    remove_all(folder);
    return largest;
}

static const char head[] =
    "# From each format to each other\n"
    "\n"
    "Made by `tests/convert/test_pairs.c`, which fails when this page is not what it makes.\n"
    "\n"
    "Each sample was saved for each game, loaded again and posed at five times of each clip. A cell has the largest\n"
    "distance between where a corner of a triangle was and where it is now, in percents of the model's size, and how "
    "many\n"
    "losses were reported; where whole parts are missing the losses say which. Differences below 0.01 % are rounding. "
    "The losses are listed below the table, as\n"
    "`sinew convert` prints them. `--strict` makes each of them an error.\n"
    "\n";

static void make_page(FILE *page)
{
    char *text = NULL;
    size_t size = 0;
    FILE *losses = open_memstream(&text, &size);
    fputs(head, page);
    fputs("| sample |", page);
    for (int i = 0; i < TARGETS; i++) fprintf(page, " %s |", targets[i].title);
    fputs("\n|---|", page);
    for (int i = 0; i < TARGETS; i++) fputs("---|", page);
    fputc('\n', page);
    for (int s = 0; s < SOURCES; s++) {
        const char *slash = strrchr(sources[s], '/');
        const char *name = slash ? slash + 1 : sources[s];
        fprintf(page, "| %s |", name);
        fprintf(losses, "\n## %s\n\n", name);
        for (int t = 0; t < TARGETS; t++) {
            char *own = NULL;
            size_t own_size = 0;
            FILE *lines = open_memstream(&own, &own_size);
            const double error = convert(sources[s], &targets[t], lines);
            fclose(lines);
            unsigned count = 0;
            for (size_t i = 0; i < own_size; i++) count += own[i] == '\n';
            if (isinf(error)) fputs(" parts are missing", page);
            else fprintf(page, " %.2f", error < 0.01 ? 0.0 : error);
            if (count > 0) fprintf(page, ", %u %s", count, count == 1 ? "loss" : "losses");
            fputs(" |", page);
            if (count > 0) fprintf(losses, "- for %s\n%s", targets[t].title, own);
            free(own);
            if (strncmp(sources[s], "kobold/kobold.glb", 17) == 0 && targets[t].most > 0 && error > targets[t].most)
                fail_msg("%s for %s: %.3f %%, %.2f are allowed", name, targets[t].title, error, targets[t].most);
        }
        fputc('\n', page);
    }
    fclose(losses);
    fputs(text, page);
    free(text);
}

static void test_the_page_is_true(void **state)
{
    (void)state;
    const char *path = SINEW_TESTS_DIR "/../docs/conversion.md";
    char *text = NULL;
    size_t size = 0;
    FILE *page = open_memstream(&text, &size);
    make_page(page);
    fclose(page);
    FILE *file = fopen(path, getenv("SINEW_WRITE_DOCS") ? "w" : "r");
    if (!file) fail_msg("%s cannot be opened", path);
    if (getenv("SINEW_WRITE_DOCS")) {
        fwrite(text, 1, size, file);
    } else {
        int line = 1;
        for (size_t i = 0; i <= size; i++) {
            const int c = fgetc(file);
            if (c != (i < size ? (unsigned char)text[i] : EOF))
                fail_msg("%s is not up to date in line %d: SINEW_WRITE_DOCS=1 convert_tests test_pairs", path, line);
            line += c == '\n';
        }
    }
    fclose(file);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_the_page_is_true) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
