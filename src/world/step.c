/* Advances a world by a step or a frame; the hash of its state. */
#include <string.h>

#include "core/hash.h"
#include "world/world.h"

const char *sl_stage_name(SlStage stage)
{
    static const char *const names[SL_STAGE_COUNT] = {"predict", "sort",  "neighbours",
                                                      "levels",  "solve", "velocities"};
    return (unsigned)stage < SL_STAGE_COUNT ? names[stage] : "unknown";
}

const char *sl_stop_name(SlStop stop)
{
    static const char *const names[SL_STOP_COUNT] = {"none", "move", "mean", "max", "limit"};
    return (unsigned)stop < SL_STOP_COUNT ? names[stop] : "unknown";
}

static SlFlowTarget flow_target(SlSystem *system)
{
    return (SlFlowTarget){.particles = &system->particles,
                          .name = system->name,
                          .spacing = system->solver->spacing(system),
                          .time = system->time,
                          .arena = &system->arena};
}

static SlStatus sub_step(SlWorld *world, SlWorldSystem *holder, double time, double dt,
                         SlError *error)
{
    SlSystem *system = &holder->base;
    memset(&system->stats, 0, sizeof system->stats);
    sl_colliders_move(&world->colliders, sl_world_interpolation(world), time, dt);
    SlStatus status = sl_monitor_begin(world, holder, error);
    size_t before = system->particles.count;
    SlFlowTarget target = flow_target(system);
    sl_arena_reset(target.arena);
    if (status == SL_OK)
        status = sl_flow_emit(&holder->flow, &target, dt, error);
    if (status == SL_OK) {
        sl_monitor_entered(world, holder, before);
        status = sl_world_apply_forces(world, holder, time, dt, error);
    }
    if (status == SL_OK)
        status = system->solver->step(system, dt, error);
    if (status == SL_OK)
        status = sl_monitor_end(world, holder, dt, error);
    if (status == SL_OK)
        status = sl_flow_drain(&holder->flow, &target, error);
    if (status == SL_OK)
        holder->flow.changed = 0;
    return status;
}

/* End (returned) and length (*sub) of sub-step k, which begins at `done` in an interval of dt. */
static double end_of_step(const SlSystem *system, double dt, double done, uint32_t k, double *sub)
{
    const SlSolver *solver = system->solver;
    double length = solver->step_length != NULL ? solver->step_length(system, dt - done) : 0;
    if (length > 0) {
        double end = length < dt - done ? done + length : dt;
        *sub = end - done;
        return end;
    }
    uint32_t steps = solver->steps(system);
    *sub = dt / steps; /* bitwise equal for all sub-steps */
    return k + 1 < steps ? (k + 1) * (dt / steps) : dt;
}

/* Advances the system by one sub-step from its progress in the interval. */
static SlStatus take_sub_step(SlWorld *world, SlWorldSystem *holder, SlError *error)
{
    SlSystem *system = &holder->base;
    SlInterval *interval = &world->interval;
    SlProgress *progress = &holder->progress;
    double sub, left = interval->dt - progress->done;
    double end = end_of_step(system, interval->dt, progress->done, (uint32_t)progress->step, &sub);
    system->surroundings.interval_begins = progress->step == 0;
    system->surroundings.interval_left = left;
    system->surroundings.interval_length = interval->dt;
    system->surroundings.population_changes =
        sl_flow_changes(&holder->flow) ||
        holder->bodies_revision != world->colliders.bodies.revision;
    holder->bodies_revision = world->colliders.bodies.revision;
    interval->began = world->time + progress->done;
    interval->length = sub;
    SlStatus status = sub_step(world, holder, interval->began, sub, error);
    if (status != SL_OK)
        return status;
    progress->step++;
    progress->done = end;
    system->step++;
    system->time = world->time + end;
    system->stats.step = system->step;
    system->stats.time = system->time;
    system->stats.dt = sub;
    system->stats.particles = system->particles.count;
    sl_world_add_load(holder, sub);
    if (world->def.on_step != NULL &&
        !world->def.on_step(world->def.on_step_user, sl_system_id(world, system), &system->stats))
        return sl_error_set(error, SL_ERROR_CANCELLED, "stopped at %.6g s", system->time);
    return SL_OK;
}

/* The system with the earliest time, the first of several; NULL: all have reached the end. */
static SlWorldSystem *furthest_behind(const SlWorld *world)
{
    SlWorldSystem *behind = NULL;
    for (uint32_t k = 0; k < world->system_count; k++) {
        double least = behind != NULL ? behind->progress.done : world->interval.dt;
        if (world->systems[k]->progress.done < least)
            behind = world->systems[k];
    }
    return behind;
}

static void begin_interval(SlWorld *world, double dt, bool is_frame)
{
    sl_world_move_cameras(world);
    world->interval = (SlInterval){.dt = dt, .open = 1, .is_frame = is_frame};
    for (uint32_t k = 0; k < world->system_count; k++) {
        world->systems[k]->progress = (SlProgress){0, 0};
        memset(&world->systems[k]->load, 0, sizeof world->systems[k]->load);
    }
}

/* Ends the open interval. Systems advance in time order, each by its own sub-steps, and
   bodies are moved before each of them. */
static SlStatus end_interval(SlWorld *world, SlError *error)
{
    SlInterval *interval = &world->interval;
    SlWorldSystem *system;
    while ((system = furthest_behind(world)) != NULL) {
        SlStatus status = take_sub_step(world, system, error);
        if (status != SL_OK)
            return status;
    }
    interval->open = 0;
    sl_world_couple(world, interval->dt);
    sl_colliders_reach_targets(&world->colliders);
    world->time += interval->dt;
    if (interval->is_frame) {
        world->frame++;
        world->time = world->clock.time +
                      (double)(world->frame - world->clock.frame) * world->def.frame_time;
    }
    return SL_OK;
}

SlStatus sl_world_finish_step(SlWorld *world, SlError *error)
{
    SlStatus status = sl_world_start(world, error);
    return status == SL_OK && world->interval.open ? end_interval(world, error) : status;
}

SlStatus sl_world_step(SlWorld *world, double dt, SlError *error)
{
    if (world == NULL)
        return SL_ERROR_ARGUMENT;
    if (!(dt > 0 && dt <= 10))
        return sl_error_set(error, SL_ERROR_ARGUMENT, "dt must be above 0 and at most 10 s, not %g",
                            dt);
    SlStatus status = sl_world_finish_step(world, error);
    if (status != SL_OK)
        return status;
    begin_interval(world, dt, false);
    return end_interval(world, error);
}

SlStatus sl_world_advance_frame(SlWorld *world, SlError *error)
{
    SlStatus status = sl_world_start(world, error);
    if (status == SL_OK && world->interval.open && !world->interval.is_frame)
        status = end_interval(world, error);
    if (status != SL_OK)
        return status;
    if (!world->interval.open)
        begin_interval(world, world->def.frame_time, true);
    return end_interval(world, error);
}

const SlStepStats *sl_system_stats(const SlWorld *world, SlSystemId id)
{
    const SlWorldSystem *system = sl_world_resolve_system(world, id, NULL);
    return system != NULL ? &system->base.stats : NULL;
}

/* Hash of one field; only x, y and z of float4 records. */
static uint64_t hash_field(const SlParticles *particles, int id, uint64_t seed)
{
    enum { RECORDS = 1024 };
    size_t bytes = sl_storage_bytes(sl_field_row(particles, id)->storage);
    if (bytes == 4)
        return sl_hash(particles->data[id], particles->count * bytes, seed);
    const float *records = particles->data[id];
    float packed[3 * RECORDS];
    for (size_t begin = 0; begin < particles->count; begin += RECORDS) {
        size_t some = particles->count - begin < RECORDS ? particles->count - begin : RECORDS;
        for (size_t k = 0; k < some; k++)
            memcpy(&packed[3 * k], &records[4 * (begin + k)], 3 * sizeof(float));
        seed = sl_hash(packed, some * 3 * sizeof(float), seed);
    }
    return seed;
}

uint64_t sl_world_hash(SlWorld *world)
{
    if (world == NULL)
        return 0;
    uint64_t hash = sl_hash(&world->frame, sizeof world->frame, world->def.seed);
    hash = sl_hash(&world->time, sizeof world->time, hash);
    hash = sl_colliders_hash(&world->colliders, hash);
    hash = sl_world_hash_forces(world, hash);
    for (uint32_t s = 0; s < world->system_count; s++) {
        const SlSystem *base = &world->systems[s]->base;
        hash = sl_hash(&base->step, sizeof base->step, hash);
        hash = sl_hash(&base->time, sizeof base->time, hash);
        hash = sl_flow_hash(&world->systems[s]->flow, hash);
        for (size_t k = 0; k < base->solver->state_row_count; k++) {
            const SlStateRow *row = &base->solver->state_rows[k];
            hash = sl_hash((const char *)base->state + row->offset, row->bytes, hash);
        }
        for (int id = 0; id < sl_field_count(&base->particles); id++)
            if (base->particles.data[id] != NULL &&
                (sl_field_row(&base->particles, id)->flags & SL_FIELD_STATE) != 0)
                hash = hash_field(&base->particles, id, hash);
    }
    return hash;
}
