/* A valid shape of every kind, for tests that loop over the list of shapes. */
#ifndef TESTS_SUPPORT_SHAPES_H
#define TESTS_SUPPORT_SHAPES_H

#include "geometry/shape.h"

enum { TEST_COLUMNS = 7, TEST_ROWS = 5 };

/* Hills, above -0.4. */
static inline const float *test_heights(void)
{
    static const float heights[TEST_COLUMNS * TEST_ROWS] = {
        0.1f,  0.2f,  0.1f, 0.0f,  -0.1f, 0.0f,  0.2f,  0.0f, 0.3f,  0.4f, 0.1f,  -0.2f,
        -0.1f, 0.1f,  0.0f, 0.2f,  0.6f,  0.3f,  -0.3f, 0.0f, 0.05f, 0.1f, 0.15f, 0.3f,
        0.1f,  -0.1f, 0.1f, 0.0f,  0.2f,  0.25f, 0.1f,  0.0f, 0.0f,  0.1f, 0.3f,
    };
    return heights;
}

/* Somewhat tilted, about (0.3, -0.2, 0.5), 1 to 2 m large. */
static inline SlShape test_shape(const SlShapeType *type)
{
    SlShape shape = sl_default_shape(type->kind);
    shape.center = (SlVec3){0.3f, -0.2f, 0.5f};
    shape.radius = 0.8f;
    shape.height = 1.3f;
    shape.half = (SlVec3){0.5f, 0.9f, 0.4f};
    shape.axis = (SlVec3){0.3f, 2, -0.4f};
    shape.heights = test_heights();
    shape.columns = TEST_COLUMNS;
    shape.rows = TEST_ROWS;
    const char *reason;
    assert_true(sl_shape_prepare(&shape, &reason));
    return shape;
}

#endif
