// Referenced files as old games mean them: any case, either slash, other endings, search folders, last names.
#include "check_text.h"
#include "counting_heap.h"
#include "folders.h"
#include "hostile_refs.h"
#include "io/load.h"
#include "sinew/files.h"
#include "warnings.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct fixture {
    counting_heap counts;
    sni_heap heap;
    sni_load load;
    sn_load_opts opts;
    sn_search *search;
    uint32_t root_count;
    char folder[64];  // holds all; the model lies in its folder "model"
    char roots[4][96];
    char asked[1024];  // what open_ref was asked for, ';' behind each
    const char *has;   // the one name that it knows; NULL: none
} fixture;

static void make_folders(const char *path)
{
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    assert_true(sni_file_make_folders(path, &diag));
}

// A file that holds its own name.
static void put(fixture *f, const char *name)
{
    char path[400];
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    *strrchr(path, '/') = 0;
    make_folders(path);
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    assert_true(sni_file_write(path, name, strlen(name), &diag));
}

static void put_all(fixture *f, const char *const *names)
{
    for (; *names; names++) put(f, *names);
}

static void begin(fixture *f)
{
    sn_allocator allocator = counting_allocator(&f->counts);
    sni_heap_init(&f->heap, &allocator, UINT64_MAX);
    f->opts.search = f->search;
    sni_load_init(&f->load, &f->heap, &f->opts);
    f->load.folder = f->roots[0];
}

static void end(fixture *f)
{
    sni_load_end(&f->load);
    sni_arena_free(&f->load.scratch);
    sni_arena_free(&f->load.keep);
    sni_arena_free(&f->load.files);
    if (!f->search) assert_int_equal(f->counts.live_blocks, 0);
}

static int fixture_open(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (!f) return -1;
    snprintf(f->folder, sizeof f->folder, "/tmp/sinew_test_XXXXXX");
    *state = f;
    alarm(120);
    if (!mkdtemp(f->folder)) return -1;
    snprintf(f->roots[0], sizeof f->roots[0], "%s/model", f->folder);
    make_folders(f->roots[0]);
    begin(f);
    return 0;
}

static int fixture_close(void **state)
{
    fixture *f = *state;
    end(f);
    sn_search_free(f->search);
    assert_int_equal(f->counts.live_blocks, 0);
    remove_all(f->folder);
    free(f);
    alarm(0);
    return 0;
}

static void again(fixture *f)
{
    end(f);
    f->asked[0] = 0;
    begin(f);
}

static void search_in(fixture *f, const char *name)
{
    char *root = f->roots[++f->root_count];
    sn_allocator allocator = counting_allocator(&f->counts);
    snprintf(root, sizeof f->roots[0], "%s/%s", f->folder, name);
    make_folders(root);
    end(f);
    if (!f->search) f->search = sn_search_create(&allocator);
    assert_non_null(f->search);
    assert_int_equal(sn_search_add_folder(f->search, root, NULL), SN_OK);
    f->asked[0] = 0;
    begin(f);
}

static bool find(fixture *f, const char *ref, const char *endings, sni_bytes *bytes)
{
    const char *why = NULL;
    bool is_found = sni_load_find(&f->load, sni_str_make(ref, strlen(ref)), endings, bytes, &why);
    assert_non_null(why);
    assert_int_equal(is_found, bytes->data != NULL);
    return is_found;
}

static void expect(fixture *f, const char *ref, const char *file)
{
    sni_bytes bytes;
    bool is_found = find(f, ref, "blp dds tga png", &bytes);
    if (sni_failed(&f->load.diag)) fail_msg("%s: %s", ref, f->load.diag.error.message);
    if (is_found != (file != NULL)) fail_msg("%s: %s", ref, is_found ? "was found" : "was not found");
    if (file && (bytes.size != strlen(file) || memcmp(bytes.data, file, bytes.size) != 0))
        fail_msg("%s: %.*s, not %s", ref, (int)bytes.size, (const char *)bytes.data, file);
}

static void case_and_slashes_do_not_matter(void **state)
{
    fixture *f = *state;
    put_all(f, (const char *const[]){ "model/Textures/Human/Footman.BLP", "model/gutz.blp", NULL });
    expect(f, "Textures/Human/Footman.BLP", "model/Textures/Human/Footman.BLP");
    expect(f, "textures\\human\\footman.blp", "model/Textures/Human/Footman.BLP");
    expect(f, "TEXTURES\\\\./HUMAN/FOOTMAN.blp", "model/Textures/Human/Footman.BLP");
    expect(f, "GUTZ.BLP", "model/gutz.blp");
    expect(f, "Textures\\Human", NULL);  // a folder is no file
    expect(f, "gutz.blp\\x", NULL);
    expect(f, "missing.blp", NULL);
}

static void as_written_comes_first(void **state)
{
    fixture *f = *state;
    put_all(f, (const char *const[]){ "model/A.blp", "model/a.blp", "model/a.BLP", "model/T/x.blp", "model/t/y.blp",
                                      "model/t/X.BLP", NULL });
    expect(f, "a.blp", "model/a.blp");
    expect(f, "A.blp", "model/A.blp");
    expect(f, "a.BLP", "model/a.BLP");
    expect(f, "A.BLP", "model/A.blp");       // else the first by its bytes
    expect(f, "T\\y.blp", "model/t/y.blp");  // a file may be in either of two folders
    expect(f, "t\\x.blp", "model/T/x.blp");
}

static void endings_that_are_no_longer_true(void **state)
{
    fixture *f = *state;
    put_all(f, (const char *const[]){ "model/a.tga", "model/a.png", "model/b.v2.dds", "model/T/c.blp", "model/c.png",
                                      "model/.blp", "model/d", NULL });
    expect(f, "a.blp", "model/a.tga");  // the first of the list
    expect(f, "a.tif", "model/a.tga");
    expect(f, "a.png", "model/a.png");
    expect(f, "a", "model/a.tga");
    expect(f, "b.v2.blp", "model/b.v2.dds");
    expect(f, "T\\c.tga", "model/T/c.blp");  // the path with another ending, before the last name
    expect(f, "d", "model/d");
    expect(f, "a.", "model/a.tga");
    expect(f, "e", NULL);
    expect(f, ".blp", "model/.blp");
    sni_bytes bytes;
    again(f);
    assert_false(find(f, "a.blp", "", &bytes));
    assert_true(find(f, "a.tga", "", &bytes));
}

static void search_folders_follow_in_order(void **state)
{
    fixture *f = *state;
    put_all(f, (const char *const[]){ "model/here.blp", "one/here.blp", "one/Textures/a.blp", "two/textures/A.BLP",
                                      "two/textures/b.blp", "two/deep/er/c.blp", "two/deep/d.blp", "one/z/d.blp",
                                      "one/deep/er/still/d.blp", NULL });
    search_in(f, "one");
    search_in(f, "two");
    expect(f, "here.blp", "model/here.blp");
    expect(f, "TEXTURES\\A.blp", "one/Textures/a.blp");
    expect(f, "TEXTURES\\B.blp", "two/textures/b.blp");
    expect(f, "c.blp", "two/deep/er/c.blp");
    expect(f, "elsewhere\\C.BLP", "two/deep/er/c.blp");
    expect(f, "elsewhere\\d.blp", "one/z/d.blp");  // the topmost of the first folder
    expect(f, "deep\\d.blp", "two/deep/d.blp");    // by path in any folder, before the last name in one
    expect(f, "elsewhere\\here.blp", "model/here.blp");
}

static void last_names_are_found_below_the_model_too(void **state)
{
    fixture *f = *state;
    put_all(f, (const char *const[]){ "model/b/tex.blp", "model/a/a/tex.blp", "model/a/b/c/d/deep.blp",
                                      "model/a/b/c/d/e/deeper.blp", "model/.git/x.blp", "above.blp", "beside/near.blp",
                                      NULL });
    expect(f, "Units\\Human\\TEX.blp", "model/b/tex.blp");
    expect(f, "deep.blp", "model/a/b/c/d/deep.blp");
    expect(f, "deeper.blp", NULL);  // only so far: a model may lie at the top of a disk
    expect(f, "a\\b\\c\\d\\e\\deeper.blp", "model/a/b/c/d/e/deeper.blp");
    expect(f, "x.blp", NULL);
    expect(f, "above.blp", NULL);
    expect(f, "near.blp", NULL);
}

static void links_do_not_lead_out(void **state)
{
    fixture *f = *state;
    char path[200];
    static const struct {
        const char *to, *at;
    } links[] = {
        { "../secret.blp", "model/out.blp" },
        { "/etc/passwd", "model/passwd.blp" },
        { "..", "model/up" },
        { "tex.blp", "model/in.blp" },
        { "sub", "model/alias" },
        { "../../secret.blp", "one/sub/far.blp" },
        { "loop.blp", "model/loop.blp" },
        { "/dev/zero", "model/zero.blp" },
    };
    put_all(f, (const char *const[]){ "secret.blp", "model/tex.blp", "model/sub/s.blp", "one/sub/s.blp", NULL });
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        snprintf(path, sizeof path, "%s/%s", f->folder, links[i].at);
        assert_int_equal(symlink(links[i].to, path), 0);
    }
    search_in(f, "one");
    static const char *const bad[] = { "out.blp",        "OUT.BLP",        "passwd.blp", "Passwd.BLP",
                                       "up\\secret.blp", "UP\\secret.blp", "secret.blp", "far.blp",
                                       "sub\\far.blp",   "SUB\\FAR.blp",   "loop.blp",   "Loop.blp",
                                       "zero.blp",       "Zero.blp",       "up",         "sub" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) expect(f, bad[i], NULL);
    expect(f, "In.blp", "model/tex.blp");
    expect(f, "alias\\s.blp", "model/sub/s.blp");
}

static bool know_one(void *user, const char *ref, const void **data, size_t *size)
{
    fixture *f = user;
    size_t used = strlen(f->asked);
    snprintf(f->asked + used, sizeof f->asked - used, "%s;", ref);
    *data = ref;
    *size = strlen(ref);
    return f->has && strcmp(ref, f->has) == 0;
}

// Only last names may be asked for.
static bool know_all(void *user, const char *ref, const void **data, size_t *size)
{
    (void)user;
    if (strpbrk(ref, "/\\:") || strcmp(ref, "..") == 0) fail_msg("asked for: %s", ref);
    *data = ref;
    *size = 1;
    return true;
}

// Not as they are written: their last name may be found in the folders, which says so.
static void hostile_references_are_never_followed(void **state)
{
    fixture *f = *state;
    sni_bytes bytes;
    const char *why;
    size_t count = sizeof hostile / sizeof *hostile;
    assert_true(count >= 60);
    put_all(f, (const char *const[]){ "model/passwd", "model/b", "x", "b", "environ", "sub/x", NULL });
    search_in(f, "model");
    f->opts.lint = true;
    for (int by_user = 0; by_user < 2; by_user++) {
        f->opts.open_ref = by_user ? know_all : NULL;
        f->opts.user = f;
        again(f);
        for (size_t i = 0; i < count; i++) {
            bool is_found = sni_load_find(&f->load, sni_str_make(hostile[i].ref, hostile[i].size), "blp dds tga png",
                                          &bytes, &why);
            bool is_inside = !by_user && bytes.size > 6 && memcmp(bytes.data, "model/", 6) == 0;
            if (is_found && !by_user && !is_inside) fail_msg("found: %s", hostile[i].ref);
            assert_true(is_found == (bytes.data != NULL) && sni_load_ok(&f->load));
        }
        assert_int_equal(count_warnings(&f->load.diag, SNI_WARN_FILE_REFUSED), count);
    }
}

static void the_user_is_asked_in_the_same_order(void **state)
{
    fixture *f = *state;
    sni_bytes bytes;
    put_all(f, (const char *const[]){ "model/a.blp", "model/T/a.blp", NULL });
    f->opts.open_ref = know_one;
    f->opts.user = f;
    again(f);
    assert_false(find(f, "T\\A.blp", "blp dds", &bytes));
    assert_string_equal(f->asked, "T/A.blp;T/A.dds;A.blp;A.dds;");
    assert_false(find(f, "t/A.blp", "blp dds", &bytes));
    assert_false(find(f, "T\\.\\A.blp", "blp dds", &bytes));  // a miss is remembered
    assert_string_equal(f->asked, "T/A.blp;T/A.dds;A.blp;A.dds;t/A.blp;t/A.dds;A.blp;A.dds;");
    again(f);
    f->has = "b.dds";
    assert_true(find(f, "T\\b.blp", "blp dds", &bytes));
    assert_true(find(f, "T/b.blp", "blp dds", &bytes));
    assert_string_equal(f->asked, "T/b.blp;T/b.dds;b.blp;b.dds;");
    assert_true(find(f, "U/b.dds", "blp dds", &bytes));  // known by its name: not asked for again
    assert_string_equal(f->asked, "T/b.blp;T/b.dds;b.blp;b.dds;U/b.dds;U/b.blp;");
}

static void each_file_is_read_once(void **state)
{
    fixture *f = *state;
    sni_bytes first, second;
    put_all(f, (const char *const[]){ "model/T/a.blp", NULL });
    assert_true(find(f, "T\\a.blp", "blp", &first));
    assert_true(find(f, "t\\A.BLP", "blp", &second));
    assert_ptr_equal(first.data, second.data);
    assert_true(find(f, "elsewhere\\a.blp", "blp", &second));
    assert_ptr_equal(first.data, second.data);
}

static void unreadable_files_cost_only_themselves(void **state)
{
    fixture *f = *state;
    sni_bytes bytes;
    put_all(f, (const char *const[]){ "model/big.blp", "model/b.blp", "model/empty.blp", NULL });
    f->opts.limits.file_bytes = 12;
    again(f);
    assert_false(find(f, "big.blp", "blp", &bytes));
    assert_true(sni_load_ok(&f->load));
    assert_int_equal(count_warnings(&f->load.diag, SNI_WARN_FILE_MISSING), 1);
    assert_true(find(f, "b.blp", "blp", &bytes));
}

static void lookups_have_a_limit(void **state)
{
    fixture *f = *state;
    sni_bytes bytes;
    char name[32];
    const char *why;
    put_all(f, (const char *const[]){ "model/last.blp", NULL });
    for (int i = 0; i < 5000; i++) {
        snprintf(name, sizeof name, "T\\%d.blp", i);
        assert_false(sni_load_find(&f->load, sni_str_make(name, strlen(name)), "blp dds tga", &bytes, &why));
        assert_true(sni_load_ok(&f->load));
    }
    assert_false(sni_load_find(&f->load, sni_str_make("last.blp", 8), "", &bytes, &why));
    assert_non_null(strstr(why, "too many"));
}

typedef bool find_in_listing(sni_listing *, sni_root *, const char *, sni_found *, sni_diag *);

static void expect_listed(fixture *f, sni_listing *listing, sni_root *root, find_in_listing *find_it, const char *ref,
                          bool is_there)
{
    sni_found found;
    bool is_found = find_it(listing, root, ref, &found, &f->load.diag);
    if (is_found != is_there) fail_msg("%s: %s", ref, is_found ? "was found" : "was not found");
    if (is_found) sni_file_close(found.file);
}

// What does not fit the bounds is left out in the same way each time; the exact name is always found.
static void folders_have_a_limit(void **state)
{
    fixture *f = *state;
    static const sni_listing_bounds few = { 5, 1 };
    sni_listing search;
    sni_root root;
    put_all(f, (const char *const[]){ "model/a/1", "model/a/2", "model/b/3", "model/c/4", "model/a/x/5", NULL });
    sni_root_init(&root, f->roots[0]);
    sni_listing_init(&search, f->roots[0], &few, &f->load.scratch);  // 3 folders; a is too many, and b and c after it
    expect_listed(f, &search, &root, sni_listing_find_name, "1", false);
    expect_listed(f, &search, &root, sni_listing_find_name, "3", false);
    expect_listed(f, &search, &root, sni_listing_find_path, "c/4", true);
    static const sni_listing_bounds enough = { 8, 1 };
    sni_listing_init(&search, f->roots[0], &enough, &f->load.scratch);
    expect_listed(f, &search, &root, sni_listing_find_name, "4", true);
    expect_listed(f, &search, &root, sni_listing_find_path, "C/4", true);
    expect_listed(f, &search, &root, sni_listing_find_name, "5", false);
    sni_root_close(&root);
    assert_true(sni_load_ok(&f->load));
}

static void deep_trees_and_long_names(void **state)
{
    fixture *f = *state;
    char name[3000] = "model", ref[1200];
    for (int i = 0; i < 60; i++) strcat(name, "/d");
    strcat(name, "/x.blp");
    put(f, name);
    search_in(f, "model");
    expect(f, "x.blp", NULL);  // 32 levels are enough for any game
    expect(f, name + 6, name);
    memset(ref, 'a', sizeof ref);
    for (size_t size = 200; size < sizeof ref; size += 100) {
        ref[size - 1] = 0;
        expect(f, ref, NULL);
        ref[size - 1] = 'a';
    }
}

static void every_failing_allocation_is_survived(void **state)
{
    fixture *f = *state;
    sni_bytes bytes;
    put_all(f, (const char *const[]){ "model/T/a.blp", "one/u/b.blp", NULL });
    search_in(f, "one");
    for (uint64_t k = 1; k < 50; k++) {
        f->counts.calls = 0;
        f->counts.fail_at = 0;
        again(f);
        sn_search_refresh(f->search);
        f->counts.calls = 0;
        f->counts.fail_at = k;
        bool is_found = find(f, "t\\A.blp", "blp dds", &bytes) && find(f, "x\\B.blp", "blp dds", &bytes);
        assert_int_equal(is_found, f->counts.calls < k);
        if (!is_found) assert_int_equal(f->load.diag.error.status, SN_ERR_MEMORY);
        if (is_found) return;
    }
    fail_msg("it never ends");
}

// The folder that the user named comes before the search folders, one of a layout before that.
static void roots_and_layouts_are_searched(void **state)
{
    fixture *f = *state;
    static char root[100], model[100];
    char found[4096];
    const char *title;
    put_all(f, (const char *const[]){ "mod/a.blp", "mod/Art/b.blp", "mod/Art/W3D/xx/y/z", "mod/b.blp", "one/a.blp",
                                      "mod/map/war3mapImported/i", "mod/map/t/s.blp", NULL });
    search_in(f, "one");
    snprintf(root, sizeof root, "%s/mod", f->folder);
    snprintf(model, sizeof model, "%s/mod/Art/W3D/xx", f->folder);
    expect(f, "a.blp", "one/a.blp");
    f->opts.root = root;
    again(f);
    expect(f, "a.blp", "mod/a.blp");
    f->opts.find_layout = true;
    again(f);
    f->load.folder = model;
    expect(f, "b.blp", "mod/Art/b.blp");
    expect(f, "a.blp", "mod/a.blp");
    f->opts.find_layout = false;
    again(f);
    f->load.folder = model;
    expect(f, "b.blp", "mod/b.blp");

    static const struct {
        const char *folder, *root;
    } layouts[] = {
        { "mod/Art/W3D", "/mod/Art" },
        { "mod/Art/W3D/xx", "/mod/Art" },
        { "mod/Art/W3D/xx/y", "/mod/Art" },
        { "mod/map/war3mapImported", "/mod/map" },
        { "mod/map/t", NULL },
        { "mod/Art", NULL },
        { "one", NULL },
    };
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        snprintf(model, sizeof model, "%s/%s", f->folder, layouts[i].folder);
        bool is_found = sni_layout_find(model, found, sizeof found, &title);
        assert_int_equal(is_found, layouts[i].root != NULL);
        if (is_found) assert_string_equal(found + strlen(found) - strlen(layouts[i].root), layouts[i].root);
    }
}

static void write_big(const fixture *f, const char *name, const char *content)
{
    static const char head[] = "BIGF\0\0\0\0\0\0\0\1\0\0\0\0";
    char path[200], bytes[128];
    const size_t size = strlen(content);
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    memcpy(bytes, head, 16);
    memcpy(bytes + 16, "\0\0\0\50\0\0\0", 7);
    bytes[23] = (char)size;
    memcpy(bytes + 24, "art\\t.tga\0\0\0\0\0\0", 16);
    memcpy(bytes + 40, content, size);
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    assert_true(sni_file_write(path, bytes, 40 + size, &diag));
}

// Warcraft's archives in the order of the game, others by name; all after the mod's own; loose files before archives.
static void games_come_last(void **state)
{
    fixture *f = *state;
    char game[100];
    sn_error error;
    sn_game_info info;
    put_all(f, (const char *const[]){ "one/x", "game/loose.tga", "model/other.dds", "game/other.tga", "game/p/path.tga",
                                      "model/path.tga", NULL });
    write_big(f, "game/c.big", "last");
    write_big(f, "game/B.big", "second");
    write_big(f, "game/a.big", "first");
    put(f, "game/bad.big");
    search_in(f, "one");
    snprintf(game, sizeof game, "%s/game", f->folder);
    assert_int_equal(sn_search_add_game(f->search, game, "w3d mdx", &info, &error), SN_OK);
    assert_int_equal(info.archive_count, 3);
    assert_int_equal(info.failed_count, 1);
    assert_non_null(strstr(info.failed, "bad.big"));
    expect(f, "loose.tga", "game/loose.tga");
    expect(f, "T.TGA", "first");
    sni_bytes bytes;
    assert_true(find(f, "other.tga", "dds tga", &bytes));  // the mod's, though its ending is another
    assert_memory_equal(bytes.data, "model/other.dds", 15);
    expect(f, "p\\path.tga", "game/p/path.tga");
    again(f);
    f->load.format = "level5";
    expect(f, "loose.tga", NULL);
    assert_int_equal(sn_search_add_game(f->search, "/nothing/there", NULL, NULL, &error), SN_ERR_IO);
}

// A whole model: its skeleton and animations are found through labels, in folders, archives and a game.
static void every_failing_allocation_of_a_joined_model_is_survived(void **state)
{
    fixture *f = *state;
    char path[200];
    sn_error error;
    sn_allocator allocator = counting_allocator(&f->counts);
    end(f);
    static const char *const names[] = { "skn", "skl", "bow", "wave" };
    for (int i = 0; i < 4; i++) {
        char from[300];
        sn_bytes bytes;
        snprintf(from, sizeof from, "%s/soldier_%s.w3d", SINEW_SAMPLES, names[i]);
        snprintf(path, sizeof path, "%s/%s/%s.w3d", f->folder, i == 0 ? "model" : i < 3 ? "one" : "game", names[i]);
        *strrchr(path, '/') = 0;
        make_folders(path);
        path[strlen(path)] = '/';
        assert_int_equal(sn_file_read(from, 0, NULL, &bytes, NULL), SN_OK);
        assert_int_equal(sn_file_write(path, bytes.data, bytes.size, &error), SN_OK);
        sn_bytes_free(&bytes);
    }
    uint32_t clips = 0;
    for (uint64_t k = 1; clips == 0 && k < 2000; k++) {
        f->counts.calls = 0;
        f->counts.fail_at = k;
        sn_search *search = sn_search_create(&allocator);
        snprintf(path, sizeof path, "%s/one", f->folder);
        bool is_good = search && sn_search_add_folder(search, path, &error) == SN_OK;
        snprintf(path, sizeof path, "%s/game", f->folder);
        is_good = is_good && sn_search_add_game(search, path, "w3d", NULL, &error) == SN_OK;
        snprintf(path, sizeof path, "%s/model/skn.w3d", f->folder);
        const sn_load_opts opts = { .allocator = allocator, .search = search, .folder_clips = true };
        sn_model *model = is_good ? sn_load_file(path, &opts, &error) : NULL;
        if (model) assert_true(f->counts.calls < k), clips = model->clip_count;
        else if (search) assert_int_equal(error.status, SN_ERR_MEMORY);
        sn_model_free(model);
        sn_search_free(search);
        assert_int_equal(f->counts.live_blocks, 0);
    }
    assert_int_equal(clips, 2);
    f->counts.fail_at = 0;
    begin(f);
}

static void memory_stays_under_its_ceiling(void **state)
{
    fixture *f = *state;
    char path[200];
    snprintf(path, sizeof path, "%s/one/many", f->folder);
    make_folders(path);
    for (int i = 0; i < 3000; i++) {
        snprintf(path, sizeof path, "one/many/%d.blp", i);
        put(f, path);
    }
    search_in(f, "one");
    expect(f, "2999.BLP", "one/many/2999.blp");
    f->opts.limits.memory_bytes = 100000;  // of the model; the search has memory of its own
    again(f);
    expect(f, "2999.BLP", "one/many/2999.blp");
    f->opts.limits = (sn_limits){ .elements = 10 };  // arrays of a model, not files of a folder
    again(f);
    expect(f, "2999.BLP", "one/many/2999.blp");
}

// Through the front door: a model of Warcraft III whose textures lie with the game.
static void models_find_their_textures(void **state)
{
    fixture *f = *state;
    static const char text[] =
        "Version { FormatVersion 800, }\nModel \"x\" { BlendTime 150, }\n"
        "Textures 2 { Bitmap { Image \"Textures\\Skin.blp\", } Bitmap { Image \"..\\up.blp\", } }\n";
    char path[200];
    sni_diag diag;
    sn_error error;
    sni_diag_init(&diag, NULL);
    snprintf(path, sizeof path, "%s/model/x.mdl", f->folder);
    assert_true(sni_file_write(path, text, sizeof text - 1, &diag));
    put_all(f, (const char *const[]){ "game/textures/SKIN.DDS", "up.blp", "game/up.blp", NULL });
    for (int searches = 0; searches < 2; searches++) {
        if (searches) search_in(f, "game");
        sn_load_opts opts = { .search = f->search };
        sn_model *model = sn_load_file(path, &opts, &error);
        if (!model) fail_msg("%s", error.message);
        assert_int_equal(model->image_count, 2);
        assert_int_equal(model->images[0].data != NULL, searches);
        if (searches) assert_memory_equal(model->images[0].data, "game/textures/SKIN.DDS", 22);
        assert_int_equal(model->images[1].data != NULL, searches);  // by its last name, below the folder
        if (searches) assert_memory_equal(model->images[1].data, "game/up.blp", 11);
        sn_model_free(model);
    }
}

typedef struct lender {
    int open, total;
    const void *last;
} lender;

static bool lend(void *user, const char *ref, const void **data, size_t *size)
{
    lender *l = user;
    if (strstr(ref, "missing")) return false;
    l->open++, l->total++;
    *data = l->last = strstr(ref, "empty") ? NULL : "a texture";
    *size = l->last ? 9 : 0;
    return true;
}

static void take_back(void *user, const void *data, size_t size)
{
    lender *l = user;
    l->open--;
    assert_int_equal(size, data ? 9 : 0);
}

// Whatever fails, each file that was opened is closed once.
static void opened_files_are_closed(void **state)
{
    fixture *f = *state;
    static const char text[] =
        "Version { FormatVersion 800, }\nModel \"x\" { BlendTime 150, }\n"
        "Textures 4 { Bitmap { Image \"a.blp\", } Bitmap { Image \"missing.blp\", } Bitmap { Image \"a.blp\", } "
        "Bitmap { Image \"empty.blp\", } }\n";
    counting_heap counts;
    bool is_done = false;
    for (uint64_t k = 1; !is_done; k++) {
        lender l = { 0 };
        sn_error error;
        counts = (counting_heap){ .fail_at = k };
        sn_load_opts opts = {
            .allocator = counting_allocator(&counts), .open_ref = lend, .close_ref = take_back, .user = &l
        };
        sn_model *model = sn_load_memory(text, sizeof text - 1, &opts, &error);
        is_done = counts.calls < k;
        assert_int_equal(model != NULL, is_done);
        assert_int_equal(l.open, 0);
        if (is_done) assert_int_equal(l.total, 2);
        sn_model_free(model);
        assert_int_equal(counts.live_blocks, 0);
    }
    (void)f;
}

typedef struct opened_paths {
    char text[2048];
} opened_paths;

static void note_opened(void *user, const char *path)
{
    opened_paths *opened = user;
    size_t used = strlen(opened->text);
    snprintf(opened->text + used, sizeof opened->text - used, "%s;", sni_last_name(path));
}

static void files_that_are_read_are_reported(void **state)
{
    fixture *f = *state;
    static const char text[] = "Version { FormatVersion 800, }\nModel \"x\" { BlendTime 150, }\n"
                               "Textures 2 { Bitmap { Image \"T\\a.blp\", } Bitmap { Image \"b.blp\", } }\n";
    char path[200];
    sn_error error;
    opened_paths opened = { "" };
    snprintf(path, sizeof path, "%s/model/x.mdl", f->folder);
    assert_int_equal(sn_file_write(path, text, sizeof text - 1, &error), SN_OK);
    put_all(f, (const char *const[]){ "model/t/A.BLP", "model/other.blp", NULL });
    sn_load_opts opts = { .opened = note_opened, .user = &opened };
    sn_model *model = sn_load_file(path, &opts, &error);
    if (!model) fail_msg("%s", error.message);
    sn_model_free(model);
    assert_string_equal(opened.text, "x.mdl;A.BLP;");
}

#define with_folder(test) cmocka_unit_test_setup_teardown(test, fixture_open, fixture_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_folder(case_and_slashes_do_not_matter),
        with_folder(as_written_comes_first),
        with_folder(endings_that_are_no_longer_true),
        with_folder(search_folders_follow_in_order),
        with_folder(last_names_are_found_below_the_model_too),
        with_folder(links_do_not_lead_out),
        with_folder(hostile_references_are_never_followed),
        with_folder(the_user_is_asked_in_the_same_order),
        with_folder(each_file_is_read_once),
        with_folder(unreadable_files_cost_only_themselves),
        with_folder(lookups_have_a_limit),
        with_folder(folders_have_a_limit),
        with_folder(deep_trees_and_long_names),
        with_folder(every_failing_allocation_is_survived),
        with_folder(roots_and_layouts_are_searched),
        with_folder(games_come_last),
        with_folder(every_failing_allocation_of_a_joined_model_is_survived),
        with_folder(memory_stays_under_its_ceiling),
        with_folder(models_find_their_textures),
        with_folder(opened_files_are_closed),
        with_folder(files_that_are_read_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
