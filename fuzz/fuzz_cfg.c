// Any bytes as a configuration: read, written again (the same bytes) and located; then it says which files make a
// model.
//
//     build/fuzz/fuzz_cfg -max_len=16384 CORPUS fuzz/seeds/cfg samples tests/regress
#include "fuzz_cloud.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_level5_rewrites(LEVEL5_KIND_CONFIG, data, size);
    fuzz_cloud_load_named(data, size, "info.cfg");
    return 0;
}
