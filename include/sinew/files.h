// Archives, search paths and files, for programs that load from archives or from whole folders of game files.
//
//     sn_archive *archive = sn_archive_open("Textures.big", NULL, &error);
//     sn_search *search = sn_search_create(NULL);
//     sn_search_add_folder(search, "art/textures", &error);
//     sn_search_add_archive(search, archive, &error);
//     sn_model *model = sn_load_file("tank.w3d", &(sn_load_opts){ .search = search }, &error);
#ifndef SINEW_FILES_H
#define SINEW_FILES_H

#include <sinew/sinew.h>

// clang-format off
#ifdef __cplusplus
extern "C" {
#endif

// Archives: MPQ (Blizzard), BIG (EA), Level-5 disc archives and packs, disc images, and any kinds that your program
// adds. The list of files is read when the archive is opened. Any number of threads may use an open archive.

typedef struct sn_archive_kind sn_archive_kind;

typedef struct sn_archive_opts {
    sn_allocator allocator;
    sn_limits    limits;             // file_bytes; memory_bytes of the list [256 MiB + 2 x file size, at most 2 GiB]
    const sn_archive_kind *kinds;    // additional kinds; must outlive the archive
    uint32_t     kind_count;
} sn_archive_opts;

// The extension selects the kind of archive; if it is unknown, every kind is tried.
SN_API sn_archive *sn_archive_open(const char *path, const sn_archive_opts *opts, sn_error *error);
SN_API void        sn_archive_close(sn_archive *archive);

typedef struct sn_archive_info {
    const char *path;             // as opened
    const char *partner;          // the second file of an archive that consists of two, else NULL
    const char *title;            // "BIG archive"
    const char *detail;           // variant, such as "HD3 index", or NULL
    uint32_t    file_count;
    uint32_t    refused_count;    // skipped files whose name leads out of the archive
    uint32_t    damaged_count;    // skipped files that have no name or lie outside the data
    uint32_t    overlap_count;    // files that start inside another file
} sn_archive_info;

SN_API sn_archive_info sn_archive_describe(const sn_archive *archive);

// The name is relative, with '/' between folders and without "..".
typedef struct sn_archive_entry {
    const char *name;
    uint64_t    size;             // as listed; if the file is compressed individually, its real size may differ
} sn_archive_entry;

// Lists the files sorted by name, ignoring case; each name occurs once. False past the end.
SN_API bool      sn_archive_at(const sn_archive *archive, uint32_t index, sn_archive_entry *entry);
// Finds a file by path, ignoring case and the kind of slash. Also finds files that an MPQ archive does not list;
// entry->name is then `path`.
SN_API bool      sn_archive_find(const sn_archive *archive, const char *path, sn_archive_entry *entry);
// Finds a file by file name alone, in any folder.
SN_API bool      sn_archive_find_name(const sn_archive *archive, const char *name, sn_archive_entry *entry);
SN_API sn_status sn_archive_read(const sn_archive *archive, const char *path, sn_bytes *bytes, sn_error *error);

// The kinds of archives that sinew knows.
typedef struct sn_archive_format {
    const char *title, *extensions;  // "BIG archive", "big"
    bool        is_model;            // sn_load_file also loads such files as models
} sn_archive_format;
SN_API bool sn_archive_format_at(uint32_t index, sn_archive_format *format);     // false past the end


// Adding a kind of archive. Functions return SN_OK, or another status with the error filled in. Several threads may
// call find and read at the same time.
typedef struct sn_archive_buffer sn_archive_buffer;
struct sn_archive_kind {
    const char *title;               // "ZIP archive"
    const char *extensions;          // "zip pk3"
    // Opens the file at `path`, which has `bytes` bytes, and calls sn_archive_add for each file in it. The handle is
    // closed even if open fails.
    sn_status (*open)(sn_archive *archive, const char *path, uint64_t bytes, void **handle, sn_error *error);
    void      (*close)(void *handle);
    // Finds a file that was not added, by its name with '/'. NULL if all files were added.
    bool      (*find)(void *handle, const char *name, uint64_t *size);
    // Reads a file that was added, or found by `find`, into memory from sn_archive_reserve.
    sn_status (*read)(void *handle, const char *name, bool was_added, sn_archive_buffer *buffer, sn_error *error);
};

// Returns false when out of memory. Names that lead out of the archive are counted and skipped.
SN_API bool  sn_archive_add(sn_archive *archive, const char *name, uint64_t size);
// Returns memory for a file of `size` bytes that is stored in `packed_size` bytes, or NULL if the sizes are implausible
// or exceed the memory limit; `read` must then fail.
SN_API void *sn_archive_reserve(sn_archive_buffer *buffer, uint64_t size, uint64_t packed_size);


// Where to search for the files that models of classic games refer to: folders, then archives, each in the order they
// were added. All are searched by path, then all by file name alone, ignoring case. Folders are listed once, at first
// use. Any number of threads may load with the same sn_search; add everything before the first load.
SN_API sn_search *sn_search_create(const sn_allocator *allocator);               // NULL when out of memory
SN_API void       sn_search_free(sn_search *search);
SN_API sn_status  sn_search_add_folder(sn_search *search, const char *folder, sn_error *error);
// The archive must outlive the search.
SN_API sn_status  sn_search_add_archive(sn_search *search, const sn_archive *archive, sn_error *error);
// Adds a base game, which is searched after everything else: a folder or one archive. In a folder, loose files come
// first, then archives: those of Warcraft III in the game's order (War3Patch, War3xLocal, War3x, War3Local, War3),
// others sorted by path, ignoring case, as in Generals. sn_search opens and closes these archives; those that cannot be
// opened are counted and skipped. The game is used for models of `formats` ("mdx", "w3d level5"); NULL: all.
typedef struct sn_game_info {
    uint32_t archive_count, failed_count;
    char     failed[256];         // the first archive that could not be opened
} sn_game_info;
SN_API sn_status  sn_search_add_game(sn_search *search, const char *path, const char *formats, sn_game_info *info,
                                     sn_error *error);
// Drops cached folder listings, including those of models' own folders. Call it after files are added or removed.
SN_API void       sn_search_refresh(sn_search *search);


// Finds the root folder of a known game's files, for a model on disk. The root is at most three levels above the
// model's folder and is recognised by folder names, ignoring case. `root` receives its path and `title` the name of the
// game. Returns false if there is none.
//
//     Warcraft III    MAP.w3x/..., a folder with war3map.w3i, the parent of war3mapImported; the parent of Units,
//                     Buildings, Doodads... if it also contains Textures or ReplaceableTextures
//     Generals, BFME  Art, for models in Art/W3D and Art/W3D/xx
//     Dark Cloud      the parent of chara, dun or gedit, if it contains at least two of them
SN_API bool sn_layout_find(const char *model_path, char *root, size_t capacity, const char **title);

// Returns whether a file with this name may be a model, judging by its extension. False for war3map.w3d and similar
// files, which contain object data, not models.
SN_API bool sn_is_model_name(const char *name);

// Visits the names inside a file that link it to other files of the same model: for a W3D file, the hierarchies that it
// contains, is made for or refers to. Two files can belong to one model only if they share a name, ignoring case, or if
// a name in one is the file name of the other without its extension. Reads only the headers of the file, on disk or in
// an archive. Visits nothing if the file cannot be read or its format links files in other ways.
SN_API sn_status sn_part_names(const sn_archive *archive, const char *path, void (*visit)(void *user, const char *name),
                               void *user, sn_error *error);

// Reads a file of at most max_bytes [0: 1 GiB]; "-" is standard input. The allocator may be NULL.
SN_API sn_status sn_file_read(const char *path, uint64_t max_bytes, const sn_allocator *allocator, sn_bytes *bytes,
                              sn_error *error);
// Writes a temporary file beside the target and renames it when complete: after a failure the old file is unchanged.
// Devices, pipes and "-" (standard output) are written directly.
SN_API sn_status sn_file_write(const char *path, const void *data, size_t size, sn_error *error);
SN_API sn_status sn_folder_create(const char *folder, sn_error *error);          // and its parents; may already exist
// Removes unfinished files (".sinew-...part") that killed processes left in this folder: those whose process no longer
// runs on this host, and those that another host created more than a day ago.
SN_API void      sn_folder_clean(const char *folder);

typedef struct sn_folder_visitor {
    bool   is_flat;                                    // do not enter subfolders
    bool (*model)(void *user, const char *path);       // a file with a model's extension; false stops the walk
    bool (*other)(void *user, const char *path);       // any other file; false stops the walk. NULL: they are skipped
    bool (*enter)(void *user, const char *folder);     // a subfolder; false skips it. NULL: all are entered
    // A subfolder that cannot be listed. May be NULL.
    void (*failed)(void *user, const char *folder, const sn_error *error);
    void  *user;
} sn_folder_visitor;

// Visits the model files in a folder and below, sorted by name. Skips hidden files and folders; does not follow links
// to folders. Fails if the folder itself cannot be listed, and with SN_ERR_CANCELLED if a visitor returned false.
SN_API sn_status sn_folder_walk(const char *folder, const sn_folder_visitor *visitor, sn_error *error);

// clang-format on
#ifdef __cplusplus
}
#endif
#endif
