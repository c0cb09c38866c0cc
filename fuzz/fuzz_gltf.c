//     cmake --preset asan && cmake --build --preset asan
//     build/asan/fuzz_gltf -dict=fuzz/gltf.dict -max_len=16384 CORPUS samples tests/regress
#include "fuzz_load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_load(data, size, size & 1);
    return 0;
}
