// IMG, IM2 and IM3: pictures by name. Their own bytes (TIM2) are the image decoder's business.
#include "format/level5/level5_parse.h"

#include <stdlib.h>

enum { HEADER = 16 };

static bool parse_header(level5_parser *p, sni_reader *file, level5_img *img)
{
    static const struct {
        uint32_t magic;
        level5_img_kind kind;
    } kinds[] = {
        { 'I' | 'M' << 8 | 'G' << 16, LEVEL5_IMG },
        { 'I' | 'M' << 8 | '2' << 16, LEVEL5_IM2 },
        { 'I' | 'M' << 8 | '3' << 16, LEVEL5_IM3 },
    };
    sni_read_words(file, img->header, 4);
    if (!sni_ok(file)) return false;
    for (uint32_t i = 0; i < 3; i++) {
        if (kinds[i].magic != img->header[0]) continue;
        img->kind = kinds[i].kind;
        level5_claim(p, 0, HEADER);
        return true;
    }
    return sni_fail(p->diag, SN_ERR_FORMAT, 0, "no IMG, IM2 or IM3 at the start");
}

// Two bits of the GS's CLAMP register: repeat, clamp, and two that clamp to a region.
static uint8_t read_wrap(uint32_t bits) { return (bits & 3) == 0 ? SN_REPEAT : SN_CLAMP; }

static void read_picture(sni_reader *in, level5_img_kind kind, level5_picture *picture)
{
    picture->offset = sni_offset(in);
    const uint8_t *at = sni_take(in, level5_picture_bytes(kind));
    if (!at) return;
    picture->head = (level5_array){ at, level5_picture_bytes(kind) };
    picture->name = level5_cut_at_nul(at, LEVEL5_NAME_BYTES);
    picture->is_script = kind == LEVEL5_IM3 && at[0] == '#';
    picture->is_empty = kind == LEVEL5_IM3 && sni_load_u16(at + 48) != 0;
    picture->is_swizzled = kind == LEVEL5_IM2 || (kind == LEVEL5_IM3 && sni_load_u32(at + 40) != 0);
    picture->wrap_u = kind == LEVEL5_IM3 ? read_wrap(sni_load_u32(at + 56)) : SN_CLAMP;
    picture->wrap_v = kind == LEVEL5_IM3 ? read_wrap(sni_load_u32(at + 56) >> 2) : SN_CLAMP;
}

static int compare_places(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static uint32_t place_of(const level5_img *img, const level5_picture *picture)
{
    return sni_load_u32(picture->head.data + level5_picture_place(img->kind));
}

// The older archives have no sizes: a picture ends where the next one begins.
static uint32_t find_end(level5_parser *p, const uint32_t *places, uint32_t count, uint32_t place)
{
    uint32_t first = 0, end = count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (places[middle] <= place) first = middle + 1;
        else end = middle;
    }
    return first < count && places[first] < p->bytes.size ? places[first] : (uint32_t)p->bytes.size;
}

static void take_data(level5_parser *p, const level5_img *img, level5_picture *picture, const uint32_t *places)
{
    uint32_t place = place_of(img, picture), file_size = (uint32_t)p->bytes.size;
    if (picture->is_empty) return;
    uint32_t end = img->kind == LEVEL5_IM3 ? file_size : find_end(p, places, img->picture_count, place);
    uint32_t room = place <= end ? end - place : 0,
             stated = img->kind == LEVEL5_IM3 ? sni_load_u32(picture->head.data + 52) : room;
    if (place >= file_size || stated > room)
        sni_warn(p->diag, SNI_WARN_LEVEL5_SIZE, picture->offset, "%u bytes at %u; the file has %u", stated, place,
                 file_size);
    if (place >= file_size) return;
    picture->data = (level5_array){ p->bytes.data + place, stated < room ? stated : room };
    level5_claim(p, place, picture->data.count);
}

bool level5_parse_img(level5_parser *p, level5_img *img)
{
    sni_reader in = sni_reader_make(p->bytes.data, p->bytes.size, p->diag, p->arena);
    img->size = p->bytes.size;
    if (!parse_header(p, &in, img)) return false;
    uint32_t count = img->header[img->kind == LEVEL5_IM3 ? 2 : 1];
    if (!sni_has_items(&in, count, level5_picture_bytes(img->kind))) return false;
    img->pictures = sni_new(p->arena, level5_picture, count);
    uint32_t *places = sni_new_raw(&p->load->scratch, uint32_t, count);
    if (!img->pictures || !places) return false;
    img->picture_count = count;
    level5_claim(p, HEADER, (uint64_t)count * level5_picture_bytes(img->kind));
    for (uint32_t i = 0; i < count; i++) {
        read_picture(&in, img->kind, &img->pictures[i]);
        places[i] = place_of(img, &img->pictures[i]);
    }
    if (count > 1) qsort(places, count, sizeof *places, compare_places);
    for (uint32_t i = 0; i < count; i++) {
        sni_enter(p->diag, "PICTURE", i);
        take_data(p, img, &img->pictures[i], places);
        sni_leave(p->diag);
    }
    return level5_keep_gaps(p, &img->gaps, &img->gap_count);
}
