// MDL text: its document, its warnings, and whether a document survives being written as MDL.
#ifndef TEST_MDL_CASE_H
#define TEST_MDL_CASE_H

#include "counting_heap.h"
#include "format/mdx/mdx_doc.h"

typedef struct mdx_mdl_case {
    counting_heap counts;
    sni_heap heap;
    sni_load load;
    mdx_doc doc;
    char *exact;  // the text, as large as it is
} mdx_mdl_case;

const mdx_doc *mdx_mdl_case_read(mdx_mdl_case *c, const char *text);  // failing ends the test

// The document, which must survive being written and read; failing ends the test.
const mdx_doc *mdx_mdl_case_parse(mdx_mdl_case *c, const char *text);
const mdx_doc *mdx_mdl_case_parse_quietly(mdx_mdl_case *c, const char *text);  // without warnings
const sn_error *mdx_mdl_case_refuse(mdx_mdl_case *c, const char *text);
uint32_t mdx_mdl_case_warnings(const mdx_mdl_case *c, int32_t code);  // how often
void mdx_mdl_case_close(mdx_mdl_case *c);

// Document, MDL, document: both must give the same MDX, except for what MDL cannot store, which is dropped from the
// document. A difference fails the test.
void expect_mdl_keeps(mdx_doc *doc);

#endif
