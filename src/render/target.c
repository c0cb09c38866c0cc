#include "render/render.h"

static GLuint make_storage(GLenum format, uint32_t samples, uint32_t width, uint32_t height)
{
    GLuint storage;
    glGenRenderbuffers(1, &storage);
    glBindRenderbuffer(GL_RENDERBUFFER, storage);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, (GLsizei)samples, format, (GLsizei)width, (GLsizei)height);
    return storage;
}

static bool make_framebuffer(GLuint *framebuffer, GLuint color, GLuint depth)
{
    glGenFramebuffers(1, framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, *framebuffer);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color);
    if (depth) glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

void sni_target_free(sn_renderer *renderer)
{
    sni_target *target = &renderer->target;
    const GLuint framebuffers[2] = { target->many, target->one };
    const GLuint storages[3] = { target->many_color, target->many_depth, target->one_color };
    glDeleteFramebuffers(2, framebuffers);
    glDeleteRenderbuffers(3, storages);
    *target = (sni_target){ 0 };
}

bool sni_target_fit(sn_renderer *renderer, uint32_t width, uint32_t height, sn_error *error)
{
    sni_target *target = &renderer->target;
    uint32_t most = (uint32_t)renderer->max_side;
    if (target->width == width && target->height == height) return true;
    if (width == 0 || height == 0 || width > most || height > most)
        return sni_render_fail(error, SN_ERR_LIMIT, "a picture of %u x %u pixels; from 1 to %u are possible", width, height, most);
    sni_target_free(renderer);
    target->many_color = make_storage(GL_RGBA8, renderer->samples, width, height);
    target->many_depth = make_storage(GL_DEPTH_COMPONENT24, renderer->samples, width, height);
    target->one_color = make_storage(GL_RGBA8, 0, width, height);
    bool is_good = make_framebuffer(&target->many, target->many_color, target->many_depth);
    is_good = make_framebuffer(&target->one, target->one_color, 0) && is_good && glGetError() == GL_NO_ERROR;
    if (!is_good) {
        sni_target_free(renderer);
        return sni_render_fail(error, SN_ERR_MEMORY, "no memory for a picture of %u x %u pixels", width, height);
    }
    target->width = width;
    target->height = height;
    return true;
}
