/* The Hessian and the solve of the semi-implicit update. */
#include "solvers/snow/implicit.h"
#include "snow/snow_reference.h"
#include "snow/snowballs.h"

static double uniform(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 0x1p24;
}

static M3 near_identity(unsigned *seed, double size)
{
    M3 F = m3_identity();
    for (int k = 0; k < 9; k++)
        F.m[k / 3][k % 3] += size * (2 * uniform(seed) - 1);
    return F;
}

/* The reference Hessian against finite differences of the stress. */
static void reference_hessian_is_the_derivative_of_stress(void **state)
{
    (void)state;
    unsigned seed = 1;
    ReferenceMaterial a = reference_default_material();
    double worst = 0;
    for (int round = 0; round < 100; round++) {
        M3 F = near_identity(&seed, 0.1), dF = near_identity(&seed, 1), A, step;
        double JP = 0.9 + 0.2 * uniform(&seed), size = 1e-6;
        A = reference_hessian(&a, F, JP, dF);
        step = m3_sum(reference_stress(&a, m3_sum(F, size, dF), JP), -1,
                      reference_stress(&a, m3_sum(F, -size, dF), JP));
        for (int k = 0; k < 9; k++)
            worst = fmax(worst, fabs(step.m[k / 3][k % 3] / (2 * size) - A.m[k / 3][k % 3]) / a.mu);
    }
    print_message("Hessian against differences, per mu: %.1e\n", worst);
    assert_less(worst, 1e-7);
}

/* A ball with random strains, sorted, with u in a layer of the nodes. */
typedef struct Setup {
    SlWorld *world;
    SlSystem *system;
    SlSnowPass pass;
} Setup;

static float *node_at(const Setup *s, SlSnowLayer layer, uint32_t block, int node)
{
    return s->pass.blocks->layer[layer] + (size_t)block * SL_SNOW_BLOCK_FLOATS + 4 * node;
}

static void fill_layer(const Setup *s, SlSnowLayer layer, unsigned seed)
{
    for (uint32_t b = 0; b < s->pass.blocks->touched; b++)
        for (int k = 0; k < SL_SNOW_BLOCK_NODES; k++)
            for (int a = 0; a < 4; a++)
                node_at(s, layer, b, k)[a] = a < 3 ? (float)(2 * uniform(&seed) - 1) : 0;
}

static void set_strain(const Setup *s, size_t i, M3 F)
{
    M3 e = m3_sum(m3_mul(F, m3_transpose(F)), -1, m3_identity());
    float *d = s->pass.fields.stretch + 4 * i, *o = s->pass.fields.shear + 4 * i;
    for (int k = 0; k < 3; k++) {
        d[k] = (float)e.m[k][k];
        o[k] = (float)e.m[(k + 1) % 3][(k + 2) % 3];
    }
}

static Setup set_up(const char *transfer)
{
    BallSetting b = {.transfer = transfer,
                     .threads = 2,
                     .spacing = 0.01,
                     .radius = 0.05,
                     .time_step = 1e-4,
                     .center = {0.3f, 0.3f, 0.3f},
                     .beta = 1};
    Setup s = {.world = ball_create(&b)};
    s.system = ball_system(s.world);
    assert_ok(sl_snow_begin(s.system, 5e-4, &s.pass, &test_error));
    assert_ok(sl_snow_sort(s.system, &s.pass, &test_error));
    sl_snow_particles_to_grid(s.system, &s.pass);
    sl_snow_measure_volumes(s.system, &s.pass);
    return s;
}

static void hessian_equals_the_reference(void **state)
{
    (void)state;
    for (int t = 0; t < 2; t++) {
        Setup s = set_up(t == 0 ? "mls" : "flip");
        size_t n = s.system->particles.count;
        Reference l = {.flip = t == 1,
                     .h = 0.02,
                     .dt = 5e-4,
                     .beta = 1,
                     .material = reference_default_material(),
                     .count = n,
                     .size = 40,
                     .first = -4};
        l.particles = calloc(n, sizeof *l.particles);
        l.nodes = calloc((size_t)(l.size * l.size * l.size), sizeof *l.nodes);
        unsigned seed = 5;
        for (size_t i = 0; i < n; i++) {
            ReferenceParticle *p = &l.particles[i];
            p->FE = near_identity(&seed, 0.02);
            p->FP = m3_identity();
            p->volume = (double)s.pass.fields.volume[i];
            for (int k = 0; k < 3; k++)
                p->x[k] = ball_place(s.system, i, k, l.h);
            set_strain(&s, i, p->FE);
        }
        sl_snow_principal_frames(&s.pass);
        fill_layer(&s, SL_RESIDUAL, 7);
        sl_snow_apply_hessian(&s.pass, SL_RESIDUAL, SL_A_RESIDUAL);
        for (int pass = 0; pass < 2; pass++) { /* u into the reference nodes, then compare */
            double worst = 0, scale = 0;
            for (uint32_t b = 0; b < s.pass.blocks->touched; b++)
                for (int k = 0; k < SL_SNOW_BLOCK_NODES; k++) {
                    SlBlockCoord c = s.pass.blocks->coords[b];
                    int at[3] = {4 * c.x + (k >> 4), 4 * c.y + (k >> 2 & 3), 4 * c.z + (k & 3)};
                    ReferenceNode *node = reference_node(&l, at);
                    node->mass = 1;
                    for (int a = 0; a < 3; a++) {
                        if (pass == 0)
                            node->r[a] = (double)node_at(&s, SL_RESIDUAL, b, k)[a];
                        double sum = (double)node_at(&s, SL_A_RESIDUAL, b, k)[a];
                        worst = fmax(worst, fabs(node->ar[a] - sum));
                        scale = fmax(scale, fabs(sum));
                    }
                }
            if (pass == 0) {
                reference_pull(&l, offsetof(ReferenceNode, r), offsetof(ReferenceNode, ar));
                continue;
            }
            print_message("%s: H u against the reference: %.1e of the largest\n",
                          t == 0 ? "mls" : "flip", worst / scale);
            assert_less(worst / scale, 2e-5);
        }
        free(l.particles);
        free(l.nodes);
        sl_world_destroy(s.world);
    }
}

/* u^T H w = w^T H u: the operator of eq. 9 is symmetric in the inner product of mass. */
static void the_hessian_is_symmetric(void **state)
{
    (void)state;
    for (int t = 0; t < 2; t++) {
        Setup s = set_up(t == 0 ? "mls" : "flip");
        unsigned seed = 9;
        for (size_t i = 0; i < s.system->particles.count; i++)
            set_strain(&s, i, near_identity(&seed, 0.02));
        sl_snow_principal_frames(&s.pass);
        fill_layer(&s, SL_RESIDUAL, 11);
        fill_layer(&s, SL_DIRECTION, 12);
        double products[2] = {0, 0}, size = 0;
        for (int way = 0; way < 2; way++) {
            SlSnowLayer u = way == 0 ? SL_RESIDUAL : SL_DIRECTION;
            SlSnowLayer w = way == 0 ? SL_DIRECTION : SL_RESIDUAL;
            sl_snow_apply_hessian(&s.pass, u, SL_A_RESIDUAL);
            for (uint32_t b = 0; b < s.pass.blocks->touched; b++)
                for (int k = 0; k < SL_SNOW_BLOCK_NODES; k++)
                    for (int a = 0; a < 3; a++) {
                        double one = (double)node_at(&s, w, b, k)[a] *
                                     (double)node_at(&s, SL_A_RESIDUAL, b, k)[a];
                        products[way] += one;
                        size += fabs(one);
                    }
        }
        print_message("%s: symmetry %.1e\n", t == 0 ? "mls" : "flip",
                      fabs(products[0] - products[1]) / size);
        assert_less(fabs(products[0] - products[1]) / size, 1e-7);
        sl_world_destroy(s.world);
    }
}

/* Kinetic energy left of a ball's impact. */
static double energy_left(double beta)
{
    BallSetting b = {.threads = 2,
                     .spacing = 0.015,
                     .radius = 0.1,
                     .speed = 3,
                     .time_step = 2e-4,
                     .center = {0.5f, 0.13f, 0.5f},
                     .friction = 0.3f,
                     .beta = beta};
    SlWorld *world = ball_create(&b);
    for (int k = 0; k < 150; k++)
        assert_ok(sl_world_step(world, b.time_step, &test_error));
    double energy = ball_system(world)->stats.kinetic_energy;
    const float *plastic = ball_system(world)->particles.data[SL_F_PLASTIC];
    for (size_t i = 0; i < ball_system(world)->particles.count; i++)
        assert_true(plastic[i] > 0.1f && plastic[i] <= 20);
    sl_world_destroy(world);
    return energy;
}

static void backward_euler_damps_more(void **state)
{
    (void)state;
    double none = energy_left(1e-9), half = energy_left(0.5), full = energy_left(1);
    print_message("kinetic energy left: beta 0 %.4g J, 1/2 %.4g J, 1 %.4g J\n", none, half, full);
    assert_true(full <= half);
}

static void the_same_bits_for_any_threads(void **state)
{
    (void)state;
    for (int t = 0; t < 2; t++) {
        uint64_t first = 0;
        static const uint32_t counts[] = {1, 2, 3, 5};
        for (int k = 0; k < 4; k++) {
            BallSetting b = {.transfer = t == 0 ? "mls" : "flip",
                             .threads = counts[k],
                             .spacing = 0.01,
                             .radius = 0.07,
                             .speed = 5,
                             .center = {0.5f, 0.09f, 0.5f},
                             .beta = 0.5};
            SlWorld *world = ball_create(&b);
            for (int step = 0; step < 2; step++)
                assert_ok(sl_world_step(world, 0.005, &test_error));
            if (k == 0)
                first = sl_world_hash(world);
            assert_true(sl_world_hash(world) == first);
            sl_world_destroy(world);
        }
    }
}

/* Counts the messages of the log that contain a text. */
typedef struct MessageCount {
    const char *text;
    int count;
} MessageCount;

static void count_message(void *user, SlLogLevel level, const char *text)
{
    MessageCount *messages = user;
    messages->count += level == SL_LOG_WARNING && strstr(text, messages->text) != NULL;
}

static SlWorld *short_solves(double max_iterations, double tolerance, double time_step,
                             MessageCount *messages)
{
    BallSetting b = {.threads = 2,
                     .spacing = 0.015,
                     .radius = 0.1,
                     .speed = 5,
                     .center = {0.5f, 0.11f, 0.5f},
                     .time_step = time_step,
                     .beta = 1,
                     .tolerance = tolerance,
                     .max_iterations = max_iterations,
                     .parameters = "contact=nodes damping=0", /* needs more iterations */
                     .hooks = {.log = count_message, .user = messages}};
    return ball_create(&b);
}

/* A solve that does not converge: the step is repeated in two halves, bit for bit as two steps of
   half its length, and the log reports it. */
static void a_solve_that_does_not_converge_halves_the_step(void **state)
{
    (void)state;
    MessageCount messages = {"half its length", 0}, none = messages;
    SlWorld *whole = short_solves(6, 1e-3, 4e-4, &messages);
    SlWorld *halves = short_solves(6, 1e-3, 2e-4, &none);
    int steps = 0;
    while (messages.count == 0 && steps++ < 50) {
        assert_ok(sl_world_step(halves, 4e-4, &test_error));
        assert_ok(sl_world_step(whole, 4e-4, &test_error));
        if (messages.count == 0) { /* it converged: both start from here */
            sl_world_destroy(halves);
            halves = short_solves(6, 1e-3, 2e-4, &none);
            const SlStateView *view;
            assert_ok(sl_world_state(whole, &view, &test_error));
            assert_ok(sl_world_restore(halves, view, &test_error));
        }
    }
    print_message("cut short at 6 iterations: in halves after %d steps\n", steps);
    assert_int_equal(messages.count, 1);
    assert_int_equal(none.count, 0);
    assert_true(((const SlSnowState *)ball_system(whole)->state)->step_halvings == 1);
    const SlParticles *a = &ball_system(whole)->particles, *b = &ball_system(halves)->particles;
    for (int f = 0; f < SL_F_COUNT; f++)
        if (a->data[f] != NULL && (sl_field_rows[f].flags & SL_FIELD_STATE) != 0)
            assert_memory_equal(a->data[f], b->data[f],
                                a->count * sl_storage_bytes(sl_field_rows[f].storage));
    sl_world_destroy(whole);
    sl_world_destroy(halves);
}

/* Solves of one iteration only: steps become so short that they converge, and all values stay
   finite. */
static void solves_of_one_iteration(void **state)
{
    (void)state;
    MessageCount messages = {"half its length", 0};
    SlWorld *world = short_solves(1, 1e-6, 0, &messages);
    for (int k = 0; k < 6; k++)
        assert_ok(sl_world_step(world, 0.0005, &test_error));
    const SlStepStats *stats = &ball_system(world)->stats;
    print_message("one iteration: steps of %.3g s after %.3g s, %d were repeated\n", stats->dt,
                  stats->time, messages.count);
    assert_true(messages.count > 0);
    assert_true(isfinite(stats->kinetic_energy) && stats->max_speed < 10);
    sl_world_destroy(world);
}

/* Snow so stiff that one iteration does not converge for any step length. After ten halvings the
   result is used as it is, the log reports it, and all values stay finite. */
static void a_solve_that_never_converges_is_used_as_it_is(void **state)
{
    (void)state;
    MessageCount messages = {"used as it is", 0};
    BallSetting b = {.threads = 2,
                     .spacing = 0.015,
                     .radius = 0.06,
                     .speed = 5,
                     .center = {0.5f, 0.065f, 0.5f},
                     .time_step = 4e-4,
                     .stiffness = 1e9,
                     .beta = 1,
                     .tolerance = 1e-6,
                     .max_iterations = 1,
                     .hooks = {.log = count_message, .user = &messages}};
    SlWorld *world = ball_create(&b);
    assert_ok(sl_world_step(world, b.time_step, &test_error));
    const SlSystem *system = ball_system(world);
    print_message("never converges: %d solves used as they were, top speed %.2f m/s\n", messages.count,
                  system->stats.max_speed);
    assert_true(messages.count > 0);
    const float *v = sl_f32x4(&system->particles, SL_F_VELOCITY);
    const float *plastic = system->particles.data[SL_F_PLASTIC];
    for (size_t i = 0; i < system->particles.count; i++) {
        assert_true(isfinite(v[4 * i]) && isfinite(v[4 * i + 1]) && isfinite(v[4 * i + 2]));
        assert_true(plastic[i] > 0.5f && plastic[i] <= 20);
    }
    assert_less(system->stats.max_speed, 10);
    sl_world_destroy(world);
}

/* Target: a step that is too large is detected by what it does to J_P, and reported once. */
static void too_large_a_step_is_reported(void **state)
{
    (void)state;
    for (int large = 0; large < 2; large++) {
        MessageCount messages = {"lower \"time_step\"", 0};
        BallSetting b = {.threads = 2,
                         .spacing = 0.01,
                         .radius = 0.07,
                         .speed = 6,
                         .center = {0.5f, 0.09f, 0.5f},
                         .time_step = large ? 8e-4 : 0,
                         .hooks = {.log = count_message, .user = &messages}};
        SlWorld *world = ball_create(&b);
        SlStatus status = sl_world_step(world, 0.024, &test_error);
        print_message("steps of %.3g s: %s, %d warnings\n", ball_system(world)->stats.dt,
                      sl_status_name(status), messages.count);
        assert_int_equal(messages.count, large);
        assert_true(large || status == SL_OK);
        sl_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_hessian_is_the_derivative_of_stress),
        cmocka_unit_test(hessian_equals_the_reference),
        cmocka_unit_test(the_hessian_is_symmetric),
        cmocka_unit_test(backward_euler_damps_more),
        cmocka_unit_test(a_solve_that_does_not_converge_halves_the_step),
        cmocka_unit_test(solves_of_one_iteration),
        cmocka_unit_test(a_solve_that_never_converges_is_used_as_it_is),
        cmocka_unit_test(too_large_a_step_is_reported),
        cmocka_unit_test(the_same_bits_for_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
