/* The list of shapes, and what all of them have in common. */
#include <string.h>

#include "core/error.h"
#include "geometry/shape.h"

/* The list: a shape `name` is sl_shape_name. */
#define SHAPES(ENTRY)                                                                              \
    ENTRY(plane) ENTRY(sphere) ENTRY(box) ENTRY(cylinder) ENTRY(cone) ENTRY(capsule)               \
    ENTRY(height_field)

#define DECLARE(name) extern const SlShapeType sl_shape_##name;
SHAPES(DECLARE)
#define TYPE_OF(name) &sl_shape_##name,
const SlShapeType *const sl_shape_types[] = {SHAPES(TYPE_OF)};
const size_t sl_shape_type_count = sizeof sl_shape_types / sizeof sl_shape_types[0];

const SlShapeType *sl_shape_type(SlShapeKind kind)
{
    for (size_t k = 0; k < sl_shape_type_count; k++)
        if (sl_shape_types[k]->kind == kind)
            return sl_shape_types[k];
    return NULL;
}

const SlShapeType *sl_shape_type_named(const char *name)
{
    for (size_t k = 0; k < sl_shape_type_count; k++)
        if (strcmp(sl_shape_types[k]->name, name) == 0)
            return sl_shape_types[k];
    return NULL;
}

SlShape sl_default_shape(SlShapeKind kind)
{
    return (SlShape){.kind = kind,
                     .axis = {0, 1, 0},
                     .side = {1, 0, 0},
                     .half = {0.5f, 0.5f, 0.5f},
                     .radius = 0.5f,
                     .height = 1};
}

const char *sl_shape_kind_name(SlShapeKind kind)
{
    const SlShapeType *type = sl_shape_type(kind);
    return type != NULL ? type->name : "unknown";
}

bool sl_shape_prepare(SlShape *shape, const char **reason)
{
    const SlShapeType *type = sl_shape_type(shape->kind);
    *reason = NULL;
    if (type == NULL)
        *reason = "unknown kind of shape";
    else if (!sl_finite(shape->center))
        *reason = "center must be finite";
    else if (!sl_finite(shape->axis) || !(sl_length(shape->axis) > 0))
        *reason = "axis must be finite and not zero";
    else if (!(shape->friction >= 0 && shape->friction <= 10))
        *reason = "friction may be from 0 to 10";
    if (*reason == NULL && type->prepare != NULL)
        *reason = type->prepare(shape);
    if (*reason != NULL)
        return false;
    shape->axis = sl_unit(shape->axis);
    /* Any side will do where none perpendicular to the axis was given. */
    SlVec3 side = sl_sub(shape->side, sl_scale(shape->axis, sl_dot(shape->side, shape->axis)));
    if (!(sl_length(side) > 1e-4f))
        side = fabsf(shape->axis.x) < 0.9f ? sl_vec3(1, 0, 0) : sl_vec3(0, 0, 1);
    shape->side = sl_unit(sl_sub(side, sl_scale(shape->axis, sl_dot(side, shape->axis))));
    return true;
}

void sl_shape_frame(const SlShape *shape, SlVec3 frame[3])
{
    SlVec3 axis = shape->axis, side = shape->side;
    side = sl_sub(side, sl_scale(axis, sl_dot(side, axis)));
    if (sl_length(side) < 1e-3f) { /* round shapes need not have one */
        SlVec3 other = fabsf(axis.x) < 0.5f ? sl_vec3(1, 0, 0) : sl_vec3(0, 0, 1);
        side = sl_sub(other, sl_scale(axis, sl_dot(other, axis)));
    }
    frame[0] = sl_unit(side);
    frame[1] = axis;
    frame[2] = sl_cross(frame[0], axis);
}

float sl_shape_distance(const SlShape *shape, SlVec3 point, SlVec3 *normal)
{
    const SlShapeType *type = sl_shape_type(shape->kind);
    SlVec3 n = {0, 1, 0};
    float distance = type != NULL ? type->distance(shape, point, INFINITY, &n) : INFINITY;
    if (normal != NULL)
        *normal = n;
    return distance;
}

SlBox sl_shape_bounds(const SlShape *shape)
{
    return sl_shape_type(shape->kind)->bounds(shape);
}

SlStatus sl_shape_mesh(SlContext *context, const SlShape *shape, float edge, SlBox clip,
                       SlMesh *mesh, SlError *error)
{
    return sl_shape_type(shape->kind)->mesh(context, shape, edge, clip, mesh, error);
}
