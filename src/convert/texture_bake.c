#include "convert/texture_bake.h"

#include <math.h>
#include <string.h>

#include "base/color.h"
#include "convert/images.h"

// Earlier bakes that a new one is compared with: bounds the work that hostile files ask for.
enum { MOST_COMPARED = 1 << 10 };

// One layer as it is drawn. Colours are from 0 to 1, as they are shown.
typedef struct baked_layer {
    int32_t image;  // -1: white
    sn_blend blend;
    float cutoff, color[4];
    int32_t wrap_u, wrap_v;
} baked_layer;

typedef struct bake {
    baked_layer *layers;
    uint32_t count;
    bool emulates_blend;
    int32_t image;  // the result
} bake;

bool sni_texture_baker_init(sni_texture_baker *baker, sni_save *save, const sn_model *model)
{
    *baker = (sni_texture_baker){ .save = save };
    uint64_t pixels = save->opts ? save->opts->image_pixels : 0;
    if (!sni_image_set_make(&save->scratch, model->images, model->image_count, pixels, &baker->set)) return false;
    for (uint32_t i = 0; i < model->image_count; i++) {
        sn_image *image = sni_push(&save->scratch, &baker->images, sn_image);
        if (!image) return false;
        *image = model->images[i];
    }
    return true;
}

static const sn_image *image_at(const sni_texture_baker *baker, int32_t index)
{
    return (const sn_image *)baker->images.items + index;
}

static bool size_of(sni_texture_baker *baker, int32_t index, uint32_t size[2])
{
    sn_pixels pixels = { .width = 1, .height = 1 };
    sn_error error;
    if (index >= 0 && !sni_read_image(baker->save, &baker->set, image_at(baker, index), true, &pixels, &error))
        return false;
    size[0] = pixels.width;
    size[1] = pixels.height;
    return true;
}

bool sni_color_map_size(sni_texture_baker *baker, const sn_layer *layer, uint32_t size[2])
{
    return size_of(baker, layer->maps[SN_MAP_COLOR].image, size);
}

static uint32_t times(uint32_t a, uint32_t b) { return (a * b + 127) / 255; }

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static int64_t wrapped(int64_t at, uint32_t side, int32_t wrap)
{
    if (wrap == SN_REPEAT) return (at + side) % side;  // at most one texel outside
    return at < 0 ? 0 : at >= side ? (int64_t)side - 1 : at;
}

// The two texels of a smaller image between which the centre of a canvas pixel is.
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

static void apply_color(const baked_layer *s, uint32_t texel[4])
{
    for (int c = 0; c < 4; c++) texel[c] = least((uint32_t)(texel[c] * (double)s->color[c] + 0.5), 255);
}

// The "over" operator, alpha not premultiplied. Transparent pixels take the colour too, for texture filters mix it in.
static void cover(uint8_t *at, const uint32_t s[4], uint32_t alpha)
{
    uint32_t own = alpha * 255, below = at[3] * (255 - alpha), sum = own + below;
    for (int c = 0; c < 3; c++) at[c] = (uint8_t)(sum > 0 ? (s[c] * own + at[c] * below + sum / 2) / sum : s[c]);
    at[3] = (uint8_t)((sum + 127) / 255);
}

// Added light is scaled by the layer's alpha; the texture's alpha counts only for SN_BLEND_ADD_ALPHA.
static void blend(uint8_t *at, const baked_layer *s, const uint32_t texel[4])
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

static void draw_pixel(uint8_t *at, const baked_layer *s, const uint32_t texel[4])
{
    if (s->blend == SN_BLEND_ALPHA) cover(at, texel, texel[3]);
    else if (s->blend == SN_BLEND_OPAQUE) cover(at, texel, (float)texel[3] / 255.0f >= s->cutoff ? 255 : 0);
    else blend(at, s, texel);
}

static void draw(sn_pixels *canvas, const baked_layer *s, const sn_pixels *from)
{
    uint8_t *at = canvas->rgba;
    for (uint32_t y = 0; y < canvas->height; y++) {
        between row = place(y, canvas->height, from->height, s->wrap_v);
        for (uint32_t x = 0; x < canvas->width; x++, at += 4) {
            uint32_t texel[4];
            sample(from, place(x, canvas->width, from->width, s->wrap_u), row, texel);
            apply_color(s, texel);
            draw_pixel(at, s, texel);
        }
    }
}

static void emulate_add(uint8_t *at, bool by_alpha, uint64_t total[3])
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

// Pixels without light get the average colour of all light: texture filters mix in their neighbours.
static void fill_dark(sn_pixels *canvas, const uint64_t total[3])
{
    uint64_t most = total[0] > total[1] ? total[0] : total[1];
    if (total[2] > most) most = total[2];
    uint8_t *end = canvas->rgba + (size_t)canvas->width * canvas->height * 4;
    for (uint8_t *at = canvas->rgba; at < end && most > 0; at += 4) {
        for (int c = 0; c < 3 && at[3] == 0; c++) at[c] = (uint8_t)((total[c] * 255 + most / 2) / most);
    }
}

// `kept` is the factor for what is behind. Alpha removes as much as the darkest channel; the colour adds the rest back.
static void emulate_multiply(uint8_t *at, sn_blend how)
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

static void emulate_blend(sn_pixels *canvas, sn_blend how, const sn_pixels *from)
{
    uint8_t *end = canvas->rgba + (size_t)canvas->width * canvas->height * 4;
    uint64_t total[3] = { 0 };
    bool is_light = how == SN_BLEND_ADD || how == SN_BLEND_ADD_ALPHA || how == SN_BLEND_SCREEN;
    memcpy(canvas->rgba, from->rgba, (size_t)(end - canvas->rgba));
    for (uint8_t *at = canvas->rgba; at < end; at += 4) {
        if (is_light) emulate_add(at, how == SN_BLEND_ADD_ALPHA, total);
        else emulate_multiply(at, how);
    }
    if (is_light) fill_dark(canvas, total);
}

// Draws all layers onto an empty canvas. False: an image could not be read, which was reported, or a failure.
static bool bake_pixels(sni_texture_baker *baker, const bake *p, sn_pixels *canvas, bool *is_changed)
{
    uint8_t white[4] = { 255, 255, 255, 255 };
    for (uint32_t i = 0; i < p->count; i++) {
        sn_pixels from = { .width = 1, .height = 1, .rgba = white };
        sn_error error = { .status = SN_OK };
        int32_t image = p->layers[i].image;
        if (image >= 0 && !sni_read_image(baker->save, &baker->set, image_at(baker, image), false, &from, &error))
            return false;
        if (error.status != SN_OK) {
            sni_warn(&baker->save->diag, SNI_WARN_LOST_CONTENT, error.offset, "\"%.80s\" cannot be baked: %s",
                     image_at(baker, image)->name, error.message);
            return false;
        }
        if (p->emulates_blend) emulate_blend(canvas, p->layers[i].blend, &from);
        else draw(canvas, &p->layers[i], &from);
        bool is_alike = from.width == canvas->width && from.height == canvas->height;
        *is_changed = p->count > 1 || !is_alike ||
                      memcmp(from.rgba, canvas->rgba, (size_t)from.width * from.height * 4) != 0;
        if (image >= 0) sn_pixels_free(&from);
    }
    return true;
}

// The largest image gives the size and the name.
static int32_t find_largest(sni_texture_baker *baker, const bake *p, uint32_t size[2])
{
    int32_t largest = -1;
    size[0] = size[1] = 1;
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t one[2];
        if (!size_of(baker, p->layers[i].image, one)) return -1;
        if (largest >= 0 && (uint64_t)one[0] * one[1] <= (uint64_t)size[0] * size[1]) continue;
        largest = p->layers[i].image;
        size[0] = one[0], size[1] = one[1];
    }
    return largest;
}

static bool spend(sni_texture_baker *baker, uint64_t pixels)
{
    bool is_affordable = pixels <= baker->set.pixels_left;
    if (is_affordable) baker->set.pixels_left -= pixels;
    else
        sni_warn(&baker->save->diag, SNI_WARN_LOST_CONTENT, 0,
                 "baking needs %llu pixels, and only %llu are left for all images", (unsigned long long)pixels,
                 (unsigned long long)baker->set.pixels_left);
    return is_affordable;
}

// The canvas does not count towards the save's memory limit, like decoded images.
static int32_t make_image(sni_texture_baker *baker, const bake *p)
{
    sni_save *save = baker->save;
    uint32_t size[2];
    int32_t largest = find_largest(baker, p, size), made = -1;
    size_t bytes = (size_t)size[0] * size[1] * 4;
    sni_heap heap;
    if (largest < 0 || bytes == 0 || !spend(baker, (uint64_t)size[0] * size[1] * p->count)) return -1;
    sni_heap_init(&heap, save->opts ? &save->opts->allocator : NULL, UINT64_MAX);
    heap.diag = &save->diag;
    sn_pixels canvas = { size[0], size[1], sni_heap_alloc(&heap, bytes), heap.allocator };
    if (!canvas.rgba) return -1;
    memset(canvas.rgba, 0, bytes);
    sn_image image = { .name = image_at(baker, largest)->name, .uri = "", .mime_type = "" };
    sn_error error;
    bool is_changed = true;
    if (bake_pixels(baker, p, &canvas, &is_changed)) {
        sn_image *added = NULL;
        if (!is_changed) made = largest;
        else if (sni_write_image(save, &canvas, &error, &image) && image.data)
            added = sni_push(&save->scratch, &baker->images, sn_image);
        if (added) *added = image, made = (int32_t)baker->images.count - 1;
    }
    sn_pixels_free(&canvas);
    return made;
}

static bool is_same(const bake *a, const bake *b)
{
    return a->count == b->count && a->emulates_blend == b->emulates_blend &&
           memcmp(a->layers, b->layers, a->count * sizeof *a->layers) == 0;
}

static int32_t bake_once(sni_texture_baker *baker, bake wanted)
{
    const bake *known = baker->bakes.items;
    for (uint32_t i = baker->bakes.count, tries = 0; i-- > 0 && tries < MOST_COMPARED; tries++) {
        if (is_same(&known[i], &wanted)) return known[i].image;
    }
    wanted.image = make_image(baker, &wanted);
    bake *kept = sni_push(&baker->save->scratch, &baker->bakes, bake);
    if (kept) *kept = wanted;
    return kept ? wanted.image : -1;
}

static baked_layer baked_layer_of(const sn_layer *layer)
{
    const sn_texture *map = &layer->maps[SN_MAP_COLOR];
    return (baked_layer){ map->image,     layer->blend, layer->blend == SN_BLEND_OPAQUE ? layer->alpha_cutoff : 0.0f,
                          { 1, 1, 1, 1 }, map->wrap_u,  map->wrap_v };
}

int32_t sni_bake_layers(sni_texture_baker *baker, const sn_layer *const *layers, uint32_t count)
{
    bake wanted = { .layers = sni_new(&baker->save->scratch, baked_layer, count) };
    if (!wanted.layers) return -1;
    for (uint32_t i = 0; i < count; i++) {
        sn_vec4 color = layers[i]->color;
        if (i > 0 && !(color.w > 0.0f)) continue;  // not drawn at all
        baked_layer *s = &wanted.layers[wanted.count++];
        *s = baked_layer_of(layers[i]);
        s->color[0] = (float)sni_srgb_of(color.x);
        s->color[1] = (float)sni_srgb_of(color.y);
        s->color[2] = (float)sni_srgb_of(color.z);
        s->color[3] = fminf(fmaxf(color.w, 0.0f), 1.0f);
    }
    return bake_once(baker, wanted);
}

static int32_t bake_one(sni_texture_baker *baker, const sn_layer *layer, bool emulates_blend)
{
    bake wanted = { .layers = sni_new(&baker->save->scratch, baked_layer, 1),
                    .count = 1,
                    .emulates_blend = emulates_blend };
    if (!wanted.layers || layer->maps[SN_MAP_COLOR].image < 0) return -1;
    wanted.layers[0] = baked_layer_of(layer);
    return bake_once(baker, wanted);
}

int32_t sni_bake_opaque(sni_texture_baker *baker, const sn_layer *layer) { return bake_one(baker, layer, false); }

int32_t sni_emulate_blend(sni_texture_baker *baker, const sn_layer *layer) { return bake_one(baker, layer, true); }
