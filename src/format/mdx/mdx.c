// MDX and MDL: the format's descriptor. Probing, loading (parse, then build), writing the document again, and naming
// the part of a file that a byte belongs to.
#include <stdio.h>

#include "format/format.h"
#include "format/mdx/mdx_build.h"
#include "format/mdx/mdx_check.h"
#include "format/mdx/mdx_export.h"

static bool is_binary(sni_bytes bytes) { return bytes.size >= 4 && sni_load_u32(bytes.data) == MDX_MDLX; }

// Skips a byte order mark, white space and comments: many tools start with a banner.
static const uint8_t *skip_to_word(const uint8_t *at, const uint8_t *end)
{
    if (end - at >= 3 && at[0] == 0xEF && at[1] == 0xBB && at[2] == 0xBF) at += 3;
    while (at < end) {
        if (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n') at++;
        else if (end - at >= 2 && at[0] == '/' && at[1] == '/')
            while (at < end && *at != '\n') at++;
        else break;
    }
    return at;
}

// Text is MDL when it starts with the name of a block, followed by what may follow one: a name, a count or a brace.
static int probe_text(sni_bytes bytes)
{
    // clang-format off
    static const char *const blocks[] = {
        "Version", "Model", "Sequences", "GlobalSequences", "Textures", "Materials", "TextureAnims", "Geoset",
        "GeosetAnim", "Bone", "Light", "Helper", "Attachment", "PivotPoints", "ParticleEmitter", "ParticleEmitter2",
        "ParticleEmitterPopcorn", "RibbonEmitter", "EventObject", "Camera", "CollisionShape", "FaceFX", "BindPose"
    };
    // clang-format on
    const uint8_t *end = bytes.data + bytes.size, *word = skip_to_word(bytes.data, end), *at = word;
    while (at < end && (((*at | 32) >= 'a' && (*at | 32) <= 'z') || *at == '2')) at++;
    const uint8_t *next = skip_to_word(at, end);
    if (next < end && *next != '{' && *next != '"' && (*next < '0' || *next > '9')) return 0;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (sni_str_is_nocase(sni_str_make((const char *)word, (size_t)(at - word)), blocks[i])) return 60;
    return 0;
}

static int mdx_probe(sni_bytes bytes) { return is_binary(bytes) ? 100 : probe_text(bytes); }

static const char *mdx_ending(sni_bytes bytes) { return is_binary(bytes) ? "mdx" : "mdl"; }

bool mdx_build(sni_load *load, const mdx_doc *doc, sn_model *model)
{
    mdx_builder b = { .load = load, .doc = doc, .core = sni_builder_of_load(load), .geoset_node = -1 };
    b.wrap = load->opts && load->opts->continuous ? SN_WRAP_CYCLE : SN_WRAP_CYCLE_GAME;
    model->format = "mdx";
    model->up_axis = SN_Z_UP;
    model->name = b.name = mdx_clean_text(&b, doc->model.name, 0);
    bool is_built = mdx_build_nodes(&b) && mdx_build_materials(&b) && mdx_build_geosets(&b) && mdx_build_lights(&b) &&
                    mdx_build_cameras(&b) && mdx_build_clips(&b) && mdx_build_events(&b) && mdx_build_shapes(&b) &&
                    mdx_build_attachments(&b);
    model->extras = mdx_model_extras(&b);
    sni_warn_many(&load->diag, SNI_WARN_REFERENCE, b.bad_globals, 0,
                  "a track uses a global sequence beyond the last of %u", doc->global_sequences.count);
    model->lod_count = b.lod_count;
    return is_built && sni_builder_finish(&b.core, model);
}

static bool mdx_load(sni_load *load, sni_bytes bytes, sn_model *model)
{
    mdx_doc *doc = sni_new(sni_load_document_arena(load), mdx_doc, 1);
    if (!doc || !(is_binary(bytes) ? mdx_parse : mdx_mdl_parse)(load, bytes, doc)) return false;
    doc->is_text = !is_binary(bytes);
    load->document = doc;
    if (load->opts && load->opts->keep_document) model->document = doc;
    return mdx_build(load, doc, model);
}

// Bytes that have no place in MDL: unknown chunks, and what follows the known part of a chunk or the last chunk.
static void report_text_losses(sni_save *save, const mdx_doc *doc)
{
    const mdx_chunk *chunks = doc->chunks.items;
    for (uint32_t i = 0; i < doc->chunks.count && !doc->is_text; i++) {
        char name[5];
        if (chunks[i].raw.count == 0) continue;
        mdx_tag_name(chunks[i].tag, name);
        sni_enter(&save->diag, name, -1);
        sni_warn(&save->diag, SNI_WARN_LOST_CONTENT, chunks[i].offset, "%u bytes were left out: MDL cannot store them",
                 chunks[i].raw.count);
        sni_leave(&save->diag);
    }
    if (doc->trailing.count > 0)
        sni_warn(&save->diag, SNI_WARN_LOST_CONTENT, 0, "%u bytes after the last chunk were left out",
                 doc->trailing.count);
}

static bool mdx_write_document(sni_save *save, const void *document, const char *ending, sni_writer *out)
{
    const mdx_doc *doc = document;
    bool is_text = ending ? strcmp(ending, "mdl") == 0 : doc->is_text;
    if (is_text && doc->version == MDX_BATCHES_VERSION)
        return sni_fail(&save->diag, SN_ERR_UNSUPPORTED, 0, "MDL cannot store the geosets of version %u", doc->version);
    if (is_text) report_text_losses(save, doc);
    (is_text ? mdx_mdl_write : mdx_write)(doc, out);
    return !out->failed;
}

// Finds the innermost named part that starts at or before `target`. A tag of 0 means the element's own bytes.
typedef struct part_search {
    const uint8_t *file;
    uint64_t target, start;
    uint32_t tag;
} part_search;

static void search_part(part_search *s, uint64_t start, uint32_t tag)
{
    if (start > s->target || start < s->start || (start == s->start && tag == 0)) return;
    s->start = start;
    s->tag = tag;
}

static void search_array(part_search *s, uint32_t tag, mdx_array array, size_t bytes, uint64_t header)
{
    if (!array.data) return;
    uint64_t data = (uint64_t)(array.data - s->file);
    search_part(s, data - header, tag);
    search_part(s, data + array.count * (uint64_t)bytes, 0);
}

static void search_tracks(part_search *s, mdx_tracks tracks, uint32_t version)
{
    for (uint32_t i = 0; i < tracks.count; i++) {
        const mdx_track *track = &tracks.items[i];
        uint64_t keys = (uint64_t)(track->keys.data - s->file);
        search_part(s, track->offset, track->kind->tag);
        search_part(s, keys + track->keys.count * (uint64_t)mdx_key_bytes(track, version), 0);
    }
}

static void search_geoset(part_search *s, const mdx_doc *doc, const mdx_geoset *geoset)
{
    for (const mdx_section *section = mdx_geoset_sections; section->tag; section++) {
        mdx_array array = *(const mdx_array *)(const void *)((const char *)geoset + section->array);
        search_array(s, section->tag, array, mdx_section_bytes(doc, section), 8);
    }
    search_array(s, MDX_TANG, geoset->tangents, 16, 8);
    search_array(s, MDX_SKIN, geoset->skin, 1, 8);
    for (uint32_t i = 0; i < geoset->uv_count; i++)
        search_array(s, mdx_is_wow(doc) ? MDX_UVAS : MDX_UVBS, geoset->uvs[i], 8, 8);
}

// Appends "/TAG" or "/TAG[index]"; the path stays as it is when there is no room.
static size_t append_tag(char *path, size_t used, size_t capacity, uint32_t tag, int64_t index)
{
    char name[5];
    mdx_tag_name(tag, name);
    int size = snprintf(path + used, capacity - used, index < 0 ? "%s%s" : "%s%s[%lld]", used ? "/" : "", name,
                        (long long)index);
    return size < 0 || (size_t)size >= capacity - used ? used : used + (size_t)size;
}

static void locate_in_element(const mdx_doc *doc, const mdx_kind *kind, const void *element, part_search *s, char *path,
                              size_t used, size_t capacity)
{
    const mdx_item *item = element;
    s->start = item->offset;
    if (kind->is_node) {
        uint64_t node = item->offset + (mdx_is_sized(doc, kind) ? 4 : 0);
        search_tracks(s, ((const mdx_object *)element)->node.tracks, doc->version);
        search_part(s, node + sni_load_u32(s->file + node), 0);
    }
    if (kind->tag == MDX_GEOS) search_geoset(s, doc, element);
    if (kind->tag == MDX_EVTS) search_array(s, MDX_KEVT, ((const mdx_event *)element)->times, 4, 12);
    if (kind->tag == MDX_MTLS) {
        const mdx_material *material = element;
        uint32_t i = material->layer_count;
        while (i > 0 && material->layers[i - 1].item.offset > s->target) i--;
        if (i > 0) {
            const mdx_layer *layer = &material->layers[i - 1];
            used = append_tag(path, used, capacity, MDX_LAYS, i - 1);
            for (uint32_t k = 0; k < layer->slot_count; k++) search_tracks(s, layer->slots[k].tracks, doc->version);
            search_tracks(s, layer->item.tracks, doc->version);
        }
    }
    search_tracks(s, item->tracks, doc->version);
    if (s->tag) append_tag(path, used, capacity, s->tag, -1);
}

// "MTLS[2]/LAYS[0]/KMTA"; empty for bytes outside all chunks. MDL: "line 12".
static void mdx_locate(const void *document, sni_bytes bytes, uint64_t offset, char path[112])
{
    enum { CAPACITY = 112 };
    const mdx_doc *doc = document;
    path[0] = 0;
    if (doc->is_text) {
        unsigned long long line = 1;
        for (uint64_t i = 0; i < offset && i < bytes.size; i++) line += bytes.data[i] == '\n';
        snprintf(path, CAPACITY, "line %llu", line);
        return;
    }

    const mdx_chunk *chunks = doc->chunks.items;
    uint32_t at = doc->chunks.count;
    while (at > 0 && chunks[at - 1].offset > offset) at--;
    if (at == 0 || (doc->trailing.data && offset >= (uint64_t)(doc->trailing.data - bytes.data))) return;

    const mdx_chunk *chunk = &chunks[at - 1];
    const mdx_kind *kind = mdx_find_chunk_kind(doc, chunk->tag);
    uint32_t count = kind ? chunk->count : 0;
    while (count > 0) {
        const mdx_item *item = mdx_element_at(doc, kind, chunk->first + count - 1);
        if (item->offset <= offset) break;
        count--;
    }
    bool is_after_elements = chunk->raw.data && offset >= (uint64_t)(chunk->raw.data - bytes.data);
    if (count == 0 || is_after_elements) {
        append_tag(path, 0, CAPACITY, chunk->tag, -1);
        return;
    }
    uint32_t index = chunk->first + count - 1;
    part_search s = { .file = bytes.data, .target = offset };
    size_t used = append_tag(path, 0, CAPACITY, chunk->tag, index);
    locate_in_element(doc, kind, mdx_element_at(doc, kind, index), &s, path, used, CAPACITY);
}

const sni_format sni_format_mdx = {
    .name = "mdx",
    .title = "Warcraft III model",
    .extensions = "mdx mdl",
    .probe = mdx_probe,
    .ending = mdx_ending,
    .load = mdx_load,
    .save = mdx_save,
    .holds = mdx_fit,
    .write = mdx_write_document,
    .locate = mdx_locate,
    .games = 1u << SN_GAME_WARCRAFT_3 | 1u << SN_GAME_REFORGED,
    .has_extents = true,
    .check_game = mdx_check_game,
    .repair = mdx_repair,
};
