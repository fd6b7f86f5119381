/* Snow that lands on planes and hits plates: the cases of the contact tests. */
#ifndef TESTS_SNOW_CONTACTS_H
#define TESTS_SNOW_CONTACTS_H

#include "snow/snowballs.h"
#include "support/world.h"

static const double spacing = 0.02, cell = 0.04;

static inline SlVec3 position_of(const SlFieldView *x, size_t i)
{
    SlVec3 p;
    memcpy(&p, (const char *)x->data + i * x->stride, sizeof p);
    return p;
}

static inline double top_speed(SlWorld *world)
{
    return ball_system(world)->stats.max_speed;
}

/* A block of firm snow, 0.24 x 0.12 x 0.2 m, a little above a plane through `origin`, tilted about z. */
static inline SlWorld *block_over_plane(SlVec3 origin, double degrees, float friction,
                                 const char *parameters)
{
    double angle = degrees * acos(-1) / 180;
    SlVec3 up = {(float)-sin(angle), (float)cos(angle), 0}, side = {up.y, -up.x, 0};
    SlWorldDef def = sl_default_world_def();
    test_own_context(&def, 2, SL_ISA_AUTO);
    def.domain = (SlBox){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    SlShape plane = sl_default_shape(SL_SHAPE_PLANE), box = sl_default_shape(SL_SHAPE_BOX);
    plane.center = origin;
    plane.axis = up;
    plane.friction = friction;
    box.axis = up;
    box.side = side;
    box.half = (SlVec3){0.12f, 0.06f, 0.1f};
    box.center = sl_add(origin, sl_scale(up, 0.075f));
    SlFillDef fill = sl_default_fill_def();
    fill.mode = SL_FILL_RANDOM;
    fill.shapes = &box;
    fill.shape_count = 1;
    SlSystemId id;
    SlWorld *world = test_world(&def, "snow", "spacing=0.02 stiffness=1e6 critical_stretch=0.1 "
                                              "critical_compression=0.1", &id);
    test_set_parameters(world, id, parameters);
    assert_ok(sl_world_add_collider(world, &plane, NULL, &test_error));
    assert_ok(sl_system_add_fill(world, id, &fill, &test_error));
    assert_ok(sl_world_start(world, &test_error));
    return world;
}

/* Distance of the lowest particle to the plane, in spacings. */
static inline double lowest(SlWorld *world, SlVec3 origin, double degrees)
{
    double angle = degrees * acos(-1) / 180, low = 1e9;
    SlVec3 up = {(float)-sin(angle), (float)cos(angle), 0};
    SlFieldView x = sl_system_field(world, first_system(world), "position");
    for (size_t i = 0; i < x.count; i++)
        low = fmin(low, (double)sl_dot(sl_sub(position_of(&x, i), origin), up));
    return low / spacing;
}

/* Target: landed snow rests at d/2 ± 0.1 d. The floor is `offset` cells below nodes. */
static inline void expect_landing(const char *transfer, const char *integration, double offset,
                                  double degrees)
{
    char words[128];
    snprintf(words, sizeof words, "transfer=%s integration=%s", transfer, integration);
    SlVec3 origin = {0, (float)(-offset * cell), 0};
    SlWorld *world = block_over_plane(origin, degrees, 1.2f, words);
    assert_ok(sl_world_step(world, 0.5, &test_error));
    double low = lowest(world, origin, degrees);
    print_message("%s %s, floor %g cells below nodes, %g degrees: rests at %.3f d, %.4f m/s\n", transfer,
                  integration, offset, degrees, low, top_speed(world));
    assert_near(low, 0.5, 0.1);
    sl_world_destroy(world);
}

/* Target: without adhesion a stiff block comes to rest after a fall, and does not hop. */
static inline void expect_no_hop(const char *transfer, double offset)
{
    char words[128];
    snprintf(words, sizeof words, "transfer=%s stiffness=3e6", transfer);
    SlVec3 origin = {0, (float)(-offset * cell), 0};
    SlWorld *world = block_over_plane(origin, 0, 0.5f, words);
    assert_ok(sl_world_step(world, 1, &test_error));
    print_message("%s, floor %g cells below nodes: top speed %.5f m/s after 1 s\n", transfer, offset,
                  top_speed(world));
    assert_less(top_speed(world), 0.01);
    sl_world_destroy(world);
}

/* Target: nothing passes a plate one cell thick at 9 m/s. */
static inline void expect_plate_holds(const char *transfer, float center)
{
    SlWorldDef def = test_world_def(2, (SlVec3){-1, -1, -1}, (SlVec3){1, 1, 1});
    def.gravity = (SlVec3){0, 0, 0};
    SlShape plate = sl_default_shape(SL_SHAPE_BOX), ball = sl_default_shape(SL_SHAPE_SPHERE);
    plate.center = (SlVec3){center, 0, 0};
    plate.half = (SlVec3){0.01f, 1, 1};
    ball.radius = 0.1f;
    SlFillDef fill = sl_default_fill_def();
    fill.mode = SL_FILL_RANDOM;
    fill.shapes = &ball;
    fill.shape_count = 1;
    fill.velocity = (SlVec3){9, 0, 0};
    SlSystemId id;
    SlWorld *world = test_world(&def, "snow", "spacing=0.01", &id);
    assert_ok(sl_system_set_text(world, id, "transfer", transfer, &test_error));
    assert_ok(sl_world_add_collider(world, &plate, NULL, &test_error));
    assert_ok(sl_system_add_fill(world, id, &fill, &test_error));
    double farthest = -1, surface = (double)plate.center.x - 0.01;
    for (int n = 0; n < 25; n++) {
        assert_ok(sl_world_step(world, 0.002, &test_error));
        SlFieldView x = sl_system_field(world, id, "position");
        for (size_t i = 0; i < x.count; i++)
            farthest = fmax(farthest, (double)position_of(&x, i).x);
    }
    print_message("%s, plate at %.3f m: farthest particle %.4f m\n", transfer, surface, farthest);
    assert_less(farthest, surface + 1e-4);
    assert_less(surface - 0.01, farthest); /* it was hit */
    sl_world_destroy(world);
}

#endif
