// Textures: upload with mipmaps, and images that rectangles show.
#include "render/render.h"

#include <string.h>

#include "base/color.h"

struct sn_render_image {
    sn_renderer *renderer;
    GLuint texture;
};

GLuint sni_texture_plain(uint8_t red, uint8_t green, uint8_t blue)
{
    const uint8_t texel[4] = { red, green, blue, 255 };
    GLuint texture;
    glGenTextures(1, &texture);
    glActiveTexture(GL_TEXTURE0 + SNI_UNIT_UPLOAD);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, texel);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    return texture;
}

// sRGB to linear light in 4095 steps, and back.
static void fill_srgb_tables(sni_srgb_tables *tables)
{
    for (uint32_t i = 0; i < 256; i++) tables->linear[i] = (uint16_t)(sni_linear_of(i / 255.0) * 4095.0 + 0.5);
    for (uint32_t linear = 0, srgb = 0; linear < 4096; linear++) {
        while (srgb < 255 && 2 * linear > (uint32_t)tables->linear[srgb] + tables->linear[srgb + 1]) srgb++;
        tables->srgb[linear] = (uint8_t)srgb;
    }
    tables->is_filled = true;
}

static uint8_t average(const uint8_t *const from[4], size_t channel, const sni_srgb_tables *tables)
{
    uint32_t sum = 2;
    if (!tables || channel == 3) {
        for (int i = 0; i < 4; i++) sum += from[i][channel];
        return (uint8_t)(sum / 4);
    }
    for (int i = 0; i < 4; i++) sum += tables->linear[from[i][channel]];
    return tables->srgb[sum / 4];
}

// Halves the picture in place. With tables, colours are averaged in linear light.
static void halve(sn_pixels *pixels, const sni_srgb_tables *tables)
{
    uint32_t width = pixels->width > 1 ? pixels->width / 2 : 1, height = pixels->height > 1 ? pixels->height / 2 : 1;
    size_t step = (size_t)pixels->width * 4, right = pixels->width > 1 ? 4 : 0, down = pixels->height > 1 ? step : 0;
    uint8_t *out = pixels->rgba;
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *at = pixels->rgba + (size_t)y * 2 * step;
        for (uint32_t x = 0; x < width; x++, at += 8) {
            const uint8_t *const from[4] = { at, at + right, at + down, at + down + right };
            for (size_t c = 0; c < 4; c++) *out++ = average(from, c, tables);
        }
    }
    pixels->width = width;
    pixels->height = height;
}

// More texels than any picture shows: larger images are halved, which bounds the driver's memory.
enum { MOST_TEXELS = 16 << 20 };

// Mipmaps are made here: software drivers compile a shader for glGenerateMipmap.
GLuint sni_texture_upload(sn_renderer *renderer, sn_pixels pixels, bool is_srgb)
{
    uint32_t limit = (uint32_t)renderer->max_side;
    GLuint texture;
    if (!renderer->srgb_tables.is_filled) fill_srgb_tables(&renderer->srgb_tables);
    const sni_srgb_tables *tables = is_srgb ? &renderer->srgb_tables : NULL;
    while (pixels.width > limit || pixels.height > limit || (uint64_t)pixels.width * pixels.height > MOST_TEXELS)
        halve(&pixels, tables);
    glGenTextures(1, &texture);
    glActiveTexture(GL_TEXTURE0 + SNI_UNIT_UPLOAD);
    glBindTexture(GL_TEXTURE_2D, texture);
    for (GLint level = 0;; level++) {
        glTexImage2D(GL_TEXTURE_2D, level, GL_RGBA8, (GLsizei)pixels.width, (GLsizei)pixels.height, 0, GL_RGBA,
                     GL_UNSIGNED_BYTE, pixels.rgba);
        if (pixels.width == 1 && pixels.height == 1) return texture;
        halve(&pixels, tables);
    }
}

// A copy is uploaded, because making mipmaps overwrites the pixels.
static GLuint upload_copy(sn_renderer *renderer, const sn_pixels *pixels)
{
    size_t size = (size_t)pixels->width * pixels->height * 4;
    uint8_t *copy = size > 0 ? sni_heap_alloc(&renderer->heap, size) : NULL;
    if (!copy) return 0;
    memcpy(copy, pixels->rgba, size);
    GLuint texture = sni_texture_upload(renderer, (sn_pixels){ pixels->width, pixels->height, copy, { 0 } }, true);
    sni_heap_free(&renderer->heap, copy, size);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return texture;
}

sn_render_image *sn_render_image_create(sn_renderer *renderer, const sn_pixels *pixels, sn_error *error)
{
    sni_renderer_reset_errors(renderer);
    sn_render_image *image = sni_heap_alloc(&renderer->heap, sizeof *image);
    if (image && sni_context_use(&renderer->context)) {
        *image = (sn_render_image){ renderer, upload_copy(renderer, pixels) };
        if (image->texture) return image;
    }
    sni_heap_free(&renderer->heap, image, sizeof *image);
    if (pixels->width > 0 && pixels->height > 0) sni_render_fail(error, SN_ERR_MEMORY, "out of memory");
    else sni_render_fail(error, SN_ERR_INVALID, "the image has no pixels");
    return NULL;
}

void sn_render_image_free(sn_render_image *image)
{
    if (!image) return;
    sn_renderer *renderer = image->renderer;
    if (sni_context_use(&renderer->context)) glDeleteTextures(1, &image->texture);
    sni_heap_free(&renderer->heap, image, sizeof *image);
}

GLuint sni_image_texture(const sn_render_image *image) { return image->texture; }
