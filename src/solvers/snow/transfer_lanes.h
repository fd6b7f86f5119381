/* Transfer between particles and the 8 x 8 x 8 nodes of a block's tile; only for *_kernels.c.

   The weight of a node is a product of one weight w per axis; its slopes are the same product with
   one w replaced by g:
     cubic:     w is the B-spline of [Stomakhin 2013, section 4], g its derivative, so that the
                products with g are grad w.
     quadratic: g = w (x_i - x_p) 4/h², which replaces the gradient in MLS-MPM [Hu 2018] and carries
                the affine velocity of APIC [Jiang 2015]. With cubic kernels that is m = w d, d the
                distance x_i - x_p in cells.
   A node is a float4 record; eight floats are two nodes adjacent along z. Where momentum and impulse
   are summed apart they are two records of one node. */
#ifndef SOLVERS_SNOW_TRANSFER_LANES_H
#define SOLVERS_SNOW_TRANSFER_LANES_H

#include "core/simd.h"
#include "solvers/snow/blocks.h"

enum {
    TILE_EDGE = 2 * SL_SNOW_EDGE,
    TILE_FLOATS = 4 * TILE_EDGE * TILE_EDGE * TILE_EDGE,
    TILE_Y = 4 * TILE_EDGE, /* floats from a node to the next along y, along x */
    TILE_X = 4 * TILE_EDGE * TILE_EDGE
};

/* Of eight particles: [axis][node][particle]. */
typedef struct Weights {
    float w[3][4][8], g[3][4][8];
    float m[3][4][8]; /* cubic: set by find_moments */
    int32_t base[8]; /* floats from the begin of the tile to a particle's first node */
} Weights;

/* Up to eight particles of one block. Lanes beyond `count` repeat the last particle: the next
   entries of the order belong to another block, whose thread may be writing them. */
typedef struct Group {
    uint32_t at[8]; /* indices into the fields, ascending: the sort is stable */
    size_t count;
    bool contiguous; /* eight consecutive indices */
} Group;

/* Entries [first, min(first + 8, end)) of the order; NULL: the fields themselves are in order. */
SL_INLINE Group group_at(const uint32_t *order, size_t first, size_t end)
{
    Group g = {.count = end - first < 8 ? end - first : 8};
    for (size_t k = 0; k < 8; k++) {
        size_t entry = first + (k < g.count ? k : g.count - 1);
        g.at[k] = order != NULL ? order[entry] : (uint32_t)entry;
    }
    g.contiguous = g.count == 8 && g.at[7] - g.at[0] == 7;
    return g;
}

SL_INLINE F8 get_floats(const float *field, Group g)
{
    if (g.contiguous)
        return f8_load(field + g.at[0]);
    F8 a;
    for (int k = 0; k < 8; k++)
        a[k] = field[g.at[k]];
    return a;
}

SL_INLINE F8x4 get_records(const float *field, Group g)
{
    if (g.contiguous)
        return f8x4_load(field + 4 * (size_t)g.at[0]);
    return f8x4_gather(field, g.at);
}

/* Writes the first `count` lanes only. */
SL_INLINE void put_floats(float *field, Group g, F8 from)
{
    if (g.contiguous) {
        f8_store(field + g.at[0], from);
        return;
    }
    for (size_t k = 0; k < g.count; k++)
        field[g.at[k]] = from[k];
}

/* Eight float4 records. */
typedef struct Records {
    float at[8][4];
} Records;

SL_INLINE void put_records(float *field, Group g, const Records *from)
{
    if (g.contiguous) {
        memcpy(field + 4 * (size_t)g.at[0], from, sizeof *from);
        return;
    }
    for (size_t k = 0; k < g.count; k++)
        memcpy(field + 4 * (size_t)g.at[k], from->at[k], sizeof from->at[k]);
}

SL_INLINE I8 cell_of(F8 position, F8 inverse_cell)
{
    F8 scaled = position * inverse_cell;
    I8 truncated = i8_from_f8(scaled);
    return truncated + (I8)(f8_from_i8(truncated) > scaled);
}

SL_INLINE void store_weights(Weights *out, int axis, const F8 *w, const F8 *g, int nodes)
{
    for (int k = 0; k < nodes; k++) {
        f8_store(out->w[axis][k], w[k]);
        f8_store(out->g[axis][k], g[k]);
    }
    for (int k = nodes; k < 4; k++) {
        f8_store(out->w[axis][k], f8(0));
        f8_store(out->g[axis][k], f8(0));
    }
}

/* d in [1/2, 3/2): from the first node to the particle, in cells. */
SL_INLINE void quadratic_weights(Weights *out, int axis, F8 d, F8 inverse_cell)
{
    F8 a = f8(1.5f) - d, b = d - f8(1), c = d - f8(0.5f);
    F8 w[3] = {f8(0.5f) * a * a, f8(0.75f) - b * b, f8(0.5f) * c * c}, g[3];
    for (int k = 0; k < 3; k++)
        g[k] = f8(4) * inverse_cell * w[k] * (f8((float)k) - d);
    store_weights(out, axis, w, g, 3);
}

/* f in [0, 1): from the second of four nodes. */
SL_INLINE void cubic_weights(Weights *out, int axis, F8 f, F8 inverse_cell)
{
    F8 r = f8(1) - f, f2 = f * f, r2 = r * r, sixth = f8(1.0f / 6);
    F8 w[4] = {sixth * r2 * r, f8_fma(f8(0.5f) * f2, f - f8(2), f8(2.0f / 3)),
               f8_fma(f8(0.5f) * r2, r - f8(2), f8(2.0f / 3)), sixth * f2 * f};
    F8 half = f8(0.5f) * inverse_cell;
    F8 g[4] = {(f8(0) - half) * r2, half * f * f8_fma(f8(3), f, f8(-4)),
               half * r * f8_fma(f8(-3), r, f8(4)), half * f2};
    store_weights(out, axis, w, g, 4);
}

/* The first node along an axis with a weight for the particle. */
SL_INLINE I8 base_of(const SlSnowLattice *lattice, F8 position, F8 fraction, bool cubic)
{
    I8 cell = cell_of(position, f8(lattice->inverse_cell));
    return cubic ? cell - 1 : cell + (fraction < f8(0.5f));
}

SL_INLINE void find_weights(const SlSnowLattice *lattice, SlBlockCoord block, const float *position,
                            const float *fraction, Group group, bool cubic, Weights *out)
{
    F8x4 x = get_records(position, group), f = get_records(fraction, group);
    F8 inverse = f8(lattice->inverse_cell);
    const F8 *at = &x.x, *in = &f.x;
    const int32_t first[3] = {4 * block.x, 4 * block.y, 4 * block.z};
    I8 base = (I8)f8(0);
    for (int axis = 0; axis < 3; axis++) {
        I8 node = base_of(lattice, at[axis], in[axis], cubic);
        if (cubic)
            cubic_weights(out, axis, in[axis], inverse);
        else
            quadratic_weights(out, axis, in[axis] + f8_keep(in[axis] < f8(0.5f), f8(1)), inverse);
        base = base * TILE_EDGE + (node - first[axis]);
    }
    base *= 4;
    memcpy(out->base, &base, sizeof base);
}

/* Cubic: w times the distance from the particle to the node, in cells. */
SL_INLINE void find_moments(const float *fraction, Group group, Weights *out)
{
    F8x4 f = get_records(fraction, group);
    const F8 *in = &f.x;
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < 4; k++)
            f8_store(out->m[axis][k], f8_load(out->w[axis][k]) * (f8((float)(k - 1)) - in[axis]));
}

/* Two float4 records in one vector. */
SL_INLINE F8 f8_records(const float *low, const float *high)
{
#ifdef __AVX2__
    return (F8)pair_of_records_(low, high);
#else
    return (F8){low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]};
#endif
}

/* The first records of a and b, and the second ones. */
SL_INLINE F8 f8_first_records(F8 a, F8 b)
{
#ifdef __AVX2__
    return (F8)_mm256_permute2f128_ps((__m256)a, (__m256)b, 0x20);
#else
    return (F8){a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]};
#endif
}

SL_INLINE F8 f8_second_records(F8 a, F8 b)
{
#ifdef __AVX2__
    return (F8)_mm256_permute2f128_ps((__m256)a, (__m256)b, 0x31);
#else
    return (F8){a[4], a[5], a[6], a[7], b[4], b[5], b[6], b[7]};
#endif
}

/* The nodes of one particle: `nodes` along each axis. */
typedef struct Stencil {
    const Weights *weights;
    size_t j; /* the particle's lane */
    int nodes;
} Stencil;

/* Along z: the weights of two pairs of nodes. */
typedef struct Pairs {
    F8 w[2], g[2];
} Pairs;

SL_INLINE Pairs pairs_of(Stencil at)
{
    const Weights *s = at.weights;
    Pairs p;
    for (int k = 0; k < 2; k++) {
        p.w[k] = f8_halves(s->w[2][2 * k][at.j], s->w[2][2 * k + 1][at.j]);
        p.g[k] = f8_halves(s->g[2][2 * k][at.j], s->g[2][2 * k + 1][at.j]);
    }
    return p;
}

/* Sums over nodes are nested by axis, so that what depends on x alone, or on x and y, is multiplied
   once: 7 operations for a row of nodes instead of 14, for eight sums 11 instead of 19. */

/* Adds value w + slope · g to the particle's nodes. */
SL_INLINE void scatter(float *tile, Stencil at, F8 value, const F8 slope[3])
{
    const Weights *s = at.weights;
    size_t j = at.j;
    Pairs z = pairs_of(at);
    F8 steep[2] = {slope[2] * z.g[0], slope[2] * z.g[1]};
    for (int a = 0; a < at.nodes; a++) {
        F8 wx = f8(s->w[0][a][j]), across = slope[1] * wx;
        F8 along = f8_fma(slope[0], f8(s->g[0][a][j]), value * wx);
        for (int b = 0; b < at.nodes; b++) {
            F8 wy = f8(s->w[1][b][j]), ww = wx * wy;
            F8 flat = f8_fma(along, wy, across * f8(s->g[1][b][j]));
            float *row = tile + s->base[j] + a * TILE_X + b * TILE_Y;
            for (int k = 0; k < 2; k++)
                f8_store(row + 8 * k,
                         f8_fma(flat, z.w[k], f8_fma(ww, steep[k], f8_load(row + 8 * k))));
        }
    }
}

/* Of a node of a tile with two records per node: m for the first, g for the second; of a quadratic
   kernel g for both. */
SL_INLINE F8 slope_weights(Stencil at, int axis, int k)
{
    float g = at.weights->g[axis][k][at.j];
    return at.nodes == 4 ? f8_halves(at.weights->m[axis][k][at.j], g) : f8(g);
}

/* Two sums at once, in a tile with two records per node: value w + slope · m to the first (of a
   quadratic kernel value w + slope · g) and slope · g to the second; `slope` has a record for each. */
SL_INLINE void scatter_both(float *tile, Stencil at, F8 value, const F8 slope[3])
{
    const Weights *s = at.weights;
    size_t j = at.j;
    F8 steep[4], wz[4], gy[4];
    for (int k = 0; k < at.nodes; k++) {
        wz[k] = f8(s->w[2][k][j]);
        steep[k] = slope[2] * slope_weights(at, 2, k);
        gy[k] = slope_weights(at, 1, k);
    }
    for (int a = 0; a < at.nodes; a++) {
        F8 wx = f8(s->w[0][a][j]), across = slope[1] * wx;
        F8 along = f8_fma(slope[0], slope_weights(at, 0, a), value * wx);
        for (int b = 0; b < at.nodes; b++) {
            F8 wy = f8(s->w[1][b][j]), ww = wx * wy;
            F8 flat = f8_fma(along, wy, across * gy[b]);
            float *row = tile + 2 * (s->base[j] + a * TILE_X + b * TILE_Y);
            for (int k = 0; k < at.nodes; k++)
                f8_store(row + 8 * k,
                         f8_fma(flat, wz[k], f8_fma(ww, steep[k], f8_load(row + 8 * k))));
        }
    }
}

/* Sums over the particle's nodes times w, and times g along x, y and z, each a float4. */
SL_INLINE void gather(const float *tile, Stencil at, float *value, float *const slope[3])
{
    const Weights *s = at.weights;
    size_t j = at.j;
    Pairs z = pairs_of(at);
    F8 v = f8(0), x = f8(0), y = f8(0), up = f8(0);
    for (int a = 0; a < at.nodes; a++) {
        F8 plane = f8(0), across = f8(0), steep = f8(0);
        for (int b = 0; b < at.nodes; b++) {
            F8 wy = f8(s->w[1][b][j]), gy = f8(s->g[1][b][j]);
            const float *row = tile + s->base[j] + a * TILE_X + b * TILE_Y;
            F8 low = f8_load(row), high = f8_load(row + 8);
            F8 by_w = f8_fma(low, z.w[0], high * z.w[1]);
            F8 by_g = f8_fma(low, z.g[0], high * z.g[1]);
            plane = f8_fma(by_w, wy, plane);
            across = f8_fma(by_w, gy, across);
            steep = f8_fma(by_g, wy, steep);
        }
        F8 wx = f8(s->w[0][a][j]);
        v = f8_fma(plane, wx, v);
        x = f8_fma(plane, f8(s->g[0][a][j]), x);
        y = f8_fma(across, wx, y);
        up = f8_fma(steep, wx, up);
    }
    f8_fold(value, v);
    f8_fold(slope[0], x);
    f8_fold(slope[1], y);
    f8_fold(slope[2], up);
}

/* The sum over the particle's nodes times w only. */
SL_INLINE void gather_value(const float *tile, Stencil at, float *value)
{
    const Weights *s = at.weights;
    size_t j = at.j;
    Pairs z = pairs_of(at);
    F8 v = f8(0);
    for (int a = 0; a < at.nodes; a++) {
        F8 plane = f8(0);
        for (int b = 0; b < at.nodes; b++) {
            const float *row = tile + s->base[j] + a * TILE_X + b * TILE_Y;
            F8 by_w = f8_fma(f8_load(row), z.w[0], f8_load(row + 8) * z.w[1]);
            plane = f8_fma(by_w, f8(s->w[1][b][j]), plane);
        }
        v = f8_fma(plane, f8(s->w[0][a][j]), v);
    }
    f8_fold(value, v);
}

/* Visits the rows of four nodes along z: in the tile, and in block r of its eight. */
#define FOR_TILE_ROWS_(r, x, y, in_tile, in_block)                                                 \
    for (int r = 0; r < 8; r++)                                                                    \
        for (int x = 0; x < SL_SNOW_EDGE; x++)                                                     \
            for (int y = 0,                                                                        \
                     in_tile = ((r >> 2) * SL_SNOW_EDGE + x) * TILE_X +                            \
                               (r >> 1 & 1) * SL_SNOW_EDGE * TILE_Y + (r & 1) * 4 * SL_SNOW_EDGE,  \
                     in_block = 16 * SL_SNOW_EDGE * x;                                             \
                 y < SL_SNOW_EDGE; y++, in_tile += TILE_Y, in_block += 16)

SL_INLINE void add_tile(float *nodes, const uint32_t reach[8], const float *tile)
{
    FOR_TILE_ROWS_(r, x, y, in_tile, in_block)
    {
        float *to = nodes + (size_t)reach[r] * SL_SNOW_BLOCK_FLOATS + in_block;
        f8_store(to, f8_load(to) + f8_load(tile + in_tile));
        f8_store(to + 8, f8_load(to + 8) + f8_load(tile + in_tile + 8));
    }
}

/* Of a tile with two records per node. */
SL_INLINE void add_tile_of_both(float *first, float *second, const uint32_t reach[8],
                                const float *tile)
{
    FOR_TILE_ROWS_(r, x, y, in_tile, in_block)
    {
        size_t at = (size_t)reach[r] * SL_SNOW_BLOCK_FLOATS + (size_t)in_block;
        for (int k = 0; k < 2; k++) {
            const float *pair = tile + 2 * in_tile + 16 * k;
            F8 a = f8_load(pair), b = f8_load(pair + 8);
            float *one = first + at + 8 * k, *other = second + at + 8 * k;
            f8_store(one, f8_load(one) + f8_first_records(a, b));
            f8_store(other, f8_load(other) + f8_second_records(a, b));
        }
    }
}

SL_INLINE void load_tile(const float *nodes, const uint32_t reach[8], float *tile)
{
    FOR_TILE_ROWS_(r, x, y, in_tile, in_block)
    memcpy(tile + in_tile, nodes + (size_t)reach[r] * SL_SNOW_BLOCK_FLOATS + in_block,
           16 * sizeof(float));
}

#endif
