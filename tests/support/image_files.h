// Image files built by hand, and helpers to decode and compare them.
#ifndef TEST_IMAGE_FILES_H
#define TEST_IMAGE_FILES_H

#include "counting_heap.h"
#include "sinew/sinew.h"

enum { PICTURE_ROOM = 1 << 16 };

typedef struct picture {
    uint8_t data[PICTURE_ROOM];
    size_t size;
} picture;

void picture_clear(picture *p);
void picture_bytes(picture *p, const void *data, size_t size);
void picture_u8(picture *p, unsigned value);
void picture_u16(picture *p, unsigned value);
void picture_u32(picture *p, uint32_t value);
void picture_fill(picture *p, unsigned byte, size_t count);

// PNG: the signature and header, then chunks. picture_png_pixels stores the rows (each with its filter) without
// packing.
void picture_png(picture *p, uint32_t width, uint32_t height, unsigned depth, unsigned color, unsigned interlaced);
void picture_chunk(picture *p, const char *type, const void *data, size_t size);
void picture_png_pixels(picture *p, const void *rows, size_t size);

// TGA without a colour map. DDS with a FourCC, or with masks where it is NULL; the pixels come after both.
void picture_tga(picture *p, unsigned kind, unsigned width, unsigned height, unsigned bits, unsigned descriptor);
void picture_dds(picture *p, uint32_t width, uint32_t height, const char *four_cc);
void picture_dds_masks(picture *p, uint32_t width, uint32_t height, uint32_t bits, const uint32_t masks[4]);

// BLP up to and with the first level's place in the tables: what is put behind it is the level. BLP1 has room for its
// palette or the shared head of a JPEG, BLP2 always for a palette.
typedef struct blp_wish {
    unsigned version, content, alpha_bits, kind;  // content: of BLP2 the encoding; kind: of its blocks
    uint32_t width, height;
    const void *head;  // palette of BLP1 and 2, or the JPEG's head
    size_t head_size;
} blp_wish;
void picture_blp(picture *p, blp_wish wish);
void picture_blp_level(picture *p, unsigned level, const void *data, size_t size);  // appends, and writes its tables

// TIM2 with all its bytes: pixels as they are, then the palette. `level_sizes` where there are several levels.
typedef struct tim2_wish {
    unsigned kind, width, height, levels;  // levels 0: one, and no list
    unsigned palette_kind, colors;
    bool is_far;  // the picture at 128
    const uint32_t *level_sizes;
    const void *pixels, *palette;
    size_t pixel_bytes, palette_bytes;
} tim2_wish;
void picture_tim2(picture *p, tim2_wish wish);

// Decodes; afterwards nothing but the pixels may be allocated. Their memory is real to the last byte.
sn_status picture_decode(const void *data, size_t size, const sn_decode_opts *opts, sn_pixels *pixels, sn_error *error);

// Decodes and compares: `wanted` has one 0xRRGGBBAA per pixel. Fails the test where it does not decode or differs.
void picture_expect(const picture *p, uint32_t width, uint32_t height, const uint32_t *wanted);
void picture_expect_with(const picture *p, const sn_decode_opts *opts, uint32_t width, uint32_t height,
                         const uint32_t *wanted);
void picture_refuse(const picture *p, sn_status status);

// One small valid file of every kind that can be decoded, for sweeps and as seeds: number 0, 1, 2 ... false past the
// last.
bool picture_of_kind(unsigned number, picture *p, const char **name);

#endif
