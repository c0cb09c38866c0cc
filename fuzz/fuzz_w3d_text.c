// W3D as text: what can be read is written as bytes and as text that say the same; then all that any model goes
// through.
//
//     build/asan/fuzz_w3d_text -dict=fuzz/w3d_text.dict -max_len=16384 CORPUS fuzz/seeds/w3d_text tests/sweep_samples
#include "check_w3d_text.h"
#include "fuzz_load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 5 || (data[0] != '{' && data[0] != ' ' && data[0] != '\n')) return 0;
    check_w3d_text(data, size);
    fuzz_load(data, size, size & 1);
    return 0;
}
