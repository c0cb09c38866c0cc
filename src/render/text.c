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

float sn_label_width(const char *text, float size)
{
    float width = 0, advance;
    while (*text) {
        sni_glyph(next_code(&text), &advance);
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
        points[count++] = (sn_vec2){ at.x + (float)(strokes[0] - '0') * unit, at.y - (float)(strokes[1] - '0' - BASELINE) * unit };
    }
}

static void sketch_text(sni_sketch *sketch, const sn_label *label)
{
    float unit = label->size / CAPITAL, advance;
    sn_vec2 at = { label->x, label->y };
    if (label->align != SN_ALIGN_LEFT) at.x -= sn_label_width(label->text, label->size) * (label->align == SN_ALIGN_CENTER ? 0.5f : 1.0f);
    for (const char *text = label->text; *text; at.x += advance * unit) {
        const char *strokes = sni_glyph(next_code(&text), &advance);
        if (at.x < sketch->width && at.x > -label->size * 2 && strokes[0]) sketch_glyph(sketch, strokes, at, unit, label->color);
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
