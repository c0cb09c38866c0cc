#define _GNU_SOURCE  // d_type: what an entry is, without asking for each
#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/map.h"

static bool fail_errno(sni_diag *diag, const char *what)
{
    const int reason = errno;
    bool is_first = !sni_failed(diag);
    sni_fail(diag, reason == ENOMEM ? SN_ERR_MEMORY : SN_ERR_IO, 0, "%s: %s", what, strerror(reason));
    if (is_first && reason != ENOMEM) diag->error.os_error = reason;
    return false;
}

static bool fail_too_large(sni_diag *diag, uint64_t limit)
{
    return sni_fail(diag, SN_ERR_LIMIT, 0, "the file is larger than the limit of %llu bytes",
                    (unsigned long long)limit);
}

// Where the caller has closed standard input or error, a new file would get its number: "-" would read that file, and
// messages would be written into it.
static int leave_standard(int file)
{
    if (file < 0 || file > STDERR_FILENO) return file;
    const int moved = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), reason = errno;
    close(file);
    errno = reason;
    return moved;
}

// Reads up to `size` bytes; returns how many, fewer only at the end of the file, or -1.
static ssize_t read_fully(int file, uint8_t *data, size_t size)
{
    size_t used = 0;
    while (used < size) {
        ssize_t got = read(file, data + used, size - used);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        used += (size_t)got;
    }
    return (ssize_t)used;
}

static bool read_sized(int file, uint64_t size, sni_arena *arena, sni_diag *diag, sni_bytes *bytes)
{
    uint8_t *data = sni_new_raw(arena, uint8_t, size);
    if (!data) return false;
    ssize_t got = read_fully(file, data, (size_t)size);
    if (got < 0) return fail_errno(diag, "cannot read");
    *bytes = (sni_bytes){ data, (size_t)got };
    return true;
}

// The size of pipes and of files in /proc is not known.
static bool read_stream(int file, uint64_t limit, sni_arena *arena, sni_diag *diag, sni_bytes *bytes)
{
    size_t capacity = 64 << 10, used = 0;
    uint8_t *data = sni_new_raw(arena, uint8_t, capacity);
    while (data) {
        ssize_t got = read_fully(file, data + used, capacity - used);
        if (got < 0) return fail_errno(diag, "cannot read");
        used += (size_t)got;
        if (used > limit) return fail_too_large(diag, limit);
        if (used < capacity) {
            *bytes = (sni_bytes){ data, used };
            return true;
        }
        uint8_t *grown = sni_new_raw(arena, uint8_t, (uint64_t)capacity * 2);
        if (grown) memcpy(grown, data, used);
        data = grown;
        capacity *= 2;
    }
    return false;
}

static bool read_open(int file, uint64_t limit, sni_arena *arena, sni_diag *diag, sni_bytes *bytes)
{
    struct stat info = { 0 };
    if (fstat(file, &info) != 0) return fail_errno(diag, "cannot read");
    if (S_ISDIR(info.st_mode)) return sni_fail(diag, SN_ERR_IO, 0, "is a folder, not a file");
    if (!S_ISREG(info.st_mode) || info.st_size == 0) return read_stream(file, limit, arena, diag, bytes);
    if ((uint64_t)info.st_size > limit) return fail_too_large(diag, limit);
    return read_sized(file, (uint64_t)info.st_size, arena, diag, bytes);
}

bool sni_file_size(const char *path, uint64_t *size, sni_diag *diag)
{
    struct stat info = { 0 };
    if (stat(path, &info) != 0) return fail_errno(diag, "cannot open");
    if (!S_ISREG(info.st_mode)) return sni_fail(diag, SN_ERR_IO, 0, "is not a regular file");
    *size = (uint64_t)info.st_size;
    return true;
}

int sni_file_open(const char *path)
{
    int file = strcmp(path, "-") == 0 ? STDIN_FILENO : leave_standard(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY));
    return file >= 0 ? file : -errno;
}

void sni_file_close(int file)
{
    if (file > STDIN_FILENO) close(file);
}

bool sni_file_read_open(int file, uint64_t limit, sni_arena *arena, sni_diag *diag, sni_bytes *bytes)
{
    *bytes = (sni_bytes){ (const uint8_t *)"", 0 };
    if (file < 0) errno = -file;
    return file >= 0 ? read_open(file, limit, arena, diag, bytes) : fail_errno(diag, "cannot open");
}

bool sni_file_read(const char *path, uint64_t limit, sni_arena *arena, sni_diag *diag, sni_bytes *bytes)
{
    int file = sni_file_open(path);
    bool is_read = sni_file_read_open(file, limit, arena, diag, bytes);
    sni_file_close(file);
    return is_read;
}

static bool read_part(int file, uint64_t offset, uint64_t size, sni_arena *arena, sni_diag *diag, sni_bytes *bytes)
{
    struct stat info = { 0 };
    if (fstat(file, &info) != 0) return fail_errno(diag, "cannot read");
    uint64_t there = S_ISREG(info.st_mode) && info.st_size > 0 ? (uint64_t)info.st_size : 0;
    if (offset > there || size > there - offset)
        return sni_fail(diag, SN_ERR_TRUNCATED, offset, "%llu bytes at byte %llu are needed, the file has %llu",
                        (unsigned long long)size, (unsigned long long)offset, (unsigned long long)there);
    if (lseek(file, (off_t)offset, SEEK_SET) < 0) return fail_errno(diag, "cannot read");
    if (!read_sized(file, size, arena, diag, bytes)) return false;
    return bytes->size == size || sni_fail(diag, SN_ERR_TRUNCATED, offset, "the file became shorter while it was read");
}

bool sni_file_read_part(const char *path, uint64_t offset, uint64_t size, sni_arena *arena, sni_diag *diag,
                        sni_bytes *bytes)
{
    *bytes = (sni_bytes){ (const uint8_t *)"", 0 };
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    bool is_read = file >= 0 ? read_part(file, offset, size, arena, diag, bytes) : fail_errno(diag, "cannot open");
    if (file >= 0) close(file);
    return is_read;
}

bool sni_file_part_open(const char *path, uint64_t offset, uint64_t size, sni_file_part *part)
{
    struct stat info = { 0 };
    const int file = leave_standard(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    *part = (sni_file_part){ .file = file, .offset = offset };
    if (part->file < 0) return false;
    bool is_there = fstat(part->file, &info) == 0 && S_ISREG(info.st_mode) && offset <= (uint64_t)info.st_size;
    if (!is_there) {
        sni_file_part_close(part);
        return false;
    }
    const uint64_t there = (uint64_t)info.st_size - offset;
    part->size = size < there ? size : there;
    return true;
}

bool sni_file_part_read(const sni_file_part *part, uint64_t at, void *out, size_t size)
{
    uint8_t *to = out;
    if (at > part->size || size > part->size - at) return false;
    while (size > 0) {
        ssize_t got = pread(part->file, to, size, (off_t)(part->offset + at));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        to += got, at += (size_t)got, size -= (size_t)got;
    }
    return true;
}

void sni_file_part_close(sni_file_part *part)
{
    if (part->file >= 0) close(part->file);
    part->file = -1;
}

bool sni_file_map_open(int file, uint64_t limit, sni_bytes *bytes)
{
    struct stat info = { 0 };
    void *at = MAP_FAILED;
    bool is_mappable = file >= 0 && fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
                       (uint64_t)info.st_size <= limit;
    if (is_mappable) at = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (at == MAP_FAILED) return false;
    *bytes = (sni_bytes){ at, (size_t)info.st_size };
    return true;
}

bool sni_file_map(const char *path, uint64_t limit, sni_bytes *bytes)
{
    int file = sni_file_open(path);
    bool is_mapped = sni_file_map_open(file, limit, bytes);
    sni_file_close(file);
    return is_mapped;
}

void sni_file_unmap(sni_bytes bytes) { munmap((void *)(uintptr_t)bytes.data, bytes.size); }

static bool write_fully(int file, const uint8_t *data, size_t size)
{
    while (size > 0) {
        ssize_t put = write(file, data, size);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        data += put;
        size -= (size_t)put;
    }
    return true;
}

// Unfinished files: ".sinew-HOST-PROCESS-START-HASH-N.part", beside the target and locked while they are written. The
// name lets later runs find out whether the writer is alive; START is when that process began, as /proc has it, 0 if
// unknown.

enum { HOST_BYTES = 65, PART_ATTEMPTS = 1000, FOREIGN_SECONDS = 24 * 60 * 60, PART_HEAD = 16 << 10 };

static void read_host(char host[HOST_BYTES])
{
    memset(host, 0, HOST_BYTES);
    if (gethostname(host, HOST_BYTES - 1) != 0 || !host[0]) memcpy(host, "unknown", 8);
    for (char *at = host; *at; at++) {
        bool is_letter = (*at | 0x20) >= 'a' && (*at | 0x20) <= 'z';
        if (!is_letter && !(*at >= '0' && *at <= '9') && !strchr("-._", *at)) *at = '_';
    }
}

// Field 22 of /proc/PROCESS/stat; the state is field 3. Both come after the program's name, which may hold anything.
static bool read_start(long process, unsigned long long *start, bool *is_zombie)
{
    char path[48], text[1024];
    *start = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (file < 0) return false;
    ssize_t size = read_fully(file, (uint8_t *)text, sizeof text - 1);
    close(file);
    text[size > 0 ? size : 0] = 0;
    const char *at = strrchr(text, ')');
    if (!at || strlen(at) < 3) return false;
    *is_zombie = at[2] == 'Z' || at[2] == 'X';
    for (int field = 3; field < 22 && at; field++) at = strchr(at + 2, ' ');
    if (at) *start = strtoull(at, NULL, 10);
    return *start != 0;
}

// Creates a file with a new name beside the target. Returns the open file, or -1. Nobody else may read it yet if it
// will replace another, see keep_permissions.
static int create_beside(const char *target, const char *ending, char *beside, size_t capacity)
{
    char host[HOST_BYTES];
    struct stat info = { 0 };
    const mode_t mode = stat(target, &info) == 0 ? 0600 : 0666;
    unsigned long long start;
    bool is_zombie;
    const char *name = sni_last_name(target);
    const uint32_t hash = sni_hash(name, strlen(name));
    read_host(host);
    read_start((long)getpid(), &start, &is_zombie);
    for (unsigned attempt = 0; attempt < PART_ATTEMPTS; attempt++) {
        int size = snprintf(beside, capacity, "%.*s.sinew-%s-%ld-%llu-%08x-%u%s", (int)(name - target), target, host,
                            (long)getpid(), start, hash, attempt, ending);
        if (size < 0 || (size_t)size >= capacity) {
            errno = ENAMETOOLONG;
            return -1;
        }
        const int created = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode), file = leave_standard(created);
        if (created >= 0 && file < 0) unlink(beside);
        if (created >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

typedef struct part_name {
    char host[HOST_BYTES];
    long process;
    unsigned long long start;
    bool is_journal;
} part_name;

// The text before the last '-', which is cut off; NULL: there is none.
static const char *cut_last(char *text)
{
    char *dash = strrchr(text, '-');
    if (dash) *dash = 0;
    return dash ? dash + 1 : NULL;
}

static bool parse_part_name(const char *name, part_name *part)
{
    static const char begin[] = ".sinew-";
    char text[256];
    size_t size = strlen(name), head = sizeof begin - 1;
    part->is_journal = size > strlen(SNI_JOURNAL) && strcmp(name + size - strlen(SNI_JOURNAL), SNI_JOURNAL) == 0;
    const char *ending = part->is_journal ? SNI_JOURNAL : SNI_PART;
    if (size >= sizeof text || size < head + strlen(ending) || strncmp(name, begin, head) != 0) return false;
    size -= strlen(ending);
    if (strcmp(name + size, ending) != 0) return false;
    memcpy(text, name + head, size - head);
    text[size - head] = 0;
    const char *attempt = cut_last(text), *hash = cut_last(text), *start = cut_last(text), *process = cut_last(text);
    if (!attempt || !hash || !start || !process || strlen(text) >= HOST_BYTES) return false;
    if (!text[0] || strspn(attempt, "0123456789") != strlen(attempt) || strlen(hash) != 8) return false;
    if (strspn(start, "0123456789") != strlen(start) || strspn(process, "0123456789") != strlen(process)) return false;
    memcpy(part->host, text, strlen(text) + 1);
    part->process = strtol(process, NULL, 10);
    part->start = strtoull(start, NULL, 10);
    return part->process > 0;
}

// A process is gone when its number is free, or belongs to one that began at another time.
static bool is_writer_gone(const part_name *part, const struct stat *info)
{
    char host[HOST_BYTES];
    unsigned long long start;
    bool is_zombie = false;
    read_host(host);
    if (strcmp(host, part->host) != 0) return time(NULL) - info->st_mtime > FOREIGN_SECONDS;
    if (kill((pid_t)part->process, 0) != 0 && errno == ESRCH) return true;
    return read_start(part->process, &start, &is_zombie) && part->start && (is_zombie || start != part->start);
}

// Locks fail where the file system has none; then the writer's death is all there is to know.
static void visit_left(DIR *open_folder, const char *name, void (*journal)(void *, sni_bytes), void *user)
{
    uint8_t head[PART_HEAD];
    part_name part;
    struct stat info = { 0 };
    if (!parse_part_name(name, &part) || fstatat(dirfd(open_folder), name, &info, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (!S_ISREG(info.st_mode) || !is_writer_gone(&part, &info)) return;
    int file = openat(dirfd(open_folder), name, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) return;
    if (flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
        ssize_t size = part.is_journal ? read_fully(file, head, sizeof head) : 0;
        if (size > 0) journal(user, (sni_bytes){ head, (size_t)size });
        unlinkat(dirfd(open_folder), name, 0);
    }
    close(file);
}

void sni_folder_clean(const char *folder, void (*journal)(void *user, sni_bytes content), void *user)
{
    DIR *open_folder = opendir(folder[0] ? folder : ".");
    if (!open_folder) return;
    for (struct dirent *entry; (entry = readdir(open_folder));)
        if (entry->d_name[0] == '.') visit_left(open_folder, entry->d_name, journal, user);
    closedir(open_folder);
}

// Waits while another process or thread has it, for seconds at most.
bool sni_folder_lock(const char *folder, int *lock, sni_diag *diag)
{
    const struct timespec pause = { 0, 2000000 };
    *lock = open(folder[0] ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0) return true;  // writing into it shows what is wrong
    for (int attempt = 0; flock(*lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; attempt++) {
        if (attempt == 15000) {
            sni_folder_unlock(lock);
            return sni_fail(diag, SN_ERR_IO, 0, "cannot write: another process has locked the folder for 30 s");
        }
        nanosleep(&pause, NULL);
    }
    return true;
}

void sni_folder_unlock(int *lock)
{
    if (*lock >= 0) flock(*lock, LOCK_UN), close(*lock);  // a forked process may have it too
    *lock = -1;
}

static bool write_into(const char *path, const void *data, size_t size, sni_diag *diag)
{
    int file = leave_standard(open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY));
    if (file < 0) return fail_errno(diag, "cannot open");
    bool is_whole = write_fully(file, data, size) || fail_errno(diag, "cannot write");
    close(file);
    return is_whole;
}

bool sni_file_stage(const char *target, const char *ending, const void *data, size_t size, sni_staged *staged,
                    sni_diag *diag)
{
    staged->file = create_beside(target, ending, staged->path, sizeof staged->path);
    if (staged->file < 0) {
        staged->path[0] = 0;
        return fail_errno(diag, "cannot create");
    }
    flock(staged->file, LOCK_EX | LOCK_NB);
    if (write_fully(staged->file, data, size)) return true;
    int reason = errno;
    sni_file_discard(staged);
    errno = reason;
    return fail_errno(diag, "cannot write");
}

// A file that replaces another has its permissions, and its owner where that is possible. Some file systems have
// neither.
static void keep_permissions(int file, const char *target)
{
    struct stat old = { 0 };
    if (stat(target, &old) != 0 || !S_ISREG(old.st_mode)) return;
    const bool has_owner = fchown(file, old.st_uid, old.st_gid) == 0;
    (void)has_owner;
    fchmod(file, old.st_mode & 0777);
}

// The lock ends with the file, which is closed under its new name; some file systems report a full disk only then.
bool sni_file_commit(sni_staged *staged, const char *target, sni_diag *diag)
{
    int copy = fcntl(staged->file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), file = staged->file;
    staged->file = copy;
    keep_permissions(file, target);
    bool is_moved = close(file) == 0 && rename(staged->path, target) == 0;
    if (!is_moved) fail_errno(diag, "cannot write");
    else staged->path[0] = 0;
    sni_file_discard(staged);
    return is_moved;
}

void sni_file_discard(sni_staged *staged)
{
    if (staged->path[0]) unlink(staged->path);
    if (staged->file >= 0) close(staged->file);
    staged->path[0] = 0;
    staged->file = -1;
}

bool sni_file_exists(const char *path)
{
    struct stat info = { 0 };
    return lstat(path, &info) == 0;
}

void sni_file_remove(const char *path) { unlink(path); }

// Calls `chunk` for each 64 KiB of a regular file, without memory of the heap. False: it is none, or cannot be read.
static bool read_chunks(const char *path, void (*chunk)(void *user, const uint8_t *data, size_t size), void *user)
{
    uint8_t data[SNI_CHUNK_BYTES];
    struct stat info = { 0 };
    ssize_t size = -1;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0) return false;
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode))
        while ((size = read_fully(file, data, sizeof data)) > 0) chunk(user, data, (size_t)size);
    close(file);
    return size == 0;
}

static void hash_chunk(void *user, const uint8_t *data, size_t size)
{
    sni_content *content = user;
    uint64_t hash = sni_hash_mix(content->hash, size);
    size_t at = 0;
    for (; size - at >= 8; at += 8) hash = sni_hash_mix(hash, sni_load_eight((const char *)data + at));
    for (; at < size; at++) hash = sni_hash_mix(hash, data[at]);
    content->hash = (uint32_t)(sni_hash_mix(hash, 0) >> 32);
    content->size += size;
}

bool sni_file_identify(const char *path, sni_content *content)
{
    *content = (sni_content){ 0 };
    return read_chunks(path, hash_chunk, content);
}

sni_content sni_content_of(const void *data, size_t size)
{
    sni_content content = { 0 };
    for (size_t at = 0; at < size; at += SNI_CHUNK_BYTES)
        hash_chunk(&content, (const uint8_t *)data + at, size - at < SNI_CHUNK_BYTES ? size - at : SNI_CHUNK_BYTES);
    return content;
}

typedef struct comparison {
    const uint8_t *data;
    size_t size, at;
    bool is_equal;
} comparison;

static void compare_chunk(void *user, const uint8_t *data, size_t size)
{
    comparison *c = user;
    c->is_equal = c->is_equal && size <= c->size - c->at && memcmp(c->data + c->at, data, size) == 0;
    if (c->is_equal) c->at += size;
}

bool sni_file_holds(const char *path, const void *data, size_t size)
{
    comparison c = { .data = data, .size = size, .is_equal = true };
    return read_chunks(path, compare_chunk, &c) && c.is_equal && c.at == size;
}

// The text may begin in one chunk and end in the next: a state says how much of it the bytes so far end with.
typedef struct text_search {
    const char *text;
    size_t size, matched;
} text_search;

static void search_chunk(void *user, const uint8_t *data, size_t size)
{
    text_search *s = user;
    for (size_t i = 0; i < size && s->matched < s->size; i++) {
        if ((char)data[i] == s->text[s->matched]) s->matched++;
        else s->matched = (char)data[i] == s->text[0];  // nothing inside the text is like its first character
    }
}

bool sni_file_quotes(const char *path, const char *text)
{
    char quoted[1024];
    struct stat info = { 0 };
    int size = snprintf(quoted, sizeof quoted, "\"%s\"", text);
    text_search s = { quoted, (size_t)size, 0 };
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return false;
    if (size < 0 || (size_t)size >= sizeof quoted) return true;
    return !read_chunks(path, search_chunk, &s) || s.matched == s.size;
}

bool sni_file_is_stream(const char *path)
{
    struct stat info = { 0 };
    return strcmp(path, "-") == 0 || (stat(path, &info) == 0 && !S_ISREG(info.st_mode));
}

bool sni_file_write(const char *path, const void *data, size_t size, sni_diag *diag)
{
    sni_staged staged;
    if (strcmp(path, "-") == 0) return write_fully(STDOUT_FILENO, data, size) || fail_errno(diag, "cannot write");
    if (sni_file_is_stream(path)) return write_into(path, data, size, diag);
    return sni_file_stage(path, SNI_PART, data, size, &staged, diag) && sni_file_commit(&staged, path, diag);
}

bool sni_folder_exists(const char *folder, sni_diag *diag)
{
    struct stat info = { 0 };
    if (stat(folder, &info) != 0) return fail_errno(diag, "cannot open the folder");
    return S_ISDIR(info.st_mode) || sni_fail(diag, SN_ERR_IO, 0, "is not a folder");
}

// Another process may create the same folder at the same time.
static bool make_folder(const char *path)
{
    struct stat info = { 0 };
    if (mkdir(path, 0777) == 0) return true;
    int reason = errno;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) return true;
    errno = reason == EEXIST ? ENOTDIR : reason;
    return false;
}

bool sni_file_make_folders(const char *folder, sni_diag *diag)
{
    char path[PATH_MAX];
    size_t size = strlen(folder);
    if (size >= sizeof path) {
        errno = ENAMETOOLONG;
        return fail_errno(diag, "cannot create the folder");
    }
    memcpy(path, folder, size + 1);
    for (size_t at = 1; at <= size; at++) {
        if (path[at] != '/' && path[at] != 0) continue;
        char after = path[at];
        path[at] = 0;
        if (size > 0 && !make_folder(path)) return fail_errno(diag, "cannot create the folder");
        path[at] = after;
    }
    return true;
}

typedef enum entry_kind { ENTRY_OTHER, ENTRY_FILE, ENTRY_LINK, ENTRY_FOLDER } entry_kind;

// Only folders themselves count as folders: a link to one could lead back up, round and round.
static entry_kind ask_kind(DIR *open_folder, const char *name)
{
    struct stat info = { 0 };
    if (fstatat(dirfd(open_folder), name, &info, AT_SYMLINK_NOFOLLOW) != 0) return ENTRY_OTHER;  // gone meanwhile
    if (S_ISDIR(info.st_mode)) return ENTRY_FOLDER;
    if (S_ISREG(info.st_mode)) return ENTRY_FILE;
    bool is_found = S_ISLNK(info.st_mode) && fstatat(dirfd(open_folder), name, &info, 0) == 0;
    return is_found && S_ISREG(info.st_mode) ? ENTRY_LINK : ENTRY_OTHER;
}

static entry_kind kind_of(DIR *open_folder, const struct dirent *entry)
{
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) return ENTRY_OTHER;
#ifdef DT_REG
    if (entry->d_type == DT_REG) return ENTRY_FILE;
    if (entry->d_type == DT_DIR) return ENTRY_FOLDER;
    if (entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN) return ENTRY_OTHER;
#endif
    return ask_kind(open_folder, entry->d_name);
}

static bool push_entry(DIR *open_folder, const struct dirent *item, sni_arena *arena, sni_list *entries)
{
    entry_kind kind = kind_of(open_folder, item);
    if (kind == ENTRY_OTHER) return true;
    sni_folder_entry *entry = sni_push(arena, entries, sni_folder_entry);
    char *copy = sni_copy_text(arena, item->d_name, strlen(item->d_name));
    if (!entry || !copy) return false;
    *entry = (sni_folder_entry){ copy, kind == ENTRY_FOLDER, kind == ENTRY_LINK };
    return true;
}

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const sni_folder_entry *)a)->name, ((const sni_folder_entry *)b)->name);
}

void sni_folder_sort(sni_folder_entry *entries, uint32_t count)
{
    if (count > 1) qsort(entries, count, sizeof *entries, compare_entries);
}

bool sni_folder_read(const char *folder, uint32_t limit, sni_arena *arena, sni_diag *diag, sni_list *entries)
{
    *entries = (sni_list){ 0 };
    DIR *open_folder = opendir(folder);
    if (!open_folder) return fail_errno(diag, "cannot open the folder");
    bool is_listed = true;
    struct dirent *entry;
    while (is_listed && (errno = 0, entry = readdir(open_folder))) {
        is_listed = push_entry(open_folder, entry, arena, entries);
        if (is_listed && entries->count > limit)
            is_listed = sni_fail(diag, SN_ERR_LIMIT, 0, "the folder has more than %u entries", limit);
    }
    if (is_listed && errno != 0) is_listed = fail_errno(diag, "cannot read the folder");
    closedir(open_folder);
    return is_listed;  // otherwise the last entry may have no name
}

bool sni_folder_list(const char *folder, uint32_t limit, sni_arena *arena, sni_diag *diag, sni_list *entries)
{
    if (!sni_folder_read(folder, limit, arena, diag, entries)) return false;
    sni_folder_sort(entries->items, entries->count);
    return true;
}

sni_owned *sni_owned_begin(const sn_allocator *allocator, uint64_t limit, sn_bytes *bytes, sn_error *error)
{
    sni_heap heap;
    *bytes = (sn_bytes){ 0 };
    sni_heap_init(&heap, allocator, limit);
    sni_owned *owned = sni_heap_alloc(&heap, sizeof *owned);
    if (!owned) {
        if (error) *error = (sn_error){ .status = SN_ERR_MEMORY, .message = "out of memory" };
        return NULL;
    }
    owned->heap = heap;
    owned->heap.diag = &owned->diag;
    sni_arena_init(&owned->arena, &owned->heap);
    sni_diag_init(&owned->diag, NULL);
    return owned;
}

sn_status sni_owned_end(sni_owned *owned, bool is_good, sni_bytes content, sn_bytes *bytes, sn_error *error)
{
    is_good = is_good && !sni_failed(&owned->diag);
    if (!is_good && !sni_failed(&owned->diag)) sni_fail(&owned->diag, SN_ERR_MEMORY, 0, "out of memory");
    sn_status status = is_good ? SN_OK : owned->diag.error.status;
    if (error) *error = owned->diag.error;
    *bytes = (sn_bytes){ content.data, content.size, owned };
    if (!is_good) sn_bytes_free(bytes);
    return status;
}

void sn_bytes_free(sn_bytes *bytes)
{
    sni_owned *owned = bytes->owner;
    *bytes = (sn_bytes){ 0 };
    if (!owned) return;
    sni_heap heap = owned->heap;
    owned->arena.heap = &heap;
    sni_arena_free(&owned->arena);
    sni_heap_free(&heap, owned, sizeof *owned);
}
