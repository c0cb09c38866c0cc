#include "base/simd.h"

#ifdef SNI_HAS_NEON
#    include "base/simd_neon.h"
#    define SNI_MOTION_KERNELS sni_motion_kernels_neon
#    include "anim/motion_kernels_body.h"
#else
typedef int sni_no_neon;  // a file must not be empty
#endif
