/* Worlds without walls: the same bits from either grid, and what happens far out. */
#include "support/dam.h"
#include "support/world.h"

/* 6400 particles that slosh for 25 frames, with the grid given. */
static uint64_t dam_hash(SlGridKind grid, uint32_t threads, SlIsa isa)
{
    SlWorldDef def = sl_default_world_def();
    test_own_context(&def, threads, isa);
    def.grid = grid;
    def.domain = (SlBox){{-1.03f, -0.2f, 0.4f}, {4, 3, 1.9f}};
    SlSystemId id;
    SlBlock block = {.min = {-1.03f, -0.2f, 0.4f}, .max = {0.17f, 1.3f, 1.9f}};
    SlShape ball = sl_default_shape(SL_SHAPE_SPHERE);
    ball.center = (SlVec3){2, 0.1f, 1.1f};
    SlWorld *world = test_world(&def, "pbf", "spacing=0.075", &id);
    assert_ok(sl_system_set_text(world, id, "packing", "lattice", &test_error)); /* starts at once */
    assert_ok(sl_system_add_block(world, id, &block, &test_error));
    assert_ok(sl_world_add_collider(world, &ball, NULL, &test_error));
    dam_advance(world, 25);
    assert_true(sl_world_view(world)->systems[0].particle_count == 16 * 20 * 20);
    uint64_t hash = sl_world_hash(world);
    sl_world_destroy(world);
    return hash;
}

static void either_grid_gives_the_same_hash(void **state)
{
    (void)state;
    const uint32_t threads[3] = {1, 2, 5};
    SlIsa paths[2] = {SL_ISA_BASE, SL_ISA_AUTO};
    for (int p = 0; p < 2; p++) {
        uint64_t bounded = dam_hash(SL_GRID_BOUNDED, 1, paths[p]);
        for (int k = 0; k < 3; k++) {
            assert_true(dam_hash(SL_GRID_COMPACT, threads[k], paths[p]) == bounded);
            assert_true(dam_hash(SL_GRID_BOUNDED, threads[k], paths[p]) == bounded);
        }
    }
}

/* A block in a world with no walls at all; `shape` may be NULL. */
static SlWorld *open_world(const SlShape *shape, SlVec3 velocity, float limit, uint32_t threads)
{
    SlWorldDef def = test_world_def(threads, (SlVec3){-INFINITY, -INFINITY, -INFINITY},
                                    (SlVec3){INFINITY, INFINITY, INFINITY});
    def.domain_limit = limit;
    SlSystemId id;
    SlBlock block = {.min = {-0.5f, 0, -0.5f}, .max = {0.5f, 1, 0.5f}, .velocity = velocity};
    SlWorld *world = test_world(&def, "pbf", NULL, &id);
    assert_ok(sl_system_add_block(world, id, &block, &test_error));
    if (shape != NULL)
        assert_ok(sl_world_add_collider(world, shape, NULL, &test_error));
    return world;
}

/* Without walls and floor water falls as one: nothing holds or turns it. */
static void free_fall(void **state)
{
    (void)state;
    SlWorld *world = open_world(NULL, (SlVec3){0, 0, 0}, 0, 2);
    dam_advance(world, 60);
    SlFieldView x = sl_system_field(world, first_system(world), "position"), v = sl_system_field(world, first_system(world), "velocity");
    double height = 0, sideways = 0, speed = 0;
    for (size_t i = 0; i < x.count; i++) {
        const float *p = (const float *)((const char *)x.data + i * x.stride);
        const float *u = (const float *)((const char *)v.data + i * v.stride);
        height += (double)p[1] / (double)x.count;
        sideways += (double)p[0] / (double)x.count;
        speed += (double)u[1] / (double)x.count;
    }
    assert_int_equal(x.count, 1000);
    assert_near(speed, -9.81, 1e-3);
    assert_near(height, 0.5 - 4.905, 0.1); /* sub-steps fall a little farther */
    assert_near(sideways, 0, 1e-3);
    sl_world_destroy(world);
}

/* Water let go on a plane spreads past any box it began in, the same for any number of threads. */
static void puddle_on_a_plane(void **state)
{
    (void)state;
    SlShape plane = sl_default_shape(SL_SHAPE_PLANE);
    uint64_t hashes[2];
    for (uint32_t k = 0; k < 2; k++) {
        SlWorld *world = open_world(&plane, (SlVec3){0, 0, 0}, 0, 1 + 4 * k);
        dam_advance(world, 90);
        SlFieldView x = sl_system_field(world, first_system(world), "position");
        float widest = 0, lowest = 1;
        for (size_t i = 0; i < x.count; i++) {
            const float *p = (const float *)((const char *)x.data + i * x.stride);
            widest = fmaxf(widest, fabsf(p[0]));
            lowest = fminf(lowest, p[1]);
        }
        assert_less(1.5, widest);
        assert_less(0.0249, lowest); /* contacts keep a quarter of a spacing */
        hashes[k] = sl_world_hash(world);
        sl_world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

/* Beyond the limit particles are taken out; without one the run stops with a name and a place. */
static void far_out(void **state)
{
    (void)state;
    SlWorld *world = open_world(NULL, (SlVec3){0, 0, 0}, 3, 2);
    dam_advance(world, 50); /* 3.4 m */
    size_t left = sl_world_view(world)->systems[0].particle_count;
    assert_true(left > 0 && left < 1000);
    dam_advance(world, 40);
    assert_int_equal(sl_world_view(world)->systems[0].particle_count, 0);
    sl_world_destroy(world);

    world = open_world(NULL, (SlVec3){0, 0, 0}, 0, 2);
    SlEmitterDef jet = sl_default_emitter_def(SL_EMITTER_DISK);
    jet.center = (SlVec3){0, 0, 26300}; /* 2^18 spacings are 26214.4 m */
    assert_ok(sl_system_add_emitter(world, first_system(world), &jet, NULL, &test_error));
    SlStatus status = sl_world_advance_frame(world, &test_error);
    assert_int_equal(status, SL_ERROR_NUMBERS);
    assert_non_null(strstr(test_error.text, "pbf: particle 10"));
    assert_non_null(strstr(test_error.text, "is farther than 26214.4 m from the origin"));
    sl_world_destroy(world);
}

/* One wall is taken away: water runs out there and nowhere else. */
static void one_open_side(void **state)
{
    (void)state;
    SlWorldDef def = test_world_def(2, (SlVec3){0, 0, 0}, (SlVec3){INFINITY, 2, 1});
    SlSystemId id;
    SlBlock block = {.max = {1, 1, 1}};
    SlWorld *world = test_world(&def, "pbf", NULL, &id);
    assert_ok(sl_system_add_block(world, id, &block, &test_error));
    dam_advance(world, 60);
    SlFieldView x = sl_system_field(world, first_system(world), "position");
    float most[3] = {0, 0, 0}, least = 1;
    for (size_t i = 0; i < x.count; i++) {
        const float *p = (const float *)((const char *)x.data + i * x.stride);
        for (int k = 0; k < 3; k++) {
            most[k] = fmaxf(most[k], p[k]);
            least = fminf(least, p[k]);
        }
    }
    assert_less(3, most[0]);
    assert_less(most[2], 1);
    assert_less(0, least);
    sl_world_destroy(world);
}

/* A frame of an open world says so when it is read back. */
static void frames_of_open_worlds(void **state)
{
    (void)state;
    char folder[512], path[600];
    test_folder(folder, sizeof folder, "unbounded");
    snprintf(path, sizeof path, "%s/open.slf", folder);
    SlWorld *world = open_world(NULL, (SlVec3){0, 0, 0}, 0, 1);
    dam_advance(world, 1);
    SlFrame *frame;
    assert_ok(sl_frame_write(sl_world_context(world), path, sl_world_view(world), &test_error));
    assert_ok(sl_frame_read(sl_world_context(world), path, &frame, &test_error));
    SlBox domain = sl_frame_view(frame)->domain;
    assert_true(isinf(domain.min.y) && isinf(domain.max.x) && domain.min.y < domain.max.y);
    sl_frame_destroy(frame);
    sl_world_destroy(world);
}

static void bad_domains_are_refused(void **state)
{
    (void)state;
    SlWorld *world;
    SlWorldDef def = sl_default_world_def();
    def.domain.min.x = INFINITY;
    assert_int_equal(sl_world_create(&def, &world, &test_error), SL_ERROR_ARGUMENT);
    def.domain.min.x = NAN;
    assert_int_equal(sl_world_create(&def, &world, &test_error), SL_ERROR_ARGUMENT);
    def = sl_default_world_def();
    def.domain_limit = -1;
    assert_int_equal(sl_world_create(&def, &world, &test_error), SL_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(either_grid_gives_the_same_hash),
        cmocka_unit_test(free_fall),
        cmocka_unit_test(puddle_on_a_plane),
        cmocka_unit_test(far_out),
        cmocka_unit_test(one_open_side),
        cmocka_unit_test(frames_of_open_worlds),
        cmocka_unit_test(bad_domains_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
