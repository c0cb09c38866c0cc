// Any bytes: decode, check every promise, and once more with options taken from the last byte.
//
//     cmake --preset asan && cmake --build --preset asan
//     build/asan/fuzz_image -dict=fuzz/image.dict -max_len=16384 CORPUS fuzz/seeds/image
#include "check_pixels.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    counting_heap heap = { 0 }, again = { 0 };
    sn_status status;
    check_decode(data, size, 0, &heap, &status);
    check_decode(data, size, size ? data[size - 1] & 15 : 0, &again, &status);
    return 0;
}
