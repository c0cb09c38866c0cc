// JPEG (ITU T.81): sequential and progressive Huffman coding with 8 bits. This file reads the markers.
#include <string.h>

#include "image/jpeg_decoder.h"

enum { MOST_SCANS = 100, HUFFMAN_HEAD = 17 };

// Markers
enum {
    TEM = 0x01,
    SOF0 = 0xC0,
    SOF2 = 0xC2,
    DHT = 0xC4,
    JPG = 0xC8,
    DAC = 0xCC,
    SOF15 = 0xCF,
    RST0 = 0xD0,
    SOI = 0xD8,
    EOI = 0xD9,
    SOS = 0xDA,
    DQT = 0xDB,
    DRI = 0xDD,
    APP0 = 0xE0,
    APP14 = 0xEE
};

static bool fail(const jpeg *j, sn_status status, const char *message)
{
    return sni_fail(j->decode->diag, status, 0, "JPEG: %s", message);
}

// Tables: a segment has any number of them

static bool read_quant(jpeg *j, sni_bytes in)
{
    while (in.size > 0) {
        size_t bytes = in.data[0] >> 4 ? 2 : 1, size = 1 + JPEG_BLOCK * bytes;
        uint32_t index = in.data[0] & 15;
        if (index >= JPEG_TABLES || in.size < size) return fail(j, SN_ERR_CORRUPT, "damaged quantization table");
        for (size_t k = 0; k < JPEG_BLOCK; k++)
            j->quant[index][k] = (uint16_t)(bytes == 2 ? sni_load_big_u16(in.data + 1 + 2 * k) : in.data[1 + k]);
        j->has_quant[index] = true;
        in.data += size, in.size -= size;
    }
    return true;
}

static bool read_huffman(jpeg *j, sni_bytes in)
{
    while (in.size > 0) {
        size_t size = HUFFMAN_HEAD;
        for (size_t i = 1; i < HUFFMAN_HEAD && i < in.size; i++) size += in.data[i];
        uint32_t index = in.data[0] & 15, kind = in.data[0] >> 4;
        if (index >= JPEG_TABLES || kind > 1 || in.size < size ||
            !sni_jpeg_make_huffman(kind == 1 ? &j->ac_tables[index] : &j->dc_tables[index], in.data + 1,
                                   in.data + HUFFMAN_HEAD))
            return fail(j, SN_ERR_CORRUPT, "damaged Huffman table");
        in.data += size, in.size -= size;
    }
    return true;
}

// The frame

static uint32_t divide_up(uint32_t value, uint32_t by) { return (value + by - 1) / by; }

// Every block takes at least a bit, so a size needs bytes to back it.
static bool is_backed(const jpeg *j)
{
    uint64_t blocks = 0;
    size_t size = (size_t)(j->end - j->start);
    for (uint32_t i = 0; i < j->component_count; i++)
        blocks += (uint64_t)j->components[i].blocks_wide * j->components[i].blocks_high;
    return blocks / 8 <= size || sni_fail(j->decode->diag, SN_ERR_TRUNCATED, 0, "JPEG: %u x %u pixels in %zu bytes",
                                          j->width, j->height, size);
}

static bool read_frame(jpeg *j, sni_bytes in)
{
    enum { HEAD = 6, EACH = 3 };
    if (j->component_count > 0) return fail(j, SN_ERR_CORRUPT, "two frames");
    if (in.size < HEAD || in.size < HEAD + (size_t)EACH * in.data[5]) return fail(j, SN_ERR_CORRUPT, "damaged frame");
    if (in.data[0] != 8) return sni_fail(j->decode->diag, SN_ERR_UNSUPPORTED, 0, "JPEG: %u bits", in.data[0]);
    uint32_t count = in.data[5];
    if (count != 1 && count != 3 && count != 4)
        return sni_fail(j->decode->diag, SN_ERR_UNSUPPORTED, 0, "JPEG: %u components", count);
    j->height = sni_load_big_u16(in.data + 1), j->width = sni_load_big_u16(in.data + 3);
    if (!sni_decode_fits(j->decode, j->width, j->height)) return false;

    j->component_count = count;
    for (uint32_t i = 0; i < count; i++) {
        jpeg_component *c = &j->components[i];
        const uint8_t *at = in.data + HEAD + (size_t)EACH * i;
        c->id = at[0], c->h = at[1] >> 4, c->v = at[1] & 15, c->quant_index = at[2];
        if (c->h < 1 || c->h > 4 || c->v < 1 || c->v > 4 || c->quant_index >= JPEG_TABLES)
            return fail(j, SN_ERR_CORRUPT, "damaged component");
        if (count == 1) c->h = c->v = 1;  // there is nothing to interleave
        if (c->h > j->h_max) j->h_max = c->h;
        if (c->v > j->v_max) j->v_max = c->v;
    }
    for (uint32_t i = 0; i < count; i++) {
        jpeg_component *c = &j->components[i];
        c->width = divide_up(j->width * c->h, j->h_max), c->height = divide_up(j->height * c->v, j->v_max);
        c->blocks_wide = divide_up(c->width, JPEG_SIDE), c->blocks_high = divide_up(c->height, JPEG_SIDE);
    }
    j->mcus_wide = divide_up(j->width, j->h_max * JPEG_SIDE);
    j->mcus_high = divide_up(j->height, j->v_max * JPEG_SIDE);
    return is_backed(j);
}

// Adobe's marker and then the usual names of components decide where JFIF does not.
static jpeg_colors choose_colors(const jpeg *j)
{
    const jpeg_component *c = j->components;
    if (j->component_count == 1) return JPEG_GREY;
    if (j->is_raw) return j->component_count == 4 && j->has_alpha ? JPEG_BGRA : JPEG_BGR;
    if (j->component_count == 4) return j->has_adobe && j->adobe_transform != 0 ? JPEG_YCCK : JPEG_CMYK;
    if (j->has_jfif) return JPEG_YCC;
    if (j->has_adobe) return j->adobe_transform == 0 ? JPEG_RGB : JPEG_YCC;
    return c[0].id == 'R' && c[1].id == 'G' && c[2].id == 'B' ? JPEG_RGB : JPEG_YCC;
}

// Before the first scan. Coefficients are kept only where several scans have parts of them.
static bool begin_image(jpeg *j)
{
    bool is_kept = j->is_progressive || j->scan_components < j->component_count;
    j->colors = choose_colors(j);
    if (!sni_decode_begin(j->decode, j->width, j->height)) return false;
    for (uint32_t i = 0; i < j->component_count; i++) {
        jpeg_component *c = &j->components[i];
        uint64_t stride = (uint64_t)c->blocks_wide * JPEG_SIDE;
        uint32_t block_rows = c->v < c->blocks_high ? c->v : c->blocks_high;
        c->rows = sni_new_raw(j->decode->in.arena, uint8_t, stride * (1 + (uint64_t)block_rows * JPEG_SIDE));
        c->wide = sni_new_raw(j->decode->in.arena, uint8_t, (uint64_t)j->width + 1);
        if (!c->rows || !c->wide) return false;
        if (!is_kept) continue;
        uint64_t blocks = (uint64_t)c->blocks_wide * c->blocks_high;
        c->used = sni_new(j->decode->in.arena, uint64_t, blocks);
        c->coefs = sni_new(j->decode->in.arena, int16_t, blocks * JPEG_BLOCK);
        if (!c->used || !c->coefs) return false;
    }
    return true;
}

// Scans

static bool add_to_scan(jpeg *j, uint32_t id, uint32_t tables)
{
    jpeg_component *c = NULL;
    for (uint32_t i = 0; i < j->component_count && !c; i++)
        if (j->components[i].id == id) c = &j->components[i];
    for (uint32_t i = 0; i < j->scan_components; i++)
        if (j->scan[i] == c) c = NULL;
    if (!c) return fail(j, SN_ERR_CORRUPT, "a scan of an unknown component");
    if (tables >> 4 >= JPEG_TABLES || (tables & 15) >= JPEG_TABLES || (!c->is_seen && !j->has_quant[c->quant_index]))
        return fail(j, SN_ERR_CORRUPT, "a table is missing");
    c->dc_table = &j->dc_tables[tables >> 4], c->ac_table = &j->ac_tables[tables & 15];
    if (!c->is_seen) memcpy(c->quant, j->quant[c->quant_index], sizeof c->quant);
    c->is_seen = true;
    j->scan[j->scan_components++] = c;
    return true;
}

static bool has_tables(const jpeg *j)
{
    bool needs_dc = !j->is_progressive || (j->first == 0 && j->high == 0),
         needs_ac = !j->is_progressive || j->first > 0;
    for (uint32_t i = 0; i < j->scan_components; i++) {
        const jpeg_component *c = j->scan[i];
        if (needs_dc && (!c->dc_table->is_set || c->dc_table->largest > 15)) return false;
        if (needs_ac && !c->ac_table->is_set) return false;
    }
    return true;
}

static bool read_scan(jpeg *j, sni_bytes in)
{
    if (j->component_count == 0) return fail(j, SN_ERR_CORRUPT, "a scan before the frame");
    uint32_t count = in.size > 0 ? in.data[0] : 0;
    if (count < 1 || count > j->component_count || in.size < 4 + 2 * (size_t)count)
        return fail(j, SN_ERR_CORRUPT, "damaged scan");
    // A scan takes few bytes but a pass over the image: more than encoders write are an attack.
    if (++j->scan_count > MOST_SCANS)
        return sni_fail(j->decode->diag, SN_ERR_LIMIT, 0, "JPEG: more than %d scans", MOST_SCANS);
    j->scan_components = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!add_to_scan(j, in.data[1 + 2 * i], in.data[2 + 2 * i])) return false;
    const uint8_t *tail = in.data + 1 + 2 * (size_t)count;
    j->first = tail[0], j->last = tail[1], j->high = tail[2] >> 4, j->low = tail[2] & 15;
    bool is_dc = j->first == 0;
    if (j->is_progressive && (j->last >= JPEG_BLOCK || j->first > j->last || (is_dc ? j->last > 0 : count > 1) ||
                              j->low > 13 || (j->high > 0 && j->high != j->low + 1)))
        return fail(j, SN_ERR_CORRUPT, "damaged progressive scan");
    if (!has_tables(j)) return fail(j, SN_ERR_CORRUPT, "a Huffman table is missing or damaged");
    return true;
}

// Segments

// Past the next marker, which is returned; 0 at the end of the data.
static uint32_t next_marker(jpeg *j)
{
    for (; j->end - j->at >= 2; j->at++) {
        uint32_t marker = j->at[1];
        if (j->at[0] != 0xFF || marker == 0 || marker == 0xFF) continue;
        j->at += 2;
        return marker;
    }
    j->at = j->end;
    return 0;
}

static bool has_segment(const jpeg *j)
{
    size_t rest = (size_t)(j->end - j->at);
    return rest >= 2 && sni_load_big_u16(j->at) <= rest;
}

static bool fail_frame(const jpeg *j, uint32_t marker)
{
    return fail(j, SN_ERR_UNSUPPORTED,
                (marker & 3) == 3 ? "lossless coding is not supported"
                : marker > JPG    ? "arithmetic coding is not supported"
                                  : "hierarchical coding is not supported");
}

static bool read_segment(jpeg *j, uint32_t marker)
{
    if (sni_load_big_u16(j->at) < 2) return fail(j, SN_ERR_CORRUPT, "a segment without a size");
    sni_bytes in = { j->at + 2, sni_load_big_u16(j->at) - 2 };
    j->at += 2 + in.size;
    switch (marker) {
    case DQT: return read_quant(j, in);
    case DHT: return read_huffman(j, in);
    case SOS: return read_scan(j, in);
    case DRI: j->restart_interval = in.size >= 2 ? sni_load_big_u16(in.data) : 0; return true;
    case APP0: j->has_jfif |= in.size >= 5 && memcmp(in.data, "JFIF", 5) == 0; return true;
    case APP14:
        if (in.size < 12 || memcmp(in.data, "Adobe", 5) != 0) return true;
        j->has_adobe = true, j->adobe_transform = in.data[11];
        return true;
    default: break;
    }
    if (marker < SOF0 || marker > SOF15 || marker == JPG || marker == DAC) return true;
    j->is_progressive = marker == SOF2;
    return marker <= SOF2 ? read_frame(j, in) : fail_frame(j, marker);
}

// Up to the end, or to the end of the only scan. What ends before that is shown as far as it goes.
static bool read_image(jpeg *j)
{
    if (next_marker(j) != SOI || j->at - j->start != 2) return fail(j, SN_ERR_CORRUPT, "it has no start marker");
    for (uint32_t marker; (marker = next_marker(j)) != EOI;) {
        if (marker == TEM || (marker >= RST0 && marker <= SOI)) continue;
        if (!has_segment(j)) {
            if (j->scan_count == 0) return fail(j, SN_ERR_TRUNCATED, "the file ends before its first scan");
            j->is_damaged = true;
            break;
        }
        if (!read_segment(j, marker)) return false;
        if (marker != SOS) continue;
        if (j->scan_count == 1 && !begin_image(j)) return false;
        sni_jpeg_decode_scan(j);
        if (j->components[0].used) continue;
        j->is_damaged = j->is_damaged || next_marker(j) == 0;
        return true;
    }
    if (j->scan_count == 0) return fail(j, SN_ERR_CORRUPT, "no scan");
    sni_jpeg_put_image(j);
    return true;
}

static bool decode_with(sni_decode *decode, sni_bytes bytes, bool is_raw, bool has_alpha)
{
    jpeg *j = sni_new(decode->in.arena, jpeg, 1);
    if (!j) return false;
    j->decode = decode, j->is_raw = is_raw, j->has_alpha = has_alpha;
    j->start = j->at = bytes.data, j->end = bytes.data + bytes.size;
    if (!read_image(j)) return false;
    for (uint32_t i = 0; i < j->component_count; i++) j->is_damaged |= !j->components[i].is_seen;
    if (j->is_damaged) sni_warn(decode->diag, SNI_WARN_IMAGE_SHORT, 0, "the JPEG is damaged or ends early");
    return true;
}

bool sni_jpeg_decode(sni_decode *decode)
{
    sni_bytes bytes = { decode->in.start, (size_t)(decode->in.end - decode->in.start) };
    return decode_with(decode, bytes, false, false);
}

bool sni_jpeg_decode_raw(sni_decode *decode, sni_bytes bytes, bool has_alpha)
{
    return decode_with(decode, bytes, true, has_alpha);
}
