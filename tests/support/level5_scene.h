// Level-5 files for tests of what is built from them, written byte by byte as the format's description says, with none
// of the library's own code, and loaded through the front door. All files of a scene may ask for each other by name.
#ifndef TEST_LEVEL5_SCENE_H
#define TEST_LEVEL5_SCENE_H

#include "sinew/sinew.h"

enum { CLOUD_FILES = 24, CLOUD_BYTES = 1 << 18 };

typedef struct cloud_file {
    const char *name;
    size_t start, size;
} cloud_file;
typedef struct cloud {
    cloud_file files[CLOUD_FILES];
    uint32_t file_count;
    size_t size;
    uint8_t bytes[CLOUD_BYTES];
} cloud;

cloud *cloud_open(void);
void cloud_close(cloud *s);
void cloud_begin(cloud *s, const char *name);  // what is put from now on belongs to it
size_t cloud_here(const cloud *s);             // bytes of it so far
void cloud_patch(cloud *s, size_t at, uint32_t word);
void cloud_u32(cloud *s, uint32_t value);
void cloud_f32(cloud *s, float value);
void cloud_floats(cloud *s, const float *values, size_t count);
void cloud_text(cloud *s, const char *text, size_t field);  // 0: as it is, without a NUL
void cloud_bytes(cloud *s, const void *data, size_t size);
void cloud_pad_to(cloud *s, size_t alignment);

// Matrices as they are stored: images of x, y and z, then the place.
typedef struct cloud_matrix {
    float m[16];
} cloud_matrix;
cloud_matrix cloud_moved(float x, float y, float z);
cloud_matrix cloud_turned(sn_vec3 axis, double radians, float x, float y, float z);
cloud_matrix cloud_stretched(float x, float y, float z);
cloud_matrix cloud_times(cloud_matrix a, cloud_matrix b);

typedef struct cloud_node {
    const char *name;
    int32_t parent, mesh;
    cloud_matrix local;
} cloud_node;

typedef struct cloud_material {
    float diffuse[4];
    const char *texture;
} cloud_material;
typedef struct cloud_mesh {
    uint32_t position_count, normal_count, color_count, uv_count, material_count;
    const float *positions, *normals, *colors, *uvs;  // three, three, four and two each
    const uint32_t *faces;                            // of all primitives, headers and corners
    uint32_t face_words, primitive_count;
    const cloud_material *materials;
} cloud_mesh;

void cloud_mds(cloud *s, const char *name, const cloud_node *nodes, uint32_t node_count, const cloud_mesh *meshes,
               uint32_t mesh_count);
void cloud_mdt(cloud *s, const cloud_mesh *mesh);

typedef struct cloud_key {
    uint32_t at;
    float x, y, z, w;
} cloud_key;
void cloud_track(cloud *s, int32_t node, int32_t target, int32_t type, const cloud_key *keys, uint32_t count,
                 bool is_last);
void cloud_matrices(cloud *s, const char *name, const cloud_matrix *matrices, uint32_t count);
void cloud_config(cloud *s, const char *name, const char *text);

// A quaternion as it is stored: w first, and turning the other way round.
cloud_key cloud_turn_key(uint32_t frame, sn_vec3 axis, double radians);

// Files of the scene as entries of a pack, or pictures in an archive of the kind "IMG", "IM2" or "IM3".
void cloud_pack(cloud *s, const char *name, const char *const *members, uint32_t count);
typedef struct cloud_picture {
    const char *name;
    uint32_t width, height, bits;
    bool is_swizzled;
    uint8_t alpha;
} cloud_picture;
void cloud_archive(cloud *s, const char *name, const char *kind, const cloud_picture *pictures, uint32_t count);

sn_model *cloud_load(cloud *s, const char *name,
                     const sn_load_opts *opts);  // checked; fails the test where it does not load
uint32_t cloud_warnings(const sn_model *model, int32_t code);
void cloud_skin(const sn_model *model, int32_t part, int32_t clip, float seconds, sn_vec3 *positions);
sn_mat34 cloud_world(const sn_model *model, const char *node, int32_t clip, float seconds);
sn_vec3 cloud_point(const sn_mat34 *matrix, float x, float y, float z);
bool cloud_shows(const sn_model *model, int32_t part, int32_t clip, float seconds);

#endif
