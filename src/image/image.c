// sn_image_decode: choose a decoder by content, decode, report repaired damage.
#include "image/image.h"

#include <string.h>

// clang-format off
static const struct { const char *mime_type; bool has_mips; bool (*decode)(sni_decode *decode); } decoders[] = {
    { SNI_MIME_PNG, false, sni_png_decode },
    { SNI_MIME_JPEG, false, sni_jpeg_decode },
    { SNI_MIME_BLP, true, sni_blp_decode },
    { SNI_MIME_DDS, true, sni_dds_decode },
    { SNI_MIME_TIM2, true, sni_tim2_decode },
    { SNI_MIME_TGA, false, sni_tga_decode },
};
// clang-format on

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
    return sni_fail(decode->diag, SN_ERR_UNSUPPORTED, 0, "mip level %u is wanted, there are %u", decode->opts->mip,
                    count);
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
    for (size_t i = 0; i < sizeof decoders / sizeof decoders[0]; i++) {
        if (strcmp(decoders[i].mime_type, mime_type) != 0) continue;
        if (decode->opts->mip > 0 && !decoders[i].has_mips) return sni_decode_fail_mip(decode, 1);
        bool is_done = decoders[i].decode(decode) || (decode->opts->size_only && decode->pixels->width > 0);
        return (is_done && !sni_failed(decode->diag)) || sni_fail(decode->diag, SN_ERR_CORRUPT, 0, "damaged");
    }
    if (!mime_type[0]) return sni_fail(decode->diag, SN_ERR_FORMAT, 0, "not an image of any kind sinew reads");
    return sni_fail(decode->diag, SN_ERR_UNSUPPORTED, 0, "%s is not read by sinew", mime_type);
}

static void tell_warnings(const sni_diag *diag, const sn_decode_opts *opts)
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
    sni_heap_init(&heap, &opts->allocator, opts->limits.memory_bytes ? opts->limits.memory_bytes : UINT64_MAX);
    heap.diag = &diag;
    sni_arena_init(&scratch, &heap);
    sni_diag_init(&diag, &scratch);
    memset(pixels, 0, sizeof *pixels);

    sni_decode decode = { .opts = opts, .heap = &heap, .diag = &diag, .pixels = pixels };
    decode.most_pixels = opts->limits.image_pixels ? opts->limits.image_pixels : 64u << 20;
    decode.in = sni_reader_make(image->data, (size_t)image->size, &diag, &scratch);
    if (!image->data) sni_fail(&diag, SN_ERR_IO, 0, "the image was not found");
    else if (decode_bytes(&decode, (sni_bytes){ image->data, (size_t)image->size })) tell_warnings(&diag, opts);

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
