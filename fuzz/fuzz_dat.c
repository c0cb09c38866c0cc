// Any bytes as the index of a disc archive: the first two say which ending it has and how many sectors the data has.
//
//     build/asan/fuzz_dat -max_len=4096 CORPUS fuzz/seeds/dat
#include "fuzz_archive.h"

enum { SECTOR = 2048 };

static char folder[32];

static void remove_folder(void) { rmdir(folder); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const endings[] = { "hd2", "hd3", "hd4", "hd6", "hed", "idx" };
    static char path[64], data_path[64];
    if (size < 2) return 0;
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "/tmp/sinew_fuzz_dat_XXXXXX");
        if (!mkdtemp(folder) || atexit(remove_folder) != 0) abort();
        snprintf(data_path, sizeof data_path, "%s/D.DAT", folder);
    }
    snprintf(path, sizeof path, "%s/d.%s", folder, endings[(data[0] & 127) % 6]);
    write_file(path, data + 2, size - 2);
    write_file(data_path, NULL, 0);
    if (truncate(data_path, (off_t)data[1] * SECTOR) != 0) abort();
    open_and_read(data[0] & 128 ? data_path : path, size, (const char *const[]){ NULL });
    unlink(path), unlink(data_path);
    return 0;
}
