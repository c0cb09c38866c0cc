// The warnings of a load that a test made itself.
#ifndef TEST_WARNINGS_H
#define TEST_WARNINGS_H

#include "base/diag.h"

#include <stdio.h>
#include <string.h>

static inline uint32_t count_warnings(const sni_diag *diag, int32_t code)
{
    uint32_t count = 0;
    for (const sni_warning_item *item = diag->first; item; item = item->next)
        if (item->warning.code == code) count += item->warning.count;
    return count;
}

// Prints what there is when there is no such warning.
static inline bool has_warning(const sni_diag *diag, int32_t code, const char *path)
{
    for (const sni_warning_item *item = diag->first; item; item = item->next)
        if (item->warning.code == code && strcmp(item->warning.path, path) == 0) return true;
    for (const sni_warning_item *item = diag->first; item; item = item->next)
        fprintf(stderr, "%d %s: %s\n", item->warning.code, item->warning.path, item->warning.message);
    return false;
}

#endif
