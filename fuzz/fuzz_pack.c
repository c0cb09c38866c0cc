// Any bytes as a pack: read, written again (the same bytes) and located; then opened as a model.
//
//     build/fuzz/fuzz_pack -max_len=16384 CORPUS fuzz/seeds/pack samples tests/regress
#include "fuzz_cloud.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_level5_rewrites(LEVEL5_KIND_PACK, data, size);
    fuzz_cloud_load_named(data, size, "arm.chr");
    return 0;
}
