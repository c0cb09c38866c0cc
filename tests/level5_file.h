// Files of Level-5's games for tests, put together by hand and parsed. What parses is written again and compared, byte
// for byte.
#ifndef TEST_LEVEL5_FILE_H
#define TEST_LEVEL5_FILE_H

#include "format/level5/level5_doc.h"

typedef struct l5_file {
    sni_heap heap;
    sni_writer out;
    sni_load load;
    l5_doc doc;
} l5_file;

l5_file *l5_file_open(void);  // one at a time
void l5_file_close(l5_file *file);

const l5_doc *l5_file_parse(l5_file *file, l5_kind kind);                // fails the test unless it parses
sn_error l5_file_refuse(l5_file *file, l5_kind kind, sn_status status);  // and unless it does not
uint32_t l5_file_warnings(const l5_file *file, int32_t code);            // counted as often as they were given
bool l5_file_warns(const l5_file *file, int32_t code, const char *path);
void l5_file_locate(const l5_file *file, uint64_t offset, const char *path);  // must be told like that

// A document made here: laid out, written, and read again into file->doc.
const l5_doc *l5_file_make(l5_file *file, l5_doc *made);

void l5_put_words(l5_file *file, const uint32_t *words, size_t count);
void l5_put_floats(l5_file *file, const float *values, size_t count);
void l5_put_field(l5_file *file, const char *name, size_t bytes, uint8_t garbage);  // the name, its NUL, then garbage
void l5_put_node(l5_file *file, uint32_t index, const char *name, uint32_t mesh_offset,
                 int32_t parent);  // moved by its index in x
void l5_put_track(l5_file *file, const int32_t head[3], uint32_t count, uint32_t next);
void l5_put_key(l5_file *file, uint32_t frame, float x, float y, float z, float w);
bool l5_str_is(sni_str str, const char *text);

#endif
