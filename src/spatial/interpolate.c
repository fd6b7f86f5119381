/* Kernel interpolation at points: samples are copied in the order of a compact grid with cells as
   wide as the support, so a point reads at most nine contiguous runs. */
#include "spatial/interpolate.h"

#include <math.h>
#include <string.h>

#include "math/kernel.h"

enum { SAMPLE_CHUNK = 8192, PROBE_CHUNK = 64 };

typedef struct Interpolation {
    const SlSamples *samples;
    const SlProbes *probes;
    SlCellGrid grid;
    double support;
    const uint32_t *order;
    /* in the grid's order: position and mass, velocity */
    float (*sorted)[4], (*velocities)[4];
} Interpolation;

static void copy_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Interpolation *p = argument;
    const SlSamples *s = p->samples;
    for (size_t k = begin; k < end; k++) {
        size_t i = p->order[k];
        memcpy(p->sorted[k], s->points.records + 4 * i, 3 * sizeof(float));
        p->sorted[k][3] = s->masses != NULL ? s->masses[i] : s->mass;
        memcpy(p->velocities[k], s->velocities + 4 * i, sizeof p->velocities[k]);
    }
}

/* Adds m W and m v W of the samples [begin, end) to sums[0] and sums[1 … 3]. */
static void add_run(const Interpolation *p, const float *x, uint32_t begin, uint32_t end,
                    double sums[4])
{
    double squared = p->support * p->support;
    for (uint32_t j = begin; j < end; j++) {
        const float *s = p->sorted[j];
        double u[3] = {(double)x[0] - (double)s[0], (double)x[1] - (double)s[1],
                       (double)x[2] - (double)s[2]};
        double r2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
        if (r2 >= squared)
            continue;
        double weight = (double)s[3] * sl_kernel_value(SL_KERNEL_CUBIC, sqrt(r2), p->support);
        sums[0] += weight;
        for (int k = 0; k < 3; k++)
            sums[1 + k] += weight * (double)p->velocities[j][k];
    }
}

static void interpolate_at(const Interpolation *p, const float *x, double sums[4])
{
    const SlCellGrid *g = &p->grid;
    int32_t cell[3], from[3], to[3]; /* relative to the box of numbered cells */
    sl_grid_cell(g, x, cell);
    for (int k = 0; k < 3; k++) {
        int32_t own = cell[k] - g->low[k], size = (int32_t)g->size[k];
        from[k] = own > 0 ? own - 1 : 0;
        to[k] = own + 1 < size ? own + 1 : size - 1;
    }
    memset(sums, 0, 4 * sizeof *sums);
    if (from[0] > to[0])
        return;
    for (int32_t z = from[2]; z <= to[2]; z++)
        for (int32_t y = from[1]; y <= to[1]; y++) {
            uint64_t row = ((uint64_t)z * g->size[1] + (uint32_t)y) * g->size[0];
            uint32_t begin, end;
            sl_grid_run(g, row + (uint32_t)from[0], row + (uint32_t)to[0], &begin, &end);
            add_run(p, x, begin, end, sums);
        }
}

static void probe_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Interpolation *p = argument;
    const SlProbes *probes = p->probes;
    for (size_t k = begin; k < end; k++) {
        double sums[4];
        interpolate_at(p, probes->points + 3 * k, sums);
        if (probes->density != NULL)
            probes->density[k] = (float)sums[0];
        for (int axis = 0; probes->velocity != NULL && axis < 3; axis++)
            probes->velocity[3 * k + (size_t)axis] =
                sums[0] > 0 ? (float)(sums[1 + axis] / sums[0]) : 0;
    }
}

SlStatus sl_interpolate(SlContext *context, SlArena *arena, const SlSamples *samples, float support,
                        const SlProbes *probes, SlError *error)
{
    SlBox everywhere = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    size_t n = samples->points.count;
    Interpolation p = {.samples = samples, .probes = probes, .support = (double)support};
    SlStatus status =
        sl_grid_create(context, everywhere, support, SL_GRID_COMPACT, &p.grid, error);
    if (status != SL_OK)
        return status;
    SlArenaMark mark = sl_arena_mark(arena);
    uint32_t *order = SL_PUSH(arena, uint32_t, n);
    p.sorted = (float(*)[4])sl_arena_push_array(arena, n, sizeof *p.sorted);
    p.velocities = (float(*)[4])sl_arena_push_array(arena, n, sizeof *p.velocities);
    p.order = order;
    if (order != NULL && p.sorted != NULL && p.velocities != NULL &&
        sl_grid_sort(&p.grid, samples->points, arena, order)) {
        sl_parallel_for(context->pool, n, SAMPLE_CHUNK, copy_chunk, &p);
        sl_parallel_for(context->pool, probes->count, PROBE_CHUNK, probe_chunk, &p);
    } else {
        status = sl_error_set(error, SL_ERROR_MEMORY, "no memory to interpolate %zu particles", n);
    }
    sl_arena_release(arena, mark);
    sl_grid_destroy(&p.grid);
    return status;
}
