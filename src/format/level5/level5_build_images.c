// Pictures: TIM2 files out of the IMG archives, found by name. Rows and texture coordinates stay as they are stored,
// for they agree; what the console wants in its own order is put into that of rows.
#include "format/level5/level5_build.h"

#include "base/mime.h"
#include "format/level5/level5_parse.h"
#include "format/level5/level5_swizzle.h"

enum { NEAR_PICTURE = 16, FAR_PICTURE = 128, PICTURE_BYTES = 48, MOST_COLORS = 256 };
enum { PIXEL_16 = 1, PIXEL_24, PIXEL_32, INDEX_4, INDEX_8 };
enum { PALETTE_IN_ORDER = 0x80 };

// What a TIM2 says of its first picture; sizes are within the file.
typedef struct tim2 {
    uint32_t size;  // of the whole file
    uint32_t width, height, kind, level_count, palette_kind, color_count;
    const uint8_t *pixels, *palette;
    uint64_t pixel_bytes, palette_bytes;
} tim2;

static bool read_tim2(level5_array data, tim2 *t)
{
    if (data.count < NEAR_PICTURE + PICTURE_BYTES) return false;
    uint32_t at = data.data[5] == 1 ? FAR_PICTURE : NEAR_PICTURE;
    if (memcmp(data.data, "TIM", 3) != 0 || data.count < at + PICTURE_BYTES) return false;
    const uint8_t *head = data.data + at;
    uint64_t rest = data.count - at, header = sni_load_u16(head + 12), total = sni_load_u32(head);
    uint64_t palette_bytes = sni_load_u32(head + 4), pixel_bytes = sni_load_u32(head + 8);
    *t = (tim2){
        .width = sni_load_u16(head + 20), .height = sni_load_u16(head + 22), .kind = head[19], .level_count = head[17]
    };
    t->palette_kind = head[18];
    t->color_count = sni_load_u16(head + 14);
    if (header < PICTURE_BYTES || header > rest || pixel_bytes > rest - header) return false;
    t->size = total >= header && total <= rest ? at + (uint32_t)total : data.count;
    t->pixels = head + header;
    t->pixel_bytes = pixel_bytes;
    t->palette = t->pixels + pixel_bytes;
    t->palette_bytes = rest - header - pixel_bytes < palette_bytes ? rest - header - pixel_bytes : palette_bytes;
    return t->width > 0 && t->height > 0;
}

static level5_alpha alpha_of(uint32_t value)
{
    return value >= 127 ? LEVEL5_ALPHA_NONE : value <= 1 ? LEVEL5_ALPHA_HOLES : LEVEL5_ALPHA_SHADES;
}

// Of those colours alone that some pixel has: unused ones are often all zero.
static level5_alpha palette_alpha(const tim2 *t, uint64_t count)
{
    bool is_used[MOST_COLORS] = { false };
    uint32_t each = t->color_count > 0 ? (uint32_t)(t->palette_bytes / t->color_count) : 0;
    level5_alpha most = LEVEL5_ALPHA_NONE;
    for (uint64_t i = 0; t->kind == INDEX_8 && i < count; i++) is_used[t->pixels[i]] = true;
    for (uint64_t i = 0; t->kind == INDEX_4 && i < (count + 1) / 2; i++)
        is_used[t->pixels[i] & 15] = is_used[t->pixels[i] >> 4] = true;
    for (uint32_t i = 0; i < MOST_COLORS; i++) {
        bool is_shuffled = t->kind == INDEX_8 && !(t->palette_kind & PALETTE_IN_ORDER);
        uint32_t slot = is_shuffled ? (i & ~24u) | (i & 8) << 1 | (i & 16) >> 1 : i;
        if (!is_used[i] || slot >= t->color_count || (each != 4 && each != 2)) continue;
        level5_alpha alpha = each == 4                                 ? alpha_of(t->palette[(size_t)slot * 4 + 3])
                             : t->palette[(size_t)slot * 2 + 1] & 0x80 ? LEVEL5_ALPHA_NONE
                                                                       : LEVEL5_ALPHA_HOLES;
        if (alpha > most) most = alpha;
    }
    return most;
}

static level5_alpha picture_alpha(level5_builder *b, const tim2 *t)
{
    static const uint8_t bits[] = { [PIXEL_16] = 16, [PIXEL_24] = 24, [PIXEL_32] = 32, [INDEX_4] = 4, [INDEX_8] = 8 };
    uint64_t count = (uint64_t)t->width * t->height;
    level5_alpha most = LEVEL5_ALPHA_NONE;
    if (t->kind >= sizeof bits || bits[t->kind] == 0 || (count * bits[t->kind] + 7) / 8 > t->pixel_bytes) return most;
    if (count > b->pixels_left) return most;  // many names for large pictures
    b->pixels_left -= count;
    if (t->kind == INDEX_4 || t->kind == INDEX_8) return palette_alpha(t, count);
    for (uint64_t i = 0; t->kind == PIXEL_32 && i < count && most < LEVEL5_ALPHA_SHADES; i++) {
        level5_alpha alpha = alpha_of(t->pixels[i * 4 + 3]);
        if (alpha > most) most = alpha;
    }
    for (uint64_t i = 0; t->kind == PIXEL_16 && i < count && most < LEVEL5_ALPHA_HOLES; i++)
        if (!(t->pixels[i * 2 + 1] & 0x80)) most = LEVEL5_ALPHA_HOLES;
    return most;
}

// Texture coordinates run over the picture's size rounded up to a power of two.
static float scale_of(uint32_t size)
{
    uint32_t power = 1;
    while (power < size) power *= 2;
    return (float)power / (float)size;
}

// IM3 says so of each picture; IM2 leaves those with several levels in the order of rows.
static bool is_swizzled(const level5_picture *picture, const tim2 *t)
{
    bool is_told = picture->head.count == level5_picture_bytes(LEVEL5_IM3) || t->level_count <= 1;
    return picture->is_swizzled && is_told && t->kind == INDEX_8 && (uint64_t)t->width * t->height <= t->pixel_bytes;
}

static bool copy_picture(level5_builder *b, const level5_picture *picture, const tim2 *t, sn_image *image)
{
    bool must_change = is_swizzled(picture, t);
    image->size = t->size;
    image->data = picture->data.data;
    if (!must_change && sni_load_lend(b->load, image->data, image->size)) return true;
    uint8_t *copy = sni_new_raw(&b->load->keep, uint8_t, image->size);
    if (!copy) return false;
    memcpy(copy, image->data, (size_t)image->size);
    uint64_t own = t->level_count > 1 ? (uint64_t)t->width * t->height
                                      : t->pixel_bytes;  // without those of smaller levels
    if (must_change)
        level5_unswizzle8(t->pixels, (size_t)own, t->width, t->height, copy + (t->pixels - picture->data.data));
    image->data = copy;
    return true;
}

static bool add_image(level5_builder *b, sn_image **image, level5_image **facts)
{
    *image = sni_push(&b->load->keep, &b->images, sn_image);
    *facts = *image ? sni_push(&b->load->scratch, &b->image_facts, level5_image) : NULL;
    if (!*facts) return false;
    **image = (sn_image){ .uri = "", .mime_type = "" };
    **facts = (level5_image){ .uv_scale = { 1, 1 }, .wrap_u = SN_CLAMP, .wrap_v = SN_CLAMP };
    return true;
}

static bool keep_picture(level5_builder *b, const level5_picture *picture)
{
    sn_image *image;
    level5_image *facts;
    tim2 t;
    if (!add_image(b, &image, &facts)) return false;
    image->name = level5_clean(b, picture->name);
    facts->wrap_u = picture->wrap_u;
    facts->wrap_v = picture->wrap_v;
    if (!read_tim2(picture->data, &t)) {
        sni_warn(&b->load->diag, SNI_WARN_IMAGE_TYPE, picture->offset, "\"%s\" is no TIM2 picture", image->name);
        t = (tim2){ .size = picture->data.count };
    } else {
        facts->uv_scale = (sn_vec2){ scale_of(t.width), scale_of(t.height) };
        facts->alpha = picture_alpha(b, &t);
    }
    if (!copy_picture(b, picture, &t, image)) return false;
    image->mime_type = sni_mime_type((sni_bytes){ image->data, (size_t)image->size });
    return true;
}

// Pictures that lie beside the model as files of their own, as tools extract them.
static bool open_picture(level5_builder *b, sni_str name)
{
    sn_image *image;
    level5_image *facts;
    sni_bytes bytes;
    const char *why, *clean = level5_clean(b, name);
    if (!add_image(b, &image, &facts)) return false;
    image->name = clean;
    if (!sni_load_find(b->load, name, "tm2 tim2 png tga bmp", &bytes, &why)) {
        sni_warn(&b->load->diag, SNI_WARN_IMAGE_MISSING, 0, "\"%.100s\" is in no image archive, and as a file: %s",
                 clean, why);
        return sni_load_ok(b->load);
    }
    const level5_picture picture = { .data = { bytes.data, (uint32_t)bytes.size } };
    tim2 t;
    if (read_tim2(picture.data, &t)) {
        facts->uv_scale = (sn_vec2){ scale_of(t.width), scale_of(t.height) };
        facts->alpha = picture_alpha(b, &t);
    }
    t.size = picture.data.count;
    if (!copy_picture(b, &picture, &t, image)) return false;
    image->uri = clean;
    image->mime_type = sni_mime_type(bytes);
    return true;
}

// A picture's number among all archives, the first archive's first.
static const level5_picture *picture_at(const level5_builder *b, uint32_t number)
{
    for (uint32_t i = 0; i < b->archives.count; i++) {
        const level5_img *img = level5_items(const level5_img *, b->archives)[i];
        if (number < img->picture_count) return &img->pictures[number];
        number -= img->picture_count;
    }
    return NULL;
}

bool level5_index_images(level5_builder *b)
{
    int32_t number = 0;
    for (uint32_t i = 0; i < b->archives.count; i++) {
        const level5_img *img = level5_items(const level5_img *, b->archives)[i];
        for (uint32_t k = 0; k < img->picture_count; k++, number++) {
            const level5_picture *picture = &img->pictures[k];
            bool has_pixels = !picture->is_script && !picture->is_empty && picture->data.count > 0;
            if (has_pixels && !sni_names_add(&b->load->scratch, &b->picture_names, picture->name, number)) return false;
        }
    }
    return true;
}

int32_t level5_find_image(level5_builder *b, sni_str name)
{
    if (name.size == 0) return -1;
    int32_t known = sni_names_find(&b->image_names, name);
    if (known >= 0) return known;
    int32_t number = sni_names_find(&b->picture_names, name);
    int32_t index = (int32_t)b->images.count;
    if (!(number >= 0 ? keep_picture(b, picture_at(b, (uint32_t)number)) : open_picture(b, name))) return -1;
    return sni_names_add(&b->load->scratch, &b->image_names, name, index) ? index : -1;
}

bool level5_keep_all_images(level5_builder *b)
{
    for (uint32_t i = 0; i < b->archives.count; i++) {
        const level5_img *img = level5_items(const level5_img *, b->archives)[i];
        for (uint32_t k = 0; k < img->picture_count; k++) {
            const level5_picture *picture = &img->pictures[k];
            if (!picture->is_script && !picture->is_empty && picture->data.count > 0 && !keep_picture(b, picture))
                return false;
        }
    }
    return true;
}
