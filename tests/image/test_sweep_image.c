// Every kind of image, cut and damaged in every way, and out of memory at every allocation.
#include "sweep.h"

#include <string.h>

#include "check_pixels.h"
#include "image_files.h"

static bool decode(const uint8_t *data, size_t size, uint64_t k)
{
    counting_heap heap = { 0 };
    sn_status status;
    return check_decode(data, size, k % 5 ? 0 : (unsigned)(k / 5 % 16), &heap, &status);
}

static void fail_allocations(const picture *p, const char *name)
{
    counting_heap clean = { 0 };
    sn_status status;
    if (!check_decode(p->data, p->size, 0, &clean, &status)) {
        fprintf(stderr, "sweep: %s cannot be decoded: %d\n", name, status);
        abort();
    }
    for (uint64_t k = 1; k <= clean.calls; k++)
        for (int for_ever = 0; for_ever < 2; for_ever++) {
            counting_heap heap = { .fail_at = k, .fails_for_ever = for_ever };
            if (!check_decode(p->data, p->size, 0, &heap, &status) && status == SN_ERR_MEMORY) continue;
            fprintf(stderr, "sweep: %s: allocation %llu failed, status %d\n", name, (unsigned long long)k, status);
            abort();
        }
}

int main(void)
{
    static picture p;
    const char *name;
    unsigned count = 0;
    for (; picture_of_kind(count, &p, &name); count++) {
        sweep s = { .name = name, .visit = decode };
        sweep_set(&s.input, p.data, p.size);
        fail_allocations(&p, name);
        sweep_prefixes(&s);
        sweep_damage(&s);
        sweep_close(&s);
    }
    printf("%u passed, 0 failed\n", count);  // not reached after a find
    return count > 10 ? 0 : 1;
}
