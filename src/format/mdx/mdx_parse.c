// MDX: bytes to document. The file is a row of chunks; what cannot be read is an error with its numbers, what can be
// set aside is kept as bytes.
#include "format/mdx/mdx_parse.h"

enum { CHUNK_HEADER = 8, MOST_STRAY = 8, OLDEST = 800, NODE_BYTES = 96 };

static const uint32_t UNCOUNTED = UINT32_MAX;

typedef struct chunk_header {
    uint32_t tag, size;
} chunk_header;

static chunk_header read_header(sni_reader *file)
{
    chunk_header header;
    header.tag = sni_read_u32(file);
    header.size = sni_read_u32(file);
    return header;
}

// VERS decides how all else is read, so it is looked for first; this stops where the walk will fail.
static bool find_version(sni_reader file, uint32_t *version)
{
    while (sni_rest(&file) >= CHUNK_HEADER) {
        chunk_header header = read_header(&file);
        if (header.size > sni_rest(&file)) return false;
        if (header.tag == MDX_TAG('V', 'E', 'R', 'S') && header.size >= 4) {
            *version = sni_load_u32(file.at);
            return true;
        }
        sni_skip(&file, header.size);
    }
    return false;
}

static bool check_version(sni_reader *file, mdx_doc *doc)
{
    doc->version = OLDEST;
    if (!find_version(*file, &doc->version))
        sni_warn(file->diag, SNI_WARN_MDX_CHUNK, 4, "no VERS says which version this is; taken for %u", OLDEST);
    return mdx_check_version(file->diag, 4, doc->version);
}

// The least that an element takes: what must be there before it is begun.
static size_t least_bytes(const mdx_parser *p, const mdx_kind *kind)
{
    bool is_alpha = mdx_is_alpha(p->doc);
    if (is_alpha ? kind->alpha_sized : kind->is_sized) return 4;
    return kind->is_node
               ? NODE_BYTES
               : mdx_fields_bytes(is_alpha ? kind->alpha_fields : kind->fields, MDX_ALL_FIELDS, p->doc->version);
}

// 1300 counts its elements; the others go on until the chunk ends.
static uint32_t read_item_count(const mdx_parser *p, const mdx_kind *kind, sni_reader *in, mdx_chunk *chunk)
{
    if (!mdx_is_alpha(p->doc) || !kind->alpha_counted) return UNCOUNTED;
    chunk->is_bare = sni_rest(in) < (mdx_has_second_word(kind) ? 8 : 4);
    if (chunk->is_bare) return 0;
    uint32_t count = sni_read_u32(in);
    if (mdx_has_second_word(kind)) chunk->unused = sni_read_u32(in);
    return sni_has_items(in, count, least_bytes(p, kind)) ? count : 0;
}

static void parse_items(mdx_parser *p, const mdx_kind *kind, sni_reader *in, mdx_chunk *chunk)
{
    mdx_list *list = mdx_list_of(p->doc, kind);
    sni_enter(in->diag, kind->name, -1);
    uint32_t count = read_item_count(p, kind, in, chunk);
    sni_leave(in->diag);
    bool is_counted = count != UNCOUNTED;
    size_t least = least_bytes(p, kind);
    chunk->first = list->count;
    while (sni_ok(in) && (is_counted ? chunk->count < count : sni_rest(in) >= least)) {
        sni_enter(in->diag, kind->name, list->count);
        void *item = sni_list_push(in->arena, list, kind->item_bytes);
        if (item) mdx_parse_item(p, kind, in, item);
        sni_leave(in->diag);
        chunk->count++;
    }
    sni_enter(in->diag, kind->name, -1);
    chunk->raw = mdx_keep_rest(in, "element");
    sni_leave(in->diag);
}

static void parse_bind_pose(sni_reader *in, mdx_doc *doc)
{
    uint32_t count = sni_read_u32(in);
    doc->bind_pose = mdx_take_array(in, count, 48);
}

// Chunks that there is one of. False where this one comes again or is too short.
static bool parse_single(mdx_parser *p, sni_reader *in, uint32_t tag)
{
    mdx_doc *doc = p->doc;
    size_t least = tag == MDX_TAG('M', 'O', 'D', 'L') ? mdx_fields_bytes(mdx_model_fields, MDX_ALL_FIELDS, doc->version)
                   : tag == MDX_TAG('V', 'E', 'R', 'S') || tag == MDX_TAG('B', 'P', 'O', 'S') ? 4
                                                                                              : 0;
    if (sni_rest(in) < least) return false;
    switch (tag) {
    case MDX_TAG('V', 'E', 'R', 'S'):
        if (p->has_version) return false;
        p->has_version = true;
        sni_skip(in, 4);
        return true;
    case MDX_TAG('M', 'O', 'D', 'L'):
        if (doc->model.name.at) return false;
        mdx_parse_fields(p, in, mdx_model_fields, MDX_ALL_FIELDS, &doc->model);
        return true;
    case MDX_TAG('G', 'L', 'B', 'S'):
        if (doc->global_sequences.data) return false;
        doc->global_sequences = mdx_take_array(in, sni_rest_count(in, 4), 4);
        return true;
    case MDX_TAG('P', 'I', 'V', 'T'):
        if (doc->pivots.data) return false;
        doc->pivots = mdx_take_array(in, sni_rest_count(in, 12), 12);
        return true;
    case MDX_TAG('B', 'P', 'O', 'S'):
        if (doc->bind_pose.data) return false;
        parse_bind_pose(in, doc);
        return true;
    default:
        if (p->has_collision) return false;
        p->has_collision = true;
        for (const mdx_section *section = mdx_collision_sections; section->tag; section++)
            mdx_parse_section(p, in, section, doc);
        return true;
    }
}

static bool is_single(const mdx_doc *doc, uint32_t tag)
{
    switch (tag) {
    case MDX_TAG('V', 'E', 'R', 'S'):
    case MDX_TAG('M', 'O', 'D', 'L'):
    case MDX_TAG('G', 'L', 'B', 'S'):
    case MDX_TAG('P', 'I', 'V', 'T'):
    case MDX_TAG('B', 'P', 'O', 'S'): return true;
    case MDX_TAG('C', 'L', 'I', 'D'): return mdx_is_alpha(doc);
    default: return false;
    }
}

static void parse_other(mdx_parser *p, sni_reader *in, mdx_chunk *chunk, const char *name)
{
    uint32_t size = sni_rest_count(in, 1);
    bool is_known = is_single(p->doc, chunk->tag);
    sni_enter(in->diag, name, -1);
    if (is_known && parse_single(p, in, chunk->tag)) {
        chunk->count = 1;
        chunk->raw = mdx_keep_rest(in, "value");
    } else {
        if (is_known)
            sni_warn(in->diag, SNI_WARN_MDX_CHUNK, chunk->offset, "this chunk of %u bytes comes again or is too short",
                     size);
        else sni_warn(in->diag, SNI_WARN_MDX_UNKNOWN, chunk->offset, "%u bytes", size);
        chunk->raw = mdx_take_array(in, size, 1);
    }
    sni_leave(in->diag);
}

static void parse_chunk(mdx_parser *p, sni_reader *file)
{
    mdx_chunk *chunk = sni_push(file->arena, &p->doc->chunks, mdx_chunk);
    if (!chunk) return;
    char name[5];
    uint64_t offset = sni_offset(file);
    chunk_header header = read_header(file);
    mdx_tag_name(header.tag, name);
    sni_enter(file->diag, name, -1);
    if (header.size > sni_rest(file))
        sni_fail(file->diag, SN_ERR_TRUNCATED, offset, "the chunk has %u bytes, %zu remain", header.size,
                 sni_rest(file));
    sni_leave(file->diag);
    sni_reader in = sni_read_window(file, header.size);
    if (!sni_ok(file)) return;
    chunk->tag = header.tag;
    chunk->offset = offset;
    const mdx_kind *kind = mdx_find_chunk_kind(p->doc, header.tag);
    if (mdx_has_batches(p->doc, kind)) mdx_parse_batches(p, &in, chunk);
    else if (kind) parse_items(p, kind, &in, chunk);
    else parse_other(p, &in, chunk, name);
}

// Up to eight bytes that are no chunk are found behind the last one.
static bool is_stray(const sni_reader *file)
{
    size_t rest = sni_rest(file);
    return rest < CHUNK_HEADER || (rest <= MOST_STRAY && sni_load_u32(file->at + 4) > rest - CHUNK_HEADER);
}

bool mdx_parse(sni_load *load, sni_bytes bytes, mdx_doc *doc)
{
    mdx_parser parser = { .doc = doc };
    sni_reader file = sni_reader_make(bytes.data, bytes.size, &load->diag, sni_load_document_arena(load));
    if (sni_read_u32(&file) != MDX_TAG('M', 'D', 'L', 'X') && sni_ok(&file))
        return sni_fail(&load->diag, SN_ERR_FORMAT, 0, "no MDLX at the start");
    if (!sni_ok(&file) || !check_version(&file, doc)) return false;
    while (sni_ok(&file) && !is_stray(&file)) parse_chunk(&parser, &file);
    if (!sni_ok(&file)) return false;
    if (doc->chunks.count == 0)
        return sni_fail(&load->diag, SN_ERR_TRUNCATED, 4, "no chunk follows, %zu bytes remain", sni_rest(&file));
    doc->stray = mdx_keep_rest(&file, "chunk");
    return sni_ok(&file);
}
