// Any bytes as a BIG archive on disk: opened, listed, every file of it read.
//
//     build/asan/fuzz_big -max_len=4096 CORPUS
#include "fuzz_archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    if (!path[0]) snprintf(path, sizeof path, "/tmp/sinew_fuzz_%ld.big", (long)getpid());
    write_file(path, data, size);
    open_and_read(path, size, (const char *const[]){ NULL });
    unlink(path);
    return 0;
}
