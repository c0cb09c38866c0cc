// A C interface to the Draco decoder (gltf_draco.cpp); only in builds that have the library.
#ifndef GLTF_DRACO_H
#define GLTF_DRACO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gltf_draco_result {
    GLTF_DRACO_OK,
    GLTF_DRACO_DAMAGED,
    GLTF_DRACO_UNKNOWN,    // a version or kind that the library cannot decode
    GLTF_DRACO_TOO_LARGE,  // needs more than about `memory` bytes; found before they are allocated
    GLTF_DRACO_NO_MEMORY
} gltf_draco_result;

typedef struct gltf_draco_mesh gltf_draco_mesh;

gltf_draco_result gltf_draco_decode(const uint8_t *data, size_t size, uint64_t memory, gltf_draco_mesh **mesh);
void gltf_draco_free(gltf_draco_mesh *mesh);
uint32_t gltf_draco_points(const gltf_draco_mesh *mesh);
uint32_t gltf_draco_faces(const gltf_draco_mesh *mesh);

// Three per face, each below the number of points. False: the stream has others.
bool gltf_draco_read_indices(const gltf_draco_mesh *mesh, uint32_t *out);

// `width` components of a glTF component type per point, tightly packed. False: there is no such attribute, it has
// another width, or a value that the type cannot hold.
bool gltf_draco_read_attribute(const gltf_draco_mesh *mesh, uint32_t id, uint32_t component_type, uint32_t width,
                               void *out);

#ifdef __cplusplus
}
#endif
#endif
