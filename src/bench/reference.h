/* The reference implementation of the fluid's passes: double precision, cells walked one neighbour at a time,
   written from the equations. Tests hold the fast passes against it; `bench passes` shows what
   they gain. */
#ifndef BENCH_REFERENCE_H
#define BENCH_REFERENCE_H

#include "math/kernel.h"
#include "sleet/base.h"

typedef struct Reference {
    size_t count;
    SlKernelKind kind;
    double spacing, support; /* m */
    double lattice_density, lattice_squares; /* of the kernel's lattice, spacing 1 */
    double *x;               /* 3 per particle */
    double *density, *lambda;
    double *move;            /* 3 per particle */
    uint32_t *start, *order; /* particles by cell, stable */
    double low[3];
    size_t cells[3];
} Reference;

/* Takes float4 records; false when memory is out. */
bool reference_create(Reference *reference, const float *records, size_t count, SlKernelKind kind,
                  double spacing, double support);
void reference_destroy(Reference *reference);
/* Bins particles into cells as wide as the support. */
bool reference_bin(Reference *reference);
/* Pairs within the support, self excluded. */
uint64_t reference_count_pairs(const Reference *reference);
/* Eq. 4 to 6, damping as a multiple of the lattice's sum. */
void reference_lambda(Reference *reference, double damping, bool equality);
/* Eq. 7, without relaxation and cap. */
void reference_displace(Reference *reference);

#endif
