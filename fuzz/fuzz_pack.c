// Fuzzes packs: parse, write back (same bytes), locate; then load them as a model.
//
//     build/asan/fuzz_pack -max_len=16384 CORPUS fuzz/seeds/pack samples tests/regress
#include "fuzz_level5.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_level5_rewrites(LEVEL5_KIND_PACK, data, size);
    fuzz_level5_load_named(data, size, "arm.chr");
    return 0;
}
