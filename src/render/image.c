// Images on the graphics side, decoded when they are first shown.
#include "render/render.h"

#include <string.h>

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

static uint32_t sum_of_four(const uint8_t *row, const uint8_t *below, size_t left, size_t right)
{
    return (uint32_t)row[left] + row[right] + below[left] + below[right];
}

// To half its sides, in place. What the graphics side cannot hold in full is seen from afar anyway.
static void halve(sn_pixels *pixels)
{
    uint32_t width = pixels->width > 1 ? pixels->width / 2 : 1, height = pixels->height > 1 ? pixels->height / 2 : 1;
    size_t step = (size_t)pixels->width * 4, right = pixels->width > 1 ? 4 : 0, down = pixels->height > 1 ? step : 0;
    uint8_t *out = pixels->rgba;
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *row = pixels->rgba + (size_t)y * 2 * step;
        for (uint32_t x = 0; x < width; x++)
            for (size_t c = 0; c < 4; c++) {
                size_t left = (size_t)x * 8 + c;
                *out++ = (uint8_t)((sum_of_four(row, row + down, left, left + right) + 2) / 4);
            }
    }
    pixels->width = width;
    pixels->height = height;
}

static GLuint upload(const sn_renderer *renderer, sn_pixels pixels, bool is_srgb)
{
    uint32_t most = (uint32_t)renderer->max_side;
    GLuint texture;
    while (pixels.width > most || pixels.height > most) halve(&pixels);
    glGenTextures(1, &texture);
    glActiveTexture(GL_TEXTURE0 + SNI_UNIT_UPLOAD);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, is_srgb ? GL_SRGB8_ALPHA8 : GL_RGBA8, (GLsizei)pixels.width, (GLsizei)pixels.height, 0, GL_RGBA,
                 GL_UNSIGNED_BYTE, pixels.rgba);
    glGenerateMipmap(GL_TEXTURE_2D);
    return texture;
}

static void report_bad(const sn_drawable *drawable, const sn_image *image, const sn_error *error)
{
    const sn_render_opts *opts = &drawable->renderer->opts;
    sn_warning warning = { .code = SNI_WARN_LOST_CONTENT, .count = 1, .offset = error->offset, .message = error->message };
    warning.path = image->name[0] ? image->name : image->uri;
    if (opts->report) opts->report(opts->user, &warning);
}

static GLuint load(const sn_drawable *drawable, int32_t index, bool is_srgb)
{
    const sn_image *image = &drawable->model->images[index];
    sni_gpu_image *gpu = &drawable->images[index];
    sn_decode_opts opts = { .allocator = drawable->renderer->opts.allocator, .hidden_alpha = true };
    sn_pixels pixels;
    sn_error error;
    gpu->is_bad = !image->data || sn_image_decode(image, &opts, &pixels, &error) != SN_OK;
    if (gpu->is_bad) {
        if (image->data) report_bad(drawable, image, &error);
        return 0;
    }
    GLuint texture = upload(drawable->renderer, pixels, is_srgb);
    sn_pixels_free(&pixels);
    return texture;
}

// 0: it cannot be shown.
GLuint sni_gpu_image_of(const sn_drawable *drawable, int32_t index, bool is_srgb)
{
    if (index < 0 || (uint32_t)index >= drawable->model->image_count) return 0;
    sni_gpu_image *gpu = &drawable->images[index];
    GLuint *texture = is_srgb ? &gpu->srgb : &gpu->linear;
    if (*texture == 0 && !gpu->is_bad) *texture = load(drawable, index, is_srgb);
    return *texture;
}

static GLenum wrap_of(uint8_t wrap)
{
    return wrap == SN_CLAMP ? GL_CLAMP_TO_EDGE : wrap == SN_MIRROR ? GL_MIRRORED_REPEAT : GL_REPEAT;
}

static GLenum min_filter_of(uint8_t filter)
{
    static const GLenum filters[SNI_FILTERS] = { GL_LINEAR_MIPMAP_LINEAR, GL_NEAREST, GL_LINEAR, GL_NEAREST_MIPMAP_NEAREST,
                                                 GL_LINEAR_MIPMAP_NEAREST, GL_NEAREST_MIPMAP_LINEAR, GL_LINEAR_MIPMAP_LINEAR };
    return filters[filter];
}

GLuint sni_sampler_of(sn_renderer *renderer, const sn_texture *texture)
{
    GLuint *sampler = &renderer->samplers[texture->wrap_u][texture->wrap_v][texture->mag_filter][texture->min_filter];
    if (*sampler) return *sampler;
    glGenSamplers(1, sampler);
    glSamplerParameteri(*sampler, GL_TEXTURE_WRAP_S, (GLint)wrap_of(texture->wrap_u));
    glSamplerParameteri(*sampler, GL_TEXTURE_WRAP_T, (GLint)wrap_of(texture->wrap_v));
    glSamplerParameteri(*sampler, GL_TEXTURE_MAG_FILTER, texture->mag_filter == SN_FILTER_NEAREST ? GL_NEAREST : GL_LINEAR);
    glSamplerParameteri(*sampler, GL_TEXTURE_MIN_FILTER, (GLint)min_filter_of(texture->min_filter));
    return *sampler;
}
