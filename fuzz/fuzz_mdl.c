// MDL: what can be read is written as text that says the same; then all that any model goes through.
//
//     build/asan/fuzz_mdl -dict=fuzz/mdl.dict -max_len=16384 CORPUS fuzz/seeds/mdl samples tests/regress
#include "check_mdl.h"
#include "fuzz_load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool is_binary = size >= 4 && (memcmp(data, "MDLX", 4) == 0 || memcmp(data, "glTF", 4) == 0);
    if (is_binary || size == 0) return 0;
    check_mdl_rewrites(data, size);
    fuzz_load(data, size, size & 1);
    return 0;
}
