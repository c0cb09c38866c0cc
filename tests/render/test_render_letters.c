// Text: from a font if there is one, else ASCII as strokes and other characters as boxes. The test character is
// Cyrillic En (U+041D), which has two stems joined by a bar half way up and is open at the top; a box is closed at the
// top and empty inside.
#include "hand_models.h"
#include "shoot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define EN "\xd0\x9d"

enum { SIDE = 128, LEFT = 20, BASE = 110 };

static sn_renderer *open_with(const char *fonts, bool prefer_es)
{
    sn_render_opts opts = { .debug = true, .fonts = fonts, .prefer_es = prefer_es };
    sn_error error;
    sn_renderer *renderer = sn_renderer_create(&opts, &error);
    if (renderer) return renderer;
    print_message("%s\n", error.message);
    skip();
    return NULL;
}

static bool has_font(sn_renderer *renderer)
{
    sni_glyph_shape shape;
    return sni_glyph_find(renderer, 0x41d, &shape);
}

static sn_renderer *open_with_font(bool prefer_es)
{
    sn_renderer *renderer = open_with(NULL, prefer_es);
    if (has_font(renderer)) return renderer;
    sn_renderer_free(renderer);
    print_message("built without stb_truetype (Debian: libstb-dev), or no font is found (Debian: fonts-dejavu-core)\n");
    skip();
    return NULL;
}

static sn_pixels shoot_text(sn_renderer *renderer, const char *text, float size)
{
    sn_label label = { .text = text, .x = LEFT, .y = BASE, .size = size, .color = { 1, 1, 1, 1 } };
    sn_frame frame = {
        .width = SIDE, .height = SIDE, .background = { 0, 0, 0, 1 }, .labels = &label, .label_count = 1
    };
    return shoot(renderer, &frame);
}

static bool is_inked(const sn_pixels *pixels, float x, float y) { return pixel_at(pixels, (int)x, (int)y).r > 128; }

static bool is_row_inked(const sn_pixels *pixels, int y)
{
    for (int x = 0; x < (int)pixels->width; x++)
        if (is_inked(pixels, (float)x, (float)y)) return true;
    return false;
}

// On the baseline, as high as a capital, with a bar in the middle.
static void expect_en(sn_renderer *renderer, float size)
{
    sn_pixels pixels = shoot_text(renderer, EN, size);
    int left = SIDE, right = -1;
    for (int x = 0; x < SIDE; x++)
        if (is_inked(&pixels, (float)x, BASE - size * 0.2f)) left = x < left ? x : left, right = x;
    float middle = (float)(left + right) / 2;
    assert_true(left > LEFT && right > left);
    assert_true((float)(right - left) > size * 0.5f && (float)(right - left) < size * 1.2f);
    assert_false(is_inked(&pixels, middle, BASE - size * 0.2f));
    assert_false(is_inked(&pixels, middle, BASE - size * 0.85f));
    bool has_bar = false;
    for (float y = 0.4f; y < 0.65f; y += 0.02f) has_bar |= is_inked(&pixels, middle, BASE - size * y);
    assert_true(has_bar);
    assert_true(is_row_inked(&pixels, BASE - 2));
    assert_false(is_row_inked(&pixels, BASE + 3));
    assert_true(is_row_inked(&pixels, BASE - (int)size + 2));
    assert_false(is_row_inked(&pixels, BASE - (int)size - 3));
    sn_pixels_free(&pixels);
}

static void test_characters_come_from_a_font(void **state)
{
    (void)state;
    for (int es = 0; es < 2; es++) {
        sn_renderer *renderer = open_with_font(es);
        expect_en(renderer, 24);
        expect_en(renderer, 24);  // cached in the atlas
        expect_en(renderer, 32);
        expect_en(renderer, 80);  // scaled up
        sn_renderer_free(renderer);
    }
}

// The Latin H has the same shape and advance as the Cyrillic En; as strokes it is 4 of 6 units wide.
static void test_ascii_comes_from_the_font_too(void **state)
{
    (void)state;
    sn_renderer *renderer = open_with_font(false), *without = open_with("", false);
    assert_true(sn_label_width(renderer, "HHHH", 24) == sn_label_width(renderer, EN EN EN EN, 24));
    assert_true(fabsf(sn_label_width(without, "H", 24) - 16) < 1e-4f);
    sn_pixels latin = shoot_text(renderer, "H", 24), cyrillic = shoot_text(renderer, EN, 24),
              strokes = shoot_text(without, "H", 24);
    assert_memory_equal(latin.rgba, cyrillic.rgba, SIDE * SIDE * 4);
    assert_memory_not_equal(latin.rgba, strokes.rgba, SIDE * SIDE * 4);
    sn_pixels_free(&latin);
    sn_pixels_free(&cyrillic);
    sn_pixels_free(&strokes);
    sn_renderer_free(renderer);
    sn_renderer_free(without);
}

static bool is_box(const sn_pixels *pixels, float size)
{
    float wide = size / 2;  // 3 of 6 units
    return is_inked(pixels, LEFT + wide / 2, BASE - size) && is_inked(pixels, LEFT + wide / 2, BASE) &&
           is_inked(pixels, LEFT, BASE - size / 2) && is_inked(pixels, LEFT + wide, BASE - size / 2) &&
           !is_inked(pixels, LEFT + wide / 2, BASE - size / 2);
}

// Also for files that are not fonts, and for characters of all planes.
static void test_without_a_font_they_are_boxes(void **state)
{
    (void)state;
    char cut[] = "/tmp/sinew_font_XXXXXX", fonts[128];
    int file = mkstemp(cut);
    static const uint8_t head[64] = { 0,   1,   0, 0, 0, 2, 0, 0, 0, 0,  0, 0, 'c', 'm',
                                      'a', 'p', 0, 0, 0, 0, 0, 0, 0, 40, 0, 0, 1,   0 };
    assert_true(file >= 0 && write(file, head, sizeof head) == sizeof head);  // a table of 256 bytes in a file of 64
    snprintf(fonts, sizeof fonts, ":%s:/dev/null:/tmp::/no/such/font.ttf:", cut);
    const char *const lists[] = { "", fonts };
    for (size_t i = 0; i < 2; i++) {
        sn_renderer *renderer = open_with(lists[i], false);
        sn_pixels pixels = shoot_text(renderer, EN, 48);
        assert_true(is_box(&pixels, 48));
        assert_true(sn_label_width(renderer, EN, 6) == 3);
        sn_pixels_free(&pixels);
        sn_renderer_free(renderer);
    }
    close(file);
    unlink(cut);
}

// More glyphs than the atlas holds: it is cleared, and glyphs are drawn again.
static void test_full_atlas_is_cleared(void **state)
{
    (void)state;
    sn_renderer *renderer = open_with_font(false);
    char text[2 * 200 + 1] = "";
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t code = 0x400 + i;
        text[i * 2] = (char)(0xc0 | code >> 6), text[i * 2 + 1] = (char)(0x80 | (code & 0x3f));
    }
    for (int i = 0; i < 16; i++) {
        sn_label label = { .text = text, .x = 4, .y = 60, .size = 20 + (float)i, .color = { 1, 1, 1, 1 } };
        sn_frame frame = {
            .width = 8000, .height = 80, .background = { 0, 0, 0, 1 }, .labels = &label, .label_count = 1
        };
        sn_pixels pixels = shoot(renderer, &frame);
        sn_pixels_free(&pixels);
    }
    sn_pixels again = shoot_text(renderer, "", 24);
    sn_pixels_free(&again);
    expect_en(renderer, 24);
    sn_renderer_free(renderer);
}

static int count_inked(const sn_pixels *pixels, int left, int right)
{
    int count = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = left; x < right; x++) count += is_inked(pixels, (float)x, (float)y);
    return count;
}

// The name of a joint in the middle is to its right. A small mark may cover it; a panel or a label moves it to the
// left. A long name is truncated.
static void test_names_avoid_panels_and_labels(void **state)
{
    (void)state;
    sn_renderer *renderer = open_with_font(false);
    sn_node node = { .name = EN EN EN,
                     .parent = -1,
                     .rest = { .rotation = { 0, 0, 0, 1 }, .scale = { 1, 1, 1 } },
                     .flags = SN_NODE_JOINT };
    static const int32_t joint = 0;
    const sn_skin skin = { "", &joint, &mat34_identity, 1 };
    sn_model model = { .name = "",
                       .format = "test",
                       .lod_count = 1,
                       .default_scene = -1,
                       .nodes = &node,
                       .node_count = 1,
                       .skins = &skin,
                       .skin_count = 1 };
    sn_actor actor = make_actor(renderer, &model);
    static const sn_bounds around = { { -2, -2, -2 }, { 2, 2, 2 }, { 0, 0, 0 }, 3.5f };
    const sn_rect mark = { 66, 42, 44, 44, { 0, 0, 0, 1 }, NULL }, panel = { 66, 0, 62, SIDE, { 0, 0, 0, 1 }, NULL };
    const sn_label label = { .text = "#########", .x = 66, .y = 68, .size = 8, .color = { 0, 0, 0, 1 } };
    sn_frame frame = { .width = SIDE,
                       .height = SIDE,
                       .background = { 0, 0, 0, 1 },
                       .actors = &actor,
                       .actor_count = 1,
                       .scene_bounds = around,
                       .camera = sn_render_camera_fit_parallel(&around, 0, 0, 1),
                       .show = SN_SHOW_NAMES };
    const struct {
        const sn_rect *rect;
        const sn_label *label;
        const char *name;
        bool left, right;
    } cases[] = {
        { NULL, NULL, EN EN EN, false, true },
        { &mark, NULL, EN EN EN, false, false },
        { &panel, NULL, EN EN EN, true, false },
        { NULL, &label, EN EN EN, true, false },
        { NULL, NULL, "IIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIII and more, far too long for the picture", false, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        node.name = cases[i].name;
        frame.rects = cases[i].rect, frame.rect_count = cases[i].rect != NULL;
        frame.labels = cases[i].label, frame.label_count = cases[i].label != NULL;
        sn_pixels pixels = shoot(renderer, &frame);
        assert_int_equal(count_inked(&pixels, 0, 62) > 10, cases[i].left);
        assert_int_equal(count_inked(&pixels, 66, SIDE) > 10, cases[i].right);
        sn_pixels_free(&pixels);
    }
    frame.width = 512;  // 43 letters, two units wide, have room here
    frame.camera = sn_render_camera_fit_parallel(&around, 0, 0, 4);
    sn_pixels pixels = shoot(renderer, &frame);
    int inked = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < 512; x++) inked += is_inked(&pixels, (float)x, (float)y);
    assert_true(inked > 100);
    sn_pixels_free(&pixels);
    free_actor(&actor);
    sn_renderer_free(renderer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_characters_come_from_a_font),   cmocka_unit_test(test_ascii_comes_from_the_font_too),
        cmocka_unit_test(test_without_a_font_they_are_boxes), cmocka_unit_test(test_full_atlas_is_cleared),
        cmocka_unit_test(test_names_avoid_panels_and_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
