// Every float (by default one of 997) is written as a decimal that glibc's strtof reads back.
#include "base/text.h"
#include "sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void every_float_reads_back(void **state)
{
    (void)state;
    const uint32_t infinity = 0x7F800000, step = sweep_is_all() ? 1 : 997;
    for (uint32_t bits = 0; bits < infinity; bits += step) {
        char text[24];
        float value, back;
        memcpy(&value, &bits, sizeof value);
        sni_format_float(value, text);
        back = strtof(text, NULL);
        if (memcmp(&back, &value, sizeof value) != 0) fail_msg("%a is written as %s", (double)value, text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_float_reads_back) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
