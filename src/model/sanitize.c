#include "model/sanitize.h"

#include <math.h>
#include <string.h>

// Adding one to an exponent of all ones carries into the sign's place. No branch, so that compilers make it wide.
static bool has_bad_float(const float *values, uint64_t count)
{
    uint32_t carried = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        carried |= (bits & 0x7F800000) + 0x00800000;
    }
    return carried & 0x80000000;
}

bool sni_all_finite(const float *values, uint64_t count) { return !has_bad_float(values, count); }

static void mend_block(sni_sanitize *fixes, float *values, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        if ((bits & 0x7F800000) != 0x7F800000) continue;
        values[i] = 0.0f;
        fixes->not_finite++;
    }
}

void sni_sanitize_floats(sni_sanitize *fixes, float *values, uint64_t count)
{
    const uint64_t block = 2048;  // stays in the nearest cache, should it have to be gone through again
    for (uint64_t at = 0; at < count; at += block) {
        uint64_t size = count - at < block ? count - at : block;
        if (has_bad_float(values + at, size)) mend_block(fixes, values + at, size);
    }
}

static bool normalise(float *values, int count, double square)
{
    if (square < 1e-40) return false;
    double scale = 1.0 / sqrt(square);
    for (int i = 0; i < count; i++) values[i] = (float)(values[i] * scale);
    return true;
}

// What a compressed exporter does to it is set right without a word.
static bool is_nearly_unit(double square) { return square > 0.98 && square < 1.02; }

void sni_sanitize_rotation(sni_sanitize *fixes, sn_quat *rotation)
{
    float values[4] = { rotation->x, rotation->y, rotation->z, rotation->w };
    double square = sni_length_squared(values, 4);
    if (sni_is_unit(square)) return;
    if (!is_nearly_unit(square)) fixes->not_unit++;
    if (normalise(values, 4, square)) *rotation = (sn_quat){ values[0], values[1], values[2], values[3] };
    else *rotation = (sn_quat){ 0, 0, 0, 1 };
}

bool sni_sanitize_unit(sni_sanitize *fixes, float *vector)
{
    double square = sni_length_squared(vector, 3);
    if (sni_is_unit(square)) return true;
    if (!is_nearly_unit(square)) fixes->not_unit++;
    return normalise(vector, 3, square);
}

void sni_sanitize_report(sni_load *load, const sni_sanitize *fixes, uint64_t offset)
{
    sni_warn_many(&load->diag, SNI_WARN_NOT_FINITE, fixes->not_finite, offset, "%llu numbers are not finite",
                  (unsigned long long)fixes->not_finite);
    sni_warn_many(&load->diag, SNI_WARN_ROTATION_LENGTH, fixes->not_unit, offset, "%llu are not of unit length",
                  (unsigned long long)fixes->not_unit);
}
