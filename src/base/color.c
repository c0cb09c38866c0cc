// Small, and a file of its own: formats, conversion and renderer share it.
#include "base/color.h"

#include <math.h>

static double power(double base, int exponent)
{
    double product = 1.0;
    for (int i = 0; i < exponent; i++) product *= base;
    return product;
}

// Newton's method, from above.
static double root_of(double value, int degree)
{
    double root = fmax(value, 1.0);
    for (int i = 0; i < 512; i++) {
        double step = (power(root, degree) - value) / (degree * power(root, degree - 1));
        if (!(step > root * 1e-16)) break;
        root -= step;
    }
    return root;
}

double sni_linear_of(double srgb)
{
    if (!(srgb > 0.0)) return 0.0;
    if (srgb <= 0.04045) return srgb / 12.92;
    if (srgb == 1.0) return 1.0;
    return power(root_of((fmin(srgb, 64.0) + 0.055) / 1.055, 5), 12);
}

double sni_srgb_of(double linear)
{
    if (!(linear > 0.0)) return 0.0;
    if (linear <= 0.0031308) return linear * 12.92;
    if (linear == 1.0) return 1.0;
    return 1.055 * root_of(power(fmin(linear, 64.0), 5), 12) - 0.055;
}
