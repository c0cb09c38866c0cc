#include "glb_round_trip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "check_model.h"
#include "check_saved.h"

typedef struct saving {
    saved_files files;
    char losses[4096];
} saving;

static bool take_file(void *user, const char *name, const void *data, size_t size)
{
    return saved_write(&((saving *)user)->files, name, data, size);
}

static void take_loss(void *user, const sn_warning *loss)
{
    saving *s = user;
    size_t used = strlen(s->losses);
    snprintf(s->losses + used, sizeof s->losses - used, "%s %s: %s\n", sn_warning_name(loss->code), loss->path,
             loss->message);
}

static sn_status save(const sn_model *model, saving *s, counting_heap *heap)
{
    memset(s, 0, sizeof *s);
    sn_save_opts opts = { .allocator = counting_allocator(heap), .report = take_loss, .write = take_file, .user = s };
    sn_status status = sn_save_file(model, "x.glb", &opts, NULL);
    assert_int_equal(heap->live_blocks, 0);
    return status;
}

glb_round_trip glb_save_and_load(const sn_model *model)
{
    static saving s, failing;
    glb_round_trip again;
    counting_heap heap = { 0 };
    sn_error error;
    assert_int_equal(save(model, &s, &heap), SN_OK);
    for (uint64_t k = 1, calls = heap.calls; k <= calls; k++) {
        counting_heap fails = { .fail_at = k };
        assert_int_equal(save(model, &failing, &fails), SN_ERR_MEMORY);
        saved_free(&failing.files);
    }
    sn_load_opts load = { .lint = true };
    again.model = sn_load_memory(s.files.files[0].data, s.files.files[0].size, &load, &error);
    saved_free(&s.files);
    memcpy(again.losses, s.losses, sizeof s.losses);
    if (!again.model) fail_msg("%s", error.message);
    check_model(again.model);
    for (uint32_t i = 0; i < again.model->warning_count; i++)
        fail_msg("%s: %s", again.model->warnings[i].path, again.model->warnings[i].message);
    return again;
}

sn_image glb_image(picture *file, const char *name, uint32_t width, uint32_t height, const uint32_t *pixels)
{
    picture_tga(file, 2, width, height, 32, 0x28);
    for (uint32_t i = 0; i < width * height; i++) {
        picture_u8(file, pixels[i] >> 8 & 255);
        picture_u8(file, pixels[i] >> 16 & 255);
        picture_u8(file, pixels[i] >> 24);
        picture_u8(file, pixels[i] & 255);
    }
    return (sn_image){ .name = name, .uri = "", .mime_type = "image/x-tga", .data = file->data, .size = file->size };
}

sn_layer glb_layer(int32_t image, sn_blend blend)
{
    sn_layer layer = { .color = { 1, 1, 1, 1 }, .roughness = 1.0f, .blend = blend };
    for (int i = 0; i < SN_MAP_COUNT; i++)
        layer.maps[i] = (sn_texture){ .image = -1, .strength = 1.0f, .transform.scale = { 1, 1 } };
    layer.maps[SN_MAP_COLOR].image = image;
    return layer;
}

const sn_track *glb_track(const sn_model *model, sn_target kind, int32_t target, sn_channel channel)
{
    for (uint32_t i = 0; model->clip_count > 0 && i < model->clips[0].track_count; i++) {
        const sn_track *track = &model->clips[0].tracks[i];
        if (track->target_kind == kind && track->target == target && track->channel == channel) return track;
    }
    fail_msg("no track drives channel %d of %d", (int)channel, target);
    return NULL;
}

void glb_expect_image(const sn_model *model, int32_t image, uint32_t width, uint32_t height, const uint32_t *wanted)
{
    static picture png;
    assert_in_range(image, 0, (int64_t)model->image_count - 1);
    picture_clear(&png);
    picture_bytes(&png, model->images[image].data, (size_t)model->images[image].size);
    picture_expect(&png, width, height, wanted);
}
