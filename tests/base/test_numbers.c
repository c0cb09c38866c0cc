// Decimal numbers in and out: what base/text.h promises. glibc's strtof rounds correctly, so it is the judge.
#include "base/text.h"
#include "check_text.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_reads_as(const char *text, float wanted)
{
    size_t size = strlen(text);
    char *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, text, size);
    float value = sni_parse_float(copy, size);
    free(copy);
    if (memcmp(&value, &wanted, 4) != 0) fail_msg("%.200s reads as %a, wanted %a", text, (double)value, (double)wanted);
}

static void hard_numbers_round_correctly(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        float value;
    } cases[] = {
        { "0", 0.0f },
        { "-0", -0.0f },
        { "-0.0e5", -0.0f },
        { "1", 1.0f },
        { "0.1", 0.1f },
        { "0.3", 0.3f },
        { "-2.5", -2.5f },
        { "1.00000005960464477539062500", 1.0f },  // halfway: to even
        { "1.0000000596046447753906250000000000000000000000000000000001", 0x1.000002p0f },
        { "1.00000005960464477539062499999999999999999999999999999999999", 1.0f },
        { "1.00000017881393432617187500", 0x1.000004p0f },  // halfway: to even, upwards
        { "1.000000178813934326171874", 0x1.000002p0f },
        { "16777217", 16777216.0f },
        { "16777219", 16777220.0f },
        { "16777217.0000000000000000000000000000001", 16777218.0f },
        { "340282346638528859811704183484516925440", FLT_MAX },
        { "3.4028234663852886e38", FLT_MAX },
        { "3.4028235677973366163753939545814e38", FLT_MAX },
        { "340282356779733661637539395458142568447", FLT_MAX },   // one below halfway to 2^128
        { "340282356779733661637539395458142568448", INFINITY },  // halfway
        { "3.5e38", INFINITY },
        { "-3.5e38", -INFINITY },
        { "1e39", INFINITY },
        { "1e400", INFINITY },
        { "-1e400", -INFINITY },
        { "1e99999999999999999999", INFINITY },
        { "1e-400", 0.0f },
        { "-1e-400", -0.0f },
        { "1e-99999999999999999999", 0.0f },
        { "0e99999999999999999999", 0.0f },
        { "0.0000e400", 0.0f },
        { "1.1754943508222875e-38", FLT_MIN },
        { "1.17549435e-38", FLT_MIN },
        { "1.1754942106924411e-38", 0x1.fffffcp-127f },
        { "1.401298464324817e-45", 0x1p-149f },
        { "1e-45", 0x1p-149f },
        { "7.006492321624085354618e-46", 0.0f },
        { "7.006492321624085354619e-46", 0x1p-149f },
        { "0.7006492321624085354618647916449580656401309709382578858785341419448955413429303e-45",
          0.0f },  // halfway: to even
        { "0.7006492321624085354618647916449580656401309709382578858785341419448955413429304e-45", 0x1p-149f },
        { "2."
          "10194769648722560638559437493487419692039291281477365763560242583468662402879090222995728254318237304687500e"
          "-45",
          0x1p-148f },  // 1.5 smallest
        { "8388608.5", 8388608.0f },
        { "8388609.5", 8388610.0f },
        { "9007199254740993", 9007199254740992.0f },
        { "1e10", 1e10f },
        { "1e11", 1e11f },
        { "1e22", 1e22f },
        { "1e23", 1e23f },
        { "123456789012345678901234567890", 1.2345678806304e29f },
        { "5.0e-324", 0.0f },
        { "1E+2", 100.0f },
        { "1e+02", 100.0f },
        { "100e-2", 1.0f },
        { "0.00000000000000000000000000000000000000000001e44", 1.0f },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float judge = strtof(cases[i].text, NULL);
        if (memcmp(&judge, &cases[i].value, 4) != 0) fail_msg("the table is wrong about %s", cases[i].text);
        assert_reads_as(cases[i].text, cases[i].value);
    }
}

static void long_numbers_round_correctly(void **state)
{
    (void)state;
    static char text[4000];
    for (int place = 2; place < 3000; place = place * 3 / 2 + 1) {  // 1.00…0596…: the deciding digit far away
        int size = snprintf(text, sizeof text, "1.00000005960464477539062500");
        memset(text + size, '0', (size_t)place);
        strcpy(text + size + place, "1");
        assert_reads_as(text, 0x1.000002p0f);
        text[size + place] = 0;
        assert_reads_as(text, 1.0f);
    }
    memset(text, '9', 800), text[800] = 0;
    assert_reads_as(text, INFINITY);
    strcpy(text + 800, "e-800");
    assert_reads_as(text, 1.0f);
    strcpy(text, "0."), memset(text + 2, '0', 800), strcpy(text + 802, "1e801");
    assert_reads_as(text, 1.0f);
    strcpy(text, "1"), memset(text + 1, '0', 800), strcpy(text + 801, "e-800");
    assert_reads_as(text, 1.0f);
    strcpy(text, "0."), memset(text + 2, '3', 800), text[802] = 0;
    assert_reads_as(text, strtof(text, NULL));
    strcpy(text, "0."), memset(text + 2, '0', 40), memset(text + 42, '7', 800), text[842] = 0;
    assert_reads_as(text, strtof(text, NULL));
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return *state;
}

static float random_float(uint64_t *state)
{
    uint32_t bits;
    float value;
    do {
        bits = (uint32_t)(next_random(state) >> 20);
        memcpy(&value, &bits, 4);
    } while (!isfinite(value));
    return value;
}

// Exact decimals of random floats, of the points halfway between two, and of their nearest neighbours.
static void halfway_points_round_to_even(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252u;
    char text[400];
    for (int i = 0; i < 10000; i++) {
        float low = fabsf(random_float(&random)), high = nextafterf(low, INFINITY);
        if (i % 4 == 0) low = 0x1p-149f * (float)(i / 4), high = low + 0x1p-149f;  // the subnormals
        if (!isfinite(high)) continue;
        double middle = ((double)low + (double)high) / 2;
        int size = snprintf(text, sizeof text, "%.170e", middle);  // exact: at most 112 digits
        assert_reads_as(text, strtof(text, NULL));
        char exponent[16];
        char *e = strchr(text, 'e');
        strcpy(exponent, e);
        snprintf(e, sizeof text - (size_t)size + 8, "1%s", exponent);  // a hair above
        assert_reads_as(text, high);
        snprintf(text, sizeof text, "%.170e", (double)low);
        assert_reads_as(text, low);
        snprintf(text, sizeof text, "%.17e", nextafter(middle, 0));
        assert_reads_as(text, strtof(text, NULL));
    }
}

static void random_numbers_agree_with_strtof(void **state)
{
    (void)state;
    uint64_t random = 1234567;
    char text[128];
    for (int i = 0; i < 60000; i++) {
        size_t size = 0;
        if (next_random(&random) % 4 == 0) text[size++] = '-';
        uint64_t digits = 1 + next_random(&random) % (i % 8 ? 20 : 60);
        text[size++] = (char)('1' + next_random(&random) % 9);
        for (uint64_t k = 1; k < digits; k++) text[size++] = (char)('0' + next_random(&random) % 10);
        if (i % 3) {
            text[size++] = '.';
            for (uint64_t k = next_random(&random) % 12 + 1; k-- > 0;)
                text[size++] = (char)('0' + next_random(&random) % 10);
        }
        text[size] = 0;
        if (i % 2) snprintf(text + size, sizeof text - size, "e%d", (int)(next_random(&random) % 120) - 70);
        assert_reads_as(text, strtof(text, NULL));
    }
    for (int i = 0; i < 20000; i++) {
        snprintf(text, sizeof text, i & 1 ? "%.9g" : "%.6g", (double)random_float(&random));
        assert_reads_as(text, strtof(text, NULL));
    }
}

static void numbers_ignore_the_locale(void **state)
{
    (void)state;
    char out[25] = { 0 };
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) setlocale(LC_NUMERIC, "");
    float value = sni_parse_float("2.5", 3);
    size_t size = sni_format_float(2.5f, out);
    setlocale(LC_NUMERIC, "C");
    assert_true(value == 2.5f);
    assert_int_equal(size, 3);
    assert_memory_equal(out, "2.5", 3);
}

static int significant_digits(const char *text, size_t size)
{
    int count = 0, zeros = 0;
    for (size_t i = 0; i < size && text[i] != 'e' && text[i] != 'E'; i++) {
        if (text[i] == '0') zeros += count > 0;
        if (text[i] >= '1' && text[i] <= '9') count += zeros + 1, zeros = 0;
    }
    return count;
}

static void assert_shortest(float value)
{
    char out[25], padded[25], printed[32];
    memset(out, 'Z', sizeof out);
    size_t size = sni_format_float(value, out);
    assert_true(size > 0 && size <= 16);
    assert_int_equal(out[24], 'Z');
    assert_true(is_json(out, size));
    memcpy(padded, out, size), padded[size] = 0;
    float back = strtof(padded, NULL);
    if (memcmp(&back, &value, 4) != 0)
        fail_msg("%a is written as %s, which is %a", (double)value, padded, (double)back);
    back = sni_parse_float(out, size);
    assert_memory_equal(&back, &value, 4);
    int precision = 0;
    do {
        precision++;
        snprintf(printed, sizeof printed, "%.*e", precision - 1, (double)value);
    } while (strtof(printed, NULL) != value);
    if (value != 0 && significant_digits(out, size) > precision)
        fail_msg("%s has too many digits: %s", padded, printed);
}

static void floats_are_written_shortest(void **state)
{
    (void)state;
    static const struct {
        float value;
        const char *text;
    } plain[] = { { 0.1f, "0.1" },
                  { 1.0f, "1" },
                  { -2.5f, "-2.5" },
                  { 100.0f, "100" },
                  { 0.3f, "0.3" },
                  { 0.70710678f, "0.70710677" },
                  { 12345.678f, "12345.678" },
                  { 1e6f, "1e6" },
                  { 1234567.0f, "1234567" },
                  { 16777216.0f, "16777216" },
                  { 15000000.0f, "1.5e7" },
                  { 1e-4f, "0.0001" },
                  { -1.5e-5f, "-1.5e-5" },
                  { 0x1p90f, "1.2379401e27" },  // the float below is at half the distance
                  { 0.0f, "0" } };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        char out[24];
        size_t size = sni_format_float(plain[i].value, out);
        assert_int_equal(size, strlen(plain[i].text));
        assert_memory_equal(out, plain[i].text, size);
    }
    static const float edges[] = { 0.0f,
                                   -0.0f,
                                   FLT_MAX,
                                   -FLT_MAX,
                                   FLT_MIN,
                                   -FLT_MIN,
                                   0x1p-149f,
                                   -0x1p-149f,
                                   0x1.fffffcp-127f,
                                   1e10f,
                                   1e20f,
                                   1e-10f,
                                   1e-5f,
                                   1e-4f,
                                   1e-3f,
                                   123456792.0f,
                                   16777216.0f,
                                   16777218.0f,
                                   9.5367431640625e-7f,
                                   8388608.5f,
                                   1e9f,
                                   1e7f,
                                   1e6f,
                                   1234567.0f,
                                   -1.17549435e-38f,
                                   -1.00000012f,
                                   -1.23456789e-30f };
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) assert_shortest(edges[i]);
    for (int e = -149; e < 128; e++) {
        float power = ldexpf(1, e);
        assert_shortest(power), assert_shortest(-power);
        assert_shortest(nextafterf(power, INFINITY)), assert_shortest(nextafterf(power, 0));
    }
    uint64_t random = 99;
    for (int i = 0; i < 20000; i++) assert_shortest(random_float(&random));
    for (int i = 0; i < 5000; i++) assert_shortest((float)(next_random(&random) % 2000000) / 1000.0f - 1000.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_numbers_round_correctly), cmocka_unit_test(long_numbers_round_correctly),
        cmocka_unit_test(halfway_points_round_to_even), cmocka_unit_test(random_numbers_agree_with_strtof),
        cmocka_unit_test(numbers_ignore_the_locale),    cmocka_unit_test(floats_are_written_shortest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
