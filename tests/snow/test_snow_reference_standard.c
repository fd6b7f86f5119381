/* The solver against the reference implementation of [Stomakhin 2013]. */
#include "snow/snow_reference.h"
#include "snow/snowballs.h"

/* The reference state of a started ball; particles in order of id. */
static Reference reference_of(SlWorld *world, const BallSetting *b)
{
    const SlSystem *system = ball_system(world);
    const SlParticles *particles = &system->particles;
    Reference l = {.flip = b->transfer != NULL && strcmp(b->transfer, "flip") == 0,
                 .h = 2 * b->spacing,
                 .dt = b->time_step,
                 .gravity = -9.81f,
                 .flip_fraction = 0.95,
                 .density = 400,
                 .friction = (double)b->friction,
                 .beta = b->beta,
                 .tolerance = b->tolerance,
                 .touch = 0.5 * b->spacing,
                 .damping = 0.2,
                 .damping_rate = 2,
                 .material = reference_default_material(),
                 .count = particles->count,
                 .size = (int)((double)b->center.x / b->spacing) + 6, /* as far beyond the ball */
                 .first = -6};
    l.particles = calloc(l.count, sizeof *l.particles);
    l.nodes = calloc((size_t)(l.size * l.size * l.size), sizeof *l.nodes);
    const uint32_t *id = particles->data[SL_F_ID];
    for (size_t i = 0; i < l.count; i++) {
        ReferenceParticle *p = &l.particles[id[i]];
        p->mass = l.density * b->spacing * b->spacing * b->spacing;
        p->FE = p->FP = m3_identity();
        for (int k = 0; k < 3; k++) {
            p->x[k] = ball_place(system, i, k, l.h);
            p->v[k] = (double)sl_f32x4(particles, SL_F_VELOCITY)[4 * i + (size_t)k];
        }
    }
    return l;
}

static void compare(const BallSetting *b, int steps)
{
    SlWorld *world = ball_create(b);
    Reference l = reference_of(world, b);
    int most = 0, off = 0;
    for (int k = 0; k < steps; k++) {
        assert_ok(sl_world_step(world, b->time_step, &test_error));
        reference_step(&l);
        int fast = (int)ball_system(world)->stats.iterations;
        most = fast > most ? fast : most;
        off = abs(fast - l.iterations) > off ? abs(fast - l.iterations) : off;
    }
    const SlSystem *system = ball_system(world);
    const uint32_t *id = system->particles.data[SL_F_ID];
    const float *plastic = system->particles.data[SL_F_PLASTIC];
    double sum = 0, least = 1, min_reference = 1;
    for (size_t i = 0; i < l.count; i++) {
        const ReferenceParticle *p = &l.particles[id[i]];
        for (int k = 0; k < 3; k++)
            sum += pow(ball_place(system, i, k, l.h) - p->x[k], 2);
        least = fmin(least, (double)plastic[i]);
        min_reference = fmin(min_reference, m3_det(p->FP));
    }
    double rms = sqrt(sum / (double)l.count) / l.h;
    print_message("%s: %zu particles, %d steps: %.2e h rms apart; smallest J_P %.4f, reference %.4f; up to "
                  "%d iterations, %d apart\n",
                  b->transfer, l.count, steps, rms, least, min_reference, most, off);
    assert_true(off <= 2);
    assert_less(rms, 1e-4);
    assert_less(least, 0.8);
    assert_less(min_reference, 0.8);
    assert_near(least, min_reference, 1e-3);
    free(l.particles);
    free(l.nodes);
    sl_world_destroy(world);
}

static void a_ball_on_the_floor(void **state)
{
    (void)state;
    BallSetting b = {.threads = 2,
                     .spacing = 0.01,
                     .radius = 0.12,
                     .speed = 6,
                     .time_step = 1e-4,
                     .center = {0.38f, 0.14f, 0.38f},
                     .friction = 0.3f};
    b.transfer = "mls";
    compare(&b, 200);
    b.transfer = "flip";
    compare(&b, 200);
}

static void a_ball_on_the_floor_semi_implicitly(void **state)
{
    (void)state;
    BallSetting b = {.threads = 2,
                     .spacing = 0.01,
                     .radius = 0.06,
                     .speed = 8,
                     .time_step = 3e-4,
                     .center = {0.3f, 0.08f, 0.3f},
                     .friction = 0.3f,
                     .beta = 1,
                     .tolerance = 1e-4};
    b.transfer = "mls";
    compare(&b, 40);
    b.transfer = "flip";
    compare(&b, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_on_the_floor),
        cmocka_unit_test(a_ball_on_the_floor_semi_implicitly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
