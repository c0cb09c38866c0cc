// Archives of Level-5's games: disc archives (Dark Cloud, Dark Cloud 2, Dragon Quest VIII) and packs.
//
// A disc archive is two files: one large DAT with the contents, and an index of the same name beside it. Either of the
// two is opened; only the contents that are asked for are read.
// HED, HD2, HD3 and HD4 are lists of records; they differ in what a record holds. HD6 is recognised by its first bytes.
//
//     HED: name[64], u32 offset, u32 size, two words; the list ends at an empty name
//     HD2: u32 name, three words, u32 offset, u32 size, u32 sector, u32 sectors
//     HD3: u32 name, u32 size, u32 sector, u32 sectors
//     HD4: u32 name, u32 size, u32 sector; or the last two in the other order
//
// From HD2 on a name is an offset in the index, after the records; the first one gives the number of records.
#include <stdlib.h>

#include "base/reader.h"
#include "base/sjis.h"
#include "io/archive.h"
#include "io/level5_pack.h"
#include "io/root.h"

typedef struct dat_record {
    sni_str name;
    uint64_t at, size;
} dat_record;  // the name as it is stored, in Shift-JIS

typedef struct dat_index {
    const char *title;         // "HD2 index"
    sni_list records;          // dat_record, those inside the data
    uint64_t name_bytes;       // of all of them
    uint32_t damaged_count;    // records without a name, or that reach past the data
    uint32_t overlap_count;    // records that begin inside another file
    uint32_t neighbour_count;  // records that begin in the sector behind another file
} dat_index;

enum { SECTOR = 2048, HED_NAME = 64, LONGEST_NAME = 1023, NAMES_RATIO = 8 };

typedef struct layout {
    const char *ending, *title;
    uint32_t bytes, offset_at, size_at, sector_at;  // 0: it has no such field
} layout;

// clang-format off
static const layout layouts[] = {
    { "hd2", "HD2 index", 32, 16, 20, 24 },
    { "hd3", "HD3 index", 16, 0, 4, 8 },
    { "hd4", "HD4 index, sizes before sectors", 12, 0, 4, 8 },
    { "hd4", "HD4 index, sectors before sizes", 12, 0, 8, 4 },
    { "hed", "HED index", 80, HED_NAME, 68, 0 },
};
// clang-format on

enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

// One index.
typedef struct reading {
    sni_bytes bytes;
    uint64_t data_bytes;
    sni_arena *arena;
} reading;

// Many records may share one long name, so the names together are limited to a multiple of the index.
static bool is_usable(const reading *r, const dat_index *index, const dat_record *record)
{
    bool is_inside = record->at <= r->data_bytes && record->size <= r->data_bytes - record->at;
    bool has_name = record->name.size > 0 && record->name.size <= LONGEST_NAME;
    return is_inside && has_name && index->name_bytes <= (uint64_t)r->bytes.size * NAMES_RATIO;
}

static bool add_record(const reading *r, dat_index *index, dat_record record)
{
    if (!is_usable(r, index, &record)) {
        index->damaged_count++;
        return true;
    }
    index->name_bytes += record.name.size;
    dat_record *slot = sni_push(r->arena, &index->records, dat_record);
    if (slot) *slot = record;
    return slot != NULL;
}

// Offsets of 32 bits wrap around in large archives; the sector then decides.
static uint64_t place_of(const layout *l, const uint8_t *at)
{
    uint32_t offset = l->offset_at ? sni_load_u32(at + l->offset_at) : 0;
    uint64_t place = l->sector_at ? (uint64_t)sni_load_u32(at + l->sector_at) * SECTOR : 0;
    return l->offset_at && offset != (uint32_t)place ? offset : place;
}

// The text at a place behind the records; empty when there is none that ends. Names that are too long are not searched
// to their end: all records may share one.
static sni_str name_at(sni_bytes bytes, uint32_t first_name, uint32_t at)
{
    if (at < first_name || at >= bytes.size) return (sni_str){ "", 0 };
    const char *name = (const char *)bytes.data + at;
    size_t room = bytes.size - at;
    const char *nul = memchr(name, 0, room < LONGEST_NAME + 1 ? room : LONGEST_NAME + 1);
    return nul ? sni_str_make(name, (size_t)(nul - name)) : (sni_str){ "", 0 };
}

static bool is_zero(const uint8_t *at, uint32_t size)
{
    while (size > 0 && at[size - 1] == 0) size--;
    return size == 0;
}

// False only when memory ran out.
static bool read_layout(const reading *r, const layout *l, dat_index *index)
{
    const bool has_names_inside = l->offset_at == HED_NAME;
    const uint32_t first_name = has_names_inside ? 0 : sni_load_u32(r->bytes.data);
    const size_t end = has_names_inside || first_name > r->bytes.size ? r->bytes.size : first_name;
    *index = (dat_index){ .title = l->title };
    for (size_t start = 0; end - start >= l->bytes; start += l->bytes) {
        const uint8_t *at = r->bytes.data + start;
        const char *inside = (const char *)at;
        if (has_names_inside && !inside[0]) break;
        if (is_zero(at, l->bytes)) continue;
        sni_str name = has_names_inside ? sni_str_make(inside, strnlen(inside, HED_NAME))
                                        : name_at(r->bytes, first_name, sni_load_u32(at));
        dat_record record = { name, place_of(l, at), sni_load_u32(at + l->size_at) };
        if (!add_record(r, index, record)) return false;
    }
    return true;
}

static int compare_places(const void *a, const void *b)
{
    const dat_record *first = a, *second = b;
    if (first->at != second->at) return first->at > second->at ? 1 : -1;
    return (first->size > second->size) - (first->size < second->size);
}

// Counts neighbours and overlaps. The same file under two names is not an overlap.
static bool count_overlaps(const reading *r, dat_index *index)
{
    const uint32_t count = index->records.count;
    dat_record *sorted = sni_new_raw(r->arena, dat_record, count);
    if (!sorted) return false;
    if (count > 0) memcpy(sorted, index->records.items, count * sizeof *sorted);
    if (count > 1) qsort(sorted, count, sizeof *sorted, compare_places);
    uint64_t end = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_same = i > 0 && sorted[i].at == sorted[i - 1].at && sorted[i].size == sorted[i - 1].size;
        index->overlap_count += sorted[i].at < end && sorted[i].size > 0 && !is_same;
        index->neighbour_count += sorted[i].at == (end + SECTOR - 1) / SECTOR * SECTOR;
        if (sorted[i].at + sorted[i].size > end) end = sorted[i].at + sorted[i].size;
    }
    return true;
}

// Files are packed one behind the other, so in the right reading most are neighbours.
static int64_t fitness(const dat_index *index)
{
    return (int64_t)index->records.count + index->neighbour_count - index->damaged_count - index->overlap_count;
}

// Of the layouts of an extension, or of all, the one whose records fit the data best; the first of equal ones.
static bool read_best(const reading *r, const char *path, dat_index *best)
{
    bool is_known = false;
    *best = (dat_index){ 0 };
    for (int i = 0; i < LAYOUTS; i++) is_known |= sni_has_ending(path, layouts[i].ending);
    for (int i = 0; i < LAYOUTS; i++) {
        dat_index index;
        if (is_known && !sni_has_ending(path, layouts[i].ending)) continue;
        if (!read_layout(r, &layouts[i], &index) || !count_overlaps(r, &index)) return false;
        if (!best->title || fitness(&index) > fitness(best)) *best = index;
    }
    return true;
}

// HD6 (Dragon Quest VIII). Names are put together from pieces: a name is numbers of pieces, seven bits to a byte, and a
// 0; they are in the order of the files. A file is 16 bits that nobody knows, 24 of its place, of which two are not
// used, and 24 of its size.

enum { HD6_HEADER = 52, HD6_UNIT = 16 };

typedef struct hd6 {
    sni_bytes pool, names;
    size_t at;  // in names: where the next one begins
    const uint8_t *files;
    uint32_t file_count, piece_count;
    sni_str *pieces;
} hd6;

static sni_bytes part_of(sni_bytes bytes, uint32_t at, uint32_t size)
{
    if (at > bytes.size || size > bytes.size - at) return (sni_bytes){ NULL, 0 };
    return (sni_bytes){ bytes.data + at, size };
}

static bool split_pool(const reading *r, hd6 *h)
{
    const char *at = (const char *)h->pool.data, *end = at + h->pool.size;
    for (size_t i = 0; i < h->pool.size; i++) h->piece_count += h->pool.data[i] == 0;
    h->pieces = sni_new_raw(r->arena, sni_str, h->piece_count);
    for (uint32_t i = 0; h->pieces && i < h->piece_count; i++) {
        const char *nul = memchr(at, 0, (size_t)(end - at));
        h->pieces[i] = sni_str_make(at, (size_t)(nul - at));
        at = nul + 1;
    }
    return h->pieces != NULL;
}

// The number of a piece, of one byte or two; false where the names end before.
static bool read_number(hd6 *h, uint32_t *number)
{
    if (h->at == h->names.size) return false;
    *number = h->names.data[h->at++];
    if (*number < 0x80) return true;
    if (h->at == h->names.size) return false;
    *number = (*number & 0x7F) + 0x80u * h->names.data[h->at++];
    return true;
}

// The next name. Returns its length in `out`; 0 when it is damaged or too long.
static size_t join_name(hd6 *h, char out[LONGEST_NAME])
{
    size_t used = 0;
    uint32_t number;
    bool is_good = true;
    while (h->at < h->names.size && h->names.data[h->at] != 0) {
        is_good = read_number(h, &number) && is_good && number < h->piece_count &&
                  h->pieces[number].size <= LONGEST_NAME - used;
        if (!is_good) continue;
        memcpy(out + used, h->pieces[number].at, h->pieces[number].size);
        used += h->pieces[number].size;
    }
    is_good = is_good && h->at < h->names.size;
    if (h->at < h->names.size) h->at++;
    return is_good ? used : 0;
}

static bool read_file(const reading *r, hd6 *h, const uint8_t *at, dat_index *index)
{
    char name[LONGEST_NAME];
    const uint32_t before = index->records.count;
    uint64_t bits = sni_load_u32(at) | (uint64_t)sni_load_u32(at + 4) << 32;
    uint64_t place = (bits >> 18 & 0x3FFFFF) * SECTOR, size = (bits >> 40) * HD6_UNIT;
    size_t length = join_name(h, name);
    if (!add_record(r, index, (dat_record){ sni_str_make(name, length), place, size })) return false;
    if (index->records.count == before) return true;
    dat_record *added = &((dat_record *)index->records.items)[before];
    added->name.at = sni_copy_text(r->arena, name, length);
    return added->name.at != NULL;
}

static bool read_hd6(const reading *r, dat_index *index, sni_diag *diag)
{
    const uint8_t *head = r->bytes.data;
    hd6 h = { .pool = part_of(r->bytes, HD6_HEADER, sni_load_u32(head + 8)),
              .names = part_of(r->bytes, sni_load_u32(head + 20), sni_load_u32(head + 24)) };
    uint32_t listed = sni_load_u32(head + 36), files_at = sni_load_u32(head + 40);
    h.file_count = listed > 0 ? listed - 1 : 0;  // the count is one too high
    *index = (dat_index){ .title = "HD6 index, experimental" };
    if (!h.pool.data || !h.names.data)
        return sni_fail(diag, SN_ERR_CORRUPT, 4, "names outside the index of %zu bytes", r->bytes.size);
    if (files_at > r->bytes.size || h.file_count > (r->bytes.size - files_at) / 8)
        return sni_fail(diag, SN_ERR_CORRUPT, 36, "%u files from byte %u on, the index has %zu", h.file_count, files_at,
                        r->bytes.size);
    h.files = head + files_at;
    bool is_good = split_pool(r, &h);
    for (uint32_t i = 0; i < h.file_count && is_good; i++) is_good = read_file(r, &h, h.files + (size_t)i * 8, index);
    return is_good && count_overlaps(r, index);
}

static bool read_dat_index(dat_index *index, sni_bytes bytes, const char *path, uint64_t data_bytes, sni_arena *arena,
                           sni_diag *diag)
{
    const reading r = { bytes, data_bytes, arena };
    *index = (dat_index){ 0 };
    if (bytes.size >= HD6_HEADER && memcmp(bytes.data, "HD6", 3) == 0) return read_hd6(&r, index, diag);
    if (bytes.size < 4) return sni_fail(diag, SN_ERR_FORMAT, 0, "an index of %zu bytes", bytes.size);
    if (!read_best(&r, path, index)) return false;
    if (index->records.count > 0) return true;
    return sni_fail(diag, SN_ERR_CORRUPT, 0, "no file of the index is inside the data of %llu bytes",
                    (unsigned long long)data_bytes);
}

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

// A file of the same name with that ending, one written exactly so before one in another case. Links that lead out of
// the folder are not followed.
static const char *find_ending(const char *folder, const sni_list *entries, const char *name, const char *ending,
                               sni_diag *diag)
{
    char path[PATH_BYTES];
    const char *found = NULL;
    for (uint32_t i = 0; i < entries->count; i++) {
        const sni_folder_entry *entry = &((const sni_folder_entry *)entries->items)[i];
        if (entry->is_folder || !sni_has_ending(entry->name, ending) || !has_stem(entry->name, name, false)) continue;
        const bool is_exact = has_stem(entry->name, name, true);
        if ((found && !is_exact) || !sni_ref_find(folder, entry->name, path, sizeof path, diag)) continue;
        if (is_exact) return entry->name;
        found = entry->name;
    }
    return found;
}

// The other of the two files: the DAT of an index, the fullest index of a DAT. NULL: none, reported.
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
    if (!is_data) found = find_ending(folder, &entries, name, "dat", diag);
    for (size_t i = 0; is_data && !found && i < sizeof index_endings / sizeof index_endings[0]; i++)
        found = find_ending(folder, &entries, name, index_endings[i], diag);
    if (!found)
        sni_fail(diag, SN_ERR_IO, 0,
                 is_data ? "no index (.hd2, .hd3, ...) of that name beside it" : "no .dat of that name beside it");
    char *partner = found ? sni_new(arena, char, size + strlen(found) + 1) : NULL;
    if (partner) memcpy(partner, path, size), memcpy(partner + size, found, strlen(found) + 1);
    return partner;
}

static bool list_records(sn_archive *archive, const dat_index *index, uint64_t base, sni_arena *scratch)
{
    for (uint32_t i = 0; i < index->records.count; i++) {
        const dat_record *record = &((const dat_record *)index->records.items)[i];
        bool was_bad;
        const char *name = sni_text_from_sjis(scratch, record->name, &was_bad);
        if (was_bad) archive->damaged_count++;
        else if (!sni_archive_add(archive, name, record->size, base + record->at)) return false;
    }
    return true;
}

static bool read_index(sn_archive *archive, const char *path, sni_arena *scratch, sni_diag *diag)
{
    sni_bytes bytes;
    dat_index index;
    if (!sni_file_read(path, LONGEST_INDEX, scratch, diag, &bytes)) return false;
    if (!read_dat_index(&index, bytes, path, archive->bytes, scratch, diag)) return false;
    archive->detail = index.title;
    archive->damaged_count = index.damaged_count;
    archive->overlap_count = index.overlap_count;
    return list_records(archive, &index, 0, scratch);
}

bool sni_level5_list_inside(sn_archive *archive, const sni_archive_entry *index, const sni_archive_entry *data,
                            sni_arena *scratch, sni_diag *diag)
{
    sni_diag own;
    sni_bytes bytes;
    dat_index read;
    if (index->size > LONGEST_INDEX) return true;
    if (!sni_file_read_part(archive->path, index->at, index->size, scratch, diag, &bytes)) return false;
    sni_diag_init(&own, NULL);
    if (!read_dat_index(&read, bytes, index->name, data->size, scratch, &own))
        return own.error.status != SN_ERR_MEMORY && !sni_failed(diag);
    archive->damaged_count += read.damaged_count;
    archive->overlap_count += read.overlap_count;
    archive->detail = read.title;
    return list_records(archive, &read, data->at, scratch);
}

static bool dat_open(sn_archive *archive, sni_diag *diag)
{
    sni_arena scratch;
    sni_arena_init(&scratch, &archive->heap);
    const bool is_data = sni_has_ending(archive->path, "dat");
    const char *found = find_partner(archive->path, &scratch, diag);
    archive->partner = found ? sni_copy_text(&archive->arena, found, strlen(found)) : NULL;
    bool is_good = archive->partner &&
                   sni_file_size(is_data ? archive->path : archive->partner, &archive->bytes, diag) &&
                   read_index(archive, is_data ? archive->partner : archive->path, &scratch, diag);
    sni_arena_free(&scratch);
    return is_good;
}

static bool dat_read(const sn_archive *archive, const sni_archive_entry *entry, sni_arena *arena, sni_diag *diag,
                     sni_bytes *bytes)
{
    const char *data = sni_has_ending(archive->path, "dat") ? archive->path : archive->partner;
    return sni_archive_accepts(archive, entry->size, entry->size, diag) &&
           sni_file_read_part(data, entry->at, entry->size, arena, diag, bytes);
}

static const char *dat_locate(const sn_archive *archive, const sni_archive_entry *entry, uint64_t *at)
{
    *at = entry->at;
    return sni_has_ending(archive->path, "dat") ? archive->path : archive->partner;
}

const sni_archive_kind sni_archive_dat = {
    .title = "Level-5 disc archive",
    .extensions = "hd2 hd3 hd4 hd6 hed dat",
    .open = dat_open,
    .read = dat_read,
    .locate = dat_locate,
};

// Packs. They load as models too, so the extension alone does not make one an archive.

enum { SIZE_OF_NAME = 256 };  // 64 bytes of Shift-JIS, each of them three at most

// Names that lead elsewhere, such as those with a drive, are reduced to their last part, as the games do.
static const char *name_inside(const char *name)
{
    char clean[SIZE_OF_NAME];
    const char *last = name;
    if (sni_ref_clean(sni_str_make(name, strlen(name)), clean, sizeof clean)) return name;
    for (const char *at = name; *at; at++)
        if (*at == '/' || *at == '\\') last = at + 1;
    return last;
}

static bool list_members(sn_archive *archive, sni_bytes pack, sni_arena *arena)
{
    sni_level5_pack_entry entry = { 0 };
    while (sni_level5_pack_next(pack, &entry)) {
        const char *name = sni_text_from_sjis(arena, entry.name, NULL);
        if (!name || !sni_archive_add(archive, name_inside(name), entry.size, entry.data)) return false;
    }
    return true;
}

static bool pack_open(sn_archive *archive, sni_diag *diag)
{
    sni_arena arena;
    sni_bytes pack;
    sni_arena_init(&arena, &archive->heap);
    bool is_read = sni_archive_accepts(archive, archive->bytes, archive->bytes, diag) &&
                   sni_file_read_part(archive->path, 0, archive->bytes, &arena, diag, &pack);
    bool is_pack = is_read && sni_level5_pack_begins(pack);
    if (is_read && !is_pack) sni_fail(diag, SN_ERR_FORMAT, 0, "not a pack");
    bool is_listed = is_pack && list_members(archive, pack, &arena);
    sni_arena_free(&arena);
    return is_listed;
}

static bool pack_read(const sn_archive *archive, const sni_archive_entry *entry, sni_arena *arena, sni_diag *diag,
                      sni_bytes *bytes)
{
    return sni_archive_accepts(archive, entry->size, entry->size, diag) &&
           sni_file_read_part(archive->path, entry->at, entry->size, arena, diag, bytes);
}

const sni_archive_kind sni_archive_pack = {
    .title = "Level-5 pack",
    .extensions = "chr pak mpk pcp ipk efp sky snd pac nav",
    .is_model = true,
    .open = pack_open,
    .read = pack_read,
};
