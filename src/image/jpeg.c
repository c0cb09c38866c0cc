// JPEG, through libjpeg-turbo (or any libjpeg) where the build found it. Its memory does not come from the user's
// allocator but counts against the same limit: what is left of it when the pixels are allocated.
#include "image/image.h"

#ifdef SINEW_HAS_JPEG
#    include <limits.h>
#    include <setjmp.h>
#    include <stdio.h>
#    include <string.h>

#    include <jpeglib.h>

#    include <jerror.h>  // after jpeglib.h: its numbers depend on the library's version

enum { MOST_SCANS = 100, BLOCK = 64 };

// The library's state with what its callbacks need; it stays where it is, so setjmp leaves it as it was.
typedef struct reader {
    struct jpeg_decompress_struct jpeg;  // first: callbacks get it and find the rest
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    jmp_buf leave;
    sni_decode *decode;
    sni_bytes bytes;
    bool is_raw, has_alpha, is_short;
} reader;

// Callbacks: the library never prints and never ends the program

static void on_error(j_common_ptr common)
{
    reader *r = (reader *)common;
    char text[JMSG_LENGTH_MAX];
    r->errors.format_message(common, text);
    int code = r->errors.msg_code;
    sn_status status = code == JERR_OUT_OF_MEMORY      ? SN_ERR_MEMORY
                       : code == JERR_NO_BACKING_STORE ? SN_ERR_LIMIT
                                                       : SN_ERR_CORRUPT;
    if (status == SN_ERR_LIMIT) snprintf(text, sizeof text, "it needs more memory than the limit");
    sni_fail(r->decode->diag, status, 0, "JPEG: %.120s", text);
    longjmp(r->leave, 1);
}

static void on_message(j_common_ptr common, int level)
{
    if (level < 0) common->err->num_warnings++;
}

static void on_output(j_common_ptr common) { (void)common; }

// A scan takes few bytes but a pass over the whole image: more scans than encoders write are an attack.
static void on_progress(j_common_ptr common)
{
    reader *r = (reader *)common;
    if (r->jpeg.input_scan_number <= MOST_SCANS) return;
    sni_fail(r->decode->diag, SN_ERR_LIMIT, 0, "JPEG: more than %d scans", MOST_SCANS);
    longjmp(r->leave, 1);
}

static void source_open(j_decompress_ptr jpeg) { (void)jpeg; }

// Past the end: repeat an end marker, so that the pixels read so far are kept.
static boolean source_fill(j_decompress_ptr jpeg)
{
    static const JOCTET end[2] = { 0xFF, JPEG_EOI };
    ((reader *)jpeg)->is_short = true;
    jpeg->src->next_input_byte = end;
    jpeg->src->bytes_in_buffer = sizeof end;
    return TRUE;
}

static void source_skip(j_decompress_ptr jpeg, long count)
{
    struct jpeg_source_mgr *source = jpeg->src;
    if (count <= 0) return;
    if ((size_t)count > source->bytes_in_buffer) {
        source_fill(jpeg);
        return;
    }
    source->next_input_byte += count;
    source->bytes_in_buffer -= (size_t)count;
}

static void source_close(j_decompress_ptr jpeg) { (void)jpeg; }

static void open_library(reader *r)
{
    r->jpeg.err = jpeg_std_error(&r->errors);
    r->errors.error_exit = on_error;
    r->errors.emit_message = on_message;
    r->errors.output_message = on_output;
    jpeg_create_decompress(&r->jpeg);
    r->source = (struct jpeg_source_mgr){ .next_input_byte = r->bytes.data,
                                          .bytes_in_buffer = r->bytes.size,
                                          .init_source = source_open,
                                          .fill_input_buffer = source_fill,
                                          .skip_input_data = source_skip,
                                          .resync_to_restart = jpeg_resync_to_restart,
                                          .term_source = source_close };
    r->progress.progress_monitor = on_progress;
    r->jpeg.src = &r->source;
    r->jpeg.progress = &r->progress;
}

// Raw: components as stored. Otherwise RGB, grey or CMYK.
static bool choose_colors(reader *r)
{
    struct jpeg_decompress_struct *jpeg = &r->jpeg;
    int components = jpeg->num_components;
    bool is_known = components == 1 || components == 3 || components == 4;
    if (!is_known) return sni_fail(r->decode->diag, SN_ERR_UNSUPPORTED, 0, "JPEG: %d components", components);
    if (r->is_raw) {
        jpeg->jpeg_color_space = components == 4 ? JCS_CMYK : components == 3 ? JCS_RGB : JCS_GRAYSCALE;
        jpeg->out_color_space = jpeg->jpeg_color_space;
    } else {
        jpeg->out_color_space = components == 4 ? JCS_CMYK : components == 3 ? JCS_RGB : JCS_GRAYSCALE;
    }
    return true;
}

static void put_pixel(const reader *r, const uint8_t *at, uint8_t *rgba)
{
    int components = r->jpeg.num_components;
    rgba[3] = 255;
    if (components == 1) {
        rgba[0] = rgba[1] = rgba[2] = at[0];
    } else if (r->is_raw) {
        rgba[0] = at[2], rgba[1] = at[1], rgba[2] = at[0];
        if (components == 4 && r->has_alpha) rgba[3] = at[3];
    } else if (components == 3) {
        rgba[0] = at[0], rgba[1] = at[1], rgba[2] = at[2];
    } else {
        for (int c = 0; c < 3; c++) {  // Adobe stores the inks inverted: how much light is left
            uint32_t ink = r->jpeg.saw_Adobe_marker ? at[c] : 255u - at[c],
                     black = r->jpeg.saw_Adobe_marker ? at[3] : 255u - at[3];
            rgba[c] = (uint8_t)((ink * black + 127) / 255);
        }
    }
}

// Every block takes at least a bit, with arithmetic coding at least a fiftieth of one, so a size needs bytes to back
// it.
static bool fits(reader *r)
{
    uint64_t width = r->jpeg.image_width, height = r->jpeg.image_height;
    uint64_t blocks_per_byte = r->jpeg.arith_code ? 8 * 50 : 8;
    if (!sni_decode_fits(r->decode, width, height)) return false;
    if (width * height / BLOCK / blocks_per_byte <= r->bytes.size) return true;
    return sni_fail(r->decode->diag, SN_ERR_TRUNCATED, 0, "JPEG: %llu x %llu pixels in %zu bytes",
                    (unsigned long long)width, (unsigned long long)height, r->bytes.size);
}

static bool read_rows(reader *r, uint8_t *row)
{
    JSAMPROW rows[1] = { row };
    struct jpeg_decompress_struct *jpeg = &r->jpeg;
    int components = jpeg->num_components;
    uint8_t *rgba = r->decode->pixels->rgba;
    while (jpeg->output_scanline < jpeg->output_height) {
        if (jpeg_read_scanlines(jpeg, rows, 1) != 1) return false;
        const uint8_t *at = row;
        for (uint32_t x = 0; x < jpeg->output_width; x++, at += components, rgba += 4) put_pixel(r, at, rgba);
    }
    return true;
}

// Everything between setjmp and the end of the library's state; false after a failure.
static bool decode_inside(reader *r)
{
    if (setjmp(r->leave)) return false;
    open_library(r);
    jpeg_read_header(&r->jpeg, TRUE);
    if (!fits(r) || !choose_colors(r)) return false;
    uint8_t *row = sni_new_raw(r->decode->in.arena, uint8_t, (uint64_t)r->jpeg.image_width * 4);
    if (!row || !sni_decode_begin(r->decode, r->jpeg.image_width, r->jpeg.image_height)) return false;
    uint64_t left = r->decode->heap->limit - r->decode->heap->used;
    r->jpeg.mem->max_memory_to_use = left < LONG_MAX ? (long)left : LONG_MAX;
    jpeg_start_decompress(&r->jpeg);
    if (!read_rows(r, row)) return false;
    if (r->is_short || r->errors.num_warnings > 0)
        sni_warn(r->decode->diag, SNI_WARN_IMAGE_SHORT, 0, "the JPEG is damaged or ends early");
    return true;
}

static bool decode_with(sni_decode *decode, sni_bytes bytes, bool is_raw, bool has_alpha)
{
    reader r;
    memset(&r, 0, sizeof r);
    r.decode = decode, r.bytes = bytes, r.is_raw = is_raw, r.has_alpha = has_alpha;
    bool is_decoded = decode_inside(&r);
    jpeg_destroy_decompress(&r.jpeg);  // also valid when it was never created
    return is_decoded;
}

#else

static bool decode_with(sni_decode *decode, sni_bytes bytes, bool is_raw, bool has_alpha)
{
    (void)bytes, (void)is_raw, (void)has_alpha;
    return sni_fail(decode->diag, SN_ERR_UNSUPPORTED, 0,
                    "JPEG is not read by this build of sinew (it needs libjpeg-turbo)");
}

#endif

bool sni_jpeg_decode(sni_decode *decode)
{
    sni_bytes bytes = { decode->in.start, (size_t)(decode->in.end - decode->in.start) };
    return decode_with(decode, bytes, false, false);
}

bool sni_jpeg_decode_raw(sni_decode *decode, sni_bytes bytes, bool has_alpha)
{
    return decode_with(decode, bytes, true, has_alpha);
}
