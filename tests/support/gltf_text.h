// glTF files for tests: JSON written with ' for ", numbers appended to a BIN chunk as they are needed.
#ifndef TEST_GLTF_TEXT_H
#define TEST_GLTF_TEXT_H

#include "base/diag.h"
#include "posed.h"

#define ASSET "'asset':{'version':'2.0'}"

enum { GLB_JSON = 0x4E4F534A, GLB_BIN = 0x004E4942, DRAFT_BYTES = 1 << 16 };
enum { I8 = 5120, U8 = 5121, I16 = 5122, U16 = 5123, U32 = 5125, F32 = 5126 };

// Bytes of fixed room; the numbers are little-endian.
typedef struct test_bytes {
    uint8_t data[DRAFT_BYTES];
    size_t size;
} test_bytes;

void put_u8(test_bytes *bytes, uint8_t value);
void put_u32(test_bytes *bytes, uint32_t value);
void put_bytes(test_bytes *bytes, const void *data, size_t size);
void put_glb_header(test_bytes *bytes, uint32_t version);                         // length: close_glb
void put_chunk(test_bytes *bytes, uint32_t type, const void *data, size_t size);  // as it is, not padded
void put_json_chunk(test_bytes *bytes, const char *json);                         // ' is ", padded with spaces
void close_glb(test_bytes *bytes);

// A .glb that grows: views and accessors over one BIN chunk, numbered from 0 in the order they are made.
typedef struct gltf_draft {
    test_bytes bin, file;
    char views[4096], accessors[8192];
    int view_count, accessor_count;
} gltf_draft;

gltf_draft *draft_start(void);  // one at a time; lives until the next
// Bytes, or numbers of two or four bytes, or rows of the latter. more: ",'byteStride':16".
#define draft_view(draft, data, size, more) \
    draft_numbers(draft, data, size, sizeof *(data) < 4 ? sizeof *(data) : 4, more)
int draft_numbers(gltf_draft *draft, const void *data, size_t size, size_t width, const char *more);
int draft_accessor(gltf_draft *draft, int view, int component, const char *type, uint32_t count, const char *more);
int draft_floats(gltf_draft *draft, const char *type, uint32_t count, const float *values);
int draft_u8(gltf_draft *draft, const char *type, uint32_t count, const uint8_t *values, const char *more);
int draft_u16(gltf_draft *draft, const char *type, uint32_t count, const uint16_t *values, const char *more);
void draft_close(gltf_draft *draft, const char *format, ...);  // the other members: "'nodes':[...]"

// Loading. A loaded model was checked and exercised; an error was checked.
sn_model *load_bytes(const void *data, size_t size, const sn_load_opts *opts);  // fails the test unless it loads
sn_model *load_draft(gltf_draft *draft, const char *format, ...);
sn_model *load_json(const char *json);  // ' is "
sn_model *load_raw(const char *json);   // as it is
sn_error refuse_bytes(const void *data, size_t size, const sn_load_opts *opts, sn_status status);
sn_error refuse_draft(gltf_draft *draft, sn_status status, const char *format, ...);
sn_error refuse_json(const char *json, sn_status status);
char *quoted(const char *text, char *out, size_t capacity);  // ' becomes "

bool warns_at(const sn_model *model, int32_t code, const char *path);

// open_ref: files by their cleaned names.
typedef struct test_shelf {
    struct {
        const char *name;
        const void *data;
        size_t size;
    } files[8];
    int calls, found;
    char asked[256];  // the last name
} test_shelf;

sn_load_opts shelf_opts(test_shelf *shelf);

#endif
