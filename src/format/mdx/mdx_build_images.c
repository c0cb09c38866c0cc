// Textures to images: files, what the game chooses at run time, and the colours of the players.
#include <stdio.h>
#include <string.h>

#include "base/mime.h"
#include "format/mdx/mdx_build.h"

static const char ENDINGS[] = "blp dds tga png tif";

// What the game shows where a texture has a number instead of a path.
typedef struct stand_in {
    uint32_t id;
    const char *name, *path;
} stand_in;

enum { TEAM_COLOR = 1, TEAM_GLOW = 2 };

// clang-format off
static const stand_in warcraft[] = {
    { TEAM_COLOR, "team color", NULL },
    { TEAM_GLOW, "team glow", NULL },
    { 11, "cliff", "ReplaceableTextures\\Cliff\\Cliff0.blp" },
    { 21, "cursor", NULL },
    { 31, "Lordaeron tree", "ReplaceableTextures\\LordaeronTree\\LordaeronSummerTree.blp" },
    { 32, "Ashenvale tree", "ReplaceableTextures\\AshenvaleTree\\AshenTree.blp" },
    { 33, "Barrens tree", "ReplaceableTextures\\BarrensTree\\BarrensTree.blp" },
    { 34, "Northrend tree", "ReplaceableTextures\\NorthrendTree\\NorthTree.blp" },
    { 35, "mushroom tree", "ReplaceableTextures\\Mushroom\\MushroomTree.blp" },
    { 36, "Ruins tree", "ReplaceableTextures\\RuinsTree\\RuinsTree.blp" },
    { 37, "Outland mushroom tree", "ReplaceableTextures\\OutlandMushroomTree\\MushroomTree.blp" },
    { 0, NULL, NULL }
};

static const stand_in alpha[] = {
    { 1, "skin", NULL },        { 2, "object skin", NULL },     { 3, "weapon blade", NULL },    { 4, "weapon handle", NULL },
    { 5, "environment", NULL }, { 6, "hair", NULL },            { 7, "facial hair", NULL },     { 8, "skin extra", NULL },
    { 9, "UI skin", NULL },     { 10, "tauren mane", NULL },    { 11, "monster skin 1", NULL }, { 12, "monster skin 2", NULL },
    { 13, "monster skin 3", NULL }, { 14, "item icon", NULL },  { 0, NULL, NULL }
};
// clang-format on

static const uint32_t team_colors[] = {
    0xFF0303, 0x0042FF, 0x1CE6B9, 0x540081, 0xFFFC00, 0xFE8A0E, 0x20C000, 0xE55BB0,
    0x959697, 0x7EBFF1, 0x106246, 0x4E2A04, 0x9B0000, 0x0000C3, 0x00EAFF, 0xBE00FE,
    0xEBCD87, 0xF8A48B, 0xBFFF80, 0xDCB9EB, 0x282828, 0xEBF0FF, 0x00781E, 0xA46F33
};

enum { TEAMS = sizeof team_colors / sizeof *team_colors, GLOW_SIDE = 32, TGA_HEADER = 18 };

static uint32_t team_of(mdx_builder *b)
{
    uint32_t team = b->load->opts ? b->load->opts->team : 0;
    if (team < TEAMS) return team;
    sni_warn(&b->load->diag, SNI_WARN_VALUE_RANGE, 0, "team %u of %d", team, (int)TEAMS);
    return 0;
}

// From 255 in the middle to 0 at the rim, soft at both.
static uint8_t glow_at(int x, int y)
{
    int dx = 2 * x + 1 - GLOW_SIDE, dy = 2 * y + 1 - GLOW_SIDE, rim = GLOW_SIDE * GLOW_SIDE, far = dx * dx + dy * dy;
    if (far >= rim) return 0;
    int near = 255 * (rim - far) / rim;
    return (uint8_t)(near * near / 255);
}

// An uncompressed TGA, rows from the top, blue, green, red, alpha. The glow is drawn by adding: its colour fades too.
static bool build_team_image(mdx_builder *b, bool is_glow, sn_image *image)
{
    uint32_t color = team_colors[team_of(b)], side = is_glow ? GLOW_SIDE : 1;
    size_t size = TGA_HEADER + 4 * (size_t)side * side;
    uint8_t *data = sni_new(&b->load->keep, uint8_t, size), *out = data;
    if (!data) return false;
    data[2] = 2;
    data[12] = data[14] = (uint8_t)side;
    data[16] = 32;
    data[17] = 0x28;
    out += TGA_HEADER;
    for (uint32_t i = 0; i < side * side; i++, out += 4) {
        uint32_t light = is_glow ? glow_at((int)(i % side), (int)(i / side)) : 255;
        for (int c = 0; c < 3; c++) out[c] = (uint8_t)((color >> 8 * c & 255) * light / 255);
        out[3] = (uint8_t)light;
    }
    image->data = data;
    image->size = size;
    image->mime_type = SNI_MIME_TGA;
    return true;
}

// "Units\Human\Footman.blp" is called "Footman".
static const char *base_name(mdx_builder *b, const char *path)
{
    const char *start = path, *end = path + strlen(path);
    for (const char *at = path; *at; at++)
        if (*at == '\\' || *at == '/') start = at + 1;
    const char *dot = strrchr(start, '.');
    return sni_copy_text(&b->load->keep, start, (size_t)((dot && dot > start ? dot : end) - start));
}

// One file that several textures name is kept once.
static bool keep_bytes(mdx_builder *b, sni_bytes bytes, uint32_t index, sn_image *image)
{
    const sn_image *known = b->model->images;
    for (uint32_t i = 0; i < index; i++) {
        if (b->image_bytes[i] != bytes.data || known[i].size != bytes.size) continue;
        image->data = known[i].data;
        image->size = known[i].size;
        image->mime_type = known[i].mime_type;
        b->image_bytes[index] = bytes.data;
        return true;
    }
    uint8_t *data = sni_new_raw(&b->load->keep, uint8_t, bytes.size);
    if (!data) return false;
    if (bytes.size > 0) memcpy(data, bytes.data, bytes.size);
    b->image_bytes[index] = bytes.data;
    image->data = data;
    image->size = bytes.size;
    image->mime_type = sni_mime_type(bytes);
    return true;
}

// "_hd.w3mod:textures\\fog.blp": which of Reforged's own archives it lies in is of no use outside of the game.
static sni_str without_archive(const char *path)
{
    static const char mark[] = ".w3mod:";
    for (const char *at = path; *at; at++)
        if (sni_str_is_nocase(sni_str_make(at, strnlen(at, sizeof mark - 1)), mark)) path = at + sizeof mark - 1;
    return sni_str_make(path, strlen(path));
}

static bool open_image(mdx_builder *b, const char *path, uint64_t offset, uint32_t index, sn_image *image)
{
    sni_bytes bytes = { NULL, 0 };
    const char *why = "it has no path";
    bool is_open = path[0] && sni_load_find(b->load, without_archive(path), ENDINGS, &bytes, &why);
    if (is_open) return keep_bytes(b, bytes, index, image);
    if (sni_load_ok(b->load)) sni_warn(&b->load->diag, SNI_WARN_IMAGE_MISSING, offset, "\"%.80s\": %s", path, why);
    return sni_load_ok(b->load);
}

static bool stand_in_image(mdx_builder *b, const mdx_texture *texture, uint32_t index, sn_image *image)
{
    bool is_alpha = mdx_is_alpha(b->doc);
    const stand_in *found = is_alpha ? alpha : warcraft;
    char name[40];
    while (found->name && found->id != texture->replaceable) found++;
    int size = found->name ? snprintf(name, sizeof name, "%s", found->name)
                           : snprintf(name, sizeof name, "replaceable %u", texture->replaceable);
    image->name = sni_copy_text(&b->load->keep, name, (size_t)size);
    if (is_alpha) return true;
    if (found->id == TEAM_COLOR || found->id == TEAM_GLOW) return build_team_image(b, found->id == TEAM_GLOW, image);
    if (found->path) image->uri = found->path;
    return open_image(b, image->uri, texture->item.offset, index, image);
}

bool mdx_build_image(mdx_builder *b, const mdx_texture *texture, uint32_t index, sn_image *image)
{
    *image = (sn_image){ .name = "", .uri = "", .mime_type = "" };
    image->uri = mdx_text(b, texture->path, texture->item.offset);
    if (texture->replaceable != 0) return stand_in_image(b, texture, index, image);
    image->name = base_name(b, image->uri);
    return open_image(b, image->uri, texture->item.offset, index, image);
}
