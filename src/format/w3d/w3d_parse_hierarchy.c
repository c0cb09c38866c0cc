#include "format/w3d/w3d_parse.h"

enum { HEADER_BYTES = 36, PIVOT_BYTES = 60, MATRIX_BYTES = 48, VECTOR_BYTES = 12 };

// Games write a matrix for each pivot; one public description has a vector there, so the size decides.
static void parse_fixups(w3d_parser *p, int32_t chunk, w3d_hierarchy *hierarchy)
{
    uint32_t count = hierarchy->pivots.count, size = w3d_at(p, chunk)->bytes.count;
    bool is_vectors = size / VECTOR_BYTES == count && size % VECTOR_BYTES == 0;
    hierarchy->fixup_bytes = is_vectors ? VECTOR_BYTES : MATRIX_BYTES;
    hierarchy->fixups = w3d_take(p, chunk, count, hierarchy->fixup_bytes);
}

void w3d_parse_hierarchy(w3d_parser *p, int32_t chunk)
{
    sni_reader in;
    w3d_hierarchy hierarchy = { .chunk = chunk };
    if (!w3d_open_header(p, chunk, W3D_HIERARCHY_HEADER, HEADER_BYTES, &in)) return;
    hierarchy.version = sni_read_u32(&in);
    hierarchy.name = w3d_read_str(&in, W3D_NAME_BYTES);
    uint32_t count = sni_read_u32(&in);
    int32_t pivots = w3d_find(p, chunk, W3D_PIVOTS), fixups = w3d_find(p, chunk, W3D_FIXUPS);
    if (pivots >= 0) hierarchy.pivots = w3d_need(p, pivots, count, PIVOT_BYTES);
    else w3d_warn(p, chunk, SNI_WARN_W3D_CHUNK, "%u pivots are announced, there is no PIVOTS", count);
    if (fixups >= 0 && hierarchy.pivots.count > 0) parse_fixups(p, fixups, &hierarchy);
    w3d_hierarchy *slot = sni_push(p->arena, &p->hierarchies, w3d_hierarchy);
    if (slot) *slot = hierarchy;
}

static sn_vec3 load_vec3(const uint8_t *at)
{
    return (sn_vec3){ sni_load_f32(at), sni_load_f32(at + 4), sni_load_f32(at + 8) };
}

w3d_pivot w3d_read_pivot(const w3d_hierarchy *hierarchy, uint32_t index)
{
    const uint8_t *at = hierarchy->pivots.data + (size_t)index * PIVOT_BYTES;
    const uint8_t *nul = memchr(at, 0, W3D_NAME_BYTES);
    return (w3d_pivot){
        .name = sni_str_make((const char *)at, nul ? (size_t)(nul - at) : W3D_NAME_BYTES),
        .parent = (int32_t)sni_load_u32(at + 16),
        .translation = load_vec3(at + 20),
        .euler = load_vec3(at + 32),
        .rotation = { sni_load_f32(at + 44), sni_load_f32(at + 48), sni_load_f32(at + 52), sni_load_f32(at + 56) },
    };
}
