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
    load->opts = opts;
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
    sni_diag_init(&load->diag, &load->keep);
}

void sni_load_count_input(sni_load *load, uint64_t size)
{
    const uint64_t highest = 2048 * mebibyte;
    if (load->has_memory_limit) return;
    uint64_t room = highest - load->heap->limit;
    load->heap->limit += size < room / 32 ? size * 32 : room;
}

static bool map_file(sni_load *load, int file, sni_bytes *bytes)
{
    if (!load->opts || !load->opts->map_files) return false;
    sni_bytes *slot = sni_push(&load->keep, &load->maps, sni_bytes);
    bool is_mapped = slot && sni_file_map_open(file, load->limits.file_bytes, bytes);
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
    if (path && load->opts && load->opts->opened) load->opts->opened(load->opts->user, path);
}

// Input raises the ceiling, so its own bytes may be above it while they are read.
static bool read_file(sni_load *load, const char *path, int file, sni_diag *diag, sni_bytes *bytes)
{
    if (strcmp(path, "-") != 0) report_opened(load, path);
    if (map_file(load, file, bytes)) return true;
    if (!sni_load_ok(load)) return false;
    sni_heap *heap = load->heap;
    uint64_t limit = heap->limit;
    if (!load->has_memory_limit) heap->limit = limit + load->limits.file_bytes + mebibyte;
    bool is_read = sni_file_read_open(file, load->limits.file_bytes, &load->files, diag, bytes);
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
    int file = sni_file_open(path);
    bool is_read = read_file(load, path, file, &load->diag, bytes);
    sni_file_close(file);
    return is_read;
}

bool sni_load_begin_file(sni_load *load, const char *path, sni_bytes *bytes)
{
    const char *slash = strrchr(path, '/');
    if (!load->opts || !load->opts->name) load->name = path;
    if (strcmp(path, "-") != 0)
        load->folder = slash ? sni_copy_text(&load->scratch, path, slash == path ? 1 : (size_t)(slash - path)) : ".";
    return sni_load_ok(load) && sni_load_path(load, path, bytes);
}

// Without memory nothing is known about a file. True also when the load had failed before.
static bool load_lacks_memory(sni_load *load, const sni_diag *own)
{
    if (own->error.status == SN_ERR_MEMORY) sni_fail(&load->diag, SN_ERR_MEMORY, 0, "%s", own->error.message);
    return !sni_load_ok(load);
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
    if (!load->opts || !load->opts->name) load->name = entry.name;
    return read_archived(load, archive, &entry, &load->diag, bytes);
}

void sni_load_end(sni_load *load)
{
    const sni_bytes *opened = load->opened.items;
    for (uint32_t i = 0; i < load->opened.count; i++)
        if (load->opts->close_ref) load->opts->close_ref(load->opts->user, opened[i].data, opened[i].size);
    sni_origin_close(&load->origin);
}

// Files that a model refers to: each is read once, whoever names it.

static const sni_bytes no_bytes = { NULL, 0 };

typedef struct opened_ref {
    const sn_archive *archive;  // that `name` is in; NULL: a path, or a name of open_ref
    const char *name;
    sni_bytes bytes;
} opened_ref;

static bool has_user(const sni_load *load) { return load->opts && load->opts->open_ref; }

// The slot for close_ref is made before the file is opened, so that none stays open.
static bool ask_user(sni_load *load, const char *clean_ref, sni_bytes *bytes)
{
    const void *data = NULL;
    size_t size = 0;
    sni_bytes *opened = sni_push(&load->scratch, &load->opened, sni_bytes);
    if (!opened) return false;
    if (!load->opts->open_ref(load->opts->user, clean_ref, &data, &size)) {
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

static bool add_listing(sni_load *load, int which, const char *folder, const sni_listing_bounds *bounds)
{
    sni_listing **listing = &load->origin.listings[which];
    if (load->origin.search) *listing = sni_search_acquire(load->origin.search, folder, bounds);
    else if ((*listing = sni_new(&load->scratch, sni_listing, 1)))
        sni_listing_init(*listing, folder, bounds, &load->scratch);
    return *listing || sni_fail(&load->diag, SN_ERR_MEMORY, 0, "out of memory");
}

static bool is_same_folder(const char *a, const char *b)
{
    size_t first = strlen(a), second = strlen(b);
    while (first > 1 && a[first - 1] == '/') first--;
    while (second > 1 && b[second - 1] == '/') second--;
    return first == second && memcmp(a, b, first) == 0;
}

// The listing of the root is the wider one where it is the model's folder.
static bool make_origin(sni_load *load)
{
    const sn_load_opts *opts = load->opts;
    const char *root = opts && load->folder ? opts->root : NULL, *title;
    char layout[SNI_FOUND_BYTES];
    if (load->has_origin) return true;
    load->origin = (sni_origin){ .folder = load->folder,
                                 .archive = load->archive,
                                 .inside = load->inside,
                                 .search = opts ? opts->search : NULL,
                                 .format = load->format,
                                 .arena = &load->scratch };
    load->has_origin = true;
    if (load->folder && !(root && is_same_folder(root, load->folder)) &&
        !add_listing(load, SNI_NEAR, load->folder, &sni_listing_near))
        return false;
    if (opts && opts->find_layout && load->folder && sni_layout_find(load->folder, layout, sizeof layout, &title)) {
        const char *copy = sni_copy_text(&load->scratch, layout, strlen(layout));
        if (!copy || !add_listing(load, SNI_LAYOUT, copy, &sni_listing_wide)) return false;
    }
    return !root || add_listing(load, SNI_ROOT, root, &sni_listing_wide);
}

// A texture that cannot be read is a missing texture, not a missing model. An exact reference is a part of the model.
static bool read_found(sni_load *load, const sni_found *found, bool is_exact, sni_bytes *bytes)
{
    sni_diag own, *diag = is_exact ? &load->diag : &own;
    sni_diag_init(&own, NULL);
    bool is_read = found->archive ? read_archived(load, found->archive, &found->entry, diag, bytes)
                                  : read_file(load, found->path, found->file, diag, bytes);
    if (!is_read && !load_lacks_memory(load, &own))
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

// How a reference is meant: in any case somewhere, or to the letter in the model's folder, or with "..".
typedef enum ref_kind { REF_OWN = SNI_TIER_OWN, REF_GAME = SNI_TIER_GAME, REF_EXACT, REF_ABOVE } ref_kind;

static bool resolve(sni_load *load, const char *ref, ref_kind kind, sni_found *found)
{
    if (!make_origin(load)) return false;
    if (kind == REF_EXACT) return sni_resolve_exact(&load->origin, ref, &load->diag, found);
    if (kind == REF_ABOVE) return sni_resolve_above(&load->origin, ref, &load->diag, found);
    return sni_resolve(&load->origin, ref, (sni_tier)kind, &load->diag, found);
}

// `found` is NULL where the user opens files.
static bool read_ref(sni_load *load, const char *name, const sni_found *found, bool is_exact, sni_bytes *bytes)
{
    const sn_archive *archive = found ? found->archive : NULL;
    const opened_ref *opened = find_opened(&load->refs, archive, name);
    if (opened) {
        *bytes = opened->bytes;
        return true;
    }
    if (!(found ? read_found(load, found, is_exact, bytes) : ask_user(load, name, bytes))) return false;
    sni_load_count_input(load, bytes->size);
    if (found && load->opts && load->opts->joined) load->opts->joined(load->opts->user, archive, name);
    if (load->lint) check_image_name(load, name, *bytes);
    return keep_opened(load, &load->refs, archive, name, *bytes);
}

static bool open_ref(sni_load *load, const char *clean_ref, ref_kind kind, sni_bytes *bytes)
{
    sni_found found;
    const bool is_exact = kind == REF_EXACT || kind == REF_ABOVE;
    *bytes = (sni_bytes){ (const uint8_t *)"", 0 };
    if (!sni_load_ok(load)) return false;
    if (has_user(load) && (kind == REF_GAME || kind == REF_ABOVE)) return false;
    if (has_user(load)) return read_ref(load, clean_ref, NULL, is_exact, bytes);
    if (!resolve(load, clean_ref, kind, &found)) return false;
    bool is_read = read_ref(load, found.archive ? found.entry.name : found.path, &found, is_exact, bytes);
    if (!found.archive) sni_file_close(found.file);
    return is_read;
}

bool sni_load_ref(sni_load *load, const char *clean_ref, sni_bytes *bytes)
{
    return open_ref(load, clean_ref, REF_EXACT, bytes);
}

bool sni_load_ref_above(sni_load *load, const char *ref, sni_bytes *bytes)
{
    return open_ref(load, ref, REF_ABOVE, bytes);
}

static bool open_with_endings(sni_load *load, const char *name, const char *endings, ref_kind kind, sni_bytes *bytes)
{
    char other[NAME_BYTES];
    const char *last = sni_last_name(name), *dot = strrchr(last, '.');
    if (open_ref(load, name, kind, bytes)) return true;
    bool has_ending = dot && dot != last;
    const char *own = has_ending ? dot + 1 : "";
    size_t stem = has_ending ? (size_t)(dot - name) : strlen(name);
    for (const char *at = endings; *at;) {
        size_t size = strcspn(at, " ");
        int length = snprintf(other, sizeof other, "%.*s.%.*s", (int)stem, name, (int)size, at);
        bool is_other = !sni_str_is_nocase(sni_str_make(at, size), own) && length < (int)sizeof other;
        if (is_other && open_ref(load, other, kind, bytes)) return true;
        at += size + (at[size] == ' ');
    }
    return false;
}

// A path in the base game hides a file of the mod that only has the same last name: the game would find that path.
static void find_new(sni_load *load, const char *name, const char *endings, sni_bytes *bytes)
{
    const char *last = sni_last_name(name);
    bool is_found = open_with_endings(load, name, endings, REF_OWN, bytes) ||
                    open_with_endings(load, name, endings, REF_GAME, bytes) ||
                    (last != name && (open_with_endings(load, last, endings, REF_OWN, bytes) ||
                                      open_with_endings(load, last, endings, REF_GAME, bytes)));
    if (!is_found) *bytes = no_bytes;
    if (sni_load_ok(load)) keep_opened(load, &load->found, NULL, name, *bytes);
}

bool sni_load_find(sni_load *load, sni_str ref, const char *endings, sni_bytes *bytes, const char **why)
{
    char name[NAME_BYTES];
    *bytes = no_bytes;
    *why = "it does not name a file in the model's folder";
    const int shown = (int)(ref.size < 120 ? ref.size : 120);
    const bool is_inside = sni_ref_clean(ref, name, sizeof name);
    if (!is_inside && !sni_ref_clean_last(ref, name, sizeof name)) {
        sni_warn(&load->diag, SNI_WARN_FILE_REFUSED, 0, "\"%.*s\" was not opened", shown, ref.at);
        return false;
    }
    const opened_ref *known = find_opened(&load->found, NULL, name);
    *why = known || load->found.count < FINDS_MAX ? "file not found" : "the model refers to too many files";
    if (known) *bytes = known->bytes;
    else if (load->found.count < FINDS_MAX) find_new(load, name, endings, bytes);
    if (!sni_load_ok(load)) *bytes = no_bytes;
    if (!is_inside && (!bytes->data || load->lint))
        sni_warn(&load->diag, SNI_WARN_FILE_REFUSED, 0, "\"%.*s\" was not opened as written; \"%s\" was %s", shown,
                 ref.at, name, bytes->data ? "used" : "not found");
    return bytes->data != NULL;
}

// Through the user's callback, whose bytes are valid until the next call.
static bool label_peeked(sni_load *load, const sni_labeller *labeller)
{
    const sn_load_opts *opts = load->opts;
    const char *ref;
    const void *data;
    sni_bytes bytes = { NULL, 0 };
    for (uint32_t i = 0; opts->peek_ref(opts->user, i, &ref, &data, &bytes.size); i++) {
        const char *name = sni_copy_text(&load->scratch, ref, strlen(ref));
        bytes.data = data;
        if (!name) return false;
        if (!sni_has_ending(name, labeller->endings)) continue;
        if (!sni_labels_add_bytes(&load->peek_labels, labeller, bytes, name, &load->scratch)) return false;
        if (load->peek_labels.is_cut) break;
    }
    load->peek_labels.is_made = true;
    return sni_load_ok(load);
}

bool sni_load_find_labelled(sni_load *load, const sni_labeller *labeller, char kind, sni_str label,
                            sni_label_visit visit, void *user)
{
    bool is_cut = false, is_over = false;
    if (!sni_load_ok(load)) return false;
    if (load->opts && load->opts->peek_ref) {
        const char *name;
        if (!load->peek_labels.is_made && !label_peeked(load, labeller)) return false;
        is_cut = load->peek_labels.is_cut;
        sni_map_cursor at = sni_labels_find(&load->peek_labels, kind, label);
        while (!is_over && (name = sni_labels_next(&load->peek_labels, &at, kind, label))) is_over = !visit(user, name);
    } else if (!has_user(load)) {
        is_over = !make_origin(load) ||
                  !sni_resolve_label(&load->origin, labeller, kind, label, visit, user, &is_cut, &load->diag);
    }
    if (is_cut && sni_load_ok(load))
        sni_warn(&load->diag, SNI_WARN_LOST_CONTENT, 0, "too many files around the model; some were not looked into");
    return !is_over && sni_load_ok(load);
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
