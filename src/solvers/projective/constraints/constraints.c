/* The list of constraints. */
#include "solvers/projective/constraints/constraint.h"

const SlConstraint *sl_constraint(SlIsa isa, SlConstraintKind kind)
{
    const SlConstraint *const list[SL_CONSTRAINT_COUNT] = {
#define ENTRY_(constant, name) [SL_CONSTRAINT_##constant] = SL_KERNELS(isa, sl_constraint_##name),
        SL_CONSTRAINTS(ENTRY_)
#undef ENTRY_
    };
    return list[kind];
}
