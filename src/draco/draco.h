// Decompression of Draco meshes, bitstream 2.2: sequential and edgebreaker connectivity, all attributes and predictions
// of that version. docs/formats/gltf.md says what is left out.
#ifndef SNI_DRACO_H
#define SNI_DRACO_H

#include "base/reader.h"

// Values of one attribute, as they are in the stream: integers with what turns them into floats, or plain bytes.
typedef struct sni_draco_attribute sni_draco_attribute;

typedef struct sni_draco_mesh {
    uint8_t version[2];
    uint32_t point_count, face_count;
    uint32_t *indices;  // three points for each face
    sni_draco_attribute *attributes;
    uint32_t attribute_count;
} sni_draco_mesh;

// A few bytes can stand for any number of faces: what the mesh must have is declared by others, and what decoding
// costs has a limit.
typedef struct sni_draco_limits {
    uint32_t point_count, face_count;  // UINT32_MAX: not declared
    uint64_t work_bytes;               // for this and further streams; what was allocated is subtracted
} sni_draco_limits;

typedef enum sni_draco_result {
    SNI_DRACO_OK,
    SNI_DRACO_FAILED,    // the diagnostics say why
    SNI_DRACO_UNKNOWN,   // another version, or not a mesh
    SNI_DRACO_DISAGREES  // other counts than declared
} sni_draco_result;

// Decodes the rest of the stream. The indices are allocated in `keep`, everything else in the reader's arena.
sni_draco_result sni_draco_decode(sni_reader *stream, sni_draco_limits *limits, sni_arena *keep, sni_draco_mesh *mesh);

// How numbers are stored.
typedef enum sni_draco_type {
    SNI_DRACO_INT8 = 1,
    SNI_DRACO_UINT8,
    SNI_DRACO_INT16,
    SNI_DRACO_UINT16,
    SNI_DRACO_INT32,
    SNI_DRACO_UINT32,
    SNI_DRACO_FLOAT32 = 9
} sni_draco_type;

// `width` numbers of the type for each point, little-endian and tightly packed. False: no attribute has this id and
// width, or it has a value that the type cannot hold.
bool sni_draco_read(const sni_draco_mesh *mesh, uint32_t id, sni_draco_type type, uint32_t width, void *out);

#endif
