#include "render/render.h"

static const sn_vec3 key_in_view = { -0.45f, 0.75f, 0.55f };  // right, up, back of the viewer

// Over the viewer's left shoulder, and always from above.
sn_vec3 sni_key_light(const sn_view *view)
{
    sn_vec3 level = sni_unit(sni_vec3(view->back.x, 0, view->back.z),
                             sni_unit(sni_vec3(-view->up.x, 0, -view->up.z), sni_vec3(0, 0, 1)));
    sn_vec3 key = sni_add(sni_scale(view->right, key_in_view.x), sni_scale(level, key_in_view.z));
    key.y += key_in_view.y;
    return sni_unit(key, sni_vec3(0, 1, 0));
}

static void begin(const sni_pass *pass)
{
    const sn_frame *frame = pass->frame;
    sn_vec4 c = frame->background;
    glBindFramebuffer(GL_FRAMEBUFFER, pass->renderer->target.many);
    glViewport(0, 0, (GLsizei)frame->width, (GLsizei)frame->height);
    glClearColor(c.x * c.w, c.y * c.w, c.z * c.w, c.w);
    glDepthMask(GL_TRUE);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    if (!pass->renderer->is_es) glEnable(GL_PROGRAM_POINT_SIZE);
    glVertexAttrib4f(SNI_AT_COLOR, 1, 1, 1, 1);
    for (GLuint i = 0; i < SN_MAP_COUNT; i++) glVertexAttrib2f(SNI_AT_UV + i, 0, 0);
}

static bool end(sn_renderer *renderer)
{
    bool is_good = sni_target_resolve(renderer);
    glBindVertexArray(0);
    glUseProgram(0);
    for (GLuint i = 0; i < SN_MAP_COUNT; i++) glBindSampler(i, 0);
    return is_good;
}

static bool draw_wires(const sni_pass *pass)
{
    const sn_renderer *renderer = pass->renderer;
    bool is_good = true;
    glEnable(GL_BLEND);
    glBlendEquation(GL_FUNC_ADD);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glDepthMask(GL_FALSE);
    glDepthFunc(GL_LEQUAL);
    for (uint32_t i = 0; i < sni_job_count(renderer) && is_good; i++)
        if (sni_jobs(renderer)[i].is_seen) is_good = sni_draw_wire(pass, &sni_jobs(renderer)[i]);
    return is_good;
}

// What is behind lines is drawn a little farther away, so that the lines lie on it.
static bool draw_scene(const sni_pass *pass)
{
    uint32_t show = pass->frame->show;
    if (show & SN_SHOW_WIRE) {
        glEnable(GL_POLYGON_OFFSET_FILL);
        glPolygonOffset(1, 1);
    }
    bool is_good = sni_draw_jobs(pass, false);
    glDisable(GL_POLYGON_OFFSET_FILL);
    if (is_good && (show & (SN_SHOW_GRID | SN_SHOW_SHADOW))) is_good = sni_ground_draw(pass);
    if (is_good) is_good = sni_draw_jobs(pass, true);
    if (is_good && (show & SN_SHOW_WIRE)) is_good = draw_wires(pass);
    return is_good && sni_overlays_draw(pass);
}

// What has its size or its strength from the stage.
static const uint32_t needs_stage = SN_SHOW_GRID | SN_SHOW_SHADOW | SN_SHOW_SKELETON | SN_SHOW_AXES |
                                    SN_SHOW_ATTACHMENTS | SN_SHOW_NORMALS | SN_SHOW_LIGHTS | SN_SHOW_CHOICE;

static bool draw_all(sni_pass *pass)
{
    uint32_t show = pass->frame->show;
    if (show & needs_stage) pass->stage = sni_stage_of(pass->frame);
    if (show & SN_SHOW_LIGHTS) sni_lights_find(pass);
    bool is_good = !(show & SN_SHOW_SHADOW) || !(pass->stage.radius > 0) || sni_shadow_draw(pass);
    begin(pass);
    is_good = is_good && draw_scene(pass);
    return end(pass->renderer) && is_good;
}

sn_status sn_render_draw(sn_renderer *renderer, const sn_frame *frame, sn_error *error)
{
    sn_error unwanted;
    if (!error) error = &unwanted;
    *error = (sn_error){ .status = SN_OK };
    sni_renderer_forgive(renderer);
    if (!sni_context_use(&renderer->context)) sni_render_fail(error, SN_ERR_UNSUPPORTED, "the OpenGL context is lost");
    else if (sni_target_fit(renderer, frame->width, frame->height, error)) {
        sni_pass pass = {
            .renderer = renderer, .frame = frame, .stage = frame->stage, .key = sni_key_light(&frame->eye.view)
        };
        pass.clip = sni_eye_clip(&frame->eye, (float)frame->width / (float)frame->height);
        bool is_good = sni_queue_make(&pass);
        if (!is_good) sni_render_fail(error, SN_ERR_MEMORY, "no memory for a frame of this size");
        else is_good = draw_all(&pass);
        if (sni_failed(&renderer->diag)) *error = renderer->diag.error;
        else if (!is_good && error->status == SN_OK)
            sni_render_fail(error, SN_ERR_UNSUPPORTED, "the driver refuses a shader: %.120s", renderer->message);
        else if (renderer->error_count > 0)
            sni_render_fail(error, SN_ERR_UNSUPPORTED, "OpenGL: %.150s", renderer->message);
        renderer->error_count = 0;  // also of what went wrong between two frames
    }
    return error->status;
}

// Colours come multiplied by their alpha; a picture has them whole.
static void straighten(uint8_t *rgba, size_t count)
{
    for (size_t i = 0; i < count; i++, rgba += 4) {
        uint32_t alpha = rgba[3];
        if (alpha == 255 || alpha == 0) continue;
        for (int c = 0; c < 3; c++) {
            uint32_t whole = (rgba[c] * 255u + alpha / 2) / alpha;
            rgba[c] = (uint8_t)(whole > 255 ? 255 : whole);
        }
    }
}

// OpenGL's rows start at the bottom, unless our own program resolved them.
static void turn_over(sn_pixels *pixels)
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
                        count > 0 ? "out of memory" : "nothing was drawn yet");
        return count > 0 ? SN_ERR_MEMORY : SN_ERR_UNSUPPORTED;
    }
    sni_context_use(&renderer->context);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, target->one);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(0, 0, (GLsizei)target->width, (GLsizei)target->height, GL_RGBA, GL_UNSIGNED_BYTE, pixels->rgba);
    if (!target->many_texture) turn_over(pixels);
    straighten(pixels->rgba, count);
    return SN_OK;
}

void sn_render_show(sn_renderer *renderer, uint32_t framebuffer)
{
    GLint width = (GLint)renderer->target.width, height = (GLint)renderer->target.height;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, renderer->target.one);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer);
    bool is_turned = renderer->target.many_texture != 0;
    glBlitFramebuffer(0, 0, width, height, 0, is_turned ? height : 0, width, is_turned ? 0 : height,
                      GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
}
