#define _GNU_SOURCE  // O_PATH
#include "io/root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A folder that is only passed through need not be readable.
#if defined(O_PATH)
enum { PASS_THROUGH = O_PATH | O_DIRECTORY | O_CLOEXEC };
#else
enum { PASS_THROUGH = O_RDONLY | O_DIRECTORY | O_CLOEXEC };
#endif

void sni_root_init(sni_root *root, const char *folder)
{
    root->folder = folder[0] ? folder : ".";
    root->file = root->below = -1;
    root->is_opened = root->is_below_link = false;
    root->real[0] = root->below_path[0] = 0;
}

void sni_root_close(sni_root *root)
{
    if (root->below >= 0) close(root->below);
    if (root->file >= 0) close(root->file);
    root->file = root->below = -1;
}

typedef enum ref_state { REF_NONE, REF_FOUND, REF_LINK } ref_state;

// Opens a folder part by part. REF_LINK: a link is on the way, or something that only realpath understands.
static ref_state open_parts(int top, const char *path, size_t size, int *folder)
{
    int at = top;
    ref_state state = REF_FOUND;
    for (size_t start = 0; state == REF_FOUND && start < size;) {
        char name[NAME_MAX + 1];
        struct stat info = { 0 };
        size_t end = start;
        while (end < size && path[end] != '/') end++;
        if (end - start >= sizeof name) return at != top ? close(at), REF_NONE : REF_NONE;
        memcpy(name, path + start, end - start);
        name[end - start] = 0;
        start = end + 1;
        const bool is_plain = name[0] && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
        int next = is_plain ? openat(at, name, PASS_THROUGH | O_NOFOLLOW) : -1;
        if (!is_plain) state = REF_LINK;
        else if (next < 0) {
            const bool is_there = (errno == ENOTDIR || errno == ELOOP || errno == EMLINK) &&
                                  fstatat(at, name, &info, AT_SYMLINK_NOFOLLOW) == 0;
            state = is_there && S_ISLNK(info.st_mode) ? REF_LINK : REF_NONE;
        }
        if (at != top) close(at);
        at = next;
    }
    *folder = at;
    return state;
}

// The folder of a file below the root. Models refer to many files in one folder: the last one stays open, and of one
// that is not there that is remembered.
static ref_state open_below(sni_root *root, const char *path, size_t size, int *folder)
{
    *folder = root->file;
    if (size == 0) return REF_FOUND;
    const bool is_short = size < sizeof root->below_path;
    if (!is_short || strncmp(root->below_path, path, size) != 0 || root->below_path[size]) {
        if (root->below >= 0) close(root->below);
        root->below = -1;
        root->is_below_link = open_parts(root->file, path, size, &root->below) == REF_LINK;
        if (is_short) memcpy(root->below_path, path, size);
        root->below_path[is_short ? size : 0] = 0;
    }
    *folder = root->below;
    return root->below >= 0 ? REF_FOUND : root->is_below_link ? REF_LINK : REF_NONE;
}

// A regular file by a path without links. `file`, which may be NULL, gets it open for reading, or what errno says of
// that, negative.
static ref_state find_plain(sni_root *root, const char *path, int *file)
{
    struct stat info = { 0 };
    const char *name = sni_last_name(path);
    int folder;
    ref_state state = open_below(root, path, name > path ? (size_t)(name - path) - 1 : 0, &folder);
    if (state != REF_FOUND) return state;
    if (!name[0] || fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return REF_NONE;
    if (!S_ISREG(info.st_mode)) return S_ISLNK(info.st_mode) ? REF_LINK : REF_NONE;
    if (!file) return REF_FOUND;
    *file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
    if (*file < 0) *file = -errno;
    return REF_FOUND;
}

// realpath failed: there is no such file, unless memory ran out.
static bool fail_without_memory(sni_diag *diag)
{
    return errno == ENOMEM ? sni_fail(diag, SN_ERR_MEMORY, 0, "cannot find a file: %s", strerror(errno)) : false;
}

static bool find_real(sni_root *root, sni_diag *diag)
{
    if (root->real[0] || realpath(root->folder, root->real)) return true;
    root->real[0] = 0;
    return fail_without_memory(diag);
}

// What a path is below the root when its links are followed; NULL: it leads out, or nowhere.
static const char *follow_links(sni_root *root, const char *folder, const char *ref, char target[PATH_MAX],
                                sni_diag *diag)
{
    char joined[PATH_MAX];
    int size = snprintf(joined, sizeof joined, "%s/%s", folder[0] ? folder : ".", ref);
    if (size < 0 || (size_t)size >= sizeof joined || !find_real(root, diag)) return NULL;
    if (!realpath(joined, target)) {
        fail_without_memory(diag);
        return NULL;
    }
    size_t length = strcmp(root->real, "/") == 0 ? 0 : strlen(root->real);
    return strncmp(root->real, target, length) == 0 && target[length] == '/' ? target + length + 1 : NULL;
}

bool sni_root_find_from(sni_root *root, const char *folder, const char *ref, int *file, char *path, size_t capacity,
                        sni_diag *diag)
{
    char target[PATH_MAX];
    const char *below = ref;
    if (!root->is_opened) root->file = open(root->folder, PASS_THROUGH);
    root->is_opened = true;
    if (root->file < 0) return false;
    int ignored = -1, *opened = file ? file : &ignored;
    ref_state state = folder ? REF_LINK : find_plain(root, ref, file);
    if (state == REF_LINK) {
        below = follow_links(root, folder ? folder : root->folder, ref, target, diag);
        state = below ? find_plain(root, below, file) : REF_NONE;
    }
    if (state != REF_FOUND) return false;  // a link that another process has made meanwhile, too
    int size = find_real(root, diag)
                   ? snprintf(path, capacity, "%s/%s", strcmp(root->real, "/") == 0 ? "" : root->real, below)
                   : -1;
    if (size >= 0 && (size_t)size < capacity) return true;
    if (*opened >= 0) close(*opened);
    return false;
}

bool sni_root_find(sni_root *root, const char *ref, int *file, char *path, size_t capacity, sni_diag *diag)
{
    return sni_root_find_from(root, NULL, ref, file, path, capacity, diag);
}

bool sni_ref_find(const char *folder, const char *ref, char *path, size_t capacity, sni_diag *diag)
{
    sni_root root;
    sni_root_init(&root, folder);
    bool is_found = sni_root_find(&root, ref, NULL, path, capacity, diag);
    sni_root_close(&root);
    return is_found;
}
