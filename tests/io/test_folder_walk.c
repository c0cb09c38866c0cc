// sn_folder_walk: models and other files, in a folder and below it.
#include "sinew/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct visit {
    const char *root, *stop_at;
    char seen[256];
} visit;

static bool note(visit *v, char kind, const char *path)
{
    size_t size = strlen(v->seen);
    const char *name = path + strlen(v->root) + 1;
    snprintf(v->seen + size, sizeof v->seen - size, "%c:%s ", kind, name);
    return !v->stop_at || strcmp(name, v->stop_at) != 0;
}

static bool on_model(void *user, const char *path) { return note(user, 'm', path); }
static bool on_other(void *user, const char *path) { return note(user, 'o', path); }

static void put(const char *root, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    assert_int_equal(sn_file_write(path, "x", 1, NULL), SN_OK);
}

static const char *const names[] = { "b.MDX", "a.txt", "c.blp", ".hidden.glb", "sub/d.glb", "sub/e.tga" };

static void test_models_and_others(void **state)
{
    (void)state;
    char root[] = "/tmp/sinew_walk_XXXXXX", sub[64];
    assert_non_null(mkdtemp(root));
    snprintf(sub, sizeof sub, "%s/sub", root);
    assert_int_equal(sn_folder_create(sub, NULL), SN_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) put(root, names[i]);

    visit models = { .root = root }, all = { .root = root }, flat = { .root = root },
          stopped = { .root = root, .stop_at = "a.txt" };
    assert_int_equal(sn_folder_walk(root, &(sn_folder_visitor){ .model = on_model, .user = &models }, NULL), SN_OK);
    assert_string_equal(models.seen, "m:b.MDX m:sub/d.glb ");
    sn_folder_visitor visitor = { .model = on_model, .other = on_other, .user = &all };
    assert_int_equal(sn_folder_walk(root, &visitor, NULL), SN_OK);
    assert_string_equal(all.seen, "o:a.txt m:b.MDX o:c.blp m:sub/d.glb o:sub/e.tga ");
    visitor.is_flat = true, visitor.user = &flat;
    assert_int_equal(sn_folder_walk(root, &visitor, NULL), SN_OK);
    assert_string_equal(flat.seen, "o:a.txt m:b.MDX o:c.blp ");
    visitor.user = &stopped;
    assert_int_equal(sn_folder_walk(root, &visitor, NULL), SN_ERR_CANCELLED);
    assert_string_equal(stopped.seen, "o:a.txt ");

    char path[256];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", root, names[i]);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(sub) + rmdir(root), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_models_and_others) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
