// Every MDX file that can be parsed is written again as the same bytes.
#ifndef TEST_CHECK_MDX_H
#define TEST_CHECK_MDX_H

#include <stdbool.h>
#include <stddef.h>

// Aborts on a difference. Returns whether the bytes can be parsed. as_mdl: also as MDL and back.
bool check_mdx_rewrites(const void *data, size_t size, bool as_mdl);

#endif
