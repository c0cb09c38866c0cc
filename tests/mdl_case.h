// MDL as text: its document, what was said about it, and whether a document survives being written as MDL.
#ifndef TEST_MDL_CASE_H
#define TEST_MDL_CASE_H

#include "counting.h"
#include "format/mdx/mdx_doc.h"

typedef struct mdl_case {
    counting_heap counts;
    sni_heap heap;
    sni_load load;
    mdx_doc doc;
    char *exact;  // the text, as large as it is
} mdl_case;

const mdx_doc *mdl_case_read(mdl_case *c, const char *text);  // failing ends the test

// The document, which must survive being written and read; failing ends the test.
const mdx_doc *mdl_case_parse(mdl_case *c, const char *text);
const mdx_doc *mdl_case_parse_quietly(mdl_case *c, const char *text);  // and nothing is warned of
const sn_error *mdl_case_refuse(mdl_case *c, const char *text);
uint32_t mdl_case_warnings(const mdl_case *c, int32_t code);  // how often
void mdl_case_close(mdl_case *c);

// Document, MDL, document: the same MDX, but for what MDL has no place for, which the document loses here. On a
// difference a test fails and says where.
void expect_mdl_keeps(mdx_doc *doc);

#endif
