#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { PASSED, FAILED, SKIPPED };

static jmp_buf test_end;
static const char *filter = "*";

void cmocka_set_test_filter(const char *pattern) { filter = pattern; }

static void print(FILE *to, const char *format, va_list arguments)
{
    vfprintf(to, format, arguments);
    fflush(to);
}

void print_message(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print(stdout, format, arguments);
    va_end(arguments);
}

void print_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print(stderr, format, arguments);
    va_end(arguments);
}

void cross_skip(void) { longjmp(test_end, SKIPPED); }

void cross_fail(const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_error("%s:%d: ", file, line);
    print(stderr, format, arguments);
    print_error("\n");
    va_end(arguments);
    longjmp(test_end, FAILED);
}

void cross_equal(bool is_wanted, uintmax_t a, uintmax_t b, const char *what, const char *file, int line)
{
    if ((a == b) != is_wanted) cross_fail(file, line, "%s: %#jx, %#jx", what, a, b);
}

void cross_text(bool is_wanted, const char *a, const char *b, const char *file, int line)
{
    if ((strcmp(a, b) == 0) != is_wanted) cross_fail(file, line, "\"%s\", \"%s\"", a, b);
}

// A failure in set-up or tear-down is one of the test.
static int run_test(const struct CMUnitTest *test, void **state)
{
    if (test->set_up && test->set_up(state) != 0) return FAILED;
    int result = setjmp(test_end);
    if (result == PASSED) test->run(state);
    return test->tear_down && test->tear_down(state) != 0 ? FAILED : result;
}

int cross_run(const struct CMUnitTest *tests, size_t count, int (*set_up)(void **), int (*tear_down)(void **))
{
    void *state = NULL;
    int results[3] = { 0 };
    if (set_up && set_up(&state) != 0) {
        printf("[  FAILED  ] group set-up: 1 test(s)\n");
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        if (fnmatch(filter, tests[i].name, 0) != 0) continue;
        void *own = state;
        int result = run_test(&tests[i], &own);
        results[result]++;
        if (result != PASSED) printf("%s: %s\n", result == SKIPPED ? "skipped" : "failed", tests[i].name);
    }
    if (tear_down && tear_down(&state) != 0) results[FAILED]++;
    printf("%d passed, %d failed, %d skipped\n", results[PASSED], results[FAILED], results[SKIPPED]);
    return results[FAILED];
}
