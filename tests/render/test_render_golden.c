// Compares pictures of the samples with reviewed ones in tests/render/golden: byte for byte on the driver that drew
// them, within a tolerance on others. SINEW_WRITE_GOLDEN=1 draws them again; review every one before committing it.
#include "shoot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct golden {
    const char *name, *sample, *clip;
    float seconds, yaw, pitch;
    uint32_t show;
    int32_t lod;
    const char *weights;
} golden;

enum { SIDE = 160, STAGED = SN_SHOW_GRID | SN_SHOW_SHADOW };

// clang-format off
static const golden goldens[] = {
    { "arm_bend", "arm.glb", "bend", 0.5f, 0.6f, 0.3f, STAGED, 0, NULL },
    { "arm_wire", "arm.glb", "bend", 0.5f, 0.6f, 0.3f, SN_SHOW_WIREFRAME | SN_SHOW_UNTEXTURED, 0, NULL },
    { "arm_names", "arm.glb", "bend", 0.5f, 0.6f, 0.3f, SN_SHOW_SKELETON | SN_SHOW_NAMES, 0, NULL },
    { "face_morphs", "face.glb", "smile", 0.75f, 0.5f, 0.2f, 0, 0, NULL },
    { "crane", "crane.gltf", "swing", 0.5f, 0.6f, 0.3f, STAGED, 0, NULL },
    { "hound_walk", "hound.mdx", "Walk", 0.3f, 0.6f, 0.3f, STAGED, 0, NULL },
    { "hound_bones", "hound.mdx", "Walk", 0.3f, 1.4f, 0.2f, SN_SHOW_SKELETON, 0, NULL },
    { "hound_weights", "hound.mdx", "Stand", 0, 0.6f, 0.3f, SN_SHOW_WEIGHTS, 0, "Bone_Neck" },
    { "boar_top", "boar.mdx", "Stand", 0, 0, 1.5707963f, SN_SHOW_AXES | SN_SHOW_ATTACHMENTS, 0, NULL },
    { "golem", "golem.mdx", "Stand", 0, 0.6f, 0.3f, STAGED, 0, NULL },
    { "golem_far", "golem.mdx", "Stand", 0, 0.6f, 0.3f, 0, 1, NULL },
    { "lantern", "lantern.mdl", NULL, 0, 0.6f, 0.3f, STAGED, 0, NULL },
    { "house", "house.w3d", NULL, 0, 0.6f, 0.3f, STAGED, 0, NULL },
    { "serpent_normals", "serpent.w3d", NULL, 0, 0.9f, 0.3f, SN_SHOW_NORMALS, 0, NULL },
    { "soldier_walk", "soldier_skn.w3d", "SOLDIER_WALK", 0.25f, 0.6f, 0.3f, STAGED | SN_SHOW_SKELETON, 0, NULL },
    { "tank_fire", "tank.w3d", "TANKFIRE", 0.7f, -0.6f, 0.3f, STAGED, 0, NULL },
    { "rabbit_hop", "rabbit.chr", "hop", 0.33f, 0.6f, 0.3f, STAGED, 0, NULL },
    { "arm1_bend", "arm1.mds", "bend", 1.0f, 0.6f, 0.3f, STAGED | SN_SHOW_SKELETON, 0, NULL },
    { "toys", "toys.pak", NULL, 0, 0.6f, 0.3f, STAGED, 0, NULL },
    { "tank_bounds", "tank.w3d", NULL, 0, 0.6f, 0.3f, SN_SHOW_BOUNDS, 0, NULL },
};
// clang-format on

enum { GOLDENS = sizeof goldens / sizeof *goldens };

static void path_of(const char *name, const char *ending, char path[512])
{
    snprintf(path, 512, "%s/render/golden/%s%s", SINEW_TESTS_DIR, name, ending);
}

static sn_pixels draw(sn_renderer *renderer, const golden *g)
{
    sn_model *model = load_sample(g->sample);
    sn_actor actor = make_actor(renderer, model);
    sn_framing framing = sn_framing_begin(g->yaw, g->pitch, 1);
    int32_t clip = g->clip ? sn_model_find_clip(model, g->clip) : -1;
    assert_true(!g->clip || clip >= 0);
    sn_pose_set_lod((sn_pose *)(uintptr_t)actor.pose, g->lod);
    pose_actor(&actor, clip, g->seconds, &framing.view);
    assert_int_equal(sn_framing_add_pose(&framing, actor.pose, model, NULL), SN_OK);
    sn_frame frame = { .width = SIDE,
                       .height = SIDE,
                       .actors = &actor,
                       .actor_count = 1,
                       .background = { 0.19f, 0.21f, 0.24f, 1 },
                       .show = g->show,
                       .camera = sn_framing_end(&framing),
                       .selected_node = -1 };
    if (g->weights) frame.selected_node = sn_model_find_node(model, g->weights);
    sn_pixels pixels = shoot(renderer, &frame);
    free_actor(&actor);
    sn_model_free(model);
    return pixels;
}

static void *read_whole(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s is missing", path);
    void *data = calloc(1, 1 << 20);
    *size = fread(data, 1, 1 << 20, file);
    fclose(file);
    return data;
}

static sn_pixels read_golden(const char *name)
{
    char path[512];
    sn_image image = { .name = "", .uri = "", .mime_type = "" };
    sn_pixels pixels;
    sn_error error;
    path_of(name, ".png", path);
    size_t size;
    void *data = read_whole(path, &size);
    image.data = data, image.size = size;
    if (sn_image_decode(&image, NULL, &pixels, &error) != SN_OK) fail_msg("%s: %s", path, error.message);
    free(data);
    return pixels;
}

// Compares averages over 8 x 8 pixels, because edges and rounding differ between drivers.
static double difference_of_blocks(const sn_pixels *a, const sn_pixels *b)
{
    double most = 0;
    for (uint32_t y = 0; y + 8 <= SIDE; y += 8)
        for (uint32_t x = 0; x + 8 <= SIDE; x += 8)
            for (size_t c = 0; c < 4; c++) {
                int sum = 0;
                for (size_t i = 0; i < 64; i++) {
                    size_t at = ((y + i / 8) * SIDE + x + i % 8) * 4 + c;
                    sum += a->rgba[at] - b->rgba[at];
                }
                most = fmax(most, abs(sum) / 64.0);
            }
    return most;
}

static void compare(const golden *g, const sn_pixels *drawn, bool is_same_driver)
{
    sn_pixels kept = read_golden(g->name);
    char path[512];
    snprintf(path, sizeof path, "golden_%s.png", g->name);
    assert_int_equal(kept.width, SIDE);
    assert_int_equal(kept.height, SIDE);
    bool is_equal = memcmp(kept.rgba, drawn->rgba, SIDE * SIDE * 4) == 0;
    double difference = difference_of_blocks(&kept, drawn);
    sn_pixels_free(&kept);
    if (is_equal || (!is_same_driver && difference < 12)) return;
    sn_pixels_save(drawn, path, NULL);
    fail_msg("%s has changed: see %s; difference %g of 255 over 8 x 8 pixels", g->name, path, difference);
}

// Driver and processor features: the driver compiles for the processor.
static void name_driver(const sn_renderer *renderer, char name[512])
{
    char line[4096] = "";
    unsigned features = 0;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file) && strncmp(line, "flags", 5) != 0) line[0] = 0;
    if (file) fclose(file);
    static const char *const known[] = { " sse4_1 ", " avx ",     " avx2 ",     " fma ",
                                         " f16c ",   " avx512f ", " avx512bw ", " avx512vl " };
    for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
        features |= (unsigned)(strstr(line, known[i]) != NULL) << i;
    snprintf(name, 512, "%s, processor %02x\n", sn_renderer_name(renderer), features);
}

static bool is_driver_of_goldens(const sn_renderer *renderer)
{
    char path[512], own[512];
    size_t size;
    path_of("DRIVER", "", path);
    name_driver(renderer, own);
    char *name = read_whole(path, &size);
    bool is_same = strcmp(name, own) == 0;
    if (!is_same) print_message("drawn with %s; the golden pictures are from %s", own, name);
    free(name);
    return is_same;
}

static void write_driver(const sn_renderer *renderer)
{
    char path[512], own[512];
    path_of("DRIVER", "", path);
    name_driver(renderer, own);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(own, file);
    fclose(file);
}

static void test_goldens(void **state)
{
    (void)state;
    sn_renderer *renderer = open_renderer(false);
    bool writes = getenv("SINEW_WRITE_GOLDEN") != NULL;
    if (writes) write_driver(renderer);
    bool is_same_driver = is_driver_of_goldens(renderer);
    for (size_t i = 0; i < GOLDENS; i++) {
        sn_pixels drawn = draw(renderer, &goldens[i]);
        char path[512];
        path_of(goldens[i].name, ".png", path);
        if (writes) assert_int_equal(sn_pixels_save(&drawn, path, NULL), SN_OK);
        else compare(&goldens[i], &drawn, is_same_driver);
        sn_pixels_free(&drawn);
    }
    sn_renderer_free(renderer);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_goldens) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
