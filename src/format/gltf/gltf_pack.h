// Numbers into the one buffer of a document that is being written: a view for each role, accessors shared by whoever
// hands in the same array.
#ifndef GLTF_PACK_H
#define GLTF_PACK_H

#include "format/gltf/gltf_doc.h"
#include "io/save.h"

// A view must not serve two roles; within a role of vertices all elements have the same stride.
typedef enum gltf_role {
    GLTF_VERTEX_4,
    GLTF_VERTEX_8,
    GLTF_VERTEX_12,
    GLTF_VERTEX_16,
    GLTF_INDICES_16,
    GLTF_INDICES_32,
    GLTF_BINDS,
    GLTF_KEYS,
    GLTF_ROLES
} gltf_role;

typedef struct gltf_packed {
    const void *data;
    uint32_t count, kind;
    int32_t accessor;
} gltf_packed;

typedef struct gltf_pack {
    sni_save *save;
    sni_writer roles[GLTF_ROLES], images;
    sni_list accessors, image_views;
    gltf_packed *seen;  // a hash table
    uint32_t seen_count, seen_slots;
} gltf_pack;

void gltf_pack_init(gltf_pack *pack, sni_save *save);
void gltf_pack_free(gltf_pack *pack);

// Each answers an accessor, the same one for the same array; -1 after a failure.
int32_t gltf_pack_floats(gltf_pack *pack, gltf_role role, const float *values, uint32_t count, gltf_type type,
                         bool has_bounds);
int32_t gltf_pack_indices(gltf_pack *pack, const uint32_t *indices, uint32_t count, uint32_t vertex_count);
int32_t gltf_pack_integers(gltf_pack *pack, gltf_role role, const void *values, uint32_t count, gltf_type type,
                           uint32_t component_type);
int32_t gltf_pack_image(gltf_pack *pack, const uint8_t *data, size_t size);  // answers a view

// Joins the roles into the document's buffer and gives views and accessors to it.
bool gltf_pack_close(gltf_pack *pack, gltf_doc *doc, sni_writer *bin);

#endif
