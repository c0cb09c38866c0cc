// Any bytes as a configuration: read, written again (the same bytes) and located.
//
//     build/fuzz/fuzz_cfg -max_len=16384 CORPUS fuzz/seeds/cfg samples tests/regress
#include "fuzz_main.h"

#include "check_level5.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_level5_rewrites(L5_KIND_CONFIG, data, size);
    return 0;
}
