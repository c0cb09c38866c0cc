// Without libFuzzer (SINEW_FUZZ_MAIN): a program that runs the files and folders it is given, so that seeds and saved
// finds are tried by any compiler.
#ifndef FUZZ_MAIN_H
#define FUZZ_MAIN_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifdef SINEW_FUZZ_MAIN
#    include <dirent.h>
#    include <stdio.h>
#    include <stdlib.h>
#    include <string.h>

static int fuzz_run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    uint8_t *data = NULL;
    size_t size = 0, got;
    do {
        uint8_t *grown = realloc(data, size + 65536);
        if (!grown) abort();
        data = grown;
        got = fread(data + size, 1, 65536, file);
        size += got;
    } while (got > 0);
    fclose(file);
    uint8_t *exact = malloc(size ? size : 1);
    if (!exact) abort();
    memcpy(exact, data, size);
    free(data);
    fprintf(stderr, "%s\n", path);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return 1;
}

static int fuzz_run(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir) return fuzz_run_file(path);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        char inner[1024];
        if (entry->d_name[0] == '.') continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        count += fuzz_run_file(inner);
    }
    closedir(dir);
    return count;
}

int main(int count, char **paths)
{
    int done = 0;
    for (int i = 1; i < count; i++) done += fuzz_run(paths[i]);
    printf("%d inputs\n", done);
    return done > 0 ? 0 : 1;
}
#endif
#endif
