// MPQ archives, through StormLib. It is C++ without a sandbox: what it allocates for a damaged archive is not under
// our limits. The sizes that it reports are checked before they are used.
#include <string.h>

#include "archive.h"
#include "base/reader.h"

#ifdef SINEW_HAS_STORM

#    include <StormLib.h>

// StormLib's header makes a char of bool in C.
#    undef bool
#    undef true
#    undef false
#    define bool _Bool
#    define true 1
#    define false 0

// Protectors of maps write tables that end behind the file; a few entries too many are theirs.
enum { NAME_BYTES = 1024, LARGEST_SECTOR_SHIFT = 15, ENTRY_BYTES = 16, SPARE_ENTRIES = 1 << 16 };

static bool fail_open(sni_diag *diag, uint32_t reason)
{
    switch (reason) {
    case ERROR_BAD_FORMAT:
    case ERROR_AVI_FILE: return sni_fail(diag, SN_ERR_FORMAT, 0, "not an MPQ archive");
    case ERROR_FILE_CORRUPT: return sni_fail(diag, SN_ERR_CORRUPT, 0, "the archive's tables are damaged");
    default: return sni_fail(diag, SN_ERR_CORRUPT, 0, "StormLib cannot open the archive: error %u", reason);
    }
}

static bool is_internal(const char *name)
{
    return strcmp(name, LISTFILE_NAME) == 0 || strcmp(name, ATTRIBUTES_NAME) == 0 || strcmp(name, SIGNATURE_NAME) == 0;
}

static bool list_files(cli_archive *archive)
{
    SFILE_FIND_DATA found;
    HANDLE search = SFileFindFirstFile(archive->handle, "*", &found, NULL);
    bool is_good = true, has_more = search != NULL;
    while (is_good && has_more) {
        found.cFileName[sizeof found.cFileName - 1] = 0;
        is_good = is_internal(found.cFileName) || cli_archive_add(archive, found.cFileName, found.dwFileSize, 0);
        has_more = SFileFindNextFile(search, &found) != 0;
    }
    if (search) SFileFindClose(search);
    return is_good;
}

// The header as it lies in the file, from its start or from a multiple of 512: maps have something before it.
static const uint8_t *find_header(sni_bytes file)
{
    for (size_t at = 0; file.size - at >= MPQ_HEADER_SIZE_V1; at += 512) {
        if (memcmp(file.data + at, "MPQ\x1A", 4) == 0) return file.data + at;
        if (file.size - at < 512 + MPQ_HEADER_SIZE_V1) break;
    }
    return NULL;
}

// StormLib divides by the sector size, and asks for as much memory as the tables say that they are long.
static bool check_header(cli_archive *archive, sni_diag *diag)
{
    sni_bytes file;
    if (!sni_file_map(archive->path, UINT64_MAX, &file)) return sni_fail(diag, SN_ERR_FORMAT, 0, "not an MPQ archive");
    const uint8_t *header = find_header(file);
    const uint64_t most = archive->bytes / ENTRY_BYTES + SPARE_ENTRIES;
    uint32_t sector_shift = header ? sni_load_u16(header + 14) : 0;
    uint32_t hashes = header ? sni_load_u32(header + 24) : 0, blocks = header ? sni_load_u32(header + 28) : 0;
    sni_file_unmap(file);
    if (!header) return sni_fail(diag, SN_ERR_FORMAT, 0, "not an MPQ archive");
    if (sector_shift > LARGEST_SECTOR_SHIFT)
        return sni_fail(diag, SN_ERR_CORRUPT, 0, "the archive says that its sectors are of 512 << %u bytes",
                        sector_shift);
    if ((hashes & BLOCK_INDEX_MASK) > most || (blocks & BLOCK_INDEX_MASK) > most)
        return sni_fail(diag, SN_ERR_CORRUPT, 0,
                        "tables of %u and %u entries are promised, in an archive of %llu bytes", hashes, blocks,
                        (unsigned long long)archive->bytes);
    return true;
}

// The list of names is a file of the archive, and may say that it is of any size.
static bool add_names(cli_archive *archive, sni_diag *diag)
{
    DWORD packed = 0;
    HANDLE list = NULL;
    if (!SFileOpenFileEx(archive->handle, LISTFILE_NAME, SFILE_OPEN_FROM_MPQ, &list)) return true;
    uint64_t size = SFileGetFileSize(list, NULL);
    bool is_known = SFileGetFileInfo(list, SFileInfoCompressedSize, &packed, sizeof packed, NULL);
    SFileCloseFile(list);
    if (!is_known || !cli_archive_accepts(archive, size, packed, diag)) return false;
    SFileAddListFile(archive->handle, NULL);
    return true;
}

// StormLib takes what stands before a colon for a way to read, and a star for the end of the path.
static bool mpq_open(cli_archive *archive, sni_diag *diag)
{
    char path[4096];
    HANDLE handle = NULL;
    bool is_plain = archive->path[0] == '/' || archive->path[0] == '.';
    int size = snprintf(path, sizeof path, "%s%s", is_plain ? "" : "./", archive->path);
    if (size < 0 || (size_t)size >= sizeof path || strchr(path, '*'))
        return sni_fail(diag, SN_ERR_IO, 0, "cannot open: StormLib takes no path with a star, or so long");
    if (!check_header(archive, diag)) return false;
    if (!SFileOpenArchive(path, 0, MPQ_OPEN_READ_ONLY | MPQ_OPEN_NO_LISTFILE | MPQ_OPEN_NO_ATTRIBUTES, &handle))
        return fail_open(diag, GetLastError());
    archive->handle = handle;
    return add_names(archive, diag) && list_files(archive);
}

static void mpq_close(cli_archive *archive) { SFileCloseArchive(archive->handle); }

static HANDLE open_entry(cli_archive *archive, const cli_entry *entry)
{
    char name[NAME_BYTES];
    HANDLE file = NULL;
    int size = snprintf(name, sizeof name, "%s", entry->own ? entry->own : entry->name);
    if (size < 0 || (size_t)size >= sizeof name) return NULL;
    for (char *at = name; *at && !entry->own; at++)
        if (*at == '/') *at = '\\';
    return SFileOpenFileEx(archive->handle, name, SFILE_OPEN_FROM_MPQ, &file) ? file : NULL;
}

// An archive knows its files by hashes of their names; its list of names may be missing or cut.
static bool mpq_find(cli_archive *archive, const char *name, cli_entry *entry)
{
    HANDLE file = open_entry(archive, entry);
    (void)name;
    if (!file) return false;
    entry->size = SFileGetFileSize(file, NULL);
    SFileCloseFile(file);
    return true;
}

static bool read_open(cli_archive *archive, HANDLE file, sni_arena *arena, sni_diag *diag, sni_bytes *bytes)
{
    DWORD high = 0, low = SFileGetFileSize(file, &high), packed = 0, got = 0;
    if (low == SFILE_INVALID_SIZE || !SFileGetFileInfo(file, SFileInfoCompressedSize, &packed, sizeof packed, NULL))
        return sni_fail(diag, SN_ERR_CORRUPT, 0, "the archive does not say how long the file is");
    if (!cli_archive_accepts(archive, (uint64_t)high << 32 | low, packed, diag)) return false;
    uint8_t *data = sni_new_raw(arena, uint8_t, low);
    if (!data) return false;
    if (low > 0 && (!SFileReadFile(file, data, low, &got, NULL) || got != low))
        return sni_fail(diag, SN_ERR_CORRUPT, 0, "the archive is damaged: %u of %u bytes could be unpacked", got, low);
    *bytes = (sni_bytes){ data, low };
    return true;
}

static bool mpq_read(cli_archive *archive, const cli_entry *entry, sni_arena *arena, sni_diag *diag, sni_bytes *bytes)
{
    HANDLE file = open_entry(archive, entry);
    if (!file) return sni_fail(diag, SN_ERR_CORRUPT, 0, "the archive lists the file, but cannot open it");
    bool is_read = read_open(archive, file, arena, diag, bytes);
    SFileCloseFile(file);
    return is_read;
}

#else

static bool mpq_open(cli_archive *archive, sni_diag *diag)
{
    (void)archive;
    return sni_fail(diag, SN_ERR_UNSUPPORTED, 0, "this sinew was built without StormLib, which opens MPQ archives");
}

#    define MPQ_IS_MISSING
#    define mpq_close NULL
#    define mpq_find  NULL
#    define mpq_read  NULL

#endif

const cli_archive_kind cli_archive_mpq = {
    .title = "MPQ archive",
    .extensions = "mpq w3m w3x w3n",
#ifdef MPQ_IS_MISSING
    .is_missing = true,
#endif
    .open = mpq_open,
    .close = mpq_close,
    .find = mpq_find,
    .read = mpq_read,
};
