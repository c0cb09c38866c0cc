// TrueType fonts, and a texture atlas of rasterized glyphs. Fonts are opened when the first text is drawn. stb_truetype
// does not validate fonts, so only fonts named by the user or installed on the system are opened, and truncated ones
// are rejected.
#include "base/reader.h"
#include "render/render.h"

#include <string.h>

enum { GLYPH_SIDE = 64 };

typedef struct glyph_bitmap {
    int left, top, width, height;
    uint8_t coverage[GLYPH_SIDE * GLYPH_SIDE];
} glyph_bitmap;

typedef struct font_set font_set;

#ifdef SINEW_HAS_STB

#    include <stdio.h>

#    include "io/file.h"

// stb_truetype allocates from an arena that lives for one glyph.
#    define STBTT_malloc(size, arena) sni_alloc_raw((arena), 1, (size))
#    define STBTT_free(at, arena)     ((void)(at), (void)(arena))
#    define STBTT_assert(claim)       ((void)(claim))
#    define STBTT_STATIC
#    define STB_TRUETYPE_IMPLEMENTATION
#    include <stb_truetype.h>

enum { MAX_FONTS = 16, PATH_BYTES = 1024 };

typedef struct font {
    sni_bytes file;
    stbtt_fontinfo info;
    float unit;  // font units to heights of a capital letter
} font;

struct font_set {
    uint32_t count;
    font list[MAX_FONTS];
};

// In order of preference.
static const char *const system_fonts[] = {
    "truetype/dejavu/DejaVuSans.ttf",
    "TTF/DejaVuSans.ttf",
    "dejavu-sans-fonts/DejaVuSans.ttf",
    "dejavu/DejaVuSans.ttf",
    "truetype/noto/NotoSans-Regular.ttf",
    "noto/NotoSans-Regular.ttf",
    "google-noto/NotoSans-Regular.ttf",
    "truetype/liberation/LiberationSans-Regular.ttf",
    "truetype/freefont/FreeSans.ttf",
    "opentype/noto/NotoSansCJK-Regular.ttc",
    "noto-cjk/NotoSansCJK-Regular.ttc",
    "google-noto-sans-cjk-fonts/NotoSansCJK-Regular.ttc",
    "truetype/wqy/wqy-microhei.ttc",
    "truetype/wqy/wqy-zenhei.ttc",
    "truetype/droid/DroidSansFallbackFull.ttf",
    "opentype/ipafont-gothic/ipag.ttf",
    "truetype/vlgothic/VL-Gothic-Regular.ttf",
    "truetype/arphic/uming.ttc",
};

// False: truncated, or not a font.
static bool has_complete_tables(sni_bytes file, size_t start)
{
    enum { HEADER = 12, RECORD = 16 };
    if (start > file.size || file.size - start < HEADER) return false;
    const uint8_t *record = file.data + start + HEADER;
    size_t count = (size_t)file.data[start + 4] << 8 | file.data[start + 5];
    if (count > (file.size - start - HEADER) / RECORD) return false;
    for (; count > 0; count--, record += RECORD) {
        uint32_t offset = sni_load_big_u32(record + 8), size = sni_load_big_u32(record + 12);
        if (offset > file.size || size > file.size - offset) return false;
    }
    return true;
}

static float unit_of(const stbtt_fontinfo *info)
{
    int left, bottom, right, top;
    bool has_capital = stbtt_GetCodepointBox(info, 'H', &left, &bottom, &right, &top) && top > 0;
    return has_capital ? 1 / (float)top : stbtt_ScaleForMappingEmToPixels(info, 1 / 0.73f);
}

static bool open_font(font *f, const char *path)
{
    enum { LEAST = 32, MOST = 128 << 20 };
    int start = -1;
    if (!sni_file_map(path, MOST, &f->file)) return false;
    if (f->file.size >= LEAST) start = stbtt_GetFontOffsetForIndex(f->file.data, 0);
    if (start >= 0 && has_complete_tables(f->file, (size_t)start) && stbtt_InitFont(&f->info, f->file.data, start)) {
        f->unit = unit_of(&f->info);
        if (f->unit > 0 && isfinite(f->unit)) return true;
    }
    sni_file_unmap(f->file);
    return false;
}

static void add_font(font_set *fonts, const char *path)
{
    if (fonts->count < MAX_FONTS && open_font(&fonts->list[fonts->count], path)) fonts->count++;
}

static void add_listed(font_set *fonts, const char *paths)
{
    char path[PATH_BYTES];
    for (const char *end; *paths; paths = *end ? end + 1 : end) {
        end = paths + strcspn(paths, ":");
        if (snprintf(path, sizeof path, "%.*s", (int)(end - paths), paths) < PATH_BYTES) add_font(fonts, path);
    }
}

static void add_system_fonts(font_set *fonts)
{
    char path[PATH_BYTES];
    for (size_t i = 0; i < sizeof system_fonts / sizeof *system_fonts; i++) {
        snprintf(path, sizeof path, "/usr/share/fonts/%s", system_fonts[i]);
        add_font(fonts, path);
    }
}

static font_set *fonts_open(sni_heap *heap, const char *paths)
{
    font_set *fonts = sni_heap_alloc(heap, sizeof *fonts);
    if (!fonts) return NULL;
    fonts->count = 0;
    if (paths) add_listed(fonts, paths);
    else add_system_fonts(fonts);
    return fonts;
}

static void fonts_close(font_set *fonts, sni_heap *heap)
{
    if (!fonts) return;
    for (uint32_t i = 0; i < fonts->count; i++) sni_file_unmap(fonts->list[i].file);
    sni_heap_free(heap, fonts, sizeof *fonts);
}

static bool fonts_find(const font_set *fonts, uint32_t code, sni_glyph_shape *shape)
{
    for (uint32_t i = 0; fonts && i < fonts->count; i++) {
        const font *f = &fonts->list[i];
        int glyph = stbtt_FindGlyphIndex(&f->info, (int)code), advance, bearing;
        if (glyph <= 0) continue;
        stbtt_GetGlyphHMetrics(&f->info, glyph, &advance, &bearing);
        *shape = (sni_glyph_shape){ .font = i, .glyph = glyph, .advance = fmaxf((float)advance * f->unit, 0) };
        return isfinite(shape->advance);
    }
    return false;
}

static bool fonts_rasterize(const font_set *fonts, const sni_glyph_shape *shape, float size, float shift,
                            sni_heap *heap, glyph_bitmap *bitmap)
{
    stbtt_fontinfo info = fonts->list[shape->font].info;
    float scale = fonts->list[shape->font].unit * size;
    sni_arena scratch;
    int right, bottom;
    sni_arena_init(&scratch, heap);
    info.userdata = &scratch;
    stbtt_GetGlyphBitmapBoxSubpixel(&info, shape->glyph, scale, scale, shift, 0, &bitmap->left, &bitmap->top, &right,
                                    &bottom);
    bitmap->width = right - bitmap->left, bitmap->height = bottom - bitmap->top;
    bool is_good = bitmap->width >= 0 && bitmap->height >= 0 && bitmap->width <= GLYPH_SIDE &&
                   bitmap->height <= GLYPH_SIDE;
    if (is_good && bitmap->width > 0 && bitmap->height > 0)
        stbtt_MakeGlyphBitmapSubpixel(&info, bitmap->coverage, bitmap->width, bitmap->height, bitmap->width, scale,
                                      scale, shift, 0, shape->glyph);
    sni_arena_free(&scratch);
    return is_good;
}

#else

static font_set *fonts_open(sni_heap *heap, const char *paths) { return (void)heap, (void)paths, NULL; }
static void fonts_close(font_set *fonts, sni_heap *heap) { (void)fonts, (void)heap; }
static bool fonts_find(const font_set *fonts, uint32_t code, sni_glyph_shape *shape)
{
    return (void)fonts, (void)code, (void)shape, false;
}

static bool fonts_rasterize(const font_set *fonts, const sni_glyph_shape *shape, float size, float shift,
                            sni_heap *heap, glyph_bitmap *bitmap)
{
    return (void)fonts, (void)shape, (void)size, (void)shift, (void)heap, (void)bitmap, false;
}

#endif

enum { SIDE = 1024, SLOTS = 2048, MAX_GLYPHS = SLOTS * 3 / 4 };

static const float largest = 32;  // larger glyphs are scaled up

// A glyph in the atlas: its box in the texture, and the offset of that box from the pen position. Code 0: a free slot.
// Shift: the pen is this many quarters of a pixel right of a whole pixel.
typedef struct slot {
    uint32_t code, shift;
    float size;
    uint16_t x, y, width, height;
    int16_t left, top;
} slot;

struct sni_glyph_atlas {
    font_set *fonts;
    GLuint texture;
    uint32_t count, x, y, row_height;  // x, y: where the next glyph goes
    bool is_full;
    glyph_bitmap bitmap;
    slot slots[SLOTS];
};

typedef struct vertex {
    float x, y;
    uint16_t u, v;
    uint8_t rgba[4];
} vertex;

// Searches for fonts once.
static sni_glyph_atlas *atlas_of(sn_renderer *renderer)
{
    if (renderer->atlas || renderer->has_no_fonts) return renderer->atlas;
    font_set *fonts = fonts_open(&renderer->heap, renderer->opts.fonts);
    sni_glyph_atlas *atlas = fonts ? sni_heap_alloc(&renderer->heap, sizeof *atlas) : NULL;
    if (atlas) {
        memset(atlas, 0, sizeof *atlas);
        atlas->fonts = fonts;
    } else {
        fonts_close(fonts, &renderer->heap);
    }
    renderer->atlas = atlas;
    renderer->has_no_fonts = !atlas && !sni_failed(&renderer->diag);
    return atlas;
}

void sni_glyph_atlas_free(sn_renderer *renderer)
{
    sni_glyph_atlas *atlas = renderer->atlas;
    if (!atlas) return;
    fonts_close(atlas->fonts, &renderer->heap);
    sni_heap_free(&renderer->heap, atlas, sizeof *atlas);
    renderer->atlas = NULL;
}

void sni_glyph_atlas_free_texture(sn_renderer *renderer)
{
    if (renderer->atlas) glDeleteTextures(1, &renderer->atlas->texture);
}

bool sni_glyph_find(sn_renderer *renderer, uint32_t code, sni_glyph_shape *shape)
{
    sni_glyph_atlas *atlas = renderer && code > 0 ? atlas_of(renderer) : NULL;
    return atlas && fonts_find(atlas->fonts, code, shape);
}

static bool find_room(sni_glyph_atlas *atlas, uint32_t width, uint32_t height, slot *s)
{
    if (atlas->x + width + 1 > SIDE) atlas->x = 0, atlas->y += atlas->row_height, atlas->row_height = 0;
    if (atlas->y + height + 1 > SIDE || atlas->count == MAX_GLYPHS) return false;
    s->x = (uint16_t)atlas->x, s->y = (uint16_t)atlas->y, s->width = (uint16_t)width, s->height = (uint16_t)height;
    atlas->x += width + 1;
    if (atlas->row_height < height + 1) atlas->row_height = height + 1;
    atlas->count++;
    return true;
}

static void make_texture(sni_glyph_atlas *atlas)
{
    glGenTextures(1, &atlas->texture);
    glBindTexture(GL_TEXTURE_2D, atlas->texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, SIDE, SIDE, 0, GL_RED, GL_UNSIGNED_BYTE, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
}

static void upload(sni_glyph_atlas *atlas, const slot *s)
{
    glActiveTexture(GL_TEXTURE0 + SNI_UNIT_UPLOAD);
    if (atlas->texture) glBindTexture(GL_TEXTURE_2D, atlas->texture);
    else make_texture(atlas);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexSubImage2D(GL_TEXTURE_2D, 0, s->x, s->y, s->width, s->height, GL_RED, GL_UNSIGNED_BYTE,
                    atlas->bitmap.coverage);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
}

static slot *slot_of(sni_glyph_atlas *atlas, uint32_t code, uint32_t shift, float size)
{
    uint32_t at = ((code * 4 + shift) * 2654435761u ^ (uint32_t)(size * 64)) % SLOTS;
    for (;; at = (at + 1) % SLOTS) {
        const slot *s = &atlas->slots[at];
        if (s->code == 0 || (s->code == code && s->shift == shift && s->size == size)) return &atlas->slots[at];
    }
}

// NULL: the atlas is full; a flush clears it.
static const slot *rasterize(sn_renderer *renderer, uint32_t code, const sni_glyph_shape *shape, uint32_t shift,
                             float size)
{
    sni_glyph_atlas *atlas = renderer->atlas;
    slot *s = slot_of(atlas, code, shift, size);
    if (s->code != 0) return s;
    glyph_bitmap *bitmap = &atlas->bitmap;
    if (!fonts_rasterize(atlas->fonts, shape, size, (float)shift / 4, &renderer->heap, bitmap) ||
        sni_failed(&renderer->diag))
        return NULL;
    slot made = {
        .code = code, .shift = shift, .size = size, .left = (int16_t)bitmap->left, .top = (int16_t)bitmap->top
    };
    atlas->is_full = !find_room(atlas, (uint32_t)bitmap->width, (uint32_t)bitmap->height, &made);
    if (atlas->is_full) return NULL;
    if (made.width > 0 && made.height > 0) upload(atlas, &made);
    *s = made;
    return s;
}

static uint8_t byte_of(float part) { return (uint8_t)(fminf(fmaxf(part, 0), 1) * 255 + 0.5f); }

static void put_corner(const sni_debug_draw *draw, float x, float y, uint32_t u, uint32_t v, sn_vec4 color)
{
    vertex corner = { x / draw->width * 2 - 1,
                      1 - y / draw->height * 2,
                      (uint16_t)u,
                      (uint16_t)v,
                      { byte_of(color.x), byte_of(color.y), byte_of(color.z), byte_of(color.w) } };
    sni_write_bytes(&draw->renderer->glyph_vertices, &corner, sizeof corner);
}

// Small letters are placed to a quarter of a pixel, so that their distances look even. Ideographs, of which there are
// too many for the atlas, and scaled glyphs are at whole pixels.
bool sni_glyph_draw(sni_debug_draw *draw, uint32_t code, const sni_glyph_shape *shape, sn_vec2 at, float size,
                    sn_vec4 color)
{
    static const int order[6] = { 0, 1, 2, 2, 1, 3 };
    float drawn = fminf(size, largest), stretch = size / drawn;
    if (!(size > 0)) return true;
    const uint32_t ideographs = 0x2e80;
    bool is_fine = code < ideographs && stretch == 1;
    float pen = is_fine ? floorf(at.x + 0.125f) : floorf(at.x + 0.5f);
    uint32_t shift = is_fine ? (uint32_t)fminf(fmaxf((at.x + 0.125f - pen) * 4, 0), 3) : 0;
    const slot *s = rasterize(draw->renderer, code, shape, shift, drawn);
    if (!s && draw->renderer->atlas->is_full && sni_debug_flush(draw, SNI_ON_TOP))
        s = rasterize(draw->renderer, code, shape, shift, drawn);
    if (!s) return false;
    float left = pen + (float)s->left * stretch, top = floorf(at.y + 0.5f) + (float)s->top * stretch;
    for (int i = 0; i < 6 && s->width > 0; i++) {
        uint32_t x = order[i] & 1 ? s->width : 0, y = order[i] & 2 ? s->height : 0;
        put_corner(draw, left + (float)x * stretch, top + (float)y * stretch, s->x + x, s->y + y, color);
    }
    return true;
}

static void bind_glyphs(sn_renderer *renderer)
{
    if (!renderer->glyph_array) glGenVertexArrays(1, &renderer->glyph_array);
    glBindVertexArray(renderer->glyph_array);
    glBindBuffer(GL_ARRAY_BUFFER, renderer->debug_buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)renderer->glyph_vertices.size, renderer->glyph_vertices.data,
                 GL_STREAM_DRAW);
    glVertexAttribPointer(SNI_AT_POSITION, 2, GL_FLOAT, GL_FALSE, sizeof(vertex), NULL);
    glVertexAttribPointer(SNI_AT_UV, 2, GL_UNSIGNED_SHORT, GL_FALSE, sizeof(vertex), (const void *)offsetof(vertex, u));
    glVertexAttribPointer(SNI_AT_COLOR, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(vertex),
                          (const void *)offsetof(vertex, rgba));
    glEnableVertexAttribArray(SNI_AT_POSITION);
    glEnableVertexAttribArray(SNI_AT_UV);
    glEnableVertexAttribArray(SNI_AT_COLOR);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, renderer->atlas->texture);
    glBindSampler(0, 0);
}

// Uses the OpenGL state that sni_debug_flush has set.
bool sni_glyphs_flush(sn_renderer *renderer)
{
    size_t count = renderer->glyph_vertices.size / sizeof(vertex);
    if (count > 0) {
        const sni_program *program = sni_program_for(renderer, SNI_DEBUG_DRAW | SNI_COLOR_MAP);
        if (!program) return false;
        bind_glyphs(renderer);
        glUseProgram(program->id);
        glDrawArrays(GL_TRIANGLES, 0, (GLsizei)count);
        renderer->glyph_vertices.size = 0;
    }
    if (!renderer->atlas || !renderer->atlas->is_full) return true;
    memset(renderer->atlas->slots, 0, sizeof renderer->atlas->slots);
    renderer->atlas->count = renderer->atlas->x = renderer->atlas->y = renderer->atlas->row_height = 0;
    renderer->atlas->is_full = false;
    return true;
}
