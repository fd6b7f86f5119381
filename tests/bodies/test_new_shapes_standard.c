/* Capsule and height field keep water and snow outside as other solids do. */
#include "geometry/shape.h"
#include "scene/scene.h"
#include "support/test.h"
#include "support/world.h"
#include "world/world.h"

enum { POINTS = 9 };

/* A bowl, 2 m wide, 0.1 m deep in its middle and 0.6 m at its rim. */
static void make_bowl(float heights[POINTS * POINTS], SlShape *shape)
{
    *shape = sl_default_shape(SL_SHAPE_HEIGHT_FIELD);
    for (int j = 0; j < POINTS; j++)
        for (int i = 0; i < POINTS; i++) {
            float x = (float)i / 4 - 1, z = (float)j / 4 - 1;
            heights[POINTS * j + i] = 0.1f + 0.25f * (x * x + z * z);
        }
    shape->heights = heights;
    shape->columns = shape->rows = POINTS;
    shape->half = (SlVec3){1, 0.2f, 1};
    shape->center = (SlVec3){1, 0.2f, 1};
}

static SlShape make_capsule(void)
{
    SlShape shape = sl_default_shape(SL_SHAPE_CAPSULE);
    shape.center = (SlVec3){0.5f, 0.5f, 0.9f};
    shape.axis = (SlVec3){1, 0.2f, 0.1f};
    shape.radius = 0.3f;
    shape.height = 1;
    shape.friction = 0.3f;
    return shape;
}

static SlWorld *make(const char *solver, const char *boundary, double spacing, const SlShape *shape)
{
    SlWorldDef def = test_world_def(2, (SlVec3){0, 0, 0}, (SlVec3){2, 2.4f, 2});
    SlBlock block = {.min = {0.6f, 1.2f, 0.6f}, .max = {1.4f, 1.6f, 1.4f}};
    SlSystemId id;
    SlWorld *world = test_world(&def, solver, NULL, &id);
    assert_ok(sl_system_set_number(world, id, "spacing", spacing, &test_error));
    if (boundary != NULL)
        assert_ok(sl_system_set_text(world, id, "boundary", boundary, &test_error));
    assert_ok(sl_system_add_block(world, id, &block, &test_error));
    assert_ok(sl_world_add_collider(world, shape, NULL, &test_error));
    return world;
}

/* The least distance to the collider, and the mean height, after some frames. */
static void drop(SlWorld *world, int frames, double *least, double *height)
{
    for (int k = 0; k < frames; k++)
        assert_ok(sl_world_advance_frame(world, &test_error));
    SlFieldView x = sl_system_field(world, first_system(world), "position");
    *least = 1e9;
    *height = 0;
    for (size_t i = 0; i < x.count; i++) {
        SlVec3 p;
        memcpy(&p, (const char *)x.data + i * x.stride, sizeof p);
        const SlBody *body = &world->colliders.bodies.body[1];
        *least = fmin(*least, (double)sl_body_query(body, p, INFINITY).distance);
        *height += (double)p.y / (double)x.count;
    }
}

static void water_stays_outside(void **state)
{
    (void)state;
    const char *const boundaries[3] = {"contact", "walls", "particles"};
    float heights[POINTS * POINTS];
    for (int b = 0; b < 3; b++) {
        double least, height;
        SlShape bowl, capsule = make_capsule();
        make_bowl(heights, &bowl);
        SlWorld *world = make("pbf", boundaries[b], 0.1, &bowl);
        memset(heights, 0, sizeof heights); /* the world has copies */
        drop(world, 60, &least, &height);
        print_message("%s: bowl: %.3f m away, %.3f m high\n", boundaries[b], least, height);
        assert_true(least > 0.02);
        assert_true(height > 0.3 && height < 0.8); /* in the bowl */
        sl_world_destroy(world);
        world = make("pbf", boundaries[b], 0.1, &capsule);
        drop(world, 40, &least, &height);
        print_message("%s: capsule: %.3f m away, %.3f m high\n", boundaries[b], least, height);
        assert_true(least > 0.02);
        sl_world_destroy(world);
    }
}

static void snow_stays_outside(void **state)
{
    (void)state;
    float heights[POINTS * POINTS];
    double least, height;
    SlShape bowl, capsule = make_capsule();
    make_bowl(heights, &bowl);
    SlWorld *world = make("snow", NULL, 0.05, &bowl);
    drop(world, 30, &least, &height);
    print_message("snow: bowl: %.3f m away, %.3f m high\n", least, height);
    assert_true(least > -0.01 && height > 0.3 && height < 0.9);
    sl_world_destroy(world);
    capsule.sticky = true;
    world = make("snow", NULL, 0.05, &capsule);
    drop(world, 30, &least, &height);
    print_message("snow: capsule: %.3f m away, %.3f m high\n", least, height);
    assert_true(least > -0.01 && height > 0.5);
    sl_world_destroy(world);
}

/* They are drawn by their triangles, where they are. */
static void views_have_their_triangles(void **state)
{
    (void)state;
    SlShape capsule = make_capsule();
    SlWorld *world = make("pbf", "contact", 0.2, &capsule);
    assert_ok(sl_world_start(world, &test_error));
    const SlFrameView *view = sl_world_view(world);
    assert_int_equal(view->collider_count, 1);
    const SlColliderView *collider = &view->colliders[0];
    assert_int_equal(collider->kind, SL_COLLIDER_MESH);
    assert_true(collider->mesh.triangle_count > 100);
    assert_near(collider->pose.position.x, 0.5, 1e-6);
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_stays_outside),
        cmocka_unit_test(snow_stays_outside),
        cmocka_unit_test(views_have_their_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
