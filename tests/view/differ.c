// Compares two pictures. differ A.png B.png [X Y W H [X Y]] prints how many pixels per thousand, rounded up, differ by
// more than 24 in some channel; the second X Y is where the area is in B, if elsewhere. differ A.png near R G B [X Y W
// H] prints how many pixels have that colour, within 12.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"
#include "sinew/sinew.h"

typedef struct area {
    uint32_t x, y, width, height;
} area;

static sn_pixels read_picture(const char *path)
{
    sni_diag diag;
    sni_heap heap;
    sni_arena arena;
    sni_bytes bytes = { 0 };
    sn_pixels pixels = { 0 };
    sn_error error = { 0 };
    sni_diag_init(&diag, NULL);
    sni_heap_init(&heap, NULL, UINT64_MAX);
    sni_arena_init(&arena, &heap);
    bool is_read = sni_file_read(path, 1 << 28, &arena, &diag, &bytes);
    const sn_image image = { .name = "", .uri = "", .mime_type = "", .data = bytes.data, .size = bytes.size };
    if (!is_read || sn_image_decode(&image, NULL, &pixels, &error) != SN_OK) {
        fprintf(stderr, "differ: %s cannot be read\n", path);
        exit(2);
    }
    sni_arena_free(&arena);
    return pixels;
}

static area area_of(const sn_pixels *pixels, int argc, char **argv)
{
    area whole = { 0, 0, pixels->width, pixels->height };
    if (argc < 4) return whole;
    area asked = { (uint32_t)atoi(argv[0]), (uint32_t)atoi(argv[1]), (uint32_t)atoi(argv[2]), (uint32_t)atoi(argv[3]) };
    bool is_wide_enough = asked.x <= whole.width && asked.width <= whole.width - asked.x;
    if (is_wide_enough && asked.y <= whole.height && asked.height <= whole.height - asked.y) return asked;
    fprintf(stderr, "differ: the picture has %u x %u pixels\n", whole.width, whole.height);
    exit(2);
}

static bool is_near(const uint8_t *a, const uint8_t *b, int tolerance)
{
    for (int c = 0; c < 3; c++)
        if (abs(a[c] - b[c]) > tolerance) return false;
    return true;
}

static const uint8_t *pixel(const sn_pixels *pixels, uint32_t x, uint32_t y)
{
    return pixels->rgba + ((size_t)y * pixels->width + x) * 4;
}

static int count_near(const sn_pixels *a, int argc, char **argv)
{
    const uint8_t color[3] = { (uint8_t)atoi(argv[0]), (uint8_t)atoi(argv[1]), (uint8_t)atoi(argv[2]) };
    area in = area_of(a, argc - 3, argv + 3);
    uint64_t count = 0;
    for (uint32_t y = in.y; y < in.y + in.height; y++)
        for (uint32_t x = in.x; x < in.x + in.width; x++) count += is_near(pixel(a, x, y), color, 12);
    printf("%llu\n", (unsigned long long)count);
    return 0;
}

static int count_different(const sn_pixels *a, const sn_pixels *b, int argc, char **argv)
{
    area in = area_of(a, argc, argv), other = in;
    uint64_t count = 0, all = (uint64_t)in.width * in.height;
    bool is_elsewhere = argc >= 6;
    if (is_elsewhere) {
        char *const place[4] = { argv[4], argv[5], argv[2], argv[3] };
        other = area_of(b, 4, (char **)(uintptr_t)place);
    }
    if (!is_elsewhere && (a->width != b->width || a->height != b->height)) {
        printf("1000\n");
        return 0;
    }
    for (uint32_t y = 0; y < in.height; y++)
        for (uint32_t x = 0; x < in.width; x++)
            count += !is_near(pixel(a, in.x + x, in.y + y), pixel(b, other.x + x, other.y + y), 24);
    printf("%llu\n", (unsigned long long)(all > 0 ? (count * 1000 + all - 1) / all : 0));
    return 0;
}

int main(int argc, char **argv)
{
    bool is_count = argc >= 6 && strcmp(argv[2], "near") == 0;
    if (argc < 3) return 2;
    sn_pixels a = read_picture(argv[1]), b = { 0 };
    if (!is_count) b = read_picture(argv[2]);
    int code = is_count ? count_near(&a, argc - 3, argv + 3) : count_different(&a, &b, argc - 3, argv + 3);
    sn_pixels_free(&a);
    sn_pixels_free(&b);
    return code;
}
