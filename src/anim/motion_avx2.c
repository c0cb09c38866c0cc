#include "base/simd.h"

#ifdef SNI_HAS_X86
#    include "base/simd_avx2.h"
#    define SNI_MOTION_KERNELS sni_motion_kernels_avx2
#    include "anim/motion_kernels_body.h"
#else
typedef int sni_no_avx2;  // a file must not be empty
#endif
