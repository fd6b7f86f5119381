#include "math/sparse.h"

void sl_sparse_apply(const SlSparse *matrix, uint32_t columns, const double *x, double *y,
                     size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++) {
        double *sum = y + columns * i;
        for (uint32_t a = 0; a < columns; a++)
            sum[a] = 0;
        for (uint32_t e = matrix->row_begin[i]; e < matrix->row_begin[i + 1]; e++) {
            const double *at = x + (size_t)columns * matrix->column[e];
            for (uint32_t a = 0; a < columns; a++)
                sum[a] += matrix->value[e] * at[a];
        }
    }
}

double sl_sparse_at(const SlSparse *matrix, size_t i, size_t j)
{
    for (uint32_t e = matrix->row_begin[i]; e < matrix->row_begin[i + 1]; e++)
        if (matrix->column[e] == j)
            return matrix->value[e];
    return 0;
}
