#include "base/simd.h"

#ifdef SNI_HAS_X86
#    include "base/simd_sse2.h"

#    define SKIN_LANES 4
#    include "skin/skin_kernels_body.h"

const sni_skin_kernels sni_skin_kernels_sse2 = SKIN_TABLE;
#endif
