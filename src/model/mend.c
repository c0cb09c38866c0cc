#include "model/mend.h"

#include <math.h>
#include <string.h>

void sni_mend_floats(sni_mender *mender, float *values, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        if ((bits & 0x7F800000) != 0x7F800000) continue;
        values[i] = 0.0f;
        mender->not_finite++;
    }
}

// Squared in double: neither the largest nor the smallest float leaves its range.
static double length_squared(const float *values, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += (double)values[i] * values[i];
    return sum;
}

static bool normalise(float *values, int count, double square)
{
    if (square < 1e-40) return false;
    double scale = 1.0 / sqrt(square);
    for (int i = 0; i < count; i++) values[i] = (float)(values[i] * scale);
    return true;
}

// What rounding to float and back may do to a unit vector is left alone, so that good files keep their very bits.
static bool is_unit(double square)
{
    return square > 1.0 - 4e-6 && square < 1.0 + 4e-6;
}

// What a compressed exporter does to it is set right without a word.
static bool is_nearly_unit(double square)
{
    return square > 0.98 && square < 1.02;
}

void sni_mend_rotation(sni_mender *mender, sn_quat *rotation)
{
    float values[4] = { rotation->x, rotation->y, rotation->z, rotation->w };
    double square = length_squared(values, 4);
    if (is_unit(square)) return;
    if (!is_nearly_unit(square)) mender->not_unit++;
    if (normalise(values, 4, square)) *rotation = (sn_quat){ values[0], values[1], values[2], values[3] };
    else *rotation = (sn_quat){ 0, 0, 0, 1 };
}

bool sni_mend_unit(sni_mender *mender, float *vector)
{
    double square = length_squared(vector, 3);
    if (is_unit(square)) return true;
    if (!is_nearly_unit(square)) mender->not_unit++;
    return normalise(vector, 3, square);
}

void sni_mender_tell(sni_load *load, const sni_mender *mender, uint64_t offset)
{
    sni_warn_many(&load->diag, SNI_WARN_NOT_FINITE, mender->not_finite, offset, "%llu numbers are not finite",
                  (unsigned long long)mender->not_finite);
    sni_warn_many(&load->diag, SNI_WARN_ROTATION_LENGTH, mender->not_unit, offset, "%llu are not of unit length",
                  (unsigned long long)mender->not_unit);
}
