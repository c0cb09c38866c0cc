// Numbers from untrusted files: made finite and of unit length, counted, told of once.
#ifndef SNI_SANITIZE_H
#define SNI_SANITIZE_H

#include "io/load.h"

typedef struct sni_sanitize {
    uint64_t not_finite, not_unit;
} sni_sanitize;

// Squared in double: neither the largest nor the smallest float leaves its range.
static inline double sni_length_squared(const float *values, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += (double)values[i] * values[i];
    return sum;
}

// What rounding to float and back may do to a unit vector is left alone, so that good files keep their very bits.
// False for what is not finite.
static inline bool sni_is_unit(double square) { return square > 1.0 - 4e-6 && square < 1.0 + 4e-6; }

void sni_sanitize_floats(sni_sanitize *fixes, float *values, uint64_t count);  // NaN and infinity become 0
bool sni_all_finite(const float *values, uint64_t count);
void sni_sanitize_rotation(sni_sanitize *fixes, sn_quat *rotation);  // near 0 becomes identity
bool sni_sanitize_unit(sni_sanitize *fixes, float *vector);          // three floats; false: no direction
void sni_sanitize_report(sni_load *load, const sni_sanitize *fixes, uint64_t offset);

#endif
