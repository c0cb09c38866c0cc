// Conversion between sRGB and linear colour.
#ifndef SNI_COLOR_H
#define SNI_COLOR_H

// Uses only basic arithmetic, so that results are equal on every machine; powf would not be. Clamps to 0..64.
double sni_linear_of(double srgb);
double sni_srgb_of(double linear);

#endif
