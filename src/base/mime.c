#include "base/mime.h"

#include <string.h>

#include "base/reader.h"

// Only the fields that identify a TGA; the decoder checks the rest.
static bool is_tga(sni_bytes bytes)
{
    if (bytes.size < 18) return false;
    const uint8_t *at = bytes.data;
    uint8_t map_kind = at[1], kind = at[2] & 7, map_bits = at[7], bits = at[16], alpha_bits = at[17] & 15;
    if (map_kind > 1 || (at[2] & ~8) > 3 || kind < 1 || (at[17] & 0xC0)) return false;
    if (sni_load_u16(at + 12) == 0 || sni_load_u16(at + 14) == 0) return false;
    bool has_map = map_bits == 15 || map_bits == 16 || map_bits == 24 || map_bits == 32;
    if (map_kind == 1 && (!has_map || sni_load_u16(at + 5) == 0)) return false;
    if (kind == 1) return map_kind == 1 && bits == 8 && (alpha_bits == 0 || alpha_bits == 8);
    if (kind == 3) return (bits == 8 && alpha_bits == 0) || (bits == 16 && (alpha_bits == 0 || alpha_bits == 8));
    if (bits == 32) return alpha_bits == 0 || alpha_bits == 8;
    return bits == 24 ? alpha_bits == 0 : (bits == 15 || bits == 16) && alpha_bits <= 1;
}

const char *sni_mime_type(sni_bytes bytes)
{
    static const struct {
        const char *signature;
        size_t size, at;
        const char *mime_type;
    } kinds[] = {
        { "\x89PNG\r\n\x1A\n", 8, 0, SNI_MIME_PNG },
        { "\xFF\xD8\xFF", 3, 0, SNI_MIME_JPEG },
        { "WEBP", 4, 8, SNI_MIME_WEBP },
        { "\xABKTX 20\xBB\r\n\x1A\n", 12, 0, SNI_MIME_KTX2 },
        { "DDS ", 4, 0, SNI_MIME_DDS },
        { "BLP1", 4, 0, SNI_MIME_BLP },
        { "BLP2", 4, 0, SNI_MIME_BLP },
        { "BLP0", 4, 0, SNI_MIME_BLP },
        { "GIF8", 4, 0, "image/gif" },
        { "BM", 2, 0, "image/bmp" },
        { "sB", 2, 0, "image/basis" },
        { "TIM2", 4, 0, SNI_MIME_TIM2 },
        { "TIM3", 4, 0, SNI_MIME_TIM2 },  // some files of the same layout
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (bytes.size < kinds[i].at + kinds[i].size) continue;
        if (memcmp(bytes.data + kinds[i].at, kinds[i].signature, kinds[i].size) == 0) return kinds[i].mime_type;
    }
    return is_tga(bytes) ? SNI_MIME_TGA : "";
}

static const struct {
    const char *mime_type, *extensions;
} names[] = {
    { SNI_MIME_PNG, "png" }, { SNI_MIME_JPEG, "jpg jpeg" }, { SNI_MIME_BLP, "blp" },   { SNI_MIME_DDS, "dds" },
    { SNI_MIME_TGA, "tga" }, { SNI_MIME_TIM2, "tm2 tim2" }, { SNI_MIME_WEBP, "webp" },
};

const char *sni_mime_extensions(const char *mime_type)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].mime_type, mime_type) == 0) return names[i].extensions;
    return "";
}

const char *sni_mime_of_path(const char *path)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (sni_has_ending(path, names[i].extensions)) return names[i].mime_type;
    return "";
}
