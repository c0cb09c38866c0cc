#include "render/render.h"

#include <dlfcn.h>
#include <epoxy/egl.h>
#include <stdarg.h>
#include <stdio.h>

#define PACKAGES "no OpenGL here: %s (Debian and Ubuntu: apt-get install libegl1 libgl1 libgl1-mesa-dri)"

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

// epoxy ends the process when a library is missing, so we look first.
static const char *missing_library(void)
{
    if (!has_library("libEGL.so.1")) return "libEGL.so.1 is missing";
    if (!has_library("libGL.so.1") && !has_library("libOpenGL.so.0")) return "libGL.so.1 is missing";
    return NULL;
}

// A display that needs no screen: Mesa's own, else whatever EGL has.
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

static EGLConfig choose_config(EGLDisplay display, EGLint kind)
{
    const EGLint wishes[] = { EGL_RENDERABLE_TYPE, kind, EGL_SURFACE_TYPE, EGL_DONT_CARE, EGL_NONE };
    EGLConfig config = NULL;
    EGLint count = 0;
    if (!eglChooseConfig(display, wishes, &config, 1, &count) || count == 0) return NULL;
    return config;
}

static EGLContext create_context(EGLDisplay display, bool is_es, bool debug)
{
    EGLConfig config = choose_config(display, is_es ? EGL_OPENGL_ES3_BIT : EGL_OPENGL_BIT);
    const EGLint core[] = { EGL_CONTEXT_MAJOR_VERSION,
                            3,
                            EGL_CONTEXT_MINOR_VERSION,
                            3,
                            EGL_CONTEXT_OPENGL_PROFILE_MASK,
                            EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                            EGL_CONTEXT_OPENGL_DEBUG,
                            debug,
                            EGL_NONE };
    const EGLint es[] = {
        EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 0, EGL_CONTEXT_OPENGL_DEBUG, debug, EGL_NONE
    };
    if (!config || !eglBindAPI(is_es ? EGL_OPENGL_ES_API : EGL_OPENGL_API)) return EGL_NO_CONTEXT;
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, is_es ? es : core);
    if (context == EGL_NO_CONTEXT) return context;
    if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) return context;
    eglDestroyContext(display, context);
    return EGL_NO_CONTEXT;
}

static bool take_current(bool *is_es, sn_error *error)
{
    *is_es = !epoxy_is_desktop_gl();
    int version = epoxy_gl_version();
    if (version >= (*is_es ? 30 : 33)) return true;
    return sni_render_fail(error, SN_ERR_UNSUPPORTED, "OpenGL %d.%d is too old: 3.3 or ES 3.0 is needed", version / 10,
                           version % 10);
}

bool sni_context_open(sni_context *context, const sn_render_opts *opts, bool *is_es, sn_error *error)
{
    *context = (sni_context){ 0 };
    if (opts->use_current) return take_current(is_es, error);
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

// The display stays: it is the process's, and other renderers may draw on it.
void sni_context_close(sni_context *context)
{
    if (!context->display) return;
    eglMakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(context->display, context->context);
    eglReleaseThread();
    *context = (sni_context){ 0 };
}
