#include "base/simd.h"

#include <string.h>

static const char *const names[SN_SIMD_COUNT] = { "auto", "scalar", "sse2", "avx2", "neon", "wasm" };

static bool is_known(sn_simd simd) { return (int)simd >= 0 && simd < SN_SIMD_COUNT; }

bool sn_simd_find(const char *name, sn_simd *simd)
{
    for (int i = 0; i < SN_SIMD_COUNT; i++) {
        if (strcmp(name, names[i]) != 0) continue;
        *simd = (sn_simd)i;
        return true;
    }
    return false;
}

const char *sn_simd_name(sn_simd simd) { return is_known(simd) ? names[simd] : "unknown"; }

bool sn_simd_is_supported(sn_simd simd)
{
    switch (simd) {
    case SN_SIMD_AUTO:
    case SN_SIMD_SCALAR: return true;
#ifdef SNI_HAS_X86
    case SN_SIMD_SSE2: return __builtin_cpu_supports("sse2");
    case SN_SIMD_AVX2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
#ifdef SNI_HAS_NEON
    case SN_SIMD_NEON: return true;
#endif
#ifdef SNI_HAS_WASM
    case SN_SIMD_WASM: return true;
#endif
    default: return false;
    }
}

bool sni_simd_choose(sni_diag *diag, sn_simd *simd)
{
    const sn_simd best[] = { SN_SIMD_AVX2, SN_SIMD_SSE2, SN_SIMD_NEON, SN_SIMD_WASM, SN_SIMD_SCALAR };
    if (!sn_simd_is_supported(*simd)) {
        sni_fail(diag, SN_ERR_UNSUPPORTED, 0, "this processor or build has no %s", sn_simd_name(*simd));
        return false;
    }
    for (uint32_t i = 0; *simd == SN_SIMD_AUTO; i++)
        if (sn_simd_is_supported(best[i])) *simd = best[i];
    return true;
}
