// Files are read and written whole, or not at all.
#include "check_text.h"
#include "folder_fixture.h"
#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static int count_entries(const char *folder)
{
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    int count = -2;
    while (readdir(dir)) count++;
    closedir(dir);
    return count;
}

static void assert_io_failure(fixture *f)
{
    assert_int_equal(f->diag.error.status, SN_ERR_IO);
    assert_true(f->diag.error.message[0] && is_plain_text(f->diag.error.message));
    reset_diag(f);
}

// Reading

static void whole_files_are_read(void **state)
{
    fixture *f = *state;
    sni_bytes bytes = { 0 };
    put_file(in_folder(f, "a"), "hello");
    assert_true(sni_file_read(f->path, 5, &f->arena, &f->diag, &bytes));
    assert_int_equal(bytes.size, 5);
    assert_memory_equal(bytes.data, "hello", 5);
    put_file(in_folder(f, "empty"), "");
    assert_true(sni_file_read(f->path, 5, &f->arena, &f->diag, &bytes));
    assert_int_equal(bytes.size, 0);
    assert_non_null(bytes.data);
    f->heap.elements = 2;  // elements are of a model's arrays, not of bytes
    assert_true(sni_file_read(in_folder(f, "a"), 5, &f->arena, &f->diag, &bytes));
    assert_false(sni_failed(&f->diag));
}

static void files_have_a_limit(void **state)
{
    fixture *f = *state;
    sni_bytes bytes = { 0 };
    put_file(in_folder(f, "a"), "hello");
    assert_false(sni_file_read(f->path, 4, &f->arena, &f->diag, &bytes));
    assert_int_equal(f->diag.error.status, SN_ERR_LIMIT);
}

static void what_is_no_file_is_told(void **state)
{
    fixture *f = *state;
    sni_bytes bytes = { 0 };
    const char *const paths[] = { "/nonexistent/x", "", f->folder };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (sni_file_read(paths[i], 1 << 20, &f->arena, &f->diag, &bytes)) fail_msg("%s was read", paths[i]);
        assert_io_failure(f);
    }
    assert_true(sni_file_read("/dev/null", 1 << 20, &f->arena, &f->diag, &bytes));
    assert_int_equal(bytes.size, 0);
    assert_false(sni_file_read("/dev/zero", 1 << 20, &f->arena, &f->diag, &bytes));  // it never ends: the limit does
    assert_int_equal(f->diag.error.status, SN_ERR_LIMIT);
}

static void pipes_are_read_and_written(void **state)
{
    fixture *f = *state;
    char into[200], out_of[200];
    snprintf(into, sizeof into, "%s", in_folder(f, "into"));
    snprintf(out_of, sizeof out_of, "%s", in_folder(f, "out_of"));
    assert_int_equal(mkfifo(into, 0600), 0);
    assert_int_equal(mkfifo(out_of, 0600), 0);
    pid_t child = fork();
    if (child == 0) {
        char text[16] = { 0 };
        int file = open(into, O_RDONLY);
        bool is_right = read(file, text, 15) == 5 && strcmp(text, "model") == 0;
        put_file(out_of, "answer");
        _exit(!is_right);
    }
    sni_bytes bytes = { 0 };
    struct stat info = { 0 };
    int status = -1;
    assert_true(sni_file_write(into, "model", 5, &f->diag));
    assert_true(sni_file_read(out_of, 100, &f->arena, &f->diag, &bytes));
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(bytes.size, 6);
    assert_memory_equal(bytes.data, "answer", 6);
    assert_int_equal(lstat(into, &info), 0);
    assert_true(S_ISFIFO(info.st_mode));  // not replaced by a file
    assert_int_equal(count_entries(f->folder), 2);
    assert_true(sni_file_write("/dev/null", "x", 1, &f->diag));
    assert_int_equal(lstat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
}

static void dash_is_standard_input(void **state)
{
    fixture *f = *state;
    enum { SIZE = 200000 };
    static char big[SIZE];
    for (size_t i = 0; i < SIZE; i++) big[i] = (char)(i * 7);
    for (int limited = 0; limited < 2; limited++) {
        int ends[2], saved = dup(STDIN_FILENO);
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0) {
            close(ends[0]);
            for (ssize_t done = 0, put; done < SIZE; done += put)
                if ((put = write(ends[1], big + done, (size_t)(SIZE - done) > 999 ? 999 : (size_t)(SIZE - done))) <= 0)
                    _exit(0);
            _exit(0);
        }
        close(ends[1]);
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        sni_bytes bytes = { 0 };
        bool is_read = sni_file_read("-", limited ? SIZE - 1 : SIZE, &f->arena, &f->diag, &bytes);
        dup2(saved, STDIN_FILENO);
        close(saved);
        waitpid(child, NULL, 0);
        assert_int_equal(is_read, !limited);
        if (limited) assert_int_equal(f->diag.error.status, SN_ERR_LIMIT);
        else assert_int_equal(bytes.size, SIZE);
        if (!limited) assert_memory_equal(bytes.data, big, SIZE);
    }
}

static void reading_survives_every_failing_allocation(void **state)
{
    fixture *f = *state;
    sni_bytes bytes;
    put_file(in_folder(f, "a"), "hello");
    for (uint64_t k = 1; k < 4; k++) {
        reset_diag(f);
        f->counts.calls = 0, f->counts.fail_at = k;
        bool is_read = sni_file_read(f->path, 5, &f->arena, &f->diag, &bytes);
        assert_true(is_read ? f->counts.calls < k : f->diag.error.status == SN_ERR_MEMORY);
        f->counts.fail_at = 0;
        sni_arena_free(&f->arena);
        sni_arena_init(&f->arena, &f->heap);
    }
}

// Writing

static void files_are_written_whole(void **state)
{
    fixture *f = *state;
    assert_true(sni_file_write(in_folder(f, "out"), "first", 5, &f->diag));
    assert_file_holds(f->path, "first");
    assert_true(sni_file_write(f->path, "2", 1, &f->diag));
    assert_file_holds(f->path, "2");
    assert_true(sni_file_write(in_folder(f, "empty"), NULL, 0, &f->diag));
    assert_file_holds(f->path, "");
    assert_int_equal(count_entries(f->folder), 2);
    assert_false(sni_failed(&f->diag));
}

static void relative_targets_work(void **state)
{
    fixture *f = *state;
    char before[PATH_MAX];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(f->folder), 0);
    bool is_written = sni_file_write("out", "x", 1, &f->diag);
    assert_int_equal(chdir(before), 0);
    assert_true(is_written);
    assert_file_holds(in_folder(f, "out"), "x");
}

static void targets_that_cannot_be_are_told(void **state)
{
    fixture *f = *state;
    char missing[200], through_file[200], directory[200], inside[200], too_long[400];
    snprintf(missing, sizeof missing, "%s", in_folder(f, "no/such/out"));
    snprintf(through_file, sizeof through_file, "%s", in_folder(f, "file/out"));
    put_file(in_folder(f, "file"), "kept");
    snprintf(directory, sizeof directory, "%s", in_folder(f, "dir"));
    assert_int_equal(mkdir(directory, 0700), 0);
    put_file(in_folder(f, "dir/inside"), "kept");
    snprintf(inside, sizeof inside, "%s", f->path);
    snprintf(too_long, sizeof too_long, "%s/%0300d", f->folder, 1);
    const char *const targets[] = { missing, through_file,      directory,         too_long,
                                    "",      "/proc/sinew_out", "/nonexistent/out" };
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        if (sni_file_write(targets[i], "x", 1, &f->diag)) fail_msg("%s was written", targets[i]);
        assert_io_failure(f);
    }
    assert_file_holds(inside, "kept");
    assert_file_holds(in_folder(f, "file"), "kept");
    assert_int_equal(count_entries(f->folder), 2);  // nothing was left beside
    assert_int_equal(count_entries(directory), 1);
}

static void unwritable_folders_are_told(void **state)
{
    fixture *f = *state;
    char target[200];
    snprintf(target, sizeof target, "%s", in_folder(f, "dir/out"));
    assert_int_equal(mkdir(in_folder(f, "dir"), 0700), 0);
    put_file(target, "kept");
    assert_int_equal(chmod(f->path, 0500), 0);
    pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0) _exit(2);  // root may write anywhere
        if (access(f->folder, X_OK) != 0) _exit(2);          // nobody cannot even look: nothing to test here
        _exit(sni_file_write(target, "x", 1, &f->diag) || f->diag.error.status != SN_ERR_IO);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_int_equal(chmod(f->path, 0700), 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) != 1);
    assert_file_holds(target, "kept");
    assert_int_equal(count_entries(f->path), 1);
}

// A disk that fills up, by a limit on the size of files.
static void a_full_disk_keeps_the_old_file(void **state)
{
    fixture *f = *state;
    put_file(in_folder(f, "out"), "old");
    static char big[100000];
    memset(big, 'x', sizeof big);
    for (rlim_t room = 0; room < sizeof big; room += 33333) {
        pid_t child = fork();
        if (child == 0) {
            signal(SIGXFSZ, SIG_IGN);
            struct rlimit limit = { room, room };
            setrlimit(RLIMIT_FSIZE, &limit);
            _exit(sni_file_write(f->path, big, sizeof big, &f->diag) || f->diag.error.status != SN_ERR_IO);
        }
        int status = 0;
        waitpid(child, &status, 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        assert_file_holds(f->path, "old");
        assert_int_equal(count_entries(f->folder), 1);
    }
}

// Killed in the middle of a write: the target is the old file or the new one, never a part.
static void being_killed_keeps_the_old_file(void **state)
{
    fixture *f = *state;
    enum { SIZE = 8 << 20 };
    char *big = malloc(SIZE);
    assert_non_null(big);
    memset(big, 'x', SIZE);
    put_file(in_folder(f, "out"), "old");
    for (int i = 0; i < 12; i++) {
        pid_t child = fork();
        if (child == 0) {
            for (;;) sni_file_write(f->path, big, SIZE, &f->diag);
        }
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 + 700000 * i }, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        struct stat info = { 0 };
        assert_int_equal(stat(f->path, &info), 0);
        assert_true(info.st_size == 3 || info.st_size == SIZE);
    }
    free(big);
}

static void dash_is_standard_output(void **state)
{
    fixture *f = *state;
    fflush(stdout);
    int saved = dup(STDOUT_FILENO), file = open(in_folder(f, "stdout"), O_WRONLY | O_CREAT, 0600);
    dup2(file, STDOUT_FILENO);
    bool is_written = sni_file_write("-", "to stdout", 9, &f->diag);
    dup2(saved, STDOUT_FILENO);
    close(saved), close(file);
    assert_true(is_written);
    assert_file_holds(f->path, "to stdout");
    int full = open("/dev/full", O_WRONLY);
    if (full < 0) return;
    saved = dup(STDOUT_FILENO);
    dup2(full, STDOUT_FILENO);
    is_written = sni_file_write("-", "x", 1, &f->diag);
    dup2(saved, STDOUT_FILENO);
    close(saved), close(full);
    assert_false(is_written);
    assert_io_failure(f);
}

static void staged_files_appear_together(void **state)
{
    fixture *f = *state;
    sni_staged first, second;
    char target[200];
    snprintf(target, sizeof target, "%s", in_folder(f, "one"));
    put_file(target, "old");
    assert_true(sni_file_stage(target, SNI_PART, "new", 3, &first, &f->diag));
    assert_file_holds(target, "old");
    assert_true(sni_file_stage(in_folder(f, "two"), SNI_PART, "2", 1, &second, &f->diag));
    sni_file_discard(&second);
    assert_string_equal(second.path, "");
    assert_true(sni_file_commit(&first, target, &f->diag));
    assert_string_equal(first.path, "");
    assert_file_holds(target, "new");
    assert_int_equal(count_entries(f->folder), 1);
    assert_false(sni_file_stage(in_folder(f, "no/such"), SNI_PART, "x", 1, &first, &f->diag));
    assert_string_equal(first.path, "");
    assert_io_failure(f);
}

// A closed standard stream leaves its number to the next file that is opened.
static void files_do_not_become_standard_streams(void **state)
{
    fixture *f = *state;
    sni_staged staged;
    sni_bytes bytes = { 0 };
    put_file(in_folder(f, "in"), "a file");
    int in = dup(STDIN_FILENO), error = dup(STDERR_FILENO);
    close(STDIN_FILENO), close(STDERR_FILENO);
    int file = sni_file_open(f->path);
    const bool is_read = sni_file_read("-", 100, &f->arena, &f->diag, &bytes);
    const bool is_staged = sni_file_stage(in_folder(f, "out"), SNI_PART, "whole", 5, &staged, &f->diag);
    const ssize_t put = write(STDERR_FILENO, "message", 7);
    dup2(in, STDIN_FILENO), dup2(error, STDERR_FILENO);
    close(in), close(error);
    sni_file_close(file);
    assert_false(is_read);
    assert_io_failure(f);
    assert_true(is_staged && put < 0);
    assert_true(sni_file_commit(&staged, f->path, &f->diag));
    assert_file_holds(f->path, "whole");
}

static void permissions_are_kept(void **state)
{
    static const mode_t modes[] = { 0600, 0640, 0444, 0755, 0666 };
    fixture *f = *state;
    struct stat info = { 0 };
    sni_staged staged;
    put_file(in_folder(f, "out"), "old");
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(chmod(f->path, modes[i]), 0);
        if (geteuid() == 0) assert_int_equal(chown(f->path, 65534, 65534), 0);
        assert_true(sni_file_stage(f->path, SNI_PART, "new", 3, &staged, &f->diag));
        assert_int_equal(stat(staged.path, &info), 0);
        assert_int_equal(info.st_mode & 077, 0);  // what was private is not shown meanwhile
        assert_true(sni_file_commit(&staged, f->path, &f->diag));
        assert_int_equal(stat(f->path, &info), 0);
        assert_int_equal(info.st_mode & 0777, modes[i]);
        if (geteuid() == 0) assert_int_equal(info.st_uid, 65534);
    }
    const mode_t mask = umask(027);
    const bool is_written = sni_file_write(in_folder(f, "fresh"), "new", 3, &f->diag);
    umask(mask);
    assert_true(is_written && stat(f->path, &info) == 0);
    assert_int_equal(info.st_mode & 0777, 0640);
}

// The longest names have room for no other name beside them, and need none.
static void the_longest_names_are_written(void **state)
{
    fixture *f = *state;
    char path[400];
    snprintf(path, sizeof path, "%s/%0255d", f->folder, 0);
    assert_true(sni_file_write(path, "x", 1, &f->diag));
    assert_file_holds(path, "x");
    assert_int_equal(count_entries(f->folder), 1);
}

// Unfinished files

static void ignore_journal(void *user, sni_bytes content) { (void)user, (void)content; }

static int clean(fixture *f)
{
    sni_folder_clean(f->folder, ignore_journal, NULL);
    return count_entries(f->folder);
}

// A process that writes and never ends.
static pid_t begin_writing(fixture *f)
{
    int pipes[2];
    char ready;
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        sni_staged staged;
        bool is_staged = sni_file_stage(in_folder(f, "out"), SNI_PART, "x", 1, &staged, &f->diag);
        if (!is_staged || write(pipes[1], "r", 1) != 1) _exit(1);
        for (;;) pause();
    }
    close(pipes[1]);
    assert_int_equal(read(pipes[0], &ready, 1), 1);
    close(pipes[0]);
    return child;
}

static void files_of_killed_writers_are_removed(void **state)
{
    fixture *f = *state;
    pid_t child = begin_writing(f);
    assert_int_equal(clean(f), 1);  // it lives
    kill(child, SIGSTOP);
    assert_int_equal(clean(f), 1);
    kill(child, SIGKILL);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(clean(f), 0);  // nobody has waited for it yet
    waitpid(child, NULL, 0);
    child = begin_writing(f);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(clean(f), 0);
}

// The name of a file of this host's process 1, with one field of it changed.
static void put_part(fixture *f, const char *host, long process, const char *start, const char *rest)
{
    char own[65] = "", name[160];
    gethostname(own, sizeof own - 1);
    snprintf(name, sizeof name, ".sinew-%s-%ld-%s-%s", host ? host : own, process, start, rest);
    put_file(in_folder(f, name), "x");
}

static void only_files_of_the_dead_are_removed(void **state)
{
    fixture *f = *state;
    pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, NULL, 0);
    put_part(f, NULL, child, "77", "0123abcd-0.part");
    assert_int_equal(clean(f), 0);
    put_part(f, NULL, (long)getpid(), "77", "0123abcd-0.part");  // another process had that number
    assert_int_equal(clean(f), 0);
    put_part(f, NULL, (long)getpid(), "0", "0123abcd-0.part");  // it is not known when it began
    assert_int_equal(clean(f), 1);
    unlink(f->path);
    static const char *const others[] = { "0123abcd-0.part.bak", "0123abc-0.part", "0123abcd-x.part", "0123abcd-0" };
    for (int i = 0; i < 4; i++) {
        put_part(f, NULL, child, "77", others[i]);
        assert_int_equal(clean(f), 1);
        unlink(f->path);
    }
    put_part(f, NULL, child, "7x", "0123abcd-0.part");
    put_file(in_folder(f, "model.glb.part"), "x");
    assert_int_equal(symlink("model.glb.part", in_folder(f, ".sinew-h-1-2-0123abcd-0.part")), 0);
    assert_int_equal(clean(f), 3);
}

static void files_of_other_hosts_stay_for_a_day(void **state)
{
    fixture *f = *state;
    struct timespec times[2] = { { .tv_sec = time(NULL) - 23 * 3600 }, { .tv_sec = time(NULL) - 23 * 3600 } };
    put_part(f, "another-host", 1, "2", "0123abcd-0.part");
    assert_int_equal(utimensat(AT_FDCWD, f->path, times, 0), 0);
    assert_int_equal(clean(f), 1);
    times[0].tv_sec -= 2 * 3600, times[1].tv_sec -= 2 * 3600;
    assert_int_equal(utimensat(AT_FDCWD, f->path, times, 0), 0);
    int file = open(f->path, O_RDWR);
    assert_int_equal(flock(file, LOCK_EX), 0);
    assert_int_equal(clean(f), 1);  // someone still writes it
    close(file);
    assert_int_equal(clean(f), 0);
}

// Folders

static void folders_are_made_with_those_above(void **state)
{
    fixture *f = *state;
    static const char *const names[] = { "a/b/c", "a/b/c", "a//b/d/", ".", "" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_true(sni_file_make_folders(in_folder(f, names[i]), &f->diag));
        assert_int_equal(access(f->path, X_OK), 0);
    }
    put_file(in_folder(f, "file"), "kept");
    static const char *const bad[] = { "file", "file/", "file/below" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(sni_file_make_folders(in_folder(f, bad[i]), &f->diag));
        assert_io_failure(f);
    }
    assert_file_holds(in_folder(f, "file"), "kept");
}

static void folders_list_files_and_folders_in_order(void **state)
{
    fixture *f = *state;
    sni_list list;
    static const char *const files[] = { "b", "a", ".h", "Z", "\xc3\xa4" };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) put_file(in_folder(f, files[i]), "x");
    assert_int_equal(mkdir(in_folder(f, "dir"), 0700), 0);
    assert_int_equal(symlink("dir", in_folder(f, "link_to_dir")), 0);
    assert_int_equal(symlink("a", in_folder(f, "link_to_a")), 0);
    assert_int_equal(symlink("nothing", in_folder(f, "broken")), 0);
    assert_int_equal(mkfifo(in_folder(f, "pipe"), 0600), 0);
    assert_true(sni_folder_list(f->folder, UINT32_MAX, &f->arena, &f->diag, &list));
    static const char *const wanted[] = { ".h", "Z", "a", "b", "dir", "link_to_a", "\xc3\xa4" };
    const sni_folder_entry *entries = list.items;
    assert_int_equal(list.count, sizeof wanted / sizeof *wanted);
    for (uint32_t i = 0; i < list.count; i++) {
        assert_string_equal(entries[i].name, wanted[i]);
        assert_int_equal(entries[i].is_folder, i == 4);
    }
    assert_false(sni_folder_list(in_folder(f, "a"), UINT32_MAX, &f->arena, &f->diag, &list));
    assert_io_failure(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_folder(whole_files_are_read),
        with_folder(files_have_a_limit),
        with_folder(what_is_no_file_is_told),
        with_folder(pipes_are_read_and_written),
        with_folder(dash_is_standard_input),
        with_folder(reading_survives_every_failing_allocation),
        with_folder(files_are_written_whole),
        with_folder(relative_targets_work),
        with_folder(targets_that_cannot_be_are_told),
        with_folder(unwritable_folders_are_told),
        with_folder(a_full_disk_keeps_the_old_file),
        with_folder(being_killed_keeps_the_old_file),
        with_folder(dash_is_standard_output),
        with_folder(staged_files_appear_together),
        with_folder(files_do_not_become_standard_streams),
        with_folder(permissions_are_kept),
        with_folder(the_longest_names_are_written),
        with_folder(files_of_killed_writers_are_removed),
        with_folder(only_files_of_the_dead_are_removed),
        with_folder(files_of_other_hosts_stay_for_a_day),
        with_folder(folders_are_made_with_those_above),
        with_folder(folders_list_files_and_folders_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
