// References to other files lead to regular files inside the model's folder, and nowhere else.
#include "folder_fixture.h"
#include "hostile_refs.h"
#include "io/root.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static void good_references_are_cleaned(void **state)
{
    (void)state;
    static const struct {
        const char *ref, *clean;
    } cases[] = {
        { "a.bin", "a.bin" },
        { "textures/a.png", "textures/a.png" },
        { "./a.png", "a.png" },
        { "a//b", "a/b" },
        { "a/./b", "a/b" },
        { ".\\textures\\a.png", "textures/a.png" },
        { "a\\b/c", "a/b/c" },
        { "a\\\\b", "a/b" },
        { ".hidden", ".hidden" },
        { "...", "..." },
        { "a..b", "a..b" },
        { "..a", "..a" },
        { "a..", "a.." },
        { "with space.bin", "with space.bin" },
        { "\xe2\x9d\xa4.png", "\xe2\x9d\xa4.png" },
        { "a/", "a" },
        { "./././a", "a" },
        { "%2e%2e/a", "%2e%2e/a" },
        { "$HOME/a", "$HOME/a" },
        { "`id`", "`id`" },
        { "a;b|c", "a;b|c" },
        { "TEXTUR~1.PNG", "TEXTUR~1.PNG" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[64] = "dirty";
        if (!sni_ref_clean(sni_str_make(cases[i].ref, strlen(cases[i].ref)), out, sizeof out))
            fail_msg("%s was refused", cases[i].ref);
        assert_string_equal(out, cases[i].clean);
    }
}

static void hostile_references_are_refused(void **state)
{
    (void)state;
    assert_true(sizeof hostile / sizeof *hostile >= 60);
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        char out[64] = "dirty";
        if (sni_ref_clean(sni_str_make(hostile[i].ref, hostile[i].size), out, sizeof out))
            fail_msg("accepted: %s as %s", hostile[i].ref, out);
        assert_string_equal(out, "");
    }
}

static void references_have_a_length(void **state)
{
    (void)state;
    char ref[300];
    memset(ref, 'a', sizeof ref);
    for (size_t capacity = 1; capacity < 40; capacity++)
        for (size_t size = 1; size < 60; size++) {
            char *out = malloc(capacity);
            assert_non_null(out);
            bool is_clean = sni_ref_clean(sni_str_make(ref, size), out, capacity);
            assert_int_equal(is_clean, size < capacity);
            assert_int_equal(strlen(out), is_clean ? size : 0);
            free(out);
        }
}

// Whatever bytes: what is accepted is relative and has no way up.
static void random_references_stay_inside(void **state)
{
    (void)state;
    static const char alphabet[] = "..//\\\\a~:\0 ";
    uint32_t random = 3;
    for (int i = 0; i < 300000; i++) {
        char ref[10], out[10] = "dirty";
        size_t size = 0;
        for (; size < 9; size++) {
            random = random * 1664525u + 1013904223u;
            ref[size] = alphabet[(random >> 16) % (sizeof alphabet - 1)];
            if (random >> 29 == 0) break;
        }
        if (!sni_ref_clean(sni_str_make(ref, size), out, sizeof out)) {
            assert_string_equal(out, "");
            continue;
        }
        assert_true(out[0] && out[0] != '/' && out[0] != '~' && !strpbrk(out, "\\:"));
        char bounded[14];
        snprintf(bounded, sizeof bounded, "/%s/", out);
        assert_null(strstr(bounded, "/../"));
        assert_null(strstr(bounded, "/./"));
        assert_null(strstr(bounded, "//"));
    }
}

static void make_tree(fixture *f)
{
    static const char *const folders[] = { "model", "model/sub", "model2" };
    static const char *const files[] = { "model/a.bin", "model/sub/b.bin", "model2/secret", "secret" };
    static const struct {
        const char *to, *at;
    } links[] = {
        { "a.bin", "model/in.bin" },
        { "sub/../a.bin", "model/in2.bin" },
        { "../model/a.bin", "model/round.bin" },
        { "sub", "model/subs" },
        { "../secret", "model/out.bin" },
        { "../model2/secret", "model/near.bin" },
        { "/etc/passwd", "model/passwd" },
        { "..", "model/up" },
        { "/", "model/root" },
        { "/dev/zero", "model/zero" },
        { "missing", "model/dangling" },
        { "loop", "model/loop" },
        { "out.bin", "model/chain" },
        { "../../secret", "model/sub/out.bin" },
        { "model", "alias" },
    };
    for (size_t i = 0; i < 3; i++) assert_int_equal(mkdir(in_folder(f, folders[i]), 0700), 0);
    for (size_t i = 0; i < 4; i++) put_file(in_folder(f, files[i]), files[i]);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        assert_int_equal(symlink(links[i].to, in_folder(f, links[i].at)), 0);
    assert_int_equal(mkfifo(in_folder(f, "model/fifo"), 0600), 0);
    struct sockaddr_un name = { .sun_family = AF_UNIX };
    assert_true(strlen(in_folder(f, "model/socket")) < sizeof name.sun_path);
    memcpy(name.sun_path, f->path, strlen(f->path) + 1);
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    if (s >= 0) bind(s, (const struct sockaddr *)&name, sizeof name), close(s);
}

static void references_are_found_inside_the_folder(void **state)
{
    fixture *f = *state;
    make_tree(f);
    static const struct {
        const char *ref, *holds;
    } good[] = {
        { "a.bin", "model/a.bin" },   { "sub/b.bin", "model/sub/b.bin" }, { "in.bin", "model/a.bin" },
        { "in2.bin", "model/a.bin" }, { "round.bin", "model/a.bin" },     { "subs/b.bin", "model/sub/b.bin" }
    };
    static const char *const folders[] = { "model", "model/", "alias", "model/sub/..", "./model" };
    char path[PATH_MAX], folder[200];
    for (size_t k = 0; k < 5; k++)
        for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
            snprintf(folder, sizeof folder, "%s", in_folder(f, folders[k]));
            if (!sni_ref_find(folder, good[i].ref, path, sizeof path, &f->diag))
                fail_msg("%s not found below %s", good[i].ref, folder);
            assert_file_holds(path, good[i].holds);
        }
    char before[PATH_MAX];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(in_folder(f, "model")), 0);
    bool is_found = sni_ref_find(".", "a.bin", path, sizeof path, &f->diag);
    assert_int_equal(chdir(before), 0);
    assert_true(is_found);
}

static void references_lead_nowhere_else(void **state)
{
    fixture *f = *state;
    make_tree(f);
    static const char *const bad[] = { "missing",
                                       "sub",
                                       "subs",
                                       "fifo",
                                       "socket",
                                       "out.bin",
                                       "near.bin",
                                       "passwd",
                                       "up/secret",
                                       "root/etc/passwd",
                                       "zero",
                                       "dangling",
                                       "loop",
                                       "chain",
                                       "sub/out.bin",
                                       "subs/out.bin",
                                       "up",
                                       "root",
                                       "up/model2/secret",
                                       "a.bin/x",
                                       "root/dev/zero" };
    char path[PATH_MAX], folder[200];
    snprintf(folder, sizeof folder, "%s", in_folder(f, "model"));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (sni_ref_find(folder, bad[i], path, sizeof path, &f->diag)) fail_msg("%s was found as %s", bad[i], path);
        assert_false(sni_failed(&f->diag));
    }
    for (size_t capacity = 1; capacity < strlen(folder) + 7; capacity++) {
        char *small = malloc(capacity);
        assert_non_null(small);
        assert_false(sni_ref_find(folder, "a.bin", small, capacity, &f->diag));
        free(small);
    }
    assert_false(sni_ref_find(in_folder(f, "nowhere"), "a.bin", path, sizeof path, &f->diag));
}

// Through a root that stays open, each reference twice: the second time its folder is known.
static void expect_ref(fixture *f, sni_root *root, const char *ref, const char *holds)
{
    for (int i = 0; i < 2; i++) {
        char path[PATH_MAX];
        int file = -1;
        sni_bytes bytes;
        bool is_found = sni_root_find(root, ref, &file, path, sizeof path, &f->diag);
        assert_false(sni_failed(&f->diag));
        if (is_found != (holds != NULL)) fail_msg("%s: %s", ref, is_found ? path : "not found");
        if (!is_found) continue;
        assert_true(sni_file_read_open(file, 100, &f->arena, &f->diag, &bytes));
        sni_file_close(file);
        if (bytes.size != strlen(holds) || memcmp(bytes.data, holds, bytes.size) != 0)
            fail_msg("%s: %.*s, not %s", ref, (int)bytes.size, (const char *)bytes.data, holds);
    }
}

static void links_on_the_way_are_followed_inside_the_folder(void **state)
{
    fixture *f = *state;
    make_tree(f);
    sni_root root;
    char folder[200], deep[1000];
    snprintf(folder, sizeof folder, "%s", in_folder(f, "model"));
    assert_int_equal(mkdir(in_folder(f, "model/sub/deep"), 0700), 0);
    assert_int_equal(mkdir(in_folder(f, "model2/deep"), 0700), 0);
    put_file(in_folder(f, "model/sub/deep/c.bin"), "inside");
    put_file(in_folder(f, "model2/deep/c.bin"), "outside");
    assert_int_equal(symlink("deep", in_folder(f, "model/sub/in")), 0);
    assert_int_equal(symlink("../../model2/deep", in_folder(f, "model/sub/out")), 0);
    assert_int_equal(symlink("../../model2", in_folder(f, "model/sub/deep/out")), 0);
    sni_root_init(&root, folder);
    expect_ref(f, &root, "sub/in/c.bin", "inside");
    expect_ref(f, &root, "subs/in/c.bin", "inside");
    expect_ref(f, &root, "sub/deep/c.bin", "inside");
    expect_ref(f, &root, "sub/out/c.bin", NULL);
    expect_ref(f, &root, "subs/out/c.bin", NULL);
    expect_ref(f, &root, "sub/deep/out/secret", NULL);
    expect_ref(f, &root, "sub/deep/out/deep/c.bin", NULL);
    expect_ref(f, &root, "up/model/sub/b.bin", "model/sub/b.bin");  // out and in again: it is inside
    expect_ref(f, &root, "sub/missing/c.bin", NULL);
    expect_ref(f, &root, "a.bin/c.bin", NULL);
    expect_ref(f, &root, "sub/b.bin", "model/sub/b.bin");
    for (size_t size = 0; size < sizeof deep - 10; size += 9) memcpy(deep + size, "sub/deep/", 10);
    expect_ref(f, &root, deep, NULL);
    sni_root_close(&root);
    sni_root_init(&root, in_folder(f, "nowhere"));
    expect_ref(f, &root, "a.bin", NULL);
    sni_root_close(&root);
}

// Another process puts links to what is outside in place of a file, of a folder below and of the root itself.
static void folders_that_are_replaced_lead_nowhere_else(void **state)
{
    fixture *f = *state;
    make_tree(f);
    char folder[200], moved[200], path[PATH_MAX];
    int file = -1;
    sni_bytes bytes;
    sni_root root;
    snprintf(folder, sizeof folder, "%s", in_folder(f, "model"));
    snprintf(moved, sizeof moved, "%s", in_folder(f, "moved"));
    put_file(in_folder(f, "model2/a.bin"), "outside");
    put_file(in_folder(f, "model2/b.bin"), "outside");
    sni_root_init(&root, folder);
    expect_ref(f, &root, "sub/b.bin", "model/sub/b.bin");

    // A file between being found and being read.
    assert_true(sni_root_find(&root, "a.bin", &file, path, sizeof path, &f->diag));
    assert_int_equal(unlink(in_folder(f, "model/a.bin")), 0);
    assert_int_equal(symlink("../model2/a.bin", in_folder(f, "model/a.bin")), 0);
    assert_true(sni_file_read_open(file, 100, &f->arena, &f->diag, &bytes));
    sni_file_close(file);
    assert_int_equal(bytes.size, strlen("model/a.bin"));
    assert_memory_equal(bytes.data, "model/a.bin", bytes.size);
    expect_ref(f, &root, "a.bin", NULL);

    // A folder whose files were found.
    assert_int_equal(rename(in_folder(f, "model/sub"), moved), 0);
    assert_int_equal(symlink("../model2", in_folder(f, "model/sub")), 0);
    expect_ref(f, &root, "sub/b.bin", "model/sub/b.bin");  // it is still open
    expect_ref(f, &root, "other/b.bin", NULL);
    expect_ref(f, &root, "sub/b.bin", NULL);  // now it is not

    // The root.
    assert_int_equal(rename(folder, in_folder(f, "moved_root")), 0);
    assert_int_equal(symlink("model2", folder), 0);
    expect_ref(f, &root, "b.bin", NULL);
    expect_ref(f, &root, "secret", NULL);
    sni_root_close(&root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_references_are_cleaned),
        cmocka_unit_test(hostile_references_are_refused),
        cmocka_unit_test(references_have_a_length),
        cmocka_unit_test(random_references_stay_inside),
        with_folder(references_are_found_inside_the_folder),
        with_folder(references_lead_nowhere_else),
        with_folder(links_on_the_way_are_followed_inside_the_folder),
        with_folder(folders_that_are_replaced_lead_nowhere_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
