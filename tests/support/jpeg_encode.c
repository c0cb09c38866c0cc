#include "jpeg_encode.h"

#ifdef SINEW_HAS_JPEG
#    include <stdio.h>

#    include <jpeglib.h>

bool jpeg_can_encode(void) { return true; }

static J_COLOR_SPACE space_of(const jpeg_wish *wish)
{
    if (wish->components == 1) return JCS_GRAYSCALE;
    if (wish->is_raw) return JCS_UNKNOWN;
    return wish->components == 3 ? JCS_RGB : JCS_CMYK;
}

void jpeg_encode(picture *out, const uint8_t *samples, uint32_t width, uint32_t height, jpeg_wish wish)
{
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    unsigned char *data = NULL;
    unsigned long size = 0;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &data, &size);
    jpeg.image_width = width, jpeg.image_height = height;
    jpeg.input_components = wish.components;
    jpeg.in_color_space = space_of(&wish);
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, wish.quality, TRUE);
    for (int i = 0; i < wish.components; i++) jpeg.comp_info[i].h_samp_factor = jpeg.comp_info[i].v_samp_factor = 1;
    if (wish.is_progressive) jpeg_simple_progression(&jpeg);
    if (wish.is_arithmetic) jpeg.arith_code = TRUE;
    jpeg_start_compress(&jpeg, TRUE);
    for (uint32_t y = 0; y < height; y++) {
        JSAMPROW rows[1] = { (JSAMPROW)(uintptr_t)(samples + (size_t)y * width * (size_t)wish.components) };
        jpeg_write_scanlines(&jpeg, rows, 1);
    }
    jpeg_finish_compress(&jpeg);
    picture_bytes(out, data, size);
    jpeg_destroy_compress(&jpeg);
    free(data);
}

#else

bool jpeg_can_encode(void) { return false; }

void jpeg_encode(picture *out, const uint8_t *samples, uint32_t width, uint32_t height, jpeg_wish wish)
{
    (void)out, (void)samples, (void)width, (void)height, (void)wish;
}

#endif
