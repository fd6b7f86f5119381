/* The list of solvers: one line each. */
#include <string.h>

#include "solvers/pbf/pbf.h"
#include "solvers/projective/projective.h"
#include "solvers/snow/snow.h"
#include "solvers/solver.h"

const SlSolver *const sl_solvers[] = {
    &sl_pbf_solver,
    &sl_projective_solver,
    &sl_snow_solver,
};
const size_t sl_solver_count = sizeof sl_solvers / sizeof sl_solvers[0];

static const SlTable *const tables[] = {
    &sl_pbf_solver.table,
    &sl_projective_solver.table,
    &sl_snow_solver.table,
};

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
