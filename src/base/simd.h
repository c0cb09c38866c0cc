// Which vector instructions to use. A kernel is written once, in a header, in terms of the types v4 and v8 and their
// functions; one small source file per instruction set (_scalar, _sse2, _avx2, _neon, _wasm) includes the simd header
// of that set and then the kernel, and exports a table of functions.
#ifndef SNI_SIMD_H
#define SNI_SIMD_H

#include "base/diag.h"
#include "sinew/runtime.h"

#if defined __x86_64__ || defined __i386__
#    define SNI_HAS_X86 1
#elif defined __aarch64__
#    define SNI_HAS_NEON 1
#elif defined __wasm_simd128__
#    define SNI_HAS_WASM 1
#endif

// Replaces SN_SIMD_AUTO by the best supported one. Fails with SN_ERR_UNSUPPORTED where the choice is not supported.
bool sni_simd_choose(sni_diag *diag, sn_simd *simd);

#endif
