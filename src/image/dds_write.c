// DDS with blocks and all mip levels, with the header that games of 2002 read, too.
#include "image/bc.h"
#include "image/image.h"

static uint32_t find_error(const sn_pixels *level, const uint8_t *decoded, uint32_t channels)
{
    uint32_t largest = 0;
    for (size_t i = 0; i < (size_t)level->width * level->height; i++)
        for (size_t c = 0; c < channels; c++) {
            const int off = level->rgba[4 * i + c] - decoded[4 * i + c];
            if ((uint32_t)(off < 0 ? -off : off) > largest) largest = (uint32_t)(off < 0 ? -off : off);
        }
    return largest;
}

static void write_header(sni_writer *out, sni_bc kind, const sni_mips *mips)
{
    enum {
        HEADER = 124,
        FORMAT = 32,
        LINEAR_SIZE = 0x80000,
        MIP_COUNT = 0x20000,
        CAPS_SIDES_AND_FORMAT = 0x1007,
        FOUR_CC = 4,
        COMPLEX = 8,
        TEXTURE = 0x1000,
        MIPMAP = 0x400000
    };
    const sn_pixels *largest = &mips->levels[0];
    sni_write_text(out, "DDS ");
    const uint32_t head[7] = { HEADER,
                               CAPS_SIDES_AND_FORMAT | LINEAR_SIZE | MIP_COUNT,
                               largest->height,
                               largest->width,
                               (uint32_t)sni_bc_size(kind, largest->width, largest->height),
                               0,
                               mips->count };
    sni_write_words(out, head, 7);
    sni_write_fill(out, 0, 44);
    sni_write_words(out, (const uint32_t[]){ FORMAT, FOUR_CC }, 2);
    sni_write_text(out, kind == SNI_BC5 ? "ATI2" : kind == SNI_BC3 ? "DXT5" : "DXT1");
    sni_write_fill(out, 0, 20);
    sni_write_u32(out, COMPLEX | TEXTURE | MIPMAP);
    sni_write_fill(out, 0, 16);
}

bool sni_dds_write(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *pixels, bool is_normal_map,
                   uint32_t *error)
{
    enum { LEAST_SIDE = 4 };  // Direct3D 9 refuses a largest level that is not of whole blocks
    sni_mips mips;
    const sni_bc kind = sni_pixels_have_alpha(pixels) ? SNI_BC3 : is_normal_map ? SNI_BC5 : SNI_BC1;
    if (!sni_mips_make(scratch, diag, pixels, LEAST_SIDE, &mips)) return false;
    write_header(out, kind, &mips);
    for (uint32_t i = 0; i < mips.count; i++) {
        const sn_pixels *level = &mips.levels[i];
        const size_t size = (size_t)sni_bc_size(kind, level->width, level->height);
        uint8_t *blocks = sni_write_room(out, size);
        if (!blocks) return false;
        sni_bc_encode(kind, level->rgba, level->width, level->height, blocks);
        if (i == 0) {
            uint8_t *decoded = sni_new_raw(scratch, uint8_t, 4ull * level->width * level->height);
            if (!decoded) return false;
            sni_bc_decode(kind, blocks, level->width, level->height, decoded);
            *error = find_error(level, decoded, kind == SNI_BC5 ? 2 : 4);
        }
        out->size += size;
    }
    return !out->failed;
}
