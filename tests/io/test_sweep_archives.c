// Archives damaged in every way: the fuzz targets open, list and read each variant. The files they open are not models.
#include "fuzz_archive.h"
#include "mpq.h"
#include "sweep.h"

#include <stdio.h>
#include <stdlib.h>

static void (*target)(const uint8_t *data, size_t size);

static bool visit(const uint8_t *data, size_t size, uint64_t k)
{
    (void)k;
    target(data, size);
    return true;
}

static void sweep_archive(const char *name, const void *head, size_t head_size, const char *path)
{
    sweep s = { .name = name, .visit = visit };
    uint8_t bytes[4096];
    FILE *file = fopen(path, "rb");
    if (!file) abort();
    sweep_set(&s.input, head, head_size);
    sweep_append(&s.input, bytes, fread(bytes, 1, sizeof bytes, file));
    fclose(file);
    if (target == fuzz_mpq) mpq_crypt_tables(s.input.data, s.input.size, false);  // it encrypts them again
    sweep_prefixes(&s);
    sweep_damage(&s);
    sweep_close(&s);
}

// The descriptor, and of the sectors behind it what is not 0, as fuzz_iso takes them.
static void sweep_image(const char *name, const char *path)
{
    enum { SECTOR = 2048, HEAD = 190, FIRST = 18, MOST = 510 };
    sweep s = { .name = name, .visit = visit };
    uint8_t bytes[MOST], half;
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 16 * SECTOR, SEEK_SET) != 0) abort();
    sweep_append(&s.input, bytes, fread(bytes, 1, HEAD, file));
    for (long i = FIRST; fseek(file, i * SECTOR, SEEK_SET) == 0; i++) {
        size_t size = fread(bytes, 1, sizeof bytes, file);
        if (size == 0) break;
        while (size > 0 && bytes[size - 1] == 0) size--;
        half = (uint8_t)((size + 1) / 2);
        sweep_append(&s.input, &half, 1);
        sweep_append(&s.input, bytes, 2u * half);
    }
    fclose(file);
    sweep_prefixes(&s);
    sweep_damage(&s);
    sweep_close(&s);
}

int main(void)
{
    static const uint8_t hd3[2] = { 1, 3 };  // the ending of the index, sectors of data
    target = fuzz_big;
    sweep_archive("files.big", "", 0, SINEW_TESTS_DIR "/sweep_samples/files.big");
    target = fuzz_dat;
    sweep_archive("files.hd3", hd3, sizeof hd3, SINEW_TESTS_DIR "/sweep_samples/files.hd3");
    target = fuzz_mpq;
    sweep_archive("files.mpq", "", 0, SINEW_TESTS_DIR "/sweep_samples/files.mpq");
    sweep_archive("het.mpq", "", 0, SINEW_TESTS_DIR "/sweep_samples/het.mpq");
    target = fuzz_iso;
    sweep_image("files.iso", SINEW_TESTS_DIR "/sweep_samples/files.iso");
    sweep_image("joliet.iso", SINEW_TESTS_DIR "/sweep_samples/joliet.iso");
    printf("6 passed, 0 failed\n");  // not reached after a find
    return 0;
}
