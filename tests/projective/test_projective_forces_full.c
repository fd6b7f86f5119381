/* Forces of projective fluids on bodies: in every step they are the momentum that the water loses,
   converged or not; the lift of a ball under water is the weight of the water it displaces. */
#include "projective/projective_worlds.h"

static const double other_density = 400; /* kg/m³, where there are two fluids */

typedef struct Balance {
    SlWorld *world;
    double before[3]; /* momentum, kg m/s */
    double worst, max_force, weight;
    double lift, lift_steps, from;
    uint64_t steps;
} Balance;

static double mass_of(SlWorld *world, size_t i)
{
    const uint32_t *fluid = pf_system(world)->particles.data[SL_F_FLUID];
    double water = 1000 * pow((double)sl_fluid_spacing(pf_system(world)), 3);
    return fluid != NULL && fluid[i] == 1 ? water * other_density / 1000 : water;
}

static void momentum_of(SlWorld *world, double momentum[3])
{
    const SlParticles *particles = &pf_system(world)->particles;
    const float *v = sl_f32x4(particles, SL_F_VELOCITY);
    memset(momentum, 0, 3 * sizeof *momentum);
    for (size_t i = 0; i < particles->count; i++)
        for (size_t a = 0; a < 3; a++)
            momentum[a] += mass_of(world, i) * (double)v[4 * i + a];
}

static bool weigh(void *user, SlSystemId id, const SlStepStats *stats)
{
    (void)id;
    Balance *b = user;
    double now[3];
    momentum_of(b->world, now);
    assert_int_equal(stats->body_count, 2); /* the domain and the ball */
    for (int a = 0; a < 3; a++) {
        double felt = stats->bodies[0].force[a] + stats->bodies[1].force[a];
        double lost = (b->before[a] - now[a]) / stats->dt - (a == 1 ? b->weight : 0);
        b->worst = fmax(b->worst, fabs(felt - lost));
        b->max_force = fmax(b->max_force, fabs(felt));
    }
    memcpy(b->before, now, sizeof now);
    if (stats->time > b->from) {
        b->lift += stats->bodies[1].force[1];
        b->lift_steps++;
    }
    b->steps++;
    return true;
}

static SlWorld *pool(Balance *balance, const char *boundary, const char *acceleration, float friction,
                     bool mixed)
{
    /* A column beside the ball, which falls and floods it. */
    PfWorld w = {.threads = 2,
                 .spacing = 0.05,
                 .domain = {2, 4, 1},
                 .nx = 20,
                 .ny = 44,
                 .nz = 20,
                 .frame_time = 0.02,
                 .friction = friction,
                 .other_density = mixed ? other_density : 0,
                 .on_step = weigh,
                 .user = balance,
                 .settings = {{"steps", 4, NULL},
                              {"boundary", 0, boundary},
                              {"forces", 0, "all"},
                              {"acceleration", 0, acceleration},
                              {"max_move", 1, NULL},
                              {"xsph", 0.05, NULL}}};
    SlWorld *world = pf_create(&w);
    SlShape ball = sl_default_shape(SL_SHAPE_SPHERE);
    ball.center = (SlVec3){1.45f, 0.5f, 0.5f};
    ball.radius = 0.3f;
    SlColliderId id;
    assert_ok(sl_world_add_collider(world, &ball, &id, &test_error));
    assert_ok(sl_world_start(world, &test_error));
    if (mixed)
        pf_mix(world);
    *balance = (Balance){.world = world, .from = 1e9};
    for (size_t i = 0; i < pf_system(world)->particles.count; i++)
        balance->weight += 9.81 * mass_of(world, i);
    return world;
}

static void force_on_bodies_is_what_water_loses(void **state)
{
    (void)state;
    static const char *const boundaries[] = {"walls", "particles"};
    static const char *const accelerations[] = {"none", "chebyshev"};
    for (int b = 0; b < 2; b++)
        for (int a = 0; a < 3; a++) {
            Balance balance;
            bool mixed = a == 2;
            const char *acceleration = accelerations[mixed ? 1 : a];
            SlWorld *world =
                pool(&balance, boundaries[b], acceleration, b == 1 && a > 0 ? 0.3f : 0, mixed);
            pf_advance(world, 40);
            print_message(
                "%s, %s%s: %llu steps, forces up to %.1f of the weight, off by %.2g of it\n",
                boundaries[b], acceleration, mixed ? ", two fluids" : "",
                (unsigned long long)balance.steps, balance.max_force / balance.weight,
                balance.worst / balance.weight);
            assert_true(balance.max_force > balance.weight);
            assert_less(balance.worst, 2e-5 * balance.weight);
            sl_world_destroy(world);
        }
}

static void lift_is_the_weight_of_displaced_water(void **state)
{
    (void)state;
    static const char *const boundaries[] = {"walls", "particles"};
    for (int b = 0; b < 2; b++) {
        Balance balance;
        SlWorld *world = pool(&balance, boundaries[b], "chebyshev", 0, false);
        balance.from = 4;
        pf_advance(world, 350);
        double lift = balance.lift / balance.lift_steps,
               displaced = 1000 * 9.81 * 4.18879 * 0.3 * 0.3 * 0.3;
        print_message("%s: lift %.0f N, the ball's volume of water weighs %.0f N (%+.1f %%)\n",
                      boundaries[b], lift, displaced, 100 * (lift / displaced - 1));
        assert_near(lift / displaced, 1, 0.1);
        sl_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(force_on_bodies_is_what_water_loses),
        cmocka_unit_test(lift_is_the_weight_of_displaced_water),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
