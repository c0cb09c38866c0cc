// WebGL 2 through emscripten. The page's script makes a context and makes it current, with or without
// sn_render_opts.use_current: in a worker there is no canvas that could be found by a name.
#include "render/render.h"

#include <emscripten/html5.h>

bool sni_context_open(sni_context *context, const sn_render_opts *opts, bool *is_es, sn_error *error)
{
    *context = (sni_context){ 0 };
    *is_es = true;
    (void)opts;
    return emscripten_webgl_get_current_context() != 0 ||
           sni_render_fail(error, SN_ERR_UNSUPPORTED, "no WebGL 2 context is current");
}

bool sni_context_use(const sni_context *context)
{
    (void)context;
    return true;
}

void sni_context_close(sni_context *context) { (void)context; }

GLuint sni_context_multisample_texture(uint32_t samples, uint32_t width, uint32_t height)
{
    (void)samples, (void)width, (void)height;
    return 0;  // WebGL 2 has multisampled renderbuffers only
}

// WebGL prints its errors to the console of the browser.
void sni_context_report_errors(sn_renderer *renderer) { (void)renderer; }

uint32_t sni_context_sample_positions(sn_vec2 *positions, uint32_t most)
{
    (void)positions, (void)most;
    return 0;
}

bool sni_context_pin(GLuint buffer, const void *data, size_t size)
{
    (void)buffer, (void)data, (void)size;
    return false;
}
