#include "base/simd.h"

#ifdef SNI_HAS_WASM
#    include "base/simd_wasm.h"
#    define SNI_MOTION_KERNELS sni_motion_kernels_wasm
#    include "anim/motion_kernels_body.h"
#else
typedef int sni_no_wasm;  // a file must not be empty
#endif
