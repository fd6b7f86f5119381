/* Peak rates of this machine, for benchmarks: multiply-adds and memory reads. */
#ifndef BENCH_PEAK_H
#define BENCH_PEAK_H

#include "core/context.h"
#include "core/machine.h"

typedef struct SlPeakKernels {
    /* rounds × 2 × 8 × 12 floating-point operations; the result keeps them from vanishing. */
    float (*multiply_add)(uint64_t rounds);
    /* Sum of count floats, count a multiple of 32. */
    float (*read)(const float *values, size_t count);
} SlPeakKernels;
SL_DECLARE_KERNELS(SlPeakKernels, sl_peak_kernels);

/* GFLOP/s and GB/s with the context's threads; a fifth of a second each. 0: no memory. */
double sl_peak_gflops(SlContext *context);
double sl_peak_read_gbps(SlContext *context);

#endif
