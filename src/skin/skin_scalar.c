#include "base/simd_scalar.h"

#define SKIN_LANES 4
#include "skin/skin_kernels_body.h"

const sni_skin_kernels sni_skin_kernels_scalar = SKIN_TABLE;
