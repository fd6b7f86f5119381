/* Projective fluids: local and global step against a twin in double, all ways to solve the global
   step against each other, momentum, free fall, stopping, threads, safeguard, step lengths. */
#include "fluid/projective_rows.h"
#include "fluid/projective_worlds.h"

#include "config.h"

enum { SIDE = 9, N = SIDE * SIDE * SIDE };

static const char *const kernel_names[SL_KERNEL_COUNT] = {"cubic", "wendland", "poly6"};
static const char *const global_names[SL_LINEAR_COUNT] = {"jacobi", "chebyshev", "cg",
                                                          "cr",     "ldlt",      "anderson"};

/* A block far from walls, squeezed and shaken. */
static PfWorld free_block(void)
{
    return (PfWorld){.threads = 2,
                     .spacing = 0.05,
                     .domain = {4, 4, 4},
                     .from = {1, 1, 1},
                     .nx = SIDE,
                     .ny = SIDE,
                     .nz = SIDE,
                     .no_gravity = true,
                     .settings = {{"under_relaxation", 1, NULL},
                                  {"max_move", 1, NULL},
                                  {"accelerate", 0, "none"},
                                  {"divisor", 0, "own"}}};
}

static void add(PfWorld *w, const char *name, double number, const char *text)
{
    for (PfSetting *s = w->settings;; s++)
        if (s->name == NULL || strcmp(s->name, name) == 0) {
            *s = (PfSetting){name, number, text};
            return;
        }
}

/* The twin: double, every pair, straight from the equations. Solids are far away. */
typedef struct Twin {
    SlKernelKind kind;
    double d, support, volume, epsilon, kappa, share,
        common; /* common: 0, or what all are divided by */
    double x[N][3], s[N][3];
    double lambda[N], count[N], gradient[N][3];
    double step[N][3];
} Twin;

static Twin twin;

static double twin_pair(size_t i, size_t j, double u[3])
{
    double r2 = 0;
    for (int a = 0; a < 3; a++) {
        u[a] = twin.x[i][a] - twin.x[j][a];
        r2 += u[a] * u[a];
    }
    return sqrt(r2);
}

static void twin_local(void)
{
    for (size_t i = 0; i < N; i++) {
        double density = twin.volume * sl_kernel_value(twin.kind, 0, twin.support), squares = 0;
        double g[3] = {0, 0, 0};
        twin.count[i] = 1;
        for (size_t j = 0; j < N; j++) {
            double u[3], r = twin_pair(i, j, u);
            if (j == i || r >= twin.support)
                continue;
            twin.count[i]++;
            density += twin.volume * sl_kernel_value(twin.kind, r, twin.support);
            double slope = twin.volume * sl_kernel_slope(twin.kind, r, twin.support);
            squares += slope * slope * r * r;
            for (int a = 0; a < 3; a++)
                g[a] += slope * u[a];
        }
        squares += g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
        memcpy(twin.gradient[i], g, sizeof g);
        twin.lambda[i] =
            -fmax(density - 1, 0) / (squares + twin.epsilon) * fmax(1, twin.share * twin.count[i]);
    }
}

/* Selector rows, equation 3 with p_k = x_k + lambda g_k written out. */
static void twin_global(void)
{
    for (size_t i = 0; i < N; i++) {
        double right[3];
        for (int a = 0; a < 3; a++)
            right[a] =
                twin.s[i][a] + twin.kappa * (twin.x[i][a] + twin.lambda[i] * twin.gradient[i][a]);
        for (size_t j = 0; j < N; j++) {
            double u[3], r = twin_pair(i, j, u);
            if (j == i || r >= twin.support)
                continue;
            double slope = twin.volume * sl_kernel_slope(twin.kind, r, twin.support);
            for (int a = 0; a < 3; a++) /* the copy of i that constraint j holds */
                right[a] += twin.kappa * (twin.x[i][a] + twin.lambda[j] * slope * u[a]);
        }
        double diagonal = 1 + twin.kappa * twin.count[i];
        for (int a = 0; a < 3; a++)
            twin.step[i][a] =
                (right[a] - diagonal * twin.x[i][a]) / (twin.common > 0 ? twin.common : diagonal);
    }
}

static void twin_take(const SlSystem *system, const SlProjectiveRun *run)
{
    const SlFluidPass *pass = &run->pass.fluid;
    twin.kind = sl_fluid_kernel(system);
    twin.d = 0.05;
    twin.support = sl_fluid_support(system);
    twin.volume = twin.d * twin.d * twin.d / sl_lattice_sums(twin.kind, 2).density;
    twin.epsilon = (double)pass->epsilon;
    twin.kappa = (double)run->pass.kappa;
    twin.share = (double)run->pass.count_share;
    twin.common = sl_param(system, P_DIVISOR) == SL_DIVISOR_COMMON
                      ? 1 + twin.kappa * 4.0 / 3 * acos(-1) * 8 /* a ball of two spacings */
                      : 0;
    assert_int_equal(pass->count, N);
    for (size_t i = 0; i < N; i++)
        for (size_t a = 0; a < 3; a++) {
            twin.x[i][a] = (double)pass->predicted[4 * i + a];
            twin.s[i][a] = (double)pass->position[4 * i + a] +
                           (double)pass->dt * (double)pass->velocity[4 * i + a];
        }
}

static void twin_agrees(void **state)
{
    (void)state;
    for (int isa = SL_ISA_BASE; isa <= (SLEET_HAVE_AVX2_PATH ? SL_ISA_AVX2 : SL_ISA_BASE); isa++)
        for (int kind = 0; kind < SL_KERNEL_COUNT; kind++)
            for (int way = 0; way < 4; way++) {
                int share = way % 2;
                PfWorld w = free_block();
                add(&w, "divisor", 0, way < 2 ? "own" : "common");
                w.isa = (SlIsa)isa;
                w.velocity = (SlVec3){0.3f, -0.2f, 0.1f};
                add(&w, "kernel", 0, kernel_names[kind]);
                add(&w, "count_relaxation", share, NULL);
                SlWorld *world = pf_create(&w);
                assert_ok(sl_world_start(world, &test_error));
                pf_disturb(world, 1.2f, 0.97f, 0.002f);
                SlProjectiveRun run;
                pf_begin(world, 0.005, &run);
                twin_take(pf_system(world), &run);
                twin_local();
                twin_global();
                sl_projective_local(pf_system(world), &run);
                const float *projected = run.pass.fluid.projected;
                double scale = 0, step = 0;
                for (size_t i = 0; i < N; i++)
                    scale = fmax(scale, fabs(twin.lambda[i]));
                assert_true(scale > 0);
                for (size_t i = 0; i < N; i++) {
                    assert_near((double)projected[4 * i + 3], twin.lambda[i], 2e-5 * scale);
                    assert_true((double)run.pass.counts[i] == twin.count[i]);
                }
                assert_ok(sl_projective_global(pf_system(world), &run, &test_error));
                for (size_t i = 0; i < N; i++)
                    for (size_t a = 0; a < 3; a++)
                        step = fmax(step, fabs(twin.step[i][a]));
                for (size_t i = 0; i < N; i++)
                    for (size_t a = 0; a < 3; a++)
                        assert_near(
                            (double)(run.pass.fluid.predicted[4 * i + a] - projected[4 * i + a]),
                            twin.step[i][a], 2e-5 * step + 3e-7);
                sl_world_destroy(world);
            }
}

/* More Newton steps end where the constraint vanishes, all of its particles moved along its
 * gradients. */
static void projections_reach_the_manifold(void **state)
{
    (void)state;
    PfWorld w = free_block();
    add(&w, "projections", 8, NULL);
    add(&w, "count_relaxation", 0, NULL);
    add(&w, "damping", 1e-6, NULL);
    SlWorld *world = pf_create(&w);
    assert_ok(sl_world_start(world, &test_error));
    pf_disturb(world, 1.2f, 0.96f, 0.004f);
    SlProjectiveRun run;
    pf_begin(world, 0.005, &run);
    twin_take(pf_system(world), &run);
    twin_local();
    sl_projective_local(pf_system(world), &run);
    size_t active = 0;
    double worst = 0, first = 0;
    for (size_t i = 0; i < N; i++) {
        double lambda = (double)run.pass.fluid.projected[4 * i + 3];
        if (twin.lambda[i] == 0) {
            assert_true(lambda == 0);
            continue;
        }
        active++;
        for (int which = 0; which < 2; which++) {
            double by = which == 0 ? lambda : twin.lambda[i];
            double density = twin.volume * sl_kernel_value(twin.kind, 0, twin.support);
            for (size_t j = 0; j < N; j++) {
                double u[3], r = twin_pair(i, j, u), after = 0;
                if (j == i || r >= twin.support)
                    continue;
                double slope = twin.volume * sl_kernel_slope(twin.kind, r, twin.support);
                for (int a = 0; a < 3; a++)
                    after += pow(u[a] + by * (twin.gradient[i][a] + slope * u[a]), 2);
                density += twin.volume * sl_kernel_value(twin.kind, sqrt(after), twin.support);
            }
            if (which == 0)
                worst = fmax(worst, fabs(density - 1));
            else
                first = fmax(first, fabs(density - 1));
        }
    }
    print_message("%zu projections: error %.2g after one step, %.2g after up to eight\n", active,
                  first, worst);
    assert_true(active > N / 4);
    assert_less(worst, 5e-6); /* what a float's density sum can tell */
    assert_less(10 * worst, first);
    sl_world_destroy(world);
}

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
    for (size_t i = 0; i < N; i++)
        memcpy(x + 3 * run.pass.fluid.id[i], run.pass.fluid.predicted + 4 * i, 3 * sizeof(float));
    sl_world_destroy(world);
}

/* With a diagonal matrix every solver gives what one sweep in one loop gives; in differences and
   with attachments every solver gives what the direct one gives. */
static void all_global_solvers_agree(void **state)
{
    (void)state;
    static float reference[3 * N], other[3 * N];
    for (int differences = 0; differences < 2; differences++) {
        PfWorld w = free_block();
        if (differences) {
            add(&w, "rows", 0, "differences");
            add(&w, "attach", 1e6, NULL);
            add(&w, "attach_below", 1.1, NULL);
            add(&w, "global", 0, SLEET_HAVE_LDL ? "ldlt" : "cg");
            add(&w, "global_iterations", 0, NULL);
        }
        iterate(&w, 4, reference);
        for (int global = 0; global < SL_LINEAR_COUNT; global++) {
            if (global == SL_LINEAR_LDLT && !SLEET_HAVE_LDL)
                continue;
            add(&w, "global", 0, global_names[global]);
            add(&w, "global_iterations", 0, NULL);
            add(&w, "global_tolerance", 1e-9, NULL);
            iterate(&w, 4, other);
            double apart = 0;
            for (size_t e = 0; e < 3 * N; e++)
                apart = fmax(apart, fabs((double)(reference[e] - other[e])));
            assert_less(apart, 1e-6); /* 2e-5 spacings, from 1 m */
        }
    }
}

/* What attachments hold stays; the rest of the block falls. */
static void attachments_hold(void **state)
{
    (void)state;
    PfWorld w = free_block();
    w.no_gravity = false;
    add(&w, "attach", 1e8, NULL);
    add(&w, "attach_below", 1.1, NULL); /* two layers */
    SlWorld *world = pf_create(&w);
    pf_advance(world, 10);
    SlFieldView x = sl_system_field(world, 0, "position"), id = sl_system_field(world, 0, "id");
    size_t held = 0;
    for (size_t i = 0; i < x.count; i++) {
        float y = ((const float *)((const char *)x.data + i * x.stride))[1];
        float start = 1.025f + 0.05f * (float)(((const uint32_t *)id.data)[i] / SIDE % SIDE);
        if (start < 1.1f) {
            held++;
            assert_near((double)y, (double)start, 0.01);
        }
    }
    assert_int_equal(held, 2 * SIDE * SIDE);
    sl_world_destroy(world);
}

/* Bar: momentum is kept to 1e-6 away from walls. What constraints push sums to nothing. Divided by
   each row's own diagonal steps do not, before the loop has converged, which it does only as far as
   the rounding of positions, times the diagonal, lets it. */
static void pushes_keep_momentum(void **state)
{
    (void)state;
    for (int share = 0; share < 2; share++) {
        PfWorld w = free_block();
        w.from = (SlVec3){0.1f, 0.1f, 0.1f}; /* near the origin floats are finest */
        w.nx = SIDE + 3;
        add(&w, "boundary", 0, "contact");
        add(&w, "count_relaxation", share, NULL);
        add(&w, "under_relaxation", 0.7, NULL);
        add(&w, "global", 0, "cg"); /* cut open, so that the residual can be seen */
        add(&w, "global_iterations", 0, NULL);
        SlWorld *world = pf_create(&w);
        assert_ok(sl_world_start(world, &test_error));
        pf_disturb(world, 0.3f, 0.95f, 0.004f);
        SlProjectiveRun run;
        pf_begin(world, 0.005, &run);
        SlSystem *system = pf_system(world);
        const SlProjectiveKernels *kernels =
            SL_KERNELS(system->context->isa, sl_projective_kernels);
        double sum[3] = {0, 0, 0}, all = 0;
        const SlFluidPass *pass = &run.pass.fluid;
        sl_projective_local(system, &run); /* x is s, so all of the residual is the constraints' */
        sl_projective_loop(system, &run.pass, kernels->inertia);
        for (size_t i = 0; i < pass->count; i++)
            for (size_t a = 0; a < 3; a++)
                assert_true(run.pass.residual[4 * i + a] == 0);
        sl_projective_loop(system, &run.pass, kernels->pull_density[0]);
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
            share, pushed, off);
        assert_less(pushed, 1e-6);
        assert_less(off, 2e-3);
        sl_world_destroy(world);
    }
}

/* The same bar for whole steps, ended as by default: a drop that bursts in flight, at rest or not.
 */
static void steps_keep_momentum(void **state)
{
    (void)state;
    const char *accelerations[] = {"none", "chebyshev", "anderson"};
    for (int way = 0; way < 6; way++) {
        PfWorld w = free_block();
        w.nx = SIDE + 3;
        w.velocity = (SlVec3){way < 3 ? 0.0f : 1.0f, 0, 0};
        w.frame_time = 0.01;
        add(&w, "accelerate", 0, accelerations[way % 3]);
        add(&w, "under_relaxation", 0.7, NULL);
        add(&w, "divisor", 0, "common");
        SlWorld *world = pf_create(&w);
        assert_ok(sl_world_start(world, &test_error));
        pf_disturb(world, 1.2f, 0.95f, 0.004f);
        pf_advance(world, 5);
        const SlParticles *particles = &pf_system(world)->particles;
        const float *v = sl_f32x4(particles, SL_F_VELOCITY);
        double sum[3] = {0, 0, 0}, given = 0;
        for (size_t i = 0; i < particles->count; i++)
            for (size_t a = 0; a < 3; a++) {
                double changed = (double)v[4 * i + a] - (double)(&w.velocity.x)[a];
                sum[a] += changed;
                given += fabs(changed);
            }
        double off = fmax(fabs(sum[0]), fmax(fabs(sum[1]), fabs(sum[2]))) / given;
        print_message("momentum after five frames, %s, %g m/s: off by %.2g of what was given\n",
                      accelerations[way % 3], (double)w.velocity.x, off);
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
                     .settings = {{"accelerate", 0, accelerations[k]}}};
        SlWorld *world = pf_create(&w);
        pf_advance(world, 60);
        SlFieldView x = sl_system_field(world, 0, "position");
        double mean = 0, dt = 1.0 / 120, n = 120;
        for (size_t i = 0; i < x.count; i++)
            mean +=
                (double)((const float *)((const char *)x.data + i * x.stride))[1] / (double)x.count;
        assert_near(mean, 50.4 - 9.81 * dt * dt * n * (n + 1) / 2, 1e-3);
        sl_world_destroy(world);
    }
}

static bool keep_stats(void *user, SlSystemId system, const SlStepStats *stats)
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

/* Each limit ends steps, keeps its promise, and is named. */
static void limits_are_kept_and_named(void **state)
{
    (void)state;
    struct {
        const char *name;
        double value;
        SlStop stop;
    } cases[] = {{"stop_move", 2e-3, SL_STOP_MOVE},
                 {"stop_mean", 2e-4, SL_STOP_MEAN},
                 {"stop_most", 5e-3, SL_STOP_MOST},
                 {"iterations", 3, SL_STOP_LIMIT}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        SlStepStats last;
        PfWorld w = small_dam();
        w.on_step = keep_stats;
        w.user = &last;
        add(&w, "stop_move", 0, NULL);
        add(&w, "iterations", 400, NULL);
        add(&w, cases[k].name, cases[k].value, NULL);
        SlWorld *world = pf_create(&w);
        for (int f = 0; f < 10; f++) {
            pf_advance(world, 1);
            assert_string_equal(sl_stop_name(last.stop), sl_stop_name(cases[k].stop));
            if (cases[k].stop == SL_STOP_MEAN)
                assert_less(last.mean_compression, 2.2e-4);
            if (cases[k].stop == SL_STOP_MOST)
                assert_less(last.max_compression, 5.5e-3);
            if (cases[k].stop == SL_STOP_LIMIT)
                assert_int_equal(last.iterations, 3);
        }
        sl_world_destroy(world);
    }
}

/* Bar: the same hash for 1, 2, 3 and 5 threads with every global solver. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    uint64_t plain = 0;
    for (int way = 0; way < SL_LINEAR_COUNT + 3; way++) {
        if (way == SL_LINEAR_LDLT && !SLEET_HAVE_LDL)
            continue;
        uint64_t first = 0;
        const uint32_t threads[] = {1, 2, 3, 5};
        for (int t = 0; t < 4; t++) {
            PfWorld w = small_dam();
            w.threads = threads[t];
            if (way < SL_LINEAR_COUNT) {
                add(&w, "global", 0, global_names[way]);
                add(&w, "global_iterations", 0, NULL);
            }
            if (way == SL_LINEAR_COUNT)
                add(&w, "accelerate", 0, "anderson");
            if (way == SL_LINEAR_COUNT + 1) {
                w = free_block(); /* in differences solids hold by contact alone */
                w.threads = threads[t];
                w.velocity = (SlVec3){1, 0, 0};
                add(&w, "attach", 1e5, NULL);
                add(&w, "attach_below", 1.2, NULL);
                add(&w, "rows", 0, "differences");
                add(&w, "global", 0, "cg");
                add(&w, "global_iterations", 0, NULL);
                add(&w, "iterations", 10, NULL);
            }
            SlWorld *world = pf_create(&w);
            pf_advance(world, 3);
            uint64_t hash = sl_world_hash(world);
            first = t == 0 ? hash : first;
            assert_true(hash == first);
            sl_world_destroy(world);
        }
        if (way == SL_LINEAR_COUNT)
            plain = first;
    }
    assert_true(plain != 0);
}

/* Bar: with the safeguard on, rho = 0.9999 does not blow up. */
static void safeguard_holds(void **state)
{
    (void)state;
    SlStepStats last;
    PfWorld w = small_dam();
    w.on_step = keep_stats;
    w.user = &last;
    add(&w, "rho", 0.9999, NULL);
    SlWorld *world = pf_create(&w);
    for (int f = 0; f < 40; f++) {
        pf_advance(world, 1);
        assert_less(last.max_speed, 12);
        assert_less(last.mean_compression, 0.005);
    }
    sl_world_destroy(world);
}

/* The ladder of rho: it finds the cheapest rung of a valley, whichever side it begins on, while the
   whole valley rises. */
static void search_finds_the_valley(void **state)
{
    (void)state;
    for (uint32_t best = 0; best < SL_RHO_RUNGS; best += 5) {
        SlRhoSearch search = sl_rho_search();
        for (int k = 0; k < 400; k++) {
            double here = log2(0.2 / (1 - sl_rho_now(&search))) * 2; /* the rung */
            sl_rho_learn(&search, 20 + 0.5 * k + fabs(here - best));
        }
        assert_true(search.rung + 2 >= best && search.rung <= best + 1);
    }
    assert_near(sl_rho_of_rung(0), 0.8, 1e-12);
    assert_near(sl_rho_of_rung(4), 0.95, 1e-12);
    assert_near(sl_rho_of_rung(3), 1 - 0.1 * sqrt(0.5), 1e-12);
}

/* time_step "cfl": nobody moves farther than asked for, and steps are no shorter than need be. */
static bool check_length(void *user, SlSystemId system, const SlStepStats *stats)
{
    (void)system;
    double *before = user; /* top speed before, shortest, longest */
    if (before[0] > 0) {
        double allowed = fmin(fmax(0.3 * 0.05 / before[0], 1e-4), 5e-3);
        assert_true(stats->dt <= allowed * 1.000001);
        assert_true(stats->dt >= 0.5 * fmin(allowed, 0.02));
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
    add(&w, "time_step", 0, "cfl");
    add(&w, "cfl", 0.3, NULL);
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
        cmocka_unit_test(twin_agrees),
        cmocka_unit_test(projections_reach_the_manifold),
        cmocka_unit_test(all_global_solvers_agree),
        cmocka_unit_test(attachments_hold),
        cmocka_unit_test(pushes_keep_momentum),
        cmocka_unit_test(steps_keep_momentum),
        cmocka_unit_test(free_fall_is_exact),
        cmocka_unit_test(limits_are_kept_and_named),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(safeguard_holds),
        cmocka_unit_test(search_finds_the_valley),
        cmocka_unit_test(steps_follow_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
