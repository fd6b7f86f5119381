#include "bench/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool reference_create(Reference *reference, const float *records, size_t count, SlKernelKind kind,
                  double spacing, double support)
{
    SlLatticeSums sums = sl_lattice_sums(kind, support / spacing);
    *reference = (Reference){.count = count,
                     .kind = kind,
                     .spacing = spacing,
                     .support = support,
                     .lattice_density = sums.density,
                     .lattice_squares = sums.gradient_squared};
    reference->x = calloc(3 * count + 1, sizeof(double));
    reference->density = calloc(count + 1, sizeof(double));
    reference->lambda = calloc(count + 1, sizeof(double));
    reference->move = calloc(3 * count + 1, sizeof(double));
    reference->order = calloc(count + 1, sizeof(uint32_t));
    if (reference->x == NULL || reference->density == NULL || reference->lambda == NULL ||
        reference->move == NULL || reference->order == NULL) {
        reference_destroy(reference);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            reference->x[3 * i + (size_t)k] = (double)records[4 * i + (size_t)k];
    return true;
}

void reference_destroy(Reference *reference)
{
    free(reference->x);
    free(reference->density);
    free(reference->lambda);
    free(reference->move);
    free(reference->start);
    free(reference->order);
    memset(reference, 0, sizeof *reference);
}

static size_t cell_along(const Reference *reference, double x, int axis)
{
    return (size_t)((x - reference->low[axis]) / reference->support);
}

static size_t cell_of(const Reference *reference, const double *x)
{
    return (cell_along(reference, x[2], 2) * reference->cells[1] + cell_along(reference, x[1], 1)) *
               reference->cells[0] +
           cell_along(reference, x[0], 0);
}

bool reference_bin(Reference *reference)
{
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++)
        reference->low[k] = INFINITY;
    for (size_t i = 0; i < reference->count; i++)
        for (int k = 0; k < 3; k++) {
            reference->low[k] = fmin(reference->low[k], reference->x[3 * i + (size_t)k]);
            high[k] = fmax(high[k], reference->x[3 * i + (size_t)k]);
        }
    for (int k = 0; k < 3; k++)
        reference->cells[k] = (size_t)((high[k] - reference->low[k]) / reference->support) + 1;
    size_t cells = reference->cells[0] * reference->cells[1] * reference->cells[2];
    free(reference->start);
    reference->start = calloc(cells + 2, sizeof(uint32_t));
    if (reference->start == NULL)
        return false;
    for (size_t i = 0; i < reference->count; i++)
        reference->start[cell_of(reference, reference->x + 3 * i) + 2]++;
    for (size_t c = 2; c < cells + 2; c++)
        reference->start[c] += reference->start[c - 1];
    for (size_t i = 0; i < reference->count; i++)
        reference->order[reference->start[cell_of(reference, reference->x + 3 * i) + 1]++] = (uint32_t)i;
    return true;
}

typedef void (*PairFunction)(const Reference *reference, size_t i, size_t j, const double u[3], double r,
                             double *sums);

/* Calls the function for every neighbour of i within the support. */
static void for_neighbours(const Reference *reference, size_t i, PairFunction function, double *sums)
{
    const double *xi = reference->x + 3 * i;
    long at[3];
    for (int k = 0; k < 3; k++)
        at[k] = (long)cell_along(reference, xi[k], k);
    for (long z = at[2] - 1; z <= at[2] + 1; z++)
        for (long y = at[1] - 1; y <= at[1] + 1; y++)
            for (long x = at[0] - 1; x <= at[0] + 1; x++) {
                if (x < 0 || y < 0 || z < 0 || x >= (long)reference->cells[0] ||
                    y >= (long)reference->cells[1] || z >= (long)reference->cells[2])
                    continue;
                size_t cell = ((size_t)z * reference->cells[1] + (size_t)y) * reference->cells[0] +
                              (size_t)x;
                for (uint32_t p = reference->start[cell]; p < reference->start[cell + 1]; p++) {
                    size_t j = reference->order[p];
                    const double *xj = reference->x + 3 * j;
                    double u[3] = {xi[0] - xj[0], xi[1] - xj[1], xi[2] - xj[2]};
                    double r = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
                    if (j != i && r < reference->support)
                        function(reference, i, j, u, r, sums);
                }
            }
}

static void count_pair(const Reference *reference, size_t i, size_t j, const double u[3], double r,
                       double *sums)
{
    (void)reference, (void)i, (void)j, (void)u, (void)r;
    sums[0]++;
}

uint64_t reference_count_pairs(const Reference *reference)
{
    double pairs = 0;
    for (size_t i = 0; i < reference->count; i++)
        for_neighbours(reference, i, count_pair, &pairs);
    return (uint64_t)pairs;
}

static double volume_of(const Reference *reference)
{
    return reference->spacing * reference->spacing * reference->spacing / reference->lattice_density;
}

/* sums: density, gradient of self (3), sum of squares of the others' gradients. */
static void add_density(const Reference *reference, size_t i, size_t j, const double u[3], double r,
                        double *sums)
{
    (void)i, (void)j;
    double slope = volume_of(reference) * sl_kernel_slope(reference->kind, r, reference->support);
    sums[0] += volume_of(reference) * sl_kernel_value(reference->kind, r, reference->support);
    for (int k = 0; k < 3; k++)
        sums[1 + k] += slope * u[k];
    sums[4] += slope * slope * r * r;
}

void reference_lambda(Reference *reference, double damping, bool equality)
{
    double epsilon = damping * reference->lattice_squares / (reference->spacing * reference->spacing);
    for (size_t i = 0; i < reference->count; i++) {
        double sums[5] = {volume_of(reference) * sl_kernel_value(reference->kind, 0, reference->support)};
        for_neighbours(reference, i, add_density, sums);
        reference->density[i] = sums[0];
        double c = equality ? sums[0] - 1 : fmax(sums[0] - 1, 0);
        double squares = sums[1] * sums[1] + sums[2] * sums[2] + sums[3] * sums[3] + sums[4];
        reference->lambda[i] = -c / (squares + epsilon);
    }
}

static void add_move(const Reference *reference, size_t i, size_t j, const double u[3], double r,
                     double *sums)
{
    double slope = volume_of(reference) * sl_kernel_slope(reference->kind, r, reference->support);
    for (int k = 0; k < 3; k++)
        sums[k] += (reference->lambda[i] + reference->lambda[j]) * slope * u[k];
}

void reference_displace(Reference *reference)
{
    for (size_t i = 0; i < reference->count; i++) {
        double sums[3] = {0, 0, 0};
        for_neighbours(reference, i, add_move, sums);
        memcpy(reference->move + 3 * i, sums, sizeof sums);
    }
}
