#include "base/simd.h"

#ifdef SNI_HAS_NEON
#    include "base/simd_neon.h"

#    define SKIN_LANES 4
#    include "skin/skin_kernels_body.h"

const sni_skin_kernels sni_skin_kernels_neon = SKIN_TABLE;
#endif
