// The W3D samples contain what they should. Read from their documents and posed in double precision, independently of
// the library's mathematics.
#include "hand_models.h"
#include "w3d_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static w3d_file *open_sample(const char *name)
{
    static uint8_t bytes[1 << 16];
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", SINEW_SAMPLES, name);
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    size_t size = fread(bytes, 1, sizeof bytes, stream);
    fclose(stream);
    w3d_file *file = w3d_file_open();
    w3d_file_set(file, bytes, size);
    w3d_file_parse(file);
    assert_null(file->load.diag.first);
    return file;
}

typedef struct place {
    double turn[4], at[3];
} place;

// v + 2w (q x v) + 2 q x (q x v)
static void rotate(const double q[4], const double v[3], double out[3])
{
    double c[3] = { q[1] * v[2] - q[2] * v[1], q[2] * v[0] - q[0] * v[2], q[0] * v[1] - q[1] * v[0] };
    double d[3] = { q[1] * c[2] - q[2] * c[1], q[2] * c[0] - q[0] * c[2], q[0] * c[1] - q[1] * c[0] };
    for (int i = 0; i < 3; i++) out[i] = v[i] + 2 * (q[3] * c[i] + d[i]);
}

static void move(const place *base, const double v[3], double out[3])
{
    rotate(base->turn, v, out);
    for (int i = 0; i < 3; i++) out[i] += base->at[i];
}

enum { MOST_BONES = 32 };
static place places[MOST_BONES];
static uint32_t place_count;

static void place_bones(const w3d_hierarchy *hierarchy)
{
    place_count = hierarchy->pivots.count;
    assert_in_range(place_count, 1, MOST_BONES);
    places[0] = (place){ .turn = { 0, 0, 0, 1 } };
    for (uint32_t i = 1; i < place_count; i++) {
        w3d_pivot pivot = w3d_read_pivot(hierarchy, i);
        assert_in_range(pivot.parent, 0, i - 1);
        const place *p = &places[pivot.parent];
        const double t[3] = { pivot.translation.x, pivot.translation.y, pivot.translation.z };
        const double *a = p->turn, b[4] = { pivot.rotation.x, pivot.rotation.y, pivot.rotation.z, pivot.rotation.w };
        move(p, t, places[i].at);
        places[i].turn[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
        places[i].turn[1] = a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2];
        places[i].turn[2] = a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0];
        places[i].turn[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
    }
}

static void pose_vertex(w3d_array vertices, uint32_t i, uint32_t bone, double out[3])
{
    assert_in_range(bone, 0, place_count - 1);
    double v[3];
    for (int k = 0; k < 3; k++) v[k] = sni_load_f32(vertices.data + 12 * i + 4 * (size_t)k);
    move(&places[bone], v, out);
}

static void check_posed_box(const w3d_mesh *mesh, bool has_two_bones)
{
    double min[3] = { 1e9, 1e9, 1e9 }, max[3] = { -1e9, -1e9, -1e9 };
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        const uint8_t *influence = mesh->influences.data + 8 * (size_t)i;
        double first[3], second[3];
        uint32_t weight = has_two_bones ? sni_load_u16(influence + 6) : 0;
        pose_vertex(mesh->positions, i, sni_load_u16(influence), first);
        if (has_two_bones) assert_int_equal(sni_load_u16(influence + 4) + weight, 100);
        if (weight > 0) {
            pose_vertex(mesh->positions2, i, sni_load_u16(influence + 2), second);
            for (int k = 0; k < 3; k++) assert_within(second[k], first[k], 1e-5);
        }
        for (int k = 0; k < 3; k++) min[k] = fmin(min[k], first[k]), max[k] = fmax(max[k], first[k]);
    }
    expect_vec3(mesh->box_min, min[0], min[1], min[2], 1e-4, __FILE__, __LINE__);
    expect_vec3(mesh->box_max, max[0], max[1], max[2], 1e-4, __FILE__, __LINE__);
}

static void soldier_fits_its_box(void **state)
{
    (void)state;
    w3d_file *file = open_sample("soldier_skl.w3d");
    assert_true(str_is(file->doc.hierarchies[0].name, "SOLDIER_SKL"));
    place_bones(&file->doc.hierarchies[0]);
    w3d_file_close(file);
    file = open_sample("soldier_skn.w3d");
    assert_int_equal(file->doc.hierarchy_count, 0);
    assert_true(str_is(file->doc.hlods[0].hierarchy, "SOLDIER_SKL"));
    check_posed_box(&file->doc.meshes[0], false);
    w3d_file_close(file);
}

static void serpent_fits_its_box(void **state)
{
    (void)state;
    w3d_file *file = open_sample("serpent.w3d");
    const w3d_mesh *mesh = &file->doc.meshes[0];
    place_bones(&file->doc.hierarchies[0]);
    check_posed_box(mesh, true);
    assert_int_equal(mesh->tangents.count, mesh->vertex_count);
    assert_int_equal(mesh->bitangents.count, mesh->vertex_count);
    assert_int_equal(mesh->shader_material_count, 1);
    assert_int_equal(mesh->material_sets[0].passes[0].uvs.count, mesh->vertex_count);
    w3d_file_close(file);
}

static void rotated(const w3d_keys *keys, uint32_t frame, double x, double y, double z, double half_tangent,
                    double bound)
{
    double length = sqrt(1 + half_tangent * half_tangent),
           expected[4] = { x * half_tangent / length, y * half_tangent / length, z * half_tangent / length,
                           1 / length };
    for (uint32_t v = 0; v < 4; v++) assert_within(keys->values[frame * 4 + v], expected[v], bound);
}

static const w3d_channel *decode(w3d_file *file, uint32_t animation, uint32_t channel, w3d_keys *keys)
{
    const w3d_channel *found = &file->doc.animations[animation].channels[channel];
    assert_in_range(channel, 0, file->doc.animations[animation].channel_count - 1);
    assert_true(w3d_decode_channel(&file->load, found, keys));
    return found;
}

static void tank_recoils(void **state)
{
    (void)state;
    w3d_keys keys;
    w3d_file *file = open_sample("tank.w3d");
    const w3d_hlod *hlod = &file->doc.hlods[0];
    assert_int_equal(hlod->lod_count, 3);
    for (uint32_t i = 1; i < 3; i++) assert_true(hlod->lods[i].max_screen_size > hlod->lods[i - 1].max_screen_size);
    assert_int_equal(hlod->aggregates.object_count, 1);
    assert_int_equal(hlod->proxies.object_count, 1);
    assert_int_equal(decode(file, 0, 0, &keys)->kind, W3D_RAW);
    rotated(&keys, 20, 0, 0, 1, 0.5, 1e-6);
    assert_int_equal(decode(file, 0, 1, &keys)->first_frame, 10);
    rotated(&keys, 10, 0, 1, 0, -0.12, 1e-6);
    assert_int_equal(decode(file, 0, 4, &keys)->kind, W3D_RAW_BITS);
    static const float flash[4] = { 1, 1, 0, 1 };
    assert_memory_equal(keys.values, flash, sizeof flash);
    w3d_file_close(file);
}

static void soldier_has_three_kinds_of_animation(void **state)
{
    (void)state;
    w3d_keys keys;
    w3d_file *file = open_sample("soldier_wave.w3d");
    assert_int_equal(decode(file, 0, 0, &keys)->kind, W3D_RAW);
    rotated(&keys, 20, 0, 1, 0, -0.6, 1e-6);
    w3d_file_close(file);
    file = open_sample("soldier_walk.w3d");
    assert_int_equal(decode(file, 0, 0, &keys)->kind, W3D_TIMECODED);
    assert_int_equal(keys.frames[3], 23);
    rotated(&keys, 3, 0, 1, 0, -0.3, 1e-6);
    decode(file, 0, 6, &keys);
    assert_true(keys.is_jump[1] && !keys.is_jump[2]);
    assert_int_equal(decode(file, 0, 8, &keys)->kind, W3D_TIMECODED_BITS);
    w3d_file_close(file);
    file = open_sample("soldier_bow.w3d");
    const w3d_channel *spine = decode(file, 0, 0, &keys);
    assert_int_equal(spine->kind, W3D_ADAPTIVE4);
    assert_int_equal(keys.count, 37);
    for (int i = 0; i < 37; i++) {
        double u = (i < 18 ? i : 36 - i) / 18.0;
        rotated(&keys, (uint32_t)i, 0, 1, 0, 0.45 * u * u * (3 - 2 * u), spine->scale / 2 + 1e-6);
    }
    w3d_file_close(file);
}

static double swing(double u) { return u < 0.5 ? 16 * u * (0.5 - u) : -16 * (u - 0.5) * (1 - u); }

static void serpent_has_all_kinds_of_channels(void **state)
{
    (void)state;
    w3d_keys keys;
    w3d_file *file = open_sample("serpent.w3d");
    assert_int_equal(decode(file, 0, 0, &keys)->kind, W3D_MOTION_TIMECODED);
    rotated(&keys, 1, 0, 0, 1, -0.3, 1e-6);
    const w3d_channel *tail = decode(file, 0, 1, &keys);
    assert_int_equal(tail->kind, W3D_MOTION_ADAPTIVE4);
    for (uint32_t i = 0; i < 33; i++) rotated(&keys, i, 0, 0, 1, 0.25 * swing(i % 32 / 32.0), tail->scale / 2 + 1e-6);
    const w3d_channel *neck = decode(file, 0, 2, &keys);
    assert_int_equal(neck->kind, W3D_MOTION_ADAPTIVE8);
    for (uint32_t i = 0; i < 33; i++)
        rotated(&keys, i, 0, 1, 0, 0.25 * swing((i + 8) % 32 / 32.0), neck->scale / 32 + 1e-6);
    decode(file, 0, 4, &keys);
    assert_int_equal(keys.count, 21);  // shorter than the animation: the last value holds
    assert_true(file->doc.animations[0].frame_count == 33);
    w3d_file_close(file);
}

static void house_has_everything_else(void **state)
{
    (void)state;
    static const uint32_t ids[] = { W3D_EMITTER, W3D_AGGREGATE, W3D_DAZZLE, W3D_NULL, W3D_SOUND, W3D_COLLECTION };
    w3d_file *file = open_sample("house.w3d");
    const w3d_doc *doc = &file->doc;
    assert_int_equal(doc->hierarchy_count, 2);
    assert_int_equal(doc->hierarchies[0].fixup_bytes, 48);
    assert_int_equal(doc->hierarchies[1].fixup_bytes, 12);
    assert_int_equal(doc->hlod_count, 2);
    assert_int_equal(doc->meshes[0].material_set_count, 4);
    assert_int_equal(doc->meshes[0].material_sets[2].pass_count, 2);
    assert_int_equal(doc->meshes[0].material_sets[3].passes[0].stage_count, 2);
    assert_int_equal(doc->meshes[0].material_sets[0].passes[0].stages[0].texture_ids.count,
                     doc->meshes[0].triangle_count);
    assert_int_equal(doc->light_count, 1);
    assert_int_equal(doc->box_count, 1);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) assert_int_equal(doc->objects[i].id, ids[i]);
    w3d_file_close(file);
}

// Counter-clockwise triangles are front faces: vertex normals and the stored plane have the same direction.
static void faces_point_outwards(void **state)
{
    (void)state;
    static const char *const names[] = { "tank.w3d", "house.w3d" };
    for (int n = 0; n < 2; n++) {
        w3d_file *file = open_sample(names[n]);
        for (uint32_t m = 0; m < file->doc.mesh_count; m++) {
            const w3d_mesh *mesh = &file->doc.meshes[m];
            for (uint32_t i = 0; i < mesh->triangle_count; i++) {
                const uint8_t *triangle = mesh->triangles.data + 32 * (size_t)i;
                double sum = 0;
                for (int c = 0; c < 3; c++) {
                    const uint8_t *normal = mesh->normals.data + 12 * (size_t)sni_load_u32(triangle + 4 * c);
                    for (int k = 0; k < 3; k++)
                        sum += sni_load_f32(normal + 4 * k) * sni_load_f32(triangle + 16 + 4 * k);
                }
                assert_true(sum > -1e-3);
            }
        }
        w3d_file_close(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soldier_fits_its_box),
        cmocka_unit_test(serpent_fits_its_box),
        cmocka_unit_test(tank_recoils),
        cmocka_unit_test(soldier_has_three_kinds_of_animation),
        cmocka_unit_test(serpent_has_all_kinds_of_channels),
        cmocka_unit_test(house_has_everything_else),
        cmocka_unit_test(faces_point_outwards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
