// Colours as they are shown (sRGB, from 0 to 1) and as light.
#ifndef SNI_COLOR_H
#define SNI_COLOR_H

// By plain arithmetic, which gives the same bits everywhere; powers of the C library do not. Below 0 is 0, above 64
// is 64.
double sni_linear_of(double srgb);
double sni_srgb_of(double linear);

#endif
