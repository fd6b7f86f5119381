/* Attraction by a point: it grows with the distance r up to `radius` R and falls as (R / r)² beyond
   it, as the gravity of a ball of that radius. */
#include <math.h>

#include "math/vec3.h"
#include "particles/force_field.h"

enum { CENTER, RADIUS, STRENGTH, ROWS };
static const SlParamRow rows[ROWS] = {
    [CENTER] = SL_FORCE_VEC3("center", 0, 0, 0, 1e6, "m", "the point"),
    [RADIUS] = SL_FORCE_NUMBER("radius", 1, 1e-6, 1e6, "m", "distance of the greatest acceleration"),
    [STRENGTH] = SL_FORCE_NUMBER("strength", 1, -1e4, 1e4, "m/s^2",
                                 "acceleration towards the point at `radius`; below 0: away"),
};

static void add(const SlForceField *field, const SlForceBatch *batch)
{
    SlVec3 center = sl_force_vec3(field, CENTER);
    float R = (float)field->values[RADIUS].number[0];
    float strength = (float)field->values[STRENGTH].number[0];
    for (size_t i = 0; i < batch->count; i++) {
        const float *x = batch->positions + 4 * i;
        SlVec3 d = sl_sub(center, (SlVec3){x[0], x[1], x[2]});
        float r2 = sl_dot(d, d);
        /* profile / r */
        float over = strength * (r2 < R * R ? 1 / R : R * R / (r2 * sqrtf(r2)));
        batch->accelerations[4 * i] += over * d.x;
        batch->accelerations[4 * i + 1] += over * d.y;
        batch->accelerations[4 * i + 2] += over * d.z;
    }
}

extern const SlForceKind sl_force_point;
const SlForceKind sl_force_point = {
    .table = {.name = "point",
              .kind = "force field",
              .summary = "attraction or repulsion by a point",
              .citation = "",
              .rows = rows,
              .row_count = ROWS},
    .add = add,
};
