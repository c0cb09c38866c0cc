// Materials, and the images they use: TIM2 pictures from the image archives, or files. Rows and texture coordinates
// stay as stored, because they match each other; only swizzled pixels are put in row order.
#include "format/level5/level5_build.h"

#include <math.h>

#include "base/color.h"
#include "base/math.h"
#include "base/mime.h"
#include "format/level5/level5_parse.h"

// --- TIM2 headers ---

enum { NEAR_PICTURE = 16, FAR_PICTURE = 128, PICTURE_BYTES = 48, MOST_COLORS = 256 };
enum { PIXEL_16 = 1, PIXEL_24, PIXEL_32, INDEX_4, INDEX_8 };
enum { PALETTE_IN_ORDER = 0x80 };

// The first picture of a TIM2 file; all sizes are within the file.
typedef struct tim2 {
    uint32_t size;  // of the file
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
    uint32_t width = sni_load_u16(head + 20), height = sni_load_u16(head + 22);
    if (header < PICTURE_BYTES || header > rest || pixel_bytes > rest - header) return false;
    if (width == 0 || height == 0) return false;
    uint64_t after = rest - header - pixel_bytes;
    *t = (tim2){ .size = total >= header && total <= rest ? at + (uint32_t)total : data.count,
                 .width = width,
                 .height = height,
                 .kind = head[19],
                 .level_count = head[17],
                 .palette_kind = head[18],
                 .color_count = sni_load_u16(head + 14),
                 .pixels = head + header,
                 .palette = head + header + pixel_bytes,
                 .pixel_bytes = pixel_bytes,
                 .palette_bytes = after < palette_bytes ? after : palette_bytes };
    return true;
}

// --- Alpha: whether an image is opaque, has holes, or is blended ---

static level5_alpha alpha_of(uint32_t value)
{
    return value >= 127 ? LEVEL5_ALPHA_OPAQUE : value <= 1 ? LEVEL5_ALPHA_BINARY : LEVEL5_ALPHA_BLENDED;
}

// Only colours in use count: unused ones are often all zero.
static level5_alpha palette_alpha(const tim2 *t, uint64_t count)
{
    bool is_used[MOST_COLORS] = { false };
    uint32_t each = t->color_count > 0 ? (uint32_t)(t->palette_bytes / t->color_count) : 0;
    bool is_shuffled = t->kind == INDEX_8 && !(t->palette_kind & PALETTE_IN_ORDER);
    level5_alpha found = LEVEL5_ALPHA_OPAQUE;
    if (each != 4 && each != 2) return found;
    for (uint64_t i = 0; t->kind == INDEX_8 && i < count; i++) is_used[t->pixels[i]] = true;
    for (uint64_t i = 0; t->kind == INDEX_4 && i < (count + 1) / 2; i++)
        is_used[t->pixels[i] & 15] = is_used[t->pixels[i] >> 4] = true;
    for (uint32_t i = 0; i < MOST_COLORS; i++) {
        uint32_t slot = is_shuffled ? (i & ~24u) | (i & 8) << 1 | (i & 16) >> 1 : i;
        if (!is_used[i] || slot >= t->color_count) continue;
        const uint8_t *color = t->palette + (size_t)slot * each;
        level5_alpha alpha = each == 4         ? alpha_of(color[3])
                             : color[1] & 0x80 ? LEVEL5_ALPHA_OPAQUE
                                               : LEVEL5_ALPHA_BINARY;
        if (alpha > found) found = alpha;
    }
    return found;
}

static level5_alpha image_alpha(uint64_t *pixels_left, const tim2 *t)
{
    static const uint8_t bits[] = { [PIXEL_16] = 16, [PIXEL_24] = 24, [PIXEL_32] = 32, [INDEX_4] = 4, [INDEX_8] = 8 };
    uint64_t count = (uint64_t)t->width * t->height;
    level5_alpha found = LEVEL5_ALPHA_OPAQUE;
    if (t->kind >= sizeof bits || bits[t->kind] == 0 || (count * bits[t->kind] + 7) / 8 > t->pixel_bytes) return found;
    if (count > *pixels_left) return found;  // bounds the work if many names share large pictures
    *pixels_left -= count;
    if (t->kind == INDEX_4 || t->kind == INDEX_8) return palette_alpha(t, count);
    for (uint64_t i = 0; t->kind == PIXEL_32 && i < count && found < LEVEL5_ALPHA_BLENDED; i++) {
        level5_alpha alpha = alpha_of(t->pixels[i * 4 + 3]);
        if (alpha > found) found = alpha;
    }
    for (uint64_t i = 0; t->kind == PIXEL_16 && i < count && found < LEVEL5_ALPHA_BINARY; i++)
        if (!(t->pixels[i * 2 + 1] & 0x80)) found = LEVEL5_ALPHA_BINARY;
    return found;
}

// --- Swizzling ---

// A block of 16 x 16 pixels is stored as 8 x 8 words; four rows of pixels are two lines of words. A word holds four
// pixels, two rows and eight columns apart. In rows 2 to 5 of every eight, the halves of a line are swapped.
uint64_t level5_swizzled_offset(uint64_t x, uint64_t y, uint64_t width)
{
    uint64_t block = (y & ~(uint64_t)15) * width + (x & ~(uint64_t)15) * 2;
    uint64_t word = (x + ((y + 2) >> 2 & 1) * 4) & 7;
    uint64_t line = ((y >> 2 << 1) + (y & 1)) & 7;
    return block + line * 2 * width + word * 4 + (y >> 1 & 1) + (x >> 2 & 2);
}

void level5_unswizzle8(const uint8_t *from, size_t size, uint32_t width, uint32_t height, uint8_t *to)
{
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            uint64_t at = level5_swizzled_offset(x, y, width);
            *to++ = at < size ? from[at] : 0;
        }
    }
}

// IM3 has a flag for each picture. IM2 leaves pictures with several mip levels in row order.
static bool is_swizzled(const level5_picture *picture, const tim2 *t)
{
    bool is_flag_valid = picture->head.count == level5_picture_bytes(LEVEL5_IM3) || t->level_count <= 1;
    return picture->is_swizzled && is_flag_valid && t->kind == INDEX_8 &&
           (uint64_t)t->width * t->height <= t->pixel_bytes;
}

// --- Images ---

// Texture coordinates refer to the image's size rounded up to a power of two.
static float uv_scale_of(uint32_t size)
{
    uint32_t power = 1;
    while (power < size) power *= 2;
    return (float)power / (float)size;
}

static bool fill_image(level5_builder *b, const level5_picture *picture, const tim2 *t, uint32_t size, sn_image *image)
{
    bool must_change = is_swizzled(picture, t);
    image->size = size;
    image->data = picture->data.data;
    if (!must_change && sni_load_lend(b->load, image->data, image->size)) return true;
    uint8_t *copy = sni_new_raw(&b->load->keep, uint8_t, image->size);
    if (!copy) return false;
    memcpy(copy, image->data, (size_t)image->size);
    uint64_t level_bytes = t->level_count > 1 ? (uint64_t)t->width * t->height : t->pixel_bytes;  // of the first level
    if (must_change)
        level5_unswizzle8(t->pixels, (size_t)level_bytes, t->width, t->height, copy + (t->pixels - picture->data.data));
    image->data = copy;
    return true;
}

bool level5_read_picture(level5_array data, uint64_t *pixels_left, level5_image_info *info)
{
    tim2 t;
    if (!read_tim2(data, &t)) return false;
    *info = (level5_image_info){ .uv_scale = { uv_scale_of(t.width), uv_scale_of(t.height) },
                                 .alpha = image_alpha(pixels_left, &t),
                                 .width = t.width,
                                 .height = t.height };
    return true;
}

// `path` is NULL for pictures in archives.
static bool add_image(level5_builder *b, const level5_picture *picture, const char *name, const char *path)
{
    sn_image *image = sni_builder_add_image(&b->core);
    level5_image_info *info = image ? sni_push(&b->load->scratch, &b->materials.info, level5_image_info) : NULL;
    if (!info) return false;
    *image = (sn_image){ .name = name, .uri = path ? path : "", .mime_type = "" };
    *info = (level5_image_info){ .uv_scale = { 1, 1 }, .wrap_u = picture->wrap_u, .wrap_v = picture->wrap_v };
    if (!picture->data.data && !path) return true;
    tim2 t = { 0 };
    bool is_tim2 = read_tim2(picture->data, &t);
    if (is_tim2) {
        info->uv_scale = (sn_vec2){ uv_scale_of(t.width), uv_scale_of(t.height) };
        info->alpha = image_alpha(&b->materials.pixels_left, &t);
    } else if (!path) {
        sni_warn(&b->load->diag, SNI_WARN_IMAGE_TYPE, picture->offset, "\"%s\" is not a TIM2 picture", name);
    }
    if (!fill_image(b, picture, &t, is_tim2 && !path ? t.size : picture->data.count, image)) return false;
    image->mime_type = sni_mime_type((sni_bytes){ image->data, (size_t)image->size });
    return true;
}

// Pictures as separate files, as extraction tools leave them.
static bool add_image_file(level5_builder *b, sni_str name)
{
    const char *why, *clean = level5_text(b, name);
    sni_bytes bytes;
    level5_picture picture = { .wrap_u = SN_CLAMP, .wrap_v = SN_CLAMP };
    bool is_found = sni_load_find(b->load, name, "tm2 tim2 png tga bmp", &bytes, &why);
    if (is_found) picture.data = (level5_array){ bytes.data, (uint32_t)bytes.size };
    else
        sni_warn(&b->load->diag, SNI_WARN_IMAGE_MISSING, 0, "\"%.100s\" is not in an image archive; as a file: %s",
                 clean, why);
    return add_image(b, &picture, clean, is_found ? clean : NULL) && sni_load_ok(b->load);
}

static bool has_pixels(const level5_picture *picture)
{
    return !picture->is_script && !picture->is_empty && picture->data.count > 0;
}

bool level5_index_pictures(level5_builder *b)
{
    int32_t number = 0;
    for (uint32_t i = 0; i < b->archives.count; i++) {
        const level5_img *img = level5_items(const level5_img *, b->archives)[i];
        for (uint32_t k = 0; k < img->picture_count; k++, number++)
            if (has_pixels(&img->pictures[k]) &&
                !sni_nocase_names_add(&b->load->scratch, &b->materials.pictures, img->pictures[k].name, number))
                return false;
    }
    return true;
}

static const level5_picture *picture_at(const level5_builder *b, uint32_t number)
{
    for (uint32_t i = 0; i < b->archives.count; i++) {
        const level5_img *img = level5_items(const level5_img *, b->archives)[i];
        if (number < img->picture_count) return &img->pictures[number];
        number -= img->picture_count;
    }
    return NULL;
}

int32_t level5_find_image(level5_builder *b, sni_str name)
{
    if (name.size == 0) return -1;
    int32_t known = sni_nocase_names_find(&b->materials.images, name);
    if (known >= 0) return known;
    int32_t number = sni_nocase_names_find(&b->materials.pictures, name), index = (int32_t)b->core.images.count;
    const level5_picture *picture = number < 0 ? NULL : picture_at(b, (uint32_t)number);
    if (!(picture ? add_image(b, picture, level5_text(b, picture->name), NULL) : add_image_file(b, name))) return -1;
    return sni_nocase_names_add(&b->load->scratch, &b->materials.images, name, index) ? index : -1;
}

bool level5_add_all_images(level5_builder *b)
{
    for (uint32_t i = 0; i < b->archives.count; i++) {
        const level5_img *img = level5_items(const level5_img *, b->archives)[i];
        for (uint32_t k = 0; k < img->picture_count; k++) {
            const level5_picture *picture = &img->pictures[k];
            if (has_pixels(picture) && !add_image(b, picture, level5_text(b, picture->name), NULL)) return false;
        }
    }
    return true;
}

// --- Materials ---

// Opaque unless the draw codes, the material or the image require blending.
void level5_set_blend(const level5_codes *codes, level5_alpha alpha, bool is_transparent, sn_layer *layer)
{
    const float opaque = 128.0f;
    if (codes->blend != SN_BLEND_OPAQUE) layer->blend = codes->blend;
    else if (is_transparent || (alpha == LEVEL5_ALPHA_BLENDED && !codes->is_opaque)) layer->blend = SN_BLEND_ALPHA;
    if (codes->alpha_ref >= 0) layer->alpha_cutoff = sni_clamp_unit((float)codes->alpha_ref / opaque);
    else if (alpha == LEVEL5_ALPHA_BINARY && !codes->is_opaque && layer->blend == SN_BLEND_OPAQUE)
        layer->alpha_cutoff = 0.5f;
}

uint32_t level5_layer_flags(const level5_codes *codes)
{
    return (codes->is_unlit ? SN_LAYER_UNLIT : 0u) | (codes->is_one_sided ? 0u : SN_LAYER_TWO_SIDED) |
           (codes->no_depth_write ? SN_LAYER_NO_DEPTH_WRITE : 0u) |
           (codes->no_depth_test ? SN_LAYER_NO_DEPTH_TEST : 0u);
}

// Equal materials are shared. -1 after a failure.
static int32_t find_material(level5_builder *b, const char *name, const sn_layer *layer)
{
    uint32_t hash = sni_hash_more(sni_hash(layer, sizeof *layer), name, strlen(name));
    for (sni_map_cursor at = sni_map_find(&b->materials.map, hash); sni_map_next(&b->materials.map, &at);) {
        const sn_material *known = &level5_items(sn_material, b->core.materials)[at.item];
        if (strcmp(known->name, name) == 0 && memcmp(known->layers, layer, sizeof *layer) == 0) return (int32_t)at.item;
    }
    if (!sni_map_add(&b->materials.map, &b->load->scratch, hash, b->core.materials.count)) return -1;
    sn_material *material = sni_builder_add_material(&b->core);
    sn_layer *copy = material ? sni_new_raw(&b->load->keep, sn_layer, 1) : NULL;
    if (!copy) return -1;
    *copy = *layer;
    *material = (sn_material){ .name = name, .layers = copy, .layer_count = 1 };
    return (int32_t)b->core.materials.count - 1;
}

// A colour that clips animate belongs to the part, and the layer is white. The games blend such colours in sRGB, as
// parts do.
bool level5_build_material(level5_builder *b, uint32_t node, const level5_mesh *mesh, int32_t index, sn_part *part)
{
    const level5_codes *codes = &b->bones[node].codes;
    level5_material source = { .diffuse = { 1, 1, 1, 1 }, .texture = { "", 0 } };
    bool has_alpha_track, has_color_track;
    level5_alpha alpha = LEVEL5_ALPHA_OPAQUE;
    sn_layer layer = sni_layer_default();
    if (index >= 0) source = level5_read_material(mesh, (uint32_t)index);
    level5_find_material_tracks(b, node, index, &has_alpha_track, &has_color_track);

    int32_t image = level5_find_image(b, source.texture);
    if (image >= 0) {
        const level5_image_info *info = &level5_items(level5_image_info, b->materials.info)[image];
        sn_texture *map = &layer.maps[SN_MAP_COLOR];
        map->image = image;
        map->wrap_u = b->game == LEVEL5_DC1 ? SN_CLAMP : info->wrap_u;
        map->wrap_v = b->game == LEVEL5_DC1 ? SN_CLAMP : info->wrap_v;
        alpha = info->alpha;
    }

    sn_vec4 c = { sni_clamp_unit(source.diffuse[0]), sni_clamp_unit(source.diffuse[1]),
                  sni_clamp_unit(source.diffuse[2]), sni_clamp_unit(source.diffuse[3]) };
    if (has_alpha_track || has_color_track) part->color = c;
    else
        layer.color = (sn_vec4){ (float)sni_linear_of(c.x), (float)sni_linear_of(c.y), (float)sni_linear_of(c.z), c.w };
    level5_set_blend(codes, alpha, has_alpha_track || part->color.w < 1.0f || layer.color.w < 1.0f, &layer);
    layer.flags = level5_layer_flags(codes);
    part->material = find_material(b, level5_text(b, source.texture), &layer);
    return part->material >= 0 && sni_load_ok(b->load);
}
