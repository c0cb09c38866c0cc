// Fuzzes configurations: parse, write back (same bytes), locate; then load the model that they describe.
//
//     build/asan/fuzz_cfg -max_len=16384 CORPUS fuzz/seeds/cfg samples tests/regress
#include "fuzz_level5.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_level5_rewrites(LEVEL5_KIND_CONFIG, data, size);
    fuzz_level5_load_named(data, size, "info.cfg");
    return 0;
}
