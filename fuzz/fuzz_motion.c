// Any bytes as a motion of one model: load, sample, solve, read everything, save, load again.
//
//     cmake --preset asan && cmake --build --preset asan --target fuzz_motion
//     build/asan/fuzz_motion -max_len=16384 CORPUS fuzz/seeds/motion
#include "check_motion_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sn_model *model;  // reachable until the end
    counting_heap heap = { 0 };
    sn_status status;
    if (!model) model = motion_file_model();
    check_motion_file(model, data, size, &heap, &status);
    return 0;
}
