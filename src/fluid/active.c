#include "fluid/active.h"

#include <string.h>

#include "fluid/fluid.h"
#include "fluid/pbf_kernels.h"

static uint32_t highest_of(const uint32_t *level, size_t b)
{
    uint32_t most = 0;
    for (size_t k = 8 * b; k < 8 * b + 8; k++)
        most = level[k] > most ? level[k] : most;
    return most;
}

/* Levels of this interval, and by block. Without level of detail everybody gets everything. */
SlStatus sl_active_assign(SlSystem *system, const SlLodSettings *settings, SlFluidPass *pass,
                          SlActive *active, SlError *error)
{
    SlParticles *particles = &system->particles;
    uint32_t *level = particles->data[SL_F_LEVEL];
    *active = (SlActive){.least = settings->most};
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
    SlLodFinished finished = settings->finished;
    SlArena *arena = &system->context->arena;
    uint32_t *highest = SL_PUSH(arena, uint32_t, blocks), *refreshed = highest;
    if (finished == SL_LOD_HALO) {
        refreshed = SL_PUSH(arena, uint32_t, blocks);
        pass->halo = SL_PUSH(arena, uint32_t, 8 * blocks);
    }
    if (highest == NULL || refreshed == NULL || (finished == SL_LOD_HALO && pass->halo == NULL))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for levels of detail");
    pass->level = level;
    pass->stale = finished == SL_LOD_STALE;
    if (pass->halo != NULL)
        sl_fluid_run(system, pass, SL_KERNELS(system->context->isa, sl_pbf_kernels)->halo);
    uint64_t sum = 0;
    for (size_t b = 0; b < blocks; b++) {
        highest[b] = highest_of(level, b);
        if (pass->halo != NULL)
            refreshed[b] = highest_of(pass->halo, b);
    }
    for (size_t i = 0; i < particles->count; i++)
        sum += level[i] > settings->least ? level[i] : settings->least;
    system->stats.mean_iterations =
        (double)sum / (double)(particles->count + (particles->count == 0));
    active->highest = highest;
    active->refreshed = refreshed;
    return SL_OK;
}

typedef struct ActiveRun {
    const SlFluidPass *pass;
    SlFluidLoop loop, retire; /* retire may be NULL */
    const uint32_t *highest;  /* per block */
} ActiveRun;

/* Runs of blocks with somebody active, in ascending order; those that have just gone are retired.
 */
static void active_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const ActiveRun *run = argument;
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

void sl_active_run(const SlSystem *system, const SlFluidPass *pass, SlFluidLoop loop,
                   SlFluidLoop retire, const uint32_t *highest)
{
    ActiveRun run = {pass, loop, retire, highest};
    sl_parallel_for(system->context->pool, sl_particle_blocks(&system->particles),
                    SL_FLUID_CHUNK_BLOCKS, active_chunk, &run);
}
