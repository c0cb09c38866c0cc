// MDS: the nodes, and which of the meshes behind them they own.
#include "format/level5/level5_parse.h"

#include <stdio.h>
#include <stdlib.h>

enum { MDS_HEADER = 16, VERSION = 1, MDS_MAGIC = 'M' | 'D' << 8 | 'S' << 16, MDT_MAGIC = 'M' | 'D' << 8 | 'T' << 16 };

// Answers where the nodes begin; Dark Cloud assumes it.
static uint64_t parse_header(sni_reader *file, level5_mds *mds)
{
    if (sni_read_u32(file) != MDS_MAGIC && sni_ok(file)) sni_fail(file->diag, SN_ERR_FORMAT, 0, "no MDS at the start");
    mds->version = sni_read_u32(file);
    if (sni_ok(file) && mds->version != VERSION)
        sni_fail(file->diag, SN_ERR_UNSUPPORTED, 4, "version %u; %u is known", mds->version, VERSION);
    mds->node_count = sni_read_u32(file);
    mds->first_node = sni_read_u32(file);
    if (!sni_ok(file) || (mds->first_node >= MDS_HEADER && mds->first_node <= mds->size)) return mds->first_node;
    sni_warn(file->diag, SNI_WARN_LEVEL5_SIZE, 12, "the first node should lie at byte %u; read from %u on",
             mds->first_node, MDS_HEADER);
    return MDS_HEADER;
}

static void read_node(sni_reader *in, level5_node *node)
{
    node->offset = sni_offset(in);
    node->index = sni_read_u32(in);
    node->record_bytes = sni_read_u32(in);
    const uint8_t *name = sni_take(in, LEVEL5_NAME_BYTES);
    node->name_field = (level5_array){ name, name ? LEVEL5_NAME_BYTES : 0 };
    node->name = name ? level5_cut_at_nul(name, LEVEL5_NAME_BYTES) : sni_str_make("", 0);
    node->mesh_offset = sni_read_u32(in);
    node->parent = sni_read_i32(in);
    sni_read_words(in, node->matrix, 16);
    node->mesh = LEVEL5_NONE;
}

// Dark Cloud 2 goes by the record's own size, which leads on only while there is room for the nodes that follow.
static void skip_to_next(sni_reader *in, const level5_node *node, uint32_t left)
{
    uint32_t over = node->record_bytes - LEVEL5_NODE_BYTES;
    if (node->record_bytes == LEVEL5_NODE_BYTES || left == 0) return;
    bool has_room = over <= sni_rest(in) && (sni_rest(in) - over) / LEVEL5_NODE_BYTES >= left;
    if (node->record_bytes > LEVEL5_NODE_BYTES && has_room) {
        sni_skip(in, over);
        return;
    }
    sni_warn(in->diag, SNI_WARN_LEVEL5_SIZE, node->offset + 4, "a node of %u bytes; taken for %u", node->record_bytes,
             LEVEL5_NODE_BYTES);
}

static void parse_nodes(level5_parser *p, sni_reader *in, level5_mds *mds)
{
    if (!sni_has_items(in, mds->node_count, LEVEL5_NODE_BYTES)) return;
    mds->nodes = sni_new_raw(p->arena, level5_node, mds->node_count);
    for (uint32_t i = 0; i < mds->node_count && sni_ok(in); i++) {
        sni_enter(p->diag, "NODE", i);
        read_node(in, &mds->nodes[i]);
        skip_to_next(in, &mds->nodes[i], mds->node_count - 1 - i);
        level5_claim(p, mds->nodes[i].offset, LEVEL5_NODE_BYTES);
        sni_leave(p->diag);
    }
}

// An offset that leads out of the file is that of a file cut short; one that leads elsewhere costs the node its mesh.
static bool has_mesh(level5_parser *p, const level5_node *node, uint32_t index)
{
    char label[LEVEL5_NAME_BYTES + 1];
    size_t size = p->bytes.size, at = node->mesh_offset;
    if (at == 0) return false;
    if (at <= size && size - at >= LEVEL5_MDT_BYTES && sni_load_u32(p->bytes.data + at) == MDT_MAGIC) return true;
    snprintf(label, sizeof label, "%.*s", (int)node->name.size, node->name.at);
    sni_enter_named(p->diag, "NODE", index, label);
    if (at > size || size - at < LEVEL5_MDT_BYTES)
        sni_fail(p->diag, SN_ERR_TRUNCATED, node->offset, "its mesh should lie at byte %zu, the file has %zu", at,
                 size);
    else
        sni_warn(p->diag, SNI_WARN_REFERENCE, node->offset, "its mesh should lie at byte %zu, where no MDT begins", at);
    sni_leave(p->diag);
    return false;
}

static int compare_offsets(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

// Each offset once, rising.
static uint32_t find_offsets(level5_parser *p, const level5_mds *mds, uint32_t *offsets)
{
    uint32_t count = 0, kept = 0;
    for (uint32_t i = 0; i < mds->node_count; i++)
        if (has_mesh(p, &mds->nodes[i], i)) offsets[count++] = mds->nodes[i].mesh_offset;
    if (count > 1) qsort(offsets, count, sizeof *offsets, compare_offsets);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || offsets[i] != offsets[kept - 1]) offsets[kept++] = offsets[i];
    return kept;
}

// A mesh ends where the next one begins, so that no byte is read for two of them.
static void parse_meshes(level5_parser *p, level5_mds *mds)
{
    uint32_t *offsets = sni_new_raw(&p->load->scratch, uint32_t, mds->node_count);
    if (!offsets) return;
    mds->mesh_count = find_offsets(p, mds, offsets);
    mds->meshes = sni_new(p->arena, level5_mesh, mds->mesh_count);
    for (uint32_t i = 0; i < mds->mesh_count && sni_load_ok(p->load); i++) {
        mds->meshes[i].offset = offsets[i];
        sni_enter(p->diag, "MDT", i);
        level5_parse_mesh(p, &mds->meshes[i], i + 1 < mds->mesh_count ? offsets[i + 1] : p->bytes.size);
        sni_leave(p->diag);
    }
    for (uint32_t i = 0; i < mds->node_count && mds->mesh_count > 0; i++) {
        const uint32_t *found = bsearch(&mds->nodes[i].mesh_offset, offsets, mds->mesh_count, sizeof *offsets,
                                        compare_offsets);
        if (found) mds->nodes[i].mesh = (int32_t)(found - offsets);
    }
}

bool level5_parse_mds(level5_parser *p, level5_mds *mds)
{
    sni_reader file = sni_reader_make(p->bytes.data, p->bytes.size, p->diag, p->arena);
    mds->size = p->bytes.size;
    uint64_t first = parse_header(&file, mds);
    level5_claim(p, 0, MDS_HEADER);
    sni_seek(&file, first);
    parse_nodes(p, &file, mds);
    if (sni_ok(&file)) parse_meshes(p, mds);
    return sni_ok(&file) && level5_keep_gaps(p, &mds->gaps, &mds->gap_count);
}
