/* The pressure that water begins with. Water which rests on something starts in balance, and water
   which falls starts without pressure: p minimises

     sum_ij a_ij (p_i - p_j - g·(x_i - x_j))²,   p = 0 at the free surface,

   the weak form of div grad p = div g with the pressure gradient of gravity at walls. p is the
   pressure over density. The constraints themselves do not define it: on the cubic lattice they leave
   a pressure that alternates from layer to layer free. Solved by conjugate gradients. */
#include <math.h>
#include <string.h>

#include "core/parallel.h"
#include "math/vec3.h"
#include "solvers/fluid/fluid.h"

/* Particles below this density are the free surface. */
static const float surface_density = 0.93f;
static const double tolerance = 1e-3;
enum { MAX_ITERATIONS = 2000 };

/* The arrays of the solve; vectors have one number per particle. */
typedef struct Solve {
    SlSystem *system;
    SlFluidPass fluid;
    SlPressurePass pass;
    size_t count;
    float *values;  /* x, y, z, and the direction that the matrix is applied to */
    uint8_t *inside;
    float *pressure; /* the field PRESSURE */
    float *ratio; /* of the pressure that balances a particle of the packing to the mean */
    float *residual, *direction, *product;
} Solve;

static SlStatus push_arrays(Solve *s, SlError *error)
{
    SlSystem *system = s->system;
    size_t room = system->particles.capacity + 8;
    bool packed = ((SlFluidState *)system->state)->packing_density > 0;
    s->count = system->particles.count;
    s->values = sl_fluid_push_records(system);
    s->inside = SL_PUSH(&system->arena, uint8_t, room);
    s->ratio = SL_PUSH(&system->arena, float, room);
    s->residual = SL_PUSH(&system->arena, float, room);
    s->direction = SL_PUSH(&system->arena, float, room);
    s->product = SL_PUSH(&system->arena, float, room);
    if (s->values == NULL || s->inside == NULL || s->ratio == NULL || s->residual == NULL || s->direction == NULL ||
        s->product == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for the initial pressure");
    s->pressure = system->particles.data[SL_F_PRESSURE];
    memset(s->inside, 0, room);
    for (size_t i = 0; i < s->count; i++) {
        s->ratio[i] = s->pressure[i] > 0 && packed ? s->pressure[i] : 1;
        s->pressure[i] = 0;
    }
    for (size_t i = 0; i < s->count; i++) {
        s->inside[i] = s->fluid.particles.density[i] >= surface_density;
        memcpy(s->values + 4 * i, s->fluid.particles.position + 4 * i, 3 * sizeof(float));
        s->values[4 * i + 3] = 0;
    }
    s->pass = (SlPressurePass){.fluid = &s->fluid, .values = s->values, .inside = s->inside};
    return SL_OK;
}

static void apply(Solve *s, float *result)
{
    const SlFluidKernels *kernels = SL_KERNELS(s->system->context->isa, sl_fluid_kernels);
    s->pass.result = result;
    sl_particle_loop(s->system, kernels->pressure[sl_fluid_kernel(s->system)], &s->pass);
}

static double dot(const float *a, const float *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

/* [Hestenes 1952] on the matrix A p = sum_j a_ij (p_i - p_j), which the kernel has with the other
   sign. */
static uint32_t conjugate_gradients(Solve *s)
{
    SlVec3 g = s->system->surroundings.gravity;
    memcpy(s->pass.gravity, &g, sizeof g);
    apply(s, s->residual); /* the right side: p is 0 */
    memset(s->pass.gravity, 0, sizeof s->pass.gravity);
    memcpy(s->direction, s->residual, s->count * sizeof(float));
    double norm2 = dot(s->residual, s->residual, s->count), first = norm2;
    uint32_t iterations = 0;
    while (norm2 > tolerance * tolerance * first && iterations < MAX_ITERATIONS) {
        for (size_t i = 0; i < s->count; i++)
            s->values[4 * i + 3] = -s->direction[i];
        apply(s, s->product);
        double along = dot(s->direction, s->product, s->count);
        if (!(along > 0))
            break;
        float alpha = (float)(norm2 / along);
        for (size_t i = 0; i < s->count; i++) {
            s->pressure[i] += alpha * s->direction[i];
            s->residual[i] -= alpha * s->product[i];
        }
        double next = dot(s->residual, s->residual, s->count);
        float beta = (float)(next / norm2);
        for (size_t i = 0; i < s->count; i++)
            s->direction[i] = s->residual[i] + beta * s->direction[i];
        norm2 = next;
        iterations++;
    }
    /* The multipliers' gradient over particles is not exactly that of the pressure. */
    double packing = ((SlFluidState *)s->system->state)->packing_gradient;
    double lattice = sl_fluid_constants(s->system)->gradient_factor;
    float factor = (float)(1 / (packing > 0 ? packing : lattice));
    for (size_t i = 0; i < s->count; i++)
        s->pressure[i] = s->ratio[i] * factor * fmaxf(s->pressure[i], 0);
    return iterations;
}

/* The particles are in the order of the start's sort, and DENSITY is that of their positions. */
SlStatus sl_initial_pressure(SlSystem *system, SlError *error)
{
    SlFluidState *state = system->state;
    Solve s = {.system = system};
    if (!(sl_length(system->surroundings.gravity) > 0)) /* it may hold the packing's ratios */
        memset(system->particles.data[SL_F_PRESSURE], 0, system->particles.count * sizeof(float));
    if (system->particles.count == 0 || !(sl_length(system->surroundings.gravity) > 0))
        return SL_OK;
    SlStatus status = sl_fluid_prepare(system, 1, &s.fluid, error);
    if (status == SL_OK)
        status = sl_fluid_list(system, &s.fluid, SL_LIST_FROM_PREDICTED, error);
    state->list_built = false; /* the first step builds its own list */
    if (status == SL_OK)
        status = push_arrays(&s, error);
    if (status != SL_OK)
        return status;
    uint32_t iterations = conjugate_gradients(&s);
    sl_step_control_start_pressure(system, s.pressure);
    sl_log(system->context, SL_LOG_INFO, "%s: initial pressure solved in %u iterations", system->name,
           iterations);
    return SL_OK;
}
