#include "iso.h"

#include <stdio.h>
#include <string.h>

enum { SECTOR = 2048, TOP = 18, FOLDERS = 8, FILES = 16 };

typedef struct image {
    sni_writer *out;
    bool is_joliet;
    const char *folders[FOLDERS];  // the first is the top
    uint32_t folder_count;
} image;

static void put_both(sni_writer *out, uint32_t value)
{
    sni_write_u32(out, value);
    for (int shift = 24; shift >= 0; shift -= 8) sni_write_u8(out, (uint8_t)(value >> shift));
}

static void put_record(image *i, const char *name, uint32_t name_size, uint32_t sector, uint32_t bytes, bool is_folder)
{
    static const char small[] = "abcdefghijklmnopqrstuvwxyz";
    char plain[64];
    const bool is_special = name_size == 1 && name[0] <= 1,
               has_ridge = !i->is_joliet && !is_special && strpbrk(name, small);
    const bool is_wide = i->is_joliet && !is_special;
    snprintf(plain, sizeof plain, is_folder ? "%s" : "%s;1", name);
    if (has_ridge) snprintf(plain, sizeof plain, is_folder ? "D%u" : "F%u.;1", sector);
    if (!is_special && !is_wide) name_size = (uint32_t)strlen(plain);
    if (is_wide) name_size *= 2;
    const uint32_t padded = 33 + name_size + (name_size % 2 == 0);
    const uint32_t ridge = has_ridge ? 5 + (uint32_t)strlen(name) : 0;
    sni_write_u8(i->out, (uint8_t)(padded + ridge + (padded + ridge) % 2));
    sni_write_u8(i->out, 0);
    put_both(i->out, sector);
    put_both(i->out, bytes);
    sni_write_fill(i->out, 0, 7);
    sni_write_u8(i->out, is_folder ? 2 : 0);
    sni_write_fill(i->out, 0, 6);
    sni_write_u8(i->out, (uint8_t)name_size);
    if (is_special) sni_write_bytes(i->out, name, 1);
    for (uint32_t k = 0; is_wide && k < name_size / 2; k++)
        sni_write_u8(i->out, 0), sni_write_bytes(i->out, name + k, 1);
    if (!is_special && !is_wide) sni_write_bytes(i->out, plain, name_size);
    if (name_size % 2 == 0) sni_write_u8(i->out, 0);
    if (ridge > 0) {
        sni_write_text(i->out, "NM");
        sni_write_u8(i->out, (uint8_t)ridge), sni_write_u8(i->out, 1), sni_write_u8(i->out, 0);
        sni_write_text(i->out, name);
    }
    if ((padded + ridge) % 2) sni_write_u8(i->out, 0);
}

static void put_descriptor(image *i, uint32_t sectors)
{
    const size_t start = i->out->size;
    sni_write_u8(i->out, i->is_joliet ? 2 : 1);
    sni_write_text(i->out, "CD001\1");
    sni_write_fill(i->out, 0, 73);
    put_both(i->out, sectors);
    sni_write_text(i->out, i->is_joliet ? "%/E" : "");
    sni_write_fill(i->out, 0, start + 156 - i->out->size);
    put_record(i, "\0", 1, TOP, SECTOR, true);
    sni_write_align(i->out, SECTOR, 0);
}

static uint32_t sectors_of(uint32_t bytes) { return (bytes + SECTOR - 1) / SECTOR; }

static uint32_t find_folder(const image *i, const char *name)
{
    uint32_t found = 0;
    while (strcmp(i->folders[found], name) != 0) found++;
    return found;
}

void iso_write(sni_writer *out, const iso_file *files, uint32_t count, bool is_joliet)
{
    image i = { .out = out, .is_joliet = is_joliet, .folders = { "" }, .folder_count = 1 };
    uint32_t sectors[FILES], next;
    for (uint32_t f = 0; f < count; f++) {
        bool is_known = false;
        for (uint32_t k = 0; k < i.folder_count; k++) is_known |= strcmp(i.folders[k], files[f].folder) == 0;
        if (!is_known) i.folders[i.folder_count++] = files[f].folder;
    }
    next = TOP + i.folder_count;
    for (uint32_t f = 0; f < count; f++) sectors[f] = next, next += sectors_of(files[f].size);
    sni_write_fill(out, 0, 16 * SECTOR);
    put_descriptor(&i, next);
    sni_write_u8(out, 255);
    sni_write_text(out, "CD001\1");
    sni_write_align(out, SECTOR, 0);
    for (uint32_t k = 0; k < i.folder_count; k++) {
        put_record(&i, "\0", 1, TOP + k, SECTOR, true);
        put_record(&i, "\1", 1, TOP, SECTOR, true);
        for (uint32_t n = 1; k == 0 && n < i.folder_count; n++)
            put_record(&i, i.folders[n], (uint32_t)strlen(i.folders[n]), TOP + n, SECTOR, true);
        for (uint32_t f = 0; f < count; f++)
            if (find_folder(&i, files[f].folder) == k)
                put_record(&i, files[f].name, (uint32_t)strlen(files[f].name), sectors[f], files[f].size, false);
        sni_write_align(out, SECTOR, 0);
    }
    for (uint32_t f = 0; f < count; f++)
        sni_write_bytes(out, files[f].data, files[f].size), sni_write_align(out, SECTOR, 0);
}
