// OpenGL contexts without a display, the renderer object, and its framebuffers.
#include "render/render.h"

#include <dlfcn.h>
#include <epoxy/egl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PACKAGES "no OpenGL: %s (Debian and Ubuntu: apt-get install libegl1 libgl1 libgl1-mesa-dri)"

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

static bool has_library(const char *name)
{
    void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (library) dlclose(library);
    return library != NULL;
}

// libepoxy aborts the process when a library is missing, so this must be checked first.
static const char *missing_library(void)
{
    if (!has_library("libEGL.so.1")) return "libEGL.so.1 is missing";
    if (!has_library("libGL.so.1") && !has_library("libOpenGL.so.0")) return "libGL.so.1 is missing";
    return NULL;
}

// Mesa's surfaceless platform, else EGL's default display.
static EGLDisplay open_display(void)
{
    EGLDisplay display = EGL_NO_DISPLAY;
    if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_EXT_platform_base") &&
        epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless"))
        display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (display != EGL_NO_DISPLAY && eglInitialize(display, NULL, NULL)) return display;
    display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    if (display != EGL_NO_DISPLAY && eglInitialize(display, NULL, NULL)) return display;
    return EGL_NO_DISPLAY;
}

static EGLContext create_context(EGLDisplay display, bool is_es, bool debug)
{
    const EGLint wanted[] = { EGL_RENDERABLE_TYPE, is_es ? EGL_OPENGL_ES3_BIT : EGL_OPENGL_BIT, EGL_SURFACE_TYPE,
                              EGL_DONT_CARE, EGL_NONE };
    // clang-format off
    const EGLint core[] = { EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3,
                            EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                            EGL_CONTEXT_OPENGL_DEBUG, debug, EGL_NONE };
    const EGLint es[] = { EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 0,
                          EGL_CONTEXT_OPENGL_DEBUG, debug, EGL_NONE };
    // clang-format on
    EGLConfig config = NULL;
    EGLint count = 0;
    if (!eglChooseConfig(display, wanted, &config, 1, &count) || count == 0) return EGL_NO_CONTEXT;
    if (!eglBindAPI(is_es ? EGL_OPENGL_ES_API : EGL_OPENGL_API)) return EGL_NO_CONTEXT;
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, is_es ? es : core);
    if (context == EGL_NO_CONTEXT) return context;
    if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) return context;
    eglDestroyContext(display, context);
    return EGL_NO_CONTEXT;
}

bool sni_context_open(sni_context *context, const sn_render_opts *opts, bool *is_es, sn_error *error)
{
    *context = (sni_context){ 0 };
    if (opts->use_current) {
        *is_es = !epoxy_is_desktop_gl();
        int version = epoxy_gl_version();
        return version >= (*is_es ? 30 : 33) ||
               sni_render_fail(error, SN_ERR_UNSUPPORTED, "OpenGL %d.%d is too old; OpenGL 3.3 or ES 3.0 is required",
                               version / 10, version % 10);
    }
    const char *missing = missing_library();
    if (missing) return sni_render_fail(error, SN_ERR_UNSUPPORTED, PACKAGES, missing);
    EGLDisplay display = open_display();
    if (display == EGL_NO_DISPLAY) return sni_render_fail(error, SN_ERR_UNSUPPORTED, PACKAGES, "EGL has no display");
    EGLContext made = EGL_NO_CONTEXT;
    for (int i = 0; i < 2 && made == EGL_NO_CONTEXT; i++) {
        *is_es = (i == 0) == opts->prefer_es;
        made = create_context(display, *is_es, opts->debug);
    }
    if (made == EGL_NO_CONTEXT)
        return sni_render_fail(error, SN_ERR_UNSUPPORTED, PACKAGES, "neither OpenGL 3.3 nor ES 3.0");
    context->display = display;
    context->context = made;
    return true;
}

bool sni_context_use(const sni_context *context)
{
    if (!context->display || eglGetCurrentContext() == context->context) return true;
    return eglMakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, context->context);
}

// The display stays open: other renderers of the process may use it.
void sni_context_close(sni_context *context)
{
    if (!context->display) return;
    eglMakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(context->display, context->context);
    eglReleaseThread();
    *context = (sni_context){ 0 };
}

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

static bool make_msaa(sni_target *target, bool can_sample, uint32_t samples, uint32_t width, uint32_t height)
{
    glGenFramebuffers(1, &target->msaa);
    glBindFramebuffer(GL_FRAMEBUFFER, target->msaa);
    if (can_sample) {
        target->msaa_texture = make_texture(samples, width, height);
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

static void APIENTRY on_debug_message(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei size,
                                      const GLchar *text, const void *user)
{
    sn_renderer *renderer = (sn_renderer *)(uintptr_t)user;
    (void)source, (void)id, (void)severity, (void)size;
    if (type != GL_DEBUG_TYPE_ERROR && type != GL_DEBUG_TYPE_UNDEFINED_BEHAVIOR) return;
    if (renderer->error_count++ == 0) snprintf(renderer->message, sizeof renderer->message, "%s", text);
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

    if (opts->debug && epoxy_has_gl_extension("GL_KHR_debug")) {
        glEnable(GL_DEBUG_OUTPUT);
        glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
        glDebugMessageCallback(on_debug_message, renderer);
    }
    GLint max_samples = 0;
    glGetIntegerv(GL_MAX_SAMPLES, &max_samples);
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &renderer->max_side);
    renderer->samples = opts->samples ? opts->samples : 4;
    if (renderer->samples > (uint32_t)max_samples) renderer->samples = (uint32_t)max_samples;
    snprintf(renderer->name, sizeof renderer->name, "%s, %s", (const char *)glGetString(GL_RENDERER),
             (const char *)glGetString(GL_VERSION));

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
        const GLuint buffers[] = { renderer->instance_buffer, renderer->debug_buffer, renderer->sort_buffer };
        glDeleteTextures(2, textures);
        glDeleteVertexArrays(3, arrays);
        glDeleteBuffers(3, buffers);
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
