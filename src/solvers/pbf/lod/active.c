#include "solvers/pbf/lod/active.h"

#include <string.h>

#include "solvers/fluid/fluid.h"
#include "solvers/pbf/pbf_kernels.h"

/* --- Masked --- */

static uint32_t highest_of(const uint32_t *level, size_t b)
{
    uint32_t most = 0;
    for (size_t k = 8 * b; k < 8 * b + 8; k++)
        most = level[k] > most ? level[k] : most;
    return most;
}

static bool mask_blocks(SlSystem *system, const SlLodSettings *settings, SlFluidPass *pass,
                        SlActive *active)
{
    SlArena *arena = &system->context->arena;
    size_t blocks = sl_particle_blocks(&system->particles);
    uint32_t *highest = SL_PUSH(arena, uint32_t, blocks), *refreshed = highest;
    if (settings->finished == SL_LOD_HALO) {
        refreshed = SL_PUSH(arena, uint32_t, blocks);
        pass->halo = SL_PUSH(arena, uint32_t, 8 * blocks);
        if (refreshed == NULL || pass->halo == NULL)
            return false;
        sl_fluid_run(system, pass, SL_KERNELS(system->context->isa, sl_pbf_kernels)->halo);
    }
    if (highest == NULL)
        return false;
    for (size_t b = 0; b < blocks; b++) {
        highest[b] = highest_of(pass->level, b);
        if (pass->halo != NULL)
            refreshed[b] = highest_of(pass->halo, b);
    }
    active->highest = highest;
    active->refreshed = refreshed;
    return true;
}

typedef struct MaskedRun {
    const SlFluidPass *pass;
    SlFluidLoop loop, retire; /* retire may be NULL */
    const uint32_t *highest;  /* per block */
} MaskedRun;

/* Runs of blocks with somebody active, in ascending order; those that have just gone are retired.
 */
static void masked_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const MaskedRun *run = argument;
    uint32_t l = run->pass->iteration;
    for (size_t b = begin; b < end;) {
        size_t first = b;
        while (b < end && run->highest[b] >= l)
            b++;
        if (b > first)
            run->loop(run->pass, first, b);
        for (; b < end && run->highest[b] < l; b++)
            if (run->retire != NULL && run->highest[b] == l - 1)
                run->retire(run->pass, b, b + 1);
    }
}

static void run_masked(const SlSystem *system, const SlFluidPass *pass, SlFluidLoop loop,
                       SlFluidLoop retire, const uint32_t *highest)
{
    MaskedRun run = {pass, loop, retire, highest};
    sl_parallel_for(system->context->pool, sl_particle_blocks(&system->particles),
                    SL_FLUID_CHUNK_BLOCKS, masked_chunk, &run);
}

/* --- Gathered --- */

enum { LEVEL_CHUNK = 8192 };

/* A counting sort by level: each chunk counts, and then writes from where the chunks before it end.
 */
typedef struct Order {
    const uint32_t *level;
    uint32_t least;
    size_t levels;
    size_t (*at)[SL_LOD_MAX_LEVELS]; /* per chunk and level above the least */
    uint32_t *own;
} Order;

static void count_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    Order *o = argument;
    memset(o->at[chunk], 0, sizeof o->at[chunk]);
    for (size_t i = begin; i < end; i++)
        if (o->level[i] > o->least)
            o->at[chunk][o->level[i] - o->least]++;
}

static void place_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    Order *o = argument;
    for (size_t i = begin; i < end; i++)
        if (o->level[i] > o->least)
            o->own[o->at[chunk][o->level[i] - o->least]++] = (uint32_t)i;
}

/* Active particles by falling level, ascending within one; counts[k] is the size of A_{least + k}.
 */
static bool order_by_level(SlSystem *system, const SlFluidPass *pass, SlActive *active)
{
    SlArena *arena = &((SlFluidState *)system->state)->sets;
    SlPool *pool = system->context->pool;
    size_t chunks = sl_chunk_count(pass->count, LEVEL_CHUNK);
    Order o = {.level = pass->level,
               .least = active->least,
               .levels = active->most - active->least,
               .at =
                   (size_t(*)[SL_LOD_MAX_LEVELS])sl_arena_push_array(arena, chunks, sizeof *o.at)};
    size_t *counts = SL_PUSH(arena, size_t, o.levels + 2);
    if (counts == NULL || o.at == NULL)
        return false;
    sl_parallel_for(pool, pass->count, LEVEL_CHUNK, count_chunk, &o);
    size_t before = 0;
    counts[o.levels + 1] = 0;
    for (size_t k = o.levels; k > 0; k--) { /* a set begins with all higher ones */
        for (size_t c = 0; c < chunks; c++) {
            size_t here = o.at[c][k];
            o.at[c][k] = before;
            before += here;
        }
        counts[k] = before;
    }
    size_t groups = (before + 7) / 8;
    uint32_t *own = SL_PUSH(arena, uint32_t, 8 * groups);
    if (own == NULL)
        return false;
    o.own = own;
    sl_parallel_for(pool, pass->count, LEVEL_CHUNK, place_chunk, &o);
    for (size_t k = before; k < 8 * groups; k++)
        own[k] = (uint32_t)system->particles.capacity;
    active->own = own;
    active->counts = counts;
    return true;
}

typedef struct Gather {
    const SlNeighbourList *from;
    SlNeighbourList *to;
    const uint32_t *own;
    size_t count;    /* of own */
    uint32_t *place; /* per particle: where in `own` it is, if it is active */
    const uint32_t *level;
    uint32_t least;
} Gather;

enum { GATHER_GROUPS = 512 };

/* A group has as many rows as the longest of the blocks its particles come from. */
static void counts_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Gather *g = argument;
    for (size_t b = begin; b < end; b++) {
        uint32_t most = 0;
        for (size_t k = 8 * b; k < 8 * b + 8 && k < g->count; k++) {
            uint32_t rows = g->from->row_count[g->own[k] / 8];
            most = rows > most ? rows : most;
            g->place[g->own[k]] = (uint32_t)k;
        }
        g->to->row_count[b] = most;
    }
}

/* In the order of the blocks they come from: particles of one level that are neighbours there are
   neighbours in `own`, so both ends stay in the cache. */
static void rows_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Gather *g = argument;
    for (size_t i = 8 * begin; i < 8 * end; i++) {
        if (g->level[i] <= g->least)
            continue;
        size_t group = g->place[i] / 8, lane = g->place[i] % 8, k = 0;
        const uint32_t(*from)[8] = (const uint32_t(*)[8])g->from->rows + g->from->row_begin[i / 8];
        uint32_t(*to)[8] = g->to->rows + g->to->row_begin[group];
        for (size_t rows = g->from->row_count[i / 8]; k < rows; k++)
            to[k][lane] = from[k][i % 8];
        for (size_t rows = g->to->row_count[group]; k < rows; k++)
            to[k][lane] = g->from->sentinel;
    }
}

/* The lists of the active ones, side by side in groups of eight. */
static bool gather_list(SlSystem *system, const SlFluidPass *pass, const SlNeighbourList *from,
                        const SlActive *active, SlNeighbourList *to)
{
    SlArena *arena = &((SlFluidState *)system->state)->sets;
    SlPool *pool = system->context->pool;
    size_t count = active->counts[1], groups = (count + 7) / 8;
    *to = (SlNeighbourList){.sentinel = from->sentinel,
                            .row_begin = SL_PUSH(arena, uint64_t, groups),
                            .row_count = SL_PUSH(arena, uint32_t, groups)};
    Gather g = {.from = from,
                .to = to,
                .own = active->own,
                .count = count,
                .place = SL_PUSH(arena, uint32_t, pass->count),
                .level = pass->level,
                .least = active->least};
    if (to->row_begin == NULL || to->row_count == NULL || g.place == NULL)
        return false;
    sl_parallel_for(pool, groups, GATHER_GROUPS, counts_chunk, &g);
    uint64_t rows = 0;
    for (size_t b = 0; b < groups; b++) {
        to->row_begin[b] = rows;
        rows += to->row_count[b];
    }
    to->rows = (uint32_t(*)[8])sl_arena_push_array(arena, (size_t)rows + 1, sizeof *to->rows);
    if (to->rows == NULL)
        return false;
    /* Nobody has neighbours at the end of the last group. */
    for (uint64_t k = groups > 0 ? to->row_begin[groups - 1] : 0; k < rows; k++)
        for (size_t lane = 0; lane < 8; lane++)
            to->rows[k][lane] = from->sentinel;
    sl_parallel_for(pool, sl_particle_blocks(&system->particles), GATHER_GROUPS, rows_chunk, &g);
    return true;
}

/* Made anew with every list and every frame's levels. Those of boundary particles are new each
 * step. */
static bool gather_sets(SlSystem *system, const SlFluidPass *pass, SlActive *active)
{
    SlFluidState *state = system->state;
    if (!system->surroundings.interval_begins && pass->boundary == NULL &&
        state->active_list == state->lists) {
        *active = state->active;
        return true;
    }
    sl_arena_reset(&state->sets);
    state->active_list = 0;
    if (!order_by_level(system, pass, active) ||
        !gather_list(system, pass, pass->list, active, &active->list) ||
        (pass->boundary != NULL &&
         !gather_list(system, pass, pass->boundary_list, active, &active->boundary_list)))
        return false;
    state->active = *active;
    state->active_list = state->lists;
    return true;
}

typedef struct GatheredRun {
    const SlFluidPass *pass;
    SlFluidLoop loop;
} GatheredRun;

static void gathered_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const GatheredRun *run = argument;
    run->loop(run->pass, begin, end);
}

static void run_gathered(const SlSystem *system, const SlFluidPass *pass, SlFluidLoop loop)
{
    GatheredRun run = {pass, loop};
    sl_parallel_for(system->context->pool, (pass->count + 7) / 8, SL_FLUID_CHUNK_BLOCKS,
                    gathered_chunk, &run);
}

static void iterate_gathered(const SlSystem *system, const SlFluidPass *pass,
                             const SlActive *active)
{
    const SlPbfKernels *kernels = SL_KERNELS(system->context->isa, sl_pbf_kernels);
    SlKernelKind kind = sl_fluid_kernel(system);
    uint32_t above = pass->iteration - active->least;
    SlFluidPass gathered = *pass;
    gathered.own = active->own;
    gathered.list = &active->list;
    gathered.boundary_list = &active->boundary_list;
    /* Eq. 11: who has just finished; in the first of these iterations all who are not active. */
    if (above == 1)
        sl_fluid_run(system, pass, kernels->retire);
    else {
        gathered.count = active->counts[above - 1];
        run_gathered(system, &gathered, kernels->retire_gathered);
    }
    gathered.count = active->counts[above]; /* eq. 10 */
    run_gathered(system, &gathered, kernels->lambda_gathered[kind]);
    run_gathered(system, &gathered, kernels->displace_gathered[kind]);
}

/* --- Both --- */

SlStatus sl_active_assign(SlSystem *system, const SlLodSettings *settings, SlFluidPass *pass,
                          SlActive *active, SlError *error)
{
    SlParticles *particles = &system->particles;
    uint32_t *level = particles->data[SL_F_LEVEL];
    *active = (SlActive){.least = settings->most, .most = settings->most};
    system->stats.mean_iterations = settings->most;
    if (level == NULL || settings->least >= settings->most)
        return SL_OK;
    active->least = settings->least;
    if (system->surroundings.interval_begins) {
        SlStatus status = sl_lod_assign(system, settings, pass->predicted, level, error);
        if (status != SL_OK)
            return status;
    }
    /* Padding and sentinel have no level. */
    size_t blocks = sl_particle_blocks(particles);
    memset(level + particles->count, 0, (8 * blocks - particles->count) * sizeof *level);
    memset(level + particles->capacity, 0, 8 * sizeof *level);
    pass->level = level;
    pass->stale = settings->finished == SL_LOD_STALE;
    bool masked = settings->masked || settings->finished != SL_LOD_ZERO ||
                  settings->most - settings->least >= SL_LOD_MAX_LEVELS;
    if (!(masked ? mask_blocks(system, settings, pass, active) : gather_sets(system, pass, active)))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for levels of detail");
    double sum = 0; /* of iterations above the least */
    for (uint32_t k = 1; !masked && k <= settings->most - settings->least; k++)
        sum += (double)active->counts[k];
    for (size_t i = 0; masked && i < particles->count; i++)
        sum += level[i] > settings->least ? level[i] - settings->least : 0;
    system->stats.mean_iterations =
        settings->least + sum / (double)(particles->count + (particles->count == 0));
    return SL_OK;
}

void sl_active_iterate(const SlSystem *system, SlFluidPass *pass, const SlActive *active)
{
    const SlPbfKernels *kernels = SL_KERNELS(system->context->isa, sl_pbf_kernels);
    SlKernelKind kind = sl_fluid_kernel(system);
    if (active->own != NULL) {
        iterate_gathered(system, pass, active);
        return;
    }
    run_masked(system, pass, kernels->lambda_active[kind], kernels->retire, active->refreshed);
    run_masked(system, pass, kernels->displace_active[kind], NULL, active->highest);
}
