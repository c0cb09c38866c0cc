// How long pictures take: frames of an animated character, and a whole command beside f3d. See
// docs/internals/performance.md.
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rounds.h"
#include "sinew/render.h"

extern char **environ;

// A character of 5,000 triangles: a tube along a chain of joints, each vertex bent by four of them.
enum {
    BONES = 40,
    RINGS = 101,
    SIDES = 25,
    VERTICES = RINGS * SIDES,
    TRIANGLES = (RINGS - 1) * SIDES * 2,
    INFLUENCES = 4
};

typedef struct character {
    sn_node nodes[BONES + 1];
    int32_t joints[BONES];
    sn_mat34 inverse_bind[BONES];
    sn_vec3 positions[VERTICES], normals[VERTICES];
    uint32_t indices[TRIANGLES * 3];
    uint16_t vertex_joints[VERTICES * INFLUENCES];
    float vertex_weights[VERTICES * INFLUENCES];
    sn_skin skin;
    sn_mesh mesh;
    sn_part part;
    sn_model model;
} character;

static const float bone_length = 0.1f;

static void fill_vertex(character *c, int ring, int side)
{
    int vertex = ring * SIDES + side;
    float angle = 6.2831853f * (float)side / SIDES, along = (float)ring / (RINGS - 1) * BONES,
          wide = 0.5f + 0.2f * sinf(along);
    int first = (int)along - 1;
    c->normals[vertex] = (sn_vec3){ cosf(angle), 0, sinf(angle) };
    c->positions[vertex] = (sn_vec3){ wide * cosf(angle), along * bone_length, wide * sinf(angle) };
    for (int i = 0; i < INFLUENCES; i++) {
        int joint = first + i < 0 ? 0 : first + i >= BONES ? BONES - 1 : first + i;
        c->vertex_joints[vertex * INFLUENCES + i] = (uint16_t)joint;
        c->vertex_weights[vertex * INFLUENCES + i] = i == 1 || i == 2 ? 0.4f : 0.1f;
    }
}

static void fill_indices(character *c)
{
    uint32_t *at = c->indices;
    for (uint32_t ring = 0; ring + 1 < RINGS; ring++)
        for (uint32_t side = 0; side < SIDES; side++) {
            uint32_t a = ring * SIDES + side, b = ring * SIDES + (side + 1) % SIDES;
            const uint32_t corners[6] = { a, a + SIDES, b, b, a + SIDES, b + SIDES };
            memcpy(at, corners, sizeof corners);
            at += 6;
        }
}

static void make_character(character *c)
{
    const sn_trs identity = { { 0, 0, 0 }, { 0, 0, 0, 1 }, { 1, 1, 1 } };
    memset(c, 0, sizeof *c);
    for (int i = 0; i <= BONES; i++) {
        c->nodes[i] = (sn_node){
            .name = "", .parent = i - 1, .flags = i < BONES ? SN_NODE_JOINT : 0, .rest = identity
        };
        c->nodes[i].parent = i < BONES ? i - 1 : -1;
        c->nodes[i].rest.translation.y = i > 0 && i < BONES ? bone_length : 0;
    }
    for (int i = 0; i < BONES; i++) {
        c->joints[i] = i;
        c->inverse_bind[i] = (sn_mat34){ { { 1, 0, 0, 0 }, { 0, 1, 0, -bone_length * (float)i }, { 0, 0, 1, 0 } } };
    }
    for (int ring = 0; ring < RINGS; ring++)
        for (int side = 0; side < SIDES; side++) fill_vertex(c, ring, side);
    fill_indices(c);
    c->skin = (sn_skin){ "", c->joints, c->inverse_bind, BONES };
    c->mesh = (sn_mesh){ .name = "",
                         .vertex_count = VERTICES,
                         .index_count = TRIANGLES * 3,
                         .influence_count = INFLUENCES,
                         .positions = c->positions,
                         .normals = c->normals,
                         .indices = c->indices,
                         .vertex_joints = c->vertex_joints,
                         .vertex_weights = c->vertex_weights };
    c->part = (sn_part){ .node = BONES, .material = -1, .color = { 1, 1, 1, 1 } };
    c->model = (sn_model){ .name = "",
                           .format = "test",
                           .lod_count = 1,
                           .default_scene = -1,
                           .nodes = c->nodes,
                           .node_count = BONES + 1,
                           .meshes = &c->mesh,
                           .mesh_count = 1,
                           .parts = &c->part,
                           .part_count = 1,
                           .skins = &c->skin,
                           .skin_count = 1 };
}

static void bend(sn_pose *pose, float time)
{
    for (int i = 1; i < BONES; i++) {
        float half = 0.04f * sinf(time * 3 + 0.3f * (float)i);
        sn_trs local = { { 0, bone_length, 0 }, { 0, 0, sinf(half), cosf(half) }, { 1, 1, 1 } };
        sn_pose_set_local(pose, i, local);
    }
    sn_pose_solve(pose, NULL);
}

// Also the time of all processors together, which others on the machine change less.
typedef struct frame_times {
    bench_times wall, processors;
} frame_times;

static double processor_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

static void time_frames(sn_renderer *renderer, const sn_frame *frame, sn_pose *pose, uint32_t count, frame_times *times)
{
    for (uint32_t i = 0; i < count + 5; i++) {
        sn_error error;
        sn_pixels pixels = { 0 };
        double start = bench_now(), used = processor_seconds();
        bend(pose, (float)i / 60);
        if (sn_render_draw(renderer, frame, &error) != SN_OK || sn_render_read(renderer, &pixels, &error) != SN_OK)
            exit(1);
        if (i >= 5 && times->wall.count < BENCH_MOST_ROUNDS) {
            times->wall.seconds[times->wall.count++] = bench_now() - start;
            times->processors.seconds[times->processors.count++] = processor_seconds() - used;
        }
        sn_pixels_free(&pixels);
    }
}

static bool bench_frames(uint32_t count)
{
    static character c;
    static frame_times plain, staged;
    sn_error error;
    sn_renderer *renderer = sn_renderer_create(NULL, &error);
    if (!renderer) {
        printf("skipped: %s\n", error.message);
        return false;
    }
    make_character(&c);
    sn_drawable *drawable = sn_drawable_create(renderer, &c.model, &error);
    sn_pose *pose = sn_pose_create(&c.model, NULL, NULL);
    sn_actor actor = { .drawable = drawable, .pose = pose };
    sn_bounds bounds = sn_pose_bounds(pose);
    sn_frame frame = { .width = 640,
                       .height = 480,
                       .actors = &actor,
                       .actor_count = 1,
                       .background = { 0.2f, 0.2f, 0.2f, 1 },
                       .scene_bounds = bounds,
                       .camera = sn_render_camera_fit(&bounds, SN_VIEW_YAW, SN_VIEW_PITCH, 640.0f / 480) };
    time_frames(renderer, &frame, pose, count, &plain);
    frame.show = SN_SHOW_GRID | SN_SHOW_SHADOW;
    time_frames(renderer, &frame, pose, count, &staged);
    printf("%s\n%d triangles at 640x480, drawn and read back, milliseconds p10 and median, frames a second by the "
           "median,\n"
           "and milliseconds of all processors together, p10 and median:\n",
           sn_renderer_name(renderer), TRIANGLES);
    const frame_times *all[2] = { &plain, &staged };
    for (int i = 0; i < 2; i++)
        printf("  %-22s %6.1f %6.1f %6.0f %6.1f %6.1f\n", i ? "with ground and shadow" : "alone",
               bench_percentile(&all[i]->wall, 0.1) * 1e3, bench_percentile(&all[i]->wall, 0.5) * 1e3,
               1 / bench_percentile(&all[i]->wall, 0.5), bench_percentile(&all[i]->processors, 0.1) * 1e3,
               bench_percentile(&all[i]->processors, 0.5) * 1e3);
    sn_pose_free(pose);
    sn_drawable_free(drawable);
    sn_renderer_free(renderer);
    return true;
}

// Seconds of a command, or a negative number when it could not be run or failed.
static double time_command(char *const argv[])
{
    posix_spawn_file_actions_t quiet;
    pid_t child;
    int status = 1;
    double start = bench_now();
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", 1, 0);
    posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", 1, 0);
    bool is_started = posix_spawnp(&child, argv[0], &quiet, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&quiet);
    if (!is_started || waitpid(child, &status, 0) < 0 || status != 0) return -1;
    return bench_now() - start;
}

static void bench_commands(const char *tool, const char *file, uint32_t rounds)
{
    static bench_times ours, theirs;
    char folder[] = "/tmp/sinew_bench_XXXXXX", out[64];
    if (!mkdtemp(folder)) exit(1);
    snprintf(out, sizeof out, "%s/picture.png", folder);
    char *const sinew[] = {
        (char *)(uintptr_t)tool, "render", (char *)(uintptr_t)file, "--size", "512x512", "-o", out, NULL
    };
    char *const f3d[] = { "xvfb-run", "-a", "f3d", "--output", out, "--resolution", "512,512", (char *)(uintptr_t)file,
                          NULL };
    bool has_f3d = time_command(f3d) >= 0;
    time_command(sinew);
    for (uint32_t i = 0; i < rounds; i++) {
        double a = time_command(sinew), b = has_f3d ? time_command(f3d) : -1;
        if (a >= 0) ours.seconds[ours.count++] = a;
        if (b >= 0) theirs.seconds[theirs.count++] = b;
    }
    remove(out);
    rmdir(folder);
    printf("%s as a picture of 512x512, seconds p10 and median:\n  sinew render %6.2f %6.2f\n", file,
           bench_percentile(&ours, 0.1), bench_percentile(&ours, 0.5));
    if (!has_f3d) printf("  f3d is skipped: 'xvfb-run f3d --output' does not work here\n");
    else
        printf("  xvfb-run f3d %6.2f %6.2f, sinew is %.1f times as fast\n", bench_percentile(&theirs, 0.1),
               bench_percentile(&theirs, 0.5), bench_ratio(&theirs, &ours));
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: bench_render SINEW ROUNDS FILE.glb...\n");
        return 2;
    }
    uint32_t rounds = (uint32_t)strtoul(argv[2], NULL, 10);
    if (rounds < 1 || rounds > BENCH_MOST_ROUNDS) return 2;
    if (!bench_frames(rounds)) return 77;
    for (int i = 3; i < argc; i++) bench_commands(argv[1], argv[i], rounds);
    return 0;
}
