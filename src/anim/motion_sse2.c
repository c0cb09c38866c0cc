#include "base/simd.h"

#ifdef SNI_HAS_X86
#    include "base/simd_sse2.h"
#    define SNI_MOTION_KERNELS sni_motion_kernels_sse2
#    include "anim/motion_kernels_body.h"
#else
typedef int sni_no_sse2;  // a file must not be empty
#endif
