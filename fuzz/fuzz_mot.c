// Any bytes as a MOT: read, written again (the same bytes) and located; then they move a model.
//
//     build/fuzz/fuzz_mot -max_len=16384 CORPUS fuzz/seeds/mot samples tests/regress
#include "fuzz_cloud.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_level5_rewrites(LEVEL5_KIND_TRACKS, data, size);
    fuzz_cloud_load(data, size, "mot");
    return 0;
}
