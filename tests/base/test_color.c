// sRGB and light: against the C library's powers, and the values everybody knows.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/color.h"
#include "hand_models.h"

static void known_values(void **state)
{
    (void)state;
    assert_within(sni_linear_of(0.5), 0.21404114048223255, 1e-15);
    assert_within(sni_srgb_of(0.21404114048223255), 0.5, 1e-15);
    assert_true(sni_linear_of(0) == 0 && sni_srgb_of(0) == 0 && sni_linear_of(1) == 1 && sni_srgb_of(1) == 1);
    assert_true(sni_linear_of(-1) == 0 && sni_srgb_of(-1) == 0 && sni_linear_of(NAN) == 0 && sni_srgb_of(NAN) == 0);
    assert_true(sni_linear_of(INFINITY) == sni_linear_of(64) && sni_srgb_of(INFINITY) == sni_srgb_of(64));
}

static void powers_agree(void **state)
{
    (void)state;
    for (int i = 1; i <= 2048; i++) {
        double x = i / 512.0;
        assert_within(sni_linear_of(x) / (x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4)), 1, 1e-14);
        assert_within(sni_srgb_of(x) / (x <= 0.0031308 ? x * 12.92 : 1.055 * pow(x, 1 / 2.4) - 0.055), 1, 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(known_values), cmocka_unit_test(powers_agree) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
