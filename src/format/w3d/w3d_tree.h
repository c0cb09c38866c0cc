// New trees, chunk by chunk: open, put, close. Sizes and the bit that marks containers are filled in when a chunk is
// closed.
//
//     w3d_open_chunk(&tree, W3D_HIERARCHY);
//     w3d_open_chunk(&tree, W3D_HIERARCHY_HEADER);
//     w3d_put_u32(&tree, 0x40001);
#ifndef W3D_TREE_H
#define W3D_TREE_H

#include "format/w3d/w3d_doc.h"

typedef struct w3d_tree {
    sni_writer *out;
    uint32_t depth;
    size_t starts[W3D_MOST_DEPTH];  // where the open chunks' headers lie
} w3d_tree;

w3d_tree w3d_tree_begin(sni_writer *out);
void w3d_open_chunk(w3d_tree *tree, uint32_t id);
void w3d_close_chunk(w3d_tree *tree);
size_t w3d_chunk_bytes(const w3d_tree *tree);  // put into the open chunk so far

void w3d_put(w3d_tree *tree, const void *data, size_t size);
void w3d_put_u8(w3d_tree *tree, uint8_t value);
void w3d_put_u16(w3d_tree *tree, uint16_t value);
void w3d_put_u32(w3d_tree *tree, uint32_t value);
void w3d_put_f32(w3d_tree *tree, float value);
void w3d_put_floats(w3d_tree *tree, const float *values, size_t count);
void w3d_put_name(w3d_tree *tree, const char *name, size_t size);  // a fixed field: cut, or filled with NULs
void w3d_put_text(w3d_tree *tree, const char *text);               // with its NUL

// A whole chunk at once.
void w3d_put_chunk(w3d_tree *tree, uint32_t id, const void *data, size_t size);
void w3d_put_text_chunk(w3d_tree *tree, uint32_t id, const char *text);

// The channel as a chunk, of the kind that `channel` says; its pivot, type, width and fallback are used. Adaptive kinds
// are off by at most half their finest sure step: w3d_adaptive_error. What a kind cannot tell (frames past 65535) fails
// the writer.
void w3d_put_channel(w3d_tree *tree, const w3d_channel *channel, const w3d_keys *keys);
float w3d_adaptive_scale(const w3d_channel *channel, const w3d_keys *keys);
float w3d_adaptive_error(const w3d_channel *channel, float scale);

#endif
