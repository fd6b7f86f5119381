/* The list of solvers. */
#include <string.h>

#include "solvers/solver.h"

/* A solver `name` is sl_name_solver. */
#define SOLVERS(ENTRY) ENTRY(pbf) ENTRY(projective) ENTRY(snow)

#define DECLARE(name) extern const SlSolver sl_##name##_solver;
SOLVERS(DECLARE)
#define SOLVER_OF(name) &sl_##name##_solver,
#define TABLE_OF(name) &sl_##name##_solver.table,
const SlSolver *const sl_solvers[] = {SOLVERS(SOLVER_OF)};
const size_t sl_solver_count = sizeof sl_solvers / sizeof sl_solvers[0];

static const SlTable *const tables[] = {SOLVERS(TABLE_OF)};

const SlTable *const *sl_solver_tables(size_t *count)
{
    *count = sizeof tables / sizeof tables[0];
    return tables;
}

const SlSolver *sl_solver_find(const char *name)
{
    for (size_t k = 0; name != NULL && k < sl_solver_count; k++)
        if (strcmp(sl_solvers[k]->table.name, name) == 0)
            return sl_solvers[k];
    return NULL;
}
