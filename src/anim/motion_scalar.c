#include "base/simd_scalar.h"

#define SNI_MOTION_KERNELS sni_motion_kernels_scalar
#include "anim/motion_kernels_body.h"
