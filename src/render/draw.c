// sn_render_draw: the passes of a frame, and the draw calls of a batch. Reading the finished picture.
#include "render/render.h"

#include <time.h>

static void bind_data(GLenum unit, GLuint texture)
{
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(GL_TEXTURE_2D, texture);
}

static void bind_instances(const sn_renderer *renderer, uint32_t first)
{
    size_t at = first * sizeof(sni_instance);
    glBindBuffer(GL_ARRAY_BUFFER, renderer->instance_buffer);
    glVertexAttribIPointer(SNI_AT_INSTANCE, 4, GL_INT, sizeof(sni_instance), (const void *)at);
    glVertexAttribPointer(SNI_AT_TINT, 4, GL_FLOAT, GL_FALSE, sizeof(sni_instance),
                          (const void *)(at + offsetof(sni_instance, color)));
    for (GLuint i = SNI_AT_INSTANCE; i <= SNI_AT_TINT; i++) {
        glEnableVertexAttribArray(i);
        glVertexAttribDivisor(i, 1);
    }
}

static void set_view(const sni_pass *pass, const sni_program *program)
{
    const sn_view *view = &pass->frame->camera.view;
    const sn_vec3 axes[3] = { view->right, view->up, view->back };
    glUniformMatrix4fv(program->at[SNI_U_CLIP], 1, GL_FALSE, pass->clip.m);
    glUniform3fv(program->at[SNI_U_EYE], 1, &view->position.x);
    glUniform3fv(program->at[SNI_U_KEY], 1, &pass->key.x);
    glUniformMatrix3fv(program->at[SNI_U_VIEW_AXES], 1, GL_FALSE, &axes[0].x);
}

static GLenum mode_of(sn_topology topology)
{
    return topology == SN_POINTS ? GL_POINTS : topology == SN_LINES ? GL_LINES : GL_TRIANGLES;
}

static const sn_mesh *prepare(const sni_pass *pass, const sni_program *program, const sni_batch *batch)
{
    const sn_drawable *drawable = batch->actor->drawable;
    int32_t index = drawable->model->parts[batch->part].mesh;
    const sn_mesh *mesh = &drawable->model->meshes[index];
    const sni_gpu_mesh *gpu = &drawable->meshes[index];
    set_view(pass, program);
    bind_instances(pass->renderer, batch->first);
    bind_data(SNI_UNIT_STATE, pass->renderer->state_texture);
    bind_data(SNI_UNIT_INFLUENCES, gpu->influences);
    bind_data(SNI_UNIT_MORPHS, gpu->morphs);
    glUniform3i(program->at[SNI_U_SHAPE], (GLint)mesh->influence_count, (GLint)gpu->morph_texels,
                (GLint)mesh->vertex_count);
    return mesh;
}

static bool is_cancelled(const sni_pass *pass)
{
    sn_renderer *renderer = pass->renderer;
    if (!renderer->is_cancelled && pass->frame->cancelled)
        renderer->is_cancelled = pass->frame->cancelled(pass->frame->user);
    return renderer->is_cancelled;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// Software drivers keep the vertices of all calls until they are done, so we wait for them now and then: llvmpipe's
// should fit in the cache. A frame that can be cancelled begins with as many triangles as may each cover the picture,
// then takes more while they are drawn fast.
enum { MOST_PENDING = 6 << 17, CACHED_PENDING = 6 << 13, FEWEST_PENDING = 6 << 5 };  // indices; whole lines, triangles
static const double most_covered_samples = 2.5e8, short_wait = 0.02, long_wait = 0.2;

static uint32_t most_pending(const sn_renderer *renderer)
{
    return renderer->is_llvmpipe ? CACHED_PENDING : MOST_PENDING;
}

static void begin_waiting(const sni_pass *pass)
{
    sn_renderer *renderer = pass->renderer;
    double samples = (double)pass->frame->width * pass->frame->height * (renderer->samples > 0 ? renderer->samples : 1);
    double most = most_covered_samples / samples / 2;
    renderer->is_cancelled = false;
    renderer->pending_indices = 0;
    renderer->most_pending = most_pending(renderer);
    renderer->waited_at = now();
    if (pass->frame->cancelled && most * 6 < renderer->most_pending)
        renderer->most_pending = most * 6 < FEWEST_PENDING ? FEWEST_PENDING : (uint32_t)most * 6;
}

static void wait_for_driver(const sni_pass *pass)
{
    sn_renderer *renderer = pass->renderer;
    glFinish();
    renderer->pending_indices = 0;
    if (!pass->frame->cancelled || is_cancelled(pass)) return;
    double time = now(), took = time - renderer->waited_at;
    renderer->waited_at = time;
    if (took < short_wait && renderer->most_pending <= most_pending(renderer) / 4) renderer->most_pending *= 4;
    if (took > long_wait && renderer->most_pending >= 2 * FEWEST_PENDING)
        renderer->most_pending /= 12, renderer->most_pending *= 6;
}

static void draw_instances(const sni_pass *pass, const sni_batch *batch, GLenum mode, uint32_t index_count)
{
    sn_renderer *renderer = pass->renderer;
    for (uint32_t done = 0, some; done < batch->count && index_count > 0; done += some) {
        uint32_t room = renderer->most_pending / index_count;
        some = room < 1 ? 1 : room < batch->count - done ? room : batch->count - done;
        if (done > 0) bind_instances(renderer, batch->first + done);
        for (uint32_t first = 0, count; first < index_count && !renderer->is_cancelled; first += count) {
            count = index_count - first;
            if (count > renderer->most_pending) count = renderer->most_pending;
            glDrawElementsInstanced(mode, (GLsizei)count, GL_UNSIGNED_INT, (const void *)(first * sizeof(uint32_t)),
                                    (GLsizei)some);
            renderer->pending_indices += (uint64_t)count * some;
            if (renderer->pending_indices >= renderer->most_pending) wait_for_driver(pass);
        }
    }
}

void sni_draw_batch(const sni_pass *pass, const sni_program *program, const sni_batch *batch)
{
    const sn_mesh *mesh = prepare(pass, program, batch);
    if (!sni_gpu_mesh_use_indices(batch->actor->drawable, batch->actor->drawable->model->parts[batch->part].mesh))
        return;
    draw_instances(pass, batch, mode_of(mesh->topology), mesh->index_count);
}

void sni_draw_sorted(const sni_pass *pass, const sni_program *program, const sni_batch *batch)
{
    const sn_mesh *mesh = prepare(pass, program, batch);
    draw_instances(pass, batch, GL_TRIANGLES, mesh->index_count / 3 * 3);
}

void sni_draw_kept(const sni_pass *pass, const sni_program *program, const sni_batch *batch)
{
    prepare(pass, program, batch);
    draw_instances(pass, batch, GL_TRIANGLES, pass->renderer->kept_count);
}

void sni_draw_edges(const sni_pass *pass, const sni_program *program, const sni_batch *batch)
{
    const sn_mesh *mesh = prepare(pass, program, batch);
    if (!sni_gpu_mesh_use_edges(batch->actor->drawable, batch->actor->drawable->model->parts[batch->part].mesh)) return;
    draw_instances(pass, batch, GL_LINES, mesh->index_count * 2);
}

static bool draw_batches(const sni_pass *pass, bool is_transparent)
{
    const sni_batch *batches = sni_batches(pass->renderer);
    for (uint32_t i = 0; i < sni_batch_count(pass->renderer); i++) {
        if (batches[i].is_transparent != is_transparent || !batches[i].is_visible) continue;
        if (is_cancelled(pass)) return true;
        if (!sni_draw_layers(pass, &batches[i])) return false;
    }
    return true;
}

static void begin_frame(sni_pass *pass)
{
    const sn_frame *frame = pass->frame;
    sn_vec4 c = frame->background;
    glBindFramebuffer(GL_FRAMEBUFFER, pass->renderer->target.msaa);
    glViewport(0, 0, (GLsizei)frame->width, (GLsizei)frame->height);
    sni_raster_find(pass, frame->width, frame->height);
    glClearColor(c.x * c.w, c.y * c.w, c.z * c.w, c.w);
    glDepthMask(GL_TRUE);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    if (!pass->renderer->is_es) glEnable(GL_PROGRAM_POINT_SIZE);
    glVertexAttrib4f(SNI_AT_COLOR, 1, 1, 1, 1);
    for (GLuint i = 0; i < SN_MAP_COUNT; i++) glVertexAttrib2f(SNI_AT_UV + i, 0, 0);
}

static bool draw_wireframe(const sni_pass *pass)
{
    const sn_renderer *renderer = pass->renderer;
    bool is_good = true;
    glEnable(GL_BLEND);
    glBlendEquation(GL_FUNC_ADD);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glDepthMask(GL_FALSE);
    glDepthFunc(GL_LEQUAL);
    for (uint32_t i = 0; i < sni_batch_count(renderer) && is_good; i++)
        if (sni_batches(renderer)[i].is_visible) is_good = sni_draw_wireframe(pass, &sni_batches(renderer)[i]);
    return is_good;
}

// The wireframe needs a depth offset on the surfaces, so that the lines are in front.
static bool draw_scene(const sni_pass *pass)
{
    uint32_t show = pass->frame->show;
    if (show & SN_SHOW_WIREFRAME) {
        glEnable(GL_POLYGON_OFFSET_FILL);
        glPolygonOffset(1, 1);
    }
    bool is_good = draw_batches(pass, false);
    glDisable(GL_POLYGON_OFFSET_FILL);
    if (is_good && (show & (SN_SHOW_GRID | SN_SHOW_SHADOW))) is_good = sni_ground_draw(pass);
    if (is_good) is_good = draw_batches(pass, true);
    if (is_good && (show & SN_SHOW_WIREFRAME)) is_good = draw_wireframe(pass);
    return is_good && sni_overlays_draw(pass);
}

// Options whose size or strength depends on the bounds of the scene.
static const uint32_t needs_scene = SN_SHOW_GRID | SN_SHOW_SHADOW | SN_SHOW_SKELETON | SN_SHOW_AXES |
                                    SN_SHOW_ATTACHMENTS | SN_SHOW_NORMALS | SN_SHOW_LIGHTS | SN_SHOW_SELECTION;

static bool draw_all(sni_pass *pass)
{
    uint32_t show = pass->frame->show;
    if (show & needs_scene) pass->scene = sni_scene_bounds(pass->frame);
    if (show & SN_SHOW_LIGHTS) sni_lights_find(pass);
    bool is_good = !(show & SN_SHOW_SHADOW) || !(pass->scene.radius > 0) || sni_shadow_draw(pass);
    begin_frame(pass);
    is_good = is_good && draw_scene(pass);
    is_good = sni_target_resolve(pass->renderer) && is_good;
    glBindVertexArray(0);
    glUseProgram(0);
    for (GLuint i = 0; i < SN_MAP_COUNT; i++) glBindSampler(i, 0);
    return is_good;
}

sn_status sn_render_draw(sn_renderer *renderer, const sn_frame *frame, sn_error *error)
{
    sn_error unwanted;
    if (!error) error = &unwanted;
    *error = (sn_error){ .status = SN_OK };
    sni_renderer_reset_errors(renderer);
    if (!sni_context_use(&renderer->context)) sni_render_fail(error, SN_ERR_UNSUPPORTED, "the OpenGL context is lost");
    else if (sni_target_fit(renderer, frame->width, frame->height, error)) {
        sni_pass pass = { .renderer = renderer,
                          .frame = frame,
                          .scene = frame->scene_bounds,
                          .key = sni_key_light(&frame->camera.view) };
        begin_waiting(&pass);
        pass.clip = sni_camera_clip(&frame->camera, (float)frame->width / (float)frame->height);
        bool is_good = sni_queue_make(&pass);
        if (!is_good) sni_render_fail(error, SN_ERR_MEMORY, "out of memory for this frame");
        else is_good = draw_all(&pass);
        if (sni_failed(&renderer->diag)) *error = renderer->diag.error;
        else if (renderer->is_cancelled) sni_render_fail(error, SN_ERR_CANCELLED, "cancelled");
        else if (!is_good && error->status == SN_OK)
            sni_render_fail(error, SN_ERR_UNSUPPORTED, "the driver rejects a shader: %.120s", renderer->message);
        else if (renderer->error_count > 0)
            sni_render_fail(error, SN_ERR_UNSUPPORTED, "OpenGL: %.150s", renderer->message);
        renderer->error_count = 0;  // includes errors between two frames
    }
    return error->status;
}

// The framebuffer has premultiplied alpha, pictures do not.
static void unpremultiply(uint8_t *rgba, size_t count)
{
    for (size_t i = 0; i < count; i++, rgba += 4) {
        uint32_t alpha = rgba[3];
        if (alpha == 255 || alpha == 0) continue;
        for (int c = 0; c < 3; c++) {
            uint32_t value = (rgba[c] * 255u + alpha / 2) / alpha;
            rgba[c] = (uint8_t)(value > 255 ? 255 : value);
        }
    }
}

// OpenGL's rows start at the bottom, unless the resolve shader has flipped them.
static void flip_rows(sn_pixels *pixels)
{
    size_t step = (size_t)pixels->width * 4;
    for (uint32_t y = 0; y < pixels->height / 2; y++) {
        uint8_t *top = pixels->rgba + y * step, *bottom = pixels->rgba + (pixels->height - 1 - y) * step;
        for (size_t i = 0; i < step; i++) {
            uint8_t byte = top[i];
            top[i] = bottom[i];
            bottom[i] = byte;
        }
    }
}

sn_status sn_render_read(sn_renderer *renderer, sn_pixels *pixels, sn_error *error)
{
    const sni_target *target = &renderer->target;
    sni_heap heap;
    size_t count = (size_t)target->width * target->height;
    *pixels = (sn_pixels){ .width = target->width, .height = target->height };
    sni_heap_init(&heap, &renderer->opts.allocator, UINT64_MAX);
    pixels->allocator = heap.allocator;
    if (count > 0) pixels->rgba = sni_heap_alloc(&heap, count * 4);
    if (!pixels->rgba) {
        *pixels = (sn_pixels){ 0 };
        sni_render_fail(error, count > 0 ? SN_ERR_MEMORY : SN_ERR_UNSUPPORTED,
                        count > 0 ? "out of memory" : "nothing has been drawn");
        return count > 0 ? SN_ERR_MEMORY : SN_ERR_UNSUPPORTED;
    }
    sni_context_use(&renderer->context);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, target->resolved);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(0, 0, (GLsizei)target->width, (GLsizei)target->height, GL_RGBA, GL_UNSIGNED_BYTE, pixels->rgba);
    if (!target->msaa_texture) flip_rows(pixels);
    unpremultiply(pixels->rgba, count);
    return SN_OK;
}

void sn_render_present(sn_renderer *renderer, uint32_t framebuffer)
{
    GLint width = (GLint)renderer->target.width, height = (GLint)renderer->target.height;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, renderer->target.resolved);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
    bool is_flipped = renderer->target.msaa_texture != 0;
    glBlitFramebuffer(0, 0, width, height, 0, is_flipped ? height : 0, width, is_flipped ? 0 : height,
                      GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
}
