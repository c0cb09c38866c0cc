// Level-5 files for tests of the built model, written byte by byte from the format's description without code of the
// library, and loaded through the public API. The files of a scene can refer to each other by name.
#ifndef TEST_LEVEL5_SCENE_H
#define TEST_LEVEL5_SCENE_H

#include "posed.h"

enum { LEVEL5_SCENE_FILES = 24, LEVEL5_SCENE_BYTES = 1 << 18 };

typedef struct level5_scene_file {
    const char *name;
    size_t start, size;
} level5_scene_file;
typedef struct level5_scene {
    level5_scene_file files[LEVEL5_SCENE_FILES];
    uint32_t file_count;
    size_t size;
    uint8_t bytes[LEVEL5_SCENE_BYTES];
} level5_scene;

level5_scene *level5_scene_open(void);
void level5_scene_close(level5_scene *s);
void level5_scene_begin(level5_scene *s, const char *name);  // starts a file; everything is appended to it
size_t level5_scene_here(const level5_scene *s);             // its size so far
void level5_scene_patch(level5_scene *s, size_t at, uint32_t word);
void level5_scene_u32(level5_scene *s, uint32_t value);
void level5_scene_f32(level5_scene *s, float value);
void level5_scene_floats(level5_scene *s, const float *values, size_t count);
void level5_scene_text(level5_scene *s, const char *text, size_t field);  // 0: without padding and NUL
void level5_scene_bytes(level5_scene *s, const void *data, size_t size);
void level5_scene_pad_to(level5_scene *s, size_t alignment);

// Column-major, as stored.
typedef struct level5_scene_matrix {
    float m[16];
} level5_scene_matrix;
level5_scene_matrix level5_scene_moved(float x, float y, float z);
level5_scene_matrix level5_scene_turned(sn_vec3 axis, double radians, float x, float y, float z);
level5_scene_matrix level5_scene_stretched(float x, float y, float z);
level5_scene_matrix level5_scene_times(level5_scene_matrix a, level5_scene_matrix b);

typedef struct level5_scene_node {
    const char *name;
    int32_t parent, mesh;
    level5_scene_matrix local;
} level5_scene_node;

typedef struct level5_scene_material {
    float diffuse[4];
    const char *texture;
} level5_scene_material;
typedef struct level5_scene_mesh {
    uint32_t position_count, normal_count, color_count, uv_count, material_count;
    const float *positions, *normals, *colors, *uvs;  // three, three, four and two each
    const uint32_t *faces;                            // of all primitives, headers and corners
    uint32_t face_words, primitive_count;
    const level5_scene_material *materials;
} level5_scene_mesh;

void level5_scene_mds(level5_scene *s, const char *name, const level5_scene_node *nodes, uint32_t node_count,
                      const level5_scene_mesh *meshes, uint32_t mesh_count);
void level5_scene_mdt(level5_scene *s, const level5_scene_mesh *mesh);

typedef struct level5_scene_key {
    uint32_t at;
    float x, y, z, w;
} level5_scene_key;
void level5_scene_track(level5_scene *s, int32_t node, int32_t target, int32_t type, const level5_scene_key *keys,
                        uint32_t count, bool is_last);
void level5_scene_matrices(level5_scene *s, const char *name, const level5_scene_matrix *matrices, uint32_t count);
void level5_scene_config(level5_scene *s, const char *name, const char *text);

// A quaternion as stored: inverted, with w first.
level5_scene_key level5_scene_turn_key(uint32_t frame, sn_vec3 axis, double radians);

// Files of the scene as entries of a pack, or pictures in an archive of the kind "IMG", "IM2" or "IM3".
void level5_scene_pack(level5_scene *s, const char *name, const char *const *members, uint32_t count);
typedef struct level5_scene_picture {
    const char *name;
    uint32_t width, height, bits;
    bool is_swizzled;
    uint8_t alpha;
} level5_scene_picture;
void level5_scene_archive(level5_scene *s, const char *name, const char *kind, const level5_scene_picture *pictures,
                          uint32_t count);

sn_model *level5_scene_load(level5_scene *s, const char *name,
                            const sn_load_opts *opts);  // must load; checked
sn_vec3 level5_scene_point(const sn_mat34 *matrix, float x, float y, float z);
bool level5_scene_shows(const sn_model *model, int32_t part, int32_t clip, float seconds);

#endif
