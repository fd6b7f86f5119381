/* Distances [Bouaziz 2014, section 5.1; Macklin 2013, section 3]: particles that are placed within
   `distance_reach` of each other keep the distance of their start, which makes an elastic body of
   them. C and D select the two particles. The projection moves them along their line by mass:

     p_a = x_a - (w_a / (w_a + w_b)) (|u| - rest) u / |u|    with u = x_a - x_b, w = 1/m

   so that the momentum of a pair is conserved, and the energy of a pair is
   kappa/2 (|u| - rest)² / (w_a + w_b).

   Pairs are found once, at the start, and stored by particle id: particles are sorted in every
   step. A pair ends when one of its particles is removed. */
#include <math.h>
#include <string.h>

#include "solvers/projective/parameters.h"
#include "solvers/projective/projective.h"
#include "solvers/projective/projective_lanes.h"

typedef struct Partner {
    uint32_t id;
    float rest; /* m */
} Partner;

/* Persistent data: partners of particle `id` are [begin[id], begin[id + 1]). */
typedef struct Pairs {
    size_t ids, count;
    uint32_t *begin;
    Partner *partners;
} Pairs;

/* Data of a step. */
typedef struct Distance {
    float kappa;
    const Pairs *pairs;
    const uint32_t *index; /* of each id below pairs->ids in the sorted arrays; NONE: removed */
} Distance;

enum { NONE = UINT32_MAX };

static double kappa(const SlSystem *system, double dt)
{
    double d = sl_param(system, SL_FLUID_PARAM_SPACING);
    return sl_param(system, SL_PROJECTIVE_PARAM_DISTANCE_STIFFNESS) /
           sl_param(system, SL_FLUID_PARAM_REST_DENSITY) * dt * dt / (d * d);
}

/* --- Pairs --- */

/* Writes the partners of particle i, or only counts them. */
static size_t find_partners(const SlSystem *system, size_t i, double reach, Partner *partners)
{
    const SlNeighbourList *list = &((const SlFluidState *)system->state)->list;
    const float *x = sl_f32x4(&system->particles, SL_F_POSITION);
    const uint32_t *id = system->particles.data[SL_F_ID];
    const uint32_t(*row)[8] = rows_of(list, i / 8);
    size_t count = 0;
    for (uint32_t k = 0; k < list->row_count[i / 8]; k++) {
        size_t j = row[k][i % 8];
        if (j == list->sentinel)
            continue;
        double r2 = 0;
        for (size_t a = 0; a < 3; a++) {
            double u = (double)x[4 * i + a] - (double)x[4 * j + a];
            r2 += u * u;
        }
        if (r2 > reach * reach)
            continue;
        if (partners != NULL)
            partners[count] = (Partner){id[j], (float)sqrt(r2)};
        count++;
    }
    return count;
}

static void destroy(SlSystem *system)
{
    SlProjectiveState *state = system->state;
    SlMemory *memory = &system->context->memory;
    Pairs *pairs = state->constraint_data[SL_CONSTRAINT_DISTANCE];
    if (pairs == NULL)
        return;
    sl_free(memory, pairs->begin, (pairs->ids + 1) * sizeof *pairs->begin);
    sl_free(memory, pairs->partners, (pairs->count + 1) * sizeof *pairs->partners);
    sl_free(memory, pairs, sizeof *pairs);
    state->constraint_data[SL_CONSTRAINT_DISTANCE] = NULL;
}

static SlStatus start(SlSystem *system, SlError *error)
{
    SlProjectiveState *state = system->state;
    SlMemory *memory = &system->context->memory;
    double spacing = sl_param(system, SL_FLUID_PARAM_SPACING);
    double reach = sl_param(system, SL_PROJECTIVE_PARAM_DISTANCE_REACH);
    if (reach > sl_param(system, SL_FLUID_PARAM_SUPPORT))
        return sl_error_set(error, SL_ERROR_ARGUMENT,
                            "%s: \"distance_reach\" is %g spacings; at most \"support\", %g",
                            system->name, reach, sl_param(system, SL_FLUID_PARAM_SUPPORT));
    size_t n = system->particles.count;
    Pairs *pairs = sl_alloc(memory, sizeof *pairs);
    if (pairs == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "projective: no memory for distances");
    *pairs = (Pairs){.ids = n, .begin = sl_alloc(memory, (n + 1) * sizeof *pairs->begin)};
    state->constraint_data[SL_CONSTRAINT_DISTANCE] = pairs;
    if (pairs->begin == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "projective: no memory for distances");
    const uint32_t *id = system->particles.data[SL_F_ID];
    memset(pairs->begin, 0, (n + 1) * sizeof *pairs->begin);
    for (size_t i = 0; i < n; i++)
        SL_ASSERT(id[i] < n); /* ids count up from 0 */
    for (size_t i = 0; i < n; i++)
        pairs->begin[id[i] + 1] = (uint32_t)find_partners(system, i, reach * spacing, NULL);
    for (size_t k = 0; k < n; k++)
        pairs->begin[k + 1] += pairs->begin[k];
    pairs->count = pairs->begin[n];
    pairs->partners = sl_alloc(memory, (pairs->count + 1) * sizeof *pairs->partners);
    if (pairs->partners == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "projective: no memory for distances");
    for (size_t i = 0; i < n; i++)
        find_partners(system, i, reach * spacing, pairs->partners + pairs->begin[id[i]]);
    return SL_OK;
}

/* About 32 partners of each particle at a reach of two spacings. */
static uint64_t bytes(const SlSystem *system, uint64_t count)
{
    double reach = sl_param(system, SL_PROJECTIVE_PARAM_DISTANCE_REACH);
    double partners = 4.0 / 3 * 3.14159265358979 * reach * reach * reach;
    return count * (2 * sizeof(uint32_t) + (uint64_t)(partners * (double)sizeof(Partner)));
}

static bool prepare(SlSystem *system, SlProjectivePass *pass)
{
    const SlProjectiveState *state = system->state;
    const Pairs *pairs = state->constraint_data[SL_CONSTRAINT_DISTANCE];
    Distance *c = SL_PUSH(&system->arena, Distance, 1);
    uint32_t *index = SL_PUSH(&system->arena, uint32_t, pairs->ids + 1);
    if (c == NULL || index == NULL)
        return false;
    memset(index, 0xff, (pairs->ids + 1) * sizeof *index);
    for (size_t i = 0; i < pass->fluid.particles.count; i++)
        if (pass->fluid.particles.id[i] < pairs->ids)
            index[pass->fluid.particles.id[i]] = (uint32_t)i;
    *c = (Distance){(float)kappa(system, pass->dt), pairs, index};
    pass->constraint_data[SL_CONSTRAINT_DISTANCE] = c;
    return true;
}

/* --- Global step --- */

static double inverse_mass(const SlProjectivePass *p, size_t i)
{
    const SlFluidParticles *s = &p->fluid.particles;
    return s->fluid != NULL ? (double)s->inverse_mass_ratio[s->fluid[i]] : 1;
}

/* The partners of particle i: [*from, *to), none for a particle that came later. */
static void partners_of(const Distance *c, uint32_t id, const Partner **from, const Partner **to)
{
    bool known = id < c->pairs->ids;
    *from = c->pairs->partners + (known ? c->pairs->begin[id] : 0);
    *to = c->pairs->partners + (known ? c->pairs->begin[id + 1] : 0);
}

static void add_pulls(const SlProjectivePass *p, const Distance *c, size_t i)
{
    const Partner *from, *to;
    partners_of(c, p->fluid.particles.id[i], &from, &to);
    double pull[3] = {0, 0, 0}, count = 0, own = inverse_mass(p, i);
    for (const Partner *partner = from; partner < to; partner++) {
        size_t j = c->index[partner->id];
        if (j == NONE)
            continue;
        double u[3], r2 = 0;
        for (size_t a = 0; a < 3; a++) {
            u[a] = (double)p->projected[4 * i + a] - (double)p->projected[4 * j + a];
            r2 += u[a] * u[a];
        }
        double r = sqrt(r2), scale = own / (own + inverse_mass(p, j));
        for (size_t a = 0; a < 3 && r > 0; a++)
            pull[a] -= scale * (r - (double)partner->rest) / r * u[a];
        count++;
    }
    float *residual = p->residual + 4 * i;
    for (size_t a = 0; a < 3; a++)
        residual[a] += (float)((double)c->kappa * pull[a]);
    residual[3] += (float)((double)c->kappa * count);
}

static void right_side(const void *data, size_t begin, size_t end, size_t chunk)
{
    (void)chunk;
    const SlProjectivePass *p = data;
    const Distance *c = p->constraint_data[SL_CONSTRAINT_DISTANCE];
    for (size_t i = 8 * begin; i < 8 * end && i < p->fluid.particles.count; i++)
        add_pulls(p, c, i);
}

static double energy(const SlSystem *system, const SlProjectivePass *p, const double *x)
{
    (void)system;
    const Distance *c = p->constraint_data[SL_CONSTRAINT_DISTANCE];
    double sum = 0;
    for (size_t i = 0; i < p->fluid.particles.count; i++) {
        const Partner *from, *to;
        partners_of(c, p->fluid.particles.id[i], &from, &to);
        for (const Partner *partner = from; partner < to; partner++) {
            size_t j = c->index[partner->id];
            if (j == NONE)
                continue;
            double r2 = 0;
            for (size_t a = 0; a < 3; a++)
                r2 += (x[3 * i + a] - x[3 * j + a]) * (x[3 * i + a] - x[3 * j + a]);
            double error = sqrt(r2) - (double)partner->rest; /* each pair is visited twice */
            sum += error * error / 4 / (inverse_mass(p, i) + inverse_mass(p, j));
        }
    }
    return (double)c->kappa * sum;
}

SL_KERNEL_TABLE(SlConstraint, sl_constraint_distance) = {
    .name = "distance",
    .summary = "particles placed near each other keep their distance: an elastic body",
    .citation = "[Bouaziz 2014, section 5.1]",
    .example = {{"distance_stiffness", 1e6, NULL}, {"distance_reach", 1.8, NULL}},
    .conserves_momentum = true,
    .kappa = kappa,
    .start = start,
    .destroy = destroy,
    .bytes = bytes,
    .prepare = prepare,
    .right_side = {right_side, right_side, right_side},
    .energy = energy,
};
