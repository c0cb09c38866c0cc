#include "convert/texture_bake.h"

#include <math.h>
#include <string.h>

#include "base/color.h"
#include "convert/images.h"

// Both bound what hostile files ask for: a thousand pictures of a million pixels are painted, and of as many it is
// known.
enum { MOST_PIXELS = 1 << 30, MOST_LOOKED_AT = 1 << 10 };

// One layer as it is drawn. Colours are from 0 to 1, as they are shown.
typedef struct stroke {
    int32_t image;  // -1: white
    sn_blend blend;
    float cutoff, color[4];
    int32_t wrap_u, wrap_v;
} stroke;

typedef struct painting {
    stroke *strokes;
    uint32_t count;
    bool is_veil;
    int32_t image;  // what became of it
} painting;

bool sni_painter_init(sni_painter *painter, sni_save *save, const sn_model *model)
{
    *painter = (sni_painter){ .save = save, .budget = MOST_PIXELS };
    for (uint32_t i = 0; i < model->image_count; i++) {
        sn_image *image = sni_push(&save->scratch, &painter->images, sn_image);
        if (!image) return false;
        *image = model->images[i];
    }
    return true;
}

static const sn_image *image_at(const sni_painter *painter, int32_t index)
{
    return (const sn_image *)painter->images.items + index;
}

static bool size_of(sni_painter *painter, int32_t index, uint32_t size[2])
{
    sn_pixels pixels = { .width = 1, .height = 1 };
    sn_error error;
    if (index >= 0 && !sni_read_image(painter->save, image_at(painter, index), true, &pixels, &error)) return false;
    size[0] = pixels.width;
    size[1] = pixels.height;
    return true;
}

bool sni_paint_size(sni_painter *painter, const sn_layer *layer, uint32_t size[2])
{
    return size_of(painter, layer->maps[SN_MAP_COLOR].image, size);
}

static uint32_t times(uint32_t a, uint32_t b) { return (a * b + 127) / 255; }

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static int64_t wrapped(int64_t at, uint32_t side, int32_t wrap)
{
    if (wrap == SN_REPEAT) return (at + side) % side;  // at most one texel outside
    return at < 0 ? 0 : at >= side ? (int64_t)side - 1 : at;
}

// Where the middle of a pixel of the canvas lies between two texels of a smaller picture.
typedef struct between {
    int64_t a, b;
    double part;
} between;

static between place(uint32_t at, uint32_t canvas, uint32_t side, int32_t wrap)
{
    double middle = (at + 0.5) * side / canvas - 0.5, low = floor(middle);
    return (between){ wrapped((int64_t)low, side, wrap), wrapped((int64_t)low + 1, side, wrap), middle - low };
}

static void sample(const sn_pixels *from, between x, between y, uint32_t out[4])
{
    if (x.part == 0.0 && y.part == 0.0) {
        for (int c = 0; c < 4; c++) out[c] = from->rgba[((size_t)y.a * from->width + (size_t)x.a) * 4 + (size_t)c];
        return;
    }
    const uint8_t *rows[2] = { from->rgba + (size_t)y.a * from->width * 4, from->rgba + (size_t)y.b * from->width * 4 };
    for (int c = 0; c < 4; c++) {
        double upper = rows[0][x.a * 4 + c] + (rows[0][x.b * 4 + c] - rows[0][x.a * 4 + c]) * x.part;
        double lower = rows[1][x.a * 4 + c] + (rows[1][x.b * 4 + c] - rows[1][x.a * 4 + c]) * x.part;
        out[c] = (uint32_t)(upper + (lower - upper) * y.part + 0.5);
    }
}

static void tint(const stroke *s, uint32_t texel[4])
{
    for (int c = 0; c < 4; c++) texel[c] = least((uint32_t)(texel[c] * (double)s->color[c] + 0.5), 255);
}

// Alpha of both counts, none is multiplied in. What stays empty takes the colour all the same, for pixels that are
// mixed with it.
static void cover(uint8_t *at, const uint32_t s[4], uint32_t alpha)
{
    uint32_t own = alpha * 255, below = at[3] * (255 - alpha), sum = own + below;
    for (int c = 0; c < 3; c++) at[c] = (uint8_t)(sum > 0 ? (s[c] * own + at[c] * below + sum / 2) / sum : s[c]);
    at[3] = (uint8_t)((sum + 127) / 255);
}

// What adds is as strong as the layer's alpha says; the picture's counts only where the blend says so.
static void blend(uint8_t *at, const stroke *s, const uint32_t texel[4])
{
    uint32_t strength = s->blend == SN_BLEND_ADD_ALPHA ? texel[3] : least((uint32_t)(s->color[3] * 255.0 + 0.5), 255);
    for (int c = 0; c < 3; c++) {
        uint32_t below = at[c], over = texel[c], light = times(over, strength);
        switch (s->blend) {
        case SN_BLEND_ADD:
        case SN_BLEND_ADD_ALPHA: below = least(below + light, 255); break;
        case SN_BLEND_SCREEN: below = below + light - times(below, light); break;
        case SN_BLEND_SUBTRACT: below -= least(below, light); break;
        case SN_BLEND_MODULATE: below = times(below, over); break;
        case SN_BLEND_MODULATE_2X: below = least((2 * below * over + 127) / 255, 255); break;
        default: break;
        }
        at[c] = (uint8_t)below;
    }
}

static void draw_pixel(uint8_t *at, const stroke *s, const uint32_t texel[4])
{
    if (s->blend == SN_BLEND_ALPHA) cover(at, texel, texel[3]);
    else if (s->blend == SN_BLEND_OPAQUE) cover(at, texel, (float)texel[3] / 255.0f >= s->cutoff ? 255 : 0);
    else blend(at, s, texel);
}

static void draw(sn_pixels *canvas, const stroke *s, const sn_pixels *from)
{
    uint8_t *at = canvas->rgba;
    for (uint32_t y = 0; y < canvas->height; y++) {
        between row = place(y, canvas->height, from->height, s->wrap_v);
        for (uint32_t x = 0; x < canvas->width; x++, at += 4) {
            uint32_t texel[4];
            sample(from, place(x, canvas->width, from->width, s->wrap_u), row, texel);
            tint(s, texel);
            draw_pixel(at, s, texel);
        }
    }
}

static void veil_light(uint8_t *at, bool by_alpha, uint64_t total[3])
{
    uint32_t light[3], most = 0;
    for (int c = 0; c < 3; c++) {
        light[c] = by_alpha ? times(at[c], at[3]) : at[c];
        total[c] += light[c];
        most = light[c] > most ? light[c] : most;
    }
    for (int c = 0; c < 3; c++) at[c] = (uint8_t)(most > 0 ? (light[c] * 255 + most / 2) / most : 0);
    at[3] = (uint8_t)most;
}

// Where there is no light, the colour of all light: neighbours are mixed when the picture is shown larger or smaller.
static void fill_dark(sn_pixels *canvas, const uint64_t total[3])
{
    uint64_t most = total[0] > total[1] ? total[0] : total[1];
    if (total[2] > most) most = total[2];
    uint8_t *end = canvas->rgba + (size_t)canvas->width * canvas->height * 4;
    for (uint8_t *at = canvas->rgba; at < end && most > 0; at += 4) {
        for (int c = 0; c < 3 && at[3] == 0; c++) at[c] = (uint8_t)((total[c] * 255 + most / 2) / most);
    }
}

// What is multiplied with: `kept` of all that is behind, and what the darkest of its colours lacks.
static void veil_shade(uint8_t *at, sn_blend how)
{
    uint32_t kept[3], low = 255;
    for (int c = 0; c < 3; c++) {
        kept[c] = how == SN_BLEND_SUBTRACT      ? 255u - at[c]
                  : how == SN_BLEND_MODULATE_2X ? least(2u * at[c], 255)
                                                : at[c];
        low = least(low, kept[c]);
    }
    uint32_t alpha = 255 - low;
    for (int c = 0; c < 3; c++) at[c] = (uint8_t)(alpha > 0 ? ((kept[c] - low) * 255 + alpha / 2) / alpha : 0);
    at[3] = (uint8_t)alpha;
}

static void draw_veil(sn_pixels *canvas, sn_blend how, const sn_pixels *from)
{
    uint8_t *end = canvas->rgba + (size_t)canvas->width * canvas->height * 4;
    uint64_t total[3] = { 0 };
    bool is_light = how == SN_BLEND_ADD || how == SN_BLEND_ADD_ALPHA || how == SN_BLEND_SCREEN;
    memcpy(canvas->rgba, from->rgba, (size_t)(end - canvas->rgba));
    for (uint8_t *at = canvas->rgba; at < end; at += 4) {
        if (is_light) veil_light(at, how == SN_BLEND_ADD_ALPHA, total);
        else veil_shade(at, how);
    }
    if (is_light) fill_dark(canvas, total);
}

// All strokes onto an empty canvas. False: a picture could not be read, as was told, or a failure.
static bool paint(sni_painter *painter, const painting *p, sn_pixels *canvas, bool *is_changed)
{
    uint8_t white[4] = { 255, 255, 255, 255 };
    for (uint32_t i = 0; i < p->count; i++) {
        sn_pixels from = { .width = 1, .height = 1, .rgba = white };
        sn_error error = { .status = SN_OK };
        int32_t image = p->strokes[i].image;
        if (image >= 0 && !sni_read_image(painter->save, image_at(painter, image), false, &from, &error)) return false;
        if (error.status != SN_OK) {
            sni_warn(&painter->save->diag, SNI_WARN_LOST_CONTENT, error.offset, "\"%.80s\" cannot be painted: %s",
                     image_at(painter, image)->name, error.message);
            return false;
        }
        if (p->is_veil) draw_veil(canvas, p->strokes[i].blend, &from);
        else draw(canvas, &p->strokes[i], &from);
        bool is_alike = from.width == canvas->width && from.height == canvas->height;
        *is_changed = p->count > 1 || !is_alike ||
                      memcmp(from.rgba, canvas->rgba, (size_t)from.width * from.height * 4) != 0;
        if (image >= 0) sn_pixels_free(&from);
    }
    return true;
}

// The largest picture, which gives the size and the name.
static int32_t find_largest(sni_painter *painter, const painting *p, uint32_t size[2])
{
    int32_t largest = -1;
    size[0] = size[1] = 1;
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t one[2];
        if (!size_of(painter, p->strokes[i].image, one)) return -1;
        if (largest >= 0 && (uint64_t)one[0] * one[1] <= (uint64_t)size[0] * size[1]) continue;
        largest = p->strokes[i].image;
        size[0] = one[0], size[1] = one[1];
    }
    return largest;
}

static bool spend(sni_painter *painter, uint64_t pixels)
{
    bool is_affordable = pixels <= painter->budget;
    if (is_affordable) painter->budget -= pixels;
    else
        sni_warn(&painter->save->diag, SNI_WARN_LOST_CONTENT, 0, "more to paint than %u million pixels",
                 (unsigned)MOST_PIXELS >> 20);
    return is_affordable;
}

// The canvas is no part of what the save's ceiling counts, as decoded pictures are not.
static int32_t make_image(sni_painter *painter, const painting *p)
{
    sni_save *save = painter->save;
    uint32_t size[2];
    int32_t largest = find_largest(painter, p, size), made = -1;
    size_t bytes = (size_t)size[0] * size[1] * 4;
    sni_heap heap;
    if (largest < 0 || bytes == 0 || !spend(painter, (uint64_t)size[0] * size[1] * p->count)) return -1;
    sni_heap_init(&heap, save->opts ? &save->opts->allocator : NULL, UINT64_MAX);
    heap.diag = &save->diag;
    sn_pixels canvas = { size[0], size[1], sni_heap_alloc(&heap, bytes), heap.allocator };
    if (!canvas.rgba) return -1;
    memset(canvas.rgba, 0, bytes);
    sn_image image = { .name = image_at(painter, largest)->name, .uri = "", .mime_type = "" };
    sn_error error;
    bool is_changed = true;
    if (paint(painter, p, &canvas, &is_changed)) {
        sn_image *added = NULL;
        if (!is_changed) made = largest;
        else if (sni_write_image(save, &canvas, &error, &image) && image.data)
            added = sni_push(&save->scratch, &painter->images, sn_image);
        if (added) *added = image, made = (int32_t)painter->images.count - 1;
    }
    sn_pixels_free(&canvas);
    return made;
}

static bool is_same(const painting *a, const painting *b)
{
    return a->count == b->count && a->is_veil == b->is_veil &&
           memcmp(a->strokes, b->strokes, a->count * sizeof *a->strokes) == 0;
}

static int32_t paint_once(sni_painter *painter, painting wanted)
{
    const painting *known = painter->paintings.items;
    for (uint32_t i = painter->paintings.count, tries = 0; i-- > 0 && tries < MOST_LOOKED_AT; tries++) {
        if (is_same(&known[i], &wanted)) return known[i].image;
    }
    wanted.image = make_image(painter, &wanted);
    painting *kept = sni_push(&painter->save->scratch, &painter->paintings, painting);
    if (kept) *kept = wanted;
    return kept ? wanted.image : -1;
}

static stroke stroke_of(const sn_layer *layer)
{
    const sn_texture *map = &layer->maps[SN_MAP_COLOR];
    return (stroke){ map->image,     layer->blend, layer->blend == SN_BLEND_OPAQUE ? layer->alpha_cutoff : 0.0f,
                     { 1, 1, 1, 1 }, map->wrap_u,  map->wrap_v };
}

int32_t sni_paint_stack(sni_painter *painter, const sn_layer *const *layers, uint32_t count)
{
    painting wanted = { .strokes = sni_new(&painter->save->scratch, stroke, count) };
    if (!wanted.strokes) return -1;
    for (uint32_t i = 0; i < count; i++) {
        sn_vec4 color = layers[i]->color;
        if (i > 0 && !(color.w > 0.0f)) continue;  // not drawn at all
        stroke *s = &wanted.strokes[wanted.count++];
        *s = stroke_of(layers[i]);
        s->color[0] = (float)sni_srgb_of(color.x);
        s->color[1] = (float)sni_srgb_of(color.y);
        s->color[2] = (float)sni_srgb_of(color.z);
        s->color[3] = fminf(fmaxf(color.w, 0.0f), 1.0f);
    }
    return paint_once(painter, wanted);
}

static int32_t paint_one(sni_painter *painter, const sn_layer *layer, bool is_veil)
{
    painting wanted = { .strokes = sni_new(&painter->save->scratch, stroke, 1), .count = 1, .is_veil = is_veil };
    if (!wanted.strokes || layer->maps[SN_MAP_COLOR].image < 0) return -1;
    wanted.strokes[0] = stroke_of(layer);
    return paint_once(painter, wanted);
}

int32_t sni_paint_solid(sni_painter *painter, const sn_layer *layer) { return paint_one(painter, layer, false); }

int32_t sni_paint_veil(sni_painter *painter, const sn_layer *layer) { return paint_one(painter, layer, true); }
