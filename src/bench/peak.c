#include "bench/peak.h"

#include "core/timer.h"

typedef struct Task {
    const SlPeakKernels *kernels;
    uint64_t rounds;
    const float *values;
    float *results; /* by chunk */
} Task;

static void multiply_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    Task *task = argument;
    task->results[chunk] = task->kernels->multiply_add(task->rounds * (end - begin));
}

static void read_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    Task *task = argument;
    task->results[chunk] = task->kernels->read(task->values + begin, end - begin);
}

double sl_peak_gflops(SlContext *context)
{
    enum { CHUNKS = 64, REPEATS = 7 };
    float results[CHUNKS];
    Task task = {SL_KERNELS(context->isa, sl_peak_kernels), 40000, NULL, results};
    double best = 0;
    for (int k = 0; k < REPEATS; k++) {
        double began = sl_seconds();
        sl_parallel_for(context->pool, CHUNKS, 1, multiply_chunk, &task);
        double rate = 40000.0 * CHUNKS * 2 * 8 * 12 / (sl_seconds() - began) * 1e-9;
        best = rate > best ? rate : best;
    }
    return best;
}

double sl_peak_read_gbps(SlContext *context)
{
    enum { CHUNK = 1 << 18, CHUNKS = 512, REPEATS = 5 };
    size_t count = (size_t)CHUNK * CHUNKS;
    float results[CHUNKS];
    float *values = sl_alloc_zero(&context->memory, count, sizeof *values);
    if (values == NULL)
        return 0;
    Task task = {SL_KERNELS(context->isa, sl_peak_kernels), 0, values, results};
    double best = 0;
    for (int k = 0; k < REPEATS; k++) {
        double began = sl_seconds();
        sl_parallel_for(context->pool, count, CHUNK, read_chunk, &task);
        double rate = (double)(count * sizeof *values) / (sl_seconds() - began) * 1e-9;
        best = rate > best ? rate : best;
    }
    sl_free(&context->memory, values, count * sizeof *values);
    return best;
}
