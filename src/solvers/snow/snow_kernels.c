/* Particles to grid and back (document 001 §4.1), eight particles at a time through the material,
   one at a time through the tile. */
#include "solvers/snow/snow_kernels.h"

#include "math/vec3.h"
#include "solvers/snow/material_lanes.h"
#include "solvers/snow/transfer_lanes.h"

/* Blocks of a group, [axis]. Shifting right rounds down: those below 0 are as wide as those above. */
SL_INLINE void blocks_of(const SlSnowPlaces *at, Group g, I8 block[3])
{
    F8x4 x = get_records(at->position, g), f = get_records(at->fraction, g);
    const F8 *place = &x.x, *in = &f.x;
    for (int axis = 0; axis < 3; axis++)
        block[axis] = base_of(&at->lattice, place[axis], in[axis], at->lattice.cubic) >> 2;
}

SL_INLINE I8 i8_smaller(I8 a, I8 b)
{
    I8 less = a < b;
    return (less & a) | (~less & b);
}

static SlBlockExtent extent(const SlSnowPlaces *at, size_t begin, size_t end)
{
    I8 low[3], high[3], block[3];
    blocks_of(at, group_at(NULL, begin, end), low);
    memcpy(high, low, sizeof high);
    for (size_t i = begin + 8; i < end; i += 8) {
        blocks_of(at, group_at(NULL, i, end), block);
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = i8_smaller(low[axis], block[axis]);
            high[axis] = i8_smaller(~high[axis], ~block[axis]);
            high[axis] = ~high[axis];
        }
    }
    SlBlockExtent e;
    for (int axis = 0; axis < 3; axis++) {
        e.low[axis] = low[axis][0];
        e.high[axis] = high[axis][0];
        for (int k = 1; k < 8; k++) {
            e.low[axis] = low[axis][k] < e.low[axis] ? low[axis][k] : e.low[axis];
            e.high[axis] = high[axis][k] > e.high[axis] ? high[axis][k] : e.high[axis];
        }
    }
    return e;
}

static void keys(const SlSnowPlaces *at, size_t begin, size_t end)
{
    const SlBlockExtent *box = &at->box;
    int32_t along_x = box->high[0] - box->low[0] + 1, along_y = box->high[1] - box->low[1] + 1;
    for (size_t i = begin; i < end; i += 8) {
        Group g = group_at(NULL, i, end);
        I8 b[3];
        blocks_of(at, g, b);
        U8 x = (U8)(b[0] - box->low[0]), y = (U8)(b[1] - box->low[1]), z = (U8)(b[2] - box->low[2]);
        U8 key = x + (uint32_t)along_x * (y + (uint32_t)along_y * z);
        if (g.count == 8)
            u8_store(at->keys + i, key);
        else
            memcpy(at->keys + i, &key, g.count * sizeof(uint32_t));
    }
}

SL_INLINE F8 variation_at(const SlSnowPass *p, Group g)
{
    return p->variation != NULL ? get_floats(p->variation, g) : f8(0);
}

SL_INLINE F8 mass_at(const SlSnowPass *p, F8 variation)
{
    return f8(p->mass) * f8_fma(f8(p->vary_density), variation, f8(1));
}

SL_INLINE Material material_at(const SlSnowPass *p, F8 variation)
{
    F8 stiff = f8_fma(f8(p->vary_stiffness), variation, f8(1));
    F8 tough = f8_fma(f8(p->vary_yield), variation, f8(1));
    F8 whole = f8_fma(f8(p->vary_stretch), variation, f8(1));
    return (Material){f8(p->mu) * stiff, f8(p->lambda) * stiff,
                      f8(p->hardening) * f8_fma(f8(p->vary_hardening), variation, f8(1)),
                      f8(-p->critical_compression) * tough,
                      f8(p->critical_stretch) * tough * whole};
}

SL_INLINE Sym strain_at(const SlSnowPass *p, Group g)
{
    F8x4 d = get_records(p->stretch, g), o = get_records(p->shear, g);
    return (Sym){d.x, d.y, d.z, o.x, o.y, o.z};
}

/* Sums and largest values leave out the lanes past a block's end. */
SL_INLINE I8 first_lanes(size_t count)
{
    const I8 lane = {0, 1, 2, 3, 4, 5, 6, 7};
    return lane < (int32_t)count;
}

/* Row k of a symmetric matrix. */
SL_INLINE F8x3 row_of(Sym e, int k)
{
    return k == 0 ? (F8x3){e.xx, e.xy, e.zx} : k == 1 ? (F8x3){e.xy, e.yy, e.yz}
                                                      : (F8x3){e.zx, e.yz, e.zz};
}

SL_INLINE void scatter_record(float *tile, float *second, const Weights *weights, size_t j, F8 value,
                              const Records slope[3], int nodes, bool split)
{
    F8 slopes[3] = {f8_twice(slope[0].at[j]), f8_twice(slope[1].at[j]), f8_twice(slope[2].at[j])};
    scatter(tile, second, weights, j, value, slopes, nodes, split);
}

/* §4.1 step 1: m_i = sum m_p w, momentum m_p v_p w, with APIC also m_p C (x_i - x_p) w; step 3,
   equation (6): the impulse of stress -dt V0 tau grad w, beside the momentum where `split`. */
SL_INLINE void to_grid(const SlSnowPass *p, uint32_t block, bool cubic, int nodes, bool split)
{
    const SlSnowBlocks *blocks = p->blocks;
    _Alignas(32) float tile[TILE_FLOATS], second[TILE_FLOATS];
    memset(tile, 0, sizeof tile);
    if (split)
        memset(second, 0, sizeof second);
    SlBlockCoord coord = sl_snow_block_of(blocks, block);
    size_t end = blocks->start[block + 1];
    for (size_t i = blocks->start[block]; i < end; i += 8) {
        Group g = group_at(p->blocks->order, i, end);
        Weights weights;
        find_weights(&p->lattice, coord, p->position, p->fraction, g, cubic, &weights);
        F8 variation = variation_at(p, g), mass = mass_at(p, variation);
        Material material = material_at(p, variation);
        Sym tau = kirchhoff(&material, strain_at(p, g), get_floats(p->plastic, g));
        F8 scale = f8(-p->dt) * get_floats(p->volume, g), affine = f8(p->affine) * mass;
        F8x4 v = get_records(p->velocity, g);
        Records value, pull[3], rotation[3];
        f8x4_store(value.at[0], (F8x4){v.x * mass, v.y * mass, v.z * mass, mass});
        for (int k = 0; k < 3; k++) {
            F8x3 t = row_of(tau, k), c = {f8(0), f8(0), f8(0)};
            if (!cubic) {
                F8x4 own = get_records(p->slope[k], g);
                c = (F8x3){affine * own.x, affine * own.y, affine * own.z};
            }
            if (!cubic && split) {
                f8x4_store(rotation[k].at[0], (F8x4){c.x, c.y, c.z, f8(0)});
                c = (F8x3){f8(0), f8(0), f8(0)};
            }
            c = f8x3_fma(scale, t, c);
            f8x4_store(pull[k].at[0], (F8x4){c.x, c.y, c.z, f8(0)});
        }
        for (size_t j = 0; j < g.count; j++) {
            F8 own = f8_twice(value.at[j]);
            if (!cubic && split) {
                scatter_record(tile, tile, &weights, j, own, rotation, nodes, false);
                scatter_record(second, second, &weights, j, f8(0), pull, nodes, false);
            } else {
                scatter_record(tile, second, &weights, j, own, pull, nodes, split);
            }
        }
    }
    add_tile(blocks->layer[SL_NODES], blocks->reach[block], tile);
    if (split)
        add_tile(blocks->layer[SL_CHANGE], blocks->reach[block], second);
}

/* Step 2, for particles that have none: V0 = m / rho0 with rho0 = sum m_i w / h³. A particle alone
   would get 38 times its share of the volume, and a stiffness that no step is short enough for. */
SL_INLINE void volumes(const SlSnowPass *p, uint32_t block, bool cubic, int nodes)
{
    const SlSnowBlocks *blocks = p->blocks;
    _Alignas(32) float tile[TILE_FLOATS];
    load_tile(blocks->layer[SL_NODES], blocks->reach[block], tile);
    SlBlockCoord coord = sl_snow_block_of(blocks, block);
    float h = p->lattice.cell;
    size_t end = blocks->start[block + 1];
    for (size_t i = blocks->start[block]; i < end; i += 8) {
        Group g = group_at(p->blocks->order, i, end);
        Weights weights;
        find_weights(&p->lattice, coord, p->position, p->fraction, g, cubic, &weights);
        Records value;
        memset(&value, 0, sizeof value);
        for (size_t j = 0; j < g.count; j++)
            gather_value(tile, &weights, j, value.at[j], nodes);
        F8 mass = mass_at(p, variation_at(p, g)), old = get_floats(p->volume, g);
        F8 measured = mass * f8(h * h * h) / f8x4_load(value.at[0]).w;
        F8 most = f8(2) * mass / f8(p->rest_density);
        put_floats(p->volume, g, f8_select(old > f8(0), old, f8_min(measured, most)));
    }
}

/* A block's sums, in the order of its particles. */
typedef struct Tally {
    double kinetic, potential, compression, max_compression, max_speed2, max_sound2, max_flow;
    double bad;
} Tally;

SL_INLINE double larger(double a, double b)
{
    return a > b ? a : b;
}

SL_INLINE void tally_add(Tally *t, const SlSnowPass *p, I8 owned, F8 mass, F8x3 v, F8x3 x, F8 dense,
                         F8 sound2, F8 flow, F8 plastic)
{
    F8 speed2 = f8x3_dot(v, v);
    F8 height = f8_fma(f8(p->gravity.x), x.x,
                       f8_fma(f8(p->gravity.y), x.y, f8(p->gravity.z) * x.z));
    F8 over = f8_keep(owned, f8_max(dense - f8(1), f8(0)));
    t->kinetic += (double)f8_sum(f8_keep(owned, f8(0.5f) * mass * speed2));
    t->potential -= (double)f8_sum(f8_keep(owned, mass * height));
    t->compression += (double)f8_sum(over);
    t->max_compression = larger((double)f8_horizontal_max(over), t->max_compression);
    t->max_speed2 = larger((double)f8_horizontal_max(f8_keep(owned, speed2)), t->max_speed2);
    t->max_sound2 = larger((double)f8_horizontal_max(f8_keep(owned, sound2)), t->max_sound2);
    t->max_flow = larger((double)f8_horizontal_max(f8_keep(owned, flow)), t->max_flow);
    I8 good = (speed2 <= f8(p->runaway_speed * p->runaway_speed)) & (plastic > f8(0)) &
              (plastic < f8(1e30f));
    t->bad += (double)__builtin_popcount(i8_bits(~good & owned));
}

/* Step 9 for the particles of a block that bodies are near. */
static void meet_bodies(const SlSnowPass *p, const SlSnowNear *near, Group g, const float mass[8],
                        Records *velocity, Records *move, double *sums)
{
    for (size_t j = 0; j < g.count; j++) {
        const float *x = p->position + 4 * (size_t)g.at[j];
        float *v = velocity->at[j], *m = move->at[j];
        SlVec3 after = {v[0], v[1], v[2]}, way = {m[0], m[1], m[2]};
        if (!sl_finite(after) || !sl_finite(way))
            continue; /* the step ends with its name */
        sl_snow_meet_particle(&p->contacts, near, sl_vec3(x[0], x[1], x[2]), mass[j], &after, &way,
                              sums);
        memcpy(v, &after, sizeof after);
        memcpy(m, &way, sizeof way);
    }
}

/* Step 10: cells and fractions move, so that a way far below a float's digits of the position
   still counts. `position` is where the frame finds it, and says which cell the fraction is of. */
SL_INLINE F8x3 advance(const SlSnowPass *p, Group g, const Records *move)
{
    F8x4 x = get_records(p->position, g), f = get_records(p->fraction, g);
    F8x4 way = f8x4_load(move->at[0]);
    F8 *at = &x.x, *in = &f.x, inverse = f8(p->lattice.inverse_cell);
    const F8 *by = &way.x;
    for (int axis = 0; axis < 3; axis++) {
        F8 cell = f8_from_i8(cell_of(at[axis], inverse));
        F8 moved = f8_fma(by[axis], inverse, in[axis]);
        at[axis] = f8(p->lattice.cell) * (cell + moved);
        in[axis] = moved + (cell - f8_from_i8(cell_of(at[axis], inverse)));
    }
    Records out;
    f8x4_store(out.at[0], x);
    put_records(p->position, g, &out);
    f8x4_store(out.at[0], f);
    put_records(p->fraction, g, &out);
    return (F8x3){x.x, x.y, x.z};
}

SL_INLINE void put_strain(const SlSnowPass *p, Group g, Sym e)
{
    Records out;
    f8x4_store(out.at[0], (F8x4){e.xx, e.yy, e.zz, f8(0)});
    put_records(p->stretch, g, &out);
    f8x4_store(out.at[0], (F8x4){e.yz, e.zx, e.xy, f8(0)});
    put_records(p->shear, g, &out);
}

/* What a group finds on the nodes of its block's tiles. */
typedef struct Found {
    Records value, change, slope[3];
} Found;

SL_INLINE void find(const float *tile, const float *second, const Weights *weights, size_t count,
                    int nodes, bool split, Found *f)
{
    if (count < 8)
        memset(f, 0, sizeof *f);
    for (size_t j = 0; j < count; j++) {
        gather(tile, weights, j, f->value.at[j], f->slope[0].at[j], f->slope[1].at[j],
               f->slope[2].at[j], nodes);
        if (split)
            gather_value(second, weights, j, f->change.at[j], nodes);
    }
}

/* Step 7 but for the yield: e' by the velocities' slopes. */
SL_INLINE Sym strain_moved(const SlSnowPass *p, Group g, const Found *f)
{
    F8 dt = f8(p->dt);
    F8x4 c[3] = {f8x4_load(f->slope[0].at[0]), f8x4_load(f->slope[1].at[0]),
                 f8x4_load(f->slope[2].at[0])};
    Mat L = {{{dt * c[0].x, dt * c[1].x, dt * c[2].x},
              {dt * c[0].y, dt * c[1].y, dt * c[2].y},
              {dt * c[0].z, dt * c[1].z, dt * c[2].z}}};
    return strain_after(strain_at(p, g), &L);
}

/* Steps 8 to 10 of a group, and all its fields: v_p = (1-a) sum w v' + a (v_p + sum w (v' - v)), a
   gathered v' - a v; the way is by sum w v' with either transfer, or spin would decay with the
   number of steps. */
SL_INLINE void move(const SlSnowPass *p, Group g, const Found *f, const SlSnowNear *near, bool split,
                    const Material *material, Sym e, F8 plastic, double *sums, Tally *tally)
{
    float h = p->lattice.cell;
    F8 variation = variation_at(p, g), mass = mass_at(p, variation), dt = f8(p->dt);
    F8 before = get_floats(p->plastic, g);
    F8x4 pic = f8x4_load(f->value.at[0]), v = pic;
    F8 dense = pic.w / (f8(h * h * h) * f8(p->rest_density));
    plastic = f8_min(plastic, f8_max(before, f8(p->torn_limit)));
    if (split) {
        F8x4 old = get_records(p->velocity, g), u = f8x4_load(f->change.at[0]);
        F8 keep = f8(p->keep);
        v = (F8x4){f8_fma(keep, old.x, u.x), f8_fma(keep, old.y, u.y), f8_fma(keep, old.z, u.z),
                   f8(0)};
    }
    v.w = f8(0);
    Records velocity, way;
    f8x4_store(velocity.at[0], v);
    f8x4_store(way.at[0], (F8x4){dt * pic.x, dt * pic.y, dt * pic.z, f8(0)});
    if (near->count > 0)
        meet_bodies(p, near, g, (const float *)&mass, &velocity, &way, sums);

    F8x3 x = advance(p, g, &way);
    put_records(p->velocity, g, &velocity);
    for (int k = 0; k < 3; k++)
        put_records(p->slope[k], g, &f->slope[k]);
    put_strain(p, g, e);
    put_floats(p->plastic, g, plastic);
    put_floats(p->density, g, dense);
    v = f8x4_load(velocity.at[0]);
    F8 sound2 = (material->lambda + material->mu + material->mu) * hardened(material, plastic) /
                (f8(p->rest_density) * f8_fma(f8(p->vary_density), variation, f8(1)));
    tally_add(tally, p, first_lanes(g.count), mass, (F8x3){v.x, v.y, v.z}, x, dense, sound2,
              f8_abs(plastic / before - f8(1)), plastic);
}

/* Two groups at a time, for the yield's sake. */
SL_INLINE void to_particles(const SlSnowPass *p, uint32_t block, bool cubic, int nodes, bool split)
{
    const SlSnowBlocks *blocks = p->blocks;
    _Alignas(32) float tile[TILE_FLOATS], second[TILE_FLOATS];
    load_tile(blocks->layer[SL_NODES], blocks->reach[block], tile);
    if (split)
        load_tile(blocks->layer[SL_CHANGE], blocks->reach[block], second);
    SlBlockCoord coord = sl_snow_block_of(blocks, block);
    float h = p->lattice.cell;
    SlSnowNear near;
    /* Its particles are within 2.5 cells of this along each axis, and go less than one. */
    SlVec3 middle = {h * ((float)(4 * coord.x) + 2.75f), h * ((float)(4 * coord.y) + 2.75f),
                     h * ((float)(4 * coord.z) + 2.75f)};
    sl_snow_find_near(&p->contacts, middle, 3.5f * h, &near);
    double *sums = sl_snow_sums(p, p->particle_forces, block / SL_SNOW_PARTICLE_CHUNK);
    Tally tally = {0};
    size_t end = blocks->start[block + 1];
    for (size_t i = blocks->start[block]; i < end; i += 16) {
        int groups = end - i > 8 ? 2 : 1;
        Found found[2];
        Material material[2];
        Sym e[2];
        F8 plastic[2];
        for (int k = 0; k < groups; k++) {
            Group g = group_at(blocks->order, i + 8 * (size_t)k, end);
            Weights weights;
            find_weights(&p->lattice, coord, p->position, p->fraction, g, cubic, &weights);
            find(tile, second, &weights, g.count, nodes, split, &found[k]);
            material[k] = material_at(p, variation_at(p, g));
            e[k] = strain_moved(p, g, &found[k]);
            plastic[k] = get_floats(p->plastic, g);
        }
        if (groups == 2)
            yield(material, 2, e, plastic);
        else
            yield(material, 1, e, plastic);
        for (int k = 0; k < groups; k++)
            move(p, group_at(blocks->order, i + 8 * (size_t)k, end), &found[k], &near, split, &material[k], e[k],
                 plastic[k], sums, &tally);
    }
    double *out = p->partials + (size_t)block * SL_SNOW_PARTIALS;
    out[SL_SNOW_KINETIC] = tally.kinetic;
    out[SL_SNOW_POTENTIAL] = tally.potential;
    out[SL_SNOW_COMPRESSION] = tally.compression;
    out[SL_SNOW_MAX_COMPRESSION] = tally.max_compression;
    out[SL_SNOW_MAX_SPEED2] = tally.max_speed2;
    out[SL_SNOW_MAX_SOUND2] = tally.max_sound2;
    out[SL_SNOW_MAX_FLOW] = tally.max_flow;
    out[SL_SNOW_BAD] = tally.bad;
}

/* Column k of U and s_k - 1 in slope[k]. */
SL_INLINE void put_frame(const SlSnowPass *p, Group g, const F8 values[3], const Mat *U)
{
    for (int k = 0; k < 3; k++) {
        Records out;
        f8x4_store(out.at[0],
                   (F8x4){U->m[0][k], U->m[1][k], U->m[2][k], stretch_less_one(values[k])});
        put_records(p->slope[k], g, &out);
    }
}

static void principal_frames(const SlSnowPass *p, uint32_t block)
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

/* Equations (7) and (8) in the principal frame, where nothing of V is needed: from the gradient of
   u to V0 A F_E^T. */
SL_INLINE void hessian_of(const SlSnowPass *p, Group g, const Records gradient[3],
                          Records slope[3])
{
    F8x4 l[3], u[3];
    Mat U, D;
    F8 s[3], s1[3];
    for (int k = 0; k < 3; k++) {
        l[k] = f8x4_load(gradient[k].at[0]);
        u[k] = get_records(p->slope[k], g);
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
    Material material = material_at(p, variation_at(p, g));
    F8 hard = hardened(&material, get_floats(p->plastic, g));
    hard *= f8(p->implicit) * get_floats(p->volume, g);
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
            UA.m[a][b] = f8_fma(U.m[a][0], A.m[0][b],
                                f8_fma(U.m[a][1], A.m[1][b], U.m[a][2] * A.m[2][b]));
    for (int b = 0; b < 3; b++) {
#define ENTRY_(a)                                                                                  \
    f8_fma(UA.m[a][0], U.m[b][0], f8_fma(UA.m[a][1], U.m[b][1], UA.m[a][2] * U.m[b][2]))
        f8x4_store(slope[b].at[0], (F8x4){ENTRY_(0), ENTRY_(1), ENTRY_(2), f8(0)});
#undef ENTRY_
    }
}

SL_INLINE void hessian(const SlSnowPass *p, uint32_t block, SlSnowLayer from, SlSnowLayer to,
                       bool cubic, int nodes)
{
    const SlSnowBlocks *blocks = p->blocks;
    _Alignas(32) float tile[TILE_FLOATS], sum[TILE_FLOATS];
    load_tile(blocks->layer[from], blocks->reach[block], tile);
    memset(sum, 0, sizeof sum);
    SlBlockCoord coord = sl_snow_block_of(blocks, block);
    size_t end = blocks->start[block + 1];
    for (size_t i = blocks->start[block]; i < end; i += 8) {
        Group g = group_at(p->blocks->order, i, end);
        Weights weights;
        find_weights(&p->lattice, coord, p->position, p->fraction, g, cubic, &weights);
        Records value, gradient[3], slope[3];
        memset(gradient, 0, sizeof gradient);
        for (size_t j = 0; j < g.count; j++)
            gather(tile, &weights, j, value.at[j], gradient[0].at[j], gradient[1].at[j],
                   gradient[2].at[j], nodes);
        hessian_of(p, g, gradient, slope);
        for (size_t j = 0; j < g.count; j++)
            scatter_record(sum, sum, &weights, j, f8(0), slope, nodes, false);
    }
    add_tile(blocks->layer[to], blocks->reach[block], sum);
}

static void mls_hessian(const SlSnowPass *p, uint32_t block, SlSnowLayer u, SlSnowLayer sum)
{
    hessian(p, block, u, sum, false, 3);
}

static void flip_hessian(const SlSnowPass *p, uint32_t block, SlSnowLayer u, SlSnowLayer sum)
{
    hessian(p, block, u, sum, true, 4);
}

static void mls_to_grid(const SlSnowPass *p, uint32_t block)
{
    if (p->split)
        to_grid(p, block, false, 3, true);
    else
        to_grid(p, block, false, 3, false);
}

static void mls_to_particles(const SlSnowPass *p, uint32_t block)
{
    to_particles(p, block, false, 3, false);
}

static void mls_volumes(const SlSnowPass *p, uint32_t block)
{
    volumes(p, block, false, 3);
}

static void flip_volumes(const SlSnowPass *p, uint32_t block)
{
    volumes(p, block, true, 4);
}

static void flip_to_grid(const SlSnowPass *p, uint32_t block)
{
    to_grid(p, block, true, 4, true);
}

static void flip_to_particles(const SlSnowPass *p, uint32_t block)
{
    to_particles(p, block, true, 4, true);
}

SL_KERNEL_TABLE(SlSnowKernels, sl_snow_kernels) = {
    .extent = extent,
    .keys = keys,
    .principal_frames = principal_frames,
    .transfer = {[SL_SNOW_MLS] = {mls_to_grid, mls_volumes, mls_to_particles, mls_hessian},
                 [SL_SNOW_FLIP] = {flip_to_grid, flip_volumes, flip_to_particles, flip_hessian}},
};
