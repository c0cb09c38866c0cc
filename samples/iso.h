// Writes disc images (ISO 9660) for samples and tests.
#ifndef ISO_H
#define ISO_H

#include "base/writer.h"

typedef struct iso_file {
    const char *folder, *name;  // folder: "" or one name
    const void *data;
    uint32_t size;
} iso_file;

// Sectors: 16 the descriptor, 17 the last one, 18 the top folder, then the others, then the files.
// Names with small letters are those of Rock Ridge, or all are Joliet's.
void iso_write(sni_writer *out, const iso_file *files, uint32_t count, bool is_joliet);

#endif
