/* What presets are named for: wet snow does not bounce, mud smears and keeps its volume, icy snow breaks
   into as many pieces as with printed contacts and without damping. */
#include "snow/snowballs.h"
#include "support/world.h"

typedef struct Impact {
    double up;      /* m/s: largest upward velocity of the centre of mass */
    double width;   /* m: rms distance from the axis at the end */
    double density; /* mean over rest density at the end */
    double speed;   /* m/s: max at the end */
    SlMeasurement measured;
} Impact;

static double mean_up(const SlSystem *system)
{
    const float *v = sl_f32x4(&system->particles, SL_F_VELOCITY);
    double sum = 0;
    for (size_t i = 0; i < system->particles.count; i++)
        sum += (double)v[4 * i + 1] / (double)system->particles.count;
    return sum;
}

/* A ball of radius 0.2 m hits the floor (friction 0.5) at 7 m/s. */
static Impact drop(const char *parameters, float chunks, double seconds)
{
    SlWorldDef def = test_world_def(2, (SlVec3){-3, 0, -3}, (SlVec3){3, 3, 3});
    def.domain_friction = 0.5f;
    Snowball ball;
    ball_shape(&ball, (SlVec3){0, 0.22f, 0}, 0.2f);
    ball.fill.velocity = (SlVec3){0, -7, 0};
    if (chunks > 0) {
        ball.fill.noise.chunks = chunks;
        ball.fill.noise.seams = 0.04f;
    }
    SlSystemId id;
    SlWorld *world = test_world(&def, "snow", "spacing=0.0142 cell=1.5", &id);
    test_set_parameters(world, id, parameters);
    assert_ok(sl_system_add_fill(world, id, &ball.fill, &test_error));
    assert_ok(sl_world_start(world, &test_error));
    const SlSystem *system = ball_system(world);
    Impact out = {.up = -1};
    for (double t = 0; t < seconds; t += 0.005) {
        assert_ok(sl_world_step(world, 0.005, &test_error));
        if (t > 0.02)
            out.up = fmax(out.up, mean_up(system));
    }
    size_t n = system->particles.count;
    const float *x = sl_f32x4(&system->particles, SL_F_POSITION);
    const float *density = system->particles.data[SL_F_DENSITY];
    for (size_t i = 0; i < n; i++) {
        out.width += ((double)x[4 * i] * (double)x[4 * i] +
                      (double)x[4 * i + 2] * (double)x[4 * i + 2]) / (double)n;
        out.density += (double)density[i] / (double)n;
    }
    out.width = sqrt(out.width);
    out.speed = system->stats.max_speed;
    const SlFrameView *view = sl_world_view(world);
    SlMeasureDef measure = sl_default_measure_def();
    assert_ok(sl_measure_system(world->context, view, &view->systems[0], &measure,
                                &out.measured, &test_error));
    sl_world_destroy(world);
    return out;
}

/* Target: at most 0.2 m/s upwards after 7 m/s, and it stays one piece. */
static void wet_snow_does_not_bounce(void **state)
{
    (void)state;
    Impact wet = drop("preset=wet", 0, 0.2);
    print_message("wet: %.3f m/s upwards, %zu pieces\n", wet.up, wet.measured.pieces);
    assert_less(wet.up, 0.2);
    assert_int_equal(wet.measured.pieces, 1);
}

/* Mud flows apart in one piece and keeps its volume; it does not splash. */
static void mud_smears(void **state)
{
    (void)state;
    Impact mud = drop("preset=muddy", 0, 0.3), wet = drop("preset=wet", 0, 0.3);
    print_message("muddy: %.3f m rms from the axis (wet %.3f), density ratio %.3f (wet %.3f), %.3f m/s "
                  "upwards, %zu pieces, %.4f crumbs, %.3f m/s at the end\n",
                  mud.width, wet.width, mud.density, wet.density, mud.up, mud.measured.pieces,
                  mud.measured.crumbs, mud.speed);
    assert_less(1.15 * wet.width, mud.width);
    assert_less(mud.density, 1.15);
    assert_less(mud.up, 0.2);
    assert_less(mud.measured.crumbs, 0.01);
}

/* Target: damping and contacts do not lower the number of pieces. */
static void icy_snow_breaks(void **state)
{
    (void)state;
    Impact now = drop("preset=icy vary_stretch=0.95", 0.13f, 0.25);
    Impact printed = drop("preset=icy vary_stretch=0.95 contact=nodes damping=0", 0.13f, 0.25);
    print_message("icy: %zu pieces, largest %.3f, crumbs %.3f; contacts of nodes without damping: %zu, %.3f, "
                  "%.3f\n",
                  now.measured.pieces, now.measured.largest, now.measured.crumbs, printed.measured.pieces,
                  printed.measured.largest, printed.measured.crumbs);
    assert_true(now.measured.pieces >= 7);
    assert_true(now.measured.pieces + 2 >= printed.measured.pieces);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wet_snow_does_not_bounce),
        cmocka_unit_test(mud_smears),
        cmocka_unit_test(icy_snow_breaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
