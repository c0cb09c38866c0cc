#include "render/render.h"

#include <string.h>

enum { CAPITAL = 6, BASELINE = 2, MAX_POINTS = 32 };

// One character of valid UTF-8.
static uint32_t next_code(const char **text)
{
    const uint8_t *at = (const uint8_t *)*text;
    int more = *at < 0x80 ? 0 : *at < 0xe0 ? 1 : *at < 0xf0 ? 2 : 3;
    uint32_t code = more == 0 ? *at : *at & (0x3fu >> more);
    for (at++; more > 0 && (*at & 0xc0) == 0x80; more--) code = code << 6 | (*at++ & 0x3f);
    *text = (const char *)at;
    return code;
}

float sn_label_width(sn_renderer *renderer, const char *text, float size)
{
    float width = 0, advance;
    while (*text) {
        uint32_t code = next_code(&text);
        sni_letter_shape shape;
        if (code >= 0x80 && sni_letter_find(renderer, code, &shape)) advance = shape.advance * CAPITAL;
        else sni_glyph(code, &advance);
        width += advance;
    }
    return width > 0 ? (width - 2) * size / CAPITAL : 0;
}

static void sketch_glyph(sni_sketch *sketch, const char *strokes, sn_vec2 at, float unit, sn_vec4 color)
{
    sn_vec2 points[MAX_POINTS];
    uint32_t count = 0;
    float pen = fmaxf(unit * 0.85f, 1.0f);
    for (;; strokes += 2) {
        if (*strokes == 0 || *strokes == ' ') {
            sni_sketch_stroke(sketch, points, count, pen, color);
            count = 0;
            if (*strokes == 0) return;
            strokes++;
        }
        points[count++] = (sn_vec2){ at.x + (float)(strokes[0] - '0') * unit,
                                     at.y - (float)(strokes[1] - '0' - BASELINE) * unit };
    }
}

// Answers how far it is to the next, in units.
static float sketch_letter(sni_sketch *sketch, uint32_t code, sn_vec2 at, const sn_label *label)
{
    float unit = label->size / CAPITAL, advance;
    sni_letter_shape shape;
    bool is_seen = at.x < sketch->width && at.x > -label->size * 2;
    if (code >= 0x80 && sni_letter_find(sketch->renderer, code, &shape)) {
        if (!is_seen || sni_letter_sketch(sketch, code, &shape, at, label->size, label->color))
            return shape.advance * CAPITAL;
    }
    const char *strokes = sni_glyph(code, &advance);
    if (is_seen && strokes[0]) sketch_glyph(sketch, strokes, at, unit, label->color);
    return advance;
}

static void sketch_text(sni_sketch *sketch, const sn_label *label)
{
    sn_vec2 at = { label->x, label->y };
    if (label->align != SN_ALIGN_LEFT)
        at.x -= sn_label_width(sketch->renderer, label->text, label->size) *
                (label->align == SN_ALIGN_CENTER ? 0.5f : 1.0f);
    for (const char *text = label->text; *text;) {
        uint32_t code = next_code(&text);
        at.x += sketch_letter(sketch, code, at, label) * label->size / CAPITAL;
    }
}

// With a shade behind it, so that it can be read on anything.
void sni_label_sketch(sni_sketch *sketch, const sn_label *label)
{
    sn_label shade = *label;
    shade.color = (sn_vec4){ 0, 0, 0, 0.6f * label->color.w };
    shade.x += fmaxf(label->size * 0.08f, 1);
    shade.y += fmaxf(label->size * 0.08f, 1);
    sketch_text(sketch, &shade);
    sketch_text(sketch, label);
}
