#include "bench/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool reference_create(Plain *plain, const float *records, size_t count, SlKernelKind kind,
                  double spacing, double support)
{
    SlLatticeSums sums = sl_lattice_sums(kind, support / spacing);
    *plain = (Plain){.count = count,
                     .kind = kind,
                     .spacing = spacing,
                     .support = support,
                     .lattice_density = sums.density,
                     .lattice_squares = sums.gradient_squared};
    plain->x = calloc(3 * count + 1, sizeof(double));
    plain->density = calloc(count + 1, sizeof(double));
    plain->lambda = calloc(count + 1, sizeof(double));
    plain->move = calloc(3 * count + 1, sizeof(double));
    plain->order = calloc(count + 1, sizeof(uint32_t));
    if (plain->x == NULL || plain->density == NULL || plain->lambda == NULL ||
        plain->move == NULL || plain->order == NULL) {
        reference_destroy(plain);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            plain->x[3 * i + (size_t)k] = (double)records[4 * i + (size_t)k];
    return true;
}

void reference_destroy(Plain *plain)
{
    free(plain->x);
    free(plain->density);
    free(plain->lambda);
    free(plain->move);
    free(plain->start);
    free(plain->order);
    memset(plain, 0, sizeof *plain);
}

static size_t cell_along(const Plain *plain, double x, int axis)
{
    return (size_t)((x - plain->low[axis]) / plain->support);
}

static size_t cell_of(const Plain *plain, const double *x)
{
    return (cell_along(plain, x[2], 2) * plain->cells[1] + cell_along(plain, x[1], 1)) *
               plain->cells[0] +
           cell_along(plain, x[0], 0);
}

bool reference_bin(Plain *plain)
{
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++)
        plain->low[k] = INFINITY;
    for (size_t i = 0; i < plain->count; i++)
        for (int k = 0; k < 3; k++) {
            plain->low[k] = fmin(plain->low[k], plain->x[3 * i + (size_t)k]);
            high[k] = fmax(high[k], plain->x[3 * i + (size_t)k]);
        }
    for (int k = 0; k < 3; k++)
        plain->cells[k] = (size_t)((high[k] - plain->low[k]) / plain->support) + 1;
    size_t cells = plain->cells[0] * plain->cells[1] * plain->cells[2];
    free(plain->start);
    plain->start = calloc(cells + 2, sizeof(uint32_t));
    if (plain->start == NULL)
        return false;
    for (size_t i = 0; i < plain->count; i++)
        plain->start[cell_of(plain, plain->x + 3 * i) + 2]++;
    for (size_t c = 2; c < cells + 2; c++)
        plain->start[c] += plain->start[c - 1];
    for (size_t i = 0; i < plain->count; i++)
        plain->order[plain->start[cell_of(plain, plain->x + 3 * i) + 1]++] = (uint32_t)i;
    return true;
}

typedef void (*PairFunction)(const Plain *plain, size_t i, size_t j, const double u[3], double r,
                             double *sums);

/* Calls the function for every neighbour of i within the support. */
static void for_neighbours(const Plain *plain, size_t i, PairFunction function, double *sums)
{
    const double *xi = plain->x + 3 * i;
    long at[3];
    for (int k = 0; k < 3; k++)
        at[k] = (long)cell_along(plain, xi[k], k);
    for (long z = at[2] - 1; z <= at[2] + 1; z++)
        for (long y = at[1] - 1; y <= at[1] + 1; y++)
            for (long x = at[0] - 1; x <= at[0] + 1; x++) {
                if (x < 0 || y < 0 || z < 0 || x >= (long)plain->cells[0] ||
                    y >= (long)plain->cells[1] || z >= (long)plain->cells[2])
                    continue;
                size_t cell = ((size_t)z * plain->cells[1] + (size_t)y) * plain->cells[0] +
                              (size_t)x;
                for (uint32_t p = plain->start[cell]; p < plain->start[cell + 1]; p++) {
                    size_t j = plain->order[p];
                    const double *xj = plain->x + 3 * j;
                    double u[3] = {xi[0] - xj[0], xi[1] - xj[1], xi[2] - xj[2]};
                    double r = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
                    if (j != i && r < plain->support)
                        function(plain, i, j, u, r, sums);
                }
            }
}

static void count_pair(const Plain *plain, size_t i, size_t j, const double u[3], double r,
                       double *sums)
{
    (void)plain, (void)i, (void)j, (void)u, (void)r;
    sums[0]++;
}

uint64_t reference_count_pairs(const Plain *plain)
{
    double pairs = 0;
    for (size_t i = 0; i < plain->count; i++)
        for_neighbours(plain, i, count_pair, &pairs);
    return (uint64_t)pairs;
}

static double volume_of(const Plain *plain)
{
    return plain->spacing * plain->spacing * plain->spacing / plain->lattice_density;
}

/* sums: density, gradient of self (3), sum of squares of the others' gradients. */
static void add_density(const Plain *plain, size_t i, size_t j, const double u[3], double r,
                        double *sums)
{
    (void)i, (void)j;
    double slope = volume_of(plain) * sl_kernel_slope(plain->kind, r, plain->support);
    sums[0] += volume_of(plain) * sl_kernel_value(plain->kind, r, plain->support);
    for (int k = 0; k < 3; k++)
        sums[1 + k] += slope * u[k];
    sums[4] += slope * slope * r * r;
}

void reference_lambda(Plain *plain, double damping, bool equality)
{
    double epsilon = damping * plain->lattice_squares / (plain->spacing * plain->spacing);
    for (size_t i = 0; i < plain->count; i++) {
        double sums[5] = {volume_of(plain) * sl_kernel_value(plain->kind, 0, plain->support)};
        for_neighbours(plain, i, add_density, sums);
        plain->density[i] = sums[0];
        double c = equality ? sums[0] - 1 : fmax(sums[0] - 1, 0);
        double squares = sums[1] * sums[1] + sums[2] * sums[2] + sums[3] * sums[3] + sums[4];
        plain->lambda[i] = -c / (squares + epsilon);
    }
}

static void add_move(const Plain *plain, size_t i, size_t j, const double u[3], double r,
                     double *sums)
{
    double slope = volume_of(plain) * sl_kernel_slope(plain->kind, r, plain->support);
    for (int k = 0; k < 3; k++)
        sums[k] += (plain->lambda[i] + plain->lambda[j]) * slope * u[k];
}

void reference_displace(Plain *plain)
{
    for (size_t i = 0; i < plain->count; i++) {
        double sums[3] = {0, 0, 0};
        for_neighbours(plain, i, add_move, sums);
        memcpy(plain->move + 3 * i, sums, sizeof sums);
    }
}
