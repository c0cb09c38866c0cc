// Several files change together: whichever step fails, every target is as it was before.
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/transaction.h"

typedef struct fixture {
    char folder[64], paths[3][96];
    sni_heap heap;
    sni_arena arena;
    sni_diag diag;
    sni_transaction files;
} fixture;

static int set_up(void **state)
{
    static fixture shared;
    shared = (fixture){ .folder = "/tmp/sinew_transaction_XXXXXX" };
    if (!mkdtemp(shared.folder)) return -1;
    for (int i = 0; i < 3; i++) {
        char folder[sizeof shared.folder];
        memcpy(folder, shared.folder, sizeof folder);
        snprintf(shared.paths[i], sizeof shared.paths[i], "%s/%c.out", folder, 'a' + i);
    }
    sni_heap_init(&shared.heap, NULL, UINT64_MAX);
    sni_arena_init(&shared.arena, &shared.heap);
    sni_diag_init(&shared.diag, NULL);
    shared.files.arena = &shared.arena;
    *state = &shared;
    return 0;
}

static int tear_down(void **state)
{
    fixture *d = *state;
    for (int i = 0; i < 3; i++)
        if (unlink(d->paths[i]) != 0) rmdir(d->paths[i]);
    sni_arena_free(&d->arena);
    return rmdir(d->folder);  // fails when anything was left beside the targets
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_holds(const char *path, const char *text)
{
    char read[32] = "";
    FILE *file = fopen(path, "rb");
    if (!text) assert_null(file);
    if (!text) return;
    assert_non_null(file);
    read[fread(read, 1, sizeof read - 1, file)] = 0;
    fclose(file);
    assert_string_equal(read, text);
}

static uint32_t count_entries(const fixture *d)
{
    uint32_t count = 0;
    DIR *folder = opendir(d->folder);
    assert_non_null(folder);
    while (readdir(folder)) count++;
    closedir(folder);
    return count - 2;
}

static bool stage_all(fixture *d)
{
    bool is_good = true;
    for (int i = 0; i < 3 && is_good; i++) is_good = sni_transaction_stage(&d->files, d->paths[i], "new", 3, &d->diag);
    return is_good;
}

static void all_files_appear_together(void **state)
{
    fixture *d = *state;
    put(d->paths[1], "old");
    assert_true(stage_all(d));
    assert_holds(d->paths[0], NULL);
    assert_holds(d->paths[1], "old");
    assert_true(sni_transaction_commit(&d->files, &d->diag));
    for (int i = 0; i < 3; i++) assert_holds(d->paths[i], "new");
    sni_transaction_discard(&d->files);
    assert_int_equal(count_entries(d), 3);
}

static void discarding_leaves_nothing(void **state)
{
    fixture *d = *state;
    put(d->paths[0], "old");
    assert_true(stage_all(d));
    assert_int_equal(count_entries(d), 4);
    sni_transaction_discard(&d->files);
    assert_int_equal(count_entries(d), 1);
    assert_holds(d->paths[0], "old");
}

// The file that is staged for a target.
static void find_staged(const fixture *d, int target, char path[400])
{
    char stem[8];
    DIR *folder = opendir(d->folder);
    assert_non_null(folder);
    snprintf(stem, sizeof stem, "%c.out.", 'a' + target);
    path[0] = 0;
    for (struct dirent *entry; (entry = readdir(folder));)
        if (strncmp(entry->d_name, stem, 6) == 0) snprintf(path, 400, "%s/%s", d->folder, entry->d_name);
    closedir(folder);
    assert_true(path[0]);
}

// Each rename fails in turn, because its staged file is gone; two targets exist before, one is new.
static void a_failing_rename_restores_all(void **state)
{
    fixture *d = *state;
    char staged[400];
    for (int failing = 0; failing < 3; failing++) {
        put(d->paths[0], "old"), put(d->paths[1], "older");
        sni_diag_init(&d->diag, NULL);
        assert_true(stage_all(d));
        find_staged(d, failing, staged);
        assert_int_equal(unlink(staged), 0);
        assert_false(sni_transaction_commit(&d->files, &d->diag));
        assert_int_equal(d->diag.error.status, SN_ERR_IO);
        assert_holds(d->paths[0], "old");
        assert_holds(d->paths[1], "older");
        assert_holds(d->paths[2], NULL);
        assert_int_equal(count_entries(d), 2);
    }
}

// A folder in the place of a target is never moved.
static void folders_are_not_replaced(void **state)
{
    fixture *d = *state;
    for (int failing = 0; failing < 3; failing++) {
        for (int i = 0; i < 3; i++) {
            unlink(d->paths[i]);
            if (i == failing) assert_int_equal(mkdir(d->paths[i], 0700), 0);
            else put(d->paths[i], "old");
        }
        sni_diag_init(&d->diag, NULL);
        assert_true(stage_all(d));
        assert_false(sni_transaction_commit(&d->files, &d->diag));
        assert_int_equal(rmdir(d->paths[failing]), 0);
        for (int i = 0; i < 3; i++)
            if (i != failing) assert_holds(d->paths[i], "old");
        assert_int_equal(count_entries(d), 2);
    }
}

// The model's files, through the front door: each of the two cannot be replaced in turn.
static void saving_changes_both_files_or_none(void **state)
{
    fixture *d = *state;
    sn_error error;
    char bin[96], gltf[96];
    sn_model *model = sn_load_file(SINEW_SAMPLES "/arm.glb", NULL, &error);
    assert_non_null(model);
    snprintf(bin, sizeof bin, "%s/x.bin", d->folder);
    snprintf(gltf, sizeof gltf, "%s/x.gltf", d->folder);
    const char *const targets[2] = { bin, gltf };
    for (int failing = 0; failing < 2; failing++) {
        assert_int_equal(mkdir(targets[failing], 0700), 0);
        put(targets[!failing], "old");
        assert_int_equal(sn_save_file(model, gltf, NULL, &error), SN_ERR_IO);
        assert_holds(targets[!failing], "old");
        assert_int_equal(count_entries(d), 2);
        assert_int_equal(rmdir(targets[failing]), 0);
        assert_int_equal(unlink(targets[!failing]), 0);
    }
    assert_int_equal(sn_save_file(model, gltf, NULL, &error), SN_OK);
    assert_int_equal(count_entries(d), 2);
    sn_model_free(model);
    model = sn_load_file(gltf, NULL, &error);
    assert_non_null(model);
    sn_model_free(model);
    unlink(bin), unlink(gltf);
}

#define with_desk(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_desk(all_files_appear_together),         with_desk(discarding_leaves_nothing),
        with_desk(a_failing_rename_restores_all),     with_desk(folders_are_not_replaced),
        with_desk(saving_changes_both_files_or_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
