// libsinew_mpq: MPQ archives through StormLib, which trusts what it reads. What is checked here before StormLib sees
// it: the sector size, the sizes of its tables, the size of the list of names, the characters of the path. Calls only
// public functions of libsinew, so that it links with the shared one too.
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/reader.h"
#include "sinew/mpq.h"

#include <StormLib.h>

// StormLib's header defines bool as a char in C.
#undef bool
#undef true
#undef false
#define bool _Bool
#define true 1
#define false 0

// Map protectors write tables that end past the file, so a few entries too many are accepted.
enum { NAME_BYTES = 1024, LARGEST_SECTOR_SHIFT = 15, ENTRY_BYTES = 16, SPARE_ENTRIES = 1 << 16, CHUNK_BYTES = 1 << 16 };
enum { SMALL_LIST = 1 << 24, LARGEST_LIST = 1 << 30, LARGEST_RATIO = 1100 };

// StormLib keeps its error code and its cipher tables in global variables.
static pthread_mutex_t storm_mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock(void) { pthread_mutex_lock(&storm_mutex); }
static void unlock(void) { pthread_mutex_unlock(&storm_mutex); }

static sn_status fail(sn_error *error, sn_status status, const char *format, ...) SNI_PRINTF(3, 4);
static sn_status fail(sn_error *error, sn_status status, const char *format, ...)
{
    va_list list;
    *error = (sn_error){ .status = status };
    va_start(list, format);
    vsnprintf(error->message, sizeof error->message, format, list);
    va_end(list);
    return status;
}

static sn_status fail_open(sn_error *error, uint32_t reason)
{
    switch (reason) {
    case ERROR_BAD_FORMAT:
    case ERROR_AVI_FILE: return fail(error, SN_ERR_FORMAT, "not an MPQ archive");
    case ERROR_FILE_CORRUPT: return fail(error, SN_ERR_CORRUPT, "the archive's tables are damaged");
    default: return fail(error, SN_ERR_CORRUPT, "StormLib cannot open the archive: error %u", reason);
    }
}

// The header, at the start of the file or at a multiple of 512: maps have something before it.
static bool find_header(const char *path, uint64_t bytes, uint8_t header[MPQ_HEADER_SIZE_V1])
{
    static const size_t STEP = 512;
    uint8_t chunk[CHUNK_BYTES];
    bool is_found = false, is_read = true;
    TFileStream *stream = FileStream_OpenFile(path, STREAM_FLAG_READ_ONLY);
    for (uint64_t start = 0; stream && is_read && !is_found && bytes - start >= MPQ_HEADER_SIZE_V1;) {
        size_t size = bytes - start < sizeof chunk ? (size_t)(bytes - start) : sizeof chunk;
        ULONGLONG offset = start;
        is_read = FileStream_Read(stream, &offset, chunk, (DWORD)size);
        for (size_t at = 0; is_read && !is_found && size - at >= MPQ_HEADER_SIZE_V1; at += STEP) {
            is_found = memcmp(chunk + at, "MPQ\x1A", 4) == 0;
            if (is_found) memcpy(header, chunk + at, MPQ_HEADER_SIZE_V1);
            if (size - at < STEP) break;
        }
        if (size < sizeof chunk) break;
        start += size;
    }
    if (stream) FileStream_Close(stream);
    return is_found;
}

// StormLib divides by the sector size, and allocates as much memory as the tables claim to be long.
static sn_status check_header(const char *path, uint64_t bytes, sn_error *error)
{
    uint8_t header[MPQ_HEADER_SIZE_V1];
    if (!find_header(path, bytes, header)) return fail(error, SN_ERR_FORMAT, "not an MPQ archive");
    const uint64_t most = bytes / ENTRY_BYTES + SPARE_ENTRIES;
    uint32_t sector_shift = sni_load_u16(header + 14);
    uint32_t hashes = sni_load_u32(header + 24), blocks = sni_load_u32(header + 28);
    if (sector_shift > LARGEST_SECTOR_SHIFT)
        return fail(error, SN_ERR_CORRUPT, "sectors of 512 << %u bytes, the largest are 512 << %d", sector_shift,
                    LARGEST_SECTOR_SHIFT);
    if ((hashes & BLOCK_INDEX_MASK) > most || (blocks & BLOCK_INDEX_MASK) > most)
        return fail(error, SN_ERR_CORRUPT, "tables of %u and %u entries do not fit an archive of %llu bytes", hashes,
                    blocks, (unsigned long long)bytes);
    return SN_OK;
}

// The list of names is a file of the archive, and may claim any size.
static sn_status add_names(HANDLE archive, uint64_t bytes, sn_error *error)
{
    DWORD packed = 0;
    HANDLE list = NULL;
    if (!SFileOpenFileEx(archive, LISTFILE_NAME, SFILE_OPEN_FROM_MPQ, &list)) return SN_OK;
    uint64_t size = SFileGetFileSize(list, NULL);
    bool is_known = SFileGetFileInfo(list, SFileInfoCompressedSize, &packed, sizeof packed, NULL);
    SFileCloseFile(list);
    if (!is_known || size > LARGEST_LIST || packed > bytes || (size > SMALL_LIST && size / LARGEST_RATIO > packed))
        return fail(error, SN_ERR_CORRUPT, "a list of names of %llu bytes does not fit an archive of %llu bytes",
                    (unsigned long long)size, (unsigned long long)bytes);
    SFileAddListFile(archive, NULL);
    return SN_OK;
}

static bool is_internal(const char *name)
{
    return strcmp(name, LISTFILE_NAME) == 0 || strcmp(name, ATTRIBUTES_NAME) == 0 || strcmp(name, SIGNATURE_NAME) == 0;
}

static sn_status list_files(sn_archive *archive, HANDLE handle)
{
    SFILE_FIND_DATA found;
    HANDLE search = SFileFindFirstFile(handle, "*", &found, NULL);
    bool is_good = true, has_more = search != NULL;
    while (is_good && has_more) {
        found.cFileName[sizeof found.cFileName - 1] = 0;
        is_good = is_internal(found.cFileName) || sn_archive_add(archive, found.cFileName, found.dwFileSize);
        has_more = SFileFindNextFile(search, &found) != 0;
    }
    if (search) SFileFindClose(search);
    return is_good ? SN_OK : SN_ERR_MEMORY;
}

static sn_status open_locked(sn_archive *archive, const char *path, uint64_t bytes, void **handle, sn_error *error)
{
    HANDLE opened = NULL;
    sn_status status = check_header(path, bytes, error);
    if (status != SN_OK) return status;
    if (!SFileOpenArchive(path, 0, MPQ_OPEN_READ_ONLY | MPQ_OPEN_NO_LISTFILE | MPQ_OPEN_NO_ATTRIBUTES, &opened))
        return fail_open(error, GetLastError());
    *handle = opened;
    status = add_names(opened, bytes, error);
    return status == SN_OK ? list_files(archive, opened) : status;
}

// StormLib takes the text before a colon for a way to read, and a star for the end of the path.
static sn_status mpq_open(sn_archive *archive, const char *path, uint64_t bytes, void **handle, sn_error *error)
{
    char plain[4096];
    bool is_plain = path[0] == '/' || path[0] == '.';
    int size = snprintf(plain, sizeof plain, "%s%s", is_plain ? "" : "./", path);
    if (size < 0 || (size_t)size >= sizeof plain || strchr(plain, '*'))
        return fail(error, SN_ERR_IO, "cannot open: the path has a '*' or is longer than %zu bytes", sizeof plain);
    lock();
    sn_status status = open_locked(archive, plain, bytes, handle, error);
    unlock();
    return status;
}

static void mpq_close(void *handle)
{
    lock();
    SFileCloseArchive(handle);
    unlock();
}

// Names that were not added have the slashes of sinew.
static HANDLE open_file(HANDLE handle, const char *name, bool was_added)
{
    char own[NAME_BYTES];
    HANDLE file = NULL;
    int size = snprintf(own, sizeof own, "%s", name);
    if (size < 0 || (size_t)size >= sizeof own) return NULL;
    for (char *at = own; *at && !was_added; at++)
        if (*at == '/') *at = '\\';
    return SFileOpenFileEx(handle, own, SFILE_OPEN_FROM_MPQ, &file) ? file : NULL;
}

// An archive knows its files by hashes of their names; its list of names may be missing or incomplete.
static bool mpq_find(void *handle, const char *name, uint64_t *size)
{
    lock();
    HANDLE file = open_file(handle, name, false);
    if (file) {
        *size = SFileGetFileSize(file, NULL);
        SFileCloseFile(file);
    }
    unlock();
    return file != NULL;
}

static sn_status read_file(HANDLE file, sn_archive_buffer *buffer, sn_error *error)
{
    DWORD high = 0, low = SFileGetFileSize(file, &high), packed = 0, got = 0;
    if (low == SFILE_INVALID_SIZE || !SFileGetFileInfo(file, SFileInfoCompressedSize, &packed, sizeof packed, NULL))
        return fail(error, SN_ERR_CORRUPT, "the archive does not give the size of the file");
    uint8_t *data = sn_archive_reserve(buffer, (uint64_t)high << 32 | low, packed);
    if (!data) return SN_ERR_MEMORY;
    if (low > 0 && (!SFileReadFile(file, data, low, &got, NULL) || got != low))
        return fail(error, SN_ERR_CORRUPT, "the archive is damaged: %u of %u bytes were unpacked", got, low);
    return SN_OK;
}

static sn_status mpq_read(void *handle, const char *name, bool was_added, sn_archive_buffer *buffer, sn_error *error)
{
    lock();
    HANDLE file = open_file(handle, name, was_added);
    sn_status status = file ? read_file(file, buffer, error)
                            : fail(error, SN_ERR_CORRUPT, "the archive lists the file but cannot open it");
    if (file) SFileCloseFile(file);
    unlock();
    return status;
}

const sn_archive_kind sn_mpq = {
    .title = "MPQ archive",
    .extensions = "mpq w3m w3x w3n",
    .open = mpq_open,
    .close = mpq_close,
    .find = mpq_find,
    .read = mpq_read,
};
