/* Particles to grid and back [Stomakhin 2013, section 4.1], eight particles at a time through the
   material, one at a time through the tile of nodes. */
#include "solvers/snow/snow_kernels.h"

#include "math/vec3.h"
#include "solvers/snow/nearest_lanes.h"

/* --- Assignment of particles to blocks --- */

/* Blocks of a group, [axis]. The shift rounds towards minus infinity, so that blocks below 0 are as
   wide as those above. */
SL_INLINE void blocks_of(const SlSnowKeys *d, Group g, I8 block[3])
{
    F8x4 x = get_records(d->position, g), f = get_records(d->fraction, g);
    const F8 *position = &x.x, *fraction = &f.x;
    for (int axis = 0; axis < 3; axis++)
        block[axis] = base_of(&d->lattice, position[axis], fraction[axis], d->lattice.cubic) >> 2;
}

SL_INLINE I8 i8_smaller(I8 a, I8 b)
{
    I8 less = a < b;
    return (less & a) | (~less & b);
}

static void extent(const void *data, size_t begin, size_t end, size_t chunk)
{
    const SlSnowKeys *d = data;
    I8 low[3], high[3], block[3];
    blocks_of(d, group_at(NULL, begin, end), low);
    memcpy(high, low, sizeof high);
    for (size_t i = begin + 8; i < end; i += 8) {
        blocks_of(d, group_at(NULL, i, end), block);
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = i8_smaller(low[axis], block[axis]);
            high[axis] = ~i8_smaller(~high[axis], ~block[axis]);
        }
    }
    SlBlockExtent *e = &d->extents[chunk];
    for (int axis = 0; axis < 3; axis++) {
        e->low[axis] = low[axis][0];
        e->high[axis] = high[axis][0];
        for (int k = 1; k < 8; k++) {
            e->low[axis] = low[axis][k] < e->low[axis] ? low[axis][k] : e->low[axis];
            e->high[axis] = high[axis][k] > e->high[axis] ? high[axis][k] : e->high[axis];
        }
    }
}

static void keys(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlSnowKeys *d = data;
    const SlBlockExtent *box = &d->box;
    int32_t along_x = box->high[0] - box->low[0] + 1, along_y = box->high[1] - box->low[1] + 1;
    for (size_t i = begin; i < end; i += 8) {
        Group g = group_at(NULL, i, end);
        I8 b[3];
        blocks_of(d, g, b);
        U8 x = (U8)(b[0] - box->low[0]), y = (U8)(b[1] - box->low[1]), z = (U8)(b[2] - box->low[2]);
        U8 key = x + (uint32_t)along_x * (y + (uint32_t)along_y * z);
        if (g.count == 8)
            u8_store(d->keys + i, key);
        else
            memcpy(d->keys + i, &key, g.count * sizeof(uint32_t));
    }
}

/* --- Steps 1 to 3: particles to grid --- */

/* Momentum and mass of a group, and the slopes that carry stress and affine velocity. */
typedef struct Sources {
    Records value;     /* m_p v_p and m_p */
    Records affine[3]; /* with a separate impulse: m_p C h²/4, cubic m_p C h */
    Records stress[3]; /* -dt V0 tau; without a separate impulse the affine part is added */
} Sources;

/* Damping of slow deformation where the material is not torn, a factor 1 / (1 + |D| / D0): it stops
   oscillations and spares fracture, which is fast and tears. Viscous stress 2 eta D as far as that is
   stable in explicit steps; beyond, the symmetric part D of the affine velocity is reduced. */
SL_INLINE void damp(const SlSnowPass *p, F8 plastic, F8x4 c[3], Sym *tau)
{
    static const float torn = 1.02f; /* J_P */
    F8 half = f8(0.5f);
    Sym D = {c[0].x, c[1].y, c[2].z, half * (c[1].z + c[2].y), half * (c[2].x + c[0].z),
             half * (c[0].y + c[1].x)};
    F8 diagonal = f8_fma(D.xx, D.xx, f8_fma(D.yy, D.yy, D.zz * D.zz));
    F8 shear = f8_fma(D.yz, D.yz, f8_fma(D.zx, D.zx, D.xy * D.xy));
    F8 size = f8_sqrt(diagonal + (shear + shear)), rate = f8(p->material.damping_rate);
    F8 slow = f8_keep(plastic < f8(torn), rate / (rate + size));
    F8 eta = f8(2 * p->material.viscosity) * slow;
    *tau = (Sym){f8_fma(eta, D.xx, tau->xx), f8_fma(eta, D.yy, tau->yy), f8_fma(eta, D.zz, tau->zz),
                 f8_fma(eta, D.yz, tau->yz), f8_fma(eta, D.zx, tau->zx), f8_fma(eta, D.xy, tau->xy)};
    if (p->material.relaxation == 0)
        return;
    F8 relax = f8(p->material.relaxation) * slow;
    for (int k = 0; k < 3; k++) {
        F8x3 row = row_of(D, k);
        c[k].x = f8_fnma(relax, row.x, c[k].x);
        c[k].y = f8_fnma(relax, row.y, c[k].y);
        c[k].z = f8_fnma(relax, row.z, c[k].z);
    }
}

SL_INLINE void find_sources(const SlSnowPass *p, Group g, bool cubic, bool separate, Sources *out)
{
    F8 variation = variation_at(p, g), mass = mass_at(p, g, variation);
    F8 plastic = get_floats(p->fields.plastic, g), zero = f8(0);
    Material material = material_at(p, g, variation);
    Sym tau = kirchhoff(&material, strain_at(p, g), plastic);
    bool affine = p->affine > 0, viscous = p->material.viscosity > 0;
    F8x4 own[3] = {{zero, zero, zero, zero}, {zero, zero, zero, zero}, {zero, zero, zero, zero}};
    for (int k = 0; k < 3 && (affine || viscous); k++)
        own[k] = get_records(p->fields.slope[k], g);
    if (viscous)
        damp(p, plastic, own, &tau);
    F8 impulse = f8(-p->dt) * get_floats(p->fields.volume, g);
    F8 scale = affine ? f8(cubic ? p->lattice.cell : p->affine) * mass : zero;
    F8x4 v = get_records(p->fields.velocity, g);
    f8x4_store(out->value.at[0], (F8x4){v.x * mass, v.y * mass, v.z * mass, mass});
    for (int k = 0; k < 3; k++) {
        F8x3 c = {scale * own[k].x, scale * own[k].y, scale * own[k].z};
        if (separate) {
            f8x4_store(out->affine[k].at[0], (F8x4){c.x, c.y, c.z, zero});
            c = (F8x3){zero, zero, zero};
        }
        c = f8x3_fma(impulse, row_of(tau, k), c);
        f8x4_store(out->stress[k].at[0], (F8x4){c.x, c.y, c.z, zero});
    }
}

/* Lane at.j of a group: momentum with its affine part, and the impulse of stress. */
SL_INLINE void scatter_sources(float *tile, Stencil at, const Sources *from)
{
    static const float none[4] = {0, 0, 0, 0};
    size_t j = at.j;
    F8 slopes[3] = {f8_records(from->affine[0].at[j], from->stress[0].at[j]),
                    f8_records(from->affine[1].at[j], from->stress[1].at[j]),
                    f8_records(from->affine[2].at[j], from->stress[2].at[j])};
    scatter_both(tile, at, f8_records(from->value.at[j], none), slopes);
}

/* Step 1: m_i = sum m_p w, momentum m_p v_p w, and m_p C (x_i - x_p) w where velocities are affine;
   step 3, eq. 6: the impulse of stress -dt V0 tau grad w, in a layer of its own where `separate`. */
SL_INLINE void block_to_grid(const SlSnowPass *p, uint32_t block, bool cubic, int nodes,
                             bool separate)
{
    const SlSnowBlocks *blocks = p->blocks;
    _Alignas(32) float tile[2 * TILE_FLOATS];
    memset(tile, 0, (separate ? 2 : 1) * TILE_FLOATS * sizeof(float));
    SlBlockCoord coord = sl_snow_block_of(blocks, block);
    size_t end = blocks->start[block + 1];
    for (size_t i = blocks->start[block]; i < end; i += 8) {
        Group g = group_at(blocks->order, i, end);
        Weights weights;
        find_weights(&p->lattice, coord, p->fields.position, p->fields.fraction, g, cubic,
                     &weights);
        if (cubic)
            find_moments(p->fields.fraction, g, &weights);
        Sources sources;
        find_sources(p, g, cubic, separate, &sources);
        for (size_t j = 0; j < g.count; j++) {
            Stencil at = {&weights, j, nodes};
            if (separate)
                scatter_sources(tile, at, &sources);
            else
                scatter_record(tile, at, f8_twice(sources.value.at[j]), sources.stress);
        }
    }
    const uint32_t *reach = blocks->reach[block];
    if (separate)
        add_tile_of_both(blocks->layer[SL_NODES], blocks->layer[SL_IMPULSE], reach, tile);
    else
        add_tile(blocks->layer[SL_NODES], reach, tile);
}

/* Step 2, of particles without a volume: V0 = m / rho0 with rho0 = sum m_i w / h³, up to max_volume
   times the volume at rest density. A single particle would otherwise get 38 times its volume, and a
   stiffness that no step is short enough for. */
SL_INLINE void block_volumes(const SlSnowPass *p, uint32_t block, bool cubic, int nodes)
{
    const SlSnowBlocks *blocks = p->blocks;
    _Alignas(32) float tile[TILE_FLOATS];
    load_tile(blocks->layer[SL_NODES], blocks->reach[block], tile);
    SlBlockCoord coord = sl_snow_block_of(blocks, block);
    float h = p->lattice.cell;
    size_t end = blocks->start[block + 1];
    for (size_t i = blocks->start[block]; i < end; i += 8) {
        Group g = group_at(blocks->order, i, end);
        Weights weights;
        find_weights(&p->lattice, coord, p->fields.position, p->fields.fraction, g, cubic,
                     &weights);
        Records value;
        memset(&value, 0, sizeof value);
        for (size_t j = 0; j < g.count; j++)
            gather_value(tile, (Stencil){&weights, j, nodes}, value.at[j]);
        F8 mass = mass_at(p, g, variation_at(p, g)), old = get_floats(p->fields.volume, g);
        F8 measured = mass * f8(h * h * h) / f8x4_load(value.at[0]).w;
        F8 max = f8(p->material.max_volume) * mass / f8(p->material.rest_density);
        put_floats(p->fields.volume, g, f8_select(old > f8(0), old, f8_min(measured, max)));
    }
}

/* --- Steps 7 to 10: grid to particles --- */

/* A block's sums, in the order of its particles. */
typedef struct Tally {
    double kinetic, potential, compression, max_compression, max_speed2, max_sound2, max_flow;
    double diverged;
} Tally;

/* A group at the end of the step, as the statistics see it. */
typedef struct Advanced {
    I8 owned; /* lanes within the block */
    F8 mass, density, sound2, flow, plastic;
    F8x3 velocity, position;
} Advanced;

SL_INLINE double larger(double a, double b)
{
    return a > b ? a : b;
}

SL_INLINE void tally_add(Tally *t, const SlSnowPass *p, const Advanced *a)
{
    F8 speed2 = f8x3_dot(a->velocity, a->velocity);
    F8x3 x = a->position;
    F8 height =
        f8_fma(f8(p->gravity.x), x.x, f8_fma(f8(p->gravity.y), x.y, f8(p->gravity.z) * x.z));
    F8 over = f8_keep(a->owned, f8_max(a->density - f8(1), f8(0)));
    t->kinetic += (double)f8_sum(f8_keep(a->owned, f8(0.5f) * a->mass * speed2));
    t->potential -= (double)f8_sum(f8_keep(a->owned, a->mass * height));
    t->compression += (double)f8_sum(over);
    t->max_compression = larger((double)f8_horizontal_max(over), t->max_compression);
    t->max_speed2 = larger((double)f8_horizontal_max(f8_keep(a->owned, speed2)), t->max_speed2);
    t->max_sound2 = larger((double)f8_horizontal_max(f8_keep(a->owned, a->sound2)), t->max_sound2);
    t->max_flow = larger((double)f8_horizontal_max(f8_keep(a->owned, a->flow)), t->max_flow);
    I8 good = (speed2 <= f8(p->runaway_speed * p->runaway_speed)) & (a->plastic > f8(0)) &
              (a->plastic < f8(1e30f));
    t->diverged += (double)__builtin_popcount(i8_bits(~good & a->owned));
}

SL_INLINE void tally_put(const Tally *t, double *out)
{
    out[SL_SNOW_KINETIC] = t->kinetic;
    out[SL_SNOW_POTENTIAL] = t->potential;
    out[SL_SNOW_COMPRESSION] = t->compression;
    out[SL_SNOW_MAX_COMPRESSION] = t->max_compression;
    out[SL_SNOW_MAX_SPEED2] = t->max_speed2;
    out[SL_SNOW_MAX_SOUND2] = t->max_sound2;
    out[SL_SNOW_MAX_FLOW] = t->max_flow;
    out[SL_SNOW_DIVERGED] = t->diverged;
}

/* The surfaces that a block's particles can touch; found when first needed. */
typedef struct BlockSurfaces {
    SlBlockCoord coord;
    bool known;
    double *sums; /* of impulses on bodies; NULL: none */
    SlSnowNear near;
} BlockSurfaces;

/* Lanes that may come to a surface: those that were near one, those that go farther than is known to
   be free (a part of the margin is for the interpolation of distance fields), or all. */
SL_INLINE uint32_t lanes_to_meet(const SlSnowPass *p, Group g, uint32_t close, F8x3 move)
{
    uint32_t lanes = 0xffu >> (8 - g.count);
    if (p->close == NULL)
        return lanes;
    float margin = p->contacts.margin, free_way = fmaxf(fminf(0.75f * margin, margin - p->contacts.field_error), 0);
    return lanes & (close | i8_bits(f8x3_dot(move, move) > f8(free_way * free_way)));
}

/* Step 9 for some lanes of a group. */
static void meet_bodies(const SlSnowPass *p, BlockSurfaces *s, Group g, uint32_t lanes,
                        const float mass[8], Records *velocity, Records *move)
{
    float h = p->lattice.cell;
    SlBlockCoord c = s->coord;
    /* Particles are within 2.5 cells of this along each axis, and move less than one. */
    SlVec3 middle = {h * ((float)(4 * c.x) + 2.75f), h * ((float)(4 * c.y) + 2.75f),
                     h * ((float)(4 * c.z) + 2.75f)};
    if (!s->known)
        sl_snow_find_near(&p->contacts, middle, 3.5f * h, &s->near);
    s->known = true;
    for (; s->near.count > 0 && lanes != 0; lanes &= lanes - 1) {
        int j = __builtin_ctz(lanes);
        const float *x = p->fields.position + 4 * (size_t)g.at[j];
        float *v = velocity->at[j], *m = move->at[j];
        SlVec3 after = {v[0], v[1], v[2]}, shift = {m[0], m[1], m[2]};
        if (!sl_finite(after) || !sl_finite(shift))
            continue; /* reported with the statistics */
        sl_snow_meet_particle(&p->contacts, &s->near, sl_vec3(x[0], x[1], x[2]), mass[j], &after,
                              &shift, s->sums);
        memcpy(v, &after, sizeof after);
        memcpy(m, &shift, sizeof shift);
    }
}

/* Step 10: the fraction within the cell moves, so that displacements far below the rounding of the
   position still count. `position` is what frames show, and determines the fraction's cell. */
SL_INLINE F8x3 advance_positions(const SlSnowPass *p, Group g, const Records *move)
{
    F8x4 x = get_records(p->fields.position, g), f = get_records(p->fields.fraction, g);
    F8x4 shift = f8x4_load(move->at[0]);
    F8 *at = &x.x, *in = &f.x, inverse = f8(p->lattice.inverse_cell);
    const F8 *by = &shift.x;
    for (int axis = 0; axis < 3; axis++) {
        F8 cell = f8_from_i8(cell_of(at[axis], inverse));
        F8 moved = f8_fma(by[axis], inverse, in[axis]);
        at[axis] = f8(p->lattice.cell) * (cell + moved);
        in[axis] = moved + (cell - f8_from_i8(cell_of(at[axis], inverse)));
    }
    Records out;
    f8x4_store(out.at[0], x);
    put_records(p->fields.position, g, &out);
    f8x4_store(out.at[0], f);
    put_records(p->fields.fraction, g, &out);
    return (F8x3){x.x, x.y, x.z};
}

SL_INLINE void put_strain(const SlSnowPass *p, Group g, Sym e)
{
    Records out;
    f8x4_store(out.at[0], (F8x4){e.xx, e.yy, e.zz, f8(0)});
    put_records(p->fields.stretch, g, &out);
    f8x4_store(out.at[0], (F8x4){e.yz, e.zx, e.xy, f8(0)});
    put_records(p->fields.shear, g, &out);
}

/* What a group gathers from the tiles of its block. */
typedef struct Gathered {
    Records value;    /* sum w v', sum w m */
    Records change;   /* FLIP: sum w (v' - a v) */
    Records slope[3]; /* velocity gradient, by columns */
} Gathered;

SL_INLINE void gather_group(const float *tile, const float *second, const Weights *weights,
                            size_t count, int nodes, bool flip, Gathered *f)
{
    if (count < 8)
        memset(f, 0, sizeof *f);
    for (size_t j = 0; j < count; j++) {
        Stencil at = {weights, j, nodes};
        float *const slope[3] = {f->slope[0].at[j], f->slope[1].at[j], f->slope[2].at[j]};
        gather(tile, at, f->value.at[j], slope);
        if (flip)
            gather_value(second, at, f->change.at[j]);
    }
}

/* Step 7 before the yield: e' from the velocity gradient. */
SL_INLINE Sym strain_advanced(const SlSnowPass *p, Group g, const Gathered *f)
{
    F8 dt = f8(p->dt);
    F8x4 c[3] = {f8x4_load(f->slope[0].at[0]), f8x4_load(f->slope[1].at[0]),
                 f8x4_load(f->slope[2].at[0])};
    Mat L = {{{dt * c[0].x, dt * c[1].x, dt * c[2].x},
              {dt * c[0].y, dt * c[1].y, dt * c[2].y},
              {dt * c[0].z, dt * c[1].z, dt * c[2].z}}};
    return strain_after(strain_at(p, g), &L);
}

/* What the particles of a group need of their block in steps 8 to 10. */
typedef struct BlockContext {
    BlockSurfaces *surfaces;
    Tally *tally;
    uint32_t close; /* lanes of the group that may touch a surface */
    bool flip;
} BlockContext;

/* Steps 8 to 10 of a group, and all its fields: v_p = (1-a) sum w v' + a (v_p + sum w (v' - v))
   with v' - a v gathered as `change`. The displacement is dt sum w v' with either transfer, otherwise
   rotation would decay with the number of steps; printed, it is dt v_p. */
SL_INLINE void advance_group(const SlSnowPass *p, BlockContext c, Group g, const Gathered *f,
                             const Material *material, Sym e, F8 plastic)
{
    float h = p->lattice.cell;
    F8 variation = variation_at(p, g), mass = mass_at(p, g, variation), dt = f8(p->dt);
    F8 before = get_floats(p->fields.plastic, g);
    F8x4 pic = f8x4_load(f->value.at[0]), v = pic;
    F8 density = pic.w / (f8(h * h * h) * f8(p->material.rest_density));
    plastic = f8_min(plastic, f8_max(before, f8(p->material.max_plastic_volume)));
    if (c.flip) { /* step 8 */
        F8x4 old = get_records(p->fields.velocity, g), u = f8x4_load(f->change.at[0]);
        F8 a = f8(p->flip_fraction);
        v = (F8x4){f8_fma(a, old.x, u.x), f8_fma(a, old.y, u.y), f8_fma(a, old.z, u.z), f8(0)};
    }
    v.w = f8(0);
    Records velocity, shift;
    f8x4_store(velocity.at[0], v);
    F8x4 going = p->advect_by_particle ? v : pic;
    F8x3 move = {dt * going.x, dt * going.y, dt * going.z};
    f8x4_store(shift.at[0], (F8x4){move.x, move.y, move.z, f8(0)});
    uint32_t lanes = lanes_to_meet(p, g, c.close, move); /* step 9 */
    if (lanes != 0)
        meet_bodies(p, c.surfaces, g, lanes, (const float *)&mass, &velocity, &shift);

    F8x3 x = advance_positions(p, g, &shift);
    put_records(p->fields.velocity, g, &velocity);
    for (int k = 0; k < 3; k++)
        put_records(p->fields.slope[k], g, &f->slope[k]);
    put_strain(p, g, e);
    put_floats(p->fields.plastic, g, plastic);
    put_floats(p->fields.density, g, density);
    v = f8x4_load(velocity.at[0]);
    F8 sound2 =
        (material->lambda + material->mu + material->mu) * hardened(material, plastic) /
        (f8(p->material.rest_density) * density_factor_at(p, g, variation));
    Advanced advanced = {.owned = first_lanes(g.count),
                         .mass = mass,
                         .density = density,
                         .sound2 = sound2,
                         .flow = f8_abs(plastic / before - f8(1)),
                         .plastic = plastic,
                         .velocity = {v.x, v.y, v.z},
                         .position = x};
    tally_add(c.tally, p, &advanced);
}

/* Steps 7 to 10 of a block, two groups at a time, since the yield interleaves two. */
SL_INLINE void block_to_particles(const SlSnowPass *p, uint32_t block, bool cubic, int nodes,
                                  bool flip)
{
    const SlSnowBlocks *blocks = p->blocks;
    _Alignas(32) float tile[TILE_FLOATS], second[TILE_FLOATS];
    load_tile(blocks->layer[SL_NODES], blocks->reach[block], tile);
    if (flip)
        load_tile(blocks->layer[SL_IMPULSE], blocks->reach[block], second);
    SlBlockCoord coord = sl_snow_block_of(blocks, block);
    Tally tally = {0};
    BlockSurfaces surfaces; /* the list is large, and seldom needed */
    surfaces.coord = coord;
    surfaces.known = false;
    surfaces.sums = sl_snow_sums(p, p->particle_forces, block / SL_SNOW_PARTICLE_CHUNK);
    const uint8_t *close = p->close != NULL ? p->close + sl_snow_first_group(blocks, block) : NULL;
    size_t begin = blocks->start[block], end = blocks->start[block + 1];
    for (size_t i = begin; i < end; i += 16) {
        int groups = end - i > 8 ? 2 : 1;
        Gathered gathered[2];
        Material material[2];
        Sym e[2];
        F8 plastic[2];
        for (int k = 0; k < groups; k++) {
            Group g = group_at(blocks->order, i + 8 * (size_t)k, end);
            Weights weights;
            find_weights(&p->lattice, coord, p->fields.position, p->fields.fraction, g, cubic,
                         &weights);
            gather_group(tile, second, &weights, g.count, nodes, flip, &gathered[k]);
            material[k] = material_at(p, g, variation_at(p, g));
            e[k] = strain_advanced(p, g, &gathered[k]);
            plastic[k] = get_floats(p->fields.plastic, g);
        }
        if (groups == 2)
            yield(material, 2, e, plastic);
        else
            yield(material, 1, e, plastic);
        for (int k = 0; k < groups; k++) {
            size_t first = i + 8 * (size_t)k;
            BlockContext context = {&surfaces, &tally, close != NULL ? close[(first - begin) / 8] : 0,
                                    flip};
            advance_group(p, context, group_at(blocks->order, first, end), &gathered[k],
                          &material[k], e[k], plastic[k]);
        }
    }
    tally_put(&tally, p->partials + (size_t)block * SL_SNOW_PARTIALS);
}

/* --- The table: one loop per kernel and transfer. MLS uses 3 nodes per axis, FLIP 4 --- */

SL_INLINE void mls_block_to_grid(const SlSnowPass *p, uint32_t block)
{
    if (p->separate_impulse)
        block_to_grid(p, block, false, 3, true);
    else
        block_to_grid(p, block, false, 3, false);
}

BLOCK_LOOP_(mls_to_grid, (mls_block_to_grid(p, block), note_block(p, block)))
BLOCK_LOOP_(mls_volumes, block_volumes(p, block, false, 3))
BLOCK_LOOP_(mls_to_particles, block_to_particles(p, block, false, 3, false))
BLOCK_LOOP_(flip_to_grid, (block_to_grid(p, block, true, 4, true), note_block(p, block)))
BLOCK_LOOP_(flip_volumes, block_volumes(p, block, true, 4))
BLOCK_LOOP_(flip_to_particles, block_to_particles(p, block, true, 4, true))

SL_KERNEL_TABLE(SlSnowKernels, sl_snow_kernels) = {
    .extent = extent,
    .keys = keys,
    .transfer = {[SL_SNOW_MLS] = {mls_to_grid, mls_volumes, mls_to_particles},
                 [SL_SNOW_FLIP] = {flip_to_grid, flip_volumes, flip_to_particles}},
};
