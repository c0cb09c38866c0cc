// BLP: BLP1 of Warcraft III (JPEG or palette) and BLP2 of World of Warcraft (palette, block compression or BGRA).
#include <string.h>

#include "image/bc.h"
#include "image/image.h"

enum { LEVELS = 16, BLP1_TABLES = 28, BLP1_PALETTE = 156, BLP2_TABLES = 20, BLP2_PALETTE = 148, PALETTE_BYTES = 1024 };

typedef enum content { JPEG, PALETTE, BLOCKS, BGRA } content;

typedef struct blp {
    content content;
    uint32_t alpha_bits, width, height;  // of the level
    sni_bc blocks;
    const uint8_t *palette;
    sni_bytes jpeg_head, level;
} blp;

// Two tables have the offset and size of each level. Levels may be in any order, with gaps between them, and there may
// be fewer than the size of the image allows.
static bool find_level(sni_decode *decode, size_t tables, blp *b)
{
    const uint8_t *data = decode->in.start;
    uint64_t file = (uint64_t)(decode->in.end - decode->in.start);
    uint32_t mip = decode->opts->mip, count = 0;
    sni_seek(&decode->in, tables);
    const uint8_t *table = sni_take(&decode->in, LEVELS * 8);
    for (; table && count < LEVELS; count++) {
        uint64_t offset = sni_load_u32(table + (size_t)count * 4),
                 size = sni_load_u32(table + (LEVELS + (size_t)count) * 4);
        if (size == 0 || offset > file || size > file - offset) {
            if (count == 0)
                sni_fail(decode->diag, SN_ERR_TRUNCATED, tables, "the image has %llu bytes at %llu, the file has %llu",
                         (unsigned long long)size, (unsigned long long)offset, (unsigned long long)file);
            break;
        }
        if (count == mip) b->level = (sni_bytes){ data + offset, (size_t)size };
    }
    if (!sni_ok(&decode->in)) return false;
    if (!b->level.data) return sni_decode_fail_mip(decode, count);
    if (b->width > 0) b->width = sni_mip_side(b->width, mip);
    if (b->height > 0) b->height = sni_mip_side(b->height, mip);
    return true;
}

static bool fail_short(sni_decode *decode, const blp *b, uint64_t needed)
{
    return sni_fail(decode->diag, SN_ERR_TRUNCATED, (uint64_t)(b->level.data - decode->in.start),
                    "%u x %u pixels need %llu bytes, the level has %zu", b->width, b->height,
                    (unsigned long long)needed, b->level.size);
}

// Least significant bits first.
static uint8_t alpha_at(const uint8_t *alphas, uint64_t pixel, uint32_t bits)
{
    switch (bits) {
    case 1: return alphas[pixel / 8] >> pixel % 8 & 1 ? 255 : 0;
    case 4: return (uint8_t)((alphas[pixel / 2] >> pixel % 2 * 4 & 15) * 17);
    case 8: return alphas[pixel];
    default: return 255;
    }
}

// Indices, then alphas. Palette entries are blue, green, red and an unused byte.
static bool decode_palette(sni_decode *decode, blp *b)
{
    uint64_t count = (uint64_t)b->width * b->height;
    uint32_t bits = b->alpha_bits == 1 || b->alpha_bits == 4 || b->alpha_bits == 8 ? b->alpha_bits : 0;
    if (!sni_decode_fits(decode, b->width, b->height)) return false;
    if (b->level.size < count) return fail_short(decode, b, count);
    if (b->level.size - count < (count * bits + 7) / 8) {
        sni_warn(decode->diag, SNI_WARN_IMAGE_SHORT, (uint64_t)(b->level.data - decode->in.start),
                 "the alpha channel is truncated; the image is opaque");
        bits = 0;
    }
    if (!sni_decode_begin(decode, b->width, b->height)) return false;
    const uint8_t *indices = b->level.data, *alphas = indices + count;
    uint8_t *rgba = decode->pixels->rgba;
    for (uint64_t i = 0; i < count; i++, rgba += 4) {
        const uint8_t *color = b->palette + (size_t)indices[i] * 4;
        rgba[0] = color[2], rgba[1] = color[1], rgba[2] = color[0];
        rgba[3] = alpha_at(alphas, i, bits);
    }
    return true;
}

// Levels smaller than a block have the size of their pixels, not of their blocks: the rest is 0.
static bool decode_blocks(sni_decode *decode, blp *b)
{
    uint64_t needed = sni_bc_size(b->blocks, b->width, b->height);
    const uint8_t *blocks = b->level.data;
    if (!sni_decode_fits(decode, b->width, b->height)) return false;
    if (b->level.size < needed) {
        bool is_small = b->width < 4 || b->height < 4;
        if (!is_small || b->level.size < needed / 16) return fail_short(decode, b, needed);
        uint8_t *padded = sni_new(decode->in.arena, uint8_t, needed);
        if (!padded) return false;
        memcpy(padded, blocks, b->level.size);
        blocks = padded;
    }
    if (!sni_decode_begin(decode, b->width, b->height)) return false;
    sni_bc_decode(b->blocks, blocks, b->width, b->height, decode->pixels->rgba);
    return true;
}

static bool decode_bgra(sni_decode *decode, blp *b)
{
    uint64_t count = (uint64_t)b->width * b->height;
    if (!sni_decode_fits(decode, b->width, b->height)) return false;
    if (b->level.size / 4 < count) return fail_short(decode, b, count * 4);
    if (!sni_decode_begin(decode, b->width, b->height)) return false;
    const uint8_t *from = b->level.data;
    for (uint8_t *rgba = decode->pixels->rgba; count > 0; count--, from += 4, rgba += 4) {
        rgba[0] = from[2], rgba[1] = from[1], rgba[2] = from[0];
        rgba[3] = b->alpha_bits > 0 ? from[3] : 255;
    }
    return true;
}

// All levels share one JPEG header. Intel's library writes complete files for both, one with tables only and one
// without: then the end marker of the first and the start marker of the second are dropped.
static bool join_jpeg(sni_decode *decode, const blp *b, sni_bytes *jpeg)
{
    sni_bytes head = b->jpeg_head, level = b->level;
    if (head.size >= 2 && level.size > 2 && level.data[0] == 0xFF && level.data[1] == 0xD8) {
        bool is_ended = head.size >= 4 && head.data[head.size - 2] == 0xFF && head.data[head.size - 1] == 0xD9;
        if (is_ended) head.size -= 2;
        level.data += 2, level.size -= 2;
    }
    uint8_t *joined = sni_new_raw(decode->in.arena, uint8_t, head.size + level.size);
    if (!joined) return false;
    memcpy(joined, head.data, head.size);
    memcpy(joined + head.size, level.data, level.size);
    *jpeg = (sni_bytes){ joined, head.size + level.size };
    return true;
}

static bool decode_jpeg(sni_decode *decode, const blp *b)
{
    sni_bytes jpeg = b->level;
    if (b->jpeg_head.size > 0 && !join_jpeg(decode, b, &jpeg)) return false;
    if (!sni_jpeg_decode_raw(decode, jpeg, b->alpha_bits > 0 || decode->opts->hidden_alpha)) return false;
    if (decode->pixels->width != b->width || decode->pixels->height != b->height)
        sni_warn(decode->diag, SNI_WARN_IMAGE_SIZE, 12, "%u x %u in the BLP, %u x %u in its JPEG", b->width, b->height,
                 decode->pixels->width, decode->pixels->height);
    return true;
}

// The game treats any content but 1 as JPEG.
static bool read_blp1(sni_decode *decode, blp *b)
{
    sni_reader *in = &decode->in;
    sni_seek(in, 4);
    b->content = sni_read_u32(in) == 1 ? PALETTE : JPEG;
    b->alpha_bits = sni_read_u32(in);
    b->width = sni_read_u32(in), b->height = sni_read_u32(in);
    if (!find_level(decode, BLP1_TABLES, b)) return false;
    sni_seek(in, BLP1_PALETTE);
    if (b->content == PALETTE) return (b->palette = sni_take(in, PALETTE_BYTES)) != NULL;
    b->jpeg_head.size = sni_read_count(in, 1);
    b->jpeg_head.data = sni_take(in, b->jpeg_head.size);
    return b->jpeg_head.data != NULL;
}

static bool read_blp2(sni_decode *decode, blp *b)
{
    sni_reader *in = &decode->in;
    sni_seek(in, 8);
    uint8_t encoding = sni_read_u8(in), alpha_bits = sni_read_u8(in), alpha_type = sni_read_u8(in);
    sni_skip(in, 1);
    b->alpha_bits = alpha_bits;
    b->width = sni_read_u32(in), b->height = sni_read_u32(in);
    if (!find_level(decode, BLP2_TABLES, b)) return false;
    sni_seek(in, BLP2_PALETTE);
    b->palette = sni_take(in, PALETTE_BYTES);
    if (!b->palette) return false;
    b->content = encoding == 1 ? PALETTE : encoding == 2 ? BLOCKS : BGRA;
    b->blocks = alpha_type == 0   ? (alpha_bits > 0 ? SNI_BC1 : SNI_BC1_OPAQUE)
                : alpha_type == 1 ? SNI_BC2
                : alpha_type == 7 ? SNI_BC3
                                  : SNI_BC5;
    bool is_known = encoding >= 1 && encoding <= 4 &&
                    (encoding != 2 || alpha_type == 0 || alpha_type == 1 || alpha_type == 7 || alpha_type == 11);
    return is_known || sni_fail(decode->diag, SN_ERR_UNSUPPORTED, 8, "unknown BLP2 encoding %u, alpha type %u",
                                encoding, alpha_type);
}

bool sni_blp_decode(sni_decode *decode)
{
    blp b = { .content = JPEG };
    char version = (char)decode->in.start[3];
    if (version == '0') return sni_fail(decode->diag, SN_ERR_UNSUPPORTED, 0, "BLP0 has its pixels in separate files");
    if (!(version == '1' ? read_blp1(decode, &b) : read_blp2(decode, &b))) return false;
    switch (b.content) {
    case PALETTE: return decode_palette(decode, &b);
    case BLOCKS: return decode_blocks(decode, &b);
    case BGRA: return decode_bgra(decode, &b);
    default: return decode_jpeg(decode, &b);
    }
}
