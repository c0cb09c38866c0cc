#include "level5_scene.h"

#include "check_model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

level5_scene *level5_scene_open(void)
{
    level5_scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    return s;
}

void level5_scene_close(level5_scene *s) { free(s); }

void level5_scene_begin(level5_scene *s, const char *name)
{
    assert_true(s->file_count < LEVEL5_SCENE_FILES);
    s->files[s->file_count++] = (level5_scene_file){ name, s->size, 0 };
}

void level5_scene_bytes(level5_scene *s, const void *data, size_t size)
{
    assert_true(s->file_count > 0 && size <= LEVEL5_SCENE_BYTES - s->size);
    if (size > 0) memcpy(s->bytes + s->size, data, size);
    s->size += size;
    s->files[s->file_count - 1].size += size;
}

size_t level5_scene_here(const level5_scene *s) { return s->files[s->file_count - 1].size; }

void level5_scene_patch(level5_scene *s, size_t at, uint32_t word)
{
    uint8_t *to = s->bytes + s->files[s->file_count - 1].start + at;
    for (int i = 0; i < 4; i++) to[i] = (uint8_t)(word >> 8 * i);
}

void level5_scene_u32(level5_scene *s, uint32_t value)
{
    const uint8_t bytes[4] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24) };
    level5_scene_bytes(s, bytes, 4);
}

void level5_scene_f32(level5_scene *s, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    level5_scene_u32(s, bits);
}

void level5_scene_floats(level5_scene *s, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) level5_scene_f32(s, values[i]);
}

void level5_scene_text(level5_scene *s, const char *text, size_t field)
{
    size_t size = strlen(text);
    level5_scene_bytes(s, text, field && size > field ? field : size);
    for (size_t i = size; i < field; i++) level5_scene_bytes(s, i == size ? "" : "\xCD", 1);  // garbage after the NUL
}

void level5_scene_pad_to(level5_scene *s, size_t alignment)
{
    while (level5_scene_here(s) % alignment != 0) level5_scene_bytes(s, "", 1);
}

level5_scene_matrix level5_scene_moved(float x, float y, float z)
{
    return (level5_scene_matrix){ { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1 } };
}

level5_scene_matrix level5_scene_stretched(float x, float y, float z)
{
    return (level5_scene_matrix){ { x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1 } };
}

// A positive angle about z turns x to y.
level5_scene_matrix level5_scene_turned(sn_vec3 axis, double radians, float x, float y, float z)
{
    double c = cos(radians), n = sin(radians), t = 1 - c, u[3] = { axis.x, axis.y, axis.z };
    double cross[3][3] = { { 0, -u[2], u[1] }, { u[2], 0, -u[0] }, { -u[1], u[0], 0 } };
    level5_scene_matrix out = level5_scene_moved(x, y, z);
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            out.m[column * 4 + row] = (float)((row == column ? c : 0) + t * u[row] * u[column] +
                                              n * cross[row][column]);
    return out;
}

level5_scene_matrix level5_scene_times(level5_scene_matrix a, level5_scene_matrix b)
{
    level5_scene_matrix out;
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++) {
            double sum = 0;
            for (int k = 0; k < 4; k++) sum += (double)a.m[k * 4 + row] * b.m[column * 4 + k];
            out.m[column * 4 + row] = (float)sum;
        }
    return out;
}

static uint32_t section(uint32_t *at, uint32_t count, uint32_t bytes)
{
    uint32_t start = *at;
    *at = (*at + count * bytes + 15) & ~15u;
    return count > 0 ? start : 0;
}

static void put_vectors(level5_scene *s, const float *values, uint32_t count, uint32_t width)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < 4; k++) level5_scene_f32(s, k < width ? values[i * width + k] : 1.0f);
}

static void put_material(level5_scene *s, const level5_scene_material *material)
{
    const float none[4] = { 0, 0, 0, 0 };
    level5_scene_floats(s, material->diffuse, 4);
    level5_scene_floats(s, none, 4);
    level5_scene_floats(s, none, 4);
    level5_scene_u32(s, 0);
    level5_scene_text(s, material->texture, 32);
    level5_scene_floats(s, none, 3);
}

void level5_scene_mdt(level5_scene *s, const level5_scene_mesh *mesh)
{
    uint32_t at = 64, face_bytes = 16 + mesh->face_words * 4;
    uint32_t positions = section(&at, mesh->position_count, 16), normals = section(&at, mesh->normal_count, 16);
    uint32_t colors = section(&at, mesh->color_count, 16), faces = section(&at, face_bytes, 1);
    uint32_t uvs = section(&at, mesh->uv_count, 16), materials = section(&at, mesh->material_count, 96);
    const uint32_t words[] = { 64,
                               at,
                               mesh->position_count,
                               positions,
                               mesh->normal_count,
                               normals,
                               mesh->color_count,
                               colors,
                               face_bytes,
                               faces,
                               mesh->uv_count,
                               uvs,
                               mesh->material_count,
                               materials,
                               0 };
    level5_scene_bytes(s, "MDT", 4);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) level5_scene_u32(s, words[i]);
    put_vectors(s, mesh->positions, mesh->position_count, 3);
    put_vectors(s, mesh->normals, mesh->normal_count, 3);
    put_vectors(s, mesh->colors, mesh->color_count, 4);
    const uint32_t header[4] = { 0, 16, mesh->primitive_count, 0 };
    for (int i = 0; i < 4; i++) level5_scene_u32(s, header[i]);
    for (uint32_t i = 0; i < mesh->face_words; i++) level5_scene_u32(s, mesh->faces[i]);
    level5_scene_pad_to(s, 16);
    put_vectors(s, mesh->uvs, mesh->uv_count, 2);
    for (uint32_t i = 0; i < mesh->material_count; i++) put_material(s, &mesh->materials[i]);
    level5_scene_pad_to(s, 16);
}

void level5_scene_mds(level5_scene *s, const char *name, const level5_scene_node *nodes, uint32_t node_count,
                      const level5_scene_mesh *meshes, uint32_t mesh_count)
{
    level5_scene_begin(s, name);
    level5_scene_bytes(s, "MDS", 4);
    level5_scene_u32(s, 1);
    level5_scene_u32(s, node_count);
    level5_scene_u32(s, 16);
    for (uint32_t i = 0; i < node_count; i++) {
        level5_scene_u32(s, i);
        level5_scene_u32(s, 112);
        level5_scene_text(s, nodes[i].name, 32);
        level5_scene_u32(s, 0);
        level5_scene_u32(s, (uint32_t)nodes[i].parent);
        level5_scene_floats(s, nodes[i].local.m, 16);
    }
    for (uint32_t m = 0; m < mesh_count; m++) {
        for (uint32_t i = 0; i < node_count; i++)
            if (nodes[i].mesh == (int32_t)m)
                level5_scene_patch(s, 16 + (size_t)112 * i + 40, (uint32_t)level5_scene_here(s));
        level5_scene_mdt(s, &meshes[m]);
    }
}

void level5_scene_track(level5_scene *s, int32_t node, int32_t target, int32_t type, const level5_scene_key *keys,
                        uint32_t count, bool is_last)
{
    const uint32_t header[8] = { (uint32_t)node, (uint32_t)target,
                                 (uint32_t)type, 32,
                                 count,          is_last ? 0 : 32 + 32 * count,
                                 0xACE63701,     0xB0F0FC77 };
    for (int i = 0; i < 8; i++) level5_scene_u32(s, header[i]);
    for (uint32_t i = 0; i < count; i++) {
        level5_scene_u32(s, keys[i].at);
        for (int k = 0; k < 3; k++) level5_scene_u32(s, 0xCDCDCDCD);
        level5_scene_floats(s, &keys[i].x, 4);
    }
}

void level5_scene_matrices(level5_scene *s, const char *name, const level5_scene_matrix *matrices, uint32_t count)
{
    level5_scene_begin(s, name);
    for (uint32_t i = 0; i < count; i++) level5_scene_floats(s, matrices[i].m, 16);
}

void level5_scene_config(level5_scene *s, const char *name, const char *text)
{
    level5_scene_begin(s, name);
    level5_scene_text(s, text, 0);
}

level5_scene_key level5_scene_turn_key(uint32_t frame, sn_vec3 axis, double radians)
{
    double n = sin(radians / 2);
    return (level5_scene_key){ frame, (float)cos(radians / 2), (float)(-axis.x * n), (float)(-axis.y * n),
                               (float)(-axis.z * n) };
}

static const level5_scene_file *find_file(const level5_scene *s, const char *name)
{
    for (uint32_t i = 0; i < s->file_count; i++)
        if (strcmp(s->files[i].name, name) == 0) return &s->files[i];
    return NULL;
}

void level5_scene_pack(level5_scene *s, const char *name, const char *const *members, uint32_t count)
{
    level5_scene_begin(s, name);
    for (uint32_t i = 0; i < count; i++) {
        const level5_scene_file *file = find_file(s, members[i]);
        assert_non_null(file);
        level5_scene_text(s, members[i], 64);
        level5_scene_u32(s, 80);
        level5_scene_u32(s, (uint32_t)file->size);
        level5_scene_u32(s, 80 + (((uint32_t)file->size + 15) & ~15u));
        level5_scene_u32(s, 0);
        level5_scene_bytes(s, s->bytes + file->start, file->size);
        level5_scene_pad_to(s, 16);
    }
    for (int i = 0; i < 20; i++) level5_scene_u32(s, 0);
}

// The offset of a pixel of an 8-bit picture that is uploaded to the console as 32-bit.
static size_t swizzled_at(uint32_t x, uint32_t y, uint32_t width)
{
    size_t block = (size_t)(y & ~15u) * width + (size_t)(x & ~15u) * 2, swap = ((y + 2) >> 2 & 1) * 4;
    size_t line = (((y & ~3u) >> 1) + (y & 1)) & 7;
    return block + line * 2 * width + ((x + swap) & 7) * 4 + (y >> 1 & 1) + (x >> 2 & 2);
}

// Pixel (x, y) has index x + 16 * y, modulo the number of colours; colour i is (i, 255 - i, 7) with the picture's
// alpha.
static void put_picture(level5_scene *s, const level5_scene_picture *p)
{
    uint32_t colors = p->bits == 8 ? 256 : 16, pixel_bytes = p->width * p->height * p->bits / 8,
             total = 48 + pixel_bytes + colors * 4;
    uint8_t pixels[256 * 64] = { 0 };
    assert_true(pixel_bytes <= sizeof pixels);
    level5_scene_bytes(s, "TIM2\4\0\1\0\0\0\0\0\0\0\0\0", 16);
    level5_scene_u32(s, total);
    level5_scene_u32(s, colors * 4);
    level5_scene_u32(s, pixel_bytes);
    level5_scene_u32(s, 48 | colors << 16);
    level5_scene_u32(s, 1 << 8 | 3 << 16 | (p->bits == 8 ? 5u : 4u) << 24);
    level5_scene_u32(s, p->width | p->height << 16);
    for (int i = 0; i < 6; i++) level5_scene_u32(s, 0);
    for (uint32_t y = 0; y < p->height; y++)
        for (uint32_t x = 0; x < p->width; x++) {
            uint32_t index = (x + 16 * y) % colors;
            if (p->bits == 8)
                pixels[p->is_swizzled ? swizzled_at(x, y, p->width) : (size_t)y * p->width + x] = (uint8_t)index;
            else pixels[(y * p->width + x) / 2] |= (uint8_t)(index << 4 * (x & 1));
        }
    level5_scene_bytes(s, pixels, pixel_bytes);
    for (uint32_t i = 0; i < colors; i++) {
        uint32_t slot = colors == 256 ? (i & ~24u) | (i & 8) << 1 | (i & 16) >> 1 : i;  // its own inverse
        const uint8_t rgba[4] = { (uint8_t)slot, (uint8_t)(255 - slot), 7, p->alpha };
        level5_scene_bytes(s, rgba, 4);
    }
}

void level5_scene_archive(level5_scene *s, const char *name, const char *kind, const level5_scene_picture *pictures,
                          uint32_t count)
{
    bool is_third = strcmp(kind, "IM3") == 0;
    size_t record = is_third ? 64 : 48;
    level5_scene_begin(s, name);
    level5_scene_bytes(s, kind, 4);
    level5_scene_u32(s, is_third ? 0xCDCDCDCD : count);
    level5_scene_u32(s, is_third ? count : 0xCDCDCDCD);
    level5_scene_u32(s, 0);
    for (uint32_t i = 0; i < count; i++) {
        level5_scene_text(s, pictures[i].name, 32);
        for (size_t at = 32; at < record; at += 4) level5_scene_u32(s, 0);
        level5_scene_patch(s, 16 + record * i + 32, is_third ? 64 : 0);
        if (is_third) level5_scene_patch(s, 16 + record * i + 40, pictures[i].is_swizzled);
    }
    for (uint32_t i = 0; i < count; i++) {
        size_t start = level5_scene_here(s), at = 16 + record * i;
        level5_scene_patch(s, at + (is_third ? 36 : 32), (uint32_t)start);
        if (pictures[i].name[0] == '#') level5_scene_text(s, "script", 16);
        else put_picture(s, &pictures[i]);
        if (is_third) level5_scene_patch(s, at + 52, (uint32_t)(level5_scene_here(s) - start));
    }
}

static bool open_file(void *user, const char *ref, const void **data, size_t *size)
{
    const level5_scene *s = user;
    const level5_scene_file *file = find_file(s, ref);
    if (!file) return false;
    *data = s->bytes + file->start;
    *size = file->size;
    return true;
}

sn_model *level5_scene_load(level5_scene *s, const char *name, const sn_load_opts *given)
{
    sn_load_opts opts = given ? *given : (sn_load_opts){ 0 };
    sn_error error = { 0 };
    const level5_scene_file *file = find_file(s, name);
    assert_non_null(file);
    opts.name = name;
    opts.open_ref = open_file;
    opts.user = s;
    sn_model *model = sn_load_memory(s->bytes + file->start, file->size, &opts, &error);
    if (!model) fail_msg("%s: %s at %llu in %s", name, error.message, (unsigned long long)error.offset, error.path);
    check_model(model);
    assert_string_equal(model->format, "level5");
    return model;
}

sn_vec3 level5_scene_point(const sn_mat34 *matrix, float x, float y, float z)
{
    float out[3];
    for (int r = 0; r < 3; r++)
        out[r] = matrix->m[r][0] * x + matrix->m[r][1] * y + matrix->m[r][2] * z + matrix->m[r][3];
    return (sn_vec3){ out[0], out[1], out[2] };
}

bool level5_scene_shows(const sn_model *model, int32_t part, int32_t clip, float seconds)
{
    sn_pose *pose = pose_at(model, clip, seconds, 0);
    bool is_shown = sn_pose_shows(pose, part);
    sn_pose_free(pose);
    return is_shown;
}
