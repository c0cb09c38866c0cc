#include "base/simd.h"

#ifdef SNI_HAS_WASM
#    include "base/simd_wasm.h"

#    define SKIN_LANES 4
#    include "skin/skin_kernels_body.h"

const sni_skin_kernels sni_skin_kernels_wasm = SKIN_TABLE;
#endif
