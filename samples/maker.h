// A glTF document put together piece by piece; the binary data grows beside it.
#ifndef MAKER_H
#define MAKER_H

#include "format/gltf/gltf_doc.h"

typedef struct maker {
    sni_diag diag;
    sni_heap heap;
    sni_arena arena;
    sni_writer bin;
    gltf_doc doc;
    sni_list views, accessors, meshes, nodes, skins, animations, materials, cameras;
} maker;

void maker_init(maker *m);
void maker_free(maker *m);

// Accessors over new views; each answers its number. Bounds are written where the format asks for them.
int32_t maker_floats(maker *m, const float *values, uint32_t count, gltf_type type, uint32_t target, bool has_bounds);
int32_t maker_u16(maker *m, const uint16_t *values, uint32_t count, uint32_t target);
int32_t maker_joints(maker *m, const uint8_t *joints, uint32_t vertex_count);
int32_t maker_sparse(maker *m, uint32_t count, const uint16_t *indices, const sn_vec3 *values, uint32_t given);
int32_t maker_view(maker *m, const void *data, size_t size, uint32_t target);

gltf_node *maker_node(maker *m, const char *name, int32_t *index);
gltf_indices maker_list(maker *m, uint32_t count, const int32_t *items);
gltf_primitive *maker_mesh(maker *m, const char *name, int32_t *index);
void maker_attribute(maker *m, gltf_attributes *attributes, const char *name, int32_t accessor);
int32_t maker_material(maker *m, const char *name, sn_vec4 color, float metallic, float roughness);
gltf_animation *maker_animation(maker *m, const char *name);
void maker_channel(maker *m, gltf_animation *animation, int32_t node, gltf_path path, gltf_interpolation interpolation,
                   int32_t input, int32_t output);

// Writes NAME.glb, or NAME.gltf with NAME.bin, into the folder; answers whether that worked.
bool maker_save(maker *m, const char *folder, const char *name, bool as_glb);

#endif
