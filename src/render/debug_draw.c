// Immediate drawing of lines, dots, triangles and rectangles over the picture.
#include "render/render.h"

sni_debug_draw sni_debug_begin(const sni_pass *pass)
{
    pass->renderer->debug_vertices.size = pass->renderer->glyph_vertices.size = 0;
    float width = (float)pass->frame->width, height = (float)pass->frame->height;
    return (sni_debug_draw){ pass->renderer, pass->clip, width, height, fmaxf(fminf(width, height) / 1200, 1) };
}

static uint8_t byte_of(float part) { return (uint8_t)(fminf(fmaxf(part, 0), 1) * 255 + 0.5f); }

static void put(sni_debug_draw *draw, sn_vec4 clip, sn_vec4 color)
{
    sni_debug_vertex vertex = { clip, { byte_of(color.x), byte_of(color.y), byte_of(color.z), byte_of(color.w) } };
    sni_write_bytes(&draw->renderer->debug_vertices, &vertex, sizeof vertex);
}

void sni_debug_triangle(sni_debug_draw *draw, sn_vec3 a, sn_vec3 b, sn_vec3 c, sn_vec4 color)
{
    put(draw, sni_mat44_point(&draw->clip, a), color);
    put(draw, sni_mat44_point(&draw->clip, b), color);
    put(draw, sni_mat44_point(&draw->clip, c), color);
}

static void put_quad(sni_debug_draw *draw, const sn_vec4 corners[4], sn_vec4 color)
{
    static const int order[6] = { 0, 1, 2, 2, 1, 3 };
    for (int i = 0; i < 6; i++) put(draw, corners[order[i]], color);
}

static sn_vec4 lerp(sn_vec4 a, sn_vec4 b, float part)
{
    return (sn_vec4){ sni_lerp(a.x, b.x, part), sni_lerp(a.y, b.y, part), sni_lerp(a.z, b.z, part),
                      sni_lerp(a.w, b.w, part) };
}

// Clips a line at the camera plane. False: it is behind the camera.
static bool clip_line(sn_vec4 *a, sn_vec4 *b)
{
    const float nearest = 1e-5f;
    if (a->w < nearest && b->w < nearest) return false;
    if (a->w < nearest) *a = lerp(*a, *b, (nearest - a->w) / (b->w - a->w));
    if (b->w < nearest) *b = lerp(*b, *a, (nearest - b->w) / (a->w - b->w));
    return true;
}

static sn_vec4 shifted(sn_vec4 at, float x, float y)
{
    return (sn_vec4){ at.x + x * at.w, at.y + y * at.w, at.z, at.w };
}

static void put_line(sni_debug_draw *draw, sn_vec4 a, sn_vec4 b, float pixels, sn_vec4 color)
{
    float x = (b.x / b.w - a.x / a.w) * draw->width, y = (b.y / b.w - a.y / a.w) * draw->height, size = hypotf(x, y);
    if (!(size > 0)) return;
    float across_x = -y / size * pixels / draw->width, across_y = x / size * pixels / draw->height;
    const sn_vec4 corners[4] = { shifted(a, across_x, across_y), shifted(a, -across_x, -across_y),
                                 shifted(b, across_x, across_y), shifted(b, -across_x, -across_y) };
    put_quad(draw, corners, color);
}

void sni_debug_line(sni_debug_draw *draw, sn_vec3 from, sn_vec3 to, float pixels, sn_vec4 color)
{
    sn_vec4 a = sni_mat44_point(&draw->clip, from), b = sni_mat44_point(&draw->clip, to);
    if (clip_line(&a, &b)) put_line(draw, a, b, pixels * draw->scale, color);
}

static void put_dot(sni_debug_draw *draw, sn_vec4 at, float pixels, sn_vec4 color)
{
    enum { SIDES = 10 };
    for (int i = 0; i < SIDES; i++) {
        float a = (float)i * 6.2831853f / SIDES, b = (float)(i + 1) * 6.2831853f / SIDES;
        float wide = pixels / draw->width, high = pixels / draw->height;
        put(draw, at, color);
        put(draw, shifted(at, wide * cosf(a), high * sinf(a)), color);
        put(draw, shifted(at, wide * cosf(b), high * sinf(b)), color);
    }
}

void sni_debug_dot(sni_debug_draw *draw, sn_vec3 at, float pixels, sn_vec4 color)
{
    sn_vec4 clip = sni_mat44_point(&draw->clip, at);
    if (clip.w > 1e-5f) put_dot(draw, clip, pixels, color);
}

static sn_vec4 clip_position(const sni_debug_draw *draw, sn_vec2 pixel)
{
    return (sn_vec4){ pixel.x / draw->width * 2 - 1, 1 - pixel.y / draw->height * 2, -1, 1 };
}

// Half a pen width longer at both ends; a point becomes a square.
static void put_thin_line(sni_debug_draw *draw, sn_vec2 a, sn_vec2 b, float pixels, sn_vec4 color)
{
    float x = b.x - a.x, y = b.y - a.y, size = hypotf(x, y), half = pixels / 2;
    x = size > 0 ? x / size * half : half, y = size > 0 ? y / size * half : 0;
    put_line(draw, clip_position(draw, (sn_vec2){ a.x - x, a.y - y }),
             clip_position(draw, (sn_vec2){ b.x + x, b.y + y }), pixels, color);
}

// Round ends cost most of the triangles of a text and are invisible with a thin pen.
void sni_debug_stroke(sni_debug_draw *draw, const sn_vec2 *points, uint32_t count, float pixels, sn_vec4 color)
{
    const float thin = 2.5f;
    for (uint32_t i = count > 1; i < count && pixels < thin; i++)
        put_thin_line(draw, points[i > 0 ? i - 1 : 0], points[i], pixels, color);
    for (uint32_t i = 0; i < count && pixels >= thin; i++) {
        sn_vec4 at = clip_position(draw, points[i]);
        put_dot(draw, at, pixels, color);
        if (i > 0) put_line(draw, clip_position(draw, points[i - 1]), at, pixels, color);
    }
}

// The nearest tenth of the depth range is reserved for overlays over the models.
static void set_state(sni_debug_depth depth)
{
    glEnable(GL_BLEND);
    glBlendEquation(GL_FUNC_ADD);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glDisable(GL_CULL_FACE);
    glDepthMask(depth == SNI_OVER_MODELS);
    glDepthFunc(depth == SNI_ON_TOP ? GL_ALWAYS : GL_LEQUAL);
    glDepthRangef(0, depth == SNI_OVER_MODELS ? 0.1f : 1.0f);
}

// Draws what was put before, then the image.
static bool draw_image(sni_debug_draw *draw, const sn_rect *rect)
{
    const sni_program *program = sni_debug_flush(draw, SNI_ON_TOP) ? sni_program_for(draw->renderer, SNI_IMAGE_RECT)
                                                                   : NULL;
    if (!program) return false;
    sn_vec4 low = clip_position(draw, (sn_vec2){ rect->x, rect->y + rect->height }),
            high = clip_position(draw, (sn_vec2){ rect->x + rect->width, rect->y });
    glBindVertexArray(draw->renderer->empty_array);
    glUseProgram(program->id);
    glUniform4f(program->at[SNI_U_BOX], low.x, low.y, high.x, high.y);
    glUniform4fv(program->at[SNI_U_BASE], 1, &rect->color.x);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, sni_image_texture(rect->image));
    glBindSampler(0, 0);
    set_state(SNI_ON_TOP);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    return true;
}

bool sni_debug_rect(sni_debug_draw *draw, const sn_rect *rect)
{
    if (rect->image) return draw_image(draw, rect);
    const float right = rect->x + rect->width, bottom = rect->y + rect->height;
    const sn_vec2 at[4] = { { rect->x, rect->y }, { right, rect->y }, { rect->x, bottom }, { right, bottom } };
    sn_vec4 corners[4];
    for (int i = 0; i < 4; i++) corners[i] = clip_position(draw, at[i]);
    put_quad(draw, corners, rect->color);
    return true;
}

bool sni_debug_project(const sni_debug_draw *draw, sn_vec3 at, sn_vec2 *pixel)
{
    sn_vec4 clip = sni_mat44_point(&draw->clip, at);
    if (!(clip.w > 1e-5f)) return false;
    *pixel = (sn_vec2){ (clip.x / clip.w + 1) * 0.5f * draw->width, (1 - clip.y / clip.w) * 0.5f * draw->height };
    return fabsf(pixel->x) < 1e6f && fabsf(pixel->y) < 1e6f;
}

static void bind_vertices(sn_renderer *renderer)
{
    if (!renderer->debug_array) glGenVertexArrays(1, &renderer->debug_array);
    if (!renderer->debug_buffer) glGenBuffers(1, &renderer->debug_buffer);
    glBindVertexArray(renderer->debug_array);
    glBindBuffer(GL_ARRAY_BUFFER, renderer->debug_buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)renderer->debug_vertices.size, renderer->debug_vertices.data,
                 GL_STREAM_DRAW);
    glVertexAttribPointer(SNI_AT_POSITION, 4, GL_FLOAT, GL_FALSE, sizeof(sni_debug_vertex), NULL);
    glVertexAttribPointer(SNI_AT_COLOR, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(sni_debug_vertex),
                          (const void *)offsetof(sni_debug_vertex, rgba));
    glEnableVertexAttribArray(SNI_AT_POSITION);
    glEnableVertexAttribArray(SNI_AT_COLOR);
}

bool sni_debug_flush(sni_debug_draw *draw, sni_debug_depth depth)
{
    sn_renderer *renderer = draw->renderer;
    size_t count = renderer->debug_vertices.size / sizeof(sni_debug_vertex);
    const sni_program *program = sni_program_for(renderer, SNI_DEBUG_DRAW);
    if (!program || renderer->debug_vertices.failed || renderer->glyph_vertices.failed) return false;
    if (count == 0 && renderer->glyph_vertices.size == 0) return true;
    bind_vertices(renderer);
    glUseProgram(program->id);
    set_state(depth);
    if (count > 0) glDrawArrays(GL_TRIANGLES, 0, (GLsizei)count);
    renderer->debug_vertices.size = 0;
    bool is_good = sni_glyphs_flush(renderer);
    glDepthRangef(0, 1);
    return is_good;
}
