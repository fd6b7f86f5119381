/* Checks after each sub-step of any solver: particles outside the domain, energy without a source.

   Energy is per unit of mass: the sum of v²/2 - g·(x - lowest corner of the domain) over particles.
   It dissipates. It is added by emitters and by force fields, which are measured, and by
   moving solids, whose work is bounded: at most they give all particles twice their speed and
   lift them to the top. Errors of a stable step are far below the energy of all particles moving
   half a spacing in the longest step so far: where steps follow the speed, the step's own length
   would allow for any speed. More than the minimum so far times energy_limit plus both of these is an
   instability. */
#include <math.h>
#include <stdio.h>

#include "core/parallel.h"
#include "math/vec3.h"
#include "world/world.h"

enum { ENERGY, OUTSIDE, PARTIALS };
/* Contacts leave particles near the walls, not exactly inside. */
static const float margin_spacings = 2;
static const double noise_spacings = 0.5;

typedef struct Pass {
    const float *position, *velocity; /* float4 */
    SlVec3 gravity, lowest;
    SlBox reach;
    double *partials;
} Pass;

/* The domain's corner farthest along gravity; 0 along a side that is open. */
static SlVec3 lowest_corner(const SlWorld *world)
{
    const float *g = &world->def.gravity.x;
    const float *low = &world->def.domain.min.x, *high = &world->def.domain.max.x;
    SlVec3 corner;
    for (int k = 0; k < 3; k++) {
        float side = g[k] < 0 ? low[k] : high[k];
        (&corner.x)[k] = isfinite(side) ? side : 0;
    }
    return corner;
}

/* With an open bottom potential energy has no minimum: falling particles gain it without limit. */
static bool is_bottomless(const SlWorld *world)
{
    const float *g = &world->def.gravity.x;
    const float *low = &world->def.domain.min.x, *high = &world->def.domain.max.x;
    for (int k = 0; k < 3; k++)
        if ((g[k] < 0 && !isfinite(low[k])) || (g[k] > 0 && !isfinite(high[k])))
            return true;
    return false;
}

static double energy_of(const Pass *pass, size_t i)
{
    const float *x = pass->position + 4 * i, *v = pass->velocity + 4 * i;
    const float *g = &pass->gravity.x, *low = &pass->lowest.x;
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += 0.5 * (double)v[k] * (double)v[k] - (double)g[k] * ((double)x[k] - (double)low[k]);
    return sum;
}

static bool inside(const Pass *pass, size_t i)
{
    const float *x = pass->position + 4 * i;
    SlVec3 low = pass->reach.min, high = pass->reach.max;
    return x[0] >= low.x && x[0] <= high.x && x[1] >= low.y && x[1] <= high.y && x[2] >= low.z &&
           x[2] <= high.z;
}

static void measure_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Pass *pass = argument;
    double energy = 0, outside = 0;
    for (size_t i = begin; i < end; i++) {
        energy += energy_of(pass, i);
        outside += !inside(pass, i);
    }
    pass->partials[PARTIALS * chunk + ENERGY] = energy;
    pass->partials[PARTIALS * chunk + OUTSIDE] = outside;
}

static Pass make_pass(const SlWorld *world, const SlWorldSystem *system)
{
    const SlSystem *base = &system->base;
    SlBox box = world->def.domain;
    float margin = margin_spacings * base->solver->spacing(base);
    SlVec3 more = {margin, margin, margin};
    return (Pass){.position = sl_f32x4(&base->particles, SL_F_POSITION),
                  .velocity = sl_f32x4(&base->particles, SL_F_VELOCITY),
                  .gravity = world->def.gravity,
                  .lowest = lowest_corner(world),
                  .reach = {sl_sub(box.min, more), sl_add(box.max, more)}};
}

/* Sums over all particles, in a fixed order. */
static SlStatus measure(const SlWorld *world, SlWorldSystem *system, Pass *pass,
                        double sums[PARTIALS], SlError *error)
{
    size_t count = system->base.particles.count, chunks = sl_chunk_count(count, SL_REDUCE_CHUNK);
    SlArena *arena = &system->base.arena;
    *pass = make_pass(world, system);
    sl_arena_reset(arena);
    pass->partials = SL_PUSH(arena, double, PARTIALS *chunks);
    if (pass->partials == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory to check a step");
    sl_parallel_for(world->context->pool, count, SL_REDUCE_CHUNK, measure_chunk, pass);
    for (size_t lane = 0; lane < PARTIALS; lane++)
        sums[lane] = sl_fold_sum(pass->partials, chunks, PARTIALS, lane);
    return SL_OK;
}

/* Infinite for a rotating plane: the speed of its points has no bound. */
static double fastest_body(const SlWorld *world)
{
    const SlBodies *bodies = &world->colliders.bodies;
    double fastest = 0;
    for (size_t k = 1; k < bodies->count; k++) {
        const SlBody *body = &bodies->body[k];
        bool endless = !sl_finite(body->bounds.min) && sl_length(body->motion.spin) > 0;
        fastest = fmax(fastest, endless ? INFINITY : sl_body_max_speed(body));
    }
    return fastest;
}

SlStatus sl_monitor_begin(SlWorld *world, SlWorldSystem *system, SlError *error)
{
    SlMonitor *monitor = &system->monitor;
    monitor->body_speed = fmax(monitor->body_speed, fastest_body(world));
    if (monitor->steps++ > 0)
        return SL_OK;
    Pass pass;
    double sums[PARTIALS];
    SlStatus status = measure(world, system, &pass, sums, error);
    monitor->energy = status == SL_OK ? fmax(sums[ENERGY], 0) : 0;
    return status;
}

void sl_monitor_entered(const SlWorld *world, SlWorldSystem *system, size_t before)
{
    Pass pass = make_pass(world, system);
    for (size_t i = before; i < system->base.particles.count; i++)
        system->monitor.energy += fmax(energy_of(&pass, i), 0);
    system->monitor.energy += system->flow.work;
}

static SlStatus report_divergence(const SlSystem *base, const Pass *pass, size_t i, const char *what,
                      SlError *error)
{
    const float *x = pass->position + 4 * i;
    const uint32_t *id = base->particles.data[SL_F_ID];
    return sl_error_set(error, SL_ERROR_NUMBERS, "%s: check: particle %u at (%g, %g, %g): %s",
                        base->solver->table.name, id[i], (double)x[0], (double)x[1], (double)x[2],
                        what);
}

static SlStatus report_outside(const SlSystem *base, const Pass *pass, SlError *error)
{
    size_t i = 0;
    while (inside(pass, i))
        i++;
    return report_divergence(base, pass, i, "it is outside the domain", error);
}

static SlStatus report_fastest(const SlSystem *base, const Pass *pass, double found, double allowed,
                              SlError *error)
{
    size_t fastest = 0;
    double most = -1;
    for (size_t i = 0; i < base->particles.count; i++) {
        const float *v = pass->velocity + 4 * i;
        double speed = sqrt((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]);
        if (!(speed <= most)) {
            most = speed;
            fastest = i;
        }
    }
    char what[320];
    double n = (double)base->particles.count;
    snprintf(what, sizeof what,
             "it is the fastest, at %.3g m/s, in step %llu after %.6g s; the energy is %.4g J/kg and "
             "may be at most %.4g (energy_limit): the step diverged; use shorter steps or more "
             "iterations",
             most, (unsigned long long)base->step, base->time, found / n, allowed / n);
    return report_divergence(base, pass, fastest, what, error);
}

SlStatus sl_monitor_end(SlWorld *world, SlWorldSystem *system, double dt, SlError *error)
{
    const SlSystem *base = &system->base;
    SlMonitor *monitor = &system->monitor;
    double n = (double)base->particles.count, sums[PARTIALS];
    if (base->particles.count == 0)
        return SL_OK;
    Pass pass;
    SlStatus status = measure(world, system, &pass, sums, error);
    if (status != SL_OK)
        return status;
    if (sums[OUTSIDE] > 0)
        return report_outside(base, &pass, error);

    monitor->longest_step = fmax(monitor->longest_step, dt);
    double step_speed =
        noise_spacings * (double)base->solver->spacing(base) / monitor->longest_step;
    double allowed = world->def.energy_limit * monitor->energy + n * 0.5 * step_speed * step_speed;
    if (monitor->body_speed > 0) {
        SlVec3 size = sl_sub(world->def.domain.max, world->def.domain.min);
        double thrown = 2 * monitor->body_speed;
        double lifted = (double)sl_length(world->def.gravity) * (double)sl_length(size);
        allowed += n * (world->def.energy_limit * 0.5 * thrown * thrown + lifted);
    }
    if (world->def.energy_limit > 0 && !is_bottomless(world) && !(sums[ENERGY] <= allowed))
        return report_fastest(base, &pass, sums[ENERGY], allowed, error);
    monitor->energy = fmin(monitor->energy, fmax(sums[ENERGY], 0));
    return SL_OK;
}
