/* The same acceleration everywhere: a second gravity, of one system or for some time. */
#include "particles/force_field.h"

enum { ACCELERATION, ROWS };
static const SlParamRow rows[ROWS] = {
    [ACCELERATION] = SL_FORCE_VEC3("acceleration", 0, 0, 0, 1e4, "m/s^2", "of every particle"),
};

static void add(const SlForceField *field, const SlForceBatch *batch)
{
    SlVec3 a = sl_force_vec3(field, ACCELERATION);
    for (size_t i = 0; i < batch->count; i++) {
        batch->accelerations[4 * i] += a.x;
        batch->accelerations[4 * i + 1] += a.y;
        batch->accelerations[4 * i + 2] += a.z;
    }
}

extern const SlForceKind sl_force_uniform;
const SlForceKind sl_force_uniform = {
    .table = {.name = "uniform",
              .kind = "force field",
              .summary = "the same acceleration everywhere",
              .citation = "",
              .rows = rows,
              .row_count = ROWS},
    .add = add,
};
