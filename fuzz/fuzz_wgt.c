// Any bytes as a WGT: read, written again (the same bytes) and located; then they bend a model, by either game's rules.
//
//     build/fuzz/fuzz_wgt -max_len=16384 CORPUS fuzz/seeds/wgt samples tests/regress
#include "fuzz_cloud.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_level5_rewrites(LEVEL5_KIND_TRACKS, data, size);
    fuzz_cloud_load(data, size, "wgt");
    return 0;
}
