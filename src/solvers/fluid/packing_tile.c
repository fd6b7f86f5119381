/* The periodic tile: a cube of the lattice, relaxed among its own images. A large region begins with
   copies of it, so that only the neighbourhood of its surface is left to relax. The displacement
   of each site is kept, not the positions, so that a region has as many particles as its lattice
   and none is lost where copies are cut off. */
#include <math.h>
#include <string.h>

#include "solvers/fluid/packing_relaxation.h"

/* In spacings: the first displacement, which must be so large that the lattice does not come back. */
static const double jitter = 0.45;
/* Particles and ghosts per site, at most. With the widest support of 4 spacings ghosts are within
   4.25 of the particles' bounds, which are about 18 wide: 4.6 per site. */
enum { MAX_COPIES = 6 };
static const SlPackingSchedule schedule = {300, 560, 800, 0, 0};

typedef struct Tile {
    SlRelaxation relaxation;
    double side; /* m */
    float (*at)[3], (*before)[3]; /* per site */
    float *multiplier;
} Tile;

static void find_site(size_t site, double spacing, float at[3])
{
    size_t row = site / SL_TILE_SIDE, layer = row / SL_TILE_SIDE;
    at[0] = (float)(((double)(site % SL_TILE_SIDE) + 0.5) * spacing);
    at[1] = (float)(((double)(row % SL_TILE_SIDE) + 0.5) * spacing);
    at[2] = (float)(((double)layer + 0.5) * spacing);
}

static void begin_at_lattice(Tile *t, double spacing)
{
    for (size_t i = 0; i < SL_TILE_SITES; i++) {
        find_site(i, spacing, t->at[i]);
        sl_packing_jitter(t->relaxation.system, i, jitter * spacing, t->at[i]);
        memcpy(t->before[i], t->at[i], sizeof t->at[i]);
        t->multiplier[i] = 0;
    }
}

/* What the last iterations found, by site. */
static void read_particles(Tile *t)
{
    const SlParticles *set = &t->relaxation.set;
    const uint32_t *id = set->data[SL_F_ID];
    const float *x = sl_f32x4(set, SL_F_PREDICTED), *before = sl_f32x4(set, SL_F_REFERENCE);
    const float *multiplier = set->data[SL_F_PRESSURE];
    for (size_t i = 0; i < set->count; i++)
        if (id[i] < SL_TILE_SITES) {
            memcpy(t->at[id[i]], x + 4 * i, sizeof *t->at);
            memcpy(t->before[id[i]], before + 4 * i, sizeof *t->before);
            t->multiplier[id[i]] = multiplier[i];
        }
}

static void write_particle(Tile *t, size_t place, uint32_t id, size_t site, const float shift[3])
{
    SlParticles *set = &t->relaxation.set;
    float *x = sl_f32x4(set, SL_F_PREDICTED) + 4 * place;
    float *before = sl_f32x4(set, SL_F_REFERENCE) + 4 * place;
    ((uint32_t *)set->data[SL_F_ID])[place] = id;
    ((float *)set->data[SL_F_PRESSURE])[place] = t->multiplier[site];
    for (int k = 0; k < 3; k++) {
        x[k] = t->at[site][k] + shift[k];
        before[k] = t->before[site][k] + shift[k];
    }
    x[3] = before[3] = 1;
}

static void shift_of(const Tile *t, uint32_t image, float shift[3])
{
    shift[0] = (float)(((int)(image % 3) - 1) * t->side);
    shift[1] = (float)(((int)(image / 3 % 3) - 1) * t->side);
    shift[2] = (float)(((int)(image / 9) - 1) * t->side);
}

enum { IMAGES = 27, SELF = 13 }; /* shifts of a tile; SELF: none */

/* The particles, and of their images those that are within reach of the particles' bounds. The id of
   an image is SL_TILE_SITES × (1 + the number of its shift) + its source's. */
static bool write_particles(Tile *t)
{
    static const float none[3];
    SlParticles *set = &t->relaxation.set;
    float low[3], high[3], reach = (float)sl_packing_reach(t->relaxation.system);
    for (int k = 0; k < 3; k++)
        low[k] = INFINITY, high[k] = -INFINITY;
    for (uint32_t i = 0; i < SL_TILE_SITES; i++) {
        write_particle(t, i, i, i, none);
        for (int k = 0; k < 3; k++) {
            low[k] = fminf(low[k], t->at[i][k]);
            high[k] = fmaxf(high[k], t->at[i][k]);
        }
    }
    size_t count = SL_TILE_SITES;
    for (uint32_t image = 0; image < IMAGES; image++) {
        float shift[3];
        shift_of(t, image, shift);
        for (uint32_t i = 0; i < SL_TILE_SITES && image != SELF; i++) {
            bool is_near = true;
            for (int k = 0; k < 3; k++)
                is_near = is_near && t->at[i][k] + shift[k] > low[k] - reach &&
                          t->at[i][k] + shift[k] < high[k] + reach;
            if (is_near && count == set->capacity)
                return false;
            if (is_near)
                write_particle(t, count++, (image + 1) * SL_TILE_SITES + i, i, shift);
        }
    }
    set->count = count;
    sl_particles_pad_all(set);
    return true;
}

static SlStatus list_ghosts(Tile *t, SlError *error)
{
    SlRelaxation *r = &t->relaxation;
    SlPackingGhosts *g = &r->ghosts;
    const uint32_t *id = r->set.data[SL_F_ID];
    size_t ghosts = r->set.count - SL_TILE_SITES;
    uint32_t *place = SL_PUSH(&r->arena, uint32_t, SL_TILE_SITES);
    *g = (SlPackingGhosts){.place = SL_PUSH(&r->arena, uint32_t, ghosts),
                           .source = SL_PUSH(&r->arena, uint32_t, ghosts),
                           .shift = sl_arena_push(&r->arena, ghosts * sizeof *g->shift)};
    if (place == NULL || g->place == NULL || g->source == NULL || g->shift == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the tile of a packing");
    for (uint32_t i = 0; i < r->set.count; i++)
        if (id[i] < SL_TILE_SITES)
            place[id[i]] = i;
    for (uint32_t i = 0; i < r->set.count; i++)
        if (id[i] >= SL_TILE_SITES) {
            g->place[g->count] = i;
            g->source[g->count] = place[id[i] % SL_TILE_SITES];
            shift_of(t, id[i] / SL_TILE_SITES - 1, g->shift[g->count++]);
        }
    return SL_OK;
}

static SlStatus relax(Tile *t, SlError *error)
{
    SlRelaxation *r = &t->relaxation;
    uint32_t k = 0;
    for (; sl_relaxation_continues(r, &schedule, k); k++) {
        if (sl_relaxation_lists(k)) {
            if (k > 0)
                read_particles(t);
            if (!write_particles(t))
                return sl_error_set(error, SL_ERROR_NUMBERS,
                                    "%s: the tile of a packing does not relax; try "
                                    "\"packing\": \"lattice\"",
                                    r->system->name);
            r->ghosts.count = 0;
            SlStatus status = sl_relaxation_list(r, error);
            if (status == SL_OK)
                status = list_ghosts(t, error);
            if (status != SL_OK)
                return status;
        }
        sl_relaxation_iterate(r, &schedule, k);
    }
    read_particles(t);
    sl_log(r->system->context, SL_LOG_INFO,
           "%s: tile of a packing relaxed in %u iterations, density %.5f within %.2g",
           r->system->name, k, 1 + r->mean, r->max);
    return SL_OK;
}

SlStatus sl_packing_tile(SlSystem *system, SlArena *arena, SlPackingTile *tile, SlError *error)
{
    double spacing = sl_param(system, SL_FLUID_PARAM_SPACING);
    Tile t = {.relaxation = {.system = system},
              .side = SL_TILE_SIDE * spacing,
              .at = sl_arena_push(arena, SL_TILE_SITES * sizeof *t.at),
              .before = sl_arena_push(arena, SL_TILE_SITES * sizeof *t.before),
              .multiplier = SL_PUSH(arena, float, SL_TILE_SITES)};
    if (t.at == NULL || t.before == NULL || t.multiplier == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the tile of a packing");
    begin_at_lattice(&t, spacing);
    float low = (float)-t.side, high = (float)(2 * t.side);
    SlBox bounds = {{low, low, low}, {high, high, high}};
    SlStatus status =
        sl_relaxation_create(&t.relaxation, MAX_COPIES * SL_TILE_SITES, bounds, error);
    if (status == SL_OK)
        status = relax(&t, error);
    sl_relaxation_destroy(&t.relaxation);
    if (status != SL_OK)
        return status;
    for (size_t i = 0; i < SL_TILE_SITES; i++) {
        float site[3];
        find_site(i, spacing, site);
        for (int k = 0; k < 3; k++)
            t.at[i][k] -= site[k];
    }
    *tile = (SlPackingTile){t.at, t.multiplier};
    return SL_OK;
}
