/* Forces between particles after the solve: viscosity, vorticity, tension; and fluids of different
   density in one system. */
#include "core/random.h"
#include "solvers/fluid/forces.h"
#include "solvers/pbf/pbf.h"
#include "support/boundary_worlds.h"
#include "world/world.h"

enum { SIDE = 16 };

/* A cube of SIDE³ particles in empty space, its list made, velocities from `field`. */
typedef struct Cube {
    SlWorld *world;
    SlSystem *system;
    SlPbfPass pass;
    SlFluidParticles *particles; /* of the pass */
    SlVelocityPass velocities;
} Cube;

typedef SlVec3 (*VelocityField)(SlVec3 at);

static void cube_open(Cube *c, const char *parameter, double value, VelocityField field)
{
    DamSetting setting = {.threads = 2,
                          .nx = SIDE,
                          .ny = SIDE,
                          .nz = SIDE,
                          .no_gravity = true,
                          .domain = {8, 8, 8},
                          .offset = {3, 3, 3}};
    *c = (Cube){.world = dam_create(&setting), .particles = &c->pass.fluid.particles};
    assert_ok(sl_system_set_number(c->world, first_system(c->world), "xsph", 0, &test_error));
    assert_ok(sl_system_set_number(c->world, first_system(c->world), "viscosity_tolerance", 1e-5, &test_error));
    assert_ok(sl_system_set_number(c->world, first_system(c->world), parameter, value, &test_error));
    assert_ok(sl_world_start(c->world, &test_error));
    c->system = &c->world->systems[0]->base;
    c->system->surroundings.interval_begins = true;
    assert_ok(sl_pbf_prepare(c->system, 0.01, &c->pass, &test_error));
    sl_fluid_predict(c->system, &c->pass.fluid);
    assert_ok(sl_fluid_sort(c->system, &c->pass.fluid, SL_LIST_FROM_PREDICTED, &test_error));
    assert_ok(sl_fluid_list(c->system, &c->pass.fluid, SL_LIST_FROM_PREDICTED, &test_error));
    assert_ok(sl_velocity_prepare(c->system, &c->pass.fluid, 0.01, &c->velocities, &test_error));
    for (size_t i = 0; i < c->particles->count; i++) {
        const float *x = c->particles->predicted + 4 * i;
        SlVec3 v = field((SlVec3){x[0] - 3.8f, x[1] - 3.8f, x[2] - 3.8f});
        memcpy(c->velocities.new_velocity + 4 * i, &v, sizeof v);
    }
}

/* Tension, vorticity and viscosity, as a step applies them. */
static void apply_forces(Cube *c)
{
    SlForcePass force = sl_force_pass(c->system, &c->velocities, 0.01);
    assert_ok(sl_tension_apply(c->system, &force, &test_error));
    assert_ok(sl_vorticity_apply(c->system, &force, &test_error));
    assert_ok(sl_viscosity_apply(c->system, &force, &test_error));
}

static SlVec3 velocity_of(const Cube *c, size_t i)
{
    const float *v = c->velocities.new_velocity + 4 * i;
    return (SlVec3){v[0], v[1], v[2]};
}

/* Sums of momentum and of angular momentum about the cube's middle. */
static void momenta(const Cube *c, double linear[3], double angular[3])
{
    for (int k = 0; k < 3; k++)
        linear[k] = angular[k] = 0;
    for (size_t i = 0; i < c->particles->count; i++) {
        const float *x = c->particles->predicted + 4 * i;
        SlVec3 v = velocity_of(c, i), r = {x[0] - 3.8f, x[1] - 3.8f, x[2] - 3.8f},
               l = sl_cross(r, v);
        linear[0] += (double)v.x, linear[1] += (double)v.y, linear[2] += (double)v.z;
        angular[0] += (double)l.x, angular[1] += (double)l.y, angular[2] += (double)l.z;
    }
}

static const float wave = 3.14159265f / 0.8f; /* half a wave is half the cube */

static SlVec3 shear(SlVec3 at)
{
    return (SlVec3){sinf(wave * at.y), 0, 0};
}

static SlVec3 turning(SlVec3 at)
{
    return (SlVec3){-2 * at.y, 2 * at.x, 0};
}

static SlVec3 noise(SlVec3 at)
{
    SlRandom4 r = sl_random(11, (uint64_t)((double)at.x * 1e4 + 5e5),
                            (uint64_t)((double)at.y * 1e8 + (double)at.z * 1e4 + 5e9));
    return (SlVec3){sl_random_unit(r.value[0]) - 0.5f, sl_random_unit(r.value[1]) - 0.5f,
                    sl_random_unit(r.value[2]) - 0.5f};
}

/* What the operator makes of a shear along the axes of a cubic lattice: neighbours along an axis do
   not feel it, so that it is 0.70 and not 1; over all directions it is 0.99 in the mean. */
static double lattice_share(void)
{
    double sum = 0, e = 1e-4;
    for (int x = -2; x <= 2; x++)
        for (int y = -2; y <= 2; y++)
            for (int z = -2; z <= 2; z++) {
                double r2 = x * x + y * y + z * z, r = sqrt(r2);
                if (r2 == 0 || r2 >= 4)
                    continue;
                double slope = (sl_kernel_value(SL_KERNEL_CUBIC, r + e, 2) -
                                sl_kernel_value(SL_KERNEL_CUBIC, r - e, 2)) /
                               (2 * e) / r;
                sum += -5 * slope * x * x * y * y / (r2 + 0.04);
            }
    return sum;
}

/* One implicit step makes a shear wave smaller by 1 / (1 + nu k² dt), but for the lattice. */
static void viscosity_damps_a_wave(void **state)
{
    (void)state;
    const double viscosities[] = {0.05, 0.5, 5};
    for (int n = 0; n < 3; n++) {
        Cube c;
        cube_open(&c, "kinematic_viscosity", viscosities[n], shear);
        apply_forces(&c);
        double kept = 0, weight = 0;
        for (size_t i = 0; i < c.particles->count; i++) {
            const float *x = c.particles->predicted + 4 * i;
            if (fabsf(x[0] - 3.8f) > 0.35f || fabsf(x[1] - 3.8f) > 0.35f ||
                fabsf(x[2] - 3.8f) > 0.35f)
                continue;
            double s = sin((double)wave * ((double)x[1] - 3.8));
            kept += s * (double)velocity_of(&c, i).x;
            weight += s * s;
        }
        double expected = 1 / (1 + lattice_share() * viscosities[n] * (double)(wave * wave) * 0.01);
        print_message("nu %g: kept %.4f, expected %.4f\n", viscosities[n], kept / weight, expected);
        /* at the highest the ends of the cube are felt in its middle */
        assert_true(fabs(kept / weight - expected) < (n < 2 ? 0.05 : 0.2) * (1 - expected));
        sl_world_destroy(c.world);
    }
}

/* What two particles do is along the line between them: both momenta stay, and a turning body turns
 * on. */
static void viscosity_keeps_momenta(void **state)
{
    (void)state;
    const VelocityField fields[] = {noise, turning};
    for (int n = 0; n < 2; n++) {
        Cube c;
        cube_open(&c, "kinematic_viscosity", 0.3, fields[n]);
        double linear[2][3], angular[2][3], most = 0;
        momenta(&c, linear[0], angular[0]);
        apply_forces(&c);
        momenta(&c, linear[1], angular[1]);
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(linear[1][k] - linear[0][k]) < 1e-4 * (double)c.particles->count * 0.5);
            assert_true(fabs(angular[1][k] - angular[0][k]) < 1e-4 * (double)c.particles->count * 0.5);
        }
        for (size_t i = 0; n == 1 && i < c.particles->count; i++) {
            const float *x = c.particles->predicted + 4 * i;
            SlVec3 v = turning((SlVec3){x[0] - 3.8f, x[1] - 3.8f, x[2] - 3.8f});
            most = fmax(most, (double)sl_length(sl_sub(v, velocity_of(&c, i))));
        }
        assert_true(most < 1e-4);
        sl_world_destroy(c.world);
    }
}

/* The solution against the equations, in double and pair by pair. */
static void viscosity_solves_its_equations(void **state)
{
    (void)state;
    const double nu = 0.2, dt = 0.01, d = 0.1, h = 0.2;
    Cube c;
    cube_open(&c, "kinematic_viscosity", nu, noise);
    size_t n = c.particles->count;
    double *before = calloc(3 * n, sizeof *before), worst = 0, largest = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 3; k++)
            before[3 * i + k] = (double)c.velocities.new_velocity[4 * i + k];
    apply_forces(&c);
    double volume = d * d * d / sl_lattice_sums(SL_KERNEL_CUBIC, 2).density;
    for (size_t i = 0; i < n; i++) {
        double sum[3] = {0};
        for (size_t j = 0; j < n; j++) {
            double u[3], r2 = 0, along = 0;
            for (size_t k = 0; k < 3; k++) {
                u[k] = (double)c.particles->predicted[4 * i + k] - (double)c.particles->predicted[4 * j + k];
                r2 += u[k] * u[k];
                along += u[k] * ((double)c.velocities.new_velocity[4 * i + k] -
                                 (double)c.velocities.new_velocity[4 * j + k]);
            }
            if (i == j || r2 >= h * h)
                continue;
            double e = 1e-4 * h, r = sqrt(r2);
            double slope = (sl_kernel_value(SL_KERNEL_CUBIC, r + e, h) -
                            sl_kernel_value(SL_KERNEL_CUBIC, r - e, h)) /
                           (2 * e) / r;
            double factor = -10 * nu * dt * volume * slope * along / (r2 + 0.01 * h * h);
            for (size_t k = 0; k < 3; k++)
                sum[k] += factor * u[k];
        }
        for (size_t k = 0; k < 3; k++) {
            worst = fmax(worst,
                         fabs((double)c.velocities.new_velocity[4 * i + k] + sum[k] - before[3 * i + k]));
            largest = fmax(largest, fabs(before[3 * i + k]));
        }
    }
    print_message("residual %.2g of %.2g\n", worst, largest);
    assert_true(worst < 1e-3 * largest);
    free(before);
    sl_world_destroy(c.world);
}

/* A turning body has twice its spin as curl everywhere inside; confinement then changes nothing
   much, and in a sheared one it adds energy. */
static void curl_is_twice_the_spin(void **state)
{
    (void)state;
    Cube c;
    cube_open(&c, "vorticity", 1, turning);
    const SlForceKernels *kernels = SL_KERNELS(c.system->context->isa, sl_force_kernels);
    float *curls = calloc(4 * (c.system->particles.capacity + 8), sizeof *curls);
    SlVorticityPass pass = {.force = sl_force_pass(c.system, &c.velocities, 0.01), .curls = curls};
    kernels->vorticity_curls[SL_KERNEL_CUBIC](&pass, 0, sl_particle_blocks(&c.system->particles),
                                              0);
    size_t inside = 0;
    for (size_t i = 0; i < c.particles->count; i++) {
        const float *x = c.particles->predicted + 4 * i;
        if (fabsf(x[0] - 3.8f) > 0.5f || fabsf(x[1] - 3.8f) > 0.5f || fabsf(x[2] - 3.8f) > 0.5f)
            continue;
        inside++;
        assert_true(fabsf(curls[4 * i + 2] - 4) < 0.15f);
        assert_true(fabsf(curls[4 * i]) < 1e-3f && fabsf(curls[4 * i + 1]) < 1e-3f);
    }
    assert_true(inside > 500);
    free(curls);
    sl_world_destroy(c.world);
    double energy[2];
    for (int with = 0; with < 2; with++) {
        Cube s;
        cube_open(&s, "vorticity", with ? 5 : 0, shear);
        apply_forces(&s);
        energy[with] = 0;
        for (size_t i = 0; i < s.particles->count; i++)
            energy[with] += (double)sl_dot(velocity_of(&s, i), velocity_of(&s, i));
        sl_world_destroy(s.world);
    }
    assert_true(energy[1] > energy[0] * 1.0001);
}

enum { POST_SIDE = 10, POST_COUNT = POST_SIDE * POST_SIDE * POST_SIDE };

/* Velocities by id after one frame of 8 steps of a sheared cube, with or without one force. */
static void velocities_after_frame(const char *post_solve, const char *parameter, double value,
                                   SlVec3 velocities[POST_COUNT])
{
    DamSetting setting = {.threads = 2,
                          .nx = POST_SIDE,
                          .ny = POST_SIDE,
                          .nz = POST_SIDE,
                          .no_gravity = true,
                          .steps = 8,
                          .domain = {8, 8, 8},
                          .offset = {3, 3, 3}};
    SlWorld *world = dam_create(&setting);
    SlSystemId id = first_system(world);
    assert_ok(sl_system_set_text(world, id, "post_solve", post_solve, &test_error));
    assert_ok(sl_system_set_number(world, id, "xsph", 0, &test_error));
    assert_ok(sl_system_set_number(world, id, "tensile", 0, &test_error));
    assert_ok(sl_system_set_number(world, id, "viscosity_tolerance", 1e-4, &test_error));
    assert_ok(sl_system_set_number(world, id, parameter, value, &test_error));
    assert_ok(sl_world_start(world, &test_error));
    SlParticles *particles = &world->systems[0]->base.particles;
    for (size_t i = 0; i < POST_COUNT; i++) {
        SlVec3 v = {0.3f * sinf(2 * wave * (sl_f32x4(particles, SL_F_POSITION)[4 * i + 1] - 3)), 0, 0};
        memcpy(sl_f32x4(particles, SL_F_VELOCITY) + 4 * i, &v, sizeof v);
    }
    dam_advance(world, 1);
    for (size_t i = 0; i < POST_COUNT; i++)
        memcpy(&velocities[((const uint32_t *)particles->data[SL_F_ID])[i]],
               sl_f32x4(particles, SL_F_VELOCITY) + 4 * i, sizeof *velocities);
    sl_world_destroy(world);
}

/* Root mean square of what the force changes. */
static double effect_of(const char *post_solve, const char *parameter, double value)
{
    static SlVec3 with[POST_COUNT], without[POST_COUNT];
    velocities_after_frame(post_solve, parameter, value, with);
    velocities_after_frame(post_solve, parameter, 0, without);
    double sum = 0;
    for (size_t i = 0; i < POST_COUNT; i++) {
        SlVec3 d = sl_sub(with[i], without[i]);
        sum += (double)sl_dot(d, d);
    }
    return sqrt(sum / POST_COUNT);
}

/* Applied once per frame, forces act for the time of all of its steps: the change of velocity is
   that of forces applied in every step, within a tolerance. Tension presses particles together, which
   the density constraint of the steps that follow resists: what is left differs more, while forces
   of one step's time would be eight times too weak, a ratio of 0.13 to 0.2. */
static void once_per_frame_is_as_strong(void **state)
{
    (void)state;
    static const struct {
        const char *parameter;
        double value, tolerance;
    } forces[] = {
        {"xsph", 0.02, 0.1},
        {"kinematic_viscosity", 0.05, 0.1},
        {"vorticity", 1, 0.1},
        {"cohesion", 50, 0.7},
        {"curvature", 5, 0.7},
    };
    for (size_t k = 0; k < sizeof forces / sizeof *forces; k++) {
        double step = effect_of("step", forces[k].parameter, forces[k].value);
        double frame = effect_of("frame", forces[k].parameter, forces[k].value);
        print_message("%s: %.4g m/s in every step, %.4g m/s once per frame\n", forces[k].parameter,
                      step, frame);
        assert_true(step > 1e-3);
        assert_near(frame / step, 1, forces[k].tolerance);
    }
}

static double roundness(SlWorld *world)
{
    SlFieldView x = sl_system_field(world, first_system(world), "position");
    SlVec3 mean = {0, 0, 0};
    for (size_t i = 0; i < x.count; i++)
        mean = sl_add(mean, sl_scale(particle_at(&x, i), 1 / (float)x.count));
    double farthest = 0, squares = 0;
    for (size_t i = 0; i < x.count; i++) {
        double r = (double)sl_length(sl_sub(particle_at(&x, i), mean));
        farthest = fmax(farthest, r);
        squares += r * r;
    }
    /* of a ball: sqrt(3/5) of its radius */
    return sqrt(squares / (double)x.count / 0.6) / farthest;
}

/* A cube of water in empty space becomes a ball, and stays where it is. */
static void tension_makes_a_ball(void **state)
{
    (void)state;
    DamSetting setting = {.threads = 2,
                          .nx = 10,
                          .ny = 10,
                          .nz = 10,
                          .no_gravity = true,
                          .steps = 4,
                          .domain = {8, 8, 8},
                          .offset = {3, 3, 3}};
    SlWorld *world = dam_create(&setting);
    assert_ok(sl_system_set_number(world, first_system(world), "cohesion", 100, &test_error));
    assert_ok(sl_system_set_number(world, first_system(world), "curvature", 1, &test_error));
    assert_ok(sl_system_set_number(world, first_system(world), "kinematic_viscosity", 0.02, &test_error));
    assert_ok(sl_world_start(world, &test_error));
    double cube = roundness(world);
    dam_advance(world, 90);
    double ball = roundness(world);
    print_message("roundness %.3f to %.3f\n", cube, ball);
    assert_true(cube < 0.85);
    assert_true(ball > 0.95);
    SlFieldView v = sl_system_field(world, first_system(world), "velocity");
    SlVec3 sum = {0, 0, 0};
    for (size_t i = 0; i < v.count; i++)
        sum = sl_add(sum, particle_at(&v, i));
    assert_true((double)sl_length(sum) / (double)v.count < 1e-3);
    sl_world_destroy(world);
}

/* Oil beside water flows over it; with equal densities neither rises. */
static void light_fluid_rises(void **state)
{
    (void)state;
    double risen[2];
    for (int n = 0; n < 2; n++) {
        DamSetting setting = {.threads = 2,
                              .nx = 14,
                              .ny = 10,
                              .nz = 8,
                              .steps = 4,
                              .iterations = 5,
                              .domain = {1.4f, 3, 0.8f}};
        SlWorld *world = dam_create(&setting);
        SlFluidDef oil = sl_default_fluid_def();
        oil.name = "oil";
        oil.density = n == 0 ? 1000 : 400;
        uint32_t fluid;
        assert_ok(sl_system_add_fluid(world, first_system(world), &oil, &fluid, &test_error));
        assert_int_equal(fluid, 1);
        assert_ok(sl_world_start(world, &test_error));
        /* the left half is oil */
        SlSystem *system = &world->systems[0]->base;
        uint32_t *which = system->particles.data[SL_F_FLUID];
        for (size_t i = 0; i < system->particles.count; i++)
            which[i] = sl_f32x4(&system->particles, SL_F_POSITION)[4 * i] < 0.7f;
        dam_advance(world, 120);
        SlFieldView x = sl_system_field(world, first_system(world), "position");
        which = system->particles.data[SL_F_FLUID];
        double height[2] = {0}, count[2] = {0};
        for (size_t i = 0; i < x.count; i++) {
            height[which[i]] += (double)particle_at(&x, i).y;
            count[which[i]]++;
        }
        risen[n] = height[1] / count[1] - height[0] / count[0];
        assert_true(count[1] > 0.25 * (count[0] + count[1]));
        sl_world_destroy(world);
    }
    print_message("oil above water: %.3f m, of equal weight %.3f m\n", risen[1], risen[0]);
    assert_true(fabs(risen[0]) < 0.1);
    assert_true(risen[1] > 0.2);
}

/* Chebyshev's method needs fewer iterations: after as many it is less compressed. */
static void chebyshev_gains(void **state)
{
    (void)state;
    double compression[2];
    for (int with = 0; with < 2; with++) {
        DamSetting setting = {.threads = 2,
                              .nx = 12,
                              .ny = 40,
                              .nz = 12,
                              .iterations = 12,
                              .domain = {1.2f, 8, 1.2f}};
        SlWorld *world = dam_create(&setting);
        assert_ok(
            sl_system_set_text(world, first_system(world), "acceleration", with ? "chebyshev" : "none", &test_error));
        double sum = 0;
        for (int f = 0; f < 60; f++) {
            dam_advance(world, 1);
            sum += world->systems[0]->base.stats.mean_compression;
        }
        compression[with] = sum / 60;
        sl_world_destroy(world);
    }
    print_message("mean compression %.4f %%, with Chebyshev %.4f %%\n", 100 * compression[0],
                  100 * compression[1]);
    assert_less(compression[1], 0.5 * compression[0]);
}

/* Averaged constraints hold water, too, though not as still: a particle at the surface has few to
   average over. */
static void averaging_holds(void **state)
{
    (void)state;
    DamSetting setting = {
        .threads = 2, .nx = 12, .ny = 12, .nz = 12, .iterations = 8, .domain = {1.2f, 4, 1.2f}};
    SlWorld *world = dam_create(&setting);
    assert_ok(sl_system_set_number(world, first_system(world), "averaging", 4, &test_error));
    dam_advance(world, 60);
    print_message("compression %.4f %%, %.3f m/s\n",
                  100 * world->systems[0]->base.stats.mean_compression,
                  world->systems[0]->base.stats.max_speed);
    assert_true(world->systems[0]->base.stats.mean_compression < 0.03);
    assert_true(world->systems[0]->base.stats.max_speed < 2);
    sl_world_destroy(world);
}

static void same_bits_for_any_threads(void **state)
{
    (void)state;
    uint64_t first = 0;
    const uint32_t threads[] = {1, 2, 3, 5};
    for (int k = 0; k < 4; k++) {
        DamSetting setting = {.threads = threads[k], .nx = 16, .ny = 10, .nz = 12};
        SlWorld *world = dam_create(&setting);
        static const struct {
            const char *name;
            double value;
        } sets[] = {
            {"kinematic_viscosity", 0.05}, {"vorticity", 2}, {"cohesion", 20}, {"curvature", 1}};
        for (int p = 0; p < 4; p++)
            assert_ok(sl_system_set_number(world, first_system(world), sets[p].name, sets[p].value, &test_error));
        SlFluidDef heavy = sl_default_fluid_def();
        heavy.name = "heavy";
        heavy.density = 3000;
        heavy.kinematic_viscosity = 0.5;
        uint32_t fluid;
        assert_ok(sl_system_add_fluid(world, first_system(world), &heavy, &fluid, &test_error));
        SlBlock block = {.min = {3, 0, 0}, .max = {4, 0.6f, 1}, .fluid = fluid};
        assert_ok(sl_system_add_block(world, first_system(world), &block, &test_error));
        dam_advance(world, 10);
        uint64_t hash = sl_world_hash(world);
        first = k == 0 ? hash : first;
        assert_true(hash == first);
        sl_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(viscosity_damps_a_wave),
        cmocka_unit_test(viscosity_keeps_momenta),
        cmocka_unit_test(viscosity_solves_its_equations),
        cmocka_unit_test(curl_is_twice_the_spin),
        cmocka_unit_test(once_per_frame_is_as_strong),
        cmocka_unit_test(tension_makes_a_ball),
        cmocka_unit_test(light_fluid_rises),
        cmocka_unit_test(chebyshev_gains),
        cmocka_unit_test(averaging_holds),
        cmocka_unit_test(same_bits_for_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
