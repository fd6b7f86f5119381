/* Tanks and the length of a step. The first step of one that is flush with its walls: kinetic energy at
   most 2e-3 m g d a particle with 4 steps per frame, and less with every halving of the step. Shorter
   steps than those that are chosen automatically (2 per frame here), down to an eighth of them, do not make
   water at rest boil; `projective` does with a sixteenth (docs/notes/water-defaults.md). */
#include <math.h>
#include "water/expect.h"

static void kick(const char *solver, const char *boundary)
{
    WaterResult r;
    water_expect_run(&r, "first solver=%s boundary=%s", solver, boundary);
    water_expect(&r, "steps4", 0, 2e-3);
    double before = water_figure(&r, "steps4");
    for (int steps = 8; steps <= 64; steps *= 2) {
        char name[16];
        snprintf(name, sizeof name, "steps%d", steps);
        /* Positions in float leave density errors of 1e-5: below 1e-5 m g d they decide. */
        water_expect(&r, name, 0, fmax(before, 1e-5));
        before = water_figure(&r, name);
    }
}

static void pbf(void **state)
{
    (void)state;
    kick("pbf", "walls");
    kick("pbf", "particles");
    water_expect_all();
}

static void projective(void **state)
{
    (void)state;
    kick("projective", "walls");
    kick("projective", "particles");
    water_expect_all();
}

static void short_steps(void **state)
{
    (void)state;
    WaterResult r;
    for (int steps = 4; steps <= 16; steps *= 2) {
        water_expect_run(&r, "tank solver=pbf depth=20 d=0.2 base=8 time=3 -- steps=%d", steps);
        water_expect(&r, "rms", 0, 0.08);
        water_expect_run(&r, "tank solver=projective depth=20 d=0.2 base=8 time=3 -- steps=%d", steps);
        water_expect(&r, "rms", 0, 0.08);
    }
    water_expect_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pbf),
        cmocka_unit_test(projective),
        cmocka_unit_test(short_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
