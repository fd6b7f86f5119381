/* Hot loops of whitewater: eight particles of water at once. Cells are as wide as the radius, so the
   neighbours of a point lie in nine runs of three cells. */
#include "filters/whitewater/whitewater_kernels.h"

#include "core/simd.h"

enum { MAX_RUNS = 9 };
typedef struct Runs {
    int32_t cell[3];
    int count;
    uint32_t begin[MAX_RUNS], end[MAX_RUNS];
} Runs;

/* The runs of cells around a point. A point in the same cell as the last has the same. */
SL_INLINE void find_runs(const SlCellGrid *grid, const float x[3], Runs *runs)
{
    int32_t cell[3], from[3], to[3];
    sl_grid_cell(grid, x, cell);
    if (runs->count >= 0 && memcmp(cell, runs->cell, sizeof cell) == 0)
        return;
    memcpy(runs->cell, cell, sizeof cell);
    runs->count = 0;
    for (int k = 0; k < 3; k++) {
        int32_t at = cell[k] - grid->low[k], last = (int32_t)grid->size[k] - 1;
        from[k] = at > 0 ? at - 1 : 0;
        to[k] = at < last ? at + 1 : last;
    }
    for (int32_t z = from[2]; z <= to[2]; z++)
        for (int32_t y = from[1]; y <= to[1]; y++) {
            if (from[0] > to[0])
                return;
            uint64_t row = ((uint64_t)z * grid->size[1] + (uint32_t)y) * grid->size[0];
            uint32_t begin, end;
            sl_grid_run(grid, row + (uint32_t)from[0], row + (uint32_t)to[0], &begin, &end);
            runs->begin[runs->count] = begin;
            runs->end[runs->count] = end;
            runs->count += begin < end;
        }
}

/* How far beyond a coordinate in cells the neighbouring row at -1, 0 or 1 begins. */
SL_INLINE float gap_to(float along, int32_t step)
{
    float part = along - floorf(along);
    return step < 0 ? part : step > 0 ? 1 - part : 0;
}

/* The runs of cells that the neighbourhood of a point reaches: of the 27 cells around it 21 on average. A
   point outside of the grid is far from its nearest cell, so only those within are cut down. */
SL_INLINE void find_near_runs(const SlCellGrid *grid, const float x[3], Runs *runs)
{
    float along[3];
    int32_t at[3];
    const float *origin = &grid->origin.x;
    for (int k = 0; k < 3; k++) {
        along[k] = (x[k] - origin[k]) * grid->inverse_cell;
        if (!(along[k] >= grid->min_cell[k] && along[k] <= grid->max_cell[k])) {
            runs->count = -1;
            find_runs(grid, x, runs);
            return;
        }
        at[k] = (int32_t)floorf(along[k]) - grid->low[k];
    }
    runs->count = 0;
    for (int32_t dz = -1; dz <= 1; dz++)
        for (int32_t dy = -1; dy <= 1; dy++) {
            int32_t y = at[1] + dy, z = at[2] + dz, last = (int32_t)grid->size[0] - 1;
            float gy = gap_to(along[1], dy), gz = gap_to(along[2], dz);
            float left = 1.0001f - gy * gy - gz * gz;
            if (y < 0 || z < 0 || y >= (int32_t)grid->size[1] || z >= (int32_t)grid->size[2] ||
                left <= 0)
                continue;
            float reach = sqrtf(left), part = along[0] - floorf(along[0]);
            int32_t from = at[0] - (part < reach), to = at[0] + (1 - part < reach);
            from = from > 0 ? from : 0;
            to = to < last ? to : last;
            if (from > to)
                continue;
            uint64_t row = ((uint64_t)z * grid->size[1] + (uint32_t)y) * grid->size[0];
            uint32_t begin, end;
            sl_grid_run(grid, row + (uint32_t)from, row + (uint32_t)to, &begin, &end);
            runs->begin[runs->count] = begin;
            runs->end[runs->count] = end;
            runs->count += begin < end;
        }
}

/* Lanes of the run that ends at `end`, for eight particles from j. */
SL_INLINE I8 lanes_before(uint32_t j, uint32_t end)
{
    const I8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
    return lane < (I8)u8(end - j);
}

/* --- Emission --- */

/* The cheapest of the loops, over all that move: most water has no air around it and is done with. */
static void fullness(const WhitewaterEmission *e, size_t begin, size_t end)
{
    const WaterCloud *c = e->cloud;
    F8 inverse = f8(1 / (c->radius * c->radius));
    Runs runs = {.count = -1};
    for (size_t i = begin; i < end; i++) {
        e->air[i] = 0;
        if (!(e->energy[i] > 0))
            continue;
        const float x[3] = {c->x[0][i], c->x[1][i], c->x[2][i]};
        F8 x0 = f8(x[0]), x1 = f8(x[1]), x2 = f8(x[2]), sum = f8(0);
        find_runs(&c->grid, x, &runs);
        for (int k = 0; k < runs.count; k++)
            for (uint32_t j = runs.begin[k]; j < runs.end[k]; j += 8) {
                F8 dx = x0 - f8_load(c->x[0] + j), dy = x1 - f8_load(c->x[1] + j);
                F8 dz = x2 - f8_load(c->x[2] + j);
                F8 t = f8_fnma(f8_fma(dx, dx, f8_fma(dy, dy, dz * dz)), inverse, f8(1));
                F8 weight = f8_load(c->volume + j) * f8_max(t, f8(0));
                sum = f8_fma(f8_keep(lanes_before(j, runs.end[k]), weight), t * t, sum);
            }
        e->air[i] = f8_sum(sum);
    }
}

typedef struct Sums {
    F8 weight, approach, normal[3];
} Sums;

/* Adds eight neighbours j … j + 7 of particle i. */
SL_INLINE void add_neighbours(const WaterCloud *c, size_t i, uint32_t j, uint32_t end, Sums *sums)
{
    F8 dx = f8(c->x[0][i]) - f8_load(c->x[0] + j), dy = f8(c->x[1][i]) - f8_load(c->x[1] + j);
    F8 dz = f8(c->x[2][i]) - f8_load(c->x[2] + j);
    F8 r2 = f8_fma(dx, dx, f8_fma(dy, dy, dz * dz));
    I8 near = (r2 < f8(c->radius * c->radius)) & (r2 > f8(0)) & lanes_before(j, end);
    if (i8_bits(near) == 0)
        return;
    F8 r = f8_sqrt(f8_select(near, r2, f8(1)));
    F8 u = f8(c->v[0][i]) - f8_load(c->v[0] + j), v = f8(c->v[1][i]) - f8_load(c->v[1] + j);
    F8 w = f8(c->v[2][i]) - f8_load(c->v[2] + j);
    /* |v_ij| (1 − v̂_ij · x̂_ij): twice the velocity of two that meet, 0 for two that part. */
    F8 speed = f8_sqrt(f8_fma(u, u, f8_fma(v, v, w * w)));
    F8 approach = speed - f8_fma(u, dx, f8_fma(v, dy, w * dz)) / r;
    F8 weight = f8_load(c->volume + j) * f8_fnma(r, f8(1 / c->radius), f8(1));
    weight = f8_keep(near, weight);
    sums->weight += weight;
    sums->approach = f8_fma(weight, f8_keep(near, approach), sums->approach);
    sums->normal[0] = f8_fma(weight, f8_keep(near, dx), sums->normal[0]);
    sums->normal[1] = f8_fma(weight, f8_keep(near, dy), sums->normal[1]);
    sums->normal[2] = f8_fma(weight, f8_keep(near, dz), sums->normal[2]);
}

static void potentials(const WhitewaterEmission *e, size_t begin, size_t end)
{
    /* A mean over few neighbours would make any two drops that pass each other a source. */
    const float min_weight = 1.5f;
    const WaterCloud *c = e->cloud;
    Runs runs = {.count = -1};
    for (size_t i = begin; i < end; i++) {
        e->trapped[i] = 0;
        for (int k = 0; k < 3; k++)
            e->normal[k][i] = 0;
        if (!(e->air[i] > 0))
            continue;
        const float x[3] = {c->x[0][i], c->x[1][i], c->x[2][i]};
        find_runs(&c->grid, x, &runs);
        Sums sums = {f8(0), f8(0), {f8(0), f8(0), f8(0)}};
        for (int k = 0; k < runs.count; k++)
            for (uint32_t j = runs.begin[k]; j < runs.end[k]; j += 8)
                add_neighbours(c, i, j, runs.end[k], &sums);
        float weight = f8_sum(sums.weight);
        if (!(weight > 0))
            continue;
        e->trapped[i] = f8_sum(sums.approach) / (weight > min_weight ? weight : min_weight);
        for (int k = 0; k < 3; k++)
            e->normal[k][i] = f8_sum(sums.normal[k]) / (weight * c->radius);
    }
}

static float curvature(const WhitewaterEmission *e, size_t i)
{
    const WaterCloud *c = e->cloud;
    const float x[3] = {c->x[0][i], c->x[1][i], c->x[2][i]};
    F8 n0 = f8(e->normal[0][i]), n1 = f8(e->normal[1][i]), n2 = f8(e->normal[2][i]), sum = f8(0);
    Runs runs = {.count = -1};
    find_runs(&c->grid, x, &runs);
    for (int k = 0; k < runs.count; k++)
        for (uint32_t j = runs.begin[k]; j < runs.end[k]; j += 8) {
            F8 dx = f8_load(c->x[0] + j) - f8(x[0]), dy = f8_load(c->x[1] + j) - f8(x[1]);
            F8 dz = f8_load(c->x[2] + j) - f8(x[2]);
            F8 m0 = f8_load(e->normal[0] + j), m1 = f8_load(e->normal[1] + j);
            F8 m2 = f8_load(e->normal[2] + j);
            F8 r2 = f8_fma(dx, dx, f8_fma(dy, dy, dz * dz));
            F8 length2 = f8_fma(m0, m0, f8_fma(m1, m1, m2 * m2));
            F8 ahead = f8_fma(dx, n0, f8_fma(dy, n1, dz * n2));
            I8 near = (r2 < f8(c->radius * c->radius)) & (r2 > f8(0)) & (ahead < f8(0)) &
                      (length2 > f8(0.5f)) & lanes_before(j, runs.end[k]);
            F8 bend = f8(1) - f8_fma(m0, n0, f8_fma(m1, n1, m2 * n2));
            F8 weight = f8_load(c->volume + j) * f8_fnma(f8_sqrt(r2), f8(1 / c->radius), f8(1));
            sum += f8_keep(near, weight * bend);
        }
    return f8_sum(sum);
}

/* --- What carries diffuse particles --- */

static void probe(const WaterCloud *c, const float x[3], float sums[5])
{
    F8 inverse = f8(1 / (c->radius * c->radius)), sum[5];
    Runs runs;
    for (int k = 0; k < 5; k++)
        sum[k] = f8(0);
    find_near_runs(&c->grid, x, &runs);
    for (int k = 0; k < runs.count; k++)
        for (uint32_t j = runs.begin[k]; j < runs.end[k]; j += 8) {
            F8 dx = f8_load(c->x[0] + j) - f8(x[0]), dy = f8_load(c->x[1] + j) - f8(x[1]);
            F8 dz = f8_load(c->x[2] + j) - f8(x[2]);
            F8 t = f8_fnma(f8_fma(dx, dx, f8_fma(dy, dy, dz * dz)), inverse, f8(1));
            I8 near = (t > f8(0)) & lanes_before(j, runs.end[k]);
            if (i8_bits(near) == 0)
                continue;
            F8 volume = f8_keep(near, f8_load(c->volume + j)), weight = volume * t * t * t;
            sum[0] += volume;
            sum[1] += weight;
            sum[2] = f8_fma(weight, f8_load(c->v[0] + j), sum[2]);
            sum[3] = f8_fma(weight, f8_load(c->v[1] + j), sum[3]);
            sum[4] = f8_fma(weight, f8_load(c->v[2] + j), sum[4]);
        }
    for (int k = 0; k < 5; k++)
        sums[k] = f8_sum(sum[k]);
}

SL_KERNEL_TABLE(WhitewaterKernels, whitewater_kernels) = {.fullness = fullness,
                                                          .potentials = potentials,
                                                          .curvature = curvature,
                                                          .probe = probe};
