/* Constraints of projective dynamics [Bouaziz 2014; Weiler 2016]: the descriptor and the list.

   A constraint is an energy w/2 |C x - D p|² with projections p onto the states that satisfy it.
   The local step of algorithm 1 in [Sommer] projects, the global step solves for x with p fixed.
   All equations are divided by m/dt² of the system's own fluid, so that the inertia of a particle
   is 1 and a constraint weighs kappa = w dt² / m.

   A constraint is one file of this folder that ends in its descriptor, and one line of
   SL_CONSTRAINTS; docs/how-to/add-a-constraint.md walks through one. The file is a *_kernels.c,
   compiled once per instruction-set path, so its loops may use vectors. */
#ifndef SOLVERS_PROJECTIVE_CONSTRAINTS_CONSTRAINT_H
#define SOLVERS_PROJECTIVE_CONSTRAINTS_CONSTRAINT_H

#include "core/machine.h"
#include "math/kernel.h"
#include "solvers/loop.h"

/* The list: X(CONSTANT, name). The order is that in which right sides are added up. */
#define SL_CONSTRAINTS(X)                                                                          \
    X(DENSITY, density)                                                                            \
    X(DENSITY_DIFFERENCES, density_differences)                                                    \
    X(ATTACHMENT, attachment)                                                                      \
    X(DISTANCE, distance)

typedef enum SlConstraintKind {
#define SL_CONSTRAINT_CONSTANT_(constant, name) SL_CONSTRAINT_##constant,
    SL_CONSTRAINTS(SL_CONSTRAINT_CONSTANT_)
#undef SL_CONSTRAINT_CONSTANT_
        SL_CONSTRAINT_COUNT
} SlConstraintKind;

typedef struct SlProjectivePass SlProjectivePass;

/* A parameter's value: `text` of a choice, or else `number`. */
typedef struct SlConstraintSetting {
    const char *name;
    double number;
    const char *text;
} SlConstraintSetting;

/* Loops go over blocks of eight particles; their data is an SlProjectivePass. Where all smoothing
   kernels have the same loop, it is entered SL_KERNEL_COUNT times. */
typedef struct SlConstraint {
    const char *name, *summary, *citation;
    /* Settings with which a system uses it, up to the first without a name: tests try these. */
    SlConstraintSetting example[4];
    bool conserves_momentum; /* it acts between particles only */
    uint32_t fields;         /* bits of the particle fields it needs where it is in use */
    /* kappa in a step of dt seconds; 0: not in use. */
    double (*kappa)(const SlSystem *system, double dt);
    /* A diagonal that suits all particles (divisor "common"); NULL: theirs differ. */
    double (*common_diagonal)(const SlSystem *system, double kappa);
    /* Particles are placed, the neighbour list is theirs: persistent data, kept in
       SlProjectiveState.constraint_data, and its end. NULL: none. */
    SlStatus (*start)(SlSystem *system, SlError *error);
    void (*destroy)(SlSystem *system);
    /* Bytes of either kind of data for so many particles; NULL: none. */
    uint64_t (*bytes)(const SlSystem *system, uint64_t count);
    /* After the sort of a step: its data of the step on the system's arena, entered into
       pass->constraint_data. False: no memory. */
    bool (*prepare)(SlSystem *system, SlProjectivePass *pass);
    /* Where a state is remembered between steps: projections by what was remembered, the first shift by
       them, and after the loop what is remembered; NULL: none. */
    SlLoop recall[SL_KERNEL_COUNT], displace[SL_KERNEL_COUNT], remember;
    /* Local step: projections of the iterate in `predicted`. NULL: right_side projects. */
    SlLoop project[SL_KERNEL_COUNT];
    /* Global step: adds w C'(D p - C x), over mass, to `residual` and the diagonal of C'C to its
       fourth lane. */
    SlLoop right_side[SL_KERNEL_COUNT];
    /* The whole global step in one loop, for systems without other constraints; NULL: none. */
    SlLoop fused[SL_KERNEL_COUNT];
    /* Rows [begin, end) of y += (C'C without its diagonal) x, for vectors [n][3]; NULL: C'C is
       diagonal. */
    void (*apply)(const SlProjectivePass *pass, const double *x, double *y, size_t begin,
                  size_t end);
    /* The entries of row i without the diagonal, and their number; column NULL: only the number. */
    size_t (*row)(const SlProjectivePass *pass, size_t i, uint32_t *column, double *value);
    /* Its energy at x, [n][3], in units of m/dt². What the projections determine is fixed by the
       last local step. Its gradient there is -m_i times right_side. For tests. */
    double (*energy)(const SlSystem *system, const SlProjectivePass *pass, const double *x);
} SlConstraint;

#define SL_CONSTRAINT_DECLARE_(constant, name)                                                     \
    SL_DECLARE_KERNELS(SlConstraint, sl_constraint_##name);
SL_CONSTRAINTS(SL_CONSTRAINT_DECLARE_)
#undef SL_CONSTRAINT_DECLARE_

/* The descriptor of a constraint, with the loops of that path. */
const SlConstraint *sl_constraint(SlIsa isa, SlConstraintKind kind);

#endif
