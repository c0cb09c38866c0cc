// The words of MDL. Separators (space, comma, colon) carry no structure, comments are skipped. Like sni_reader it is a
// window with a sticky failure: after the first failure, or at the end, there is nothing more.
#ifndef MDX_LEX_H
#define MDX_LEX_H

#include "base/text.h"
#include "io/file.h"

typedef struct mdx_lexer {
    const char *start, *at, *end;
    sni_diag *diag;
    const char *counted;  // lines are numbered up to here
    uint32_t line;
} mdx_lexer;

mdx_lexer mdx_lex_make(sni_bytes bytes, sni_diag *diag);

// The first character of what comes next: '{', '}', '"', that of a word or a number; 0 at the end.
char mdx_lex_peek(mdx_lexer *lex);
bool mdx_lex_is_number(mdx_lexer *lex);  // a digit, a sign or a point is next

// A brace. `open` demands it, `take` may find none.
bool mdx_lex_take(mdx_lexer *lex, char brace);
bool mdx_lex_open(mdx_lexer *lex);

// Inside a block: is there more before its closing brace? That brace is stepped over. A text that ends first fails.
bool mdx_lex_more(mdx_lexer *lex);

sni_str mdx_lex_word(mdx_lexer *lex);    // empty where a brace or a string is next
sni_str mdx_lex_string(mdx_lexer *lex);  // quoted, or a bare word
float mdx_lex_float(mdx_lexer *lex);     // damage (nan, -1.#IND, letters) is 0 and a warning
int64_t mdx_lex_integer(mdx_lexer *lex, int64_t least, int64_t most);  // "None" and "Multiple" are -1
uint32_t mdx_lex_u32(mdx_lexer *lex);                                  // -1 is all bits
int32_t mdx_lex_i32(mdx_lexer *lex);

// What belongs to a word nobody knows: values up to a comma or the line's end, or one whole block.
void mdx_lex_skip_statement(mdx_lexer *lex);
void mdx_lex_skip_block(mdx_lexer *lex);  // behind its opening brace, to behind the closing one

uint64_t mdx_lex_offset(const mdx_lexer *lex);
uint32_t mdx_lex_line(mdx_lexer *lex);  // of what was read last, from 1
bool mdx_lex_fail(mdx_lexer *lex, sn_status status, const char *what);

static inline bool mdx_lex_ok(const mdx_lexer *lex) { return !sni_failed(lex->diag); }

#endif
