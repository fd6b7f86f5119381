/* Typed definitions of systems: filled from the solvers' tables and applied as by the calls by
   name, so that neither defaults nor checks exist twice. */
#include "world/definitions.h"

#include <string.h>

#include "core/cookies.h"
#include "world/world.h"

/* Common head of the typed definitions. */
typedef struct Head {
    uint32_t cookie, size;
    const char *name;
} Head;

#define NUMBER(member) {#member, offsetof(DEF, member), SL_MEMBER_NUMBER}
#define COUNT(member) {#member, offsetof(DEF, member), SL_MEMBER_COUNT}
#define TEXT(member) {#member, offsetof(DEF, member), SL_MEMBER_TEXT}

#define DEF SlPbfDef
static const SlDefMember pbf_members[] = {
    TEXT(preset),       NUMBER(spacing),   NUMBER(rest_density),
    NUMBER(support),    TEXT(kernel),      COUNT(steps),
    COUNT(iterations),  NUMBER(relaxation), TEXT(acceleration),
    NUMBER(viscosity),  NUMBER(kinematic_viscosity), NUMBER(vorticity),
    NUMBER(cohesion),   NUMBER(curvature), TEXT(boundary),
    TEXT(forces),       TEXT(lod),         COUNT(lod_min),
    NUMBER(lod_near),   NUMBER(lod_far),
};
#undef DEF
#define DEF SlProjectiveDef
static const SlDefMember projective_members[] = {
    TEXT(preset),       NUMBER(spacing),   NUMBER(rest_density),
    NUMBER(support),    TEXT(kernel),      COUNT(steps),
    NUMBER(stiffness),  COUNT(max_iterations), NUMBER(relaxation),
    TEXT(acceleration), TEXT(global_solver), NUMBER(viscosity),
    NUMBER(kinematic_viscosity), NUMBER(vorticity), NUMBER(cohesion),
    NUMBER(curvature),  TEXT(boundary),    TEXT(forces),
};
#undef DEF
#define DEF SlSnowDef
static const SlDefMember snow_members[] = {
    TEXT(preset),       NUMBER(spacing),   NUMBER(rest_density),
    NUMBER(stiffness),  NUMBER(poisson),   NUMBER(hardening),
    NUMBER(critical_compression), NUMBER(critical_stretch), TEXT(transfer),
    TEXT(integration),  NUMBER(time_step), TEXT(forces),
};
#undef DEF

#define TYPED(solver, cookie, type, members)                                                       \
    {solver, cookie, sizeof(type), members, sizeof(members) / sizeof(members)[0]}
const SlTypedDef sl_typed_defs[SL_TYPED_COUNT] = {
    [SL_TYPED_PBF] = TYPED("pbf", SL_COOKIE_PBF, SlPbfDef, pbf_members),
    [SL_TYPED_PROJECTIVE] =
        TYPED("projective", SL_COOKIE_PROJECTIVE, SlProjectiveDef, projective_members),
    [SL_TYPED_SNOW] = TYPED("snow", SL_COOKIE_SNOW, SlSnowDef, snow_members),
};

static double member_default(const SlTypedDef *typed, const SlDefMember *member)
{
    const SlParamRow *row = sl_table_find(&sl_solver_find(typed->solver)->table, member->name);
    SL_ASSERT(row != NULL);
    return row->value.number[0];
}

static void fill_def(const SlTypedDef *typed, void *def)
{
    Head head = {typed->cookie, typed->size, NULL};
    memset(def, 0, typed->size); /* texts: NULL */
    memcpy(def, &head, sizeof head);
    for (size_t k = 0; k < typed->member_count; k++) {
        const SlDefMember *member = &typed->members[k];
        char *at = (char *)def + member->offset;
        double number = member_default(typed, member);
        uint32_t count = (uint32_t)number;
        if (member->type == SL_MEMBER_NUMBER)
            memcpy(at, &number, sizeof number);
        else if (member->type == SL_MEMBER_COUNT)
            memcpy(at, &count, sizeof count);
    }
}

SlPbfDef sl_default_pbf_def(void)
{
    SlPbfDef def;
    fill_def(&sl_typed_defs[SL_TYPED_PBF], &def);
    return def;
}

SlProjectiveDef sl_default_projective_def(void)
{
    SlProjectiveDef def;
    fill_def(&sl_typed_defs[SL_TYPED_PROJECTIVE], &def);
    return def;
}

SlSnowDef sl_default_snow_def(void)
{
    SlSnowDef def;
    fill_def(&sl_typed_defs[SL_TYPED_SNOW], &def);
    return def;
}

/* Sets what differs from the table. */
static SlStatus apply_member(SlWorld *world, SlSystemId id, const SlTypedDef *typed,
                             const SlDefMember *member, const void *def, SlError *error)
{
    const char *at = (const char *)def + member->offset;
    if (member->type == SL_MEMBER_TEXT) {
        const char *text;
        memcpy(&text, at, sizeof text);
        return text != NULL ? sl_parameters_set_text(world, id, member->name, text, error) : SL_OK;
    }
    double number;
    uint32_t count;
    memcpy(&count, at, sizeof count);
    if (member->type == SL_MEMBER_NUMBER)
        memcpy(&number, at, sizeof number);
    else
        number = count;
    return number != member_default(typed, member)
               ? sl_parameters_set_number(world, id, member->name, number, error)
               : SL_OK;
}

/* Nothing is added where a value is refused. */
static SlStatus make_typed(SlWorld *world, const SlTypedDef *typed, const void *def, SlSystemId *id,
                           SlError *error)
{
    if (def == NULL || !sl_def_valid(def, typed->cookie, typed->size))
        return sl_error_set(error, SL_ERROR_ARGUMENT, "definition not made by sl_default_%s_def",
                            typed->solver);
    Head head;
    memcpy(&head, def, sizeof head);
    SlSystemDef system = sl_default_system_def(typed->solver);
    system.name = head.name != NULL ? head.name : typed->solver;
    SlStatus status = sl_world_make_system(world, &system, id, error);
    if (status != SL_OK)
        return status;
    for (size_t k = 0; status == SL_OK && k < typed->member_count; k++)
        status = apply_member(world, *id, typed, &typed->members[k], def, error);
    if (status != SL_OK)
        sl_world_unmake_system(world);
    return status;
}

/* `call` is the public call's name. */
static SlSystemId add_typed(SlWorld *world, int which, const void *def, const char *call,
                            SlError *error)
{
    SlError found;
    SlSystemId id = {0, 0, 0};
    SlStatus status = sl_setup_status(world, error);
    if (status == SL_OK)
        status = sl_setup_end(world, call,
                              make_typed(world, &sl_typed_defs[which], def, &id, &found), &found,
                              error);
    return status == SL_OK ? id : (SlSystemId){0, 0, 0};
}

SlSystemId sl_world_add_pbf(SlWorld *world, const SlPbfDef *def, SlError *error)
{
    return add_typed(world, SL_TYPED_PBF, def, __func__, error);
}

SlSystemId sl_world_add_projective(SlWorld *world, const SlProjectiveDef *def, SlError *error)
{
    return add_typed(world, SL_TYPED_PROJECTIVE, def, __func__, error);
}

SlSystemId sl_world_add_snow(SlWorld *world, const SlSnowDef *def, SlError *error)
{
    return add_typed(world, SL_TYPED_SNOW, def, __func__, error);
}
