// Any bytes as an archive on disk: opened, listed, every file of it read. The first bytes choose the kind of archive;
// those that are none of the others are the index of a disc archive.
//
//     build/asan/fuzz_archive -max_len=16384 CORPUS fuzz/seeds/archive
#include <fcntl.h>

#include "fuzz_archive.h"
#include "mpq.h"

enum { SECTOR = 2048, ISO_HEAD = 190, ISO_FIRST = 18 };

static const char *const nothing[] = { NULL };
static char folder[32];

static void remove_folder(void) { rmdir(folder); }

static void path_of(const char *name, char path[64])
{
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "/tmp/sinew_fuzz_XXXXXX");
        if (!mkdtemp(folder) || atexit(remove_folder) != 0) abort();
    }
    snprintf(path, 64, "%s/%s", folder, name);
}

void fuzz_big(const uint8_t *data, size_t size)
{
    char path[64];
    path_of("a.big", path);
    write_file(path, data, size);
    open_and_read(path, size, nothing);
    unlink(path);
}

// The tables are encrypted first, so that changed bytes reach what is behind the encryption.
void fuzz_mpq(const uint8_t *data, size_t size)
{
    static const char *const unlisted[] = { "a/secret", "encrypted", "(listfile)", NULL };
    char path[64];
    path_of("a.mpq", path);
    uint8_t *copy = malloc(size + 1);
    if (!copy) abort();
    if (size > 0) memcpy(copy, data, size);
    mpq_crypt_tables(copy, size, true);
    write_file(path, copy, size);
    free(copy);
    open_and_read(path, size, unlisted);
    unlink(path);
}

// The first bytes are those of the descriptor that matter. Then sectors, from the 18th on: half of the size of what is
// written of each, and that.
void fuzz_iso(const uint8_t *data, size_t size)
{
    char path[64];
    size_t head = size < ISO_HEAD ? size : ISO_HEAD, sector = ISO_FIRST;
    path_of("a.iso", path);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || pwrite(file, data, head, 16 * SECTOR) != (ssize_t)head) abort();
    for (size_t at = head; at < size; sector++) {
        size_t count = 2 * (size_t)data[at++];
        if (count > size - at) count = size - at;
        if (pwrite(file, data + at, count, (off_t)(sector * SECTOR)) != (ssize_t)count) abort();
        at += count;
    }
    if (ftruncate(file, (off_t)(sector * SECTOR)) != 0 || close(file) != 0) abort();
    open_and_read(path, sector * SECTOR, nothing);
    unlink(path);
}

// The first two bytes give the ending of the index and the sectors of the data.
void fuzz_dat(const uint8_t *data, size_t size)
{
    static const char *const names[] = { "d.hd2", "d.hd3", "d.hd4", "d.hd6", "d.hed", "d.idx" };
    char path[64], data_path[64];
    if (size < 2) return;
    path_of(names[(data[0] & 127) % 6], path);
    path_of("D.DAT", data_path);
    write_file(path, data + 2, size - 2);
    write_file(data_path, NULL, 0);
    if (truncate(data_path, (off_t)data[1] * SECTOR) != 0) abort();
    open_and_read(data[0] & 128 ? data_path : path, size, nothing);
    unlink(path), unlink(data_path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= 3 && memcmp(data, "MPQ", 3) == 0) fuzz_mpq(data, size);
    else if (size >= 3 && memcmp(data, "BIG", 3) == 0) fuzz_big(data, size);
    else if (size >= 6 && memcmp(data + 1, "CD001", 5) == 0) fuzz_iso(data, size);
    else fuzz_dat(data, size);
    return 0;
}
