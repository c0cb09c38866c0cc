#include "io/labels.h"

// More than any game has. Files that are packed must be unpacked whole.
enum { FILES_MAX = 65536, LABEL_BYTES = 64 };
static const uint64_t PACKED_MAX = 512 << 20;

typedef struct sni_label {
    sni_str text;
    const char *file;
    char kind;
} sni_label;

bool sni_peek_read(const sni_peek *peek, uint64_t at, void *out, size_t size)
{
    if (at > peek->size || size > peek->size - at) return false;
    if (!peek->data) return sni_file_part_read(&peek->part, at, out, size);
    memcpy(out, peek->data + at, size);
    return true;
}

static uint32_t hash_of(char kind, sni_str text) { return sni_hash_nocase(text) ^ (uint8_t)kind; }

bool sni_peek_add(sni_peek *peek, char kind, sni_str text)
{
    sni_labels *labels = peek->labels;
    const uint32_t hash = hash_of(kind, text);
    if (text.size == 0 || text.size > LABEL_BYTES) return true;
    for (sni_map_cursor at = sni_map_find(&labels->map, hash); sni_map_next(&labels->map, &at);) {
        const sni_label *known = &((const sni_label *)labels->items.items)[at.item];
        if (known->file == peek->name && known->kind == kind && sni_str_equal_nocase(known->text, text)) return true;
    }
    const char *copy = sni_copy_text(peek->arena, text.at, text.size);
    sni_label *label = copy ? sni_push(peek->arena, &labels->items, sni_label) : NULL;
    if (!label) return false;
    *label = (sni_label){ sni_str_make(copy, text.size), peek->name, kind };
    return sni_map_add(&labels->map, peek->arena, hash, labels->items.count - 1);
}

static bool take_file(sni_labels *labels)
{
    labels->is_cut |= labels->file_count >= FILES_MAX || labels->bytes > PACKED_MAX;
    labels->file_count += !labels->is_cut;
    return !labels->is_cut;
}

static bool add_part(sni_labels *labels, const sni_labeller *labeller, sni_file_part *part, const char *name,
                     sni_arena *arena)
{
    sni_peek peek = { .part = *part, .size = part->size, .name = name, .labels = labels, .arena = arena };
    bool is_read = !take_file(labels) || labeller->read(&peek);
    sni_file_part_close(part);
    return is_read;
}

bool sni_labels_add_path(sni_labels *labels, const sni_labeller *labeller, const char *path, const char *name,
                         sni_arena *arena)
{
    sni_file_part part;
    return !sni_file_part_open(path, 0, UINT64_MAX, &part) || add_part(labels, labeller, &part, name, arena);
}

bool sni_labels_add_bytes(sni_labels *labels, const sni_labeller *labeller, sni_bytes bytes, const char *name,
                          sni_arena *arena)
{
    sni_peek peek = { .data = bytes.data, .size = bytes.size, .name = name, .labels = labels, .arena = arena };
    labels->bytes += bytes.size;
    return bytes.size == 0 || !take_file(labels) || labeller->read(&peek);
}

// The part of a file on disk that has these contents as they are. False: they are packed.
static bool open_unpacked(const sn_archive *archive, const sni_archive_entry *entry, sni_file_part *part)
{
    uint64_t at;
    uint8_t head[16];
    const char *path = archive->kind && archive->kind->locate ? archive->kind->locate(archive, entry, &at) : NULL;
    if (!path || !sni_file_part_open(path, at, entry->size, part)) return false;
    if (!sni_file_part_read(part, 0, head, sizeof head) || !sni_refpack_is((sni_bytes){ head, sizeof head }))
        return true;
    sni_file_part_close(part);
    return false;
}

bool sni_labels_add_entry(sni_labels *labels, const sni_labeller *labeller, const sn_archive *archive,
                          const sni_archive_entry *entry, sni_arena *arena)
{
    const char *name = sni_last_name(entry->name);
    sni_file_part part;
    if (labels->is_cut) return true;
    if (open_unpacked(archive, entry, &part)) return add_part(labels, labeller, &part, name, arena);
    sni_heap heap;
    sni_arena scratch;
    sni_diag diag;
    sni_bytes bytes;
    sni_diag_init(&diag, NULL);
    sni_heap_init(&heap, &arena->heap->allocator, 2 * archive->file_limit + (1 << 20));
    heap.diag = &diag;
    sni_arena_init(&scratch, &heap);
    bool is_read = !sni_archive_read(archive, entry, &scratch, &diag, &bytes) ||
                   sni_labels_add_bytes(labels, labeller, bytes, name, arena);
    sni_arena_free(&scratch);
    if (diag.error.status != SN_ERR_MEMORY) return is_read;
    return sni_fail(arena->heap->diag, SN_ERR_MEMORY, 0, "%s", diag.error.message);
}

bool sni_labels_add_archive(sni_labels *labels, const sni_labeller *labeller, const sn_archive *archive,
                            sni_arena *arena)
{
    for (uint32_t i = 0; i < archive->entries.count; i++) {
        const sni_archive_entry *entry = archive->by_last_name[i];
        if (sni_has_ending(entry->name, labeller->endings) &&
            !sni_labels_add_entry(labels, labeller, archive, entry, arena))
            return false;
    }
    return true;
}

sni_str sni_labels_at(const sni_labels *labels, uint32_t index)
{
    return ((const sni_label *)labels->items.items)[index].text;
}

sni_map_cursor sni_labels_find(const sni_labels *labels, char kind, sni_str label)
{
    return sni_map_find(&labels->map, hash_of(kind, label));
}

const char *sni_labels_next(const sni_labels *labels, sni_map_cursor *at, char kind, sni_str text)
{
    while (sni_map_next(&labels->map, at)) {
        const sni_label *label = &((const sni_label *)labels->items.items)[at->item];
        if (label->kind == kind && sni_str_equal_nocase(label->text, text)) return label->file;
    }
    return NULL;
}
