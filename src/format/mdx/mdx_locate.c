// In which part of the file a byte lies: "MTLS[2]/LAYS[0]/KMTA".
#include <stdio.h>

#include "format/mdx/mdx_doc.h"

// The innermost part with a name that begins at or before `target`; a tag of 0 is the owner's own bytes.
typedef struct spot {
    const uint8_t *file;
    uint64_t target, start;
    uint32_t tag;
} spot;

static void consider(spot *s, uint64_t start, uint32_t tag)
{
    if (start > s->target || start < s->start || (start == s->start && tag == 0)) return;
    s->start = start;
    s->tag = tag;
}

static void consider_array(spot *s, uint32_t tag, mdx_array array, size_t bytes, uint64_t header)
{
    if (!array.data) return;
    uint64_t data = (uint64_t)(array.data - s->file);
    consider(s, data - header, tag);
    consider(s, data + array.count * (uint64_t)bytes, 0);
}

static void consider_tracks(spot *s, mdx_tracks tracks, uint32_t version)
{
    for (uint32_t i = 0; i < tracks.count; i++) {
        const mdx_track *track = &tracks.items[i];
        consider(s, track->offset, track->kind->tag);
        consider(s,
                 (uint64_t)(track->keys.data - s->file) + track->keys.count * (uint64_t)mdx_key_bytes(track, version),
                 0);
    }
}

static void consider_geoset(spot *s, const mdx_geoset *geoset, bool is_alpha)
{
    for (const mdx_section *section = mdx_geoset_sections; section->tag; section++) {
        mdx_array array = *(const mdx_array *)(const void *)((const char *)geoset + section->array);
        consider_array(s, section->tag, array, is_alpha ? section->alpha_bytes : section->bytes, 8);
    }
    consider_array(s, MDX_TAG('T', 'A', 'N', 'G'), geoset->tangents, 16, 8);
    consider_array(s, MDX_TAG('S', 'K', 'I', 'N'), geoset->skin, 1, 8);
    for (uint32_t i = 0; i < geoset->uv_count; i++)
        consider_array(s, is_alpha ? MDX_TAG('U', 'V', 'A', 'S') : MDX_TAG('U', 'V', 'B', 'S'), geoset->uvs[i], 8, 8);
}

static void consider_layer(spot *s, const mdx_layer *layer, uint32_t version)
{
    for (uint32_t i = 0; i < layer->slot_count; i++) consider_tracks(s, layer->slots[i].tracks, version);
    consider_tracks(s, layer->item.tracks, version);
}

static size_t print(char *path, size_t used, size_t capacity, uint32_t tag, int64_t index)
{
    char name[5] = { 0 };
    for (int i = 0; i < 4; i++) name[i] = (char)(tag >> 8 * i & 0xFF);
    sni_text_clean_fixed(name, sizeof name);
    int size = snprintf(path + used, capacity - used, index < 0 ? "%s%s" : "%s%s[%lld]", used ? "/" : "", name,
                        (long long)index);
    return size < 0 || (size_t)size >= capacity - used ? used : used + (size_t)size;
}

static void locate_item(const mdx_doc *doc, const mdx_kind *kind, const void *item, spot *s, char *path, size_t used,
                        size_t capacity)
{
    const mdx_item *own = item;
    s->start = own->offset;
    if (kind->is_node) {
        bool is_sized = mdx_is_alpha(doc) ? kind->alpha_sized : kind->is_sized;
        uint64_t node = own->offset + (is_sized ? 4 : 0);
        consider_tracks(s, ((const mdx_object *)item)->node.tracks, doc->version);
        consider(s, node + sni_load_u32(s->file + node), 0);
    }
    if (kind->tag == MDX_TAG('G', 'E', 'O', 'S')) consider_geoset(s, item, mdx_is_alpha(doc));
    if (kind->tag == MDX_TAG('E', 'V', 'T', 'S'))
        consider_array(s, MDX_TAG('K', 'E', 'V', 'T'), ((const mdx_event *)item)->times, 4, 12);
    if (kind->tag == MDX_TAG('M', 'T', 'L', 'S')) {
        const mdx_material *material = item;
        uint32_t i = material->layer_count;
        while (i > 0 && material->layers[i - 1].item.offset > s->target) i--;
        if (i > 0) {
            used = print(path, used, capacity, MDX_TAG('L', 'A', 'Y', 'S'), i - 1);
            consider_layer(s, &material->layers[i - 1], doc->version);
        }
    }
    consider_tracks(s, own->tracks, doc->version);
    if (s->tag) print(path, used, capacity, s->tag, -1);
}

void mdx_locate(const mdx_doc *doc, sni_bytes bytes, uint64_t offset, char *path, size_t capacity)
{
    path[0] = 0;
    const mdx_chunk *chunks = doc ? doc->chunks.items : NULL;
    uint32_t at = doc ? doc->chunks.count : 0;
    while (at > 0 && chunks[at - 1].offset > offset) at--;
    if (at == 0 || (doc->stray.data && offset >= (uint64_t)(doc->stray.data - bytes.data))) return;
    const mdx_chunk *chunk = &chunks[at - 1];
    const mdx_kind *kind = mdx_find_chunk_kind(doc, chunk->tag);
    uint32_t item = kind ? chunk->count : 0;
    bool is_behind = chunk->raw.data && offset >= (uint64_t)(chunk->raw.data - bytes.data);
    const char *items = kind ? ((const mdx_list *)(const void *)((const char *)doc + kind->list))->items : NULL;
    while (item > 0 &&
           ((const mdx_item *)(const void *)(items + (chunk->first + item - 1) * kind->item_bytes))->offset > offset)
        item--;
    if (item == 0 || is_behind) {
        print(path, 0, capacity, chunk->tag, -1);
        return;
    }
    uint32_t index = chunk->first + item - 1;
    spot s = { .file = bytes.data, .target = offset };
    locate_item(doc, kind, items + index * kind->item_bytes, &s, path, print(path, 0, capacity, chunk->tag, index),
                capacity);
}

void mdx_locate_line(sni_bytes bytes, uint64_t offset, char *path, size_t capacity)
{
    unsigned long long line = 1;
    for (uint64_t i = 0; i < offset && i < bytes.size; i++) line += bytes.data[i] == '\n';
    snprintf(path, capacity, "line %llu", line);
}
