// libdraco behind C: it makes the streams of the tests and says what they decode to.
#ifndef TEST_DRACO_JUDGE_H
#define TEST_DRACO_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Three corners for each face. Equal values become one value, equal corners one point. NULL: not there.
typedef struct draco_soup {
    uint32_t face_count;
    const float *positions, *normals, *texcoords;
    const uint8_t *colors;   // four for each corner
    const uint16_t *joints;  // four for each corner
    const float *weights;    // four for each corner
} draco_soup;

typedef struct draco_options {
    int level;  // 0 to 10, as of draco_encoder -cl
    int bits;   // of quantization; 0: none
    bool is_sequential, has_metadata;
    bool splits_at_seams;     // one connectivity for all attributes
    bool is_order_kept;       // points stay as they are: no merging of corners
    bool has_plain_entropy;   // symbols without entropy coding
    bool has_packed_indices;  // of a sequential mesh
    int traversal;            // of edgebreaker: 0 as the level says, 1 standard, 2 with valences
} draco_options;

// Returns the size, 0 when it fails.
size_t draco_judge_encode(const draco_soup *soup, const draco_options *options, uint8_t *out, size_t capacity);

typedef struct draco_judged draco_judged;

draco_judged *draco_judge_decode(const uint8_t *data, size_t size);  // NULL: it fails
void draco_judge_free(draco_judged *mesh);
uint32_t draco_judge_points(const draco_judged *mesh);
uint32_t draco_judge_faces(const draco_judged *mesh);
void draco_judge_indices(const draco_judged *mesh, uint32_t *out);
uint32_t draco_judge_attributes(const draco_judged *mesh);

// The values of all points in the type of the attribute. Returns their size.
size_t draco_judge_values(const draco_judged *mesh, uint32_t attribute, uint32_t *id, uint32_t *type, uint32_t *width,
                          uint8_t *out, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
