// demand(condition, format, ...): a broken promise is printed and aborts, so that fuzzers and sweeps stop too.
// DEMAND_NAME, which is defined before, says who demands.
#ifndef TEST_DEMAND_H
#define TEST_DEMAND_H

#include <stdio.h>
#include <stdlib.h>

#define demand(condition, ...)               \
    do {                                     \
        if (!(condition)) {                  \
            fputs(DEMAND_NAME ": ", stderr); \
            fprintf(stderr, __VA_ARGS__);    \
            fputc('\n', stderr);             \
            abort();                         \
        }                                    \
    } while (0)

#endif
