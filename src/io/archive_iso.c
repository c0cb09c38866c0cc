// Disc images (ISO 9660, with Joliet or Rock Ridge names where they are): files are stored as they are, in sectors.
//
//     from sector 16 on: volume descriptors, one sector each: u8 kind (1 primary, 2 with other names, 255 the last),
//     "CD001" a directory: records that do not cross sectors: u8 size of the record (0: the next sector), u32 sector,
//     u32 bytes (both little-endian, then big-endian), u8 flags, u8 size of the name, name, system use
//
// A disc archive of Level-5's games in the image (DATA.DAT with its index) is listed too, as if it were unpacked.
#include <stdio.h>

#include "base/map.h"
#include "base/reader.h"
#include "io/archive.h"

enum { SECTOR = 2048, FIRST_DESCRIPTOR = 16, DESCRIPTORS = 64, RECORD_BYTES = 33, ROOT_AT = 156, ESCAPES_AT = 88 };
enum { EXTENT_AT = 2, BYTES_AT = 10, FLAGS_AT = 25, NAME_SIZE_AT = 32, IS_FOLDER = 2, IS_CONTINUED = 128 };
enum { FOLDERS_MAX = 65536, FOLDER_BYTES_MAX = 16 << 20, FILES_MAX = 1 << 20, DEPTH_MAX = 64, PATH_BYTES = 1024 };
static const uint64_t LISTED_BYTES_MAX = 256 << 20;  // of all folders: a small image may show one of them many times

typedef struct iso_folder {
    const char *path;  // "" or with a slash at the end
    uint32_t sector, bytes, depth;
} iso_folder;

typedef struct iso {
    sn_archive *archive;
    sni_arena *scratch;
    sni_diag *diag;
    bool is_joliet;
    sni_list folders;  // iso_folder, which grows while it is read
    sni_map seen;      // their sectors
    uint64_t listed_bytes;
    uint32_t file_count;
} iso;

// Names as they are in the image: "NAME.EXT;1" without its version; Joliet has UTF-16; Rock Ridge has an entry "NM".
static size_t plain_name(const uint8_t *name, size_t size, char out[PATH_BYTES])
{
    const uint8_t *version = memchr(name, ';', size);
    if (version) size = (size_t)(version - name);
    if (size > 0 && name[size - 1] == '.') size--;
    memcpy(out, name, size);
    return size;
}

static size_t joliet_name(const uint8_t *name, size_t size, char out[PATH_BYTES])
{
    size_t used = 0;
    for (size_t at = 0; at + 1 < size; at += 2) {
        uint32_t code = (uint32_t)name[at] << 8 | name[at + 1];
        if (code == ';') break;
        if (code >= 0xD800 && code < 0xDC00 && at + 3 < size) {
            uint32_t low = (uint32_t)name[at + 2] << 8 | name[at + 3];
            if (low >= 0xDC00 && low < 0xE000) code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00), at += 2;
        }
        used += sni_utf8_encode(code, out + used);
    }
    return used;
}

static size_t rock_ridge_name(const uint8_t *use, size_t size, char out[PATH_BYTES])
{
    size_t used = 0;
    while (size >= 4 && use[2] >= 4 && use[2] <= size) {
        if (use[0] == 'N' && use[1] == 'M' && use[2] > 5) {
            memcpy(out + used, use + 5, use[2] - 5u);
            used += use[2] - 5u;
        }
        size -= use[2];
        use += use[2];
    }
    return used;
}

static size_t name_of(const iso *i, const uint8_t *record, char out[PATH_BYTES])
{
    const size_t size = record[NAME_SIZE_AT], padded = RECORD_BYTES + size + (size % 2 == 0);
    const uint8_t *name = record + RECORD_BYTES;
    if (i->is_joliet) return joliet_name(name, size, out);
    size_t used = padded < record[0] ? rock_ridge_name(record + padded, record[0] - padded, out) : 0;
    return used > 0 ? used : plain_name(name, size, out);
}

// False only when memory ran out. A folder is listed once, wherever it is mentioned.
static bool add_folder(iso *i, const char *path, const uint8_t *record, uint32_t depth)
{
    const uint32_t sector = sni_load_u32(record + EXTENT_AT), hash = sni_hash(&sector, sizeof sector);
    for (sni_map_cursor at = sni_map_find(&i->seen, hash); sni_map_next(&i->seen, &at);)
        if (((const iso_folder *)i->folders.items)[at.item].sector == sector) return true;
    if (i->folders.count >= FOLDERS_MAX || depth > DEPTH_MAX) {
        i->archive->damaged_count++;
        return true;
    }
    const char *copy = sni_copy_text(i->scratch, path, strlen(path));
    iso_folder *folder = copy ? sni_push(i->scratch, &i->folders, iso_folder) : NULL;
    if (!folder || !sni_map_add(&i->seen, i->scratch, hash, i->folders.count - 1)) return false;
    *folder = (iso_folder){ copy, sector, sni_load_u32(record + BYTES_AT), depth };
    return true;
}

static bool add_record(iso *i, const iso_folder *folder, const uint8_t *record)
{
    char name[PATH_BYTES], path[2 * PATH_BYTES];
    const bool is_folder = record[FLAGS_AT] & IS_FOLDER;
    const bool is_self = record[NAME_SIZE_AT] == 1 && record[RECORD_BYTES] <= 1;  // "." and ".."
    const uint64_t at = (uint64_t)sni_load_u32(record + EXTENT_AT) * SECTOR, size = sni_load_u32(record + BYTES_AT);
    if (is_folder && is_self) return true;
    const size_t used = name_of(i, record, name);
    const bool is_inside = at <= i->archive->bytes && size <= i->archive->bytes - at;
    const bool is_name = used > 0 && !memchr(name, '/', used) && !memchr(name, 0, used);
    int length = snprintf(path, sizeof path, "%s%.*s%s", folder->path, (int)used, name, is_folder ? "/" : "");
    if (!is_inside || !is_name || length >= PATH_BYTES || (record[FLAGS_AT] & IS_CONTINUED) ||
        i->file_count >= FILES_MAX) {
        i->archive->damaged_count++;
        return true;
    }
    if (is_folder) return add_folder(i, path, record, folder->depth + 1);
    i->file_count++;
    return sni_archive_add(i->archive, path, size, at);
}

static bool list_folder(iso *i, const iso_folder *folder)
{
    sni_arena arena;
    sni_bytes bytes;
    const uint64_t at = (uint64_t)folder->sector * SECTOR;
    const bool is_inside = at <= i->archive->bytes && folder->bytes <= i->archive->bytes - at;
    i->listed_bytes += folder->bytes;
    if (!is_inside || folder->bytes > FOLDER_BYTES_MAX || i->listed_bytes > LISTED_BYTES_MAX) {
        i->archive->damaged_count++;
        return true;
    }
    sni_arena_init(&arena, &i->archive->heap);
    bool is_good = sni_file_read_part(i->archive->path, at, folder->bytes, &arena, i->diag, &bytes);
    for (size_t from = 0; is_good && bytes.size - from > RECORD_BYTES;) {
        const uint8_t *record = bytes.data + from;
        const size_t room = SECTOR - from % SECTOR, left = bytes.size - from < room ? bytes.size - from : room;
        if (record[0] == 0) {
            if (left == bytes.size - from) break;
            from += room;
            continue;
        }
        if (record[0] > left || record[0] < RECORD_BYTES + 1 || record[NAME_SIZE_AT] > record[0] - RECORD_BYTES) {
            i->archive->damaged_count++;
            break;
        }
        is_good = add_record(i, folder, record);
        from += record[0];
    }
    sni_arena_free(&arena);
    return is_good;
}

// A descriptor with Joliet names comes after the primary one, and is used instead.
static bool is_joliet(const uint8_t *descriptor)
{
    const uint8_t *escapes = descriptor + ESCAPES_AT;
    return descriptor[0] == 2 && escapes[0] == '%' && escapes[1] == '/' &&
           (escapes[2] == '@' || escapes[2] == 'C' || escapes[2] == 'E');
}

static bool find_root(iso *i, uint8_t root[RECORD_BYTES + 1])
{
    sni_bytes bytes;
    bool is_found = false;
    for (uint32_t n = 0; n < DESCRIPTORS; n++) {
        const uint64_t at = (uint64_t)(FIRST_DESCRIPTOR + n) * SECTOR;
        if (at + SECTOR > i->archive->bytes) break;
        if (!sni_file_read_part(i->archive->path, at, SECTOR, i->scratch, i->diag, &bytes)) return false;
        if (memcmp(bytes.data + 1, "CD001", 5) != 0 || bytes.data[0] == 255) break;
        if (bytes.data[0] != 1 && !is_joliet(bytes.data)) continue;
        i->is_joliet = is_joliet(bytes.data);
        memcpy(root, bytes.data + ROOT_AT, RECORD_BYTES + 1);
        is_found = true;
    }
    return is_found || (!sni_failed(i->diag) && sni_fail(i->diag, SN_ERR_FORMAT, 0, "not a disc image"));
}

static bool list_image(iso *i)
{
    uint8_t root[RECORD_BYTES + 1];
    if (!find_root(i, root) || !add_folder(i, "", root, 0)) return false;
    for (uint32_t n = 0; n < i->folders.count; n++) {
        const iso_folder folder = ((const iso_folder *)i->folders.items)[n];
        if (!list_folder(i, &folder)) return false;
    }
    i->archive->detail = i->is_joliet ? "Joliet names" : NULL;
    return true;
}

// DATA.DAT and its index, of the first few files of that kind.
static bool list_disc_archives(sn_archive *archive, sni_arena *scratch, sni_diag *diag)
{
    enum { MOST = 16 };
    const uint32_t count = archive->entries.count;
    uint32_t tried = 0;
    for (uint32_t d = 0; d < count && tried < MOST; d++) {
        const sni_archive_entry data = sni_archive_entries(archive)[d];
        const char *dot = strrchr(data.name, '.');
        if (!sni_has_ending(data.name, "dat")) continue;
        tried++;
        for (uint32_t n = 0; n < count; n++) {
            const sni_archive_entry index = sni_archive_entries(archive)[n];
            const size_t stem = (size_t)(dot - data.name);
            if (!sni_has_ending(index.name, "hd2 hd3 hd4 hd6 hed") || strrchr(index.name, '.') != index.name + stem ||
                !sni_str_equal_nocase(sni_str_make(index.name, stem), sni_str_make(data.name, stem)))
                continue;
            if (!sni_level5_list_inside(archive, &index, &data, scratch, diag)) return false;
            break;
        }
    }
    return true;
}

static bool iso_open(sn_archive *archive, sni_diag *diag)
{
    sni_arena scratch;
    sni_arena_init(&scratch, &archive->heap);
    iso image = { .archive = archive, .scratch = &scratch, .diag = diag };
    bool is_good = list_image(&image) && list_disc_archives(archive, &scratch, diag);
    sni_arena_free(&scratch);
    return is_good && !sni_failed(diag);
}

static bool iso_read(const sn_archive *archive, const sni_archive_entry *entry, sni_arena *arena, sni_diag *diag,
                     sni_bytes *bytes)
{
    return sni_archive_accepts(archive, entry->size, entry->size, diag) &&
           sni_file_read_part(archive->path, entry->at, entry->size, arena, diag, bytes);
}

static const char *iso_locate(const sn_archive *archive, const sni_archive_entry *entry, uint64_t *at)
{
    *at = entry->at;
    return archive->path;
}

const sni_archive_kind sni_archive_iso = {
    .title = "disc image",
    .extensions = "iso",
    .open = iso_open,
    .read = iso_read,
    .locate = iso_locate,
};
