#include "jpeg_encode.h"

#ifdef TEST_HAS_JPEG
#    include <setjmp.h>
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
    if (wish.is_other && wish.components > 1) jpeg_set_colorspace(&jpeg, wish.components == 3 ? JCS_RGB : JCS_YCCK);
    jpeg_set_quality(&jpeg, wish.quality, TRUE);
    for (int i = 0; i < wish.components; i++) {
        int sampling = wish.sampling[i] ? wish.sampling[i] : 0x11;
        jpeg.comp_info[i].h_samp_factor = sampling >> 4, jpeg.comp_info[i].v_samp_factor = sampling & 15;
    }
    jpeg_scan_info scans[4] = { { 0 } };
    for (int i = 0; i < wish.components; i++) {
        scans[i] = (jpeg_scan_info){ .comps_in_scan = 1, .component_index = { i }, .Se = 63 };
    }
    if (wish.is_separate) jpeg.scan_info = scans, jpeg.num_scans = wish.components;
    if (wish.is_progressive) jpeg_simple_progression(&jpeg);
    jpeg.restart_interval = wish.restart_interval;
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

typedef struct judge_errors {
    struct jpeg_error_mgr errors;  // first: callbacks get it and find the rest
    jmp_buf leave;
} judge_errors;

static void judge_count(j_common_ptr common, int level)
{
    if (level < 0) common->err->num_warnings++;
}

static void judge_refuse(j_common_ptr common) { longjmp(((judge_errors *)common->err)->leave, 1); }

bool jpeg_judge(const uint8_t *data, size_t size, bool is_raw, uint8_t *samples)
{
    struct jpeg_decompress_struct jpeg;
    judge_errors judge;
    jpeg.err = jpeg_std_error(&judge.errors);
    judge.errors.error_exit = judge_refuse;
    judge.errors.output_message = NULL;
    judge.errors.emit_message = judge_count;
    jpeg_create_decompress(&jpeg);
    if (setjmp(judge.leave)) {
        jpeg_destroy_decompress(&jpeg);
        return false;
    }
    jpeg_mem_src(&jpeg, data, (unsigned long)size);
    jpeg_read_header(&jpeg, TRUE);
    jpeg.out_color_space = jpeg.num_components == 4 ? JCS_CMYK : jpeg.num_components == 3 ? JCS_RGB : JCS_GRAYSCALE;
    if (is_raw) jpeg.jpeg_color_space = jpeg.out_color_space;
    jpeg_start_decompress(&jpeg);
    while (jpeg.output_scanline < jpeg.output_height) {
        JSAMPROW rows[1] = { samples + (size_t)jpeg.output_scanline * jpeg.output_width * (size_t)jpeg.num_components };
        jpeg_read_scanlines(&jpeg, rows, 1);
    }
    jpeg_destroy_decompress(&jpeg);
    return judge.errors.num_warnings == 0;
}

#else

bool jpeg_can_encode(void) { return false; }

void jpeg_encode(picture *out, const uint8_t *samples, uint32_t width, uint32_t height, jpeg_wish wish)
{
    (void)out, (void)samples, (void)width, (void)height, (void)wish;
}

bool jpeg_judge(const uint8_t *data, size_t size, bool is_raw, uint8_t *samples)
{
    (void)data, (void)size, (void)is_raw, (void)samples;
    return false;
}

#endif
