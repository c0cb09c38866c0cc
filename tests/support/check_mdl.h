// Every document can be written as MDL, parsed again, and written as the same text.
#ifndef TEST_CHECK_MDL_H
#define TEST_CHECK_MDL_H

#include "format/mdx/mdx_doc.h"

// Each aborts on a difference.
void check_mdl_of(const mdx_doc *doc);
bool check_mdl_rewrites(const void *data, size_t size);  // returns whether the text can be parsed

#endif
