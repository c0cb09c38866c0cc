#include "render/render.h"

#include <stdio.h>
#include <string.h>

static void APIENTRY note_message(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei size,
                                  const GLchar *text, const void *user)
{
    sn_renderer *renderer = (sn_renderer *)(uintptr_t)user;
    (void)source, (void)id, (void)severity, (void)size;
    if (type != GL_DEBUG_TYPE_ERROR && type != GL_DEBUG_TYPE_UNDEFINED_BEHAVIOR) return;
    if (renderer->error_count++ == 0) snprintf(renderer->message, sizeof renderer->message, "%s", text);
}

static void listen(sn_renderer *renderer)
{
    if (!renderer->opts.debug || !epoxy_has_gl_extension("GL_KHR_debug")) return;
    glEnable(GL_DEBUG_OUTPUT);
    glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    glDebugMessageCallback(note_message, renderer);
}

static void learn(sn_renderer *renderer)
{
    GLint most = 0;
    glGetIntegerv(GL_MAX_SAMPLES, &most);
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &renderer->max_side);
    renderer->samples = renderer->opts.samples ? renderer->opts.samples : 4;
    if (renderer->samples > (uint32_t)most) renderer->samples = (uint32_t)most;
    snprintf(renderer->name, sizeof renderer->name, "%s, %s", (const char *)glGetString(GL_RENDERER),
             (const char *)glGetString(GL_VERSION));
}

static void make_objects(sn_renderer *renderer)
{
    glGenBuffers(1, &renderer->instance_buffer);
    glGenVertexArrays(1, &renderer->empty_array);
    renderer->grey = sni_texture_plain(190, 188, 184);
}

enum { WRITERS = 6 };

static sni_writer *writer_of(sn_renderer *renderer, int index)
{
    sni_writer *const writers[WRITERS] = { &renderer->programs, &renderer->state,  &renderer->instances,
                                           &renderer->jobs,     &renderer->sketch, &renderer->letter_vertices };
    return writers[index];
}

// What ran out of memory in the frame before may find some in this one.
void sni_renderer_forgive(sn_renderer *renderer)
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
    listen(renderer);
    learn(renderer);
    make_objects(renderer);
    if (strstr(sn_renderer_name(renderer), "llvmpipe")) sni_spread_threads(&renderer->heap);
    return renderer;
}

static void free_objects(sn_renderer *renderer)
{
    const GLuint textures[] = { renderer->grey, renderer->state_texture };
    glDeleteTextures(2, textures);
    glDeleteBuffers(1, &renderer->instance_buffer);
    const GLuint arrays[] = { renderer->empty_array, renderer->sketch_array, renderer->letter_array };
    glDeleteVertexArrays(3, arrays);
    const GLuint buffers[] = { renderer->sketch_buffer, renderer->order_buffer };
    glDeleteBuffers(2, buffers);
    sni_letters_free_texture(renderer);
    sni_shadow_free(renderer);
    glDeleteSamplers(sizeof renderer->samplers / sizeof(GLuint), &renderer->samplers[0][0][0][0]);
    sni_programs_free(renderer);
    sni_target_free(renderer);
}

void sn_renderer_free(sn_renderer *renderer)
{
    if (!renderer) return;
    if (sni_context_use(&renderer->context)) free_objects(renderer);
    for (int i = 0; i < WRITERS; i++) sni_writer_free(writer_of(renderer, i));
    sni_letters_free(renderer);
    sni_context_close(&renderer->context);
    sni_heap heap = renderer->heap;
    heap.diag = NULL;
    sni_heap_free(&heap, renderer, sizeof *renderer);
}

const char *sn_renderer_name(const sn_renderer *renderer) { return renderer->name; }
