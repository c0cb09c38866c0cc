// Any bytes as an archive of pictures: read, written again (the same bytes) and located; then a model shows them.
//
//     build/fuzz/fuzz_img -max_len=16384 CORPUS fuzz/seeds/img samples tests/regress
#include "fuzz_cloud.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_level5_rewrites(LEVEL5_KIND_IMG, data, size);
    fuzz_cloud_load(data, size, "img");
    return 0;
}
