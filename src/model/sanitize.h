// Numbers from untrusted files are made finite and of unit length; what was changed is counted and reported once.
#ifndef SNI_SANITIZE_H
#define SNI_SANITIZE_H

#include <string.h>

#include "model/builder.h"

typedef struct sni_sanitize {
    uint64_t not_finite, not_unit;
} sni_sanitize;

// Sets the top bit if the number is not finite: adding one to an exponent of all ones carries into the sign bit. No
// branch, so that compilers vectorise it.
static inline uint32_t sni_mark_not_finite(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (bits & 0x7F800000) + 0x00800000;
}

// Squared in double: neither the largest nor the smallest float leaves its range.
static inline double sni_length_squared(const float *values, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += (double)values[i] * values[i];
    return sum;
}

// Rounding to float is tolerated, so that good files keep their bits. False for what is not finite.
#define SNI_UNIT_TOLERANCE 4e-6
static inline bool sni_is_unit(double square)
{
    return square > 1.0 - SNI_UNIT_TOLERANCE && square < 1.0 + SNI_UNIT_TOLERANCE;
}

void sni_sanitize_many_floats(sni_sanitize *fixes, float *values, uint64_t count);

// NaN and infinity become 0.
static inline void sni_sanitize_floats(sni_sanitize *fixes, float *values, uint64_t count)
{
    enum { FEW = 12 };
    uint32_t carried = 0;
    for (uint64_t i = 0; count <= FEW && i < count; i++) carried |= sni_mark_not_finite(values[i]);
    if (count > FEW || carried & 0x80000000) sni_sanitize_many_floats(fixes, values, count);
}
bool sni_all_finite(const float *values, uint64_t count);
bool sni_all_words_finite(const uint8_t *words, uint64_t count);     // floats as files have them
void sni_sanitize_rotation(sni_sanitize *fixes, sn_quat *rotation);  // near 0 becomes identity
void sni_sanitize_report(sni_diag *diag, const sni_sanitize *fixes, uint64_t offset);

// The keys of one track: finite, rising, rotations of unit length. May end up with no keys. False after a failure.
bool sni_sanitize_keys(sni_diag *diag, sn_track *track, uint64_t offset);
bool sni_sanitize_values(sni_diag *diag, sn_track *track, uint64_t offset);  // of keys that are known to rise

// One mesh: numbers finite, normals of unit length, faces within the vertices, weights summing to 1 over joints below
// joint_count (of the largest skin that bends it; 0: none does, and the weights are dropped). False after a failure; a
// mesh may end up without vertices or indices.
bool sni_sanitize_mesh(sni_builder *b, sn_mesh *mesh, uint32_t joint_count, uint64_t offset);

#endif
