// Archives damaged in every way: the fuzz targets open, list and read each variant. The files they open are not models.
#include "mpq.h"
#include "sweep.h"

#include <stdio.h>
#include <stdlib.h>

int fuzz_big(const uint8_t *data, size_t size);
int fuzz_dat(const uint8_t *data, size_t size);
int fuzz_mpq(const uint8_t *data, size_t size);

static int (*target)(const uint8_t *data, size_t size);

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
    printf("4 passed, 0 failed\n");  // not reached after a find
    return 0;
}
