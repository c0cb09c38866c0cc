// Disc archives of Level-5's games (Dark Cloud, Dark Cloud 2, Dragon Quest VIII): files in one large DAT, listed in an
// index of the same name beside it. Either of the two is opened; of the data only what is asked for is read.
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "archive.h"
#include "base/reader.h"
#include "base/sjis.h"
#include "dat_index.h"

enum { FOLDER_LIMIT = 1 << 16, LONGEST_INDEX = 16 << 20, PATH_BYTES = 4096 };

static bool has_stem(const char *name, const char *other, bool is_exact)
{
    size_t size = strlen(other) - strlen(strrchr(other, '.'));
    const char *dot = strrchr(name, '.');
    if (!dot || (size_t)(dot - name) != size) return false;
    if (is_exact) return memcmp(name, other, size) == 0;
    for (size_t i = 0; i < size; i++) {
        const char a[2] = { name[i], 0 }, b[2] = { other[i], 0 };
        if (sni_text_compare_nocase(a, b) != 0) return false;
    }
    return true;
}

// A file of the same name with that ending, one written exactly so before one in another case.
static const char *find_ending(const sni_list *entries, const char *name, const char *ending)
{
    const char *found = NULL;
    for (uint32_t i = 0; i < entries->count; i++) {
        const sni_folder_entry *entry = &((const sni_folder_entry *)entries->items)[i];
        if (entry->is_folder || !sni_has_ending(entry->name, ending)) continue;
        if (has_stem(entry->name, name, true)) return entry->name;
        if (!found && has_stem(entry->name, name, false)) found = entry->name;
    }
    return found;
}

// The other of the two files: the DAT of an index, the fullest index of a DAT. NULL: none; the diag says so.
static const char *find_partner(const char *path, sni_arena *arena, sni_diag *diag)
{
    static const char *const index_endings[] = { "hd2", "hd3", "hd4", "hd6", "hed" };
    char folder[PATH_BYTES] = ".";
    const char *name = sni_last_name(path), *found = NULL;
    const size_t size = (size_t)(name - path);
    const bool is_data = sni_has_ending(path, "dat");
    sni_list entries;
    if (size >= sizeof folder || !strrchr(name, '.')) {
        sni_fail(diag, SN_ERR_FORMAT, 0, "not a disc archive");
        return NULL;
    }
    if (size > 0) memcpy(folder, path, size), folder[size] = 0;
    if (!sni_folder_list(folder, FOLDER_LIMIT, arena, diag, &entries)) return NULL;
    if (!is_data) found = find_ending(&entries, name, "dat");
    for (size_t i = 0; is_data && !found && i < sizeof index_endings / sizeof index_endings[0]; i++)
        found = find_ending(&entries, name, index_endings[i]);
    if (!found)
        sni_fail(diag, SN_ERR_IO, 0,
                 is_data ? "no index (.hd2, .hd3, ...) of that name beside it" : "no .dat of that name beside it");
    char *partner = found ? sni_new(arena, char, size + strlen(found) + 1) : NULL;
    if (partner) memcpy(partner, path, size), memcpy(partner + size, found, strlen(found) + 1);
    return partner;
}

static bool measure(const char *path, uint64_t *bytes, sni_diag *diag)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return sni_fail(diag, SN_ERR_IO, 0, "cannot open %s: %s", sni_last_name(path), strerror(errno));
    *bytes = (uint64_t)info.st_size;
    return true;
}

static bool list_files(cli_archive *archive, const dat_index *index, sni_arena *scratch)
{
    for (uint32_t i = 0; i < index->records.count; i++) {
        const dat_record *record = &((const dat_record *)index->records.items)[i];
        bool was_bad;
        const char *name = sni_text_from_sjis(scratch, record->name, &was_bad);
        if (was_bad) archive->damaged_count++;
        else if (!cli_archive_add(archive, name, record->size, record->at)) return false;
    }
    return true;
}

static bool read_index(cli_archive *archive, const char *path, sni_arena *scratch, sni_diag *diag)
{
    sni_bytes bytes;
    dat_index index;
    if (!sni_file_read(path, LONGEST_INDEX, scratch, diag, &bytes)) return false;
    if (!dat_index_read(&index, bytes, path, archive->bytes, scratch, diag)) return false;
    archive->detail = index.title;
    archive->damaged_count = index.damaged_count;
    archive->overlap_count = index.overlap_count;
    return list_files(archive, &index, scratch);
}

static bool dat_open(cli_archive *archive, sni_diag *diag)
{
    sni_arena scratch;
    sni_arena_init(&scratch, archive->arena->heap);
    const bool is_data = sni_has_ending(archive->path, "dat");
    const char *found = find_partner(archive->path, &scratch, diag);
    archive->partner = found ? sni_copy_text(archive->arena, found, strlen(found)) : NULL;
    bool is_good = archive->partner && measure(is_data ? archive->path : archive->partner, &archive->bytes, diag) &&
                   read_index(archive, is_data ? archive->partner : archive->path, &scratch, diag);
    sni_arena_free(&scratch);
    return is_good;
}

static bool dat_read(cli_archive *archive, const cli_entry *entry, sni_arena *arena, sni_diag *diag, sni_bytes *bytes)
{
    const char *data = sni_has_ending(archive->path, "dat") ? archive->path : archive->partner;
    return cli_archive_accepts(archive, entry->size, entry->size, diag) &&
           sni_file_read_part(data, entry->at, entry->size, arena, diag, bytes);
}

const cli_archive_kind cli_archive_dat = {
    .title = "Level-5 disc archive",
    .extensions = "hd2 hd3 hd4 hd6 hed dat",
    .open = dat_open,
    .read = dat_read,
};
