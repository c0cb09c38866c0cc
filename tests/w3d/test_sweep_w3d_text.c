// W3D as text, damaged in every way.
#include "sweep.h"

int main(void)
{
    static const sweep_place places[] = { { SINEW_TESTS_DIR "/sweep_samples", "json" }, { 0 } };
    return sweep_main(places, sweep_file);
}
