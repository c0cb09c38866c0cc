#include "w3d_maker.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

w3d_tree *sample_open(sample_file *file)
{
    *file = (sample_file){ 0 };
    sni_diag_init(&file->diag, NULL);
    sni_heap_init(&file->heap, NULL, 64 << 20);
    sni_writer_init(&file->out, &file->heap);
    file->tree = w3d_tree_begin(&file->out);
    return &file->tree;
}

bool sample_save(sample_file *file, const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    bool is_saved = !file->out.failed && file->tree.depth == 0 &&
                    sni_file_write(path, file->out.data, file->out.size, &file->diag);
    if (!is_saved) fprintf(stderr, "%s: %s\n", path, file->diag.error.message);
    sni_writer_free(&file->out);
    return is_saved;
}

// Uncompressed, 32 bits, the first row at the bottom.
bool save_tga(const char *folder, const char *name, sample_paint paint)
{
    enum { SIDE = 8 };
    static const uint8_t header[18] = { [2] = 2, [12] = SIDE, [14] = SIDE, [16] = 32, [17] = 8 };
    sample_file file;
    sample_open(&file);
    sni_write_bytes(&file.out, header, sizeof header);
    for (int i = 0; i < SIDE * SIDE; i++) {
        uint8_t rgba[4] = { 0, 0, 0, 255 };
        paint(i % SIDE, i / SIDE, rgba);
        uint8_t bgra[4] = { rgba[2], rgba[1], rgba[0], rgba[3] };
        sni_write_bytes(&file.out, bgra, 4);
    }
    return sample_save(&file, folder, name);
}

void put_version_and_name(w3d_tree *tree, uint32_t version, const char *name, size_t size)
{
    w3d_put_u32(tree, version);
    w3d_put_name(tree, name, size);
}

void put_rgb(w3d_tree *tree, uint8_t r, uint8_t g, uint8_t b)
{
    const uint8_t bytes[4] = { r, g, b, 0 };
    w3d_put(tree, bytes, 4);
}

static void put_vec3(w3d_tree *tree, sn_vec3 v) { w3d_put_floats(tree, &v.x, 3); }

// Skeletons

static void put_fixups(w3d_tree *tree, const sample_skeleton *skeleton)
{
    static const float identity[12] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
    w3d_open_chunk(tree, W3D_FIXUPS);
    for (uint32_t i = 0; i < skeleton->count; i++) {
        if (skeleton->fixup_bytes == 48) w3d_put_floats(tree, identity, 12);
        else put_vec3(tree, sni_vec3(0, 0, 0));
    }
    w3d_close_chunk(tree);
}

void put_hierarchy(w3d_tree *tree, const sample_skeleton *skeleton)
{
    w3d_open_chunk(tree, W3D_HIERARCHY);
    w3d_open_chunk(tree, W3D_HIERARCHY_HEADER);
    put_version_and_name(tree, 0x40001, skeleton->name, W3D_NAME_BYTES);
    w3d_put_u32(tree, skeleton->count);
    put_vec3(tree, sni_vec3(0, 0, 0));
    w3d_close_chunk(tree);
    w3d_open_chunk(tree, W3D_PIVOTS);
    for (uint32_t i = 0; i < skeleton->count; i++) {
        const sample_bone *bone = &skeleton->bones[i];
        w3d_put_name(tree, bone->name, W3D_NAME_BYTES);
        w3d_put_u32(tree, (uint32_t)bone->parent);
        put_vec3(tree, bone->translation);
        put_vec3(tree, sni_vec3(0, 0, 0));
        w3d_put_floats(tree, &bone->rotation.x, 4);
    }
    w3d_close_chunk(tree);
    if (skeleton->fixup_bytes) put_fixups(tree, skeleton);
    w3d_close_chunk(tree);
}

typedef struct placed {
    sn_vec3 at;
    sn_quat turn;
} placed;

static placed place_bone(const sample_skeleton *skeleton, int32_t bone)
{
    placed base = { { 0, 0, 0 }, { 0, 0, 0, 1 } };
    for (; bone >= 0; bone = skeleton->bones[bone].parent) {
        const sample_bone *b = &skeleton->bones[bone];
        base.at = sni_add(b->translation, sni_quat_rotate(b->rotation, base.at));
        base.turn = sni_quat_mul(b->rotation, base.turn);
    }
    return base;
}

// Into the space of each vertex' first or second bone; directions are only turned.
static void put_bone_space(w3d_tree *tree, uint32_t id, const sample_mesh *mesh, const shape *s, const sn_vec3 *values,
                           int which, bool is_place)
{
    w3d_open_chunk(tree, id);
    for (uint32_t i = 0; i < s->vertex_count; i++) {
        sn_vec3 value = values[i];
        if (mesh->skin) {
            placed base = place_bone(mesh->skin, s->bones[i][which]);
            if (is_place) value = sni_sub(value, base.at);
            value = sni_quat_rotate(sni_quat_conjugate(base.turn), value);
            if (which == 1 && s->percents[i][1] == 0) value = sni_vec3(99, 99, 99);  // nobody looks there
        }
        put_vec3(tree, value);
    }
    w3d_close_chunk(tree);
}

// Meshes

static void put_bounds(w3d_tree *tree, const shape *s)
{
    sn_vec3 min = s->positions[0], max = min;
    for (uint32_t i = 1; i < s->vertex_count; i++) {
        sn_vec3 p = s->positions[i];
        min = sni_vec3(p.x < min.x ? p.x : min.x, p.y < min.y ? p.y : min.y, p.z < min.z ? p.z : min.z);
        max = sni_vec3(p.x > max.x ? p.x : max.x, p.y > max.y ? p.y : max.y, p.z > max.z ? p.z : max.z);
    }
    put_vec3(tree, min);
    put_vec3(tree, max);
    put_vec3(tree, sni_scale(sni_add(min, max), 0.5f));
    w3d_put_f32(tree, (float)sni_length(sni_sub(max, min)) * 0.5f);
}

static void put_mesh_header(w3d_tree *tree, const sample_mesh *mesh, const shape *s)
{
    w3d_open_chunk(tree, W3D_MESH_HEADER3);
    w3d_put_u32(tree, mesh->version);
    w3d_put_u32(tree, mesh->attributes);
    w3d_put_name(tree, mesh->name, W3D_NAME_BYTES);
    w3d_put_name(tree, mesh->container, W3D_NAME_BYTES);
    w3d_put_u32(tree, s->triangle_count);
    w3d_put_u32(tree, s->vertex_count);
    w3d_put_u32(tree, 1);
    w3d_put_u32(tree, 0);
    w3d_put_u32(tree, (uint32_t)mesh->sort_level);
    w3d_put_u32(tree, 0);
    w3d_put_u32(tree, 0);
    w3d_put_u32(tree, 0x3u | (mesh->skin ? 0x10u : 0) | (mesh->has_tangents ? 0x60u : 0));
    w3d_put_u32(tree, 1);
    put_bounds(tree, s);
    w3d_close_chunk(tree);
}

static void put_triangles(w3d_tree *tree, const shape *s)
{
    w3d_open_chunk(tree, W3D_TRIANGLES);
    for (uint32_t i = 0; i < s->triangle_count; i++) {
        const uint32_t *t = s->triangles[i];
        sn_vec3 a = s->positions[t[0]], b = s->positions[t[1]], c = s->positions[t[2]];
        sn_vec3 normal = sni_unit(sni_cross(sni_sub(b, a), sni_sub(c, a)), sni_vec3(0, 0, 1));
        for (int k = 0; k < 3; k++) w3d_put_u32(tree, t[k]);
        w3d_put_u32(tree, 13);
        put_vec3(tree, normal);
        w3d_put_f32(tree, sni_dot(normal, a));
    }
    w3d_close_chunk(tree);
}

static void put_influences(w3d_tree *tree, const sample_mesh *mesh, const shape *s)
{
    w3d_open_chunk(tree, W3D_INFLUENCES);
    for (uint32_t i = 0; i < s->vertex_count; i++) {
        w3d_put_u16(tree, s->bones[i][0]);
        for (int k = 0; k < 3; k++)
            w3d_put_u16(tree, !mesh->has_two_bones ? 0 : k == 0 ? s->bones[i][1] : s->percents[i][k - 1]);
    }
    w3d_close_chunk(tree);
}

void open_mesh(w3d_tree *tree, const sample_mesh *mesh, const shape *s)
{
    w3d_open_chunk(tree, W3D_MESH);
    put_mesh_header(tree, mesh, s);
    if (mesh->user_text) w3d_put_text_chunk(tree, W3D_USER_TEXT, mesh->user_text);
    put_bone_space(tree, W3D_VERTICES, mesh, s, s->positions, 0, true);
    if (mesh->has_two_bones) put_bone_space(tree, W3D_VERTICES2, mesh, s, s->positions, 1, true);
    put_bone_space(tree, W3D_NORMALS, mesh, s, s->normals, 0, false);
    if (mesh->has_two_bones) put_bone_space(tree, W3D_NORMALS2, mesh, s, s->normals, 1, false);
    if (mesh->has_tangents) {
        put_bone_space(tree, W3D_TANGENTS, mesh, s, s->tangents, 0, false);
        put_bone_space(tree, W3D_BITANGENTS, mesh, s, s->bitangents, 0, false);
    }
    put_triangles(tree, s);
    if (mesh->skin) put_influences(tree, mesh, s);
    w3d_open_chunk(tree, W3D_SHADE_INDICES);
    for (uint32_t i = 0; i < s->vertex_count; i++) w3d_put_u32(tree, i);
    w3d_close_chunk(tree);
}

// Looks

void put_material_info(w3d_tree *tree, uint32_t passes, uint32_t materials, uint32_t shaders, uint32_t textures)
{
    const uint32_t counts[4] = { passes, materials, shaders, textures };
    put_ids(tree, W3D_MATERIAL_INFO, counts, 4);
}

void put_ids(w3d_tree *tree, uint32_t id, const uint32_t *values, uint32_t count)
{
    w3d_open_chunk(tree, id);
    for (uint32_t i = 0; i < count; i++) w3d_put_u32(tree, values[i]);
    w3d_close_chunk(tree);
}

void put_shaders(w3d_tree *tree, const sample_material *materials, uint32_t count)
{
    w3d_open_chunk(tree, W3D_SHADERS);
    for (uint32_t i = 0; i < count; i++) {
        const sample_material *material = &materials[i];
        uint8_t bytes[16] = { 0 };
        bytes[W3D_DEPTH_COMPARE] = 3;
        bytes[W3D_DEPTH_WRITE] = !material->is_additive;
        bytes[W3D_DEST_BLEND] = material->is_additive;
        bytes[W3D_PRIMARY_GRADIENT] = 1;
        bytes[W3D_SRC_BLEND] = 1;
        bytes[W3D_TEXTURING] = material->texture != NULL;
        bytes[W3D_ALPHA_TEST] = material->is_cut_out;
        w3d_put(tree, bytes, 16);
    }
    w3d_close_chunk(tree);
}

void put_vertex_materials(w3d_tree *tree, const sample_material *materials, uint32_t count)
{
    w3d_open_chunk(tree, W3D_VERTEX_MATERIALS);
    for (uint32_t i = 0; i < count; i++) {
        const sample_material *material = &materials[i];
        w3d_open_chunk(tree, W3D_VERTEX_MATERIAL);
        w3d_put_text_chunk(tree, W3D_VERTEX_MATERIAL_NAME, material->name);
        w3d_open_chunk(tree, W3D_VERTEX_MATERIAL_INFO);
        w3d_put_u32(tree, material->mapper << 16);
        for (int k = 0; k < 2; k++) put_rgb(tree, material->diffuse[0], material->diffuse[1], material->diffuse[2]);
        put_rgb(tree, 0, 0, 0);
        if (material->is_additive) put_rgb(tree, material->diffuse[0], material->diffuse[1], material->diffuse[2]);
        else put_rgb(tree, 0, 0, 0);
        w3d_put_f32(tree, 1.0f);
        w3d_put_f32(tree, 1.0f);
        w3d_put_f32(tree, 0.0f);
        w3d_close_chunk(tree);
        if (material->mapper_args) w3d_put_text_chunk(tree, W3D_MAPPER_ARGS0, material->mapper_args);
        w3d_close_chunk(tree);
    }
    w3d_close_chunk(tree);
}

void put_textures(w3d_tree *tree, const char *const *names, uint32_t count)
{
    w3d_open_chunk(tree, W3D_TEXTURES);
    for (uint32_t i = 0; i < count; i++) {
        w3d_open_chunk(tree, W3D_TEXTURE);
        w3d_put_text_chunk(tree, W3D_TEXTURE_NAME, names[i]);
        w3d_close_chunk(tree);
    }
    w3d_close_chunk(tree);
}

void put_uvs(w3d_tree *tree, const shape *s)
{
    w3d_open_chunk(tree, W3D_STAGE_UVS);
    w3d_put_floats(tree, s->uvs[0], 2 * (size_t)s->vertex_count);
    w3d_close_chunk(tree);
}

void put_material(w3d_tree *tree, const shape *s, const sample_material *material)
{
    static const uint32_t zero = 0;
    put_material_info(tree, 1, 1, 1, material->texture ? 1 : 0);
    put_vertex_materials(tree, material, 1);
    put_shaders(tree, material, 1);
    if (material->texture) put_textures(tree, &material->texture, 1);
    w3d_open_chunk(tree, W3D_PASS);
    put_ids(tree, W3D_VERTEX_MATERIAL_IDS, &zero, 1);
    put_ids(tree, W3D_SHADER_IDS, &zero, 1);
    if (material->texture) {
        w3d_open_chunk(tree, W3D_STAGE);
        put_ids(tree, W3D_TEXTURE_IDS, &zero, 1);
        put_uvs(tree, s);
        w3d_close_chunk(tree);
    }
    w3d_close_chunk(tree);
}

// Models

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

void put_parts(w3d_tree *tree, uint32_t id, float max_screen_size, const sample_part *parts, uint32_t count)
{
    w3d_open_chunk(tree, id);
    w3d_open_chunk(tree, W3D_ARRAY_HEADER);
    w3d_put_u32(tree, count);
    w3d_put_f32(tree, max_screen_size);
    w3d_close_chunk(tree);
    for (uint32_t i = 0; i < count; i++) {
        w3d_open_chunk(tree, W3D_SUB_OBJECT);
        w3d_put_u32(tree, parts[i].bone);
        w3d_put_name(tree, parts[i].name, W3D_LONG_NAME_BYTES);
        w3d_close_chunk(tree);
    }
    w3d_close_chunk(tree);
}

void put_box(w3d_tree *tree, const char *name, uint32_t attributes, sn_vec3 center, sn_vec3 extent)
{
    w3d_open_chunk(tree, W3D_BOX);
    w3d_put_u32(tree, 0x10000);
    w3d_put_u32(tree, attributes);
    w3d_put_name(tree, name, W3D_LONG_NAME_BYTES);
    put_rgb(tree, 255, 255, 0);
    put_vec3(tree, center);
    put_vec3(tree, extent);
    w3d_close_chunk(tree);
}

// Motions

void open_animation(w3d_tree *tree, const char *name, const char *hierarchy, uint32_t frame_count)
{
    w3d_open_chunk(tree, W3D_ANIMATION);
    w3d_open_chunk(tree, W3D_ANIMATION_HEADER);
    put_version_and_name(tree, 0x40001, name, W3D_NAME_BYTES);
    w3d_put_name(tree, hierarchy, W3D_NAME_BYTES);
    w3d_put_u32(tree, frame_count);
    w3d_put_u32(tree, 30);
    w3d_close_chunk(tree);
}

void open_compressed(w3d_tree *tree, const char *name, const char *hierarchy, uint32_t frame_count, uint32_t version,
                     uint32_t flavor)
{
    w3d_open_chunk(tree, W3D_COMPRESSED);
    w3d_open_chunk(tree, W3D_COMPRESSED_HEADER);
    put_version_and_name(tree, version, name, W3D_NAME_BYTES);
    w3d_put_name(tree, hierarchy, W3D_NAME_BYTES);
    w3d_put_u32(tree, frame_count);
    w3d_put_u16(tree, 30);
    w3d_put_u16(tree, (uint16_t)flavor);
    w3d_close_chunk(tree);
}

static void put_motion(w3d_tree *tree, const sample_motion *motion, w3d_channel_type type, uint8_t fallback,
                       float *values)
{
    uint32_t frames[MOST_SAMPLE_FRAMES] = { 0 };
    bool jumps[MOST_SAMPLE_FRAMES] = { false };
    w3d_channel channel = { .kind = motion->kind,
                            .pivot = motion->pivot,
                            .type = type,
                            .width = type == W3D_QUATERNION ? 4 : 1,
                            .fallback = fallback };
    for (uint32_t i = 0; i < motion->count; i++) {
        if (motion->frames) frames[i] = motion->frames[i];
        if (motion->jumps) jumps[i] = motion->jumps[i];
    }
    w3d_put_channel(tree, &channel,
                    &(w3d_keys){ .count = motion->count,
                                 .first_frame = motion->first_frame,
                                 .values = values,
                                 .frames = frames,
                                 .is_jump = jumps });
}

void put_turns(w3d_tree *tree, sample_motion motion, sn_vec3 axis, const float *half_tangents)
{
    sn_quat turns[MOST_SAMPLE_FRAMES];
    if (motion.count > MOST_SAMPLE_FRAMES) abort();
    for (uint32_t i = 0; i < motion.count; i++) {
        float t = half_tangents[i], length = sqrtf(1.0f + t * t);
        turns[i] = sni_quat(axis.x * t / length, axis.y * t / length, axis.z * t / length, 1.0f / length);
    }
    put_motion(tree, &motion, W3D_QUATERNION, 0, &turns[0].x);
}

void put_shifts(w3d_tree *tree, sample_motion motion, w3d_channel_type type, const float *values)
{
    float copy[MOST_SAMPLE_FRAMES];
    if (motion.count > MOST_SAMPLE_FRAMES) abort();
    for (uint32_t i = 0; i < motion.count; i++) copy[i] = values[i];
    put_motion(tree, &motion, type, 0, copy);
}

void put_bits(w3d_tree *tree, sample_motion motion, uint8_t fallback, const float *values)
{
    float copy[MOST_SAMPLE_FRAMES];
    if (motion.count > MOST_SAMPLE_FRAMES) abort();
    for (uint32_t i = 0; i < motion.count; i++) copy[i] = values[i];
    put_motion(tree, &motion, W3D_X, fallback, copy);
}

void open_named(w3d_tree *tree, uint32_t id, uint32_t header, uint32_t version, const char *name)
{
    w3d_open_chunk(tree, id);
    w3d_open_chunk(tree, header);
    put_version_and_name(tree, version, name, W3D_NAME_BYTES);
    if (id == W3D_SOUND) w3d_put_name(tree, "\1", 36);       // flags: stops when hidden
    if (id == W3D_COLLECTION) w3d_put_name(tree, "\2", 12);  // two objects
    w3d_close_chunk(tree);
}

void put_smoke(w3d_tree *tree, const char *name, const char *texture, const char *aggregate, const char *model,
               const char *bone)
{
    static const float numbers[16] = { 0.5f, 2, 3, 8, 0, 0.2f, 0.1f, 2.5f, 0, 0, 0, 0, 2, 0.3f, 0, 0 };
    open_named(tree, W3D_EMITTER, W3D_EMITTER_HEADER, 0x20000, name);
    w3d_open_chunk(tree, W3D_EMITTER_INFO);
    w3d_put_name(tree, texture, 260);
    w3d_put_floats(tree, numbers, 16);
    put_rgb(tree, 120, 120, 120);
    put_rgb(tree, 40, 40, 40);
    w3d_close_chunk(tree);
    w3d_close_chunk(tree);
    open_named(tree, W3D_AGGREGATE, W3D_AGGREGATE_HEADER, 0x10003, aggregate);
    w3d_open_chunk(tree, W3D_AGGREGATE_INFO);
    w3d_put_name(tree, model, W3D_LONG_NAME_BYTES);
    w3d_put_u32(tree, 1);
    w3d_put_name(tree, name, W3D_LONG_NAME_BYTES);
    w3d_put_name(tree, bone, W3D_LONG_NAME_BYTES);
    w3d_close_chunk(tree);
    w3d_close_chunk(tree);
}

void put_spot_light(w3d_tree *tree, const uint8_t colors[3][3])
{
    static const float spot[5] = { 1, 0, 0, 0.7f, 1 }, attenuation[2] = { 5, 20 };
    w3d_open_chunk(tree, W3D_LIGHT);
    w3d_open_chunk(tree, W3D_LIGHT_INFO);
    w3d_put_u32(tree, 3);
    w3d_put_u32(tree, 0);
    for (int i = 0; i < 3; i++) put_rgb(tree, colors[i][0], colors[i][1], colors[i][2]);
    w3d_put_f32(tree, 1.0f);
    w3d_close_chunk(tree);
    w3d_open_chunk(tree, W3D_LIGHT_SPOT);
    w3d_put_floats(tree, spot, 5);
    w3d_close_chunk(tree);
    w3d_open_chunk(tree, W3D_LIGHT_FAR);
    w3d_put_floats(tree, attenuation, 2);
    w3d_close_chunk(tree);
    w3d_close_chunk(tree);
}

float smooth(float u) { return u * u * (3.0f - 2.0f * u); }

float wave(float u) { return u < 0.5f ? 16.0f * u * (0.5f - u) : -16.0f * (u - 0.5f) * (1.0f - u); }
