/* The preset "stomakhin2013" against the printed steps (literal.h), explicit and semi-implicit. */
#include "snow/literal.h"
#include "snow/snowballs.h"

static Literal literal_of(SlWorld *world, const BallSetting *b)
{
    const SlSystem *system = ball_system(world);
    const SlParticles *particles = &system->particles;
    Literal l = {.h = 2 * b->spacing,
                 .dt = b->time_step,
                 .gravity = -9.81f,
                 .alpha = 0.95,
                 .friction = (double)b->friction,
                 .beta = b->beta,
                 .material = reference_default_material(),
                 .count = particles->count,
                 .edge = (int)((double)b->center.x / b->spacing) + 6,
                 .first = -6};
    l.particles = calloc(l.count, sizeof *l.particles);
    literal_open(&l);
    const uint32_t *id = particles->data[SL_F_ID];
    for (size_t i = 0; i < l.count; i++) {
        LiteralParticle *p = &l.particles[id[i]];
        p->mass = 400 * b->spacing * b->spacing * b->spacing;
        for (int k = 0; k < 3; k++) {
            p->x[k] = ball_place(system, i, k, l.h);
            p->v[k] = (double)sl_f32x4(particles, SL_F_VELOCITY)[4 * i + (size_t)k];
        }
    }
    return l;
}

/* Target: 1e-4 cells (root mean square). */
static void compare(const BallSetting *b, int steps)
{
    SlWorld *world = ball_create(b);
    Literal l = literal_of(world, b);
    for (int k = 0; k < steps; k++) {
        assert_ok(sl_world_step(world, b->time_step, &test_error));
        literal_step(&l);
    }
    const SlSystem *system = ball_system(world);
    const uint32_t *id = system->particles.data[SL_F_ID];
    const float *plastic = system->particles.data[SL_F_PLASTIC];
    double sum = 0, min = 1, min_literal = 1, moved = 0;
    for (size_t i = 0; i < l.count; i++) {
        const LiteralParticle *p = &l.particles[id[i]];
        for (int k = 0; k < 3; k++)
            sum += pow(ball_place(system, i, k, l.h) - p->x[k], 2);
        min = fmin(min, (double)plastic[i]);
        min_literal = fmin(min_literal, m3_det(p->FP));
        moved = fmax(moved, fabs(p->v[0]) + fabs(p->v[2]));
    }
    double rms = sqrt(sum / (double)l.count) / l.h;
    print_message("printed, beta %g: %zu particles, %d steps: %.2e h rms apart; smallest J_P %.4f, "
                  "literal %.4f\n",
                  b->beta, l.count, steps, rms, min, min_literal);
    assert_less(rms, 1e-4);
    assert_less(min_literal, 0.8); /* it was crushed */
    assert_less(0.1, moved);
    assert_near(min, min_literal, 2e-3);
    literal_close(&l);
    sl_world_destroy(world);
}

static void explicit_steps(void **state)
{
    (void)state;
    BallSetting b = {.threads = 2,
                     .spacing = 0.01,
                     .radius = 0.1,
                     .speed = 6,
                     .time_step = 1e-4,
                     .center = {0.38f, 0.12f, 0.38f},
                     .friction = 0.3f,
                     .parameters = "preset=stomakhin2013 integration=explicit"};
    compare(&b, 200);
}

static void semi_implicit_steps(void **state)
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
                     .tolerance = 1e-6,
                     .parameters = "preset=stomakhin2013"};
    compare(&b, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(explicit_steps),
        cmocka_unit_test(semi_implicit_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
