#include "io/load.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/mime.h"

// No model refers to so many files; a hostile one would make us ask the disk for ever.
enum { FINDS_MAX = 4096, NAME_BYTES = 1024 };

static const uint64_t mebibyte = 1 << 20;

static void fill_defaults(sn_limits *limits)
{
    if (!limits->file_bytes) limits->file_bytes = 1024 * mebibyte;
    if (!limits->memory_bytes) limits->memory_bytes = 16 * mebibyte;
    if (!limits->elements) limits->elements = 16 << 20;
    if (!limits->depth) limits->depth = 64;
    if (!limits->image_pixels) limits->image_pixels = 64 << 20;
}

void sni_load_init(sni_load *load, sni_heap *heap, const sn_load_opts *opts)
{
    memset(load, 0, sizeof *load);
    load->heap = heap;
    load->opts = load->user_opts = opts;
    load->name = "";
    if (opts) {
        load->limits = opts->limits;
        load->lint = opts->lint;
        if (opts->name) load->name = opts->name;
        heap->cancelled = opts->cancelled;
        heap->cancelled_user = opts->user;
    }
    load->has_memory_limit = load->limits.memory_bytes != 0;
    fill_defaults(&load->limits);
    heap->limit = load->limits.memory_bytes;
    heap->elements = load->limits.elements;
    heap->diag = &load->diag;
    sni_arena_init(&load->scratch, heap);
    sni_arena_init(&load->keep, heap);
    sni_arena_init(&load->files, heap);
    sni_arena_init(&load->peeked, heap);
    sni_diag_init(&load->diag, &load->keep);
}

void sni_load_count_input(sni_load *load, uint64_t size)
{
    const uint64_t highest = 2048 * mebibyte;
    if (load->has_memory_limit) return;
    uint64_t room = highest - load->heap->limit;
    load->heap->limit += size < room / 32 ? size * 32 : room;
}

static bool map_path(sni_load *load, const char *path, sni_bytes *bytes)
{
    if (!load->opts || !load->opts->map_files) return false;
    sni_bytes *slot = sni_push(&load->keep, &load->maps, sni_bytes);
    bool is_mapped = slot && sni_file_map(path, load->limits.file_bytes, bytes);
    if (is_mapped) *slot = *bytes;
    else if (slot) load->maps.count--;
    return is_mapped;
}

void sni_load_unmap(sni_list *maps)
{
    const sni_bytes *mapped = maps->items;
    for (uint32_t i = 0; i < maps->count; i++) sni_file_unmap(mapped[i]);
    maps->count = 0;
}

static void report_opened(const sni_load *load, const char *path)
{
    if (path && load->user_opts && load->user_opts->opened) load->user_opts->opened(load->user_opts->user, path);
}

// Input raises the ceiling, so its own bytes may be above it while they are read.
static bool read_file(sni_load *load, const char *path, sni_diag *diag, sni_bytes *bytes)
{
    if (strcmp(path, "-") != 0) report_opened(load, path);
    if (map_path(load, path, bytes)) return true;
    if (!sni_load_ok(load)) return false;
    sni_heap *heap = load->heap;
    uint64_t limit = heap->limit;
    if (!load->has_memory_limit) heap->limit = limit + load->limits.file_bytes + mebibyte;
    bool is_read = sni_file_read(path, load->limits.file_bytes, &load->files, diag, bytes);
    heap->limit = limit;
    return is_read;
}

static bool read_entry(sni_load *load, const sn_archive *archive, const sni_archive_entry *entry, sni_arena *arena,
                       sni_diag *diag, sni_bytes *bytes)
{
    sni_heap *heap = load->heap;
    uint64_t limit = heap->limit;
    if (!load->has_memory_limit) heap->limit = limit + 2 * (load->limits.file_bytes + mebibyte);
    bool is_read = sni_archive_read(archive, entry, arena, diag, bytes);
    heap->limit = limit;
    if (!is_read || bytes->size <= load->limits.file_bytes) return is_read;
    return sni_fail(diag, SN_ERR_LIMIT, 0, "the file is larger than the limit of %llu bytes",
                    (unsigned long long)load->limits.file_bytes);
}

static bool read_archived(sni_load *load, const sn_archive *archive, const sni_archive_entry *entry, sni_diag *diag,
                          sni_bytes *bytes)
{
    report_opened(load, archive->path);
    report_opened(load, archive->partner);
    return read_entry(load, archive, entry, &load->files, diag, bytes);
}

bool sni_load_path(sni_load *load, const char *path, sni_bytes *bytes)
{
    return read_file(load, path, &load->diag, bytes);
}

bool sni_load_begin_file(sni_load *load, const char *path, sni_bytes *bytes)
{
    const char *slash = strrchr(path, '/');
    if (!load->user_opts || !load->user_opts->name) load->name = path;
    if (strcmp(path, "-") != 0)
        load->folder = slash ? sni_copy_text(&load->scratch, path, slash == path ? 1 : (size_t)(slash - path)) : ".";
    return sni_load_ok(load) && read_file(load, path, &load->diag, bytes);
}

// Without memory nothing is known about a file. True also when the load had failed before.
bool sni_load_lacks_memory(sni_load *load, const sni_diag *own)
{
    if (own->error.status == SN_ERR_MEMORY) sni_fail(&load->diag, SN_ERR_MEMORY, 0, "%s", own->error.message);
    return !sni_load_ok(load);
}

// For folder_clips: the next file of the model's folder in the archive that has its extension.
static bool peek_beside(void *user, uint32_t index, const char **ref, const void **data, size_t *size)
{
    sni_load *load = user;
    const sn_archive *archive = load->archive;
    const size_t inside = strlen(load->inside);
    const char *own = load->archived_name + inside, *dot = strrchr(own, '.');
    if (index == 0) load->peeked_at = 0;
    sni_arena_free(&load->peeked);
    while (dot && load->peeked_at < archive->entries.count) {
        const sni_archive_entry *entry = &sni_archive_entries(archive)[load->peeked_at++];
        const char *last = sni_last_name(entry->name);
        if ((size_t)(last - entry->name) != inside || strncasecmp(entry->name, load->inside, inside) != 0) continue;
        if (!sni_has_ending(last, dot + 1) || sni_text_compare_nocase(last, own) == 0) continue;
        sni_diag diag;
        sni_bytes bytes = { NULL, 0 };
        sni_diag_init(&diag, NULL);
        if (!read_entry(load, archive, entry, &load->peeked, &diag, &bytes)) bytes.size = 0;
        if (sni_load_lacks_memory(load, &diag)) return false;
        *ref = last;
        *data = bytes.data;
        *size = bytes.size;
        return true;
    }
    return false;
}

bool sni_load_begin_archive(sni_load *load, const sn_archive *archive, const char *name, sni_bytes *bytes)
{
    char clean[NAME_BYTES];
    sni_archive_entry entry;
    if (!sni_ref_clean(sni_str_make(name, strlen(name)), clean, sizeof clean) ||
        !sni_archive_find(archive, clean, &entry))
        return sni_fail(&load->diag, SN_ERR_IO, 0, "\"%.120s\" is not in the archive", name);
    entry.name = sni_copy_text(&load->scratch, entry.name, strlen(entry.name));
    load->inside = entry.name
                       ? sni_copy_text(&load->scratch, entry.name, (size_t)(sni_last_name(entry.name) - entry.name))
                       : NULL;
    if (!load->inside) return false;
    load->archive = archive;
    load->archived_name = entry.name;
    if (!load->user_opts || !load->user_opts->name) load->name = entry.name;
    if (load->user_opts && load->user_opts->folder_clips && !load->user_opts->peek_ref) {
        load->archive_opts = *load->user_opts;
        load->archive_opts.peek_ref = peek_beside;
        load->archive_opts.user = load;
        load->opts = &load->archive_opts;
    }
    return read_archived(load, archive, &entry, &load->diag, bytes);
}

void sni_load_end(sni_load *load)
{
    const sni_bytes *opened = load->opened.items;
    for (uint32_t i = 0; i < load->opened.count; i++)
        if (load->user_opts->close_ref)
            load->user_opts->close_ref(load->user_opts->user, opened[i].data, opened[i].size);
    if (load->origin.near && load->origin.search) sni_search_release_near(load->origin.search, load->origin.near);
    load->origin = (sni_origin){ 0 };
    sni_arena_free(&load->peeked);
}

// Files that a model refers to: each is read once, whoever names it.

static const sni_bytes no_bytes = { NULL, 0 };

typedef struct opened_ref {
    const sn_archive *archive;  // that `name` is in; NULL: a path, or a name of open_ref
    const char *name;
    sni_bytes bytes;
} opened_ref;

static bool has_user(const sni_load *load) { return load->user_opts && load->user_opts->open_ref; }

// The slot for close_ref is made before the file is opened, so that none stays open.
static bool ask_user(sni_load *load, const char *clean_ref, sni_bytes *bytes)
{
    const void *data = NULL;
    size_t size = 0;
    sni_bytes *opened = sni_push(&load->scratch, &load->opened, sni_bytes);
    if (!opened) return false;
    if (!load->user_opts->open_ref(load->user_opts->user, clean_ref, &data, &size)) {
        load->opened.count--;
        return false;
    }
    *opened = (sni_bytes){ data, size };
    if (size > 0) *bytes = *opened;
    return true;
}

static const opened_ref *find_opened(const sni_list *list, const sn_archive *archive, const char *name)
{
    const opened_ref *opened = list->items;
    for (uint32_t i = 0; i < list->count; i++)
        if (opened[i].archive == archive && strcmp(opened[i].name, name) == 0) return &opened[i];
    return NULL;
}

static bool keep_opened(sni_load *load, sni_list *list, const sn_archive *archive, const char *name, sni_bytes bytes)
{
    const char *copy = sni_copy_text(&load->scratch, name, strlen(name));
    opened_ref *ref = copy ? sni_push(&load->scratch, list, opened_ref) : NULL;
    if (ref) *ref = (opened_ref){ archive, copy, bytes };
    return ref != NULL;
}

static bool make_origin(sni_load *load)
{
    sn_search *search = load->user_opts ? load->user_opts->search : NULL;
    if (load->has_origin) return true;
    load->origin = (sni_origin){
        .folder = load->folder, .archive = load->archive, .inside = load->inside, .search = search
    };
    if (load->folder && search) {
        load->origin.near = sni_search_acquire_near(search, load->folder);
    } else if (load->folder) {
        load->origin.near = sni_new(&load->scratch, sni_listing, 1);
        if (load->origin.near) sni_listing_init(load->origin.near, load->folder, &sni_listing_near, &load->scratch);
    }
    if (load->folder && !load->origin.near) return sni_fail(&load->diag, SN_ERR_MEMORY, 0, "out of memory");
    load->has_origin = true;
    return true;
}

// A texture that cannot be read is a missing texture, not a missing model. An exact reference is a part of the model.
static bool read_found(sni_load *load, const sni_found *found, bool is_exact, sni_bytes *bytes)
{
    sni_diag own, *diag = is_exact ? &load->diag : &own;
    sni_diag_init(&own, NULL);
    bool is_read = found->archive ? read_archived(load, found->archive, &found->entry, diag, bytes)
                                  : read_file(load, found->path, diag, bytes);
    if (!is_read && !sni_load_lacks_memory(load, &own))
        sni_warn(&load->diag, SNI_WARN_FILE_MISSING, 0, "%s", own.error.message);
    return is_read;
}

// Games choose the decoder by the extension.
static void check_image_name(sni_load *load, const char *name, sni_bytes bytes)
{
    const char *promised = sni_mime_of_path(name), *actual = sni_mime_type(bytes);
    if (promised[0] && actual[0] && strcmp(promised, actual) != 0)
        sni_warn(&load->diag, SNI_WARN_IMAGE_TYPE, 0, "\"%.80s\" contains %s", sni_last_name(name), actual);
}

static bool open_ref(sni_load *load, const char *clean_ref, bool is_exact, sni_bytes *bytes)
{
    sni_found found = { 0 };
    const char *name = clean_ref;
    *bytes = (sni_bytes){ (const uint8_t *)"", 0 };
    if (!sni_load_ok(load)) return false;
    if (!has_user(load)) {
        if (!make_origin(load) || !sni_resolve(&load->origin, clean_ref, is_exact, &load->diag, &found)) return false;
        name = found.archive ? found.entry.name : found.path;
    }
    const opened_ref *opened = find_opened(&load->refs, found.archive, name);
    if (opened) {
        *bytes = opened->bytes;
        return true;
    }
    if (!(has_user(load) ? ask_user(load, name, bytes) : read_found(load, &found, is_exact, bytes))) return false;
    sni_load_count_input(load, bytes->size);
    if (load->lint) check_image_name(load, name, *bytes);
    return keep_opened(load, &load->refs, found.archive, name, *bytes);
}

bool sni_load_ref(sni_load *load, const char *clean_ref, sni_bytes *bytes)
{
    return open_ref(load, clean_ref, true, bytes);
}

static bool open_with_endings(sni_load *load, const char *name, const char *endings, sni_bytes *bytes)
{
    char other[NAME_BYTES];
    const char *last = sni_last_name(name), *dot = strrchr(last, '.');
    if (open_ref(load, name, false, bytes)) return true;
    bool has_ending = dot && dot != last;
    const char *own = has_ending ? dot + 1 : "";
    size_t stem = has_ending ? (size_t)(dot - name) : strlen(name);
    for (const char *at = endings; *at;) {
        size_t size = strcspn(at, " ");
        int length = snprintf(other, sizeof other, "%.*s.%.*s", (int)stem, name, (int)size, at);
        bool is_other = !sni_str_is_nocase(sni_str_make(at, size), own) && length < (int)sizeof other;
        if (is_other && open_ref(load, other, false, bytes)) return true;
        at += size + (at[size] == ' ');
    }
    return false;
}

static void find_new(sni_load *load, const char *name, const char *endings, sni_bytes *bytes)
{
    const char *last = sni_last_name(name);
    bool is_found = open_with_endings(load, name, endings, bytes) ||
                    (last != name && open_with_endings(load, last, endings, bytes));
    if (!is_found) *bytes = no_bytes;
    if (sni_load_ok(load)) keep_opened(load, &load->found, NULL, name, *bytes);
}

bool sni_load_find(sni_load *load, sni_str ref, const char *endings, sni_bytes *bytes, const char **why)
{
    char name[NAME_BYTES];
    *bytes = no_bytes;
    *why = "it does not name a file in the model's folder";
    if (!sni_ref_clean(ref, name, sizeof name)) {
        sni_warn(&load->diag, SNI_WARN_FILE_REFUSED, 0, "\"%.*s\" was not opened",
                 (int)(ref.size < 120 ? ref.size : 120), ref.at);
        return false;
    }
    const opened_ref *known = find_opened(&load->found, NULL, name);
    *why = known || load->found.count < FINDS_MAX ? "file not found" : "the model refers to too many files";
    if (known) *bytes = known->bytes;
    else if (load->found.count < FINDS_MAX) find_new(load, name, endings, bytes);
    if (!sni_load_ok(load)) *bytes = no_bytes;
    return bytes->data != NULL;
}

sni_arena *sni_load_document_arena(sni_load *load)
{
    bool is_kept = load->opts && load->opts->keep_document;
    if (is_kept) load->has_lent = true;  // its arrays are in the file
    return is_kept ? &load->keep : &load->scratch;
}

// Below that a copy costs less than a file kept for its sake.
enum { LEAST_LENT_BYTES = 16 << 10 };

static bool is_in_file(const sni_load *load, const void *at)
{
    const sni_bytes *mapped = load->maps.items;
    for (uint32_t i = 0; i < load->maps.count; i++)
        if ((uintptr_t)at - (uintptr_t)mapped[i].data < mapped[i].size) return true;
    return sni_arena_holds(&load->files, at);
}

bool sni_load_lend(sni_load *load, const void *at, uint64_t size)
{
    if (size < LEAST_LENT_BYTES || !is_in_file(load, at)) return false;
    load->has_lent = true;
    return true;
}

typedef struct kept_bytes {
    sni_bytes from;
    const uint8_t *copy;
} kept_bytes;

const uint8_t *sni_load_keep(sni_load *load, sni_bytes bytes)
{
    if (sni_load_lend(load, bytes.data, bytes.size)) return bytes.data;
    uint32_t hash = sni_hash_more(sni_hash(&bytes.data, sizeof bytes.data), &bytes.size, sizeof bytes.size);
    for (sni_map_cursor at = sni_map_find(&load->kept_map, hash); sni_map_next(&load->kept_map, &at);) {
        const kept_bytes *kept = (const kept_bytes *)load->kept.items + at.item;
        if (kept->from.data == bytes.data && kept->from.size == bytes.size) return kept->copy;
    }
    uint8_t *copy = sni_new_raw(&load->keep, uint8_t, bytes.size);
    kept_bytes *kept = copy ? sni_push(&load->scratch, &load->kept, kept_bytes) : NULL;
    if (!kept || !sni_map_add(&load->kept_map, &load->scratch, hash, load->kept.count - 1)) return NULL;
    if (bytes.size > 0) memcpy(copy, bytes.data, bytes.size);
    *kept = (kept_bytes){ bytes, copy };
    return copy;
}

void *sni_load_own(sni_load *load, const void *at, size_t size, uint64_t count)
{
    if (!load->has_lent || !is_in_file(load, at)) return (void *)(uintptr_t)at;
    void *copy = sni_alloc_raw(&load->keep, size, count);
    if (copy) memcpy(copy, at, size * (size_t)count);
    return copy;
}
