// MDX: what can be read comes out byte for byte; then all that any model goes through.
//
//     build/asan/fuzz_mdx -dict=fuzz/mdx.dict -max_len=16384 CORPUS fuzz/seeds/mdx samples tests/regress
#include "check_mdx.h"
#include "fuzz_load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4 || memcmp(data, "MDLX", 4) != 0) return 0;
    check_mdx_rewrites(data, size, true);
    fuzz_load(data, size, size & 1);
    return 0;
}
