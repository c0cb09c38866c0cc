#include "mdl_case.h"

#include "base/text.h"
#include "warnings.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool parse(mdx_mdl_case *c, const char *text, size_t size)
{
    memset(c, 0, sizeof *c);
    sn_allocator allocator = counting_allocator(&c->counts);
    sni_heap_init(&c->heap, &allocator, UINT64_MAX);
    sni_load_init(&c->load, &c->heap, NULL);
    sni_load_count_input(&c->load, size);
    c->exact = malloc(size ? size : 1);
    assert_non_null(c->exact);
    if (size > 0) memcpy(c->exact, text, size);
    return mdx_mdl_parse(&c->load, (sni_bytes){ (const uint8_t *)c->exact, size }, &c->doc);
}

static const mdx_doc *expect_good(mdx_mdl_case *c, const char *text, size_t size)
{
    if (!parse(c, text, size)) fail_msg("%s: %s", c->load.diag.error.path, c->load.diag.error.message);
    assert_int_equal(c->load.diag.depth, 0);
    return &c->doc;
}

const mdx_doc *mdx_mdl_case_read(mdx_mdl_case *c, const char *text) { return expect_good(c, text, strlen(text)); }

const mdx_doc *mdx_mdl_case_parse(mdx_mdl_case *c, const char *text)
{
    expect_good(c, text, strlen(text));
    expect_mdl_keeps(&c->doc);
    return &c->doc;
}

const mdx_doc *mdx_mdl_case_parse_quietly(mdx_mdl_case *c, const char *text)
{
    const mdx_doc *doc = mdx_mdl_case_parse(c, text);
    if (c->load.diag.first) fail_msg("%s: %s", c->load.diag.first->warning.path, c->load.diag.first->warning.message);
    return doc;
}

const sn_error *mdx_mdl_case_refuse(mdx_mdl_case *c, const char *text)
{
    assert_false(parse(c, text, strlen(text)));
    assert_int_not_equal(c->load.diag.error.status, SN_OK);
    assert_true(c->load.diag.error.offset <= strlen(text));
    return &c->load.diag.error;
}

uint32_t mdx_mdl_case_warnings(const mdx_mdl_case *c, int32_t code) { return count_warnings(&c->load.diag, code); }

void mdx_mdl_case_close(mdx_mdl_case *c)
{
    sni_arena_free(&c->load.scratch);
    sni_arena_free(&c->load.keep);
    free(c->exact);
    assert_int_equal(c->counts.live_blocks, 0);
}

// Drops what MDL cannot store. The document is then written as a new file, with its chunks in the usual order.
static void cut_text(sni_str *text)
{
    const char *end = text->size ? memchr(text->at, 0, text->size) : NULL;
    if (end) text->size = (size_t)(end - text->at);
}

static void cut_field(const mdx_field *field, void *at)
{
    if (field->type == MDX_NAME || field->type == MDX_PATH) cut_text(at);
    bool is_float = field->type == MDX_F32 || field->type == MDX_VEC3 || field->type == MDX_COLOR ||
                    field->type == MDX_EXTENT;
    size_t count = is_float ? mdx_type_bytes(field->type, 0) / 4 * field->count : 0;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(((float *)at)[i])) ((float *)at)[i] = 0;
}

static void cut_fields(const mdx_field *fields, uint32_t version, void *item)
{
    for (const mdx_field *field = fields; field->count; field++)
        if (mdx_has_field(field, version)) cut_field(field, (char *)item + field->offset);
}

static void cut_item(const mdx_doc *doc, const mdx_kind *kind, void *item)
{
    mdx_object *object = item;
    mdx_geoset *geoset = item;
    mdx_material *material = item;
    ((mdx_item *)item)->trailing = (mdx_array){ NULL, 0 };
    cut_fields(mdx_fields_of(kind, doc->version), doc->version, item);
    if (kind->is_node) cut_text(&object->node.name), object->node.trailing = (mdx_array){ NULL, 0 };
    if (kind->tag == MDX_GEOS) {
        cut_fields(mdx_geoset_fields, doc->version, item);
        geoset->skin_first = false;
        if (geoset->skin.count == 0) geoset->skin.data = NULL;
    }
    if (kind->tag != MDX_MTLS) return;
    for (uint32_t i = 0; i < material->layer_count; i++) {
        material->layers[i].item.trailing = (mdx_array){ NULL, 0 };
        cut_fields(mdx_layer_fields, doc->version, &material->layers[i]);
    }
}

static void drop_what_mdl_cannot_store(mdx_doc *doc)
{
    doc->chunks = (sni_list){ 0 };
    doc->trailing = (mdx_array){ NULL, 0 };
    cut_fields(mdx_model_fields, doc->version, &doc->model);
    for (const mdx_kind *kind = mdx_kinds; kind->tag; kind++) {
        mdx_list *list = mdx_list_of(doc, kind);
        for (uint32_t i = 0; i < list->count; i++) cut_item(doc, kind, (char *)list->items + i * kind->item_bytes);
    }
}

static void expect_same(const sni_writer *a, const sni_writer *b, const sni_writer *text)
{
    size_t size = a->size < b->size ? a->size : b->size, at = 0;
    while (at < size && a->data[at] == b->data[at]) at++;
    if (at == a->size && at == b->size) return;
    fail_msg("byte %zu of %zu and %zu differs; the MDL is\n%.*s", at, a->size, b->size,
             text->size > 20000 ? 20000 : (int)text->size, (const char *)text->data);
}

void expect_mdl_keeps(mdx_doc *doc)
{
    sni_heap heap;
    sni_writer text, before, after;
    mdx_mdl_case again;
    sni_heap_init(&heap, NULL, UINT64_MAX);
    sni_writer_init(&text, &heap), sni_writer_init(&before, &heap), sni_writer_init(&after, &heap);
    mdx_mdl_write(doc, &text);
    drop_what_mdl_cannot_store(doc);
    mdx_write(doc, &before);
    const mdx_doc *read = expect_good(&again, (const char *)text.data, text.size);
    mdx_write(read, &after);
    expect_same(&before, &after, &text);
    bool is_quiet = !again.load.diag.first || again.load.diag.first->warning.code == SNI_WARN_MDX_VERSION;
    if (!is_quiet)
        fail_msg("our own MDL gives a warning: %s\n%.*s", again.load.diag.first->warning.message,
                 text.size > 20000 ? 20000 : (int)text.size, (const char *)text.data);
    mdx_mdl_case_close(&again);
    sni_writer_free(&text), sni_writer_free(&before), sni_writer_free(&after);
    assert_int_equal(heap.used, 0);
}
