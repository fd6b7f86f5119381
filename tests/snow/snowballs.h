/* Worlds of snow that several tests use. */
#ifndef TESTS_SNOW_SNOWBALLS_H
#define TESTS_SNOW_SNOWBALLS_H

#include "solvers/snow/snow.h"
#include "support/test.h"
#include "support/world.h"
#include "world/world.h"

typedef struct BallSetting {
    const char *transfer; /* NULL: the default */
    uint32_t threads;
    double spacing, radius, speed, time_step;
    SlVec3 center;
    float friction;
    bool no_gravity;
    SlIsa isa;
    double beta, tolerance; /* semi-implicit where beta > 0 */
    double max_iterations; /* 0: the default */
    double stiffness;       /* 0: the default */
    const char *parameters; /* more of them, NAME=VALUE; NULL: none */
    SlHooks hooks;
} BallSetting;

/* A ball filled at random; fill.shapes points at its own shape. */
typedef struct Snowball {
    SlShape shape;
    SlFillDef fill;
} Snowball;

static inline void ball_shape(Snowball *ball, SlVec3 center, float radius)
{
    ball->shape = sl_default_shape(SL_SHAPE_SPHERE);
    ball->shape.center = center;
    ball->shape.radius = radius;
    ball->fill = sl_default_fill_def();
    ball->fill.mode = SL_FILL_RANDOM;
    ball->fill.shapes = &ball->shape;
    ball->fill.shape_count = 1;
}

/* A started world: a ball that moves down towards the floor of an open domain. */
static inline SlWorld *ball_create(const BallSetting *b)
{
    SlWorldDef def = sl_default_world_def();
    SlContextDef context = sl_default_context_def();
    context.threads = b->threads;
    context.isa = b->isa;
    context.hooks = b->hooks;
    assert_ok(sl_context_create(&context, &def.context, &test_error));
    def.own_context = true;
    def.domain = (SlBox){{-INFINITY, 0, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    def.domain_friction = b->friction;
    if (b->no_gravity)
        def.gravity = (SlVec3){0, 0, 0};
    SlSystemId id;
    SlWorld *world = test_world(&def, "snow", NULL, &id);
    assert_ok(sl_system_set_number(world, id, "spacing", b->spacing, &test_error));
    assert_ok(sl_system_set_number(world, id, "time_step", b->time_step, &test_error));
    if (b->transfer != NULL)
        assert_ok(sl_system_set_text(world, id, "transfer", b->transfer, &test_error));
    if (b->beta > 0) {
        assert_ok(sl_system_set_text(world, id, "integration", "implicit", &test_error));
        assert_ok(sl_system_set_number(world, id, "beta", b->beta, &test_error));
        if (b->max_iterations > 0)
            assert_ok(sl_system_set_number(world, id, "max_iterations", b->max_iterations,
                                           &test_error));
        if (b->tolerance > 0)
            assert_ok(sl_system_set_number(world, id, "tolerance", b->tolerance, &test_error));
    }
    if (b->stiffness > 0)
        assert_ok(sl_system_set_number(world, id, "stiffness", b->stiffness, &test_error));
    if (b->parameters != NULL)
        test_set_parameters(world, id, b->parameters);
    Snowball ball;
    ball_shape(&ball, b->center, (float)b->radius);
    ball.fill.velocity = (SlVec3){0, (float)-b->speed, 0};
    assert_ok(sl_system_add_fill(world, id, &ball.fill, &test_error));
    assert_ok(sl_world_start(world, &test_error));
    return world;
}

static inline SlSystem *ball_system(SlWorld *world)
{
    return &world->systems[0]->base;
}

/* The exact position of a particle: cell and fraction. */
static inline double ball_place(const SlSystem *system, size_t i, int axis, double h)
{
    const float *x = sl_f32x4(&system->particles, SL_F_POSITION) + 4 * i;
    const float *f = sl_f32x4(&system->particles, SL_F_FRACTION) + 4 * i;
    return h * ((double)sl_snow_cell(x[axis], (float)(1 / h)) + (double)f[axis]);
}

#endif
