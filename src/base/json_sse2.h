// Strings and white space of JSON, sixteen bytes at a time, with SSE2, which every x86-64 processor has. See skip_plain
// and skip_many in json.c.
#ifndef SNI_JSON_SSE2_H
#define SNI_JSON_SSE2_H

#include <emmintrin.h>
#include <stdint.h>

// A bit for each of sixteen bytes that is a quote, a backslash or a control character; those that are not ASCII go to
// `high`.
static inline uint32_t sni_json_mark_sixteen(const char *at, uint64_t *high)
{
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
    const __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    const __m128i backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);
    *high |= (uint32_t)_mm_movemask_epi8(bytes);
    return (uint32_t)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), control));
}

// A bit for each of sixteen bytes that is the same in both; those at `b` are aligned.
static inline uint32_t sni_json_mark_same(const char *a, const char *b)
{
    const __m128i left = _mm_loadu_si128((const __m128i *)(const void *)a);
    const __m128i right = _mm_load_si128((const __m128i *)(const void *)b);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(left, right));
}

// A bit for each of sixteen bytes that is not white space.
static inline uint32_t sni_json_mark_ink(const char *at)
{
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
    const __m128i blanks = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')),
                                        _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')));
    const __m128i rare = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\r')),
                                      _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\t')));
    return (uint32_t)_mm_movemask_epi8(_mm_or_si128(blanks, rare)) ^ 0xFFFFu;
}

#endif
