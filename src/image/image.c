// sn_image_decode: choose a decoder by content, decode, report repaired damage.
#include "image/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t mebi = 1 << 20;

#ifdef SINEW_HAS_WEBP
static const bool has_webp = true;
#else
static const bool has_webp = false;
#endif

// clang-format off
static const struct {
    const char *name, *mime_type;
    bool has_mips, is_saved;
    bool (*decode)(sni_decode *decode);
} decoders[] = {
    { "PNG", SNI_MIME_PNG, false, true, sni_png_decode },
    { "JPEG", SNI_MIME_JPEG, false, false, sni_jpeg_decode },
    { "WebP", SNI_MIME_WEBP, false, false, sni_webp_decode },
    { "BLP", SNI_MIME_BLP, true, false, sni_blp_decode },
    { "DDS", SNI_MIME_DDS, true, false, sni_dds_decode },
    { "TIM2", SNI_MIME_TIM2, true, false, sni_tim2_decode },
    { "TGA", SNI_MIME_TGA, false, true, sni_tga_decode },
};
// clang-format on
enum { DECODERS = sizeof decoders / sizeof decoders[0] };

bool sn_image_format_at(uint32_t index, sn_image_format *format)
{
    if (index >= DECODERS) return false;
    const char *mime_type = decoders[index].mime_type;
    *format = (sn_image_format){ .name = decoders[index].name,
                                 .mime_type = mime_type,
                                 .extensions = sni_mime_extensions(mime_type),
                                 .is_decoded = has_webp || decoders[index].decode != sni_webp_decode,
                                 .is_saved = decoders[index].is_saved };
    return true;
}

bool sn_image_format_find(const void *data, size_t size, sn_image_format *format)
{
    const char *mime_type = sni_mime_type((sni_bytes){ data, data ? size : 0 });
    for (uint32_t i = 0; sn_image_format_at(i, format); i++)
        if (strcmp(format->mime_type, mime_type) == 0) return true;
    return false;
}

bool sni_decode_fits(sni_decode *decode, uint64_t width, uint64_t height)
{
    if (width == 0 || height == 0 || width > UINT32_MAX || height > UINT32_MAX)
        return sni_fail(decode->diag, SN_ERR_CORRUPT, 0, "a picture of %llu x %llu", (unsigned long long)width,
                        (unsigned long long)height);
    if (width <= decode->most_pixels / height) return true;
    return sni_fail(decode->diag, SN_ERR_LIMIT, 0, "%llu x %llu pixels, the limit is %llu", (unsigned long long)width,
                    (unsigned long long)height, (unsigned long long)decode->most_pixels);
}

bool sni_decode_begin(sni_decode *decode, uint64_t width, uint64_t height)
{
    if (!sni_decode_fits(decode, width, height)) return false;
    decode->pixels->width = (uint32_t)width, decode->pixels->height = (uint32_t)height;
    if (decode->opts->size_only) return false;
    if (width * height > SIZE_MAX / 4) return sni_fail(decode->diag, SN_ERR_LIMIT, 0, "a picture too large to address");
    uint8_t *rgba = sni_heap_alloc(decode->heap, (size_t)(width * height * 4));
    if (!rgba) return false;
    decode->pixels->rgba = rgba;
    decode->pixels->allocator = decode->heap->allocator;
    return true;
}

bool sni_decode_fail_mip(sni_decode *decode, uint32_t count)
{
    return sni_fail(decode->diag, SN_ERR_UNSUPPORTED, 0, "mip level %u requested, there are %u", decode->opts->mip,
                    count);
}

bool sni_pixels_have_alpha(const sn_pixels *pixels)
{
    const uint8_t *at = pixels->rgba, *end = at + (size_t)pixels->width * pixels->height * 4;
    while (at < end && at[3] == 255) at += 4;
    return at < end;
}

void sni_straighten(sn_pixels *pixels)
{
    uint8_t *end = pixels->rgba + (size_t)pixels->width * pixels->height * 4;
    for (uint8_t *at = pixels->rgba; at < end; at += 4) {
        uint32_t alpha = at[3];
        if (alpha == 0 || alpha == 255) continue;
        for (int c = 0; c < 3; c++) at[c] = (uint8_t)(at[c] >= alpha ? 255 : (at[c] * 255u + alpha / 2) / alpha);
    }
}

static bool decode_bytes(sni_decode *decode, sni_bytes bytes)
{
    const char *mime_type = sni_mime_type(bytes);
    for (size_t i = 0; i < DECODERS; i++) {
        if (strcmp(decoders[i].mime_type, mime_type) != 0) continue;
        if (decode->opts->mip > 0 && !decoders[i].has_mips) return sni_decode_fail_mip(decode, 1);
        bool is_done = decoders[i].decode(decode) || (decode->opts->size_only && decode->pixels->width > 0);
        return (is_done && !sni_failed(decode->diag)) || sni_fail(decode->diag, SN_ERR_CORRUPT, 0, "damaged");
    }
    if (!mime_type[0]) return sni_fail(decode->diag, SN_ERR_FORMAT, 0, "not an image of any kind sinew reads");
    return sni_fail(decode->diag, SN_ERR_UNSUPPORTED, 0, "%s is not read by sinew", mime_type);
}

static void report_warnings(const sni_diag *diag, const sn_decode_opts *opts)
{
    for (const sni_warning_item *item = diag->first; item && opts->report; item = item->next)
        opts->report(opts->user, &item->warning);
}

sn_status sn_image_decode(const sn_image *image, const sn_decode_opts *opts, sn_pixels *pixels, sn_error *error)
{
    static const sn_decode_opts usual;
    sni_heap heap;
    sni_arena scratch;
    sni_diag diag;
    if (!opts) opts = &usual;
    sni_heap_init(&heap, &opts->allocator, opts->limits.memory_bytes ? opts->limits.memory_bytes : 512 * mebi);
    heap.diag = &diag;
    sni_arena_init(&scratch, &heap);
    sni_diag_init(&diag, &scratch);
    memset(pixels, 0, sizeof *pixels);

    sni_decode decode = { .opts = opts, .heap = &heap, .diag = &diag, .pixels = pixels };
    decode.most_pixels = opts->limits.image_pixels ? opts->limits.image_pixels : 64 * mebi;
    decode.in = sni_reader_make(image->data, (size_t)image->size, &diag, &scratch);
    if (!image->data) sni_fail(&diag, SN_ERR_IO, 0, "the image was not found");
    else if (decode_bytes(&decode, (sni_bytes){ image->data, (size_t)image->size })) report_warnings(&diag, opts);

    if (diag.error.status != SN_OK) sn_pixels_free(pixels);
    if (error) *error = diag.error;
    sni_arena_free(&scratch);
    return diag.error.status;
}

void sn_pixels_free(sn_pixels *pixels)
{
    if (pixels->rgba)
        pixels->allocator.free(pixels->allocator.user, pixels->rgba, (size_t)pixels->width * pixels->height * 4);
    memset(pixels, 0, sizeof *pixels);
}

// Sets of images

typedef struct image_range {
    uintptr_t start;
    uint64_t size;
    uint32_t image;
} image_range;

static int compare_ranges(const void *left, const void *right)
{
    const image_range *a = left, *b = right;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    if (a->size != b->size) return a->size < b->size ? -1 : 1;
    return a->image < b->image ? -1 : 1;
}

bool sni_image_set_make(sni_arena *arena, const sn_image *images, uint32_t count, uint64_t pixels, sni_image_set *set)
{
    image_range *ranges = sni_new(arena, image_range, count);
    set->count = count;
    set->first = sni_new(arena, uint32_t, count);
    set->pixels_left = pixels ? pixels : 128 * mebi;
    if (!ranges || !set->first) return false;
    for (uint32_t i = 0; i < count; i++) ranges[i] = (image_range){ (uintptr_t)images[i].data, images[i].size, i };
    if (count > 1) qsort(ranges, count, sizeof *ranges, compare_ranges);
    uintptr_t end = 0;
    for (uint32_t i = 0; i < count; i++) {
        const image_range *range = &ranges[i], *before = i > 0 ? range - 1 : range;
        bool is_same = i > 0 && range->start != 0 && range->start == before->start && range->size == before->size;
        set->first[range->image] = is_same ? set->first[before->image] : range->image;
        uintptr_t start = range->start > end ? range->start : end, stop = range->start + (uintptr_t)range->size;
        if (stop <= start) continue;
        if (!pixels) set->pixels_left += 64 * (uint64_t)(stop - start);
        end = stop;
    }
    return true;
}

sn_status sni_image_set_decode(sni_image_set *set, const sn_image *image, const sn_decode_opts *opts, sn_pixels *pixels,
                               sn_error *error)
{
    sn_decode_opts cheap = *opts;
    cheap.size_only = true;
    cheap.report = NULL;
    sn_status status = sn_image_decode(image, &cheap, pixels, error);
    if (status != SN_OK || opts->size_only) return status;
    uint64_t wanted = (uint64_t)pixels->width * pixels->height;
    if (wanted <= set->pixels_left) {
        set->pixels_left -= wanted;
        return sn_image_decode(image, opts, pixels, error);
    }
    *error = (sn_error){ .status = SN_ERR_LIMIT };
    snprintf(error->message, sizeof error->message, "%u x %u pixels, %llu are left for all images of the model",
             pixels->width, pixels->height, (unsigned long long)set->pixels_left);
    memset(pixels, 0, sizeof *pixels);
    return SN_ERR_LIMIT;
}
