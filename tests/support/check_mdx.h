// What every MDX file that can be read must do: come out as it went in, byte for byte.
#ifndef TEST_CHECK_MDX_H
#define TEST_CHECK_MDX_H

#include <stdbool.h>
#include <stddef.h>

// Aborts where it does not. Answers whether the bytes could be read at all.
bool check_mdx_rewrites(const void *data, size_t size);

#endif
