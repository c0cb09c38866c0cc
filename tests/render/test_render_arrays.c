// llvmpipe reads the arrays of large meshes where they are. It must not read beyond their end.
#define _GNU_SOURCE  // MAP_ANONYMOUS
#include "hand_models.h"
#include "shoot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { SIDE = 300, VERTICES = SIDE * SIDE, TRIANGLES = (SIDE - 1) * (SIDE - 1) * 2 };

// Memory that ends where reading fails.
typedef struct fenced {
    uint8_t *pages;
    size_t size, page;
} fenced;

static void *fence(fenced *to, size_t size)
{
    to->page = (size_t)sysconf(_SC_PAGESIZE);
    to->size = (size + to->page - 1) / to->page * to->page;
    to->pages = mmap(NULL, to->size + to->page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(to->pages != MAP_FAILED);
    assert_int_equal(mprotect(to->pages + to->size, to->page, PROT_NONE), 0);
    return to->pages + to->size - size;
}

static void unfence(const fenced *from) { munmap(from->pages, from->size + from->page); }

// An upload that fails before the arrays of a large mesh is not forgotten.
static void test_errors_are_kept(void **state)
{
    static sn_vec3 positions[VERTICES];
    (void)state;
    test_rig rig;
    rig_init(&rig);
    rig_node(&rig, -1, trs_identity, 0);
    sn_mesh *mesh = rig_mesh(&rig, 3, positions);
    mesh->vertex_count = VERTICES;
    rig_part(&rig, 0, 0, -1);
    sn_renderer *renderer = open_renderer(false);
    sn_error error;
    glEnable(GL_NONE + 1);  // GL_INVALID_ENUM
    assert_null(sn_drawable_create(renderer, &rig.model, &error));
    assert_int_equal(error.status, SN_ERR_MEMORY);
    sn_renderer_free(renderer);
}

static void test_arrays_at_the_end_of_memory(void **state)
{
    static uint32_t indices[TRIANGLES * 3];
    static const sn_bounds around = { { -1, -1, 0 }, { 1, 1, 0 }, { 0, 0, 0 }, 1.5f };
    (void)state;
    fenced memory[4];
    sn_vec3 *positions = fence(&memory[0], VERTICES * sizeof *positions),
            *normals = fence(&memory[1], VERTICES * sizeof *normals);
    sn_vec4 *tangents = fence(&memory[2], VERTICES * sizeof *tangents),
            *colors = fence(&memory[3], VERTICES * sizeof *colors);
    const sn_vec4 *color_sets[1] = { colors };
    uint32_t *at = indices;
    for (uint32_t v = 0; v < VERTICES; v++) {
        const float x = (float)(v % SIDE) / SIDE, y = (float)(v / SIDE) / SIDE;
        positions[v] = sni_vec3(2 * x - 1, 2 * y - 1, 0);
        normals[v] = sni_vec3(0, 0, 1);
        tangents[v] = (sn_vec4){ 1, 0, 0, 1 };
        colors[v] = (sn_vec4){ x, y, 1 - x, 1 };
    }
    for (uint32_t v = 0; v < VERTICES - SIDE; v++) {
        const uint32_t corners[6] = { v, v + 1, v + SIDE, v + 1, v + SIDE + 1, v + SIDE };
        if (v % SIDE == SIDE - 1) continue;
        memcpy(at, corners, sizeof corners);
        at += 6;
    }
    test_rig rig;
    rig_init(&rig);
    rig_node(&rig, -1, trs_identity, 0);
    *rig_mesh(&rig, 3, positions) = (sn_mesh){ .name = "",
                                               .vertex_count = VERTICES,
                                               .index_count = TRIANGLES * 3,
                                               .positions = positions,
                                               .normals = normals,
                                               .tangents = tangents,
                                               .colors = color_sets,
                                               .color_count = 1,
                                               .indices = indices };
    rig_part(&rig, 0, 0, -1);
    sn_renderer *renderer = open_renderer(false);
    const bool is_llvmpipe = renderer->is_llvmpipe;
    renderer->culled_density = INFINITY;  // all vertices are needed
    sn_pixels pixels[2];
    for (int i = 0; i < 2; i++) {
        renderer->is_llvmpipe = is_llvmpipe && i == 0;  // else arrays are copied
        sn_actor actor = make_actor(renderer, &rig.model);
        const sn_frame frame = { .width = 128,
                                 .height = 128,
                                 .actors = &actor,
                                 .actor_count = 1,
                                 .camera = sn_render_camera_fit(&around, 0, 0, 1) };
        pixels[i] = shoot(renderer, &frame);
        free_actor(&actor);
    }
    assert_memory_equal(pixels[0].rgba, pixels[1].rgba, 128 * 128 * 4);
    assert_int_not_equal(pixel_at(&pixels[0], 32, 64).r, pixel_at(&pixels[0], 96, 64).r);
    for (int i = 0; i < 2; i++) sn_pixels_free(&pixels[i]);
    for (int i = 0; i < 4; i++) unfence(&memory[i]);
    sn_renderer_free(renderer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrays_at_the_end_of_memory),
        cmocka_unit_test(test_errors_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
