// Letters that are no strokes of ours: from fonts, which are opened when the first such letter comes. stb_truetype
// believes what a font says, so only those that the user names or the system has are opened, and of these none whose
// tables lie outside the file.
#include "render/render.h"

#ifdef SINEW_HAS_STB

#    include <stdio.h>

#    include "io/file.h"

// It takes its memory from an arena that lives for one letter.
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
    float unit;
} font;  // unit: of the font, per height of a capital

struct sni_typeface {
    uint32_t count;
    font fonts[MAX_FONTS];
};

// The first that has a letter draws it.
static const char *const well_known[] = {
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

static uint32_t big_u32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

// A font that was cut short, or is none.
static bool has_its_tables(sni_bytes file, size_t start)
{
    enum { HEADER = 12, RECORD = 16 };
    if (start > file.size || file.size - start < HEADER) return false;
    const uint8_t *record = file.data + start + HEADER;
    size_t count = (size_t)file.data[start + 4] << 8 | file.data[start + 5];
    if (count > (file.size - start - HEADER) / RECORD) return false;
    for (; count > 0; count--, record += RECORD) {
        uint32_t offset = big_u32(record + 8), size = big_u32(record + 12);
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
    if (start >= 0 && has_its_tables(f->file, (size_t)start) && stbtt_InitFont(&f->info, f->file.data, start)) {
        f->unit = unit_of(&f->info);
        if (f->unit > 0 && isfinite(f->unit)) return true;
    }
    sni_file_unmap(f->file);
    return false;
}

static void add_font(sni_typeface *face, const char *path)
{
    if (face->count < MAX_FONTS && open_font(&face->fonts[face->count], path)) face->count++;
}

static void add_chosen(sni_typeface *face, const char *paths)
{
    char path[PATH_BYTES];
    for (const char *end; *paths; paths = *end ? end + 1 : end) {
        end = paths + strcspn(paths, ":");
        if (snprintf(path, sizeof path, "%.*s", (int)(end - paths), paths) < PATH_BYTES) add_font(face, path);
    }
}

static void add_well_known(sni_typeface *face)
{
    char path[PATH_BYTES];
    for (size_t i = 0; i < sizeof well_known / sizeof *well_known; i++) {
        snprintf(path, sizeof path, "/usr/share/fonts/%s", well_known[i]);
        add_font(face, path);
    }
}

sni_typeface *sni_typeface_open(sni_heap *heap, const char *paths)
{
    sni_typeface *face = sni_heap_alloc(heap, sizeof *face);
    if (!face) return NULL;
    face->count = 0;
    if (paths) add_chosen(face, paths);
    else add_well_known(face);
    return face;
}

void sni_typeface_close(sni_typeface *face, sni_heap *heap)
{
    if (!face) return;
    for (uint32_t i = 0; i < face->count; i++) sni_file_unmap(face->fonts[i].file);
    sni_heap_free(heap, face, sizeof *face);
}

bool sni_typeface_find(const sni_typeface *face, uint32_t code, sni_letter_shape *shape)
{
    for (uint32_t i = 0; face && i < face->count; i++) {
        const font *f = &face->fonts[i];
        int glyph = stbtt_FindGlyphIndex(&f->info, (int)code), advance, bearing;
        if (glyph <= 0) continue;
        stbtt_GetGlyphHMetrics(&f->info, glyph, &advance, &bearing);
        *shape = (sni_letter_shape){ .font = i, .glyph = glyph, .advance = fmaxf((float)advance * f->unit, 0) };
        return isfinite(shape->advance);
    }
    return false;
}

bool sni_typeface_draw(const sni_typeface *face, const sni_letter_shape *shape, float size, sni_heap *heap,
                       sni_letter_picture *picture)
{
    stbtt_fontinfo info = face->fonts[shape->font].info;
    float scale = face->fonts[shape->font].unit * size;
    sni_arena scratch;
    int right, bottom;
    sni_arena_init(&scratch, heap);
    info.userdata = &scratch;
    stbtt_GetGlyphBitmapBox(&info, shape->glyph, scale, scale, &picture->left, &picture->top, &right, &bottom);
    picture->width = right - picture->left, picture->height = bottom - picture->top;
    bool is_good = picture->width >= 0 && picture->height >= 0 && picture->width <= SNI_LETTER_SIDE &&
                   picture->height <= SNI_LETTER_SIDE;
    if (is_good && picture->width > 0 && picture->height > 0)
        stbtt_MakeGlyphBitmap(&info, picture->shades, picture->width, picture->height, picture->width, scale, scale,
                              shape->glyph);
    sni_arena_free(&scratch);
    return is_good;
}

#else

sni_typeface *sni_typeface_open(sni_heap *heap, const char *paths) { return (void)heap, (void)paths, NULL; }
void sni_typeface_close(sni_typeface *face, sni_heap *heap) { (void)face, (void)heap; }
bool sni_typeface_find(const sni_typeface *face, uint32_t code, sni_letter_shape *shape)
{
    return (void)face, (void)code, (void)shape, false;
}

bool sni_typeface_draw(const sni_typeface *face, const sni_letter_shape *shape, float size, sni_heap *heap,
                       sni_letter_picture *picture)
{
    return (void)face, (void)shape, (void)size, (void)heap, (void)picture, false;
}

#endif
