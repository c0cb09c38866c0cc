// Hand-made MDX files, by the format's description and not by sinew's writer.
//
//     mdx_bytes *b = mdx_case_begin(&c, 800);          // MDLX, VERS
//     mb_chunk(b, "HELP"), mb_node(b, "root", 0, -1, 0), mb_end(b), mb_end(b);
//     const mdx_doc *doc = mdx_case_parse(&c);          // good, and written again: the same bytes
//     mdx_case_close(&c);
#ifndef TEST_MDX_BYTES_H
#define TEST_MDX_BYTES_H

#include "counting_heap.h"
#include "format/mdx/mdx_doc.h"

enum { MB_ROOM = 1 << 16, MB_DEPTH = 8 };

typedef struct mdx_bytes {
    uint8_t data[MB_ROOM];
    size_t size;
    struct {
        size_t at;
        uint32_t uncounted;
    } open[MB_DEPTH];
    int depth;
} mdx_bytes;

void mb_raw(mdx_bytes *b, const void *data, size_t size);
void mb_tag(mdx_bytes *b, const char *tag);
void mb_u8(mdx_bytes *b, unsigned value);
void mb_u16(mdx_bytes *b, unsigned value);
void mb_u32(mdx_bytes *b, uint32_t value);
void mb_f32(mdx_bytes *b, float value);
void mb_text(mdx_bytes *b, const char *text, size_t size);  // filled with NULs
void mb_u32s(mdx_bytes *b, uint32_t count, const uint32_t *values);
void mb_f32s(mdx_bytes *b, uint32_t count, const float *values);
#define MB_U32S(b, ...) mb_u32s(b, sizeof((uint32_t[]){ __VA_ARGS__ }) / 4, (uint32_t[]){ __VA_ARGS__ })
#define MB_F32S(b, ...) mb_f32s(b, sizeof((float[]){ __VA_ARGS__ }) / 4, (float[]){ __VA_ARGS__ })

// Each is closed by mb_end, which fills in the size.
void mb_chunk(mdx_bytes *b, const char *tag);  // the size does not count tag and size
void mb_sized(mdx_bytes *b);                   // the size counts itself
void mb_node(mdx_bytes *b, const char *name, int32_t id, int32_t parent, uint32_t flags);
void mb_end(mdx_bytes *b);

void mb_extent(mdx_bytes *b, float first);  // first, first + 1 ... first + 6
void mb_track(mdx_bytes *b, const char *tag, uint32_t count, uint32_t interpolation, int32_t global_sequence);
void mb_counting(mdx_bytes *b, uint32_t count, float first);  // floats: first, first + 1, ...

// One file, its document, what it was written to again.
typedef struct mdx_case {
    mdx_bytes bytes;
    counting_heap counts;
    sni_heap heap;
    sni_load load;
    mdx_doc doc;
    sni_writer again;
    uint8_t *exact;  // of the exact size, so that sanitizers see reads past the end
} mdx_case;

mdx_bytes *mdx_case_begin(mdx_case *c, uint32_t version);  // 0: no VERS
const mdx_doc *mdx_case_parse(mdx_case *c);
const sn_error *mdx_case_refuse(mdx_case *c);
bool mdx_case_warns(const mdx_case *c, int32_t code, const char *path);
void mdx_case_close(mdx_case *c);  // MDL keeps the document; nothing stays allocated

// Values inside arrays of the document.
float mdx_float_at(mdx_array array, size_t index);
uint32_t mdx_u32_at(mdx_array array, size_t index);

#endif
