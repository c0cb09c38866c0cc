// Complete W3D files for tests of the model: hierarchies, meshes, HLODs and animations from small tables, loaded
// through the public API. Other files of the model are given by name.
#ifndef TEST_W3D_SCENE_H
#define TEST_W3D_SCENE_H

#include "posed.h"
#include "w3d_file.h"

typedef struct scene_pivot {
    const char *name;
    int32_t parent;
    sn_vec3 translation;
    sn_quat rotation;
} scene_pivot;

void put_hierarchy(w3d_tree *tree, const char *name, uint32_t version, const scene_pivot *pivots, uint32_t count);
void open_hierarchy(w3d_tree *tree, const char *name, uint32_t version, const scene_pivot *pivots,
                    uint32_t count);  // not closed

typedef struct scene_mesh {
    const char *name, *container;
    uint32_t version, attributes;  // version 0: 4.2
    uint32_t vertex_count, triangle_count;
    const float *positions;     // three each; normals are +Z
    const uint32_t *triangles;  // three each; NULL: 0 1 2, 3 4 5, ...
    sn_vec3 box_min, box_max;
} scene_mesh;

void open_mesh(w3d_tree *tree, const scene_mesh *mesh);  // header, vertices, normals, triangles; not closed
void put_mesh(w3d_tree *tree, const scene_mesh *mesh);
void put_triangle(w3d_tree *tree, const char *container, const char *name);  // any mesh
void put_words(w3d_tree *tree, uint32_t id, const uint32_t *words, size_t count);
void put_float_chunk(w3d_tree *tree, uint32_t id, const float *values, size_t count);
void put_material_info(w3d_tree *tree, uint32_t passes, uint32_t materials, uint32_t shaders, uint32_t textures);

typedef struct scene_object {
    uint32_t bone;
    const char *name;
} scene_object;
void open_hlod(w3d_tree *tree, const char *name, const char *hierarchy, uint32_t lod_count);
void put_lod(w3d_tree *tree, uint32_t id, const scene_object *objects, uint32_t count);
void put_hlod(w3d_tree *tree, const char *name, const char *hierarchy, const scene_object *objects,
              uint32_t count);  // one level

void open_animation(w3d_tree *tree, const char *name, const char *hierarchy, uint32_t frames, uint32_t rate);  // raw
void open_compressed(w3d_tree *tree, const char *name, const char *hierarchy, uint32_t frames, uint32_t rate,
                     uint32_t flavor);
void put_raw(w3d_tree *tree, uint32_t pivot, uint32_t type, uint32_t first, uint32_t last, const float *values);
void put_bits(w3d_tree *tree, uint32_t pivot, uint32_t first, uint32_t last, uint8_t fallback, const uint8_t *bytes);
void put_timecoded(w3d_tree *tree, uint32_t pivot, uint32_t type, const uint32_t *codes, const float *values,
                   uint32_t count);

// Other files of the model, ended by one without a name.
typedef struct scene_ref {
    const char *name;
    const void *data;
    size_t size;
} scene_ref;

sn_model *load_scene(w3d_file *file, const scene_ref *refs,
                     const sn_load_opts *opts);  // checked; fails the test when it does not load
void *copy_scene(w3d_file *file, size_t *size);  // the bytes so far, to be freed; the file is empty again

// clip -1 is the rest pose.
bool scene_shows(const sn_model *model, int32_t part, int32_t clip, float seconds);
void assert_near(sn_vec3 a, float x, float y, float z, float tolerance);

#endif
