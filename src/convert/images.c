#include "convert/images.h"

#include <stdio.h>
#include <string.h>

#include "base/mime.h"
#include "convert/image_cache.h"
#include "image/png.h"
#include "image/tim2.h"

static const char *const gltf_images[] = { SNI_MIME_PNG, SNI_MIME_JPEG, SNI_MIME_WEBP, SNI_MIME_KTX2, NULL };

typedef bool writer_of_kind(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *pixels,
                            bool is_normal_map, uint32_t *error);

static bool write_png(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *pixels, bool is_normal_map,
                      uint32_t *error)
{
    (void)is_normal_map, (void)error;
    return sni_png_write(out, scratch, diag, pixels);
}

static bool write_tga(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *pixels, bool is_normal_map,
                      uint32_t *error)
{
    (void)scratch, (void)is_normal_map, (void)error;
    return sni_tga_write(out, diag, pixels);
}

static bool write_blp(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *pixels, bool is_normal_map,
                      uint32_t *error)
{
    (void)is_normal_map;
    return sni_blp_write(out, scratch, diag, pixels, error);
}

static bool write_blp_jpeg(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *pixels,
                           bool is_normal_map, uint32_t *error)
{
    (void)is_normal_map;
    return sni_blp_write_jpeg(out, scratch, diag, pixels, error);
}

// What images can become.
typedef struct image_kind {
    sn_textures textures;  // that ask for it; AUTO: none
    const char *name, *mime;
    writer_of_kind *write;  // NULL: sni_tim2_write
    uint32_t least_side;    // of those whose sides become powers of two; 0: they are kept
} image_kind;

static const image_kind kinds[] = {
    { SN_TEXTURES_PNG, "PNG", SNI_MIME_PNG, write_png, 0 },
    { SN_TEXTURES_BLP, "BLP with a palette", SNI_MIME_BLP, write_blp, 1 },
    { SN_TEXTURES_BLP_JPEG, "BLP with JPEG", SNI_MIME_BLP, write_blp_jpeg, 1 },
    { SN_TEXTURES_DDS, "DDS", SNI_MIME_DDS, sni_dds_write, 4 },
    { SN_TEXTURES_TGA, "TGA", SNI_MIME_TGA, write_tga, 0 },
    { SN_TEXTURES_AUTO, "TIM2", SNI_MIME_TIM2, NULL, 0 },
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

// How the images of one model are written, and what that changed in all of them.
typedef struct image_writer {
    sni_save *save;
    const image_kind *kind;
    uint32_t changed, stretched, largest;  // numbers of images; the largest difference of a channel
} image_writer;

static bool is_held(const char *const *held, const char *mime)
{
    for (; *held; held++)
        if (strcmp(mime, *held) == 0) return true;
    return false;
}

// Fails when the target does not hold what is asked for. `held`: what stays as it is.
static const image_kind *choose_kind(sni_save *save, const sni_holds *holds, const char *const **held,
                                     const char *asked[2])
{
    const sn_textures textures = save->opts ? save->opts->textures : SN_TEXTURES_AUTO;
    *held = holds->images ? holds->images : gltf_images;
    const image_kind *kind = kinds;
    if (textures == SN_TEXTURES_AUTO) {
        while (strcmp(kind->mime, (*held)[0]) != 0) kind++;
        return kind;
    }
    while (kind < kinds + KINDS && kind->textures != textures) kind++;
    if (kind == kinds + KINDS) {
        sni_fail(&save->diag, SN_ERR_INVALID, 0, "unknown kind of textures %d", (int)textures);
        return NULL;
    }
    if (is_held(*held, kind->mime) || (holds->other_image && strcmp(holds->other_image, kind->mime) == 0)) {
        asked[0] = kind->mime;
        *held = asked;
        return kind;
    }
    char names[96] = "";
    for (const image_kind *one = kinds; one < kinds + KINDS; one++) {
        const size_t used = strlen(names);
        const bool is_other = holds->other_image && strcmp(holds->other_image, one->mime) == 0;
        if (is_other || is_held(*held, one->mime))
            snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", one->name);
    }
    sni_fail(&save->diag, SN_ERR_UNSUPPORTED, 0, "the target does not read textures as %s; it reads %s", kind->name,
             names);
    return NULL;
}

static bool strip_image(sni_save *save, sn_image *image)
{
    sni_bytes plain;
    if (!sni_image_strip(&save->scratch, (sni_bytes){ image->data, (size_t)image->size }, &plain)) return false;
    image->data = plain.data;
    image->size = plain.size;
    return true;
}

enum { USED = 1, USED_FOR_COLOR = 2 };  // not only as a normal map

static void mark_used(const sn_model *model, uint8_t *used)
{
    for (uint32_t i = 0; i < model->material_count; i++) {
        const sn_material *material = &model->materials[i];
        for (uint32_t layer = 0; layer < material->layer_count; layer++) {
            for (int map = 0; map < SN_MAP_COUNT; map++) {
                int32_t image = material->layers[layer].maps[map].image;
                if (image >= 0) used[image] |= map == SN_MAP_NORMAL ? USED : USED | USED_FOR_COLOR;
            }
        }
        for (uint32_t map = 0; map < material->extension_map_count; map++) {
            if (material->extension_maps[map].image >= 0)
                used[material->extension_maps[map].image] |= USED | USED_FOR_COLOR;
        }
    }
}

// A side of 1 is repeated, which shows the same.
static bool is_stretched(uint32_t side, uint32_t least)
{
    return least > 0 && side > 1 && (side < least || (side & (side - 1)) != 0);
}

// Temporary memory is freed at once.
static bool write_image(image_writer *w, bool is_normal_map, const sn_pixels *pixels, sn_error *error, sn_image *out)
{
    sni_save *save = w->save;
    const image_kind *kind = w->kind;
    sni_arena scratch;
    sni_writer file;
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    sni_save_count_pixels(save, pixels);
    sni_arena_init(&scratch, &save->heap);
    sni_writer_init(&file, &save->heap);
    uint64_t rounded = 0;
    uint32_t changed = 0;
    const bool is_written = kind->write ? kind->write(&file, &scratch, &diag, pixels, is_normal_map, &changed)
                                        : sni_tim2_write(&file, &scratch, &diag, pixels, &rounded);
    sni_warn_many(&save->diag, SNI_WARN_LOST_CONTENT, rounded, 0,
                  "alpha was rounded to 128 levels and is 1 of 255 higher");
    w->changed += is_written && changed > 0;
    if (is_written && changed > w->largest) w->largest = changed;
    w->stretched += is_written &&
                    (is_stretched(pixels->width, kind->least_side) || is_stretched(pixels->height, kind->least_side));
    uint8_t *data = is_written ? sni_new_raw(&save->scratch, uint8_t, file.size) : NULL;
    if (data) memcpy(data, file.data, file.size);
    out->data = data;
    out->size = data ? file.size : 0;
    out->mime_type = kind->mime;
    *error = diag.error;
    sni_writer_free(&file);
    sni_arena_free(&scratch);
    return sni_save_ok(save);
}

bool sni_write_image(sni_save *save, const sn_pixels *pixels, sn_error *error, sn_image *out)
{
    image_writer w = { .save = save, .kind = &kinds[0] };
    return write_image(&w, false, pixels, error, out);
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

static bool fit_image(image_writer *w, bool is_normal_map, sni_image_set *set, const sn_image *image, sn_image *out)
{
    sni_save *save = w->save;
    sn_pixels pixels;
    sn_error error;
    sn_image made = *image;
    sn_image_cache *cache = save->opts && w->kind->write == write_png ? save->opts->image_cache : NULL;
    if (cache && take_cached(save, set, cache, image, out)) return true;
    if (!sni_save_ok(save) || !sni_read_image(save, set, image, false, &pixels, &error)) return false;
    bool is_good = error.status != SN_OK || write_image(w, is_normal_map, &pixels, &error, &made);
    if (cache && is_good && error.status == SN_OK)
        sni_image_cache_add(cache, (sni_bytes){ image->data, (size_t)image->size },
                            (sni_bytes){ made.data, (size_t)made.size }, &pixels);
    sn_pixels_free(&pixels);
    if (error.status == SN_OK) *out = made;
    else
        sni_warn(&save->diag, SNI_WARN_LOST_CONTENT, error.offset, "the image cannot be written as %s: %s",
                 w->kind->name, error.message);
    return is_good;
}

static void report_losses(const image_writer *w)
{
    sni_diag *diag = &w->save->diag;
    sni_enter(diag, "images", -1);
    sni_warn_many(diag, SNI_WARN_LOST_CONTENT, w->changed, 0,
                  "textures were compressed to %s; colours differ by up to %u of 255", w->kind->name, w->largest);

    sni_warn_many(diag, SNI_WARN_LOST_CONTENT, w->stretched, 0, "textures were resized to powers of two");
    sni_leave(diag);
}

// Images with the same bytes are decoded once. Those behind the set's were baked and are PNG already.
bool sni_fit_images(sni_save *save, const sni_holds *holds, sni_image_set *set, const sn_model *model, sn_model *fitted)
{
    uint8_t *used = sni_new(&save->scratch, uint8_t, model->image_count);
    sn_image *images = sni_new_raw(&save->scratch, sn_image, model->image_count);
    const sn_image **made = sni_new(&save->scratch, const sn_image *, model->image_count);  // of the first alike
    if (!used || !images || !made) return false;
    const char *asked[2] = { NULL, NULL }, *const * held;
    image_writer w = { .save = save, .kind = choose_kind(save, holds, &held, asked) };
    if (!w.kind) return false;
    if (model->image_count > 0) memcpy(images, model->images, model->image_count * sizeof *images);
    mark_used(model, used);
    for (uint32_t i = 0; i < model->image_count && i < set->count; i++)  // equal images are made once, for all uses
        if (set->first[i] != i) used[set->first[i]] |= used[i] & USED_FOR_COLOR;
    fitted->images = images;
    bool is_good = true;
    for (uint32_t i = 0; i < model->image_count && is_good; i++) {
        const sn_image *image = &model->images[i];
        if (!used[i] || !image->data) continue;
        if (is_held(held, image->mime_type)) {
            is_good = strip_image(save, &images[i]);
            continue;
        }
        const uint32_t first = i < set->count ? set->first[i] : i;
        const sn_image **alike = &made[first];
        if (*alike) {
            images[i].data = (*alike)->data, images[i].size = (*alike)->size;
            images[i].mime_type = (*alike)->mime_type;
            continue;
        }
        sni_enter_named(&save->diag, "images", i, image->name[0] ? image->name : image->uri);
        is_good = fit_image(&w, holds->has_bc5 && !(used[first] & USED_FOR_COLOR), set, image, &images[i]);
        sni_leave(&save->diag);
        *alike = &images[i];
    }
    report_losses(&w);
    return is_good;
}
