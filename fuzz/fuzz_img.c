// Fuzzes image archives: parse, write back (same bytes), locate; then load a model with them.
//
//     build/asan/fuzz_img -max_len=16384 CORPUS fuzz/seeds/img samples tests/regress
#include "fuzz_level5.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_level5_rewrites(LEVEL5_KIND_IMG, data, size);
    fuzz_level5_load(data, size, "img");
    return 0;
}
