// Packs of Level-5's games. They open as models, so no ending makes one an archive: it is one where it is meant as one.
#include "archive.h"
#include "base/sjis.h"
#include "io/level5_pack.h"

enum { SIZE_OF_NAME = 256 };  // 64 bytes of Shift-JIS, each of them three at most

// Names that lead elsewhere, as those of a drive do, go by their last part: the games look for no more than that.
static const char *name_inside(const char *name)
{
    char clean[SIZE_OF_NAME];
    const char *last = name;
    if (sni_ref_clean(sni_str_make(name, strlen(name)), clean, sizeof clean)) return name;
    for (const char *at = name; *at; at++)
        if (*at == '/' || *at == '\\') last = at + 1;
    return last;
}

static bool list_files(cli_archive *archive, sni_bytes pack, sni_arena *arena)
{
    sni_level5_pack_entry entry = { 0 };
    while (sni_level5_pack_next(pack, &entry)) {
        const char *name = sni_text_from_sjis(arena, entry.name, NULL);
        if (!name || !cli_archive_add(archive, name_inside(name), entry.size, entry.data)) return false;
    }
    return true;
}

static bool pack_open(cli_archive *archive, sni_diag *diag)
{
    sni_arena arena;
    sni_bytes pack;
    sni_arena_init(&arena, archive->arena->heap);
    bool is_read = sni_file_read_part(archive->path, 0, archive->bytes, &arena, diag, &pack);
    bool is_pack = is_read && sni_level5_pack_begins(pack);
    if (is_read && !is_pack) sni_fail(diag, SN_ERR_FORMAT, 0, "not a pack");
    bool is_listed = is_pack && list_files(archive, pack, &arena);
    sni_arena_free(&arena);
    return is_listed;
}

static bool pack_read(cli_archive *archive, const cli_entry *entry, sni_arena *arena, sni_diag *diag, sni_bytes *bytes)
{
    return cli_archive_accepts(archive, entry->size, entry->size, diag) &&
           sni_file_read_part(archive->path, entry->at, entry->size, arena, diag, bytes);
}

const cli_archive_kind cli_archive_pack = {
    .title = "Level-5 pack",
    .extensions = "",
    .model_extensions = "chr pak mpk pcp ipk efp sky snd pac nav",
    .open = pack_open,
    .read = pack_read,
};
