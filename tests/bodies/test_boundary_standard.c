/* Boundary particles against brute force, and what they must not do. */
#include "solvers/pbf/pbf.h"
#include "support/boundary_worlds.h"
#include "world/world.h"

static const double d = 0.1;

/* Water on the floor of a box with a ball in it, boundary as named. */
static SlWorld *pool(const char *boundary, uint32_t threads, SlVec3 ball_velocity)
{
    DamSetting setting = {.threads = threads, .nx = 20, .ny = 6, .nz = 12, .domain = {2, 2, 1.2f}};
    SlWorld *world = dam_create(&setting);
    SlShape ball = sl_default_shape(SL_SHAPE_SPHERE);
    ball.center = (SlVec3){1, 1.2f, 0.6f};
    ball.radius = 0.3f;
    SlColliderId id;
    assert_ok(sl_world_add_collider(world, &ball, &id, &test_error));
    SlMotionDef motion = sl_default_motion_def();
    motion.velocity = ball_velocity;
    if (sl_length(ball_velocity) > 0)
        assert_ok(sl_collider_set_motion(world, id, &motion, &test_error));
    assert_ok(sl_system_set_text(world, first_system(world), "boundary", boundary, &test_error));
    return world;
}

static SlSystem *system_of(SlWorld *world)
{
    return &world->systems[0]->base;
}

/* A lattice that begins half a spacing from a wall has density 1 all through, for every kernel. */
static void walls_continue_the_lattice(void **state)
{
    (void)state;
    static const char *const kernels[] = {"cubic", "wendland", "poly6"};
    for (int k = 0; k < 3; k++) {
        DamSetting setting = {.threads = 1, .nx = 12, .ny = 12, .nz = 12, .domain = {1.2f, 1.2f, 1.2f},
                              .kernel = kernels[k]};
        SlWorld *world = dam_create(&setting);
        assert_ok(sl_system_set_text(world, first_system(world), "boundary", "particles", &test_error));
        assert_ok(sl_world_start(world, &test_error));
        SlFieldView density = sl_system_field(world, first_system(world), "density_ratio");
        SlFieldView x = sl_system_field(world, first_system(world), "position");
        double least = 9, most = 0;
        for (size_t i = 0; i < density.count; i++) {
            SlVec3 p = particle_at(&x, i);
            int near = 0; /* walls within a spacing: faces only, nothing is promised at corners */
            for (int a = 0; a < 3; a++)
                near += (&p.x)[a] < 0.1f || (&p.x)[a] > 1.1f;
            double rho = (double)((const float *)density.data)[i];
            most = fmax(most, rho);
            if (near <= 1)
                least = fmin(least, rho);
        }
        printf("%s: density at walls of samples %.4f to %.4f\n", kernels[k], least, most);
        assert_less(most, 1.05);
        assert_less(0.97, least);
        sl_world_destroy(world);
    }
}

static void volumes_are_akincis(void **state)
{
    (void)state;
    SlWorld *world = pool("particles", 2, (SlVec3){0, 0, 0});
    assert_ok(sl_world_start(world, &test_error));
    SlFluidState *pbf = system_of(world)->state;
    const SlBoundary *b = &pbf->solids.boundary;
    const float *x = sl_f32x4(&b->set, SL_F_POSITION);
    assert_true(b->set.count > 1000);
    size_t of_ball = 0;
    for (size_t i = 0; i < b->set.count; i++) {
        double sum = 0;
        for (size_t j = 0; j < b->set.count; j++) {
            double u[3] = {(double)x[4 * i] - (double)x[4 * j],
                           (double)x[4 * i + 1] - (double)x[4 * j + 1],
                           (double)x[4 * i + 2] - (double)x[4 * j + 2]};
            sum += sl_kernel_value(SL_KERNEL_CUBIC, sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]),
                                   2 * d);
        }
        assert_near((double)x[4 * i + 3], 1 / (sum * d * d * d), 1e-4);
        if (b->body[i] == 1) { /* inside of its ball by the inset */
            double r = (double)sl_length(sl_sub((SlVec3){x[4 * i], x[4 * i + 1], x[4 * i + 2]},
                                                (SlVec3){1, 1.2f, 0.6f}));
            assert_near(r, 0.3 - d * sl_boundary_inset(SL_KERNEL_CUBIC, 2), 0.01 * d + 0.002);
            of_ball++;
        }
    }
    assert_true(of_ball > 100);
    sl_world_destroy(world);
}

/* Density after some steps against a double loop over everything. */
static void densities_have_a_reference(void **state)
{
    (void)state;
    SlWorld *world = pool("particles", 2, (SlVec3){0, -0.5f, 0});
    dam_advance(world, 60); /* the ball is half under water */
    SlSystem *system = system_of(world);
    SlFluidState *pbf = system->state;
    const SlParticles *fluid = &system->particles;
    const float *x = sl_f32x4(fluid, SL_F_POSITION), *density = fluid->data[SL_F_DENSITY];
    const float *xb = sl_f32x4(&pbf->solids.boundary.set, SL_F_POSITION);
    double volume = d * d * d / sl_lattice_sums(SL_KERNEL_CUBIC, 2).density, worst = 0;
    for (size_t i = 0; i < fluid->count; i++) {
        double sum = 0;
        for (size_t j = 0; j < fluid->count + pbf->solids.boundary.set.count; j++) {
            const float *o = j < fluid->count ? x + 4 * j : xb + 4 * (j - fluid->count);
            double u[3] = {(double)x[4 * i] - (double)o[0], (double)x[4 * i + 1] - (double)o[1],
                           (double)x[4 * i + 2] - (double)o[2]};
            double w = sl_kernel_value(SL_KERNEL_CUBIC,
                                       sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]), 2 * d);
            sum += volume * w * (j < fluid->count ? 1 : (double)o[3]);
        }
        worst = fmax(worst, fabs(sum - (double)density[i]));
    }
    printf("density with boundary particles, off by at most %.2g\n", worst);
    assert_less(worst, 2e-6);
    sl_world_destroy(world);
}

static void same_bits_for_any_threads(void **state)
{
    (void)state;
    static const uint32_t threads[] = {1, 2, 5};
    for (int mode = 2; mode < BOUNDARY_MODES; mode++) {
        uint64_t hash[3];
        double force[3];
        for (int k = 0; k < 3; k++) {
            SlWorld *world = pool(boundary_modes[mode], threads[k], (SlVec3){0.2f, -0.5f, 0});
            dam_advance(world, 40);
            hash[k] = sl_world_hash(world);
            force[k] = system_of(world)->forces[1].force[1];
            sl_world_destroy(world);
        }
        assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
        assert_true(force[0] == force[1] && force[0] == force[2]);
        assert_true(force[0] != 0);
    }
}

/* All samples of the scene's seed move with it. */
static void the_seed_changes_samples(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (int k = 0; k < 2; k++) {
        SlWorld *world = pool("particles", 1, (SlVec3){0, 0, 0});
        world->def.seed = (uint64_t)k;
        assert_ok(sl_world_start(world, &test_error));
        SlFluidState *pbf = system_of(world)->state;
        hashes[k] = 0;
        for (size_t i = 0; i < 4 * pbf->solids.boundary.set.count; i++)
            hashes[k] = hashes[k] * 31 + (uint64_t)(1e6f * fabsf(pbf->solids.boundary.rest[i]));
        sl_world_destroy(world);
    }
    assert_true(hashes[0] != hashes[1]);
}

/* The floor carries the weight, whatever it is made of. */
static bool add_weight(void *user, SlSystemId system, const SlStepStats *stats)
{
    (void)system;
    double *sum = user;
    assert_string_equal(stats->bodies[0].name, "domain");
    if (stats->time > 1) {
        sum[0] += stats->bodies[0].force[1];
        sum[1]++;
    }
    return true;
}

static void the_floor_carries_the_weight(void **state)
{
    (void)state;
    for (int mode = 0; mode < BOUNDARY_MODES; mode++) {
        double sum[2] = {0, 0};
        DamSetting setting = {.threads = 2, .nx = 16, .ny = 8, .nz = 16, .domain = {1.6f, 2, 1.6f},
                              .iterations = 8, .on_step = add_weight, .user = sum};
        SlWorld *world = dam_create(&setting);
        assert_ok(sl_system_set_text(world, first_system(world), "boundary", boundary_modes[mode], &test_error));
        assert_ok(sl_system_set_text(world, first_system(world), "forces", "all", &test_error));
        dam_advance(world, 180);
        double weight = 16 * 8 * 16 * 1000 * d * d * d * 9.81;
        printf("floor, %s: %.2f %% of the weight\n", boundary_modes[mode],
               -100 * sum[0] / sum[1] / weight);
        assert_near(-sum[0] / sum[1] / weight, 1, 1e-3);
        sl_world_destroy(world);
    }
}

/* Mean horizontal speed of a sheet of water after half a second on a floor with that friction. */
static double slide(const char *boundary, float friction)
{
    DamSetting setting = {.threads = 2, .nx = 20, .ny = 3, .nz = 20, .domain = {12, 2, 12},
                          .offset = {1, 0, 5}, .velocity = {4, 0, 0}};
    SlWorld *world = dam_create(&setting);
    world->colliders.bodies.body[0].friction = friction;
    sl_world_update_surroundings(world);
    assert_ok(sl_system_set_text(world, first_system(world), "boundary", boundary, &test_error));
    dam_advance(world, 30);
    SlFieldView v = sl_system_field(world, first_system(world), "velocity");
    double sum = 0;
    for (size_t i = 0; i < v.count; i++)
        sum += (double)particle_at(&v, i).x;
    sl_world_destroy(world);
    return sum / (double)v.count;
}

/* Coulomb: friction mu under the weight takes mu g from the mean speed. */
static void friction_is_coulombs(void **state)
{
    (void)state;
    for (int mode = 1; mode < 3; mode++) {
        double free = slide(boundary_modes[mode], 0), held = slide(boundary_modes[mode], 0.3f);
        double expected = 0.3 * 9.81 * 0.5;
        printf("friction 0.3, %s: %.2f m/s lost, Coulomb's %.2f; without %.3f\n",
               boundary_modes[mode], free - held, expected, 4 - free);
        assert_near(free, 4, 1e-3);
        assert_near(free - held, expected, 0.35 * expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walls_continue_the_lattice),
        cmocka_unit_test(volumes_are_akincis),
        cmocka_unit_test(densities_have_a_reference),
        cmocka_unit_test(same_bits_for_any_threads),
        cmocka_unit_test(the_seed_changes_samples),
        cmocka_unit_test(the_floor_carries_the_weight),
        cmocka_unit_test(friction_is_coulombs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
