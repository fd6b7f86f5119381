/* A fixed ball of radius 10 d under water: the force it reports against the water it displaces. */
#ifndef TESTS_WORLD_BUOYANCY_H
#define TESTS_WORLD_BUOYANCY_H

#include "support/boundary_worlds.h"

typedef struct ForceMean {
    double sum[3], from;
    uint64_t steps;
} ForceMean;

static inline bool add_force(void *user, SlSystemId system, const SlStepStats *stats)
{
    (void)system;
    ForceMean *mean = user;
    if (stats->time < mean->from)
        return true;
    for (int k = 0; k < 3; k++)
        mean->sum[k] += stats->bodies[0].force[k];
    mean->steps++;
    return true;
}

/* The surface's height, from the water above a height that nothing solid reaches. */
static inline double level_of(SlWorld *world, double above, double area)
{
    SlFieldView x = sl_system_field(world, first_system(world), "position");
    double count = 0;
    for (size_t i = 0; i < x.count; i++)
        count += (double)particle_at(&x, i).y > above;
    return above + count * 0.001 / area;
}

static inline double pool_depth(const char *boundary, bool with_ball, double *lift)
{
    /* Half as wide as the pool, it falls and mixes: a lattice that lies still packs closer than
       water that has moved. */
    ForceMean mean = {.from = 6};
    DamSetting setting = {.threads = 2, .nx = 20, .ny = 52, .nz = 40, .domain = {4, 8, 4},
                          .offset = {0, 2.4f, 0}, .iterations = 8,
                          .on_step = with_ball ? add_force : NULL, .user = &mean};
    SlWorld *world = dam_create(&setting);
    if (with_ball) {
        SlShape ball = sl_default_shape(SL_SHAPE_SPHERE);
        ball.center = (SlVec3){2, 1.3f, 2};
        ball.radius = 1;
        SlColliderId id;
        assert_ok(sl_world_add_collider(world, &ball, &id, &test_error));
    }
    assert_ok(sl_system_set_text(world, first_system(world), "boundary", boundary, &test_error));
    assert_ok(sl_system_set_number(world, first_system(world), "xsph", 0.1, &test_error));
    dam_advance(world, 480);
    double depth = level_of(world, 2.4, 16);
    *lift = with_ball ? mean.sum[1] / (double)mean.steps : 0;
    sl_world_destroy(world);
    return depth;
}

static inline void hold_buoyancy(const char *boundary)
{
    double lift, none;
    double before = pool_depth(boundary, false, &none);
    double after = pool_depth(boundary, true, &lift);
    double displaced = 1000 * 9.81 * (after - before) * 16;
    printf("buoyancy, %s: level %.4f -> %.4f m, force %.0f N, displaced water weighs %.0f N "
           "(%+.1f %%); the sphere's own volume %.0f N\n",
           boundary, before, after, lift, displaced, 100 * (lift / displaced - 1),
           1000 * 9.81 * 4.18879);
    assert_less(fabs(lift / displaced - 1), 0.1);
}

#endif
