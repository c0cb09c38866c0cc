#define _DEFAULT_SOURCE  // d_type: what an entry is, without asking for each
#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail_errno(sni_diag *diag, const char *what)
{
    return sni_fail(diag, SN_ERR_IO, 0, "%s: %s", what, strerror(errno));
}

static bool fail_too_large(sni_diag *diag, uint64_t limit)
{
    return sni_fail(diag, SN_ERR_LIMIT, 0, "the file is larger than the limit of %llu bytes",
                    (unsigned long long)limit);
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
    struct stat info;
    if (fstat(file, &info) != 0) return fail_errno(diag, "cannot read");
    if (S_ISDIR(info.st_mode)) return sni_fail(diag, SN_ERR_IO, 0, "is a folder, not a file");
    if (!S_ISREG(info.st_mode) || info.st_size == 0) return read_stream(file, limit, arena, diag, bytes);
    if ((uint64_t)info.st_size > limit) return fail_too_large(diag, limit);
    return read_sized(file, (uint64_t)info.st_size, arena, diag, bytes);
}

bool sni_file_size(const char *path, uint64_t *size, sni_diag *diag)
{
    struct stat info;
    if (stat(path, &info) != 0) return fail_errno(diag, "cannot open");
    if (!S_ISREG(info.st_mode)) return sni_fail(diag, SN_ERR_IO, 0, "is not a regular file");
    *size = (uint64_t)info.st_size;
    return true;
}

bool sni_file_read(const char *path, uint64_t limit, sni_arena *arena, sni_diag *diag, sni_bytes *bytes)
{
    *bytes = (sni_bytes){ (const uint8_t *)"", 0 };
    int file = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    bool is_read = file >= 0 ? read_open(file, limit, arena, diag, bytes) : fail_errno(diag, "cannot open");
    if (file > STDIN_FILENO) close(file);
    return is_read;
}

static bool read_part(int file, uint64_t offset, uint64_t size, sni_arena *arena, sni_diag *diag, sni_bytes *bytes)
{
    struct stat info;
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

bool sni_file_map(const char *path, uint64_t limit, sni_bytes *bytes)
{
    struct stat info;
    void *at = MAP_FAILED;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (file < 0) return false;
    bool is_mappable = fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
                       (uint64_t)info.st_size <= limit;
    if (is_mappable) at = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (at == MAP_FAILED) return false;
    *bytes = (sni_bytes){ at, (size_t)info.st_size };
    return true;
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

// Creates a file with a new name beside the target. Returns the open file, or -1.
static int create_beside(const char *path, char *beside, size_t capacity)
{
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        int size = snprintf(beside, capacity, "%s.%ld-%u.part", path, (long)getpid(), attempt);
        if (size < 0 || (size_t)size >= capacity) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

static bool write_into(const char *path, const void *data, size_t size, sni_diag *diag)
{
    int file = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (file < 0) return fail_errno(diag, "cannot open");
    bool is_whole = write_fully(file, data, size) || fail_errno(diag, "cannot write");
    close(file);
    return is_whole;
}

bool sni_file_stage(const char *path, const void *data, size_t size, char *staged, size_t capacity, sni_diag *diag)
{
    int file = create_beside(path, staged, capacity);
    if (file < 0) {
        staged[0] = 0;
        return fail_errno(diag, "cannot create");
    }
    bool is_whole = write_fully(file, data, size);
    int reason = errno;
    if (close(file) != 0 && is_whole) {
        is_whole = false;
        reason = errno;
    }
    if (is_whole) return true;
    sni_file_discard(staged);
    errno = reason;
    return fail_errno(diag, "cannot write");
}

bool sni_file_commit(char *staged, const char *path, sni_diag *diag)
{
    bool is_moved = rename(staged, path) == 0 || fail_errno(diag, "cannot write");
    if (is_moved) staged[0] = 0;
    else sni_file_discard(staged);
    return is_moved;
}

void sni_file_discard(char *staged)
{
    if (staged[0]) unlink(staged);
    staged[0] = 0;
}

// A hard link, so that the file is there all the time; where the file system has none the file is moved.
bool sni_file_set_aside(const char *path, char *aside, size_t capacity, sni_diag *diag)
{
    struct stat info;
    int reason = ENAMETOOLONG;
    aside[0] = 0;
    if (lstat(path, &info) != 0) return true;
    if (S_ISDIR(info.st_mode)) return sni_fail(diag, SN_ERR_IO, 0, "cannot write: is a folder");
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        int size = snprintf(aside, capacity, "%s.%ld-%u.old", path, (long)getpid(), attempt);
        if (size < 0 || (size_t)size >= capacity) break;
        if (link(path, aside) == 0) return true;
        reason = errno;
        if (reason == EEXIST) continue;
        if (reason != ENOENT && lstat(aside, &info) != 0 && rename(path, aside) == 0) return true;
        break;
    }
    aside[0] = 0;
    errno = reason;
    return fail_errno(diag, "cannot write");
}

void sni_file_restore(char *aside, const char *path, bool was_replaced)
{
    if (aside[0]) rename(aside, path);
    else if (was_replaced) unlink(path);
    sni_file_discard(aside);  // two names of one file: renaming one to the other does nothing
}

bool sni_file_is_stream(const char *path)
{
    struct stat info;
    return strcmp(path, "-") == 0 || (stat(path, &info) == 0 && !S_ISREG(info.st_mode));
}

bool sni_file_write(const char *path, const void *data, size_t size, sni_diag *diag)
{
    char staged[PATH_MAX];
    if (strcmp(path, "-") == 0) return write_fully(STDOUT_FILENO, data, size) || fail_errno(diag, "cannot write");
    if (sni_file_is_stream(path)) return write_into(path, data, size, diag);
    return sni_file_stage(path, data, size, staged, sizeof staged, diag) && sni_file_commit(staged, path, diag);
}

bool sni_folder_exists(const char *folder, sni_diag *diag)
{
    struct stat info;
    if (stat(folder, &info) != 0) return fail_errno(diag, "cannot open the folder");
    return S_ISDIR(info.st_mode) || sni_fail(diag, SN_ERR_IO, 0, "is not a folder");
}

// Another process may create the same folder at the same time.
static bool make_folder(const char *path)
{
    struct stat info;
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
    struct stat info;
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

bool sni_folder_list(const char *folder, uint32_t limit, sni_arena *arena, sni_diag *diag, sni_list *entries)
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
    if (!is_listed) return false;  // the last entry may have no name
    if (entries->count > 1) qsort(entries->items, entries->count, sizeof(sni_folder_entry), compare_entries);
    return true;
}

bool sni_ref_find(const char *folder, const char *ref, char *path, size_t capacity)
{
    char joined[PATH_MAX], root[PATH_MAX], target[PATH_MAX];
    if (!folder[0]) folder = ".";
    int size = snprintf(joined, sizeof joined, "%s/%s", folder, ref);
    if (size < 0 || (size_t)size >= sizeof joined) return false;
    if (!realpath(folder, root) || !realpath(joined, target)) return false;
    size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
    struct stat info;
    if (strncmp(root, target, length) != 0 || target[length] != '/' || strlen(target) >= capacity) return false;
    if (stat(target, &info) != 0 || !S_ISREG(info.st_mode)) return false;
    memcpy(path, target, strlen(target) + 1);
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
