// What lies in one chunk: windows, names and records, each with the proof that its bytes exist.
#include "format/w3d/w3d_parse.h"

int32_t w3d_find(const w3d_parser *p, int32_t parent, uint32_t id)
{
    int32_t chunk = parent >= 0 ? w3d_at(p, parent)->first_child : W3D_NONE;
    while (chunk >= 0 && w3d_at(p, chunk)->id != id) chunk = w3d_at(p, chunk)->next;
    return chunk;
}

uint32_t w3d_count(const w3d_parser *p, int32_t parent, uint32_t id)
{
    uint32_t count = 0;
    int32_t chunk = parent >= 0 ? w3d_at(p, parent)->first_child : W3D_NONE;
    for (; chunk >= 0; chunk = w3d_at(p, chunk)->next) count += w3d_at(p, chunk)->id == id;
    return count;
}

bool w3d_open(w3d_parser *p, int32_t chunk, uint32_t least, sni_reader *in)
{
    if (chunk < 0) return false;
    const w3d_chunk *at = w3d_at(p, chunk);
    if (at->bytes.count < least) {
        w3d_warn(p, chunk, SNI_WARN_W3D_CHUNK, "%u bytes are needed, %u are there", least, at->bytes.count);
        return false;
    }
    *in = sni_reader_make(at->bytes.data, at->bytes.count, p->diag, p->arena);
    in->origin = at->offset + 8;
    return true;
}

bool w3d_open_header(w3d_parser *p, int32_t parent, uint32_t id, uint32_t least, sni_reader *in)
{
    int32_t chunk = w3d_find(p, parent, id);
    if (chunk < 0) w3d_warn(p, parent, SNI_WARN_W3D_CHUNK, "there is no %s in it", w3d_chunk_name(id));
    return w3d_open(p, chunk, least, in);
}

static sni_str cut_at_nul(const uint8_t *at, size_t size)
{
    const uint8_t *nul = size > 0 ? memchr(at, 0, size) : NULL;
    return sni_str_make((const char *)at, nul ? (size_t)(nul - at) : size);
}

sni_str w3d_read_str(sni_reader *in, size_t size)
{
    const uint8_t *at = sni_take(in, size);
    return at ? cut_at_nul(at, size) : sni_str_make("", 0);
}

sni_str w3d_text(const w3d_parser *p, int32_t chunk)
{
    if (chunk < 0) return sni_str_make("", 0);
    return cut_at_nul(w3d_at(p, chunk)->bytes.data, w3d_at(p, chunk)->bytes.count);
}

void w3d_read_rgb(sni_reader *in, uint8_t rgb[3])
{
    for (int i = 0; i < 3; i++) rgb[i] = sni_read_u8(in);
    sni_skip(in, 1);
}

w3d_array w3d_take(w3d_parser *p, int32_t chunk, uint32_t count, uint32_t record_bytes)
{
    w3d_array bytes = w3d_at(p, chunk)->bytes;
    if (bytes.count / record_bytes < count) {
        w3d_warn(p, chunk, SNI_WARN_W3D_COUNT, "%u records of %u bytes should be there, there are %u bytes", count,
                 record_bytes, bytes.count);
        return (w3d_array){ 0 };
    }
    uint32_t over = bytes.count - count * record_bytes;
    if (over > 0) w3d_warn(p, chunk, SNI_WARN_W3D_LEFTOVER, "%u bytes behind %u records", over, count);
    return (w3d_array){ bytes.data, count };
}

w3d_array w3d_need(w3d_parser *p, int32_t chunk, uint32_t count, uint32_t record_bytes)
{
    const w3d_chunk *at = w3d_at(p, chunk);
    if (at->bytes.count / record_bytes >= count) return w3d_take(p, chunk, count, record_bytes);
    bool is_cut = (at->size & W3D_SIZE_MASK) > at->bytes.count;
    w3d_enter(p->diag, p->doc, chunk);
    sni_fail(p->diag, is_cut ? SN_ERR_TRUNCATED : SN_ERR_CORRUPT, at->offset,
             "%u records need %llu bytes, %u are there", count, (unsigned long long)count * record_bytes,
             at->bytes.count);
    return (w3d_array){ 0 };
}

w3d_array w3d_take_all(w3d_parser *p, int32_t chunk, uint32_t record_bytes)
{
    return w3d_take(p, chunk, w3d_at(p, chunk)->bytes.count / record_bytes, record_bytes);
}
