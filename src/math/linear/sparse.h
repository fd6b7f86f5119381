/* A symmetric sparse matrix, rows compressed: both triangles are stored, so that a row is all that a
   product needs. */
#ifndef MATH_LINEAR_SPARSE_H
#define MATH_LINEAR_SPARSE_H

#include <stddef.h>
#include <stdint.h>

typedef struct SlSparse {
    size_t rows;
    const uint32_t *row_begin; /* rows + 1; entries of row i are [row_begin[i], row_begin[i + 1]) */
    const uint32_t *column;    /* in any order within a row, none twice; the diagonal is there */
    const double *value;
} SlSparse;

/* Rows [begin, end) of A x, for vectors [rows][columns]. */
void sl_sparse_apply(const SlSparse *matrix, uint32_t columns, const double *x, double *y,
                     size_t begin, size_t end);
/* The entry (i, j), 0 where none is stored. */
double sl_sparse_at(const SlSparse *matrix, size_t i, size_t j);

#endif
