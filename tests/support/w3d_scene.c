#include "w3d_scene.h"
#include "check_model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

void put_words(w3d_tree *tree, uint32_t id, const uint32_t *words, size_t count)
{
    w3d_open_chunk(tree, id);
    for (size_t i = 0; i < count; i++) w3d_put_u32(tree, words[i]);
    w3d_close_chunk(tree);
}

void put_float_chunk(w3d_tree *tree, uint32_t id, const float *values, size_t count)
{
    w3d_open_chunk(tree, id);
    w3d_put_floats(tree, values, count);
    w3d_close_chunk(tree);
}

void open_hierarchy(w3d_tree *tree, const char *name, uint32_t version, const scene_pivot *pivots, uint32_t count)
{
    w3d_open_chunk(tree, W3D_HIERARCHY);
    w3d_open_chunk(tree, W3D_HIERARCHY_HEADER);
    w3d_put_u32(tree, version);
    w3d_put_name(tree, name, W3D_NAME_BYTES);
    w3d_put_u32(tree, count);
    for (int i = 0; i < 3; i++) w3d_put_f32(tree, 0.0f);
    w3d_close_chunk(tree);
    w3d_open_chunk(tree, W3D_PIVOTS);
    for (uint32_t i = 0; i < count; i++) {
        const scene_pivot *p = &pivots[i];
        const float euler[3] = { 0, 0, 0 };
        w3d_put_name(tree, p->name, W3D_NAME_BYTES);
        w3d_put_u32(tree, (uint32_t)p->parent);
        w3d_put_floats(tree, &p->translation.x, 3);
        w3d_put_floats(tree, euler, 3);
        w3d_put_floats(tree, &p->rotation.x, 4);
    }
    w3d_close_chunk(tree);
}

void put_hierarchy(w3d_tree *tree, const char *name, uint32_t version, const scene_pivot *pivots, uint32_t count)
{
    open_hierarchy(tree, name, version, pivots, count);
    w3d_close_chunk(tree);
}

static void put_header(w3d_tree *tree, const scene_mesh *mesh)
{
    w3d_open_chunk(tree, W3D_MESH_HEADER3);
    w3d_put_u32(tree, mesh->version ? mesh->version : 0x40002);
    w3d_put_u32(tree, mesh->attributes);
    w3d_put_name(tree, mesh->name, W3D_NAME_BYTES);
    w3d_put_name(tree, mesh->container ? mesh->container : "", W3D_NAME_BYTES);
    w3d_put_u32(tree, mesh->triangle_count);
    w3d_put_u32(tree, mesh->vertex_count);
    const uint32_t rest[7] = { 0, 0, 0, 0, 0, 3, 1 };
    for (int i = 0; i < 7; i++) w3d_put_u32(tree, rest[i]);
    w3d_put_floats(tree, &mesh->box_min.x, 3);
    w3d_put_floats(tree, &mesh->box_max.x, 3);
    for (int i = 0; i < 4; i++) w3d_put_f32(tree, 0.0f);
    w3d_close_chunk(tree);
}

void open_mesh(w3d_tree *tree, const scene_mesh *mesh)
{
    const float up[3] = { 0, 0, 1 };
    w3d_open_chunk(tree, W3D_MESH);
    put_header(tree, mesh);
    put_float_chunk(tree, W3D_VERTICES, mesh->positions, (size_t)3 * mesh->vertex_count);
    w3d_open_chunk(tree, W3D_NORMALS);
    for (uint32_t i = 0; i < mesh->vertex_count; i++) w3d_put_floats(tree, up, 3);
    w3d_close_chunk(tree);
    w3d_open_chunk(tree, W3D_TRIANGLES);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        for (uint32_t c = 0; c < 3; c++) w3d_put_u32(tree, mesh->triangles ? mesh->triangles[3 * t + c] : 3 * t + c);
        w3d_put_u32(tree, 13);
        w3d_put_floats(tree, up, 3);
        w3d_put_f32(tree, 0.0f);
    }
    w3d_close_chunk(tree);
}

void put_mesh(w3d_tree *tree, const scene_mesh *mesh)
{
    open_mesh(tree, mesh);
    w3d_close_chunk(tree);
}

void put_triangle(w3d_tree *tree, const char *container, const char *name)
{
    static const float positions[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
    put_mesh(tree, &(scene_mesh){ .name = name,
                                  .container = container,
                                  .vertex_count = 3,
                                  .triangle_count = 1,
                                  .positions = positions });
}

void put_material_info(w3d_tree *tree, uint32_t passes, uint32_t materials, uint32_t shaders, uint32_t textures)
{
    put_words(tree, W3D_MATERIAL_INFO, (const uint32_t[]){ passes, materials, shaders, textures }, 4);
}

void open_hlod(w3d_tree *tree, const char *name, const char *hierarchy, uint32_t lod_count)
{
    w3d_open_chunk(tree, W3D_HLOD);
    w3d_open_chunk(tree, W3D_HLOD_HEADER);
    w3d_put_u32(tree, 0x10000);
    w3d_put_u32(tree, lod_count);
    w3d_put_name(tree, name, W3D_NAME_BYTES);
    w3d_put_name(tree, hierarchy, W3D_NAME_BYTES);
    w3d_close_chunk(tree);
}

void put_lod(w3d_tree *tree, uint32_t id, const scene_object *objects, uint32_t count)
{
    w3d_open_chunk(tree, id);
    w3d_open_chunk(tree, W3D_ARRAY_HEADER);
    w3d_put_u32(tree, count);
    w3d_put_f32(tree, 1.0f);
    w3d_close_chunk(tree);
    for (uint32_t i = 0; i < count; i++) {
        w3d_open_chunk(tree, W3D_SUB_OBJECT);
        w3d_put_u32(tree, objects[i].bone);
        w3d_put_name(tree, objects[i].name, W3D_LONG_NAME_BYTES);
        w3d_close_chunk(tree);
    }
    w3d_close_chunk(tree);
}

void put_hlod(w3d_tree *tree, const char *name, const char *hierarchy, const scene_object *objects, uint32_t count)
{
    open_hlod(tree, name, hierarchy, 1);
    put_lod(tree, W3D_LOD_ARRAY, objects, count);
    w3d_close_chunk(tree);
}

void open_animation(w3d_tree *tree, const char *name, const char *hierarchy, uint32_t frames, uint32_t rate)
{
    w3d_open_chunk(tree, W3D_ANIMATION);
    w3d_open_chunk(tree, W3D_ANIMATION_HEADER);
    w3d_put_u32(tree, 0x40001);
    w3d_put_name(tree, name, W3D_NAME_BYTES);
    w3d_put_name(tree, hierarchy, W3D_NAME_BYTES);
    w3d_put_u32(tree, frames);
    w3d_put_u32(tree, rate);
    w3d_close_chunk(tree);
}

void open_compressed(w3d_tree *tree, const char *name, const char *hierarchy, uint32_t frames, uint32_t rate,
                     uint32_t flavor)
{
    w3d_open_chunk(tree, W3D_COMPRESSED);
    w3d_open_chunk(tree, W3D_COMPRESSED_HEADER);
    w3d_put_u32(tree, 1);
    w3d_put_name(tree, name, W3D_NAME_BYTES);
    w3d_put_name(tree, hierarchy, W3D_NAME_BYTES);
    w3d_put_u32(tree, frames);
    w3d_put_u16(tree, (uint16_t)rate);
    w3d_put_u16(tree, (uint16_t)flavor);
    w3d_close_chunk(tree);
}

void put_raw(w3d_tree *tree, uint32_t pivot, uint32_t type, uint32_t first, uint32_t last, const float *values)
{
    uint32_t width = type == W3D_QUATERNION ? 4 : 1;
    w3d_open_chunk(tree, W3D_CHANNEL);
    const uint32_t head[6] = { first, last, width, type, pivot, 0xBEEF };
    for (int i = 0; i < 6; i++) w3d_put_u16(tree, (uint16_t)head[i]);
    w3d_put_floats(tree, values, (size_t)(last - first + 1) * width);
    w3d_close_chunk(tree);
}

void put_bits(w3d_tree *tree, uint32_t pivot, uint32_t first, uint32_t last, uint8_t fallback, const uint8_t *bytes)
{
    w3d_open_chunk(tree, W3D_BIT_CHANNEL);
    const uint32_t head[4] = { first, last, 0, pivot };
    for (int i = 0; i < 4; i++) w3d_put_u16(tree, (uint16_t)head[i]);
    w3d_put_u8(tree, fallback);
    w3d_put(tree, bytes, (last - first + 8) / 8);
    w3d_close_chunk(tree);
}

void put_timecoded(w3d_tree *tree, uint32_t pivot, uint32_t type, const uint32_t *codes, const float *values,
                   uint32_t count)
{
    uint32_t width = type == W3D_QUATERNION ? 4 : 1;
    w3d_open_chunk(tree, W3D_COMPRESSED_CHANNEL);
    w3d_put_u32(tree, count);
    w3d_put_u16(tree, (uint16_t)pivot);
    w3d_put_u8(tree, (uint8_t)width);
    w3d_put_u8(tree, (uint8_t)type);
    for (uint32_t i = 0; i < count; i++) {
        w3d_put_u32(tree, codes[i]);
        w3d_put_floats(tree, values + (size_t)i * width, width);
    }
    w3d_close_chunk(tree);
}

static bool open_scene_ref(void *user, const char *ref, const void **data, size_t *size)
{
    for (const scene_ref *given = user; given && given->name; given++) {
        if (strcmp(given->name, ref) != 0) continue;
        *data = given->data;
        *size = given->size;
        return true;
    }
    return false;
}

sn_model *load_scene(w3d_file *file, const scene_ref *refs, const sn_load_opts *opts)
{
    sn_error error;
    sn_load_opts own = opts ? *opts : (sn_load_opts){ .name = "test.w3d" };
    assert_false(file->out.failed);
    assert_int_equal(file->tree.depth, 0);
    own.open_ref = open_scene_ref;
    own.user = (void *)(uintptr_t)refs;
    sn_model *model = sn_load_memory(file->out.data, file->out.size, &own, &error);
    if (!model) print_error("%s: %s\n", error.path, error.message);
    assert_non_null(model);
    check_model(model);
    exercise_model(model);
    assert_string_equal(model->format, "w3d");
    assert_int_equal(model->up_axis, SN_Z_UP);
    w3d_file_close(file);
    return model;
}

void *copy_scene(w3d_file *file, size_t *size)
{
    void *copy = malloc(file->out.size);
    assert_non_null(copy);
    memcpy(copy, file->out.data, file->out.size);
    *size = file->out.size;
    w3d_file_set(file, "", 0);
    return copy;
}

bool scene_shows(const sn_model *model, int32_t part, int32_t clip, float seconds)
{
    sn_pose *pose = pose_at(model, clip, seconds, 0);
    bool is_shown = sn_pose_shows(pose, part);
    sn_pose_free(pose);
    return is_shown;
}

void assert_near(sn_vec3 a, float x, float y, float z, float tolerance)
{
    bool is_near = fabsf(a.x - x) <= tolerance && fabsf(a.y - y) <= tolerance && fabsf(a.z - z) <= tolerance;
    if (!is_near)
        print_error("(%g, %g, %g) is not (%g, %g, %g)\n", (double)a.x, (double)a.y, (double)a.z, (double)x, (double)y,
                    (double)z);
    assert_true(is_near);
}
