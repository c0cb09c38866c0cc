// Files that a model refers to: each is read once, whoever names it.
#include <stdio.h>
#include <string.h>

#include "io/load.h"

// No model has so many files; a hostile one would have us ask the disk for ever. SEARCH_BYTES is what the names of all
// search folders may take.
enum { FINDS_MAX = 4096, NAME_BYTES = 1024, SEARCH_BYTES = 256 << 20 };

static const sni_bytes no_bytes = { NULL, 0 };

static bool open_in_folder(sni_load *load, const char *clean_ref, sni_bytes *bytes)
{
    char path[4096];
    if (!load->folder || !sni_ref_find(load->folder, clean_ref, path, sizeof path)) return false;
    return sni_load_path(load, path, bytes);
}

typedef struct opened_ref {
    const char *name;
    sni_bytes bytes;
} opened_ref;

static bool ask_user(sni_load *load, const char *clean_ref, sni_bytes *bytes)
{
    const void *data = NULL;
    size_t size = 0;
    if (!load->opts->open_ref(load->opts->user, clean_ref, &data, &size)) return false;
    if (size > 0) *bytes = (sni_bytes){ data, size };
    return true;
}

static bool has_user(const sni_load *load) { return load->opts && load->opts->open_ref; }

static const opened_ref *find_opened(const sni_list *list, const char *name)
{
    const opened_ref *opened = list->items;
    for (uint32_t i = 0; i < list->count; i++)
        if (strcmp(opened[i].name, name) == 0) return &opened[i];
    return NULL;
}

static bool keep_opened(sni_load *load, sni_list *list, const char *name, sni_bytes bytes)
{
    const char *copy = sni_copy_text(&load->scratch, name, strlen(name));
    opened_ref *ref = copy ? sni_push(&load->scratch, list, opened_ref) : NULL;
    if (ref) *ref = (opened_ref){ copy, bytes };
    return ref != NULL;
}

bool sni_load_ref(sni_load *load, const char *clean_ref, sni_bytes *bytes)
{
    *bytes = (sni_bytes){ (const uint8_t *)"", 0 };
    if (!sni_load_ok(load)) return false;
    const opened_ref *opened = find_opened(&load->refs, clean_ref);
    if (opened) {
        *bytes = opened->bytes;
        return true;
    }
    if (!(has_user(load) ? ask_user(load, clean_ref, bytes) : open_in_folder(load, clean_ref, bytes))) return false;
    sni_load_count_input(load, bytes->size);
    return keep_opened(load, &load->refs, clean_ref, *bytes);
}

static uint32_t search_count(const sni_load *load) { return 1 + (load->opts ? load->opts->search_count : 0); }

static bool begin_searches(sni_load *load)
{
    if (load->searches) return true;
    sni_search *searches = sni_new(&load->scratch, sni_search, search_count(load));
    if (!searches) return false;
    sni_search_init(&searches[0], load->folder, &sni_search_near, &load->scratch);
    for (uint32_t i = 1; i < search_count(load); i++)
        sni_search_init(&searches[i], load->opts->search[i - 1], &sni_search_wide, &load->scratch);
    if (search_count(load) > 1 && !load->has_memory_limit) load->search_bytes = SEARCH_BYTES;
    load->heap->limit += load->search_bytes;
    load->searches = searches;
    return true;
}

static bool find_on_disk(sni_load *load, const char *name, char *path, size_t capacity)
{
    bool is_found = false, is_last_name = !strchr(name, '/');
    for (uint32_t i = 0; i < search_count(load) && !is_found && sni_load_ok(load); i++)
        is_found = sni_search_find_path(&load->searches[i], name, path, capacity);
    for (uint32_t i = 0; i < search_count(load) && !is_found && is_last_name && sni_load_ok(load); i++)
        is_found = sni_search_find_name(&load->searches[i], name, path, capacity);
    return is_found;
}

// A texture that cannot be read is a texture less, not a model less.
static bool read_found(sni_load *load, const char *path, sni_bytes *bytes)
{
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    if (sni_load_read(load, path, &diag, bytes)) return true;
    if (sni_load_ok(load)) sni_warn(&load->diag, SNI_WARN_FILE_MISSING, 0, "%s", diag.error.message);
    return false;
}

static bool open_candidate(sni_load *load, const char *name, sni_bytes *bytes)
{
    char path[4096];
    *bytes = (sni_bytes){ (const uint8_t *)"", 0 };
    if (!sni_load_ok(load)) return false;
    if (!has_user(load)) {
        if (!load->folder || !begin_searches(load) || !find_on_disk(load, name, path, sizeof path)) return false;
        name = path;
    }
    const opened_ref *opened = find_opened(&load->refs, name);
    if (opened) {
        *bytes = opened->bytes;
        return true;
    }
    if (!(has_user(load) ? ask_user(load, name, bytes) : read_found(load, name, bytes))) return false;
    sni_load_count_input(load, bytes->size);
    return keep_opened(load, &load->refs, name, *bytes);
}

static bool open_with_endings(sni_load *load, const char *name, const char *endings, sni_bytes *bytes)
{
    char other[NAME_BYTES];
    const char *last = sni_last_name(name), *dot = strrchr(last, '.');
    if (open_candidate(load, name, bytes)) return true;
    bool has_ending = dot && dot != last;
    const char *own = has_ending ? dot + 1 : "";
    size_t stem = has_ending ? (size_t)(dot - name) : strlen(name);
    for (const char *at = endings; *at;) {
        size_t size = strcspn(at, " ");
        int length = snprintf(other, sizeof other, "%.*s.%.*s", (int)stem, name, (int)size, at);
        bool is_other = !sni_str_is_nocase(sni_str_make(at, size), own) && length < (int)sizeof other;
        if (is_other && open_candidate(load, other, bytes)) return true;
        at += size + (at[size] == ' ');
    }
    return false;
}

static void find_new(sni_load *load, const char *name, const char *endings, sni_bytes *bytes)
{
    const char *last = sni_last_name(name);
    uint32_t elements = load->heap->elements;  // names and files are no arrays of a model
    load->heap->elements = UINT32_MAX;
    bool is_found = open_with_endings(load, name, endings, bytes) ||
                    (last != name && open_with_endings(load, last, endings, bytes));
    if (!is_found) *bytes = no_bytes;
    if (sni_load_ok(load)) keep_opened(load, &load->found, name, *bytes);
    load->heap->elements = elements;
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
    const opened_ref *known = find_opened(&load->found, name);
    *why = known || load->found.count < FINDS_MAX ? "the file is not there" : "the model refers to too many files";
    if (known) *bytes = known->bytes;
    else if (load->found.count < FINDS_MAX) find_new(load, name, endings, bytes);
    if (!sni_load_ok(load)) *bytes = no_bytes;
    return bytes->data != NULL;
}
