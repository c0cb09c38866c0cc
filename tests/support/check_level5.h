// Holds for any bytes parsed as a Level-5 file: they are rejected with an error, or written back unchanged.
#ifndef CHECK_LEVEL5_H
#define CHECK_LEVEL5_H

#include "format/level5/level5_doc.h"

bool check_level5_rewrites(level5_kind kind, const void *data, size_t size);  // false: rejected

#endif
