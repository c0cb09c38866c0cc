// Inside of the JPEG decoder (ITU T.81): jpeg.c reads markers, jpeg_scan.c entropy-coded data, jpeg_samples.c turns
// coefficients into pixels.
#ifndef SNI_JPEG_DECODER_H
#define SNI_JPEG_DECODER_H

#include "image/image.h"

enum { JPEG_TABLES = 4, JPEG_COMPONENTS = 4, JPEG_SIDE = 8, JPEG_BLOCK = 64, JPEG_LOOKUP_BITS = 9 };

// Codes of up to JPEG_LOOKUP_BITS bits are found by one access, longer ones by comparing with the end of each length.
typedef struct jpeg_huffman {
    bool is_set;
    uint8_t largest;                         // symbol
    uint16_t lookup[1 << JPEG_LOOKUP_BITS];  // length << 8 | symbol; 0 where the code is longer
    uint32_t ends[17];                       // per length: past its last code, as the upper bits of 16
    int32_t offsets[17];                     // from a code to the index of its symbol
    uint8_t symbols[256];
} jpeg_huffman;

// Coefficients in zigzag order. Where `used` has a 0 bit they are 0; the first one is always valid. In memory the two
// are apart: scans that change nothing only look at the bits.
typedef struct jpeg_block {
    uint64_t *used;
    int16_t *coefs;
} jpeg_block;

typedef struct jpeg_component {
    uint32_t id, h, v, quant_index;
    uint32_t width, height;             // in samples, without padding
    uint32_t blocks_wide, blocks_high;  // that have some of them; MCUs at the edges have more
    bool is_seen;                       // in a scan; from then on `quant` does not change
    uint16_t quant[JPEG_BLOCK];         // zigzag
    const jpeg_huffman *dc_table, *ac_table;
    int32_t dc;      // of the block before
    uint64_t *used;  // blocks of the whole image; NULL where one scan has everything
    int16_t *coefs;
    uint8_t *rows;  // samples: the last row of the MCUs above, then one row of MCUs
    uint8_t *wide;  // one row at the image's width
} jpeg_component;

// Entropy-coded bits, the next one at the top. At the end of the data or at a marker zeros follow; `padding` counts
// them.
typedef struct jpeg_bits {
    const uint8_t *at, *end;
    uint64_t bits;
    int32_t count, padding;
} jpeg_bits;

typedef enum jpeg_colors { JPEG_GREY, JPEG_RGB, JPEG_YCC, JPEG_CMYK, JPEG_YCCK, JPEG_BGR, JPEG_BGRA } jpeg_colors;

typedef struct jpeg {
    sni_decode *decode;
    const uint8_t *start, *at, *end;
    bool is_raw, has_alpha;  // as BLP stores them: components without conversion, with or without alpha
    bool is_progressive, is_damaged, has_jfif, has_adobe;
    uint8_t adobe_transform;
    jpeg_colors colors;
    uint32_t width, height, component_count, h_max, v_max, mcus_wide, mcus_high;
    uint32_t restart_interval, scan_count;
    uint32_t rows_done;  // of the image
    bool has_quant[JPEG_TABLES];
    uint16_t quant[JPEG_TABLES][JPEG_BLOCK];
    jpeg_huffman dc_tables[JPEG_TABLES], ac_tables[JPEG_TABLES];
    jpeg_component components[JPEG_COMPONENTS];

    // The current scan. Progressive: coefficients from `first` to `last`, all bits down to `low`, or only that one.
    uint32_t scan_components;
    jpeg_component *scan[JPEG_COMPONENTS];
    uint32_t first, last, high, low;
    uint32_t end_of_band_run;  // blocks that have no further coefficients
    jpeg_bits bits;
} jpeg;

// `counts`: how many codes have 1 to 16 bits. False: they do not fit.
bool sni_jpeg_make_huffman(jpeg_huffman *table, const uint8_t counts[16], const uint8_t *symbols);

// Decodes the data after a scan's header. Where blocks are not kept, the pixels are written too.
void sni_jpeg_decode_scan(jpeg *j);

// 8 x 8 samples of a block.
void sni_jpeg_put_block(const jpeg_component *component, jpeg_block block, uint32_t x, uint32_t y);

// A row of MCUs is in the rows of all components: writes the pixels that need nothing from the next one.
void sni_jpeg_put_rows(jpeg *j, uint32_t mcu_row);

// All pixels from the blocks that were kept.
void sni_jpeg_put_image(jpeg *j);

#endif
