// W3D files for tests, written chunk by chunk and parsed. A parsed file is written again and compared byte for byte.
#ifndef TEST_W3D_FILE_H
#define TEST_W3D_FILE_H

#include "format/w3d/w3d_doc.h"

typedef struct w3d_file {
    sni_heap heap;
    sni_writer out;
    w3d_tree tree;  // of `out`
    sni_load load;
    w3d_doc doc;
} w3d_file;

w3d_file *w3d_file_open(void);  // one at a time
void w3d_file_close(w3d_file *file);

const w3d_doc *w3d_file_parse(w3d_file *file);                     // fails the test unless it parses
sn_error w3d_file_refuse(w3d_file *file, sn_status status);        // fails the test if it parses
void w3d_file_set(w3d_file *file, const void *data, size_t size);  // sets the bytes

uint32_t w3d_file_warnings(const w3d_file *file, int32_t code);  // including repeats
bool w3d_file_warns(const w3d_file *file, int32_t code, const char *path);
void w3d_file_locate(const w3d_file *file, uint64_t offset, const char *path);  // checks the path of a byte

// Chunks that many tests need.
void w3d_put_mesh_header(w3d_tree *tree, const char *name, uint32_t triangle_count, uint32_t vertex_count);
void w3d_put_numbers(w3d_tree *tree, uint32_t id, size_t bytes);  // a chunk of 0, 1, 2...
void w3d_put_hlod_array(w3d_tree *tree, uint32_t id, uint32_t announced, uint32_t count);
void w3d_put_rgb(w3d_tree *tree, uint8_t r, uint8_t g, uint8_t b);  // and an unused byte
bool str_is(sni_str str, const char *text);

#endif
