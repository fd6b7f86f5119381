#include "solvers/fluid/solids.h"

#include <string.h>

#include "math/vec3.h"

static bool is_flat(const SlBody *body)
{
    return body->kind == SL_BODY_DOMAIN || (body->kind == SL_BODY_SHAPE && body->type->endless);
}

/* Has it a surface that can be sampled? */
static bool has_surface(const SlBody *body)
{
    return body->kind != SL_BODY_FIELD || body->mesh != NULL;
}

/* Flat surfaces of a domain with open sides have no end: they cannot be sampled. */
static bool is_analytic(const SlBodies *bodies, SlBoundaryKind kind, const SlBody *body)
{
    SlBox domain = bodies->body[0].bounds;
    bool endless = !sl_finite(domain.min) || !sl_finite(domain.max);
    if (body->kind == SL_BODY_NONE)
        return false;
    if (is_flat(body))
        return kind == SL_BY_WALLS || kind == SL_BY_BOTH || (kind == SL_BY_PARTICLES && endless);
    return kind == SL_BY_WALLS || (kind != SL_BY_CONTACT && !has_surface(body));
}

/* Marks the bodies that become particles; true if there is one. */
static bool mark_sampled(const SlBodies *bodies, SlBoundaryKind kind, uint8_t *marks)
{
    bool some = false;
    for (size_t k = 0; k < bodies->count; k++) {
        const SlBody *body = &bodies->body[k];
        marks[k] = kind >= SL_BY_PARTICLES && body->kind != SL_BODY_NONE && has_surface(body) &&
                   !is_analytic(bodies, kind, body);
        some |= marks[k];
    }
    return some;
}

SlStatus sl_solids_create(SlSystem *system, const SlSolidSettings *settings, SlSolids *solids,
                          SlError *error)
{
    const SlBodies *bodies = system->surroundings.bodies;
    SlMemory *memory = &system->context->memory;
    uint8_t marks[SL_MAX_BODIES];
    size_t count = bodies->count;
    memset(solids, 0, sizeof *solids);
    solids->settings = *settings;
    solids->body_count = count;
    solids->revision = bodies->revision;
    solids->boundary.context = system->context;
    solids->analytic = sl_alloc_zero(memory, count, sizeof *solids->analytic);
    solids->centers = sl_alloc_zero(memory, count, sizeof *solids->centers);
    if (solids->analytic == NULL || solids->centers == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for %zu bodies", count);
    for (size_t k = 0; k < count; k++)
        solids->analytic[k] = is_analytic(bodies, settings->kind, &bodies->body[k]);
    if (!mark_sampled(bodies, settings->kind, marks))
        return SL_OK;
    SlStatus status = sl_boundary_create(system->context, bodies, marks, &settings->samples,
                                         &solids->boundary, error);
    if (status == SL_OK && solids->boundary.set.count > 0)
        status = sl_neighbours_create(system->context, system->particles.capacity, &solids->list,
                                      error);
    if (status == SL_OK)
        sl_log(system->context, SL_LOG_INFO, "%s: %zu boundary particles", system->name,
               solids->boundary.set.count);
    return status;
}

void sl_solids_destroy(SlSolids *solids)
{
    if (solids->boundary.context != NULL) {
        SlMemory *memory = &solids->boundary.context->memory;
        sl_free(memory, solids->analytic, solids->body_count * sizeof *solids->analytic);
        sl_free(memory, solids->centers, solids->body_count * sizeof *solids->centers);
    }
    sl_neighbours_destroy(&solids->list);
    sl_boundary_destroy(&solids->boundary);
    memset(solids, 0, sizeof *solids);
}

uint64_t sl_solids_bytes(const SlSystem *system, const SlSolidSettings *settings, uint64_t count)
{
    const SlBodies *bodies = system->surroundings.bodies;
    uint8_t marks[SL_MAX_BODIES];
    if (!mark_sampled(bodies, settings->kind, marks))
        return 0;
    /* A sample that is wet is in the rows of about ten particles; blocks have the places of rows.
     */
    double samples = sl_boundary_estimate(bodies, marks, &settings->samples);
    return sl_boundary_bytes(samples) + (uint64_t)(48 * samples) + (count + 7) / 8 * 12;
}

SlStatus sl_solids_place(SlSolids *solids, SlSystem *system, SlFluidPass *pass, SlError *error)
{
    const SlBodies *bodies = system->surroundings.bodies;
    SlForces forces = solids->settings.forces;
    if (solids->revision != bodies->revision) {
        SlSolidSettings settings = solids->settings;
        sl_solids_destroy(solids);
        SlStatus status = sl_solids_create(system, &settings, solids, error);
        if (status != SL_OK)
            return status;
    }
    pass->solids.contacts.centers = solids->centers;
    pass->solids.body_count = solids->body_count;
    pass->solids.analytic = solids->analytic;
    for (size_t k = 0; k < solids->body_count; k++) {
        solids->centers[k] = bodies->body[k].center;
        pass->solids.analytic_fields |= bodies->body[k].kind == SL_BODY_FIELD && solids->analytic[k];
        pass->solids.walls_rub |= bodies->body[k].friction > 0 && solids->analytic[k];
    }
    if (forces == SL_FORCES_ALL || (forces == SL_FORCES_BODIES && solids->body_count > 1)) {
        size_t lanes =
            sl_chunk_count(pass->particles.count, SL_REDUCE_CHUNK) * solids->body_count * SL_FORCE_LANES;
        pass->solids.forces = SL_PUSH(&system->arena, double, lanes);
        if (pass->solids.forces == NULL)
            return sl_error_set(error, SL_ERROR_MEMORY, "no memory to sum forces");
        memset(pass->solids.forces, 0, lanes * sizeof *pass->solids.forces);
    }
    if (solids->boundary.set.count == 0)
        return SL_OK;
    SlStatus status = sl_neighbours_fit(&solids->list, system->particles.capacity, error);
    if (status == SL_OK)
        status = sl_boundary_place(&solids->boundary, bodies, &system->arena, error);
    pass->solids.boundary = sl_f32x4(&solids->boundary.set, SL_F_POSITION);
    pass->solids.boundary_motion = solids->boundary.motion;
    pass->solids.boundary_body = solids->boundary.body;
    pass->solids.boundary_list = &solids->list;
    pass->solids.boundary_rubs = solids->boundary.rubs;
    return status;
}

SlStatus sl_solids_list(SlSolids *solids, SlSystem *system, const float *records, SlError *error)
{
    SlBoundary *boundary = &solids->boundary;
    if (boundary->set.count == 0)
        return SL_OK;
    const float *samples = sl_f32x4(&boundary->set, SL_F_POSITION);
    return sl_neighbours_between(&solids->list, sl_particle_points(&system->particles, records),
                                 &boundary->grid, sl_particle_points(&boundary->set, samples),
                                 (float)boundary->settings.support, &system->arena, error);
}

/* The force on a body is opposite to the displacements it gave: m dx / dt of momentum, per time. */
void sl_solids_sum_forces(const SlSolids *solids, SlSystem *system, const SlFluidPass *pass,
                          double mass, double dt)
{
    size_t chunks = sl_chunk_count(pass->particles.count, SL_REDUCE_CHUNK);
    size_t stride = solids->body_count * SL_FORCE_LANES,
           first = pass->solids.contacts.tally_domain ? 0 : 1;
    system->stats.bodies = system->forces + first;
    system->stats.body_count = pass->solids.forces != NULL ? system->force_count - first : 0;
    for (size_t body = 0; pass->solids.forces != NULL && body < system->force_count; body++) {
        SlBodyForce *force = &system->forces[body];
        force->center = solids->centers[body];
        for (size_t k = 0; k < 3; k++) {
            size_t lane = SL_FORCE_LANES * body + k;
            double per = mass / (dt * dt);
            force->force[k] = 0 - per * sl_fold_sum(pass->solids.forces, chunks, stride, lane);
            force->torque[k] = 0 - per * sl_fold_sum(pass->solids.forces, chunks, stride, lane + 3);
        }
    }
}
