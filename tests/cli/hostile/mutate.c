// mutate SEED COUNT FOLDER < SETS: writes COUNT damaged copies of files, each copy in a folder of its own:
// FOLDER/000000 and so on. A line of SETS names the files that belong together, separated by tabs; the lines take
// turns. The same seed gives the same files.
#define _DEFAULT_SOURCE
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_SETS = 4096, MOST_FILES = 16, MOST_CHANGES = 6, ROOM = 1 << 16 };

typedef struct bytes {
    uint8_t *data;
    size_t size;
} bytes;

static uint64_t state;

static uint64_t random_bits(void)  // splitmix64
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static size_t below(size_t count) { return count > 0 ? (size_t)(random_bits() % count) : 0; }

static void fail(const char *what, const char *name)
{
    fprintf(stderr, "mutate: cannot %s %s\n", what, name);
    exit(1);
}

// With room for changes that make the file longer.
static bytes read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat facts;
    if (!file || fstat(fileno(file), &facts) != 0) fail("read", path);
    bytes made = { malloc((size_t)facts.st_size + ROOM), (size_t)facts.st_size };
    if (!made.data || fread(made.data, 1, made.size, file) != made.size) fail("read", path);
    fclose(file);
    return made;
}

static void write_file(const char *path, bytes from)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(from.data, 1, from.size, file) != from.size || fclose(file) != 0) fail("write", path);
}

// Replaces `old` bytes at `at`; does nothing where the room does not suffice.
static void replace(bytes *file, size_t room, size_t at, size_t old, const void *with, size_t size)
{
    uint8_t copy[ROOM];
    if (at + old > file->size || size > sizeof copy || file->size - old + size > room) return;
    memcpy(copy, with, size);  // may lie in the file itself
    memmove(file->data + at + size, file->data + at + old, file->size - at - old);
    memcpy(file->data + at, copy, size);
    file->size += size - old;
}

// A number of a text gets another value.
static void change_number(bytes *file, size_t room)
{
    static const char *const values[] = { "0",           "-1",   "1",     "65536", "4294967295",
                                          "-2147483648", "1e38", "1e-45", "0.5",   "99999999999" };
    const char *value = values[below(sizeof values / sizeof *values)];
    size_t start = below(file->size), end;
    while (start < file->size && !isdigit(file->data[start])) start++;
    for (end = start; end < file->size && (isdigit(file->data[end]) || file->data[end] == '.');) end++;
    if (end > start) replace(file, room, start, end - start, value, strlen(value));
}

static void change_word(bytes *file)
{
    static const uint32_t values[] = {
        0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0x7f800000, 0x7fc00000, 0x00ffffff
    };
    if (file->size < 4) return;
    size_t at = below(file->size / 4) * 4;
    uint32_t word, choice = (uint32_t)below(14);
    memcpy(&word, file->data + at, 4);
    if (choice < 9) word = values[choice];
    else if (choice < 12) word += (uint32_t)below(65) - 32;
    else word = (uint32_t)(file->size - at) + (uint32_t)below(9) - 4;
    memcpy(file->data + at, &word, 4);
}

static void change(bytes *file, size_t room)
{
    size_t at = below(file->size), from = below(file->size), left = file->size - (at > from ? at : from);
    size_t size = below((left < 256 ? left : 256) + 1);
    uint8_t byte = (uint8_t)random_bits();
    if (file->size == 0) return;
    switch (below(10)) {
    case 0: file->data[at] = byte; break;
    case 1: file->data[at] ^= (uint8_t)(1u << (byte & 7)); break;
    case 2:
    case 3:
    case 4: change_word(file); break;
    case 5: change_number(file, room); break;
    case 6: replace(file, room, at, size, file->data + from, size); break;  // one piece over another
    case 7: replace(file, room, at, 0, file->data + from, size); break;     // a piece twice
    case 8: replace(file, room, at, size, "", 0); break;                    // a piece is missing
    default:
        if (below(4) == 0) file->size = at;  // truncated
        else memset(file->data + at, byte & 1 ? 0xff : 0, size);
    }
}

// One file of the set is damaged, seldom more.
static void write_set(const char *folder, char *const *paths, size_t count)
{
    size_t damaged = below(count);
    if (mkdir(folder, 0777) != 0) fail("make", folder);
    for (size_t i = 0; i < count; i++) {
        char path[4096];
        const char *slash = strrchr(paths[i], '/');
        bytes file = read_file(paths[i]);
        size_t room = file.size + ROOM;
        if (i == damaged || below(8) == 0)
            for (size_t changes = 1 + below(MOST_CHANGES); changes > 0; changes--) change(&file, room);
        snprintf(path, sizeof path, "%s/%s", folder, slash ? slash + 1 : paths[i]);
        write_file(path, file);
        free(file.data);
    }
}

int main(int count, char **words)
{
    static char *sets[MOST_SETS][MOST_FILES];
    static size_t sizes[MOST_SETS];
    static char line[MOST_FILES * 4096];
    size_t set_count = 0;
    if (count != 4) return fprintf(stderr, "usage: mutate SEED COUNT FOLDER < SETS\n"), 2;
    while (set_count < MOST_SETS && fgets(line, sizeof line, stdin)) {
        size_t *size = &sizes[set_count];
        for (char *path = strtok(line, "\t\n"); path && *size < MOST_FILES; path = strtok(NULL, "\t\n"))
            sets[set_count][(*size)++] = strdup(path);
        if (*size > 0) set_count++;
    }
    if (set_count == 0) fail("find", "any set");
    state = strtoull(words[1], NULL, 10) * 0x9e3779b97f4a7c15u;
    size_t offset = below(set_count);
    for (int i = 0; i < atoi(words[2]); i++) {
        char folder[4096];
        size_t set = (offset + (size_t)i) % set_count;
        snprintf(folder, sizeof folder, "%s/%06d", words[3], i);
        write_set(folder, sets[set], sizes[set]);
    }
    return 0;
}
