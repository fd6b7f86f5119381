#include "bench/peak.h"

#include "core/simd.h"

/* Twelve chains: enough to fill two units of four cycles latency, and they fit in registers. */
enum { CHAINS = 12 };

static float multiply_add(uint64_t rounds)
{
    F8 chain[CHAINS];
    for (int k = 0; k < CHAINS; k++)
        chain[k] = f8(1.0f + (float)k);
    F8 a = f8(0.999999f), b = f8(1e-6f);
    for (uint64_t r = 0; r < rounds; r++)
        for (int k = 0; k < CHAINS; k++)
            chain[k] = f8_fma(chain[k], a, b);
    F8 sum = chain[0];
    for (int k = 1; k < CHAINS; k++)
        sum += chain[k];
    return f8_sum(sum);
}

static float read_sum(const float *values, size_t count)
{
    F8 a = f8(0), b = f8(0), c = f8(0), d = f8(0);
    for (size_t i = 0; i < count; i += 32) {
        a += f8_load(values + i);
        b += f8_load(values + i + 8);
        c += f8_load(values + i + 16);
        d += f8_load(values + i + 24);
    }
    return f8_sum((a + b) + (c + d));
}

SL_KERNEL_TABLE(SlPeakKernels, sl_peak_kernels) = {multiply_add, read_sum};
