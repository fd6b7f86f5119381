/* Pieces of broken snow: connected components of particles that are closer than 1.5 spacings. */
#ifndef TESTS_SNOW_PIECES_H
#define TESTS_SNOW_PIECES_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct Pieces {
    size_t count;        /* of components with at least 0.1 % of the particles */
    double largest;      /* fraction of the particles in the largest one */
    double crumbs;       /* fraction of the particles in smaller components */
} Pieces;

typedef struct PieceKey {
    int32_t cell[3];
    uint32_t particle;
} PieceKey;

static inline int piece_compare(const void *a, const void *b)
{
    const PieceKey *x = a, *y = b;
    for (int k = 0; k < 3; k++)
        if (x->cell[k] != y->cell[k])
            return x->cell[k] < y->cell[k] ? -1 : 1;
    return x->particle < y->particle ? -1 : x->particle > y->particle;
}

static inline uint32_t piece_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* First entry of a cell, or the one after where it would be. */
static inline size_t piece_find(const PieceKey *keys, size_t count, const int32_t cell[3])
{
    size_t low = 0, high = count;
    PieceKey wanted = {{cell[0], cell[1], cell[2]}, 0};
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (piece_compare(&keys[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* positions: float4 each. */
static inline Pieces find_pieces(const float *positions, size_t count, double spacing)
{
    double reach = 1.5 * spacing;
    PieceKey *keys = calloc(count, sizeof *keys);
    uint32_t *parent = calloc(count, sizeof *parent), *size = calloc(count, sizeof *size);
    for (size_t i = 0; i < count; i++) {
        parent[i] = keys[i].particle = (uint32_t)i;
        for (size_t k = 0; k < 3; k++)
            keys[i].cell[k] = (int32_t)floor((double)positions[4 * i + k] / reach);
    }
    qsort(keys, count, sizeof *keys, piece_compare);
    for (size_t i = 0; i < count; i++)
        for (int n = 0; n < 27; n++) {
            const float *x = positions + 4 * (size_t)keys[i].particle;
            int32_t cell[3] = {keys[i].cell[0] + n / 9 - 1, keys[i].cell[1] + n / 3 % 3 - 1,
                               keys[i].cell[2] + n % 3 - 1};
            for (size_t j = piece_find(keys, count, cell);
                 j < count && memcmp(keys[j].cell, cell, sizeof cell) == 0; j++) {
                const float *y = positions + 4 * (size_t)keys[j].particle;
                double d2 = 0;
                for (int k = 0; k < 3; k++)
                    d2 += pow((double)x[k] - (double)y[k], 2);
                if (d2 < reach * reach)
                    parent[piece_root(parent, keys[i].particle)] =
                        piece_root(parent, keys[j].particle);
            }
        }
    Pieces pieces = {0};
    for (size_t i = 0; i < count; i++)
        size[piece_root(parent, (uint32_t)i)]++;
    for (size_t i = 0; i < count; i++) {
        double fraction = (double)size[i] / (double)count;
        pieces.largest = fmax(pieces.largest, fraction);
        pieces.count += fraction >= 1e-3;
        pieces.crumbs += fraction < 1e-3 ? fraction : 0;
    }
    free(keys);
    free(parent);
    free(size);
    return pieces;
}

#endif
