#include "solvers/fluid/forces.h"

#include <math.h>

#include "core/parallel.h"

typedef struct MotionRun {
    const SlMotionPass *pass;
    SlMotionLoop loop;
} MotionRun;

static void run_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    const MotionRun *run = argument;
    run->loop(run->pass, begin, end, chunk);
}

static void run(const SlSystem *system, const SlMotionPass *pass, SlMotionLoop loop)
{
    MotionRun r = {pass, loop};
    sl_parallel_for(system->context->pool, sl_particle_blocks(&system->particles),
                    SL_FLUID_CHUNK_BLOCKS, run_chunk, &r);
}

static double sum_of(const SlMotionPass *pass, size_t lane)
{
    return sl_fold_sum(pass->partials, sl_chunk_count(pass->fluid->count, SL_REDUCE_CHUNK),
                       SL_MOTION_PARTIALS, lane);
}

static bool is_viscous(const SlSystem *system)
{
    bool viscous = sl_param(system, SL_FLUID_P_KINEMATIC_VISCOSITY) > 0;
    for (uint32_t k = 0; k < system->fluid_count; k++)
        viscous |= system->fluids[k].viscosity > 0;
    return viscous;
}

static bool is_tense(const SlSystem *system)
{
    return sl_param(system, SL_FLUID_P_COHESION) > 0 || sl_param(system, SL_FLUID_P_CURVATURE) > 0;
}

/* A float4 array with its padding far away, so that gathers of the sentinel meet finite numbers. */
static float *push_records(SlSystem *system)
{
    float *records = SL_PUSH(&system->context->arena, float, 4 * (system->particles.capacity + 8));
    if (records != NULL)
        sl_particles_pad(&system->particles, records);
    return records;
}

/* (M + dt K) u = M v for the velocity u at the end of the step: any viscosity is stable. Conjugate
   gradients, preconditioned by the diagonal. */
static SlStatus make_viscous(SlSystem *system, SlMotionPass *m, SlError *error)
{
    const SlMotionKernels *kernels = SL_KERNELS(system->context->isa, sl_motion_kernels);
    SlKernelKind kind = sl_fluid_kernel(system);
    m->residual = push_records(system);
    m->direction = push_records(system);
    m->product = push_records(system);
    if (m->residual == NULL || m->direction == NULL || m->product == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for viscosity");
    uint32_t most = (uint32_t)sl_param(system, SL_FLUID_P_VISCOSITY_ITERATIONS), k = 0;
    double tolerance = sl_param(system, SL_FLUID_P_VISCOSITY_TOLERANCE);
    run(system, m, kernels->viscous_viscosities);
    run(system, m, kernels->viscous_start[kind]);
    run(system, m, kernels->viscous_first);
    double rr = sum_of(m, SL_MOTION_FIRST), rz = sum_of(m, SL_MOTION_SECOND);
    double least = tolerance * tolerance * rr; /* and what no eye sees: 1e-6 d/dt, squared */
    double unseen = 1e-6 * sl_param(system, SL_FLUID_P_SPACING) / (double)m->fluid->dt;
    least = fmax(least, unseen * unseen * (double)m->fluid->count);
    for (; k < most && rr > least; k++) {
        run(system, m, kernels->viscous_apply[kind]);
        double pq = sum_of(m, SL_MOTION_FIRST);
        if (!(pq > 0))
            return sl_error_set(error, SL_ERROR_NUMBERS,
                                "%s: viscosity: the system of equations is not positive (%g)",
                                system->name, pq);
        m->alpha = (float)(rz / pq);
        run(system, m, kernels->viscous_advance);
        rr = sum_of(m, SL_MOTION_FIRST);
        double next = sum_of(m, SL_MOTION_SECOND);
        m->beta = (float)(next / rz);
        rz = next;
        run(system, m, kernels->viscous_turn);
    }
    SlFluidState *state = system->state;
    state->viscous_iterations = k;
    if (k == most && rr > least && !state->warned_viscous) {
        state->warned_viscous = true;
        sl_log(system->context, SL_LOG_WARNING,
               "%s: at %.3f s viscosity was not solved to %g in %u iterations (%.2g left); raise "
               "\"viscosity_iterations\" or \"steps\"",
               system->name, system->time, tolerance, most,
               sqrt(rr / (least / tolerance / tolerance)));
    }
    return SL_OK;
}

SlStatus sl_motion_apply(SlSystem *system, SlFluidPass *pass, SlError *error)
{
    const SlMotionKernels *kernels = SL_KERNELS(system->context->isa, sl_motion_kernels);
    SlKernelKind kind = sl_fluid_kernel(system);
    double d = sl_param(system, SL_FLUID_P_SPACING);
    SlMotionPass m = {.fluid = pass,
                      .support = (float)sl_fluid_support(system),
                      .volume = (float)(d * d * d),
                      .cohesion = (float)sl_param(system, SL_FLUID_P_COHESION),
                      .curvature = (float)sl_param(system, SL_FLUID_P_CURVATURE),
                      .vorticity = (float)sl_param(system, SL_FLUID_P_VORTICITY),
                      .viscosity = (float)sl_param(system, SL_FLUID_P_KINEMATIC_VISCOSITY)};
    bool tense = is_tense(system), viscous = is_viscous(system);
    if (!tense && !viscous && m.vorticity == 0)
        return SL_OK;
    m.partials = SL_PUSH(&system->context->arena, double,
                         sl_chunk_count(pass->count, SL_REDUCE_CHUNK) * SL_MOTION_PARTIALS);
    m.normals = tense ? push_records(system) : NULL;
    m.curls = m.vorticity != 0 ? push_records(system) : NULL;
    if (m.partials == NULL || (tense && m.normals == NULL) || (m.vorticity != 0 && m.curls == NULL))
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for forces between particles");
    if (tense) {
        run(system, &m, kernels->normals[kind]);
        run(system, &m, kernels->tension);
    }
    if (m.vorticity != 0) {
        run(system, &m, kernels->curls[kind]);
        run(system, &m, kernels->confine[kind]);
    }
    return viscous ? make_viscous(system, &m, error) : SL_OK;
}

uint64_t sl_motion_bytes(const SlSystem *system, uint64_t count)
{
    return 16 * count *
           (uint64_t)(3 * is_viscous(system) + is_tense(system) +
                      (sl_param(system, SL_FLUID_P_VORTICITY) != 0));
}
