/* The air's drag on loose snow: dv/dt = k e (u - v), integrated implicitly as wind.c. The exposure e
   rises from 0 where snow is whole, J_P <= 1, to 1 where it is torn, J_P >= loose: a ball flies on, its
   dust stays behind as a cloud that sinks at g / k. Particles without J_P are exposed. */
#include "particles/force_field.h"

enum { VELOCITY, DRAG, LOOSE, ROWS };
static const SlParamRow rows[ROWS] = {
    [VELOCITY] = SL_FORCE_VEC3("velocity", 0, 0, 0, 1e4, "m/s", "of the air"),
    [DRAG] = SL_FORCE_NUMBER("drag", 8, 0, 1e6, "1/s",
                             "rate at which a loose particle takes on the velocity of the air"),
    [LOOSE] = SL_FORCE_NUMBER("loose", 1.3, 1.0001, 1e6, "",
                              "plastic volume J_P from which a particle is fully exposed"),
};

static float exposure_of(const SlForceBatch *batch, size_t i, float loose)
{
    if (batch->plastic == NULL)
        return 1;
    float e = (batch->plastic[i] - 1) / (loose - 1);
    return e < 0 ? 0 : e > 1 ? 1 : e;
}

static void add(const SlForceField *field, const SlForceBatch *batch)
{
    SlVec3 u = sl_force_vec3(field, VELOCITY);
    float drag = (float)field->values[DRAG].number[0], dt = (float)batch->dt;
    float loose = (float)field->values[LOOSE].number[0];
    for (size_t i = 0; i < batch->count; i++) {
        float k = drag * exposure_of(batch, i, loose), rate = k / (1 + k * dt);
        const float *v = batch->velocities + 4 * i;
        batch->accelerations[4 * i] += rate * (u.x - v[0]);
        batch->accelerations[4 * i + 1] += rate * (u.y - v[1]);
        batch->accelerations[4 * i + 2] += rate * (u.z - v[2]);
    }
}

extern const SlForceKind sl_force_air;
const SlForceKind sl_force_air = {
    .table = {.name = "air",
              .kind = "force field",
              .summary = "drag of the air on loose snow",
              .citation = "",
              .rows = rows,
              .row_count = ROWS},
    .add = add,
};
