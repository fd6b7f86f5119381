/* Wind: drag towards the velocity u of the air, dv/dt = k (u - v). It is integrated implicitly,
   v' = (v + dt k u) / (1 + dt k), so that no drag overshoots. */
#include "particles/force_field.h"

enum { VELOCITY, DRAG, ROWS };
static const SlParamRow rows[ROWS] = {
    [VELOCITY] = SL_FORCE_VEC3("velocity", 0, 0, 0, 1e4, "m/s", "of the air"),
    [DRAG] = SL_FORCE_NUMBER("drag", 0.5, 0, 1e6, "1/s",
                             "rate at which a particle takes on the velocity of the air"),
};

static void add(const SlForceField *field, const SlForceBatch *batch)
{
    SlVec3 u = sl_force_vec3(field, VELOCITY);
    double drag = field->values[DRAG].number[0];
    float rate = (float)(drag / (1 + drag * batch->dt));
    for (size_t i = 0; i < batch->count; i++) {
        const float *v = batch->velocities + 4 * i;
        batch->accelerations[4 * i] += rate * (u.x - v[0]);
        batch->accelerations[4 * i + 1] += rate * (u.y - v[1]);
        batch->accelerations[4 * i + 2] += rate * (u.z - v[2]);
    }
}

extern const SlForceKind sl_force_wind;
const SlForceKind sl_force_wind = {
    .table = {.name = "wind",
              .kind = "force field",
              .summary = "drag towards the velocity of the air",
              .citation = "",
              .rows = rows,
              .row_count = ROWS},
    .add = add,
};
