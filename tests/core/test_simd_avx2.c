/* The 8-wide type on the AVX2 path. clang does not define __AVX2__ by a pragma, so this test is
   gcc's; where it cannot run it is skipped. */
#if defined(__x86_64__) && !defined(__clang__)
#pragma GCC target("avx2,fma")
#endif
#include "core/simd_checks.h"

int main(void)
{
#if defined(__AVX2__) && defined(__FMA__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return run_simd_checks();
    printf("SKIPPED: this processor lacks AVX2 or FMA\n");
    return 77;
#else
    (void)run_simd_checks;
    printf("SKIPPED: this compiler builds the AVX2 path only by its flags\n");
    return 77;
#endif
}
