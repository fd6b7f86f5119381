/* Density and velocity of a system at points. */
#include <math.h>

#include "sleet/particles.h"
#include "spatial/interpolate.h"
#include "world/world.h"

/* Support radius in spacings: that of the water solvers. */
static const float support_spacings = 2;

/* The masses of particles on the arena; NULL when that has no memory. */
static float *list_masses(const SlSystem *system, SlArena *arena)
{
    size_t n = system->particles.count;
    float *masses = SL_PUSH(arena, float, n);
    for (size_t i = 0; masses != NULL && i < n; i++)
        masses[i] = system->solver->mass(system, i);
    return masses;
}

static SlStatus check_points(const float *points, size_t count, SlError *error)
{
    for (size_t k = 0; k < 3 * count; k++)
        if (!isfinite(points[k]))
            return sl_error_set(error, SL_ERROR_ARGUMENT, "point %zu of a query is not finite",
                                k / 3);
    return SL_OK;
}

SlStatus sl_system_query(SlWorld *world, SlSystemId id, const float *points, size_t count,
                         float *density_out, float *velocity_out, SlError *error)
{
    SlWorldSystem *system = sl_world_resolve_system(world, id, error);
    if (system == NULL)
        return SL_ERROR_ARGUMENT;
    SlStatus status = sl_world_start(world, error);
    if (status == SL_OK)
        status = check_points(points, count, error);
    if (status != SL_OK)
        return status;
    SlSystem *base = &system->base;
    SlArena *arena = &base->context->arena;
    SlArenaMark mark = sl_arena_mark(arena);
    SlSamples samples = {
        .points = sl_particle_points(&base->particles, sl_f32x4(&base->particles, SL_F_POSITION)),
        .velocities = sl_f32x4(&base->particles, SL_F_VELOCITY),
        .masses = list_masses(base, arena)};
    SlProbes probes = {points, count, density_out, velocity_out};
    float support = support_spacings * base->solver->spacing(base);
    status = samples.masses != NULL
                 ? sl_interpolate(base->context, arena, &samples, support, &probes, error)
                 : sl_error_set(error, SL_ERROR_MEMORY, "no memory for a query");
    sl_arena_release(arena, mark);
    return status;
}
