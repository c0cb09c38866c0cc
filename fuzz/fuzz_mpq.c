// Any bytes as an MPQ archive on disk: opened, listed, every file of it read. The tables are encrypted first, so that
// changed bytes reach what is behind the encryption.
//
//     build/asan/fuzz_mpq -max_len=4096 CORPUS fuzz/seeds/mpq
#include "fuzz_archive.h"
#include "mpq.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const unlisted[] = { "a/secret", "encrypted", "(listfile)", NULL };
    static char path[64];
    if (!path[0]) snprintf(path, sizeof path, "/tmp/sinew_fuzz_%ld.mpq", (long)getpid());
    uint8_t *copy = malloc(size + 1);
    if (!copy) abort();
    if (size > 0) memcpy(copy, data, size);
    mpq_crypt_tables(copy, size, true);
    write_file(path, copy, size);
    free(copy);
    open_and_read(path, size, unlisted);
    unlink(path);
    return 0;
}
