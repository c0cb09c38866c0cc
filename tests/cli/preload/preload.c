// For LD_PRELOAD: what can go wrong in a process, at any chosen moment. Only calls from the program itself and from the
// C library count, those of drivers and codecs do not.
//
//     SINEW_FAIL_AT=K     the K-th allocation returns NULL; with SINEW_FAIL_ON=1 all after it do too
//     SINEW_KILL_AT=K     the process is killed before its K-th change of the file system
//     SINEW_COUNTS=FILE   appends "ALLOCATIONS CHANGES" when the process exits
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *ptr, size_t size);

static atomic_long allocations, changes;
static long fail_at, kill_at;
static bool fails_on, is_ready;
static uintptr_t program, c_library;

static int find_program(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size, (void)user;
    program = info->dlpi_addr;
    return 1;  // it is the first
}

static long read_number(const char *name)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void)
{
    Dl_info info;
    dl_iterate_phdr(find_program, NULL);
    if (dladdr((void *)(uintptr_t)abort, &info)) c_library = (uintptr_t)info.dli_fbase;
    fail_at = read_number("SINEW_FAIL_AT");
    kill_at = read_number("SINEW_KILL_AT");
    fails_on = read_number("SINEW_FAIL_ON") > 0;
    is_ready = true;
}

__attribute__((destructor)) static void end(void)
{
    char text[64];
    const char *path = getenv("SINEW_COUNTS");
    if (!path) return;
    int size = snprintf(text, sizeof text, "%ld %ld\n", atomic_load(&allocations), atomic_load(&changes));
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (file >= 0 && write(file, text, (size_t)size) == size) close(file);
}

static bool is_ours(const void *caller)
{
    Dl_info info;
    if (!is_ready || !dladdr(caller, &info)) return false;
    return (uintptr_t)info.dli_fbase == program || (uintptr_t)info.dli_fbase == c_library;
}

static bool fails(const void *caller)
{
    if (!is_ours(caller)) return false;
    long number = atomic_fetch_add(&allocations, 1) + 1;
    if (fail_at == 0 || (number != fail_at && !(fails_on && number > fail_at))) return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size) { return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}
void *realloc(void *ptr, size_t size) { return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(ptr, size); }

static void change(void)
{
    if (atomic_fetch_add(&changes, 1) + 1 == kill_at) kill(getpid(), SIGKILL);
}

int open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    unsigned mode = flags & O_CREAT ? va_arg(list, unsigned) : 0;
    va_end(list);
    if (flags & O_CREAT) change();
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

ssize_t write(int file, const void *data, size_t size)
{
    if (file > STDERR_FILENO) change();
    return syscall(SYS_write, file, data, size);
}

int rename(const char *from, const char *to)
{
    change();
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlinkat(int folder, const char *path, int flags)
{
    change();
    return (int)syscall(SYS_unlinkat, folder, path, flags);
}

int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }

int mkdir(const char *path, mode_t mode)
{
    change();
    return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}
