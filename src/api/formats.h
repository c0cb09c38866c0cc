// Choosing between formats.
#ifndef SNI_FORMATS_H
#define SNI_FORMATS_H

#include "format/format.h"

// By the first bytes; the name's ending decides between equals. NULL: none.
const sni_format *sni_format_choose(sni_bytes bytes, const char *name);

#endif
