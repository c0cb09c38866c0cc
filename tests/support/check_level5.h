// What must hold of any bytes taken for a file of Level-5's games: they are refused with words, or written again as
// they were.
#ifndef CHECK_LEVEL5_H
#define CHECK_LEVEL5_H

#include "format/level5/level5_doc.h"

bool check_level5_rewrites(level5_kind kind, const void *data, size_t size);  // false: refused

#endif
