#include "check_pixels.h"
#include "check_model.h"

#define DEMAND_NAME "pixels"
#include "demand.h"

#include <string.h>

static void check_warning(void *user, const sn_warning *warning)
{
    *(int *)user += 1;
    demand(warning->count > 0 && warning->message[0] && sn_warning_name(warning->code)[0], "a warning without a word");
}

// All bytes are there and written: each counts, so that the sanitizers see every one.
static void check_picture(const sn_pixels *pixels)
{
    volatile uint32_t sum = 0;
    demand(pixels->width > 0 && pixels->height > 0, "a picture of %u x %u", pixels->width, pixels->height);
    demand(pixels->width <= CHECKED_PIXELS / pixels->height, "%u x %u pixels are over the limit", pixels->width,
           pixels->height);
    for (size_t i = 0; pixels->rgba && i < (size_t)pixels->width * pixels->height * 4; i++)
        sum += pixels->rgba[i] > 127;
    demand(sum <= (uint64_t)CHECKED_PIXELS * 4, "a sum of %u", sum);
}

bool check_decode(const uint8_t *data, size_t size, unsigned options, counting_heap *heap, sn_status *status)
{
    int warnings = 0;
    sn_error error;
    sn_pixels pixels;
    sn_image image = { .name = "", .uri = "", .mime_type = "", .data = data, .size = size };
    sn_decode_opts opts = { .allocator = counting_allocator(heap),
                            .limits.image_pixels = CHECKED_PIXELS,
                            .mip = options >> 2 & 3,
                            .hidden_alpha = options & 1,
                            .size_only = options & 2,
                            .report = check_warning,
                            .user = &warnings };
    memset(&error, 0xA5, sizeof error);
    memset(&pixels, 0xA5, sizeof pixels);
    *status = sn_image_decode(&image, &opts, &pixels, &error);
    demand(error.status == *status, "status %d, the error says %d", *status, error.status);
    demand(heap->peak_bytes <= (8u << 20) + 2 * (uint64_t)size, "%llu bytes for an input of %zu",
           (unsigned long long)heap->peak_bytes, size);
    if (*status == SN_OK) {
        demand((pixels.rgba == NULL) == opts.size_only, "pixels that nobody asked for, or none");
        check_picture(&pixels);
    } else {
        check_error(&error);
        demand(!pixels.rgba && !pixels.width && !pixels.height && warnings == 0, "a failure left something");
    }
    sn_pixels_free(&pixels);
    demand(heap->live_blocks == 0, "%llu blocks stay", (unsigned long long)heap->live_blocks);
    return *status == SN_OK;
}
