/* The operator of the semi-implicit solve [Stomakhin 2013, section 6.1], eight particles at a time:
   the second derivative of the energy in the principal frame of each particle's strain. */
#include "solvers/snow/group_lanes.h"

/* Column k of U and s_k - 1 in slope[k]. */
SL_INLINE void put_frame(const SlSnowPass *p, Group g, const F8 values[3], const Mat *U)
{
    for (int k = 0; k < 3; k++) {
        Records out;
        f8x4_store(out.at[0],
                   (F8x4){U->m[0][k], U->m[1][k], U->m[2][k], stretch_less_one(values[k])});
        put_records(p->fields.slope[k], g, &out);
    }
}

static void block_frames(const SlSnowPass *p, uint32_t block)
{
    size_t end = p->blocks->start[block + 1];
    for (size_t i = p->blocks->start[block]; i < end; i += 16) {
        Group first = group_at(p->blocks->order, i, end);
        F8 values[2][3];
        Mat U[2];
        if (end - i <= 8) {
            Sym e = strain_at(p, first);
            eigen(&e, 1, values, U);
            put_frame(p, first, values[0], &U[0]);
            continue;
        }
        Group next = group_at(p->blocks->order, i + 8, end);
        Sym e[2] = {strain_at(p, first), strain_at(p, next)};
        eigen(e, 2, values, U);
        put_frame(p, first, values[0], &U[0]);
        put_frame(p, next, values[1], &U[1]);
    }
}

/* [Stomakhin 2013 eq. 7 and 8] in the principal frame, where V of the singular value decomposition
   is not needed: from the gradient of u to V0 A F_E^T. */
SL_INLINE void hessian_of(const SlSnowPass *p, Group g, const Records gradient[3], Records slope[3])
{
    F8x4 l[3], u[3];
    Mat U, D;
    F8 s[3], s1[3];
    for (int k = 0; k < 3; k++) {
        l[k] = f8x4_load(gradient[k].at[0]);
        u[k] = get_records(p->fields.slope[k], g);
        U.m[0][k] = u[k].x;
        U.m[1][k] = u[k].y;
        U.m[2][k] = u[k].z;
        s1[k] = u[k].w;
        s[k] = f8(1) + s1[k];
    }
    /* D = U^T L U Sigma; column b of L is l[b] */
    Mat LU;
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++) {
            const F8 *l0 = &l[0].x, *l1 = &l[1].x, *l2 = &l[2].x;
            LU.m[a][k] = f8_fma(l0[a], U.m[0][k], f8_fma(l1[a], U.m[1][k], l2[a] * U.m[2][k]));
        }
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            D.m[a][b] = s[b] * f8_fma(U.m[0][a], LU.m[0][b],
                                      f8_fma(U.m[1][a], LU.m[1][b], U.m[2][a] * LU.m[2][b]));
    Material material = material_at(p, g, variation_at(p, g));
    F8 hard = hardened(&material, get_floats(p->fields.plastic, g));
    hard *= f8(p->implicit) * get_floats(p->fields.volume, g);
    F8 mu2 = (material.mu + material.mu) * hard, lambda = material.lambda * hard;
    F8 c[3] = {s[1] * s[2], s[2] * s[0], s[0] * s[1]};
    /* J - 1 without cancelling: s1 = s - 1 */
    F8 less = s1[0] + f8_fma(s[0], s1[1], s[0] * s[1] * s1[2]);
    F8 trace = lambda * f8_fma(c[0], D.m[0][0], f8_fma(c[1], D.m[1][1], c[2] * D.m[2][2]));
    F8 lambda_less = lambda * less;
    Mat A; /* A Sigma */
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, k = (a + 2) % 3;
        F8 diagonal = f8_fma(mu2, D.m[a][a], trace * c[a]) +
                      lambda_less * f8_fma(s[k], D.m[b][b], s[b] * D.m[k][k]);
        A.m[a][a] = diagonal * s[a];
        F8 rotation = (D.m[a][b] - D.m[b][a]) / (s[a] + s[b]);
        A.m[a][b] = (mu2 * (D.m[a][b] - rotation) - lambda_less * s[k] * D.m[b][a]) * s[b];
        A.m[b][a] = (mu2 * (D.m[b][a] + rotation) - lambda_less * s[k] * D.m[a][b]) * s[a];
    }
    Mat UA;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            UA.m[a][b] =
                f8_fma(U.m[a][0], A.m[0][b], f8_fma(U.m[a][1], A.m[1][b], U.m[a][2] * A.m[2][b]));
    for (int b = 0; b < 3; b++) {
#define ENTRY_(a)                                                                                  \
    f8_fma(UA.m[a][0], U.m[b][0], f8_fma(UA.m[a][1], U.m[b][1], UA.m[a][2] * U.m[b][2]))
        f8x4_store(slope[b].at[0], (F8x4){ENTRY_(0), ENTRY_(1), ENTRY_(2), f8(0)});
#undef ENTRY_
    }
}

SL_INLINE void block_hessian(const SlSnowPass *p, uint32_t block, const SlSnowBlockLoop *d,
                             bool cubic, int nodes)
{
    const SlSnowBlocks *blocks = p->blocks;
    _Alignas(32) float tile[TILE_FLOATS], sum[TILE_FLOATS];
    load_tile(blocks->layer[d->from], blocks->reach[block], tile);
    memset(sum, 0, sizeof sum);
    SlBlockCoord coord = sl_snow_block_of(blocks, block);
    size_t end = blocks->start[block + 1];
    for (size_t i = blocks->start[block]; i < end; i += 8) {
        Group g = group_at(blocks->order, i, end);
        Weights weights;
        find_weights(&p->lattice, coord, p->fields.position, p->fields.fraction, g, cubic,
                     &weights);
        Records value, gradient[3], slope[3];
        memset(gradient, 0, sizeof gradient);
        for (size_t j = 0; j < g.count; j++) {
            float *const out[3] = {gradient[0].at[j], gradient[1].at[j], gradient[2].at[j]};
            gather(tile, (Stencil){&weights, j, nodes}, value.at[j], out);
        }
        hessian_of(p, g, gradient, slope);
        for (size_t j = 0; j < g.count; j++)
            scatter_record(sum, (Stencil){&weights, j, nodes}, f8(0), slope);
    }
    add_tile(blocks->layer[d->to], blocks->reach[block], sum);
}

BLOCK_LOOP_(principal_frames, block_frames(p, block))
BLOCK_LOOP_(mls_hessian, block_hessian(p, block, d, false, 3))
BLOCK_LOOP_(flip_hessian, block_hessian(p, block, d, true, 4))

SL_KERNEL_TABLE(SlSnowImplicitKernels, sl_snow_implicit_kernels) = {
    .principal_frames = principal_frames,
    .apply_hessian = {[SL_SNOW_MLS] = mls_hessian, [SL_SNOW_FLIP] = flip_hessian},
};
