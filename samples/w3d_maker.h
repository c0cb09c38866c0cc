// W3D files put together piece by piece: shapes, skeletons, materials and motions. Only + - * / and sqrt are used.
#ifndef W3D_MAKER_H
#define W3D_MAKER_H

#include "base/math.h"
#include "format/w3d/w3d_doc.h"

enum { SHAPE_VERTICES = 512, SHAPE_TRIANGLES = 768, MOST_SAMPLE_FRAMES = 64 };

// Geometry in the space of the object. Vertices are bent by two bones at most; rigid shapes leave them 0.
typedef struct shape {
    uint32_t vertex_count, triangle_count;
    sn_vec3 positions[SHAPE_VERTICES], normals[SHAPE_VERTICES], tangents[SHAPE_VERTICES], bitangents[SHAPE_VERTICES];
    float uvs[SHAPE_VERTICES][2];  // V runs up, as W3D has it
    uint16_t bones[SHAPE_VERTICES][2];
    uint16_t percents[SHAPE_VERTICES][2];
    uint32_t triangles[SHAPE_TRIANGLES][3];
} shape;

typedef struct shape_ring {
    sn_vec3 center;
    float a, b;
    uint16_t bones[2], percent;
} shape_ring;  // percent: of the second bone

void shape_box(shape *s, sn_vec3 min, sn_vec3 max);
void shape_block(shape *s, const sn_vec3 corners[8]);  // four below, four above, each counter-clockwise seen from above
void shape_quad(shape *s, const sn_vec3 corners[4]);   // one side of it
void shape_tube(shape *s, int sides, sn_vec3 u, sn_vec3 v, const shape_ring *rings,
                int count);  // along u x v; 4, 6 or 8 sides

typedef struct sample_bone {
    const char *name;
    int32_t parent;
    sn_vec3 translation;
    sn_quat rotation;
} sample_bone;
typedef struct sample_skeleton {
    const char *name;
    const sample_bone *bones;
    uint32_t count, fixup_bytes;
} sample_skeleton;

void put_hierarchy(w3d_tree *tree, const sample_skeleton *skeleton);

typedef struct sample_mesh {
    const char *name, *container, *user_text;
    uint32_t version, attributes;
    int32_t sort_level;
    const sample_skeleton *skin;  // NULL: rigid
    bool has_two_bones, has_tangents;
} sample_mesh;

// The mesh with its geometry; its materials follow, then it is the caller's to close.
void open_mesh(w3d_tree *tree, const sample_mesh *mesh, const shape *s);

typedef struct sample_material {
    const char *name, *texture;  // texture: NULL for none
    uint8_t diffuse[3];
    bool is_additive, is_cut_out;  // cut_out: by the texture's alpha
    const char *mapper_args;
    uint32_t mapper;  // of stage 0
} sample_material;

void put_material(w3d_tree *tree, const shape *s, const sample_material *material);  // one pass, one id for all
void put_vertex_materials(w3d_tree *tree, const sample_material *materials, uint32_t count);
void put_shaders(w3d_tree *tree, const sample_material *materials, uint32_t count);
void put_textures(w3d_tree *tree, const char *const *names, uint32_t count);
void put_material_info(w3d_tree *tree, uint32_t passes, uint32_t materials, uint32_t shaders, uint32_t textures);
void put_ids(w3d_tree *tree, uint32_t id, const uint32_t *values, uint32_t count);
void put_uvs(w3d_tree *tree, const shape *s);

typedef struct sample_part {
    uint32_t bone;
    const char *name;
} sample_part;
void open_hlod(w3d_tree *tree, const char *name, const char *hierarchy, uint32_t lod_count);
void put_parts(w3d_tree *tree, uint32_t id, float max_screen_size, const sample_part *parts, uint32_t count);
void open_named(w3d_tree *tree, uint32_t id, uint32_t header, uint32_t version,
                const char *name);  // the caller closes it
// An emitter, and an aggregate that puts it on a bone of a model.
void put_smoke(w3d_tree *tree, const char *name, const char *texture, const char *aggregate, const char *model,
               const char *bone);
void put_spot_light(w3d_tree *tree, const uint8_t colors[3][3]);  // ambient, diffuse, specular
void put_box(w3d_tree *tree, const char *name, uint32_t attributes, sn_vec3 center, sn_vec3 extent);

void open_animation(w3d_tree *tree, const char *name, const char *hierarchy, uint32_t frame_count);
void open_compressed(w3d_tree *tree, const char *name, const char *hierarchy, uint32_t frame_count, uint32_t version,
                     uint32_t flavor);

// Turns about an axis: each frame or key is the tangent of half the angle. `frames` and `jumps` are for time-coded
// kinds.
typedef struct sample_motion {
    w3d_channel_kind kind;
    uint32_t pivot, first_frame, count;
    const uint32_t *frames;
    const bool *jumps;
} sample_motion;
void put_turns(w3d_tree *tree, sample_motion motion, sn_vec3 axis, const float *half_tangents);
void put_shifts(w3d_tree *tree, sample_motion motion, w3d_channel_type type, const float *values);
void put_bits(w3d_tree *tree, sample_motion motion, uint8_t fallback, const float *values);

float smooth(float u);  // 0 to 1, without speed at the ends
float wave(float u);    // one swing over 0 to 1: up to 1, down to -1, two parabolas

void put_version_and_name(w3d_tree *tree, uint32_t version, const char *name, size_t size);
void put_rgb(w3d_tree *tree, uint8_t r, uint8_t g, uint8_t b);

typedef struct sample_file {
    sni_heap heap;
    sni_diag diag;
    sni_writer out;
    w3d_tree tree;
} sample_file;
w3d_tree *sample_open(sample_file *file);
bool sample_save(sample_file *file, const char *folder, const char *name);

typedef void (*sample_paint)(int x, int y, uint8_t rgba[4]);
bool save_tga(const char *folder, const char *name, sample_paint paint);  // 8 x 8, with alpha

#endif
