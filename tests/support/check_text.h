// UTF-8 and JSON as the standards define them (RFC 3629, RFC 8259), without using library code.
#ifndef TEST_CHECK_TEXT_H
#define TEST_CHECK_TEXT_H

#include <stdbool.h>
#include <stddef.h>

bool is_utf8(const char *text, size_t size);
bool is_plain_text(const char *text);  // UTF-8 without control characters (C0, DEL, C1)
bool is_json(const char *text,
             size_t size);  // one value, white space around it; bytes >= 0x80 in strings are not judged

#endif
