// Level-5 files for parser tests, written by hand. What parses is written back and compared byte for byte.
#ifndef TEST_LEVEL5_FILE_H
#define TEST_LEVEL5_FILE_H

#include "format/level5/level5_doc.h"

typedef struct level5_file {
    sni_heap heap;
    sni_writer out;
    sni_load load;
    level5_doc doc;
} level5_file;

level5_file *level5_file_open(void);  // one at a time
void level5_file_close(level5_file *file);

const level5_doc *level5_file_parse(level5_file *file, level5_kind kind);            // must parse
sn_error level5_file_refuse(level5_file *file, level5_kind kind, sn_status status);  // must fail
uint32_t level5_file_warnings(const level5_file *file, int32_t code);                // with repeats
bool level5_file_warns(const level5_file *file, int32_t code, const char *path);
void level5_file_locate(const level5_file *file, uint64_t offset, const char *path);  // expects this path

// A document made in memory: laid out, written, and parsed again into file->doc.
const level5_doc *level5_file_make(level5_file *file, level5_doc *made);

void level5_put_words(level5_file *file, const uint32_t *words, size_t count);
void level5_put_floats(level5_file *file, const float *values, size_t count);
void level5_put_field(level5_file *file, const char *name, size_t bytes,
                      uint8_t garbage);  // the name, its NUL, then garbage
void level5_put_node(level5_file *file, uint32_t index, const char *name, uint32_t mesh_offset,
                     int32_t parent);  // translated by its index in x
void level5_put_track(level5_file *file, const int32_t head[3], uint32_t count, uint32_t next);
void level5_put_key(level5_file *file, uint32_t frame, float x, float y, float z, float w);
bool level5_str_is(sni_str str, const char *text);

#endif
