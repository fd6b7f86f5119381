/* Force fields: the descriptor of a kind, and the sum of all fields over a particle set. A kind is
   one file of particles/forces/ that ends in a const SlForceKind and has one line in the list
   (particles/force_field.c). */
#ifndef PARTICLES_FORCE_FIELD_H
#define PARTICLES_FORCE_FIELD_H

#include "particles/particles.h"
#include "sleet/force_field.h"

enum { SL_MAX_FORCE_FIELDS = 32, SL_MAX_FORCE_ROWS = 8 };

typedef struct SlForceKind SlForceKind;

typedef struct SlForceField {
    const SlForceKind *kind; /* NULL: the slot is free */
    uint16_t generation;     /* of handles to it */
    uint32_t system1;        /* index + 1 of the system it acts on; 0: all */
    SlParamValue values[SL_MAX_FORCE_ROWS];
    SlForceFunction function;
    void *user;
} SlForceField;

struct SlForceKind {
    SlTable table; /* name, summary, parameter rows */
    /* Adds the field's acceleration of each particle of the batch. */
    void (*add)(const SlForceField *field, const SlForceBatch *batch);
};

/* All kinds, and the one of that name; NULL: there is none. */
extern const SlForceKind *const sl_force_kinds[];
extern const size_t sl_force_kind_count;
const SlForceKind *sl_force_kind_find(const char *name);
extern const SlForceKind sl_force_function; /* the one whose work is the program's */

/* The fields that act on a system, and when. */
typedef struct SlForceSum {
    const SlForceField *fields; /* SL_MAX_FORCE_FIELDS slots */
    uint32_t system;
    double time, dt;
} SlForceSum;

bool sl_forces_act(const SlForceSum *forces);
/* v += dt × the sum of accelerations. *gain is the kinetic energy given, per unit of mass, summed
   over particles in a fixed order. `arena` is reset. */
SlStatus sl_forces_apply(const SlForceSum *forces, SlParticles *particles, SlArena *arena,
                         double *gain, SlError *error);

#define SL_FORCE_NUMBER(name, value, min, max, unit, meaning)                                      \
    {name, SL_PARAM_NUMBER, {{value}, ""}, min, max, unit, NULL, meaning, true}
#define SL_FORCE_VEC3(name, x, y, z, limit, unit, meaning)                                         \
    {name, SL_PARAM_VEC3, {{x, y, z}, ""}, -(limit), limit, unit, NULL, meaning, true}

static inline SlVec3 sl_force_vec3(const SlForceField *field, int row)
{
    const double *n = field->values[row].number;
    return (SlVec3){(float)n[0], (float)n[1], (float)n[2]};
}

#endif
