/* Transfers: weights, conservation, free fall, shifts, threads, paths. */
#pragma GCC diagnostic ignored "-Wpsabi" /* as for *_kernels.c: no vector leaves this file */
#include "solvers/snow/nodes.h"
#include "snow/snowballs.h"
#include "solvers/snow/transfer_lanes.h"
#include "support/world.h"

static const char *const transfers[] = {"mls", "flip"};

static BallSetting small_ball(const char *transfer)
{
    return (BallSetting){.transfer = transfer,
                         .threads = 2,
                         .spacing = 0.01,
                         .radius = 0.08,
                         .speed = 4,
                         .time_step = 1e-4,
                         .center = {0.5f, 0.1f, 0.5f},
                         .friction = 0.3f};
}

static void weights_sum_to_one(void **state)
{
    (void)state;
    SlSnowLattice lattice = {0.02f, 50, false};
    double worst = 0, worst_slope = 0;
    for (int cubic = 0; cubic <= 1; cubic++)
        for (int round = 0; round < 100; round++) {
            float position[32], fraction[32];
            for (int k = 0; k < 32; k++) {
                fraction[k] = (float)((k * 37 + round * 91) % 1000) / 1000;
                position[k] = 0.02f * (1 + fraction[k]);
            }
            Weights s;
            find_weights(&lattice, (SlBlockCoord){0, 0, 0}, position, fraction,
                         group_at(NULL, 0, 8), cubic != 0, &s);
            for (int axis = 0; axis < 3; axis++)
                for (int j = 0; j < 8; j++) {
                    double sum = -1, slope = 0, moment = -1;
                    for (int k = 0; k < 4; k++) {
                        sum += (double)s.w[axis][k][j];
                        slope += (double)s.g[axis][k][j] * 0.02;
                        moment += (double)s.g[axis][k][j] * 0.02 * k;
                    }
                    worst = fmax(worst, fabs(sum));
                    worst_slope = fmax(worst_slope, fmax(fabs(slope), fabs(moment)));
                }
        }
    print_message("sum w - 1: %.1e, slopes %.1e\n", worst, worst_slope);
    assert_less(worst, 4e-7);
    assert_less(worst_slope, 2e-6);
}

/* Mass, momentum and angular momentum: of particles, and of nodes. */
typedef struct Sums {
    double mass, momentum[3], spin[3];
} Sums;

static void add_to(Sums *s, double mass, const double x[3], const double v[3])
{
    s->mass += mass;
    for (int k = 0; k < 3; k++) {
        s->momentum[k] += mass * v[k];
        s->spin[k] += mass * (x[(k + 1) % 3] * v[(k + 2) % 3] - x[(k + 2) % 3] * v[(k + 1) % 3]);
    }
}

static Sums particle_sums(const SlSnowPass *p, const SlSystem *system)
{
    Sums s = {0};
    for (size_t i = 0; i < system->particles.count; i++) {
        double x[3], v[3];
        for (int k = 0; k < 3; k++) {
            x[k] = ball_place(system, i, k, (double)p->lattice.cell) - 0.3;
            v[k] = (double)p->fields.velocity[4 * i + (size_t)k];
        }
        add_to(&s, (double)p->material.mass, x, v);
        for (int k = 0; k < 3; k++) { /* of APIC's affine part */
            int a = (k + 1) % 3, b = (k + 2) % 3;
            s.spin[k] += (double)(p->affine * p->material.mass) *
                         ((double)p->fields.slope[a][4 * i + (size_t)b] -
                          (double)p->fields.slope[b][4 * i + (size_t)a]);
        }
    }
    return s;
}

/* Nodes are momentum, or velocity after the update. */
static Sums node_sums(const SlSnowPass *p, bool velocities)
{
    Sums s = {0};
    for (uint32_t b = 0; b < p->blocks->touched; b++)
        for (int k = 0; k < SL_SNOW_BLOCK_NODES; k++) {
            const float *node = p->blocks->layer[SL_NODES] + (size_t)b * SL_SNOW_BLOCK_FLOATS + 4 * k;
            SlBlockCoord c = p->blocks->coords[b];
            int at[3] = {4 * c.x + (k >> 4), 4 * c.y + (k >> 2 & 3), 4 * c.z + (k & 3)};
            double x[3], v[3];
            for (int a = 0; a < 3; a++) {
                x[a] = (double)p->lattice.cell * at[a] - 0.3;
                v[a] = node[3] > 0 ? (double)node[a] / (velocities ? 1 : (double)node[3]) : 0;
            }
            add_to(&s, (double)node[3], x, v);
        }
    return s;
}

static double apart(const double *a, const double *b, double scale)
{
    double most = 0;
    for (int k = 0; k < 3; k++)
        most = fmax(most, fabs(a[k] - b[k]) / scale);
    return most;
}

static void transfers_conserve(void **state)
{
    (void)state;
    for (int t = 0; t < 2; t++) {
        BallSetting b = small_ball(transfers[t]);
        b.no_gravity = true;
        b.center.y = 1;
        SlWorld *world = ball_create(&b);
        SlSystem *system = ball_system(world);
        SlSnowPass p;
        assert_ok(sl_snow_begin(system, 1e-4, &p, &test_error));
        for (size_t i = 0; i < system->particles.count; i++)
            for (size_t k = 0; k < 3; k++) {
                p.fields.velocity[4 * i + k] += sinf((float)(3 * i + 7 * k));
                for (int a = 0; a < 3; a++)
                    p.fields.slope[a][4 * i + k] = 20 * sinf((float)(5 * i + 3 * k) + (float)a);
            }
        assert_ok(sl_snow_sort(system, &p, &test_error));
        Sums before = particle_sums(&p, system);
        sl_snow_particles_to_grid(system, &p);
        Sums grid = node_sums(&p, false);
        sl_snow_measure_volumes(system, &p);
        sl_snow_update_nodes(&p);
        sl_snow_grid_to_particles(system, &p);
        Sums after = particle_sums(&p, system);
        double push = 4 * before.mass, rotation = 4 * before.mass * 0.5;
        print_message("%s: mass %.1e, momentum %.1e and %.1e, angular %.1e and %.1e\n",
                      transfers[t], fabs(grid.mass / before.mass - 1),
                      apart(grid.momentum, before.momentum, push),
                      apart(after.momentum, before.momentum, push),
                      apart(grid.spin, before.spin, rotation), apart(after.spin, before.spin, rotation));
        assert_less(fabs(grid.mass / before.mass - 1), 1e-6);
        assert_less(apart(grid.momentum, before.momentum, push), 1e-6);
        assert_less(apart(after.momentum, before.momentum, push), 1e-6);
        assert_less(apart(grid.spin, before.spin, rotation), 1e-6);
        if (t == 0) /* the PIC fraction loses angular momentum */
            assert_less(apart(after.spin, before.spin, rotation), 1e-6);
        sl_world_destroy(world);
    }
}

/* Symplectic Euler: x = x0 - v dt n - g dt² n (n + 1) / 2, and nothing deforms. */
static void free_fall_is_exact(void **state)
{
    (void)state;
    for (int t = 0; t < 2; t++) {
        BallSetting b = small_ball(transfers[t]);
        b.center.y = 2;
        SlWorld *world = ball_create(&b);
        SlSystem *system = ball_system(world);
        size_t n = system->particles.count;
        double *start = calloc(n, sizeof *start), worst = 0;
        const uint32_t *id = system->particles.data[SL_F_ID];
        for (size_t i = 0; i < n; i++)
            start[id[i]] = ball_place(system, i, 1, 0.02);
        int steps = 200;
        for (int k = 0; k < steps; k++)
            assert_ok(sl_world_step(world, 1e-4, &test_error));
        id = system->particles.data[SL_F_ID];
        const float *plastic = system->particles.data[SL_F_PLASTIC];
        double way = -4 * 1e-4 * steps - 9.81 * 1e-8 * steps * (steps + 1) / 2;
        for (size_t i = 0; i < n; i++) {
            worst = fmax(worst, fabs(ball_place(system, i, 1, 0.02) - start[id[i]] - way));
            assert_near((double)plastic[i], 1, 1e-6);
        }
        print_message("%s: free fall within %.1e cells after %d steps\n", transfers[t],
                      worst / 0.02, steps);
        assert_less(worst / 0.02, 1e-4);
        free(start);
        sl_world_destroy(world);
    }
}

/* The same ball 64 cells away: the same motion. */
static void a_shift_by_full_cells_changes_nothing(void **state)
{
    (void)state;
    for (int t = 0; t < 2; t++) {
        BallSetting b = small_ball(transfers[t]);
        SlWorld *here = ball_create(&b);
        SlWorld *there = ball_create(&b);
        SlParticles *moved = &ball_system(there)->particles;
        for (size_t i = 0; i < moved->count; i++) {
            float *x = sl_f32x4(moved, SL_F_POSITION) + 4 * i;
            float *f = sl_f32x4(moved, SL_F_FRACTION) + 4 * i;
            int32_t cell = sl_snow_cell(x[0], 1 / 0.02f);
            x[0] = 0.02f * ((float)(cell + 64) + f[0]);
            f[0] += (float)(cell + 64 - sl_snow_cell(x[0], 1 / 0.02f));
        }
        for (int k = 0; k < 200; k++) {
            assert_ok(sl_world_step(here, 1e-4, &test_error));
            assert_ok(sl_world_step(there, 1e-4, &test_error));
        }
        size_t n = moved->count;
        double *place = calloc(n, sizeof *place), worst = 0;
        const uint32_t *id = ball_system(here)->particles.data[SL_F_ID];
        for (size_t i = 0; i < n; i++)
            place[id[i]] = ball_place(ball_system(here), i, 0, 0.02);
        id = ball_system(there)->particles.data[SL_F_ID];
        for (size_t i = 0; i < n; i++)
            worst = fmax(worst, fabs(ball_place(ball_system(there), i, 0, 0.02) - 64 * 0.02 -
                                     place[id[i]]));
        print_message("%s: shifted by 64 cells: %.1e h apart\n", transfers[t], worst / 0.02);
        assert_less(worst / 0.02, 2e-3); /* the impact magnifies the last bits */
        free(place);
        sl_world_destroy(here);
        sl_world_destroy(there);
    }
}

static void the_same_bits_for_any_threads(void **state)
{
    (void)state;
    for (int t = 0; t < 2; t++) {
        uint64_t first = 0;
        static const uint32_t counts[] = {1, 2, 3, 5};
        for (int k = 0; k < 4; k++) {
            BallSetting b = small_ball(transfers[t]);
            b.threads = counts[k];
            b.time_step = 0;
            SlWorld *world = ball_create(&b);
            for (int frame = 0; frame < 3; frame++)
                assert_ok(sl_world_advance_frame(world, &test_error));
            if (k == 0)
                first = sl_world_hash(world);
            assert_true(sl_world_hash(world) == first);
            sl_world_destroy(world);
        }
    }
}

static void base_and_avx2_agree(void **state)
{
    (void)state;
    SlIsa chosen;
    if (sl_isa_choose(SL_ISA_AVX2, &chosen, &test_error) != SL_OK)
        test_skip("this processor has no AVX2");
    for (int t = 0; t < 2; t++) {
        BallSetting b = small_ball(transfers[t]);
        SlWorld *worlds[2];
        for (int k = 0; k < 2; k++) {
            b.isa = k == 0 ? SL_ISA_BASE : SL_ISA_AVX2;
            worlds[k] = ball_create(&b);
            for (int step = 0; step < 100; step++)
                assert_ok(sl_world_step(worlds[k], 1e-4, &test_error));
        }
        size_t n = ball_system(worlds[0])->particles.count;
        double *place = calloc(3 * n, sizeof *place), sum = 0;
        for (int k = 0; k < 2; k++) {
            const SlSystem *system = ball_system(worlds[k]);
            const uint32_t *id = system->particles.data[SL_F_ID];
            for (size_t i = 0; i < n; i++)
                for (int a = 0; a < 3; a++) {
                    double x = ball_place(system, i, a, 0.02), *at = &place[3 * id[i] + (size_t)a];
                    if (k == 0)
                        *at = x;
                    else
                        sum += (x - *at) * (x - *at);
                }
            sl_world_destroy(worlds[k]);
        }
        double rms = sqrt(sum / (double)n) / 0.02;
        print_message("%s: base and AVX2 %.1e h rms apart after 100 steps\n", transfers[t], rms);
        assert_less(rms, 1e-4);
        free(place);
    }
}

/* 128 cells from the origin, 2 mm/s in steps of 10 µs: 1e-6 cells a step must add up. */
static void creep_adds_up(void **state)
{
    (void)state;
    BallSetting b = small_ball("mls");
    b.no_gravity = true;
    b.speed = 0.002;
    b.time_step = 1e-5;
    b.radius = 0.04;
    b.center = (SlVec3){2.56f, 2.56f, 2.56f};
    SlWorld *world = ball_create(&b);
    SlSystem *system = ball_system(world);
    double before = 0, after = 0;
    size_t n = system->particles.count;
    for (size_t i = 0; i < n; i++)
        before += ball_place(system, i, 1, 0.02) / (double)n;
    for (int k = 0; k < 500; k++)
        assert_ok(sl_world_step(world, 1e-5, &test_error));
    for (size_t i = 0; i < n; i++)
        after += ball_place(system, i, 1, 0.02) / (double)n;
    print_message("creep: %.6g of the way\n", (before - after) / 1e-5);
    assert_near((before - after) / 1e-5, 1, 0.01);
    sl_world_destroy(world);
}

/* Target: at most 200 bytes per particle, and the blocks. */
static void memory_is_small(void **state)
{
    (void)state;
    SlWorldDef def = sl_default_world_def();
    test_own_context(&def, 2, SL_ISA_AUTO);
    SlBlock block = {.min = {1, 1, 1}, .max = {2.28f, 2.28f, 2.28f}};
    SlSystemId id;
    SlWorld *world = test_world(&def, "snow", NULL, &id);
    assert_ok(sl_system_add_block(world, id, &block, &test_error));
    double estimated = (double)sl_world_memory_needed(world);
    for (int k = 0; k < 3; k++)
        assert_ok(sl_world_step(world, 1e-4, &test_error));
    const SlSnowState *snow = ball_system(world)->state;
    double n = (double)ball_system(world)->particles.count;
    double allocated = (double)sl_context_bytes_held(sl_world_context(world)) - sizeof(SlWorldSystem) -
                  sizeof(SlWorld);
    double blocks = (double)snow->blocks.capacity * (2 * SL_SNOW_BLOCK_FLOATS * sizeof(float) + 64);
    print_message("%.0f particles: %.1f bytes each, and %.1f for blocks; estimated %.1f in all\n", n,
                  (allocated - blocks) / n, blocks / n, estimated / n);
    assert_less((allocated - blocks) / n, 200);
    assert_near(allocated / estimated, 1, 0.1);
    sl_world_destroy(world);
}

/* Index of each id in a world's fields. */
static uint32_t *places_of(SlWorld *world)
{
    const SlParticles *particles = &ball_system(world)->particles;
    const uint32_t *id = particles->data[SL_F_ID];
    uint32_t *place = calloc(particles->count, sizeof *place);
    for (size_t i = 0; i < particles->count; i++)
        place[id[i]] = (uint32_t)i;
    return place;
}

/* Kernels read the particles of a block through a list; whether the fields are reordered too changes no
   bit of any particle. */
static void reordering_changes_nothing(void **state)
{
    (void)state;
    for (int w = 0; w < 4; w++) {
        SlWorld *world[2];
        BallSetting b = {.transfer = w % 2 == 0 ? "mls" : "flip",
                         .threads = 2,
                         .spacing = 0.01,
                         .radius = 0.07,
                         .speed = 5,
                         .time_step = 1e-4,
                         .center = {0.5f, 0.09f, 0.5f},
                         .beta = w < 2 ? 0 : 1};
        const SlStateView *view;
        for (int k = 0; k < 2; k++)
            world[k] = ball_create(&b);
        SlSnowState *first = ball_system(world[0])->state, *second = ball_system(world[1])->state;
        for (int k = 0; k < 100; k++) { /* fields in the order of placement */
            first->drift = 0;
            assert_ok(sl_world_step(world[0], b.time_step, &test_error));
        }
        assert_ok(sl_world_state(world[0], &view, &test_error));
        assert_ok(sl_world_restore(world[1], view, &test_error));
        first->drift = 0;
        second->drift = INFINITY;
        for (int k = 0; k < 2; k++)
            assert_ok(sl_world_step(world[k], b.time_step, &test_error));
        uint32_t *place[2] = {places_of(world[0]), places_of(world[1])};
        const SlParticles *p[2] = {&ball_system(world[0])->particles,
                                   &ball_system(world[1])->particles};
        size_t moved = 0;
        for (size_t i = 0; i < p[0]->count; i++) {
            moved += place[0][i] != place[1][i];
            for (int f = 0; f < SL_F_COUNT; f++) {
                size_t size = sl_storage_bytes(sl_field_rows[f].storage);
                if (p[0]->data[f] == NULL || (sl_field_rows[f].flags & SL_FIELD_STATE) == 0)
                    continue;
                assert_memory_equal((const char *)p[0]->data[f] + size * place[0][i],
                                    (const char *)p[1]->data[f] + size * place[1][i],
                                    size < 16 ? size : 12);
            }
        }
        print_message("%s: %zu of %zu particles were out of order\n", b.transfer, moved,
                      p[0]->count);
        assert_true(moved > p[0]->count / 20);
        for (int k = 0; k < 2; k++) {
            free(place[k]);
            sl_world_destroy(world[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_sum_to_one),
        cmocka_unit_test(transfers_conserve),
        cmocka_unit_test(free_fall_is_exact),
        cmocka_unit_test(a_shift_by_full_cells_changes_nothing),
        cmocka_unit_test(the_same_bits_for_any_threads),
        cmocka_unit_test(base_and_avx2_agree),
        cmocka_unit_test(creep_adds_up),
        cmocka_unit_test(memory_is_small),
        cmocka_unit_test(reordering_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
