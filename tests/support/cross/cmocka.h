// The part of cmocka that the tests use, for processors that no libcmocka is installed for.
#ifndef CROSS_CMOCKA_H
#define CROSS_CMOCKA_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
    int (*set_up)(void **state);
    int (*tear_down)(void **state);
};

#define cmocka_unit_test(run) \
    {                         \
#        run, run, NULL, NULL \
    }
#define cmocka_unit_test_setup_teardown(run, set_up, tear_down) \
    {                                                           \
#        run, run, set_up, tear_down                            \
    }
#define cmocka_run_group_tests(tests, set_up, tear_down) \
    cross_run(tests, sizeof tests / sizeof *tests, set_up, tear_down)

int cross_run(const struct CMUnitTest *tests, size_t count, int (*set_up)(void **), int (*tear_down)(void **));
void cmocka_set_test_filter(const char *pattern);
void print_message(const char *format, ...) __attribute__((format(printf, 1, 2)));
void print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

_Noreturn void cross_skip(void);
_Noreturn void cross_fail(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
void cross_equal(bool is_wanted, uintmax_t a, uintmax_t b, const char *what, const char *file, int line);
void cross_text(bool is_wanted, const char *a, const char *b, const char *file, int line);

#define skip()                   cross_skip()
#define fail_msg(...)            cross_fail(__FILE__, __LINE__, __VA_ARGS__)
#define fail()                   fail_msg("fail()")
#define _fail(file, line)        cross_fail(file, line, "see above")
#define cross_check(claim, what) ((claim) ? (void)0 : fail_msg("%s", what))

#define assert_true(value)                  cross_check(value, #value)
#define assert_false(value)                 cross_check(!(value), "not " #value)
#define assert_null(value)                  cross_check(!(value), #value " is not NULL")
#define assert_non_null(value)              cross_check(value, #value " is NULL")
#define assert_ptr_equal(a, b)              cross_check((const void *)(a) == (const void *)(b), #a " is not " #b)
#define assert_ptr_not_equal(a, b)          cross_check((const void *)(a) != (const void *)(b), #a " is " #b)
#define assert_int_equal(a, b)              cross_equal(true, (uintmax_t)(a), (uintmax_t)(b), #a, __FILE__, __LINE__)
#define assert_int_not_equal(a, b)          cross_equal(false, (uintmax_t)(a), (uintmax_t)(b), #a, __FILE__, __LINE__)
#define assert_string_equal(a, b)           cross_text(true, a, b, __FILE__, __LINE__)
#define assert_string_not_equal(a, b)       cross_text(false, a, b, __FILE__, __LINE__)
#define assert_memory_equal(a, b, size)     cross_check(memcmp(a, b, size) == 0, #a " and " #b " differ")
#define assert_memory_not_equal(a, b, size) cross_check(memcmp(a, b, size) != 0, #a " and " #b " are equal")
#define assert_float_equal(a, b, epsilon) \
    cross_check(fabs((double)(a) - (double)(b)) <= (epsilon), #a " is not near " #b)
#define assert_in_range(value, low, high)                                                          \
    cross_check((uintmax_t)(value) >= (uintmax_t)(low) && (uintmax_t)(value) <= (uintmax_t)(high), \
                #value " is out of range")

#endif
