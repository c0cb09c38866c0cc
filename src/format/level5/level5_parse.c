// Bytes to document: which kind, and what all kinds share.
#include "format/level5/level5_parse.h"

#include <stdlib.h>

typedef struct claim {
    uint64_t start, end;
} claim;

void level5_claim(level5_parser *p, uint64_t offset, uint64_t size)
{
    claim *last = p->claims.count > 0 ? (claim *)p->claims.items + p->claims.count - 1 : NULL;
    if (size == 0) return;
    if (last && last->end == offset) {
        last->end += size;
        return;
    }
    claim *slot = sni_push(&p->load->scratch, &p->claims, claim);
    if (slot) *slot = (claim){ offset, offset + size };
}

static int compare_claims(const void *left, const void *right)
{
    const claim *a = left, *b = right;
    return a->start != b->start ? (a->start < b->start ? -1 : 1) : (a->end > b->end) - (a->end < b->end);
}

bool level5_keep_gaps(level5_parser *p, level5_span **gaps, uint32_t *count)
{
    const claim *claims = p->claims.items;
    uint64_t at = 0;
    if (!sni_load_ok(p->load)) return false;
    if (p->claims.count > 1) qsort(p->claims.items, p->claims.count, sizeof *claims, compare_claims);
    level5_span *spans = sni_new(p->arena, level5_span, (uint64_t)p->claims.count + 1);
    if (!spans) return false;
    *gaps = spans;
    *count = 0;
    for (uint32_t i = 0; i <= p->claims.count; i++) {
        uint64_t start = i < p->claims.count ? claims[i].start : p->bytes.size;
        if (start > at) spans[(*count)++] = (level5_span){ at, { p->bytes.data + at, (uint32_t)(start - at) } };
        if (i < p->claims.count && claims[i].end > at) at = claims[i].end;
    }
    return true;
}

sni_str level5_cut_at_nul(const uint8_t *at, size_t size)
{
    const uint8_t *nul = size > 0 ? memchr(at, 0, size) : NULL;
    return sni_str_make((const char *)at, nul ? (size_t)(nul - at) : size);
}

static level5_kind kind_within(level5_kind kind, sni_bytes bytes)
{
    if (kind == LEVEL5_KIND_MDS && level5_is_dq8_mds(bytes)) return LEVEL5_KIND_DQ8_MDS;
    if (kind == LEVEL5_KIND_TRACKS && level5_is_dq8_mot(bytes)) return LEVEL5_KIND_DQ8_MOT;
    return kind;
}

bool level5_parse(sni_load *load, level5_kind kind, sni_bytes bytes, level5_doc *doc)
{
    level5_parser p = { .load = load, .diag = &load->diag, .arena = sni_load_document_arena(load), .bytes = bytes };
    doc->kind = kind_within(kind, bytes);
    if (bytes.size > UINT32_MAX)
        return sni_fail(&load->diag, SN_ERR_LIMIT, 0, "%zu bytes; its offsets reach %u", bytes.size, UINT32_MAX);
    switch (doc->kind) {
    case LEVEL5_KIND_MDS: return level5_parse_mds(&p, &doc->as.mds);
    case LEVEL5_KIND_TRACKS: return level5_parse_tracks(&p, &doc->as.tracks);
    case LEVEL5_KIND_BINDS: return level5_parse_binds(&p, &doc->as.binds);
    case LEVEL5_KIND_CONFIG: return level5_parse_config(&p, &doc->as.config);
    case LEVEL5_KIND_PACK: return level5_parse_pack(&p, &doc->as.pack);
    case LEVEL5_KIND_IMG: return level5_parse_img(&p, &doc->as.img);
    case LEVEL5_KIND_DQ8_MDS: return level5_parse_dq8_mds(&p, &doc->as.dq8_mds);
    case LEVEL5_KIND_DQ8_MOT: return level5_parse_dq8_mot(&p, &doc->as.dq8_mot);
    default: return sni_fail(&load->diag, SN_ERR_FORMAT, 0, "not a file of Level-5's games");
    }
}

sn_vec4 level5_read_vector(level5_array array, uint32_t index)
{
    const uint8_t *at = array.data + (size_t)index * LEVEL5_VECTOR_BYTES;
    return (sn_vec4){ sni_load_f32(at), sni_load_f32(at + 4), sni_load_f32(at + 8), sni_load_f32(at + 12) };
}

void level5_read_matrix(level5_array matrices, uint32_t index, float out[16])
{
    sni_load_words(matrices.data + (size_t)index * LEVEL5_MATRIX_BYTES, out, 16);
}
