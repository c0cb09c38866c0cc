// Documents to bytes, and new chunk trees.
#include <assert.h>

#include "format/w3d/w3d_doc.h"

static const uint32_t CONTAINER_BIT = 0x80000000u;  // of a stored size

// Headers on the way down, payloads and stray bytes on the way up.
void w3d_write(const w3d_doc *doc, sni_writer *out)
{
    int32_t at = doc->chunk_count > 0 ? 0 : W3D_NONE;
    while (at >= 0) {
        const w3d_chunk *chunk = &doc->chunks[at];
        sni_write_u32(out, chunk->id);
        sni_write_u32(out, chunk->size);
        if (chunk->first_child >= 0) {
            at = chunk->first_child;
            continue;
        }
        sni_write_bytes(out, chunk->bytes.data, chunk->bytes.count);
        while (chunk->next < 0 && chunk->parent >= 0) {
            chunk = &doc->chunks[chunk->parent];
            sni_write_bytes(out, chunk->bytes.data, chunk->bytes.count);
        }
        at = chunk->next;
    }
    sni_write_bytes(out, doc->stray.data, doc->stray.count);
}

w3d_tree w3d_tree_begin(sni_writer *out) { return (w3d_tree){ .out = out }; }

void w3d_open_chunk(w3d_tree *tree, uint32_t id)
{
    assert(tree->depth < W3D_MAX_DEPTH);
    tree->starts[tree->depth++] = tree->out->size;
    sni_write_u32(tree->out, id);
    sni_write_u32(tree->out, w3d_is_container(id) ? CONTAINER_BIT : 0);
}

size_t w3d_chunk_bytes(const w3d_tree *tree)
{
    assert(tree->depth > 0);
    return tree->out->failed ? 0 : tree->out->size - tree->starts[tree->depth - 1] - W3D_CHUNK_HEADER_BYTES;
}

// The writer fails when the payload is too large for a size.
void w3d_close_chunk(w3d_tree *tree)
{
    size_t size = w3d_chunk_bytes(tree), start = tree->starts[--tree->depth];
    if (size > W3D_SIZE_MASK) tree->out->failed = true;
    if (tree->out->failed) return;
    uint32_t container_bit = tree->out->data[start + 7] & 0x80u ? CONTAINER_BIT : 0;
    sni_patch_u32(tree->out, start + 4, (uint32_t)size | container_bit);
}

void w3d_put(w3d_tree *tree, const void *data, size_t size) { sni_write_bytes(tree->out, data, size); }
void w3d_put_u8(w3d_tree *tree, uint8_t value) { sni_write_u8(tree->out, value); }
void w3d_put_u16(w3d_tree *tree, uint16_t value) { sni_write_u16(tree->out, value); }
void w3d_put_u32(w3d_tree *tree, uint32_t value) { sni_write_u32(tree->out, value); }
void w3d_put_f32(w3d_tree *tree, float value) { sni_write_f32(tree->out, value); }

void w3d_put_floats(w3d_tree *tree, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) sni_write_f32(tree->out, values[i]);
}

void w3d_put_name(w3d_tree *tree, const char *name, size_t size)
{
    size_t length = strlen(name) < size ? strlen(name) : size;
    sni_write_bytes(tree->out, name, length);
    sni_write_fill(tree->out, 0, size - length);
}

void w3d_put_text(w3d_tree *tree, const char *text) { sni_write_bytes(tree->out, text, strlen(text) + 1); }

void w3d_put_chunk(w3d_tree *tree, uint32_t id, const void *data, size_t size)
{
    w3d_open_chunk(tree, id);
    w3d_put(tree, data, size);
    w3d_close_chunk(tree);
}

void w3d_put_text_chunk(w3d_tree *tree, uint32_t id, const char *text)
{
    w3d_put_chunk(tree, id, text, strlen(text) + 1);
}

void w3d_open_property(w3d_tree *tree, uint32_t type, const char *name)
{
    w3d_open_chunk(tree, W3D_SHADER_MATERIAL_PROPERTY);
    w3d_put_u32(tree, type);
    w3d_put_u32(tree, (uint32_t)strlen(name) + 1);
    w3d_put_text(tree, name);
}

void w3d_put_texture_property(w3d_tree *tree, const char *name, const char *file)
{
    w3d_open_property(tree, W3D_TEXTURE_PROPERTY, name);
    w3d_put_u32(tree, (uint32_t)strlen(file) + 1);
    w3d_put_text(tree, file);
    w3d_close_chunk(tree);
}

void w3d_put_float_property(w3d_tree *tree, const char *name, const float *values, uint32_t count)
{
    w3d_open_property(tree, W3D_FLOAT + count - 1, name);
    w3d_put_floats(tree, values, count);
    w3d_close_chunk(tree);
}
