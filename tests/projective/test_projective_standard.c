/* Projective fluids: all global solvers against each other, momentum, free fall, stop tests, threads,
   safeguard, step lengths. */
#include "projective/projective_worlds.h"

#include "config.h"

/* Positions after some iterations, by id. */
static void iterate(PfWorld *w, uint32_t iterations, float *x)
{
    SlWorld *world = pf_create(w);
    assert_ok(sl_world_start(world, &test_error));
    pf_disturb(world, 1.2f, 0.97f, 0.003f);
    SlProjectiveRun run;
    pf_begin(world, 0.005, &run);
    for (uint32_t k = 0; k < iterations; k++) {
        sl_projective_local(pf_system(world), &run);
        assert_ok(sl_projective_global(pf_system(world), &run, &test_error));
    }
    for (size_t i = 0; i < PF_COUNT; i++)
        memcpy(x + 3 * run.pass.fluid.particles.id[i], run.pass.fluid.particles.predicted + 4 * i, 3 * sizeof(float));
    sl_world_destroy(world);
}

/* With a diagonal matrix every solver has the result of the fused sweep; with differences and
   attachments every solver has that of the direct one. */
static void all_global_solvers_agree(void **state)
{
    (void)state;
    static float reference[3 * PF_COUNT], other[3 * PF_COUNT];
    for (int differences = 0; differences < 2; differences++) {
        PfWorld w = pf_free_block();
        if (differences) {
            pf_set(&w, "rows", 0, "differences");
            pf_set(&w, "attach", 1e6, NULL);
            pf_set(&w, "attach_below", 1.1, NULL);
            pf_set(&w, "global_solver", 0, SLEET_HAVE_LDL ? "ldlt" : "cg");
            pf_set(&w, "global_iterations", 0, NULL);
        }
        iterate(&w, 4, reference);
        for (int global = 0; global < SL_LINEAR_COUNT; global++) {
            if (global == SL_LINEAR_LDLT && !SLEET_HAVE_LDL)
                continue;
            pf_set(&w, "global_solver", 0, sl_linear_solvers[global]->name);
            pf_set(&w, "global_iterations", 0, NULL);
            pf_set(&w, "global_tolerance", 1e-9, NULL);
            iterate(&w, 4, other);
            double apart = 0;
            for (size_t e = 0; e < 3 * PF_COUNT; e++)
                apart = fmax(apart, fabs((double)(reference[e] - other[e])));
            assert_less(apart, 1e-6); /* 2e-5 spacings, from 1 m */
        }
    }
}

/* Attached particles stay; the rest of the block falls. */
static void attached_particles_stay(void **state)
{
    (void)state;
    PfWorld w = pf_free_block();
    w.no_gravity = false;
    pf_set(&w, "attach", 1e8, NULL);
    pf_set(&w, "attach_below", 1.1, NULL); /* two layers */
    SlWorld *world = pf_create(&w);
    pf_advance(world, 10);
    SlFieldView x = sl_system_field(world, first_system(world), "position"), id = sl_system_field(world, first_system(world), "id");
    size_t attached = 0;
    for (size_t i = 0; i < x.count; i++) {
        float y = ((const float *)((const char *)x.data + i * x.stride))[1];
        float start = 1.025f + 0.05f * (float)(((const uint32_t *)id.data)[i] / PF_SIDE % PF_SIDE);
        if (start < 1.1f) {
            attached++;
            assert_near((double)y, (double)start, 5e-4);
        }
    }
    assert_int_equal(attached, 2 * PF_SIDE * PF_SIDE);
    sl_world_destroy(world);
}

/* Target: momentum is conserved to 1e-6 away from walls. The pushes of constraints sum to zero. Steps
   that are divided by each row's own diagonal do not, before the loop has converged, which the
   rounding of positions, times the diagonal, limits. */
static void pushes_conserve_momentum(void **state)
{
    (void)state;
    for (int counted = 0; counted < 2; counted++) {
        PfWorld w = pf_free_block();
        w.from = (SlVec3){0.1f, 0.1f, 0.1f}; /* near the origin floats are finest */
        w.nx = PF_SIDE + 3;
        pf_set(&w, "boundary", 0, "contact");
        pf_set(&w, "count_relaxation", counted, NULL);
        pf_set(&w, "relaxation", 0.7, NULL);
        pf_set(&w, "global_solver", 0, "cg"); /* in separate loops, so that there is a residual */
        pf_set(&w, "global_iterations", 0, NULL);
        SlWorld *world = pf_create(&w);
        assert_ok(sl_world_start(world, &test_error));
        pf_disturb(world, 0.3f, 0.95f, 0.004f);
        SlProjectiveRun run;
        pf_begin(world, 0.005, &run);
        SlSystem *system = pf_system(world);
        const SlProjectiveKernels *kernels =
            SL_KERNELS(system->context->isa, sl_projective_kernels);
        double sum[3] = {0, 0, 0}, all = 0;
        const SlFluidParticles *pass = &run.pass.fluid.particles;
        sl_projective_local(system, &run); /* x is s, so the residual is that of constraints */
        sl_particle_loop(system, kernels->inertia, &run.pass);
        for (size_t i = 0; i < pass->count; i++)
            for (size_t a = 0; a < 3; a++)
                assert_true(run.pass.residual[4 * i + a] == 0);
        sl_particle_loop(system, sl_constraint(system->context->isa, SL_CONSTRAINT_DENSITY)->right_side[0], &run.pass);
        for (size_t i = 0; i < pass->count; i++)
            for (size_t a = 0; a < 3; a++) {
                sum[a] += (double)run.pass.residual[4 * i + a];
                all += fabs((double)run.pass.residual[4 * i + a]);
            }
        double pushed = fmax(fabs(sum[0]), fmax(fabs(sum[1]), fabs(sum[2]))) / all;
        memset(sum, 0, sizeof sum);
        all = 0;
        for (int k = 0; k < 500; k++) {
            sl_projective_local(system, &run);
            assert_ok(sl_projective_global(system, &run, &test_error));
        }
        for (size_t i = 0; i < pass->count; i++)
            for (size_t a = 0; a < 3; a++) {
                double moved =
                    (double)pass->predicted[4 * i + a] - (double)pass->position[4 * i + a];
                sum[a] += moved;
                all += fabs(moved);
            }
        double off = fmax(fabs(sum[0]), fmax(fabs(sum[1]), fabs(sum[2]))) / all;
        print_message(
            "momentum, count relaxation %d: %.2g of what is pushed; %.2g of a step's movement\n",
            counted, pushed, off);
        assert_less(pushed, 1e-6);
        assert_less(off, 2e-3);
        sl_world_destroy(world);
    }
}

/* The same target for complete steps with the default stop tests: a drop that expands in flight, at
   rest or not. */
static void steps_conserve_momentum(void **state)
{
    (void)state;
    const char *accelerations[] = {"none", "chebyshev", "anderson"};
    for (int way = 0; way < 9; way++) {
        PfWorld w = pf_free_block();
        bool mixed = way >= 6;
        w.other_density = mixed ? 300 : 0;
        w.nx = PF_SIDE + 3;
        w.velocity = (SlVec3){way < 3 ? 0.0f : 1.0f, 0, 0};
        w.frame_time = 0.01;
        pf_set(&w, "acceleration", 0, accelerations[way % 3]);
        pf_set(&w, "relaxation", 0.7, NULL);
        pf_set(&w, "divisor", 0, "common");
        SlWorld *world = pf_create(&w);
        assert_ok(sl_world_start(world, &test_error));
        pf_disturb(world, 1.2f, 0.95f, 0.004f);
        if (mixed)
            pf_mix(world);
        pf_advance(world, 5);
        const SlParticles *particles = &pf_system(world)->particles;
        const float *v = sl_f32x4(particles, SL_F_VELOCITY);
        double sum[3] = {0, 0, 0}, given = 0;
        for (size_t i = 0; i < particles->count; i++)
            for (size_t a = 0; a < 3; a++) {
                double changed = (double)v[4 * i + a] - (double)(&w.velocity.x)[a];
                if (mixed && ((uint32_t *)particles->data[SL_F_FLUID])[i] == 1)
                    changed *= 0.3;
                sum[a] += changed;
                given += fabs(changed);
            }
        double off = fmax(fabs(sum[0]), fmax(fabs(sum[1]), fabs(sum[2]))) / given;
        print_message("momentum after five frames, %s, %g m/s%s: off by %.2g of what was given\n",
                      accelerations[way % 3], (double)w.velocity.x, mixed ? ", two fluids" : "",
                      off);
        assert_true(given / (double)particles->count > 1); /* m/s */
        assert_less(off, 1e-6);
        sl_world_destroy(world);
    }
}

/* Nothing but gravity: x = x0 - g dt² n (n+1) / 2, for every acceleration. */
static void free_fall_is_exact(void **state)
{
    (void)state;
    const char *accelerations[] = {"none", "chebyshev", "anderson"};
    for (int k = 0; k < 3; k++) {
        PfWorld w = {.threads = 2,
                     .spacing = 0.1,
                     .domain = {4, 60, 4},
                     .from = {1, 50, 1},
                     .nx = 8,
                     .ny = 8,
                     .nz = 8,
                     .settings = {{"acceleration", 0, accelerations[k]}}};
        SlWorld *world = pf_create(&w);
        pf_advance(world, 60);
        SlFieldView x = sl_system_field(world, first_system(world), "position");
        double mean = 0, dt = 1.0 / 120, n = 120;
        for (size_t i = 0; i < x.count; i++)
            mean +=
                (double)((const float *)((const char *)x.data + i * x.stride))[1] / (double)x.count;
        assert_near(mean, 50.4 - 9.81 * dt * dt * n * (n + 1) / 2, 1e-4);
        sl_world_destroy(world);
    }
}

/* A lighter fluid beside water flows over it; one as heavy does not. */
static void light_fluid_rises(void **state)
{
    (void)state;
    double risen[2];
    for (int n = 0; n < 2; n++) {
        PfWorld w = {.threads = 2,
                     .spacing = 0.1,
                     .domain = {1.4f, 3, 0.8f},
                     .nx = 14,
                     .ny = 10,
                     .nz = 8,
                     .other_density = n == 0 ? 1000 : 400};
        SlWorld *world = pf_create(&w);
        assert_ok(sl_world_start(world, &test_error));
        SlParticles *particles = &pf_system(world)->particles;
        const float *x = sl_f32x4(particles, SL_F_POSITION);
        for (size_t i = 0; i < particles->count; i++)
            ((uint32_t *)particles->data[SL_F_FLUID])[i] = x[4 * i] < 0.7f;
        pf_advance(world, 120);
        const uint32_t *which = particles->data[SL_F_FLUID];
        double height[2] = {0}, count[2] = {0};
        x = sl_f32x4(particles, SL_F_POSITION);
        for (size_t i = 0; i < particles->count; i++) {
            height[which[i]] += (double)x[4 * i + 1];
            count[which[i]]++;
        }
        assert_true(count[0] == count[1]);
        risen[n] = height[1] / count[1] - height[0] / count[0];
        sl_world_destroy(world);
    }
    print_message("oil above water: %.3f m, of equal weight %.3f m\n", risen[1], risen[0]);
    assert_less(fabs(risen[0]), 0.1);
    assert_true(risen[1] > 0.3);
}

static bool record_stats(void *user, SlSystemId system, const SlStepStats *stats)
{
    (void)system;
    *(SlStepStats *)user = *stats;
    return true;
}

static PfWorld small_dam(void)
{
    return (PfWorld){.threads = 2,
                     .spacing = 0.05,
                     .domain = {1.5f, 1.2f, 0.5f},
                     .nx = 12,
                     .ny = 16,
                     .nz = 10,
                     .frame_time = 0.02,
                     .settings = {{"steps", 4, NULL}}};
}

/* Each limit stops the loop of a step, holds afterwards, and is reported. */
static void limits_hold_and_are_reported(void **state)
{
    (void)state;
    struct {
        const char *name;
        double value;
        SlStop stop;
    } cases[] = {{"stop_move", 2e-3, SL_STOP_MOVE},
                 {"stop_mean", 2e-4, SL_STOP_MEAN},
                 {"stop_max", 5e-3, SL_STOP_MAX},
                 {"max_iterations", 3, SL_STOP_LIMIT}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        SlStepStats last;
        PfWorld w = small_dam();
        w.on_step = record_stats;
        w.user = &last;
        pf_set(&w, "stop_move", 0, NULL);
        pf_set(&w, "max_iterations", 400, NULL);
        pf_set(&w, cases[k].name, cases[k].value, NULL);
        SlWorld *world = pf_create(&w);
        for (int f = 0; f < 10; f++) {
            pf_advance(world, 1);
            assert_string_equal(sl_stop_name(last.stop), sl_stop_name(cases[k].stop));
            if (cases[k].stop == SL_STOP_MEAN)
                assert_less(last.mean_compression, 2.2e-4);
            if (cases[k].stop == SL_STOP_MAX)
                assert_less(last.max_compression, 5.5e-3);
            if (cases[k].stop == SL_STOP_LIMIT)
                assert_int_equal(last.iterations, 3);
        }
        sl_world_destroy(world);
    }
}

/* Target: the same hash for 1, 2, 3 and 5 threads with every global solver. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    for (int way = 0; way < SL_LINEAR_COUNT + 4; way++) {
        if (way == SL_LINEAR_LDLT && !SLEET_HAVE_LDL)
            continue;
        uint64_t first = 0;
        const uint32_t threads[] = {1, 2, 3, 5};
        for (int t = 0; t < 4; t++) {
            PfWorld w = small_dam();
            w.threads = threads[t];
            if (way < SL_LINEAR_COUNT) {
                pf_set(&w, "global_solver", 0, sl_linear_solvers[way]->name);
                pf_set(&w, "global_iterations", 0, NULL);
            }
            if (way == SL_LINEAR_COUNT)
                pf_set(&w, "acceleration", 0, "anderson");
            if (way == SL_LINEAR_COUNT + 1) {
                w = pf_free_block(); /* with differences solids act by contact only */
                w.threads = threads[t];
                w.velocity = (SlVec3){1, 0, 0};
                pf_set(&w, "attach", 1e5, NULL);
                pf_set(&w, "attach_below", 1.2, NULL);
                pf_set(&w, "rows", 0, "differences");
                pf_set(&w, "global_solver", 0, "cg");
                pf_set(&w, "global_iterations", 0, NULL);
                pf_set(&w, "max_iterations", 10, NULL);
            }
            bool mixed = way == SL_LINEAR_COUNT + 3;
            w.other_density = mixed ? 600 : 0;
            SlWorld *world = pf_create(&w);
            assert_ok(sl_world_start(world, &test_error));
            if (mixed)
                pf_mix(world);
            pf_advance(world, 3);
            uint64_t hash = sl_world_hash(world);
            first = t == 0 ? hash : first;
            assert_true(hash == first);
            sl_world_destroy(world);
        }
    }
}

/* Threshold: with the safeguard on, rho = 0.9999 does not blow up. */
static void safeguard_holds(void **state)
{
    (void)state;
    SlStepStats last;
    PfWorld w = small_dam();
    w.on_step = record_stats;
    w.user = &last;
    pf_set(&w, "rho", 0.9999, NULL);
    SlWorld *world = pf_create(&w);
    for (int f = 0; f < 40; f++) {
        pf_advance(world, 1);
        assert_less(last.max_speed, 12);
        assert_less(last.mean_compression, 5e-4);
    }
    sl_world_destroy(world);
}

static bool add_iterations(void *user, SlSystemId system, const SlStepStats *stats)
{
    (void)system;
    double *sums = user; /* iterations, compression */
    assert_string_equal(sl_stop_name(stats->stop), sl_stop_name(SL_STOP_MOVE));
    sums[0] += stats->iterations;
    sums[1] += stats->mean_compression;
    return true;
}

/* With restarts near the end a step reaches its movement limit sooner, and is less compressed than
   without acceleration. */
static void restarts_end_steps_sooner(void **state)
{
    (void)state;
    enum { PLAIN, CHEBYSHEV, RESTARTED };
    double sums[3][2] = {{0}};
    for (int way = 0; way < 3; way++) {
        PfWorld w = small_dam();
        w.on_step = add_iterations;
        w.user = sums[way];
        pf_set(&w, "max_iterations", 1000, NULL);
        pf_set(&w, "acceleration", 0, way == PLAIN ? "none" : "chebyshev");
        pf_set(&w, "omega_start", 0, "wang");
        pf_set(&w, "delay", 3, NULL);
        pf_set(&w, "rho", 0.995, NULL);
        pf_set(&w, "restart_fraction", way == RESTARTED ? 0.002 : 0, NULL);
        SlWorld *world = pf_create(&w);
        pf_advance(world, 20);
        sl_world_destroy(world);
    }
    for (int way = 0; way < 3; way++)
        print_message("80 steps, way %d: %.1f iterations each, compression %.4f %%\n", way,
                      sums[way][0] / 80, 100 * sums[way][1] / 80);
    assert_less(sums[RESTARTED][0], 0.7 * sums[CHEBYSHEV][0]);
    assert_less(sums[RESTARTED][0], sums[PLAIN][0]);
    assert_less(sums[RESTARTED][1], 0.5 * sums[PLAIN][1]);
}

/* Lanes past the last particle may have any values; they have no effect on bodies. */
static bool forces_are_numbers(void *user, SlSystemId system, const SlStepStats *stats)
{
    (void)system;
    uint32_t *pushed = user;
    assert_int_equal(stats->body_count, 2);
    for (size_t b = 0; b < 2; b++)
        for (int a = 0; a < 3; a++) {
            assert_true(isfinite(stats->bodies[b].force[a]));
            assert_true(isfinite(stats->bodies[b].torque[a]));
        }
    *pushed += stats->bodies[1].torque[0] != 0;
    return true;
}

static void padding_has_no_effect_on_bodies(void **state)
{
    (void)state;
    uint32_t pushed = 0;
    PfWorld w = small_dam();
    w.nx = 11;
    w.ny = 15;
    w.nz = 9;
    w.on_step = forces_are_numbers;
    w.user = &pushed;
    w.other_density = 400;
    pf_set(&w, "forces", 0, "all");
    SlWorld *world = pf_create(&w);
    SlShape ball = sl_default_shape(SL_SHAPE_SPHERE);
    ball.center = (SlVec3){0.4f, 0.75f, 0.5f}; /* where the last particles of the order are */
    ball.radius = 0.12f;
    SlColliderId id;
    assert_ok(sl_world_add_collider(world, &ball, &id, &test_error));
    assert_ok(sl_world_start(world, &test_error));
    pf_mix(world);
    SlParticles *particles = &pf_system(world)->particles;
    assert_int_equal(particles->count % 8, 5);
    for (size_t i = particles->count; i % 8 != 0; i++) /* outside of every table */
        ((uint32_t *)particles->data[SL_F_FLUID])[i] = ((uint32_t *)particles->data[SL_F_ID])[i] =
            INT32_MAX;
    pf_advance(world, 10);
    assert_true(pushed > 0);
    sl_world_destroy(world);
}

/* The search of rho finds the cheapest value of the grid from either side, while all costs rise. */
static void search_finds_the_minimum(void **state)
{
    (void)state;
    for (uint32_t best = 0; best < SL_RHO_GRID_SIZE; best += 5) {
        SlRhoSearch search = sl_rho_search_begin();
        for (int k = 0; k < 400; k++) {
            double here = log2(0.2 / (1 - sl_rho_search_value(&search))) * 2; /* the grid_index */
            sl_rho_search_record(&search, 20 + 0.5 * k + fabs(here - best));
        }
        assert_true(search.grid_index + 2 >= best && search.grid_index <= best + 1);
    }
    assert_near(sl_rho_grid_value(0), 0.8, 1e-12);
    assert_near(sl_rho_grid_value(4), 0.95, 1e-12);
    assert_near(sl_rho_grid_value(3), 1 - 0.1 * sqrt(0.5), 1e-12);
}

/* step_control "auto": the fastest particle moves at most four times `cfl`, which the 99.9 % quantile
   keeps, and steps are not shorter than `cfl` of the fastest would need. */
static bool check_length(void *user, SlSystemId system, const SlStepStats *stats)
{
    (void)system;
    double *before = user; /* top speed before, shortest, longest */
    if (before[0] > 0) {
        double whole = 0.3 * 0.05 / before[0];
        assert_true(stats->dt <= fmin(4 * whole, 5e-3) * 1.000001);
        assert_true(stats->dt >= 0.5 * fmin(whole, 5e-3));
    }
    before[0] = stats->max_speed;
    before[1] = fmin(before[1], stats->dt);
    before[2] = fmax(before[2], stats->dt);
    return true;
}

static void steps_follow_speed(void **state)
{
    (void)state;
    double seen[3] = {0, 1, 0};
    PfWorld w = small_dam();
    w.on_step = check_length;
    w.user = seen;
    pf_set(&w, "step_control", 0, "auto");
    pf_set(&w, "max_time_step", 5e-3, NULL);
    pf_set(&w, "cfl", 0.3, NULL);
    SlWorld *world = pf_create(&w);
    pf_advance(world, 15);
    assert_near(sl_world_time(world), 15 * 0.02, 1e-12);
    assert_near(seen[2], 5e-3, 1e-9);
    assert_less(seen[1], 5e-3);
    sl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_global_solvers_agree),  cmocka_unit_test(attached_particles_stay),
        cmocka_unit_test(pushes_conserve_momentum),      cmocka_unit_test(steps_conserve_momentum),
        cmocka_unit_test(free_fall_is_exact),        cmocka_unit_test(light_fluid_rises),
        cmocka_unit_test(limits_hold_and_are_reported), cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(safeguard_holds),           cmocka_unit_test(restarts_end_steps_sooner),
        cmocka_unit_test(padding_has_no_effect_on_bodies),     cmocka_unit_test(search_finds_the_minimum),
        cmocka_unit_test(steps_follow_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
