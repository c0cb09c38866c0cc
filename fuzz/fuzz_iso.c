// Any bytes as a disc image: the first 190 are those of the descriptor that matter. Then sectors, from the 18th on:
// half of the size of what is written of each, and that.
//
//     build/asan/fuzz_iso -max_len=2048 CORPUS fuzz/seeds/iso
#include <fcntl.h>

#include "fuzz_archive.h"

enum { SECTOR = 2048, HEAD = 190, FIRST = 18 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    size_t head = size < HEAD ? size : HEAD, sector = FIRST;
    if (!path[0]) snprintf(path, sizeof path, "/tmp/sinew_fuzz_%ld.iso", (long)getpid());
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || pwrite(file, data, head, 16 * SECTOR) != (ssize_t)head) abort();
    for (size_t at = head; at < size; sector++) {
        size_t count = 2 * (size_t)data[at++];
        if (count > size - at) count = size - at;
        if (pwrite(file, data + at, count, (off_t)(sector * SECTOR)) != (ssize_t)count) abort();
        at += count;
    }
    if (ftruncate(file, (off_t)(sector * SECTOR)) != 0 || close(file) != 0) abort();
    open_and_read(path, sector * SECTOR, (const char *const[]){ NULL });
    unlink(path);
    return 0;
}
