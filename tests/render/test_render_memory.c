// Fails each allocation in turn, from loading a model to reading its picture: one clear error, no leaks in memory or
// OpenGL objects, and the renderer draws the same picture as before once memory is available.
#include "counting_heap.h"
#include "random_model.h"
#include "shoot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 48, NAMES = 8192 };

typedef struct trial {
    const char *path;
    sn_allocator allocator;
    sn_model *model;
    sn_renderer *renderer;
    sn_drawable *drawable;
    sn_pose *pose;
    sn_pixels pixels;
    sn_error error;
} trial;

static bool prepare(trial *t)
{
    sn_load_opts load = { .allocator = t->allocator, .tangents = true };
    sn_render_opts opts = { .allocator = t->allocator, .use_current = true, .debug = true };
    if (!(t->model = sn_load_file(t->path, &load, &t->error))) return false;
    if (!(t->renderer = sn_renderer_create(&opts, &t->error))) return false;
    if (!(t->drawable = sn_drawable_create(t->renderer, t->model, &t->error))) return false;
    t->pose = sn_pose_create(t->model, &t->allocator, NULL);
    t->error.status = SN_ERR_MEMORY;
    return t->pose != NULL;
}

static bool draw(trial *t)
{
    sn_mat34 upright = sn_model_upright(t->model);
    sn_pose_set_root(t->pose, &upright);
    sn_pose_sample(t->pose, 0, 0.3f, 0);
    sn_pose_solve(t->pose, NULL);
    sn_bounds bounds = sn_pose_bounds(t->pose);
    sn_actor actor = { .drawable = t->drawable, .pose = t->pose };
    const sn_label label = { .text = "bone \xd0\x96\xd0\x9d", .x = 4, .y = 20, .size = 8, .color = { 1, 1, 1, 1 } };
    static uint8_t texels[16] = { 255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 9, 9, 9, 0 };
    const sn_pixels pixels = { 2, 2, texels, { 0 } };
    sn_render_image *image = sn_render_image_create(t->renderer, &pixels, &t->error);
    if (!image) return false;
    const sn_rect rects[2] = { { 2, 2, 20, 20, { 0, 0, 0, 0.5f }, NULL }, { 30, 2, 16, 16, { 1, 1, 1, 1 }, image } };
    sn_frame frame = { .width = SIDE,
                       .height = SIDE,
                       .actors = &actor,
                       .actor_count = 1,
                       .background = { 0.2f, 0.2f, 0.2f, 1 },
                       .camera = sn_render_camera_fit(&bounds, 0.6f, 0.3f, 1),
                       .labels = &label,
                       .label_count = 1,
                       .rects = rects,
                       .rect_count = 2,
                       .show = SN_SHOW_SHADOW | SN_SHOW_GRID | SN_SHOW_SKELETON | SN_SHOW_NAMES | SN_SHOW_WIREFRAME |
                               SN_SHOW_NORMALS | SN_SHOW_LIGHTS | SN_SHOW_BOUNDS };
    bool is_drawn = sn_render_draw(t->renderer, &frame, &t->error) == SN_OK;
    sn_render_image_free(image);
    return is_drawn && sn_render_read(t->renderer, &t->pixels, &t->error) == SN_OK;
}

static void clean(trial *t)
{
    sn_pixels_free(&t->pixels);
    sn_pose_free(t->pose);
    sn_drawable_free(t->drawable);
    sn_renderer_free(t->renderer);
    sn_model_free(t->model);
}

// OpenGL object names are small numbers in ascending order.
static int objects_alive(void)
{
    int alive = 0;
    for (GLuint i = 1; i < NAMES; i++)
        alive += glIsTexture(i) + glIsBuffer(i) + glIsVertexArray(i) + glIsSampler(i) + glIsProgram(i) + glIsShader(i) +
                 glIsFramebuffer(i) + glIsRenderbuffer(i);
    return alive;
}

static void expect_same(const sn_pixels *a, const sn_pixels *b)
{
    assert_int_equal(a->width * a->height, SIDE * SIDE);
    assert_memory_equal(a->rgba, b->rgba, SIDE * SIDE * 4);
}

// Returns false if no allocation failed, that is, all have been tried.
static bool fail_once(const char *path, uint64_t at, const sn_pixels *expected)
{
    counting_heap heap = { .fail_at = at };
    trial t = { .path = path, .allocator = counting_allocator(&heap) };
    bool is_ready = prepare(&t), is_good = is_ready && draw(&t), has_failed = heap.calls >= at;
    heap.fail_at = 0;
    if (is_good) {
        expect_same(&t.pixels, expected);
    } else {
        if (!has_failed || t.error.status != SN_ERR_MEMORY)
            fail_msg("%s, allocation %llu: %s", path, (unsigned long long)at, t.error.message);
        if (is_ready && !draw(&t))
            fail_msg("%s, after allocation %llu: %s", path, (unsigned long long)at, t.error.message);
        if (is_ready) expect_same(&t.pixels, expected);
    }
    clean(&t);
    if (heap.live_blocks > 0)
        fail_msg("%s, allocation %llu: %llu blocks are lost", path, (unsigned long long)at,
                 (unsigned long long)heap.live_blocks);
    assert_int_equal(objects_alive(), 0);
    return has_failed;
}

// In a separate context, so that object names start at 1.
static void sweep_sample(const char *name)
{
    const sn_render_opts opts = { .debug = true };
    counting_heap heap = { 0 };
    char path[512];
    trial whole = { .path = path, .allocator = counting_allocator(&heap) };
    sni_context context;
    bool is_es;
    if (!sni_context_open(&context, &opts, &is_es, &whole.error)) {
        print_message("%s\n", whole.error.message);
        skip();
    }
    snprintf(path, sizeof path, "%s/%s", SINEW_SAMPLES, name);
    if (!prepare(&whole) || !draw(&whole)) fail_msg("%s: %s", path, whole.error.message);
    assert_true(objects_alive() > 20);
    sn_pixels pixels = whole.pixels;
    whole.pixels = (sn_pixels){ 0 };
    clean(&whole);
    uint64_t at = 1;
    while (fail_once(path, at, &pixels)) at += random_step();
    print_message("%s: one of %u of %llu allocations failed once\n", name, (unsigned)random_step(),
                  (unsigned long long)(at - 1));
    sn_pixels_free(&pixels);
    sni_context_close(&context);
}

static void test_each_allocation_fails(void **state)
{
    (void)state;
    sweep_sample("face.glb");     // morphs
    sweep_sample("lantern.mdl");  // lights
    sweep_sample("golem.mdx");    // skins and many images
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
