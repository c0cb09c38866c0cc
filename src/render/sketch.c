#include "render/render.h"

sni_sketch sni_sketch_begin(const sni_pass *pass)
{
    pass->renderer->sketch.size = pass->renderer->letter_vertices.size = 0;
    float width = (float)pass->frame->width, height = (float)pass->frame->height;
    return (sni_sketch){ pass->renderer, pass->clip, width, height, fmaxf(fminf(width, height) / 1200, 1) };
}

static uint8_t byte_of(float part) { return (uint8_t)(fminf(fmaxf(part, 0), 1) * 255 + 0.5f); }

static void put(sni_sketch *sketch, sn_vec4 clip, sn_vec4 color)
{
    sni_sketch_vertex vertex = { clip, { byte_of(color.x), byte_of(color.y), byte_of(color.z), byte_of(color.w) } };
    sni_write_bytes(&sketch->renderer->sketch, &vertex, sizeof vertex);
}

void sni_sketch_triangle(sni_sketch *sketch, sn_vec3 a, sn_vec3 b, sn_vec3 c, sn_vec4 color)
{
    put(sketch, sni_mat44_point(&sketch->clip, a), color);
    put(sketch, sni_mat44_point(&sketch->clip, b), color);
    put(sketch, sni_mat44_point(&sketch->clip, c), color);
}

static void put_quad(sni_sketch *sketch, const sn_vec4 corners[4], sn_vec4 color)
{
    static const int order[6] = { 0, 1, 2, 2, 1, 3 };
    for (int i = 0; i < 6; i++) put(sketch, corners[order[i]], color);
}

static sn_vec4 mixed(sn_vec4 a, sn_vec4 b, float part)
{
    return (sn_vec4){ sni_lerp(a.x, b.x, part), sni_lerp(a.y, b.y, part), sni_lerp(a.z, b.z, part),
                      sni_lerp(a.w, b.w, part) };
}

// What is behind the eye has no place in the picture: a line is cut where it comes near.
static bool cut(sn_vec4 *a, sn_vec4 *b)
{
    const float nearest = 1e-5f;
    if (a->w < nearest && b->w < nearest) return false;
    if (a->w < nearest) *a = mixed(*a, *b, (nearest - a->w) / (b->w - a->w));
    if (b->w < nearest) *b = mixed(*b, *a, (nearest - b->w) / (a->w - b->w));
    return true;
}

static sn_vec4 shifted(sn_vec4 at, float x, float y)
{
    return (sn_vec4){ at.x + x * at.w, at.y + y * at.w, at.z, at.w };
}

static void put_line(sni_sketch *sketch, sn_vec4 a, sn_vec4 b, float pixels, sn_vec4 color)
{
    float x = (b.x / b.w - a.x / a.w) * sketch->width, y = (b.y / b.w - a.y / a.w) * sketch->height,
          size = hypotf(x, y);
    if (!(size > 0)) return;
    float across_x = -y / size * pixels / sketch->width, across_y = x / size * pixels / sketch->height;
    const sn_vec4 corners[4] = { shifted(a, across_x, across_y), shifted(a, -across_x, -across_y),
                                 shifted(b, across_x, across_y), shifted(b, -across_x, -across_y) };
    put_quad(sketch, corners, color);
}

void sni_sketch_line(sni_sketch *sketch, sn_vec3 from, sn_vec3 to, float pixels, sn_vec4 color)
{
    sn_vec4 a = sni_mat44_point(&sketch->clip, from), b = sni_mat44_point(&sketch->clip, to);
    if (cut(&a, &b)) put_line(sketch, a, b, pixels * sketch->scale, color);
}

static void put_dot(sni_sketch *sketch, sn_vec4 at, float pixels, sn_vec4 color)
{
    enum { SIDES = 10 };
    for (int i = 0; i < SIDES; i++) {
        float a = (float)i * 6.2831853f / SIDES, b = (float)(i + 1) * 6.2831853f / SIDES;
        float wide = pixels / sketch->width, high = pixels / sketch->height;
        put(sketch, at, color);
        put(sketch, shifted(at, wide * cosf(a), high * sinf(a)), color);
        put(sketch, shifted(at, wide * cosf(b), high * sinf(b)), color);
    }
}

void sni_sketch_dot(sni_sketch *sketch, sn_vec3 at, float pixels, sn_vec4 color)
{
    sn_vec4 clip = sni_mat44_point(&sketch->clip, at);
    if (clip.w > 1e-5f) put_dot(sketch, clip, pixels, color);
}

static sn_vec4 on_picture(const sni_sketch *sketch, sn_vec2 pixel)
{
    return (sn_vec4){ pixel.x / sketch->width * 2 - 1, 1 - pixel.y / sketch->height * 2, -1, 1 };
}

// Half a pen farther at both ends; a point becomes a square.
static void put_thin(sni_sketch *sketch, sn_vec2 a, sn_vec2 b, float pixels, sn_vec4 color)
{
    float x = b.x - a.x, y = b.y - a.y, size = hypotf(x, y), half = pixels / 2;
    x = size > 0 ? x / size * half : half, y = size > 0 ? y / size * half : 0;
    put_line(sketch, on_picture(sketch, (sn_vec2){ a.x - x, a.y - y }),
             on_picture(sketch, (sn_vec2){ b.x + x, b.y + y }), pixels, color);
}

// Round ends take most of the triangles of a text; of a thin pen nobody sees them.
void sni_sketch_stroke(sni_sketch *sketch, const sn_vec2 *points, uint32_t count, float pixels, sn_vec4 color)
{
    const float thin = 2.5f;
    for (uint32_t i = count > 1; i < count && pixels < thin; i++)
        put_thin(sketch, points[i > 0 ? i - 1 : 0], points[i], pixels, color);
    for (uint32_t i = 0; i < count && pixels >= thin; i++) {
        sn_vec4 at = on_picture(sketch, points[i]);
        put_dot(sketch, at, pixels, color);
        if (i > 0) put_line(sketch, on_picture(sketch, points[i - 1]), at, pixels, color);
    }
}

void sni_sketch_rect(sni_sketch *sketch, const sn_rect *rect)
{
    const float right = rect->x + rect->width, bottom = rect->y + rect->height;
    const sn_vec2 at[4] = { { rect->x, rect->y }, { right, rect->y }, { rect->x, bottom }, { right, bottom } };
    sn_vec4 corners[4];
    for (int i = 0; i < 4; i++) corners[i] = on_picture(sketch, at[i]);
    put_quad(sketch, corners, rect->color);
}

bool sni_sketch_place(const sni_sketch *sketch, sn_vec3 at, sn_vec2 *pixel)
{
    sn_vec4 clip = sni_mat44_point(&sketch->clip, at);
    if (!(clip.w > 1e-5f)) return false;
    *pixel = (sn_vec2){ (clip.x / clip.w + 1) * 0.5f * sketch->width, (1 - clip.y / clip.w) * 0.5f * sketch->height };
    return fabsf(pixel->x) < 1e6f && fabsf(pixel->y) < 1e6f;
}

static void bind(sn_renderer *renderer)
{
    if (!renderer->sketch_array) glGenVertexArrays(1, &renderer->sketch_array);
    if (!renderer->sketch_buffer) glGenBuffers(1, &renderer->sketch_buffer);
    glBindVertexArray(renderer->sketch_array);
    glBindBuffer(GL_ARRAY_BUFFER, renderer->sketch_buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)renderer->sketch.size, renderer->sketch.data, GL_STREAM_DRAW);
    glVertexAttribPointer(SNI_AT_POSITION, 4, GL_FLOAT, GL_FALSE, sizeof(sni_sketch_vertex), NULL);
    glVertexAttribPointer(SNI_AT_COLOR, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(sni_sketch_vertex),
                          (const void *)offsetof(sni_sketch_vertex, rgba));
    glEnableVertexAttribArray(SNI_AT_POSITION);
    glEnableVertexAttribArray(SNI_AT_COLOR);
}

// The nearest tenth of the depth is kept for what is drawn over the models.
bool sni_sketch_end(sni_sketch *sketch, sni_layering where)
{
    sn_renderer *renderer = sketch->renderer;
    size_t count = renderer->sketch.size / sizeof(sni_sketch_vertex);
    const sni_program *program = sni_program_for(renderer, SNI_SKETCH);
    if (!program || renderer->sketch.failed || renderer->letter_vertices.failed) return false;
    if (count == 0 && renderer->letter_vertices.size == 0) return true;
    bind(renderer);
    glUseProgram(program->id);
    glEnable(GL_BLEND);
    glBlendEquation(GL_FUNC_ADD);
    glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    glDisable(GL_CULL_FACE);
    glDepthMask(where == SNI_IN_FRONT);
    glDepthFunc(where == SNI_ON_TOP ? GL_ALWAYS : GL_LEQUAL);
    glDepthRangef(0, where == SNI_IN_FRONT ? 0.1f : 1.0f);
    if (count > 0) glDrawArrays(GL_TRIANGLES, 0, (GLsizei)count);
    renderer->sketch.size = 0;
    bool is_good = sni_letters_draw(renderer);
    glDepthRangef(0, 1);
    return is_good;
}
