#include "format/w3d/w3d_doc.h"

static void write_header(const w3d_chunk *chunk, sni_writer *out)
{
    sni_write_u32(out, chunk->id);
    sni_write_u32(out, chunk->size);
}

// Headers on the way down, payloads and stray bytes on the way up.
void w3d_write(const w3d_doc *doc, sni_writer *out)
{
    int32_t at = doc->chunk_count > 0 ? 0 : W3D_NONE;
    while (at >= 0) {
        const w3d_chunk *chunk = &doc->chunks[at];
        write_header(chunk, out);
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
