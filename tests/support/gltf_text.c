#include "gltf_text.h"
#include "check_model.h"
#include "little_endian.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void put_bytes(test_bytes *bytes, const void *data, size_t size)
{
    assert_true(size <= sizeof bytes->data - bytes->size);
    if (size > 0) memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

void put_u8(test_bytes *bytes, uint8_t value) { put_bytes(bytes, &value, 1); }

void put_u32(test_bytes *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++) put_u8(bytes, (uint8_t)(value >> (8 * i)));
}

void put_glb_header(test_bytes *bytes, uint32_t version)
{
    bytes->size = 0;
    put_bytes(bytes, "glTF", 4);
    put_u32(bytes, version);
    put_u32(bytes, 0);
}

void put_chunk(test_bytes *bytes, uint32_t type, const void *data, size_t size)
{
    put_u32(bytes, (uint32_t)size);
    put_u32(bytes, type);
    put_bytes(bytes, data, size);
}

char *quoted(const char *text, char *out, size_t capacity)
{
    size_t size = strlen(text);
    assert_true(size < capacity);
    for (size_t i = 0; i <= size; i++) out[i] = text[i] == '\'' ? '"' : text[i];
    return out;
}

void put_json_chunk(test_bytes *bytes, const char *json)
{
    char text[DRAFT_BYTES];
    quoted(json, text, sizeof text - 4);
    size_t size = strlen(text);
    while (size % 4) text[size++] = ' ';
    put_chunk(bytes, GLB_JSON, text, size);
}

void close_glb(test_bytes *bytes)
{
    for (int i = 0; i < 4; i++) bytes->data[8 + i] = (uint8_t)(bytes->size >> (8 * i));
}

gltf_draft *draft_start(void)
{
    static gltf_draft draft;
    memset(&draft, 0, sizeof draft);
    return &draft;
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void
append(char *text, size_t capacity, const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    int size = vsnprintf(text + used, capacity - used, format, args);
    va_end(args);
    assert_true(size >= 0 && (size_t)size < capacity - used);
}

int draft_numbers(gltf_draft *draft, const void *data, size_t size, size_t width, const char *more)
{
    while (draft->bin.size % 4) put_u8(&draft->bin, 0);
    append(draft->views, sizeof draft->views, "%s{'buffer':0,'byteOffset':%zu,'byteLength':%zu%s}",
           draft->view_count ? "," : "", draft->bin.size, size, more);
    put_bytes(&draft->bin, little_endian(data, size, width), size);
    return draft->view_count++;
}

int draft_accessor(gltf_draft *draft, int view, int component, const char *type, uint32_t count, const char *more)
{
    char place[32] = "";
    if (view >= 0) snprintf(place, sizeof place, "'bufferView':%d,", view);
    append(draft->accessors, sizeof draft->accessors, "%s{%s'componentType':%d,'type':'%s','count':%u%s}",
           draft->accessor_count ? "," : "", place, component, type, count, more);
    return draft->accessor_count++;
}

static uint32_t components(const char *type)
{
    if (strcmp(type, "MAT4") == 0) return 16;
    return strcmp(type, "SCALAR") == 0 ? 1 : (uint32_t)(type[3] - '0');
}

int draft_floats(gltf_draft *draft, const char *type, uint32_t count, const float *values)
{
    int view = draft_view(draft, values, sizeof *values * components(type) * count, "");
    return draft_accessor(draft, view, F32, type, count, "");
}

int draft_u8(gltf_draft *draft, const char *type, uint32_t count, const uint8_t *values, const char *more)
{
    return draft_accessor(draft, draft_view(draft, values, components(type) * count, ""), U8, type, count, more);
}

int draft_u16(gltf_draft *draft, const char *type, uint32_t count, const uint16_t *values, const char *more)
{
    return draft_accessor(draft, draft_view(draft, values, 2 * components(type) * count, ""), U16, type, count, more);
}

static void close_list(gltf_draft *draft, const char *format, va_list args)
{
    char json[DRAFT_BYTES] = "{" ASSET;
    if (draft->bin.size > 0) append(json, sizeof json, ",'buffers':[{'byteLength':%zu}]", draft->bin.size);
    if (draft->view_count) append(json, sizeof json, ",'bufferViews':[%s]", draft->views);
    if (draft->accessor_count) append(json, sizeof json, ",'accessors':[%s]", draft->accessors);
    size_t used = strlen(json);
    json[used++] = ',';
    int size = vsnprintf(json + used, sizeof json - used - 1, format, args);
    assert_true(size > 0 && (size_t)size < sizeof json - used - 1);
    append(json, sizeof json, "}");
    put_glb_header(&draft->file, 2);
    put_json_chunk(&draft->file, json);
    while (draft->bin.size % 4) put_u8(&draft->bin, 0);
    if (draft->bin.size > 0) put_chunk(&draft->file, GLB_BIN, draft->bin.data, draft->bin.size);
    close_glb(&draft->file);
}

void draft_close(gltf_draft *draft, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    close_list(draft, format, args);
    va_end(args);
}

sn_model *load_bytes(const void *data, size_t size, const sn_load_opts *opts)
{
    sn_error error;
    sn_model *model = sn_load_memory(data, size, opts, &error);
    if (!model)
        fail_msg("%s at byte %llu in %s: %s", sn_status_name(error.status), (unsigned long long)error.offset,
                 error.path, error.message);
    check_model(model);
    exercise_model(model);
    return model;
}

sn_error refuse_bytes(const void *data, size_t size, const sn_load_opts *opts, sn_status status)
{
    sn_error error;
    sn_model *model = sn_load_memory(data, size, opts, &error);
    if (model) {
        sn_model_free(model);
        fail_msg("it loads, it should be refused as %s", sn_status_name(status));
    }
    check_error(&error);
    if (error.status != status)
        fail_msg("refused as %s (%s), not as %s", sn_status_name(error.status), error.message, sn_status_name(status));
    return error;
}

sn_model *load_draft(gltf_draft *draft, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    close_list(draft, format, args);
    va_end(args);
    return load_bytes(draft->file.data, draft->file.size, NULL);
}

sn_error refuse_draft(gltf_draft *draft, sn_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    close_list(draft, format, args);
    va_end(args);
    return refuse_bytes(draft->file.data, draft->file.size, NULL, status);
}

sn_model *load_raw(const char *json) { return load_bytes(json, strlen(json), NULL); }

sn_model *load_json(const char *json)
{
    char text[DRAFT_BYTES];
    return load_raw(quoted(json, text, sizeof text));
}

sn_error refuse_json(const char *json, sn_status status)
{
    char text[DRAFT_BYTES];
    return refuse_bytes(quoted(json, text, sizeof text), strlen(json), NULL, status);
}

bool warns_at(const sn_model *model, int32_t code, const char *path)
{
    for (uint32_t i = 0; i < model->warning_count; i++) {
        if (model->warnings[i].code == code && strcmp(model->warnings[i].path, path) == 0) return true;
    }
    return false;
}

static bool shelf_open(void *user, const char *ref, const void **data, size_t *size)
{
    test_shelf *shelf = user;
    shelf->calls++;
    snprintf(shelf->asked, sizeof shelf->asked, "%s", ref);
    for (size_t i = 0; i < sizeof shelf->files / sizeof shelf->files[0]; i++) {
        if (!shelf->files[i].name || strcmp(shelf->files[i].name, ref) != 0) continue;
        *data = shelf->files[i].data;
        *size = shelf->files[i].size;
        shelf->found++;
        return true;
    }
    return false;
}

sn_load_opts shelf_opts(test_shelf *shelf) { return (sn_load_opts){ .open_ref = shelf_open, .user = shelf }; }
