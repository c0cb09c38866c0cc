// What every document must do: be written as MDL that is read again, and written again the same.
#ifndef TEST_CHECK_MDL_H
#define TEST_CHECK_MDL_H

#include "format/mdx/mdx_doc.h"

// Each aborts where it is not so.
void check_mdl_of(const mdx_doc *doc);
bool check_mdl_rewrites(const void *data, size_t size);  // answers whether the text could be read at all

#endif
