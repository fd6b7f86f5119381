#include "solvers/pbf/lod/active.h"

#include <string.h>

#include "solvers/pbf/pbf.h"

void sl_active_init(SlActiveState *state, SlMemory *memory)
{
    *state = (SlActiveState){0};
    sl_arena_init(&state->arena, memory);
}

void sl_active_destroy(SlActiveState *state)
{
    sl_arena_free(&state->arena);
}

/* --- Masked sets --- */

static uint32_t highest_of(const uint32_t *level, size_t b)
{
    uint32_t highest = 0;
    for (size_t k = 8 * b; k < 8 * b + 8; k++)
        highest = level[k] > highest ? level[k] : highest;
    return highest;
}

static bool mask_blocks(SlSystem *system, const SlLodSettings *settings, SlPbfPass *pass,
                        SlActiveSets *sets)
{
    SlArena *arena = &system->arena;
    size_t blocks = sl_particle_blocks(&system->particles);
    uint32_t *highest = SL_PUSH(arena, uint32_t, blocks), *refreshed = highest;
    if (settings->finished == SL_LOD_HALO) {
        refreshed = SL_PUSH(arena, uint32_t, blocks);
        pass->levels.halo = SL_PUSH(arena, uint32_t, 8 * blocks);
        if (refreshed == NULL || pass->levels.halo == NULL)
            return false;
        sl_particle_loop(system, SL_KERNELS(system->context->isa, sl_pbf_kernels)->halo, pass);
    }
    if (highest == NULL)
        return false;
    for (size_t b = 0; b < blocks; b++) {
        highest[b] = highest_of(pass->levels.level, b);
        if (pass->levels.halo != NULL)
            refreshed[b] = highest_of(pass->levels.halo, b);
    }
    sets->highest = highest;
    sets->refreshed = refreshed;
    return true;
}

typedef struct MaskedRun {
    const SlPbfPass *pass;
    SlLoop loop, retire;     /* retire may be NULL */
    const uint32_t *highest; /* per block */
} MaskedRun;

/* Calls `loop` for every run of blocks with an active particle; blocks that have just finished are
   retired. */
static void masked_loop(const void *data, size_t begin, size_t end, size_t chunk)
{
    const MaskedRun *run = data;
    uint32_t l = run->pass->levels.iteration;
    for (size_t b = begin; b < end;) {
        size_t first = b;
        while (b < end && run->highest[b] >= l)
            b++;
        if (b > first)
            run->loop(run->pass, first, b, chunk);
        for (; b < end && run->highest[b] < l; b++)
            if (run->retire != NULL && run->highest[b] == l - 1)
                run->retire(run->pass, b, b + 1, chunk);
    }
}

static void iterate_masked(const SlSystem *system, const SlPbfPass *pass, const SlActiveSets *sets)
{
    const SlPbfKernels *kernels = SL_KERNELS(system->context->isa, sl_pbf_kernels);
    SlKernelKind kind = sl_fluid_kernel(system);
    MaskedRun lambda = {pass, kernels->lambda_masked[kind], kernels->retire, sets->refreshed};
    MaskedRun displace = {pass, kernels->displace_masked[kind], NULL, sets->highest};
    sl_particle_loop(system, masked_loop, &lambda);
    sl_particle_loop(system, masked_loop, &displace);
}

/* --- Gathered sets --- */

enum { LEVEL_CHUNK = 8192 };

/* A counting sort by level: each chunk counts, then writes from where the chunks before it end. */
typedef struct Order {
    const uint32_t *level;
    uint32_t min_level;
    size_t levels;
    size_t (*at)[SL_LOD_MAX_LEVELS]; /* per chunk and level - min_level: count, then first index */
    uint32_t *own;
} Order;

static void count_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    Order *o = argument;
    memset(o->at[chunk], 0, sizeof o->at[chunk]);
    for (size_t i = begin; i < end; i++)
        if (o->level[i] > o->min_level)
            o->at[chunk][o->level[i] - o->min_level]++;
}

static void place_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    Order *o = argument;
    for (size_t i = begin; i < end; i++)
        if (o->level[i] > o->min_level)
            o->own[o->at[chunk][o->level[i] - o->min_level]++] = (uint32_t)i;
}

/* Sorts active particles by descending level, then by index; counts[k] is the size of
   A_{min_level + k}. */
static bool order_by_level(SlSystem *system, const SlPbfPass *pass, SlArena *arena,
                           SlActiveSets *sets)
{
    SlPool *pool = system->context->pool;
    size_t count = pass->fluid.particles.count, chunks = sl_chunk_count(count, LEVEL_CHUNK);
    Order o = {.level = pass->levels.level,
               .min_level = sets->min_level,
               .levels = sets->max_level - sets->min_level,
               .at =
                   (size_t(*)[SL_LOD_MAX_LEVELS])sl_arena_push_array(arena, chunks, sizeof *o.at)};
    size_t *counts = SL_PUSH(arena, size_t, o.levels + 2);
    if (counts == NULL || o.at == NULL)
        return false;
    sl_parallel_for(pool, count, LEVEL_CHUNK, count_chunk, &o);
    size_t before = 0;
    counts[o.levels + 1] = 0;
    for (size_t k = o.levels; k > 0; k--) { /* A_l begins with all A of higher levels */
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
    sl_parallel_for(pool, count, LEVEL_CHUNK, place_chunk, &o);
    for (size_t k = before; k < 8 * groups; k++)
        own[k] = (uint32_t)system->particles.capacity;
    sets->own = own;
    sets->counts = counts;
    return true;
}

typedef struct Gather {
    const SlNeighbourList *from;
    SlNeighbourList *to;
    const uint32_t *own;
    size_t count;    /* length of own */
    uint32_t *place; /* per particle: its index in `own`, if it is active */
    const uint32_t *level;
    uint32_t min_level;
} Gather;

enum { GATHER_GROUPS = 512 };

/* A group has as many rows as the longest of the blocks its particles come from. */
static void counts_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Gather *g = argument;
    for (size_t b = begin; b < end; b++) {
        uint32_t longest = 0;
        for (size_t k = 8 * b; k < 8 * b + 8 && k < g->count; k++) {
            uint32_t rows = g->from->row_count[g->own[k] / 8];
            longest = rows > longest ? rows : longest;
            g->place[g->own[k]] = (uint32_t)k;
        }
        g->to->row_count[b] = longest;
    }
}

/* Copies rows in the order of the source blocks: particles of one level that are adjacent there are
   adjacent in `own`, so that source and destination stay in the cache. */
static void rows_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const Gather *g = argument;
    for (size_t i = 8 * begin; i < 8 * end; i++) {
        if (g->level[i] <= g->min_level)
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

/* The lists of active particles, copied into groups of eight. */
static bool gather_list(SlSystem *system, const SlPbfPass *pass, const SlNeighbourList *from,
                        const SlActiveSets *sets, SlNeighbourList *to)
{
    SlArena *arena = &((SlPbfState *)system->state)->active.arena;
    SlPool *pool = system->context->pool;
    size_t count = sets->counts[1], groups = (count + 7) / 8;
    *to = (SlNeighbourList){.sentinel = from->sentinel,
                            .row_begin = SL_PUSH(arena, uint64_t, groups),
                            .row_count = SL_PUSH(arena, uint32_t, groups)};
    Gather g = {.from = from,
                .to = to,
                .own = sets->own,
                .count = count,
                .place = SL_PUSH(arena, uint32_t, pass->fluid.particles.count),
                .level = pass->levels.level,
                .min_level = sets->min_level};
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
    /* The unused lanes of the last group have no neighbours. */
    for (uint64_t k = groups > 0 ? to->row_begin[groups - 1] : 0; k < rows; k++)
        for (size_t lane = 0; lane < 8; lane++)
            to->rows[k][lane] = from->sentinel;
    sl_parallel_for(pool, sl_particle_blocks(&system->particles), GATHER_GROUPS, rows_chunk, &g);
    return true;
}

/* Sets are gathered again after a list build or a change of levels; boundary lists are new in each
   step. */
static bool gather_sets(SlSystem *system, const SlPbfPass *pass, SlActiveSets *sets)
{
    SlPbfState *state = system->state;
    SlActiveState *kept = &state->active;
    const SlSolidsPass *solids = &pass->fluid.solids;
    if (!system->surroundings.interval_begins && solids->boundary == NULL &&
        kept->list == state->fluid.list_count) {
        *sets = kept->sets;
        return true;
    }
    sl_arena_reset(&kept->arena);
    kept->list = 0;
    if (!order_by_level(system, pass, &kept->arena, sets) ||
        !gather_list(system, pass, pass->fluid.list, sets, &sets->list) ||
        (solids->boundary != NULL &&
         !gather_list(system, pass, solids->boundary_list, sets, &sets->boundary_list)))
        return false;
    kept->sets = *sets;
    kept->list = state->fluid.list_count;
    return true;
}

static void run_groups(const SlSystem *system, SlLoop loop, const SlPbfPass *gathered)
{
    sl_loop_run(system->context->pool, (gathered->fluid.particles.count + 7) / 8, SL_CHUNK_BLOCKS,
                loop, gathered);
}

static void iterate_gathered(const SlSystem *system, const SlPbfPass *pass,
                             const SlActiveSets *sets)
{
    const SlPbfKernels *kernels = SL_KERNELS(system->context->isa, sl_pbf_kernels);
    SlKernelKind kind = sl_fluid_kernel(system);
    uint32_t above = pass->levels.iteration - sets->min_level;
    SlPbfPass gathered = *pass;
    gathered.levels.own = sets->own;
    gathered.fluid.list = &sets->list;
    gathered.fluid.solids.boundary_list = &sets->boundary_list;
    /* Retires particles that have just finished [Köster 2016 eq. 11]; in the first iteration all
       that are not active. */
    if (above == 1)
        sl_particle_loop(system, kernels->retire, pass);
    else {
        gathered.fluid.particles.count = sets->counts[above - 1];
        run_groups(system, kernels->retire_gathered, &gathered);
    }
    gathered.fluid.particles.count = sets->counts[above]; /* [Köster 2016 eq. 10] */
    run_groups(system, kernels->lambda_gathered[kind], &gathered);
    run_groups(system, kernels->displace_gathered[kind], &gathered);
}

/* --- Levels and iterations --- */

static bool uses_masks(const SlLodSettings *settings)
{
    return settings->masked || settings->finished != SL_LOD_ZERO ||
           settings->max_level - settings->min_level >= SL_LOD_MAX_LEVELS;
}

/* Mean iterations per particle, from the sets or from the levels. */
static double mean_iterations(const SlSystem *system, const SlPbfPass *pass,
                              const SlActiveSets *sets)
{
    size_t count = system->particles.count;
    double above = 0; /* iterations above the lowest level */
    for (uint32_t k = 1; sets->counts != NULL && k <= sets->max_level - sets->min_level; k++)
        above += (double)sets->counts[k];
    const uint32_t *level = pass->levels.level;
    for (size_t i = 0; sets->counts == NULL && i < count; i++)
        above += level[i] > sets->min_level ? level[i] - sets->min_level : 0;
    return sets->min_level + above / (double)(count + (count == 0));
}

/* Clamps the levels within an interval: new particles get the minimum, and all are clamped to a range
   that was changed since they were assigned. In every step, since a restored state has no sets:
   the result must not depend on whether the run was stopped here. */
static void clamp_levels(const SlSystem *system, const SlLodSettings *settings, uint32_t *level)
{
    SlActiveState *kept = &((SlPbfState *)system->state)->active;
    bool changed =
        kept->min_level != settings->min_level || kept->max_level != settings->max_level;
    for (size_t i = 0; i < system->particles.count; i++) {
        level[i] = level[i] < settings->min_level ? settings->min_level : level[i];
        level[i] = level[i] > settings->max_level ? settings->max_level : level[i];
    }
    if (changed)
        kept->list = 0;
}

SlStatus sl_levels_update(SlSystem *system, const SlLodSettings *settings, SlPbfPass *pass,
                          SlActiveSets *sets, SlError *error)
{
    SlParticles *particles = &system->particles;
    uint32_t *level = particles->data[SL_F_LEVEL];
    *sets = (SlActiveSets){.min_level = settings->max_level, .max_level = settings->max_level};
    system->stats.mean_iterations = settings->max_level;
    if (level == NULL || settings->min_level >= settings->max_level)
        return SL_OK;
    sets->min_level = settings->min_level;
    if (system->surroundings.interval_begins) {
        SlStatus status =
            sl_lod_assign(system, settings, pass->fluid.particles.predicted, level, error);
        if (status != SL_OK)
            return status;
    } else
        clamp_levels(system, settings, level);
    SlActiveState *kept = &((SlPbfState *)system->state)->active;
    kept->min_level = settings->min_level;
    kept->max_level = settings->max_level;
    /* Padding and sentinel have no level. */
    size_t blocks = sl_particle_blocks(particles);
    memset(level + particles->count, 0, (8 * blocks - particles->count) * sizeof *level);
    memset(level + particles->capacity, 0, 8 * sizeof *level);
    pass->levels.level = level;
    pass->levels.stale = settings->finished == SL_LOD_STALE;
    if (!(uses_masks(settings) ? mask_blocks(system, settings, pass, sets)
                               : gather_sets(system, pass, sets)))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for active sets");
    system->stats.mean_iterations = mean_iterations(system, pass, sets);
    return SL_OK;
}

void sl_active_iterate(const SlSystem *system, const SlPbfPass *pass, const SlActiveSets *sets)
{
    if (sets->own != NULL)
        iterate_gathered(system, pass, sets);
    else
        iterate_masked(system, pass, sets);
}
