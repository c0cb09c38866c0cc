#include "mdx_bytes.h"

#include "mdl_case.h"
#include "warnings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

void mb_raw(mdx_bytes *b, const void *data, size_t size)
{
    assert_true(size <= MB_ROOM - b->size);
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

void mb_tag(mdx_bytes *b, const char *tag) { mb_raw(b, tag, 4); }
void mb_u8(mdx_bytes *b, unsigned value) { mb_raw(b, &(uint8_t){ (uint8_t)value }, 1); }

void mb_u16(mdx_bytes *b, unsigned value)
{
    mb_u8(b, value & 0xFF);
    mb_u8(b, value >> 8);
}

void mb_u32(mdx_bytes *b, uint32_t value)
{
    mb_u16(b, value & 0xFFFF);
    mb_u16(b, value >> 16);
}

void mb_f32(mdx_bytes *b, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    mb_u32(b, bits);
}

void mb_text(mdx_bytes *b, const char *text, size_t size)
{
    mb_raw(b, text, strlen(text));
    for (size_t i = strlen(text); i < size; i++) mb_u8(b, 0);
}

void mb_u32s(mdx_bytes *b, uint32_t count, const uint32_t *values)
{
    for (uint32_t i = 0; i < count; i++) mb_u32(b, values[i]);
}

void mb_f32s(mdx_bytes *b, uint32_t count, const float *values)
{
    for (uint32_t i = 0; i < count; i++) mb_f32(b, values[i]);
}

static void open_size(mdx_bytes *b, uint32_t uncounted)
{
    assert_true(b->depth < MB_DEPTH);
    b->open[b->depth].at = b->size;
    b->open[b->depth++].uncounted = uncounted;
    mb_u32(b, 0);
}

void mb_chunk(mdx_bytes *b, const char *tag)
{
    mb_tag(b, tag);
    open_size(b, 4);
}

void mb_sized(mdx_bytes *b) { open_size(b, 0); }

void mb_end(mdx_bytes *b)
{
    assert_true(b->depth > 0);
    size_t at = b->open[--b->depth].at;
    uint32_t size = (uint32_t)(b->size - at) - b->open[b->depth].uncounted;
    for (int i = 0; i < 4; i++) b->data[at + (size_t)i] = (uint8_t)(size >> 8 * i);
}

void mb_node(mdx_bytes *b, const char *name, int32_t id, int32_t parent, uint32_t flags)
{
    mb_sized(b);
    mb_text(b, name, 80);
    MB_U32S(b, (uint32_t)id, (uint32_t)parent, flags);
}

void mb_counting(mdx_bytes *b, uint32_t count, float first)
{
    for (uint32_t i = 0; i < count; i++) mb_f32(b, first + (float)i);
}

void mb_extent(mdx_bytes *b, float first) { mb_counting(b, 7, first); }

void mb_track(mdx_bytes *b, const char *tag, uint32_t count, uint32_t interpolation, int32_t global_sequence)
{
    mb_tag(b, tag);
    MB_U32S(b, count, interpolation, (uint32_t)global_sequence);
}

mdx_bytes *mdx_case_begin(mdx_case *c, uint32_t version)
{
    memset(c, 0, sizeof *c);
    mb_tag(&c->bytes, "MDLX");
    if (version) mb_chunk(&c->bytes, "VERS"), mb_u32(&c->bytes, version), mb_end(&c->bytes);
    return &c->bytes;
}

static bool parse(mdx_case *c)
{
    assert_int_equal(c->bytes.depth, 0);
    sn_allocator allocator = counting_allocator(&c->counts);
    sni_heap_init(&c->heap, &allocator, UINT64_MAX);
    sni_load_init(&c->load, &c->heap, NULL);
    sni_load_count_input(&c->load, c->bytes.size);
    sni_writer_init(&c->again, &c->heap);
    c->exact = malloc(c->bytes.size);
    assert_non_null(c->exact);
    memcpy(c->exact, c->bytes.data, c->bytes.size);
    return mdx_parse(&c->load, (sni_bytes){ c->exact, c->bytes.size }, &c->doc);
}

const mdx_doc *mdx_case_parse(mdx_case *c)
{
    if (!parse(c)) fail_msg("%s: %s", c->load.diag.error.path, c->load.diag.error.message);
    assert_int_equal(c->load.diag.depth, 0);
    mdx_write(&c->doc, &c->again);
    assert_false(c->again.failed);
    assert_int_equal(c->again.size, c->bytes.size);
    assert_memory_equal(c->again.data, c->bytes.data, c->bytes.size);
    return &c->doc;
}

const sn_error *mdx_case_refuse(mdx_case *c)
{
    assert_false(parse(c));
    assert_int_not_equal(c->load.diag.error.status, SN_OK);
    assert_true(c->load.diag.error.offset <= c->bytes.size);
    return &c->load.diag.error;
}

bool mdx_case_warns(const mdx_case *c, int32_t code, const char *path)
{
    return has_warning(&c->load.diag, code, path);
}

void mdx_case_close(mdx_case *c)
{
    if (c->again.size > 0 && c->doc.version != MDX_BATCHES_VERSION) expect_mdl_keeps(&c->doc);
    sni_writer_free(&c->again);
    sni_arena_free(&c->load.scratch);
    sni_arena_free(&c->load.keep);
    free(c->exact);
    assert_int_equal(c->counts.live_blocks, 0);
}

float mdx_float_at(mdx_array array, size_t index) { return sni_load_f32(array.data + 4 * index); }
uint32_t mdx_u32_at(mdx_array array, size_t index) { return sni_load_u32(array.data + 4 * index); }
