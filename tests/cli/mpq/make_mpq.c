// Makes an MPQ archive for the tests: make_mpq OUT [-l] [-s SIZE] (NAME FILE)...
// Names are taken as they are. -l: without a list of names. -s: the first file says that it is of that size.
#include <StormLib.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char data[1 << 22];

static size_t read_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    size_t size = in ? fread(data, 1, sizeof data, in) : sizeof data;
    if (in) fclose(in);
    return size;
}

static int add(HANDLE archive, const char *name, const char *path)
{
    HANDLE file = NULL;
    size_t size = read_file(path);
    if (size == sizeof data) return 0;
    if (!SFileCreateFile(archive, name, 0, (DWORD)size, 0, MPQ_FILE_COMPRESS | MPQ_FILE_REPLACEEXISTING, &file))
        return 0;
    if (size > 0 && !SFileWriteFile(file, data, (DWORD)size, MPQ_COMPRESSION_ZLIB)) return 0;
    return SFileFinishFile(file);
}

static unsigned load(const unsigned char *at) { return at[0] | at[1] << 8 | at[2] << 16 | (unsigned)at[3] << 24; }

static void store(unsigned char *at, unsigned value)
{
    for (int i = 0; i < 4; i++) at[i] = (unsigned char)(value >> 8 * i);
}

// The part of the cipher's table that a key picks from.
static void fill_table(unsigned table[256])
{
    unsigned seed = 0x00100001;
    for (int i = 0; i < 256; i++)
        for (int k = 0; k < 5; k++) {
            seed = (seed * 125 + 3) % 0x2AAAAB;
            unsigned high = (seed & 0xFFFF) << 16;
            seed = (seed * 125 + 3) % 0x2AAAAB;
            if (k == 4) table[i] = high | (seed & 0xFFFF);
        }
}

// Decrypts the first block's four words, changes its size, encrypts them again. What follows depends on the plain words
// before it, so the whole table is done.
static void crypt_blocks(unsigned char *at, unsigned count, const unsigned table[256], int encrypts)
{
    unsigned key = 0xEC83B3A3, seed = 0xEEEEEEEE;
    for (unsigned i = 0; i < count * 4; i++) {
        seed += table[key & 0xFF];
        unsigned in = load(at + 4 * i), out = in ^ (key + seed), plain = encrypts ? in : out;
        store(at + 4 * i, out);
        key = ((~key << 21) + 0x11111111) | key >> 11;
        seed = plain + seed + (seed << 5) + 3;
    }
}

static int patch_size(const char *path, unsigned claimed)
{
    unsigned table[256];
    size_t size = read_file(path);
    unsigned at = load(data + 20), count = load(data + 28);
    if (size == sizeof data || at + 16 * (size_t)count > size) return 0;
    fill_table(table);
    crypt_blocks(data + at, count, table, 0);
    store(data + at + 8, claimed);
    crypt_blocks(data + at, count, table, 1);
    FILE *out = fopen(path, "wb");
    int is_written = out && fwrite(data, 1, size, out) == size;
    return out && fclose(out) == 0 && is_written;
}

int main(int argc, char **argv)
{
    HANDLE archive = NULL;
    unsigned claimed = 0, flags = MPQ_CREATE_LISTFILE;
    int first = 2;
    if (argc < 2) return 2;
    for (; first < argc && argv[first][0] == '-'; first++) {
        if (strcmp(argv[first], "-l") == 0) flags = 0;
        if (strcmp(argv[first], "-s") == 0) claimed = (unsigned)strtoul(argv[++first], NULL, 0);
    }
    remove(argv[1]);
    if (!SFileCreateArchive(argv[1], flags, 64, &archive)) return 1;
    for (int i = first; i + 1 < argc; i += 2) {
        if (add(archive, argv[i], argv[i + 1])) continue;
        fprintf(stderr, "cannot add %s: %u\n", argv[i], (unsigned)GetLastError());
        return 1;
    }
    return !SFileCloseArchive(archive) || (claimed && !patch_size(argv[1], claimed));
}
