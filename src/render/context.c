// The renderer object and its framebuffers.
#include "render/render.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool sni_render_fail(sn_error *error, sn_status status, const char *format, ...)
{
    if (!error) return false;
    va_list args;
    va_start(args, format);
    *error = (sn_error){ .status = status };
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return false;
}

static GLuint make_storage(GLenum format, uint32_t samples, uint32_t width, uint32_t height)
{
    GLuint storage;
    glGenRenderbuffers(1, &storage);
    glBindRenderbuffer(GL_RENDERBUFFER, storage);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, (GLsizei)samples, format, (GLsizei)width, (GLsizei)height);
    return storage;
}

static bool is_complete(void) { return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE; }

static bool make_msaa(sni_target *target, bool can_sample, uint32_t samples, uint32_t width, uint32_t height)
{
    glGenFramebuffers(1, &target->msaa);
    glBindFramebuffer(GL_FRAMEBUFFER, target->msaa);
    if (can_sample) {
        target->msaa_texture = sni_context_multisample_texture(samples, width, height);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D_MULTISAMPLE, target->msaa_texture,
                               0);
    } else {
        target->msaa_color = make_storage(GL_RGBA8, samples, width, height);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, target->msaa_color);
    }
    target->msaa_depth = make_storage(GL_DEPTH_COMPONENT24, samples, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, target->msaa_depth);
    return is_complete();
}

static bool make_resolved(sni_target *target, uint32_t width, uint32_t height)
{
    target->resolved_color = make_storage(GL_RGBA8, 0, width, height);
    glGenFramebuffers(1, &target->resolved);
    glBindFramebuffer(GL_FRAMEBUFFER, target->resolved);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, target->resolved_color);
    return is_complete();
}

static void free_target(sn_renderer *renderer)
{
    sni_target *target = &renderer->target;
    const GLuint framebuffers[2] = { target->msaa, target->resolved };
    const GLuint storages[3] = { target->msaa_color, target->msaa_depth, target->resolved_color };
    glDeleteFramebuffers(2, framebuffers);
    glDeleteRenderbuffers(3, storages);
    glDeleteTextures(1, &target->msaa_texture);
    *target = (sni_target){ 0 };
}

bool sni_target_fit(sn_renderer *renderer, uint32_t width, uint32_t height, sn_error *error)
{
    sni_target *target = &renderer->target;
    uint32_t limit = (uint32_t)renderer->max_side;
    if (target->width == width && target->height == height) return true;
    if (width == 0 || height == 0 || width > limit || height > limit)
        return sni_render_fail(error, SN_ERR_LIMIT,
                               "picture size %u x %u is out of range; each side must be 1 to %u pixels", width, height,
                               limit);
    free_target(renderer);
    bool is_good = make_msaa(target, !renderer->is_es && renderer->samples == 4, renderer->samples, width, height);
    is_good = make_resolved(target, width, height) && is_good && glGetError() == GL_NO_ERROR;
    if (!is_good) {
        free_target(renderer);
        return sni_render_fail(error, SN_ERR_MEMORY, "out of graphics memory for a picture of %u x %u pixels", width,
                               height);
    }
    target->width = width;
    target->height = height;
    return true;
}

bool sni_target_resolve(sn_renderer *renderer)
{
    const sni_target *target = &renderer->target;
    if (!target->msaa_texture) {
        GLint width = (GLint)target->width, height = (GLint)target->height;
        glBindFramebuffer(GL_READ_FRAMEBUFFER, target->msaa);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, target->resolved);
        glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        return true;
    }
    const sni_program *program = sni_program_for(renderer, SNI_RESOLVE);
    if (!program) return false;
    glBindFramebuffer(GL_FRAMEBUFFER, target->resolved);
    glUseProgram(program->id);
    glBindVertexArray(renderer->empty_array);
    glActiveTexture(GL_TEXTURE0 + SNI_UNIT_UPLOAD);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, target->msaa_texture);
    glUniform1i(program->at[SNI_U_SAMPLES], SNI_UNIT_UPLOAD);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    return true;
}

enum { WRITERS = 6 };

static sni_writer *writer_of(sn_renderer *renderer, int index)
{
    sni_writer *const writers[WRITERS] = { &renderer->programs, &renderer->state,          &renderer->instances,
                                           &renderer->batches,  &renderer->debug_vertices, &renderer->glyph_vertices };
    return writers[index];
}

void sni_renderer_reset_errors(sn_renderer *renderer)
{
    sni_diag_init(&renderer->diag, NULL);
    for (int i = 0; i < WRITERS; i++) writer_of(renderer, i)->failed = false;
}

sn_renderer *sn_renderer_create(const sn_render_opts *opts, sn_error *error)
{
    static const sn_render_opts defaults = { 0 };
    if (!opts) opts = &defaults;
    sni_heap heap;
    sni_heap_init(&heap, &opts->allocator, UINT64_MAX);
    sn_renderer *renderer = sni_heap_alloc(&heap, sizeof *renderer);
    if (!renderer) {
        sni_render_fail(error, SN_ERR_MEMORY, "out of memory");
        return NULL;
    }
    memset(renderer, 0, sizeof *renderer);
    renderer->heap = heap;
    renderer->heap.diag = &renderer->diag;
    renderer->opts = *opts;
    for (int i = 0; i < WRITERS; i++) sni_writer_init(writer_of(renderer, i), &renderer->heap);
    if (!sni_context_open(&renderer->context, opts, &renderer->is_es, error)) {
        sni_heap_free(&heap, renderer, sizeof *renderer);
        return NULL;
    }

    if (opts->debug) sni_context_report_errors(renderer);
    GLint max_samples = 0;
    glGetIntegerv(GL_MAX_SAMPLES, &max_samples);
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &renderer->max_side);
    renderer->samples = opts->samples ? opts->samples : 4;
    if (renderer->samples > (uint32_t)max_samples) renderer->samples = (uint32_t)max_samples;
    snprintf(renderer->name, sizeof renderer->name, "%s, %s", (const char *)glGetString(GL_RENDERER),
             (const char *)glGetString(GL_VERSION));

    // Half a triangle per pixel: there it begins to pay. A graphics card draws them faster than they can be culled
    // here.
    renderer->is_llvmpipe = strstr(renderer->name, "llvmpipe") != NULL;
    renderer->culled_density = !renderer->is_es && renderer->is_llvmpipe ? 0.5f : INFINITY;
    glGenBuffers(1, &renderer->instance_buffer);
    glGenVertexArrays(1, &renderer->empty_array);
    renderer->missing_texture = sni_texture_plain(190, 188, 184);
    return renderer;
}

void sn_renderer_free(sn_renderer *renderer)
{
    if (!renderer) return;
    if (sni_context_use(&renderer->context)) {
        const GLuint textures[] = { renderer->missing_texture, renderer->state_texture };
        const GLuint arrays[] = { renderer->empty_array, renderer->debug_array, renderer->glyph_array };
        const GLuint buffers[] = { renderer->instance_buffer, renderer->debug_buffer, renderer->sort_buffer,
                                   renderer->kept_buffer };
        glDeleteTextures(2, textures);
        glDeleteVertexArrays(3, arrays);
        glDeleteBuffers(4, buffers);
        glDeleteSamplers(sizeof renderer->samplers / sizeof(GLuint), &renderer->samplers[0][0][0][0]);
        sni_glyph_atlas_free_texture(renderer);
        sni_shadow_free(renderer);
        sni_programs_free(renderer);
        free_target(renderer);
    }
    for (int i = 0; i < WRITERS; i++) sni_writer_free(writer_of(renderer, i));
    sni_glyph_atlas_free(renderer);
    sni_context_close(&renderer->context);
    sni_heap heap = renderer->heap;
    heap.diag = NULL;
    sni_heap_free(&heap, renderer, sizeof *renderer);
}

const char *sn_renderer_name(const sn_renderer *renderer) { return renderer->name; }
