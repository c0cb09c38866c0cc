// OpenGL contexts without a display, through EGL, and what OpenGL ES lacks.
#include "render/render.h"

#include <dlfcn.h>
#include <epoxy/egl.h>
#include <stdio.h>

#define PACKAGES "no OpenGL: %s (Debian and Ubuntu: apt-get install libegl1 libgl1 libgl1-mesa-dri)"

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

GLuint sni_context_multisample_texture(uint32_t samples, uint32_t width, uint32_t height)
{
    GLuint texture;
    glGenTextures(1, &texture);
    glActiveTexture(GL_TEXTURE0 + SNI_UNIT_UPLOAD);
    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, texture);
    glTexImage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, (GLsizei)samples, GL_RGBA8, (GLsizei)width, (GLsizei)height,
                            GL_TRUE);
    return texture;
}

uint32_t sni_context_sample_positions(sn_vec2 *positions, uint32_t most)
{
    GLint count = 0;
    glGetIntegerv(GL_SAMPLES, &count);
    if (count <= 0) positions[0] = (sn_vec2){ 0.5f, 0.5f };
    for (GLint i = 0; i < count && (uint32_t)count <= most; i++)
        glGetMultisamplefv(GL_SAMPLE_POSITION, (GLuint)i, &positions[i].x);
    return count <= 0 ? 1 : (uint32_t)count <= most ? (uint32_t)count : 0;
}

bool sni_context_pin(GLuint buffer, const void *data, size_t size)
{
    if (!epoxy_has_gl_extension("GL_AMD_pinned_memory")) return false;
    glBindBuffer(GL_EXTERNAL_VIRTUAL_MEMORY_BUFFER_AMD, buffer);
    glBufferData(GL_EXTERNAL_VIRTUAL_MEMORY_BUFFER_AMD, (GLsizeiptr)size, data, GL_STATIC_DRAW);
    glBindBuffer(GL_EXTERNAL_VIRTUAL_MEMORY_BUFFER_AMD, 0);
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

void sni_context_report_errors(sn_renderer *renderer)
{
    if (!epoxy_has_gl_extension("GL_KHR_debug")) return;
    glEnable(GL_DEBUG_OUTPUT);
    glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    glDebugMessageCallback(on_debug_message, renderer);
}
