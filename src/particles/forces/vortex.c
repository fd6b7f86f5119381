/* A vortex about an axis through `center`: acceleration around the axis, and towards it. Both grow
   with the distance r up to `radius` R and fall as R / r beyond it (the profile of Rankine's
   vortex). */
#include "math/vec3.h"
#include "particles/force_field.h"

enum { CENTER, AXIS, RADIUS, STRENGTH, PULL, ROWS };
static const SlParamRow rows[ROWS] = {
    [CENTER] = SL_FORCE_VEC3("center", 0, 0, 0, 1e6, "m", "a point of the axis"),
    [AXIS] = SL_FORCE_VEC3("axis", 0, 1, 0, 1e6, "", "direction of the axis, of any length; "
                           "0: no field"),
    [RADIUS] = SL_FORCE_NUMBER("radius", 1, 1e-6, 1e6, "m", "distance of the greatest acceleration"),
    [STRENGTH] = SL_FORCE_NUMBER("strength", 1, -1e4, 1e4, "m/s^2",
                                 "acceleration around the axis at `radius`, right-handed"),
    [PULL] = SL_FORCE_NUMBER("pull", 0, -1e4, 1e4, "m/s^2",
                             "acceleration towards the axis at `radius`; below 0: away"),
};

static void add(const SlForceField *field, const SlForceBatch *batch)
{
    SlVec3 center = sl_force_vec3(field, CENTER), axis = sl_force_vec3(field, AXIS);
    float R = (float)field->values[RADIUS].number[0];
    float strength = (float)field->values[STRENGTH].number[0];
    float pull = (float)field->values[PULL].number[0];
    if (!(sl_length(axis) > 0))
        return;
    axis = sl_unit(axis);
    for (size_t i = 0; i < batch->count; i++) {
        const float *x = batch->positions + 4 * i;
        SlVec3 d = sl_sub((SlVec3){x[0], x[1], x[2]}, center);
        SlVec3 out = sl_sub(d, sl_scale(axis, sl_dot(d, axis)));
        float r2 = sl_dot(out, out);
        float over = r2 < R * R ? 1 / R : R / r2; /* profile / r */
        SlVec3 around = sl_cross(axis, out);
        batch->accelerations[4 * i] += over * (strength * around.x - pull * out.x);
        batch->accelerations[4 * i + 1] += over * (strength * around.y - pull * out.y);
        batch->accelerations[4 * i + 2] += over * (strength * around.z - pull * out.z);
    }
}

extern const SlForceKind sl_force_vortex;
const SlForceKind sl_force_vortex = {
    .table = {.name = "vortex",
              .kind = "force field",
              .summary = "acceleration around an axis, and towards it",
              .citation = "",
              .rows = rows,
              .row_count = ROWS},
    .add = add,
};
