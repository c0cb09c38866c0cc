#include "render/render.h"

static GLuint make_storage(GLenum format, uint32_t samples, uint32_t width, uint32_t height)
{
    GLuint storage;
    glGenRenderbuffers(1, &storage);
    glBindRenderbuffer(GL_RENDERBUFFER, storage);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, (GLsizei)samples, format, (GLsizei)width, (GLsizei)height);
    return storage;
}

static GLuint make_texture(uint32_t samples, uint32_t width, uint32_t height)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glActiveTexture(GL_TEXTURE0 + SNI_UNIT_UPLOAD);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, texture);
    glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, (GLsizei)samples, GL_RGBA8, (GLsizei)width, (GLsizei)height,
                            GL_TRUE);
    return texture;
}

static bool is_complete(void) { return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE; }

static bool make_many(sni_target *target, bool can_sample, uint32_t samples, uint32_t width, uint32_t height)
{
    glGenFramebuffers(1, &target->many);
    glBindFramebuffer(GL_FRAMEBUFFER, target->many);
    if (can_sample) {
        target->many_texture = make_texture(samples, width, height);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D_MULTISAMPLE, target->many_texture,
                               0);
    } else {
        target->many_color = make_storage(GL_RGBA8, samples, width, height);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, target->many_color);
    }
    target->many_depth = make_storage(GL_DEPTH_COMPONENT24, samples, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, target->many_depth);
    return is_complete();
}

static bool make_one(sni_target *target, uint32_t width, uint32_t height)
{
    target->one_color = make_storage(GL_RGBA8, 0, width, height);
    glGenFramebuffers(1, &target->one);
    glBindFramebuffer(GL_FRAMEBUFFER, target->one);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, target->one_color);
    return is_complete();
}

void sni_target_free(sn_renderer *renderer)
{
    sni_target *target = &renderer->target;
    const GLuint framebuffers[2] = { target->many, target->one };
    const GLuint storages[3] = { target->many_color, target->many_depth, target->one_color };
    glDeleteFramebuffers(2, framebuffers);
    glDeleteRenderbuffers(3, storages);
    glDeleteTextures(1, &target->many_texture);
    *target = (sni_target){ 0 };
}

bool sni_target_fit(sn_renderer *renderer, uint32_t width, uint32_t height, sn_error *error)
{
    sni_target *target = &renderer->target;
    uint32_t most = (uint32_t)renderer->max_side;
    if (target->width == width && target->height == height) return true;
    if (width == 0 || height == 0 || width > most || height > most)
        return sni_render_fail(error, SN_ERR_LIMIT, "a picture of %u x %u pixels; from 1 to %u are possible", width,
                               height, most);
    sni_target_free(renderer);
    bool is_good = make_many(target, !renderer->is_es && renderer->samples == 4, renderer->samples, width, height);
    is_good = make_one(target, width, height) && is_good && glGetError() == GL_NO_ERROR;
    if (!is_good) {
        sni_target_free(renderer);
        return sni_render_fail(error, SN_ERR_MEMORY, "no memory for a picture of %u x %u pixels", width, height);
    }
    target->width = width;
    target->height = height;
    return true;
}

static void copy_samples(const sni_target *target)
{
    GLint width = (GLint)target->width, height = (GLint)target->height;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, target->many);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, target->one);
    glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

// False: a program was refused.
bool sni_target_resolve(sn_renderer *renderer)
{
    const sni_target *target = &renderer->target;
    if (!target->many_texture) {
        copy_samples(target);
        return true;
    }
    const sni_program *program = sni_program_for(renderer, SNI_RESOLVE);
    if (!program) return false;
    glBindFramebuffer(GL_FRAMEBUFFER, target->one);
    glUseProgram(program->id);
    glBindVertexArray(renderer->empty_array);
    glActiveTexture(GL_TEXTURE0 + SNI_UNIT_UPLOAD);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, target->many_texture);
    glUniform1i(program->at[SNI_U_SAMPLES], SNI_UNIT_UPLOAD);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    return true;
}
