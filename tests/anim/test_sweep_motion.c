// Motion files cut and damaged in every way, and out of memory at every allocation.
#include "check_motion_file.h"
#include "random_model.h"
#include "sinew/runtime.h"
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

// Larger files get a seeded part of all damages, unless SINEW_CHECK_ALL is set: the small ones hold every kind of
// chunk.
enum { SWEPT_BYTES = 1536 };

static sn_model *model;

static bool visit(const uint8_t *data, size_t size, uint64_t k)
{
    (void)k;
    counting_heap heap = { 0 };
    sn_status status;
    return check_motion_file(model, data, size, &heap, &status);
}

static void fail_loading(const sweep *s)
{
    counting_heap clean = { 0 };
    sn_status status;
    sweep_require(check_motion_file(model, s->input.data, s->input.size, &clean, &status), "%s: status %d", s->name,
                  status);
    for (uint64_t k = 1; k <= clean.calls; k++)
        for (int for_ever = 0; for_ever < 2; for_ever++) {
            counting_heap heap = { .fail_at = k, .fails_for_ever = for_ever };
            bool is_loaded = check_motion_file(model, s->input.data, s->input.size, &heap, &status);
            sweep_require(!is_loaded && status == SN_ERR_MEMORY, "%s: allocation %llu failed, status %d", s->name,
                          (unsigned long long)k, status);
        }
}

// Saving to memory, and loading and saving a file, which also allocate for the bytes.
static void fail_saving(const sweep *s)
{
    static const char path[] = "sweep_motion.snm";
    for (uint64_t k = 1, is_done = 0; !is_done; k++) {
        counting_heap heap = { .fail_at = k };
        sn_allocator allocator = counting_allocator(&heap);
        sn_motion_opts opts = { .allocator = allocator };
        sn_motion *motion = sn_motion_load_memory(s->input.data, s->input.size, model, NULL, NULL);
        sn_bytes bytes;
        sn_error error = { 0 };
        sweep_require(motion, "%s cannot be loaded", s->name);
        sn_status saved = sn_motion_save_memory(motion, &allocator, &bytes, &error);
        sn_motion_free(motion);
        sweep_require((saved == SN_OK) == (heap.calls < k) && saved == error.status, "%s: allocation %llu: status %d",
                      s->name, (unsigned long long)k, (int)saved);
        sweep_require(saved == SN_OK || (saved == SN_ERR_MEMORY && !bytes.data), "%s: status %d", s->name, (int)saved);
        if (saved == SN_OK)
            sweep_require(bytes.size == s->input.size && memcmp(bytes.data, s->input.data, bytes.size) == 0,
                          "%s is saved differently", s->name);
        sn_bytes_free(&bytes);
        sweep_require(heap.live_blocks == 0, "%s: %llu blocks after saving", s->name,
                      (unsigned long long)heap.live_blocks);
        is_done = saved == SN_OK;

        motion = sn_motion_load_memory(s->input.data, s->input.size, model, NULL, NULL);
        sweep_require(sn_motion_save_file(motion, path, &error) == SN_OK, "%s: %s", path, error.message);
        sn_motion_free(motion);
        heap = (counting_heap){ .fail_at = k };
        motion = sn_motion_load_file(path, model, &opts, &error);
        sweep_require(motion ? heap.calls < k : error.status == SN_ERR_MEMORY, "%s: allocation %llu: status %d",
                      s->name, (unsigned long long)k, (int)error.status);
        if (motion) {  // a motion saves with its own allocator
            heap.fail_at = heap.calls + 1;
            sweep_require(sn_motion_save_file(motion, path, &error) == SN_ERR_MEMORY, "saved without memory");
        } else {
            is_done = 0;
        }
        sn_motion_free(motion);
        sweep_require(heap.live_blocks == 0, "%s: %llu blocks live", s->name, (unsigned long long)heap.live_blocks);
    }
    remove(path);
}

static void sweep_motion(const char *path)
{
    sweep s = { .name = path, .visit = visit };
    uint8_t bytes[16384];
    FILE *file = fopen(path, "rb");
    sweep_require(file, "cannot open %s", path);
    sweep_set(&s.input, bytes, fread(bytes, 1, sizeof bytes, file));
    fclose(file);
    s.is_showpiece = s.input.size > SWEPT_BYTES && !getenv("SINEW_CHECK_ALL");
    fail_loading(&s);
    fail_saving(&s);
    sweep_prefixes(&s);
    sweep_require(s.models == 0, "%s: a part of it can be loaded", path);
    sweep_damage(&s);
    sweep_close(&s);
}

int main(void)
{
    model = motion_file_model();
    int count = sweep_folder(SINEW_TESTS_DIR "/../fuzz/seeds/motion", "snm", sweep_motion);
    random_model_free(model);
    printf("%d passed, 0 failed\n", count);  // not reached after a find
    return count == 0;
}
