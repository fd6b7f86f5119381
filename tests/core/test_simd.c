/* The 8-wide type on the base path. */
#include "core/simd_checks.h"

int main(void)
{
    return run_simd_checks();
}
