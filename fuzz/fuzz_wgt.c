// Fuzzes WGT files: parse, write back (same bytes), locate; then load a model with them, by the rules of each game.
//
//     build/asan/fuzz_wgt -max_len=16384 CORPUS fuzz/seeds/wgt samples tests/regress
#include "fuzz_level5.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_level5_rewrites(LEVEL5_KIND_TRACKS, data, size);
    fuzz_level5_load(data, size, "wgt");
    return 0;
}
