// Images on the graphics side, decoded when they are first shown.
#include "render/render.h"

#include "base/color.h"

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

// Light of each of the 256 shades of sRGB, in 4095 steps, and back.
static void fill_shades(sni_shades *shades)
{
    for (uint32_t i = 0; i < 256; i++) shades->light[i] = (uint16_t)(sni_linear_of(i / 255.0) * 4095.0 + 0.5);
    for (uint32_t light = 0, shade = 0; light < 4096; light++) {
        while (shade < 255 && 2 * light > (uint32_t)shades->light[shade] + shades->light[shade + 1]) shade++;
        shades->shade[light] = (uint8_t)shade;
    }
    shades->is_filled = true;
}

static uint8_t mean_of(const uint8_t *const from[4], size_t channel, const sni_shades *shades)
{
    uint32_t sum = 2;
    if (!shades || channel == 3) {
        for (int i = 0; i < 4; i++) sum += from[i][channel];
        return (uint8_t)(sum / 4);
    }
    for (int i = 0; i < 4; i++) sum += shades->light[from[i][channel]];
    return shades->shade[sum / 4];
}

// To half its sides, in place; with shades, as light.
static void halve(sn_pixels *pixels, const sni_shades *shades)
{
    uint32_t width = pixels->width > 1 ? pixels->width / 2 : 1, height = pixels->height > 1 ? pixels->height / 2 : 1;
    size_t step = (size_t)pixels->width * 4, right = pixels->width > 1 ? 4 : 0, down = pixels->height > 1 ? step : 0;
    uint8_t *out = pixels->rgba;
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *at = pixels->rgba + (size_t)y * 2 * step;
        for (uint32_t x = 0; x < width; x++, at += 8) {
            const uint8_t *const from[4] = { at, at + right, at + down, at + down + right };
            for (size_t c = 0; c < 4; c++) *out++ = mean_of(from, c, shades);
        }
    }
    pixels->width = width;
    pixels->height = height;
}

// All levels are made here: drivers in software compile programs for it. The pixels are used up.
static GLuint upload(sn_renderer *renderer, sn_pixels pixels, bool is_srgb)
{
    uint32_t most = (uint32_t)renderer->max_side;
    GLuint texture;
    if (!renderer->shades.is_filled) fill_shades(&renderer->shades);
    const sni_shades *shades = is_srgb ? &renderer->shades : NULL;
    while (pixels.width > most || pixels.height > most) halve(&pixels, shades);
    glGenTextures(1, &texture);
    glActiveTexture(GL_TEXTURE0 + SNI_UNIT_UPLOAD);
    glBindTexture(GL_TEXTURE_2D, texture);
    for (GLint level = 0;; level++) {
        glTexImage2D(GL_TEXTURE_2D, level, GL_RGBA8, (GLsizei)pixels.width, (GLsizei)pixels.height, 0, GL_RGBA,
                     GL_UNSIGNED_BYTE, pixels.rgba);
        if (pixels.width == 1 && pixels.height == 1) return texture;
        halve(&pixels, shades);
    }
}

static void report_bad(const sn_drawable *drawable, const sn_image *image, const sn_error *error)
{
    const sn_render_opts *opts = &drawable->renderer->opts;
    sn_warning warning = {
        .code = SNI_WARN_LOST_CONTENT, .count = 1, .offset = error->offset, .message = error->message
    };
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
    sn_status status = image->data ? sn_image_decode(image, &opts, &pixels, &error) : SN_ERR_IO;
    gpu->is_bad = status != SN_OK && status != SN_ERR_MEMORY;
    if (gpu->is_bad && image->data) report_bad(drawable, image, &error);
    if (status == SN_ERR_MEMORY) sni_fail(&drawable->renderer->diag, status, error.offset, "%s", error.message);
    if (status != SN_OK) return 0;
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
    static const GLenum filters[SNI_FILTERS] = { GL_LINEAR_MIPMAP_LINEAR,
                                                 GL_NEAREST,
                                                 GL_LINEAR,
                                                 GL_NEAREST_MIPMAP_NEAREST,
                                                 GL_LINEAR_MIPMAP_NEAREST,
                                                 GL_NEAREST_MIPMAP_LINEAR,
                                                 GL_LINEAR_MIPMAP_LINEAR };
    return filters[filter];
}

static GLuint make_sampler(const sn_texture *texture)
{
    GLuint sampler;
    glGenSamplers(1, &sampler);
    glSamplerParameteri(sampler, GL_TEXTURE_WRAP_S, (GLint)wrap_of(texture->wrap_u));
    glSamplerParameteri(sampler, GL_TEXTURE_WRAP_T, (GLint)wrap_of(texture->wrap_v));
    glSamplerParameteri(sampler, GL_TEXTURE_MAG_FILTER,
                        texture->mag_filter == SN_FILTER_NEAREST ? GL_NEAREST : GL_LINEAR);
    glSamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER, (GLint)min_filter_of(texture->min_filter));
    return sampler;
}

GLuint sni_sampler_of(sn_renderer *renderer, const sn_texture *texture)
{
    GLuint *sampler = &renderer->samplers[texture->wrap_u][texture->wrap_v][texture->mag_filter][texture->min_filter];
    if (*sampler == 0) *sampler = make_sampler(texture);
    return *sampler;
}
