#include "io/archive.h"

#include <stdlib.h>

// Nothing that is packed grows more than about a thousand times; small files may be anything.
enum { SMALL_FILE = 64 << 20, LARGEST_RATIO = 32, NAME_BYTES = 1024 };

static const sni_archive_kind *const kinds[] = {
    &sni_archive_mpq, &sni_archive_big, &sni_archive_dat, &sni_archive_iso, &sni_archive_pack, NULL,
};

bool sn_archive_format_at(uint32_t index, sn_archive_format *format)
{
    if (index >= sizeof kinds / sizeof *kinds - 1) return false;
    const sni_archive_kind *kind = kinds[index];
    *format = (sn_archive_format){ kind->title, kind->extensions, kind->is_model };
    return true;
}

bool sni_archive_add(sn_archive *archive, const char *own_name, uint64_t size, uint64_t at)
{
    char clean[NAME_BYTES];
    if (!sni_ref_clean(sni_str_make(own_name, strlen(own_name)), clean, sizeof clean)) {
        archive->refused_count++;
        return true;
    }
    const char *own = sni_copy_text(&archive->arena, own_name, strlen(own_name));
    const char *name = sni_copy_text(&archive->arena, clean, strlen(clean));
    sni_archive_entry *entry = own && name ? sni_push(&archive->arena, &archive->entries, sni_archive_entry) : NULL;
    if (entry) *entry = (sni_archive_entry){ name, own, size, at };
    return entry != NULL;
}

bool sn_archive_add(sn_archive *archive, const char *name, uint64_t size)
{
    return sni_archive_add(archive, name, size, 0);
}

bool sni_archive_accepts(const sn_archive *archive, uint64_t size, uint64_t packed, sni_diag *diag)
{
    if (size > archive->file_limit)
        return sni_fail(diag, SN_ERR_LIMIT, 0, "the file has %llu bytes, the limit is %llu", (unsigned long long)size,
                        (unsigned long long)archive->file_limit);
    if (packed > archive->bytes)
        return sni_fail(diag, SN_ERR_CORRUPT, 0, "%llu packed bytes in an archive of %llu bytes",
                        (unsigned long long)packed, (unsigned long long)archive->bytes);
    if (size > SMALL_FILE && size / LARGEST_RATIO > packed)
        return sni_fail(diag, SN_ERR_LIMIT, 0, "%llu bytes unpack to %llu, the limit is %d times as many",
                        (unsigned long long)packed, (unsigned long long)size, LARGEST_RATIO);
    return true;
}

static int compare_names(const void *a, const void *b)
{
    const sni_archive_entry *first = a, *second = b;
    int order = sni_text_compare_nocase(first->name, second->name);
    if (order == 0) order = strcmp(first->own, second->own);
    return order ? order : (first->at > second->at) - (first->at < second->at);
}

static int compare_last_names(const void *a, const void *b)
{
    const sni_archive_entry *first = *(const sni_archive_entry *const *)a,
                            *second = *(const sni_archive_entry *const *)b;
    int order = sni_text_compare_nocase(sni_last_name(first->name), sni_last_name(second->name));
    return order ? order : compare_names(first, second);
}

// A name may be listed once for each of several languages: the archive itself chooses one when it is read.
static bool sort_entries(sn_archive *archive)
{
    sni_archive_entry *entries = archive->entries.items;
    uint32_t count = 0;
    if (archive->entries.count > 1) qsort(entries, archive->entries.count, sizeof *entries, compare_names);
    for (uint32_t i = 0; i < archive->entries.count; i++)
        if (count == 0 || sni_text_compare_nocase(entries[count - 1].name, entries[i].name) != 0)
            entries[count++] = entries[i];
    archive->entries.count = count;
    archive->by_last_name = sni_new(&archive->arena, const sni_archive_entry *, count);
    if (!archive->by_last_name) return false;
    for (uint32_t i = 0; i < count; i++) archive->by_last_name[i] = &entries[i];
    if (count > 1) qsort(archive->by_last_name, count, sizeof *archive->by_last_name, compare_last_names);
    return true;
}

// Errors of added kinds are text of strangers.
static bool take_error(sni_diag *diag, sn_status status, sn_error *error)
{
    if (sni_failed(diag)) return false;
    if (status == SN_ERR_MEMORY && !error->message[0]) return sni_fail(diag, status, 0, "out of memory");
    error->status = status;
    sni_text_clean_fixed(error->path, sizeof error->path);
    sni_text_clean_fixed(error->message, sizeof error->message);
    diag->error = *error;
    return false;
}

static bool open_added(sn_archive *archive, sni_diag *diag)
{
    sn_error error = { 0 };
    sn_status status = archive->added->open(archive, archive->path, archive->bytes, &archive->handle, &error);
    return status == SN_OK || take_error(diag, status, &error);
}

// What a failed attempt has listed is forgotten.
static bool open_as(sn_archive *archive, const sni_archive_kind *kind, const sn_archive_kind *added, uint64_t bytes,
                    sni_diag *diag)
{
    archive->heap.diag = diag;
    archive->kind = kind;
    archive->added = added;
    archive->bytes = bytes;
    bool is_open = kind ? kind->open(archive, diag) : open_added(archive, diag);
    is_open = is_open && sort_entries(archive) && !sni_failed(diag);
    archive->heap.diag = NULL;
    if (is_open) return true;
    if (archive->handle) added->close(archive->handle);
    archive->handle = archive->tables = NULL;
    archive->partner = archive->detail = NULL;
    archive->entries = (sni_list){ 0 };
    archive->refused_count = archive->damaged_count = archive->overlap_count = 0;
    return false;
}

// True when trying is over: the archive is open, or memory ran out.
static bool try_as(sn_archive *archive, const sni_archive_kind *kind, const sn_archive_kind *added, uint64_t bytes,
                   sni_diag *diag)
{
    sni_diag attempt;
    sni_diag_init(&attempt, NULL);
    if (open_as(archive, kind, added, bytes, &attempt)) return true;
    if (attempt.error.status == SN_ERR_MEMORY) diag->error = attempt.error;
    return sni_failed(diag);
}

// By the extension, or by trying; kinds that the program added come first.
static bool open_kind(sn_archive *archive, const sn_archive_opts *opts, uint64_t bytes, sni_diag *diag)
{
    const char *path = archive->path;
    uint32_t added_count = opts ? opts->kind_count : 0;
    for (uint32_t i = 0; i < added_count; i++)
        if (sni_has_ending(path, opts->kinds[i].extensions))
            return open_as(archive, NULL, &opts->kinds[i], bytes, diag);
    for (int i = 0; kinds[i]; i++)
        if (!kinds[i]->is_model && sni_has_ending(path, kinds[i]->extensions))
            return open_as(archive, kinds[i], NULL, bytes, diag);
    for (uint32_t i = 0; i < added_count; i++)
        if (try_as(archive, NULL, &opts->kinds[i], bytes, diag)) return !sni_failed(diag);
    for (int i = 0; kinds[i]; i++)
        if (try_as(archive, kinds[i], NULL, bytes, diag)) return !sni_failed(diag);
    return sni_fail(diag, SN_ERR_FORMAT, 0, "not an archive in any format sinew reads");
}

static bool open_archive(sn_archive *archive, const char *path, const sn_archive_opts *opts, sni_diag *diag)
{
    const uint64_t mebibyte = 1 << 20;
    uint64_t bytes;
    if (!sni_file_size(path, &bytes, diag)) return false;
    uint64_t limit = 256 * mebibyte + 2 * (bytes < 1024 * mebibyte ? bytes : 1024 * mebibyte);
    if (limit > 2048 * mebibyte) limit = 2048 * mebibyte;
    archive->heap.limit = opts && opts->limits.memory_bytes ? opts->limits.memory_bytes : limit;
    archive->file_limit = opts && opts->limits.file_bytes ? opts->limits.file_bytes : 1024 * mebibyte;
    archive->heap.diag = diag;
    archive->path = sni_copy_text(&archive->arena, path, strlen(path));
    return archive->path && open_kind(archive, opts, bytes, diag);
}

sn_archive *sn_archive_open(const char *path, const sn_archive_opts *opts, sn_error *error)
{
    sni_diag diag;
    sni_heap heap;
    sni_diag_init(&diag, NULL);
    sni_heap_init(&heap, opts ? &opts->allocator : NULL, UINT64_MAX);
    heap.diag = &diag;
    sn_archive *archive = sni_heap_alloc(&heap, sizeof *archive);
    if (archive) {
        *archive = (sn_archive){ .heap = heap };
        sni_arena_init(&archive->arena, &archive->heap);
        if (!open_archive(archive, path, opts, &diag)) {
            sn_archive_close(archive);
            archive = NULL;
        }
    }
    if (error) *error = diag.error;
    return archive;
}

void sn_archive_close(sn_archive *archive)
{
    if (!archive) return;
    if (archive->handle) archive->added->close(archive->handle);
    sni_heap heap = archive->heap;
    archive->arena.heap = &heap;
    sni_arena_free(&archive->arena);
    sni_heap_free(&heap, archive, sizeof *archive);
}

sn_archive_info sn_archive_describe(const sn_archive *archive)
{
    return (sn_archive_info){ .path = archive->path,
                              .partner = archive->partner,
                              .title = archive->kind ? archive->kind->title : archive->added->title,
                              .detail = archive->detail,
                              .file_count = archive->entries.count,
                              .refused_count = archive->refused_count,
                              .damaged_count = archive->damaged_count,
                              .overlap_count = archive->overlap_count };
}

bool sn_archive_at(const sn_archive *archive, uint32_t index, sn_archive_entry *entry)
{
    if (index >= archive->entries.count) return false;
    *entry = (sn_archive_entry){ sni_archive_entries(archive)[index].name, sni_archive_entries(archive)[index].size };
    return true;
}

bool sni_archive_find(const sn_archive *archive, const char *clean_name, sni_archive_entry *entry)
{
    const sni_archive_entry *entries = sni_archive_entries(archive);
    uint32_t first = 0, end = archive->entries.count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        int order = sni_text_compare_nocase(entries[middle].name, clean_name);
        if (order == 0) *entry = entries[middle];
        if (order == 0) return true;
        if (order < 0) first = middle + 1;
        else end = middle;
    }
    *entry = (sni_archive_entry){ .name = clean_name };
    if (archive->kind) return archive->kind->find && archive->kind->find(archive, entry);
    return archive->added->find && archive->added->find(archive->handle, clean_name, &entry->size);
}

bool sni_archive_find_name(const sn_archive *archive, const char *last_name, sni_archive_entry *entry)
{
    uint32_t first = 0, end = archive->entries.count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (sni_text_compare_nocase(sni_last_name(archive->by_last_name[middle]->name), last_name) < 0)
            first = middle + 1;
        else end = middle;
    }
    if (first == archive->entries.count) return false;
    *entry = *archive->by_last_name[first];
    return sni_text_compare_nocase(sni_last_name(entry->name), last_name) == 0;
}

bool sn_archive_find(const sn_archive *archive, const char *path, sn_archive_entry *entry)
{
    char clean[NAME_BYTES];
    sni_archive_entry found;
    if (!sni_ref_clean(sni_str_make(path, strlen(path)), clean, sizeof clean)) return false;
    if (!sni_archive_find(archive, clean, &found)) return false;
    *entry = (sn_archive_entry){ found.own ? found.name : path, found.size };
    return true;
}

bool sn_archive_find_name(const sn_archive *archive, const char *name, sn_archive_entry *entry)
{
    sni_archive_entry found;
    if (!sni_archive_find_name(archive, name, &found)) return false;
    *entry = (sn_archive_entry){ found.name, found.size };
    return true;
}

struct sn_archive_buffer {
    const sn_archive *archive;
    sni_arena *arena;
    sni_diag *diag;
    uint8_t *data;
    size_t size;
};

void *sn_archive_reserve(sn_archive_buffer *buffer, uint64_t size, uint64_t packed_size)
{
    if (!sni_archive_accepts(buffer->archive, size, packed_size, buffer->diag)) return NULL;
    buffer->data = sni_new_raw(buffer->arena, uint8_t, size);
    buffer->size = (size_t)size;
    return buffer->data;
}

static bool read_added(const sn_archive *archive, const sni_archive_entry *entry, sni_arena *arena, sni_diag *diag,
                       sni_bytes *bytes)
{
    sn_error error = { 0 };
    sn_archive_buffer buffer = { archive, arena, diag, NULL, 0 };
    const char *name = entry->own ? entry->own : entry->name;
    sn_status status = archive->added->read(archive->handle, name, entry->own != NULL, &buffer, &error);
    if (status != SN_OK || !buffer.data) return take_error(diag, status != SN_OK ? status : SN_ERR_MEMORY, &error);
    *bytes = (sni_bytes){ buffer.data, buffer.size };
    return true;
}

bool sni_archive_read(const sn_archive *archive, const sni_archive_entry *entry, sni_arena *arena, sni_diag *diag,
                      sni_bytes *bytes)
{
    *bytes = (sni_bytes){ (const uint8_t *)"", 0 };
    return archive->added ? read_added(archive, entry, arena, diag, bytes)
                          : archive->kind->read(archive, entry, arena, diag, bytes);
}

sn_status sn_archive_read(const sn_archive *archive, const char *path, sn_bytes *bytes, sn_error *error)
{
    char clean[NAME_BYTES];
    sni_archive_entry entry;
    sni_bytes content = { NULL, 0 };
    sni_owned *owned = sni_owned_begin(&archive->heap.allocator, UINT64_MAX, bytes, error);
    if (!owned) return SN_ERR_MEMORY;
    bool is_found = sni_ref_clean(sni_str_make(path, strlen(path)), clean, sizeof clean) &&
                    sni_archive_find(archive, clean, &entry);
    if (!is_found) sni_fail(&owned->diag, SN_ERR_IO, 0, "\"%.120s\" is not in the archive", path);
    bool is_read = is_found && sni_archive_read(archive, &entry, &owned->arena, &owned->diag, &content);
    return sni_owned_end(owned, is_read, content, bytes, error);
}
