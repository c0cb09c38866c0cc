#include "convert/images.h"

#include <string.h>

#include "base/mime.h"
#include "convert/image_cache.h"
#include "image/png.h"
#include "image/tim2.h"

static const char *const gltf_images[] = { SNI_MIME_PNG, SNI_MIME_JPEG, SNI_MIME_WEBP, SNI_MIME_KTX2, NULL };

static bool is_held(const char *const *held, const sn_image *image)
{
    for (; *held; held++)
        if (strcmp(image->mime_type, *held) == 0) return true;
    return false;
}

static bool strip_image(sni_save *save, sn_image *image)
{
    sni_bytes plain;
    if (!sni_image_strip(&save->scratch, (sni_bytes){ image->data, (size_t)image->size }, &plain)) return false;
    image->data = plain.data;
    image->size = plain.size;
    return true;
}

static void mark_used(const sn_model *model, bool *used)
{
    for (uint32_t i = 0; i < model->material_count; i++) {
        const sn_material *material = &model->materials[i];
        for (uint32_t layer = 0; layer < material->layer_count; layer++) {
            for (int map = 0; map < SN_MAP_COUNT; map++) {
                int32_t image = material->layers[layer].maps[map].image;
                if (image >= 0) used[image] = true;
            }
        }
        for (uint32_t map = 0; map < material->extension_map_count; map++) {
            if (material->extension_maps[map].image >= 0) used[material->extension_maps[map].image] = true;
        }
    }
}

static bool is_power(uint32_t side) { return (side & (side - 1)) == 0; }

static bool write_blp(sni_save *save, const sn_pixels *pixels, sni_writer *out, sni_arena *scratch, sni_diag *diag)
{
    uint32_t error = 0;
    if (!sni_blp_write(out, scratch, diag, pixels, &error)) return false;
    sni_enter(&save->diag, "size", -1);
    if (!is_power(pixels->width) || !is_power(pixels->height))
        sni_warn(&save->diag, SNI_WARN_LOST_CONTENT, 0, "%u x %u pixels were stretched to powers of two", pixels->width,
                 pixels->height);
    sni_leave(&save->diag);
    if (error > 0)
        sni_warn(&save->diag, SNI_WARN_LOST_CONTENT, 0, "a palette of 256 colours: they differ by up to %u of 255",
                 error);
    return true;
}

// Temporary memory is freed at once.
static bool write_image(sni_save *save, const char *mime, const sn_pixels *pixels, sn_error *error, sn_image *out)
{
    sni_arena scratch;
    sni_writer png;
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    sni_save_count_pixels(save, pixels);
    sni_arena_init(&scratch, &save->heap);
    sni_writer_init(&png, &save->heap);
    uint64_t rounded = 0;
    bool is_written = strcmp(mime, SNI_MIME_TGA) == 0    ? sni_tga_write(&png, &diag, pixels)
                      : strcmp(mime, SNI_MIME_BLP) == 0  ? write_blp(save, pixels, &png, &scratch, &diag)
                      : strcmp(mime, SNI_MIME_TIM2) == 0 ? sni_tim2_write(&png, &scratch, &diag, pixels, &rounded)
                                                         : sni_png_write(&png, &scratch, &diag, pixels);
    sni_warn_many(&save->diag, SNI_WARN_LOST_CONTENT, rounded, 0,
                  "pixels have 1 of 255 more alpha: the format has 128 steps");
    uint8_t *data = is_written ? sni_new_raw(&save->scratch, uint8_t, png.size) : NULL;
    if (data) memcpy(data, png.data, png.size);
    out->data = data;
    out->size = data ? png.size : 0;
    out->mime_type = mime;
    *error = diag.error;
    sni_writer_free(&png);
    sni_arena_free(&scratch);
    return sni_save_ok(save);
}

bool sni_write_image(sni_save *save, const sn_pixels *pixels, sn_error *error, sn_image *out)
{
    return write_image(save, SNI_MIME_PNG, pixels, error, out);
}

bool sni_read_image(sni_save *save, sni_image_set *set, const sn_image *image, bool size_only, sn_pixels *pixels,
                    sn_error *error)
{
    sn_decode_opts opts = { .hidden_alpha = true, .size_only = size_only };
    if (save->opts) opts.allocator = save->opts->allocator;
    sn_status status = sni_image_set_decode(set, image, &opts, pixels, error);
    return status != SN_ERR_MEMORY || sni_fail(&save->diag, status, 0, "%s", error->message);
}

// A PNG that another save made of the same bytes. Its pixels count as if they were decoded again: whether there is a
// cache must not be seen in the output.
static bool take_cached(sni_save *save, sni_image_set *set, sn_image_cache *cache, const sn_image *image, sn_image *out)
{
    sni_bytes png;
    sn_pixels size;
    if (!sni_image_cache_find(cache, (sni_bytes){ image->data, (size_t)image->size }, &save->scratch, &png, &size))
        return false;
    uint64_t pixels = (uint64_t)size.width * size.height;
    if (pixels > set->pixels_left) return false;
    set->pixels_left -= pixels;
    sni_save_count_pixels(save, &size);
    out->data = png.data, out->size = png.size;
    out->mime_type = SNI_MIME_PNG;
    return true;
}

static bool fit_image(sni_save *save, const char *mime, sni_image_set *set, const sn_image *image, sn_image *out)
{
    sn_pixels pixels;
    sn_error error;
    sn_image made = *image;
    const bool is_png = strcmp(mime, SNI_MIME_PNG) == 0;
    sn_image_cache *cache = save->opts && is_png ? save->opts->image_cache : NULL;
    if (cache && take_cached(save, set, cache, image, out)) return true;
    if (!sni_save_ok(save) || !sni_read_image(save, set, image, false, &pixels, &error)) return false;
    bool is_good = error.status != SN_OK || write_image(save, mime, &pixels, &error, &made);
    if (cache && is_good && error.status == SN_OK)
        sni_image_cache_add(cache, (sni_bytes){ image->data, (size_t)image->size },
                            (sni_bytes){ made.data, (size_t)made.size }, &pixels);
    sn_pixels_free(&pixels);
    if (error.status == SN_OK) *out = made;
    else
        sni_warn(&save->diag, SNI_WARN_LOST_CONTENT, error.offset, "the image cannot become %s: %s",
                 is_png                            ? "PNG"
                 : strcmp(mime, SNI_MIME_TGA) == 0 ? "TGA"
                 : strcmp(mime, SNI_MIME_BLP) == 0 ? "BLP"
                                                   : "TIM2",
                 error.message);
    return is_good;
}

// Images with the same bytes are decoded once. Those behind the set's were baked and are PNG already.
bool sni_fit_images(sni_save *save, const char *const *held, sni_image_set *set, const sn_model *model,
                    sn_model *fitted)
{
    bool *used = sni_new(&save->scratch, bool, model->image_count);
    sn_image *images = sni_new_raw(&save->scratch, sn_image, model->image_count);
    const sn_image **made = sni_new(&save->scratch, const sn_image *, model->image_count);  // of the first alike
    if (!used || !images || !made) return false;
    if (!held) held = gltf_images;
    if (model->image_count > 0) memcpy(images, model->images, model->image_count * sizeof *images);
    mark_used(model, used);
    fitted->images = images;
    bool is_good = true;
    for (uint32_t i = 0; i < model->image_count && is_good; i++) {
        const sn_image *image = &model->images[i];
        if (!used[i] || !image->data) continue;
        if (is_held(held, image)) {
            is_good = strip_image(save, &images[i]);
            continue;
        }
        const sn_image **alike = &made[i < set->count ? set->first[i] : i];
        if (*alike) {
            images[i].data = (*alike)->data, images[i].size = (*alike)->size;
            images[i].mime_type = (*alike)->mime_type;
            continue;
        }
        sni_enter_named(&save->diag, "images", i, image->name[0] ? image->name : image->uri);
        is_good = fit_image(save, held[0], set, image, &images[i]);
        sni_leave(&save->diag);
        *alike = &images[i];
    }
    return is_good;
}
