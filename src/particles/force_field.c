/* The list of force fields' kinds, and their sum: every field sees the velocities as they were
   before the sub-step, in the order of slots. */
#include "particles/force_field.h"

#include <string.h>

#include "core/cookies.h"

/* The list: a kind is one line here and one file of particles/forces/. */
#define SL_FORCE_LIST(KIND)                                                                        \
    KIND(uniform)                                                                                  \
    KIND(wind)                                                                                     \
    KIND(air)                                                                                      \
    KIND(vortex)                                                                                   \
    KIND(point)                                                                                    \
    KIND(function)

#define DECLARE(name) extern const SlForceKind sl_force_##name;
SL_FORCE_LIST(DECLARE)
#undef DECLARE

#define ADDRESS(name) &sl_force_##name,
const SlForceKind *const sl_force_kinds[] = {SL_FORCE_LIST(ADDRESS)};
#undef ADDRESS
enum { KINDS = sizeof sl_force_kinds / sizeof sl_force_kinds[0] };
const size_t sl_force_kind_count = KINDS;

const SlForceKind *sl_force_kind_find(const char *name)
{
    for (size_t k = 0; name != NULL && k < KINDS; k++)
        if (strcmp(sl_force_kinds[k]->table.name, name) == 0)
            return sl_force_kinds[k];
    return NULL;
}

const SlTable *const *sl_force_field_tables(size_t *count)
{
#define TABLE(name) &sl_force_##name.table,
    static const SlTable *const tables[] = {SL_FORCE_LIST(TABLE)};
#undef TABLE
    *count = KINDS;
    return tables;
}

SlForceFieldDef sl_default_force_field_def(const char *kind)
{
    return (SlForceFieldDef){SL_DEF_HEAD(FORCE_FIELD, SlForceFieldDef), .kind = kind};
}

static bool acts(const SlForceField *field, uint32_t system)
{
    return field->kind != NULL && (field->system1 == 0 || field->system1 == system + 1);
}

bool sl_forces_act(const SlForceSum *forces)
{
    for (int k = 0; k < SL_MAX_FORCE_FIELDS; k++)
        if (acts(&forces->fields[k], forces->system))
            return true;
    return false;
}

typedef struct Pass {
    const SlForceSum *forces;
    const float *position;
    float *velocity;
    const uint32_t *id;
    const float *plastic; /* NULL: none */
    double *gains; /* one per chunk */
} Pass;

static void apply_chunk(void *argument, size_t begin, size_t end, size_t chunk)
{
    const Pass *pass = argument;
    float accelerations[4 * SL_REDUCE_CHUNK] = {0}, dt = (float)pass->forces->dt;
    SlForceBatch batch = {.time = pass->forces->time,
                          .dt = pass->forces->dt,
                          .count = end - begin,
                          .positions = pass->position + 4 * begin,
                          .velocities = pass->velocity + 4 * begin,
                          .ids = pass->id + begin,
                          .accelerations = accelerations,
                          .plastic = pass->plastic != NULL ? pass->plastic + begin : NULL};
    for (int k = 0; k < SL_MAX_FORCE_FIELDS; k++)
        if (acts(&pass->forces->fields[k], pass->forces->system))
            pass->forces->fields[k].kind->add(&pass->forces->fields[k], &batch);
    double gain = 0;
    for (size_t i = begin; i < end; i++)
        for (int k = 0; k < 3; k++) {
            float *v = &pass->velocity[4 * i + (size_t)k];
            double before = (double)*v;
            *v += dt * accelerations[4 * (i - begin) + (size_t)k];
            gain += 0.5 * ((double)*v * (double)*v - before * before);
        }
    pass->gains[chunk] = gain;
}

SlStatus sl_forces_apply(const SlForceSum *forces, SlParticles *particles, SlArena *arena,
                         double *gain, SlError *error)
{
    size_t chunks = sl_chunk_count(particles->count, SL_REDUCE_CHUNK);
    *gain = 0;
    if (particles->count == 0)
        return SL_OK;
    sl_arena_reset(arena);
    Pass pass = {.forces = forces,
                 .position = sl_f32x4(particles, SL_F_POSITION),
                 .velocity = sl_f32x4(particles, SL_F_VELOCITY),
                 .id = particles->data[SL_F_ID],
                 .plastic = particles->data[SL_F_PLASTIC],
                 .gains = SL_PUSH(arena, double, chunks)};
    if (pass.gains == NULL)
        return sl_error_set(error, SL_ERROR_MEMORY, "no memory for force fields");
    sl_parallel_for(particles->context->pool, particles->count, SL_REDUCE_CHUNK, apply_chunk, &pass);
    *gain = sl_fold_sum(pass.gains, chunks, 1, 0);
    return SL_OK;
}
