#include "archive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

extern const cli_archive_kind cli_archive_mpq, cli_archive_big, cli_archive_dat, cli_archive_pack;

static const cli_archive_kind *const kinds[] = {
    &cli_archive_mpq, &cli_archive_big, &cli_archive_dat, &cli_archive_pack, NULL,
};

// Nothing that is packed grows more than some thousand times; small files may be anything.
enum { LARGEST_FILE = 1 << 30, SMALL_FILE = 1 << 24, LARGEST_RATIO = 1100, NAME_BYTES = 1024 };

const cli_archive_kind *cli_archive_kind_at(uint32_t index)
{
    return index < sizeof kinds / sizeof *kinds ? kinds[index] : NULL;
}

bool cli_archive_is(const char *path)
{
    for (int i = 0; kinds[i]; i++)
        if (sni_has_ending(path, kinds[i]->extensions)) return true;
    return false;
}

bool cli_archive_is_model(const char *path)
{
    for (int i = 0; kinds[i]; i++)
        if (kinds[i]->model_extensions && sni_has_ending(path, kinds[i]->model_extensions)) return true;
    return false;
}

bool cli_archive_add(cli_archive *archive, const char *own_name, uint64_t size, uint64_t at)
{
    char clean[NAME_BYTES];
    if (!sni_ref_clean(sni_str_make(own_name, strlen(own_name)), clean, sizeof clean)) {
        archive->refused_count++;
        return true;
    }
    const char *own = sni_copy_text(archive->arena, own_name, strlen(own_name));
    const char *name = sni_copy_text(archive->arena, clean, strlen(clean));
    cli_entry *entry = own && name ? sni_push(archive->arena, &archive->entries, cli_entry) : NULL;
    if (entry) *entry = (cli_entry){ name, own, size, at };
    return entry != NULL;
}

bool cli_archive_accepts(const cli_archive *archive, uint64_t size, uint64_t packed, sni_diag *diag)
{
    if (size > LARGEST_FILE || packed > archive->bytes || (size > SMALL_FILE && size / LARGEST_RATIO > packed))
        return sni_fail(diag, SN_ERR_CORRUPT, 0, "%llu bytes are promised, from %llu of an archive of %llu",
                        (unsigned long long)size, (unsigned long long)packed, (unsigned long long)archive->bytes);
    return true;
}

static int compare_names(const void *a, const void *b)
{
    const cli_entry *first = a, *second = b;
    int order = sni_text_compare_nocase(first->name, second->name);
    if (order == 0) order = strcmp(first->own, second->own);
    return order ? order : (first->at > second->at) - (first->at < second->at);
}

static int compare_last_names(const void *a, const void *b)
{
    const cli_entry *first = *(const cli_entry *const *)a, *second = *(const cli_entry *const *)b;
    int order = sni_text_compare_nocase(sni_last_name(first->name), sni_last_name(second->name));
    return order ? order : compare_names(first, second);
}

// A name may be there for each of several languages: the archive itself chooses one when it is read.
static bool sort_entries(cli_archive *archive)
{
    cli_entry *entries = archive->entries.items;
    uint32_t count = 0;
    if (archive->entries.count > 1) qsort(entries, archive->entries.count, sizeof *entries, compare_names);
    for (uint32_t i = 0; i < archive->entries.count; i++)
        if (count == 0 || sni_text_compare_nocase(entries[count - 1].name, entries[i].name) != 0)
            entries[count++] = entries[i];
    archive->entries.count = count;
    archive->by_last_name = sni_new(archive->arena, const cli_entry *, count);
    if (!archive->by_last_name) return false;
    for (uint32_t i = 0; i < count; i++) archive->by_last_name[i] = &entries[i];
    if (count > 1) qsort(archive->by_last_name, count, sizeof *archive->by_last_name, compare_last_names);
    return true;
}

static bool open_as(cli_archive *archive, const cli_archive_kind *kind, uint64_t bytes, sni_diag *diag)
{
    *archive = (cli_archive){ .kind = kind, .path = archive->path, .bytes = bytes, .arena = archive->arena };
    if (kind->open(archive, diag) && sort_entries(archive)) return true;
    cli_archive_close(archive);
    return false;
}

bool cli_archive_open(cli_archive *archive, const char *path, sni_arena *arena, sni_diag *diag)
{
    struct stat info;
    *archive = (cli_archive){ .path = path, .arena = arena };
    if (stat(path, &info) != 0) return sni_fail(diag, SN_ERR_IO, 0, "cannot open: %s", strerror(errno));
    if (!S_ISREG(info.st_mode)) return sni_fail(diag, SN_ERR_IO, 0, "is no regular file");
    const uint64_t bytes = (uint64_t)info.st_size;
    for (int i = 0; kinds[i]; i++)
        if (sni_has_ending(path, kinds[i]->extensions)) return open_as(archive, kinds[i], bytes, diag);
    for (int i = 0; kinds[i]; i++) {
        sni_diag ignored;
        sni_diag_init(&ignored, NULL);
        if (open_as(archive, kinds[i], bytes, &ignored)) return true;
    }
    return sni_fail(diag, SN_ERR_FORMAT, 0, "not an archive of any kind sinew reads");
}

void cli_archive_close(cli_archive *archive)
{
    if (archive->handle) archive->kind->close(archive);
    archive->handle = NULL;
}

bool cli_archive_find_path(cli_archive *archive, const char *clean_name, cli_entry *entry)
{
    const cli_entry wanted = { .name = clean_name }, *entries = cli_archive_entries(archive);
    uint32_t first = 0, end = archive->entries.count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        int order = sni_text_compare_nocase(entries[middle].name, wanted.name);
        if (order == 0) *entry = entries[middle];
        if (order == 0) return true;
        if (order < 0) first = middle + 1;
        else end = middle;
    }
    *entry = wanted;
    return archive->kind->find && archive->kind->find(archive, clean_name, entry);
}

bool cli_archive_find_name(cli_archive *archive, const char *last_name, cli_entry *entry)
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

bool cli_archive_read(cli_archive *archive, const cli_entry *entry, sni_arena *arena, sni_diag *diag, sni_bytes *bytes)
{
    *bytes = (sni_bytes){ (const uint8_t *)"", 0 };
    return archive->kind->read(archive, entry, arena, diag, bytes);
}

// Without recursion: after a mismatch only the last star can take one character more.
bool cli_name_matches(const char *name, const char *pattern)
{
    const char *star = NULL, *resume = NULL;
    while (*name) {
        char one[2] = { *name, 0 }, other[2] = { *pattern == '\\' ? '/' : *pattern, 0 };
        if (*pattern == '*') {
            star = ++pattern;
            resume = name;
        } else if (*pattern && (*pattern == '?' || sni_text_compare_nocase(one, other) == 0)) {
            name++, pattern++;
        } else if (star) {
            pattern = star;
            name = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*') pattern++;
    return *pattern == 0;
}
