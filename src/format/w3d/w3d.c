// The W3D format, and the same as text: descriptor, probe, load.
#include <stdio.h>

#include "format/format.h"
#include "format/w3d/w3d_check.h"
#include "format/w3d/w3d_export.h"
#include "format/w3d/w3d_text.h"
#include "model/builder.h"

// Objects that may start a file, each with the child it starts with. Leaf objects have a fixed size instead.
typedef struct first_chunk {
    uint32_t id, child, size;
} first_chunk;

static const first_chunk first_chunks[] = {
    { W3D_MESH, W3D_MESH_HEADER3, 0 },
    { W3D_HIERARCHY, W3D_HIERARCHY_HEADER, 0 },
    { W3D_ANIMATION, W3D_ANIMATION_HEADER, 0 },
    { W3D_COMPRESSED, W3D_COMPRESSED_HEADER, 0 },
    { W3D_MORPH_ANIMATION, W3D_MORPH_HEADER, 0 },
    { W3D_HMODEL, W3D_HMODEL_HEADER, 0 },
    { W3D_LODMODEL, W3D_LODMODEL_HEADER, 0 },
    { W3D_COLLECTION, W3D_COLLECTION_HEADER, 0 },
    { W3D_LIGHT, W3D_LIGHT_INFO, 0 },
    { W3D_EMITTER, W3D_EMITTER_HEADER, 0 },
    { W3D_AGGREGATE, W3D_AGGREGATE_HEADER, 0 },
    { W3D_HLOD, W3D_HLOD_HEADER, 0 },
    { W3D_SPHERE, 1, 0 },
    { W3D_RING, 1, 0 },
    { W3D_DAZZLE, W3D_DAZZLE_NAME, 0 },
    { W3D_SOUND, W3D_SOUND_HEADER, 0 },
    { W3D_SHDMESH, W3D_SHDMESH_NAME, 0 },
    { W3D_BOX, 0, 68 },
    { W3D_NULL, 0, 48 },
};
enum { FIRST_CHUNK_COUNT = sizeof first_chunks / sizeof *first_chunks };

uint32_t w3d_header_id(uint32_t object)
{
    for (size_t i = 0; i < FIRST_CHUNK_COUNT; i++)
        if (first_chunks[i].id == object) return first_chunks[i].child;
    return 0;
}

// W3D has no magic number. A file is W3D when its first chunk is a known object that starts as such an object does;
// other formats with this extension (Warcraft III object data, Shockwave 3D) do not.
static int w3d_probe(sni_bytes bytes)
{
    if (w3d_text_probe(bytes)) return 95;
    if (bytes.size < 2 * W3D_CHUNK_HEADER_BYTES) return 0;
    uint32_t id = sni_load_u32(bytes.data), size = sni_load_u32(bytes.data + 4) & W3D_SIZE_MASK;
    uint32_t child = sni_load_u32(bytes.data + 8), child_size = sni_load_u32(bytes.data + 12) & W3D_SIZE_MASK;
    bool fits_file = size <= bytes.size - W3D_CHUNK_HEADER_BYTES;
    size_t i = 0;
    while (i < FIRST_CHUNK_COUNT && first_chunks[i].id != id) i++;
    if (i == FIRST_CHUNK_COUNT) return 0;
    if (first_chunks[i].size > 0) return size == first_chunks[i].size && fits_file ? 70 : 0;

    bool fits_parent = size >= W3D_CHUNK_HEADER_BYTES && child_size <= size - W3D_CHUNK_HEADER_BYTES;
    if (!fits_parent || child_size == 0) return 0;
    if (child == first_chunks[i].child) return fits_file ? 90 : 70;
    bool is_known = child != W3D_MESH && w3d_find_kind(child) < w3d_kind_count;
    return is_known && fits_file ? 20 : 0;
}

static const char *w3d_ending(sni_bytes bytes) { return w3d_text_probe(bytes) ? "w3d.json" : "w3d"; }

static bool w3d_load(sni_load *load, sni_bytes bytes, sn_model *model)
{
    w3d_doc *doc = sni_new(sni_load_document_arena(load), w3d_doc, 1);
    if (!doc) return false;
    doc->is_text = w3d_text_probe(bytes);
    if (doc->is_text && !w3d_text_parse(load, bytes, sni_load_document_arena(load), &bytes)) return false;
    if (!w3d_parse(load, bytes, doc)) return false;
    load->document = doc;
    if (load->opts && load->opts->keep_document) model->document = doc;
    return w3d_build(load, doc, model);
}

static bool w3d_write_document(sni_save *save, const void *document, const char *ending, sni_writer *out)
{
    const w3d_doc *doc = document;
    if (ending ? strcmp(ending, "w3d.json") == 0 : doc->is_text) w3d_text_write(doc, &save->scratch, out);
    else w3d_write(doc, out);
    return !out->failed;
}

static void w3d_locate_byte(const void *document, sni_bytes bytes, uint64_t offset, char path[112])
{
    const w3d_doc *doc = document;
    unsigned long long line = 1;
    if (!doc->is_text) {
        w3d_locate(doc, offset, path);
        return;
    }
    for (uint64_t i = 0; i < offset && i < bytes.size; i++) line += bytes.data[i] == '\n';
    snprintf(path, 112, "line %llu", line);
}

const sni_format sni_format_w3d = {
    .name = "w3d",
    .title = "Westwood 3D model",
    .extensions = "w3d w3d.json",
    .probe = w3d_probe,
    .ending = w3d_ending,
    .load = w3d_load,
    .save = w3d_save,
    .holds = w3d_fit,
    .write = w3d_write_document,
    .locate = w3d_locate_byte,
    .games = 1u << SN_GAME_GENERALS | 1u << SN_GAME_BFME,
    .check_game = w3d_check_game,
    .repair = w3d_repair,
    .part_names = &w3d_part_names,
};
