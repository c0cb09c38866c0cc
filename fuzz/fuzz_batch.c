// The whole tool on a folder of files: sinew convert FOLDER -o OUT. Lines such as "%%mdx" separate the files in the
// input and give their extensions. Afterwards the inputs are unchanged, every output loads, and nothing else is left.
#define _GNU_SOURCE
#include <ftw.h>
#include <sys/stat.h>

#include "fuzz_archive.h"

int cli_main(int argc, char **argv);
#define main cli_main
#include "cli/main.c"  // NOLINT(bugprone-suspicious-include)
#undef main

enum { MOST_PIECES = 6, OUTPUT_IN_PLACE = 8, ARGUMENTS = 10 };

static const struct {
    const char *text, *extension;
} lines[] = { { "%%mdx\n", "mdx" },   { "%%mdl\n", "mdl" }, { "%%w3d\n", "w3d" }, { "%%glb\n", "glb" },
              { "%%gltf\n", "gltf" }, { "%%bin\n", "bin" }, { "%%mds\n", "mds" }, { "%%mot\n", "mot" },
              { "%%wgt\n", "wgt" },   { "%%bbp\n", "bbp" }, { "%%cfg\n", "cfg" }, { "%%img\n", "img" },
              { "%%pak\n", "pak" },   { "%%chr\n", "chr" }, { "%%tga\n", "tga" }, { "%%blp\n", "blp" },
              { "%%mpq\n", "mpq" },   { "%%big\n", "big" } };
static char folder[] = "/tmp/sinew_fuzz_XXXXXX";

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct piece {
    const uint8_t *data;
    size_t size;
    char path[64];
} piece;

// The tool's output is not for the terminal; the fuzzer keeps its own.
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static char *words[64], discard[] = "-close_fd_mask=3";
    if (*argc > 60) abort();
    memcpy(words, *argv, (size_t)*argc * sizeof *words);
    words[(*argc)++] = discard;
    *argv = words;
    return 0;
}

// The extension of a file that no line names.
static const char *extension_of(const uint8_t *data, size_t size)
{
    static const struct {
        const char *start, *extension;
    } kinds[] = { { "MDLX", "mdx" }, { "glTF", "glb" }, { "{", "gltf" },  { "MDS", "mds" },
                  { "//", "mdl" },   { "MPQ", "mpq" },  { "BIG", "big" }, { "BLP", "blp" } };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].start);
        if (size >= length && memcmp(data, kinds[i].start, length) == 0) return kinds[i].extension;
    }
    return "w3d";
}

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *where)
{
    (void)facts, (void)kind, (void)where;
    return remove(path);
}

// Outputs are whole, and nothing else is beside them.
static int check_entry(const char *path, const struct stat *facts, int kind, struct FTW *where)
{
    (void)facts, (void)where;
    const char *ending = strrchr(path, '.');  // the buffer of "a.gltf" is "a.gltf.bin"
    if (strstr(path, ".sinew-")) abort();
    if (kind != FTW_F || !ending || (strcmp(ending, ".glb") != 0 && strcmp(ending, ".gltf") != 0)) return 0;
    sn_error error;
    sn_model *model = sn_load_file(path, NULL, &error);
    if (!model) abort();
    check_model(model);
    sn_model_free(model);
    return 0;
}

static void check_unchanged(const piece *input)
{
    sn_bytes bytes;
    if (sn_file_read(input->path, UINT64_MAX, NULL, &bytes, NULL) != SN_OK) abort();
    if (bytes.size != input->size || memcmp(bytes.data, input->data, input->size) != 0) abort();
    sn_bytes_free(&bytes);
}

// A file goes from the end of its line to the next one.
static size_t write_pieces(const uint8_t *data, size_t size, piece pieces[MOST_PIECES])
{
    size_t count = 0;
    const uint8_t *end = data + size;
    while (data < end && count < MOST_PIECES) {
        const char *extension = extension_of(data, (size_t)(end - data));
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
            size_t length = strlen(lines[i].text);
            if ((size_t)(end - data) < length || memcmp(data, lines[i].text, length) != 0) continue;
            extension = lines[i].extension, data += length;
            break;
        }
        const uint8_t *next = data < end ? memmem(data, (size_t)(end - data), "\n%%", 3) : NULL;
        piece *made = &pieces[count];
        *made = (piece){ .data = data, .size = (size_t)((next ? next : end) - data) };
        snprintf(made->path, sizeof made->path, "%s/in/%c.%s", folder, "aaabab"[count], extension);
        data = next ? next + 1 : end;
        if (access(made->path, F_OK) == 0) continue;  // the name is taken
        write_file(made->path, made->data, made->size);
        count++;
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const formats[] = { "glb", "gltf", "glb", "mdx" };
    uint8_t choice = size > 0 ? data[size / 3] : 0;
    char in[64], out[64], texts[ARGUMENTS][64], *words[ARGUMENTS + 1] = { 0 };
    piece pieces[MOST_PIECES];
    if (!strstr(folder, "XXXXXX")) mkdir(folder, 0700);
    else if (!mkdtemp(folder)) abort();
    snprintf(in, sizeof in, "%s/in", folder);
    snprintf(out, sizeof out, "%s/%s", folder, choice & OUTPUT_IN_PLACE ? "in" : "out");
    mkdir(in, 0700);
    size_t piece_count = write_pieces(data, size, pieces);

    const char *const arguments[ARGUMENTS] = { "sinew",
                                               "convert",
                                               in,
                                               "-o",
                                               out,
                                               "-j",
                                               choice & 4 ? "2" : "1",
                                               "--to",
                                               formats[choice & 3],
                                               choice & 16 ? "--with-anims" : "--keep-axes" };
    for (int i = 0; i < ARGUMENTS; i++) {
        snprintf(texts[i], sizeof texts[i], "%s", arguments[i]);
        words[i] = texts[i];  // the tool sorts them
    }
    int code = cli_main(ARGUMENTS, words);
    if (code < 0 || code > 5 || (code == 2 && !(choice & OUTPUT_IN_PLACE))) abort();  // 2: it would replace an input
    for (size_t i = 0; i < piece_count; i++) check_unchanged(&pieces[i]);
    if (!(choice & OUTPUT_IN_PLACE)) nftw(out, check_entry, 16, FTW_PHYS);
    if (nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS) != 0) abort();
    return 0;
}
