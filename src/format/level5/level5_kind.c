// What a file is. Only MDS and pictures have a magic; the others are told by what all of their bytes look like, then by
// their name.
#include "format/level5/level5_parse.h"
#include "io/level5_pack.h"

enum { MOST_PADDING = 16, MOST_NODES = 1 << 16, TEXT_LOOKED_AT = 4096, END_OF_TEXT = 0x1A };

static bool has_magic(sni_bytes bytes, const char *magic)
{
    return bytes.size >= 16 && memcmp(bytes.data, magic, 4) == 0;
}

static bool is_track_type(int32_t type)
{
    switch (type) {
    case LEVEL5_ROTATION:
    case LEVEL5_SCALE:
    case LEVEL5_TRANSLATION:
    case LEVEL5_VERTEX:
    case LEVEL5_WEIGHTS:
    case LEVEL5_WEIGHTS_AVERAGED:
    case LEVEL5_CAMERA_POSITION:
    case LEVEL5_CAMERA_TARGET:
    case LEVEL5_CAMERA_ROLL:
    case LEVEL5_CAMERA_FOV:
    case LEVEL5_MATERIAL_ALPHA:
    case LEVEL5_MATERIAL_COLOR:
    case LEVEL5_VISIBLE_SELF:
    case LEVEL5_VISIBLE_TREE:
    case LEVEL5_IGNORED: return true;
    default: return false;
    }
}

static bool is_track(const uint8_t *head)
{
    return sni_load_u32(head + 12) == LEVEL5_TRACK_BYTES && sni_load_u32(head) < MOST_NODES &&
           is_track_type((int32_t)sni_load_u32(head + 8));
}

// From track to track to the end of the file, or nearly.
static bool are_tracks(sni_bytes bytes)
{
    size_t at = 0;
    while (bytes.size - at >= LEVEL5_TRACK_BYTES) {
        const uint8_t *head = bytes.data + at;
        uint32_t count = sni_load_u32(head + 16), next = sni_load_u32(head + 20);
        if (!is_track(head) || count > (bytes.size - at - LEVEL5_TRACK_BYTES) / LEVEL5_KEY_BYTES) return false;
        at += LEVEL5_TRACK_BYTES + (size_t)count * LEVEL5_KEY_BYTES;
        if (next == 0) break;
    }
    return at > 0 && bytes.size - at <= MOST_PADDING;
}

// All zero, or of three axes that are long enough and a place.
static bool is_bind(const uint8_t *at)
{
    float m[16], longest = 0;
    sni_load_words(at, m, 16);
    for (int i = 0; i < 16; i++) {
        float size = m[i] < 0 ? -m[i] : m[i];
        if (!(size < 1e6f)) return false;
        if (size > longest) longest = size;
    }
    return longest == 0 || (m[3] == 0 && m[7] == 0 && m[11] == 0 && m[15] == 1);
}

static bool are_binds(sni_bytes bytes)
{
    uint32_t used = 0;
    if (bytes.size == 0 || bytes.size % LEVEL5_MATRIX_BYTES != 0) return false;
    for (size_t at = 0; at < bytes.size; at += LEVEL5_MATRIX_BYTES) {
        if (!is_bind(bytes.data + at)) return false;
        used += sni_load_u32(bytes.data + at + 60) != 0;
    }
    return used > 0;
}

static const uint8_t *skip_comment(const uint8_t *at, const uint8_t *end)
{
    if (at[1] == '/') {
        while (at < end && *at != '\n') at++;
        return at;
    }
    for (at += 2; end - at >= 2; at++)
        if (at[0] == '*' && at[1] == '/') return at + 2;
    return end;
}

static const uint8_t *skip_blanks(const uint8_t *at, const uint8_t *end)
{
    while (at < end) {
        if (end - at >= 2 && at[0] == '/' && (at[1] == '/' || at[1] == '*')) at = skip_comment(at, end);
        else if (*at <= ' ') at++;
        else break;
    }
    return at;
}

static bool is_tag_sign(uint8_t c) { return (c | 32) >= 'a' ? (c | 32) <= 'z' : c == '_' || c == '2'; }

// A first word that is a tag, in text.
static bool is_config(sni_bytes bytes)
{
    size_t size = bytes.size < TEXT_LOOKED_AT ? bytes.size : TEXT_LOOKED_AT;
    while (size > 0 && (bytes.data[size - 1] == 0 || bytes.data[size - 1] == END_OF_TEXT)) size--;
    const uint8_t *end = bytes.data + size, *word = skip_blanks(bytes.data + level5_text_mark(bytes), end), *at = word;
    while (at < end && is_tag_sign(*at)) at++;
    return at < end && !memchr(bytes.data, 0, size) &&
           level5_is_tag(sni_str_make((const char *)word, (size_t)(at - word)));
}

static bool is_compiled(sni_bytes bytes)
{
    return has_magic(bytes, "BIN") && level5_tag_at((int16_t)sni_load_u16(bytes.data + 4)) &&
           sni_load_u16(bytes.data + 6) <= 64;
}

// Names of its files, quoted: what no other text with such words has.
static bool names_files(sni_bytes bytes)
{
    size_t size = bytes.size < TEXT_LOOKED_AT ? bytes.size : TEXT_LOOKED_AT;
    for (size_t i = 0; i + 5 <= size; i++) {
        sni_str ending = sni_str_make((const char *)bytes.data + i, 5);
        if (sni_str_is_nocase(ending, ".mds\"") || sni_str_is_nocase(ending, ".img\"") ||
            sni_str_is_nocase(ending, ".mot\""))
            return true;
    }
    return false;
}

// Files without a magic say who they are by all of their bytes; the beginning alone says little, but lets a damaged
// file be told what is wrong with it.
int level5_probe(sni_bytes bytes)
{
    if (has_magic(bytes, "MDS")) return 100;
    if (has_magic(bytes, "IMG") || has_magic(bytes, "IM2") || has_magic(bytes, "IM3")) return 90;
    if (sni_level5_pack_is(bytes)) return 60;
    if (are_tracks(bytes) || level5_is_dq8_mot(bytes)) return 50;
    if (are_binds(bytes) || is_compiled(bytes)) return 30;
    if (is_config(bytes)) return names_files(bytes) ? 65 : 15;
    if (sni_level5_pack_begins(bytes)) return 12;
    return bytes.size >= LEVEL5_TRACK_BYTES && is_track(bytes.data) ? 10 : 0;
}

level5_kind level5_find_kind(sni_bytes bytes, const char *name)
{
    const char *shown = name ? name : "";
    if (has_magic(bytes, "MDS")) return LEVEL5_KIND_MDS;
    if (has_magic(bytes, "IMG") || has_magic(bytes, "IM2") || has_magic(bytes, "IM3")) return LEVEL5_KIND_IMG;
    if (sni_level5_pack_is(bytes)) return LEVEL5_KIND_PACK;
    if (sni_has_ending(shown, "wgt mot")) return LEVEL5_KIND_TRACKS;
    if (sni_has_ending(shown, "bbp")) return LEVEL5_KIND_BINDS;
    if (sni_has_ending(shown, "cfg")) return LEVEL5_KIND_CONFIG;
    if (are_tracks(bytes) || level5_is_dq8_mot(bytes)) return LEVEL5_KIND_TRACKS;
    if (are_binds(bytes)) return LEVEL5_KIND_BINDS;
    if (is_compiled(bytes) || is_config(bytes)) return LEVEL5_KIND_CONFIG;
    if (sni_level5_pack_begins(bytes)) return LEVEL5_KIND_PACK;
    return bytes.size >= LEVEL5_TRACK_BYTES && is_track(bytes.data) ? LEVEL5_KIND_TRACKS : LEVEL5_UNKNOWN;
}
