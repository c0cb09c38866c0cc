// The type v4 with the vector instructions that every processor has that the code is compiled for: for kernels that are
// compiled once. See simd_scalar.h.
#ifndef SNI_SIMD_BUILT_IN_H
#define SNI_SIMD_BUILT_IN_H

#if defined __SSE2__
#    include "base/simd_sse2.h"
#elif defined __aarch64__
#    include "base/simd_neon.h"
#else
#    include "base/simd_scalar.h"
#endif

#endif
