// Labels: with a font where there is one, else ASCII characters as strokes.
#include "render/render.h"

#include <string.h>

// From ' ' to '~'. Each pair of digits is a point, x then y; a space lifts the pen. The baseline is 2, capitals reach
// 8, small letters 6, descenders 0.
static const char *const glyphs[] = {
    "",
    "0804 02",
    "0806 2826",
    "1812 3832 0646 0444",
    "473818070615354443321203 2921",
    "4802 0818160608 3444423234",
    "4216172837360403122244",
    "0806",
    "18070312",
    "08171302",
    "2723 0644 0446",
    "2723 0545",
    "1201",
    "0535",
    "02",
    "4802",
    "182837332212030718",
    "071812 0222",
    "07182837360232",
    "0718283736253433221203 1525",
    "22280434",
    "380805253433221203",
    "3728180703122233342505",
    "083812",
    "15060718283736251504031222333425",
    "0312223337281807061535",
    "05 02",
    "15 1201",
    "370533",
    "0636 0434",
    "073503",
    "07182837361514 12",
    "4332120307183847443436262434",
    "022842 1434",
    "02083847463505 3544433202",
    "4738180703123243",
    "02083847433202",
    "48080242 0535",
    "480802 0535",
    "47381807031232434525",
    "0802 4842 0545",
    "0802",
    "3833221203",
    "0802 4804 1542",
    "080242",
    "0208254842",
    "02084248",
    "183847433212030718",
    "02083847463505",
    "183847433212030718 2442",
    "02083847463505 2542",
    "473818070615354443321203",
    "0848 2822",
    "080312324348",
    "082248",
    "0812263248",
    "0842 4802",
    "082548 2522",
    "08480242",
    "18080212",
    "0842",
    "08181202",
    "062846",
    "0141",
    "0817",
    "3632 3526160503122233",
    "0802 0516263533221203",
    "3526160503122233",
    "3832 3526160503122233",
    "04343526160503122233",
    "281712 0626",
    "3631201001 3526160503122233",
    "0802 0516263532",
    "0602 08",
    "161100 18",
    "0802 3604 1532",
    "080312",
    "0602 05162522 25364542",
    "0602 0516263532",
    "162635332212030516",
    "0600 0516263533221203",
    "3630 3526160503122233",
    "0602 051626",
    "35261605142433221203",
    "181322 0626",
    "0603122233 3632",
    "062246",
    "0612253246",
    "0632 3602",
    "0622 4610",
    "06360232",
    "28171605141322",
    "0901",
    "08171625141302",
    "05162536",
};

static const char unknown[] = "0838320208";

enum { FIRST = ' ', COUNT = sizeof glyphs / sizeof *glyphs };

// The strokes of a character; a box if it is not ASCII.
static const char *find_strokes(uint32_t code, float *advance)
{
    const char *strokes = code - FIRST < COUNT ? glyphs[code - FIRST] : unknown;
    int wide = code == ' ' ? 1 : 0;
    for (const char *at = strokes; *at; at += *at == ' ' ? 1 : 2)
        if (*at != ' ' && *at - '0' > wide) wide = *at - '0';
    *advance = (float)wide + 2;
    return strokes;
}

enum { CAPITAL = 6, BASELINE = 2, MAX_POINTS = 32 };

// Decodes one character of valid UTF-8.
static uint32_t next_code(const char **text)
{
    const uint8_t *at = (const uint8_t *)*text;
    int more = *at < 0x80 ? 0 : *at < 0xe0 ? 1 : *at < 0xf0 ? 2 : 3;
    uint32_t code = more == 0 ? *at : *at & (0x3fu >> more);
    for (at++; more > 0 && (*at & 0xc0) == 0x80; more--) code = code << 6 | (*at++ & 0x3f);
    *text = (const char *)at;
    return code;
}

// Without the gap after the last character.
float sn_label_width(sn_renderer *renderer, const char *text, float size)
{
    float width = 0, advance, gap = 0;
    while (*text) {
        uint32_t code = next_code(&text);
        sni_glyph_shape shape;
        bool is_glyph = sni_glyph_find(renderer, code, &shape);
        if (is_glyph) advance = shape.advance * CAPITAL;
        else find_strokes(code, &advance);
        width += advance;
        gap = is_glyph ? 0.5f : 2;
    }
    return width > gap ? (width - gap) * size / CAPITAL : 0;
}

static void draw_strokes(sni_debug_draw *draw, const char *strokes, sn_vec2 at, float unit, sn_vec4 color)
{
    sn_vec2 points[MAX_POINTS];
    uint32_t count = 0;
    float pen = fmaxf(unit * 0.85f, 1.0f);
    for (;; strokes += 2) {
        if (*strokes == 0 || *strokes == ' ') {
            sni_debug_stroke(draw, points, count, pen, color);
            count = 0;
            if (*strokes == 0) return;
            strokes++;
        }
        points[count++] = (sn_vec2){ at.x + (float)(strokes[0] - '0') * unit,
                                     at.y - (float)(strokes[1] - '0' - BASELINE) * unit };
    }
}

// Returns the advance in units.
static float draw_character(sni_debug_draw *draw, uint32_t code, sn_vec2 at, const sn_label *label)
{
    float unit = label->size / CAPITAL, advance;
    sni_glyph_shape shape;
    bool is_visible = at.x < draw->width && at.x > -label->size * 2;
    if (sni_glyph_find(draw->renderer, code, &shape)) {
        if (!is_visible || sni_glyph_draw(draw, code, &shape, at, label->size, label->color))
            return shape.advance * CAPITAL;
    }
    const char *strokes = find_strokes(code, &advance);
    if (is_visible && strokes[0]) draw_strokes(draw, strokes, at, unit, label->color);
    return advance;
}

static void draw_text(sni_debug_draw *draw, const sn_label *label)
{
    sn_vec2 at = { label->x, label->y };
    if (label->align != SN_ALIGN_LEFT)
        at.x -= sn_label_width(draw->renderer, label->text, label->size) *
                (label->align == SN_ALIGN_CENTER ? 0.5f : 1.0f);
    for (const char *text = label->text; *text;) {
        uint32_t code = next_code(&text);
        at.x += draw_character(draw, code, at, label) * label->size / CAPITAL;
    }
}

// With a shadow, readable on any background.
void sni_label_draw(sni_debug_draw *draw, const sn_label *label)
{
    sn_label shadow = *label;
    shadow.color = (sn_vec4){ 0, 0, 0, 0.6f * label->color.w };
    shadow.x += fmaxf(label->size * 0.08f, 1);
    shadow.y += fmaxf(label->size * 0.08f, 1);
    draw_text(draw, &shadow);
    draw_text(draw, label);
}
