// Several files change together: whichever step fails, every target is as it was before.
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
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

// a.out and b.out are new, owned by c.out, which exists and does not refer to them yet.
static bool stage_all(fixture *d)
{
    static const char text[] = "{ \"a.out\", \"b.out\" }";
    for (int i = 0; i < 2; i++) {
        const char *name = sni_last_name(d->paths[i]);
        if (!sni_transaction_stage(&d->files, d->paths[i], "new", 3, &d->diag)) return false;
        if (!sni_transaction_own(&d->files, d->paths[i], name, sni_content_of("new", 3))) return false;
    }
    return sni_transaction_stage(&d->files, d->paths[2], text, sizeof text - 1, &d->diag);
}

static void all_files_appear_together(void **state)
{
    fixture *d = *state;
    put(d->paths[2], "old");
    assert_true(stage_all(d));
    assert_holds(d->paths[0], NULL);
    assert_holds(d->paths[2], "old");
    assert_true(sni_transaction_commit(&d->files, &d->diag));
    assert_holds(d->paths[0], "new");
    assert_holds(d->paths[1], "new");
    assert_holds(d->paths[2], "{ \"a.out\", \"b.out\" }");
    sni_transaction_discard(&d->files);
    assert_int_equal(count_entries(d), 3);
}

static void discarding_leaves_nothing(void **state)
{
    fixture *d = *state;
    put(d->paths[2], "old");
    assert_true(stage_all(d));
    assert_int_equal(count_entries(d), 4);
    sni_transaction_discard(&d->files);
    assert_int_equal(count_entries(d), 1);
    assert_holds(d->paths[2], "old");
}

// What the main file referred to before goes; what it still refers to, and what others have put there, stays.
static void unused_files_are_removed(void **state)
{
    fixture *d = *state;
    put(d->paths[0], "used"), put(d->paths[1], "unused"), put(d->paths[2], "\"a.out\" \"b.out\"");
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 2; i++)
            assert_true(sni_transaction_own(&d->files, d->paths[i], sni_last_name(d->paths[i]),
                                            sni_content_of(i ? "unused" : "used", i ? 6 : 4)));
        assert_true(sni_transaction_stage(&d->files, d->paths[2], "\"a.out\" b.out", 13, &d->diag));
        if (round == 0) put(d->paths[1], "theirs");
        assert_true(sni_transaction_commit(&d->files, &d->diag));
        assert_holds(d->paths[0], "used");
        assert_holds(d->paths[1], round == 0 ? "theirs" : NULL);
        put(d->paths[1], "unused");
    }
}

// Each rename fails in turn, because its staged file is gone.
static void a_failing_rename_restores_all(void **state)
{
    fixture *d = *state;
    for (int failing = 0; failing < 3; failing++) {
        put(d->paths[2], "old");
        sni_diag_init(&d->diag, NULL);
        assert_true(stage_all(d));
        char staged[3][400] = { "" };
        DIR *folder = opendir(d->folder);
        assert_non_null(folder);
        for (struct dirent *entry; (entry = readdir(folder));) {
            char path[400], text[4] = "";
            snprintf(path, sizeof path, "%s/%s", d->folder, entry->d_name);
            if (strncmp(entry->d_name, ".sinew-", 7) != 0) continue;
            FILE *file = fopen(path, "rb");
            assert_non_null(file);
            text[fread(text, 1, 3, file)] = 0;
            fclose(file);
            memcpy(staged[strcmp(text, "new") != 0 ? 2 : staged[0][0] ? 1 : 0], path, sizeof path);
        }
        closedir(folder);
        assert_int_equal(unlink(staged[failing]), 0);
        assert_false(sni_transaction_commit(&d->files, &d->diag));
        assert_int_equal(d->diag.error.status, SN_ERR_IO);
        assert_holds(d->paths[2], "old");
        assert_int_equal(count_entries(d), 1);
    }
}

// A folder in the place of a target is never moved.
static void folders_are_not_replaced(void **state)
{
    fixture *d = *state;
    for (int failing = 0; failing < 3; failing++) {
        assert_int_equal(mkdir(d->paths[failing], 0700), 0);
        sni_diag_init(&d->diag, NULL);
        assert_true(stage_all(d));
        assert_false(sni_transaction_commit(&d->files, &d->diag));
        assert_int_equal(count_entries(d), 1);
        assert_int_equal(rmdir(d->paths[failing]), 0);
    }
}

// Two at a time would choose names that the other is about to take.
static void a_second_transaction_waits_for_the_first(void **state)
{
    fixture *d = *state;
    assert_true(sni_transaction_lock(&d->files, d->folder, &d->diag));
    pid_t child = fork();
    if (child == 0) {
        sni_transaction second = { .arena = &d->arena };
        close(d->files.lock);  // which it shares
        if (!sni_transaction_lock(&second, d->folder, &d->diag)) _exit(1);
        char read[8] = "";
        FILE *file = fopen(d->paths[2], "rb");
        _exit(!file || fread(read, 1, 7, file) != 3);
    }
    nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
    assert_true(sni_transaction_stage(&d->files, d->paths[2], "new", 3, &d->diag));
    assert_true(sni_transaction_commit(&d->files, &d->diag));
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

// A journal of a dead process, with a name that leads elsewhere first, and bytes that are not those it lists.
static void journals_of_the_dead_are_settled(void **state)
{
    fixture *d = *state;
    char own[65] = "", path[400], journal[400];
    sni_content content = sni_content_of("new", 3);
    gethostname(own, sizeof own - 1);
    pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, NULL, 0);
    for (int round = 0; round < 4; round++) {
        const bool is_main_there = round > 0, is_used = round == 1, is_other = round == 2;
        snprintf(path, sizeof path, "%s/.sinew-%s-%ld-7-0123abcd-0.journal.part", d->folder, own, (long)child);
        int size = snprintf(journal, sizeof journal, "c.out%ca.out%ca.out%c3 %08x%c", 0, 0, 0, content.hash, 0);
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(journal, 1, (size_t)size, file), size);
        fclose(file);
        put(d->paths[0], is_other ? "net" : "new");
        if (is_main_there) put(d->paths[2], is_used ? "\"a.out\"" : "\"b.out\" a.out");
        sni_transaction_clean(d->folder);
        assert_holds(d->paths[0], is_used ? "new" : is_other ? "net" : NULL);
        assert_int_equal(count_entries(d), is_main_there + (is_used || is_other));
    }
}

static sn_model *load(const char *path)
{
    sn_error error;
    sn_model *model = sn_load_file(path, NULL, &error);
    assert_non_null(model);
    return model;
}

static void assert_same_model(const char *path, const sn_model *model)
{
    sn_model *read = load(path);
    assert_int_equal(read->clip_count, model->clip_count);
    assert_int_equal(read->node_count, model->node_count);
    sn_model_free(read);
}

// A buffer that is there is never replaced: not one of another model, nor the one that the old .gltf names.
static void a_new_buffer_replaces_none(void **state)
{
    fixture *d = *state;
    sn_error error;
    char bin[96], gltf[96];
    sn_model *arm = load(SINEW_SAMPLES "/arm.glb"), *face = load(SINEW_SAMPLES "/face.glb");
    snprintf(bin, sizeof bin, "%s/x.bin", d->folder);
    snprintf(gltf, sizeof gltf, "%s/x.gltf", d->folder);
    for (int round = 0; round < 4; round++) {  // x.bin, x-HASH.bin, x.bin, and x.bin again
        const sn_model *model = round == 1 ? face : arm;
        assert_int_equal(sn_save_file(model, gltf, NULL, &error), SN_OK);
        assert_same_model(gltf, model);
        assert_int_equal(count_entries(d), 2);
        assert_int_equal(access(bin, F_OK) == 0, round != 1);
    }
    unlink(gltf), put(bin, "theirs");
    assert_int_equal(sn_save_file(arm, gltf, NULL, &error), SN_OK);
    assert_int_equal(sn_save_file(face, gltf, NULL, &error), SN_OK);
    assert_same_model(gltf, face);
    assert_holds(bin, "theirs");
    assert_int_equal(count_entries(d), 3);
    unlink(bin), assert_int_equal(mkdir(bin, 0700), 0);
    assert_int_equal(sn_save_file(arm, gltf, NULL, &error), SN_OK);
    assert_same_model(gltf, arm);
    sn_model_free(arm), sn_model_free(face);
    rmdir(bin), unlink(gltf);
    DIR *folder = opendir(d->folder);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        if (strncmp(entry->d_name, "x-", 2) == 0) unlinkat(dirfd(folder), entry->d_name, 0);
    closedir(folder);
}

// A buffer is removed only with a .gltf that sinew wrote, and that names it and no other.
static void buffers_of_others_stay(void **state)
{
    static const char *const olds[] = {
        "{\"asset\":{\"generator\":\"other\"},\"buffers\":[{\"uri\":\"x.bin\"}]}",
        "{\"asset\":{\"generator\":\"sinew 1\"},\"buffers\":[{\"uri\":\"x.bin\"},{\"uri\":\"y.bin\"}]}",
        "{\"asset\":{\"generator\":\"sinew 1\"},\"buffers\":[{\"uri\":\"y.bin\"}]}",
        "{\"asset\":{\"generator\":\"sinew 1\"},\"buffers\":[{\"uri\":\"../x.bin\"}]}",
        "{\"asset\":{\"generator\":\"sinew 1\"},\"buffers\":[{\"uri\":\"x-1234567.bin\"}]}",
        "{\"asset\":{\"generator\":\"sinew 1\"},\"buffers\":[{\"uri\":\"x.bin\"}]",
    };
    fixture *d = *state;
    sn_error error;
    static const char *const names[] = { "x.bin", "y.bin", "x-1234567.bin", "x.gltf" };
    char paths[4][96];
    sn_model *arm = load(SINEW_SAMPLES "/arm.glb");
    for (int i = 0; i < 4; i++) snprintf(paths[i], sizeof paths[i], "%s/%s", d->folder, names[i]);
    for (size_t i = 0; i < sizeof olds / sizeof *olds; i++) {
        for (int k = 0; k < 3; k++) put(paths[k], "theirs");
        put(paths[3], olds[i]);
        assert_int_equal(sn_save_file(arm, paths[3], NULL, &error), SN_OK);
        for (int k = 0; k < 3; k++) assert_holds(paths[k], "theirs");
        assert_same_model(paths[3], arm);
        assert_int_equal(count_entries(d), 5);
        for (int k = 0; k < 3; k++) unlink(paths[k]);
        assert_int_equal(sn_save_file(arm, paths[3], NULL, &error), SN_OK);  // x.bin again, x-HASH.bin goes
        assert_int_equal(count_entries(d), 2);
        unlink(paths[0]), unlink(paths[3]);
    }
    sn_model_free(arm);
}

#define with_desk(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_desk(all_files_appear_together),        with_desk(discarding_leaves_nothing),
        with_desk(unused_files_are_removed),         with_desk(a_failing_rename_restores_all),
        with_desk(folders_are_not_replaced),         with_desk(a_second_transaction_waits_for_the_first),
        with_desk(journals_of_the_dead_are_settled), with_desk(a_new_buffer_replaces_none),
        with_desk(buffers_of_others_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
