// Draco streams damaged in every way; fuzz_draco decodes each variant. test_sweep_gltf has them inside of files.
#include "sweep.h"

#include <stdio.h>
#include <stdlib.h>

int fuzz_draco(const uint8_t *data, size_t size);

static bool visit(const uint8_t *data, size_t size, uint64_t k)
{
    (void)k;
    fuzz_draco(data, size);
    return true;
}

static void sweep_stream(const char *path)
{
    sweep s = { .name = path, .visit = visit };
    uint8_t bytes[4096];
    FILE *file = fopen(path, "rb");
    if (!file) abort();
    sweep_set(&s.input, bytes, fread(bytes, 1, sizeof bytes, file));
    fclose(file);
    sweep_prefixes(&s);
    sweep_damage(&s);
    sweep_close(&s);
}

int main(void)
{
    int count = sweep_folder(SINEW_TESTS_DIR "/../fuzz/seeds/draco", "drc", sweep_stream);
    printf("%d passed, 0 failed\n", count);  // not reached after a find
    return count == 0;
}
